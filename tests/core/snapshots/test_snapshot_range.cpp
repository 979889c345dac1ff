// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a snapshot equals the whole at every event of it: curves, holders, ends and segments, of kept files and of
// small ones; and words that are no range.
#include "core/import/cuda_snapshot_file.h"
#include "core/snapshots/segment_map.h"
#include "core/snapshots/snapshot_holders.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <limits>

using namespace peakscope;
using peakscope::test::entry;
using peakscope::test::frame;
using peakscope::test::kBase;
using peakscope::test::kMiB;
using Json = nlohmann::json;

namespace {

std::string_view viewOf(const QByteArray& bytes)
{
    return {bytes.data(), static_cast<std::size_t>(bytes.size())};
}

// The part against the whole, event by event.
void compareParts(const CudaSnapshot& whole, const CudaSnapshot& part, std::int64_t device, const SnapshotRange& range)
{
    const auto all = replaySnapshot(whole, device);
    const auto own = replaySnapshot(part, device);
    QVERIFY(all && own);
    const std::int64_t begin = range.begin, end = std::min(range.end, all->events);
    QCOMPARE(own->firstEvent, begin);
    QCOMPARE(own->events, end - begin);
    QCOMPARE(own->kind, all->kind);
    for (std::size_t i = 0; i < kSnapshotMeasures; ++i) {
        const auto measure = static_cast<SnapshotMeasure>(i);
        const auto wholeCurve = snapshotCurve(whole, *all, measure);
        const auto partCurve = snapshotCurve(part, *own, measure);
        QCOMPARE(std::vector<std::int64_t>(wholeCurve.begin() + begin, wholeCurve.begin() + end + 1), partCurve);
        QCOMPARE(own->peaks[i].bytes, *std::max_element(partCurve.begin(), partCurve.end()));
    }
    for (const std::int64_t event : {begin, (begin + end) / 2, end - 1}) {
        for (const HolderKey key :
             {HolderKey::Line, HolderKey::Stack, HolderKey::Stream, HolderKey::Pool, HolderKey::Size}) {
            const auto a = snapshotHolders(whole, *all, event, key);
            const auto b = snapshotHolders(part, *own, event - begin, key);
            QCOMPARE(b.size(), a.size());
            for (std::size_t i = 0; i < a.size(); ++i) {
                QCOMPARE(b[i].what, a[i].what);
                QCOMPARE(b[i].requestedBytes, a[i].requestedBytes);
                QCOMPARE(b[i].bytes, a[i].bytes);
                QCOMPARE(b[i].blocks, a[i].blocks);
            }
        }
        const SegmentMap a = segmentMap(whole, *all, event), b = segmentMap(part, *own, event - begin);
        QCOMPARE(b.segments.size(), a.segments.size());
        QCOMPARE(b.reservedBytes, a.reservedBytes);
        QCOMPARE(b.heldBytes, a.heldBytes);
        QCOMPARE(b.awaitingBytes, a.awaitingBytes);
        QCOMPARE(b.freeBytes, a.freeBytes);
    }
    std::vector<OutOfMemory> within;
    for (const OutOfMemory& ended : all->outOfMemory) {
        if (ended.event >= begin && ended.event < end)
            within.push_back(ended);
    }
    QCOMPARE(own->outOfMemory.size(), within.size());
    for (std::size_t i = 0; i < within.size(); ++i) {
        QCOMPARE(own->outOfMemory[i].event, within[i].event - begin);
        QCOMPARE(own->outOfMemory[i].largestFreeBytes, within[i].largestFreeBytes);
        QCOMPARE(own->outOfMemory[i].reservedBytes, within[i].reservedBytes);
    }
}

void compareAllParts(std::string_view bytes, std::int64_t pieces)
{
    const auto whole = readSnapshotPickle(bytes, "s.pickle");
    QVERIFY(whole);
    for (const std::int64_t device : whole->devices()) {
        const DeviceHistory* history = whole->history(device);
        const auto count = history ? static_cast<std::int64_t>(history->events.size()) : 0;
        const std::int64_t step = std::max<std::int64_t>(1, count / pieces);
        for (std::int64_t begin = 0; begin < count; begin += step) {
            const SnapshotRange range{false, begin, begin + step};
            const auto part = readSnapshotRange(bytes, "s.pickle", range);
            QVERIFY2(part, part ? "" : part.error().text().c_str());
            compareParts(*whole, *part, device, range);
            if (QTest::currentTestFailed())
                qFatal("range %lld:%lld", static_cast<long long>(begin), static_cast<long long>(begin + step));
        }
    }
}

} // namespace

class TestSnapshotRange : public QObject
{
    Q_OBJECT

private slots:
    void partsOfATraining();
    void partsOfWhatWaits();
    void realParts_data();
    void realParts();
    void partsByTime();
    void words_data();
    void words();
    void refusals();
    void filesThatAreTooLarge();
};

// Every event alone, and in pieces.
void TestSnapshotRange::partsOfATraining()
{
    const QByteArray bytes = pickled(peakscope::test::SmallTraining(3).json());
    compareAllParts(viewOf(bytes), 41);
    compareAllParts(viewOf(bytes), 3);
}

// A free that waits across the range's beginning, a block from before the record whose free is in it, a segment that
// goes, and a history in which no free is requested.
void TestSnapshotRange::partsOfWhatWaits()
{
    Json before = entry("free_requested", kBase + 16 * kMiB, 2 * kMiB, 1);
    Json events = {before,
                   entry("free_completed", kBase + 16 * kMiB, 2 * kMiB, 2),
                   entry("alloc", kBase, 8 * kMiB, 3),
                   entry("free_requested", kBase, 8 * kMiB, 4),
                   entry("alloc", kBase + 8 * kMiB, 4 * kMiB, 5),
                   entry("free_completed", kBase, 8 * kMiB, 6),
                   entry("segment_alloc", kBase + 64 * kMiB, 20 * kMiB, 7),
                   entry("alloc", kBase + 64 * kMiB, 20 * kMiB, 8),
                   entry("free_requested", kBase + 64 * kMiB, 20 * kMiB, 9),
                   entry("free_completed", kBase + 64 * kMiB, 20 * kMiB, 10),
                   entry("segment_free", kBase + 64 * kMiB, 20 * kMiB, 11),
                   entry("alloc", kBase, 100, 12)};
    const auto block = [](std::uint64_t address, std::int64_t size, std::int64_t asked, const char* state) {
        return Json{{"address", address}, {"size", size}, {"requested_size", asked}, {"state", state}};
    };
    const Json blocks = {block(kBase, 512, 100, "active_allocated"), block(kBase + 512, 8 * kMiB - 512, 0, "inactive"),
                         block(kBase + 8 * kMiB, 4 * kMiB, 4 * kMiB, "active_allocated"),
                         block(kBase + 12 * kMiB, 28 * kMiB, 0, "inactive")};
    Json snapshot = {
        {"segments",
         Json::array(
             {{{"device", 0}, {"address", kBase}, {"total_size", 40 * kMiB}, {"stream", 0}, {"blocks", blocks}}})},
        {"device_traces", Json::array({events})}};
    compareAllParts(viewOf(pickled(snapshot)), 12);
    compareAllParts(viewOf(pickled(snapshot)), 4);
    const Json log = Json::array({{{"action", "start"}}}); // looks like a history, and is the program's own
    compareAllParts(viewOf(pickled({{"log", log}, {"snapshot", snapshot}})), 4);
    Json completedOnly = Json::array();
    for (const Json& event : events) {
        if (event["action"] != "free_requested")
            completedOnly.push_back(event);
    }
    snapshot["device_traces"][0] = completedOnly;
    compareAllParts(viewOf(pickled(snapshot)), 9);
}

void TestSnapshotRange::realParts_data()
{
    QTest::addColumn<QString>("file");
    const QDir folder(QStringLiteral(PEAKSCOPE_SHARED_DIR "/snapshots"));
    const QStringList files = folder.entryList({"*.pickle", "*.pickle.gz"});
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << folder.filePath(file);
    if (files.isEmpty())
        QTest::newRow("none") << QString();
}

void TestSnapshotRange::realParts()
{
    QFETCH(QString, file);
    if (file.isEmpty())
        QSKIP("no snapshots beside the project");
    const auto whole = openCudaSnapshot(file.toStdString());
    QVERIFY(whole);
    for (const DeviceHistory& history : whole->histories) {
        const auto count = static_cast<std::int64_t>(history.events.size());
        for (const std::int64_t part : {0, 1, 2}) {
            const SnapshotRange range{false, count * part / 3, std::max(count * part / 3 + 1, count * (part + 1) / 3)};
            if (range.begin >= count)
                continue;
            const auto read = openSnapshotRange(file.toStdString(), range);
            QVERIFY2(read, read ? "" : read.error().text().c_str());
            compareParts(*whole, *read, history.device, range);
        }
    }
}

// The training's events are a microsecond apart from the first on, but for its marks.
void TestSnapshotRange::partsByTime()
{
    const QByteArray bytes = pickled(peakscope::test::SmallTraining(3).json());
    const auto part = readSnapshotRange(viewOf(bytes), "s.pickle", {true, 3, 7});
    QVERIFY(part);
    QCOMPARE(part->history(0)->first, 3);
    QCOMPARE(part->history(0)->events.size(), std::size_t{4});
    QCOMPARE(part->history(0)->events.front().timeMicros, 4);
}

void TestSnapshotRange::words_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("timed");
    QTest::addColumn<qlonglong>("begin"); // -1: it is none
    QTest::addColumn<qlonglong>("end");
    const auto most = std::numeric_limits<qlonglong>::max();
    QTest::newRow("both") << "100:2000" << false << 100LL << 2000LL;
    QTest::newRow("from") << "100:" << false << 100LL << most;
    QTest::newRow("until") << ":7" << false << 0LL << 7LL;
    QTest::newRow("seconds") << "1s:2.5s" << true << 1'000'000LL << 2'500'000LL;
    QTest::newRow("microseconds and seconds") << "500:1s" << true << 500LL << 1'000'000LL;
    QTest::newRow("no colon") << "100" << false << -1LL << 0LL;
    QTest::newRow("a colon alone") << ":" << false << -1LL << 0LL;
    QTest::newRow("backwards") << "9:3" << false << -1LL << 0LL;
    QTest::newRow("empty") << "3:3" << false << -1LL << 0LL;
    QTest::newRow("half an event") << "1.5:3" << false << -1LL << 0LL;
    QTest::newRow("seconds of events") << "1s:3s" << false << -1LL << 0LL;
    QTest::newRow("below zero") << "-1:3" << false << -1LL << 0LL;
    QTest::newRow("no number") << "nan:3" << false << -1LL << 0LL;
}

void TestSnapshotRange::words()
{
    QFETCH(QString, text);
    QFETCH(bool, timed);
    QFETCH(qlonglong, begin);
    QFETCH(qlonglong, end);
    const auto range = snapshotRange(text.toStdString(), timed);
    QCOMPARE(range.ok(), begin >= 0);
    if (!range) {
        QCOMPARE(range.error().context, std::string(timed ? "--time" : "--range"));
        return;
    }
    QCOMPARE(range->begin, begin);
    QCOMPARE(range->end, end);
}

void TestSnapshotRange::refusals()
{
    const QByteArray bytes = pickled(peakscope::test::SmallTraining().json());
    const std::size_t count = readSnapshotPickle(viewOf(bytes), "s.pickle")->history(0)->events.size();
    const auto outside = readSnapshotRange(viewOf(bytes), "s.pickle", {false, 100, 200});
    QVERIFY(!outside);
    QCOMPARE(outside.error().text(),
             "--range: no event of s.pickle is within 100:200; it has " + std::to_string(count));
    const auto cut = readSnapshotRange(viewOf(bytes).substr(0, static_cast<std::size_t>(bytes.size()) / 2), "s.pickle",
                                       {false, 1, 2});
    QVERIFY(!cut);
    QVERIFY(cut.error().text().find("truncated") != std::string::npos);
}

// 20 MB of them are more than a machine with 1 MB free reads as a whole.
void TestSnapshotRange::filesThatAreTooLarge()
{
    const QByteArray one = pickled(peakscope::test::SmallTraining().json());
    const QByteArray many = one.repeated(20'000'000 / static_cast<int>(one.size()));
    QVERIFY(checkSnapshotMemory("s.pickle", viewOf(one), 1000));
    QVERIFY(checkSnapshotMemory("s.pickle", viewOf(many), std::uint64_t{1} << 40));
    QVERIFY(checkSnapshotMemory("s.pickle", viewOf(many), std::nullopt));
    const auto refused = checkSnapshotMemory("s.pickle", viewOf(many), 1'000'000);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::BadInput);
    QVERIFY(refused.error().text().find("--range A:B or --time A:B") != std::string::npos);
}

PEAKSCOPE_APPLESS_TEST(TestSnapshotRange)
#include "test_snapshot_range.moc"
