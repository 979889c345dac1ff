// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a snapshot says beside its device's events: pinned host memory, the program's annotations, and where steps end
// when no optimiser marks them. By hand, of small snapshots.
#include "core/import/cuda_snapshot_file.h"
#include "core/snapshots/snapshot_document.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>

using namespace peakscope;
using peakscope::test::entry;
using peakscope::test::frame;
using peakscope::test::kBase;
using peakscope::test::kMiB;
using Json = nlohmann::json;

namespace {

CudaSnapshot snapshotOf(const Json& json)
{
    const QByteArray bytes = pickled(json);
    return readSnapshotPickle({bytes.data(), static_cast<std::size_t>(bytes.size())}, "s.pickle").value();
}

Json stackAt(int line)
{
    return Json::array({frame("/home/a/train.py", line, "load")});
}

// 6 MiB at the peak, of which line 8 holds 4; 2 are left.
Json hostEvents()
{
    return {entry("segment_alloc", kBase, 8 * kMiB, 2), entry("alloc", kBase, 2 * kMiB, 3, stackAt(7)),
            entry("alloc", kBase + 4 * kMiB, 4 * kMiB, 4, stackAt(8)),
            entry("free_requested", kBase + 4 * kMiB, 4 * kMiB, 5, stackAt(9)),
            entry("free_completed", kBase + 4 * kMiB, 4 * kMiB, 6, stackAt(9))};
}

Json withHost(const Json& traces)
{
    const Json blocks = {{{"address", kBase}, {"size", 2 * kMiB}, {"state", "active_allocated"}}};
    return {{"segments", Json::array()},
            {"device_traces", Json::array({Json::array({entry("segment_alloc", kBase, 20 * kMiB, 1),
                                                        entry("alloc", kBase, kMiB, 7, stackAt(1))})})},
            {"host_segments",
             Json::array({{{"address", kBase}, {"total_size", 8 * kMiB}, {"device", 0}, {"blocks", blocks}}})},
            {"host_traces", traces}};
}

SnapshotReplay replayOf(const Json& json)
{
    return replaySnapshot(snapshotOf(json), 0).value();
}

Json mark(const char* stage, const char* name, int time)
{
    return {{"stage", stage}, {"name", name}, {"device", 0}, {"time_us", time}};
}

// Ten allocations of 1 MiB at 10, 20, … microseconds.
Json tenEvents()
{
    Json events = {entry("segment_alloc", kBase, 20 * kMiB, 10)};
    for (int i = 1; i < 10; ++i)
        events.push_back(entry("alloc", kBase + static_cast<std::uint64_t>(i * kMiB), kMiB, 10 * (i + 1)));
    return {{"segments", Json::array()}, {"device_traces", Json::array({events})}};
}

} // namespace

class TestSnapshotWords : public QObject
{
    Q_OBJECT

private slots:
    void pinnedHost_data();
    void pinnedHost();
    void oddHostMemory();
    void hostMemoryAlone();
    void stepsOfZeroGrad();
    void uncertainZeroGrad();
    void stepsOfMetadata();
    void stepsOfUserEvents();
    void spans();
    void phasesOfSpans();
};

void TestSnapshotWords::pinnedHost_data()
{
    QTest::addColumn<bool>("several");
    QTest::newRow("one list") << false;
    QTest::newRow("a list each") << true;
}

void TestSnapshotWords::pinnedHost()
{
    QFETCH(bool, several);
    const Json events = hostEvents();
    const Json lists = {Json::array({events[0], events[1], events[3], events[4]}), Json::array({events[2]})};
    const CudaSnapshot snapshot = snapshotOf(withHost(several ? lists : events));
    QVERIFY(snapshot.notRead.empty());
    const auto host = pinnedHostJson(snapshot);
    QVERIFY(host.has_value());
    QCOMPARE((*host)["peak_bytes"].get<std::int64_t>(), 6 * kMiB);
    QCOMPARE((*host)["end_bytes"].get<std::int64_t>(), 2 * kMiB);
    QCOMPARE((*host)["reserved_bytes"].get<std::int64_t>(), 8 * kMiB);
    QCOMPARE((*host)["holders"].size(), std::size_t{2});
    QCOMPARE((*host)["holders"][0]["what"].get<std::string>(), std::string("train.py:8 load"));
    QCOMPARE((*host)["holders"][0]["requested_bytes"].get<std::int64_t>(), 4 * kMiB);
    // The device knows nothing of it.
    QCOMPARE(snapshot.devices(), std::vector<std::int64_t>{0});
    const SnapshotReplay replay = replaySnapshot(snapshot, 0).value();
    QCOMPARE(replay.peak(SnapshotMeasure::Allocated).bytes, kMiB);
    QCOMPARE(replay.endReservedBytes, 0);
    QCOMPARE(replay.events, 2);
}

void TestSnapshotWords::oddHostMemory()
{
    Json events = hostEvents();
    events[1]["size"] = "two";
    const CudaSnapshot snapshot = snapshotOf(withHost(events));
    QCOMPARE(snapshot.notRead,
             std::vector<std::string>{
                 "pinned host memory, for host_traces[1]: size is a string, not an integer below 2^63"});
    QVERIFY(!pinnedHostJson(snapshot));
    QCOMPARE(replaySnapshot(snapshot, 0)->peak(SnapshotMeasure::Allocated).bytes, kMiB);
}

// record_cuda=False.
void TestSnapshotWords::hostMemoryAlone()
{
    Json json = withHost(hostEvents());
    json["device_traces"] = Json::array({Json::array()});
    const auto results = snapshotResults(snapshotOf(json), "s.pickle");
    QVERIFY(results);
    QCOMPARE(results->size(), std::size_t{1});
    QVERIFY(!results->front().memory);
    QCOMPARE(results->front().notes,
             (std::vector<std::string>{"of devices the snapshot has nothing: only pinned host memory was recorded",
                                       "pinned host memory, which is in no sum of a device: 6.00 MiB at its peak, most "
                                       "of it at train.py:8 load"}));
}

// Of a training without marks: each step lets go of its one gradient of 1 MiB.
void TestSnapshotWords::stepsOfZeroGrad()
{
    Json json = peakscope::test::SmallTraining(3).json();
    json["external_annotations"] = Json::array();
    std::vector<std::int64_t> wanted;
    const Json& events = json["device_traces"][0];
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i]["action"] == "free_requested" && !events[i]["frames"].empty() &&
            events[i]["frames"][0]["name"] == "zero_grad")
            wanted.push_back(static_cast<std::int64_t>(i));
    }
    const SnapshotReplay replay = replayOf(json);
    QCOMPARE(wanted.size(), std::size_t{3});
    QCOMPARE(replay.stepEnds, wanted);
    QCOMPARE(replay.stepSource, StepSource::ZeroGrad);
    QCOMPARE(replay.kind, HistoryKind::Whole);
    QCOMPARE(replayOf(peakscope::test::SmallTraining(3).json()).stepSource, StepSource::Optimizer);
}

// Other gradients the second time: nothing is said.
void TestSnapshotWords::uncertainZeroGrad()
{
    const Json zero = Json::array({frame("/opt/site-packages/torch/optim/optimizer.py", 900, "zero_grad")});
    const auto snapshot = [&](std::int64_t second) -> Json {
        const Json events = {entry("segment_alloc", kBase, 20 * kMiB, 1),
                             entry("alloc", kBase, kMiB, 2),
                             entry("free_requested", kBase, kMiB, 3, zero),
                             entry("free_completed", kBase, kMiB, 4),
                             entry("alloc", kBase, second, 5),
                             entry("free_requested", kBase, second, 6, zero),
                             entry("free_completed", kBase, second, 7)};
        return {{"segments", Json::array()}, {"device_traces", Json::array({events})}};
    };
    QCOMPARE(replayOf(snapshot(kMiB)).stepEnds, (std::vector<std::int64_t>{2, 5}));
    QVERIFY(replayOf(snapshot(2 * kMiB)).stepEnds.empty());
    QCOMPARE(replayOf(snapshot(2 * kMiB)).stepSource, StepSource::None);
}

void TestSnapshotWords::stepsOfMetadata()
{
    Json json = tenEvents();
    Json& events = json["device_traces"][0];
    const char* words[] = {"", "step 1", "step 1", "warm", "step 1", "step 2", "step 2", "", "step 3", "step 3"};
    for (std::size_t i = 0; i < 10; ++i)
        events[i]["user_metadata"] = words[i];
    const SnapshotReplay replay = replayOf(json);
    QCOMPARE(replay.stepEnds, (std::vector<std::int64_t>{5, 8}));
    QCOMPARE(replay.stepSource, StepSource::Metadata);
    events[9]["user_metadata"] = "step 1"; // they go back: these do not count steps
    QVERIFY(replayOf(json).stepEnds.empty());
}

void TestSnapshotWords::stepsOfUserEvents()
{
    Json json = tenEvents();
    Json& events = json["device_traces"][0];
    for (const auto& [place, name] : {std::pair(2, "ProfilerStep#0"), std::pair(5, "ProfilerStep#1")})
        events[static_cast<std::size_t>(place)] =
            entry("user_defined", 0, 0, 10 * (place + 1), Json::array({frame("", 0, name)}));
    const SnapshotReplay replay = replayOf(json);
    QCOMPARE(replay.stepEnds, std::vector<std::int64_t>{5});
    QCOMPARE(replay.stepSource, StepSource::Profiler);
    const auto results = snapshotResults(snapshotOf(json), "s.pickle");
    QVERIFY(results);
    const auto& marks = results->front().memory->snapshots;
    QCOMPARE(marks.size(), std::size_t{2});
    QCOMPARE(marks[1].name, std::string("ProfilerStep#1"));
    QCOMPARE(marks[1].allocatedBytes, 3 * kMiB); // of events 1, 3 and 4
}

// Between 15 and 55 lie events 1 to 4, between 25 and 45 2 and 3; one has no end, one no beginning, one no event.
void TestSnapshotWords::spans()
{
    Json json = tenEvents();
    json["external_annotations"] = {
        mark("END", "lost", 12),  mark("START", "outer", 15), mark("START", "inner", 25),
        mark("END", "inner", 45), mark("END", "outer", 55),   mark("START", "none", 61),
        mark("END", "none", 62),  mark("START", "open", 85),  mark("START", "Optimizer.step#SGD.step", 86)};
    const CudaSnapshot snapshot = snapshotOf(json);
    const Json device = snapshotDeviceJson(snapshot, replaySnapshot(snapshot, 0).value());
    const auto row = [](const char* name, int first, int last, std::int64_t peak) -> Json {
        return {{"name", name}, {"first_event", first}, {"last_event", last}, {"peak_allocated_bytes", peak}};
    };
    QCOMPARE(device["annotations"].dump(),
             Json({row("outer", 1, 4, 4 * kMiB), row("inner", 2, 3, 3 * kMiB), row("open", 8, 9, 9 * kMiB)}).dump());
}

// The program's own word counts, and what was inferred goes on behind it.
void TestSnapshotWords::phasesOfSpans()
{
    Json json = peakscope::test::SmallTraining(1).json();
    const SnapshotReplay inferred = replayOf(json);
    // Times are 1, 2, …: from event 3 to event 4.
    const Json& events = json["device_traces"][0];
    json["external_annotations"].push_back(mark("START", "## Backward ##", events[3]["time_us"].get<int>() - 0));
    json["external_annotations"].push_back(mark("END", "## Backward ##", events[5]["time_us"].get<int>()));
    json["external_annotations"].push_back(mark("START", "feedforward", 1));
    json["external_annotations"].push_back(mark("END", "feedforward", 9));
    const SnapshotReplay replay = replayOf(json);
    const auto phaseAt = [](const SnapshotReplay& of, std::int64_t event) {
        Phase phase = Phase::Load;
        for (const SnapshotPhase& each : of.phases) {
            if (each.event <= event)
                phase = each.phase;
        }
        return phase;
    };
    for (std::int64_t event = 0; event < replay.events; ++event)
        QCOMPARE(phaseAt(replay, event), event >= 4 && event <= 5 ? Phase::Backward : phaseAt(inferred, event));
}

PEAKSCOPE_APPLESS_TEST(TestSnapshotWords)
#include "test_snapshot_words.moc"
