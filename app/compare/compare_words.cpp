// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_words.h"

#include "core/base/units.h"
#include "widgets/compare/compare_style.h"
#include "widgets/look/component_palette.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace peakscope {

namespace {

struct CompareText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::CompareText)
};

QString word(const std::string& text)
{
    return QString::fromStdString(text);
}

QString statusWord(const std::string& status)
{
    if (status == "over_budget")
        return CompareText::tr("over budget");
    return status == "interrupted" ? CompareText::tr("interrupted") : CompareText::tr("failed");
}

// "optimizer_states, inputs" by their titles.
QString componentWords(const std::string& names)
{
    QStringList titles;
    for (const QString& name : word(names).split(QStringLiteral(", "))) {
        const auto component = componentFromName(name.toStdString());
        titles << (component ? componentTitle(*component) : name);
    }
    return titles.join(QStringLiteral(", "));
}

// The sentence with the runs' names put in: "%1" is the run or the runs.
QString sentence(const ComparisonCaveat& caveat, const QString& run, const QString& base)
{
    switch (caveat.kind) {
    case Caveat::OtherKind:
        return CompareText::tr("%1: a result of kind %2, %3 is of kind %4")
            .arg(run, word(caveat.own), base, word(caveat.base));
    case Caveat::NoMemory:
        return CompareText::tr("%1: no measured memory").arg(run);
    case Caveat::PredictedOnly:
        return caveat.own.empty()
                   ? CompareText::tr("%1: not measured, its bytes are a prediction").arg(run)
                   : CompareText::tr("%1: not measured, its bytes are the most it was planned for").arg(run);
    case Caveat::OtherMerging:
        return CompareText::tr(
                   "%1: its timeline was merged at other moments than that of %2, so bytes of phases may be "
                   "less than they were")
            .arg(run, base);
    case Caveat::OtherModel:
        return CompareText::tr("%1: another model (%2) than %3 (%4), so bytes differ because the models do")
            .arg(run, word(caveat.own), base, word(caveat.base));
    case Caveat::OtherType:
        return CompareText::tr("%1: computes in %2, %3 in %4").arg(run, word(caveat.own), base, word(caveat.base));
    case Caveat::OtherDevice:
        return CompareText::tr("%1: ran on %2, %3 on %4; what counts as allocated differs")
            .arg(run, word(caveat.own), base, word(caveat.base));
    case Caveat::OtherWork:
        return CompareText::tr("%1: a step is %2 tokens (batch × sequence), that of %3 is %4")
            .arg(run, word(caveat.own), base, word(caveat.base));
    case Caveat::Synthetic:
        return CompareText::tr("%1: synthetic, its numbers were made up").arg(run);
    case Caveat::NotComplete:
        return CompareText::tr("%1: %2; its peak is the highest until it ended").arg(run, statusWord(caveat.own));
    case Caveat::NoComponents:
        return CompareText::tr("%1: imported without components, only the total can be compared").arg(run);
    case Caveat::ComponentsAfterStep:
        return caveat.own == name(ComponentReading::AfterStep)
                   ? CompareText::tr("%1: the components were read after the step, they do not sum to the peak")
                         .arg(run)
                   : CompareText::tr("%1: the components do not sum to the peak").arg(run);
    case Caveat::SomeComponents:
        return CompareText::tr("%1: the source does not have %2").arg(run, componentWords(caveat.own));
    case Caveat::NoTimeline:
        return CompareText::tr("%1: no timeline").arg(run);
    case Caveat::PhasesFromSnapshots:
        return CompareText::tr("%1: no timeline, the phases are single snapshots").arg(run);
    case Caveat::NoModules:
        return CompareText::tr("%1: nothing is known by module").arg(run);
    case Caveat::OtherTiming:
        return caveat.own.empty()
                   ? CompareText::tr("%1: timed without the memory ledger, %2 with it").arg(run, base)
                   : CompareText::tr("%1: timed while the memory ledger recorded, %2 without it").arg(run, base);
    case Caveat::OtherStatistic:
        return CompareText::tr("%1: the step time is the %2, that of %3 the %4")
            .arg(run, word(caveat.own), base, word(caveat.base));
    case Caveat::NoTime:
        return CompareText::tr("%1: no step time").arg(run);
    case Caveat::BusyMachine:
        return CompareText::tr("%1: the machine was too busy for its times to be compared").arg(run);
    case Caveat::UnsteadyTimes:
        return CompareText::tr("%1: its time over that of %2 differs from round to round (%3)")
            .arg(run, base, word(caveat.own));
    }
    return {};
}

// Between what the ratio's rounds lie, and how many they are of those that were measured; empty: it is of none.
QString roundsText(const ComparedRow& row, std::size_t run)
{
    const std::optional<RoundRatio> ratio = row.inRounds.empty() ? std::nullopt : row.inRounds[run];
    return ratio ? QStringLiteral(" · ") + CompareText::tr("%1 in %2 of %3 rounds")
                                               .arg(QString::fromStdString(intervalText(*ratio)))
                                               .arg(ratio->ratios.size())
                                               .arg(ratio->rounds)
                 : QString();
}

} // namespace

QStringList caveatTexts(const RunComparison& comparison)
{
    QStringList texts;
    std::vector<bool> told(comparison.caveats.size());
    for (std::size_t i = 0; i < comparison.caveats.size(); ++i) {
        if (told[i])
            continue;
        const ComparisonCaveat& caveat = comparison.caveats[i];
        QStringList letters;
        for (std::size_t k = i; k < comparison.caveats.size(); ++k) {
            const ComparisonCaveat& other = comparison.caveats[k];
            if (other.kind == caveat.kind && other.own == caveat.own && other.base == caveat.base) {
                letters << compareLetter(other.run);
                told[k] = true;
            }
        }
        texts << sentence(caveat, letters.join(QStringLiteral(", ")), compareLetter(comparison.base));
    }
    return texts;
}

QString growthText(const ScalingFit& fit)
{
    const QString quantity = fit.quantity == "peak_bytes" ? CompareText::tr("Peak") : CompareText::tr("Step time");
    const QString exponent = QLocale().toString(fit.fit.exponent, 'f', 2);
    if (!std::isfinite(fit.fit.low) || !std::isfinite(fit.fit.high))
        return CompareText::tr("%1 over %2: exponent %3").arg(quantity, word(fit.setting), exponent);
    const QString verdict = fit.fit.allows(1) && fit.fit.allows(2) ? CompareText::tr("linear and quadratic both fit")
                            : fit.fit.allows(1)                    ? CompareText::tr("linear")
                            : fit.fit.allows(2)                    ? CompareText::tr("quadratic")
                            : fit.fit.high < 1                     ? CompareText::tr("less than linear")
                            : fit.fit.low > 2                      ? CompareText::tr("more than quadratic")
                                                                   : CompareText::tr("between linear and quadratic");
    return CompareText::tr("%1 over %2: exponent %3 ± %4 (95 %: %5 to %6), %7")
        .arg(quantity, word(fit.setting), exponent, compactNumber(fit.fit.standardError, 2),
             QLocale().toString(fit.fit.low, 'f', 2), QLocale().toString(fit.fit.high, 'f', 2), verdict);
}

QString comparisonGroupTitle(ComparisonGroup group)
{
    switch (group) {
    case ComparisonGroup::Totals:
        return CompareText::tr("Totals");
    case ComparisonGroup::Components:
        return CompareText::tr("Components");
    case ComparisonGroup::OwnMaxima:
        return CompareText::tr("Own maxima");
    case ComparisonGroup::Phases:
        return CompareText::tr("Phases");
    case ComparisonGroup::Modules:
        return CompareText::tr("Modules");
    case ComparisonGroup::ModuleKinds:
        return CompareText::tr("Module kinds");
    case ComparisonGroup::Operators:
        return CompareText::tr("Operators");
    case ComparisonGroup::Times:
        return CompareText::tr("Times");
    }
    return {};
}

InspectorContent inspectComparedRow(const RunComparison& comparison, ComparisonGroup group, const ComparedRow& row,
                                    const QStringList& labels)
{
    const bool time = group == ComparisonGroup::Times;
    const auto valueText = [time](double value) {
        return QString::fromStdString(time ? formatSeconds(value) : formatBytes(static_cast<std::int64_t>(value)));
    };
    InspectorContent content;
    content.title = word(row.name);
    if (const auto component = componentFromName(row.name);
        component && (group == ComparisonGroup::Components || group == ComparisonGroup::OwnMaxima)) {
        content.title = componentTitle(*component);
        content.definition = componentDefinition(*component);
    } else if (const auto phase = phaseFromName(row.name); phase && group == ComparisonGroup::Phases) {
        content.title = phaseTitle(*phase);
        content.definition = CompareText::tr("The most that was alive at one time while this phase lasted.");
    } else if (group == ComparisonGroup::Modules) {
        content.definition = CompareText::tr("The most of this module's own bytes that was alive at one time.");
    }
    InspectorContent::Section section{comparisonGroupTitle(group), {}};
    const std::optional<double>& from = row.values[comparison.base];
    for (std::size_t run = 0; run < row.values.size(); ++run) {
        const std::optional<double>& value = row.values[run];
        QString explanation = labels.value(static_cast<qsizetype>(run));
        if (run != comparison.base && value && from) {
            const double difference = *value - *from;
            const QString sign = difference < 0 ? QString(QChar(0x2212)) : QStringLiteral("+");
            explanation += QStringLiteral(" · ") + sign + valueText(std::abs(difference));
            if (const auto ratio = row.ratio(run, comparison.base))
                explanation += QStringLiteral(" · ×") + QLocale().toString(*ratio, 'f', 3) + roundsText(row, run);
            else if (time)
                explanation += QStringLiteral(" · ") + CompareText::tr("too busy to compare");
        }
        section.rows.push_back(
            {compareLetter(run), value ? valueText(*value) : CompareText::tr("not measured"), explanation});
    }
    content.sections.push_back(std::move(section));
    return content;
}

// Every run within the selected range: its highest total there, and when.
InspectorContent inspectComparedRange(const std::vector<std::shared_ptr<const MemoryTimeline>>& timelines, double lower,
                                      double upper, std::size_t base, const QStringList& names)
{
    InspectorContent content{
        CompareText::tr("Selected range"),
        CompareText::tr("The highest total of every run within the range, on the common time axis."),
        {}};
    InspectorContent::Section section{CompareText::tr("Highest totals"), {}};
    std::optional<std::int64_t> from;
    const auto highest = [&](std::size_t run) -> std::optional<std::int64_t> {
        const auto& timeline = timelines[run];
        if (!timeline)
            return std::nullopt;
        const auto columns = timeline->sample(lower, upper, 1);
        return columns.empty() ? std::nullopt : std::optional(columns.front().totalBytes);
    };
    from = highest(base);
    for (std::size_t i = 0; i < timelines.size(); ++i) {
        const std::optional<std::int64_t> bytes = highest(i);
        QString explanation = names.value(static_cast<qsizetype>(i));
        if (bytes && from && i != base) {
            const std::int64_t extra = *bytes - *from;
            explanation += QStringLiteral(" · %1%2").arg(extra < 0 ? QString(QChar(0x2212)) : QStringLiteral("+"),
                                                         bytesText(std::abs(extra)));
        }
        section.rows.push_back(
            {compareLetter(i), bytes ? bytesText(*bytes) : CompareText::tr("no timeline"), explanation});
    }
    content.sections.push_back(std::move(section));
    return content;
}

} // namespace peakscope
