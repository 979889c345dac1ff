// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// noise_response_curves: the change of perplexity and of every attack's AUC against the noise, by class with bands;
// statistical_summary: what each class did beyond its control, with intervals, and all effects as a map.
#include "core/analysis/response/response_summary.h"
#include "core/results/analysis_tables.h"
#include "widgets/figures/analysis/analysis_figure.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/look/theme.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace peakscope {
namespace response_figures {
namespace {

constexpr TextSize kSize = TextSize::Small;

Status checkResponses(const RunResult& run)
{
    const Result<AnalysisData>& data = sectionsOf(run);
    if (!data)
        return badInput({}, data.error().text());
    if (!data->hasResponses())
        return failed({}, "it holds no prm.results; an experiment of kind prm measures them");
    return Done{};
}

Status checkEffects(const RunResult& run)
{
    if (Status status = checkResponses(run); !status)
        return status;
    if (figureAnalysis(run).effects.empty())
        return failed({}, "its prm.results hold no noise above 0 with a change of perplexity or AUC");
    return Done{};
}

using SpreadOf = const Spread& (*)(const ResponsePoint&);
const Spread& perplexityOf(const ResponsePoint& point)
{
    return point.perplexity;
}
const Spread& aucOf(const ResponsePoint& point)
{
    return point.auc;
}

struct CurveSeries {
    ResponseGroup group;
    std::vector<double> sigma;
    std::vector<Spread> spread;
};

std::vector<CurveSeries> curvesOf(const AnalysisData& data, SpreadOf spreadOf, const std::string& attack)
{
    std::vector<CurveSeries> curves;
    for (const ResponseGroup& group : data.groups()) {
        CurveSeries curve{group, {}, {}};
        for (const double sigma : data.sigmas()) {
            const auto found = std::find_if(data.points.begin(), data.points.end(), [&](const ResponsePoint& p) {
                return p.group == group && p.sigma == sigma && p.attack == attack && spreadOf(p).known();
            });
            if (found != data.points.end()) {
                curve.sigma.push_back(sigma);
                curve.spread.push_back(spreadOf(*found));
            }
        }
        if (!curve.sigma.empty())
            curves.push_back(std::move(curve));
    }
    return curves;
}

// Classes are solid; a control is dashed after the class it stands against.
Dash dashOf(const ResponseGroup& group)
{
    if (group.group != UnitGroup::Control)
        return Dash::Solid;
    if (!group.controlOf || *group.controlOf == UnitClass::Func)
        return Dash::Dashed;
    return *group.controlOf == UnitClass::Sens ? Dash::Dotted : Dash::Solid;
}

void drawBand(FigureCanvas& canvas, const AxisArea& area, const CurveSeries& curve, const ValueScale& noise,
              const ValueScale& answer)
{
    QPolygonF upper, lower;
    const auto spot = [&](std::size_t i, double value) {
        const double y = std::clamp(answer.place(value), area.yLow, area.yHigh);
        return QPointF(area.x(noise.place(curve.sigma[i])), area.y(y));
    };
    for (std::size_t i = 0; i < curve.sigma.size(); ++i) {
        const Spread& spread = curve.spread[i];
        const bool wide = spread.hasInterval();
        upper << spot(i, wide ? spread.high : spread.mean);
        lower << spot(i, wide ? spread.low : spread.mean);
    }
    std::reverse(lower.begin(), lower.end());
    QColor tint = groupMarker(curve.group.group).color;
    tint.setAlphaF(0.16F);
    canvas.polygon(upper + lower, tint);
}

void drawCurve(FigureCanvas& canvas, const AxisArea& area, const CurveSeries& curve, const ValueScale& noise,
               const ValueScale& answer)
{
    const MarkerStyle style = groupMarker(curve.group.group);
    const bool control = curve.group.group == UnitGroup::Control;
    QPolygonF line;
    for (std::size_t i = 0; i < curve.sigma.size(); ++i)
        line << QPointF(area.x(noise.place(curve.sigma[i])), area.y(answer.place(curve.spread[i].mean)));
    canvas.polyline(line, style.color, canvas.hairline() * (control ? 1.4 : 2.2), dashOf(curve.group));
    for (const QPointF& point : line)
        drawMarker(canvas, point, canvas.fontPt(kSize) * 0.27, style, !control);
}

// What a panel of curves shows: a change, and the size below which it cannot be told from none.
struct Answer {
    QString name; // "ΔPPL"
    double resolution = 0;
};

std::vector<Spread> spreadsOf(const std::vector<CurveSeries>& curves)
{
    std::vector<Spread> spreads;
    for (const CurveSeries& curve : curves)
        spreads.insert(spreads.end(), curve.spread.begin(), curve.spread.end());
    return spreads;
}

bool reachBeyond(const std::vector<Spread>& spreads, const AnswerAxis& axis)
{
    return std::ranges::any_of(spreads, [&axis](const Spread& spread) {
        return spread.hasInterval() &&
               (axis.scale.place(spread.low) < axis.low || axis.scale.place(spread.high) > axis.high);
    });
}

void drawCurves(FigureCanvas& canvas, const QRectF& rect, const std::vector<CurveSeries>& curves,
                const std::vector<double>& sigmas, const Answer& content)
{
    const AnswerAxis x = noiseAxis(sigmas), y = answerAxis(spreadsOf(curves), content.resolution);
    const ValueScale &noise = x.scale, &answer = y.scale;
    const int room = ticksAlong(canvas, rect.height() - bottomAxisHeight(canvas, true));
    const Ticks left = ticksOf(valueMarks(answer, y.low, y.high, room));
    const AxisArea area{plotRect(canvas, rect, left), x.low, x.high, y.low, y.high};
    const Ticks bottom = ticksOf(noiseMarks(noise, sigmas, x.low, x.high, 6));
    drawHorizontalGrid(canvas, area, left);
    canvas.line({area.rect.left(), area.y(0)}, {area.rect.right(), area.y(0)}, canvas.colors().axis, canvas.hairline());
    for (const CurveSeries& curve : curves)
        drawBand(canvas, area, curve, noise, answer);
    // Controls lie under the classes.
    for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve)
        drawCurve(canvas, area, *curve, noise, answer);
    drawBottomAxis(canvas, area, bottom, FigureText::tr("Noise σ (0, then logarithmic)"));
    drawLeftAxis(canvas, area, left, scaleTitles(content.name, answer));
}

QStringList responseCaption(const AnalysisData& data)
{
    QStringList parts;
    if (std::isfinite(data.baselinePerplexity))
        parts << FigureText::tr("perplexity without noise %1").arg(compactNumber(data.baselinePerplexity, 4));
    std::int64_t most = 0;
    bool bands = false;
    for (const ResponsePoint& point : data.points) {
        most = std::max(most, point.repeats);
        bands = bands || point.perplexity.hasInterval() || point.auc.hasInterval();
    }
    if (most > 1)
        parts << FigureText::tr("%1 drawings of noise each").arg(most);
    parts << (bands ? FigureText::tr("bands: 95 % intervals") : FigureText::tr("one draw each: no intervals"));
    if (data.attacks().empty())
        parts << FigureText::tr("no attack was run");
    return parts;
}

std::vector<MarkerKey> groupKeys(const AnalysisData& data)
{
    std::vector<MarkerKey> keys;
    for (const ResponseGroup& group : data.groups()) {
        const MarkerStyle style = groupMarker(group.group);
        keys.push_back({groupTitle(group), style, dashOf(group), style.color});
    }
    return keys;
}

double curveHeight(const FigureCanvas& canvas, double width)
{
    return std::clamp(width * 0.62, canvas.fontPt(TextSize::Normal) * 14, canvas.fontPt(TextSize::Normal) * 26);
}

AnalysisBlock curvesBlock(const FigureCanvas& canvas, const RunResult& run)
{
    const AnalysisData& data = figureAnalysis(run);
    AnalysisBlock block;
    block.caption = responseCaption(data);
    block.keys = groupKeys(data);
    const std::vector<double> sigmas = data.sigmas();
    const std::vector<std::string> attacks = data.attacks();
    constexpr double kLeast = 0.65; // the share of its height at which a panel of curves still reads
    const auto height = [&canvas](double width) { return curveHeight(canvas, width); };
    bool cut = false;
    const auto add = [&](const QString& title, const Answer& answer, std::vector<CurveSeries> curves) {
        const std::vector<Spread> spreads = spreadsOf(curves);
        cut = cut || reachBeyond(spreads, answerAxis(spreads, answer.resolution));
        block.panels.push_back({title, height,
                                [curves = std::move(curves), sigmas, answer](FigureCanvas& c, const QRectF& rect) {
                                    drawCurves(c, rect, curves, sigmas, answer);
                                },
                                kLeast, false, true});
    };
    if (data.hasPerplexity()) {
        const std::string attack = data.points.front().attack;
        add(FigureText::tr("Function: perplexity"),
            {FigureText::tr("ΔPPL"), responseResolution(data, ResponseMeasure::Perplexity, attack)},
            curvesOf(data, &perplexityOf, attack));
    }
    for (const std::string& attack : attacks)
        add(FigureText::tr("Privacy: AUC of %1").arg(attackTitle(attack)),
            {FigureText::tr("ΔAUC"), responseResolution(data, ResponseMeasure::Auc, attack)},
            curvesOf(data, &aucOf, attack));
    if (cut)
        block.caption << FigureText::tr("bands that touch the frame go on beyond it");
    return block;
}

// Effects of one measure, classes apart, noise rising; at most so many noises, spread over all.
std::vector<GroupEffect> effectsOfMeasure(const AnalysisData& data, const std::string& measure, std::size_t mostSigmas)
{
    std::vector<double> sigmas;
    for (const GroupEffect& effect : data.effects) {
        if (std::find(sigmas.begin(), sigmas.end(), effect.sigma) == sigmas.end())
            sigmas.push_back(effect.sigma);
    }
    std::sort(sigmas.begin(), sigmas.end());
    std::vector<double> shown;
    const std::size_t rows = std::min(sigmas.size(), mostSigmas);
    for (std::size_t i = 0; i < rows; ++i)
        shown.push_back(sigmas[rows == 1 ? 0 : i * (sigmas.size() - 1) / (rows - 1)]);
    std::vector<GroupEffect> effects;
    for (const UnitClass unitClass : kUnitClasses) {
        for (const double sigma : shown) {
            for (const GroupEffect& effect : data.effects) {
                if (effect.measure == measure && effect.unitClass == unitClass && effect.sigma == sigma)
                    effects.push_back(effect);
            }
        }
    }
    return effects;
}

constexpr std::size_t kMostSigmas = 8;

std::vector<std::string> measuresOf(const AnalysisData& data)
{
    std::vector<std::string> measures;
    for (const GroupEffect& effect : data.effects) {
        if (std::find(measures.begin(), measures.end(), effect.measure) == measures.end())
            measures.push_back(effect.measure);
    }
    return measures;
}

QString effectRowName(const GroupEffect& effect)
{
    return QStringLiteral("%1  σ %2").arg(groupTitle(groupOf(effect.unitClass)), compactNumber(effect.sigma));
}

// "g 1.2 *": the standardised effect, a star where it is significant after correction; "g –" where nothing spreads.
// Where no effect of the run is standardised, for want of a control or of drawings, the change itself stands there.
QString effectNote(const GroupEffect& effect, bool standardised)
{
    if (!standardised)
        return compactNumber(effect.difference.mean);
    return QStringLiteral("g %1%2").arg(compactNumber(effect.hedges, 2),
                                        effect.significant() ? QStringLiteral(" *") : QString());
}

void drawEffectRow(FigureCanvas& canvas, const AxisArea& area, double y, const GroupEffect& effect,
                   const ValueScale& scale)
{
    const MarkerStyle style = groupMarker(groupOf(effect.unitClass));
    const auto spot = [&](double value) {
        return QPointF(area.x(std::clamp(scale.place(value), area.xLow, area.xHigh)), y);
    };
    if (effect.difference.hasInterval()) {
        const QPointF from = spot(effect.difference.low), to = spot(effect.difference.high);
        canvas.line(from, to, style.color, canvas.hairline() * 2.2);
        // An end inside the panel has a cap; one that goes on beyond it has none.
        const double cap = canvas.fontPt(kSize) * 0.22;
        if (scale.place(effect.difference.low) >= area.xLow)
            canvas.line(from - QPointF(0, cap), from + QPointF(0, cap), style.color, canvas.hairline() * 1.4);
        if (scale.place(effect.difference.high) <= area.xHigh)
            canvas.line(to - QPointF(0, cap), to + QPointF(0, cap), style.color, canvas.hairline() * 1.4);
    }
    drawMarker(canvas, spot(effect.difference.mean), canvas.fontPt(kSize) * 0.3, style, true);
}

void drawForest(FigureCanvas& canvas, const QRectF& rect, const std::vector<GroupEffect>& effects,
                const Answer& content, bool standardised)
{
    std::vector<Spread> spreads;
    double names = 0, notes = 0;
    for (const GroupEffect& effect : effects) {
        spreads.push_back(effect.difference);
        names = std::max(names, canvas.width(effectRowName(effect), {kSize}));
        notes = std::max(notes, canvas.width(effectNote(effect, standardised), {kSize}));
    }
    const AnswerAxis x = answerAxis(spreads, content.resolution);
    const ValueScale& scale = x.scale;
    AxisArea area;
    area.xLow = x.low;
    area.xHigh = x.high;
    area.rect = rect.adjusted(names + canvas.gap(), 0, -notes - canvas.gap() * 2, -bottomAxisHeight(canvas, true));
    const Ticks bottom = ticksOf(valueMarks(scale, area.xLow, area.xHigh, 5));
    drawVerticalGrid(canvas, area, bottom);
    canvas.line({area.x(0), area.rect.top()}, {area.x(0), area.rect.bottom()}, canvas.colors().axis,
                canvas.hairline() * 1.4);
    const double pitch = area.rect.height() / std::max<double>(1, static_cast<double>(effects.size()));
    const bool labelled = pitch >= canvas.lineHeight(kSize) * 0.8;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        const double y = area.rect.top() + (static_cast<double>(i) + 0.5) * pitch;
        drawEffectRow(canvas, area, y, effects[i], scale);
        if (!labelled && i % 2 == 1)
            continue;
        canvas.text({area.rect.left() - canvas.gap(), y}, effectRowName(effects[i]), Qt::AlignRight, {kSize});
        canvas.text({rect.right(), y}, effectNote(effects[i], standardised), Qt::AlignRight, {kSize});
    }
    drawBottomAxis(canvas, area, bottom, scaleTitles(content.name, scale));
}

// As responseResolution(): of the attack's AUC, else the smallest standard error of a difference.
double effectResolution(const AnalysisData& data, const std::vector<GroupEffect>& effects)
{
    if (effects.empty())
        return kNoNumber;
    if (const std::string& measure = effects.front().measure; data.baselineAuc.contains(measure))
        return responseResolution(data, ResponseMeasure::Auc, measure);
    std::vector<Spread> differences;
    for (const GroupEffect& effect : effects)
        differences.push_back(effect.difference);
    return smallestError(differences);
}

double effectBarHeight(const FigureCanvas& canvas)
{
    return canvas.gap() * 2 + canvas.lineHeight(kSize) * 0.6 + bottomAxisHeight(canvas, true);
}

// What the colours of the map stand for, under it.
void drawEffectBar(FigureCanvas& canvas, const QRectF& place, const EffectColors& colors)
{
    constexpr int kPieces = 49; // odd: one for zero
    QRectF bar = place;
    bar.setHeight(canvas.lineHeight(kSize) * 0.6);
    for (int i = 0; i < kPieces; ++i) {
        // A little wider than its place, so that no seam shows between two.
        const double seam = i + 1 < kPieces ? canvas.hairline() : 0;
        canvas.rect(
            QRectF(bar.left() + bar.width() * i / kPieces, bar.top(), bar.width() / kPieces + seam, bar.height()),
            divergingColor(2.0 * i / (kPieces - 1) - 1, canvas.colors().dark));
    }
    canvas.outline(bar, canvas.colors().axis, canvas.hairline());
    drawBottomAxis(canvas, {bar, -1, 1, 0, 1}, ticksOf(colors.marks(8)), colors.title());
}

// Standardised effects of every measure: a row a measure, a column a class and noise.
void drawEffectMap(FigureCanvas& canvas, const QRectF& rect, const std::vector<std::vector<GroupEffect>>& rows,
                   const std::vector<QString>& names)
{
    double nameWidth = 0;
    for (const QString& name : names)
        nameWidth = std::max(nameWidth, canvas.width(name, {kSize}));
    std::vector<GroupEffect> all;
    for (const auto& row : rows)
        all.insert(all.end(), row.begin(), row.end());
    const EffectColors colors = effectColors(all);
    const double head = canvas.lineHeight(kSize) * 2;
    // Where the rows need all of the height for their names, the bar gives way.
    const double barred = rect.height() - head - effectBarHeight(canvas);
    const bool bar = barred >= static_cast<double>(rows.size()) * canvas.lineHeight(kSize);
    const QRectF grid =
        rect.adjusted(nameWidth + canvas.gap(), head, -canvas.hairline(), bar ? -effectBarHeight(canvas) : 0);
    if (bar)
        drawEffectBar(canvas, QRectF(grid.left(), grid.bottom() + canvas.gap() * 2, grid.width(), 0), colors);
    const double width = grid.width() / static_cast<double>(rows.front().size());
    const double pitch = grid.height() / static_cast<double>(rows.size());
    double free = -1e9, classStart = grid.left();
    for (std::size_t k = 0; k < rows.front().size(); ++k) {
        const GroupEffect& effect = rows.front()[k];
        const double x = grid.left() + (static_cast<double>(k) + 0.5) * width;
        const QString sigma = compactNumber(effect.sigma);
        const QRectF box = canvas.textBox({x, grid.top() - head / 4}, sigma, Qt::AlignHCenter, {kSize});
        if (box.left() > free && box.right() <= canvas.pageWidth()) {
            canvas.text({x, grid.top() - head / 4}, sigma, Qt::AlignHCenter, {kSize});
            free = box.right() + canvas.gap();
        }
        if (k + 1 == rows.front().size() || rows.front()[k + 1].unitClass != effect.unitClass) {
            const double end = grid.left() + static_cast<double>(k + 1) * width;
            canvas.text({(classStart + end) / 2, grid.top() - head * 0.75}, groupTitle(groupOf(effect.unitClass)),
                        Qt::AlignHCenter, {kSize, true});
            classStart = end;
        }
    }
    // Numbers in all cells or in none: a lone one would look special.
    double widest = 0;
    for (const auto& row : rows) {
        for (const GroupEffect& effect : row)
            widest = std::max(widest, canvas.width(compactNumber(effect.hedges, 2) + QLatin1Char('*'), {kSize}));
    }
    const bool numbered = widest + canvas.gap() * 0.5 <= width;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double top = grid.top() + static_cast<double>(i) * pitch;
        canvas.text({grid.left() - canvas.gap(), top + pitch / 2}, names[i], Qt::AlignRight, {kSize});
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
            const GroupEffect& effect = rows[i][k];
            const QRectF cell(grid.left() + static_cast<double>(k) * width, top, width, pitch);
            const QColor fill = divergingColor(colors.share(effect), canvas.colors().dark);
            canvas.rect(cell.adjusted(0.3, 0.3, -0.3, -0.3), fill);
            const QString text =
                compactNumber(effect.hedges, 2) + (effect.significant() ? QStringLiteral("*") : QString());
            if (numbered)
                canvas.text(cell.center(), text, Qt::AlignHCenter, {kSize, false, false, readableOn(fill)});
        }
    }
}

// Only where every measure has the same classes and noises with a standardised effect.
bool mapPossible(const std::vector<std::vector<GroupEffect>>& rows)
{
    if (rows.size() < 2 || rows.front().empty())
        return false;
    bool any = false;
    for (const auto& row : rows) {
        if (row.size() != rows.front().size())
            return false;
        any = any || std::any_of(row.begin(), row.end(), [](const GroupEffect& e) { return std::isfinite(e.hedges); });
    }
    return any;
}

QStringList effectCaption(const AnalysisData& data)
{
    QStringList parts;
    if (data.hasControl) {
        parts << FigureText::tr("class less its random control of equal size, 95 % intervals");
        parts << FigureText::tr("g: Hedges' g");
        parts << FigureText::tr("*: below 0.05 after Holm's correction");
    } else {
        parts << FigureText::tr("no random control in this file: changes from no noise, not tested");
    }
    if (data.synthetic)
        return parts;
    bool first = true; // a part each: a line breaks between two of them
    for (const ConclusionRow& row : data.conclusions) {
        const QString verdict =
            FigureText::tr("%1 %2", "class, verdict").arg(QString::fromStdString(row.group), verdictTitle(row.verdict));
        parts << (std::exchange(first, false) ? FigureText::tr("hypotheses: %1").arg(verdict) : verdict);
    }
    return parts;
}

AnalysisBlock effectsBlock(const FigureCanvas& canvas, const RunResult& run)
{
    const AnalysisData& data = figureAnalysis(run);
    AnalysisBlock block;
    block.caption = effectCaption(data);
    std::vector<std::vector<GroupEffect>> rows;
    std::vector<QString> names;
    for (const std::string& measure : measuresOf(data)) {
        rows.push_back(effectsOfMeasure(data, measure, kMostSigmas));
        names.push_back(measureTitle(measure));
    }
    constexpr std::size_t kMostForests = 2; // perplexity and the first attack; the map has them all
    const bool map = mapPossible(rows);
    const bool standardised = effectColors(data.effects).standardised;
    const std::size_t forests = map ? std::min(rows.size(), kMostForests) : rows.size();
    constexpr double kLeast = 0.85; // the share of its height at which every row still has its name
    const double pitch = canvas.lineHeight(kSize) * 1.05;
    for (std::size_t i = 0; i < forests; ++i) {
        const QString what = data.hasControl ? FigureText::tr("Δ%1, class less control", "measure").arg(names[i])
                                             : FigureText::tr("Δ%1 from no noise", "measure").arg(names[i]);
        const double height =
            static_cast<double>(rows[i].size()) * pitch + bottomAxisHeight(canvas, true) + canvas.gap();
        block.panels.push_back(
            {names[i], [height](double) { return height; },
             [effects = rows[i], answer = Answer{what, effectResolution(data, rows[i])}, standardised](
                 FigureCanvas& c, const QRectF& rect) { drawForest(c, rect, effects, answer, standardised); },
             kLeast});
    }
    if (map) {
        const double height =
            (static_cast<double>(rows.size()) * 1.5 + 2) * canvas.lineHeight(kSize) + effectBarHeight(canvas);
        block.panels.push_back(
            {FigureText::tr("All effects (Hedges' g, by class and σ)"), [height](double) { return height; },
             [rows, names](FigureCanvas& c, const QRectF& rect) { drawEffectMap(c, rect, rows, names); }, kLeast,
             true});
    }
    return block;
}

} // namespace
} // namespace response_figures

constinit const FigureKind kNoiseResponseFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Noise response"),
                                                &response_figures::checkResponses, &analysisCsv<&responsesTable>,
                                                &analysisBlocks<&response_figures::curvesBlock>};

constinit const FigureKind kStatisticalSummaryFigure{QT_TRANSLATE_NOOP("peakscope::FigureText", "Statistical summary"),
                                                     &response_figures::checkEffects, &analysisCsv<&effectsTable>,
                                                     &analysisBlocks<&response_figures::effectsBlock>};

} // namespace peakscope
