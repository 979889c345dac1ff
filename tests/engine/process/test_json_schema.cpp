// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The published JSON Schemas are those that the program prints, hold for documents of every kind, and refuse wrong
// ones.
#include "tests/engine/process/said.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QDir>
#include <QDirIterator>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;
using namespace peakscope::test;
using Json = nlohmann::json;

namespace {

const QString kSource = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/");
constexpr int kNoValidator = 77;

QString schemaFile(const QString& kind)
{
    return kSource + QStringLiteral("docs/schema/%1.json").arg(kind);
}

Json experiment(const char* kind)
{
    return {{"kind", kind},
            {"device", "cpu"},
            {"threads", 1},
            {"model", {{"family", "gpt2"}, {"hidden", 16}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}},
            {"data", {{"source", "builtin"}, {"batch", 2}, {"seq", 16}}},
            {"training", {{"steps", 1}, {"warmup_steps", 0}}}};
}

} // namespace

class TestJsonSchema : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void publishedAsPrinted_data();
    void publishedAsPrinted();
    void experiments();
    void wrongExperiments_data();
    void wrongExperiments();
    void results_data();
    void results();
    void resultsOfOtherPrograms();
    void aSweep();
    void wrongResults_data();
    void wrongResults();

private:
    QString write(const QString& name, const Json& json) const;
    // Empty where the schema holds for all of them.
    QString faults(const QString& kind, const QStringList& documents) const;

    QTemporaryDir m_folder;
    QString m_python;
    bool m_validates = false;
};

QString TestJsonSchema::write(const QString& name, const Json& json) const
{
    QFile file(m_folder.filePath(name));
    const QByteArray text = QByteArray::fromStdString(json.dump());
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
}

QString TestJsonSchema::faults(const QString& kind, const QStringList& documents) const
{
    QProcess process;
    process.start(m_python,
                  QStringList{kSource + "tests/engine/data/validate_schema.py", schemaFile(kind)} + documents);
    const Said said = endOf(process);
    return said.status == 0 ? said.out : QStringLiteral("status %1: %2").arg(said.status).arg(said.error);
}

void TestJsonSchema::initTestCase()
{
    startWarmEngine();
    QVERIFY(m_folder.isValid());
    m_python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    if (m_python.isEmpty())
        return;
    QProcess process;
    process.start(m_python, {kSource + "tests/engine/data/validate_schema.py", schemaFile("result")});
    m_validates = endOf(process).status != kNoValidator;
}

#define NEEDS_A_VALIDATOR                                                                                              \
    if (!m_validates)                                                                                                  \
    QSKIP("Python's jsonschema (python3-jsonschema) is not installed")

void TestJsonSchema::publishedAsPrinted_data()
{
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"experiment", "result", "sweep"})
        QTest::newRow(kind) << kind;
}

// `peakscope-cli help --json-schema KIND > docs/schema/KIND.json` makes it anew.
void TestJsonSchema::publishedAsPrinted()
{
    QFETCH(const QString, kind);
    const Said said = say({"help", "--json-schema", kind});
    QCOMPARE(said.status, 0);
    QFile file(schemaFile(kind));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(file.readAll()), said.out);
}

void TestJsonSchema::experiments()
{
    NEEDS_A_VALIDATOR;
    // The defaults of every key, as a result holds them, and what people write.
    QStringList documents{kSource + "resources/samples/demo.json", kSource + "resources/samples/memory.json"};
    for (const char* result : {"demo_result", "memory_result"}) {
        const Json config = readJson(kSource + QStringLiteral("resources/samples/%1.json").arg(result))["config"];
        documents << write(QStringLiteral("config-of-%1").arg(result), config);
    }
    Json rich = experiment("curvature");
    rich["curvature"] = {{"quantities", {"trace", "diagonal"}},
                         {"parameters", {{"select", "entries"}, {"entries", {{{"parameter", "w"}, {"index", 3}}}}}}};
    rich["marks"] = {{{"name", "attention"}, {"module", "*.attn"}}};
    documents << write("rich.json", rich);
    QCOMPARE(faults("experiment", documents), QString());
}

void TestJsonSchema::wrongExperiments_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value"); // JSON; empty: the member is left out
    QTest::newRow("no kind") << "/kind"
                             << "";
    QTest::newRow("no model") << "/model"
                              << "";
    QTest::newRow("another kind") << "/kind"
                                  << "\"memories\"";
    QTest::newRow("an unknown key") << "/trainig"
                                    << "{}";
    QTest::newRow("an unknown key of a block") << "/training/lrr"
                                               << "1";
    QTest::newRow("a text for a number") << "/data/batch"
                                         << "\"4\"";
    QTest::newRow("below the range") << "/data/batch"
                                     << "0";
    QTest::newRow("a fraction") << "/data/batch"
                                << "1.5";
}

// The schema and the program refuse the same.
void TestJsonSchema::wrongExperiments()
{
    NEEDS_A_VALIDATOR;
    QFETCH(const QString, pointer);
    QFETCH(const QString, value);
    Json wrong = experiment("memory");
    if (value.isEmpty())
        wrong.erase(pointer.mid(1).toStdString());
    else
        wrong[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const QString file = write("wrong.json", wrong);
    QVERIFY(faults("experiment", {file}).startsWith(file));
    QCOMPARE(say({"run", file, "--out", m_folder.filePath("none.json")}).status, 2);
}

void TestJsonSchema::results_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("document");
    QTest::newRow("memory") << "memory" << QByteArray::fromStdString(experiment("memory").dump());
    Json curvature = experiment("curvature");
    curvature["curvature"] = {{"quantities", {"trace"}}, {"probes", 2}};
    QTest::newRow("curvature") << "curvature" << QByteArray::fromStdString(curvature.dump());
    Json dpsgd = experiment("memory");
    dpsgd["training"]["clipping"] = "ghost";
    QTest::newRow("DP-SGD") << "memory" << QByteArray::fromStdString(dpsgd.dump());
    Json over = experiment("memory");
    over["budget_bytes"] = 100000;
    QTest::newRow("over the budget") << "memory" << QByteArray::fromStdString(over.dump());
    QTest::newRow("prm") << "prm" << QByteArray();
    QTest::newRow("stored memory") << "memory" << QByteArray();
}

void TestJsonSchema::results()
{
    NEEDS_A_VALIDATOR;
    QFETCH(const QString, name);
    QFETCH(const QByteArray, document);
    QString result = kSource + QStringLiteral("resources/samples/%1_result.json").arg(name == "prm" ? "demo" : name);
    if (!document.isEmpty()) {
        result = m_folder.filePath("result.json");
        QFile::remove(result);
        const Said said = say({"run", write("e.json", Json::parse(document.toStdString())), "--out", result});
        QVERIFY2(QFile::exists(result), qPrintable(said.error));
        // What ran is an experiment with every key that documents have.
        QCOMPARE(faults("experiment", {write("config.json", readJson(result)["config"])}), QString());
    }
    QCOMPARE(QString::fromStdString(readJson(result)["kind"].get<std::string>()), name);
    QCOMPARE(faults("result", {result}), QString());
}

// As this program writes them, once it has read them.
void TestJsonSchema::resultsOfOtherPrograms()
{
    NEEDS_A_VALIDATOR;
    QStringList documents;
    QDirIterator samples(kSource + "tests/core/data/formats", {"*.json"}, QDir::Files, QDirIterator::Subdirectories);
    while (samples.hasNext()) {
        const QString out = m_folder.filePath(QStringLiteral("converted.json"));
        if (say({"convert", samples.next(), "--to", "peakscope", "--out", out}).status != 0 || !QFileInfo(out).isFile())
            continue;
        const Json converted = readJson(out); // several results are an array
        for (const Json& one : converted.is_array() ? converted : Json::array({converted}))
            documents << write(QStringLiteral("converted-%1.json").arg(documents.size()), one);
    }
    QVERIFY2(documents.size() > 5, qPrintable(QString::number(documents.size())));
    QCOMPARE(faults("result", documents), QString());
}

void TestJsonSchema::aSweep()
{
    NEEDS_A_VALIDATOR;
    const QString out = m_folder.filePath("swept");
    const Said said = say(
        {"sweep", write("s.json", {{"base", experiment("memory")}, {"grid", {{"data.seq", {16, 24}}}}}), "--out", out});
    QVERIFY2(said.status == 0, qPrintable(said.error));
    QCOMPARE(faults("sweep", {out + "/sweep.json"}), QString());
    QCOMPARE(faults("result", {out + "/point-0001.json", out + "/point-0002.json"}), QString());
    Json sweep = readJson(out + "/sweep.json");
    sweep["points"][0]["peak_bytes"] = "many";
    const QString wrong = write("wrong-sweep.json", sweep);
    QVERIFY(faults("sweep", {wrong}).contains(QStringLiteral("$.points[0].peak_bytes")));
}

void TestJsonSchema::wrongResults_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value"); // JSON; empty: the member is left out
    QTest::addColumn<bool>("refused");
    QTest::newRow("a text for bytes") << "/memory/peak_bytes"
                                      << "\"12 GiB\"" << true;
    QTest::newRow("no kind") << "/kind"
                             << "" << true;
    QTest::newRow("no status") << "/status"
                               << "" << true;
    QTest::newRow("another status") << "/status"
                                    << "\"done\"" << true;
    QTest::newRow("a later version") << "/version"
                                     << "1000" << true;
    QTest::newRow("another format") << "/format"
                                    << "\"other\"" << true;
    QTest::newRow("a section that is a list") << "/timing"
                                              << "[]" << true;
    QTest::newRow("a key of later versions") << "/later"
                                             << "{}" << false;
    QTest::newRow("a key of a section of later versions") << "/memory/later"
                                                          << "1" << false;
}

void TestJsonSchema::wrongResults()
{
    NEEDS_A_VALIDATOR;
    QFETCH(const QString, pointer);
    QFETCH(const QString, value);
    QFETCH(const bool, refused);
    Json result = readJson(kSource + "resources/samples/memory_result.json");
    if (value.isEmpty())
        result.erase(pointer.mid(1).toStdString());
    else
        result[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const QString file = write("wrong-result.json", result);
    const QString found = faults("result", {file});
    QVERIFY2(refused ? found.startsWith(file) : found.isEmpty(), qPrintable(found));
}

PEAKSCOPE_GUILESS_TEST(TestJsonSchema)
#include "test_json_schema.moc"
