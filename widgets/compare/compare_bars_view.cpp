// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_bars_view.h"

#include "widgets/compare/compare_style.h"
#include "widgets/look/component_palette.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/reading_text.h"

#include <QActionGroup>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

namespace peakscope {

namespace {

bool cumulated(const CompareBarsRun& run, std::size_t component)
{
    return run.readings[component] == ComponentReading::Cumulated;
}

// Of the bytes that a run has, those other than at the peak.
std::set<ComponentReading> readingsOf(const CompareBarsRun& run)
{
    std::set<ComponentReading> found;
    for (std::size_t i = 0; i < kComponentCount; ++i) {
        if (run.components[i].value_or(0) != 0 && run.readings[i] != ComponentReading::AtPeak)
            found.insert(run.readings[i]);
    }
    return found;
}

// Whether any part of the bars is such: a legend names nothing else.
template <typename Is>
bool draws(const std::vector<BarRow>& rows, Is is)
{
    const auto inBar = [&](const Bar& bar) { return std::any_of(bar.segments.begin(), bar.segments.end(), is); };
    return std::any_of(rows.begin(), rows.end(),
                       [&](const BarRow& row) { return std::any_of(row.bars.begin(), row.bars.end(), inBar); });
}

} // namespace

bool CompareBarsRun::atPeak() const
{
    return std::all_of(readings.begin(), readings.end(),
                       [](ComponentReading reading) { return reading == ComponentReading::AtPeak; });
}

CompareBarsView::CompareBarsView(QWidget* parent)
    : BarsView([] { return tr("Peaks"); }, [] { return tr("Memory"); }, parent)
{
    explain([] { return tr("A bar is the peak of a run, its colours what the peak is made of. Hollow: predicted."); },
            "figures");
    m_modes = addViewChoices({{static_cast<int>(Mode::Stacked), [] { return tr("Peaks"); }},
                              {static_cast<int>(Mode::Overhead), [] { return tr("Overhead"); }},
                              {static_cast<int>(Mode::ByComponent), [] { return tr("By component"); }}},
                             static_cast<int>(m_mode), [this](int mode) { setMode(static_cast<Mode>(mode)); });
    setRuns({}, 0);
}

void CompareBarsView::setRuns(std::vector<CompareBarsRun> runs, std::size_t base)
{
    m_runs = std::move(runs);
    m_base = m_runs.empty() ? 0 : std::min(base, m_runs.size() - 1);
    rebuild();
}

void CompareBarsView::setMode(Mode mode)
{
    m_mode = mode;
    for (QAction* action : m_modes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(mode));
    rebuild();
}

QString CompareBarsView::label(std::size_t run) const
{
    return compareLetter(run) + QLatin1Char(' ') + m_runs[run].title;
}

std::vector<Component> CompareBarsView::componentsPresent() const
{
    std::vector<Component> present;
    for (const Component component : componentStackOrder()) {
        const auto index = static_cast<std::size_t>(component);
        if (std::any_of(m_runs.begin(), m_runs.end(),
                        [index](const CompareBarsRun& run) { return run.components[index].value_or(0) != 0; }))
            present.push_back(component);
    }
    return present;
}

// What was not alive at the peak is hatched.
BarSegment CompareBarsView::segmentOf(Component component, double bytes, ComponentReading reading) const
{
    const bool solid = reading == ComponentReading::AtPeak;
    const QColor color = componentColor(component);
    const QColor edge = edgeColor(color, theme());
    BarSegment segment;
    segment.bytes = bytes;
    segment.brush = readingBrush(reading, color);
    segment.outline = !solid ? QPen(color, 1) : edge.isValid() ? QPen(edge, 1) : QPen(Qt::NoPen);
    segment.name = componentTitle(component);
    return segment;
}

QString CompareBarsView::tooltipOf(std::size_t run) const
{
    const CompareBarsRun& content = m_runs[run];
    QString text = QStringLiteral("<b>%1</b>").arg(label(run).toHtmlEscaped());
    if (!content.badge.isEmpty())
        text += QStringLiteral(" · ") + content.badge.toHtmlEscaped();
    if (content.peakBytes)
        text += QStringLiteral("<br>") + tr("Peak: %1").arg(bytesText(*content.peakBytes));
    if (content.predictedBytes > 0)
        text += QStringLiteral("<br>") +
                (content.predictionIsBound ? tr("Planned for at most: %1") : tr("Predicted peak: %1"))
                    .arg(bytesText(content.predictedBytes));
    for (const ComponentReading reading : readingsOf(content))
        text += QStringLiteral("<br>") + readingCaveat(reading);
    for (const Component component : componentsPresent()) {
        const auto& bytes = content.components[static_cast<std::size_t>(component)];
        text += QStringLiteral("<br>%1: %2")
                    .arg(componentTitle(component).toHtmlEscaped(), bytes ? bytesText(*bytes) : tr("not measured"));
        const ComponentReading reading = content.readings[static_cast<std::size_t>(component)];
        if (bytes && reading == ComponentReading::Cumulated)
            text += QStringLiteral(", ") + readingText(reading);
    }
    return text;
}

std::vector<BarRow> CompareBarsView::stackedRows() const
{
    const std::vector<Component> components = componentsPresent();
    std::vector<BarRow> rows;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const CompareBarsRun& run = m_runs[i];
        BarRow row{compareLetter(i), label(i), tooltipOf(i), {}};
        Bar stack;
        std::vector<Bar> apart; // what was never alive together with the rest
        ComponentReading common = ComponentReading::AtPeak;
        for (const Component component : components) {
            const auto index = static_cast<std::size_t>(component);
            const auto& bytes = run.components[index];
            if (!bytes || *bytes == 0)
                continue;
            BarSegment segment = segmentOf(component, static_cast<double>(*bytes), run.readings[index]);
            if (run.readings[index] == ComponentReading::Cumulated) {
                apart.push_back({{std::move(segment)}, tagged(bytesText(*bytes), run.readings[index])});
            } else {
                common = run.readings[index];
                stack.segments.push_back(std::move(segment));
            }
        }
        const QColor ink = theme().mutedText;
        if (run.peakBytes && (stack.segments.empty() || common != ComponentReading::AtPeak)) {
            Bar peak{{{static_cast<double>(*run.peakBytes), Qt::NoBrush, QPen(ink, 1), tr("peak")}},
                     tr("%1 peak").arg(bytesText(*run.peakBytes))};
            row.bars.push_back(std::move(peak));
        }
        if (!stack.segments.empty()) {
            stack.valueText = common == ComponentReading::AtPeak && run.peakBytes
                                  ? bytesText(*run.peakBytes)
                                  : tagged(bytesText(static_cast<std::int64_t>(stack.total())), common);
            row.bars.push_back(std::move(stack));
        }
        std::move(apart.begin(), apart.end(), std::back_inserter(row.bars));
        if (run.predictedBytes > 0) {
            Bar predicted{
                {{static_cast<double>(run.predictedBytes), Qt::NoBrush, QPen(ink, 1, Qt::DashLine),
                  run.predictionIsBound ? tr("planned") : tr("predicted")}},
                (run.predictionIsBound ? tr("at most %1") : tr("%1 predicted")).arg(bytesText(run.predictedBytes))};
            row.bars.push_back(std::move(predicted));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<BarRow> CompareBarsView::overheadRows() const
{
    std::vector<BarRow> rows;
    const CompareBarsRun& base = m_runs[m_base];
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        if (i == m_base)
            continue;
        const CompareBarsRun& run = m_runs[i];
        BarRow row{compareLetter(i), label(i), tooltipOf(i), {}};
        const bool solid = run.atPeak() && base.atPeak();
        Bar bar;
        for (const Component component : componentsPresent()) {
            const auto index = static_cast<std::size_t>(component);
            if (!run.components[index] || (!base.components[index] && base.atPeak()) || cumulated(run, index) ||
                cumulated(base, index))
                continue;
            const std::int64_t extra = *run.components[index] - base.components[index].value_or(0);
            if (extra != 0)
                bar.segments.push_back(segmentOf(component, static_cast<double>(extra),
                                                 solid ? ComponentReading::AtPeak : ComponentReading::AfterStep));
        }
        if (run.peakBytes && base.peakBytes) {
            const std::int64_t extra = *run.peakBytes - *base.peakBytes;
            QString amount = signedBytesText(extra);
            if (*base.peakBytes > 0) {
                const double ratio = static_cast<double>(*run.peakBytes) / static_cast<double>(*base.peakBytes);
                amount += QStringLiteral(" (×%1)").arg(QLocale().toString(ratio, 'f', 2));
            }
            const QString text = tr("%1, at the peak").arg(amount);
            if (solid && !bar.segments.empty()) {
                bar.valueText = text;
            } else {
                // What was read apart from the peak does not explain it: the two stand under one another.
                row.bars.push_back({{{static_cast<double>(extra), Qt::NoBrush, QPen(theme().mutedText, 1),
                                      tr("difference of the peaks")}},
                                    text});
            }
        }
        if (!solid)
            bar.valueText = tr("%1, after the step").arg(signedBytesText(static_cast<std::int64_t>(bar.total())));
        if (bar.segments.empty() && !row.bars.empty()) {
            rows.push_back(std::move(row));
            continue;
        }
        row.bars.push_back(std::move(bar));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<BarRow> CompareBarsView::componentRows() const
{
    std::vector<BarRow> rows;
    const std::vector<Component> components = componentsPresent();
    for (auto component = components.rbegin(); component != components.rend(); ++component) {
        const auto index = static_cast<std::size_t>(*component);
        BarRow row;
        row.name = QString::fromStdString(std::string(name(*component)));
        row.label = componentTitle(*component);
        row.tooltip = QStringLiteral("<b>%1</b><br>%2")
                          .arg(row.label.toHtmlEscaped(), componentDefinition(*component).toHtmlEscaped());
        QStringList drawn, others; // values, those of runs that agree once
        std::map<QString, QStringList> letters;
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            const auto& bytes = m_runs[i].components[index];
            Bar bar;
            const QString value = bytes ? bytesText(*bytes) : tr("not measured");
            if (letters[value].isEmpty())
                (bytes.value_or(0) != 0 ? drawn : others) << value;
            letters[value] << compareLetter(i);
            bar.valueText = compareLetter(i) + QLatin1Char(' ') + value;
            if (bytes)
                bar.segments.push_back(segmentOf(*component, static_cast<double>(*bytes), m_runs[i].readings[index]));
            if (bytes && cumulated(m_runs[i], index))
                bar.valueText += QStringLiteral(", ") + readingText(ComponentReading::Cumulated);
            row.bars.push_back(std::move(bar));
        }
        for (const QString& value : drawn + others)
            row.lineValues << letters[value].join(QStringLiteral(" & ")) + QLatin1Char(' ') + value;
        rows.push_back(std::move(row));
    }
    return rows;
}

// Which of the bars of a row is whose: their order, the run's own among them.
std::vector<LegendStrip::Entry> CompareBarsView::orderEntries() const
{
    std::vector<LegendStrip::Entry> entries;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const auto sign = [i, count = m_runs.size(), theme = theme()](QPainter& painter, const QRectF& box) {
            const double pitch = box.height() / static_cast<double>(count);
            for (std::size_t bar = 0; bar < count; ++bar) {
                const double top = box.top() + static_cast<double>(bar) * pitch;
                painter.fillRect(QRectF(box.left(), top, box.width(), std::max(1.0, pitch - 1)),
                                 bar == i ? theme.text : theme.grid);
            }
        };
        entries.push_back({label(i), {}, Qt::NoPen, sign});
    }
    return entries;
}

void CompareBarsView::rebuild()
{
    const bool two = m_runs.size() >= 2;
    if (m_runs.empty())
        setPlaceholder([] { return tr("The runs' peaks appear here, side by side."); });
    else if (m_mode == Mode::Overhead && !two)
        setPlaceholder([] { return tr("An overhead needs a second run."); });
    else if (m_mode == Mode::ByComponent && componentsPresent().empty())
        setPlaceholder([] { return tr("None of these runs has components."); });
    else
        setPlaceholder({});
    std::vector<BarRow> rows;
    if (!m_runs.empty())
        rows = m_mode == Mode::Stacked    ? stackedRows()
               : m_mode == Mode::Overhead ? (two ? overheadRows() : rows)
                                          : componentRows();
    setTitle([beyond = m_mode == Mode::Overhead && two, base = m_base] {
        return beyond ? tr("Beyond run %1").arg(compareLetter(base)) : tr("Peaks");
    });
    std::vector<LegendStrip::Entry> entries;
    if (m_mode == Mode::ByComponent && two)
        entries = orderEntries();
    for (const Component component : componentsPresent()) {
        const BarSegment swatch = segmentOf(component, 1, ComponentReading::AtPeak);
        if (m_mode != Mode::ByComponent && draws(rows, [&](const BarSegment& one) { return one.name == swatch.name; }))
            entries.push_back({swatch.name, swatch.brush, swatch.outline});
    }
    const QColor ink = theme().mutedText;
    std::set<ComponentReading> readings;
    for (const CompareBarsRun& run : m_runs)
        readings.merge(readingsOf(run));
    for (const ComponentReading reading : readings) {
        const QBrush brush = readingBrush(reading, ink);
        if (draws(rows, [&](const BarSegment& one) { return one.brush.style() == brush.style(); }))
            entries.push_back({tr("hatched: %1", "how it was read").arg(readingText(reading)), brush, QPen(ink, 1)});
    }
    legend()->setEntries(std::move(entries));
    setRows(std::move(rows));
}

QString CompareBarsView::summary() const
{
    QStringList parts;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        if (m_runs[i].peakBytes)
            parts << tr("%1: peak %2").arg(label(i), bytesText(*m_runs[i].peakBytes));
    }
    return parts.isEmpty() ? tr("No peaks are compared.") : parts.join(QStringLiteral("; "));
}

} // namespace peakscope
