// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/curvature_plan.h"

#include <algorithm>

namespace peakscope {
namespace {

CurvatureNeeds needsOf(const CurvatureRun& run)
{
    Model& model = run.space().model();
    CurvatureNeeds needs;
    needs.config = model.config();
    for (const Parameter& parameter : model.parameters())
        needs.parameters.push_back(parameter.spec);
    needs.wanted.assign(needs.parameters.size(), false);
    for (const SpaceTensor& tensor : run.space().tensors())
        needs.wanted[tensor.parameter] = true;
    needs.rows = run.surface.mostRows();
    needs.microBatch = run.surface.microBatch();
    needs.length = run.surface.batch().inputs.size(1);
    const VectorLayout& layout = run.space().layout();
    needs.shards = layout.whole() ? 0 : layout.ranks().size();
    needs.elementBytes = static_cast<std::int64_t>(model.parameters().front().tensor.element_size());
    needs.quantities = {run.options.quantities.begin(), run.options.quantities.end()};
    needs.method = run.options.method;
    needs.unit = run.options.unit;
    needs.probes = run.options.probes;
    needs.topK = run.options.topK;
    needs.onePassBytes = run.onePassBytes;
    needs.wholeDiagonal = run.options.wants(CurvatureQuantity::Diagonal) && run.space().wantsWholeDiagonal();
    for (const WantedEntries& wanted : run.space().wanted())
        needs.mostEntries = std::max(needs.mostEntries, wanted.count);
    // The same sizes on every rank, or they would wait for each other in different places.
    needs.residentBytes = run.surface.largestOfRanks(run.monitor.ledger().liveBytes());
    needs.budgetBytes = run.monitor.ledger().budget();
    return needs;
}

nlohmann::json leftOutJson(const std::vector<QuantityLeftOut>& leftOut)
{
    nlohmann::json list = nlohmann::json::array();
    for (const QuantityLeftOut& one : leftOut)
        list.push_back({{"quantity", traitsOf(one.quantity).name}, {"reason", one.reason}});
    return list;
}

std::vector<QuantityLeftOut> leftOutOf(const nlohmann::json& list)
{
    std::vector<QuantityLeftOut> leftOut;
    for (const nlohmann::json& one : list)
        leftOut.push_back(
            {valueOf(one.at("quantity").get<std::string>(), CurvatureQuantity::Diagonal), one.at("reason")});
    return leftOut;
}

CurvaturePlan planOf(const nlohmann::json& known)
{
    CurvaturePlan plan;
    plan.microBatch = known.at("micro_batch");
    plan.inFlight = known.at("in_flight");
    plan.basis = known.at("basis");
    plan.directions = known.at("directions");
    plan.held = known.at("held");
    plan.wholeOpening = known.value("whole_opening", true);
    plan.predictedBytes = known.at("predicted_peak_bytes");
    plan.costliest = known.at("costliest");
    return plan;
}

} // namespace

Result<CurvaturePlan> curvaturePlan(CurvatureRun& run)
{
    constexpr const char* kKey = "plan";
    CurvatureNeeds needs = needsOf(run);
    // A resumed run keeps its plan; on other ranks or by another budget only the sizes that finished work has.
    const nlohmann::json machine = {
        {"shards", needs.shards}, {"rows", needs.rows}, {"budget_bytes", needs.budgetBytes}};
    if (const nlohmann::json* known = run.log.recall(kKey)) {
        const CurvaturePlan plan = planOf(*known);
        if (known->value("machine", machine) == machine) {
            run.leftOut = leftOutOf(known->value("left_out", nlohmann::json::array()));
            return plan;
        }
        needs.kept = plan;
    }
    const auto sizes = planWhatFits(needs, run.leftOut);
    if (!sizes)
        return sizes.error();
    nlohmann::json noted = planJson(*sizes);
    noted["machine"] = machine;
    noted["left_out"] = leftOutJson(run.leftOut);
    run.log.note(kKey, noted);
    return *sizes;
}

void tellLeftOut(CurvatureRun& run, const QuantityLeftOut& one)
{
    std::erase(run.options.quantities, one.quantity);
    run.notes.push_back(leftOutSentence(one));
    run.section["left_out"].push_back(leftOutJson({one}).front());
}

nlohmann::json planJson(const CurvaturePlan& plan)
{
    return {{"micro_batch", plan.microBatch},
            {"in_flight", plan.inFlight},
            {"basis", plan.basis},
            {"directions", plan.directions},
            {"held", plan.held},
            {"whole_opening", plan.wholeOpening},
            {"predicted_peak_bytes", plan.predictedBytes},
            {"costliest", plan.costliest}};
}

} // namespace peakscope
