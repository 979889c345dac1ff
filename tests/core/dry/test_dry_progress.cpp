// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How far a program on a stand-in of a card is: said while it runs to who listens, and nothing else is changed by that.
// With a real PyTorch that knows CUDA ($PEAKSCOPE_DRY_PYTHON) the last test records the same program with and without.
#include "core/base/file.h"
#include "core/dry/dry_program.h"
#include "core/snapshots/cuda_snapshot.h"
#include "tests/core/dry/fake_torch.h"
#include "tests/test_room.h"

#include <fmt/format.h>

#include <QTest>

#include <algorithm>
#include <limits>

using namespace peakscope;

namespace {

// Each step waits until it was told of: no test waits a fixed time.
constexpr char kTelling[] = R"(
import os, time, torch
told = os.environ["PEAKSCOPE_TELL"]
def until_said(text):
    while text not in open(told).read():
        time.sleep(0.01)
torch.cuda.start()
until_said('"steps":0')
torch.peaks.update(allocated=3 << 20, reserved=4 << 20)
torch._stepped[0](None, None, None)
until_said('"steps":1')
torch.peaks.update(allocated=0, reserved=0)  # set back by the program
if os.fork() == 0:
    os._exit(len(os.listdir("/proc/self/task")) - 1)
assert os.wait()[1] == 0  # a fork has nobody who tells
torch.peaks.update(allocated=2 << 20, reserved=5 << 20)
torch._stepped[0](None, None, None)
until_said('"steps":2')
)";

std::string pickleIn(const QTemporaryDir& folder)
{
    const QStringList names = QDir(folder.path()).entryList({QStringLiteral("*.pickle")});
    return names.size() == 1 ? folder.filePath(names.first()).toStdString() : std::string();
}

// Everything of an event but its time.
std::vector<std::string> eventsOf(const CudaSnapshot& snapshot)
{
    std::vector<std::string> events;
    for (const DeviceHistory& history : snapshot.histories) {
        std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max(); // the system chooses where the card begins
        for (const AllocatorEvent& event : history.events)
            lowest = std::min(lowest, event.address);
        for (const AllocatorEvent& event : history.events) {
            std::string text = fmt::format("{} {} {} {} {} {}", history.device, static_cast<int>(event.action),
                                           event.address - lowest, event.bytes, event.stream, event.pool);
            for (const std::uint32_t frame : snapshot.stack(event.stack)) {
                const SnapshotFrame& one = snapshot.frames[frame];
                text += fmt::format(" {}:{}:{}", snapshot.texts[one.file], one.line, snapshot.texts[one.function]);
            }
            events.push_back(std::move(text));
        }
    }
    return events;
}

} // namespace

class TestDryProgress : public QObject
{
    Q_OBJECT

private slots:
    void aLine()
    {
        DryProgress progress{2, 5, 30, 40, 50, 60, 7};
        const auto read = dryProgress(dumpJson(membersJson(progress)));
        QVERIFY(read);
        QCOMPARE(dumpJson(membersJson(*read)), dumpJson(membersJson(progress)));
        QCOMPARE(read->peakReservedBytes, 60);
        QCOMPARE(*read->rank, 7);
        progress.rank.reset();
        QVERIFY(!dryProgress(dumpJson(membersJson(progress)))->rank);
        QVERIFY(!dryProgress(dumpJson(membersJson(progress)).substr(0, 40)));
        QVERIFY(!dryProgress("{}"));
        QVERIFY(!dryProgress(R"({"steps":-1,"of":5,"allocated_bytes":1,"reserved_bytes":1,"peak_allocated_bytes":1,)"
                             R"("peak_reserved_bytes":1})"));
    }

    void itIsSaidAsItGoes()
    {
        if (FakeTorch::python().isEmpty())
            QSKIP("no python3 here");
        std::vector<DryProgress> said;
        const QTemporaryDir folder;
        const ProgramEnd end = run(
            kTelling, folder, [&said](const DryProgress& progress) { said.push_back(progress); }, 7);
        QCOMPARE(end.status(), 0);
        QVERIFY(said.size() >= 2); // those between two looks are told as one
        QCOMPARE(said.back().of, 7);
        QCOMPARE(said.back().peakReservedBytes, 5 << 20);
        QCOMPARE(said.back().peakAllocatedBytes, 3 << 20); // of all that was, though it was set back
        QCOMPARE(said.back().allocatedBytes, 1 << 20);
        QVERIFY(!said.back().rank);
        for (std::size_t i = 1; i < said.size(); ++i)
            QVERIFY(said[i - 1].steps <= said[i].steps && said[i - 1].peakReservedBytes <= said[i].peakReservedBytes);
    }

    void whereNobodyListensNothingIsSaid()
    {
        if (FakeTorch::python().isEmpty())
            QSKIP("no python3 here");
        const QTemporaryDir folder;
        const ProgramEnd end = run("import os, torch\ntorch.cuda.start()\nassert 'PEAKSCOPE_TELL' not in os.environ\n"
                                   "assert len(os.listdir('/proc/self/task')) == 1\n",
                                   folder, {}, 2);
        QCOMPARE(end.status(), 0);
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("progress"))));
    }

    // Event by event the same history, at the same addresses, from the same lines. Naming the blocks makes objects of
    // Python's, after so many of which it collects garbage: not where a program has none in circles.
    void nothingThatIsRecordedChanges_data()
    {
        QTest::addColumn<bool>("names");
        QTest::newRow("by a listener") << false;
        QTest::newRow("by naming blocks") << true;
    }
    void nothingThatIsRecordedChanges()
    {
        QFETCH(bool, names);
        const QByteArray python = qgetenv("PEAKSCOPE_DRY_PYTHON");
        if (python.isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
        // Else the first of the two runs may compile a module of the recorder, and Python's count differs.
        const auto recorder = recorderFolder();
        QVERIFY(recorder);
        QCOMPARE(QProcess::execute(QString::fromLocal8Bit(python), {QStringLiteral("-m"), QStringLiteral("compileall"),
                                                                    QStringLiteral("-q"),
                                                                    QString::fromStdString(recorder->string())}),
                 0);
        const FakeTorch files;
        files.write(QStringLiteral("train.py"), R"(
import gc, os, time, torch
if "KEEP_GARBAGE" in os.environ:
    gc.disable()
told = os.environ.get("PEAKSCOPE_TELL")
model = torch.nn.Sequential(*[torch.nn.Linear(500 + i, 501 + i) for i in range(8)]).cuda()
optimizer = torch.optim.AdamW(model.parameters())
class Node: pass
for step in range(150):
    node = Node()  # garbage in a circle: it goes when Python collects
    node.itself, node.held, node.more = node, torch.empty(1000 + step, device="cuda"), [[i] for i in range(30)]
    optimizer.zero_grad()
    model(torch.randn(64, 500).cuda()).sum().backward()
    optimizer.step()
    while told and step % 50 == 49 and f'"steps":{step + 1}' not in open(told).read():
        time.sleep(0.01)
)");
        std::vector<std::string> histories[2];
        std::vector<DryProgress> said;
        for (const bool changes : {false, true}) {
            const QTemporaryDir folder;
            DryProgram program{dryDevice("dry:h100-80gb").value(),
                               {python.toStdString(), files.filePath(QStringLiteral("train.py")).toStdString()},
                               999};
            program.variables["PYTHONHASHSEED"] = "0"; // else sets, and with them Python's count, differ
            if (names)
                program.variables["KEEP_GARBAGE"] = "1";
            program.namesBlocks = names && changes;
            ProgressListener listener;
            if (changes)
                listener = [&said](const DryProgress& progress) { said.push_back(progress); };
            const auto end = runDryProgram(program, folder.path().toStdString(), listener);
            QVERIFY(end && end->status() == 0);
            const auto bytes = readTextFile(pickleIn(folder));
            QVERIFY2(bytes, bytes ? "" : bytes.error().text().c_str());
            const auto snapshot = readSnapshotPickle(*bytes, "recorded");
            QVERIFY(snapshot);
            histories[changes] = eventsOf(*snapshot);
        }
        QVERIFY(histories[0].size() > 100);
        QCOMPARE(histories[1].size(), histories[0].size());
        for (std::size_t i = 0; i < histories[0].size(); ++i)
            QCOMPARE(histories[1][i], histories[0][i]);
        QVERIFY(!said.empty());
        QCOMPARE(said.back().steps, 150);
        QVERIFY(said.back().allocatedBytes > 0 && said.back().allocatedBytes <= said.back().peakAllocatedBytes);
        QVERIFY(said.back().peakAllocatedBytes <= said.back().peakReservedBytes);
    }

private:
    ProgramEnd run(const QByteArray& text, const QTemporaryDir& folder, const ProgressListener& listener,
                   std::int64_t steps)
    {
        m_torch.write(QStringLiteral("program.py"), text);
        DryProgram program{
            dryDevice("dry:h100-80gb").value(),
            {FakeTorch::python().toStdString(), m_torch.filePath(QStringLiteral("program.py")).toStdString()},
            steps};
        program.variables["PYTHONPATH"] = m_torch.site().toStdString();
        const auto end = runDryProgram(program, folder.path().toStdString(), listener);
        return end ? *end : ProgramEnd();
    }

    FakeTorch m_torch;
};

PEAKSCOPE_TEST(TestDryProgress)
#include "test_dry_progress.moc"
