// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/component_bars_view.h"

#include "widgets/look/component_palette.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/reading_text.h"

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

} // namespace

ComponentBarsView::ComponentBarsView(QWidget* parent)
    : BarsView([] { return tr("Components"); }, [] { return tr("Memory"); }, parent)
{
    m_modes = addViewChoices({{static_cast<int>(Mode::AtPeak), [this] { return peakModeText(); }},
                              {static_cast<int>(Mode::OwnMaximum), [] { return tr("Own maximum"); }},
                              {static_cast<int>(Mode::Both), [] { return tr("Both"); }},
                              {static_cast<int>(Mode::Stages), [] { return tr("Stages"); }}},
                             static_cast<int>(m_mode), [this](int mode) { setMode(static_cast<Mode>(mode)); });
    setRowsScroll();
    clear();
}

void ComponentBarsView::setData(const ComponentBytes& atPeak, const ComponentBytes& maxima,
                                const ComponentReadings& readings, const std::vector<RecordedStage>& stages)
{
    m_atPeak = atPeak;
    m_maxima = maxima;
    m_readings = readings;
    m_stages = stages;
    m_when.clear();
    m_modes->actions().front()->setText(peakModeText());
    offerModes();
    m_hasData = true;
    setPlaceholder([none = !knowsComponents() && stages.empty()] {
        return none ? tr("What the memory is made of was not recorded.") : QString();
    });
    rebuild();
}

void ComponentBarsView::setInstant(const QString& when, const ComponentBytes& alive)
{
    if (when.isEmpty() && m_when.isEmpty())
        return;
    m_when = when;
    m_then = alive;
    m_modes->actions().front()->setText(peakModeText());
    rebuild();
}

void ComponentBarsView::clear()
{
    m_when.clear();
    m_atPeak = {};
    m_maxima = {};
    m_readings = {};
    m_stages.clear();
    offerModes();
    m_hasData = false;
    setPlaceholder([] { return tr("What the peak is made of appears here with the first memory events."); });
    rebuild();
}

void ComponentBarsView::setMode(Mode mode)
{
    m_mode = mode;
    offerModes();
    rebuild();
}

ComponentBarsView::Mode ComponentBarsView::mode() const
{
    if (!m_stages.empty() && (m_mode == Mode::Stages || !knowsComponents()))
        return Mode::Stages;
    if (!knowsMaxima())
        return Mode::AtPeak;
    return m_mode == Mode::Stages ? Mode::Both : m_mode;
}

// A choice of one is none.
void ComponentBarsView::offerModes()
{
    const bool stages = !m_stages.empty() && knowsComponents();
    const bool maxima = knowsMaxima() && knowsComponents();
    for (QAction* action : m_modes->actions()) {
        const auto mode = static_cast<Mode>(action->data().toInt());
        action->setVisible(mode == Mode::Stages ? stages : mode == Mode::AtPeak ? maxima || stages : maxima);
        action->setChecked(mode == this->mode());
    }
}

ComponentReading ComponentBarsView::commonReading() const
{
    const auto found = std::find_if(m_readings.begin(), m_readings.end(),
                                    [](ComponentReading reading) { return reading != ComponentReading::Cumulated; });
    return found == m_readings.end() ? ComponentReading::Cumulated : *found;
}

bool ComponentBarsView::knowsComponents() const
{
    return sum(m_atPeak) != 0 || sum(m_maxima) != 0;
}

bool ComponentBarsView::knowsMaxima() const
{
    return commonReading() == ComponentReading::AtPeak || sum(m_maxima) > 0;
}

QString ComponentBarsView::peakModeText() const
{
    const ComponentReading common = commonReading();
    return !m_when.isEmpty()                       ? tr("At %1", "an instant").arg(m_when)
           : common == ComponentReading::AtPeak    ? tr("At the peak")
           : common == ComponentReading::AfterStep ? tr("After the step")
                                                   : tr("As listed");
}

std::int64_t ComponentBarsView::commonBytes() const
{
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < kComponentCount; ++i)
        bytes += m_readings[i] == ComponentReading::Cumulated ? 0 : shownBytes()[i];
    return bytes;
}

QString ComponentBarsView::tooltipOf(std::size_t index) const
{
    const auto component = static_cast<Component>(index);
    const std::int64_t bytes = shownBytes()[index];
    const QString maximum = tr("Own maximum: %1 (%2)").arg(bytesText(m_maxima[index]), exactBytesText(m_maxima[index]));
    QStringList lines{QStringLiteral("<b>%1</b>").arg(componentTitle(component).toHtmlEscaped()),
                      componentDefinition(component).toHtmlEscaped()};
    if (m_readings[index] == ComponentReading::AtPeak) {
        lines << tr("%1: %2 (%3), %4 of it", "when, bytes, exact bytes, share")
                     .arg(peakModeText(), bytesText(bytes), exactBytesText(bytes), percentText(bytes, commonBytes()))
              << maximum;
    } else {
        lines << tr("%1 (%2), %3", "bytes, exact bytes, how they were read")
                     .arg(bytesText(bytes), exactBytesText(bytes), readingText(m_readings[index]))
              << readingCaveat(m_readings[index]);
        if (m_maxima[index] > 0)
            lines << maximum;
    }
    return lines.join(QStringLiteral("<br>"));
}

std::vector<LegendStrip::Entry> ComponentBarsView::legendEntries(bool showPeak, bool showMaximum) const
{
    const QColor ink = theme().mutedText;
    std::vector<LegendStrip::Entry> entries;
    const ComponentReading common = commonReading();
    if (showPeak && common != ComponentReading::AtPeak)
        entries.push_back(
            {tr("%1 in all, %2", "bytes, how they were read").arg(bytesText(commonBytes()), readingText(common)),
             readingBrush(common, ink), QPen(ink, 1)});
    else if (showPeak && showMaximum)
        entries.push_back(
            {tr("%1 (%2 in all)", "when, bytes").arg(peakModeText(), bytesText(commonBytes())), ink, Qt::NoPen});
    const bool cumulated =
        std::find(m_readings.begin(), m_readings.end(), ComponentReading::Cumulated) != m_readings.end();
    if (showPeak && cumulated && common != ComponentReading::Cumulated)
        entries.push_back(
            {tr("%1: no part of the peak", "how it was read").arg(readingText(ComponentReading::Cumulated)),
             readingBrush(ComponentReading::Cumulated, ink), QPen(ink, 1)});
    if (showPeak && showMaximum)
        entries.push_back({tr("Own maximum"), mixed(theme().background, ink, 0.35), QPen(ink, 1)});
    return entries;
}

// In the order in which they ran, as their script names them.
void ComponentBarsView::showStages()
{
    std::vector<BarRow> rows;
    const QColor ink = theme().mutedText;
    for (const RecordedStage& stage : m_stages) {
        BarRow row;
        row.name = QString::fromStdString(stage.name);
        row.label = QString(row.name).replace(u'_', u' ');
        row.tooltip =
            QStringLiteral("<b>%1</b><br>%2")
                .arg(row.label.toHtmlEscaped(),
                     tr("As recorded in the file: %1 (%2)").arg(bytesText(stage.bytes), exactBytesText(stage.bytes)));
        row.bars.push_back({{{static_cast<double>(stage.bytes), mixed(theme().background, ink, 0.5), QPen(ink, 1),
                              tr("recorded by stage")}},
                            bytesText(stage.bytes)});
        rows.push_back(std::move(row));
    }
    legend()->setEntries({});
    setRows(std::move(rows));
}

void ComponentBarsView::sayTitle()
{
    explain(
        [stages = mode() == Mode::Stages, common = commonReading()] {
            return stages ? tr("A bar is a stage, as its script recorded it.")
                   : common == ComponentReading::AtPeak
                       ? tr("A bar is what one component holds at that instant. A pale bar is its own maximum, at any "
                            "time.")
                       : tr("A bar is one component.") + QLatin1Char(' ') + readingCaveat(common);
        },
        "components");
    setTitle([stages = mode() == Mode::Stages, when = m_when] {
        return stages ? tr("Stages as recorded") : when.isEmpty() ? tr("Components") : tr("Components at %1").arg(when);
    });
}

void ComponentBarsView::rebuild()
{
    emit stagesShown(mode() == Mode::Stages);
    sayTitle();
    if (mode() == Mode::Stages) {
        showStages();
        return;
    }
    std::vector<BarRow> rows;
    const std::int64_t total = commonBytes();
    const bool showPeak = mode() != Mode::OwnMaximum;
    const bool showMaximum = mode() != Mode::AtPeak;
    const auto& order = componentStackOrder();
    // Top of the stack first, as in the timeline's legend.
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const auto index = static_cast<std::size_t>(*it);
        const std::int64_t atPeak = shownBytes()[index], maximum = m_maxima[index];
        if (atPeak == 0 && maximum == 0)
            continue;
        BarRow row;
        row.name = QString::fromStdString(std::string(peakscope::name(*it)));
        row.label = componentTitle(*it);
        row.tooltip = tooltipOf(index);
        const QColor color = componentColor(*it);
        const QColor edge = edgeColor(color, theme());
        const ComponentReading reading = m_readings[index];
        const QPen outline = reading != ComponentReading::AtPeak ? QPen(color, 1)
                             : edge.isValid()                    ? QPen(edge, 1)
                                                                 : QPen(Qt::NoPen);
        const QString text = reading == ComponentReading::AtPeak
                                 ? tr("%1 · %2", "bytes · share").arg(bytesText(atPeak), percentText(atPeak, total))
                             : reading == ComponentReading::Cumulated ? tagged(bytesText(atPeak), reading)
                                                                      : bytesText(atPeak);
        if (showPeak)
            row.bars.push_back({{{static_cast<double>(atPeak), readingBrush(reading, color), outline,
                                  m_when.isEmpty() ? readingText(reading) : peakModeText()}},
                                text,
                                bytesText(atPeak)});
        if (showMaximum)
            row.bars.push_back({{{static_cast<double>(maximum), mixed(theme().background, color, 0.35),
                                  QPen(edge.isValid() ? edge : color, 1), tr("own maximum")}},
                                bytesText(maximum)});
        rows.push_back(std::move(row));
    }
    legend()->setEntries(m_hasData ? legendEntries(showPeak, showMaximum) : std::vector<LegendStrip::Entry>());
    setRows(std::move(rows));
}

QString ComponentBarsView::summary() const
{
    if (rows().empty())
        return tr("What the memory is made of was not recorded.");
    if (mode() == Mode::Stages) {
        const auto largest = std::max_element(m_stages.begin(), m_stages.end(),
                                              [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
        return tr("The largest of %1 recorded stages is %2 with %3.")
            .arg(QString::number(m_stages.size()), QString::fromStdString(largest->name), bytesText(largest->bytes));
    }
    const ComponentReading common = commonReading();
    if (common != ComponentReading::AtPeak)
        return tr("%1 in all, %2.", "bytes, how they were read").arg(bytesText(commonBytes()), readingText(common)) +
               QLatin1Char(' ') + readingCaveat(common);
    const ComponentBytes& shown = shownBytes();
    const auto largest = std::max_element(shown.begin(), shown.end());
    const auto component = static_cast<Component>(largest - shown.begin());
    const QString all = bytesText(sum(shown)), part = bytesText(*largest), share = percentText(*largest, sum(shown));
    return m_when.isEmpty() ? tr("%1 at the peak; the largest part is %2 with %3 (%4).")
                                  .arg(all, componentTitle(component), part, share)
                            : tr("%1 at %5; the largest part is %2 with %3 (%4).")
                                  .arg(all, componentTitle(component), part, share, m_when);
}

} // namespace peakscope
