// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which experts a run's tokens went to: written and read by the same members, whatever a file holds, and its table.
#include "core/results/experts/expert_section.h"
#include "core/results/result_schema.h"
#include "core/results/run_result.h"
#include "core/results/tables.h"
#include "tests/test_room.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>

using namespace peakscope;

class TestExpertSection : public QObject
{
    Q_OBJECT

private slots:
    void thereAndBack();
    void oddFiles_data();
    void oddFiles();
    void againstAnEvenShare();
    void table();
    void schemaNamesItsKeys();
};

void TestExpertSection::thereAndBack()
{
    const ExpertSection section{{{1, {6, 2}}, {3, {4, 4}}}};
    RunResult result;
    result.other["experts"] = toJson(section);
    QCOMPARE(QString::fromStdString(result.other["experts"].dump()),
             QStringLiteral(R"({"layers":[{"layer":1,"tokens":[6,2]},{"layer":3,"tokens":[4,4]}]})"));
    const ExpertSection read = expertsOf(*runResultFromJson(toJson(result)));
    QCOMPARE(read.layers.size(), std::size_t(2));
    QCOMPARE(read.layers[1].layer, 3);
    QCOMPARE(read.layers[0].tokens, (std::vector<std::int64_t>{6, 2}));
    QVERIFY(expertsOf(RunResult()).empty());
}

void TestExpertSection::oddFiles_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<int>("layers");
    QTest::newRow("no object") << QByteArray("[1, 2]") << 0;
    QTest::newRow("layers are a text") << QByteArray(R"({"layers": "all"})") << 0;
    QTest::newRow("a layer without experts")
        << QByteArray(R"({"layers": [{"layer": 0}, {"layer": 1, "tokens": [1]}]})") << 1;
    QTest::newRow("no count is a number")
        << QByteArray(R"({"layers": [{"layer": "0", "tokens": ["3", -1, null]}]})") << 1;
    QTest::newRow("counts beyond 64 bits")
        << QByteArray(R"({"layers": [{"layer": 0, "tokens": [1e300, 9e17, 9e17]}]})") << 1;
}

void TestExpertSection::oddFiles()
{
    QFETCH(const QByteArray, json);
    QFETCH(const int, layers);
    const ExpertSection section = expertsFromJson(nlohmann::json::parse(json.constData()));
    QCOMPARE(std::ssize(section.layers), layers);
    for (const ExpertTokens& layer : section.layers) {
        for (const std::int64_t tokens : layer.tokens)
            QVERIFY(tokens >= 0);
    }
}

void TestExpertSection::againstAnEvenShare()
{
    const ExpertTokens layer{0, {6, 2, 0, 0}};
    QCOMPARE(layer.timesEven(0), 3.0);
    QCOMPARE(layer.timesEven(1), 1.0);
    QCOMPARE(layer.timesEven(2), 0.0);
    QVERIFY(std::isnan(ExpertTokens({0, {0, 0}}).timesEven(0)));
    QCOMPARE((ExpertSection{{{0, {1, 2}}, {1, {1, 2, 3}}}}.experts()), std::size_t(3));
}

void TestExpertSection::table()
{
    QCOMPARE(QString::fromStdString(toCsv(expertLoadsTable({{{2, {6, 2}}}}))),
             QStringLiteral("layer,expert,tokens,times_even\r\n2,0,6,1.5\r\n2,1,2,0.5\r\n"));
}

void TestExpertSection::schemaNamesItsKeys()
{
    const nlohmann::json layer = resultSchema()["properties"]["experts"]["properties"]["layers"]["items"];
    QVERIFY(layer["properties"].contains("layer") && layer["properties"].contains("tokens"));
}

PEAKSCOPE_APPLESS_TEST(TestExpertSection)
#include "test_expert_section.moc"
