// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/analysis/analysis_style.h"

#include "core/analysis/neighbors/random_stream.h"

#include "widgets/look/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace peakscope {
namespace {

struct AnalysisText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::AnalysisText)
};

} // namespace

MarkerStyle groupMarker(UnitGroup group)
{
    switch (group) {
    case UnitGroup::Func:
        return {MarkerShape::Circle, QColor(0xd5, 0x5e, 0x00)};
    case UnitGroup::Sens:
        return {MarkerShape::Square, QColor(0x00, 0x72, 0xb2)};
    case UnitGroup::Both:
        return {MarkerShape::Triangle, QColor(0x00, 0x9e, 0x73)};
    case UnitGroup::Control:
        return {MarkerShape::Cross, QColor(0x88, 0x88, 0x88)};
    case UnitGroup::None:
        break;
    }
    return {MarkerShape::Circle, QColor(0x88, 0x88, 0x88)};
}

MarkerStyle clusterMarker(int cluster)
{
    if (cluster < 0)
        return {MarkerShape::Cross, QColor(0x88, 0x88, 0x88)};
    // Tol's muted scheme: none of them looks like a class.
    static const std::array<QColor, 7> kColors{
        QColor(0x33, 0x22, 0x88), QColor(0xdd, 0xcc, 0x77), QColor(0xcc, 0x66, 0x77), QColor(0x88, 0xcc, 0xee),
        QColor(0x88, 0x22, 0x55), QColor(0x99, 0x99, 0x33), QColor(0xaa, 0x44, 0x99)};
    static constexpr std::array kShapes{MarkerShape::Circle, MarkerShape::Square, MarkerShape::Triangle,
                                        MarkerShape::Diamond};
    // Colour and shape both step, so that neighbours in number differ in both.
    const auto number = static_cast<std::size_t>(cluster);
    return {kShapes[number % kShapes.size()], kColors[number % kColors.size()]};
}

QString groupTitle(UnitGroup group)
{
    if (group == UnitGroup::Control)
        return AnalysisText::tr("Control");
    if (group == UnitGroup::None)
        return AnalysisText::tr("Not classified");
    const std::string_view text = name(group);
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

QString groupTitle(const ResponseGroup& group)
{
    if (group.group != UnitGroup::Control || !group.controlOf)
        return groupTitle(group.group);
    return AnalysisText::tr("Control of %1").arg(groupTitle(groupOf(*group.controlOf)));
}

QString clusterTitle(int cluster)
{
    return cluster < 0 ? AnalysisText::tr("Noise") : AnalysisText::tr("Cluster %1").arg(cluster);
}

QString attackTitle(const std::string& attack)
{
    return attack.empty() || attack == "attack" ? AnalysisText::tr("attack") : QString::fromStdString(attack);
}

QString verdictTitle(const std::string& verdict)
{
    if (verdict == "supported")
        return AnalysisText::tr("supported");
    if (verdict == "not_supported")
        return AnalysisText::tr("not supported");
    if (verdict == "contradicted")
        return AnalysisText::tr("contradicted");
    if (verdict == "cannot_be_told")
        return AnalysisText::tr("undetermined");
    return QString::fromStdString(verdict);
}

QString measureTitle(const std::string& measure)
{
    if (measure == "log_perplexity")
        return AnalysisText::tr("log perplexity");
    if (measure == "perplexity")
        return AnalysisText::tr("perplexity");
    return AnalysisText::tr("AUC (%1)").arg(attackTitle(measure));
}

double scatterMarkerScale(std::size_t points, double least)
{
    return std::clamp(std::pow(300.0 / std::max<double>(1, static_cast<double>(points)), 0.35), least, 1.0);
}

MarkerShape hollowShape(MarkerShape shape)
{
    return shape == MarkerShape::Cross ? MarkerShape::Circle : shape;
}

std::vector<std::size_t> paintOrder(std::size_t points)
{
    std::vector<std::size_t> order(points);
    std::iota(order.begin(), order.end(), std::size_t{0});
    RandomStream random(1);
    for (std::size_t left = points; left > 1; --left)
        std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
    return order;
}

QPolygonF markerPolygon(MarkerShape shape, double radius)
{
    QPolygonF polygon;
    const auto corners = [&polygon](int count, double size, double turn) {
        for (int i = 0; i < count; ++i) {
            const double angle = turn + 2 * std::numbers::pi * i / count;
            polygon << QPointF(size * std::cos(angle), size * std::sin(angle));
        }
    };
    switch (shape) {
    case MarkerShape::Circle:
        corners(16, radius, 0);
        break;
    case MarkerShape::Square:
        corners(4, radius * 1.25, std::numbers::pi / 4);
        break;
    case MarkerShape::Triangle:
        corners(3, radius * 1.4, -std::numbers::pi / 2);
        break;
    case MarkerShape::Diamond:
        corners(4, radius * 1.3, 0);
        break;
    case MarkerShape::Cross:
        break;
    }
    return polygon;
}

AnswerAxis noiseAxis(const std::vector<double>& sigmas)
{
    double least = std::numeric_limits<double>::infinity();
    for (const double sigma : sigmas) {
        if (sigma > 0)
            least = std::min(least, sigma);
    }
    AnswerAxis axis{{std::isfinite(least) ? least : 1}, 0, 1};
    constexpr double kPad = 0.12; // of a decade, for the marks at the ends
    axis.low = (sigmas.empty() ? 0 : axis.scale.place(sigmas.front())) - kPad;
    axis.high = (sigmas.empty() ? 1 : axis.scale.place(sigmas.back())) + kPad;
    return axis;
}

std::vector<AxisMark> noiseMarks(const ValueScale& scale, const std::vector<double>& sigmas, double low, double high,
                                 int most)
{
    std::vector<AxisMark> marks;
    for (const double sigma : sigmas) {
        if (const double place = scale.place(sigma); place >= low && place <= high)
            marks.push_back({place, compactNumber(sigma, 3)});
    }
    return marks.size() > 1 || sigmas.size() < 2 ? marks : valueMarks(scale, low, high, most);
}

AnswerAxis answerAxis(const std::vector<Spread>& spreads, double resolution)
{
    std::vector<double> means;
    for (const Spread& spread : spreads)
        means.push_back(spread.mean);
    const ValueScale scale = scaleFor(means, resolution);
    double low = 0, high = 0; // zero is what the answers are compared with
    for (const double mean : means) {
        if (std::isfinite(mean)) {
            low = std::min(low, scale.place(mean));
            high = std::max(high, scale.place(mean));
        }
    }
    const double room = std::max(high - low, 1e-12) * 0.6;
    double least = low, most = high;
    for (const Spread& spread : spreads) {
        if (spread.hasInterval() && std::isfinite(spread.mean)) {
            least = std::min(least, std::max(scale.place(spread.low), low - room));
            most = std::max(most, std::min(scale.place(spread.high), high + room));
        }
    }
    if (!(most > least))
        most = least + 1;
    const double pad = (most - least) * 0.05;
    return {scale, least - pad, most + pad};
}

double EffectColors::share(const GroupEffect& effect) const
{
    const auto largest = most.find(effect.measure);
    const double value = shown(effect);
    if (largest == most.end() || !(largest->second > 0) || !std::isfinite(value))
        return 0;
    return scale.place(value) / scale.place(largest->second);
}

QString EffectColors::title() const
{
    return standardised ? scaleTitle(AnalysisText::tr("Hedges' g"), scale)
                        : AnalysisText::tr("Change (part of the largest in its row)");
}

std::vector<AxisMark> EffectColors::marks(int room) const
{
    const double largest = standardised && !most.empty() ? most.begin()->second : 1;
    const double end = scale.place(largest > 0 ? largest : 1);
    std::vector<AxisMark> marks = valueMarks(scale, -end, end, room);
    for (AxisMark& mark : marks)
        mark.place /= end;
    return marks;
}

EffectColors effectColors(const std::vector<GroupEffect>& effects)
{
    EffectColors colors;
    colors.standardised =
        std::any_of(effects.begin(), effects.end(), [](const GroupEffect& e) { return std::isfinite(e.hedges); });
    double all = 0;
    for (const GroupEffect& effect : effects) {
        double& most = colors.most[effect.measure];
        if (const double size = std::abs(colors.shown(effect)); std::isfinite(size)) {
            most = std::max(most, size);
            all = std::max(all, size);
        }
    }
    if (colors.standardised) {
        for (auto& [measure, most] : colors.most)
            most = all;
        // One huge effect must not make the others pale; below 1 they are small.
        constexpr double kLinearUpTo = 5;
        colors.scale.threshold = all > kLinearUpTo ? 1 : 0;
    }
    return colors;
}

} // namespace peakscope
