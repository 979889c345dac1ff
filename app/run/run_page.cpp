// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/run_page.h"

#include "core/results/component_reading.h"
#include "core/results/dry_result.h"
#include "core/results/prediction_bound.h"
#include "app/curvature/curvature_page.h"
#include "app/curvature/hessian_memory_panel.h"
#include "app/run/device_choice.h"
#include "app/run/ranks_page.h"
#include "app/session/session.h"
#include "app/run/run_header.h"
#include "app/run/run_panel.h"
#include "app/run/run_timelines.h"
#include "app/snapshot/doctor_cases.h"
#include "app/window/end_words.h"
#include "app/snapshot/memory_snapshot_panel.h"
#include "app/snapshot/run_instant_panel.h"
#include "app/sweep/sweep_panel.h"
#include "app/window/dock_area.h"
#include "app/window/inspector_content.h"
#include "app/window/message_bar.h"
#include "app/window/table_tabs.h"
#include "core/base/json_reader.h"
#include "core/base/units.h"
#include "core/experiment/experiment.h"
#include "core/import/read_any.h"
#include "widgets/look/component_palette.h"
#include "widgets/look/pieces.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/module_bars_view.h"
#include "widgets/timeline/ranks_view.h"
#include "widgets/timeline/snapshot_timeline_view.h"
#include "widgets/timeline/timeline_painter.h"

#include <QAbstractProxyModel>
#include <QDockWidget>
#include <QTabWidget>
#include <QTableView>

#include <algorithm>
#include <limits>
#include <utility>

namespace peakscope {

namespace {

constexpr int kLiveInterval = 250; // ms between refreshes of bars and tables

std::int64_t budgetOf(const nlohmann::json& experiment)
{
    return lenient::integer(experiment, "budget_bytes", 0);
}

// The table's current row in the order of the result, whatever it is sorted by.
std::size_t currentRow(const DataTableView& table)
{
    const QModelIndex index = table.view()->currentIndex();
    const auto* proxy = qobject_cast<const QAbstractProxyModel*>(table.view()->model());
    const int row = proxy ? proxy->mapToSource(index).row() : index.row();
    return row < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(row);
}

} // namespace

// What stands in place of the plots for a file of its kind.
template <typename Panel>
void RunPage::addInstead(Panel*& panel, QVBoxLayout* layout)
{
    panel = new Panel(this);
    panel->hide();
    layout->addWidget(panel, 1);
    connect(panel, &Panel::figureRequested, this, &RunPage::figureRequested);
    connect(panel, &Panel::tableExportRequested, this, &RunPage::tableExportRequested);
}

RunPage::RunPage(QWidget* parent) : WorkspacePage(parent), m_liveTimer(this)
{
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    m_panel = new RunPanel(this);
    m_header = new RunHeader(this);
    m_messages = new MessageBar(this);
    m_area = new DockArea(this);
    layout->addWidget(m_panel);
    layout->addWidget(m_header);
    layout->addWidget(m_messages);
    layout->addWidget(m_area, 1);
    addInstead(m_sweep, layout);
    addInstead(m_hessian, layout);
    addInstead(m_snapshot, layout);
    buildRanks(layout);
    buildDoctor(layout);
    buildPlots();
    buildTables();
    buildCurvature();
    connectPlots();
    m_defaultLayout = m_area->saveState();

    connect(m_header, &RunHeader::stopRequested, this, &RunPage::stopRequested);
    connect(m_header, &RunHeader::runAgainRequested, this, &RunPage::runAgainRequested);
    connect(m_panel, &RunPanel::expandedChanged, this, &RunPage::fitPanel);
    connect(m_sweep, &SweepPanel::pointOpened, this, &RunPage::pointOpened);
    connect(m_sweep, &SweepPanel::sweepChanged, this, &RunPage::sayState);
    m_liveTimer.setInterval(kLiveInterval);
    connect(&m_liveTimer, &QTimer::timeout, this, &RunPage::refreshLive);
    showNothing();
    inLanguage(this, [this] {
        if (m_document.result)
            sayState();
        refreshLive();
        showRanks();
    });
}

void RunPage::buildDoctor(QVBoxLayout* layout)
{
    m_doctor = new Doctor(this);
    m_doctor->hide();
    layout->addWidget(m_doctor);
    connect(m_doctor, &Doctor::toggled, this, &RunPage::fitPanel);
    connect(m_doctor, &Doctor::experimentChosen, this, &RunPage::newRunRequested);
    connect(m_doctor->remedies(), &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(m_doctor->remedies()->objectName()); });
}

void RunPage::buildPlots()
{
    m_timelines = new RunTimelines(m_area);
    m_liveTimeline = m_timelines->live();
    m_resultTimeline = m_timelines->result();
    m_area->setCentralWidget(m_timelines);
    m_componentBars = new ComponentBarsView(m_area);
    m_moduleBars = new ModuleBarsView(m_area);
    m_area->addDock(QStringLiteral("components"), m_componentBars, [] { return tr("Component bars"); });
    m_area->addDock(QStringLiteral("modules"), m_moduleBars, [] { return tr("Module bars"); });
}

void RunPage::buildTables()
{
    m_tables = new TableTabs(m_area);
    m_tables->add(QStringLiteral("components"), [] { return tr("Components"); });
    m_tables->add(QStringLiteral("modules"), [] { return tr("Modules"); });
    m_tables->add(QStringLiteral("operators"), [] { return tr("Operators"); });
    m_tables->add(QStringLiteral("snapshots"), [] { return tr("Snapshots"); });
    m_tables->add(QStringLiteral("ranks"), [] { return tr("Ranks"); });
    m_instant = new RunInstantPanel(m_tables);
    addTab(m_tables, m_instant, [] { return tr("Alive then"); });
    connect(m_instant->table(), &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(m_instant->table()->objectName()); });
    QDockWidget* tables = m_area->addDock(QStringLiteral("tables"), m_tables, [] { return tr("Tables"); });
    // Side by side first: a dock that is a tab already can't be split.
    QDockWidget* components = dock(QStringLiteral("components"));
    m_area->splitDockWidget(components, tables, Qt::Horizontal);
    m_area->tabifyDockWidget(components, dock(QStringLiteral("modules")));
    components->raise();
}

void RunPage::buildCurvature()
{
    m_curvature = new CurvaturePage(m_area, m_tables, this);
    connect(m_curvature, &CurvaturePage::figureRequested, this, &RunPage::figureRequested);
    connect(m_curvature, &CurvaturePage::tableRequested, m_tables, &TableTabs::bringToFront);
}

QDockWidget* RunPage::dock(const QString& name) const
{
    return m_area->findChild<QDockWidget*>(name, Qt::FindDirectChildrenOnly);
}

DataTableView* RunPage::table(const QString& name) const
{
    if (name == m_sweep->table()->objectName())
        return m_sweep->table();
    if (name == m_hessian->table()->objectName())
        return m_hessian->table();
    if (name == m_doctor->remedies()->objectName() && m_doctor->hasCase())
        return m_doctor->remedies();
    if (DataTableView* table = m_snapshot->table(name))
        return table;
    return m_tables->table(name);
}

void RunPage::connectPlots()
{
    connect(m_tables, &TableTabs::rowChosen, this, &RunPage::inspectName);
    connect(m_tables, &TableTabs::exportRequested, this, &RunPage::tableExportRequested);
    connectTimeline(m_liveTimeline);
    connectTimeline(m_resultTimeline);
    connect(m_resultTimeline, &MemoryTimelineView::instantChosen, this, [this](double seconds) {
        if (!m_instant->hasResult())
            return;
        m_instant->ask(seconds);
        m_tables->setCurrentWidget(m_instant);
    });
    connect(m_instant, &RunInstantPanel::instantChanged, m_resultTimeline, [this] {
        std::vector<TimelineInstant> instants;
        if (const auto seconds = m_instant->seconds())
            instants.push_back({*seconds, QString::fromStdString(formatSeconds(*seconds)), false});
        m_resultTimeline->setInstants(std::move(instants));
    });
    SnapshotTimelineView* snapshots = m_timelines->snapshots();
    connectPlot(snapshots, "memory_timeline", m_tables, "snapshots");
    connect(snapshots, &SnapshotTimelineView::snapshotActivated, this, [this](int snapshot) {
        const auto row = static_cast<std::size_t>(snapshot);
        table(QStringLiteral("snapshots"))->setCurrentName(QString::fromStdString(memory()->snapshots[row].name));
        showSnapshot(row);
    });
    const auto connectBars = [this](BarsView* bars, const char* figure, const char* table) {
        connectPlot(bars, figure, m_tables, table);
        connect(bars, &BarsView::rowActivated, this, [this, name = QString::fromLatin1(table)](const QString& row) {
            this->table(name)->setCurrentName(row);
            inspectName(name, row);
        });
    };
    connectBars(m_componentBars, "memory_breakdown_comparison", "components");
    connectBars(m_moduleBars, "detailed_memory_analysis", "modules");
}

void RunPage::connectTimeline(MemoryTimelineView* view)
{
    connectPlot(view, "memory_timeline", m_tables, "snapshots");
    connect(view, &PlotView::rangeSelected, this, [this, view](double lower, double upper) {
        if (view->timeline())
            inspect([view, timeline = view->timeline(), lower, upper] {
                return view->timeline() == timeline ? inspectRange(*timeline, lower, upper) : InspectorContent();
            });
    });
    connect(view, &PlotView::selectionCleared, this, [this] {
        if (m_document.result)
            inspectDocument();
    });
}

void RunPage::leaveShown()
{
    inspectNothing();
    m_shownRun = 0;
    m_document = {};
    m_liveTimer.stop();
    m_header->hide();
    m_messages->dismiss();
    m_instead = nullptr;
    m_panel->setShown(nullptr);
    m_sweep->leave();
    m_snapshot->setRecording(nullptr);
    m_doctor->setCase({});
    m_instant->setResult(nullptr);
    m_ranks->showNothing();
}

void RunPage::showNothing()
{
    leaveShown();
    m_hasRun = false;
    m_panel->setExpanded(true);
    showRanks();
}

void RunPage::beginLive(const RunInfo& info)
{
    m_liveId = info.id;
    m_liveResult = {};
    m_liveResult.memory.emplace();
    m_liveTimeline->beginLive();
    m_liveBudget = budgetOf(info.experiment);
    m_liveTimeline->setBudget(m_liveBudget);
    m_curvature->beginLive();
    m_ranks->beginLive();
}

void RunPage::showRun(const RunInfo& info)
{
    m_shownRun = info.id;
    m_instead = nullptr;
    m_sweep->leave();
    m_document = {};
    m_doctor->setCase({});
    m_instant->setResult(nullptr);
    m_messages->dismiss();
    m_header->show();
    m_header->setFacts({});
    m_header->showRun(info);
    m_panel->setShown(info.experiment, info.origin);
    m_hasRun = true;
    m_timelines->showLive(isDryExperiment(info.experiment));
    const bool isLive = info.id == m_liveId;
    if (!isLive)
        m_liveTimeline->setPlaceholder([] { return tr("Waiting for its turn in the queue."); });
    else if (!m_liveTimeline->timeline() || m_liveTimeline->timeline()->size() == 0)
        m_liveTimeline->setLoading([] { return tr("The worker is starting."); });
    m_dry = isDryExperiment(info.experiment);
    const bool curvature = experimentKind(info.experiment) == ExperimentKind::Curvature;
    m_curvature->setShown(curvature && !m_dry);
    if (curvature && m_dry)
        sayDryCurvature();
    if (m_curvature->isShown())
        isLive ? m_curvature->showLive() : m_curvature->showData({});
    isLive ? m_ranks->showLive() : m_ranks->showNothing();
    m_panel->setExpanded(false);
    showRanks();
    fillViews(isLive ? m_liveResult : RunResult(), true);
    inspect([title = info.title, experiment = info.experiment] { return inspectExperiment(title, experiment); });
    if (isLive) {
        refreshLive();
        m_liveTimer.start();
    }
}

void RunPage::updateRun(const RunInfo& info)
{
    if (info.id == m_shownRun)
        m_header->showRun(info);
}

void RunPage::appendBatch(const LiveBatch& batch)
{
    if (batch.id != m_liveId)
        return;
    if (!batch.timeSeconds.empty() && !m_liveTimeline->showsPlot() && m_shownRun == m_liveId)
        m_liveTimeline->setPlaceholder({});
    for (const PhaseMark& phase : batch.phases)
        m_liveTimeline->addPhase(phase);
    m_liveTimeline->appendLive(batch.timeSeconds, batch.deltaBytes, batch.component);
    // Where the allocator takes what it hands out, a second line would only hide the first.
    if (!batch.timeSeconds.empty() && batch.reservedBytes > batch.allocatedBytes)
        m_liveTimeline->appendReserved(batch.timeSeconds.back(), batch.reservedBytes);
    m_curvature->takeLive(batch.curvature);
    const int ranks = m_ranks->ranks();
    m_ranks->appendLive(batch.ranks);
    if (m_ranks->ranks() != ranks)
        showRanks();
    if (batch.prediction) {
        m_liveResult.prediction = batch.prediction;
        m_liveResult.other["prediction"] = {{"bound", batch.predictionIsBound}};
        m_liveTimeline->setPrediction(batch.prediction->peakBytes, batch.predictionIsBound);
    }
    auto& snapshots = m_liveResult.memory->snapshots;
    snapshots.insert(snapshots.end(), batch.snapshots.begin(), batch.snapshots.end());
    m_liveResult.memory->peakResidentBytes = std::max(m_liveResult.memory->peakResidentBytes, batch.residentBytes);
    if (batch.late)
        m_header->setToolTip(tr("The picture is behind the run: this machine is busy. Nothing is lost."));
}

void RunPage::refreshLive()
{
    const MemoryTimeline* timeline = m_liveTimeline->timeline();
    if (m_shownRun != m_liveId || m_liveId == 0 || !timeline)
        return;
    MemorySection& memory = *m_liveResult.memory;
    memory.peakBytes = timeline->peakBytes();
    memory.peakComponents = timeline->peakComponents();
    memory.maxComponents = timeline->maxComponents();
    fillViews(m_liveResult, false);
    m_ranks->refreshLive();
    std::int64_t live = 0;
    for (const std::int64_t bytes : timeline->liveComponents())
        live += bytes;
    QString facts = tr("now %1  ·  peak %2").arg(bytesText(live), bytesText(memory.peakBytes));
    if (peakClaim(m_liveResult) != PeakClaim::None)
        facts += QStringLiteral("  ·  ") +
                 (predictionIsBound(m_liveResult) ? tr("planned for at most %1") : tr("predicted peak %1"))
                     .arg(bytesText(m_liveResult.prediction->peakBytes));
    if (m_curvature->isShown()) {
        m_curvature->refreshLive();
        if (const QString curvature = m_curvature->liveFacts(live, m_liveBudget); !curvature.isEmpty())
            facts.prepend(curvature + QStringLiteral("  ·  "));
    }
    if (memory.peakResidentBytes > 0)
        facts += QStringLiteral("  ·  ") + tr("worker resident %1").arg(bytesText(memory.peakResidentBytes));
    m_header->setFacts(facts);
}

void RunPage::endLive()
{
    m_liveTimer.stop();
    m_liveTimeline->endLive();
    refreshLive();
    m_liveId = 0;
}

void RunPage::fillViews(const RunResult& result, bool withModules)
{
    if (result.memory) {
        m_componentBars->setData(result.memory->peakComponents, result.memory->maxComponents,
                                 componentReadings(result));
    } else {
        m_componentBars->clear();
    }
    table(QStringLiteral("components"))->setTable(memoryComponentsTable(result));
    table(QStringLiteral("snapshots"))->setTable(snapshotsTable(result));
    if (!withModules)
        return;
    if (result.memory && (m_shownRun == 0 || !result.memory->modules.empty()))
        m_moduleBars->setModules(result.memory->modules, modulesAreHookIncreases(result));
    else
        m_moduleBars->clear();
    for (const char* name : {"modules", "operators"})
        table(QString::fromLatin1(name))->setPlaceholder([live = m_shownRun != 0] {
            return live ? tr("Comes with the end of the run.") : tr("This result holds none.");
        });
    table(QStringLiteral("ranks"))->setTable(ranksTable(result));
    table(QStringLiteral("modules"))->setTable(modulesTable(result));
    table(QStringLiteral("operators"))->setTable(operatorsTable(result));
}

void RunPage::showDocument(const RunDocument& document)
{
    m_shownRun = 0;
    m_liveTimer.stop();
    m_document = document;
    m_messages->dismiss();
    const RunResult& result = *document.result;
    m_header->show();
    m_instead = nullptr;
    m_sweep->leave();
    if (result.kind == ResultKind::Sweep && !result.memory) {
        m_instead = m_sweep;
        m_sweep->showSweep(result, document.path);
    } else if (holdsHessianMemory(result)) {
        m_instead = m_hessian;
        m_hessian->showResult(result);
    } else if (result.recording) {
        m_instead = m_snapshot;
    }
    m_snapshot->setRecording(result.recording);
    m_instant->setResult(document.result);
    m_doctor->setCase(m_instead ? std::nullopt : doctorCase(document.result));
    m_panel->setShown(holdsExperiment(result) ? result.config : nlohmann::json::object(),
                      originIn(fileOfDocument(document.path), result.config),
                      [result = document.result] { return programText(*result); });
    m_hasRun = true;
    m_dry = isDry(result);
    m_timelines->showDocument(document);
    fillViews(result, true);
    m_curvature->setShown(result.curvature != nullptr);
    if (result.curvature)
        m_curvature->showData(*result.curvature);
    else if (m_dry && result.kind == ResultKind::Curvature)
        sayDryCurvature();
    m_panel->setExpanded(false);
    m_ranks->showDocument(document);
    showRanks();
    if (!result.message.empty() && m_instead != m_snapshot) { // whose own sentence says it
        const auto kind = result.status == RunStatus::Failed ? MessageBar::Kind::Error : MessageBar::Kind::Warning;
        m_messages->showMessage(kind, [message = result.message] { return endText(message); });
    }
    showState();
}

void RunPage::sayDryCurvature()
{
    m_messages->showMessage(MessageBar::Kind::Info, [] {
        return tr("A dry run holds memory only: no eigenvalue and no entry of the Hessian was computed.");
    });
}

void RunPage::showState()
{
    if (!m_document.result)
        return;
    sayState();
    inspectDocument();
}

void RunPage::sayState()
{
    const RunResult& result = *m_document.result;
    m_header->showResult(resultTitle(result), result, runState(result, m_document.path));
    if (m_instead == m_sweep)
        m_header->setPoints(m_sweep->heatMap()->sweep());
}

void RunPage::inspectDocument()
{
    inspect([result = m_document.result, path = m_document.path] { return inspectRun(*result, path); });
}

const MemorySection* RunPage::memory() const
{
    const RunResult& result = m_document.result ? *m_document.result : m_liveResult;
    return result.memory ? &*result.memory : nullptr;
}

void RunPage::inspectName(const QString& table, const QString& name)
{
    if (InspectorContent content; m_curvature->inspect(table, content)) {
        inspect([this, table, content]() mutable {
            m_curvature->inspect(table, content);
            return content;
        });
        return;
    }
    if (table == QLatin1String("ranks")) {
        inspectRankAt(static_cast<int>(currentRow(*this->table(table))));
        return;
    }
    const MemorySection* section = memory();
    const std::string text = name.toStdString();
    if (!section)
        return;
    const auto named = [&text](const auto& entry) { return entry.name == text; };
    if (table == QLatin1String("components")) {
        m_componentBars->setCurrentRow(name);
        if (const std::optional<Component> component = componentFromName(text)) {
            const auto shown = m_document.result ? m_document.result : std::make_shared<const RunResult>(m_liveResult);
            inspect([shown, component = *component] {
                return inspectComponent(component, *shown->memory, componentReading(*shown, component));
            });
        }
    } else if (table == QLatin1String("modules")) {
        m_moduleBars->setCurrentRow(name);
        const auto found = std::find_if(section->modules.begin(), section->modules.end(), named);
        if (found != section->modules.end())
            inspect([module = *found, timed = !m_dry] { return inspectModule(module, timed); });
    } else if (table == QLatin1String("operators")) {
        // Their names repeat over phases, so the row counts.
        const std::size_t row = currentRow(*this->table(table));
        if (row < section->operators.size())
            inspect(
                [operation = section->operators[row], timed = !m_dry] { return inspectOperator(operation, timed); });
    } else {
        showSnapshot(currentRow(*this->table(table)));
    }
}

void RunPage::showSnapshot(std::size_t row)
{
    if (row >= memory()->snapshots.size())
        return;
    const Snapshot snapshot = memory()->snapshots[row];
    m_timelines->showSnapshot(row, snapshot.timeSeconds);
    inspect([snapshot] { return inspectSnapshot(snapshot); });
}

MessageBar* RunPage::messagesInFront() const
{
    return m_panel->messages();
}

bool RunPage::restoreLayout(const QByteArray& state)
{
    WorkspacePage::restoreLayout(state);
    m_curvature->layoutRestored();
    return m_sized;
}

void RunPage::restoreDefaultLayout()
{
    m_area->restoreState(m_defaultLayout);
    m_curvature->restoreDefaultLayout();
    m_sized = m_hasRun;
    if (m_sized)
        applyDefaultSizes();
}

} // namespace peakscope
