// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What `watch` shows of the events of real runs, in a log and on a terminal, and how it ends.
#include "core/base/units.h"
#include "tests/engine/process/said.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QDateTime>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace peakscope;
using namespace peakscope::test;
using Json = nlohmann::json;

namespace {

// `watch` with a terminal of 60 columns as its standard output.
class OnTerminal
{
public:
    explicit OnTerminal(const QString& file)
    {
        m_master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        const winsize size{30, 60, 0, 0};
        if (m_master < 0 || ::grantpt(m_master) != 0 || ::unlockpt(m_master) != 0 ||
            ::ioctl(m_master, TIOCSWINSZ, &size) != 0)
            return;
        ::fcntl(m_master, F_SETFL, O_NONBLOCK);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        m_process.setProcessEnvironment(environment);
        // Kept open here: what a terminal holds is lost once nobody has it open.
        const char* name = ::ptsname(m_master);
        m_slave = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
        m_process.setStandardOutputFile(QString::fromUtf8(name), QIODevice::Append);
        m_process.start(kCli, {QStringLiteral("watch"), file});
    }
    ~OnTerminal()
    {
        m_process.kill();
        m_process.waitForFinished();
        ::close(m_slave);
        ::close(m_master);
    }

    QString shown()
    {
        char text[4096];
        for (ssize_t got = 0; (got = ::read(m_master, text, sizeof text)) > 0;)
            m_shown.append(text, got);
        return QString::fromUtf8(m_shown);
    }
    QProcess& process() { return m_process; }

private:
    int m_master = -1, m_slave = -1;
    QProcess m_process;
    QByteArray m_shown;
};

} // namespace

class TestWatch : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aLogHasThePeakOfTheResult();
    void aPipeIsReadToItsEnd();
    void aSweepTellsItsPoints();
    void aPartOfTheEvents();
    void aBrokenLineIsLeftOut();
    void aFileThatGrows();
    void aFileThatIsNotThere();
    void theStatusIsThatOfTheEnd_data();
    void theStatusIsThatOfTheEnd();
    void aTerminalIsDrawnInPlace();
    void ctrlCLeavesTheTerminalClean();

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString write(const QString& name, const QByteArray& text) const;
    QString peak() const { return QString::fromStdString(formatBytes(m_peak)); }

    QTemporaryDir m_folder;
    QList<QByteArray> m_lines; // of a real run, each with its line feed
    std::int64_t m_peak = 0;   // of its result
};

QString TestWatch::write(const QString& name, const QByteArray& text) const
{
    QFile file(path(name));
    const bool written = file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    return written ? path(name) : QString();
}

void TestWatch::initTestCase()
{
    startWarmEngine();
    QVERIFY(m_folder.isValid());
    const QString experiment = write(
        "e.json", R"({"kind": "memory", "device": "cpu", "threads": 1, "training": {"steps": 2, "warmup_steps": 0},
            "model": {"family": "gpt2", "hidden": 16, "layers": 1, "heads": 2, "vocab": 256},
            "data": {"source": "builtin", "batch": 2, "seq": 16}})");
    const Said said = say({"run", experiment, "--out", path("r.json"), "--events", path("events")});
    QVERIFY2(said.status == 0, qPrintable(said.error));
    m_peak = readJson(path("r.json"))["memory"]["peak_bytes"].get<std::int64_t>();
    QVERIFY(m_peak > 0);
    QFile events(path("events"));
    QVERIFY(events.open(QIODevice::ReadOnly));
    while (!events.atEnd())
        m_lines << events.readLine();
    QVERIFY(m_lines.size() > 10);
}

void TestWatch::aLogHasThePeakOfTheResult()
{
    const Said said = say({"watch", path("events")});
    QCOMPARE(said.status, 0);
    QVERIFY2(said.error.isEmpty(), qPrintable(said.error));
    QVERIFY2(!said.out.contains(u'\033'), qPrintable(said.out));
    QVERIFY2(said.out.startsWith(QStringLiteral("memory: gpt2 on cpu\n")), qPrintable(said.out));
    for (const QString& part :
         {QStringLiteral("\nphase load"), QStringLiteral("\nphase forward, step 1"),
          QStringLiteral("\n50 %: step 1 of 2"), QStringLiteral("\n100 %: step 2 of 2\n"),
          QStringLiteral("\npeak %1").arg(peak()), QStringLiteral("\ncomplete\nresult in %1\n").arg(path("r.json"))})
        QVERIFY2(said.out.contains(part), qPrintable(part + u'\n' + said.out));
    QCOMPARE(said.out.count(QStringLiteral("phase load")), 1);
    // Without the section of the memory, from the live events.
    QByteArray live;
    for (const QByteArray& line : std::as_const(m_lines))
        live += line.contains("\"name\":\"memory\"") ? QByteArray() : line;
    const Said guessed = say({"watch", write("live", live)});
    QCOMPARE(guessed.status, 0);
    QVERIFY2(guessed.out.contains(QStringLiteral("\npeak %1").arg(peak())), qPrintable(guessed.out));
}

void TestWatch::aPipeIsReadToItsEnd()
{
    QProcess process;
    const QString script = QStringLiteral("'%1' run '%2' --events - --out '%3' | '%1' watch -")
                               .arg(kCli, path("e.json"), path("piped.json"));
    process.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), script});
    const Said said = endOf(process);
    QCOMPARE(said.status, 0);
    QVERIFY2(said.out.endsWith(QStringLiteral("result in %1\n").arg(path("piped.json"))), qPrintable(said.out));
}

void TestWatch::aSweepTellsItsPoints()
{
    const Json base = readJson(path("e.json"));
    const QString sweep =
        write("s.json", QByteArray::fromStdString(Json{{"base", base}, {"grid", {{"data.seq", {16, 24}}}}}.dump()));
    const Said swept = say({"sweep", sweep, "--out", path("swept"), "--events", path("sweep-events")});
    QVERIFY2(swept.status == 0, qPrintable(swept.error));
    const Said said = say({"watch", path("sweep-events")});
    QCOMPARE(said.status, 0);
    const std::int64_t bytes = readJson(path("swept/point-0002.json"))["memory"]["peak_bytes"].get<std::int64_t>();
    QVERIFY2(said.out.startsWith(QStringLiteral("sweep over data.seq: gpt2 on cpu\n")), qPrintable(said.out));
    QVERIFY2(said.out.contains(QStringLiteral("peak %1").arg(QString::fromStdString(formatBytes(bytes)))),
             qPrintable(said.out));
    QCOMPARE(said.out.count(QStringLiteral("\ndata.seq ")), 2);
    QVERIFY2(said.out.contains(QStringLiteral("\n100 %: 2 of 2 points")), qPrintable(said.out));
}

// Nobody has written to the file for a while, and a pipe is closed.
void TestWatch::aPartOfTheEvents()
{
    QByteArray part;
    for (const QByteArray& line : m_lines.mid(0, 8))
        part += line;
    const QString file = write("part", part + m_lines[8].left(20)); // and a torn line
    QFile old(file);
    QVERIFY(old.open(QIODevice::ReadWrite) &&
            old.setFileTime(QDateTime::currentDateTime().addSecs(-3600), QFileDevice::FileModificationTime));
    old.close();
    const Said said = say({"watch", file});
    QCOMPARE(said.status, 1);
    const QStringList errors = said.error.split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(errors.size(), 2);
    QVERIFY2(errors[0].contains(QStringLiteral("part: line 9 is left out: ")), qPrintable(said.error));
    QVERIFY2(errors[1].endsWith(QStringLiteral("part: the run ended without an end event")), qPrintable(said.error));
    QProcess piped;
    piped.setStandardInputFile(write("whole-lines", part));
    piped.start(kCli, {"watch", "-"});
    const Said ofPipe = endOf(piped);
    QCOMPARE(ofPipe.status, 1);
    QCOMPARE(ofPipe.error, QStringLiteral("peakscope-cli: standard input: the run ended without an end event\n"));
}

void TestWatch::aBrokenLineIsLeftOut()
{
    QByteArray text;
    for (int i = 0; i < m_lines.size(); ++i)
        text += (i == 3 ? QByteArray("what a library says\n") : QByteArray()) + m_lines[i];
    const Said said = say({"watch", write("broken", text)});
    QCOMPARE(said.status, 0);
    QCOMPARE(said.error.count(u'\n'), 1);
    QVERIFY2(said.error.contains(QStringLiteral("broken: line 4 is left out: not an event")), qPrintable(said.error));
    QVERIFY2(said.out.contains(QStringLiteral("\npeak %1").arg(peak())), qPrintable(said.out));
}

void TestWatch::aFileThatGrows()
{
    QFile file(write("grows", m_lines[0] + m_lines[1].left(10)));
    QVERIFY(file.open(QIODevice::Append | QIODevice::Unbuffered));
    QProcess process;
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(kCli, {"watch", path("grows")});
    QByteArray out;
    QTRY_VERIFY_WITH_TIMEOUT((out += process.readAllStandardOutput()).contains("memory: gpt2"), 60'000);
    QCOMPARE(process.state(), QProcess::Running);
    file.write(m_lines[1].mid(10));
    for (int i = 2; i < m_lines.size(); ++i)
        file.write(m_lines[i]);
    const Said said = endOf(process);
    QCOMPARE(said.status, 0);
    QVERIFY2(said.error.isEmpty(), qPrintable(said.error));
    QVERIFY2((out + said.out.toUtf8()).contains("\ncomplete\n"), qPrintable(said.out));
}

void TestWatch::aFileThatIsNotThere()
{
    const Said said = say({"watch", path("nothing")});
    QCOMPARE(said.status, 2);
    QVERIFY(said.out.isEmpty());
    QCOMPARE(said.error,
             QStringLiteral("peakscope-cli: %1: cannot be read: No such file or directory\n").arg(path("nothing")));
    QCOMPARE(say({"watch", m_folder.path()}).status, 2);
}

void TestWatch::theStatusIsThatOfTheEnd_data()
{
    QTest::addColumn<QByteArray>("end");
    QTest::addColumn<int>("status");
    const auto row = [](const char* name, const char* rest, int status) {
        QTest::newRow(name) << QByteArray(R"({"event":"end","message":"the reason","status":)") + rest + "}\n"
                            << status;
    };
    row("failed", R"("failed")", 1);
    row("unusable input", R"("failed","bad_input":true)", 2);
    row("over the budget", R"("over_budget")", 3);
    row("interrupted", R"("interrupted","fate":{"kind":"killed","number":9})", 4);
}

void TestWatch::theStatusIsThatOfTheEnd()
{
    QFETCH(QByteArray, end);
    QFETCH(int, status);
    const Said said = say({"watch", write("ended", m_lines[0] + end)});
    QCOMPARE(said.status, status);
    QVERIFY2(said.out.contains(QStringLiteral(": the reason\n")), qPrintable(said.out));
}

void TestWatch::aTerminalIsDrawnInPlace()
{
    QFile file(write("drawn", m_lines[0]));
    QVERIFY(file.open(QIODevice::Append | QIODevice::Unbuffered));
    OnTerminal terminal(path("drawn"));
    QTRY_VERIFY_WITH_TIMEOUT(terminal.shown().contains(QStringLiteral("memory: gpt2 on cpu")), 60'000);
    for (int i = 1; i < m_lines.size(); ++i)
        file.write(m_lines[i]);
    QVERIFY(terminal.process().waitForFinished(60'000));
    QCOMPARE(terminal.process().exitCode(), 0);
    const QString shown = terminal.shown();
    const qsizetype last = shown.lastIndexOf(QRegularExpression(QStringLiteral("\033\\[\\d+A")));
    QVERIFY2(last > 0, qPrintable(shown));
    const QString picture = shown.mid(last);
    for (const QString& part : {QStringLiteral("100 %"), QStringLiteral("peak %1").arg(peak()),
                                QStringLiteral("optimizer states"), QStringLiteral("█"), QStringLiteral("▁")})
        QVERIFY2(picture.contains(part), qPrintable(part + u'\n' + picture));
    for (QString line : picture.split(u'\n'))
        QVERIFY2(line.remove(QRegularExpression(QStringLiteral("\033\\[\\d*[AKJ]|\r"))).size() <= 60, qPrintable(line));
    QVERIFY(shown.endsWith(QStringLiteral("\n\033[J")));
}

void TestWatch::ctrlCLeavesTheTerminalClean()
{
    OnTerminal terminal(write("begun", m_lines[0]));
    QTRY_VERIFY_WITH_TIMEOUT(terminal.shown().contains(QStringLiteral("memory: gpt2 on cpu")), 60'000);
    ::kill(pid_t(terminal.process().processId()), SIGINT);
    QVERIFY(terminal.process().waitForFinished(60'000));
    QCOMPARE(terminal.process().exitStatus(), QProcess::NormalExit);
    QCOMPARE(terminal.process().exitCode(), 130);
    QVERIFY2(terminal.shown().endsWith(QStringLiteral("\n\033[J")), qPrintable(terminal.shown()));
}

PEAKSCOPE_GUILESS_TEST(TestWatch)
#include "test_watch.moc"
