// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The planner of clipped steps against all plans there are, and epsilon against Opacus' accountant.
#include "core/planning/inputs/privacy_accountant.h"
#include "core/planning/simulation/clipping_plan.h"
#include "core/planning/simulation/clipping_plan_search.h"
#include "core/planning/simulation/simulate_training.h"
#include "tests/test_room.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using nlohmann::json;
using namespace peakscope;

namespace {

Experiment experimentOf(const char* text)
{
    auto experiment = experimentFromJson(json::parse(text));
    return experiment ? *experiment : Experiment();
}

EstimateOptions machineOf(std::int64_t threads, bool fused)
{
    EstimateOptions options;
    options.threads = threads;
    options.fusedAttention = fused;
    return options;
}

constexpr SumRule kSums[] = {SumRule::Hold, SumRule::Keep, SumRule::SecondPass};

// The least seconds of all combinations within the limit; negative where none fits.
double bruteForce(const ClippingSearch& search, std::int64_t mostRows, std::int64_t limit)
{
    double best = -1;
    const std::size_t groups = search.groups().size();
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < groups; ++i)
        combinations *= 6;
    for (std::int64_t rows = mostRows; rows >= 1; rows /= 2) {
        for (std::size_t number = 0; number < combinations; ++number) {
            std::vector<ClippingRule> rules(groups);
            std::size_t rest = number;
            for (ClippingRule& rule : rules) {
                rule = {rest % 2 == 0 ? NormRule::Tiles : NormRule::Gram, kSums[rest / 2 % 3]};
                rest /= 6;
            }
            if (search.peakOf(rules, rows, false) > limit)
                continue;
            const double seconds = search.secondsOf(rules, rows);
            best = best < 0 ? seconds : std::min(best, seconds);
        }
    }
    return best;
}

} // namespace

class TestClippingPlan : public QObject
{
    Q_OBJECT

private slots:
    void bestOfAll_data();
    void bestOfAll();
    void fixedMethods();
    void epsilon_data();
    void keepsToBudget_data();
    void keepsToBudget();
    void knowsItsMachine();
    void ranksFollowOnePlan();
    void searchesLittle_data();
    void searchesLittle();
    void impossibleAdapters();
    void epsilon();
    void epsilonOfWholeOrders();
    void epsilonOfWhatIsSampled();
    void epsilonAtTheLastOrder();
    void refusesImpossibleRuns();
};

void TestClippingPlan::bestOfAll_data()
{
    QTest::addColumn<QByteArray>("document");
    const auto row = [](const char* name, const char* document) { QTest::newRow(name) << QByteArray(document); };
    row("long rows", R"({"kind": "memory", "model": {"family": "plain", "hidden": 256, "vocab": 1000,
        "max_positions": 4096}, "data": {"batch": 4, "seq": 2048}})");
    row("short rows, large batch", R"({"kind": "memory", "model": {"family": "opt", "hidden": 512, "vocab": 8000},
        "data": {"batch": 64, "seq": 16}})");
    row("grouped heads", R"({"kind": "memory", "model": {"family": "llama", "hidden": 128, "kv_heads": 2},
        "data": {"batch": 8, "seq": 64}})");
    row("adapters", R"({"kind": "memory", "model": {"family": "gpt2", "hidden": 128}, "data": {"batch": 8, "seq": 64},
        "training": {"lora": {"rank": 8, "targets": ["c_attn", "c_fc"]}}})");
}

void TestClippingPlan::bestOfAll()
{
    QFETCH(QByteArray, document);
    const Experiment experiment = experimentOf(document.constData());
    const ClippingSearch search(experiment, EstimateOptions());
    QVERIFY(search.groups().size() >= 2);
    const std::vector<ClippingRule> none(search.groups().size());
    const std::int64_t plain = search.peakOf(none, experiment.data.batch, true);
    for (const double share : {0.5, 0.8, 1.0, 1.3, 4.0}) {
        const auto limit = static_cast<std::int64_t>(share * static_cast<double>(plain));
        const ClippingCandidate chosen = search.best(limit);
        const double best = bruteForce(search, experiment.data.batch, limit);
        QCOMPARE(chosen.peakBytes <= limit, best >= 0);
        if (best >= 0)
            QVERIFY2(chosen.seconds <= best * 1.000001, qPrintable(QString::number(chosen.seconds / best)));
    }
}

void TestClippingPlan::keepsToBudget_data()
{
    QTest::addColumn<QByteArray>("document");
    QTest::addColumn<int>("threads");
    QTest::addColumn<bool>("fused");
    const auto row = [](const char* name, const char* document) {
        QTest::newRow(name) << QByteArray(document) << 1 << true;
        QTest::addRow("%s, 16 threads", name) << QByteArray(document) << 16 << true;
        QTest::addRow("%s, no fused attention", name) << QByteArray(document) << 1 << false;
    };
    row("large vocabulary, adapters, chunked head", R"({"kind": "memory", "model": {"family": "plain", "hidden": 32,
        "layers": 2, "vocab": 8000, "max_positions": 512}, "data": {"batch": 8, "seq": 512},
        "training": {"loss_head": "chunked", "lora": {"rank": 4}}})");
    row("three rows, chunked head", R"({"kind": "memory", "model": {"family": "gpt_neox", "hidden": 256, "layers": 2},
        "data": {"batch": 3, "seq": 128}, "training": {"loss_head": "chunked"}})");
    row("long rows", R"({"kind": "memory", "model": {"family": "plain", "hidden": 256, "vocab": 1000,
        "max_positions": 2048}, "data": {"batch": 2, "seq": 2048}})");
    row("checkpointed, tied", R"({"kind": "memory", "model": {"family": "gpt2", "hidden": 128, "layers": 4},
        "data": {"batch": 6, "seq": 200}, "training": {"checkpointing": true}})");
}

// A budget that the smallest of the fixed methods keeps to is one that the planner keeps to.
void TestClippingPlan::keepsToBudget()
{
    QFETCH(QByteArray, document);
    QFETCH(int, threads);
    QFETCH(bool, fused);
    Experiment experiment = experimentOf(document.constData());
    const EstimateOptions options = machineOf(threads, fused);
    const auto peak = [&](Clipping clipping) {
        experiment.training.clipping = clipping;
        const ClippingPlan plan = clippingPlan(experiment, options);
        const auto memory = simulateRun(experiment, options, clipping == Clipping::None ? nullptr : &plan);
        return memory ? memory->summary(false).peakBytes : -1;
    };
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Clipping clipping : {Clipping::PerSample, Clipping::Microbatch, Clipping::Ghost, Clipping::Flash,
                                    Clipping::GhostBk, Clipping::FlashBk})
        least = std::min(least, peak(clipping));
    QVERIFY(least > 0);
    const std::int64_t plain = peak(Clipping::None), unbound = peak(Clipping::Auto);
    QVERIFY2(unbound <= plain + plain / 100, qPrintable(QStringLiteral("%1 of %2").arg(unbound).arg(plain)));
    experiment.budgetBytes = least + least / 1000;
    const std::int64_t bound = peak(Clipping::Auto);
    QVERIFY2(bound <= experiment.budgetBytes, qPrintable(QStringLiteral("%1 of %2").arg(bound).arg(least)));
}

// Where the budget lies just above what a method takes on a machine of many threads, the plan for one thread, which
// takes less there, would go over it.
void TestClippingPlan::knowsItsMachine()
{
    Experiment experiment = experimentOf(R"({"kind": "memory", "model": {"family": "plain", "hidden": 128, "vocab": 500,
        "layers": 2, "max_positions": 1024}, "data": {"batch": 4, "seq": 1024}, "training": {"clipping": "auto"}})");
    const auto peakOf = [&](const ClippingPlan& plan, const EstimateOptions& options) {
        const auto memory = simulateRun(experiment, options, &plan);
        return memory ? memory->summary(false).peakBytes : std::int64_t{-1};
    };
    const EstimateOptions one = machineOf(1, true);
    for (const EstimateOptions& other : {machineOf(16, true), machineOf(1, false)}) {
        int kept = 0;
        const std::int64_t free = peakOf(clippingPlan(experiment, other), other);
        for (int percent = 99; percent > 40; percent -= 2) {
            experiment.budgetBytes = free / 100 * percent;
            const std::int64_t own = peakOf(clippingPlan(experiment, other), other);
            const std::int64_t foreign = peakOf(clippingPlan(experiment, one), other);
            kept += own <= experiment.budgetBytes && foreign > experiment.budgetBytes ? 1 : 0;
            QVERIFY2(own <= std::max(experiment.budgetBytes, foreign),
                     qPrintable(QStringLiteral("%1 of %2, %3").arg(own).arg(experiment.budgetBytes).arg(foreign)));
        }
        experiment.budgetBytes = 0;
        QVERIFY(kept > 0);
    }
}

// Ranks that share a step's rows plan for the rows of one: as a single process with so many would.
void TestClippingPlan::ranksFollowOnePlan()
{
    const auto text = [](const ClippingPlan& plan) {
        std::string all = std::to_string(plan.rowsPerPass) + (plan.microbatch ? " microbatch " : " ");
        all += std::string(name(plan.rule.norm)) + "/" + std::string(name(plan.rule.sum));
        for (const auto& [parameter, rule] : plan.own)
            all += " " + parameter + " " + std::string(name(rule.norm)) + "/" + std::string(name(rule.sum));
        return all;
    };
    const char* const document = R"({"kind": "memory", "model": {"family": "gpt2", "hidden": 128, "layers": 2,
        "vocab": 500}, "data": {"batch": 14, "seq": 64}, "budget_bytes": 16000000,
        "training": {"clipping": "auto", "sharding": "zero3"}, "ranks": 4})";
    const EstimateOptions machine = machineOf(1, true);
    Experiment whole = experimentOf(document);
    Experiment own = whole;
    own.ranks = 0;
    own.training.sharding = Sharding::None;
    own.data.batch = own.data.maxPhysicalBatch = 4; // 14 rows are 3, 4, 3 and 4
    const ClippingPlan plan = clippingPlanOfRank(whole, machine, 4);
    QVERIFY(plan.rowsPerPass <= 4);
    QCOMPARE(text(plan), text(clippingPlan(own, machine)));
    whole.ranks = 0;
    QCOMPARE(text(clippingPlanOfRank(whole, machine, 1)), text(clippingPlan(whole, machine)));
    whole.data.maxPhysicalBatch = 1;
    QCOMPARE(clippingPlanOfRank(whole, machine, 4).rowsPerPass, std::int64_t{1});
}

void TestClippingPlan::searchesLittle_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<double>("share"); // of the peak without a budget; 0: no budget
    for (const qint64 rows : {1, 8, 64, 512}) {
        QTest::addRow("%lld rows, no budget", static_cast<long long>(rows)) << rows << 0.0;
        QTest::addRow("%lld rows, a small budget", static_cast<long long>(rows)) << rows << 0.5;
        QTest::addRow("%lld rows, a budget that nothing fits", static_cast<long long>(rows)) << rows << 0.01;
    }
}

// Simulations do not grow with the rows of a batch, and an estimate searches once.
void TestClippingPlan::searchesLittle()
{
    QFETCH(qint64, rows);
    QFETCH(double, share);
    Experiment experiment = experimentOf(R"({"kind": "memory", "model": {"family": "opt", "hidden": 64, "layers": 24,
        "vocab": 300, "max_positions": 64}, "data": {"batch": 4, "seq": 32}, "training": {"clipping": "auto"}})");
    experiment.data.batch = experiment.data.maxPhysicalBatch = rows;
    const EstimateOptions options;
    const auto free = simulateTraining(experiment, options);
    QVERIFY(free.ok());
    experiment.budgetBytes = static_cast<std::int64_t>(share * static_cast<double>(free->peakBytes));
    ClippingSearch search(experiment, options);
    const std::uint64_t before = simulatedRuns();
    search.plan();
    const std::uint64_t searched = simulatedRuns() - before;
    QVERIFY(search.simulations() <= ClippingSearch::kMostSimulations);
    QVERIFY2(searched <= 2 * search.simulations(), qPrintable(QString::number(searched))); // two shallow runs each
    const auto estimate = simulateTraining(experiment, options);
    QVERIFY(estimate.ok());
    // The search's and the run itself.
    QVERIFY2(simulatedRuns() - before <= 2 * searched + 1, qPrintable(QString::number(simulatedRuns() - before)));
}

// Adapters that no plan can have: nothing but the plain step and the run are tried, and the run says what is wrong.
void TestClippingPlan::impossibleAdapters()
{
    Experiment experiment = experimentOf(R"({"kind": "memory", "model": {"family": "opt", "hidden": 64, "layers": 3},
        "data": {"batch": 64, "seq": 16}, "training": {"clipping": "auto", "lora": {"rank": 4}}})");
    experiment.training.lora.targets = {"no_such_layer"};
    for (const std::int64_t budget : {0, 1'000'000}) {
        experiment.budgetBytes = budget;
        const std::uint64_t before = simulatedRuns();
        const auto estimate = simulateTraining(experiment);
        QVERIFY(!estimate.ok());
        QVERIFY(estimate.error().text().find("no_such_layer") != std::string::npos);
        QVERIFY2(simulatedRuns() - before <= 2, qPrintable(QString::number(simulatedRuns() - before)));
    }
}

void TestClippingPlan::fixedMethods()
{
    Experiment experiment = experimentOf(
        R"({"kind": "memory", "model": {"family": "opt"}, "data": {"batch": 4, "max_physical_batch": 2}})");
    experiment.training.clipping = Clipping::GhostBk;
    ClippingPlan plan = clippingPlan(experiment, {});
    QCOMPARE(plan.rowsPerPass, 2);
    QCOMPARE(plan.of("any").norm, NormRule::Gram);
    QCOMPARE(plan.of("any").sum, SumRule::Keep);
    experiment.training.clipping = Clipping::Microbatch;
    plan = clippingPlan(experiment, {});
    QVERIFY(plan.microbatch);
    QCOMPARE(plan.rowsPerPass, 1);
}

void TestClippingPlan::epsilon_data()
{
    QTest::addColumn<double>("sigma");
    QTest::addColumn<double>("rate");
    QTest::addColumn<int>("steps");
    QTest::addColumn<double>("delta");
    QTest::addColumn<double>("expected"); // opacus 1.6, RDPAccountant's default orders
    const auto row = [](const char* name, double sigma, double rate, int steps, double delta, double expected) {
        QTest::newRow(name) << sigma << rate << steps << delta << expected;
    };
    row("sigma 1.1, q 0.00426667, 14062 steps", 1.1, 0.004266666666666667, 14062, 1e-05, 2.5965558689607486);
    row("sigma 0.5, q 0.001, 1000 steps", 0.5, 0.001, 1000, 1e-06, 5.329067567391664);
    row("sigma 4.0, q 0.5, 100 steps", 4.0, 0.5, 100, 1e-05, 6.350179544185608);
    row("sigma 1.0, q 1, 10 steps", 1.0, 1.0, 10, 1e-05, 19.05359753163139);
    row("sigma 10.0, q 0.01, 10000 steps", 10.0, 0.01, 10000, 1e-09, 0.5680346372645397);
    row("sigma 0.8, q 0.1, 1 steps", 0.8, 0.1, 1, 1e-05, 3.2526021069160547);
    row("sigma 1.5, q 1e-05, 100000 steps", 1.5, 1e-05, 100000, 1e-08, 0.2701197472986766);
}

void TestClippingPlan::epsilon()
{
    QFETCH(double, sigma);
    QFETCH(double, rate);
    QFETCH(int, steps);
    QFETCH(double, delta);
    QFETCH(double, expected);
    const auto cost = privacyCost({sigma, rate, steps, delta});
    QVERIFY(cost.ok());
    QVERIFY2(std::abs(cost->epsilon / expected - 1) < 1e-9, qPrintable(QString::number(cost->epsilon, 'g', 15)));
}

// Mironov et al. 2019, equation 8 (order a over i): sums of positive terms, here in long double.
double wholeOrderDivergence(double sigma, double rate, int order)
{
    long double sum = 0, choose = 1;
    for (int i = 0; i <= order; ++i) {
        sum += choose * std::pow(static_cast<long double>(rate), i) *
               std::pow(1 - static_cast<long double>(rate), order - i) *
               std::exp((static_cast<long double>(i) * i - i) / (2 * static_cast<long double>(sigma) * sigma));
        choose = choose * (order - i) / (i + 1);
    }
    return static_cast<double>(std::log(sum) / (order - 1));
}

void TestClippingPlan::epsilonOfWholeOrders()
{
    for (const auto& [sigma, rate, order] : {std::tuple{1.0, 0.1, 2},
                                             {1.1, 0.01, 11},
                                             {2.0, 0.3, 40},
                                             {5.0, 0.02, 63},
                                             {20.0, 0.01, 128},
                                             {40.0, 0.005, 512},
                                             {60.0, 0.01, 1024}}) {
        const double found = renyiOfStep(sigma, rate, order), right = wholeOrderDivergence(sigma, rate, order);
        QVERIFY2(std::abs(found / right - 1) < 1e-8,
                 qPrintable(QString("%1: %2, %3").arg(order).arg(found).arg(right)));
    }
}

// Rows that a step takes count, whatever its gradients are divided by. Without sampling a step of a row's norm c beside
// noise s has divergence a c² / 2 s² at order a, and so epsilon has a closed form at each order.
void TestClippingPlan::epsilonOfWhatIsSampled()
{
    const auto unsampled = [](double sigma, int steps, double order) {
        return steps * order / (2 * sigma * sigma) - (std::log(1e-5) + std::log(order)) / (order - 1) +
               std::log((order - 1) / order);
    };
    const auto least = [&](double sigma, int steps) {
        double found = std::numeric_limits<double>::infinity();
        for (int tenth = 1; tenth < 100; ++tenth)
            found = std::min(found, unsampled(sigma, steps, 1 + tenth / 10.0));
        return found;
    };
    Experiment experiment;
    experiment.training.noiseMultiplier = 1;
    experiment.data.batch = 6;
    const auto epsilon = [&](std::int64_t rows, std::int64_t steps) {
        return privacyCost(experiment, rows, steps)->epsilon;
    };
    QVERIFY(std::abs(epsilon(6, 10) - least(1, 10)) < 1e-12);
    QVERIFY(std::abs(epsilon(6, 10) - 19.0536) < 1e-4); // Opacus
    experiment.training.privacy.expectedBatch = 1;
    QVERIFY(std::abs(epsilon(6, 10) - 19.0536) < 1e-4);
    experiment.training.privacy.poisson = true; // now one row of six is drawn
    QCOMPARE(epsilon(6, 10), privacyCost({1, 1.0 / 6, 10, 1e-5})->epsilon);
    QVERIFY(epsilon(6, 10) < 6);
    experiment.training.privacy = {};
    experiment.data.batch = 20; // of six rows, some four times
    QVERIFY(std::abs(epsilon(6, 1) - least(0.25, 1)) < 1e-12);
    QVERIFY(std::abs(epsilon(6, 1) - 25.93) < 0.005);
    experiment.data.batch = 3;
    QCOMPARE(epsilon(6, 10), privacyCost({1, 0.5, 10, 1e-5})->epsilon);
}

void TestClippingPlan::epsilonAtTheLastOrder()
{
    const auto little = privacyCost({100, 0.001, 10, 1e-5});
    QCOMPARE(little->order, 1024.0);
    const double least = 10 * wholeOrderDivergence(100, 0.001, 1024) - (std::log(1e-5) + std::log(1024)) / 1023 +
                         std::log(1023.0 / 1024);
    QVERIFY2(std::abs(little->epsilon / least - 1) < 1e-6, qPrintable(QString::number(little->epsilon)));
    QVERIFY(little->epsilon < 0.004); // at order 63 it would be 0.103
    QVERIFY(QString::fromStdString(privacyNote(*little)).contains("Renyi order 1024, the highest"));
    const auto much = privacyCost({0.05, 1, 100, 1e-5});
    QCOMPARE(much->order, 1.1);
    QVERIFY(QString::fromStdString(privacyNote(*much)).contains("1.1, the lowest"));
    QVERIFY(privacyNote(*privacyCost({1, 1, 10, 1e-5})).empty());
    QVERIFY(privacyNote(*privacyCost({1, 1, 0, 1e-5})).empty());
}

void TestClippingPlan::refusesImpossibleRuns()
{
    QVERIFY(!privacyCost({0, 0.1, 10, 1e-5}).ok());
    QVERIFY(!privacyCost({1, 1.5, 10, 1e-5}).ok());
    QVERIFY(!privacyCost({1, 0.1, -1, 1e-5}).ok());
    QVERIFY(!privacyCost({1, 0.1, 10, 0}).ok());
    // Noise that is next to none, or endless, ends the series all the same.
    for (const double rate : {0.01, 0.5, 1.0}) {
        QVERIFY(!privacyCost({1e-160, rate, 10, 1e-5}).ok());
        QVERIFY(privacyCost({1e155, rate, 10, 1e-5})->epsilon < 0.0036); // what delta alone gives
        QVERIFY(privacyCost({1e-8, rate, 10, 1e-5})->epsilon > 1e10);
    }
    QCOMPARE(privacyCost({1, 0.1, 0, 1e-5})->epsilon, 0.0);
    QCOMPARE(privacyCost({1, 0, 100, 1e-5})->epsilon, 0.0);
}

PEAKSCOPE_GUILESS_TEST(TestClippingPlan)
#include "test_clipping_plan.moc"
