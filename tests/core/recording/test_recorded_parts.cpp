// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of programs that a program records itself (peakscope.record, the cell magic, budgets of tests), with a real
// PyTorch ($PEAKSCOPE_DRY_PYTHON). The programs compare what was recorded with their own count.
#include "core/import/read_any.h"
#include "core/recording/program_process.h"
#include "tests/core/dry/dry_test_support.h"
#include "tests/test_room.h"

#include <QCoreApplication>
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace peakscope;

class TestRecordedParts : public QObject
{
    Q_OBJECT

private slots:
    void programs_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QByteArray>("done");
        QTest::newRow("a block of a training that has begun") << "late_loop.py" << QByteArray("\"late\": \"done\"");
        QTest::newRow("cells of a notebook") << "late_notebook.py" << QByteArray("notebook: done");
        QTest::newRow("budgets of tests") << "late_budgets.py" << QByteArray("budgets: done");
    }
    void programs()
    {
        QFETCH(QString, program);
        QFETCH(QByteArray, done);
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        const ProcessAnswer answer =
            ran(QString::fromLocal8Bit(python()), {QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/programs/") + program},
                environment());
        if (answer.out.startsWith("no "))
            QSKIP((answer.out.trimmed() + " in this Python").constData());
        QVERIFY2(answer.status == 0 && answer.out.contains(done), (answer.out + answer.err).constData());
        QCOMPARE(QDir(m_scratch.path()).entryList({QStringLiteral("peakscope*")}), QStringList());
    }

    // Weights in a file that is mapped, as of from_pretrained, are the model's as others are, until the file is let go.
    void mappedWeights()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch");
        QFile program(m_scratch.filePath(QStringLiteral("train.py")));
        QVERIFY(program.open(QIODevice::WriteOnly));
        program.write("import os, torch\n"
                      "def model():\n"
                      "    return torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(4)])\n"
                      "torch.save(model().state_dict(), __file__ + '.pt')\n"
                      "with torch.device('meta'):\n"
                      "    m = model()\n"
                      "m.load_state_dict(torch.load(__file__ + '.pt', mmap=True), assign=True)\n"
                      "m[0].tied = m[1].weight\n"
                      "o = torch.optim.Adam(m.parameters())\n"
                      "for i in range(3):\n"
                      "    o.zero_grad(); m(torch.randn(8, 256)).sum().backward(); o.step()\n"
                      "del o; m.requires_grad_(False); m.double()\n"
                      "for i in range(3):\n"
                      "    m(torch.randn(8, 256, dtype=torch.float64))\n");
        program.close();
        constexpr std::int64_t kWeights = 4 * 257 * 256 * 4;
        const QString file = m_scratch.filePath(QStringLiteral("run.json"));
        const auto record = [&](const QStringList& more) {
            return ran(commandLine(),
                       QStringList{QStringLiteral("record"), QStringLiteral("--device"), QStringLiteral("cpu")} + more +
                           QStringList{QStringLiteral("--out"), file, QStringLiteral("--"),
                                       QString::fromLocal8Bit(python()), program.fileName()},
                       QProcessEnvironment::systemEnvironment());
        };
        const ProcessAnswer answer = record({});
        QVERIFY2(answer.status == 0, answer.err.constData());
        const auto results = readAny(file.toStdString());
        QVERIFY(results.ok());
        const RunResult& result = results->front();
        const MemorySection& memory = *result.memory;
        const auto parameters = static_cast<std::size_t>(Component::Parameters);
        QCOMPARE(memory.peakComponents[parameters], kWeights); // in the second step, with states
        QCOMPARE(memory.peakComponents[static_cast<std::size_t>(Component::OptimizerStates)], 2 * kWeights + 32);
        std::int64_t live = 0, most = 0;
        for (std::size_t i = 0; i < memory.timeline.size(); ++i) {
            live += memory.timeline.component[i] == Component::Parameters ? memory.timeline.deltaBytes[i] : 0;
            most = std::max(most, live);
        }
        QCOMPARE(live, 2 * kWeights); // in float64, and the mapped file is let go
        QVERIFY(std::ranges::any_of(result.notes, [](const std::string& note) {
            return note.starts_with("1.00 MiB of weights are in mapped files");
        }));
        const ProcessAnswer refused = record({QStringLiteral("--budget"), QStringLiteral("3 MiB")});
        QVERIFY2(refused.status == 3, refused.err.constData());
    }

    // Of the package a Python that records nothing notices nothing.
    void withoutItsEnvironment()
    {
        const ProcessAnswer answer =
            ran(QStringLiteral("python3"),
                {QStringLiteral("-c"), QStringLiteral("import sys; print([name for name in sys.modules "
                                                      "if name.startswith('peakscope')])")},
                environment());
        if (answer.status != 0 && answer.out.isEmpty() && answer.err.isEmpty())
            QSKIP("no python3");
        QCOMPARE(answer.out, QByteArray("[]\n"));
        QCOMPARE(answer.err, QByteArray());
    }

    void folderForPython()
    {
        const ProcessAnswer answer = ran(commandLine(), {QStringLiteral("record"), QStringLiteral("--python-folder")},
                                         QProcessEnvironment::systemEnvironment());
        QCOMPARE(answer.status, 0);
        QVERIFY(
            QFile::exists(QString::fromLocal8Bit(answer.out).trimmed() + QStringLiteral("/peakscope/recording.py")));
    }

    void refusals()
    {
        const auto said = [](const QStringList& arguments) {
            const ProcessAnswer answer = ran(commandLine(), arguments, QProcessEnvironment::systemEnvironment());
            return answer.status == 2 ? answer.err : QByteArray::number(answer.status);
        };
        QCOMPARE(said({QStringLiteral("record")}),
                 QByteArray("peakscope-cli: PROGRAM: is missing: peakscope-cli record -- python train.py\n"));
        QCOMPARE(
            said({QStringLiteral("record"), QStringLiteral("--read"), m_scratch.path()}),
            QByteArray("peakscope-cli: record: nothing was recorded: no tensor in the processor's memory was there or "
                       "was made\n"));
    }

private:
    static QString commandLine() { return QCoreApplication::applicationDirPath() + QStringLiteral("/peakscope-cli"); }

    QProcessEnvironment environment() const
    {
        QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
        variables.insert(QStringLiteral("PYTHONPATH"), QString::fromStdString(recorderFolder()->string()));
        variables.insert(QStringLiteral("PEAKSCOPE_CLI"), commandLine());
        variables.insert(QStringLiteral("PEAKSCOPE_DRY_FOLDER"), QString::fromStdString(standInFolder()->string()));
        variables.insert(QStringLiteral("PYTHONDONTWRITEBYTECODE"), QStringLiteral("1"));
        variables.insert(QStringLiteral("TMPDIR"), m_scratch.path()); // nothing is to stay in it
        variables.remove(QStringLiteral("PEAKSCOPE_PROBE"));
        return variables;
    }

    QTemporaryDir m_scratch;
};

PEAKSCOPE_GUILESS_TEST(TestRecordedParts)
#include "test_recorded_parts.moc"
