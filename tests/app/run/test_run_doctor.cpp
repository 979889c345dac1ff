// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The doctor under a run of our own: opens after an end for lack of memory, says who held the most, and its remedies
// are those of `advise`, each an experiment that the form takes.
#include "app/form/run_panel.h"
#include "app/panels/doctor.h"
#include "app/panels/run_instant_panel.h"
#include "app/parts/end_words.h"
#include "app/parts/table_tabs.h"
#include "app/parts/translations.h"
#include "app/run/run_page.h"
#include "core/analysis/response/partition.h"
#include "core/import/read_any.h"
#include "core/model/unknown_sizes.h"
#include "core/planning/recommend/result_advice.h"
#include "core/snapshots/snapshot_advice.h"
#include "core/snapshots/snapshot_recording.h"
#include "core/text/batches.h"
#include "core/text/tokenizer.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/holder_words.h"
#include "widgets/text/note_words.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/steps_view.h"
#include "widgets/timeline/timeline_legend.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

constexpr std::int64_t kBudget = std::int64_t{1} << 30;

RunResult ended(RunStatus status, const char* message)
{
    RunResult result = smallResult();
    result.status = status;
    result.message = message;
    result.config["data"] = {{"source", "builtin"}, {"batch", 8}, {"seq", 8}};
    result.config["budget_bytes"] = kBudget;
    return result;
}

} // namespace

class TestRunDoctor : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }

    void opensAfterAnEndForMemory_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<bool>("opens");
        QTest::newRow("complete") << int(RunStatus::Complete) << QByteArray() << false;
        QTest::newRow("over budget") << int(RunStatus::OverBudget) << QByteArray("over budget: 4 KiB more") << true;
        QTest::newRow("failed for memory")
            << int(RunStatus::Failed) << QByteArray("LibTorch: CUDA out of memory. Tried to allocate") << true;
        QTest::newRow("killed") << int(RunStatus::Interrupted)
                                << QByteArray("The worker was killed (signal 9); often the system's out-of-memory "
                                              "killer.")
                                << true;
        QTest::newRow("failed otherwise") << int(RunStatus::Failed) << QByteArray("LibTorch: singular") << false;
    }

    void opensAfterAnEndForMemory()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, message);
        QFETCH(bool, opens);
        const RunResult result = ended(static_cast<RunStatus>(status), message.constData());
        QCOMPARE(endedForMemory(result), opens);
        const QString path = m_home.filePath(QStringLiteral("ended.json"));
        QVERIFY(saveRunResult(result, path.toStdString()));
        const auto window = newWindow();
        window->openFiles({path});
        QTRY_VERIFY(shownResult(*window));
        Doctor* doctor = part<RunPage>(window)->doctor();
        QTRY_VERIFY(doctor->isVisible());
        QCOMPARE(doctor->isOpen(), opens);
        const QString who = QStringLiteral("Activations 4.00 MiB · Parameters 1.00 MiB · Gradients 1.00 MiB");
        QCOMPARE(doctor->sentence(), (opens ? QStringLiteral("At most 6.00 MiB were alive before the end: ")
                                            : QStringLiteral("At the peak of 6.00 MiB: ")) +
                                         who);
        if (opens)
            QVERIFY(doctor->isBusy() || doctor->remedies()->model()->rowCount() > 0);
    }

    void opensWhenOurRunEnds()
    {
        useFakeWorker("over_budget");
        const auto window = newWindow();
        part<RunStarter>(window)->start(smallExperiment());
        Doctor* doctor = part<RunPage>(window)->doctor();
        QTRY_VERIFY(shownResult(*window) && doctor->isOpen());
        QVERIFY(doctor->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!doctor->isBusy(), kSearchPatience);
        QVERIFY(doctor->remedies()->model()->rowCount() > 0);
    }

    // 63 columns are not shared by two heads.
    void whyThereAreNoneIsTold()
    {
        RunResult result = ended(RunStatus::OverBudget, "over budget: 4 KiB more");
        result.config["model"]["hidden"] = 63;
        const auto advice = adviceFor(result);
        QVERIFY(!advice);
        const QString path = m_home.filePath(QStringLiteral("odd.json"));
        QVERIFY(saveRunResult(result, path.toStdString()));
        const auto window = newWindow();
        window->openFiles({path});
        Doctor* doctor = part<RunPage>(window)->doctor();
        QTRY_VERIFY(doctor->isOpen() && !doctor->isBusy());
        const QList<QLabel*> labels = doctor->remedies()->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text() == QString::fromStdString(advice.error().text());
        }));
        QVERIFY(!doctor->findChild<QToolButton*>(QStringLiteral("takeRemedy")));
    }

    void aRemedyIsANewRun()
    {
        const RunResult result = ended(RunStatus::OverBudget, "over budget: 4 KiB more");
        const auto advice = adviceFor(result);
        QVERIFY(advice && advice->remedies.size() >= 2);
        const QString path = m_home.filePath(QStringLiteral("remedy.json"));
        QVERIFY(saveRunResult(result, path.toStdString()));
        const auto window = newWindow();
        window->openFiles({path});
        RunPage* page = part<RunPage>(window);
        Doctor* doctor = page->doctor();
        QTRY_VERIFY(doctor->isOpen());
        QTRY_VERIFY_WITH_TIMEOUT(!doctor->isBusy(), kSearchPatience);
        // As `advise` has them.
        QCOMPARE(page->table(QStringLiteral("remedies")), doctor->remedies());
        const Table& table = doctor->remedies()->model()->table();
        QCOMPARE(table.rows.size(), advice->remedies.size());
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            QCOMPARE(std::get<std::int64_t>(table.rows[i][2]), advice->remedies[i].savesBytes);
            QCOMPARE(std::get<std::int64_t>(table.rows[i][3]), advice->remedies[i].peakBytes);
            QCOMPARE(std::get<std::string>(table.rows[i][4]), advice->remedies[i].change);
        }
        // The second one is chosen and taken.
        QSignalSpy chosen(doctor, &Doctor::experimentChosen);
        const QList<QToolButton*> takes = doctor->findChildren<QToolButton*>(QStringLiteral("takeRemedy"));
        QCOMPARE(takes.size(), static_cast<qsizetype>(advice->remedies.size()));
        QToolButton* take = takes[1];
        QVERIFY(take->isVisible());
        QTest::mouseClick(take, Qt::LeftButton);
        QCOMPARE(chosen.size(), 1);
        QVERIFY(page->panel()->isExpanded());
        const nlohmann::json document = page->panel()->form()->document();
        QVERIFY2(page->panel()->form()->holds(advice->remedies[1].experiment), document.dump().c_str());
        QCOMPARE(advice->remedies[1].experiment.value("budget_bytes", std::int64_t{0}), kBudget);
        QVERIFY(!doctor->isVisible());
    }

    // 2 MiB of the optimizer's states come at 0.4 s, after the activations went at 0.3 s.
    void aClickAsksWhatWasAlive()
    {
        const QString path = writeSmallResult(m_home, QStringLiteral("small.json"), "small");
        const auto window = newWindow();
        window->openFiles({path});
        RunPage* page = part<RunPage>(window);
        RunInstantPanel* panel = page->instant();
        QTRY_VERIFY(shownResult(*window) && panel->hasResult());
        // At first the peak.
        QCOMPARE(panel->sentence(), QStringLiteral("6.00 MiB alive at 200 ms, Forward of step 0"));
        const auto bytes = [&](int row) {
            return std::get<std::int64_t>(panel->table()->model()->table().rows[row][1]);
        };
        QCOMPARE(bytes(0), std::int64_t{4} << 20);
        MemoryTimelineView* timeline = page->resultTimeline();
        QTRY_VERIFY(timeline->isVisible());
        const QCPAxis* axis = timeline->plot()->xAxis;
        // A line from top to bottom, where it stands above all that was alive.
        const auto lineAt = [&](double seconds) {
            const QImage image = timeline->plot()->grab().toImage();
            const int x = qFloor(axis->coordToPixel(seconds)),
                      y = axis->axisRect()->top() + axis->axisRect()->height() / 3;
            const auto differs = [&](int at) { return image.pixel(at, y) != image.pixel(x + 6, y); };
            return differs(x - 1) || differs(x) || differs(x + 1);
        };
        QTest::mouseClick(timeline->plot(), Qt::LeftButton, {},
                          {qRound(axis->coordToPixel(0.33)), axis->axisRect()->center().y()});
        QVERIFY(panel->isVisible());
        QTRY_VERIFY(lineAt(*panel->seconds()));
        QVERIFY(!lineAt(*panel->seconds() + 0.04));
        QVERIFY2(panel->sentence().startsWith(QStringLiteral("2.00 MiB alive at 3")), qPrintable(panel->sentence()));
        QCOMPARE(panel->table()->model()->rowCount(), 2);
        QCOMPARE(panel->table()->model()->index(0, 0).data().toString(),
                 QStringLiteral("Gradients")); // equal ones by name
        const auto* tabs = page->findChild<TableTabs*>();
        const auto title = [&] { return tabs->tabText(tabs->indexOf(panel)); };
        QCOMPARE(title(), QStringLiteral("Alive then"));
        panel->gatherBy(RunHolderKey::Phase); // flows: nothing of them need be alive
        QCOMPARE(title(), QStringLiteral("Added until then"));
        QVERIFY2(panel->sentence().startsWith(QStringLiteral("Added less freed by each phase: 2.00 MiB at 3")),
                 qPrintable(panel->sentence()));
        QCOMPARE(panel->table()->model()->rowCount(), 1); // what the forward pass took it gave back
        QCOMPARE(panel->table()->model()->index(0, 0).data().toString(), QStringLiteral("Load"));
        QCOMPARE(bytes(0), std::int64_t{2} << 20);
        QCOMPARE(page->table(QStringLiteral("live")), panel->table());
    }

    // Of what the events say: a module's row outlines what it had, and each step of a long recording is a point.
    void holdersAreOutlinedAndStepsListed()
    {
        auto result = loadRunResult(writeSmallResult(m_home, QStringLiteral("plain.json"), "plain").toStdString());
        QVERIFY(result);
        MemorySection& memory = *result->memory;
        const std::size_t events = memory.timeline.size();
        memory.owners = {{"a", "b"},
                         {"aten::mm"},
                         {},
                         std::vector<std::uint32_t>(events, 2),
                         std::vector<std::uint32_t>(events, 1),
                         std::vector<std::uint32_t>(events, 0)};
        memory.owners.module[0] = 1; // 1 MiB of parameters
        memory.steps = {
            {0, 1, 2}, {6 << 20, 7 << 20, 8 << 20}, {1 << 20, 2 << 20, 3 << 20}, {0.1, 0.2, 0.3}, {"4x8", "4x8", ""}};
        const QString path = m_home.filePath(QStringLiteral("owned.json"));
        QVERIFY(saveRunResult(*result, path.toStdString()));
        const auto window = newWindow();
        window->openFiles({path});
        RunPage* page = part<RunPage>(window);
        RunInstantPanel* panel = page->instant();
        QTRY_VERIFY(shownResult(*window) && panel->hasResult());
        auto* legend = page->resultTimeline()->findChild<TimelineLegend*>();
        QCOMPARE(legend->chosenText(), QString());
        panel->gatherBy(RunHolderKey::Module);
        const QString first = panel->table()->model()->index(0, 0).data().toString();
        QCOMPARE(first, QStringLiteral("b"));
        panel->table()->view()->selectRow(1);
        QCOMPARE(legend->chosenText(), QStringLiteral("1.00 MiB"));
        panel->table()->view()->selectRow(0);
        QCOMPARE(legend->chosenText(), QStringLiteral("5.00 MiB"));

        const auto* tabs = page->findChild<TableTabs*>();
        auto* steps = page->findChild<StepsView*>();
        const int tab = tabs->indexOf(steps->parentWidget());
        QVERIFY(tabs->isTabVisible(tab));
        QCOMPARE(page->table(QStringLiteral("steps"))->model()->rowCount(), 3);
        QVERIFY2(steps->readout().startsWith(QStringLiteral("Highest: Step 2: peak 8.00 MiB, 3.00 MiB alive")),
                 qPrintable(steps->readout()));
        steps->setCursorAt(QPointF(0.2, 0));
        QVERIFY2(steps->readout().endsWith(QStringLiteral("batch 4x8")), qPrintable(steps->readout()));
        // Another result without steps has no such tab.
        window->openFiles({writeSmallResult(m_home, QStringLiteral("other.json"), "other")});
        QTRY_VERIFY(!tabs->isTabVisible(tab));
        QCOMPARE(legend->chosenText(), QString());
    }

    void theEndInASentence_data()
    {
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("english");
        QTest::addColumn<QString>("chinese");
        QTest::newRow("budget of a CPU")
            << QStringLiteral(
                   "over budget: 2.44 MiB more in phase forward, module lm_head, operator aten::mm on top of "
                   "10.7 MiB live would pass the budget of 12.0 MiB")
            << QStringLiteral(
                   "Over budget: 2.44 MiB more in phase Forward, module lm_head, operator aten::mm on top of "
                   "10.7 MiB live would pass the budget of 12.0 MiB")
            << QStringLiteral("超出预算：前向阶段，模块 lm_head，算子 aten::mm 再要 2.44 MiB，已存活 10.7 "
                              "MiB，将超过预算 12.0 MiB");
        QTest::newRow("a device")
            << QStringLiteral(
                   "out of memory: 1 GiB more in phase backward on top of 3 GiB live and 4 GiB reserved, but "
                   "the device has 5 MiB free")
            << QStringLiteral(
                   "Out of memory: 1 GiB more in phase Backward on top of 3 GiB live and 4 GiB reserved, but "
                   "the device has 5 MiB free")
            << QStringLiteral("内存不足：反向阶段 再要 1 GiB，已存活 3 GiB、已保留 4 GiB，而设备只剩 5 MiB");
        QTest::newRow("a machine") << QStringLiteral(
                                          "out of memory: 1 GiB more in phase load, but the machine has 5 MiB "
                                          "free and keeps 1 MiB")
                                   << QStringLiteral(
                                          "Out of memory: 1 GiB more in phase Load, but the machine has 5 MiB "
                                          "free and keeps 1 MiB")
                                   << QStringLiteral("内存不足：加载阶段 再要 1 GiB，而本机只剩 5 MiB 且保留 1 MiB");
        const QString other = QStringLiteral("LibTorch: a singular matrix (phase curvature)");
        QTest::newRow("another") << other << other << other;
    }

    void theEndInASentence()
    {
        QFETCH(QString, message);
        QFETCH(QString, english);
        QFETCH(QString, chinese);
        QCOMPARE(endText(message.toStdString()), english);
        if (!installTranslation(QStringLiteral("zh")))
            QSKIP("no font for Chinese here");
        const QString shown = endText(message.toStdString());
        installTranslation(QStringLiteral("en"));
        QCOMPARE(shown, chinese);
    }

    // What core writes today is known, whatever its numbers and names are, and stays as it is in English.
    void notesOfRunsHaveWords()
    {
        std::vector<std::string> notes{"clipping auto: 2 rows at a time; mlp: %2 (tiles)", "privacy: no epsilon: delta",
                                       "data: a %1.txt: 3 files, 100 tokens (bytes), 4 rows of 9"};
        const auto records = BatchSource::fromBuiltin(*Tokenizer::bytes(), {.seq = 16, .vocab = 100});
        QVERIFY(records.ok() && !records->notes().empty());
        notes.push_back("data: " + records->description());
        for (const std::string& note : records->notes())
            notes.push_back("data: " + note);
        for (const std::size_t units : {1, 6}) {
            const std::vector<double> alike(units, 0.5);
            const auto classes = partitionUnits(alike, alike, {});
            QVERIFY(classes.ok() && !classes->notes.empty());
            notes.insert(notes.end(), classes->notes.begin(), classes->notes.end());
        }
        // As core/dry words them.
        notes.insert(notes.end(),
                     {"2 values read back from the card could not be computed: train.py:7; a size that depends on one "
                      "uses a fixed value instead",
                      "NCCL takes memory of its own beside this, in no number here: about 1.3 GiB for 2 communicators, "
                      "as users of other cards reported it",
                      "what NCCL takes for itself, 1.3 GiB by a margin, is in no number: a lower --target leaves room "
                      "for it",
                      "integers from other ranks were replaced in 1 call: train.py:7. An exchange returns this rank's "
                      "own values, a receive a fixed value, so dependent sizes may differ on real cards",
                      unknownSizesNote({"cudnnGetVersion", "cublasGetProperty"}),
                      leastPeakNote({"cudnnGetRNNTempSpaceSizes"}),
                      // As core/snapshots does.
                      "out of memory at train.py:28 forward: 128 MiB requested, 265 MiB free of 2.37 GiB reserved, in "
                      "pieces of at most 96.0 MiB, 70.0 MiB on the device: fragmented"});
        const auto snapshots = readAny(PEAKSCOPE_SOURCE_DIR "/tests/core/data/cuda_snapshot.pickle");
        QVERIFY(snapshots.ok() && !snapshots->front().notes.empty());
        notes.insert(notes.end(), snapshots->front().notes.begin(), snapshots->front().notes.end());
        const bool chinese = installTranslation(QStringLiteral("zh"));
        QStringList shown;
        for (const std::string& note : notes)
            shown << noteText(note);
        installTranslation(QStringLiteral("en"));
        for (std::size_t i = 0; i < notes.size(); ++i) {
            QVERIFY2(isKnownNote(notes[i]), notes[i].c_str());
            QCOMPARE(noteText(notes[i]), QString::fromStdString(notes[i]));
        }
        for (const char* older : {"2 values that the program read back from the card could not be known: train.py:7; a "
                                  "size that depends on "
                                  "one is that of a fixed answer",
                                  "out of memory at train.py:28 forward: 128 MiB asked for, 265 MiB free of the 2.37 "
                                  "GiB reserved, in pieces "
                                  "of at most 96.0 MiB, and 70.0 MiB free on the device: fragmented"})
            QVERIFY2(isKnownNote(older), older);
        QCOMPARE(noteText("their own words"), QStringLiteral("their own words"));
        if (!chinese)
            QSKIP("no font for Chinese here");
        QCOMPARE(shown[0], QStringLiteral("自动裁剪：每次 2 行；mlp: %2 (tiles)"));
        QCOMPARE(shown[2], QStringLiteral("数据：a %1.txt：3 个文件，100 个词元（bytes），4 行，每行 9 个"));
        for (std::size_t i = 0; i < notes.size(); ++i)
            QVERIFY2(shown[qsizetype(i)] != QString::fromStdString(notes[i]), notes[i].c_str());
    }

    // The doctor's cards show them whole.
    void remediesOfSnapshotsHaveWords()
    {
        const auto sample = readAny(PEAKSCOPE_SOURCE_DIR "/resources/samples/out_of_memory.pickle.gz");
        QVERIFY(sample.ok() && sample->front().recording);
        const SnapshotRecording& recording = *sample->front().recording;
        const SnapshotAdvice advice = adviseOn(*recording.snapshot, recording.replay);
        QVERIFY(advice.remedies.size() >= 4);
        for (const SnapshotRemedy& remedy : advice.remedies)
            QCOMPARE(remedyText(remedy.how), QString::fromStdString(remedy.how));
        if (!installTranslation(QStringLiteral("zh")))
            QSKIP("no font for Chinese here");
        QStringList shown;
        for (const SnapshotRemedy& remedy : advice.remedies)
            shown << remedyText(remedy.how);
        installTranslation(QStringLiteral("en"));
        for (qsizetype i = 0; i < shown.size(); ++i)
            QVERIFY2(shown[i] != QString::fromStdString(advice.remedies[static_cast<std::size_t>(i)].how),
                     qPrintable(shown[i]));
    }

    // Of the ladder's first step, which holds a strategy's title.
    void whatWasAskedForHasWords()
    {
        const std::string step = "as requested: float32, checkpointing, batch 4 x 128";
        QCOMPARE(planChangeText(step), QString::fromStdString(step));
        if (!installTranslation(QStringLiteral("zh")))
            QSKIP("no font for Chinese here");
        const QString shown = planChangeText(step), title = strategyTitleText("float32, checkpointing, batch 4 x 128");
        installTranslation(QStringLiteral("en"));
        QCOMPARE(shown, QStringLiteral("按请求：") + title);
    }

    void withoutAnExperimentThereIsNone()
    {
        RunResult result = ended(RunStatus::OverBudget, "over budget");
        result.config = nlohmann::json::object();
        QVERIFY(!canBeAdvised(result));
    }

private:
    QTemporaryDir m_home;
};

PEAKSCOPE_TEST(TestRunDoctor)
#include "test_run_doctor.moc"
