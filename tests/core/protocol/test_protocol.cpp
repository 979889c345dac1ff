// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Events as lines and back, junk between them, and the result that a stream of events leaves behind.
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/protocol/event.h"
#include "core/protocol/launcher.h"
#include "core/protocol/result_assembler.h"
#include "core/protocol/worker_process.h"
#include "core/results/component_reading.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>

using namespace peakscope;

namespace {

MemoryEvent memoryEvent(std::vector<double> times, std::vector<std::int64_t> deltas, std::vector<Component> components)
{
    MemoryEvent event;
    event.timeSeconds = std::move(times);
    event.deltaBytes = std::move(deltas);
    event.component = std::move(components);
    return event;
}

std::vector<Event> allEvents()
{
    MemoryEvent memory = memoryEvent({0.25, 0.250001, 0.5}, {1 << 20, -4096, 12},
                                     {Component::Parameters, Component::Workspace, Component::Other});
    memory.allocatedBytes = 123;
    memory.reservedBytes = 456;
    memory.residentBytes = 1LL << 40;
    MemoryEvent onProcessor = memory;
    onProcessor.reservedBytes = 0; // which is in no line
    StageEvent stage{"memory", {{"memory", {{"peak_bytes", 5}}}, {"loss", nullptr}}};
    EndEvent end{RunStatus::OverBudget, "needs 5 bytes, \"quoted\"\nsecond line", {"note"}, false};
    end.fate = EndFate{{WorkerFate::Kind::NoProgram, 127}, "srun", "peakscope-cli", "srun: not here"};
    end.file = "result.json";
    ProgressEvent program{0.4, std::nullopt, "step 2 of 5", 2, 5};
    program.program = DryProgress{2, 5, 10, 20, 30, 40, 7};
    return {StartEvent{"id-1", "2026-01-31T09:05:07Z", {{"kind", "memory"}}, {{"device", "cpu"}}},
            PhaseEvent{Phase::OptimizerStep, 3, 1.5},
            memory,
            SnapshotEvent{{"after_load", Phase::Load, -1, 0.5, 10, 20}},
            SnapshotEvent{{"anywhere", std::nullopt, 0, 0.5, 10, 20}},
            ProgressEvent{0.5, std::nullopt, "step 1 of 2"},
            ProgressEvent{0.75, 12.5, ""},
            program,
            EstimateEvent{"trace", 1.5, 0.25, 10},
            PointEvent{{{"data.seq", 128}}},
            stage,
            onProcessor,
            end};
}

} // namespace

class TestProtocol : public QObject
{
    Q_OBJECT

private slots:
    void linesRoundTrip();
    void fields();
    void memoryLineInAnyForm();
    void emptyBatch();
    void nonFiniteNumbers();
    void junk_data();
    void junk();
    void otherComponentNames();
    void largeBatch();
    void completeRun();
    void workerDies();
    void diesAfterMemoryStage();
    void nothingBeforeDeath();
    void badExperiment();
    void unreadableStage();
    void endIsFinal();
    void longRunStaysBounded();
    void estimatesAreKeptAndThinned();
    void estimatesToldAgainReplaceTheirEarlierOnes();
    void sectionsTellEstimatesToo();
    void workersWords_data();
    void workersWords();
    void lastWords_data();
    void lastWords();
    void endsWithoutALastWord_data();
    void endsWithoutALastWord();
};

void TestProtocol::linesRoundTrip()
{
    for (const Event& event : allEvents()) {
        const std::string line = toLine(event);
        QVERIFY(line.find('\n') == std::string::npos);
        const auto read = EventReader().read(line);
        QVERIFY2(read.ok(), read.ok() ? "" : (read.error().text() + " in " + line).c_str());
        QCOMPARE(read->index(), event.index());
        QCOMPARE(toLine(*read), line);
    }
}

void TestProtocol::fields()
{
    const auto memory = std::get<MemoryEvent>(EventReader().read(toLine(allEvents()[2])).value());
    QCOMPARE(memory.timeSeconds, (std::vector<double>{0.25, 0.250001, 0.5}));
    QCOMPARE(memory.deltaBytes, (std::vector<std::int64_t>{1 << 20, -4096, 12}));
    QCOMPARE(memory.component, (std::vector<Component>{Component::Parameters, Component::Workspace, Component::Other}));
    QCOMPARE(memory.residentBytes, 1LL << 40);
    const auto end = std::get<EndEvent>(EventReader().read(toLine(allEvents().back())).value());
    QCOMPARE(end.status, RunStatus::OverBudget);
    QCOMPARE(end.message, std::string("needs 5 bytes, \"quoted\"\nsecond line"));
    QCOMPARE(end.file, std::string("result.json"));
    QVERIFY(end.fate && end.fate->fate.kind == WorkerFate::Kind::NoProgram && end.fate->launcher == "srun");
    const auto plain = toLine(Event(EndEvent{}));
    QVERIFY(plain.find("fate") == std::string::npos && plain.find("file") == std::string::npos);
    const auto snapshot = std::get<SnapshotEvent>(EventReader().read(toLine(allEvents()[3])).value()).snapshot;
    QCOMPARE(snapshot.phase, std::optional(Phase::Load));
    QCOMPARE(snapshot.reservedBytes, 20);
    const auto progress = std::get<ProgressEvent>(EventReader().read(toLine(allEvents()[5])).value());
    QVERIFY(!progress.remainingSeconds);
    const auto start = parseJson(toLine(allEvents()[0])).value();
    QCOMPARE(start.at("event").get<std::string>(), std::string("start"));
    QCOMPARE(start.at("components").at(3).get<std::string>(), std::string("activations"));
}

// The fast path reads what this program writes; any other spelling goes through the JSON parser.
void TestProtocol::memoryLineInAnyForm()
{
    const auto read = EventReader().read(R"({"component": [0, 14], "rank": 1, "delta_bytes": [5, 6.0],
        "event": "memory", "time_seconds": [1e-1, 2]})");
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    const auto& memory = std::get<MemoryEvent>(*read);
    QCOMPARE(memory.timeSeconds, (std::vector<double>{0.1, 2}));
    QCOMPARE(memory.deltaBytes, (std::vector<std::int64_t>{5, 6}));
    QCOMPARE(memory.component.back(), Component::Other);
    QCOMPARE(memory.allocatedBytes, 0);
}

void TestProtocol::emptyBatch()
{
    const auto read = EventReader().read(toLine(MemoryEvent{}));
    QVERIFY(read.ok() && std::get<MemoryEvent>(*read).timeSeconds.empty());
}

void TestProtocol::nonFiniteNumbers()
{
    const std::string line = toLine(EstimateEvent{"x", std::nan(""), INFINITY, 1});
    QVERIFY(parseJson(line).ok());
    QVERIFY(std::isnan(std::get<EstimateEvent>(EventReader().read(line).value()).mean));
    QVERIFY(parseJson(toLine(ProgressEvent{std::nan(""), std::nan(""), "\xff"})).ok());
}

void TestProtocol::junk_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("a library's words") << QByteArray("[W Context.cpp:70] Warning: something");
    QTest::newRow("half a line") << QByteArray(R"({"event":"memory","time_seconds":[0.1,0.2)");
    QTest::newRow("binary") << QByteArray::fromHex("7b00ff1b7d");
    QTest::newRow("no event") << QByteArray("{}");
    QTest::newRow("unknown event") << QByteArray(R"({"event":"lunch"})");
    QTest::newRow("event as number") << QByteArray(R"({"event":1})");
    QTest::newRow("unknown phase") << QByteArray(R"({"event":"phase","name":"lunch","time_seconds":1})");
    QTest::newRow("unknown status") << QByteArray(R"({"event":"end","status":"fine"})");
    QTest::newRow("unequal arrays") << QByteArray(
        R"({"event":"memory","time_seconds":[1],"delta_bytes":[1,2],"component":[0]})");
    QTest::newRow("component out of range")
        << QByteArray(R"({"event":"memory","time_seconds":[1],"delta_bytes":[1],"component":[15]})");
    QTest::newRow("component out of range, fast form")
        << QByteArray(R"({"event":"memory","time_seconds":[1],"delta_bytes":[1],"component":[15],)"
                      R"("allocated_bytes":0,"reserved_bytes":0,"resident_bytes":0})");
    QTest::newRow("not a number, fast form")
        << QByteArray(R"({"event":"memory","time_seconds":[nan],"delta_bytes":[1],"component":[1],)"
                      R"("allocated_bytes":0,"reserved_bytes":0,"resident_bytes":0})");
    QTest::newRow("absurd size") << QByteArray(
        R"({"event":"memory","time_seconds":[1],"delta_bytes":[9223372036854775807],"component":[0]})");
    QTest::newRow("deep") << QByteArray("{\"event\":").append(QByteArray(200'000, '['));
}

void TestProtocol::junk()
{
    QFETCH(QByteArray, line);
    const auto read = EventReader().read(std::string_view(line.data(), static_cast<std::size_t>(line.size())));
    QVERIFY(!read.ok());
    QVERIFY(read.error().text().find('\n') == std::string::npos);
    QVERIFY(read.error().text().size() < 400);
}

void TestProtocol::otherComponentNames()
{
    EventReader reader;
    const std::string memory = R"({"event":"memory","time_seconds":[1,1,1],"delta_bytes":[1,2,3],"component":[0,1,2]})";
    QVERIFY(reader.read(R"({"event":"start","id":"x","components":["activations","quantum_foam","inputs"]})").ok());
    auto read = reader.read(memory);
    QVERIFY(read.ok());
    QCOMPARE(std::get<MemoryEvent>(*read).component,
             (std::vector<Component>{Component::Activations, Component::Other, Component::Inputs}));
    QVERIFY(!reader.read(R"({"event":"memory","time_seconds":[1],"delta_bytes":[1],"component":[3]})").ok());
    // Another rank's list is its own.
    QVERIFY(reader.read(R"({"event":"start","rank":1,"id":"x","components":["inputs","inputs","other"]})").ok());
    read = reader.read(R"({"rank":1,)" + memory.substr(1));
    QVERIFY(read.ok());
    QCOMPARE(std::get<MemoryEvent>(*read).component,
             (std::vector<Component>{Component::Inputs, Component::Inputs, Component::Other}));
    QCOMPARE(std::get<MemoryEvent>(*reader.read(memory)).component[0], Component::Activations);
    QVERIFY(reader.read(toLine(StartEvent{"y", "", {}, {}})).ok()); // this program's own list
    read = reader.read(memory);
    QCOMPARE(std::get<MemoryEvent>(*read).component,
             (std::vector<Component>{Component::Parameters, Component::Gradients, Component::OptimizerStates}));
}

void TestProtocol::largeBatch()
{
    MemoryEvent event;
    for (int i = 0; i < 100'000; ++i) {
        event.timeSeconds.push_back(i * 1e-6);
        event.deltaBytes.push_back(i % 2 ? -1'234'567 : 1'234'567);
        event.component.push_back(static_cast<Component>(i % 15));
    }
    const std::string line = toLine(event);
    QBENCHMARK
    {
        const auto read = EventReader().read(line);
        QCOMPARE(std::get<MemoryEvent>(*read).deltaBytes, event.deltaBytes);
    }
}

void TestProtocol::completeRun()
{
    const auto golden = loadRunResult(PEAKSCOPE_SOURCE_DIR "/tests/core/data/result_v1.json").value();
    ResultAssembler assembler;
    QVERIFY(!assembler.started());
    assembler.add(StartEvent{golden.id, golden.created, golden.config, golden.environment});
    QVERIFY(assembler.started());
    assembler.add(memoryEvent({0.5}, {7777}, {Component::Other}));
    QCOMPARE(assembler.result().status, RunStatus::Interrupted);
    QCOMPARE(assembler.result().memory->peakBytes, 7777);
    for (const char* key : {"memory", "timing", "loss", "losses", "perplexity", "gradient_norm", "prediction",
                            "per_sample_gradient_norms", "privacy", "future_section", "notes"}) {
        assembler.add(EventReader().read(toLine(StageEvent{key, {{key, toJson(golden).at(key)}}})).value());
    }
    assembler.add(EndEvent{RunStatus::Complete, "", {}, false});
    QVERIFY(assembler.ended() && !assembler.badInput());
    assembler.workerGone("the worker is gone"); // it always goes after its end
    QCOMPARE(toJsonText(assembler.result()), toJsonText(golden));
}

void TestProtocol::workerDies()
{
    ResultAssembler assembler;
    assembler.add(StartEvent{"id", "2026-01-31T09:05:07Z", {{"kind", "memory"}}, {}});
    assembler.add(PhaseEvent{Phase::Load, -1, 0.25});
    MemoryEvent first = memoryEvent({0.5, 0.5, 1}, {1000, 24, 300},
                                    {Component::Parameters, Component::Rounding, Component::Activations});
    first.reservedBytes = 4096;
    first.residentBytes = 9000;
    assembler.add(first);
    assembler.add(SnapshotEvent{{"after_load", Phase::Load, -1, 0.75, 1024, 4096}});
    assembler.add(StageEvent{"timing", {{"timing", {{"step_seconds", {0.5}}}}}});
    assembler.add(memoryEvent({1.5}, {-300}, {Component::Activations}));
    assembler.workerGone("the worker was killed (SIGKILL)");

    const RunResult result = assembler.result();
    QCOMPARE(result.status, RunStatus::Interrupted);
    QCOMPARE(result.message, std::string("the worker was killed (SIGKILL)"));
    QCOMPARE(result.timing->stepSeconds, std::vector<double>{0.5});
    const MemorySection& memory = result.memory.value();
    QCOMPARE(memory.peakBytes, 1324);
    QCOMPARE(memory.peakRequestedBytes, 1300);
    QCOMPARE(memory.peakReservedBytes, 4096);
    QCOMPARE(memory.peakResidentBytes, 9000);
    QCOMPARE(memory.peakTimeSeconds, 1.0);
    QCOMPARE(memory.peakComponents[static_cast<std::size_t>(Component::Activations)], 300);
    QCOMPARE(memory.timeline.size(), std::size_t(4));
    QCOMPARE(memory.phases.size(), std::size_t(1));
    QCOMPARE(memory.snapshots.at(0).name, std::string("after_load"));
    QVERIFY(!result.notes.empty());
    QVERIFY2(result.notes.back().find("workspace, hessian are first guesses") != std::string::npos,
             result.notes.back().c_str());
    const auto again = runResultFromJson(toJson(result));
    QVERIFY(again.ok() && componentDoubt(*again) == ComponentDoubt::FirstGuesses);
    QVERIFY(runResultFromJson(toJson(result)).ok());
}

void TestProtocol::diesAfterMemoryStage()
{
    ResultAssembler assembler;
    assembler.add(StartEvent{"id", "", {}, {}});
    assembler.add(memoryEvent({1}, {1000}, {Component::Other}));
    nlohmann::json memory = {{"peak_bytes", 1000}, {"modules", {{{"name", "head"}}}}};
    assembler.add(StageEvent{"memory", {{"memory", memory}}});
    assembler.add(memoryEvent({2}, {-900}, {Component::Other}));
    assembler.workerGone("gone");
    QCOMPARE(assembler.result().memory->timeline.size(), std::size_t(0)); // the stage's own word stands

    assembler.add(memoryEvent({3}, {5000}, {Component::Other}));
    const RunResult higher = assembler.result();
    QCOMPARE(higher.memory->peakBytes, 5100);
    QCOMPARE(higher.memory->modules.at(0).name, std::string("head"));
}

void TestProtocol::nothingBeforeDeath()
{
    ResultAssembler assembler;
    assembler.workerGone("the worker could not be started");
    QVERIFY(!assembler.started() && !assembler.ended());
    QVERIFY(!assembler.result().memory);
    QCOMPARE(assembler.result().message, std::string("the worker could not be started"));
}

void TestProtocol::badExperiment()
{
    ResultAssembler assembler;
    assembler.add(EndEvent{RunStatus::Failed, "data.batch: 0 is below 1", {}, true});
    assembler.workerGone("gone");
    QVERIFY(assembler.ended() && assembler.badInput() && !assembler.started());
    QCOMPARE(assembler.result().message, std::string("data.batch: 0 is below 1"));
}

void TestProtocol::unreadableStage()
{
    ResultAssembler assembler;
    assembler.add(StageEvent{"memory", {{"memory", {{"peak_bytes", "many"}}}}});
    const RunResult result = assembler.result();
    QVERIFY(!result.memory);
    QCOMPARE(result.notes.at(0), std::string("the section \"memory\" could not be read: memory.peak_bytes: \"many\" is "
                                             "not an integer"));
}

void TestProtocol::endIsFinal()
{
    ResultAssembler assembler;
    assembler.add(EndEvent{RunStatus::Complete, "", {}, false});
    assembler.add(EndEvent{RunStatus::Failed, "late", {}, false});
    assembler.add(memoryEvent({1}, {1000}, {Component::Other}));
    QCOMPARE(assembler.result().status, RunStatus::Complete);
    QVERIFY(!assembler.result().memory);
}

void TestProtocol::longRunStaysBounded()
{
    ResultAssembler assembler;
    double time = 0;
    std::int64_t highest = 0;
    for (int batch = 0; batch < 60; ++batch) {
        MemoryEvent event;
        for (int i = 0; i < 50'000; ++i) {
            time += 1e-5;
            const std::int64_t size = 100 + (batch * 7919 + i / 2 * 31) % 5000;
            highest = std::max(highest, size);
            event.timeSeconds.push_back(time);
            event.deltaBytes.push_back(i % 2 ? -size : size);
            event.component.push_back(Component::Workspace);
        }
        assembler.add(event);
        QVERIFY(assembler.liveTimeline().size() <= 2'050'000);
    }
    QVERIFY(assembler.liveTimeline().merged());
    assembler.workerGone("gone");
    const RunResult result = assembler.result();
    QCOMPARE(result.memory->peakBytes, highest);
    QVERIFY(result.memory->timeline.merged && result.memory->timeline.size() <= 1'000'000);
    QCOMPARE(assembler.liveTimeline().liveBytes(), 0);
}

void TestProtocol::estimatesAreKeptAndThinned()
{
    ResultAssembler assembler;
    assembler.add(StartEvent{"id", "", {{"kind", "curvature"}}, {}});
    QVERIFY(!assembler.result().other.contains("estimates"));
    for (int i = 1; i <= 5000; ++i) {
        if (i == 2500)
            assembler.add(memoryEvent({12.5}, {10}, {Component::Hessian}));
        assembler.add(EstimateEvent{"trace", 3 + 1.0 / i, 2.0 / i, i});
        assembler.add(EstimateEvent{"top_eigenvalue", i == 7 ? std::nan("") : 9.0, 0.5 / i, i});
        if (i == 1 || i == 300) {
            const nlohmann::json all = assembler.result().other["estimates"]["trace"]["samples"];
            QCOMPARE(all.size(), static_cast<std::size_t>(i)); // nothing is let go yet
        }
    }
    assembler.workerGone("killed");
    const RunResult result = assembler.result();
    QVERIFY(runResultFromJson(toJson(result)).ok());
    const nlohmann::json& trace = result.other["estimates"]["trace"];
    const auto samples = trace["samples"].get<std::vector<std::int64_t>>();
    QVERIFY(samples.size() <= EstimateCourse::kMost + 1 && samples.size() > EstimateCourse::kMost / 2);
    QCOMPARE(samples.front(), 1);
    QCOMPARE(samples.back(), 5000);
    for (std::size_t i = 1; i < samples.size(); ++i) {
        QVERIFY(samples[i] > samples[i - 1]);
        QVERIFY(i == 1 || samples[i] - samples[i - 1] <= samples[1] - samples[0]); // evenly, but for the last
        const auto at = static_cast<double>(samples[i]);
        QCOMPARE(trace["mean"][i].get<double>(), 3 + 1 / at);
        QCOMPARE(trace["standard_error"][i].get<double>(), 2 / at);
        QCOMPARE(trace["time_seconds"][i].get<double>(), samples[i] < 2500 ? 0.0 : 12.5);
    }
    QVERIFY(result.other["estimates"].contains("eigenvalue.1"));
    QVERIFY(!result.other["estimates"].contains("top_eigenvalue"));
}

void TestProtocol::estimatesToldAgainReplaceTheirEarlierOnes()
{
    for (const int many : {3, 40, 700}) {
        EstimateCourse course;
        for (int i = 1; i <= many; ++i)
            course.add("trace", {i, 1, 1, 0});
        course.add("trace", {many, 2, 0.5, 1}); // the final word on the last
        nlohmann::json trace = course.toJson()["trace"];
        QCOMPARE(trace["samples"].back().get<int>(), many);
        QCOMPARE(trace["mean"].back().get<double>(), 2.0);
        QVERIFY(many < 2 || trace["samples"][trace["samples"].size() - 2].get<int>() < many);
        course.add("trace", {1, 5, 1, 2}); // a run that begins anew
        course.add("trace", {2, 6, 1, 2});
        trace = course.toJson()["trace"];
        QVERIFY(trace["samples"] == (nlohmann::json{1, 2}));
        QVERIFY(trace["mean"] == (nlohmann::json{5.0, 6.0}));
    }
    EstimateCourse names;
    for (int i = 0; i < 5000; ++i)
        names.add("name " + std::to_string(i), {1, 1, 1, 0});
    QVERIFY(names.toJson().size() <= 256);
}

void TestProtocol::sectionsTellEstimatesToo()
{
    ResultAssembler assembler;
    const auto stage = [&](const char* text) {
        assembler.add(StageEvent{"curvature", {{"curvature", nlohmann::json::parse(text)}}});
    };
    stage(
        R"({"diagonal": {"count": 10, "statistics": {"mean": 4}, "population_mean": {"mean": 3, "standard_error": 0.5}},)"
        R"("eigensolver": {"products": 6}, "eigenvalues": [{"value": 9, "residual": 1}, {"value": -7, "residual": 2}]})");
    stage(
        R"({"diagonal": {"entries": [{}, {}], "count": 20, "statistics": {"mean": 2}}, "eigensolver": {"products": 8},)"
        R"("eigenvalues": [{"value": 9, "residual": 0.1}, {"value": -7.5, "residual": 0.2}]})");
    const nlohmann::json found = assembler.result().other["estimates"];
    QVERIFY(found["diagonal_mean"]["samples"] == (nlohmann::json{10, 20}));
    QVERIFY(found["diagonal_mean"]["mean"] == (nlohmann::json{3.0, 2.0}));
    QVERIFY(found["eigenvalue.2"]["samples"] == (nlohmann::json{6, 8}));
    QVERIFY(found["eigenvalue.2"]["standard_error"] == (nlohmann::json{2.0, 0.2}));
    QVERIFY(!found.contains("eigenvalue.1")); // its own events tell that one
    for (const char* odd : {"[]", "3", R"({"diagonal": 3, "eigenvalues": {"a": 1}})", R"({"diagonal": {"entries": 5}})",
                            R"({"eigenvalues": [1, "x", null], "eigensolver": {"products": 99}})"})
        stage(odd);
    QVERIFY(assembler.result().other["estimates"]["eigenvalue.2"]["samples"] == (nlohmann::json{6, 8}));
}

void TestProtocol::workersWords_data()
{
    QTest::addColumn<QString>("launcher");
    QTest::addColumn<QString>("words"); // of the worker's command
    QTest::newRow("here") << ""
                          << "/opt/bin/peakscope-cli worker";
    QTest::newRow("srun") << "srun --ntasks=1"
                          << "srun --ntasks=1 /opt/bin/peakscope-cli worker";
    QTest::newRow("ssh") << "ssh host"
                         << "ssh host peakscope-cli worker";
    QTest::newRow("ssh by its path") << "/usr/bin/ssh host"
                                     << "/usr/bin/ssh host peakscope-cli worker";
    QTest::newRow("the program there") << "ssh host /far/peakscope-cli"
                                       << "ssh host /far/peakscope-cli worker";
    QTest::newRow("the engine there") << "env A=1 /far/peakscope-engine"
                                      << "env A=1 /far/peakscope-engine worker";
    QTest::newRow("an image of that name") << "apptainer exec /images/peakscope.sif"
                                           << "apptainer exec /images/peakscope.sif /opt/bin/peakscope-cli worker";
    QTest::newRow("the window's program") << "ssh host /far/bin/peakscope"
                                          << "ssh host /far/bin/peakscope peakscope-cli worker";
    QTest::newRow("an option with such a path") << "srun --chdir=/home/u/peakscope-cli"
                                                << "srun --chdir=/home/u/peakscope-cli /opt/bin/peakscope-cli worker";
}

void TestProtocol::workersWords()
{
    QFETCH(QString, launcher);
    QFETCH(QString, words);
    qunsetenv("PEAKSCOPE_CLI");
    std::vector<std::string> given;
    for (const QString& word : launcher.split(u' ', Qt::SkipEmptyParts))
        given.push_back(word.toStdString());
    const auto joined = [&given] {
        QString line;
        for (const std::string& word : workerWords(given, "/opt/bin/peakscope-cli"))
            line += (line.isEmpty() ? "" : " ") + QString::fromStdString(word);
        return line;
    };
    QCOMPARE(joined(), words);
    qputenv("PEAKSCOPE_CLI", "/named/peakscope-cli"); // unless the launcher ends in one
    QVERIFY(joined().contains(QStringLiteral("/named/")) != launcherNamesProgram(given));
    qunsetenv("PEAKSCOPE_CLI");
}

void TestProtocol::endsWithoutALastWord_data()
{
    QTest::addColumn<QString>("launcher");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<int>("signal");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<bool>("launcherFailed");
    QTest::addColumn<bool>("cancelled");
    const QString kept = QStringLiteral("; what came until then is kept."),
                  said = QStringLiteral(" Its last output: last line");
    const QString killed =
        QStringLiteral("The worker was killed (signal 9); often the system's out-of-memory killer. Use a "
                       "smaller batch, sequence or model, or set a memory budget.");
    const QString left = QStringLiteral("The worker left with exit status %1 before the run was finished.") + said;
    const QString lost =
        QStringLiteral("The connection to the other machine failed or was lost, or the worker there was "
                       "killed") +
        kept + said;
    const auto row = [](const char* name, const char* launcher, int exitCode, int signal, const QString& sentence,
                        bool launcherFailed = false, bool cancelled = false) {
        QTest::newRow(name) << launcher << exitCode << signal << sentence << launcherFailed << cancelled;
    };
    row("killed here", "", -1, 9, killed);
    row("killed there, as a shell says it", "/usr/bin/ssh", 137, 0, killed);
    row("crashed", "", -1, 11,
        "The worker crashed (signal 11, segmentation fault); what was measured until then is kept." + said);
    row("ssh killed", "ssh", -1, 9,
        "The launcher ssh, or the worker it turned into, was ended by signal 9" + kept + said);
    row("no connection", "ssh", 255, 0, lost, true);
    row("no program there", "srun", 127, 0,
        "The launcher srun did not find peakscope-cli where it runs; install it there, or set PEAKSCOPE_CLI to its "
        "path.",
        true);
    row("255 of another launcher", "srun", 255, 0, left.arg(255));
    row("a status of mpirun's own", "mpirun", 132, 0, left.arg(132));
    row("137 without a launcher", "", 137, 0, left.arg(137));
    row("ended on request", "", -1, 15, "Stopped on request; what was measured until then is kept.", false, true);
}

void TestProtocol::lastWords_data()
{
    QTest::addColumn<QString>("launcher");
    QTest::addColumn<QStringList>("lines");
    QTest::addColumn<QString>("last");
    const QString rule(76, u'-');
    QTest::newRow("nothing") << "" << QStringList{} << "";
    QTest::newRow("the last one, as terminals end it") << "ssh" << QStringList{"a", " b \r", "", " "} << "b";
    QTest::newRow("ssh connects") << "ssh"
                                  << QStringList{"a", "Warning: Permanently added 'host' to the list of known hosts."}
                                  << "a";
    QTest::newRow("a program says so") << "" << QStringList{"a", "Warning: Permanently added 'host' to the list"}
                                       << "Warning: Permanently added 'host' to the list";
    QTest::newRow("mpirun's first frame, its first paragraph")
        << "mpirun"
        << QStringList{rule, "There are not", "enough slots.", "", "Either request", rule, rule, "Another.", rule}
        << "There are not enough slots.";
    QTest::newRow("a paragraph that announces the next")
        << "mpirun" << QStringList{rule, "Could not execute:", "", "Executable: x", "Node: y", "", "rank 1.", rule}
        << "Could not execute: Executable: x Node: y";
    QTest::newRow("what a program said is better")
        << "mpirun"
        << QStringList{"rank 1: no module",
                       rule,
                       "Primary job terminated",
                       rule,
                       "[vm:1] 1 more process has sent help message help-x.txt / y",
                       "[vm:1] Set MCA parameter \"orte_base_help_aggregate\" to 0 to see all help"}
        << "rank 1: no module";
    QTest::newRow("a frame that is cut short") << "mpirun" << QStringList{rule, "It failed"} << "It failed";
}

void TestProtocol::lastWords()
{
    QFETCH(QString, launcher);
    QFETCH(QStringList, lines);
    LastWords words(launcher.toStdString());
    for (const QString& line : lines)
        words.take(line.toStdString());
    QTEST(QString::fromStdString(words.line()), "last");
}

void TestProtocol::endsWithoutALastWord()
{
    QFETCH(QString, launcher);
    QFETCH(int, exitCode);
    QFETCH(int, signal);
    WorkerEnd end;
    end.started = true;
    end.launcher = launcher.toStdString();
    end.exitCode = exitCode;
    end.signal = signal;
    end.lastErrorLine = "last line";
    QFETCH(bool, cancelled);
    end.cancelled = cancelled;
    QTEST(QString::fromStdString(end.sentence()), "sentence");
    QTEST(end.launcherFailed(), "launcherFailed");
}

PEAKSCOPE_APPLESS_TEST(TestProtocol)
#include "test_protocol.moc"
