// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps and method comparisons through the command line, with real workers: killed and resumed they end as undisturbed
// ones do, but for times.
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/import/read_any.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/timed_round.h"
#include "tests/engine/process/said.h"
#include "tests/engine/process/without_times.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>

using namespace peakscope;
using Json = nlohmann::json;
using peakscope::test::kCli;
using peakscope::test::ownWorkers;
using peakscope::test::Said;
using peakscope::test::say;

namespace {

Json experiment()
{
    return Json::parse(R"({"kind": "memory", "model": {"family": "plain", "hidden": 32, "layers": 1, "heads": 2,
        "vocab": 256, "max_positions": 256}, "data": {"batch": 2, "seq": 16}, "device": "cpu", "threads": 1,
        "training": {"steps": 1, "warmup_steps": 0}})");
}

Json document(const QString& folder)
{
    const auto text = readTextFile(QDir(folder).filePath("sweep.json").toStdString());
    const auto json = text ? parseJson(*text) : Result<Json>(text.error());
    return json ? *json : Json();
}

// What the events say was run: (point, round), in order.
std::vector<std::pair<int, int>> roundsRun(const QString& events)
{
    std::vector<std::pair<int, int>> rounds;
    const auto text = readTextFile(events.toStdString());
    for (const QString& line : QString::fromStdString(text ? *text : "").split(u'\n', Qt::SkipEmptyParts)) {
        const auto event = parseJson(line.toStdString());
        if (event && event->value("event", "") == "point") {
            const Json values = event->value("values", Json::object());
            rounds.emplace_back(values.value("index", -1), values.value("round", -1));
        }
    }
    return rounds;
}

std::size_t measuredPoints(const QString& folder)
{
    const auto sweep = loadSweep(QDir(folder).filePath("sweep.json").toStdString());
    std::size_t count = 0;
    for (std::size_t i = 0; sweep && i < sweep->points.size(); ++i)
        count += sweep->points[i].measured;
    return count;
}

} // namespace

class TestSweepRun : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { startWarmEngine(); } // for the points
    void init();
    void killedAndResumed();
    void saysAtOnceHowManyThereAre();
    void predictedPointsSaySo();
    void timesApart();
    void pointsTakeTurns();
    void turnsResumed();
    void badSweeps_data();
    void badSweeps();
    void methodsTakeTurns();
    void methodsOfAnUnusableExperiment();
    void methodsCompared();
    void commandsAreSaid();
    void comparisonResumed();

private:
    QString write(const QString& name, const Json& json);
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSweepRun::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    if (!QFile::exists(kCli))
        QSKIP("this build has no peakscope-cli");
}

QString TestSweepRun::write(const QString& name, const Json& json)
{
    const QString path = m_folder->filePath(name);
    return writeFileAtomically(path.toStdString(), json.dump()) ? path : QString();
}

void TestSweepRun::killedAndResumed()
{
    Json base = experiment();
    base["budget_bytes"] = 1'000'000;
    const QString file = write(
        "s.json", {{"base", base}, {"grid", {{"data.seq", {16, 32, 256}}, {"training.clipping", {"none", "flash"}}}}});
    const QString whole = m_folder->filePath("whole"), broken = m_folder->filePath("broken");
    const Said undisturbed = say({"sweep", file, "--out", whole});
    QVERIFY2(undisturbed.status == 0, qPrintable(undisturbed.error));
    const auto sweep = loadSweep(QDir(whole).filePath("sweep.json").toStdString());
    QVERIFY(sweep && sweep->complete() && sweep->status == "complete");
    int over = 0;
    for (const SweepPoint& point : sweep->points) {
        const bool refused = point.state() == SweepCellState::OverBudget;
        over += refused;
        QVERIFY(point.measured && point.peakBytes &&
                QFile::exists(QDir(whole).filePath(QString::fromStdString(point.file))));
        if (refused)
            QVERIFY(point.neededBytes.value_or(0) > 1'000'000 && !point.message.empty());
        else
            QVERIFY(point.medianStepSeconds.value_or(0) > 0);
    }
    QVERIFY2(over >= 2 && over <= 4, qPrintable(QString::number(over)));

    QProcess process;
    process.setProcessEnvironment(ownWorkers());
    process.start(kCli, {"sweep", file, "--out", broken});
    QElapsedTimer clock;
    clock.start();
    while (measuredPoints(broken) < 2 && clock.elapsed() < 60'000)
        QTest::qWait(20);
    process.kill(); // SIGKILL
    QVERIFY(process.waitForFinished());
    const std::size_t before = measuredPoints(broken);
    QVERIFY(before >= 2 && before < 6);
    QCOMPARE(document(broken)["status"].get<std::string>(), std::string("interrupted"));
    const Said resumed = say({"sweep", file, "--out", broken, "--resume"});
    QVERIFY2(resumed.status == 0, qPrintable(resumed.error));
    QVERIFY(resumed.out.contains(QStringLiteral("%1 of 6 points were there already").arg(before)));
    QCOMPARE(withoutTimes(document(broken)).dump(1), withoutTimes(document(whole)).dump(1));
    // Another sweep does not go on in this folder.
    const QString other = write("o.json", {{"base", base}, {"grid", {{"data.seq", {16}}}}});
    QCOMPARE(say({"sweep", other, "--out", broken, "--resume"}).status, 2);
}

void TestSweepRun::predictedPointsSaySo()
{
    Json base = experiment();
    base["budget_bytes"] = 300'000;
    const QString file =
        write("s.json", {{"base", base}, {"grid", {{"data.seq", {128, 256}}}}, {"over_budget", "predict"}});
    const QString out = m_folder->filePath("out");
    QCOMPARE(say({"sweep", file, "--out", out}).status, 0);
    const auto sweep = loadSweep(QDir(out).filePath("sweep.json").toStdString());
    QVERIFY(sweep);
    QCOMPARE(sweep->points[0].state(), SweepCellState::OverBudget);
    QCOMPARE(sweep->points[1].state(), SweepCellState::PredictedOverBudget);
    QVERIFY(!sweep->points[1].measured && !sweep->points[1].peakBytes && sweep->points[1].file.empty());
}

void TestSweepRun::timesApart()
{
    Json base = experiment();
    base["training"]["steps"] = 3;
    base["training"]["warmup_steps"] = 2;
    const QString file =
        write("s.json", {{"base", base}, {"grid", {{"data.seq", {16}}}}, {"timing", true}, {"repeats", 2}});
    const QString out = m_folder->filePath("out");
    const Said ran = say({"sweep", file, "--out", out});
    QVERIFY2(ran.status == 0, qPrintable(ran.error));
    const auto sweep = loadSweep(QDir(out).filePath("sweep.json").toStdString());
    QVERIFY(sweep);
    const SweepPoint& point = sweep->points[0];
    QCOMPARE(point.stepSeconds.size(), std::size_t{6});
    QCOMPARE(point.warmupSeconds.size(), std::size_t{4});
    QVERIFY(!point.traced && point.medianStepSeconds && point.spreadSeconds);
    const auto time = loadRunResult(QDir(out).filePath(QString::fromStdString(point.timeFile)).toStdString());
    QVERIFY(time && time->timing && !time->timing->traced && !time->memory);
    const auto memory = loadRunResult(QDir(out).filePath(QString::fromStdString(point.file)).toStdString());
    QVERIFY(memory && memory->memory && memory->timing && memory->timing->traced);
}

// A round of all points after another, and none is always first.
void TestSweepRun::pointsTakeTurns()
{
    const QString file = write(
        "s.json", {{"base", experiment()}, {"grid", {{"data.seq", {16, 24, 32}}}}, {"timing", true}, {"repeats", 3}});
    const QString out = m_folder->filePath("out"), events = m_folder->filePath("events");
    const Said ran = say({"sweep", file, "--out", out, "--events", events});
    QVERIFY2(ran.status == 0, qPrintable(ran.error));
    const auto rounds = roundsRun(events);
    QCOMPARE(rounds.size(), std::size_t{9});
    std::vector<int> first, second;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        QCOMPARE(rounds[i].second, static_cast<int>(i / 3) + 1);
        if (i < 6)
            (i < 3 ? first : second).push_back(rounds[i].first);
    }
    QVERIFY(std::equal(first.begin(), first.end(), second.rbegin(), second.rend()));
    QVERIFY(rounds[6].first != rounds[0].first && rounds[6].first != rounds[3].first);
    const auto sweep = loadSweep(QDir(out).filePath("sweep.json").toStdString());
    QVERIFY(sweep && sweep->complete());
    for (const SweepPoint& point : sweep->points) {
        const auto timed = roundsFromJson(point.other);
        QCOMPARE(timed.size(), std::size_t{3});
        QCOMPARE(point.stepSeconds.size(), std::size_t{3});
        for (const TimedRound& round : timed)
            QVERIFY(round.medianSeconds > 0 && round.wallSeconds > 0 && round.processorSeconds > 0);
    }
    QVERIFY(!QFile::exists(QDir(out).filePath(".sweep"))); // nothing half done stays
}

// What was timed before an interruption is not timed again, and the turns go on where they were.
void TestSweepRun::turnsResumed()
{
    const QString file =
        write("s.json", {{"base", experiment()}, {"grid", {{"data.seq", {16, 24, 32}}}}, {"repeats", 4}});
    const QString out = m_folder->filePath("out"), events = m_folder->filePath("events"),
                  later = m_folder->filePath("later");
    QProcess process;
    process.setProcessEnvironment(ownWorkers());
    process.start(kCli, {"sweep", file, "--out", out, "--events", events});
    QElapsedTimer clock;
    clock.start();
    while (roundsRun(events).size() < 5 && clock.elapsed() < 60'000)
        QTest::qWait(10);
    process.kill(); // SIGKILL
    QVERIFY(process.waitForFinished());
    const auto before = roundsRun(events);
    QVERIFY(before.size() >= 5 && before.size() < 12);
    const Said resumed = say({"sweep", file, "--out", out, "--resume", "--events", later});
    QVERIFY2(resumed.status == 0, qPrintable(resumed.error));
    std::vector<std::pair<int, int>> all = before;
    const auto after = roundsRun(later);
    all.insert(all.end(), after.begin(), after.end());
    std::sort(all.begin(), all.end());
    // The round in which it was killed may be through without having been told.
    QVERIFY(std::adjacent_find(all.begin(), all.end()) == all.end());
    QVERIFY(all.size() == 12 || all.size() == 11);
    const auto sweep = loadSweep(QDir(out).filePath("sweep.json").toStdString());
    QVERIFY(sweep && sweep->complete());
    for (const SweepPoint& point : sweep->points)
        QCOMPARE(point.stepSeconds.size(), std::size_t{4});
}

// Before its first point, and once it goes on with some.
void TestSweepRun::saysAtOnceHowManyThereAre()
{
    const QString file = write("s.json", {{"base", experiment()}, {"grid", {{"data.seq", {16, 24}}}}});
    const QString out = m_folder->filePath("out"), events = m_folder->filePath("events");
    const auto firstProgress = [&events] {
        const auto text = readTextFile(events.toStdString());
        for (const QString& line : QString::fromStdString(text ? *text : "").split(u'\n', Qt::SkipEmptyParts)) {
            const auto event = parseJson(line.toStdString());
            if (event && event->value("event", "") == "point")
                break;
            if (event && event->value("event", "") == "progress")
                return std::pair(event->value("done", 0), event->value("all", -1)); // none is not written
        }
        return std::pair(-1, -1);
    };
    QCOMPARE(say({"sweep", file, "--out", out, "--events", events}).status, 0);
    QCOMPARE(firstProgress(), std::pair(0, 2));
    QCOMPARE(say({"sweep", file, "--out", out, "--resume", "--events", events}).status, 0);
    QCOMPARE(firstProgress(), std::pair(2, 2));
}

void TestSweepRun::badSweeps_data()
{
    QTest::addColumn<QString>("grid");
    QTest::newRow("unknown key") << R"({"data.sequence": [16]})";
    QTest::newRow("empty grid") << R"({})";
    QTest::newRow("nothing of it runs") << R"({"kind": ["curvature"], "dtype": ["bfloat16"]})";
}

void TestSweepRun::badSweeps()
{
    QFETCH(QString, grid);
    const QString file = write("s.json", {{"base", experiment()}, {"grid", Json::parse(grid.toStdString())}});
    const Said ran = say({"sweep", file, "--out", m_folder->filePath("out")});
    QCOMPARE(ran.status, 2);
    QCOMPARE(ran.error.trimmed().count(u'\n'), 0);
    QVERIFY(!QFile::exists(m_folder->filePath("out")));
    // A file in the folder's place.
    const QString good = write("g.json", {{"base", experiment()}, {"grid", {{"data.seq", {16}}}}});
    const Said unwritable = say({"sweep", good, "--out", good});
    QCOMPARE(unwritable.status, 2);
    QCOMPARE(unwritable.error.trimmed().count(u'\n'), 0);
}

// By what is started, whatever the results say: no method is through before another one begins.
void TestSweepRun::methodsTakeTurns()
{
    const QString script = m_folder->filePath("note.sh"), log = m_folder->filePath("begun");
    // Notes the method of the experiment that it is given, a line, and hands on that line and what follows.
    const QString text = QStringLiteral(R"(#!/bin/sh
IFS= read -r line
printf '%s\n' "$line" | tr -d ' ' | grep -o '"clipping":"[a-z]*"' >>'%1'
mkfifo '%1'.$$
exec 3<&0
{ printf '%s\n' "$line"; exec cat <&3; } >'%1'.$$ &
"$@" <'%1'.$$
status=$?
kill $!
exit $status
)");
    QVERIFY(writeFileAtomically(script.toStdString(), text.arg(log).toStdString()));
    QVERIFY(QFile::setPermissions(script, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    Json noted = experiment();
    noted["launcher"] = {script.toStdString()};
    const Said ran = say({"compare-methods", write("e.json", noted), "--out", m_folder->filePath("out"), "--methods",
                          "vanilla,ghost", "--no-figures"});
    QVERIFY2(ran.status == 0, qPrintable(ran.error));
    const auto lines = readTextFile(log.toStdString());
    QVERIFY(lines);
    const QStringList begun = QString::fromStdString(*lines).split(u'\n', Qt::SkipEmptyParts);
    QVERIFY2(begun.lastIndexOf(R"("clipping":"none")") > begun.indexOf(R"("clipping":"ghost")"),
             qPrintable(begun.join(u' ')));
}

// What every method would stumble over stops the first, once, and leaves no results.
void TestSweepRun::methodsOfAnUnusableExperiment()
{
    Json unusable = experiment();
    unusable["data"]["source"] = "text";
    unusable["data"]["path"] = m_folder->filePath("nowhere.txt").toStdString();
    const QString file = write("e.json", unusable), out = m_folder->filePath("out");
    const Said said = say({"compare-methods", file, "--out", out, "--methods", "vanilla,ghost"});
    QCOMPARE(said.status, 2);
    QVERIFY2(said.error.startsWith("peakscope-cli: " + file + ": data.path: ") && said.error.count(u'\n') == 1,
             qPrintable(said.error));
    QCOMPARE(said.out, QString());
    QCOMPARE(QDir(out).entryList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot), QStringList());
}

void TestSweepRun::methodsCompared()
{
    const QString file = write("e.json", experiment());
    const QString out = m_folder->filePath("out");
    const Said ran = say({"compare-methods", file, "--out", out, "--methods", "vanilla,ghost,flash_bk", "--rounds", "3",
                          "--no-figures"});
    QVERIFY2(ran.status == 0, qPrintable(ran.error));
    // The table says a ratio with its interval, or that there is none to be said.
    const bool busy = ran.out.contains("too busy");
    QVERIFY2(busy || ran.out.contains("median of the ratios within 3 rounds"), qPrintable(ran.out));
    std::map<std::string, std::vector<std::string>> begun; // each method's time runs, whose names sort by time
    Json order;
    for (const char* method : {"vanilla", "ghost", "flash_bk"}) {
        const auto result =
            loadRunResult(QDir(out).filePath(QString::fromLatin1(method) + "_result.json").toStdString());
        QVERIFY2(result.ok(), method);
        QVERIFY(result->memory && result->memory->peakBytes > 0);
        QVERIFY(result->timing && !result->timing->traced);
        QVERIFY(result->other.contains("traced_timing"));
        QCOMPARE(result->timing->stepSeconds.size(), std::size_t{3});
        QCOMPARE(timedRounds(*result).size(), std::size_t{3});
        QVERIFY(!timingSession(*result).empty());
        const Json comparison = result->other["comparison"];
        order = comparison["order"];
        if (std::string(method) != "vanilla") {
            QVERIFY(comparison["too_busy"].is_boolean());
            QCOMPARE(comparison.contains("ratio"), !comparison["too_busy"].get<bool>());
        }
        for (const Json& run : result->other["time_runs"])
            begun[method].push_back(run["id"]);
    }
    QVERIFY2(order == Json::parse(R"([["vanilla", "ghost", "flash_bk"], ["flash_bk", "ghost", "vanilla"],
                                      ["ghost", "flash_bk", "vanilla"]])"),
             order.dump().c_str());
    std::vector<std::string> told;
    for (std::size_t round = 0; round < 3; ++round) {
        for (const Json& method : order[round])
            told.push_back(begun[method.get<std::string>()].at(round));
    }
    QVERIFY(std::is_sorted(told.begin(), told.end()));
    for (const char* name : {"summary.txt", "summary.csv", "summary.tex"})
        QVERIFY2(QFileInfo(QDir(out).filePath(name)).size() > 100, name);
    QVERIFY(QFile::exists(out + "/tables/flash_bk-components.csv"));
    const auto whole = readAny(out.toStdString());
    QVERIFY(whole && whole->size() == 3);
    for (const std::string& note : whole->front().notes)
        QVERIFY2(note.find("summary.csv") == std::string::npos, note.c_str());
    QCOMPARE(say({"compare-methods", file, "--out", out, "--methods", "goats"}).status, 2);
    const QString first = QDir(out).filePath("ghost_result.json");
    const QDateTime written = QFileInfo(first).lastModified();
    const Said again = say({"compare-methods", file, "--out", out, "--methods", "vanilla,ghost,flash_bk", "--rounds",
                            "3", "--no-figures", "--resume"});
    QCOMPARE(again.status, 0);
    QCOMPARE(QFileInfo(first).lastModified(), written); // all of it was there
}

void TestSweepRun::comparisonResumed()
{
    const QString file = write("e.json", experiment()), out = m_folder->filePath("out");
    const QStringList words{"compare-methods", file,       "--out", out,           "--methods",
                            "vanilla,ghost",   "--rounds", "6",     "--no-figures"};
    const QDir runs(out + "/.runs");
    QProcess process;
    process.setProcessEnvironment(ownWorkers());
    process.start(kCli, words);
    QElapsedTimer clock;
    clock.start();
    while (runs.entryList({"*-time-*"}).size() < 3 && clock.elapsed() < 60'000)
        QTest::qWait(10);
    process.kill(); // SIGKILL
    QVERIFY(process.waitForFinished());
    std::map<QString, QDateTime> before;
    for (const QFileInfo& info : runs.entryInfoList({"*-time-*"}))
        before[info.fileName()] = info.lastModified();
    QVERIFY(before.size() >= 3 && before.size() < 12);
    const auto kept = loadRunResult(runs.filePath("ghost-time-1.json").toStdString());
    QVERIFY(kept.ok());
    const Said resumed = say(words + QStringList{"--resume"});
    QVERIFY2(resumed.status == 0, qPrintable(resumed.error));
    const auto result = loadRunResult(QDir(out).filePath("ghost_result.json").toStdString());
    QVERIFY(result.ok());
    QCOMPARE(result->other["time_runs"].size(), std::size_t{6});
    QCOMPARE(result->other["time_runs"].at(0)["id"].get<std::string>(), kept->id); // not run again
    QVERIFY(!QFile::exists(out + "/.runs"));
}

// Which commands of the file start workers, each once, with nothing in it that a terminal would act on.
void TestSweepRun::commandsAreSaid()
{
    const auto through = [](const char* word) { return Json{"env", std::string("TZ=") + word}; };
    const auto saying = [](const char* word) {
        return QStringLiteral("peakscope-cli: the worker is started by: env %1\n").arg(QString::fromLatin1(word));
    };
    const QString sweep =
        write("s.json",
              {{"base", experiment()},
               {"grid",
                {{"launcher", Json::array({through("b"), through("c\x1b[2J d"), Json::array()})}, {"seed", {1, 2}}}}});
    const Said swept = say({"sweep", sweep, "--out", m_folder->filePath("swept")});
    QVERIFY2(swept.status == 0, qPrintable(swept.error));
    QCOMPARE(swept.error.count(saying("TZ=b")), 1);
    QCOMPARE(swept.error.count(saying(R"("TZ=c\u{1b}[2J d")")), 1);
    QCOMPARE(swept.error.count(QStringLiteral("is started by")), 2);
    Json base = experiment();
    base["launcher"] = through("b");
    const Said compared = say({"compare-methods", write("e.json", base), "--out", m_folder->filePath("out"),
                               "--methods", "vanilla", "--no-figures"});
    QVERIFY2(compared.status == 0, qPrintable(compared.error));
    QCOMPARE(compared.error.count(saying("TZ=b")), 1);
    // A program that reads what is said gets the lines that count.
    const Said ran = say({"run", write("r.json", base), "--out", m_folder->filePath("r.result.json")});
    QVERIFY2(ran.status == 0 && ran.error.isEmpty(), qPrintable(ran.error));
}

PEAKSCOPE_GUILESS_TEST(TestSweepRun)
#include "test_sweep_run.moc"
