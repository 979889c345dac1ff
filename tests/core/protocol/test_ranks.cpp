// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks that run together: what launchers say of them, how their ends become one, and, where mpirun is installed, real
// groups of processes that add numbers, are cancelled and killed.
#include "core/protocol/last_words.h"
#include "core/protocol/launcher.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"
#include "core/ranks/end_merge.h"
#include "core/ranks/launch_environment.h"
#include "tests/engine/checks/ranks/rank_processes.h"
#include "tests/test_room.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace peakscope;

namespace {

using Milliseconds = std::chrono::milliseconds;

struct ProbeRun {
    RunResult result;
    WorkerEnd end;
    int ends = 0; // end events
    bool started = false;
    qint64 milliseconds = 0;
};

using Words = std::vector<std::string>;

// The probe as a worker of `ranks` processes; `onEvent` hears every event. No words: started as Peakscope does it.
ProbeRun runProbe(const char* what, int ranks, const std::function<void(const Event&)>& onEvent = {},
                  const std::optional<Words>& launcher = std::nullopt)
{
    qputenv("PEAKSCOPE_PROBE", what);
    Experiment experiment;
    experiment.ranks = ranks;
    experiment.document = {{"ranks", ranks}};
    experiment.launcher = launcher ? *launcher : quickLauncher(ranks);
    ProbeRun run;
    ResultAssembler assembler;
    QElapsedTimer timer;
    timer.start();
    const auto end = runWorker(experiment, [&](const Event& event, std::string_view) {
        assembler.add(event);
        run.ends += std::holds_alternative<EndEvent>(event);
        if (onEvent)
            onEvent(event);
    });
    run.milliseconds = timer.elapsed();
    if (!end)
        return run;
    run.end = *end;
    if (!assembler.ended())
        assembler.workerGone(end->sentence(), end->death);
    run.started = assembler.started();
    run.result = assembler.result();
    return run;
}

QString text(const std::string& some)
{
    return QString::fromStdString(some);
}

RankEnd endOf(RunStatus status, const std::string& message, bool consequence, int order)
{
    return {{status, message, {}, false}, consequence, order};
}

Event ofRank(int rank, Event event)
{
    event.rank = rank;
    return event;
}

StartEvent startOf(const char* host)
{
    StartEvent start;
    start.id = "run";
    start.config = {{"kind", "memory"}};
    start.environment = {{"host", host}, {"device", "cpu"}};
    return start;
}

} // namespace

class TestRanks : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void environments_data();
    void environments();
    void deaths_data();
    void deaths();
    void deathsByExitCode();
    void oneEndOfMany_data();
    void oneEndOfMany();
    void sectionsOfRanks();
    void deadRankZero();
    void presetWords();
    void collectives_data();
    void collectives();
    void eventsOfAll();
    void failingRank();
    void cancelled();
    void silentRank();
    void slowReader();
    void missingRank_data();
    void missingRank();
    void killedRanks();
    void launcherThatStays();
    void missingMpirun();
};

#define NEEDS_RANKS                                                                                                    \
    if (!canStartRanks(PEAKSCOPE_BINARY_DIR))                                                                          \
    QSKIP(kNoRanks)

void TestRanks::initTestCase()
{
    qputenv("PEAKSCOPE_CLI", PEAKSCOPE_BINARY_DIR "/peakscope_rank_probe");
    qputenv("PEAKSCOPE_RANK_TIMEOUT", "10");
}

void TestRanks::environments_data()
{
    QTest::addColumn<QString>("variables");
    QTest::addColumn<bool>("joins");
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("rank");
    QTest::addColumn<QString>("problem");
    QTest::addColumn<bool>("store");
    const auto row = [](const char* name, const QString& variables, int size, int rank, const char* problem = "") {
        QTest::newRow(name) << variables << (*problem == '\0') << size << rank << problem << (*problem == '\0');
    };
    const QString place = "MASTER_ADDR=n1 MASTER_PORT=29500 ";
    row("torchrun", place + "RANK=3 LOCAL_RANK=1 WORLD_SIZE=4", 4, 3);
    row("torchrun that srun started", place + "RANK=3 WORLD_SIZE=4 TORCHELASTIC_RUN_ID=7 PMIX_RANK=1 SLURM_PROCID=1", 4,
        3);
    row("torchrun, no number", place + "RANK=1 WORLD_SIZE=two", 0, 1, "WORLD_SIZE is \"two\", which is not a number");
    row("torchrun, a rank too many", place + "RANK=2 WORLD_SIZE=2", 2, 2, "RANK is \"2\"");
    row("torchrun, no port", "MASTER_ADDR=n1 MASTER_PORT=a RANK=1 WORLD_SIZE=2", 2, 1, "MASTER_PORT is \"a\"");

    QTest::newRow("no launcher") << "" << false << 0 << 0 << "" << false;
    QTest::newRow("mpirun") << "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 PMIX_RANK=3" << true << 4 << 3 << ""
                            << false;
    QTest::newRow("mpirun of one") << "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0" << true << 1 << 0 << "" << false;
    QTest::newRow("srun with PMIx") << "SLURM_JOB_ID=7 SLURM_STEP_NUM_TASKS=2 SLURM_NTASKS=2 SLURM_PROCID=1 PMIX_RANK=1"
                                    << true << 2 << 1 << "" << false;
    QTest::newRow("srun without") << "SLURM_JOB_ID=7 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4 SLURM_PROCID=2" << false << 4
                                  << 2 << "srun --mpi=pmix" << false;
    QTest::newRow("tasks without a job") << "SLURM_NTASKS=4 SLURM_PROCID=0" << false << 4 << 0 << "srun --mpi=pmix"
                                         << false;
    QTest::newRow("one task") << "SLURM_NTASKS=1 SLURM_PROCID=0" << false << 1 << 0 << "" << false;
    QTest::newRow("a batch script of a job for many")
        << "SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_PROCID=0" << false << 0 << 0 << "" << false;
    QTest::newRow("anybody's") << "RANK=1 WORLD_SIZE=2" << false << 0 << 0 << "" << false;
    QTest::newRow("mpirun of a script that tells torch")
        << "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3 MASTER_ADDR=n1 MASTER_PORT=1 RANK=3 WORLD_SIZE=4" << true << 4
        << 3 << "" << false;
    QTest::newRow("nonsense") << "OMPI_COMM_WORLD_SIZE=many" << false << 0 << 0 << "" << false;
}

void TestRanks::environments()
{
    QFETCH(QString, variables);
    std::map<std::string, std::string> set;
    for (const QString& one : variables.split(u' ', Qt::SkipEmptyParts))
        set[one.section(u'=', 0, 0).toStdString()] = one.section(u'=', 1).toStdString();
    const LaunchEnvironment found = launchEnvironment([&](const char* name) -> const char* {
        const auto at = set.find(name);
        return at == set.end() ? nullptr : at->second.c_str();
    });
    QTEST(found.joins, "joins");
    QTEST(found.size, "size");
    QTEST(found.rank, "rank");
    QTEST(found.store, "store");
    QFETCH(QString, problem);
    QCOMPARE(found.problem.empty(), problem.isEmpty());
    QVERIFY2(text(found.problem).contains(problem), found.problem.c_str());
}

void TestRanks::deaths_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("rank"); // -1: nothing
    QTest::addColumn<int>("signal");
    QTest::newRow("mpirun") << "mpirun noticed that process rank 2 with PID 0 on node vm exited on signal 9 (Killed)."
                            << 2 << 9;
    QTest::newRow("prterun") << "prterun noticed that process rank 11 with PID 5 on node n1 exited on signal 11" << 11
                             << 11;
    QTest::newRow("srun") << "srun: error: node7: task 3: Killed" << 3 << 9;
    QTest::newRow("srun, a crash") << "srun: error: node7: task 0: Segmentation fault (core dumped)" << 0 << 11;
    QTest::newRow("torchrun")
        << "E1130 06:20:01 7 torch/distributed/elastic/multiprocessing/api.py:984] failed (exitcode: "
           "-9) local_rank: 1 (pid: 12) of binary: peakscope-cli"
        << 1 << 9;
    QTest::newRow("torchrun, an exit status") << "failed (exitcode: 1) local_rank: 1 (pid: 12) of binary: x" << -1 << 0;
    QTest::newRow("srun, another error") << "srun: error: Unable to allocate resources" << -1 << 0;
    QTest::newRow("an exit status") << "srun: error: node7: task 3: Exited with exit code 1" << -1 << 0;
    QTest::newRow("mpirun, no number") << "process rank many exited on signal 9" << -1 << 0;
    QTest::newRow("anything") << "rank 3 is not amused" << -1 << 0;
    QTest::newRow("nothing") << "" << -1 << 0;
}

// In two lines: Open MPI's words on a process that ended before it had joined.
void TestRanks::deathsByExitCode()
{
    const auto deathAfter = [](const char* code) {
        LastWords words;
        for (const char* line :
             {"mpirun detected that one or more processes exited with non-zero status, thus causing",
              "the job to be terminated. The first process to do so was:", "", "  Process name: [[50533,1],3]", code})
            words.take(line);
        return words.death();
    };
    const auto killed = deathAfter("  Exit code:    137");
    QVERIFY(killed && killed->rank == 3 && killed->signal == SIGKILL);
    QVERIFY(!deathAfter("  Exit code:    1")); // it said why by itself
    QVERIFY(!deathAfter("  Exit code:    many"));
}

void TestRanks::deaths()
{
    QFETCH(QString, line);
    QFETCH(int, rank);
    const auto death = rankDeathOf(line.toStdString());
    QCOMPARE(death.has_value(), rank >= 0);
    if (death) {
        QCOMPARE(death->rank, rank);
        QTEST(death->signal, "signal");
    }
}

void TestRanks::oneEndOfMany_data()
{
    QTest::addColumn<RankEnds>("ends");
    QTest::addColumn<QString>("status");
    QTest::addColumn<QString>("message");
    const RankEnd good = endOf(RunStatus::Complete, "", false, 0);
    const RankEnd over = endOf(RunStatus::OverBudget, "over budget: x", false, 1);
    const RankEnd later = endOf(RunStatus::Failed, "another reason", false, 2);
    const RankEnd told = endOf(RunStatus::Failed, "rank 1: over budget: x", true, 0);
    const RankEnd cancelled = endOf(RunStatus::Interrupted, "cancelled in phase forward", true, 0);

    QTest::newRow("all complete") << RankEnds{{good, good}, "", false} << "complete"
                                  << "";
    QTest::newRow("one failed, the others because of it") << RankEnds{{told, over, told}, "", false} << "over_budget"
                                                          << "rank 1: over budget: x";
    QTest::newRow("the first of two that failed") << RankEnds{{later, over}, "", false} << "over_budget"
                                                  << "rank 1: over budget: x";
    QTest::newRow("all for one reason") << RankEnds{{over, over}, "", false} << "over_budget"
                                        << "over budget: x";
    QTest::newRow("one died") << RankEnds{{told, std::nullopt}, "rank 1 died in phase forward", false} << "failed"
                              << "rank 1 died in phase forward";
    QTest::newRow("cancelled") << RankEnds{{cancelled, cancelled}, "", true} << "interrupted"
                               << "cancelled in phase forward";
    QTest::newRow("cancelled when rank 0 was through") << RankEnds{{good, cancelled}, "", true} << "interrupted"
                                                       << "cancelled in phase forward";
    QTest::newRow("one never told") << RankEnds{{good, std::nullopt}, "", false} << "failed"
                                    << "rank 1 did not report how it ended";
    QTest::newRow("cancelled, one never told") << RankEnds{{std::nullopt, std::nullopt}, "", true} << "interrupted"
                                               << "rank 0 did not report how it ended";
}

void TestRanks::oneEndOfMany()
{
    QFETCH(RankEnds, ends);
    const EndEvent end = mergedEnd(ends);
    QTEST(text(std::string(name(end.status))), "status");
    QTEST(text(end.message), "message");
}

// Memory, times and ends of two ranks, told in turns.
void TestRanks::sectionsOfRanks()
{
    ResultAssembler assembler;
    const auto add = [&](int rank, Event event) {
        const auto read = EventReader().read(toLine(ofRank(rank, std::move(event))));
        QVERIFY(read.ok());
        QCOMPARE(read->rank, rank);
        assembler.add(*read);
    };
    const std::vector<Component> parameters{Component::Parameters, Component::Parameters};
    add(1, startOf("second"));
    add(0, startOf("first"));
    add(0, PhaseEvent{Phase::Forward, 0, 0.1});
    add(0, MemoryEvent{{0.1, 0.2}, {100, -50}, parameters, 50, 50, 7});
    add(0, EstimateEvent{"trace", 3.0, 0.5, 8});
    add(1, EstimateEvent{"trace", 4.0, 0.4, 9}); // the same value, told once
    add(1, MemoryEvent{{0.1, 0.2}, {300, -300}, parameters, 0, 0, 9});
    add(0,
        StageEvent{"training", {{"loss", 2.5}, {"timing", {{"step_seconds", {0.5}}, {"median_step_seconds", 0.5}}}}});
    add(1,
        StageEvent{"training", {{"loss", 9.0}, {"timing", {{"step_seconds", {0.7}}, {"median_step_seconds", 0.7}}}}});
    const RunResult early = assembler.result();
    QCOMPARE(early.ranks.size(), std::size_t{2});
    QCOMPARE(early.ranks[0].memory->peakBytes, 100);
    QCOMPARE(early.ranks[1].memory->peakBytes, 300);
    QCOMPARE(early.memory->peakBytes, 300);
    QCOMPARE(early.loss.value(), 2.5);
    QCOMPARE(early.timing->medianStepSeconds, 0.5);
    QCOMPARE(early.ranks[1].timing->medianStepSeconds, 0.7);
    QCOMPARE(text(early.ranks[1].host), QStringLiteral("second"));

    RunResult told;
    told.memory = early.ranks[0].memory;
    told.memory->peakReservedBytes = 4242;
    add(0, StageEvent{"memory", {{"memory", toJson(*told.memory)}}});
    add(1, StageEvent{"rank_end", {{"rank_end", {{"status", "over_budget"}, {"message", "too much"}}}}});
    assembler.add(ofRank(0, EndEvent{RunStatus::OverBudget, "rank 1: too much", {}, false}));
    const RunResult result = assembler.result();
    QCOMPARE(result.other["estimates"]["trace"]["time_seconds"].dump(), std::string("[0.2]"));
    QCOMPARE(result.status, RunStatus::OverBudget);
    QCOMPARE(result.ranks[0].memory->peakReservedBytes, 4242);
    QCOMPARE(result.ranks[0].timing->stepSeconds, std::vector<double>{0.5}); // of an earlier stage
    QCOMPARE(result.ranks[0].status, RunStatus::Complete);
    QCOMPARE(result.ranks[1].status, RunStatus::OverBudget);
    QCOMPARE(text(result.ranks[1].message), QStringLiteral("too much"));
    QVERIFY(text(nlohmann::json(result.notes).dump()).contains(QStringLiteral("memory: that of rank 1")));
    const auto again = runResultFromJson(toJson(result));
    QVERIFY(again.ok());
    QCOMPARE(again->ranks.size(), std::size_t{2});
}

void TestRanks::deadRankZero()
{
    ResultAssembler assembler;
    assembler.add(ofRank(0, startOf("first")));
    assembler.add(ofRank(0, PhaseEvent{Phase::Backward, 3, 0.5}));
    assembler.add(ofRank(1, MemoryEvent{{0.1}, {300}, {Component::Parameters}, 300, 300, 9}));
    assembler.workerGone("the launcher mpirun left", RankDeath{0, 9});
    const RunResult result = assembler.result();
    QCOMPARE(result.status, RunStatus::Interrupted);
    QCOMPARE(text(result.message), QStringLiteral("rank 0 (host first) died (signal 9) in phase backward of step 3"));
    QCOMPARE(result.memory->peakBytes, 300);
    QCOMPARE(result.ranks[0].status, RunStatus::Failed);
    QCOMPARE(result.ranks[1].status, RunStatus::Interrupted);

    ResultAssembler nothing;
    nothing.workerGone("", RankDeath{1, 0});
    QCOMPARE(text(nothing.result().message), QStringLiteral("rank 1 died before the run began"));
}

void TestRanks::presetWords()
{
    const auto words = workerWords({}, "/opt/bin/peakscope-cli", 3);
    QCOMPARE(text(words.front()), QStringLiteral("mpirun"));
    QCOMPARE(text(words[2]), QStringLiteral("3"));
    QCOMPARE(text(words.back()), QStringLiteral("worker"));
    QCOMPARE(workerVariables(words).empty(), ::geteuid() != 0);
    QCOMPARE(workerWords({}, "/opt/bin/peakscope-cli", 1).size(), std::size_t{2});
    QCOMPARE(text(workerWords({"srun", "--mpi=pmix"}, "p", 3).front()), QStringLiteral("srun"));
    QVERIFY(workerVariables({"srun", "p", "worker"}).empty());
}

void TestRanks::collectives_data()
{
    QTest::addColumn<int>("ranks");
    QTest::addColumn<QByteArray>("what");
    for (const int ranks : {1, 2, 3, 4})
        QTest::addRow("%d ranks, one chunk", ranks) << ranks << QByteArray("collectives 4194304");
    QTest::newRow("2 ranks, chunks of a number") << 2 << QByteArray("collectives 8");
    QTest::newRow("3 ranks, odd chunks") << 3 << QByteArray("collectives 100");
}

void TestRanks::collectives()
{
    NEEDS_RANKS;
    QFETCH(int, ranks);
    QFETCH(QByteArray, what);
    const ProbeRun run = runProbe(what, ranks);
    QVERIFY2(run.result.status == RunStatus::Complete, run.result.message.c_str());
    QCOMPARE(run.ends, 1);
    QCOMPARE(run.end.exitCode, 0);
}

void TestRanks::eventsOfAll()
{
    NEEDS_RANKS;
    std::vector<int> phases(3);
    bool last = false;
    const ProbeRun run = runProbe("work 0.5", 3, [&](const Event& event) {
        if (std::holds_alternative<PhaseEvent>(event))
            ++phases[static_cast<std::size_t>(event.rank)];
        last = std::holds_alternative<EndEvent>(event);
    });
    QCOMPARE(run.result.status, RunStatus::Complete);
    QVERIFY(last);
    QVERIFY(phases[0] > 0);
    QCOMPARE(phases[1], phases[0]);
    QCOMPARE(phases[2], phases[0]);
    QCOMPARE(run.result.ranks.size(), std::size_t{3});
    QCOMPARE(run.result.environment["ranks"].get<int>(), 3);
    QCOMPARE(run.result.environment["hosts"].size(), std::size_t{3});
}

void TestRanks::failingRank()
{
    NEEDS_RANKS;
    for (const int failing : {0, 2}) {
        const QByteArray what = "fail " + QByteArray::number(failing);
        const ProbeRun run = runProbe(what.constData(), 3);
        QCOMPARE(run.result.status, RunStatus::OverBudget);
        QCOMPARE(text(run.result.message), QStringLiteral("rank %1: over budget: made up").arg(failing));
        QCOMPARE(run.ends, 1);
        QCOMPARE(run.end.exitCode, 3);
        QCOMPARE(run.result.ranks[static_cast<std::size_t>(failing)].status, RunStatus::OverBudget);
        QVERIFY(run.milliseconds < 15'000);
    }
}

void TestRanks::cancelled()
{
    NEEDS_RANKS;
    std::atomic<bool> asked{false};
    const ProbeRun run = runProbe("work 60", 3, [&](const Event& event) {
        const auto* phase = std::get_if<PhaseEvent>(&event);
        if (phase && phase->step == 5 && !asked.exchange(true))
            ::kill(::getpid(), SIGTERM);
    });
    QVERIFY(run.end.cancelled);
    QVERIFY2(run.result.status == RunStatus::Interrupted, run.result.message.c_str());
    QCOMPARE(run.ends, 1);
    QVERIFY(run.milliseconds < 15'000);
}

void TestRanks::silentRank()
{
    NEEDS_RANKS;
    qputenv("PEAKSCOPE_RANK_TIMEOUT", "2");
    std::atomic<bool> asked{false};
    std::atomic<pid_t> still{0};
    const ProbeRun run = runProbe("work 60", 2, [&](const Event& event) {
        const auto* phase = std::get_if<PhaseEvent>(&event);
        if (phase && phase->step == 5 && !asked.exchange(true)) {
            still = processOfRank(1);
            ::kill(still, SIGSTOP);
        }
    });
    qputenv("PEAKSCOPE_RANK_TIMEOUT", "10");
    QVERIFY2(text(run.result.message).startsWith(QStringLiteral("rank 1 (host ")), run.result.message.c_str());
    QVERIFY2(text(run.result.message).contains(QStringLiteral("has been silent for 2 s in phase ")),
             run.result.message.c_str());
    QCOMPARE(run.result.status, RunStatus::Failed);
    QCOMPARE(run.ends, 1);
    QTRY_VERIFY(::kill(still, 0) != 0); // its launcher ended it
}

// Whoever reads the events may take longer over them than the run and the wait for a silent rank together.
void TestRanks::slowReader()
{
    NEEDS_RANKS;
    qputenv("PEAKSCOPE_RANK_TIMEOUT", "1");
    bool waited = false;
    const ProbeRun run = runProbe("work 0.3", 2, [&](const Event& event) {
        const auto* phase = std::get_if<PhaseEvent>(&event);
        if (phase && phase->step == 5 && !std::exchange(waited, true))
            std::this_thread::sleep_for(Milliseconds(2000));
    });
    qputenv("PEAKSCOPE_RANK_TIMEOUT", "10");
    QVERIFY(waited);
    QVERIFY2(run.result.status == RunStatus::Complete, run.result.message.c_str());
    QCOMPARE(run.ends, 1);
    QCOMPARE(run.end.exitCode, 0);
}

void TestRanks::missingRank_data()
{
    QTest::addColumn<QStringList>("launcher");
    QTest::addColumn<QString>("message");
    const QString probe = QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope_rank_probe");
    QTest::newRow("one that leaves before it joins")
        << QStringList{"mpirun", "--oversubscribe", "-n", "1", probe, ":", "-n", "1", "env", "true"}
        << "ranks: the other processes did not join this one within 1 s";
    QTest::newRow("one that cannot join") << QStringList{"mpirun", "--oversubscribe",
                                                         "-n",     "1",
                                                         probe,    ":",
                                                         "-n",     "1",
                                                         "env",    "PEAKSCOPE_MPI_MODULE=/dev/null"}
                                          << "Its last output: ranks: the MPI module cannot be loaded";
    QTest::newRow("one whose program is not there")
        << QStringList{"mpirun", "--oversubscribe", "-n", "1", probe, ":", "-n", "1", "/nowhere/peakscope"}
        << "Its last output: mpirun was unable to launch the specified application as it could not access or execute "
           "an executable: Executable: /nowhere/peakscope";
    QTest::newRow("more than there are slots")
        << QStringList{"mpirun", "-n", "4000"} << "Its last output: There are not enough slots available in the system";
}

// A sentence that says why, soon, and not a rule of dashes.
void TestRanks::missingRank()
{
    NEEDS_RANKS;
    QFETCH(QStringList, launcher);
    QFETCH(QString, message);
    Words words;
    for (const QString& word : launcher)
        words.push_back(word.toStdString());
    // The others are told by mpirun, which may need more than a second.
    qputenv("PEAKSCOPE_JOIN_TIMEOUT", message.contains(QStringLiteral("within 1 s")) ? "1" : "30");
    const ProbeRun run = runProbe("work 60", 0, {}, words);
    qunsetenv("PEAKSCOPE_JOIN_TIMEOUT");
    QVERIFY(!run.started);
    QVERIFY2(text(run.result.message).contains(message), run.result.message.c_str());
    QVERIFY2(!text(run.result.message).contains(QStringLiteral("signal")), run.result.message.c_str());
    QVERIFY(run.milliseconds < 20'000);
}

// $PEAKSCOPE_KILL_TRIES: how often (each takes a second or two; the first, as Peakscope starts ranks, some seven).
void TestRanks::killedRanks()
{
    NEEDS_RANKS;
    const int tries = std::max(4, qEnvironmentVariableIntValue("PEAKSCOPE_KILL_TRIES"));
    std::mt19937 random(20261122);
    for (int one = 0; one < tries; ++one) {
        const int ranks = 2 + one % 3;
        const int victim = one == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(ranks));
        const Milliseconds after(random() % 1500);
        std::atomic<bool> killed{false};
        std::thread killer([&] {
            const pid_t process = processOfRank(victim);
            std::this_thread::sleep_for(after);
            killed = process > 0 && ::kill(process, SIGKILL) == 0;
        });
        const ProbeRun run = runProbe("work 60", ranks, {}, one == 0 ? Words{} : quickLauncher(ranks));
        killer.join();
        const QString message = text(run.result.message);
        const QString what = QStringLiteral("try %1: rank %2 of %3 after %4 ms: %5 (%6 ms)")
                                 .arg(one)
                                 .arg(victim)
                                 .arg(ranks)
                                 .arg(after.count())
                                 .arg(message)
                                 .arg(run.milliseconds);
        qInfo().noquote() << what;
        QVERIFY2(killed, qPrintable(what));
        QVERIFY2(tellsDeath(run.result.message, victim), qPrintable(what));
        QVERIFY2(!message.contains(u'\n'), qPrintable(what));
        QVERIFY2(run.ends <= 1 && run.result.status != RunStatus::Complete, qPrintable(what));
        QVERIFY2(run.milliseconds < 30'000, qPrintable(what));
        if (run.started) {
            QTemporaryDir folder;
            const std::string path = (folder.path() + QStringLiteral("/result.json")).toStdString();
            QVERIFY(saveRunResult(run.result, path).ok());
            QVERIFY2(loadRunResult(path).ok(), qPrintable(what));
        }
    }
}

// mpirun 4.1 now and then tells of a rank's death, waits for a lock and never leaves.
void TestRanks::launcherThatStays()
{
    const ProbeRun run = runProbe("", 2, {},
                                  Words{"sh", "-c",
                                        "echo 'mpirun noticed that process rank 0 with PID 0 on node vm exited on "
                                        "signal 9 (Killed).' >&2; trap '' TERM; exec sleep 300"});
    QCOMPARE(text(run.result.message), QStringLiteral("rank 0 died (signal 9) before the run began"));
    QVERIFY(run.milliseconds < 20'000);
}

void TestRanks::missingMpirun()
{
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    Experiment experiment;
    experiment.ranks = 2;
    const auto end = runWorker(experiment, [](const Event&, std::string_view) {});
    qputenv("PATH", path);
    QVERIFY(end.ok());
    QVERIFY(!end->started);
    QVERIFY2(text(end->sentence()).contains(QStringLiteral("openmpi-bin")), end->sentence().c_str());
}

PEAKSCOPE_GUILESS_TEST(TestRanks)
#include "test_ranks.moc"
