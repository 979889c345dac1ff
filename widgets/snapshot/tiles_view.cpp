// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/snapshot/tiles_view.h"

#include "core/snapshots/snapshot_holders.h"
#include "widgets/look/component_palette.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/readout_label.h"
#include "widgets/text/bytes_text.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QMouseEvent>

#include <algorithm>

namespace peakscope {

struct TilesView::Scene {
    TilesShape shape = TilesShape::Treemap;
    std::shared_ptr<const SnapshotRecording> recording;
    std::int64_t event = -1;
    std::vector<bool> chosen;
    std::vector<ComponentShare> shares;
    FrameNode root;
    const FrameNode* zoomed = nullptr; // that a flame graph shows alone; null: all
    SegmentMap map;
    std::vector<Tile> tiles;
    QRectF laidOut; // for which the tiles are
    std::optional<std::size_t> hovered;
    ChartTheme theme;
    QFont font;

    void layOut(const QRectF& rect)
    {
        if (rect == laidOut)
            return;
        laidOut = rect;
        hovered.reset();
        const double line = QFontMetricsF(font).height() + 2;
        const QRectF area = rect.adjusted(1, 1, -1, -1);
        tiles = !recording                        ? std::vector<Tile>()
                : shape == TilesShape::Treemap    ? treemapTiles(shares, area, line)
                : shape == TilesShape::FlameGraph ? flameTiles(zoomed ? *zoomed : root, area, line, 0.7)
                                                  : segmentTiles(map, *recording, area, line, chosen);
    }

    void paint(QPainter& painter, const QRectF& rect)
    {
        layOut(rect);
        painter.setFont(font);
        for (std::size_t i = 0; i < tiles.size(); ++i)
            paintTile(painter, tiles[i], i == hovered);
    }

    void paintTile(QPainter& painter, const Tile& tile, bool current) const
    {
        const QFontMetricsF metrics(font);
        QColor ink = theme.text;
        if (tile.kind == TileKind::Heading) {
            ink = shape == TilesShape::Treemap ? theme.text : theme.mutedText;
        } else if (tile.kind == TileKind::Free) {
            painter.setPen(QPen(theme.axis, 1, Qt::DotLine));
            painter.setBrush(theme.background);
            painter.drawRect(tile.rect.adjusted(0.5, 0.5, -0.5, -0.5));
            return;
        } else {
            const QColor full =
                mixed(theme.background, componentColor(tile.component), shape == TilesShape::FlameGraph ? 0.75 : 1);
            const double share = chosenShare(tile);
            const QColor fill = share >= 0.5 ? full : mixed(theme.background, full, 0.3);
            painter.fillRect(tile.rect, fill);
            if (share > 0 && share < 1) {
                QRectF part = tile.rect;
                part.setWidth(part.width() * share);
                painter.fillRect(tile.rect, mixed(theme.background, full, 0.3));
                painter.fillRect(part, full);
            }
            if (tile.kind == TileKind::Awaiting)
                painter.fillRect(tile.rect, QBrush(theme.background, Qt::BDiagPattern));
            const double edge = tile.rect.width() > 3 ? 1 : 0.3;
            const bool ringed = current || (!chosen.empty() && share >= 1);
            painter.setPen(QPen(ringed ? theme.text : theme.background, ringed ? 2 : edge));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(tile.rect);
            ink = contrastRatio(fill, Qt::white) > contrastRatio(fill, Qt::black) ? Qt::white : Qt::black;
        }
        if (tile.rect.height() < metrics.height() - 1 || tile.rect.width() < 3 * metrics.averageCharWidth())
            return;
        const QRectF inside = tile.rect.adjusted(3, 0, -2, 0);
        QString text = tile.name;
        const QString more = shape == TilesShape::SegmentMap ? QString() : QStringLiteral("  ") + bytesText(tile.bytes);
        if (metrics.horizontalAdvance(text + more) <= inside.width())
            text += more;
        else if (metrics.horizontalAdvance(text) > inside.width())
            text = shortTileName(text);
        painter.setPen(ink);
        painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(text, Qt::ElideRight, inside.width()));
    }

    // All of a tile where nothing was chosen.
    double chosenShare(const Tile& tile) const
    {
        return chosen.empty()
                   ? 1
                   : static_cast<double>(tile.chosenBytes) / static_cast<double>(std::max<std::int64_t>(tile.bytes, 1));
    }

    const Tile* tileAt(QPointF place) const
    {
        // The innermost: a heading or a frame's callee comes after what it lies in.
        const auto found = std::find_if(tiles.rbegin(), tiles.rend(), [place](const Tile& tile) {
            return tile.kind != TileKind::Heading && tile.rect.contains(place);
        });
        return found == tiles.rend() ? nullptr : &*found;
    }
};

namespace {

LanguageText titleOf(TilesShape shape)
{
    return [shape] {
        return shape == TilesShape::Treemap      ? TilesView::tr("Treemap")
               : shape == TilesShape::FlameGraph ? TilesView::tr("Flame graph")
                                                 : TilesView::tr("Segment map");
    };
}

// The node of one tree where `wanted` is in another of the same shape; null: there is none.
const FrameNode* counterpart(const FrameNode& before, const FrameNode& after, const FrameNode* wanted)
{
    if (&before == wanted)
        return &after;
    const std::size_t callees = std::min(before.callees.size(), after.callees.size());
    for (std::size_t i = 0; i < callees; ++i) {
        if (const FrameNode* found = counterpart(before.callees[i], after.callees[i], wanted))
            return found;
    }
    return nullptr;
}

LanguageText explanationOf(TilesShape shape)
{
    return [shape] {
        return shape == TilesShape::Treemap ? TilesView::tr("A tile is what one line of code holds at that instant, "
                                                            "its area the bytes, its colour the component.")
               : shape == TilesShape::FlameGraph
                   ? TilesView::tr("A frame is a call of the program, its width the bytes that it and its callees hold "
                                   "at that instant.")
                   : TilesView::tr("A row is a piece of memory that the allocator reserved. Coloured parts are blocks "
                                   "in use, the others are free.");
    };
}

} // namespace

TilesView::TilesView(TilesShape shape, QWidget* parent)
    : PlotView(titleOf(shape), parent), m_scene(std::make_unique<Scene>())
{
    explain(explanationOf(shape), "snapshots");
    m_scene->shape = shape;
    m_scene->font = font();
    QCPAxisRect* rect = plot()->axisRect();
    for (QCPAxis* axis : rect->axes())
        axis->setVisible(false);
    rect->setAutoMargins(QCP::msNone);
    rect->setMargins(QMargins(4, 2, 4, 2));
    interaction()->setBounds({0, 1, 0, 1});
    interaction()->setSelectionEnabled(false);
    addPaintedPlottable(plot()->xAxis, plot()->yAxis, [this](QPainter& painter, const PlotGeometry& geometry) {
        m_scene->paint(painter, geometry.rect);
    });
    m_readout = new QLabel;
    makeReadout(m_readout, 1, fontMetrics(), [] { return tr("What the pointer shows"); });
    m_legend = new LegendStrip;
    putUnder({m_readout, m_legend});
    plot()->installEventFilter(this);
    inLanguage(this, [this] {
        m_scene->laidOut = {};
        showReadout(nullptr);
        updateLegend();
    });
    setInstant(nullptr, -1);
}

TilesView::~TilesView() = default;

void TilesView::setInstant(std::shared_ptr<const SnapshotRecording> recording, std::int64_t event,
                           std::vector<bool> chosen)
{
    Scene& scene = *m_scene;
    scene.recording = std::move(recording);
    scene.event = event;
    scene.chosen = std::move(chosen);
    scene.zoomed = nullptr;
    gather();
    const bool none = !scene.recording || (scene.shape == TilesShape::SegmentMap   ? scene.map.segments.empty()
                                           : scene.shape == TilesShape::FlameGraph ? scene.root.requestedBytes == 0
                                                                                   : scene.shares.empty());
    setPlaceholder([none, map = scene.shape == TilesShape::SegmentMap] {
        return !none ? QString()
               : map ? tr("No segment is reserved at this instant, or the file lists none.")
                     : tr("Nothing is alive at this instant.");
    });
    showReadout(nullptr);
    updateLegend();
    contentChanged();
}

void TilesView::setChosen(std::vector<bool> blocks)
{
    if (blocks == m_scene->chosen)
        return;
    m_scene->chosen = std::move(blocks);
    const FrameNode before = std::exchange(m_scene->root, {});
    const FrameNode* zoomed = std::exchange(m_scene->zoomed, nullptr);
    gather();
    m_scene->zoomed = zoomed ? counterpart(before, m_scene->root, zoomed) : nullptr;
    contentChanged();
}

void TilesView::gather()
{
    Scene& scene = *m_scene;
    scene.laidOut = {};
    scene.tiles.clear();
    if (scene.recording) {
        const CudaSnapshot& snapshot = *scene.recording->snapshot;
        if (scene.shape == TilesShape::Treemap)
            scene.shares = componentShares(snapshot, scene.recording->replay, scene.event, scene.chosen);
        else if (scene.shape == TilesShape::FlameGraph)
            scene.root = frameTree(snapshot, scene.recording->replay, scene.event, scene.chosen);
        else
            scene.map = segmentMap(snapshot, scene.recording->replay, scene.event);
    }
}

const std::vector<Tile>& TilesView::tiles() const
{
    m_scene->layOut(plot()->axisRect()->rect());
    return m_scene->tiles;
}

QString TilesView::readout() const
{
    return m_readout->text();
}

QString TilesView::tileText(const Tile& tile) const
{
    if (tile.kind == TileKind::Free)
        return tr("free, %1").arg(bytesText(tile.bytes));
    if (m_scene->shape != TilesShape::SegmentMap)
        return tr("%1: %2 in %n blocks, %3", "line, bytes, component", static_cast<int>(tile.blocks))
            .arg(tile.name, bytesText(tile.bytes), componentTitle(tile.component));
    const HeldBlock& block = m_scene->recording->replay.blocks[tile.block];
    const QString line = QString::fromStdString(blockLine(*m_scene->recording->snapshot, block));
    const QString text =
        tr("%1: %2 requested in a block of %3, %4")
            .arg(line, bytesText(block.requestedBytes), bytesText(block.bytes), componentTitle(block.component));
    return tile.kind == TileKind::Awaiting ? tr("%1, awaiting its free").arg(text) : text;
}

void TilesView::showReadout(const Tile* tile)
{
    m_readout->setText(tile                                       ? tileText(*tile)
                       : m_scene->shape == TilesShape::FlameGraph ? tr("Click a frame to see it alone, all to go "
                                                                       "back. Frames of Python only.")
                       : m_scene->shape == TilesShape::SegmentMap ? tr("Dotted: free.")
                                                                  : tr("Areas are requested bytes."));
}

void TilesView::updateLegend()
{
    std::vector<LegendStrip::Entry> entries;
    const bool named = m_scene->recording && m_scene->shape != TilesShape::Treemap; // whose headings name them
    const AliveSum alive = named ? aliveSum(m_scene->recording->replay, m_scene->event) : AliveSum();
    for (const Component component : componentStackOrder()) {
        if (alive.has(component))
            entries.push_back({componentTitle(component), componentColor(component)});
    }
    m_legend->setEntries(std::move(entries));
}

void TilesView::activate(const Tile& tile)
{
    if (m_scene->shape == TilesShape::SegmentMap) {
        emit blockActivated(tile.block);
    } else if (m_scene->shape == TilesShape::Treemap) {
        emit lineActivated(tile.name);
    } else {
        const bool isTop = tile.frame == m_scene->zoomed || tile.frame == &m_scene->root;
        m_scene->zoomed = isTop ? nullptr : tile.frame;
        m_scene->laidOut = {};
        contentChanged();
        if (!isTop)
            emit lineActivated(tile.name);
    }
}

bool TilesView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return PlotView::eventFilter(watched, event);
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::Leave) {
        const Tile* tile =
            event->type() == QEvent::Leave ? nullptr : m_scene->tileAt(static_cast<QMouseEvent*>(event)->position());
        const auto hovered =
            tile ? std::optional(static_cast<std::size_t>(tile - m_scene->tiles.data())) : std::nullopt;
        if (hovered != m_scene->hovered) {
            m_scene->hovered = hovered;
            showReadout(tile);
            plot()->replot(QCustomPlot::rpQueuedReplot);
        }
        return false;
    }
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (const Tile* tile = m_scene->tileAt(mouse->position()); mouse->button() != Qt::LeftButton)
            return true;
        else if (tile && tile->kind != TileKind::Free)
            activate(Tile(*tile));
        else
            emit nothingActivated();
    }
    // Tiles fill their rect: nothing to zoom or to move.
    return event->type() == QEvent::Wheel || event->type() == QEvent::MouseButtonPress ||
           event->type() == QEvent::MouseButtonRelease || event->type() == QEvent::MouseButtonDblClick;
}

void TilesView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    m_scene->font = font();
    m_scene->laidOut = {};
    updateLegend();
}

QString TilesView::summary() const
{
    if (!m_scene->recording)
        return tr("Nothing is shown.");
    if (m_scene->shape == TilesShape::SegmentMap)
        return tr("%1 reserved in %n segments: %2 held, %3 free.", nullptr,
                  static_cast<int>(m_scene->map.segments.size()))
            .arg(bytesText(m_scene->map.reservedBytes), bytesText(m_scene->map.heldBytes),
                 bytesText(m_scene->map.freeBytes));
    QStringList words;
    if (m_scene->shape == TilesShape::Treemap) {
        for (const ComponentShare& share : m_scene->shares)
            words << tr("%1 %2", "component, bytes")
                         .arg(componentTitle(share.component), bytesText(share.requestedBytes));
    } else {
        words << tr("%1 alive", "bytes").arg(bytesText(m_scene->root.requestedBytes));
    }
    return words.join(tr(", ")) + u'.';
}

QString TilesView::visibleDataTsv() const
{
    QString text = QStringLiteral("what\tcomponent\tbytes\tblocks\n");
    for (const Tile& tile : tiles()) {
        if (tile.kind == TileKind::Heading)
            continue;
        QString name = tile.name;
        if (m_scene->shape == TilesShape::SegmentMap && tile.kind != TileKind::Free)
            name = QString::fromStdString(
                blockLine(*m_scene->recording->snapshot, m_scene->recording->replay.blocks[tile.block]));
        text += QStringLiteral("%1\t%2\t%3\t%4\n")
                    .arg(tile.kind == TileKind::Free ? QStringLiteral("free") : name,
                         QString::fromUtf8(peakscope::name(tile.component)), QString::number(tile.bytes),
                         QString::number(tile.blocks));
    }
    return text;
}

} // namespace peakscope
