// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that other programs did not read at the peak: told apart on reading, kept in the document, and in tables under
// headings that say what they are.
#include "core/analysis/comparison/run_comparison.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"
#include "core/results/component_reading.h"
#include "core/results/tables.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace peakscope;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

// As the DP-SGD scripts write it: hooks added up over iterations beside what was alive after the step.
nlohmann::json script(const char* method, double hooks)
{
    return {{"experiment", method},
            {"config",
             {{"hidden_dim", 64},
              {"num_layers", 2},
              {"num_heads", 2},
              {"vocab_size", 100},
              {"seq_len", 32},
              {"batch_size", 1}}},
            {"avg_time_ms", 10.0},
            {"peak_memory_mb", 50.0},
            {"breakdown",
             {{"model_parameters_mb", 4.0},
              {"gradients_mb", 4.0},
              {"optimizer_states_mb", 8.0},
              {"activation_hooks_mb", hooks},
              {"norm_samples_mb", 0.5},
              {"temp_matrices_mb", 0.0},
              {"total_allocated_mb", 17.0},
              {"total_reserved_mb", 60.0},
              {"peak_allocated_mb", 50.0}}},
            {"snapshots", nlohmann::json::array()}};
}

RunResult read(const QTemporaryDir& folder, const char* method, double hooks)
{
    const std::string path = folder.filePath(QString::fromLatin1(method) + "_result.json").toStdString();
    std::ofstream(path) << script(method, hooks).dump();
    const auto results = readAny(path);
    return results && results->size() == 1 ? results->front() : RunResult();
}

RunResult ownRun(std::int64_t activations)
{
    RunResult run;
    run.memory.emplace();
    run.memory->peakBytes = 3 * kMiB;
    run.memory->peakComponents[0] = kMiB;
    run.memory->peakComponents[static_cast<std::size_t>(Component::Activations)] = activations;
    return run;
}

QStringList columnsOf(const Table& table)
{
    QStringList names;
    for (const TableColumn& column : table.columns)
        names << QString::fromStdString(column.name);
    return names;
}

} // namespace

class TestComponentReading : public QObject
{
    Q_OBJECT

private slots:
    void scriptsAreToldApart();
    void theDocumentKeepsIt();
    void whatDoesNotSumToThePeakSaysSo();
    void headingsSayWhatTheBytesAre();
    void comparisonsKeepCumulatedRowsApart();

private:
    QTemporaryDir m_folder;
};

void TestComponentReading::scriptsAreToldApart()
{
    const RunResult flash = read(m_folder, "flash_clip", 90);
    QVERIFY(flash.memory);
    QVERIFY(!componentsAreAtPeak(flash));
    QVERIFY(componentReading(flash, Component::Parameters) == ComponentReading::AfterStep);
    QVERIFY(componentReading(flash, Component::ActivationHooks) == ComponentReading::Cumulated);
    QCOMPARE(commonBytes(flash), 33 * kMiB / 2);
    // Without hooks there is nothing cumulated.
    const RunResult vanilla = read(m_folder, "vanilla", 0);
    QVERIFY(vanilla.memory && cumulatedComponents(vanilla).empty());
    QVERIFY(commonReading(vanilla) == ComponentReading::AfterStep);
}

void TestComponentReading::theDocumentKeepsIt()
{
    const std::string path = m_folder.filePath("kept.json").toStdString();
    QVERIFY(saveRunResult(read(m_folder, "flash_clip", 90), path));
    const auto again = loadRunResult(path);
    QVERIFY(again);
    QVERIFY(componentReading(*again, Component::ActivationHooks) == ComponentReading::Cumulated);
    QVERIFY(commonReading(*again) == ComponentReading::AfterStep);
}

void TestComponentReading::whatDoesNotSumToThePeakSaysSo()
{
    QVERIFY(componentsAreAtPeak(ownRun(2 * kMiB)));
    QVERIFY(commonReading(ownRun(5 * kMiB)) == ComponentReading::Apart);
    QVERIFY(!componentsAreAtPeak(ownRun(5 * kMiB)));
    QVERIFY(componentsAreAtPeak(RunResult()));
    // What a file may hold instead of the list changes nothing.
    RunResult odd = ownRun(2 * kMiB);
    for (const nlohmann::json& list : {nlohmann::json(3), nlohmann::json("activations"), nlohmann::json{nullptr, 7}}) {
        odd.other["memory"]["components_cumulated"] = list;
        QVERIFY(componentsAreAtPeak(odd));
    }
    odd.other["memory"] = "text";
    QVERIFY(componentsAreAtPeak(odd));
}

void TestComponentReading::headingsSayWhatTheBytesAre()
{
    const Table own = memoryComponentsTable(ownRun(2 * kMiB));
    QCOMPARE(columnsOf(own), (QStringList{"component", "bytes_at_peak", "max_bytes", "share_of_peak"}));
    const RunResult flash = read(m_folder, "flash_clip", 90);
    const Table table = memoryComponentsTable(flash);
    QCOMPARE(columnsOf(table), (QStringList{"component", "bytes_after_step", "bytes_cumulated"}));
    const std::string text = toCsv(table);
    QVERIFY2(text.find("parameters,4194304,\r\n") != std::string::npos, text.c_str());
    QVERIFY2(text.find("activation_hooks,,94371840\r\n") != std::string::npos, text.c_str());
    const std::vector<RunResult> two{flash, read(m_folder, "vanilla", 0)};
    const auto runs = mainTable(two);
    QVERIFY(runs);
    QVERIFY2(columnsOf(*runs).contains("activation_hooks_cumulated_bytes"), qPrintable(columnsOf(*runs).join(u' ')));
    QVERIFY(columnsOf(*runs).contains("parameters_after_step_bytes"));
    QVERIFY(!columnsOf(*runs).contains("activation_hooks_bytes"));
    QVERIFY(toLatex(*runs, "").find("Activation hooks cumulated") != std::string::npos);
    const std::string summary = summaryText({flash});
    QVERIFY2(summary.find("after the step (not at the peak)") != std::string::npos, summary.c_str());
    QVERIFY(summary.find("90.00 MiB, cumulated over the iterations") != std::string::npos);
}

void TestComponentReading::comparisonsKeepCumulatedRowsApart()
{
    const std::vector<ComparedRun> runs{{std::make_shared<const RunResult>(ownRun(2 * kMiB)), nullptr},
                                        {std::make_shared<const RunResult>(read(m_folder, "flash_clip", 90)), nullptr}};
    const RunComparison comparison = compareRuns(runs);
    QStringList names;
    for (const ComparedRow& row : comparison.rows(ComparisonGroup::Components))
        names << QString::fromStdString(row.name);
    QVERIFY2(names.contains("activation_hooks_cumulated") && !names.contains("activation_hooks"),
             qPrintable(names.join(u' ')));
}

PEAKSCOPE_APPLESS_TEST(TestComponentReading)
#include "test_component_reading.moc"
