// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The readers behind WeightFile and the checks they share. Private to this folder.
#pragma once

#include "core/files/weight_file.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// The product of a shape's sizes; nothing where a size is negative or the product passes 2^63 - 1.
std::optional<std::uint64_t> elementCount(const std::vector<std::int64_t>& shape);

// "[2, 3]".
std::string shapeText(const std::vector<std::int64_t>& shape);

// Entries of a mapped safetensors file. `path` is for messages.
// Format: https://github.com/huggingface/safetensors (8 bytes header length, JSON header, data without gaps).
Result<std::vector<WeightEntry>> readSafetensors(const MappedFile& file, const std::string& path);

struct WeightContent {
    std::vector<WeightEntry> entries;
    std::vector<std::string> notes;  // WeightFile::notes
    std::vector<std::string> beside; // WeightFile::beside
};

// What a mapped PyTorch zip file holds. Storages of a file whose byte order is not this machine's are copied to
// `swapped`.
Result<WeightContent> readTorchFile(const MappedFile& file, const std::string& path,
                                    std::vector<std::unique_ptr<std::byte[]>>& swapped);

// Is this what torch.save wrote before PyTorch 1.6? And what it holds.
bool isTorchStream(std::string_view bytes);
Result<WeightContent> readTorchStream(const MappedFile& file, const std::string& path);

} // namespace peakscope
