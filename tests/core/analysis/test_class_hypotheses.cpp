// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of the three classes' expectations: made cases for every verdict, and what is written of them.
#include "core/analysis/response/class_hypotheses.h"

#include "core/analysis/response/response_document.h"
#include "core/analysis/response/response_text.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>

using namespace peakscope;

namespace {

constexpr double kSmallNoise = 0.1, kLargeNoise = 0.2;

struct MadeClass {
    double log = 0, auc = 0;               // changes of the class
    double controlLog = 0, controlAuc = 0; // and of its random group
    double spread = 0.01;                  // of the class over the seeds
};

// Six seeds of one scale, alternating about their means; the samples' error of every change of AUC is 0.002.
void add(std::vector<NoiseResponse>& responses, double sigma, UnitClass unitClass, const MadeClass& made,
         int repeats = 6)
{
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const double wobble = repeat % 2 ? made.spread : -made.spread;
        for (const bool control : {false, true}) {
            NoiseResponse response;
            response.sigma = sigma;
            response.unitClass = unitClass;
            response.control = control;
            response.repeat = repeat;
            response.deltaLogPerplexity = control ? made.controlLog : made.log + wobble;
            response.deltaPerplexity = 10 * std::expm1(response.deltaLogPerplexity);
            const double auc = control ? made.controlAuc : made.auc + wobble;
            response.attacks.push_back({"loss", 0.8 + auc, 0.7, 0.9, auc, 0.002});
            responses.push_back(response);
        }
    }
}

std::vector<HypothesisFinding> findingsOf(const std::vector<NoiseResponse>& responses)
{
    return hypothesisFindings(compareWithControls(responses), summarizeResponses(responses));
}

const HypothesisFinding* findingOf(const std::vector<HypothesisFinding>& findings, UnitClass unitClass,
                                   std::string_view measure)
{
    for (const HypothesisFinding& finding : findings) {
        if (finding.unitClass == unitClass && finding.measure == measure)
            return &finding;
    }
    return nullptr;
}

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

} // namespace

class TestClassHypotheses : public QObject
{
    Q_OBJECT

private slots:
    void ofPerplexity_data();
    void ofPerplexity();
    void ofAttacks_data();
    void ofAttacks();
    void scalesThatDisagree();
    void oneScaleDecides();
    void oneSeedCannotTell();
    void conclusionsAreConjunctions();
    void attacksThatDisagree();
    void attacksAreOneFamily();
    void smallChancesStayAboveZero();
    void noiseFarTooStrong();
    void numbersAreWritten();
    void syntheticShowsNothing();
    void unfinishedClassesAreLeftOut();
};

void TestClassHypotheses::ofPerplexity_data()
{
    QTest::addColumn<double>("own");
    QTest::addColumn<double>("control");
    QTest::addColumn<double>("spread");
    QTest::addColumn<QString>("answer");
    QTest::addColumn<QString>("func"); // expected to raise it more
    QTest::addColumn<QString>("sens"); // expected to raise it less
    QTest::newRow("far above") << 3.0 << 1.0 << 0.05 << "stronger"
                               << "supported"
                               << "contradicted";
    QTest::newRow("far below") << 1.0 << 3.0 << 0.05 << "weaker"
                               << "contradicted"
                               << "supported";
    QTest::newRow("alike, measured well") << 1.0 << 1.0 << 0.05 << "alike"
                                          << "not_supported"
                                          << "not_supported";
    QTest::newRow("alike, measured badly") << 1.1 << 1.0 << 1.0 << "open"
                                           << "cannot_be_told"
                                           << "cannot_be_told";
    // Within 0.01 of log perplexity although the group's own change is far smaller.
    QTest::newRow("both next to nothing") << 0.0011 << 0.001 << 0.001 << "alike"
                                          << "not_supported"
                                          << "not_supported";
}

void TestClassHypotheses::ofPerplexity()
{
    QFETCH(double, own);
    QFETCH(double, control);
    QFETCH(double, spread);
    std::vector<NoiseResponse> responses;
    for (const UnitClass unitClass : {UnitClass::Func, UnitClass::Sens})
        add(responses, kSmallNoise, unitClass, {own, -0.1, control, -0.1, spread});
    const auto findings = findingsOf(responses);
    const HypothesisFinding* func = findingOf(findings, UnitClass::Func, kLogPerplexityMeasure);
    const HypothesisFinding* sens = findingOf(findings, UnitClass::Sens, kLogPerplexityMeasure);
    QVERIFY(func && sens && func->expectsMore && !sens->expectsMore);
    QCOMPARE(func->tests.size(), std::size_t(1));
    QTEST(text(name(func->tests.front().answer)), "answer");
    QTEST(text(name(func->verdict)), "func");
    QTEST(text(name(sens->verdict)), "sens");
    QVERIFY(std::abs(func->tests.front().difference - (own - control)) < 1e-12);
    QCOMPARE(func->tests.front().repeats, std::int64_t(6));
}

void TestClassHypotheses::ofAttacks_data()
{
    QTest::addColumn<double>("own");
    QTest::addColumn<double>("control");
    QTest::addColumn<double>("spread");
    QTest::addColumn<QString>("func"); // expected to change it less
    QTest::addColumn<QString>("sens"); // expected to change it more
    QTest::newRow("falls deeper") << -0.2 << -0.1 << 0.005 << "contradicted"
                                  << "supported";
    QTest::newRow("falls less") << -0.05 << -0.1 << 0.005 << "supported"
                                << "contradicted";
    QTest::newRow("rises higher") << 0.2 << 0.1 << 0.005 << "contradicted"
                                  << "supported";
    QTest::newRow("further, the other way") << 0.2 << -0.05 << 0.005 << "contradicted"
                                            << "supported";
    QTest::newRow("as far, the other way") << 0.095 << -0.09 << 0.005 << "not_supported"
                                           << "not_supported";
    QTest::newRow("less far, the other way") << 0.02 << -0.09 << 0.005 << "supported"
                                             << "contradicted";
    QTest::newRow("alike") << -0.1 << -0.1 << 0.005 << "not_supported"
                           << "not_supported";
    QTest::newRow("too few seeds for their spread") << -0.12 << -0.1 << 0.1 << "cannot_be_told"
                                                    << "cannot_be_told";
}

void TestClassHypotheses::ofAttacks()
{
    QFETCH(double, own);
    QFETCH(double, control);
    QFETCH(double, spread);
    std::vector<NoiseResponse> responses;
    for (const UnitClass unitClass : {UnitClass::Func, UnitClass::Sens})
        add(responses, kSmallNoise, unitClass, {1, own, 1, control, spread});
    const auto findings = findingsOf(responses);
    QTEST(text(name(findingOf(findings, UnitClass::Func, "loss")->verdict)), "func");
    QTEST(text(name(findingOf(findings, UnitClass::Sens, "loss")->verdict)), "sens");
}

void TestClassHypotheses::scalesThatDisagree()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Func, {3, 0, 1, 0});
    add(responses, kLargeNoise, UnitClass::Func, {1, 0, 3, 0});
    const auto findings = findingsOf(responses);
    const HypothesisFinding* finding = findingOf(findings, UnitClass::Func, kLogPerplexityMeasure);
    QCOMPARE(finding->verdict, HypothesisOutcome::NotSupported);
    QVERIFY2(finding->evidence.find("stronger than the random group at noise 0.1; weaker than the random group at "
                                    "noise 0.2") != std::string::npos,
             finding->evidence.c_str());
}

void TestClassHypotheses::oneScaleDecides()
{
    std::vector<NoiseResponse> responses;
    add(responses, kLargeNoise, UnitClass::Func, {3, 0, 1, 0}); // the rows come in any order
    add(responses, kSmallNoise, UnitClass::Func, {0, 0, 0, 0, 0.001});
    const auto findings = findingsOf(responses);
    const HypothesisFinding* finding = findingOf(findings, UnitClass::Func, kLogPerplexityMeasure);
    QCOMPARE(finding->verdict, HypothesisOutcome::Supported);
    QCOMPARE(finding->tests.front().sigma, kSmallNoise);
    for (const char* part : {"at noise 0.2: +3 against +1", "6 noise seeds", "alike at noise 0.1"})
        QVERIFY2(finding->evidence.find(part) != std::string::npos, finding->evidence.c_str());
}

void TestClassHypotheses::oneSeedCannotTell()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Func, {3, -0.2, 1, -0.1}, 1);
    const auto findings = findingsOf(responses);
    QCOMPARE(findings.size(), std::size_t(2));
    for (const HypothesisFinding& finding : findings) {
        QCOMPARE(finding.verdict, HypothesisOutcome::CannotBeTold);
        QVERIFY2(finding.evidence.find("prm.repeats of 2 or more") != std::string::npos, finding.evidence.c_str());
    }
}

void TestClassHypotheses::conclusionsAreConjunctions()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Func, {3, -0.02, 1, -0.1});      // more, less: as expected
    add(responses, kSmallNoise, UnitClass::Sens, {3, -0.2, 1, -0.1});       // more where less is expected
    add(responses, kSmallNoise, UnitClass::Both, {3, -0.12, 1, -0.1, 0.1}); // the AUC's seeds scatter
    const auto conclusions = hypothesisConclusions(findingsOf(responses));
    QCOMPARE(conclusions.size(), std::size_t(3));
    QCOMPARE(conclusions[0].verdict, HypothesisOutcome::Supported);
    QCOMPARE(conclusions[1].perplexity, HypothesisOutcome::Contradicted);
    QCOMPARE(conclusions[1].attacks, HypothesisOutcome::Supported);
    QCOMPARE(conclusions[1].verdict, HypothesisOutcome::Contradicted);
    QCOMPARE(conclusions[2].perplexity, HypothesisOutcome::Supported);
    QCOMPARE(conclusions[2].verdict, HypothesisOutcome::CannotBeTold);
    QVERIFY(hypothesisConclusions({}).empty());
}

void TestClassHypotheses::attacksThatDisagree()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Sens, {1, -0.2, 3, -0.1});
    for (NoiseResponse& response : responses) {
        AttackResponse other = response.attacks.front();
        other.attack = "zlib";
        other.deltaAuc = response.control ? -0.2 : -0.1 + 0.001 * response.repeat;
        response.attacks.push_back(other);
    }
    const auto findings = findingsOf(responses);
    QCOMPARE(findingOf(findings, UnitClass::Sens, "loss")->verdict, HypothesisOutcome::Supported);
    QCOMPARE(findingOf(findings, UnitClass::Sens, "zlib")->verdict, HypothesisOutcome::Contradicted);
    const HypothesisConclusion conclusion = hypothesisConclusions(findings).front();
    QCOMPARE(conclusion.perplexity, HypothesisOutcome::Supported);
    QCOMPARE(conclusion.verdict, HypothesisOutcome::NotSupported);
    QVERIFY2(conclusion.evidence.find("supported: loss; contradicted: zlib") != std::string::npos,
             conclusion.evidence.c_str());
}

void TestClassHypotheses::attacksAreOneFamily()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Sens, {1, -0.109, 1, -0.1, 0.005});
    QCOMPARE(findingOf(findingsOf(responses), UnitClass::Sens, "loss")->verdict, HypothesisOutcome::Supported);
    // Four more attacks that show nothing: the one of five may be chance.
    for (NoiseResponse& response : responses) {
        for (const char* attack : {"zlib", "mink", "reference", "ratio"}) {
            const double wobble = response.control ? 0 : (response.repeat % 2 ? 0.005 : -0.005);
            response.attacks.push_back({attack, 0.7, 0.6, 0.8, -0.1 + wobble, 0.002});
        }
    }
    const auto findings = findingsOf(responses);
    QVERIFY(findingOf(findings, UnitClass::Sens, "loss")->verdict != HypothesisOutcome::Supported);
    QVERIFY(hypothesisConclusions(findings).front().attacks != HypothesisOutcome::Supported);
}

void TestClassHypotheses::smallChancesStayAboveZero()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Func, {3, 0, 1, 0, 1e-6});
    const auto findings = findingsOf(responses);
    const double chance = findingOf(findings, UnitClass::Func, kLogPerplexityMeasure)->tests.front().adjusted;
    QVERIFY2(chance > 0 && chance < 1e-20, qPrintable(QString::number(chance)));
}

void TestClassHypotheses::noiseFarTooStrong()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Func, {INFINITY, 0, INFINITY, 0});
    const auto findings = findingsOf(responses);
    const HypothesisFinding* finding = findingOf(findings, UnitClass::Func, kLogPerplexityMeasure);
    QCOMPARE(finding->verdict, HypothesisOutcome::CannotBeTold);
    QVERIFY2(finding->evidence.find("far too strong") != std::string::npos, finding->evidence.c_str());
}

void TestClassHypotheses::numbersAreWritten()
{
    std::vector<NoiseResponse> responses;
    for (const UnitClass unitClass : kUnitClasses)
        add(responses, kSmallNoise, unitClass, {3, -0.02, 1, -0.1});
    const nlohmann::json section = responseSection(responses);
    QCOMPARE(section["hypotheses"].size(), std::size_t(6));
    const nlohmann::json& row = section["hypotheses"][0];
    for (const char* key : {"param_type", "measure", "expected", "statement", "verdict", "evidence", "tests"})
        QVERIFY2(row.contains(key), key);
    const nlohmann::json& test = row["tests"][0];
    QCOMPARE(test["repeats"].get<int>(), 6);
    QCOMPARE(test["answer"].get<std::string>(), std::string("stronger"));
    QVERIFY(test["difference_ci"][0].get<double>() > 1.9 && test["difference_ci"][1].get<double>() < 2.1);
    QCOMPARE(section["conclusions"][0]["verdict"].get<std::string>(), std::string("supported"));
    std::string words;
    for (const std::string& line : responseHeadlines(section, nlohmann::json()))
        words += line + "\n";
    for (const char* part :
         {"judged against random groups", "  supported: Wfunc carries function", "  contradicted: Wsens carries"})
        QVERIFY2(words.find(part) != std::string::npos, words.c_str());
}

void TestClassHypotheses::syntheticShowsNothing()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Func, {3, -0.02, 1, -0.1});
    nlohmann::json section = responseSection(responses);
    section["synthetic"] = true;
    const auto lines = responseHeadlines(section, nlohmann::json());
    QCOMPARE(lines.size(), std::size_t(1));
    QVERIFY2(lines.front().find("not judged") != std::string::npos, lines.front().c_str());
}

void TestClassHypotheses::unfinishedClassesAreLeftOut()
{
    std::vector<NoiseResponse> responses;
    add(responses, kSmallNoise, UnitClass::Func, {3, -0.02, 1, -0.1});
    const auto findings = findingsOf(responses);
    QVERIFY(!findingOf(findings, UnitClass::Both, "loss"));
    QCOMPARE(hypothesisConclusions(findings).size(), std::size_t(1)); // of the class that was measured
    QVERIFY(hypothesisFindings({}, {}).empty());
}

PEAKSCOPE_GUILESS_TEST(TestClassHypotheses)
#include "test_class_hypotheses.moc"
