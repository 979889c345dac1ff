// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/sweep_style.h"

#include "widgets/plot/choice_box.h"
#include "widgets/text/key_words.h"
#include "widgets/text/number_text.h"
#include "widgets/text/plain_text.h"

#include "core/base/json/json_reader.h"
#include "core/base/units.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFontMetrics>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <set>

namespace peakscope {

namespace {

struct SweepWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::SweepWords)

public:
    using Word = std::pair<std::string_view, const char*>;

    static constexpr Word kKeys[] = {
        {"data.seq", QT_TR_NOOP("Sequence (tokens)")},
        {"data.batch", QT_TR_NOOP("Batch (rows)")},
        {"data.max_physical_batch", QT_TR_NOOP("Physical batch (rows)")},
        {"training.lora.rank", QT_TR_NOOP("LoRA rank")},
        {"lora.rank", QT_TR_NOOP("LoRA rank")},
        {"training.clipping", QT_TR_NOOP("Clipping method")},
        {"method", QT_TR_NOOP("Method")},
        {"budget_bytes", QT_TR_NOOP("Budget")},
    };
    static constexpr Word kMeasures[] = {
        {"peak_bytes", QT_TR_NOOP("Peak memory")},
        {"median_step_seconds", QT_TR_NOOP("Median step time")},
        {"spread_seconds", QT_TR_NOOP("Spread of the step time")},
        {"predicted_peak_bytes", QT_TR_NOOP("Predicted peak memory")},
        {"peak_reserved_bytes", QT_TR_NOOP("Peak reserved memory")},
        {"needed_bytes", QT_TR_NOOP("Memory needed when it was refused")},
        {"total_seconds", QT_TR_NOOP("Time of the whole run")},
    };
};

constexpr double kLogarithmicFrom = 20;

} // namespace

QString sweepKeyTitle(const std::string& key)
{
    for (const auto& [word, title] : SweepWords::kKeys) {
        if (word == key)
            return SweepWords::tr(title);
    }
    return experimentKeyTitle(key);
}

QString sweepMeasureTitle(const std::string& measure)
{
    for (const auto& [word, title] : SweepWords::kMeasures) {
        if (word == measure)
            return SweepWords::tr(title);
    }
    const std::string word = measure.substr(measure.find('.') + 1);
    if (const auto component = componentFromName(word); component && measure.starts_with("components."))
        return SweepWords::tr("%1 at the peak").arg(componentTitle(*component));
    if (measure.starts_with("stages."))
        return SweepWords::tr("Stage %1", "as the script calls it").arg(QString::fromStdString(word));
    return QString::fromStdString(measure);
}

QString sweepValueText(const nlohmann::json& value, const std::string& key)
{
    if (key.ends_with("_bytes") && value.is_number())
        return QString::fromStdString(formatBytes(std::llround(value.get<double>())));
    if (const auto whole = jsonInteger(value))
        return QLocale().toString(static_cast<qlonglong>(*whole));
    if (value.is_number())
        return compactNumber(value.get<double>(), 6);
    return value.is_null() ? QString() : QString::fromStdString(sweepLabel(value));
}

QString sweepKeysText(const nlohmann::json& fixed)
{
    QStringList keys;
    for (const auto& [key, value] : fixed.items())
        keys << sweepKeyTitle(key);
    return keys.join(QStringLiteral(" / "));
}

QString sweepValuesText(const nlohmann::json& fixed)
{
    QStringList values;
    for (const auto& [key, value] : fixed.items())
        values << sweepValueText(value, key);
    return values.join(QStringLiteral(" / "));
}

QString sweepSettingText(const nlohmann::json& fixed)
{
    QStringList parts;
    for (const auto& [key, value] : fixed.items())
        parts << SweepWords::tr("%1: %2", "key: value").arg(sweepKeyTitle(key), sweepValueText(value, key));
    return parts.isEmpty() ? SweepWords::tr("All points") : parts.join(QStringLiteral(", "));
}

namespace {

// Between values whose lines coincide, in every language.
const QString kTogether = QStringLiteral(" & ");

template <typename Text>
QString togetherText(const std::vector<nlohmann::json>& fixed, const Text& text)
{
    std::string varied;
    bool one = true;
    for (const auto& [key, value] : fixed.front().items()) {
        const bool same = std::all_of(fixed.begin(), fixed.end(), [&](const nlohmann::json& other) {
            return other.size() == fixed.front().size() && other.contains(key) && other[key] == value;
        });
        one = one && (same || varied.empty());
        if (!same)
            varied = key;
    }
    QStringList each, values;
    for (const nlohmann::json& setting : fixed) {
        each << text(setting);
        if (one && !varied.empty() && setting.contains(varied))
            values << sweepValueText(setting[varied], varied);
    }
    if (values.size() != each.size())
        return each.join(kTogether);
    nlohmann::json together = fixed.front();
    together[varied] = values.join(kTogether).toStdString();
    return text(together);
}

// With the digits of sweepNumberText().
double asPrinted(double value, bool bytes)
{
    if (!(value > 0))
        return value;
    double unit = 1;
    while (bytes && value >= 1023.5 * unit)
        unit *= 1024;
    const double digit = unit * std::pow(10, std::max(std::floor(std::log10(value / unit)), 0.0) - 2);
    return std::round(value / digit) * digit;
}

} // namespace

QString coincidingValuesText(const std::vector<nlohmann::json>& fixed)
{
    return togetherText(fixed, [](const nlohmann::json& one) { return sweepValuesText(one); });
}

QString coincidingSettingText(const std::vector<nlohmann::json>& fixed)
{
    return togetherText(fixed, [](const nlohmann::json& one) { return sweepSettingText(one); });
}

QString sweepStateTitle(SweepCellState state, bool dry)
{
    switch (state) {
    case SweepCellState::Missing:
        return SweepWords::tr("Not in the sweep");
    case SweepCellState::Waiting:
        return SweepWords::tr("Not run yet");
    case SweepCellState::Measured:
        return dry ? SweepWords::tr("Dry run") : SweepWords::tr("Measured");
    case SweepCellState::OverBudget:
        return dry ? SweepWords::tr("Does not fit (dry run)") : SweepWords::tr("Over budget (measured)");
    case SweepCellState::PredictedOverBudget:
        return SweepWords::tr("Over budget (predicted, not run)");
    case SweepCellState::Impossible:
        return SweepWords::tr("Values exclude one another");
    case SweepCellState::Failed:
        return SweepWords::tr("Failed");
    }
    return {};
}

QString sweepNumberText(double value, const std::string& measure)
{
    return QString::fromStdString(sweepUnit(measure) == "seconds" ? formatSeconds(value)
                                                                  : formatBytes(std::llround(value)));
}

QComboBox* sweepChoice(LanguageText name, const QFontMetrics& metrics)
{
    auto* box = new ChoiceBox;
    const auto sayTip = [=] { box->setToolTip(plainToolTip(name.say() + u'\n' + box->currentText())); };
    QObject::connect(box, &QComboBox::currentTextChanged, box, sayTip);
    inLanguage(box, [=] {
        box->setAccessibleName(name.say());
        sayTip();
    });
    box->setMinimumWidth(metrics.averageCharWidth() * 12); // gives way before the panels beside the plot do
    return box;
}

bool isPredicted(const std::string& measure)
{
    return measure.starts_with("predicted_");
}

std::string firstMeasure(const std::vector<std::string>& measures)
{
    const auto measured = std::find_if_not(measures.begin(), measures.end(), &isPredicted);
    return measured != measures.end() ? *measured : measures.empty() ? std::string() : measures.front();
}

double SweepColorScale::share(double value) const
{
    const double from = asPrinted(low, bytes), to = asPrinted(high, bytes), shown = asPrinted(value, bytes);
    if (empty || !(to > from))
        return 0.5;
    const double at =
        logarithmic ? std::log(std::max(shown, from) / from) / std::log(to / from) : (shown - from) / (to - from);
    return std::clamp(at, 0.0, 1.0);
}

QColor SweepColorScale::color(double value) const
{
    return viridis(share(value));
}

SweepColorScale sweepColorScale(const std::vector<SweepHeatMap>& maps, const std::string& measure)
{
    SweepColorScale scale;
    scale.predicted = isPredicted(measure);
    scale.bytes = sweepUnit(measure) == "bytes";
    for (const SweepHeatMap& map : maps) {
        for (const SweepCell& cell : map.cells) {
            if ((cell.state != SweepCellState::Measured && !scale.predicted) || !cell.value)
                continue;
            scale.low = scale.empty ? *cell.value : std::min(scale.low, *cell.value);
            scale.high = scale.empty ? *cell.value : std::max(scale.high, *cell.value);
            scale.empty = false;
        }
    }
    scale.logarithmic = scale.low > 0 && scale.high > kLogarithmicFrom * scale.low;
    return scale;
}

SweepCellLook sweepCellLook(const SweepCell& cell, const SweepColorScale& scale, const QColor& background,
                            const QColor& text)
{
    SweepCellLook look;
    look.fill = background;
    look.ink = text;
    if (scale.predicted && cell.value) { // whatever became of the point
        look.fill = scale.color(*cell.value);
        look.ink = readableOn(look.fill);
        look.hatch = Hatch::Rising;
        look.hatchColor = mixed(look.fill, look.ink, 0.35);
        look.dashed = true;
        look.mark = QStringLiteral("≈");
        look.number = true;
        return look;
    }
    switch (cell.state) {
    case SweepCellState::Missing:
        break;
    case SweepCellState::Waiting:
        look.mark = QStringLiteral("…");
        break;
    case SweepCellState::Measured:
        if (cell.value) {
            look.fill = scale.color(*cell.value);
            look.ink = readableOn(look.fill);
            look.number = true;
        }
        break;
    case SweepCellState::OverBudget:
        look.fill = mixed(background, text, 0.25);
        look.hatch = Hatch::Crossed;
        look.hatchColor = mixed(background, text, 0.45);
        look.ink = readableOn(look.fill);
        look.framed = true;
        look.mark = QStringLiteral(">");
        look.number = cell.value.has_value();
        break;
    case SweepCellState::PredictedOverBudget:
        look.hatch = Hatch::Rising;
        look.hatchColor = mixed(background, text, 0.3);
        look.dashed = true;
        look.mark = QStringLiteral("≈");
        look.number = cell.value.has_value();
        break;
    case SweepCellState::Impossible:
        look.mark = QStringLiteral("×");
        break;
    case SweepCellState::Failed:
        look.mark = QStringLiteral("!");
        look.hatch = Hatch::Horizontal;
        look.hatchColor = mixed(background, text, 0.3);
        break;
    }
    return look;
}

std::vector<LegendEntry> sweepLegend(std::span<const SweepHeatMap> maps, const SweepColorScale& scale, bool dry,
                                     const ChartColors& colors)
{
    bool predicted = false;
    std::set<SweepCellState> states;
    for (const SweepHeatMap& map : maps) {
        for (const SweepCell& cell : map.cells) {
            if (scale.predicted && cell.value)
                predicted = true;
            else
                states.insert(cell.state);
        }
    }
    std::vector<LegendEntry> entries;
    const auto add = [&](SweepCellState state, const QString& title) {
        const SweepCellLook look = sweepCellLook({state, {}, 0}, scale, colors.background, colors.text);
        entries.push_back({look.mark + QLatin1Char(' ') + title});
        if (look.hatch == Hatch::None) // its mark says all
            return;
        entries.back().fill = Fill{look.fill, look.hatch, look.hatchColor};
        if (look.framed || look.dashed) {
            entries.back().dash = look.dashed ? Dash::Dashed : Dash::Solid;
            entries.back().lineColor = look.framed ? colors.warning : colors.muted;
        }
    };
    if (predicted) // as what is not run beside measured cells: its colour is that of its value
        add(SweepCellState::PredictedOverBudget, SweepWords::tr("Predicted, not measured"));
    for (const SweepCellState state : {SweepCellState::OverBudget, SweepCellState::PredictedOverBudget,
                                       SweepCellState::Failed, SweepCellState::Impossible, SweepCellState::Waiting}) {
        if (states.contains(state))
            add(state, sweepStateTitle(state, dry));
    }
    return entries;
}

} // namespace peakscope
