// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every way to stop a perturbation experiment in its middle: what the worker says last, what the result keeps, that the
// weights were put back, and that going on ends with the numbers of a run in one go, bit for bit.
#include "core/results/run_result.h"
#include "tests/engine/process/said.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>

#include <unistd.h>

using Json = nlohmann::json;
using peakscope::test::kCli;
using peakscope::test::readJson;

namespace {

Json smallPrm()
{
    return {{"kind", "prm"},
            {"model",
             {{"family", "gpt2"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}, {"max_positions", 32}}},
            {"seed", 4},
            {"device", "cpu"},
            {"threads", 1},
            {"data", {{"batch", 8}, {"seq", 32}}},
            {"training", {{"lr", 5e-3}}},
            {"prm",
             {{"sigmas", {0, 0.1, 0.3}},
              {"repeats", 2},
              {"members", 60},
              {"base_epochs", 1},
              {"finetune_epochs", 3},
              {"small_noise", false}}}};
}

// A process whose standard output is read line by line as JSON.
class Told
{
public:
    void start(const QStringList& arguments, const QByteArray& input)
    {
        m_process.setProcessChannelMode(QProcess::SeparateChannels);
        m_process.setChildProcessModifier([] { ::setpgid(0, 0); });
        m_process.start(kCli, arguments);
        QVERIFY(m_process.waitForStarted());
        m_process.write(input);
        m_process.waitForBytesWritten();
    }

    // Waits until `count` events of the kind have come; whether they did.
    bool waitFor(const char* event, int count)
    {
        while (this->count(event) < count) {
            if (!m_process.canReadLine() && !m_process.waitForReadyRead(120000))
                return false;
            take();
        }
        return true;
    }

    void finish()
    {
        m_process.waitForFinished(120000);
        take();
    }

    int count(const char* event) const
    {
        return static_cast<int>(std::count_if(m_events.begin(), m_events.end(),
                                              [event](const Json& line) { return line.value("event", "") == event; }));
    }

    // The section as the stages left it.
    Json section(const char* key) const
    {
        Json found;
        for (const Json& line : m_events) {
            if (line.value("event", "") == "stage" && line.contains("data") && line["data"].contains(key))
                found = line["data"][key];
        }
        return found;
    }

    // An empty object where nothing was told.
    Json last() const { return m_events.empty() ? Json::object() : m_events.back(); }
    QProcess& process() { return m_process; }

private:
    void take()
    {
        while (m_process.canReadLine()) {
            Json line = Json::parse(m_process.readLine().toStdString(), nullptr, false);
            if (line.is_object())
                m_events.push_back(std::move(line));
        }
    }

    QProcess m_process;
    std::vector<Json> m_events;
};

} // namespace

class TestPrmCancel : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        peakscope::startWarmEngine();
        QFile file(path("experiment.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(smallPrm().dump().c_str());
        file.close();
        QVERIFY(run("straight.json", {}) == 0);
        m_straight = readJson(path("straight.json"));
        QCOMPARE(m_straight["status"].get<std::string>(), std::string("complete"));
    }

    void everyTrainingRunSaysItsPrediction()
    {
        const Json& prediction = m_straight["prediction"];
        const auto peak = prediction["peak_bytes"].get<std::int64_t>();
        const auto measured = m_straight["memory"]["peak_bytes"].get<std::int64_t>();
        QVERIFY2(std::abs(static_cast<double>(peak) / static_cast<double>(measured) - 1) < 0.25,
                 qPrintable(QStringLiteral("predicted %1, measured %2").arg(peak).arg(measured)));
        std::int64_t sum = 0;
        for (const auto& [component, bytes] : prediction["components"].items())
            sum += bytes.get<std::int64_t>();
        QCOMPARE(sum, peak);
        for (const char* stage : {"training", "evaluation", "features"})
            QVERIFY2(prediction["stages"].contains(stage), stage);
    }

    void aWorkerStops_data()
    {
        QTest::addColumn<bool>("message");
        QTest::addColumn<QString>("moment"); // after so many of these events
        QTest::addColumn<int>("after");
        QTest::newRow("asked, among the points") << true << "point" << 40;
        QTest::newRow("asked, while fine-tuning") << true << "progress" << 1;
        QTest::newRow("end of input, among the points") << false << "point" << 40;
    }

    void aWorkerStops()
    {
        QFETCH(bool, message);
        QFETCH(QString, moment);
        QFETCH(int, after);
        Told worker;
        worker.start({QStringLiteral("worker")}, QByteArray::fromStdString(smallPrm().dump()) + '\n');
        QVERIFY(worker.waitFor(qPrintable(moment), after));
        if (message)
            worker.process().write("{\"cancel\":true}\n");
        else
            worker.process().closeWriteChannel();
        worker.finish();
        QCOMPARE(worker.process().exitCode(), 4);
        QCOMPARE(worker.count("end"), 1);
        QCOMPARE(worker.last().value("event", ""), std::string("end"));
        QCOMPARE(worker.last().value("status", ""), std::string("interrupted"));
        const Json prm = worker.section("prm");
        if (moment == QLatin1String("point")) {
            QVERIFY(prm["weights_restored"].get<bool>());
            // Every point that was told is in the section.
            QCOMPARE(static_cast<int>(prm["results"].size()), worker.count("point"));
            QVERIFY(prm["results"].size() < m_straight["prm"]["results"].size());
        }
    }

    void goingOnEndsTheSame_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGHUP") << SIGHUP;
        QTest::newRow("SIGKILL") << SIGKILL;
    }

    void goingOnEndsTheSame()
    {
        QFETCH(int, signal);
        const QString name = QString::fromLatin1(QTest::currentDataTag()) + QStringLiteral(".json");
        Told first;
        first.start({QStringLiteral("run"), path("experiment.json"), QStringLiteral("--out"), path(name),
                     QStringLiteral("--events"), QStringLiteral("-")},
                    {});
        QVERIFY(first.waitFor("point", 30));
        const auto process = static_cast<pid_t>(first.process().processId());
        ::kill(signal == SIGHUP ? -process : process, signal); // a terminal tells all of the group
        first.finish();
        const Json kept = readJson(path(name));
        QCOMPARE(kept.value("status", ""), std::string("interrupted"));
        QVERIFY(kept.contains("features") && kept.contains("partition"));
        if (signal != SIGKILL) {
            QCOMPARE(first.process().exitCode(), 4);
            QVERIFY(kept["prm"]["results"].size() >= 30);
            QVERIFY(kept["prm"]["weights_restored"].get<bool>());
        }
        QVERIFY(QFile::exists(path(name) + QStringLiteral(".progress")));
        QCOMPARE(run(name, {QStringLiteral("--resume")}), 0);
        const Json whole = readJson(path(name));
        QCOMPARE(whole.value("status", ""), std::string("complete"));
        for (const char* key : {"features", "embedding", "partition", "prm"})
            QVERIFY2(whole[key] == m_straight[key], key);
        QVERIFY(!QFile::exists(path(name) + QStringLiteral(".progress")));
    }

    void nohupKeepsARunGoing()
    {
        const auto before = ::signal(SIGHUP, SIG_IGN);
        Told told;
        told.start({QStringLiteral("run"), path("experiment.json"), QStringLiteral("--out"), path("nohup.json"),
                    QStringLiteral("--events"), QStringLiteral("-")},
                   {});
        ::signal(SIGHUP, before);
        QVERIFY(told.waitFor("point", 5));
        ::kill(-static_cast<pid_t>(told.process().processId()), SIGHUP);
        told.finish();
        QCOMPARE(told.process().exitCode(), 0);
        QCOMPARE(readJson(path("nohup.json")).value("status", ""), std::string("complete"));
    }

    void anotherBudgetChangesNoNumber_data()
    {
        QTest::addColumn<qint64>("first"); // budgets; 0: none
        QTest::addColumn<qint64>("second");
        QTest::addColumn<QString>("moment");
        QTest::addColumn<int>("after");
        // With the small one the features take fewer rows at a time: other last bits.
        const qint64 small = qint64{3} << 20, large = qint64{1} << 30;
        QTest::newRow("none, then one, among the points") << qint64{0} << large << "point" << 30;
        QTest::newRow("none, then one, while training") << qint64{0} << large << "progress" << 1;
        QTest::newRow("small, then none, among the points") << small << qint64{0} << "point" << 30;
        QTest::newRow("small, then large, while training") << small << large << "progress" << 1;
    }

    // What is run at a time depends on the budget, and sums in float32 on what is run at a time.
    void anotherBudgetChangesNoNumber()
    {
        QFETCH(qint64, first);
        QFETCH(qint64, second);
        QFETCH(QString, moment);
        QFETCH(int, after);
        const QString name = QString::number(first) + moment + QStringLiteral(".json");
        const QString whole = first > 0 ? QStringLiteral("whole%1.json").arg(first) : QStringLiteral("straight.json");
        if (!QFile::exists(path(whole)))
            QCOMPARE(run(whole, budget(first)), 0);
        Told told;
        told.start(QStringList{QStringLiteral("run"), path("experiment.json"), QStringLiteral("--out"), path(name),
                               QStringLiteral("--events"), QStringLiteral("-")} +
                       budget(first),
                   {});
        QVERIFY(told.waitFor(qPrintable(moment), after));
        ::kill(static_cast<pid_t>(told.process().processId()), SIGINT);
        told.finish();
        QCOMPARE(told.process().exitCode(), 4);
        QCOMPARE(run(name, QStringList{QStringLiteral("--resume")} + budget(second)), 0);
        const Json expected = readJson(path(whole)), found = readJson(path(name));
        for (const char* key : {"features", "embedding", "partition", "prm"})
            QVERIFY2(found[key] == expected[key], key);
        QVERIFY(hasNote(found, "as many rows at a time as the interrupted run began with"));
    }

    void aBudgetTooSmallToGoOnIsSaid()
    {
        const QString name = QStringLiteral("smaller.json");
        Told told;
        told.start({QStringLiteral("run"), path("experiment.json"), QStringLiteral("--out"), path(name),
                    QStringLiteral("--events"), QStringLiteral("-")},
                   {});
        QVERIFY(told.waitFor("point", 30));
        ::kill(static_cast<pid_t>(told.process().processId()), SIGINT);
        told.finish();
        QCOMPARE(run(name, QStringList{QStringLiteral("--resume")} + budget(qint64{1} << 20)), 3);
        const Json refused = readJson(path(name));
        QCOMPARE(refused.value("status", ""), std::string("over_budget"));
        const std::string message = refused.value("message", "");
        QVERIFY2(message.find("as the interrupted run began with") != std::string::npos, message.c_str());
        QCOMPARE(run(name, {QStringLiteral("--resume")}), 0); // nothing is lost
        QVERIFY(readJson(path(name))["prm"] == m_straight["prm"]);
    }

    // A budget that leaves the check of small noise no room leaves the prediction its other stages.
    void aStageWithoutRoomIsNoEndOfThePrediction()
    {
        Json experiment = smallPrm();
        experiment["prm"]["small_noise"] = true;
        experiment["prm"]["sigmas"] = {0, 0.1};
        experiment["prm"]["repeats"] = 1;
        experiment["model"]["hidden"] = 128; // float64 copies of the weights outweigh all else,
        experiment["prm"]["members"] = 4;    // and so few rows take little
        const Json free = predictionOf(experiment);
        QVERIFY(free.contains("stages") && free["stages"].contains("small_noise"));
        const std::int64_t budget = std::int64_t{12} << 20; // below what the check takes at the least
        experiment["budget_bytes"] = budget;
        const Json bound = predictionOf(experiment);
        QVERIFY(bound.contains("stages"));
        for (const char* stage : {"training", "evaluation", "features"})
            QVERIFY2(bound["stages"].contains(stage), stage);
        QVERIFY(!bound["stages"].contains("small_noise"));
        QVERIFY(bound["peak_bytes"].get<std::int64_t>() <= budget);
        // Not even the features: they stand there as without a budget.
        experiment["budget_bytes"] = std::int64_t{2} << 20;
        QVERIFY(predictionOf(experiment)["stages"]["features"] == free["stages"]["features"]);
    }

private:
    static QStringList budget(qint64 bytes)
    {
        return bytes > 0 ? QStringList{QStringLiteral("--budget"), QString::number(bytes)} : QStringList();
    }

    static bool hasNote(const Json& result, const std::string& text)
    {
        const Json notes = result.value("notes", Json::array());
        return std::any_of(notes.begin(), notes.end(), [&text](const Json& note) {
            return note.get<std::string>().find(text) != std::string::npos;
        });
    }

    // As a worker says it before it begins.
    static Json predictionOf(const Json& experiment)
    {
        Told worker;
        worker.start({QStringLiteral("worker")}, QByteArray::fromStdString(experiment.dump()) + '\n');
        worker.waitFor("progress", 1);
        worker.process().closeWriteChannel();
        worker.finish();
        return worker.section("prediction");
    }

    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

    int run(const QString& out, const QStringList& more)
    {
        return QProcess::execute(
            kCli,
            QStringList{QStringLiteral("run"), path("experiment.json"), QStringLiteral("--out"), path(out)} + more);
    }
    int run(const char* out, const QStringList& more) { return run(QString::fromLatin1(out), more); }

    QTemporaryDir m_folder;
    Json m_straight;
};

PEAKSCOPE_GUILESS_TEST(TestPrmCancel)
#include "test_prm_cancel.moc"
