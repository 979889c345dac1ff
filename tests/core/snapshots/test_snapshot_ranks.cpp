// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A folder with a snapshot a rank: which files are ranks, how far they differ, and the two kept ones against answers
// that were made apart from this program.
#include "core/base/file.h"
#include "core/import/read_any.h"
#include "core/import/snapshot_ranks.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace peakscope;
using peakscope::test::entry;
using peakscope::test::frame;
using peakscope::test::kBase;
using peakscope::test::kMiB;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

// 4 MiB of a parameter on every rank, and `extra` MiB of a line of its own; `fails`: a request that could not be had.
Json rankSnapshot(int extra, bool fails = false)
{
    const auto at = [](int line) { return Json::array({frame("/home/a/train.py", line, "train")}); };
    Json events = {entry("segment_alloc", kBase, 40 * kMiB, 1), entry("alloc", kBase, 4 * kMiB, 2, at(10)),
                   entry("alloc", kBase + 8 * kMiB, extra * kMiB, 1500002, at(20))};
    if (fails) {
        Json end = entry("oom", 0, 64 * kMiB, 1500003, at(30));
        end["device_free"] = kMiB;
        events.push_back(end);
    }
    return {{"segments", Json::array()}, {"device_traces", Json::array({events})}};
}

void put(const fs::path& path, const Json& snapshot)
{
    fs::create_directories(path.parent_path());
    const QByteArray bytes = pickled(snapshot);
    QVERIFY(writeFileAtomically(path, std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size()))));
}

std::vector<std::int64_t> numbersOf(const RankFolder& folder)
{
    std::vector<std::int64_t> numbers;
    for (const RankFile& file : folder.files)
        numbers.push_back(file.rank);
    return numbers;
}

} // namespace

class TestSnapshotRanks : public QObject
{
    Q_OBJECT

private slots:
    void namesOfRanks_data();
    void namesOfRanks();
    void whichFilesAreRanks();
    void foldersOfIterations();
    void theWorstIsNamed();
    void theOneThatRanOut();
    void theDeviceThatRanOut();
    void aBrokenOne();
    void realRanks();
};

void TestSnapshotRanks::namesOfRanks_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("rank");
    QTest::newRow("torchtitan") << "rank0_memory_snapshot.pickle" << 0;
    QTest::newRow("behind a word") << "snapshot_rank_3.pickle" << 3;
    QTest::newRow("packed") << "rank_12.pickle.gz" << 12;
    QTest::newRow("a dash, in capitals") << "host-RANK-7.pickle" << 7;
    QTest::newRow("two of them: the last") << "local_rank1_rank9.pickle" << 9;
    QTest::newRow("a word that ends like it") << "rank5_frank.pickle" << 5;
    QTest::newRow("none") << "snapshot_3.pickle" << -1;
    QTest::newRow("no number") << "rank.pickle" << -1;
}

void TestSnapshotRanks::namesOfRanks()
{
    QFETCH(QString, file);
    QFETCH(int, rank);
    QCOMPARE(rankOfName(file.toStdString()).value_or(-1), rank);
}

void TestSnapshotRanks::whichFilesAreRanks()
{
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    for (const char* name : {"rank10.pickle", "rank2.pickle", "rank_2.pickle", "rank1.pickle", "other.pickle"})
        put(root / name, rankSnapshot(1));
    QVERIFY(writeFileAtomically(root / "notes.txt", std::string_view("of rank 3")));
    QVERIFY(writeFileAtomically(root / "rank3.pickle", std::string_view("no pickle")));
    const auto found = findRanks(root);
    QVERIFY(found);
    QCOMPARE(numbersOf(*found), (std::vector<std::int64_t>{1, 2, 10}));
    QCOMPARE(found->files[1].path.filename().string(), std::string("rank2.pickle"));
    QCOMPARE(found->notes,
             (std::vector<std::string>{"rank 2 is there 2 times: rank2.pickle is shown, rank_2.pickle is passed over",
                                       "skipped, because it is not a CUDA snapshot: notes.txt and rank3.pickle",
                                       "skipped, because its name has no rank: other.pickle"}));
}

void TestSnapshotRanks::foldersOfIterations()
{
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    for (const char* name : {"iteration_9", "iteration_10"}) {
        put(root / name / "rank0_memory_snapshot.pickle", rankSnapshot(1));
        put(root / name / "rank1_memory_snapshot.pickle", rankSnapshot(2));
    }
    fs::create_directories(root / "iteration_99");
    const auto found = findRanks(root);
    QVERIFY(found);
    QCOMPARE(numbersOf(*found), (std::vector<std::int64_t>{0, 1}));
    QCOMPARE(found->files[0].path.parent_path().filename().string(), std::string("iteration_10"));
    QCOMPARE(found->notes, std::vector<std::string>{"iteration_10 is shown, the last; iteration_9 holds ranks, too"});
}

// 4 + 1, 4 + 3, 4 + 8 and 4 + 2 MiB: rank 2 is the fullest, of the others rank 3 is the lower one in the middle.
void TestSnapshotRanks::theWorstIsNamed()
{
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    const int extras[] = {1, 3, 8, 2};
    for (int i = 0; i < 4; ++i)
        put(root / ("rank" + std::to_string(i) + ".pickle"), rankSnapshot(extras[i]));
    const auto found = findRanks(root);
    const auto comparison = compareRanks(*found);
    QVERIFY(comparison);
    for (int i = 0; i < 4; ++i) {
        const RankSummary& rank = comparison->ranks[static_cast<std::size_t>(i)];
        QCOMPARE(rank.rank, i);
        QCOMPARE(rank.peak(SnapshotMeasure::Allocated).bytes, (4 + extras[i]) * kMiB);
        QCOMPARE(rank.reservedAtPeakBytes, 40 * kMiB);
        QCOMPARE(rank.peakSeconds, 1.500001);
        QVERIFY(!rank.ranOut);
    }
    QCOMPARE(*comparison->worst(), std::size_t{2});
    QCOMPARE(*comparison->emptiest, std::size_t{0});
    QCOMPARE(*comparison->median, std::size_t{3});
    QCOMPARE(comparison->spreadBytes(), 7 * kMiB);
    QCOMPARE(comparison->changes.size(), std::size_t{1}); // train.py:10 is the same
    QCOMPARE(comparison->changes[0].what, std::string("train.py:20 train"));
    QCOMPARE(comparison->changes[0].bytes(), 6 * kMiB);
}

// The rank that ran out is the worst, though another was fuller.
void TestSnapshotRanks::theOneThatRanOut()
{
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    put(root / "rank0.pickle", rankSnapshot(8));
    put(root / "rank1.pickle", rankSnapshot(3, true));
    const auto comparison = compareRanks(*findRanks(root));
    QVERIFY(comparison);
    QCOMPARE(*comparison->fullest, std::size_t{0});
    QCOMPARE(*comparison->ranOut, std::size_t{1});
    QCOMPARE(*comparison->worst(), std::size_t{1});
    QCOMPARE(*comparison->median, std::size_t{0});
    QCOMPARE(comparison->ranks[1].ranOut->askedBytes, 64 * kMiB);
}

// Of several devices in a file, too; where none ran out the fullest.
void TestSnapshotRanks::theDeviceThatRanOut()
{
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    const auto traceOf = [](int extra, bool fails) { return rankSnapshot(extra, fails)["device_traces"][0]; };
    const auto snapshotOf = [](const Json& traces) {
        return Json{{"segments", Json::array()}, {"device_traces", traces}};
    };
    put(root / "rank0.pickle", snapshotOf({traceOf(8, false), traceOf(3, true), Json::array()}));
    put(root / "rank1.pickle", snapshotOf({traceOf(3, false), traceOf(8, false)}));
    const auto comparison = compareRanks(*findRanks(root));
    QVERIFY(comparison);
    QCOMPARE(comparison->ranks[0].device, std::int64_t{1});
    QVERIFY(comparison->ranks[0].ranOut);
    QCOMPARE(comparison->ranks[1].device, std::int64_t{1});
    QCOMPARE(comparison->notes,
             (std::vector<std::string>{"rank 0: of devices 0 and 1, device 1 is shown, which ran out of memory",
                                       "rank 1: of devices 0 and 1, device 1 is shown, the fullest"}));
    const auto results = readAny(root / "rank0.pickle");
    QVERIFY(results && results->size() == 2);
    QCOMPARE(results->front().config["device"], Json("cuda:1"));
    QCOMPARE(results->back().config["device"], Json("cuda:0"));
}

void TestSnapshotRanks::aBrokenOne()
{
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    put(root / "rank0.pickle", rankSnapshot(1));
    put(root / "rank1.pickle", rankSnapshot(2));
    Json broken = rankSnapshot(1);
    broken["device_traces"][0][1]["size"] = -1;
    put(root / "rank2.pickle", broken);
    const auto comparison = compareRanks(*findRanks(root));
    QVERIFY(comparison);
    QCOMPARE(comparison->ranks.size(), std::size_t{2});
    QCOMPARE(comparison->notes.size(), std::size_t{1});
    QVERIFY(comparison->notes[0].starts_with("rank 2 was not read: "));
    QVERIFY(comparison->notes[0].ends_with("device_traces[0][1]: size -1 is not a size"));
}

// Peaks of torch.cuda.memory_stats, and the difference that was computed apart from this program.
void TestSnapshotRanks::realRanks()
{
    const fs::path shared = PEAKSCOPE_SHARED_DIR "/snapshots";
    if (!fs::exists(shared / "rank1.pickle.gz"))
        QSKIP("no snapshots beside the project");
    const auto comparison = compareRanks({{{0, shared / "rank0.pickle.gz"}, {1, shared / "rank1.pickle.gz"}}, {}});
    QVERIFY(comparison);
    QCOMPARE(comparison->ranks[0].peak(SnapshotMeasure::Requested).bytes, 89'506'796);
    QCOMPARE(comparison->ranks[1].peak(SnapshotMeasure::Requested).bytes, 134'493'132);
    QCOMPARE(*comparison->worst(), std::size_t{1});
    std::int64_t sum = 0;
    for (const HolderChange& change : comparison->changes)
        sum += change.bytes();
    QCOMPARE(sum, 44'986'336);
}

PEAKSCOPE_APPLESS_TEST(TestSnapshotRanks)
#include "test_snapshot_ranks.moc"
