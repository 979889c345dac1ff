// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A program of the user's on this machine, through the window: what the dialog asks of it, its live picture, its
// result.
#include "app/form/program_dialog.h"
#include "app/form/program_table.h"
#include "app/form/rank_fields.h"
#include "app/form/run_panel.h"
#include "app/jobs/run_queue.h"
#include "app/panels/run_instant_panel.h"
#include "app/parts/settings.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "app/shell/inspector_content.h"
#include "tests/app/run/program_dialog_support.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QCheckBox>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace peakscope;
using namespace peakscope::testing;

class TestProgramHere : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void init();
    void onThisMachine();
    void beforeItsFirstAllocation();
    void itsResultOpensAtTheSteps();
    void fieldsOfDryRunsAreNotAsked();
    void whatIsTickedIsSaid();
    void aPlaceForAValueIsWarnedOf();
    void rowsOfADryRunGo();
    void thePythonOfTheCommandIsSaid();

private:
    ProgramDialog* open(MainWindow& window) const;
    void touch(const char* file) const;

    QTemporaryDir m_home;
};

void TestProgramHere::init()
{
    testing::useFakeWorker("complete");
    settings::setDryCards({});
    settings::setLibraryFolder(m_home.filePath(QString::fromLatin1(QTest::currentTestFunction())));
    QVERIFY(QDir().mkpath(settings::libraryFolder()));
}

// With this machine alone ticked, as it is the first time.
ProgramDialog* TestProgramHere::open(MainWindow& window) const
{
    ProgramDialog* dialog = openProgramDialog(window, m_home.path());
    tick(dialog, {});
    dialog->hereBox()->setChecked(true);
    dialog->commandField()->setText(QStringLiteral("sh train.py"));
    return dialog;
}

void TestProgramHere::touch(const char* file) const
{
    QFile made(m_home.filePath(QString::fromLatin1(file)));
    QVERIFY(made.open(QIODevice::WriteOnly));
}

// Live in Run, as any run is, and then a result in the library.
void TestProgramHere::onThisMachine()
{
    MainWindow window;
    window.setSessionKept(false);
    window.show();
    trigger(window, QStringLiteral("program"));
    auto* dialog = window.findChild<ProgramDialog*>();
    QVERIFY(dialog->hereBox()->isChecked()); // where no card was chosen before
    dialog->folderField()->setText(m_home.path());
    dialog->commandField()->setText(QStringLiteral("sh train.py"));
    QFile wait(m_home.filePath(QStringLiteral("wait")));
    QVERIFY(wait.open(QIODevice::WriteOnly));
    dialog->startButton()->click();
    QVERIFY(!dialog->isVisible());
    QCOMPARE(front(window), QStringLiteral("run"));
    auto* page = part<RunPage>(window);
    QString facts; // of the header, as soon as there is news, as the legend's are
    connect(part<RunQueue>(window), &RunQueue::batchArrived, page,
            [&facts, page] { facts = page->header()->findChild<QLabel*>(QStringLiteral("runFacts"))->text(); });
    const auto peak = [page] {
        const MemoryTimeline* live = page->liveTimeline()->timeline();
        return live ? live->peakBytes() : 0;
    };
    QTRY_COMPARE(peak(), std::int64_t(3) << 29);
    QVERIFY2(facts.startsWith(QStringLiteral("now 1.00 GiB  ·  peak 1.50 GiB")), qPrintable(facts));
    QCOMPARE(part<RunQueue>(window)->info(part<RunQueue>(window)->live()->id)->title, QStringLiteral("train.py · cpu"));
    QVERIFY(wait.remove());
    QTRY_COMPARE(page->table(QStringLiteral("live"))->model()->rowCount(), 2); // its result: what is alive at the peak
    part<RunInstantPanel>(window)->gatherBy(RunHolderKey::Module);
    QCOMPARE(page->table(QStringLiteral("live"))->model()->table().rows.front().front(),
             TableCell(std::string("layers.0")));
    const auto header = [page] {
        return page->table(QStringLiteral("live"))->model()->headerData(0, Qt::Horizontal).toString();
    };
    QCOMPARE(header(), QStringLiteral("Module"));
    chooseLanguage(window, QStringLiteral("zh"));
    QCOMPARE(header(), QStringLiteral("模块"));
    chooseLanguage(window, QStringLiteral("en"));
    const auto* summary = page->panel()->findChild<QLabel*>(QStringLiteral("experimentSummary"));
    QVERIFY2(summary->text().startsWith(QStringLiteral("recorded run of train.py on")), qPrintable(summary->text()));
    QCOMPARE(QDir(settings::libraryFolder()).entryList({QStringLiteral("*.json")}, QDir::Files).size(), 1);
    // The inspector has words for what it is, not the keys of its file.
    QStringList rows;
    for (const InspectorContent::Section& section :
         inspectRun(*part<RunQueue>(window)->info(1)->outcome.result, {}, false).sections) {
        for (const InspectorContent::Row& row : section.rows)
            rows << row.label;
    }
    QVERIFY2(rows.contains(QStringLiteral("Command")) && rows.contains(QStringLiteral("Device")),
             qPrintable(rows.join(u',')));
    QVERIFY2(!rows.contains(QStringLiteral("kind")) && !rows.contains(QStringLiteral("device")),
             qPrintable(rows.join(u',')));
    // Its header starts it once more; the set-up holds no experiment, and has no button to start one.
    auto* again = page->header()->findChild<QToolButton*>(QStringLiteral("againButton"));
    QVERIFY(again->isVisible() && again->isEnabled());
    QVERIFY2(again->toolTip().contains(QStringLiteral("same program")), qPrintable(again->toolTip()));
    QVERIFY(!page->panel()->runButton()->isVisible());
    again->click();
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(2));
    QVERIFY(!again->isEnabled());
    QTRY_VERIFY(!part<RunQueue>(window)->busy());
}

// Importing PyTorch takes seconds, in which nothing is wrong.
void TestProgramHere::beforeItsFirstAllocation()
{
    touch("import"); // the program stands there
    MainWindow window;
    open(window)->startButton()->click();
    auto* page = part<RunPage>(window);
    QTRY_VERIFY(part<RunQueue>(window)->live());
    const auto facts = [page] { return page->header()->findChild<QLabel*>(QStringLiteral("runFacts"))->text(); };
    QTRY_COMPARE(facts(), QStringLiteral("waiting for the first allocation"));
    const auto says = [](const QWidget* view, const char* words) {
        return std::ranges::any_of(view->findChildren<QLabel*>(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(QLatin1String(words));
        });
    };
    QVERIFY(says(page->liveTimeline(), "The program is starting: waiting for its first allocation."));
    QVERIFY(says(page->componentBars(), "with the first memory events"));
    QVERIFY(!says(page->componentBars(), "not recorded"));
    QVERIFY(QFile::remove(m_home.filePath(QStringLiteral("import"))));
    QTRY_VERIFY(!part<RunQueue>(window)->busy());
    QTRY_VERIFY2(facts().startsWith(QStringLiteral("peak 1.50 GiB")), qPrintable(facts()));
}

// Twenty seconds of imports, then two of steps.
void TestProgramHere::itsResultOpensAtTheSteps()
{
    RunResult result;
    result.id = "late-steps";
    result.created = "2026-01-02T03:04:05Z";
    result.status = RunStatus::Complete;
    result.config = {{"kind", "memory"}, {"device", "cpu"}, {"program", {{"command", {"python", "train.py"}}}}};
    MemorySection& memory = result.memory.emplace();
    memory.timeline.timeSeconds = {0, 20.5, 22};
    memory.timeline.deltaBytes = {1 << 20, 1 << 20, -(1 << 20)};
    memory.timeline.component = {Component::Parameters, Component::Activations, Component::Activations};
    memory.peakBytes = 2 << 20;
    memory.phases = {{Phase::Load, -1, 0}, {Phase::Forward, 0, 20}, {Phase::Forward, 1, 21}};
    const QString file = m_home.filePath(QStringLiteral("late-steps.json"));
    QVERIFY(saveRunResult(result, file.toStdString()));
    MainWindow window;
    window.setSessionKept(false);
    window.show();
    window.openFiles({file});
    auto* timeline = part<RunPage>(window)->findChild<MemoryTimelineView*>(QStringLiteral("resultTimeline"));
    QTRY_VERIFY(timeline->timeline());
    QVERIFY2(timeline->visibleLower() > 19.5 && timeline->visibleLower() < 20,
             qPrintable(QString::number(timeline->visibleLower())));
    auto* before = timeline->findChild<QToolButton*>(QStringLiteral("moreBefore"));
    QVERIFY2(before->isVisible() && before->text() == QStringLiteral("◂ 19.9 s earlier"), qPrintable(before->text()));
    chooseLanguage(window, QStringLiteral("zh"));
    QTRY_COMPARE(before->text(), QStringLiteral("◂ 前面还有 19.9 s"));
    chooseLanguage(window, QStringLiteral("en"));
    QTest::mouseClick(before, Qt::LeftButton);
    QCOMPARE(timeline->visibleLower(), 0.0);
    QVERIFY(!before->isVisible());
}

void TestProgramHere::fieldsOfDryRunsAreNotAsked()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    const QList<QWidget*> dry{dialog->world(), dialog->varyBox(), dialog->savesBox()};
    for (const QWidget* field : dry) {
        QVERIFY(!field->isEnabled());
        QVERIFY2(field->toolTip().contains(QStringLiteral("dry runs")), qPrintable(field->toolTip()));
    }
    // Steps are of both: here the program runs to its end, where no number is given.
    QVERIFY(dialog->stepsField()->isEnabled());
    QCOMPARE(dialog->stepsField()->text(), QStringLiteral("to its end"));
    tick(dialog, {QStringLiteral("h100-80gb")});
    for (const QWidget* field : dry) {
        QVERIFY(field->isEnabled());
        QVERIFY(!field->toolTip().contains(QStringLiteral("dry runs")));
    }
    QCOMPARE(dialog->stepsField()->value(), 5);
    QVERIFY(!dialog->ringBox()->isEnabled());
    // What was set for cards does not count without them.
    dialog->varyBox()->setChecked(true);
    QVERIFY(!dialog->startButton()->isEnabled()); // it has no place in the command
    tick(dialog, {});
    QVERIFY(dialog->startButton()->isEnabled());
    dialog->stepsField()->setValue(7);
    QVERIFY(dialog->ringBox()->isEnabled());
    dialog->ringBox()->setChecked(true);
    dialog->startButton()->click();
    QTRY_VERIFY(!part<RunQueue>(window)->busy());
    const auto result = part<RunQueue>(window)->info(1)->outcome.result;
    QVERIFY(result);
    const QString options = QString::fromStdString(result->config["program"]["options"].get<std::string>());
    QVERIFY2(options.endsWith(QStringLiteral("--steps 7 --ring 3")), qPrintable(options));
}

void TestProgramHere::whatIsTickedIsSaid()
{
    settings::setDryCards({QStringLiteral("h100-80gb"), QStringLiteral("rtx-4090")}); // of last time
    MainWindow window;
    ProgramDialog* dialog = openProgramDialog(window, m_home.path());
    dialog->hereBox()->setChecked(true);
    dialog->searchField()->setText(QStringLiteral("a100")); // neither is in sight
    const auto* ticked = dialog->findChild<QLabel*>(QStringLiteral("tickedCards"));
    QVERIFY2(ticked->isVisible() && ticked->text().startsWith(QStringLiteral("2 cards: ")) &&
                 ticked->text().contains(QStringLiteral("H100")) && ticked->text().contains(QStringLiteral("4090")),
             qPrintable(ticked->text()));
    QVERIFY(ticked->geometry().right() <= dialog->cardList()->geometry().right()); // under the list
    QCOMPARE(dialog->startButton()->text(), QStringLiteral("Record here, dry run on 2 cards"));
    dialog->hereBox()->setChecked(false);
    QCOMPARE(dialog->startButton()->text(), QStringLiteral("Dry run on 2 cards"));
    tick(dialog, {QStringLiteral("rtx-4090")});
    QCOMPARE(dialog->startButton()->text(), QStringLiteral("Dry run on 1 card"));
    auto* clear = dialog->findChild<QToolButton*>(QStringLiteral("untickCards"));
    QVERIFY(clear->isVisible());
    clear->click();
    QVERIFY(!clear->isVisible() && !ticked->isVisible());
    QCOMPARE(dialog->startButton()->text(), QStringLiteral("Start"));
    dialog->hereBox()->setChecked(true);
    QCOMPARE(dialog->startButton()->text(), QStringLiteral("Record here"));
    // What can't be done is not offered.
    QVERIFY(!dialog->openButton()->isVisible() && !dialog->openAllButton()->isVisible() &&
            !dialog->stopButton()->isVisible());
}

void TestProgramHere::aPlaceForAValueIsWarnedOf()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    const auto warned = [dialog] { return dialog->verdict()->text().contains(QStringLiteral("literally")); };
    QVERIFY(!warned());
    dialog->commandField()->setText(QStringLiteral("sh train.py --batch {batch}"));
    QVERIFY2(warned() && dialog->verdict()->text().contains(QStringLiteral("{batch}")),
             qPrintable(dialog->verdict()->text()));
    QVERIFY(dialog->startButton()->isEnabled()); // it may be meant
    tick(dialog, {QStringLiteral("h100-80gb")});
    QVERIFY(warned());
    dialog->varyBox()->setChecked(true);
    QVERIFY(!warned());
    dialog->varyBox()->setChecked(false);
    dialog->commandField()->setText(QStringLiteral("sh train.py '{\"a\": 1}'")); // no place
    QVERIFY(!warned());
}

void TestProgramHere::rowsOfADryRunGo()
{
    MainWindow window;
    ProgramDialog* dialog = open(window);
    const auto* heading = dialog->findChild<QLabel*>(QStringLiteral("dryHeading"));
    tick(dialog, {QStringLiteral("h100-80gb")});
    dialog->hereBox()->setChecked(false);
    dialog->startButton()->click();
    QTRY_VERIFY(over(dialog));
    QVERIFY(heading->isVisible());
    QCOMPARE(dialog->table()->rowCount(), 1);
    tick(dialog, {});
    dialog->hereBox()->setChecked(true);
    dialog->startButton()->click();
    trigger(window, QStringLiteral("program"));
    QVERIFY(!heading->isVisible());
    QCOMPARE(dialog->table()->rowCount(), 0);
    QTRY_VERIFY(!part<RunQueue>(window)->busy());
}

// Of stand-ins for interpreters: they answer as one with, and one without a PyTorch.
void TestProgramHere::thePythonOfTheCommandIsSaid()
{
    QTemporaryDir place;
    const auto write = [&place](const QString& name, const QByteArray& text) {
        const QString path = place.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.setPermissions(file.permissions() | QFileDevice::ExeOwner);
    };
    const QByteArray root = place.path().toUtf8();
    write("torch/version.py", "__version__ = '2.15.0+cu130'\n");
    write("with/python3", "#!/bin/sh\necho " + root + "/torch; echo " + root + "/with/python3.12\n");
    write("without/python3", "#!/bin/sh\necho; echo " + root + "/without/python3\n");
    write("broken/python3", "#!/bin/sh\nexit 1\n");
    write("with/torchrun", "#!" + root + "/with/python3\n");
    write("doc/python3", "#!/bin/sh\ntouch " + root + "/was_run\n");
    MainWindow window;
    ProgramDialog* dialog = openProgramDialog(window, place.path());
    dialog->folderField()->setText(place.path());
    const auto type = [dialog](const QString& command) {
        dialog->commandField()->selectAll();
        QTest::keyClicks(dialog->commandField(), command);
    };
    const auto said = [dialog] { return dialog->pythonLine()->text(); };
    type("with/python3 train.py");
    QTRY_COMPARE(said(), QStringLiteral("Runs with %1/with/python3.12, PyTorch 2.15.0+cu130").arg(place.path()));
    QVERIFY(dialog->pythonLine()->width() >= dialog->commandField()->width() / 2); // it can be read
    const QDir screens(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(screens.path()));
    QVERIFY(dialog->grab().save(screens.filePath(QStringLiteral("program_dialog_python.png"))));
    type("without/python3 train.py");
    QTRY_COMPARE(said(), QStringLiteral("Runs with %1/without/python3, which has no PyTorch").arg(place.path()));
    type("broken/python3 train.py");
    QTRY_COMPARE(said(), QStringLiteral("Runs with %1/broken/python3, which does not start").arg(place.path()));
    type("with/torchrun train.py"); // by its first line
    QTRY_VERIFY(said().endsWith(QStringLiteral("PyTorch 2.15.0+cu130")));
    type("sh train.py");
    QTRY_COMPARE(said(), QString());
    // What a document proposes is not run before somebody starts it.
    dialog->propose(QStringLiteral("doc/python3 train.py"), QStringLiteral("a800-80gb"), {});
    QTRY_COMPARE(said(), QStringLiteral("Runs with %1/doc/python3").arg(place.path()));
    QVERIFY(!QFileInfo::exists(place.filePath("was_run")));
}

PEAKSCOPE_TEST(TestProgramHere)
#include "test_program_here.moc"
