// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommender_wording.h"

#include "core/base/units.h"
#include "core/planning/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

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

std::string verdictSentence(const PlanSpace& space, const PlanEvaluation& e)
{
    const PlanDevice& device = space.device;
    const std::string share = shareSentence(e.reservedBytes, device);
    switch (e.verdict) {
    case Verdict::NeedsSharding:
        return fmt::format("Needs {} of {} ({} here), {} on each.", e.choice.devices, device.name, space.devices,
                           share);
    case Verdict::DoesNotFit:
        return fmt::format("Does not fit: {}.", share);
    case Verdict::Tight:
        return fmt::format("Tight: {}; another process on the device or fragmentation may end it.", share);
    case Verdict::Comfortable:
    case Verdict::Fits:
        break;
    }
    const std::string where = e.choice.devices > 1 ? fmt::format(" on each of {} devices", e.choice.devices) : "";
    return fmt::format("{}{}: {}.", e.verdict == Verdict::Comfortable ? "Comfortable" : "Fits", where, share);
}

// data.batch counts the rows of all devices.
std::string rowsSentence(const PlanChoice& c)
{
    const std::int64_t rows = c.rowsOfDevice();
    const bool even = rows * c.devices == c.batch;
    return fmt::format("data.batch {} is {}{} row{} on each of {} devices.", c.batch, even ? "" : "at most ", rows,
                       rows == 1 ? "" : "s", c.devices);
}

std::string quantityWord(const PlanChoice& c)
{
    return c.quantity.empty() ? "several quantities" : c.quantity;
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

std::string roundingSentence(const PlanChoice& c, Goal goal)
{
    if (goal == Goal::Hessian && bytesPerElement(c.dtype) < 4) {
        return fmt::format(
            "Second derivatives in {} carry relative errors of 1e-2 or more; curvature runs in float32 and "
            "float64.",
            name(c.dtype));
    }
    if (c.dtype == Dtype::BFloat16 || c.dtype == Dtype::Float16) {
        return fmt::format("Weights, gradients and states in {}: updates below 1/{} of a weight round away.",
                           name(c.dtype), c.dtype == Dtype::BFloat16 ? 256 : 2048);
    }
    if (c.amp != Amp::None) {
        return fmt::format("Matrix products round their inputs to {} ({} bits); weights, gradients and states stay {}.",
                           name(c.amp), c.amp == Amp::BFloat16 ? 8 : 11, name(c.dtype));
    }
    return fmt::format("Computed in {}.", name(c.dtype));
}

std::string finiteDifferenceSentence(Dtype dtype)
{
    const char* error = dtype == Dtype::Float64 ? "1e-9" : dtype == Dtype::Float32 ? "1e-5 to 1e-4" : "1e-2 or more";
    return fmt::format("Finite differences of gradients approximate each product: relative error about {} in {}.",
                       error, name(dtype));
}

std::string quantitySentence(const PlanChoice& c, const PlanChoice& asked)
{
    if (c.quantity == "ggn_diagonal") {
        return "The Gauss-Newton diagonal leaves the network's own second derivatives out: never negative, not the "
               "Hessian's.";
    }
    if (c.quantity == "fisher_diagonal") {
        return "The empirical Fisher diagonal squares gradients: it takes the Hessian's place near a minimum only.";
    }
    if (c.quantity == "kfac") {
        return "K-FAC stands for each layer's block by two Kronecker factors, no entry is exact.";
    }
    if (c.quantity == "lbfgs") {
        return "L-BFGS keeps a rank-10 approximation from differences of gradients.";
    }
    if (c.quantity == "full" || c.quantity == "block_diagonal") {
        return fmt::format("Computes {}, more than {}: longer and with more memory.", c.quantity, quantityWord(asked));
    }
    return fmt::format("Computes {} instead of {}: a summary, no entries.", quantityWord(c), quantityWord(asked));
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
        add(quantityWord(c) + (c.method == "auto" ? "" : " by " + c.method));
        if (c.count > 0) {
            add(fmt::format("{} parameters", c.count));
        }
    } else if (c.loraRank > 0) {
        add(fmt::format("LoRA rank {}", c.loraRank));
    }
    if (space.goal != Goal::Hessian && c.optimizer != OptimizerKind::Adam) {
        add(std::string(name(c.optimizer)));
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
    const PlanChoice& asked = space.target;
    std::vector<std::string> sentences;
    if (c.dtype != asked.dtype || c.amp != asked.amp) {
        sentences.push_back(roundingSentence(c, space.goal));
    }
    if (c.loraRank != asked.loraRank) {
        sentences.push_back(
            c.loraRank > 0 ? fmt::format("Trains adapters of rank {} only; the weights stay as they are.", c.loraRank)
                           : "Trains all weights instead of adapters.");
    }
    if (c.optimizer != asked.optimizer) {
        sentences.push_back(fmt::format("{} instead of {}: no moments, another path of training.", name(c.optimizer),
                                        name(asked.optimizer)));
    }
    if (c.seq < asked.seq) {
        sentences.push_back(
            fmt::format("Sequences of {} tokens instead of {}: nothing beyond is attended to.", c.seq, asked.seq));
    }
    if (space.goal == Goal::Hessian) {
        if (c.batch < asked.batch) {
            sentences.push_back(
                fmt::format("The loss is that of {} rows instead of {}: a noisier Hessian.", c.batch, asked.batch));
        }
        if (c.quantity != asked.quantity) {
            sentences.push_back(quantitySentence(c, asked));
        }
        if (c.count > 0 && c.count < asked.count) {
            sentences.push_back(fmt::format(
                "{} sampled parameters instead of {}: the statistics' errors grow {:.2g} "
                "times.",
                c.count, asked.count, std::sqrt(static_cast<double>(asked.count) / static_cast<double>(c.count))));
        }
        if (c.method == "finite_difference") {
            sentences.push_back(finiteDifferenceSentence(c.dtype));
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

std::vector<std::string> reasonsOf(const PlanSpace& space, const PlanEvaluation& evaluation,
                                   const MemoryEstimate& estimate)
{
    std::vector<std::string> reasons{verdictSentence(space, evaluation), componentsSentence(estimate)};
    if (evaluation.choice.devices > 1) {
        reasons.push_back(rowsSentence(evaluation.choice));
    }
    const std::vector<std::string> concessions = concessionsOf(space, evaluation.choice);
    if (concessions.empty()) {
        reasons.emplace_back("Gives up nothing that was asked for: the same numbers up to rounding.");
    }
    reasons.insert(reasons.end(), concessions.begin(), concessions.end());
    reasons.push_back(speedSentence(space, evaluation));
    if (!estimate.verified) {
        reasons.emplace_back("The prediction is not yet proved by a measured run of this kind.");
    }
    return reasons;
}

std::string comparison(const PlanSpace& space, const PlanEvaluation& before, const PlanEvaluation& after)
{
    const int order = rankClass(after.verdict);
    if (order != rankClass(before.verdict)) {
        return order == 1   ? "Ranks below those above: they leave more memory free."
               : order == 2 ? fmt::format("Ranks below those above: they run on {}.",
                                          space.devices == 1 ? "one device" : "the devices at hand")
                            : "Ranks below those above: this one does not fit.";
    }
    if (after.concession > before.concession + 1e-9) {
        return "Ranks below the one above: it gives up more of what was asked for.";
    }
    if (order == 3) {
        return fmt::format("Ranks below the one above: {} more are missing.",
                           formatBytes(after.reservedBytes - before.reservedBytes));
    }
    if (order == 2 && after.choice.devices > before.choice.devices) {
        const std::int64_t more = after.choice.devices - before.choice.devices;
        return more == 1 ? "Ranks below the one above: one device more."
                         : fmt::format("Ranks below the one above: {} devices more.", more);
    }
    const double ratio = after.secondsPerToken / std::max(1e-30, before.secondsPerToken);
    if (ratio > 1.01) {
        return fmt::format("Ranks below the one above: as exact, and by roofline {:.3g} times as long{}.", ratio,
                           space.goal == Goal::Hessian ? "" : " per token");
    }
    return fmt::format("Ranks below the one above: as exact and as quick, and it needs {} more.",
                       formatBytes(std::max<std::int64_t>(0, after.reservedBytes - before.reservedBytes)));
}

} // namespace peakscope
