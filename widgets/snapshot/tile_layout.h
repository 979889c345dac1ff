// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the tiles of a snapshot's pictures lie: treemap, flame graph, segment map. Places are in the picture's own unit
// (pixels, points), so that views and figures draw the same. Pure functions.
#pragma once

#include "core/snapshots/holder_shapes.h"
#include "core/snapshots/segment_map.h"
#include "core/snapshots/snapshot_recording.h"

#include <QRectF>
#include <QString>

#include <vector>

namespace peakscope {

enum class TileKind {
    Bytes,    // held, in its component's colour
    Heading,  // words alone
    Free,     // a hole
    Awaiting, // asked to be free, still in use by the device
};

struct Tile {
    QRectF rect;
    QString name; // what it stands for: a line, a frame
    TileKind kind = TileKind::Bytes;
    Component component = Component::Other;
    std::int64_t bytes = 0;
    std::int64_t blocks = 0;
    std::size_t block = 0;            // its number in the replay, of a segment map
    const FrameNode* frame = nullptr; // of a flame graph
    std::int64_t chosenBytes = 0;     // of them
};

// "train.py:58" of "train.py:58 train": what is written where the whole has no room.
QString shortTileName(const QString& name);

// `line`: height of a line of text. Within each component its lines, areas in proportion to their bytes.
std::vector<Tile> treemapTiles(const std::vector<ComponentShare>& shares, const QRectF& area, double line);

// Rows of tiles that frames of `least` bytes and more take.
std::size_t flameDepth(const FrameNode& root, std::int64_t least);
// The root on top, over all of the width; a frame that calls one other for all of its bytes is one tile with it.
// Narrower frames than `least` are left out.
std::vector<Tile> flameTiles(const FrameNode& root, const QRectF& area, double line, double least);

// Segments in rows of so many bytes that all have room; a long one goes on in the next row, short ones share one. A
// heading for each stream and pool. `chosen`: a flag a block of the replay, empty: none.
std::vector<Tile> segmentTiles(const SegmentMap& map, const SnapshotRecording& recording, const QRectF& area,
                               double line, const std::vector<bool>& chosen = {});

} // namespace peakscope
