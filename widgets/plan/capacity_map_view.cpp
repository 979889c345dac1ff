// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/capacity_map_view.h"

#include "widgets/plan/capacity_map_scene.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/readout_label.h"
#include "widgets/text/bytes_text.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QLabel>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

QString number(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

// Ticks at the axis's values; every n-th where they are closer than their labels.
class ValueTicker : public QCPAxisTicker
{
public:
    ValueTicker(const QCPAxis* axis, const LogAxis* values) : m_axis(axis), m_values(values) {}

protected:
    double getTickStep(const QCPRange&) override { return 1; }
    int getSubTickCount(double) override { return 0; }

    QVector<double> createTickVector(double, const QCPRange& range) override
    {
        const QFontMetricsF metrics(m_axis->tickLabelFont());
        const bool across = m_axis->orientation() == Qt::Horizontal;
        const double length = across ? m_axis->axisRect()->width() : m_axis->axisRect()->height();
        QVector<double> ticks;
        double last = -1e9;
        for (std::size_t i = 0; i < m_values->size(); ++i) {
            const double place = m_values->centre(i);
            const double room =
                across ? metrics.horizontalAdvance(number(m_values->value(i))) + 8 : metrics.height() + 2;
            if (range.contains(place) && (place - last) / std::max(range.size(), 1e-9) * length >= room) {
                ticks << place;
                last = place;
            }
        }
        return ticks;
    }

    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        return number(std::llround(std::exp2(tick)));
    }

private:
    const QCPAxis* m_axis;
    const LogAxis* m_values;
};

} // namespace

CapacityMapView::CapacityMapView(QWidget* parent)
    : PlotView([] { return tr("Capacity map"); }, parent), m_scene(std::make_unique<CapacityScene>())
{
    explain(
        [] {
            return tr("A cell is a batch and a sequence length, coloured by whether the peak fits. The line is the "
                      "last that fits.");
        },
        "planning");
    QCustomPlot* plot = this->plot();
    plot->xAxis->setTicker(QSharedPointer<ValueTicker>::create(plot->xAxis, &m_scene->sequences));
    plot->yAxis->setTicker(QSharedPointer<ValueTicker>::create(plot->yAxis, &m_scene->batches));
    inLanguage(this, [plot] {
        plot->xAxis->setLabel(tr("Sequence (tokens)"));
        plot->yAxis->setLabel(tr("Batch (rows)"));
    });
    for (QCPAxis* axis : {plot->xAxis, plot->yAxis})
        axis->grid()->setVisible(false);
    addPaintedPlottable(plot->xAxis, plot->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    m_readout = new QLabel;
    makeReadout(m_readout, 2, fontMetrics(), [] { return tr("Values of the cell"); });
    m_legend = new LegendStrip;
    putUnder({m_readout, m_legend});
    plot->installEventFilter(this);
    clear();
}

CapacityMapView::~CapacityMapView() = default;

void CapacityMapView::setMap(PlannedMap map, const PlannedDevice& device)
{
    const auto keep = currentCell();
    const bool sameAxes = map.sequences == m_scene->map.sequences && map.batches == m_scene->map.batches;
    m_scene->map = std::move(map);
    m_scene->device = device;
    m_scene->sequences = LogAxis(m_scene->map.sequences);
    m_scene->batches = LogAxis(m_scene->map.batches);
    m_scene->hovered.reset();
    m_scene->current.reset();
    if (keep)
        setCurrentCell(keep->first, keep->second);
    setPlaceholder([none = m_scene->empty()] { return none ? tr("No capacity map for this strategy.") : QString(); });
    interaction()->setBounds(
        {m_scene->sequences.first(), m_scene->sequences.last(), m_scene->batches.first(), m_scene->batches.last()});
    if (!sameAxes)
        interaction()->startAnew();
    updateLegend();
    updateReadout();
    contentChanged();
}

void CapacityMapView::clear()
{
    m_scene->map = {};
    m_scene->sequences = {};
    m_scene->batches = {};
    m_scene->hovered.reset();
    m_scene->current.reset();
    setPlaceholder([] { return tr("Shows which batch fits at which sequence length, once strategies are ranked."); });
    updateLegend();
    updateReadout();
}

const PlannedMap& CapacityMapView::map() const
{
    return m_scene->map;
}

std::optional<std::pair<std::int64_t, std::int64_t>> CapacityMapView::cellAt(QPointF point) const
{
    if (!plot()->axisRect()->rect().contains(point.toPoint()))
        return std::nullopt;
    const auto cell = m_scene->cellAt(plot()->xAxis->pixelToCoord(point.x()), plot()->yAxis->pixelToCoord(point.y()));
    if (!cell)
        return std::nullopt;
    return std::pair(m_scene->sequenceOf(*cell), m_scene->batchOf(*cell));
}

QPointF CapacityMapView::cellCentre(std::int64_t sequence, std::int64_t batch) const
{
    return {plot()->xAxis->coordToPixel(std::log2(static_cast<double>(sequence))),
            plot()->yAxis->coordToPixel(std::log2(static_cast<double>(batch)))};
}

std::optional<std::pair<std::int64_t, std::int64_t>> CapacityMapView::currentCell() const
{
    if (!m_scene->current)
        return std::nullopt;
    return std::pair(m_scene->sequenceOf(*m_scene->current), m_scene->batchOf(*m_scene->current));
}

void CapacityMapView::setCurrentCell(qint64 sequence, qint64 batch)
{
    const auto s = m_scene->sequences.indexOf(sequence);
    const auto b = m_scene->batches.indexOf(batch);
    m_scene->current = s && b ? std::optional(m_scene->map.cell(*s, *b)) : std::nullopt;
    updateReadout();
    contentChanged();
}

QString CapacityMapView::readout() const
{
    return m_readout->text();
}

// What stands in the read-out while no cell is pointed at.
QString CapacityMapView::hint() const
{
    const PlannedMap& map = m_scene->map;
    const auto fits = [](std::int64_t batch) { return batch > 0; };
    const auto first = std::find_if(map.frontier.begin(), map.frontier.end(), fits);
    const auto last = std::find_if(map.frontier.rbegin(), map.frontier.rend(), fits);
    const QString more = tr("Point at a cell for its bytes; a double click offers it as a run.");
    if (first == map.frontier.end())
        return tr("No batch fits at any sequence length.") + QLatin1Char(' ') + more;
    const auto sequence = [&map](std::ptrdiff_t index) {
        return number(map.sequences[static_cast<std::size_t>(index)]);
    };
    return tr("Largest batch that fits: %1 at sequence %2, %3 at %4.")
               .arg(number(*first), sequence(first - map.frontier.begin()), number(*last),
                    sequence(map.frontier.rend() - last - 1)) +
           QLatin1Char(' ') + more;
}

void CapacityMapView::updateReadout()
{
    const auto cell = m_scene->hovered ? m_scene->hovered : m_scene->current;
    if (!cell) {
        m_readout->setText(m_scene->empty() ? QString() : hint());
        return;
    }
    const PlannedMap& map = m_scene->map;
    const std::int64_t sequence = m_scene->sequenceOf(*cell);
    QString text = tr("Batch %1 × sequence %2: ").arg(number(m_scene->batchOf(*cell)), number(sequence));
    if (!map.possible(*cell)) {
        text += tr("the model's positions end before.");
    } else {
        const std::int64_t margin = m_scene->device.capacityBytes() - map.reservedBytes[*cell];
        const QString left =
            margin >= 0 ? tr("%1 left").arg(bytesText(margin)) : tr("%1 missing").arg(bytesText(-margin));
        text += tr("predicted %1 peak, %2 reserved – %3, %4.")
                    .arg(bytesText(map.peakBytes[*cell]), bytesText(map.reservedBytes[*cell]),
                         verdictTitle(map.verdicts[*cell]).toLower(), left);
    }
    if (const MeasuredCell* measured = m_scene->measuredAt(*cell)) {
        text += QLatin1Char(' ') + tr("Measured: %1 peak").arg(bytesText(measured->peakBytes));
        if (map.possible(*cell) && measured->peakBytes > 0) {
            const double error = static_cast<double>(map.peakBytes[*cell] - measured->peakBytes) /
                                 static_cast<double>(measured->peakBytes);
            text += tr(" (prediction %1 %)")
                        .arg((error >= 0 ? QStringLiteral("+") : QString()) + QLocale().toString(100 * error, 'f', 1));
        }
        text += measured->device.empty() ? QStringLiteral(".")
                                         : tr(" on %1.").arg(QString::fromStdString(measured->device));
    }
    const std::size_t row = *cell / map.batches.size();
    if (row < map.frontier.size() && map.possible(*cell))
        text +=
            QLatin1Char(' ') +
            (map.frontier[row] > 0 ? tr("At this length batch %1 is the most that fits.").arg(number(map.frontier[row]))
                                   : tr("At this length no batch fits."));
    m_readout->setText(text);
}

void CapacityMapView::updateLegend()
{
    const ChartTheme theme = chartTheme(palette());
    const PlannedMap& map = m_scene->map;
    std::array<bool, kVerdictCount> present{};
    bool impossible = false;
    for (std::size_t cell = 0; cell < map.verdicts.size(); ++cell) {
        if (map.possible(cell))
            present[static_cast<std::size_t>(map.verdicts[cell])] = true;
        else
            impossible = true;
    }
    std::vector<LegendStrip::Entry> entries;
    for (std::size_t i = 0; i < kVerdictCount; ++i) {
        const auto verdict = static_cast<Verdict>(i);
        if (present[i])
            entries.push_back({verdictTitle(verdict), predictedBrush(verdictFill(verdict), theme, 0.4),
                               QPen(verdictFill(verdict), 1)});
    }
    if (!entries.empty())
        entries.push_back({frontierTitle(), theme.warning, Qt::NoPen});
    if (impossible)
        entries.push_back({beyondPositionsTitle(), Qt::NoBrush, Qt::NoPen});
    if (!map.measured.empty())
        entries.push_back({tr("Solid with a frame: measured"), theme.mutedText, QPen(theme.text, 2)});
    if (!entries.empty())
        entries.push_back(
            {tr("Hatched: predicted"), predictedBrush(theme.mutedText, theme, 0.4), QPen(theme.mutedText, 1)});
    m_legend->setEntries(std::move(entries));
}

void CapacityMapView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    m_scene->font = font();
    updateLegend();
    updateReadout();
}

bool CapacityMapView::moveCurrent(int sequences, int batches)
{
    if (m_scene->empty())
        return false;
    const auto rows = static_cast<int>(m_scene->map.sequences.size());
    const auto columns = static_cast<int>(m_scene->map.batches.size());
    int s = 0;
    int b = 0;
    if (m_scene->current) {
        s = std::clamp(static_cast<int>(*m_scene->current) / columns + sequences, 0, rows - 1);
        b = std::clamp(static_cast<int>(*m_scene->current) % columns + batches, 0, columns - 1);
    }
    m_scene->hovered.reset();
    setCurrentCell(m_scene->map.sequences[static_cast<std::size_t>(s)],
                   m_scene->map.batches[static_cast<std::size_t>(b)]);
    emit cellSelected(currentCell()->first, currentCell()->second);
    return true;
}

// Ctrl+arrows walk over the cells: plain arrows pan, as in every plot.
bool CapacityMapView::handleKey(int key, Qt::KeyboardModifiers modifiers)
{
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_scene->current) {
        emit cellActivated(currentCell()->first, currentCell()->second);
        return true;
    }
    if (!(modifiers & Qt::ControlModifier))
        return false;
    switch (key) {
    case Qt::Key_Left:
        return moveCurrent(-1, 0);
    case Qt::Key_Right:
        return moveCurrent(1, 0);
    case Qt::Key_Up:
        return moveCurrent(0, 1);
    case Qt::Key_Down:
        return moveCurrent(0, -1);
    default:
        return false;
    }
}

bool CapacityMapView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return PlotView::eventFilter(watched, event);
    const auto cellUnder = [this, event]() -> std::optional<std::size_t> {
        const QPointF point = static_cast<QMouseEvent*>(event)->position();
        if (!plot()->axisRect()->rect().contains(point.toPoint()))
            return std::nullopt;
        return m_scene->cellAt(plot()->xAxis->pixelToCoord(point.x()), plot()->yAxis->pixelToCoord(point.y()));
    };
    switch (event->type()) {
    case QEvent::MouseMove: {
        const auto cell = cellUnder();
        if (cell != m_scene->hovered) {
            m_scene->hovered = cell;
            updateReadout();
            contentChanged();
        }
        return false;
    }
    case QEvent::Leave:
        m_scene->hovered.reset();
        updateReadout();
        contentChanged();
        return false;
    case QEvent::MouseButtonDblClick:
        if (const auto cell = cellUnder()) {
            emit cellActivated(m_scene->sequenceOf(*cell), m_scene->batchOf(*cell));
            return true; // elsewhere a double click shows everything
        }
        return false;
    case QEvent::MouseButtonRelease: {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        // A press that did not become a drag selects the cell.
        if (mouse->button() != Qt::LeftButton || mouse->modifiers() != Qt::NoModifier || interaction()->isDragging())
            return false;
        if (const auto cell = cellUnder()) {
            setCurrentCell(m_scene->sequenceOf(*cell), m_scene->batchOf(*cell));
            emit cellSelected(m_scene->sequenceOf(*cell), m_scene->batchOf(*cell));
        }
        return false;
    }
    case QEvent::KeyPress: {
        const auto* key = static_cast<QKeyEvent*>(event);
        return handleKey(key->key(), key->modifiers());
    }
    default:
        return false;
    }
}

QString CapacityMapView::summary() const
{
    const PlannedMap& map = m_scene->map;
    if (m_scene->empty())
        return tr("No map.");
    QStringList parts;
    for (std::size_t s = 0; s < map.sequences.size() && s < map.frontier.size(); ++s) {
        if (map.frontier[s] > 0)
            parts << tr("%1 at %2", "batch at sequence").arg(number(map.frontier[s]), number(map.sequences[s]));
    }
    const QString most = parts.isEmpty()
                             ? tr("No batch fits at any sequence length.")
                             : tr("Largest batch that fits, by sequence length: %1.").arg(parts.join(u", "));
    return map.measured.empty()
               ? most
               : most + QLatin1Char(' ') + tr("Measured cells: %1.").arg(number(qint64(map.measured.size())));
}

QString CapacityMapView::visibleDataTsv() const
{
    Table table = capacityTable(m_scene->map);
    const PlotArea view = interaction()->view();
    const auto hidden = [&view](const std::vector<TableCell>& row) {
        const double x = std::log2(static_cast<double>(std::get<std::int64_t>(row[0])));
        const double y = std::log2(static_cast<double>(std::get<std::int64_t>(row[1])));
        return x < view.x0 || x > view.x1 || y < view.y0 || y > view.y1;
    };
    std::erase_if(table.rows, hidden);
    return QString::fromStdString(toTsv(table));
}

} // namespace peakscope
