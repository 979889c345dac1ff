// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// prm_phase_diagram: units by alignment and sparsity with the four thresholds and the regions of the classes, and what
// noise in the classes did: change of perplexity against change of AUC, a trajectory a class.
#include "core/analysis/response/response_summary.h"
#include "core/results/analysis_tables.h"
#include "core/results/plain_columns.h"
#include "widgets/figures/analysis/analysis_figure.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/look/theme.h"

#include <algorithm>
#include <cmath>

namespace peakscope {
namespace phase_diagram_figure {
namespace {

constexpr TextSize kSize = TextSize::Small;

Status checkRun(const RunResult& run)
{
    const Result<AnalysisData>& data = sectionsOf(run);
    if (!data)
        return badInput({}, data.error().text());
    if (!data->hasPlane() && (data->attacks().empty() || !data->hasPerplexity()))
        return failed({}, "it holds neither features with alignment and sparsity nor prm.results with changes of "
                          "perplexity and AUC; an experiment of kind prm stores both");
    return Done{};
}

void drawRegion(FigureCanvas& canvas, const AxisArea& area, const QRectF& region, UnitGroup group)
{
    const QRectF box(QPointF(area.x(region.left()), area.y(region.bottom())),
                     QPointF(area.x(region.right()), area.y(region.top())));
    if (box.width() <= 0 || box.height() <= 0)
        return;
    canvas.rect(box, mixed(canvas.colors().background, groupMarker(group).color, 0.13));
}

void drawThresholds(FigureCanvas& canvas, const AxisArea& area, const ClassThresholds& t)
{
    const QColor func = groupMarker(UnitGroup::Func).color, sens = groupMarker(UnitGroup::Sens).color;
    const double width = canvas.hairline() * 1.6;
    const auto upright = [&](double at, const QColor& color) {
        canvas.line({area.x(at), area.rect.top()}, {area.x(at), area.rect.bottom()}, color, width, Dash::Dashed);
    };
    const auto level = [&](double at, const QColor& color) {
        canvas.line({area.rect.left(), area.y(at)}, {area.rect.right(), area.y(at)}, color, width, Dash::Dashed);
    };
    upright(t.funcAlignment, func);
    level(t.funcSparsity, func);
    upright(t.sensAlignment, sens);
    level(t.sensSparsity, sens);
}

void drawPlane(FigureCanvas& canvas, const QRectF& rect, const AnalysisData& data)
{
    const Ticks ticks = ticksOf(linearMarks(0, 1, 5));
    AxisArea area{plotRect(canvas, rect, ticks), -kPlaneRoom, 1 + kPlaneRoom, -kPlaneRoom, 1 + kPlaneRoom};
    drawHorizontalGrid(canvas, area, ticks);
    drawVerticalGrid(canvas, area, ticks);
    const ClassThresholds& t = data.thresholds;
    if (data.rule == PartitionRule::Absolute) { // by rank none is in force
        drawRegion(canvas, area, QRectF(QPointF(t.funcAlignment, area.yLow), QPointF(area.xHigh, t.funcSparsity)),
                   UnitGroup::Func);
        drawRegion(canvas, area, QRectF(QPointF(area.xLow, t.sensSparsity), QPointF(t.sensAlignment, area.yHigh)),
                   UnitGroup::Sens);
        drawThresholds(canvas, area, t);
    }
    std::vector<ScatterMark> marks;
    for (std::size_t i = 0; i < data.unitCount(); ++i)
        marks.push_back({data.alignment[i], data.sparsity[i], groupMarker(data.labelOf(i))});
    drawScatterMarks(canvas, area, marks);
    drawBottomAxis(canvas, area, ticks, FigureText::tr("Alignment (0 to 1)"));
    drawLeftAxis(canvas, area, ticks, FigureText::tr("Sparsity (0 to 1)"));
}

struct Trajectory {
    ResponseGroup group;
    std::vector<const ResponsePoint*> points; // noise rising
};

std::vector<Trajectory> trajectories(const AnalysisData& data, const std::string& attack)
{
    std::vector<Trajectory> found;
    for (const ResponseGroup& group : data.groups()) {
        Trajectory path{group, {}};
        for (const ResponsePoint& point : data.points) {
            if (point.group == group && point.attack == attack && point.auc.known() && point.perplexity.known())
                path.points.push_back(&point);
        }
        std::stable_sort(path.points.begin(), path.points.end(),
                         [](const ResponsePoint* a, const ResponsePoint* b) { return a->sigma < b->sigma; });
        if (!path.points.empty())
            found.push_back(std::move(path));
    }
    return found;
}

struct OutcomePlane {
    AxisArea area;
    ValueScale x, y;

    QPointF spot(double perplexity, double auc) const
    {
        return {area.x(std::clamp(x.place(perplexity), area.xLow, area.xHigh)),
                area.y(std::clamp(y.place(auc), area.yLow, area.yHigh))};
    }
};

void drawTrajectory(FigureCanvas& canvas, const OutcomePlane& plane, const Trajectory& path)
{
    const MarkerStyle style = groupMarker(path.group.group);
    const bool control = path.group.group == UnitGroup::Control;
    QPolygonF line;
    for (const ResponsePoint* point : path.points) {
        line << plane.spot(point->perplexity.mean, point->auc.mean);
        const QColor faint = mixed(canvas.colors().background, style.color, 0.55);
        if (point->perplexity.hasInterval())
            canvas.line(plane.spot(point->perplexity.low, point->auc.mean),
                        plane.spot(point->perplexity.high, point->auc.mean), faint, canvas.hairline());
        if (point->auc.hasInterval())
            canvas.line(plane.spot(point->perplexity.mean, point->auc.low),
                        plane.spot(point->perplexity.mean, point->auc.high), faint, canvas.hairline());
    }
    canvas.polyline(line, style.color, canvas.hairline() * (control ? 1.2 : 1.8), control ? Dash::Dashed : Dash::Solid);
    for (qsizetype i = 0; i < line.size(); ++i) {
        // Markers grow with the noise: the way a trajectory runs can be seen.
        const double share = line.size() > 1 ? static_cast<double>(i) / static_cast<double>(line.size() - 1) : 1;
        drawMarker(canvas, line[i], canvas.fontPt(kSize) * (0.18 + 0.2 * share), style, !control);
    }
}

// Each name in the outer corner of its quadrant, or beside the axis of no change where a marker is in that corner.
void nameQuadrants(FigureCanvas& canvas, const OutcomePlane& plane, const std::vector<QPointF>& markers)
{
    const QRectF& rect = plane.area.rect;
    const double inset = canvas.gap(), line = canvas.lineHeight(kSize) * 0.6;
    const TextStyle style{kSize, false, true};
    const double left = plane.area.x(0) - rect.left(), right = rect.right() - plane.area.x(0);
    const double upper = plane.area.y(0) - rect.top(), lower = rect.bottom() - plane.area.y(0);
    const auto put = [&](const QString& text, bool atRight, bool above) {
        const double room = atRight ? right : left;
        if (canvas.width(text, style) + 2 * inset > room || (above ? upper : lower) < line * 3)
            return;
        const double y = above ? rect.top() + line : rect.bottom() - line;
        QPointF anchor(atRight ? rect.right() - inset : rect.left() + inset, y);
        Qt::AlignmentFlag align = atRight ? Qt::AlignRight : Qt::AlignLeft;
        const double reach = canvas.fontPt(kSize) * 0.4; // of the largest marker
        const QRectF corner = canvas.textBox(anchor, text, align, style).adjusted(-reach, -reach, reach, reach);
        if (std::any_of(markers.begin(), markers.end(), [&](const QPointF& spot) { return corner.contains(spot); })) {
            anchor.setX(plane.area.x(0) + (atRight ? inset : -inset));
            align = atRight ? Qt::AlignLeft : Qt::AlignRight;
        }
        QColor veil = canvas.colors().background;
        veil.setAlphaF(0.8F);
        canvas.rect(canvas.textBox(anchor, text, align, style).adjusted(-inset / 2, 0, inset / 2, 0), veil);
        canvas.text(anchor, text, align, style);
    };
    put(FigureText::tr("less function, more leakage"), true, true);
    put(FigureText::tr("less function, less leakage"), true, false);
    put(FigureText::tr("more function, more leakage"), false, true);
    put(FigureText::tr("more function, less leakage"), false, false);
}

void drawOutcomes(FigureCanvas& canvas, const QRectF& rect, const AnalysisData& data, const std::string& attack)
{
    const std::vector<Trajectory> paths = trajectories(data, attack);
    std::vector<Spread> xSpreads, ySpreads;
    for (const Trajectory& path : paths) {
        for (const ResponsePoint* point : path.points) {
            xSpreads.push_back(point->perplexity);
            ySpreads.push_back(point->auc);
        }
    }
    const AnswerAxis x = answerAxis(xSpreads, responseResolution(data, ResponseMeasure::Perplexity, attack));
    const AnswerAxis y = answerAxis(ySpreads, responseResolution(data, ResponseMeasure::Auc, attack));
    OutcomePlane plane{{{}, x.low, x.high, y.low, y.high}, x.scale, y.scale};
    const int room = ticksAlong(canvas, rect.height() - bottomAxisHeight(canvas, true));
    const Ticks left = ticksOf(valueMarks(y.scale, y.low, y.high, room));
    const Ticks bottom = ticksOf(valueMarks(x.scale, x.low, x.high, 6));
    plane.area.rect = plotRect(canvas, rect, left);
    drawHorizontalGrid(canvas, plane.area, left);
    drawVerticalGrid(canvas, plane.area, bottom);
    const QRectF& box = plane.area.rect;
    canvas.line({plane.area.x(0), box.top()}, {plane.area.x(0), box.bottom()}, canvas.colors().axis, canvas.hairline());
    canvas.line({box.left(), plane.area.y(0)}, {box.right(), plane.area.y(0)}, canvas.colors().axis, canvas.hairline());
    std::vector<QPointF> markers;
    for (std::size_t i = 0; i < xSpreads.size(); ++i)
        markers.push_back(plane.spot(xSpreads[i].mean, ySpreads[i].mean));
    nameQuadrants(canvas, plane, markers); // under the markers: none may be hidden by words
    for (auto path = paths.rbegin(); path != paths.rend(); ++path)
        drawTrajectory(canvas, plane, *path);
    drawBottomAxis(canvas, plane.area, bottom, scaleTitles(FigureText::tr("ΔPPL"), x.scale));
    drawLeftAxis(canvas, plane.area, left, scaleTitles(FigureText::tr("ΔAUC"), y.scale));
}

QStringList captionOf(const AnalysisData& data, bool outcomes)
{
    QStringList parts;
    if (data.hasPlane()) {
        const ClassThresholds& t = data.thresholds;
        parts << (data.rule == PartitionRule::Absolute
                      ? FigureText::tr("Wfunc: alignment ≥ %1, sparsity < %2")
                            .arg(compactNumber(t.funcAlignment), compactNumber(t.funcSparsity))
                      : FigureText::tr("classes by rank: no thresholds"));
        if (data.rule == PartitionRule::Absolute)
            parts << FigureText::tr("Wsens: alignment ≤ %1, sparsity ≥ %2")
                         .arg(compactNumber(t.sensAlignment), compactNumber(t.sensSparsity))
                  << FigureText::tr("else Wboth");
    }
    if (outcomes)
        parts << FigureText::tr("larger markers: more noise");
    if (data.hasCounts) {
        QStringList counts;
        for (const UnitClass unitClass : kUnitClasses)
            counts << QStringLiteral("%1 %2").arg(groupTitle(groupOf(unitClass)),
                                                  QString::number(data.counts[static_cast<std::size_t>(unitClass)]));
        parts << FigureText::tr("units: %1").arg(counts.join(QStringLiteral(", ")));
    }
    return parts;
}

AnalysisBlock phaseBlock(const FigureCanvas& canvas, const RunResult& run)
{
    const AnalysisData& data = figureAnalysis(run);
    AnalysisBlock block;
    std::vector<std::pair<std::string, std::vector<Trajectory>>> outcomes;
    for (const std::string& attack : data.attacks()) {
        if (std::vector<Trajectory> paths = trajectories(data, attack); !paths.empty())
            outcomes.emplace_back(attack, std::move(paths));
    }
    block.caption = captionOf(data, !outcomes.empty());
    constexpr double kLeast = 0.6; // the share of its height at which a plane still reads
    const auto height = [most = canvas.fontPt(TextSize::Normal) * 36](double width) {
        return std::min(width * 0.8, most);
    };
    if (data.hasPlane())
        block.panels.push_back({FigureText::tr("Classes"), height,
                                [data](FigureCanvas& c, const QRectF& rect) { drawPlane(c, rect, data); }, kLeast,
                                false, true});
    // The trajectories point into the points of the data that they keep alive.
    const auto keep = std::make_shared<const AnalysisData>(data);
    for (const auto& [attack, unused] : outcomes)
        block.panels.push_back(
            {FigureText::tr("Answers to noise (AUC of %1)").arg(attackTitle(attack)), height,
             [keep, attack = attack](FigureCanvas& c, const QRectF& rect) { drawOutcomes(c, rect, *keep, attack); },
             kLeast, false, true});
    const auto key = [&](const ResponseGroup& group) {
        const bool control = group.group == UnitGroup::Control;
        const MarkerStyle style = groupMarker(group.group);
        const auto same = [&](const MarkerKey& other) { return other.text == groupTitle(group.group); };
        if (std::none_of(block.keys.begin(), block.keys.end(), same))
            block.keys.push_back({groupTitle(group.group), style,
                                  outcomes.empty() ? std::nullopt : std::optional(control ? Dash::Dashed : Dash::Solid),
                                  style.color});
    };
    for (const UnitClass unitClass : kUnitClasses)
        key({groupOf(unitClass), std::nullopt});
    for (const ResponseGroup& group : data.groups())
        key(group);
    return block;
}

Table phaseTable(const AnalysisData& data)
{
    if (!data.hasPlane())
        return responsesTable(data);
    Table table{"phase_diagram",
                plainColumns({"unit", "alignment", "sparsity", "class", "noise_level", "attack", "delta_ppl_mean",
                              "delta_auc_mean"}),
                {}};
    for (std::size_t i = 0; i < data.unitCount(); ++i)
        table.rows.push_back({data.units[i].name, data.alignment[i], data.sparsity[i],
                              std::string(name(data.labelOf(i))), std::string(), std::string(), std::string(),
                              std::string()});
    for (const ResponsePoint& point : data.points)
        table.rows.push_back({std::string(), std::string(), std::string(), std::string(name(point.group.group)),
                              point.sigma, point.attack, point.perplexity.mean, point.auc.mean});
    return table;
}

} // namespace
} // namespace phase_diagram_figure

constinit const FigureKind kPhaseDiagramFigure{
    QT_TRANSLATE_NOOP("peakscope::FigureText", "Perturbation phase diagram"), &phase_diagram_figure::checkRun,
    &analysisCsv<&phase_diagram_figure::phaseTable>, &analysisBlocks<&phase_diagram_figure::phaseBlock>};

} // namespace peakscope
