// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// When a machine was too busy for times to be compared, and what ratios of rounds are worth: decided from counters and
// times that are given here.
#include "core/analysis/comparison/run_comparison.h"
#include "core/base/secrets/secrets.h"
#include "core/results/sweeps/compared_method.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/timed_round.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

// Rounds of a step each, on two processors for a second of which the thread had `processor` and waited `waiting`.
TimedRound roundOf(double median, double processor, std::optional<double> waiting, std::optional<double> others)
{
    TimedRound round;
    round.medianSeconds = median;
    round.wallSeconds = 1;
    round.processorSeconds = processor;
    round.waitingSeconds = waiting;
    round.othersSeconds = others;
    round.processors = 2;
    return round;
}

TimedRound quiet(double median)
{
    return roundOf(median, 0.99, 0.001, 0.02);
}

TimedRound busy(double median)
{
    return roundOf(median, 0.6, 0.4, 0.9);
}

RunResult resultOf(const std::vector<TimedRound>& rounds, const std::string& session)
{
    RunResult result;
    Timing timing;
    timing.traced = false;
    for (const TimedRound& round : rounds)
        timing.stepSeconds.push_back(round.medianSeconds);
    timing.medianStepSeconds = timing.stepSeconds[timing.stepSeconds.size() / 2];
    result.timing = timing;
    setRounds(result, rounds, session);
    return result;
}

} // namespace

class TestTimedRound : public QObject
{
    Q_OBJECT
private slots:
    void counters();
    void busyMachines_data();
    void busyMachines();
    void takingTurns();
    void courseOfAComparison();
    void ratios_data();
    void ratios();
    void intervals();
    void storedAndRead();
    void damagedRounds();
    void resultsCompared();
    void sweepsSaySo();
};

void TestTimedRound::counters()
{
    QCOMPARE(waitingOf("3179389000 250000000 17\n").value_or(-1), 0.25);
    QVERIFY(!waitingOf("").has_value());
    QVERIFY(!waitingOf("none").has_value());
    LoadCounters start, end;
    readMachine("cpu  100 0 50 1000 7 3 2 5 40 0\ncpu0 1 2 3\ncpu1 1 2 3\nintr 5\n", 100, start);
    QCOMPARE(start.processors, std::int64_t{2});
    QCOMPARE(start.machineSeconds.value_or(-1), 1.6); // without idle and waiting for disks; a guest's are in user's
    readMachine("cpu  150 0 60 1100 7 3 2 5 80 0\ncpu0 1 2 3\ncpu1 1 2 3\n", 100, end);
    start.waitingSeconds = 1;
    end.waitingSeconds = 1.25;
    end.processorSeconds = 0.4;
    end.wallSeconds = 0.8;
    const TimedRound round = roundBetween(start, end);
    QCOMPARE(round.wallSeconds, 0.8);
    QCOMPARE(round.waitingSeconds.value_or(-1), 0.25);
    QVERIFY(std::abs(round.othersSeconds.value_or(-1) - 0.2) < 1e-12);
    LoadCounters nothing;
    readMachine("cpu  0 0 0 0 0 0 0 0 0 0\n", 100, nothing); // as some containers have it
    QVERIFY(!nothing.machineSeconds);
    QVERIFY(!roundBetween(nothing, nothing).othersSeconds);
}

void TestTimedRound::busyMachines_data()
{
    QTest::addColumn<double>("processor");
    QTest::addColumn<double>("waiting"); // below 0: not known
    QTest::addColumn<double>("others");
    QTest::addColumn<int>("expected");
    const int no = static_cast<int>(Busy::No), yes = static_cast<int>(Busy::Yes);
    QTest::newRow("alone") << 0.99 << 0.0 << 0.01 << no;
    QTest::newRow("a compiler on the same processor") << 0.5 << 0.5 << 1.4 << yes;
    QTest::newRow("one thread beside one other process") << 1.0 << 0.01 << 0.9 << no;
    QTest::newRow("it waits a tenth of its time") << 0.9 << 0.1 << 0.5 << yes;
    QTest::newRow("its own threads wait for each other") << 2.0 << 1.5 << 0.01 << no;
    QTest::newRow("others fill the machine, elsewhere") << 1.0 << 0.0 << 1.2 << yes;
    QTest::newRow("only waiting is known") << 0.8 << 0.2 << -1.0 << yes;
    QTest::newRow("only others are known, few") << 1.0 << -1.0 << 0.1 << no;
    QTest::newRow("only others are known, many") << 1.0 << -1.0 << 1.1 << yes;
    QTest::newRow("nothing is known") << 1.0 << -1.0 << -1.0 << static_cast<int>(Busy::Unknown);
}

void TestTimedRound::busyMachines()
{
    QFETCH(const double, processor);
    QFETCH(const double, waiting);
    QFETCH(const double, others);
    QFETCH(const int, expected);
    const auto known = [](double seconds) { return seconds < 0 ? std::nullopt : std::optional(seconds); };
    const TimedRound round = roundOf(0.1, processor, known(waiting), known(others));
    QCOMPARE(static_cast<int>(busyOf(round)), expected);
    // Too short for the kernel's hundredths: what others took says nothing, what it waited does.
    TimedRound shorter = roundOf(0.1, 0.01, 0.0, 0.02);
    shorter.wallSeconds = 0.01;
    QVERIFY(busyOf(shorter) == Busy::No);
    shorter.waitingSeconds = 0.01;
    QVERIFY(busyOf(shorter) == Busy::Yes);
    QVERIFY(busyOf(TimedRound()) == Busy::Unknown);
}

// Nobody is always first, or always after the same one.
void TestTimedRound::takingTurns()
{
    QCOMPARE(turnOrder(3, 0), (std::vector<std::size_t>{0, 1, 2}));
    QCOMPARE(turnOrder(3, 1), (std::vector<std::size_t>{2, 1, 0}));
    QVERIFY(turnOrder(0, 4).empty());
    QCOMPARE(turnOrder(1, 7), (std::vector<std::size_t>{0}));
    for (const std::size_t count : {2U, 3U, 8U}) {
        std::vector<int> first(count, 0);
        for (std::size_t round = 0; round < 2 * count; ++round) {
            const auto order = turnOrder(count, round);
            QCOMPARE(std::set<std::size_t>(order.begin(), order.end()).size(), count);
            ++first[order.front()];
        }
        for (const int times : first)
            QCOMPARE(times, 2);
    }
}

// By the files of its runs; the second method ran out of memory, so that it is not timed.
void TestTimedRound::courseOfAComparison()
{
    const std::vector<std::string> order{"vanilla-memory.json", "ghost-memory.json", "flash-memory.json",
                                         "vanilla-time-1.json", "flash-time-1.json", "flash-time-2.json",
                                         "vanilla-time-2.json"};
    const auto after = [&order](std::size_t done) {
        const std::set<std::string> files(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(done));
        const ComparisonCourse course =
            comparisonCourse({"vanilla", "ghost", "flash"}, 2, [&](const auto& file) { return files.contains(file); });
        return course.method + ", " + std::to_string(course.round) + ", " + std::to_string(course.done) + " of " +
               std::to_string(course.all);
    };
    QCOMPARE(after(0), std::string("vanilla, 0, 0 of 9"));
    QCOMPARE(after(2), std::string("flash, 0, 2 of 9"));
    QCOMPARE(after(3), std::string("vanilla, 1, 3 of 9"));
    QCOMPARE(after(5), std::string("flash, 2, 5 of 7")); // no file of the second's turn
    QCOMPARE(after(6), std::string("vanilla, 2, 6 of 7"));
    QCOMPARE(after(7), std::string(", 0, 7 of 7"));
}

void TestTimedRound::ratios_data()
{
    QTest::addColumn<std::vector<TimedRound>>("own");
    QTest::addColumn<std::vector<TimedRound>>("base");
    QTest::addColumn<QString>("expected");
    const std::vector<TimedRound> steady{quiet(1), quiet(1), quiet(1), quiet(1), quiet(1)};
    QTest::newRow("steady") << std::vector{quiet(2), quiet(2.02), quiet(1.98), quiet(2.01), quiet(2)} << steady
                            << "2.00 (1.98 to 2.02)";
    // The machine gets slower for both: within a round they are as before.
    QTest::newRow("drift") << std::vector{quiet(2), quiet(4), quiet(6)} << std::vector{quiet(1), quiet(2), quiet(3)}
                           << "2.00 (2.00 to 2.00)";
    QTest::newRow("a busy round is left out")
        << std::vector{quiet(2), busy(9), quiet(2), quiet(2), quiet(2)} << steady << "2.00 (2.00 to 2.00)";
    QTest::newRow("busy in half of the rounds") << std::vector{quiet(2), busy(1.2), quiet(2), busy(1.2)}
                                                << std::vector{quiet(1), quiet(1), quiet(1), quiet(1)} << "too busy";
    QTest::newRow("busy for the base") << steady << std::vector{busy(1), busy(1), busy(1), quiet(1), quiet(1)}
                                       << "too busy";
    QTest::newRow("unsteady") << std::vector{quiet(1), quiet(2), quiet(3)} << std::vector{quiet(1), quiet(1), quiet(1)}
                              << "2.00 (1.00 to 3.00), unsteady";
    QTest::newRow("one round") << std::vector{quiet(3)} << std::vector{quiet(2)} << "1.50";
    QTest::newRow("one busy round") << std::vector{busy(3)} << std::vector{quiet(2)} << "too busy";
    TimedRound device; // of which nothing was counted: the spread alone decides
    device.medianSeconds = 1;
    QTest::newRow("a device") << std::vector{device, device} << std::vector{device, device} << "1.00 (1.00 to 1.00)";
}

void TestTimedRound::ratios()
{
    QFETCH(const std::vector<TimedRound>, own);
    QFETCH(const std::vector<TimedRound>, base);
    QFETCH(const QString, expected);
    const auto ratio = ratioOfRounds(own, base);
    QVERIFY(ratio.has_value());
    QCOMPARE(QString::fromStdString(text(*ratio)), expected);
}

// The chance with which order statistics hold the median.
void TestTimedRound::intervals()
{
    const auto of = [](int count) {
        std::vector<TimedRound> own, base;
        for (int i = 0; i < count; ++i) {
            own.push_back(quiet(1 + 0.001 * i));
            base.push_back(quiet(1));
        }
        return *ratioOfRounds(own, base);
    };
    QVERIFY(std::abs(of(5).coverage - (1 - 2.0 / 32)) < 1e-12); // all of them
    QVERIFY(std::abs(of(6).coverage - (1 - 2.0 / 64)) < 1e-12);
    const RoundRatio nine = of(9); // from the second to the last but one: 1 - 2 · 10 / 512
    QVERIFY(std::abs(nine.coverage - (1 - 20.0 / 512)) < 1e-12);
    QVERIFY(std::abs(nine.low - 1.001) < 1e-9 && std::abs(nine.high - 1.007) < 1e-9);
    QVERIFY(std::abs(nine.spread - 0.002) < 1e-9);
}

void TestTimedRound::storedAndRead()
{
    const RunResult result = resultOf({quiet(1), busy(2)}, "abc");
    const auto again = runResultFromJson(toJson(result));
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().text().c_str());
    const auto rounds = timedRounds(*again);
    QCOMPARE(rounds.size(), std::size_t{2});
    QCOMPARE(rounds[1].waitingSeconds.value_or(-1), 0.4);
    QCOMPARE(rounds[1].processors, std::int64_t{2});
    QCOMPARE(timingSession(*again), std::string("abc"));
    Json opened = toJson(*again);
    QVERIFY(dropSecrets(opened).empty()); // as the window does
    QCOMPARE(timingSession(*runResultFromJson(opened)), std::string("abc"));
    opened["timing"].erase("turns");
    opened["timing"]["session"] = "abc"; // an earlier file
    QCOMPARE(timingSession(*runResultFromJson(opened)), std::string("abc"));
    const Json stored = toJson(*again);
    QVERIFY(stored["timing"]["rounds_seconds"].at(0)["too_busy"] == false);
    QVERIFY(stored["timing"]["rounds_seconds"].at(1)["too_busy"] == true);
}

void TestTimedRound::damagedRounds()
{
    for (const char* text : {R"({"rounds_seconds": 3})", R"({"rounds_seconds": [1]})", R"([])", "null",
                             R"({"rounds_seconds": [{"median": "x"}]})"})
        QVERIFY2(roundsFromJson(Json::parse(text)).empty(), text);
    const auto odd = roundsFromJson(
        Json::parse(R"({"rounds_seconds": [{"median": 1, "wall": "long", "processors": 1e300, "others": null}]})"));
    QCOMPARE(odd.size(), std::size_t{1});
    QVERIFY(busyOf(odd[0]) == Busy::Unknown);
}

// A table of two runs: within rounds where they took turns; nothing, and a caveat, where the machine was too busy.
void TestTimedRound::resultsCompared()
{
    const auto compared = [](RunResult base, RunResult own) {
        std::vector<ComparedRun> runs{{std::make_shared<RunResult>(std::move(base)), nullptr},
                                      {std::make_shared<RunResult>(std::move(own)), nullptr}};
        return compareRuns(runs, 0);
    };
    const auto stepRatio = [](const RunComparison& comparison) {
        const Table table = comparisonTable(comparison, ComparisonGroup::Times);
        return std::get<double>(table.rows.at(0).at(4)); // quantity, A, B, B-A, B/A
    };
    const auto rounds = [](const RunComparison& comparison) {
        const Table table = comparisonTable(comparison, ComparisonGroup::Times);
        std::vector<std::string> texts;
        for (std::size_t i = 5; i < table.columns.size(); ++i)
            texts.push_back(table.columns[i].name + ": " + std::get<std::string>(table.rows.at(0).at(i)));
        return texts;
    };
    using Texts = std::vector<std::string>;
    const auto says = [](const RunComparison& comparison, Caveat kind) {
        return std::any_of(comparison.caveats.begin(), comparison.caveats.end(),
                           [kind](const ComparisonCaveat& caveat) { return caveat.kind == kind; });
    };
    const auto turns =
        compared(resultOf({quiet(1), quiet(2), quiet(5)}, "s"), resultOf({quiet(2), quiet(4.2), quiet(10)}, "s"));
    QVERIFY(std::abs(stepRatio(turns) - 2) < 1e-12); // medians alone would say 2.1
    QCOMPARE(rounds(turns), (Texts{"B/A range: 2.00–2.10", "B/A rounds: 3 / 3"}));
    const auto once =
        compared(resultOf({quiet(1), quiet(2), quiet(5)}, "s"), resultOf({busy(2), quiet(4), quiet(12)}, "s"));
    QCOMPARE(rounds(once), (Texts{"B/A range: 2.00–2.40", "B/A rounds: 2 / 3"}));
    const auto apart =
        compared(resultOf({quiet(1), quiet(2), quiet(5)}, "s"), resultOf({quiet(2), quiet(4.2), quiet(10)}, "t"));
    QVERIFY(std::abs(stepRatio(apart) - 2.1) < 1e-12);
    QVERIFY(!says(apart, Caveat::BusyMachine));
    QCOMPARE(rounds(apart), Texts{}); // nothing is known of their rounds together
    const auto disturbed = compared(resultOf({quiet(1), quiet(1)}, "s"), resultOf({busy(0.6), busy(0.6)}, "s"));
    QVERIFY(std::isnan(stepRatio(disturbed)));
    QCOMPARE(rounds(disturbed), (Texts{"B/A range: ", "B/A rounds: 0 / 2"}));
    QVERIFY(says(disturbed, Caveat::BusyMachine));
    const auto wild =
        compared(resultOf({quiet(1), quiet(1), quiet(1)}, "s"), resultOf({quiet(1), quiet(2), quiet(3)}, "s"));
    QVERIFY(says(wild, Caveat::UnsteadyTimes));
}

void TestTimedRound::sweepsSaySo()
{
    SweepDocument sweep;
    sweep.keys = {"data.seq"};
    for (const bool disturbed : {false, true}) {
        SweepPoint point;
        point.values = {{"data.seq", disturbed ? 32 : 16}};
        point.status = "complete";
        point.measured = true;
        point.medianStepSeconds = 1;
        addRound(point.other, disturbed ? busy(1) : quiet(1));
        sweep.points.push_back(std::move(point));
    }
    const auto again = sweepFromJson(Json::parse(toJsonText(sweep)));
    QVERIFY(again.ok());
    const Table table = sweepPointsTable(*again);
    const auto column =
        std::find_if(table.columns.begin(), table.columns.end(), [](const auto& each) { return each.name == "times"; });
    QVERIFY(column != table.columns.end());
    const auto place = static_cast<std::size_t>(column - table.columns.begin());
    QVERIFY(std::get<std::string>(table.rows[0][place]).empty());
    QCOMPARE(std::get<std::string>(table.rows[1][place]), std::string("machine too busy to compare"));
}

PEAKSCOPE_GUILESS_TEST(TestTimedRound)
#include "test_timed_round.moc"
