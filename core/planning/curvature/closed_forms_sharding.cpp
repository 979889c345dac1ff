// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ZeRO (Rajbhandari et al. 2020, section 5): optimiser states (1), gradients too (2), parameters too (3) in flat
// shards, a shard of every unit (a layer, the embedding, the head) on each of N devices, padded to whole elements.
#include "core/planning/curvature/closed_forms.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

// Gradients are summed over devices in buckets of this size (DistributedDataParallel's bucket_cap_mb).
constexpr std::int64_t kBucketBytes = std::int64_t{25} << 20;

std::int64_t shareOf(std::int64_t elements, std::int64_t devices)
{
    return (elements + devices - 1) / devices;
}

// One device's elements, each unit padded to a multiple of N.
std::int64_t shardElements(const FormParts& p, std::int64_t devices)
{
    std::int64_t elements = shareOf(p.allOfEmbedding, devices) + shareOf(p.allOfHead, devices);
    for (const FormLayers& each : p.layers)
        elements += each.count * shareOf(each.all, devices);
    return elements;
}

// `bytes` that all parameters (or all trained ones) have together, as one device's share of them.
std::int64_t shardBytes(std::int64_t bytes, std::int64_t elements, std::int64_t shard)
{
    const std::int64_t each = bytes / std::max<std::int64_t>(1, elements);
    const auto rest = static_cast<long double>(bytes - each * elements);
    return each * shard + static_cast<std::int64_t>(rest * shard / std::max<std::int64_t>(1, elements));
}

bool computes(Phase phase)
{
    return phase != Phase::Load && phase != Phase::Data && phase != Phase::Wrap && phase != Phase::OptimizerSetup;
}

class Sharder
{
public:
    Sharder(const FormContext& c, Sharding stage, std::int64_t devices)
        : m_context(c), m_stage(stage), m_all(c.parts.all()), m_shard(shardElements(c.parts, devices))
    {}

    void apply(FormMoment& moment) const
    {
        divide(moment, Component::OptimizerStates, m_stage != Sharding::None);
        const bool gradients = m_stage == Sharding::Zero2 || m_stage == Sharding::Zero3;
        divide(moment, Component::Gradients, gradients);
        divide(moment, Component::Parameters, m_stage == Sharding::Zero3);
        if (m_stage == Sharding::Zero3) {
            const std::int64_t share = shardBytes(moment.vectorBytes, m_all, m_shard);
            moment[Component::Hessian] -= moment.vectorBytes - share;
            moment.vectorBytes = share;
        }
        moment[Component::Communication] += communication(moment.phase);
    }

private:
    void divide(FormMoment& moment, Component component, bool wanted) const
    {
        if (wanted) {
            moment[component] = shardBytes(moment[component], m_all, m_shard);
        }
    }

    std::int64_t communication(Phase phase) const
    {
        const std::int64_t unit = m_context.parts.largestUnit() * m_context.parameterBytes;
        const std::int64_t trained = m_context.trainedBytes();
        const bool backward = phase == Phase::Backward;
        switch (m_stage) {
        case Sharding::None:
            return 0;
        case Sharding::Zero1:
            return backward || phase == Phase::OptimizerStep ? std::min(kBucketBytes, trained) : 0;
        case Sharding::Zero2:
            // A unit's whole gradient waits in the bucket that is scattered; parameters are gathered in place.
            return backward ? std::min(std::max(kBucketBytes, trainedUnitBytes()), trained)
                            : (phase == Phase::OptimizerStep ? std::min(kBucketBytes, trained) : 0);
        case Sharding::Zero3:
        case Sharding::Fsdp: // which curvature refuses
            // The unit at work and the next layer, gathered ahead; in backward also the unit's gradient.
            return !computes(phase) || phase == Phase::OptimizerStep
                       ? 0
                       : unit + nextLayerBytes() + (backward ? trainedUnitBytes() : 0);
        }
        return 0;
    }

    std::int64_t nextLayerBytes() const
    {
        return m_context.parts.layerCount() > 1 ? m_context.parts.largestLayer() * m_context.parameterBytes : 0;
    }

    std::int64_t trainedUnitBytes() const
    {
        const FormParts& p = m_context.parts;
        const bool adapters = p.trained < m_all;
        return (adapters ? p.mostTrainedOfLayer() : p.largestUnit()) * m_context.parameterBytes;
    }

    const FormContext& m_context;
    Sharding m_stage;
    std::int64_t m_all;
    std::int64_t m_shard;
};

} // namespace

void shardMoments(const FormContext& context, Sharding stage, std::int64_t devices, std::vector<FormMoment>& moments,
                  std::vector<std::string>& notes)
{
    if (stage == Sharding::None) {
        return;
    }
    const Sharder sharder(context, stage, devices);
    for (FormMoment& moment : moments) {
        sharder.apply(moment);
    }
    if (stage == Sharding::Zero3) {
        // Sharding a unit needs it whole once, beside the shards of those before it.
        FormMoment wrap = context.resident;
        wrap.phase = Phase::Wrap;
        wrap.what = "the sharding of the last unit";
        wrap[Component::OptimizerStates] = wrap[Component::Inputs] = 0;
        sharder.apply(wrap);
        wrap[Component::Communication] = context.parts.largestUnit() * context.parameterBytes;
        moments.push_back(std::move(wrap));
    }
    if (devices == 1) {
        notes.push_back(fmt::format("{} over one rank divides nothing; its buffers are all it adds.", name(stage)));
    }
}

} // namespace peakscope
