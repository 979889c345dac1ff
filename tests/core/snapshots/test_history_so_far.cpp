// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of a snapshot while it is read, against small sums and against the whole; a range from the end; what a
// file that is too large asks for.
#include "core/import/cuda_snapshot_file.h"
#include "core/snapshots/history_so_far.h"
#include "tests/core/snapshots/long_snapshot.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>

using namespace peakscope;
using peakscope::test::SmallTraining;

namespace {

std::string_view viewOf(const QByteArray& bytes)
{
    return {bytes.data(), static_cast<std::size_t>(bytes.size())};
}

AllocatorEvent eventOf(SnapshotAction action, std::int64_t bytes)
{
    AllocatorEvent event;
    event.action = action;
    event.bytes = bytes;
    return event;
}

// What the watcher is shown of each: how many events, and which share of the file.
struct Seen {
    std::size_t events;
    double read;
};

} // namespace

class TestHistorySoFar : public QObject
{
    Q_OBJECT

private slots:
    void sums();
    void completedFreesCountWhereNoneIsRequested();
    void manyEventsAreGathered();
    void sumsStayWithinBounds();
    void watchedWhileRead();
    void onlyADevicesHistoryIsShown();
    void lastEvents();
    void whatIsTooLarge();
};

void TestHistorySoFar::sums()
{
    using A = SnapshotAction;
    HistoryCourse course;
    const std::vector<AllocatorEvent> events{eventOf(A::SegmentAlloc, 999), eventOf(A::Alloc, 100),
                                             eventOf(A::FreeRequested, 300), eventOf(A::FreeCompleted, 300),
                                             eventOf(A::Alloc, 50)};
    course.take(std::span(events).first(2));
    QCOMPARE(course.soFar().events, std::int64_t{2});
    QCOMPARE(course.soFar().highest(), std::int64_t{100});
    QCOMPARE(course.soFar().atLeastBefore, std::int64_t{0});
    course.take(events);
    QCOMPARE(course.soFar().events, std::int64_t{5});
    const std::vector<std::int64_t> expected{0, 100, -200, -200, -150};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE(course.soFar().pieces[i].lowest, expected[i]);
        QCOMPARE(course.soFar().pieces[i].highest, expected[i]);
    }
    // 300 were let go of where 100 had been asked for.
    QCOMPARE(course.soFar().atLeastBefore, std::int64_t{200});
    QCOMPARE(course.soFar().highest(), std::int64_t{300});
}

// Until a request tells that completions follow requests.
void TestHistorySoFar::completedFreesCountWhereNoneIsRequested()
{
    using A = SnapshotAction;
    std::vector<AllocatorEvent> events{eventOf(A::Alloc, 100), eventOf(A::FreeCompleted, 40)};
    HistoryCourse course;
    course.take(events);
    QCOMPARE(course.soFar().pieces.back().highest, std::int64_t{60});
    events.push_back(eventOf(A::FreeRequested, 30));
    events.push_back(eventOf(A::FreeCompleted, 30));
    course.take(events);
    QCOMPARE(course.soFar().events, std::int64_t{4});
    QCOMPARE(course.soFar().pieces[1].lowest, std::int64_t{100});
    QCOMPARE(course.soFar().pieces.back().lowest, std::int64_t{70});
}

void TestHistorySoFar::manyEventsAreGathered()
{
    const std::size_t count = 3 * HistoryCourse::kMostPieces;
    std::vector<AllocatorEvent> events;
    for (std::size_t i = 0; i < count; ++i)
        events.push_back(eventOf(SnapshotAction::Alloc, 1));
    HistoryCourse course;
    for (std::size_t shown = 0; shown < count; shown += 1000)
        course.take(std::span(events).first(shown));
    course.take(events);
    const HistorySoFar& soFar = course.soFar();
    QCOMPARE(soFar.events, static_cast<std::int64_t>(count));
    QCOMPARE(soFar.eventsAPiece, std::int64_t{4});
    QCOMPARE(soFar.pieces.size(), (count + 3) / 4);
    for (std::size_t i = 0; i < soFar.pieces.size(); ++i) {
        QCOMPARE(soFar.pieces[i].lowest, static_cast<std::int64_t>(4 * i + 1));
        QCOMPARE(soFar.pieces[i].highest, static_cast<std::int64_t>(4 * i + 4));
    }
}

void TestHistorySoFar::sumsStayWithinBounds()
{
    const std::vector<AllocatorEvent> events(20'000, eventOf(SnapshotAction::Alloc, std::int64_t{1} << 50));
    HistoryCourse course;
    course.take(events);
    QCOMPARE(course.soFar().highest(), std::int64_t{1} << 57);
}

void TestHistorySoFar::watchedWhileRead()
{
    const QByteArray bytes = test::longTraining();
    std::vector<Seen> seen;
    std::vector<AllocatorEvent> last;
    HistoryCourse course;
    const auto watcher = [&](std::span<const AllocatorEvent> events, double read) {
        seen.push_back({events.size(), read});
        last.assign(events.begin(), events.end());
        course.take(events);
    };
    const auto watched = readSnapshotWatched(viewOf(bytes), "s.pickle", watcher);
    QVERIFY(watched);
    QVERIFY(seen.size() >= 2);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        QVERIFY(seen[i].read > (i == 0 ? 0 : seen[i - 1].read) && seen[i].read < 1);
        QVERIFY(i == 0 || seen[i].events > seen[i - 1].events);
        // Rows are taken by the thousand, so that what is shown lags behind what is read by less than that.
        const double share =
            static_cast<double>(seen[i].events) / static_cast<double>(watched->history(0)->events.size());
        QVERIFY2(std::abs(share - seen[i].read) < 0.1, qPrintable(QString::number(share)));
    }
    // They are the whole's, and so is the curve.
    const auto plain = readSnapshotPickle(viewOf(bytes), "s.pickle");
    QVERIFY(plain);
    QCOMPARE(watched->history(0)->events.size(), plain->history(0)->events.size());
    for (std::size_t i = 0; i < last.size(); ++i) {
        QCOMPARE(last[i].address, plain->history(0)->events[i].address);
        QCOMPARE(last[i].bytes, plain->history(0)->events[i].bytes);
    }
    const auto replay = replaySnapshot(*plain, 0);
    const auto curve = snapshotCurve(*plain, *replay, SnapshotMeasure::Requested);
    const auto end = curve.begin() + 1 + static_cast<std::ptrdiff_t>(last.size());
    QCOMPARE(course.soFar().highest(), *std::max_element(curve.begin(), end));
    QCOMPARE(course.soFar().events, static_cast<std::int64_t>(last.size()));
}

void TestHistorySoFar::onlyADevicesHistoryIsShown()
{
    const QByteArray bytes = test::longTraining("host_traces", 3'000'000);
    int shown = 0;
    const auto watched =
        readSnapshotWatched(viewOf(bytes), "s.pickle", [&shown](std::span<const AllocatorEvent>, double) { ++shown; });
    QVERIFY(watched);
    QVERIFY(watched->history(kPinnedHost));
    QCOMPARE(shown, 0);
}

void TestHistorySoFar::lastEvents()
{
    const QByteArray bytes = pickled(SmallTraining(4).json());
    const auto whole = readSnapshotPickle(viewOf(bytes), "s.pickle");
    const auto count = static_cast<std::int64_t>(whole->history(0)->events.size());
    for (const std::int64_t last : {std::int64_t{1}, std::int64_t{10}, count, count + 5}) {
        SnapshotRange range;
        range.begin = -last;
        const auto part = readSnapshotRange(viewOf(bytes), "s.pickle", range);
        const auto same =
            readSnapshotRange(viewOf(bytes), "s.pickle", {false, std::max<std::int64_t>(0, count - last), count});
        QVERIFY(part && same);
        QCOMPARE(part->history(0)->first, same->history(0)->first);
        QCOMPARE(part->history(0)->events.size(), same->history(0)->events.size());
        const auto a = replaySnapshot(*part, 0), b = replaySnapshot(*same, 0);
        for (std::size_t i = 0; i < kSnapshotMeasures; ++i) {
            const auto measure = static_cast<SnapshotMeasure>(i);
            QCOMPARE(snapshotCurve(*part, *a, measure), snapshotCurve(*same, *b, measure));
        }
    }
}

// A part that fits leaves room for the places of the events around it.
void TestHistorySoFar::whatIsTooLarge()
{
    const QByteArray bytes = test::longTraining();
    QVERIFY(!largeSnapshot(viewOf(bytes), std::nullopt));
    QVERIFY(!largeSnapshot(viewOf(bytes), std::uint64_t{1} << 40));
    const auto none = largeSnapshot(viewOf(bytes), 1000);
    QVERIFY(none);
    QCOMPARE(none->fittingEvents, std::uint64_t{0});
    QCOMPARE(none->bytes, static_cast<std::uint64_t>(bytes.size()));
    const std::uint64_t needed = none->neededBytes;
    QVERIFY(!largeSnapshot(viewOf(bytes), needed));
    const auto nearly = largeSnapshot(viewOf(bytes), needed - 1);
    QVERIFY(nearly && nearly->fittingEvents < nearly->events && nearly->fittingEvents + 2 > nearly->events);
    const auto less = largeSnapshot(viewOf(bytes), needed / 5 * 4);
    QVERIFY(less && less->fittingEvents > 0 && less->fittingEvents < less->events / 2);
}

PEAKSCOPE_APPLESS_TEST(TestHistorySoFar)
#include "test_history_so_far.moc"
