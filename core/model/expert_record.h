// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which experts the tokens of a run went to. No LibTorch; one thread.
#pragma once

#include "core/model/expert_loads.h"

#include <nlohmann/json_fwd.hpp>

namespace peakscope {

class ExpertRecord
{
public:
    explicit ExpertRecord(ExpertRouting assumed = ExpertRouting::Even) : m_assumed(assumed) {}
    // How tokens are spread where nothing is routed: on a stand-in of a card.
    ExpertRouting assumed() const { return m_assumed; }

    // What one layer did with the tokens of a forward pass.
    struct Layer {
        ExpertLoads tokens; // of each expert; empty: the layer has one net for all
        ExpertLoads rows;   // that each computed: as many, or in a clipped step those of every sample
    };

    // The pass that runs now.
    Layer& layer(std::size_t index);
    void endPass();

    bool empty() const { return m_totals.empty(); }
    // The rows of the layers of a few passes, those among them whose fullest expert got most: they make the peak.
    const std::vector<std::vector<ExpertLoads>>& fullest() const { return m_fullest; }
    // {"layers": [{"layer", "tokens": of each expert}, …]} of all passes.
    nlohmann::json section() const;

private:
    ExpertRouting m_assumed;
    std::vector<Layer> m_pass;
    std::vector<ExpertLoads> m_totals;
    std::vector<std::vector<ExpertLoads>> m_fullest;
};

} // namespace peakscope
