// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A file of every format, with the numbers that stand in it: the project's own samples (data/make_format_samples.py)
// and, where that folder is beside the checkout, those of ../shared.
#include "core/import/read_any.h"
#include "core/results/component_reading.h"
#include "core/results/memory_timeline.h"
#include "tests/core/files/stored_files.h"
#include "tests/test_room.h"

#include <QDateTime>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>

using namespace peakscope;
using peakscope::test::hasNote;
using Json = nlohmann::json;

namespace {

const std::string kOwnFormats = PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/";
const std::string kSharedFormats = PEAKSCOPE_SHARED_DIR "/formats/";
constexpr double kMiBytes = 1048576.0;
constexpr double kGiBytes = 1073741824.0;

// The folder of the test's row.
std::string formats()
{
    QFETCH_GLOBAL(QString, folder);
    return folder.toStdString();
}

// What stands in the file, read by nothing of Peakscope's.
Json raw(const char* path)
{
    std::ifstream stream(formats() + path);
    return Json::parse(stream);
}

std::vector<RunResult> readSample(const char* path)
{
    auto results = readAny(formats() + path);
    if (!results)
        qWarning("%s", results.error().text().c_str());
    return results ? std::move(results).value() : std::vector<RunResult>();
}

std::int64_t rounded(double value)
{
    return std::llround(value);
}

std::int64_t mib(const Json& value)
{
    return rounded(value.get<double>() * kMiBytes);
}

std::int64_t gib(const Json& value)
{
    return rounded(value.get<double>() * kGiBytes);
}

std::int64_t at(const ComponentBytes& bytes, Component component)
{
    return bytes[static_cast<std::size_t>(component)];
}

// PyTorch's categories by their number, and a row's columns behind its first: _CATEGORY_TO_INDEX.
constexpr Component kCategories[] = {Component::Parameters,
                                     Component::OptimizerStates,
                                     Component::Inputs,
                                     Component::Workspace,
                                     Component::Activations,
                                     Component::Gradients,
                                     Component::ActivationGradients,
                                     Component::Other};

// The timeline alone must give the peak and never go below zero.
void checkTimeline(const MemorySection& memory)
{
    ComponentBytes live{};
    std::int64_t total = 0, peak = 0;
    for (std::size_t i = 0; i < memory.timeline.size(); ++i) {
        auto& bytes = live[static_cast<std::size_t>(memory.timeline.component[i])];
        bytes += memory.timeline.deltaBytes[i];
        total += memory.timeline.deltaBytes[i];
        QVERIFY(bytes >= 0);
        peak = std::max(peak, total);
    }
    QCOMPARE(peak, memory.peakBytes);
    const auto& parts = memory.peakComponents;
    QCOMPARE(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), memory.peakBytes);
}

} // namespace

class TestReadersSamples : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase_data();
    void init();
    void dpsgdRun();
    void vanillaRun();
    void seedSample();
    void imageModel();
    void pointsAndSecrets();
    void runFolder();
    void sweepArray();
    void sweepSummary();
    void detailed();
    void traces_data();
    void traces();
    void memoryTimeline();
    void memoryTimelineRaw();
    void memoryTimelinesOfOneProfile();
    void prmFamilies_data();
    void prmFamilies();
    void prmNumbers();
    void pilot();
    void hessian();
    void everySampleRoundTrips_data();
    void everySampleRoundTrips();
};

void TestReadersSamples::initTestCase_data()
{
    QTest::addColumn<QString>("folder");
    QTest::newRow("own samples") << QString::fromStdString(kOwnFormats);
    QTest::newRow("samples beside the checkout") << QString::fromStdString(kSharedFormats);
}

void TestReadersSamples::init()
{
    if (formats() == kSharedFormats && !std::filesystem::is_directory(kSharedFormats))
        QSKIP("the folder with the formats' samples is not beside this checkout");
}

void TestReadersSamples::dpsgdRun()
{
    const char* file = "dpsgd/run_20241110_123456/ghost_result.json";
    const Json written = raw(file);
    const auto results = readSample(file);
    QCOMPARE(results.size(), std::size_t(1));
    const RunResult& run = results[0];
    QCOMPARE(run.kind, ResultKind::Memory);
    QVERIFY(!run.synthetic);
    QVERIFY(importedFormat(run) == FileFormat::DpsgdRun);
    const Json& first = written["snapshots"][0];
    const auto begin = QDateTime::fromSecsSinceEpoch(static_cast<qint64>(first["timestamp"].get<double>()), Qt::UTC);
    QCOMPARE(QString::fromStdString(run.created), begin.toString(Qt::ISODate));
    QVERIFY(run.config["method"] == "ghost");
    QVERIFY(run.config["training"]["clipping"] == "ghost");
    QVERIFY(run.config["data"]["seq"] == written["config"]["seq_len"]);
    QVERIFY(run.config["model"]["layers"] == written["config"]["num_layers"]);
    QCOMPARE(run.timing->medianStepSeconds, written["avg_time_ms"].get<double>() / 1000);
    const MemorySection& memory = *run.memory;
    const Json& breakdown = written["breakdown"];
    QCOMPARE(memory.peakBytes, mib(breakdown["peak_allocated_mb"]));
    QCOMPARE(memory.peakReservedBytes, mib(breakdown["total_reserved_mb"]));
    QCOMPARE(at(memory.peakComponents, Component::Parameters), mib(breakdown["model_parameters_mb"]));
    QCOMPARE(at(memory.peakComponents, Component::OptimizerStates), mib(breakdown["optimizer_states_mb"]));
    QCOMPARE(at(memory.peakComponents, Component::ActivationHooks), mib(breakdown["activation_hooks_mb"]));
    QCOMPARE(memory.snapshots.size(), std::size_t(16));
    QCOMPARE(memory.snapshots[6].name, std::string("6_iter0_after_backward"));
    QVERIFY(memory.snapshots[6].phase == Phase::Backward);
    QCOMPARE(memory.snapshots[10].step, std::int64_t(1));
    for (std::size_t i = 0; i < 16; ++i) {
        const Json& one = written["snapshots"][i];
        QCOMPARE(memory.snapshots[i].allocatedBytes, mib(one["allocated_mb"]));
        QCOMPARE(memory.snapshots[i].maxAllocatedBytes, std::optional(mib(one["max_allocated_mb"])));
        const double later = one["timestamp"].get<double>() - first["timestamp"].get<double>();
        QVERIFY(std::abs(memory.snapshots[i].timeSeconds - later) < 1e-6);
    }
    QVERIFY(hasNote(run, "after the step, not at the peak"));
    QVERIFY(hasNote(run, "exceed the peak"));
    QVERIFY(hasNote(run, "temp matrices are always 0"));
    QVERIFY(hasNote(run, "mean"));
    // What the format lacks is absent in the document.
    const Json document = toJson(run);
    for (const char* key : {"timeline", "max_components", "peak_requested_bytes", "peak_resident_bytes", "modules"})
        QVERIFY2(!document["memory"].contains(key), key);
    QVERIFY(!document["memory"]["peak_components"].contains("activations"));
    QVERIFY(document["memory"]["peak_components"]["temp_matrices"] == 0);
    QVERIFY(!document["timing"].contains("step_seconds"));
}

void TestReadersSamples::vanillaRun()
{
    const char* file = "dpsgd/run_20241110_123456/vanilla_result.json";
    const RunResult run = readSample(file).at(0);
    QCOMPARE(run.memory->peakBytes, mib(raw(file)["peak_memory_mb"]));
    QVERIFY(run.config["training"]["clipping"] == "none");
    QVERIFY(!hasNote(run, "activation hooks"));
    QCOMPARE(run.timing->medianStepSeconds, raw(file)["avg_time_ms"].get<double>() / 1000);
}

void TestReadersSamples::seedSample()
{
    const char* file = "dpsgd/seed003_sample_result.json";
    const RunResult run = readSample(file).at(0);
    QCOMPARE(at(run.memory->peakComponents, Component::TempMatrices), mib(raw(file)["breakdown"]["temp_matrices_mb"]));
    QVERIFY(at(run.memory->peakComponents, Component::TempMatrices) > 0);
    QVERIFY(!run.memory->has("peak_reserved_bytes"));
    for (const Snapshot& snapshot : run.memory->snapshots)
        QVERIFY(!snapshot.maxAllocatedBytes);
    QVERIFY(!hasNote(run, "always 0"));
    QCOMPARE(run.memory->snapshots[0].reservedBytes, mib(raw(file)["snapshots"][0]["reserved_mb"]));
}

void TestReadersSamples::imageModel()
{
    const char* file = "dpsgd/dit/flash_clip_result.json";
    const RunResult run = readSample(file).at(0);
    QVERIFY(importedFormat(run) == FileFormat::DpsgdDit);
    QCOMPARE(run.memory->peakBytes, mib(raw(file)["peak_allocated_memory_mb"]));
    QVERIFY(run.config["method"] == "flash_clip");
    QVERIFY(hasNote(run, "decimal MB"));
    QVERIFY(hasNote(run, "names no experiment"));
    QVERIFY(!run.memory->has("snapshots"));
}

void TestReadersSamples::pointsAndSecrets()
{
    const char* file = "dpsgd/points/ghost_seq4096_result.json";
    const RunResult run = readSample(file).at(0);
    QCOMPARE(run.kind, ResultKind::Sweep);
    QCOMPARE(run.memory->peakBytes, mib(raw(file)["peak_memory_mb"]));
    QCOMPARE(run.timing->medianStepSeconds, raw(file)["avg_time_ms"].get<double>() / 1000);
    QVERIFY(run.other["timing"]["statistic"] == "median");
    QVERIFY(hasNote(run, "config.token"));
    QVERIFY(raw(file)["config"].contains("token"));
    const std::string text = toJsonText(run);
    QVERIFY(text.find("hf_EXAMPLE") == std::string::npos);
    QVERIFY(run.other["sweep"]["points"][0]["values"]["method"] == "ghost");
    QCOMPARE(run.config["training"]["noise_multiplier"].get<double>(), 1.0);
}

void TestReadersSamples::runFolder()
{
    const auto results = readSample("dpsgd/run_20241110_123456");
    QCOMPARE(results.size(), std::size_t(3));
    QVERIFY(results[0].config["method"] == "vanilla");
    QVERIFY(results[1].config["method"] == "ghost");
    QVERIFY(results[2].config["method"] == "flash_clip");
    QVERIFY(results[0].id != results[1].id);
    // A summary beside its array is the same sweep, not a second one.
    QCOMPARE(readSample("sweep").size(), std::size_t(1));
}

void TestReadersSamples::sweepArray()
{
    const char* file = "sweep/memory_profile_results.json";
    const Json written = raw(file);
    const RunResult run = readSample(file).at(0);
    QCOMPARE(run.kind, ResultKind::Sweep);
    const Json& points = run.other["sweep"]["points"];
    QCOMPARE(points.size(), written.size());
    QVERIFY(points.size() >= 8);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Json& one = written[i];
        const bool lora = one["is_lora"];
        QVERIFY(points[i]["peak_bytes"] == gib(one["peak_memory_gb"]));
        QVERIFY(points[i]["values"]["training.lora.rank"] == (lora ? one["lora_rank"] : Json(0)));
        QVERIFY(points[i]["values"]["data.batch"] == one["batch_size"]);
        QVERIFY(points[i]["stages"]["forward_pass"] == gib(one["memory_breakdown"]["forward_pass"]));
        QCOMPARE(points[i]["stages"].contains("lora_setup"), lora);
        QCOMPARE(points[i]["snapshots"].size(), one["snapshots"].size());
        QVERIFY(points[i]["snapshots"][0]["reserved_bytes"] == gib(one["snapshots"][0]["reserved_gb"]));
        QCOMPARE(points[i]["total_seconds"].get<double>(), one["execution_time"].get<double>());
        QVERIFY(!points[i].contains("median_step_seconds"));
    }
    QVERIFY(hasNote(run, "inherit earlier peaks"));
    QVERIFY(!run.memory);
}

void TestReadersSamples::sweepSummary()
{
    const RunResult table = readSample("sweep/memory_profile_summary.csv").at(0);
    const RunResult array = readSample("sweep/memory_profile_results.json").at(0);
    QVERIFY(table.other["sweep"]["keys"] == array.other["sweep"]["keys"]);
    const Json& points = table.other["sweep"]["points"];
    QCOMPARE(points.size(), array.other["sweep"]["points"].size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        QVERIFY(points[i]["peak_bytes"] == array.other["sweep"]["points"][i]["peak_bytes"]);
        QVERIFY(points[i]["values"] == array.other["sweep"]["points"][i]["values"]);
        QVERIFY(points[i]["stages"] == array.other["sweep"]["points"][i]["stages"]);
    }
}

void TestReadersSamples::detailed()
{
    const char* file = "detailed/detailed_memory_results.json";
    const Json written = raw(file);
    const auto results = readSample(file);
    QCOMPARE(results.size(), written.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        const MemorySection& memory = *results[i].memory;
        const Json& breakdown = written[i]["detailed_breakdown"];
        QCOMPARE(memory.peakBytes, written[i]["peak_memory"].get<std::int64_t>());                     // bytes outside
        QCOMPARE(memory.snapshots[1].allocatedBytes, gib(written[i]["snapshots"][1]["allocated_gb"])); // GiB inside
        QCOMPARE(memory.modules.size(), std::size_t(5));
        const auto norm = std::find_if(memory.modules.begin(), memory.modules.end(),
                                       [](const ModuleUsage& m) { return m.name == "normalization"; });
        QVERIFY(norm->kind == ModuleKind::Norm);
        QVERIFY(breakdown["components"]["normalization"]["forward"] == norm->activationBytes);
        QVERIFY(breakdown["components"]["normalization"]["backward"] == norm->gradientBytes);
        const Json& other = results[i].other["memory"];
        QVERIFY(other["activation_estimate_bytes"] == breakdown["activation_estimate"]);
        QVERIFY(other["stages"]["forward_pass"] == breakdown["stages"]["forward_pass"]);
        QVERIFY(results[i].config["data"]["batch"] == written[i]["config"]["batch_size"]);
        QVERIFY(!toJson(results[i])["memory"]["modules"][0].contains("parameter_bytes"));
        QVERIFY(modulesAreHookIncreases(results[i]));
        QVERIFY(memory.has("snapshots.time_seconds"));
    }
}

void TestReadersSamples::traces_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("bare list") << "torch/trace_list.json";
    QTest::newRow("envelope") << "torch/trace_envelope.json";
}

void TestReadersSamples::traces()
{
    QFETCH(QString, file);
    const Json written = raw(qPrintable(file));
    std::vector<Json> events; // of memory
    std::int64_t calls = 0, peak = 0;
    for (const Json& event : written.is_array() ? written : written["traceEvents"]) {
        calls += event["cat"] == "cpu_op";
        if (event["name"] == "[memory]") {
            events.push_back(event);
            peak = std::max(peak, event["args"]["Total Allocated"].get<std::int64_t>());
        }
    }
    const auto results = readSample(qPrintable(file));
    QCOMPARE(results.size(), std::size_t(1));
    const MemorySection& memory = *results[0].memory;
    QCOMPARE(memory.timeline.size(), events.size());
    QCOMPARE(memory.peakBytes, peak);
    QVERIFY(!memory.has("peak_reserved_bytes")); // 0 on CPU is no measurement
    checkTimeline(memory);
    const double lasted = events.back()["ts"].get<double>() - events.front()["ts"].get<double>();
    QVERIFY(std::abs(memory.timeline.timeSeconds.back() - lasted / 1e6) < 1e-9);
    QCOMPARE(memory.operators.size(), std::size_t(3));
    for (const OperatorUsage& usage : memory.operators)
        calls -= usage.count;
    QCOMPARE(calls, std::int64_t(0));
    QVERIFY(results[0].environment["device"] == "cpu");
}

void TestReadersSamples::memoryTimeline()
{
    const Json written = raw("torch/memory_timeline.json");
    std::vector<std::int64_t> totals;
    ComponentBytes most{};
    for (const Json& row : written[1]) {
        totals.push_back(0);
        for (std::size_t column = 1; column < 9; ++column) {
            totals.back() += row[column].get<std::int64_t>();
            std::int64_t& own = most[static_cast<std::size_t>(kCategories[column - 1])];
            own = std::max(own, row[column].get<std::int64_t>());
        }
    }
    const auto highest = static_cast<std::size_t>(std::max_element(totals.begin(), totals.end()) - totals.begin());
    const RunResult run = readSample("torch/memory_timeline.json").at(0);
    const MemorySection& memory = *run.memory;
    checkTimeline(memory);
    QCOMPARE(memory.peakBytes, totals[highest]);
    for (std::size_t column = 1; column < 9; ++column) {
        const Component component = kCategories[column - 1];
        QVERIFY(written[1][highest][column] == at(memory.peakComponents, component));
        QCOMPARE(at(memory.maxComponents, component), at(most, component));
    }
    const double later = written[0][highest].get<double>() - written[0][0].get<double>();
    QVERIFY(std::abs(memory.peakTimeSeconds - later / 1e6) < 1e-9);
    QVERIFY(!toJson(run)["memory"]["peak_components"].contains("hessian"));
}

void TestReadersSamples::memoryTimelineRaw()
{
    const Json written = raw("torch/memory_timeline.raw.json");
    ComponentBytes live{}, right{};
    std::int64_t total = 0, peak = 0;
    std::map<int, int> actions;
    for (const Json& row : written) {
        const std::int64_t bytes = row[2];
        ++actions[row[1].get<int>()];
        live[static_cast<std::size_t>(kCategories[row[3].get<std::size_t>()])] += bytes;
        total += bytes;
        if (total > peak) {
            peak = total;
            right = live;
        }
    }
    const RunResult run = readSample("torch/memory_timeline.raw.json").at(0);
    const MemorySection& memory = *run.memory;
    checkTimeline(memory);
    QCOMPARE(memory.timeline.size(), written.size());
    QCOMPARE(memory.peakBytes, peak);
    for (const Component component : kCategories)
        QCOMPARE(at(memory.peakComponents, component), at(right, component));
    QVERIFY(run.other["memory"]["event_counts"]["preexisting"] == actions[1]);
    QVERIFY(run.other["memory"]["event_counts"]["destroy"] == actions[4]);
}

void TestReadersSamples::memoryTimelinesOfOneProfile()
{
    QFETCH_GLOBAL(QString, folder);
    if (folder.toStdString() != kOwnFormats)
        QSKIP("both forms of one profile are among the project's own samples");
    for (const char* file : {"torch/memory_timeline.json", "torch/memory_timeline.raw.json"}) {
        const MemorySection memory = *readSample(file).at(0).memory;
        ComponentBytes right{};
        for (const auto& [component, bytes] : {std::pair{Component::Parameters, 2363648},
                                               {Component::OptimizerStates, 2630160},
                                               {Component::Gradients, 1315072},
                                               {Component::Activations, 1048576},
                                               {Component::Inputs, 132104},
                                               {Component::Workspace, 4}})
            right[static_cast<std::size_t>(component)] = bytes;
        QCOMPARE(memory.peakBytes, std::int64_t{7489564});
        QVERIFY2(memory.peakComponents == right, file);
    }
}

void TestReadersSamples::prmFamilies_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("rows");
    for (const auto& [file, rows] : {std::pair{"ultra_safe_results.json", 9},
                                     {"complete_results.json", 9},
                                     {"optimized_hessian_results.json", 9},
                                     {"a800_gpu_results.json", 12},
                                     {"ultra_safe_results.csv", 9}})
        QTest::newRow(file) << QString("prm/") + file << rows;
}

void TestReadersSamples::prmFamilies()
{
    QFETCH(QString, file);
    QFETCH(int, rows);
    const RunResult run = readSample(qPrintable(file)).at(0);
    QCOMPARE(run.kind, ResultKind::Prm);
    QVERIFY(run.synthetic);
    QVERIFY(hasNote(run, "synthetic"));
    QCOMPARE(int(toJson(run)["prm"]["results"].size()), rows);
}

void TestReadersSamples::prmNumbers()
{
    const Json from = raw("prm/complete_results.json")["prm_results"];
    const Json complete = toJson(readSample("prm/complete_results.json").at(0));
    QVERIFY(!complete["embedding"].contains("silhouette")); // -1 = not computed
    QVERIFY(complete["prm"]["baseline"]["perplexity"] == from[0]["baseline_ppl"]);
    for (std::size_t i = 0; i < from.size(); ++i) {
        for (const char* key : {"param_type", "delta_auc", "delta_ppl", "noise_level"})
            QVERIFY2(complete["prm"]["results"][i][key] == from[i][key], key);
    }
    QVERIFY(complete["prm"]["results"][4]["param_type"] == "Wsens");
    std::string time = raw("prm/complete_results.json")["timestamp"];
    QVERIFY(complete["created"] == time.replace(time.find(' '), 1, "T"));
    const Json about = raw("prm/a800_gpu_results.json");
    const Json gpu = toJson(readSample("prm/a800_gpu_results.json").at(0));
    QVERIFY(gpu["environment"]["memory_used_bytes"] == gib(about["gpu_memory_used"]));
    QVERIFY(gpu["partition"]["counts"] == about["parameter_counts"]);
    QVERIFY(gpu["embedding"]["silhouette"] == about["umap_silhouette_score"]);
    QVERIFY(gpu["config"]["hessian_data_size"] == about["hessian_data_size"]);
    QVERIFY(gpu["other_fields"]["gpu_optimized"] == true);
}

void TestReadersSamples::pilot()
{
    const Json from = raw("prm/pilot_results.json");
    for (const char* file : {"prm/pilot_results.json", "prm/pilot_results.csv"}) {
        const RunResult run = readSample(file).at(0);
        QVERIFY(!run.synthetic);
        const Json document = toJson(run);
        const Json& rows = document["prm"]["results"];
        QCOMPARE(rows.size(), std::size_t(45));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QVERIFY(rows[i]["delta_ppl"] == from[i]["delta_ppl"]);
            QVERIFY(rows[i]["noise_level"] == from[i]["sigma"]);
            QVERIFY(rows[i]["perplexity"] == from[i]["ppl"]);
            QVERIFY(!rows[i].contains("auc"));
        }
        QVERIFY(hasNote(run, "no attack"));
        QVERIFY(document["prm"]["baseline"]["perplexity"] == from[0]["ppl"]);
    }
}

void TestReadersSamples::hessian()
{
    const RunResult run = readSample("prm/hessian_memory_analysis.json").at(0);
    QCOMPARE(run.kind, ResultKind::Plan);
    QVERIFY(toJsonText(run).find("6924877321395372032") != std::string::npos); // past what a double holds
    QVERIFY(hasNote(run, "ten times the diagonal"));
}

void TestReadersSamples::everySampleRoundTrips_data()
{
    QTest::addColumn<QString>("file");
    // Both folders hold the same files.
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kOwnFormats)) {
        const auto extension = entry.path().extension();
        if (extension == ".json" || extension == ".csv")
            QTest::newRow(entry.path().filename().c_str())
                << QString::fromStdString(std::filesystem::relative(entry.path(), kOwnFormats).string());
    }
}

// Written as Peakscope's own document and read again it is the same.
void TestReadersSamples::everySampleRoundTrips()
{
    QFETCH(QString, file);
    for (const RunResult& run : readSample(qPrintable(file))) {
        const std::string text = toJsonText(run);
        const auto again = readAnyBytes(text, "again.json");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QCOMPARE(again->size(), std::size_t(1));
        QCOMPARE(toJsonText(again->front()), text);
        QCOMPARE(again->front().id, run.id);
    }
}

PEAKSCOPE_APPLESS_TEST(TestReadersSamples)
#include "test_readers_samples.moc"
