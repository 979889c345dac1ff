// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps started from the window: the dialog's checks, a sweep that fills in, one that is stopped and gone on with, and
// what is said where it can't begin.
#include "app/form/run_panel.h"
#include "app/form/sweep_dialog.h"
#include "app/library/library_model.h"
#include "app/library/library_panel.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/sweep/sweep_heat_map_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <memory>

using namespace peakscope;
using namespace peakscope::testing;
using peakscope::testing::isolate;
using peakscope::testing::smallExperiment;
using peakscope::testing::useFakeWorker;

namespace {

nlohmann::ordered_json smallSweep()
{
    // Not in the alphabet's order: axes keep theirs.
    return {{"base", smallExperiment()}, {"grid", {{"data.seq", {8, 16, 32}}, {"data.batch", {1, 2}}}}};
}

// The first line of the library that is about an open file.
LibraryLine libraryLine(const MainWindow& window)
{
    const LibraryModel* model = part<LibraryPanel>(window)->model();
    const QModelIndex line = model->index(0, 0, model->index(0, 0));
    return line.isValid() ? *model->line(line) : LibraryLine();
}

} // namespace

class TestSweepWindow : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void valuesAreReadAsWritten_data();
    void valuesAreReadAsWritten();
    void theDialogChecksWhatItIsGiven();
    void severalHands();
    void theMapFillsIn();
    void aFileOfOneOpensItsRows();
    void aFileThatIsNotRightIsTold();
    void commandsOfAFileAreAskedAbout();
    void stoppedAndGoneOnWith();
    void anotherWaitsForItsTurn();
    void itSurvivesAnotherLanguage();
    void whatCannotBeginIsTold();
    void closingStopsIt();
    void itIsCalledRunning();
    void anotherProcessesSweepIsFound();

private:
    QString write(const char* name, const std::string& text) const
    {
        QFile file(m_folder->filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(text)) < 0)
            qWarning("can't write the sweep");
        return file.fileName();
    }

    QTemporaryDir m_home;
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSweepWindow::initTestCase()
{
    QVERIFY(m_home.isValid());
    isolate(m_home);
}

void TestSweepWindow::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    settings::setLibraryFolder(m_folder->path());
    useFakeWorker("complete");
}

void TestSweepWindow::valuesAreReadAsWritten_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("json");
    QTest::newRow("numbers") << "128, 256,512"
                             << "[128,256,512]";
    QTest::newRow("words") << "none, flash"
                           << R"(["none","flash"])";
    QTest::newRow("truth") << "true,false"
                           << "[true,false]";
    QTest::newRow("empty parts") << ", 1,, 2 ,"
                                 << "[1,2]";
    QTest::newRow("lists") << R"(["q_proj", "v_proj"],[])"
                           << R"([["q_proj","v_proj"],[]])";
    QTest::newRow("quoted") << R"("1,2", "a \"b,c", "true", null)"
                            << R"(["1,2","a \"b,c","true",null])";
    QTest::newRow("nothing") << ""
                             << "[]";
}

void TestSweepWindow::valuesAreReadAsWritten()
{
    QFETCH(QString, text);
    QFETCH(QString, json);
    QCOMPARE(QString::fromStdString(sweepValuesFromText(text).dump()), json);
    const QString again = sweepValuesText(nlohmann::json::parse(json.toStdString()));
    QVERIFY2(QString::fromStdString(sweepValuesFromText(again).dump()) == json, qPrintable(again));
}

void TestSweepWindow::theDialogChecksWhatItIsGiven()
{
    SweepDialog dialog(smallExperiment(), QStringLiteral("a small model"));
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    dialog.valuesField(0)->setText(QString());
    QTest::keyClicks(dialog.valuesField(0), QStringLiteral("8, 16, 32"));
    QVERIFY2(dialog.isValid(), qPrintable(dialog.verdict()));
    QVERIFY2(dialog.verdict().contains(u'9'), qPrintable(dialog.verdict()));
    QVERIFY(dialog.runButton()->isEnabled());
    dialog.keyField(1)->setCurrentText(QStringLiteral("data.bach"));
    QVERIFY(!dialog.isValid());
    QVERIFY(!dialog.runButton()->isEnabled());
    QVERIFY2(dialog.verdict().contains(QStringLiteral("data.bach")), qPrintable(dialog.verdict()));
    dialog.keyField(1)->setCurrentText(QStringLiteral("training.clipping"));
    dialog.valuesField(1)->setText(QStringLiteral("none, flash"));
    QVERIFY2(dialog.isValid(), qPrintable(dialog.verdict()));
    QCOMPARE(QString::fromStdString(dialog.document()["grid"].dump()),
             QStringLiteral(R"({"data.seq":[8,16,32],"training.clipping":["none","flash"]})"));
    // There is always room for a further key.
    const std::pair<const char*, const char*> more[] = {{"data.batch", "1,2"}, {"training.lora.rank", "0,4"}};
    std::size_t axis = 2;
    for (const auto& [key, values] : more) {
        dialog.keyField(axis)->setFocus();
        QTest::keyClicks(dialog.keyField(axis), QString::fromLatin1(key));
        QTest::keyClick(dialog.keyField(axis), Qt::Key_Tab);
        QTest::keyClicks(dialog.valuesField(axis), QString::fromLatin1(values));
        ++axis;
    }
    QVERIFY2(dialog.isValid(), qPrintable(dialog.verdict()));
    QVERIFY2(dialog.verdict().contains(QStringLiteral("24")), qPrintable(dialog.verdict()));
    QCOMPARE(dialog.document()["grid"].size(), std::size_t{4});
    QVERIFY(dialog.keyField(4)->currentText().isEmpty());
}

void TestSweepWindow::severalHands()
{
    nlohmann::json base = smallExperiment();
    SweepDialog dialog(base, QStringLiteral("a small model"));
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    dialog.workersField()->setFocus();
    dialog.workersField()->selectAll();
    QTest::keyClicks(dialog.workersField(), QStringLiteral("3"));
    QCOMPARE(dialog.machines().workers, 3);
    QVERIFY(dialog.machines().hosts.isEmpty());
    QTest::mouseClick(dialog.hostsField(), Qt::LeftButton);
    QTest::keyClicks(dialog.hostsField(), QStringLiteral(" gpu1, ,gpu2,gpu2 "));
    QCOMPARE(dialog.machines().hosts, QStringList({"gpu1", "gpu2", "gpu2"}));
    QVERIFY(!dialog.workersField()->isEnabled());
    QVERIFY2(dialog.isValid(), qPrintable(dialog.verdict()));
    const QList<QCheckBox*> boxes = dialog.findChildren<QCheckBox*>();
    QCOMPARE(boxes.size(), 2);
    boxes[1]->setChecked(true); // to leave points out needs a device that is known here
    QVERIFY2(dialog.verdict().contains(QStringLiteral("left out")), qPrintable(dialog.verdict()));
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()) && dialog.grab().save(folder.filePath("sweep_dialog.png")));
    base["launcher"] = {"ssh", "elsewhere"};
    SweepDialog remote(base, QStringLiteral("a small model"));
    QVERIFY2(remote.isValid(), qPrintable(remote.verdict()));
    remote.hostsField()->setText(QStringLiteral("gpu1"));
    QVERIFY2(!remote.isValid() && remote.verdict().contains(QStringLiteral("machine")), qPrintable(remote.verdict()));

    MainWindow window;
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    part<SweepRunner>(window)->start(smallSweep(), m_folder->filePath(QStringLiteral("shared")), {3, {}});
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60'000);
    QCOMPARE(finished[0][1].value<JobEnd>().exitStatus, 0);
    const auto words = [this](const char* name) {
        QFile file(m_folder->filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QCOMPARE(words("shared/words"), QByteArray("--workers 3"));
    const SweepStart far{smallSweep(), m_folder->filePath(QStringLiteral("far")), {3, {"gpu1", "gpu2"}}};
    part<SweepRunner>(window)->start(far.document, far.folder, far.machines, withTyped({}, commandsOf(far)));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 60'000);
    QCOMPARE(words("far/words"), QByteArray("--hosts gpu1,gpu2"));
}

void TestSweepWindow::theMapFillsIn()
{
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    part<SweepRunner>(window)->start(smallSweep(), m_folder->filePath(QStringLiteral("one")));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QCOMPARE(finished[0][1].value<JobEnd>().exitStatus, 0);
    const SweepHeatMapView* map = part<RunPage>(window)->sweepPanel()->heatMap();
    QTRY_VERIFY_WITH_TIMEOUT(!reading(window) && map->sweep().complete(), 30'000);
    QCOMPARE(map->sweep().points.size(), std::size_t{6});
    QCOMPARE(map->sweep().keys.front(), std::string("data.seq"));
    QTRY_VERIFY(part<RunPage>(window)->sweepPanel()->isVisible());
    QVERIFY(shownResult(window) != nullptr && sweepOf(*shownResult(window))->complete());
    QTRY_COMPARE(window.messages()->text(), QStringLiteral("The sweep is complete."));
    window.showWorkspace(QStringLiteral("analyse")); // where it is no news
    QVERIFY(window.messages()->isHidden());
    // Its points are of the same experiment: its title tells it from them.
    QVERIFY2(resultTitle(*shownResult(window)).startsWith(QStringLiteral("sweep: ")),
             qPrintable(resultTitle(*shownResult(window))));
}

// What the command line's sweep takes: its rows stand in the dialog, in their order, ready to run.
void TestSweepWindow::aFileOfOneOpensItsRows()
{
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    nlohmann::ordered_json sweep = {
        {"base", smallExperiment()},
        {"grid",
         {{"training.clipping", {"none", "ghost"}}, {"data.max_physical_batch", {1, 2}}, {"data.batch", {1, 2}}}},
        {"repeats", 2},
        {"over_budget", "predict"}};
    window.openFiles({write("S.json", sweep.dump())});
    const auto* dialog = window.findChild<SweepDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY2(dialog->isValid(), qPrintable(dialog->verdict()));
    QVERIFY2(dialog->verdict().contains(QStringLiteral("2 is above data.batch 1")), qPrintable(dialog->verdict()));
    sweep["timing"] = false;
    QCOMPARE(nlohmann::json(dialog->document()), nlohmann::json(sweep));
    QCOMPARE(dialog->document()["grid"].dump(), sweep["grid"].dump());
    QVERIFY(dialog->keyField(3)->currentText().isEmpty());
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    QTest::mouseClick(dialog->runButton(), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    const SweepHeatMapView* map = part<RunPage>(window)->sweepPanel()->heatMap();
    QTRY_COMPARE_WITH_TIMEOUT(map->sweep().points.size(), std::size_t{8}, 30'000);
}

void TestSweepWindow::aFileThatIsNotRightIsTold()
{
    MainWindow window;
    window.show();
    nlohmann::ordered_json sweep = smallSweep();
    sweep["grid"]["data.bach"] = {1, 2};
    window.openFiles({write("wrong.json", sweep.dump())});
    QVERIFY(!window.findChild<SweepDialog*>());
    const QString said = window.messages()->text();
    QVERIFY2(said.contains(QStringLiteral("wrong.json")) && said.contains(QStringLiteral("data.bach")),
             qPrintable(said));
}

// Those in its rows, too: the user has typed none of them.
void TestSweepWindow::commandsOfAFileAreAskedAbout()
{
    nlohmann::ordered_json inBase = smallSweep(), inGrid = smallSweep();
    inBase["base"]["launcher"] = {"env", "A=1"};
    inGrid["grid"]["launcher"] = nlohmann::ordered_json::parse(R"([["env", "A=1"], ["env", "A=2"]])");
    for (const nlohmann::ordered_json& sweep : {inBase, inGrid}) {
        MainWindow window;
        window.show();
        window.openFiles({write("commands.json", sweep.dump())});
        const auto* dialog = window.findChild<SweepDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY2(dialog->isValid(), qPrintable(dialog->verdict()));
        QTest::mouseClick(dialog->runButton(), Qt::LeftButton);
        QVERIFY(!part<SweepRunner>(window)->running());
    }
}

void TestSweepWindow::stoppedAndGoneOnWith()
{
    useFakeWorker("slow");
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    part<SweepRunner>(window)->start(smallSweep(), m_folder->filePath(QStringLiteral("two")));
    const SweepHeatMapView* map = part<RunPage>(window)->sweepPanel()->heatMap();
    QTRY_COMPARE_WITH_TIMEOUT(map->sweep().finished(), std::size_t{2}, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(!reading(window), 30'000);
    const auto* status = window.findChild<QLabel*>(QStringLiteral("statusText"));
    QTRY_VERIFY2(status->text().contains(QStringLiteral("2 of 6")), qPrintable(status->text()));
    QTRY_COMPARE(libraryLine(window).fraction, 2.0 / 6);
    QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QCOMPARE(finished[0][1].value<JobEnd>().exitStatus, 4);
    QTRY_VERIFY_WITH_TIMEOUT(window.messages()->text().contains(QStringLiteral("stopped")), 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(!reading(window), 30'000);
    useFakeWorker("complete");
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(status->text().startsWith(QStringLiteral("Sweep")), 30'000);
    QVERIFY2(!status->text().contains(QStringLiteral("  0 of")),
             qPrintable(status->text())); // two of its points are through
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30'000);
    QCOMPARE(finished[1][1].value<JobEnd>().exitStatus, 0);
    QTRY_VERIFY_WITH_TIMEOUT(!reading(window) && map->sweep().complete(), 30'000);
}

// One at a time, since times count: the second starts once the first is over, and a third is taken out before it began.
void TestSweepWindow::anotherWaitsForItsTurn()
{
    useFakeWorker("slow");
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    auto* sweeps = part<SweepRunner>(window);
    sweeps->start(smallSweep(), m_folder->filePath(QStringLiteral("first")));
    const QString first = sweeps->file();
    QTRY_COMPARE_WITH_TIMEOUT(part<ShownDocument>(window)->path(), first, 30'000);
    sweeps->start(smallSweep(), m_folder->filePath(QStringLiteral("second")));
    const QString second = sweeps->file();
    QVERIFY2(window.messages()->text().contains(QStringLiteral("second starts after the runs before it")), qPrintable(window.messages()->text()));
    QVERIFY(QFileInfo::exists(second)); // in the library, whatever becomes of this window
    sweeps->start(smallSweep(), m_folder->filePath(QStringLiteral("third")));
    const LibraryModel* library = part<LibraryPanel>(window)->model();
    QVERIFY(library->known(sweeps->file()));
    QCOMPARE(library->known(sweeps->file())->status, QStringLiteral("queued"));
    QVERIFY(testing::press(*window.messages(), QStringLiteral("Do not run it")));
    QVERIFY2(window.messages()->text().contains(QStringLiteral("third was removed from the queue")),
             qPrintable(window.messages()->text()));
    QVERIFY(!library->known(sweeps->file()));
    QCOMPARE(finished.count(), 1);
    QCOMPARE(finished[0][1].value<JobEnd>().exitStatus, 4);
    QVERIFY(!QFileInfo::exists(sweeps->file()));
    window.openFiles({second});
    QTRY_COMPARE_WITH_TIMEOUT(part<RunHeader>(window)->badges(), QStringList{QStringLiteral("queued")}, 30'000);
    QVERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("queued")));
    QTRY_VERIFY2(window.messages()->text().contains(QStringLiteral("second starts after the runs before it")),
                 qPrintable(window.messages()->text()));
    window.openFiles({first});
    QTRY_VERIFY_WITH_TIMEOUT(!reading(window) && sweeps->showsRunning(), 30'000);
    QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30'000);
    QTRY_COMPARE_WITH_TIMEOUT(part<ShownDocument>(window)->path(), second, 30'000);
    QVERIFY(sweeps->running());
    window.close();
    QVERIFY(testing::press(*window.messages(), QStringLiteral("Stop and close")));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 30'000);
    QCOMPARE(finished.count(), 3);
}

void TestSweepWindow::itSurvivesAnotherLanguage()
{
    useFakeWorker("slow");
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    part<SweepRunner>(window)->start(smallSweep(), m_folder->filePath(QStringLiteral("six")));
    const auto finished = [&window] { return part<RunPage>(window)->sweepPanel()->heatMap()->sweep().finished(); };
    QTRY_COMPARE_WITH_TIMEOUT(finished(), std::size_t{2}, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(!reading(window), 30'000);
    chooseLanguage(window, QStringLiteral("zh"));
    QVERIFY(part<RunPage>(window)->sweepPanel()->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(finished(), std::size_t{2}, 30'000);
    QVERIFY(shownResult(window) && shownResult(window)->kind == ResultKind::Sweep);
    QVERIFY(window.messages()->findChildren<QPushButton*>().isEmpty()); // the page has the way to stop it
    chooseLanguage(window, QStringLiteral("en"));
    QTRY_VERIFY(window.messages()->text().startsWith(QStringLiteral("Sweep under way")));
}

void TestSweepWindow::whatCannotBeginIsTold()
{
    MainWindow window;
    window.show();
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    nlohmann::ordered_json wrong = smallSweep();
    wrong["grid"] = {{"data.bach", {1, 2}}};
    part<SweepRunner>(window)->start(wrong, m_folder->filePath(QStringLiteral("three")));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QCOMPARE(finished[0][1].value<JobEnd>().exitStatus, 2);
    QVERIFY2(window.messages()->text().contains(QStringLiteral("data.bach")), qPrintable(window.messages()->text()));
    qputenv("PEAKSCOPE_CLI", "/no/such/program");
    part<SweepRunner>(window)->start(smallSweep(), m_folder->filePath(QStringLiteral("four")));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30'000);
    QVERIFY2(window.messages()->text().contains(QStringLiteral("/no/such/program")),
             qPrintable(window.messages()->text()));
}

void TestSweepWindow::closingStopsIt()
{
    useFakeWorker("slow");
    MainWindow window;
    window.show();
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    part<SweepRunner>(window)->start(smallSweep(), m_folder->filePath(QStringLiteral("five")));
    QTRY_COMPARE_WITH_TIMEOUT(part<ShownDocument>(window)->path(), part<SweepRunner>(window)->file(), 30'000);
    window.close();
    QVERIFY(window.isVisible() && part<SweepRunner>(window)->running()); // asked first
    QVERIFY(testing::press(*window.messages(), QStringLiteral("Stop and close")));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QTRY_VERIFY(!window.isVisible());
    QVERIFY(QFileInfo::exists(part<SweepRunner>(window)->file()));
}

// While points arrive nothing calls it interrupted, and the header's own button stops it.
void TestSweepWindow::itIsCalledRunning()
{
    useFakeWorker("slow");
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    part<SweepRunner>(window)->start(smallSweep(), m_folder->filePath(QStringLiteral("seven")));
    const RunHeader* header = part<RunPage>(window)->header();
    const SweepHeatMapView* map = part<RunPage>(window)->sweepPanel()->heatMap();
    QTRY_COMPARE_WITH_TIMEOUT(map->sweep().finished(), std::size_t{2}, 30'000);
    QTRY_COMPARE_WITH_TIMEOUT(header->badges(), QStringList{"running"}, 30'000);
    QTRY_VERIFY(header->findChild<QLabel*>(QStringLiteral("runFacts"))->toolTip().contains(QStringLiteral("2 of 6")));
    const auto* again = header->findChild<QToolButton*>(QStringLiteral("againButton"));
    auto* stop = header->findChild<QToolButton*>(QStringLiteral("stopButton"));
    QVERIFY(stop->isVisible() && stop->isEnabled() && !again->isEnabled());
    QCOMPARE(libraryLine(window).status, QStringLiteral("running"));
    QTRY_VERIFY(part<InspectorPanel>(window)->plainText().contains(QStringLiteral("running")));
    const QDir screens(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(screens.path()) && window.grab().save(screens.filePath("sweep_running.png")));
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(header->badges(), QStringList{"interrupted"}, 30'000);
    QTRY_VERIFY(!stop->isEnabled() && again->isEnabled());
    QTRY_COMPARE(libraryLine(window).status, QStringLiteral("interrupted"));
}

// As after a window was killed: its sweep goes on.
void TestSweepWindow::anotherProcessesSweepIsFound()
{
    useFakeWorker("slow");
    const QString folder = m_folder->filePath(QStringLiteral("left"));
    QProcess other;
    other.start(qEnvironmentVariable("PEAKSCOPE_CLI"), {"sweep", "-", "--out", folder, "--resume"});
    const std::string text = smallSweep().dump();
    other.write(text.data(), qint64(text.size()));
    other.closeWriteChannel();
    const QString file = QDir(folder).filePath(QStringLiteral("sweep.json"));
    const auto finished = [&file] {
        const auto sweep = loadSweep(file.toStdString());
        return sweep ? sweep->finished() : 0;
    };
    QTRY_COMPARE_WITH_TIMEOUT(finished(), std::size_t{2}, 30'000);
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QTRY_COMPARE_WITH_TIMEOUT(libraryLine(window).status, QStringLiteral("running"), 30'000);
    QVERIFY(window.messages()->text().contains(QStringLiteral("left")));
    QVERIFY(press(*window.messages(), QStringLiteral("Show")));
    const RunHeader* header = part<RunPage>(window)->header();
    QTRY_COMPARE_WITH_TIMEOUT(header->badges(), QStringList{"running"}, 30'000);
    QTest::keyClick(&window, Qt::Key_F5); // it is not started a second time
    QVERIFY(!part<SweepRunner>(window)->running());
    QCOMPARE(other.state(), QProcess::Running);
    QTest::mouseClick(header->findChild<QToolButton*>(QStringLiteral("stopButton")), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(other.state(), QProcess::NotRunning, 30'000);
    QCOMPARE(other.exitCode(), 4);
    QTRY_COMPARE_WITH_TIMEOUT(header->badges(), QStringList{"interrupted"}, 30'000);
    QTRY_COMPARE(libraryLine(window).status, QStringLiteral("interrupted"));
    QCOMPARE(finished(), std::size_t{2});
}

PEAKSCOPE_TEST(TestSweepWindow)
#include "test_sweep_window.moc"
