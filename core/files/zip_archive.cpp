// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/zip_archive.h"

#include "core/files/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace peakscope {

namespace {

constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocator64Signature = 0x07064b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::uint32_t kIn64 = 0xffffffff; // "the value is in the zip64 extra field"

// Little-endian number of `bytes` bytes; the caller has checked the range.
std::uint64_t number(std::string_view file, std::size_t offset, int bytes)
{
    std::uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; --i)
        value = value << 8 | static_cast<unsigned char>(file[offset + static_cast<std::size_t>(i)]);
    return value;
}

bool inside(std::string_view file, std::uint64_t offset, std::uint64_t bytes)
{
    return offset <= file.size() && bytes <= file.size() - offset;
}

struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
};

// The end record stands at the end, behind at most 65535 bytes of comment.
std::optional<std::size_t> findEndRecord(std::string_view file)
{
    if (file.size() < kEndBytes)
        return std::nullopt;
    const std::size_t lowest = file.size() - std::min<std::size_t>(file.size(), kEndBytes + 0xffff);
    for (std::size_t position = file.size() - kEndBytes + 1; position-- > lowest;) {
        if (number(file, position, 4) == kEndSignature)
            return position;
    }
    return std::nullopt;
}

std::optional<Directory> findDirectory(std::string_view file)
{
    const auto end = findEndRecord(file);
    if (!end)
        return std::nullopt;
    Directory directory{number(file, *end + 16, 4), number(file, *end + 12, 4), number(file, *end + 10, 2)};
    if (*end >= kLocator64Bytes && number(file, *end - kLocator64Bytes, 4) == kLocator64Signature) {
        const std::uint64_t end64 = number(file, *end - kLocator64Bytes + 8, 8);
        if (!inside(file, end64, kEnd64Bytes) || number(file, end64, 4) != kEnd64Signature)
            return std::nullopt;
        directory = {number(file, end64 + 48, 8), number(file, end64 + 40, 8), number(file, end64 + 32, 8)};
    }
    if (!inside(file, directory.offset, directory.bytes))
        return std::nullopt;
    return directory;
}

// Replaces the values that say "in the extra field" by those of the zip64 extra field (id 1), which holds just these,
// in this order. False where it is missing or too short.
bool readZip64Extra(std::string_view extra, std::uint64_t& size, std::uint64_t& stored, std::uint64_t& offset)
{
    std::uint64_t* const wanted[] = {&size, &stored, &offset};
    if (std::none_of(std::begin(wanted), std::end(wanted), [](const std::uint64_t* v) { return *v == kIn64; }))
        return true;
    for (std::size_t position = 0; position + 4 <= extra.size();) {
        const std::size_t bytes = number(extra, position + 2, 2);
        if (bytes > extra.size() - position - 4)
            return false;
        if (number(extra, position, 2) != 1) {
            position += 4 + bytes;
            continue;
        }
        std::size_t at = 0;
        for (std::uint64_t* const value : wanted) {
            if (*value != kIn64)
                continue;
            if (at + 8 > bytes)
                return false;
            *value = number(extra, position + 4 + at, 8);
            at += 8;
        }
        return true;
    }
    return false;
}

// One entry of the central directory at `position`, which moves behind it.
Result<ZipEntry> readEntry(std::string_view file, const std::string& path, std::size_t& position, std::size_t end)
{
    const auto broken = [&](const std::string& reason) { return badInput(path, "broken zip directory: " + reason); };
    if (end - position < kCentralBytes || number(file, position, 4) != kCentralSignature)
        return broken(fmt::format("no entry at byte {}", position));
    const std::size_t nameBytes = number(file, position + 28, 2);
    const std::size_t extraBytes = number(file, position + 30, 2);
    const std::size_t commentBytes = number(file, position + 32, 2);
    if (end - position - kCentralBytes < nameBytes + extraBytes + commentBytes)
        return broken(fmt::format("the entry at byte {} is cut off", position));
    ZipEntry entry;
    entry.name = file.substr(position + kCentralBytes, nameBytes);
    const auto flags = number(file, position + 8, 2);
    const auto method = number(file, position + 10, 2);
    std::uint64_t stored = number(file, position + 20, 4);
    std::uint64_t size = number(file, position + 24, 4);
    std::uint64_t offset = number(file, position + 42, 4);
    if (!readZip64Extra(file.substr(position + kCentralBytes + nameBytes, extraBytes), size, stored, offset))
        return broken(fmt::format("entry {} lacks its zip64 sizes", inQuotes(entry.name)));
    if ((flags & 1) != 0)
        return badInput(path, fmt::format("zip entry {} is encrypted", inQuotes(entry.name)));
    if (!inside(file, offset, kLocalBytes) || number(file, offset, 4) != kLocalSignature)
        return broken(fmt::format("entry {} has no local header at byte {}", inQuotes(entry.name), offset));
    // The local header has its own name and extra field (PyTorch pads the data to 64 bytes with it).
    const std::uint64_t data = offset + kLocalBytes + number(file, offset + 26, 2) + number(file, offset + 28, 2);
    if (!inside(file, data, stored))
        return badInput(path, fmt::format("truncated: zip entry {} takes {} from byte {} on, the file has {}",
                                          inQuotes(entry.name), byteCount(stored), data, byteCount(file.size())));
    entry.stored = method == 0 && stored == size;
    entry.data = file.substr(data, stored);
    position += kCentralBytes + nameBytes + extraBytes + commentBytes;
    return entry;
}

} // namespace

Result<std::vector<ZipEntry>> readZipDirectory(std::string_view file, const std::string& path)
{
    const auto directory = findDirectory(file);
    if (!directory)
        return badInput(
            path, fmt::format("truncated or broken: the zip directory, which belongs at the end, is not in its {}",
                              byteCount(file.size())));
    std::vector<ZipEntry> entries;
    std::size_t position = directory->offset;
    for (std::uint64_t i = 0; i < directory->entries; ++i) {
        auto entry = readEntry(file, path, position, directory->offset + directory->bytes);
        if (!entry)
            return entry.error();
        entries.push_back(std::move(*entry));
    }
    return entries;
}

} // namespace peakscope
