// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What torch.save wrote before PyTorch 1.6: a stream of pickles (a magic number, the format's version, facts of the
// machine, the objects, the keys of the storages), then the storages in the order of these keys, each behind its count
// of elements (8 bytes, little-endian, as are the elements). See _legacy_save in torch/serialization.py.
#include "core/files/message_text.h"
#include "core/files/torch_objects.h"

#include <fmt/format.h>

#include <cstring>
#include <unordered_map>

namespace peakscope {

namespace {

using PickleKind = PickleValue::Kind;

constexpr std::string_view kMagic("l\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10); // 0x1950a86a20f9469cfc6c
constexpr std::int64_t kVersion = 1001;

class TorchStreamReader
{
public:
    TorchStreamReader(const MappedFile& file, const std::string& path) : m_bytes(file.view()), m_path(path) {}

    Result<WeightContent> read();

private:
    struct Stored {
        std::uint64_t elements = 0;
        std::size_t elementBytes = 1;
        const std::byte* data = nullptr; // nothing until its place is known
    };

    Result<std::unique_ptr<PickleTree>> next(bool objects);
    Status readHead();
    void collect(const PickleTree& objects);
    Status place(const PickleValue& keys);
    Result<std::uint64_t> countAt(const std::string& key);
    Result<TorchStorage> storage(const std::string& name, const PickleValue& value) const;
    Error bad(const std::string& reason) const { return badInput(m_path, reason); }

    std::string_view m_bytes;
    const std::string& m_path;
    std::size_t m_position = 0;
    std::unordered_map<std::string, Stored> m_storages;
};

Result<std::unique_ptr<PickleTree>> TorchStreamReader::next(bool objects)
{
    PickleOptions options;
    options.keepUnknown = objects;
    options.allowPersistentIds = objects;
    options.firstByte = m_position;
    auto tree = readPickle(m_bytes.substr(m_position), options, m_path);
    if (tree)
        m_position += (*tree)->bytes();
    return tree;
}

Status TorchStreamReader::readHead()
{
    const auto magic = next(false);
    if (!magic)
        return magic.error();
    if (!(*magic)->root().is(PickleKind::BigInt) || (*magic)->root().text != kMagic)
        return bad("does not begin with the number that torch.save wrote before PyTorch 1.6");
    const auto version = next(false);
    if (!version)
        return version.error();
    if (!(*version)->root().is(PickleKind::Int) || (*version)->root().integer != kVersion)
        return bad(fmt::format("its format's version is not {}, the only one that PyTorch wrote", kVersion));
    const auto machine = next(false); // sizes of types and a byte order, which the storages do not follow
    return machine ? Status(Done{}) : machine.error();
}

// The storages that the objects name. What an element takes is what the first to name one says.
void TorchStreamReader::collect(const PickleTree& objects)
{
    for (const PickleValue* value : objects.persistentIds()) {
        if (const auto id = torchStorageId(*value))
            m_storages.try_emplace(id->key, Stored{id->elements, id->elementBytes, nullptr});
    }
}

Result<std::uint64_t> TorchStreamReader::countAt(const std::string& key)
{
    std::uint64_t count = 0;
    if (m_bytes.size() - m_position < sizeof count)
        return bad(fmt::format("truncated: the file ends before the size of storage {}", inQuotes(key)));
    for (int i = 7; i >= 0; --i)
        count = count << 8 | static_cast<unsigned char>(m_bytes[m_position + static_cast<std::size_t>(i)]);
    m_position += sizeof count;
    return count;
}

Status TorchStreamReader::place(const PickleValue& keys)
{
    if (!keys.is(PickleKind::List))
        return bad("its list of storages is not a list");
    for (const PickleValue* item : keys.items) {
        const std::string key(item->is(PickleKind::String) ? item->text : std::string_view());
        const auto found = m_storages.find(key);
        if (found == m_storages.end())
            return bad(fmt::format("storage {} of its list is not one of a type that is known", inQuotes(key)));
        Stored& stored = found->second;
        if (stored.data)
            return bad(fmt::format("storage {} is listed twice", inQuotes(key)));
        const auto count = countAt(key);
        if (!count)
            return count.error();
        if (*count != stored.elements)
            return bad(
                fmt::format("storage {} has {} elements, {} are needed", inQuotes(key), *count, stored.elements));
        std::uint64_t bytes = 0;
        const std::size_t left = m_bytes.size() - m_position;
        if (__builtin_mul_overflow(*count, std::uint64_t{stored.elementBytes}, &bytes) || bytes > left)
            return bad(fmt::format("truncated: storage {} has {} elements of {}, {} are left", inQuotes(key), *count,
                                   byteCount(stored.elementBytes), byteCount(left)));
        stored.data = reinterpret_cast<const std::byte*>(m_bytes.data() + m_position);
        m_position += bytes;
    }
    return Done{};
}

Result<TorchStorage> TorchStreamReader::storage(const std::string& name, const PickleValue& value) const
{
    const auto refuse = [&](const std::string& reason) {
        return bad(fmt::format("tensor {}: {}", inQuotes(name), reason));
    };
    const auto id = torchStorageId(value);
    if (!id)
        return refuse("its storage is not described as PyTorch describes one");
    const auto found = m_storages.find(id->key);
    if (found == m_storages.end() || !found->second.data)
        return refuse(fmt::format("the file has no storage {}", inQuotes(id->key)));
    const Stored& stored = found->second;
    const std::uint64_t available = stored.elements * stored.elementBytes; // place() has looked
    std::uint64_t first = 0, elements = id->elements, end = 0;
    if (id->view) {
        const auto& part = id->view->items;
        if (!id->view->is(PickleKind::Tuple) || part.size() != 3 || !part[1]->is(PickleKind::Int) ||
            !part[2]->is(PickleKind::Int) || part[1]->integer < 0 || part[2]->integer < 0)
            return refuse("its part of a storage is not described as PyTorch describes one");
        first = static_cast<std::uint64_t>(part[1]->integer);
        elements = static_cast<std::uint64_t>(part[2]->integer);
    }
    if (__builtin_add_overflow(first, elements, &end) ||
        __builtin_mul_overflow(end, std::uint64_t{id->elementBytes}, &end) || end > available)
        return refuse(fmt::format("it needs {} elements of {} from {} on of storage {}, which has {}", elements,
                                  byteCount(id->elementBytes), first, inQuotes(id->key), byteCount(available)));
    return TorchStorage{id->dtype, stored.data + first * id->elementBytes, elements * id->elementBytes};
}

Result<WeightContent> TorchStreamReader::read()
{
    if (const Status head = readHead(); !head)
        return head.error();
    const auto objects = next(true);
    if (!objects)
        return objects.error();
    collect(**objects);
    const auto keys = next(false);
    if (!keys)
        return keys.error();
    if (const Status placed = place((*keys)->root()); !placed)
        return placed.error();
    const auto find = [this](const std::string& name, const PickleValue& id) { return storage(name, id); };
    return TorchObjects(m_path, find).read((*objects)->root());
}

} // namespace

bool isTorchStream(std::string_view bytes)
{
    constexpr std::size_t kLongestHead = 32; // a protocol and a frame may stand before the number
    return bytes.starts_with('\x80') && bytes.substr(0, kLongestHead).find(kMagic) != std::string_view::npos;
}

Result<WeightContent> readTorchStream(const MappedFile& file, const std::string& path)
{
    return TorchStreamReader(file, path).read();
}

} // namespace peakscope
