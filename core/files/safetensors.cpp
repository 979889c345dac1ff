// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/weight_readers.h"

#include "core/base/json/json_access.h"
#include "core/files/message_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace peakscope {

namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kHeaderLimit = 100'000'000; // the format's own limit

std::uint64_t littleEndian64(const std::byte* data)
{
    std::uint64_t value = 0;
    for (int i = 7; i >= 0; --i)
        value = value << 8 | std::to_integer<std::uint64_t>(data[i]);
    return value;
}

// The header's JSON; `dataBegin` gets the offset of the first data byte.
Result<nlohmann::json> readHeader(const MappedFile& file, const std::string& path, std::uint64_t& dataBegin)
{
    if (file.size() < kLengthBytes)
        return badInput(path, fmt::format("not a safetensors file: it has {}, the header's length alone takes 8",
                                          byteCount(file.size())));
    const std::uint64_t length = littleEndian64(file.data());
    const std::uint64_t rest = file.size() - kLengthBytes;
    if (length < 2 || length > kHeaderLimit)
        return badInput(
            path,
            fmt::format("not a safetensors file: its first 8 bytes give a header of {} bytes; 2 to {} are possible",
                        length, kHeaderLimit));
    if (length > rest)
        return badInput(path, fmt::format("truncated: the header is {} long, the file ends after {} of them",
                                          byteCount(length), rest));
    const char* text = reinterpret_cast<const char*>(file.data() + kLengthBytes);
    if (text[0] != '{')
        return badInput(path, "not a safetensors file: no JSON object follows the header's length");
    auto header = parseJson({text, length}, path);
    if (!header)
        return badInput(path, fmt::format("the header of {} is {}", byteCount(length), header.error().message));
    dataBegin = kLengthBytes + length;
    return std::move(*header);
}

bool isUnsignedArray(const nlohmann::json& value)
{
    return value.is_array() && std::all_of(value.begin(), value.end(), [](const nlohmann::json& item) {
               return item.is_number_unsigned() && item.get<std::uint64_t>() <= INT64_MAX;
           });
}

// One tensor's description; `entry.data` is set, its range inside the data is not yet checked.
Status readEntry(const std::string& path, const std::string& name, const nlohmann::json& description,
                 WeightEntry& entry, std::uint64_t& begin, std::uint64_t& end)
{
    const auto bad = [&](const std::string& reason) {
        return badInput(path, fmt::format("tensor {}: {}", inQuotes(name), reason));
    };
    if (!description.is_object())
        return bad("its description is not a JSON object");
    const auto dtype = description.find("dtype");
    const auto shape = description.find("shape");
    const auto offsets = description.find("data_offsets");
    if (dtype == description.end() || !dtype->is_string())
        return bad("\"dtype\" is missing or not a string");
    if (shape == description.end() || !isUnsignedArray(*shape))
        return bad("\"shape\" is missing or not an array of sizes");
    if (offsets == description.end() || !isUnsignedArray(*offsets) || offsets->size() != 2)
        return bad("\"data_offsets\" is missing or not two offsets");
    entry.name = name;
    entry.dtype = dtype->get<std::string>();
    entry.shape = shape->get<std::vector<std::int64_t>>();
    begin = (*offsets)[0].get<std::uint64_t>();
    end = (*offsets)[1].get<std::uint64_t>();
    const std::size_t elementBits = bitsPerElement(entry.dtype);
    if (elementBits == 0)
        return bad(fmt::format("dtype {} is not known", inQuotes(entry.dtype)));
    const auto elements = elementCount(entry.shape);
    std::uint64_t bits = 0;
    if (!elements || __builtin_mul_overflow(*elements, std::uint64_t{elementBits}, &bits))
        return bad(fmt::format("shape {} is too large", shapeText(entry.shape)));
    if (bits % 8 != 0)
        return bad(fmt::format("shape {} of {} takes {} bits, which do not end at a byte", shapeText(entry.shape),
                               entry.dtype, bits));
    const std::uint64_t bytes = bits / 8;
    if (begin > end || end - begin != bytes)
        return bad(fmt::format("shape {} of {} takes {}, its offsets {} to {} do not hold that", shapeText(entry.shape),
                               entry.dtype, byteCount(bytes), begin, end));
    entry.bytes = bytes;
    return Done{};
}

struct Placed {
    WeightEntry entry;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The data must be covered exactly once, as the format asks: no overlap, no gap, nothing before or behind.
Status checkCoverage(const std::string& path, const std::vector<Placed>& tensors, std::uint64_t available)
{
    std::uint64_t wanted = 0;
    for (const Placed& tensor : tensors)
        wanted = std::max(wanted, tensor.end);
    if (wanted > available)
        return badInput(path, fmt::format("truncated: the header lists {} of data, the file has {} of data",
                                          byteCount(wanted), byteCount(available)));
    std::uint64_t position = 0;
    for (const Placed& tensor : tensors) {
        if (tensor.begin < position)
            return badInput(path, fmt::format("tensor {} overlaps the one before it: it begins at byte {} of the data, "
                                              "that one ends at {}",
                                              inQuotes(tensor.entry.name), tensor.begin, position));
        if (tensor.begin > position)
            return badInput(path, fmt::format("bytes {} to {} of the data, before tensor {}, belong to no tensor",
                                              position, tensor.begin, inQuotes(tensor.entry.name)));
        position = tensor.end;
    }
    if (position != available)
        return badInput(path, fmt::format("the tensors take {} of data, the file has {}", byteCount(position),
                                          byteCount(available)));
    return Done{};
}

} // namespace

Result<std::vector<WeightEntry>> readSafetensors(const MappedFile& file, const std::string& path)
{
    std::uint64_t dataBegin = 0;
    const auto header = readHeader(file, path, dataBegin);
    if (!header)
        return header.error();
    std::vector<Placed> tensors;
    for (const auto& [name, description] : header->items()) {
        if (name == "__metadata__")
            continue;
        Placed tensor;
        if (const Status status = readEntry(path, name, description, tensor.entry, tensor.begin, tensor.end); !status)
            return status.error();
        tensors.push_back(std::move(tensor));
    }
    std::stable_sort(tensors.begin(), tensors.end(), [](const Placed& a, const Placed& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
    });
    if (const Status status = checkCoverage(path, tensors, file.size() - dataBegin); !status)
        return status.error();
    std::vector<WeightEntry> entries;
    entries.reserve(tensors.size());
    for (Placed& tensor : tensors) {
        tensor.entry.data = file.data() + dataBegin + tensor.begin;
        entries.push_back(std::move(tensor.entry));
    }
    return entries;
}

} // namespace peakscope
