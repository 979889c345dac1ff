// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results as documents, tables, summaries and traces, and back where there is a way back.
#include "core/base/file.h"
#include "core/base/json_access.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

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
    void csvOfOneRun();
    void csvOfSeveral();
    void csvFolder();
    void syntheticSaysSo();
    void latex();
    void summary();
    void summaryOfTheSeeds_data();
    void summaryOfTheSeeds();
    void traceRoundTrip();
    void traceHasWhatViewersNeed();
    void traceOfSnapshotsOnly();
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
