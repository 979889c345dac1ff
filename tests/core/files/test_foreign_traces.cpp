// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Traces and timelines that end early, counters of memory, and devices that are neither a CPU nor CUDA's.
#include "core/base/file.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"
#include "tests/core/files/stored_files.h"
#include "tests/core/snapshots/pickled.h"
#include "tests/test_room.h"

#include <QByteArray>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace peakscope;
using peakscope::test::gzipped;
using peakscope::test::hasNote;
using Json = nlohmann::json;

namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

Result<std::vector<RunResult>> readText(const std::string& text)
{
    return readAnyBytes(text, "a.json");
}

bool endsEarly(const RunResult& result)
{
    return result.other["source"].value("ends_early", false);
}

std::string joined(const RunResult& result)
{
    std::string all;
    for (const std::string& note : result.notes)
        all += note + "\n";
    return all;
}

std::string memoryEvent(double time, std::int64_t bytes, std::int64_t total, int type = 1)
{
    return R"({"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":)" + std::to_string(time) +
           R"(,"args":{"Device Type":)" + std::to_string(type) + R"(,"Device Id":0,"Addr":1,"Bytes":)" +
           std::to_string(bytes) + R"(,"Total Allocated":)" + std::to_string(total) + "}}";
}

// 64 MiB, 96 MiB, 64 MiB, 80 MiB.
std::vector<std::string> fourEvents()
{
    return {memoryEvent(1, 64 * kMebibyte, 64 * kMebibyte), memoryEvent(2, 32 * kMebibyte, 96 * kMebibyte),
            memoryEvent(3, -32 * kMebibyte, 64 * kMebibyte), memoryEvent(4, 16 * kMebibyte, 80 * kMebibyte)};
}

std::string events(std::size_t count)
{
    std::string text;
    const auto all = fourEvents();
    for (std::size_t i = 0; i < count; ++i)
        text += (i > 0 ? ",\n" : "") + all[i];
    return text;
}

std::string counter(const char* name, double time, const Json& args, const Json& process = 1)
{
    return Json({{"ph", "C"}, {"name", name}, {"ts", time}, {"pid", process}, {"args", args}}).dump();
}

std::string traceOf(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += (text.empty() ? "" : ",") + line;
    return R"({"traceEvents":[)" + text + "]}";
}

std::vector<std::int64_t> levels(const RunResult& result)
{
    std::vector<std::int64_t> all = result.memory->timeline.deltaBytes;
    std::partial_sum(all.begin(), all.end(), all.begin());
    return all;
}

} // namespace

class TestForeignTraces : public QObject
{
    Q_OBJECT

private slots:
    void arrayWithoutItsBracket_data();
    void arrayWithoutItsBracket();
    void cutTrace_data();
    void cutTrace();
    void cutEverywhere();
    void cutBeforeAnything_data();
    void cutBeforeAnything();
    void cutGzip();
    void cutTimelines();
    void cutFilesAreSaid();
    void timelineInNanoseconds();
    void counters();
    void countersOfProcesses();
    void countersOfSeries();
    void unitsOfCounters_data();
    void unitsOfCounters();
    void countersOfOtherThings_data();
    void countersOfOtherThings();
    void countersBesideMemoryEvents();
    void deviceNames_data();
    void deviceNames();
    void otherBackendsByTheirName();
    void devicesOfSnapshots_data();
    void devicesOfSnapshots();
};

void TestForeignTraces::arrayWithoutItsBracket_data()
{
    QTest::addColumn<QByteArray>("end");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("a line feed") << QByteArray("\n");
    QTest::newRow("a comma") << QByteArray(",\n");
    QTest::newRow("a comma before the bracket") << QByteArray(",\n]\n");
}

// The format of traces allows both: who writes event by event writes so.
void TestForeignTraces::arrayWithoutItsBracket()
{
    QFETCH(QByteArray, end);
    const auto results = readText("[\n" + events(4) + end.toStdString());
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->front().memory->peakBytes, 96 * kMebibyte);
    QCOMPARE(results->front().memory->timeline.size(), std::size_t{4});
    QVERIFY2(!endsEarly(results->front()) && !hasNote(results->front(), "early"), joined(results->front()).c_str());
}

void TestForeignTraces::cutTrace_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("complete");
    const auto row = [](const char* name, const std::string& text, int complete) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << complete;
    };
    const std::string head = R"({"schemaVersion":1,"traceEvents":[)";
    row("between events", head + events(3), 3);
    row("behind a comma", head + events(3) + ",", 3);
    row("behind the array", head + events(4) + "]", 4);
    row("behind the array, at a comma", head + events(4) + "],", 4);
    row("in the next key", head + events(4) + R"(],"trace)", 4);
    const std::string last = fourEvents()[3];
    for (const auto& [name, part] : {std::pair{"in a key", "\"na"},
                                     {"in a string", "\"[mem"},
                                     {"in a number", "\"Bytes\":167"},
                                     {"at a colon", "\"args\":"},
                                     {"in args", "\"Device Id\":0,"}}) {
        const std::string_view text = part;
        row(name, head + events(3) + "," + last.substr(0, last.find(text) + text.size()), 3);
        row((std::string(name) + " of an array").c_str(),
            "[" + events(3) + "," + last.substr(0, last.find(text) + text.size()), 3);
    }
    row("in a word", head + events(3) + R"(,{"ph":"X","s":tru)", 3);
    row("in null", head + events(3) + R"(,{"ph":"X","s":n)", 3);
    row("in a sign", head + events(3) + R"(,{"ph":"X","ts":-)", 3);
    row("in an exponent", head + events(3) + R"(,{"ph":"X","ts":1.5e)", 3);
    row("in an escape", head + events(3) + R"(,{"ph":"X","name":"a\u00)", 3);
    row("in what nobody reads", head + events(3) + R"(,{"ph":"X","stack":[[1,{"a":"b)", 3);
}

void TestForeignTraces::cutTrace()
{
    QFETCH(QByteArray, text);
    QFETCH(int, complete);
    const auto results = readText(text.toStdString());
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    const RunResult& result = results->front();
    QCOMPARE(result.memory->timeline.size(), std::size_t(complete));
    QCOMPARE(result.memory->peakBytes, 96 * kMebibyte);
    QVERIFY(endsEarly(result));
    const std::string note =
        "the file ends too early, at byte " + std::to_string(text.size()) + ": what came before is shown";
    QVERIFY2(hasNote(result, note.c_str()), joined(result).c_str());
}

// What came whole is there, whatever the length; nothing is made up.
void TestForeignTraces::cutEverywhere()
{
    const std::string whole = R"({"schemaVersion":1,"traceEvents":[)" + events(4) + R"(],"traceName":"a"})";
    std::size_t most = 0;
    for (std::size_t length = 1; length < whole.size(); ++length) {
        const auto results = readText(whole.substr(0, length));
        if (!results) {
            QVERIFY2(most == 0, results.error().text().c_str());
            continue;
        }
        QVERIFY(endsEarly(results->front()));
        const std::size_t came = results->front().memory->timeline.size();
        QVERIFY(came >= most && came <= most + 1);
        most = came;
    }
    QCOMPARE(most, std::size_t{4});
    QVERIFY(!endsEarly(readText(whole)->front()));
}

void TestForeignTraces::cutBeforeAnything_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("in the first event") << QByteArray(R"({"traceEvents":[{"ph":"i","name":"[mem)");
    QTest::newRow("in the first event of an array") << QByteArray(R"([{"ph":"i","name":"[mem)");
    QTest::newRow("before the events") << QByteArray(R"({"traceEvents":[)");
    QTest::newRow("before the rows") << QByteArray("[[1,2,3],[");
    QTest::newRow("in the times") << QByteArray("[[1,2,3");
    QTest::newRow("in the first row") << QByteArray("[[1,2,3],[[0,1,2");
    QTest::newRow("in a result") << QByteArray(
        R"({"format":"peakscope-result","version":1,"kind":"memory","status":"complete","me)");
}

void TestForeignTraces::cutBeforeAnything()
{
    QFETCH(QByteArray, text);
    const auto results = readText(text.toStdString());
    QVERIFY(!results);
    QVERIFY2(results.error().text().find("early") != std::string::npos ||
                 results.error().text().find("truncated") != std::string::npos,
             results.error().text().c_str());
}

void TestForeignTraces::cutGzip()
{
    std::string text = "[\n";
    std::int64_t total = 0;
    for (int i = 0; i < 2000; ++i) {
        total += 64 + i * 7919 % 1000;
        text += (i > 0 ? ",\n" : "") + memoryEvent(i, 64 + i * 7919 % 1000, total);
    }
    const std::string packed = gzipped(text + "]");
    const auto whole = readText(packed);
    QVERIFY2(whole, whole ? "" : whole.error().text().c_str());
    QCOMPARE(whole->front().memory->timeline.size(), std::size_t{2000});
    QVERIFY(!endsEarly(whole->front()));
    const auto half = readText(packed.substr(0, packed.size() / 2));
    QVERIFY2(half, half ? "" : half.error().text().c_str());
    const std::size_t came = half->front().memory->timeline.size();
    QVERIFY2(came > 500 && came < 1500, std::to_string(came).c_str());
    QVERIFY2(endsEarly(half->front()) && hasNote(half->front(), "the file ends too early, at byte "),
             joined(half->front()).c_str());
    // Only the checksum is gone: all events are there.
    const auto last = readText(packed.substr(0, packed.size() - 4));
    QVERIFY2(last, last ? "" : last.error().text().c_str());
    QCOMPARE(last->front().memory->timeline.size(), std::size_t{2000});
    QVERIFY(endsEarly(last->front()));
    // What is damaged is not cut.
    std::string broken = packed;
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 40; ++i)
        broken[i] = static_cast<char>(broken[i] ^ 0x55);
    QVERIFY(!readText(broken));
}

void TestForeignTraces::cutTimelines()
{
    const std::string rows = "[0,100,0,0,0,0,0,0,0],[0,100,0,0,0,50,0,0,0]";
    const auto timeline = readText("[[1,2,3],[" + rows + ",[0,100,0,0,0,900");
    QVERIFY2(timeline, timeline ? "" : timeline.error().text().c_str());
    QCOMPARE(timeline->front().memory->peakBytes, std::int64_t{150});
    QVERIFY(endsEarly(timeline->front()));
    QVERIFY2(hasNote(timeline->front(), "the file ends too early, at byte"), joined(timeline->front()).c_str());
    const auto closed = readText("[[1,2],[" + rows + "]");
    QVERIFY(closed && endsEarly(closed->front()));
    const auto raw = readText("[[-1,1,100,0],[5,2,50,4],[6,2,9");
    QVERIFY2(raw, raw ? "" : raw.error().text().c_str());
    QCOMPARE(raw->front().memory->peakBytes, std::int64_t{150});
    QVERIFY(endsEarly(raw->front()));
    // One that is wrong and not cut stays refused.
    QVERIFY(!readText("[[1,2,3],[" + rows + "]]"));
}

void TestForeignTraces::cutFilesAreSaid()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath("cut.json").toStdString();
    QVERIFY(writeFileAtomically(path, R"({"traceEvents":[)" + events(2)));
    const auto cut = describe(path);
    QVERIFY(cut && cut->endsEarly);
    QVERIFY(std::none_of(cut->holds.begin(), cut->holds.end(),
                         [](const std::string& line) { return line.find("ends_early") != std::string::npos; }));
    QVERIFY(writeFileAtomically(path, R"({"traceEvents":[)" + events(2) + "]}"));
    const auto whole = describe(path);
    QVERIFY(whole && !whole->endsEarly);
}

// PyTorch 2.0 wrote times in nanoseconds, and sizes with a point.
void TestForeignTraces::timelineInNanoseconds()
{
    for (const auto& [zero, seconds] : {std::pair{"0.0", 2e-6}, {"0", 2e-3}}) {
        std::string rows;
        for (const char* size : {"64.0", "128.0", "64.0"})
            rows += (rows.empty() ? "[" : ",[") + std::string(zero) + "," + size + ",0,0,0,0,0,0,0]";
        const auto results = readText("[[1000,2000,3000],[" + rows + "]]");
        QVERIFY2(results, results ? "" : results.error().text().c_str());
        QCOMPARE(results->front().memory->peakBytes, std::int64_t{128});
        QVERIFY(std::abs(results->front().memory->timeline.timeSeconds.back() - seconds) < 1e-12);
    }
}

void TestForeignTraces::counters()
{
    const auto results =
        readText(traceOf({R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2})",
                          counter("memory", 10, {{"allocated", 100}, {"reserved", 4096}}),
                          counter("memory", 30, {{"allocated", 120}, {"reserved", 4096}}),
                          counter("memory", 20, {{"allocated", 300}, {"reserved", 8192}})}));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), std::size_t{1});
    const RunResult& result = results->front();
    QVERIFY(result.memory);
    QCOMPARE(result.memory->peakBytes, std::int64_t{300});
    QVERIFY(levels(result) == (std::vector<std::int64_t>{100, 300, 120}));
    QCOMPARE(result.memory->peakReservedBytes, std::int64_t{8192});
    QVERIFY(result.memory->has("timeline") && result.memory->has("peak_reserved_bytes"));
    QVERIFY(!result.memory->has("peak_components.parameters"));
    QVERIFY2(hasNote(result, "the curve is the trace's counter \"memory\" (allocated)"), joined(result).c_str());
    QVERIFY2(hasNote(result, "does not record the purpose of its bytes"), joined(result).c_str());
    QVERIFY2(!hasNote(result, "recorded without profile_memory"), joined(result).c_str());
    QVERIFY(result.other["operators"][0]["name"] == "aten::mm");
    QVERIFY(exportResults(*results, ExportFormat::Csv, "/dev/null"));
}

void TestForeignTraces::countersOfProcesses()
{
    const auto results = readText(
        traceOf({counter("GPU memory", 10, {{"used", 100}}, 7), counter("GPU memory", 11, {{"used", 1000}}, "rank 1"),
                 counter("GPU memory", 20, {{"used", 200}}, 7), counter("GPU memory", 21, {{"used", 500}}, "rank 1")}));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), std::size_t{2});
    QCOMPARE(results->at(0).memory->peakBytes, std::int64_t{200});
    QCOMPARE(results->at(1).memory->peakBytes, std::int64_t{1000});
    QVERIFY(results->at(0).config["process"] == "7" && results->at(1).config["process"] == "rank 1");
    QVERIFY2(runTitle(results->at(0)) != runTitle(results->at(1)), runTitle(results->at(0)).c_str());
    // Counters of one name with an id of their own are counters of their own.
    const auto ids = readText(
        R"([{"ph":"C","name":"mem.rss","id":1,"ts":1,"pid":1,"args":{"value":5}},{"ph":"C","name":"mem.rss","id":2,"ts":2,"pid":1,"args":{"value":7}}])");
    QVERIFY(ids && ids->size() == 2);
}

// Each series that is an amount in use is a curve; limits, peaks and counts are none.
void TestForeignTraces::countersOfSeries()
{
    const auto results =
        readText(traceOf({counter("Memory", 10,
                                  {{"cuda:0", 100},
                                   {"cpu", 50},
                                   {"limit", 10000},
                                   {"peak", 900},
                                   {"num_allocs", 3},
                                   {"vms", 7},
                                   {"note", "x"}}),
                          counter("Memory", 20, {{"cuda:0", 80}, {"cpu", 70}, {"limit", 10000}, {"peak", 900}})}));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), std::size_t{2});
    std::vector<std::int64_t> peaks{results->at(0).memory->peakBytes, results->at(1).memory->peakBytes};
    std::sort(peaks.begin(), peaks.end());
    QVERIFY(peaks == (std::vector<std::int64_t>{70, 100}));
    QVERIFY2(runTitle(results->at(0)) != runTitle(results->at(1)), runTitle(results->at(0)).c_str());
    // TensorFlow's timeline: the category says memory, name and series are the allocator's.
    const auto allocator = readText(
        R"({"traceEvents":[{"ph":"C","cat":"Memory","name":"GPU_0_bfc","pid":3,"tid":0,"ts":5,"args":{"GPU_0_bfc":2048}}]})");
    QVERIFY2(allocator, allocator ? "" : allocator.error().text().c_str());
    QCOMPARE(allocator->front().memory->peakBytes, std::int64_t{2048});
    // Only what is reserved: that is the curve.
    const auto reserved = readText(traceOf({counter("memory", 1, {{"reserved", 64}})}));
    QVERIFY(reserved && reserved->front().memory->peakBytes == 64);
}

void TestForeignTraces::unitsOfCounters_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("series");
    QTest::addColumn<double>("value");
    QTest::addColumn<qint64>("bytes");
    const auto row = [](const char* name, const char* series, double value, qint64 bytes) {
        QTest::newRow(qPrintable(QStringLiteral("%1, %2").arg(QLatin1String(name), QLatin1String(series))))
            << name << series << value << bytes;
    };
    row("GPU memory", "used", 3e9, 3'000'000'000);
    row("GPU memory (MiB)", "used", 1.5, 1572864);
    row("GPU memory [MB]", "used", 1.5, 1'500'000);
    row("memory_gib", "value", 2, 2147483648);
    row("memory", "allocated_mb", 7, 7'000'000);
    row("memory", "allocatedMB", 7, 7'000'000);
    row("Memory usage in KiB", "value", 3, 3072);
    row("rss_kb", "rss_kb", 3, 3000);
    row("Memory (bytes)", "allocated", 12, 12);
    row("Memory, GB", "", 0.5, 500'000'000);
}

void TestForeignTraces::unitsOfCounters()
{
    QFETCH(QString, name);
    QFETCH(QString, series);
    QFETCH(double, value);
    QFETCH(qint64, bytes);
    const auto results = readText(traceOf({counter(qPrintable(name), 1, {{series.toStdString(), value}})}));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QVERIFY2(results->front().memory, joined(results->front()).c_str());
    QCOMPARE(qint64(results->front().memory->peakBytes), bytes);
}

void TestForeignTraces::countersOfOtherThings_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("series");
    QTest::newRow("load") << "CPU"
                          << "load";
    QTest::newRow("bandwidth") << "Memory bandwidth"
                               << "GB/s";
    QTest::newRow("utilisation") << "memory utilization"
                                 << "percent";
    QTest::newRow("per cent") << "Memory %"
                              << "value";
    QTest::newRow("clock") << "memory clock"
                           << "MHz";
    QTest::newRow("a word that holds one") << "membership"
                                           << "rssi";
    QTest::newRow("counts") << "memory"
                            << "num_allocs";
}

void TestForeignTraces::countersOfOtherThings()
{
    QFETCH(QString, name);
    QFETCH(QString, series);
    const auto results = readText(traceOf({counter(qPrintable(name), 1, {{series.toStdString(), 50}})}));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QVERIFY(!results->front().memory);
    QVERIFY(hasNote(results->front(), "the trace holds no [memory] events"));
}

void TestForeignTraces::countersBesideMemoryEvents()
{
    const auto results = readText(
        traceOf({memoryEvent(1, 64, 64), counter("memory", 1, {{"allocated", 5000}}), memoryEvent(2, 64, 128)}));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), std::size_t{1});
    QCOMPARE(results->front().memory->peakBytes, std::int64_t{128});
}

void TestForeignTraces::deviceNames_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("name");
    for (const auto& [type, name] : {std::pair{0, "cpu"},
                                     {1, "cuda:0"},
                                     {4, "opencl:0"},
                                     {6, "hip:0"},
                                     {7, "fpga:0"},
                                     {8, "maia:0"},
                                     {9, "xla:0"},
                                     {10, "vulkan:0"},
                                     {11, "metal:0"},
                                     {12, "xpu:0"},
                                     {13, "mps:0"},
                                     {15, "hpu:0"},
                                     {16, "ve:0"},
                                     {18, "ipu:0"},
                                     {19, "mtia:0"},
                                     {20, "npu:0"},
                                     {77, "device type 77:0"}})
        QTest::newRow(name) << type << name;
}

void TestForeignTraces::deviceNames()
{
    QFETCH(int, type);
    QFETCH(QString, name);
    const auto results = readText("[" + memoryEvent(1, 64, 64, type) + "]");
    QVERIFY(results);
    QVERIFY2(results->front().config["device"] == name.toStdString(), results->front().config.dump().c_str());
    QCOMPARE(hasNote(results->front(), "PrivateUse1"), type == 20);
    // A trace that is written from it and read again has the same device.
    QTemporaryDir folder;
    const std::string path = folder.filePath("again.json").toStdString();
    QVERIFY(exportResults(*results, ExportFormat::ChromeTrace, path));
    const auto again = readAny(path);
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QCOMPARE(again->front().config["device"].get<std::string>(), name.toStdString());
}

// PrivateUse1 is whoever's backend it is, where the trace says so.
void TestForeignTraces::otherBackendsByTheirName()
{
    for (const auto& [card, name] :
         {std::pair{"Ascend910B3", "npu:0"}, {"MTT S4000", "musa:0"}, {"MLU370-X8", "mlu:0"}}) {
        const auto results = readText(R"({"deviceProperties":[{"id":0,"name":")" + std::string(card) +
                                      R"("}],"traceEvents":[)" + memoryEvent(1, 64, 64, 20) + "]}");
        QVERIFY(results);
        QVERIFY2(results->front().config["device"] == name, results->front().config.dump().c_str());
        QVERIFY(!hasNote(results->front(), "PrivateUse1"));
    }
}

void TestForeignTraces::devicesOfSnapshots_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("function");
    QTest::addColumn<QString>("name");
    QTest::newRow("CUDA") << "/a/train.py"
                          << "c10::cuda::CUDACachingAllocator::malloc"
                          << "cuda:1";
    QTest::newRow("ROCm") << "/a/train.py"
                          << "c10::hip::HIPCachingAllocator::malloc"
                          << "cuda:1"; // its name in PyTorch
    QTest::newRow("XPU") << "??"
                         << "c10::xpu::XPUCachingAllocator::raw_alloc(unsigned long)"
                         << "xpu:1";
    QTest::newRow("XPU, Python alone") << "/usr/lib/python3/site-packages/torch/xpu/memory.py"
                                       << "empty"
                                       << "xpu:1";
    QTest::newRow("NPU") << "/usr/lib/python3/site-packages/torch_npu/npu/memory.py"
                         << "empty"
                         << "npu:1";
    QTest::newRow("MUSA") << "??"
                          << "c10::musa::MUSACachingAllocator::malloc"
                          << "musa:1";
    QTest::newRow("somebody's words") << "/home/npu/xpu_musa/train.py"
                                      << "mlu"
                                      << "cuda:1";
}

// Other vendors' snapshots have the form of CUDA's: the stacks say whose allocator it was.
void TestForeignTraces::devicesOfSnapshots()
{
    QFETCH(QString, file);
    QFETCH(QString, function);
    QFETCH(QString, name);
    const Json frames = {{{"filename", file.toStdString()}, {"name", function.toStdString()}, {"line", 3}}};
    const QByteArray bytes = pickled(
        {{"segments", Json::array()},
         {"device_traces",
          {Json::array(), {{{"action", "alloc"}, {"addr", 4096}, {"size", 512}, {"stream", 0}, {"frames", frames}}}}}});
    const auto results = readAnyBytes({bytes.data(), static_cast<std::size_t>(bytes.size())}, "a.pickle");
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->front().config["device"].get<std::string>(), name.toStdString());
    QCOMPARE(results->front().environment["device"].get<std::string>(), name.toStdString());
}

PEAKSCOPE_GUILESS_TEST(TestForeignTraces)
#include "test_foreign_traces.moc"
