// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/sweep_heat_map_view.h"

#include "widgets/sweep/sweep_heat_chart.h"

#include <QComboBox>

#include <algorithm>

namespace peakscope {

namespace {

std::string dataOf(const QComboBox* box)
{
    return box->currentData().toString().toStdString();
}

void select(QComboBox* box, const std::string& value)
{
    if (const int index = box->findData(QString::fromStdString(value)); index >= 0)
        box->setCurrentIndex(index);
}

} // namespace

SweepHeatMapView::SweepHeatMapView(QWidget* parent)
    : ChartView([] { return tr("Heat map"); }, std::make_unique<SweepHeatChart>(), parent),
      m_chart(static_cast<SweepHeatChart&>(chart())), m_sweep(std::make_shared<const SweepDocument>())
{
    explain(
        [] {
            return tr("A cell is a point of the sweep, its colour the measure chosen above. Hatched: refused. Hollow: "
                      "predicted.");
        },
        "sweeps");
    // Each stands left of the one before.
    m_settingBox = addBox([] { return tr("Setting of the other keys"); });
    m_yBox = addBox([] { return tr("Upwards"); });
    m_xBox = addBox([] { return tr("Across"); });
    m_measureBox = addBox([] { return tr("Measure"); });
    connect(this, &ChartView::placeSelected, this, [this](QPointF place) {
        if (const auto point = m_chart.pointAt(place))
            emit pointSelected(static_cast<int>(*point));
    });
    connect(this, &ChartView::placeActivated, this, [this](QPointF place) {
        if (const auto point = m_chart.pointAt(place))
            emit pointActivated(static_cast<int>(*point));
    });
    // Boxes, axes and cells say their words; what was chosen in them stays.
    inLanguage(this, [this] {
        fillBoxes();
        rebuild();
    });
}

QComboBox* SweepHeatMapView::addBox(LanguageText name)
{
    QComboBox* box = sweepChoice(std::move(name), fontMetrics());
    addViewWidget(box);
    connect(box, &QComboBox::currentIndexChanged, this, [this, box] {
        if (m_filling)
            return;
        m_measureChosen = m_measureChosen || box == m_measureBox;
        if (box == m_xBox && dataOf(m_xBox) == dataOf(m_yBox))
            setAxes(dataOf(m_xBox), m_chart.map() ? m_chart.map()->keyX : std::string());
        else if (box == m_yBox && dataOf(m_xBox) == dataOf(m_yBox) && m_chart.map())
            setAxes(m_chart.map()->keyY, dataOf(m_yBox));
        else
            rebuild();
    });
    return box;
}

void SweepHeatMapView::setSweep(SweepDocument sweep)
{
    m_sweep = std::make_shared<const SweepDocument>(std::move(sweep));
    fillBoxes();
    rebuild();
}

void SweepHeatMapView::clear()
{
    setSweep({});
}

const SweepDocument& SweepHeatMapView::sweep() const
{
    return *m_sweep;
}

// Choices that the document still has are kept; new ones stand beside them.
void SweepHeatMapView::fillBoxes()
{
    m_filling = true;
    const std::string measure = dataOf(m_measureBox), x = dataOf(m_xBox), y = dataOf(m_yBox);
    const bool fresh = m_xBox->count() == 0;
    const auto [defaultX, defaultY] = defaultSweepAxes(*m_sweep);
    m_measureBox->clear();
    const std::vector<std::string> measures = sweepMeasures(*m_sweep);
    for (const std::string& each : measures)
        m_measureBox->addItem(sweepMeasureTitle(each), QString::fromStdString(each));
    const bool known = std::find(measures.begin(), measures.end(), measure) != measures.end();
    select(m_measureBox, m_measureChosen && known ? measure : firstMeasure(measures));
    m_xBox->clear();
    m_yBox->clear();
    const std::vector<std::string> axes = sweepAxes(*m_sweep);
    for (const std::string& axis : axes) {
        m_xBox->addItem(sweepKeyTitle(axis), QString::fromStdString(axis));
        m_yBox->addItem(sweepKeyTitle(axis), QString::fromStdString(axis));
    }
    if (axes.size() < 2) {
        m_yBox->clear();
        m_yBox->addItem(tr("One row"), QString());
    }
    const auto has = [&axes](const std::string& key) { return std::find(axes.begin(), axes.end(), key) != axes.end(); };
    const bool keep = !fresh && has(x) && (has(y) || axes.size() < 2) && x != y;
    select(m_xBox, keep ? x : defaultX);
    select(m_yBox, keep ? y : defaultY);
    m_filling = false;
}

void SweepHeatMapView::setAxes(const std::string& keyX, const std::string& keyY)
{
    m_filling = true;
    select(m_xBox, keyX);
    select(m_yBox, keyY);
    m_filling = false;
    rebuild();
}

void SweepHeatMapView::setMeasure(const std::string& measure)
{
    m_measureChosen = true;
    select(m_measureBox, measure);
}

std::string SweepHeatMapView::keyX() const
{
    return dataOf(m_xBox);
}

std::string SweepHeatMapView::keyY() const
{
    return dataOf(m_yBox);
}

std::string SweepHeatMapView::measure() const
{
    return dataOf(m_measureBox).empty() ? "peak_bytes" : dataOf(m_measureBox);
}

void SweepHeatMapView::rebuild()
{
    const std::optional<std::size_t> before = currentPoint();
    const bool sameAxes = m_chart.map() && m_chart.map()->keyX == keyX() && m_chart.map()->keyY == keyY();
    const auto heat = std::make_shared<const SweepHeat>(m_sweep, keyX(), keyY(), measure());
    const int chosen =
        std::clamp(m_settingBox->currentIndex(), 0, std::max(0, static_cast<int>(heat->maps.size()) - 1));
    const int shown = sameAxes ? chosen : 0;
    m_chart.show(heat, static_cast<std::size_t>(shown));
    m_filling = true;
    m_settingBox->clear();
    for (const SweepHeatMap& map : heat->maps)
        m_settingBox->addItem(sweepSettingText(map.fixed));
    m_settingBox->setCurrentIndex(shown);
    m_settingBox->setVisible(heat->maps.size() > 1);
    m_filling = false;
    setPlaceholder([none = m_chart.empty()] { return none ? tr("Shows the points of a sweep.") : QString(); });
    const auto points = [any = !m_chart.empty(), finished = m_sweep->finished(), all = m_sweep->points.size()] {
        return any && finished < all ? tr("%1 of %2 points").arg(finished).arg(all) : QString();
    };
    setBadge(points, false);
    setCurrent(before ? m_chart.placeOf(*before) : std::nullopt);
    showChart();
    if (!sameAxes)
        interaction()->startAnew();
}

std::optional<std::size_t> SweepHeatMapView::pointAt(QPointF position) const
{
    return m_chart.pointAt(placeAt(position));
}

std::optional<std::size_t> SweepHeatMapView::currentPoint() const
{
    return m_chart.pointAt(current());
}

} // namespace peakscope
