// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How programs of a real PyTorch ($PEAKSCOPE_DRY_PYTHON) end that are recorded here and dry: what is left of those that
// were ended, what is written while they run, the words and the exit status.
#include "core/protocol/event.h"
#include "core/results/run_result.h"
#include "tests/core/dry/dry_test_support.h"
#include "tests/test_room.h"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace peakscope;

namespace {

// Says the allocator's own peaks on the last line that it prints.
constexpr const char* kThreeSteps =
    "import os, signal, sys, time, torch\n"
    "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
    "m = torch.nn.Linear(1000, 4000).to(device)\n"
    "o = torch.optim.AdamW(m.parameters())\n"
    "for i in range(3):\n"
    "    o.zero_grad(); m(torch.randn(64, 1000).to(device)).sum().backward(); o.step()\n"
    "if device == 'cuda':\n"
    "    print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), flush=True)\n";

QString recordingProgram()
{
    return QCoreApplication::applicationDirPath() + QStringLiteral("/peakscope-cli");
}

// `record` of a program in a folder, whose result is run.json there.
struct RecordFolder {
    QTemporaryDir folder;

    QString path(const char* name) const { return folder.filePath(QString::fromLatin1(name)); }
    QStringList words(const QByteArray& text, const QString& device, const QStringList& options = {}) const
    {
        QFile file(path("train.py"));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
            return {};
        return QStringList{QStringLiteral("record"),  QStringLiteral("--device"), device,
                           QStringLiteral("--steps"), QStringLiteral("1000"),     QStringLiteral("--out"),
                           path("run.json")} +
               options + QStringList{QStringLiteral("--"), QString::fromLocal8Bit(python()), file.fileName()};
    }
    ProcessAnswer run(const QByteArray& text, const QString& device, const QStringList& options = {}) const
    {
        return ran(recordingProgram(), words(text, device, options), QProcessEnvironment::systemEnvironment());
    }
};

const QString kHere = QStringLiteral("cpu"), kDry = QStringLiteral("dry:rtx-4090");

bool isNoted(const RunResult& result, const char* words)
{
    return std::ranges::any_of(result.notes, [&](const std::string& note) { return note.find(words) != note.npos; });
}

} // namespace

class TestProgramEnds : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
    }

    void endings_data()
    {
        QTest::addColumn<QByteArray>("end");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<bool>("last"); // it comes to its last words
        QTest::newRow("killed") << QByteArray("os.kill(os.getpid(), signal.SIGKILL)\n") << 137
                                << QByteArray("the program was ended by signal 9") << false;
        QTest::newRow("crashed") << QByteArray("os.kill(os.getpid(), signal.SIGSEGV)\n") << 139
                                 << QByteArray("the program was ended by signal 11") << false;
        QTest::newRow("stopped") << QByteArray("os.kill(os.getpid(), signal.SIGTERM)\n") << 143
                                 << QByteArray("the program was stopped") << false;
        QTest::newRow("interrupted") << QByteArray("os.kill(os.getpid(), signal.SIGINT)\n") << 130
                                     << QByteArray("the program was stopped") << true;
        QTest::newRow("its terminal closes") << QByteArray("os.kill(os.getppid(), signal.SIGHUP)\ntime.sleep(60)\n")
                                             << 129 << QByteArray("the program was stopped") << false;
        QTest::newRow("exits") << QByteArray("sys.exit(3)\n") << 3 << QByteArray("the program ended with status 3")
                               << true;
        QTest::newRow("becomes another program")
            << QByteArray("os.execvp('sh', ['sh', '-c', 'exit 0'])\n") << 0 << QByteArray() << false;
    }

    // The same words and status here and dry, and dry the allocator's own peaks, whether or not it wrote its history.
    void endings()
    {
        QFETCH(QByteArray, end);
        QFETCH(int, status);
        QFETCH(QByteArray, message);
        QFETCH(bool, last);
        for (const QString& device : {kHere, kDry}) {
            const RecordFolder recorded;
            const QString events = recorded.path("events.jsonl");
            const ProcessAnswer answer = recorded.run(kThreeSteps + end, device, {QStringLiteral("--events"), events});
            QCOMPARE(answer.status, status);
            QCOMPARE(answer.err.contains('\n' + message + '\n'), !message.isEmpty());
            const auto result = loadRunResult(recorded.path("run.json").toStdString());
            QVERIFY2(result, result ? "" : result.error().text().c_str());
            QCOMPARE(QByteArray::fromStdString(result->message), message);
            QCOMPARE(result->status, status == 0                   ? RunStatus::Complete
                                     : message.endsWith("stopped") ? RunStatus::Interrupted
                                                                   : RunStatus::Failed);
            QCOMPARE(result->config["program"]["steps"].get<int>(), 3);
            QVERIFY(result->memory->maxComponents[static_cast<std::size_t>(Component::OptimizerStates)] >= 32'000'000);
            const ProcessAnswer watched = ran(recordingProgram(), {QStringLiteral("watch"), events}, {});
            QVERIFY2(watched.out.contains(message) && !watched.out.contains("worker"), watched.out.constData());
            QFile file(events);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll().contains("\"reserved_bytes\""), device == kDry); // nothing is on a processor
            QCOMPARE(watched.out.contains(" reserved"), device == kDry);
            if (device == kHere)
                continue;
            const QList<QByteArray> peaks = answer.out.trimmed().split(' ');
            QCOMPARE(result->memory->peakBytes, peaks[0].toLongLong());
            QCOMPARE(result->memory->peakReservedBytes, peaks[1].toLongLong());
            QCOMPARE(isNoted(*result, "PyTorch's own history is missing"), !last);
            QCOMPARE(QFile::exists(recorded.path("run.pickle")), last);
            QVERIFY(result->other["dry"].get<bool>());
        }
    }

    // Its parameters, gradients and states take 64 MB.
    void aBudget()
    {
        const QByteArray caught = QByteArray(kThreeSteps) + "try: torch.empty(100_000_000, device=device)\n"
                                                            "except torch.OutOfMemoryError: print('goes on')\n";
        for (const QString& device : {kHere, kDry}) {
            const RecordFolder recorded;
            const auto limited = [&](const QByteArray& text, const char* budget) {
                const QStringList option{QStringLiteral("--budget"), QString::fromLatin1(budget)};
                return recorded.run(text, device, option);
            };
            const auto kept = [&] { return loadRunResult(recorded.path("run.json").toStdString()); };
            const auto held = [&](const RunResult& result) {
                return device == kDry ? result.memory->peakReservedBytes : result.memory->peakBytes;
            };
            QCOMPARE(limited(kThreeSteps, "40MB").status, 3);
            auto result = kept();
            QVERIFY(result && result->status == RunStatus::OverBudget);
            const std::string more = device == kHere ? "15.3 MiB more" : ""; // dry cuBLAS's own comes first
            QVERIFY2(result->message.starts_with("over the budget of 38.1 MiB: " + more), result->message.c_str());
            QCOMPARE(result->message.ends_with(", at train.py:6 <module>"), device == kHere);
            QCOMPARE(result->config["budget_bytes"].get<int>(), 40'000'000);
            QVERIFY(held(*result) > 30'000'000 && held(*result) <= 40'000'000);

            ProcessAnswer answer = limited(caught, "200MB");
            QVERIFY2(answer.status == 0 && answer.out.endsWith("goes on\n"), answer.err.constData());
            QVERIFY((result = kept()) && result->status != RunStatus::OverBudget && held(*result) <= 200'000'000);

            if (device == kDry)
                continue;
            answer = limited(QByteArray(kThreeSteps) + "raise RuntimeError('of its own')\n", "1GB");
            QCOMPARE(answer.status, 1);
            QVERIFY((result = kept()) && result->status == RunStatus::Failed);
            answer = limited(kThreeSteps, "little");
            QCOMPARE(answer.status, 2);
            QVERIFY2(answer.err.startsWith("peakscope-cli: --budget: \"little\" is not a size"),
                     answer.err.constData());
        }
    }

    // Of one card, and of ranks that run one after another; a request that comes early is no end.
    void writtenWhileItRunsDry_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("a card") << QStringList();
        QTest::newRow("ranks") << QStringList{QStringLiteral("--world"), QStringLiteral("2"), QStringLiteral("--rank"),
                                              QStringLiteral("0,1")};
    }

    void writtenWhileItRunsDry()
    {
        QFETCH(QStringList, options);
        const RecordFolder recorded;
        QProcess process;
        process.start(recordingProgram(),
                      recorded.words(QByteArray(kThreeSteps) + "sys.stdin.readline()\n", kDry, options));
        QByteArray said, errors;
        QTRY_VERIFY_WITH_TIMEOUT((errors += process.readAllStandardError()).contains("is not a result"), 60000);
        ::kill(static_cast<pid_t>(process.processId()), SIGUSR1);
        QTRY_VERIFY_WITH_TIMEOUT((said += process.readAllStandardOutput()).contains('\n'), 60000);
        QTest::qWait(200); // what it wrote is read some fifty times a second
        ::kill(static_cast<pid_t>(process.processId()), SIGUSR1);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(recorded.path("run.json")), 20000);
        const auto sofar = loadRunResult(recorded.path("run.json").toStdString());
        QVERIFY(sofar && sofar->status == RunStatus::Interrupted);
        QCOMPARE(sofar->message, std::string("the program was still running"));
        QCOMPARE(sofar->config["program"]["steps"].get<int>(), 3);
        QCOMPARE(sofar->memory->peakBytes, said.split(' ').front().toLongLong());
        process.write("\n\n");
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 0);
        QVERIFY((errors += process.readAllStandardError()).contains("so far: 3 steps"));
        const auto result = loadRunResult(recorded.path("run.json").toStdString());
        QVERIFY(result && result->status == RunStatus::Complete);
        QCOMPARE(result->ranks.size(), options.isEmpty() ? std::size_t(0) : std::size_t(2));
    }

    // Ranks after one that is stopped are not begun.
    void aRankThatIsStoppedIsTheLast()
    {
        const RecordFolder recorded;
        const ProcessAnswer answer = recorded.run(
            QByteArray(kThreeSteps) + "os.kill(os.getpid(), signal.SIGTERM)\n", kDry,
            {QStringLiteral("--world"), QStringLiteral("4"), QStringLiteral("--rank"), QStringLiteral("0,3")});
        QCOMPARE(answer.status, 143);
        QVERIFY2(!answer.err.contains("rank 3"), answer.err.constData());
        const auto result = loadRunResult(recorded.path("run.json").toStdString());
        QVERIFY(result && result->status == RunStatus::Interrupted);
        QVERIFY(result->ranks.empty() && result->config["program"]["rank"] == 0);
    }

    // What dry runs found is not lost where one of them fails, or the search is stopped.
    void searchesThatDoNotEnd()
    {
        const RecordFolder folder;
        QFile program(folder.path("train.py"));
        QVERIFY(program.open(QIODevice::WriteOnly));
        program.write((QByteArray("import sys\nif int(sys.argv[1]) > 2:\n    sys.exit(3)\n") + kThreeSteps));
        program.close();
        const ProcessAnswer answer =
            ran(recordingProgram(),
                {QStringLiteral("fit"), QStringLiteral("--device"), kDry, QStringLiteral("--vary"),
                 QStringLiteral("n=1..64"), QStringLiteral("--out"), folder.path("fit.json"), QStringLiteral("--"),
                 QString::fromLocal8Bit(python()), program.fileName(), QStringLiteral("{n}")},
                QProcessEnvironment::systemEnvironment());
        QVERIFY2(answer.status == 1 && answer.err.contains("what ran until then is in "), answer.err.constData());
        const auto result = loadRunResult(folder.path("fit.json").toStdString());
        QVERIFY(result.ok());
        QCOMPARE(result->status, RunStatus::Failed);
        QVERIFY2(result->message.find("the program ended with status 3") != std::string::npos, result->message.c_str());
        QVERIFY(isNoted(*result, "the search did not end"));
        QVERIFY(!result->other.at("sweep").at("points").empty());
    }

    // As Python looks for a folder for what is temporary.
    void withoutItsTemporaryFolder()
    {
        const RecordFolder folder;
        QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
        variables.insert(QStringLiteral("TMPDIR"), folder.path("nowhere"));
        const ProcessAnswer answer = ran(recordingProgram(), folder.words(kThreeSteps, kHere), variables);
        QVERIFY2(answer.status == 0, answer.err.constData());
        QVERIFY(loadRunResult(folder.path("run.json").toStdString()).ok());
    }

    void nothingToRecord_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("here");
        QTest::addColumn<QByteArray>("dry");
        const QByteArray
            noPyTorch =
                "the program did not import PyTorch, or did so in a process that it forked, which is not recorded",
            failed = "the program ended with status 4";
        QTest::newRow("no PyTorch") << QByteArray("import sys\n") << 0 << noPyTorch << noPyTorch;
        QTest::newRow("only imported") << QByteArray("import sys, torch\nsys.exit(0)\n") << 0
                                       << QByteArray("the program used PyTorch, which allocated nothing")
                                       << QByteArray("the program took no memory of a CUDA device by PyTorch");
        QTest::newRow("failed") << QByteArray("import sys\nsys.exit(4)\n") << 4 << failed << failed;
    }

    // One line that is true, and the program's own status.
    void nothingToRecord()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, status);
        QFETCH(QByteArray, here);
        QFETCH(QByteArray, dry);
        for (const QString& device : {kHere, kDry}) {
            const RecordFolder recorded;
            const ProcessAnswer answer = recorded.run(text, device);
            const QByteArray line = "peakscope-cli: record: nothing was recorded: " + (device == kDry ? dry : here) +
                                    "; " + QFile::encodeName(recorded.path("run.json")) + " was not written\n";
            QVERIFY2(answer.err.endsWith(line), answer.err.constData());
            QCOMPARE(answer.status, status);
            QVERIFY(!QFile::exists(recorded.path("run.json")));
        }
        const RecordFolder recorded;
        QCOMPARE(recorded.run(text, kHere, {QStringLiteral("--strict")}).status, status == 0 ? 1 : status);
    }
};

PEAKSCOPE_GUILESS_TEST(TestProgramEnds)
#include "test_program_ends.moc"
