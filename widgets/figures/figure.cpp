// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/figure.h"

#include "widgets/figures/figure_kind.h"
#include "widgets/figures/figure_legend.h"
#include "widgets/figures/figure_page.h"
#include "widgets/figures/figure_text.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

struct Entry {
    std::string_view name;
    const FigureKind& (*kind)(); // null: a later part makes it
    const char* title;           // of those without a kind
};

constexpr std::array<Entry, 17> kFigures{{
    {"memory_timeline", &memoryTimelineFigure, nullptr},
    {"memory_breakdown_comparison", &memoryBreakdownFigure, nullptr},
    {"performance_tradeoff", &performanceTradeoffFigure, nullptr},
    {"memory_heatmap", &memoryHeatmapFigure, nullptr},
    {"memory_analysis_overview", &memoryOverviewFigure, nullptr},
    {"detailed_memory_analysis", &detailedMemoryFigure, nullptr},
    {"operation_level_breakdown", &operatorBreakdownFigure, nullptr},
    {"hessian_spectrum", &hessianSpectrumFigure, nullptr},
    {"hessian_histogram", &hessianHistogramFigure, nullptr},
    {"umap_visualization", &umapFigure, nullptr},
    {"parameter_clustering", &parameterClusteringFigure, nullptr},
    {"prm_phase_diagram", &phaseDiagramFigure, nullptr},
    {"noise_response_curves", &noiseResponseFigure, nullptr},
    {"statistical_summary", &statisticalSummaryFigure, nullptr},
    {"strategy_table", &strategyTableFigure, nullptr},
    {"capacity_map", &capacityMapFigure, nullptr},
    {"memory_ranks", &memoryRanksFigure, nullptr},
}};

const Entry* findEntry(std::string_view figure)
{
    const auto entry =
        std::find_if(kFigures.begin(), kFigures.end(), [figure](const Entry& e) { return e.name == figure; });
    return entry == kFigures.end() ? nullptr : &*entry;
}

const FigureKind* findKind(std::string_view figure)
{
    const Entry* entry = findEntry(figure);
    return entry && entry->kind ? &entry->kind() : nullptr;
}

std::string madeNow()
{
    std::string names;
    for (const Entry& entry : kFigures) {
        if (entry.kind)
            names += (names.empty() ? "" : ", ") + std::string(entry.name);
    }
    return names;
}

double marginPt(const FigureCanvas& canvas)
{
    return canvas.gap();
}

// The line above the body: a title where the preset has one, and the badges of a run that stands alone.
double headerPt(const FigureCanvas& canvas, const RunResults& results)
{
    if (canvas.preset().titled)
        return canvas.lineHeight(TextSize::Title) + canvas.gap() * 2;
    const bool badges = results.size() == 1 && !runBadges(*results.front()).isEmpty();
    return badges ? canvas.lineHeight() + canvas.gap() : 0;
}

void drawHeader(FigureCanvas& canvas, const QRectF& page, const FigureKind& kind, const RunResults& results)
{
    const double height = headerPt(canvas, results);
    if (height <= 0)
        return;
    QString text;
    if (canvas.preset().titled) {
        text = kind.title();
        if (results.size() == 1)
            text = FigureText::tr("%1: %2", "figure title: run").arg(text, runLabels(results).front());
    }
    const QStringList badges = results.size() == 1 ? runBadges(*results.front()) : QStringList();
    drawHeading(canvas, QRectF(page.left(), page.top(), page.width(), height - canvas.gap()), text, badges,
                TextSize::Title);
}

} // namespace

std::string_view name(FigureFormat format)
{
    switch (format) {
    case FigureFormat::Pdf:
        return "pdf";
    case FigureFormat::Svg:
        return "svg";
    case FigureFormat::Png:
        return "png";
    }
    return {};
}

std::optional<FigureFormat> figureFormatFromName(std::string_view text)
{
    for (const FigureFormat format : {FigureFormat::Pdf, FigureFormat::Svg, FigureFormat::Png}) {
        if (name(format) == text)
            return format;
    }
    return std::nullopt;
}

const std::vector<std::string>& figureNames()
{
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const Entry& entry : kFigures)
            names.emplace_back(entry.name);
        return names;
    }();
    return kNames;
}

bool figureExists(std::string_view figure)
{
    return findEntry(figure) != nullptr;
}

QString figureTitle(std::string_view figure)
{
    const Entry* entry = findEntry(figure);
    if (!entry)
        return {};
    return entry->kind ? entry->kind().title() : FigureText::tr(entry->title);
}

Status checkFigure(std::string_view figure, const RunResults& results)
{
    const std::string context(figure);
    const Entry* entry = findEntry(figure);
    if (!entry)
        return badInput(context, "there is no figure of this name; this version makes " + madeNow());
    if (!entry->kind)
        return badInput(context, "this figure is made by a later part; this version makes " + madeNow());
    if (results.empty())
        return badInput(context, "no run was given; give at least one result");
    if (results.size() > kMostRuns) {
        return badInput(context, std::to_string(results.size()) + " runs were given; one page holds at most " +
                                     std::to_string(kMostRuns));
    }
    for (const auto& result : results) {
        if (!result)
            return badInput(context, "an empty result was given");
        if (const Status status = entry->kind().check(*result); !status)
            return badInput(context, "run " + result->id + " cannot be drawn: " + status.error().message);
    }
    return Done{};
}

std::vector<std::string> availableFigures(const RunResults& results)
{
    std::vector<std::string> names;
    for (const std::string& figure : figureNames()) {
        if (checkFigure(figure, results))
            names.push_back(figure);
    }
    return names;
}

QSizeF figureSizePt(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    const QSizeF size(preset.widthMm * kPointsPerMm, std::ceil(preset.heightMm * kPointsPerMm - 1e-6));
    const FigureKind* kind = findKind(figure);
    if (!kind || preset.fixedHeight)
        return size;
    const FigureCanvas canvas(nullptr, preset, FigureTheme::Light);
    const double body = kind->height(canvas, results, size.width() - 2 * marginPt(canvas));
    if (body <= 0)
        return size;
    return {size.width(), std::ceil(body + headerPt(canvas, results) + 2 * marginPt(canvas))};
}

QSizeF figureSizeMm(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    if (!checkFigure(figure, results))
        return {preset.widthMm, preset.heightMm};
    return figureSizePt(figure, results, preset) / kPointsPerMm;
}

std::vector<FigureCanvas::PlacedText> drawFigurePage(QPainter* painter, std::string_view figure,
                                                     const RunResults& results, const FigurePreset& preset,
                                                     FigureTheme theme)
{
    const FigureKind* kind = findKind(figure);
    if (!kind)
        return {};
    FigureCanvas canvas(painter, preset, theme);
    const QSizeF size = figureSizePt(figure, results, preset);
    canvas.rect(QRectF(QPointF(0, 0), size), canvas.colors().background);
    const double margin = marginPt(canvas);
    const QRectF page = QRectF(QPointF(0, 0), size).adjusted(margin, margin, -margin, -margin);
    drawHeader(canvas, page, *kind, results);
    kind->draw(canvas, page.adjusted(0, headerPt(canvas, results), 0, 0), results);
    return canvas.placedTexts();
}

std::string figureCsvText(std::string_view figure, const RunResults& results)
{
    const FigureKind* kind = findKind(figure);
    return kind ? kind->csv(results) : std::string();
}

Status drawFigure(QPainter& painter, const QRectF& target, std::string_view figure, const RunResults& results,
                  const FigurePreset& preset, FigureTheme theme)
{
    if (const Status status = checkFigure(figure, results); !status)
        return status;
    const QSizeF size = figureSizePt(figure, results, preset);
    const double scale = std::min(target.width() / size.width(), target.height() / size.height());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(target.center() - QPointF(size.width(), size.height()) * scale / 2);
    painter.scale(scale, scale);
    drawFigurePage(&painter, figure, results, preset, theme);
    painter.restore();
    return Done{};
}

QByteArray figureCsv(std::string_view figure, const RunResults& results)
{
    return checkFigure(figure, results) ? QByteArray::fromStdString(figureCsvText(figure, results)) : QByteArray();
}

} // namespace peakscope
