// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every sample of the formats' folder, with the numbers that stand in it.
#include "core/import/read_any.h"
#include "core/results/memory_timeline.h"

#include <QTest>

#include <filesystem>
#include <fstream>
#include <numeric>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

const std::string kFormats = PEAKSCOPE_SHARED_DIR "/formats/";
constexpr double kMiBytes = 1048576.0;
constexpr double kGiBytes = 1073741824.0;

std::vector<RunResult> readSample(const char* path)
{
    auto results = readAny(kFormats + path);
    if (!results)
        qWarning("%s", results.error().text().c_str());
    return results ? std::move(results).value() : std::vector<RunResult>();
}

std::int64_t rounded(double value)
{
    return std::llround(value);
}

std::int64_t at(const ComponentBytes& bytes, Component component)
{
    return bytes[static_cast<std::size_t>(component)];
}

bool hasNote(const RunResult& result, const char* part)
{
    return std::any_of(result.notes.begin(), result.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

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
    void initTestCase();
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
    void prmFamilies_data();
    void prmFamilies();
    void prmNumbers();
    void pilot();
    void hessian();
    void everySampleRoundTrips_data();
    void everySampleRoundTrips();
};

void TestReadersSamples::initTestCase()
{
    if (!std::filesystem::is_directory(kFormats))
        QSKIP("the folder with the formats' samples is not beside this checkout");
}

void TestReadersSamples::dpsgdRun()
{
    const auto results = readSample("dpsgd/run_20241110_123456/ghost_result.json");
    QCOMPARE(results.size(), std::size_t(1));
    const RunResult& run = results[0];
    QCOMPARE(run.kind, std::string("memory"));
    QVERIFY(!run.synthetic);
    QVERIFY(importedFormat(run) == FileFormat::DpsgdRun);
    QCOMPARE(run.created, std::string("2023-11-10T10:32:25Z"));
    QVERIFY(run.config["method"] == "ghost");
    QVERIFY(run.config["training"]["clipping"] == "ghost");
    QVERIFY(run.config["data"]["seq"] == 16384);
    QVERIFY(run.config["model"]["layers"] == 20);
    QCOMPARE(run.timing->medianStepSeconds, 17.129);
    const MemorySection& memory = *run.memory;
    QCOMPARE(memory.peakBytes, rounded(56992.12 * kMiBytes));
    QCOMPARE(memory.peakReservedBytes, rounded(59271.8 * kMiBytes));
    QCOMPARE(at(memory.peakComponents, Component::Parameters), rounded(4469.41 * kMiBytes));
    QCOMPARE(at(memory.peakComponents, Component::OptimizerStates), rounded(8938.82 * kMiBytes));
    QCOMPARE(at(memory.peakComponents, Component::ActivationHooks), rounded(84864.75 * kMiBytes));
    QCOMPARE(memory.snapshots.size(), std::size_t(16));
    QCOMPARE(memory.snapshots[6].name, std::string("6_iter0_after_backward"));
    QVERIFY(memory.snapshots[6].phase == Phase::Backward);
    QCOMPARE(memory.snapshots[10].step, std::int64_t(1));
    QCOMPARE(memory.snapshots[5].allocatedBytes, rounded(47303.46 * kMiBytes));
    QVERIFY(std::abs(memory.snapshots[1].timeSeconds - 2.13) < 1e-6);
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
    const RunResult run = readSample("dpsgd/run_20241110_123456/vanilla_result.json").at(0);
    QCOMPARE(run.memory->peakBytes, rounded(52347.0 * kMiBytes));
    QVERIFY(run.config["training"]["clipping"] == "none");
    QVERIFY(!hasNote(run, "activation hooks"));
    QCOMPARE(run.timing->medianStepSeconds, 6.727);
}

void TestReadersSamples::seedSample()
{
    const RunResult run = readSample("dpsgd/seed003_sample_result.json").at(0);
    QCOMPARE(at(run.memory->peakComponents, Component::TempMatrices), rounded(1000.0 * kMiBytes));
    QVERIFY(!run.memory->has("peak_reserved_bytes"));
    QVERIFY(!run.other["memory"].contains("snapshot_max_allocated_bytes"));
    QVERIFY(!hasNote(run, "always 0"));
    QCOMPARE(run.memory->snapshots[0].reservedBytes, rounded(6000.0 * kMiBytes));
}

void TestReadersSamples::imageModel()
{
    const RunResult run = readSample("dpsgd/dit/flash_clip_result.json").at(0);
    QVERIFY(importedFormat(run) == FileFormat::DpsgdDit);
    QCOMPARE(run.memory->peakBytes, rounded(11773.75 * kMiBytes));
    QVERIFY(run.config["method"] == "flash_clip");
    QVERIFY(hasNote(run, "decimal MB"));
    QVERIFY(hasNote(run, "names no experiment"));
    QVERIFY(!run.memory->has("snapshots"));
}

void TestReadersSamples::pointsAndSecrets()
{
    const RunResult run = readSample("dpsgd/points/ghost_seq4096_result.json").at(0);
    QCOMPARE(run.kind, std::string("sweep"));
    QCOMPARE(run.memory->peakBytes, rounded(11240.75 * kMiBytes));
    QCOMPARE(run.timing->medianStepSeconds, 0.8129);
    QVERIFY(run.other["timing"]["statistic"] == "median");
    QVERIFY(hasNote(run, "config.token"));
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
    const RunResult run = readSample("sweep/memory_profile_results.json").at(0);
    QCOMPARE(run.kind, std::string("sweep"));
    const Json& points = run.other["sweep"]["points"];
    QCOMPARE(points.size(), std::size_t(36));
    QVERIFY(points[0]["peak_bytes"] == rounded(30.4 * kGiBytes));
    QVERIFY(points[0]["values"]["training.lora.rank"] == 0);
    QVERIFY(points[2]["values"]["training.lora.rank"] == 16);
    QVERIFY(points[2]["values"]["data.batch"] == 8);
    QVERIFY(points[0]["stages"]["forward_pass"] == rounded(0.42 * kGiBytes));
    QVERIFY(!points[0]["stages"].contains("lora_setup"));
    QCOMPARE(points[0]["snapshots"].size(), std::size_t(24));
    QVERIFY(points[0]["snapshots"][0]["reserved_bytes"] == rounded(31.92 * kGiBytes));
    QCOMPARE(points[35]["total_seconds"].get<double>(), 44.82);
    QVERIFY(!points[0].contains("median_step_seconds"));
    QVERIFY(hasNote(run, "inherit earlier peaks"));
    QVERIFY(!run.memory);
}

void TestReadersSamples::sweepSummary()
{
    const RunResult table = readSample("sweep/memory_profile_summary.csv").at(0);
    const RunResult array = readSample("sweep/memory_profile_results.json").at(0);
    QVERIFY(table.other["sweep"]["keys"] == array.other["sweep"]["keys"]);
    const Json& points = table.other["sweep"]["points"];
    QCOMPARE(points.size(), std::size_t(36));
    for (std::size_t i = 0; i < points.size(); ++i) {
        QVERIFY(points[i]["peak_bytes"] == array.other["sweep"]["points"][i]["peak_bytes"]);
        QVERIFY(points[i]["values"] == array.other["sweep"]["points"][i]["values"]);
        QVERIFY(points[i]["stages"] == array.other["sweep"]["points"][i]["stages"]);
    }
}

void TestReadersSamples::detailed()
{
    const auto results = readSample("detailed/detailed_memory_results.json");
    QCOMPARE(results.size(), std::size_t(4));
    const MemorySection& memory = *results[0].memory;
    QCOMPARE(memory.peakBytes, std::int64_t(17663053004));                   // bytes outside
    QCOMPARE(memory.snapshots[1].allocatedBytes, rounded(14.96 * kGiBytes)); // GiB inside
    QCOMPARE(memory.modules.size(), std::size_t(5));
    const auto norm = std::find_if(memory.modules.begin(), memory.modules.end(),
                                   [](const ModuleUsage& m) { return m.name == "normalization"; });
    QVERIFY(norm->kind == ModuleKind::Norm);
    QCOMPARE(norm->activationBytes, std::int64_t(128849018));
    QCOMPARE(norm->gradientBytes, std::int64_t(53687091));
    QVERIFY(results[3].other["memory"]["activation_estimate_bytes"] == std::int64_t(2281701376));
    QVERIFY(results[3].other["memory"]["stages"]["forward_pass"] == std::int64_t(966367641));
    QVERIFY(results[1].config["data"]["batch"] == 16);
    QVERIFY(!toJson(results[0])["memory"]["modules"][0].contains("parameter_bytes"));
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
    const auto results = readSample(qPrintable(file));
    QCOMPARE(results.size(), std::size_t(1));
    const MemorySection& memory = *results[0].memory;
    QCOMPARE(memory.timeline.size(), std::size_t(400));
    QCOMPARE(memory.peakBytes, std::int64_t(6277056));
    QVERIFY(!memory.has("peak_reserved_bytes")); // 0 on CPU is no measurement
    checkTimeline(memory);
    QVERIFY(std::abs(memory.timeline.timeSeconds.back() - (2670.303 - 1002.967) / 1e6) < 1e-9);
    QCOMPARE(memory.operators.size(), std::size_t(3));
    std::int64_t calls = 0;
    for (const OperatorUsage& usage : memory.operators)
        calls += usage.count;
    QCOMPARE(calls, std::int64_t(40));
    QVERIFY(results[0].environment["device"] == "cpu");
}

void TestReadersSamples::memoryTimeline()
{
    const RunResult run = readSample("torch/memory_timeline.json").at(0);
    const MemorySection& memory = *run.memory;
    checkTimeline(memory);
    QCOMPARE(memory.peakBytes, std::int64_t(30371200));
    QCOMPARE(at(memory.peakComponents, Component::Parameters), std::int64_t(2492096));
    QCOMPARE(at(memory.peakComponents, Component::OptimizerStates), std::int64_t(1936000));
    QCOMPARE(at(memory.peakComponents, Component::Inputs), std::int64_t(4009920));
    QCOMPARE(at(memory.peakComponents, Component::Workspace), std::int64_t(3387840));
    QCOMPARE(at(memory.peakComponents, Component::Activations), std::int64_t(10441536));
    QCOMPARE(at(memory.peakComponents, Component::Gradients), std::int64_t(2843904));
    QCOMPARE(at(memory.peakComponents, Component::ActivationGradients), std::int64_t(2325184));
    QCOMPARE(at(memory.peakComponents, Component::Other), std::int64_t(2934720));
    QCOMPARE(at(memory.maxComponents, Component::OptimizerStates), std::int64_t(2000064));
    QVERIFY(std::abs(memory.peakTimeSeconds - (5938 - 17) / 1e6) < 1e-9);
    QVERIFY(!toJson(run)["memory"]["peak_components"].contains("hessian"));
}

void TestReadersSamples::memoryTimelineRaw()
{
    const RunResult run = readSample("torch/memory_timeline.raw.json").at(0);
    const MemorySection& memory = *run.memory;
    checkTimeline(memory);
    QCOMPARE(memory.timeline.size(), std::size_t(448));
    QCOMPARE(memory.peakBytes, std::int64_t(18205760));
    QCOMPARE(at(memory.peakComponents, Component::Inputs), std::int64_t(2119744));
    QCOMPARE(at(memory.peakComponents, Component::Workspace), std::int64_t(1977728));
    QCOMPARE(at(memory.peakComponents, Component::Activations), std::int64_t(2352640));
    QCOMPARE(at(memory.peakComponents, Component::Gradients), std::int64_t(1815168));
    QCOMPARE(at(memory.peakComponents, Component::ActivationGradients), std::int64_t(1118336));
    QCOMPARE(at(memory.peakComponents, Component::Parameters), std::int64_t(5287296));
    QCOMPARE(at(memory.peakComponents, Component::OptimizerStates), std::int64_t(1864448));
    QCOMPARE(at(memory.peakComponents, Component::Other), std::int64_t(1670400));
    QVERIFY(run.other["memory"]["event_counts"]["preexisting"] == 10);
    QVERIFY(run.other["memory"]["event_counts"]["destroy"] == 138);
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
    QCOMPARE(run.kind, std::string("prm"));
    QVERIFY(run.synthetic);
    QVERIFY(hasNote(run, "synthetic"));
    QCOMPARE(int(toJson(run)["prm"]["results"].size()), rows);
}

void TestReadersSamples::prmNumbers()
{
    const Json complete = toJson(readSample("prm/complete_results.json").at(0));
    QVERIFY(!complete["embedding"].contains("silhouette")); // -1 = not computed
    QCOMPARE(complete["prm"]["baseline"]["perplexity"].get<double>(), 27.6);
    QVERIFY(complete["prm"]["results"][4]["param_type"] == "Wsens");
    QCOMPARE(complete["prm"]["results"][4]["delta_auc"].get<double>(), 0.000784351);
    QVERIFY(complete["created"] == "2024-01-01T11:00:00.000001");
    const Json gpu = toJson(readSample("prm/a800_gpu_results.json").at(0));
    QVERIFY(gpu["environment"]["memory_used_bytes"] == rounded(60.6 * kGiBytes));
    QVERIFY(gpu["partition"]["counts"]["Wboth"] == 12);
    QCOMPARE(gpu["embedding"]["silhouette"].get<double>(), 0.456);
    QVERIFY(gpu["config"]["hessian_data_size"] == 1000);
    QVERIFY(gpu["other_fields"]["gpu_optimized"] == true);
}

void TestReadersSamples::pilot()
{
    for (const char* file : {"prm/pilot_results.json", "prm/pilot_results.csv"}) {
        const RunResult run = readSample(file).at(0);
        QVERIFY(!run.synthetic);
        const Json rows = toJson(run)["prm"]["results"];
        QCOMPARE(rows.size(), std::size_t(45));
        QCOMPARE(rows[3]["delta_ppl"].get<double>(), 0.000139695);
        QCOMPARE(rows[3]["noise_level"].get<double>(), 1e-6);
        QCOMPARE(rows[3]["perplexity"].get<double>(), 27.650139695);
        QVERIFY(!rows[3].contains("auc"));
        QVERIFY(hasNote(run, "no attack"));
        QCOMPARE(toJson(run)["prm"]["baseline"]["perplexity"].get<double>(), 27.65);
    }
}

void TestReadersSamples::hessian()
{
    const RunResult run = readSample("prm/hessian_memory_analysis.json").at(0);
    QCOMPARE(run.kind, std::string("plan"));
    QVERIFY(toJsonText(run).find("6924877321395372032") != std::string::npos);
    QVERIFY(hasNote(run, "ten times the diagonal"));
}

void TestReadersSamples::everySampleRoundTrips_data()
{
    QTest::addColumn<QString>("file");
    if (!std::filesystem::is_directory(kFormats))
        return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kFormats)) {
        const auto extension = entry.path().extension();
        if (extension == ".json" || extension == ".csv")
            QTest::newRow(entry.path().filename().c_str())
                << QString::fromStdString(std::filesystem::relative(entry.path(), kFormats).string());
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

QTEST_APPLESS_MAIN(TestReadersSamples)
#include "test_readers_samples.moc"
