// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/analysis_style.h"

#include "widgets/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace peakscope {
namespace {

struct AnalysisText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::AnalysisText)
};

QString superscript(int exponent)
{
    static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = exponent < 0 ? QStringLiteral("⁻") : QString();
    for (const QChar digit : QString::number(std::abs(exponent)))
        text += kDigits[digit.digitValue()];
    return text;
}

QString withMinus(QString text)
{
    return text.replace(QLatin1Char('-'), QChar(0x2212));
}

double roundStepOf(double raw)
{
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= raw * (1 - 1e-9))
            return factor * power;
    }
    return 10 * power;
}

std::vector<ScaleMark> linearScaleMarks(double low, double high, int most)
{
    std::vector<ScaleMark> marks;
    const double span = high - low;
    if (!(span > 0) || !std::isfinite(span))
        return marks;
    const double step = roundStepOf(span / std::max(most, 1));
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
        const double value = k == 0 ? 0.0 : k * step;
        marks.push_back({value, decimals > 4 || std::abs(value) >= 1e6
                                    ? compactNumber(value)
                                    : withMinus(QString::number(value, 'f', decimals))});
    }
    return marks;
}

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

QColor sequentialColor(double share)
{
    static const std::array<QColor, 9> kStops{
        QColor(0x00, 0x22, 0x4e), QColor(0x12, 0x35, 0x70), QColor(0x3b, 0x49, 0x6c),
        QColor(0x57, 0x5d, 0x6d), QColor(0x70, 0x71, 0x73), QColor(0x8a, 0x86, 0x78),
        QColor(0xa5, 0x9c, 0x74), QColor(0xd2, 0xc0, 0x60), QColor(0xfe, 0xe8, 0x38)};
    if (!(share == share))
        return QColor(0x88, 0x88, 0x88);
    const double place = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
    const auto index = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
    return mixed(kStops[index], kStops[index + 1], place - static_cast<double>(index));
}

QColor effectColor(double share, bool dark)
{
    const QColor neutral = dark ? QColor(0x2b, 0x2c, 0x30) : QColor(0xf7, 0xf7, 0xf7);
    if (!(share == share))
        return neutral;
    const QColor end = share < 0 ? QColor(0x21, 0x66, 0xac) : QColor(0xd6, 0x60, 0x1a);
    return mixed(neutral, end, std::min(1.0, std::abs(share)));
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
        return AnalysisText::tr("cannot be told");
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

double ResponseScale::place(double number) const
{
    if (!logarithmic)
        return number;
    const double share = std::abs(number) / threshold;
    const double far = share <= 1 ? share : 1 + std::log10(share);
    return number < 0 ? -far : far;
}

double ResponseScale::value(double spot) const
{
    if (!logarithmic)
        return spot;
    const double far = std::abs(spot);
    const double number = threshold * (far <= 1 ? far : std::pow(10, far - 1));
    return spot < 0 ? -number : number;
}

ResponseScale noiseScale(const std::vector<double>& sigmas)
{
    ResponseScale scale{true, 1};
    double least = std::numeric_limits<double>::infinity();
    for (const double sigma : sigmas) {
        if (sigma > 0)
            least = std::min(least, sigma);
    }
    if (std::isfinite(least))
        scale.threshold = least;
    return scale;
}

ResponseScale answerScale(const std::vector<double>& values)
{
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const double value : values) {
        if (value != 0 && std::isfinite(value)) {
            least = std::min(least, std::abs(value));
            most = std::max(most, std::abs(value));
        }
    }
    constexpr double kSpan = 30, kMostDecades = 1e-5;
    if (!(most > 0) || most < least * kSpan)
        return {};
    const double threshold = std::pow(10, std::floor(std::log10(std::max(least, most * kMostDecades)) + 1e-9));
    return {true, threshold};
}

QString compactNumber(double value, int digits)
{
    if (!std::isfinite(value))
        return QStringLiteral("–");
    const double size = std::abs(value);
    if (size == 0)
        return QStringLiteral("0");
    const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    if (exponent >= -3 && exponent < 5)
        return withMinus(QString::number(value, 'g', std::max(digits, exponent + 1)));
    const double mantissa = value / std::pow(10, exponent);
    const QString power = QStringLiteral("10") + superscript(exponent);
    const QString factor = QString::number(mantissa, 'g', digits);
    if (factor == QLatin1String("1") || factor == QLatin1String("-1"))
        return withMinus(factor.chopped(1)) + power;
    return withMinus(factor) + QStringLiteral("×") + power;
}

std::vector<ScaleMark> scaleMarks(const ResponseScale& scale, double low, double high, int most)
{
    if (!scale.logarithmic)
        return linearScaleMarks(low, high, most);
    std::vector<ScaleMark> marks;
    const int first = static_cast<int>(std::ceil(low - 1e-9)), last = static_cast<int>(std::floor(high + 1e-9));
    const int step = std::max(1, (last - first + most) / std::max(1, most));
    for (int spot = first; spot <= last; ++spot) {
        if (spot % step == 0)
            marks.push_back({static_cast<double>(spot), compactNumber(scale.value(spot), 1)});
    }
    return marks;
}

std::vector<ScaleMark> noiseMarks(const ResponseScale& scale, const std::vector<double>& sigmas)
{
    std::vector<ScaleMark> marks;
    for (const double sigma : sigmas)
        marks.push_back({scale.place(sigma), compactNumber(sigma, 3)});
    return marks;
}

} // namespace peakscope
