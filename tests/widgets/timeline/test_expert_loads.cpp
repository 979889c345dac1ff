// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The loads of a mixture's experts in the window: what a cell, the read-out, the legend and the table say, for few
// experts and for very many.
#include "tests/test_room.h"
#include "tests/widgets/plot/text_recorder.h"
#include "tests/widgets/timeline/expert_samples.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/look/color_maps.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/timeline/expert_load_chart.h"
#include "widgets/timeline/expert_load_view.h"

#include <qcustomplot.h>

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace peakscope;

namespace {

QStringList drawnTexts(const ExpertLoadView& view)
{
    const test::TextRecorder screen(*view.plot());
    QStringList texts;
    for (const auto& placed : screen.texts())
        texts << placed.text;
    return texts;
}

QColor colorAt(const ExpertLoadView& view, QPointF place)
{
    return view.plot()->grab().toImage().pixelColor(view.pointOf(place).toPoint());
}

} // namespace

class TestExpertLoads : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }
    void cellsAreTimesAnEvenShare();
    void readoutsSayTheTokens();
    void theFullestAndTheIdleAreSaid();
    void tableIsOfWhatIsVisible();
    void layersThatDiffer();
    void manyAreColoursAlone();
    void noneSaysSo();
    void pictures();
};

void TestExpertLoads::cellsAreTimesAnEvenShare()
{
    ExpertLoadView view;
    test::showAt(view, 900, 480);
    view.setSection(test::fewExperts());
    const QStringList texts = drawnTexts(view);
    QCOMPARE(texts.count(QStringLiteral("1.5")), 4);
    QCOMPARE(texts.count(QStringLiteral("6.0")), 1);
    QVERIFY(texts.count(QStringLiteral("1.0")) >= 12);
    QVERIFY(texts.contains(QStringLiteral("Expert")) && texts.contains(QStringLiteral("Layer")));
    // Layer 0 is at the bottom; the fullest expert has the end of the scale.
    QVERIFY(view.pointOf({0.5, 0.5}).y() > view.pointOf({0.5, 3.5}).y());
    QTRY_COMPARE(colorAt(view, {0.1, 2.8}), viridis(1));
    QCOMPARE(colorAt(view, {1.1, 2.8}), viridis(0));
    // An even share is to be told from none beside an expert that has many.
    QCOMPARE(colorAt(view, {0.1, 0.8}), viridis(std::sqrt(1 / 6.02)));
}

void TestExpertLoads::readoutsSayTheTokens()
{
    const ExpertLoadChart chart(test::fewExperts());
    QCOMPARE(chart.readout(QPointF(0.5, 2.5)), QStringLiteral("Layer 2, expert 0: 1,204 tokens, 6.0 × an even share"));
    QCOMPARE(chart.readout(QPointF(1.5, 1.5)), QStringLiteral("Layer 1, expert 1: 20 tokens, 0.1 × an even share"));
    QCOMPARE(chart.readout(std::nullopt),
             QStringLiteral("Fullest: Layer 2, expert 0: 1,204 tokens, 6.0 × an even share"));
    ExpertLoadView view;
    test::showAt(view, 900, 480);
    view.setSection(test::fewExperts());
    view.setFocus();
    QTest::keyClick(view.plot(), Qt::Key_Up, Qt::ControlModifier);
    QTest::keyClick(view.plot(), Qt::Key_Up, Qt::ControlModifier);
    QVERIFY2(view.readout().startsWith(QStringLiteral("Layer 1, expert 0: 420 tokens")), qPrintable(view.readout()));
}

void TestExpertLoads::theFullestAndTheIdleAreSaid()
{
    ExpertLoadView view;
    view.setSection(test::fewExperts());
    const QString legend = test::legendOf(view)->accessibleName();
    for (const char* words : {"0 ×", "1 × (even)", "3.0 ×", "6.0 ×", "cells: × an even share of the layer's tokens",
                              "the fullest expert has 6.0 × an even share", "experts without a token: 1"})
        QVERIFY2(legend.contains(QString::fromUtf8(words)), qPrintable(legend));
    QCOMPARE(view.summary(), QStringLiteral("4 layers of up to 8 experts. Fullest: Layer 2, expert 0: 1,204 tokens, "
                                            "6.0 × an even share"));
    // Loads that hardly differ look so.
    view.setSection({{{0, {10, 10}}}});
    QVERIFY(test::legendOf(view)->accessibleName().contains(QStringLiteral("2.0 ×")));
}

void TestExpertLoads::tableIsOfWhatIsVisible()
{
    const ExpertLoadChart chart(test::fewExperts());
    QCOMPARE(chart.table(chart.range()).rows.size(), std::size_t(32));
    AxisArea part = chart.range();
    part.yLow = 2;
    part.yHigh = 3;
    part.xHigh = 2;
    QCOMPARE(QString::fromStdString(toTsv(chart.table(part))),
             QStringLiteral("layer\texpert\ttokens\ttimes_even\n2\t0\t1204\t6.02\n2\t1\t0\t0\n"));
}

// Layers with one net for all have no row; a layer may have fewer experts, or no token.
void TestExpertLoads::layersThatDiffer()
{
    const ExpertLoadChart chart({{{1, {2, 4, 0}}, {3, {1, 1}}, {5, {0, 0, 0}}}});
    QStringList marks;
    for (const AxisMark& mark : chart.y().marks)
        marks << mark.label;
    QCOMPARE(marks.join(u' '), QStringLiteral("1 3 5"));
    QCOMPARE(chart.readout(QPointF(2.5, 1.5)), QStringLiteral("Layer 3 has 2 experts."));
    QCOMPARE(chart.readout(QPointF(0.5, 2.5)), QStringLiteral("Layer 5 had no tokens."));
    const ExpertLoadChart still({{{0, {0, 0}}}});
    QVERIFY(still.caption(true).contains(QStringLiteral("no expert had a token")));
}

void TestExpertLoads::manyAreColoursAlone()
{
    ExpertLoadView view;
    test::showAt(view, 700, 360);
    view.setSection(test::manyExperts());
    const QStringList texts = drawnTexts(view);
    QVERIFY2(texts.size() < 40, qPrintable(texts.join(u'|')));
    QVERIFY(texts.contains(QStringLiteral("100")) && texts.contains(QStringLiteral("90")));
    // Lines between cells that are hardly wider would be most of what is seen.
    ExpertSection even = test::manyExperts();
    for (ExpertTokens& layer : even.layers)
        std::fill(layer.tokens.begin(), layer.tokens.end(), 5);
    view.setSection(even);
    QApplication::processEvents();
    const QImage image = view.plot()->grab().toImage();
    const QRect cells = QRectF(view.pointOf({0, 94}), view.pointOf({128, 0})).toRect().adjusted(8, 8, -8, -8);
    for (int y = cells.top(); y < cells.bottom(); ++y) {
        for (int x = cells.left(); x < cells.right(); ++x)
            QCOMPARE(image.pixelColor(x, y), viridis(std::sqrt(0.5)));
    }
    QElapsedTimer clock;
    clock.start(); // a picture takes some 10 ms
    for (int i = 0; i < 5; ++i)
        view.plot()->grab();
    QVERIFY(clock.elapsed() < 5 * 500);
}

void TestExpertLoads::noneSaysSo()
{
    ExpertLoadView view;
    test::showAt(view, 500, 300);
    QVERIFY(!view.showsPlot());
    view.setSection(test::fewExperts());
    QVERIFY(view.showsPlot());
    view.setSection({});
    QVERIFY(!view.showsPlot());
    QCOMPARE(view.readout(), QString());
    QCOMPARE(view.summary(), QStringLiteral("No experts."));
}

void TestExpertLoads::pictures()
{
    for (const bool dark : {false, true}) {
        test::applyPalette(dark);
        const QString suffix = dark ? QStringLiteral("_dark") : QStringLiteral("_light");
        ExpertLoadView few, many;
        test::showAt(few, 640, 360);
        few.setSection(test::fewExperts());
        few.setCurrent(QPointF(0.5, 2.5));
        test::saveScreenshot(few, QStringLiteral("expert_loads") + suffix);
        test::showAt(many, 640, 360);
        many.setSection(test::manyExperts());
        test::saveScreenshot(many, QStringLiteral("expert_loads_many") + suffix);
    }
}

PEAKSCOPE_TEST(TestExpertLoads)
#include "test_expert_loads.moc"
