// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/sweep_growth_words.h"

#include "widgets/look/theme.h"
#include "widgets/sweep/sweep_style.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

struct GrowthWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::GrowthWords)

public:
    static QString kind(GrowthKind kind)
    {
        switch (kind) {
        case GrowthKind::Unknown:
            return tr("the points do not determine the growth");
        case GrowthKind::Flat:
            return tr("hardly changes");
        case GrowthKind::Falls:
            return tr("falls");
        case GrowthKind::BelowLinear:
            return tr("less than linear");
        case GrowthKind::Linear:
            return tr("linear");
        case GrowthKind::BelowQuadratic:
            return tr("between linear and quadratic");
        case GrowthKind::Quadratic:
            return tr("quadratic");
        case GrowthKind::AboveQuadratic:
            return tr("more than quadratic");
        }
        return {};
    }
};

// Okabe and Ito's and Tol's, those that white paper carries.
constexpr std::array<QRgb, kMostTrendLines> kColors{0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7,
                                                    0xff7a6a00, 0xff332288, 0xff882255, 0xff117733,
                                                    0xffe69f00, 0xff56b4e9, 0xffaa4499, 0xff777777};

QString exponentText(const PowerLawFit& fit)
{
    const QLocale locale;
    const QString text = GrowthWords::tr("exponent %1").arg(locale.toString(fit.exponent, 'f', 2));
    if (!std::isfinite(fit.low))
        return text;
    return text + GrowthWords::tr(" (95 %: %1 to %2)")
                      .arg(locale.toString(fit.low, 'f', 2), locale.toString(fit.high, 'f', 2));
}

QString percent(double share)
{
    const double value = 100 * share;
    return (value > 0 ? QStringLiteral("+") : QString()) +
           QLocale().toString(value, 'f', std::abs(value) < 10 ? 1 : 0) + QStringLiteral(" %");
}

QString changeText(const std::pair<double, double>& range, double from, double to, const std::string& key)
{
    const QString low = percent(range.first), high = percent(range.second);
    return GrowthWords::tr("%1 from %2 to %3", "change, lowest and highest value")
        .arg(low == high ? low : GrowthWords::tr("%1 to %2", "two changes").arg(low, high), sweepValueText(from, key),
             sweepValueText(to, key));
}

} // namespace

std::vector<std::vector<std::size_t>> coincidingLines(const SweepGrowth& growth)
{
    double low = HUGE_VAL, high = 0;
    for (const GrowthLine& line : growth.lines) {
        for (const double y : line.measured().y) {
            low = std::min(low, y);
            high = std::max(high, y);
        }
    }
    const double apart = 0.005 * (low > 0 && high > low ? std::min(1.0, std::log(high / low)) : 0);
    const auto coincide = [&](std::size_t a, std::size_t b) {
        const SweepTrend one = growth.lines[a].measured(), other = growth.lines[b].measured();
        return one.x == other.x && std::equal(one.y.begin(), one.y.end(), other.y.begin(), other.y.end(),
                                              [apart](double left, double right) {
                                                  return left == right || std::abs(std::log(left / right)) <= apart;
                                              });
    };
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < growth.lines.size(); ++i) {
        const auto found = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
            return coincide(group.front(), i);
        });
        if (found == groups.end())
            groups.push_back({i});
        else
            found->push_back(i);
    }
    return groups;
}

std::vector<nlohmann::json> settingsOf(const SweepGrowth& growth, const std::vector<std::size_t>& group)
{
    std::vector<nlohmann::json> settings;
    for (const std::size_t line : group)
        settings.push_back(growth.lines[line].trend.fixed);
    return settings;
}

QColor trendColor(std::size_t line, bool dark)
{
    const QColor own = QColor::fromRgb(kColors[line % kColors.size()]);
    return dark ? mixed(own, QColor(Qt::white), 0.4) : own;
}

QStringList growthParts(const SweepGrowth& growth, bool ofTwo)
{
    QStringList fromZero;
    if (growth.fromZero)
        fromZero << changeText(*growth.fromZero, 0, growth.afterZero, growth.key);
    if (growth.values == 1 && growth.zero)
        return QStringList{GrowthWords::tr(
                   "no growth law: there is only one value above 0, and a power law cannot include 0")} +
               fromZero;
    // A line may bear out an offset of its own, and with it an exponent that the others do not share.
    const bool own = !growth.knowsFloors() && !growth.common.usable() &&
                     std::ranges::any_of(growth.lines, [](const GrowthLine& line) { return line.tells(); });
    QStringList parts;
    if (!own || growth.kind != GrowthKind::Unknown)
        parts << GrowthWords::kind(growth.kind);
    if (growth.kind != GrowthKind::Flat && growth.common.usable()) {
        parts << exponentText(growth.common);
        if (growth.common.offset > 0)
            parts << GrowthWords::tr("above %1").arg(sweepNumberText(growth.common.offset, growth.measure));
        else if (growth.highestFloor() > 0)
            parts << GrowthWords::tr("above parameters and their states");
    }
    if (own)
        parts << GrowthWords::tr("what parameters hold is not known: no common exponent");
    else if (!growth.knowsFloors() && !growth.common.usable())
        parts << GrowthWords::tr("what parameters hold is not known: no exponent");
    if (growth.change)
        parts << changeText(*growth.change, growth.lowest, growth.highest, growth.key);
    if (growth.values == 2 && ofTwo)
        parts << GrowthWords::tr("two values: nothing is known between them");
    if (growth.zero)
        parts << GrowthWords::tr("this leaves 0 out");
    return parts + fromZero;
}

QString twoValuesText(const QStringList& keys)
{
    return GrowthWords::tr("%1: two values each, nothing is known between them").arg(keys.join(GrowthWords::tr(", ")));
}

QString growthText(const SweepGrowth& growth)
{
    return GrowthWords::tr("%1 along %2: %3", "measure, key, how it grows")
        .arg(sweepMeasureTitle(growth.measure), sweepKeyTitle(growth.key),
             growthParts(growth).join(GrowthWords::tr("; ", "between parts of a sentence")));
}

QString trendFitText(const GrowthLine& line, const std::string& measure)
{
    const std::size_t points = line.measured().x.size();
    if (points < 2)
        return GrowthWords::tr("one point");
    if (points == 2)
        return GrowthWords::tr("two points, joined");
    if (!line.tells())
        return GrowthWords::tr("points joined: they do not determine an exponent");
    if (!(line.fit.offset > 0))
        return exponentText(line.fit);
    return GrowthWords::tr("%1 above %2", "exponent, bytes")
        .arg(exponentText(line.fit), sweepNumberText(line.fit.offset, measure));
}

} // namespace peakscope
