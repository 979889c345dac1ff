// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which commands a document names, wherever they stand in it, and how a command is written for a person to read.
#include "core/experiment/sweep_plan.h"
#include "core/planning/commands/named_commands.h"
#include "core/protocol/command_text.h"
#include "tests/test_room.h"

#include <QElapsedTimer>
#include <QTest>

#include <set>

using namespace peakscope;

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

std::set<Words> wordsOf(const std::vector<NamedCommand>& commands)
{
    std::set<Words> words;
    for (const NamedCommand& command : commands)
        words.insert(command.words);
    return words;
}

Json sweepOfGrid(const char* launcher, const char* grid)
{
    Json base = {{"kind", "memory"},
                 {"model", {{"family", "opt"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}}};
    if (*launcher)
        base["launcher"] = Json::parse(launcher);
    return {{"base", base}, {"grid", Json::parse(grid)}};
}

} // namespace

class TestNamedCommands : public QObject
{
    Q_OBJECT
private slots:
    void anExperimentsCommands_data();
    void anExperimentsCommands();
    void aSweepsCommands_data();
    void aSweepsCommands();
    void whatIsLeftNamesNone_data() { aSweepsCommands_data(); }
    void whatIsLeftNamesNone();
    void aGridTooLargeToRunIsStillShown();
    void manyCommandsAreFoundAtOnce();
    void commandsAreWrittenWhole_data();
    void commandsAreWrittenWhole();
    void differentCommandsLookDifferent();
};

void TestNamedCommands::anExperimentsCommands_data()
{
    QTest::addColumn<QByteArray>("document");
    QTest::addColumn<QByteArray>("commands");
    const auto row = [](const char* name, const char* document, const char* commands) {
        QTest::newRow(name) << QByteArray(document) << QByteArray(commands);
    };
    row("none", R"({"kind": "memory", "launcher": []})", "[]");
    row("a launcher", R"({"launcher": ["ssh", "gpu1"]})", R"([["ssh", "gpu1"]])");
    row("escaped letters in its key", R"({"l\u0061uncher": ["x"]})", R"([["x"]])");
    row("text instead of a list", R"({"launcher": "x"})", R"([["x"]])");
    row("numbers among the words", R"({"launcher": ["x", 1]})", R"([["x", "1"]])");
    row("deeper than this version looks", R"({"training": {"hosts": ["gpu1"]}})", R"([["gpu1"]])");
    row("in a list", R"({"marks": [{"launcher": ["x"]}]})", R"([["x"]])");
    row("no object", "[1]", "[]");
    row("null", R"({"launcher": null})", "[]");
    row("a value in its key", R"({"launcher=[]": ["x"]})", R"([["x"]])");
}

void TestNamedCommands::anExperimentsCommands()
{
    QFETCH(QByteArray, document);
    QFETCH(QByteArray, commands);
    const Json read = Json::parse(document.toStdString());
    QCOMPARE(wordsOf(commandsOfExperiment(read)), Json::parse(commands.toStdString()).get<std::set<Words>>());
    QVERIFY(commandsOfExperiment(withoutCommands(read)).empty());
}

void TestNamedCommands::aSweepsCommands_data()
{
    QTest::addColumn<QByteArray>("launcher");
    QTest::addColumn<QByteArray>("grid");
    QTest::addColumn<QByteArray>("commands");
    const auto row = [](const char* name, const char* launcher, const char* grid, const char* commands) {
        QTest::newRow(name) << QByteArray(launcher) << QByteArray(grid) << QByteArray(commands);
    };
    row("none", "", R"({"seed": [1, 2]})", "[]");
    row("the base's", R"(["ssh", "gpu1"])", R"({"seed": [1, 2]})", R"([["ssh", "gpu1"]])");
    row("the grid's", "", R"({"launcher": [["x"], ["y", "z"]]})", R"([["x"], ["y", "z"]])");
    row("the grid's in place of the base's", R"(["ssh"])", R"({"launcher": [["x"], []]})", R"([["x"]])");
    row("a word of the base's", R"(["sh", "-c", "true"])", R"({"launcher.2": ["touch a", "touch b"]})",
        R"([["sh", "-c", "touch a"], ["sh", "-c", "touch b"]])");
    row("several words of the base's", R"(["a", "b"])", R"({"launcher.0": ["x", "y"], "launcher.1": ["z"]})",
        R"([["x", "z"], ["y", "z"]])");
}

// What is found is what the points are run with.
void TestNamedCommands::aSweepsCommands()
{
    QFETCH(QByteArray, launcher);
    QFETCH(QByteArray, grid);
    QFETCH(QByteArray, commands);
    const Json sweep = sweepOfGrid(launcher, grid);
    const auto found = wordsOf(commandsOfSweep(sweep));
    QCOMPARE(found, Json::parse(commands.toStdString()).get<std::set<Words>>());
    std::vector<std::string> order;
    for (const auto& [key, values] : sweep["grid"].items())
        order.push_back(key);
    const auto plan = sweepPlanFromJson(sweep, order);
    QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
    std::set<Words> run;
    for (const PlannedPoint& point : plan->points) {
        if (point.experiment && !point.experiment->launcher.empty())
            run.insert(point.experiment->launcher);
    }
    QCOMPARE(found, run);
}

void TestNamedCommands::whatIsLeftNamesNone()
{
    QFETCH(QByteArray, launcher);
    QFETCH(QByteArray, grid);
    const nlohmann::ordered_json left = sweepWithoutCommands(nlohmann::ordered_json(sweepOfGrid(launcher, grid)));
    QVERIFY(commandsOfSweep(Json(left)).empty());
    QVERIFY(left.contains("base") && left["base"].contains("model"));
}

void TestNamedCommands::aGridTooLargeToRunIsStillShown()
{
    Json values = Json::array();
    for (std::size_t i = 0; i <= kMostSweepPoints; ++i)
        values.push_back({"evil", std::to_string(i)});
    Json sweep = sweepOfGrid("", "{}");
    sweep["grid"]["launcher"] = values;
    QVERIFY(!commandsOfSweep(sweep).empty());
}

// A file may hold them by the hundred thousand, or make a grid of them that fills the memory.
void TestNamedCommands::manyCommandsAreFoundAtOnce()
{
    constexpr std::size_t kMany = 200'000;
    Json values = Json::array();
    for (std::size_t i = 0; i < kMany; ++i)
        values.push_back({{"launcher", std::to_string(i)}});
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(commandsOfExperiment({{"marks", values}}).size(), kMany);
    QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
    Json words = Json::array();
    for (std::size_t i = 0; i < kMostSweepPoints; ++i)
        words.push_back("word " + std::to_string(i));
    Json sweep = sweepOfGrid("", "{}");
    sweep["base"]["launcher"] = {"evil", std::string(1 << 20, 'x')};
    sweep["grid"]["launcher.0"] = words;
    const auto found = wordsOf(commandsOfSweep(sweep));
    QVERIFY(found.contains(sweep["base"]["launcher"].get<Words>()) && found.contains(words.get<Words>()));
}

void TestNamedCommands::commandsAreWrittenWhole_data()
{
    QTest::addColumn<QByteArray>("words"); // JSON
    QTest::addColumn<QByteArray>("line");
    const auto row = [](const char* name, const char* words, const char* line) {
        QTest::newRow(name) << QByteArray(words) << QByteArray(line);
    };
    row("plain", R"(["srun", "--gpus=1", "~/bin/x"])", "srun --gpus=1 ~/bin/x");
    row("blanks", R"(["sh", "-c", "touch a; b"])", R"(sh -c "touch a; b")");
    row("quotes", R"(["say \"hi\" \\"])", R"("say \"hi\" \\")");
    row("empty words", R"(["", "x", ""])", R"("" x "")");
    row("lines", R"(["a\nb\tc\rd"])", R"("a\nb\tc\u{d}d")");
    row("a terminal's", R"(["\u001b[2K\u0007"])", R"("\u{1b}[2K\u{7}")");
    row("direction", R"(["a\u202eb\u2066"])", R"("a\u{202e}b\u{2066}")");
    row("nothing to be seen", R"(["a\u200bb\u00ad\u2060\ufeff"])", R"("a\u{200b}b\u{ad}\u{2060}\u{feff}")");
    row("blanks that are none", R"(["a\u00a0b\u3000\u3164"])", R"("a\u{a0}b\u{3000}\u{3164}")");
    row("tags", R"(["\udb40\udc41"])", R"("\u{e0041}")");
    row("other letters", "[\"\xe7\x8c\xab\"]", "\"\xe7\x8c\xab\"");
}

void TestNamedCommands::commandsAreWrittenWhole()
{
    QFETCH(QByteArray, words);
    QFETCH(QByteArray, line);
    QCOMPARE(QByteArray::fromStdString(commandText(Json::parse(words.toStdString()).get<Words>())), line);
}

void TestNamedCommands::differentCommandsLookDifferent()
{
    QVERIFY(commandText({"a b"}) != commandText({"a", "b"}));
    QVERIFY(commandText({"a\\nb"}) != commandText({"a\nb"}));
    QVERIFY(commandText({"a"}) != commandText({"a", ""}));
    QCOMPARE(commandText({"\xff\xc0\x80"}), std::string("\"\\xff\\xc0\\x80\""));
    const std::string lengthy(100'000, 'x');
    QCOMPARE(commandText({lengthy}), lengthy);
    QCOMPARE(visibleText("a \"b\"\n"), std::string("a \"b\"\\n"));
}

PEAKSCOPE_GUILESS_TEST(TestNamedCommands)
#include "test_named_commands.moc"
