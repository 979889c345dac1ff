// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The library: lines found by words and tags, sorted and grouped; files that appear in the folder are looked into;
// tags and notes stand in a sidecar and the results stay as they were.
#include "app/compare/compare_page.h"
#include "app/compare/methods_runner.h"
#include "app/form/program_dialog.h"
#include "app/jobs/program_runs.h"
#include "app/jobs/result_loader.h"
#include "app/library/library_delegate.h"
#include "app/library/library_index.h"
#include "app/library/library_model.h"
#include "app/library/library_panel.h"
#include "app/library/library_watcher.h"
#include "app/parts/settings.h"
#include "core/experiment/sweep_plan.h"
#include "core/model/dry_device.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QCryptographicHash>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

LibraryLine line(const QString& name, const QString& model, std::int64_t peak, double step, qint64 time)
{
    LibraryLine out;
    out.path = QStringLiteral("/runs/") + name;
    out.title = name;
    out.model = model;
    out.method = peak > 5 ? QStringLiteral("ghost") : QStringLiteral("none");
    out.status = QStringLiteral("complete");
    out.peakBytes = peak;
    out.stepSeconds = step;
    out.time = time;
    return out;
}

QStringList titles(const LibraryModel& model)
{
    QStringList list;
    for (int group = 0; group < model.rowCount(); ++group) {
        const QModelIndex parent = model.index(group, 0);
        for (int row = 0; row < model.rowCount(parent); ++row)
            list << model.index(row, 0, parent).data().toString();
    }
    return list;
}

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TestLibrary : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void init()
    {
        for (const char* folder : {"config", "data"})
            QDir(m_home.filePath(QString::fromLatin1(folder))).removeRecursively();
        QDir().mkpath(settings::libraryFolder());
        settings::setFoldsSidePanels(false); // its fields are asked for
    }

    void sortsAndGroups()
    {
        LibraryModel model;
        QAbstractItemModelTester tester(&model);
        model.replace(LibrarySection::Saved,
                      {line("a", "gpt2", 9, 0.3, 1), line("b", "opt-125m", 3, 0, 3), line("c", "gpt2", 6, 0.1, 2)});
        QCOMPARE(titles(model), QStringList({"b", "c", "a"})); // the newest first
        model.setSort(LibraryModel::Sort::Peak);
        QCOMPARE(titles(model), QStringList({"a", "c", "b"}));
        model.setSort(LibraryModel::Sort::StepTime);
        QCOMPARE(titles(model), QStringList({"c", "a", "b"})); // without a time: last
        model.setGroup(LibraryModel::Group::Model);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("gpt2 (2)"));
        model.setGroup(LibraryModel::Group::Method);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("ghost (2)"));
    }

    // On a first start nothing was saved yet, and a comparison's results lie in a folder of their own.
    void aFolderThatComesLaterIsFollowed()
    {
        const QString folder = m_home.filePath(QStringLiteral("data/of/later"));
        Documents documents(folder);
        documents.watch();
        const auto lists = [&documents](const char* name) {
            return documents.index().entries().contains(QString::fromLatin1(name));
        };
        QTRY_VERIFY(!QFile::exists(folder));
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(saveRunResult(testing::smallResult(), (folder + QStringLiteral("/first.json")).toStdString()));
        QTRY_VERIFY(lists("first.json"));
        QVERIFY(QDir(folder).mkdir(QStringLiteral("methods-1")));
        QVERIFY(saveRunResult(testing::smallResult(),
                              (folder + QStringLiteral("/methods-1/flash_result.json")).toStdString()));
        documents.watch();
        QTRY_VERIFY(lists("methods-1/flash_result.json"));
    }

    void aRunTakenOutOfTheQueueIsCalledNotRun()
    {
        useFakeWorker("slow");
        const auto window = newWindow();
        auto* queue = part<RunQueue>(window);
        const int first = part<RunStarter>(window)->start(smallExperiment());
        const int second = part<RunStarter>(window)->start(smallExperiment());
        const LibraryModel* library = part<LibraryPanel>(window)->model();
        const auto status = [library](int run) { return library->line(library->findRun(run))->status; };
        QCOMPARE(status(second), QStringLiteral("queued"));
        queue->cancel(second);
        QTRY_COMPARE(status(second), QStringLiteral("not run"));
        QTRY_VERIFY(queue->info(first)->fraction > 0);
        queue->cancel(first);
        QTRY_COMPARE(status(first), QStringLiteral("interrupted"));
    }

    // Its first word is not what tells whether it had begun.
    void aRunStoppedBeforeItsFirstWordIsCalledInterrupted()
    {
        useFakeWorker("slow");
        const auto window = newWindow();
        nlohmann::json silent = smallExperiment();
        silent["launcher"] = {"sh", "-c", "exec sleep 60", "x"};
        auto* queue = part<RunQueue>(window);
        const int run = queue->enqueue(agreed(silent), QStringLiteral("silent"));
        QTRY_COMPARE(int(queue->info(run)->state), int(RunState::Running));
        queue->cancel(run);
        QTRY_VERIFY_WITH_TIMEOUT(isFinished(queue->info(run)->state), 20'000);
        QVERIFY(queue->info(run)->progressMessage.isEmpty());
        const LibraryModel* library = part<LibraryPanel>(window)->model();
        QCOMPARE(library->line(library->findRun(run))->status, QStringLiteral("interrupted"));
    }

    // What waits or runs beside the runs has a line until it is over; a click shows what there is of it.
    void everyJobHasALine()
    {
        useFakeWorker("slow");
        const auto window = newWindow();
        const LibraryModel* library = part<LibraryPanel>(window)->model();
        const auto lineOf = [library](const QString& title) -> const LibraryLine* {
            const QModelIndexList found = library->match(library->index(0, 0, library->index(0, 0)), Qt::DisplayRole,
                                                         title, 1, Qt::MatchExactly | Qt::MatchRecursive);
            return found.isEmpty() ? nullptr : library->line(found.first());
        };
        const QString comparison = QStringLiteral("Comparison of methods"), program = QStringLiteral("Dry program");
        const int run = part<RunStarter>(window)->start(smallExperiment());
        QTRY_COMPARE(int(part<RunQueue>(window)->info(run)->state), int(RunState::Running));
        part<MethodsRunner>(window)->start(smallExperiment(), {QStringLiteral("vanilla"), QStringLiteral("ghost")}, 2,
                                           QDir(settings::libraryFolder()).filePath(QStringLiteral("methods-here")));
        QVERIFY(lineOf(comparison));
        QCOMPARE(lineOf(comparison)->status, QStringLiteral("queued"));
        QVERIFY2(lineOf(comparison)->detail.contains(QStringLiteral("methods-here")),
                 qPrintable(lineOf(comparison)->detail));
        part<RunQueue>(window)->cancel(run);
        QTRY_COMPARE(lineOf(comparison)->status, QStringLiteral("running"));
        QTRY_VERIFY2(lineOf(comparison)->detail.contains(QStringLiteral("3 of 6")),
                     qPrintable(lineOf(comparison)->detail));
        part<ProgramRuns>(window)->start(
            {.command = {"sh", "train.py"}, .folder = m_home.path(), .cards = {dryDevice("dry:a800-80gb")->card}},
            settings::libraryFolder());
        QTRY_VERIFY(lineOf(program) && lineOf(program)->status == QLatin1String("running"));
        QVERIFY(lineOf(program)->detail.contains(QStringLiteral("dry-train-a800-80gb")));

        auto* panel = part<LibraryPanel>(window);
        const auto click = [panel, library, &lineOf](const QString& title) {
            const QModelIndex place = library->findRun(lineOf(title)->run);
            panel->view()->scrollTo(place);
            QTest::mouseClick(panel->view()->viewport(), Qt::LeftButton, {}, panel->view()->visualRect(place).center());
        };
        window->showWorkspace(QStringLiteral("plan"));
        click(comparison); // two of its methods have ended
        QTRY_COMPARE(front(*window), QStringLiteral("compare"));
        QTRY_COMPARE(part<ComparePage>(window)->runs().size(), std::size_t{2});
        click(program);
        QTRY_VERIFY(part<ProgramDialog>(window) && part<ProgramDialog>(window)->isVisible());
        part<ProgramRuns>(window)->stop();
        QTRY_VERIFY(!lineOf(program));
        trigger(*window, QStringLiteral("stop"));
        QTRY_VERIFY(!lineOf(comparison));
    }

    void filtersByWordsAndTags()
    {
        LibraryModel model;
        LibraryLine tagged = line("a", "gpt2", 9, 0.3, 1);
        tagged.tags = {QStringLiteral("Paper"), QStringLiteral("fig2")};
        tagged.note = QStringLiteral("the run of the rebuttal");
        model.replace(LibrarySection::Saved, {tagged, line("b", "opt-125m", 3, 0, 3)});
        model.setFilter(QStringLiteral("GHOST gpt"));
        QCOMPARE(titles(model), QStringList("a"));
        model.setFilter(QStringLiteral("ghost opt"));
        QCOMPARE(model.shown(), 0);
        model.setFilter(QStringLiteral("rebuttal"));
        QCOMPARE(titles(model), QStringList("a"));
        model.setFilter(QStringLiteral("tag:pap"));
        QCOMPARE(titles(model), QStringList("a"));
        model.setFilter({});
        model.setGroup(LibraryModel::Group::Tag);
        QCOMPARE(titles(model).count(QStringLiteral("a")), 2); // under each of its tags
    }

    void aLineChangesInPlace()
    {
        LibraryModel model;
        LibraryLine run;
        run.run = 7;
        run.section = LibrarySection::Runs;
        run.title = QStringLiteral("run");
        model.put(run);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        run.fraction = 0.5;
        model.put(run);
        QCOMPARE(reset.count(), 0);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(model.findRun(7).data(LibraryDelegate::FractionRole).toDouble(), 0.5);
        model.removeRun(7);
        QCOMPARE(model.total(), 0);
    }

    void headsAreReadWithoutTheTimeline()
    {
        RunResult result = testing::smallResult();
        result.timing = Timing{{0.25}, 0.25, {}, true};
        result.synthetic = true;
        result.status = RunStatus::OverBudget;
        const QString path = m_home.filePath(QStringLiteral("head.json"));
        QVERIFY(saveRunResult(result, path.toStdString()).ok());
        const LibraryEntry entry = readLibraryEntry(path);
        QCOMPARE(entry.title, experimentTitle(result.config));
        QCOMPARE(entry.model, QStringLiteral("opt"));
        QVERIFY(entry.status == RunStatus::OverBudget);
        QCOMPARE(entry.peakBytes, std::int64_t{6 << 20});
        QCOMPARE(entry.stepSeconds, 0.25);
        QVERIFY(entry.synthetic);
        // The same from a file written by someone else's JSON writer.
        QFile other(m_home.filePath(QStringLiteral("flat.json")));
        QVERIFY(other.open(QIODevice::WriteOnly));
        other.write(QByteArray::fromStdString(toJson(result).dump()));
        other.close();
        QCOMPARE(readLibraryEntry(other.fileName()).peakBytes, entry.peakBytes);
        QFile junk(m_home.filePath(QStringLiteral("junk.json")));
        QVERIFY(junk.open(QIODevice::WriteOnly));
        junk.write("{\"a\": [1, 2");
        junk.close();
        QVERIFY(!readLibraryEntry(junk.fileName()).readable);
    }

    // A narrow line cuts off the end.
    void methodsStandBeforeSizes()
    {
        nlohmann::json experiment = testing::smallExperiment();
        QCOMPARE(experimentTitle(experiment), QStringLiteral("opt 1×32 · 1×8 · adam"));
        experiment["training"].update({{"clipping", "ghost"}, {"lora", {{"rank", 4}}}});
        QCOMPARE(experimentTitle(experiment), QStringLiteral("opt 1×32 · ghost clipping · LoRA r 4 · 1×8 · adam"));
        experiment["method"] = "flash_clip"; // a script's own name
        QCOMPARE(experimentTitle(experiment), QStringLiteral("opt 1×32 · flash_clip · 1×8 · adam"));
    }

    // "4090" finds it.
    void aSearchIsCalledByAllItsCards()
    {
        nlohmann::json config = {{"device", "dry:h100-80gb"}, {"program", {{"command", {"python", "train.py", "-b"}}}}};
        QCOMPARE(experimentTitle(config), QStringLiteral("train.py … · dry:h100-80gb"));
        config["devices"] = {"dry:h100-80gb", "dry:rtx-4090"};
        QCOMPARE(experimentTitle(config), QStringLiteral("train.py … · dry:h100-80gb + dry:rtx-4090"));
    }

    // What is over stands by the time of its file.
    void aFinishedRunStandsAmongTheFiles()
    {
        LibraryPanel panel;
        const auto written = [this](const char* name, int secondsAgo) {
            const QString path = testing::writeSmallResult(m_home, QString::fromLatin1(name), name);
            QFile file(path);
            [&] {
                QVERIFY(file.open(QIODevice::ReadWrite));
                QVERIFY(file.setFileTime(QDateTime::currentDateTime().addSecs(-secondsAgo),
                                         QFileDevice::FileModificationTime));
            }();
            return path;
        };
        RunInfo run;
        run.id = 1;
        run.title = QStringLiteral("earlier");
        run.state = RunState::Running;
        const auto timeOf = [&panel] { return panel.model()->line(panel.model()->findRun(1))->time; };
        panel.showRun(run);
        QVERIFY(timeOf() > QDateTime::currentMSecsSinceEpoch());
        run.state = RunState::Complete;
        run.outcome.path = written("earlier.json", 600);
        panel.showRun(run);
        QVERIFY(timeOf() < QDateTime::currentMSecsSinceEpoch() - 500'000);
        // Without a result the reason is all there is to say.
        run.outcome = {};
        run.state = RunState::Failed;
        run.outcome.message = QStringLiteral("not even one row fits");
        panel.showRun(run);
        QCOMPARE(panel.model()->line(panel.model()->findRun(1))->detail,
                 QStringLiteral("failed: not even one row fits"));
    }

    // Results of one file whose script names neither model nor method.
    void resultsOfOneFileAreToldApart()
    {
        RunResult result;
        result.other["source"] = {{"format", "detailed-memory"}, {"file", "all.json"}, {"part", 1}};
        result.config = {{"data", {{"batch", 8}, {"seq", 128}}}, {"training", {{"lora", {{"rank", 16}}}}}};
        QCOMPARE(resultTitle(result), QStringLiteral("LoRA r 16 · 8×128 · all"));
        result.config["data"]["seq"] = 256;
        QCOMPARE(resultTitle(result), QStringLiteral("LoRA r 16 · 8×256 · all"));
        result.config = nlohmann::json::object();
        QCOMPARE(resultTitle(result), QStringLiteral("all.json · 1"));
        result.other["source"].erase("part");
        QCOMPARE(resultTitle(result), QStringLiteral("all.json"));
    }

    void filesThatAppearAreLookedInto()
    {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        const QString path = settings::libraryFolder() + QStringLiteral("/new.json");
        QTest::qWait(50); // the watcher begins after the first picture
        QVERIFY(saveRunResult(testing::smallResult(), path.toStdString()).ok());
        LibraryModel* model = part<LibraryPanel>(window)->model();
        QTRY_VERIFY(model->line(model->findPath(path)));
        QTRY_COMPARE(model->line(model->findPath(path))->model, QStringLiteral("opt"));
        QVERIFY(model->line(model->findPath(path))->detail.startsWith(QStringLiteral("peak 6.00 MiB")));
        QVERIFY(QFile::remove(path));
        QTRY_VERIFY(!model->findPath(path).isValid());
    }

    // In folders of their own; the next window has them.
    void sweepsAreKept()
    {
        const QString folder = settings::libraryFolder() + QStringLiteral("/sweep-1");
        QVERIFY(QDir().mkpath(folder));
        const nlohmann::json document{{"base", testing::smallExperiment()}, {"grid", {{"data.seq", {8, 16}}}}};
        const auto plan = sweepPlanFromJson(document, {"data.seq"});
        QVERIFY(plan.ok());
        const QString path = folder + QStringLiteral("/sweep.json");
        QVERIFY(saveSweep(emptySweep(*plan), path.toStdString()).ok());
        MainWindow window;
        window.show();
        LibraryModel* model = part<LibraryPanel>(window)->model();
        QTRY_VERIFY(model->line(model->findPath(path)));
        QTRY_COMPARE(model->line(model->findPath(path))->model, QStringLiteral("opt"));
        QCOMPARE(model->line(model->findPath(path))->section, LibrarySection::Saved);
        QCOMPARE(model->line(model->findPath(path))->state, int(RunState::Interrupted));
        // Its tags lie with those of the folder's other results.
        LibraryIndex index(settings::libraryFolder());
        QVERIFY(index.setNote(path, {{QStringLiteral("kept")}, {}}));
        QCOMPARE(LibraryIndex(settings::libraryFolder()).noteOf(path).tags, QStringList{QStringLiteral("kept")});
        QCOMPARE(index.files(-1), QStringList{path});
    }

    void tagsAndNotesGoToASidecar()
    {
        const QString path = settings::libraryFolder() + QStringLiteral("/kept.json");
        QVERIFY(saveRunResult(testing::smallResult(), path.toStdString()).ok());
        const QByteArray before = bytesOf(path);
        {
            MainWindow window;
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            LibraryPanel* panel = part<LibraryPanel>(window);
            panel->selectFile(path);
            QTRY_VERIFY(panel->tagsField()->isVisible());
            QTest::keyClicks(panel->tagsField(), QStringLiteral("paper, fig2"));
            QTest::keyClick(panel->tagsField(), Qt::Key_Return);
            panel->noteField()->setFocus();
            QTest::keyClicks(panel->noteField(), QStringLiteral("for the rebuttal"));
            QTest::keyClick(panel->noteField(), Qt::Key_Return);
            QTest::keyClicks(panel->filterField(), QStringLiteral("tag:fig"));
            QCOMPARE(panel->model()->shown(), 1);
        }
        QCOMPARE(bytesOf(path), before);
        const LibraryIndex index(settings::libraryFolder());
        QCOMPARE(index.noteOf(path).tags, QStringList({"fig2", "paper"}));
        QCOMPARE(index.noteOf(path).note, QStringLiteral("for the rebuttal"));
        MainWindow again;
        QCOMPARE(
            part<LibraryPanel>(again)->model()->line(part<LibraryPanel>(again)->model()->findPath(path))->tags.size(),
            2);
    }

    void brokenSidecarsCostOnlyDescriptions()
    {
        for (const char* name : {"index.peakscope", "notes.peakscope"}) {
            QFile file(settings::libraryFolder() + u'/' + QString::fromLatin1(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("{\"a.json\": [1, {\"tags\": 3");
        }
        const QString path = settings::libraryFolder() + QStringLiteral("/a.json");
        QVERIFY(saveRunResult(testing::smallResult(), path.toStdString()).ok());
        MainWindow window;
        window.show();
        LibraryModel* model = part<LibraryPanel>(window)->model();
        QTRY_VERIFY(model->line(model->findPath(path)) &&
                    model->line(model->findPath(path))->model == QLatin1String("opt"));
    }

    void theBoxesSortAndGroup()
    {
        for (const char* name : {"x.json", "y.json"})
            QVERIFY(saveRunResult(testing::smallResult(),
                                  (settings::libraryFolder() + u'/' + QString::fromLatin1(name)).toStdString())
                        .ok());
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        LibraryPanel* panel = part<LibraryPanel>(window);
        panel->groupBox()->setFocus();
        QTest::keyClick(panel->groupBox(), Qt::Key_End);
        QCOMPARE(panel->model()->rowCount(), 1);
        QVERIFY(panel->view()->isExpanded(panel->model()->index(0, 0)));
        panel->sortBox()->setFocus();
        QTest::keyClick(panel->sortBox(), Qt::Key_Down);
        QCOMPARE(panel->sortBox()->currentIndex(), 1);
        QCOMPARE(panel->model()->shown(), 2);
    }

private:
    QTemporaryDir m_home;
};

PEAKSCOPE_TEST(TestLibrary)
#include "test_library.moc"
