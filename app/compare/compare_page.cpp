// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_page.h"

#include "app/compare/compare_words.h"
#include "app/library/library_panel.h"
#include "app/window/icons.h"
#include "app/window/message_bar.h"
#include "core/base/json_reader.h"
#include "core/base/units.h"
#include "core/results/timed_round.h"
#include "widgets/compare/compare_bars_view.h"
#include "widgets/compare/compare_scatter_view.h"
#include "widgets/compare/compare_style.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/look/component_palette.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/plain_text.h"

#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace peakscope {

namespace {

QString badgeOf(const RunResult& result)
{
    QStringList badges = runBadges(result);
    if (!result.memory && result.prediction)
        badges << ComparePage::tr("predicted");
    else if (result.other.is_object() && result.other.contains("source"))
        badges << ComparePage::tr("imported");
    return badges.join(QStringLiteral(", "));
}

// One run as a column head: letter, name, main numbers; a click shows the run.
class RunColumn : public QFrame
{
public:
    RunColumn(std::size_t run, const QString& label, const RunResult& result, bool isBase, QWidget* parent)
        : QFrame(parent)
    {
        setFrameShape(QFrame::StyledPanel);
        const ChartTheme theme = chartTheme(palette());
        auto* grid = new QGridLayout(this);
        grid->setContentsMargins(8, 3, 4, 3);
        grid->setSpacing(2);
        auto* head = new QLabel(QStringLiteral("<b><span style=\"color:%1\">%2</span></b>&nbsp; %3")
                                    .arg(compareColor(run, theme.dark).name(), compareLetter(run),
                                         fontMetrics()
                                             .elidedText(label, Qt::ElideMiddle, fontMetrics().averageCharWidth() * 34)
                                             .toHtmlEscaped()),
                                this);
        head->setToolTip(plainToolTip(label));
        QStringList facts;
        if (result.memory && result.memory->peakBytes > 0)
            facts << ComparePage::tr("peak %1").arg(bytesText(result.memory->peakBytes));
        else if (result.prediction && result.prediction->peakBytes > 0)
            facts << ComparePage::tr("predicted %1").arg(bytesText(result.prediction->peakBytes));
        if (result.timing && result.timing->medianStepSeconds > 0) {
            const QString step = QString::fromStdString(formatSeconds(result.timing->medianStepSeconds));
            facts << (tooBusy(timedRounds(result)) ? ComparePage::tr("step %1, machine busy").arg(step)
                                                   : ComparePage::tr("step %1").arg(step));
        }
        if (facts.isEmpty())
            facts << ComparePage::tr("nothing measured");
        QString second = facts.join(QStringLiteral(" · ")).toHtmlEscaped();
        QStringList marks;
        if (isBase)
            marks << ComparePage::tr("compared against");
        if (const QString badge = badgeOf(result); !badge.isEmpty())
            marks << badge;
        if (!marks.isEmpty())
            second += QStringLiteral(" <span style=\"color:%1\">· %2</span>")
                          .arg(theme.mutedText.name(), marks.join(QStringLiteral(", ")).toHtmlEscaped());
        auto* numbers = new QLabel(second, this);
        remove = new QToolButton(this);
        remove->setAutoRaise(true);
        remove->setIcon(glyphIcon(Glyph::Close));
        remove->setIconSize(QSize(12, 12));
        remove->setToolTip(ComparePage::tr("Take run %1 out of the comparison").arg(compareLetter(run)));
        remove->setAccessibleName(remove->toolTip());
        grid->addWidget(head, 0, 0);
        grid->addWidget(remove, 0, 1, Qt::AlignTop | Qt::AlignRight);
        grid->addWidget(numbers, 1, 0, 1, 2);
        grid->setColumnStretch(0, 1);
        setCursor(Qt::PointingHandCursor);
        setToolTip(ComparePage::tr("Double click: show this run alone"));
        setAccessibleName(compareLetter(run) + QLatin1Char(' ') + label + QStringLiteral(", ") +
                          facts.join(QStringLiteral(", ")));
    }

    QToolButton* remove = nullptr;
    std::function<void()> activated;

protected:
    void mouseDoubleClickEvent(QMouseEvent*) override
    {
        if (activated)
            activated();
    }
};

} // namespace

void ComparePage::setRuns(std::vector<RunDocument> runs)
{
    std::erase_if(runs, [](const RunDocument& run) { return !run.result; });
    m_messages->dismiss();
    if (runs.size() > kMostRuns) {
        m_messages->showMessage(MessageBar::Kind::Info, [count = runs.size()] {
            return tr("The first %1 of %2 runs are compared; more cannot be read side by side.")
                .arg(kMostRuns)
                .arg(count);
        });
        runs.resize(kMostRuns);
    }
    m_runs = std::move(runs);
    std::vector<ComparedRun> compared;
    for (const RunDocument& run : m_runs)
        compared.push_back({run.result, run.timeline});
    m_base = naturalBase(compared);
    compute();
    emit runsChanged();
}

void ComparePage::removeRun(std::size_t index)
{
    if (index >= m_runs.size())
        return;
    std::vector<RunDocument> runs = m_runs;
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(index));
    setRuns(std::move(runs));
}

std::vector<std::shared_ptr<const RunResult>> ComparePage::results() const
{
    std::vector<std::shared_ptr<const RunResult>> results;
    for (const RunDocument& run : m_runs)
        results.push_back(run.result);
    return results;
}

void ComparePage::setBase(std::size_t base)
{
    if (base >= m_runs.size())
        return;
    m_base = base;
    compute();
}

TimelineAlignment ComparePage::alignment() const
{
    return static_cast<TimelineAlignment>(m_alignmentBox->currentData().toInt());
}

void ComparePage::setAlignment(TimelineAlignment alignment)
{
    m_alignmentBox->setCurrentIndex(m_alignmentBox->findData(static_cast<int>(alignment)));
    compute();
}

QStringList ComparePage::labels() const
{
    QStringList list;
    for (const QString& label : runLabels(results()))
        list << label;
    return list;
}

void ComparePage::compute()
{
    m_stack->setCurrentIndex(m_runs.empty() ? 0 : 1);
    m_answer.reset();
    if (m_runs.empty()) {
        m_worker.forget();
        m_sign.stop();
        emit answered(); // nothing is asked any more
        return;
    }
    showColumns();
    m_sign.start();
    m_worker.ask(m_runs, m_base, alignment());
    if (!std::exchange(m_sized, true))
        applyDefaultSizes();
}

void ComparePage::showAnswer(const std::shared_ptr<const CompareAnswer>& answer)
{
    m_sign.stop();
    m_answer = answer;
    fillViews();
    emit answered();
}

void ComparePage::fillViews()
{
    showTimelines();
    showBars();
    showTables();
    showCaveats();
}

void ComparePage::showColumns()
{
    while (QLayoutItem* item = m_columns->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater(); // a click on its own button may be under way
        }
        delete item;
    }
    const QStringList names = labels();
    m_baseBox->clear();
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const QString label = names.value(static_cast<qsizetype>(i));
        auto* column = new RunColumn(i, label, *m_runs[i].result, i == m_base, m_columnRow);
        connect(column->remove, &QToolButton::clicked, this, [this, i] { removeRun(i); });
        column->activated = [this, path = m_runs[i].path] { emit runActivated(path); };
        m_columns->addWidget(column, 1);
        m_baseBox->addItem(compareLetter(i) + QLatin1Char(' ') + label);
    }
    m_baseBox->setCurrentIndex(static_cast<int>(m_base));
}

void ComparePage::showTimelines()
{
    const QStringList names = labels();
    std::vector<CompareLane> lanes;
    bool stretched = false;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const RunResult& result = *m_runs[i].result;
        CompareLane lane;
        lane.title = names.value(static_cast<qsizetype>(i));
        lane.badge = runBadges(result).join(QStringLiteral(", "));
        lane.timeline = m_answer->timelines[i];
        lane.missing =
            result.memory ? tr("This run was imported without a timeline.") : tr("This run holds no measured memory.");
        if (result.memory && lane.timeline)
            lane.phases = mapped(result.memory->phases, m_answer->maps[i]);
        lane.predictedBytes = result.prediction ? result.prediction->peakBytes : 0;
        lane.budgetBytes = lenient::integer(result.config, "budget_bytes", 0);
        stretched = stretched || m_answer->maps[i].stretches();
        lanes.push_back(std::move(lane));
    }
    m_timelines->setTitle([stretched, base = m_base] {
        return stretched ? tr("Memory over the time of run %1").arg(compareLetter(base)) : tr("Memory over time");
    });
    m_timelines->setLanes(std::move(lanes), m_base);
}

void ComparePage::showBars()
{
    const QStringList names = labels();
    std::vector<CompareBarsRun> bars;
    std::vector<ComparePoint> points;
    std::vector<ComparedRun> compared;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const RunResult& result = *m_runs[i].result;
        CompareBarsRun bar;
        ComparePoint point;
        bar.title = point.title = names.value(static_cast<qsizetype>(i));
        bar.badge = point.badge = badgeOf(result);
        bar.predictedBytes = result.prediction ? result.prediction->peakBytes : 0;
        bar.readings = componentReadings(result);
        if (result.memory && result.memory->peakBytes > 0)
            bar.peakBytes = point.peakBytes = result.memory->peakBytes;
        for (std::size_t c = 0; c < kComponentCount; ++c) {
            if (hasComponent(result, static_cast<Component>(c)))
                bar.components[c] = result.memory->peakComponents[c];
        }
        if (result.timing && result.timing->medianStepSeconds > 0)
            point.stepSeconds = result.timing->medianStepSeconds;
        if (const QString busy = timesBadge(result); !busy.isEmpty())
            point.badge += (point.badge.isEmpty() ? QString() : QStringLiteral(", ")) + busy;
        bars.push_back(std::move(bar));
        points.push_back(std::move(point));
        compared.push_back({m_runs[i].result, m_runs[i].timeline});
    }
    m_bars->setRuns(std::move(bars), m_base);
    m_scatter->setPoints(std::move(points), m_base, memoryFloor(compared));
}

void ComparePage::showTables()
{
    const RunComparison& comparison = m_answer->comparison;
    for (std::size_t i = 0; i < kComparisonGroupCount; ++i) {
        const auto group = static_cast<ComparisonGroup>(i);
        table(QString::fromStdString(std::string(name(group))))->setTable(comparisonTable(comparison, group));
    }
    table(QStringLiteral("settings"))->setTable(settingsTable(comparison));
    Table growth{"growth",
                 {{"quantity", ""},
                  {"setting", ""},
                  {"exponent", ""},
                  {"standard_error", ""},
                  {"low_95", ""},
                  {"high_95", ""},
                  {"runs", ""}},
                 {}};
    QStringList sentences;
    for (const ScalingFit& fit : comparison.fits) {
        growth.rows.push_back({fit.quantity == "peak_bytes" ? std::string("peak") : std::string("step"), fit.setting,
                               fit.fit.exponent, fit.fit.standardError, fit.fit.low, fit.fit.high, fit.fit.points});
        sentences << growthText(fit);
    }
    table(QStringLiteral("growth"))->setTable(std::move(growth));
    m_growthText = sentences.join(QStringLiteral("   ·   "));
    m_growth->setToolTip(plainToolTip(m_growthText));
    fitGrowth();
    Table notes{"notes", {{"note", ""}}, {}};
    for (const QString& caveat : caveatTexts(comparison))
        notes.rows.push_back({caveat.toStdString()});
    table(QStringLiteral("notes"))->setTable(std::move(notes));
}

QString ComparePage::caveats() const
{
    return m_answer ? caveatTexts(m_answer->comparison).join(QStringLiteral("\n")) : QString();
}

void ComparePage::showCaveats()
{
    constexpr qsizetype kShown = 2;
    const QStringList texts = m_answer ? caveatTexts(m_answer->comparison) : QStringList();
    m_caveats->setVisible(!texts.isEmpty());
    const ChartTheme theme = chartTheme(palette());
    QStringList shown;
    for (const QString& text : texts.mid(0, kShown))
        shown << text.toHtmlEscaped();
    QString html = QStringLiteral("<span style=\"color:%1\"><b>%2</b></span> %3")
                       .arg(theme.warning.name(), tr("Mind:").toHtmlEscaped(), shown.join(QStringLiteral("; ")));
    if (texts.size() > kShown)
        html += QStringLiteral("; <a href=\"notes\" style=\"color:%1\">%2</a>")
                    .arg(theme.accent.name(), tr("and %1 more").arg(texts.size() - kShown).toHtmlEscaped());
    m_caveats->setText(html);
    m_caveats->setToolTip(plainToolTip(texts.join(QStringLiteral("\n"))));
}

void ComparePage::inspectRow(const QString& table, const QString& name)
{
    if (!m_answer)
        return;
    for (std::size_t i = 0; i < kComparisonGroupCount; ++i) {
        const auto group = static_cast<ComparisonGroup>(i);
        if (table.toStdString() != peakscope::name(group))
            continue;
        for (const ComparedRow& row : m_answer->comparison.rows(group)) {
            if (row.name != name.toStdString())
                continue;
            inspect([answer = m_answer, group, row, names = labels()] {
                return inspectComparedRow(answer->comparison, group, row, names);
            });
            if (group == ComparisonGroup::Components)
                m_bars->setCurrentRow(name);
            emit nameSelected(table, name);
            return;
        }
    }
}

// Every run within the selected range: its highest total there, and when.
void ComparePage::inspectRange(double lower, double upper)
{
    if (m_answer)
        inspect([answer = m_answer, lower, upper, base = m_base, names = labels()] {
            return rangeContent(*answer, lower, upper, base, names);
        });
}

InspectorContent ComparePage::rangeContent(const CompareAnswer& answer, double lower, double upper, std::size_t base,
                                           const QStringList& names)
{
    InspectorContent content;
    content.title = tr("Selected range");
    content.definition = tr("The highest total of every run within the range, on the common time axis.");
    InspectorContent::Section section{tr("Highest totals"), {}};
    std::optional<std::int64_t> from;
    const auto highest = [&](std::size_t run) -> std::optional<std::int64_t> {
        const auto& timeline = answer.timelines[run];
        if (!timeline)
            return std::nullopt;
        const auto columns = timeline->sample(lower, upper, 1);
        return columns.empty() ? std::nullopt : std::optional(columns.front().totalBytes);
    };
    from = highest(base);
    for (std::size_t i = 0; i < answer.timelines.size(); ++i) {
        const std::optional<std::int64_t> bytes = highest(i);
        QString explanation = names.value(static_cast<qsizetype>(i));
        if (bytes && from && i != base) {
            const std::int64_t extra = *bytes - *from;
            explanation += QStringLiteral(" · %1%2").arg(extra < 0 ? QString(QChar(0x2212)) : QStringLiteral("+"),
                                                         bytesText(std::abs(extra)));
        }
        section.rows.push_back({compareLetter(i), bytes ? bytesText(*bytes) : tr("no timeline"), explanation});
    }
    content.sections.push_back(std::move(section));
    return content;
}

std::optional<std::pair<double, double>> ComparePage::runRange(const QString& path) const
{
    const auto range = m_timelines->selectedRange();
    for (std::size_t i = 0; range && m_answer && i < m_runs.size(); ++i) {
        if (m_runs[i].path == path)
            return std::pair(m_answer->maps[i].inverse(range->first), m_answer->maps[i].inverse(range->second));
    }
    return std::nullopt;
}

void ComparePage::selectRunRange(const QString& path, double lower, double upper)
{
    for (std::size_t i = 0; m_answer && i < m_runs.size(); ++i) {
        if (m_runs[i].path != path)
            continue;
        m_timelines->setSelectedRange(m_answer->maps[i].map(lower), m_answer->maps[i].map(upper));
        return;
    }
}

void ComparePage::selectName(const QString& table, const QString& name)
{
    if (DataTableView* view = this->table(table))
        view->setCurrentName(name);
}

} // namespace peakscope
