// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli given names that a terminal would obey, outputs that another run writes, documents with a key that
// stands twice, and launchers that hold a token.
#include "core/base/text.h"
#include "core/results/run_result.h"
#include "tests/engine/process/said.h"
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <csignal>

using namespace peakscope;
using Json = nlohmann::json;
using peakscope::test::readJson;

namespace {

// ESC, C1, directions, a paragraph, a tag, no width; then what must stay.
const std::string kBad = "\033[31m\u009b1m\u202e\u2029\U000E0041\u200b\x7f";
const std::string kGood = "模型 é 👩\u200d💻";
const std::string kName = kGood + kBad;

// As they came: who decodes them mends what may be harmful.
struct SaidBytes {
    int status = -1;
    QByteArray out, error;
};

SaidBytes sayBytes(const QStringList& arguments, const QByteArray& input = {})
{
    QProcess process;
    process.start(test::kCli, arguments);
    process.write(input);
    process.closeWriteChannel();
    process.waitForFinished(120000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
}

bool isHarmless(const QByteArray& text)
{
    return severalLines(text.toStdString()) == text.toStdString();
}

bool isOneLine(const QByteArray& text)
{
    return text.endsWith('\n') && text.count('\n') == 1 && text.startsWith("peakscope-cli: ");
}

Json memoryExperiment()
{
    return {{"kind", "memory"},
            {"model", {{"family", "gpt2"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}},
            {"data", {{"batch", 1}, {"seq", 16}}},
            {"training", {{"steps", 1}, {"warmup_steps", 0}}},
            {"device", "cpu"}};
}

} // namespace

class TestHostileNames : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void nothingIsObeyed_data();
    void nothingIsObeyed();
    void jsonSaysTheSame();
    void progressOfAnotherMachine();
    void formulasComeBack();
    void keysThatStandTwice_data();
    void keysThatStandTwice();
    void whatIsReadIsNotWrittenOver_data();
    void whatIsReadIsNotWrittenOver();
    void theSecondRunIsRefused();
    void aKilledRunIsNoHindrance();
    void theSecondSweepIsRefused();
    void tokensStayWithTheLauncher();

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    bool write(const QString& name, const std::string& text) const
    {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(text.data(), static_cast<qint64>(text.size())) >= 0;
    }
    // A launcher that waits for a file of that name.
    QString waitsFor(const QString& name) const
    {
        const QString script = path(name + QStringLiteral(".sh"));
        const QString text =
            QStringLiteral("#!/bin/sh\n: >'%1.begun'\nwhile [ ! -e '%1' ]; do sleep 0.02; done\nexec \"$@\"\n");
        if (!write(name + QStringLiteral(".sh"), text.arg(path(name)).toStdString()))
            return {};
        QFile::setPermissions(script, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return script;
    }
    QStringList hidden() const
    {
        return QDir(m_folder.path()).entryList({QStringLiteral(".*")}, QDir::Files | QDir::Hidden);
    }

    QTemporaryDir m_folder;
};

void TestHostileNames::initTestCase()
{
    QVERIFY(m_folder.isValid());
    RunResult result;
    result.kind = ResultKind::Memory;
    result.id = kName;
    result.status = RunStatus::Failed;
    result.message = "it said: " + kName + "\nand more";
    result.notes = {kName};
    result.config = {{"kind", "memory"}, {"method", kName}, {"device", kName}};
    result.memory.emplace();
    result.memory->peakBytes = 100;
    result.memory->peakComponents[0] = 100;
    result.memory->modules.push_back({kName, std::nullopt, 1, 2, 3, 4, 5, 6});
    result.memory->snapshots.push_back({kName, std::nullopt, 0, 0.5, 100, 100});
    RankSection rank;
    rank.host = kName;
    rank.device = kName;
    rank.message = kName;
    result.ranks = {rank, rank};
    result.ranks.back().rank = 1;
    QVERIFY(saveRunResult(result, path("result.json").toStdString()));
    const std::string bad = kName.substr(0, kGood.size()) + kBad.substr(kBad.find("\u009b")); // ESC is no text
    std::string table = "a" + bad + ",b,=label\n";
    for (int row = 0; row < 24; ++row)
        table +=
            std::to_string(row % 5) + "," + std::to_string(row * row % 11) + (row % 3 ? ",'=1\n" : ",x" + bad + "\n");
    QVERIFY(write("table.csv", table));
    QVERIFY(write("memory.json", memoryExperiment().dump()));
}

void TestHostileNames::nothingIsObeyed_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("status");
    const QString bad = QString::fromStdString(kName);
    const QString result = path("result.json");
    const auto row = [](const char* name, const QStringList& words, int status) {
        QTest::newRow(name) << words << status;
    };
    for (const char* format : {"summary", "csv", "latex", "peakscope", "chrome-trace"})
        row(format, {"convert", result, "--to", format, "--out", "-"}, 0);
    row("a summary to a device", {"convert", result, "--to", "summary", "--out", "/dev/stdout"}, 0);
    row("tables of two", {"convert", result, result, "--to", "csv", "--out", "-"}, 0);
    row("inspect", {"inspect", result}, 0);
    row("inspect as JSON", {"inspect", result, "--json"}, 0);
    row("a file that is not there", {"inspect", path(bad)}, 2);
    row("a format", {"convert", result, "--to", bad, "--out", "-"}, 2);
    row("an option", {"run", "--" + bad}, 2);
    row("a command", {bad}, 2);
    row("a word too many", {"models", bad}, 2);
    row("a number", {"estimate", "--model", "gpt2", "--devices", bad}, 2);
    row("a word of a list", {"replay", "seeds", "--format", bad}, 2);
    row("a model", {"estimate", "--model", bad, "--device", "a100-40gb"}, 2);
    row("a device", {"recommend", "--model", "gpt2", "--device", bad}, 2);
    row("a parameter count", {"estimate", "--model", "params:1e8", "--device", "bytes:8GiB", "--set", bad + "=1"}, 2);
    row("a key", {"run", path("memory.json"), "--set", bad + ".x=1", "--out", path("o.json")}, 2);
    row("an output", {"run", path("memory.json"), "--out", path("memory.json/" + bad + "/o.json")}, 2);
    row("a result's name", {"run", path("memory.json"), "--out", path(bad)}, 0);
    row("the events of one", {"run", path("memory.json"), "--out", path(bad), "--events", "-"}, 0);
    row("a name of it again", {"run", path("memory.json"), "--out", path(bad), "--resume"}, 0);
    row("a mark",
        {"run", path("memory.json"), "--set",
         "marks=[{\"name\":\"" + QString::fromStdString(kGood) + "\u202e\u009b\",\"module\":\"*\"}]", "--events", "-",
         "--out", path("marks.json")},
        0);
    row("a launcher",
        {"run", path("memory.json"), "--set", "launcher=[\"" + path(bad) + "\"]", "--out", path("o.json")}, 2);
    row("columns", {"embed", path("table.csv"), "--out", path("e.csv"), "--labels", "=label"}, 0);
    row("a column that is not there", {"embed", path("table.csv"), "--out", path("e.csv"), "--labels", bad}, 2);
    row("checks", {"selftest", "--only", "ledger rules: " + bad}, 2); // of a group that is quick to look through
    row("a sweep", {"sweep", path(bad), "--out", path("s")}, 2);
}

void TestHostileNames::nothingIsObeyed()
{
    QFETCH(QStringList, words);
    QFETCH(int, status);
    const SaidBytes said = sayBytes(words);
    if (QTest::currentDataTag() != QByteArray("a launcher"))
        QVERIFY2(said.status == status, (said.out + said.error).constData());
    QVERIFY2(isHarmless(said.out), said.out.toPercentEncoding(" \n").constData());
    QVERIFY2(isHarmless(said.error), said.error.toPercentEncoding(" \n").constData());
    QVERIFY2(said.status == 0 || isOneLine(said.error), said.error.constData());
}

void TestHostileNames::jsonSaysTheSame()
{
    const SaidBytes inspected = sayBytes({"inspect", path("result.json"), "--json"});
    const Json description = Json::parse(inspected.out.toStdString(), nullptr, false);
    QVERIFY2(description["id"] == kName, inspected.out.constData());
    const SaidBytes converted = sayBytes({"convert", path("result.json"), "--to", "peakscope", "--out", "-"});
    QVERIFY(Json::parse(converted.out.toStdString(), nullptr, false)["memory"]["modules"][0]["name"] == kName);
    const SaidBytes summary = sayBytes({"convert", path("result.json"), "--to", "summary", "--out", "-"});
    QVERIFY2(summary.out.contains(QByteArray::fromStdString(kGood)), summary.out.constData());
}

// A worker behind a launcher is another machine's program: what it says is shown as well.
void TestHostileNames::progressOfAnotherMachine()
{
    QVERIFY(write("liar.sh", "#!/bin/sh\nprintf 'gone \\033[31m\\302\\2331m\\342\\200\\256wild\\n' >&2\nexit 3\n"));
    QFile::setPermissions(path("liar.sh"), QFile::ReadOwner | QFile::ExeOwner);
    const QString launcher = "launcher=[\"" + path("liar.sh") + "\"]";
    const SaidBytes said = sayBytes({"run", path("memory.json"), "--set", launcher, "--out", path("liar.json")});
    QVERIFY2(said.status != 0 && isOneLine(said.error) && said.error.contains("wild"), said.error.constData());
    QVERIFY2(isHarmless(said.error), said.error.constData());
}

void TestHostileNames::formulasComeBack()
{
    const SaidBytes inspected =
        sayBytes({"embed", path("table.csv"), "--out", path("e.csv"), "--labels", "=label", "--json"});
    QVERIFY2(inspected.status == 0, inspected.error.constData());
    RunResult result;
    result.kind = ResultKind::Memory;
    result.id = "=cmd|' /C calc'!A0";
    result.config = {{"method", "=HYPERLINK(\"x\")"}};
    result.memory.emplace();
    result.memory->peakBytes = 100;
    result.memory->modules.push_back({"@SUM(1)", std::nullopt, 1, 2, 3, 4, 5, 6});
    QVERIFY(saveRunResult(result, path("formulas.json").toStdString()));
    QVERIFY(QDir().mkpath(path("tables")));
    const SaidBytes said = sayBytes({"convert", path("formulas.json"), "--to", "csv", "--out", path("tables")});
    QVERIFY2(said.status == 0, said.error.constData());
    QFile modules(path("tables/modules.csv"));
    QVERIFY(modules.open(QIODevice::ReadOnly));
    QVERIFY(modules.readAll().contains("\n'@SUM(1),"));
    const SaidBytes both =
        sayBytes({"convert", path("formulas.json"), path("formulas.json"), "--to", "csv", "--out", "-"});
    QVERIFY2(both.out.contains("'=HYPERLINK(") && !both.out.contains("\n=") && !both.out.contains(",="),
             both.out.constData());
}

void TestHostileNames::keysThatStandTwice_data()
{
    QTest::addColumn<QByteArray>("document");
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("part");
    const std::string plain = memoryExperiment().dump();
    const QByteArray twice = QByteArray::fromStdString(plain).replace("\"seq\":16", "\"seq\":16,\"seq\":8");
    const QByteArray once = QByteArray::fromStdString(plain);
    const QStringList run{"run", path("twice.json"), "--out", path("twice.out.json")};
    QTest::newRow("in an experiment") << twice << run << QByteArray("data.seq appears twice");
    QTest::newRow("in a set value") << once << run + QStringList{"--set", R"(training={"steps":1,"steps":2})"}
                                    << QByteArray("training: steps appears twice in the value");
    QTest::newRow("in an estimate's value")
        << once
        << QStringList{"estimate", "--model", "gpt2", "--device", "a100-40gb", "--set", R"(data={"seq":1,"seq":2})"}
        << QByteArray("data: seq appears twice in the value");
    QTest::newRow("in a sweep's base") << "{\"base\":" + twice + ",\"grid\":{\"data.batch\":[1]}}"
                                       << QStringList{"sweep", path("twice.json"), "--out", path("twice")}
                                       << QByteArray("base.data.seq appears twice");
    QTest::newRow("compared methods") << twice
                                      << QStringList{"compare-methods", path("twice.json"), "--out", path("twice")}
                                      << QByteArray("data.seq appears twice");
    QTest::newRow("inspected") << twice << QStringList{"inspect", path("twice.json")}
                               << QByteArray("data.seq appears twice");
}

void TestHostileNames::keysThatStandTwice()
{
    QFETCH(QByteArray, document);
    QFETCH(QStringList, words);
    QFETCH(QByteArray, part);
    QVERIFY(write("twice.json", document.toStdString()));
    const SaidBytes said = sayBytes(words);
    QVERIFY2(said.status == 2 && isOneLine(said.error) && said.error.contains(part), said.error.constData());
    QVERIFY(!QFile::exists(path("twice.out.json")));
}

void TestHostileNames::whatIsReadIsNotWrittenOver_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* name, const QString& file, const QStringList& words) {
        QTest::newRow(name) << file << words;
    };
    const QString experiment = path("memory.json"), sweep = path("own/sweep.json"), table = path("table.csv");
    QVERIFY(QDir().mkpath(path("own")));
    QFile::link(experiment, path("memory-link.json"));
    QVERIFY(write("own/sweep.json", Json{{"base", memoryExperiment()}, {"grid", {{"data.seq", {8, 16}}}}}.dump()));
    row("an experiment", experiment, {"run", experiment, "--out", experiment});
    row("an experiment by a link", experiment, {"run", experiment, "--out", path("memory-link.json")});
    row("an experiment by another path", experiment,
        {"run", path("memory-link.json"), "--out", path("own/../memory.json")});
    row("an experiment by its events", experiment,
        {"run", experiment, "--out", path("apart.json"), "--events", experiment});
    row("a result by its events", experiment,
        {"run", experiment, "--out", path("apart.json"), "--events", path("own/../apart.json")});
    row("a sweep", sweep, {"sweep", sweep, "--out", path("own")});
    row("a sweep by its events", sweep, {"sweep", sweep, "--out", path("apart"), "--events", sweep});
    row("a sweep by its script", sweep, {"sweep", sweep, "--out", path("apart"), "--slurm-array", sweep});
    row("a table", table, {"embed", table, "--out", table});
}

void TestHostileNames::whatIsReadIsNotWrittenOver()
{
    QFETCH(QString, file);
    QFETCH(QStringList, words);
    const auto content = [&file] {
        QFile read(file);
        return read.open(QIODevice::ReadOnly) ? read.readAll() : QByteArray();
    };
    const QByteArray before = content();
    const SaidBytes said = sayBytes(words);
    QVERIFY2(said.status == 2 && isOneLine(said.error), (said.out + said.error).constData());
    QVERIFY(!before.isEmpty() && content() == before);
    QVERIFY(!QFile::exists(path("apart.json")));
    QCOMPARE(hidden(), QStringList());
}

void TestHostileNames::theSecondRunIsRefused()
{
    const QStringList words{"run", path("memory.json"), "--out", path("shared.json")};
    QProcess first;
    first.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli"),
                words + QStringList{"--set", "launcher=[\"" + waitsFor("go") + "\"]"});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("go.begun")), 60000);
    for (const QStringList& more : std::initializer_list<QStringList>{{}, {"--resume"}, {"--ranks", "2"}}) {
        const SaidBytes second = sayBytes(words + more);
        QVERIFY2(second.status == 2 && isOneLine(second.error) && second.error.contains("another run"),
                 (second.out + second.error).constData());
    }
    const Json synthetic = {{"kind", "prm"}, {"model", memoryExperiment()["model"]}, {"prm", {{"synthetic", true}}}};
    const SaidBytes other =
        sayBytes({"run", "-", "--out", path("shared.json")}, QByteArray::fromStdString(synthetic.dump()));
    QVERIFY2(other.status == 2 && isOneLine(other.error), other.error.constData());
    QVERIFY(write("go", ""));
    QVERIFY(first.waitForFinished(120000));
    QVERIFY2(first.exitCode() == 0, first.readAllStandardError().constData());
    QCOMPARE(readJson(path("shared.json"))["status"].get<std::string>(), std::string("complete"));
    QCOMPARE(sayBytes(words).status, 0);
    QCOMPARE(hidden(), QStringList());
}

void TestHostileNames::aKilledRunIsNoHindrance()
{
    const QStringList words{"run", path("memory.json"), "--out", path("killed.json")};
    QProcess first;
    first.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli"),
                words + QStringList{"--set", "launcher=[\"" + waitsFor("go-on") + "\"]"});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path(".killed.json.lock")), 60000);
    first.kill();
    QVERIFY(first.waitForFinished(60000));
    const SaidBytes second = sayBytes(words);
    QVERIFY2(second.status == 0, second.error.constData());
    QCOMPARE(hidden(), QStringList());
    QVERIFY(write("go-on", "")); // what it had started ends
}

void TestHostileNames::theSecondSweepIsRefused()
{
    Json base = memoryExperiment();
    base["launcher"] = {waitsFor("sweep-on").toStdString()};
    QVERIFY(write("sweep.json", Json{{"base", base}, {"grid", {{"data.seq", {8, 16}}}}}.dump()));
    const QStringList words{"sweep", path("sweep.json"), "--out", path("points")};
    QProcess first;
    first.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli"), words);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("points/.peakscope.lock")), 60000);
    const SaidBytes second = sayBytes(words);
    QVERIFY2(second.status == 2 && isOneLine(second.error), (second.out + second.error).constData());
    const SaidBytes methods = sayBytes({"compare-methods", path("memory.json"), "--out", path("points")});
    QVERIFY2(methods.status == 2 && isOneLine(methods.error), (methods.out + methods.error).constData());
    QVERIFY(write("sweep-on", ""));
    QVERIFY(first.waitForFinished(120000));
    QVERIFY2(first.exitCode() == 0, first.readAllStandardError().constData());
    QVERIFY(!QFile::exists(path("points/.peakscope.lock")));
    QCOMPARE(sayBytes(words + QStringList{"--resume"}).status, 0);
}

void TestHostileNames::tokensStayWithTheLauncher()
{
    const std::string secret = "hf_QWERTYuiop1234567890";
    const std::string script = path("seen.sh").toStdString();
    QVERIFY(
        write("seen.sh", "#!/bin/sh\nprintf %s \"$MY_TOKEN\" > '" + path("seen").toStdString() + "'\nexec \"$@\"\n"));
    QFile::setPermissions(path("seen.sh"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    Json experiment = memoryExperiment();
    experiment["launcher"] = {"env", "MY_TOKEN=" + secret, script};
    QVERIFY(write("token.json", experiment.dump()));
    const QStringList words{"run", path("token.json"), "--out", path("token.out.json")};
    const SaidBytes said = sayBytes(words + QStringList{"--events", path("token.events.jsonl")});
    QVERIFY2(said.status == 0, said.error.constData());
    QFile seen(path("seen")), events(path("token.events.jsonl")), out(path("token.out.json"));
    QVERIFY(seen.open(QIODevice::ReadOnly) && events.open(QIODevice::ReadOnly) && out.open(QIODevice::ReadOnly));
    QCOMPARE(seen.readAll(), QByteArray::fromStdString(secret));
    QVERIFY(!out.readAll().contains(secret.c_str()) && !events.readAll().contains(secret.c_str()));
    const Json launcher = readJson(path("token.out.json"))["config"]["launcher"];
    QVERIFY2(launcher[1] == "MY_TOKEN=[removed]", launcher.dump().c_str());
    const SaidBytes again = sayBytes(words + QStringList{"--resume"});
    QVERIFY2(again.status == 0 && again.out.contains("already complete"), again.out.constData());

    // What a result holds is no command.
    QVERIFY(write("masked.json", readJson(path("token.out.json"))["config"].dump()));
    for (const QStringList& more : std::initializer_list<QStringList>{{}, {"--resume"}}) {
        const SaidBytes masked =
            sayBytes(QStringList{"run", path("masked.json"), "--out", path("masked.out.json")} + more);
        QVERIFY2(masked.status == 2 && isOneLine(masked.error) && masked.error.contains("MY_TOKEN=[removed]"),
                 masked.error.constData());
    }
    QVERIFY(write("masked-sweep.json",
                  Json{{"base", readJson(path("masked.json"))}, {"grid", {{"data.seq", {8, 16}}}}}.dump()));
    const SaidBytes sweep = sayBytes({"sweep", path("masked-sweep.json"), "--out", path("masked")});
    QVERIFY2(sweep.status == 2 && isOneLine(sweep.error) && sweep.error.contains("MY_TOKEN=[removed]"),
             sweep.error.constData());

    // Nor does the sentence of a launcher that fails tell it.
    const SaidBytes failed = sayBytes({"run", path("memory.json"), "--set",
                                       QString::fromStdString("launcher=[\"env\",\"--token=" + secret + "x\"]"),
                                       "--out", path("failed.json")});
    QVERIFY(failed.status != 0);
    QVERIFY2(!failed.error.contains(secret.c_str()) && !failed.out.contains(secret.c_str()), failed.error.constData());
}

PEAKSCOPE_GUILESS_TEST(TestHostileNames)
#include "test_hostile_names.moc"
