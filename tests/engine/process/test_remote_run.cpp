// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli run over ssh to a real sshd on this machine: the same result, live events, a cancel that reaches the
// worker there, and one clear line for every way on which it breaks.
#include "core/results/run_result.h"
#include "tests/engine/process/said.h"
#include "tests/local_sshd.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;
using Json = nlohmann::json;
using peakscope::test::kCli;

namespace {

Json smallExperiment(const std::string& kind)
{
    Json experiment = {{"kind", kind},
                       {"model", {{"family", "gpt2"}, {"hidden", 32}, {"layers", 2}, {"heads", 2}, {"vocab", 256}}},
                       {"data", {{"batch", 2}, {"seq", 16}}},
                       {"device", "cpu"}};
    if (kind == "curvature")
        experiment["curvature"] = {{"quantities", {"trace", "eigenvalues"}}, {"probes", 10}, {"top_k", 2}};
    return experiment;
}

// Far more than a test waits for.
Json longExperiment()
{
    Json experiment = smallExperiment("memory");
    experiment["model"]["hidden"] = 128;
    experiment["data"] = {{"batch", 4}, {"seq", 128}};
    experiment["training"] = {{"steps", 2000}};
    return experiment;
}

} // namespace

class TestRemoteRun : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QString reason = m_sshd.start();
        if (!reason.isEmpty())
            QSKIP(qPrintable(reason));
    }

    void theResultIsTheOneFromHere_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::newRow("memory") << "memory";
        QTest::newRow("curvature") << "curvature";
    }
    void theResultIsTheOneFromHere()
    {
        QFETCH(QString, kind);
        Json experiment = smallExperiment(kind.toStdString());
        const auto here = resultOf(experiment);
        experiment["launcher"] = launcher();
        const auto there = resultOf(experiment);
        QVERIFY2(here && there, qPrintable(m_said));
        QCOMPARE(int(there->status), int(RunStatus::Complete));
        QCOMPARE(*there->loss, *here->loss);
        QCOMPARE(there->memory->peakBytes, here->memory->peakBytes);
        QVERIFY(there->memory->peakComponents == here->memory->peakComponents);
        const Json none = Json::object();
        const Json a = here->other.value("curvature", none), b = there->other.value("curvature", none);
        QCOMPARE(a.contains("trace"), kind == QLatin1String("curvature"));
        for (const char* key : {"trace", "eigenvalues"})
            QVERIFY(a.value(key, none) == b.value(key, none));
    }

    // A long run, watched until its events come, and then broken.
    void aRunIsBroken_data()
    {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("words");
        QTest::newRow("cancelled") << "cancel"
                                   << "cancelled";
        QTest::newRow("the line is cut") << "cut"
                                         << "connection to the other machine";
        QTest::newRow("the worker there is killed") << "kill"
                                                    << "the worker there was killed";
    }
    void aRunIsBroken()
    {
        QFETCH(QString, how);
        QFETCH(QString, words);
        Json experiment = longExperiment();
        experiment["launcher"] = launcher();
        QProcess run;
        start(run, experiment);
        QVERIFY(run.waitForStarted());
        const auto events = [this] { return contents("events.jsonl").count("\"event\":\"memory\""); };
        QTRY_VERIFY_WITH_TIMEOUT(events() > 0, 60'000);
        const qsizetype before = events();
        QTRY_VERIFY_WITH_TIMEOUT(events() > before, 60'000); // they come while it runs
        const QList<int> workers = m_sshd.started("worker");
        QCOMPARE(workers.size(), 1);
        QCOMPARE(int(run.state()), int(QProcess::Running));
        if (how == QLatin1String("cancel"))
            ::kill(static_cast<pid_t>(run.processId()), SIGINT);
        else if (how == QLatin1String("cut"))
            m_sshd.endSessions();
        else
            ::kill(workers.first(), SIGKILL);
        QVERIFY(run.waitForFinished(60'000));
        QTRY_VERIFY_WITH_TIMEOUT(testing::wordsOf(workers.first()).isEmpty(), 20'000);
        QCOMPARE(run.exitCode(), 4);
        const QString said = QString::fromUtf8(run.readAllStandardError());
        QVERIFY2(said.contains(words) && said.count(u'\n') == 1, qPrintable(said));
        QVERIFY2(!said.contains(QStringLiteral("Permanently added")), qPrintable(said));
        const auto result = loadRunResult(path("result.json").toStdString());
        QVERIFY(result.ok());
        QCOMPARE(int(result->status), int(RunStatus::Interrupted));
        QVERIFY(result->memory && result->memory->peakBytes > 0);
    }

    void aWayThatLeadsNowhereIsOneLine_data()
    {
        QTest::addColumn<QStringList>("launcher");
        QTest::addColumn<QString>("words");
        const QStringList options = m_sshd.options();
        QStringList wrongPort = options, wrongKey = options;
        wrongPort.replace(3, QStringLiteral("1"));
        wrongKey.replace(5, QStringLiteral("/dev/null"));
        const QString host = m_sshd.host();
        QTest::newRow("wrong port") << QStringList{"ssh"} + wrongPort + QStringList{host, kCli} << "Connection refused";
        QTest::newRow("wrong host") << QStringList{"ssh"} + options + QStringList{"no-such-host.invalid", kCli}
                                    << "no-such-host.invalid";
        QTest::newRow("wrong key") << QStringList{"ssh"} + wrongKey + QStringList{host, kCli} << "Permission denied";
        QTest::newRow("no such program there")
            << QStringList{"ssh"} + options + QStringList{host, "/nowhere/peakscope-cli"} << "/nowhere/peakscope-cli";
        QTest::newRow("no such launcher") << QStringList{"/nowhere/launch"} << "/nowhere/launch";
    }
    void aWayThatLeadsNowhereIsOneLine()
    {
        QFETCH(QStringList, launcher);
        QFETCH(QString, words);
        Json experiment = smallExperiment("memory");
        for (const QString& word : launcher)
            experiment["launcher"].push_back(word.toStdString());
        QProcess run;
        start(run, experiment);
        QVERIFY(run.waitForFinished(60'000));
        const QString said = QString::fromUtf8(run.readAllStandardError());
        QVERIFY2(said.contains(words) && said.count(u'\n') == 1, qPrintable(said));
        QVERIFY2(!said.contains(u'\r') && !said.contains(QStringLiteral(" )")), qPrintable(said));
        QCOMPARE(run.exitCode(), 2); // nothing had begun: the launcher is to be corrected
        QVERIFY(!QFile::exists(path("result.json")));
    }

private:
    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

    QByteArray contents(const char* name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    Json launcher() const
    {
        Json words = {"ssh"};
        for (const QString& word : m_sshd.options() + QStringList{m_sshd.host(), kCli})
            words.push_back(word.toStdString());
        return words;
    }

    void start(QProcess& run, const Json& experiment)
    {
        QFile::remove(path("result.json"));
        QFile::remove(path("events.jsonl"));
        QFile file(path("experiment.json"));
        if (file.open(QIODevice::WriteOnly))
            file.write(QByteArray::fromStdString(experiment.dump()));
        file.close();
        run.start(kCli, {"run", file.fileName(), "--out", path("result.json"), "--events", path("events.jsonl")});
    }

    std::optional<RunResult> resultOf(const Json& experiment)
    {
        QProcess run;
        start(run, experiment);
        run.waitForFinished(120'000);
        m_said = QString::fromUtf8(run.readAllStandardError());
        const auto result = loadRunResult(path("result.json").toStdString());
        return result.ok() && run.exitCode() == 0 ? std::optional(*result) : std::nullopt;
    }

    QTemporaryDir m_folder;
    testing::LocalSshd m_sshd;
    QString m_said;
};

PEAKSCOPE_GUILESS_TEST(TestRemoteRun)
#include "test_remote_run.moc"
