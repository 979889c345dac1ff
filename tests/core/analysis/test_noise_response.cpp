// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of perturbation responses, scores of membership attacks, sections of the result and the synthetic mode.
#include "core/analysis/embedding/membership_scores.h"
#include "core/analysis/response/response_document.h"
#include "core/analysis/response/response_summary.h"
#include "core/analysis/response/response_text.h"
#include "core/import/convert.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>

using namespace peakscope;

namespace {

bool close(double a, double b, double tolerance = 1e-9)
{
    return std::abs(a - b) <= tolerance;
}

NoiseResponse answer(double sigma, UnitClass unitClass, bool control, int repeat, double logPerplexity, double auc)
{
    NoiseResponse response{sigma, unitClass, control, repeat, 0, 10 * logPerplexity, logPerplexity, {}};
    response.attacks.push_back({"loss", 0.8 + auc, 0.7, 0.9, auc, 0.02});
    return response;
}

// Wfunc less its control by 1, 2, 3 at the one sigma.
std::vector<NoiseResponse> threeSeeds()
{
    std::vector<NoiseResponse> responses;
    for (int repeat = 0; repeat < 3; ++repeat) {
        responses.push_back(answer(0.1, UnitClass::Func, false, repeat, 1.5 + repeat, -0.2));
        responses.push_back(answer(0.1, UnitClass::Func, true, repeat, 0.5, -0.1));
    }
    return responses;
}

SyntheticOptions syntheticOptions()
{
    return {{0.0, 0.01, 0.1}, 3, {}};
}

} // namespace

class TestNoiseResponse : public QObject
{
    Q_OBJECT

private slots:
    void summaryIsStudents();
    void comparisonIsPaired();
    void holmIsByMeasure();
    void oneSeedHasNoInterval();
    void slopeOfASquare();
    void sampleErrorWidensAttacks();
    void attackScoresOfTokens();
    void packedText();
    void rowsOfTheResult();
    void tableAndWords();
    void numbersThatOverflowedAreNull();
    void lostPointsLeaveTheRest();
    void effectsOfRows();
    void changesOfAnAucKeepTheirBounds();
    void scaledFeatures();
    void syntheticSaysSo();
    void syntheticRefusals();
};

void TestNoiseResponse::summaryIsStudents()
{
    const auto summaries = summarizeResponses(threeSeeds());
    QCOMPARE(summaries.size(), std::size_t(2));
    QVERIFY(!summaries[0].control && summaries[1].control);
    // 1.5, 2.5, 3.5: mean 2.5, error 1 / sqrt 3, t of two degrees 4.302652729911275.
    QVERIFY(close(summaries[0].deltaLogPerplexity.mean, 2.5));
    QVERIFY(close(summaries[0].deltaLogPerplexity.high, 2.5 + 4.302652729911275 / std::sqrt(3.0), 1e-8));
    QVERIFY(close(summaries[0].deltaPerplexity.mean, 25));
    // Every seed is judged by the same samples: the error of one stays.
    QVERIFY(close(summaries[0].aucHigh - summaries[0].deltaAuc.mean, 1.959963984540054 * 0.02, 1e-9));
}

void TestNoiseResponse::comparisonIsPaired()
{
    const auto comparisons = compareWithControls(threeSeeds());
    QCOMPARE(comparisons.size(), std::size_t(2));
    QCOMPARE(comparisons[0].measure, std::string("log_perplexity"));
    QVERIFY(close(comparisons[0].difference.mean, 2));
    // Two degrees of freedom have a closed form: p = 1 - t / sqrt(2 + t²), t = 2 sqrt 3.
    QVERIFY(close(comparisons[0].pValue, 1 - std::sqrt(12.0 / 14.0), 1e-9));
    QVERIFY(close(comparisons[0].cliff, 1));
    // The same difference in every seed: what is left is the samples' error, 0.02 in both groups.
    QCOMPARE(comparisons[1].measure, std::string("loss"));
    QVERIFY(close(comparisons[1].difference.mean, -0.1));
    QVERIFY(close(comparisons[1].sampleError, 0.02 * std::sqrt(2.0)));
    QVERIFY(close(comparisons[1].pValue, 2 * normalCdf(-0.1 / (0.02 * std::sqrt(2.0))), 1e-7));
    // And without that error nothing is left to test against.
    std::vector<NoiseResponse> exact = threeSeeds();
    for (NoiseResponse& response : exact)
        response.attacks.front().deltaError = 0;
    const auto untested = compareWithControls(exact);
    QVERIFY(std::isnan(untested[1].pValue) && std::isnan(untested[1].adjusted));
}

void TestNoiseResponse::sampleErrorWidensAttacks()
{
    std::vector<NoiseResponse> responses = threeSeeds();
    for (NoiseResponse& response : responses)
        response.attacks.front().deltaAuc = response.control ? 0 : -0.1 - 0.01 * response.repeat;
    const ControlComparison comparison = compareWithControls(responses)[1];
    // Errors of seeds 0.01 / sqrt 3 and of samples 0.02 sqrt 2; degrees 2 (1 + 24)² = 1250 by Welch and Satterthwaite.
    const double error = std::sqrt(1e-4 / 3 + 8e-4);
    QVERIFY(close(comparison.difference.standardError, error, 1e-12));
    QVERIFY(close(comparison.difference.high, -0.11 + studentQuantile(0.975, 1250) * error, 1e-9));
    QVERIFY(close(comparison.pValue, 2 * studentCdf(-0.11 / error, 1250), 1e-9));
}

void TestNoiseResponse::holmIsByMeasure()
{
    std::vector<NoiseResponse> responses = threeSeeds();
    for (NoiseResponse response : threeSeeds()) {
        response.sigma = 0.2;
        responses.push_back(response);
    }
    const auto comparisons = compareWithControls(responses);
    QCOMPARE(comparisons.size(), std::size_t(4));
    for (const ControlComparison& comparison : comparisons) {
        if (comparison.measure == "log_perplexity") // two equal p-values: both doubled
            QVERIFY(close(comparison.adjusted, 2 * comparison.pValue));
    }
}

void TestNoiseResponse::oneSeedHasNoInterval()
{
    const std::vector<NoiseResponse> responses = {answer(0.1, UnitClass::Sens, false, 0, 1, -0.1),
                                                  answer(0.1, UnitClass::Sens, true, 0, 2, -0.1)};
    const nlohmann::json section = responseSection(responses);
    QVERIFY(section["summary"][0]["delta_ppl_ci"][0].is_null());
    QVERIFY(section["comparisons"][0]["p_value"].is_null());
    QVERIFY(section["comparisons"][0]["p_value_holm"].is_null());
    QCOMPARE(section["hypotheses"][0]["verdict"].get<std::string>(), std::string("cannot_be_told"));
}

void TestNoiseResponse::slopeOfASquare()
{
    std::vector<NoiseResponse> responses;
    for (const double sigma : {0.0, 0.01, 0.02, 0.04}) {
        for (int repeat = 0; repeat < 3; ++repeat)
            responses.push_back(answer(sigma, UnitClass::Both, false, repeat, (5 + 0.01 * repeat) * sigma * sigma, 0));
    }
    const auto trends = responseTrends(responses);
    QCOMPARE(trends.front().slopePoints, 3);
    QVERIFY(close(trends.front().slope->slope, 2, 1e-9));
    QVERIFY(trends.front().correlation > 0.95);
}

void TestNoiseResponse::attackScoresOfTokens()
{
    std::vector<double> log, mean, deviation;
    for (int i = 1; i <= 10; ++i) {
        log.push_back(-i);
        mean.push_back(-2);
        deviation.push_back(i == 10 ? 0 : 2);
    }
    const TokenStatistics tokens{log, mean, deviation};
    QVERIFY(close(minKScore(tokens, 1), -5.5)); // the mean of all
    QVERIFY(close(minKScore(tokens), -9.5));
    QVERIFY(close(minKScore(tokens, 0.01), -10)); // one token at least
    // The tenth says nothing (0), so the lowest two are those of -9 and -8.
    QVERIFY(close(minKPlusPlusScore(tokens), (-3.5 - 3) / 2));
    QVERIFY(std::isnan(minKScore({})));
    // Even but for rounding.
    const std::vector<double> same{-2.4, -2.4 + 1e-15}, even{-2.4, -2.4}, rounding{1e-8, 3e-16};
    QCOMPARE(minKPlusPlusScore({same, even, rounding}), 0.0);
}

// As Python's zlib.compress has it.
void TestNoiseResponse::packedText()
{
    QCOMPARE(zlibBytes(std::string(1000, 'a')), std::int64_t(17));
    QCOMPARE(zlibBytes("Name: Emma; city: Riga"), std::int64_t(30));
    QVERIFY(zlibBytes("") >= 1);
}

void TestNoiseResponse::rowsOfTheResult()
{
    const nlohmann::json section = responseSection(threeSeeds());
    QCOMPARE(section["results"].size(), std::size_t(6));
    const nlohmann::json& row = section["results"][1];
    QCOMPARE(row["param_type"].get<std::string>(), std::string("control"));
    QCOMPARE(row["control_of"].get<std::string>(), std::string("Wfunc"));
    for (const char* key : {"noise_level", "repeat", "perplexity", "delta_ppl", "attack", "auc", "delta_auc"})
        QVERIFY2(row.contains(key), key);
    QVERIFY(section["summary"][0].contains("delta_auc_ci"));
}

void TestNoiseResponse::tableAndWords()
{
    RunResult run;
    run.kind = ResultKind::Prm;
    run.other["prm"] = responseSection(threeSeeds());
    const auto table = mainTable({run});
    QVERIFY(table.ok());
    const std::string csv = toCsv(*table);
    const std::string head = csv.substr(0, csv.find('\r'));
    for (const char* column : {"control_of", "auc_ci_low", "auc_ci_high", "delta_auc_ci_low"})
        QVERIFY2(head.find(column) != std::string::npos, head.c_str());
    QVERIFY(csv.find('[') == std::string::npos);
    const std::string words = summaryText({run});
    QVERIFY2(words.find("control of Wfunc: perplexity +5 [") != std::string::npos, words.c_str());
    QVERIFY(words.find("hypotheses, judged against random groups") != std::string::npos);
    QVERIFY(responseLines(nlohmann::json(), nlohmann::json()).empty());
    QVERIFY(responseLines({{"summary", 7}, {"hypotheses", {3}}, {"baseline", nullptr}}, {{"counts", 1}}).empty());
}

void TestNoiseResponse::numbersThatOverflowedAreNull()
{
    NoiseResponse response = answer(3, UnitClass::Func, false, 0, INFINITY, std::nan(""));
    response.perplexity = INFINITY;
    const nlohmann::json section = responseSection(std::vector{response});
    const auto written = nlohmann::json::parse(section.dump(), nullptr, false);
    QVERIFY(!written.is_discarded());
    QVERIFY(written["results"][0]["perplexity"].is_null());
    QVERIFY(written["results"][0]["delta_auc"].is_null());
}

// Noise that leaves no number takes itself out of the trend, and its own means; what else was measured stays.
void TestNoiseResponse::lostPointsLeaveTheRest()
{
    std::vector<NoiseResponse> responses = threeSeeds();
    const nlohmann::json before = responseSection(responses);
    for (const bool control : {false, true}) {
        for (int repeat = 0; repeat < 3; ++repeat) {
            NoiseResponse lost = answer(1e15, UnitClass::Func, control, repeat, NAN, NAN);
            lost.perplexity = lost.deltaPerplexity = NAN;
            responses.push_back(lost);
        }
    }
    const nlohmann::json section = nlohmann::json::parse(responseSection(responses).dump());
    QCOMPARE(section["results"].size(), std::size_t(12));
    QVERIFY(section["results"][0] == before["results"][0] && section["summary"][0] == before["summary"][0]);
    QVERIFY(section["summary"][2]["delta_log_ppl_mean"].is_null() && section["comparisons"][2]["p_value"].is_null());
    QVERIFY(section["comparisons"][0]["p_value"] == before["comparisons"][0]["p_value"]);
    QVERIFY(section["trends"] == before["trends"]);
    for (NoiseResponse& response : responses)
        response.deltaLogPerplexity *= response.sigma == 0.1 ? 1e200 : 1;
    const nlohmann::json large = responseSection(responses)["comparisons"][0];
    QVERIFY2(large["p_value"].is_null(), large.dump().c_str());
    // One of three seeds: a mean of the others would be of the mildest noise.
    std::vector<NoiseResponse> one = threeSeeds();
    one[4].deltaLogPerplexity = INFINITY;
    QVERIFY(responseSection(one)["summary"][0]["delta_log_ppl_mean"].is_null());
    const std::vector<double> spoilt{-1, NAN, -3}, even{-2, -2, -2};
    QVERIFY(std::isnan(minKScore({spoilt, even, even})) && std::isnan(minKPlusPlusScore({spoilt, even, {{2, 2, 2}}})));
}

// Rows of a file without comparisons: what a seed has no number for is not compared.
void TestNoiseResponse::effectsOfRows()
{
    std::vector<ResponseRow> rows;
    for (int repeat = 0; repeat < 4; ++repeat) {
        for (const bool control : {false, true}) {
            ResponseRow row;
            row.group = {control ? UnitGroup::Control : UnitGroup::Func, std::nullopt};
            row.sigma = 0.1;
            row.repeat = repeat;
            row.deltaLogPerplexity = control ? 0.5 : 1.5 + repeat;
            rows.push_back(row);
        }
    }
    rows[6].deltaLogPerplexity = NAN; // of the class, by the fourth seed
    bool hasControl = false;
    std::vector<GroupEffect> effects = effectsOf(rows, hasControl);
    QCOMPARE(effects.size(), std::size_t(1));
    QVERIFY(close(effects[0].difference.mean, 2)); // 1, 2, 3, as threeSeeds()
    QVERIFY(close(effects[0].pValue, 1 - std::sqrt(12.0 / 14.0), 1e-9));
    for (ResponseRow& row : rows)
        row.deltaLogPerplexity = row.group.group == UnitGroup::Control ? 0.5 : 1;
    effects = effectsOf(rows, hasControl);
    QVERIFY(close(effects[0].difference.mean, 0.5) && std::isnan(effects[0].pValue));
}

void TestNoiseResponse::changesOfAnAucKeepTheirBounds()
{
    std::vector<NoiseResponse> two; // Student's t of one degree is 12.7: the interval would reach to -1.62
    for (const double change : {-0.25, -0.45})
        two.push_back(answer(0.1, UnitClass::Func, false, static_cast<int>(two.size()), 1, change));
    const ResponseSummary wide = summarizeResponses(two)[0];
    QVERIFY(close(wide.deltaAuc.mean, -0.35) && wide.deltaAuc.low == -1);
    QVERIFY(close(wide.deltaAuc.high, -0.35 + 12.706204736174698 * 0.1, 1e-9));
    two[1].attacks.front().deltaAuc = -0.25; // seeds that agree
    two[0].attacks.front().deltaError = two[1].attacks.front().deltaError = 0;
    const nlohmann::json section = responseSection(two);
    for (const char* key : {"delta_auc_ci", "delta_auc_delong_ci"})
        QVERIFY2(section["summary"][0][key] == nlohmann::json::array({nullptr, nullptr}), key);
    QVERIFY(section["results"][0]["delta_auc_ci"][0].is_null());
    two.resize(1); // without noise nothing changes, exactly
    two[0].attacks.front().deltaAuc = 0;
    QVERIFY(responseSection(two)["results"][0]["delta_auc_ci"] == nlohmann::json::array({0.0, 0.0}));
    QVERIFY(std::isnan(changeInterval(NAN, 0.1).first) && std::isnan(changeInterval(0, NAN).second));
}

void TestNoiseResponse::scaledFeatures()
{
    const EmbeddingInput input =
        embeddingInput({"share", "same", "decades", "nothing"},
                       {{0.1, 7, 1e-6, NAN}, {0.2, 7, 1, NAN}, {0.3, 7, 1e6, NAN}, {NAN, 7, 2, NAN}});
    QCOMPARE(input.rows, std::int64_t(4));
    QCOMPARE(input.columns, std::int64_t(2));
    QCOMPARE(input.names.back(), std::string("decades"));
    QVERIFY(close(input.values[0], -1)); // mean 0.2, deviation 0.1
    QVERIFY(close(input.values[6], 0));  // missing: the mean
    QVERIFY(std::abs(input.values[5]) < 3);
    QCOMPARE(input.notes.size(), std::size_t(2));
}

void TestNoiseResponse::syntheticSaysSo()
{
    const auto run = syntheticRun(syntheticOptions(), 42);
    QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
    QVERIFY(run->sections["synthetic"].get<bool>());
    for (const char* key : {"features", "embedding", "partition", "prm"})
        QVERIFY2(run->sections[key]["synthetic"].get<bool>(), key);
    QVERIFY(run->notes.front().find("synthetic") == 0);
    const auto& counts = run->sections["partition"]["counts"];
    for (const char* key : {"Wfunc", "Wsens", "Wboth"})
        QVERIFY2(counts[key].get<int>() > 0, key);
    // Three scales, three classes with a control each, three seeds.
    QCOMPARE(run->sections["prm"]["results"].size(), std::size_t(54));
    const auto again = syntheticRun(syntheticOptions(), 42);
    QVERIFY(run->sections == again->sections);
}

void TestNoiseResponse::syntheticRefusals()
{
    SyntheticOptions options = syntheticOptions();
    options.thresholds.funcAlignment = 0.2;
    options.thresholds.sensSparsity = 0.1;
    const auto overlapping = syntheticRun(options, 1);
    QVERIFY(!overlapping.ok());
    QVERIFY(overlapping.error().text().find("overlap") != std::string::npos);
    options = syntheticOptions();
    options.sigmas = {-1};
    QVERIFY(!syntheticRun(options, 1).ok());
}

PEAKSCOPE_GUILESS_TEST(TestNoiseResponse)
#include "test_noise_response.moc"
