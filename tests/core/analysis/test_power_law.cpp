// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Power-law fits against exact laws, a worked regression and their own coverage.
#include "core/analysis/neighbors/random_stream.h"
#include "core/analysis/statistics/power_law.h"
#include "tests/test_room.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <vector>

using namespace peakscope;

class TestPowerLaw : public QObject
{
    Q_OBJECT
private slots:
    void exactLaws_data();
    void exactLaws();
    void errorOfAWorkedExample();
    void offsetsHideTheExponent();
    void unusablePoints();
    void tooFewPoints();
    void aKnownFloorIsTakenOff();
    void oneExponentForAllLines();
    void intervalsCover();
};

void TestPowerLaw::exactLaws_data()
{
    QTest::addColumn<double>("offset");
    QTest::addColumn<double>("factor");
    QTest::addColumn<double>("exponent");
    QTest::newRow("linear") << 0.0 << 3.0 << 1.0;
    QTest::newRow("quadratic, huge") << 0.0 << 1e9 << 2.0;
    QTest::newRow("falling") << 0.0 << 5.0 << -0.5;
    QTest::newRow("constant") << 0.0 << 7.0 << 0.0;
    QTest::newRow("linear above an offset") << 4e8 << 2e5 << 1.0;
    QTest::newRow("quadratic above an offset") << 1e6 << 16.0 << 2.0;
}

void TestPowerLaw::exactLaws()
{
    QFETCH(double, offset);
    QFETCH(double, factor);
    QFETCH(double, exponent);
    std::vector<double> x, y;
    for (const double value : {64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0}) {
        x.push_back(value);
        y.push_back(offset + factor * std::pow(value, exponent));
    }
    const PowerLawFit fit = offset > 0 ? fitOffsetPowerLaw(x, y) : fitPowerLaw(x, y);
    QVERIFY2(std::abs(fit.exponent - exponent) < 1e-6, qPrintable(QString::number(fit.exponent, 'g', 12)));
    QVERIFY(std::abs(fit.offset - offset) <= 1e-4 * offset);
    QVERIFY(std::abs(fit.factor / factor - 1) < 1e-4);
    QVERIFY(fit.standardError < 1e-5);
    QCOMPARE(fit.points, std::int64_t{6});
    QVERIFY(std::abs(fit.at(300) / (offset + factor * std::pow(300, exponent)) - 1) < 1e-5);
}

// log y = 0, 1, 3 at log x = 0, 1, 2: slope 3/2, residuals 1/6, -1/3, 1/6, so s^2 = 1/6 and the error sqrt(1/12).
void TestPowerLaw::errorOfAWorkedExample()
{
    const std::vector<double> x{1, std::exp(1), std::exp(2)}, y{1, std::exp(1), std::exp(3)};
    const PowerLawFit fit = fitPowerLaw(x, y);
    QVERIFY(std::abs(fit.exponent - 1.5) < 1e-12);
    QVERIFY(std::abs(fit.standardError - std::sqrt(1.0 / 12)) < 1e-12);
    const double student = 12.706204736432095; // 97.5 %, one degree of freedom
    QVERIFY(std::abs(fit.high - (1.5 + student * std::sqrt(1.0 / 12))) < 1e-6);
    QVERIFY(std::abs(fit.low - (1.5 - student * std::sqrt(1.0 / 12))) < 1e-6);
    QVERIFY(fit.allows(2) && !fit.allows(7));
}

void TestPowerLaw::offsetsHideTheExponent()
{
    const std::vector<double> x{64, 128, 256, 512, 1024};
    std::vector<double> y;
    for (std::size_t i = 0; i < x.size(); ++i)
        y.push_back(1e8 + 100 * x[i] * x[i] * (i % 2 == 0 ? 1.0001 : 0.9999));
    const PowerLawFit plain = fitPowerLaw(x, y), fit = fitOffsetPowerLaw(x, y);
    QVERIFY(plain.exponent < 0.6);
    QVERIFY2(fit.allows(2) && std::abs(fit.exponent - 2) < 0.02, qPrintable(QString::number(fit.exponent)));
    QVERIFY(fit.standardError > 0);
    QVERIFY(!fit.allows(1));
    // Nothing below the law: the offset stays 0 and the fit is the plain one.
    std::vector<double> pure;
    for (const double value : x)
        pure.push_back(std::pow(value, 1.3) * (value == 256 ? 0.99 : 1));
    const PowerLawFit both = fitOffsetPowerLaw(x, pure);
    QVERIFY(both.offset >= 0);
    QVERIFY(both.allows(1.3));
}

void TestPowerLaw::unusablePoints()
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> x{0, 1, 2, 4, nan, 8}, y{5, 1, 4, 16, 3, 0};
    const PowerLawFit fit = fitPowerLaw(x, y);
    QCOMPARE(fit.points, std::int64_t{3});
    QVERIFY(std::abs(fit.exponent - 2) < 1e-12);
}

void TestPowerLaw::tooFewPoints()
{
    QVERIFY(!fitPowerLaw(std::vector<double>{2}, std::vector<double>{3}).usable());
    QVERIFY(!fitPowerLaw(std::vector<double>{2, 2}, std::vector<double>{3, 4}).usable());
    QVERIFY(!fitOffsetPowerLaw({}, {}).usable());
    const PowerLawFit two = fitPowerLaw(std::vector<double>{2, 4}, std::vector<double>{4, 16});
    QVERIFY(std::abs(two.exponent - 2) < 1e-12);
    QVERIFY(std::isnan(two.standardError) && !two.allows(2));
}

// Three points do for the exponent above a floor that is known, and not where it is part of the law.
void TestPowerLaw::aKnownFloorIsTakenOff()
{
    const std::vector<double> x{64, 128, 256};
    std::vector<double> y;
    for (const double value : x)
        y.push_back(1e7 + 100 * value * value);
    const PowerLawFit fit = fitAboveFloor(x, y, 1e7);
    QVERIFY(std::abs(fit.exponent - 2) < 1e-9);
    QCOMPARE(fit.offset, 1e7);
    QVERIFY(std::abs(fit.at(512) / (1e7 + 100 * 512.0 * 512) - 1) < 1e-9);
    QVERIFY(fitOffsetPowerLaw(x, y).exponent < 0.5);
}

// Lines x and x^2 over the same two values: slope 3/2; within each line the residuals are a quarter of the step, so the
// one degree of freedom that is left has variance step^2 / 4 and the error is 1/2, whatever the factors.
void TestPowerLaw::oneExponentForAllLines()
{
    const std::vector<PowerLawLine> lines{{{2, 8}, {6, 24}}, {{2, 8}, {20, 320}}, {{4}, {1}}, {{}, {}}};
    const PowerLawFit fit = fitCommonExponent(lines);
    QVERIFY(std::abs(fit.exponent - 1.5) < 1e-12);
    QVERIFY(std::abs(fit.standardError - 0.5) < 1e-12);
    QVERIFY(std::abs(fit.high - (1.5 + 0.5 * 12.706204736432095)) < 1e-6);
    QCOMPARE(fit.points, std::int64_t{4});
    const PowerLawFit one = fitCommonExponent({{{2, 8}, {6, 24}}});
    QVERIFY(std::abs(one.exponent - 1) < 1e-12 && std::isnan(one.low) && !one.allows(1));
    QVERIFY(!fitCommonExponent({{{4}, {1}}}).usable());
}

// 95 % intervals hold the true exponent in about 95 % of seeded runs; 600 of them scatter by less than 1 %.
void TestPowerLaw::intervalsCover()
{
    int plainHits = 0, offsetHits = 0;
    constexpr int kRuns = 600;
    RandomStream random(11);
    const auto noise = [&] { return 1 + 0.01 * random.normal(); };
    for (int run = 0; run < kRuns; ++run) {
        std::vector<double> x, pure, raised;
        for (const double value : {16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0}) {
            x.push_back(value);
            pure.push_back(3 * std::pow(value, 1.5) * noise());
            raised.push_back((4000 + 3 * std::pow(value, 1.5)) * noise());
        }
        plainHits += fitPowerLaw(x, pure).allows(1.5);
        offsetHits += fitOffsetPowerLaw(x, raised).allows(1.5);
    }
    QVERIFY2(plainHits > 0.92 * kRuns && plainHits < 0.98 * kRuns, qPrintable(QString::number(plainHits)));
    QVERIFY2(offsetHits > 0.92 * kRuns && offsetHits < 0.98 * kRuns, qPrintable(QString::number(offsetHits)));
}

PEAKSCOPE_APPLESS_TEST(TestPowerLaw)
#include "test_power_law.moc"
