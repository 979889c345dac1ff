// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sharded parameters under the tape (ZeRO-3, Rajbhandari et al. 2020): a unit's parameters, and its part of the vectors
// that are multiplied, are gathered as a pass enters the unit and let go as it leaves; what the pass finds for the
// unit's parameters is summed over ranks, each of which keeps its own share. One thread.
#pragma once

#include "core/engine/curvature/vectors/parameter_space.h"
#include "core/engine/curvature/tape/tape.h"
#include "core/engine/sharding/parameter_shards.h"

#include <map>
#include <vector>

namespace peakscope {

class UnitGathering final : public TapeUnits
{
public:
    // `space` has the layout of `shards`.
    UnitGathering(ParameterShards& shards, const ParameterSpace& space) : m_shards(shards), m_space(space) {}

    // While one is there, passes read the parts of `vectors` and add to `results` (each rank's parts of them).
    class Carried
    {
    public:
        Carried(UnitGathering& units, std::vector<at::Tensor> vectors, std::vector<at::Tensor> results);
        ~Carried() { m_units.m_carried = nullptr; }
        Carried(const Carried&) = delete;
        Carried& operator=(const Carried&) = delete;

        const TangentSeeds& seeds() const { return m_seeds; }
        TangentSinks& sinks() { return m_sinks; }
        // The first result's tensors, for a gradient.
        std::map<std::size_t, at::Tensor>& gradient() { return m_gradient; }

    private:
        friend class UnitGathering;
        // Of one row of the layout: the vectors' numbers and the results', one flat tensor a vector.
        struct Flats {
            std::vector<at::Tensor> in, out;
        };

        UnitGathering& m_units;
        std::vector<at::Tensor> m_vectors, m_results;
        std::vector<Flats> m_flats;
        TangentSeeds m_seeds;
        TangentSinks m_sinks;
        std::map<std::size_t, at::Tensor> m_gradient;
    };

    void enter(std::size_t unit, bool down) override;
    void leave(std::size_t unit, bool down) override;

private:
    bool touches(const VectorLayout::Row& row, std::size_t unit) const;

    ParameterShards& m_shards;
    const ParameterSpace& m_space;
    Carried* m_carried = nullptr;
};

} // namespace peakscope
