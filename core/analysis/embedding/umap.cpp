// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/embedding/umap.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace peakscope {
namespace {

constexpr int kMostLayoutDimensions = 64;
constexpr int kMostEpochs = 1'000'000;

class StageClock
{
public:
    double lap()
    {
        const auto now = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(now - std::exchange(m_begin, now)).count();
    }

private:
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

Error stoppedError()
{
    return {ErrorCode::Interrupted, "the embedding was stopped", {}};
}

Error memoryError(std::int64_t rows)
{
    return failed("umap", "not enough memory for " + std::to_string(rows) + " rows: take fewer rows or neighbours");
}

Status checkTable(std::span<const double> values, std::int64_t rows, std::int64_t columns)
{
    if (rows < 1 || columns < 1 || values.size() != static_cast<std::size_t>(rows * columns))
        return badInput("umap", "a table needs at least one row and one column of features");
    if (rows >= std::numeric_limits<std::int32_t>::max())
        return badInput("umap", "more than 2,147,483,646 rows");
    const auto odd = std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
    if (odd != values.end()) {
        const auto at = odd - values.begin();
        return badInput("umap", "row " + std::to_string(at / columns + 1) + ", column " +
                                    std::to_string(at % columns + 1) + " is not a finite number");
    }
    return Done{};
}

// How far neighbours, dimensions and epochs follow the wishes on a table of this size.
void fitToTable(UmapOptions& options, std::int64_t rows, UmapSummary& summary)
{
    constexpr std::int64_t kManyRows = 10'000;
    summary.neighbors = static_cast<int>(std::min<std::int64_t>(options.neighbors, rows));
    if (summary.neighbors < options.neighbors)
        summary.notes.push_back("only " + std::to_string(rows) + (rows == 1 ? " row" : " rows") + ", so each has " +
                                std::to_string(rows - 1) + (rows == 2 ? " neighbour" : " neighbours") +
                                " rather than " + std::to_string(options.neighbors - 1));
    summary.epochs = options.epochs > 0 ? options.epochs : rows <= kManyRows ? 500 : 200;
    summary.curve = options.curve ? *options.curve : fitCurve(options.spread, options.minDist);
    summary.start = options.start;
}

} // namespace

Status checkUmapOptions(const UmapOptions& options)
{
    const auto wrong = [](const char* option, const std::string& right) {
        return badInput(option, "must be " + right);
    };
    if (options.neighbors < 2)
        return wrong("neighbors", "2 or more: a point counts as its own first neighbour");
    if (options.dimensions < 1 || options.dimensions > kMostLayoutDimensions)
        return wrong("dimensions", "1 to " + std::to_string(kMostLayoutDimensions));
    if (!(options.spread > 0) || !std::isfinite(options.spread))
        return wrong("spread", "above 0");
    if (!(options.minDist >= 0 && options.minDist <= options.spread))
        return wrong("min_dist", "from 0 to spread");
    if (options.epochs < 0 || options.epochs > kMostEpochs)
        return wrong("epochs", "1 to 1000000, or 0 for the default");
    if (!(options.learningRate > 0) || !std::isfinite(options.learningRate))
        return wrong("learning_rate", "above 0");
    if (options.negativeSampleRate < 0 || options.negativeSampleRate > 1000)
        return wrong("negative_sample_rate", "0 to 1000");
    if (!(options.repulsionStrength >= 0) || !std::isfinite(options.repulsionStrength))
        return wrong("repulsion_strength", "0 or more");
    if (!(options.localConnectivity >= 0 && options.localConnectivity <= 1e6))
        return wrong("local_connectivity", "0 or more");
    if (!(options.setOpMixRatio >= 0 && options.setOpMixRatio <= 1))
        return wrong("set_op_mix_ratio", "0 to 1");
    if (options.curve && !(options.curve->a > 0 && options.curve->b > 0 && std::isfinite(options.curve->a) &&
                           std::isfinite(options.curve->b)))
        return wrong("a and b", "above 0");
    if (options.threads < 0)
        return wrong("threads", "1 or more, or 0 for all");
    return Done{};
}

Result<Umap> Umap::create(std::span<const double> values, std::int64_t rows, std::int64_t columns,
                          const UmapOptions& options, const std::stop_token& stop, const UmapObserver& observer)
{
    if (const Status status = checkUmapOptions(options); !status)
        return status.error();
    if (const Status status = checkTable(values, rows, columns); !status)
        return status.error();
    const auto tell = [&](UmapStage stage, double share) {
        if (observer)
            observer(stage, share);
    };
    try {
        Umap out;
        StageClock clock;
        out.m_options = options;
        out.m_rows = rows;
        ThreadTeam team(options.threads, stop);
        tell(UmapStage::Neighbors, 0);
        out.m_features = prepareFeatures(values, rows, columns, options.metric);
        if (const Status status = out.leaveOutZeroRows(); !status)
            return status.error();
        fitToTable(out.m_options, out.m_features.rows, out.m_summary);
        if (out.m_features.fromMean)
            out.m_summary.notes.emplace_back("all rows point the same way to within single precision: their " +
                                             std::string(name(options.metric)) +
                                             " is taken from the rows' mean, not from zero");
        if (out.m_features.drowned)
            out.m_summary.notes.emplace_back("the rows differ by no more than the rounding of their numbers: what the "
                                             "embedding shows is noise, and it is not scored");
        auto neighbors = findNeighbors(out.m_features, out.m_summary.neighbors, options.search, options.seed, team);
        if (!neighbors)
            return stoppedError();
        out.m_neighbors = std::move(*neighbors);
        out.m_summary.exactNeighbors = out.m_neighbors.exact;
        if (rows > 1) {
            if (const Status status = out.leaveOutFarRows(team); !status)
                return status.error();
        }
        if (team.stopped())
            return stoppedError();
        for (std::string& note : unplacedNotes(out.m_summary.unplaced, out.m_features))
            out.m_summary.notes.push_back(std::move(note));
        out.m_summary.neighborSeconds = clock.lap();
        if (rows == 1) {
            out.m_single.assign(static_cast<std::size_t>(options.dimensions), 0.0f);
            out.m_summary.notes.push_back("one row has no neighbours: it is put at the origin");
            return out;
        }
        tell(UmapStage::Graph, 0);
        const LocalScale scale = localScale(out.m_neighbors, options.localConnectivity, team);
        SparseGraph graph = fuzzyGraph(out.m_neighbors, scale, options.setOpMixRatio, team);
        graph =
            pruneGraph(graph, options.epochs > 10 || options.epochs == 0 ? out.m_summary.epochs
                                                                         : (out.m_features.rows <= 10'000 ? 500 : 200));
        out.m_summary.edges = graph.edges() / 2;
        out.m_summary.graphSeconds = clock.lap();
        tell(UmapStage::Start, 0);
        StartLayout start = startLayout(out.m_features, graph, options.start, options.dimensions, options.seed, team);
        if (team.stopped())
            return stoppedError();
        out.m_summary.start = start.used;
        out.m_summary.parts = start.parts;
        if (!start.note.empty())
            out.m_summary.notes.push_back(start.note);
        const LayoutSettings settings{options.dimensions,   out.m_summary.epochs,       out.m_summary.curve,
                                      options.learningRate, options.negativeSampleRate, options.repulsionStrength,
                                      options.seed};
        out.m_layout = std::make_unique<LayoutOptimizer>(graph, std::move(start.coordinates), settings);
        out.m_summary.startSeconds = clock.lap();
        return out;
    } catch (const std::bad_alloc&) {
        return memoryError(rows);
    }
}

Status Umap::leaveOutZeroRows()
{
    UnplacedRows& unplaced = m_summary.unplaced;
    unplaced.withoutDirection = m_features.zeroRows;
    m_placed = rowsWithout(m_rows, unplaced.withoutDirection);
    if (m_placed.empty())
        return nothingPlaced(unplaced, m_rows, m_options.metric);
    if (!unplaced.withoutDirection.empty())
        m_features = selectRows(m_features, m_placed);
    return Done{};
}

Status Umap::leaveOutFarRows(ThreadTeam& team)
{
    std::vector<std::int64_t> alone = cutFarthestEdges(m_features, m_neighbors, team);
    if (alone.empty() || team.stopped())
        return Done{};
    const std::vector<std::int64_t> kept = rowsWithout(m_features.rows, alone);
    const auto inTable = [this](std::vector<std::int64_t> rows) {
        for (std::int64_t& row : rows)
            row = m_placed[static_cast<std::size_t>(row)];
        return rows;
    };
    m_summary.unplaced.withoutEdge = inTable(std::move(alone));
    m_placed = inTable(kept);
    if (kept.empty())
        return nothingPlaced(m_summary.unplaced, m_rows, m_options.metric);
    m_features = selectRows(m_features, kept);
    m_neighbors = selectRows(m_neighbors, kept);
    return Done{};
}

int Umap::epoch() const
{
    return m_layout ? m_layout->epoch() : m_summary.epochs;
}

std::span<const float> Umap::coordinates() const
{
    return m_layout ? m_layout->coordinates() : m_single;
}

std::vector<float> Umap::tableCoordinates() const
{
    const auto width = static_cast<std::size_t>(m_options.dimensions);
    std::vector<float> out(static_cast<std::size_t>(m_rows) * width, std::numeric_limits<float>::quiet_NaN());
    const auto own = coordinates();
    for (std::size_t i = 0; i < m_placed.size(); ++i)
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                    out.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(m_placed[i]) * width));
    return out;
}

Status Umap::runTo(int epoch, const std::stop_token& stop, const UmapObserver& observer)
{
    if (!m_layout)
        return Done{};
    const int last = std::min(epoch, m_summary.epochs);
    try {
        StageClock clock;
        ThreadTeam team(m_options.threads);
        bool done = true;
        while (done && m_layout->epoch() < last) {
            done = m_layout->step(team, stop);
            if (done && observer)
                observer(UmapStage::Layout, static_cast<double>(m_layout->epoch()) / m_summary.epochs);
        }
        m_summary.layoutSeconds += clock.lap();
        if (!done)
            return stoppedError();
        return Done{};
    } catch (const std::bad_alloc&) {
        return memoryError(m_rows);
    }
}

} // namespace peakscope
