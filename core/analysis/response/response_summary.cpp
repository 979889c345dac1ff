// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/response/response_summary.h"

#include "core/analysis/statistics/statistics.h"

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace {

Spread spreadOf(const std::vector<double>& values)
{
    std::vector<double> known;
    std::copy_if(values.begin(), values.end(), std::back_inserter(known), [](double v) { return std::isfinite(v); });
    if (known.empty())
        return {};
    const MeanInterval interval = meanInterval(known);
    if (known.size() < 2)
        return {interval.mean, kNoNumber, kNoNumber};
    return {interval.mean, interval.low, interval.high};
}

// The rows of one noise, group and attack.
struct ResponseCellRows {
    const ResponseRow* first = nullptr;
    std::vector<const ResponseRow*> rows;

    std::vector<double> values(double ResponseRow::*field) const
    {
        std::vector<double> out;
        for (const ResponseRow* row : rows)
            out.push_back(row->*field);
        return out;
    }
};

std::vector<ResponseCellRows> cellsOf(const std::vector<ResponseRow>& rows)
{
    std::vector<ResponseCellRows> cells;
    for (const ResponseRow& row : rows) {
        const auto known = std::find_if(cells.begin(), cells.end(), [&row](const ResponseCellRows& cell) {
            return cell.first->sigma == row.sigma && cell.first->group == row.group && cell.first->attack == row.attack;
        });
        if (known != cells.end())
            known->rows.push_back(&row);
        else
            cells.push_back({&row, {&row}});
    }
    return cells;
}

struct EffectMeasure {
    double ResponseRow::*field;
    const char* name; // empty: the attack's
};

GroupEffect effectOf(const ResponseCellRows& cell, const ResponseCellRows* control, const EffectMeasure& measure)
{
    GroupEffect effect;
    effect.unitClass = static_cast<UnitClass>(cell.first->group.group);
    effect.sigma = cell.first->sigma;
    effect.measure = measure.name;
    if (effect.measure.empty())
        effect.measure = cell.first->attack.empty() ? "attack" : cell.first->attack;
    const std::vector<double> mine = cell.values(measure.field);
    if (!control) {
        effect.difference = spreadOf(mine);
        return effect;
    }
    const std::vector<double> theirs = control->values(measure.field);
    std::vector<double> differences;
    for (const ResponseRow* row : cell.rows) {
        const auto twin = std::find_if(control->rows.begin(), control->rows.end(),
                                       [row](const ResponseRow* other) { return other->repeat == row->repeat; });
        if (twin != control->rows.end())
            differences.push_back(row->*measure.field - (*twin)->*measure.field);
    }
    effect.difference = spreadOf(differences);
    effect.cliff = cliffsDelta(mine, theirs);
    if (mine.size() > 1 && theirs.size() > 1)
        effect.hedges = hedgesG(mine, theirs);
    if (effect.difference.hasInterval()) {
        std::erase_if(differences, [](double value) { return !std::isfinite(value); });
        const MeanInterval interval = meanInterval(differences);
        const double t = -std::abs(interval.mean) / interval.standardError;
        if (interval.standardError > 0 && std::isfinite(interval.standardError))
            effect.pValue = 2 * studentCdf(t, static_cast<double>(interval.count - 1));
        else if (interval.mean == 0)
            effect.pValue = 1; // no spread to test any other mean against
    }
    return effect;
}

void adjust(std::vector<GroupEffect>& effects)
{
    std::vector<std::string> measures;
    for (const GroupEffect& effect : effects) {
        if (std::find(measures.begin(), measures.end(), effect.measure) == measures.end())
            measures.push_back(effect.measure);
    }
    for (const std::string& measure : measures) {
        std::vector<double> pValues;
        std::vector<GroupEffect*> which;
        for (GroupEffect& effect : effects) {
            if (effect.measure == measure && std::isfinite(effect.pValue)) {
                pValues.push_back(effect.pValue);
                which.push_back(&effect);
            }
        }
        const std::vector<double> adjusted = holmAdjusted(pValues);
        for (std::size_t i = 0; i < which.size(); ++i)
            which[i]->adjusted = adjusted[i];
    }
}

const ResponseCellRows* controlFor(const std::vector<ResponseCellRows>& cells, const ResponseCellRows& cell)
{
    const ResponseCellRows* any = nullptr;
    for (const ResponseCellRows& other : cells) {
        if (other.first->group.group != UnitGroup::Control || other.first->sigma != cell.first->sigma ||
            other.first->attack != cell.first->attack)
            continue;
        if (other.first->group.controlOf == static_cast<UnitClass>(cell.first->group.group))
            return &other;
        if (!other.first->group.controlOf)
            any = &other;
    }
    return any;
}

} // namespace

std::vector<ResponsePoint> summarizeRows(const std::vector<ResponseRow>& rows)
{
    std::vector<ResponsePoint> points;
    for (const ResponseCellRows& cell : cellsOf(rows)) {
        ResponsePoint point{cell.first->group, cell.first->sigma, cell.first->attack, 0, {}, {}, {}};
        point.repeats = static_cast<std::int64_t>(cell.rows.size());
        point.perplexity = spreadOf(cell.values(&ResponseRow::deltaPerplexity));
        point.logPerplexity = spreadOf(cell.values(&ResponseRow::deltaLogPerplexity));
        point.auc = spreadOf(cell.values(&ResponseRow::deltaAuc));
        if (cell.rows.size() == 1 && !point.auc.hasInterval())
            point.auc = cell.first->deltaAucSpread;
        points.push_back(std::move(point));
    }
    return points;
}

std::vector<GroupEffect> effectsOf(const std::vector<ResponseRow>& rows, bool& hasControl)
{
    const std::vector<ResponseCellRows> cells = cellsOf(rows);
    hasControl = std::any_of(cells.begin(), cells.end(), [](const ResponseCellRows& cell) {
        return cell.first->group.group == UnitGroup::Control;
    });
    // Perplexity is the same for every attack of a drawing: it is taken from the first one.
    const std::string firstAttack = rows.empty() ? std::string() : rows.front().attack;
    const auto known = [&rows](double ResponseRow::*field) {
        return std::any_of(rows.begin(), rows.end(), [field](const ResponseRow& r) { return std::isfinite(r.*field); });
    };
    std::vector<EffectMeasure> measures;
    if (known(&ResponseRow::deltaLogPerplexity))
        measures.push_back({&ResponseRow::deltaLogPerplexity, "log_perplexity"});
    else if (known(&ResponseRow::deltaPerplexity))
        measures.push_back({&ResponseRow::deltaPerplexity, "perplexity"});
    if (known(&ResponseRow::deltaAuc))
        measures.push_back({&ResponseRow::deltaAuc, ""});
    std::vector<GroupEffect> effects;
    for (const EffectMeasure& measure : measures) {
        for (const ResponseCellRows& cell : cells) {
            const bool isClass = cell.first->group.group < UnitGroup::Control;
            if (!isClass || cell.first->sigma <= 0 || (*measure.name && cell.first->attack != firstAttack))
                continue;
            const ResponseCellRows* control = controlFor(cells, cell);
            if (!hasControl || control)
                effects.push_back(effectOf(cell, hasControl ? control : nullptr, measure));
        }
    }
    std::erase_if(effects, [](const GroupEffect& effect) { return !effect.difference.known(); });
    adjust(effects);
    return effects;
}

void summarizeWhereAbsent(AnalysisData& data)
{
    if (data.points.empty())
        data.points = summarizeRows(data.rows);
    if (data.effects.empty())
        data.effects = effectsOf(data.rows, data.hasControl);
}

double smallestError(const std::vector<Spread>& spreads)
{
    constexpr double kInterval95 = 1.96; // standard errors to either side
    double least = kNoNumber;
    for (const Spread& spread : spreads) {
        if (const double error = (spread.high - spread.low) / 2 / kInterval95; error > 0 && !(error >= least))
            least = error;
    }
    return least;
}

double responseResolution(const AnalysisData& data, ResponseMeasure measure, const std::string& attack)
{
    const bool auc = measure == ResponseMeasure::Auc;
    std::vector<Spread> changes, noiseless;
    if (const auto baseline = data.baselineAuc.find(attack); auc && baseline != data.baselineAuc.end())
        noiseless.push_back(baseline->second);
    for (const ResponsePoint& point : data.points) {
        if (point.attack != attack)
            continue;
        changes.push_back(auc ? point.auc : point.perplexity);
        if (point.sigma == 0)
            noiseless.push_back(changes.back());
    }
    double widest = 0;
    for (const Spread& spread : noiseless) {
        if (spread.hasInterval())
            widest = std::max(widest, (spread.high - spread.low) / 2);
    }
    return widest > 0 ? widest : smallestError(changes);
}

Result<UnitPartition> partitionOf(const AnalysisData& data, const ClassThresholds& thresholds, PartitionRule rule)
{
    if (!data.hasPlane())
        return badInput("features", "hold no alignment and sparsity to partition by");
    return partitionUnits(data.alignment, data.sparsity, thresholds, rule, EmptyClass::Keep);
}

} // namespace peakscope
