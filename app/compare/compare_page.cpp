// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_page.h"

#include "app/compare/compare_columns.h"
#include "app/compare/compare_responses.h"
#include "app/compare/compare_snapshots.h"
#include "app/compare/compare_subject.h"
#include "app/compare/compare_tables.h"
#include "app/compare/compare_words.h"
#include "app/library/library_panel.h"
#include "app/parts/dock_area.h"
#include "app/parts/empty_page.h"
#include "app/parts/icons.h"
#include "app/parts/message_bar.h"
#include "app/parts/save_file.h"
#include "app/shell/inspector_content.h"
#include "core/base/json/json_reader.h"
#include "core/results/prediction_bound.h"
#include "widgets/compare/compare_bars_view.h"
#include "widgets/compare/compare_scatter_view.h"
#include "widgets/compare/compare_style.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/figures/page/figure_text.h"
#include "widgets/look/component_palette.h"
#include "widgets/look/pieces.h"
#include "widgets/snapshot/snapshot_course_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QComboBox>
#include <QStackedWidget>
#include <QDockWidget>
#include <QEvent>
#include <QPushButton>
#include <QTableView>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kSign = 100; // ms: what takes longer shows that it goes on

} // namespace

ComparePage::ComparePage(QWidget* parent) : WorkspacePage(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    m_messages = new MessageBar(this); // of whatever is compared
    m_subject = new CompareSubject(this);
    connect(m_subject, &CompareSubject::chosen, this, &ComparePage::showRuns);
    layout->addWidget(m_subject);
    m_stack = new QStackedWidget(this);
    layout->addWidget(m_stack, 1);
    m_messages->layOver(m_stack);
    auto* open = new QPushButton(glyphIcon(Glyph::Open), {});
    inLanguage(open, [open] { open->setText(tr("Open results to compare…")); });
    open->setObjectName(QStringLiteral("compareOpen"));
    connect(open, &QPushButton::clicked, this, &ComparePage::openRequested);
    m_stack->addWidget(makeEmptyPage(
        [] { return tr("Compare runs"); },
        [] {
            return tr(
                "Choose two or more runs in the library (Ctrl+click, Shift+click) and press Compare, or open a folder "
                "of results. You get timelines on one axis, peaks side by side, and tables of differences and ratios.");
        },
        open, this));
    auto* page = new QWidget(m_stack);
    makeBox<QVBoxLayout>(page, {}, 0);
    m_stack->addWidget(page);
    buildTop();
    buildArea();
    buildResponses();
    connectViews();
    m_sign.setSingleShot(true);
    m_sign.setInterval(kSign);
    connect(&m_sign, &QTimer::timeout, this,
            [this] { m_timelines->setLoading([] { return tr("Comparing the runs…"); }); });
    connect(&m_worker, &CompareWorker::answered, this, &ComparePage::showAnswer);
    inLanguage(this, [this] {
        if (showsResponses())
            m_responses->setRuns(m_runs, labels());
        else
            showColumns();
        if (m_answer)
            fillViews();
    });
}

ComparePage::~ComparePage()
{
    m_worker.disconnect(this);
}

void ComparePage::buildTop()
{
    QWidget* page = m_stack->widget(1);
    m_columns = new CompareColumns(page);
    connect(m_columns, &CompareColumns::removeRequested, this, &ComparePage::removeRun);
    connect(m_columns, &CompareColumns::activated, this,
            [this](std::size_t run) { emit runActivated(m_runs[run].path); });
    auto* line = new QWidget(page);
    auto* controls = makeBox<QHBoxLayout>(line, {8, 2, 8, 4}, 8);
    m_baseBox = new QComboBox(line);
    m_baseBox->setObjectName(QStringLiteral("compareBase"));
    m_baseBox->setSizeAdjustPolicy(QComboBox::AdjustToContents); // its runs come after the page is first seen
    m_baseBox->setMinimumWidth(m_baseBox->fontMetrics().averageCharWidth() * 12); // gives way in a narrow window
    m_baseBox->setMaximumWidth(m_baseBox->fontMetrics().averageCharWidth() * 48);
    addField(controls, m_baseBox, 0, [] { return tr("Against"); });
    m_alignmentBox = new QComboBox(line);
    m_alignmentBox->setObjectName(QStringLiteral("compareAlignment"));
    addItem(m_alignmentBox, static_cast<int>(TimelineAlignment::Phase), [] { return tr("Phases (stretched)"); });
    addItem(m_alignmentBox, static_cast<int>(TimelineAlignment::Step), [] { return tr("First measured step"); });
    addItem(m_alignmentBox, static_cast<int>(TimelineAlignment::Start), [] { return tr("Start of the run"); });
    addField(controls, m_alignmentBox, 0, [] { return tr("Align"); });
    m_growth = makeYielding(new QLabel(line), "compareGrowth");
    controls->addWidget(m_growth, 1);
    connect(m_baseBox, &QComboBox::activated, this, [this](int index) { setBase(static_cast<std::size_t>(index)); });
    connect(m_alignmentBox, &QComboBox::activated, this, &ComparePage::compute);
    m_caveats = new QLabel(page);
    m_caveats->setObjectName(QStringLiteral("compareCaveats"));
    m_caveats->setTextFormat(Qt::RichText);
    m_caveats->setWordWrap(true);
    m_caveats->setContentsMargins(8, 2, 8, 4);
    m_caveats->setTextInteractionFlags(Qt::LinksAccessibleByKeyboard | Qt::LinksAccessibleByMouse);
    connect(m_caveats, &QLabel::linkActivated, this, [this] { m_tables->bringToFront(QStringLiteral("notes")); });
    auto* rows = static_cast<QVBoxLayout*>(page->layout());
    for (QWidget* widget : std::initializer_list<QWidget*>{m_columns, line, m_caveats})
        rows->addWidget(widget);
    inLanguage(this, [this] {
        m_baseBox->setToolTip(tr("Differences and ratios are taken against this run"));
        m_alignmentBox->setToolTip(tr("How the runs are aligned on the time axis. Phases: durations are stretched to "
                                      "those of the run compared against; else every run keeps its own."));
    });
}

void ComparePage::buildArea()
{
    setArea(new DockArea(this));
    m_timelines = new CompareTimelineView(m_area);
    m_timelines->setObjectName(QStringLiteral("compareTimelines"));
    m_area->setCentralWidget(m_timelines);
    m_bars = new CompareBarsView(m_area);
    m_scatter = new CompareScatterView(m_area);
    m_tables = new CompareTables(m_area);
    QDockWidget* bars = m_area->addDock(QStringLiteral("compare_bars"), m_bars, [] { return tr("Peaks"); });
    QDockWidget* tables = m_area->addDock(QStringLiteral("compare_tables"), m_tables, [] { return tr("Differences"); });
    QDockWidget* scatter =
        m_area->addDock(QStringLiteral("compare_scatter"), m_scatter, [] { return tr("Memory against time"); });
    // Side by side first: a dock that is a tab already can't be split.
    m_area->splitDockWidget(bars, tables, Qt::Horizontal);
    m_area->tabifyDockWidget(bars, scatter);
    bars->raise();
    m_area->setDefaultLayout([this, bars, tables] { applyDefaultSizes(bars, tables); });
    static_cast<QVBoxLayout*>(m_stack->widget(1)->layout())->addWidget(m_area, 1);
}

void ComparePage::buildResponses()
{
    m_responses = new CompareResponses(m_stack);
    m_stack->addWidget(m_responses);
    connect(m_responses, &CompareResponses::figureRequested, this, &ComparePage::figureRequested);
    connect(m_responses, &CompareResponses::runActivated, this, [this](std::size_t run) {
        if (run < m_runs.size())
            emit runActivated(m_runs[run].path);
    });
    connect(m_responses, &CompareResponses::tableExportRequested, this, [this] {
        peakscope::saveTable(this, m_messages, QStringLiteral("comparison_analyses"), false,
                             [this](const QString&) { return toCsv(m_responses->table()->model()->table()); });
    });
}

bool ComparePage::showsResponses() const
{
    return m_stack->currentWidget() == m_responses;
}

void ComparePage::connectViews()
{
    connect(m_tables, &TableTabs::rowChosen, this, &ComparePage::inspectRow);
    connect(m_tables, &TableTabs::exportRequested, this, &ComparePage::saveTable);
    connectPlot(m_timelines, "memory_timeline", m_tables, "phases");
    connectPlot(m_bars, "memory_breakdown_comparison", m_tables, "components");
    connectPlot(m_scatter, "performance_tradeoff", m_tables, "totals");
    const auto inspectIndex = [this](int run) {
        if (run < 0 || run >= static_cast<int>(m_runs.size()))
            return;
        const RunDocument& document = m_runs[static_cast<std::size_t>(run)];
        m_scatter->setCurrent(run);
        inspect([result = document.result, path = document.path] { return inspectRun(*result, path); });
    };
    connect(m_timelines, &CompareTimelineView::laneActivated, this, inspectIndex);
    connect(m_scatter, &CompareScatterView::pointActivated, this, inspectIndex);
    connect(m_bars, &BarsView::rowActivated, this, [this, inspectIndex](const QString& name) {
        if (componentFromName(name.toStdString())) {
            table(QStringLiteral("components"))->setCurrentName(name);
            inspectRow(QStringLiteral("components"), name);
            return;
        }
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            if (name == QString::fromStdString(comparisonLetter(i)))
                inspectIndex(static_cast<int>(i));
        }
    });
    connect(m_timelines, &PlotView::rangeSelected, this, [this](double lower, double upper) {
        inspectRange(lower, upper);
        emit rangeChanged();
    });
    connect(m_timelines, &PlotView::selectionCleared, this, &ComparePage::rangeChanged);
}

DataTableView* ComparePage::table(const QString& name) const
{
    return m_tables->table(name);
}

void ComparePage::saveTable(const QString& name)
{
    peakscope::saveTable(this, m_messages, QStringLiteral("comparison_") + name, false,
                         [this, &name](const QString&) { return toCsv(table(name)->model()->table()); });
}

void ComparePage::applyDefaultSizes(QDockWidget* bars, QDockWidget* tables)
{
    // Bars of which a run has several, for they do not sum to its peak, and their legend need more room.
    const bool several = std::any_of(m_runs.begin(), m_runs.end(), [](const RunDocument& run) {
        return commonReading(*run.result) != ComponentReading::AtPeak;
    });
    const int height = (m_runs.size() > 3 ? 32 : 44) + (several ? 3 : 0); // percent; the rest is for lanes
    const int width = several ? 60 : 48;
    m_area->resizeDocks({bars}, {m_area->height() * height / 100}, Qt::Vertical);
    m_area->resizeDocks({bars, tables}, {m_area->width() * width / 100, m_area->width() * (100 - width) / 100},
                        Qt::Horizontal);
}

void ComparePage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitGrowth();
}

void ComparePage::fitGrowth()
{
    m_growth->setText(m_growth->fontMetrics().elidedText(m_growthText, Qt::ElideRight, m_growth->width()));
}

void ComparePage::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_stack)
        return;
    // Later: what stands on a page has the new palette after the page.
    QTimer::singleShot(0, this, [this] {
        if (m_runs.empty() || showsResponses())
            return;
        showColumns();
        showCaveats();
    });
}

void ComparePage::setRuns(std::vector<RunDocument> runs, const std::optional<LanguageText>& leftOut)
{
    std::erase_if(runs, [](const RunDocument& run) { return !run.result; });
    m_given = std::move(runs);
    m_leftOut = leftOut;
    m_subject->offer(m_given);
    showRuns(m_subject->responses());
}

void ComparePage::showRuns(bool noise)
{
    std::vector<RunDocument> runs = noise ? comparableResponses(m_given) : m_given;
    std::vector<LanguageText> missing;
    if (noise && runs.size() < m_given.size())
        missing.push_back(withoutResponses(m_given));
    if (runs.size() > kMostRuns) {
        missing.emplace_back([count = runs.size()] {
            return tr("The first %1 of %2 runs are compared; more cannot be read side by side.")
                .arg(QString::number(kMostRuns), QString::number(count));
        });
        runs.resize(kMostRuns);
    }
    if (m_leftOut)
        missing.push_back(*m_leftOut);
    tellMissing(missing);
    m_runs = std::move(runs);
    const std::optional<SnapshotAxis> axis = sharedAxis(m_runs);
    m_shown = alongAxis(m_runs, axis);
    m_timelines->setAxis(timelineAxis(axis.value_or(SnapshotAxis::Time)));
    if (noise) {
        showResponses();
        return;
    }
    std::vector<ComparedRun> compared;
    for (const RunDocument& run : m_shown)
        compared.push_back({run.result, run.timeline});
    m_base = naturalBase(compared);
    compute();
    emit runsChanged();
}

// A line each, in one message.
void ComparePage::tellMissing(const std::vector<LanguageText>& missing)
{
    m_messages->dismiss();
    if (!missing.empty())
        m_messages->showMessage(MessageBar::Kind::Info, [missing] {
            QStringList lines;
            for (const LanguageText& text : missing)
                lines << text.say();
            return lines.join(u'\n');
        });
}

// Nothing is computed for them.
void ComparePage::showResponses()
{
    m_base = 0;
    m_answer.reset();
    m_worker.forget();
    m_sign.stop();
    m_responses->setRuns(m_runs, labels());
    m_stack->setCurrentWidget(m_responses);
    emit answered();
    emit runsChanged();
}

void ComparePage::removeRun(std::size_t index)
{
    if (index >= m_runs.size())
        return;
    std::vector<RunDocument> runs = m_given;
    std::erase_if(runs, [path = m_runs[index].path](const RunDocument& run) { return run.path == path; });
    const bool memory = !m_subject->responses();
    setRuns(std::move(runs), m_leftOut);
    if (memory && !m_subject->isHidden())
        m_subject->setCurrentIndex(1);
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
    if (base >= m_runs.size() || showsResponses())
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
    if (!showsResponses())
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
    m_worker.ask(m_shown, m_base, alignment());
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
    const QStringList names = labels();
    m_columns->setRuns(results(), names, m_base);
    m_baseBox->clear();
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        m_baseBox->addItem(compareLetter(i) + QLatin1Char(' ') + names.value(static_cast<qsizetype>(i)));
    m_baseBox->setCurrentIndex(static_cast<int>(m_base));
}

void ComparePage::showTimelines()
{
    const QStringList names = labels();
    const std::vector<std::shared_ptr<const SnapshotCourse>> courses = coursesOf(m_shown, *m_answer);
    std::vector<CompareLane> lanes;
    bool stretched = false;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const RunResult& result = *m_shown[i].result;
        CompareLane lane;
        lane.title = names.value(static_cast<qsizetype>(i));
        lane.badge = runBadges(result).join(QStringLiteral(", "));
        lane.timeline = m_answer->timelines[i];
        lane.missing =
            result.memory ? tr("This run was imported without a timeline.") : tr("This run holds no measured memory.");
        if (courses[i]) {
            lane.course = courses[i];
            lane.peakBytes = result.memory->peakBytes;
            QStringList badges = runBadges(result);
            badges << (lane.course->timed ? tr("snapshots") : tr("snapshots, in order"));
            lane.badge = badges.join(QStringLiteral(", "));
        }
        if (result.memory && lane.timeline)
            lane.phases = mapped(result.memory->phases, m_answer->maps[i]);
        lane.predictedBytes = result.prediction ? result.prediction->peakBytes : 0;
        lane.predictionIsBound = predictionIsBound(result);
        lane.budgetBytes = lenient::integer(result.config, "budget_bytes", 0);
        stretched = stretched || m_answer->maps[i].stretches();
        lanes.push_back(std::move(lane));
    }
    m_timelines->setTitle([stretched, base = m_base, placed = sharedAxis(m_runs).has_value()] {
        return placed      ? tr("Memory of the snapshots")
               : stretched ? tr("Memory over the time of run %1").arg(compareLetter(base))
                           : tr("Memory over time");
    });
    m_timelines->setLanes(std::move(lanes), m_base);
    // Where there is nothing to draw, bars and tables have its room.
    m_timelines->setVisible(m_timelines->showsAny());
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
        bar.badge = point.badge = comparedBadge(result);
        bar.predictedBytes = result.prediction ? result.prediction->peakBytes : 0;
        bar.predictionIsBound = predictionIsBound(result);
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
        compared.push_back({m_shown[i].result, m_shown[i].timeline});
    }
    m_bars->setRuns(std::move(bars), m_base);
    m_scatter->setPoints(std::move(points), m_base, memoryFloor(compared));
}

void ComparePage::showTables()
{
    const RunComparison& comparison = m_answer->comparison;
    m_tables->setComparison(comparison, m_runs);
    QStringList sentences = {fullestText(m_runs, labels())};
    sentences.removeAll(QString());
    for (const ScalingFit& fit : comparison.fits)
        sentences << growthText(fit);
    m_growthText = sentences.join(QStringLiteral("   ·   "));
    m_growth->setToolTip(plainToolTip(m_growthText));
    fitGrowth();
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

void ComparePage::inspectRange(double lower, double upper)
{
    if (m_answer)
        inspect([answer = m_answer, lower, upper, base = m_base, names = labels()] {
            return inspectComparedRange(answer->timelines, lower, upper, base, names);
        });
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
