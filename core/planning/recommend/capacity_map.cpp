// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender.h"

#include "core/planning/recommend/parallel_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

namespace peakscope {

namespace {

constexpr std::int64_t kShortest = 16; // tokens of an axis that nobody gave
constexpr std::int64_t kMostBatchAxis = 1024;
constexpr std::size_t kMostMapCells = 100'000;

struct MapCell {
    std::int64_t peakBytes = 0;
    std::int64_t reservedBytes = 0;
    Verdict verdict = Verdict::DoesNotFit;
};

class MapMaker
{
public:
    MapMaker(const Experiment& experiment, const PlanDevice& device, std::stop_token stop)
        : m_experiment(experiment), m_device(device), m_stop(std::move(stop)),
          m_ownPhysical(experiment.data.maxPhysicalBatch < experiment.data.batch), m_options(estimateOptionsOn(device))
    {
        // The closed forms start from every phase's components, which only the simulation with modules lists.
        m_options.modules = experiment.kind != ExperimentKind::Memory ||
                            experiment.training.clipping != Clipping::None ||
                            experiment.training.sharding != Sharding::None;
    }

    // Nothing where the sequence is longer than the model's positions, or the estimator refuses.
    std::optional<MapCell> cell(std::int64_t sequence, std::int64_t batch) const
    {
        if (!possible(sequence)) {
            return std::nullopt;
        }
        Experiment experiment = m_experiment;
        experiment.data.seq = sequence;
        experiment.data.batch = batch;
        experiment.data.maxPhysicalBatch = m_ownPhysical ? std::min(batch, m_experiment.data.maxPhysicalBatch) : batch;
        // The quick estimate is exact but for the allocator's holes: where it does not fit nothing does.
        EstimateOptions options = m_options;
        options.derived = true;
        auto estimate = estimateMemory(experiment, options);
        const auto fitsIn = [this](const MemoryEstimate& e) {
            return verdictFor(e.peakReservedBytes, m_device) != Verdict::DoesNotFit;
        };
        if (estimate && m_device.cuda && fitsIn(*estimate)) {
            estimate = estimateMemory(experiment, m_options);
        }
        if (!estimate) {
            note(estimate.error());
            return std::nullopt;
        }
        return MapCell{estimate->peakBytes, estimate->peakReservedBytes,
                       verdictFor(estimate->peakReservedBytes, m_device)};
    }

    bool fits(std::int64_t sequence, std::int64_t batch) const
    {
        const auto found = cell(sequence, batch);
        return found && found->verdict != Verdict::DoesNotFit;
    }

    // The largest batch that fits, between `least`, which does, and `most`, which does not.
    std::int64_t largestBetween(std::int64_t sequence, std::int64_t least, std::int64_t most) const
    {
        while (most - least > 1 && !m_stop.stop_requested()) {
            const std::int64_t middle = (least + most) / 2;
            (fits(sequence, middle) ? least : most) = middle;
        }
        return least;
    }

    bool possible(std::int64_t sequence) const { return sequence <= longest(); }

    std::int64_t longest() const
    {
        const ModelConfig& c = m_experiment.model.config;
        // Rotary positions do not end.
        return c.learnedPositions() ? c.maxPositions : std::numeric_limits<std::int64_t>::max();
    }

    const std::stop_token& stop() const { return m_stop; }

    std::optional<Error> error() const
    {
        const std::lock_guard lock(m_mutex);
        return m_error;
    }

private:
    void note(const Error& error) const
    {
        const std::lock_guard lock(m_mutex);
        if (!m_error) {
            m_error = error;
        }
    }

    const Experiment& m_experiment;
    const PlanDevice& m_device;
    std::stop_token m_stop;
    bool m_ownPhysical;
    EstimateOptions m_options;
    mutable std::mutex m_mutex;
    mutable std::optional<Error> m_error;
};

Status checkAxis(const std::vector<std::int64_t>& axis, const char* what)
{
    if (!axis.empty() && *std::min_element(axis.begin(), axis.end()) < 1) {
        return badInput(what, fmt::format("{} is below 1", *std::min_element(axis.begin(), axis.end())));
    }
    if (!std::is_sorted(axis.begin(), axis.end())) {
        return badInput(what, "the axis must grow from entry to entry");
    }
    return Done{};
}

// Powers of two up to the model's last position.
std::vector<std::int64_t> sequenceAxis(const MapMaker& maker, const ModelConfig& config)
{
    const std::int64_t most = std::max<std::int64_t>(1, std::min(maker.longest(), config.maxPositions));
    std::vector<std::int64_t> axis;
    for (std::int64_t sequence = std::min(kShortest, most); sequence <= most; sequence *= 2) {
        axis.push_back(sequence);
    }
    if (axis.back() != most) {
        axis.push_back(most);
    }
    constexpr std::size_t kMostSequences = 12;
    if (axis.size() > kMostSequences) {
        axis.erase(axis.begin(), axis.end() - kMostSequences);
    }
    return axis;
}

// Powers of two up to the first that not even the shortest sequence fits.
std::vector<std::int64_t> batchAxis(const MapMaker& maker, std::int64_t shortest)
{
    std::vector<std::int64_t> axis;
    for (std::int64_t batch = 1; batch <= kMostBatchAxis && !maker.stop().stop_requested(); batch *= 2) {
        axis.push_back(batch);
        if (batch > 1 && !maker.fits(shortest, batch)) {
            break;
        }
    }
    return axis;
}

void fillFrontier(const MapMaker& maker, PlannedMap& map)
{
    const std::size_t columns = map.batches.size();
    map.frontier.assign(map.sequences.size(), 0);
    parallelFor(map.sequences.size(), 1, maker.stop(), [&](std::size_t row, std::size_t) {
        std::size_t fitting = 0; // how many of the row's batches fit
        while (fitting < columns && map.verdicts[row * columns + fitting] != Verdict::DoesNotFit) {
            ++fitting;
        }
        if (!maker.possible(map.sequences[row])) {
            return;
        }
        const std::int64_t least = fitting == 0 ? 0 : map.batches[fitting - 1];
        map.frontier[row] =
            fitting == columns ? least : maker.largestBetween(map.sequences[row], least, map.batches[fitting]);
    });
}

Result<PlannedMap> mapOf(const Experiment& experiment, const PlanDevice& device, std::vector<std::int64_t> sequences,
                         std::vector<std::int64_t> batches, const std::stop_token& stop)
{
    for (const auto& [axis, what] : {std::pair{&sequences, "sequences"}, std::pair{&batches, "batches"}}) {
        if (const Status good = checkAxis(*axis, what); !good) {
            return good.error();
        }
    }
    const MapMaker maker(experiment, device, stop);
    PlannedMap map;
    map.sequences = sequences.empty() ? sequenceAxis(maker, experiment.model.config) : std::move(sequences);
    map.batches = batches.empty() ? batchAxis(maker, map.sequences.front()) : std::move(batches);
    const std::size_t cells = map.sequences.size() * map.batches.size();
    if (cells > kMostMapCells) {
        return badInput("", fmt::format("a map of {} cells is more than {}", cells, kMostMapCells));
    }
    map.peakBytes.assign(cells, 0);
    map.reservedBytes.assign(cells, 0);
    map.verdicts.assign(cells, Verdict::DoesNotFit);
    parallelFor(cells, 1, stop, [&](std::size_t i, std::size_t) {
        if (const auto cell = maker.cell(map.sequences[i / map.batches.size()], map.batches[i % map.batches.size()])) {
            map.peakBytes[i] = cell->peakBytes;
            map.reservedBytes[i] = cell->reservedBytes;
            map.verdicts[i] = cell->verdict;
        }
    });
    fillFrontier(maker, map);
    if (stop.stop_requested()) {
        return Error{ErrorCode::Interrupted, "the map was cancelled", ""};
    }
    const bool nothing = std::all_of(map.peakBytes.begin(), map.peakBytes.end(), [](std::int64_t b) { return b == 0; });
    if (const auto error = maker.error(); nothing && error) {
        return *error;
    }
    return map;
}

} // namespace

Result<PlannedMap> capacityMap(const nlohmann::json& document, const PlanDevice& device,
                               std::vector<std::int64_t> sequences, std::vector<std::int64_t> batches,
                               std::stop_token stop)
{
    nlohmann::json readable = document;
    if (readable.is_object() && (!readable.contains("data") || readable["data"].is_object())) {
        readable["data"]["seq"] = 1; // the map has its own; one beyond the positions must not refuse the model
    }
    const auto experiment = experimentFromJson(readable);
    if (!experiment) {
        return experiment.error();
    }
    return mapOf(*experiment, device, std::move(sequences), std::move(batches), stop);
}

} // namespace peakscope
