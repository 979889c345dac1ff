// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Files of one sweep point each, given together: one sweep with a panel a method, and notes on what they contradict one
// another in.
#include "tests/test_room.h"

#include "core/analysis/comparison/joined_points.h"
#include "core/import/read_any.h"
#include "core/results/sweeps/sweep_document.h"

#include <QTest>

#include <algorithm>

using namespace peakscope;

namespace {

using Json = nlohmann::json;
using Shared = std::shared_ptr<const RunResult>;

Json point(const std::string& mode, int sequence, double mebibytes)
{
    return {{"mode", mode},
            {"seq_length", sequence},
            {"batch_size", 1},
            {"num_gpus", 1},
            {"hidden_dim", 768},
            {"peak_memory_mb", mebibytes},
            {"avg_time_ms", 100 + sequence},
            {"time_stat", "median"}};
}

Shared read(const Json& document, const std::string& file)
{
    auto results = readAnyBytes(document.dump(), file, FileFormat::DpsgdPoint);
    return results ? std::make_shared<const RunResult>(std::move(results->front())) : nullptr;
}

bool hasNote(const RunResult& run, const std::string& words)
{
    return std::any_of(run.notes.begin(), run.notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

} // namespace

class TestJoinedPoints : public QObject
{
    Q_OBJECT

private slots:
    void onePanelAMethod();
    void contradictionsAreTold();
    void itIsCalledByWhatIsCommon();
    void othersStayAsTheyAre();
};

void TestJoinedPoints::onePanelAMethod()
{
    std::vector<Shared> points;
    std::vector<std::string> files;
    for (const char* mode : {"ghost", "flash_fuse"}) {
        for (const int sequence : {512, 1024, 2048}) {
            points.push_back(read(point(mode, sequence, sequence), std::string(mode) + std::to_string(sequence)));
            QVERIFY(points.back() && isSweepPoint(*points.back()));
            files.push_back("/somewhere/" + std::to_string(files.size()));
        }
    }
    const RunResult joined = joinedPoints(points, files);
    QVERIFY(joined.kind == ResultKind::Sweep && !joined.memory);
    QVERIFY(!isSweepPoint(joined));
    const auto sweep = sweepOf(joined);
    QVERIFY2(sweep.ok(), sweep ? "" : sweep.error().text().c_str());
    QCOMPARE(sweep->points.size(), std::size_t(6));
    QCOMPARE(sweep->points[4].file, std::string("/somewhere/4"));
    QCOMPARE(sweep->keys, (std::vector<std::string>{"data.batch", "data.seq", "method"})); // no clipping beside it
    const auto [x, y] = defaultSweepAxes(*sweep);
    const auto maps = sweepHeatMaps(*sweep, x, y, "peak_bytes");
    std::size_t cells = 0;
    for (const SweepHeatMap& map : maps) {
        for (std::size_t i = 0; i < map.cells.size(); ++i, ++cells) {
            QVERIFY(map.cells[i].state == SweepCellState::Measured);
            QCOMPARE(*map.cells[i].value, sweepValue(sweep->points[map.cells[i].point], "peak_bytes").value());
        }
    }
    QCOMPARE(cells, std::size_t(6));
    QCOMPARE(sweep->points[5].peakBytes.value(), std::int64_t{2048} << 20);
    QVERIFY(!joined.config.contains("method")); // of which there are two
    QVERIFY(joined.config["model"]["hidden"] == 768);
    QVERIFY(hasNote(joined, "joined from 6 files"));
    QVERIFY(!hasNote(joined, "contradict"));
}

// No file of theirs is the whole: a figure's title is what their names have in common.
void TestJoinedPoints::itIsCalledByWhatIsCommon()
{
    const auto nameOf = [](const std::vector<std::string>& names) {
        std::vector<Shared> points;
        for (const std::string& name : names)
            points.push_back(read(point("ghost", 100 + static_cast<int>(points.size()), 100), name));
        return joinedPoints(points).other["source"]["file"].get<std::string>();
    };
    QCOMPARE(nameOf({"ghost_seq4096_result.json", "flash_seq4096_result.json"}), std::string("*_seq4096_result.json"));
    QCOMPARE(nameOf({"flash_fuse_seq1.json", "flash_fuse_bk_seq1.json"}), std::string("flash_fuse_*seq1.json"));
    QCOMPARE(nameOf({"aa.json", "aaa.json"}), std::string("aa*.json")); // no letter is counted twice
    QCOMPARE(nameOf({"é.json", "è.json"}), std::string("*.json"));      // nor half of one
    QCOMPARE(nameOf({"all.json", "all.json"}), std::string("all.json"));
    QCOMPARE(nameOf({"one", "two"}), std::string("*"));
}

void TestJoinedPoints::contradictionsAreTold()
{
    Json mean = point("ghost", 1024, 300);
    mean["time_stat"] = "mean";
    mean["num_gpus"] = 4;
    const RunResult joined =
        joinedPoints({read(point("ghost", 512, 100), "a.json"), read(point("ghost", 512, 200), "b.json"),
                      read(mean, "c.json"), read(mean, "d.json")});
    QCOMPARE(sweepOf(joined)->points.size(), std::size_t(2));
    QCOMPARE(sweepOf(joined)->points[0].peakBytes.value(), std::int64_t{100} << 20);
    QVERIFY(hasNote(joined, "a.json and b.json contradict each other"));
    QVERIFY(hasNote(joined, "100 MiB and 200 MiB; the first is shown"));
    QVERIFY(hasNote(joined, "c.json and d.json are of one point"));
    QVERIFY(hasNote(joined, "statistic of the iterations their step time is: mean, median"));
    QVERIFY(hasNote(joined, "number of GPUs: 1, 4"));
    // A worker that died gives way to one that measured.
    const RunResult alive =
        joinedPoints({read(point("ghost", 512, 0), "dead.json"), read(point("ghost", 512, 200), "alive.json")});
    QCOMPARE(sweepOf(alive)->points.at(0).peakBytes.value(), std::int64_t{200} << 20);
}

void TestJoinedPoints::othersStayAsTheyAre()
{
    const Shared a = read(point("ghost", 512, 100), "a.json"), b = read(point("flash", 512, 200), "b.json");
    const Shared run = std::make_shared<const RunResult>();
    QCOMPARE(withJoinedPoints({run, a}), (std::vector<Shared>{run, a}));
    const std::vector<Shared> joined = withJoinedPoints({run, a, run, b});
    QCOMPARE(joined.size(), std::size_t(3));
    QCOMPARE(joined[0], run);
    QCOMPARE(sweepOf(*joined[1])->points.size(), std::size_t(2));
    QCOMPARE(joined[2], run);
}

PEAKSCOPE_GUILESS_TEST(TestJoinedPoints)
#include "test_joined_points.moc"
