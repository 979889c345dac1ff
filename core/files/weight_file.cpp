// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/weight_file.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
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

// What safetensors 0.8 knows, and C128, which only PyTorch's files have.
constexpr std::pair<std::string_view, std::size_t> kElementBits[] = {
    {"F64", 64},        {"F32", 32},        {"F16", 16},    {"BF16", 16},   {"I64", 64},    {"I32", 32},
    {"I16", 16},        {"I8", 8},          {"U64", 64},    {"U32", 32},    {"U16", 16},    {"U8", 8},
    {"BOOL", 8},        {"C64", 64},        {"C128", 128},  {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8},
    {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4},
};

// The name of a format that is recognised and not read; empty for others.
std::string foreignFormat(std::string_view bytes)
{
    if (bytes.starts_with("GGUF"))
        return "a GGUF file";
    if (bytes.starts_with("\x89HDF"))
        return "an HDF5 (TensorFlow) file";
    if (bytes.starts_with("version https://git-lfs"))
        return "a Git LFS pointer and not the weights themselves (fetch them with: git lfs pull)";
    if (bytes.size() > 262 && bytes.substr(257, 5) == "ustar")
        return "a tar file, as PyTorch wrote before 0.1.10";
    return {};
}

} // namespace

std::size_t bitsPerElement(std::string_view dtype)
{
    for (const auto& [name, bits] : kElementBits) {
        if (name == dtype)
            return bits;
    }
    return 0;
}

std::size_t bytesPerElement(std::string_view dtype)
{
    const std::size_t bits = bitsPerElement(dtype);
    return bits % 8 == 0 ? bits / 8 : 0;
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

bool isPyTorchFile(std::string_view bytes)
{
    return bytes.starts_with("PK\x03\x04") || isTorchStream(bytes);
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
    const bool isZip = bytes.starts_with("PK\x03\x04");
    const bool isStream = isTorchStream(bytes);
    const std::string extension = path.extension().string();
    const bool isTorchName = extension == ".bin" || extension == ".pt" || extension == ".pth" || extension == ".ckpt";
    if (!isZip && !isStream && isTorchName)
        return badInput(name,
                        "not a PyTorch file: it begins neither as a zip file nor as what torch.save wrote before 1.6");
    file->m_format = isZip ? "PyTorch" : isStream ? "PyTorch before 1.6" : "safetensors";
    if (!isZip && !isStream) {
        auto entries = readSafetensors(file->m_file, name);
        if (!entries)
            return entries.error();
        file->m_entries = std::move(*entries);
        return file;
    }
    auto content = isZip ? readTorchFile(file->m_file, name, file->m_swapped) : readTorchStream(file->m_file, name);
    if (!content)
        return content.error();
    file->m_entries = std::move(content->entries);
    file->m_notes = std::move(content->notes);
    file->m_beside = std::move(content->beside);
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
    const auto map = readWeightIndex(index);
    if (!map)
        return map.error();
    std::set<std::string> names;
    for (const auto& [tensor, file] : *map)
        names.insert(file);
    std::vector<fs::path> paths;
    for (const std::string& name : names) {
        paths.push_back(index.parent_path() / name);
        if (!isFile(paths.back()))
            return badInput(index.string(), fmt::format("its shard {} is missing ({} of {} shards looked at)",
                                                        inQuotes(name), paths.size(), names.size()));
    }
    return paths;
}

constexpr const char* kWeightNames[] = {"model.safetensors", "pytorch_model.bin"};

fs::path indexOf(const fs::path& folder, const char* name)
{
    return folder / (std::string(name) + ".index.json");
}

// What looks like weights and is not read, for the message where nothing else was found.
std::string foreignWeights(const fs::path& folder)
{
    std::error_code error;
    std::set<std::string> found;
    for (const char* name : kWeightNames) {
        for (const fs::path& path : {folder / name, indexOf(folder, name)}) {
            if (fs::is_directory(path, error))
                return fmt::format("; {} is a folder", inQuotes(path.filename().string()));
        }
    }
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (!isFile(it->path()))
            continue;
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

// What trainers put beside the weights, in files of the same kinds.
bool isBesideWeights(const std::string& name)
{
    for (const std::string_view start :
         {"training_args", "optimizer", "scheduler", "scaler", "rng_state", "random_states", "adapter_model"}) {
        if (name.starts_with(start))
            return true;
    }
    return false;
}

// The only weight file of a folder, whatever it is called (ckpt.pt, last.ckpt); empty where there is another number.
fs::path onlyWeightFile(const fs::path& folder)
{
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string extension = it->path().extension().string();
        for (const std::string_view known : {".pt", ".pth", ".ckpt", ".safetensors", ".bin"}) {
            if (extension == known && isFile(it->path()) && !isBesideWeights(it->path().filename().string()))
                found.push_back(it->path());
        }
    }
    return found.size() == 1 ? found.front() : fs::path();
}

} // namespace

Result<std::map<std::string, std::string>> readWeightIndex(const fs::path& index)
{
    const auto text = readTextFile(index, kLargestIndex);
    if (!text)
        return text.error();
    const auto document = parseJson(*text, index.string());
    if (!document)
        return document.error();
    const auto map = document->is_object() ? document->find("weight_map") : document->end();
    if (map == document->end() || !map->is_object() || map->empty())
        return badInput(index.string(), "no JSON object with a \"weight_map\" from tensor names to files");
    std::map<std::string, std::string> shards;
    for (const auto& [tensor, file] : map->items()) {
        const std::string name = file.is_string() ? file.get<std::string>() : std::string();
        // A shard lies beside its index: a name that leads elsewhere is not followed.
        if (name.empty() || name.find('\0') != std::string::npos || fs::path(name).filename() != name || name == "..")
            return badInput(
                index.string(),
                fmt::format("weight_map: {} is given for tensor {}; the name of a file in this "
                            "folder is needed",
                            file.is_string() ? inQuotes(file.get_ref<const std::string&>()) : shortText(file),
                            inQuotes(tensor)));
        shards[tensor] = name;
    }
    return shards;
}

std::map<std::string, std::string> weightMap(const fs::path& folder)
{
    for (const char* name : kWeightNames) {
        if (isFile(folder / name))
            return {};
        if (isFile(indexOf(folder, name))) {
            auto map = readWeightIndex(indexOf(folder, name));
            return map ? std::move(*map) : std::map<std::string, std::string>();
        }
    }
    return {};
}

Result<std::vector<fs::path>> findWeightFiles(const fs::path& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return badInput(folder.string(), fs::exists(folder, error) ? "not a folder" : "no such folder");
    for (const char* name : kWeightNames) {
        if (isFile(folder / name))
            return std::vector<fs::path>{folder / name};
        if (isFile(indexOf(folder, name)))
            return shardsOf(indexOf(folder, name));
    }
    if (fs::path only = onlyWeightFile(folder); !only.empty())
        return std::vector<fs::path>{std::move(only)};
    return badInput(folder.string(),
                    "no weights: model.safetensors, pytorch_model.bin or the .index.json of one's shards is "
                    "needed (or weights=random)" +
                        foreignWeights(folder));
}

} // namespace peakscope
