// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results of other programs as they are opened: a memory analysis of Hessians, a folder of noise in weights, a folder
// of points of a sweep, and a point of a sweep that is one file.
#include "app/compare/compare_page.h"
#include "app/compare/compare_responses.h"
#include "app/curvature/hessian_memory_panel.h"
#include "app/run/run_page.h"
#include "app/run/run_timelines.h"
#include "app/sweep/sweep_panel.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/compare/compare_responses_view.h"
#include "widgets/curvature/hessian_memory_view.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/snapshot_timeline_view.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <cmath>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

const QString kFormats = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/");

} // namespace

class TestPastResults : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void hessianMemoryHasBarsAndATable();
    void aFolderOfNoiseIsCompared();
    void aFolderOfPointsIsASweep();
    void aPointOfASweepOpens();

private:
    QTemporaryDir m_home;
};

void TestPastResults::hessianMemoryHasBarsAndATable()
{
    const auto window = newWindow();
    window->openFiles({kFormats + QStringLiteral("prm/hessian_memory_analysis.json")});
    QTRY_COMPARE(front(*window), QStringLiteral("run"));
    const RunPage* page = part<RunPage>(window);
    QTRY_VERIFY(page->hessianMemory()->isVisible());
    QCOMPARE(page->hessianMemory()->bars()->rows().size(), std::size_t(12));
    QCOMPARE(page->hessianMemory()->table()->model()->rowCount(), 12);
    QCOMPARE(page->hessianMemory()->table()->model()->index(1, 1).data().toString(), QStringLiteral("Block diagonal"));
    QVERIFY(!page->timelines()->isVisible() && !page->sweepPanel()->isVisible());
    QSignalSpy figures(page, &RunPage::figureRequested);
    emit page->hessianMemory()->bars()->exportRequested();
    QCOMPARE(figures.at(0).at(0).toString(), QStringLiteral("hessian_memory"));
    // Another file puts the plots back.
    window->openFiles({kFormats + QStringLiteral("dpsgd/run_20241110_123456/ghost_result.json")});
    QTRY_VERIFY(page->timelines()->isVisible());
    QVERIFY(!page->hessianMemory()->isVisible());
}

void TestPastResults::aFolderOfNoiseIsCompared()
{
    const auto window = newWindow();
    window->openFiles({kFormats + QStringLiteral("prm")});
    const ComparePage* compare = part<ComparePage>(window);
    QTRY_VERIFY(compare->showsResponses() && compare->responses()->isVisible());
    QVERIFY(!compare->busy());
    // All but the memory analysis of Hessians, which says nothing of noise.
    const int runs = static_cast<int>(compare->runs().size());
    QVERIFY(runs >= 4);
    for (const RunDocument& run : compare->runs())
        QVERIFY(run.result->kind == ResultKind::Prm);
    const DataTableView* table = compare->responses()->table();
    QCOMPARE(table->model()->rowCount(), runs);
    // The answers to one noise as the files have them: ΔPPL of the first choice in the read-out's twin.
    const CompareResponsesView* answers = compare->responses()->answers();
    QVERIFY(answers->showsPlot() && answers->choice()->count() >= 3);
    QCOMPARE(static_cast<int>(answers->legend().size()), runs);
    QVERIFY(answers->visibleDataTsv().startsWith(QStringLiteral("run\tnoise_level\tparam_type")));
    QVERIFY(answers->visibleDataTsv().contains(QStringLiteral("a800_gpu_results"))); // called by their files
    // Parts of a whole: the classes of each result that says them are as long as one another.
    for (const BarRow& row : compare->responses()->classes()->rows())
        QVERIFY(row.bars[0].segments.empty() || std::abs(row.bars[0].total() - 1024) < 1e-6);
    // A row opens its own result.
    emit table->view()->doubleClicked(table->view()->model()->index(0, 0));
    QTRY_COMPARE(front(*window), QStringLiteral("analyse"));
}

void TestPastResults::aFolderOfPointsIsASweep()
{
    const auto window = newWindow();
    window->openFiles({kFormats + QStringLiteral("dpsgd/points")});
    const RunPage* page = part<RunPage>(window);
    QTRY_VERIFY(page->sweepPanel()->isVisible());
    QCOMPARE(front(*window), QStringLiteral("run"));
    const SweepDocument& sweep = page->sweepPanel()->heatMap()->sweep();
    QVERIFY(sweep.points.size() >= 2);
    const QString file = QString::fromStdString(sweep.points[1].file);
    QVERIFY(QFileInfo(file).isFile());
    const std::int64_t peak = sweep.points[1].peakBytes.value();
    emit page->sweepPanel()->heatMap()->pointActivated(1);
    QTRY_COMPARE(page->document().path, file);
    QCOMPARE(page->document().result->memory->peakBytes, peak);
    QVERIFY(!page->sweepPanel()->isVisible());
}

void TestPastResults::aPointOfASweepOpens()
{
    const auto window = newWindow();
    window->openFiles({kFormats + QStringLiteral("sweep/memory_profile_results.json")});
    const RunPage* page = part<RunPage>(window);
    QTRY_VERIFY(page->sweepPanel()->isVisible());
    const SweepDocument sweep = page->sweepPanel()->heatMap()->sweep();
    std::size_t last = 0; // with snapshots
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        if (sweep.points[i].other.contains("snapshots"))
            last = i;
    }
    emit page->sweepPanel()->heatMap()->pointActivated(static_cast<int>(last));
    QVERIFY(page->timelines()->snapshots()->isVisible());
    QVERIFY(!page->sweepPanel()->isVisible());
    QCOMPARE(page->document().result->memory->peakBytes, sweep.points[last].peakBytes.value());
    QCOMPARE(page->timelines()->snapshots()->course().size(), sweep.points[last].other["snapshots"].size());
    QVERIFY(page->document().path.endsWith(QStringLiteral("#-%1").arg(last + 1)));
    // It is called by the values of its cell, which the other points do not share.
    const auto varied = sweepVaried(sweep.points[last], sweepAxes(sweep));
    const QString title = resultTitle(*page->document().result);
    QVERIFY2(title.startsWith(QString::fromStdString(sweepSetting(varied))), qPrintable(title));
    QVERIFY2(title.contains(QStringLiteral("seq ")) && title.contains(QStringLiteral("memory_profile_results")),
             qPrintable(title));
}

PEAKSCOPE_TEST(TestPastResults)
#include "test_past_results.moc"
