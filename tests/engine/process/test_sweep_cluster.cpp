// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One sweep run by several processes, with the real engine: workers of one command, an array of Slurm (its script run
// by a shell), processes of mpirun; some of them killed. sweep.json is always that of one undisturbed process.
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/sweep_folder.h"
#include "tests/engine/checks/ranks/rank_processes.h"
#include "tests/engine/process/said.h"
#include "tests/engine/process/without_times.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <random>

using namespace peakscope;
using Json = nlohmann::json;
using peakscope::test::endOf;
using peakscope::test::kCli;
using peakscope::test::ownWorkers;
using peakscope::test::Said;
using peakscope::test::say;

namespace {

Json budgeted()
{
    return Json::parse(R"({"kind": "memory", "model": {"family": "plain", "hidden": 32, "layers": 1, "heads": 2,
        "vocab": 256, "max_positions": 256}, "data": {"batch": 2, "seq": 16}, "device": "cpu", "threads": 1,
        "budget_bytes": 1500000, "training": {"steps": 2, "warmup_steps": 0}})");
}

QString settled(const QString& folder)
{
    const auto text = readTextFile(QDir(folder).filePath("sweep.json").toStdString());
    const auto json = text ? parseJson(*text) : Result<Json>(text.error());
    return json ? QString::fromStdString(withoutTimes(*json).dump(1)) : QString();
}

bool filesAreThere(const QString& folder)
{
    const auto sweep = loadSweep(QDir(folder).filePath("sweep.json").toStdString());
    return sweep && std::all_of(sweep->points.begin(), sweep->points.end(), [&](const SweepPoint& point) {
               return !point.measured || QFile::exists(QDir(folder).filePath(QString::fromStdString(point.file)));
           });
}

std::size_t finishedPoints(const QString& folder)
{
    const auto sweep = loadSweep(QDir(folder).filePath("sweep.json").toStdString());
    return sweep ? sweep->finished() : 0;
}

// The process of one of `candidates` (a process itself, or one below it) that has a point just now; 0: none.
pid_t holderAmong(const QString& folder, const std::vector<pid_t>& candidates, std::size_t points)
{
    const SweepFolder look(folder.toStdString(), "", "", std::chrono::hours(1));
    for (std::size_t i = 0; i < points; ++i) {
        const auto holder = look.holder(i);
        const auto process = holder ? static_cast<pid_t>(holder->process) : 0;
        if (holder && !holder->released && std::find(candidates.begin(), candidates.end(), process) != candidates.end())
            return process;
    }
    return 0;
}

} // namespace

class TestSweepCluster : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void workers_data();
    void workers();
    void predictedInAnyOrder();
    void slurmArray();
    void underMpirun();
    void throughSsh();
    void badLines_data();
    void badLines();
    void folderOfAnotherSweep();

private:
    QString write(const QString& name, const Json& json);
    QString path(const QString& name) const { return m_folder.filePath(name); }
    static constexpr std::size_t kPoints = 6;
    QTemporaryDir m_folder;
    QString m_sweep, m_whole; // the file, and the document of one process
};

QString TestSweepCluster::write(const QString& name, const Json& json)
{
    return writeFileAtomically(path(name).toStdString(), json.dump()) ? path(name) : QString();
}

void TestSweepCluster::initTestCase()
{
    QVERIFY(m_folder.isValid());
    if (!QFile::exists(kCli))
        QSKIP("this build has no peakscope-cli");
    startWarmEngine(); // for the points
    qputenv("PEAKSCOPE_MPI_MODULE", PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so");
    m_sweep = write("s.json", {{"base", budgeted()},
                               {"grid", {{"data.seq", {16, 32, 256}}, {"training.clipping", {"none", "flash"}}}}});
    const Said ran = say({"sweep", m_sweep, "--out", path("whole")});
    QVERIFY2(ran.status == 0, qPrintable(ran.error));
    m_whole = settled(path("whole"));
    QVERIFY(m_whole.contains("over_budget") && m_whole.contains("\"complete\""));
    QVERIFY(!QFile::exists(path("whole/.sweep"))); // nothing is left that only processes need
}

void TestSweepCluster::workers_data()
{
    QTest::addColumn<QString>("victim");
    QTest::newRow("undisturbed") << "";
    QTest::newRow("a member is killed with a point") << "member";
    QTest::newRow("the worker of a point is killed") << "worker";
}

void TestSweepCluster::workers()
{
    QFETCH(QString, victim);
    const QString out = path("workers-" + victim);
    QProcess process;
    process.setProcessEnvironment(ownWorkers());
    process.start(kCli, {"sweep", m_sweep, "--out", out, "--workers", "3"});
    QVERIFY(process.waitForStarted());
    const auto first = static_cast<pid_t>(process.processId());
    pid_t killed = victim.isEmpty() ? -1 : 0;
    while (killed == 0 && process.state() == QProcess::Running) {
        process.waitForFinished(5);
        killed = holderAmong(out, childrenOf(first), kPoints);
        if (killed > 0 && victim == "worker") {
            const std::vector<pid_t> below = childrenOf(killed);
            killed = below.empty() ? 0 : below.front();
        }
        if (killed > 0)
            QCOMPARE(::kill(killed, SIGKILL), 0);
    }
    QVERIFY(killed != 0);
    const Said ran = endOf(process);
    QVERIFY2(ran.status == 0, qPrintable(ran.error + ran.out));
    QVERIFY2(ran.out.startsWith("6 points: "), qPrintable(ran.out));
    QCOMPARE(ran.error, QString());
    QCOMPARE(settled(out), m_whole);
    QVERIFY(filesAreThere(out));
    QVERIFY(!QFile::exists(out + "/.sweep"));
}

// Whether a point is run or proven over the budget by others does not hang on who was faster.
void TestSweepCluster::predictedInAnyOrder()
{
    Json base = budgeted();
    base["budget_bytes"] = 300'000;
    const QString file =
        write("p.json", {{"base", base}, {"grid", {{"data.seq", {64, 128, 192, 256}}}}, {"over_budget", "predict"}});
    QCOMPARE(say({"sweep", file, "--out", path("p-one")}).status, 0);
    QVERIFY(settled(path("p-one")).contains("not run: "));
    QCOMPARE(say({"sweep", file, "--out", path("p-many"), "--workers", "3"}).status, 0);
    QCOMPARE(settled(path("p-many")), settled(path("p-one")));
    // A point asked for alone brings along those that it is judged by.
    QCOMPARE(say({"sweep", file, "--out", path("p-array"), "--point", "4"}).status, 0);
    QCOMPARE(say({"sweep", file, "--out", path("p-array"), "--point", "1-3"}).status, 0);
    QCOMPARE(settled(path("p-array")), settled(path("p-one")));
}

void TestSweepCluster::slurmArray()
{
    const QString script = path("array.sh"), out = path("array");
    const Said wrote = say({"sweep", m_sweep, "--out", out, "--slurm-array", script, "--workers", "2"});
    QVERIFY2(wrote.status == 0, qPrintable(wrote.error));
    const auto text = readTextFile(script.toStdString());
    QVERIFY2(text && text->find("#SBATCH --array=1-6%2\n") != std::string::npos, text->c_str());
    std::vector<int> tasks{1, 2, 3, 4, 5, 6, 3};
    std::shuffle(tasks.begin(), tasks.end(), std::mt19937(7));
    const auto start = [&](QProcess& process, int task,
                           QProcessEnvironment environment = QProcessEnvironment::systemEnvironment()) {
        environment.insert(QStringLiteral("SLURM_ARRAY_TASK_ID"), QString::number(task));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("/bin/bash"), {script});
    };
    { // one is lost in mid-point
        QProcess lost;
        start(lost, 3, ownWorkers());
        while (lost.state() != QProcess::NotRunning &&
               holderAmong(out, {static_cast<pid_t>(lost.processId())}, kPoints) == 0)
            lost.waitForFinished(5);
        lost.kill();
        QVERIFY(lost.waitForFinished());
        QCOMPARE(finishedPoints(out), std::size_t{0});
    }
    for (std::size_t i = 0; i < tasks.size(); i += 2) {
        QProcess one, other;
        start(one, tasks[i]);
        if (i + 1 < tasks.size())
            start(other, tasks[i + 1]);
        const Said first = endOf(one);
        QVERIFY2(first.status == 0, qPrintable(first.error));
        if (i + 1 < tasks.size())
            QCOMPARE(endOf(other).status, 0);
    }
    QCOMPARE(settled(out), m_whole);
    QVERIFY(filesAreThere(out));
    // Nothing is left to be sent in, and the folder is tidied by whoever goes on alone.
    QFile::remove(script);
    const Said nothing = say({"sweep", m_sweep, "--out", out, "--slurm-array", script, "--resume"});
    QVERIFY2(nothing.status == 0 && !QFile::exists(script), qPrintable(nothing.out));
    const Said last = say({"sweep", m_sweep, "--out", out, "--resume"});
    QVERIFY2(last.status == 0 && last.out.startsWith("6 of 6 points were there already"), qPrintable(last.out));
    QCOMPARE(settled(out), m_whole);
    QVERIFY(!QFile::exists(out + "/.sweep"));
}

// The processes that a launcher started share the points, and points of several ranks start theirs; one is killed.
void TestSweepCluster::underMpirun()
{
    if (!hasMpirun() || !QFile::exists(PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so"))
        QSKIP("mpirun or the MPI module is not there (openmpi-bin, libopenmpi-dev)");
    Json base = budgeted();
    base.erase("budget_bytes");
    const QString file = write("r.json", {{"base", base}, {"grid", {{"data.seq", {16, 32}}, {"ranks", {1, 2}}}}});
    QCOMPARE(say({"sweep", file, "--out", path("r-one")}).status, 0);
    const QString out = path("r-many");
    qputenv("OMPI_ALLOW_RUN_AS_ROOT", "1");
    qputenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    QProcess process;
    process.setProcessEnvironment(ownWorkers());
    process.start("mpirun", {"-n", "3", "--oversubscribe", "--bind-to", "none", "--enable-recovery", kCli, "sweep",
                             file, "--out", out});
    QVERIFY(process.waitForStarted());
    pid_t killed = 0;
    while (killed == 0 && process.state() == QProcess::Running) {
        process.waitForFinished(5);
        std::vector<pid_t> others;
        for (const pid_t child : childrenOf(static_cast<pid_t>(process.processId()))) {
            if (rankOfProcess(child) > 0)
                others.push_back(child);
        }
        killed = holderAmong(out, others, 4);
    }
    QVERIFY(killed > 0 && ::kill(killed, SIGKILL) == 0);
    const Said ran = endOf(process);
    QVERIFY2(ran.out.contains("4 points: 4 measured"), qPrintable(ran.out + ran.error));
    QCOMPARE(ran.out.count("4 points: "), 1); // said once, by the first of them
    QCOMPARE(settled(out), settled(path("r-one")));
    QVERIFY(filesAreThere(out));
}

// Points go to the machines that ssh reaches; one that it reaches no longer leaves its point to the others. (The ssh
// here is a script: it runs the command on this machine, or finds no route.)
void TestSweepCluster::throughSsh()
{
    QVERIFY(QDir().mkpath(path("ssh-bin")));
    const std::string script =
        "#!/bin/sh\n"
        "while [ \"$1\" != \"${1#-}\" ]; do [ \"$1\" = -o ] && shift; shift; done\n"
        "host=$1; shift\n"
        "[ $host = cut ] && { sleep 0.2; echo 'ssh: No route to host' >&2; exit 255; }\n"
        "[ $host = late ] && mkdir \"$0.late.$PPID\" 2>/dev/null && sleep 1\n" // with its first point of a sweep
        "[ $host = mute ] && exit 126\n"
        "[ $host = bare ] && PATH=/usr/bin:/bin exec \"${0%ssh}alone/peakscope-cli\" worker\n"
        // sed would wait for the input's end, which comes once this script is gone.
        "[ $host = cpu ] && { mkfifo \"$0.$$\"; exec 3<&0\n"
        "  sed -u 's/\"device\":\"cpu\"/\"device\":\"cuda:77\"/' <&3 >\"$0.$$\" &\n"
        "  \"$@\" <\"$0.$$\"; status=$?; kill $! 2>/dev/null; exit $status; }\n"
        // Once, its worker is lost after its first word.
        "[ $host = full ] && mkdir \"$0.full\" 2>/dev/null && { \"$@\" | head -n 1; exit 255; }\n"
        "exec \"$@\"\n";
    QVERIFY(writeFileAtomically(path("ssh-bin/ssh").toStdString(), script));
    QVERIFY(QFile::setPermissions(path("ssh-bin/ssh"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    const QByteArray before = qgetenv("PATH");
    qputenv("PATH", path("ssh-bin").toUtf8() + ":" PEAKSCOPE_BINARY_DIR ":" + before);
    const Said ran = say({"sweep", m_sweep, "--out", path("ssh"), "--hosts", "a,cut,b"});
    const Said nowhere = say({"sweep", m_sweep, "--out", path("ssh-cut"), "--hosts", "cut,cut"});
    const Said last = say({"sweep", m_sweep, "--out", path("ssh-cut"), "--resume", "--hosts", "b"});
    const Said late = say({"sweep", m_sweep, "--out", path("ssh-late"), "--hosts", "cut,cut,cut,late"});
    const Said full = say({"sweep", m_sweep, "--out", path("ssh-full"), "--hosts", "full"});
    // Machines that answer at once, and can run nothing: without a right, without the engine, without the device.
    QVERIFY(QDir().mkpath(path("ssh-bin/alone")));
    QVERIFY(QFile::copy(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli"), path("ssh-bin/alone/peakscope-cli")));
    const Said lacking = say({"sweep", m_sweep, "--out", path("ssh-lacking"), "--hosts", "mute,bare,cpu,late"});
    const QString ranks = write("r.json", {{"base", budgeted()}, {"grid", {{"ranks", {1, 2}}}}});
    const Said several = say({"sweep", ranks, "--out", path("ssh-ranks"), "--hosts", "a"});
    qputenv("PATH", before);
    QVERIFY2(ran.status == 0, qPrintable(ran.error));
    QCOMPARE(settled(path("ssh")), m_whole);
    // Points that no host could begin are none of theirs; a worker that is lost takes no host with it.
    QVERIFY2(late.status == 0, qPrintable(late.error));
    QCOMPARE(settled(path("ssh-late")), m_whole);
    QVERIFY2(lacking.status == 0, qPrintable(lacking.error));
    QCOMPARE(settled(path("ssh-lacking")), m_whole);
    for (const char* said : {"mute: ", "bare: worker needs the engine", "cpu: device: cuda:77"})
        QVERIFY2(lacking.error.contains(said), qPrintable(lacking.error));
    QVERIFY2(full.status == 0, qPrintable(full.error));
    QVERIFY(QFile::exists(path("ssh-bin/ssh.full")));
    QCOMPARE(settled(path("ssh-full")), m_whole);
    QCOMPARE(several.status, 2);
    QVERIFY2(several.error.contains("points of several ranks") && several.error.count(u'\n') == 1,
             qPrintable(several.error));
    QVERIFY2(ran.error.startsWith("peakscope-cli: cut: ") && ran.error.contains("No route to host") &&
                 ran.error.count(u'\n') == 1,
             qPrintable(ran.error));
    QCOMPARE(nowhere.status, 1);
    QVERIFY2(nowhere.error.trimmed().section(u'\n', -1).startsWith("peakscope-cli: --hosts: no host is left; 6 points"),
             qPrintable(nowhere.error));
    QVERIFY2(last.status == 0, qPrintable(last.error));
    QCOMPARE(settled(path("ssh-cut")), m_whole);
}

void TestSweepCluster::badLines_data()
{
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QString>("says");
    QTest::newRow("a point too far") << QStringList{"--point", "7"} << "1 to 6";
    QTest::newRow("point zero") << QStringList{"--point", "0"} << "1 to 6";
    QTest::newRow("a range backwards") << QStringList{"--point", "4-2"} << "1 to 6";
    QTest::newRow("no number") << QStringList{"--point", "two"} << "a point's number is needed";
    QTest::newRow("half a range") << QStringList{"--point", "2-"} << "a point's number is needed";
    QTest::newRow("array and point") << QStringList{"--slurm-array", "a.sh", "--point", "1"} << "--point";
    QTest::newRow("array and hosts") << QStringList{"--slurm-array", "a.sh", "--hosts", "a"} << "--hosts";
    QTest::newRow("workers and hosts") << QStringList{"--workers", "2", "--hosts", "a,b"} << "--hosts";
    QTest::newRow("an option for a host") << QStringList{"--hosts", "-oProxyCommand=x"} << "names of machines";
    QTest::newRow("no workers") << QStringList{"--workers", "0"} << "--workers";
    QTest::newRow("no point named") << QStringList{"--point", ""} << "must not be empty";
    QTest::newRow("a script nowhere") << QStringList{"--slurm-array", "/nowhere/at/all.sh"} << "/nowhere/at";
}

void TestSweepCluster::badLines()
{
    QFETCH(QStringList, more);
    const Said ran = say(QStringList{"sweep", m_sweep, "--out", path("bad")} + more);
    QCOMPARE(ran.status, 2);
    QCOMPARE(ran.error.trimmed().count(u'\n'), 0);
    QFETCH(QString, says);
    QVERIFY2(ran.error.contains(says), qPrintable(ran.error));
    QVERIFY(!QFile::exists(path("bad/sweep.json")));
}

void TestSweepCluster::folderOfAnotherSweep()
{
    const QString other = write("o.json", {{"base", budgeted()}, {"grid", {{"data.seq", {16}}}}});
    const Said wrong = say({"sweep", other, "--out", path("whole"), "--point", "1"});
    QCOMPARE(wrong.status, 2);
    QVERIFY2(wrong.error.contains("is of another sweep"), qPrintable(wrong.error));
    const Said script = say({"sweep", other, "--out", path("whole"), "--slurm-array", path("other.sh")});
    QCOMPARE(script.status, 2);
    QVERIFY2(script.error.contains("is of another sweep"), qPrintable(script.error));
    QVERIFY(!QFile::exists(path("other.sh")));
}

PEAKSCOPE_GUILESS_TEST(TestSweepCluster)
#include "test_sweep_cluster.moc"
