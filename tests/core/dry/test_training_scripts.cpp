// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that recommend writes run to their end on the stand-in of a card, with the transformers of a real Python
// ($PEAKSCOPE_DRY_PYTHON), and hold what their kind of training must hold.
#include "core/base/file.h"
#include "core/dry/dry_runs.h"
#include "core/planning/scripts/training_script.h"
#include "core/recording/recording_folder.h"
#include "tests/core/dry/dry_test_support.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <string>
#include <vector>

using namespace peakscope;

class TestTrainingScripts : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (python().isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
        if (!has({"transformers", "accelerate", "peft"}))
            QSKIP("the Python of PEAKSCOPE_DRY_PYTHON has no transformers, accelerate or peft");
        QVERIFY(m_folder.isValid());
    }

    // All at once: most of the time goes into their imports.
    void programsRunToTheirEnd()
    {
        // Weights, gradients and two moments, half of them on each of two; with adapters the weights alone. Two parts
        // of three are tables, which are gathered.
        runToTheirEnd({{R"({"optimizer": "adam"})", 16, 21},
                       {R"({"checkpointing": true,
            "lora": {"rank": 4, "targets": ["attention.query_key_value"]}})",
                        4, 6},
                       {R"({"optimizer": "adam", "sharding": "zero3"})", 8, 16, 2},
                       {R"({"optimizer": "adam", "sharding": "zero1"})", 12, 19, 2}});
    }

    void trlRunsToItsEnd()
    {
        if (!has({"trl", "datasets", "triton"}))
            QSKIP("the Python of PEAKSCOPE_DRY_PYTHON has no trl, datasets or triton");
        runToTheirEnd({{R"({"optimizer": "adam", "loss_head": "chunked"})", 16, 21, 0, ScriptLoop::Sft},
                       {R"({"checkpointing": true, "loss_head": "chunked",
            "lora": {"rank": 4, "targets": ["attention.query_key_value"]}})",
                        4, 6, 0, ScriptLoop::Sft}});
    }

private:
    struct Kind {
        const char* training;
        double least, most; // bytes of each weight
        int ranks = 0;
        ScriptLoop loop = ScriptLoop::Trainer;
    };

    static bool has(const QStringList& packages)
    {
        return ran(QString::fromLocal8Bit(python()),
                   QStringList{
                       QStringLiteral("-c"),
                       QStringLiteral("import importlib.metadata as m, sys; [m.version(n) for n in sys.argv[1:]]")} +
                       packages,
                   QProcessEnvironment::systemEnvironment())
                   .status == 0;
    }

    void runToTheirEnd(const std::vector<Kind>& kinds)
    {
        std::vector<RecordingFolder> recordings(kinds.size());
        std::vector<DryProgram> programs;
        double weights = 0;
        DryRuns runs;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const auto experiment = experimentFromJson({{"kind", "memory"},
                                                        {"model", {{"id", "pythia-70m"}}},
                                                        {"weights", "random"},
                                                        {"data", {{"batch", 2}, {"seq", 32}}},
                                                        {"ranks", kinds[i].ranks},
                                                        {"training", nlohmann::json::parse(kinds[i].training)}});
            QVERIFY2(experiment, experiment ? "" : experiment.error().text().c_str());
            weights = static_cast<double>(parameterCount(experiment->model.config));
            const std::string stem = fmt::format("{}/{}{}", m_folder.path().toStdString(), name(kinds[i].loop), i);
            const auto script =
                trainingScript(*experiment, {"a test", "a card", stem + "-out", stem, 0, false, kinds[i].loop});
            QVERIFY2(script, script ? "" : script.error().text().c_str());
            QVERIFY(writeFileAtomically(stem + ".py", script->text));
            programs.push_back({card("dry:rtx-4090"), {python().toStdString(), stem + ".py"}, 2});
            if (kinds[i].ranks > 0)
                programs.back().place = DryRank{.world = kinds[i].ranks};
            QVERIFY(runs.start(i, programs[i], recordings[i].path()));
        }
        while (runs.running() > 0) {
            const auto ended = runs.wait();
            QVERIFY(ended);
            const std::size_t i = ended->number;
            const auto recorded = recordedProgram(programs[i], ended->end, recordings[i].path());
            const auto said = readTextFile(recordings[i].path() / "stderr");
            QVERIFY2(recorded && recorded->result.status == RunStatus::Complete, said ? said->c_str() : "");
            QCOMPARE(recorded->result.config["program"]["steps"].get<int>(), 2);
            const double each = static_cast<double>(recorded->result.memory->peakBytes) / weights;
            QVERIFY2(each > kinds[i].least && each < kinds[i].most, std::to_string(each).c_str());
        }
    }

    QTemporaryDir m_folder;
};

PEAKSCOPE_TEST(TestTrainingScripts)
#include "test_training_scripts.moc"
