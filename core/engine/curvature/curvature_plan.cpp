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

// As the progress file keeps it.
struct NotedPlan {
    CurvaturePlan plan;
    nlohmann::json machine;
    std::vector<QuantityLeftOut> leftOut;
};

void members(auto& fields, Of<NotedPlan> auto& noted)
{
    members(fields, noted.plan);
    fields("machine", noted.machine);
    fields("left_out", noted.leftOut);
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
        const auto noted = lenientMembers<NotedPlan>(*known);
        if (noted.machine.is_null() || noted.machine == machine) {
            run.leftOut = noted.leftOut;
            return noted.plan;
        }
        needs.kept = noted.plan;
    }
    const auto sizes = planWhatFits(needs, run.leftOut);
    if (!sizes)
        return sizes.error();
    run.log.note(kKey, membersJson(NotedPlan{*sizes, machine, run.leftOut}));
    return *sizes;
}

void tellLeftOut(CurvatureRun& run, const QuantityLeftOut& one)
{
    std::erase(run.options.quantities, one.quantity);
    run.notes.push_back(leftOutSentence(one));
    run.section["left_out"].push_back(membersJson(one));
}

} // namespace peakscope
