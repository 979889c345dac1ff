// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/bars_view.h"

#include "widgets/plot/legend_strip.h"
#include "widgets/plot/painted_plottable.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/plot/plot_scales.h"
#include "widgets/plot/row_scroll.h"

#include <qcustomplot.h>

#include <QHelpEvent>
#include <QRegularExpression>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kMostRowHeight = 44; // pixels; few rows do not grow into slabs, unless they hold several bars
constexpr double kMostBarHeight = 18;
constexpr double kBarsShare = 0.86;     // of a row's height
constexpr double kMostLabelShare = 0.4; // of the view's width
constexpr double kMostShortShare = 0.5; // of one that is short already: more than half would leave no bars
constexpr double kTextGap = 6;
constexpr double kMostTextShare = 0.62; // of the chart's width, that values may take from the bars
constexpr double kTickFrom = 0.4;       // of the ticks' step, that bars to the left reach to have one
constexpr int kLegendLines = 13;        // of text, that a view with a legend is high

} // namespace

double Bar::total() const
{
    double sum = 0;
    for (const BarSegment& segment : segments)
        sum += segment.bytes;
    return sum;
}

double Bar::above() const
{
    double sum = 0;
    for (const BarSegment& segment : segments)
        sum += std::max(segment.bytes, 0.0);
    return sum;
}

double Bar::below() const
{
    return total() - above();
}

struct BarsView::Scene {
    std::vector<BarRow> rows;
    QString currentRow;
    double limit = 0;    // bytes; 0: none
    double lineRoom = 0; // pixels, of values in one line
    ChartTheme theme;
    QFont font;

    // Where the values of a row stand: after each bar where those are as high as a line of text, else all in one line
    // where the row is, else nowhere.
    enum class Values { EachBar, OneLine, None };

    void paint(QPainter& painter, const PlotGeometry& geometry) const;
    void paintBar(QPainter& painter, const PlotGeometry& geometry, const Bar& bar, double top, double height) const;
    void paintLine(QPainter& painter, const PlotGeometry& geometry, const BarRow& row, double middle) const;
    static double pitch(const BarRow& row, double rowHeight);
    Values valuesOf(const BarRow& row, double rowHeight) const;
    // All values of a row, or as many of its first as have room: tooltip and table have the others.
    QString lineOf(const BarRow& row) const;
    // What a chart of that width spans from `least`, so that beside each bar there is room for its value.
    double spanFrom(double least, double rowHeight, double width);
};

// As many whole parts of a value in words as have room, the number at least; nothing where that has none.
static QString fittingParts(const QString& whole, const QFontMetricsF& metrics, double room)
{
    static const QRegularExpression between(QStringLiteral("\\s+\\|\\s|,\\s|，|\\s\\("));
    QString shown = whole;
    for (qsizetype end = whole.size(); metrics.horizontalAdvance(shown) > room;) {
        end = end > 0 ? whole.lastIndexOf(between, end - 1) : -1;
        if (end <= 0)
            return {};
        shown = whole.left(end) + QStringLiteral(" …");
    }
    return shown;
}

// The text that says a bar's value: beside its end where there is room, else on a plate within the bar, so that the end
// itself stays to be seen.
static void paintValue(QPainter& painter, const PlotGeometry& geometry, const QString& whole, double end, double middle,
                       double limitX, const ChartTheme& theme)
{
    const QFontMetricsF metrics(painter.font());
    const double start = std::max(end, geometry.rect.left()) + kTextGap;
    const QString beside = fittingParts(whole, metrics, geometry.rect.right() - start - 2);
    const QString text =
        beside.isEmpty() ? metrics.elidedText(whole, Qt::ElideRight, geometry.rect.width() - 2 * kTextGap) : beside;
    QRectF box(0, 0, metrics.horizontalAdvance(text) + 2, metrics.height());
    box.moveCenter(QPointF(0, middle));
    box.moveLeft(start);
    if (box.right() > geometry.rect.right()) {
        box.moveRight(
            std::max(std::min(end, geometry.rect.right()) - kTextGap, geometry.rect.left() + box.width() + 3));
        painter.fillRect(box.adjusted(-3, 0, 2, 0), theme.background);
    } else if (limitX > box.left() - 3 && limitX < box.right() + 3) {
        painter.fillRect(box.adjusted(-3, 0, 3, 0), theme.background);
    }
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, text);
}

void BarsView::Scene::paintBar(QPainter& painter, const PlotGeometry& geometry, const Bar& bar, double top,
                               double height) const
{
    double above = 0, below = 0;
    for (const BarSegment& segment : bar.segments) {
        double& sum = segment.bytes < 0 ? below : above;
        const double from = geometry.xPixel(sum);
        sum += segment.bytes;
        const double to = geometry.xPixel(sum);
        const double left = std::min(from, to), right = std::max(from, to);
        // Whole pixels, and for what is not nothing at least one beside the axis line.
        QRectF box(QPointF(std::round(left), std::round(top)), QPointF(std::round(right), std::round(top + height)));
        if (segment.bytes > 0 && box.width() < 2)
            box.setWidth(2);
        if (box.width() > 0) {
            painter.fillRect(box, segment.brush);
            if (segment.outline.style() != Qt::NoPen) {
                painter.setPen(segment.outline);
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(box.adjusted(0, 0, -1, -1));
            }
        }
    }
}

double BarsView::Scene::pitch(const BarRow& row, double rowHeight)
{
    const auto count = static_cast<double>(std::max<std::size_t>(row.bars.size(), 1));
    return std::max(1.0, std::min(rowHeight * kBarsShare / count, kMostBarHeight));
}

BarsView::Scene::Values BarsView::Scene::valuesOf(const BarRow& row, double rowHeight) const
{
    const double line = QFontMetricsF(font).height();
    if (rowHeight < line)
        return Values::None;
    return row.bars.size() < 2 || pitch(row, rowHeight) >= line ? Values::EachBar : Values::OneLine;
}

QString BarsView::Scene::lineOf(const BarRow& row) const
{
    QStringList all = row.lineValues, seen = row.lineValues, brief = row.lineValues;
    for (const Bar& bar : row.bars) {
        if (!row.lineValues.isEmpty() || bar.valueText.isEmpty())
            continue;
        all << bar.valueText;
        brief << (bar.shortText.isEmpty() ? bar.valueText : bar.shortText);
        if (bar.above() > 0 || bar.below() < 0)
            seen << bar.valueText;
    }
    const QFontMetricsF metrics(font);
    const auto line = [](const QStringList& texts) { return texts.join(QStringLiteral("  |  ")); };
    if (seen.isEmpty() || metrics.horizontalAdvance(line(all)) <= lineRoom)
        return line(all);
    if (metrics.horizontalAdvance(line(brief)) <= lineRoom)
        return line(brief);
    // What has no bar gives way first: its value would seem to be that of the bars beside it.
    if (metrics.horizontalAdvance(line(seen)) <= lineRoom)
        return line(seen);
    const auto cut = [&] { return line(seen) + QStringLiteral(" …"); };
    while (seen.size() > 1 && metrics.horizontalAdvance(cut()) > lineRoom)
        seen.removeLast();
    return cut();
}

void BarsView::Scene::paintLine(QPainter& painter, const PlotGeometry& geometry, const BarRow& row, double middle) const
{
    double end = 0;
    for (const Bar& bar : row.bars)
        end = std::max(end, bar.above());
    paintValue(painter, geometry, lineOf(row), geometry.xPixel(end), middle, limit > 0 ? geometry.xPixel(limit) : -1,
               theme);
}

void BarsView::Scene::paint(QPainter& painter, const PlotGeometry& geometry) const
{
    painter.setFont(font);
    const double rowHeight = std::abs(geometry.yPixel(1) - geometry.yPixel(0));
    constexpr double kHalf = 0.5 - 1e-9; // of a row
    const int first = std::max(0, static_cast<int>(std::ceil(geometry.y0 - kHalf)));
    const int last = std::min(static_cast<int>(rows.size()) - 1, static_cast<int>(std::floor(geometry.y1 + kHalf)));
    for (int i = first; i <= last; ++i) {
        if (!currentRow.isEmpty() && rows[static_cast<std::size_t>(i)].name == currentRow)
            painter.fillRect(
                QRectF(geometry.rect.left(), geometry.yPixel(i) - rowHeight / 2, geometry.rect.width(), rowHeight),
                theme.selection);
    }
    if (const double x = std::round(geometry.xPixel(limit)); limit > 0 && x <= geometry.rect.right())
        painter.fillRect(QRectF(x - 1, geometry.rect.top(), 2, geometry.rect.height()), theme.warning);
    // Where bars go both ways the line between them is drawn; else the axis is it.
    if (const double zero = std::round(geometry.xPixel(0)); geometry.x0 < 0 && zero <= geometry.rect.right())
        painter.fillRect(QRectF(zero, geometry.rect.top(), 1, geometry.rect.height()), theme.axis);
    for (int i = first; i <= last; ++i) {
        const BarRow& row = rows[static_cast<std::size_t>(i)];
        const double middle = geometry.yPixel(i);
        const double height = pitch(row, rowHeight);
        const Values values = valuesOf(row, rowHeight);
        const double first = middle - height * static_cast<double>(row.bars.size()) / 2;
        double top = first;
        for (const Bar& bar : row.bars) {
            paintBar(painter, geometry, bar, top, row.bars.size() > 1 && height > 4 ? height - 1 : height);
            top += height;
        }
        top = first;
        for (const Bar& bar : row.bars) {
            if (values == Values::EachBar)
                paintValue(painter, geometry, bar.valueText, geometry.xPixel(bar.above()), top + height / 2,
                           limit > 0 ? geometry.xPixel(limit) : -1, theme);
            top += height;
        }
        if (values == Values::OneLine)
            paintLine(painter, geometry, row, middle);
    }
}

double BarsView::Scene::spanFrom(double least, double rowHeight, double width)
{
    const QFontMetricsF metrics(font);
    lineRoom = width * kMostTextShare - 2 * kTextGap;
    double span = 1024 - least;
    const auto hold = [&](double end, const QString& value) {
        const double text = std::min(metrics.horizontalAdvance(value), lineRoom) + 2 * kTextGap;
        span = std::max(span, (end - least) * width / (width - text));
    };
    for (const BarRow& row : rows) {
        const bool oneLine = valuesOf(row, rowHeight) == Values::OneLine;
        double end = 0;
        for (const Bar& bar : row.bars) {
            end = std::max(end, bar.above());
            hold(bar.above(), oneLine ? QString() : bar.valueText); // also where rows are too low: one may look closer
        }
        if (oneLine)
            hold(end, lineOf(row));
    }
    return span;
}

namespace {

// Names at whole numbers; every n-th where rows are closer than lines of text.
class RowTicker : public QCPAxisTicker
{
public:
    RowTicker(const QCPAxis* axis, const std::vector<BarRow>* rows) : m_axis(axis), m_rows(rows) {}

protected:
    double getTickStep(const QCPRange& range) override
    {
        const double rowHeight = m_axis->axisRect()->height() / std::max(range.size(), 1e-9);
        return std::max(1.0, std::ceil(QFontMetricsF(m_axis->tickLabelFont()).height() / std::max(rowHeight, 1e-3)));
    }

    int getSubTickCount(double) override { return 0; }

    QVector<double> createTickVector(double step, const QCPRange& range) override
    {
        QVector<double> ticks;
        const double last = std::min(range.upper, static_cast<double>(m_rows->size()) - 1);
        for (double tick = std::max(0.0, std::ceil(range.lower / step) * step); tick <= last; tick += step)
            ticks << tick;
        return ticks;
    }

    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        const auto index = static_cast<std::size_t>(std::lround(tick));
        if (index >= m_rows->size())
            return {};
        const int width = m_axis->parentPlot()->width();
        const int most = static_cast<int>(width * kMostLabelShare);
        const QFontMetrics metrics(m_axis->tickLabelFont());
        const BarRow& row = (*m_rows)[index];
        if (row.shortLabel.isEmpty())
            return metrics.elidedText(row.label, Qt::ElideMiddle, most);
        // All of them or none: what only some names say would be asked of the others.
        const bool whole = std::all_of(m_rows->begin(), m_rows->end(), [&](const BarRow& each) {
            return metrics.horizontalAdvance(each.label) <= most;
        });
        return whole ? row.label
                     : metrics.elidedText(row.shortLabel, Qt::ElideRight, static_cast<int>(width * kMostShortShare));
    }

private:
    const QCPAxis* m_axis;
    const std::vector<BarRow>* m_rows;
};

} // namespace

BarsView::BarsView(LanguageText title, LanguageText valueLabel, QWidget* parent)
    : PlotView(std::move(title), parent), m_scene(std::make_unique<Scene>())
{
    QCustomPlot* plot = this->plot();
    m_scene->font = font();
    setByteScale(plot->xAxis, std::move(valueLabel));
    plot->yAxis->setRangeReversed(true);
    plot->yAxis->setTicker(QSharedPointer<RowTicker>::create(plot->yAxis, &m_scene->rows));
    plot->yAxis->setTickLength(0, 0);
    plot->yAxis->grid()->setVisible(false);
    plot->axisRect()->setMinimumMargins({15, 6, 15, 15}); // no axis at the top, and rows need the room
    addPaintedPlottable(plot->xAxis, plot->yAxis,
                        [this](QPainter& painter, const PlotGeometry& geometry) { m_scene->paint(painter, geometry); });
    interaction()->setSelectionEnabled(false);
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    m_legend = new LegendStrip;
    putUnder({m_legend});
    m_scroll = new RowScroll(plot);
    connect(m_scroll, &QScrollBar::valueChanged, this, [this] {
        m_scrolled = true;
        updateAxes();
        contentChanged();
    });
    inLanguage(m_scroll, [this] { m_scroll->setAccessibleName(tr("Rows in sight")); });
    plot->installEventFilter(this);
    // The room for values and the height of rows follow the size of the axis rect, known after its layout.
    connect(plot, &QCustomPlot::afterLayout, this, [this] {
        if (m_laidOut != this->plot()->axisRect()->size()) {
            m_laidOut = this->plot()->axisRect()->size();
            updateAxes();
            // Names were chosen for the size before.
            this->plot()->replot(QCustomPlot::rpQueuedReplot);
        }
    });
}

BarsView::~BarsView() = default;

const std::vector<BarRow>& BarsView::rows() const
{
    return m_scene->rows;
}

void BarsView::setRows(std::vector<BarRow> rows)
{
    const bool sameRows = std::equal(rows.begin(), rows.end(), m_scene->rows.begin(), m_scene->rows.end(),
                                     [](const BarRow& a, const BarRow& b) { return a.name == b.name; });
    m_scene->rows = std::move(rows);
    if (!sameRows) {
        // Other rows: what was zoomed to is gone.
        interaction()->startAnew();
        m_scrolled = false;
    }
    updateAxes();
    contentChanged();
}

void BarsView::setLimit(double bytes)
{
    m_scene->limit = bytes;
    contentChanged();
}

std::size_t BarsView::rowsInSight() const
{
    const double line = QFontMetricsF(m_scene->font).height() + 1;
    const auto fitting = static_cast<std::size_t>(plot()->axisRect()->rect().height() / line);
    return m_rowsScroll ? std::clamp<std::size_t>(fitting, 1, std::max<std::size_t>(1, m_scene->rows.size()))
                        : std::max<std::size_t>(1, m_scene->rows.size());
}

// The first of so many rows that together hold most: where not all are in sight, none of the largest is missed.
std::size_t BarsView::fullestFrom(std::size_t inSight) const
{
    std::size_t fullest = 0;
    double most = -1;
    for (std::size_t first = 0; first + inSight <= m_scene->rows.size(); ++first) {
        double held = 0;
        for (std::size_t row = first; row < first + inSight; ++row)
            held += m_scene->rows[row].bars.empty() ? 0 : m_scene->rows[row].bars.front().above();
        if (held > most) {
            most = held;
            fullest = first;
        }
    }
    return fullest;
}

void BarsView::showRow(std::size_t row)
{
    const auto at = static_cast<int>(row);
    m_scroll->setValue(std::clamp(m_scroll->value(), at + 1 - m_scroll->pageStep(), at));
}

void BarsView::updateAxes()
{
    double least = 0, mostRowHeight = kMostRowHeight;
    for (const BarRow& row : m_scene->rows) {
        mostRowHeight = std::max(mostRowHeight, static_cast<double>(row.bars.size()) * kMostBarHeight / kBarsShare);
        for (const Bar& bar : row.bars)
            least = std::min(least, bar.below());
    }
    const QRect rect = plot()->axisRect()->rect();
    // Room for the value after the longest bar, but not all of the chart.
    const double width = std::max(rect.width(), 80);
    const std::size_t inSight = rowsInSight();
    const std::optional<std::size_t> from = m_scrolled ? std::nullopt : std::optional(fullestFrom(inSight));
    const auto first = static_cast<double>(
        m_scroll->fit(m_scene->rows.size(), inSight, {0, rect.top(), plot()->width(), rect.height()}, from));
    plot()->plotLayout()->setMargins({0, 0, m_scroll->room(), 0});
    const double rows = std::max(static_cast<double>(inSight), rect.height() / mostRowHeight);
    // A little air beside what goes to the left, and a tick where it goes far enough for one.
    double lower = least * 1.05;
    double upper = lower + m_scene->spanFrom(lower, rect.height() / rows, width);
    if (const double step = byteTickStep(plot()->xAxis, lower, upper); - lower < step && -lower > step * kTickFrom) {
        lower = -step;
        upper = lower + m_scene->spanFrom(lower, rect.height() / rows, width);
    }
    interaction()->setBounds({lower, upper, first - 0.5, first + rows - 0.5});
    updateLegendPlace();
}

int BarsView::rowAt(double y) const
{
    const int row = static_cast<int>(std::lround(plot()->yAxis->pixelToCoord(y)));
    return row >= 0 && row < static_cast<int>(m_scene->rows.size()) ? row : -1;
}

void BarsView::setCurrentRow(const QString& name)
{
    if (m_scene->currentRow == name)
        return;
    m_scene->currentRow = name;
    const auto& rows = m_scene->rows;
    if (const auto row = std::find_if(rows.begin(), rows.end(), [&](const BarRow& each) { return each.name == name; });
        row != rows.end())
        showRow(static_cast<std::size_t>(row - rows.begin()));
    contentChanged();
}

bool BarsView::activateAt(double y)
{
    const int row = rowAt(y);
    if (row < 0)
        return false;
    const QString name = m_scene->rows[static_cast<std::size_t>(row)].name;
    setCurrentRow(name);
    emit rowActivated(name);
    return true;
}

void BarsView::resizeEvent(QResizeEvent* event)
{
    PlotView::resizeEvent(event);
    updateLegendPlace();
}

// In a low view the rows need the room more, and where each has its name and value only without the legend; what the
// bars are stands in the tooltips as well.
void BarsView::updateLegendPlace()
{
    const double room = height() - plot()->mapTo(this, QPoint(0, plot()->height() - plot()->axisRect()->height())).y();
    const double names = static_cast<double>(m_scene->rows.size()) * QFontMetricsF(font()).height();
    const bool inTheWay = (m_rowsScroll || room >= names) && room - m_legend->height() < names;
    m_legend->setVisible(height() >= kLegendLines * fontMetrics().height() && !inTheWay);
}

void BarsView::applyTheme(const ChartTheme& theme)
{
    m_scene->theme = theme;
    m_scene->font = font();
    rebuild();
}

bool BarsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != plot())
        return PlotView::eventFilter(watched, event);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos().y());
        if (row >= 0)
            QToolTip::showText(help->globalPos(), m_scene->rows[static_cast<std::size_t>(row)].tooltip, plot());
        else
            QToolTip::hideText();
        return true;
    }
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        // A press that did not become a drag selects the row.
        if (mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier && !interaction()->isDragging())
            activateAt(mouse->position().y());
    }
    if (event->type() == QEvent::KeyPress)
        return moveCurrentRow(*static_cast<QKeyEvent*>(event));
    return false;
}

// Ctrl+Up and Ctrl+Down walk over the rows: plain arrows pan, as in every plot.
bool BarsView::moveCurrentRow(const QKeyEvent& key)
{
    if (!(key.modifiers() & Qt::ControlModifier) || (key.key() != Qt::Key_Up && key.key() != Qt::Key_Down))
        return false;
    const auto& rows = m_scene->rows;
    if (rows.empty())
        return false;
    const auto current =
        std::find_if(rows.begin(), rows.end(), [this](const BarRow& row) { return row.name == m_scene->currentRow; });
    auto index = current == rows.end() ? 0 : current - rows.begin() + (key.key() == Qt::Key_Up ? -1 : 1);
    index = std::clamp<std::ptrdiff_t>(index, 0, static_cast<std::ptrdiff_t>(rows.size()) - 1);
    const QString name = rows[static_cast<std::size_t>(index)].name;
    setCurrentRow(name);
    emit rowActivated(name);
    return true;
}

QString BarsView::visibleDataTsv() const
{
    QString text = QStringLiteral("name\tpart\tbytes\n");
    const PlotArea view = interaction()->view();
    for (std::size_t i = 0; i < m_scene->rows.size(); ++i) {
        const BarRow& row = m_scene->rows[i];
        const auto position = static_cast<double>(i);
        if (position < view.y0 - 0.5 || position > view.y1 + 0.5)
            continue;
        for (const Bar& bar : row.bars) {
            for (const BarSegment& segment : bar.segments)
                text += row.label + QLatin1Char('\t') + segment.name + QLatin1Char('\t') +
                        QString::number(segment.bytes, 'f', 0) + QLatin1Char('\n');
        }
    }
    return text;
}

} // namespace peakscope
