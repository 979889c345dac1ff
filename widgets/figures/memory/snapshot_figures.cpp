// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_treemap, memory_flame_graph, segment_map: what a CUDA memory snapshot holds at an instant, as the window draws
// it. A panel a snapshot.
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_legend.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/figures/plan/plan_figure.h"
#include "widgets/look/theme.h"
#include "widgets/snapshot/tile_layout.h"
#include "widgets/text/bytes_text.h"

#include "core/results/component_reading.h"
#include "core/snapshots/snapshot_holders.h"
#include "core/snapshots/snapshot_instant.h"

#include <QLocale>

#include <array>
#include <functional>

namespace peakscope {
namespace snapshot_figures {
namespace {

constexpr TextSize kSize = TextSize::Small;

Status checkRun(const RunResult& run)
{
    if (!run.recording)
        return failed({}, "it is no CUDA memory snapshot (torch.cuda.memory._dump_snapshot)");
    const SnapshotReplay& replay = run.recording->replay;
    return replay.hasPeak() || replay.endBlocks > 0 ? Status(Done{}) : failed({}, "nothing was ever allocated in it");
}

std::int64_t eventOf(const FigureCanvas& canvas, const RunResult& run)
{
    return shownEvent(run.recording->replay, canvas.preset().at);
}

QStringList captionOf(const RunResult& run, std::int64_t event)
{
    const SnapshotReplay& replay = run.recording->replay;
    const AliveSum alive = aliveSum(replay, event);
    QStringList parts;
    if (!replay.hasPeak())
        parts << FigureText::tr("when the file was written");
    else if (replay.stepEnds.empty())
        parts << FigureText::tr("after event %1").arg(QLocale().toString(static_cast<qlonglong>(event)));
    else
        parts << FigureText::tr("after event %1, in step %2")
                     .arg(QLocale().toString(static_cast<qlonglong>(event)),
                          QLocale().toString(static_cast<qlonglong>(replay.stepOf(event))));
    parts << FigureText::tr("%1 requested by %2 blocks")
                 .arg(bytesText(alive.requestedBytes), QLocale().toString(static_cast<qlonglong>(alive.blocks)));
    if (replay.kind == HistoryKind::Cut)
        parts << FigureText::tr("history cut: at least");
    if (alive.inferred() && componentDoubt(run) == ComponentDoubt::Inferred)
        parts << FigureText::tr("components inferred");
    return parts;
}

void drawTile(FigureCanvas& canvas, const Tile& tile, bool withBytes)
{
    const double line = canvas.lineHeight(kSize);
    TextStyle style{kSize};
    if (tile.kind == TileKind::Heading) {
        style.muted = true;
    } else if (tile.kind == TileKind::Free) {
        canvas.outline(tile.rect, canvas.colors().axis, canvas.hairline() / 2);
        return;
    } else {
        const QColor fill = componentColor(tile.component);
        if (tile.kind == TileKind::Awaiting)
            canvas.area(tile.rect, Fill{fill, Hatch::Rising, canvas.colors().background});
        else
            canvas.rect(tile.rect, fill);
        if (tile.rect.width() > 1)
            canvas.outline(tile.rect, canvas.colors().background, canvas.hairline() / 2);
        style.color = contrastRatio(fill, Qt::white) > contrastRatio(fill, Qt::black) ? Qt::white : Qt::black;
    }
    const double room = tile.rect.width() - canvas.gap();
    if (tile.rect.height() < line * 0.95 || room < canvas.fontPt(kSize) * 2)
        return;
    const QString whole = tile.name + QStringLiteral("  ") + bytesText(tile.bytes);
    const QString text = withBytes && canvas.width(whole, style) <= room ? whole
                         : canvas.width(tile.name, style) <= room        ? tile.name
                                                                         : shortTileName(tile.name);
    QPointF at(tile.rect.left() + canvas.gap() / 2, tile.rect.center().y());
    const QString bytes = bytesText(tile.bytes);
    const bool below = withBytes && text != whole && tile.kind != TileKind::Heading && tile.rect.height() >= 2 * line &&
                       canvas.width(bytes, style) <= room;
    if (below) {
        canvas.text(at + QPointF(0, line / 2), bytes, Qt::AlignLeft, style);
        at -= QPointF(0, line / 2);
    }
    canvas.text(at, canvas.elided(text, room, style), Qt::AlignLeft, style);
}

// What a figure of this kind is made of: where its tiles lie, how high it wants to be, which components they have.
struct Shape {
    std::function<std::vector<Tile>(const QRectF& area, double line)> tiles;
    std::function<double(double width)> height;
    bool withBytes = true;
    bool legend = true;
};

std::function<double(double width)> byWidth(double share)
{
    return [share](double width) { return width * share; };
}

std::vector<LegendEntry> legendOf(const FigureCanvas& canvas, const RunResult& run, std::int64_t event, bool free)
{
    const AliveSum alive = aliveSum(run.recording->replay, event);
    std::vector<LegendEntry> entries;
    for (const Component component : componentStackOrder()) {
        if (alive.has(component))
            entries.push_back({componentTitle(component), Fill{componentColor(component)}});
    }
    if (free)
        entries.push_back({FigureText::tr("free"), Fill{canvas.colors().background}});
    return entries;
}

FigureBlock blockOf(const FigureCanvas& canvas, const RunResult& run, const Shape& shape, bool free)
{
    const std::int64_t event = eventOf(canvas, run);
    FigureBlock block;
    block.above = captionPart(canvas, captionOf(run, event));
    Panel panel;
    panel.wholeRow = true;
    panel.least = 0.4;
    panel.height = shape.height;
    panel.draw = [shape](FigureCanvas& target, const QRectF& rect, const QString&) {
        for (const Tile& tile : shape.tiles(rect, target.lineHeight(kSize) * 1.15))
            drawTile(target, tile, shape.withBytes);
    };
    block.panels.push_back(std::move(panel));
    if (shape.legend)
        block.below = legendPart(canvas, legendOf(canvas, run, event, free));
    return block;
}

FigureBlock treemapBlock(const FigureCanvas& canvas, const RunResult& run)
{
    const SnapshotRecording& recording = *run.recording;
    const auto shares = std::make_shared<const std::vector<ComponentShare>>(
        componentShares(*recording.snapshot, recording.replay, eventOf(canvas, run)));
    return blockOf(canvas, run,
                   {[shares](const QRectF& area, double line) { return treemapTiles(*shares, area, line); },
                    byWidth(0.5), true, false},
                   false);
}

FigureBlock flameBlock(const FigureCanvas& canvas, const RunResult& run)
{
    const SnapshotRecording& recording = *run.recording;
    const auto root =
        std::make_shared<const FrameNode>(frameTree(*recording.snapshot, recording.replay, eventOf(canvas, run)));
    const double depth = static_cast<double>(flameDepth(*root, root->requestedBytes / 500));
    return blockOf(canvas, run,
                   {[root](const QRectF& area, double line) { return flameTiles(*root, area, line, 0.5); },
                    [&canvas, depth](double) { return depth * canvas.lineHeight(kSize) * 1.6; }, true, true},
                   false);
}

FigureBlock segmentBlock(const FigureCanvas& canvas, const RunResult& run)
{
    const std::shared_ptr<const SnapshotRecording> recording = run.recording;
    const auto map =
        std::make_shared<const SegmentMap>(segmentMap(*recording->snapshot, recording->replay, eventOf(canvas, run)));
    return blockOf(
        canvas, run,
        {[recording, map](const QRectF& area, double line) { return segmentTiles(*map, *recording, area, line); },
         byWidth(0.5), false, true},
        true);
}

// Figures' data are of first sight; `export --at` draws another instant.
std::string csvOf(const RunResults& results, Table (*tableOf)(const SnapshotRecording&, std::int64_t))
{
    const std::vector<QString> labels = runLabels(results);
    Table all;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const SnapshotRecording& recording = *results[i]->recording;
        Table table = labelled(tableOf(recording, firstSight(recording.replay)), labels[i]);
        all.columns = table.columns;
        all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
    }
    return toCsv(all);
}

Table sharesTable(const SnapshotRecording& recording, std::int64_t event)
{
    Table table{"treemap", {{"component", ""}, {"line", ""}, {"requested_bytes", "bytes"}, {"blocks", ""}}, {}};
    for (const ComponentShare& share : componentShares(*recording.snapshot, recording.replay, event)) {
        for (const LineShare& line : share.lines)
            table.rows.push_back({std::string(name(share.component)), line.what, line.requestedBytes, line.blocks});
    }
    return table;
}

// A row a stack that holds something, as flame graphs are written: the outermost frame first.
Table stacksTable(const SnapshotRecording& recording, std::int64_t event)
{
    Table table{"flame_graph", {{"stack", ""}, {"requested_bytes", "bytes"}, {"blocks", ""}}, {}};
    const std::function<void(const FrameNode&, const std::string&)> add = [&](const FrameNode& node,
                                                                              const std::string& path) {
        const std::string here = path.empty() ? node.what : path + ";" + node.what;
        std::int64_t bytes = node.requestedBytes, blocks = node.blocks;
        for (const FrameNode& callee : node.callees) {
            add(callee, here);
            bytes -= callee.requestedBytes;
            blocks -= callee.blocks;
        }
        if (blocks > 0)
            table.rows.push_back({here, bytes, blocks});
    };
    add(frameTree(*recording.snapshot, recording.replay, event), {});
    return table;
}

Table piecesTable(const SnapshotRecording& recording, std::int64_t event)
{
    return segmentPiecesTable(*recording.snapshot, recording.replay,
                              segmentMap(*recording.snapshot, recording.replay, event));
}

std::string treemapCsv(const RunResults& results)
{
    return csvOf(results, &sharesTable);
}

std::string flameCsv(const RunResults& results)
{
    return csvOf(results, &stacksTable);
}

std::string segmentCsv(const RunResults& results)
{
    return csvOf(results, &piecesTable);
}

} // namespace
} // namespace snapshot_figures

constinit const FigureKind kMemoryTreemapFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Who holds the memory"),
                                                &snapshot_figures::checkRun, &snapshot_figures::treemapCsv,
                                                &eachRun<&snapshot_figures::treemapBlock>};
constinit const FigureKind kMemoryFlameGraphFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Memory by stack"),
                                                   &snapshot_figures::checkRun, &snapshot_figures::flameCsv,
                                                   &eachRun<&snapshot_figures::flameBlock>};
constinit const FigureKind kSegmentMapFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Segments of the allocator"),
                                             &snapshot_figures::checkRun, &snapshot_figures::segmentCsv,
                                             &eachRun<&snapshot_figures::segmentBlock>};

} // namespace peakscope
