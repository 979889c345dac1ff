// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Axes of values: when they are symlog and how far their linear zone reaches, ticks at true values however little room
// there is, and what the axes of views of noise, effects and curvature say.
#include "core/analysis/response/finished_result.h"
#include "core/analysis/response/response_summary.h"
#include "core/results/run_result.h"
#include "tests/test_room.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/look/color_maps.h"
#include "widgets/plot/value_scale.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QLabel>
#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <set>

using namespace peakscope;

namespace {

QStringList labelsOf(const std::vector<AxisMark>& marks)
{
    QStringList labels;
    for (const AxisMark& mark : marks)
        labels << mark.label;
    return labels;
}

QStringList labelsOf(QCPAxis* axis)
{
    return axis->tickVectorLabels().toList();
}

// The number that a label writes: "−10⁻³", "0.001", "5×10⁴".
double numberOf(QString label)
{
    static const QString kRaised = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    label.replace(QChar(0x2212), u'-').replace(QChar(u'⁻'), u'-').replace(QStringLiteral("×10"), QStringLiteral("e"));
    for (int digit = 0; digit < 10; ++digit)
        label.replace(kRaised[digit], QChar(u'0' + digit));
    static const QRegularExpression bare(QStringLiteral("^(-?)10(-?\\d+)$"));
    const bool power = label.contains(bare) && label != QLatin1String("10") && label != QLatin1String("-10") &&
                       !QRegularExpression(QStringLiteral("^-?10+$")).match(label).hasMatch();
    if (power)
        label.replace(bare, QStringLiteral("\\11e\\2"));
    return label.toDouble();
}

std::shared_ptr<const AnalysisData> demo()
{
    const auto run = loadRunResult(PEAKSCOPE_SOURCE_DIR "/tests/widgets/data/prm_by_thresholds.json");
    return run ? std::make_shared<const AnalysisData>(*analysisOf(run->other, run->synthetic)) : nullptr;
}

} // namespace

class TestValueScale : public QObject
{
    Q_OBJECT

private slots:
    void scalesFollowTheResolution_data();
    void scalesFollowTheResolution();
    void fourDecadesHaveLabels_data();
    void fourDecadesHaveLabels();
    void zoomedAxesKeepTheirTicks_data();
    void zoomedAxesKeepTheirTicks();
    void logAxesHaveTicks_data();
    void logAxesHaveTicks();
    void noiseIsTheResolution();
    void theResponseSaysItsScale_data();
    void theResponseSaysItsScale();
    void theResponseIsLinearWhereNoiseIsWide();
    void effectsHaveAColourBar();
    void everyColumnOfEffectsSaysItsNoise();
    void effectsWithoutAControlSayWhatTheyAre();
};

void TestValueScale::scalesFollowTheResolution_data()
{
    QTest::addColumn<QList<double>>("values");
    QTest::addColumn<double>("resolution");
    QTest::addColumn<double>("threshold"); // 0: linear
    const double none = std::nan("");
    QTest::newRow("the power of ten above the noise") << QList<double>{1e-5, -70} << 3e-4 << 1e-3;
    QTest::newRow("a power of ten itself") << QList<double>{70} << 1e-3 << 1e-3;
    QTest::newRow("less than two decades beyond") << QList<double>{1e-5, 0.4} << 0.03 << 0.0;
    QTest::newRow("just two decades beyond") << QList<double>{10} << 0.1 << 0.1;
    QTest::newRow("all within the noise") << QList<double>{1e-5, 2e-5} << 0.03 << 0.0;
    QTest::newRow("no resolution: below the smallest") << QList<double>{0, 0.02, 50} << none << 0.01;
    QTest::newRow("no resolution: five decades at most") << QList<double>{1e-12, 10} << none << 1e-4;
    QTest::newRow("no resolution: one decade and a half") << QList<double>{1, 30} << none << 0.0;
    QTest::newRow("nothing but zeros") << QList<double>{0, 0} << none << 0.0;
    QTest::newRow("no numbers") << QList<double>{none} << none << 0.0;
}

void TestValueScale::scalesFollowTheResolution()
{
    QFETCH(QList<double>, values);
    QFETCH(double, resolution);
    QFETCH(double, threshold);
    const ValueScale scale = scaleFor({values.begin(), values.end()}, resolution);
    QVERIFY2(std::abs(scale.threshold - threshold) <= 1e-12 * std::max(threshold, 1e-300),
             qPrintable(QString::number(scale.threshold)));
    const QString title = scaleTitle(QStringLiteral("ΔPPL"), scale);
    QCOMPARE(title.contains(QStringLiteral("symlog, linear below")), threshold > 0);
    QVERIFY(title.startsWith(QStringLiteral("ΔPPL")));
    for (const double value : {0.0, 1e-7, -0.3, 70.7, -1e9})
        QVERIFY(std::abs(scale.value(scale.place(value)) - value) <= 1e-12 * std::abs(value));
}

void TestValueScale::fourDecadesHaveLabels_data()
{
    QTest::addColumn<double>("threshold");
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("largest");
    QTest::newRow("seven decades above zero") << 1e-5 << 0.0 << 88.0;
    QTest::newRow("both signs") << 1e-3 << -15.0 << 120.0;
    QTest::newRow("far below one") << 1e-9 << -3e-7 << 2e-4;
    QTest::newRow("large") << 1e4 << 0.0 << 3e9;
}

void TestValueScale::fourDecadesHaveLabels()
{
    QFETCH(double, threshold);
    QFETCH(double, least);
    QFETCH(double, largest);
    const ValueScale scale{threshold};
    for (const int room : {2, 3, 6, 20}) {
        const auto marks = valueMarks(scale, scale.place(least), scale.place(largest), room);
        int decades = 0, zeros = 0;
        for (const AxisMark& mark : marks) {
            const double value = scale.value(mark.place), told = numberOf(mark.label);
            QVERIFY2(std::abs(told - value) <= 1e-9 * std::abs(value), qPrintable(mark.label));
            zeros += value == 0;
            decades += value != 0;
        }
        QCOMPARE(zeros, 1);
        QVERIFY2(decades >= 4, qPrintable(labelsOf(marks).join(u' ')));
        QVERIFY2(room < 20 || decades >= 5, qPrintable(labelsOf(marks).join(u' ')));
    }
}

void TestValueScale::zoomedAxesKeepTheirTicks_data()
{
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("to");
    QTest::newRow("within a decade") << 12.0 << 80.0;
    QTest::newRow("a sliver") << 12.0 << 12.4;
    QTest::newRow("within the linear zone") << 0.0 << 4e-4;
    QTest::newRow("within it, both signs") << -4e-4 << 4e-4;
    QTest::newRow("below zero") << -80.0 << -12.0;
}

void TestValueScale::zoomedAxesKeepTheirTicks()
{
    QFETCH(double, from);
    QFETCH(double, to);
    const ValueScale scale{1e-3};
    const auto marks = valueMarks(scale, scale.place(from), scale.place(to), 6);
    QVERIFY2(marks.size() >= 3, qPrintable(labelsOf(marks).join(u' ')));
    for (const AxisMark& mark : marks)
        QVERIFY2(std::abs(numberOf(mark.label) - scale.value(mark.place)) <= 1e-6 * (to - from),
                 qPrintable(mark.label));
}

void TestValueScale::logAxesHaveTicks_data()
{
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("eight decades") << -6.0 << 2.0;
    QTest::newRow("one and a half") << -0.2 << 1.3;
    QTest::newRow("within one") << 0.1 << 0.9;
    QTest::newRow("a sliver") << 0.31 << 0.33;
}

void TestValueScale::logAxesHaveTicks()
{
    QFETCH(double, low);
    QFETCH(double, high);
    const auto marks = logMarks(low, high, 5);
    QVERIFY2(marks.size() >= 2, qPrintable(labelsOf(marks).join(u' ')));
    for (const AxisMark& mark : marks)
        QVERIFY2(std::abs(std::log10(numberOf(mark.label)) - mark.place) < 1e-4, qPrintable(mark.label));
}

// What an attack cannot tell from no noise at all is as wide as its AUC's interval there.
void TestValueScale::noiseIsTheResolution()
{
    const auto data = demo();
    QVERIFY(data);
    const double auc = responseResolution(*data, ResponseMeasure::Auc, "loss");
    QVERIFY2(std::abs(auc - (0.9354175629 - 0.8731761871) / 2) < 1e-6, qPrintable(QString::number(auc)));
    // The perplexity of the untouched model is exact: the smallest standard error counts.
    const double perplexity = responseResolution(*data, ResponseMeasure::Perplexity, "loss");
    QVERIFY2(perplexity > 1e-5 && perplexity < 3e-5, qPrintable(QString::number(perplexity)));
    AnalysisData single;
    single.points.push_back({{UnitGroup::Func, {}}, 0.1, "loss", 1, {1, {}, {}}, {}, {0.1, {}, {}}});
    single.points.front().perplexity = {1, std::nan(""), std::nan("")};
    QVERIFY(std::isnan(responseResolution(single, ResponseMeasure::Perplexity, "loss")));
}

void TestValueScale::theResponseSaysItsScale_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("large") << QSize(900, 600);
    QTest::newRow("in a dock") << QSize(420, 300);
}

void TestValueScale::theResponseSaysItsScale()
{
    QFETCH(QSize, size);
    ResponseView view;
    view.resize(size);
    view.setData(demo());
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.plot()->replot();
    QCOMPARE(view.choice()->currentText(), QStringLiteral("ΔPPL against σ"));
    QCOMPARE(view.plot()->yAxis->label(), QStringLiteral("ΔPPL (symlog,\nlinear below 10⁻⁴)"));
    const QStringList labels = labelsOf(view.plot()->yAxis);
    QVERIFY2(labels.size() >= 5 && labels.contains(QStringLiteral("0")), qPrintable(labels.join(u' ')));
    for (int i = 0; i < labels.size(); ++i) {
        const double place = view.plot()->yAxis->tickVector()[i];
        const double value = ValueScale{1e-4}.value(place);
        QVERIFY2(std::abs(numberOf(labels[i]) - value) <= 1e-9 * std::abs(value), qPrintable(labels[i]));
    }
}

void TestValueScale::theResponseIsLinearWhereNoiseIsWide()
{
    ResponseView view;
    view.resize(700, 420);
    view.setData(demo());
    view.choice()->setCurrentIndex(1);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.plot()->replot();
    QCOMPARE(view.plot()->yAxis->label(), QStringLiteral("ΔAUC"));
    // Linear: equal steps of equal size.
    const QVector<double> ticks = view.plot()->yAxis->tickVector();
    QVERIFY(ticks.size() >= 4);
    const QStringList labels = labelsOf(view.plot()->yAxis);
    for (int i = 0; i < ticks.size(); ++i)
        QVERIFY2(std::abs(numberOf(labels[i]) - ticks[i]) < 1e-9, qPrintable(labels[i]));
}

void TestValueScale::effectsHaveAColourBar()
{
    EffectMapView view;
    view.resize(360, 220); // no room for numbers in the cells
    view.setData(demo());
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    view.plot()->replot();
    auto* bar = view.plot()->findChild<QCPColorScale*>();
    QVERIFY(bar);
    QVERIFY2(bar->label().contains(QStringLiteral("Hedges' g")), qPrintable(bar->label()));
    const QStringList labels = labelsOf(bar->axis());
    QVERIFY2(labels.size() >= 3 && labels.contains(QStringLiteral("0")), qPrintable(labels.join(u' ')));
    QVERIFY(!view.readout().startsWith(QStringLiteral("Numbers")));
}

void TestValueScale::everyColumnOfEffectsSaysItsNoise()
{
    EffectMapView view;
    view.setData(demo());
    view.show();
    std::set<double> angles;
    for (const int width : {360, 1600}) {
        view.resize(width, 320);
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.plot()->replot();
        view.plot()->replot(); // the first lays out, and may turn them
        const QCPRange range = view.plot()->xAxis->range();
        QCOMPARE(view.plot()->xAxis->tickVector().size(), qRound(range.size()));
        angles.insert(view.plot()->xAxis->tickLabelRotation());
    }
    QCOMPARE(angles, (std::set<double>{-90, 0}));
}

// A mean change without a control is no effect size, and has no interval to point at.
void TestValueScale::effectsWithoutAControlSayWhatTheyAre()
{
    EffectMapView view;
    view.setData(demo());
    const auto* line = view.findChild<QLabel*>(QStringLiteral("explanation"));
    QVERIFY(line);
    QVERIFY(line->text().contains(QStringLiteral("Hedges' g")));
    auto plain = std::make_shared<AnalysisData>(*demo());
    plain->hasControl = false;
    for (GroupEffect& effect : plain->effects) {
        effect.hedges = effect.cliff = effect.adjusted = std::nan("");
        effect.difference.low = effect.difference.high = std::nan("");
    }
    view.setData(plain);
    QCOMPARE(line->text(), QStringLiteral("A cell is the mean change that noise in one class makes."));
    QVERIFY2(!view.readout().contains(QStringLiteral("interval")), qPrintable(view.readout()));
}

PEAKSCOPE_TEST(TestValueScale)
#include "test_value_scale.moc"
