// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands that run something say of it under --events: one form for all, and exactly one last word.
#include "core/protocol/event.h"
#include "tests/engine/process/said.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <vector>

using namespace peakscope;
using namespace peakscope::test;
using Json = nlohmann::json;

namespace {

Json experiment()
{
    return {{"kind", "memory"},
            {"device", "cpu"},
            {"threads", 1},
            {"model", {{"family", "gpt2"}, {"hidden", 16}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}},
            {"data", {{"source", "builtin"}, {"batch", 2}, {"seq", 16}}},
            {"training", {{"steps", 1}, {"warmup_steps", 0}}}};
}

template <typename T>
std::vector<T> of(const std::vector<Event>& events)
{
    std::vector<T> found;
    for (const Event& event : events) {
        if (const auto* one = std::get_if<T>(&event))
            found.push_back(*one);
    }
    return found;
}

} // namespace

class TestCommandEvents : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { startWarmEngine(); }
    void init();
    void aComparisonNamesItsRuns();
    void aSweepCountsItsPoints();
    void aRunNamesItsResult();
    void theLastWordIsOfAWorkerThatIsGone();
    void aResultIsKeptElsewhere();
    void programsThatRecordNothing_data();
    void programsThatRecordNothing();
    void aProgramsSecretsAreLeftOut();
    void oneStandardOutput_data();
    void oneStandardOutput();

private:
    QString write(const QString& name, const Json& json) const;
    QString path(const QString& name) const { return m_folder->filePath(name); }
    // The events that a command says on standard output, each line of it; fails where a line is none, where the first
    // is no start or the last not the only end.
    std::vector<Event> eventsOf(const Said& said) const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCommandEvents::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

QString TestCommandEvents::write(const QString& name, const Json& json) const
{
    QFile file(path(name));
    const std::string text = json.dump();
    const bool written = file.open(QIODevice::WriteOnly) && file.write(text.c_str(), qint64(text.size())) > 0;
    return written ? path(name) : QString();
}

std::vector<Event> TestCommandEvents::eventsOf(const Said& said) const
{
    std::vector<Event> events;
    EventReader reader;
    for (const QString& line : said.out.split(u'\n', Qt::SkipEmptyParts)) {
        auto event = reader.read(line.toStdString());
        if (!event) {
            QTest::qFail(qPrintable(line), __FILE__, __LINE__);
            return {};
        }
        events.push_back(std::move(*event));
    }
    const bool whole = events.size() > 1 && std::holds_alternative<StartEvent>(events.front()) &&
                       std::holds_alternative<EndEvent>(events.back()) && of<EndEvent>(events).size() == 1;
    if (!whole) {
        QTest::qFail(qPrintable(said.out + said.error), __FILE__, __LINE__);
        return {};
    }
    return events;
}

void TestCommandEvents::aComparisonNamesItsRuns()
{
    const Said said = say({"compare-methods", write("e.json", experiment()), "--out", path("out"), "--methods",
                           "vanilla,ghost", "--rounds", "2", "--no-figures", "--events", "-"});
    QVERIFY2(said.status == 0, qPrintable(said.error));
    const std::vector<Event> events = eventsOf(said);
    QVERIFY(!events.empty());
    QCOMPARE(std::get<StartEvent>(events.front()).config["methods"], Json({"vanilla", "ghost"}));
    std::set<std::string> files;
    for (const PointEvent& point : of<PointEvent>(events)) {
        QCOMPARE(point.values["status"], Json("complete"));
        files.insert(point.values["file"].get<std::string>());
        QVERIFY(point.values.contains("round") || point.values["peak_bytes"].get<std::int64_t>() > 0);
    }
    QCOMPARE(files, (std::set<std::string>{".runs/vanilla-memory.json", ".runs/ghost-memory.json",
                                           ".runs/vanilla-time-1.json", ".runs/ghost-time-1.json",
                                           ".runs/vanilla-time-2.json", ".runs/ghost-time-2.json"}));
    std::int64_t done = 0;
    for (const ProgressEvent& progress : of<ProgressEvent>(events)) {
        QCOMPARE(progress.done, done++);
        QCOMPARE(progress.all, std::int64_t{6});
        QCOMPARE(progress.remainingSeconds.has_value(), progress.done > 0);
    }
    QCOMPARE(done, std::int64_t{6});
    const EndEvent end = std::get<EndEvent>(events.back());
    QCOMPARE(end.status, RunStatus::Complete);
    QCOMPARE(QString::fromStdString(end.file), path("out"));
}

void TestCommandEvents::aSweepCountsItsPoints()
{
    const Said said = say({"sweep", write("s.json", {{"base", experiment()}, {"grid", {{"data.seq", {16, 24}}}}}),
                           "--out", path("out"), "--events", "-"});
    QVERIFY2(said.status == 0, qPrintable(said.error));
    const std::vector<Event> events = eventsOf(said);
    const auto progress = of<ProgressEvent>(events);
    QCOMPARE(progress.size(), std::size_t{3}); // the first before any point
    for (std::size_t i = 0; i < progress.size(); ++i) {
        QCOMPARE(progress[i].done, std::int64_t(i));
        QCOMPARE(progress[i].all, std::int64_t{2});
    }
    for (const PointEvent& point : of<PointEvent>(events))
        QVERIFY(QFile::exists(path("out/") + QString::fromStdString(point.values["file"].get<std::string>())));
    QCOMPARE(QString::fromStdString(std::get<EndEvent>(events.back()).file), path("out/sweep.json"));
}

void TestCommandEvents::aRunNamesItsResult()
{
    const Said said = say({"run", write("e.json", experiment()), "--out", path("r.json"), "--events", "-"});
    QVERIFY2(said.status == 0, qPrintable(said.error));
    const std::vector<Event> events = eventsOf(said);
    QVERIFY(!events.empty());
    const EndEvent end = std::get<EndEvent>(events.back());
    QCOMPARE(end.status, RunStatus::Complete);
    QVERIFY(!end.fate);
    QCOMPARE(QString::fromStdString(end.file), path("r.json"));
    QCOMPARE(readJson(path("r.json"))["status"], Json("complete"));
}

// The launcher starts the worker, lets it say its start and kills it.
void TestCommandEvents::theLastWordIsOfAWorkerThatIsGone()
{
    Json killed = experiment();
    killed["launcher"] = {"/bin/sh", "-c", "\"$@\" | head -n 1; kill -SEGV $$", "sh"};
    const Said said = say({"run", write("e.json", killed), "--out", path("r.json"), "--events", "-"});
    QCOMPARE(said.status, 4);
    const std::vector<Event> events = eventsOf(said);
    QVERIFY(!events.empty());
    const EndEvent end = std::get<EndEvent>(events.back());
    QCOMPARE(end.status, RunStatus::Interrupted);
    QVERIFY(end.fate.has_value());
    QCOMPARE(end.fate->fate.kind, WorkerFate::Kind::LauncherEnded);
    QCOMPARE(end.fate->fate.number, 11);
    QCOMPARE(end.fate->launcher, std::string("/bin/sh"));
    QCOMPARE(end.fate->sentence(), end.message);
    QCOMPARE(QString::fromStdString(end.file), path("r.json"));
}

// The folder goes while the run is under way.
void TestCommandEvents::aResultIsKeptElsewhere()
{
    QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("out")) && QDir(m_folder->path()).mkpath("temporary"));
    Json experimentGone = experiment();
    // Once more where the result is being saved at that moment.
    const std::string out = path("out").toStdString();
    experimentGone["launcher"] = {"/bin/sh", "-c",
                                  "\"$@\"; until rm -r " + out + " 2> /dev/null; do :; done; touch " + out, "sh"};
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TMPDIR"), path("temporary"));
    process.setProcessEnvironment(environment);
    process.start(kCli, {"run", write("e.json", experimentGone), "--out", path("out/r.json"), "--events", "-"});
    const Said said = endOf(process);
    QVERIFY2(said.status == 1, qPrintable(said.error));
    const std::vector<Event> events = eventsOf(said);
    QVERIFY(!events.empty());
    const EndEvent end = std::get<EndEvent>(events.back());
    const QString file = QString::fromStdString(end.file);
    QVERIFY2(file.startsWith(path("temporary/")), qPrintable(file));
    QVERIFY(said.error.contains(file));
    const Json kept = readJson(file);
    QCOMPARE(kept["status"], Json("complete"));
    QVERIFY(kept["memory"]["peak_bytes"].get<std::int64_t>() > 0);
}

// No PyTorch is needed for these.
void TestCommandEvents::programsThatRecordNothing_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("status");
    QTest::addColumn<int>("kind"); // of the fate; -1: none
    QTest::addColumn<int>("number");
    using Kind = WorkerFate::Kind;
    const QStringList record{"record", "--device", "dry:rtx-4090"};
    const auto row = [](const char* name, const QStringList& words, int status, int kind, int number) {
        QTest::newRow(name) << words << status << kind << number;
    };
    row("exits", record + QStringList{"--", "sh", "-c", "echo out''put; exit 3"}, 3, int(Kind::Exited), 3);
    row("is killed", record + QStringList{"--", "sh", "-c", "kill -KILL $$"}, 137, int(Kind::Killed), 9);
    const QStringList here{"record", "--device", "cpu"};
    row("exits here", here + QStringList{"--", "sh", "-c", "echo out''put; exit 3"}, 3, int(Kind::Exited), 3);
    row("is killed here", here + QStringList{"--", "sh", "-c", "kill -KILL $$"}, 137, int(Kind::Killed), 9);
    row("records nothing here", here + QStringList{"--", "true"}, 0, -1, 0);
    row("records nothing", record + QStringList{"--", "true"}, 0, -1, 0);
    row("records nothing here, strict", here + QStringList{"--strict", "--", "true"}, 1, -1, 0);
    row("ranks", record + QStringList{"--world", "2", "--rank", "0,1", "--", "sh", "-c", "exit 3"}, 3,
        int(Kind::Exited), 3);
    row("search", {"fit", "--device", "dry:rtx-4090", "--vary", "n=1..2", "--", "sh", "-c", "exit {n}"}, 1, -1, 0);
}

void TestCommandEvents::programsThatRecordNothing()
{
    QFETCH(const QStringList, words);
    QFETCH(const int, kind);
    const Said said = say(QStringList{words.front(), "--events", "-"} + words.mid(1));
    QTEST(said.status, "status");
    QVERIFY(!said.out.contains(QStringLiteral("output")));
    const std::vector<Event> events = eventsOf(said);
    QVERIFY(!events.empty());
    const EndEvent end = std::get<EndEvent>(events.back());
    QCOMPARE(end.status, RunStatus::Failed);
    QVERIFY(!end.message.empty() && !end.badInput);
    QCOMPARE(end.fate.has_value(), kind >= 0);
    if (end.fate) {
        QCOMPARE(int(end.fate->fate.kind), kind);
        QTEST(int(end.fate->fate.number), "number");
    }
}

// As in results.
void TestCommandEvents::aProgramsSecretsAreLeftOut()
{
    const QStringList program{"--", "false", "--token", "hush-hush"};
    for (const QStringList& words :
         {QStringList{"record", "--device", "dry:rtx-4090"} + program,
          QStringList{"fit", "--device", "dry:rtx-4090", "--vary", "n=1..2"} + program + QStringList{"{n}"}}) {
        const Said said = say(QStringList{words.front(), "--events", "-"} + words.mid(1));
        QCOMPARE(said.status, 1);
        const auto starts = of<StartEvent>(eventsOf(said));
        QCOMPARE(starts.size(), std::size_t(1));
        QVERIFY2(starts.front().config["program"]["command"][2] == "[removed]", starts.front().config.dump().c_str());
        QVERIFY2(!said.out.contains(QStringLiteral("hush-hush")), qPrintable(said.out));
    }
}

void TestCommandEvents::oneStandardOutput_data()
{
    QTest::addColumn<QStringList>("words");
    const QStringList record{"record", "--device", "dry:rtx-4090", "--events", "-"};
    QTest::newRow("result here") << QStringList{"record", "--events", "-", "--out", "-", "--", "true"};
    QTest::newRow("result") << record + QStringList{"--out", "-", "--", "true"};
    QTest::newRow("JSON") << record + QStringList{"--json", "--", "true"};
    QTest::newRow("search") << QStringList{"fit",         "--device", "dry:rtx-4090", "--vary", "n=1..2", "--events",
                                           "/dev/stdout", "--json",   "--",           "true",   "{n}"};
}

void TestCommandEvents::oneStandardOutput()
{
    QFETCH(const QStringList, words);
    const Said said = say(words);
    QCOMPARE(said.status, 2);
    QVERIFY2(said.error.contains(QStringLiteral("--events: ")), qPrintable(said.error));
    QVERIFY(said.out.isEmpty());
}

PEAKSCOPE_GUILESS_TEST(TestCommandEvents)
#include "test_command_events.moc"
