// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Dry runs: cards, the stand-in of one as PyTorch would ask it, and what becomes of a program on it. A package that is
// called torch takes PyTorch's place.
#include "core/dry/dry_program.h"
#include "tests/core/dry/dry_test_support.h"
#include "tests/core/dry/fake_torch.h"
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>

using namespace peakscope;

class TestDryRuns : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (FakeTorch::python().isEmpty())
            QSKIP("no python3 here");
    }

    void cards()
    {
        QCOMPARE(card().bytes, card().card.usableBytes);
        QCOMPARE(card().name(), std::string("dry:h100-80gb"));
        QCOMPARE(card("dry:h100-80gb:95GiB").bytes, std::int64_t{95} << 30);
        QCOMPARE(card("dry:h100-80gb:95GiB").name(), std::string("dry:h100-80gb:102005473280"));
        // What an H100 said of itself (tests/programs/h100.json).
        QFile file(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/programs/h100.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject facts = QJsonDocument::fromJson(file.readAll()).object()[u"facts"].toObject();
        const QJsonObject attributes = facts[u"attributes"].toObject();
        const CudaCard cuda = card().card.cuda.value();
        const std::pair<const char*, std::int64_t> known[] = {
            {"13", cuda.clockKhz},        {"16", cuda.multiprocessors}, {"36", cuda.memoryClockKhz},
            {"37", cuda.busBits},         {"38", cuda.l2Bytes},         {"39", cuda.multiprocessorThreads},
            {"75", cuda.major},           {"76", cuda.minor},           {"81", cuda.multiprocessorSharedBytes},
            {"97", cuda.blockSharedBytes}};
        for (const auto& [number, value] : known)
            QCOMPARE(attributes[QLatin1String(number)].toInteger(), value);
        QCOMPARE(card().card.usableBytes, facts[u"properties"].toObject()[u"total_memory"].toString().toLongLong());
    }

    void cardsThatCannotBe_data()
    {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("says");
        QTest::newRow("no dry one") << "cuda:0"
                                    << "is not a dry device";
        QTest::newRow("unknown") << "dry:h1000"
                                 << "not in the device catalogue";
        QTest::newRow("no size") << "dry:h100-80gb:much"
                                 << "much";
        QTest::newRow("too small") << "dry:h100-80gb:1MiB"
                                   << "is below the";
    }
    void cardsThatCannotBe()
    {
        QFETCH(QString, device);
        QFETCH(QString, says);
        const auto answer = dryDevice(device.toStdString());
        QVERIFY(!answer);
        QVERIFY2(QString::fromStdString(answer.error().text()).contains(says), answer.error().text().c_str());
    }

    // A catalogue of the user's own may say less of a card.
    void aCardThatIsNotKnownEnough()
    {
        const QTemporaryDir folder;
        QFile known(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/resources/catalogues/devices.json"));
        QFile own(folder.filePath(QStringLiteral("catalogues/devices.json")));
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("catalogues")));
        QVERIFY(known.open(QIODevice::ReadOnly) && own.open(QIODevice::WriteOnly));
        auto catalogue = nlohmann::json::parse(known.readAll().toStdString());
        for (nlohmann::json& one : catalogue["devices"]) {
            if (one["id"] == "v100-16gb")
                one.erase("cuda");
        }
        own.write(catalogue.dump().c_str());
        own.close();
        qputenv("PEAKSCOPE_RESOURCES", folder.path().toUtf8());
        const auto answer = dryDevice("dry:v100-16gb");
        qunsetenv("PEAKSCOPE_RESOURCES");
        QVERIFY(!answer);
        QVERIFY2(QString::fromStdString(answer.error().text()).contains(QStringLiteral("cannot be simulated")),
                 answer.error().text().c_str());
    }

    void whatTheCardAnswers_data()
    {
        QTest::addColumn<int>("major");
        QTest::newRow("CUDA 12") << 12;
        QTest::newRow("CUDA 13") << 13;
    }
    void whatTheCardAnswers()
    {
        QFETCH(int, major);
        const QString report = m_torch.filePath(QStringLiteral("report.json"));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LD_PRELOAD"),
                           QStringLiteral("%1/dry/%2/libpeakscope_dry.so").arg(bin()).arg(major));
        environment.insert(QStringLiteral("PEAKSCOPE_DRY"),
                           QString::fromStdString(standInCard(card("dry:a100-40gb:10GiB"))) +
                               QStringLiteral(";runtime=%1;cudnn=90100;nccl=1;built=80;behind=3").arg(major * 1000));
        environment.insert(QStringLiteral("PEAKSCOPE_DRY_REPORT"), report);
        // A machine that has a card often names its driver there; any library that is not the stand-in's does here.
        const QTemporaryDir driver;
        QVERIFY(QFile::copy(bin() + QStringLiteral("/dry/%1/libcudart.so.%1").arg(major),
                            driver.filePath(QStringLiteral("libcuda.so.1"))));
        environment.insert(QStringLiteral("LD_LIBRARY_PATH"), driver.path());
        const ProcessAnswer answer = ran(bin() + QStringLiteral("/ask_card"), {}, environment);
        QVERIFY2(answer.status == 0, answer.err.constData());
        const QJsonObject said = QJsonDocument::fromJson(answer.out).object();
        constexpr qint64 kMiB = 1 << 20;
        const std::pair<const char*, qint64> wanted[] = {
            {"total", 10240 * kMiB},
            {"free", 10240 * kMiB - card("dry:a100-40gb").card.contextBytes},
            {"taken", 4 * kMiB + 20 * kMiB + 512}, // whole pages of 2 MiB, else of 512 bytes
            {"physical", 2 * kMiB},
            {"kept", 0},
            {"rises", 4},  // MiB above the one before, in the same span
            {"falls", 64}, // below it, in a new one
            {"fills", 40}, // above that: what the span has left
            {"again", 1},  // where one was given back
            {"full", 2},
            {"foreign", 1},
            {"much", 0},
            {"handles_differ", 1},
            {"byte", 1},
            {"multiprocessors", 108},
            {"shared", 166912},
            {"preloads", 0},
            {"size", 3000},
            {"named_on_driver", 1},
            {"queue", 1010},
            {"communicators", 854},
            {"dropout", 432 * 256 * 48}}; // generators of 48 bytes for half the threads
        for (const auto& [key, value] : wanted)
            QVERIFY2(said[QLatin1String(key)].toInteger(-1) == value, (key + (": " + answer.out)).constData());
        QFile file(report);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject left = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(left[u"peak_used_bytes"].toInteger(), 88 * kMiB);
        QCOMPARE(left[u"unknown_answers"].toObject()[u"flag"].toInteger(), 1);
        QCOMPARE(left[u"not_ready"].toInteger(), 0); // it was no allocator that asked
        QCOMPARE(left[u"communicators"].toInteger(), 2);
        QCOMPARE(left[u"refused"].toArray(), QJsonArray{QStringLiteral("cudnnGetCTCLossWorkspaceSize")});
        QCOMPARE(left[u"at_least"].toArray(), QJsonArray{QStringLiteral("cudnnGetRNNTempSpaceSizes")});
        // Of recurrent networks: bytes of the weights, where the last matrix and bias lie, the matrix's dimensions,
        // what a training keeps and an evaluation. What a training keeps is as cuDNN 9.19 answers.
        const auto matrices = [](qint64 gates, qint64 in, qint64 back) { return gates * 29 * (in + back); };
        const qint64 lstm = matrices(4, 37, 29), ways = 2 * (lstm + matrices(4, 58, 29));
        const qint64 projected = 2 * (matrices(4, 37, 11) + matrices(4, 22, 11) + 2 * 11 * 29);
        const qint64 gru = matrices(3, 37, 29) + matrices(3, 29, 29);
        const qint64 plain = matrices(1, 37, 29) + 2 * matrices(1, 29, 29);
        const auto of = [](qint64 element, qint64 elements, qint64 after, qint64 biases, int columns, qint64 kept) {
            const qint64 bytes = element * (elements + 29 * biases);
            return QJsonArray{bytes, element * (elements - after), bytes - 29 * element, 3, 29, columns, kept, 0};
        };
        const QJsonArray nets{of(4, lstm, 29 * 29, 8, 29, 25'792), of(2, ways, 29 * 29, 32, 29, 56'416),
                              of(4, projected, 29 * 11 * 2, 32, 11, 140'704), of(4, gru, 29 * 29, 12, 29, 66'624),
                              of(4, plain, 29 * 29, 6, 29, 25'792)};
        QCOMPARE(said[u"recurrent"].toArray(), nets);
    }

    // The structures as NVIDIA's headers have them, where these are.
    void structuresAsInTheHeaders()
    {
        const QString headers = QStringLiteral("/usr/local/cuda/include");
        if (!QFile::exists(headers + QStringLiteral("/cuda_runtime_api.h")))
            QSKIP("no headers of CUDA here");
        int held = 0;
        for (const char* major : {"12", "13"}) {
            const ProcessAnswer answer =
                ran(QStringLiteral("cc"),
                    {QStringLiteral("-fsyntax-only"), QStringLiteral("-DCUDA_MAJOR=") + QLatin1String(major),
                     QStringLiteral("-I" PEAKSCOPE_SOURCE_DIR), QStringLiteral("-I") + headers,
                     QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/dry/header_check.c")},
                    QProcessEnvironment::systemEnvironment());
            if (answer.err.contains("headers of another major version"))
                continue;
            QVERIFY2(answer.status == 0, answer.err.constData());
            ++held;
        }
        QCOMPARE(held, 1);
    }

    void aProgram()
    {
        const auto recorded = record("import torch, sys\ntorch.cuda.start()\n"
                                     "assert 'libpeakscope_dry' in open('/proc/self/maps').read()\n"
                                     "for i in range(9):\n    torch._stepped[0](None, None, None)\nsys.exit(7)\n");
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QCOMPARE(m_end.status(), 0); // ended by its second step, not by itself
        const RunResult& result = recorded->result;
        QCOMPARE(result.memory->peakBytes, std::int64_t{1} << 20);
        QCOMPARE(result.memory->peakReservedBytes, std::int64_t{1} << 21);
        QCOMPARE(result.status, RunStatus::Complete);
        QCOMPARE(result.other["dry"].get<bool>(), true);
        QCOMPARE(result.config["device"].get<std::string>(), std::string("dry:h100-80gb"));
        QCOMPARE(result.config["program"]["steps"].get<int>(), 2);
        QCOMPARE(result.config["program"]["torch"].get<std::string>(), std::string("2.11.0+cu130"));
        QVERIFY(result.config["program"]["command"].dump().find("abc") == std::string::npos);
        QVERIFY(!result.loss && !result.timing);
        QVERIFY(result.notes.front().starts_with("a dry run"));
    }

    // Transformers and others look whether there is a PyTorch before anybody imports it.
    void aProgramThatLooksBeforeItImports()
    {
        const auto recorded = record("import importlib.util\n"
                                     "for _ in range(2): assert importlib.util.find_spec('torch')\n"
                                     "import torch\ntorch.cuda.start()\ntorch._stepped[0](None, None, None)\n");
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QCOMPARE(recorded->result.config["program"]["steps"].get<int>(), 1);
    }

    // Whoever looks after the end finds what a plain end leaves, though nothing is taken down; but where the program
    // caught it.
    void whatIsLeftAtTheLastStep_data()
    {
        QTest::addColumn<QByteArray>("otherwise");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("not caught") << QByteArray("raise") << 0 << QByteArray("at exit;");
        QTest::newRow("goes on") << QByteArray("pass") << 0 << QByteArray("at exit;taken down;");
        QTest::newRow("caught") << QByteArray("sys.exit(3 + end.code)") << 3 << QByteArray("at exit;taken down;");
    }
    void whatIsLeftAtTheLastStep()
    {
        QFETCH(QByteArray, otherwise);
        const auto recorded = record("import torch, atexit, os, sys, tempfile\n"
                                     "class Round:\n    def __del__(self, say=os.write): say(2, b'taken down;')\n"
                                     "here, round = os.path.dirname(__file__), Round()\n"
                                     "round.itself, round.file = round, open(os.path.join(here, 'written'), 'w')\n"
                                     "round.file.write('whole')\n"
                                     "round.temporary = tempfile.NamedTemporaryFile(dir=here, prefix='temporary')\n"
                                     "atexit.register(os.write, 2, b'at exit;')\n"
                                     "torch.cuda.start()\n"
                                     "try:\n    for i in range(9):\n        torch._stepped[0](None, None, None)\n"
                                     "except SystemExit as end:\n    " +
                                     otherwise + "\n");
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QTEST(m_end.status(), "status");
        QTEST(m_said, "says");
        QCOMPARE(m_reports, 1);
        QFile written(m_torch.filePath(QStringLiteral("written")));
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(written.readAll(), QByteArray("whole"));
        const QDir folder(QFileInfo(written).path());
        QCOMPARE(folder.entryList({QStringLiteral("temporary*")}, QDir::Files), QStringList());
    }

    void garbageIsLookedForOnceTheCardIsUsed()
    {
        const auto recorded =
            record("import torch, gc, subprocess, sys\n"
                   "plain = [sys.executable, '-S', '-c', 'import gc; print(gc.get_threshold())']\n"
                   "assert gc.get_threshold()[0] > 100000\n"
                   "torch.cuda.start()\n"
                   "assert str(gc.get_threshold()) == subprocess.check_output(plain, text=True).strip()\n");
        QVERIFY2(recorded && m_end.status() == 0, m_said.constData());
        QVERIFY2(record("import torch, gc\ngc.set_threshold(5)\ntorch.cuda.start()\n"
                        "assert gc.get_threshold()[0] == 5\n") &&
                     m_end.status() == 0,
                 m_said.constData());
    }

    // Values that the stand-in answered by itself, each kind by its name; none of those that nobody asked for.
    void whatTheStandInAnswered()
    {
        m_report = R"({"unknown_answers":{"flag of a whole tensor of many elements":3,"count":0}})";
        const auto recorded = record("import torch\ntorch.cuda.start()\n");
        m_report.clear();
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        const nlohmann::json& program = recorded->result.config["program"];
        QCOMPARE(program["unknown_answers"].get<int>(), 3);
        QCOMPARE(program["unknown_answers_at"],
                 nlohmann::json({{"within an operator: flag of a whole tensor of many elements", 3}}));
    }

    void programsThatEndOtherwise_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        QTest::newRow("its own status") << QByteArray("import torch, sys\ntorch.cuda.start()\nsys.exit(7)\n") << 7
                                        << "";
        QTest::newRow("killed") << QByteArray("import torch, os\ntorch.cuda.start()\nos.kill(os.getpid(), 9)\n") << 137
                                << "ended with status 137";
        QTest::newRow("no card used") << QByteArray("import torch\n") << 0 << "took no memory of a CUDA device";
    }
    void programsThatEndOtherwise()
    {
        QFETCH(QByteArray, program);
        QFETCH(int, status);
        QFETCH(QString, says);
        const auto recorded = record(program);
        QCOMPARE(m_end.status(), status);
        QCOMPARE(bool(recorded), says.isEmpty());
        if (recorded)
            QCOMPARE(recorded->result.status, RunStatus::Failed);
        else
            QVERIFY2(QString::fromStdString(recorded.error().text()).contains(says), recorded.error().text().c_str());
    }

    void savesAreRefusedOnDemand()
    {
        const QByteArray program = "import torch\ntorch.cuda.start()\ntorch.save(1, 'x')\n";
        QVERIFY(record(program) && m_end.status() == 0);
        m_saves = ProgramSaves::Refuse;
        const auto recorded = record(program);
        m_saves = ProgramSaves::Scratch;
        QVERIFY(recorded);
        QCOMPARE(m_end.status(), 1);
        QCOMPARE(recorded->result.status, RunStatus::Failed);
    }

    void memoryThatRanOutIsSaidThoughItWasCaught()
    {
        const auto recorded = record("import torch\ntorch.cuda.start()\ntorch._observers[0](0, 1, 2, 3)\n");
        QVERIFY(recorded);
        QCOMPARE(m_end.status(), 0);
        QVERIFY(recorded->result.config["program"]["out_of_memory"].get<bool>());
        QCOMPARE(recorded->result.status, RunStatus::Failed);
    }

    void versionsThatAreRefused_data()
    {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("cuda");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("without CUDA") << QByteArray("2.11.0+cpu") << QByteArray("None")
                                      << QByteArray("a build without CUDA");
        QTest::newRow("unknown")
            << QByteArray("3.1.0+cu140") << QByteArray("'14.0'")
            << QByteArray(
                   "its files don't say which libraries it needs; releases that are known: 2.6.0, 2.11.0, 2.15.0");
    }
    void versionsThatAreRefused()
    {
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, cuda);
        QFETCH(QByteArray, says);
        m_torch.setVersion(version, cuda);
        const auto recorded = record("import torch\ntorch.cuda.start()\n");
        m_torch.setVersion("2.11.0+cu130", "'13.0'");
        QVERIFY(!recorded);
        QCOMPARE(m_end.status(), 2);
        QVERIFY2(m_said.contains(says) && m_said.count('\n') == 1, m_said.constData());
    }

    void aGhostNeedsAConfiguration()
    {
        const QTemporaryDir folder;
        DryProgram request{card(), {"true"}, 1, "some/model=" + folder.path().toStdString()};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(!end);
        QCOMPARE(QString::fromStdString(end.error().text()),
                 QStringLiteral("--ghost: %1 is not a folder with a config.json").arg(folder.path()));
    }

    // What would be downloaded has the shapes of a configuration, by its name and by its folder.
    void weightsWithoutContents()
    {
        const QString python = qEnvironmentVariable("PEAKSCOPE_DRY_PYTHON");
        if (python.isEmpty() ||
            QProcess::execute(
                python, {QStringLiteral("-c"), QStringLiteral("import importlib.util as u, sys; "
                                                              "sys.exit(u.find_spec('transformers') is None)")}) != 0)
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows and transformers");
        const QTemporaryDir folder;
        const auto write = [&folder](const char* name, const QByteArray& text) {
            QFile file(folder.filePath(QString::fromLatin1(name)));
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
        };
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("config")));
        QVERIFY(write("config/config.json", R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
            "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 3, "num_attention_heads": 4,
            "num_key_value_heads": 2, "vocab_size": 1000, "tie_word_embeddings": true, "torch_dtype": "bfloat16"})"));
        QVERIFY(write("load.py", "import sys, torch\nfrom transformers import AutoModelForCausalLM as Auto\n"
                                 "for name in sys.argv[2:]:\n"
                                 "    model = Auto.from_pretrained(name, torch_dtype=torch.bfloat16).cuda()\n"
                                 "    print(sum(p.numel() for p in model.parameters()), model.dtype, "
                                 "file=open(sys.argv[1], 'a'))\n"));
        const std::string said = folder.filePath(QStringLiteral("said")).toStdString();
        const std::string config = folder.filePath(QStringLiteral("config")).toStdString();
        const DryProgram request{card(),
                                 {python.toStdString(), folder.filePath(QStringLiteral("load.py")).toStdString(), said,
                                  "some/model", config},
                                 1,
                                 "some/model=" + config};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 0);
        QFile file(QString::fromStdString(said));
        QVERIFY(file.open(QIODevice::ReadOnly));
        // 256 x 1000 of the table, which is the head too; 3 layers; the last norm.
        const int layer = 2 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512 + 2 * 256;
        const QByteArray line = QByteArray::number(256 * 1000 + 3 * layer + 256) + " torch.bfloat16\n";
        QCOMPARE(file.readAll(), line + line);
    }

private:
    static QString bin() { return QCoreApplication::applicationDirPath(); }

    // With two steps, through a shell that keeps what is said on standard error.
    Result<Recorded> record(const QByteArray& text)
    {
        const QTemporaryDir folder;
        m_torch.write(QStringLiteral("program.py"), text);
        qputenv("PYTHONPATH", m_torch.site());
        const std::string said = m_torch.filePath(QStringLiteral("said")).toStdString();
        DryProgram program{card(),
                           {"sh", "-c", "exec \"$0\" \"$@\" 2> '" + said + "'", FakeTorch::python().toStdString(),
                            m_torch.filePath(QStringLiteral("program.py")).toStdString(), "--token=abc"},
                           2};
        program.saves = m_saves;
        const auto end = runDryProgram(program, folder.path().toStdString());
        qunsetenv("PYTHONPATH");
        if (!end)
            return end.error();
        m_end = *end;
        QFile file(QString::fromStdString(said));
        m_said = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        const QDir left(folder.path());
        m_reports = int(left.entryList({QStringLiteral("*.report.json")}).size());
        for (const QString& name : m_report.isEmpty() ? QStringList() : left.entryList({QStringLiteral("*.json")})) {
            QFile report(left.filePath(name.section(u'.', 0, 0) + QStringLiteral(".report.json")));
            if (report.open(QIODevice::WriteOnly))
                report.write(m_report);
        }
        return recordedProgram(program, *end, folder.path().toStdString());
    }

    FakeTorch m_torch;
    ProgramEnd m_end;
    ProgramSaves m_saves = ProgramSaves::Scratch;
    QByteArray m_said;
    int m_reports = 0;   // how many the stand-in left
    QByteArray m_report; // in place of the stand-in's; empty: that stays
};

PEAKSCOPE_TEST(TestDryRuns)
#include "test_dry_runs.moc"
