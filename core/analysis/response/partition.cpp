// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response/partition.h"

#include "core/analysis/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace peakscope {
namespace {

bool judged(double alignment, double sparsity)
{
    return std::isfinite(alignment) && std::isfinite(sparsity);
}

UnitClass classByThresholds(double alignment, double sparsity, const ClassThresholds& thresholds)
{
    if (alignment >= thresholds.funcAlignment && sparsity < thresholds.funcSparsity)
        return UnitClass::Func;
    if (alignment <= thresholds.sensAlignment && sparsity >= thresholds.sensSparsity)
        return UnitClass::Sens;
    return UnitClass::Both;
}

// The upper and the lower third by rank of alignment less rank of sparsity; equal scores go by the order of the units,
// so that from three units on no class is empty.
void classifyByRank(std::span<const double> alignment, std::span<const double> sparsity, UnitPartition& out)
{
    std::vector<std::size_t> units;
    std::vector<double> alignments, sparsities;
    for (std::size_t i = 0; i < alignment.size(); ++i) {
        if (!judged(alignment[i], sparsity[i]))
            continue;
        units.push_back(i);
        alignments.push_back(alignment[i]);
        sparsities.push_back(sparsity[i]);
    }
    const std::vector<double> byAlignment = midranks(alignments), bySparsity = midranks(sparsities);
    std::vector<std::size_t> order(units.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return byAlignment[a] - bySparsity[a] > byAlignment[b] - bySparsity[b];
    });
    const std::size_t third = order.size() / 3;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const UnitClass unitClass = place < third                   ? UnitClass::Func
                                    : place >= order.size() - third ? UnitClass::Sens
                                                                    : UnitClass::Both;
        out.labels[units[order[place]]] = unitClass;
    }
}

void countClasses(UnitPartition& out)
{
    out.counts = {};
    for (const UnitClass label : out.labels)
        ++out.counts[static_cast<std::size_t>(label)];
}

std::string emptyClasses(const UnitPartition& partition)
{
    std::string out;
    for (const UnitClass unitClass : kUnitClasses) {
        if (partition.count(unitClass) == 0)
            out += (out.empty() ? "" : " and ") + std::string(name(unitClass));
    }
    return out;
}

} // namespace

Status checkThresholds(const ClassThresholds& thresholds)
{
    const std::pair<const char*, double> all[] = {{"func_alignment", thresholds.funcAlignment},
                                                  {"func_sparsity", thresholds.funcSparsity},
                                                  {"sens_alignment", thresholds.sensAlignment},
                                                  {"sens_sparsity", thresholds.sensSparsity}};
    for (const auto& [what, value] : all) {
        if (!(value >= 0 && value <= 1))
            return badInput(what, "must be 0 to 1");
    }
    if (thresholds.sensAlignment >= thresholds.funcAlignment && thresholds.sensSparsity < thresholds.funcSparsity)
        return badInput("thresholds", "Wfunc and Wsens overlap: sens_alignment must be below func_alignment, or "
                                      "sens_sparsity at least func_sparsity");
    return Done{};
}

std::vector<std::int64_t> UnitPartition::members(UnitClass unitClass) const
{
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == unitClass)
            out.push_back(static_cast<std::int64_t>(i));
    }
    return out;
}

Result<UnitPartition> partitionUnits(std::span<const double> alignment, std::span<const double> sparsity,
                                     const ClassThresholds& thresholds, PartitionRule rule, EmptyClass empty)
{
    if (alignment.empty() || alignment.size() != sparsity.size())
        return badInput("partition", "needs one alignment and one sparsity per unit, not " +
                                         std::to_string(alignment.size()) + " and " + std::to_string(sparsity.size()));
    if (const Status status = checkThresholds(thresholds); !status)
        return status.error();
    UnitPartition out;
    out.rule = rule;
    out.thresholds = thresholds;
    out.labels.assign(alignment.size(), UnitClass::Both);
    std::int64_t unjudged = 0;
    for (std::size_t i = 0; i < alignment.size(); ++i) {
        if (judged(alignment[i], sparsity[i]))
            out.labels[i] = classByThresholds(alignment[i], sparsity[i], thresholds);
        else
            ++unjudged;
    }
    countClasses(out);
    const std::string missing = emptyClasses(out);
    if (rule == PartitionRule::Absolute && empty == EmptyClass::UseQuantile && !missing.empty()) {
        out.rule = PartitionRule::Quantile;
        out.notes.push_back("the thresholds leave " + missing + " empty, so classes are by rank: the upper third of " +
                            "alignment less sparsity is Wfunc, the lower third Wsens");
    }
    if (out.rule == PartitionRule::Quantile) {
        classifyByRank(alignment, sparsity, out);
        countClasses(out);
        if (const std::string still = emptyClasses(out); !still.empty())
            out.notes.push_back("there are too few units for three classes: " + still + " is empty");
    }
    if (unjudged > 0)
        out.notes.push_back(std::to_string(unjudged) +
                            (unjudged == 1 ? " unit has no alignment or sparsity and counts as Wboth"
                                           : " units have no alignment or sparsity and count as Wboth"));
    return out;
}

} // namespace peakscope
