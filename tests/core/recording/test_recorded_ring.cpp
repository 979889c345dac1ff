// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Long runs of which a few steps are kept: by events as the probe writes them, and of a real PyTorch
// ($PEAKSCOPE_DRY_PYTHON) against the whole recording of the same run.
#include "core/recording/program_recording.h"
#include "core/recording/recorded_memory.h"
#include "core/recording/recorded_ring.h"
#include "tests/core/dry/dry_test_support.h"
#include "tests/test_room.h"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>

using namespace peakscope;

namespace {

ProbeNames ringNames()
{
    ProbeNames made;
    for (const char* line : {"f 0 load", "f 1 data", "f 2 forward", "f 3 backward", "f 4 optimizer_step",
                             "p 1 0\t7\t0\ttrain\t/a/train.py", "p 2 0\t9\t0\tload\t/a/data.py",
                             "p 3 4\t3\t0\tkeep\t/a/keep.py", "p 4 0\t12\t0\tmain\t/a/train.py"})
        made.add(line);
    return made;
}

enum : std::uint8_t { kLoad, kData, kForward, kBackward, kStep };

// A program that is told event by event to a whole recording, and to one that keeps three steps.
class ToldTwice
{
public:
    RecordedBlocks whole{kProcessor}, kept{kProcessor};
    RecordedRing ring{3};
    std::int64_t step = 0;

    void tell(ProbeKind kind, std::uint64_t address = 0, std::int64_t bytes = 0, std::uint32_t place = 0)
    {
        ProbeEvent event;
        event.kind = kind;
        event.address = address;
        event.bytes = bytes;
        event.place = place;
        event.phase = m_phase;
        event.step = static_cast<std::int32_t>(step);
        event.nanoseconds = m_time += 1000;
        whole.add(event, m_names);
        kept.add(event, m_names);
        ring.add(event, kept);
        if (++m_told % 7 == 0) // as pieces of a file end anywhere
            ring.forget(kept);
    }
    void phase(std::uint8_t phase)
    {
        m_phase = phase;
        tell(ProbeKind::Phase);
    }
    std::uint64_t allocate(std::int64_t bytes, std::uint32_t place)
    {
        tell(ProbeKind::Allocate, m_next += 1 << 20, bytes, place);
        return m_next;
    }
    void free(std::uint64_t address) { tell(ProbeKind::Free, address); }
    void endStep()
    {
        tell(ProbeKind::StepEnd);
        ++step;
        ring.forget(kept);
    }
    // A batch that grows, activations, and gradients that live until the next step.
    void train(std::int64_t activations = 500)
    {
        phase(kData);
        const auto batch = allocate(100 + step, 2);
        phase(kForward);
        tell(ProbeKind::RootBegin);
        const auto made = allocate(activations, 1), scratch = allocate(50, 1);
        free(scratch);
        phase(kBackward);
        free(std::exchange(m_gradient, allocate(200, 1)));
        free(made);
        phase(kStep);
        if (step == 0)
            allocate(400, 1); // an optimiser's states
        free(std::exchange(m_batch, batch));
    }

private:
    ProbeNames m_names = ringNames();
    std::uint8_t m_phase = kLoad;
    std::int64_t m_time = 0, m_told = 0;
    std::uint64_t m_next = 1 << 20, m_gradient = 0, m_batch = 0;
};

ComponentBytes sumOf(const RecordedBlocks& blocks, const std::vector<std::uint32_t>& of)
{
    ComponentBytes sum{};
    for (const std::uint32_t block : of)
        sum[static_cast<std::size_t>(componentOf(blocks.blocks()[block]))] += blocks.blocks()[block].bytes;
    return sum;
}

constexpr const char* kLoop =
    "import os, signal, sys, time, torch\n"
    "torch.manual_seed(0)\n"
    "m = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 32))\n"
    "o = torch.optim.AdamW(m.parameters())\n"
    "kept, losses = [], []\n"
    "def train(steps, rows=8, leak=False):\n"
    "    for i in range(steps):\n"
    "        y = m(torch.randn(rows, 32))\n"
    "        loss = y.square().mean()\n"
    "        o.zero_grad(); loss.backward(); o.step()\n"
    "        losses.append(loss.item())\n"
    "        if leak:\n"
    "            kept.append(y.detach().clone())\n";
constexpr const char* kHighest = "train(20)\ntrain(1, 100)\ntrain(30)\n";

struct KeptRun {
    ProgramEnd end;
    std::optional<RunResult> kept, whole;
    std::string problem;
    std::vector<std::string> growth;
    ComponentBytes told{}; // what is alive, by what was told while it ran
};

KeptRun recordBoth(const std::string& text)
{
    KeptRun ran;
    const QTemporaryDir folder, recorded;
    QFile file(folder.filePath(QStringLiteral("train.py")));
    if (!file.open(QIODevice::WriteOnly) || file.write((kLoop + text).c_str()) < 0)
        return ran;
    file.close();
    const RecordedProgram program{
        {"sh", "-c", "exec \"$0\" \"$1\" 2>/dev/null", python().toStdString(), file.fileName().toStdString()}, "cpu"};
    const std::filesystem::path to = recorded.path().toStdString();
    LiveRecording::Listener listener;
    listener.growth = [&ran](const std::string& line) { ran.growth.push_back(line); };
    listener.memory = [&ran](const TimelineData& changes, const ProcessRecording&) {
        for (std::size_t i = 0; i < changes.size(); ++i)
            ran.told[static_cast<std::size_t>(changes.component[i])] += changes.deltaBytes[i];
    };
    LiveRecording ring(to, listener, 3);
    const auto end = recordProgram(program, to, ring);
    if (!end) {
        ran.problem = end.error().text();
        return ran;
    }
    ran.end = *end;
    // So short a recording is still there as a whole.
    LiveRecording all(to, {});
    all.read(true);
    auto kept = resultOf(program, *end, ring), whole = resultOf(program, *end, all);
    if (!kept || !whole) {
        ran.problem = kept ? whole.error().text() : kept.error().text();
        return ran;
    }
    ran.kept = std::move(*kept);
    ran.whole = std::move(*whole);
    return ran;
}

bool hasNote(const RunResult& result, const std::string& text)
{
    return std::ranges::any_of(result.notes,
                               [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

std::string nameOf(const std::vector<std::string>& list, std::uint32_t number)
{
    return number == 0 ? std::string() : list[number - 1];
}

// Entry by entry what the whole recording has from there on.
void compareTo(const MemorySection& whole, const MemorySection& kept)
{
    const double begin = kept.phases.front().timeSeconds, end = kept.timeline.timeSeconds.back();
    ComponentBytes liveOfWhole{}, live{};
    std::size_t i = 0, k = 0;
    for (; i < whole.timeline.size() && whole.timeline.timeSeconds[i] <= begin; ++i)
        liveOfWhole[static_cast<std::size_t>(whole.timeline.component[i])] += whole.timeline.deltaBytes[i];
    for (; k < kept.timeline.size() && kept.timeline.timeSeconds[k] <= begin; ++k) {
        QVERIFY(kept.timeline.deltaBytes[k] > 0); // what is older and alive
        live[static_cast<std::size_t>(kept.timeline.component[k])] += kept.timeline.deltaBytes[k];
    }
    QVERIFY(k > 0);
    QCOMPARE(live, liveOfWhole);
    const auto nth = [](const MemorySection& of, std::size_t at) {
        return std::tuple(of.timeline.timeSeconds[at], of.timeline.deltaBytes[at], of.timeline.component[at],
                          nameOf(of.owners.lines, of.owners.line[at]), nameOf(of.owners.modules, of.owners.module[at]),
                          nameOf(of.owners.operators, of.owners.operation[at]));
    };
    for (; k < kept.timeline.size(); ++k, ++i)
        QVERIFY(i < whole.timeline.size() && nth(whole, i) == nth(kept, k));
    QVERIFY(i == whole.timeline.size() || whole.timeline.timeSeconds[i] >= end);
}

} // namespace

class TestRecordedRing : public QObject
{
    Q_OBJECT

private slots:
    void keptEqualsWhole()
    {
        ToldTwice told;
        std::mt19937 random(1);
        std::vector<std::uint64_t> alive;
        told.phase(kLoad);
        for (int i = 0; i < 20; ++i)
            told.allocate(1000 + i, 1);
        std::vector<std::int64_t> peaks;
        for (int step = 0; step < 50; ++step) {
            told.phase(kForward);
            told.tell(ProbeKind::RootBegin);
            std::int64_t peak = told.whole.liveBytes();
            for (int i = 0; i < 40; ++i) {
                if (alive.size() > 30 || (!alive.empty() && random() % 2)) {
                    const std::size_t which = random() % alive.size();
                    told.free(alive[which]);
                    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(which));
                } else {
                    alive.push_back(
                        told.allocate(1 + static_cast<std::int64_t>(random() % (step == 20 ? 90'000 : 3000)), 2));
                }
                peak = std::max(peak, told.whole.liveBytes());
            }
            peaks.push_back(peak);
            told.endStep();
        }
        for (std::size_t i = 0; i < peaks.size(); ++i)
            QCOMPARE(told.ring.rows()[i].peakBytes, peaks[i]);
        const RecordedWindow window = told.ring.window(told.kept, false);
        QVERIFY(window.lastStep >= 20 && window.lastStep < 30 && window.firstStep == window.lastStep - 2);
        QCOMPARE(window.peakBytes, told.whole.peakBytes());
        QCOMPARE(told.kept.liveBytes(), told.whole.liveBytes());
        const auto& entries = told.whole.entries();
        const auto first =
            std::ranges::find_if(entries, [&](const auto& entry) { return entry.nanoseconds > window.begin; });
        const auto before = told.whole.aliveBefore(static_cast<std::size_t>(first - entries.begin()));
        QCOMPARE(sumOf(told.kept, window.part.older), sumOf(told.whole, before));
        QCOMPARE(window.part.older.size(), before.size());
        for (std::size_t i = 0; i < window.part.entries.size(); ++i) {
            const auto &one = window.part.entries[i], &other = *(first + static_cast<std::ptrdiff_t>(i));
            const RecordedBlock &block = told.kept.blocks()[one.block], &same = told.whole.blocks()[other.block];
            QCOMPARE(one.nanoseconds, other.nanoseconds);
            QCOMPARE(one.free, other.free);
            QCOMPARE(block.bytes, same.bytes);
            QCOMPARE(componentOf(block), componentOf(same));
        }
        QVERIFY(told.kept.blocks().size() < told.whole.blocks().size() / 2); // numbers are given again
        QVERIFY(told.kept.entries().size() < 4 * 41);
    }

    void leaks_data()
    {
        QTest::addColumn<int>("from");
        QTest::newRow("from the first step") << 0;
        QTest::newRow("later") << 40;
    }
    void leaks()
    {
        QFETCH(int, from);
        ToldTwice told;
        int found = -1;
        for (int step = 0; step < from + 20; ++step) {
            told.train();
            if (step >= from)
                told.allocate(2 << 20, 3);
            told.endStep();
            if (found < 0 && !told.ring.growing().empty())
                found = step;
        }
        QVERIFY2(found >= from && found < from + 20, QByteArray::number(found));
        const auto growing = told.ring.growing();
        QCOMPARE(growing.size(), std::size_t(1));
        QCOMPARE(QByteArray::fromStdString(growthText(ringNames(), growing.front())),
                 "grows 2.00 MiB a step since step " + QByteArray::number(from) +
                     " at keep.py:3 keep, from train.py:12 main");
    }

    void noLeaks_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("an ordinary loop") << 0;
        QTest::newRow("something kept at each evaluation") << 1;
        QTest::newRow("a cache that stops growing") << 2;
        QTest::newRow("a queue of the last five") << 3;
        QTest::newRow("gradients of four steps") << 4;
    }
    void noLeaks()
    {
        QFETCH(int, kind);
        ToldTwice told;
        std::vector<std::uint64_t> queue;
        for (int step = 0; step < 60; ++step) {
            told.train();
            if ((kind == 1 && step % 10 == 9) || (kind == 2 && step < 8) || kind == 3)
                queue.push_back(told.allocate(1000, 3));
            if (kind == 3 && queue.size() > 5) {
                told.free(queue.front());
                queue.erase(queue.begin());
            }
            if (kind == 4) {
                queue.push_back(told.allocate(64, 3));
                for (; step % 4 == 3 && !queue.empty(); queue.pop_back())
                    told.free(queue.back());
            }
            told.endStep();
            QVERIFY2(told.ring.growing().empty(), QByteArray::number(step));
        }
    }

    // What is never a step's is kept up to a bound, and the peak's row is right.
    void manyEventsOfOneStep()
    {
        ToldTwice told;
        told.phase(kForward);
        for (int i = 0; i < 600'000; ++i)
            told.free(told.allocate(8, 1));
        for (int i = 0; i < 600'000; ++i)
            told.free(told.allocate(16, 1));
        QVERIFY(told.kept.entries().size() <= 2'000'010);
        const RecordedWindow window = told.ring.window(told.kept, false);
        QVERIFY(window.cut && !window.whole);
        QCOMPARE(window.peakBytes, 16);
    }

    void realRun()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        const KeptRun ran = recordBoth(kHighest);
        QVERIFY2(ran.kept, ran.problem.c_str());
        QCOMPARE(ran.end.status(), 0);
        const MemorySection &kept = *ran.kept->memory, &whole = *ran.whole->memory;
        QVERIFY2(hasNote(*ran.kept, "the timeline holds steps 18 to 20, the highest peak so far"),
                 ran.kept->notes.empty() ? "" : ran.kept->notes.front().c_str());
        QCOMPARE(ran.kept->config["program"]["kept_steps"], (nlohmann::json{18, 20}));
        QCOMPARE(kept.peakBytes, whole.peakBytes);
        QCOMPARE(kept.peakComponents, whole.peakComponents);
        QCOMPARE(std::accumulate(kept.peakComponents.begin(), kept.peakComponents.end(), std::int64_t{0}),
                 kept.peakBytes);
        compareTo(whole, kept);
        ComponentBytes live{};
        for (std::size_t i = 0; i < whole.timeline.size(); ++i)
            live[static_cast<std::size_t>(whole.timeline.component[i])] += whole.timeline.deltaBytes[i];
        QCOMPARE(ran.told, live);
        QCOMPARE(kept.steps.step.size(), std::size_t(51));
        QCOMPARE(kept.steps.peakBytes[20], whole.peakBytes);
        QCOMPARE(kept.steps.batchShape[19], std::string("8x32"));
        QCOMPARE(kept.steps.batchShape[20], std::string("100x32"));
        QCOMPARE(kept.steps.batchShape[21], std::string("8x32"));
        QVERIFY(whole.steps.empty());
        QVERIFY(!hasNote(*ran.kept, "grows"));
        const auto again = runResultFromJson(toJson(*ran.kept));
        QVERIFY(again && again->memory->steps.liveBytes == kept.steps.liveBytes &&
                again->memory->steps.batchShape == kept.steps.batchShape);
    }

    void damagedRows()
    {
        MemorySection memory;
        memory.steps = {{0, 1}, {5, 6}, {1, 2}, {0.5, 0.5}, {"8x4", ""}};
        RunResult result;
        result.memory = memory;
        nlohmann::json document = toJson(result);
        QVERIFY(runResultFromJson(document));
        document["memory"]["steps"]["seconds"] = {0.5};
        const auto read = runResultFromJson(document);
        QVERIFY(!read);
        QCOMPARE(QByteArray::fromStdString(read.error().text()),
                 QByteArray("memory.steps.seconds: has 1 values, step has 2"));
    }

    void realEndings_data()
    {
        QTest::addColumn<QByteArray>("end");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("note");
        QTest::newRow("killed") << QByteArray("os.kill(os.getpid(), signal.SIGKILL)\n") << 128 + 9
                                << QByteArray("steps 18 to 20, the highest peak so far");
        QTest::newRow("out of memory") << QByteArray("x = m(torch.randn(8, 32))\ntorch.empty(1 << 50)\n") << 1
                                       << QByteArray("steps 49 to 51, the last of which ran out of memory");
        QTest::newRow("a higher step that has not ended")
            << QByteArray("x = torch.empty(1 << 22)\n") << 0 << QByteArray("steps 49 to 51, the highest peak so far");
    }
    void realEndings()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        QFETCH(QByteArray, end);
        QFETCH(int, status);
        QFETCH(QByteArray, note);
        const KeptRun ran = recordBoth(kHighest + end.toStdString());
        QVERIFY2(ran.kept, ran.problem.c_str());
        QCOMPARE(ran.end.status(), status);
        QVERIFY2(hasNote(*ran.kept, note.toStdString()),
                 ran.kept->notes.empty() ? "" : ran.kept->notes.front().c_str());
        compareTo(*ran.whole->memory, *ran.kept->memory);
        QCOMPARE(ran.kept->memory->steps.step.size(), std::size_t(51));
    }

    void realLeak()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        const KeptRun ran = recordBoth("train(20, 8, True)\n");
        QVERIFY2(ran.kept, ran.problem.c_str());
        const std::string text = "grows 1.00 KiB a step since step 1 at train.py:13 train";
        QVERIFY2(hasNote(*ran.kept, text), ran.kept->notes.empty() ? "" : ran.kept->notes.back().c_str());
        QCOMPARE(ran.growth, std::vector<std::string>{text});
    }

    // Accumulated gradients, an evaluation every ten steps, losses as floats.
    void realLoopWithoutLeak()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        const KeptRun ran = recordBoth("scores = []\n"
                                       "for i in range(40):\n"
                                       "    for j in range(4):\n"
                                       "        m(torch.randn(8 + i, 32)).square().mean().backward()\n"
                                       "    o.step(); o.zero_grad()\n"
                                       "    if i % 10 == 9:\n"
                                       "        with torch.no_grad():\n"
                                       "            scores.append(m(torch.randn(64, 32)).mean())\n");
        QVERIFY2(ran.kept, ran.problem.c_str());
        QCOMPARE(ran.growth, std::vector<std::string>{});
        QVERIFY(!hasNote(*ran.kept, "grows"));
        QCOMPARE(ran.kept->memory->steps.step.size(), std::size_t(40));
        QCOMPARE(ran.kept->memory->steps.batchShape[39], std::string("47x32"));
    }

    void writtenWhileItRuns()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("train.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kLoop);
        file.write("train(30)\nprint('here', flush=True)\nsys.stdin.readline()\ntrain(5)\nprint('done')\n");
        file.close();
        const QString out = folder.filePath(QStringLiteral("run.json"));
        QProcess process;
        process.start(commandLine(), {QStringLiteral("record"), QStringLiteral("--device"), QStringLiteral("cpu"),
                                      QStringLiteral("--ring"), QStringLiteral("--out"), out, QStringLiteral("--"),
                                      QString::fromLocal8Bit(python()), file.fileName()});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += process.readAllStandardOutput()).contains("here"), 60000);
        ::kill(static_cast<pid_t>(process.processId()), SIGUSR1);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(out), 20000);
        const auto sofar = loadRunResult(out.toStdString());
        QVERIFY(sofar && sofar->status == RunStatus::Interrupted);
        QCOMPARE(sofar->message, std::string("the program was still running"));
        QCOMPARE(sofar->memory->steps.step.size(), std::size_t(30));
        process.write("\n");
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 0); // the signal was not the program's
        QVERIFY((said += process.readAllStandardOutput()).contains("done"));
        const QByteArray name = QFile::encodeName(out), last = process.readAllStandardError();
        QVERIFY2(last.endsWith("result in " + name + "; open it with: peakscope " + name + "\n"), last.constData());
        const auto result = loadRunResult(out.toStdString());
        QVERIFY(result && result->status == RunStatus::Complete);
        QCOMPARE(result->memory->steps.step.size(), std::size_t(35));
        QCOMPARE(result->config["program"]["kept_steps"].size(), std::size_t(2));
        const ProcessAnswer shown = ran({QStringLiteral("inspect"), out});
        QVERIFY2(shown.out.contains("35 steps, the highest peak "), shown.out.constData());
        QVERIFY(ran({QStringLiteral("inspect"), out, QStringLiteral("--json")}).out.contains("\"batch_shape\""));
    }

    void refusals()
    {
        for (const char* bad : {"0", "-1", "few", "1001", "3x"}) {
            const ProcessAnswer answer = ran({QStringLiteral("record"), QStringLiteral("--ring=") + QLatin1String(bad),
                                              QStringLiteral("--"), QStringLiteral("true")});
            QCOMPARE(answer.status, 2);
            QCOMPARE(answer.err, QByteArray("peakscope-cli: --ring: ") + bad +
                                     " is not a number of steps to keep, 1 to 1000 (--ring 3 -- python train.py)\n");
        }
        const ProcessAnswer dry = ran({QStringLiteral("record"), QStringLiteral("--ring"), QStringLiteral("--device"),
                                       QStringLiteral("dry:h100-80gb"), QStringLiteral("--"), QStringLiteral("true")});
        QCOMPARE(dry.status, 2);
        QCOMPARE(dry.err, QByteArray("peakscope-cli: --ring: is for a program on this machine (--device auto, cpu or "
                                     "cuda:N), not for dry:h100-80gb\n"));
    }

private:
    static QString commandLine() { return QCoreApplication::applicationDirPath() + QStringLiteral("/peakscope-cli"); }
    static ProcessAnswer ran(const QStringList& arguments)
    {
        return peakscope::ran(commandLine(), arguments, QProcessEnvironment::systemEnvironment());
    }
};

PEAKSCOPE_GUILESS_TEST(TestRecordedRing)
#include "test_recorded_ring.moc"
