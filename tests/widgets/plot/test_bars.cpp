// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// ComponentBarsView and ModuleBarsView: rows and lengths against the data, modes and groupings, selection by mouse and
// keyboard; and pictures of them for people to look at.
#include "tests/test_room.h"
#include "tests/widgets/plot/text_recorder.h"
#include "tests/widgets/timeline/training_data.h"

#include "core/base/units.h"
#include "widgets/look/component_palette.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/module_bars_view.h"

#include <qcustomplot.h>

#include <QHelpEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

#include <numeric>

using namespace peakscope;
using peakscope::test::TextRecorder;

namespace {

struct PeakData {
    ComponentBytes atPeak{};
    ComponentBytes maxima{};
};

PeakData peakData()
{
    const MemoryTimeline timeline(test::trainingRun().events);
    return {timeline.peakComponents(), timeline.maxComponents()};
}

QPoint inRow(const BarsView& view, int row)
{
    const QRect rect = view.plot()->axisRect()->rect();
    return {rect.left() + 3, qRound(view.plot()->yAxis->coordToPixel(row))};
}

// Pixels of exactly this colour on a horizontal line through the plot.
int pixelsOf(const BarsView& view, const QColor& color, int y)
{
    const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
    int count = 0;
    for (int x = 0; x < image.width(); ++x)
        count += image.pixel(x, y) == color.rgb();
    return count;
}

QToolButton* buttonNamed(const QWidget& view, const QString& text)
{
    for (QToolButton* button : view.findChildren<QToolButton*>()) {
        if (button->text() == text && button->isVisible())
            return button;
    }
    return nullptr;
}

class PlainBars : public BarsView
{
public:
    PlainBars() : BarsView([] { return QString(); }, [] { return QString(); }) {}
    using BarsView::setRows;
    QString summary() const override { return {}; }

protected:
    void rebuild() override {}
};

} // namespace

class TestBars : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    // In words too long for the room beside it: the number there, rather than all of it over the bar.
    void aLongValueHidesNoBar()
    {
        PlainBars view;
        test::showAt(view, 340, 200);
        const auto row = [](const char* name, double bytes, const char* value) {
            return BarRow{QLatin1String(name),
                          QLatin1String(name),
                          {},
                          {{{{bytes, Qt::red, Qt::NoPen, {}}}, QLatin1String(value)}}};
        };
        view.setRows(
            {row("gradients", 15e9, "14.0 GiB"), row("hooks", 12e9, "11.7 GiB, cumulated over the iterations")});
        QCoreApplication::processEvents();
        const TextRecorder recorder(*view.plot());
        const auto said = std::find_if(recorder.texts().begin(), recorder.texts().end(), [](const auto& placed) {
            return placed.text.startsWith(QStringLiteral("11.7 GiB"));
        });
        QVERIFY(said != recorder.texts().end());
        QVERIFY2(said->box.left() >= view.plot()->xAxis->coordToPixel(12e9), qPrintable(said->text));
    }

    void emptyStateThenRows()
    {
        ComponentBarsView view;
        test::showAt(view, 600, 360);
        QVERIFY(!view.showsPlot());
        const PeakData data = peakData();
        view.setData(data.atPeak, data.maxima);
        QVERIFY(view.showsPlot());
        QStringList expected;
        for (Component component : componentStackOrder()) {
            if (data.maxima[static_cast<std::size_t>(component)] > 0)
                expected.prepend(componentTitle(component));
        }
        QStringList found;
        for (const BarRow& row : view.rows())
            found << row.label;
        QCOMPARE(found, expected);
        view.setData({}, {});
        QVERIFY(!view.showsPlot());
    }

    void valuesAndSharesAreWords()
    {
        ComponentBarsView view;
        test::showAt(view, 600, 360);
        ComponentBytes atPeak{}, maxima{};
        atPeak[static_cast<std::size_t>(Component::Parameters)] = 3 << 20;
        atPeak[static_cast<std::size_t>(Component::Activations)] = 1 << 20;
        maxima = atPeak;
        maxima[static_cast<std::size_t>(Component::Activations)] = 2 << 20;
        view.setData(atPeak, maxima);
        const BarRow& parameters = view.rows().back();
        QCOMPARE(parameters.label, componentTitle(Component::Parameters));
        QVERIFY(parameters.bars[0].valueText.contains(QString::fromStdString(formatBytes(3 << 20))));
        QVERIFY(parameters.bars[0].valueText.contains(QStringLiteral("75")));
        QCOMPARE(view.rows().front().bars[1].valueText, QString::fromStdString(formatBytes(2 << 20)));
        QVERIFY(view.summary().contains(componentTitle(Component::Parameters)));
    }

    void modesChooseTheBars_data()
    {
        QTest::addColumn<QString>("button");
        QTest::addColumn<int>("bars");
        QTest::addColumn<bool>("showsMaximum");
        QTest::newRow("at the peak") << QStringLiteral("At the peak") << 1 << false;
        QTest::newRow("own maximum") << QStringLiteral("Own maximum") << 1 << true;
        QTest::newRow("both") << QStringLiteral("Both") << 2 << true;
    }

    void modesChooseTheBars()
    {
        QFETCH(QString, button);
        QFETCH(int, bars);
        QFETCH(bool, showsMaximum);
        ComponentBarsView view;
        test::showAt(view, 700, 360);
        const PeakData data = peakData();
        view.setData(data.atPeak, data.maxima);
        QToolButton* found = buttonNamed(view, button);
        QVERIFY(found);
        QTest::mouseClick(found, Qt::LeftButton);
        QVERIFY(found->isChecked());
        for (const BarRow& row : view.rows()) {
            QCOMPARE(row.bars.size(), static_cast<std::size_t>(bars));
            const auto component = componentFromName(row.name.toStdString());
            QVERIFY(component);
            const auto& shown = showsMaximum ? data.maxima : data.atPeak;
            QCOMPARE(row.bars.back().total(), static_cast<double>(shown[static_cast<std::size_t>(*component)]));
        }
    }

    void barsAreAsLongAsTheirValues()
    {
        ComponentBarsView view;
        test::showAt(view, 800, 360);
        const PeakData data = peakData();
        view.setMode(ComponentBarsView::Mode::AtPeak);
        view.setData(data.atPeak, data.maxima);
        QApplication::processEvents();
        for (int i = 0; i < static_cast<int>(view.rows().size()); ++i) {
            const BarRow& row = view.rows()[static_cast<std::size_t>(i)];
            const auto component = componentFromName(row.name.toStdString());
            const double width =
                view.plot()->xAxis->coordToPixel(row.bars[0].total()) - view.plot()->xAxis->coordToPixel(0);
            const int y = qRound(view.plot()->yAxis->coordToPixel(i));
            const int pixels = pixelsOf(view, componentColor(*component), y);
            QVERIFY2(std::abs(pixels - width) <= 4, // the axis line and an edge may take a pixel each
                     qPrintable(QStringLiteral("%1: %2 of %3").arg(row.name).arg(pixels).arg(width)));
        }
    }

    // Of a row without room for all its values those are left out that would stand beside the bars of others.
    void aValueIsThatOfABar()
    {
        PlainBars view;
        std::vector<BarRow> rows;
        for (int i = 0; i < 8; ++i) {
            BarRow row{QString::number(i), QStringLiteral("Row %1").arg(i), {}, {}};
            row.bars.push_back({{{0, Qt::red, Qt::NoPen, {}}}, QStringLiteral("A 0 B")});
            row.bars.push_back(
                {{{9e9, Qt::red, Qt::NoPen, {}}}, QStringLiteral("B 8.38 GiB, cumulated over iterations")});
            row.bars.push_back(
                {{{9e9, Qt::red, Qt::NoPen, {}}}, QStringLiteral("C 8.38 GiB, cumulated over iterations")});
            rows.push_back(row);
        }
        view.setRows(rows);
        const auto said = [&view] {
            QStringList texts;
            const TextRecorder recorder(*view.plot());
            for (const TextRecorder::Placed& placed : recorder.texts())
                texts << placed.text;
            return texts.join(u'\n');
        };
        test::showAt(view, 500, 340);
        QApplication::processEvents();
        QVERIFY2(!said().contains(QStringLiteral("A 0 B")), qPrintable(said()));
        QCOMPARE(said().count(QStringLiteral("B 8.38 GiB")), 8);
        test::showAt(view, 1200, 340);
        QApplication::processEvents();
        QCOMPARE(said().count(QStringLiteral("A 0 B  |  B 8.38 GiB")), 8);
        rows.resize(2); // high rows have a line for each bar
        view.setRows(rows);
        test::showAt(view, 500, 340);
        QApplication::processEvents();
        QCOMPARE(said().count(QStringLiteral("A 0 B")), 2);
        QVERIFY(!said().contains(u'|'));
        QCOMPARE(said().count(QStringLiteral("C 8.38 GiB")), 2);
    }

    void namesNeedTheRoomMoreThanTheLegend()
    {
        ComponentBarsView view;
        ComponentBytes bytes{};
        for (int i = 0; i < 8; ++i)
            bytes[static_cast<std::size_t>(i)] = (i + 1) << 20;
        view.setData(bytes, bytes);
        for (const int height : {196, 400}) {
            test::showAt(view, 400, height);
            QApplication::processEvents();
            QStringList said;
            const TextRecorder recorder(*view.plot());
            for (const TextRecorder::Placed& placed : recorder.texts())
                said << placed.text;
            const qsizetype names = std::count_if(view.rows().begin(), view.rows().end(),
                                                  [&said](const BarRow& row) { return said.contains(row.label); });
            QVERIFY2(names >= (height == 400 ? 8 : 7), qPrintable(QString::number(names)));
            QCOMPARE(test::legendOf(view)->isVisible(), height == 400);
        }
    }

    // Each stage has its name and its value, if only after scrolling; the largest without it.
    void rowsTooManyScroll()
    {
        ComponentBarsView view;
        std::vector<RecordedStage> stages;
        for (int i = 0; i < 13; ++i)
            stages.push_back({"stage_" + std::to_string(100 + i), std::int64_t(i + 1) << 20});
        view.setData({}, {}, {}, stages);
        test::showAt(view, 380, 215);
        QApplication::processEvents();
        const auto said = [&view] {
            QStringList texts;
            view.plot()->replot();
            const TextRecorder recorder(*view.plot());
            for (const TextRecorder::Placed& placed : recorder.texts())
                texts << placed.text;
            return texts;
        };
        auto* bar = view.plot()->findChild<QScrollBar*>();
        QVERIFY(bar && bar->isVisible() && bar->maximum() > 0);
        QVERIFY(said().contains(view.rows().back().label) && !said().contains(view.rows().front().label));
        QStringList all;
        for (int first = 0; first <= bar->maximum(); ++first) {
            bar->setValue(first);
            QVERIFY(said().contains(view.rows()[static_cast<std::size_t>(first)].label));
            all << said();
        }
        for (const BarRow& row : view.rows()) {
            QVERIFY2(all.contains(row.label), qPrintable(row.label));
            QVERIFY2(all.contains(row.bars[0].valueText), qPrintable(row.bars[0].valueText));
        }
        view.setCurrentRow(view.rows().front().name); // comes into sight
        QCOMPARE(bar->value(), 0);
        test::showAt(view, 380, 500);
        QApplication::processEvents();
        QVERIFY(!bar->isVisible());
        QCOMPARE(view.plot()->yAxis->range().lower, -0.5);
    }

    // Both numbers of a component rather than one with its share; and what the two bars are.
    void bothNumbersNeedTheRoomMoreThanShares()
    {
        ComponentBarsView view;
        ComponentBytes atPeak{}, maxima{};
        for (int i = 0; i < 8; ++i) {
            atPeak[static_cast<std::size_t>(componentStackOrder()[static_cast<std::size_t>(i)])] = (i + 1) * 1234567;
            maxima[static_cast<std::size_t>(componentStackOrder()[static_cast<std::size_t>(i)])] = (i + 2) * 1234567;
        }
        view.setData(atPeak, maxima);
        test::showAt(view, 382, 214); // in a window of 1280 x 720
        QApplication::processEvents();
        view.plot()->replot();
        QStringList said;
        const TextRecorder recorder(*view.plot());
        for (const TextRecorder::Placed& placed : recorder.texts())
            said << placed.text;
        for (const BarRow& row : view.rows())
            QVERIFY2(said.contains(row.bars[0].shortText + QStringLiteral("  |  ") + row.bars[1].valueText),
                     qPrintable(said.join(u'\n')));
        QVERIFY(test::legendOf(view)->isVisible());
        QVERIFY(buttonNamed(view, QStringLiteral("Both")));
        view.setData({}, {});
        QVERIFY(!buttonNamed(view, QStringLiteral("Both"))); // there is nothing to choose from
    }

    void smallButNotNothingIsSeen()
    {
        ComponentBarsView view;
        test::showAt(view, 600, 360);
        ComponentBytes atPeak{};
        atPeak[static_cast<std::size_t>(Component::Parameters)] = 1LL << 34;
        atPeak[static_cast<std::size_t>(Component::Inputs)] = 8;
        view.setMode(ComponentBarsView::Mode::AtPeak);
        view.setData(atPeak, atPeak);
        QApplication::processEvents();
        QVERIFY(pixelsOf(view, componentColor(Component::Inputs), qRound(view.plot()->yAxis->coordToPixel(0))) >= 1);
    }

    void clickAndKeysChooseRows()
    {
        ComponentBarsView view;
        test::showAt(view, 600, 360);
        const PeakData data = peakData();
        view.setData(data.atPeak, data.maxima);
        QApplication::processEvents();
        QSignalSpy activated(&view, &BarsView::rowActivated);
        QTest::mouseClick(view.plot(), Qt::LeftButton, Qt::NoModifier, inRow(view, 1));
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].toString(), view.rows()[1].name);
        QTest::keyClick(view.plot(), Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(activated.last()[0].toString(), view.rows()[2].name);
        QTest::keyClick(view.plot(), Qt::Key_Up, Qt::ControlModifier);
        QCOMPARE(activated.last()[0].toString(), view.rows()[1].name);
        view.setCurrentRow(view.rows()[3].name); // from a table: silent
        QCOMPARE(activated.count(), 3);
    }

    void tooltipDefinesTheComponent()
    {
        ComponentBarsView view;
        test::showAt(view, 600, 360);
        const PeakData data = peakData();
        view.setData(data.atPeak, data.maxima);
        QApplication::processEvents();
        const QPoint at = inRow(view, 0);
        QHelpEvent help(QEvent::ToolTip, at, view.plot()->mapToGlobal(at));
        QApplication::sendEvent(view.plot(), &help);
        const auto component = componentFromName(view.rows()[0].name.toStdString());
        QVERIFY(QToolTip::text().contains(componentDefinition(*component).toHtmlEscaped()));
        QVERIFY(QToolTip::text().contains(QStringLiteral("bytes")));
    }

    void modulesAreSummed_data()
    {
        QTest::addColumn<int>("grouping");
        QTest::addColumn<int>("rows");
        const int modules = static_cast<int>(test::trainingRun().modules.size());
        QTest::newRow("five kinds") << int(ModuleBarsView::Grouping::Kind) << 5;
        QTest::newRow("twelve layers, embedding and head") << int(ModuleBarsView::Grouping::Layer) << 14;
        QTest::newRow("one by one") << int(ModuleBarsView::Grouping::Module) << modules;
    }

    void modulesAreSummed()
    {
        QFETCH(int, grouping);
        QFETCH(int, rows);
        const auto modules = test::trainingRun().modules;
        ModuleBarsView view;
        test::showAt(view, 700, 360);
        view.setModules(modules);
        view.setGrouping(static_cast<ModuleBarsView::Grouping>(grouping));
        QCOMPARE(view.rows().size(), static_cast<std::size_t>(rows));
        double shown = 0, expected = 0;
        for (const BarRow& row : view.rows())
            shown += row.bars[0].total();
        for (const ModuleUsage& module : modules)
            expected += static_cast<double>(module.parameterBytes + module.gradientBytes + module.activationBytes);
        QCOMPARE(shown, expected);
    }

    // With optimiser states and what is no module's they are the peak, whatever they are gathered by; the second, pale
    // bar is the modules' own maxima.
    void modulesStandAtThePeak()
    {
        auto modules = test::trainingRun().modules;
        ComponentBytes peak{};
        const auto at = [](Component component) { return static_cast<std::size_t>(component); };
        for (ModuleUsage& module : modules) {
            ComponentBytes& held = module.atPeak.emplace();
            held[at(Component::Parameters)] = module.parameterBytes;
            held[at(Component::OptimizerStates)] = 2 * module.parameterBytes;
            module.peakBytes += held[at(Component::OptimizerStates)];
            held[at(Component::Activations)] = module.activationBytes / 2; // the others are freed by then
            for (std::size_t i = 0; i < kComponentCount; ++i)
                peak[i] += held[i];
        }
        peak[at(Component::Inputs)] = 1 << 20;
        ModuleBarsView view;
        test::showAt(view, 700, 360);
        view.setModules(modules, peak);
        const double total = static_cast<double>(std::accumulate(peak.begin(), peak.end(), std::int64_t{0}));
        for (const auto grouping : {ModuleBarsView::Grouping::Kind, ModuleBarsView::Grouping::Layer}) {
            view.setGrouping(grouping);
            QCOMPARE(view.title(), QStringLiteral("Modules at the peak"));
            double shown = 0, maxima = 0;
            QStringList components;
            for (const BarRow& row : view.rows()) {
                shown += row.bars[0].total();
                maxima += row.bars.size() > 1 ? row.bars[1].total() : 0;
                for (const BarSegment& segment : row.bars[0].segments)
                    components << segment.name;
            }
            QCOMPARE(shown, total);
            double expected = 0;
            for (const ModuleUsage& module : modules)
                expected += static_cast<double>(module.peakBytes);
            QCOMPARE(maxima, expected);
            QVERIFY(components.contains(componentTitle(Component::OptimizerStates)));
            QVERIFY(!components.contains(componentTitle(Component::Gradients)));
            QCOMPARE(view.rows().back().label, QStringLiteral("Outside modules"));
            QCOMPARE(view.rows().back().bars.size(), std::size_t{1});
        }
        test::saveScreenshot(view, QStringLiteral("module_layers_at_the_peak"));
        // A result that knows the maxima alone says that they are no one instant's.
        view.setModules(test::trainingRun().modules);
        QVERIFY2(view.title().contains(QStringLiteral("not at one instant")), qPrintable(view.title()));
    }

    void layerOfAName_data()
    {
        QTest::addColumn<QString>("layer");
        QTest::newRow("model.decoder.layers.3.self_attn") << QStringLiteral("layers.3");
        QTest::newRow("transformer.h.11.mlp.c_fc") << QStringLiteral("h.11");
        QTest::newRow("gpt_neox.layers.0") << QStringLiteral("layers.0");
        QTest::newRow("lm_head") << QStringLiteral("lm_head");
        QTest::newRow("model.fc1") << QStringLiteral("model.fc1");
        QTest::newRow("") << QString();
    }

    void layerOfAName()
    {
        QFETCH(QString, layer);
        QCOMPARE(moduleLayer(QString::fromLatin1(QTest::currentDataTag())), layer);
    }

    void manyRowsKeepReadableLabels()
    {
        ModuleBarsView view;
        test::showAt(view, 700, 300);
        view.setModules(test::trainingRun(96).modules);
        view.setGrouping(ModuleBarsView::Grouping::Module);
        QApplication::processEvents();
        view.plot()->replot();
        const QVector<double> ticks = view.plot()->yAxis->tickVector();
        QVERIFY(ticks.size() >= 3);
        for (int i = 1; i < ticks.size(); ++i) {
            const double distance =
                view.plot()->yAxis->coordToPixel(ticks[i]) - view.plot()->yAxis->coordToPixel(ticks[i - 1]);
            QVERIFY(distance >= view.fontMetrics().height() - 1);
        }
        // Down to one row a line when zoomed in, and back.
        const QPoint from = inRow(view, 20), to = inRow(view, 30);
        QTest::mousePress(view.plot(), Qt::LeftButton, Qt::ShiftModifier, from);
        QMouseEvent move(QEvent::MouseMove, to, view.plot()->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                         Qt::ShiftModifier);
        QApplication::sendEvent(view.plot(), &move);
        QTest::mouseRelease(view.plot(), Qt::LeftButton, Qt::ShiftModifier, to);
        view.plot()->replot();
        QVERIFY(view.plot()->yAxis->range().size() < 14);
        QCOMPARE(view.plot()->yAxis->tickVector().at(1) - view.plot()->yAxis->tickVector().at(0), 1.0);
        QTest::keyClick(view.plot(), Qt::Key_Backspace);
        QVERIFY(view.plot()->yAxis->range().size() > 200);
    }

    void textsStandApart_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        for (const int rows : {1, 2, 3, 4, 5, 7, 10, 15}) {
            for (const auto& [width, height] : {std::pair{300, 130},
                                                {380, 170},
                                                {600, 200},
                                                {600, 240},
                                                {600, 280},
                                                {500, 340},
                                                {800, 500},
                                                {800, 900}})
                QTest::addRow("%d rows, %d x %d", rows, width, height) << rows << width << height;
        }
    }

    void textsStandApart()
    {
        QFETCH(int, rows);
        QFETCH(int, width);
        QFETCH(int, height);
        ComponentBytes atPeak{}, maxima{};
        for (int i = 0; i < rows; ++i) {
            const auto at = static_cast<std::size_t>(componentStackOrder()[static_cast<std::size_t>(i)]);
            atPeak[at] = (std::int64_t{7} << 20) / (1 + i * i);
            maxima[at] = atPeak[at] * (i % 3 == 0 ? 2 : 1) + i;
        }
        ComponentBarsView view;
        test::showAt(view, width, height);
        view.setData(atPeak, maxima);
        QApplication::processEvents();
        view.plot()->replot();
        for (const auto mode : {ComponentBarsView::Mode::Both, ComponentBarsView::Mode::AtPeak}) {
            view.setMode(mode);
            view.plot()->replot();
            const TextRecorder recorder(*view.plot());
            QVERIFY(!recorder.texts().empty());
            QVERIFY2(recorder.overlap().isEmpty(), qPrintable(recorder.overlap()));
        }
        // Where a row is as high as a line each says its bytes, and with room for it both of them.
        view.setMode(ComponentBarsView::Mode::Both);
        view.plot()->replot();
        const double rowHeight = view.plot()->yAxis->coordToPixel(1) - view.plot()->yAxis->coordToPixel(0);
        QStringList said;
        const TextRecorder recorder(*view.plot());
        for (const auto& placed : recorder.texts())
            said << placed.text;
        const QString all = said.join(QLatin1Char('\n'));
        const QCPRange inSight = view.plot()->yAxis->range(); // the others are scrolled to
        for (int i = 0; rowHeight > view.fontMetrics().height() + 1 && i < static_cast<int>(view.rows().size()); ++i) {
            if (!inSight.contains(i))
                continue;
            const BarRow& row = view.rows()[static_cast<std::size_t>(i)];
            QVERIFY2(all.contains(row.bars[0].shortText), qPrintable(row.label));
            QVERIFY2(width < 600 || all.contains(row.bars[1].valueText), qPrintable(row.label));
        }
    }

    void copiedDataListEveryPart()
    {
        ModuleBarsView view;
        test::showAt(view, 700, 360);
        view.setModules(test::trainingRun().modules);
        const QStringList lines = view.visibleDataTsv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 1 + 5 * 3);
        QCOMPARE(lines[0], QStringLiteral("name\tpart\tbytes"));
    }

    void pictures_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::newRow("light") << false << 640 << 400;
        QTest::newRow("dark") << true << 640 << 400;
        QTest::newRow("light narrow") << false << 360 << 320;
    }

    void pictures()
    {
        QFETCH(bool, dark);
        QFETCH(int, width);
        QFETCH(int, height);
        test::applyPalette(dark);
        const QString tag = QString::fromLatin1(QTest::currentDataTag()).replace(QLatin1Char(' '), QLatin1Char('-'));
        ComponentBarsView components;
        test::showAt(components, width, height);
        QCOMPARE(components.width(), width);
        const PeakData data = peakData();
        components.setData(data.atPeak, data.maxima);
        components.setCurrentRow(QStringLiteral("activations"));
        QApplication::processEvents();
        test::saveScreenshot(components, QStringLiteral("component-bars-") + tag);
        ModuleBarsView modules;
        test::showAt(modules, width, height);
        modules.setModules(test::trainingRun().modules);
        QApplication::processEvents();
        test::saveScreenshot(modules, QStringLiteral("module-bars-") + tag);
        modules.setGrouping(ModuleBarsView::Grouping::Layer);
        test::saveScreenshot(modules, QStringLiteral("module-bars-layers-") + tag);
        QVERIFY(components.grab().toImage() != modules.grab().toImage());
    }
};

PEAKSCOPE_TEST(TestBars)
#include "test_bars.moc"
