// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The "ranks" of a result document: written and read again, wrong ones refused by one line; and what is derived from
// them, against closed forms.
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/import/convert.h"
#include "core/results/rank_balance.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>

using namespace peakscope;

namespace {

RankSection section(std::int64_t rank, std::int64_t peak, double step, double share)
{
    RankSection out;
    out.rank = rank;
    out.host = "node" + std::to_string(rank / 2);
    out.device = "cpu";
    out.memory = MemorySection{};
    out.memory->peakBytes = peak;
    out.memory->peakRequestedBytes = peak;
    out.memory->peakComponents[static_cast<std::size_t>(Component::Parameters)] = peak;
    out.memory->maxComponents = out.memory->peakComponents;
    out.memory->timeline.timeSeconds = {0.125, 0.25, 0.5};
    out.memory->timeline.deltaBytes = {peak - 100, 100, -100};
    out.memory->timeline.component = {Component::Parameters, Component::Communication, Component::Communication};
    out.memory->phases = {{Phase::Load, -1, 0.0625}, {Phase::Forward, 0, 0.25}};
    out.timing = Timing{{step, step, 2 * step}, step, {3 * step}, true};
    out.communication = CommunicationSection{4 * step * share, share, {{"all_gather", 6, 4096, 4 * step * share}}};
    out.communication->collectives[0].phases = {{Phase::Forward, 4, 3072}, {Phase::Backward, 2, 1024}};
    out.communication->overlappedSeconds = step * share;
    return out;
}

RunResult resultOf(std::vector<RankSection> ranks)
{
    RunResult result;
    result.id = "20260131T090507000-0001-abcdef";
    result.created = "2026-01-31T09:05:07Z";
    result.status = RunStatus::Complete;
    result.memory = ranks.front().memory;
    result.ranks = std::move(ranks);
    return result;
}

nlohmann::json documentOfTwo()
{
    return toJson(resultOf({section(0, 1000, 0.5, 0.25), section(1, 2000, 0.5, 0.5)}));
}

using RankChange = std::function<void(nlohmann::json&)>;

} // namespace

class TestRankSections : public QObject
{
    Q_OBJECT

private slots:
    // An entry that another rank stands for has that one's figures; one that names a rank that is not there has none.
    void equalRanks()
    {
        RunResult run;
        run.ranks = {section(0, 1000, 1, 0), {}, {}, section(3, 1200, 1, 0), {}};
        for (const std::size_t rank : {1, 2, 4})
            run.ranks[rank].rank = static_cast<std::int64_t>(rank);
        run.ranks[1].sameAs = run.ranks[2].sameAs = 0;
        run.ranks[4].sameAs = 9;
        const auto read = runResultFromJson(toJson(run));
        QVERIFY(read.ok());
        QCOMPARE(read->ranks[2].sameAs, std::optional<std::int64_t>(0));
        QVERIFY(!read->ranks[2].memory && !read->ranks[3].sameAs);
        const RankBalance balance = rankBalance(read->ranks);
        QCOMPARE(balance.ranks[2].rank, 2);
        QCOMPARE(balance.ranks[2].peakBytes, std::optional<std::int64_t>(1000));
        QVERIFY(!balance.ranks[4].peakBytes);
        QCOMPARE(balance.fullest, std::optional<std::size_t>(3));
        QCOMPARE(ranksLike(read->ranks, 0), std::string("1-2"));
        QCOMPARE(ranksLike(read->ranks, 3), std::string());
    }

    void roundTrip();
    void textIsTheSameDocument();
    void absentWhereThereIsOneRank();
    void unknownMembersStay();
    void sortedByRank();
    void refused_data();
    void refused();
    void notesNameTheirRank();
    void stagesReplaceRanks();
    void evenRanks();
    void unevenRanks();
    void overallShareIsWeighted();
    void ranksWithoutFigures();
    void tableOfRanks();
    void tableOfCollectives();
    void withoutPhases();
    void writtenAsTextAndTables();
};

void TestRankSections::roundTrip()
{
    RunResult result = resultOf({section(0, 1000, 0.5, 0.25), section(1, 2000, 0.5, 0.5)});
    result.ranks[1].status = RunStatus::Failed;
    result.ranks[1].message = "rank 1 was killed in backward";
    RankSection empty;
    empty.rank = 2;
    empty.host = "node1";
    empty.status = RunStatus::Interrupted;
    result.ranks.push_back(empty);

    const auto read = runResultFromJson(toJson(result));
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().text().c_str());
    QCOMPARE(read->ranks.size(), std::size_t(3));
    const RankSection& second = read->ranks[1];
    QCOMPARE(second.rank, 1);
    QCOMPARE(second.host, std::string("node0"));
    QCOMPARE(second.device, std::string("cpu"));
    QCOMPARE(second.status, RunStatus::Failed);
    QCOMPARE(second.message, std::string("rank 1 was killed in backward"));
    QCOMPARE(second.memory->peakBytes, 2000);
    QCOMPARE(second.memory->timeline.timeSeconds, (std::vector<double>{0.125, 0.25, 0.5}));
    QCOMPARE(second.memory->timeline.component.back(), Component::Communication);
    QCOMPARE(second.memory->phases.back().phase, Phase::Forward);
    QCOMPARE(second.timing->stepSeconds, (std::vector<double>{0.5, 0.5, 1}));
    QCOMPARE(second.timing->warmupSeconds, (std::vector<double>{1.5}));
    QCOMPARE(second.communication->share, 0.5);
    QCOMPARE(second.communication->seconds, 1.0);
    QCOMPARE(second.communication->collectives.at(0).name, std::string("all_gather"));
    QCOMPARE(second.communication->collectives.at(0).count, 6);
    QCOMPARE(second.communication->collectives.at(0).bytes, 4096);
    QCOMPARE(second.communication->collectives.at(0).phases.at(0).phase, Phase::Forward);
    QCOMPARE(second.communication->collectives.at(0).phases.at(1).count, 2);
    QCOMPARE(second.communication->collectives.at(0).phases.at(1).bytes, 1024);
    QCOMPARE(second.communication->overlappedSeconds, std::optional(0.25));
    const RankSection& third = read->ranks[2];
    QVERIFY(!third.memory && !third.timing && !third.communication);
    QCOMPARE(third.status, RunStatus::Interrupted);
    QCOMPARE(read->ranks[0].status, RunStatus::Complete);
    QVERIFY(!toJson(result)["ranks"][0].contains("status"));
    QCOMPARE(dumpJson(toJson(*read)), dumpJson(toJson(result)));
}

void TestRankSections::textIsTheSameDocument()
{
    RunResult result = resultOf({section(0, 1000, 0.5, 0.25), section(1, 2000, 0.5, 0.5)});
    RankSection empty;
    empty.rank = 2;
    result.ranks.push_back(empty);
    const auto text = parseJson(toJsonText(result));
    QVERIFY2(text.ok(), text.ok() ? "" : text.error().text().c_str());
    QCOMPARE(dumpJson(*text), dumpJson(toJson(result)));

    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("two.json").toStdString();
    QVERIFY(saveRunResult(result, path).ok());
    const auto loaded = loadRunResult(path);
    QVERIFY(loaded.ok());
    QCOMPARE(dumpJson(toJson(*loaded)), dumpJson(toJson(result)));
}

void TestRankSections::absentWhereThereIsOneRank()
{
    RunResult result = resultOf({section(0, 1000, 0.5, 0.25)});
    result.ranks.clear();
    QVERIFY(!toJson(result).contains("ranks"));
    QVERIFY(toJsonText(result).find("\"ranks\"") == std::string::npos);
    QVERIFY(runResultFromJson(toJson(result))->ranks.empty());
}

void TestRankSections::unknownMembersStay()
{
    nlohmann::json document = documentOfTwo();
    document["ranks"][1]["nic"] = "ib0";
    document["ranks"][1]["memory"]["pools"] = {1, 2};
    document["ranks"][1]["timing"]["clock"] = "tsc";
    document["ranks"][1]["communication"]["algorithm"] = "ring";
    const auto read = runResultFromJson(document);
    QVERIFY(read.ok());
    QCOMPARE(dumpJson(toJson(*read)), dumpJson(document));
    QCOMPARE(dumpJson(parseJson(toJsonText(*read)).value()), dumpJson(document));
}

void TestRankSections::sortedByRank()
{
    nlohmann::json document = documentOfTwo();
    std::swap(document["ranks"][0], document["ranks"][1]);
    const auto read = runResultFromJson(document);
    QVERIFY(read.ok());
    QCOMPARE(read->ranks[0].rank, 0);
    QCOMPARE(read->ranks[1].rank, 1);
}

void TestRankSections::refused_data()
{
    QTest::addColumn<RankChange>("change");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* what, RankChange change, const char* path, const char* part) {
        QTest::newRow(what) << change << QString(path) << QString(part);
    };
    row(
        "no array", [](auto& d) { d["ranks"] = 3; }, "ranks", "array");
    row(
        "no object", [](auto& d) { d["ranks"][1] = "node1"; }, "ranks[1]", "object");
    row(
        "no rank", [](auto& d) { d["ranks"][1].erase("rank"); }, "ranks[1].rank", "");
    row(
        "negative rank", [](auto& d) { d["ranks"][1]["rank"] = -1; }, "ranks[1].rank", "-1 is not a rank");
    row(
        "rank twice", [](auto& d) { d["ranks"][1]["rank"] = 0; }, "ranks[1].rank", "0 appears twice");
    row(
        "rank a word", [](auto& d) { d["ranks"][0]["rank"] = "zero"; }, "ranks[0].rank", "zero");
    row(
        "host a number", [](auto& d) { d["ranks"][0]["host"] = 7; }, "ranks[0].host", "7");
    row(
        "memory a list", [](auto& d) { d["ranks"][1]["memory"] = {1}; }, "ranks[1].memory", "object");
    row(
        "no peak", [](auto& d) { d["ranks"][1]["memory"].erase("peak_bytes"); }, "ranks[1].memory.peak_bytes", "");
    row(
        "timeline lengths differ", [](auto& d) { d["ranks"][1]["memory"]["timeline"]["delta_bytes"] = {1}; },
        "ranks[1].memory.timeline.delta_bytes", "1 values");
    row(
        "share a word", [](auto& d) { d["ranks"][0]["communication"]["share"] = "half"; },
        "ranks[0].communication.share", "half");
    row(
        "collective without name", [](auto& d) { d["ranks"][0]["communication"]["collectives"][0].erase("name"); },
        "ranks[0].communication.collectives[0].name", "");
    row(
        "a phase that is none",
        [](auto& d) { d["ranks"][0]["communication"]["collectives"][0]["phases"][1]["phase"] = "sideward"; },
        "ranks[0].communication.collectives[0].phases[1].phase", "sideward");
    row(
        "bytes a fraction", [](auto& d) { d["ranks"][0]["communication"]["collectives"][0]["bytes"] = 0.5; },
        "ranks[0].communication.collectives[0].bytes", "0.5");
    row(
        "unknown status", [](auto& d) { d["ranks"][0]["status"] = "asleep"; }, "ranks[0].status", "asleep");
    row(
        "timing a number", [](auto& d) { d["ranks"][0]["timing"] = 1; }, "ranks[0].timing", "object");
}

void TestRankSections::refused()
{
    QFETCH(RankChange, change);
    QFETCH(QString, path);
    QFETCH(QString, part);
    nlohmann::json document = documentOfTwo();
    change(document);
    const auto read = runResultFromJson(document);
    QVERIFY(!read.ok());
    const QString text = QString::fromStdString(read.error().text());
    QVERIFY2(text.contains(path), qPrintable(text));
    QVERIFY2(text.contains(part), qPrintable(text));
    QVERIFY2(!text.contains('\n'), qPrintable(text));
}

void TestRankSections::notesNameTheirRank()
{
    nlohmann::json document = documentOfTwo();
    document["ranks"][1]["memory"]["peak_components"]["cache"] = 5;
    const auto read = runResultFromJson(document);
    QVERIFY(read.ok());
    QVERIFY(!read->notes.empty());
    for (const std::string& note : read->notes) {
        QVERIFY2(note.starts_with("rank 1: "), note.c_str());
    }
}

void TestRankSections::stagesReplaceRanks()
{
    RunResult result = resultOf({section(0, 1000, 0.5, 0.25)});
    QVERIFY(mergeSections(result, {{"ranks", documentOfTwo()["ranks"]}}).ok());
    QCOMPARE(result.ranks.size(), std::size_t(2));
    QVERIFY(!mergeSections(result, {{"ranks", {{{"rank", -4}}}}}).ok());
    QCOMPARE(result.ranks.size(), std::size_t(2)); // as it was
    QVERIFY(mergeSections(result, {{"loss", 2.5}}).ok());
    QCOMPARE(result.ranks.size(), std::size_t(2));
}

void TestRankSections::evenRanks()
{
    const RankBalance balance = rankBalance({section(0, 1000, 0.5, 0.25), section(1, 1000, 0.5, 0.25)});
    QCOMPARE(balance.peakImbalance, std::optional(0.0));
    QCOMPARE(balance.timeImbalance, std::optional(0.0));
    QCOMPARE(balance.communicationShare, std::optional(0.25));
    QVERIFY(!balance.fullest && !balance.slowest);
    QCOMPARE(balance.ranks[1].ownSeconds, std::optional(0.375));
}

void TestRankSections::unevenRanks()
{
    // Peaks 1, 2, 2, 3 MiB: mean 2, largest 3. Own times 0.4, 0.3, 0.4, 0.1 s of 0.5 s: mean 0.3, largest 0.4.
    constexpr std::int64_t kMiB = 1 << 20;
    const RankBalance balance = rankBalance({section(0, kMiB, 0.5, 0.2), section(1, 2 * kMiB, 0.5, 0.4),
                                             section(2, 2 * kMiB, 0.5, 0.2), section(3, 3 * kMiB, 0.5, 0.8)});
    QCOMPARE(balance.peakImbalance.value(), 0.5);
    QVERIFY(std::abs(balance.timeImbalance.value() - 1.0 / 3) < 1e-12);
    QVERIFY(std::abs(balance.communicationShare.value() - 0.4) < 1e-12);
    QCOMPARE(balance.fullest, std::optional<std::size_t>(3));
    QCOMPARE(balance.slowest, std::optional<std::size_t>(0)); // the first of two
}

void TestRankSections::overallShareIsWeighted()
{
    // Measured steps of 4 s and 12 s (a section's steps sum to four medians), shares 1/2 and 1/4: (2 + 3) / 16.
    const RankBalance balance = rankBalance({section(0, 1, 1, 0.5), section(1, 1, 3, 0.25)});
    QCOMPARE(balance.communicationShare.value(), 5.0 / 16);
}

void TestRankSections::ranksWithoutFigures()
{
    RankSection ended;
    ended.rank = 1;
    const RankBalance one = rankBalance({section(0, 1000, 0.5, 0.25), ended});
    QVERIFY(!one.peakImbalance && !one.timeImbalance && !one.fullest && !one.slowest);
    QCOMPARE(one.communicationShare, std::optional(0.25));
    QVERIFY(!one.ranks[1].peakBytes && !one.ranks[1].ownSeconds);
    const RankBalance none = rankBalance({});
    QVERIFY(none.ranks.empty() && !none.communicationShare);
    // One that failed before its first measured step spent no share of none.
    RankSection early;
    early.timing = Timing{{}, 0, {0.4}, true};
    early.communication = CommunicationSection{};
    QVERIFY(!rankBalance({early}).ranks[0].communicationShare);
    // A share that is no number, or none, is not one.
    const RankBalance odd = rankBalance({section(0, 1000, 0.5, std::nan("")), section(1, 1000, 0.5, 1.5)});
    QVERIFY(!odd.communicationShare && !odd.ranks[0].communicationShare && !odd.ranks[1].communicationShare);
}

void TestRankSections::tableOfRanks()
{
    RunResult result = resultOf({section(0, 1000, 0.5, 0.25), section(1, 2000, 0.5, 0.5)});
    RankSection ended;
    ended.rank = 2;
    ended.status = RunStatus::Failed;
    result.ranks.push_back(ended);
    const Table table = ranksTable(result);
    QCOMPARE(table.rows.size(), std::size_t(3));
    std::vector<std::string> names;
    for (const TableColumn& column : table.columns)
        names.push_back(column.name);
    QCOMPARE(names,
             (std::vector<std::string>{"rank", "host", "device", "status", "standing", "peak_bytes",
                                       "median_step_seconds", "own_step_seconds", "communication_seconds",
                                       "communication_share", "communication_payload_bytes", "parameters_bytes"}));
    const std::string csv = toCsv(table);
    QVERIFY2(csv.find("\r\n0,node0,cpu,complete,slowest,1000,0.5,0.375,0.5,0.25,4096,1000\r\n") != std::string::npos,
             csv.c_str());
    QVERIFY2(csv.find("\r\n1,node0,cpu,complete,fullest,2000,") != std::string::npos, csv.c_str());
    QVERIFY2(csv.find("\r\n2,,,failed,,,,,,,,\r\n") != std::string::npos, csv.c_str());
    result.ranks.clear();
    QVERIFY(ranksTable(result).rows.empty());
}

void TestRankSections::tableOfCollectives()
{
    RunResult result = resultOf({section(0, 1000, 0.5, 0.25), section(1, 1000, 0.5, 0.25), section(2, 1000, 1, 0)});
    result.ranks[1].sameAs = 0;
    result.ranks[1].communication.reset();
    result.ranks[2].communication->collectives[0].phases.clear();
    QCOMPARE(QString::fromStdString(toCsv(collectivesTable(result))),
             QStringLiteral("rank,kind,phase,count,bytes\r\n0,all_gather,forward,4,3072\r\n"
                            "0,all_gather,backward,2,1024\r\n1,all_gather,forward,4,3072\r\n"
                            "1,all_gather,backward,2,1024\r\n2,all_gather,,6,4096\r\n"));
    QVERIFY(collectivesTable({}).rows.empty());
}

// Results made before have neither phases nor what overlapped, and are written as they were.
void TestRankSections::withoutPhases()
{
    nlohmann::json document = documentOfTwo();
    for (nlohmann::json& rank : document["ranks"]) {
        rank["communication"].erase("overlapped_seconds");
        rank["communication"]["collectives"][0].erase("phases");
    }
    const auto read = runResultFromJson(document);
    QVERIFY2(read.ok() && read->notes.empty(), read.ok() ? "" : read.error().text().c_str());
    QVERIFY(read->ranks[0].communication->collectives[0].phases.empty());
    QVERIFY(!read->ranks[0].communication->overlappedSeconds);
    QCOMPARE(toJson(*read)["ranks"], document["ranks"]);
}

void TestRankSections::writtenAsTextAndTables()
{
    const RunResult result = resultOf({section(0, 1000, 0.5, 0.25), section(1, 2000, 0.5, 0.5)});
    // A run on several ranks is a row per rank, in CSV and LaTeX alike.
    const auto table = mainTable({result});
    QVERIFY(table.ok());
    QCOMPARE(table->title, std::string("ranks"));
    const std::string latex = toLatex(*table, {});
    QVERIFY2(latex.find("node0 & cpu & complete & fullest") != std::string::npos, latex.c_str());
    const std::string summary = summaryText({result});
    for (const char* part : {"2 ranks:", "rank 1", "50.0 % communication", "fullest", "slowest", "peak 33.3 %",
                             "without communication 20.0 %", "communication 37.5 % of the steps"})
        QVERIFY2(summary.find(part) != std::string::npos, (std::string(part) + " in " + summary).c_str());

    QTemporaryDir folder;
    const std::filesystem::path out = folder.filePath("tables").toStdString();
    QVERIFY(std::filesystem::create_directory(out));
    QVERIFY(exportResults({result}, ExportFormat::Csv, out).ok());
    for (const char* file : {"ranks.csv", "rank-0-timeline.csv", "rank-1-timeline.csv", "components.csv"})
        QVERIFY2(std::filesystem::exists(out / file), file);
    QCOMPARE(readTextFile(out / "rank-1-timeline.csv").value(), timelineCsv(result.ranks[1].memory->timeline));
}

PEAKSCOPE_APPLESS_TEST(TestRankSections)
#include "test_rank_sections.moc"
