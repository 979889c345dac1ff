// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// PlotView and PlotInteraction, driven with mouse, wheel and keyboard on a plot with known bounds.
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"

#include "widgets/look/badge.h"
#include "widgets/look/pieces.h"
#include "widgets/plot/choice_box.h"
#include "widgets/plot/color_bar.h"
#include "widgets/plot/lane_ticker.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/mark_ticker.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_view.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QLabel>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

using namespace peakscope;

namespace {

class SamplePlot : public PlotView
{
public:
    SamplePlot() : PlotView(QStringLiteral("Sample")) { interaction()->setBounds({0, 100, 0, 50}); }

    QString summary() const override { return QStringLiteral("A sample."); }
    QString visibleDataTsv() const override { return QStringLiteral("a\tb\n1\t2\n"); }
    PlotInteraction* mouse() const { return interaction(); }
    PlotArea area() const { return interaction()->view(); }
    QPoint pixel(double x, double y) const
    {
        return {qRound(plot()->xAxis->coordToPixel(x)), qRound(plot()->yAxis->coordToPixel(y))};
    }
    int userMoves = 0;

protected:
    void applyTheme(const ChartTheme&) override {}
    void viewMovedByUser() override { ++userMoves; }
};

const PlotArea kAll{0, 100, 0, 50};

void turnWheel(QWidget* widget, QPoint at, int notches, int sideways = 0)
{
    QWheelEvent event(at, widget->mapToGlobal(at), {}, QPoint(sideways * 120, notches * 120), Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
}

void drag(QWidget* widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QTest::mousePress(widget, Qt::LeftButton, modifiers, from);
    // QTest::mouseMove carries no buttons and modifiers on its own; this does.
    for (int i = 1; i <= 8; ++i) {
        const QPointF at = QPointF(from) + QPointF(to - from) * i / 8.0;
        QMouseEvent move(QEvent::MouseMove, at, widget->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
        QApplication::sendEvent(widget, &move);
    }
    QTest::mouseRelease(widget, Qt::LeftButton, modifiers, to);
}

bool near(double a, double b, double tolerance)
{
    return std::abs(a - b) <= tolerance;
}

} // namespace

class TestPlotView : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    void choicesAreAsWideAsWhatIsChosen()
    {
        ChoiceBox box;
        box.addItem(QStringLiteral("Peak"));
        box.addItem(QStringLiteral("Sequence length in tokens, the longest of all"));
        const int narrow = box.sizeHint().width();
        box.setCurrentIndex(1);
        QVERIFY(box.sizeHint().width() > 2 * narrow);
        QVERIFY(box.minimumSizeHint().width() < box.sizeHint().width()); // gives way
        box.setCurrentIndex(0);
        QCOMPARE(box.sizeHint().width(), narrow);
        box.show();
        QVERIFY(QTest::qWaitForWindowExposed(&box));
        box.showPopup();
        QVERIFY(box.view()->width() >= box.view()->sizeHintForColumn(0));
    }

    // As those above a result: what is no error is not as red as one.
    void badgesHaveTheTonesOfAllOthers()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        for (const bool dark : {false, true}) {
            test::applyPalette(dark);
            for (const bool warns : {true, false}) {
                plot.setBadge(QStringLiteral("dry run"), warns);
                QTest::qWait(1);
                auto* badge = plot.findChild<QLabel*>(QStringLiteral("plotBadge"));
                QVERIFY(badge && badge->isVisible());
                const QImage picture = badge->grab().toImage();
                QCOMPARE(picture.pixelColor(picture.width() / 2, 0).name(),
                         toneColor(warns ? Tone::Warning : Tone::Neutral, chartTheme(plot.palette())).name());
            }
        }
    }

    void wheelZoomsAtTheCursor()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        const QPoint at = plot.pixel(25, 20);
        const double x = plot.plot()->xAxis->pixelToCoord(at.x());
        turnWheel(plot.plot(), at, 2);
        QVERIFY(near(plot.area().x1 - plot.area().x0, 64, 1e-6));
        QVERIFY(near(plot.plot()->xAxis->pixelToCoord(at.x()), x, 1e-6)); // what was under the pointer still is
        QCOMPARE(plot.area().y1, 50.0);
        turnWheel(plot.plot(), at, -40); // never further out than all
        QCOMPARE(plot.area(), kAll);
    }

    void wheelOverAnAxisZoomsIt()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        turnWheel(plot.plot(), QPoint(5, plot.pixel(0, 0).y()), 1);
        QCOMPARE(plot.area().x1, 100.0);
        QVERIFY(near(plot.area().y1 - plot.area().y0, 40, 1e-6));
    }

    void dragPansWithinBounds()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        plot.setVisibleRange(40, 60);
        const PlotArea before = plot.area();
        drag(plot.plot(), plot.pixel(50, 20), plot.pixel(45, 20));
        QVERIFY(near(plot.area().x0, before.x0 + 5, 0.1));
        QVERIFY(near(plot.area().x1 - plot.area().x0, 20, 1e-9));
        drag(plot.plot(), plot.pixel(plot.area().x0, 20), plot.pixel(plot.area().x1, 20));
        drag(plot.plot(), plot.pixel(plot.area().x0, 20), plot.pixel(plot.area().x1, 20));
        drag(plot.plot(), plot.pixel(plot.area().x0, 20), plot.pixel(plot.area().x1, 20));
        QCOMPARE(plot.area().x0, 0.0);
        QVERIFY(near(plot.area().x1, 20, 1e-6));
    }

    void shiftDragZoomsToTheBox()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        drag(plot.plot(), plot.pixel(20, 40), plot.pixel(40, 10), Qt::ShiftModifier);
        QVERIFY(near(plot.area().x0, 20, 0.3) && near(plot.area().x1, 40, 0.3));
        QVERIFY(near(plot.area().y0, 10, 0.3) && near(plot.area().y1, 40, 0.3));
    }

    void flatBoxKeepsTheHeight()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        drag(plot.plot(), plot.pixel(20, 25), plot.pixel(40, 25), Qt::ShiftModifier);
        QVERIFY(near(plot.area().x0, 20, 0.3));
        QCOMPARE(plot.area().y0, 0.0);
        QCOMPARE(plot.area().y1, 50.0);
    }

    void historyGoesBackStepByStep()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        QVERIFY(!plot.canGoBack());
        drag(plot.plot(), plot.pixel(20, 40), plot.pixel(60, 10), Qt::ShiftModifier);
        const PlotArea boxed = plot.area();
        turnWheel(plot.plot(), plot.pixel(40, 20), 1);
        turnWheel(plot.plot(), plot.pixel(40, 20), 1); // one gesture, one step
        const PlotArea wheeled = plot.area();
        drag(plot.plot(), plot.pixel(40, 20), plot.pixel(36, 20));
        QVERIFY(plot.area() != wheeled);
        QTest::keyClick(plot.plot(), Qt::Key_Backspace);
        QCOMPARE(plot.area(), wheeled);
        QTest::keyClick(plot.plot(), Qt::Key_Backspace);
        QCOMPARE(plot.area(), boxed);
        QTest::keyClick(plot.plot(), Qt::Key_Backspace);
        QCOMPARE(plot.area(), kAll);
        QVERIFY(!plot.canGoBack());
        QTest::keyClick(plot.plot(), Qt::Key_Backspace);
        QCOMPARE(plot.area(), kAll);
    }

    void homeAndDoubleClickShowAll()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        plot.setVisibleRange(40, 60);
        QTest::keyClick(plot.plot(), Qt::Key_Home);
        QCOMPARE(plot.area(), kAll);
        QTest::keyClick(plot.plot(), Qt::Key_Backspace); // all was a step as well
        QVERIFY(near(plot.area().x0, 40, 1e-9));
        QTest::mouseDClick(plot.plot(), Qt::LeftButton, Qt::NoModifier, plot.pixel(50, 20));
        QCOMPARE(plot.area(), kAll);
    }

    void keys_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<double>("lower");
        QTest::addColumn<double>("upper");
        QTest::newRow("right pans a tenth") << int(Qt::Key_Right) << 42.0 << 62.0;
        QTest::newRow("left pans a tenth") << int(Qt::Key_Left) << 38.0 << 58.0;
        QTest::newRow("plus zooms about the middle") << int(Qt::Key_Plus) << 42.0 << 58.0;
        QTest::newRow("minus zooms out") << int(Qt::Key_Minus) << 37.5 << 62.5;
    }

    void keys()
    {
        QFETCH(int, key);
        QFETCH(double, lower);
        QFETCH(double, upper);
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        plot.setVisibleRange(40, 60);
        QTest::keyClick(plot.plot(), static_cast<Qt::Key>(key));
        // The middle of the axis rect is half a pixel off the middle of the range at most.
        QVERIFY2(near(plot.area().x0, lower, 0.05) && near(plot.area().x1, upper, 0.05),
                 qPrintable(QStringLiteral("%1 to %2").arg(plot.area().x0).arg(plot.area().x1)));
    }

    void controlDragSelectsARange()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        QSignalSpy selected(&plot, &PlotView::rangeSelected), cleared(&plot, &PlotView::selectionCleared);
        drag(plot.plot(), plot.pixel(70, 20), plot.pixel(30, 30), Qt::ControlModifier); // right to left as well
        QCOMPARE(selected.count(), 1);
        QVERIFY(near(selected[0][0].toDouble(), 30, 0.3) && near(selected[0][1].toDouble(), 70, 0.3));
        QVERIFY(plot.selectedRange().has_value());
        QCOMPARE(plot.area(), kAll);
        QTest::keyClick(plot.plot(), Qt::Key_Escape);
        QCOMPARE(cleared.count(), 1);
        QVERIFY(!plot.selectedRange());
    }

    void selectionFromElsewhereIsSilent()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        QSignalSpy selected(&plot, &PlotView::rangeSelected);
        plot.setSelectedRange(60, 10);
        QCOMPARE(plot.selectedRange()->first, 10.0);
        QCOMPARE(selected.count(), 0);
    }

    void escapeAbandonsADrag()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        plot.setVisibleRange(40, 60);
        const PlotArea before = plot.area();
        const QPoint from = plot.pixel(50, 20), to = plot.pixel(45, 20);
        QTest::mousePress(plot.plot(), Qt::LeftButton, Qt::NoModifier, from);
        QMouseEvent move(QEvent::MouseMove, to, plot.plot()->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(plot.plot(), &move);
        QVERIFY(plot.area() != before);
        QTest::keyClick(plot.plot(), Qt::Key_Escape);
        QVERIFY(near(plot.area().x0, before.x0, 1e-9));
        QTest::mouseRelease(plot.plot(), Qt::LeftButton, Qt::NoModifier, to);
        QVERIFY(near(plot.area().x0, before.x0, 1e-9));
    }

    void visibleRangeChangedOnlyOnChange()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        QSignalSpy changed(&plot, &PlotView::visibleRangeChanged);
        plot.setVisibleRange(10, 20);
        plot.setVisibleRange(10, 20); // linked views answer each other with the same range
        QCOMPARE(changed.count(), 1);
        plot.setVisibleRange(20, 10); // not a range
        QCOMPARE(changed.count(), 1);
        QCOMPARE(plot.userMoves, 0);
    }

    void growingBoundsAreFollowedOnlyWhenAllIsShown()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        plot.mouse()->setBounds({0, 200, 0, 80});
        QCOMPARE(plot.area().x1, 200.0);
        QCOMPARE(plot.area().y1, 80.0);
        plot.setVisibleRange(10, 20);
        plot.mouse()->setBounds({0, 400, 0, 160});
        QVERIFY(near(plot.area().x1, 20, 1e-9));
        QCOMPARE(plot.area().y1, 160.0); // the height was all, and stays all
        plot.zoomBack();
        QCOMPARE(plot.area().x1, 400.0);
    }

    void deepestZoomStaysARange()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        for (int i = 0; i < 300; ++i)
            turnWheel(plot.plot(), plot.pixel(50, 20), 1);
        QVERIFY(plot.area().x1 > plot.area().x0);
        QVERIFY(plot.area().x1 - plot.area().x0 < 1e-4);
    }

    void copies()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        QTest::keyClick(plot.plot(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QApplication::clipboard()->text(), plot.visibleDataTsv());
        QTest::keyClick(plot.plot(), Qt::Key_C, Qt::ControlModifier);
        const QImage image = QApplication::clipboard()->image();
        QCOMPARE(image.size(), plot.size() * 2);
    }

    void placeholderStandsInAndComesBack()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        plot.setLoading(QStringLiteral("Loading…"));
        QVERIFY(!plot.showsPlot());
        QCOMPARE(plot.accessibleDescription(), QStringLiteral("Loading…"));
        plot.setPlaceholder({});
        QVERIFY(plot.showsPlot());
        QCOMPARE(plot.accessibleDescription(), QStringLiteral("A sample."));
        QCOMPARE(plot.accessibleName(), QStringLiteral("Sample"));
    }

    void coloursFollowThePalette()
    {
        SamplePlot plot;
        test::showAt(plot, 600, 300);
        const auto check = [&plot] {
            const ChartTheme theme = chartTheme(plot.palette());
            QCOMPARE(plot.plot()->xAxis->tickLabelColor(), theme.text);
            QCOMPARE(plot.grab().toImage().pixelColor(plot.width() / 2, plot.height() / 2 + 1).lightness() < 128,
                     theme.dark);
        };
        check();
        test::applyPalette(true);
        QApplication::processEvents();
        check();
        QVERIFY(chartTheme(plot.palette()).dark);
    }

    // A high view says under its title what it shows, a low one beside it, a narrow one in the title's tooltip; all
    // know their page of help.
    void aLineUnderTheTitleExplains()
    {
        SamplePlot view;
        view.explain(QStringLiteral("A point is a sample."), "figures");
        auto* line = view.findChild<QLabel*>(QStringLiteral("explanation"));
        QVERIFY(line);
        view.resize(500, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(line->isVisible());
        QVERIFY(line->geometry().bottom() < view.plot()->mapTo(&view, QPoint()).y());
        QCOMPARE(line->text(), QStringLiteral("A point is a sample."));
        QVERIFY2(line->toolTip().contains(line->text()), qPrintable(line->toolTip()));
        const int plotTop = view.plot()->mapTo(&view, QPoint()).y();
        const auto* title = view.findChild<QWidget*>(QStringLiteral("panelTitle"));
        view.resize(700, 180);
        QTRY_VERIFY(line->isVisible() && line->parentWidget() == title);
        const auto* words = title->findChild<QLabel*>(QString(), Qt::FindDirectChildrenOnly);
        QTRY_VERIFY(line->width() > line->fontMetrics().averageCharWidth() * 20);
        QVERIFY(line->x() > words->geometry().right());
        QVERIFY(words->width() >= words->fontMetrics().horizontalAdvance(view.title()));
        QVERIFY(view.plot()->mapTo(&view, QPoint()).y() < plotTop);
        view.resize(300, 180);
        QVERIFY(!line->isVisible());
        view.resize(500, 400);
        QTRY_VERIFY(line->isVisible() && line->parentWidget() == &view);
        QCOMPARE(helpTopic(view.plot()), QStringLiteral("figures"));
        QVERIFY(helpTopic(nullptr).isEmpty());
        SamplePlot without;
        without.resize(500, 400);
        without.show();
        QVERIFY(!without.findChild<QLabel*>(QStringLiteral("explanation"))->isVisible());
    }

    void palettesHaveContrast_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void palettesHaveContrast()
    {
        QFETCH(bool, dark);
        const QPalette palette = dark ? darkPalette() : lightPalette();
        const ChartTheme theme = chartTheme(palette);
        QCOMPARE(theme.dark, dark);
        for (const QColor& color : {theme.text, theme.mutedText, theme.accent, theme.warning})
            QVERIFY2(contrastRatio(color, theme.background) >= 4.5, qPrintable(color.name()));
        QVERIFY(contrastRatio(theme.axis, theme.background) >= 3);
        const std::pair<QPalette::ColorRole, QPalette::ColorRole> pairs[] = {
            {QPalette::WindowText, QPalette::Window},
            {QPalette::Text, QPalette::Base},
            {QPalette::Text, QPalette::AlternateBase},
            {QPalette::ButtonText, QPalette::Button},
            {QPalette::PlaceholderText, QPalette::Base},
            {QPalette::PlaceholderText, QPalette::Window},
            {QPalette::HighlightedText, QPalette::Highlight},
            {QPalette::ToolTipText, QPalette::ToolTipBase},
            {QPalette::Link, QPalette::Base},
            {QPalette::Link, QPalette::Window}};
        for (const auto& [over, under] : pairs)
            QVERIFY2(contrastRatio(palette.color(over), palette.color(under)) >= 4.5,
                     qPrintable(QStringLiteral("%1 on %2").arg(int(over)).arg(int(under))));
    }

    // A low lane has a scale, too: zero and another tick, whatever its largest value.
    void everyLaneHasTwoTicks()
    {
        QCustomPlot plot;
        plot.resize(300, 75);
        double top = 1;
        QList<double> places;
        setLaneTicks(plot.yAxis, &places, [&top](const QRectF& rect) {
            return LaneLayout{1, top, [rect](std::size_t) { return rect; }};
        });
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        for (const double gibibytes : {1.0, 1.4, 1.7, 2.0, 3.9, 5.0, 6.2, 7.4, 7.6, 9.9, 57.0, 83.0, 999.0}) {
            top = gibibytes * (1 << 30);
            plot.replot();
            QVERIFY2(places.size() >= 2 && places.size() <= 4,
                     qPrintable(QStringLiteral("%1 GiB: %2 ticks").arg(gibibytes).arg(places.size())));
        }
    }

    // A name longer than the strip ends before its edge, and the tooltip has the whole.
    void aLongNameStaysInTheLegend()
    {
        const QString name = QStringLiteral("B experiment type of many words, the last of which tells (synthetic)");
        LegendStrip strip;
        strip.setEntries({{QStringLiteral("A"), Qt::red}, {name, Qt::blue}});
        strip.resize(200, 60);
        strip.show();
        QVERIFY(QTest::qWaitForWindowExposed(&strip));
        QVERIFY2(strip.toolTip().contains(QStringLiteral("(synthetic)")), qPrintable(strip.toolTip()));
        strip.resize(300, 60); // two lines hold it
        QVERIFY2(strip.toolTip().isEmpty(), qPrintable(strip.toolTip()));
        QVERIFY(strip.height() > 3 * QFontMetrics(strip.font()).height());
        strip.resize(200, 60);
        const QImage image = strip.grab().toImage();
        const QColor empty = strip.palette().color(QPalette::Base);
        for (int y = 0; y < image.height(); ++y) {
            for (int x = image.width() - 7; x < image.width(); ++x)
                QCOMPARE(image.pixelColor(x, y), empty);
        }
        strip.resize(1000, 60);
        QVERIFY2(strip.toolTip().isEmpty(), qPrintable(strip.toolTip()));
        // Where there is room nothing is shortened: a strip differs from that of the shorter name.
        const QFontMetrics metrics(strip.font());
        for (const char* text : {"Optimiser states", "Norm samples", "Gradients", "Wsens", "Allocated at a snapshot"}) {
            const QString whole = QString::fromLatin1(text);
            strip.setEntries({{whole, Qt::red}});
            const QImage drawn = strip.grab().toImage();
            strip.setEntries(
                {{metrics.elidedText(whole, Qt::ElideMiddle, metrics.horizontalAdvance(whole) - 1), Qt::red}});
            QVERIFY2(drawn != strip.grab().toImage(), text);
        }
    }

    // "Cha…" tells nothing: a colour bar's title is whole, or more than half, or not there.
    void aColourBarHasATitleOrNone()
    {
        SamplePlot plot;
        QCPColorScale* bar = addColorBar(plot.plot(), [](double, double, int) { return std::vector<AxisMark>(); });
        const QString title = QStringLiteral("Change, part of the largest in its row");
        bar->setLabel(title);
        test::showAt(plot, 500, 500);
        plot.plot()->replot();
        QCOMPARE(bar->label(), title);
        plot.resize(500, 170);
        plot.plot()->replot();
        QVERIFY2(bar->label().isEmpty(), qPrintable(bar->label()));
        plot.resize(500, 500);
        plot.plot()->replot();
        QCOMPARE(bar->label(), title);
    }

    // What is read is the quantity; its remark goes whole before a letter of it does.
    void aTitleLosesItsRemarkFirst()
    {
        SamplePlot plot;
        QCPAxis* axis = plot.plot()->yAxis;
        const QString title = QStringLiteral("ΔPPL (symlog,\nlinear below 0.01)");
        axis->setLabel(title);
        test::showAt(plot, 500, 500);
        plot.plot()->replot();
        QCOMPARE(axis->label(), title);
        plot.resize(500, 150);
        plot.plot()->replot();
        QCOMPARE(axis->label(), QStringLiteral("ΔPPL"));
        plot.resize(500, 500);
        plot.plot()->replot();
        QCOMPARE(axis->label(), title);
    }

    void contrastOfKnownColours()
    {
        QVERIFY(near(contrastRatio(Qt::black, Qt::white), 21, 1e-6));
        QVERIFY(near(contrastRatio(QColor(0x777777), Qt::white), 4.478, 0.01)); // the usual example that just fails
        QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
    }
};

PEAKSCOPE_TEST(TestPlotView)
#include "test_plot_view.moc"
