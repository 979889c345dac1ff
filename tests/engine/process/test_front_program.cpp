// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli without its engine: what it does by itself and in how little memory, what it says of the rest; and that
// with the engine beside it both are one program.
#include "core/results/plans/plan_document.h"
#include "tests/engine/process/said.h"
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using Json = nlohmann::json;
using peakscope::test::endOf;
using peakscope::test::readJson;
using peakscope::test::Said;

namespace {

Said sayFrom(const QString& program, const QStringList& arguments, const QByteArray& input = {})
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PATH"), QStringLiteral("/usr/bin:/bin")); // no engine there
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    process.write(input);
    process.closeWriteChannel();
    return endOf(process);
}

// The most that a program held while it ran; -1 where it failed.
long residentKibibytes(const QString& program, const QStringList& arguments)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const int silence = ::open("/dev/null", O_WRONLY);
        ::dup2(silence, 1);
        std::vector<std::string> words{program.toStdString()};
        for (const QString& argument : arguments)
            words.push_back(argument.toStdString());
        std::vector<char*> pointers;
        for (std::string& word : words)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);
        ::execv(pointers[0], pointers.data());
        ::_exit(127);
    }
    int status = 0;
    rusage usage = {};
    ::wait4(child, &status, 0, &usage);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? usage.ru_maxrss : -1;
}

} // namespace

class TestFrontProgram : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        m_whole = QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli");
        m_alone = m_folder.filePath(QStringLiteral("peakscope-cli"));
        QVERIFY(QFile::copy(m_whole, m_alone));
        Json experiment = {{"kind", "prm"},
                           {"model", {{"family", "gpt2"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}},
                           {"prm", {{"synthetic", true}}}};
        QVERIFY(write("synthetic.json", experiment.dump()));
        experiment = {{"kind", "memory"},
                      {"model", {{"family", "gpt2"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}},
                      {"data", {{"batch", 1}, {"seq", 16}}},
                      {"device", "cpu"}};
        QVERIFY(write("memory.json", experiment.dump()));
        std::string table = "a,b,c\n";
        for (int i = 0; i < 200; ++i)
            table += std::to_string(i % 7) + "," + std::to_string(i * i % 31) + "," + std::to_string(i % 3 * 10) + "\n";
        QVERIFY(write("table.csv", table));
    }

    void aloneItDoesWhatNeedsNoEngine()
    {
        const Said run = sayFrom(
            m_alone, {"run", path("synthetic.json"), "--out", path("out.json"), "--events", path("events.jsonl")});
        QVERIFY2(run.status == 0, qPrintable(run.error));
        QVERIFY2(run.out.contains(QStringLiteral("synthetic: nothing was measured")), qPrintable(run.out));
        const Json result = readJson(path("out.json"));
        QCOMPARE(result["status"].get<std::string>(), std::string("complete"));
        QVERIFY(result["synthetic"].get<bool>() && result["prm"]["synthetic"].get<bool>());
        QVERIFY(result["notes"][0].get<std::string>().find("synthetic") == 0);
        QFile events(path("events.jsonl"));
        QVERIFY(events.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = events.readAll().trimmed().split('\n');
        QVERIFY(lines.first().contains("\"start\"") && lines.last().contains("\"end\""));
        const Said catalogue = sayFrom(m_alone, {"devices", "--catalogue", "--json"});
        QVERIFY2(catalogue.status == 0 && catalogue.out.contains(QStringLiteral("a100-40gb")),
                 qPrintable(catalogue.error));
        for (const Json& card : Json::parse(catalogue.out.toStdString())) {
            if (card["id"] == "a100-40gb")
                QCOMPARE(card["dry"], Json(true));
        }
        QVERIFY(sayFrom(m_alone, {"models", "--json"}).out.contains(QStringLiteral("opt-125m")));
        QCOMPARE(sayFrom(m_alone, {"embed", path("table.csv"), "--out", path("embedding.csv")}).status, 0);
        QVERIFY(sayFrom(m_alone, {"inspect", path("out.json")}).out.contains(QStringLiteral("prm")));
        QCOMPARE(sayFrom(m_alone, {"convert", path("out.json"), "--to", "csv", "--out", path("table.out.csv")}).status,
                 0);
        QCOMPARE(sayFrom(m_alone, {"replay", "seeds"}).status, 0);
        const Said plan = sayFrom(m_alone, {"recommend", "gpt2", "--device", "a100-40gb", "--json"});
        QVERIFY2(plan.status == 0 && plan.out.contains(QStringLiteral("strategies")), qPrintable(plan.error));
        const Said peak = sayFrom(m_alone, {"estimate", "--model=gpt2", "--device=bytes:8GiB", "--json"});
        QVERIFY2(peak.status == 0 && peak.out.contains(QStringLiteral("peak_bytes")), qPrintable(peak.error));
        QVERIFY(sayFrom(m_alone, {"--help"}).out.contains(QStringLiteral("selftest")));
    }

    // Each quantity of a curvature run also as if it alone were asked for.
    void quantitiesAlone()
    {
        const QStringList run{"estimate", "--model", "opt-125m", "--device", "bytes:8GiB", "--set", "kind=curvature"};
        const Json all = Json::parse(sayFrom(m_alone, run + QStringList{"--json"}).out.toStdString());
        QCOMPARE(all["quantities"].size(), std::size_t{3});
        for (const Json& each : all["quantities"]) {
            const QString only =
                QStringLiteral(R"(curvature.quantities=["%1"])").arg(QString::fromStdString(each["name"]));
            const Json alone =
                Json::parse(sayFrom(m_alone, run + QStringList{"--json", "--set", only}).out.toStdString());
            for (const char* key : {"peak_bytes", "peak_reserved_bytes", "verdict", "margin_bytes"})
                QVERIFY2(each[key] == alone[key], qPrintable(only + key));
            QVERIFY(each["peak_bytes"] <= all["peak_bytes"]);
        }
        QCOMPARE(all["quantities"][0]["verdict"], Json("comfortable"));
        QCOMPARE(all["verdict"], Json("does_not_fit"));
        const Said words = sayFrom(m_alone, run);
        QVERIFY2(words.out.contains(QRegularExpression("\n  diagonal +alone +[0-9.]+ GiB: comfortable, .* to spare\n")),
                 qPrintable(words.out));
        const Said table = sayFrom(m_alone, run + QStringList{"--format", "csv"});
        for (const Json& each : all["quantities"]) {
            const auto bytes = each["peak_bytes"].get<qint64>();
            const QString row =
                QStringLiteral("\r\n%1 alone,%2,%2,").arg(QString::fromStdString(each["name"]), QString::number(bytes));
            QVERIFY2(table.out.contains(row), qPrintable(row + table.out));
        }
        // What no machine computes has a note and no line.
        const QString full = R"(curvature.quantities=["full","trace"])", onlyFull = R"(curvature.quantities=["full"])";
        const Said left = sayFrom(m_alone, run + QStringList{"--json", "--set", full});
        QCOMPARE(Json::parse(left.out.toStdString())["quantities"].size(), std::size_t{1});
        QVERIFY(left.out.contains("full is left out: ") && !left.out.contains("The run is refused"));
        const Said refused = sayFrom(m_alone, run + QStringList{"--set", onlyFull});
        QVERIFY(refused.out.contains("note: The run is refused: "));
        QVERIFY2(refused.out.contains(": refused for any amount of memory") && !refused.out.contains("to spare"),
                 qPrintable(refused.out));
        const Said document = sayFrom(m_alone, run + QStringList{"--json", "--set", onlyFull});
        QCOMPARE(Json::parse(document.out.toStdString())["verdict"], Json("refused"));
        QVERIFY(!sayFrom(m_alone, {"estimate", "--model=gpt2", "--device=bytes:8GiB"}).out.contains(" alone "));
    }

    // The experiment of one row in a file; and an answer that is close says for whose loop it holds.
    void savesARow()
    {
        const QStringList asked{"recommend", "gpt2", "--seq", "1024", "--batch", "1", "--device"};
        const Said all = sayFrom(m_alone, asked + QStringList{"bytes:8GiB", "--json"});
        const Said saved = sayFrom(m_alone, asked + QStringList{"bytes:8GiB", "--explain", "2", "--save", path("row")});
        QVERIFY2(saved.status == 0 && saved.error.contains("peakscope-cli run "), qPrintable(saved.error));
        QFile row(path("row"));
        QVERIFY(row.open(QIODevice::ReadOnly));
        QCOMPARE(Json::parse(row.readAll().toStdString()),
                 Json::parse(all.out.toStdString())["strategies"][1]["experiment"]);
        const Said nowhere = sayFrom(m_alone, asked + QStringList{"bytes:8GiB", "--save", path("row") + "/there/row"});
        QVERIFY2(nowhere.status != 0 && nowhere.error.count(u'\n') == 1, qPrintable(nowhere.error));
        const QString close = "Loops of Transformers or plain PyTorch take 7 to 31 % more and may not fit.";
        QVERIFY(sayFrom(m_alone, asked + QStringList{"bytes:3.4GiB"}).out.contains(close));
        QVERIFY(!sayFrom(m_alone, asked + QStringList{"bytes:8GiB"}).out.contains(close));
    }

    // A plan with its map, as the figure reads it; several models a line each, whatever the form.
    void plansOfModels()
    {
        const QStringList small{"recommend", "--model",       "gpt2",  "--device",    "bytes:8GiB",
                                "--set",     "data.seq=1024", "--set", "data.batch=1"};
        const Said mapped = sayFrom(m_alone, small + QStringList{"--map", "--json"});
        QVERIFY2(mapped.status == 0, qPrintable(mapped.error));
        const auto plan = peakscope::planFromJson(Json::parse(mapped.out.toStdString()));
        QVERIFY2(plan.ok() && plan->map, plan ? "no map" : plan.error().text().c_str());
        QCOMPARE(plan->map->sequences.back(), std::int64_t{1024}); // the model's last position
        QCOMPARE(plan->map->strategy, plan->strategies.front().title);
        QVERIFY(plan->map->frontier.front() >= plan->map->frontier.back());
        QVERIFY(!peakscope::planFromJson(Json::parse(sayFrom(m_alone, small + QStringList{"--json"}).out.toStdString()))
                     ->map);
        const QString words = sayFrom(m_alone, small + QStringList{"--map"}).out;
        QVERIFY2(words.contains(QRegularExpression("\nYes, all weights in float32: about [0-9.]+ GiB of ")),
                 qPrintable(words));
        const QString why = sayFrom(m_alone, small + QStringList{"--explain", "1"}).out;
        QVERIFY2(why.startsWith("1. ") && why.contains("Step by step") && why.contains("Ranks first"), qPrintable(why));
        for (const QStringList& wrong :
             {QStringList{"--explain", "99"}, QStringList{"--batch", "2", "--step-tokens", "4096"},
              QStringList{"--seq", "0"}}) {
            const Said said =
                sayFrom(m_alone, QStringList{"recommend", "--model", "gpt2", "--device", "bytes:8GiB"} + wrong);
            QVERIFY2(said.status == 2 && said.error.count(u'\n') == 1, qPrintable(said.error));
        }
        for (const QStringList& wrong : {QStringList{"--device", "cpu"}, QStringList{"none.json", "--model", "gpt2"},
                                         QStringList{"--model", "gpt2", "--set", "training.loop=transformers"},
                                         QStringList{"--model", "gpt2", "--set", "training.loop=trl"},
                                         QStringList{"--model", "gpt2", "--set", "training.loop=axolotl"}}) {
            const Said said = sayFrom(m_alone, QStringList{"estimate"} + wrong);
            QVERIFY2(said.status == 2 && said.error.count(u'\n') == 1, qPrintable(said.error));
        }
        // An experiment may stand in place of a model, also behind --set.
        const QString file = path("asked");
        QVERIFY(write("asked", R"({"kind": "memory", "model": {"id": "gpt2"}, "data": {"batch": 2, "seq": 64}})"));
        const QStringList bytes{"--device", "bytes:8GiB", "--json"};
        const Json read = Json::parse(
            sayFrom(m_alone, QStringList{"estimate", "--set", "data.batch=3", file} + bytes).out.toStdString());
        const Json named = Json::parse(
            sayFrom(m_alone, QStringList{"estimate", "--model", "gpt2", "--set", "data.batch=3", "data.seq=64"} + bytes)
                .out.toStdString());
        QCOMPARE(read["peak_bytes"].dump(), named["peak_bytes"].dump());
        const Json tokens = Json::parse(sayFrom(m_alone, {"recommend", "--model", "gpt2", "--device", "bytes:8GiB",
                                                          "--step-tokens", "16384", "--json"})
                                            .out.toStdString());
        for (const Json& row : tokens["strategies"])
            QVERIFY(row["devices_needed"] > 1 || row["experiment"]["data"]["batch"] == 16);
        QVERIFY2(words.contains(QStringLiteral("The largest batch that fits at each sequence")), qPrintable(words));

        const QStringList two{"recommend",        "--model",  "opt-125m",  "--model",
                              "facebook/opt-66b", "--device", "bytes:8GiB"};
        const Said lines = sayFrom(m_alone, two);
        QVERIFY2(lines.status == 0, qPrintable(lines.error));
        QVERIFY2(lines.out.contains(QRegularExpression("\nopt-125m +(comfortable|fits|tight) ")),
                 qPrintable(lines.out));
        QVERIFY2(lines.out.contains(QRegularExpression("\nfacebook/opt-66b +does_not_fit .* missing ")),
                 qPrintable(lines.out));
        const QStringList rows = sayFrom(m_alone, two + QStringList{"--format", "csv"}).out.trimmed().split("\r\n");
        QCOMPARE(rows.size(), 3);
        QVERIFY(rows[0].startsWith("model,parameters,verdict,") && rows[2].startsWith("facebook/opt-66b,"));
        const Json both = Json::parse(sayFrom(m_alone, two + QStringList{"--json"}).out.toStdString());
        QVERIFY(both.size() == 2 && peakscope::planFromJson(both[1]).ok());
        for (const QStringList& wrong : {two + QStringList{"--map"}, small + QStringList{"--map", "--format", "csv"}}) {
            const Said said = sayFrom(m_alone, wrong);
            QVERIFY2(said.status == 2 && said.error.contains("--map") && said.error.count(u'\n') == 1,
                     qPrintable(said.error));
        }
    }

    // What a Python has is asked before anything is planned.
    void scriptsOfTrlNeedIt()
    {
        const QString python = path("python-of-old");
        const QStringList asked{"recommend", "gpt2", "--device", "rtx-4090", "--program", "trl", "--python", python};
        for (const auto& [packages, sentence] :
             {std::pair("", "has no trl and no datasets; run "),
              std::pair(R"(, "trl": "1.14.0", "datasets": "5.2.0")",
                        "TRL 1.14.0 computes the loss of all tokens at once; run ")}) {
            QVERIFY(write("python-of-old",
                          std::string("#!/bin/sh\necho '{\"torch\": \"2.15.0\", \"transformers\": \"5.24.0\", "
                                      "\"accelerate\": \"1.15.0\"") +
                              packages + "}'\n"));
            QVERIFY(QFile::setPermissions(python, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
            const Said said = sayFrom(m_alone, asked);
            QVERIFY2(said.status == 2 && said.error.count(u'\n') == 1 && said.error.contains(sentence) &&
                         said.error.contains("-m pip install "),
                     qPrintable(said.error));
        }
        const Said other = sayFrom(m_alone, {"recommend", "gpt2", "--device", "rtx-4090", "--program", "axolotl"});
        QVERIFY2(other.status == 2 && other.error.count(u'\n') == 1 && other.error.contains("trl"),
                 qPrintable(other.error));
    }

    void variantsOfModels()
    {
        const Said known = sayFrom(m_alone, {"models", "meta-llama/Llama-3.1-8B-Instruct"});
        QVERIFY2(known.status == 0 && known.out.startsWith("llama-3.1-8b "), qPrintable(known.error));
        const QString note = QStringLiteral("meta-llama/Llama-3.1-8B-Instruct: the architecture of llama-3.1-8b");
        QVERIFY2(known.out.contains(note), qPrintable(known.out));
        for (const char* command : {"estimate", "recommend"}) {
            const Said said =
                sayFrom(m_alone, {command, "--model", "meta-llama/Llama-3.1-8B-Instruct", "--device", "a800-80gb"});
            QVERIFY2(said.status == 0 && said.out.contains(note), qPrintable(said.error + said.out));
        }
        const Said refused = sayFrom(m_alone, {"models", "TheBloke/Llama-2-7B-AWQ"});
        QVERIFY(refused.status == 2 && refused.error.contains("quantised"));
    }

    // A reader of the events that goes away.
    void theResultOutlivesItsReader()
    {
        QVERIFY(write("short.sh", "\"$1\" run \"$2\" --out \"$3\" --events - | head -n 1\n"));
        const Said said = sayFrom(QStringLiteral("/bin/bash"),
                                  {path("short.sh"), m_alone, path("synthetic.json"), path("outlived.json")});
        QCOMPARE(said.status, 0);
        QCOMPARE(readJson(path("outlived.json"))["status"].get<std::string>(), std::string("complete"));
    }

    void theRestIsOneLine_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::newRow("devices") << QStringList{"devices"};
        QTest::newRow("selftest") << QStringList{"selftest"};
        QTest::newRow("estimate here") << QStringList{"estimate", "--model", "gpt2"};
        QTest::newRow("recommend here") << QStringList{"recommend", "--model", "gpt2", "--device", "cuda:0"};
        QTest::newRow("a real run") << QStringList{"run", path("memory.json"), "--out", path("memory.out.json")};
    }

    void theRestIsOneLine()
    {
        QFETCH(QStringList, words);
        const Said said = sayFrom(m_alone, words);
        QCOMPARE(said.status, 2);
        QCOMPARE(said.error.count(u'\n'), 1);
        QVERIFY2(said.error.contains(words.first() + QStringLiteral(" needs the engine")), qPrintable(said.error));
        QVERIFY(!QFile::exists(path("memory.out.json")));
    }

    void aWorkerWithoutEngineSaysSo()
    {
        const Said said = sayFrom(m_alone, {"worker"}, "{\"kind\":\"memory\"}\n");
        QCOMPARE(said.status, 2);
        const Json end = Json::parse(said.out.toStdString(), nullptr, false);
        QCOMPARE(end.value("event", ""), std::string("end"));
        QVERIFY(end.value("message", "").find("peakscope-engine") != std::string::npos);
    }

    void badArgumentsAreOneLineToo()
    {
        for (const QStringList& words :
             {QStringList{}, QStringList{"nonsense"}, QStringList{"run"}, QStringList{"run", "--out", path("x.json")},
              QStringList{"run", path("none.json"), "--out", path("x.json")},
              QStringList{"run", path("synthetic.json"), "--out", path("synthetic.json/x.json")},
              QStringList{"run", path("synthetic.json"), "--out", path("x.json"), "--set", "prm.sigmas=[-1]"}}) {
            const Said said = sayFrom(m_alone, words);
            QVERIFY2(said.status == 2 && said.error.count(u'\n') == 1, qPrintable(words.join(u' ') + said.error));
        }
    }

    // The stand-in reads the package's own version before anything of it runs.
    void aProgramOfAnotherPyTorchIsRefused()
    {
        const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
        if (python.isEmpty())
            QSKIP("no python3 here");
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("site/torch")));
        QVERIFY(write("site/torch/version.py", "__version__ = '2.9.1+cu128'\ncuda = '12.8'\n"));
        QVERIFY(write("site/torch/__init__.py", "print('imported')\n"));
        QVERIFY(write("program.py", "import torch\n"));
        qputenv("PYTHONPATH", path("site").toUtf8());
        const Said said = sayFrom(m_whole, {"record", "--device", "dry:rtx-4090", "--out", path("recorded.json"), "--",
                                            python, path("program.py")});
        const Said fit = sayFrom(m_whole, {"fit", "--device", "dry:rtx-4090", "--vary", "batch=1..4", "--out",
                                           path("fit.json"), "--", python, path("program.py"), "{batch}"});
        qunsetenv("PYTHONPATH");
        QCOMPARE(said.status, 2);
        QCOMPARE(said.out, QString());
        QVERIFY2(said.error.contains(QStringLiteral("peakscope: PyTorch 2.9.1+cu128 of ")), qPrintable(said.error));
        QCOMPARE(said.error.count(QStringLiteral("its files don't say which libraries it needs; ")), 1);
        // Besides it, that the run is dry, and that nothing was recorded.
        QCOMPARE(said.error.count(u'\n'), 3);
        QVERIFY(!QFile::exists(path("recorded.json")));
        QCOMPARE(fit.status, 2);
        QVERIFY2(fit.error.contains(QStringLiteral("fit: PyTorch 2.9.1+cu128 of ")), qPrintable(fit.error));
        QVERIFY(!QFile::exists(path("fit.json")));
    }

    // One line says why, and the program runs on; with --strict it does not.
    void aProgramThatCannotBeRecordedRunsOn()
    {
        const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
        if (python.isEmpty())
            QSKIP("no python3 here");
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("site/torch")));
        QVERIFY(write("site/torch/version.py", "__version__ = '1.0'\ncuda = None\n"));
        QVERIFY(write("site/torch/__init__.py", "__version__ = '1.0'\n"));
        QVERIFY(write("program.py", "import torch\nprint('ran')\n"));
        qputenv("PYTHONPATH", path("site").toUtf8());
        const QStringList program{"--", python, path("program.py")};
        const Said said = sayFrom(m_whole, QStringList{"record"} + program);
        const Said strict = sayFrom(m_whole, QStringList{"record", "--strict"} + program);
        qunsetenv("PYTHONPATH");
        QCOMPARE(said.status, 0); // its own
        QCOMPARE(said.out, QStringLiteral("ran\n"));
        QVERIFY2(said.error.contains(QStringLiteral("peakscope: not recorded: PyTorch 1.0 ")), qPrintable(said.error));
        QVERIFY2(said.error.contains(
                     QStringLiteral("nothing was recorded: the recorder could not be attached: PyTorch 1.0 ")),
                 qPrintable(said.error));
        QCOMPARE(strict.status, 2);
        QCOMPARE(strict.out, QString());
    }

    // Which Python ran it, and one that has a PyTorch, as a command to type.
    void aPythonWithoutPyTorchIsNamed()
    {
        const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
        if (python.isEmpty())
            QSKIP("no python3 here");
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("bare/bin")));
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("venv/bin")));
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("venv/torch")));
        QVERIFY(write("venv/torch/version.py", "__version__ = '2.15.0+cpu'\ncuda = None\n"));
        const QString bare = path("bare/bin/python"), other = path("venv/bin/python");
        QVERIFY(write("bare/bin/python", "#!/bin/sh\nexec " + python.toStdString() + " -S -E \"$@\"\n"));
        QVERIFY(write("venv/bin/python", "#!/bin/sh\necho " + path("venv/torch").toStdString() + "\n"));
        for (const QString& program : {bare, other})
            QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner));
        QVERIFY(write("program.py", "import torch\n"));
        qputenv("VIRTUAL_ENV", path("venv").toUtf8());
        const Said said = sayFrom(m_whole, {"record", "--", bare, path("program.py")});
        const Said dry = sayFrom(m_whole, {"record", "--device", "dry:rtx-4090", "--", bare, path("program.py")});
        const Said fit = sayFrom(m_whole, {"fit", "--device", "dry:rtx-4090", "--vary", "batch=1..2", "--", bare,
                                           path("program.py"), "{batch}"});
        qunsetenv("VIRTUAL_ENV");
        const QString named = bare + QStringLiteral(", which ran it, has no PyTorch; ") + other +
                              QStringLiteral(" has 2.15.0+cpu: peakscope-cli record -- ") + other + u' ' +
                              path("program.py") + u'\n';
        QCOMPARE(said.status, 1);
        QVERIFY2(said.error.endsWith(QStringLiteral("the program ended with status 1; ") + named),
                 qPrintable(said.error));
        QVERIFY2(dry.error.endsWith(named), qPrintable(dry.error));
        QVERIFY2(fit.error.contains(QStringLiteral("has no PyTorch; ") + other), qPrintable(fit.error));
    }

    void aRecordedProgramsResult()
    {
        const auto recorded = [](int bytes) {
            return QStringLiteral(
                       R"({"format": "peakscope-result", "version": 1, "kind": "memory", "status": "complete", "id": "a",
                "config": {"kind": "memory", "device": "cpu", "program": {"command": ["python", "train.py"]}},
                "memory": {"peak_bytes": %1, "peak_components": {"parameters": 100, "activations": %2},
                    "timeline": {"time_seconds": [0, 0.5, 1], "delta_bytes": [100, %2, -%2], "component": [0, 1, 1],
                        "components": ["parameters", "activations"], "merged": false},
                    "owners": {"modules": ["encoder", "head"], "module": [2, 1, 1], "operators": ["aten::mm"],
                        "operator": [0, 1, 1], "lines": ["train.py:7 train"], "line": [1, 1, 1]}}})")
                .arg(100 + bytes)
                .arg(bytes)
                .toUtf8();
        };
        QVERIFY(write("recorded_a.json", recorded(300).toStdString()) &&
                write("recorded_b.json", recorded(500).toStdString()));
        const auto live = [this](const QString& by, const QString& at) {
            return nlohmann::json::parse(
                sayFrom(m_alone, {"live", path("recorded_a.json"), "--by", by, "--at", at, "--json"})
                    .out.toStdString());
        };
        const nlohmann::json modules = live("module", "peak");
        QVERIFY2(modules["rows"][0]["what"] == "encoder" && modules["rows"][0]["requested_bytes"] == 300 &&
                     modules["rows"][0]["blocks"] == 1 && modules["rows"][1]["what"] == "head",
                 modules.dump().c_str());
        const nlohmann::json operators = live("operator", "end");
        QVERIFY2(operators["rows"].size() == 1 && operators["rows"][0]["what"] == "(no operator)" &&
                     operators["requested_bytes"] == 100,
                 operators.dump().c_str());
        // Stacks are there where they were asked for.
        QVERIFY(write("recorded_s.json",
                      recorded(300)
                          .replace("\"line\": [1, 1, 1]", "\"line\": [1, 1, 1], \"stacks\": [\"train.py:7 train; "
                                                          "train.py:9 main\"], \"stack\": [0, 1, 1]")
                          .toStdString()));
        const Said stacks = sayFrom(m_alone, {"live", path("recorded_s.json"), "--by", "stack"});
        QVERIFY2(stacks.status == 0 && stacks.out.contains(QStringLiteral("train.py:7 train; train.py:9 main")),
                 qPrintable(stacks.out + stacks.error));
        const Said diff =
            sayFrom(m_alone, {"diff", path("recorded_a.json"), path("recorded_b.json"), "--by", "module"});
        QVERIFY2(diff.status == 0 && diff.out.startsWith(QStringLiteral("400 B and 600 B: +200 B\n")) &&
                     diff.out.contains(QStringLiteral("encoder")),
                 qPrintable(diff.out + diff.error));
        const Said advice = sayFrom(m_alone, {"advise", path("recorded_a.json")});
        QVERIFY2(advice.out.startsWith(QStringLiteral("400 B at its peak: activations 300 B, parameters 100 B\n")) &&
                     advice.out.contains(QStringLiteral("train.py:7 train")),
                 qPrintable(advice.out + advice.error));
        // A run of our own says whose its bytes are, too: it can be changed.
        QVERIFY(write("own.json", recorded(300)
                                      .replace("\"program\": {\"command\": [\"python\", \"train.py\"]}",
                                               "\"model\": {\"family\": \"opt\", \"hidden\": 32, \"layers\": 2, "
                                               "\"heads\": 2, \"vocab\": 256}, \"data\": {\"batch\": 8, \"seq\": 32}")
                                      .toStdString()));
        const Said changes = sayFrom(m_alone, {"advise", path("own.json"), "--json"});
        QVERIFY2(changes.status == 0 && !nlohmann::json::parse(changes.out.toStdString())["remedies"].empty(),
                 qPrintable(changes.out + changes.error));
        QVERIFY(write("recorded_e.json", recorded(300).replace("\"owners\"", "\"owned\"").toStdString()));
        const Said nothing = sayFrom(m_alone, {"advise", path("recorded_e.json")});
        QVERIFY2(nothing.status == 2 && nothing.error.contains(QStringLiteral("nor a result with an experiment")),
                 qPrintable(nothing.error));
        const Said none = sayFrom(m_alone, {"live", path("recorded_a.json"), "--by", "stream"});
        QVERIFY2(none.status == 2 &&
                     none.error.contains(QStringLiteral("--by takes component, phase, module, operator and line")),
                 qPrintable(none.error));
        // Numbers without a name, and columns of another length than the timeline's.
        QVERIFY(write("recorded_c.json",
                      recorded(300).replace("\"module\": [2, 1, 1]", "\"module\": [3, 1, 1]").toStdString()));
        QVERIFY(sayFrom(m_alone, {"inspect", path("recorded_c.json")})
                    .error.contains(QStringLiteral("memory.owners.module[0]: 3 is neither 0 nor a number of ")));
        QVERIFY(write("recorded_d.json", recorded(300)
                                             .replace("\"module\": [2, 1, 1]", "\"module\": [2, 1]")
                                             .replace("\"operator\": [0, 1, 1]", "\"operator\": [0, 1]")
                                             .replace("\"line\": [1, 1, 1]", "\"line\": [1, 1]")
                                             .toStdString()));
        QVERIFY(sayFrom(m_alone, {"inspect", path("recorded_d.json")})
                    .error.contains(QStringLiteral("memory.owners: has 2 entries, timeline has 3")));
    }

    void optionsThatTheDeviceDoesNotTake()
    {
        const auto refused = [this](const QStringList& options, const char* sentence) {
            const Said said = sayFrom(m_whole, QStringList{"record"} + options + QStringList{"--", "true"});
            QCOMPARE(said.status, 2);
            QVERIFY2(said.error == QStringLiteral("peakscope-cli: ") + QLatin1String(sentence) + u'\n',
                     qPrintable(said.error));
        };
        refused({"--device", "gpu"}, "--device: gpu is not one of auto, cpu, cuda:N and dry:CARD (dry:h100-80gb)");
        refused({"--device", "dry:rtx-4090", "--stacks"},
                "--stacks: is for a program on this machine (--device auto, cpu or cuda:N), not for dry:rtx-4090");
        if (!QFile::exists(QStringLiteral("/proc/driver/nvidia/version")))
            refused({"--device", "cuda:0"},
                    "--device: cuda:0 is not on this machine, which has no NVIDIA driver; give cpu, "
                    "or dry:CARD for a stand-in (dry:rtx-4090)");
        refused({"--world", "8"}, "--world: is for a card that isn't here (--device dry:CARD), not for auto");
        refused({"--device", "cpu", "--no-saves"},
                "--no-saves: is for a card that isn't here (--device dry:CARD), not for cpu");
    }

    void withTheEngineTheyAreOne()
    {
        QFile file(path("memory.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Said piped = sayFrom(m_whole, {"run", "-", "--out", path("piped.json")}, file.readAll());
        QVERIFY2(piped.status == 0, qPrintable(piped.error));
        QVERIFY(readJson(path("piped.json"))["memory"]["peak_bytes"].get<std::int64_t>() > 0);
        file.seek(0); // a pipe by its path can be read once, and two programs read it
        const Said byPath = sayFrom(m_whole, {"run", "/dev/stdin", "--out", path("by_path.json")}, file.readAll());
        QVERIFY2(byPath.status == 0, qPrintable(byPath.error));
        QVERIFY(readJson(path("by_path.json"))["loss"] == readJson(path("piped.json"))["loss"]);
        const Said wrong = sayFrom(m_whole, {"run", "/dev/stdin", "--out", path("x.json")}, R"({"kind": "x"})");
        QVERIFY2(wrong.status == 2 && wrong.error.contains(QStringLiteral("/dev/stdin: kind")),
                 qPrintable(wrong.error));
        file.seek(0); // the experiment's name is a word that other arguments have too
        const Said told = sayFrom(m_whole, {"run", "-", "--events", "-", "--out", path("piped.json")}, file.readAll());
        QCOMPARE(told.status, 0);
        QVERIFY2(told.out.startsWith(QStringLiteral("{\"")) && told.out.contains(QStringLiteral("\"end\"")),
                 qPrintable(told.out));
        QVERIFY(!QFile::exists(path("-")));
        file.seek(0);
        const Said refused = sayFrom(
            m_whole, {"run", "-", "--out", path("x.json"), "--set", "kind=curvature", "--set", "dtype=bfloat16"},
            file.readAll());
        QVERIFY2(refused.status == 2 && refused.error.contains(QStringLiteral("standard input: ")) &&
                     !refused.error.contains(QStringLiteral("/proc")),
                 qPrintable(refused.error));
        QFile synthetic(path("synthetic.json"));
        QVERIFY(synthetic.open(QIODevice::ReadOnly));
        QCOMPARE(sayFrom(m_whole, {"run", "-", "--out", path("piped.json")}, synthetic.readAll()).status, 0);
        QVERIFY(readJson(path("piped.json"))["synthetic"].get<bool>());
        QVERIFY(sayFrom(m_whole, {"devices"}).out.contains(QStringLiteral("cpu")));
        QVERIFY(sayFrom(m_whole, {"sweep", "--help"}).out.contains(QStringLiteral("--out")));
    }

    void theSyntheticModeIsSmall()
    {
        constexpr long kMost = 16L * 1024; // KiB
        const long run = residentKibibytes(m_whole, {"run", path("synthetic.json"), "--out", path("small.json")});
        QVERIFY2(run > 0 && run < kMost, qPrintable(QString::number(run)));
        const long models = residentKibibytes(m_whole, {"models"});
        QVERIFY2(models > 0 && models < kMost, qPrintable(QString::number(models)));
    }

private:
    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    bool write(const char* name, const std::string& text)
    {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) &&
               file.write(text.data(), static_cast<qint64>(text.size())) == static_cast<qint64>(text.size());
    }

    QTemporaryDir m_folder;
    QString m_whole, m_alone;
};

PEAKSCOPE_GUILESS_TEST(TestFrontProgram)
#include "test_front_program.moc"
