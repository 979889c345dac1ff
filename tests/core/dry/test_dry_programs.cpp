// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of a real PyTorch that knows CUDA ($PEAKSCOPE_DRY_PYTHON) on the stand-in of a card.
#include "core/dry/dry_program.h"
#include "tests/core/dry/dry_test_support.h"
#include "tests/core/dry/fake_torch.h"
#include "tests/test_room.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;

class TestDryPrograms : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
    }

    void aRealProgram()
    {
        const QTemporaryDir folder;
        const std::string file = programIn(
            folder, "import torch\nm = torch.nn.Linear(1000, 4000).cuda()\no = torch.optim.AdamW(m.parameters())\n"
                    "for i in range(4):\n"
                    "    o.zero_grad(); m(torch.randn(64, 1000).cuda()).sum().backward(); o.step()\n"
                    "open('" +
                        folder.filePath(QStringLiteral("said")).toUtf8() +
                        "', 'w').write(f'{torch.cuda.max_memory_allocated()} {torch.cuda.max_memory_reserved()}')\n"
                        "import resource; most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]\n"
                        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, most))\n" // none of what is recorded
                        "torch.cuda.set_per_process_memory_fraction(0.01)\n"
                        "try: torch.empty(4 << 30, dtype=torch.uint8, device='cuda')\n"
                        "except torch.OutOfMemoryError: pass\n");
        DryProgram request{card(), {python().toStdString(), file}, 100};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 0);
        const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QFile said(folder.filePath(QStringLiteral("said")));
        QVERIFY(said.open(QIODevice::ReadOnly));
        const QList<QByteArray> words = said.readAll().split(' ');
        QCOMPARE(recorded->result.memory->peakBytes, words[0].toLongLong());
        QCOMPARE(recorded->result.memory->peakReservedBytes, words[1].toLongLong());
        const nlohmann::json& ends = recorded->result.other["snapshot"]["oom"];
        QCOMPARE(ends.size(), std::size_t{1});
        QCOMPARE(ends[0]["cause"].get<std::string>(), std::string("limited"));
    }

    void aCardThatIsOnlySpokenTo()
    {
        const QTemporaryDir folder;
        const std::string file =
            programIn(folder, "import torch\ntorch.cuda.manual_seed_all(1)\ntorch.empty(0, device='cuda')\n");
        DryProgram request{card(), {python().toStdString(), file}, 100};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 0);
        request.namesBlocks = true;
        const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
        QVERIFY(!recorded);
        QCOMPARE(recorded.error().message,
                 std::string("nothing was recorded: the program took no memory of a CUDA device by PyTorch"));
    }

    // With two cards of its own, which is no rank of two, and without an optimiser of PyTorch's.
    void aProgramThatLeavesAtOnce()
    {
        const QTemporaryDir folder;
        const std::string file = programIn(
            folder,
            "import os, torch\nx = torch.empty(1 << 19, device='cuda')\n"
            "y = torch.empty(1 << 20, device='cuda:1')\ntorch.ones(1, requires_grad=True).backward()\nos._exit(3)\n");
        DryProgram request{card(), {python().toStdString(), file}, 100};
        request.place = DryRank{2, 0, 2};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 3);
        const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
        QVERIFY2(recorded, recorded ? "" : recorded.error().text().c_str());
        QCOMPARE(recorded->result.memory->peakBytes, std::int64_t(4) << 20);
        QCOMPARE(recorded->result.other["allocator"]["peak_allocated_bytes"].get<std::int64_t>(),
                 recorded->result.memory->peakBytes);
        const std::vector<std::string>& notes = recorded->result.notes;
        const std::string others = "cuda:1 is shown; of the other devices the program held at most: cuda:0 2.00 MiB";
        QVERIFY(std::ranges::find(notes, others) != notes.end());
        const std::string alone =
            "the program made no process group: it ran as one process on its own, not as a rank of 2";
        QVERIFY(std::ranges::find(notes, alone) != notes.end());
        QVERIFY(!recorded->result.config["program"].contains("rank"));
        const std::string byHand = "no optimiser of PyTorch took a step (backward passes: 1): each pass counts as a "
                                   "step, and another optimiser's states as inputs";
        QVERIFY(std::ranges::find(notes, byHand) != notes.end());
    }

    // PyTorch refuses to keep a history of it: one line says so, not its own trace alone.
    void anAllocatorWithoutAHistory()
    {
        const QTemporaryDir folder;
        const std::string said = folder.filePath(QStringLiteral("said")).toStdString();
        const std::string file = programIn(folder, "import torch\ntorch.empty(1 << 20, device='cuda')\n");
        const DryProgram request{
            card(),
            {"sh", "-c", "PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync exec \"$0\" \"$1\" 2> '" + said + "'",
             python().toStdString(), file},
            100};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 1);
        QFile words(QString::fromStdString(said));
        QVERIFY(words.open(QIODevice::ReadOnly));
        QVERIFY(words.readAll().contains("peakscope: PyTorch keeps no history of the allocator cudaMallocAsync"));
        QVERIFY(!recordedProgram(request, *end, folder.path().toStdString()));
    }

    // Programs that hold what a dry run answers and counts beside what is right, and say "N of N".
    void programsThatCheckThemselves_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<bool>("known");
        QTest::newRow("small tensors read back as on a CPU") << "host_values.py" << QByteArray("19 of 19\n") << true;
        QTest::newRow("answers that nobody knows agree")
            << "agreeing_answers.py" << QByteArray("181 of 181\n") << false;
        QTest::newRow("guards let a training step") << "guarded_steps.py" << QByteArray("7 of 7\n") << false;
        QTest::newRow("registers of Triton's kernels") << "registers.py" << QByteArray("10 of 10\n") << true;
        QTest::newRow("linear algebra") << "linear_algebra.py" << QByteArray("140 of 140\n") << false;
        QTest::newRow("recurrent networks") << "recurrent.py" << QByteArray("49 of 49\n") << false;
        QTest::newRow("a step is an iteration") << "counted_steps.py" << QByteArray("12 of 12\n") << false;
    }

    void programsThatCheckThemselves()
    {
        QFETCH(const QString, program);
        QFETCH(const bool, known);
        const QTemporaryDir folder;
        const std::string said = folder.filePath(QStringLiteral("said")).toStdString();
        const DryProgram request{card(),
                                 {"sh", "-c", "exec \"$0\" \"$1\" > '" + said + "'", python().toStdString(),
                                  PEAKSCOPE_SOURCE_DIR "/tests/programs/" + program.toStdString()},
                                 1000};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 0);
        QFile file(QString::fromStdString(said));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QTEST(file.readAll(), "said");
        const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
        QVERIFY(recorded);
        QCOMPARE(recorded->result.config["program"]["unknown_answers"].get<int>() == 0, known);
    }

    // What a program saves it finds again, and nothing of the user's is changed.
    void savesGoToAScratchFolder()
    {
        const QTemporaryDir folder, work;
        QDir(work.path()).mkpath(QStringLiteral("before/folder"));
        for (const char* name : {"before/kept.pt", "before/folder/theirs"}) {
            QFile file(work.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(name);
        }
        const std::string said = folder.filePath(QStringLiteral("said")).toStdString();
        const DryProgram request{card(),
                                 {"sh", "-c", "cd \"$2\" && exec \"$0\" \"$1\" > '" + said + "'",
                                  python().toStdString(), PEAKSCOPE_SOURCE_DIR "/tests/programs/saved_files.py",
                                  work.path().toStdString()},
                                 100};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 0);
        QFile file(QString::fromStdString(said));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("10 of 10\n"));
        QStringList left;
        for (QDirIterator each(work.path(), QDir::Files, QDirIterator::Subdirectories); each.hasNext();)
            left << QDir(work.path()).relativeFilePath(each.next());
        left.sort();
        QCOMPARE(left, QStringList({QStringLiteral("before/folder/theirs"), QStringLiteral("before/kept.pt"),
                                    QStringLiteral("out/log.txt")}));
        const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
        QVERIFY(recorded);
        const nlohmann::json& saves = recorded->result.config["program"]["saves"];
        QVERIFY2(saves["count"] >= 7 && saves["bytes"] > 30'000'000, saves.dump().c_str());
    }

    // After the steps a program goes on to one batch of its evaluation and one save, if it is asked to.
    void throughTheEvaluation()
    {
        using Parts = std::vector<std::string>;
        std::int64_t peaks[2] = {};
        for (const bool through : {false, true}) {
            const QTemporaryDir folder;
            DryProgram request{
                card(), {python().toStdString(), PEAKSCOPE_SOURCE_DIR "/tests/programs/evaluated.py"}, 5};
            request.throughEval = through;
            const auto end = runDryProgram(request, folder.path().toStdString());
            QVERIFY(end && end->status() == 0);
            const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
            QVERIFY(recorded);
            const nlohmann::json& program = recorded->result.config["program"];
            QCOMPARE(program["steps"].get<int>(), 5);
            // It generates nothing, so that this is not missing.
            QCOMPARE(program["not_reached"].get<Parts>(), through ? Parts{} : Parts({"evaluate", "save"}));
            QCOMPARE(program["saves"]["count"].get<int>(), through ? 1 : 0);
            peaks[through] = recorded->result.memory->peakBytes;
        }
        constexpr std::int64_t kLogits = 128LL * 64 * 4000 * 4;
        QVERIFY2(peaks[0] < kLogits && peaks[1] > 2 * kLogits, qPrintable(QString::number(peaks[0])));
    }

    // From its own folder, too, where files that PyTorch only names would lie.
    void aProgramThatOnlyTrains()
    {
        const QTemporaryDir folder;
        const std::string file = programIn(
            folder, "import torch\nm = torch.nn.Linear(10, 10).cuda()\no = torch.optim.AdamW(m.parameters())\n"
                    "while True:\n    m(torch.randn(64, 10).cuda()).sum().backward(); o.step()\n");
        const DryProgram request{card(),
                                 {"sh", "-c", "cd '" + folder.path().toStdString() + "' && exec \"$0\" \"$1\"",
                                  python().toStdString(), std::filesystem::path(file).filename().string()},
                                 3};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 0);
        const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
        QVERIFY(recorded);
        QVERIFY(recorded->result.config["program"]["not_reached"].empty());
    }

    // What `libpeakscope_dry` lays over the user's files is what plain files would be.
    void theOverlayIsAsPlainFiles()
    {
        const QString compiler = QStandardPaths::findExecutable(QStringLiteral("cc"));
        if (compiler.isEmpty())
            QSKIP("no C compiler here");
        const QTemporaryDir folder;
        const QString library = folder.filePath(QStringLiteral("overlay.so"));
        const QString source = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/core/dry/stand_in/");
        QStringList words{QStringLiteral("-std=gnu11"), QStringLiteral("-O1"), QStringLiteral("-shared"),
                          QStringLiteral("-fPIC"),      QStringLiteral("-o"),  library};
        for (const QString& name : QDir(source).entryList({QStringLiteral("overlay*.c")}))
            words << source + name;
        const auto environment = QProcessEnvironment::systemEnvironment();
        const ProcessAnswer built =
            ran(compiler, words << QStringLiteral("-ldl") << QStringLiteral("-lpthread"), environment);
        QVERIFY2(built.status == 0, built.err.constData());
        const ProcessAnswer checked =
            ran(FakeTorch::python(), {QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/dry/overlay_check.py"), library},
                environment);
        QVERIFY2(checked.status == 0, (checked.out + checked.err).constData());
    }

    // What modules own, trained or not, is told from plain tensors that live as long.
    void whoseTheBytesAre()
    {
        const QTemporaryDir folder;
        const DryProgram request{
            card(), {python().toStdString(), PEAKSCOPE_SOURCE_DIR "/tests/programs/owned_blocks.py"}, 5};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 0);
        const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
        QVERIFY(recorded);
        const auto bytes = [&](Component component) {
            return recorded->result.memory->peakComponents[static_cast<std::size_t>(component)];
        };
        constexpr std::int64_t kWeights = 4 * 1024 * 1024 * 4;
        QCOMPARE(bytes(Component::Parameters), 4 * kWeights);
        QCOMPARE(bytes(Component::OptimizerStates), 2 * kWeights);
        QCOMPARE(bytes(Component::Other), 4 * kWeights);
        std::int64_t untrained = 0;
        for (const OperatorUsage& line : recorded->result.memory->operators)
            untrained += QByteArray::fromStdString(line.name).endsWith(", not trained") ? line.peakBytes : 0;
        QCOMPARE(untrained, 3 * kWeights);
    }

    // What nobody knows is told by operator and line.
    void valuesThatNobodyKnows()
    {
        const QTemporaryDir folder;
        const std::string file =
            programIn(folder, "import torch\nx = torch.randn(3000, 40).cuda() @ torch.ones(40, 40).cuda()\n"
                              "print(x.sum().item())\nprint(x[x[:, 0] > 0].shape)\n");
        const DryProgram request{card(), {python().toStdString(), file}, 100};
        const auto end = runDryProgram(request, folder.path().toStdString());
        QVERIFY(end && end->status() == 0);
        const auto recorded = recordedProgram(request, *end, folder.path().toStdString());
        QVERIFY(recorded);
        const std::string at = recorded->result.config["program"]["unknown_answers_at"].dump();
        QVERIFY2(QRegularExpression(QStringLiteral(R"("item at train.py:3: [0-9.]+":1)"))
                     .match(QString::fromStdString(at))
                     .hasMatch(),
                 at.c_str());
        QVERIFY2(at.find("\"index at train.py:4: 3000\":1") != std::string::npos, at.c_str());
        const QString note = QString::fromStdString(recorded->result.notes.back());
        QVERIFY2(QRegularExpression(QStringLiteral(R"(item at train.py:3: [0-9.]+ \(1\))")).match(note).hasMatch(),
                 qPrintable(note));
    }

private:
    static std::string programIn(const QTemporaryDir& folder, const QByteArray& text)
    {
        QFile program(folder.filePath(QStringLiteral("train.py")));
        if (program.open(QIODevice::WriteOnly))
            program.write(text);
        return program.fileName().toStdString();
    }
};

PEAKSCOPE_TEST(TestDryPrograms)
#include "test_dry_programs.moc"
