// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A curvature run on ranks of which one is killed, gone on with by as many ranks, by others, by one process: the
// numbers are those of an undisturbed run.
#include "core/results/run_result.h"
#include "tests/engine/checks/ranks/rank_processes.h"
#include "tests/engine/process/said.h"
#include "tests/engine/warm/warm_start.h"
#include "tests/test_room.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>

using namespace peakscope;
using Json = nlohmann::json;
using peakscope::test::kCli;

namespace {

// Every number that the quantities are, by the way to it; none of times, bytes or counts of products.
void collect(const Json& json, const std::string& path, std::map<std::string, double>& numbers)
{
    if (json.is_number()) {
        numbers[path] = json.get<double>();
    } else if (json.is_array()) {
        for (std::size_t i = 0; i < json.size(); ++i)
            collect(json[i], path + "/" + std::to_string(i), numbers);
    } else if (json.is_object()) {
        for (const auto& [key, value] : json.items()) {
            if (!key.ends_with("seconds") && !key.ends_with("bytes"))
                collect(value, path + "/" + key, numbers);
        }
    }
}

std::map<std::string, double> numbersOf(const RunResult& result)
{
    std::map<std::string, double> numbers;
    const Json curvature = result.other.value("curvature", Json::object());
    for (const char* quantity : {"trace", "eigenvalues", "diagonal", "density", "blocks"})
        collect(curvature.value(quantity, Json()), quantity, numbers);
    return numbers;
}

} // namespace

class TestRankResume : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void goneOnWith_data();
    void goneOnWith();

private:
    QStringList words(const QString& out) const { return {"run", m_experiment, "--out", out}; }
    QTemporaryDir m_folder;
    QString m_experiment;
    std::map<std::string, double> m_undisturbed;
};

void TestRankResume::initTestCase()
{
    qputenv("PEAKSCOPE_MPI_MODULE", PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so");
    if (!hasMpirun() || !QFile::exists(PEAKSCOPE_BINARY_DIR "/libpeakscope_mpi.so"))
        QSKIP("mpirun or the MPI module is not there (openmpi-bin, libopenmpi-dev)");
    startWarmEngine();
    m_experiment = m_folder.filePath("e.json");
    std::ofstream(m_experiment.toStdString())
        << R"({"kind": "curvature", "dtype": "float64", "device": "cpu", "threads": 1, "seed": 3, "ranks": 2,
        "model": {"family": "gpt2", "hidden": 32, "layers": 1, "heads": 2, "vocab": 256, "max_positions": 32},
        "data": {"batch": 5, "seq": 16, "max_physical_batch": 2}, "curvature": {
        "quantities": ["trace", "eigenvalues", "diagonal", "density"], "probes": 16, "top_k": 3, "density_steps": 24,
        "parameters": {"select": "sample", "count": 60}}})";
    const QString out = m_folder.filePath("whole.json");
    QCOMPARE(QProcess::execute(kCli, words(out)), 0);
    const auto whole = loadRunResult(out.toStdString());
    QVERIFY(whole && whole->status == RunStatus::Complete);
    m_undisturbed = numbersOf(*whole);
    QVERIFY(m_undisturbed.size() > 150);
}

void TestRankResume::goneOnWith_data()
{
    QTest::addColumn<int>("victim");
    QTest::addColumn<QString>("after"); // this quantity is there
    QTest::addColumn<int>("ranks");
    QTest::addColumn<QStringList>("before"); // changes of the experiment, for the run that is killed
    QTest::addColumn<QStringList>("then");
    const QStringList nothing, sharded{"--set", "training.sharding=zero3"};
    QTest::newRow("as many ranks, the first was killed") << 0 << "trace" << 2 << nothing << nothing;
    QTest::newRow("one process") << 1 << "diagonal" << 1 << nothing << nothing;
    QTest::newRow("more ranks") << 1 << "diagonal" << 3 << nothing << nothing;
    QTest::newRow("shards, by whole parameters within a budget")
        << 1 << "trace" << 1 << sharded << QStringList{"--budget", "64MB"};
    QTest::newRow("whole parameters, by shards") << 1 << "diagonal" << 3 << nothing << sharded;
}

void TestRankResume::goneOnWith()
{
    QFETCH(int, victim);
    QFETCH(QString, after);
    QFETCH(int, ranks);
    QFETCH(QStringList, before);
    QFETCH(QStringList, then);
    const QString out = m_folder.filePath(QString::fromLatin1(QTest::currentDataTag()) + ".json");
    QProcess process;
    const QStringList quick{"--set", QString::fromStdString("launcher=" + Json(quickLauncher(2)).dump())};
    process.start(kCli, words(out) + before + quick);
    QVERIFY(process.waitForStarted());
    const auto measured = [&] {
        const auto result = loadRunResult(out.toStdString());
        return result && result->other.value("curvature", Json::object()).contains(after.toStdString());
    };
    while (process.state() == QProcess::Running && !measured())
        process.waitForFinished(5);
    for (const pid_t launcher : childrenOf(static_cast<pid_t>(process.processId()))) {
        for (const pid_t child : childrenOf(launcher)) {
            if (rankOfProcess(child) == victim)
                QCOMPARE(::kill(child, SIGKILL), 0);
        }
    }
    QVERIFY(process.waitForFinished(60'000));
    QVERIFY(process.exitCode() != 0);
    const QString error = QString::fromUtf8(process.readAllStandardError());
    QVERIFY2(error.contains(QStringLiteral("rank %1 (host ").arg(victim)), qPrintable(error));
    const auto half = loadRunResult(out.toStdString());
    QVERIFY(half && half->status != RunStatus::Complete);
    QVERIFY(half->other["curvature"].contains(after.toStdString()));
    QVERIFY(numbersOf(*half).size() < m_undisturbed.size());

    QCOMPARE(QProcess::execute(kCli, words(out) + QStringList{"--resume", "--ranks", QString::number(ranks)} + then),
             0);
    const auto whole = loadRunResult(out.toStdString());
    QVERIFY(whole && whole->status == RunStatus::Complete);
    const auto numbers = numbersOf(*whole);
    QCOMPARE(numbers.size(), m_undisturbed.size());
    for (const auto& [path, value] : m_undisturbed) {
        const double own = numbers.count(path) ? numbers.at(path) : std::nan("");
        const bool same = ranks == 2 ? own == value : std::abs(own - value) <= 1e-10 * std::max(1.0, std::abs(value));
        QVERIFY2(same, qPrintable(QString::fromStdString(path) +
                                  QStringLiteral(": %1 instead of %2").arg(own, 0, 'g', 17).arg(value, 0, 'g', 17)));
    }
}

PEAKSCOPE_GUILESS_TEST(TestRankResume)
#include "test_rank_resume.moc"
