// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Loading of Hugging Face folders: every tensor of the files is given its parameter before the first byte is copied, so
// that a folder of another architecture is refused at once.
#include "core/engine/model/model.h"
#include "core/files/weight_file.h"
#include "core/model/family.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <unordered_map>

namespace peakscope {
namespace {

constexpr std::int64_t kPieceElements = std::int64_t{1}
                                        << 22; // copied at a time; bounds what a conversion needs beside it

// A tensor of a file and where it is.
struct Source {
    const WeightFile* file = nullptr;
    const WeightEntry* entry = nullptr;
    std::string path;

    explicit operator bool() const { return entry != nullptr; }
};

struct Copy {
    Source source;
    Parameter* parameter = nullptr;
};

// Which tensor goes where; complete before anything is copied.
struct LoadPlan {
    std::vector<std::unique_ptr<WeightFile>> files;
    std::vector<Copy> copies;
    Source tiedHead;  // a head stored beside the embedding it is tied to
    Source embedding; // that embedding
};

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

std::optional<at::ScalarType> scalarType(const std::string& dtype)
{
    if (dtype == "F32")
        return at::kFloat;
    if (dtype == "BF16")
        return at::kBFloat16;
    if (dtype == "F16")
        return at::kHalf;
    if (dtype == "F64")
        return at::kDouble;
    return std::nullopt;
}

void strip(std::string& name, std::string_view prefix)
{
    if (name.compare(0, prefix.size(), prefix) == 0)
        name.erase(0, prefix.size());
}

// A tensor's name without what a checkpoint may or may not have before it; the head is called differently by family
// and version of the library that saved it.
std::string bareName(Family family, std::string name)
{
    for (const std::string_view prefix : describe(family).prefixes)
        strip(name, prefix);
    const bool head = name == "lm_head.weight" || name == "embed_out.weight" || name == "head.weight";
    return head ? "head.weight" : name;
}

bool endsWith(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Masks and tables that older versions of the library stored beside the parameters.
bool isBuffer(std::string_view name)
{
    constexpr std::array<std::string_view, 8> kEnds = {
        ".attn.bias",          ".attn.masked_bias",     ".attention.bias",       ".attention.masked_bias",
        "rotary_emb.inv_freq", "rotary_emb.cos_cached", "rotary_emb.sin_cached", "decoder.version"};
    return name == "version" ||
           std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return endsWith(name, end); });
}

// The tensors of all files by bare name; buffers are left out.
Result<std::unordered_map<std::string, Source>> collect(LoadPlan& plan, Family family, const std::string& folder)
{
    auto paths = findWeightFiles(folder);
    if (!paths)
        return paths.error();
    std::unordered_map<std::string, Source> sources;
    for (const std::filesystem::path& path : *paths) {
        auto file = WeightFile::open(path);
        if (!file)
            return file.error();
        for (const WeightEntry& entry : (*file)->entries()) {
            if (isBuffer(entry.name))
                continue;
            const auto [known, isNew] =
                sources.emplace(bareName(family, entry.name), Source{file->get(), &entry, path.string()});
            if (!isNew) {
                return badInput(path.string(), "tensor " + entry.name + " is there twice (also as " +
                                                   known->second.entry->name + " in " + known->second.path + ")");
            }
        }
        plan.files.push_back(std::move(*file));
    }
    return sources;
}

Status checkEntry(const Source& source, const ParameterSpec& spec)
{
    if (source.entry->shape != spec.shape) {
        return badInput(source.path, "tensor " + source.entry->name + " has the shape " +
                                         shapeText(source.entry->shape) + ", config.json asks for " +
                                         shapeText(spec.shape));
    }
    if (!scalarType(source.entry->dtype)) {
        return badInput(source.path, "tensor " + source.entry->name + " is stored as " + source.entry->dtype +
                                         "; F32, BF16, F16 and F64 can be read");
    }
    return Done{};
}

// What is left over belongs to another architecture, or to one with parts that are not computed here.
Status refuseLeftovers(const std::unordered_map<std::string, Source>& sources, const std::string& folder)
{
    std::set<std::string> names;
    for (const auto& [bare, source] : sources)
        names.insert(source.entry->name);
    if (names.empty())
        return Done{};
    const std::string more = names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "";
    return badInput(folder,
                    "tensor " + *names.begin() + more + " has no place in the model that config.json describes");
}

Status assign(LoadPlan& plan, Model& model, std::unordered_map<std::string, Source> sources, const std::string& folder)
{
    const Family family = model.config().family;
    const auto taken = [&](const std::string& bare) {
        const auto node = sources.extract(bare);
        return node.empty() ? Source{} : node.mapped();
    };
    if (model.config().tied)
        plan.tiedHead = taken("head.weight");
    for (Parameter& parameter : model.parameters()) {
        Source source = taken(bareName(family, parameter.spec.name));
        const bool isTied = model.config().tied && parameter.tensor.is_same(model.headWeight());
        if (isTied && source)
            plan.embedding = source;
        else if (isTied && plan.tiedHead)
            source = std::exchange(plan.tiedHead, Source{});
        if (!source) {
            const bool head = bareName(family, parameter.spec.name) == "head.weight";
            return badInput(folder, "tensor " + parameter.spec.name + " " + shapeText(parameter.spec.shape) +
                                        " is missing" + (head ? "; config.json says that the head is not tied" : ""));
        }
        if (Status status = checkEntry(source, parameter.spec); !status)
            return status;
        plan.copies.push_back({source, &parameter});
    }
    return refuseLeftovers(sources, folder);
}

// The tensor over the mapped bytes; nothing is copied but where they are not aligned, which `buffer` then holds.
at::Tensor mapped(const WeightEntry& entry, std::vector<std::byte>& buffer)
{
    const std::byte* data = entry.data;
    const std::size_t element = bytesPerElement(entry.dtype);
    if (reinterpret_cast<std::uintptr_t>(data) % element != 0) {
        buffer.assign(data, data + entry.bytes);
        data = buffer.data();
    }
    const at::TensorOptions options(*scalarType(entry.dtype));
    void* memory = const_cast<std::byte*>(data); // only ever read
    return entry.strides.empty() ? at::from_blob(memory, entry.shape, options)
                                 : at::from_blob(memory, entry.shape, entry.strides, options);
}

// In pieces along the first dimension: what a device needs for the conversion of a piece stays small.
void copyInto(const at::Tensor& target, const WeightEntry& entry)
{
    std::vector<std::byte> buffer;
    const at::Tensor source = mapped(entry, buffer);
    if (target.dim() == 0 || target.numel() == 0) {
        target.copy_(source);
        return;
    }
    const std::int64_t lines = target.size(0);
    const std::int64_t step =
        std::max<std::int64_t>(1, kPieceElements / std::max<std::int64_t>(1, target.numel() / lines));
    for (std::int64_t begin = 0; begin < lines; begin += step) {
        const std::int64_t count = std::min(step, lines - begin);
        target.narrow(0, begin, count).copy_(source.narrow(0, begin, count));
    }
}

// A head that is stored although it is tied must be the embedding: with another matrix the folder's config.json is not
// the one it was trained with.
Status checkTiedHead(const LoadPlan& plan)
{
    if (!plan.tiedHead)
        return Done{};
    const WeightEntry& head = *plan.tiedHead.entry;
    const WeightEntry& embedding = *plan.embedding.entry;
    bool same = head.shape == embedding.shape && scalarType(head.dtype).has_value();
    if (same && head.data != embedding.data) {
        std::vector<std::byte> headBuffer, embeddingBuffer;
        const at::Tensor a = mapped(head, headBuffer);
        const at::Tensor b = mapped(embedding, embeddingBuffer);
        const std::int64_t step = std::max<std::int64_t>(1, kPieceElements / std::max<std::int64_t>(1, a.size(1)));
        for (std::int64_t begin = 0; same && begin < a.size(0); begin += step) {
            const std::int64_t count = std::min(step, a.size(0) - begin);
            const at::Tensor part = a.narrow(0, begin, count);
            same = at::equal(part, b.narrow(0, begin, count).to(part.scalar_type()));
        }
    }
    if (same)
        return Done{};
    return badInput(plan.tiedHead.path, "tensor " + head.name + " differs from " + embedding.name +
                                            ", although config.json says that they are tied (tie_word_embeddings)");
}

} // namespace

Status loadWeights(Model& model, const std::string& folder)
{
    const at::NoGradGuard guard;
    LoadPlan plan;
    auto sources = collect(plan, model.config().family, folder);
    if (!sources)
        return sources.error();
    if (Status status = assign(plan, model, std::move(*sources), folder); !status)
        return status;
    if (Status status = checkTiedHead(plan); !status)
        return status;
    // In the files' order, so that reading runs forward.
    std::stable_sort(plan.copies.begin(), plan.copies.end(), [](const Copy& a, const Copy& b) {
        return a.source.path != b.source.path ? a.source.path < b.source.path
                                              : a.source.entry->data < b.source.entry->data;
    });
    ParameterPlacement* placement = model.placement();
    for (const Copy& copy : plan.copies) {
        const at::Tensor target = placement ? placement->open(*copy.parameter) : copy.parameter->tensor;
        copyInto(target, *copy.source.entry);
        if (placement)
            placement->close(*copy.parameter, target);
        copy.source.file->dropPages(*copy.source.entry);
    }
    return Done{};
}

} // namespace peakscope
