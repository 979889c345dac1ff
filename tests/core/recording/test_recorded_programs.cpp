// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of a real PyTorch ($PEAKSCOPE_DRY_PYTHON) on this machine's processor, and on the stand-in of a card,
// recorded, against what they count themselves.
#include "core/base/file.h"
#include "core/dry/dry_program.h"
#include "core/import/read_any.h"
#include "core/recording/program_recording.h"
#include "core/results/component_reading.h"
#include "tests/core/dry/dry_test_support.h"
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <numeric>

using namespace peakscope;

namespace {

constexpr std::int64_t kScalars = 64; // losses and the seed of a backward pass

struct Ran {
    ProgramEnd end;
    std::optional<RunResult> result;
    std::string problem;
    QByteArray said; // by the program, and on standard error
    QList<ComponentBytes> told; // live, with each batch that was told while it ran
    ComponentBytes ofHistory{}; // at the peak
};

Ran record(std::vector<std::string> command, std::int64_t steps = 0, std::map<std::string, std::string> variables = {},
           const std::string& device = "cpu")
{
    const QTemporaryDir folder;
    const QString said = folder.filePath(QStringLiteral("said"));
    // Its streams are this process's: a shell sends them into a file.
    std::string script = "exec \"$0\" \"$@\" > '" + said.toStdString() + "' 2>&1";
    for (const auto& [name, value] : variables) // without a name: what comes before
        script = (name.empty() ? value : name + "='" + value + "' ") + script;
    command.insert(command.begin(), {"sh", "-c", script});
    RecordedProgram program{command, device, steps};
    Ran ran;
    ComponentBytes live{};
    LiveRecording recording(folder.path().toStdString(),
                            {{},
                             [&](const TimelineData& changes, const ProcessRecording&) {
                                 for (std::size_t i = 0; i < changes.size(); ++i)
                                     live[static_cast<std::size_t>(changes.component[i])] += changes.deltaBytes[i];
                                 ran.told.push_back(live);
                             },
                             {}});
    const auto end = recordProgram(program, folder.path().toStdString(), recording);
    if (!end) {
        ran.problem = end.error().text();
        return ran;
    }
    ran.end = *end;
    auto result = resultOf(program, *end, recording);
    if (result)
        ran.result = std::move(*result);
    else
        ran.problem = result.error().text();
    QFile file(said);
    if (file.open(QIODevice::ReadOnly))
        ran.said = file.readAll();
    return ran;
}

Ran recordText(const char* text, std::int64_t steps = 0, std::map<std::string, std::string> variables = {})
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("train.py")));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
        return {};
    file.close();
    return record({python().toStdString(), file.fileName().toStdString()}, steps, std::move(variables));
}

Ran recordDry(const std::vector<std::string>& command)
{
    const QTemporaryDir folder;
    const QString said = folder.filePath(QStringLiteral("said"));
    DryProgram program{card(), {"sh", "-c", "exec \"$0\" \"$@\" > '" + said.toStdString() + "'"}, 100'000};
    program.command.insert(program.command.end(), command.begin(), command.end());
    program.namesBlocks = true;
    Ran ran;
    const auto end = runDryProgram(program, folder.path().toStdString());
    if (!end) {
        ran.problem = end.error().text();
        return ran;
    }
    ran.end = *end;
    auto recorded = recordedProgram(program, *end, folder.path().toStdString());
    if (recorded)
        ran.result = std::move(recorded->result);
    else
        ran.problem = recorded.error().text();
    // The allocator's history by itself says the same.
    const auto history = recorded ? readAny(recorded->snapshot) : Result<std::vector<RunResult>>(recorded.error());
    if (history && componentDoubt(history->front()) == ComponentDoubt::None)
        ran.ofHistory = history->front().memory->peakComponents;
    QFile file(said);
    if (file.open(QIODevice::ReadOnly))
        ran.said = file.readAll();
    return ran;
}

// What was alive at that time.
ComponentBytes aliveAt(const MemorySection& memory, double seconds)
{
    ComponentBytes live{};
    for (std::size_t i = 0; i < memory.timeline.size() && memory.timeline.timeSeconds[i] <= seconds; ++i)
        live[static_cast<std::size_t>(memory.timeline.component[i])] += memory.timeline.deltaBytes[i];
    return live;
}

std::int64_t bytesOf(const ComponentBytes& bytes, Component component)
{
    return bytes[static_cast<std::size_t>(component)];
}

constexpr const char* kTraining = "import os, signal, torch\n"
                                  "m = torch.nn.Linear(100, 400)\n"
                                  "o = torch.optim.AdamW(m.parameters())\n"
                                  "def step():\n"
                                  "    o.zero_grad(); m(torch.randn(64, 100)).sum().backward(); o.step()\n"
                                  "for i in range(3):\n"
                                  "    step()\n";

} // namespace

class TestRecordedPrograms : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
    }

    void loopsOfManyKinds_data()
    {
        QTest::addColumn<bool>("dry");
        QTest::newRow("on the processor") << false;
        QTest::newRow("on a card that isn't here") << true;
    }
    void loopsOfManyKinds()
    {
        QFETCH(bool, dry);
        const std::string loops = PEAKSCOPE_SOURCE_DIR "/tests/programs/recorded_loops.py";
        const Ran ran = dry ? recordDry({python().toStdString(), loops, "--device", "cuda"})
                            : record({python().toStdString(), loops});
        QVERIFY2(ran.result, ran.problem.c_str());
        QCOMPARE(ran.end.status(), 0);
        QCOMPARE(componentDoubt(*ran.result), ComponentDoubt::None);
        QCOMPARE(ran.result->config["program"]["components"].get<std::string>(), std::string("recorded"));
        const MemorySection& memory = *ran.result->memory;
        std::int64_t live = 0, highest = 0;
        for (const std::int64_t bytes : memory.timeline.deltaBytes) {
            live += bytes;
            QVERIFY(live >= 0);
            highest = std::max(highest, live);
        }
        QCOMPARE(memory.peakBytes, highest);
        QCOMPARE(std::accumulate(memory.peakComponents.begin(), memory.peakComponents.end(), std::int64_t{0}), highest);
        QVERIFY(bytesOf(memory.maxComponents, Component::Other) <= memory.peakBytes / 100);
        QCOMPARE(memory.owners.module.size(), memory.timeline.size());
        std::int64_t bytes = 0, nowhere = 0; // without a line: what threads of an operator take for themselves
        for (std::size_t i = 0; i < memory.timeline.size(); ++i) {
            bytes += std::abs(memory.timeline.deltaBytes[i]);
            nowhere += memory.owners.line[i] == 0 ? std::abs(memory.timeline.deltaBytes[i]) : 0;
        }
        QVERIFY2(nowhere <= bytes / 100, QByteArray::number(qlonglong(nowhere)));
        if (dry) {
            ComponentBytes ofHistory = memory.peakComponents; // whose blocks have their rounding within
            ofHistory[static_cast<std::size_t>(Component::Rounding)] = 0;
            for (std::size_t i = 0; i < kComponentCount; ++i)
                QVERIFY(ran.ofHistory[i] >= ofHistory[i] && (ofHistory[i] > 0 || ran.ofHistory[i] == 0));
            QCOMPARE(std::accumulate(ran.ofHistory.begin(), ran.ofHistory.end(), std::int64_t{0}), memory.peakBytes);
        }
        int count = 0;
        for (const QByteArray& line : ran.said.split('\n')) {
            const QJsonObject said = QJsonDocument::fromJson(line).object();
            if (said.isEmpty())
                continue;
            ++count;
            checkLoop(memory, said);
        }
        QCOMPARE(count, 19);
    }

    // Nothing of it is without a purpose at any time.
    void opacus()
    {
        const Ran ran =
            record({python().toStdString(), PEAKSCOPE_SOURCE_DIR "/tests/programs/recorded_loops.py", "private"});
        if (ran.said.startsWith("no Opacus"))
            QSKIP("no Opacus in this Python");
        QVERIFY2(ran.result, (ran.problem + ran.said.toStdString()).c_str());
        const qsizetype begin = ran.said.indexOf("{\"loop\"");
        QVERIFY2(begin >= 0, ran.said.constData());
        checkLoop(*ran.result->memory, QJsonDocument::fromJson(ran.said.mid(begin).trimmed()).object());
        QCOMPARE(bytesOf(ran.result->memory->maxComponents, Component::Other), 0);
    }

    // Data parallel: each rank's memory, with the buckets of its gradients.
    void ranks()
    {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("train.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("import torch, torch.distributed as dist\n"
                   "dist.init_process_group('gloo')\n"
                   "m = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(500, 400, bias=False))\n"
                   "o = torch.optim.SGD(m.parameters(), lr=0.1)\n"
                   "for i in range(2):\n"
                   "    o.zero_grad(); m(torch.randn(8, 500)).sum().backward(); o.step()\n"
                   "dist.destroy_process_group()\n"
                   // Without the recorder, too, gloo's threads end one Python in twenty as it is taken down.
                   "import os; os._exit(0)\n");
        file.close();
        const Ran ran = record({python().toStdString(), "-m", "torch.distributed.run", "--standalone",
                                "--nproc-per-node", "2", file.fileName().toStdString()});
        QVERIFY2(ran.result, (ran.problem + ran.said.toStdString()).c_str());
        QCOMPARE(ran.end.status(), 0);
        QCOMPARE(ran.result->ranks.size(), std::size_t(2));
        for (const RankSection& rank : ran.result->ranks) {
            QCOMPARE(bytesOf(rank.memory->maxComponents, Component::Parameters), 800'000);
            QCOMPARE(bytesOf(rank.memory->maxComponents, Component::Gradients), 800'000);
            // Its buckets are made anew in the second forward pass, where the parameters are, the batch and what is
            // kept of it.
            QVERIFY(bytesOf(rank.memory->maxComponents, Component::Communication) >= 800'000);
            QVERIFY(bytesOf(rank.memory->maxComponents, Component::Activations) < 20'000);
        }
    }

    // Of two ranks each holds half of everything, to the byte at its last step's end.
    void sharded_data()
    {
        QTest::addColumn<QByteArray>("model");
        const QByteArray first = "from torch.distributed.fsdp import FullyShardedDataParallel as Sharded\n"
                                 "of = {'device_id': torch.device('cpu'), 'use_orig_params': ";
        const QByteArray wrapped = "}\nm = Sharded(nn.Sequential(*(Sharded(each, **of) for each in blocks)), **of)\n";
        QTest::newRow("FSDP 1") << first + "False" + wrapped;
        QTest::newRow("FSDP 1 with the parameters of the program") << first + "True" + wrapped;
        QTest::newRow("FSDP 2") << QByteArray("from torch.distributed.fsdp import fully_shard\n"
                                              "m = nn.Sequential(*blocks)\n"
                                              "for each in (*blocks, m): fully_shard(each, mesh=mesh)\n");
    }
    void sharded()
    {
        QFETCH(QByteArray, model);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("train.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "import os, torch, torch.distributed as dist\n"
            "from torch import nn\n"
            "mesh = dist.device_mesh.init_device_mesh('cpu', (2,))\n"
            "blocks = [nn.Sequential(nn.Linear(200, 300, bias=False), nn.ReLU(), nn.Linear(300, 200, bias=False))\n"
            "          for _ in range(3)]\n" +
            model +
            "o = torch.optim.AdamW(m.parameters())\n"
            "for i in range(3):\n"
            "    o.zero_grad(); m(torch.randn(16, 200)).sum().backward(); o.step()\n"
            "dist.destroy_process_group()\n"
            "os._exit(0)\n"); // as above
        file.close();
        const Ran ran = record({python().toStdString(), "-m", "torch.distributed.run", "--standalone",
                                "--nproc-per-node", "2", file.fileName().toStdString()});
        QVERIFY2(ran.result, (ran.problem + ran.said.toStdString()).c_str());
        QCOMPARE(ran.end.status(), 0);
        QCOMPARE(ran.result->ranks.size(), std::size_t(2));
        constexpr std::int64_t kShard = 3 * 2 * 200 * 300 * 4 / 2;
        for (const RankSection& rank : ran.result->ranks) {
            const MemorySection& memory = *rank.memory;
            const ComponentBytes end = aliveAt(memory, memory.phases.back().timeSeconds);
            QCOMPARE(bytesOf(end, Component::Parameters), kShard);
            QCOMPARE(bytesOf(end, Component::Gradients), kShard);
            // With counts of steps.
            QVERIFY(bytesOf(end, Component::OptimizerStates) - 2 * kShard <= 4 * 6);
            QVERIFY(bytesOf(end, Component::OptimizerStates) >= 2 * kShard);
            // A block is gathered for its forward and its backward pass.
            QVERIFY(bytesOf(memory.maxComponents, Component::Communication) >= 2 * 200 * 300 * 4);
            QVERIFY(bytesOf(memory.maxComponents, Component::Other) <= memory.peakBytes / 100);
        }
    }

    // What is told while it runs ends where the result does.
    void toldWhileItRuns()
    {
        const Ran ran = recordText(kTraining);
        QVERIFY2(ran.result, ran.problem.c_str());
        QVERIFY(!ran.told.isEmpty());
        const MemorySection& memory = *ran.result->memory;
        QCOMPARE(ran.told.back(), aliveAt(memory, memory.timeline.timeSeconds.back()));
        QCOMPARE(ran.result->config["program"]["steps"].get<int>(), 3);
        QCOMPARE(ran.result->config["program"]["optimizer_steps"].get<int>(), 3);
        QCOMPARE(ran.result->config["program"]["components"].get<std::string>(), std::string("recorded"));
        QCOMPARE(ran.result->timing->stepSeconds.size(), std::size_t(2)); // the last has no next one that ends it
    }

    // A card of this machine, acted out: what the program holds there, and what its allocator itself counts.
    // Its last step waits until the bytes of those before were told of.
    void toldWhileItRunsDry()
    {
        const QTemporaryDir files;
        QFile script(files.filePath(QStringLiteral("train.py")));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("import os, sys, time, torch\n"
                     "m = torch.nn.Linear(100, 400).cuda()\n"
                     "o = torch.optim.AdamW(m.parameters())\n"
                     "begun = time.time()\n"
                     "for i in range(3):\n"
                     "    while i == 2 and not os.path.exists(sys.argv[1]):\n"
                     "        assert time.time() < begun + 60\n"
                     "        time.sleep(0.01)\n"
                     "    o.zero_grad(); m(torch.randn(64, 100).cuda()).sum().backward(); o.step()\n");
        script.close();
        const QString heard = files.filePath(QStringLiteral("heard"));
        DryProgram program{
            card(), {python().toStdString(), script.fileName().toStdString(), heard.toStdString()}, 100'000};
        program.namesBlocks = true;
        ComponentBytes live{};
        std::int64_t steps = 0;
        LiveRecording::Listener listener;
        listener.phase = [&](const PhaseMark& mark) { steps = std::max(steps, mark.step); };
        listener.memory = [&](const TimelineData& changes, const ProcessRecording&) {
            for (std::size_t i = 0; i < changes.size(); ++i)
                live[static_cast<std::size_t>(changes.component[i])] += changes.deltaBytes[i];
            if (steps > 0 && bytesOf(live, Component::OptimizerStates) > 0)
                QVERIFY(QFile(heard).open(QIODevice::WriteOnly));
        };
        const QTemporaryDir folder;
        LiveRecording recording(folder.path().toStdString(), listener);
        const auto end = runDryProgram(program, folder.path().toStdString(), {}, &recording);
        QVERIFY(end && end->status() == 0);
        constexpr std::int64_t kWeights = (100 * 400 + 400) * 4;
        QCOMPARE(bytesOf(live, Component::Parameters), kWeights);
        QVERIFY(bytesOf(live, Component::OptimizerStates) >= 2 * kWeights);
        // The result is the allocator's own, as it is where nobody listened.
        const auto recorded = recordedProgram(program, *end, folder.path().toStdString(), &recording);
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QCOMPARE(recorded->result.config["program"]["components"], "recorded");
        QCOMPARE(bytesOf(recorded->result.memory->peakComponents, Component::Parameters), kWeights);
    }

    void onACard_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QByteArray>("settings");
        QTest::newRow("a training") << QByteArray() << QByteArray();
        QTest::newRow("another stream, and cached blocks given back")
            << QByteArray("side = torch.cuda.Stream()\n"
                          "kept = []\n"
                          "for i in range(20):\n"
                          "    x = torch.empty(300_000 * (i + 1), device='cuda')\n"
                          "    x.record_stream(side)\n"
                          "    if i % 3 == 0: kept.append(x[:10].clone())\n"
                          "    if i == 10: torch.cuda.empty_cache()\n")
            << QByteArray();
        QTest::newRow("segments that grow")
            << QByteArray("a = [torch.empty(3_000_000, device='cuda') for i in range(9)]\n")
            << QByteArray("expandable_segments:True");
        QTest::newRow("rounded requests") << QByteArray("a = [torch.empty(700_001, device='cuda') for i in range(9)]\n")
                                          << QByteArray("roundup_power2_divisions:4");
        QTest::newRow("a card too full") << QByteArray("a = []\n"
                                                       "try:\n"
                                                       "    while True: a.append(torch.empty(1 << 28, device='cuda'))\n"
                                                       "except torch.OutOfMemoryError:\n"
                                                       "    pass\n")
                                         << QByteArray();
    }
    void onACard()
    {
        QFETCH(QByteArray, program);
        QFETCH(QByteArray, settings);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("train.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "import torch\n"
            "m = torch.nn.Sequential(torch.nn.Linear(1000, 900), torch.nn.GELU(), torch.nn.Linear(900, 800)).cuda()\n"
            "o = torch.optim.AdamW(m.parameters())\n"
            "for i in range(3):\n"
            "    o.zero_grad(); m(torch.randn(64, 1000, device='cuda')).sum().backward(); o.step()\n" +
            program + "print('peaks', torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())\n");
        file.close();
        std::map<std::string, std::string> variables{{"PYTORCH_CUDA_ALLOC_CONF", settings.toStdString()}};
        const std::string card = standInCard(dryDevice("dry:rtx-4090:6GiB").value());
        const Ran ran = record({python().toStdString(), "-c",
                                "import os, sys\n"
                                "from peakscope import dry\n"
                                "release = dry.release_of(*dry.installed_torch())\n"
                                "stand_in = os.path.join(os.environ['PEAKSCOPE_DRY_FOLDER'], str(release['runtime'] // "
                                "1000), 'libpeakscope_dry.so')\n"
                                "os.execve(sys.executable, [sys.executable, sys.argv[2]], {**os.environ, 'LD_PRELOAD': "
                                "stand_in, 'PEAKSCOPE_DRY': dry.settings_of(sys.argv[1], release)})\n",
                                card, file.fileName().toStdString()},
                               0, variables, "cuda:0");
        QVERIFY2(ran.result, (ran.problem + ran.said.toStdString()).c_str());
        const QList<QByteArray> peaks = ran.said.mid(ran.said.indexOf("peaks ") + 6).trimmed().split(' ');
        QCOMPARE(peaks.size(), 2);
        const MemorySection& memory = *ran.result->memory;
        QCOMPARE(memory.peakBytes, peaks[0].toLongLong());
        QCOMPARE(memory.peakReservedBytes, peaks[1].toLongLong());
        QCOMPARE(ran.result->config["device"].get<std::string>(), std::string("cuda:0"));
        QCOMPARE(ran.result->environment["device_name"].get<std::string>(),
                 std::string("NVIDIA GeForce RTX 4090 24GB"));
        QCOMPARE(bytesOf(memory.maxComponents, Component::Parameters), (1000 * 900 + 900 + 900 * 800 + 800) * 4);
        QCOMPARE(bytesOf(memory.maxComponents, Component::OptimizerStates),
                 2 * (1000 * 900 + 900 + 900 * 800 + 800) * 4);
        if (program.isEmpty())
            QCOMPARE(bytesOf(memory.peakComponents, Component::Other), 0);
    }

    void endedAfterItsSteps()
    {
        const Ran ran = recordText((QByteArray(kTraining) + "while True: step()\n").constData(), 5);
        QVERIFY2(ran.result, ran.problem.c_str());
        QCOMPARE(ran.end.status(), 0);
        QCOMPARE(ran.result->status, RunStatus::Complete);
        QCOMPARE(ran.result->config["program"]["steps"].get<int>(), 5);
    }

    // However it ends, its status is its own and what was recorded until then can be read.
    void endings_data()
    {
        QTest::addColumn<QByteArray>("end");
        QTest::addColumn<int>("status");
        QTest::newRow("killed") << QByteArray("os.kill(os.getpid(), signal.SIGKILL)\n") << 128 + 9;
        QTest::newRow("crashed") << QByteArray("os.kill(os.getpid(), signal.SIGSEGV)\n") << 128 + 11;
        QTest::newRow("stopped") << QByteArray("os.kill(os.getpid(), signal.SIGTERM)\n") << 128 + 15;
        QTest::newRow("an exception") << QByteArray("raise ValueError('no')\n") << 1;
        QTest::newRow("exits at once") << QByteArray("os._exit(7)\n") << 7;
        QTest::newRow("becomes another program") << QByteArray("os.execvp('sh', ['sh', '-c', 'exit 3'])\n") << 3;
        QTest::newRow("closes its output") << QByteArray("os.close(1)\nos.close(2)\n") << 0;
        QTest::newRow("a child goes on by itself")
            << QByteArray("if os.fork() == 0:\n    torch.zeros(1000)\n    os._exit(0)\nos.wait()\n") << 0;
    }
    void endings()
    {
        QFETCH(QByteArray, end);
        QFETCH(int, status);
        const Ran ran = recordText((kTraining + end).constData());
        QVERIFY2(ran.result, ran.problem.c_str());
        QCOMPARE(ran.end.status(), status);
        QCOMPARE(ran.result->status, status == 0          ? RunStatus::Complete
                                     : status == 128 + 15 ? RunStatus::Interrupted
                                                          : RunStatus::Failed);
        QCOMPARE(ran.result->config["program"]["steps"].get<int>(), 3); // a fork's are not counted
        QCOMPARE(bytesOf(ran.result->memory->maxComponents, Component::Parameters), 400 * 101 * 4);
    }

    void withoutACompiler()
    {
        const QTemporaryDir cache, empty;
        const Ran ran = recordText(kTraining, 0,
                                   {{"XDG_CACHE_HOME", cache.path().toStdString()},
                                    {"PATH", empty.path().toStdString()},
                                    {"CXX", ""}});
        QCOMPARE(ran.end.status(), 0); // the program runs on
        QVERIFY(!ran.result);
        QVERIFY2(ran.said.contains("peakscope: not recorded: the recorder has to be compiled for this PyTorch, and there "
                                   "is no C++ compiler (install g++, or name one by CXX)\n"),
                 ran.said.constData());
    }

    // The program goes on; what was recorded until then is there.
    void fullDisk()
    {
        const Ran ran =
            recordText((QByteArray(kTraining) + "for i in range(1500): step()\nprint('on to the end')\n").constData(),
                       0, {{"", "ulimit -f 8192; "}});
        QCOMPARE(ran.end.status(), 0);
        QVERIFY(ran.said.contains("on to the end"));
        QVERIFY2(ran.result, ran.problem.c_str());
        QVERIFY(!ran.result->notes.empty());
        QCOMPARE(ran.result->notes.front(),
                 std::string("the disk was full: what the program did afterwards was not recorded"));
        const int steps = ran.result->config["program"]["steps"].get<int>();
        QVERIFY2(steps > 100 && steps < 1503, QByteArray::number(steps));
    }

    void withoutItsEnvironment()
    {
        const QTemporaryDir folder;
        RecordedProgram program{{python().toStdString(), "-I", "-c", "pass"}};
        LiveRecording recording(folder.path().toStdString(), {});
        const auto end = recordProgram(program, folder.path().toStdString(), recording);
        QVERIFY(end && end->status() == 0);
        const auto result = resultOf(program, *end, recording);
        QVERIFY(!result && result.error().text().find("-E and -I keep the recorder from attaching") != std::string::npos);
    }

    void withoutPyTorch()
    {
        const Ran ran = recordText("print('no tensors here')\n");
        QCOMPARE(ran.end.status(), 0);
        QCOMPARE(ran.said, QByteArray("no tensors here\n"));
        QCOMPARE(QByteArray::fromStdString(ran.problem),
                 QByteArray("record: nothing was recorded: the program did not import PyTorch, or did so in a process "
                            "that it forked, which is not recorded"));
    }

    void devices()
    {
        for (const char* good : {"auto", "cpu", "cuda:0", "cuda:11"})
            QVERIFY(checkRecordedDevice(good));
        for (const char* bad : {"", "gpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "mps"})
            QVERIFY(!checkRecordedDevice(bad));
    }

private:
    static void checkLoop(const MemorySection& memory, const QJsonObject& said)
    {
        const int step = said["step"].toInt();
        const QByteArray loop = said["loop"].toString().toUtf8();
        const PhaseMark *backward = nullptr, *after = nullptr;
        for (const PhaseMark& mark : memory.phases) {
            if (mark.step != step)
                continue;
            if (mark.phase == Phase::Backward && !backward)
                backward = &mark;
            if (mark.phase == Phase::Data)
                after = &mark;
        }
        QVERIFY2(backward && after, loop);
        const ComponentBytes end = aliveAt(memory, after->timeSeconds);
        const auto compare = [&](Component component, const ComponentBytes& bytes, std::int64_t within) {
            const std::string key(name(component));
            const auto want = static_cast<std::int64_t>(said[QString::fromStdString(key)].toDouble());
            const std::int64_t difference = bytesOf(bytes, component) - want;
            QVERIFY2(std::abs(difference) <= within,
                     (loop + ": " + key.c_str() + " " + QByteArray::number(qlonglong(want + difference)) + ", not " +
                      QByteArray::number(qlonglong(want)))
                         .constData());
        };
        compare(Component::Parameters, end, 0);
        compare(Component::Gradients, end, 0);
        compare(Component::OptimizerStates, end, 0);
        if (said.contains(QStringLiteral("per_sample_gradients")))
            compare(Component::PerSampleGradients, end, 0);
        if (said.contains(QStringLiteral("activations")))
            compare(Component::Activations, aliveAt(memory, backward->timeSeconds), kScalars);
    }
};

PEAKSCOPE_GUILESS_TEST(TestRecordedPrograms)
#include "test_recorded_programs.moc"
