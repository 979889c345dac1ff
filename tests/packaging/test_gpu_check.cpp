// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// packaging/gpu-check without a GPU and without a build: its arguments, what it brings along, and its driver, which
// must stop in time, go on where it stopped, and judge.
#include "tests/test_room.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

using namespace Qt::StringLiterals;

namespace {

const QString kScripts = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/packaging/");

struct ScriptAnswer {
    int status = -1;
    QString text; // of both outputs
};

ScriptAnswer answerOf(const QString& program, const QStringList& words,
                      const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment())
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, words);
    if (!process.waitForFinished(200000))
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput())};
}

QString fileText(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// The driver over the stand-in for peakscope-cli, as if there were a GPU.
struct DriverRun {
    QTemporaryDir folder;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();

    DriverRun()
    {
        environment.insert(u"FAKE_LOG"_s, log());
        environment.insert(u"PYTHONDONTWRITEBYTECODE"_s, u"1"_s);
    }
    QString log() const { return folder.filePath(u"calls"_s); }
    ScriptAnswer part(const QString& part, const QString& seconds = u"500"_s) const
    {
        return answerOf(u"python3"_s,
                        {kScripts + u"lib/gpu_check.py"_s, u"--cli"_s,
                         QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/packaging/fake_cli"), u"--device"_s, u"cuda:0"_s,
                         u"--out"_s, folder.filePath(u"out"_s), u"--seconds"_s, seconds, u"--least"_s, u"1"_s,
                         u"--grace"_s, u"1"_s, part},
                        environment);
    }
    qsizetype calls(const QString& word) const { return fileText(log()).count(word); }
    QString verdict(const QString& bound) const
    {
        const QByteArray text = fileText(folder.filePath(u"out/table.json"_s)).toUtf8();
        for (const QJsonValue& row : QJsonDocument::fromJson(text).object()[u"bounds"_s].toArray()) {
            if (row[u"bound"_s].toString().startsWith(bound))
                return row[u"verdict"_s].toString();
        }
        return u"no such bound"_s;
    }
};

} // namespace

class TestGpuCheck : public QObject
{
    Q_OBJECT

private slots:
    void argumentsThatMakeNoSenseAreNamed_data();
    void argumentsThatMakeNoSenseAreNamed();
    void helpListsEveryPart();
    void theBundleIsEnoughToCompileWith();
    void missingHeadersAreNamedInOneLine();
    void aPointIsMeasuredOnce();
    void nothingIsBegunWithoutTime();
    void anExperimentThatTakesTooLongIsStopped();
    void aFailedPointFailsThePartAndIsTriedAgain();
    void whatNeverEndsIsPassedOver();
    void aCrashedGroupStopsNoOther();
    void boundsAreJudged();
    void twoGpusAreNotCompared();
    void withoutAGpuTheBoundsStayOpen();
    void theScriptsAreClean();
};

void TestGpuCheck::argumentsThatMakeNoSenseAreNamed_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("named");
    QTest::newRow("unknown") << QStringList{u"--fast"_s} << u"--fast"_s;
    QTest::newRow("no value") << QStringList{u"--only"_s} << u"--only needs a value"_s;
    QTest::newRow("no part") << QStringList{u"--only"_s, u"all"_s} << u"none of: build selftest"_s;
    QTest::newRow("no device") << QStringList{u"--device"_s, u"tpu"_s} << u"none of cpu, cuda:N and dry:CARD"_s;
    QTest::newRow("no minutes") << QStringList{u"--minutes"_s, u"1"_s} << u"--minutes 1"_s;
    QTest::newRow("no folder") << QStringList{u"--headers"_s, u"/nowhere/at/all"_s}
                               << u"/nowhere/at/all is no folder"_s;
}

void TestGpuCheck::argumentsThatMakeNoSenseAreNamed()
{
    QFETCH(const QStringList, words);
    QFETCH(const QString, named);
    const ScriptAnswer answer = answerOf(kScripts + u"gpu-check"_s, words);
    QCOMPARE(answer.status, 2);
    QCOMPARE(answer.text.count(u'\n'), 1);
    QVERIFY2(answer.text.contains(named), qPrintable(answer.text));
}

void TestGpuCheck::helpListsEveryPart()
{
    const ScriptAnswer answer = answerOf(kScripts + u"gpu-check"_s, {u"--help"_s});
    QCOMPARE(answer.status, 0);
    for (const char* word :
         {"build, selftest, ledger, seed003, ladder, sweep, record, ranks, plan or table", "--bundle", "75"})
        QVERIFY2(answer.text.contains(QLatin1String(word)), word);
}

void TestGpuCheck::theBundleIsEnoughToCompileWith()
{
    const QTemporaryDir folder;
    const ScriptAnswer bundle = answerOf(kScripts + u"gpu-check"_s, {u"--bundle"_s, folder.path()});
    QVERIFY2(bundle.status == 0, qPrintable(bundle.text));
    for (const char* file :
         {"nlohmann/include/nlohmann/json.hpp", "cli11/include/CLI/CLI.hpp", "fmt/include/fmt/format.h",
          "zlib/include/zconf.h", "zlib/lib/libz.a", "pcre2/lib/libpcre2-8.a", "utf8proc/lib/libutf8proc.a"})
        QVERIFY2(QFile::exists(folder.filePath(QLatin1String(file))), file);
    QFile source(folder.filePath(u"x.cpp"_s));
    QVERIFY(source.open(QIODevice::WriteOnly));
    source.write("#include <utf8proc.h>\n#include <zlib.h>\n"
                 "int main() { return zlibVersion()[0] == '1' && utf8proc_version()[0] ? 0 : 1; }\n");
    source.close();
    const ScriptAnswer built =
        answerOf(u"g++"_s, {u"-nostdinc++"_s, source.fileName(), u"-I"_s, folder.filePath(u"zlib/include"_s), u"-I"_s,
                            folder.filePath(u"utf8proc/include"_s), folder.filePath(u"zlib/lib/libz.a"_s),
                            folder.filePath(u"utf8proc/lib/libutf8proc.a"_s), u"-o"_s, folder.filePath(u"x"_s)});
    QVERIFY2(built.status == 0, qPrintable(built.text));
    QCOMPARE(answerOf(folder.filePath(u"x"_s), {}).status, 0);
}

void TestGpuCheck::missingHeadersAreNamedInOneLine()
{
    const QString script = u". %1lib/common.sh; . %1lib/bundle.sh; report_missing_headers ''; "
                           "THIRD_PARTY+=('x|no/such.h|x||libsuch-dev'); report_missing_headers ''"_s.arg(kScripts);
    const ScriptAnswer answer = answerOf(u"bash"_s, {u"-c"_s, script});
    QCOMPARE(answer.status, 1);
    QCOMPARE(answer.text.count(u'\n'), 1);
    for (const char* word : {"no/such.h (libsuch-dev)", "--bundle", "--headers"})
        QVERIFY2(answer.text.contains(QLatin1String(word)), qPrintable(answer.text));
    QVERIFY(!answer.text.contains(u"json.hpp"_s));
}

void TestGpuCheck::aPointIsMeasuredOnce()
{
    const DriverRun run;
    QVERIFY2(run.part(u"ledger"_s).status == 0, qPrintable(fileText(run.log())));
    const qsizetype calls = run.calls(u"run "_s);
    QCOMPARE(calls, 7);
    QCOMPARE(run.part(u"ledger"_s).status, 0);
    QCOMPARE(run.calls(u"run "_s), calls);
    // Only a timeline that is too long to travel is left out.
    QVERIFY(!fileText(run.folder.filePath(u"out/points/ledger-float32.json"_s)).contains(u"timeline\""_s));
    QVERIFY(fileText(run.folder.filePath(u"out/points/ledger-flash.json"_s)).contains(u"timeline\""_s));
    // A result of another experiment is not this point's.
    QFile changed(run.folder.filePath(u"out/points/ledger-flash.experiment.json"_s));
    QVERIFY(changed.open(QIODevice::WriteOnly));
    changed.write("{}");
    changed.close();
    QCOMPARE(run.part(u"ledger"_s).status, 0);
    QCOMPARE(run.calls(u"run "_s), calls + 1);
}

void TestGpuCheck::nothingIsBegunWithoutTime()
{
    const DriverRun run;
    QCOMPARE(run.part(u"seed003"_s, u"1"_s).status, 75);
    QCOMPARE(run.part(u"selftest"_s, u"1"_s).status, 75);
    QCOMPARE(run.calls(u"run "_s), 0);
    QCOMPARE(run.calls(u"selftest "_s), 0);
    const ScriptAnswer missing = run.part(u"missing"_s);
    for (const char* word : {"selftest (", "seed003 (18 of 18 points, next seed003-vanilla-memory)", "ladder (6 of 6",
                             "sweep (12 of 12", "table"})
        QVERIFY2(missing.text.contains(QLatin1String(word)), qPrintable(missing.text));
}

void TestGpuCheck::anExperimentThatTakesTooLongIsStopped()
{
    DriverRun run;
    run.environment.insert(u"FAKE_SLEEP"_s, u"ledger-flash"_s);
    const ScriptAnswer cut = run.part(u"ledger"_s, u"8"_s); // enough for a busy machine to come as far
    QVERIFY2(cut.status == 75, qPrintable(cut.text));
    const qsizetype calls = run.calls(u"run "_s);
    run.environment.remove(u"FAKE_SLEEP"_s);
    QCOMPARE(run.part(u"ledger"_s).status, 0);
    QCOMPARE(run.calls(u"run "_s), 7 + 1); // only the one that was stopped ran twice
    QVERIFY(calls < 7);
}

void TestGpuCheck::aFailedPointFailsThePartAndIsTriedAgain()
{
    DriverRun run;
    run.environment.insert(u"FAKE_FAIL"_s, u"ledger-checkpointing"_s);
    for (int call = 0; call < 3; ++call) {
        QCOMPARE(run.part(u"ledger"_s).status, 1);
        QCOMPARE(run.calls(u"run "_s), 7 + call); // the others are measured all the same
    }
    run.environment.remove(u"FAKE_FAIL"_s);
    QCOMPARE(run.part(u"ledger"_s).status, 0);
    QCOMPARE(run.calls(u"run "_s), 10);
}

// A training run begins anew with each call: where two calls were not enough one that is no longer is not either.
void TestGpuCheck::whatNeverEndsIsPassedOver()
{
    DriverRun run;
    run.environment.insert(u"FAKE_SLEEP"_s, u"ledger-flash"_s);
    int stopped = 0;
    ScriptAnswer answer = run.part(u"ledger"_s, u"5"_s);
    while (answer.status == 75 && ++stopped < 4)
        answer = run.part(u"ledger"_s, u"5"_s);
    QCOMPARE(answer.status, 1);
    QVERIFY2(answer.text.contains(u"ledger-flash: needs more than"_s), qPrintable(answer.text));
    QVERIFY(stopped == 2 || stopped == 3);       // what ran before it may have left the first call too short to count
    QCOMPARE(run.calls(u"run "_s), 6 + stopped); // the others are measured
}

void TestGpuCheck::aCrashedGroupStopsNoOther()
{
    DriverRun run;
    run.environment.insert(u"FAKE_CRASH"_s, u"model: "_s);
    const ScriptAnswer answer = run.part(u"selftest"_s);
    QCOMPARE(answer.status, 1);
    QVERIFY2(answer.text.contains(u"selftest model ended with status -11"_s), qPrintable(answer.text));
    QCOMPARE(run.calls(u"selftest "_s), 10); // a CPU has one more, for its predictions
    QVERIFY2(answer.text.contains(u"selftest device: 2 passed, 0 failed"_s), qPrintable(answer.text));
}

void TestGpuCheck::twoGpusAreNotCompared()
{
    DriverRun run;
    run.environment.insert(u"FAKE_ELSEWHERE"_s, u"auto"_s);
    QCOMPARE(run.part(u"seed003"_s).status, 0);
    QCOMPARE(run.part(u"table"_s).status, 0);
    QCOMPARE(run.verdict(u"auto, time"_s), u"open"_s);
    QCOMPARE(run.verdict(u"flash in two passes"_s), u"pass"_s);
}

void TestGpuCheck::boundsAreJudged()
{
    DriverRun run;
    run.environment.insert(u"FAKE_SLOW"_s, u"1.2"_s);
    for (const char* part : {"selftest", "ledger", "seed003", "ladder", "sweep", "table"})
        QVERIFY2(run.part(QLatin1String(part)).status == 0, part);
    for (const char* bound : {"vanilla peak", "auto, peak", "flash in two passes", "book-keeping",
                              "prediction of the peak", "prediction of reserved", "phase marks", "failed checks"})
        QVERIFY2(run.verdict(QLatin1String(bound)) == u"pass"_s, bound);
    QCOMPARE(run.verdict(u"auto, time"_s), u"fail"_s);
    QCOMPARE(run.part(u"missing"_s).text.trimmed(), QString());
    const QString table = fileText(run.folder.filePath(u"out/table.md"_s));
    for (const char* text : {"a made-up GPU", "| auto, time over vanilla | 1.05 | 1.2 | fail |", "52,400.0", "opt-13b",
                             "| 8 | 128 | 8 | 2 |", "1.200"})
        QVERIFY2(table.contains(QLatin1String(text)), text);
}

void TestGpuCheck::withoutAGpuTheBoundsStayOpen()
{
    const DriverRun run;
    QCOMPARE(run.part(u"table"_s).status, 0);
    for (const char* bound : {"vanilla peak", "auto, time", "prediction of the peak", "failed checks"})
        QVERIFY2(run.verdict(QLatin1String(bound)) == u"open"_s, bound);
}

void TestGpuCheck::theScriptsAreClean()
{
    const QString tool = QStandardPaths::findExecutable(u"shellcheck"_s);
    if (tool.isEmpty())
        QSKIP("shellcheck is not installed");
    const ScriptAnswer answer = answerOf(tool, {u"-x"_s, kScripts + u"gpu-check"_s, kScripts + u"lib/bundle.sh"_s,
                                                QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/packaging/fake_cli")});
    QVERIFY2(answer.status == 0, qPrintable(answer.text));
}

PEAKSCOPE_GUILESS_TEST(TestGpuCheck)
#include "test_gpu_check.moc"
