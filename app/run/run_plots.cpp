// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run_plots.h"

#include "app/panels/curvature_page.h"
#include "app/panels/run_instant_panel.h"
#include "app/parts/device_choice.h"
#include "app/parts/table_tabs.h"
#include "app/run/run_timelines.h"
#include "app/shell/inspector_content.h"
#include "core/base/json/json_reader.h"
#include "core/base/units.h"
#include "core/experiment/experiment.h"
#include "core/results/component_reading.h"
#include "core/results/dry_result.h"
#include "core/results/experts/expert_section.h"
#include "core/results/prediction_bound.h"
#include "core/results/steps_table.h"
#include "core/results/tables.h"
#include "widgets/look/component_palette.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/collective_chart.h"
#include "widgets/timeline/collective_view.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/expert_load_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/module_bars_view.h"
#include "widgets/timeline/snapshot_timeline_view.h"
#include "widgets/timeline/steps_view.h"
#include "widgets/timeline/timeline_painter.h"

#include <QDockWidget>
#include <QSplitter>
#include <QTableView>

#include <algorithm>
#include <limits>
#include <utility>

namespace peakscope {

namespace {

// Kinds of results, each with panels of its own.
const QString kTimeline = QStringLiteral("timeline");
const QString kBars = QStringLiteral("bars"); // and tables alone
const QString kCurvature = QStringLiteral("curvature");
const QString kCurvatureAlone = QStringLiteral("curvature_alone");

// The table's current row in the order of the result, whatever it is sorted by.
std::size_t currentRow(const DataTableView& table)
{
    const int row = table.sourceRow(table.view()->currentIndex());
    return row < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(row);
}

// Of the user's.
bool isProgram(const nlohmann::json& experiment)
{
    return lenient::member(experiment, "program").is_object();
}

} // namespace

RunPlots::RunPlots(QWidget* parent) : DockArea(parent)
{
    m_timelines = new RunTimelines(this);
    setCentralWidget(m_timelines);
    buildBars();
    buildTables();
    setKind(kTimeline);
    m_curvature = new CurvaturePage(this, m_tables, this);
    connect(m_curvature, &CurvaturePage::figureRequested, this, &RunPlots::figureRequested);
    connect(m_curvature, &CurvaturePage::tableRequested, m_tables, &TableTabs::bringToFront);
    connect(m_tables, &TableTabs::rowChosen, this, &RunPlots::inspectName);
    connect(m_tables, &TableTabs::exportRequested, this, &RunPlots::tableExportRequested);
    connectTimeline(m_timelines->live());
    connectTimeline(m_timelines->result());
    connectInstant();
    SnapshotTimelineView* snapshots = m_timelines->snapshots();
    connectPlot(snapshots, "memory_timeline", "snapshots");
    connect(snapshots, &SnapshotTimelineView::snapshotActivated, this, [this](int snapshot) {
        const auto row = static_cast<std::size_t>(snapshot);
        table("snapshots")->setCurrentName(QString::fromStdString(memory()->snapshots[row].name));
        showSnapshot(row);
    });
    connectBars(m_componentBars, "memory_breakdown_comparison", "components");
    connectBars(m_moduleBars, "detailed_memory_analysis", "modules");
    connectPlot(m_experts, "expert_loads", "experts");
    connectPlot(m_collectives, "collectives", "collectives");
    setDefaultLayout([this] { applyDefaultSizes(); });
    showExperts({});
    showCollectives({});
    connect(this, &DockArea::arranged, this, [this] { // the default has all docks
        setMemoryShown(m_memoryShown);
        setDockShown(dock("experts"), m_hasExperts);
        setDockShown(dock("collectives"), m_hasCollectives);
    });
}

void RunPlots::buildBars()
{
    m_componentBars = new ComponentBarsView(this);
    m_moduleBars = new ModuleBarsView(this);
    const auto title = [this] { return drawsStages(m_componentBars) ? tr("Stages") : tr("Component bars"); };
    QDockWidget* dock = addDock(QStringLiteral("components"), m_componentBars, title);
    connect(m_componentBars, &ComponentBarsView::stagesShown, dock, [dock, title] { dock->setWindowTitle(title()); });
    addDock(QStringLiteral("modules"), m_moduleBars, [] { return tr("Module bars"); });
    m_experts = new ExpertLoadView(this);
    addDock(QStringLiteral("experts"), m_experts, [] { return tr("Expert loads"); });
    m_collectives = new CollectiveView(this);
    addDock(QStringLiteral("collectives"), m_collectives, [] { return tr("Collectives"); });
}

void RunPlots::buildTables()
{
    m_tables = new TableTabs(this);
    m_tables->add(QStringLiteral("components"), [] { return tr("Components"); });
    m_tables->add(QStringLiteral("modules"), [] { return tr("Modules"); });
    m_tables->add(QStringLiteral("operators"), [this] { return operatorsTitle(); });
    m_tables->add(QStringLiteral("ranks"), [] { return tr("Ranks"); });
    m_tables->add(QStringLiteral("experts"), [] { return tr("Experts"); });
    m_tables->add(QStringLiteral("collectives"), [] { return tr("Collectives"); });
    m_instant = new RunInstantPanel(m_tables);
    const auto title = [this] { return m_instant->showsFlows() ? tr("Added until then") : tr("Alive then"); };
    peakscope::addTab(m_tables, m_instant, title);
    connect(m_instant, &RunInstantPanel::keyChanged, this,
            [this, title] { m_tables->setTabText(m_tables->indexOf(m_instant), title()); });
    m_steps = new QSplitter(m_tables);
    m_stepsView = new StepsView(m_steps);
    auto* rows = new DataTableView(m_steps);
    rows->setObjectName(QStringLiteral("steps"));
    m_steps->setChildrenCollapsible(false);
    m_steps->setSizes({600, 400});
    peakscope::addTab(m_tables, m_steps, [] { return tr("Steps"); });
    connect(rows, &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(QStringLiteral("steps")); });
    connect(m_stepsView, &PlotView::showDataRequested, rows, qOverload<>(&QWidget::setFocus));
    // The last: where a last tab is hidden, Qt scrolls to no tab beyond those in sight.
    m_tables->add(QStringLiteral("snapshots"), [] { return tr("Snapshots"); });
    QDockWidget* tables = addDock(QStringLiteral("tables"), m_tables, [] { return tr("Tables"); });
    // Side by side first: a dock that is a tab already can't be split.
    QDockWidget* components = dock("components");
    splitDockWidget(components, tables, Qt::Horizontal);
    tabifyDockWidget(components, dock("modules"));
    tabifyDockWidget(dock("modules"), dock("experts"));
    tabifyDockWidget(dock("experts"), dock("collectives"));
    components->raise();
}

QString RunPlots::operatorsTitle() const
{
    return m_document.result && holdsLines(*m_document.result) ? tr("Lines") : tr("Operators");
}

// The figure that `view` asks for, and the table that shows its data.
void RunPlots::connectPlot(PlotView* view, const char* figure, const char* table)
{
    connect(view, &PlotView::exportRequested, this, [this, view, name = QString::fromLatin1(figure)] {
        emit figureRequested(drawsStages(view) ? QStringLiteral("detailed_memory_analysis") : name);
    });
    connect(view, &PlotView::showDataRequested, m_tables,
            [this, name = QString::fromLatin1(table)] { m_tables->bringToFront(name); });
}

bool RunPlots::drawsStages(const PlotView* view) const
{
    return view == m_componentBars && m_componentBars->mode() == ComponentBarsView::Mode::Stages;
}

void RunPlots::connectTimeline(MemoryTimelineView* view)
{
    connectPlot(view, "memory_timeline", "snapshots");
    connect(view, &PlotView::rangeSelected, this, [this, view](double lower, double upper) {
        if (view->timeline())
            emit inspected([view, timeline = view->timeline(), lower, upper] {
                return view->timeline() == timeline ? inspectRange(*timeline, lower, upper) : InspectorContent();
            });
    });
    connect(view, &PlotView::selectionCleared, this, &RunPlots::inspectDocument);
}

void RunPlots::connectBars(BarsView* bars, const char* figure, const char* table)
{
    connectPlot(bars, figure, table);
    connect(bars, &BarsView::rowActivated, this, [this, bars, table](const QString& row) {
        if (drawsStages(bars))
            return; // the inspector has all of them already
        this->table(table)->setCurrentName(row);
        inspectName(QString::fromLatin1(table), row);
    });
}

void RunPlots::connectInstant()
{
    connect(m_instant->table(), &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(m_instant->table()->objectName()); });
    connect(m_timelines->result(), &MemoryTimelineView::instantChosen, this, [this](double seconds) {
        if (!m_instant->hasResult())
            return;
        m_instant->ask(seconds);
        m_tables->setCurrentWidget(m_instant);
    });
    connect(m_instant, &RunInstantPanel::instantChanged, this, &RunPlots::showInstant);
    connect(m_instant->table(), &DataTableView::currentRowChanged, this, [this](const QString& name) {
        const RunHolderKey key = m_instant->key();
        if (key == RunHolderKey::Component)
            inspectComponentNamed(name);
        else if (key == RunHolderKey::Module)
            inspectModuleNamed(name);
        else
            outline(key, name);
    });
}

// What it had over time, in the timeline; nothing of what the result's events do not carry.
void RunPlots::outline(RunHolderKey key, const QString& name)
{
    PlacedBytes part;
    if (m_document.result && memory()) {
        const std::vector<RunHolderKey> known = runHolderKeys(*memory());
        if (std::find(known.begin(), known.end(), key) != known.end())
            part = holderCourse(*memory(), key, name.toStdString());
    }
    m_timelines->result()->setChosenPart(std::move(part.places), std::move(part.bytes));
}

// Legend, bars and table of components are of the instant that was chosen and say so; of modules the peak is all that
// is known.
void RunPlots::showInstant()
{
    MemoryTimelineView* view = m_timelines->result();
    std::vector<TimelineInstant> instants;
    if (const auto seconds = m_instant->seconds())
        instants.push_back({*seconds, QString::fromStdString(formatSeconds(*seconds)), false});
    view->setInstants(std::move(instants));
    const std::optional<double> chosen = m_instant->chosen();
    view->setPinned(chosen);
    if (!m_document.result || !m_document.result->memory)
        return;
    Table table = memoryComponentsTable(*m_document.result);
    QString when;
    ComponentBytes alive{};
    if (chosen && view->timeline()) {
        when = QString::fromStdString(formatSeconds(*chosen));
        alive = view->timeline()->at(*chosen);
        table = withInstant(std::move(table), alive, when.toStdString());
    }
    m_componentBars->setInstant(when, alive);
    this->table("components")->setTable(std::move(table));
}

QDockWidget* RunPlots::dock(const char* name) const
{
    return findChild<QDockWidget*>(QString::fromLatin1(name), Qt::FindDirectChildrenOnly);
}

DataTableView* RunPlots::table(const char* name) const
{
    return m_tables->table(QString::fromLatin1(name));
}

void RunPlots::applyDefaultSizes()
{
    QDockWidget* components = dock("components");
    QDockWidget* tables = dock("tables");
    resizeDocks({tables}, {height() * (m_curvature->isShown() ? 31 : 42) / 100}, Qt::Vertical);
    resizeDocks({components, tables}, {width() / 2, width() / 2}, Qt::Horizontal);
    if (m_curvature->isShown())
        m_curvature->applyDefaultSizes();
}

void RunPlots::beginLive(const nlohmann::json& experiment)
{
    m_liveBudget = lenient::integer(experiment, "budget_bytes", 0);
    m_liveProgram = isProgram(experiment);
    restartLive();
}

void RunPlots::restartLive()
{
    m_liveResult = {};
    m_liveResult.memory.emplace();
    m_timelines->beginLive(m_liveBudget, m_liveProgram);
    m_curvature->beginLive();
}

void RunPlots::appendLive(const LiveBatch& batch, bool inFront)
{
    m_timelines->appendLive(batch, inFront);
    m_curvature->takeLive(batch.curvature);
    if (batch.prediction) {
        m_liveResult.prediction = batch.prediction;
        m_liveResult.other["prediction"] = {{"bound", batch.predictionIsBound}};
    }
    auto& snapshots = m_liveResult.memory->snapshots;
    snapshots.insert(snapshots.end(), batch.snapshots.begin(), batch.snapshots.end());
    m_liveResult.memory->peakResidentBytes = std::max(m_liveResult.memory->peakResidentBytes, batch.residentBytes);
}

void RunPlots::refreshLive()
{
    const MemoryTimeline& timeline = *m_timelines->live()->timeline();
    MemorySection& memory = *m_liveResult.memory;
    memory.peakBytes = timeline.peakBytes();
    memory.peakComponents = timeline.peakComponents();
    memory.maxComponents = timeline.maxComponents();
    fillViews(m_liveResult, false);
    if (m_curvature->isShown())
        m_curvature->refreshLive();
}

QString RunPlots::liveFacts() const
{
    const MemoryTimeline& timeline = *m_timelines->live()->timeline();
    const MemorySection& memory = *m_liveResult.memory;
    std::int64_t live = 0;
    for (const std::int64_t bytes : timeline.liveComponents())
        live += bytes;
    QString facts = timeline.size() == 0
                        ? tr("waiting for the first allocation")
                        : tr("now %1  ·  peak %2").arg(bytesText(live), bytesText(timeline.peakBytes()));
    if (peakClaim(m_liveResult) != PeakClaim::None)
        facts += QStringLiteral("  ·  ") +
                 (predictionIsBound(m_liveResult) ? tr("planned for at most %1") : tr("predicted peak %1"))
                     .arg(bytesText(m_liveResult.prediction->peakBytes));
    if (m_curvature->isShown()) {
        if (const QString curvature = m_curvature->liveFacts(live, m_liveBudget); !curvature.isEmpty())
            facts.prepend(curvature + QStringLiteral("  ·  "));
    }
    if (memory.peakResidentBytes > 0)
        facts += QStringLiteral("  ·  ") + tr("worker resident %1").arg(bytesText(memory.peakResidentBytes));
    return facts;
}

void RunPlots::showRun(const nlohmann::json& experiment, bool begun)
{
    leaveDocument();
    m_dry = isDryExperiment(experiment);
    const bool curvature = experimentKind(experiment) == ExperimentKind::Curvature && !m_dry;
    setKind(curvature ? kCurvature : kTimeline);
    setMemoryShown(true);
    showExperts({});
    showCollectives({});
    m_timelines->showLive(m_dry, begun, isProgram(experiment));
    m_curvature->setShown(curvature);
    if (m_curvature->isShown())
        begun ? m_curvature->showLive() : m_curvature->showData({});
    fillViews(begun ? m_liveResult : RunResult(), true);
}

void RunPlots::showDocument(const RunDocument& document)
{
    const RunResult& result = *document.result;
    setDocument(document);
    m_dry = isDry(result);
    const bool curvatureAlone = result.curvature && !result.memory;
    setKind(curvatureAlone                   ? kCurvatureAlone
            : result.curvature               ? kCurvature
            : RunTimelines::hasAny(document) ? kTimeline
                                             : kBars);
    setMemoryShown(!curvatureAlone);
    showExperts(expertsOf(result));
    showCollectives(result);
    m_timelines->showDocument(document);
    fillViews(result, true);
    m_curvature->setShown(result.curvature != nullptr);
    if (result.curvature)
        m_curvature->showData(*result.curvature);
}

// Without any, its panels would be empty.
void RunPlots::setMemoryShown(bool shown)
{
    m_memoryShown = shown;
    for (const char* name : {"components", "modules"})
        setDockShown(dock(name), shown);
}

// What the user closes stays closed.
void RunPlots::setDockShown(QDockWidget* dock, bool shown)
{
    dock->toggleViewAction()->setVisible(shown);
    if (!shown && !dock->isHidden())
        m_hidden.insert(dock);
    if (m_hidden.contains(dock))
        dock->setVisible(shown);
    if (shown)
        m_hidden.remove(dock);
}

void RunPlots::showExperts(const ExpertSection& section)
{
    m_hasExperts = !section.empty();
    m_experts->setSection(section);
    table("experts")->setTable(expertLoadsTable(section));
    m_tables->setTabVisible(m_tables->indexOf(table("experts")), m_hasExperts);
    setDockShown(dock("experts"), m_hasExperts);
}

void RunPlots::showCollectives(const RunResult& result)
{
    const auto rank = rankWithCollectives(result);
    m_hasCollectives = rank.has_value();
    m_collectives->setRank(result, rank.value_or(0));
    table("collectives")->setTable(collectivesTable(result));
    m_tables->setTabVisible(m_tables->indexOf(table("collectives")), m_hasCollectives);
    setDockShown(dock("collectives"), m_hasCollectives);
}

void RunPlots::leaveDocument()
{
    setDocument({});
}

void RunPlots::setDocument(const RunDocument& document)
{
    m_document = document;
    m_tables->startAnew();
    m_instant->setResult(document.result);
    m_timelines->result()->setChosenPart({}, {});
    m_tables->setTabText(m_tables->indexOf(table("operators")), operatorsTitle());
    m_tables->setTabVisible(m_tables->indexOf(table("ranks")), document.result && document.result->ranks.size() > 1);
    m_tables->setTabVisible(m_tables->indexOf(m_instant), m_instant->hasResult());
    const StepTable steps = memory() ? memory()->steps : StepTable();
    table("steps")->setTable(stepsTable(steps));
    m_stepsView->setSteps(steps);
    m_tables->setTabVisible(m_tables->indexOf(m_steps), !steps.empty());
}

void RunPlots::fillViews(const RunResult& result, bool withModules)
{
    const bool live = !m_document.result;
    const bool waits = live && (!result.memory || result.memory->peakBytes == 0); // for its first allocation
    if (result.memory && !waits) {
        m_componentBars->setData(result.memory->peakComponents, result.memory->maxComponents, componentReadings(result),
                                 recordedStages(result).sizes);
    } else {
        m_componentBars->clear();
        if (!live)
            m_componentBars->setPlaceholder([] { return tr("This result holds none."); });
    }
    for (const char* name : {"components", "snapshots"})
        table(name)->setPlaceholder([live] { return live ? tr("Nothing so far.") : tr("This result holds none."); });
    table("components")->setTable(memoryComponentsTable(waits ? RunResult() : result));
    table("snapshots")->setTable(snapshotsTable(result));
    if (!withModules)
        return;
    if (result.memory && (!live || !result.memory->modules.empty()))
        m_moduleBars->setModules(result.memory->modules, result.memory->peakComponents,
                                 modulesAreHookIncreases(result));
    else
        m_moduleBars->clear();
    for (const char* name : {"modules", "operators"})
        table(name)->setPlaceholder(
            [live] { return live ? tr("Available at the end of the run.") : tr("This result holds none."); });
    table("ranks")->setTable(ranksTable(result));
    table("modules")->setTable(modulesTable(result));
    table("modules")->setNote([hooks = modulesAreHookIncreases(result)] {
        return hooks ? tr("Increases measured by each module's hooks, not live bytes at one instant.")
                     : tr("Each module's own maximum over the whole run, not at the peak or a chosen instant.");
    });
    table("operators")->setTable(operatorsTable(result));
}

const MemorySection* RunPlots::memory() const
{
    const RunResult& result = m_document.result ? *m_document.result : m_liveResult;
    return result.memory ? &*result.memory : nullptr;
}

void RunPlots::inspectDocument()
{
    m_timelines->result()->setChosenPart({}, {});
    if (m_document.result)
        emit inspected([result = m_document.result, path = m_document.path, waits = m_waits] {
            return inspectRun(*result, path, waits);
        });
}

void RunPlots::inspectName(const QString& table, const QString& name)
{
    if (InspectorContent content; m_curvature->inspect(table, content)) {
        emit inspected([this, table, content]() mutable {
            m_curvature->inspect(table, content);
            return content;
        });
        return;
    }
    const std::size_t row = currentRow(*m_tables->table(table));
    if (table == QLatin1String("ranks")) {
        inspectRankAt(static_cast<int>(row));
    } else if (!memory() || table == QLatin1String("experts") || table == QLatin1String("collectives")) {
        return;
    } else if (table == QLatin1String("components")) {
        inspectComponentNamed(name);
    } else if (table == QLatin1String("modules")) {
        inspectModuleNamed(name);
    } else if (table == QLatin1String("operators")) {
        // Their names repeat over phases, so the row counts.
        if (row >= memory()->operators.size())
            return;
        emit inspected(
            [operation = memory()->operators[row], timed = !m_dry] { return inspectOperator(operation, timed); });
        outline(RunHolderKey::Operator, name);
    } else {
        showSnapshot(row);
    }
}

void RunPlots::inspectComponentNamed(const QString& name)
{
    m_componentBars->setCurrentRow(name);
    const std::optional<Component> component = componentFromName(name.toStdString());
    if (!component)
        return;
    const auto shown = m_document.result ? m_document.result : std::make_shared<const RunResult>(m_liveResult);
    emit inspected([shown, component = *component] {
        return inspectComponent(component, *shown->memory, componentReading(*shown, component));
    });
    outline(RunHolderKey::Component, name);
}

void RunPlots::inspectModuleNamed(const QString& name)
{
    m_moduleBars->setCurrentRow(name);
    const auto& modules = memory()->modules;
    const auto found = std::find_if(modules.begin(), modules.end(),
                                    [text = name.toStdString()](const auto& module) { return module.name == text; });
    if (found != modules.end())
        emit inspected([module = *found, timed = !m_dry] { return inspectModule(module, timed); });
    outline(RunHolderKey::Module, name);
}

void RunPlots::inspectRankAt(int place)
{
    if (!m_document.result || place < 0 || place >= static_cast<int>(m_document.result->ranks.size()))
        return;
    const auto index = static_cast<std::size_t>(place);
    table("ranks")->setCurrentName(QString::number(m_document.result->ranks[index].rank));
    if (m_hasCollectives)
        m_collectives->setRank(*m_document.result, index);
    emit inspected([result = m_document.result, index] { return inspectRank(result->ranks, index); });
}

void RunPlots::showSnapshot(std::size_t row)
{
    if (row >= memory()->snapshots.size())
        return;
    const Snapshot snapshot = memory()->snapshots[row];
    m_timelines->showSnapshot(row, snapshot.timeSeconds);
    emit inspected([snapshot] { return inspectSnapshot(snapshot); });
}

} // namespace peakscope
