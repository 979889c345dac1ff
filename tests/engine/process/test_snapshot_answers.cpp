// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands answer about a part of a CUDA snapshot and about one rank of a result, as a program's process says
// it.
#include "core/results/run_result.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;
using Json = nlohmann::json;
using test::kMiB;

class TestSnapshotAnswers : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QFile file(path("small.pickle"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(pickled(test::SmallTraining(3).json()));
        RunResult result;
        result.kind = ResultKind::Memory;
        for (const std::int64_t mebibytes : {1, 3, 2}) {
            RankSection& section = result.ranks.emplace_back();
            section.rank = static_cast<std::int64_t>(result.ranks.size()) - 1;
            MemorySection& memory = section.memory.emplace();
            memory.timeline.timeSeconds = {0, 0.5};
            memory.timeline.deltaBytes = {mebibytes * kMiB, -kMiB / 2};
            memory.timeline.component = {Component::Parameters, Component::Parameters};
            memory.peakBytes = mebibytes * kMiB;
            memory.peakComponents[static_cast<std::size_t>(Component::Parameters)] = memory.peakBytes;
            memory.maxComponents = memory.peakComponents;
        }
        result.memory = result.ranks[1].memory;
        QVERIFY(saveRunResult(result, path("ranks.json").toStdString()));
        result.ranks.clear();
        QVERIFY(saveRunResult(result, path("alone.json").toStdString()));
        result.config["program"]["snapshot"] = "small.pickle";
        QVERIFY(saveRunResult(result, path("recorded.json").toStdString()));
    }

    // A recorded program's history lies beside its result.
    void aRecordedProgramsHistory()
    {
        const QString recorded = path("recorded.json");
        QCOMPARE(answer({"advise", recorded, "--json"})["peak_bytes"], Json(11 * kMiB));
        QCOMPARE(answer({"live", recorded, "--by", "line", "--json"}),
                 answer({"live", path("small.pickle"), "--by", "line", "--json"}));
        QCOMPARE(answer({"live", recorded, "--json"})["by"], Json("component"));
    }

    // Its first two events are a segment and the parameter's 1 MiB; the whole has a peak of 11 MiB.
    void aPartIsAnsweredFor()
    {
        const QString small = path("small.pickle");
        const Json whole = answer({"diff", small, small, "--json"});
        QCOMPARE(whole["requested_bytes"], Json({11 * kMiB, 11 * kMiB}));
        QCOMPARE(answer({"diff", small, small, "--events", "0:2", "--json"})["requested_bytes"], Json({kMiB, kMiB}));
        QCOMPARE(answer({"advise", small, "--json"})["peak_bytes"], Json(11 * kMiB));
        QCOMPARE(answer({"advise", small, "--time", "0:2", "--json"})["peak_bytes"], Json(kMiB));
        const Json allocator =
            answer({"whatif", small, "--allocator", "max_split_size_mb:64", "--range", "1:2", "--json"});
        QCOMPARE(allocator["recorded_peak_reserved_bytes"], Json(20 * kMiB));
    }

    // A result's components stand beside a snapshot's, not beside its lines.
    void aResultBesideASnapshot()
    {
        for (const QStringList& files : {QStringList{path("alone.json"), path("small.pickle")},
                                         QStringList{path("small.pickle"), path("alone.json")}})
            QCOMPARE(answer(QStringList{"diff"} + files + QStringList{"--json"}),
                     answer(QStringList{"diff"} + files + QStringList{"--by", "component", "--json"}));
    }

    void aPartIsConverted()
    {
        QCOMPARE(
            call({"convert", path("small.pickle"), "--to", "peakscope", "--out", path("part.json"), "--range", "0:2"}),
            0);
        const auto part = loadRunResult(path("part.json").toStdString());
        QVERIFY(part && part->memory);
        QCOMPARE(part->memory->peakBytes, kMiB);
        QCOMPARE(part->other["source"]["format"], Json("cuda-snapshot"));
        QVERIFY(std::any_of(part->notes.begin(), part->notes.end(), [](const std::string& note) {
            return note.starts_with("a range of the history: events 0 to 1");
        }));
    }

    void aRankIsAnsweredFor()
    {
        const Json fullest = answer({"live", path("ranks.json"), "--json"});
        QCOMPARE(fullest["rank"], Json(1));
        QCOMPARE(fullest["allocated_bytes"], Json(3 * kMiB));
        const Json other = answer({"live", path("ranks.json"), "--rank", "2", "--at", "end", "--json"});
        QCOMPARE(other["rank"], Json(2));
        QCOMPARE(other["allocated_bytes"], Json(2 * kMiB - kMiB / 2));
        QVERIFY(!answer({"live", path("alone.json"), "--json"}).contains("rank"));
        QCOMPARE(call({"live", path("ranks.json")}), 0);
        QVERIFY2(m_out.contains("on rank 1, the fullest of 3"), m_out);
    }

    // Of two devices the one that ran out of memory, though the other is fuller.
    void whichDeviceIsShown()
    {
        const auto traceOf = [](int mebibytes) {
            return Json::array({test::entry("segment_alloc", test::kBase, 40 * kMiB, 1),
                                test::entry("alloc", test::kBase, mebibytes * kMiB, 2)});
        };
        Json traces = Json::array({traceOf(8), traceOf(4)});
        traces[1].push_back(test::entry("oom", 0, 64 * kMiB, 3));
        traces[1].back()["device_free"] = kMiB;
        const QString two = path("two.pickle");
        QFile file(two);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(pickled({{"segments", Json::array()}, {"device_traces", traces}}));
        file.close();
        const QByteArray said =
            "of devices 0 and 1, device 1 is shown, which ran out of memory; --device N shows another\n";
        for (const QStringList& words :
             {QStringList{"advise", two}, QStringList{"live", two, "--at", "oom"},
              QStringList{"whatif", two, "--allocator", "max_split_size_mb:64"}, QStringList{"diff", two, two}}) {
            QCOMPARE(call(words), 0);
            QVERIFY2(m_out.contains(said), m_out);
            QCOMPARE(call(words.mid(0, words[0] == "live" ? 2 : -1) + QStringList{"--device", "0"}), 0);
            QVERIFY2(!m_out.contains("device 1"), m_out);
        }
        QCOMPARE(answer({"advise", two, "--json"})["device"], Json(1));
        QCOMPARE(answer({"live", two, "--json"})["requested_bytes"], Json(4 * kMiB));
        QCOMPARE(answer({"inspect", two, "--json"})["devices"][0]["device"], Json(1));
    }

    void whatIsRefused_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("says");
        const QString small = path("small.pickle"), ranks = path("ranks.json");
        QTest::newRow("a part of a result is no file")
            << QStringList{"convert", ranks, "--to", "csv", "--out", path("t"), "--range", "0:2"}
            << QByteArray("ranks.json is not a CUDA memory snapshot");
        QTest::newRow("nor advised on") << QStringList{"advise", ranks, "--time", "0:2"}
                                        << QByteArray("ranks.json is not a CUDA memory snapshot");
        QTest::newRow("words that are no range")
            << QStringList{"diff", small, small, "--range", "5"} << QByteArray("5 is not a range, such as 1000:2000");
        QTest::newRow("a rank that is not there")
            << QStringList{"live", ranks, "--rank", "3"} << QByteArray("has no rank 3; it has 0, 1 and 2");
        QTest::newRow("a rank of one device")
            << QStringList{"live", path("alone.json"), "--rank", "0"} << QByteArray("is a result without ranks");
        QTest::newRow("a rank of a snapshot") << QStringList{"live", small, "--rank", "0"}
                                              << QByteArray("is a CUDA memory snapshot, which is of one rank");
    }

    void whatIsRefused()
    {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, says);
        QCOMPARE(call(words), 2);
        QVERIFY2(m_error.contains(says), m_error);
        QCOMPARE(m_error.count('\n'), 1);
    }

private:
    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    int call(const QStringList& words)
    {
        QProcess process;
        process.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope-cli"), words);
        const bool over = process.waitForFinished(120000) && process.exitStatus() == QProcess::NormalExit;
        m_out = process.readAllStandardOutput();
        m_error = process.readAllStandardError();
        return over ? process.exitCode() : -1;
    }
    Json answer(const QStringList& words)
    {
        return call(words) == 0 ? Json::parse(m_out.toStdString(), nullptr, false) : Json(m_error.toStdString());
    }

    QTemporaryDir m_folder;
    QByteArray m_out, m_error;
};

PEAKSCOPE_GUILESS_TEST(TestSnapshotAnswers)
#include "test_snapshot_answers.moc"
