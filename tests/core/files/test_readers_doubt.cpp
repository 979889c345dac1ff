// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Memory records that do not hold together, were cut, or hold numbers that a reader might take for others: read exactly
// or refused, and what is doubtful is said.
#include "core/base/json/non_finite.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"
#include "tests/core/files/stored_files.h"
#include "tests/core/snapshots/pickled.h"
#include "tests/test_room.h"

#include <QByteArray>
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace peakscope;
using peakscope::test::hasNote;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t kHigh = 18446603336221196288U; // an address above 2^63, as other vendors' cards have them
constexpr std::int64_t kMiB = 1 << 20;

Result<std::vector<RunResult>> readSnapshot(const Json& snapshot)
{
    const QByteArray bytes = pickled(snapshot);
    return readAnyBytes({bytes.data(), static_cast<std::size_t>(bytes.size())}, "a.pickle");
}

Result<std::vector<RunResult>> readText(const std::string& text)
{
    return readAnyBytes(text, "a.json");
}

Json traceEvent(const char* action, const Json& address, const Json& size, int time)
{
    return {{"action", action}, {"addr", address}, {"size", size}, {"stream", 0}, {"time_us", time}};
}

Json block(std::uint64_t address, std::int64_t size, const Json& requested, const char* state)
{
    return {{"address", address}, {"size", size}, {"requested_size", requested}, {"state", state}};
}

// 64 MiB in use from before, 8 MiB that come and go.
Json wholeSnapshot(std::uint64_t base)
{
    return {{"segments",
             {{{"device", 0},
               {"address", base},
               {"total_size", 72 * kMiB},
               {"blocks",
                {block(base, 64 * kMiB, 64 * kMiB, "active_allocated"),
                 block(base + 64 * kMiB, 8 * kMiB, 0, "inactive")}}}}},
            {"device_traces",
             {{traceEvent("alloc", base + 64 * kMiB, 8 * kMiB, 10),
               traceEvent("free_requested", base + 64 * kMiB, 8 * kMiB, 20),
               traceEvent("free_completed", base + 64 * kMiB, 8 * kMiB, 20)}}}};
}

std::string joined(const RunResult& result)
{
    std::string all;
    for (const std::string& note : result.notes)
        all += note + "\n";
    return all;
}

std::string memoryEvent(const char* process, double time, std::int64_t bytes, std::int64_t total)
{
    return std::string(R"({"ph":"i","name":"[memory]","tid":1,"pid":)") + process + R"(,"ts":)" + std::to_string(time) +
           R"(,"args":{"Device Type":1,"Device Id":0,"Addr":1,"Bytes":)" + std::to_string(bytes) +
           (total < 0 ? std::string() : R"(,"Total Allocated":)" + std::to_string(total)) + "}}";
}

// Two ranks of three events each, one a little behind the other.
std::string twoRanks(const char* first, const char* second)
{
    std::string events;
    for (const auto& [process, late] : {std::pair{first, 0.0}, {second, 0.5}}) {
        events += (events.empty() ? "" : ",") + memoryEvent(process, 10 + late, 50, 150) + "," +
                  memoryEvent(process, 11 + late, 50, 200) + "," + memoryEvent(process, 12 + late, -100, 100);
    }
    return R"({"traceEvents":[)" + events + "]}";
}

} // namespace

class TestReadersDoubt : public QObject
{
    Q_OBJECT

private slots:
    void addresses_data();
    void addresses();
    void overrunHistory();
    void historiesThatDoNotHoldTogether_data();
    void historiesThatDoNotHoldTogether();
    void numbersThatAreNone_data();
    void numbersThatAreNone();
    void requestedSizesThatWrapped();
    void bareWords_data();
    void bareWords();
    void bareWordsThatAreRead();
    void totalsAreAfterEachEvent();
    void lostEvents();
    void ranksOfOneTrace_data();
    void ranksOfOneTrace();
    void memoryAskedForAndLost();
};

void TestReadersDoubt::addresses_data()
{
    QTest::addColumn<quint64>("base");
    QTest::newRow("usual") << quint64(139887621701632U);
    QTest::newRow("beyond 2^63") << quint64(kHigh);
    QTest::newRow("the last page") << quint64(0xfffffffff0000000U - 80 * kMiB);
}

void TestReadersDoubt::addresses()
{
    QFETCH(quint64, base);
    const auto results = readSnapshot(wholeSnapshot(base));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    const RunResult& run = results->front();
    QCOMPARE(run.memory->peakBytes, 72 * kMiB);
    QVERIFY2(hasNote(run, "64.0 MiB were alive before"), joined(run).c_str());
    QVERIFY2(!hasNote(run, "doubtful"), joined(run).c_str());
    // A signed number of the same 64 bits is the same address.
    Json same = wholeSnapshot(base);
    same["device_traces"][0][1]["addr"] = static_cast<std::int64_t>(base + 64 * kMiB);
    QCOMPARE(readSnapshot(same)->front().memory->peakBytes, 72 * kMiB);
}

void TestReadersDoubt::overrunHistory()
{
    Json snapshot = wholeSnapshot(4096);
    snapshot["trace_alloc_overflowed"] = Json::array({true});
    snapshot["trace_alloc_max_entries"] = Json::array({3});
    const auto cut = readSnapshot(snapshot);
    QVERIFY(cut && hasNote(cut->front(), "lower bound") && hasNote(cut->front(), "its last 3 entries"));
    snapshot["trace_alloc_overflowed"] = Json::array({false});
    const auto whole = readSnapshot(snapshot);
    QVERIFY(whole && !hasNote(whole->front(), "lower bound"));
    snapshot["trace_alloc_overflowed"] = true; // one word for all devices
    snapshot.erase("trace_alloc_max_entries");
    QVERIFY(hasNote(readSnapshot(snapshot)->front(), "lower bound"));
    snapshot["trace_alloc_overflowed"] = Json::array({false, true}); // another device's
    QVERIFY(!hasNote(readSnapshot(snapshot)->front(), "lower bound"));
}

void TestReadersDoubt::historiesThatDoNotHoldTogether_data()
{
    QTest::addColumn<QByteArray>("events");
    QTest::addColumn<qint64>("peak");
    QTest::addColumn<QByteArray>("note");
    const std::uint64_t spare = 4096 + 64 * kMiB;
    const auto row = [](const char* name, const Json& events, std::int64_t peak, const char* note) {
        QTest::newRow(name) << QByteArray::fromStdString(events.dump()) << qint64(peak) << QByteArray(note);
    };
    const Json alloc = traceEvent("alloc", spare, 8 * kMiB, 10),
               free = traceEvent("free_requested", spare, 8 * kMiB, 20);
    row("freed twice", {alloc, free, free}, 72 * kMiB, "1 frees of blocks that were free already");
    row("allocated twice", {alloc, alloc, free}, 72 * kMiB, "1 allocations where a block was still in use");
    row("freed with another size", {alloc, traceEvent("free_requested", spare, 4 * kMiB, 20)}, 72 * kMiB,
        "1 frees of another size");
    row("in use at the end", {alloc, traceEvent("snapshot", 0, 0, 11)}, 72 * kMiB,
        "1 blocks (8.00 MiB) are in use at its end");
    row("more than was reserved",
        {traceEvent("alloc", spare, 80 * kMiB, 10), traceEvent("free_requested", spare, 80 * kMiB, 20)}, 144 * kMiB,
        "lies above the 72.0 MiB that were reserved");
}

void TestReadersDoubt::historiesThatDoNotHoldTogether()
{
    QFETCH(QByteArray, events);
    QFETCH(qint64, peak);
    QFETCH(QByteArray, note);
    Json snapshot = wholeSnapshot(4096);
    snapshot["device_traces"] = Json::array({Json::parse(events.toStdString())});
    const auto results = readSnapshot(snapshot);
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    const RunResult& run = results->front();
    QCOMPARE(run.memory->peakBytes, peak);
    QVERIFY2(hasNote(run, "doubtful") && hasNote(run, note.constData()), joined(run).c_str());
}

void TestReadersDoubt::numbersThatAreNone_data()
{
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const char* pointer, const Json& value, const char* message) {
        QTest::newRow(name) << QByteArray(pointer) << QByteArray::fromStdString(value.dump()) << QByteArray(message);
    };
    const Json huge = std::uint64_t{18446744073709551615U};
    row("a size", "/device_traces/0/0/size", huge, "device_traces[0][0]: size is");
    row("half a byte", "/device_traces/0/0/size", 0.5, "device_traces[0][0]: size is");
    row("an address as text", "/device_traces/0/0/addr", "0x7f", "device_traces[0][0]: addr is a string");
    row("no address", "/device_traces/0/1/addr", nullptr, "device_traces[0][1]: addr is missing");
    row("a time", "/device_traces/0/2/time_us", huge, "device_traces[0][2]: time_us is");
    row("a segment's size", "/segments/0/total_size", huge, "segments[0]: total_size is");
    row("a segment's device", "/segments/0/device", huge, "segments[0]: device is");
    row("a block's size", "/segments/0/blocks/1/size", huge, "segments[0].blocks[1]: size is");
}

void TestReadersDoubt::numbersThatAreNone()
{
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, message);
    Json snapshot = wholeSnapshot(4096);
    snapshot[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const auto results = readSnapshot(snapshot);
    QVERIFY(!results);
    QVERIFY2(results.error().text().find(message.toStdString()) != std::string::npos, results.error().text().c_str());
}

void TestReadersDoubt::requestedSizesThatWrapped()
{
    Json snapshot = wholeSnapshot(4096);
    for (const Json& wrapped : {Json(std::uint64_t{18446744073709551615U}), Json(-1), Json(65 * kMiB)}) {
        snapshot["segments"][0]["blocks"][0]["requested_size"] = wrapped;
        const auto results = readSnapshot(snapshot);
        QVERIFY2(results, results ? "" : results.error().text().c_str());
        QCOMPARE(results->front().memory->peakBytes, 72 * kMiB);
        QVERIFY(hasNote(results->front(), "1 blocks in use have a requested size that cannot be"));
    }
    // Of a block that is not in use nobody reads it.
    snapshot = wholeSnapshot(4096);
    snapshot["segments"][0]["blocks"][1]["requested_size"] = std::uint64_t{18446744073709551615U};
    QVERIFY(!hasNote(readSnapshot(snapshot)->front(), "requested size"));
    snapshot["segments"][0]["total_size"] = 80 * kMiB;
    QVERIFY(hasNote(readSnapshot(snapshot)->front(), "the blocks of 1 segments do not sum"));
}

void TestReadersDoubt::bareWords_data()
{
    QTest::addColumn<QString>("word");
    QTest::addColumn<double>("value"); // 0: no such word
    for (const char* word :
         {"NaN", "nan", "-nan", "-NaN", "+nan", "NAN", "nan(ind)", "-nan(ind)", "-1.#IND", "1.#QNAN", "1.#QNAN0"})
        QTest::newRow(word) << word << std::nan("");
    for (const char* word : {"Infinity", "inf", "+inf", "INF", "1.#INF", "1.#INF00"})
        QTest::newRow(word) << word << double(INFINITY);
    for (const char* word : {"-Infinity", "-inf", "-1.#INF"})
        QTest::newRow(word) << word << -double(INFINITY);
    for (const char* word : {"nano", "information", "1.#", "--inf", "nul", "nan(", "infinit"})
        QTest::newRow(word) << word << 0.0;
}

void TestReadersDoubt::bareWords()
{
    QFETCH(QString, word);
    QFETCH(double, value);
    const std::string text = word.toStdString();
    const auto found = nonFiniteWord(text);
    QCOMPARE(found.has_value(), value != 0);
    QVERIFY(!found || *found == value || (std::isnan(*found) && std::isnan(value)));
    QCOMPARE(nonFiniteLength(text + ", 1"), value != 0 ? text.size() : 0);
    // Where nobody reads it: as an argument, in an object that is skipped, in a list.
    const std::string odd = R"("x":)" + text + R"(,"more":{"y":[1,)" + text + R"(]},)";
    std::string trace = R"({"traceEvents":[)" + memoryEvent("1", 10, 64, 64) + R"(],"odd":)" + text + "}";
    trace.insert(trace.find(R"("Addr")"), odd);
    const auto events = readText(trace);
    QCOMPARE(events.ok(), value != 0);
    QVERIFY(!events || events->front().memory->peakBytes == 64);
    const auto document = readText(R"({"prm_results":[{"noise_level":0.1,"param_type":"Wfunc","delta_ppl":0.5,)"
                                   R"("delta_auc":)" +
                                   text + R"(}],"umap_silhouette_score":0.5})");
    QCOMPARE(document.ok(), value != 0);
    QVERIFY(!document || hasNote(document->front(), "delta_auc") || hasNote(document->front(), "bare NaN"));
}

void TestReadersDoubt::bareWordsThatAreRead()
{
    std::string trace =
        "{\"traceEvents\":[\n" + memoryEvent("1", 10, 64, 64) + ",\n" + memoryEvent("1", 11, 7777, 64) + "]}";
    trace.replace(trace.find("7777"), 4, "-inf");
    const auto results = readText(trace);
    QVERIFY(!results);
    const std::string text = results.error().text();
    QVERIFY2(text.find("line 3") != std::string::npos && text.find("args.Bytes") != std::string::npos, text.c_str());
}

void TestReadersDoubt::totalsAreAfterEachEvent()
{
    // 67 were there and go first: more than any total.
    const auto results = readText(R"({"traceEvents":[)" + memoryEvent("1", 10, -67, 300) + "," +
                                  memoryEvent("1", 11, 17, 317) + "," + memoryEvent("1", 12, -17, 300) + "]}");
    QVERIFY(results);
    QCOMPARE(results->front().memory->peakBytes, std::int64_t{367});
    QVERIFY2(!hasNote(results->front(), "totals reach"), joined(results->front()).c_str());
}

void TestReadersDoubt::lostEvents()
{
    // Between the second and the third one 500 bytes were allocated: a gap is no second rank.
    const auto results =
        readText(R"({"traceEvents":[)" + memoryEvent("1", 10, 50, 50) + "," + memoryEvent("1", 11, 50, 100) + "," +
                 memoryEvent("1", 12, 50, 650) + "," + memoryEvent("1", 13, 50, 700) + "]}");
    QVERIFY(results);
    QCOMPARE(results->size(), std::size_t{1});
    QVERIFY2(hasNote(results->front(), "totals reach 700 B: events are missing"), joined(results->front()).c_str());
}

void TestReadersDoubt::ranksOfOneTrace_data()
{
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QByteArray>("second");
    QTest::newRow("own numbers") << QByteArray("100") << QByteArray("200");
    QTest::newRow("texts") << QByteArray("\"rank0 100\"") << QByteArray("\"rank1 100\"");
    QTest::newRow("one number") << QByteArray("100") << QByteArray("100");
}

void TestReadersDoubt::ranksOfOneTrace()
{
    QFETCH(QByteArray, first);
    QFETCH(QByteArray, second);
    const auto results = readText(twoRanks(first.constData(), second.constData()));
    QVERIFY2(results, results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), std::size_t{2});
    for (const RunResult& rank : *results) {
        QCOMPARE(rank.memory->peakBytes, std::int64_t{200});
        QCOMPARE(hasNote(rank, "2 ranks share process 100"), first == second);
        QVERIFY2(!hasNote(rank, "doubtful"), joined(rank).c_str());
    }
    QVERIFY2(runTitle(results->at(0)) != runTitle(results->at(1)), runTitle(results->at(0)).c_str());
}

void TestReadersDoubt::memoryAskedForAndLost()
{
    const std::string span = R"([{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2}])";
    const auto lost = readText(R"({"profile_memory":1,"traceEvents":)" + span + "}");
    QVERIFY(lost && hasNote(lost->front(), "though it was recorded with profile_memory=True"));
    QVERIFY(!hasNote(lost->front(), "recorded without"));
    for (const char* header : {R"({"profile_memory":0,"traceEvents":)", R"({"traceEvents":)"}) {
        const auto without = readText(header + span + "}");
        QVERIFY(without && hasNote(without->front(), "recorded without profile_memory=True"));
    }
    QTemporaryDir folder;
    const std::string out = folder.filePath("o.csv").toStdString();
    QVERIFY(exportResults(*lost, ExportFormat::Csv, out));
    QFile file(QString::fromStdString(out));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("aten::mm"));
    QVERIFY(exportResults(*lost, ExportFormat::Csv, (folder.path() + "/all/").toStdString()));
    QFile table(folder.filePath("all/operators.csv"));
    QVERIFY(table.open(QIODevice::ReadOnly) && table.readAll().contains("aten::mm"));
}

PEAKSCOPE_GUILESS_TEST(TestReadersDoubt)
#include "test_readers_doubt.moc"
