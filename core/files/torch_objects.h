// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the two forms of torch.save have in common: the objects in the pickle. Where a storage's bytes are, each form
// says itself. Private to this folder.
#pragma once

#include "core/files/pickle.h"
#include "core/files/weight_readers.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace peakscope {

// A persistent id ('storage', torch.FloatStorage, key, location, elements[, view]).
struct TorchStorageId {
    std::string_view dtype; // empty: untyped
    std::string key;
    std::uint64_t elements = 0;
    std::size_t elementBytes = 1;
    const PickleValue* view = nullptr; // (key, first element, elements) of a part, before PyTorch 1.6 only
};
std::optional<TorchStorageId> torchStorageId(const PickleValue& value);

// The element type of torch.FloatStorage and the like, empty for an untyped one; nothing for other names.
std::optional<std::string_view> torchStorageType(std::string_view global);

struct TorchStorage {
    std::string_view dtype; // empty: untyped
    const std::byte* data = nullptr;
    std::uint64_t bytes = 0;
};

class TorchObjects
{
public:
    // `storage` gives the bytes of a persistent id, all inside the file; its first argument is the tensor's name.
    using FindStorage = std::function<Result<TorchStorage>(const std::string&, const PickleValue&)>;
    TorchObjects(const std::string& path, FindStorage storage) : m_path(path), m_storage(std::move(storage)) {}

    // The tensors of a state dict, or of a checkpoint of training that holds one.
    Result<WeightContent> read(const PickleValue& root);
    Error bad(const std::string& name, const std::string& reason) const;

private:
    void noteBeside(const PickleValue& dictionary, const PickleValue* inner);
    bool isStateDict(const PickleValue& value);
    bool holdsStateDict(const PickleValue& value);
    Result<const PickleValue*> inside(const PickleValue& dictionary);
    Result<const PickleValue*> stateDict(const PickleValue& root);
    Result<WeightEntry> tensor(const std::string& name, const PickleValue& value);

    const std::string& m_path;
    FindStorage m_storage;
    std::unordered_map<const PickleValue*, bool> m_isStateDict;
    WeightContent m_content;
};

} // namespace peakscope
