// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.save writes since PyTorch 1.6: a zip file with data.pkl (the objects), data/KEY (a storage each),
// byteorder and version. See torch/serialization.py and torch/_utils.py.
#include "core/files/weight_readers.h"

#include "core/files/message_text.h"
#include "core/files/pickle.h"
#include "core/files/zip_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

namespace peakscope {

namespace {

using PickleKind = PickleValue::Kind;

constexpr int kWrapperLimit = 8; // Parameters around tensors, checkpoints around state dicts

struct TorchType {
    std::string_view name;
    std::string_view dtype;
};

// Typed storages carry the element type; an untyped one is read with the dtype that _rebuild_tensor_v3 gives.
constexpr TorchType kStorageTypes[] = {
    {"FloatStorage", "F32"}, {"DoubleStorage", "F64"}, {"HalfStorage", "F16"},         {"BFloat16Storage", "BF16"},
    {"LongStorage", "I64"},  {"IntStorage", "I32"},    {"ShortStorage", "I16"},        {"CharStorage", "I8"},
    {"ByteStorage", "U8"},   {"BoolStorage", "BOOL"},  {"ComplexFloatStorage", "C64"}, {"ComplexDoubleStorage", "C128"},
    {"UntypedStorage", ""},
};
constexpr TorchType kDtypes[] = {
    {"torch.uint16", "U16"},          {"torch.uint32", "U32"},
    {"torch.uint64", "U64"},          {"torch.float8_e4m3fn", "F8_E4M3"},
    {"torch.float8_e5m2", "F8_E5M2"},
};
constexpr std::string_view kRebuildV2 = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildV3 = "torch._utils._rebuild_tensor_v3";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";

const TorchType* storageType(std::string_view global)
{
    for (const std::string_view prefix : {std::string_view("torch.storage."), std::string_view("torch.")}) {
        if (!global.starts_with(prefix))
            continue;
        const auto name = global.substr(prefix.size());
        const auto* found = std::find_if(std::begin(kStorageTypes), std::end(kStorageTypes),
                                         [&](const TorchType& type) { return type.name == name; });
        if (found != std::end(kStorageTypes))
            return found;
    }
    return nullptr;
}

const TorchType* dtypeOf(std::string_view global)
{
    const auto* found = std::find_if(std::begin(kDtypes), std::end(kDtypes),
                                     [&](const TorchType& type) { return type.name == global; });
    return found == std::end(kDtypes) ? nullptr : found;
}

bool isAllowed(std::string_view global)
{
    return global == kRebuildV2 || global == kRebuildV3 || global == kRebuildParameter || global == "torch.Size" ||
           storageType(global) || dtypeOf(global);
}

bool isTensor(const PickleValue& value)
{
    if (!value.is(PickleKind::Call))
        return false;
    const std::string_view name = value.items[0]->text;
    return name == kRebuildV2 || name == kRebuildV3 || name == kRebuildParameter;
}

bool isStateDict(const PickleValue& value)
{
    if (!value.is(PickleKind::Dict))
        return false;
    for (std::size_t i = 1; i < value.items.size(); i += 2) {
        if (isTensor(*value.items[i]))
            return true;
    }
    return false;
}

// Sizes or strides: a tuple of non-negative integers, or torch.Size around one.
std::optional<std::vector<std::int64_t>> integers(const PickleValue& value)
{
    const PickleValue* list = &value;
    if (value.is(PickleKind::Call) && value.items[0]->isGlobal("torch.Size") && value.items[1]->items.size() == 1)
        list = value.items[1]->items[0];
    if (!list->is(PickleKind::Tuple) && !list->is(PickleKind::List))
        return std::nullopt;
    std::vector<std::int64_t> result;
    for (const PickleValue* item : list->items) {
        if (!item->is(PickleKind::Int) || item->integer < 0)
            return std::nullopt;
        result.push_back(item->integer);
    }
    return result;
}

bool isContiguous(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides)
{
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= shape[i];
    }
    return true;
}

// Elements from the first to the last, both included; nothing where that passes 64 bits.
std::optional<std::uint64_t> elementSpan(const std::vector<std::int64_t>& shape,
                                         const std::vector<std::int64_t>& strides)
{
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0)
            return 0;
        std::uint64_t step = 0;
        if (__builtin_mul_overflow(static_cast<std::uint64_t>(shape[i] - 1), static_cast<std::uint64_t>(strides[i]),
                                   &step) ||
            __builtin_add_overflow(last, step, &last))
            return std::nullopt;
    }
    return last == UINT64_MAX ? std::nullopt : std::optional(last + 1);
}

class TorchReader
{
public:
    TorchReader(const MappedFile& file, const std::string& path, std::vector<std::unique_ptr<std::byte[]>>& swapped)
        : m_file(file), m_path(path), m_swapped(swapped)
    {}

    Result<std::vector<WeightEntry>> read();

private:
    struct Storage {
        std::string_view dtype; // empty: untyped
        const std::byte* data = nullptr;
        std::uint64_t bytes = 0;
    };

    Status readDirectory();
    Status readByteOrder();
    Result<const PickleValue*> stateDict(const PickleValue& root) const;
    Result<WeightEntry> tensor(const std::string& name, const PickleValue& value);
    Result<Storage> storage(const std::string& name, const PickleValue& value);
    const std::byte* inThisOrder(const std::string& key, std::string_view data, std::size_t elementBytes);
    Error bad(const std::string& name, const std::string& reason) const
    {
        return badInput(m_path, fmt::format("tensor {}: {}", inQuotes(name), reason));
    }

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

// The dict of tensors: the file's own object, or a checkpoint's entry of a usual name.
Result<const PickleValue*> TorchReader::stateDict(const PickleValue& root) const
{
    const PickleValue* value = &root;
    for (int level = 0; level < kWrapperLimit; ++level) {
        if (isStateDict(*value) || (value->is(PickleKind::Dict) && value->items.empty()))
            return value;
        const PickleValue* inner = nullptr;
        for (const std::string_view key : {"state_dict", "model_state_dict", "model", "module"})
            inner = inner ? inner : value->find(key);
        if (!inner)
            break;
        value = inner;
    }
    return badInput(m_path,
                    "holds no state dict: a dictionary of tensors, as torch.save(model.state_dict(), ...) writes it");
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

// A persistent id is ('storage', torch.FloatStorage, key, location, elements).
Result<TorchReader::Storage> TorchReader::storage(const std::string& name, const PickleValue& value)
{
    const PickleValue* id = value.is(PickleKind::PersistentId) ? value.items[0] : nullptr;
    const bool fits = id && id->is(PickleKind::Tuple) && id->items.size() == 5 &&
                      id->items[0]->is(PickleKind::String) && id->items[0]->text == "storage" &&
                      id->items[1]->is(PickleKind::Global) && id->items[2]->is(PickleKind::String) &&
                      id->items[4]->is(PickleKind::Int) && id->items[4]->integer >= 0;
    const TorchType* type = fits ? storageType(id->items[1]->text) : nullptr;
    if (!type)
        return bad(name, "its storage is not described as PyTorch describes one");
    const std::string key(id->items[2]->text);
    const auto record = m_records.find("data/" + key);
    if (record == m_records.end())
        return bad(name, fmt::format("the file has no record {}", inQuotes("data/" + key)));
    const std::size_t elementBytes = type->dtype.empty() ? 1 : bytesPerElement(type->dtype);
    std::uint64_t bytes = 0;
    const auto elements = static_cast<std::uint64_t>(id->items[4]->integer);
    if (__builtin_mul_overflow(elements, std::uint64_t{elementBytes}, &bytes) || bytes > record->second.size())
        return bad(name,
                   fmt::format("its storage asks for {} elements of {}, record {} has {}", elements,
                               byteCount(elementBytes), inQuotes("data/" + key), byteCount(record->second.size())));
    // Complex numbers are two halves that are swapped each by itself.
    const std::size_t swapBytes = type->dtype.starts_with('C') ? elementBytes / 2 : elementBytes;
    if (m_otherByteOrder && type->dtype.empty())
        return bad(name, "an untyped storage of the other byte order");
    return Storage{type->dtype, inThisOrder(key, record->second, swapBytes), bytes};
}

// _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata]); v3 has a dtype after the hooks.
Result<WeightEntry> TorchReader::tensor(const std::string& name, const PickleValue& value)
{
    const PickleValue* call = &value;
    for (int level = 0; isTensor(*call) && call->items[0]->isGlobal(kRebuildParameter); ++level) {
        const auto& arguments = call->items[1]->items;
        if (arguments.empty() || level >= kWrapperLimit)
            return bad(name, "its parameter is not described as PyTorch describes one");
        call = arguments[0];
    }
    const auto* arguments = isTensor(*call) ? &call->items[1]->items : nullptr;
    const bool isV3 = arguments && call->items[0]->isGlobal(kRebuildV3);
    if (!arguments || arguments->size() < (isV3 ? 7u : 4u) || !(*arguments)[1]->is(PickleKind::Int) ||
        (*arguments)[1]->integer < 0)
        return bad(name, "it is not described as PyTorch describes a tensor");
    const auto source = storage(name, *(*arguments)[0]);
    if (!source)
        return source.error();
    const auto shape = integers(*(*arguments)[2]);
    const auto strides = integers(*(*arguments)[3]);
    if (!shape || !strides || shape->size() != strides->size() || !elementCount(*shape))
        return bad(name, "its sizes or strides are not possible");
    std::string_view dtype = source->dtype;
    if (isV3) {
        const TorchType* type = (*arguments)[6]->is(PickleKind::Global) ? dtypeOf((*arguments)[6]->text) : nullptr;
        dtype = type ? type->dtype : std::string_view();
    }
    if (dtype.empty())
        return bad(name, "its element type is not known");
    const std::uint64_t elementBytes = bytesPerElement(dtype);
    const auto offset = static_cast<std::uint64_t>((*arguments)[1]->integer);
    const auto span = elementSpan(*shape, *strides);
    const std::uint64_t available = source->bytes / elementBytes;
    if (!span || offset > available || *span > available - offset)
        return bad(name, fmt::format(
                             "shape {} with strides {} from element {} on passes the end of its storage of {} elements",
                             shapeText(*shape), shapeText(*strides), offset, available));
    WeightEntry entry{name, std::string(dtype), *shape, source->data + offset * elementBytes, *span * elementBytes, {}};
    if (!isContiguous(*shape, *strides))
        entry.strides = *strides;
    return entry;
}

Result<std::vector<WeightEntry>> TorchReader::read()
{
    if (const Status status = readDirectory(); !status)
        return status.error();
    if (const Status status = readByteOrder(); !status)
        return status.error();
    PickleOptions options;
    options.allowGlobal = isAllowed;
    options.allowPersistentIds = true;
    const auto pickle = readPickle(m_records["data.pkl"], options, m_path);
    if (!pickle)
        return pickle.error();
    const auto dictionary = stateDict((*pickle)->root());
    if (!dictionary)
        return dictionary.error();
    std::vector<WeightEntry> entries;
    const auto& items = (*dictionary)->items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (!items[i]->is(PickleKind::String) || !isTensor(*items[i + 1]))
            continue; // step counters and the like
        auto entry = tensor(std::string(items[i]->text), *items[i + 1]);
        if (!entry)
            return entry.error();
        entries.push_back(std::move(*entry));
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const WeightEntry& a, const WeightEntry& b) { return a.data < b.data; });
    return entries;
}

} // namespace

Result<std::vector<WeightEntry>> readTorchFile(const MappedFile& file, const std::string& path,
                                               std::vector<std::unique_ptr<std::byte[]>>& swapped)
{
    return TorchReader(file, path, swapped).read();
}

} // namespace peakscope
