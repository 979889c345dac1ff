// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The planner of clipped steps against all plans there are, and epsilon against Opacus' accountant.
#include "core/planning/clipping_plan_search.h"
#include "core/planning/privacy_accountant.h"
#include "core/planning/simulation/simulate_training.h"

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
    void epsilon();
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
    const ClippingSearch search(experiment);
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
    const auto row = [](const char* name, const char* document) { QTest::newRow(name) << QByteArray(document); };
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
    Experiment experiment = experimentOf(document.constData());
    const auto peak = [&](Clipping clipping) {
        experiment.training.clipping = clipping;
        const auto memory = simulateRun(experiment, EstimateOptions());
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

void TestClippingPlan::fixedMethods()
{
    Experiment experiment = experimentOf(
        R"({"kind": "memory", "model": {"family": "opt"}, "data": {"batch": 4, "max_physical_batch": 2}})");
    experiment.training.clipping = Clipping::GhostBk;
    ClippingPlan plan = clippingPlan(experiment);
    QCOMPARE(plan.rowsPerPass, 2);
    QCOMPARE(plan.of("any").norm, NormRule::Gram);
    QCOMPARE(plan.of("any").sum, SumRule::Keep);
    experiment.training.clipping = Clipping::Microbatch;
    plan = clippingPlan(experiment);
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

void TestClippingPlan::refusesImpossibleRuns()
{
    QVERIFY(!privacyCost({0, 0.1, 10, 1e-5}).ok());
    QVERIFY(!privacyCost({1, 1.5, 10, 1e-5}).ok());
    QVERIFY(!privacyCost({1, 0.1, -1, 1e-5}).ok());
    QVERIFY(!privacyCost({1, 0.1, 10, 0}).ok());
    // Noise that is next to none, or endless, ends the series all the same.
    for (const double rate : {0.01, 0.5, 1.0}) {
        QVERIFY(!privacyCost({1e-160, rate, 10, 1e-5}).ok());
        QVERIFY(privacyCost({1e155, rate, 10, 1e-5})->epsilon < 0.11); // what delta alone gives
        QVERIFY(privacyCost({1e-8, rate, 10, 1e-5})->epsilon > 1e10);
    }
    QCOMPARE(privacyCost({1, 0.1, 0, 1e-5})->epsilon, 0.0);
    QCOMPARE(privacyCost({1, 0, 100, 1e-5})->epsilon, 0.0);
}

QTEST_GUILESS_MAIN(TestClippingPlan)
#include "test_clipping_plan.moc"
