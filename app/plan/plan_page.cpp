// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan/plan_page.h"

#include "app/jobs/run_places.h"
#include "app/parts/dock_area.h"
#include "app/parts/elided_label.h"
#include "app/parts/icons.h"
#include "app/parts/message_bar.h"
#include "app/parts/save_file.h"
#include "app/parts/table_tabs.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_words.h"
#include "app/shell/inspector_content.h"
#include "app/shell/next_actions.h"
#include "widgets/look/pieces.h"
#include "widgets/plan/answer_label.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/ladder_view.h"
#include "widgets/plan/strategy_table_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/capacity_text.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/note_words.h"
#include "widgets/text/plain_text.h"

#include <QComboBox>
#include <QPushButton>
#include <QDockWidget>
#include <QRegularExpression>
#include <QTableView>

#include <utility>

namespace peakscope {

static constexpr int kPause = 350;    // ms after the last key
static constexpr int kBusySign = 100; // ms: what takes longer shows that it goes on

PlanPage::PlanPage(PlanFunctions functions, QWidget* parent)
    : WorkspacePage(parent), m_worker(std::move(functions)), m_pause(this), m_signTime(this)
{
    makeBox<QVBoxLayout>(this, {}, 0);
    buildTop();
    buildArea();
    connectParts();
    m_inputs->setPlan(firstPlan());
    updateStatus();
}

PlanPage::~PlanPage()
{
    // Children go after this; a field that loses the focus then must not start a search.
    m_inputs->disconnect(this);
    m_worker.disconnect(this);
}

void PlanPage::buildTop()
{
    auto* top = new QWidget(this);
    auto* row = makeBox<QHBoxLayout>(top, {8, 6, 8, 6}, 8);
    m_inputs = new PlanInputs(top);
    m_save = new QPushButton(glyphIcon(Glyph::Save), {}, top);
    m_save->setObjectName(QStringLiteral("savePlan"));
    m_save->setEnabled(false);
    row->addWidget(m_inputs, 1);
    row->addWidget(m_save, 0, Qt::AlignTop);
    layout()->addWidget(top);
    buildNext();
    auto* line = new QWidget(this);
    auto* status = makeBox<QHBoxLayout>(line, {8, 0, 8, 4}, 8);
    m_status = makeYielding(new ElidedLabel(line), "planStatus");
    m_busy = new QProgressBar(line);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setFixedSize(120, 6);
    m_stop = new QToolButton(line);
    m_stop->setIcon(glyphIcon(Glyph::Stop));
    m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_stop->setAutoRaise(true);
    QSizePolicy keep = m_busy->sizePolicy();
    keep.setRetainSizeWhenHidden(true); // nothing jumps when it comes and goes
    m_busy->setSizePolicy(keep);
    line->setMinimumHeight(m_stop->sizeHint().height() + 4);
    m_busy->hide();
    m_stop->hide();
    status->addWidget(m_status, 1);
    status->addWidget(m_busy);
    status->addWidget(m_stop);
    layout()->addWidget(line);
    m_messages = new MessageBar(this);
    m_messages->layOver(this);
    inLanguage(this, [this] {
        m_save->setText(tr("Save plan…"));
        m_save->setToolTip(tr("Saves strategies and map as a result that opens here and exports as figures (Ctrl+S)"));
        m_busy->setAccessibleName(tr("A plan is being computed"));
        m_stop->setText(tr("Stop"));
        updateStatus();
    });
}

void PlanPage::buildNext()
{
    m_answer = new AnswerLabel(this);
    auto* next = new NextActions(this);
    m_run = next->add(
        "runStrategy", [] { return tr("Run this"); },
        [] { return tr("Puts this strategy's experiment into the queue and shows it"); });
    m_dry = next->add(
        "dryStrategy", [this] { return dryText(); },
        [] { return tr("Runs this strategy on a stand-in of the card and counts its bytes"); });
    m_edit = next->add(
        "editStrategy", [] { return tr("Open in set-up"); },
        [] { return tr("Fills the set-up of the Run workspace with this strategy, to change it before it runs"); });
    static_cast<QVBoxLayout*>(layout())->addLayout(next->rowWith(m_answer));
    const auto connectTo = [this](QPushButton* button, void (PlanPage::*requested)(const nlohmann::json&)) {
        connect(button, &QPushButton::clicked, this, [this, requested] {
            if (const PlannedStrategy* chosen = strategy(m_strategies->current()))
                emit(this->*requested)(chosen->experiment);
        });
    };
    connectTo(m_run, &PlanPage::runRequested);
    connectTo(m_dry, &PlanPage::dryRequested);
    connectTo(m_edit, &PlanPage::editRequested);
}

// Of a strategy for several cards every rank that differs runs.
QString PlanPage::dryText() const
{
    const PlannedStrategy* chosen = m_strategies ? strategy(m_strategies->current()) : nullptr;
    return chosen && chosen->devicesNeeded > 1
               ? tr("Dry run on %1 cards").arg(QLocale().toString(static_cast<qlonglong>(chosen->devicesNeeded)))
               : tr("Dry run");
}

void PlanPage::buildArea()
{
    setArea(new DockArea(this));
    m_strategies = new StrategyTableView(m_area);
    m_area->setCentralWidget(m_strategies);
    m_map = new CapacityMapView(m_area);
    m_ladder = new LadderView(m_area);
    m_tables = new TableTabs(m_area);
    m_tables->add(QStringLiteral("strategies"), [] { return tr("Strategies"); });
    m_tables->add(QStringLiteral("capacity_map"), [] { return tr("Capacity map"); });
    m_tables->add(QStringLiteral("ladder"), [] { return tr("Ladder"); });
    QDockWidget* map = m_area->addDock(QStringLiteral("plan_map"), m_map, [] { return tr("Capacity map"); });
    QDockWidget* ladder = m_area->addDock(QStringLiteral("plan_ladder"), m_ladder, [] { return tr("Ladder"); });
    QDockWidget* tables =
        m_area->addDock(QStringLiteral("plan_tables"), m_tables, [] { return tr("Tables of the plan"); });
    // Side by side first: a dock that is a tab already can't be split.
    m_area->splitDockWidget(map, ladder, Qt::Horizontal);
    m_area->tabifyDockWidget(ladder, tables);
    ladder->raise();
    m_area->setDefaultLayout([this, map, ladder] {
        m_area->resizeDocks({map}, {m_area->height() * 52 / 100}, Qt::Vertical);
        m_area->resizeDocks({map, ladder}, {m_area->width() * 52 / 100, m_area->width() * 48 / 100}, Qt::Horizontal);
    });
    static_cast<QVBoxLayout*>(layout())->addWidget(m_area, 1);
    QLabel* note = makeLoopNote(this);
    layout()->addWidget(note);
    m_messages->layAbove(note);
}

void PlanPage::connectParts()
{
    connect(m_tables, &TableTabs::exportRequested, this, &PlanPage::saveTable);
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPause);
    m_signTime.setSingleShot(true);
    m_signTime.setInterval(kBusySign);
    connect(&m_pause, &QTimer::timeout, this, [this] {
        if (!m_inputs->unfinished()) // else once it is chosen or left
            plan();
    });
    connect(&m_signTime, &QTimer::timeout, this, &PlanPage::showBusy);
    connect(m_inputs, &PlanInputs::edited, this, &PlanPage::onEdited);
    connect(m_inputs, &PlanInputs::confirmed, this, &PlanPage::planIfChanged);
    connect(m_stop, &QToolButton::clicked, this, &PlanPage::cancel);
    connect(m_save, &QPushButton::clicked, this, &PlanPage::saveRequested);

    connect(&m_worker, &PlanWorker::planned, this, &PlanPage::onPlanned);
    connect(&m_worker, &PlanWorker::planFailed, this, [this](const QString& sentence) {
        m_asked.clear();
        say(MessageBar::Kind::Error, sentence, true);
        if (m_base.id.empty() || m_hidden)
            m_strategies->setPlaceholder([] { return tr("No plan yet: the error is shown below."); });
        updateStatus();
    });
    connect(&m_worker, &PlanWorker::mapComputed, this,
            [this](const std::shared_ptr<const PlannedMap>& map) { onMapped(*map); });
    connect(&m_worker, &PlanWorker::mapFailed, this, [this](const QString& sentence) {
        m_map->clear();
        m_map->setPlaceholder(sentence);
        updateStatus();
    });
    connect(&m_worker, &PlanWorker::measured, this,
            [this](const std::shared_ptr<const MeasuredMatches>& matches) { onMeasured(*matches); });

    connect(m_strategies, &StrategyTableView::currentChanged, this, &PlanPage::selectStrategy);
    connect(m_strategies, &StrategyTableView::activated, this, &PlanPage::offerStrategy);
    connect(m_strategies, &StrategyTableView::exportRequested, this,
            [this] { emit figureRequested(QStringLiteral("strategy_table")); });
    connect(m_strategies, &StrategyTableView::tableExportRequested, this, [this] {
        m_tables->setCurrentWidget(table(QStringLiteral("strategies")));
        saveTable();
    });
    connect(m_map, &CapacityMapView::cellActivated, this, &PlanPage::offerCell);
    connectPlot(m_map, "capacity_map", m_tables, "capacity_map");
    connect(m_ladder, &LadderView::stepActivated, this, &PlanPage::offerStep);
    connectPlot(m_ladder, "strategy_table", m_tables, "ladder");
}

void PlanPage::saveTable()
{
    const auto* view = static_cast<const DataTableView*>(m_tables->currentWidget());
    const bool strategies = view->objectName() == QLatin1String("strategies");
    peakscope::saveTable(this, m_messages, view->objectName(), strategies, [&](const QString& path) {
        const bool latex = strategies && path.endsWith(QLatin1String(".tex"), Qt::CaseInsensitive);
        return latex ? strategiesLatex(m_plan) : toCsv(view->model()->table());
    });
}

DataTableView* PlanPage::table(const QString& name) const
{
    return m_tables->table(name);
}

QString PlanPage::statusText() const
{
    return m_status->text();
}

bool PlanPage::busy() const
{
    return m_worker.planning() || m_worker.mapping() || m_pause.isActive();
}

void PlanPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!std::exchange(m_firstShow, false)) {
        requestProofs();
        return;
    }
    if (const Status loaded = m_inputs->loadCatalogues(); !loaded) {
        say(MessageBar::Kind::Error, QString::fromStdString(loaded.error().text()));
        return;
    }
    if (m_base.id.empty())
        plan();
    else
        requestProofs();
}

void PlanPage::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    requestProofs();
}

void PlanPage::onEdited()
{
    m_stale = true;
    m_pause.start();
    showWhetherCurrent();
    updateStatus();
}

// One model's plan never stands under another one's name.
void PlanPage::showWhetherCurrent()
{
    if (m_base.id.empty())
        return;
    const bool hidden = m_inputs->modelAndDevice() != m_shownFor;
    if (std::exchange(m_hidden, hidden) != hidden) {
        fillTables();
        requestProofs();
    } else if (!hidden)
        return;
    if (!hidden) {
        m_strategies->setPlaceholder({});
        m_ladder->setLadder(m_plan.ladder, m_plan.device);
        showMap();
        inspectCurrent();
    } else {
        m_strategies->setPlaceholder([before = m_plan.model + " · " + m_plan.device.id] {
            return tr("The next plan appears here once model and device are chosen. The one before was of %1.")
                .arg(QString::fromStdString(before));
        });
        for (PlotView* view : std::initializer_list<PlotView*>{m_ladder, m_map})
            view->setPlaceholder([] { return tr("Comes with the next plan."); });
        m_map->setTitle([] { return tr("Capacity map"); });
        inspect([] { return InspectorContent{.title = tr("No strategy is selected.")}; });
    }
    offerNext();
}

// A list that merely loses the focus says that it was chosen from; only another wish is a reason to search again.
void PlanPage::planIfChanged()
{
    const Result<PlanRequest> request = m_inputs->request();
    if (m_inputs->unfinished() || (request && keyOf(*request) == m_asked))
        return;
    plan();
}

void PlanPage::plan()
{
    m_pause.stop();
    const Result<PlanRequest> request = m_inputs->request();
    if (!request) {
        m_worker.cancel();
        m_asked.clear();
        m_stale = true;
        say(MessageBar::Kind::Error, [this, said = QString::fromStdString(request.error().text())] {
            const Result<PlanRequest> now = m_inputs->request();
            return now ? said : QString::fromStdString(now.error().text());
        });
        showWhetherCurrent();
        updateStatus();
        return;
    }
    m_messages->dismiss();
    m_stale = true;
    showWhetherCurrent();
    m_asked = keyOf(*request);
    m_askedFor = m_inputs->modelAndDevice();
    m_worker.requestPlan(*request);
    m_signTime.start();
}

bool PlanPage::restoreFields(const nlohmann::json& fields)
{
    m_inputs->setFields(fields);
    const Result<PlanRequest> request = m_inputs->request();
    const bool another = !request || keyOf(*request) != m_asked;
    if (m_base.id.empty())
        return false;
    m_stale = m_stale || another;
    showWhetherCurrent();
    updateStatus();
    return another;
}

void PlanPage::cancel()
{
    m_pause.stop();
    m_asked.clear();
    m_worker.cancel();
    if (m_base.id.empty() || m_hidden)
        m_strategies->setPlaceholder([] { return tr("Stopped. Change a field or press Enter in it to plan again."); });
    if (m_map->map().sequences.empty())
        m_map->clear();
    updateStatus();
}

void PlanPage::showBusy()
{
    if (m_worker.planning() && (m_hidden || !m_strategies->showsTable()))
        m_strategies->setLoading([] { return tr("Searching strategies…"); });
    if (m_worker.mapping() && m_map->map().sequences.empty())
        m_map->setLoading([] { return tr("Computing the map…"); });
    const bool going = m_worker.planning() || m_worker.mapping();
    m_busy->setVisible(going);
    m_stop->setVisible(going);
    updateStatus();
}

void PlanPage::updateStatus()
{
    const bool going = m_worker.planning() || m_worker.mapping();
    if (!going) {
        m_signTime.stop();
        m_busy->hide();
        m_stop->hide();
        emit becameIdle();
    }
    m_save->setEnabled(m_result && !m_hidden);
    QStringList parts;
    if (m_worker.planning() && m_busy->isVisible())
        parts << tr("Searching strategies…");
    else if (m_worker.mapping() && m_busy->isVisible())
        parts << tr("Computing the map…");
    if (!m_base.id.empty()) {
        if (m_stale && !m_hidden && !m_worker.planning())
            parts << tr("Shown: the plan before");
        if (!m_hidden)
            parts << planFacts(m_plan);
    }
    const LanguageText capacity = [device = m_hidden ? PlannedDevice() : m_plan.device] {
        return capacityText(device.totalBytes, device.usableBytes, device.contextBytes);
    };
    m_answer->setAnswer(m_hidden ? std::string() : m_plan.answer, capacity);
    m_status->setText(parts.join(QStringLiteral("  ·  ")));
    m_status->setToolTip(plainToolTip((m_status->text() + u'\n' + capacity.say()).trimmed()));
    offerNext();
}

void PlanPage::offerNext()
{
    const bool shown = m_strategies && m_strategies->showsTable(); // there is no table yet where the top is built
    const PlannedStrategy* chosen = shown ? strategy(m_strategies->current()) : nullptr;
    const bool runs = chosen && chosen->experiment.is_object();
    m_run->setEnabled(runs);
    m_dry->setEnabled(runs);
    m_dry->setText(dryText());
    m_dry->setVisible(!isOfThisMachine(m_plan.device) &&
                      dryPlace(m_plan.device, runs ? chosen->experiment : nlohmann::json()));
    m_edit->setEnabled(runs);
}

const PlannedStrategy* PlanPage::strategy(int index) const
{
    return index >= 0 && index < static_cast<int>(m_plan.strategies.size())
               ? &m_plan.strategies[static_cast<std::size_t>(index)]
               : nullptr;
}

void PlanPage::onPlanned(const std::shared_ptr<const PlanAnswer>& answer)
{
    dropQuestion();
    m_provable = *answer;
    m_json = answer->json;
    m_plan = answer->plan;
    m_base = planResult(nlohmann::json::object());
    m_shownFor = m_askedFor;
    m_stale = m_hidden = false;
    showPlan();
    requestProofs();
    requestMap();
}

void PlanPage::showPlan()
{
    m_strategies->setPlan(m_plan);
    m_ladder->setLadder(m_plan.ladder, m_plan.device);
    m_map->clear();
    showNothingFits();
    rebuildResult();
    fillTables();
    inspectCurrent();
}

void PlanPage::inspectCurrent()
{
    if (const PlannedStrategy* chosen = strategy(m_strategies->current()))
        inspect([plan = m_plan, shown = *chosen] { return inspectStrategy(plan, shown); });
}

void PlanPage::showNothingFits()
{
    if (!m_plan.wouldFit.empty())
        m_messages->showMessage(MessageBar::Kind::Warning, nothingFitsText(m_plan));
}

void PlanPage::say(MessageBar::Kind kind, const LanguageText& text, bool retry)
{
    std::vector<MessageBar::Action> actions;
    if (retry)
        actions.emplace_back([] { return tr("Try again"); }, [this] { plan(); });
    m_messages->showMessage(kind, text, actions);
}

void PlanPage::selectStrategy(int index)
{
    dropQuestion();
    if (!strategy(index))
        return;
    inspectCurrent();
    m_worker.releaseMap();
    requestMap();
}

void PlanPage::requestMap()
{
    const PlannedStrategy* chosen = strategy(m_strategies->current());
    if (!chosen || !chosen->experiment.is_object() || m_plan.device.usableBytes <= 0) {
        m_map->clear();
        m_map->setPlaceholder([] { return tr("This plan holds no experiment or no capacity to make a map for."); });
        updateStatus();
        requestMeasured();
        return;
    }
    m_worker.requestMap(chosen->experiment, chosen->title, m_plan.device);
    m_signTime.start();
    updateStatus();
}

void PlanPage::showMap()
{
    if (m_hidden || !m_plan.map)
        return;
    m_map->setMap(*m_plan.map, m_plan.device);
    // The map goes over batches and sequences: those of the strategy are not what it is of.
    static const QRegularExpression ownBatch(QStringLiteral(", batch \\d+ x \\d+"));
    const std::string whose = QString::fromStdString(m_plan.map->strategy).remove(ownBatch).toStdString();
    m_map->setTitle(
        [whose] { return whose.empty() ? tr("Capacity map") : tr("Capacity map: %1").arg(strategyTitleText(whose)); });
}

void PlanPage::onMapped(const PlannedMap& map)
{
    m_plan.map = map;
    showMap();
    rebuildResult();
    fillTables();
    updateStatus();
    requestMeasured();
}

void PlanPage::requestMeasured()
{
    if (m_folder.isEmpty() || m_base.id.empty())
        return;
    std::vector<nlohmann::json> experiments;
    for (const PlannedStrategy& each : m_plan.strategies)
        experiments.push_back(each.experiment);
    m_worker.requestMeasured(m_folder, experiments, m_plan.map ? m_plan.map->experiment : nlohmann::json(),
                             m_plan.device);
}

void PlanPage::onMeasured(const MeasuredMatches& matches)
{
    m_strategies->setMeasured(matches.peaks);
    if (m_plan.map && (!matches.cells.empty() || !m_plan.map->measured.empty())) {
        m_plan.map->measured = matches.cells;
        showMap();
        rebuildResult();
        fillTables();
    }
}

void PlanPage::setLibraryFolder(const QString& folder)
{
    m_folder = folder;
    refreshMeasured();
}

void PlanPage::refreshMeasured()
{
    if (!m_worker.planning() && !m_worker.mapping())
        requestMeasured();
}

void PlanPage::showDocument(const RunDocument& document)
{
    Result<PlanDocument> plan = planOf(*document.result);
    if (!plan) {
        say(MessageBar::Kind::Error, QString::fromStdString(plan.error().text()));
        return;
    }
    m_pause.stop();
    m_worker.cancel();
    m_messages->dismiss();
    dropQuestion();
    m_plan = std::move(plan).value();
    m_base = *document.result;
    m_json = m_base.other["plan"];
    m_json.erase("capacity_map");
    m_provable = openedAnswer(m_json, m_plan);
    m_stale = m_hidden = false;
    m_inputs->setPlan(m_plan);
    if (const Result<PlanRequest> request = m_inputs->request())
        m_asked = keyOf(*request);
    m_shownFor = m_inputs->modelAndDevice();
    const std::optional<PlannedMap> map = m_plan.map;
    showPlan();
    requestProofs();
    if (map)
        onMapped(*map);
    else
        requestMap();
    updateStatus();
}

void PlanPage::rebuildResult()
{
    auto result = std::make_shared<RunResult>(planResult(m_json));
    result->id = m_base.id;
    result->created = m_base.created;
    result->synthetic = m_base.synthetic;
    result->notes = m_base.notes;
    if (m_plan.map)
        result->other["plan"]["capacity_map"] = toJson(*m_plan.map);
    m_result = std::move(result);
    updateStatus();
    emit resultChanged();
}

void PlanPage::fillTables()
{
    m_tables->startAnew();
    table(QStringLiteral("strategies"))->setTable(m_hidden ? Table() : strategiesTable(m_plan));
    table(QStringLiteral("ladder"))->setTable(m_hidden ? Table() : ladderTable(m_plan));
    table(QStringLiteral("capacity_map"))->setTable(m_plan.map && !m_hidden ? capacityTable(*m_plan.map) : Table());
}

} // namespace peakscope
