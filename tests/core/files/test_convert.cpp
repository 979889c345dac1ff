// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results as documents, tables, summaries and traces, and back where there is a way back.
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"
#include "core/results/result_lines.h"
#include "core/results/sweeps/compared_method.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

RunResult sampleRun()
{
    RunResult run;
    run.id = "run-1";
    run.status = RunStatus::Complete;
    run.config = {{"model", {{"id", "opt_125m"}}}, {"data", {{"batch", 4}, {"seq", 128}}}};
    run.timing = Timing{{0.25}, 0.25, {}, true};
    run.memory.emplace();
    MemorySection& memory = *run.memory;
    memory.timeline.timeSeconds = {0, 0.001, 0.002000001, 0.002000001, 0.5};
    memory.timeline.deltaBytes = {1048576, 2097152, -1048576, 1048576, -2097152};
    memory.timeline.component = {Component::Parameters, Component::Activations, Component::Activations,
                                 Component::Gradients, Component::Activations};
    memory.timeline.deltaBytes.back() = -1048576;
    memory.peakBytes = 3145728;
    memory.peakComponents[std::size_t(Component::Parameters)] = 1048576;
    memory.peakComponents[std::size_t(Component::Activations)] = 2097152;
    memory.phases = {{Phase::Forward, 0, 0}, {Phase::Backward, 0, 0.002}};
    memory.snapshots = {{"after \"forward\"", Phase::Forward, 0, 0.002, 3145728, 4194304}};
    return run;
}

RunResult prmRun()
{
    auto results = readAnyBytes(R"({"prm_results":[{"noise_level":1.5e-5,"param_type":"W_func & <b>","delta_ppl":-0.5,
"delta_auc":0.25,"baseline_ppl":3}]})",
                                "x_results.json");
    return results.value().front();
}

RunResult curvatureRun()
{
    RunResult run = sampleRun();
    run.kind = ResultKind::Curvature;
    run.other["curvature"] = {
        {"diagonal",
         {{"entries",
           {{{"parameter", "layers.0.fc1.weight"}, {"index", 3}, {"value", -0.5}},
            {{"parameter", "layers.0.fc1.weight"}, {"index", 7}, {"value", 2.5}}}},
          {"count", 2},
          {"statistics", {{"min", -0.5}, {"max", 2.5}, {"mean", 1.0}, {"std", 1.5}}},
          {"population_mean", {{"mean", 0.75}, {"standard_error", 0.25}, {"ci", {0.26, 1.24}}}}}},
        {"trace", {{"mean", 12.5}, {"standard_error", 1}, {"ci", {10.5, 14.5}}, {"probes", 100}}},
        {"blocks", {{{"parameter", "layers.0.fc1.weight"}, {"trace", 8}, {"ci", {7, 9}}}}},
        {"eigenvalues", {{{"value", 4.25}, {"residual", 1e-6}}, {{"value", -1.5}, {"residual", 1e-5}}}},
        {"density", {{"grid", {-2, 0, 5}}, {"value", {0.1, 0.2, 0.1}}, {"sigma", 0.5}}}};
    return run;
}

// Three units with two features, their places and classes, an effect and a hypothesis.
RunResult unitsRun()
{
    RunResult run;
    run.kind = ResultKind::Prm;
    run.id = "units";
    run.status = RunStatus::Complete;
    const auto unit = [](const char* name, double alignment, double sparsity) {
        return Json{{"name", name}, {"parameter", "fc1.weight"}, {"kind", "mlp"}, {"values", {alignment, sparsity}}};
    };
    run.other["features"] = {
        {"names", {"alignment", "sparsity"}},
        {"units", {unit("fc1 row 0", 0.9, 0.25), unit("fc1 row 1", 0.1, 0.5), unit("fc1 row 2", 0.5, 0.75)}}};
    run.other["embedding"] = {{"coordinates", {{0, 1}, {2, 3}, {4, 5}}},
                              {"clusters", {0, 1, -1}},
                              {"cluster_count", 2},
                              {"silhouette", 0.625}};
    run.other["partition"] = {{"labels", {"Wfunc", "Wsens", "Wboth"}},
                              {"counts", {{"Wfunc", 1}, {"Wsens", 1}, {"Wboth", 1}}}};
    run.other["prm"] = {
        {"results", {{{"noise_level", 0.1}, {"param_type", "Wfunc"}, {"repeat", 0}, {"delta_ppl", 0.5}}}},
        {"summary", {{{"noise_level", 0.1}, {"param_type", "Wfunc"}, {"repeats", 2}, {"delta_ppl_mean", 0.5}}}},
        {"comparisons",
         {{{"noise_level", 0.1},
           {"param_type", "Wfunc"},
           {"measure", "perplexity"},
           {"difference_mean", 0.5},
           {"hedges_g", 4.5e12},
           {"cliffs_delta", 1}}}},
        {"hypotheses",
         {{{"param_type", "Wfunc"},
           {"measure", "perplexity"},
           {"verdict", "open"},
           {"expected", "more"},
           {"tests", {{{"noise_level", 0.1}, {"repeats", 2}, {"answer", "open"}, {"difference", 0.5}}}}}}}};
    return run;
}

RunResult privateRun()
{
    RunResult run = sampleRun();
    run.perSampleGradientNorms = {3, 1, 10, 2};
    run.other["privacy"] = {{"epsilon", 0.5625}, {"delta", 1e-5}};
    return run;
}

// As `compare-methods` leaves it.
RunResult comparedRun(const char* id, const char* clipping)
{
    RunResult run = sampleRun();
    run.id = id;
    run.config["training"] = {{"clipping", clipping}};
    run.other["comparison"] = {{"methods", {"vanilla", "flash_bk"}}, {"rounds", 1}};
    return run;
}

std::string readBack(const QString& path)
{
    return readTextFile(path.toStdString()).value();
}

} // namespace

class TestConvert : public QObject
{
    Q_OBJECT

private slots:
    void formatNames();
    void documents();
    void documentsOfSeveral();
    void documentsOfOneId();
    void csvOfOneRun();
    void csvOfSeveral();
    void csvFolder();
    void csvFolderByItsName();
    void comparedMethods();
    void ownTablesInAFolder();
    void syntheticSaysSo();
    void latex();
    void summary();
    void summaryOfTheSeeds_data();
    void summaryOfTheSeeds();
    void traceRoundTrip();
    void traceHasWhatViewersNeed();
    void traceOfSnapshotsOnly();
    void curvatureTables();
    void curvatureInWords();
    void factorTables();
    void unitTables();
    void privacyInWords();
    void refused();

private:
    QTemporaryDir m_folder;
};

void TestConvert::formatNames()
{
    QVERIFY(exportFormatFromName("chrome-trace") == ExportFormat::ChromeTrace);
    QVERIFY(exportFormatFromName("peakscope") == ExportFormat::Peakscope);
    QVERIFY(!exportFormatFromName("pdf"));
}

void TestConvert::documents()
{
    const QString path = m_folder.filePath("one.json");
    QVERIFY(exportResults({sampleRun()}, ExportFormat::Peakscope, path.toStdString()));
    const auto again = readAny(path.toStdString());
    QVERIFY(again);
    QCOMPARE(toJsonText(again->front()), toJsonText(sampleRun()));
}

void TestConvert::documentsOfSeveral()
{
    RunResult second = sampleRun();
    second.id = "run/2"; // no path of its own
    const std::vector<RunResult> both{sampleRun(), second};
    const QString file = m_folder.filePath("both.json");
    QVERIFY(exportResults(both, ExportFormat::Peakscope, file.toStdString()));
    const auto again = readAny(file.toStdString());
    QVERIFY(again);
    QCOMPARE(again->size(), std::size_t(2));
    QCOMPARE(again->at(1).id, std::string("run/2"));
    const QString folder = m_folder.filePath("documents");
    QVERIFY(exportResults(both, ExportFormat::Peakscope, folder.toStdString()));
    QCOMPARE(QDir(folder).entryList(QDir::Files), (QStringList{"run-1.json", "run-2.json"}));
    QCOMPARE(readAny(folder.toStdString())->size(), std::size_t(2));
}

// As of a copy that was edited: none is lost, and the same twice is one file.
void TestConvert::documentsOfOneId()
{
    RunResult edited = sampleRun();
    edited.message = "edited";
    const QString folder = m_folder.filePath("copies");
    QVERIFY(exportResults({sampleRun(), edited, sampleRun()}, ExportFormat::Peakscope, folder.toStdString()));
    QCOMPARE(QDir(folder).entryList(QDir::Files).size(), 2);
    const auto again = readAny(folder.toStdString());
    QVERIFY(again && again->size() == 2);
    QVERIFY((again->at(0).message == "edited") != (again->at(1).message == "edited"));
}

void TestConvert::csvOfOneRun()
{
    const QString path = m_folder.filePath("one.csv");
    QVERIFY(exportResults({sampleRun()}, ExportFormat::Csv, path.toStdString()));
    const std::string text = readBack(path);
    QVERIFY2(text.starts_with("component,bytes_at_peak,max_bytes,share_of_peak\r\nparameters,1048576,0,0.333"),
             text.c_str());
}

void TestConvert::csvOfSeveral()
{
    const auto table = mainTable({sampleRun(), sampleRun()});
    QVERIFY(table);
    const std::string text = toCsv(*table);
    QVERIFY2(text.starts_with("run,batch,seq,peak_bytes,peak_reserved_bytes,median_step_seconds,parameters_bytes,"
                              "activations_bytes\r\n\"opt_125m, 4 x 128\",4,128,3145728,0,0.25,1048576,2097152\r\n"),
             text.c_str());
}

void TestConvert::csvFolder()
{
    const QString folder = m_folder.filePath("tables/");
    QVERIFY(exportResults({sampleRun()}, ExportFormat::Csv, folder.toStdString()));
    const QStringList files = QDir(folder).entryList(QDir::Files);
    QVERIFY(files.contains("components.csv"));
    QVERIFY(files.contains("snapshots.csv"));
    QVERIFY(files.contains("timeline.csv"));
    QVERIFY(!files.contains("modules.csv"));
}

// A name without an ending is one, as it is for documents; a file that is there stays a file.
void TestConvert::csvFolderByItsName()
{
    QTemporaryDir home;
    const std::string folder = home.filePath("tables").toStdString();
    QVERIFY(exportResults({sampleRun()}, ExportFormat::Csv, folder));
    QVERIFY(QFile::exists(home.filePath("tables/components.csv")));
    const QString file = home.filePath("table");
    QVERIFY(writeFileAtomically(file.toStdString(), "older"));
    QVERIFY(exportResults({sampleRun()}, ExportFormat::Csv, file.toStdString()));
    QVERIFY(QFileInfo(file).isFile() && readBack(file).starts_with("component,"));
}

// What --methods called them is their name, in words and in names of files.
void TestConvert::comparedMethods()
{
    const std::vector<RunResult> both{comparedRun("1", "none"), comparedRun("2", "flash_bk")};
    QCOMPARE(comparedMethod(both[0]), std::string("vanilla"));
    QCOMPARE(comparedMethod(comparedRun("3", "ghost")), std::string()); // of none that was compared
    QCOMPARE(comparedMethod(sampleRun()), std::string());
    const auto table = mainTable(both);
    QVERIFY(table);
    QCOMPARE(std::get<std::string>(table->rows.at(0).at(0)), std::string("vanilla"));
    QCOMPARE(std::get<std::string>(table->rows.at(1).at(0)), std::string("flash_bk"));
    const std::string text = summaryText(both);
    QVERIFY2(text.find("\nvanilla   ") != std::string::npos && text.find("\nflash_bk:\n") != std::string::npos,
             text.c_str());
    QTemporaryDir folder;
    QVERIFY(exportResults(both, ExportFormat::Csv, folder.path().toStdString()));
    QVERIFY(QFile::exists(folder.filePath("vanilla-components.csv")));
    QVERIFY(QFile::exists(folder.filePath("flash_bk-timeline.csv")));
    // Two of one method: their ids tell them apart.
    QTemporaryDir same;
    QVERIFY(exportResults({both[0], comparedRun("2", "none")}, ExportFormat::Csv, same.path().toStdString()));
    QVERIFY(QFile::exists(same.filePath("1-components.csv")) && QFile::exists(same.filePath("2-components.csv")));
}

// They are no results, and nothing is said of them; another program's are told of, and a file that was named is.
void TestConvert::ownTablesInAFolder()
{
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
    QVERIFY(saveRunResult(sampleRun(), path("one_result.json")));
    QVERIFY(exportResults({comparedRun("1", "none"), comparedRun("2", "flash_bk")}, ExportFormat::Csv,
                          path("summary.csv")));
    for (const RunResult& run : {sampleRun(), curvatureRun(), unitsRun()})
        QVERIFY(exportResults({run, comparedRun("2", "none")}, ExportFormat::Csv, folder.path().toStdString() + "/"));
    const auto notRead = [](const RunResult& result) {
        std::string all;
        for (const std::string& note : result.notes)
            all += note.starts_with("not read from the same folder") ? note + "\n" : "";
        return all;
    };
    const auto read = readAny(folder.path().toStdString());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->size(), std::size_t(2)); // the rows of a response mapping are a format that is read
    QCOMPARE(notRead(read->front()), std::string());
    QVERIFY(!readAny(path("summary.csv")));
    QVERIFY(writeFileAtomically(path("other.csv"), "Run,Loss\n1,2\n"));
    const auto told = readAny(folder.path().toStdString());
    QVERIFY(told && told->size() == 2);
    const std::string note = notRead(told->front());
    QVERIFY2(note.starts_with("not read from the same folder: other.csv") && note.find('\n') == note.size() - 1,
             note.c_str());
}

void TestConvert::syntheticSaysSo()
{
    const auto table = mainTable({prmRun()});
    QVERIFY(table);
    QVERIFY(toCsv(*table).find(",synthetic\r\n") != std::string::npos);
    QVERIFY(summaryText({prmRun()}).find("[synthetic]") != std::string::npos);
    QVERIFY(toLatex(*table, "").find("synthetic") != std::string::npos);
}

void TestConvert::latex()
{
    const std::string text = toLatex(*mainTable({prmRun()}), "100 % of it\nsecond");
    QVERIFY2(text.starts_with("% 100 % of it\n% second\n\\begin{tabular}{l"), text.c_str());
    QVERIFY(text.find("\\toprule\n") != std::string::npos);
    QVERIFY(text.find("\\midrule\n") != std::string::npos);
    QVERIFY(text.ends_with("\\bottomrule\n\\end{tabular}\n"));
    QVERIFY2(text.find("W\\_func \\& \\textless{}b\\textgreater{}") != std::string::npos, text.c_str());
    QVERIFY2(text.find("$1.5 \\times 10^{-5}$") != std::string::npos, text.c_str());
    QVERIFY(text.find("$-0.5$") != std::string::npos);
    const std::string runs = toLatex(*mainTable({sampleRun(), sampleRun()}), "");
    QVERIFY2(runs.find("Peak (MiB)") != std::string::npos, runs.c_str());
    QVERIFY2(runs.find(" & 3.00 & ") != std::string::npos, runs.c_str());
    QVERIFY2(runs.find("250.00") != std::string::npos, runs.c_str());
}

void TestConvert::summary()
{
    const std::string text = summaryText({sampleRun()});
    QVERIFY2(text.find(
                 "opt_125m, 4 x 128                                    3.00               250.00               0.01") !=
                 std::string::npos,
             text.c_str());
    QVERIFY(text.find("COMPONENT-LEVEL BREAKDOWN:") != std::string::npos);
    QVERIFY(text.find("  Activations  ") < text.find("  Model Parameters  ")); // the largest first
    QVERIFY(text.find("NOTES:") == std::string::npos);
    RunResult bare = sampleRun(), noted = sampleRun();
    bare.memory->missing = {"peak_components", "max_components"};
    noted.notes = {"a note"};
    const std::string both = summaryText({noted, bare});
    QVERIFY2(both.ends_with("NOTES:\n\nopt_125m, 4 x 128:\n  - a note\n"), both.c_str());
    QVERIFY(summaryText({bare}).find("BREAKDOWN") == std::string::npos);
    const auto detailed =
        readAny(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/detailed/detailed_memory_results.json");
    QVERIFY(detailed.ok());
    const std::string kinds = summaryText(*detailed); // 30000001 and 12000011 bytes
    QVERIFY2(kinds.find("  Attention                 28.61 MiB forward       11.44 MiB backward\n") !=
                 std::string::npos,
             kinds.c_str());
}

void TestConvert::summaryOfTheSeeds_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("vanilla");
    QTest::addColumn<QString>("flash");
    const QString run = QStringLiteral("/formats/dpsgd/run_20241110_123456");
    QTest::newRow("own samples")
        << QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data") + run
        << "Vanilla (No DP-SGD)                                640.50               125.00               5.12"
        << "Flash Clipping (DP-SGD)                            768.75               160.25";
    QTest::newRow("samples beside the checkout")
        << QStringLiteral(PEAKSCOPE_SHARED_DIR) + run
        << "Vanilla (No DP-SGD)                              52347.00              6727.00               7.78"
        << "Flash Clipping (DP-SGD)                          56816.12              7489.00";
}

void TestConvert::summaryOfTheSeeds()
{
    QFETCH(QString, folder);
    QFETCH(QString, vanilla);
    QFETCH(QString, flash);
    if (!QDir(folder).exists() && folder.startsWith(QStringLiteral(PEAKSCOPE_SHARED_DIR)))
        QSKIP("the folder with the formats' samples is not beside this checkout");
    const auto results = readAny(folder.toStdString());
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    const std::string text = summaryText(*results);
    QVERIFY2(text.find(vanilla.toStdString()) != std::string::npos, text.c_str());
    QVERIFY2(text.find(flash.toStdString()) != std::string::npos, text.c_str());
    QVERIFY(text.find("not at the peak") != std::string::npos);
    const auto table = mainTable(*results);
    QVERIFY(table);
    QCOMPARE(table->rows.size(), std::size_t(3));
}

void TestConvert::traceRoundTrip()
{
    const QString path = m_folder.filePath("trace.json");
    RunResult other = sampleRun();
    other.config["device"] = "cuda:1";
    QVERIFY(exportResults({sampleRun(), other}, ExportFormat::ChromeTrace, path.toStdString()));
    const auto again = readAny(path.toStdString());
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QCOMPARE(again->size(), std::size_t(2)); // a process a run
    for (const RunResult& run : *again) {
        const TimelineData& back = run.memory->timeline;
        const RunResult original = sampleRun();
        const TimelineData& sent = original.memory->timeline;
        QCOMPARE(back.deltaBytes, sent.deltaBytes);
        QCOMPARE(back.component, sent.component);
        for (std::size_t i = 0; i < sent.size(); ++i)
            QVERIFY(std::abs(back.timeSeconds[i] - sent.timeSeconds[i]) < 1e-9);
        QCOMPARE(run.memory->peakBytes, std::int64_t(3145728));
    }
    QVERIFY(again->at(0).config["device"] == "cuda:1");
}

void TestConvert::traceHasWhatViewersNeed()
{
    const QString path = m_folder.filePath("viewer.json");
    QVERIFY(exportResults({sampleRun()}, ExportFormat::ChromeTrace, path.toStdString()));
    const auto document = parseJson(readBack(path));
    QVERIFY2(document, document ? "" : document.error().text().c_str());
    int spans = 0, counters = 0, instants = 0;
    for (const Json& event : (*document)["traceEvents"]) {
        QVERIFY(event.contains("ph") && event.contains("pid") && event.contains("tid") && event.contains("ts"));
        const std::string phase = event["ph"];
        QVERIFY(event["ts"].is_number());
        spans += phase == "X";
        counters += phase == "C" && event["name"] == "live bytes";
        instants += phase == "i";
        if (phase == "C") {
            for (const Json& value : event["args"])
                QVERIFY(value.is_number());
        }
        if (phase == "X")
            QVERIFY(event["dur"].is_number());
    }
    QCOMPARE(spans, 2);
    QCOMPARE(instants, 5 + 1);
    QVERIFY(counters >= 3);
    QVERIFY((*document)["otherData"]["runs"][0]["id"] == "run-1");
}

void TestConvert::traceOfSnapshotsOnly()
{
    RunResult run = sampleRun();
    run.memory->timeline = {};
    const QString path = m_folder.filePath("snapshots.json");
    QVERIFY(exportResults({run}, ExportFormat::ChromeTrace, path.toStdString()));
    const std::string text = readBack(path);
    QVERIFY(text.find("\"allocated\":3145728") != std::string::npos);
    QVERIFY(text.find("[memory]") == std::string::npos);
}

void TestConvert::curvatureTables()
{
    const QString folder = m_folder.filePath("curvature/");
    QVERIFY(exportResults({curvatureRun()}, ExportFormat::Csv, folder.toStdString()));
    const auto table = [&folder](const char* name) { return readBack(folder + QLatin1String(name)); };
    QVERIFY2(table("eigenvalues.csv")
                 .starts_with("rank,eigenvalue,residual,relative_residual\r\n1,4.25,1e-06,2.35294117647058"),
             table("eigenvalues.csv").c_str());
    QVERIFY(table("eigenvalues.csv").find("\r\n2,-1.5,1e-05,2.35294117647058") != std::string::npos);
    QVERIFY2(table("diagonal.csv").find("diagonal,layers.0.fc1.weight,mlp,0,7,2.5\r\n") != std::string::npos,
             table("diagonal.csv").c_str());
    QCOMPARE(table("density.csv"), std::string("eigenvalue,density\r\n-2,0.1\r\n0,0.2\r\n5,0.1\r\n"));
    QVERIFY2(table("blocks.csv").find("layers.0.fc1.weight,mlp,0,,8,7,9,") != std::string::npos,
             table("blocks.csv").c_str());
    QCOMPARE(table("main.csv"), table("blocks.csv"));
    QVERIFY(QFile::exists(folder + "components.csv"));
    const QString file = m_folder.filePath("curvature.tex");
    QVERIFY(exportResults({curvatureRun()}, ExportFormat::Latex, file.toStdString()));
    const std::string latex = readBack(file);
    QVERIFY2(latex.find("% eigenvalues\n\\begin{tabular}") != std::string::npos, latex.c_str());
    QVERIFY(latex.find("4.25") != std::string::npos);
    QVERIFY(latex.find("% diagonal") == std::string::npos); // as long as the sample
}

void TestConvert::curvatureInWords()
{
    const std::string text = summaryText({curvatureRun()});
    for (const char* line :
         {"diagonal: 2 entries, min -0.5, mean 0.75 (of all parameters, 95 %: 0.26 to 1.24), max 2.5\n",
          "trace 12.5 (95 %: 10.5 to 14.5), 100 probes\n", "top eigenvalues 4.25, -1.5\n"})
        QVERIFY2(text.find(line) != std::string::npos, text.c_str());
    RunResult exact = curvatureRun();
    exact.other["curvature"]["trace"] = {{"mean", 3}, {"standard_error", 0}, {"ci", {3, 3}}};
    QVERIFY(summaryText({exact}).find("trace 3, exact\n") != std::string::npos);
    exact.other["curvature"]["fisher_diagonal"] = exact.other["curvature"]["diagonal"];
    QVERIFY(summaryText({exact}).find("fisher diagonal (empirical, per row): 2 entries") != std::string::npos);
    QVERIFY(summaryText({sampleRun()}).find("trace") == std::string::npos);
}

void TestConvert::factorTables()
{
    RunResult result = curvatureRun();
    result.other["curvature"]["kfac"] = {
        {"layers",
         {{{"parameter", "fc1.weight"}, {"in", 17}, {"out", 4}, {"trace", 2.5}, {"exact_trace", 2.25}, {"top", 1.5}}}}};
    result.other["curvature"]["lbfgs"] = {
        {"pairs", 3},
        {"skipped_pairs", 1},
        {"relative_error", {{"mean", 0.5}, {"standard_error", 0.25}, {"ci", {0.25, 0.75}}}},
        {"cosine", {{"mean", 0.75}, {"standard_error", 0.125}}}};
    const QString folder = m_folder.filePath("factors/");
    QVERIFY(exportResults({result}, ExportFormat::Csv, folder.toStdString()));
    QCOMPARE(readBack(folder + "kfac.csv"),
             std::string("parameter,kind,inputs,outputs,trace,exact_trace,top_eigenvalue\r\n"
                         "fc1.weight,mlp,17,4,2.5,2.25,1.5\r\n"));
    QVERIFY2(readBack(folder + "lbfgs.csv").find("relative_error,0.5,0.25,0.25,0.75,3,1\r\n") != std::string::npos,
             readBack(folder + "lbfgs.csv").c_str());
}

void TestConvert::unitTables()
{
    const QString folder = m_folder.filePath("units/");
    QVERIFY(exportResults({unitsRun()}, ExportFormat::Csv, folder.toStdString()));
    QCOMPARE(readBack(folder + "units.csv"),
             std::string("unit,parameter,kind,class,cluster,umap_1,umap_2,alignment,sparsity\r\n"
                         "fc1 row 0,fc1.weight,mlp,Wfunc,0,0,1,0.9,0.25\r\n"
                         "fc1 row 1,fc1.weight,mlp,Wsens,1,2,3,0.1,0.5\r\n"
                         "fc1 row 2,fc1.weight,mlp,Wboth,-1,4,5,0.5,0.75\r\n"));
    QVERIFY2(readBack(folder + "features.csv").starts_with("unit,alignment,sparsity\r\nfc1 row 0,0.9,0.25\r\n"),
             readBack(folder + "features.csv").c_str());
    RunResult doubted = unitsRun();
    nlohmann::json& features = doubted.other["features"];
    features["names"] = {"alignment", "hessian_trace_error"};
    QVERIFY(exportResults({doubted}, ExportFormat::Csv, folder.toStdString()));
    QVERIFY2(readBack(folder + "features.csv").starts_with("unit,alignment\r\nfc1 row 0,0.9\r\n"),
             readBack(folder + "features.csv").c_str());
    // A g of 1e12 is rounding, not an effect.
    QVERIFY2(readBack(folder + "effects.csv").find("perplexity,Wfunc,0.1,control,0.5,,,,1,,\r\n") != std::string::npos,
             readBack(folder + "effects.csv").c_str());
    QVERIFY2(readBack(folder + "hypotheses.csv").find("Wfunc,perplexity,more,open,0.1,open,2,,,0.5") !=
                 std::string::npos,
             readBack(folder + "hypotheses.csv").c_str());
    const std::string text = summaryText({unitsRun()});
    QVERIFY2(text.find("silhouette 0.625 of 2 clusters; mean sparsity 0.5 of 3 units\n") != std::string::npos,
             text.c_str());
    QVERIFY2(text.find("units: Wboth 1 Wfunc 1 Wsens 1") != std::string::npos, text.c_str());
    // A section that is not right is one line, and no table is written of it.
    RunResult wrong = unitsRun();
    wrong.other["features"]["units"][1]["values"] = {1};
    const Status refused = exportResults({wrong}, ExportFormat::Csv, m_folder.filePath("wrong/").toStdString());
    QVERIFY(!refused && refused.error().context == "features.units[1].values");
}

void TestConvert::privacyInWords()
{
    const std::string text = summaryText({privateRun()});
    QVERIFY2(text.find("epsilon 0.5625 at delta 1e-05\n") != std::string::npos, text.c_str());
    QVERIFY2(text.find("per-sample gradient norms of 4 rows: min 1, median 2.5, max 10\n") != std::string::npos,
             text.c_str());
    QVERIFY(summaryText({sampleRun()}).find("epsilon") == std::string::npos);
    const QString folder = m_folder.filePath("private/");
    QVERIFY(exportResults({privateRun()}, ExportFormat::Csv, folder.toStdString()));
    QCOMPARE(readBack(folder + "privacy.csv"),
             std::string("epsilon,delta,gradient_norm_rows,gradient_norm_min,gradient_norm_median,gradient_norm_max\r\n"
                         "0.5625,1e-05,4,1,2.5,10\r\n"));
    const QString paper = m_folder.filePath("private.tex");
    QVERIFY(exportResults({privateRun()}, ExportFormat::Latex, paper.toStdString()));
    QVERIFY2(readBack(paper).find("0.5625 & $1 \\times 10^{-5}$ & 4 & 1 & 2.5 & 10 \\\\\n") != std::string::npos,
             readBack(paper).c_str());
    RunResult plain = privateRun();
    plain.other.erase("privacy");
    QVERIFY(toCsv(privacyTable(plain)).ends_with("\r\n,,4,1,2.5,10\r\n"));
    QVERIFY(privacyTable(sampleRun()).rows.empty());
    // Beside one that is not private: a column that is empty for it, and none where no result is private.
    const auto both = mainTable({privateRun(), sampleRun()}), neither = mainTable({sampleRun(), sampleRun()});
    QVERIFY(both && neither);
    const auto named = [](const Table& table, const char* name) {
        return std::find_if(table.columns.begin(), table.columns.end(),
                            [name](const TableColumn& column) { return column.name == name; }) -
               table.columns.begin();
    };
    for (const auto& [name, value] : {std::pair{"epsilon", 0.5625}, {"delta", 1e-5}}) {
        const auto column = static_cast<std::size_t>(named(*both, name));
        QVERIFY2(column < both->columns.size(), name);
        QCOMPARE(std::get<double>(both->rows[0][column]), value);
        QVERIFY(std::isnan(std::get<double>(both->rows[1][column])));
        QCOMPARE(static_cast<std::size_t>(named(*neither, name)), neither->columns.size());
    }
}

void TestConvert::refused()
{
    const std::string out = m_folder.filePath("never").toStdString();
    const Status trace = exportResults({prmRun()}, ExportFormat::ChromeTrace, out);
    QVERIFY(!trace);
    QCOMPARE(exitStatus(trace.error().code), 2);
    const auto mixed = mainTable({prmRun(), sampleRun()});
    QVERIFY(!mixed);
    QVERIFY(mixed.error().message.find("share no table") != std::string::npos);
    QVERIFY(!exportResults({sampleRun()}, ExportFormat::Csv, m_folder.filePath("no/such/file.csv").toStdString()));
    QVERIFY(!QFile::exists(QString::fromStdString(out)));
}

PEAKSCOPE_APPLESS_TEST(TestConvert)
#include "test_convert.moc"
