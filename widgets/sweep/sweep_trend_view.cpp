// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/sweep_trend_view.h"

#include "core/base/json_reader.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/mark_ticker.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/sweep/sweep_style.h"

#include "core/results/timed_round.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace peakscope {

namespace {

constexpr std::size_t kMostLines = 12;
constexpr std::size_t kLeastMarks = 3; // of an axis
// Okabe and Ito's colours, dark ones first; a dash pattern more for every round.
constexpr std::array<QRgb, 6> kLineColors{0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7, 0xffe69f00, 0xff56b4e9};

Qt::PenStyle lineStyle(std::size_t line)
{
    return line < kLineColors.size() ? Qt::SolidLine : Qt::DashLine;
}

} // namespace

struct SweepTrendScene {
    SweepDocument sweep;
    std::vector<SweepTrend> trends;
    std::vector<PowerLawFit> fits;
    std::string key, measure;
    ChartTheme theme;

    bool predicted() const { return isPredicted(measure); }

    QColor color(std::size_t line) const
    {
        const QColor own = QColor::fromRgb(kLineColors[line % kLineColors.size()]);
        return theme.dark ? mixed(own, QColor(Qt::white), 0.25) : own;
    }

    void paint(QPainter& painter, const PlotGeometry& geometry) const
    {
        painter.setRenderHint(QPainter::Antialiasing);
        const auto place = [&](double x, double y) {
            return QPointF(geometry.xPixel(std::log2(x)), geometry.yPixel(std::log10(y)));
        };
        for (std::size_t i = 0; i < trends.size(); ++i) {
            const SweepTrend& trend = trends[i];
            painter.setPen(QPen(color(i), 1.5, predicted() ? Qt::DashLine : lineStyle(i)));
            painter.setBrush(Qt::NoBrush);
            if (fits[i].usable())
                painter.drawPolyline(fitted(i, place));
            // What was predicted is hollow on a dashed line, as everywhere.
            painter.setPen(QPen(predicted() ? color(i) : theme.background, predicted() ? 1.5 : 1));
            painter.setBrush(predicted() ? theme.background : color(i));
            for (std::size_t p = 0; p < trend.x.size(); ++p)
                painter.drawEllipse(place(trend.x[p], trend.y[p]), 4, 4);
        }
    }

private:
    template <typename Place>
    QPolygonF fitted(std::size_t line, const Place& place) const
    {
        constexpr int kSteps = 64;
        QPolygonF curve;
        const double low = std::log2(trends[line].x.front()), high = std::log2(trends[line].x.back());
        for (int step = 0; step <= kSteps; ++step) {
            const double x = std::exp2(low + (high - low) * step / kSteps);
            if (const double y = fits[line].at(x); y > 0)
                curve << place(x, y);
        }
        return curve;
    }
};

namespace {

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
    const ByteScale byteUnit = byteScaleFor(to);
    const TimeScale timeUnit = timeScaleFor(from, to);
    const double unit = bytes ? byteUnit.bytes : timeUnit.seconds;
    marks = linearMarks(from / unit, to / unit, std::clamp(most, static_cast<int>(kLeastMarks) + 1, 6));
    for (AxisMark& mark : marks) {
        mark.place = std::log10(mark.place * unit);
        mark.label += QLatin1Char(' ') + (bytes ? byteUnit.unit : timeUnit.unit);
    }
    return marks;
}

// The key's own values; round ones where hardly one of them is visible.
std::vector<AxisMark> keyMarks(const std::string& key, const std::vector<SweepTrend>& trends, double low, double high,
                               int most)
{
    std::set<double> values;
    for (const SweepTrend& trend : trends)
        values.insert(trend.x.begin(), trend.x.end());
    std::vector<AxisMark> marks;
    for (const double value : values) {
        if (const double place = std::log2(value); place >= low && place <= high)
            marks.push_back({place, sweepValueText(value, key)});
    }
    if (marks.size() > 1 || values.size() < 2 || !(high > low))
        return marks;
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
    QCustomPlot* plot = this->plot();
    setMarks(plot->xAxis, [scene = m_scene.get()](double low, double high, int most) {
        return keyMarks(scene->key, scene->trends, low, high, most);
    });
    setMarks(plot->yAxis, [scene = m_scene.get()](double low, double high, int most) {
        return amountMarks(scene->measure, low, high, most);
    });
    addPaintedPlottable(plot->xAxis, plot->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    m_keyBox = addBox([] { return tr("Along"); });
    m_measureBox = addBox([] { return tr("Measure"); });
    m_legend = new LegendStrip;
    putUnder({m_legend});
    clear();
    inLanguage(this, [this] {
        fillBoxes(); // what was chosen in them stays
        labelAxes();
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
    return m_scene->key;
}

std::vector<PowerLawFit> SweepTrendView::fits() const
{
    return m_scene->fits;
}

void SweepTrendView::rebuild()
{
    SweepTrendScene& scene = *m_scene;
    scene.key = chosenIn(m_keyBox);
    scene.measure = chosenIn(m_measureBox).empty() ? "peak_bytes" : chosenIn(m_measureBox);
    scene.trends = scene.key.empty() ? std::vector<SweepTrend>() : sweepTrends(scene.sweep, scene.key, scene.measure);
    // A logarithm has no place for zeros.
    for (SweepTrend& trend : scene.trends) {
        for (std::size_t i = trend.x.size(); i-- > 0;) {
            if (!(trend.x[i] > 0) || !(trend.y[i] > 0)) {
                trend.x.erase(trend.x.begin() + static_cast<std::ptrdiff_t>(i));
                trend.y.erase(trend.y.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }
    std::erase_if(scene.trends, [](const SweepTrend& trend) { return trend.x.empty(); });
    const std::size_t all = scene.trends.size();
    scene.trends.resize(std::min(all, kMostLines));
    scene.fits.clear();
    PlotArea area{1e300, -1e300, 1e300, -1e300};
    for (const SweepTrend& trend : scene.trends) {
        scene.fits.push_back(fitOffsetPowerLaw(trend.x, trend.y));
        for (std::size_t i = 0; i < trend.x.size(); ++i) {
            area.x0 = std::min(area.x0, std::log2(trend.x[i]));
            area.x1 = std::max(area.x1, std::log2(trend.x[i]));
            area.y0 = std::min(area.y0, std::log10(trend.y[i]));
            area.y1 = std::max(area.y1, std::log10(trend.y[i]));
        }
    }
    setPlaceholder([none = scene.trends.empty()] {
        return none ? tr("Measured points along a numeric key stand here.") : QString();
    });
    if (!scene.trends.empty()) {
        const double x = 0.06 * std::max(0.5, area.x1 - area.x0);
        const double y = 0.08 * std::max(0.1, area.y1 - area.y0);
        area = {area.x0 - x, area.x1 + x, area.y0 - y, area.y1 + y};
        labelAxes();
        interaction()->setBounds(area);
        interaction()->startAnew();
    }
    setBadge([all] { return all > kMostLines ? tr("first %1 of %2 settings").arg(kMostLines).arg(all) : QString(); });
    updateLegend();
    contentChanged();
}

void SweepTrendView::labelAxes()
{
    plot()->xAxis->setLabel(sweepKeyTitle(m_scene->key));
    plot()->yAxis->setLabel(sweepMeasureTitle(m_scene->measure));
}

// "∝ x^1.98 (1.95 to 2.01) above 12.3 MiB".
QString SweepTrendView::fitText(std::size_t line) const
{
    const PowerLawFit& fit = m_scene->fits[line];
    const QLocale locale;
    if (!fit.usable())
        return tr("one point: no growth to fit");
    QString text = tr("grows with exponent %1").arg(locale.toString(fit.exponent, 'f', 2));
    text += std::isnan(fit.low)
                ? tr(" (two points: no interval)")
                : tr(" (95 %: %1 to %2)").arg(locale.toString(fit.low, 'f', 2), locale.toString(fit.high, 'f', 2));
    if (fit.offset > 0)
        text += tr(" above %1").arg(sweepNumberText(fit.offset, m_scene->measure));
    if (anyTooBusy(m_scene->sweep, m_scene->measure))
        text += tr("; some times are of a busy machine");
    return text;
}

void SweepTrendView::updateLegend()
{
    std::vector<LegendStrip::Entry> entries;
    for (std::size_t i = 0; i < m_scene->trends.size(); ++i) {
        entries.push_back({tr("%1: %2", "setting: fit").arg(sweepSettingText(m_scene->trends[i].fixed), fitText(i)),
                           m_scene->predicted() ? QBrush(Qt::NoBrush) : QBrush(m_scene->color(i)),
                           m_scene->predicted() ? QPen(m_scene->color(i), 1, Qt::DashLine) : QPen(Qt::NoPen)});
    }
    m_legend->setEntries(std::move(entries));
}

QString SweepTrendView::summary() const
{
    if (m_scene->trends.empty())
        return tr("No trends.");
    QString text = tr("%1 along %2.").arg(sweepMeasureTitle(m_scene->measure), sweepKeyTitle(m_scene->key));
    for (std::size_t i = 0; i < m_scene->trends.size(); ++i)
        text += QLatin1Char(' ') + sweepSettingText(m_scene->trends[i].fixed) + QLatin1Char(' ') + fitText(i) + u'.';
    return text;
}

QString SweepTrendView::visibleDataTsv() const
{
    Table table{"trends",
                {{"setting", ""}, {m_scene->key, ""}, {m_scene->measure, sweepUnit(m_scene->measure)}, {"fit", ""}},
                {}};
    for (std::size_t i = 0; i < m_scene->trends.size(); ++i) {
        const SweepTrend& trend = m_scene->trends[i];
        for (std::size_t p = 0; p < trend.x.size(); ++p)
            table.rows.push_back({sweepSetting(trend.fixed), trend.x[p], trend.y[p], m_scene->fits[i].at(trend.x[p])});
    }
    return QString::fromStdString(toTsv(table));
}

void SweepTrendView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    updateLegend();
}

} // namespace peakscope
