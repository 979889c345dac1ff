// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is alive at an instant of a run of our own: sums by component and by phase equal the curve after every event,
// and an instant that is none is told.
#include "core/results/memory_timeline.h"
#include "core/results/run_instant.h"
#include "tests/test_room.h"

#include <QTest>

#include <map>
#include <random>

using namespace peakscope;

namespace {

// Two events come at 0.2 s; from there to 0.3 s four bytes turn out to be gradients.
MemorySection small()
{
    MemorySection memory;
    memory.timeline.timeSeconds = {0, 0.1, 0.2, 0.2, 0.3, 0.3, 0.5};
    memory.timeline.deltaBytes = {10, 5, 8, 1, -4, 4, -8};
    memory.timeline.component = {Component::Parameters, Component::Activations, Component::Activations,
                                 Component::Rounding,   Component::Activations, Component::Gradients,
                                 Component::Activations};
    memory.phases = {{Phase::Forward, 0, 0.1}, {Phase::Backward, 0, 0.25}, {Phase::Forward, 1, 0.4}};
    return memory;
}

std::map<std::string, std::int64_t> allocated(const std::vector<RunHolder>& holders)
{
    std::map<std::string, std::int64_t> bytes;
    for (const RunHolder& holder : holders)
        bytes[holder.what] = holder.allocatedBytes;
    return bytes;
}

using Bytes = std::map<std::string, std::int64_t>;

} // namespace

class TestRunInstant : public QObject
{
    Q_OBJECT

private slots:
    // Of a component always, of a module where the events say whose they are; lines only where there are any.
    void courseOfAHolder()
    {
        MemorySection memory = small();
        PlacedBytes course = holderCourse(memory, RunHolderKey::Component, "activations");
        QCOMPARE(course.places, (std::vector<double>{0.1, 0.2, 0.3, 0.5}));
        QCOMPARE(course.bytes, (std::vector<std::int64_t>{5, 13, 9, 1}));
        QVERIFY(holderCourse(memory, RunHolderKey::Phase, "forward").bytes.empty());
        QCOMPARE(runHolderKeys(memory).size(), std::size_t{2});
        memory.owners = {{"a", "b"}, {"mm"}, {}, {1, 1, 2, 2, 2, 2, 2}, {0, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0}};
        QCOMPARE(runHolderKeys(memory).size(), std::size_t{4});
        QCOMPARE(holderCourse(memory, RunHolderKey::Module, "a").bytes, (std::vector<std::int64_t>{10, 15}));
        memory.owners.stacks = {"train.py:8 step; train.py:90 main"};
        memory.owners.stack = {0, 1, 1, 1, 1, 1, 1};
        QVERIFY(runHolderKeys(memory).back() == RunHolderKey::Stack);
        QCOMPARE(holderCourse(memory, RunHolderKey::Stack, "(no stack)").bytes, (std::vector<std::int64_t>{10}));
        course = holderCourse(memory, RunHolderKey::Module, "b");
        QCOMPARE(course.bytes, (std::vector<std::int64_t>{8, 9, 5, 9, 1}));
        QCOMPARE(holderCourse(memory, RunHolderKey::Operator, "(no operator)").bytes, (std::vector<std::int64_t>{10}));
    }

    void atThePeak()
    {
        const MemorySection memory = small();
        const auto peak = runInstant(memory, "peak", "r.json");
        QVERIFY(peak);
        QCOMPARE(peak->events, std::size_t{4});
        QCOMPARE(peak->seconds, 0.2);
        QVERIFY(peak->mark && peak->mark->phase == Phase::Forward && peak->mark->step == 0);
        const std::vector<RunHolder> holders = runHolders(memory, *peak, RunHolderKey::Component);
        QCOMPARE(holders.front().what, std::string("activations")); // the largest first
        QCOMPARE(allocated(holders), (Bytes{{"activations", 13}, {"parameters", 10}, {"rounding", 1}}));
        QCOMPARE(holders.back().requestedBytes, std::int64_t{0}); // rounding was not asked for
    }

    void aPhaseIsWhatItAdded()
    {
        const MemorySection memory = small();
        const RunInstant end = *runInstant(memory, "end", "r.json");
        QCOMPARE(allocated(runHolders(memory, end, RunHolderKey::Phase)),
                 (Bytes{{"(before the first phase)", 10}, {"forward", 6}})); // 5 + 8 + 1 - 8; backward: nothing
        QCOMPARE(end.mark->step, std::int64_t{1});
        const RunInstant within = *runInstant(memory, "event:4", "r.json");
        QCOMPARE(allocated(runHolders(memory, within, RunHolderKey::Phase)),
                 (Bytes{{"(before the first phase)", 10}, {"forward", 14}, {"backward", -4}}));
    }

    void times_data()
    {
        QTest::addColumn<QByteArray>("at");
        QTest::addColumn<int>("events");
        QTest::newRow("first") << QByteArray("0") << 1;
        QTest::newRow("between") << QByteArray("0.15") << 2;
        QTest::newRow("both of one time") << QByteArray("0.2s") << 4;
        QTest::newRow("last") << QByteArray("0.5") << 7;
        QTest::newRow("event") << QByteArray("event:2") << 3;
        QTest::newRow("a step ends where the next begins") << QByteArray("step:0") << 6;
        QTest::newRow("the last step") << QByteArray("step:1") << 7;
        QTest::newRow("where memory ran out") << QByteArray("oom") << 4;
    }

    void times()
    {
        QFETCH(QByteArray, at);
        QFETCH(int, events);
        const auto instant = runInstant(small(), at.toStdString(), "r.json", 0.25);
        QVERIFY2(instant, instant ? "" : instant.error().text().c_str());
        QCOMPARE(static_cast<int>(instant->events), events);
    }

    // What a recorded program does after its optimiser's step is of no step any more, such as all that it frees at its
    // end.
    void stepsOfARecordedProgram()
    {
        MemorySection memory = small();
        memory.phases = {{Phase::Load, -1, 0},      {Phase::Forward, 0, 0.1},        {Phase::Data, 0, 0.2},
                         {Phase::Forward, 1, 0.25}, {Phase::OptimizerStep, 1, 0.28}, {Phase::Data, 1, 0.4}};
        QCOMPARE(runInstant(memory, "step:0", "r.json")->events, std::size_t{2});
        QCOMPARE(runInstant(memory, "step:1", "r.json")->events, std::size_t{6});
        memory.phases = {{Phase::Load, -1, 0}};
        QVERIFY(runInstant(memory, "step:0", "r.json").error().text().ends_with("the steps of r.json are not known"));
    }

    void whatIsNoInstant_data()
    {
        QTest::addColumn<QByteArray>("at");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("later") << QByteArray("0.6") << QByteArray("0.6 s is not within");
        QTest::newRow("before") << QByteArray("-1") << QByteArray("not within");
        QTest::newRow("not a number") << QByteArray("nan") << QByteArray("not within");
        QTest::newRow("event") << QByteArray("event:7") << QByteArray("not one of 0 to 6");
        QTest::newRow("negative event") << QByteArray("event:-1") << QByteArray("not one of peak");
        QTest::newRow("memory did not run out") << QByteArray("oom") << QByteArray("r.json has no instant at which");
        QTest::newRow("step") << QByteArray("step:2") << QByteArray("step 2 of r.json is not one of 0 to 1");
        QTest::newRow("word") << QByteArray("top")
                              << QByteArray("not one of peak, end, oom, event:N, step:N and a time");
        QTest::newRow("empty") << QByteArray("") << QByteArray("not one of peak");
    }

    void whatIsNoInstant()
    {
        QFETCH(QByteArray, at);
        QFETCH(QByteArray, says);
        const auto instant = runInstant(small(), at.toStdString(), "r.json");
        QVERIFY(!instant);
        QCOMPARE(instant.error().code, ErrorCode::BadInput);
        QVERIFY2(instant.error().text().find(says.toStdString()) != std::string::npos, instant.error().text().c_str());
    }

    // Against the index that draws the curve, which is told of nothing but the same events.
    void sumsAreTheCurve()
    {
        std::mt19937 random(7);
        MemorySection memory;
        ComponentBytes live{};
        double time = 0;
        for (int i = 0; i < 2000; ++i) {
            time += random() % 3 == 0 ? 0.0 : 0.001;
            const std::size_t component = random() % 4;
            const bool frees = live[component] > 0 && random() % 2 == 0;
            const std::int64_t delta =
                frees ? -std::min<std::int64_t>(live[component], 1 + random() % 900) : std::int64_t{1} + random() % 900;
            live[component] += delta;
            memory.timeline.timeSeconds.push_back(time);
            memory.timeline.deltaBytes.push_back(delta);
            memory.timeline.component.push_back(static_cast<Component>(component));
            if (i % 97 == 0)
                memory.phases.push_back({static_cast<Phase>(random() % kPhaseCount), i / 97, time});
        }
        const MemoryTimeline timeline(memory.timeline);
        const auto total = [&](const RunInstant& instant, RunHolderKey key) {
            std::int64_t sum = 0;
            for (const RunHolder& holder : runHolders(memory, instant, key))
                sum += holder.allocatedBytes;
            return sum;
        };
        for (double at = 0; at <= time; at += 0.0137) {
            const RunInstant instant = runInstantAt(memory, at);
            QCOMPARE(total(instant, RunHolderKey::Component), timeline.totalAt(at));
            QCOMPARE(total(instant, RunHolderKey::Phase), timeline.totalAt(at));
            const ComponentBytes components = timeline.at(at);
            for (const RunHolder& holder : runHolders(memory, instant, RunHolderKey::Component))
                QCOMPARE(holder.allocatedBytes, components[static_cast<std::size_t>(*componentFromName(holder.what))]);
        }
        QCOMPARE(total(runPeak(memory), RunHolderKey::Component), timeline.peakBytes());
        QCOMPARE(total(runPeak(memory), RunHolderKey::Phase), timeline.peakBytes());
        QCOMPARE(runPeak(memory).seconds, timeline.peakSeconds());
    }

    void nothingIsNothing()
    {
        const MemorySection memory;
        QCOMPARE(runPeak(memory).events, std::size_t{0});
        QVERIFY(runHolders(memory, runPeak(memory), RunHolderKey::Component).empty());
        QVERIFY(!runPeak(memory).mark);
    }
};

PEAKSCOPE_APPLESS_TEST(TestRunInstant)
#include "test_run_instant.moc"
