// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/peak_bar.h"

#include "widgets/look/component_palette.h"
#include "widgets/look/theme.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/text/bytes_text.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

constexpr int kPeakBarSide = 8; // margin, as the form's
constexpr int kPeakBarGap = 4;  // between the bar and its line of words

int peakBarHeight(const QFontMetrics& metrics)
{
    return 2 * metrics.height() + 8 + 2 * kPeakBarGap;
}

QString named(const QString& title, std::int64_t bytes)
{
    return PeakBar::tr("%1 %2", "a component, its bytes").arg(title, bytesText(bytes));
}

QString tableRow(const QString& title, std::int64_t bytes)
{
    return QStringLiteral("<tr><td>%1</td><td align='right'>&nbsp;&nbsp;%2</td></tr>")
        .arg(title.toHtmlEscaped(), bytesText(bytes).toHtmlEscaped());
}

} // namespace

PeakBar::PeakBar(QWidget* parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("peakBar"));
    setFixedHeight(peakBarHeight(fontMetrics()));
    say();
}

void PeakBar::setPeak(const std::optional<PredictedPeak>& peak)
{
    m_peak = peak;
    m_pending = false;
    say();
    update();
}

void PeakBar::setPending()
{
    m_pending = true;
    update();
}

void PeakBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        say();
    else if (event->type() == QEvent::FontChange)
        setFixedHeight(peakBarHeight(fontMetrics()));
    update();
}

QString PeakBar::limitWords() const
{
    using Limit = PredictedPeak::Limit;
    if (!m_peak || (m_peak->limit == Limit::None && !m_peak->fitted))
        return {};
    const bool budget = m_peak->limit == Limit::Budget;
    const QString limit = bytesText(m_peak->limitBytes);
    if (m_peak->least)
        return (budget                         ? tr("not even the smallest run fits the budget of %1")
                : m_peak->limit == Limit::Card ? tr("not even the smallest run fits the card's %1")
                                               : tr("not even the smallest run fits the %1 to take"))
            .arg(limit);
    if (m_peak->fitted && m_peak->limit == Limit::None)
        return tr("the run will be fitted to what its device has free");
    if (m_peak->fitted)
        return (budget ? tr("the run will be fitted to the budget of %1")
                : m_peak->limit == Limit::Card
                    ? tr("the run will be fitted to the card's %1")
                    : tr("the run will be fitted to %1; a tenth of the free memory stays free"))
            .arg(limit);
    const std::int64_t over = m_peak->overBytes();
    const QString difference = bytesText(over > 0 ? over : m_peak->limitBytes - m_peak->reservedBytes);
    const QString amount = m_peak->exact ? difference : tr("about %1", "bytes").arg(difference);
    if (over > 0)
        return (budget ? tr("%1 over the budget") : tr("%1 over the card's memory")).arg(amount);
    return (budget ? tr("%1 of the budget of %2 left") : tr("%1 of the card's %2 left")).arg(amount, limit);
}

// All numbers, for the hover and for those who do not see the bar.
void PeakBar::say()
{
    setAccessibleName(tr("Predicted peak by component"));
    if (!m_peak) {
        setAccessibleDescription(tr("no prediction"));
        setToolTip({});
        return;
    }
    QStringList parts{named(tr("Predicted peak"), m_peak->bytes)};
    QString html = QStringLiteral("<table cellspacing='0'>") + tableRow(tr("Predicted peak"), m_peak->bytes);
    for (const Component component : componentStackOrder()) {
        const std::int64_t bytes = m_peak->components[static_cast<std::size_t>(component)];
        if (bytes <= 0)
            continue;
        parts << named(componentTitle(component), bytes);
        html += tableRow(componentTitle(component), bytes);
    }
    if (m_peak->reservedBytes > m_peak->bytes)
        html += tableRow(reservedTitle(), m_peak->reservedBytes - m_peak->bytes);
    if (m_peak->limit != PredictedPeak::Limit::None) {
        const bool budget = m_peak->limit == PredictedPeak::Limit::Budget;
        html += tableRow(budget                                        ? tr("Budget")
                         : m_peak->limit == PredictedPeak::Limit::Card ? tr("Card")
                                                                       : tr("Free memory to take"),
                         m_peak->limitBytes);
    }
    if (const QString words = limitWords(); !words.isEmpty())
        parts << words;
    setAccessibleDescription(parts.join(QStringLiteral(", ")));
    setToolTip(html + QStringLiteral("</table><p style='margin: 4px 0 0 0'>%1</p>").arg(limitWords().toHtmlEscaped()));
}

// A limit far beyond the peak stands past the right end, or the components would be slivers.
double PeakBar::scaleBytes() const
{
    const auto whole = static_cast<double>(std::max<std::int64_t>({m_peak->bytes, m_peak->reservedBytes, 1}));
    return std::max(whole, std::min(static_cast<double>(m_peak->limitBytes), 2 * whole));
}

void PeakBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ChartTheme theme = chartTheme(palette());
    const int line = fontMetrics().height();
    const QRect bar(kPeakBarSide, 0, width() - 2 * kPeakBarSide, line + 8);
    painter.fillRect(bar, theme.background);
    painter.setPen(theme.grid);
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
    if (m_pending)
        painter.setOpacity(0.4);
    if (!m_peak) {
        painter.setPen(theme.mutedText);
        painter.drawText(bar.adjusted(6, 0, -6, 0), Qt::AlignVCenter | Qt::AlignLeft, tr("no prediction"));
        return;
    }
    paintBar(painter, bar, theme);
    paintLegend(painter, QRect(bar.left(), bar.bottom() + 1 + kPeakBarGap, bar.width(), line), theme);
}

void PeakBar::paintBar(QPainter& painter, const QRect& bar, const ChartTheme& theme)
{
    constexpr double kInk = 0.35; // words stand on the fill
    const double scale = scaleBytes();
    const auto xOf = [&](std::int64_t bytes) {
        return int(std::round(memoryX(static_cast<double>(bytes), scale, bar.left(), bar.right() + 1)));
    };
    const bool limited = m_peak->limit != PredictedPeak::Limit::None;
    const bool beyond = limited && static_cast<double>(m_peak->limitBytes) > scale;
    const int limit = std::clamp(xOf(m_peak->limitBytes), bar.left() + 1, bar.right());
    m_unnamed.clear();
    std::int64_t sum = 0;
    const auto part = [&](const QString& title, std::int64_t bytes, const QBrush& brush, const QColor& edge) {
        if (bytes <= 0)
            return;
        const int from = xOf(sum);
        sum += bytes;
        const QRect box(from, bar.top(), xOf(sum) - from, bar.height());
        if (box.width() > 0) {
            painter.fillRect(box, brush);
            painter.setPen(edge);
            painter.drawRect(box.adjusted(0, 0, -1, -1));
        }
        QRect room = box;
        if (limited && !beyond && box.left() < limit && limit < box.right()) { // beside the line, not across it
            if (limit - box.left() > box.right() - limit)
                room.setRight(limit);
            else
                room.setLeft(limit);
        }
        const QString text = named(title, bytes);
        if (room.width() < painter.fontMetrics().horizontalAdvance(text) + 10) {
            m_unnamed.emplace_back(text, brush);
            return;
        }
        painter.setPen(theme.text);
        painter.drawText(room, Qt::AlignCenter, text);
    };
    for (const Component component : componentStackOrder()) {
        const QColor color = componentColor(component);
        const QColor edge = edgeColor(color, theme);
        part(componentTitle(component), m_peak->components[static_cast<std::size_t>(component)],
             predictedBrush(color, theme, kInk), edge.isValid() ? edge : color);
    }
    part(reservedTitle(), m_peak->reservedBytes - m_peak->bytes, Qt::NoBrush, theme.axis);
    if (!limited)
        return;
    if (beyond) {
        painter.setPen(theme.mutedText);
        painter.drawText(bar.adjusted(0, 0, -6, 0), Qt::AlignVCenter | Qt::AlignRight, QStringLiteral("→"));
        return;
    }
    painter.fillRect(QRect(limit - 1, bar.top(), 2, bar.height() + kPeakBarGap), theme.warning);
    if (const int end = xOf(m_peak->reservedBytes); end > limit)
        painter.fillRect(QRect(limit, bar.bottom() + 1, end - limit, 2), theme.warning);
}

void PeakBar::paintLegend(QPainter& painter, const QRect& line, const ChartTheme& theme) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QString words = limitWords();
    painter.setPen(m_peak->overBytes() > 0 || m_peak->least ? theme.warning : theme.text);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, words);
    const int side = metrics.ascent() - 2;
    const int right = line.right() - (words.isEmpty() ? 0 : metrics.horizontalAdvance(words) + 16);
    int x = line.left();
    painter.setPen(theme.text);
    for (const auto& [text, brush] : m_unnamed) {
        const int wide = side + 5 + metrics.horizontalAdvance(text);
        if (x + wide > right) { // the hover has them all
            painter.drawText(QRect(x, line.top(), right - x, line.height()), Qt::AlignVCenter | Qt::AlignLeft,
                             QStringLiteral("…"));
            return;
        }
        QRect swatch(x, 0, side, side);
        swatch.moveCenter(QPoint(swatch.center().x(), line.center().y()));
        painter.fillRect(swatch, brush);
        painter.setPen(theme.axis);
        painter.drawRect(swatch.adjusted(0, 0, -1, -1));
        painter.setPen(theme.text);
        painter.drawText(QRect(x + side + 5, line.top(), wide, line.height()), Qt::AlignVCenter | Qt::AlignLeft, text);
        x += wide + 14;
    }
}

} // namespace peakscope
