// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is asked of a CUDA memory snapshot: components and phases that are inferred, places on its axes, who holds what,
// stacks as a tree, segments. A small training whose bytes are known, and real ones against answers made apart from
// this program, or against the curves.
#include "core/import/cuda_snapshot_file.h"
#include "core/snapshots/chosen_blocks.h"
#include "core/snapshots/holder_shapes.h"
#include "core/snapshots/segment_map.h"
#include "core/snapshots/snapshot_axis.h"
#include "core/snapshots/snapshot_diff.h"
#include "core/snapshots/snapshot_instant.h"
#include "core/snapshots/snapshot_tables.h"
#include "tests/core/snapshots/small_snapshot.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>

using namespace peakscope;
using peakscope::test::kMiB;
using peakscope::test::SmallTraining;

namespace {

std::shared_ptr<const SnapshotRecording> recordingIn(const QString& path)
{
    auto snapshot = openCudaSnapshot(path.toStdString());
    if (!snapshot)
        return nullptr;
    auto shared = std::make_shared<const CudaSnapshot>(std::move(*snapshot));
    auto replay = replaySnapshot(*shared, shared->devices().front());
    return std::make_shared<const SnapshotRecording>(SnapshotRecording{std::move(shared), std::move(replay).value()});
}

// One of those that lie beside the project; nullptr: they don't.
std::shared_ptr<const SnapshotRecording> realOne(const QString& name)
{
    const QString path = QStringLiteral(PEAKSCOPE_SHARED_DIR "/snapshots/") + name;
    return QFile::exists(path) ? recordingIn(path) : nullptr;
}

QMap<QString, qint64> bytesBy(const SnapshotRecording& recording, std::int64_t event, HolderKey key)
{
    QMap<QString, qint64> bytes;
    for (const SnapshotHolder& holder : snapshotHolders(*recording.snapshot, recording.replay, event, key))
        bytes[QString::fromStdString(holder.what)] = holder.requestedBytes;
    return bytes;
}

// After the event of that action and size, the n-th of its kind.
std::int64_t eventOf(const SnapshotRecording& recording, SnapshotAction action, std::int64_t mebibytes, int nth = 1)
{
    const auto& events = recording.snapshot->histories.front().events;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events[i].action == action && events[i].bytes == mebibytes * kMiB && --nth == 0)
            return static_cast<std::int64_t>(i);
    }
    return -2;
}

} // namespace

class TestSnapshotViews : public QObject
{
    Q_OBJECT

private slots:
    void componentsOfASmallTraining()
    {
        const auto recording = SmallTraining().recording();
        const std::int64_t gradient = eventOf(*recording, SnapshotAction::FreeCompleted, 3);
        QCOMPARE(bytesBy(*recording, gradient, HolderKey::Component),
                 (QMap<QString, qint64>{{"parameters", kMiB}, {"inputs", 2 * kMiB}, {"gradients", kMiB}}));
        const std::int64_t backward = eventOf(*recording, SnapshotAction::Alloc, 3, 2); // of the second step
        QCOMPARE(bytesBy(*recording, backward, HolderKey::Component),
                 (QMap<QString, qint64>{{"parameters", kMiB},
                                        {"optimizer_states", kMiB},
                                        {"inputs", 2 * kMiB},
                                        {"activations", 4 * kMiB},
                                        {"activation_gradients", 3 * kMiB}}));
        std::vector<Component> workspace;
        for (const HeldBlock& block : recording->replay.blocks) {
            if (block.component == Component::Workspace)
                workspace.push_back(block.component);
        }
        QCOMPARE(workspace.size(), std::size_t{2});
        // Load, then three phases in each of two steps.
        const auto& phases = recording->replay.phases;
        QCOMPARE(phases.size(), std::size_t{7});
        QCOMPARE(phases[0].phase, Phase::Load);
        for (std::size_t i = 1; i < phases.size(); ++i) {
            constexpr std::array kPhases{Phase::Forward, Phase::Backward, Phase::OptimizerStep};
            QCOMPARE(phases[i].phase, kPhases[(i - 1) % 3]);
            QCOMPARE(phases[i].step, static_cast<std::int64_t>(1 + (i - 1) / 3));
        }
    }

    void componentsOfAProgramThatLetGo()
    {
        const auto held = SmallTraining().recording(), let = SmallTraining().letGo().recording();
        QCOMPARE(let->replay.blocks.size(), held->replay.blocks.size());
        for (std::size_t i = 0; i < held->replay.blocks.size(); ++i)
            QCOMPARE(let->replay.blocks[i].component, held->replay.blocks[i].component);
        const auto with = SmallTraining().withWorkspace().recording();
        QCOMPARE(with->replay.blocks.back().component, Component::Workspace);
    }

    // Programs that are started, written or recorded otherwise have the same components.
    void otherProgramsAlike_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* what : {"a console script", "Windows", "a closure", "no marks and a fused optimizer"})
            QTest::newRow(what) << what;
    }

    void otherProgramsAlike()
    {
        QFETCH(QString, what);
        const auto plain = SmallTraining(3).recording();
        nlohmann::json other = SmallTraining(3).json();
        for (nlohmann::json& event : other["device_traces"][0]) {
            nlohmann::json& frames = event["frames"];
            if (what == "a closure" && !frames.empty() && frames[0]["name"] == "_call_impl")
                frames.insert(frames.begin() + 2,
                              {test::frame("/opt/site-packages/lightning/automatic.py", 130, "closure"),
                               test::frame("/opt/site-packages/torch/optim/adam.py", 220, "step")});
            for (nlohmann::json& frame : frames) {
                std::string file = frame["filename"];
                if (what == "a console script" && file == "/home/a/train.py")
                    file = "/usr/local/bin/tune";
                if (what == "Windows")
                    std::replace(file.begin(), file.end(), '/', '\\');
                frame["filename"] = file;
            }
        }
        if (what == "no marks and a fused optimizer")
            other.erase("external_annotations");
        const auto recording = test::recordingOf(other);
        for (const std::int64_t event :
             {eventOf(*plain, SnapshotAction::Alloc, 3, 2), eventOf(*plain, SnapshotAction::FreeCompleted, 3, 3)})
            QCOMPARE(bytesBy(*recording, event, HolderKey::Component), bytesBy(*plain, event, HolderKey::Component));
    }

    // A failed request after which the program went on is not its end.
    void endsThatAreLivedThrough()
    {
        nlohmann::json tried = SmallTraining(3).json();
        nlohmann::json oom = test::entry("oom", 0, 64 * kMiB, 8, nlohmann::json::array());
        oom.erase("addr");
        nlohmann::json& events = tried["device_traces"][0];
        events.insert(events.begin() + 8, oom);
        const auto lived = test::recordingOf(tried);
        QCOMPARE(lived->replay.outOfMemory.size(), std::size_t{1});
        QVERIFY(!lived->replay.lastEnd());
        QCOMPARE(firstSight(lived->replay), lived->replay.peak(SnapshotMeasure::Requested).event);
        events.push_back(oom);
        const auto died = test::recordingOf(tried);
        QVERIFY(died->replay.lastEnd());
        QCOMPARE(firstSight(died->replay), died->replay.events - 1);
        // Two are compared at the same kind of instant, whichever of them ended for lack of memory.
        QCOMPARE(comparedAt(lived->replay, died->replay), std::string("peak"));
        SnapshotReplay state = lived->replay;
        state.kind = HistoryKind::State;
        QCOMPARE(comparedAt(state, died->replay), std::string("end"));
    }

    // A history whose beginning was lost begins after the steps that it does not hold.
    void aCutHistoryBeginsLate()
    {
        nlohmann::json cut = SmallTraining(3).json();
        nlohmann::json& events = cut["device_traces"][0];
        const int begin = cut["external_annotations"][1]["time_us"]; // the first step's end
        while (events[0]["time_us"].get<int>() <= begin)
            events.erase(events.begin());
        cut["segments"] =
            nlohmann::json::array({{{"device", 0},
                                    {"address", test::kBase},
                                    {"total_size", 20 * kMiB},
                                    {"stream", 0},
                                    {"blocks", nlohmann::json::array({{{"address", test::kBase},
                                                                       {"size", 2 * kMiB},
                                                                       {"requested_size", 2 * kMiB},
                                                                       {"state", "active_allocated"}},
                                                                      {{"address", test::kBase + 2 * kMiB},
                                                                       {"size", 18 * kMiB},
                                                                       {"requested_size", 0},
                                                                       {"state", "inactive"}}})}}});
        const auto recording = test::recordingOf(cut);
        QCOMPARE(recording->replay.kind, HistoryKind::Cut);
        QCOMPARE(recording->replay.recordedSteps(), 2);
        QCOMPARE(timelineAlong(*recording, SnapshotAxis::Steps).startSeconds(), 1.0);
        QCOMPARE(reservedAlong(*recording, SnapshotAxis::Steps).places.front(), 1.0);
    }

    // Without stacks nothing is claimed.
    void componentsWithoutStacks()
    {
        nlohmann::json bare = SmallTraining().json();
        for (nlohmann::json& event : bare["device_traces"][0])
            event.erase("frames");
        const QByteArray bytes = pickled(bare);
        const auto snapshot = readSnapshotPickle({bytes.data(), std::size_t(bytes.size())}, "s");
        const auto replay = replaySnapshot(*snapshot, 0);
        QVERIFY(std::all_of(replay->blocks.begin(), replay->blocks.end(),
                            [](const HeldBlock& block) { return block.component == Component::Other; }));
        QVERIFY(replay->phases.empty());
    }

    // A block says itself what it is for where the program set PyTorch's metadata to the word.
    void componentsThatAreSaid()
    {
        nlohmann::json said = SmallTraining().json();
        said["device_traces"][0][2]["user_metadata"] = "parameters"; // the inputs
        const QByteArray bytes = pickled(said);
        const auto snapshot = readSnapshotPickle({bytes.data(), std::size_t(bytes.size())}, "s");
        const auto replay = replaySnapshot(*snapshot, 0);
        QCOMPARE(replay->blocks[1].requestedBytes, 2 * kMiB);
        QCOMPARE(replay->blocks[1].component, Component::Parameters);
    }

    // On an NVIDIA H100 (tests/programs): the parameters of GPT-2, 124,439,808 of four bytes with buffers and rounding;
    // of the other, 1,235,814,400 of two, of a run whose exception let go of everything before the snapshot.
    void componentsOnACard_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("component");
        QTest::addColumn<qint64>("least");
        QTest::addColumn<qint64>("most");
        const qint64 gpt2 = 124439808LL * 4, llama = 1235814400LL * 2;
        QTest::newRow("parameters") << "gpt2-adamw"
                                    << "parameters" << gpt2 << gpt2 + gpt2 / 200;
        QTest::newRow("states") << "gpt2-adamw"
                                << "optimizer_states" << 2 * gpt2 << 2 * gpt2 + gpt2 / 100;
        QTest::newRow("out of memory") << "llama-1b-full-card"
                                       << "parameters" << llama << llama + llama / 200;
    }

    void componentsOnACard()
    {
        QFETCH(QString, file);
        QFETCH(QString, component);
        QFETCH(qint64, least);
        QFETCH(qint64, most);
        const auto recording =
            recordingIn(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/h100/%1.pickle.gz").arg(file));
        QVERIFY(recording);
        const std::int64_t peak = recording->replay.peak(SnapshotMeasure::Allocated).event;
        const qint64 bytes = bytesBy(*recording, peak, HolderKey::Component).value(component);
        QVERIFY2(bytes >= least && bytes <= most, qPrintable(QString::number(bytes)));
    }

    void componentsOfRealOnes_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("component");
        QTest::addColumn<qint64>("bytes");
        const auto row = [](const char* file, const char* component, qint64 bytes) {
            QTest::addRow("%s %s", file, component) << QString::fromLatin1(file) << component << bytes;
        };
        for (const char* file : {"normal_python.pickle.gz", "normal_all.pickle.gz", "expandable.pickle.gz"}) {
            row(file, "parameters", 14839808);
            row(file, "optimizer_states", 29679616);
            row(file, "gradients", 0);
            row(file, "activations", 89506796 - 14839808 - 29679616 - 4096);
        }
        row("checkpointed.pickle.gz", "parameters", 14839808);
        row("checkpointed.pickle.gz", "optimizer_states", 29679616);
        row("checkpointed.pickle.gz", "gradients", 14839808);
        // Parameters and states of a program that ran before can't be told apart.
        row("late.pickle.gz", "parameters", 0);
        row("late.pickle.gz", "other", 44519424);
    }

    void componentsOfRealOnes()
    {
        QFETCH(QString, file);
        QFETCH(QString, component);
        QFETCH(qint64, bytes);
        const auto recording = realOne(file);
        if (!recording)
            QSKIP("no snapshots beside the project");
        const std::int64_t peak = recording->replay.peak(SnapshotMeasure::Requested).event;
        QCOMPARE(bytesBy(*recording, peak, HolderKey::Component).value(component), bytes);
    }

    void placesOnAxes()
    {
        const auto recording = SmallTraining(3).recording();
        const std::int64_t events = recording->replay.events;
        for (const SnapshotAxis axis : {SnapshotAxis::Events, SnapshotAxis::Time, SnapshotAxis::Steps}) {
            const SnapshotPlaces places(*recording, axis);
            for (std::int64_t i = 0; i < events; ++i)
                QCOMPARE(places.eventAt(places.of(i)), i);
            QCOMPARE(places.eventAt(places.of(0) - 0.1), -1);
            QCOMPARE(places.eventAt(places.of(events - 1) + 5), events - 1);
            // The timeline is the curve of allocated bytes.
            const SnapshotTimeline timeline = snapshotTimeline(*recording, axis);
            const auto curve = snapshotCurve(*recording->snapshot, recording->replay, SnapshotMeasure::Allocated);
            std::int64_t sum = std::accumulate(timeline.before.begin(), timeline.before.end(), std::int64_t{0});
            for (std::size_t i = 0; i < timeline.data.size(); ++i) {
                sum += timeline.data.deltaBytes[i];
                const std::int64_t event = places.eventAt(timeline.data.timeSeconds[i]);
                QCOMPARE(sum, curve[static_cast<std::size_t>(event) + 1]);
            }
        }
        const SnapshotPlaces steps(*recording, SnapshotAxis::Steps);
        for (std::size_t i = 0; i < recording->replay.stepEnds.size(); ++i)
            QCOMPARE(steps.of(recording->replay.stepEnds[i]), static_cast<double>(i + 1));
        QCOMPARE(SnapshotPlaces(*recording, SnapshotAxis::Time).of(1), 1e-6);
    }

    void gatheredBlocks()
    {
        const auto recording = SmallTraining(3).recording();
        const std::int64_t event = eventOf(*recording, SnapshotAction::Alloc, 3, 3); // backward of the third step
        const std::int64_t all = 11 * kMiB;
        for (std::size_t key = 0; key < kEnumWords<HolderKey>.size(); ++key) {
            const auto bytes = bytesBy(*recording, event, static_cast<HolderKey>(key));
            QCOMPARE(std::accumulate(bytes.begin(), bytes.end(), qint64{0}), all);
        }
        QCOMPARE(bytesBy(*recording, event, HolderKey::Line), (QMap<QString, qint64>{{"train.py:50 <module>", kMiB},
                                                                                     {"train.py:53 <module>", 2 * kMiB},
                                                                                     {"net.py:7 forward", 4 * kMiB},
                                                                                     {"train.py:57 <module>", kMiB},
                                                                                     {"(no stack)", 3 * kMiB}}));
        QCOMPARE(bytesBy(*recording, event, HolderKey::Size),
                 (QMap<QString, qint64>{
                     {"1.00 MiB", 2 * kMiB}, {"2.00 MiB", 2 * kMiB}, {"3.00 MiB", 3 * kMiB}, {"4.00 MiB", 4 * kMiB}}));
        QCOMPARE(bytesBy(*recording, event, HolderKey::Age),
                 (QMap<QString, qint64>{{"of this step", 9 * kMiB}, {"2 steps", 2 * kMiB}}));
        const Table blocks = snapshotBlocksTable(*recording->snapshot, recording->replay, event);
        QCOMPARE(blocks.rows.size(), std::size_t{5});
        QCOMPARE(std::get<std::int64_t>(blocks.rows[0][2]), 4 * kMiB);
        QCOMPARE(std::get<std::string>(blocks.rows[0][11]),
                 std::string("module.py:1798 _call_impl; net.py:7 forward; train.py:54 <module>"));
        QCOMPARE(snapshotBlocksTable(*recording->snapshot, recording->replay, event, 2).rows.size(), std::size_t{2});
    }

    void shapesSumToWhatIsAlive()
    {
        const auto recording = SmallTraining(3).recording();
        const auto curve = snapshotCurve(*recording->snapshot, recording->replay, SnapshotMeasure::Requested);
        for (std::int64_t event = -1; event < recording->replay.events; ++event) {
            const std::int64_t alive = curve[static_cast<std::size_t>(event + 1)];
            std::int64_t sum = 0, lines = 0;
            for (const ComponentShare& share : componentShares(*recording->snapshot, recording->replay, event)) {
                sum += share.requestedBytes;
                for (const LineShare& line : share.lines)
                    lines += line.requestedBytes;
            }
            QCOMPARE(sum, alive);
            QCOMPARE(lines, alive);
            const FrameNode root = frameTree(*recording->snapshot, recording->replay, event);
            QCOMPARE(root.requestedBytes, alive);
            for (const FrameNode& frame : root.callees)
                sum -= frame.requestedBytes;
            QCOMPARE(sum, 0);
        }
        const FrameNode root =
            frameTree(*recording->snapshot, recording->replay, eventOf(*recording, SnapshotAction::Alloc, 4, 2));
        QCOMPARE(root.callees.front().what, std::string("train.py:54 <module>"));
        QVERIFY(root.callees.front().own);
        const FrameNode& forward = root.callees.front().callees.front();
        QCOMPARE(forward.what, std::string("net.py:7 forward"));
        QVERIFY(!forward.callees.front().own);
        QCOMPARE(forward.component, Component::Activations);
    }

    // 20 MiB: what the small training holds after its forward pass, and the holes between.
    // What is chosen is the holder's, in every shape and along the whole history.
    void chosenBlocks()
    {
        const auto small = SmallTraining().recording();
        const std::int64_t peak = small->replay.peak(SnapshotMeasure::Requested).event;
        const std::string forward = "net.py:7 forward";
        const ChosenBlocks chosen = blocksOfHolder(*small, peak, HolderKey::Line, forward);
        QCOMPARE(std::ranges::count(chosen, true), 2); // a step each

        const ChosenFacts facts = factsOf(*small, peak, chosen);
        QCOMPARE(facts.requestedBytes, 4 * kMiB);
        QCOMPARE(facts.blocks, 1);
        QCOMPARE(facts.allBlocks, 2);
        QCOMPARE(facts.stayed, 0);
        QCOMPARE(facts.components[static_cast<std::size_t>(Component::Activations)], 4 * kMiB);
        QCOMPARE(snapshotLine(*small->snapshot, facts.stack), forward);
        QCOMPARE(facts.firstBorn, eventOf(*small, SnapshotAction::Alloc, 4));

        const PlacedBytes course = courseOf(*small, SnapshotAxis::Events, chosen);
        QCOMPARE(course.bytes, (std::vector<std::int64_t>{4 * kMiB, 0, 4 * kMiB, 0}));
        QCOMPARE(course.places.front(), static_cast<double>(facts.firstBorn));
        QCOMPARE(course.places[2], static_cast<double>(eventOf(*small, SnapshotAction::Alloc, 4, 2)));

        std::int64_t shares = 0;
        for (const ComponentShare& share : componentShares(*small->snapshot, small->replay, peak, chosen)) {
            for (const LineShare& line : share.lines) {
                QCOMPARE(line.chosenBytes, line.what == forward ? line.requestedBytes : 0);
                shares += line.chosenBytes;
            }
        }
        QCOMPARE(shares, facts.requestedBytes);
        QCOMPARE(frameTree(*small->snapshot, small->replay, peak, chosen).chosenBytes, facts.requestedBytes);
        QCOMPARE(frameTree(*small->snapshot, small->replay, peak).chosenBytes, 0);

        // Each block is its holder's, whatever they are gathered by.
        for (std::size_t key = 0; key < kEnumWords<HolderKey>.size(); ++key) {
            for (std::size_t i = 0; i < small->replay.blocks.size(); ++i) {
                if (!small->replay.blocks[i].aliveAfter(peak))
                    continue;
                const std::string holder = holderOfBlock(*small, peak, static_cast<HolderKey>(key), i);
                QVERIFY(blocksOfHolder(*small, peak, static_cast<HolderKey>(key), holder)[i]);
            }
        }
    }

    // On real ones: what a holder has alive is what its row says, and all holders together are the curve.
    void chosenBlocksOfRealOnes()
    {
        const auto real = realOne(QStringLiteral("oom.pickle.gz"));
        if (!real)
            QSKIP("no snapshots beside the project");
        const std::int64_t event = firstSight(real->replay);
        std::int64_t most = 0;
        for (const SnapshotHolder& holder :
             snapshotHolders(*real->snapshot, real->replay, event, HolderKey::Component)) {
            const ChosenBlocks chosen = blocksOfHolder(*real, event, HolderKey::Component, holder.what);
            const ChosenFacts facts = factsOf(*real, event, chosen);
            QCOMPARE(facts.requestedBytes, holder.requestedBytes);
            QCOMPARE(facts.bytes, holder.bytes);
            QCOMPARE(facts.blocks, holder.blocks);
            const PlacedBytes course = courseOf(*real, SnapshotAxis::Events, chosen);
            const auto after = std::upper_bound(course.places.begin(), course.places.end(), static_cast<double>(event));
            most += course.bytes[static_cast<std::size_t>(after - course.places.begin()) - 1];
        }
        QCOMPARE(most, snapshotCurve(*real->snapshot, real->replay,
                                     SnapshotMeasure::Allocated)[static_cast<std::size_t>(event) + 1]);
    }

    void segmentsByHand()
    {
        const auto recording = SmallTraining().recording();
        const std::int64_t event = eventOf(*recording, SnapshotAction::FreeCompleted, 4); // the output is gone
        const SegmentMap map = segmentMap(*recording->snapshot, recording->replay, event);
        QCOMPARE(map.segments.size(), std::size_t{1});
        QCOMPARE(map.reservedBytes, 20 * kMiB);
        QCOMPARE(map.heldBytes, 6 * kMiB);
        // Parameter, hole of 1, inputs, hole of 4, what flows backward, hole of 9.
        std::vector<std::int64_t> pieces;
        for (const SegmentPiece& piece : map.segments[0].pieces)
            pieces.push_back(piece.bytes / kMiB * (piece.state == PieceState::Free ? -1 : 1));
        QCOMPARE(pieces, (std::vector<std::int64_t>{1, -1, 2, -4, 3, -9}));
        QCOMPARE(map.free.size(), std::size_t{1});
        QCOMPARE(map.free[0].largestBytes, 9 * kMiB);
        QCOMPARE(map.free[0].fragmentation(), 1 - 9.0 / 14);
        // Between its request and its end a free is neither.
        const SegmentMap between = segmentMap(*recording->snapshot, recording->replay, event - 1);
        QCOMPARE(between.awaitingBytes, 4 * kMiB);
        QCOMPARE(segmentMap(*recording->snapshot, recording->replay, -1).segments.size(), std::size_t{0});
    }

    void segmentsOfRealOnes_data()
    {
        QTest::addColumn<QString>("file");
        const QStringList files =
            QDir(QStringLiteral(PEAKSCOPE_SHARED_DIR "/snapshots")).entryList({"*.pickle", "*.pickle.gz"});
        for (const QString& file : files)
            QTest::newRow(qPrintable(file)) << file;
        if (files.isEmpty())
            QTest::newRow("none") << QString();
    }

    // At thirty instants of each: mapped and held as the curves say, every byte in one piece.
    void segmentsOfRealOnes()
    {
        QFETCH(QString, file);
        const auto recording = file.isEmpty() ? nullptr : realOne(file);
        if (!recording)
            QSKIP("no snapshots beside the project");
        const SnapshotReplay& replay = recording->replay;
        const auto reserved = snapshotCurve(*recording->snapshot, replay, SnapshotMeasure::Reserved);
        const auto allocated = snapshotCurve(*recording->snapshot, replay, SnapshotMeasure::Allocated);
        const std::int64_t step = std::max<std::int64_t>(1, replay.events / 30);
        for (std::int64_t event = -1; event < replay.events; event += step) {
            const SegmentMap map = segmentMap(*recording->snapshot, replay, event);
            QCOMPARE(map.reservedBytes, reserved[static_cast<std::size_t>(event + 1)]);
            QCOMPARE(map.heldBytes, allocated[static_cast<std::size_t>(event + 1)]);
            QCOMPARE(map.heldBytes + map.awaitingBytes + map.freeBytes, map.reservedBytes);
        }
        const SegmentMap end = segmentMap(*recording->snapshot, replay, replay.events - 1);
        QCOMPARE(end.freeBytes, replay.endInactiveBytes);
        std::int64_t largest = 0;
        for (const FreeMemory& free : end.free)
            largest = std::max(largest, free.largestBytes);
        QCOMPARE(largest, replay.endLargestFreeBytes);
    }

    void wordsOfInstants()
    {
        const auto recording = SmallTraining().recording();
        const SnapshotReplay& replay = recording->replay;
        QCOMPARE(snapshotEvent(replay, "end", "f").value(), replay.events - 1);
        QCOMPARE(snapshotEvent(replay, "peak", "f").value(), replay.peak(SnapshotMeasure::Requested).event);
        QCOMPARE(firstSight(replay), replay.peak(SnapshotMeasure::Requested).event);
        QCOMPARE(snapshotEvent(replay, "event:3", "f").value(), 3);
        QCOMPARE(snapshotEvent(replay, "step:1", "f").value(), replay.stepEnds[0] - 1);
        for (const char* word : {"step:3", "step:0", "event:999", "event:", "oom", "noon", ""})
            QVERIFY2(!snapshotEvent(replay, word, "f"), word);
    }

    void tables()
    {
        const auto recording = SmallTraining(3).recording();
        std::map<std::string, QStringList> lines;
        for (const SnapshotCsv& csv : snapshotCsvs())
            lines[csv.name] = QString::fromStdString(csv.text(*recording)).split("\r\n", Qt::SkipEmptyParts);
        QCOMPARE(lines["events"].size(), recording->replay.events + 1);
        QCOMPARE(lines["events"][3], QStringLiteral("2,alloc,0x7f0000200000,2097152,3,1,0,,2,"));
        QCOMPARE(lines["blocks"].size(), static_cast<qsizetype>(recording->replay.blocks.size()) + 1);
        QVERIFY(lines["blocks"][1].startsWith("0x7f0000000000,1048576,1048576,parameters,1,1,,,0,"));
        QVERIFY(lines["stacks"].contains(
            QStringLiteral("3,net.py:7 forward,module.py:1798 _call_impl; net.py:7 forward; train.py:54 <module>")));
        // Each step with its own peak: 7 MiB and what flows back, then with the state.
        QCOMPARE(lines["steps"].size(), 5); // what follows the last one is there, too
        QCOMPARE(lines["steps"][1].section(',', 3, 3).toLongLong(), 10 * kMiB);
        QCOMPARE(lines["steps"][2].section(',', 3, 3).toLongLong(), 11 * kMiB);
        qint64 held = 0;
        for (qsizetype i = 1; i < lines["holders"].size(); ++i)
            held += lines["holders"][i].section(',', 2, 2).toLongLong();
        QCOMPARE(held, 11 * kMiB);
        QCOMPARE(lines["segments"].size(), 4); // parameter, state, and the hole behind them
    }

    void changesSumUp()
    {
        const auto a = SmallTraining(2).recording(), b = SmallTraining(3).recording();
        const auto holders = [](const SnapshotRecording& recording, std::int64_t event) {
            return snapshotHolders(*recording.snapshot, recording.replay, event, HolderKey::Line);
        };
        const auto changes = holderChanges(holders(*a, eventOf(*a, SnapshotAction::Alloc, 4)),
                                           holders(*b, eventOf(*b, SnapshotAction::Alloc, 3, 2)));
        std::int64_t sum = 0;
        for (const HolderChange& change : changes)
            sum += change.bytes();
        QCOMPARE(sum, (11 - 7) * kMiB);
        QCOMPARE(changes.front().what, std::string("(no stack)"));
        QCOMPARE(changes.front().bytes(), 3 * kMiB);
        QCOMPARE(holderChangesTable(changes).rows.size(), changes.size());
    }
};

PEAKSCOPE_APPLESS_TEST(TestSnapshotViews)
#include "test_snapshot_views.moc"
