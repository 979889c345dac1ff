// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where the words behind --out and --events lead: what a shell, a pipe or another run has there is not destroyed.
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using Json = nlohmann::json;

class TestOutputs : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void streamsAreWrittenAsTheyStand_data();
    void streamsAreWrittenAsTheyStand();
    void aResultAloneIsOnStandardOutput();
    void whatIsRefused_data();
    void whatIsRefused();
    void foldersAreMade();
    void aClosedTerminalStopsAnEmbedding();

private:
    struct Said {
        int status = -1;
        QByteArray out, error;
    };
    // A script of the shell, with the program as $P, in the folder.
    Said shell(const QString& script) const;
    QByteArray contents(const QString& name) const;
    QTemporaryDir m_folder;
};

TestOutputs::Said TestOutputs::shell(const QString& script) const
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("P"), QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli"));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(m_folder.path());
    process.start(QStringLiteral("/bin/bash"), {QStringLiteral("-c"), script});
    const bool over = process.waitForFinished(120000) && process.exitStatus() == QProcess::NormalExit;
    return {over ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

QByteArray TestOutputs::contents(const QString& name) const
{
    QFile file(m_folder.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void TestOutputs::initTestCase()
{
    const Json tiny = {{"family", "gpt2"}, {"hidden", 16}, {"layers", 1}, {"heads", 2}, {"vocab", 256}};
    const auto write = [this](const char* name, const std::string& text) {
        QFile file(m_folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) && file.write(text.c_str()) == static_cast<qint64>(text.size());
    };
    QVERIFY(write("prm.json", Json({{"kind", "prm"}, {"model", tiny}, {"prm", {{"synthetic", true}}}}).dump()));
    QVERIFY(write(
        "memory.json",
        Json({{"kind", "memory"}, {"model", tiny}, {"data", {{"batch", 1}, {"seq", 8}}}, {"device", "cpu"}}).dump()));
    QVERIFY(write("sweep.json", Json({{"base", Json::parse(R"({"kind": "memory", "model": {"id": "gpt2"}})")},
                                      {"grid", {{"data.batch", {1, 2}}}}})
                                    .dump()));
    std::string table = "a,b\n";
    for (int i = 0; i < 60; ++i)
        table += std::to_string(i % 7) + "," + std::to_string(i * i % 31) + "\n";
    QVERIFY(write("table.csv", table));
    const Said run = shell(QStringLiteral("\"$P\" run prm.json --out run.json"));
    QVERIFY2(run.status == 0, run.error.constData());
}

void TestOutputs::streamsAreWrittenAsTheyStand_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("to"); // how the shell opens the file `all`
    QTest::addColumn<QByteArray>("holds");
    const QString convert = QStringLiteral("\"$P\" convert run.json --to csv --out ");
    for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"}) {
        QTest::addRow("a table to %s", name) << convert + name << "> all" << QByteArray(",");
        QTest::addRow("a table appended to %s", name) << convert + name << ">> all" << QByteArray(",");
    }
    QTest::newRow("a descriptor of the shell's") << convert + "/dev/fd/7"
                                                 << "> all 7>&1" << QByteArray(",");
    QTest::newRow("a pipe by its path") << "mkfifo p; cat p & \"$P\" convert run.json --to csv --out p; wait"
                                        << "> all" << QByteArray(",");
    QTest::newRow("a document") << "\"$P\" convert run.json --to peakscope --out -"
                                << "> all" << QByteArray("}");
    QTest::newRow("a summary") << "\"$P\" convert run.json --to summary --out -"
                               << "> all" << QByteArray("synthetic");
    QTest::newRow("an embedding") << "\"$P\" embed table.csv --out -"
                                  << "> all" << QByteArray("umap_1,umap_2");
    QTest::newRow("a synthetic run") << "\"$P\" run prm.json --out -"
                                     << "> all" << QByteArray("\"complete\"");
    QTest::newRow("a run") << "\"$P\" run memory.json --out -"
                           << "> all" << QByteArray("\"complete\"");
    QTest::newRow("events") << "\"$P\" run memory.json --out r.json --events /dev/fd/7"
                            << "> all 7>&1" << QByteArray("\"end\"");
}

void TestOutputs::streamsAreWrittenAsTheyStand()
{
    QFETCH(QString, command);
    QFETCH(QString, to);
    QFETCH(QByteArray, holds);
    const Said said = shell(QStringLiteral("rm -f all p link; ln -s /dev/stdout link; echo earlier > all; "
                                           "(echo before; %1; s=$?; echo after; exit $s) %2")
                                .arg(command, to));
    QVERIFY2(said.status == 0, said.error.constData());
    const QByteArray all = contents(QStringLiteral("all"));
    const QByteArray start = to.startsWith(QLatin1String(">>")) ? "earlier\nbefore\n" : "before\n";
    QVERIFY2(all.startsWith(start) && all.endsWith("\nafter\n"), all.constData());
    QVERIFY2(all.mid(start.size()).contains(holds), all.constData());
}

void TestOutputs::aResultAloneIsOnStandardOutput()
{
    for (const char* experiment : {"prm.json", "memory.json"}) {
        const Said said = shell(QStringLiteral("\"$P\" run %1 --out -").arg(QString::fromLatin1(experiment)));
        QCOMPARE(said.status, 0);
        const Json result = Json::parse(said.out.toStdString(), nullptr, false); // one document and nothing else
        QVERIFY2(result.is_object() && result.value("status", "") == "complete", said.out.constData());
        QVERIFY2(said.error.contains("result in standard output"), said.error.constData());
    }
    const Said scores = shell(QStringLiteral("\"$P\" embed table.csv --out - --json"));
    QVERIFY2(scores.status == 0 && scores.out.startsWith("umap_1"), scores.out.constData());
    QVERIFY(Json::parse(scores.error.toStdString(), nullptr, false).contains("clusters"));
    QCOMPARE(shell(QStringLiteral("\"$P\" run memory.json --out /dev/full")).status, 1);
    QCOMPARE(shell(QStringLiteral("ls -A | grep -E 'lock|tmp|progress|^-$|stdout'")).out, QByteArray());
}

void TestOutputs::whatIsRefused_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const char* command, const char* words) {
        QTest::newRow(name) << QString::fromLatin1(command) << QByteArray(words);
    };
    row("result and events", "\"$P\" run memory.json --out - --events -", "--events: the result goes to");
    row("result and events by paths", "\"$P\" run prm.json --out /dev/fd/1 --events /dev/stdout", "--events: the");
    row("resume", "\"$P\" run memory.json --out - --resume", "--resume: what went to standard output can't be read");
    row("a sweep", "\"$P\" sweep sweep.json --out -", "--out: a sweep writes a folder");
    row("methods", "\"$P\" compare-methods memory.json --out -", "--out: a result of each method");
    row("convert onto its input", "\"$P\" convert run.json --to csv --out run.json", "--out: run.json is what is read");
    row("convert into its folder", "\"$P\" convert . --to peakscope --out run.json", "--out: run.json is what is read");
    row("a closed descriptor", "\"$P\" convert run.json --to csv --out /dev/fd/93", "/dev/fd/93: cannot write");
    row("a descriptor to read", "\"$P\" convert run.json --to csv --out /dev/fd/7 7< table.csv", "cannot write");
    row("a run into a folder", "\"$P\" run memory.json --out . --events /dev/stderr",
        "--out: . is a folder; give the name of a file");
    row("a run into a folder to be made", "\"$P\" run memory.json --out none/", "--out: none/ is a folder");
    row("embed into a folder", "\"$P\" embed table.csv --out .", "--out: . is a folder");
    row("record into a folder", "\"$P\" record --out . -- true", "--out: . is a folder");
    row("recommend into a folder", "\"$P\" recommend gpt2 --device bytes:1GiB --save .", "--save: . is a folder");
    // As a run holds them while it writes.
    row("convert onto a run's", "flock .busy.lock \"$P\" convert run.json --to csv --out busy",
        "being written by another");
    row("embed onto a run's", "flock .busy.lock \"$P\" embed table.csv --out busy", "--out: busy is being written by");
    row("events onto a run's", "flock .busy.lock \"$P\" run prm.json --out o.json --events busy",
        "--events: busy is being");
}

void TestOutputs::whatIsRefused()
{
    QFETCH(QString, command);
    QFETCH(QByteArray, words);
    const QByteArray before = contents(QStringLiteral("run.json"));
    const Said said = shell(command);
    QVERIFY2(said.status == 2 || words.contains("cannot write"), said.error.constData());
    QVERIFY(said.status > 0 && said.out.isEmpty());
    QVERIFY2(said.error.contains(words) && said.error.count('\n') == 1, said.error.constData());
    QCOMPARE(contents(QStringLiteral("run.json")), before);
}

void TestOutputs::foldersAreMade()
{
    const Said run = shell(QStringLiteral("\"$P\" run memory.json --out new/run/r.json && "
                                          "\"$P\" embed table.csv --out new/embed/e.csv && "
                                          "\"$P\" convert new/run/r.json --to csv --out new/tables/ && "
                                          "\"$P\" convert new/run/r.json --to summary --out new/text/s.txt"));
    QVERIFY2(run.status == 0, run.error.constData());
    for (const char* file : {"new/run/r.json", "new/embed/e.csv", "new/text/s.txt"})
        QVERIFY2(!contents(QString::fromLatin1(file)).isEmpty(), file);
    QVERIFY(QDir(m_folder.filePath(QStringLiteral("new/tables"))).entryList({QStringLiteral("*.csv")}).size() > 1);
    // What a result says of a sequence beyond the model's positions.
    const Said far = shell(
        QStringLiteral("\"$P\" run memory.json --set model.family=llama model.max_positions=4 --out new/far.json"));
    QVERIFY2(far.status == 0, far.error.constData());
    const QByteArray note = "data.seq: 8 tokens are more than the 4 positions";
    QVERIFY(contents(QStringLiteral("new/far.json")).contains(note));
    QVERIFY(shell(QStringLiteral("\"$P\" estimate memory.json --set model.family=llama model.max_positions=4 --json "
                                 "--device dry:a100-40gb"))
                .out.contains(note));
    const Said refused = shell(QStringLiteral("\"$P\" run memory.json --out memory.json/x/r.json"));
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.error.contains("--out") && refused.error.contains("not a folder"), refused.error.constData());
}

void TestOutputs::aClosedTerminalStopsAnEmbedding()
{
    const QString embed = QStringLiteral("\"$P\" embed table.csv --out long.csv --epochs %1 & sleep 1; kill -HUP $!; "
                                         "wait $!");
    const Said stopped = shell(embed.arg(1'000'000));
    QVERIFY2(stopped.status == 4 && stopped.error.contains("the embedding was stopped"), stopped.error.constData());
    // A process that was started to ignore it does.
    const Said kept = shell(QStringLiteral("trap '' HUP; ") + embed.arg(100'000));
    QVERIFY2(kept.status == 0, kept.error.constData());
}

PEAKSCOPE_GUILESS_TEST(TestOutputs)
#include "test_outputs.moc"
