// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs side by side: values, differences and ratios that can be summed by hand, what is said not to be comparable, and
// one time axis for timelines of different speed.
#include "core/analysis/comparison/run_comparison.h"
#include "core/analysis/comparison/timeline_alignment.h"
#include "core/import/read_any.h"
#include "tests/test_room.h"

#include <QTest>

#include <map>

#include <chrono>
#include <cmath>

using namespace peakscope;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Load to 10, forward to 10 + speed, backward, step; per step of 3 x speed seconds.
RunResult makeRun(const std::string& clipping, double speed, std::int64_t activations)
{
    RunResult run;
    run.status = RunStatus::Complete;
    run.config = {{"model", {{"family", "opt"}, {"layers", 2}, {"hidden", 64}}},
                  {"data", {{"batch", 4}, {"seq", 128}}},
                  {"training", {{"clipping", clipping}, {"warmup_steps", 1}}},
                  {"dtype", "float32"}};
    run.environment = {{"device", "cpu"}};
    run.timing = Timing{{3 * speed}, 3 * speed, {3 * speed}, true};
    MemorySection& memory = run.memory.emplace();
    const auto event = [&](double time, std::int64_t bytes, Component component) {
        memory.timeline.timeSeconds.push_back(time);
        memory.timeline.deltaBytes.push_back(bytes);
        memory.timeline.component.push_back(component);
    };
    event(0, kMiB, Component::Parameters);
    memory.phases = {{Phase::Load, -1, 0}};
    for (int step = 0; step < 3; ++step) {
        const double start = 10 + 3 * speed * step;
        memory.phases.push_back({Phase::Forward, step, start});
        event(start + speed / 2, activations, Component::Activations);
        memory.phases.push_back({Phase::Backward, step, start + speed});
        event(start + speed * 1.5, -activations, Component::Activations);
        memory.phases.push_back({Phase::OptimizerStep, step, start + 2 * speed});
    }
    memory.peakBytes = kMiB + activations;
    memory.peakComponents[static_cast<std::size_t>(Component::Parameters)] = kMiB;
    memory.peakComponents[static_cast<std::size_t>(Component::Activations)] = activations;
    memory.maxComponents = memory.peakComponents;
    memory.modules = {{"layers.0.fc1", ModuleKind::Mlp, kMiB, 0, activations, kMiB + activations, 0.1, 0.2}};
    return run;
}

ComparedRun compared(RunResult run)
{
    auto timeline = run.memory ? std::make_shared<const MemoryTimeline>(run.memory->timeline) : nullptr;
    return {std::make_shared<const RunResult>(std::move(run)), timeline};
}

const ComparedRow& row(const RunComparison& comparison, ComparisonGroup group, const std::string& name)
{
    for (const ComparedRow& each : comparison.rows(group)) {
        if (each.name == name)
            return each;
    }
    static const ComparedRow kNone;
    return kNone;
}

bool says(const RunComparison& comparison, Caveat kind, std::size_t run)
{
    for (const ComparisonCaveat& caveat : comparison.caveats) {
        if (caveat.kind == kind && caveat.run == run)
            return !text(caveat, comparison.base).empty();
    }
    return false;
}

} // namespace

class TestRunComparison : public QObject
{
    Q_OBJECT

private slots:
    void valuesDifferencesAndRatios();
    void anyRunCanBeTheBase();
    void whatLacksIsNotZero();
    void phasesFromSnapshots();
    void caveatsAreSaid_data();
    void caveatsAreSaid();
    void equalRunsHaveNoCaveats();
    void mergedTimelines();
    void boundsAreNoPredictions();
    void aFloorIsOfThoseThatKnowTheirs();
    void settingsThatDiffer();
    void growthWithTheSequence();
    void stepsAlign();
    void phasesAlign();
    void aPhaseThatOneRunLacks();
    void aPhaseAtAnotherPlaceOfItsStep();
    void importedRunsKeepTheirGaps();
    void millionsOfEvents();
};

void TestRunComparison::valuesDifferencesAndRatios()
{
    const RunComparison both =
        compareRuns({compared(makeRun("none", 1, 4 * kMiB)), compared(makeRun("ghost", 2, 6 * kMiB))});
    const Table components = comparisonTable(both, ComparisonGroup::Components);
    QStringList columns;
    for (const TableColumn& column : components.columns)
        columns << QString::fromStdString(column.name);
    QCOMPARE(columns, QStringList({"component", "A", "B", "B-A", "B/A"}));
    QCOMPARE(components.rows.size(), std::size_t{2}); // what is zero in both is left out
    QCOMPARE(std::get<std::int64_t>(components.rows[1][3]), 2 * kMiB);
    QCOMPARE(std::get<double>(components.rows[1][4]), 1.5);
    QCOMPARE(row(both, ComparisonGroup::Totals, "peak").values[1], std::optional<double>(7 * kMiB));
    QCOMPARE(row(both, ComparisonGroup::Phases, "forward").values[0], std::optional<double>(5 * kMiB));
    QCOMPARE(row(both, ComparisonGroup::Phases, "optimizer_step").values[1], std::optional<double>(kMiB));
    QCOMPARE(row(both, ComparisonGroup::ModuleKinds, "mlp").values[1], std::optional<double>(7 * kMiB));
    QCOMPARE(row(both, ComparisonGroup::Times, "step").values[1], std::optional<double>(6));
    QCOMPARE(row(both, ComparisonGroup::Times, "token").values[0], std::optional<double>(3.0 / 512));
    QVERIFY(QByteArray::fromStdString(toCsv(components)).startsWith("component,A,B,B-A,B/A\r\n"));
}

void TestRunComparison::anyRunCanBeTheBase()
{
    const std::vector<ComparedRun> runs{compared(makeRun("ghost", 1, 6 * kMiB)), compared(makeRun("none", 1, 4 * kMiB)),
                                        compared(makeRun("flash", 1, 5 * kMiB))};
    QCOMPARE(naturalBase(runs), std::size_t{1});
    const Table totals = comparisonTable(compareRuns(runs, 1), ComparisonGroup::Totals);
    QCOMPARE(totals.columns.size(), std::size_t{1 + 3 + 4});
    QCOMPARE(totals.columns[2].name, std::string("A-B"));
    QCOMPARE(std::get<std::int64_t>(totals.rows[0][2]), 2 * kMiB);
    QCOMPARE(comparisonLetter(25), std::string("Z"));
    QCOMPARE(comparisonLetter(26), std::string("AA"));
    QVERIFY(compareRuns({}).caveats.empty());
}

void TestRunComparison::whatLacksIsNotZero()
{
    RunResult bare = makeRun("ghost", 1, 6 * kMiB);
    bare.memory->missing = {"peak_components.activations"};
    bare.memory->peakComponents[static_cast<std::size_t>(Component::Activations)] = 0;
    const RunComparison both = compareRuns({compared(makeRun("none", 1, 4 * kMiB)), compared(bare)});
    QVERIFY(!row(both, ComparisonGroup::Components, "activations").values[1]);
    const Table table = comparisonTable(both, ComparisonGroup::Components);
    QVERIFY(std::isnan(std::get<double>(table.rows[1][2])));
    QVERIFY(std::isnan(std::get<double>(table.rows[1][3])));
    QVERIFY(says(both, Caveat::SomeComponents, 1));
    QVERIFY(!hasComponent(bare, Component::Activations));
    QVERIFY(hasComponent(bare, Component::Parameters));
}

// A rise of the recorded maximum is of the phase that ends at that snapshot; one from before is nobody's.
void TestRunComparison::phasesFromSnapshots()
{
    RunResult run = makeRun("none", 1, 4 * kMiB);
    run.memory->timeline = {};
    run.memory->snapshots = {{"load", Phase::Load, 0, 0, 2 * kMiB, 0, 2 * kMiB},
                             {"forward", Phase::Forward, 0, 1, 5 * kMiB, 0, 5 * kMiB},
                             {"backward", Phase::Backward, 0, 2, 3 * kMiB, 0, 9 * kMiB},
                             {"step", Phase::OptimizerStep, 0, 3, 2 * kMiB, 0, 9 * kMiB},
                             {"again", Phase::Forward, 1, 4, 5 * kMiB, 0, 9 * kMiB}};
    const auto shared = std::make_shared<const RunResult>(std::move(run));
    const RunComparison comparison =
        compareRuns({{shared, std::make_shared<const MemoryTimeline>(shared->memory->timeline)}});
    std::map<std::string, double> peaks;
    for (const ComparedRow& row : comparison.rows(ComparisonGroup::Phases))
        peaks[row.name] = row.values[0].value_or(0);
    QCOMPARE(peaks.at("load"), 2.0 * kMiB);
    QCOMPARE(peaks.at("forward"), 5.0 * kMiB);
    QCOMPARE(peaks.at("backward"), 9.0 * kMiB);
    QCOMPARE(peaks.at("optimizer_step"), 2.0 * kMiB);
}

void TestRunComparison::caveatsAreSaid_data()
{
    QTest::addColumn<int>("caveat");
    const std::pair<const char*, Caveat> rows[] = {
        {"no memory", Caveat::NoMemory},         {"predicted", Caveat::PredictedOnly},
        {"model", Caveat::OtherModel},           {"dtype", Caveat::OtherType},
        {"device", Caveat::OtherDevice},         {"batch", Caveat::OtherWork},
        {"synthetic", Caveat::Synthetic},        {"over budget", Caveat::NotComplete},
        {"no components", Caveat::NoComponents}, {"after the step", Caveat::ComponentsAfterStep},
        {"no timeline", Caveat::NoTimeline},     {"snapshots", Caveat::PhasesFromSnapshots},
        {"no modules", Caveat::NoModules},       {"untraced", Caveat::OtherTiming},
        {"mean", Caveat::OtherStatistic},        {"no time", Caveat::NoTime},
        {"curvature", Caveat::OtherKind},        {"bound", Caveat::PredictedOnly},
        {"merged", Caveat::OtherMerging}};
    for (const auto& [name, caveat] : rows)
        QTest::newRow(name) << static_cast<int>(caveat);
}

void TestRunComparison::caveatsAreSaid()
{
    QFETCH(int, caveat);
    const QByteArray tag(QTest::currentDataTag());
    RunResult other = makeRun("none", 1, 4 * kMiB);
    if (tag == "no memory" || tag == "predicted" || tag == "bound")
        other.memory.reset();
    if (tag == "predicted" || tag == "bound")
        other.prediction = Prediction{kMiB, {}};
    if (tag == "bound")
        other.other["prediction"]["bound"] = true;
    if (tag == "merged")
        other.memory->timeline.merged = true;
    if (tag == "model")
        other.config["model"]["layers"] = 3;
    if (tag == "dtype")
        other.config["dtype"] = "bfloat16";
    if (tag == "device")
        other.environment["device"] = "cuda:0";
    if (tag == "batch")
        other.config["data"]["batch"] = 8;
    if (tag == "synthetic")
        other.synthetic = true;
    if (tag == "over budget")
        other.status = RunStatus::OverBudget;
    if (tag == "no components")
        other.memory->missing = {"peak_components"};
    if (tag == "after the step")
        other.other["memory"]["components_measured"] = "after_step";
    if (tag == "no timeline" || tag == "snapshots")
        other.memory->timeline = {};
    if (tag == "snapshots")
        other.memory->snapshots = {{"a", Phase::Forward, 0, 0, kMiB, kMiB}};
    if (tag == "no modules")
        other.memory->modules.clear();
    if (tag == "untraced")
        other.timing->traced = false;
    if (tag == "mean")
        other.other["timing"]["statistic"] = "mean";
    if (tag == "no time")
        other.timing.reset();
    if (tag == "curvature") {
        other.kind = ResultKind::Curvature;
        other.memory.reset();
    }
    const RunComparison both = compareRuns({compared(makeRun("none", 1, 4 * kMiB)), compared(other)});
    QVERIFY(says(both, static_cast<Caveat>(caveat), 1));
    for (const ComparisonCaveat& each : both.caveats)
        QVERIFY(QString::fromStdString(text(each, 0)).contains(QStringLiteral("run B")));
}

void TestRunComparison::equalRunsHaveNoCaveats()
{
    const RunComparison same =
        compareRuns({compared(makeRun("none", 1, 4 * kMiB)), compared(makeRun("ghost", 1, 4 * kMiB))});
    QVERIFY(same.caveats.empty());
}

// Timelines that were merged are equal where they are exact at the same moments, whatever these are called.
void TestRunComparison::mergedTimelines()
{
    const auto merged = [](std::size_t without) {
        RunResult run = makeRun("none", 1, 4 * kMiB);
        TimelineData& timeline = run.memory->timeline;
        timeline.merged = true;
        for (std::size_t i = 0; i < without; ++i) { // the last step's events come to nothing together
            timeline.timeSeconds.pop_back();
            timeline.deltaBytes.pop_back();
            timeline.component.pop_back();
        }
        return compared(run);
    };
    QVERIFY(!says(compareRuns({merged(0), merged(0)}), Caveat::OtherMerging, 1));
    QVERIFY(says(compareRuns({merged(0), merged(2)}), Caveat::OtherMerging, 1));
    QVERIFY(says(compareRuns({compared(makeRun("none", 1, 4 * kMiB)), merged(0)}), Caveat::OtherMerging, 1));
}

// What a run was planned for at the most stands in a row of its own, never as a prediction.
void TestRunComparison::boundsAreNoPredictions()
{
    RunResult predicted = makeRun("none", 1, 4 * kMiB), bound = predicted;
    predicted.prediction = bound.prediction = Prediction{9 * kMiB, {}};
    bound.other["prediction"]["bound"] = true;
    const RunComparison both = compareRuns({compared(predicted), compared(bound)});
    const ComparedRow &claims = row(both, ComparisonGroup::Totals, "predicted_peak"),
                      &plans = row(both, ComparisonGroup::Totals, "planned_at_most");
    QVERIFY(claims.values.at(0) && !claims.values.at(1));
    QVERIFY(!plans.values.at(0) && plans.values.at(1));
}

void TestRunComparison::aFloorIsOfThoseThatKnowTheirs()
{
    RunResult unknown = makeRun("none", 1, 4 * kMiB);
    unknown.memory.reset();
    const std::vector<ComparedRun> runs{compared(unknown), compared(makeRun("ghost", 1, 6 * kMiB))};
    const SharedFloor floor = memoryFloor(runs);
    QCOMPARE(floor.bytes, kMiB);
    QCOMPARE(floor.of, std::vector<std::size_t>{1});
    QCOMPARE(lettersOf(floor, runs.size()), std::string("B"));
    QCOMPARE(lettersOf(memoryFloor({runs[1], runs[1]}), 2), std::string());
    RunResult larger = makeRun("ghost", 1, 6 * kMiB);
    for (std::int64_t& bytes : larger.memory->maxComponents)
        bytes *= 2;
    for (std::int64_t& bytes : larger.memory->peakComponents)
        bytes *= 2;
    larger.memory->peakBytes *= 2;
    QCOMPARE(lettersOf(memoryFloor({compared(larger), runs[1]}), 2), std::string("B"));
}

void TestRunComparison::settingsThatDiffer()
{
    const RunComparison both =
        compareRuns({compared(makeRun("none", 1, 4 * kMiB)), compared(makeRun("ghost", 1, 4 * kMiB))});
    QCOMPARE(both.settings.size(), std::size_t{1});
    QCOMPARE(both.settings[0].path, std::string("training.clipping"));
    QCOMPARE(std::get<std::string>(settingsTable(both).rows[0][2]), std::string("ghost"));
}

void TestRunComparison::growthWithTheSequence()
{
    std::vector<ComparedRun> runs;
    for (const int sequence : {128, 256, 512, 1024, 2048}) {
        RunResult run = makeRun("none", 1e-3 * sequence, 0);
        run.config["data"]["seq"] = sequence;
        run.memory->peakBytes = 5 * kMiB + std::int64_t{3} * sequence * sequence;
        runs.push_back(compared(std::move(run)));
    }
    const RunComparison all = compareRuns(runs);
    QCOMPARE(all.fits.size(), std::size_t{2});
    QCOMPARE(all.fits[0].setting, std::string("data.seq"));
    QVERIFY2(std::abs(all.fits[0].fit.exponent - 2) < 1e-3, qPrintable(QString::number(all.fits[0].fit.exponent)));
    QVERIFY(std::abs(all.fits[1].fit.exponent - 1) < 1e-3);
    // Where something else differs as well, growth cannot be put down to the sequence.
    RunResult odd = makeRun("ghost", 1, 0);
    runs.push_back(compared(std::move(odd)));
    QVERIFY(compareRuns(runs).fits.empty());
}

void TestRunComparison::stepsAlign()
{
    const RunResult a = makeRun("none", 1, kMiB), b = makeRun("ghost", 2, kMiB);
    const std::vector<AlignedRun> runs{{&*a.memory, warmupSteps(a)}, {&*b.memory, warmupSteps(b)}};
    QCOMPARE(runs[0].warmupSteps, std::int64_t{1});
    const auto maps = alignTimelines(runs, 0, TimelineAlignment::Step);
    QCOMPARE(maps[0].map(13), 0.0); // the second step is the first measured one
    QCOMPARE(maps[1].map(16), 0.0);
    QCOMPARE(maps[1].map(18), 2.0);
    QCOMPARE(maps[1].inverse(2), 18.0);
    QVERIFY(!maps[1].stretches());
    const auto start = alignTimelines(runs, 0, TimelineAlignment::Start);
    QCOMPARE(start[1].map(5), 5.0);
}

void TestRunComparison::phasesAlign()
{
    const RunResult a = makeRun("none", 1, kMiB), b = makeRun("ghost", 2, kMiB);
    const std::vector<AlignedRun> runs{{&*a.memory, 1}, {&*b.memory, 1}};
    const auto maps = alignTimelines(runs, 0, TimelineAlignment::Phase);
    QVERIFY(maps[1].stretches());
    for (std::size_t i = 0; i < a.memory->phases.size(); ++i)
        QCOMPARE(maps[1].map(b.memory->phases[i].timeSeconds), a.memory->phases[i].timeSeconds);
    const TimelineData moved = mapped(b.memory->timeline, maps[1]);
    for (std::size_t i = 0; i < moved.size(); ++i)
        QVERIFY(std::abs(moved.timeSeconds[i] - a.memory->timeline.timeSeconds[i]) < 1e-12);
    QCOMPARE(moved.deltaBytes, b.memory->timeline.deltaBytes);
    QCOMPARE(mapped(b.memory->phases, maps[1])[4].timeSeconds, a.memory->phases[4].timeSeconds);
    QVERIFY(std::abs(maps[1].inverse(maps[1].map(17.3)) - 17.3) < 1e-12);
}

void TestRunComparison::aPhaseThatOneRunLacks()
{
    const RunResult a = makeRun("none", 1, kMiB);
    RunResult b = makeRun("ghost", 1, kMiB);
    auto& phases = b.memory->phases;
    phases.insert(phases.begin() + 3, {Phase::Norms, 0, 11.5}); // within the first backward
    const auto maps = alignTimelines({{&*a.memory, 1}, {&*b.memory, 1}}, 0, TimelineAlignment::Phase);
    QCOMPARE(maps[1].map(12), 12.0);
    QCOMPARE(maps[1].map(11.5), 11.5);
    // Another number of warm-up steps: measured steps lie under one another.
    const auto shifted = alignTimelines({{&*a.memory, 1}, {&*b.memory, 0}}, 0, TimelineAlignment::Phase);
    QCOMPARE(shifted[1].map(10), 13.0);
    QCOMPARE(shifted[1].map(9.5), 9.5); // loading is not stretched over the other's warm-up step
}

// The norms of clipping stand before the backward pass, those of a plain run's last step after it: forward stays under
// forward and backward under backward.
void TestRunComparison::aPhaseAtAnotherPlaceOfItsStep()
{
    RunResult plain = makeRun("none", 1, kMiB), clipped = makeRun("ghost", 1, kMiB);
    const auto marks = [](std::initializer_list<std::pair<Phase, double>> phases) {
        std::vector<PhaseMark> list;
        for (const auto& [phase, seconds] : phases)
            list.push_back({phase, 0, seconds});
        return list;
    };
    plain.memory->phases = marks(
        {{Phase::Data, 0}, {Phase::Forward, 1}, {Phase::Backward, 2}, {Phase::Norms, 4}, {Phase::OptimizerStep, 5}});
    clipped.memory->phases = marks({{Phase::Data, 0},
                                    {Phase::Forward, 1},
                                    {Phase::Norms, 3},
                                    {Phase::Norms, 6},
                                    {Phase::Backward, 7},
                                    {Phase::OptimizerStep, 9},
                                    {Phase::Norms, 10},
                                    {Phase::OptimizerStep, 11}});
    const auto maps = alignTimelines({{&*plain.memory, 0}, {&*clipped.memory, 0}}, 0, TimelineAlignment::Phase);
    QCOMPARE(maps[1].map(1), 1.0);
    QCOMPARE(maps[1].map(7), 2.0);
    QVERIFY(maps[1].map(6) < 2.0);  // its norms are before backward here, too
    QCOMPARE(maps[1].map(10), 4.0); // what both have behind it
    QCOMPARE(maps[1].map(11), 5.0);
    // The other way round.
    const auto back = alignTimelines({{&*plain.memory, 0}, {&*clipped.memory, 0}}, 1, TimelineAlignment::Phase);
    QCOMPARE(back[0].map(2), 7.0);
    QCOMPARE(back[0].map(5), 11.0);
}

void TestRunComparison::importedRunsKeepTheirGaps()
{
    const QString folder = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/dpsgd/run_20241110_123456");
    auto results = readAny(folder.toStdString());
    QVERIFY(results.ok());
    std::vector<ComparedRun> runs;
    for (RunResult& result : *results)
        runs.push_back(compared(std::move(result)));
    QCOMPARE(runs.size(), std::size_t{3});
    QCOMPARE(naturalBase(runs), std::size_t{0});
    const RunComparison all = compareRuns(runs);
    for (std::size_t run = 0; run < 3; ++run) {
        QVERIFY(says(all, Caveat::ComponentsAfterStep, run));
        QVERIFY(says(all, Caveat::PhasesFromSnapshots, run));
    }
    QVERIFY(!row(all, ComparisonGroup::Components, "activations").values.size());
    const ComparedRow& peak = row(all, ComparisonGroup::Totals, "peak");
    QVERIFY(*peak.values[1] > *peak.values[0]);
}

void TestRunComparison::millionsOfEvents()
{
    RunResult run = makeRun("none", 1, kMiB);
    TimelineData& timeline = run.memory->timeline;
    timeline = {};
    for (int i = 0; i < 1'000'000; ++i) {
        timeline.timeSeconds.push_back(i * 2e-5);
        timeline.deltaBytes.push_back(i % 2 == 0 ? kMiB : -kMiB);
        timeline.component.push_back(Component::Activations);
    }
    const std::vector<ComparedRun> runs{compared(run), compared(run)};
    const RunComparison both = compareRuns(runs);
    QCOMPARE(row(both, ComparisonGroup::Phases, "forward").values[1], std::optional<double>(kMiB));
    const auto maps =
        alignTimelines({{&*runs[0].result->memory, 1}, {&*runs[1].result->memory, 1}}, 0, TimelineAlignment::Phase);
    QCOMPARE(mapped(runs[1].result->memory->timeline, maps[1]).timeSeconds, timeline.timeSeconds);
}

PEAKSCOPE_GUILESS_TEST(TestRunComparison)
#include "test_run_comparison.moc"
