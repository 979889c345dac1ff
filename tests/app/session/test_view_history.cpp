// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Undo of what was changed in views, commands by typing, and the list of keys: by wheel, drag and keys.
#include "app/analyse/analyse_page.h"
#include "app/compare/compare_page.h"
#include "app/parts/command_palette.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/theme_controller.h"
#include "app/parts/view_history.h"
#include "app/run/run_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/timeline_legend.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTest>
#include <QTreeWidget>
#include <QWheelEvent>

#include <qcustomplot.h>

#include <cmath>

using namespace peakscope;
using namespace peakscope::testing;

class TestViewHistory : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void zoomIsUndoneByKey();
    void turnsOfOneGestureAreOneStep();
    void aSelectedRangeIsUndone();
    void aHiddenComponentIsUndone();
    void thresholdsAreUndone_data();
    void thresholdsAreUndone();
    void theRuleIsUndone();
    void aPanIsOneStepHoweverLongItIsHeld_data();
    void aPanIsOneStepHoweverLongItIsHeld();
    void aSharedSelectionIsWhatIsComeBackTo();
    void anotherResultStartsAnew();
    void textFieldsKeepTheirOwnUndo();
    void wordsAreScored_data();
    void wordsAreScored();
    void everyMenuActionIsInThePalette();
    void thePaletteRunsWhatIsTyped();
    void arrowsWalkThroughThePalette();
    void theListOfKeysIsWhole();

private:
    std::unique_ptr<MainWindow> window(const char* id = "one")
    {
        auto made = std::make_unique<MainWindow>();
        made->resize(1280, 900);
        made->show();
        if (!QTest::qWaitForWindowActive(made.get()))
            qWarning("the window does not show");
        made->openFiles({write(QString::fromLatin1(id) + QStringLiteral(".json"), id)});
        if (!QTest::qWaitFor([&] { return shownResult(*made) != nullptr; }))
            qWarning("nothing opened");
        // Laid out, so that pixels of the plot mean something.
        const MemoryTimelineView* timeline = part<RunPage>(made)->resultTimeline();
        if (!QTest::qWaitFor([timeline] { return timeline->plot()->axisRect()->width() > 200; }))
            qWarning("the timeline is not laid out");
        return made;
    }
    QString write(const QString& name, const char* id) { return testing::writeSmallResult(m_home, name, id); }
    static void wheel(QCustomPlot* plot, int notches)
    {
        const QPointF middle = plot->axisRect()->rect().center();
        QWheelEvent event(middle, plot->mapToGlobal(middle), {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(plot, &event);
    }
    static QAction* undoAction(const MainWindow& window)
    {
        for (QAction* action : window.findChildren<QAction*>()) {
            if (action->shortcut() == QKeySequence(QKeySequence::Undo))
                return action;
        }
        return nullptr;
    }
    static std::pair<double, double> visible(const PlotView* view)
    {
        return {view->visibleLower(), view->visibleUpper()};
    }

    QTemporaryDir m_home;
};

void TestViewHistory::initTestCase()
{
    testing::isolate(m_home);
    applyTheme(Theme::Light);
}

void TestViewHistory::init()
{
    QDir(m_home.filePath(QStringLiteral("config"))).removeRecursively();
    testing::useFakeWorker("complete");
}

void TestViewHistory::zoomIsUndoneByKey()
{
    const auto window = this->window();
    MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    const auto all = visible(timeline);
    wheel(timeline->plot(), 3);
    const auto zoomed = visible(timeline);
    QVERIFY(zoomed != all);
    // At once, before the gesture is over; and again after it.
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(visible(timeline), all);
    QTest::keyClick(window.get(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(visible(timeline), zoomed);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(visible(timeline), all);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(visible(timeline), zoomed);
    timeline->plot()->setFocus();
    QTest::keyClick(timeline->plot(), Qt::Key_Home); // a change after an undo
    QCOMPARE(visible(timeline), all);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(visible(timeline), zoomed);
}

void TestViewHistory::turnsOfOneGestureAreOneStep()
{
    const auto window = this->window();
    MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    const auto all = visible(timeline);
    for (int i = 0; i < 5; ++i)
        wheel(timeline->plot(), 1);
    QTRY_VERIFY(!inGesture(*window));
    wheel(timeline->plot(), 1);
    QTRY_VERIFY(!inGesture(*window));
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(visible(timeline) != all);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(visible(timeline), all);
    QVERIFY(undoAction(*window) && !undoAction(*window)->isEnabled()); // nothing is left
}

void TestViewHistory::aSelectedRangeIsUndone()
{
    const auto window = this->window();
    MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    QCustomPlot* plot = timeline->plot();
    const QRect rect = plot->axisRect()->rect();
    const auto drag = [&](double from, double to) {
        const QPoint a(rect.left() + int(rect.width() * from), rect.center().y());
        const QPoint b(rect.left() + int(rect.width() * to), rect.center().y());
        QTest::mousePress(plot, Qt::LeftButton, Qt::ControlModifier, a);
        QTest::mouseMove(plot, (a + b) / 2);
        QMouseEvent move(QEvent::MouseMove, b, plot->mapToGlobal(b), Qt::NoButton, Qt::LeftButton, Qt::ControlModifier);
        QApplication::sendEvent(plot, &move);
        QTest::mouseRelease(plot, Qt::LeftButton, Qt::ControlModifier, b);
    };
    drag(0.2, 0.4);
    QVERIFY(timeline->selectedRange());
    const auto first = *timeline->selectedRange();
    drag(0.5, 0.8);
    const auto second = *timeline->selectedRange();
    QVERIFY(first != second);
    const QString inspected = part<InspectorPanel>(window)->plainText();
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(*timeline->selectedRange(), first);
    QVERIFY(part<InspectorPanel>(window)->plainText() != inspected); // what follows a selection follows
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!timeline->selectedRange());
    QTest::keyClick(window.get(), Qt::Key_Y, Qt::ControlModifier);
    QTest::keyClick(window.get(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(*timeline->selectedRange(), second);
}

void TestViewHistory::aHiddenComponentIsUndone()
{
    const auto window = this->window();
    MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    auto* legend = timeline->findChild<TimelineLegend*>();
    auto* tree = legend->findChild<QTreeWidget*>();
    QTreeWidgetItem* item = nullptr;
    for (int i = 0; i < tree->topLevelItemCount(); ++i) {
        if (tree->topLevelItem(i)->text(0) == QLatin1String("Activations"))
            item = tree->topLevelItem(i);
    }
    QVERIFY(item);
    item->setCheckState(0, Qt::Unchecked);
    QVERIFY(!timeline->isComponentVisible(Component::Activations));
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(timeline->isComponentVisible(Component::Activations));
    QCOMPARE(item->checkState(0), Qt::Checked);
    QTest::keyClick(window.get(), Qt::Key_Y, Qt::ControlModifier);
    QVERIFY(!timeline->isComponentVisible(Component::Activations));
}

void TestViewHistory::thresholdsAreUndone_data()
{
    QTest::addColumn<double>("line");
    QTest::newRow("on a hundredth") << 0.7;
    QTest::newRow("between two") << 0.705;
}

void TestViewHistory::thresholdsAreUndone()
{
    QFETCH(double, line);
    const QString path = m_home.filePath(QStringLiteral("prm.json"));
    RunResult run = testing::analysisRun();
    run.other["partition"]["thresholds"]["func_alignment"] = line;
    QVERIFY(saveRunResult(run, path.toStdString()).ok());
    const auto window = this->window();
    window->openFiles({path});
    QTRY_VERIFY(part<AnalysePage>(window)->hasDocument() && part<AnalysePage>(window)->plane()->showsPlot());
    window->showWorkspace(QStringLiteral("analyse"));
    QTRY_VERIFY(!inGesture(*window));
    const ClassThresholds stored = part<AnalysePage>(window)->plane()->thresholds();
    QCOMPARE(stored.funcAlignment, line);
    QDoubleSpinBox* field = nullptr;
    for (QDoubleSpinBox* each : part<AnalysePage>(window)->findChildren<QDoubleSpinBox*>()) {
        if (!field && each->isVisible() && each->isEnabled() && std::abs(each->value() - stored.funcAlignment) < 6e-3)
            field = each;
    }
    QVERIFY(field);
    field->setFocus();
    field->selectAll();
    QTest::keyClick(field, Qt::Key_Down);
    QTest::keyClick(field, Qt::Key_Down);
    const ClassThresholds moved = part<AnalysePage>(window)->plane()->thresholds();
    QVERIFY(moved.funcAlignment < stored.funcAlignment);
    QTRY_VERIFY(!inGesture(*window));
    part<AnalysePage>(window)->scatter()->plot()->setFocus();
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(part<AnalysePage>(window)->plane()->thresholds().funcAlignment, stored.funcAlignment);
    QTest::keyClick(window.get(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(part<AnalysePage>(window)->plane()->thresholds().funcAlignment, moved.funcAlignment);
    QTRY_VERIFY(!inGesture(*window));
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier); // taking back made no step of its own
    QCOMPARE(part<AnalysePage>(window)->plane()->thresholds().funcAlignment, stored.funcAlignment);
    QTRY_VERIFY(!inGesture(*window));
    QVERIFY(undoAction(*window) && !undoAction(*window)->isEnabled());
    QTest::keyClick(window.get(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(part<AnalysePage>(window)->plane()->thresholds().funcAlignment, moved.funcAlignment);
}

void TestViewHistory::theRuleIsUndone()
{
    const QString path = m_home.filePath(QStringLiteral("prm.json"));
    QVERIFY(saveRunResult(testing::analysisRun(), path.toStdString()).ok());
    const auto window = this->window();
    window->openFiles({path});
    QTRY_VERIFY(part<AnalysePage>(window)->hasDocument());
    QTRY_VERIFY(!inGesture(*window));
    part<AnalysePage>(window)->setPartition(part<AnalysePage>(window)->lines(), PartitionRule::Quantile);
    QTRY_VERIFY(!inGesture(*window));
    part<AnalysePage>(window)->scatter()->plot()->setFocus();
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(int(part<AnalysePage>(window)->rule()), int(PartitionRule::Absolute));
    QTest::keyClick(window.get(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(int(part<AnalysePage>(window)->rule()), int(PartitionRule::Quantile));
}

void TestViewHistory::aPanIsOneStepHoweverLongItIsHeld_data()
{
    QTest::addColumn<int>("first"); // where the pointer goes before it rests, in pixels
    QTest::addColumn<int>("last");
    QTest::newRow("resting in the middle") << -60 << -120;
    QTest::newRow("resting where nothing can move") << 60 << -120;
}

void TestViewHistory::aPanIsOneStepHoweverLongItIsHeld()
{
    QFETCH(int, first);
    QFETCH(int, last);
    const auto window = this->window();
    MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    timeline->setVisibleRange(0, 0.1); // at the beginning: it can only be drawn to the left
    const auto before = visible(timeline);
    QCustomPlot* plot = timeline->plot();
    const QPoint from = plot->axisRect()->rect().center();
    const auto move = [plot](QPoint to) {
        QMouseEvent event(QEvent::MouseMove, to, plot->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(plot, &event);
    };
    QTest::mousePress(plot, Qt::LeftButton, Qt::NoModifier, from);
    move(from + QPoint(first, 0));
    QElapsedTimer held;
    held.start();
    QTRY_VERIFY(held.elapsed() > 2 * ViewHistory::kGesture);
    move(from + QPoint(last, 0));
    QTest::mouseRelease(plot, Qt::LeftButton, Qt::NoModifier, from + QPoint(last, 0));
    const auto after = visible(timeline);
    QVERIFY(after != before);
    QVERIFY(!inGesture(*window)); // over with the button
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(visible(timeline), before);
    QTest::keyClick(window.get(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(visible(timeline), after);
}

void TestViewHistory::aSharedSelectionIsWhatIsComeBackTo()
{
    const auto window = this->window();
    const QString one = m_home.filePath(QStringLiteral("one.json"));
    window->compareFiles({one, write(QStringLiteral("two.json"), "two")});
    QTRY_VERIFY(part<ComparePage>(window)->answer() && !part<ComparePage>(window)->busy());
    // Selected in the comparison, the run's own timeline follows without a step of its own.
    PlotView* lanes = part<ComparePage>(window)->timelines();
    lanes->setSelectedRange(0.1, 0.2);
    emit lanes->rangeSelected(0.1, 0.2);
    MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    QVERIFY(timeline->selectedRange());
    const auto shared = *timeline->selectedRange();
    timeline->setSelectedRange(0.25, 0.35);
    emit timeline->rangeSelected(0.25, 0.35);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(timeline->selectedRange());
    QCOMPARE(*timeline->selectedRange(), shared);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!lanes->selectedRange());
    QVERIFY(undoAction(*window) && !undoAction(*window)->isEnabled());
}

void TestViewHistory::anotherResultStartsAnew()
{
    const auto window = this->window();
    wheel(part<RunPage>(window)->resultTimeline()->plot(), 3);
    window->openFiles({write(QStringLiteral("other.json"), "other")});
    QTRY_COMPARE(shownResult(*window)->id, std::string("other"));
    const auto all = visible(part<RunPage>(window)->resultTimeline());
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(visible(part<RunPage>(window)->resultTimeline()), all);
}

void TestViewHistory::textFieldsKeepTheirOwnUndo()
{
    const auto window = this->window();
    MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    wheel(timeline->plot(), 3);
    const auto zoomed = visible(timeline);
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field);
    QTest::keyClicks(field, QStringLiteral("fc1"));
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(field->text() != QLatin1String("fc1"));
    QCOMPARE(visible(timeline), zoomed);
}

void TestViewHistory::wordsAreScored_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("wanted");
    QTest::addColumn<bool>("fits");
    QTest::newRow("nothing wanted") << "File › Open"
                                    << "" << true;
    QTest::newRow("a word") << "File › Open"
                            << "open" << true;
    QTest::newRow("words in any order") << "View › Theme › Dark"
                                        << "dark theme" << true;
    QTest::newRow("letters in order") << "Run › New sweep"
                                      << "nswp" << true;
    QTest::newRow("letters that are not there") << "Run › New sweep"
                                                << "zz" << false;
    QTest::newRow("letters out of order") << "Run"
                                          << "nur" << false;
    QTest::newRow("Chinese") << QStringLiteral("文件 › 打开") << QStringLiteral("打开") << true;
}

void TestViewHistory::wordsAreScored()
{
    QFETCH(QString, text);
    QFETCH(QString, wanted);
    QFETCH(bool, fits);
    QCOMPARE(paletteScore(text, wanted) >= 0, fits);
}

void TestViewHistory::everyMenuActionIsInThePalette()
{
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
    auto* palette = window->findChild<CommandPalette*>();
    QVERIFY(palette && palette->isVisible());
    QStringList listed;
    for (int i = 0; i < palette->list()->topLevelItemCount(); ++i)
        listed << palette->list()->topLevelItem(i)->text(0);
    for (QMenu* menu : window->menuBar()->findChildren<QMenu*>()) {
        for (const QAction* action : menu->actions()) {
            if (action->isSeparator() || action->menu() || !action->isEnabled())
                continue;
            const QString name = plainActionText(action->text());
            QVERIFY2(std::any_of(listed.begin(), listed.end(),
                                 [&name](const QString& each) { return each.endsWith(QStringLiteral("› ") + name); }),
                     qPrintable(name));
        }
    }
    QVERIFY(listed.contains(QStringLiteral("View › Theme › Dark")));
    QVERIFY(listed.contains(QStringLiteral("File › Open recent › one.json")));
    QVERIFY(listed.filter(QStringLiteral("Go to the peak")).size() >= 1); // of the plot in front
    QCOMPARE(listed.removeDuplicates(), 0);
    QTest::keyClick(palette->field(), Qt::Key_Escape);
    QTRY_VERIFY(!window->findChild<CommandPalette*>());
}

void TestViewHistory::thePaletteRunsWhatIsTyped()
{
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto* palette = window->findChild<CommandPalette*>();
    QVERIFY(palette);
    QTRY_VERIFY(QApplication::focusWidget() == palette->field()); // typing reaches it without a click
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("view compare"));
    QCOMPARE(palette->list()->topLevelItem(0)->text(0), QStringLiteral("View › Compare"));
    QCOMPARE(palette->list()->topLevelItem(0)->text(1), QStringLiteral("Ctrl+4"));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QTRY_COMPARE(front(*window), QStringLiteral("compare"));
    QTRY_VERIFY(!window->findChild<CommandPalette*>());
}

void TestViewHistory::arrowsWalkThroughThePalette()
{
    const auto window = this->window();
    trigger(*window, QStringLiteral("commands"));
    auto* palette = window->findChild<CommandPalette*>();
    QTest::keyClicks(palette->field(), QStringLiteral("view theme"));
    QCOMPARE(palette->list()->topLevelItemCount() >= 3, true);
    QTest::keyClick(palette->field(), Qt::Key_Down);
    QCOMPARE(palette->list()->indexOfTopLevelItem(palette->list()->currentItem()), 1);
    QTest::keyClick(palette->field(), Qt::Key_PageUp);
    QCOMPARE(palette->list()->indexOfTopLevelItem(palette->list()->currentItem()), 0);
    QTest::keyClicks(palette->field(), QStringLiteral(" no such thing"));
    QCOMPARE(palette->list()->topLevelItemCount(), 0);
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Up, Qt::Key_PageDown})
        QTest::keyClick(palette->field(), key);
    QVERIFY(!palette->list()->currentItem());
    QTest::keyClick(palette->field(), Qt::Key_Return);
    QVERIFY(palette->isVisible()); // nothing to run
}

void TestViewHistory::theListOfKeysIsWhole()
{
    const auto window = this->window();
    window->findChild<QDockWidget*>(QStringLiteral("inspector"))->hide();
    QTest::keyClick(window.get(), Qt::Key_Slash, Qt::ControlModifier);
    QVERIFY(part<InspectorPanel>(window)->isVisible());
    const QString text = part<InspectorPanel>(window)->plainText();
    for (QMenu* menu : window->menuBar()->findChildren<QMenu*>()) {
        for (const QAction* action : menu->actions()) {
            for (const QKeySequence& keys : action->shortcuts())
                QVERIFY2(text.contains(keys.toString(QKeySequence::NativeText)), qPrintable(action->text()));
        }
    }
    QVERIFY(text.contains(QStringLiteral("Shift+drag")));
}

PEAKSCOPE_TEST(TestViewHistory)
#include "test_view_history.moc"
