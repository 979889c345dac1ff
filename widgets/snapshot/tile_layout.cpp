// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/snapshot/tile_layout.h"

#include "widgets/look/component_palette.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/holder_words.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <functional>

namespace peakscope {

namespace {

struct TileText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::TileText)
};

// Squarified: Bruls, Huizing and van Wijk (2000). Weights fall; each gets its share of the area.
std::vector<QRectF> squarified(const std::vector<double>& weights, QRectF area)
{
    std::vector<QRectF> rects(weights.size());
    double left = 0;
    for (const double weight : weights)
        left += weight;
    std::size_t begin = 0;
    while (begin < weights.size() && left > 0 && area.width() > 0 && area.height() > 0) {
        const double scale = area.width() * area.height() / left;
        const double side = std::min(area.width(), area.height());
        // A row along the shorter side takes what does not make its worst tile longer.
        double sum = 0, worst = 0;
        std::size_t end = begin;
        while (end < weights.size()) {
            const double next = sum + weights[end];
            const double thick = next * scale / side;
            const double longest = weights[begin] * scale / thick / thick;
            const double shortest = weights[end] > 0 ? thick * thick / (weights[end] * scale) : HUGE_VAL;
            const double ratio = std::max(longest, shortest);
            if (end > begin && ratio > worst)
                break;
            worst = ratio;
            sum = next;
            ++end;
        }
        const double thick = sum * scale / side;
        const bool upright = area.width() >= area.height();
        double at = upright ? area.top() : area.left();
        for (std::size_t i = begin; i < end; ++i) {
            const double length = thick > 0 ? weights[i] * scale / thick : 0;
            rects[i] = upright ? QRectF(area.left(), at, thick, length) : QRectF(at, area.top(), length, thick);
            at += length;
        }
        if (upright)
            area.setLeft(area.left() + thick);
        else
            area.setTop(area.top() + thick);
        left -= sum;
        begin = end;
    }
    return rects;
}

template <typename T>
std::vector<double> weightsOf(const std::vector<T>& entries)
{
    std::vector<double> weights;
    for (const T& entry : entries)
        weights.push_back(static_cast<double>(entry.requestedBytes));
    return weights;
}

// A chain of frames that hold the same: the innermost, and the innermost of the program's own, which is its name.
struct Chain {
    const FrameNode* end;
    const FrameNode* named;
};
Chain chainFrom(const FrameNode& node)
{
    Chain chain{&node, &node};
    while (chain.end->callees.size() == 1 && chain.end->callees.front().requestedBytes == chain.end->requestedBytes) {
        chain.end = &chain.end->callees.front();
        if (chain.end->own || !chain.named->own)
            chain.named = chain.end;
    }
    return chain;
}

QString headingOf(const FreeMemory& free, const SnapshotRecording& recording)
{
    const CudaSnapshot& snapshot = *recording.snapshot;
    QString pool = free.pool == 0 ? QString() : QString::fromStdString(snapshot.pools[free.pool]);
    const QString place =
        pool.isEmpty() ? TileText::tr("Stream %1").arg(snapshot.streams[free.stream])
                       : TileText::tr("Stream %1, pool %2").arg(QString::number(snapshot.streams[free.stream]), pool);
    return TileText::tr("%1: %2 reserved, %3 free in pieces of at most %4, fragmentation %5 %")
        .arg(place, bytesText(free.reservedBytes), bytesText(free.freeBytes), bytesText(free.largestBytes),
             QLocale().toString(free.fragmentation() * 100, 'f', 0));
}

// Rows of a width in bytes that the segments of one place take; `place` is called with each piece of a segment.
class SegmentRows
{
public:
    explicit SegmentRows(double bytesPerRow) : m_bytes(bytesPerRow), m_gap(bytesPerRow / 200) {}

    // Where a segment of that size begins: in the row that is left, or in a new one.
    std::pair<std::size_t, double> put(double bytes)
    {
        if (m_at > 0 && m_at + bytes > m_bytes) {
            ++m_row;
            m_at = 0;
        }
        const std::pair<std::size_t, double> begin{m_row, m_at};
        m_at += bytes;
        while (m_at > m_bytes) {
            m_at -= m_bytes;
            ++m_row;
        }
        m_at += m_gap;
        return begin;
    }
    std::size_t rows() const { return m_row + 1; }

private:
    double m_bytes, m_gap;
    std::size_t m_row = 0;
    double m_at = 0;
};

std::size_t rowsOf(const SegmentMap& map, double bytesPerRow)
{
    std::size_t rows = 0, at = 0;
    for (const FreeMemory& free : map.free) {
        SegmentRows packed(bytesPerRow);
        for (; at < map.segments.size() && map.segments[at].pool == free.pool && map.segments[at].stream == free.stream;
             ++at)
            packed.put(static_cast<double>(map.segments[at].bytes));
        rows += packed.rows();
    }
    return rows;
}

} // namespace

QString shortTileName(const QString& name)
{
    const QString place = name.section(u' ', 0, 0);
    return place.contains(u':') ? place : name;
}

std::vector<Tile> treemapTiles(const std::vector<ComponentShare>& shares, const QRectF& area, double line)
{
    std::vector<Tile> tiles;
    const std::vector<QRectF> rects = squarified(weightsOf(shares), area);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        QRectF inside = rects[i].adjusted(0, 0, -1, -1);
        if (inside.width() < 1 || inside.height() < 1)
            continue;
        if (inside.height() > 3 * line && inside.width() > 4 * line) {
            Tile heading{inside, componentTitle(shares[i].component), TileKind::Heading, shares[i].component,
                         shares[i].requestedBytes};
            heading.rect.setHeight(line);
            tiles.push_back(std::move(heading));
            inside.setTop(inside.top() + line);
        }
        const std::vector<QRectF> parts = squarified(weightsOf(shares[i].lines), inside);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const LineShare& share = shares[i].lines[k];
            if (parts[k].width() > 0.5 && parts[k].height() > 0.5)
                tiles.push_back({parts[k], holderText(share.what), TileKind::Bytes, shares[i].component,
                                 share.requestedBytes, share.blocks, 0, nullptr, share.chosenBytes});
        }
    }
    return tiles;
}

std::size_t flameDepth(const FrameNode& root, std::int64_t least)
{
    std::size_t deepest = 0;
    for (const FrameNode& callee : chainFrom(root).end->callees) {
        if (callee.requestedBytes >= least)
            deepest = std::max(deepest, flameDepth(callee, least));
    }
    return deepest + 1;
}

std::vector<Tile> flameTiles(const FrameNode& root, const QRectF& area, double line, double least)
{
    std::vector<Tile> tiles;
    if (root.requestedBytes <= 0 || area.width() < 1)
        return tiles;
    const double scale = area.width() / static_cast<double>(root.requestedBytes);
    const auto fewest = static_cast<std::int64_t>(std::ceil(least / scale));
    const double height =
        std::clamp(area.height() / static_cast<double>(flameDepth(root, fewest)), line * 0.5, line * 1.4);
    const std::function<void(const FrameNode&, double, std::size_t)> add = [&](const FrameNode& node, double left,
                                                                               std::size_t depth) {
        const double top = area.top() + static_cast<double>(depth) * height;
        if (node.requestedBytes < fewest || top + height > area.bottom() + 0.5)
            return;
        const auto [end, named] = chainFrom(node);
        const QString name = named->what.empty() ? TileText::tr("all") : holderText(named->what);
        tiles.push_back({QRectF(left, top, static_cast<double>(node.requestedBytes) * scale, height), name,
                         TileKind::Bytes, end->component, node.requestedBytes, node.blocks, 0, &node,
                         node.chosenBytes});
        for (const FrameNode& callee : end->callees) {
            add(callee, left, depth + 1);
            left += static_cast<double>(callee.requestedBytes) * scale;
        }
    };
    add(root, area.left(), 0);
    return tiles;
}

std::vector<Tile> segmentTiles(const SegmentMap& map, const SnapshotRecording& recording, const QRectF& area,
                               double line, const std::vector<bool>& chosen)
{
    std::vector<Tile> tiles;
    if (map.reservedBytes <= 0 || area.width() < 1)
        return tiles;
    const bool headings = area.height() > line * 2 * static_cast<double>(map.free.size());
    const double room = area.height() - (headings ? line * static_cast<double>(map.free.size()) : 0);
    // Tall rows where there are few segments; more and thinner ones until all fit.
    double bytesPerRow = static_cast<double>(map.reservedBytes) / std::max(1.0, std::floor(room / (line * 1.2)));
    double height = line * 1.2;
    for (int tries = 0; tries < 60; ++tries) {
        const auto rows = static_cast<double>(rowsOf(map, bytesPerRow));
        height = std::min(line * 1.6, room / rows);
        if (height >= line * 0.9 || (tries > 30 && height >= 3))
            break;
        bytesPerRow *= 1.1;
    }
    const double scale = area.width() / bytesPerRow;
    double top = area.top();
    std::size_t at = 0;
    for (const FreeMemory& free : map.free) {
        if (headings) {
            tiles.push_back({QRectF(area.left(), top, area.width(), line), headingOf(free, recording),
                             TileKind::Heading, Component::Other, free.reservedBytes});
            top += line;
        }
        SegmentRows packed(bytesPerRow);
        for (; at < map.segments.size() && map.segments[at].pool == free.pool && map.segments[at].stream == free.stream;
             ++at) {
            const MappedSegment& segment = map.segments[at];
            const auto [row, begin] = packed.put(static_cast<double>(segment.bytes));
            for (const SegmentPiece& piece : segment.pieces) {
                const TileKind kind = piece.state == PieceState::Free   ? TileKind::Free
                                      : piece.state == PieceState::Held ? TileKind::Bytes
                                                                        : TileKind::Awaiting;
                Tile tile{{}, {}, kind, Component::Other, piece.bytes, 1, piece.block};
                if (kind != TileKind::Free) {
                    tile.component = recording.replay.blocks[piece.block].component;
                    tile.chosenBytes = piece.block < chosen.size() && chosen[piece.block] ? piece.bytes : 0;
                }
                // Over the rows that it reaches into.
                double from = begin + static_cast<double>(piece.offset), left = static_cast<double>(piece.bytes);
                while (left > 0) {
                    const double below = std::floor(from / bytesPerRow + 1e-9);
                    const double x = from - below * bytesPerRow, length = std::min(left, bytesPerRow - x);
                    tile.rect = QRectF(area.left() + x * scale, top + (static_cast<double>(row) + below) * height + 1,
                                       length * scale, height - 2);
                    tiles.push_back(tile);
                    from += length;
                    left -= length;
                }
            }
        }
        top += static_cast<double>(packed.rows()) * height;
    }
    return tiles;
}

} // namespace peakscope
