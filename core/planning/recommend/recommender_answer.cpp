// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender_answer.h"

#include "core/base/units.h"
#include "core/planning/recommend/recommender_wording.h"

#include <fmt/format.h>

namespace peakscope {
namespace {

std::string asRun(const Recommendation& found, const Strategy& strategy)
{
    const nlohmann::json& data = strategy.experiment["data"];
    const auto rows = data["batch"].get<std::int64_t>();
    const std::int64_t pass = data.value("max_physical_batch", rows);
    const std::int64_t devices = strategy.devicesNeeded;
    return fmt::format("{}{} of {}{}, batch {} x {}{}{}", strategy.proved ? "" : "about ",
                       formatBytes(strategy.reservedBytes()), formatBytes(found.device.usableBytes),
                       devices > 1 ? " each" : "", rows, data["seq"].get<std::int64_t>(),
                       found.goal == Goal::DpSgd && pass < rows ? fmt::format(" in passes of {}", pass) : "",
                       devices > 1 ? fmt::format(" over {} devices", devices) : "");
}

} // namespace

std::string trainedSubject(Goal goal, const Experiment& e)
{
    if (goal == Goal::Prm)
        return fmt::format("perturbation in {}", name(e.dtype));
    if (goal == Goal::Hessian) {
        const std::string quantity =
            e.curvature->quantities.size() == 1 ? std::string(name(e.curvature->quantities.front())) : "the quantities";
        const bool sampled = e.curvature->select == EntrySelection::Sample;
        return sampled ? fmt::format("{} of {} parameters", quantity, e.curvature->count) : quantity;
    }
    const std::string precision = precisionWord(e.dtype, e.training.amp);
    const Quantization base = e.model.config.quantization;
    std::string words = e.training.lora.rank == 0    ? fmt::format("all weights in {}", precision)
                        : base == Quantization::None ? fmt::format("LoRA in {}", precision)
                                                     : fmt::format("LoRA over {} in {}", name(base), precision);
    if (e.training.lora.rank > 0 && e.training.lora.dtype == AdapterType::Float32)
        words += ", float32 adapters";
    if (e.training.masters)
        words += " with float32 masters";
    else if (e.training.rounding != WeightRounding::Nearest)
        words += fmt::format(", {} rounding", name(e.training.rounding));
    if (e.training.optimizer->eightBit != EightBitStates::None)
        words += ", 8-bit states";
    return words;
}

std::string answerSentence(const Recommendation& found)
{
    const std::string& asked = found.asked;
    const std::string each = found.leastOfEach > 0  ? fmt::format("at least {} each", formatBytes(found.leastOfEach))
                             : found.ladder.empty() ? std::string()
                                                    : formatBytes(found.ladder.front().peakBytes);
    const std::string needed = each.empty() ? each : ": " + each;
    if (found.strategies.empty())
        return "";
    const Strategy& first = found.strategies.front();
    const auto experiment = experimentFromJson(first.experiment);
    const std::string what = experiment ? trainedSubject(found.goal, *experiment) : first.title;
    switch (first.verdict) {
    case Verdict::Comfortable:
    case Verdict::Fits:
    case Verdict::Tight:
        if (first.tier == Tier::Exact)
            return fmt::format("Yes, {}: {}.", what, asRun(found, first));
        return fmt::format("No, not {}{}. Yes with {}: {}.", asked, needed, what, asRun(found, first));
    case Verdict::NeedsSharding:
        return fmt::format("No, not on {} x {}{}. Yes on {} of them, {}: {}.", found.devices, found.device.name, needed,
                           first.devicesNeeded, what, asRun(found, first));
    case Verdict::DoesNotFit:
        break;
    }
    return fmt::format("No, nothing searched fits on {} x {}. {}{}.", found.devices, found.device.name, asked, needed);
}

} // namespace peakscope
