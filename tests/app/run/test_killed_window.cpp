// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// SIGKILL of a window that has a run, a sweep, a comparison and a dry program under way, at a random moment: what goes
// on by itself holds the lock of its folder, all else ends, and what was asked for is found again. Windows are
// processes of this program, which starts itself. PEAKSCOPE_KILLS says how many (4).
#include "app/compare/methods_runner.h"
#include "app/form/run_starter.h"
#include "app/form/sweep_runner.h"
#include "app/jobs/program_runs.h"
#include "app/parts/settings.h"
#include "core/base/output_lock.h"
#include "core/model/dry_device.h"
#include "core/results/sweeps/compared_method.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QProcess>
#include <QRandomGenerator>
#include <QTest>

#include <csignal>
#include <cstdio>
#include <set>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

constexpr const char* kMark = "PEAKSCOPE_TEST_WINDOW"; // of the windows and of all that they start: their folder

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Processes whose environment has the mark, and their parents.
std::map<pid_t, pid_t> marked(const QString& folder)
{
    std::map<pid_t, pid_t> found;
    const QByteArray mark = QByteArray(kMark) + '=' + folder.toUtf8() + '\0';
    for (const QString& id : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        bool isNumber = false;
        const int process = id.toInt(&isNumber);
        if (!isNumber || !contentOf(QStringLiteral("/proc/%1/environ").arg(id)).contains(mark))
            continue;
        const QByteArray stat = contentOf(QStringLiteral("/proc/%1/stat").arg(id));
        const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 1 && fields[0] != "Z")
            found[process] = fields[1].toInt();
    }
    return found;
}

QDir resultsOf(const QTemporaryDir& home)
{
    return QDir(home.filePath(QStringLiteral("data/peakscope/results")));
}

// The processes that hold the lock of the sweep, or of a run's result.
std::set<pid_t> holdersIn(const QTemporaryDir& home)
{
    auto outputs = lockedOutputs(resultsOf(home).path().toStdString());
    outputs.emplace_back(home.filePath(QStringLiteral("sweep")).toStdString());
    std::set<pid_t> holders;
    for (const auto& output : outputs) {
        if (const auto holder = outputHolder(output); holder && holder->process)
            holders.insert(*holder->process);
    }
    return holders;
}

nlohmann::json longExperiment()
{
    nlohmann::json experiment = smallExperiment();
    experiment["device"] = "cpu";
    experiment["threads"] = 1;
    experiment["training"]["steps"] = 100'000;
    return experiment;
}

} // namespace

class TestKilledWindow : public QObject
{
    Q_OBJECT

private slots:
    void aWindow();
    void nothingIsLeftThatNobodyKnowsOf();
};

// In the process of a window, until it is killed.
void TestKilledWindow::aWindow()
{
    const QString folder = qEnvironmentVariable(kMark);
    if (folder.isEmpty())
        return;
    QCoreApplication::setApplicationName(QStringLiteral("peakscope"));
    const auto window = newWindow();
    part<RunStarter>(window)->start(longExperiment());
    part<SweepRunner>(window)->start({{"base", longExperiment()}, {"grid", {{"data.seq", {8, 16}}}}},
                                     folder + QStringLiteral("/sweep"));
    part<MethodsRunner>(window)->start(longExperiment(), {QStringLiteral("vanilla"), QStringLiteral("ghost")}, 2,
                                       QDir(settings::libraryFolder()).filePath(QStringLiteral("methods")));
    ProgramSetUp program;
    program.command = QStringList{"sh", "-c", "trap '' TERM; sleep 300 & sleep 300"};
    program.folder = folder;
    program.cards = {dryDevice("dry:rtx-4090")->card};
    part<ProgramRuns>(window)->start(program, folder + QStringLiteral("/programs"));
    std::puts("all is under way");
    std::fflush(stdout);
    QTest::qWait(60'000);
}

void TestKilledWindow::nothingIsLeftThatNobodyKnowsOf()
{
    if (!QFile::exists(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli")))
        QSKIP("this build has no peakscope-cli");
    QRandomGenerator random(4711);
    const int kills = std::max(1, qEnvironmentVariableIntValue("PEAKSCOPE_KILLS", nullptr));
    for (int i = 0; i < (qEnvironmentVariableIsSet("PEAKSCOPE_KILLS") ? kills : 4); ++i) {
        const QTemporaryDir home;
        QProcess window;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QString::fromLatin1(kMark), home.path());
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.filePath(QStringLiteral("config")));
        environment.insert(QStringLiteral("XDG_DATA_HOME"), home.filePath(QStringLiteral("data")));
        environment.remove(QStringLiteral("PEAKSCOPE_CLI"));
        window.setProcessEnvironment(environment);
        window.start(QCoreApplication::applicationFilePath(), {"test_killed_window", "aWindow"});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += window.readAllStandardOutput()).contains("all is under way"), 30'000);
        QTest::qWait(random.bounded(2000));
        QVERIFY(window.state() == QProcess::Running);
        window.kill();
        QVERIFY(window.waitForFinished());
        // What goes on has the lock of its output, which tells who it is; all else was waiting, or ends.
        const auto strangers = [&] {
            const std::set<pid_t> known = holdersIn(home);
            const auto processes = marked(home.path());
            QStringList unknown;
            for (const auto& [process, parent] : processes) {
                pid_t at = process;
                while (!known.contains(at) && processes.contains(at))
                    at = processes.at(at);
                if (!known.contains(at))
                    unknown << QString::fromLocal8Bit(contentOf(QStringLiteral("/proc/%1/cmdline").arg(process)))
                                   .replace(QChar(), QLatin1Char(' '));
            }
            return unknown;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(strangers().isEmpty(), qPrintable(strangers().join(QStringLiteral("; "))), 20'000);
        // The comparison waited, and can be gone on with; the run is offered again.
        const auto methods = readComparisonHead(resultsOf(home).filePath(QStringLiteral("methods")).toStdString());
        QVERIFY2(methods && methods->methods.size() == 2, methods ? "" : methods.error().text().c_str());
        for (const pid_t holder : holdersIn(home))
            ::kill(holder, SIGTERM);
        QTRY_VERIFY2_WITH_TIMEOUT(marked(home.path()).empty(), qPrintable(strangers().join(QStringLiteral("; "))),
                                  20'000);
        if (QFile::exists(home.filePath(QStringLiteral("sweep/sweep.json"))))
            QVERIFY(loadSweep(home.filePath(QStringLiteral("sweep/sweep.json")).toStdString()).ok());
        for (const QFileInfo& run : resultsOf(home).entryInfoList({QStringLiteral("*.json")}, QDir::Files)) {
            const auto result = loadRunResult(run.filePath().toStdString());
            QVERIFY2(result.ok(), result ? "" : result.error().text().c_str());
            QVERIFY(result->status == RunStatus::Interrupted && result->config["training"]["steps"] == 100'000);
        }
    }
}

PEAKSCOPE_TEST(TestKilledWindow)
#include "test_killed_window.moc"
