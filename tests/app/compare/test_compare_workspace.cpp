// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons as people make them: runs gathered in the library by mouse and keys, folders dropped, the base and the
// alignment changed, ranges and names shared with the Run workspace, figures of all runs exported.
#include "app/compare/compare_columns.h"
#include "app/compare/compare_page.h"
#include "app/compare/compare_tables.h"
#include "app/compare/compare_words.h"
#include "app/export/export_dialog.h"
#include "app/library/library_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/parts_label.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/run/run_page.h"
#include "app/run/run_timelines.h"
#include "app/shell/inspector_content.h"
#include "core/results/sweeps/timed_round.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/compare/compare_bars_view.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/snapshot_timeline_view.h"

#include <qcustomplot.h>

#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QSignalSpy>
#include <QStyle>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <utility>

using namespace peakscope;
using namespace peakscope::testing;

class TestCompareWorkspace : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void theKeyShowsAnEmptyPage();
    void filesAreComparedFromTheCommandLine();
    void plansAndSweepsAreNotCompared();
    void aFolderIsOneComparison();
    void importedRunsSayWhatLacks();
    void withoutAnyTimelineBarsHaveTheRoom();
    void runsAreGatheredInTheLibrary();
    void theBaseAndTheAlignmentChange();
    void aPhaseAtAnotherPlaceKeepsItsNeighbours();
    void theBaseIsReadable();
    void timesSayTheirRounds();
    void rangesAndNamesAreShared();
    void runsLeaveAndTheLastOneStays();
    void columnsGiveWay();
    void noTabIsCut();
    void figuresShowAllRuns();
    void badFilesAreToldAndTheRestIsCompared();
    void picturesInBothThemesAndLanguages();

private:
    // A run in a folder of its own; "flash" takes twice the time and 2 MiB more.
    QString write(const QString& name, const char* clipping)
    {
        RunResult result = testing::smallResult();
        result.id = name.toStdString();
        result.config["training"]["clipping"] = clipping;
        const bool slow = std::string_view(clipping) != "none";
        result.timing = Timing{{slow ? 0.2 : 0.1}, slow ? 0.2 : 0.1, {}, true};
        MemorySection& memory = *result.memory;
        if (slow) {
            for (double& time : memory.timeline.timeSeconds)
                time *= 2;
            for (PhaseMark& mark : memory.phases)
                mark.timeSeconds *= 2;
            memory.timeline.deltaBytes[2] = 6 << 20;
            memory.timeline.deltaBytes[3] = -(6 << 20);
            memory.peakBytes = 8 << 20;
            memory.peakTimeSeconds *= 2;
            memory.peakComponents[static_cast<std::size_t>(Component::Activations)] = 6 << 20;
            memory.maxComponents[static_cast<std::size_t>(Component::Activations)] = 6 << 20;
        }
        const QString path = m_home.filePath(QStringLiteral("runs/") + name);
        QDir().mkpath(QFileInfo(path).absolutePath());
        if (!saveRunResult(result, path.toStdString()))
            qWarning("can't write %s", qPrintable(path));
        return path;
    }
    static bool ready(const MainWindow& window, std::size_t runs)
    {
        const ComparePage* compare = part<ComparePage>(window);
        return front(window) == QStringLiteral("compare") && compare->runs().size() == runs && !compare->busy() &&
               compare->answer();
    }
    static QString cell(const ComparePage* compare, const char* table, int row, int column)
    {
        return compare->table(QString::fromLatin1(table))->model()->index(row, column).data().toString();
    }

    // What the inspector says of a run's step time.
    static QString stepMeaning(const RunResult& result)
    {
        for (const InspectorContent::Section& section : inspectRun(result, {}).sections) {
            for (const InspectorContent::Row& row : section.rows) {
                if (row.label == QLatin1String("Step"))
                    return row.explanation;
            }
        }
        return {};
    }

    QTemporaryDir m_home;
};

void TestCompareWorkspace::initTestCase()
{
    testing::isolate(m_home);
    applyTheme(Theme::Light);
}

void TestCompareWorkspace::init()
{
    for (const char* folder : {"config", "data", "runs"})
        QDir(m_home.filePath(QString::fromLatin1(folder))).removeRecursively();
    settings::setFoldsSidePanels(false); // lines of the library are clicked
    testing::useFakeWorker("complete");
}

void TestCompareWorkspace::theKeyShowsAnEmptyPage()
{
    const auto window = newWindow();
    QTest::keyClick(window.get(), Qt::Key_4, Qt::ControlModifier);
    QCOMPARE(front(*window), QStringLiteral("compare"));
    QVERIFY(window->findChild<QAbstractButton*>(QStringLiteral("compareOpen"))->isVisible());
}

void TestCompareWorkspace::filesAreComparedFromTheCommandLine()
{
    const auto window = newWindow();
    window->compareFiles({write(QStringLiteral("b.json"), "flash"), write(QStringLiteral("a.json"), "none")});
    QTRY_VERIFY(ready(*window, 2));
    const ComparePage* compare = part<ComparePage>(window);
    QCOMPARE(compare->base(), std::size_t{1}); // the one without clipping
    // Letters follow the order given; differences are against the base.
    QCOMPARE(cell(compare, "totals", 0, 1), QStringLiteral("8.00 MiB"));
    QCOMPARE(cell(compare, "totals", 0, 2), QStringLiteral("+2.00 MiB"));
    QCOMPARE(cell(compare, "totals", 0, 3), QStringLiteral("×1.333"));
    QCOMPARE(cell(compare, "totals", 0, 4), QStringLiteral("6.00 MiB"));
    QCOMPARE(compare->table(QStringLiteral("settings"))->model()->rowCount(), 1);
    QVERIFY(compare->caveats().isEmpty());
    // The library marks both, and not what was chosen before.
    QCOMPARE(part<LibraryPanel>(window)->selectedPaths().size(), 2);
    QVERIFY(!window->findChild<QLabel*>(QStringLiteral("compareCaveats"))->isVisible());
}

void TestCompareWorkspace::plansAndSweepsAreNotCompared()
{
    const auto copyOf = [this](Sample sample, const QString& name) {
        const QString path = m_home.filePath(QStringLiteral("runs/") + name);
        QDir().mkpath(QFileInfo(path).absolutePath());
        QFile::copy(sampleFile(sample), path);
        return path;
    };
    const QString plan = copyOf(Sample::Plan, QStringLiteral("plan_a.json"));
    const QString sweep = copyOf(Sample::Fit, QStringLiteral("sweep.json"));
    const std::pair<const char*, QStringList> cases[] = {
        {"plans", {plan, copyOf(Sample::Plan, QStringLiteral("plan_b.json"))}},
        {"sweeps", {sweep, copyOf(Sample::Fit, QStringLiteral("fit.json"))}}};
    for (const auto& [name, files] : cases) {
        const auto window = newWindow();
        window->compareFiles(files);
        QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("Plans and sweeps are not compared")), name);
        QVERIFY2(part<ComparePage>(window)->runs().empty(), name);
    }
    // Runs beside them are compared, and what is left out is said.
    const auto window = newWindow();
    const ComparePage* page = part<ComparePage>(window);
    window->compareFiles(
        {write(QStringLiteral("a.json"), "none"), sweep, plan, write(QStringLiteral("b.json"), "flash")});
    QTRY_COMPARE(page->runs().size(), std::size_t(2));
    const auto bars = page->findChildren<MessageBar*>();
    QVERIFY(std::ranges::any_of(bars, [](const MessageBar* bar) {
        return bar->text().contains(QStringLiteral("Plans and sweeps are not compared"));
    }));
}

void TestCompareWorkspace::aFolderIsOneComparison()
{
    write(QStringLiteral("a.json"), "none");
    write(QStringLiteral("b.json"), "flash");
    const auto window = newWindow();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(m_home.filePath(QStringLiteral("runs")))});
    const QPoint centre = window->rect().center();
    QDragEnterEvent enter(centre, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window.get(), &enter);
    QDropEvent drop(centre, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window.get(), &drop);
    QTRY_VERIFY(ready(*window, 2));
    QCOMPARE(part<ComparePage>(window)->base(), std::size_t{0});
}

void TestCompareWorkspace::importedRunsSayWhatLacks()
{
    const QString folder = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/dpsgd/run_20241110_123456");
    const auto window = newWindow();
    window->openFiles({folder});
    QTRY_VERIFY(ready(*window, 3));
    const ComparePage* compare = part<ComparePage>(window);
    QVERIFY(compare->caveats().contains(QStringLiteral("A, B, C: the components were read after the step")));
    QVERIFY(window->findChild<QLabel*>(QStringLiteral("compareCaveats"))->isVisible());
    // Their snapshots stand in place of timelines.
    QVERIFY(compare->timelines()->isVisible() && compare->timelines()->showsPlot());
    const std::int64_t highest = compare->runs()[0].result->memory->peakBytes;
    QVERIFY2(compare->timelines()->readout().contains(QStringLiteral("A ") + bytesText(highest)),
             qPrintable(compare->timelines()->readout()));
    QCOMPARE(compare->bars()->rows()[0].bars.size(), std::size_t{2});
    QTRY_VERIFY(compare->bars()->width() > compare->width() / 2); // two bars a run, which need more room than one
    // And of one alone.
    window->openFiles({folder + QStringLiteral("/ghost_result.json")});
    QTRY_VERIFY(shownResult(*window));
    const RunPage* page = part<RunPage>(window);
    const SnapshotTimelineView* snapshots = page->timelines()->snapshots();
    QVERIFY(snapshots->isVisible() && !page->resultTimeline()->isVisible());
    QCOMPARE(snapshots->course().size(), std::size_t{16});
    DataTableView* table = page->table(QStringLiteral("snapshots"));
    emit const_cast<SnapshotTimelineView*>(snapshots)->showDataRequested();
    QVERIFY(table->isVisible());
    table->view()->setCurrentIndex(table->view()->model()->index(6, 0));
    QTRY_VERIFY(snapshots->readout().startsWith(QStringLiteral("6_iter0_after_backward")));
}

// No half of the window stays empty.
void TestCompareWorkspace::withoutAnyTimelineBarsHaveTheRoom()
{
    QStringList paths;
    for (const char* name : {"a.json", "b.json"}) {
        RunResult result = testing::smallResult();
        result.id = name;
        result.memory->timeline = {};
        result.memory->snapshots.clear();
        result.memory->phases.clear();
        paths << m_home.filePath(QString::fromLatin1(name));
        QVERIFY(saveRunResult(result, paths.back().toStdString()));
    }
    const auto window = newWindow();
    window->compareFiles(paths);
    QTRY_VERIFY(ready(*window, 2));
    const ComparePage* compare = part<ComparePage>(window);
    QVERIFY(!compare->timelines()->isVisible());
    QTRY_VERIFY(compare->bars()->height() > compare->height() / 2);
    window->openFiles({paths[0]});
    QTRY_VERIFY(shownResult(*window));
    const RunPage* page = part<RunPage>(window);
    QVERIFY(!page->timelines()->isVisible());
    QVERIFY(page->componentBars()->isVisible());
    // The next one with a timeline has it again.
    window->openFiles({write(QStringLiteral("c.json"), "none")});
    QTRY_VERIFY(page->resultTimeline()->isVisible());
}

void TestCompareWorkspace::runsAreGatheredInTheLibrary()
{
    const QStringList paths{write(QStringLiteral("a.json"), "none"), write(QStringLiteral("b.json"), "flash")};
    const auto window = newWindow();
    window->openFiles({paths[0]});
    QTRY_VERIFY(shownResult(*window));
    window->openFiles({paths[1]});
    QTRY_VERIFY(!reading(*window));
    QTreeView* view = part<LibraryPanel>(window)->view();
    part<LibraryPanel>(window)->selectFile(paths[0]);
    const QPoint first = view->visualRect(view->currentIndex()).center();
    part<LibraryPanel>(window)->selectFile(paths[1]);
    const QPoint second = view->visualRect(view->currentIndex()).center();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::NoModifier, first);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::ControlModifier, second);
    QCOMPARE(part<LibraryPanel>(window)->selectedPaths().size(), 2);
    QCOMPARE(front(*window), QStringLiteral("run"));
    QTest::keyClick(window.get(), Qt::Key_D, Qt::ControlModifier);
    QTRY_VERIFY(ready(*window, 2));
}

void TestCompareWorkspace::theBaseAndTheAlignmentChange()
{
    const auto window = newWindow();
    window->compareFiles({write(QStringLiteral("a.json"), "none"), write(QStringLiteral("b.json"), "flash")});
    QTRY_VERIFY(ready(*window, 2));
    const ComparePage* compare = part<ComparePage>(window);
    // Phases are stretched to those of A at first: both runs end together.
    QVERIFY(compare->alignment() == TimelineAlignment::Phase);
    QVERIFY(std::abs(compare->answer()->timelines[1]->endSeconds() - 0.4) < 1e-9);
    QVERIFY(compare->timelines()->title().endsWith(QStringLiteral("run A")));
    auto* alignment = window->findChild<QComboBox*>(QStringLiteral("compareAlignment"));
    alignment->setFocus();
    QTest::keyClick(alignment, Qt::Key_End);
    QTRY_VERIFY(ready(*window, 2) && compare->answer()->alignment == TimelineAlignment::Start);
    QCOMPARE(compare->answer()->timelines[1]->endSeconds(), 0.8);
    QCOMPARE(compare->timelines()->title(), QStringLiteral("Memory over time"));
    auto* base = window->findChild<QComboBox*>(QStringLiteral("compareBase"));
    base->setFocus();
    QTest::keyClick(base, Qt::Key_Down);
    QTRY_VERIFY(ready(*window, 2) && compare->base() == 1);
    QCOMPARE(cell(compare, "totals", 0, 2), QStringLiteral("−2.00 MiB"));
    QCOMPARE(cell(compare, "times", 0, 3), QStringLiteral("×0.500"));
}

// The norms of clipping stand before the backward pass, those of a plain step after it: forward stays under forward.
void TestCompareWorkspace::aPhaseAtAnotherPlaceKeepsItsNeighbours()
{
    const auto run = [this](const char* clipping, std::vector<PhaseMark> phases) {
        RunResult result = testing::smallResult();
        result.id = clipping;
        result.config["training"]["clipping"] = clipping;
        MemorySection& memory = *result.memory;
        memory.timeline.timeSeconds = {0.5, 1, phases[2].timeSeconds, phases[phases.size() - 2].timeSeconds, 12};
        memory.peakTimeSeconds = memory.timeline.timeSeconds[2];
        memory.phases = std::move(phases);
        const QString path = m_home.filePath(QString::fromLatin1(clipping) + QStringLiteral(".json"));
        return saveRunResult(result, path.toStdString()) ? path : QString();
    };
    settings::setFoldsSidePanels(true); // as it is at this size
    const auto window = newWindow();
    window->resize(1280, 720);
    window->compareFiles({run("none", {{Phase::Data, 0, 0},
                                       {Phase::Forward, 0, 1},
                                       {Phase::Backward, 0, 4},
                                       {Phase::Norms, 0, 8},
                                       {Phase::OptimizerStep, 0, 10}}),
                          run("ghost", {{Phase::Data, 0, 0},
                                        {Phase::Forward, 0, 1},
                                        {Phase::Norms, 0, 3},
                                        {Phase::Backward, 0, 7},
                                        {Phase::Norms, 0, 9},
                                        {Phase::OptimizerStep, 0, 11}})});
    QTRY_VERIFY(ready(*window, 2));
    const TimeMap& ghost = part<ComparePage>(window)->answer()->maps[1];
    QCOMPARE(ghost.map(1), 1.0);
    QCOMPARE(ghost.map(3), 2.0); // its norms, between what both have
    QCOMPARE(ghost.map(7), 4.0);
    QCOMPARE(ghost.map(11), 10.0);
    QTest::qWait(150);
    test::saveScreenshot(*window, QStringLiteral("compared_steps_match_their_phases"));
    settings::setFoldsSidePanels(false);
}

// Whatever it held when it was first seen.
void TestCompareWorkspace::theBaseIsReadable()
{
    const auto window = newWindow();
    const auto* box = window->findChild<QComboBox*>(QStringLiteral("compareBase"));
    const auto widest = [box] {
        int most = 0;
        for (int i = 0; i < box->count(); ++i)
            most = std::max(most, box->fontMetrics().horizontalAdvance(box->itemText(i)));
        return most;
    };
    window->compareFiles({write(QStringLiteral("a.json"), "none"), write(QStringLiteral("b.json"), "flash")});
    QTRY_VERIFY(ready(*window, 2));
    const int before = widest();
    QTRY_VERIFY(box->width() > before + 16);
    window->compareFiles(
        {write(QStringLiteral("a.json"), "none"), write(QStringLiteral("c.json"), "a_method_of_a_longer_name")});
    QTRY_VERIFY(ready(*window, 2) && widest() > 1.5 * before);
    QTRY_VERIFY2(box->width() > widest() + 16, qPrintable(QString::number(box->width())));
}

void TestCompareWorkspace::timesSayTheirRounds()
{
    QStringList paths;
    for (const double times : {1.0, 2.0}) {
        RunResult result = testing::smallResult();
        result.timing = Timing{{0.1 * times, 0.2 * times, 0.3 * times}, 0.2 * times, {}, false};
        std::vector<TimedRound> rounds(3);
        for (std::size_t i = 0; i < rounds.size(); ++i)
            rounds[i].medianSeconds = (0.1 + 0.1 * static_cast<double>(i)) * (times > 1 && i == 2 ? 2.4 : times);
        setRounds(result, rounds, "together");
        paths << m_home.filePath(QStringLiteral("runs/%1.json").arg(times));
        QVERIFY(QDir().mkpath(m_home.filePath(QStringLiteral("runs"))) &&
                saveRunResult(result, paths.last().toStdString()));
        QCOMPARE(stepMeaning(result),
                 QStringLiteral("Median of the measured steps of 3 rounds, each a run without the memory ledger."));
        setRounds(result, {}, {});
        QCOMPARE(stepMeaning(result), QStringLiteral("Median of the measured steps, without the memory ledger."));
        result.timing->traced = true;
        QCOMPARE(stepMeaning(result), QStringLiteral("Median of the measured steps, memory ledger included."));
    }
    const auto window = newWindow();
    window->compareFiles(paths);
    QTRY_VERIFY(ready(*window, 2));
    const ComparePage* compare = part<ComparePage>(window);
    QCOMPARE(cell(compare, "times", 0, 4), QStringLiteral("×2.000"));
    QCOMPARE(cell(compare, "times", 0, 5), QStringLiteral("2.00–2.40"));
    QCOMPARE(cell(compare, "times", 0, 6), QStringLiteral("3 / 3"));
    const RunComparison& comparison = compare->answer()->comparison;
    const InspectorContent content =
        inspectComparedRow(comparison, ComparisonGroup::Times, comparison.rows(ComparisonGroup::Times)[0], {"a", "b"});
    QCOMPARE(content.sections[0].rows[1].explanation,
             QStringLiteral("b · +200 ms · ×2.000 · 2.00–2.40 in 3 of 3 rounds"));
}

void TestCompareWorkspace::rangesAndNamesAreShared()
{
    const QStringList paths{write(QStringLiteral("a.json"), "none"), write(QStringLiteral("b.json"), "flash")};
    const auto window = newWindow();
    window->openFiles({paths[1]});
    QTRY_VERIFY(shownResult(*window));
    window->compareFiles(paths);
    QTRY_VERIFY(ready(*window, 2));
    CompareTimelineView* view = part<ComparePage>(window)->timelines();
    QCustomPlot* plot = view->plot();
    const QPoint from = plot->axisRect()->rect().center();
    QTest::mousePress(plot, Qt::LeftButton, Qt::ControlModifier, from);
    QTest::mouseMove(plot, from + QPoint(40, 0));
    QTest::mouseMove(plot, from + QPoint(80, 0));
    QTest::mouseRelease(plot, Qt::LeftButton, Qt::ControlModifier, from + QPoint(80, 0));
    QVERIFY(view->selectedRange().has_value());
    QVERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("MiB")));
    // In the Run workspace the range of B stands in B's own time, which runs at half the speed.
    const auto own = part<RunPage>(window)->resultTimeline()->selectedRange();
    QVERIFY(own.has_value());
    QVERIFY(std::abs(own->first - 2 * view->selectedRange()->first) < 1e-9);
    // And the other way round.
    emit part<RunPage>(window)->resultTimeline()->rangeSelected(0.2, 0.4);
    QVERIFY(std::abs(view->selectedRange()->second - 0.2) < 1e-9);
    // A module chosen in a table is current there as well, and told by the inspector.
    DataTableView* modules = part<ComparePage>(window)->table(QStringLiteral("modules"));
    modules->view()->setCurrentIndex(modules->view()->model()->index(0, 0));
    modules->view()->setCurrentIndex(modules->view()->model()->index(1, 0));
    const QString name = modules->view()->model()->index(1, 0).data().toString();
    QTRY_VERIFY(part<InspectorPanel>(window)->plainText().contains(name));
    QCOMPARE(part<RunPage>(window)->table(QStringLiteral("modules"))->currentName(), name);
}

void TestCompareWorkspace::runsLeaveAndTheLastOneStays()
{
    const auto window = newWindow();
    window->compareFiles({write(QStringLiteral("a.json"), "none"), write(QStringLiteral("b.json"), "flash"),
                          write(QStringLiteral("c.json"), "ghost")});
    QTRY_VERIFY(ready(*window, 3));
    ComparePage* compare = part<ComparePage>(window);
    const auto removeButton = [&] {
        for (QToolButton* button : compare->findChildren<QToolButton*>()) {
            if (button->isVisible() && button->accessibleName().startsWith(QStringLiteral("Take run A")))
                return button;
        }
        return static_cast<QToolButton*>(nullptr);
    };
    QVERIFY(removeButton());
    QTest::mouseClick(removeButton(), Qt::LeftButton);
    QTRY_VERIFY(ready(*window, 2));
    QTest::mouseClick(removeButton(), Qt::LeftButton);
    QTRY_VERIFY(ready(*window, 1));
    QTest::mouseClick(removeButton(), Qt::LeftButton);
    QVERIFY(compare->runs().empty());
    QTRY_VERIFY(window->findChild<QAbstractButton*>(QStringLiteral("compareOpen"))->isVisible());
}

// Three that a busy machine timed have room beside a library, 1440 wide.
void TestCompareWorkspace::columnsGiveWay()
{
    RunResult result = testing::smallResult();
    result.timing = Timing{{0.1}, 0.1, {}, true};
    setRounds(result, {{0.1, 1, 0.5, 0.5, 1.4, 2}});
    const auto run = std::make_shared<const RunResult>(result);
    CompareColumns columns(nullptr);
    columns.resize(860, 100);
    columns.setRuns({run, run, run}, {QStringLiteral("ghost"), QStringLiteral("flash"), QStringLiteral("vanilla")}, 0);
    columns.show();
    QCoreApplication::processEvents();
    QStringList whole;
    for (const QLabel* label : columns.findChildren<QLabel*>())
        whole << label->text() + label->toolTip();
    QVERIFY2(whole.filter(QStringLiteral("machine busy")).size() == 3, qPrintable(whole.join(u'\n')));
    // Peak and time have the card's width, whatever else it says of the run.
    setRounds(result, {});
    const auto quiet = std::make_shared<const RunResult>(result);
    columns.setRuns({quiet, quiet, quiet},
                    {QStringLiteral("ghost"), QStringLiteral("flash"), QStringLiteral("vanilla")}, 0);
    QCoreApplication::processEvents();
    int timed = 0;
    for (QLabel* label : columns.findChildren<QLabel*>()) {
        const auto* facts = dynamic_cast<const PartsLabel*>(label);
        if (facts && facts->isVisible() && facts->text().contains(QStringLiteral("step 100 ms"))) {
            QCOMPARE(facts->shownIn(facts->width()), facts->text());
            ++timed;
        }
    }
    QCOMPARE(timed, 3);
    QVERIFY2(columns.widget()->width() <= columns.viewport()->width(),
             qPrintable(QString::number(columns.widget()->minimumSizeHint().width())));
}

void TestCompareWorkspace::noTabIsCut()
{
    CompareTables tables(nullptr);
    for (const int width : {396, 520, 2000}) {
        tables.resize(width, 200);
        tables.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tables));
        const auto* bar = tables.findChild<QTabBar*>();
        const bool all = bar->tabRect(bar->count() - 1).right() < bar->width();
        QCOMPARE(all, width == 2000);
        const int room =
            bar->width() - (all ? 0 : 2 * bar->style()->pixelMetric(QStyle::PM_TabBarScrollButtonWidth, nullptr, bar));
        QVERIFY(bar->tabRect(0).right() < room);
        for (int i = 0; i < bar->count(); ++i)
            QVERIFY2(bar->tabRect(i).right() < room || bar->tabRect(i).left() >= room, qPrintable(bar->tabText(i)));
    }
}

void TestCompareWorkspace::figuresShowAllRuns()
{
    const auto window = newWindow();
    window->compareFiles({write(QStringLiteral("a.json"), "none"), write(QStringLiteral("b.json"), "flash")});
    QTRY_VERIFY(ready(*window, 2));
    QTest::keyClick(window.get(), Qt::Key_E, Qt::ControlModifier);
    auto* dialog = window->findChild<ExportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    dialog->setFigure(QStringLiteral("performance_tradeoff"));
    const QString file = m_home.filePath(QStringLiteral("runs/tradeoff.svg"));
    QVERIFY(dialog->save(file));
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray svg = written.readAll();
    QVERIFY(svg.contains("a.json") && svg.contains("b.json")); // the runs' ids
}

void TestCompareWorkspace::badFilesAreToldAndTheRestIsCompared()
{
    QFile bad(m_home.filePath(QStringLiteral("runs/bad.json")));
    const QStringList good{write(QStringLiteral("a.json"), "none"), write(QStringLiteral("b.json"), "flash")};
    QVERIFY(bad.open(QIODevice::WriteOnly));
    bad.write("{\"format\": \"peakscope-result\", \"version\": 1, \"kind\": ");
    bad.close();
    const auto window = newWindow();
    window->compareFiles({good[0], bad.fileName(), good[1]});
    QTRY_VERIFY(ready(*window, 2));
    QVERIFY(window->messages()->text().contains(QStringLiteral("bad.json")));
}

void TestCompareWorkspace::picturesInBothThemesAndLanguages()
{
    const QStringList paths{write(QStringLiteral("a.json"), "none"), write(QStringLiteral("b.json"), "flash")};
    QDir().mkpath(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QImage last;
    for (const char* language : {"en", "zh"}) {
        QVERIFY(installTranslation(QString::fromLatin1(language)) || std::string_view(language) == "en");
        for (const Theme theme : {Theme::Light, Theme::Dark}) {
            applyTheme(theme);
            const auto window = newWindow();
            window->resize(1400, 900);
            window->compareFiles(paths);
            QTRY_VERIFY(ready(*window, 2));
            QTest::qWait(150);
            const QImage picture = window->grab().toImage();
            QVERIFY(picture != last);
            last = picture;
            picture.save(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots/compare_window_%1_%2.png")
                             .arg(QString::fromLatin1(language),
                                  theme == Theme::Dark ? QStringLiteral("dark") : QStringLiteral("light")));
        }
    }
    applyTheme(Theme::Light);
    installTranslation(QStringLiteral("en"));
}

PEAKSCOPE_TEST(TestCompareWorkspace)
#include "test_compare_workspace.moc"
