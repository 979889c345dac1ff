// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/strategy_model.h"

#include "core/base/units.h"
#include "widgets/look/component_palette.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/note_words.h"

#include <QLocale>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace peakscope {

namespace {

QString percentText(double share)
{
    return StrategyModel::tr("%1 %").arg(QLocale().toString(100 * share, 'f', std::abs(share) < 0.1 ? 1 : 0));
}

QString htmlRow(const QString& name, const QString& value)
{
    return QStringLiteral("<tr><td style='padding-right: 12px'>%1</td><td align='right'>%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString predictedAndDry(std::int64_t predicted, std::int64_t dry)
{
    const QString text = StrategyModel::tr("Predicted: %1").arg(exactBytesText(predicted));
    return dry > 0 ? StrategyModel::tr("Dry run: %1").arg(exactBytesText(dry)) + u'\n' + text : text;
}

QString list(const QString& heading, const std::vector<std::string>& sentences)
{
    if (sentences.empty())
        return {};
    QString html = QStringLiteral("<p style='margin-bottom: 2px'><b>%1</b></p><ul style='margin: 0'>")
                       .arg(heading.toHtmlEscaped());
    for (const std::string& sentence : sentences)
        html += QStringLiteral("<li>%1</li>").arg(noteText(sentence).toHtmlEscaped());
    return html + QStringLiteral("</ul>");
}

} // namespace

StrategyModel::StrategyModel(QObject* parent) : QAbstractTableModel(parent) {}

void StrategyModel::setPlan(PlanDocument plan)
{
    beginResetModel();
    m_plan = std::move(plan);
    m_headings = partHeadings(m_plan);
    m_measured.clear();
    endResetModel();
}

void StrategyModel::setMeasured(std::vector<std::int64_t> peakBytes)
{
    m_measured = std::move(peakBytes);
    if (rowCount() > 0)
        emit dataChanged(index(0, Memory), index(rowCount() - 1, Memory));
}

void StrategyModel::retranslate()
{
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::DisplayRole, Qt::ToolTipRole});
}

std::int64_t StrategyModel::measuredBytes(int row) const
{
    return row >= 0 && row < static_cast<int>(m_measured.size()) ? m_measured[static_cast<std::size_t>(row)] : 0;
}

double StrategyModel::scaleBytes() const
{
    return strategyScaleBytes(m_plan, m_plan.strategies.size());
}

int StrategyModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_plan.strategies.size());
}

int StrategyModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString StrategyModel::text(const PlannedStrategy& strategy, int row, int column) const
{
    switch (column) {
    case Rank:
        return QLocale().toString(row + 1);
    case Verdict:
        return verdictText(strategy.verdict, strategy.devicesNeeded);
    case Title:
        return strategyTitleText(strategy.title);
    case Peak:
        return bytesText(strategy.knownPeakBytes());
    case Reserved:
        return (strategy.proved && strategy.proved->fits ? QStringLiteral("✓ ") : QString()) +
               bytesText(strategy.knownReservedBytes());
    case Margin:
        return bytesText(strategy.marginBytes);
    case Step:
        return strategy.stepSeconds > 0 ? QString::fromStdString(formatSeconds(strategy.stepSeconds))
                                        : QStringLiteral("–");
    case Devices:
        return QLocale().toString(static_cast<qlonglong>(strategy.devicesNeeded));
    default:
        return {};
    }
}

QVariant StrategyModel::sortValue(const PlannedStrategy& strategy, int row, int column) const
{
    switch (column) {
    case Rank:
        return row;
    case Verdict:
        return static_cast<int>(strategy.verdict) * 100000 + row; // ranks decide among equals
    case Memory:
    case Reserved:
        return static_cast<qlonglong>(strategy.knownReservedBytes());
    case Peak:
        return static_cast<qlonglong>(strategy.knownPeakBytes());
    case Margin:
        return static_cast<qlonglong>(strategy.marginBytes);
    case Step: // unknown times come last
        return strategy.stepSeconds > 0 ? strategy.stepSeconds : std::numeric_limits<double>::max();
    case Devices:
        return static_cast<qlonglong>(strategy.devicesNeeded);
    default:
        return text(strategy, row, column);
    }
}

QString StrategyModel::tip(const PlannedStrategy& strategy, int column) const
{
    switch (column) {
    case Verdict:
        return verdictDefinition(strategy.verdict);
    case Title: {
        QString tip = strategyTitleText(strategy.title);
        if (strategy.tier)
            tip += QStringLiteral("\n") + tierDefinition(*strategy.tier);
        return tip;
    }
    case Peak:
        return predictedAndDry(strategy.peakBytes, strategy.proved ? strategy.proved->allocatedBytes : 0);
    case Reserved:
        return predictedAndDry(strategy.reservedBytes, strategy.proved ? strategy.proved->reservedBytes : 0);
    case Margin:
        return tr("Predicted: %1").arg(exactBytesText(strategy.marginBytes));
    case Memory: {
        QStringList lines{tr("Predicted, at the peak:")};
        if (m_plan.device.contextBytes > 0)
            lines << tr("%1: %2").arg(tr("Context"), bytesText(m_plan.device.contextBytes));
        for (const Component component : componentStackOrder()) {
            const std::int64_t bytes = strategy.components[static_cast<std::size_t>(component)];
            if (bytes > 0)
                lines << tr("%1: %2").arg(componentTitle(component), bytesText(bytes));
        }
        if (strategy.proved)
            lines << tr("Dry run: %1").arg(exactBytesText(strategy.proved->reservedBytes));
        else if (strategy.reservedBytes > strategy.peakBytes)
            lines << tr("%1: %2").arg(reservedTitle(), bytesText(strategy.reservedBytes - strategy.peakBytes));
        return lines.join(u'\n');
    }
    default:
        return {};
    }
}

QVariant StrategyModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const PlannedStrategy& strategy = m_plan.strategies[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(strategy, index.row(), index.column());
    case Qt::ToolTipRole:
        return tip(strategy, index.column());
    case Qt::AccessibleTextRole:
        return index.column() == Memory ? tip(strategy, Memory) : text(strategy, index.row(), index.column());
    case Qt::TextAlignmentRole: {
        const bool words = index.column() == Verdict || index.column() == Title || index.column() == Memory;
        return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    case SortRole:
        return sortValue(strategy, index.row(), index.column());
    case HeadingRole: {
        const std::optional<PlanPart> part = m_headings[static_cast<std::size_t>(index.row())];
        return part ? partHeading(*part) : QString();
    }
    default:
        return {};
    }
}

QVariant StrategyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static constexpr std::pair<const char*, const char*> kTexts[] = {
        {QT_TR_NOOP("#"), QT_TR_NOOP("Rank: what fits by tier, then by speed")},
        {QT_TR_NOOP("Verdict"), QT_TR_NOOP("Compared with the memory that a process can use on the device")},
        {QT_TR_NOOP("Strategy"), QT_TR_NOOP("What is set")},
        {QT_TR_NOOP("Memory, one device"), QT_TR_NOOP("Predicted; the line marks the memory that a process can use")},
        {QT_TR_NOOP("Peak"), QT_TR_NOOP("Predicted: the most that is allocated at one time on one device")},
        {QT_TR_NOOP("Reserved"), QT_TR_NOOP("Predicted: what the allocator holds then, its unused blocks included")},
        {QT_TR_NOOP("Margin"), QT_TR_NOOP("Usable less reserved less context; below zero that much is missing")},
        {QT_TR_NOOP("Step"), QT_TR_NOOP("Expected time of a step, from the device's bandwidth and peak rates")},
        {QT_TR_NOOP("Devices"), QT_TR_NOOP("How many of this device it takes")}};
    const auto& [title, explanation] = kTexts[section];
    switch (role) {
    case Qt::DisplayRole:
        return tr(title);
    case Qt::ToolTipRole:
        return tr(explanation);
    case Qt::TextAlignmentRole: {
        const bool words = section == Verdict || section == Title || section == Memory;
        return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    default:
        return {};
    }
}

double memoryX(double bytes, double scaleBytes, double left, double right)
{
    return left + std::min(bytes / scaleBytes, 1.0) * (right - left);
}

void paintStrategyBar(QPainter& painter, const QRectF& cell, const StrategyModel& model, int row,
                      const ChartTheme& theme)
{
    const PlanDocument& plan = model.plan();
    const PlannedStrategy& strategy = plan.strategies[static_cast<std::size_t>(row)];
    const double scale = model.scaleBytes();
    const std::int64_t measured = model.measuredBytes(row);
    // Beside a name of several lines a bar stays a bar.
    const double spare = std::max(0.0, cell.height() - painter.fontMetrics().height() - 12);
    QRectF bar = cell.adjusted(0, 4 + spare / 2, 0, (measured > 0 ? -9 : -4) - spare / 2);
    double bytes = 0;
    const auto part = [&](std::int64_t size, const QBrush& brush, const QColor& edge) {
        const double from = std::round(memoryX(bytes, scale, bar.left(), bar.right()));
        bytes += static_cast<double>(size);
        const double to = std::round(memoryX(bytes, scale, bar.left(), bar.right()));
        if (size <= 0 || to <= from)
            return;
        const QRectF box(from, std::round(bar.top()), to - from, std::round(bar.height()));
        painter.fillRect(box, brush);
        painter.setPen(QPen(edge, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    part(plan.device.contextBytes, theme.grid, theme.axis);
    for (const Component component : componentStackOrder()) {
        const QColor color = componentColor(component);
        const QColor edge = edgeColor(color, theme);
        part(strategy.components[static_cast<std::size_t>(component)], predictedBrush(color, theme),
             edge.isValid() ? edge : color);
    }
    part(strategy.knownReservedBytes() - strategy.peakBytes, Qt::NoBrush, theme.axis);
    if (measured > 0) {
        const double left = memoryX(static_cast<double>(plan.device.contextBytes), scale, bar.left(), bar.right());
        const double right =
            memoryX(static_cast<double>(plan.device.contextBytes + measured), scale, bar.left(), bar.right());
        painter.fillRect(QRectF(left, bar.bottom() + 1, std::max(2.0, right - left), 5), theme.text);
    }
    if (plan.device.usableBytes > 0) {
        const double x =
            std::round(memoryX(static_cast<double>(plan.device.usableBytes), scale, cell.left(), cell.right()));
        painter.setPen(QPen(theme.warning, 2));
        painter.drawLine(QPointF(x, cell.top()), QPointF(x, cell.bottom() + 1));
    }
    if (bytes > scale) { // more than there is room for
        painter.setRenderHint(QPainter::Antialiasing, true);
        const double y = bar.center().y();
        const QPolygonF arrow(
            {QPointF(cell.right(), y), QPointF(cell.right() - 7, y - 6), QPointF(cell.right() - 7, y + 6)});
        painter.setPen(QPen(theme.background, 2));
        painter.setBrush(theme.text);
        painter.drawPolygon(arrow);
    }
    painter.restore();
}

QString strategyHtml(const StrategyModel& model, int index)
{
    const PlanDocument& plan = model.plan();
    const PlannedStrategy& strategy = plan.strategies[static_cast<std::size_t>(index)];
    QString html =
        QStringLiteral("<p style='margin-top: 0; margin-bottom: 2px'><b>%1</b></p><p style='margin: 0'>%2</p>")
            .arg(strategyTitleText(strategy.title).toHtmlEscaped(),
                 verdictDefinition(strategy.verdict).toHtmlEscaped());
    if (strategy.tier)
        html += QStringLiteral("<p style='margin-top: 4px; margin-bottom: 0'>%1</p>")
                    .arg(tierDefinition(*strategy.tier).toHtmlEscaped());
    html += list(StrategyModel::tr("Why it ranks here, and what it costs"), strategy.reasons);
    html += QStringLiteral("<table cellspacing='0' style='margin-top: 8px'>");
    html += htmlRow(StrategyModel::tr("Predicted peak"), bytesText(strategy.peakBytes));
    if (const std::int64_t measured = model.measuredBytes(index); measured > 0) {
        const double error = static_cast<double>(strategy.peakBytes - measured) / static_cast<double>(measured);
        html += htmlRow(StrategyModel::tr("Measured peak"), bytesText(measured));
        html += htmlRow(StrategyModel::tr("Prediction off by"),
                        (error >= 0 ? QStringLiteral("+") : QString()) + percentText(error));
    }
    html += htmlRow(StrategyModel::tr("Predicted reserved"), bytesText(strategy.reservedBytes));
    if (strategy.proved && !strategy.proved->fits) {
        html +=
            htmlRow(StrategyModel::tr("The dry run ran out of memory at"), bytesText(strategy.proved->reservedBytes));
    } else if (strategy.proved) {
        html += htmlRow(StrategyModel::tr("Peak of the dry run"), bytesText(strategy.proved->allocatedBytes));
        html += htmlRow(StrategyModel::tr("Reserved in the dry run"), bytesText(strategy.proved->reservedBytes));
    }
    html += htmlRow(StrategyModel::tr("Context"), bytesText(plan.device.contextBytes));
    html += htmlRow(StrategyModel::tr("Usable"), bytesText(plan.device.usableBytes));
    html += htmlRow(StrategyModel::tr("Margin"), bytesText(strategy.marginBytes));
    for (const Component component : componentStackOrder()) {
        const std::int64_t bytes = strategy.components[static_cast<std::size_t>(component)];
        if (bytes > 0)
            html += htmlRow(componentTitle(component), bytesText(bytes));
    }
    html += QStringLiteral("</table>");
    std::vector<std::string> notes = strategy.notes;
    if (!strategy.verified)
        notes.insert(notes.begin(),
                     StrategyModel::tr("A closed form that has not been checked against measurements.").toStdString());
    html += list(StrategyModel::tr("Notes"), notes);
    if (strategy.folded.empty())
        return html;
    html += QStringLiteral("<p style='margin-bottom: 2px'><b>%1</b></p><ul style='margin: 0'>")
                .arg(StrategyModel::tr("Variants that save little").toHtmlEscaped());
    for (const PlannedStrategy& variant : strategy.folded) {
        html += QStringLiteral("<li>%1</li>")
                    .arg(StrategyModel::tr("%1: %2, %3 reserved")
                             .arg(strategyTitleText(variant.title), verdictText(variant.verdict, variant.devicesNeeded),
                                  bytesText(variant.reservedBytes))
                             .toHtmlEscaped());
    }
    return html + QStringLiteral("</ul>");
}

} // namespace peakscope
