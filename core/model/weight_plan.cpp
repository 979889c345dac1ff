// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/weight_plan.h"

#include "core/model/family.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

// A tensor's name without what a checkpoint may or may not have before it; the head is called differently by family
// and version of the library that saved it.
std::string bareName(Family family, std::string name)
{
    for (const std::string_view prefix : describe(family).prefixes) {
        if (name.starts_with(prefix))
            name.erase(0, prefix.size());
    }
    const bool head = name == "lm_head.weight" || name == "embed_out.weight" || name == "head.weight";
    return head ? "head.weight" : name;
}

// Masks and tables that older versions of the library stored beside the parameters.
bool isBuffer(std::string_view name)
{
    constexpr std::array<std::string_view, 8> kEnds = {
        ".attn.bias",          ".attn.masked_bias",     ".attention.bias",       ".attention.masked_bias",
        "rotary_emb.inv_freq", "rotary_emb.cos_cached", "rotary_emb.sin_cached", "decoder.version"};
    return name == "version" ||
           std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return name.ends_with(end); });
}

// What wrappers put between the names of modules, at any place; no model has a part of such a name. The first is
// torch.compile's, the others are those of PyTorch's sharding and activation checkpointing.
constexpr std::array<std::string_view, 3> kWrapperParts = {"_orig_mod.", "_fsdp_wrapped_module.",
                                                           "_checkpoint_wrapped_module."};

std::string withoutParts(std::string name, std::set<std::string>& taken)
{
    for (const std::string_view part : kWrapperParts) {
        for (std::size_t at = name.find(part); at != std::string::npos; at = name.find(part, at)) {
            if (at != 0 && name[at - 1] != '.') {
                ++at;
                continue;
            }
            name.erase(at, part.size());
            taken.emplace(part);
        }
    }
    return name;
}

struct NamedTensor {
    std::string name; // without wrappers
    PlannedTensor tensor;
};

class Planner
{
public:
    Planner(const ModelConfig& config, const fs::path& folder)
        : m_config(config), m_folder(folder.string()), m_specs(parameterSpecs(config))
    {}

    Result<WeightPlan> plan();

private:
    Status collect();
    void takePrefixOff();
    std::size_t fitting(std::size_t prefix) const;
    Status byBareName();
    Status assign();
    Status checkTiedHead(const PlannedTensor& head, const PlannedTensor& embedding);
    Error missing(const ParameterSpec& spec) const;
    Status check(const PlannedTensor& tensor, const ParameterSpec& spec) const;
    Status checkType(const PlannedTensor& tensor) const;
    Status refuseLeftovers() const;
    PlannedTensor taken(const std::string& bare);

    const ModelConfig& m_config;
    std::string m_folder;
    std::vector<ParameterSpec> m_specs;
    WeightPlan m_plan;
    std::vector<NamedTensor> m_named;
    std::unordered_map<std::string, PlannedTensor> m_sources; // by bare name
};

// The tensors of all files, buffers left out.
Status Planner::collect()
{
    auto paths = findWeightFiles(m_folder);
    if (!paths)
        return paths.error();
    std::set<std::string> parts;
    for (const fs::path& path : *paths) {
        auto file = WeightFile::open(path);
        if (!file)
            return file.error();
        for (const std::string& note : (*file)->notes())
            m_plan.notes.push_back(path.filename().string() + ": " + note);
        for (const WeightEntry& entry : (*file)->entries()) {
            std::string name = withoutParts(entry.name, parts);
            if (!isBuffer(name))
                m_named.push_back({std::move(name), {file->get(), &entry, path.string()}});
        }
        m_plan.files.push_back(std::move(*file));
    }
    if (!parts.empty())
        m_plan.notes.push_back(fmt::format("the tensors' names hold {}, which a wrapper around the model put there; "
                                           "taken off",
                                           fmt::join(parts, " and ")));
    return Done{};
}

// Tensors that have a place in the model if the first `prefix` characters of every name are left out.
std::size_t Planner::fitting(std::size_t prefix) const
{
    std::unordered_set<std::string> wanted = {"head.weight"};
    for (const ParameterSpec& spec : m_specs)
        wanted.insert(bareName(m_config.family, spec.name));
    return static_cast<std::size_t>(std::count_if(m_named.begin(), m_named.end(), [&](const NamedTensor& named) {
        return wanted.contains(bareName(m_config.family, named.name.substr(prefix)));
    }));
}

// A wrapper is an object that holds the model under some name: module of DistributedDataParallel, base_model.model of
// PEFT, whatever a Lightning module calls it. So the shortest prefix of all names without which most of them fit is
// taken off, if without it more fit than with it.
void Planner::takePrefixOff()
{
    if (m_named.empty())
        return;
    std::string_view shared = m_named.front().name;
    for (const NamedTensor& named : m_named) {
        const auto [end, other] = std::mismatch(shared.begin(), shared.end(), named.name.begin(), named.name.end());
        shared = shared.substr(0, static_cast<std::size_t>(end - shared.begin()));
    }
    std::size_t best = 0, most = fitting(0);
    for (std::size_t dot = shared.find('.'); dot != std::string_view::npos; dot = shared.find('.', dot + 1)) {
        if (const std::size_t fit = fitting(dot + 1); fit > most) {
            best = dot + 1;
            most = fit;
        }
    }
    if (best == 0)
        return;
    m_plan.notes.push_back(fmt::format("all tensors are stored behind {}, which a wrapper around the model put there; "
                                       "taken off",
                                       shared.substr(0, best)));
    for (NamedTensor& named : m_named)
        named.name.erase(0, best);
}

Status Planner::byBareName()
{
    const std::vector<std::string_view>& foreign = describe(m_config.family).foreign;
    std::int64_t left = 0;
    for (NamedTensor& named : m_named) {
        const std::string bare = bareName(m_config.family, named.name);
        if (std::any_of(foreign.begin(), foreign.end(),
                        [&](std::string_view part) { return bare.starts_with(part); })) {
            ++left;
            continue;
        }
        const auto [known, isNew] = m_sources.emplace(bare, named.tensor);
        if (!isNew)
            return badInput(named.tensor.path,
                            fmt::format("tensor {} appears twice (also as {} in {})", named.tensor.entry->name,
                                        known->second.entry->name, known->second.path));
    }
    if (left > 0)
        m_plan.notes.push_back(fmt::format("the text model is read; what sees images is left out, {} of the tensors", left));
    return Done{};
}

PlannedTensor Planner::taken(const std::string& bare)
{
    const auto node = m_sources.extract(bare);
    return node.empty() ? PlannedTensor{} : node.mapped();
}

std::string sizesText(const std::vector<std::int64_t>& shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

Error Planner::missing(const ParameterSpec& spec) const
{
    std::string text = fmt::format("tensor {} {} is missing", spec.name, sizesText(spec.shape));
    const std::string bare = bareName(m_config.family, spec.name);
    for (const auto& [name, shard] : weightMap(m_folder)) {
        if (bareName(m_config.family, name) == bare)
            text += fmt::format(": the index places it in shard {}, which does not hold it", shard);
    }
    if (bare == "head.weight")
        text +=
            "; the head is not tied in config.json. model.tied=true uses the embedding for it (--set model.tied=true)";
    return badInput(m_folder, text);
}

Status Planner::check(const PlannedTensor& tensor, const ParameterSpec& spec) const
{
    const WeightEntry& entry = *tensor.entry;
    if (const Status known = checkType(tensor); !known)
        return known;
    if (entry.shape != spec.shape)
        return badInput(tensor.path, fmt::format("tensor {} has the shape {}, but config.json requires {}", entry.name,
                                                 sizesText(entry.shape), sizesText(spec.shape)));
    return Done{};
}

// Before shapes, which packed elements change.
Status Planner::checkType(const PlannedTensor& tensor) const
{
    const WeightEntry& entry = *tensor.entry;
    if (entry.dtype != "F32" && entry.dtype != "BF16" && entry.dtype != "F16" && entry.dtype != "F64")
        return badInput(tensor.path, fmt::format("tensor {} is stored as {}; F32, BF16, F16 and F64 can be read",
                                                 entry.name, entry.dtype));
    return Done{};
}

// A head that is stored although it is tied must be the embedding, up to rounding: with another matrix the folder's
// config.json is not the one it was trained with.
Status Planner::checkTiedHead(const PlannedTensor& head, const PlannedTensor& embedding)
{
    const auto rounding = roundingBetween(*head.entry, *embedding.entry);
    if (!rounding)
        return badInput(head.path,
                        fmt::format("tensor {} differs from {}, although they are tied (tie_word_embeddings of "
                                    "config.json, or model.tied); model.tied=false takes both (--set model.tied=false)",
                                    head.entry->name, embedding.entry->name));
    if (!rounding->empty())
        m_plan.notes.push_back(fmt::format("{} ({}) is stored beside {} ({}), to which it is tied; they differ by "
                                           "rounding to {} only, and the latter is taken",
                                           head.entry->name, head.entry->dtype, embedding.entry->name,
                                           embedding.entry->dtype, *rounding));
    return Done{};
}

Status Planner::assign()
{
    PlannedTensor head = m_config.tied ? taken("head.weight") : PlannedTensor{};
    const std::string table = std::string(describe(m_config.family).frame.tokens) + ".weight";
    for (const ParameterSpec& spec : m_specs) {
        PlannedTensor tensor = taken(bareName(m_config.family, spec.name));
        if (spec.name == table && head) {
            if (tensor) {
                for (const PlannedTensor* each : {&tensor, &head}) {
                    if (const Status known = checkType(*each); !known)
                        return known;
                }
                if (const Status tied = checkTiedHead(head, tensor); !tied)
                    return tied;
            } else {
                tensor = head;
            }
        }
        if (!tensor)
            return missing(spec);
        if (const Status fits = check(tensor, spec); !fits)
            return fits;
        m_plan.tensors.push_back(tensor);
    }
    return refuseLeftovers();
}

// What is left over belongs to another architecture, or to one with parts that are not computed here.
Status Planner::refuseLeftovers() const
{
    std::set<std::string> names;
    for (const auto& [bare, source] : m_sources)
        names.insert(source.entry->name);
    if (names.empty())
        return Done{};
    const std::string more = names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : "";
    return badInput(m_folder,
                    fmt::format("tensor {}{} does not belong to the model in config.json", *names.begin(), more));
}

Result<WeightPlan> Planner::plan()
{
    if (const Status status = collect(); !status)
        return status.error();
    takePrefixOff();
    if (const Status status = byBareName(); !status)
        return status.error();
    if (const Status status = assign(); !status)
        return status.error();
    return std::move(m_plan);
}

} // namespace

Result<WeightPlan> planWeights(const ModelConfig& config, const fs::path& folder)
{
    return Planner(config, folder).plan();
}

} // namespace peakscope
