// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curvature/curvature_matrix_view.h"

#include "widgets/plot/color_bar.h"

#include "core/results/plain_columns.h"
#include "widgets/plot/legend_strip.h"

#include <qcustomplot.h>

#include <QActionGroup>
#include <QImage>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr double kClosestBorders = 5; // pixels; closer ones are drawn between layers only
constexpr double kNameShare = 0.3;    // of the plot's width that names beside it may take

QString wholeText(std::int64_t number)
{
    return QLocale().toString(static_cast<qlonglong>(number));
}

// The cell of every pixel along one side; -1 outside the matrix.
template <typename Place>
std::vector<int> cellsAlong(const CurvatureMatrix& matrix, int pixels, const Place& placeOf)
{
    std::vector<int> cells(static_cast<std::size_t>(std::max(pixels, 0)), -1);
    for (int i = 0; i < pixels; ++i) {
        const double place = std::floor(placeOf(i + 0.5));
        if (place >= 0 && place < static_cast<double>(matrix.size))
            cells[static_cast<std::size_t>(i)] = static_cast<int>(matrix.cellOf(static_cast<std::int64_t>(place)));
    }
    return cells;
}

} // namespace

CurvatureMatrixView::CurvatureMatrixView(QWidget* parent) : ReadoutPlot([] { return tr("Full Hessian"); }, parent)
{
    explain([] { return tr("A cell is a second derivative of the loss by two parameters, or a mean of several."); },
            "curvature");
    m_scales = addViewChoices(
        {{true, [] { return tr("Logarithmic"); },
          [] { return tr("Colours by the logarithm of the magnitude, five decades on each side of zero"); }},
         {false, [] { return tr("Linear"); }, [] { return tr("Colours in proportion to the value"); }}},
        m_scale.logarithmic, [this](int logarithmic) { setLogarithmic(logarithmic != 0); });
    interaction()->setZoomOrientations(Qt::Horizontal | Qt::Vertical);
    plot()->yAxis->setRangeReversed(true);
    for (QCPAxis* axis : {plot()->xAxis, plot()->yAxis}) {
        axis->grid()->setVisible(false);
        axis->setTickLength(0, 0);
        setNameMarks(axis);
    }
    inLanguage(this, [this] {
        plot()->xAxis->setLabel(tr("Columns, by tensor"));
        plot()->yAxis->setLabel(tr("Rows, by tensor"));
    });
    addColorScale();
    clear();
}

void CurvatureMatrixView::addColorScale()
{
    m_bar = addColorBar(plot(), [this](double, double, int most) {
        std::vector<AxisMark> marks;
        const int each = std::max(1, most / 2);
        if (!(m_scale.most > 0))
            return std::vector<AxisMark>{{0, QStringLiteral("0")}};
        if (!m_scale.logarithmic) {
            for (const AxisMark& mark : linearMarks(-m_scale.most, m_scale.most, most))
                marks.push_back({mark.place / m_scale.most, mark.label});
            return marks;
        }
        for (const AxisMark& mark : decadeMarks(std::log10(m_scale.low), std::log10(m_scale.most), each)) {
            const int exponent = static_cast<int>(std::lround(mark.place));
            const double place = m_scale.shareOf(std::pow(10.0, exponent));
            if (place * each < 0.7) // it would touch the zero
                continue;
            marks.push_back({place, powerText(exponent)});
            marks.push_back({-place, powerText(exponent, true)});
        }
        marks.push_back({0, QStringLiteral("0")});
        return marks;
    });
}

void CurvatureMatrixView::setNameMarks(QCPAxis* axis)
{
    setMarks(axis, [this, axis](double low, double high, int) {
        std::vector<AxisMark> marks;
        if (!m_matrix || !(high > low))
            return marks;
        const bool across = axis == plot()->xAxis;
        const QFontMetrics metrics(axis->tickLabelFont());
        const QSize size = plot()->axisRect()->size();
        const double rows = (high - low) / std::max(across ? size.width() : size.height(), 1);
        const int widest = static_cast<int>(plot()->width() * kNameShare);
        for (const MatrixLabel& label : matrixLabels(*m_matrix, low, high, [&](const QString& text) {
                 return rows * (across ? metrics.horizontalAdvance(text) + 8 : metrics.height());
             }))
            marks.push_back(
                {label.middle(), across ? label.text : metrics.elidedText(label.text, Qt::ElideMiddle, widest)});
        return marks;
    });
}

void CurvatureMatrixView::setData(const CurvatureData& data)
{
    const bool same = m_matrix && data.matrix && m_matrix->size == data.matrix->size;
    m_matrix = data.matrix;
    rebuild(); // before the plot shows
    setBadge(
        [synthetic = data.synthetic, imported = data.imported] {
            return synthetic ? tr("synthetic") : imported ? tr("imported") : QString();
        },
        data.synthetic);
    setPlaceholder([any = m_matrix != nullptr] {
        return any ? QString()
                   : tr("No matrix: add the quantity full (models of up to %1 parameters, or some of their tensors).")
                         .arg(wholeText(20'000));
    });
    if (!same)
        setCursorAt(std::nullopt);
}

void CurvatureMatrixView::clear()
{
    m_matrix.reset();
    setCursorAt(std::nullopt);
    rebuild();
    setPlaceholder([] { return tr("Shows the whole matrix once all its columns are computed."); });
}

void CurvatureMatrixView::setLogarithmic(bool logarithmic)
{
    m_scale.logarithmic = logarithmic;
    for (QAction* action : m_scales->actions())
        action->setChecked(action->data().toBool() == logarithmic);
    rebuild();
}

void CurvatureMatrixView::rebuild()
{
    m_scale = m_matrix ? matrixScale(*m_matrix, m_scale.logarithmic) : MatrixScale{m_scale.logarithmic};
    m_colors.clear();
    if (m_matrix) {
        m_colors.reserve(m_matrix->value.size());
        for (const double value : m_matrix->value)
            m_colors.push_back(divergingColor(m_scale.shareOf(value), theme().dark).rgb());
        const auto size = static_cast<double>(m_matrix->size);
        setArea({0, size, 0, size});
    }
    updateColorScale();
    refresh();
}

void CurvatureMatrixView::updateColorScale()
{
    paintColorBar(*m_bar, theme(), font());
    const bool isRms = m_matrix && m_matrix->cell == CurvatureMatrix::Cell::RootMeanSquare;
    const bool isEntry = m_matrix && m_matrix->cell == CurvatureMatrix::Cell::Entry;
    m_bar->setLabel(isRms ? tr("Root mean square") : isEntry ? tr("Entry") : tr("Largest entry"));
}

void CurvatureMatrixView::applyTheme(const ChartTheme& theme)
{
    ReadoutPlot::applyTheme(theme);
    rebuild();
}

void CurvatureMatrixView::paintCells(QPainter& painter, const PlotGeometry& geometry) const
{
    const double ratio = painter.device() ? painter.device()->devicePixelRatioF() : 1;
    const QSize size = (geometry.rect.size() * ratio).toSize();
    if (size.isEmpty())
        return;
    const double width = (geometry.x1 - geometry.x0) / size.width(),
                 height = (geometry.y1 - geometry.y0) / size.height();
    const std::vector<int> columns =
        cellsAlong(*m_matrix, size.width(), [&](double pixel) { return geometry.x0 + pixel * width; });
    const std::vector<int> rows =
        cellsAlong(*m_matrix, size.height(), [&](double pixel) { return geometry.y0 + pixel * height; });
    QImage image(size, QImage::Format_RGB32);
    const QRgb nothing = theme().background.rgb();
    for (int y = 0; y < size.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const int row = rows[static_cast<std::size_t>(y)];
        const std::size_t first = static_cast<std::size_t>(std::max(row, 0)) * m_matrix->cells;
        for (int x = 0; x < size.width(); ++x) {
            const int column = columns[static_cast<std::size_t>(x)];
            line[x] = row < 0 || column < 0 ? nothing : m_colors[first + static_cast<std::size_t>(column)];
        }
    }
    painter.drawImage(geometry.rect, image);
}

void CurvatureMatrixView::paintBorders(QPainter& painter, const PlotGeometry& geometry) const
{
    QColor thin = theme().text, thick = theme().text;
    thin.setAlphaF(0.3F);
    thick.setAlphaF(0.6F);
    const double columns = (geometry.x1 - geometry.x0) / geometry.rect.width();
    for (const MatrixBorder& border : matrixBorders(*m_matrix, kClosestBorders * columns)) {
        const double x = std::floor(geometry.xPixel(static_cast<double>(border.row))) + 0.5;
        painter.setPen(QPen(border.layer ? thick : thin, 1));
        painter.drawLine(QPointF(x, geometry.rect.top()), QPointF(x, geometry.rect.bottom()));
    }
    const double rows = (geometry.y1 - geometry.y0) / geometry.rect.height();
    for (const MatrixBorder& border : matrixBorders(*m_matrix, kClosestBorders * rows)) {
        const double y = std::floor(geometry.yPixel(static_cast<double>(border.row))) + 0.5;
        painter.setPen(QPen(border.layer ? thick : thin, 1));
        painter.drawLine(QPointF(geometry.rect.left(), y), QPointF(geometry.rect.right(), y));
    }
}

void CurvatureMatrixView::paintCursor(QPainter& painter, const PlotGeometry& geometry) const
{
    const auto cell = cursor() ? cellAt(*cursor()) : std::nullopt;
    if (!cell)
        return;
    const auto outline = [&](std::int64_t rowBegin, std::int64_t rowEnd, std::int64_t begin, std::int64_t end,
                             double width) {
        const QRectF box(
            QPointF(geometry.xPixel(static_cast<double>(begin)), geometry.yPixel(static_cast<double>(rowBegin))),
            QPointF(geometry.xPixel(static_cast<double>(end)), geometry.yPixel(static_cast<double>(rowEnd))));
        // Seen on every colour of the map.
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().background, width + 2));
        painter.drawRect(box);
        painter.setPen(QPen(theme().cursor, width));
        painter.drawRect(box);
    };
    const auto row = m_matrix->tensorAt(static_cast<std::int64_t>(cursor()->y()));
    const auto column = m_matrix->tensorAt(static_cast<std::int64_t>(cursor()->x()));
    if (row && column) {
        const MatrixTensor &down = m_matrix->tensors[*row], &across = m_matrix->tensors[*column];
        outline(down.begin, down.begin + down.count, across.begin, across.begin + across.count, 1);
    }
    outline(m_matrix->edge(cell->row), m_matrix->edge(cell->row + 1), m_matrix->edge(cell->column),
            m_matrix->edge(cell->column + 1), 1.5);
}

void CurvatureMatrixView::paintPlot(QPainter& painter, const PlotGeometry& geometry) const
{
    if (!m_matrix)
        return;
    paintCells(painter, geometry);
    paintBorders(painter, geometry);
    paintCursor(painter, geometry);
}

std::optional<CurvatureMatrixView::Cell> CurvatureMatrixView::cellAt(const QPointF& place) const
{
    const double size = m_matrix ? static_cast<double>(m_matrix->size) : 0;
    if (place.x() < 0 || place.y() < 0 || place.x() >= size || place.y() >= size)
        return std::nullopt;
    return Cell{m_matrix->cellOf(static_cast<std::int64_t>(place.y())),
                m_matrix->cellOf(static_cast<std::int64_t>(place.x()))};
}

// "17" or "17–30" of all rows.
QString CurvatureMatrixView::rangeText(std::size_t cell) const
{
    const std::int64_t begin = m_matrix->edge(cell), last = m_matrix->edge(cell + 1) - 1;
    return begin == last ? wholeText(begin) : QStringLiteral("%1–%2").arg(wholeText(begin), wholeText(last));
}

QString CurvatureMatrixView::valueText(const Cell& cell) const
{
    const QString value = realText(m_matrix->at(cell.row, cell.column));
    switch (m_matrix->cell) {
    case CurvatureMatrix::Cell::Entry:
        return tr("Entry %1").arg(value);
    case CurvatureMatrix::Cell::RootMeanSquare:
        return tr("Root mean square %1").arg(value);
    case CurvatureMatrix::Cell::Extreme:
        break;
    }
    if (m_matrix->rms.empty())
        return tr("Largest entry %1").arg(value);
    return tr("Largest entry %1, root mean square %2")
        .arg(value, realText(m_matrix->rms[cell.row * m_matrix->cells + cell.column], 3));
}

QString CurvatureMatrixView::readoutAt(const std::optional<QPointF>& place) const
{
    if (!m_matrix)
        return {};
    const auto cell = place ? cellAt(*place) : std::nullopt;
    if (!cell)
        return summary();
    QString text = valueText(*cell);
    const auto row = m_matrix->tensorAt(static_cast<std::int64_t>(place->y()));
    const auto column = m_matrix->tensorAt(static_cast<std::int64_t>(place->x()));
    const auto part = [this](std::optional<std::size_t> tensor, std::size_t at) {
        return tensor ? QStringLiteral("%1 [%2]").arg(labelOf(*tensor), rangeText(at)) : rangeText(at);
    };
    text += tr("  ·  row %1 × column %2").arg(part(row, cell->row), part(column, cell->column));
    if (const auto norm = row && column ? m_matrix->norm(*row, *column) : std::nullopt)
        text += tr("  ·  norm of the block %1").arg(realText(*norm, 3));
    return text;
}

QPointF CurvatureMatrixView::stepFrom(const QPointF& place, int dx, int dy) const
{
    if (!m_matrix)
        return place;
    const auto step = [this](double at, int by) {
        const std::int64_t row = std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, m_matrix->size - 1);
        const auto cell = std::clamp<std::int64_t>(static_cast<std::int64_t>(m_matrix->cellOf(row)) + by, 0,
                                                   static_cast<std::int64_t>(m_matrix->cells) - 1);
        const auto to = static_cast<std::size_t>(cell);
        return static_cast<double>(m_matrix->edge(to) + m_matrix->edge(to + 1)) / 2;
    };
    return {step(place.x(), dx), step(place.y(), -dy)};
}

QString CurvatureMatrixView::summary() const
{
    if (!m_matrix)
        return {};
    QStringList parts{
        tr("%1 × %1 entries, the largest %2 in magnitude.").arg(wholeText(m_matrix->size), realText(m_matrix->most))};
    double inside = 0, all = 0;
    std::pair<double, std::pair<std::size_t, std::size_t>> largest{-1, {}};
    const std::size_t count = m_matrix->norms.empty() ? 0 : m_matrix->tensors.size();
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t column = 0; column < count; ++column) {
            const double norm = *m_matrix->norm(row, column);
            all += norm * norm;
            inside += row == column ? norm * norm : 0;
            largest = std::max(largest, {norm, {row, column}});
        }
    }
    if (all > 0) {
        const auto& [row, column] = largest.second;
        parts << tr("%1 % of its squares lie within tensors; the heaviest block is %2 × %3.")
                     .arg(QLocale().toString(100 * inside / all, 'f', 1), labelOf(row), labelOf(column));
    }
    return parts.join(QLatin1Char(' '));
}

QString CurvatureMatrixView::visibleDataTsv() const
{
    Table table{
        "matrix",
        plainColumns({"row_from", "row_to", "row_tensor", "column_from", "column_to", "column_tensor", "value", "rms"}),
        {}};
    const PlotArea view = interaction()->view();
    const std::size_t cells = m_matrix ? m_matrix->cells : 0;
    const auto visible = [this](std::size_t cell, double low, double high) {
        return static_cast<double>(m_matrix->edge(cell + 1)) > low && static_cast<double>(m_matrix->edge(cell)) < high;
    };
    const auto nameAt = [this](std::size_t cell) {
        const auto tensor = m_matrix->tensorAt(m_matrix->edge(cell));
        return tensor ? m_matrix->tensors[*tensor].name : std::string();
    };
    for (std::size_t row = 0; row < cells; ++row) {
        if (!visible(row, view.y0, view.y1))
            continue;
        for (std::size_t column = 0; column < cells; ++column) {
            if (!visible(column, view.x0, view.x1))
                continue;
            const std::size_t at = row * cells + column;
            table.rows.push_back({m_matrix->edge(row), m_matrix->edge(row + 1) - 1, nameAt(row), m_matrix->edge(column),
                                  m_matrix->edge(column + 1) - 1, nameAt(column), m_matrix->value[at],
                                  m_matrix->rms.empty() ? kNoNumber : m_matrix->rms[at]});
        }
    }
    return QString::fromStdString(toTsv(table));
}

} // namespace peakscope
