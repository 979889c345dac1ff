// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a program could do otherwise: small trainings whose peak is known in closed form with and without what each
// remedy takes out, the same programs without what it is for, and two recordings of a card.
#include "core/import/cuda_snapshot_file.h"
#include "core/snapshots/program_remedies.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QFile>
#include <QTest>

#include <algorithm>

using namespace peakscope;
using peakscope::test::entry;
using peakscope::test::frame;
using peakscope::test::kBase;
using peakscope::test::kMiB;
using Json = nlohmann::json;

namespace {

Json own(int line, const char* function = "<module>")
{
    return frame("/home/a/train.py", line, function);
}

Json call()
{
    return frame("/opt/site-packages/torch/nn/modules/module.py", 1790, "_call_impl");
}

Json torchFrame(const char* file, int line, const char* function)
{
    return frame((std::string("/opt/site-packages/") + file).c_str(), line, function);
}

// Events of a program, by the names of its tensors; sizes in MiB, each at an address of its own.
class Program
{
public:
    Program() { m_events.push_back(entry("segment_alloc", kBase, 1024 * kMiB, m_time++)); }

    Program& take(const std::string& name, int size, const Json& frames = Json::array())
    {
        m_held[name] = {m_place, size};
        m_place += 64;
        add("alloc", name, frames);
        return *this;
    }
    Program& drop(const std::string& name, const Json& frames = Json::array())
    {
        add("free_requested", name, frames);
        add("free_completed", name, frames);
        return *this;
    }
    Program& stepBegins() { return mark("START"); }
    Program& stepEnds() { return mark("END"); }

    std::vector<SnapshotRemedy> remedies() const
    {
        const auto recording = test::recordingOf({{"segments", Json::array()},
                                                  {"device_traces", Json::array({m_events})},
                                                  {"external_annotations", m_marks}});
        return programRemedies(*recording->snapshot, recording->replay);
    }

private:
    void add(const char* action, const std::string& name, const Json& frames)
    {
        const auto [place, size] = m_held.at(name);
        m_events.push_back(
            entry(action, kBase + static_cast<std::uint64_t>(place * kMiB), size * kMiB, m_time++, frames));
    }
    Program& mark(const char* stage)
    {
        m_marks.push_back({{"stage", stage}, {"name", "Optimizer.step#Adam.step"}, {"device", 0}, {"time_us", m_time}});
        ++m_time;
        return *this;
    }

    Json m_events = Json::array(), m_marks = Json::array();
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> m_held;
    std::int64_t m_place = 0;
    int m_time = 1;
};

const SnapshotRemedy* find(const std::vector<SnapshotRemedy>& remedies, const char* change)
{
    const auto found = std::find_if(remedies.begin(), remedies.end(),
                                    [change](const SnapshotRemedy& remedy) { return remedy.change == change; });
    return found == remedies.end() ? nullptr : &*found;
}

Json parameter()
{
    return Json::array({own(3)});
}

// A layer's product, called at a line of the model's own forward; `checkpointed`: through a checkpoint.
Json layer(int line, int callLine, bool checkpointed)
{
    Json frames = {torchFrame("torch/nn/modules/linear.py", 134, "forward"), call(),
                   frame("/home/a/net.py", line, "forward"), call()};
    if (checkpointed)
        frames.push_back(torchFrame("torch/utils/checkpoint.py", 496, "checkpoint"));
    frames.push_back(frame("/home/a/net.py", callLine, "forward"));
    frames.push_back(call());
    frames.push_back(own(9));
    return frames;
}

// Four layers of 3 and 2 MiB, let go of in the backward pass, which needs 1 MiB: at the peak 1 + 4 * 5 + 1.
Program layers(bool alike, bool checkpointed, int steps)
{
    Program program;
    program.take("parameter", 1, parameter());
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < 4; ++i) {
            program.take("a" + std::to_string(i), 3, layer(5, alike ? 20 : 20 + i, checkpointed));
            program.take("b" + std::to_string(i), 2, layer(6, alike ? 20 : 20 + i, checkpointed));
        }
        program.take("flows", 1);
        for (int i = 3; i >= 0; --i)
            program.drop("b" + std::to_string(i)).drop("a" + std::to_string(i));
        program.drop("flows").stepBegins().stepEnds();
    }
    return program;
}

} // namespace

class TestProgramRemedies : public QObject
{
    Q_OBJECT

private slots:
    void checkpointing()
    {
        for (const int steps : {1, 3}) {
            const auto remedies = layers(true, false, steps).remedies();
            const SnapshotRemedy* remedy = find(remedies, "checkpointing");
            QVERIFY(remedy);
            // Most is there at the end of the forward pass: what each hands on, and the last layer's other block.
            QCOMPARE(*remedy->allocatedBytes, (1 + 4 * 2 + 3) * kMiB);
            QCOMPARE(*remedy->savesBytes, (22 - 12) * kMiB);
            QCOMPARE(remedy->line, std::string("net.py:5 forward"));
            QVERIFY2(remedy->how.find("4 calls of modules at net.py:20 forward keep 20.0 MiB") != std::string::npos,
                     remedy->how.c_str());
            QVERIFY(remedy->tier == Tier::Exact);
        }
    }

    // A layer with two norms on one line, whose stacks are the same, in a Sequential: four calls of a layer, not eight.
    // At the peak 1 + 4 * 7 + 1; with checkpoints each hands on its last 2, and the last layer's other blocks are
    // there.
    void aLayerWithTwoOfAKindOnALine()
    {
        const auto inLayer = [](const char* kind) {
            return Json::array({torchFrame(kind, 134, "forward"), call(), frame("/home/a/net.py", 5, "forward"), call(),
                                torchFrame("torch/nn/modules/container.py", 250, "forward"), call(),
                                frame("/home/a/net.py", 20, "forward"), call(), own(9)});
        };
        const Json norm = inLayer("torch/nn/modules/normalization.py"), product = inLayer("torch/nn/modules/linear.py"),
                   gate = inLayer("torch/nn/modules/activation.py");
        Program program;
        program.take("parameter", 1, parameter());
        for (int i = 0; i < 4; ++i) {
            const std::string number = std::to_string(i);
            program.take("norm" + number, 1, norm).take("product" + number, 3, product);
            program.take("other" + number, 1, norm).take("gate" + number, 2, gate);
        }
        program.take("flows", 1);
        for (int i = 3; i >= 0; --i) {
            for (const char* name : {"gate", "other", "product", "norm"})
                program.drop(name + std::to_string(i));
        }
        const auto remedies = program.drop("flows").stepBegins().stepEnds().remedies();
        const SnapshotRemedy* remedy = find(remedies, "checkpointing");
        QVERIFY(remedy);
        QVERIFY2(remedy->how.find("4 calls of modules at net.py:20 forward keep 28.0 MiB") != std::string::npos,
                 remedy->how.c_str());
        QCOMPARE(*remedy->allocatedBytes, (1 + 4 * 2 + 5) * kMiB);
    }

    // The same program as PyTorch ran it without and with checkpoints: what is computed is what was measured.
    void checkpointingAsItRan()
    {
        const auto of = [](const char* file) {
            return openCudaSnapshot(std::string(PEAKSCOPE_SHARED_DIR "/snapshots/") + file + ".pickle.gz");
        };
        if (!QFile::exists(QStringLiteral(PEAKSCOPE_SHARED_DIR "/snapshots/normal_all.pickle.gz")))
            QSKIP("the kept snapshots are not here");
        const auto checkpointed = of("checkpointed");
        const std::int64_t ran = replaySnapshot(*checkpointed, 0)->peak(SnapshotMeasure::Allocated).bytes;
        QVERIFY(programRemedies(*checkpointed, *replaySnapshot(*checkpointed, 0)).size() <= 2);
        for (const char* file : {"normal_python", "normal_all"}) {
            const auto snapshot = of(file);
            const auto remedies = programRemedies(*snapshot, *replaySnapshot(*snapshot, 0));
            const SnapshotRemedy* remedy = find(remedies, "checkpointing");
            QVERIFY(remedy);
            QVERIFY2(std::abs(*remedy->allocatedBytes - ran) < ran / 200,
                     qPrintable(QStringLiteral("%1, and it was %2").arg(*remedy->allocatedBytes).arg(ran)));
        }
    }

    // A layer that keeps none of its output: it hands on 2 MiB that its backward pass does not find, and a checkpoint
    // holds. Without, 1 + 4 * 6 + 2 + 1 at the peak; with, the last layer's 6 and four of 2.
    void whatIsHandedOnStays()
    {
        Program program;
        program.take("parameter", 1, parameter());
        for (int i = 0; i < 4; ++i) {
            program.take("kept" + std::to_string(i), 6, layer(5, 20, false));
            if (i > 0)
                program.drop("out" + std::to_string(i - 1));
            program.take("out" + std::to_string(i), 2, layer(6, 20, false));
        }
        program.take("flows", 1).drop("out3");
        for (int i = 3; i >= 0; --i)
            program.drop("kept" + std::to_string(i));
        const auto remedies = program.drop("flows").stepBegins().stepEnds().remedies();
        const SnapshotRemedy* remedy = find(remedies, "checkpointing");
        QVERIFY(remedy);
        QCOMPARE(*remedy->allocatedBytes, (1 + 6 + 4 * 2) * kMiB);
        QCOMPARE(*remedy->savesBytes + *remedy->allocatedBytes, (1 + 4 * 6 + 2 + 1) * kMiB);
    }

    // The second forward pass is the end of the history, as where memory runs out: 1 + 4 * 5 + 6 at the peak. Through
    // checkpoints its layers hold what each hands on, and no backward pass asks for the rest again.
    void aPassWithoutItsBackward()
    {
        Program program = layers(true, false, 1);
        for (int i = 0; i < 4; ++i) {
            program.take("c" + std::to_string(i), 3, layer(5, 20, false));
            program.take("d" + std::to_string(i), 2, layer(6, 20, false));
        }
        const auto remedies = program.take("head", 6, layer(7, 21, false)).remedies();
        const SnapshotRemedy* remedy = find(remedies, "checkpointing");
        QVERIFY(remedy);
        QCOMPARE(*remedy->allocatedBytes, (1 + 4 * 2 + 6) * kMiB);
        QCOMPARE(*remedy->savesBytes, 4 * 3 * kMiB);
    }

    // Layers that differ, which no loop calls, and layers that a checkpoint calls already.
    void nothingToCheckpoint()
    {
        QVERIFY(layers(false, false, 2).remedies().empty());
        QVERIFY(layers(true, true, 2).remedies().empty());
    }

    // Logits in 16 bits, their copy in 32, its logarithms and its gradient: 4 + 3 * 8, and an eighth of it in pieces.
    void lossInPieces()
    {
        const auto program = [](int size) {
            const Json loss = {torchFrame("torch/nn/functional.py", 3504, "cross_entropy"), own(12)};
            Program made;
            made.take("parameter", 1, parameter()).take("hidden", 30, layer(5, 20, false));
            made.take("logits", size / 2, layer(6, 21, false)).take("copy", size, Json::array({own(11)}));
            made.take("logarithms", size, loss).take("gradient", size);
            for (const char* name : {"gradient", "logarithms", "copy", "logits", "hidden"})
                made.drop(name);
            return made.stepBegins().stepEnds().remedies();
        };
        const auto remedies = program(8);
        const SnapshotRemedy* remedy = find(remedies, "a loss in pieces");
        QVERIFY(remedy);
        QCOMPARE(*remedy->savesBytes, (4 + 3 * 8) * kMiB * 7 / 8);
        QCOMPARE(*remedy->allocatedBytes, (1 + 30) * kMiB + 28 * kMiB / 8);
        QCOMPARE(remedy->line, std::string("train.py:12 <module>"));
        QCOMPARE(find(program(0), "a loss in pieces"), nullptr);
    }

    // The second forward pass (6 MiB) beside the gradients of the first step (4): 4 + 6 + 4, and 4 + 6 without them.
    void gradientsThroughForward()
    {
        const Json zero = {torchFrame("torch/optim/optimizer.py", 900, "zero_grad"), own(15)};
        const auto program = [&](bool early) {
            Program made;
            made.take("parameter", 4, parameter());
            for (int step = 0; step < 3; ++step) {
                if (step > 0 && early)
                    made.drop("gradient", zero);
                made.take("activation", 6, layer(5, 20, false));
                if (step > 0 && !early)
                    made.drop("gradient", zero);
                made.drop("activation").take("gradient", 4).stepBegins().stepEnds();
            }
            return made.remedies();
        };
        const auto remedies = program(false);
        const SnapshotRemedy* remedy = find(remedies, "zero_grad before the forward pass");
        QVERIFY(remedy);
        QCOMPARE(*remedy->savesBytes, 4 * kMiB);
        QCOMPARE(*remedy->allocatedBytes, 10 * kMiB);
        QCOMPARE(remedy->line, std::string("train.py:15 <module>"));
        QVERIFY(program(true).empty());
    }

    // Three temporaries of 2 MiB at once: one stays. States of 4 + 4 MiB of a parameter of 4.
    void theStepItself()
    {
        const auto program = [](const char* function, int states) {
            const auto adam = [](const char* name) {
                return Json::array({torchFrame("torch/optim/adam.py", 614, name),
                                    torchFrame("torch/optim/adam.py", 239, "step"), own(14)});
            };
            Program made;
            made.take("parameter", 4, parameter()).take("activation", 1, layer(5, 20, false)).drop("activation");
            made.stepBegins();
            for (int i = 0; i < states; ++i)
                made.take("state" + std::to_string(i), 4, adam("_init_group"));
            for (const char* name : {"x", "y", "z"})
                made.take(name, 2, adam(function));
            for (const char* name : {"x", "y", "z"})
                made.drop(name, adam(function));
            return made.stepEnds().take("later", 1, layer(5, 20, false)).remedies();
        };
        auto remedies = program("_multi_tensor_adam", 2);
        const SnapshotRemedy* remedy = find(remedies, "foreach=False");
        QVERIFY(remedy);
        QCOMPARE(*remedy->savesBytes, 4 * kMiB);
        QCOMPARE(*remedy->allocatedBytes, (4 + 8 + 2) * kMiB);
        remedy = find(remedies, "fewer optimiser states");
        QVERIFY(remedy);
        QCOMPARE(*remedy->savesBytes, 8 * kMiB);
        QVERIFY2(remedy->how.find("2.0 times the parameters") != std::string::npos, remedy->how.c_str());
        QVERIFY2(remedy->how.find("(6.00 MiB less at the peak)") != std::string::npos, remedy->how.c_str());
        QVERIFY(remedy->tier == Tier::Method);
        remedies = program("_single_tensor_adam", 1);
        QVERIFY(remedies.empty());
    }

    void keptCache()
    {
        const auto program = [](const char* file) {
            Program made;
            made.take("parameter", 4, parameter()).take("activation", 3, layer(5, 20, false));
            made.take("keys", 2, Json::array({torchFrame(file, 146, "update"), call(), own(9)}));
            return made.take("flows", 1)
                .drop("keys")
                .drop("activation")
                .drop("flows")
                .stepBegins()
                .stepEnds()
                .remedies();
        };
        const auto remedies = program("transformers/cache_utils.py");
        const SnapshotRemedy* remedy = find(remedies, "use_cache=False");
        QVERIFY(remedy);
        QCOMPARE(*remedy->savesBytes, 2 * kMiB);
        QCOMPARE(find(program("transformers/masking_utils.py"), "use_cache=False"), nullptr);
    }

    // A device that the program only reserved memory of.
    void nothingWasAllocated()
    {
        const Json events = {entry("segment_alloc", kBase, 20 * kMiB, 1), entry("segment_free", kBase, 20 * kMiB, 2)};
        const auto recording =
            test::recordingOf({{"segments", Json::array()}, {"device_traces", Json::array({events})}});
        QVERIFY(recording->replay.hasPeak());
        QVERIFY(programRemedies(*recording->snapshot, recording->replay).empty());
    }

    // On an H100; what is taken out is known from the models: 12 layers of GPT-2 at 8 x 1024, logits of 50257.
    void onACard_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<qint64>("saves"); // 0: much, -1: it is not offered
        QTest::addColumn<QByteArray>("words");
        const qint64 logits = 8LL * 1024 * 50257 * 4, states = 2 * 124439808LL * 4;
        const qint64 cache = 12 * 2 * 8LL * 1024 * 768 * 4;
        QTest::newRow("layers of GPT-2") << "gpt2-adamw" << QByteArray("checkpointing") << qint64(0)
                                         << QByteArray("12 calls of modules at modeling_gpt2.py:608 forward");
        QTest::newRow("its logits") << "gpt2-adamw" << QByteArray("a loss in pieces") << 4 * logits * 7 / 8
                                    << QByteArray("training_loops.py:74 train: ");
        QTest::newRow("its states") << "gpt2-adamw" << QByteArray("fewer optimiser states") << states
                                    << QByteArray("2.0 times the parameters");
        QTest::newRow("its cache") << "gpt2-adamw" << QByteArray("use_cache=False") << cache
                                   << QByteArray("in 24 blocks");
        QTest::newRow("its step is no peak")
            << "gpt2-adamw" << QByteArray("foreach=False") << qint64(-1) << QByteArray();
        QTest::newRow("its gradients are let go of")
            << "gpt2-adamw" << QByteArray("zero_grad before the forward pass") << qint64(-1) << QByteArray();
        QTest::newRow("layers of Llama") << "llama-1b-full-card" << QByteArray("checkpointing") << qint64(0)
                                         << QByteArray("calls of modules at modeling_llama.py:403 forward");
        QTest::newRow("no step came") << "llama-1b-full-card" << QByteArray("fewer optimiser states") << qint64(-1)
                                      << QByteArray();
    }

    void onACard()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, change);
        QFETCH(qint64, saves);
        QFETCH(QByteArray, words);
        const auto snapshot = openCudaSnapshot(
            QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/h100/%1.pickle.gz").arg(file).toStdString());
        QVERIFY(snapshot);
        const auto replay = replaySnapshot(*snapshot, 0);
        const auto remedies = programRemedies(*snapshot, *replay);
        const SnapshotRemedy* remedy = find(remedies, change.constData());
        QCOMPARE(remedy != nullptr, saves >= 0);
        if (!remedy)
            return;
        QVERIFY2(remedy->how.find(words.toStdString()) != std::string::npos, remedy->how.c_str());
        QCOMPARE(*remedy->savesBytes + *remedy->allocatedBytes, replay->peak(SnapshotMeasure::Allocated).bytes);
        // Blocks are rounded up, and small tensors with them; another moment may be the peak then.
        QVERIFY2(*remedy->savesBytes > saves * 9 / 10, remedy->how.c_str());
        QVERIFY2(saves == 0 || *remedy->savesBytes < saves * 101 / 100, remedy->how.c_str());
        QVERIFY2(saves > 0 || *remedy->savesBytes > *remedy->allocatedBytes / 4, remedy->how.c_str());
    }
};

PEAKSCOPE_APPLESS_TEST(TestProgramRemedies)
#include "test_program_remedies.moc"
