// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/value_scale.h"

#include "widgets/text/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

namespace peakscope {

namespace {

struct ScaleText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::ScaleText)
};

constexpr std::size_t kLeastDecades = 4; // that are labelled where so many are visible
constexpr double kParts[] = {1, 2, 5};   // of a decade

// Powers of ten that a plain number shows as well as an exponent does.
bool isPlain(int exponent)
{
    return exponent >= -3 && exponent <= 4;
}

// All labels of an axis are of one kind.
QString decadeText(int exponent, bool negative, bool plain)
{
    return plain ? compactNumber((negative ? -1 : 1) * std::pow(10.0, exponent), 1) : powerText(exponent, negative);
}

struct Decades {
    int first = 0, last = -1; // exponents of the powers of ten beyond the linear zone
    double low = 0, high = 0; // the values that are visible

    bool shows(double value) const
    {
        const double slack = 1e-9 * std::abs(value);
        return value >= low - slack && value <= high + slack;
    }
};

Decades decadesOf(const ValueScale& scale, double low, double high)
{
    Decades decades{0, -1, scale.value(low), scale.value(high)};
    const double largest = std::max(std::abs(decades.low), std::abs(decades.high));
    decades.first = static_cast<int>(std::ceil(std::log10(scale.threshold) - 1e-9));
    decades.last = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
    return decades;
}

// Zero and every `step`-th power of ten; the number of powers goes to `count`.
std::vector<AxisMark> decadesEvery(int step, const ValueScale& scale, const Decades& decades, std::size_t& count)
{
    const bool plain = isPlain(decades.first) && isPlain(std::max(decades.first, decades.last));
    std::vector<AxisMark> marks;
    count = 0;
    const auto put = [&](int exponent, bool negative) {
        const double value = (negative ? -1 : 1) * std::pow(10.0, exponent);
        if (exponent % step != 0 || !decades.shows(value))
            return;
        marks.push_back({scale.place(value), decadeText(exponent, negative, plain)});
        ++count;
    };
    for (int exponent = decades.last; exponent >= decades.first; --exponent)
        put(exponent, true);
    if (decades.low <= 0 && decades.high >= 0)
        marks.push_back({0, QStringLiteral("0")});
    for (int exponent = decades.first; exponent <= decades.last; ++exponent)
        put(exponent, false);
    return marks;
}

// One, two and five times the powers of ten.
std::vector<AxisMark> partsOfDecades(double low, double high)
{
    std::vector<AxisMark> marks;
    for (int exponent = static_cast<int>(std::floor(low)); exponent <= high; ++exponent) {
        for (const double part : kParts) {
            const double place = exponent + std::log10(part);
            if (place >= low - 1e-9 && place <= high + 1e-9)
                marks.push_back({place, compactNumber(part * std::pow(10.0, exponent), 1)});
        }
    }
    return marks;
}

// Round values at the places where another scale has them.
template <typename PlaceOf>
std::vector<AxisMark> roundValues(double low, double high, int most, const PlaceOf& placeOf)
{
    std::vector<AxisMark> marks = linearMarks(low, high, most);
    for (AxisMark& mark : marks)
        mark.place = placeOf(mark.place);
    return marks;
}

} // namespace

double ValueScale::place(double value) const
{
    if (!symlog())
        return value;
    const double size = std::abs(value) / threshold;
    const double place = size <= 1 ? size : 1 + std::log10(size);
    return value < 0 ? -place : place;
}

double ValueScale::value(double place) const
{
    if (!symlog())
        return place;
    const double size = std::abs(place);
    const double value = threshold * (size <= 1 ? size : std::pow(10.0, size - 1));
    return place < 0 ? -value : value;
}

ValueScale scaleFor(const std::vector<double>& values, double resolution)
{
    constexpr double kLeastSpan = 100, kMostDecades = 5;
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const double value : values) {
        if (value != 0 && std::isfinite(value)) {
            least = std::min(least, std::abs(value));
            most = std::max(most, std::abs(value));
        }
    }
    if (!(most > 0))
        return {};
    const bool known = resolution > 0 && std::isfinite(resolution);
    const double decade = known ? std::ceil(std::log10(resolution) - 1e-9)
                                : std::floor(std::log10(std::max(least, most * std::pow(10.0, -kMostDecades))) + 1e-9);
    const double threshold = std::pow(10.0, decade);
    return most * (1 + 1e-9) < kLeastSpan * threshold ? ValueScale{} : ValueScale{threshold};
}

QString scaleTitle(const QString& quantity, const ValueScale& scale)
{
    return scale.symlog() ? ScaleText::tr("%1 (symlog, linear below %2)", "axis: quantity, value")
                                .arg(quantity, compactNumber(scale.threshold))
                          : quantity;
}

QString scaleTitles(const QString& quantity, const ValueScale& scale)
{
    const QString title = scaleTitle(quantity, scale);
    return scale.symlog() ? title + kTitleWordings + ScaleText::tr("%1 (symlog)", "axis: quantity").arg(quantity)
                          : title;
}

QString uprightTitle(QString title)
{
    return title.replace(QStringLiteral(", "), QStringLiteral(",\n"))
        .replace(QStringLiteral("，"), QStringLiteral("，\n"));
}

std::vector<AxisMark> valueMarks(const ValueScale& scale, double low, double high, int most)
{
    if (!scale.symlog())
        return linearMarks(low, high, most);
    if (!(high > low))
        return {};
    const Decades decades = decadesOf(scale, low, high);
    const int all = std::max(decades.last - decades.first + 1, 0) * (low < 0 && high > 0 ? 2 : 1) + 1;
    std::size_t every = 0;
    std::vector<AxisMark> marks = decadesEvery(1, scale, decades, every);
    if (marks.size() < 3)
        return roundValues(decades.low, decades.high, most, [&scale](double value) { return scale.place(value); });
    for (int step = (all + std::max(most, 1) - 1) / std::max(most, 1); step > 1; --step) {
        std::size_t count = 0;
        std::vector<AxisMark> fewer = decadesEvery(step, scale, decades, count);
        if (count >= std::min(every, kLeastDecades))
            return fewer;
    }
    return marks;
}

std::vector<AxisMark> decadeMarks(double low, double high, int most)
{
    std::vector<AxisMark> marks;
    const int first = static_cast<int>(std::ceil(low - 1e-9)), last = static_cast<int>(std::floor(high + 1e-9));
    for (int step = std::max(1, static_cast<int>(std::ceil((high - low) / std::max(most, 1)))); step > 0; --step) {
        marks.clear();
        for (int exponent = first; exponent <= last; ++exponent) {
            if (exponent % step == 0)
                marks.push_back({static_cast<double>(exponent), powerText(exponent)});
        }
        if (marks.size() > 1) // one alone is no scale
            break;
    }
    return marks;
}

std::vector<AxisMark> logMarks(double low, double high, int most)
{
    std::vector<AxisMark> marks = decadeMarks(low, high, most);
    if (marks.size() >= 3 || !(high > low))
        return marks;
    std::vector<AxisMark> parts = partsOfDecades(low, high);
    if (parts.size() >= 2)
        return parts;
    return roundValues(std::pow(10.0, low), std::pow(10.0, high), most, [](double value) { return std::log10(value); });
}

std::vector<AxisMark> linearMarks(double low, double high, int most)
{
    std::vector<AxisMark> marks;
    if (!(high > low) || !std::isfinite(high - low))
        return marks;
    const double step = roundStep((high - low) / std::max(most, 1));
    const double largest = std::max(std::abs(low), std::abs(high));
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    const bool powers = largest >= 1e6 || largest < 1e-3;
    const int digits =
        static_cast<int>(std::floor(std::log10(largest))) - static_cast<int>(std::floor(std::log10(step)));
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
        const double value = k == 0 ? 0.0 : k * step;
        QString label = powers ? compactNumber(value, std::clamp(digits + 1, 1, 12))
                               : QLocale().toString(std::abs(value), 'f', std::min(decimals, 12));
        if (!powers && value < 0)
            label.prepend(QChar(0x2212));
        marks.push_back({value, std::move(label)});
    }
    return marks;
}

double roundStep(double raw)
{
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= raw * (1 - 1e-9))
            return factor * power;
    }
    return 10 * power;
}

AxisUnit byteUnit(double maxBytes)
{
    static const char* const kNames[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t index = 0;
    double scale = 1;
    while (index + 1 < std::size(kNames) && maxBytes >= scale * 1024) {
        scale *= 1024;
        ++index;
    }
    return {scale, QString::fromLatin1(kNames[index])};
}

AxisUnit timeUnit(double maxSeconds)
{
    if (maxSeconds >= 1 || maxSeconds <= 0)
        return {1, QStringLiteral("s")};
    if (maxSeconds >= 1e-3)
        return {1e-3, QStringLiteral("ms")};
    return {1e-6, QStringLiteral("µs")};
}

QString numberIn(const AxisUnit& unit, double value)
{
    const double number = value / unit.scale;
    if (number > 0 && number < 0.095)
        return QLocale().toString(number, 'g', 2); // not 0.00
    return QLocale().toString(number, 'f', number < 9.95 ? 2 : number < 99.5 ? 1 : 0);
}

} // namespace peakscope
