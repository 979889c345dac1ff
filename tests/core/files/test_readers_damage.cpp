// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Readers against files that are odd, damaged or hostile: one clear line each; and small samples of every format made
// here, so that this needs no folder beside the checkout.
#include "core/base/file.h"
#include "core/base/free_memory.h"
#include "core/import/read_any.h"
#include "tests/core/files/stored_files.h"
#include "tests/test_room.h"

#include <QByteArray>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

using namespace peakscope;
using peakscope::test::hasNote;
using Json = nlohmann::json;

namespace {

QByteArray gzipped(const QByteArray& data)
{
    return QByteArray::fromStdString(test::gzipped({data.data(), static_cast<std::size_t>(data.size())}));
}

Result<std::vector<RunResult>> readBytes(const QByteArray& bytes, const char* name = "file.json")
{
    return readAnyBytes(std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())), name);
}

QByteArray memoryEvent(double ts, long long bytes, long long total, const char* extra = "")
{
    return QByteArray(R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)") +
           QByteArray::number(ts, 'f', 3) + R"(,"args":{"Device Type":0,"Device Id":-1,"Addr":1,"Bytes":)" +
           QByteArray::number(bytes) + R"(,"Total Allocated":)" + QByteArray::number(total) + extra + "}}";
}

const QByteArray kRun = R"({"experiment":"ghost","config":{"seq_len":8,"batch_size":2},"avg_time_ms":5,
"peak_memory_mb":10,"breakdown":{"model_parameters_mb":1.5,"peak_allocated_mb":10},"snapshots":[]})";
const QByteArray kPrm = R"({"prm_results":[{"noise_level":0.1,"param_type":"Wfunc","delta_ppl":0.5,"delta_auc":0.25,
"baseline_ppl":3}],"umap_silhouette_score":0.5,"num_clusters":2})";

} // namespace

class TestReadersDamage : public QObject
{
    Q_OBJECT

private slots:
    void refused_data();
    void refused();
    void refusedPaths();
    void moreThanTheMemory();
    void gzip();
    void truncatedEverywhere();
    void numbersAsText();
    void nonFiniteNumbers();
    void unknownFieldsStay();
    void secrets_data();
    void secrets();
    void deadWorker();
    void traceWithBrokenText();
    void traceBefore();
    void traceDevices();
    void traceOutOfOrder();
    void traceWithoutMemory();
    void traceOperators();
    void rawTimelineVersionBump();
    void csvCells();
    void cudaSnapshot();
    void cudaSnapshotWithoutRequests();
    void cudaSnapshotWithoutHistory();
    void ownDocuments();
    void ownSweep();
    void cancelled();
    void progressRises();
};

void TestReadersDamage::refused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const QByteArray& bytes, const char* part) {
        QTest::newRow(name) << bytes << QString(part);
    };
    row("empty", "", "empty");
    row("white space", " \n\t ", "white space");
    row("binary junk", QByteArray("\x01\x02\x03\xff\xfe\x00junk", 10), "binary");
    row("deep arrays", QByteArray(200000, '['), "nested deeper than 512");
    row("deep objects", QByteArray("{\"a\":").repeated(100000), "nested deeper than 512");
    row("deep inside a trace", "{\"traceEvents\":[{\"args\":" + QByteArray(100000, '['), "nested deeper");
    row("an unknown object", R"({"some":1,"thing":2})", "\"some\", \"thing\"");
    row("an empty object", "{}", "an empty object");
    row("an empty array", "[]", "an empty array");
    row("an array of empty objects", "[{},{}]", "an array of empty objects");
    row("plain values", "[1,2,3]", "plain values");
    row("a zip file", QByteArray("PK\x03\x04stuff"), "zip");
    row("HTML", "<html><body></body></html>", "HTML");
    row("text", "hello there\n", "neither JSON nor a table");
    row("a foreign table", "a,b\n1,2\n", "its columns are");
    row("cut short", kRun.left(120), "truncated");
    row("cut inside a string", kRun.left(10), "truncated");
    row("a comma too many", R"({"experiment":"a",,"avg_time_ms":1})", "line 1");
    row("text behind the end", memoryEvent(1, 2, 3).prepend('[').append("] x"), "after the end");
    row("peak as a word", QByteArray(kRun).replace("\"peak_memory_mb\":10", "\"peak_memory_mb\":\"much\""),
        "peak_memory_mb: \"much\" is not a number");
    row("negative peak", QByteArray(kRun).replace("\"peak_memory_mb\":10", "\"peak_memory_mb\":-10"),
        "peak_memory_mb: -10 is not a size");
    row("huge peak", QByteArray(kRun).replace("\"peak_memory_mb\":10", "\"peak_memory_mb\":1e300"), "is not a size");
    row("breakdown as a list", QByteArray(kRun).replace("\"snapshots\":[]", "\"snapshots\":{}"),
        "snapshots: an object is not an array");
    row("snapshot without a name", QByteArray(kRun).replace("[]", "[{\"allocated_mb\":1}]"),
        "snapshots[0].name: missing");
    row("snapshot without a size", QByteArray(kRun).replace("[]", "[{\"name\":\"a\"}]"),
        "snapshots[0].allocated_mb: missing");
    row("no peak",
        QByteArray(kRun).replace("\"peak_memory_mb\":10,", "").replace("\"peak_allocated_mb\":10", "\"x\":1"),
        "peak_memory_mb: missing");
    row("rows as a number", R"({"prm_results":5})", "prm_results: 5 is not an array");
    row("row without a class", R"({"prm_results":[{"noise_level":1,"delta_ppl":2}]})",
        "prm_results[0].param_type: missing");
    row("row of another type", R"({"prm_results":[7]})", "prm_results[0]: 7 is not an object");
    row("point without a method", R"([{"mode":null,"peak_memory_mb":3}])", "[0].mode");
    row("event without bytes", R"([{"ph":"i","name":"[memory]","ts":1,"args":{}}])", "args.Bytes: missing");
    row("event without a time", R"([{"ph":"i","name":"[memory]","args":{"Bytes":1}}])", "ts: missing");
    row("event with a word for bytes", R"([{"ph":"i","name":"[memory]","ts":1,"args":{"Bytes":"lots"}}])",
        "args.Bytes: \"lots\" is not an integer");
    row("event of no size", R"([{"ph":"i","name":"[memory]","ts":1,"args":{"Bytes":9000000000000000000}}])",
        "is not a size");
    row("timeline with too few rows", "[[1,2],[[0,0,0,0,0,0,0,0,0]]]", "2 times, but 1 size rows");
    row("timeline with a short row", "[[1],[[0,0,0]]]", "size row 0 has 3 numbers");
    row("timeline with a negative size", "[[1],[[0,-1,0,0,0,0,0,0,0]]]", "-1 is not a size");
    row("raw row of five", "[[1,2,3,4,5]]", "row 0 has 5 numbers");
    row("raw action 9", "[[1,9,3,4]]", "action 9");
    row("raw category 8", "[[1,2,3,8]]", "category 8");
    row("raw with a word", R"([[1,2,"x",4]])", "row 0, column 2 is not an integer");
    row("ragged table", "noise_level,param_type,delta_ppl\n1,Wfunc\n", "line 2 has 2 cells, the header has 3");
    row("table without rows", "noise_level,param_type,delta_ppl\n", "no rows");
    row("open quote", "noise_level,param_type,delta_ppl\n\"1,Wfunc,2\n", "a quote is not closed");
    row("a pickle of something else", QByteArray("\x80\x04K\x01.", 5), "not a CUDA memory snapshot");
    row("a pickle that calls",
        QByteArray("\x80\x04"
                   "cos\nsystem\n(X\x02\x00\x00\x00lstR.",
                   24),
        "os.system");
    row("a truncated pickle", QByteArray("\x80\x04}", 3), "truncated");
    row("newer own result", R"({"format":"peakscope-result","version":99,"kind":"memory","status":"complete"})",
        "newer");
    row("damaged gzip", QByteArray("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03garbage", 17), "gzip");
    row("truncated gzip", gzipped(kRun).left(60), "truncated");
    row("unknown own format", R"({"format":"peakscope-other","version":1})", "peakscope-other");
    row("wrong escape", R"([{"ph":"\uZZZZ"}])", "line 1");
}

void TestReadersDamage::refused()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    const auto results = readBytes(bytes);
    QVERIFY(!results);
    const std::string text = results.error().text();
    QVERIFY2(QString::fromStdString(text).contains(part), text.c_str());
    QVERIFY2(text.starts_with("file.json: "), text.c_str());
    QVERIFY2(text.find('\n') == std::string::npos, text.c_str());
    QVERIFY2(text.size() < 500, text.c_str());
    QCOMPARE(exitStatus(results.error().code), 2);
}

void TestReadersDamage::refusedPaths()
{
    const QTemporaryDir dir;
    const auto missing = readAny(dir.filePath("none.json").toStdString());
    QVERIFY(!missing && missing.error().message == "no such file");
    const auto folder = readAny(dir.path().toStdString());
    QVERIFY(!folder);
    QVERIFY(folder.error().message.find("folder without result files") != std::string::npos);
    QVERIFY(!readAny("/dev/zero"));
}

void TestReadersDamage::moreThanTheMemory()
{
    QVERIFY(freeMemory().value_or(1) > 0);
    const std::uint64_t mebibyte = std::uint64_t{1} << 20;
    QVERIFY(checkMemory("a.json", 20 * mebibyte, 100, 2000 * mebibyte).ok());
    QVERIFY(checkMemory("a.json", mebibyte, 100, 0).ok()); // small files are tried anyway
    QVERIFY(checkMemory("a.json", 20 * mebibyte, 100, std::nullopt).ok());
    const Status status = checkMemory("a.json", 20 * mebibyte, 100, 1999 * mebibyte);
    QCOMPARE(int(status.error().code), int(ErrorCode::BadInput));
    QCOMPARE(status.error().text(),
             std::string("a.json: reading its 20.0 MiB may take 1.95 GiB of memory, and 1.95 GiB are free"));
}

void TestReadersDamage::gzip()
{
    const auto plain = readBytes(kRun, "a_result.json");
    const auto packed = readBytes(gzipped(kRun), "a_result.json.gz");
    QVERIFY(plain && packed);
    QCOMPARE(packed->front().memory->peakBytes, plain->front().memory->peakBytes);
    // Members may follow each other, as `cat a.gz b.gz` makes them.
    const auto twice = readBytes(gzipped(kRun.left(50)) + gzipped(kRun.mid(50)));
    QVERIFY(twice);
    QCOMPARE(twice->front().memory->peakBytes, std::int64_t(10485760));
}

void TestReadersDamage::truncatedEverywhere()
{
    for (const QByteArray& whole : {kRun, kPrm}) {
        QVERIFY(readBytes(whole));
        for (qsizetype length = 0; length < whole.size(); ++length)
            QVERIFY2(!readBytes(whole.left(length)), whole.left(length).constData());
    }
}

void TestReadersDamage::numbersAsText()
{
    QByteArray bytes = kPrm;
    bytes.replace("0.25", "\"0.25\"").replace("\"num_clusters\":2", "\"num_clusters\":\"2\"");
    const auto results = readBytes(bytes);
    QVERIFY(results);
    const Json document = toJson(results->front());
    QCOMPARE(document["prm"]["results"][0]["delta_auc"].get<double>(), 0.25);
    QVERIFY(document["embedding"]["cluster_count"] == 2);
    QVERIFY(hasNote(results->front(), "prm_results[0].delta_auc"));
}

void TestReadersDamage::nonFiniteNumbers()
{
    QByteArray bytes = kPrm;
    bytes.replace("0.25", "NaN").replace("\"umap_silhouette_score\":0.5", "\"umap_silhouette_score\":-Infinity");
    const auto results = readBytes(bytes);
    QVERIFY(results);
    QVERIFY(!toJson(results->front())["prm"]["results"][0].contains("delta_auc"));
    QVERIFY(hasNote(results->front(), "bare NaN"));
    const auto asText = readBytes(QByteArray(kPrm).replace("0.25", "\"nan\""));
    QVERIFY(asText && hasNote(asText->front(), "not a finite number"));
}

void TestReadersDamage::unknownFieldsStay()
{
    const auto results =
        readBytes(QByteArray(kRun).replace("\"snapshots\"", "\"status\":\"odd\",\"extra\":{\"a\":[1]},\"snapshots\""));
    QVERIFY(results);
    const Json other = toJson(results->front())["other_fields"];
    QVERIFY(other["status"] == "odd");
    QVERIFY(other["extra"]["a"][0] == 1);
    QVERIFY(results->front().status == RunStatus::Complete);
}

void TestReadersDamage::secrets_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::newRow("token") << QByteArray(R"("token":"verysecretvalue1234")");
    QTest::newRow("nested") << QByteArray(R"("login":{"hf_token":"verysecretvalue1234"})");
    QTest::newRow("other spelling") << QByteArray(R"("WANDB_API_KEY":"verysecretvalue1234")");
    QTest::newRow("by its look") << QByteArray(R"("note":"use hf_verysecretvalue1234abc please")");
    QTest::newRow("as a list") << QByteArray(R"("token":["verysecretvalue1234"])");
}

void TestReadersDamage::secrets()
{
    QFETCH(QByteArray, config);
    const auto results = readBytes(QByteArray(kRun).replace("\"seq_len\":8", config));
    QVERIFY(results);
    const RunResult& run = results->front();
    QVERIFY(toJsonText(run).find("verysecret") == std::string::npos);
    QVERIFY(hasNote(run, "a secret was left out"));
    // Not in a message either, where the file breaks right there.
    const auto broken = readBytes(R"({"experiment":"a","avg_time_ms":1,"x":hf_verysecretvalue1234abcdef})");
    QVERIFY(!broken);
    QVERIFY2(broken.error().text().find("verysecret") == std::string::npos, broken.error().text().c_str());
    // What only sounds like one stays.
    const auto plain =
        readBytes(QByteArray(kRun).replace("\"seq_len\":8", R"("tokens":5,"pad_token":"<pad>","max_token":9)"));
    QVERIFY(plain);
    QVERIFY(plain->front().config["pad_token"] == "<pad>");
    QVERIFY(plain->front().config["max_token"] == 9);
}

void TestReadersDamage::deadWorker()
{
    const auto results = readBytes(R"({"mode":"flash_fsdp_fuse_bk","seq_length":8,"batch_size":1,"peak_memory_mb":0,
"peak_memory_gb":0,"avg_time_ms":0,"config":{}})");
    QVERIFY(results);
    const RunResult& run = results->front();
    QVERIFY(run.status == RunStatus::Failed);
    QVERIFY(!run.memory && !run.timing);
    QVERIFY(run.config["training"]["clipping"] == "flash_bk");
    QVERIFY(!run.other["sweep"]["points"][0].contains("peak_bytes"));
}

// Keys of unknown fields that are no text: what is written is the same after it has been read.
void TestReadersDamage::traceWithBrokenText()
{
    const auto results = readBytes("{\"traceEvents\":[" + memoryEvent(1, 64, 64) +
                                   "],\"a\xff\":1,\"a\xc3\xa4\xed\xa0\x80\":2,\"a\x80\":3}");
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    const Json& fields = results->front().other["other_fields"];
    QCOMPARE(fields.size(), std::size_t(2));
    QVERIFY(fields["a\uFFFD"] == 3);
    QVERIFY(fields["aä\uFFFD\uFFFD\uFFFD"] == 2);
    const std::string text = toJsonText(results->front());
    const auto again = readBytes(QByteArray::fromStdString(text), "again.json");
    QVERIFY(again.ok());
    QCOMPARE(toJsonText(again->front()), text);
}

void TestReadersDamage::traceBefore()
{
    // 500 bytes were there before the first event; a free of 700 was never seen allocated.
    const auto results = readBytes("[" + memoryEvent(10, 100, 600) + "," + memoryEvent(20, -700, -1) + "]");
    QVERIFY(results);
    const MemorySection& memory = *results->front().memory;
    QCOMPARE(memory.timeline.deltaBytes.front(), std::int64_t(600));
    QCOMPARE(memory.peakBytes, std::int64_t(700));
    QVERIFY(hasNote(results->front(), "before the trace began"));
    QVERIFY(hasNote(results->front(), "never seen allocated"));
}

void TestReadersDamage::traceDevices()
{
    QByteArray cuda = memoryEvent(5, 64, 64, R"(,"Total Reserved":4096)");
    cuda.replace("\"Device Type\":0,\"Device Id\":-1", "\"Device Type\":1,\"Device Id\":2");
    const auto results = readBytes("[" + memoryEvent(1, 100, 100) + "," + cuda + "]");
    QVERIFY(results);
    QCOMPARE(results->size(), std::size_t(2));
    QVERIFY(results->at(0).config["device"] == "cuda:2");
    QCOMPARE(results->at(0).memory->peakReservedBytes, std::int64_t(4096));
    QVERIFY(results->at(1).config["device"] == "cpu");
    QVERIFY(!results->at(1).memory->has("peak_reserved_bytes"));
    QCOMPARE(results->at(1).memory->peakBytes, std::int64_t(100));
    // One clock for both.
    QVERIFY(std::abs(results->at(0).memory->timeline.timeSeconds[0] - 4e-6) < 1e-12);
}

void TestReadersDamage::traceOutOfOrder()
{
    const auto results = readBytes("[" + memoryEvent(30, -100, 0) + "," + memoryEvent(10, 100, 100) + "," +
                                   memoryEvent(20, 50, 150) + "]");
    QVERIFY(results);
    const MemorySection& memory = *results->front().memory;
    QCOMPARE(memory.peakBytes, std::int64_t(150));
    QVERIFY(std::is_sorted(memory.timeline.timeSeconds.begin(), memory.timeline.timeSeconds.end()));
}

void TestReadersDamage::traceWithoutMemory()
{
    const auto results = readBytes(
        R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":"CPU functions","tid":"main","ts":1,"dur":2}]})");
    QVERIFY(results);
    QVERIFY(!results->front().memory);
    QVERIFY(hasNote(results->front(), "no [memory] events"));
    QVERIFY(results->front().other["operators"][0]["name"] == "aten::mm");
}

void TestReadersDamage::traceOperators()
{
    // An inner call inside an outer one: own times 7 and 3 microseconds; the allocation belongs to the inner one.
    const QByteArray spans = R"({"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":100,"dur":10},
{"ph":"X","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":102,"dur":3},
{"ph":"X","cat":"cpu_op","name":"elsewhere","pid":1,"tid":2,"ts":100,"dur":50},)";
    const auto results = readBytes("[" + spans + memoryEvent(103, 64, 64) + "," + memoryEvent(107, 32, 96) + "," +
                                   memoryEvent(200, 16, 112) + "]");
    QVERIFY(results);
    const auto usage = [&](const char* name) {
        const auto& all = results->front().memory->operators;
        return *std::find_if(all.begin(), all.end(), [&](const OperatorUsage& u) { return u.name == name; });
    };
    QCOMPARE(usage("inner").allocatedBytes, std::int64_t(64));
    QCOMPARE(usage("outer").allocatedBytes, std::int64_t(32));
    QCOMPARE(usage("elsewhere").allocatedBytes, std::int64_t(0));
    QVERIFY(std::abs(usage("outer").seconds - 7e-6) < 1e-12);
    QVERIFY(std::abs(usage("inner").seconds - 3e-6) < 1e-12);
}

void TestReadersDamage::rawTimelineVersionBump()
{
    // A parameter that was there, an activation that becomes a gradient: a pair that is no dip and no peak.
    const auto results = readBytes("[[-1,1,1000,0],[1000,2,500,4],[2000,3,-500,4],[2000,3,500,5],[3000,4,-500,5]]");
    QVERIFY(results);
    const MemorySection& memory = *results->front().memory;
    QCOMPARE(memory.peakBytes, std::int64_t(1500));
    QCOMPARE(memory.maxComponents[std::size_t(Component::Gradients)], std::int64_t(500));
    QCOMPARE(memory.peakComponents[std::size_t(Component::Activations)], std::int64_t(500));
    QVERIFY(std::abs(memory.timeline.timeSeconds.back() - 2e-6) < 1e-12);
}

void TestReadersDamage::csvCells()
{
    const auto results = readBytes("\xef\xbb\xbfnoise_level,param_type,delta_ppl,delta_auc,baseline_ppl,\"a,b\"\r\n"
                                   "0.5,\"W\"\"x\",1,,3,\"two\nlines\"\r\n\r\n",
                                   "x.csv");
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    const Json row = toJson(results->front())["prm"]["results"][0];
    QVERIFY(row["param_type"] == "W\"x");
    QCOMPARE(row["noise_level"].get<double>(), 0.5);
    QVERIFY(!row.contains("delta_auc"));
    QVERIFY(row["a,b"] == "two lines");
}

void TestReadersDamage::cudaSnapshot()
{
    const auto results = readAny(PEAKSCOPE_SOURCE_DIR "/tests/core/data/cuda_snapshot.pickle");
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), std::size_t(1));
    const RunResult& run = results->front();
    const MemorySection& memory = *run.memory;
    QVERIFY(run.config["device"] == "cuda:0");
    // Before the trace: a block of 300 that it frees, and one of 200 that is still there at its end; a block takes 512
    // bytes or a multiple.
    QCOMPARE(memory.timeline.deltaBytes.front(), std::int64_t(512 + 512));
    QCOMPARE(std::accumulate(memory.timeline.deltaBytes.begin(), memory.timeline.deltaBytes.end(), std::int64_t(0)),
             std::int64_t(4096 + 5120 + 512));
    QCOMPARE(memory.peakBytes, std::int64_t(4096 + 5120 + 512));
    QCOMPARE(memory.peakRequestedBytes, std::int64_t(9200));
    QCOMPARE(memory.peakReservedBytes, std::int64_t(2097152 + 1048576));
    QCOMPARE(memory.snapshots.size(), std::size_t(2));
    QCOMPARE(memory.snapshots[0].allocatedBytes, std::int64_t(5120 + 512));
    QVERIFY(memory.snapshots[0].name.starts_with("out of memory"));
    QVERIFY(hasNote(run, "out of memory at model.py:12 forward: 95.4 MiB requested"));
    QVERIFY(run.status == RunStatus::Complete); // it went on
    QVERIFY(run.other["snapshot"]["end"]["allocated_bytes"] == 4096 + 5120 + 512);
    QVERIFY(run.other["snapshot"]["end"]["inactive_bytes"] == 2087936 + 1048064);
    QCOMPARE(memory.operators[0].name, std::string("optim.py:7 step"));
    QCOMPARE(memory.operators[1].name, std::string("model.py:12 forward"));
    QCOMPARE(memory.operators[1].allocatedBytes, std::int64_t(1024 + 4096));
    QCOMPARE(memory.operators[1].peakBytes, std::int64_t(4096)); // held at the peak
    QCOMPARE(memory.operators[2].name, std::string("(before the record)"));
}

void TestReadersDamage::cudaSnapshotWithoutRequests()
{
    // One device: alloc 512 at 4096, free_completed there, alloc 300 there; protocol 2.
    static const char pickle[] = "\x80\x02}(X\x08\x00\x00\x00segments]X\x0d\x00\x00\x00"
                                 "device_traces]](}(X\x06\x00\x00\x00"
                                 "actionq"
                                 "\x00X\x05\x00\x00\x00"
                                 "allocq\x01X\x04\x00\x00\x00"
                                 "addrq\x02M\x00\x10X\x04\x00\x00\x00sizeq\x03M"
                                 "\x00\x02X\x07\x00\x00\x00time_usq\x04K\x01u}(h\x00X\x0e\x00\x00\x00"
                                 "free_completedh\x02M\x00\x10h"
                                 "\x03M\x00\x02h\x04K\x02u}(h\x00h\x01h\x02M\x00\x10h\x03M,\x01h\x04K\x03ueau.";
    const auto results = readBytes(QByteArray(pickle, sizeof pickle - 1), "s.pickle");
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QVERIFY(results->front().memory->timeline.deltaBytes == (std::vector<std::int64_t>{512, -512, 512}));
}

void TestReadersDamage::cudaSnapshotWithoutHistory()
{
    // {"segments": [{"total_size": 16, "blocks": []}], "device_traces": [[]]}, protocol 2
    static const char pickle[] =
        "\x80\x02}(X\x08\x00\x00\x00segments]}(X\x0a\x00\x00\x00total_sizeK\x10X\x06\x00\x00\x00"
        "blocks]ueX\x0d\x00\x00\x00"
        "device_traces]]au.";
    const auto results = readBytes(QByteArray(pickle, sizeof pickle - 1), "s.pickle");
    QVERIFY2(!results || !results->front().memory, "no history, no peak");
}

void TestReadersDamage::ownDocuments()
{
    const auto run = readBytes(kRun);
    QVERIFY(run);
    const std::string one = toJsonText(run->front());
    const auto array = readAnyBytes("[" + one + "," + one + "]", "two.json");
    QVERIFY(array);
    QCOMPARE(array->size(), std::size_t(2));
    QCOMPARE(toJsonText(array->at(1)), one);
}

void TestReadersDamage::ownSweep()
{
    const auto sweep = readBytes(R"({"format":"peakscope-sweep","version":1,"keys":["data.seq"],"points":[
{"values":{"data.seq":8},"status":"complete","peak_bytes":5,"median_step_seconds":0.5,"file":"a.json"}]})",
                                 "sweep.json");
    QVERIFY2(sweep, sweep ? "" : sweep.error().text().c_str());
    QCOMPARE(sweep->front().kind, ResultKind::Sweep);
    QVERIFY(sweep->front().status == RunStatus::Complete);
    QVERIFY(sweep->front().other["sweep"]["points"][0]["peak_bytes"] == 5);
    QVERIFY(!readBytes(R"({"format":"peakscope-sweep","version":1,"keys":[],"points":[3]})"));
}

void TestReadersDamage::cancelled()
{
    const QTemporaryDir dir;
    const std::string path = dir.filePath("trace.json").toStdString();
    QByteArray text = "[" + memoryEvent(1, 100, 100);
    for (int i = 0; i < 20000; ++i)
        text += "," + memoryEvent(2 + i, 1, 101 + i);
    QVERIFY(writeFileAtomically(path, std::string_view(text.data(), std::size_t(text.size()))));
    std::stop_source stop;
    ReadOptions options;
    options.stop = stop.get_token();
    options.progress = [&](double fraction) {
        if (fraction > 0.3)
            stop.request_stop();
    };
    const auto results = readAny(path, options);
    QVERIFY(!results);
    QVERIFY(results.error().code == ErrorCode::Interrupted);
}

void TestReadersDamage::progressRises()
{
    QByteArray text = "[" + memoryEvent(1, 100, 100);
    for (int i = 0; i < 20000; ++i)
        text += "," + memoryEvent(2 + i, 1, 101 + i);
    text += "]";
    std::vector<double> seen;
    ReadOptions options;
    options.progress = [&](double fraction) { seen.push_back(fraction); };
    const auto results = readAnyBytes(std::string_view(text.data(), std::size_t(text.size())), "t.json", {}, options);
    QVERIFY(results);
    QCOMPARE(results->front().memory->timeline.size(), std::size_t(20001));
    QVERIFY(seen.size() > 1);
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
    QCOMPARE(seen.back(), 1.0);
}

PEAKSCOPE_APPLESS_TEST(TestReadersDamage)
#include "test_readers_damage.moc"
