// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/sweep_trend_view.h"

#include "core/base/json/json_reader.h"
#include "widgets/compare/compare_style.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/mark_ticker.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/sweep/sweep_growth_words.h"
#include "widgets/sweep/sweep_style.h"

#include "core/results/sweeps/timed_round.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QLabel>

#include <algorithm>
#include <cmath>
#include <set>

namespace peakscope {

namespace {

constexpr std::size_t kLeastMarks = 3; // of an axis

} // namespace

struct SweepTrendScene {
    SweepDocument sweep;
    SweepGrowth growth; // of at most kMostTrendLines lines, its words of all
    ChartTheme theme;

    // A key that takes 0 has no place for it on a logarithmic axis: both are linear then, as in the figure.
    bool logarithmic() const { return !growth.zero; }
    double placeX(double x) const { return logarithmic() ? std::log2(x) : x; }
    double placeY(double y) const { return logarithmic() ? std::log10(y) : y; }

    bool predicted() const { return isPredicted(growth.measure); }
    QColor color(std::size_t line) const { return trendColor(line, theme.dark); }

    void paint(QPainter& painter, const PlotGeometry& geometry) const
    {
        constexpr double kMarker = 8;
        painter.setRenderHint(QPainter::Antialiasing);
        const auto place = [&](double x, double y) {
            return QPointF(geometry.xPixel(placeX(x)), geometry.yPixel(placeY(y)));
        };
        for (const std::vector<std::size_t>& group : coincidingLines(growth)) {
            const std::size_t i = group.front();
            const GrowthLine& line = growth.lines[i];
            const SweepTrend all = line.measured();
            QPolygonF points;
            for (std::size_t p = 0; p < all.x.size(); ++p)
                points << place(all.x[p], all.y[p]);
            // A fit is a curve; where there is none the points are only joined.
            painter.setPen(QPen(color(i), line.tells() ? 1.5 : 1,
                                predicted()    ? Qt::DashLine
                                : line.tells() ? Qt::SolidLine
                                               : Qt::DotLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawPolyline(line.tells() ? fitted(line, place) : points);
            for (const QPointF& point : points)
                paintMarker(painter, i, point, kMarker);
        }
    }

    // What was predicted is hollow on a dashed line, as everywhere.
    void paintMarker(QPainter& painter, std::size_t line, const QPointF& point, double size) const
    {
        painter.setPen(QPen(predicted() ? color(line) : theme.background, predicted() ? 1.5 : 1));
        painter.setBrush(predicted() ? theme.background : color(line));
        painter.drawPolygon(compareMarker(line, point, size));
    }

private:
    template <typename Place>
    static QPolygonF fitted(const GrowthLine& line, const Place& place)
    {
        constexpr int kSteps = 64;
        QPolygonF curve;
        const double low = std::log2(line.trend.x.front()), high = std::log2(line.trend.x.back());
        for (int step = 0; step <= kSteps; ++step) {
            const double x = std::exp2(low + (high - low) * step / kSteps);
            if (const double y = line.fit.at(x); y > 0)
                curve << place(x, y);
        }
        return curve;
    }
};

namespace {

// Round bytes or seconds between two amounts, places as they are.
std::vector<AxisMark> linearAmountMarks(const std::string& measure, double from, double to, int most)
{
    const bool bytes = sweepUnit(measure) == "bytes";
    const ByteScale byteUnit = byteScaleFor(to);
    const TimeScale timeUnit = timeScaleFor(from, to);
    const double unit = bytes ? byteUnit.bytes : timeUnit.seconds;
    std::vector<AxisMark> marks =
        linearMarks(from / unit, to / unit, std::clamp(most, static_cast<int>(kLeastMarks) + 1, 6));
    for (AxisMark& mark : marks) {
        mark.place *= unit;
        mark.label += QLatin1Char(' ') + (bytes ? byteUnit.unit : timeUnit.unit);
    }
    return marks;
}

// Round bytes or seconds between two exponents of ten: powers of two, or one, two and five times powers of ten; steps
// of one unit where what is visible has hardly one of them.
std::vector<AxisMark> amountMarks(const std::string& measure, double low, double high, int most)
{
    const bool bytes = sweepUnit(measure) == "bytes";
    const double from = std::pow(10.0, low), to = std::pow(10.0, high);
    std::vector<AxisMark> marks;
    const double step = bytes ? std::log10(2.0) : 1;
    const int every = bytes ? std::max(1, static_cast<int>(std::ceil((high - low) / step / std::max(most, 1)))) : 1;
    for (auto i = static_cast<int>(std::floor(low / step)); i * step <= high; ++i) {
        for (const double part : {1.0, 2.0, 5.0}) {
            const double place = i * step + std::log10(part);
            if ((part == 1 || !bytes) && i % every == 0 && place >= low && place <= high)
                marks.push_back({place, sweepNumberText(std::pow(10.0, place), measure)});
        }
    }
    if (marks.size() >= kLeastMarks || !(to > from))
        return marks;
    marks = linearAmountMarks(measure, from, to, most);
    for (AxisMark& mark : marks)
        mark.place = std::log10(mark.place);
    return marks;
}

// The key's own values; round ones where hardly one of them is visible.
std::vector<AxisMark> keyMarks(const SweepTrendScene& scene, double low, double high, int most)
{
    std::set<double> values;
    for (const GrowthLine& line : scene.growth.lines) {
        const SweepTrend all = line.measured();
        values.insert(all.x.begin(), all.x.end());
    }
    std::vector<AxisMark> marks;
    for (const double value : values) {
        if (const double place = scene.placeX(value); place >= low && place <= high)
            marks.push_back({place, sweepValueText(value, scene.growth.key)});
    }
    if (marks.size() > 1 || values.size() < 2 || !(high > low))
        return marks;
    if (!scene.logarithmic())
        return linearMarks(low, high, most);
    marks = linearMarks(std::exp2(low), std::exp2(high), most);
    for (AxisMark& mark : marks)
        mark.place = std::log2(mark.place);
    return marks;
}

std::string chosenIn(const QComboBox* box)
{
    return box->currentData().toString().toStdString();
}

bool numericKey(const SweepDocument& sweep, const std::string& key)
{
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&key](const SweepPoint& point) { return lenient::number(point.values, key) > 0; });
}

} // namespace

SweepTrendView::SweepTrendView(QWidget* parent)
    : PlotView([] { return tr("Trends"); }, parent), m_scene(std::make_unique<SweepTrendScene>())
{
    explain(
        [] { return tr("A point is a run. A line is the power law fitted to points that differ in this key only."); },
        "sweeps");
    QCustomPlot* plot = this->plot();
    setMarks(plot->xAxis,
             [scene = m_scene.get()](double low, double high, int most) { return keyMarks(*scene, low, high, most); });
    setMarks(plot->yAxis, [scene = m_scene.get()](double low, double high, int most) {
        return (scene->logarithmic() ? amountMarks : linearAmountMarks)(scene->growth.measure, low, high, most);
    });
    addPaintedPlottable(plot->xAxis, plot->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    m_keyBox = addBox([] { return tr("Along"); });
    m_measureBox = addBox([] { return tr("Measure"); });
    m_legend = new LegendStrip;
    m_growth = new QLabel;
    m_growth->setWordWrap(true);
    putUnder({m_growth, m_legend});
    clear();
    inLanguage(this, [this] {
        fillBoxes(); // what was chosen in them stays
        labelAxes();
        updateLegend();
    });
}

SweepTrendView::~SweepTrendView() = default;

QComboBox* SweepTrendView::addBox(LanguageText name)
{
    QComboBox* box = sweepChoice(std::move(name), fontMetrics());
    addViewWidget(box);
    connect(box, &QComboBox::currentIndexChanged, this, [this, box] {
        if (m_filling)
            return;
        m_measureChosen = m_measureChosen || box == m_measureBox;
        rebuild();
    });
    return box;
}

void SweepTrendView::setSweep(SweepDocument sweep)
{
    m_scene->sweep = std::move(sweep);
    fillBoxes();
    rebuild();
}

void SweepTrendView::clear()
{
    setSweep({});
}

void SweepTrendView::fillBoxes()
{
    m_filling = true;
    const std::string measure = chosenIn(m_measureBox), key = chosenIn(m_keyBox);
    m_measureBox->clear();
    const std::vector<std::string> measures = sweepMeasures(m_scene->sweep);
    for (const std::string& each : measures)
        m_measureBox->addItem(sweepMeasureTitle(each), QString::fromStdString(each));
    m_keyBox->clear();
    for (const std::string& each : sweepAxes(m_scene->sweep)) {
        if (numericKey(m_scene->sweep, each))
            m_keyBox->addItem(sweepKeyTitle(each), QString::fromStdString(each));
    }
    const bool known = std::find(measures.begin(), measures.end(), measure) != measures.end();
    const std::string shown = m_measureChosen && known ? measure : firstMeasure(measures);
    m_measureBox->setCurrentIndex(std::max(0, m_measureBox->findData(QString::fromStdString(shown))));
    const std::string first = key.empty() ? defaultSweepAxes(m_scene->sweep).first : key;
    m_keyBox->setCurrentIndex(std::max(0, m_keyBox->findData(QString::fromStdString(first))));
    m_filling = false;
}

void SweepTrendView::setKey(const std::string& key)
{
    m_keyBox->setCurrentIndex(std::max(0, m_keyBox->findData(QString::fromStdString(key))));
}

void SweepTrendView::setMeasure(const std::string& measure)
{
    m_measureChosen = true;
    m_measureBox->setCurrentIndex(std::max(0, m_measureBox->findData(QString::fromStdString(measure))));
}

std::string SweepTrendView::key() const
{
    return m_scene->growth.key;
}

std::vector<PowerLawFit> SweepTrendView::fits() const
{
    std::vector<PowerLawFit> fits;
    for (const GrowthLine& line : m_scene->growth.lines)
        fits.push_back(line.fit);
    return fits;
}

void SweepTrendView::rebuild()
{
    SweepTrendScene& scene = *m_scene;
    const std::string measure = chosenIn(m_measureBox);
    scene.growth = sweepGrowth(scene.sweep, chosenIn(m_keyBox), measure.empty() ? "peak_bytes" : measure);
    const std::size_t all = scene.growth.lines.size();
    scene.growth.lines.resize(std::min(all, kMostTrendLines));
    PlotArea area{1e300, -1e300, 1e300, -1e300};
    for (const GrowthLine& line : scene.growth.lines) {
        const SweepTrend all = line.measured();
        for (std::size_t i = 0; i < all.x.size(); ++i) {
            area.x0 = std::min(area.x0, scene.placeX(all.x[i]));
            area.x1 = std::max(area.x1, scene.placeX(all.x[i]));
            area.y0 = std::min(area.y0, scene.placeY(all.y[i]));
            area.y1 = std::max(area.y1, scene.placeY(all.y[i]));
        }
    }
    setPlaceholder([none = scene.growth.lines.empty()] {
        return none ? tr("Shows measured points along a numeric key.") : QString();
    });
    if (!scene.growth.lines.empty()) {
        const bool logarithmic = scene.logarithmic();
        const double x = 0.06 * std::max(0.5, area.x1 - area.x0);
        const double y = 0.08 * (logarithmic ? std::max(0.1, area.y1 - area.y0) : area.y1);
        area = {area.x0 - x, area.x1 + x, logarithmic ? area.y0 - y : 0, area.y1 + y};
        labelAxes();
        interaction()->setBounds(area);
        interaction()->startAnew();
    }
    setBadge([all] {
        return all > kMostTrendLines ? tr("first %1 of %2 settings").arg(kMostTrendLines).arg(all) : QString();
    });
    updateLegend();
    contentChanged();
}

void SweepTrendView::labelAxes()
{
    const auto said = [this](const QString& title) {
        return m_scene->logarithmic() && !title.isEmpty() ? tr("%1, logarithmic", "title of an axis").arg(title)
                                                          : title;
    };
    plot()->xAxis->setLabel(said(sweepKeyTitle(m_scene->growth.key)));
    plot()->yAxis->setLabel(said(sweepMeasureTitle(m_scene->growth.measure)));
}

void SweepTrendView::updateLegend()
{
    const SweepGrowth& growth = m_scene->growth;
    std::vector<LegendStrip::Entry> entries;
    for (const std::vector<std::size_t>& group : coincidingLines(growth)) {
        const std::size_t i = group.front();
        entries.push_back(
            {tr("%1: %2", "setting: fit")
                 .arg(coincidingSettingText(settingsOf(growth, group)), trendFitText(growth.lines[i], growth.measure)),
             {},
             Qt::NoPen,
             [scene = m_scene.get(), i](QPainter& painter, const QRectF& box) {
                 painter.setRenderHint(QPainter::Antialiasing);
                 scene->paintMarker(painter, i, box.center(), box.width());
             }});
    }
    m_legend->setEntries(std::move(entries));
    QString words = growth.values > 1 || (growth.values == 1 && growth.zero) ? growthText(growth) : QString();
    if (!words.isEmpty() && anyTooBusy(m_scene->sweep, growth.measure))
        words += tr("; some times are of a busy machine");
    m_growth->setText(words);
    m_growth->setVisible(!words.isEmpty());
}

QString SweepTrendView::summary() const
{
    const SweepGrowth& growth = m_scene->growth;
    if (growth.lines.empty())
        return tr("No trends.");
    QString text = growthText(growth) + u'.';
    for (const GrowthLine& line : growth.lines)
        text += QLatin1Char(' ') + sweepSettingText(line.trend.fixed) + QStringLiteral(": ") +
                trendFitText(line, growth.measure) + u'.';
    return text;
}

QString SweepTrendView::visibleDataTsv() const
{
    return QString::fromStdString(toTsv(growthTable(m_scene->growth)));
}

void SweepTrendView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    updateLegend();
}

} // namespace peakscope
