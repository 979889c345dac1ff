// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/weight_file.h"

#include "core/base/file.h"
#include "core/base/json_access.h"
#include "core/files/message_text.h"
#include "core/files/weight_readers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace peakscope {

namespace fs = std::filesystem;

namespace {

constexpr std::pair<std::string_view, std::size_t> kElementBytes[] = {
    {"F64", 8},  {"F32", 4}, {"F16", 2},   {"BF16", 2},    {"I64", 8},     {"I32", 4},
    {"I16", 2},  {"I8", 1},  {"U64", 8},   {"U32", 4},     {"U16", 2},     {"U8", 1},
    {"BOOL", 1}, {"C64", 8}, {"C128", 16}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1},
};

// What torch.save wrote before PyTorch 1.6: bare pickles, or a tar file.
bool isLegacyTorch(std::string_view bytes)
{
    return bytes.starts_with("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") ||
           (bytes.size() > 262 && bytes.substr(257, 5) == "ustar");
}

// The name of a format that is recognised and not read; empty for others.
std::string foreignFormat(std::string_view bytes)
{
    if (bytes.starts_with("GGUF"))
        return "a GGUF file";
    if (bytes.starts_with("\x89HDF"))
        return "an HDF5 (TensorFlow) file";
    if (bytes.starts_with("version https://git-lfs"))
        return "a Git LFS pointer and not the weights themselves (fetch them with: git lfs pull)";
    return {};
}

} // namespace

std::size_t bytesPerElement(std::string_view dtype)
{
    for (const auto& [name, bytes] : kElementBytes) {
        if (name == dtype)
            return bytes;
    }
    return 0;
}

std::optional<std::uint64_t> elementCount(const std::vector<std::int64_t>& shape)
{
    std::int64_t product = 1;
    bool empty = false;
    for (const std::int64_t size : shape) {
        if (size < 0)
            return std::nullopt;
        if (size == 0)
            empty = true;
        else if (__builtin_mul_overflow(product, size, &product))
            return std::nullopt;
    }
    return empty ? 0 : static_cast<std::uint64_t>(product);
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

Result<std::unique_ptr<WeightFile>> WeightFile::open(const fs::path& path)
{
    auto mapped = MappedFile::open(path);
    if (!mapped)
        return mapped.error();
    std::unique_ptr<WeightFile> file(new WeightFile);
    file->m_file = std::move(*mapped);
    const std::string name = path.string();
    const std::string_view bytes = file->m_file.view();
    if (const std::string foreign = foreignFormat(bytes); !foreign.empty())
        return badInput(name, foreign + "; safetensors and PyTorch files are read");
    if (isLegacyTorch(bytes))
        return badInput(name,
                        "in PyTorch's format from before 1.6, which is not read; load and save it once with a newer "
                        "PyTorch: torch.save(torch.load(PATH, weights_only=True), PATH)");
    const bool isZip = bytes.starts_with("PK\x03\x04");
    const std::string extension = path.extension().string();
    const bool isTorchName = extension == ".bin" || extension == ".pt" || extension == ".pth";
    if (!isZip && isTorchName)
        return badInput(name, "not a PyTorch file: it does not begin as a zip file");
    file->m_format = isZip ? "PyTorch" : "safetensors";
    auto entries = isZip ? readTorchFile(file->m_file, name, file->m_swapped) : readSafetensors(file->m_file, name);
    if (!entries)
        return entries.error();
    file->m_entries = std::move(*entries);
    return file;
}

const WeightEntry* WeightFile::find(std::string_view name) const
{
    const auto found =
        std::find_if(m_entries.begin(), m_entries.end(), [&](const WeightEntry& entry) { return entry.name == name; });
    return found == m_entries.end() ? nullptr : &*found;
}

namespace {

bool isFile(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

constexpr std::int64_t kLargestIndex = std::int64_t{64} << 20; // bytes: half a million tensors

// The distinct files of an index's weight_map, each of which must be there.
Result<std::vector<fs::path>> shardsOf(const fs::path& index)
{
    const auto text = readTextFile(index, kLargestIndex);
    if (!text)
        return text.error();
    const auto document = parseJson(*text, index.string());
    if (!document)
        return document.error();
    const auto map = document->find("weight_map");
    if (map == document->end() || !map->is_object() || map->empty())
        return badInput(index.string(), "no JSON object with a \"weight_map\" from tensor names to files");
    std::set<std::string> names;
    for (const auto& [tensor, file] : map->items()) {
        const std::string name = file.is_string() ? file.get<std::string>() : std::string();
        // A shard lies beside its index: a name that leads elsewhere is not followed.
        if (name.empty() || name.find('\0') != std::string::npos || fs::path(name).filename() != name || name == "..")
            return badInput(index.string(),
                            fmt::format("weight_map: {} is given for tensor {}; the name of a file in this "
                                        "folder is needed",
                                        inQuotes(file.dump(-1, ' ', true)), inQuotes(tensor)));
        names.insert(name);
    }
    std::vector<fs::path> paths;
    for (const std::string& name : names) {
        paths.push_back(index.parent_path() / name);
        if (!isFile(paths.back()))
            return badInput(index.string(), fmt::format("its shard {} is missing ({} of {} shards looked at)",
                                                        inQuotes(name), paths.size(), names.size()));
    }
    return paths;
}

// Weights in formats that are not read, for the message where nothing else was found.
std::string foreignWeights(const fs::path& folder)
{
    std::error_code error;
    std::set<std::string> found;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string extension = it->path().extension().string();
        for (const std::string_view known :
             {".h5", ".msgpack", ".gguf", ".pth", ".pt", ".onnx", ".ckpt", ".safetensors", ".bin"}) {
            if (extension == known)
                found.insert(it->path().filename().string());
        }
    }
    return found.empty() ? std::string()
                         : fmt::format("; it has {}", inQuotes(fmt::format("{}", fmt::join(found, ", "))));
}

} // namespace

Result<std::vector<fs::path>> findWeightFiles(const fs::path& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return badInput(folder.string(), fs::exists(folder, error) ? "not a folder" : "no such folder");
    for (const char* name : {"model.safetensors", "pytorch_model.bin"}) {
        if (isFile(folder / name))
            return std::vector<fs::path>{folder / name};
        const fs::path index = folder / (std::string(name) + ".index.json");
        if (isFile(index))
            return shardsOf(index);
    }
    return badInput(folder.string(),
                    "no weights: model.safetensors, pytorch_model.bin or the .index.json of one's shards is "
                    "needed" +
                        foreignWeights(folder));
}

} // namespace peakscope
