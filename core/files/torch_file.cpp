// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.save writes since PyTorch 1.6: a zip file with data.pkl (the objects), data/KEY (a storage each),
// byteorder and version. See torch/serialization.py and torch/_utils.py.
#include "core/files/message_text.h"
#include "core/files/torch_objects.h"
#include "core/files/zip_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace peakscope {

namespace {

class TorchReader
{
public:
    TorchReader(const MappedFile& file, const std::string& path, std::vector<std::unique_ptr<std::byte[]>>& swapped)
        : m_file(file), m_path(path), m_swapped(swapped)
    {}

    Result<WeightContent> read();

private:
    Status readDirectory();
    Status readByteOrder();
    Result<TorchStorage> storage(const std::string& name, const PickleValue& value);
    const std::byte* inThisOrder(const std::string& key, std::string_view data, std::size_t elementBytes);

    const MappedFile& m_file;
    const std::string& m_path;
    std::vector<std::unique_ptr<std::byte[]>>& m_swapped;
    std::unordered_map<std::string, std::string_view> m_records; // by name behind the archive's own folder
    std::unordered_map<std::string, const std::byte*> m_swappedByKey;
    bool m_otherByteOrder = false;
};

Status TorchReader::readDirectory()
{
    auto directory = readZipDirectory(m_file.view(), m_path);
    if (!directory)
        return directory.error();
    constexpr std::string_view kPickle = "/data.pkl";
    const auto pickle = std::find_if(directory->begin(), directory->end(),
                                     [&](const ZipEntry& entry) { return entry.name.ends_with(kPickle); });
    if (pickle == directory->end())
        return badInput(m_path, "a zip file, but not one that PyTorch wrote: it has no data.pkl");
    const std::string folder = pickle->name.substr(0, pickle->name.size() - kPickle.size() + 1);
    const ZipEntry* compressed = nullptr;
    for (const ZipEntry& entry : *directory) {
        if (!entry.name.starts_with(folder))
            continue;
        m_records[entry.name.substr(folder.size())] = entry.data;
        if (!entry.stored)
            compressed = &entry;
    }
    if (m_records.count("constants.pkl") != 0)
        return badInput(m_path, "a TorchScript archive (a program); save the model's state_dict() with torch.save");
    if (compressed)
        return badInput(m_path, fmt::format("zip entry {} is compressed; PyTorch stores its entries as they are",
                                            inQuotes(compressed->name)));
    return Done{};
}

Status TorchReader::readByteOrder()
{
    const auto record = m_records.find("byteorder");
    const std::string_view order = record == m_records.end() ? "little" : record->second;
    if (order != "little" && order != "big")
        return badInput(m_path, fmt::format("byte order {}; little or big are possible", inQuotes(order)));
    m_otherByteOrder = (order == "little") != (std::endian::native == std::endian::little);
    return Done{};
}

const std::byte* TorchReader::inThisOrder(const std::string& key, std::string_view data, std::size_t elementBytes)
{
    if (!m_otherByteOrder || elementBytes <= 1)
        return reinterpret_cast<const std::byte*>(data.data());
    if (const auto known = m_swappedByKey.find(key); known != m_swappedByKey.end())
        return known->second;
    auto copy = std::make_unique_for_overwrite<std::byte[]>(data.size());
    std::memcpy(copy.get(), data.data(), data.size());
    for (std::size_t i = 0; i + elementBytes <= data.size(); i += elementBytes)
        std::reverse(copy.get() + i, copy.get() + i + elementBytes);
    m_swapped.push_back(std::move(copy));
    return m_swappedByKey[key] = m_swapped.back().get();
}

Result<TorchStorage> TorchReader::storage(const std::string& name, const PickleValue& value)
{
    const auto bad = [&](const std::string& reason) {
        return badInput(m_path, fmt::format("tensor {}: {}", inQuotes(name), reason));
    };
    const auto id = torchStorageId(value);
    if (!id || id->view)
        return bad("its storage is not described as PyTorch describes one");
    const auto record = m_records.find("data/" + id->key);
    if (record == m_records.end())
        return bad(fmt::format("the file has no record {}", inQuotes("data/" + id->key)));
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(id->elements, std::uint64_t{id->elementBytes}, &bytes) || bytes > record->second.size())
        return bad(fmt::format("its storage needs {} elements of {}, record {} has {}", id->elements,
                               byteCount(id->elementBytes), inQuotes("data/" + id->key),
                               byteCount(record->second.size())));
    // Complex numbers are two halves that are swapped each by itself.
    const std::size_t swapBytes = id->dtype.starts_with('C') ? id->elementBytes / 2 : id->elementBytes;
    if (m_otherByteOrder && id->dtype.empty())
        return bad("an untyped storage of the other byte order");
    return TorchStorage{id->dtype, inThisOrder(id->key, record->second, swapBytes), bytes};
}

Result<WeightContent> TorchReader::read()
{
    if (const Status status = readDirectory(); !status)
        return status.error();
    if (const Status status = readByteOrder(); !status)
        return status.error();
    PickleOptions options;
    options.keepUnknown = true;
    options.allowPersistentIds = true;
    const auto pickle = readPickle(m_records["data.pkl"], options, m_path);
    if (!pickle)
        return pickle.error();
    const auto find = [this](const std::string& name, const PickleValue& id) { return storage(name, id); };
    return TorchObjects(m_path, find).read((*pickle)->root());
}

} // namespace

Result<WeightContent> readTorchFile(const MappedFile& file, const std::string& path,
                                    std::vector<std::unique_ptr<std::byte[]>>& swapped)
{
    return TorchReader(file, path, swapped).read();
}

} // namespace peakscope
