// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A worker of another version, reached through a launcher: its numbers of components are translated wherever the
// command line reads them.
#include "core/results/run_result.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/other_version_worker.h"
#include "tests/test_room.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;

class TestOtherVersion : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(write("lines.jsonl", testing::kOtherVersionLines));
        QVERIFY(write("worker.sh", "#!/bin/sh\ncat " + path("lines.jsonl").toUtf8() + "\n"));
        QVERIFY(QFile::setPermissions(path("worker.sh"), QFile::ReadOwner | QFile::ExeOwner));
    }

    void aRun()
    {
        QVERIFY(write("run.json", QByteArray::fromStdString(experiment().dump())));
        QVERIFY2(call({"run", path("run.json"), "--out", path("result.json"), "--events", path("events.jsonl")}),
                 qPrintable(m_said));
        checkResult("result.json");
        // The file of events is the worker's own words, and read with its list of names.
        QVERIFY2(call({"inspect", path("events.jsonl"), "--json"}), qPrintable(m_said));
        const auto described = nlohmann::json::parse(m_said.toStdString(), nullptr, false);
        QVERIFY2(described.value("/peak_components/activations"_json_pointer, 0) == 2000, qPrintable(m_said));
    }

    void aPointOfASweep()
    {
        const nlohmann::json document = {{"base", experiment()}, {"grid", {{"seed", {1}}}}};
        QVERIFY(write("sweep.json", QByteArray::fromStdString(document.dump())));
        QVERIFY2(call({"sweep", path("sweep.json"), "--out", path("sweep")}), qPrintable(m_said));
        const auto sweep = loadSweep(path("sweep/sweep.json").toStdString());
        QVERIFY(sweep.ok());
        QCOMPARE(sweep->points.size(), std::size_t(1));
        checkResult("sweep/" + QString::fromStdString(sweep->points[0].file));
    }

private:
    QString path(const QString& name) const { return m_folder.filePath(name); }

    bool write(const QString& name, const QByteArray& text)
    {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    }

    nlohmann::json experiment() const
    {
        return {{"kind", "memory"},
                {"device", "cpu"},
                {"model", {{"family", "gpt2"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}},
                {"data", {{"batch", 1}, {"seq", 8}}},
                {"launcher", {path("worker.sh").toStdString()}}};
    }

    bool call(const QStringList& arguments)
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli"), arguments);
        const bool ended = process.waitForFinished(60'000);
        m_said = QString::fromUtf8(process.readAll());
        return ended && process.exitCode() == 0;
    }

    void checkResult(const QString& name)
    {
        const auto result = loadRunResult(path(name).toStdString());
        QVERIFY(result && result->memory);
        QCOMPARE(result->memory->peakBytes, 2130);
        QVERIFY(result->memory->peakComponents == testing::otherVersionPeak());
    }

    QTemporaryDir m_folder;
    QString m_said;
};

PEAKSCOPE_GUILESS_TEST(TestOtherVersion)
#include "test_other_version.moc"
