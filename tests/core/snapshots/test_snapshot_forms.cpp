// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One snapshot in every form that people keep theirs in (tests/core/data/make_snapshot_forms.py): whatever it is packed
// in, the answers are those of its pickle. And what ends early, or has events that this version does not know.
#include "core/import/cuda_snapshot_file.h"
#include "tests/core/files/stored_files.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;
using peakscope::test::entry;
using peakscope::test::kBase;
using peakscope::test::kMiB;
using Json = nlohmann::json;

namespace {

const std::string kForms = test::kData + "snapshot_forms/";
const std::string kCardForms = test::kData + "card_forms/";

// What a result says but for where it came from.
Json saidOf(const RunResult& result)
{
    Json said = toJson(result);
    for (const char* key : {"id", "source", "notes"})
        said.erase(key);
    return said;
}

Result<std::vector<RunResult>> readText(const std::string& text, const char* name)
{
    return readAnyBytes(text, name, {}, {});
}

} // namespace

class TestSnapshotForms : public QObject
{
    Q_OBJECT

private slots:
    void everyForm_data();
    void everyForm();
    void everyFormOfACard_data();
    void everyFormOfACard();
    void othersInTheFile();
    void otherProgramsSegments_data();
    void otherProgramsSegments();
    void endingEarly_data();
    void endingEarly();
    void unknownActions();
    void endsThatAreAlike();
    void requestsBeyondAnyCard();
};

void TestSnapshotForms::everyForm_data()
{
    QTest::addColumn<QString>("file");
    const QStringList files = QDir(QString::fromStdString(kForms)).entryList(QDir::Files);
    QCOMPARE(files.size(), 21);
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file;
}

void TestSnapshotForms::everyForm()
{
    QFETCH(QString, file);
    const std::string path = kForms + file.toStdString();
    const auto plain = readAny(test::kData + "cuda_snapshot.pickle");
    const auto form = readAny(path);
    QVERIFY(plain);
    QVERIFY2(form, form ? "" : form.error().text().c_str());
    QCOMPARE(form->size(), plain->size());
    QCOMPARE(form->front().memory->peakBytes, std::int64_t(4096 + 5120 + 512));
    QCOMPARE(saidOf(form->front())["memory"].dump(), saidOf(plain->front())["memory"].dump());
    Json said = form->front().other["snapshot"];
    said.erase("not_read");
    QCOMPARE(said.dump(), plain->front().other["snapshot"].dump());
    QVERIFY(holdsCudaSnapshot(path).value());
    // Those who ask more of it, and who ask for a part, read the same.
    const auto whole = openCudaSnapshot(path);
    QVERIFY(whole);
    QVERIFY(!whole->truncatedAt);
    QCOMPARE(whole->history(0)->events.size(), std::size_t{10});
    const auto part = readSnapshotPart(path, {false, 3, 7});
    QVERIFY2(part, part ? "" : part.error().text().c_str());
    QCOMPARE(part->front().other["snapshot"]["range"]["events"].get<int>(), 4);
}

void TestSnapshotForms::everyFormOfACard_data()
{
    QTest::addColumn<QString>("file");
    const QStringList files = QDir(QString::fromStdString(kCardForms)).entryList(QDir::Files);
    QCOMPARE(files.size(), 11);
    for (const QString& file : files)
        QTest::newRow(qPrintable(file)) << file;
}

// The history that PyTorch wrote on an H100, in what its users pack it in.
void TestSnapshotForms::everyFormOfACard()
{
    QFETCH(QString, file);
    const auto plain = readAny(test::kData + "h100/llama-1b-full-card.pickle.gz");
    const auto form = readAny(kCardForms + file.toStdString());
    QVERIFY(plain);
    QVERIFY2(form, form ? "" : form.error().text().c_str());
    QCOMPARE(form->front().memory->peakBytes, std::int64_t{83'641'798'656});
    QCOMPARE(saidOf(form->front())["memory"].dump(), saidOf(plain->front())["memory"].dump());
    QCOMPARE(form->front().other["snapshot"].dump(), plain->front().other["snapshot"].dump());
}

void TestSnapshotForms::othersInTheFile()
{
    const auto two = openCudaSnapshot(kForms + "of_two_ranks.pickle");
    QVERIFY(two);
    QCOMPARE(two->notRead,
             (std::vector<std::string>{"the snapshot at rank1, for the file holds several; that at rank0 is shown"}));
    // The first one that has a history.
    const QByteArray bytes = pickled(
        {{"after", {{"segments", Json::array()}, {"device_traces", Json::array({{entry("alloc", kBase, kMiB, 1)}})}}},
         {"a_before", {{"segments", Json::array()}, {"device_traces", Json::array({Json::array()})}}}});
    const auto later = readSnapshotPickle({bytes.data(), static_cast<std::size_t>(bytes.size())}, "s");
    QVERIFY2(later, later ? "" : later.error().text().c_str());
    QCOMPARE(later->histories.size(), std::size_t{1});
    QVERIFY(later->notRead.front().ends_with("that at after is shown"));
}

void TestSnapshotForms::otherProgramsSegments_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("speech") << R"({"text": "a", "segments": [{"id": 0, "start": 0.0, "text": "a"}], "language": "en"})";
    QTest::newRow("none") << R"({"segments": []})";
    QTest::newRow("traces of another kind") << R"({"device_traces": 3})";
    QTest::newRow("deep") << R"({"a": {"b": {"c": {"d": {"e": {"f": {"device_traces": [[]]}}}}}}})";
}

void TestSnapshotForms::otherProgramsSegments()
{
    QFETCH(QString, text);
    const auto read = readText(text.toStdString(), "x.json");
    QVERIFY(!read);
    QVERIFY2(read.error().text().find("not a result, a trace or a snapshot; it is JSON") != std::string::npos,
             read.error().text().c_str());
    QByteArray bytes = pickled(Json::parse(text.toStdString()));
    QVERIFY(!readText(bytes.toStdString(), "x.pickle") || text.contains("[]}"));
}

void TestSnapshotForms::endingEarly_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("gzip");
    for (const char* file : {"snapshot.json", "indented.json", "protocol_0.pickle", "protocol_1.pickle",
                             "protocol_5.pickle", "with_values_0.pickle", "of_a_rank.pickle"}) {
        QTest::newRow(file) << QString(file) << false;
        QTest::newRow((std::string(file) + ", packed").c_str()) << QString(file) << true;
    }
}

// Cut anywhere: no event is lost that is there as a whole, and what is read says that it ends early.
void TestSnapshotForms::endingEarly()
{
    QFETCH(QString, file);
    QFETCH(bool, gzip);
    const std::string text = test::readAll(kForms + file.toStdString());
    const std::string whole = gzip ? test::gzipped(text) : text;
    std::size_t most = 0, shown = 0;
    for (std::size_t left = 30; left + 10 < whole.size(); left += gzip ? 3 : 7) {
        const auto read = readText(whole.substr(0, left), "cut");
        if (!read)
            continue;
        ++shown;
        const RunResult& result = read->front();
        const bool ends = result.other["source"].contains("ends_early");
        QCOMPARE(ends, test::hasNote(result, "the file ends too early, at byte"));
        const auto events = result.other["snapshot"]["events"].get<std::size_t>();
        QVERIFY(events >= most && events <= 10);
        QVERIFY(ends || (gzip && events == 10)); // of gzip its checksum may be all that is missing
        most = events;
    }
    QVERIFY(shown > 10);
    QVERIFY(most >= 9);
}

void TestSnapshotForms::unknownActions()
{
    Json events = Json::array({entry("segment_alloc", kBase, 20 * kMiB, 1), entry("alloc", kBase, 8 * kMiB, 2)});
    events.push_back({{"action", "workspace_snapshot"}, {"frames", Json::array()}});
    events.push_back({{"action", "workspace_snapshot"}, {"addr", "x"}, {"size", -1}, {"time_us", "now"}});
    events.push_back(entry("teleport", kBase, 4, 3));
    events.push_back(entry("alloc", kBase + 8 * kMiB, 4 * kMiB, 4));
    const QByteArray bytes =
        pickled({{"segments", Json::array()}, {"device_traces", Json::array({events, Json::array({events[0]})})}});
    const auto read = readText(bytes.toStdString(), "s.pickle");
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const RunResult& first = read->front();
    QCOMPARE(first.memory->peakBytes, 12 * kMiB);
    QVERIFY(test::hasNote(
        first, "not read: 2 events of the action \"workspace_snapshot\", which this version does not support"));
    QVERIFY(test::hasNote(first, "not read: 1 event of the action \"teleport\""));
    QCOMPARE(first.other["snapshot"]["actions"]["workspace_snapshot"].get<int>(), 2);
    QVERIFY(!first.other["snapshot"]["actions"].contains("other"));
    QVERIFY(!test::hasNote(read->back(), "not read"));
    // The axis of time stays whole.
    const auto& times = first.memory->timeline.timeSeconds;
    QVERIFY(std::is_sorted(times.begin(), times.end()) && times.back() < 1e-5);
}

// Two requests that failed alike are one note: a document has each once.
void TestSnapshotForms::endsThatAreAlike()
{
    const Json events = {entry("segment_alloc", kBase, 20 * kMiB, 1), entry("alloc", kBase, 8 * kMiB, 2),
                         entry("oom", 0, 90 * kMiB, 3), entry("oom", 0, 90 * kMiB, 4),
                         entry("alloc", kBase + 8 * kMiB, kMiB, 5)};
    const auto read = readText(
        pickled({{"segments", Json::array()}, {"device_traces", Json::array({events})}}).toStdString(), "s.pickle");
    QVERIFY(read);
    const std::string text = toJsonText(read->front());
    const auto again = readText(text, "again.json");
    QVERIFY(again);
    QCOMPARE(toJsonText(again->front()), text);
    QCOMPARE(read->front().other["snapshot"]["oom"].size(), std::size_t{2});
}

// A program's mistake may ask for petabytes: the file is read, and the request is at least as large as any card.
void TestSnapshotForms::requestsBeyondAnyCard()
{
    const Json events = {entry("segment_alloc", kBase, 20 * kMiB, 1), entry("alloc", kBase, 8 * kMiB, 2),
                         entry("oom", 0, std::int64_t(1) << 61, 3)};
    const auto read = readText(
        pickled({{"segments", Json::array()}, {"device_traces", Json::array({events})}}).toStdString(), "s.pickle");
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->front().memory->peakBytes, 8 * kMiB);
    const OutOfMemory& end = read->front().recording->replay.outOfMemory.front();
    QCOMPARE(end.askedBytes, std::int64_t(1) << 50);
}

PEAKSCOPE_APPLESS_TEST(TestSnapshotForms)
#include "test_snapshot_forms.moc"
