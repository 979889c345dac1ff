// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on other machines: what presets make of their fields, how the way there is tried, and what every kind of broken
// way says. The other machine is a script that stands in for ssh; the last test starts a real sshd where one is
// installed.
#include "app/form/launcher_dialog.h"
#include "app/form/run_panel.h"
#include "app/jobs/job_words.h"
#include "app/jobs/launcher_check.h"
#include "app/parts/launcher_presets.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/run/run_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/local_sshd.h"
#include "tests/test_room.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

using namespace peakscope;
using namespace peakscope::testing;

class TestLaunchers : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void presetsMakeCommands_data();
    void presetsMakeCommands();
    void unusablePresetsSayWhy_data();
    void unusablePresetsSayWhy();
    void presetsAreKept();
    void linesComeApartAgain_data();
    void linesComeApartAgain();
    void anAnswerIsFoundBehindAGreeting();
    void theWayIsTried_data();
    void theWayIsTried();
    void runsHappenElsewhere_data();
    void runsHappenElsewhere();
    void aHangingLauncherCanBeStopped();
    void machinesAreManagedInTheWindow();
    void theFormFollowsTheMachine();
    void aLateAnswerIsOnlyForWhoAsked();
    void askingCanBeStopped();
    void aFilledInMachineIsAsked();
    void wordsBehindSshAreQuoted_data();
    void wordsBehindSshAreQuoted();
    void aLauncherThatCameWithAFileIsAskedAbout();
    void aPathThatIsOnlyHereIsTold();
    void overSshToThisMachine_data();
    void overSshToThisMachine();

private:
    QString script(const QString& name, const QByteArray& text)
    {
        QFile file(m_home.filePath(name));
        if (!file.open(QIODevice::WriteOnly))
            qWarning("can't write the script");
        file.write("#!/bin/sh\n" + text);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return file.fileName();
    }
    QString standIn(const QString& kind)
    {
        if (kind == QLatin1String("exec"))
            return script(kind, "exec \"$@\"\n");
        if (kind == QLatin1String("banner"))
            return script(kind, "echo 'Welcome to [gpu1]!'\necho 'News: [1] nothing'\n\"$@\"\necho goodbye\n");
        if (kind == QLatin1String("fail"))
            return script(kind, "echo 'Permission denied (publickey).' >&2\nexit 255\n");
        if (kind == QLatin1String("missing"))
            return script(kind, "echo 'sh: peakscope-cli: command not found' >&2\nexit 127\n");
        if (kind == QLatin1String("other"))
            return script(kind, "echo hello\n");
        if (kind == QLatin1String("chatty"))
            return script(kind, "yes | head -c 3000000\n\"$@\"\n");
        if (kind == QLatin1String("late"))
            return script(kind, "while [ ! -e '" + m_home.filePath(QStringLiteral("go")).toLocal8Bit() +
                                    "' ]; do sleep 0.02; done\nexec \"$@\"\n");
        if (kind == QLatin1String("break"))
            return script(kind, "\"$@\" | head -n 4\necho 'Connection to gpu1 closed by remote host.' >&2\nexit 255\n");
        return script(QStringLiteral("hang"), "exec sleep 60\n");
    }

    QTemporaryDir m_home;
};

void TestLaunchers::initTestCase()
{
    testing::isolate(m_home);
    applyTheme(Theme::Light);
}

void TestLaunchers::init()
{
    QDir(m_home.filePath(QStringLiteral("config"))).removeRecursively();
    QDir(m_home.filePath(QStringLiteral("data"))).removeRecursively();
    testing::useFakeWorker("complete");
}

void TestLaunchers::presetsMakeCommands_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("host");
    QTest::addColumn<QString>("options");
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("line");
    const auto ssh = QStringLiteral("ssh -T -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15 ");
    using enum LauncherKind;
    const auto row = [](const char* name, LauncherKind kind, const char* host, const char* options, const char* program,
                        const QString& line) {
        QTest::newRow(name) << int(kind) << host << options << program << line;
    };
    row("here", Local, "", "", "", "");
    row("ssh", Ssh, "me@gpu1", "", "", ssh + "me@gpu1");
    row("ssh with options and program", Ssh, " gpu1 ", "-p 2222", "/opt/bin/peakscope-cli",
        ssh + "-p 2222 gpu1 /opt/bin/peakscope-cli");
    row("srun", Slurm, "", "--gpus 1 --time=0:10:00", "", "srun --ntasks=1 --gpus 1 --time=0:10:00");
    row("srun behind a login node", Slurm, "login", "--gpus 1", "", ssh + "login srun --ntasks=1 --gpus 1");
    row("own", Custom, "", "docker run -i \"my image\"", "", "docker run -i \"my image\"");
}

void TestLaunchers::presetsMakeCommands()
{
    QFETCH(int, kind);
    QFETCH(QString, host);
    QFETCH(QString, options);
    QFETCH(QString, program);
    QFETCH(QString, line);
    const LauncherPreset preset{QStringLiteral("x"), static_cast<LauncherKind>(kind), host, options, program};
    QVERIFY2(launcherProblem(preset).isEmpty(), qPrintable(launcherProblem(preset)));
    const QStringList words = launcherWords(preset);
    QCOMPARE(commandLine(words), line);
    // The program stands once, and "worker" last.
    const QStringList command = workerCommand(words);
    QCOMPARE(command.last(), QStringLiteral("worker"));
    QCOMPARE(command.size(), words.size() + (program.isEmpty() ? 2 : 1));
}

void TestLaunchers::unusablePresetsSayWhy_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("host");
    QTest::addColumn<QString>("program");
    const auto row = [](const char* name, LauncherKind kind, const char* preset, const char* host,
                        const char* program) { QTest::newRow(name) << int(kind) << preset << host << program; };
    row("no name", LauncherKind::Ssh, "", "gpu1", "");
    row("no host", LauncherKind::Ssh, "x", " ", "");
    row("a host that is an option", LauncherKind::Ssh, "x", "-oProxyCommand=evil", "");
    row("no command", LauncherKind::Custom, "x", "", "");
    row("a program that is another", LauncherKind::Ssh, "x", "gpu1", "/bin/sh");
}

void TestLaunchers::unusablePresetsSayWhy()
{
    QFETCH(int, kind);
    QFETCH(QString, name);
    QFETCH(QString, host);
    QFETCH(QString, program);
    QVERIFY(!launcherProblem({name, static_cast<LauncherKind>(kind), host, {}, program}).isEmpty());
}

void TestLaunchers::presetsAreKept()
{
    const std::vector<LauncherPreset> presets{
        {QStringLiteral("服务器"), LauncherKind::Ssh, QStringLiteral("a@b"), QStringLiteral("-p 1"), {}},
        {QStringLiteral("cluster"),
         LauncherKind::Slurm,
         {},
         QStringLiteral("--gpus 1"),
         QStringLiteral("/x/peakscope-cli")}};
    QVERIFY(launchersFromBytes(launchersToBytes(presets)) == presets);
    for (const char* damaged : {"", "{}", "[1, {}, {\"name\": 3}]", "[{\"name\": \"x\", \"kind\": \"rocket\"}]",
                                "[{\"name\": \"here again\", \"kind\": \"local\"}]", "\xff["})
        QVERIFY(launchersFromBytes(damaged).empty());
}

void TestLaunchers::linesComeApartAgain_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::newRow("plain") << QStringList{"ssh", "host"};
    QTest::newRow("spaces") << QStringList{"a b", "c", "d\ne", "f\vg"};
    QTest::newRow("quotes") << QStringList{"say \"hi\"", "x"};
    QTest::newRow("nothing") << QStringList{};
}

void TestLaunchers::linesComeApartAgain()
{
    QFETCH(QStringList, words);
    QCOMPARE(QProcess::splitCommand(commandLine(words)), words);
}

void TestLaunchers::anAnswerIsFoundBehindAGreeting()
{
    const QByteArray answer = "[\n  {\"id\": \"cuda:0\", \"name\": \"GPU\"}\n]\n";
    QCOMPARE(devicesAfterGreeting(answer).size(), std::size_t(1));
    QCOMPARE(devicesAfterGreeting("Hello [you]\n[1, 2]\n" + answer + "Bye ]\n").size(), std::size_t(1));
    QVERIFY(devicesAfterGreeting("hello\n").empty());
    QVERIFY(devicesAfterGreeting({}).empty());
    QVERIFY(devicesAfterGreeting("[[[[\n[1]\n[{}]").empty());
    // However many lines could begin an answer.
    QCOMPARE(devicesAfterGreeting(QByteArray("[\n").repeated(100'000) + answer).size(), std::size_t(1));
    QVERIFY(devicesAfterGreeting(QByteArray("[1]\n").repeated(100'000)).empty());
}

void TestLaunchers::theWayIsTried_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("words"); // of the failure; empty: it answers
    const auto row = [](const char* name, const char* kind, const char* words) {
        QTest::newRow(name) << kind << words;
    };
    row("answers", "exec", "");
    row("greets first", "banner", "");
    row("refuses", "fail", "Permission denied");
    row("has no peakscope-cli", "missing", "not found there");
    row("is something else", "other", "no peakscope-cli");
    row("never stops talking", "chatty", "no peakscope-cli");
    row("hangs", "hang", "no answer within 1 s");
    row("is not there", "nowhere", "could not be started");
}

void TestLaunchers::theWayIsTried()
{
    QFETCH(QString, kind);
    QFETCH(QString, words);
    const QString launcher = kind == QLatin1String("nowhere") ? m_home.filePath(kind) : standIn(kind);
    LauncherCheck check(nullptr, 1000);
    QSignalSpy answered(&check, &LauncherCheck::answered);
    QSignalSpy failed(&check, &LauncherCheck::failed);
    check.start(testing::agreedLauncher({launcher}));
    QTRY_COMPARE(answered.count() + failed.count(), 1);
    QCOMPARE(failed.isEmpty(), words.isEmpty());
    QVERIFY(!check.busy());
    if (words.isEmpty()) {
        QCOMPARE(answered[0][0].value<DeviceList>().back().first, QStringLiteral("cuda:7"));
        return;
    }
    const QString sentence = failed[0][0].toString();
    QVERIFY2(sentence.contains(words), qPrintable(sentence));
    QVERIFY(!sentence.contains(u'\n'));
    // And again, now with another answer.
    check.start(testing::agreedLauncher({standIn(QStringLiteral("exec"))}));
    QTRY_COMPARE(answered.count(), 1);
}

void TestLaunchers::runsHappenElsewhere_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("state");
    QTest::addColumn<QString>("words");
    QTest::newRow("brings the result back") << "exec" << int(RunState::Complete) << "";
    QTest::newRow("greets first") << "banner" << int(RunState::Complete) << "";
    QTest::newRow("refuses") << "fail" << int(RunState::Failed) << "Permission denied";
    QTest::newRow("has no peakscope-cli") << "missing" << int(RunState::Failed) << "did not find";
    QTest::newRow("breaks in the middle") << "break" << int(RunState::Interrupted) << "Connection to gpu1 closed";
}

void TestLaunchers::runsHappenElsewhere()
{
    QFETCH(QString, kind);
    QFETCH(int, state);
    QFETCH(QString, words);
    MainWindow window;
    window.show();
    nlohmann::json experiment = testing::smallExperiment();
    experiment["launcher"] = {standIn(kind).toStdString()};
    const int id = part<RunStarter>(window)->start(experiment, testing::typedHere(experiment));
    QTRY_VERIFY(isFinished(part<RunQueue>(window)->info(id)->state));
    const RunOutcome& outcome = part<RunQueue>(window)->info(id)->outcome;
    QCOMPARE(int(part<RunQueue>(window)->info(id)->state), state);
    if (words.isEmpty()) {
        // Here, in this machine's library.
        QVERIFY(outcome.path.startsWith(settings::libraryFolder()));
        QVERIFY(loadRunResult(outcome.path.toStdString()).ok());
        return;
    }
    const QString said = outcome.result ? QString::fromStdString(outcome.result->message) : outcome.message;
    QVERIFY2(said.contains(words), qPrintable(said));
    QVERIFY(!said.contains(u'\n'));
    if (state == int(RunState::Interrupted))
        QVERIFY(outcome.result && outcome.result->memory); // what came until then is kept
}

void TestLaunchers::aHangingLauncherCanBeStopped()
{
    MainWindow window;
    window.show();
    nlohmann::json experiment = testing::smallExperiment();
    experiment["launcher"] = {standIn(QStringLiteral("hang")).toStdString()};
    const int id = part<RunStarter>(window)->start(experiment, testing::typedHere(experiment));
    QTRY_COMPARE(int(part<RunQueue>(window)->info(id)->state), int(RunState::Running));
    trigger(window, QStringLiteral("stop"));
    QTRY_VERIFY_WITH_TIMEOUT(isFinished(part<RunQueue>(window)->info(id)->state), 15'000);
    QCOMPARE(int(part<RunQueue>(window)->info(id)->state), int(RunState::Interrupted));
}

void TestLaunchers::machinesAreManagedInTheWindow()
{
    MainWindow window;
    window.show();
    window.showWorkspace(QStringLiteral("run"));
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    ExperimentForm* form = part<RunPage>(window)->panel()->form();
    QTest::mouseClick(form->findChild<QToolButton*>(QStringLiteral("manageLaunchers")), Qt::LeftButton);
    auto* dialog = window.findChild<LauncherDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(!dialog->testButton()->isEnabled());
    QTest::mouseClick(dialog->addButton(), Qt::LeftButton);
    dialog->nameField()->selectAll();
    QTest::keyClicks(dialog->nameField(), QStringLiteral("stand-in"));
    QCOMPARE(dialog->list()->currentItem()->text(), QStringLiteral("stand-in"));
    QVERIFY(!dialog->testButton()->isEnabled()); // no host yet
    dialog->kindField()->setFocus();
    QTest::keyClick(dialog->kindField(), Qt::Key_End);
    QCOMPARE(dialog->kindField()->currentData().toInt(), int(LauncherKind::Custom));
    emit dialog->kindField()->activated(dialog->kindField()->currentIndex());
    QTest::keyClicks(dialog->optionsField(), standIn(QStringLiteral("exec")));
    QVERIFY(dialog->findChild<QPlainTextEdit*>("words")->toPlainText().endsWith(QStringLiteral("worker")));
    QTest::mouseClick(dialog->testButton(), Qt::LeftButton);
    QTRY_VERIFY2(dialog->messages()->text().contains(QStringLiteral("Test GPU")),
                 qPrintable(dialog->messages()->text()));
    // It is offered in the form at once, and kept.
    QVERIFY(form->machineField()->findText(QStringLiteral("stand-in")) > 0);
    QCOMPARE(launchersFromBytes(settings::launchers()).size(), std::size_t(1));
    QTest::mouseClick(dialog->removeButton(), Qt::LeftButton);
    QCOMPARE(form->machineField()->findText(QStringLiteral("stand-in")), -1);
    QVERIFY(launchersFromBytes(settings::launchers()).empty());
}

void TestLaunchers::theFormFollowsTheMachine()
{
    settings::setLaunchers(launchersToBytes({{QStringLiteral("good"), LauncherKind::Custom, {}, standIn("exec"), {}},
                                             {QStringLiteral("bad"), LauncherKind::Custom, {}, standIn("fail"), {}}}));
    MainWindow window;
    window.show();
    window.showWorkspace(QStringLiteral("run"));
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    ExperimentForm* form = part<RunPage>(window)->panel()->form();
    QTRY_VERIFY(part<RunPage>(window)->panel()->runButton()->isEnabled());
    QComboBox* machine = form->machineField();
    auto* device = static_cast<QComboBox*>(form->field("device"));
    auto* words = static_cast<QLineEdit*>(form->field("launcher"));
    const auto choose = [machine](const QString& name) {
        machine->setCurrentIndex(machine->findText(name));
        emit machine->activated(machine->currentIndex());
    };
    device->clear(); // what this machine has is not what that one has
    choose(QStringLiteral("good"));
    QCOMPARE(words->text(), m_home.filePath(QStringLiteral("exec")));
    QTRY_VERIFY(device->findText(QStringLiteral("cuda:7")) >= 0);
    QCOMPARE(form->document()["launcher"].size(), std::size_t(1));
    QTest::mouseClick(part<RunPage>(window)->panel()->runButton(), Qt::LeftButton);
    QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));

    trigger(window, QStringLiteral("newRun"));
    choose(QStringLiteral("bad"));
    MessageBar* bar = part<RunPage>(window)->panel()->messages();
    QTRY_VERIFY2(bar->text().contains(QStringLiteral("Permission denied")), qPrintable(bar->text()));
    QCOMPARE(device->findText(QStringLiteral("cuda:7")), -1); // that was the other machine's
    // Words of one's own are a choice of their own, and this machine again none.
    words->setFocus();
    words->selectAll();
    QTest::keyClicks(words, QStringLiteral("ssh other"));
    QCOMPARE(machine->currentText(), QStringLiteral("set by the launcher"));
    choose(QStringLiteral("This machine"));
    QVERIFY(words->text().isEmpty());
    QCOMPARE(machine->count(), 3);
    QVERIFY(!form->document().contains("launcher") || form->document()["launcher"].empty());
}

void TestLaunchers::aLateAnswerIsOnlyForWhoAsked()
{
    QFile::remove(m_home.filePath(QStringLiteral("go")));
    settings::setLaunchers(launchersToBytes({{QStringLiteral("late"), LauncherKind::Custom, {}, standIn("late"), {}}}));
    MainWindow window;
    window.show();
    window.showWorkspace(QStringLiteral("run"));
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    RunPanel* panel = part<RunPage>(window)->panel();
    QTRY_VERIFY(panel->runButton()->isEnabled());
    QComboBox* machine = panel->form()->machineField();
    machine->setCurrentIndex(machine->findText(QStringLiteral("late")));
    emit machine->activated(machine->currentIndex());
    QTRY_VERIFY2(panel->messages()->text().startsWith(QStringLiteral("Asking")), qPrintable(panel->messages()->text()));
    // Other words stand there when it answers; the line that says what goes on stays till then.
    auto* words = static_cast<QLineEdit*>(panel->form()->field("launcher"));
    QTest::keyClicks(words, QStringLiteral(" x"));
    QVERIFY2(panel->messages()->text().startsWith(QStringLiteral("Asking")), qPrintable(panel->messages()->text()));
    QFile go(m_home.filePath(QStringLiteral("go")));
    QVERIFY(go.open(QIODevice::WriteOnly));
    go.close();
    QTRY_VERIFY(panel->messages()->text().isEmpty());
    QCOMPARE(static_cast<QComboBox*>(panel->form()->field("device"))->findText(QStringLiteral("cuda:7")), -1);
}

void TestLaunchers::askingCanBeStopped()
{
    settings::setLaunchers(launchersToBytes({{QStringLiteral("hang"), LauncherKind::Custom, {}, standIn("hang"), {}}}));
    MainWindow window;
    window.show();
    window.showWorkspace(QStringLiteral("run"));
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    RunPanel* panel = part<RunPage>(window)->panel();
    QTRY_VERIFY(panel->runButton()->isEnabled());
    QComboBox* machine = panel->form()->machineField();
    machine->setCurrentIndex(machine->findText(QStringLiteral("hang")));
    emit machine->activated(machine->currentIndex());
    QTRY_VERIFY(!panel->messages()->findChildren<QPushButton*>().isEmpty());
    QPushButton* stop = panel->messages()->findChildren<QPushButton*>().constFirst();
    QCOMPARE(stop->text(), QStringLiteral("Stop"));
    QTest::mouseClick(stop, Qt::LeftButton);
    QVERIFY(panel->messages()->text().isEmpty());
}

void TestLaunchers::aFilledInMachineIsAsked()
{
    settings::setLaunchers(launchersToBytes({{QStringLiteral("good"), LauncherKind::Custom, {}, standIn("exec"), {}}}));
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    RunPanel* panel = part<RunPage>(window)->panel();
    QTRY_VERIFY(panel->runButton()->isEnabled());
    auto* device = static_cast<QComboBox*>(panel->form()->field("device"));
    nlohmann::json experiment = testing::smallExperiment();
    experiment["launcher"] = {standIn("exec").toStdString()};
    part<RunStarter>(window)->edit(experiment);
    QTRY_VERIFY(device->findText(QStringLiteral("cuda:7")) >= 0);
    // One that nobody here knows is not run, and the other one's devices are gone.
    const QString mark = m_home.filePath(QStringLiteral("asked"));
    experiment["launcher"] = {"sh", "-c", "touch '" + mark.toStdString() + "'", "x"};
    part<RunStarter>(window)->edit(experiment);
    QCOMPARE(device->findText(QStringLiteral("cuda:7")), -1);
    experiment.erase("launcher");
    part<RunStarter>(window)->edit(experiment); // what this machine's own program answers
    QTRY_VERIFY(device->findText(QStringLiteral("cuda:7")) >= 0);
    QVERIFY(!QFileInfo::exists(mark));
}

void TestLaunchers::wordsBehindSshAreQuoted_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("options");
    QTest::addColumn<bool>("named"); // the program, in a folder with a blank
    QTest::newRow("a program with a blank in its path") << int(LauncherKind::Ssh) << "" << true;
    QTest::newRow("a choice of nodes") << int(LauncherKind::Slurm) << "--constraint=a100|h100" << false;
    QTest::newRow("both") << int(LauncherKind::Slurm) << "--constraint=a100|h100" << true;
}

// A shell on the other side reads them, as sshd's does.
void TestLaunchers::wordsBehindSshAreQuoted()
{
    QFETCH(int, kind);
    QFETCH(QString, options);
    QFETCH(bool, named);
    const QByteArray path = qgetenv("PATH");
    QVERIFY(QDir(m_home.path()).mkpath(QStringLiteral("bin")) &&
            QDir(m_home.path()).mkpath(QStringLiteral("my tools")));
    script(QStringLiteral("bin/ssh"), "while :; do case \"$1\" in -o) shift 2;; -*) shift;; *) break;; esac; done\n"
                                      "shift\nexec sh -c \"$*\"\n");
    script(QStringLiteral("bin/srun"), "while :; do case \"$1\" in\n'--constraint=a100|h100') found=1; shift;;\n"
                                       "-*) shift;;\n*) break;;\nesac; done\n[ \"$found\" ] || exit 9\nexec \"$@\"\n");
    const QString program = m_home.filePath(QStringLiteral("my tools/peakscope-cli"));
    QFile::remove(program);
    QVERIFY(QFile::link(QString::fromLocal8Bit(qgetenv("PEAKSCOPE_CLI")), program));
    qputenv("PATH", m_home.filePath(QStringLiteral("bin")).toLocal8Bit() + ':' + path);
    const LauncherPreset preset{QStringLiteral("x"), static_cast<LauncherKind>(kind), QStringLiteral("gpu1"), options,
                                named ? program : QString()};
    QVERIFY2(launcherProblem(preset).isEmpty(), qPrintable(launcherProblem(preset)));
    LauncherCheck check;
    QSignalSpy answered(&check, &LauncherCheck::answered);
    QSignalSpy failed(&check, &LauncherCheck::failed);
    check.start(testing::agreedLauncher(launcherWords(preset)));
    QTRY_COMPARE(answered.count() + failed.count(), 1);
    qputenv("PATH", path);
    QVERIFY2(failed.isEmpty(), qPrintable(failed.value(0).value(0).toString()));
}

void TestLaunchers::aLauncherThatCameWithAFileIsAskedAbout()
{
    const QString mark = m_home.filePath(QStringLiteral("mark"));
    RunResult result = testing::smallResult();
    result.config["launcher"] = {"sh", "-c", "touch '" + mark.toStdString() + "'; exec \"$@\"", "x"};
    const QString path = m_home.filePath(QStringLiteral("theirs.json"));
    QVERIFY(saveRunResult(result, path.toStdString()).ok());
    MainWindow window;
    window.show();
    window.openFiles({path});
    QTRY_VERIFY(shownResult(window));
    MessageBar* bar = part<RunPage>(window)->panel()->messages();
    const auto press = [bar](const QString& title) {
        for (QPushButton* button : bar->findChildren<QPushButton*>()) {
            if (button->text() == title && button->isVisible()) {
                QTest::mouseClick(button, Qt::LeftButton);
                return;
            }
        }
        QFAIL("no such button");
    };
    QTest::keyClick(&window, Qt::Key_F5);
    QVERIFY2(bar->detail().contains(QStringLiteral("touch")), qPrintable(bar->detail()));
    QVERIFY(part<RunQueue>(window)->ids().empty());
    press(QStringLiteral("Run here"));
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QVERIFY(!part<RunQueue>(window)->info(1)->experiment.contains("launcher"));
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
    QVERIFY(!QFileInfo::exists(mark));
    window.openFiles({path});
    QTest::keyClick(&window, Qt::Key_F5);
    press(QStringLiteral("Run anyway"));
    QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(2));
    QTRY_COMPARE(int(part<RunQueue>(window)->info(2)->state), int(RunState::Complete));
    QVERIFY(QFileInfo::exists(mark));
    window.openFiles({path});
    QTest::keyClick(&window, Qt::Key_F5); // agreed to once
    QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(3));
}

void TestLaunchers::aPathThatIsOnlyHereIsTold()
{
    testing::useFakeWorker("bad_input");
    MainWindow window;
    window.show();
    nlohmann::json experiment = testing::smallExperiment();
    experiment["launcher"] = {standIn(QStringLiteral("exec")).toStdString()};
    part<RunStarter>(window)->start(experiment, testing::typedHere(experiment));
    MessageBar* bar = part<RunPage>(window)->panel()->messages();
    QTRY_VERIFY(bar->text().contains(QStringLiteral("lost.txt")));
    QVERIFY2(bar->text().contains(QStringLiteral("looked up there")), qPrintable(bar->text()));
}

void TestLaunchers::overSshToThisMachine_data()
{
    QTest::addColumn<QString>("mode"); // of the worker there
    QTest::addColumn<int>("state");
    QTest::addColumn<QString>("words");
    QTest::newRow("brings the result back") << "complete" << int(RunState::Complete) << "";
    QTest::newRow("is stopped") << "slow" << int(RunState::Interrupted) << "";
    QTest::newRow("the line is cut") << "slow" << int(RunState::Interrupted) << "The connection to the other machine";
}

void TestLaunchers::overSshToThisMachine()
{
    QFETCH(QString, mode);
    QFETCH(int, state);
    QFETCH(QString, words);
    testing::LocalSshd sshd;
    if (const QString reason = sshd.start(); !reason.isEmpty())
        QSKIP(qPrintable(reason));
    QVERIFY(QDir(m_home.path()).mkpath(QStringLiteral("far")));
    const QString program =
        script(QStringLiteral("far/peakscope-cli"),
               "PEAKSCOPE_FAKE_MODE=" + mode.toLatin1() + " exec '" + qgetenv("PEAKSCOPE_CLI") + "' \"$@\"\n");
    const LauncherPreset preset{QStringLiteral("over there"), LauncherKind::Ssh, sshd.host(),
                                commandLine(sshd.options()), program};
    QVERIFY2(launcherProblem(preset).isEmpty(), qPrintable(launcherProblem(preset)));
    LauncherCheck check;
    QSignalSpy answered(&check, &LauncherCheck::answered);
    check.start(testing::agreedLauncher(launcherWords(preset)));
    QTRY_COMPARE_WITH_TIMEOUT(answered.count(), 1, 20000);
    MainWindow window;
    nlohmann::json experiment = testing::smallExperiment();
    for (const QString& word : launcherWords(preset))
        experiment["launcher"].push_back(word.toStdString());
    const int id = part<RunStarter>(window)->start(experiment, testing::typedHere(experiment));
    QList<int> workers;
    if (mode == QLatin1String("slow")) {
        MemoryTimelineView* live = part<RunPage>(window)->liveTimeline();
        QTRY_VERIFY_WITH_TIMEOUT(live->timeline() && live->timeline()->size() > 100, 20000);
        workers = sshd.started("worker");
        QCOMPARE(workers.size(), 1);
        words.isEmpty() ? trigger(window, QStringLiteral("stop")) : sshd.endSessions();
    }
    QTRY_VERIFY_WITH_TIMEOUT(isFinished(part<RunQueue>(window)->info(id)->state), 20000);
    QCOMPARE(int(part<RunQueue>(window)->info(id)->state), state);
    const RunOutcome& outcome = part<RunQueue>(window)->info(id)->outcome;
    QVERIFY(outcome.result && outcome.result->memory);
    const QString said = QString::fromStdString(outcome.result->message);
    QVERIFY2(said.contains(words) && !said.contains(u'\n'), qPrintable(said));
    for (const int worker : workers)
        QTRY_VERIFY_WITH_TIMEOUT(testing::wordsOf(worker).isEmpty(), 20000);
}

PEAKSCOPE_TEST(TestLaunchers)
#include "test_launchers.moc"
