// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/recommender_ladder.h"

#include "core/base/units.h"
#include "core/planning/parallel_for.h"
#include "core/planning/recommender_wording.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

constexpr std::int64_t kShortestTraining = 128; // tokens
constexpr std::int64_t kShortestCurvature = 16;
constexpr std::int64_t kFewestSampled = 100;
constexpr std::int64_t kLadderRank = 8;
constexpr std::int64_t kMostDevices = 4096;

class LadderBuilder
{
public:
    LadderBuilder(const PlanSpace& space, const PlanChoice& start) : m_space(space), m_fixed(space.fixed), m_now(start)
    {
        add("as asked for: " + titleOf(space, start));
    }

    std::vector<LadderRung> build()
    {
        batches();
        sequences();
        samples();
        if (m_space.goal == Goal::Hessian) {
            recomputation();
            approximation();
            precision(); // last: no engine computes second derivatives in 16 bits
            return std::move(m_rungs);
        }
        precision();
        recomputation();
        approximation();
        return std::move(m_rungs);
    }

private:
    void add(std::string change) { m_rungs.push_back({std::move(change), m_now}); }

    void batches()
    {
        // Rows that only wait for their turn cost nothing: the rows of one pass come first.
        while (m_fixed.batch && !m_fixed.physical && m_now.physical > 1) {
            const std::int64_t before = m_now.physical;
            m_now.physical = (before + 1) / 2;
            add(fmt::format("{} rows a pass -> {}, the batch stays {}", before, m_now.physical, m_now.batch));
        }
        while (!m_fixed.batch && m_now.batch > m_now.devices) {
            const std::int64_t before = m_now.batch;
            m_now.batch = (before + 1) / 2;
            m_now.physical = std::min(m_now.physical, m_now.rowsOfDevice());
            add(fmt::format("batch {} -> {}", before, m_now.batch));
        }
    }

    void sequences()
    {
        const std::int64_t shortest = m_space.goal == Goal::Hessian ? kShortestCurvature : kShortestTraining;
        for (int halvings = 0; !m_fixed.seq && halvings < 3 && m_now.seq / 2 >= shortest; ++halvings) {
            const std::int64_t before = m_now.seq;
            m_now.seq /= 2;
            add(fmt::format("sequence {} -> {}", before, m_now.seq));
        }
    }

    void samples()
    {
        while (!m_fixed.count && m_now.count > kFewestSampled) {
            const std::int64_t before = m_now.count;
            m_now.count = std::max(kFewestSampled, before / 10);
            add(fmt::format("sampled parameters {} -> {}", before, m_now.count));
        }
    }

    void precision()
    {
        if (m_fixed.dtype || bytesPerElement(m_now.dtype) <= 2) {
            return;
        }
        if (m_now.dtype == Dtype::Float64) {
            m_now.dtype = Dtype::Float32;
            add("precision float64 -> float32");
        }
        const bool onlyHalf =
            m_space.device.cuda && m_space.device.bfloat16Flops <= 0 && m_space.device.float16Flops > 0;
        m_now.dtype = onlyHalf ? Dtype::Float16 : Dtype::BFloat16;
        m_now.amp = Amp::None;
        add(fmt::format("precision float32 -> {} ({})", name(m_now.dtype),
                        m_space.goal == Goal::Hessian ? "not computed: second derivatives would be rounding"
                                                      : "weights, gradients and states"));
    }

    void recomputation()
    {
        // The graph of a gradient is kept plain; entries can be had without one.
        if (m_space.goal == Goal::Hessian) {
            if (!m_fixed.method && m_now.quantity == "diagonal" && m_now.method != "jets") {
                m_now.method = "jets";
                add("one layer at a time (jets) instead of a graph of the gradient, still exact");
            }
            return;
        }
        if (!m_fixed.checkpointing && !m_now.checkpointing) {
            m_now.checkpointing = true;
            add("checkpointing: layers are computed again in backward");
        }
        if (!m_fixed.lossHead && m_now.lossHead != LossHead::Chunked) {
            m_now.lossHead = LossHead::Chunked;
            add("loss head in chunks instead of all logits at once");
        }
    }

    void approximation()
    {
        if (m_space.goal == Goal::Hessian) {
            curvatureApproximation();
            return;
        }
        const ModelConfig& c = m_space.base.model.config;
        if (!m_fixed.lora && m_now.loraRank == 0 && kLadderRank <= std::min(c.hidden, c.kvHeads * c.headDim)) {
            m_now.loraRank = kLadderRank;
            add(fmt::format("approximation: adapters of rank {} instead of all weights", kLadderRank));
        }
    }

    void curvatureApproximation()
    {
        if (!m_fixed.method && m_now.quantity != "diagonal" && m_now.method != "finite_difference") {
            m_now.method = "finite_difference";
            if (!m_fixed.attention) {
                m_now.attention = AttentionKind::Auto;
            }
            add("approximation: finite differences of gradients instead of second derivatives");
        }
        if (!m_fixed.quantity && m_now.quantity == "diagonal") {
            m_now.quantity = "fisher_diagonal";
            m_now.method = "auto";
            add("approximation: squared gradients (Fisher) instead of the diagonal");
        }
    }

    const PlanSpace& m_space;
    const PlanFixed& m_fixed;
    PlanChoice m_now;
    std::vector<LadderRung> m_rungs;
};

bool runs(Verdict verdict)
{
    return verdict != Verdict::DoesNotFit;
}

bool fitsOver(PlanSearch& search, PlanChoice choice, std::int64_t devices)
{
    choice.sharding = choice.sharding == Sharding::None ? Sharding::Zero3 : choice.sharding;
    const auto found = search.evaluate(onDevices(search.space(), choice, devices), true);
    return found && runs(found->verdict);
}

// The choice over shards, where it runs there.
std::optional<PlanChoice> sharded(PlanChoice choice, const PlanFixed& fixed)
{
    choice.sharding = choice.sharding == Sharding::None ? Sharding::Zero3 : choice.sharding;
    if (!runsSharded(choice) && !fixed.method) {
        choice.method = choice.method.empty() ? choice.method : "auto";
    }
    return runsSharded(choice) ? std::optional(choice) : std::nullopt;
}

// As asked for, run as frugally as exactness allows.
PlanChoice frugal(const PlanSpace& space)
{
    PlanChoice choice = space.target;
    if (space.goal == Goal::Hessian) {
        choice.method = space.fixed.method ? choice.method : "jets";
        return choice;
    }
    choice.batch = space.fixed.batch ? choice.batch : choice.devices;
    choice.physical = space.fixed.physical ? std::min(choice.physical, choice.rowsOfDevice()) : 1;
    choice.checkpointing = space.fixed.checkpointing ? choice.checkpointing : true;
    choice.lossHead = space.fixed.lossHead ? choice.lossHead : LossHead::Chunked;
    return choice;
}

std::string devicesSentence(PlanSearch& search, const std::vector<PlanEvaluation>& ranked)
{
    const PlanSpace& space = search.space();
    const auto found = std::find_if(ranked.begin(), ranked.end(), [](const PlanEvaluation& evaluation) {
        return evaluation.verdict == Verdict::NeedsSharding;
    });
    const auto wanted = sharded(found == ranked.end() ? frugal(space) : found->choice, space.fixed);
    if (!wanted) {
        return fmt::format(
            "more of them hold no more of {} than one: trace, density, eigenvalues and single entries are "
            "what shards have",
            space.target.quantity);
    }
    PlanChoice choice = *wanted;
    const std::int64_t devices = devicesToFit(search, choice);
    if (devices == 0) {
        return fmt::format("no number of {} up to {} fits it by ZeRO-3: one layer or its activations are too large",
                           space.device.name, kMostDevices);
    }
    choice = onDevices(space, choice, devices);
    return fmt::format("{} x {} ({})", devices, space.device.name, titleOf(space, choice));
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
                return fmt::format("{} ({:.3g} parameters) is the largest of the {} that runs as asked for on {}{}",
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
    // What the search leaves out unasked (16 bits for curvature), then the whole ladder.
    std::vector<PlanChoice> choices;
    if (!space.fixed.dtype) {
        choices.push_back(frugal(space));
        choices.back().dtype = Dtype::BFloat16;
        choices.back().amp = Amp::None;
    }
    for (const LadderRung& rung : ladderRungs(space, space.target)) {
        choices.push_back(rung.choice);
    }
    for (const PlanChoice& choice : choices) {
        const auto found = search.evaluate(choice, true);
        if (found && runs(found->verdict)) {
            return fmt::format("{}: {} of {}. {}", titleOf(space, choice), formatBytes(found->reservedBytes),
                               formatBytes(space.device.usableBytes), fmt::join(concessionsOf(space, choice), " "));
        }
    }
    const auto least =
        std::min_element(ranked.begin(), ranked.end(), [&space](const PlanEvaluation& a, const PlanEvaluation& b) {
            const bool many = a.choice.devices > space.devices;
            const bool more = b.choice.devices > space.devices;
            return many != more ? !many : a.reservedBytes < b.reservedBytes;
        });
    if (least == ranked.end()) {
        return {};
    }
    return fmt::format("no approximation: the smallest found ({}) still misses {}", titleOf(space, least->choice),
                       formatBytes(least->reservedBytes + space.device.contextBytes - space.device.usableBytes));
}

} // namespace

std::vector<LadderRung> ladderRungs(const PlanSpace& space, const PlanChoice& start)
{
    return LadderBuilder(space, start).build();
}

std::int64_t devicesToFit(PlanSearch& search, const PlanChoice& choice)
{
    std::int64_t most = 2;
    while (most <= kMostDevices && !fitsOver(search, choice, most)) {
        most *= 2;
    }
    if (most > kMostDevices) {
        return 0;
    }
    std::int64_t least = most / 2 + 1;
    while (least < most) {
        const std::int64_t middle = (least + most) / 2;
        if (fitsOver(search, choice, middle)) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    return most;
}

std::vector<LadderStep> ladderSteps(PlanSearch& search)
{
    const PlanSpace& space = search.space();
    std::vector<LadderRung> rungs = ladderRungs(space, space.target);
    // Sharding is exact: it starts from what was asked for.
    const auto whole = rungs.empty() ? std::nullopt : sharded(rungs.front().choice, space.fixed);
    if (!space.fixed.sharding && whole) {
        LadderRung last{rungs.front().change, *whole};
        last.choice.checkpointing = frugal(space).checkpointing;
        last.choice.lossHead = frugal(space).lossHead;
        const std::int64_t devices = devicesToFit(search, last.choice);
        last.choice = onDevices(space, last.choice, devices > 0 ? devices : 64);
        last.change = fmt::format("or, instead of all these, sharding: {}", titleOf(space, last.choice));
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
        sentences.push_back("an approximation: " + approximation);
    }
    return sentences;
}

} // namespace peakscope
