// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The scatter of units: those without a place are hollow at the lower border, counted, and in nobody's way.
#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/response/partition.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/analysis/analysis_style.h"
#include "widgets/text/note_words.h"

#include <qcustomplot.h>

#include <QImage>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace peakscope;

namespace {

constexpr int kSide = 400;

// How many pixels are nearly of this colour, and the rows of the highest and the lowest of them.
struct Ink {
    int pixels = 0, top = kSide, bottom = -1;
};

Ink inkOf(const QImage& image, const QColor& color)
{
    Ink ink;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor at = image.pixelColor(x, y);
            const int off = std::abs(at.red() - color.red()) + std::abs(at.green() - color.green()) +
                            std::abs(at.blue() - color.blue());
            if (off > 90)
                continue;
            ++ink.pixels;
            ink.top = std::min(ink.top, y);
            ink.bottom = std::max(ink.bottom, y);
        }
    }
    return ink;
}

} // namespace

class TestUnitScatter : public QObject
{
    Q_OBJECT
private slots:
    void unitsWithoutAPlace();
    void noClassCoversAnother();
    void orderOfPainting();
    void thresholdsAreDrawnInForceAlone();
    void unitsWithoutNumbersAreSaid();
};

void TestUnitScatter::unitsWithoutAPlace()
{
    const QColor placed(0, 0, 230), away(230, 0, 0);
    UnitScatterView view(QStringLiteral("units"));
    view.resize(kSide, kSide);
    const std::vector<UnitPlace> places{{0, 0}, {}, {1, 1}, {}, {0.5, 0.8}, {}};
    view.setPoints(places, {});
    view.setStyles({0, 1, 0, 1, 0, 1}, {{MarkerShape::Circle, placed}, {MarkerShape::Cross, away}}, {});
    QCOMPARE(view.unplacedCount(), std::size_t(3));
    QVERIFY(view.summary().contains(QStringLiteral("3 without a place")));
    const Ink hollow = inkOf(view.grab().toImage(), away);
    QVERIFY2(hollow.pixels > 20 && hollow.pixels < 200, qPrintable(QString::number(hollow.pixels)));
    QVERIFY(hollow.top > kSide / 2 && hollow.bottom - hollow.top < 12);
    // Selected together with all others, they stay what they are.
    view.setSelection({0, 1, 2, 3, 4, 5});
    QCOMPARE(view.selection().size(), 6);
    QVERIFY(!view.grab().isNull());
    // None such: no words about them.
    view.setPoints({{0, 0}, {1, 1}}, {});
    view.setStyles({0, 0}, {{MarkerShape::Circle, placed}, {MarkerShape::Cross, away}}, {});
    QCOMPARE(view.unplacedCount(), std::size_t(0));
    QVERIFY(!view.summary().contains(QStringLiteral("without")));
    QTRY_COMPARE(inkOf(view.grab().toImage(), away).pixels, 0);
    // All such: the count is what is left to see.
    view.setPoints({{}, {}}, {});
    QVERIFY(view.summary().contains(QStringLiteral("2 without a place")));
    QVERIFY(!view.grab().isNull());
}

// Two classes in one place, one behind the other in the file: each is half of what is seen.
void TestUnitScatter::noClassCoversAnother()
{
    const QColor first(0, 0, 230), second(230, 0, 0);
    UnitScatterView view(QStringLiteral("units"));
    view.resize(kSide, kSide);
    std::vector<UnitPlace> places;
    std::vector<int> styles;
    for (std::size_t i = 0; i < 4000; ++i) {
        RandomStream random(7, 0, i);
        const double x = random.uniform(), y = random.uniform();
        places.push_back({x, y});
        styles.push_back(i < 2000 ? 0 : 1);
    }
    view.setPoints(places, {});
    view.setStyles(styles, {{MarkerShape::Circle, first}, {MarkerShape::Circle, second}}, {});
    const QImage image = view.grab().toImage();
    int blue = 0, red = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor at = image.pixelColor(x, y);
            blue += at.blue() > at.red() + 60 ? 1 : 0;
            red += at.red() > at.blue() + 60 ? 1 : 0;
        }
    }
    QVERIFY2(blue > 0.4 * (blue + red) && red > 0.4 * (blue + red),
             qPrintable(QString("%1 and %2").arg(blue).arg(red)));
    QCOMPARE(view.grab().toImage(), image);
}

void TestUnitScatter::orderOfPainting()
{
    QVERIFY(paintOrder(0).empty());
    QCOMPARE(paintOrder(1), std::vector<std::size_t>{0});
    std::vector<std::size_t> order = paintOrder(1000);
    QVERIFY(order == paintOrder(1000));
    std::size_t early = 0; // of the first half of the points, painted in the first half
    for (std::size_t i = 0; i < 500; ++i)
        early += order[i] < 500 ? 1 : 0;
    QVERIFY2(early > 200 && early < 300, qPrintable(QString::number(early)));
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i)
        QCOMPARE(order[i], i);
}

// Classes by rank have no lines: none is drawn that a unit could be held against, none can be dragged, and the title
// says why.
void TestUnitScatter::thresholdsAreDrawnInForceAlone()
{
    PartitionPlaneView view;
    test::showAt(view, kSide, kSide);
    view.setPoints({{0.1, 0.1}, {0.9, 0.9}}, {});
    view.setStyles({0, 0}, {{MarkerShape::Circle, QColor(20, 20, 20)}}, {});
    const ClassThresholds lines;
    const QColor func = groupMarker(UnitGroup::Func).color;
    const auto ink = [&] { return inkOf(view.grab().toImage(), func).pixels; };
    view.setThresholds(lines, true);
    QTRY_VERIFY(ink() > 100);
    QVERIFY(!view.title().contains(QStringLiteral("by rank")));
    test::saveScreenshot(view, QStringLiteral("class_plane_by_threshold"));
    view.setThresholds(lines, false);
    QTRY_COMPARE(ink(), 0);
    QVERIFY2(view.title().contains(QStringLiteral("by rank")), qPrintable(view.title()));
    test::saveScreenshot(view, QStringLiteral("class_plane_by_rank"));
    QSignalSpy moved(&view, &PartitionPlaneView::thresholdsMoved);
    const QCPAxisRect* area = view.plot()->xAxis->axisRect();
    const QPoint onLine(qRound(view.plot()->xAxis->coordToPixel(lines.funcAlignment)), area->center().y());
    QTest::mousePress(view.plot(), Qt::LeftButton, {}, onLine);
    QTest::mouseMove(view.plot(), onLine + QPoint(30, 0));
    QTest::mouseRelease(view.plot(), Qt::LeftButton, {}, onLine + QPoint(30, 0));
    QCOMPARE(moved.count(), 0);
}

// One unit counts, two count; results stored before say "count" of one as well.
void TestUnitScatter::unitsWithoutNumbersAreSaid()
{
    const auto noteOf = [](std::vector<double> alignment) {
        const std::vector<double> sparsity(alignment.size(), 0.5);
        const auto partition = partitionUnits(alignment, sparsity, {}, PartitionRule::Absolute, EmptyClass::Keep);
        return partition->notes.back();
    };
    const std::string one = noteOf({0.1, 0.9, std::nan("")}), two = noteOf({0.1, std::nan(""), std::nan("")});
    QCOMPARE(one, std::string("1 unit has no alignment or sparsity and counts as Wboth"));
    QCOMPARE(two, std::string("2 units have no alignment or sparsity and count as Wboth"));
    const std::string before = "1 unit has no alignment or sparsity and count as Wboth";
    for (const std::string& note : {one, two, before})
        QVERIFY2(isKnownNote(note), note.c_str());
    QCOMPARE(noteText(one).toStdString(), one);
    QCOMPARE(noteText(before).toStdString(), one);
}

PEAKSCOPE_TEST(TestUnitScatter)
#include "test_unit_scatter.moc"
