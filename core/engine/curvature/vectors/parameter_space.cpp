// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/vectors/parameter_space.h"

#include "core/base/words.h"
#include "core/engine/sharding/parameter_shards.h"
#include "core/planning/inputs/parameter_choice.h"
#include "core/text/random_bits.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace peakscope {
namespace {

constexpr const char* kParameters = "curvature.parameters.";

Error unknownParameter(Model& model, const std::string& key, const std::string& given)
{
    std::vector<std::string> names;
    for (const Parameter& parameter : model.parameters())
        names.push_back(parameter.spec.name);
    if (std::find(names.begin(), names.end(), given) != names.end())
        return badInput(key, "\"" + given + "\" is frozen: with adapters, theirs are the trained parameters");
    const std::string near = nearestWord(given, names);
    return badInput(key, "the model has no parameter \"" + given + "\"" +
                             (near.empty() ? "; its first is " + names.front() : "; did you mean " + near + "?"));
}

std::uint64_t nameSeed(std::uint64_t seed, const std::string& name)
{
    for (const char character : name)
        seed = RandomBits::mix(seed ^ static_cast<unsigned char>(character));
    return seed;
}

} // namespace

std::vector<std::int64_t> apportion(const std::vector<std::int64_t>& sizes, std::int64_t count)
{
    std::vector<std::int64_t> shares(sizes.size(), 0);
    const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    count = std::min(count, total);
    // Seats that every divisor up to the final one hands out anyway; the queue decides the last few of each stratum.
    std::int64_t given = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double quota = static_cast<double>(count) * static_cast<double>(sizes[i]) / static_cast<double>(total);
        const double slack = 1 + static_cast<double>(sizes.size());
        shares[i] = std::max<std::int64_t>(0, static_cast<std::int64_t>(quota - slack));
        given += shares[i];
    }
    const auto claim = [&](std::size_t i) {
        return static_cast<double>(sizes[i]) / (2 * static_cast<double>(shares[i]) + 1);
    };
    std::priority_queue<std::pair<double, std::size_t>> claims; // ties: the later stratum first, always alike
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (shares[i] < sizes[i])
            claims.emplace(claim(i), i);
    }
    for (; given < count; ++given) {
        const std::size_t next = claims.top().second;
        claims.pop();
        if (++shares[next] < sizes[next])
            claims.emplace(claim(next), next);
    }
    return shares;
}

Result<ParameterSpace> ParameterSpace::create(Model& model, const CurvatureOptions& options, std::uint64_t seed)
{
    ParameterSpace space(model);
    space.m_adapterScale = options.adapterScale;
    if (Status chosen = space.chooseTensors(options); !chosen)
        return chosen.error();
    if (Status chosen = space.chooseEntries(options, seed); !chosen)
        return chosen.error();
    return space;
}

Status ParameterSpace::chooseTensors(const CurvatureOptions& options)
{
    const bool byName = options.select == EntrySelection::Names;
    const std::vector<Parameter>& parameters = m_model->parameters();
    const bool adapted = std::any_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
        return parameter.spec.kind == ModuleKind::Lora;
    });
    std::vector<bool> chosen(parameters.size(), false);
    for (std::size_t i = 0; !byName && i < parameters.size(); ++i)
        chosen[i] = !adapted || parameters[i].spec.kind == ModuleKind::Lora;
    for (std::size_t n = 0; byName && n < options.names.size(); ++n) {
        const std::string& given = options.names[n];
        bool found = false;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const std::string& own = parameters[i].spec.name;
            if (choosesParameter(given, own, m_model->config()))
                chosen[i] = found = true;
        }
        if (!found)
            return unknownParameter(*m_model, kParameters + ("names." + std::to_string(n)), given);
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!chosen[i]) {
            m_restricted = m_restricted || !adapted || parameters[i].spec.kind == ModuleKind::Lora;
            continue;
        }
        const std::int64_t count = parameters[i].spec.count();
        m_tensors.push_back({i, parameters[i].spec, m_size, count});
        m_size += count;
    }
    return Done{};
}

Status ParameterSpace::chooseEntries(const CurvatureOptions& options, std::uint64_t seed)
{
    if (options.select == EntrySelection::Entries)
        return listEntries(options.entries);
    if (options.select == EntrySelection::Sample) {
        sampleEntries(std::min(options.sampleOf(m_size), m_size), options.method == ProductMethod::Row, seed);
        return Done{};
    }
    for (std::size_t i = 0; i < m_tensors.size(); ++i)
        m_wanted.push_back({i, true, {}, m_tensors[i].count});
    return Done{};
}

Status ParameterSpace::listEntries(const std::vector<EntryChoice>& entries)
{
    std::map<std::size_t, std::vector<std::int64_t>> byTensor;
    for (std::size_t n = 0; n < entries.size(); ++n) {
        const std::string key = kParameters + ("entries." + std::to_string(n));
        const auto tensor = std::find_if(m_tensors.begin(), m_tensors.end(), [&](const SpaceTensor& one) {
            return namesParameter(entries[n].parameter, one.spec.name, m_model->config());
        });
        if (tensor == m_tensors.end())
            return unknownParameter(*m_model, key + ".parameter", entries[n].parameter);
        if (entries[n].index >= tensor->count) {
            return badInput(key + ".index", std::to_string(entries[n].index) + " is beyond the " +
                                                std::to_string(tensor->count) + " entries of " + tensor->spec.name);
        }
        byTensor[static_cast<std::size_t>(tensor - m_tensors.begin())].push_back(entries[n].index);
    }
    for (auto& [tensor, indices] : byTensor) {
        std::sort(indices.begin(), indices.end());
        indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
        const auto count = static_cast<std::int64_t>(indices.size());
        m_wanted.push_back({tensor, false, std::move(indices), count});
    }
    return Done{};
}

// Strata are the tensors; within one, the first positions of a seeded permutation, so that a larger count draws these
// same entries and more. Whole rows where the row method is asked for: a row of T products gives all its entries.
void ParameterSpace::sampleEntries(std::int64_t count, bool wholeRows, std::uint64_t seed)
{
    std::vector<std::int64_t> sizes;
    for (const SpaceTensor& tensor : m_tensors)
        sizes.push_back(tensor.count);
    const std::vector<std::int64_t> shares = apportion(sizes, count);
    std::int64_t carried = 0; // entries that did not fill a row of an earlier tensor
    std::size_t lastMatrix = m_tensors.size();
    for (std::size_t i = 0; wholeRows && i < m_tensors.size(); ++i) {
        if (m_tensors[i].spec.shape.size() == 2)
            lastMatrix = i;
    }
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        const SpaceTensor& tensor = m_tensors[i];
        const bool matrix = wholeRows && tensor.spec.shape.size() == 2;
        // A row is what one output unit has, which GPT-2 stores as a column.
        const bool transposed = matrix && tensor.spec.transposed;
        const std::int64_t width = !matrix ? 1 : tensor.spec.shape[transposed ? 0 : 1];
        const std::int64_t units = tensor.count / width;
        // Vectors keep to their own share: what they took over would be found entry by entry.
        const std::int64_t given = width > 1 ? shares[i] + std::exchange(carried, 0) : shares[i];
        std::int64_t draws = std::min(given / width, units);
        if (i == lastMatrix && draws < units && given > draws * width)
            ++draws; // rather a row too many than entries too few
        if (width > 1)
            carried = std::max<std::int64_t>(0, given - draws * width);
        if (draws == 0)
            continue;
        const std::uint64_t own = nameSeed(seed, tensor.spec.name);
        WantedEntries wanted{i, false, {}, 0};
        for (std::int64_t draw = 0; draw < draws; ++draw) {
            const auto unit = static_cast<std::int64_t>(
                shuffledIndex(static_cast<std::uint64_t>(draw), static_cast<std::uint64_t>(units), own));
            for (std::int64_t j = 0; j < width; ++j)
                wanted.indices.push_back(transposed ? j * units + unit : unit * width + j);
        }
        std::sort(wanted.indices.begin(), wanted.indices.end());
        wanted.count = static_cast<std::int64_t>(wanted.indices.size());
        wanted.all = wanted.count == tensor.count;
        m_wanted.push_back(std::move(wanted));
    }
}

std::int64_t ParameterSpace::wantedCount() const
{
    std::int64_t count = 0;
    for (const WantedEntries& wanted : m_wanted)
        count += wanted.count;
    return count;
}

std::vector<at::Tensor> ParameterSpace::weights() const
{
    std::vector<at::Tensor> tensors;
    for (const SpaceTensor& tensor : m_tensors)
        tensors.push_back(m_model->parameters()[tensor.parameter].tensor);
    return tensors;
}

at::Tensor ParameterSpace::vector() const
{
    const at::Tensor& any = m_model->parameters().front().tensor;
    const std::int64_t numbers = m_layout.whole() ? m_size : m_layout.held();
    at::Tensor flat = at::zeros({numbers}, at::TensorOptions(any.device()).dtype(any.scalar_type()));
    tagStorage(flat, Component::Hessian);
    return flat;
}

void ParameterSpace::cutLike(const ParameterShards& shards)
{
    std::vector<VectorLayout::Row> rows;
    const std::int64_t ranks = shards.communicator().size();
    for (const ShardRow& cut : shards.trainedRows()) {
        VectorLayout::Row row{cut.group->unit, 0, 0, 0, {}};
        std::int64_t packed = 0; // a unit may have few of its tensors in the space
        for (const ParameterSpec& spec : cut.group->parameters) {
            const auto own = std::find_if(m_tensors.begin(), m_tensors.end(),
                                          [&](const SpaceTensor& tensor) { return tensor.spec.name == spec.name; });
            if (own == m_tensors.end())
                continue;
            row.members.push_back({own->offset, packed, own->count});
            packed += own->count;
        }
        row.share = (packed + ranks - 1) / ranks;
        row.padded = row.share * ranks;
        if (packed > 0)
            rows.push_back(std::move(row));
    }
    m_layout = VectorLayout(shards.communicator(), std::move(rows));
}

const SpaceTensor& ParameterSpace::tensorAt(std::int64_t position) const
{
    const auto next = std::upper_bound(m_tensors.begin(), m_tensors.end(), position,
                                       [](std::int64_t at, const SpaceTensor& tensor) { return at < tensor.offset; });
    return *std::prev(next);
}

std::vector<at::Tensor> ParameterSpace::views(const at::Tensor& flat) const
{
    const bool several = flat.dim() == 2;
    std::vector<at::Tensor> parts;
    for (const SpaceTensor& tensor : m_tensors) {
        std::vector<std::int64_t> shape = tensor.spec.shape;
        if (several)
            shape.insert(shape.begin(), flat.size(0));
        parts.push_back(flat.narrow(several ? 1 : 0, tensor.offset, tensor.count).view(shape));
    }
    return parts;
}

} // namespace peakscope
