// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps before and after they run: what a grid may say, in which order it runs, what its document and its pictures
// hold.
#include "core/analysis/statistics/power_law.h"
#include "core/experiment/sweep_plan.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"
#include "core/planning/commands/sweep_estimate.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

Json base()
{
    return Json::parse(R"({"kind": "memory", "model": {"family": "opt", "hidden": 32, "layers": 2, "heads": 2,
        "vocab": 256, "max_positions": 512}, "data": {"batch": 2, "seq": 16}})");
}

Result<SweepPlan> planOf(const Json& grid, const Json& more = Json::object())
{
    Json document = {{"base", base()}, {"grid", grid}};
    document.update(more);
    std::vector<std::string> order;
    for (const auto& [key, values] : grid.items())
        order.push_back(key);
    return sweepPlanFromJson(document, order);
}

SweepPlan estimated(const Json& grid, const Json& more = Json::object())
{
    SweepPlan plan = planOf(grid, more).value();
    EstimateOptions options;
    options.modules = false;
    estimateSweep(plan, options);
    return plan;
}

// A finished sweep of sequence x clipping with made-up figures: quadratic for ghost, linear for flash.
SweepDocument finishedSweep()
{
    const SweepPlan plan = planOf({{"data.seq", {16, 32, 64, 128}}, {"training.clipping", {"ghost", "flash"}}}).value();
    SweepDocument sweep = emptySweep(plan);
    for (SweepPoint& point : sweep.points) {
        const double seq = point.values["data.seq"].get<double>();
        const bool ghost = point.values["training.clipping"] == "ghost";
        point.status = "complete";
        point.measured = true;
        point.file = "point.json";
        point.peakBytes = static_cast<std::int64_t>(ghost ? 100 * seq * seq : 5000 * seq);
        point.components = {{"parameters", 1000}, {"temp_matrices", *point.peakBytes - 1000}};
        point.stepSeconds = {0.5, 0.75, 0.5};
        point.warmupSeconds = {2};
        point.medianStepSeconds = 0.5;
        point.spreadSeconds = 0;
    }
    SweepPoint& over = sweep.points[6];
    over.status = "over_budget";
    over.neededBytes = 12345678;
    over.medianStepSeconds.reset();
    over.stepSeconds.clear();
    sweep.points[7].status = "over_budget";
    sweep.points[7].measured = false;
    sweep.points[7].peakBytes.reset();
    sweep.points[7].predictedPeakBytes = 99;
    sweep.status = "complete";
    return sweep;
}

} // namespace

class TestSweep : public QObject
{
    Q_OBJECT
private slots:
    void badPlans_data();
    void badPlans();
    void gridOrder();
    void repeatedKeys_data();
    void repeatedKeys();
    void impossiblePoints();
    void frontierComesFirst();
    void coarseBeforeFine();
    void proofsOverBudget();
    void documentReadsBack();
    void damagedDocuments_data();
    void damagedDocuments();
    void heatMaps();
    void trends();
    void opensAndConverts();
};

void TestSweep::badPlans_data()
{
    QTest::addColumn<QByteArray>("document");
    QTest::addColumn<QString>("says");
    const QByteArray head = R"({"base": {"kind": "memory", "model": {"family": "opt", "hidden": 32, "layers": 1,
        "heads": 2, "vocab": 256, "max_positions": 128}}, )";
    QTest::newRow("no grid") << QByteArray(head + R"("repeats": 2})") << "grid is missing";
    QTest::newRow("empty grid") << QByteArray(head + R"("grid": {}})") << "the grid is empty";
    QTest::newRow("empty list") << QByteArray(head + R"("grid": {"data.seq": []}})")
                                << "grid.data.seq: the list is empty";
    QTest::newRow("no list") << QByteArray(head + R"("grid": {"data.seq": 16}})") << "a list of values is needed";
    QTest::newRow("unknown key") << QByteArray(head + R"("grid": {"data.sequence": [16, 32]}})")
                                 << "data.sequence is not a known key";
    QTest::newRow("unknown member") << QByteArray(head + R"("grid": {"data.seq": [16]}, "repeat": 3})") << "repeat";
    QTest::newRow("twice") << QByteArray(head + R"("grid": {"data.seq": [16, 32, 16]}})")
                           << "16 appears twice in the list";
    QTest::newRow("one inside the other")
        << QByteArray(head + R"("grid": {"data": [{"seq": 16}], "data.seq": [16]}})") << "sets the same";
    QTest::newRow("value of no experiment")
        << QByteArray(head + R"("grid": {"data.seq": [16, 32], "data.batch": [1, 0]}})") << "grid.data.batch: 0";
    QTest::newRow("repeats below 1") << QByteArray(head + R"("grid": {"data.seq": [16]}, "repeats": 0})") << "repeats";
    QTest::newRow("base is no experiment")
        << QByteArray(R"({"base": {"kind": "memory"}, "grid": {"data.seq": [16]}})") << "model is missing";
    QTest::newRow("fit") << QByteArray(head + R"("grid": {"fit": [true]}})") << "fits nothing";
    QTest::newRow("an array") << QByteArray("[]") << "a sweep is an object";
    QByteArray huge = head + R"("grid": {"seed": [0)";
    for (int i = 1; i < 200; ++i)
        huge += "," + QByteArray::number(i);
    huge += R"(], "data.seq": [1)";
    for (int i = 2; i < 60; ++i)
        huge += "," + QByteArray::number(i);
    QTest::newRow("too many points") << huge + "]}}"
                                     << "more than 10000 points";
}

void TestSweep::badPlans()
{
    QFETCH(QByteArray, document);
    QFETCH(QString, says);
    const Json json = Json::parse(document.toStdString());
    std::vector<std::string> order;
    if (json.is_object() && json.contains("grid")) {
        for (const auto& [key, values] : json["grid"].items())
            order.push_back(key);
    }
    const auto plan = sweepPlanFromJson(json, order);
    QVERIFY(!plan.ok());
    QCOMPARE(plan.error().code, ErrorCode::BadInput);
    const QString text = QString::fromStdString(plan.error().text());
    QVERIFY2(text.contains(says), qPrintable(text));
    QVERIFY(!text.contains('\n'));
}

void TestSweep::gridOrder()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("sweep.json").toStdString();
    QVERIFY(writeFileAtomically(path, R"({"grid": {"training.lr": [1, 2], "data.seq": [16, 32, 64]}, "base": )" +
                                          base().dump() + "}"));
    const auto plan = loadSweepPlan(path, {"data.batch=3"});
    QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
    QCOMPARE(plan->points.size(), std::size_t{6});
    QCOMPARE(plan->axes[0].key, std::string("training.lr"));
    QVERIFY(plan->points[1].values == Json({{"training.lr", 1}, {"data.seq", 32}}));
    QCOMPARE(plan->points[4].experiment->data.batch, std::int64_t{3});
    QCOMPARE(plan->points[5].experiment->training.lr, 2.0);
}

void TestSweep::repeatedKeys_data()
{
    QTest::addColumn<QByteArray>("document");
    QTest::addColumn<QString>("says"); // empty: nothing is wrong
    const QByteArray model = R"("model": {"family": "opt", "hidden": 32, "layers": 1, "heads": 2, "vocab": 256})";
    const QByteArray base = R"("base": {"kind": "memory", )" + model + "}";
    QTest::newRow("in the grid") << QByteArray("{" + base + R"(, "grid": {"data.seq": [16], "data.seq": [32]}})")
                                 << "grid.data.seq appears twice; give all its values in one list";
    QTest::newRow("two grids") << QByteArray("{" + base + R"(, "grid": {"seed": [1]}, "grid": {"seed": [2]}})")
                               << "grid appears twice; keep one of them";
    QTest::newRow("in the base") << QByteArray(R"({"base": {"kind": "memory", )" + model + ", " + model +
                                               R"(}, "grid": {"seed": [1]}})")
                                 << "base.model appears twice; keep one of them";
    QTest::newRow("no key, a control character")
        << QByteArray("{" + base + R"(, "grid": {"a\nb": [16], "a\nb": [32]}})")
        << "grid.a b appears twice; give all its values in one list";
    QTest::newRow("alike in two objects of a list")
        << QByteArray("{" + base + R"(, "grid": {"data": [{"seq": 16}, {"seq": 32}], "seed": [1]}})") << "";
}

void TestSweep::repeatedKeys()
{
    QFETCH(QByteArray, document);
    QFETCH(QString, says);
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("sweep.json")).toStdString();
    std::ofstream(path) << document.toStdString();
    const auto plan = loadSweepPlan(path);
    QCOMPARE(plan.ok(), says.isEmpty());
    if (!plan)
        QCOMPARE(QString::fromStdString(plan.error().text()), QString::fromStdString(path) + ": " + says);
}

void TestSweep::impossiblePoints()
{
    const auto plan = planOf(
        {{"data.batch", {2, 4}}, {"data.max_physical_batch", {1, 2, 4}}, {"training.clipping", {"none", "ghost"}}});
    QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
    const SweepDocument sweep = emptySweep(*plan);
    int impossible = 0;
    for (const SweepPoint& point : sweep.points) {
        if (point.state() != SweepCellState::Impossible)
            continue;
        ++impossible;
        QVERIFY(point.message.find("data.max_physical_batch: 4 is above data.batch 2") != std::string::npos);
        QVERIFY(!point.measured);
        QCOMPARE(point.status, std::string("left_out"));
        nlohmann::json old = sweepPointJson(point);
        old["status"] = "failed"; // before there was a word for it
        QVERIFY(sweepPointFromJson(old)->state() == SweepCellState::Impossible);
        QCOMPARE(sweepPointFromJson(old)->status, std::string("left_out"));
        old = {{"values", point.values}, {"status", "left_out"}};
        QVERIFY(sweepPointFromJson(old)->state() == SweepCellState::Impossible && !sweepPointFromJson(old)->measured);
    }
    QCOMPARE(impossible, 2); // whether it clips or not
    QCOMPARE(sweepOrder(*plan).size(), std::size_t{10});
}

void TestSweep::frontierComesFirst()
{
    const Json grid = {{"data.seq", {16, 32, 64, 128, 256}}, {"data.batch", {1, 4}}};
    const SweepPlan free = estimated(grid);
    // Between 64 and 128 for batch 4; all of batch 1 fits.
    std::int64_t at64 = 0, at128 = 0;
    for (const PlannedPoint& point : free.points) {
        QVERIFY(point.predictedPeakBytes > 0);
        if (point.values["data.batch"] == 4 && point.values["data.seq"] == 64)
            at64 = point.predictedPeakBytes;
        if (point.values["data.batch"] == 4 && point.values["data.seq"] == 128)
            at128 = point.predictedPeakBytes;
    }
    QVERIFY(at64 < at128);
    SweepPlan plan = free;
    for (PlannedPoint& point : plan.points)
        point.experiment->budgetBytes = (at64 + at128) / 2;
    const std::vector<std::size_t> order = sweepOrder(plan);
    QCOMPARE(order.size(), plan.points.size());
    std::vector<Json> firstThree;
    for (int i = 0; i < 3; ++i)
        firstThree.push_back(plan.points[order[static_cast<std::size_t>(i)]].values);
    const auto has = [&](int seq, int batch) {
        return std::find(firstThree.begin(), firstThree.end(), Json({{"data.seq", seq}, {"data.batch", batch}})) !=
               firstThree.end();
    };
    QVERIFY(has(64, 4));
    QVERIFY(has(128, 4));
    QVERIFY(sweepOrder(plan) == order);
}

void TestSweep::coarseBeforeFine()
{
    const auto plan = planOf({{"data.seq", {16, 32, 64, 128, 256}}});
    const std::vector<std::size_t> order = sweepOrder(*plan);
    QVERIFY((order == std::vector<std::size_t>{0, 4, 2, 1, 3}));
}

void TestSweep::proofsOverBudget()
{
    SweepPlan plan = estimated({{"data.seq", {16, 32}}, {"data.batch", {2, 4}}});
    for (PlannedPoint& point : plan.points)
        point.experiment->budgetBytes = 1;
    SweepDocument sweep = emptySweep(plan);
    QVERIFY(!overBudgetProof(sweep.points, overBudgetWitnesses(plan, 3)));
    sweep.points[1].status = "over_budget";
    sweep.points[1].measured = true;
    // Points are (batch, seq): index 1 is batch 2, seq 32; only batch 4, seq 32 is larger in every way.
    QVERIFY(overBudgetProof(sweep.points, overBudgetWitnesses(plan, 3)) == std::size_t{1});
    QVERIFY(!overBudgetProof(sweep.points, overBudgetWitnesses(plan, 0)));
    QVERIFY(!overBudgetProof(sweep.points, overBudgetWitnesses(plan, 2)));
    // Where the estimate disagrees nothing is proven; nor by what was itself only predicted.
    plan.points[3].experiment->budgetBytes = std::int64_t{1} << 40;
    QVERIFY(!overBudgetProof(sweep.points, overBudgetWitnesses(plan, 3)));
    plan.points[3].experiment->budgetBytes = 1;
    sweep.points[1].measured = false;
    QVERIFY(!overBudgetProof(sweep.points, overBudgetWitnesses(plan, 3)));
}

void TestSweep::documentReadsBack()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("sweep.json").toStdString();
    const SweepDocument sweep = finishedSweep();
    QVERIFY(saveSweep(sweep, path));
    const auto read = loadSweep(path);
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    QCOMPARE(toJsonText(*read), toJsonText(sweep));
    QCOMPARE(read->points[6].state(), SweepCellState::OverBudget);
    QCOMPARE(read->points[7].state(), SweepCellState::PredictedOverBudget);
    QVERIFY(sameSweep(*read, sweep));
    // Everything that a clock measured has a name that ends in _seconds, and nothing else has.
    SweepDocument slower = sweep;
    for (SweepPoint& point : slower.points) {
        for (double& seconds : point.stepSeconds)
            seconds *= 2;
        if (point.medianStepSeconds)
            *point.medianStepSeconds *= 2;
    }
    const auto withoutTimes = [](const SweepDocument& document) {
        Json json = Json::parse(toJsonText(document));
        for (Json& point : json["points"]) {
            std::vector<std::string> times;
            for (const auto& [key, value] : point.items()) {
                if (key.ends_with("_seconds"))
                    times.push_back(key);
            }
            for (const std::string& key : times)
                point.erase(key);
        }
        return json;
    };
    QVERIFY(toJsonText(slower) != toJsonText(sweep));
    QVERIFY(withoutTimes(slower) == withoutTimes(sweep));
}

void TestSweep::damagedDocuments_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QString>("says");
    QTest::newRow("version of the future") << "/version" << QByteArray("2") << "version";
    QTest::newRow("points of text") << "/points" << QByteArray("\"many\"") << "points";
    QTest::newRow("a point that is a number") << "/points/2" << QByteArray("3") << "points[2]";
    QTest::newRow("a peak of text") << "/points/1/peak_bytes" << QByteArray("\"big\"") << "points[1].peak_bytes";
    QTest::newRow("a component of text") << "/points/1/components/parameters" << QByteArray("[]")
                                         << "points[1].components.parameters";
    QTest::newRow("keys that are numbers") << "/keys" << QByteArray("[1]") << "keys";
}

void TestSweep::damagedDocuments()
{
    QFETCH(QString, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QString, says);
    Json document = Json::parse(toJsonText(finishedSweep()));
    document[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const auto read = sweepFromJson(document);
    QVERIFY(!read.ok());
    QVERIFY2(QString::fromStdString(read.error().text()).contains(says), read.error().text().c_str());
    const auto opened = readAnyBytes(document.dump(), "sweep.json");
    QVERIFY(!opened.ok());
}

void TestSweep::heatMaps()
{
    const SweepDocument sweep = finishedSweep();
    QVERIFY((defaultSweepAxes(sweep) == std::pair<std::string, std::string>("data.seq", "training.clipping")));
    const auto maps = sweepHeatMaps(sweep, "data.seq", "training.clipping", "peak_bytes");
    QCOMPARE(maps.size(), std::size_t{1});
    QCOMPARE(maps[0].x.size(), std::size_t{4});
    QVERIFY(maps[0].y[0] == "ghost" && maps[0].y[1] == "flash");
    QCOMPARE(maps[0].at(2, 0).value.value_or(0), 100.0 * 64 * 64);
    QCOMPARE(maps[0].at(3, 0).state, SweepCellState::OverBudget);
    QCOMPARE(maps[0].at(3, 1).state, SweepCellState::PredictedOverBudget);
    QCOMPARE(maps[0].at(3, 1).value.value_or(0), 99.0);
    // One key: a row; the other key's values make a panel each.
    const auto panels = sweepHeatMaps(sweep, "data.seq", "", "median_step_seconds");
    QCOMPARE(panels.size(), std::size_t{2});
    QVERIFY(panels[1].fixed == Json({{"training.clipping", "flash"}}));
    QCOMPARE(sweepSetting(panels[1].fixed), std::string("clipping flash"));
    QVERIFY(!panels[0].at(3, 0).value);
    const auto measures = sweepMeasures(sweep);
    QVERIFY(std::find(measures.begin(), measures.end(), "components.temp_matrices") != measures.end());
    QCOMPARE(sweepUnit("components.temp_matrices"), std::string("bytes"));
}

void TestSweep::trends()
{
    const auto trends = sweepTrends(finishedSweep(), "data.seq", "peak_bytes");
    QCOMPARE(trends.size(), std::size_t{2});
    QCOMPARE(trends[0].x.size(), std::size_t{3}); // without the point over budget
    const PowerLawFit ghost = fitPowerLaw(trends[0].x, trends[0].y), flash = fitPowerLaw(trends[1].x, trends[1].y);
    QVERIFY(std::abs(ghost.exponent - 2) < 1e-9);
    QVERIFY(std::abs(flash.exponent - 1) < 1e-9);
    QVERIFY(sweepTrends(finishedSweep(), "training.clipping", "peak_bytes").empty());
}

void TestSweep::opensAndConverts()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("sweep.json").toStdString();
    QVERIFY(saveSweep(finishedSweep(), path));
    const auto beside = readTextFile(folder.filePath("sweep.csv").toStdString());
    QVERIFY(beside && *beside == toCsv(sweepPointsTable(finishedSweep())));
    QVERIFY(writeFileAtomically(folder.filePath("point-0001.json").toStdString(), "not a result, and not looked at"));
    for (const std::string& name : {path, folder.path().toStdString()}) {
        const auto results = readAny(name);
        QVERIFY2(results.ok(), results ? "" : results.error().text().c_str());
        QCOMPARE(results->size(), std::size_t{1});
        QCOMPARE(results->front().kind, ResultKind::Sweep);
        QCOMPARE(results->front().status, RunStatus::Complete);
        const auto sweep = sweepOf(results->front());
        QVERIFY(sweep.ok());
        QCOMPARE(toJsonText(*sweep), toJsonText(finishedSweep()));
    }
    const auto results = readAny(path);
    const std::string csv = toCsv(mainTable(*results).value());
    QVERIFY(csv.find("data.seq,training.clipping,status,peak_bytes,median_step_seconds") == 0);
    QVERIFY(csv.find("temp_matrices_bytes") != std::string::npos);
    QVERIFY(toLatex(mainTable(*results).value(), "").find("\\toprule") != std::string::npos);
    const std::string summary = summaryText(*results);
    QVERIFY(summary.find("data.seq") != std::string::npos);
    QVERIFY2(summary.find("peak_bytes along data.seq: ") != std::string::npos, summary.c_str());
    QVERIFY2(summary.find("    clipping ghost: exponent 2.0") != std::string::npos, summary.c_str());
    // The table twin of the window.
    const Table table = sweepPointsTable(finishedSweep());
    QCOMPARE(table.rows.size(), std::size_t{8});
    QVERIFY(std::all_of(table.rows.begin(), table.rows.end(),
                        [&](const auto& row) { return row.size() == table.columns.size(); }));
}

PEAKSCOPE_GUILESS_TEST(TestSweep)
#include "test_sweep.moc"
