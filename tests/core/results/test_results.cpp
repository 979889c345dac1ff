// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The result document: a stored file of version 1 read, written and read again; what is wrong is named.
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>
#include <set>

using namespace peakscope;

namespace {

const char* kGolden = PEAKSCOPE_SOURCE_DIR "/tests/core/data/result_v1.json";

nlohmann::json goldenDocument()
{
    return parseJson(readTextFile(kGolden).value()).value();
}

std::int64_t bytesOf(const ComponentBytes& bytes, Component component)
{
    return bytes[static_cast<std::size_t>(component)];
}

using Change = std::function<void(nlohmann::json&)>;

} // namespace

class TestResults : public QObject
{
    Q_OBJECT

private slots:
    void namesGoBothWays();
    void exitStatuses();
    void goldenFile();
    void roundTrip();
    void timesStayTheSame_data();
    void timesStayTheSame();
    void minimalDocument();
    void refused_data();
    void refused();
    void unreadableFiles_data();
    void unreadableFiles();
    void oddButReadable();
    void nonFiniteNumbers();
    void mergingStages();
    void failedSaveKeepsOldFile();
    void largeTimeline();
    void tables();
    void modulesAtThePeak();
    void csvQuoting();

private:
    QTemporaryDir m_folder;
};

void TestResults::namesGoBothWays()
{
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        const auto component = static_cast<Component>(i);
        QCOMPARE(componentFromName(name(component)), std::optional(component));
        names.insert(name(component));
    }
    QCOMPARE(names.size(), kComponentCount);
    QCOMPARE(name(Component::Parameters), std::string_view("parameters"));
    QCOMPARE(name(Component::PerSampleGradients), std::string_view("per_sample_gradients"));
    QCOMPARE(name(Component::Other), std::string_view("other"));
    for (std::size_t i = 0; i < kPhaseCount; ++i) {
        QCOMPARE(phaseFromName(name(static_cast<Phase>(i))), std::optional(static_cast<Phase>(i)));
    }
    QCOMPARE(name(Phase::OptimizerStep), std::string_view("optimizer_step"));
    QCOMPARE(name(Phase::Evaluate), std::string_view("evaluate"));
    for (std::size_t i = 0; i < kModuleKindCount; ++i) {
        QCOMPARE(moduleKindFromName(name(static_cast<ModuleKind>(i))), std::optional(static_cast<ModuleKind>(i)));
    }
    QVERIFY(!componentFromName("Parameters") && !phaseFromName("") && !moduleKindFromName("ffn"));
}

void TestResults::exitStatuses()
{
    QCOMPARE(exitStatus(RunStatus::Complete), 0);
    QCOMPARE(exitStatus(RunStatus::Failed), 1);
    QCOMPARE(exitStatus(RunStatus::OverBudget), 3);
    QCOMPARE(exitStatus(RunStatus::Interrupted), 4);
    for (const char* text : {"complete", "interrupted", "over_budget", "failed"}) {
        QCOMPARE(name(runStatusFromName(text).value()), std::string_view(text));
    }
}

void TestResults::goldenFile()
{
    const auto loaded = loadRunResult(kGolden);
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().text().c_str());
    const RunResult& r = *loaded;
    QCOMPARE(r.kind, ResultKind::Memory);
    QCOMPARE(r.id, std::string("20260131T090507000-0001-abcdef"));
    QCOMPARE(r.status, RunStatus::Complete);
    QCOMPARE(r.notes, std::vector<std::string>{"a note"});
    QCOMPARE(r.config.at("training").at("lr").get<double>(), 1e-4);
    QCOMPARE(r.timing->stepSeconds, (std::vector<double>{0.25, 0.5}));
    QCOMPARE(r.timing->medianStepSeconds, 0.375);
    QCOMPARE(r.loss, std::optional(2.5));
    QVERIFY(r.losses.size() == 3 && std::isnan(r.losses[1]));
    QCOMPARE(r.other.at("privacy").at("epsilon").get<double>(), 1.5);

    const MemorySection& m = r.memory.value();
    QCOMPARE(m.peakBytes, 1500);
    QCOMPARE(m.peakResidentBytes, 9000);
    QCOMPARE(m.peakTimeSeconds, 2.0);
    QCOMPARE(bytesOf(m.peakComponents, Component::Gradients), 300);
    QCOMPARE(bytesOf(m.maxComponents, Component::Activations), 300);
    QCOMPARE(m.timeline.timeSeconds, (std::vector<double>{0.5, 1, 1.5, 1.5, 2, 2.25}));
    // The file lists components in an order of its own.
    QCOMPARE(m.timeline.component,
             (std::vector<Component>{Component::Parameters, Component::Activations, Component::Activations,
                                     Component::Gradients, Component::Workspace, Component::Workspace}));
    QCOMPARE(m.phases.at(1).phase, Phase::Forward);
    QCOMPARE(m.phases.at(0).step, -1);
    QCOMPARE(m.snapshots.at(0).name, std::string("after_load"));
    QCOMPARE(m.modules.at(0).kind, std::optional(ModuleKind::Mlp));
    QVERIFY(!m.modules.at(1).kind && std::isnan(m.modules.at(1).forwardSeconds));
    QCOMPARE(m.operators.at(0).seconds, 0.125);
    QCOMPARE(m.marks.at(0).bytes, (std::vector<std::int64_t>{300, 0}));
    QCOMPARE(r.prediction->peakBytes, 1490);
}

// What is written holds all that was read, keys of a later program included, and reads back the same.
void TestResults::roundTrip()
{
    const RunResult first = loadRunResult(kGolden).value();
    const std::string text = toJsonText(first);
    const nlohmann::json written = parseJson(text).value();
    QVERIFY(written == toJson(first));
    nlohmann::json expected = goldenDocument();
    // Written in this program's order of components, with every component in the prediction.
    expected["memory"]["timeline"] = toJson(*first.memory)["timeline"];
    expected["prediction"]["components"] = written["prediction"]["components"];
    QCOMPARE(nlohmann::json::diff(expected, written).dump(), std::string("[]"));
    QCOMPARE(written["memory"]["timeline"]["components"].size(), kComponentCount);
    QCOMPARE(written["memory"]["timeline"]["component"].dump(), std::string("[0,3,3,1,5,5]"));
    QCOMPARE(written["prediction"]["components"].size(), kComponentCount);
    QCOMPARE(written["memory"]["future_member"].size(), std::size_t(2));

    const std::filesystem::path path = m_folder.filePath("again.json").toStdString();
    QVERIFY(saveRunResult(first, path).ok());
    const RunResult second = loadRunResult(path).value();
    QCOMPARE(toJsonText(second), text);
    QVERIFY(text.rfind("{\n \"format\": \"peakscope-result\",\n \"version\": 1,", 0) == 0);
}

void TestResults::timesStayTheSame_data()
{
    QTest::addColumn<double>("seconds");
    QTest::newRow("a third") << 1.0 / 3;
    QTest::newRow("just below what is rounded") << 999'999.123456789123;
    QTest::newRow("months before the start") << -4398046.511101009;
    QTest::newRow("years") << 123456789.98765432;
    QTest::newRow("since 1970") << 1'700'000'000.1234567;
}

// Read and written again, however far from the run's start.
void TestResults::timesStayTheSame()
{
    QFETCH(double, seconds);
    RunResult first = loadRunResult(kGolden).value();
    for (double& time : first.memory->timeline.timeSeconds)
        time = seconds;
    const std::string text = toJsonText(first);
    const auto second = runResultFromJson(parseJson(text).value());
    QVERIFY2(second.ok(), second.ok() ? "" : second.error().text().c_str());
    QVERIFY(std::abs(second->memory->timeline.timeSeconds.front() - seconds) < 1e-9);
    QCOMPARE(toJsonText(*second), text);
}

void TestResults::minimalDocument()
{
    const auto r = runResultFromJson(
        {{"format", "peakscope-result"}, {"version", 1}, {"kind", "sweep"}, {"status", "interrupted"}});
    QVERIFY(r.ok());
    QVERIFY(!r->memory && !r->timing && !r->loss && r->other.empty());
    const nlohmann::json written = toJson(*r);
    for (const char* key : {"memory", "timing", "prediction", "loss", "losses", "perplexity"}) {
        QVERIFY2(!written.contains(key), key);
    }
}

void TestResults::refused_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* title, Change change, const char* message) {
        QTest::newRow(title) << change << message;
    };
    row(
        "no format", [](auto& d) { d.erase("format"); }, "format: missing");
    row(
        "other format", [](auto& d) { d["format"] = "x"; }, "format: \"x\" is not \"peakscope-result\"");
    row(
        "version 2", [](auto& d) { d["version"] = 2; },
        "version: 2 is newer than what this program reads (1); a newer Peakscope is needed");
    row(
        "version 0", [](auto& d) { d["version"] = 0; }, "version: 0 is not a version; the first is 1");
    row(
        "version as text", [](auto& d) { d["version"] = "1"; }, "version: \"1\" is not an integer");
    row(
        "no status", [](auto& d) { d.erase("status"); }, "status: missing");
    row(
        "unknown status", [](auto& d) { d["status"] = "fine"; },
        "status: \"fine\" is not one of complete, interrupted, over_budget, failed");
    row(
        "unknown kind", [](auto& d) { d["kind"] = "lunch"; },
        "kind: \"lunch\" is not one of memory, curvature, prm, plan, sweep");
    row(
        "loss as text", [](auto& d) { d["loss"] = "2.5"; }, "loss: \"2.5\" is not a number");
    row(
        "memory as list",
        [](auto& d) {
            d["memory"] = {1, 2};
        },
        "memory: an array of 2 is not an object");
    row(
        "no peak", [](auto& d) { d["memory"].erase("peak_bytes"); }, "memory.peak_bytes: missing");
    row(
        "component as text", [](auto& d) { d["memory"]["peak_components"]["inputs"] = "0"; },
        "memory.peak_components.inputs: \"0\" is not an integer");
    row(
        "component index", [](auto& d) { d["memory"]["timeline"]["component"][4] = 99; },
        "memory.timeline.component[4]: 99 is not an index of memory.timeline.components (4 names)");
    row(
        "negative index", [](auto& d) { d["memory"]["timeline"]["component"][0] = -1; },
        "memory.timeline.component[0]: -1 is not an index of memory.timeline.components (4 names)");
    row(
        "shorter deltas", [](auto& d) { d["memory"]["timeline"]["delta_bytes"].erase(5); },
        "memory.timeline.delta_bytes: has 5 values, time_seconds has 6");
    row(
        "no names", [](auto& d) { d["memory"]["timeline"].erase("components"); },
        "memory.timeline.components: missing");
    row(
        "a fraction of a byte", [](auto& d) { d["memory"]["timeline"]["delta_bytes"][1] = 0.5; },
        "memory.timeline.delta_bytes[1]: 0.5 is not an integer");
    row(
        "no time", [](auto& d) { d["memory"]["timeline"]["time_seconds"][2] = nullptr; },
        "memory.timeline.time_seconds[2]: null is not a time");
    row(
        "sums beyond integers", [](auto& d) { d["memory"]["timeline"]["delta_bytes"][1] = INT64_MAX; },
        "memory.timeline.delta_bytes[1]: 9223372036854775807 takes a component beyond 2^58 bytes");
    row(
        "lowest integer", [](auto& d) { d["memory"]["timeline"]["delta_bytes"][0] = INT64_MIN; },
        "memory.timeline.delta_bytes[0]: -9223372036854775808 takes a component beyond 2^58 bytes");
    row(
        "module without name", [](auto& d) { d["memory"]["modules"][1].erase("name"); },
        "memory.modules[1].name: missing");
    row(
        "mark of unequal arrays", [](auto& d) { d["memory"]["marks"][0]["bytes"] = {1}; },
        "memory.marks[0].bytes: has 1 values, time_seconds has 2");
    row(
        "a list", [](auto& d) { d = nlohmann::json::array(); }, "an array of 0 is not an object");
}

void TestResults::refused()
{
    QFETCH(Change, change);
    nlohmann::json document = goldenDocument();
    change(document);
    const auto read = runResultFromJson(document);
    QVERIFY(!read.ok());
    QCOMPARE(read.error().code, ErrorCode::BadInput);
    QTEST(QString::fromStdString(read.error().text()), "message");
}

void TestResults::unreadableFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    const std::string golden = readTextFile(kGolden).value();
    QTest::newRow("empty") << QByteArray() << "empty";
    QTest::newRow("binary") << QByteArray::fromHex("00ff1b5b7f89504e470d0a1a0a0000") << "not JSON";
    QTest::newRow("deep") << QByteArray(200'000, '[') << "nested deeper";
    QTest::newRow("truncated") << QByteArray::fromStdString(golden.substr(0, golden.size() / 2)) << "ends too early";
    QTest::newRow("other JSON") << QByteArray("{\"a\": 1}") << "format: missing";
}

void TestResults::unreadableFiles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    const std::string path = m_folder.filePath("bad.json").toStdString();
    QVERIFY(writeFileAtomically(path, bytes.toStdString()).ok());
    const auto read = loadRunResult(path);
    QVERIFY(!read.ok());
    const std::string message = read.error().text();
    QVERIFY2(QString::fromStdString(message).contains(part), message.c_str());
    QVERIFY(message.rfind(path + ": ", 0) == 0);
    QVERIFY(message.find('\n') == std::string::npos);
}

void TestResults::oddButReadable()
{
    nlohmann::json document = goldenDocument();
    document["memory"]["timeline"]["components"][3] = "quantum_foam";
    document["memory"]["snapshots"][0]["phase"] = "lunch";
    document["memory"]["peak_components"]["parameters"] = 900;
    document["memory"]["timeline"]["delta_bytes"][5] = -300;
    const auto read = runResultFromJson(document);
    QVERIFY(read.ok());
    QCOMPARE(read->memory->timeline.component.back(), Component::Other);
    QVERIFY(!read->memory->snapshots[0].phase);
    QCOMPARE(read->notes, (std::vector<std::string>{
                              "a note", "component \"quantum_foam\" is unknown here; its bytes count as \"other\"",
                              "memory.timeline: other goes below zero at event 5", "\"lunch\" is not a phase; left out",
                              "memory.peak_components sum to 1400 bytes, memory.peak_bytes is 1500"}));
}

void TestResults::nonFiniteNumbers()
{
    RunResult result;
    result.loss = std::nan("");
    result.gradientNorm = INFINITY;
    result.losses = {1, std::nan("")};
    const std::filesystem::path path = m_folder.filePath("nan.json").toStdString();
    QVERIFY(saveRunResult(result, path).ok());
    const RunResult read = loadRunResult(path).value();
    QVERIFY(read.loss && std::isnan(*read.loss));
    QVERIFY(read.gradientNorm && !std::isfinite(*read.gradientNorm));
    QVERIFY(read.losses.size() == 2 && std::isnan(read.losses[1]));
    QCOMPARE(read.notes,
             (std::vector<std::string>{"loss is not finite (NaN)", "gradient_norm is not finite (infinity)"}));
    QCOMPARE(toJsonText(read), toJsonText(result)); // the notes are not written twice
    // A file of another writer, with what only Python calls JSON.
    QVERIFY(writeFileAtomically(path, R"({"format": "peakscope-result", "version": 1, "kind": "memory",
        "status": "complete", "loss": NaN})")
                .ok());
    QVERIFY(std::isnan(loadRunResult(path).value().loss.value()));
}

void TestResults::mergingStages()
{
    RunResult result;
    const RunResult golden = loadRunResult(kGolden).value();
    QVERIFY(mergeSections(result, {{"memory", toJson(*golden.memory)}}).ok());
    QCOMPARE(result.memory->peakBytes, 1500);
    QVERIFY(!result.timing);
    QVERIFY(mergeSections(result, {{"timing", toJson(*golden.timing)}, {"loss", 1.25}, {"notes", {"x"}}}).ok());
    QCOMPARE(result.timing->medianStepSeconds, 0.375);
    QCOMPARE(result.loss, std::optional(1.25));
    QVERIFY(mergeSections(result, {{"notes", {"x", "y"}}, {"curvature", {{"trace", 1}}}}).ok());
    QCOMPARE(result.notes, (std::vector<std::string>{"x", "y"}));
    QCOMPARE(result.other.at("curvature").at("trace").get<int>(), 1);
    const Status bad = mergeSections(result, {{"memory", {{"peak_bytes", "many"}}}});
    QVERIFY(!bad.ok());
    QCOMPARE(result.memory->peakBytes, 1500); // the section that could not be read left the old one
}

void TestResults::failedSaveKeepsOldFile()
{
    const RunResult golden = loadRunResult(kGolden).value();
    const Status full = saveRunResult(golden, "/dev/full");
    QVERIFY(!full.ok());
    QVERIFY(full.error().text().find("No space left on device") != std::string::npos);
    QVERIFY(!saveRunResult(golden, m_folder.filePath("no/folder.json").toStdString()).ok());
}

// A million events are written and read by the same functions as six are; times stay in order and close.
void TestResults::largeTimeline()
{
    RunResult result;
    result.memory.emplace();
    TimelineData& timeline = result.memory->timeline;
    for (int i = 0; i < 1'000'000; ++i) {
        timeline.timeSeconds.push_back(i * 1.37e-6);
        timeline.deltaBytes.push_back(i % 2 ? -4096 : 4096);
        timeline.component.push_back(Component::Workspace);
    }
    const std::filesystem::path path = m_folder.filePath("large.json").toStdString();
    QVERIFY(saveRunResult(result, path).ok());
    const auto read = loadRunResult(path);
    QVERIFY(read.ok());
    const TimelineData& got = read->memory->timeline;
    QCOMPARE(got.deltaBytes, timeline.deltaBytes);
    QCOMPARE(got.component, timeline.component);
    QVERIFY(std::is_sorted(got.timeSeconds.begin(), got.timeSeconds.end()));
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (std::abs(got.timeSeconds[i] - timeline.timeSeconds[i]) > 0.51e-9) {
            QFAIL("a time is off by more than half a nanosecond");
        }
    }
}

void TestResults::tables()
{
    const RunResult golden = loadRunResult(kGolden).value();
    QCOMPARE(toCsv(snapshotsTable(golden)),
             std::string("name,phase,step,time_seconds,allocated_bytes,reserved_bytes\r\n"
                         "after_load,load,-1,0.625,1000,2048\r\n"));
    QCOMPARE(toTsv(operatorsTable(golden)), std::string("name\tphase\tcount\tallocated_bytes\tpeak_bytes\tseconds\n"
                                                        "aten::mm\tforward\t2\t500\t300\t0.125\n"));
    // A column without a value is left out.
    RunResult uncounted = golden;
    uncounted.memory->operators.front().count = 0;
    uncounted.memory->operators.front().phase.reset();
    uncounted.memory->missing = {"operators.seconds"};
    QCOMPARE(toTsv(operatorsTable(uncounted)), std::string("name\tallocated_bytes\tpeak_bytes\naten::mm\t500\t300\n"));
    QCOMPARE(operatorsTable(uncounted).title, std::string("operators"));
    uncounted.other["source"] = {{"format", "cuda-snapshot"}};
    QCOMPARE(operatorsTable(uncounted).title, std::string("lines"));
    const std::string modules = toCsv(modulesTable(golden));
    QVERIFY(modules.find("\r\ndropout,,0,0,0,0,,0\r\n") != std::string::npos); // no kind, no time
    const Table components = memoryComponentsTable(golden);
    QCOMPARE(components.rows.size(), kComponentCount);
    QCOMPARE(std::get<std::int64_t>(components.rows[0][1]), 1000);
    QCOMPARE(std::get<double>(components.rows[1][3]), 0.2);
    QCOMPARE(timelineCsv(golden.memory->timeline),
             std::string("time_seconds,component,delta_bytes,total_bytes\r\n0.5,parameters,1000,1000\r\n"
                         "1,activations,300,1300\r\n1.5,activations,-300,1000\r\n1.5,gradients,300,1300\r\n"
                         "2,workspace,200,1500\r\n2.25,workspace,-200,1300\r\n"));
    QVERIFY(memoryComponentsTable(RunResult{}).rows.empty());
    // With what was alive at another instant.
    ComponentBytes alive{};
    alive[static_cast<std::size_t>(Component::Gradients)] = 300;
    const Table then = withInstant(components, alive, "1.5 s");
    QCOMPARE(then.columns[1].name, std::string("alive_bytes@1.5 s"));
    QCOMPARE(then.columns[2].name, components.columns[1].name);
    QCOMPARE(std::get<std::int64_t>(then.rows[0][1]), 0);
    QCOMPARE(std::get<std::int64_t>(then.rows[1][1]), 300);
    QCOMPARE(then.rows[1][2], components.rows[1][1]);
}

// What a module held at the peak is written without its zeros, and absent where it is not known.
void TestResults::modulesAtThePeak()
{
    RunResult result = loadRunResult(kGolden).value();
    QVERIFY(!result.memory->modules.front().atPeak);
    ComponentBytes& held = result.memory->modules.front().atPeak.emplace();
    held[static_cast<std::size_t>(Component::OptimizerStates)] = 800;
    held[static_cast<std::size_t>(Component::Parameters)] = 400;
    const nlohmann::json written = toJson(result);
    const nlohmann::json& modules = written["memory"]["modules"];
    QCOMPARE(modules[0]["at_peak"].dump(), std::string(R"({"optimizer_states":800,"parameters":400})"));
    for (std::size_t i = 1; i < modules.size(); ++i)
        QVERIFY(!modules[i].contains("at_peak"));
    const auto read = runResultFromJson(written);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->memory->modules.front().atPeak.value(), held);
}

void TestResults::csvQuoting()
{
    const Table table{
        "t", {{"a,b", ""}, {"c", ""}}, {{std::string("say \"x\"\nline"), 1.5}, {std::string("tab\tx"), 2.0}}};
    QCOMPARE(toCsv(table), std::string("\"a,b\",c\r\n\"say \"\"x\"\"\nline\",1.5\r\n\"tab\tx\",2\r\n"));
    QCOMPARE(toTsv(table), std::string("a,b\tc\nsay \"x\" line\t1.5\ntab x\t2\n"));
}

PEAKSCOPE_APPLESS_TEST(TestResults)
#include "test_results.moc"
