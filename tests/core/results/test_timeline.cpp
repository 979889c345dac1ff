// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// MemoryTimeline against a plain walk over all events, at many zooms; merging keeps what it promises.
#include "core/results/memory_timeline.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace peakscope;

namespace {

std::int64_t sumOf(const ComponentBytes& bytes)
{
    std::int64_t sum = 0;
    for (const std::int64_t value : bytes) {
        sum += value;
    }
    return sum;
}

// Allocations, frees and changes of purpose as a run has them: no component below zero, many equal times.
TimelineData randomEvents(std::size_t count, unsigned seed)
{
    std::mt19937_64 random(seed);
    TimelineData out;
    std::vector<std::pair<std::size_t, std::int64_t>> live;
    double time = 0.125;
    const auto add = [&](std::size_t component, std::int64_t delta) {
        out.timeSeconds.push_back(time);
        out.deltaBytes.push_back(delta);
        out.component.push_back(static_cast<Component>(component));
    };
    while (out.size() < count) {
        time += random() % 3 == 0 ? 0 : static_cast<double>(random() % 1000) * 1e-6;
        time += random() % 500 == 0 ? 0.5 : 0; // a pause now and then
        const auto choice = random() % 10;
        if (live.empty() || choice < 5) {
            live.emplace_back(random() % kComponentCount, 1 + static_cast<std::int64_t>(random() % 100'000));
            add(live.back().first, live.back().second);
            continue;
        }
        auto& block = live[random() % live.size()];
        if (choice < 7) { // a change of purpose
            add(block.first, -block.second);
            block.first = random() % kComponentCount;
            add(block.first, block.second);
        } else {
            add(block.first, -block.second);
            block = live.back();
            live.pop_back();
        }
    }
    return out;
}

bool insidePair(const TimelineData& d, std::size_t i)
{
    return d.deltaBytes[i] < 0 && i + 1 < d.size() && d.deltaBytes[i + 1] == -d.deltaBytes[i] &&
           d.timeSeconds[i + 1] == d.timeSeconds[i];
}

// The definition of a column, straight from the header's words.
MemoryTimeline::Column plainColumn(const TimelineData& d, double left, double right, bool last)
{
    MemoryTimeline::Column column;
    column.timeSeconds = left;
    ComponentBytes state{};
    std::size_t i = 0;
    for (; i < d.size() && d.timeSeconds[i] < left; ++i) {
        state[static_cast<std::size_t>(d.component[i])] += d.deltaBytes[i];
    }
    bool any = i == d.size() || d.timeSeconds[i] != left;
    column.components = state;
    column.totalBytes = column.minBytes = sumOf(state);
    for (; i < d.size() && (d.timeSeconds[i] < right || (last && d.timeSeconds[i] == right)); ++i) {
        state[static_cast<std::size_t>(d.component[i])] += d.deltaBytes[i];
        if (insidePair(d, i)) {
            continue;
        }
        const std::int64_t total = sumOf(state);
        if (!any || total > column.totalBytes) {
            column.totalBytes = total;
            column.components = state;
            column.timeSeconds = d.timeSeconds[i];
        }
        column.minBytes = any ? std::min(column.minBytes, total) : total;
        any = true;
    }
    return column;
}

bool same(const MemoryTimeline::Column& a, const MemoryTimeline::Column& b)
{
    return a.timeSeconds == b.timeSeconds && a.minBytes == b.minBytes && a.totalBytes == b.totalBytes &&
           a.components == b.components;
}

} // namespace

class TestTimeline : public QObject
{
    Q_OBJECT

private slots:
    void empty();
    void smallByHand();
    void pairAcrossBatches();
    void columnsAreExact_data();
    void columnsAreExact();
    void earliestOfEqualMaxima();
    void statesAreExact();
    void liveEqualsWhole();
    void badTimes();
    void mergingKeepsItsPromises_data();
    void mergingKeepsItsPromises();
    void mergingTwice();
    void mergingOneInstant();
    void tenMillionEvents();
};

void TestTimeline::empty()
{
    const MemoryTimeline timeline;
    QCOMPARE(timeline.size(), std::size_t(0));
    QCOMPARE(timeline.totalAt(1), 0);
    QCOMPARE(timeline.peakBytes(), 0);
    QCOMPARE(timeline.peakComponents(), ComponentBytes{});
    QCOMPARE(timeline.sample(0, 1, 3).size(), std::size_t(3));
    QCOMPARE(timeline.sample(0, 1, 3)[1].totalBytes, 0);
    QVERIFY(timeline.sample(1, 0, 3).empty());
    QVERIFY(timeline.sample(0, std::nan(""), 3).empty());
    QVERIFY(timeline.sample(0, 1, 0).empty());
    QCOMPARE(timeline.data().size(), std::size_t(0));
}

void TestTimeline::smallByHand()
{
    TimelineData data;
    data.timeSeconds = {0.5, 1, 1.5, 1.5, 2, 2.25};
    data.deltaBytes = {1000, 300, -300, 300, 200, -200};
    data.component = {Component::Parameters, Component::Activations, Component::Activations,
                      Component::Gradients,  Component::Workspace,   Component::Workspace};
    MemoryTimeline timeline(data);
    QCOMPARE(timeline.peakBytes(), 1500);
    QCOMPARE(timeline.peakSeconds(), 2.0);
    QCOMPARE(sumOf(timeline.peakComponents()), 1500);
    QCOMPARE(timeline.maxComponents()[static_cast<std::size_t>(Component::Activations)], 300);
    QCOMPARE(timeline.totalAt(0.4), 0);
    QCOMPARE(timeline.totalAt(0.5), 1000);
    QCOMPARE(timeline.totalAt(1.5), 1300);
    QCOMPARE(timeline.totalAt(9), 1300);
    QCOMPARE(timeline.peakBytesWithout(Component::Workspace), 1300);
    const auto columns = timeline.sample(1, 2, 2);
    QCOMPARE(columns[0].totalBytes, 1300);
    QCOMPARE(columns[0].minBytes, 1300); // the state before 1 s has no time within the column
    QCOMPARE(columns[1].minBytes, 1300); // the change of purpose is no dip
    QCOMPARE(columns[1].totalBytes, 1500);
    QCOMPARE(columns[1].timeSeconds, 2.0);
    timeline.clear();
    QCOMPARE(timeline.size(), std::size_t(0));
    QCOMPARE(timeline.peakBytes(), 0);
}

void TestTimeline::pairAcrossBatches()
{
    MemoryTimeline timeline;
    const auto add = [&](double time, std::int64_t delta, Component component) {
        timeline.append({&time, 1}, {&delta, 1}, {&component, 1});
    };
    add(1, 500, Component::Other);
    add(2, -500, Component::Other);
    QCOMPARE(timeline.sample(1.5, 3, 1)[0].minBytes, 0);
    add(2, 500, Component::Activations);
    QCOMPARE(timeline.sample(1.5, 3, 1)[0].minBytes, 500);
    QCOMPARE(timeline.peakBytes(), 500);
    QCOMPARE(timeline.peakSeconds(), 1.0);
}

void TestTimeline::columnsAreExact_data()
{
    QTest::addColumn<int>("events");
    for (const int events : {1, 2, 255, 256, 257, 4096, 4097, 12'000}) {
        QTest::addRow("%d events", events) << events;
    }
}

void TestTimeline::columnsAreExact()
{
    QFETCH(int, events);
    const TimelineData data = randomEvents(static_cast<std::size_t>(events), 7u + static_cast<unsigned>(events));
    const MemoryTimeline timeline(data);
    std::mt19937_64 random(3);
    const double end = timeline.endSeconds();
    for (int zoom = 0; zoom < 25; ++zoom) {
        double a = std::uniform_real_distribution<double>(-0.1 * end, 1.1 * end)(random);
        double b = a + std::ldexp(end, -(zoom % 12)) * 0.7;
        if (zoom == 0) {
            a = timeline.startSeconds(), b = end;
        } else if (zoom == 1) { // edges on events
            a = data.timeSeconds[data.size() / 3], b = data.timeSeconds[data.size() * 2 / 3];
        } else if (zoom == 2) { // no width at all
            b = a = data.timeSeconds[data.size() / 2];
        }
        const int columns = zoom == 3 ? 1 : 17;
        const auto got = timeline.sample(a, b, columns);
        QCOMPARE(got.size(), static_cast<std::size_t>(columns));
        double left = a;
        for (int i = 0; i < columns; ++i) {
            const double right = a + (b - a) * (i + 1) / columns;
            const auto want = plainColumn(data, left, i + 1 == columns ? b : right, i + 1 == columns);
            QVERIFY2(same(got[static_cast<std::size_t>(i)], want),
                     qPrintable(QString("zoom %1 column %2: %3 at %4, should be %5 at %6")
                                    .arg(zoom)
                                    .arg(i)
                                    .arg(got[static_cast<std::size_t>(i)].totalBytes)
                                    .arg(got[static_cast<std::size_t>(i)].timeSeconds)
                                    .arg(want.totalBytes)
                                    .arg(want.timeSeconds)));
            left = right;
        }
    }
}

// Every second event reaches the same total: a column names the first of them, whatever node of the index has it.
void TestTimeline::earliestOfEqualMaxima()
{
    TimelineData data;
    for (int i = 0; i < 20'000; ++i) {
        data.timeSeconds.push_back(i);
        data.deltaBytes.push_back(i % 2 ? -10 : 10);
        data.component.push_back(Component::Workspace);
    }
    const MemoryTimeline timeline(data);
    QCOMPARE(timeline.peakSeconds(), 0.0);
    for (const double start : {1.5, 127.5, 129.5, 2047.5, 2049.5, 9001.5}) {
        const auto columns = timeline.sample(start, 19'999, 1);
        QCOMPARE(columns[0].timeSeconds, start + 0.5);
        QCOMPARE(columns[0].totalBytes, 10);
        QCOMPARE(columns[0].minBytes, 0);
    }
}

void TestTimeline::statesAreExact()
{
    const TimelineData data = randomEvents(20'000, 11);
    const MemoryTimeline timeline(data);
    ComponentBytes state{}, highest{}, atPeak{};
    std::int64_t peak = 0;
    double peakTime = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const auto c = static_cast<std::size_t>(data.component[i]);
        state[c] += data.deltaBytes[i];
        highest[c] = std::max(highest[c], state[c]);
        if (sumOf(state) > peak) {
            peak = sumOf(state);
            atPeak = state;
            peakTime = data.timeSeconds[i];
        }
        const bool lastOfItsTime = i + 1 == data.size() || data.timeSeconds[i + 1] != data.timeSeconds[i];
        if (lastOfItsTime && timeline.at(data.timeSeconds[i]) != state) {
            QFAIL("a state differs");
        }
    }
    QCOMPARE(timeline.peakBytes(), peak);
    QCOMPARE(timeline.peakSeconds(), peakTime);
    QCOMPARE(timeline.peakComponents(), atPeak);
    QCOMPARE(timeline.maxComponents(), highest);
    QCOMPARE(timeline.liveComponents(), state);
    QCOMPARE(timeline.liveBytes(), sumOf(state));
}

void TestTimeline::liveEqualsWhole()
{
    const TimelineData data = randomEvents(10'000, 5);
    const MemoryTimeline whole(data);
    MemoryTimeline live;
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < data.size();) {
        const std::size_t n = std::min<std::size_t>(random() % 700, data.size() - i);
        live.append(std::span(data.timeSeconds).subspan(i, n), std::span(data.deltaBytes).subspan(i, n),
                    std::span(data.component).subspan(i, n));
        i += n;
    }
    QCOMPARE(live.size(), whole.size());
    QCOMPARE(live.peakSeconds(), whole.peakSeconds());
    const auto a = live.sample(0, live.endSeconds(), 333);
    const auto b = whole.sample(0, whole.endSeconds(), 333);
    QVERIFY(std::equal(a.begin(), a.end(), b.begin(), b.end(), same));
}

void TestTimeline::badTimes()
{
    MemoryTimeline timeline;
    const std::vector<double> times{1, 0.5, std::nan(""), INFINITY, 2};
    const std::vector<std::int64_t> deltas{1, 2, 4, 8, 16};
    const std::vector<Component> components(5, Component::Inputs);
    timeline.append(times, deltas, components);
    QCOMPARE(timeline.totalAt(1), 15);
    QCOMPARE(timeline.totalAt(2), 31);
    QCOMPARE(timeline.endSeconds(), 2.0);
    timeline.append(times, deltas, {});
    QCOMPARE(timeline.size(), std::size_t(5));
}

void TestTimeline::mergingKeepsItsPromises_data()
{
    QTest::addColumn<int>("events");
    QTest::addColumn<int>("limit");
    QTest::newRow("fits as it is") << 5000 << 6000;
    QTest::newRow("half") << 50'000 << 25'000;
    QTest::newRow("a twentieth") << 50'000 << 2500;
    QTest::newRow("the smallest") << 50'000 << 0;
}

void TestTimeline::mergingKeepsItsPromises()
{
    QFETCH(int, events);
    QFETCH(int, limit);
    const MemoryTimeline full(randomEvents(static_cast<std::size_t>(events), 23));
    const TimelineData merged = full.data(static_cast<std::size_t>(limit));
    QVERIFY(merged.size() <= std::max<std::size_t>(1024, static_cast<std::size_t>(limit)));
    QCOMPARE(merged.merged, limit < events);
    QVERIFY(limit < 2000 || merged.size() > static_cast<std::size_t>(std::min(limit, events)) / 4); // uses its room
    QVERIFY(std::is_sorted(merged.timeSeconds.begin(), merged.timeSeconds.end()));

    ComponentBytes state{};
    for (std::size_t i = 0; i < merged.size(); ++i) {
        auto& bytes = state[static_cast<std::size_t>(merged.component[i])];
        bytes += merged.deltaBytes[i];
        QVERIFY2(bytes >= 0, "a component goes below zero");
        QVERIFY2(sumOf(state) <= full.peakBytes(), "the total passes the peak");
        const bool lastOfItsTime = i + 1 == merged.size() || merged.timeSeconds[i + 1] != merged.timeSeconds[i];
        if (lastOfItsTime && full.at(merged.timeSeconds[i]) != state) {
            QFAIL("a state at a kept time differs");
        }
    }
    const MemoryTimeline again(merged);
    QCOMPARE(again.peakBytes(), full.peakBytes());
    QCOMPARE(again.peakSeconds(), full.peakSeconds());
    QCOMPARE(again.peakComponents(), full.peakComponents());
    QCOMPARE(again.maxComponents(), full.maxComponents());
    QCOMPARE(again.liveComponents(), full.liveComponents());
    QCOMPARE(again.merged(), merged.merged);
    // No low that was not there: steps are monotone, apart from changes of purpose, which are pairs.
    std::int64_t total = 0;
    double previous = merged.timeSeconds.front();
    for (std::size_t i = 0; i < merged.size(); ++i) {
        if (i > 0 && merged.timeSeconds[i] != merged.timeSeconds[i - 1]) {
            previous = merged.timeSeconds[i - 1];
        }
        total += merged.deltaBytes[i];
        if (previous < merged.timeSeconds[i] && !insidePair(merged, i)) {
            QVERIFY(total >= full.sample(previous, merged.timeSeconds[i], 1)[0].minBytes);
        }
    }
}

void TestTimeline::mergingTwice()
{
    const MemoryTimeline full(randomEvents(60'000, 31));
    const MemoryTimeline once(full.data(20'000));
    const MemoryTimeline twice(once.data(5000));
    QVERIFY(twice.merged() && twice.size() <= 5000);
    QCOMPARE(twice.peakBytes(), full.peakBytes());
    QCOMPARE(twice.peakComponents(), full.peakComponents());
    QCOMPARE(twice.maxComponents(), full.maxComponents());
    QCOMPARE(MemoryTimeline(twice.data()).merged(), true); // the mark stays
}

// A clock that stands still: all that can be kept are the peak, the maxima and the end.
void TestTimeline::mergingOneInstant()
{
    TimelineData data = randomEvents(10'000, 41);
    std::fill(data.timeSeconds.begin(), data.timeSeconds.end(), 1.0);
    const MemoryTimeline full(data);
    const MemoryTimeline merged(full.data(2000));
    QVERIFY(merged.size() <= 2000);
    QCOMPARE(merged.peakBytes(), full.peakBytes());
    QCOMPARE(merged.peakComponents(), full.peakComponents());
    QCOMPARE(merged.maxComponents(), full.maxComponents());
    QCOMPARE(merged.at(1), full.at(1));
}

void TestTimeline::tenMillionEvents()
{
    TimelineData data;
    constexpr std::size_t kEvents = 10'000'000;
    data.timeSeconds.resize(kEvents);
    data.deltaBytes.resize(kEvents);
    data.component.assign(kEvents, Component::Workspace);
    for (std::size_t i = 0; i < kEvents; ++i) {
        data.timeSeconds[i] = static_cast<double>(i) * 1e-6;
        data.deltaBytes[i] = i % 2 ? -1024 : 1024;
    }
    data.deltaBytes[7'654'321] = 9999; // the peak, one event wide; odd index: not freed before
    data.deltaBytes[7'654'322] = -9999 - 1024 + 1024;
    data.deltaBytes[7'654'323] = -1024;
    const MemoryTimeline timeline(data);
    const auto columns = timeline.sample(0, timeline.endSeconds(), 2000);
    std::int64_t peak = 0;
    for (const auto& column : columns) {
        peak = std::max(peak, column.totalBytes);
    }
    QCOMPARE(peak, timeline.peakBytes());
    QCOMPARE(timeline.peakBytes(), 1024 + 9999);
    QBENCHMARK
    {
        (void)timeline.sample(0.1, 9.9, 2000);
    }
    const TimelineData merged = timeline.data();
    QVERIFY(merged.size() <= 1'000'000);
    QCOMPARE(MemoryTimeline(merged).peakBytes(), timeline.peakBytes());
}

PEAKSCOPE_APPLESS_TEST(TestTimeline)
#include "test_timeline.moc"
