// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/strategy_style.h"

#include <QCoreApplication>
#include <QImage>
#include <QLocale>
#include <QPainter>

namespace peakscope {

namespace {

struct PlanText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::PlanText)
};

} // namespace

QString verdictTitle(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Comfortable:
        return PlanText::tr("Comfortable");
    case Verdict::Fits:
        return PlanText::tr("Fits");
    case Verdict::Tight:
        return PlanText::tr("Tight");
    case Verdict::NeedsSharding:
        return PlanText::tr("Needs sharding");
    case Verdict::DoesNotFit:
        return PlanText::tr("Does not fit");
    }
    return {};
}

QString verdictText(Verdict verdict, std::int64_t devicesNeeded)
{
    if (verdict != Verdict::NeedsSharding || devicesNeeded < 2)
        return verdictTitle(verdict);
    return PlanText::tr("Needs %1 devices").arg(QLocale().toString(static_cast<qlonglong>(devicesNeeded)));
}

QString verdictDefinition(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Comfortable:
        return PlanText::tr("Reserved memory and context take at most 60 % of what the device lets a process use.");
    case Verdict::Fits:
        return PlanText::tr("Reserved memory and context take at most 85 % of what the device lets a process use.");
    case Verdict::Tight:
        return PlanText::tr("It fits, but takes over 85 % of what the device lets a process use.");
    case Verdict::NeedsSharding:
        return PlanText::tr("One device is too small; spread over several of them it fits.");
    case Verdict::DoesNotFit:
        return PlanText::tr("Reserved memory and context are more than the device lets a process use.");
    }
    return {};
}

QString tierTitle(Tier tier)
{
    switch (tier) {
    case Tier::Exact:
        return PlanText::tr("Exact");
    case Tier::Precision:
        return PlanText::tr("Precision");
    case Tier::Method:
        return PlanText::tr("Method");
    }
    return {};
}

QString tierDefinition(Tier tier)
{
    switch (tier) {
    case Tier::Exact:
        return PlanText::tr("Exact: the numbers are those of what was asked for, up to rounding.");
    case Tier::Precision:
        return PlanText::tr("Precision: the steps are those that were asked for, rounded more coarsely.");
    case Tier::Method:
        return PlanText::tr("Method: something else is trained or computed than was asked for.");
    }
    return {};
}

QString partHeading(PlanPart part)
{
    switch (part) {
    case PlanPart::Exact:
        return PlanText::tr("Exact: what was asked for, the same up to rounding");
    case PlanPart::Precision:
        return PlanText::tr("Precision: the same steps, rounded more coarsely");
    case PlanPart::Method:
        return PlanText::tr("Method: changes what is trained or computed");
    case PlanPart::MoreDevices:
        return PlanText::tr("Needs more devices");
    case PlanPart::DoesNotFit:
        return PlanText::tr("Does not fit");
    }
    return {};
}

QColor verdictFill(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Comfortable:
        return {0x2c, 0x7f, 0xb8};
    case Verdict::Fits:
        return {0x7f, 0xcd, 0xbb};
    case Verdict::Tight:
        return {0xfe, 0xb2, 0x4c};
    case Verdict::NeedsSharding:
        return {0x99, 0x70, 0xab};
    case Verdict::DoesNotFit:
        return {0xb5, 0x1f, 0x3c};
    }
    return {};
}

QColor predictedTint(const QColor& color, const ChartTheme& theme)
{
    return mixed(theme.background, color, theme.dark ? 0.42 : 0.38);
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

QString goalTitle(const std::string& goal)
{
    if (goal == "train")
        return PlanText::tr("Train");
    if (goal == "hessian")
        return PlanText::tr("Hessian");
    if (goal == "dp-sgd")
        return PlanText::tr("DP-SGD");
    return QString::fromStdString(goal);
}

} // namespace peakscope
