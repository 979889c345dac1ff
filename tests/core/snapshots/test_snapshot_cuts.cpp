// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Histories that begin in mid-run, as a ring buffer that was full leaves them: what half an event says of what was
// there before the record. Every number is counted by hand from the events and the segments of the end.
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>

using namespace peakscope;
using peakscope::test::entry;
using peakscope::test::kBase;
using peakscope::test::kMiB;
using Json = nlohmann::json;

namespace {

std::uint64_t at(int place)
{
    return kBase + static_cast<std::uint64_t>(place * kMiB);
}

Json block(int place, int size, const char* state)
{
    return {{"address", at(place)}, {"size", size * kMiB}, {"requested_size", size * kMiB}, {"state", state}};
}

Json segment(int place, int size, const Json& blocks, bool expandable = false)
{
    return {{"device", 0}, {"address", at(place)},        {"total_size", size * kMiB},
            {"stream", 0}, {"is_expandable", expandable}, {"blocks", blocks}};
}

Json did(const char* action, int place, int size, int time)
{
    return entry(action, at(place), size * kMiB, time);
}

Json snapshotOf(const Json& segments, const Json& events)
{
    return {{"segments", segments}, {"device_traces", Json::array({events})}};
}

// In MiB, in the order of SnapshotMeasure; of every part of the history, too.
struct Wanted {
    std::array<std::int64_t, kSnapshotMeasures> peaks;
    std::int64_t allocatedBefore, awaitingBefore, reservedBefore;
};

void compare(const Json& json, const Wanted& wanted)
{
    const QByteArray bytes = pickled(json);
    const std::string_view view(bytes.data(), static_cast<std::size_t>(bytes.size()));
    const auto snapshot = readSnapshotPickle(view, "s.pickle");
    QVERIFY2(snapshot, snapshot ? "" : snapshot.error().text().c_str());
    const auto replay = replaySnapshot(*snapshot, 0);
    QVERIFY(replay);
    for (std::size_t i = 0; i < kSnapshotMeasures; ++i) {
        QCOMPARE(replay->peaks[i].bytes / kMiB, wanted.peaks[i]);
        const auto curve = snapshotCurve(*snapshot, *replay, static_cast<SnapshotMeasure>(i));
        QCOMPARE(*std::max_element(curve.begin(), curve.end()), replay->peaks[i].bytes);
        QVERIFY(*std::min_element(curve.begin(), curve.end()) >= 0);
        for (std::int64_t begin = 0; begin < replay->events; ++begin) {
            const auto part = readSnapshotRange(view, "s.pickle", {false, begin, replay->events});
            QVERIFY2(part, part ? "" : part.error().text().c_str());
            const auto own = replaySnapshot(*part, 0);
            QVERIFY(own);
            const auto some = snapshotCurve(*part, *own, static_cast<SnapshotMeasure>(i));
            QVERIFY(std::equal(some.begin(), some.end(), curve.begin() + begin));
        }
    }
    QCOMPARE(replay->beforeAllocatedBytes / kMiB, wanted.allocatedBefore);
    QCOMPARE(replay->beforeAwaitingFreeBytes / kMiB, wanted.awaitingBefore);
    QCOMPARE(replay->beforeReservedBytes / kMiB, wanted.reservedBefore);
    QCOMPARE(replay->freedTwice + replay->takenTwice + replay->otherSizes + replay->unlisted, 0);
}

} // namespace

class TestSnapshotCuts : public QObject
{
    Q_OBJECT

private slots:
    void completionFirst();
    void completionAlone();
    void requestFirst();
    void requestThatIsNotCompleted();
    void halvesThatAreNeverWritten();
    void segmentsThatGo();
    void expandableSegmentsThatGrow();
    void withoutSegments();
    void otherDevices();
};

// 100 MiB wait at place 0; 60 at 200 and 30 at 104 are alive. The address is taken again.
void TestSnapshotCuts::completionFirst()
{
    const Json events = {did("free_completed", 0, 100, 10),
                         did("free_requested", 200, 60, 20),
                         did("free_completed", 200, 60, 20),
                         did("alloc", 200, 20, 30),
                         did("alloc", 0, 40, 40),
                         did("alloc", 220, 20, 50)};
    const Json segments = {
        segment(0, 134,
                {block(0, 40, "active_allocated"), block(40, 64, "inactive"), block(104, 30, "active_allocated")}),
        segment(200, 60,
                {block(200, 20, "active_allocated"), block(220, 20, "active_allocated"), block(240, 20, "inactive")})};
    compare(snapshotOf(segments, events), {{110, 110, 190, 194}, 90, 100, 194});
}

// No request is in the history: of a block that the history does not allocate, the completion is the second half.
void TestSnapshotCuts::completionAlone()
{
    const Json events = {did("free_completed", 0, 8, 1), did("alloc", 0, 4, 2), did("alloc", 4, 4, 3)};
    const Json segments = Json::array({segment(0, 20,
                                               {block(0, 4, "active_allocated"), block(4, 4, "active_allocated"),
                                                block(8, 2, "active_allocated"), block(10, 10, "inactive")})});
    compare(snapshotOf(segments, events), {{10, 10, 10, 20}, 2, 8, 20});
}

void TestSnapshotCuts::requestFirst()
{
    const Json events = {did("free_requested", 0, 8, 1), did("alloc", 8, 6, 2), did("free_completed", 0, 8, 3),
                         did("alloc", 0, 2, 4)};
    const Json segments = Json::array({segment(0, 20,
                                               {block(0, 2, "active_allocated"), block(2, 6, "inactive"),
                                                block(8, 6, "active_allocated"), block(14, 6, "inactive")})});
    compare(snapshotOf(segments, events), {{8, 8, 14, 20}, 8, 0, 20});
}

// What waits at the end waited already before the record, or was let go of within it.
void TestSnapshotCuts::requestThatIsNotCompleted()
{
    const Json events = {did("alloc", 12, 2, 1), did("free_requested", 0, 8, 2), did("alloc", 14, 2, 3)};
    const Json segments = Json::array(
        {segment(0, 20,
                 {block(0, 8, "active_pending_free"), block(8, 4, "active_pending_free"),
                  block(12, 2, "active_allocated"), block(14, 2, "active_allocated"), block(16, 4, "inactive")})});
    compare(snapshotOf(segments, events), {{10, 10, 16, 20}, 8, 4, 20});
}

// skip_actions of PyTorch 2.15, and what older programs left out: an address that is taken again tells.
void TestSnapshotCuts::halvesThatAreNeverWritten()
{
    const Json after = Json::array({segment(0, 20, Json::array({block(0, 20, "inactive")}))});
    const Json requests = {did("alloc", 0, 4, 1), did("free_requested", 0, 4, 2), did("alloc", 0, 6, 3),
                           did("free_requested", 0, 6, 4)};
    compare(snapshotOf(after, requests), {{6, 6, 6, 20}, 0, 0, 20});
    const Json completions = {did("alloc", 0, 4, 1), did("free_completed", 0, 4, 2), did("alloc", 0, 6, 3),
                              did("free_completed", 0, 6, 4)};
    compare(snapshotOf(after, completions), {{6, 6, 6, 20}, 0, 0, 20});
    Json skipped =
        snapshotOf(after, {did("free_completed", 0, 8, 1), did("alloc", 0, 2, 2), did("free_completed", 0, 2, 3)});
    skipped["skip_actions"] = Json::array({"free_requested"});
    compare(skipped, {{8, 8, 8, 20}, 8, 0, 20});
    skipped = snapshotOf(after, {did("alloc", 0, 8, 1), did("free_requested", 0, 8, 2), did("alloc", 8, 2, 3),
                                 did("free_requested", 8, 2, 4)});
    skipped["skip_actions"] = Json::array({"free_completed"});
    compare(skipped, {{8, 8, 8, 20}, 0, 0, 20});
}

// A segment of before the record that goes: all of it was reserved, and its blocks were cut from it as a whole. The one
// of 19 of its 20 MiB took all, for the rest was too small to be split off.
void TestSnapshotCuts::segmentsThatGo()
{
    const Json events = {did("free_requested", 100, 12, 1), did("free_completed", 100, 12, 1),
                         did("alloc", 100, 19, 2),          did("free_requested", 100, 19, 3),
                         did("free_completed", 100, 19, 3), did("segment_free", 100, 20, 4),
                         did("segment_alloc", 0, 24, 5),    did("alloc", 0, 6, 6)};
    const Json segments = Json::array({segment(0, 24, {block(0, 6, "active_allocated"), block(6, 18, "inactive")})});
    compare(snapshotOf(segments, events), {{19, 20, 20, 24}, 12, 0, 20});
}

// An expandable segment that grows behind what was mapped before and shrinks in front; one of which only the unmapping
// is there.
void TestSnapshotCuts::expandableSegmentsThatGrow()
{
    const Json events = {did("segment_unmap", 300, 10, 1), did("segment_map", 20, 20, 2), did("alloc", 10, 26, 3),
                         did("segment_unmap", 0, 4, 4)};
    const Json segments = Json::array(
        {segment(4, 36, {block(4, 6, "inactive"), block(10, 26, "active_allocated"), block(36, 4, "inactive")}, true)});
    Json snapshot = snapshotOf(segments, events);
    snapshot["allocator_settings"] = {{"expandable_segments", true}};
    // 20 MiB at 0 and 10 at 300 were there; then 20, then 40.
    compare(snapshot, {{26, 26, 26, 40}, 0, 0, 30});
}

void TestSnapshotCuts::withoutSegments()
{
    const Json events = {did("segment_alloc", 0, 20, 1), did("alloc", 0, 4, 2), did("segment_free", 100, 30, 3),
                         did("segment_alloc", 200, 2, 4)};
    compare(snapshotOf(Json::array(), events), {{4, 4, 4, 50}, 0, 0, 30});
}

// Each device's history is cut where its own buffer was.
void TestSnapshotCuts::otherDevices()
{
    Json snapshot =
        snapshotOf(Json::array({segment(0, 20, {block(0, 4, "active_allocated"), block(4, 16, "inactive")})}),
                   {did("segment_alloc", 0, 20, 1), did("alloc", 0, 4, 2)});
    Json other = segment(0, 40, Json::array({block(0, 40, "inactive")}));
    other["device"] = 1;
    snapshot["segments"].push_back(other);
    snapshot["device_traces"].push_back({did("free_completed", 0, 16, 1), did("free_requested", 20, 6, 2)});
    compare(snapshot, {{4, 4, 4, 20}, 0, 0, 0});
    const QByteArray bytes = pickled(snapshot);
    const auto read = readSnapshotPickle({bytes.data(), static_cast<std::size_t>(bytes.size())}, "s.pickle");
    QVERIFY(read);
    const auto replay = replaySnapshot(*read, 1);
    QVERIFY(replay);
    QCOMPARE(replay->peak(SnapshotMeasure::Active).bytes, 22 * kMiB);
    QCOMPARE(replay->beforeAwaitingFreeBytes, 16 * kMiB);
    QCOMPARE(replay->kind, HistoryKind::Late);
}

PEAKSCOPE_APPLESS_TEST(TestSnapshotCuts)
#include "test_snapshot_cuts.moc"
