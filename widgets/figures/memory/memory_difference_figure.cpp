// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_difference: what each line of the program holds more or less of in a second CUDA memory snapshot than in the
// first, at the same instant of both.
#include "widgets/figures/page/figure_bars.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/text/bytes_text.h"

#include "core/results/component_reading.h"
#include "core/snapshots/snapshot_diff.h"
#include "core/snapshots/snapshot_instant.h"
#include "core/snapshots/snapshot_recording.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {
namespace memory_difference_figure {
namespace {

constexpr std::size_t kMostRows = 16;

Status checkRun(const RunResult& run)
{
    return run.recording ? Status(Done{})
                         : failed({}, "it is no CUDA memory snapshot (torch.cuda.memory._dump_snapshot)");
}

std::vector<SnapshotHolder> holdersOf(const RunResult& run, const std::string& at, HolderKey key)
{
    const SnapshotReplay& replay = run.recording->replay;
    return snapshotHolders(*run.recording->snapshot, replay, shownEvent(replay, at), key);
}

std::string sharedAt(const RunResults& results)
{
    return comparedAt(results[0]->recording->replay, results[1]->recording->replay);
}

std::int64_t sumOf(const std::vector<HolderChange>& changes, std::size_t side)
{
    std::int64_t sum = 0;
    for (const HolderChange& change : changes)
        sum += change.requestedBytes[side];
    return sum;
}

void addChanges(FigureBlock& block, const FigureCanvas& canvas, const std::vector<HolderChange>& changes,
                const QString& title, bool components)
{
    BarPanel panel;
    panel.title = title;
    double largest = 0;
    std::int64_t rest = 0;
    std::size_t left = 0;
    for (const HolderChange& change : changes) {
        if (change.bytes() == 0)
            continue;
        if (panel.rows.size() == kMostRows) {
            rest += change.bytes();
            ++left;
            continue;
        }
        const auto bytes = static_cast<double>(change.bytes());
        largest = std::max(largest, std::abs(bytes));
        FigureBarRow row;
        const auto component = components ? componentFromName(change.what) : std::nullopt;
        row.name = component ? componentTitle(*component) : QString::fromStdString(change.what);
        const Fill fill = component ? componentFill(*component) : Fill{canvas.colors().muted};
        row.bars.push_back({{{bytes, fill}}, signedBytesText(change.bytes()), false});
        panel.rows.push_back(std::move(row));
    }
    if (left > 0) {
        FigureBarRow row;
        row.name = FigureText::tr("%1 more").arg(left);
        row.bars.push_back({{{static_cast<double>(rest), Fill{canvas.colors().muted}}}, signedBytesText(rest), false});
        panel.rows.push_back(std::move(row));
    }
    if (panel.rows.empty())
        panel.rows.push_back({FigureText::tr("nothing differs"), {}, {{{}, signedBytesText(0), false}}});
    panel.unit = byteUnit(std::max(largest, 1.0));
    panel.axisTitle = FigureText::tr("Difference (%1)").arg(panel.unit.name);
    addPanel(block.panels, canvas, std::move(panel));
}

std::vector<FigureBlock> blocks(const FigureCanvas& canvas, const RunResults& results)
{
    const std::string& asked = canvas.preset().at;
    const std::string at = asked.empty() ? sharedAt(results) : asked;
    const auto changes = [&](HolderKey key) {
        return holderChanges(holdersOf(*results[0], at, key), holdersOf(*results[1], at, key));
    };
    const std::vector<HolderChange> lines = changes(HolderKey::Line);
    const std::vector<QString> labels = runLabels(results);
    const std::int64_t a = sumOf(lines, 0), b = sumOf(lines, 1);
    FigureBlock block;
    QStringList caption{FigureText::tr("A: %1, %2").arg(labels[0], bytesText(a)),
                        FigureText::tr("B: %1, %2").arg(labels[1], bytesText(b)),
                        FigureText::tr("B − A: %1 requested").arg(signedBytesText(b - a))};
    if (at == "peak" || at == "end")
        caption << (at == "peak" ? FigureText::tr("at their peaks") : FigureText::tr("at their ends"));
    const std::vector<HolderChange> components = changes(HolderKey::Component);
    const bool doubted =
        std::ranges::any_of(results, [](const auto& run) { return componentDoubt(*run) == ComponentDoubt::Inferred; });
    if (doubted && std::any_of(components.begin(), components.end(),
                               [](const HolderChange& change) { return change.what != name(Component::Other); }))
        caption << FigureText::tr("components inferred");
    block.above = captionPart(canvas, caption);
    addChanges(block, canvas, lines, FigureText::tr("By line"), false);
    addChanges(block, canvas, components, FigureText::tr("By component"), true);
    return {std::move(block)};
}

std::string csv(const RunResults& results)
{
    const std::string at = sharedAt(results);
    return toCsv(holderChangesTable(
        holderChanges(holdersOf(*results[0], at, HolderKey::Line), holdersOf(*results[1], at, HolderKey::Line))));
}

} // namespace
} // namespace memory_difference_figure

constinit const FigureKind kMemoryDifferenceFigure{
    .title = QT_TRANSLATE_NOOP("peakscope::FigureText", "What differs between two snapshots"),
    .check = &memory_difference_figure::checkRun,
    .csv = &memory_difference_figure::csv,
    .blocks = &memory_difference_figure::blocks,
    .mostRuns = 2,
    .leastRuns = 2};

} // namespace peakscope
