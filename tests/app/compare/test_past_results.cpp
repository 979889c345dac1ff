// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results of other programs as they are opened: a memory analysis of Hessians, a folder of noise in weights, a folder
// of points of a sweep, a point of a sweep that is one file, and what such files hold beside.
#include "app/compare/compare_page.h"
#include "app/compare/compare_responses.h"
#include "app/compare/compare_subject.h"
#include "app/library/library_panel.h"
#include "app/panels/hessian_memory_panel.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/message_bar.h"
#include "app/run/run_page.h"
#include "app/run/run_plots.h"
#include "app/run/run_timelines.h"
#include "app/shell/inspector_content.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/compare/compare_responses_view.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/curvature/hessian_memory_view.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/note_words.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/module_bars_view.h"
#include "widgets/timeline/snapshot_timeline_view.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QDirIterator>
#include <QDockWidget>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>
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
    void twoResultsOfNoiseShowTheirAnswers();
    void whatAFolderLeavesOutIsSaid();
    void aFolderOfPointsIsASweep();
    void aPointOfASweepOpens();
    void whatNoPlotShowsIsInTheInspector();
    void barsOfferOnlyWhatTheFileHolds();
    void notesAreKnown();

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
    const auto* messages = compare->findChild<MessageBar*>();
    QVERIFY(messages->isVisible() && messages->text().contains(QStringLiteral("hessian_memory_analysis.json")));
    const DataTableView* table = compare->responses()->table();
    QCOMPARE(table->model()->rowCount(), runs);
    // The answers to one noise as the files have them: ΔPPL of the first choice in the read-out's twin.
    const CompareResponsesView* answers = compare->responses()->answers();
    QVERIFY(answers->showsPlot() && answers->choice()->count() >= 3);
    QCOMPARE(static_cast<int>(answers->legend().size()), runs);
    // Two files say nearly the same: none lies unseen under another.
    const QImage picture = answers->plot()->toPixmap(500, 400, 1).toImage();
    const auto near = [](int a, int b) { return std::abs(a - b) < 40; }; // edges of lines are mixed with what is under
    for (const LegendMark& mark : answers->legend()) {
        const QColor ink = mark.marker.color;
        int seen = 0;
        for (int y = 0; y < picture.height(); ++y) {
            for (int x = 0; x < picture.width(); ++x) {
                const QColor color = picture.pixelColor(x, y);
                seen +=
                    near(color.red(), ink.red()) && near(color.green(), ink.green()) && near(color.blue(), ink.blue());
            }
        }
        QVERIFY2(seen > 60, qPrintable(mark.text + u' ' + QString::number(seen)));
    }
    QVERIFY(answers->visibleDataTsv().startsWith(QStringLiteral("run\tnoise_level\tparam_type")));
    QVERIFY(answers->visibleDataTsv().contains(QStringLiteral("a800_gpu_results"))); // called by their files
    // Parts of a whole: the classes of each result that says them are as long as one another.
    for (const BarRow& row : compare->responses()->classes()->rows())
        QVERIFY(row.bars[0].segments.empty() || std::abs(row.bars[0].total() - 1024) < 1e-6);
    // A row opens its own result.
    emit table->view()->doubleClicked(table->view()->model()->index(0, 0));
    QTRY_COMPARE(front(*window), QStringLiteral("analyse"));
}

// What noise did is their subject, though one of them holds memory as well; that is a tab away.
void TestPastResults::twoResultsOfNoiseShowTheirAnswers()
{
    settings::setFoldsSidePanels(true); // as it is at this size
    const auto window = newWindow();
    const ComparePage* compare = part<ComparePage>(window);
    window->resize(1280, 720);
    window->compareFiles({QStringLiteral(PEAKSCOPE_SOURCE_DIR "/resources/samples/demo_result.json"),
                          kFormats + QStringLiteral("prm/complete_results.json")});
    QTRY_VERIFY(compare->showsResponses() && compare->responses()->isVisible());
    QCOMPARE(compare->runs().size(), std::size_t{2});
    QCOMPARE(static_cast<int>(compare->responses()->answers()->legend().size()), 2);
    QCOMPARE(compare->responses()->table()->model()->rowCount(), 2);
    QVERIFY(compare->subject()->isVisible());
    test::saveScreenshot(*window, QStringLiteral("answers_to_noise_compared"));
    QTest::mouseClick(compare->subject(), Qt::LeftButton, {}, compare->subject()->tabRect(1).center());
    QTRY_VERIFY(!compare->showsResponses() && compare->timelines()->isVisible());
    QTRY_VERIFY(!compare->busy());
    QCOMPARE(compare->runs().size(), std::size_t{2});
    QTest::mouseClick(compare->subject(), Qt::LeftButton, {}, compare->subject()->tabRect(0).center());
    QVERIFY(compare->showsResponses());
    // Runs without answers are compared by memory alone.
    window->compareFiles({kFormats + QStringLiteral("dpsgd/run_20241110_123456")});
    QTRY_VERIFY(!compare->showsResponses() && compare->runs().size() > 2);
    QVERIFY(!compare->subject()->isVisible());
    settings::setFoldsSidePanels(false);
}

void TestPastResults::whatAFolderLeavesOutIsSaid()
{
    const auto window = newWindow();
    const ComparePage* compare = part<ComparePage>(window);
    const auto* besideRuns = compare->findChild<MessageBar*>();
    // Of several results where they are compared, with what is not compared; of one above the result.
    window->openFiles({kFormats + QStringLiteral("prm")});
    QTRY_VERIFY(compare->showsResponses());
    for (const char* file : {"hessian_memory_analysis.json", "pilot_results.csv", "ultra_safe_results.csv"})
        QVERIFY2(besideRuns->text().contains(QLatin1String(file)), qPrintable(besideRuns->text()));
    window->openFiles({kFormats + QStringLiteral("sweep")});
    QTRY_VERIFY(part<RunPage>(window)->sweepPanel()->isVisible());
    QCOMPARE(window->messages()->text(),
             QStringLiteral("Left out, the same results as tables: memory_profile_summary.csv."));
    // It is of that folder alone: neither a file nor other folders, opened together, keep it.
    window->openFiles({kFormats + QStringLiteral("dpsgd/run_20241110_123456"), kFormats + QStringLiteral("torch")});
    QTRY_COMPARE(compare->runs().size(), std::size_t(7)); // of both
    QCOMPARE(window->messages()->text() + besideRuns->text(), QString());
    // What this program made of a result, too.
    QTemporaryDir folder;
    QVERIFY(saveRunResult(testing::smallResult(), folder.filePath(QStringLiteral("a.json")).toStdString()));
    QVERIFY(exportResults({testing::smallResult()}, ExportFormat::Csv, (folder.path() + u'/').toStdString()));
    window->openFiles({folder.path()});
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("tables that Peakscope made: ")) &&
                     window->messages()->text().contains(QStringLiteral("modules.csv")),
                 qPrintable(window->messages()->text()));
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
    QCOMPARE(resultTitle(*page->document().result), QStringLiteral("*_seq4096_result.json"));
    const QString file = QString::fromStdString(sweep.points[1].file);
    QVERIFY(QFileInfo(file).isFile());
    const std::int64_t peak = sweep.points[1].peakBytes.value();
    emit page->sweepPanel()->heatMap()->pointActivated(1);
    QTRY_COMPARE(page->document().path, file);
    QCOMPARE(page->document().result->memory->peakBytes, peak);
    QVERIFY(!page->sweepPanel()->isVisible());
    // Bars and tables have their share of the height, though the sweep was there first.
    const auto* tables = page->findChild<QDockWidget*>(QStringLiteral("tables"));
    QTRY_VERIFY2(tables->height() > page->height() / 3, qPrintable(QString::number(tables->height())));
}

void TestPastResults::aPointOfASweepOpens()
{
    const auto window = newWindow();
    window->openFiles({kFormats + QStringLiteral("sweep/memory_profile_results.json")});
    const RunPage* page = part<RunPage>(window);
    QTRY_VERIFY(page->sweepPanel()->isVisible());
    const SweepDocument sweep = page->sweepPanel()->heatMap()->sweep();
    const TableModel* table = page->sweepPanel()->table()->model();
    QStringList titles;
    for (int i = 0; i < table->columnCount(); ++i)
        titles << table->headerData(i, Qt::Horizontal).toString();
    QVERIFY2(titles.contains(QStringLiteral("Sequence (tokens)")), qPrintable(titles.join(u'|')));
    const qsizetype wrapping = titles.indexOf(QStringLiteral("Fsdp wrapping"));
    QVERIFY2(wrapping >= 0, qPrintable(titles.join(u'|')));
    QCOMPARE(table->index(0, static_cast<int>(wrapping)).data().toString(), QStringLiteral("128 MiB")); // 0.125 GiB
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
    // Its stages are drawn in their order, where the components would stand, which it does not know.
    const ComponentBarsView* bars = page->componentBars();
    QCOMPARE(bars->rows().size(), sweep.points[last].other["stages"].size());
    QVERIFY(bars->showsPlot() && bars->mode() == ComponentBarsView::Mode::Stages);
    for (const QToolButton* button : bars->findChildren<QToolButton*>())
        QVERIFY(button->text() != QStringLiteral("Both") || !button->isVisible()); // nothing else to choose
    QCOMPARE(bars->rows().front().label, QStringLiteral("model download"));
    QCOMPARE(bars->rows().front().bars[0].total(),
             static_cast<double>(sweep.points[last].other["stages"]["model_download"].get<std::int64_t>()));
    QSignalSpy figures(page->findChild<RunPlots*>(), &RunPlots::figureRequested);
    emit page->componentBars()->exportRequested();
    QCOMPARE(figures.takeFirst().front().toString(), QStringLiteral("detailed_memory_analysis"));
    QVERIFY(page->document().path.endsWith(QStringLiteral("#-%1").arg(last + 1)));
    // It is called by the values of its cell, which the other points do not share.
    const auto varied = sweepVaried(sweep.points[last], sweepAxes(sweep));
    const QString title = resultTitle(*page->document().result);
    QVERIFY2(title.startsWith(QString::fromStdString(sweepSetting(varied))), qPrintable(title));
    QVERIFY2(title.contains(QStringLiteral("seq ")) && title.contains(QStringLiteral("memory_profile_results")),
             qPrintable(title));
    const QString said = part<InspectorPanel>(window)->plainText().simplified();
    QVERIFY2(said.contains(QStringLiteral("Stages model_download")), qPrintable(said)); // in order of time
    QVERIFY2(said.contains(QStringLiteral("Whole run ")), qPrintable(said));
    const auto* stages = page->findChild<QDockWidget*>(QStringLiteral("components"));
    QCOMPARE(stages->windowTitle(), QStringLiteral("Stages"));
    // The library has a line for its sweep, by which one comes back to that.
    auto* library = part<LibraryPanel>(window);
    QCOMPARE(library->currentFile(), page->document().path.section(u'#', 0, 0));
    emit library->fileClicked(library->currentFile());
    QTRY_VERIFY(page->sweepPanel()->isVisible());
    window->openFiles({kFormats + QStringLiteral("torch/memory_timeline.json")});
    QTRY_COMPARE(stages->windowTitle(), QStringLiteral("Component bars"));
    QVERIFY2(!said.contains(QStringLiteral("#-")), qPrintable(said));
}

void TestPastResults::whatNoPlotShowsIsInTheInspector()
{
    const auto said = [](const char* file) {
        const auto read = readAny((kFormats + QLatin1String(file)).toStdString());
        InspectorPanel panel;
        if (read.ok())
            panel.showContent(inspectRun(read->front(), {}));
        return panel.plainText().simplified();
    };
    const QString detailed = said("detailed/detailed_memory_results.json");
    for (const char* part : {"Whole run 2.50 s", "Stages backward_pass 85.8 MiB forward_pass 66.8 MiB",
                             "Estimates of the file Gradients 781 KiB Activations 4.77 MiB"})
        QVERIFY2(detailed.contains(QLatin1String(part)), qPrintable(detailed));
    const QString noise = said("prm/a800_gpu_results.json");
    for (const char* part : {"Clusters 5", "Perplexity 23.5", "Other fields gpu_optimized yes"})
        QVERIFY2(noise.contains(QLatin1String(part)), qPrintable(noise));
    const QString step = said("dpsgd/seed003_sample_result.json");
    QVERIFY2(step.contains(QStringLiteral("Step 310 ms As recorded in the file.")), qPrintable(step));
}

void TestPastResults::barsOfferOnlyWhatTheFileHolds()
{
    const auto window = newWindow();
    const RunPage* page = part<RunPage>(window);
    const auto offers = [page](const QString& choice) {
        const auto* bars = page->findChild<ComponentBarsView*>();
        const auto buttons = bars->findChildren<QToolButton*>();
        return std::any_of(buttons.begin(), buttons.end(), [&](const QToolButton* button) {
            return button->text() == choice && button->isVisibleTo(button->parentWidget());
        });
    };
    window->openFiles({kFormats + QStringLiteral("dpsgd/seed003_sample_result.json")});
    QTRY_VERIFY(page->document().result);
    QVERIFY(!offers(QStringLiteral("Own maximum")));
    // What it never measured will not come.
    const auto labels = page->findChild<ModuleBarsView*>()->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->text() == QStringLiteral("This result holds no modules.");
    }));
    window->openFiles({kFormats + QStringLiteral("torch/memory_timeline.json")});
    QTRY_VERIFY(offers(QStringLiteral("Own maximum")));
}

// So that they are said in the window's language, numbers and all.
void TestPastResults::notesAreKnown()
{
    int notes = 0;
    QStringList unknown;
    QDirIterator files(kFormats, {QStringLiteral("*.json")}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const auto read = readAny(files.next().toStdString());
        if (!read.ok())
            continue;
        for (const auto& result : *read) {
            for (const std::string& note : result.notes) {
                ++notes;
                if (!isKnownNote(note))
                    unknown << QString::fromStdString(note);
            }
        }
    }
    QVERIFY(notes > 10);
    QVERIFY2(unknown.isEmpty(), qPrintable(unknown.join(u'\n')));
}

PEAKSCOPE_TEST(TestPastResults)
#include "test_past_results.moc"
