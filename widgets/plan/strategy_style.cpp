// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/strategy_style.h"

#include "widgets/look/component_palette.h"

#include <QCoreApplication>
#include <QImage>
#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <array>

namespace peakscope {

namespace {

struct PlanWord {
    const char* title;
    const char* definition;
    QRgb fill = 0;
};

struct PlanText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::PlanText)

public:
    static constexpr std::array<PlanWord, kVerdictCount> kVerdicts{{
        {QT_TR_NOOP("Comfortable"),
         QT_TR_NOOP(
             "Reserved memory and context take at most 60 % of the memory that a process can use on the device."),
         0xff2c7fb8},
        {QT_TR_NOOP("Fits"),
         QT_TR_NOOP(
             "Reserved memory and context take at most 85 % of the memory that a process can use on the device."),
         0xff7fcdbb},
        {QT_TR_NOOP("Tight"),
         QT_TR_NOOP("It fits, but takes more than 85 % of the memory that a process can use on the device."),
         0xfffeb24c},
        {QT_TR_NOOP("Needs sharding"), QT_TR_NOOP("One device is too small; spread over several of them it fits."),
         0xff9970ab},
        {QT_TR_NOOP("Does not fit"),
         QT_TR_NOOP("Reserved memory and context exceed the memory that a process can use on the device."), 0xffb51f3c},
    }};
    static constexpr std::array<PlanWord, kTierCount> kTiers{{
        {QT_TR_NOOP("Exact"), QT_TR_NOOP("Exact: the numbers equal those of the requested set-up, up to rounding.")},
        {QT_TR_NOOP("Precision"), QT_TR_NOOP("Precision: the same steps as requested, rounded more coarsely.")},
        {QT_TR_NOOP("Method"), QT_TR_NOOP("Method: the strategy trains or computes something other than requested.")},
    }};
    static constexpr std::array<const char*, kPlanPartCount> kParts{
        QT_TR_NOOP("Exact: as requested, the same up to rounding"),
        QT_TR_NOOP("Precision: the same steps, rounded more coarsely"),
        QT_TR_NOOP("Method: changes what is trained or computed"),
        QT_TR_NOOP("Needs more devices"),
        QT_TR_NOOP("Does not fit"),
    };
};

// A row that was forgotten has no title.
static_assert(PlanText::kVerdicts.back().title && PlanText::kTiers.back().title && PlanText::kParts.back());

const PlanWord& wordsOf(Verdict verdict)
{
    return PlanText::kVerdicts[static_cast<std::size_t>(verdict)];
}

const PlanWord& wordsOf(Tier tier)
{
    return PlanText::kTiers[static_cast<std::size_t>(tier)];
}

Hatch verdictHatch(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Comfortable:
        return Hatch::Dots;
    case Verdict::Fits:
        return Hatch::Rising;
    case Verdict::Tight:
        return Hatch::Falling;
    case Verdict::NeedsSharding:
        return Hatch::Horizontal;
    case Verdict::DoesNotFit:
        return Hatch::Crossed;
    }
    return Hatch::None;
}

QColor tintOf(const QColor& color, const QColor& background, bool dark)
{
    return mixed(background, color, dark ? 0.42 : 0.38);
}

Fill pale(const ChartColors& colors, const QColor& color, Hatch hatch, double ink)
{
    const QColor tint = tintOf(color, colors.background, colors.dark);
    return {tint, hatch, mixed(tint, color, ink)};
}

} // namespace

QString verdictTitle(Verdict verdict)
{
    return PlanText::tr(wordsOf(verdict).title);
}

QString verdictText(Verdict verdict, std::int64_t devicesNeeded)
{
    if (verdict != Verdict::NeedsSharding || devicesNeeded < 2)
        return verdictTitle(verdict);
    return PlanText::tr("Needs %1 devices").arg(QLocale().toString(static_cast<qlonglong>(devicesNeeded)));
}

QString verdictDefinition(Verdict verdict)
{
    return PlanText::tr(wordsOf(verdict).definition);
}

QString tierTitle(Tier tier)
{
    return PlanText::tr(wordsOf(tier).title);
}

QString tierDefinition(Tier tier)
{
    return PlanText::tr(wordsOf(tier).definition);
}

QString partHeading(PlanPart part)
{
    return PlanText::tr(PlanText::kParts[static_cast<std::size_t>(part)]);
}

QColor verdictFill(Verdict verdict)
{
    return QColor::fromRgb(wordsOf(verdict).fill);
}

QString reservedTitle()
{
    return PlanText::tr("Reserved beyond the peak");
}

QString frontierTitle()
{
    return PlanText::tr("Largest batch that fits");
}

QString beyondPositionsTitle()
{
    return PlanText::tr("× beyond the model's positions");
}

double strategyBytes(const PlanDocument& plan, const PlannedStrategy& strategy)
{
    return static_cast<double>(std::max(strategy.knownReservedBytes(), strategy.peakBytes)) +
           static_cast<double>(plan.device.contextBytes);
}

double strategyScaleBytes(const PlanDocument& plan, std::size_t rows)
{
    constexpr double kHeadRoom = 1.04;
    constexpr double kMostOfCapacity = 1.5; // bars beyond this share of the capacity are cut, with an arrow
    double most = 1024;
    for (std::size_t i = 0; i < rows; ++i)
        most = std::max(most, strategyBytes(plan, plan.strategies[i]));
    const auto usable = static_cast<double>(plan.device.usableBytes);
    if (usable <= 0)
        return most * kHeadRoom;
    // Where all is far below the capacity, the line stays in view all the same.
    return std::clamp(most * kHeadRoom, usable * kHeadRoom, usable * kMostOfCapacity);
}

std::vector<Component> strategyComponents(const PlanDocument& plan, std::size_t rows)
{
    const double least = strategyScaleBytes(plan, rows) / 400; // what is smaller is thinner than a line
    const auto end = plan.strategies.begin() + static_cast<std::ptrdiff_t>(rows);
    std::vector<Component> seen;
    for (const Component component : componentStackOrder()) {
        if (std::any_of(plan.strategies.begin(), end, [=](const PlannedStrategy& strategy) {
                return static_cast<double>(strategy.components[static_cast<std::size_t>(component)]) > least;
            }))
            seen.push_back(component);
    }
    return seen;
}

QColor predictedTint(const QColor& color, const ChartTheme& theme)
{
    return tintOf(color, theme.background, theme.dark);
}

QBrush predictedBrush(const QColor& color, const ChartTheme& theme, double ink)
{
    constexpr int kTile = 6;
    constexpr double kScale = 2; // sharp on high-resolution screens as well
    QImage tile(kTile * int(kScale), kTile * int(kScale), QImage::Format_ARGB32_Premultiplied);
    tile.setDevicePixelRatio(kScale);
    tile.fill(predictedTint(color, theme));
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(mixed(predictedTint(color, theme), color, ink), 1.1));
    for (const int shift : {-kTile, 0, kTile})
        painter.drawLine(QPointF(shift, kTile), QPointF(shift + kTile, 0));
    painter.end();
    QBrush brush;
    brush.setTextureImage(tile);
    return brush;
}

Fill predictedFill(const ChartColors& colors, Component component)
{
    // Plain components are hatched too: nothing that is predicted looks solid.
    const Hatch own = componentHatch(component);
    return pale(colors, componentColor(component), own == Hatch::None ? Hatch::Rising : own, 1);
}

Fill predictedFill(const ChartColors& colors, Verdict verdict)
{
    return pale(colors, verdictFill(verdict), verdictHatch(verdict), 0.55);
}

QString goalTitle(const std::string& goal)
{
    if (goal == "train")
        return PlanText::tr("Train");
    if (goal == "hessian")
        return PlanText::tr("Hessian");
    if (goal == "dp-sgd")
        return PlanText::tr("DP-SGD");
    if (goal == "prm")
        return PlanText::tr("Perturbation");
    return QString::fromStdString(goal);
}

} // namespace peakscope
