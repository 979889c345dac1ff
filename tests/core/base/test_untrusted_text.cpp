// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Text that comes from anywhere: on terminals, in JSON, in spreadsheets, in launchers; and keys that stand twice.
#include "core/analysis/statistics/numeric_table.h"
#include "core/base/csv_text.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_keys.h"
#include "core/base/output_lock.h"
#include "core/base/secrets/secrets.h"
#include "core/base/text.h"
#include "core/experiment/experiment.h"
#include "core/experiment/sweep_plan.h"
#include "core/protocol/launcher.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/tables.h"
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

constexpr const char* kToken = "hf_ZyXwVuTsRqPoNmLkJiHg";

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : "|") + word;
    return text;
}

} // namespace

class TestUntrustedText : public QObject
{
    Q_OBJECT

private slots:
    void terminal_data();
    void terminal();
    void harmlessTextStays_data();
    void harmlessTextStays();
    void linesStay();
    void jsonSaysTheSame();
    void cells_data();
    void cells();
    void tablesComeBack();
    void repeatedKeys_data();
    void repeatedKeys();
    void experimentsWithOne();
    void launchers_data();
    void launchers();
    void experimentsKeepTheirLauncher();
    void sweepsHideTheirs();
    void oneOutputOneProcess();
    void aKilledHolderLeavesNoLock();
    void whatIsNotLocked();
};

void TestUntrustedText::terminal_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char* name, const QByteArray& text, const QByteArray& shown) {
        QTest::newRow(name) << text << shown;
    };
    row("an escape sequence", "a\033[31mb\033]0;title\007c", "a [31mb ]0;title c");
    row("line breaks", "a\r\nb\vc\fd", "a  b c d");
    row("DEL", "a\177b", "a b");
    row("C1", "a\u009b31mb\u0085c\u0090d", "a 31mb c d");
    row("line and paragraph separators", "a\u2028b\u2029c", "a b c");
    row("directions", "a\u202eb\u202ac\u2066d\u2069e\u200ef\u200fg\u061ch", "a?b?c?d?e?f?g?h");
    row("no width", "a\u200bb\u200cc\u200dd\ufeffe\u2060f", "a?b?c?d?e?f");
    row("joiners at the front", "\u200dx", "?x");
    row("two joiners in an emoji", "👩\u200d\u200d💻", "👩??💻");
    row("tags", "a\U000E0041\U000E007Fb\U000E0001c", "a??b?c");
    row("a flag's tags without their end", "\U0001F3F4\U000E0067\U000E0062", "\U0001F3F4??");
    row("noncharacters", "a\uFFFEb\uFDD0c\U0010FFFFd", "a?b?c?d");
    row("annotations and music", "a\uFFF9b\U0001D173c", "a?b?c");
    row("a single C1 byte",
        "a\x9b"
        "31mb",
        "a?31mb");
    row("too long for what it says", "a\xc0\x9b\xe0\x80\x9bz", "a?????z");
    row("half of a pair", "a\xed\xa0\x80z", "a???z");
    row("a torn sequence", "a\xe2\x80", "a??");
    row("beyond the last character", "\xf4\x90\x80\x80", "????");
    row("NUL", QByteArray("a\0b", 3), "a b");
}

void TestUntrustedText::terminal()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(oneLine(text.toStdString())), shown);
}

void TestUntrustedText::harmlessTextStays_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text :
         {"plain ASCII, with ~ and \\ and \"quotes\"", "Zürich, naïve, e\u0301, ß, Łódź", "模型训练 モデル 모델",
          "модель", "μοντέλο", "עברית", "نموذج عربي", "می\u200cخواهم", "हिन्दी क्\u200dष", "ไทย\u200bภาษา",
          "ខ្មែរ\u200bភាសា",
          "👍🏽 👩\u200d💻 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 👨\u200d👩\u200d👧\u200d👦 "
          "1\ufe0f\u20e3",
          "🇨🇭", "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "葛\U000E0100",
          "×−·²≤±µΔσ… “” ‘’ –", "co\u00adoperate \u00a0 \u3000 \u2009", "\ue0b0 \U000F0001", "\ufffd"})
        QTest::newRow(text) << QByteArray(text);
}

void TestUntrustedText::harmlessTextStays()
{
    QFETCH(QByteArray, text);
    QCOMPARE(QByteArray::fromStdString(oneLine(text.toStdString())), text);
    QCOMPARE(QByteArray::fromStdString(severalLines(text.toStdString())), text);
    QCOMPARE(QByteArray::fromStdString(escapedJson(text.toStdString())), text);
}

void TestUntrustedText::linesStay()
{
    QCOMPARE(severalLines("a,b\r\nc\td\n\n\033[2J\re\n"), std::string("a,b\r\nc\td\n\n [2J e\n"));
    QCOMPARE(severalLines("x\u009b\u202e\n\xff"), std::string("x ?\n?"));
}

void TestUntrustedText::jsonSaysTheSame()
{
    const Json document = {{"a\u009b", "\u202e\U000E0041\u200b\x7f\033\n\u2028"}, {"plain", "模型 👩\u200d💻"}};
    const std::string text = dumpJson(document);
    QCOMPARE(text, oneLine(text));
    QVERIFY2(text.find("\\udb40\\udc41") != std::string::npos, text.c_str());
    QVERIFY(text.find("模型 👩\u200d💻") != std::string::npos);
    QVERIFY(Json::parse(text) == document);
    QVERIFY(Json::parse(escapedJson(document.dump(2))) == document);
    QCOMPARE(escapedJson("{\r\"a\":1}"), std::string("{ \"a\":1}"));
}

void TestUntrustedText::cells_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("cell");
    const auto row = [](const QByteArray& text, const QByteArray& cell) { QTest::newRow(text) << text << cell; };
    row("=1+1", "'=1+1");
    row("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
    row("+cmd", "'+cmd");
    row("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0");
    row("@SUM(A1)", "'@SUM(A1)");
    row("\tx", "\"'\tx\"");
    row("\rx", "\"'\rx\"");
    row("  =x", "'  =x");
    row("＝x", "'＝x");
    row("'=x", "''=x");
    row("''-y", "'''-y");
    row("--", "'--");
    row("-1.5.x", "'-1.5.x");
    for (const char* same : {"-1.5", "+3e-4", "-inf", "+Infinity", "-nan",     "-0", "-.5",   "-1e+06", "-5 %", "-3,5",
                             "-",    "+",     "",     "a=b",       "'quoted'", "'",  "don't", "x-1",    "模型", "1e5"})
        row(same, QByteArray(same).contains(',') ? '"' + QByteArray(same) + '"' : QByteArray(same));
    row(" blank ", "\" blank \"");
    row("a,b", "\"a,b\"");
    row("say \"x\"", "\"say \"\"x\"\"\"");
}

void TestUntrustedText::cells()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, cell);
    QCOMPARE(QByteArray::fromStdString(csvCell(text.toStdString())), cell);
    const std::string guarded = spreadsheetText(text.toStdString());
    QCOMPARE(QByteArray::fromStdString(std::string(spreadsheetValue(guarded))), text);
}

// Written by one half of the program, read by the other.
void TestUntrustedText::tablesComeBack()
{
    Table table{"names", {{"=value", ""}, {"@label", ""}}, {}};
    const std::vector<std::string> labels{"=1+1", "-x", "'=y", "+3e-4", "plain, with a comma", "＠w"};
    for (std::size_t i = 0; i < labels.size(); ++i)
        table.rows.push_back({-1.5 * static_cast<double>(i), labels[i]});
    const QTemporaryDir folder;
    const std::string path = folder.filePath("t.csv").toStdString();
    QVERIFY(writeFileAtomically(path, toCsv(table)));
    NumericTableOptions options;
    options.labelsColumn = "@label";
    const auto read = readNumericTable(path, options);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->columns, std::vector<std::string>{"=value"});
    QCOMPARE(read->labelNames, labels);
    QCOMPARE(read->values.back(), -7.5);
    QVERIFY(QString::fromStdString(toTsv(table)).startsWith("'=value\t'@label\n"));
}

void TestUntrustedText::repeatedKeys_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("path");
    QTest::newRow("none") << QByteArray(R"({"a":{"b":1},"b":{"b":[{"b":1},{"b":2}]}})") << QByteArray();
    QTest::newRow("at the top") << QByteArray(R"({"a":1,"b":2,"a":1})") << QByteArray("a");
    QTest::newRow("below") << QByteArray(R"({"training":{"lr":1,"lr":2}})") << QByteArray("training.lr");
    QTest::newRow("in a list") << QByteArray(R"({"marks":[{"name":1},3,{"name":1,"name":2}]})")
                               << QByteArray("marks.2.name");
    QTest::newRow("lists in lists") << QByteArray(R"({"a":[[],[{},[{"x":1,"x":1}]]]})") << QByteArray("a.1.1.0.x");
    QTest::newRow("written differently") << QByteArray(R"({"lr":1,"\u006cr":2})") << QByteArray("lr");
    QTest::newRow("a whole object") << QByteArray(R"({"data":{"seq":1},"data":{"batch":2}})") << QByteArray("data");
    QTest::newRow("an empty key") << QByteArray(R"({"":1,"":2})") << QByteArray("the key \"\"");
    QTest::newRow("what a terminal obeys") << QByteArray(R"({"\u001b[31m":1,"\u001b[31m":2})") << QByteArray(" [31m");
    QTest::newRow("no JSON") << QByteArray(R"({"a":1,"a":)") << QByteArray();
}

void TestUntrustedText::repeatedKeys()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, path);
    QCOMPARE(QByteArray::fromStdString(repeatedKey(text.toStdString())), path);
}

void TestUntrustedText::experimentsWithOne()
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath("e.json").toStdString();
    QVERIFY(writeFileAtomically(path, R"({"kind":"memory","model":{"id":"gpt2"},"data":{"seq":8,"seq":16}})"));
    const auto experiment = loadExperiment(path);
    QVERIFY(!experiment);
    QCOMPARE(experiment.error().code, ErrorCode::BadInput);
    QCOMPARE(experiment.error().text(), path + ": data.seq appears twice; keep one of them");
    Json document = Json::object();
    const Status set = applyAssignment(document, R"(training={"lr":1,"privacy":{"delta":1,"delta":2}})");
    QVERIFY(!set);
    QCOMPARE(set.error().text(), std::string("training: privacy.delta appears twice in the value; keep one of them"));
    QVERIFY(writeFileAtomically(path, R"({"base":{"kind":"memory","kind":"prm"},"grid":{"data.seq":[8]}})"));
    const auto plan = loadSweepPlan(path, {}, {});
    QVERIFY(!plan);
    QCOMPARE(plan.error().text(), path + ": base.kind appears twice; keep one of them");
    QVERIFY(writeFileAtomically(path, R"({"format":"peakscope-sweep","base":{},"base":{}})"));
    const auto sweep = loadSweep(path);
    QVERIFY(!sweep);
    QCOMPARE(sweep.error().text(), path + ": base appears twice; keep one of them");
}

void TestUntrustedText::launchers_data()
{
    QTest::addColumn<QByteArrayList>("words");
    QTest::addColumn<QByteArray>("shown");
    const auto row = [](const char* name, const QByteArrayList& words, const QByteArray& shown) {
        QTest::newRow(name) << words << shown;
    };
    row("a variable", {"env", "HF_TOKEN=hf_xxx", "ssh", "host"}, "env|HF_TOKEN=[removed]|ssh|host");
    row("a variable in lower case", {"env", "wandb_api_key=a b;c", "x"}, "env|wandb_api_key=[removed]|x");
    row("an option", {"srun", "--token=abc", "--api-key=d=e"}, "srun|--token=[removed]|--api-key=[removed]");
    row("an option and its word", {"go", "--token", "abc", "--password", "-x", "run"},
        "go|--token|[removed]|--password|[removed]|run");
    row("an option before another", {"go", "--token", "--verbose"}, "go|--token|--verbose");
    row("a list of variables", {"srun", "--export=ALL,HF_TOKEN=abc"}, "srun|--export=ALL,HF_TOKEN=[removed]");
    row("a container's variable", {"docker", "run", "-e", "HF_TOKEN=abc", "image"},
        "docker|run|-e|HF_TOKEN=[removed]|image");
    row("a shell's line", {"sh", "-c", "export OPENAI_API_KEY='abc'; exec \"$@\""},
        "sh|-c|export OPENAI_API_KEY='[removed]");
    row("a password in a name", {"ssh", "user:pass@host"}, "ssh|user:[removed]@host");
    row("a password with @ and /", {"ssh", "user:p@/s@host"}, "ssh|user:[removed]@host");
    row("a URL", {"ssh", "ssh://user:pass@host:22"}, "ssh|ssh://user:[removed]@host:22");
    row("sshpass", {"/usr/bin/sshpass", "-p", "abc", "ssh", "host"}, "/usr/bin/sshpass|-p|[removed]|ssh|host");
    row("sshpass in one word", {"sshpass", "-v", "-pabc", "ssh", "-p", "22", "host"},
        "sshpass|-v|-p[removed]|ssh|-p|22|host");
    row("sshpass by its variable", {"env", "SSHPASS=abc", "sshpass", "-e", "ssh", "host"},
        "env|SSHPASS=[removed]|sshpass|-e|ssh|host");
    row("a header", {"go", "-H", "Authorization: Bearer abc"}, "go|-H|Authorization: [removed]");
    row("a token by itself", {"go", QByteArray("x,") + kToken}, "go|x,[removed]");
    row("a user's password", {"curl", "-u", "me:abcdef"}, "curl|-u|me:[removed]");
    row("bubblewrap", {"bwrap", "--setenv", "HF_TOKEN", "abc", "sh"}, "bwrap|--setenv|HF_TOKEN|[removed]|sh");
    for (const QByteArrayList& words : std::initializer_list<QByteArrayList>{
             {"ssh", "-p", "22", "user@host"},
             {"ssh", "-o", "PasswordAuthentication=no", "-J", "a@b:22,c@d", "host"},
             {"ssh", "-oProxyCommand=ssh -W %h:%p user@bastion", "host"},
             {"mpirun", "-n", "2", "--mca", "btl", "tcp,self", "-x", "HF_TOKEN"},
             {"env", "HF_TOKEN=$HF_TOKEN", "CUDA_VISIBLE_DEVICES=0"},
             {"docker", "run", "-u", "1000:1000", "r:5000/i@sha256:abcdef", "-v", "/a:/b"},
             {"srun", "--max-tokens=512", "--token-file=/home/me/token"}})
        row(words.join(' '), words, words.join('|'));
}

void TestUntrustedText::launchers()
{
    QFETCH(QByteArrayList, words);
    QFETCH(QByteArray, shown);
    std::vector<std::string> launcher;
    for (const QByteArray& word : words)
        launcher.push_back(word.toStdString());
    const std::vector<std::string> clean = commandWithoutSecrets(launcher);
    QCOMPARE(QByteArray::fromStdString(joined(clean)), shown);
    QCOMPARE(joined(commandWithoutSecrets(clean)), joined(clean));
    QCOMPARE(static_cast<bool>(checkLauncher(clean)), clean == launcher);
}

void TestUntrustedText::experimentsKeepTheirLauncher()
{
    const auto experiment = experimentFromJson({{"kind", "memory"},
                                                {"model", {{"id", "gpt2"}}},
                                                {"weights", "random"},
                                                {"launcher", {"env", "HF_TOKEN=abcdef", "ssh", "host"}}});
    QVERIFY2(experiment, experiment ? "" : experiment.error().text().c_str());
    QCOMPARE(joined(experiment->launcher), std::string("env|HF_TOKEN=abcdef|ssh|host"));
    QVERIFY(experiment->document["launcher"] == Json({"env", "HF_TOKEN=[removed]", "ssh", "host"}));
    const auto again = experimentFromJson(experiment->document);
    QVERIFY(again && again->document == experiment->document);
    const Status refused = checkLauncher(again->launcher);
    QVERIFY(!refused && refused.error().code == ErrorCode::BadInput);
    QVERIFY2(refused.error().text().find("HF_TOKEN=[removed]") != std::string::npos, refused.error().text().c_str());
    QCOMPARE(withoutSecretsOf(experiment->launcher, "env: abcdef: no such"), std::string("env: [removed]: no such"));
}

void TestUntrustedText::sweepsHideTheirs()
{
    const Json base = {{"kind", "memory"},
                       {"model", {{"id", "gpt2"}}},
                       {"weights", "random"},
                       {"launcher", {"go", "--token", "abcdef"}}};
    const Json grid = {{"launcher.2", {"uvwxyz", "qrstuv"}}, {"data.seq", {8, 16}}};
    const auto plan = sweepPlanFromJson({{"base", base}, {"grid", grid}}, {"launcher.2", "data.seq"}, {}, {});
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    const std::string text = toJsonText(emptySweep(*plan));
    for (const char* secret : {"abcdef", "uvwxyz", "qrstuv"})
        QVERIFY2(text.find(secret) == std::string::npos, text.c_str());
    QVERIFY(text.find("[removed]") != std::string::npos);
    QCOMPARE(plan->points.front().experiment->launcher.back(), std::string("uvwxyz"));
    // Two words vary: one makes a secret of the other.
    Json two = base;
    two["launcher"] = {"env", "--name", "first"};
    const auto pair = sweepPlanFromJson(
        {{"base", two}, {"grid", {{"launcher.1", {"--name", "--token"}}, {"launcher.2", {"uvwxyz", "qrstuv"}}}}},
        {"launcher.1", "launcher.2"}, {}, {});
    QVERIFY2(pair, pair ? "" : pair.error().text().c_str());
    const std::string both = toJsonText(emptySweep(*pair));
    for (const char* secret : {"uvwxyz", "qrstuv"})
        QVERIFY2(both.find(secret) == std::string::npos, both.c_str());
    QVERIFY(both.find("--token") != std::string::npos);
    // Nor does a file that another version wrote bring them back.
    Json written = Json::parse(text);
    written["base"]["launcher"] = base["launcher"];
    written["grid"][0]["values"][0] = "uvwxyz";
    written["points"][0]["values"]["launcher.2"] = "uvwxyz";
    const auto read = sweepFromJson(written);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(toJsonText(*read), text);
}

void TestUntrustedText::oneOutputOneProcess()
{
    const QTemporaryDir folder;
    const std::string out = folder.filePath("out.json").toStdString();
    QVERIFY(writeFileAtomically(out, "{}"));
    QVERIFY(QFile::link(folder.filePath("out.json"), folder.filePath("link.json")));
    {
        const auto first = OutputLock::take(out);
        QVERIFY(first);
        for (const QString& name :
             {QStringLiteral("out.json"), QStringLiteral("./out.json"), QStringLiteral("link.json")}) {
            const auto second = OutputLock::take(folder.filePath(name).toStdString());
            QVERIFY2(!second, qPrintable(name));
            QCOMPARE(second.error().code, ErrorCode::BadInput);
            QVERIFY2(second.error().text().find("process " + std::to_string(::getpid())) != std::string::npos,
                     second.error().text().c_str());
        }
        QVERIFY(OutputLock::take(folder.filePath("other.json").toStdString()));
        QVERIFY(OutputLock::take(folder.path().toStdString())); // a folder is another output than a file in it
    }
    QVERIFY(OutputLock::take(out));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden | QDir::System),
             (QStringList{"link.json", "out.json"}));
}

void TestUntrustedText::aKilledHolderLeavesNoLock()
{
    const QTemporaryDir folder;
    const std::string out = folder.filePath("out.json").toStdString();
    int ready[2];
    QCOMPARE(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto lock = OutputLock::take(out);
        const char byte = lock ? 'y' : 'n';
        [[maybe_unused]] const ssize_t written = ::write(ready[1], &byte, 1);
        ::pause();
        ::_exit(0);
    }
    char byte = 0;
    QCOMPARE(::read(ready[0], &byte, 1), ssize_t(1));
    QCOMPARE(byte, 'y');
    QVERIFY(!OutputLock::take(out));
    const auto holder = outputHolder(out);
    QVERIFY(holder && holder->process);
    QCOMPARE(*holder->process, child);
    QVERIFY2(holder->text.starts_with("process " + std::to_string(child) + " on "), holder->text.c_str());
    QVERIFY(!outputHolder(folder.filePath("other.json").toStdString()));
    ::kill(child, SIGKILL);
    QCOMPARE(::waitpid(child, nullptr, 0), child);
    QVERIFY(!outputHolder(out)); // though its file is still there
    QVERIFY(!QDir(folder.path()).isEmpty(QDir::Files | QDir::Hidden | QDir::System));
    QVERIFY(OutputLock::take(out));
    QVERIFY(QDir(folder.path()).isEmpty(QDir::Files | QDir::Hidden | QDir::System));
    ::close(ready[0]);
    ::close(ready[1]);
}

void TestUntrustedText::whatIsNotLocked()
{
    QVERIFY(OutputLock::take("/dev/null"));
    const auto device = OutputLock::take("/dev/null");
    QVERIFY(device && OutputLock::take("/dev/null"));
    QVERIFY(OutputLock::take("/proc/self/no/such/folder/out.json")); // the write itself says so
}

PEAKSCOPE_GUILESS_TEST(TestUntrustedText)
#include "test_untrusted_text.moc"
