// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_room.h"
#include "widgets/look/component_palette.h"
#include "widgets/look/theme.h"

#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <set>

using namespace peakscope;

class TestPalette : public QObject
{
    Q_OBJECT

private slots:
    void componentColours_data();
    void componentColours();
    void coloursAreThoseOfTheDesign();
    void stackHoldsEveryComponentOnce();
    void neighboursInTheStackDifferInGrey();
    void everyNameHasATitle();
    void phaseStripsCarryText_data();
    void phaseStripsCarryText();
};

void TestPalette::componentColours_data()
{
    QTest::addColumn<QString>("component");
    QTest::addColumn<QString>("colour");
    const std::pair<const char*, const char*> rows[] = {{"parameters", "#0072B2"},
                                                        {"gradients", "#E69F00"},
                                                        {"optimizer_states", "#D55E00"},
                                                        {"activations", "#009E73"},
                                                        {"activation_hooks", "#CC79A7"},
                                                        {"norm_samples", "#F0E442"},
                                                        {"temp_matrices", "#56B4E9"},
                                                        {"per_sample_gradients", "#882255"},
                                                        {"hessian", "#332288"},
                                                        {"activation_gradients", "#44AA99"},
                                                        {"communication", "#AA4499"},
                                                        {"inputs", "#999933"},
                                                        {"workspace", "#BBBBBB"},
                                                        {"rounding", "#DDDDDD"},
                                                        {"other", "#666666"}};
    for (const auto& [component, colour] : rows)
        QTest::newRow(component) << component << colour;
}

void TestPalette::componentColours()
{
    QFETCH(QString, component);
    QFETCH(QString, colour);
    const auto found = componentFromName(component.toStdString());
    QVERIFY(found.has_value());
    QCOMPARE(componentColor(*found).name(QColor::HexRgb).toUpper(), colour);
}

// The window's own specification, where it is at hand.
void TestPalette::coloursAreThoseOfTheDesign()
{
    QFile file(QStringLiteral(PEAKSCOPE_SHARED_DIR "/ui.md"));
    if (!file.open(QIODevice::ReadOnly))
        QSKIP("the design folder is not beside the checkout");
    const QString text = QString::fromUtf8(file.readAll());
    const QRegularExpression entry(QStringLiteral("([a-z_]+) (#[0-9A-F]{6})"));
    int compared = 0;
    for (auto match = entry.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch found = match.next();
        if (const auto component = componentFromName(found.captured(1).toStdString())) {
            QCOMPARE(componentColor(*component).name(QColor::HexRgb).toUpper(), found.captured(2));
            ++compared;
        }
    }
    QCOMPARE(compared, static_cast<int>(kComponentCount));
}

void TestPalette::stackHoldsEveryComponentOnce()
{
    const std::vector<Component>& order = componentStackOrder();
    QCOMPARE(order.size(), kComponentCount);
    QCOMPARE(std::set<Component>(order.begin(), order.end()).size(), kComponentCount);
    QCOMPARE(order.front(), Component::Parameters); // what lives longest is lowest
}

void TestPalette::neighboursInTheStackDifferInGrey()
{
    const std::vector<Component>& order = componentStackOrder();
    for (std::size_t i = 1; i < order.size(); ++i) {
        const bool hatch = componentHatch(order[i]) != componentHatch(order[i - 1]);
        const int grey = std::abs(qGray(componentColor(order[i]).rgb()) - qGray(componentColor(order[i - 1]).rgb()));
        QVERIFY2(hatch || grey > 40, qPrintable(componentTitle(order[i])));
    }
}

void TestPalette::everyNameHasATitle()
{
    std::set<QString> titles;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        titles.insert(componentTitle(static_cast<Component>(i)));
        QVERIFY(componentDefinition(static_cast<Component>(i)).endsWith(QLatin1Char('.')));
    }
    QCOMPARE(titles.size(), kComponentCount);
    QVERIFY(titles.count(QString()) == 0);
    for (std::size_t i = 0; i < kPhaseCount; ++i)
        QVERIFY(!phaseTitle(static_cast<Phase>(i)).isEmpty());
    for (std::size_t i = 0; i < kModuleKindCount; ++i)
        QVERIFY(!moduleKindTitle(static_cast<ModuleKind>(i)).isEmpty());
}

void TestPalette::phaseStripsCarryText_data()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

void TestPalette::phaseStripsCarryText()
{
    QFETCH(bool, dark);
    const QColor text = dark ? QColor(0xec, 0xec, 0xec) : QColor(0x11, 0x11, 0x11);
    for (std::size_t i = 0; i < kPhaseCount; ++i) {
        const auto phase = static_cast<Phase>(i);
        QVERIFY2(contrastRatio(text, phaseStripColor(phase, dark)) >= 4.5, qPrintable(phaseTitle(phase)));
        QVERIFY2(contrastRatio(text, phaseTint(phase, dark)) >= 4.5, qPrintable(phaseTitle(phase)));
    }
}

PEAKSCOPE_TEST(TestPalette)
#include "test_palette.moc"
