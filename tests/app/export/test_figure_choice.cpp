// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which figures are drawn of which results: all of a mixed handful, more runs than a page holds, a sweep's points.
#include "app/export/figure_choice.h"
#include "core/analysis/response/finished_result.h"
#include "core/import/read_any.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_samples.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace peakscope;

namespace {

SweepDocument sweepOfTwo()
{
    SweepDocument sweep;
    sweep.keys = {"data.seq", "data.batch"};
    sweep.status = "complete";
    for (const int seq : {64, 128}) {
        SweepPoint point;
        point.values = {{"data.seq", seq}, {"data.batch", 2}};
        point.status = "complete";
        point.measured = true;
        point.peakBytes = 1000 * seq;
        point.file = "point-" + std::to_string(seq) + ".json";
        sweep.points.push_back(std::move(point));
    }
    return sweep;
}

QStringList namesOf(const FigureChoice& choice)
{
    QStringList names;
    for (const FigureOfFile& file : choice.files)
        names << QString::fromStdString(file.name);
    return names;
}

} // namespace

class TestFigureChoice : public QObject
{
    Q_OBJECT
private slots:
    void eachFigureOfTheResultsThatHoldIt();
    void moreRunsThanAPage();
    void aSweepGivesAFileAPoint();
    void ofManyPointsAFew();
    void onePointIsNoFigure();
    void devicesThatHaveTheInstant();
};

void TestFigureChoice::eachFigureOfTheResultsThatHoldIt()
{
    const SourcedResult run{shared(sampleRun()), QStringLiteral("run.json")};
    const SourcedResult sweep{shared(sweepResult(sweepOfTwo())), QStringLiteral("sweep.json")};
    const SourcedResult bare{shared(RunResult()), QStringLiteral("bare.json")};
    const FigureChoice choice = chooseAllFigures({run, sweep, bare});
    const QStringList names = namesOf(choice);
    for (const char* name : {"memory_timeline", "memory_heatmap", "memory_trends", "memory_analysis_overview"})
        QVERIFY2(names.contains(QLatin1String(name)), name);
    for (const FigureOfFile& file : choice.files)
        QVERIFY2(checkFigure(file.figure, file.results).ok(), file.name.c_str());
    // The overview is of the run and of the sweep, the timeline of the run alone, and both say so.
    const QStringList& notes = choice.notes;
    QVERIFY(notes.contains(QStringLiteral("memory_analysis_overview: 2 of 3 results hold it, not those of bare.json")));
    QVERIFY(
        notes.contains(QStringLiteral("memory_timeline: 1 of 3 results hold it, not those of sweep.json, bare.json")));
    QVERIFY(notes.contains(QStringLiteral("bare.json: it holds nothing that a figure could show")));
    QVERIFY(chooseAllFigures({bare}).files.empty());
    // Of a folder: files where they are known, else how many.
    const QTemporaryDir folder;
    RunResult known;
    known.other["source"] = {{"file", "known.json"}};
    const SourcedResult in{shared(sampleRun()), folder.path()}, nameless{shared(RunResult()), folder.path()};
    const QStringList ofFolder =
        chooseAllFigures({in, nameless, nameless, {shared(known), folder.path()}}).notes.filter("memory_timeline");
    QCOMPARE(ofFolder, QStringList{QStringLiteral("memory_timeline: 1 of 4 results hold it, not those of %1 (2 "
                                                  "results), %1/known.json")
                                       .arg(folder.path())});
}

void TestFigureChoice::moreRunsThanAPage()
{
    std::vector<SourcedResult> runs;
    for (int i = 0; i < 10; ++i)
        runs.push_back({shared(sampleRun({.id = "run-" + std::to_string(i)})), QStringLiteral("%1.json").arg(i)});
    const FigureChoice choice = chooseAllFigures(runs);
    const QStringList names = namesOf(choice);
    QVERIFY(names.contains(QStringLiteral("memory_timeline-1")) && names.contains(QStringLiteral("memory_timeline-2")));
    QVERIFY(names.contains(QStringLiteral("memory_analysis_overview"))); // has room for all of them
    std::size_t drawn = 0;
    for (const FigureOfFile& file : choice.files)
        drawn += file.figure == "memory_timeline" ? file.results.size() : 0;
    QCOMPARE(drawn, std::size_t{10});
}

void TestFigureChoice::aSweepGivesAFileAPoint()
{
    QTemporaryDir folder;
    const auto inFolder = [&folder](const char* name) { return folder.filePath(QLatin1String(name)); };
    QVERIFY(saveRunResult(sampleRun(), inFolder("point-64.json").toStdString()).ok());
    const SourcedResult sweep{shared(sweepResult(sweepOfTwo())), inFolder("sweep.json")};
    FigureChoice choice = chooseFigure("memory_timeline", {sweep});
    QCOMPARE(namesOf(choice), (QStringList{"memory_timeline_config_0001_seq_64"}));
    QVERIFY(choice.files[0].results[0]->other["source"]["setting"] == "seq 64"); // for its title
    QVERIFY(choice.notes.size() == 1 && choice.notes[0].endsWith(QStringLiteral("can't be read: point-128.json")));
    QVERIFY(saveRunResult(sampleRun(), inFolder("point-128.json").toStdString()).ok());
    choice = chooseAllFigures({sweep});
    QVERIFY(choice.notes.isEmpty());
    QVERIFY(namesOf(choice).contains(QStringLiteral("memory_timeline_config_0002_seq_128")));
    // What the sweep holds itself stays one figure.
    QCOMPARE(namesOf(chooseFigure("memory_heatmap", {sweep})), QStringList{"memory_heatmap"});
    // Points of another program's sweep: the stages that it measured, without modules and components.
    const QString file =
        QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/sweep/memory_profile_results.json");
    auto read = readAny(file.toStdString());
    QVERIFY(read && read->size() == 1);
    const SourcedResult imported{finishedResult(std::move(read->front())), file};
    choice = chooseFigure("detailed_memory_analysis", {imported});
    const std::size_t points = sweepOf(*imported.result)->points.size();
    QVERIFY(points > 1);
    QCOMPARE(choice.files.size(), points);
    QCOMPARE(namesOf(chooseAllFigures({imported})).filter("detailed_memory_analysis_config_").size(),
             static_cast<qsizetype>(points));
    QVERIFY(figureCsv("detailed_memory_analysis", choice.files[0].results).contains(",stages,model_download,"));
}

void TestFigureChoice::ofManyPointsAFew()
{
    const QTemporaryDir folder;
    SweepDocument sweep;
    sweep.keys = {"data.seq"};
    sweep.status = "complete";
    for (const int seq : {8, 1, 6, 3, 5, 2, 7, 4}) {
        RunResult run = sampleRun();
        run.memory->peakBytes = 1000 * seq;
        SweepPoint point;
        point.values = {{"data.seq", seq}};
        point.status = "complete";
        point.measured = true;
        point.peakBytes = 1000 * seq;
        point.file = "point-" + std::to_string(seq) + ".json";
        QVERIFY(saveRunResult(run, folder.filePath(QString::fromStdString(point.file)).toStdString()).ok());
        sweep.points.push_back(std::move(point));
    }
    const SourcedResult source{shared(sweepResult(sweep)), folder.filePath(QStringLiteral("sweep.json"))};
    const FigureChoice choice = chooseAllFigures({source});
    QCOMPARE(namesOf(choice).filter("memory_timeline"),
             (QStringList{"memory_timeline_config_0002_seq_1", "memory_timeline_config_0008_seq_4",
                          "memory_timeline_config_0001_seq_8"}));
    QCOMPARE(choice.notes, (QStringList{source.file + ": memory_timeline of 3 of its 8 points, by their peaks; "
                                                      "--figure memory_timeline draws all"}));
    QCOMPARE(chooseFigure("memory_timeline", {source}).files.size(), std::size_t{8}); // asked for by name
}

void TestFigureChoice::onePointIsNoFigure()
{
    const SourcedResult run{shared(sampleRun()), QStringLiteral("run.json")};
    const SourcedResult other{shared(sampleRun({.id = "other"})), QStringLiteral("other.json")};
    const SourcedResult bare{shared(RunResult()), QStringLiteral("bare.json")};
    const QString tradeoff = QStringLiteral("performance_tradeoff");
    QVERIFY(!namesOf(chooseAllFigures({run})).contains(tradeoff));
    QVERIFY(!namesOf(chooseAllFigures({run, bare})).contains(tradeoff));
    QVERIFY(namesOf(chooseAllFigures({run, other})).contains(tradeoff));
    QVERIFY(namesOf(chooseAllFigures({run, other, bare})).contains(tradeoff));
    QCOMPARE(QString::fromStdString(checkFigure("performance_tradeoff", {run.result}).error().text()),
             QStringLiteral("performance_tradeoff: it compares results; 1 was given, and it needs 2 or more"));
    // The overview of one run has no peak and no time that stand alone.
    QStringList panels;
    for (const FigurePanel& panel : figurePanels("memory_analysis_overview", {run.result}))
        panels << panel.title;
    QCOMPARE(panels, (QStringList{"Peak of each phase", "By kind of module"}));
}

// Of two devices one ran out of memory: the other has no picture of that instant.
void TestFigureChoice::devicesThatHaveTheInstant()
{
    using test::entry, test::kBase, test::kMiB;
    const nlohmann::json events = {entry("segment_alloc", kBase, 40 * kMiB, 1), entry("alloc", kBase, 4 * kMiB, 2)};
    nlohmann::json traces = nlohmann::json::array({events, events});
    traces[1].push_back(entry("oom", 0, 64 * kMiB, 3));
    const QByteArray bytes = pickled({{"segments", nlohmann::json::array()}, {"device_traces", traces}});
    auto read = readAnyBytes(bytes.toStdString(), "two.pickle");
    QVERIFY(read && read->size() == 2);
    std::vector<SourcedResult> sources;
    for (RunResult& result : *read)
        sources.push_back({shared(std::move(result)), QStringLiteral("two.pickle")});
    std::vector<SourcedResult> both = sources;
    QVERIFY(keepThoseAt("peak", both).ok());
    QCOMPARE(both.size(), std::size_t{2});
    QVERIFY(keepThoseAt("oom", sources).ok());
    QCOMPARE(sources.size(), std::size_t{1});
    QCOMPARE(sources.front().result->config["device"], nlohmann::json("cuda:1"));
    std::vector<SourcedResult> other{both.back()};
    QVERIFY(!keepThoseAt("oom", other).ok());
}

PEAKSCOPE_TEST(TestFigureChoice)
#include "test_figure_choice.moc"
