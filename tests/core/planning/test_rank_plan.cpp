// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The plan of a run on several ranks against closed forms: whose rows, what is divided, what moves. Whether a real run
// agrees is tests/engine's matter.
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/inputs/shard_groups.h"
#include "core/planning/recommend/recommender.h"
#include "core/planning/simulation/communication_plan.h"
#include "core/planning/simulation/depth_derivation.h"
#include "core/planning/simulation/simulate_training.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace peakscope;
using Json = nlohmann::json;

namespace {

constexpr const char* kFamilies[] = {"opt", "gpt2", "gpt_neox", "llama", "plain"};
constexpr const char* kStages[] = {"zero1", "zero2", "zero3"};

Json rankDocument(const std::string& family, const std::string& stage, std::int64_t ranks)
{
    return {{"kind", "memory"},
            {"model",
             {{"family", family},
              {"hidden", 40},
              {"layers", 3},
              {"heads", 4},
              {"ffn", 97},
              {"vocab", 301},
              {"max_positions", 33}}},
            {"weights", "random"},
            {"ranks", ranks},
            {"data", {{"batch", 8}, {"seq", 20}}},
            {"training", {{"sharding", stage}}}};
}

Experiment rankExperiment(const Json& document)
{
    auto experiment = experimentFromJson(document);
    if (!experiment)
        qFatal("%s", experiment.error().text().c_str());
    return *experiment;
}

MemoryEstimate rankEstimate(const Json& document, const EstimateOptions& options = {})
{
    auto estimate = estimateMemory(rankExperiment(document), options);
    if (!estimate)
        qFatal("%s", estimate.error().text().c_str());
    return *estimate;
}

// FSDP2's cut (torch.chunk along the first dimension): ranks' parts follow each other and make the parameter.
void verifyRows(const ShardGroup& group, std::int64_t ranks)
{
    for (std::size_t i = 0; i < group.parameters.size(); ++i) {
        const ParameterSpec& spec = group.parameters[i];
        const std::int64_t rows = spec.shape.front(), width = spec.count() / rows, each = (rows + ranks - 1) / ranks;
        std::int64_t next = 0;
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
            const ShardPart part = group.part(i, rank, ranks);
            QCOMPARE(part.first, std::min(rank * each, rows) * width);
            QCOMPARE(part.count, std::clamp<std::int64_t>(rows - rank * each, 0, each) * width);
            QCOMPARE(part.first, next);
            next += part.count;
        }
        QCOMPARE(next, spec.count());
        QCOMPARE(group.partElements(i, ranks), each * width);
    }
}

CommunicationPlan rankPlan(const Json& document)
{
    const Experiment experiment = rankExperiment(document);
    const auto plan = communicationPlan(experiment, experiment.ranks);
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return *plan;
}

std::int64_t inPhase(const MemoryEstimate& estimate, Phase phase, Component component)
{
    for (const PhaseEstimate& known : estimate.phases) {
        if (known.phase == phase)
            return known.components[static_cast<std::size_t>(component)];
    }
    return -1;
}

// Elements of all rows that the stage cuts, padded, and of one rank's shares of them.
struct CutElements {
    std::int64_t padded = 0;
    std::int64_t share = 0;
    std::int64_t rows = 0;
    std::int64_t outside = 0; // of rows that the stage leaves whole
};

CutElements cutElements(const Experiment& experiment)
{
    CutElements cut;
    const auto groups = shardGroups(experiment);
    for (const ShardGroup& group : *groups) {
        if (!isSharded(group, experiment.training.sharding)) {
            cut.outside += group.elements;
            continue;
        }
        cut.padded += group.padded(experiment.ranks);
        cut.share += group.share(experiment.ranks);
        ++cut.rows;
    }
    return cut;
}

} // namespace

class TestRankPlan : public QObject
{
    Q_OBJECT

private slots:
    // Every parameter by its rows; what is around the layers is one unit, as FSDP2's root is.
    void partsByRows()
    {
        for (const std::int64_t ranks : {2, 3, 7, 64}) {
            const Experiment experiment = rankExperiment(rankDocument("llama", "fsdp", ranks));
            const auto groups = shardGroups(experiment);
            QVERIFY(groups.ok());
            QCOMPARE(groups->size(), std::size_t(4)); // the root and three layers
            std::int64_t elements = 0, share = 0;
            for (const ShardGroup& group : *groups) {
                verifyRows(group, ranks);
                elements += group.elements;
                share += group.share(ranks);
            }
            QCOMPARE(elements, parameterCount(experiment.model.config));
            // In a step of one pass the layers are gathered twice and the root once, in bfloat16; sums are in float32.
            const CommunicationPlan plan = rankPlan(rankDocument("llama", "fsdp", ranks));
            const std::int64_t root = groups->front().padded(ranks);
            QCOMPARE(plan.allGather.bytes, 2 * (2 * share * ranks - root));
            QCOMPARE(plan.reduceScatter.bytes, 4 * share * ranks);
            QCOMPARE(plan.allGather.count, 7);
            QCOMPARE(plan.reduceScatter.count, 4);
        }
    }

    void initTestCase() { qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources"); }

    // A rank's parameters and states are 1/N of one process's to within one padding unit a row.
    void shares_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<QString>("stage");
        for (const char* family : kFamilies) {
            for (const char* stage : kStages)
                QTest::addRow("%s %s", family, stage) << family << stage;
        }
    }
    void shares()
    {
        QFETCH(const QString, family);
        QFETCH(const QString, stage);
        for (const std::int64_t ranks : {2, 3, 4, 7}) {
            const Json document = rankDocument(family.toStdString(), stage.toStdString(), ranks);
            const Experiment experiment = rankExperiment(document);
            const CutElements cut = cutElements(experiment);
            const std::int64_t whole = parameterCount(experiment.model.config);
            const MemoryEstimate estimate = rankEstimate(document);
            const std::int64_t states = inPhase(estimate, Phase::OptimizerStep, Component::OptimizerStates);
            QCOMPARE(states, 2 * cut.share * 4);
            QVERIFY(ranks * states >= 2 * whole * 4 && ranks * states < 2 * 4 * (whole + cut.rows * ranks));
            const std::int64_t parameters = inPhase(estimate, Phase::OptimizerStep, Component::Parameters);
            QCOMPARE(parameters, (stage == "zero3" ? cut.share : cut.padded) * 4);
            QCOMPARE(inPhase(estimate, Phase::OptimizerStep, Component::Gradients), cut.share * 4);
            std::int64_t sum = 0;
            for (const std::int64_t bytes : estimate.components)
                sum += bytes;
            QCOMPARE(sum, estimate.peakBytes);
        }
    }

    // Modules share flat rows: each lists its own part of them.
    void modules()
    {
        for (const char* stage : {"zero1", "zero3"}) {
            const Json document = rankDocument("gpt2", stage, 4);
            const MemoryEstimate alone = rankEstimate(rankDocument("gpt2", "none", 1));
            const MemoryEstimate cut = rankEstimate(document);
            QCOMPARE(cut.modules.size(), alone.modules.size());
            for (std::size_t i = 0; i < cut.modules.size(); ++i) {
                const std::int64_t whole = alone.modules[i].parameterBytes;
                const std::int64_t own = cut.modules[i].parameterBytes;
                QCOMPARE(cut.modules[i].name, alone.modules[i].name);
                if (std::string(stage) == "zero1")
                    QCOMPARE(own, whole);
                else
                    QVERIFY(4 * own >= whole && 4 * own < whole + 8 * 4 * 4);
                QVERIFY(cut.modules[i].peakBytes >= own);
            }
        }
    }

    // Adapters are cut from stage 1 on, the frozen weights from stage 3 on.
    void adapters()
    {
        Json document = rankDocument("gpt2", "zero2", 4);
        document["training"]["lora"] = {{"rank", 4}};
        const CutElements two = cutElements(rankExperiment(document));
        const MemoryEstimate whole = rankEstimate(document);
        QCOMPARE(inPhase(whole, Phase::OptimizerStep, Component::Parameters), (two.outside + two.padded) * 4);
        QCOMPARE(inPhase(whole, Phase::OptimizerStep, Component::OptimizerStates), 2 * two.share * 4);
        document["training"]["sharding"] = "zero3";
        const CutElements three = cutElements(rankExperiment(document));
        QCOMPARE(three.outside, std::int64_t{0});
        const MemoryEstimate cut = rankEstimate(document);
        QCOMPARE(inPhase(cut, Phase::OptimizerStep, Component::Parameters), three.share * 4);
        QCOMPARE(inPhase(cut, Phase::OptimizerStep, Component::OptimizerStates), 2 * two.share * 4);
    }

    // data.batch is the rows of all ranks: two of eight ranks' experiments are alike where each has as many rows.
    void rowsOfAllRanks()
    {
        Json document = rankDocument("opt", "none", 8);
        document["data"]["batch"] = 32;
        Json alone = rankDocument("opt", "none", 0);
        alone["data"]["batch"] = 4;
        QCOMPARE(rankEstimate(document).peakBytes, rankEstimate(alone).peakBytes);
        const std::vector<std::string> notes = rankEstimate(document).notes;
        QVERIFY(std::find(notes.begin(), notes.end(),
                          "All bytes are those of one of 8 ranks: data.batch 32 is 4 rows on each.") != notes.end());
        document["data"]["batch"] = 5;
        document["ranks"] = 4; // rows 0, 1, 2 and the last two
        EstimateOptions first, last;
        first.rank = 0;
        last.rank = 3;
        const std::int64_t most = rankEstimate(document).peakBytes;
        QCOMPARE(rankEstimate(document, last).peakBytes, most);
        QVERIFY(rankEstimate(document, first).peakBytes < most);
        // As many ranks as the command line says, where the experiment says nothing.
        EstimateOptions four;
        four.devices = 4;
        document.erase("ranks");
        QCOMPARE(rankEstimate(document, four).peakBytes, most);
    }

    // Data parallel ranks clip their own rows as one process would. On shards the sums wait whole for the step's end,
    // and what stays of them is a share.
    void clippedRows()
    {
        for (const char* method : {"per_sample", "flash", "ghost_bk", "microbatch"}) {
            Json document = rankDocument("opt", "none", 4);
            document["training"]["clipping"] = method;
            Json alone = rankDocument("opt", "none", 0);
            alone["training"]["clipping"] = method;
            alone["data"]["batch"] = 2;
            const MemoryEstimate one = rankEstimate(document);
            QCOMPARE(one.peakBytes, rankEstimate(alone).peakBytes);
            QVERIFY(one.verified);
            EstimateOptions derived;
            derived.derived = true;
            QCOMPARE(rankEstimate(document, derived).peakBytes, one.peakBytes);
            for (const char* stage : {"zero1", "zero2", "zero3"}) {
                document["training"]["sharding"] = stage;
                const MemoryEstimate cut = rankEstimate(document);
                QVERIFY(cut.verified);
                const std::int64_t gradients = inPhase(one, Phase::OptimizerStep, Component::Gradients);
                QVERIFY(inPhase(cut, Phase::OptimizerStep, Component::Gradients) < gradients / 3);
                QVERIFY(cut.maxComponents[static_cast<std::size_t>(Component::Gradients)] >= gradients);
                QVERIFY(cut.maxComponents[static_cast<std::size_t>(Component::Communication)] > 0);
                QCOMPARE(rankEstimate(document, derived).peakBytes, cut.peakBytes);
            }
        }
    }

    // A lone rank divides nothing: flat rows without padding, its buffers beside them.
    void oneRank()
    {
        const MemoryEstimate alone = rankEstimate(rankDocument("llama", "none", 1));
        const MemoryEstimate cut = rankEstimate(rankDocument("llama", "zero3", 1));
        for (const Component component : {Component::Parameters, Component::OptimizerStates}) {
            QCOMPARE(inPhase(cut, Phase::OptimizerStep, component), inPhase(alone, Phase::OptimizerStep, component));
        }
        QVERIFY(cut.maxComponents[static_cast<std::size_t>(Component::Communication)] > 0);
        QVERIFY(std::any_of(cut.notes.begin(), cut.notes.end(),
                            [](const std::string& note) { return note.find("divides nothing") != std::string::npos; }));
    }

    // Stages 1 and 2 gather the parameters once and scatter the gradients (stage 2 in every pass); stage 3 gathers
    // every unit for forward and for backward, but the table for its lookup and the head once: 3 x parameters in all.
    void whatMoves_data()
    {
        QTest::addColumn<QString>("family");
        for (const char* family : kFamilies)
            QTest::addRow("%s", family) << family;
    }
    void whatMoves()
    {
        QFETCH(const QString, family);
        constexpr std::int64_t kRanks = 4;
        const std::string name = family.toStdString();
        const Experiment experiment = rankExperiment(rankDocument(name, "zero3", kRanks));
        const CutElements cut = cutElements(experiment);
        std::int64_t layers = 0, embedding = 0;
        const auto groups = shardGroups(experiment);
        for (const ShardGroup& group : *groups) {
            const bool layer = group.unit > 0 && group.unit <= 3;
            layers += layer ? group.padded(kRanks) : 0;
            embedding += group.unit == 0 ? group.padded(kRanks) : 0;
        }
        const std::int64_t tiedAgain = experiment.model.config.tied ? embedding : 0;
        const CommunicationPlan three = rankPlan(rankDocument(name, "zero3", kRanks));
        QCOMPARE(three.allGather.bytes, 4 * (cut.padded + layers + tiedAgain));
        QCOMPARE(three.reduceScatter.bytes, 4 * cut.padded);
        QCOMPARE(three.allReduce, (CollectiveLoad{1, 8}));
        const CommunicationPlan one = rankPlan(rankDocument(name, "zero1", kRanks));
        QCOMPARE(one.allGather, (CollectiveLoad{cut.rows, 4 * cut.padded}));
        QCOMPARE(one.reduceScatter, (CollectiveLoad{cut.rows, 4 * cut.padded}));
        for (const char* stage : {"zero1", "zero2", "zero3"}) {
            Json passes = rankDocument(name, stage, kRanks);
            passes["data"]["max_physical_batch"] = 1; // two passes of one row
            const std::int64_t scattered = rankPlan(passes).reduceScatter.bytes;
            QCOMPARE(scattered, 4 * cut.padded * (std::string(stage) == "zero1" ? 1 : 2));
        }
        Json none = rankDocument(name, "none", kRanks);
        const std::int64_t gradients = 4 * parameterCount(experiment.model.config);
        QCOMPARE(rankPlan(none).allReduce.bytes, gradients + 8);
        none["dtype"] = "bfloat16"; // sums are made in float32
        QCOMPARE(rankPlan(none).allReduce.bytes, gradients + 8);
        // Recomputed layers stay for their backward: checkpointing moves nothing more.
        Json again = rankDocument(name, "zero3", kRanks);
        again["training"]["checkpointing"] = true;
        QCOMPARE(rankPlan(again), three);
    }

    void threeTimesTheParameters()
    {
        Json document = rankDocument("llama", "zero3", 64);
        document["model"] = {{"id", "llama-3.1-70b"}};
        document["dtype"] = "float32";
        document["data"] = {{"batch", 64}, {"seq", 128}};
        const double parameters = 4.0 * static_cast<double>(parameterCount(rankExperiment(document).model.config));
        const double share = static_cast<double>(rankPlan(document).bytes()) / parameters;
        QVERIFY2(std::abs(share - 3) < 0.04, qPrintable(QString::number(share)));
    }

    void refused()
    {
        const auto alone = communicationPlan(rankExperiment(rankDocument("opt", "zero1", 1)), 1);
        QVERIFY(!alone.ok());
        QVERIFY(QString::fromStdString(alone.error().text()).contains("at least 2"));
        Json drawn = rankDocument("opt", "none", 2);
        drawn["training"]["clipping"] = "flash";
        drawn["training"]["privacy"] = {{"poisson", true}};
        QVERIFY(!communicationPlan(rankExperiment(drawn), 2).ok());
        Json many = rankDocument("opt", "none", 5000);
        const auto read = experimentFromJson(many);
        QVERIFY(!read.ok());
        QCOMPARE(QString::fromStdString(read.error().text()), QStringLiteral("ranks: 5000 is above 4096"));
    }

    // Two shallow simulations give the peak of any depth on several ranks too.
    void derivation()
    {
        std::mt19937 random(11);
        const auto pick = [&](std::vector<Json> values) { return values[random() % values.size()]; };
        for (int i = 0; i < 60; ++i) {
            Json document = rankDocument(kFamilies[random() % 5], pick({"none", "zero1", "zero2", "zero3"}), 2);
            document["ranks"] = pick({2, 3, 8});
            document["model"]["layers"] = pick({8, 13});
            document["data"] = {{"batch", pick({1, 5, 16})}, {"seq", 30}, {"max_physical_batch", pick({1, 2, 64})}};
            document["training"]["clipping"] = pick({"none", "none", "flash", "per_sample", "ghost_bk", "microbatch"});
            document["data"]["max_physical_batch"] = // a pass cannot be larger than the batch
                std::min(document["data"]["max_physical_batch"].get<int>(), document["data"]["batch"].get<int>());
            document["training"]["checkpointing"] = random() % 2 == 0;
            document["training"]["amp"] = pick({"none", "bfloat16"});
            document["training"]["lora"] = {{"rank", pick({0, 0, 4})}};
            document["model"]["max_positions"] = 30;
            const Experiment experiment = rankExperiment(document);
            EstimateOptions options;
            options.cuda = random() % 2 == 0;
            const auto whole = simulateTraining(experiment, options);
            const auto derived = deriveTraining(experiment, options);
            QVERIFY(whole.ok() && derived.ok());
            QVERIFY2(derived->peakBytes == whole->peakBytes, document.dump().c_str());
        }
    }

    // Two shallow simulations are enough over shards too, whose weights are gathered a layer ahead.
    void derivedOverShardsFromTwoRuns_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"llama-3.1-8b", "qwen3-30b-a3b", "gpt2-xl", "mixtral-8x7b"})
            QTest::newRow(model) << QString::fromLatin1(model);
    }

    void derivedOverShardsFromTwoRuns()
    {
        QFETCH(QString, model);
        for (const char* sharding : {"zero2", "zero3", "fsdp"}) {
            for (const bool checkpointing : {false, true}) {
                const Experiment experiment = rankExperiment(
                    {{"kind", "memory"},
                     {"model", {{"id", model.toStdString()}}},
                     {"weights", "random"},
                     {"ranks", 8},
                     {"data", {{"batch", 8}, {"seq", 512}}},
                     {"training", {{"optimizer", "adam"}, {"sharding", sharding}, {"checkpointing", checkpointing}}}});
                EstimateOptions options;
                options.cuda = true;
                options.derived = options.fewPasses = true; // as the search asks
                options.modules = options.skewed = false;
                const std::uint64_t before = simulatedRuns();
                QVERIFY(deriveTraining(experiment, options).ok());
                QVERIFY2(simulatedRuns() - before == 2, sharding);
            }
        }
    }

    // What the recommender says needs more devices runs as it is: as many ranks, the rows of all of them, and a peak
    // that its own estimate repeats.
    void readyExperiments()
    {
        RecommendOptions options;
        options.model = {{"id", "llama-2-13b"}};
        options.modelText = "llama-2-13b";
        options.device = *planDeviceFromText("a100-40gb");
        const auto found = recommend(options);
        QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
        int sharded = 0;
        for (const Strategy& strategy : found->strategies) {
            const auto experiment = experimentFromJson(strategy.experiment);
            QVERIFY(experiment.ok());
            QCOMPARE(std::max<std::int64_t>(1, experiment->ranks), strategy.devicesNeeded);
            if (strategy.verdict != Verdict::NeedsSharding)
                continue;
            ++sharded;
            QVERIFY(experiment->training.sharding != Sharding::None);
            QCOMPARE(experiment->data.batch % experiment->ranks, std::int64_t{0});
            EstimateOptions cuda;
            cuda.cuda = true;
            QCOMPARE(estimateMemory(*experiment, cuda)->peakBytes, strategy.estimate.peakBytes);
            const std::string rows = "data.batch " + std::to_string(experiment->data.batch) + " is ";
            QVERIFY(std::any_of(strategy.reasons.begin(), strategy.reasons.end(),
                                [&](const std::string& reason) { return reason.starts_with(rows); }));
        }
        QVERIFY(sharded > 0);
    }
};

PEAKSCOPE_APPLESS_TEST(TestRankPlan)
#include "test_rank_plan.moc"
