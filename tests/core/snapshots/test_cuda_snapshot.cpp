// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA memory snapshots: what real ones hold against answers that were made apart from this program, small ones against
// the allocator's rules by hand, and files that are cut, hostile or no snapshots.
#include "core/base/file.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/snapshots/snapshot_document.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <deque>
#include <numeric>

using namespace peakscope;
using peakscope::test::entry;
using peakscope::test::frame;
using peakscope::test::kBase;
using peakscope::test::kMiB;
using Json = nlohmann::json;

namespace {

Json block(std::uint64_t address, std::int64_t size, std::int64_t requested, const char* state)
{
    return {{"address", address}, {"size", size}, {"requested_size", requested}, {"state", state}};
}

Json segment(std::uint64_t address, std::int64_t size, const Json& blocks)
{
    return {{"device", 0}, {"address", address}, {"total_size", size}, {"stream", 0}, {"blocks", blocks}};
}

Json snapshotOf(const Json& segments, const Json& events)
{
    return {{"segments", segments}, {"device_traces", Json::array({events})}};
}

Result<CudaSnapshot> readBytes(const QByteArray& bytes)
{
    return readSnapshotPickle({bytes.data(), static_cast<std::size_t>(bytes.size())}, "s.pickle");
}

SnapshotReplay replayOf(const Json& snapshot)
{
    const auto read = readBytes(pickled(snapshot));
    return read ? replaySnapshot(*read, 0).value() : SnapshotReplay();
}

std::int64_t peakOf(const SnapshotReplay& replay, SnapshotMeasure measure)
{
    return replay.peak(measure).bytes;
}

QString answersFolder()
{
    return QStringLiteral(PEAKSCOPE_SHARED_DIR "/snapshots");
}

} // namespace

class TestCudaSnapshot : public QObject
{
    Q_OBJECT

private slots:
    void realOnes_data();
    void realOnes();
    void blocksOfTheAllocator();
    void roundingByDivisions();
    void freesThatWait();
    void whatWasBefore();
    void kindsOfHistory();
    void endsForLackOfMemory();
    void peaksOfACard();
    void linesOfStacks_data();
    void linesOfStacks();
    void whatGrows();
    void aCacheIsNoLeak();
    void versionsBefore();
    void cutShort_data();
    void cutShort();
    void cutShortHasNoState();
    void hostilePickles_data();
    void hostilePickles();
};

void TestCudaSnapshot::realOnes_data()
{
    QTest::addColumn<QString>("file");
    const QStringList files = QDir(answersFolder()).entryList({"*.pickle", "*.pickle.gz"});
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file;
    if (files.isEmpty())
        QTest::newRow("none") << QString();
}

// answers.json was computed from the pickles alone by a program of its own; its peaks are torch.cuda.memory_stats'.
void TestCudaSnapshot::realOnes()
{
    QFETCH(QString, file);
    if (file.isEmpty())
        QSKIP("no snapshots beside the project");
    const auto text = readTextFile((answersFolder() + "/answers.json").toStdString());
    QVERIFY(text);
    const Json wanted = Json::parse(*text).at(file.toStdString());
    const auto snapshot = openCudaSnapshot((answersFolder() + '/' + file).toStdString());
    QVERIFY2(snapshot, snapshot ? "" : snapshot.error().text().c_str());
    QCOMPARE(snapshot->devices().size(), wanted.size());
    for (const auto& [device, answer] : wanted.items()) {
        const auto replay = replaySnapshot(*snapshot, std::stoll(device));
        QVERIFY(replay);
        for (std::size_t i = 0; i < kSnapshotMeasures; ++i) {
            const auto measure = static_cast<SnapshotMeasure>(i);
            const Json& peak = answer["peak"][std::string(name(measure))];
            QCOMPARE(replay->peaks[i].bytes, peak["bytes"].get<std::int64_t>());
            QCOMPARE(replay->peaks[i].event, peak["event"].get<std::int64_t>());
            const auto curve = snapshotCurve(*snapshot, *replay, measure);
            QCOMPARE(*std::max_element(curve.begin(), curve.end()), replay->peaks[i].bytes);
        }
        QCOMPARE(replay->beforeRequestedBytes, answer["before"]["requested"].get<std::int64_t>());
        QCOMPARE(replay->endAllocatedBytes, answer["end"]["allocated"].get<std::int64_t>());
        QCOMPARE(static_cast<std::int64_t>(replay->stepEnds.size()), answer["steps"].get<std::int64_t>());
        QCOMPARE(replay->outOfMemory.size(), answer["oom"].size());
        for (std::size_t i = 0; i < replay->outOfMemory.size(); ++i) {
            const OutOfMemory& end = replay->outOfMemory[i];
            QCOMPARE(end.unallocatedBytes(), answer["oom"][i]["reserved_unallocated"].get<std::int64_t>());
            QCOMPARE(end.largestFreeBytes, answer["oom"][i]["largest_free_block"].get<std::int64_t>());
            QCOMPARE(snapshotLine(*snapshot, end.stack), answer["oom"][i]["stack"].get<std::string>());
        }
        const auto holders =
            snapshotHolders(*snapshot, *replay, replay->peak(SnapshotMeasure::Requested).event, HolderKey::Line);
        for (const Json& holder : answer["holders_at_peak"]) {
            const auto found = std::find_if(holders.begin(), holders.end(), [&](const SnapshotHolder& own) {
                return own.what == holder["what"].get<std::string>();
            });
            QVERIFY2(found != holders.end(), holder.dump().c_str());
            // Of a history without its beginning the answers count blocks by who took their addresses later.
            if (replay->kind == HistoryKind::Whole || replay->kind == HistoryKind::Late)
                QCOMPARE(found->requestedBytes, holder["requested"].get<std::int64_t>());
        }
        const auto sum = std::accumulate(
            holders.begin(), holders.end(), std::int64_t{0},
            [](std::int64_t bytes, const SnapshotHolder& holder) { return bytes + holder.requestedBytes; });
        QCOMPARE(sum, replay->peak(SnapshotMeasure::Requested).bytes);
        QCOMPARE(growingStacks(*snapshot, *replay).size(),
                 answer["growing"].is_array() ? answer["growing"].size() : std::size_t{0});
    }
}

// A segment of 2 MiB for small blocks: 100 bytes take 512, the rest splits off; freed neighbours join; 1,000,000 bytes
// are rounded to 1,000,448.
void TestCudaSnapshot::blocksOfTheAllocator()
{
    const Json events = {
        entry("segment_alloc", kBase, 2 * kMiB, 1),       entry("alloc", kBase, 100, 2),
        entry("alloc", kBase + 512, 1000000, 3),          entry("free_requested", kBase, 100, 4),
        entry("free_completed", kBase, 100, 4),           entry("free_requested", kBase + 512, 1000000, 5),
        entry("free_completed", kBase + 512, 1000000, 5), entry("alloc", kBase, 1048576, 6)};
    const Json blocks = {block(kBase, kMiB, kMiB, "active_allocated"), block(kBase + kMiB, kMiB, 0, "inactive")};
    const SnapshotReplay replay = replayOf(snapshotOf(Json::array({segment(kBase, 2 * kMiB, blocks)}), events));
    QCOMPARE(replay.kind, HistoryKind::Whole);
    QCOMPARE(replay.blocks.size(), std::size_t{3});
    QCOMPARE(replay.blocks[0].bytes, 512);
    QCOMPARE(replay.blocks[1].bytes, 1000448);
    QCOMPARE(replay.blocks[2].bytes, kMiB); // of the whole 2 MiB, joined again
    QCOMPARE(peakOf(replay, SnapshotMeasure::Requested), kMiB);
    QCOMPARE(peakOf(replay, SnapshotMeasure::Allocated), kMiB);
    QCOMPARE(peakOf(replay, SnapshotMeasure::Reserved), 2 * kMiB);
    QCOMPARE(replay.freedTwice + replay.takenTwice + replay.otherSizes + replay.unlisted, 0);
    // Of a large segment what is left stays with the block where it is 1 MiB or less.
    const Json large = {entry("segment_alloc", kBase, 20 * kMiB, 1), entry("alloc", kBase, 19 * kMiB, 2)};
    QCOMPARE(peakOf(replayOf(snapshotOf(Json::array(), large)), SnapshotMeasure::Allocated), 20 * kMiB);
    const Json larger = {entry("segment_alloc", kBase, 20 * kMiB, 1), entry("alloc", kBase, 18 * kMiB, 2)};
    QCOMPARE(peakOf(replayOf(snapshotOf(Json::array(), larger)), SnapshotMeasure::Allocated), 18 * kMiB);
    Json expandable = snapshotOf(Json::array(), large);
    expandable["allocator_settings"] = {{"expandable_segments", true}};
    QCOMPARE(peakOf(replayOf(expandable), SnapshotMeasure::Allocated), 19 * kMiB);
}

// roundup_power2_divisions 4: between 4 and 8 MiB sizes go up in steps of 1 MiB.
void TestCudaSnapshot::roundingByDivisions()
{
    Json snapshot = snapshotOf(Json::array(),
                               {entry("segment_alloc", kBase, 20 * kMiB, 1), entry("alloc", kBase, 4 * kMiB + 1, 2)});
    snapshot["allocator_settings"] = {{"roundup_power2_divisions", {{"1", 4}, {"2", 4}, {"4", 4}, {"8", 4}}}};
    QCOMPARE(peakOf(replayOf(snapshot), SnapshotMeasure::Allocated), 5 * kMiB);
}

// Between the request and its completion a block is active and no longer allocated.
void TestCudaSnapshot::freesThatWait()
{
    const Json events = {entry("segment_alloc", kBase, 20 * kMiB, 1), entry("alloc", kBase, 8 * kMiB, 2),
                         entry("free_requested", kBase, 8 * kMiB, 3), entry("alloc", kBase + 8 * kMiB, 4 * kMiB, 4),
                         entry("free_completed", kBase, 8 * kMiB, 5)};
    const SnapshotReplay replay = replayOf(snapshotOf(Json::array(), events));
    QCOMPARE(peakOf(replay, SnapshotMeasure::Allocated), 8 * kMiB);
    QCOMPARE(peakOf(replay, SnapshotMeasure::Active), 12 * kMiB);
    const auto snapshot = readBytes(pickled(snapshotOf(Json::array(), events)));
    QCOMPARE(snapshotCurve(*snapshot, replay, SnapshotMeasure::Active),
             (std::vector<std::int64_t>{0, 0, 8 * kMiB, 8 * kMiB, 12 * kMiB, 4 * kMiB}));
}

void TestCudaSnapshot::whatWasBefore()
{
    // 6 MiB from before that go, 2 MiB from before that stay.
    const Json blocks = {block(kBase, 6 * kMiB, 0, "inactive"),
                         block(kBase + 6 * kMiB, 2 * kMiB, 2 * kMiB - 8, "active_allocated"),
                         block(kBase + 8 * kMiB, 12 * kMiB, 0, "inactive")};
    const Json events = {entry("alloc", kBase + 8 * kMiB, kMiB, 1), entry("free_requested", kBase, 6 * kMiB, 2),
                         entry("free_completed", kBase, 6 * kMiB, 2),
                         entry("free_requested", kBase + 8 * kMiB, kMiB, 3),
                         entry("free_completed", kBase + 8 * kMiB, kMiB, 3)};
    const SnapshotReplay replay = replayOf(snapshotOf(Json::array({segment(kBase, 20 * kMiB, blocks)}), events));
    QCOMPARE(replay.kind, HistoryKind::Late);
    QCOMPARE(replay.beforeBlocks, 2);
    QCOMPARE(replay.beforeRequestedBytes, 8 * kMiB - 8);
    QCOMPARE(replay.beforeReservedBytes, 20 * kMiB);
    QCOMPARE(peakOf(replay, SnapshotMeasure::Requested), 9 * kMiB - 8);
    QCOMPARE(peakOf(replay, SnapshotMeasure::Allocated), 9 * kMiB);
}

void TestCudaSnapshot::kindsOfHistory()
{
    const Json held =
        Json::array({segment(kBase, 2 * kMiB, Json::array({block(kBase, 2 * kMiB, kMiB, "active_allocated")}))});
    QCOMPARE(replayOf(snapshotOf(held, Json::array())).kind, HistoryKind::None);
    QCOMPARE(replayOf(snapshotOf(held, Json::array({entry("snapshot", 0, 0, 5)}))).kind, HistoryKind::State);
    Json two = snapshotOf(held, {entry("snapshot", 0, 0, 5), entry("snapshot", 0, 0, 6)});
    QCOMPARE(replayOf(two).kind, HistoryKind::Late);
    // A step that ended before the first event: annotations are kept only while there is a record.
    two["external_annotations"] =
        Json::array({{{"stage", "END"}, {"name", "Optimizer.step#SGD.step"}, {"time_us", 4}}});
    QCOMPARE(replayOf(two).kind, HistoryKind::Cut);
    QVERIFY(!snapshotDeviceJson(*readBytes(pickled(snapshotOf(held, Json::array()))),
                                replayOf(snapshotOf(held, Json::array())))
                 .contains("peak"));
    two.erase("external_annotations");
    two["trace_alloc_overflowed"] = Json::array({true});
    QCOMPARE(replayOf(two).kind, HistoryKind::Cut);
}

void TestCudaSnapshot::endsForLackOfMemory()
{
    // Free are 4 MiB, in pieces of 3 and 1, and 1 MiB on the device.
    Json oom = entry("oom", 0, 4 * kMiB, 9, Json::array({frame("/home/a/train.py", 7, "forward")}));
    oom.erase("addr");
    oom["device_free"] = kMiB;
    const Json events = {entry("segment_alloc", kBase, 20 * kMiB, 1),    entry("alloc", kBase, 3 * kMiB, 2),
                         entry("alloc", kBase + 3 * kMiB, 16 * kMiB, 3), entry("free_requested", kBase, 3 * kMiB, 4),
                         entry("free_completed", kBase, 3 * kMiB, 4),    oom};
    const Json snapshot = snapshotOf(Json::array(), events);
    const SnapshotReplay replay = replayOf(snapshot);
    QCOMPARE(replay.outOfMemory.size(), std::size_t{1});
    const OutOfMemory& end = replay.outOfMemory[0];
    // Of 17 MiB that were left behind 3 the allocator gave 16, for the last one is too small to be worth a piece.
    QCOMPARE(end.unallocatedBytes(), 3 * kMiB);
    QCOMPARE(end.largestFreeBytes, 3 * kMiB);
    QCOMPARE(end.cause(), OutOfMemoryCause::Fragmented);
    const std::string words = outOfMemoryText(*readBytes(pickled(snapshot)), end);
    QVERIFY2(words.find("out of memory at train.py:7 forward: 4.00 MiB requested, 3.00 MiB free") == 0, words.c_str());
    OutOfMemory big = end;
    big.askedBytes = 5 * kMiB;
    QCOMPARE(big.cause(), OutOfMemoryCause::TooBig);
    // The segment that it asked for, 20 MiB, was there on the device.
    big.deviceFreeBytes = 20 * kMiB;
    QCOMPARE(big.cause(), OutOfMemoryCause::Limited);
    const std::string limited = outOfMemoryText(*readBytes(pickled(snapshot)), big);
    QVERIFY2(limited.ends_with("20.0 MiB on the device: the program's limit"), limited.c_str());
    // Within a limit too pieces can be too small.
    big.askedBytes = 3 * kMiB;
    big.largestFreeBytes = 2 * kMiB;
    QCOMPARE(big.cause(), OutOfMemoryCause::Fragmented);
}

// What torch.cuda.memory_stats() said on an NVIDIA H100 as the snapshots were taken (tests/programs/README.md).
void TestCudaSnapshot::peaksOfACard()
{
    const auto text = readTextFile(PEAKSCOPE_SOURCE_DIR "/tests/programs/h100.json");
    QVERIFY(text);
    int compared = 0;
    const Json measured = Json::parse(*text);
    for (const Json& run : measured.at("runs")) {
        const std::string file =
            std::string(PEAKSCOPE_SOURCE_DIR "/tests/core/data/h100/") + run.value("snapshot", "none") + ".pickle.gz";
        if (!QFile::exists(QString::fromStdString(file)))
            continue;
        const auto snapshot = openCudaSnapshot(file);
        QVERIFY2(snapshot, snapshot ? "" : snapshot.error().text().c_str());
        const auto replay = replaySnapshot(*snapshot, 0);
        for (const auto measure : {SnapshotMeasure::Requested, SnapshotMeasure::Allocated, SnapshotMeasure::Active,
                                   SnapshotMeasure::Reserved})
            QCOMPARE(replay->peak(measure).bytes, run.at(std::string(name(measure))).get<std::int64_t>());
        QCOMPARE(replay->outOfMemory.empty(), run.at("oom").get<int>() == 0);
        ++compared;
    }
    QCOMPARE(compared, 2);
}

void TestCudaSnapshot::linesOfStacks_data()
{
    QTest::addColumn<QByteArray>("frames");
    QTest::addColumn<QByteArray>("line");
    const auto row = [](const char* name, const Json& frames, const char* line) {
        QTest::newRow(name) << QByteArray::fromStdString(frames.dump()) << QByteArray(line);
    };
    const Json unwind =
        frame("/opt/venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so", 0, "torch::unwind::unwind()");
    const Json torch = frame("/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", 125, "forward");
    const Json library = frame("/usr/lib/python3.11/threading.py", 975, "run");
    const Json own = frame("/home/a/job/train.py", 28, "forward");
    row("the user's own", {unwind, torch, library, own}, "train.py:28 forward");
    row("none of the user's", {unwind, library, torch}, "threading.py:975 run");
    row("backward",
        {unwind, frame("??", 0, "torch::autograd::generated::AddmmBackward0::apply(std::vector<at::Tensor>&&)")},
        "backward of Addmm");
    row("no Python at all", {unwind, frame("libc.so.6", 0, "start")}, "libtorch_cpu.so torch::unwind::unwind()");
    row("nothing", Json::array(), "(no stack)");
}

void TestCudaSnapshot::linesOfStacks()
{
    QFETCH(QByteArray, frames);
    QFETCH(QByteArray, line);
    const auto snapshot = readBytes(pickled(
        snapshotOf(Json::array(), Json::array({entry("alloc", kBase, 8, 1, Json::parse(frames.toStdString()))}))));
    QVERIFY(snapshot);
    QCOMPARE(QByteArray::fromStdString(snapshotLine(*snapshot, snapshot->histories[0].events[0].stack)), line);
}

// One block a step stays of one stack in three steps, of another in two, and of a third only after the last step.
void TestCudaSnapshot::whatGrows()
{
    Json events = Json::array(), marks = Json::array();
    std::uint64_t next = kBase;
    const auto stay = [&](int time, int line) {
        events.push_back(entry("alloc", next, 1024, time, Json::array({frame("train.py", line, "loop")})));
        next += 4096;
    };
    for (int step = 0; step < 3; ++step) {
        stay(10 * step + 1, 5);
        if (step < 2)
            stay(10 * step + 2, 6);
        marks.push_back(
            {{"stage", "END"}, {"name", "Optimizer.step#Adam.step"}, {"device", 0}, {"time_us", 10 * step + 9}});
    }
    for (int i = 0; i < 3; ++i)
        stay(31 + i, 7);
    Json snapshot = snapshotOf(Json::array(), events);
    snapshot["external_annotations"] = marks;
    const auto whole = readBytes(pickled(snapshot));
    const auto growing = growingStacks(*whole, replayOf(snapshot));
    QCOMPARE(growing.size(), std::size_t{1});
    QCOMPARE(growing[0].line, std::string("train.py:5 loop"));
    QCOMPARE(growing[0].requestedBytes, 3 * 1024);
    QCOMPARE(growing[0].steps, 3);
    QVERIFY(growing[0].steady);
    QCOMPARE(growing[0].stepBytes, 1024);
}

// What fills in its first steps and no more is a cache, and what differs from step to step may be one; only what each
// of the last three leaves alike grows for sure. Then that comes first, and a setting that helps once says so.
void TestCudaSnapshot::aCacheIsNoLeak()
{
    const auto trainingOf = [](const std::vector<std::vector<std::int64_t>>& left, bool longerSteps, std::size_t kept) {
        Json events = Json::array(), marks = Json::array();
        std::deque<Json> queue;
        std::uint64_t next = kBase;
        for (std::size_t step = 0; step < left.size(); ++step) {
            const int time = 10 * static_cast<int>(step);
            std::int64_t work = longerSteps ? 0 : 4 << 20; // what the step lets go of
            for (const std::int64_t bytes : left[step]) {
                work += longerSteps ? 3 * bytes : 0;
                events.push_back(entry("alloc", next, bytes, time + 1, Json::array({frame("train.py", 5, "loop")})));
                queue.push_back(events.back());
                next += 8 << 20;
            }
            for (; queue.size() > kept; queue.pop_front()) {
                for (const char* action : {"free_requested", "free_completed"})
                    events.push_back(
                        entry(action, queue.front()["addr"], queue.front()["size"], time + 2, Json::array()));
            }
            events.push_back(entry("alloc", next, work, time + 2, Json::array({frame("train.py", 6, "loop")})));
            events.push_back(entry("free_requested", next, work, time + 3, Json::array()));
            events.push_back(entry("free_completed", next, work, time + 3, Json::array()));
            next += 8 << 20;
            marks.push_back(
                {{"stage", "END"}, {"name", "Optimizer.step#Adam.step"}, {"device", 0}, {"time_us", time + 9}});
        }
        Json snapshot = snapshotOf(Json::array(), events);
        snapshot["external_annotations"] = marks;
        return snapshot;
    };
    const auto growingOf = [&](const std::vector<std::vector<std::int64_t>>& left, bool longerSteps = false,
                               std::size_t kept = 100) {
        const Json snapshot = trainingOf(left, longerSteps, kept);
        return growingStacks(*readBytes(pickled(snapshot)), replayOf(snapshot));
    };
    const auto leak = growingOf({{1024, 2048}, {2048, 1024}, {1024, 2048}, {1024, 2048}});
    QCOMPARE(leak.size(), std::size_t{1});
    QVERIFY(leak[0].steady);
    QCOMPARE(leak[0].stepBytes, 3072);
    QVERIFY(growingOf({{65536}, {131072}, {262144}}, true)[0].steady); // batches of other lengths, kept all the same
    for (const auto& left : {std::vector<std::vector<std::int64_t>>{{1024}, {1024}, {1024}, {}, {}},
                             {{1024}, {2048}, {1 << 20}},
                             {{1024}, {}, {1024}, {1024}}}) {
        const auto growing = growingOf(left);
        QCOMPARE(growing.size(), std::size_t{1});
        QVERIFY(!growing[0].steady);
        QCOMPARE(steadyGrowth(growing).bytes, 0);
    }
    // The last three batches are kept, not all.
    const std::vector<std::vector<std::int64_t>> batches(10, {1 << 20});
    QVERIFY(growingOf(batches)[0].steady);
    QVERIFY(!growingOf(batches, false, 3)[0].steady);
    // A few bytes a step are not why memory of megabytes runs out.
    const auto mattersOf = [&](std::int64_t bytes) {
        const Json snapshot = trainingOf({{bytes}, {bytes}, {bytes}, {bytes}}, false, 100);
        return matters(steadyGrowth(growingStacks(*readBytes(pickled(snapshot)), replayOf(snapshot))),
                       replayOf(snapshot));
    };
    QVERIFY(!mattersOf(512));
    QVERIFY(mattersOf(1 << 20));
}

// 2.0: a block's request and frames stand in its history; frees are one event.
void TestCudaSnapshot::versionsBefore()
{
    const Json old = {{"size", 2 * kMiB},
                      {"state", "active_allocated"},
                      {"history", Json::array({{{"addr", kBase},
                                                {"real_size", 1500000},
                                                {"frames", Json::array({frame("train.py", 3, "main")})}}})}};
    const Json segments =
        Json::array({{{"device", 0}, {"address", kBase}, {"total_size", 2 * kMiB}, {"blocks", Json::array({old})}}});
    const auto bare = readBytes(pickled(segments));
    QVERIFY(bare);
    QCOMPARE(bare->segments[0].blocks[0].requestedBytes, 1500000);
    QCOMPARE(snapshotLine(*bare, bare->segments[0].blocks[0].stack), std::string("train.py:3 main"));
    const Json events = {entry("segment_alloc", kBase, 20 * kMiB, 1), entry("alloc", kBase, 8 * kMiB, 2),
                         entry("free", kBase, 8 * kMiB, 3)};
    const SnapshotReplay replay = replayOf(snapshotOf(Json::array(), events));
    QCOMPARE(replay.blocks[0].freeCompleted, 2);
    // What a later version adds is named.
    Json later = snapshotOf(Json::array(), events);
    later["device_traces"][0][1]["colour"] = 3;
    later["weather"] = "fair";
    QCOMPARE(readBytes(pickled(later))->notRead, (std::vector<std::string>{"weather", "colour"}));
}

void TestCudaSnapshot::cutShort_data()
{
    QTest::addColumn<int>("left"); // bytes
    const int size = static_cast<int>(
        pickled(snapshotOf(Json::array(), {entry("alloc", kBase, 8, 1), entry("alloc", kBase + 512, 8, 2)})).size());
    QTest::newRow("in the head") << 1;
    QTest::newRow("before any event") << 40;
    QTest::newRow("in the last event") << size - 30;
    QTest::newRow("before the end") << size - 1;
}

void TestCudaSnapshot::cutShort()
{
    QFETCH(int, left);
    QByteArray bytes =
        pickled(snapshotOf(Json::array(), {entry("alloc", kBase, 8, 1), entry("alloc", kBase + 512, 8, 2)}));
    bytes.truncate(left);
    const auto snapshot = readBytes(bytes);
    if (snapshot) {
        QCOMPARE(*snapshot->truncatedAt, std::uint64_t(left));
        QVERIFY(snapshot->histories[0].events.size() == 1 || snapshot->histories[0].events.size() == 2);
    } else {
        QVERIFY2(snapshot.error().text().find("s.pickle: ") == 0, snapshot.error().text().c_str());
    }
    QCOMPARE(snapshot.ok(), left > 100);
}

// The state at the end is that of all events: what it holds beyond those that were read was not there before them.
void TestCudaSnapshot::cutShortHasNoState()
{
    constexpr std::uint64_t kBlocks = 64;
    Json events = {entry("segment_alloc", kBase, kMiB * kBlocks, 1)}, blocks = Json::array();
    for (std::uint64_t i = 0; i < kBlocks; ++i) {
        events.push_back(entry("alloc", kBase + i * kMiB, kMiB, 2 + static_cast<int>(i)));
        blocks.push_back(block(kBase + i * kMiB, kMiB, kMiB, "active_allocated"));
    }
    QByteArray bytes("\x80\x04}(", 4); // the state comes first, as PyTorch has it
    pickle(bytes, "segments");
    pickle(bytes, Json::array({segment(kBase, kMiB * kBlocks, blocks)}));
    pickle(bytes, "device_traces");
    pickle(bytes, Json::array({events}));
    bytes.chop(1000);
    const auto snapshot = readBytes(bytes);
    QVERIFY2(snapshot.ok(), snapshot ? "" : snapshot.error().text().c_str());
    QVERIFY(snapshot->truncatedAt && snapshot->histories[0].events.size() < kBlocks);
    const auto replay = replaySnapshot(*snapshot, 0);
    QVERIFY2(replay.ok(), replay ? "" : replay.error().text().c_str());
    QCOMPARE(replay->beforeAllocatedBytes, std::int64_t{0});
    // More may have come behind the last event, and the end is that after it.
    QCOMPARE(replay->kind, HistoryKind::Cut);
    const auto allocated = static_cast<std::int64_t>(snapshot->histories[0].events.size() - 1) * kMiB;
    QVERIFY(allocated > 0);
    QCOMPARE(replay->endAllocatedBytes, allocated);
    QCOMPARE(replay->endRequestedBytes, allocated);
    QCOMPARE(replay->endBlocks, allocated / kMiB);
    QCOMPARE(replay->endReservedBytes, kMiB * std::int64_t{kBlocks});
    QCOMPARE(replay->endInactiveBytes, replay->endReservedBytes - allocated);
    QCOMPARE(replay->endLargestFreeBytes, replay->endInactiveBytes);
    QCOMPARE(replay->endSegments, std::int64_t{1});
    const auto results = snapshotResults(*snapshot, "s.pickle");
    const std::vector<std::string>& notes = results->front().notes;
    QVERIFY(std::ranges::count(notes, "the history ends with the file, so the peak is a lower bound") == 1);
}

void TestCudaSnapshot::hostilePickles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, QByteArray bytes, const char* says) {
        QTest::newRow(name) << bytes << QByteArray(says);
    };
    row("a call", QByteArray("\x80\x04\x8c\x02os\x8c\x06system\x93."), "makes an object");
    row("a call of a long name",
        QByteArray("\x80\x02"
                   "c") +
            QByteArray(5000, 'a') + "\nb\n.",
        "aaa... makes an object");
    row("protocol of the future", QByteArray("\x80\x09."), "protocol 9");
    row("an item for nothing",
        QByteArray("\x80\x04K\x01"
                   "a."),
        "takes none");
    row("a drop below a mark",
        QByteArray("\x80\x02]N("
                   "a00."),
        "nothing to drop");
    row("a memory that is empty", QByteArray("\x80\x04h\x07."), "never remembered");
    row("a far memory",
        QByteArray("\x80\x04Nr\xff\xff\xff\xff"
                   "0j\xff\xff\xff\xff."),
        "not a CUDA memory snapshot");
    row("a text without end",
        QByteArray("\x80\x04X\xff\xff\xff\xff"
                   "abc"),
        "s.pickle: ");
    row("a long without end",
        QByteArray("\x80\x04\x8b\xff\xff\xff\xff"
                   "abc"),
        "s.pickle: ");
    row("a number", QByteArray("\x80\x04K\x01."), "not a CUDA memory snapshot");
    row("many values", QByteArray("\x80\x04NNN."), "ends with 3 values");
    // A list that holds itself, as segments and as blocks.
    row("a circle",
        QByteArray("\x80\x04}X\x08\x00\x00\x00segments]q\x00h\x00"
                   "as.",
                   22 + 2),
        "segments[0]");
}

void TestCudaSnapshot::hostilePickles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, says);
    const auto snapshot = readBytes(bytes);
    QVERIFY(!snapshot);
    QVERIFY2(QByteArray::fromStdString(snapshot.error().text()).contains(says), snapshot.error().text().c_str());
}

PEAKSCOPE_APPLESS_TEST(TestCudaSnapshot)
#include "test_cuda_snapshot.moc"
