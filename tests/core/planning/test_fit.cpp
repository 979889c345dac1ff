// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Fitting an experiment to a budget: the most rows that the estimator lets through, the ladder below, and refusals.
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/recommend/recommender.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;

namespace {

nlohmann::json document()
{
    return {{"kind", "memory"},
            {"model", {{"family", "llama"}, {"hidden", 128}, {"layers", 3}, {"heads", 4}, {"vocab", 512}}},
            {"weights", "random"},
            {"device", "cpu"},
            {"threads", 2},
            {"fit", true},
            {"data", {{"batch", 4}, {"seq", 64}}},
            {"training", {{"optimizer", "adam"}}}};
}

std::int64_t peakOf(const nlohmann::json& text, bool cuda)
{
    const auto experiment = experimentFromJson(text);
    EstimateOptions options;
    options.cuda = cuda;
    const auto estimate = estimateMemory(*experiment, options);
    return cuda ? estimate->peakReservedBytes : estimate->peakBytes;
}

} // namespace

class TestFit : public QObject
{
    Q_OBJECT

private slots:
    void init() { qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources"); }
    void cleanup() { qunsetenv("PEAKSCOPE_RESOURCES"); }
    void mostRows_data();
    void mostRows();
    void accumulation();
    void ladder();
    void exactWaysFirst();
    void curvature();
    void refusals_data();
    void refusals();
};

void TestFit::mostRows_data()
{
    QTest::addColumn<std::int64_t>("budget");
    QTest::addColumn<bool>("cuda");
    QTest::newRow("20 MiB") << (std::int64_t{20} << 20) << false;
    QTest::newRow("64 MiB") << (std::int64_t{64} << 20) << false;
    QTest::newRow("333 MB") << std::int64_t{333'000'000} << false;
    QTest::newRow("CUDA, 256 MiB") << (std::int64_t{256} << 20) << true;
}

// What was chosen fits, one row more does not.
void TestFit::mostRows()
{
    QFETCH(const std::int64_t, budget);
    QFETCH(const bool, cuda);
    const auto fitted = fitExperiment(*experimentFromJson(document()), budget, cuda);
    QVERIFY2(fitted.ok(), fitted.ok() ? "" : fitted.error().text().c_str());
    nlohmann::json chosen = fitted->experiment;
    QVERIFY(experimentFromJson(chosen).ok());
    QCOMPARE(chosen["fit"].get<bool>(), false);
    QCOMPARE(chosen["budget_bytes"].get<std::int64_t>(), budget);
    const auto rows = chosen["data"]["batch"].get<std::int64_t>();
    QVERIFY(peakOf(chosen, cuda) <= budget);
    QCOMPARE(peakOf(chosen, cuda), cuda ? fitted->estimate.peakReservedBytes : fitted->estimate.peakBytes);
    chosen["data"]["batch"] = rows + 1;
    chosen["data"]["max_physical_batch"] = rows + 1;
    if (!cuda) {
        QVERIFY(static_cast<double>(peakOf(chosen, cuda)) > 0.99 * static_cast<double>(budget));
    }
    const QString sentence = QString::fromStdString(fitted->sentence);
    QVERIFY2(sentence.contains(QString("data.batch %1,").arg(rows)), qPrintable(sentence));
}

// A batch that is wanted stays; the rows of one pass are what is fitted.
void TestFit::accumulation()
{
    nlohmann::json asked = document();
    asked["data"]["batch"] = 64;
    asked["data"]["max_physical_batch"] = 2;
    const auto fitted = fitExperiment(*experimentFromJson(asked), std::int64_t{24} << 20, false);
    QVERIFY2(fitted.ok(), fitted.ok() ? "" : fitted.error().text().c_str());
    QCOMPARE(fitted->experiment["data"]["batch"].get<int>(), 64);
    const int physical = fitted->experiment["data"]["max_physical_batch"].get<int>();
    QVERIFY2(physical > 2 && physical < 64, qPrintable(QString::number(physical)));
    QVERIFY(peakOf(fitted->experiment, false) <= std::int64_t{24} << 20);
}

// Each step below asks for less, and says what it gave up; in the end nothing is left.
void TestFit::ladder()
{
    const Experiment experiment = *experimentFromJson(document());
    const std::int64_t budget = std::int64_t{20} << 20;
    std::int64_t before = fitExperiment(experiment, budget, false)->estimate.peakBytes + 1;
    int steps = 0;
    for (int step = 0; step < 40; ++step) {
        const auto fitted = fitExperiment(experiment, budget, false, step);
        if (!fitted) {
            QVERIFY(fitted.error().text().find("nothing is left") != std::string::npos);
            break;
        }
        QVERIFY(fitted->estimate.peakBytes <= before);
        QVERIFY(step == 0 || fitted->sentence.find("ladder") != std::string::npos);
        before = fitted->estimate.peakBytes;
        ++steps;
    }
    QVERIFY2(steps > 3 && steps < 40, qPrintable(QString::number(steps)));
    const auto one = fitExperiment(experiment, budget, false, 1);
    const auto zero = fitExperiment(experiment, budget, false, 0);
    QCOMPARE(one->experiment["data"]["batch"].get<int>(), zero->experiment["data"]["batch"].get<int>() / 2);
}

// Where one row does not fit, what stays exact is tried before refusing.
void TestFit::exactWaysFirst()
{
    nlohmann::json asked = document();
    asked["model"]["layers"] = 24;
    asked["data"] = {{"batch", 1}, {"seq", 256}};
    asked["training"]["optimizer"] = "sgd";
    const std::int64_t plain = peakOf(asked, false);
    asked["training"]["checkpointing"] = true;
    const std::int64_t recomputed = peakOf(asked, false);
    QVERIFY(recomputed * 11 < plain * 10);
    asked["training"]["checkpointing"] = false;
    const auto fitted = fitExperiment(*experimentFromJson(asked), (plain + recomputed) / 2, false);
    QVERIFY2(fitted.ok(), fitted.ok() ? "" : fitted.error().text().c_str());
    QCOMPARE(fitted->experiment["training"]["checkpointing"].get<bool>(), true);
    QVERIFY(fitted->sentence.find("checkpointing") != std::string::npos);
}

// More entries take time, not memory: what was asked for is the most; a dense block shrinks until it fits.
void TestFit::curvature()
{
    nlohmann::json asked = document();
    asked["kind"] = "curvature";
    asked["curvature"] = {{"quantities", {"full"}}, {"parameters", {{"select", "sample"}, {"count", 8000}}}};
    const Experiment experiment = *experimentFromJson(asked);
    const auto enough = fitExperiment(experiment, std::int64_t{2} << 30, false);
    QVERIFY2(enough.ok(), enough.ok() ? "" : enough.error().text().c_str());
    QCOMPARE(enough->experiment["curvature"]["parameters"]["count"].get<int>(), 8000);
    const auto less = fitExperiment(experiment, std::int64_t{128} << 20, false);
    QVERIFY2(less.ok(), less.ok() ? "" : less.error().text().c_str());
    const int count = less->experiment["curvature"]["parameters"]["count"].get<int>();
    QVERIFY2(count > 1000 && count < 8000, qPrintable(QString::number(count)));
    QVERIFY(less->estimate.peakBytes <= std::int64_t{128} << 20);
    QVERIFY(less->sentence.find("curvature.parameters.count") != std::string::npos);
}

void TestFit::refusals_data()
{
    QTest::addColumn<std::int64_t>("budget");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("says");
    QTest::newRow("one row is too much") << (std::int64_t{1} << 20) << 3 << "not even one row fits";
    QTest::newRow("no budget") << std::int64_t{0} << 2 << "nothing to fit";
}

void TestFit::refusals()
{
    QFETCH(const std::int64_t, budget);
    QFETCH(const int, status);
    QFETCH(const QString, says);
    const auto fitted = fitExperiment(*experimentFromJson(document()), budget, false);
    QVERIFY(!fitted.ok());
    QVERIFY2(QString::fromStdString(fitted.error().text()).contains(says), fitted.error().text().c_str());
    QCOMPARE(exitStatus(fitted.error().code), status);
}

PEAKSCOPE_GUILESS_TEST(TestFit)
#include "test_fit.moc"
