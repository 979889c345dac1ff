// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sweep/sweep_heat_map_view.h"

#include "widgets/plot/legend_strip.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/readout_label.h"
#include "widgets/sweep/sweep_style.h"

#include "core/results/sweeps/timed_round.h"
#include "core/results/tables.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace peakscope {

// What the plottable paints and the boxes choose from.
struct SweepHeatScene {
    SweepDocument sweep;
    std::vector<SweepHeatMap> maps; // one a setting of the other keys
    std::size_t shown = 0;
    std::string measure;
    SweepColorScale scale; // of all settings, so that they compare
    ChartTheme theme;
    QFont font;
    std::optional<std::size_t> hovered, current; // cells of the shown map

    bool empty() const { return maps.empty(); }
    const SweepHeatMap& map() const { return maps[shown]; }

    std::optional<std::size_t> cellAt(double x, double y) const
    {
        if (empty() || x < 0 || y < 0)
            return std::nullopt;
        const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
        if (column >= map().x.size() || row >= map().y.size())
            return std::nullopt;
        return row * map().x.size() + column;
    }

    void paint(QPainter& painter, const PlotGeometry& geometry) const
    {
        painter.setFont(font);
        for (std::size_t row = 0; !empty() && row < map().y.size(); ++row) {
            for (std::size_t column = 0; column < map().x.size(); ++column) {
                const auto x = static_cast<double>(column), y = static_cast<double>(row);
                const QRectF box = QRectF(QPointF(geometry.xPixel(x), geometry.yPixel(y + 1)),
                                          QPointF(geometry.xPixel(x + 1), geometry.yPixel(y)))
                                       .normalized();
                paintCell(painter, box, row * map().x.size() + column);
            }
        }
    }

    static Qt::BrushStyle style(Hatch hatch)
    {
        switch (hatch) {
        case Hatch::Crossed:
            return Qt::DiagCrossPattern;
        case Hatch::Rising:
            return Qt::BDiagPattern;
        case Hatch::Horizontal:
            return Qt::HorPattern;
        default:
            return Qt::NoBrush;
        }
    }

private:
    void paintCell(QPainter& painter, const QRectF& box, std::size_t index) const
    {
        const SweepCell& cell = map().cells[index];
        if (cell.state == SweepCellState::Missing)
            return;
        const SweepCellLook look = sweepCellLook(cell, scale, theme.background, theme.text);
        const QRectF inside = box.adjusted(1, 1, -1, -1);
        painter.fillRect(inside, look.fill);
        if (look.hatch != Hatch::None)
            painter.fillRect(inside, QBrush(look.hatchColor, style(look.hatch)));
        painter.setBrush(Qt::NoBrush);
        if (look.framed || look.dashed) {
            painter.setPen(QPen(look.framed ? theme.warning : theme.mutedText, look.framed ? 2 : 1,
                                look.dashed ? Qt::DashLine : Qt::SolidLine));
            painter.drawRect(inside.adjusted(1, 1, -1, -1));
        }
        paintText(painter, inside, cell, look);
        if (index == hovered || index == current) {
            painter.setPen(QPen(theme.accent, index == current ? 3 : 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(inside);
        }
    }

    void paintText(QPainter& painter, const QRectF& inside, const SweepCell& cell, const SweepCellLook& look) const
    {
        const QFontMetricsF metrics(font);
        QString text = look.mark;
        if (look.number && cell.value)
            text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + sweepNumberText(*cell.value, measure);
        if (metrics.horizontalAdvance(text) + 4 > inside.width())
            text = look.mark;
        if (text.isEmpty() || metrics.height() > inside.height() ||
            metrics.horizontalAdvance(text) + 4 > inside.width())
            return;
        QRectF place(0, 0, metrics.horizontalAdvance(text) + 4, metrics.height());
        place.moveCenter(inside.center());
        if (look.hatch != Hatch::None)
            painter.fillRect(place, look.fill);
        painter.setPen(look.ink);
        painter.drawText(place, Qt::AlignCenter, text);
    }
};

namespace {

// Ticks at the middle of the cells; every n-th where labels would touch.
class CellTicker : public QCPAxisTicker
{
public:
    CellTicker(const QCPAxis* axis, const SweepHeatScene* scene, bool across)
        : m_axis(axis), m_scene(scene), m_across(across)
    {}

protected:
    double getTickStep(const QCPRange&) override { return 1; }
    int getSubTickCount(double) override { return 0; }

    QVector<double> createTickVector(double, const QCPRange& range) override
    {
        const QFontMetricsF metrics(m_axis->tickLabelFont());
        const double length = m_across ? m_axis->axisRect()->width() : m_axis->axisRect()->height();
        QVector<double> ticks;
        double free = -1e9;
        for (std::size_t i = 0; i < values().size(); ++i) {
            const double place = static_cast<double>(i) + 0.5;
            const double room = m_across ? metrics.horizontalAdvance(text(i)) + 8 : metrics.height() + 2;
            const double pixel = place / std::max(range.size(), 1e-9) * length;
            if (range.contains(place) && pixel - room / 2 >= free) {
                ticks << place;
                free = pixel + room / 2;
            }
        }
        return ticks;
    }

    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        const auto index = static_cast<std::size_t>(tick);
        return index < values().size() ? text(index) : QString();
    }

private:
    QString text(std::size_t i) const
    {
        return sweepValueText(values()[i], m_across ? m_scene->map().keyX : m_scene->map().keyY);
    }

    const std::vector<nlohmann::json>& values() const
    {
        static const std::vector<nlohmann::json> kNone;
        return m_scene->empty() ? kNone : m_across ? m_scene->map().x : m_scene->map().y;
    }

    const QCPAxis* m_axis;
    const SweepHeatScene* m_scene;
    bool m_across;
};

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
    : PlotView([] { return tr("Heat map"); }, parent), m_scene(std::make_unique<SweepHeatScene>())
{
    explain(
        [] {
            return tr("A cell is a point of the sweep, its colour the measure chosen above. Hatched: refused. Hollow: "
                      "predicted.");
        },
        "sweeps");
    QCustomPlot* plot = this->plot();
    plot->xAxis->setTicker(QSharedPointer<CellTicker>::create(plot->xAxis, m_scene.get(), true));
    plot->yAxis->setTicker(QSharedPointer<CellTicker>::create(plot->yAxis, m_scene.get(), false));
    for (QCPAxis* axis : {plot->xAxis, plot->yAxis})
        axis->grid()->setVisible(false);
    addPaintedPlottable(plot->xAxis, plot->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    // Each stands left of the one before.
    m_settingBox = addBox([] { return tr("Setting of the other keys"); });
    m_yBox = addBox([] { return tr("Upwards"); });
    m_xBox = addBox([] { return tr("Across"); });
    m_measureBox = addBox([] { return tr("Measure"); });
    m_readout = new QLabel;
    makeReadout(m_readout, 2, fontMetrics(), [] { return tr("Values of the cell"); });
    m_legend = new LegendStrip;
    putUnder({m_readout, m_legend});
    plot->installEventFilter(this);
    // Boxes, axes and cells say their words; what was chosen in them stays.
    inLanguage(this, [this] {
        fillBoxes();
        rebuild();
    });
}

SweepHeatMapView::~SweepHeatMapView() = default;

QComboBox* SweepHeatMapView::addBox(LanguageText name)
{
    QComboBox* box = sweepChoice(std::move(name), fontMetrics());
    addViewWidget(box);
    connect(box, &QComboBox::currentIndexChanged, this, [this, box] {
        if (m_filling)
            return;
        m_measureChosen = m_measureChosen || box == m_measureBox;
        if (box == m_xBox && dataOf(m_xBox) == dataOf(m_yBox))
            setAxes(dataOf(m_xBox), m_scene->empty() ? std::string() : m_scene->map().keyX);
        else if (box == m_yBox && dataOf(m_xBox) == dataOf(m_yBox) && !m_scene->empty())
            setAxes(m_scene->map().keyY, dataOf(m_yBox));
        else
            rebuild();
    });
    return box;
}

void SweepHeatMapView::setSweep(SweepDocument sweep)
{
    m_scene->sweep = std::move(sweep);
    fillBoxes();
    rebuild();
}

void SweepHeatMapView::clear()
{
    m_scene->sweep = {};
    fillBoxes();
    rebuild();
}

const SweepDocument& SweepHeatMapView::sweep() const
{
    return m_scene->sweep;
}

// Choices that the document still has are kept; new ones stand beside them.
void SweepHeatMapView::fillBoxes()
{
    m_filling = true;
    const std::string measure = dataOf(m_measureBox), x = dataOf(m_xBox), y = dataOf(m_yBox);
    const bool fresh = m_xBox->count() == 0;
    const auto [defaultX, defaultY] = defaultSweepAxes(m_scene->sweep);
    m_measureBox->clear();
    const std::vector<std::string> measures = sweepMeasures(m_scene->sweep);
    for (const std::string& each : measures)
        m_measureBox->addItem(sweepMeasureTitle(each), QString::fromStdString(each));
    const bool known = std::find(measures.begin(), measures.end(), measure) != measures.end();
    select(m_measureBox, m_measureChosen && known ? measure : firstMeasure(measures));
    m_xBox->clear();
    m_yBox->clear();
    const std::vector<std::string> axes = sweepAxes(m_scene->sweep);
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
    return m_scene->measure;
}

void SweepHeatMapView::rebuild()
{
    SweepHeatScene& scene = *m_scene;
    const std::optional<std::size_t> before = currentPoint();
    const bool sameAxes = !scene.empty() && scene.map().keyX == keyX() && scene.map().keyY == keyY();
    const nlohmann::json setting = scene.empty() ? nlohmann::json::object() : scene.map().fixed;
    const std::size_t chosen =
        sameAxes ? static_cast<std::size_t>(std::max(0, m_settingBox->currentIndex())) : std::size_t{0};
    const std::size_t rows = scene.empty() ? 0 : scene.map().y.size(),
                      columns = scene.empty() ? 0 : scene.map().x.size();
    scene.measure = dataOf(m_measureBox).empty() ? "peak_bytes" : dataOf(m_measureBox);
    scene.maps =
        keyX().empty() ? std::vector<SweepHeatMap>() : sweepHeatMaps(scene.sweep, keyX(), keyY(), scene.measure);
    scene.scale = sweepColorScale(scene.maps, scene.measure);
    scene.shown = std::min(chosen, scene.maps.empty() ? 0 : scene.maps.size() - 1);
    scene.hovered.reset();
    scene.current.reset();
    m_filling = true;
    m_settingBox->clear();
    for (const SweepHeatMap& map : scene.maps)
        m_settingBox->addItem(sweepSettingText(map.fixed));
    m_settingBox->setCurrentIndex(static_cast<int>(scene.shown));
    m_settingBox->setVisible(scene.maps.size() > 1);
    m_filling = false;
    for (std::size_t i = 0; before && !scene.empty() && i < scene.map().cells.size(); ++i) {
        if (scene.map().cells[i].state != SweepCellState::Missing && scene.map().cells[i].point == *before)
            scene.current = i;
    }
    setPlaceholder([none = scene.empty()] { return none ? tr("Shows the points of a sweep.") : QString(); });
    if (!scene.empty()) {
        plot()->xAxis->setLabel(sweepKeyTitle(scene.map().keyX));
        plot()->yAxis->setLabel(scene.map().keyY.empty() ? QString() : sweepKeyTitle(scene.map().keyY));
        plot()->yAxis->setTickLabels(!scene.map().keyY.empty());
        interaction()->setBounds(
            {0, static_cast<double>(scene.map().x.size()), 0, static_cast<double>(scene.map().y.size())});
        if (!sameAxes || rows != scene.map().y.size() || columns != scene.map().x.size())
            interaction()->startAnew();
    }
    const auto points = [any = !scene.empty(), finished = scene.sweep.finished(), all = scene.sweep.points.size()] {
        return any && finished < all ? tr("%1 of %2 points").arg(finished).arg(all) : QString();
    };
    setBadge(points, false);
    updateLegend();
    updateReadout();
    contentChanged();
}

void SweepHeatMapView::updateLegend()
{
    std::vector<LegendStrip::Entry> entries;
    const SweepHeatScene& scene = *m_scene;
    if (!scene.scale.empty) {
        constexpr int kSteps = 5;
        for (int i = 0; i < (scene.scale.high > scene.scale.low ? kSteps : 1); ++i) {
            const double share = i / static_cast<double>(kSteps - 1);
            const double value = scene.scale.logarithmic
                                     ? scene.scale.low * std::pow(scene.scale.high / scene.scale.low, share)
                                     : scene.scale.low + (scene.scale.high - scene.scale.low) * share;
            entries.push_back({sweepNumberText(value, scene.measure), scene.scale.color(value), Qt::NoPen});
        }
    }
    const auto shown = scene.empty() ? std::span<const SweepHeatMap>() : std::span(&scene.map(), 1);
    for (const auto& [text, look] :
         sweepLegend(shown, scene.scale, scene.sweep.dry(), scene.theme.background, scene.theme.text)) {
        const bool plain = look.hatch == Hatch::None;
        entries.push_back({text, plain ? QBrush(look.fill) : QBrush(look.hatchColor, SweepHeatScene::style(look.hatch)),
                           QPen(look.framed ? scene.theme.warning : scene.theme.mutedText, 1,
                                look.dashed ? Qt::DashLine : Qt::SolidLine)});
    }
    m_legend->setEntries(std::move(entries));
}

std::optional<std::size_t> SweepHeatMapView::pointAt(QPointF position) const
{
    if (m_scene->empty() || !plot()->axisRect()->rect().contains(position.toPoint()))
        return std::nullopt;
    const auto cell =
        m_scene->cellAt(plot()->xAxis->pixelToCoord(position.x()), plot()->yAxis->pixelToCoord(position.y()));
    if (!cell || m_scene->map().cells[*cell].state == SweepCellState::Missing)
        return std::nullopt;
    return m_scene->map().cells[*cell].point;
}

std::optional<std::size_t> SweepHeatMapView::currentPoint() const
{
    if (m_scene->empty() || !m_scene->current)
        return std::nullopt;
    return m_scene->map().cells[*m_scene->current].point;
}

QString SweepHeatMapView::readout() const
{
    return m_readout->text();
}

// "Sequence (tokens): 128, Batch (rows): 4 – Peak memory: 12.3 MiB (measured; predicted 12.2 MiB)".
QString SweepHeatMapView::textOf(std::size_t index) const
{
    const SweepPoint& point = m_scene->sweep.points[index];
    QString text = sweepSettingText(point.values) + QStringLiteral(" – ");
    const auto value = sweepValue(point, m_scene->measure);
    const QString state = sweepStateTitle(point.state(), m_scene->sweep.dry());
    if (isPredicted(m_scene->measure) && value) {
        text += tr("%1: %2, not measured", "measure: value")
                    .arg(sweepMeasureTitle(m_scene->measure), sweepNumberText(*value, m_scene->measure));
    } else if (point.state() == SweepCellState::Measured && value) {
        text +=
            (m_scene->sweep.dry() ? tr("%1: %2, dry run", "measure: value") : tr("%1: %2, measured", "measure: value"))
                .arg(sweepMeasureTitle(m_scene->measure), sweepNumberText(*value, m_scene->measure));
        if (m_scene->measure == "median_step_seconds" && point.spreadSeconds)
            text += tr(" (spread %1 over %2 steps%3)")
                        .arg(sweepNumberText(*point.spreadSeconds, "spread_seconds"))
                        .arg(point.stepSeconds.size())
                        .arg(point.traced ? tr(", with tracing") : QString());
        if (m_scene->measure == "median_step_seconds" && tooBusy(roundsFromJson(point.other)))
            text += tr(", on a machine too busy to compare times");
    } else {
        text += state;
        if (point.neededBytes)
            text += tr(", needed %1 when it was refused")
                        .arg(sweepNumberText(static_cast<double>(*point.neededBytes), "needed_bytes"));
    }
    if (m_scene->measure == "peak_bytes" && point.predictedPeakBytes)
        text += tr("; predicted %1")
                    .arg(sweepNumberText(static_cast<double>(*point.predictedPeakBytes), "predicted_peak_bytes"));
    if (!point.message.empty() && point.state() != SweepCellState::Measured)
        text += QStringLiteral(". ") + QString::fromStdString(point.message);
    return text;
}

void SweepHeatMapView::updateReadout()
{
    const auto cell = m_scene->hovered ? m_scene->hovered : m_scene->current;
    if (m_scene->empty()) {
        m_readout->setText(QString());
        return;
    }
    if (cell && m_scene->map().cells[*cell].state != SweepCellState::Missing) {
        m_readout->setText(textOf(m_scene->map().cells[*cell].point));
        return;
    }
    m_readout->setText(tr("Point at a cell for its values; a double click opens its run."));
}

QString SweepHeatMapView::summary() const
{
    if (m_scene->empty())
        return tr("No sweep.");
    const auto over =
        std::count_if(m_scene->sweep.points.begin(), m_scene->sweep.points.end(), [](const SweepPoint& p) {
            return p.state() == SweepCellState::OverBudget || p.state() == SweepCellState::PredictedOverBudget;
        });
    QString text = tr("Heat map of %1 over %2 and %3: %4 points, %5 of them finished, %6 over the budget.")
                       .arg(sweepMeasureTitle(m_scene->measure), sweepKeyTitle(m_scene->map().keyX),
                            sweepKeyTitle(m_scene->map().keyY))
                       .arg(m_scene->sweep.points.size())
                       .arg(m_scene->sweep.finished())
                       .arg(over);
    if (!m_scene->scale.empty)
        text += QLatin1Char(' ') +
                (m_scene->scale.predicted ? tr("Predicted from %1 to %2.") : tr("Measured from %1 to %2."))
                    .arg(sweepNumberText(m_scene->scale.low, m_scene->measure),
                         sweepNumberText(m_scene->scale.high, m_scene->measure));
    return text;
}

QString SweepHeatMapView::visibleDataTsv() const
{
    return QString::fromStdString(toTsv(sweepPointsTable(m_scene->sweep)));
}

void SweepHeatMapView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    m_scene->font = font();
    updateLegend();
}

bool SweepHeatMapView::moveCurrent(int columns, int rows)
{
    SweepHeatScene& scene = *m_scene;
    if (scene.empty())
        return false;
    const auto width = static_cast<int>(scene.map().x.size()), height = static_cast<int>(scene.map().y.size());
    const int at = scene.current ? static_cast<int>(*scene.current) : 0;
    const int column = std::clamp(at % width + (scene.current ? columns : 0), 0, width - 1);
    const int row = std::clamp(at / width + (scene.current ? rows : 0), 0, height - 1);
    scene.current = static_cast<std::size_t>(row * width + column);
    scene.hovered.reset();
    updateReadout();
    contentChanged();
    if (scene.map().cells[*scene.current].state != SweepCellState::Missing)
        emit pointSelected(static_cast<int>(scene.map().cells[*scene.current].point));
    return true;
}

bool SweepHeatMapView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return PlotView::eventFilter(watched, event);
    const auto cellUnder = [this](const QEvent* e) -> std::optional<std::size_t> {
        const QPointF at = static_cast<const QMouseEvent*>(e)->position();
        if (m_scene->empty() || !plot()->axisRect()->rect().contains(at.toPoint()))
            return std::nullopt;
        return m_scene->cellAt(plot()->xAxis->pixelToCoord(at.x()), plot()->yAxis->pixelToCoord(at.y()));
    };
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::Leave) {
        const auto cell = event->type() == QEvent::MouseMove ? cellUnder(event) : std::nullopt;
        if (cell != m_scene->hovered) {
            m_scene->hovered = cell;
            updateReadout();
            plot()->replot(QCustomPlot::rpQueuedReplot);
        }
    } else if (event->type() == QEvent::MouseButtonPress &&
               static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) {
        if (const auto cell = cellUnder(event)) {
            m_scene->current = cell;
            updateReadout();
            contentChanged();
            if (const auto point = currentPoint();
                point && m_scene->map().cells[*cell].state != SweepCellState::Missing)
                emit pointSelected(static_cast<int>(*point));
        }
    } else if (event->type() == QEvent::MouseButtonDblClick) {
        if (const auto cell = cellUnder(event); cell && m_scene->map().cells[*cell].state != SweepCellState::Missing) {
            emit pointActivated(static_cast<int>(m_scene->map().cells[*cell].point));
            return true;
        }
    } else if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::ControlModifier) {
            const int columns = key->key() == Qt::Key_Right ? 1 : key->key() == Qt::Key_Left ? -1 : 0;
            const int rows = key->key() == Qt::Key_Up ? 1 : key->key() == Qt::Key_Down ? -1 : 0;
            if ((columns != 0 || rows != 0) && moveCurrent(columns, rows))
                return true;
        }
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && currentPoint()) {
            emit pointActivated(static_cast<int>(*currentPoint()));
            return true;
        }
    }
    return PlotView::eventFilter(watched, event);
}

} // namespace peakscope
