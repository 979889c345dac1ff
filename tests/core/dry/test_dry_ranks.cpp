// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One rank of many without the others: which are asked for, what a program is told, objects that another rank sends,
// and several ranks as one result. With a real PyTorch ($PEAKSCOPE_DRY_PYTHON) what collectives leave, too.
#include "core/dry/dry_ranks.h"
#include "tests/core/dry/dry_test_support.h"
#include "tests/core/dry/fake_torch.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>

using namespace peakscope;

namespace {

// Takes memory by its rank; rank 3 needs an object of rank 1.
constexpr char kProgram[] = R"(
import os, sys, torch
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.cuda.start()
torch.peaks["reserved"] = (10 + rank) << 20
torch.peaks["allocated"] = 1 << 20
with open(sys.argv[1], "a") as said:
    print(rank, world, *(os.environ[name] for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "CUDA_VISIBLE_DEVICES")),
          file=said)
from peakscope import world as ranks
class C10d:
    ProcessGroupGloo = None
    def get_rank(self, group=None): return rank
    def get_world_size(self, group=None): return world
    def _new_process_group_helper(self, group_size): pass
groups = ranks.Groups.__new__(ranks.Groups)
groups.c10d, groups.sendings = C10d(), {}
groups.objects()
if rank in (1, 3):
    objects = ["of 1"] if rank == 1 else [None]
    groups.c10d.broadcast_object_list(objects, src=1)
    assert objects == ["of 1"], objects
)";

// Until it is told what it waits for: its standard error is the file. It ends by itself where it never is.
constexpr char kWaits[] = R"(
import os, sys, time, torch
torch.cuda.start()
def told():
    return os.path.getsize(sys.argv[1]) > 0
last = time.monotonic() + 60
if sys.argv[2] == "works":  # of the processor
    while time.process_time() < 3:
        sum(range(1000))
elif sys.argv[2] == "store":
    import torch.distributed as dist
    dist.init_process_group("nccl")
    store = dist.distributed_c10d._get_default_store()
    while not store.check(["ready/3"]) and not told() and time.monotonic() < last:
        pass
else:
    while not told() and time.monotonic() < last:
        time.sleep(0.01)
)";

RecordedRank recordedRank(std::int64_t rank, std::int64_t reserved, std::int64_t allocated)
{
    RecordedRank one;
    one.rank = rank;
    one.recorded.result.memory.emplace();
    one.recorded.result.memory->peakReservedBytes = reserved;
    one.recorded.result.memory->peakBytes = allocated;
    one.recorded.result.config = {{"device", "dry:h100-80gb"}, {"program", {{"rank", rank}}}};
    return one;
}

} // namespace

class TestDryRanks : public QObject
{
    Q_OBJECT

private slots:
    void whichAreAskedFor()
    {
        QCOMPARE(dryRanks({7, 0}, 8).value(), (std::vector<std::int64_t>{0, 7}));
        for (const auto& [ranks, says] : std::vector<std::pair<std::vector<std::int64_t>, const char*>>{
                 {{8}, "--rank: 8 is not below --world 8"},
                 {{0, -1}, "--rank: -1 is not below --world 8"},
                 {{2, 2}, "--rank: 2 appears twice"}}) {
            const auto answer = dryRanks(ranks, 8);
            QVERIFY(!answer);
            QCOMPARE(answer.error().text(), std::string(says));
        }
    }

    void severalAreOneResult()
    {
        const RunResult result =
            resultOfRanks({recordedRank(0, 100, 50), recordedRank(5, 100, 60), recordedRank(7, 90, 70)});
        QCOMPARE(result.memory->peakBytes, 60); // what reserves alike, by what is allocated
        QCOMPARE(result.ranks.size(), std::size_t{3});
        QCOMPARE(result.ranks[2].rank, 7);
        QCOMPARE(result.ranks[2].memory->peakBytes, 70);
        QCOMPARE(result.ranks[1].other["program"]["rank"].get<int>(), 5);
        QCOMPARE(result.notes.back(),
                 std::string("memory: that of rank 5, the highest peak of the 3 ranks that were run"));
        QVERIFY(resultOfRanks({recordedRank(0, 100, 50)}).ranks.empty());
    }

    // 0 asks for what 1 sends, 1 for what 2 sends; then each is made again.
    void aChainOfRanks()
    {
        const QTemporaryDir folder;
        const auto asks = [&folder](const char* rank) {
            QFile file(folder.filePath(QStringLiteral("wanted")));
            return file.open(QIODevice::WriteOnly) && file.write(rank) > 0;
        };
        const std::filesystem::path objects = folder.path().toStdString();
        WantedRanks wanted(0); // one that waits is made again where there are objects that it has not seen
        QVERIFY(asks("1"));
        QCOMPARE(wanted.next(objects), std::optional<std::int64_t>(1));
        QVERIFY(asks("2"));
        WantedRanks ring = wanted;
        QCOMPARE(wanted.next(objects), std::optional<std::int64_t>(2));
        QCOMPARE(wanted.next(objects), std::optional<std::int64_t>(1));
        QCOMPARE(wanted.next(objects), std::optional<std::int64_t>(0));
        WantedRanks ends = wanted;
        QVERIFY(!wanted.next(objects) && wanted.stuck());
        QVERIFY(asks("1"));
        QVERIFY(!ends.next(objects));
        QCOMPARE(ends.stuck().error().text(),
                 std::string("dry run: rank 0 takes an object that rank 1 doesn't send: it ends before"));
        WantedRanks goesOn = ring;
        QVERIFY(asks("0"));
        QVERIFY(!ring.next(objects));
        QCOMPARE(ring.stuck().error().text(), std::string("dry run: rank 1 takes an object that rank 0 has not sent: "
                                                          "it waits for one of a rank that waits for it"));
        QFile sent(folder.filePath(QStringLiteral("1-to-0-1")));
        QVERIFY(sent.open(QIODevice::WriteOnly));
        QVERIFY(asks("0"));
        QCOMPARE(goesOn.next(objects), std::optional<std::int64_t>(0));
    }

    // Ranks 2 and 3 of 6, four a machine; rank 1 is run for the object that 3 takes from it.
    void aProgramOfRanks()
    {
        if (FakeTorch::python().isEmpty())
            QSKIP("no python3 here");
        const FakeTorch torch;
        const QTemporaryDir folder;
        // As one that made a process group.
        torch.write(QStringLiteral("program.py"),
                    "from peakscope import world\nworld.Groups.made = True\n" + QByteArray(kProgram));
        const QString said = torch.filePath(QStringLiteral("said"));
        DryProgram program{dryDevice("dry:h100-80gb").value(),
                           {FakeTorch::python().toStdString(),
                            torch.filePath(QStringLiteral("program.py")).toStdString(), said.toStdString()},
                           2};
        program.place = DryRank{6, 0, 4};
        qputenv("PYTHONPATH", torch.site());
        std::vector<std::int64_t> begun;
        const auto recorded = recordRanks(program, {2, 3}, folder.path().toStdString(),
                                          [&begun](std::int64_t rank) { begun.push_back(rank); });
        qunsetenv("PYTHONPATH");
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QVERIFY2(recorded->problem, recorded->problem ? "" : recorded->problem.error().text().c_str());
        QCOMPARE(begun, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(recorded->end.status(), 0);
        QFile file(said);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(),
                 QByteArray("2 6 2 4 0 0,1,2,3\n3 6 3 4 0 0,1,2,3\n1 6 1 4 0 0,1,2,3\n3 6 3 4 0 0,1,2,3\n"));
        const RunResult result = resultOfRanks(recorded->ranks);
        QCOMPARE(result.config["program"]["world"].get<int>(), 6);
        QCOMPARE(result.config["program"]["rank"].get<int>(), 2); // of ranks alike the first
        QCOMPARE(result.ranks.size(), std::size_t{2});
    }

    void whatIsWaitedFor_data()
    {
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("sleeps") << QByteArray(
            "peakscope: rank 3 of 8 has waited for 1 s: time.sleep(0.01) at waits.py:");
        QTest::newRow("store") << QByteArray(
            "peakscope: rank 3 of 8 has waited for 1 s: store.check of ready/3 at waits.py:");
        QTest::newRow("works") << QByteArray();
    }
    void whatIsWaitedFor()
    {
        QFETCH(QByteArray, says);
        const QByteArray how = QTest::currentDataTag();
        const QByteArray real = qgetenv("PEAKSCOPE_DRY_PYTHON");
        if (how == "store" && real.isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
        if (FakeTorch::python().isEmpty())
            QSKIP("no python3 here");
        const FakeTorch torch;
        const QTemporaryDir folder;
        torch.write(QStringLiteral("waits.py"), how == "store"
                                                    ? QByteArray(kWaits).replace("torch.cuda.start", "torch.cuda.init")
                                                    : QByteArray(kWaits));
        const std::string said = torch.filePath(QStringLiteral("said")).toStdString();
        const std::string python = how == "store" ? real.toStdString() : FakeTorch::python().toStdString();
        DryProgram program{dryDevice("dry:h100-80gb").value(),
                           {"sh", "-c", "exec \"$0\" \"$@\" 2>'" + said + "'", python,
                            torch.filePath(QStringLiteral("waits.py")).toStdString(), said, how.toStdString()},
                           2};
        program.place = DryRank{8, 0, 8};
        program.variables["PEAKSCOPE_WAIT_SECONDS"] = "1";
        if (how != "store")
            program.variables["PYTHONPATH"] = torch.site().toStdString();
        const auto recorded = recordRanks(program, {3}, folder.path().toStdString(), [](std::int64_t) {});
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QCOMPARE(recorded->end.status(), 0);
        QFile file(QString::fromStdString(said));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray errors = file.readAll();
        QVERIFY2(says.isEmpty() ? errors.isEmpty() : errors.startsWith(says), errors.constData());
        QCOMPARE(errors.count('\n'), says.isEmpty() ? 0 : 1);
    }

    // Of the processes that a program starts for its ranks the one that is asked for is run.
    void aProgramThatStartsItsRanks()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
        QByteArray said;
        const auto recorded = ranksOf("spawned.py", {16, 0, 8}, {0, 11}, said);
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QCOMPARE(recorded->end.status(), 0);
        QCOMPARE(said, QByteArray("rank 0 of 8 on cuda:0\nrank 3 of 8 on cuda:3\n"));
        for (const auto& rank : recorded->ranks)
            QCOMPARE(rank.recorded.result.config["program"]["steps"].get<int>(), 3);
    }

    void whatCollectivesLeave()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
        QByteArray said;
        const auto recorded = ranksOf("rank_values.py", {8, 0, 8}, {0, 6}, said);
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QCOMPARE(recorded->end.status(), 0);
        QCOMPARE(said,
                 QByteArray("8 of 8\n").repeated(3)); // 7, too, for what 6 takes from it; 1 only to what 0 takes
        const nlohmann::json& own = recorded->ranks.back().recorded.result.config["program"];
        QCOMPARE(own["rank"].get<int>(), 6);
        const nlohmann::json& taken = own["taken_from_peers_at"];
        QCOMPARE(taken.size(), std::size_t{3}); // two exchanges and a receipt
        const auto& notes = recorded->ranks.back().recorded.result.notes;
        QVERIFY(std::ranges::any_of(notes, [](const std::string& note) {
            return note.starts_with("integers from other ranks were replaced in 3 calls: ") &&
                   note.find("recv at rank_values.py:") != std::string::npos;
        }));
        QVERIFY(own["outside"]["communicator_bytes"].get<std::int64_t>() > 0);
    }

private:
    // Of a program of tests/programs, by a real PyTorch; and what it printed.
    static Result<RecordedRanks> ranksOf(const char* name, const DryRank& place, const std::vector<std::int64_t>& ranks,
                                         QByteArray& said)
    {
        const QTemporaryDir folder;
        QFile printed(folder.filePath(QStringLiteral("said")));
        DryProgram program{card(),
                           {"sh", "-c", "exec \"$0\" \"$1\" >> '" + printed.fileName().toStdString() + "'",
                            python().toStdString(), std::string(PEAKSCOPE_SOURCE_DIR "/tests/programs/") + name},
                           100};
        program.place = place;
        auto recorded = recordRanks(program, ranks, folder.path().toStdString(), [](std::int64_t) {});
        said = printed.open(QIODevice::ReadOnly) ? printed.readAll() : QByteArray();
        return recorded;
    }
};

PEAKSCOPE_TEST(TestDryRanks)
#include "test_dry_ranks.moc"
