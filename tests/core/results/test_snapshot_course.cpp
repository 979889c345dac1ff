// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots as a course: their places in time or in order, what is absent, and the highest that each recorded through a
// document and its table.
#include "tests/test_room.h"

#include "core/base/json/json_access.h"
#include "core/results/run_result.h"
#include "core/results/sweeps/snapshot_course.h"
#include "core/results/tables.h"

#include <QTest>

#include <limits>

using namespace peakscope;

namespace {

MemorySection section(const std::vector<double>& times)
{
    MemorySection memory;
    memory.peakBytes = 900;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const auto bytes = static_cast<std::int64_t>(100 * (i + 1));
        memory.snapshots.push_back({"s" + std::to_string(i), {}, 0, times[i], bytes, bytes + 50});
    }
    return memory;
}

} // namespace

class TestSnapshotCourse : public QObject
{
    Q_OBJECT

private slots:
    void places_data();
    void places();
    void whatIsAbsentStaysAbsent();
    void nearestSnapshot();
    void drawnInPlaceOfATimelineOnly();
    void stagesStandInTime();
    void highestGoesThroughTheDocument();
    void pointsOfASweep();
};

void TestSnapshotCourse::places_data()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QTest::addColumn<QList<double>>("times");
    QTest::addColumn<bool>("timed");
    QTest::addColumn<QList<double>>("places");
    QTest::newRow("seconds since the first") << QList<double>{100, 102.5, 103} << true << QList<double>{0, 2.5, 3};
    QTest::newRow("two at one time") << QList<double>{1, 1, 4} << true << QList<double>{0, 0, 3};
    QTest::newRow("all at one time") << QList<double>{7, 7, 7} << false << QList<double>{0, 1, 2};
    QTest::newRow("backwards") << QList<double>{3, 2, 5} << false << QList<double>{0, 1, 2};
    QTest::newRow("no number") << QList<double>{0, nan, 2} << false << QList<double>{0, 1, 2};
    QTest::newRow("none") << QList<double>{} << false << QList<double>{};
}

void TestSnapshotCourse::places()
{
    QFETCH(QList<double>, times);
    QFETCH(bool, timed);
    QFETCH(QList<double>, places);
    MemorySection memory = section({times.begin(), times.end()});
    const SnapshotCourse course = snapshotCourse(memory);
    QCOMPARE(course.timed, timed);
    QCOMPARE(QList<double>(course.position.begin(), course.position.end()), places);
    QCOMPARE(course.size(), static_cast<std::size_t>(times.size()));
    // Without times in the file the same snapshots stand in their order.
    memory.missing = {"snapshots.time_seconds"};
    QVERIFY(!snapshotCourse(memory).timed);
}

void TestSnapshotCourse::whatIsAbsentStaysAbsent()
{
    MemorySection memory = section({0, 1, 2});
    QCOMPARE(snapshotCourse(memory).reservedBytes, (std::vector<std::int64_t>{150, 250, 350}));
    QVERIFY(snapshotCourse(memory).maxAllocatedBytes.empty());
    QCOMPARE(snapshotCourse(memory).highestBytes(), std::int64_t{350});
    memory.missing = {"snapshots.reserved_bytes"};
    QVERIFY(snapshotCourse(memory).reservedBytes.empty());
    QCOMPARE(snapshotCourse(memory).highestBytes(), std::int64_t{300});
    memory.snapshots[1].maxAllocatedBytes = 800;
    const SnapshotCourse course = snapshotCourse(memory);
    QVERIFY(!course.maxAllocatedBytes[0]);
    QCOMPARE(course.maxAllocatedBytes[1], std::optional<std::int64_t>(800));
    QCOMPARE(course.highestBytes(), std::int64_t{800});
}

void TestSnapshotCourse::nearestSnapshot()
{
    const SnapshotCourse course = snapshotCourse(section({0, 2, 3}));
    QCOMPARE(course.nearest(-5), std::size_t{0});
    QCOMPARE(course.nearest(1), std::size_t{0}); // the earlier of two
    QCOMPARE(course.nearest(1.01), std::size_t{1});
    QCOMPARE(course.nearest(9), std::size_t{2});
}

void TestSnapshotCourse::drawnInPlaceOfATimelineOnly()
{
    QVERIFY(drawsSnapshots(section({0, 1})));
    QVERIFY(drawsSnapshots(section({0}))); // one moment, too
    QVERIFY(!drawsSnapshots(section({})));
    MemorySection recorded = section({0, 1});
    recorded.timeline = {{0.0}, {1}, {Component::Other}, false};
    QVERIFY(!drawsSnapshots(recorded));
}

void TestSnapshotCourse::stagesStandInTime()
{
    const nlohmann::json stages{{"backward", 1}, {"cleanup", 2}, {"forward", 3}, {"load", 4}};
    const StageOrder order = stageOrder(stages, {"load_start", "load_end", "forward_start", "backward_start"});
    QVERIFY(order.timed);
    QCOMPARE(order.stages, (std::vector<std::string>{"load", "forward", "backward", "cleanup"}));
    QVERIFY(!stageOrder(stages, {"begin"}).timed);
    RunResult run;
    QVERIFY(recordedStages(run).sizes.empty());
    run.memory = section({0, 1});
    run.memory->snapshots[0].name = "load_start";
    run.memory->snapshots[1].name = "forward_start";
    run.other = {{"memory", {{"stages", stages}}}};
    const RecordedStages recorded = recordedStages(run);
    QVERIFY(recorded.timed);
    QStringList sizes;
    for (const RecordedStage& stage : recorded.sizes)
        sizes << QStringLiteral("%1 %2").arg(QString::fromStdString(stage.name)).arg(stage.bytes);
    QCOMPARE(sizes, (QStringList{"load 4", "forward 3", "backward 1", "cleanup 2"}));
}

void TestSnapshotCourse::highestGoesThroughTheDocument()
{
    RunResult run;
    run.id = "a";
    run.memory = section({0, 1});
    QCOMPARE(snapshotsTable(run).columns.size(), std::size_t{6}); // no column for what no snapshot has
    run.memory->snapshots[1].maxAllocatedBytes = 777;
    const Table table = snapshotsTable(run);
    QCOMPARE(table.columns.back().name, std::string("max_allocated_bytes"));
    QVERIFY(std::get<std::string>(table.rows[0].back()).empty());
    QCOMPARE(std::get<std::int64_t>(table.rows[1].back()), std::int64_t{777});
    const auto again = runResultFromJson(parseJson(toJsonText(run)).value());
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().text().c_str());
    QVERIFY(!again->memory->snapshots[0].maxAllocatedBytes);
    QCOMPARE(again->memory->snapshots[1].maxAllocatedBytes, std::optional<std::int64_t>(777));
    QVERIFY(!again->other.contains("memory")); // nothing of it was unknown
}

// Each as a run by itself, named by what differs; one without snapshots is left out.
void TestSnapshotCourse::pointsOfASweep()
{
    RunResult sweep;
    sweep.kind = ResultKind::Sweep;
    const nlohmann::json snapshots{{{"name", "start"}, {"time_seconds", 1.5}, {"allocated_bytes", 10}},
                                   {{"name", "end"}, {"time_seconds", 2.0}, {"allocated_bytes", 30}}};
    nlohmann::json points = nlohmann::json::array();
    for (const int seq : {128, 256, 512}) {
        nlohmann::json point{{"values", {{"data.batch", 8}, {"data.seq", seq}}},
                             {"status", "complete"},
                             {"measured", true},
                             {"peak_bytes", 40}};
        if (seq != 256)
            point["snapshots"] = snapshots;
        points.push_back(point);
    }
    sweep.other["sweep"] = {{"keys", {"data.batch", "data.seq"}}, {"points", points}};
    const std::vector<SnapshotPoint> found = snapshotPoints(sweep);
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].setting, std::string("seq 128"));
    QCOMPARE(found[0].point, std::size_t{0});
    QCOMPARE(found[1].point, std::size_t{2}); // that between has no snapshots
    QVERIFY(found[1].run.config == (nlohmann::json{{"data", {{"batch", 8}, {"seq", 512}}}}));
    QCOMPARE(found[1].setting, std::string("seq 512"));
    QCOMPARE(found[1].run.other["source"]["setting"], nlohmann::json("seq 512")); // by itself it says so, too
    QCOMPARE(found[1].run.memory->peakBytes, std::int64_t{40});
    QVERIFY(found[1].run.status == RunStatus::Complete);
    const SnapshotCourse course = snapshotCourse(*found[1].run.memory);
    QCOMPARE(course.position, (std::vector<double>{0, 0.5}));
    QVERIFY(course.reservedBytes.empty()); // the points do not have it
    QVERIFY(snapshotPoints(RunResult()).empty());
}

PEAKSCOPE_GUILESS_TEST(TestSnapshotCourse)
#include "test_snapshot_course.moc"
