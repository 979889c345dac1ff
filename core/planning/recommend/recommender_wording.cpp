// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender_wording.h"

#include "core/base/units.h"
#include "core/base/words.h"
#include "core/planning/recommend/recommender_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <cmath>

namespace peakscope {

namespace {

constexpr const char* kMayBeOff = "The estimate may be off by";
constexpr const char* kNotProved = "The prediction is not yet proved by a measured run of this kind.";
constexpr const char* kDryRun = "These bytes are of a dry run on a stand-in of the card.";

std::string componentsSentence(const MemoryEstimate& estimate)
{
    std::vector<std::pair<std::int64_t, std::string>> parts;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (estimate.components[i] > 0) {
            parts.emplace_back(estimate.components[i], std::string(name(static_cast<Component>(i))));
        }
    }
    std::sort(parts.rbegin(), parts.rend());
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min<std::size_t>(4, parts.size()); ++i) {
        words.push_back(fmt::format("{} {}", parts[i].second, formatBytes(parts[i].first)));
    }
    std::string text = fmt::format("The peak of {} is in {}: {}.", formatBytes(estimate.peakBytes),
                                   name(estimate.peakPhase), joinWords(words));
    if (estimate.logitsMakePeak) {
        text += fmt::format(" The logits make it: {} of it are theirs.", formatBytes(estimate.logitsBytes));
    }
    return text;
}

// On `devices` of those that are here.
std::string verdictSentence(Verdict verdict, std::int64_t reservedBytes, std::int64_t devices, const PlanDevice& device,
                            std::int64_t here)
{
    const std::string share = shareSentence(reservedBytes, device);
    switch (verdict) {
    case Verdict::NeedsSharding:
        return fmt::format("Needs {} of {} ({} here), {} on each.", devices, device.name, here, share);
    case Verdict::DoesNotFit:
        return fmt::format("Does not fit: {}.", share);
    case Verdict::Tight:
        return fmt::format("Tight: {}; another process on the device or fragmentation may end it.", share);
    case Verdict::Comfortable:
    case Verdict::Fits:
        break;
    }
    const std::string where = devices > 1 ? fmt::format(" on each of {} devices", devices) : "";
    return fmt::format("{}{}: {}.", verdict == Verdict::Comfortable ? "Comfortable" : "Fits", where, share);
}

// data.batch counts the rows of all devices.
std::string rowsSentence(const PlanChoice& c)
{
    const std::int64_t rows = c.rowsOfDevice();
    const bool even = rows * c.devices == c.batch;
    return fmt::format("data.batch {} is {}{} row{} on each of {} devices.", c.batch, even ? "" : "at most ", rows,
                       rows == 1 ? "" : "s", c.devices);
}

// What exact means that save memory cost in time.
std::string speedSentence(const PlanSpace& space, const PlanEvaluation& e)
{
    const PlanChoice& c = e.choice;
    std::vector<std::string> costs;
    if (c.checkpointing) {
        costs.emplace_back("every layer runs forward once more in backward (about a third more operations)");
    }
    const std::int64_t rows = c.rowsOfDevice();
    if (c.physical < rows) {
        costs.push_back(fmt::format("{} passes of {} row{} instead of one", (rows + c.physical - 1) / c.physical,
                                    c.physical, c.physical == 1 ? "" : "s"));
    }
    if (c.attention == AttentionKind::Math) {
        costs.emplace_back("attention writes its T x T scores to memory");
    } else if (c.attention == AttentionKind::Chunked) {
        costs.emplace_back("attention computes its scores once more in backward");
    }
    if (c.devices > 1) {
        const auto moved = static_cast<std::int64_t>(std::min(1e18, e.work.communicatedBytes));
        costs.push_back(fmt::format("{} move between the devices {}", formatBytes(moved),
                                    space.goal == Goal::Hessian ? "in all" : "each step"));
    }
    std::string text = costs.empty() ? "Costs no extra time" : "Costs time: " + joinWords(costs);
    if (!e.work.known) {
        return text + ".";
    }
    const std::string seconds = formatSeconds(e.work.seconds);
    if (space.goal == Goal::Hessian) {
        return fmt::format("{}; at least {} for {} by roofline.", text, seconds, quantityWord(c));
    }
    return fmt::format("{}; at least {} a step by roofline, {:.3g} tokens/s.", text, seconds, 1 / e.secondsPerToken);
}

} // namespace

std::string precisionWord(Dtype dtype, Amp amp)
{
    return amp == Amp::None ? std::string(name(dtype)) : fmt::format("{} autocast", name(amp));
}

std::string titleOf(const PlanSpace& space, const PlanChoice& c)
{
    std::string title = precisionWord(c.dtype, c.amp);
    const auto add = [&title](const std::string& words) { title += ", " + words; };
    if (space.goal == Goal::Hessian) {
        add(quantityWord(c) + (c.method == ProductMethod::Auto ? "" : fmt::format(" by {}", name(*c.method))));
        if (c.count > 0) {
            add(fmt::format("{} parameters", c.count));
        }
    } else if (c.loraRank > 0) {
        add(fmt::format("LoRA rank {}", c.loraRank));
        if (c.quantization != Quantization::None) {
            add(fmt::format("{} base", name(c.quantization)));
        }
        if (c.wideAdapters) {
            add("float32 adapters");
        }
    }
    if (c.masters) {
        add("float32 masters");
    } else if (c.rounding != WeightRounding::Nearest) {
        add(fmt::format("{} rounding", name(c.rounding)));
    }
    if (space.goal != Goal::Hessian && c.optimizer != defaultOptimizer()) {
        add(std::string(name(c.optimizer)));
    }
    if (c.implementation == Implementation::InBackward) {
        add("updated in backward");
    }
    if (c.implementation == Implementation::Loop) {
        add("optimiser step without foreach (parameter by parameter)");
    }
    if (c.clipping != Clipping::None) {
        add(fmt::format("clipping {}", name(c.clipping)));
    }
    if (c.checkpointing) {
        add("checkpointing");
    }
    if (c.lossHead == LossHead::Chunked) {
        add("chunked loss head");
    }
    if (c.attention != AttentionKind::Auto && space.goal != Goal::Hessian) {
        add(fmt::format("{} attention", name(c.attention)));
    }
    add(fmt::format("batch {} x {}", c.batch, c.seq));
    if (c.physical < c.rowsOfDevice()) {
        add(fmt::format("{} row{} a pass", c.physical, c.physical == 1 ? "" : "s"));
    }
    if (c.devices > 1) {
        add(c.sharding == Sharding::None ? fmt::format("{} devices", c.devices)
                                         : fmt::format("{} over {} devices", name(c.sharding), c.devices));
    }
    return title;
}

std::vector<std::string> concessionsOf(const PlanSpace& space, const PlanChoice& c)
{
    std::vector<std::string> sentences;
    for (const PlanChange* change : changesOf(space.target, c)) {
        if (change->words != nullptr) {
            sentences.push_back(change->words(space.target, c));
        }
    }
    return sentences;
}

std::string shareSentence(std::int64_t reservedBytes, const PlanDevice& device)
{
    const std::int64_t needed = reservedBytes + device.contextBytes;
    const std::int64_t margin = device.usableBytes - needed;
    const double share =
        100 * static_cast<double>(needed) / static_cast<double>(std::max<std::int64_t>(1, device.usableBytes));
    return fmt::format("{} reserved and {} for the {} are {:.0f} % of {} usable, {} {}", formatBytes(reservedBytes),
                       formatBytes(device.contextBytes), device.cuda ? "CUDA context" : "process", share,
                       formatBytes(device.usableBytes), formatBytes(std::abs(margin)),
                       margin >= 0 ? "to spare" : "missing");
}

// Whether an error of the estimate's own band makes what fits one that does not, or the other way.
static bool bandOverturns(const PlanSpace& space, const PlanEvaluation& e)
{
    const auto fits = [&](double reserved) {
        return reserved + static_cast<double>(space.device.contextBytes) <=
               static_cast<double>(space.device.usableBytes);
    };
    const auto reserved = static_cast<double>(e.reservedBytes);
    return space.device.cuda && fits(reserved / (1 + kReservedBand)) != fits(reserved * (1 + kReservedBand));
}

std::vector<std::string> reasonsOf(const PlanSpace& space, const PlanEvaluation& evaluation,
                                   const MemoryEstimate& estimate)
{
    std::vector<std::string> reasons{verdictSentence(evaluation.verdict, evaluation.reservedBytes,
                                                     evaluation.choice.devices, space.device, space.devices),
                                     componentsSentence(estimate)};
    if (bandOverturns(space, evaluation)) {
        reasons.push_back(fmt::format("{} {:.0f} %, which would change this verdict; a dry run decides.", kMayBeOff,
                                      100 * kReservedBand));
    }
    if (evaluation.choice.devices > 1) {
        reasons.push_back(rowsSentence(evaluation.choice));
    }
    const std::vector<std::string> concessions = concessionsOf(space, evaluation.choice);
    if (concessions.empty()) {
        reasons.emplace_back("Exact. Trains what was requested: the same numbers up to rounding.");
    }
    reasons.insert(reasons.end(), concessions.begin(), concessions.end());
    reasons.push_back(speedSentence(space, evaluation));
    if (!estimate.verified) {
        reasons.emplace_back(kNotProved);
    }
    return reasons;
}

void putProof(const DryProof& proof, const Recommendation& found, Strategy& strategy)
{
    std::vector<std::string>& reasons = strategy.reasons;
    if (reasons.empty()) {
        return;
    }
    std::vector<std::string> proved;
    if (proof.fits) {
        proved.push_back(verdictSentence(strategy.verdict, proof.reservedBytes, strategy.devicesNeeded, found.device,
                                         found.devices));
        proved.emplace_back(kDryRun);
    } else {
        proved.push_back(fmt::format("Does not fit: the dry run ran out of memory with {} of {} reserved.",
                                     formatBytes(proof.reservedBytes), formatBytes(found.device.capacityBytes())));
    }
    std::copy_if(reasons.begin() + 1, reasons.end(), std::back_inserter(proved), [](const std::string& reason) {
        return !reason.starts_with(kMayBeOff) && reason != kNotProved && reason != kDryRun;
    });
    reasons = std::move(proved);
}

std::string givenUp(const PlanSpace& space, const PlanChoice& choice)
{
    std::vector<std::string> words;
    for (const PlanChange* change : changesOf(space.target, choice)) {
        if (change->tier != Tier::Exact) {
            words.emplace_back(change->name);
        }
    }
    return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

std::string firstSentence(const PlanSpace& space, const PlanEvaluation& e)
{
    if (rankClass(e.verdict) != 0) {
        return "Ranks first: nothing runs as it is, and this is the nearest.";
    }
    const char* runs = space.devices == 1 ? "fits on one device" : "fits on the devices at hand";
    switch (e.tier) {
    case Tier::Exact:
        return fmt::format("Ranks first: of what is exact and {} it is the quickest.", runs);
    case Tier::Precision:
        return fmt::format("Ranks first: nothing exact {}; of what only rounds differently it is the quickest.", runs);
    case Tier::Method:
        break;
    }
    return fmt::format(
        "Ranks first: nothing {} that trains what was requested; of what changes it, this is the quickest.", runs);
}

std::string comparison(const PlanSpace& space, const PlanEvaluation& before, const PlanEvaluation& after)
{
    const int order = rankClass(after.verdict);
    if (order != rankClass(before.verdict)) {
        return order == 1 ? fmt::format("Ranks below those above: they run on {}.",
                                        space.devices == 1 ? "one device" : "the devices at hand")
                          : "Ranks below those above: this one does not fit.";
    }
    if (after.tier != before.tier) {
        return after.tier == Tier::Precision ? "Ranks below those above: they are exact, this one rounds differently."
                                             : "Ranks below those above: this one changes what was requested.";
    }
    if (order == 2) {
        return fmt::format("Ranks below the one above: {} more are missing.",
                           formatBytes(after.reservedBytes - before.reservedBytes));
    }
    if (order == 1 && after.choice.devices > before.choice.devices) {
        const std::int64_t more = after.choice.devices - before.choice.devices;
        return more == 1 ? "Ranks below the one above: one device more."
                         : fmt::format("Ranks below the one above: {} devices more.", more);
    }
    const double ratio = after.secondsPerToken / std::max(1e-30, before.secondsPerToken);
    const std::int64_t more = after.reservedBytes - before.reservedBytes;
    const std::string memory =
        more == 0 ? "" : fmt::format(", and it needs {} {}", formatBytes(std::abs(more)), more > 0 ? "more" : "less");
    if (ratio > 1.001) {
        return fmt::format("Ranks below the one above: by roofline {:.4g} times as long{}{}.", ratio,
                           space.goal == Goal::Hessian ? "" : " per token", memory);
    }
    if (changesLess(before, after)) {
        return fmt::format("Ranks below the one above: as quick by roofline, within 2 %, and it changes more{}.",
                           memory);
    }
    return fmt::format("Ranks below the one above: as quick{}.", memory);
}

} // namespace peakscope
