// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The page of results for a browser: it holds the run's own numbers, its verdict, its advice and the lines that hold
// its peak, needs nothing beside itself, and shows names from a file as text.
#include "app/parts/translations.h"
#include "app/shell/command_line.h"
#include "app/window/report_page.h"
#include "core/import/read_any.h"
#include "core/results/memory_timeline.h"
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_samples.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

class TestReport : public QObject
{
    Q_OBJECT

private slots:
    void cleanup();
    void theTimelineIsTheRuns();
    void theVerdictIsOnTop();
    void linesOfAProgram();
    void adviceOnARun();
    void aSnapshot();
    void nothingElseIsNeeded();
    void namesAreText();
    void theSameResultsGiveTheSameBytes();
    void itSpeaksChinese();
    void theCommandLineWritesIt();
    void mistakesAreNamed_data();
    void mistakesAreNamed();
};

namespace {

std::vector<SourcedResult> sources(const RunResult& result)
{
    return {{shared(result), QStringLiteral("run.json")}};
}

QJsonObject timelineOf(const QByteArray& page)
{
    static const QRegularExpression script(QStringLiteral("<script type=\"application/json\">(.*?)</script>"),
                                           QRegularExpression::DotMatchesEverythingOption);
    return QJsonDocument::fromJson(script.match(QString::fromUtf8(page)).captured(1).toUtf8()).object();
}

} // namespace

void TestReport::cleanup()
{
    installTranslation(QStringLiteral("en"));
}

void TestReport::theTimelineIsTheRuns()
{
    const RunResult run = sampleRun();
    const MemoryTimeline timeline(run.memory->timeline);
    const QJsonObject data = timelineOf(reportPage(sources(run)));
    const QJsonArray times = data["time"].toArray(), totals = data["total"].toArray();
    QVERIFY(times.size() > 10);
    QCOMPARE(totals.size(), times.size());
    const int peak = data["peak"].toInt();
    QCOMPARE(qint64(totals[peak].toDouble()), timeline.peakBytes());
    QCOMPARE(times[peak].toDouble(), timeline.peakSeconds());
    for (qsizetype i = 0; i < times.size(); ++i) {
        double sum = 0;
        for (const QJsonValue& component : data["components"].toArray())
            sum += component["bytes"][i].toDouble();
        QCOMPARE(sum, totals[i].toDouble());
    }
}

void TestReport::theVerdictIsOnTop()
{
    const QString page = QString::fromUtf8(reportPage(sources(sampleRun())));
    const qsizetype verdict = page.indexOf(QLatin1String("<p class=\"verdict\"><b>complete</b> At the peak of "));
    QVERIFY(verdict > 0 && verdict < page.indexOf(QLatin1String("class=\"timeline\"")));
    RunResult ended = sampleRun({.status = RunStatus::OverBudget});
    ended.message = "20 bytes <more> than there are";
    const QString why = QString::fromUtf8(reportPage(sources(ended)));
    QVERIFY(why.contains(QLatin1String("<p class=\"verdict\"><b>over budget</b> At most ")));
    QVERIFY(why.contains(QLatin1String("<p>20 bytes &lt;more&gt; than there are</p>")));
}

void TestReport::linesOfAProgram()
{
    RunResult run = sampleRun();
    const QLatin1String title("By line, at the peak");
    QVERIFY(!QString::fromUtf8(reportPage(sources(run))).contains(title));
    const std::size_t events = run.memory->timeline.size();
    EventOwners& owners = run.memory->owners;
    owners.lines = {"train.py:7 <module>", "train.py:9 step"};
    owners.module = owners.operation = std::vector<std::uint32_t>(events, 0);
    owners.line = std::vector<std::uint32_t>(events, 1);
    const QString page = QString::fromUtf8(reportPage(sources(run)));
    QVERIFY(page.contains(title));
    QVERIFY(page.contains(QLatin1String("<td>train.py:7 &lt;module&gt;</td>")));
    QVERIFY(!page.contains(QLatin1String("train.py:9"))); // holds nothing
}

void TestReport::adviceOnARun()
{
    auto run = loadRunResult(PEAKSCOPE_SOURCE_DIR "/resources/samples/memory_result.json");
    QVERIFY(run);
    const QString page = QString::fromUtf8(reportPage(sources(*run)));
    static const QRegularExpression advice(
        QStringLiteral("<h3>Advice</h3><p>At the peak of [^<]+</p><ul><li>[^<]+: saves [0-9.]+ MiB; the predicted peak "
                       "is then [0-9.]+ MiB \\([^<]+\\)\\.</li>"));
    QVERIFY(advice.match(page).hasMatch());
    // Of another's program nothing can be changed.
    run->config = {{"kind", "memory"}, {"device", "cpu"}, {"program", {{"command", {"python", "train.py"}}}}};
    QVERIFY(!QString::fromUtf8(reportPage(sources(*run))).contains(QLatin1String("<h3>Advice</h3>")));
}

void TestReport::aSnapshot()
{
    auto read = readAny(std::string(PEAKSCOPE_SOURCE_DIR "/tests/core/data/cuda_snapshot.pickle"));
    QVERIFY(read);
    const QString page = QString::fromUtf8(reportPage(sources(read->front())));
    QVERIFY(page.contains(QLatin1String("</b> Peak 9.50 KiB")));
    QVERIFY(page.contains(QLatin1String("<h3>Advice</h3><p>At the end optim.py:7 step holds 4.88 KiB")));
    QVERIFY(page.contains(QLatin1String("<h3>By line, at the peak</h3>")));
    QVERIFY(page.contains(QLatin1String("<h3>Lines</h3>")));
    QVERIFY(!page.contains(QLatin1String(">Calls</th>")));
    QVERIFY(!page.contains(QLatin1String("<h3>Operators</h3>")));
}

void TestReport::nothingElseIsNeeded()
{
    const QString page = QString::fromUtf8(reportPage(sources(sampleRun())));
    static const QRegularExpression outside(QStringLiteral("(?:src|href)=\"(?!#)|@import|url\\((?!#)"));
    QVERIFY2(!outside.match(page).hasMatch(), qPrintable(outside.match(page).captured()));
    QVERIFY(page.count(QLatin1String("<figure>")) >= 3);
    QVERIFY(page.count(QLatin1String("<table>")) >= 3);
    QVERIFY(page.contains(QLatin1String("class Timeline"))); // the script came along
    // Ids of one drawing are not those of another.
    static const QRegularExpression id(QStringLiteral("\\bid=\"([^\"]+)\""));
    QSet<QString> seen;
    for (const auto& match : id.globalMatch(page)) {
        QVERIFY2(!seen.contains(match.captured(1)), qPrintable(match.captured(1)));
        seen << match.captured(1);
    }
}

void TestReport::namesAreText()
{
    RunResult run = sampleRun();
    run.memory->modules.front().name = "</script><script>alert(1)</script>";
    run.notes = {"<b>note</b>"};
    const QString page = QString::fromUtf8(reportPage(sources(run)));
    QVERIFY(!page.contains(QLatin1String("alert(1)</script>")));
    QVERIFY(page.contains(QLatin1String("&lt;script&gt;alert(1)")));
    QVERIFY(!page.contains(QLatin1String("<b>note</b>")));
}

void TestReport::theSameResultsGiveTheSameBytes()
{
    const RunResult run = sampleRun();
    QCOMPARE(reportPage(sources(run)), reportPage(sources(run)));
}

void TestReport::itSpeaksChinese()
{
    if (!installTranslation(QStringLiteral("zh")))
        QSKIP("no font with Chinese characters is installed");
    const QString page = QString::fromUtf8(reportPage(sources(sampleRun())));
    QVERIFY(page.contains(QStringLiteral("<html lang=\"zh\">")));
    QVERIFY(page.contains(QStringLiteral("内存随时间变化")));
}

void TestReport::theCommandLineWritesIt()
{
    const QString program = QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope");
    if (!QFile::exists(program))
        QSKIP("this build has no peakscope");
    const QTemporaryDir folder;
    const QString out = folder.filePath(QStringLiteral("report.html"));
    QProcess process;
    process.start(program, {QStringLiteral("report"),
                            QStringLiteral(PEAKSCOPE_SOURCE_DIR "/resources/samples/memory_result.json"),
                            QStringLiteral("--out"), out});
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 0);
    QCOMPARE(QString::fromUtf8(process.readAllStandardOutput()).trimmed(), out);
    QFile page(out);
    QVERIFY(page.open(QIODevice::ReadOnly));
    QVERIFY(!timelineOf(page.readAll()).isEmpty());
}

void TestReport::mistakesAreNamed_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("named");
    QTest::newRow("no file") << QStringList{"report", "--out", "r.html"} << "needs results";
    QTest::newRow("no out") << QStringList{"report", "run.json"} << "--out report.html";
    QTest::newRow("language") << QStringList{"report", "run.json", "--out", "r.html", "--language", "fr"} << "fr";
    QTest::newRow("option") << QStringList{"report", "run.json", "--out", "r.html", "--figure", "all"} << "--figure";
}

void TestReport::mistakesAreNamed()
{
    QFETCH(QStringList, words);
    QFETCH(QString, named);
    const CommandLine line = parseCommandLine(words);
    QCOMPARE(line.mode, CommandLine::Mode::Unusable);
    QVERIFY2(line.error.contains(named) && !line.error.contains(u'\n'), qPrintable(line.error));
}

PEAKSCOPE_TEST(TestReport)
#include "test_report.moc"
