// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors of a weight file (safetensors, or what torch.save wrote since 1.6 or before), mapped and not copied. Used
// by the engine's model loader and by `inspect`; reading entries is safe from any thread.
#pragma once

#include "core/base/result.h"
#include "core/files/mapped_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

struct WeightEntry {
    std::string name;
    std::string dtype; // as safetensors writes it: "F64", "F32", "F16", "BF16", "I64", "I32", "U8", "BOOL", ...
    std::vector<std::int64_t> shape;
    const std::byte* data = nullptr;   // the first element; not necessarily aligned to the element's size
    std::size_t bytes = 0;             // from `data` to the end of the last element
    std::vector<std::int64_t> strides; // in elements; empty: contiguous, row by row
};

// Bits of one element, 0 for a name that is not known.
std::size_t bitsPerElement(std::string_view dtype);
// Bytes of one element; 0 also for one that is no whole bytes ("F4").
std::size_t bytesPerElement(std::string_view dtype);

// Does it begin as what torch.save writes, now or before PyTorch 1.6?
bool isPyTorchFile(std::string_view bytes);

class WeightFile
{
public:
    // Opens by content. Everything a header says is checked against the file's size before an entry is made, so that
    // no entry points outside the file. Errors name the file, what is there and what is asked for.
    static Result<std::unique_ptr<WeightFile>> open(const std::filesystem::path& path);

    // In the order of their bytes in the file.
    const std::vector<WeightEntry>& entries() const { return m_entries; }
    // nullptr where there is none.
    const WeightEntry* find(std::string_view name) const;
    // "safetensors", "PyTorch" or "PyTorch before 1.6".
    const std::string& format() const { return m_format; }
    // How the weights were found where the file holds more than them, a sentence each.
    const std::vector<std::string>& notes() const { return m_notes; }
    // What it holds beside them (steps, losses, an optimiser's states), "name: what" each.
    const std::vector<std::string>& beside() const { return m_beside; }

    // Gives back the memory behind an entry that was copied; call it after each tensor, so that loading needs the
    // weights once and not twice.
    void dropPages(const WeightEntry& entry) const { m_file.dropPages(entry.data, entry.bytes); }

private:
    WeightFile() = default;

    MappedFile m_file;
    std::string m_format;
    std::vector<std::string> m_notes;
    std::vector<std::string> m_beside;
    std::vector<WeightEntry> m_entries;
    std::vector<std::unique_ptr<std::byte[]>> m_swapped; // storages of a file with the other byte order
};

// The weight files of a Hugging Face folder, by name: model.safetensors, else the shards of
// model.safetensors.index.json, else pytorch_model.bin, else the shards of pytorch_model.bin.index.json, else the only
// weight file there is. A missing shard is an error that names it.
Result<std::vector<std::filesystem::path>> findWeightFiles(const std::filesystem::path& folder);

// The shard of each tensor, as an index file says.
Result<std::map<std::string, std::string>> readWeightIndex(const std::filesystem::path& index);
// The same of the index that findWeightFiles goes by; empty where the folder has none that can be read.
std::map<std::string, std::string> weightMap(const std::filesystem::path& folder);

} // namespace peakscope
