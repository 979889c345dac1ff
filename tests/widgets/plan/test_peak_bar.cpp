// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// PeakBar: components in their colours, the limit and how far it is passed, in words and in the picture.
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"

#include "widgets/look/component_palette.h"
#include "widgets/look/theme.h"
#include "widgets/plan/peak_bar.h"
#include "widgets/plan/strategy_style.h"

#include <QImage>
#include <QPixmap>
#include <QTest>

using namespace peakscope;

namespace {

constexpr std::int64_t kBarMebi = 1 << 20;

PredictedPeak peakOfTraining()
{
    PredictedPeak peak;
    const auto put = [&peak](Component component, std::int64_t bytes) {
        peak.components[static_cast<std::size_t>(component)] = bytes;
        peak.bytes += bytes;
    };
    put(Component::Parameters, 400 * kBarMebi);
    put(Component::OptimizerStates, 800 * kBarMebi);
    put(Component::Activations, 600 * kBarMebi);
    put(Component::Workspace, 2 * kBarMebi);
    peak.reservedBytes = peak.bytes + 48 * kBarMebi;
    return peak;
}

PredictedPeak against(PredictedPeak::Limit limit, std::int64_t bytes)
{
    PredictedPeak peak = peakOfTraining();
    peak.limit = limit;
    peak.limitBytes = bytes;
    return peak;
}

// From the first to the last column of a colour; empty where it is not there.
QRect spanOf(const QImage& image, const QColor& color)
{
    QRect span;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) == color.rgb())
                span |= QRect(x, y, 1, 1);
        }
    }
    return span;
}

} // namespace

class TestPeakBar : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }
    void cleanupTestCase() { test::applyPalette(false); }
    void componentsHaveTheirShare_data();
    void componentsHaveTheirShare();
    void theLimitIsALineAndWords();
    void whatIsOfSomethingElseIsPale();
    void theHeightStaysTheSame();

private:
    static QImage picture(PeakBar& bar, const char* name = nullptr)
    {
        const QImage image = bar.grab().toImage().convertToFormat(QImage::Format_RGB32);
        if (name)
            test::saveScreenshot(bar, QString::fromLatin1(name));
        return image;
    }
};

void TestPeakBar::componentsHaveTheirShare_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestPeakBar::componentsHaveTheirShare()
{
    QFETCH(bool, dark);
    test::applyPalette(dark);
    PeakBar bar;
    bar.resize(800, bar.height());
    bar.setPeak(peakOfTraining());
    const QImage image = picture(bar, dark ? "peak_bar_dark" : "peak_bar_light");
    const ChartTheme theme = chartTheme(bar.palette());
    const auto widthOf = [&](Component component) {
        return spanOf(image.copy(0, 0, image.width(), bar.height() / 2),
                      predictedTint(componentColor(component), theme))
            .width();
    };
    // Of 1850 MiB reserved over 784 pixels.
    QVERIFY2(std::abs(widthOf(Component::Parameters) - 170) <= 6,
             qPrintable(QString::number(widthOf(Component::Parameters))));
    QVERIFY(std::abs(widthOf(Component::OptimizerStates) - 339) <= 6);
    QVERIFY(std::abs(widthOf(Component::Activations) - 254) <= 6);
    QCOMPARE(widthOf(Component::Gradients), 0);
    QVERIFY(spanOf(image, theme.warning).isEmpty()); // no limit, no line
    // The hover and the reader have every number.
    for (const char* words : {"1.76 GiB", "400 MiB", "800 MiB", "600 MiB", "2.00 MiB"}) {
        QVERIFY2(bar.toolTip().contains(QLatin1String(words)), words);
        QVERIFY2(bar.accessibleDescription().contains(QLatin1String(words)), words);
    }
    QVERIFY(bar.toolTip().contains(reservedTitle()) && bar.toolTip().contains(QStringLiteral("48.0 MiB")));
    QVERIFY(!bar.toolTip().contains(componentTitle(Component::Gradients)));
}

void TestPeakBar::theLimitIsALineAndWords()
{
    PeakBar bar;
    bar.resize(800, bar.height());
    const ChartTheme theme = chartTheme(bar.palette());
    const auto words = [&bar](const PredictedPeak& peak) {
        bar.setPeak(peak);
        return bar.accessibleDescription().section(QStringLiteral(", "), -1);
    };
    const auto line = [&] { return spanOf(picture(bar), theme.warning); };
    using Limit = PredictedPeak::Limit;
    QCOMPARE(words(against(Limit::Budget, 1350 * kBarMebi)), QStringLiteral("500 MiB over the budget"));
    picture(bar, "peak_bar_over");
    QVERIFY(line().left() < 600 && line().right() > 750); // from the line to the end of the bar
    PredictedPeak inexact = against(Limit::Budget, 1350 * kBarMebi);
    inexact.exact = false;
    QCOMPARE(words(inexact), QStringLiteral("about 500 MiB over the budget"));
    PredictedPeak fitted = against(Limit::Budget, 1350 * kBarMebi);
    fitted.fitted = true;
    QCOMPARE(words(fitted), QStringLiteral("the run will be fitted to the budget of 1.32 GiB"));
    fitted.limit = Limit::Free;
    QCOMPARE(words(fitted),
             QStringLiteral("the run will be fitted to 1.32 GiB; a tenth of the free memory stays free"));
    fitted.limit = Limit::Card;
    QCOMPARE(words(fitted), QStringLiteral("the run will be fitted to the card's 1.32 GiB"));
    fitted.limit = Limit::None;
    QCOMPARE(words(fitted), QStringLiteral("the run will be fitted to what its device has free"));
    PredictedPeak least = against(Limit::Budget, 1350 * kBarMebi);
    least.least = true;
    QCOMPARE(words(least), QStringLiteral("not even the smallest run fits the budget of 1.32 GiB"));
    least.limit = Limit::Free;
    QCOMPARE(words(least), QStringLiteral("not even the smallest run fits the 1.32 GiB to take"));
    QCOMPARE(words(against(Limit::Card, 1350 * kBarMebi)), QStringLiteral("500 MiB over the card's memory"));
    QCOMPARE(words(against(Limit::Budget, 2048 * kBarMebi)), QStringLiteral("198 MiB of the budget of 2.00 GiB left"));
    picture(bar, "peak_bar_under");
    QVERIFY(line().left() > 780 && line().width() == 2);
    // A large card leaves the components legible, and has its line outside.
    QCOMPARE(words(against(Limit::Card, 80 * 1024 * kBarMebi)), QStringLiteral("78.2 GiB of the card's 80.0 GiB left"));
    picture(bar, "peak_bar_large_card");
    QVERIFY(line().isEmpty());
}

void TestPeakBar::whatIsOfSomethingElseIsPale()
{
    PeakBar bar;
    bar.resize(800, bar.height());
    bar.setPeak(peakOfTraining());
    const QColor tint = predictedTint(componentColor(Component::Activations), chartTheme(bar.palette()));
    QVERIFY(!spanOf(picture(bar), tint).isEmpty());
    bar.setPending();
    QVERIFY(spanOf(picture(bar, "peak_bar_pending"), tint).isEmpty());
    bar.setPeak(peakOfTraining());
    QVERIFY(!bar.isPending() && !spanOf(picture(bar), tint).isEmpty());
}

// The fields below it stay where they are.
void TestPeakBar::theHeightStaysTheSame()
{
    PeakBar bar;
    const int height = bar.height();
    for (const int width : {1600, 300, 20}) {
        bar.resize(width, height);
        bar.setPeak(against(PredictedPeak::Limit::Budget, 900 * kBarMebi));
        picture(bar);
        QCOMPARE(bar.height(), height);
    }
    bar.setPeak(std::nullopt);
    QCOMPARE(bar.height(), height);
    QCOMPARE(bar.accessibleDescription(), QStringLiteral("no prediction"));
    QVERIFY(bar.toolTip().isEmpty());
}

PEAKSCOPE_TEST(TestPeakBar)
#include "test_peak_bar.moc"
