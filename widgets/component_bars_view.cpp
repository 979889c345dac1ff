// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/component_bars_view.h"

#include "widgets/bytes_text.h"
#include "widgets/component_palette.h"
#include "widgets/legend_strip.h"

#include <QActionGroup>
#include <QLocale>

#include <algorithm>
#include <numeric>

namespace peakscope {

namespace {

QString percentText(std::int64_t part, std::int64_t whole)
{
    const double percent = whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
    return ComponentBarsView::tr("%1 %").arg(QLocale().toString(percent, 'f', percent < 10 ? 1 : 0));
}

std::int64_t sum(const ComponentBytes& bytes)
{
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

QString tooltipText(Component component, std::int64_t atPeak, std::int64_t maximum, std::int64_t total)
{
    return ComponentBarsView::tr("<b>%1</b><br>%2<br>At the peak: %3 (%4), %5 of it<br>Own maximum: %6 (%7)")
        .arg(componentTitle(component).toHtmlEscaped(), componentDefinition(component).toHtmlEscaped(),
             bytesText(atPeak), exactBytesText(atPeak), percentText(atPeak, total), bytesText(maximum),
             exactBytesText(maximum));
}

} // namespace

ComponentBarsView::ComponentBarsView(QWidget* parent) : BarsView(tr("Components"), tr("Memory"), parent)
{
    m_modes = new QActionGroup(this);
    const std::pair<Mode, QString> modes[] = {
        {Mode::AtPeak, tr("At the peak")}, {Mode::OwnMaximum, tr("Own maximum")}, {Mode::Both, tr("Both")}};
    for (const auto& [mode, text] : modes) {
        auto* action = new QAction(text, m_modes);
        action->setCheckable(true);
        action->setChecked(mode == m_mode);
        action->setData(static_cast<int>(mode));
    }
    addViewActions(m_modes);
    connect(m_modes, &QActionGroup::triggered, this,
            [this](QAction* action) { setMode(static_cast<Mode>(action->data().toInt())); });
    clear();
}

void ComponentBarsView::setData(const ComponentBytes& atPeak, const ComponentBytes& maxima)
{
    m_atPeak = atPeak;
    m_maxima = maxima;
    m_hasData = true;
    setPlaceholder(sum(atPeak) == 0 && sum(maxima) == 0 ? tr("No memory was recorded.") : QString());
    rebuild();
}

void ComponentBarsView::clear()
{
    m_atPeak = {};
    m_maxima = {};
    m_hasData = false;
    setPlaceholder(tr("What the peak is made of appears here with the first memory events."));
    rebuild();
}

void ComponentBarsView::setMode(Mode mode)
{
    m_mode = mode;
    for (QAction* action : m_modes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(mode));
    rebuild();
}

void ComponentBarsView::rebuild()
{
    std::vector<BarRow> rows;
    const std::int64_t total = sum(m_atPeak);
    const bool showPeak = m_mode != Mode::OwnMaximum, showMaximum = m_mode != Mode::AtPeak;
    const auto& order = componentStackOrder();
    // Top of the stack first, as in the timeline's legend.
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const auto index = static_cast<std::size_t>(*it);
        const std::int64_t atPeak = m_atPeak[index], maximum = m_maxima[index];
        if (atPeak == 0 && maximum == 0)
            continue;
        BarRow row;
        row.name = QString::fromStdString(std::string(peakscope::name(*it)));
        row.label = componentTitle(*it);
        row.tooltip = tooltipText(*it, atPeak, maximum, total);
        const QColor color = componentColor(*it);
        const QColor edge = edgeColor(color, theme());
        const QPen outline = edge.isValid() ? QPen(edge, 1) : QPen(Qt::NoPen);
        if (showPeak)
            row.bars.push_back({{{static_cast<double>(atPeak), color, outline, tr("at the peak")}},
                                tr("%1 · %2", "bytes · share").arg(bytesText(atPeak), percentText(atPeak, total))});
        if (showMaximum)
            row.bars.push_back({{{static_cast<double>(maximum), mixed(theme().background, color, 0.35),
                                  QPen(edge.isValid() ? edge : color, 1), tr("own maximum")}},
                                bytesText(maximum)});
        rows.push_back(std::move(row));
    }
    std::vector<LegendStrip::Entry> entries;
    const QColor ink = theme().mutedText;
    if (showPeak && showMaximum && m_hasData)
        entries = {{tr("At the peak (%1 in all)").arg(bytesText(total)), ink, Qt::NoPen},
                   {tr("Each component's own maximum"), mixed(theme().background, ink, 0.35), QPen(ink, 1)}};
    legend()->setEntries(std::move(entries));
    setRows(std::move(rows));
}

QString ComponentBarsView::summary() const
{
    if (rows().empty())
        return tr("No memory was recorded.");
    const auto largest = std::max_element(m_atPeak.begin(), m_atPeak.end());
    const auto component = static_cast<Component>(largest - m_atPeak.begin());
    return tr("%1 at the peak; the largest part is %2 with %3 (%4).")
        .arg(bytesText(sum(m_atPeak)), componentTitle(component), bytesText(*largest),
             percentText(*largest, sum(m_atPeak)));
}

} // namespace peakscope
