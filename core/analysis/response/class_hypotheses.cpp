// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response/class_hypotheses.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace peakscope {
namespace {

using Json = nlohmann::json;

constexpr double kSignificance = 0.05;
// What counts as alike: a quarter of the random group's own change, and never less than one per cent of the perplexity
// or 0.01 of AUC.
constexpr double kAlikeShare = 0.25, kAlikeLeast = 0.01;

struct ClassExpectation {
    UnitClass unitClass;
    bool morePerplexity, moreAttack; // else: less than the random group
    const char* whole;               // of the class, a sentence
    const char* perplexity;
    const char* attack;
};

constexpr std::array kExpectations = {
    ClassExpectation{UnitClass::Func, true, false,
                     "Wfunc carries function: noise in it raises perplexity more than in a random group of equal size, "
                     "and changes the attacks' AUC less",
                     "noise in Wfunc raises perplexity more than noise in a random group",
                     "noise in Wfunc changes the attack's AUC less than noise in a random group"},
    ClassExpectation{UnitClass::Sens, false, true,
                     "Wsens carries what was memorised: noise in it changes the attacks' AUC more than in a random "
                     "group of equal size, and raises perplexity less",
                     "noise in Wsens raises perplexity less than noise in a random group",
                     "noise in Wsens changes the attack's AUC more than noise in a random group"},
    ClassExpectation{UnitClass::Both, true, true,
                     "Wboth carries both: noise in it raises perplexity and changes the attacks' AUC more than in a "
                     "random group of equal size",
                     "noise in Wboth raises perplexity more than noise in a random group",
                     "noise in Wboth changes the attack's AUC more than noise in a random group"},
};

std::string number(const char* format, double value)
{
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// Mean change of the class or of its random group by a measure; NaN where there is none.
double changeOf(std::span<const ResponseSummary> summaries, const ControlComparison& comparison, bool control)
{
    const bool perplexity = comparison.measure == kLogPerplexityMeasure;
    for (const ResponseSummary& summary : summaries) {
        if (summary.control == control && summary.unitClass == comparison.unitClass &&
            summary.sigma == comparison.sigma && (perplexity || summary.attack == comparison.measure))
            return perplexity ? summary.deltaLogPerplexity.mean : summary.deltaAuc.mean;
    }
    return std::nan("");
}

HypothesisTest testOf(const ControlComparison& comparison, std::span<const ResponseSummary> summaries, double adjusted)
{
    HypothesisTest test;
    test.sigma = comparison.sigma;
    test.repeats = comparison.strength.count;
    test.classChange = changeOf(summaries, comparison, false);
    test.controlChange = changeOf(summaries, comparison, true);
    test.difference = comparison.strength.mean;
    test.low = comparison.strength.low;
    test.high = comparison.strength.high;
    test.adjusted = adjusted;
    const double margin = std::max(kAlikeLeast, kAlikeShare * std::abs(test.controlChange));
    const bool tested = std::isfinite(test.adjusted);
    if (tested && test.adjusted < kSignificance && test.difference != 0)
        test.answer = test.difference > 0 ? RelativeAnswer::Stronger : RelativeAnswer::Weaker;
    else if (tested && test.low >= -margin && test.high <= margin)
        test.answer = RelativeAnswer::Alike;
    return test;
}

// Holm's correction over all classes, noise scales and attacks at once, for a class's expectation is called supported
// where one attack shows it; the perplexity is a family of its own.
std::vector<double> adjustedStrengths(std::span<const ControlComparison> comparisons)
{
    std::vector<double> adjusted(comparisons.size(), std::nan(""));
    for (const bool perplexity : {true, false}) {
        std::vector<double> pValues;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < comparisons.size(); ++i) {
            if ((comparisons[i].measure == kLogPerplexityMeasure) == perplexity &&
                std::isfinite(comparisons[i].strengthPValue)) {
                pValues.push_back(comparisons[i].strengthPValue);
                places.push_back(i);
            }
        }
        const std::vector<double> family = holmAdjusted(pValues);
        for (std::size_t i = 0; i < places.size(); ++i)
            adjusted[places[i]] = family[i];
    }
    return adjusted;
}

std::int64_t countOf(const HypothesisFinding& finding, RelativeAnswer answer)
{
    return std::count_if(finding.tests.begin(), finding.tests.end(),
                         [answer](const HypothesisTest& test) { return test.answer == answer; });
}

HypothesisOutcome outcomeOf(const HypothesisFinding& finding)
{
    const std::int64_t stronger = countOf(finding, RelativeAnswer::Stronger);
    const std::int64_t weaker = countOf(finding, RelativeAnswer::Weaker);
    if (stronger > 0 && weaker > 0)
        return HypothesisOutcome::NotSupported;
    if (stronger + weaker > 0)
        return (stronger > 0) == finding.expectsMore ? HypothesisOutcome::Supported : HypothesisOutcome::Contradicted;
    const auto tests = static_cast<std::int64_t>(finding.tests.size());
    return tests > 0 && countOf(finding, RelativeAnswer::Alike) == tests ? HypothesisOutcome::NotSupported
                                                                         : HypothesisOutcome::CannotBeTold;
}

// "at noise 0.1, 0.3", of the scales with that answer.
std::string scalesText(const HypothesisFinding& finding, RelativeAnswer answer)
{
    std::string text;
    for (const HypothesisTest& test : finding.tests) {
        if (test.answer == answer)
            text += (text.empty() ? "at noise " : ", ") + number("%.3g", test.sigma);
    }
    return text;
}

const HypothesisTest* clearestOf(const HypothesisFinding& finding)
{
    const HypothesisTest* clearest = nullptr;
    for (const HypothesisTest& test : finding.tests) {
        if (std::isfinite(test.adjusted) && (!clearest || test.adjusted < clearest->adjusted))
            clearest = &test;
    }
    return clearest;
}

std::string numbersText(const HypothesisTest& test, bool attack)
{
    return "clearest at noise " + number("%.3g", test.sigma) + ": " + number("%+.3g", test.classChange) + " against " +
           number("%+.3g", test.controlChange) + (attack ? ", difference in size " : ", difference ") +
           number("%+.3g", test.difference) + " [" + number("%+.3g", test.low) + ", " + number("%+.3g", test.high) +
           "], " + std::to_string(test.repeats) + " noise seeds, p = " + number("%.2g", test.adjusted) +
           " after Holm's correction";
}

std::string evidenceOf(const HypothesisFinding& finding)
{
    const HypothesisTest* clearest = clearestOf(finding);
    if (!clearest) {
        const bool single = std::any_of(finding.tests.begin(), finding.tests.end(),
                                        [](const HypothesisTest& test) { return test.repeats < 2; });
        const bool endless = std::all_of(finding.tests.begin(), finding.tests.end(),
                                         [](const HypothesisTest& test) { return !std::isfinite(test.difference); });
        if (endless)
            return "no change at any scale is a finite number: the noise is far too strong (prm.sigmas)";
        return single ? "one noise seed shows no spread to test against; prm.repeats of 2 or more is needed"
                      : "the noise seeds show no spread to test against";
    }
    std::string text;
    for (const RelativeAnswer answer : {RelativeAnswer::Stronger, RelativeAnswer::Weaker}) {
        if (countOf(finding, answer) > 0)
            text += (text.empty() ? "" : "; ") + std::string(name(answer)) + " than the random group " +
                    scalesText(finding, answer);
    }
    const auto tests = static_cast<std::int64_t>(finding.tests.size());
    const std::int64_t alike = countOf(finding, RelativeAnswer::Alike), open = countOf(finding, RelativeAnswer::Open);
    if (alike > 0)
        text += (text.empty() ? "" : "; ") + std::string("alike ") + scalesText(finding, RelativeAnswer::Alike);
    if (open == tests)
        text = "no difference exceeds its error at any of " + std::to_string(tests) +
               " scales, nor do the intervals rule one out; more noise seeds (prm.repeats) or samples would decide";
    else if (open > 0)
        text += (text.empty() ? "" : "; ") + std::string("open ") + scalesText(finding, RelativeAnswer::Open);
    return text + "; " + numbersText(*clearest, finding.measure != kLogPerplexityMeasure);
}

// One hypothesis from several findings on it, one an attack.
HypothesisOutcome together(const std::vector<HypothesisOutcome>& verdicts)
{
    const auto count = [&](HypothesisOutcome verdict) { return std::count(verdicts.begin(), verdicts.end(), verdict); };
    const auto supported = count(HypothesisOutcome::Supported), against = count(HypothesisOutcome::Contradicted);
    if (supported > 0 && against > 0)
        return HypothesisOutcome::NotSupported; // the attacks disagree
    if (supported + against > 0)
        return supported > 0 ? HypothesisOutcome::Supported : HypothesisOutcome::Contradicted;
    const auto without = count(HypothesisOutcome::NotSupported);
    return without > 0 && without == static_cast<std::ptrdiff_t>(verdicts.size()) ? HypothesisOutcome::NotSupported
                                                                                  : HypothesisOutcome::CannotBeTold;
}

// Of a sentence with "and" in it.
HypothesisOutcome bothOf(HypothesisOutcome a, HypothesisOutcome b)
{
    for (const HypothesisOutcome each :
         {HypothesisOutcome::Contradicted, HypothesisOutcome::NotSupported, HypothesisOutcome::CannotBeTold}) {
        if (a == each || b == each)
            return each;
    }
    return HypothesisOutcome::Supported;
}

std::string plainWord(HypothesisOutcome verdict)
{
    std::string word(name(verdict));
    std::replace(word.begin(), word.end(), '_', ' ');
    return word;
}

// "all attacks", or the attacks of each verdict.
std::string attacksText(const std::vector<const HypothesisFinding*>& attacks)
{
    if (attacks.empty())
        return "no attack was run";
    std::string text;
    for (const HypothesisOutcome outcome : {HypothesisOutcome::Supported, HypothesisOutcome::NotSupported,
                                            HypothesisOutcome::Contradicted, HypothesisOutcome::CannotBeTold}) {
        std::string names;
        std::size_t count = 0;
        for (const HypothesisFinding* attack : attacks) {
            if (attack->verdict == outcome) {
                names += (names.empty() ? "" : ", ") + attack->measure;
                ++count;
            }
        }
        if (count == attacks.size() && count > 1)
            return "all attacks";
        if (count > 0)
            text += (text.empty() ? "" : "; ") + plainWord(outcome) + ": " + names;
    }
    return text;
}

HypothesisConclusion conclusionOf(const ClassExpectation& expectation, std::span<const HypothesisFinding> findings)
{
    HypothesisConclusion conclusion;
    conclusion.unitClass = expectation.unitClass;
    conclusion.statement = expectation.whole;
    std::vector<HypothesisOutcome> perplexity, attacks;
    std::vector<const HypothesisFinding*> ofAttacks;
    for (const HypothesisFinding& finding : findings) {
        if (finding.unitClass != expectation.unitClass)
            continue;
        if (finding.measure == kLogPerplexityMeasure) {
            perplexity.push_back(finding.verdict);
        } else {
            attacks.push_back(finding.verdict);
            ofAttacks.push_back(&finding);
        }
    }
    conclusion.perplexity = together(perplexity);
    conclusion.attacks = together(attacks);
    conclusion.verdict = bothOf(conclusion.perplexity, conclusion.attacks);
    conclusion.evidence = "perplexity: " + plainWord(conclusion.perplexity) +
                          "; AUC: " + plainWord(conclusion.attacks) + " (" + attacksText(ofAttacks) + ")";
    return conclusion;
}

Json finiteNumber(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

} // namespace

std::vector<HypothesisFinding> hypothesisFindings(std::span<const ControlComparison> comparisons,
                                                  std::span<const ResponseSummary> summaries)
{
    std::vector<std::string> measures;
    for (const ControlComparison& comparison : comparisons) {
        if (std::find(measures.begin(), measures.end(), comparison.measure) == measures.end())
            measures.push_back(comparison.measure);
    }
    const std::vector<double> adjusted = adjustedStrengths(comparisons);
    std::vector<HypothesisFinding> findings;
    for (const ClassExpectation& expectation : kExpectations) {
        for (const std::string& measure : measures) {
            const bool perplexity = measure == kLogPerplexityMeasure;
            HypothesisFinding finding;
            finding.unitClass = expectation.unitClass;
            finding.measure = measure;
            finding.expectsMore = perplexity ? expectation.morePerplexity : expectation.moreAttack;
            finding.statement = perplexity ? expectation.perplexity : expectation.attack;
            for (std::size_t i = 0; i < comparisons.size(); ++i) {
                if (comparisons[i].unitClass == expectation.unitClass && comparisons[i].measure == measure)
                    finding.tests.push_back(testOf(comparisons[i], summaries, adjusted[i]));
            }
            if (finding.tests.empty())
                continue; // a run in its middle: this class has no point yet
            std::stable_sort(finding.tests.begin(), finding.tests.end(),
                             [](const HypothesisTest& a, const HypothesisTest& b) { return a.sigma < b.sigma; });
            finding.verdict = outcomeOf(finding);
            finding.evidence = evidenceOf(finding);
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

std::vector<HypothesisConclusion> hypothesisConclusions(std::span<const HypothesisFinding> findings)
{
    std::vector<HypothesisConclusion> conclusions;
    for (const ClassExpectation& expectation : kExpectations) {
        if (std::any_of(findings.begin(), findings.end(),
                        [&](const HypothesisFinding& finding) { return finding.unitClass == expectation.unitClass; }))
            conclusions.push_back(conclusionOf(expectation, findings));
    }
    return conclusions;
}

Json toJson(const HypothesisFinding& finding)
{
    Json tests = Json::array();
    for (const HypothesisTest& test : finding.tests) {
        tests.push_back({{"noise_level", test.sigma},
                         {"repeats", test.repeats},
                         {"class_change", finiteNumber(test.classChange)},
                         {"control_change", finiteNumber(test.controlChange)},
                         {"difference", finiteNumber(test.difference)},
                         {"difference_ci", {finiteNumber(test.low), finiteNumber(test.high)}},
                         {"p_value_holm", finiteNumber(test.adjusted)},
                         {"answer", name(test.answer)}});
    }
    return {{"param_type", name(finding.unitClass)},
            {"measure", finding.measure},
            {"expected", finding.expectsMore ? "more" : "less"},
            {"statement", finding.statement},
            {"verdict", name(finding.verdict)},
            {"evidence", finding.evidence},
            {"tests", std::move(tests)}};
}

Json toJson(const HypothesisConclusion& conclusion)
{
    return {{"param_type", name(conclusion.unitClass)}, {"statement", conclusion.statement},
            {"verdict", name(conclusion.verdict)},      {"perplexity", name(conclusion.perplexity)},
            {"attacks", name(conclusion.attacks)},      {"evidence", conclusion.evidence}};
}

} // namespace peakscope
