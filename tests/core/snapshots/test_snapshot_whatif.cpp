// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Requests replayed under other settings of the allocator: against what real runs reserved under both, against the
// allocator's rules by hand, and what advice promises.
#include "core/import/cuda_snapshot_file.h"
#include "core/snapshots/snapshot_advice.h"
#include "tests/core/snapshots/pickled.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QFile>
#include <QTest>

#include <algorithm>

using namespace peakscope;
using peakscope::test::kMiB;

namespace {

AllocatorSettings settings(const char* text)
{
    const auto read = allocatorSettings(text);
    return read ? *read : AllocatorSettings();
}

} // namespace

class TestSnapshotWhatIf : public QObject
{
    Q_OBJECT

private slots:
    void realRuns_data();
    void realRuns();
    void aRealCard();
    void segmentsAndPages();
    void limitedSplits();
    void theCardIsFull();
    void settingsAreRead_data();
    void settingsAreRead();
    void adviceOnAFragmentedEnd();
    void growthComesFirst();
};

// GPT-2 trained on an NVIDIA H100 once by default and once under expandable_segments (tests/programs/h100.json): the
// first one's requests replayed are what the second reserved, to the byte.
void TestSnapshotWhatIf::aRealCard()
{
    const auto snapshot = openCudaSnapshot(PEAKSCOPE_SOURCE_DIR "/tests/core/data/h100/gpt2-adamw.pickle.gz");
    QVERIFY(snapshot);
    const auto replay = replaySnapshot(*snapshot, 0);
    QCOMPARE(whatIf(*snapshot, *replay, settings("expandable_segments:False")).peakReservedBytes,
             std::int64_t{19820183552});
    QCOMPARE(whatIf(*snapshot, *replay, settings("expandable_segments:True")).peakReservedBytes,
             std::int64_t{18108907520});
}

// What PyTorch's own allocator reserved on a stand-in of CUDA, by default and under expandable_segments.
void TestSnapshotWhatIf::realRuns_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<qint64>("recorded");
    QTest::addColumn<qint64>("ends"); // at this event, as recorded; -1: it does not
    QTest::addColumn<qint64>("expandable");
    QTest::newRow("normal") << "normal_python" << qint64(100663296) << qint64(-1) << qint64(100663296);
    QTest::newRow("two streams") << "streams" << qint64(121634816) << qint64(-1) << qint64(121634816);
    QTest::newRow("a rank") << "rank1" << qint64(155189248) << qint64(-1) << qint64(148897792);
    QTest::newRow("fragmented") << "fragmented" << qint64(1914699776) << qint64(820) << qint64(1920991232);
    QTest::newRow("out of memory") << "oom" << qint64(2560622592) << qint64(4308) << qint64(2571108352);
    QTest::newRow("recorded so") << "fragmented_expandable" << qint64(1920991232) << qint64(-1) << qint64(1920991232);
}

void TestSnapshotWhatIf::realRuns()
{
    QFETCH(QString, file);
    const QString path = QStringLiteral(PEAKSCOPE_SHARED_DIR "/snapshots/%1.pickle.gz").arg(file);
    if (!QFile::exists(path))
        QSKIP("no snapshots beside the project");
    const auto snapshot = openCudaSnapshot(path.toStdString());
    QVERIFY(snapshot);
    const auto replay = replaySnapshot(*snapshot, 0);
    QVERIFY(replay);
    // Under its own settings the model does what was recorded.
    const WhatIf same = whatIf(*snapshot, *replay, recordedSettings(*snapshot));
    QTEST(qint64(same.peakReservedBytes), "recorded");
    QTEST(qint64(same.endsAtEvent.value_or(-1)), "ends");
    const WhatIf expandable = whatIf(*snapshot, *replay, settings("expandable_segments:True"));
    QTEST(qint64(expandable.peakReservedBytes), "expandable");
    QVERIFY(expandable.fits());
}

// Small requests share segments of 2 MiB, those below 10 MiB segments of 20, larger ones have their own; expandable
// segments grow by pages.
void TestSnapshotWhatIf::segmentsAndPages()
{
    AllocatorModel fixed({}, std::int64_t{1} << 40);
    QVERIFY(fixed.allocate(100, 0, 0) && fixed.allocate(kMiB, 0, 0));
    QCOMPARE(fixed.reservedBytes(), 2 * kMiB);
    QVERIFY(fixed.allocate(5 * kMiB, 0, 0));
    QCOMPARE(fixed.reservedBytes(), 22 * kMiB);
    QVERIFY(fixed.allocate(11 * kMiB + 1, 0, 0));
    QCOMPARE(fixed.reservedBytes(), 22 * kMiB + 0); // in what is left of the 20
    QVERIFY(fixed.allocate(11 * kMiB + 1, 0, 0));
    QCOMPARE(fixed.reservedBytes(), 34 * kMiB);
    QVERIFY(fixed.allocate(100, 1, 0)); // another stream
    QCOMPARE(fixed.reservedBytes(), 36 * kMiB);
    AllocatorModel pages(settings("expandable_segments:True"), std::int64_t{1} << 40);
    const auto first = pages.allocate(15 * kMiB, 0, 0);
    QCOMPARE(pages.reservedBytes(), 20 * kMiB);
    QVERIFY(pages.allocate(15 * kMiB, 0, 0));
    QCOMPARE(pages.reservedBytes(), 40 * kMiB); // 5 of the first page and one more
    pages.release(*first);
    QVERIFY(pages.allocate(20 * kMiB, 0, 0)); // 10 are left at the end, a page more makes 30
    QCOMPARE(pages.peakReservedBytes(), 60 * kMiB);
}

// A block from the limit on is neither split nor given to a small request.
void TestSnapshotWhatIf::limitedSplits()
{
    AllocatorModel model(settings("max_split_size_mb:32"), std::int64_t{1} << 40);
    const auto large = model.allocate(64 * kMiB, 0, 0);
    model.release(*large);
    QVERIFY(model.allocate(16 * kMiB, 0, 0));
    QCOMPARE(model.reservedBytes(), 80 * kMiB);
    AllocatorModel free({}, std::int64_t{1} << 40);
    free.release(*free.allocate(64 * kMiB, 0, 0));
    QVERIFY(free.allocate(16 * kMiB, 0, 0));
    QCOMPARE(free.reservedBytes(), 64 * kMiB);
}

void TestSnapshotWhatIf::theCardIsFull()
{
    AllocatorModel model({}, 64 * kMiB);
    const auto first = model.allocate(30 * kMiB, 0, 0);
    const auto second = model.allocate(30 * kMiB, 0, 0);
    QVERIFY(first && second && !model.allocate(40 * kMiB, 0, 0));
    model.release(*first);
    QVERIFY(!model.allocate(40 * kMiB, 0, 0)); // its segment is given back, 34 MiB are free
    QCOMPARE(model.reservedBytes(), 30 * kMiB);
    QVERIFY(model.allocate(34 * kMiB, 0, 0));
    QCOMPARE(model.peakReservedBytes(), 64 * kMiB);
}

void TestSnapshotWhatIf::settingsAreRead_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says"); // an error's part, or the settings as they are written
    QTest::newRow("none") << QByteArray("") << QByteArray("");
    QTest::newRow("all") << QByteArray("expandable_segments:True, roundup_power2_divisions:[256:1,>:8]")
                         << QByteArray("expandable_segments:True,roundup_power2_divisions:[256:1,512:8]");
    QTest::newRow("divisions") << QByteArray("roundup_power2_divisions:4")
                               << QByteArray("roundup_power2_divisions:[1:4]");
    QTest::newRow("a limit") << QByteArray("max_split_size_mb:128") << QByteArray("max_split_size_mb:128");
    QTest::newRow("a low limit") << QByteArray("max_split_size_mb:20") << QByteArray("!above 20 would do");
    QTest::newRow("no truth") << QByteArray("expandable_segments:yes") << QByteArray("!True or False would do");
    QTest::newRow("collection") << QByteArray("garbage_collection_threshold:0.8") << QByteArray("!cannot be replayed");
    QTest::newRow("no list") << QByteArray("roundup_power2_divisions:[256]") << QByteArray("!a list such as");
}

void TestSnapshotWhatIf::settingsAreRead()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, says);
    const auto read = allocatorSettings(text.toStdString());
    QCOMPARE(read.ok(), !says.startsWith('!'));
    if (read)
        QCOMPARE(QByteArray::fromStdString(read->text()), says);
    else
        QVERIFY2(read.error().text().find(says.mid(1).toStdString()) != std::string::npos, read.error().text().c_str());
}

// Four blocks of 40 MiB, every other one freed, then 60 on a card of 160: free are 80, in pieces of 40. Pages can be
// given back and taken elsewhere.
void TestSnapshotWhatIf::adviceOnAFragmentedEnd()
{
    nlohmann::json events = nlohmann::json::array();
    int time = 0;
    const auto add = [&](const char* action, std::uint64_t address, std::int64_t bytes) {
        events.push_back({{"action", action}, {"addr", address}, {"size", bytes}, {"stream", 0}, {"time_us", ++time}});
    };
    constexpr std::uint64_t kBase = 0x7f0000000000;
    for (std::uint64_t i = 0; i < 4; ++i) {
        add("segment_alloc", kBase + i * 64 * kMiB, 40 * kMiB);
        add("alloc", kBase + i * 64 * kMiB, 40 * kMiB);
    }
    for (const std::uint64_t i : {0, 2}) {
        add("free_requested", kBase + i * 64 * kMiB, 40 * kMiB);
        add("free_completed", kBase + i * 64 * kMiB, 40 * kMiB);
    }
    events.push_back({{"action", "oom"}, {"size", 60 * kMiB}, {"device_free", 0}, {"stream", 0}, {"time_us", ++time}});
    const QByteArray bytes =
        pickled({{"segments", nlohmann::json::array()}, {"device_traces", nlohmann::json::array({events})}});
    const auto snapshot = readSnapshotPickle({bytes.data(), static_cast<std::size_t>(bytes.size())}, "s.pickle");
    QVERIFY(snapshot);
    const auto replay = replaySnapshot(*snapshot, 0);
    QCOMPARE(replay->outOfMemory.front().cause(), OutOfMemoryCause::Fragmented);
    QCOMPARE(recordedCapacity(*replay).value(), 160 * kMiB);
    const SnapshotAdvice advice = adviseOn(*snapshot, *replay);
    QVERIFY2(advice.sentence.find("out of memory at (no stack): 60.0 MiB requested, 80.0 MiB free") == 0,
             advice.sentence.c_str());
    const auto expandable =
        std::find_if(advice.remedies.begin(), advice.remedies.end(),
                     [](const SnapshotRemedy& remedy) { return remedy.change == "expandable_segments:True"; });
    QVERIFY(expandable != advice.remedies.end());
    QCOMPARE(expandable->verdict, std::string("fits"));
    QCOMPARE(expandable->how, std::string("PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"));
    QVERIFY(*expandable->peakBytes == 160 * kMiB);
    QVERIFY(adviceJson(*snapshot, *replay)["remedies"].size() == advice.remedies.size());
    // A limit of the program's own refused 100 MiB: the device's 22 GiB are none of the room that a setting has.
    SnapshotReplay limited = *replay;
    limited.outOfMemory.front().askedBytes = 100 * kMiB;
    limited.outOfMemory.front().deviceFreeBytes = std::int64_t{22} << 30;
    QCOMPARE(limited.outOfMemory.front().cause(), OutOfMemoryCause::Limited);
    QCOMPARE(recordedCapacity(limited).value(), 160 * kMiB);
}

// Memory ran out because each step's graph is kept: that comes first, and a setting that would have met the one request
// says that the next steps fail again.
void TestSnapshotWhatIf::growthComesFirst()
{
    const QString path = QStringLiteral(PEAKSCOPE_SHARED_DIR "/snapshots/oom.pickle.gz");
    if (!QFile::exists(path))
        QSKIP("oom.pickle.gz is not here");
    const auto snapshot = openCudaSnapshot(path.toStdString());
    QVERIFY(snapshot);
    const auto replay = replaySnapshot(*snapshot, 0);
    QVERIFY(replay);
    const SnapshotAdvice advice = adviseOn(*snapshot, *replay);
    QVERIFY2(advice.sentence.starts_with("every step leaves memory behind, "), advice.sentence.c_str());
    const SnapshotRemedy& first = advice.remedies.front();
    QCOMPARE(first.change, std::string("keep nothing of a step"));
    QCOMPARE(first.verdict, std::string("grows with every step"));
    QCOMPARE(first.line, std::string("train.py:42 loss_of"));
    QVERIFY(first.how.find("loss.item()") != std::string::npos);
    int settings = 0;
    for (const SnapshotRemedy& remedy : advice.remedies) {
        if (!remedy.how.starts_with("PYTORCH_CUDA_ALLOC_CONF="))
            continue;
        ++settings;
        QCOMPARE(remedy.verdict, std::string("fits this request; the next steps fail again"));
    }
    QCOMPARE(settings, 2);
}

PEAKSCOPE_APPLESS_TEST(TestSnapshotWhatIf)
#include "test_snapshot_whatif.moc"
