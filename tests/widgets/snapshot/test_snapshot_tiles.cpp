// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A CUDA memory snapshot's course and its tiles: areas that are bytes, axes, instants chosen by clicks, both themes.
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"

#include "core/snapshots/snapshot_holders.h"
#include "widgets/snapshot/snapshot_course_view.h"
#include "widgets/snapshot/tiles_view.h"

#include <qcustomplot.h>

#include <QAction>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace peakscope;
using test::kMiB;
using test::SmallTraining;

namespace {

// Backward of the second step: 1 + 1 + 2 + 4 + 3 MiB.
std::int64_t backward(const SnapshotRecording& recording)
{
    return recording.replay.peak(SnapshotMeasure::Requested).event;
}

double areaOf(const std::vector<Tile>& tiles, TileKind kind)
{
    double area = 0;
    for (const Tile& tile : tiles) {
        if (tile.kind == kind)
            area += tile.rect.width() * tile.rect.height();
    }
    return area;
}

void verifyApart(const std::vector<Tile>& tiles)
{
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        for (std::size_t k = i + 1; k < tiles.size(); ++k) {
            const QRectF common = tiles[i].rect.adjusted(0.01, 0.01, -0.01, -0.01) & tiles[k].rect;
            QVERIFY2(common.width() <= 0.02 || common.height() <= 0.02,
                     qPrintable(tiles[i].name + " on " + tiles[k].name));
        }
    }
}

QPoint middleOf(const PlotView& view, const Tile& tile)
{
    Q_UNUSED(view);
    return tile.rect.center().toPoint();
}

} // namespace

class TestSnapshotTiles : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    void treemapAreasAreBytes()
    {
        const auto recording = SmallTraining().recording();
        const auto shares = componentShares(*recording->snapshot, recording->replay, backward(*recording));
        const QRectF area(10, 20, 660, 500);
        const std::vector<Tile> tiles = treemapTiles(shares, area, 1e9); // without headings
        QCOMPARE(tiles.size(), std::size_t{5});
        verifyApart(tiles);
        for (const Tile& tile : tiles) {
            QVERIFY(area.adjusted(-1, -1, 1, 1).contains(tile.rect));
            // But for the pixel between components.
            const double expected = 660.0 * 500 * static_cast<double>(tile.bytes) / static_cast<double>(11 * kMiB);
            QVERIFY2(std::abs(tile.rect.width() * tile.rect.height() / expected - 1) < 0.02, qPrintable(tile.name));
        }
        // Words on top take room of their components alone.
        const std::vector<Tile> titled = treemapTiles(shares, area, 16);
        QVERIFY(titled.size() > 5);
        verifyApart(titled);
    }

    void flameWidthsAreBytes()
    {
        const auto recording = SmallTraining().recording();
        const FrameNode root = frameTree(*recording->snapshot, recording->replay, backward(*recording));
        const std::vector<Tile> tiles = flameTiles(root, QRectF(0, 0, 1100, 300), 16, 0.5);
        verifyApart(tiles);
        QCOMPARE(tiles.front().rect.width(), 1100.0);
        QCOMPARE(tiles.front().rect.top(), 0.0);
        double second = 0;
        for (const Tile& tile : tiles) {
            QVERIFY(std::abs(tile.rect.width() - 100.0 * static_cast<double>(tile.bytes) / kMiB) < 1e-6);
            second += tile.rect.top() > 1 && tile.rect.top() < 30 ? tile.rect.width() : 0;
        }
        QCOMPARE(second, 1100.0);
        // module.py's frame holds all that net.py's does: one tile, by the program's own name.
        const auto named = [&](const char* name) {
            return std::count_if(tiles.begin(), tiles.end(),
                                 [&](const Tile& tile) { return tile.name == QLatin1String(name); });
        };
        QCOMPARE(named("net.py:7 forward"), 1);
        QCOMPARE(named("module.py:1798 _call_impl"), 0);
        // Narrow frames are left out.
        QVERIFY(flameTiles(root, QRectF(0, 0, 11, 300), 16, 2).size() < tiles.size());
    }

    void segmentsHoldHolesAndBlocks()
    {
        const auto recording = SmallTraining().recording();
        const SegmentMap map = segmentMap(*recording->snapshot, recording->replay, backward(*recording));
        for (const QSizeF size : {QSizeF(900, 300), QSizeF(200, 90), QSizeF(900, 20)}) {
            const std::vector<Tile> tiles = segmentTiles(map, *recording, QRectF(QPointF(), size), 14);
            verifyApart(tiles);
            for (const Tile& tile : tiles)
                QVERIFY(QRectF(QPointF(-1, -1), size + QSizeF(2, 2)).contains(tile.rect));
            const double held = areaOf(tiles, TileKind::Bytes), free = areaOf(tiles, TileKind::Free);
            QVERIFY(std::abs(held / free - 11.0 / 9) < 1e-6);
        }
    }

    void tilesAreReadAndClicked()
    {
        const auto recording = SmallTraining().recording();
        TilesView view(TilesShape::Treemap);
        test::showAt(view, 700, 400);
        view.setInstant(recording, backward(*recording));
        QVERIFY(view.showsPlot());
        const auto largest =
            std::max_element(view.tiles().begin(), view.tiles().end(), [](const Tile& a, const Tile& b) {
                return (a.kind == TileKind::Bytes ? a.bytes : 0) < (b.kind == TileKind::Bytes ? b.bytes : 0);
            });
        QCOMPARE(largest->bytes, 4 * kMiB);
        QSignalSpy lines(&view, &TilesView::lineActivated);
        QTest::mouseMove(view.plot(), middleOf(view, *largest));
        QVERIFY2(view.readout().startsWith(QStringLiteral("net.py:7 forward: 4.00 MiB")), qPrintable(view.readout()));
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, middleOf(view, *largest));
        QCOMPARE(lines.size(), 1);
        QCOMPARE(lines[0][0].toString(), QStringLiteral("net.py:7 forward"));
        QVERIFY(view.visibleDataTsv().contains(QStringLiteral("net.py:7 forward\tactivations\t4194304\t1\n")));
        view.setInstant(recording, -1);
        QVERIFY(!view.showsPlot());
    }

    void aFrameIsSeenAlone()
    {
        const auto recording = SmallTraining().recording();
        TilesView view(TilesShape::FlameGraph);
        test::showAt(view, 700, 300);
        view.setInstant(recording, backward(*recording));
        const auto tileOf = [&](const QString& name) {
            return *std::find_if(view.tiles().begin(), view.tiles().end(),
                                 [&](const Tile& tile) { return tile.name == name; });
        };
        const double narrow = tileOf(QStringLiteral("net.py:7 forward")).rect.width();
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, middleOf(view, tileOf(QStringLiteral("net.py:7 forward"))));
        QCOMPARE(view.tiles().size(), std::size_t{1});
        QVERIFY(view.tiles().front().rect.width() > 2 * narrow);
        QTest::mouseClick(view.plot(), Qt::LeftButton, {}, middleOf(view, view.tiles().front()));
        QCOMPARE(tileOf(QStringLiteral("net.py:7 forward")).rect.width(), narrow);
    }

    void aBlockOfTheMapIsClicked()
    {
        const auto recording = SmallTraining().recording();
        TilesView view(TilesShape::SegmentMap);
        test::showAt(view, 900, 300);
        view.setInstant(recording, backward(*recording));
        QSignalSpy blocks(&view, &TilesView::blockActivated);
        for (const Tile& tile : std::vector<Tile>(view.tiles())) {
            if (tile.kind != TileKind::Heading)
                QTest::mouseClick(view.plot(), Qt::LeftButton, {}, middleOf(view, tile));
        }
        // Each of those alive, over one row or several; a hole says nothing.
        QSet<std::uint64_t> addresses;
        for (const QList<QVariant>& block : blocks)
            addresses.insert(recording->replay.blocks[block[0].value<std::size_t>()].address - test::kBase);
        QCOMPARE(addresses, (QSet<std::uint64_t>{0, kMiB, 2 * kMiB, 4 * kMiB, 8 * kMiB}));
    }

    void theCourseIsAskedByClicks()
    {
        const auto recording = SmallTraining(3).recording();
        SnapshotCourseView view;
        test::showAt(view, 900, 400);
        view.setRecording(recording);
        QVERIFY(view.showsPlot());
        QCOMPARE(view.timeline()->peakBytes(), recording->replay.peak(SnapshotMeasure::Allocated).bytes);
        QSignalSpy chosen(&view, &SnapshotCourseView::eventChosen);
        const auto clickAt = [&](double place) {
            const QCPAxisRect* rect = view.plot()->xAxis->axisRect();
            QTest::mouseClick(view.plot(), Qt::LeftButton, {},
                              {qRound(view.plot()->xAxis->coordToPixel(place)), rect->center().y()});
        };
        clickAt(9.5);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].toLongLong(), 9);
        QCOMPARE(view.shownEvent(), 9);
        // The same event on the other axes.
        for (const SnapshotAxis axis : {SnapshotAxis::Time, SnapshotAxis::Steps}) {
            view.setSnapshotAxis(axis);
            QCOMPARE(view.snapshotAxis(), axis);
            QCOMPARE(view.timeline()->peakBytes(), recording->replay.peak(SnapshotMeasure::Allocated).bytes);
            const SnapshotPlaces places(*recording, axis);
            QTRY_VERIFY(std::abs(view.visibleUpper() - places.of(recording->replay.events - 1)) < 0.3);
            clickAt((places.of(12) + places.of(13)) / 2);
            QCOMPARE(view.shownEvent(), 12);
        }
        // Of a range its highest point.
        view.setSnapshotAxis(SnapshotAxis::Events);
        emit view.rangeSelected(0, static_cast<double>(recording->replay.events));
        QCOMPARE(view.shownEvent(), recording->replay.peak(SnapshotMeasure::Allocated).event);
        // Without steps there is no such axis: one zero_grad, unmarked, tells of none.
        nlohmann::json bare = SmallTraining(1).json();
        bare.erase("external_annotations");
        const QByteArray bytes = pickled(bare);
        auto snapshot = std::make_shared<const CudaSnapshot>(
            readSnapshotPickle({bytes.data(), std::size_t(bytes.size())}, "s").value());
        auto replay = replaySnapshot(*snapshot, 0).value();
        view.setSnapshotAxis(SnapshotAxis::Steps);
        view.setRecording(std::make_shared<const SnapshotRecording>(SnapshotRecording{snapshot, std::move(replay)}));
        QCOMPARE(view.snapshotAxis(), SnapshotAxis::Events);
        view.setRecording(nullptr);
        QVERIFY(!view.showsPlot());
    }

    void pictures()
    {
        const auto recording = SmallTraining(3).recording();
        for (const bool dark : {false, true}) {
            test::applyPalette(dark);
            for (const TilesShape shape : {TilesShape::Treemap, TilesShape::FlameGraph, TilesShape::SegmentMap}) {
                TilesView view(shape);
                test::showAt(view, 500, 300);
                view.setInstant(recording, backward(*recording));
                const QImage image = view.toImage(1);
                QSet<QRgb> colours;
                for (int y = 0; y < image.height(); y += 3) {
                    for (int x = 0; x < image.width(); x += 3)
                        colours.insert(image.pixel(x, y));
                }
                QVERIFY2(colours.size() > 5, qPrintable(view.title()));
                QVERIFY(!view.summary().isEmpty());
            }
        }
    }
};

PEAKSCOPE_TEST(TestSnapshotTiles)
#include "test_snapshot_tiles.moc"
