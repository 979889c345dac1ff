// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommend/recommender_ladder.h"

#include "core/base/units.h"
#include "core/planning/recommend/parallel_for.h"
#include "core/planning/recommend/recommender_changes.h"
#include "core/planning/recommend/recommender_wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace peakscope {

namespace {

constexpr std::int64_t kShortestTraining = 128; // tokens
constexpr std::int64_t kShortestCurvature = 16;
constexpr std::int64_t kFewestSampled = 100;
constexpr std::int64_t kLeastShare = 200; // a step that saves less than this part of the peak is none

// Goes down tier by tier. After each step it begins anew with the first tier: checkpointing saves little beside the
// states of all weights and much beside adapters. What takes work away (shorter rows, fewer entries) is taken only
// until it fits.
class LadderBuilder
{
public:
    LadderBuilder(PlanSearch& search, const PlanChoice& start)
        : m_search(search), m_space(search.space()), m_fixed(m_space.fixed), m_now(start)
    {
        m_rungs.push_back({"as requested: " + titleOf(m_space, start), start});
        m_peak = peakOf(start).value_or(std::numeric_limits<std::int64_t>::max());
    }

    std::vector<LadderRung> build()
    {
        static const std::vector<Step> kTiers[] = {
            {&LadderBuilder::oneByOne, &LadderBuilder::passes, &LadderBuilder::lossHead, &LadderBuilder::checkpointing,
             &LadderBuilder::jets, &LadderBuilder::inBackward},
            {&LadderBuilder::autocast, &LadderBuilder::narrower, &LadderBuilder::differences,
             &LadderBuilder::keptRounding, &LadderBuilder::eightBitStates},
            {&LadderBuilder::weights, &LadderBuilder::adapters, &LadderBuilder::quantizedBase}};
        static const std::vector<Step> kLess = {&LadderBuilder::fewerRows, &LadderBuilder::fewerEntries,
                                                &LadderBuilder::shorterRows, &LadderBuilder::fisher};
        const auto any = [this](const std::vector<Step>& steps) {
            return std::any_of(steps.begin(), steps.end(), [this](Step step) { return down(step); });
        };
        while (!m_search.stopped() &&
               (std::any_of(std::begin(kTiers), std::end(kTiers), any) || (!fits() && any(kLess)))) {
        }
        return std::move(m_rungs);
    }

private:
    using Step = std::string (LadderBuilder::*)(PlanChoice&) const;

    bool fits() const
    {
        const auto found = m_search.evaluate(m_now, false);
        return found && rankClass(found->verdict) == 0;
    }

    std::optional<std::int64_t> peakOf(const PlanChoice& choice) const
    {
        const auto found = m_search.evaluate(choice, true);
        return found ? std::optional(found->peakBytes) : std::nullopt;
    }

    // One step, where it is open and saves something.
    bool down(Step step)
    {
        PlanChoice next = m_now;
        std::string change = (this->*step)(next);
        const auto peak = change.empty() ? std::nullopt : peakOf(next);
        if (!peak || *peak + m_peak / kLeastShare >= m_peak) {
            return false;
        }
        m_now = std::move(next);
        m_peak = *peak;
        m_rungs.push_back({std::move(change), m_now});
        return true;
    }

    bool curvature() const { return m_space.goal == Goal::Hessian; }
    bool narrows() const { return !takesCurvature(m_space.goal); } // where the engine refuses 16 bits

    // Each changes the choice and says how, or says nothing where that is done or fixed.
    std::string passes(PlanChoice& c) const
    {
        if (m_fixed.physical || c.physical < 2) {
            return "";
        }
        c.physical = (c.physical + 1) / 2;
        return fmt::format("gradient accumulation: {} micro-batches of {}{}",
                           (c.batch + c.physical - 1) / c.physical, c.batch % c.physical == 0 ? "" : "up to ",
                           c.physical);
    }

    std::string oneByOne(PlanChoice& c) const
    {
        if (!mayUpdateOneByOne(m_space, c)) {
            return "";
        }
        c.implementation = Implementation::Loop;
        return "optimiser step without foreach (parameter by parameter)";
    }

    std::string inBackward(PlanChoice& c) const
    {
        if (!mayUpdateInBackward(m_space, c)) {
            return "";
        }
        c.implementation = Implementation::InBackward;
        return "each weight updated within backward, where its gradient goes";
    }

    std::string keptRounding(PlanChoice& c) const
    {
        if (m_space.goal != Goal::Train || m_fixed.dtype || m_fixed.rounding || m_fixed.masters ||
            !hasBFloat16(m_space.device) || c.dtype != Dtype::Float32 || c.loraRank > 0 || !mayUpdateWide(m_space)) {
            return "";
        }
        c.dtype = Dtype::BFloat16;
        c.amp = m_fixed.amp ? c.amp : Amp::None;
        c.rounding = WeightRounding::Kahan;
        return "bfloat16 weights, gradients and moments, with what rounding loses of updates kept (Kahan)";
    }

    std::string eightBitStates(PlanChoice& c) const
    {
        if (m_space.goal != Goal::Train || m_fixed.optimizer || c.loraRank > 0 || !mayUpdateWide(m_space) ||
            c.optimizer->eightBit != EightBitStates::None ||
            c.optimizer->states.size() != eightBitAdam()->states.size()) {
            return "";
        }
        c.optimizer = eightBitAdam();
        return fmt::format("moments in 8 bits ({})", name(c.optimizer));
    }

    std::string lossHead(PlanChoice& c) const
    {
        if (curvature() || m_fixed.lossHead || c.lossHead == LossHead::Chunked) {
            return "";
        }
        c.lossHead = LossHead::Chunked;
        return "loss head in chunks instead of all logits at once";
    }

    std::string checkpointing(PlanChoice& c) const
    {
        if (curvature() || m_fixed.checkpointing || c.checkpointing) {
            return "";
        }
        c.checkpointing = true;
        return "checkpointing: layers are computed again in backward";
    }

    // The graph of a gradient is kept plain; entries can be had without one.
    std::string jets(PlanChoice& c) const
    {
        if (!curvature() || m_fixed.method || c.quantity != CurvatureQuantity::Diagonal ||
            c.method == ProductMethod::Jets) {
            return "";
        }
        c.method = ProductMethod::Jets;
        return "one layer at a time (jets) instead of a graph of the gradient, still exact";
    }

    // float16 has a scale that is checked on all gradients, before any weight is updated.
    static void afterAllGradients(PlanChoice& c)
    {
        const bool half = c.dtype == Dtype::Float16 || c.amp == Amp::Float16;
        if (half && c.implementation == Implementation::InBackward) {
            c.implementation = Implementation::Loop;
        }
    }

    std::string autocast(PlanChoice& c) const
    {
        if (!narrows() || m_fixed.amp || c.amp != Amp::None || bytesPerElement(c.dtype) <= 2) {
            return "";
        }
        c.amp = hasBFloat16(m_space.device) ? Amp::BFloat16 : Amp::Float16;
        afterAllGradients(c);
        return fmt::format("autocast: products in {}, weights and states stay {}", name(c.amp), name(c.dtype));
    }

    std::string narrower(PlanChoice& c) const
    {
        if (m_fixed.dtype || c.dtype != Dtype::Float64) {
            return "";
        }
        c.dtype = Dtype::Float32;
        return "precision float64 -> float32";
    }

    std::string differences(PlanChoice& c) const
    {
        if (!curvature() || m_fixed.method || c.quantity == CurvatureQuantity::Diagonal ||
            c.method == ProductMethod::FiniteDifference) {
            return "";
        }
        c.method = ProductMethod::FiniteDifference;
        c.attention = m_fixed.attention ? c.attention : AttentionKind::Auto;
        return "finite differences of gradients instead of second derivatives";
    }

    std::string weights(PlanChoice& c) const
    {
        if (!narrows() || m_fixed.dtype || bytesPerElement(c.dtype) <= 2) {
            return "";
        }
        const std::string before(name(c.dtype));
        c.dtype = hasBFloat16(m_space.device) ? Dtype::BFloat16 : Dtype::Float16;
        afterAllGradients(c);
        c.amp = m_fixed.amp ? c.amp : Amp::None;
        c = withWideAdapters(m_space, c);
        return fmt::format("precision {} -> {} (weights, gradients and states)", before, name(c.dtype));
    }

    std::string adapters(PlanChoice& c) const
    {
        if (takesCurvature(m_space.goal) || m_fixed.lora || c.loraRank > 0) {
            return "";
        }
        c.loraRank = usualAdapterRank(m_space.base.model.config);
        c = withWideAdapters(m_space, c);
        return fmt::format("adapters of rank {} instead of all weights", c.loraRank);
    }

    std::string quantizedBase(PlanChoice& c) const
    {
        const bool open = m_space.goal == Goal::Train || m_space.goal == Goal::DpSgd;
        if (!open || m_fixed.quantization || c.loraRank == 0 || c.quantization != Quantization::None ||
            bytesPerElement(c.dtype) != 2) {
            return "";
        }
        c.quantization = Quantization::Nf4;
        return "weights under the adapters in 4 bits (nf4)";
    }

    std::string fewerRows(PlanChoice& c) const
    {
        if (!curvature() || m_fixed.batch || c.batch < 2) {
            return "";
        }
        const std::int64_t before = c.batch;
        c.batch = (before + 1) / 2;
        c.physical = std::min(c.physical, c.rowsOfDevice());
        return fmt::format("batch {} -> {}", before, c.batch);
    }

    std::string fewerEntries(PlanChoice& c) const
    {
        if (m_fixed.count || c.count <= kFewestSampled) {
            return "";
        }
        const std::int64_t before = c.count;
        c.count = std::max(kFewestSampled, before / 10);
        return fmt::format("sampled parameters {} -> {}", before, c.count);
    }

    std::string shorterRows(PlanChoice& c) const
    {
        const std::int64_t shortest = curvature() ? kShortestCurvature : kShortestTraining;
        if (m_fixed.seq || c.seq / 2 < shortest || c.seq <= m_space.target.seq / 8) {
            return "";
        }
        const std::int64_t before = c.seq;
        c.seq /= 2;
        return fmt::format("sequence {} -> {}", before, c.seq);
    }

    std::string fisher(PlanChoice& c) const
    {
        if (!curvature() || m_fixed.quantity || c.quantity != CurvatureQuantity::Diagonal) {
            return "";
        }
        c.quantity = CurvatureQuantity::FisherDiagonal;
        c.method = ProductMethod::Auto;
        return "squared gradients (Fisher) instead of the diagonal";
    }

    PlanSearch& m_search;
    const PlanSpace& m_space;
    const PlanFixed& m_fixed;
    PlanChoice m_now;
    std::int64_t m_peak = 0;
    std::vector<LadderRung> m_rungs;
};

bool runs(Verdict verdict)
{
    return verdict != Verdict::DoesNotFit;
}

// The fewest devices, `from` or more, of which `enough` holds, as it does of all that are more; 0: of none.
template <typename Enough>
std::int64_t leastDevices(std::int64_t from, Enough enough)
{
    std::int64_t below = from - 1, most = from;
    for (; most <= mostDevices() && !enough(most); most *= 2) {
        below = most;
    }
    if (most > mostDevices()) {
        return 0;
    }
    while (most - below > 1) {
        const std::int64_t middle = (below + most) / 2;
        (enough(middle) ? most : below) = middle;
    }
    return most;
}

// The choice over shards, where it runs there.
std::optional<PlanChoice> sharded(PlanChoice choice, const PlanFixed& fixed)
{
    choice.sharding = choice.sharding == Sharding::None ? Sharding::Zero3 : choice.sharding;
    if (!runsSharded(choice) && !fixed.method) {
        choice.method = ProductMethod::Auto;
    }
    return runsSharded(choice) ? std::optional(choice) : std::nullopt;
}

// As asked for, run as frugally as exactness allows.
PlanChoice frugal(const PlanSpace& space)
{
    PlanChoice choice = space.target;
    if (space.goal == Goal::Hessian) {
        choice.method = space.fixed.method ? choice.method : ProductMethod::Jets;
        return choice;
    }
    choice.physical = space.fixed.physical ? std::min(choice.physical, choice.rowsOfDevice()) : 1;
    choice.checkpointing = space.fixed.checkpointing ? choice.checkpointing : true;
    choice.lossHead = space.fixed.lossHead ? choice.lossHead : LossHead::Chunked;
    return choice;
}

std::string devicesSentence(PlanSearch& search, const std::vector<PlanEvaluation>& ranked)
{
    const PlanSpace& space = search.space();
    if (!runsSharded(space.goal)) {
        return "more of them hold no more than one: a perturbation experiment runs on one device";
    }
    if (space.goal != Goal::Hessian && space.target.optimizer->takesWholeTensors()) {
        return fmt::format("more of them hold no more than one: {} takes whole tensors, which no shard holds",
                           space.target.optimizer->name);
    }
    const auto found = std::find_if(ranked.begin(), ranked.end(), [](const PlanEvaluation& evaluation) {
        return evaluation.verdict == Verdict::NeedsSharding;
    });
    const auto wanted = sharded(found == ranked.end() ? frugal(space) : found->choice, space.fixed);
    if (!wanted) {
        return fmt::format(
            "more of them hold no more of {} than one: trace, density, eigenvalues and single entries are "
            "what shards have",
            quantityWord(space.target));
    }
    const auto enough = shardsThatFit(search, *wanted, nullptr);
    if (!enough) {
        return fmt::format("no number of {} up to {} fits it by ZeRO-3: one layer or its activations are too large",
                           space.device.name, mostDevices());
    }
    return fmt::format("{} x {} ({})", enough->choice.devices, space.device.name, titleOf(space, enough->choice));
}

// The space with another shape, without its list of configurations.
PlanSpace spaceOfModel(const PlanSpace& space, const ModelConfig& config)
{
    PlanSpace other;
    other.goal = space.goal;
    other.device = space.device;
    other.devices = space.devices;
    other.document = space.document;
    other.base = space.base;
    other.base.model.config = config;
    other.fixed = space.fixed;
    other.target = space.target;
    other.target.seq = std::min(space.target.seq, config.maxPositions);
    return other;
}

bool runsExactly(const PlanSpace& space, const std::stop_token& stop)
{
    PlanSearch search(space, stop);
    for (const PlanChoice& choice : {space.target, frugal(space)}) {
        const auto found = search.evaluate(choice, true);
        if (found && runs(found->verdict)) {
            return true;
        }
    }
    return false;
}

// The largest model of the catalogue that this goal runs on this device, of the same family where there is one.
std::string modelSentence(PlanSearch& search)
{
    const PlanSpace& space = search.space();
    auto catalogue = loadModelCatalogue();
    if (!catalogue) {
        return {};
    }
    std::sort(catalogue->begin(), catalogue->end(),
              [](const CatalogueModel& a, const CatalogueModel& b) { return a.parameters > b.parameters; });
    const std::int64_t asked = parameterCount(space.base.model.config);
    for (const bool sameFamily : {true, false}) {
        for (const CatalogueModel& model : *catalogue) {
            const bool family = model.config.family == space.base.model.config.family;
            if (model.parameters >= asked || (sameFamily && !family)) {
                continue;
            }
            if (runsExactly(spaceOfModel(space, model.config), search.stopToken())) {
                return fmt::format("{} ({:.3g} parameters) is the largest of the {} that runs as requested on {}{}",
                                   model.title, static_cast<double>(model.parameters),
                                   sameFamily ? "family in the catalogue" : "catalogue",
                                   space.devices == 1 ? "one " : "", space.device.name);
            }
        }
    }
    return {};
}

std::string approximationSentence(PlanSearch& search, const std::vector<PlanEvaluation>& ranked)
{
    const PlanSpace& space = search.space();
    for (const LadderRung& rung : ladderRungs(search, space.target)) {
        const auto found = search.evaluate(rung.choice, true);
        if (found && runs(found->verdict)) {
            return fmt::format("an approximation: {}: {} of {}. {}", titleOf(space, rung.choice),
                               formatBytes(found->reservedBytes), formatBytes(space.device.usableBytes),
                               fmt::join(concessionsOf(space, rung.choice), " "));
        }
    }
    const auto least =
        std::min_element(ranked.begin(), ranked.end(), [&space](const PlanEvaluation& a, const PlanEvaluation& b) {
            const bool many = a.choice.devices > space.devices;
            const bool more = b.choice.devices > space.devices;
            return many != more ? !many : a.reservedBytes < b.reservedBytes;
        });
    const auto smallest = least == ranked.end() ? std::nullopt : search.evaluate(least->choice, false);
    if (!smallest) {
        return {};
    }
    return fmt::format("no approximation fits: the smallest found ({}) misses {}", titleOf(space, smallest->choice),
                       formatBytes(smallest->reservedBytes + space.device.contextBytes - space.device.usableBytes));
}

} // namespace

std::vector<LadderRung> ladderRungs(PlanSearch& search, const PlanChoice& start)
{
    return LadderBuilder(search, start).build();
}

std::optional<PlanEvaluation> shardsThatFit(PlanSearch& search, const PlanChoice& choice, MemoryEstimate* estimate)
{
    const PlanSpace& space = search.space();
    // A number of devices is a promise: on cards it holds whatever the estimate is off by.
    const double band = space.device.cuda ? 1 + kReservedBand : 1;
    const auto room = static_cast<double>(space.device.usableBytes - space.device.contextBytes);
    // What the allocator adds is nearly the same share on any number of devices, so that few are asked of its model.
    double share = 1;
    const auto roomy = [&](std::int64_t devices) {
        const auto found = search.evaluate(onDevices(space, choice, devices), true);
        return found && share * band * static_cast<double>(found->peakBytes) <= room;
    };
    std::optional<PlanEvaluation> best;
    MemoryEstimate ofBest;
    std::int64_t refused = space.devices;
    for (int i = 0; i < 6 && !search.stopped(); ++i) {
        std::int64_t devices = leastDevices(refused + 1, roomy);
        if (best && devices >= best->choice.devices) {
            devices = (refused + best->choice.devices) / 2; // that share is not the same everywhere after all
        }
        if (devices == 0 || devices == refused) {
            break;
        }
        MemoryEstimate own;
        auto found = search.evaluate(onDevices(space, choice, devices), false, &own);
        if (!found) {
            break;
        }
        share = static_cast<double>(found->reservedBytes) /
                static_cast<double>(std::max<std::int64_t>(1, found->peakBytes));
        if (runs(found->verdict) && band * static_cast<double>(found->reservedBytes) <= room) {
            best = std::move(found);
            ofBest = std::move(own);
        } else {
            refused = devices;
        }
    }
    if (best && estimate != nullptr) {
        *estimate = std::move(ofBest);
    }
    return best;
}

std::vector<LadderStep> ladderSteps(PlanSearch& search, const std::optional<PlanChoice>& elsewhere)
{
    const PlanSpace& space = search.space();
    std::vector<LadderRung> rungs = ladderRungs(search, space.target);
    // Sharding is exact: it starts from what was asked for.
    const auto whole = rungs.empty() ? std::nullopt : sharded(rungs.front().choice, space.fixed);
    if (!space.fixed.sharding && whole && runsSharded(space.goal)) {
        LadderRung last{rungs.front().change, *whole};
        last.choice.checkpointing = frugal(space).checkpointing;
        last.choice.lossHead = frugal(space).lossHead;
        const auto enough = elsewhere ? std::nullopt : shardsThatFit(search, last.choice, nullptr);
        last.choice = elsewhere ? *elsewhere : enough ? enough->choice : onDevices(space, last.choice, 64);
        last.change = fmt::format("sharding over {} devices instead of all these, exact as well: {}",
                                  last.choice.devices, titleOf(space, last.choice));
        rungs.push_back(std::move(last));
    }
    std::vector<std::optional<PlanEvaluation>> found(rungs.size());
    parallelFor(rungs.size(), 1, search.stopToken(),
                [&](std::size_t begin, std::size_t) { found[begin] = search.evaluate(rungs[begin].choice, false); });
    std::vector<LadderStep> steps;
    for (std::size_t i = 0; i < rungs.size(); ++i) {
        if (!found[i]) {
            continue;
        }
        LadderStep step;
        step.change = rungs[i].change;
        step.peakBytes = found[i]->peakBytes;
        const bool sharded = rungs[i].choice.sharding != space.target.sharding;
        const std::int64_t before = steps.empty() ? step.peakBytes : (sharded ? steps.front() : steps.back()).peakBytes;
        step.savedBytes = before - step.peakBytes;
        step.verdict = found[i]->verdict;
        step.tier = found[i]->tier;
        step.experiment = documentOf(space, rungs[i].choice);
        steps.push_back(std::move(step));
    }
    return steps;
}

std::vector<std::string> whatWouldFit(PlanSearch& search, const std::vector<PlanEvaluation>& ranked)
{
    std::vector<std::string> sentences{"devices: " + devicesSentence(search, ranked)};
    if (const std::string model = modelSentence(search); !model.empty()) {
        sentences.push_back("a smaller model: " + model);
    }
    if (const std::string approximation = approximationSentence(search, ranked); !approximation.empty()) {
        sentences.push_back(approximation);
    }
    return sentences;
}

} // namespace peakscope
