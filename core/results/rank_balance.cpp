// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/rank_balance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace peakscope {

namespace {

RankFigures figuresOf(const RankSection& section)
{
    RankFigures figures;
    figures.rank = section.rank;
    if (section.memory) {
        figures.peakBytes = section.memory->peakBytes;
    }
    if (section.timing && section.timing->medianStepSeconds > 0) {
        figures.stepSeconds = section.timing->medianStepSeconds;
    }
    // A rank that ended before its first measured step has no share.
    const bool measured = section.communication && (section.communication->share > 0 || figures.stepSeconds);
    if (measured && section.communication->share >= 0 && section.communication->share <= 1) {
        figures.communicationShare = section.communication->share;
    }
    if (figures.stepSeconds && figures.communicationShare) {
        figures.ownSeconds = *figures.stepSeconds * (1 - *figures.communicationShare);
    }
    return figures;
}

struct Unevenness {
    std::optional<double> imbalance;
    std::optional<std::size_t> largest;
};

// values[i] is rank i's figure, or empty.
Unevenness unevenness(const std::vector<std::optional<double>>& values)
{
    Unevenness out;
    double sum = 0;
    std::size_t count = 0;
    std::size_t largest = values.size();
    bool equal = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i] || !std::isfinite(*values[i])) {
            continue;
        }
        sum += *values[i];
        ++count;
        equal = equal && (largest == values.size() || *values[i] == *values[largest]);
        if (largest == values.size() || *values[i] > *values[largest]) {
            largest = i;
        }
    }
    if (count >= 2 && sum > 0) {
        out.imbalance = equal ? 0 : *values[largest] / (sum / static_cast<double>(count)) - 1;
    }
    if (count >= 2 && !equal) {
        out.largest = largest;
    }
    return out;
}

// The time of a rank's measured steps, which its share is of.
double measuredSeconds(const RankSection& section, const RankFigures& figures)
{
    const std::vector<double>& steps = section.timing->stepSeconds;
    const double sum = std::accumulate(steps.begin(), steps.end(), 0.0);
    return sum > 0 ? sum : *figures.stepSeconds;
}

} // namespace

const RankSection& measuredSection(const std::vector<RankSection>& ranks, std::size_t index)
{
    const auto& same = ranks[index].sameAs;
    const auto found =
        std::ranges::find_if(ranks, [&](const RankSection& other) { return same && other.rank == *same; });
    return found == ranks.end() ? ranks[index] : *found;
}

std::string ranksLike(const std::vector<RankSection>& ranks, std::int64_t rank)
{
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i;
        while (end < ranks.size() && ranks[end].sameAs == rank)
            ++end;
        if (end > i) {
            text += (text.empty() ? "" : ", ") + std::to_string(ranks[i].rank);
            if (end > i + 1)
                text += "-" + std::to_string(ranks[end - 1].rank);
        }
        i = std::max(end, i + 1);
    }
    return text;
}

RankBalance rankBalance(const std::vector<RankSection>& ranks)
{
    RankBalance balance;
    std::vector<std::optional<double>> peaks;
    std::vector<std::optional<double>> own;
    double seconds = 0;
    double communication = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const RankSection& section = measuredSection(ranks, i);
        RankFigures figures = figuresOf(section);
        figures.rank = ranks[i].rank;
        peaks.push_back(figures.peakBytes ? std::optional(static_cast<double>(*figures.peakBytes)) : std::nullopt);
        own.push_back(figures.ownSeconds);
        if (figures.ownSeconds) {
            const double measured = measuredSeconds(section, figures);
            seconds += measured;
            communication += measured * *figures.communicationShare;
        }
        balance.ranks.push_back(figures);
    }
    const Unevenness memory = unevenness(peaks);
    const Unevenness time = unevenness(own);
    balance.peakImbalance = memory.imbalance;
    balance.fullest = memory.largest;
    balance.timeImbalance = time.imbalance;
    balance.slowest = time.largest;
    if (seconds > 0) {
        balance.communicationShare = communication / seconds;
    }
    return balance;
}

} // namespace peakscope
