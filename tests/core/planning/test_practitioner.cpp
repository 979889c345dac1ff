// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an experienced practitioner would answer (docs/estimates.md has the table and why).
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender.h"
#include "tests/core/planning/recommend_cases.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

struct Question {
    const char* model;
    const char* device;
    std::int64_t devices;
    Goal goal;
    const char* first;    // tier of the first row, or its verdict where nothing runs here
    const char* contains; // in its title
};

constexpr Question kQuestions[] = {
    {"llama-3.2-1b", "rtx-4090", 1, Goal::Train, "exact", "float32"},
    {"llama-3.2-1b", "rtx-4060", 1, Goal::Train, "precision", "adamw8bit, updated in backward"},
    {"llama-3.2-1b", "t4", 1, Goal::Train, "precision", "float16, float32 masters"},
    {"llama-3.2-3b", "rtx-4090", 1, Goal::Train, "precision", "adamw8bit"},
    {"llama-3.2-3b", "rtx-3060", 1, Goal::Train, "method", "LoRA rank 16, float32 adapters"},
    {"llama-3.1-8b", "a100-80gb", 1, Goal::Train, "precision", "adamw8bit"},
    {"llama-3.1-8b", "a100-40gb", 1, Goal::Train, "precision", "updated in backward"},
    {"llama-3.1-8b", "rtx-4090", 1, Goal::Train, "method", "LoRA rank 16, float32 adapters"},
    {"llama-3.1-8b", "bytes:16GiB", 1, Goal::Train, "method", "nf4 base"},
    {"qwen2.5-14b", "rtx-4090", 1, Goal::Train, "method", "nf4 base"},
    {"qwen2.5-14b", "a100-80gb", 1, Goal::Train, "precision", "updated in backward"},
    {"qwen2.5-32b", "rtx-4090", 1, Goal::Train, "method", "nf4 base"},
    {"qwen2.5-32b", "a100-80gb", 1, Goal::Train, "method", "LoRA"},
    {"llama-3.1-70b", "a100-80gb", 1, Goal::Train, "method", "nf4 base"},
    {"llama-3.1-70b", "a100-80gb", 2, Goal::Train, "method", "nf4 base"},
    {"llama-3.1-70b", "h100-80gb", 8, Goal::Train, "method", "LoRA rank 16, float32 adapters"},
    {"llama-3.1-70b", "rtx-4090", 16, Goal::Train, "method", "zero3 over 16 devices"},
    {"mixtral-8x7b-v0.1", "a100-80gb", 1, Goal::Train, "method", "nf4 base"},
    {"opt-1.3b", "a100-40gb", 1, Goal::Hessian, "exact", "diagonal by jets"},
    {"opt-30b", "a100-80gb", 1, Goal::Hessian, "needs_sharding", "diagonal"},
    {"opt-350m", "a100-40gb", 1, Goal::DpSgd, "exact", "float32"},
    {"llama-3.2-1b", "rtx-4090", 1, Goal::DpSgd, "exact", "float32"},
    {"llama-3.1-8b", "a100-80gb", 1, Goal::DpSgd, "method", "LoRA"},
};

} // namespace

class TestPractitioner : public QObject
{
    Q_OBJECT

private slots:
    void init() { qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources"); }
    void cleanup() { qunsetenv("PEAKSCOPE_RESOURCES"); }
    void answers_data();
    void answers();
    void severalDevices();
    void oneScreen();
    void passesFillTheCard();
    void proofsDecide();
};

void TestPractitioner::answers_data()
{
    QTest::addColumn<int>("place");
    for (std::size_t i = 0; i < std::size(kQuestions); ++i) {
        const Question& q = kQuestions[i];
        QTest::addRow("%s on %d x %s, %s", q.model, static_cast<int>(q.devices), q.device, name(q.goal).data())
            << static_cast<int>(i);
    }
}

void TestPractitioner::answers()
{
    QFETCH(const int, place);
    const Question& q = kQuestions[place];
    const auto& found = answerTo(q.model, q.device, q.goal, q.devices);
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    const Strategy& first = found->strategies.front();
    QCOMPARE(std::string(runs(first) ? name(first.tier) : name(first.verdict)), std::string(q.first));
    QVERIFY2(first.title.find(q.contains) != std::string::npos, first.title.c_str());
    QVERIFY2(found->answer.starts_with(runs(first) && first.tier == Tier::Exact ? "Yes, " : "No, not "),
             found->answer.c_str());
    QVERIFY2(runs(first) == (first.verdict <= Verdict::Tight), first.title.c_str());
}

// On several devices: what each holds, of how many rows in all, and adapters over shards of the weights. Routers get
// none.
void TestPractitioner::severalDevices()
{
    const auto& cut = answerTo("llama-3.1-70b", "rtx-4090", Goal::Train, 16);
    QVERIFY(cut.ok());
    QVERIFY2(cut->answer.find("at least ") != std::string::npos && cut->answer.find(" each. Yes") != std::string::npos,
             cut->answer.c_str());
    QVERIFY2(cut->answer.ends_with(" each, batch 16 x 2048 over 16 devices."), cut->answer.c_str());
    QCOMPARE(cut->strategies.front().experiment["ranks"].get<int>(), 16);
    const auto& more = answerTo("opt-1.3b", "bytes:4GiB", Goal::Train);
    QVERIFY(more.ok());
    for (const Strategy& row : more->strategies) { // however much the estimate is off by
        const auto room = static_cast<double>(more->device.usableBytes - more->device.contextBytes);
        if (row.verdict == Verdict::NeedsSharding)
            QVERIFY2((1 + kReservedBand) * static_cast<double>(row.reservedBytes()) <= room, row.title.c_str());
    }
    const auto& mixture = answerTo("mixtral-8x7b-v0.1", "a100-80gb", Goal::Train);
    QVERIFY(mixture.ok());
    for (const auto& target : mixture->strategies.front().experiment["training"]["lora"]["targets"])
        QVERIFY(target != "gate");
    const auto tooMany = recommend(optionsFor("opt-125m", "rtx-4090", Goal::Train, 5000));
    QVERIFY(!tooMany.ok());
    QVERIFY2(tooMany.error().text().find("4096") != std::string::npos, tooMany.error().text().c_str());
}

// No wall of text: a few rows, and what nobody would take for its difference under one of them.
void TestPractitioner::oneScreen()
{
    const auto& found = answerTo("llama-3.1-8b", "a100-80gb", Goal::Train);
    QVERIFY(found.ok());
    QVERIFY2(found->strategies.size() <= 12, qPrintable(QString::number(found->strategies.size())));
    for (const Strategy& row : found->strategies) {
        QVERIFY2(row.title.find("sgd") == std::string::npos, row.title.c_str());
        for (const Strategy& variant : row.folded)
            QVERIFY2(variant.folded.empty() && (variant.tier == row.tier || row.verdict == Verdict::DoesNotFit),
                     variant.title.c_str());
    }
}

// Where the rows of a step are fixed, as many go through the model at once as leave room: fewer are slower in practice.
void TestPractitioner::passesFillTheCard()
{
    RecommendOptions options = optionsFor("gpt2", "rtx-4090", Goal::Train);
    options.base["data"]["batch"] = 64;
    const auto fixed = recommend(options);
    QVERIFY(fixed.ok());
    const nlohmann::json data = fixed->strategies.front().experiment["data"];
    QCOMPARE(data["batch"].get<int>(), 64);
    QVERIFY2(data["max_physical_batch"] >= 4, data.dump().c_str());
    QVERIFY(fixed->strategies.front().verdict <= Verdict::Fits);
    // What every library's examples take: a step of many rows, for its noise is one for all of them.
    const auto privately = recommend(optionsFor("llama-3.2-1b", "a100-40gb", Goal::DpSgd));
    QVERIFY(privately.ok());
    QVERIFY2(privately->answer.find("batch 1024 x 2048 in passes of ") != std::string::npos, privately->answer.c_str());
    const Strategy& first = privately->strategies.front();
    QVERIFY2(first.experiment["data"]["max_physical_batch"] < 1024, first.title.c_str());
    // A row at a time is for where nothing else fits.
    const auto small = recommend(optionsFor("gpt2", "rtx-4090", Goal::DpSgd));
    QVERIFY(small.ok());
    for (const Strategy& strategy : small->strategies)
        QVERIFY2(strategy.experiment["training"]["clipping"] != "microbatch", strategy.title.c_str());
    // The rows of a step that are not simulated add what their tokens take, 16 bytes each.
    const auto whole = estimateMemory(*experimentFromJson(first.experiment), estimateOptionsOn(privately->device));
    QVERIFY(whole.ok());
    QCOMPARE(first.estimate.peakBytes, whole->peakBytes);
}

// A dry run has the last word on verdict, margin, order and answer.
void TestPractitioner::proofsDecide()
{
    auto found = recommend(optionsFor("gpt2", "v100-16gb", Goal::Train));
    QVERIFY(found.ok());
    const std::string before = found->strategies.front().title;
    QVERIFY2(found->answer.find("about ") != std::string::npos, found->answer.c_str());
    Strategy& first = found->strategies.front();
    first.proved = DryProof{"dry:v100-16gb", found->device.usableBytes, found->device.usableBytes, false};
    applyProofs(*found);
    QVERIFY(found->strategies.front().title != before);
    const Strategy& last = found->strategies.back();
    QCOMPARE(last.verdict, Verdict::DoesNotFit);
    QVERIFY(last.marginBytes < 0);
    Strategy& now = found->strategies.front();
    now.proved = DryProof{"dry:v100-16gb", 1 << 30, std::int64_t{2} << 30, true};
    applyProofs(*found);
    QVERIFY2(found->answer.find(": 2.00 GiB of") != std::string::npos, found->answer.c_str());

    // A row of several devices says how many it needs, proved or not.
    auto shards = recommend(optionsFor("llama-3.1-8b", "rtx-4090", Goal::Train));
    QVERIFY(shards.ok());
    const auto sharded =
        std::ranges::find_if(shards->strategies, [](const auto& each) { return each.devicesNeeded > 1; });
    QVERIFY(sharded != shards->strategies.end());
    const std::string needs = "Needs " + std::to_string(sharded->devicesNeeded) + " of ";
    QVERIFY2(sharded->reasons.front().starts_with(needs), sharded->reasons.front().c_str());
    const std::string title = sharded->title;
    sharded->proved = DryProof{"dry:rtx-4090", 1 << 30, std::int64_t{2} << 30, true};
    applyProofs(*shards);
    const auto proved = std::ranges::find(shards->strategies, title, &Strategy::title);
    QVERIFY2(proved->reasons.front().starts_with(needs), proved->reasons.front().c_str());
}

PEAKSCOPE_GUILESS_TEST(TestPractitioner)
#include "test_practitioner.moc"
