// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender.h"

#include "core/base/bytes_apart.h"
#include "core/base/units.h"
#include "core/planning/inputs/data_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

constexpr std::int64_t kMostFittedRows = 65'536;
constexpr std::int64_t kShortestFitted = 16; // tokens
// Predictions err by up to about one percent; what is chosen leaves that much.
constexpr double kShareOfBudget = 0.99;

// What fitting may change, and what it was before.
struct FitState {
    std::int64_t batch = 1;
    std::int64_t physical = 1;
    std::int64_t seq = 1;
    std::int64_t count = 0; // sampled parameters; 0: not sampled
    bool checkpointing = false;
    LossHead lossHead = LossHead::Auto;
};

class Fitter
{
public:
    Fitter(const Experiment& experiment, std::int64_t budgetBytes, bool cuda)
        : m_experiment(experiment), m_budget(budgetBytes),
          m_room(static_cast<std::int64_t>(kShareOfBudget * static_cast<double>(budgetBytes))), m_cuda(cuda),
          m_curvature(experiment.kind == ExperimentKind::Curvature),
          m_accumulates(experiment.data.maxPhysicalBatch < experiment.data.batch)
    {
        const DataOptions& data = experiment.data;
        m_asked = {data.batch,
                   data.maxPhysicalBatch,
                   data.seq,
                   0,
                   experiment.training.checkpointing,
                   experiment.training.lossHead};
        if (m_curvature && experiment.curvature->select == EntrySelection::Sample) {
            m_asked.count = experiment.curvature->count;
        }
    }

    Result<FittedExperiment> fit(int step)
    {
        FitState state = m_asked;
        if (Status found = m_curvature ? shrinkCurvature(state) : growRows(state); !found) {
            return found.error();
        }
        std::vector<std::string> below;
        for (int i = 0; i < step; ++i) {
            const std::string change = stepDown(state);
            if (change.empty()) {
                return failed("fit", fmt::format("nothing is left to give up below {}", describe(state)));
            }
            below.push_back(change);
        }
        const auto estimate = estimateOf(state);
        if (!estimate) {
            return estimate.error();
        }
        return FittedExperiment{documentOf(state), sentence(state, *estimate, below), *estimate};
    }

private:
    Experiment experimentOf(const FitState& state) const
    {
        Experiment e = m_experiment;
        e.data.batch = state.batch;
        e.data.maxPhysicalBatch = state.physical;
        e.data.seq = state.seq;
        e.training.checkpointing = state.checkpointing;
        e.training.lossHead = state.lossHead;
        if (state.count > 0) {
            e.curvature->count = state.count;
        }
        return e;
    }

    nlohmann::json documentOf(const FitState& state) const
    {
        Experiment e = experimentOf(state);
        e.fit = false; // it is done
        if (e.budgetBytes == 0) {
            e.budgetBytes = m_budget;
        }
        return experimentDocument(e);
    }

    Result<MemoryEstimate> estimateOf(const FitState& state) const
    {
        EstimateOptions options;
        options.cuda = m_cuda;
        options.derived = !m_cuda; // exact where no caching allocator has a say
        return estimateMemory(experimentOf(state), options);
    }

    std::int64_t needOf(const MemoryEstimate& estimate) const
    {
        return m_cuda ? estimate.peakReservedBytes : estimate.peakBytes;
    }

    bool fits(const FitState& state) const
    {
        const auto estimate = estimateOf(state);
        return estimate && needOf(*estimate) <= m_room;
    }

    // The largest value between 1, which fits, and `most` (inclusive).
    template <typename Set>
    std::int64_t largest(FitState state, std::int64_t most, const Set& set) const
    {
        std::int64_t good = 1;
        std::int64_t bad = 2;
        const auto tried = [&](std::int64_t value) {
            set(state, value);
            return fits(state);
        };
        while (bad <= most && tried(bad)) {
            good = bad;
            bad *= 2;
        }
        if (bad > most && (good == most || tried(most))) {
            return most;
        }
        bad = std::min(bad, most);
        while (bad - good > 1) {
            const std::int64_t middle = (good + bad) / 2;
            (tried(middle) ? good : bad) = middle;
        }
        return good;
    }

    // No more than the data has, as far as it is here to look at: a step uses each once.
    std::int64_t mostRows() const
    {
        if (m_experiment.data.source == DataSource::Builtin || m_experiment.kind == ExperimentKind::Prm) {
            return kMostFittedRows;
        }
        FitState one = m_asked;
        one.batch = one.physical = 1;
        const auto source = openBatches(experimentOf(one));
        return source ? std::min(source->rows(), kMostFittedRows) : kMostFittedRows;
    }

    // Rows as many as fit: of the batch, or of one pass where the experiment accumulates over a batch that it wants.
    Status growRows(FitState& state)
    {
        const auto set = [this](FitState& s, std::int64_t rows) {
            s.physical = rows;
            s.batch = m_accumulates ? s.batch : rows;
        };
        set(state, 1);
        const auto one = estimateOf(state);
        if (!one) {
            return one.error();
        }
        if (needOf(*one) > m_room) {
            // Exact ways out first.
            for (const bool checkpointing : {m_asked.checkpointing, true}) {
                state.lossHead = LossHead::Chunked;
                state.checkpointing = checkpointing;
                if (fits(state)) {
                    break;
                }
            }
            if (!fits(state)) {
                return tooSmall(*one, "one row");
            }
        }
        set(state, largest(state, m_accumulates ? m_asked.batch : mostRows(), set));
        return Done{};
    }

    // Entries and rows as asked for, or the most below that fit. More of them take longer, not more memory.
    Status shrinkCurvature(FitState& state)
    {
        const auto asked = estimateOf(state);
        if (!asked) {
            return asked.error();
        }
        if (needOf(*asked) <= m_room) {
            return Done{};
        }
        const auto setCount = [](FitState& s, std::int64_t count) { s.count = count; };
        const auto setBatch = [](FitState& s, std::int64_t rows) { s.batch = s.physical = rows; };
        FitState one = state;
        if (state.count > 0) {
            setCount(one, 1);
            if (fits(one)) {
                setCount(state, largest(one, m_asked.count, setCount));
                return Done{};
            }
        }
        one = state;
        setBatch(one, 1);
        if (!fits(one) && state.count > 0) {
            setCount(one, 1);
        }
        if (!fits(one)) {
            return tooSmall(*asked, "the least of it");
        }
        setBatch(one, largest(one, m_asked.batch, setBatch));
        if (state.count > 0 && one.count == 1) {
            setCount(one, largest(one, m_asked.count, setCount));
        }
        state = one;
        return Done{};
    }

    Error tooSmall(const MemoryEstimate& least, const std::string& what) const
    {
        const auto [needed, budget] = formatBytesApart(needOf(least), m_budget);
        return {ErrorCode::OverBudget,
                fmt::format("not even {} fits: {} are needed at least, the budget is {}; try a 16-bit dtype, a "
                            "shorter data.seq or a smaller model",
                            what, needed, budget),
                "fit"};
    }

    // One step down the ladder: rows, then what stays exact, then tokens; empty where nothing is left.
    std::string stepDown(FitState& state) const
    {
        if (state.physical > 1) {
            const std::int64_t before = state.physical;
            state.physical = before / 2;
            state.batch = m_accumulates ? state.batch : state.physical;
            return fmt::format("{} rows -> {}", before, state.physical);
        }
        if (state.count > 1) {
            const std::int64_t before = state.count;
            state.count = std::max<std::int64_t>(1, before / 10);
            return fmt::format("{} sampled parameters -> {}", before, state.count);
        }
        if (state.lossHead != LossHead::Chunked) {
            state.lossHead = LossHead::Chunked;
            return "loss head in chunks";
        }
        if (!state.checkpointing) {
            state.checkpointing = true;
            return "checkpointing";
        }
        if (state.seq / 2 >= kShortestFitted) {
            state.seq /= 2;
            return fmt::format("data.seq {} -> {}", state.seq * 2, state.seq);
        }
        return "";
    }

    std::string describe(const FitState& state) const
    {
        std::string text = m_accumulates
                               ? fmt::format("data.max_physical_batch {} of data.batch {}", state.physical, state.batch)
                               : fmt::format("data.batch {}", state.batch);
        if (state.count > 0) {
            text += fmt::format(", curvature.parameters.count {}", state.count);
        }
        if (state.lossHead != m_asked.lossHead) {
            text += fmt::format(", training.loss_head {}", name(state.lossHead));
        }
        if (state.checkpointing != m_asked.checkpointing) {
            text += ", training.checkpointing true";
        }
        if (state.seq != m_asked.seq) {
            text += fmt::format(", data.seq {}", state.seq);
        }
        return text;
    }

    std::string sentence(const FitState& state, const MemoryEstimate& estimate,
                         const std::vector<std::string>& below) const
    {
        const std::string peak =
            fmt::format("predicted peak {} of a budget of {}", formatBytes(needOf(estimate)), formatBytes(m_budget));
        if (!below.empty()) {
            return fmt::format("fit: went down the ladder ({}) to {}; {}", fmt::join(below, ", "), describe(state),
                               peak);
        }
        if (m_curvature && state.batch == m_asked.batch && state.count == m_asked.count) {
            return fmt::format("fit: {} as requested; {}", describe(state), peak);
        }
        const bool most = !m_curvature && !m_accumulates && state.batch == kMostFittedRows;
        return fmt::format("fit: chose {}, {}; {}", describe(state),
                           most ? "as many rows as are ever chosen" : "the most that the budget allows", peak);
    }

    const Experiment& m_experiment;
    std::int64_t m_budget;
    std::int64_t m_room;
    bool m_cuda;
    bool m_curvature;
    bool m_accumulates;
    FitState m_asked;
};

} // namespace

Result<FittedExperiment> fitExperiment(const Experiment& experiment, std::int64_t budgetBytes, bool cuda, int step)
{
    if (budgetBytes <= 0) {
        return badInput("fit", fmt::format("a budget of {} bytes leaves nothing to fit", budgetBytes));
    }
    try {
        return Fitter(experiment, budgetBytes, cuda).fit(std::max(0, step));
    } catch (const nlohmann::json::exception& exception) {
        return badInput("fit", fmt::format("not a readable experiment ({})", exception.what()));
    }
}

} // namespace peakscope
