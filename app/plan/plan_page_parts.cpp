// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan workspace's parts: how they are built, connected and laid out; what they do stands in plan_page.cpp.
#include "app/plan/plan_page.h"

#include "app/export/save_file.h"
#include "app/plan/plan_inputs.h"
#include "app/session/settings.h"
#include "app/window/dock_area.h"
#include "app/window/elided_label.h"
#include "app/window/icons.h"
#include "app/window/message_bar.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/ladder_view.h"
#include "widgets/plan/strategy_table_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/language_texts.h"

#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace peakscope {

namespace {

constexpr int kPause = 350;    // ms after the last key
constexpr int kBusySign = 100; // ms: what takes longer shows that it goes on

} // namespace

void PlanPage::buildTop()
{
    auto* top = new QWidget(this);
    auto* row = new QHBoxLayout(top);
    row->setContentsMargins(8, 6, 8, 6);
    row->setSpacing(8);
    m_inputs = new PlanInputs(top);
    m_save = new QPushButton(glyphIcon(Glyph::Save), {}, top);
    m_save->setObjectName(QStringLiteral("savePlan"));
    m_save->setEnabled(false);
    row->addWidget(m_inputs, 1);
    row->addWidget(m_save, 0, Qt::AlignTop);
    layout()->addWidget(top);
    auto* line = new QWidget(this);
    auto* status = new QHBoxLayout(line);
    status->setContentsMargins(8, 0, 8, 4);
    status->setSpacing(8);
    m_status = new ElidedLabel(line);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_status->setObjectName(QStringLiteral("planStatus"));
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
    layout()->addWidget(m_messages);
    inLanguage(this, [this] {
        m_save->setText(tr("Save plan…"));
        m_save->setToolTip(tr("Saves strategies and map as a result that opens here and exports as figures (Ctrl+S)"));
        m_busy->setAccessibleName(tr("A plan is being computed"));
        m_stop->setText(tr("Stop"));
        updateStatus();
    });
}

void PlanPage::buildArea()
{
    m_area = new DockArea(this);
    m_strategies = new StrategyTableView(m_area);
    m_area->setCentralWidget(m_strategies);
    m_map = new CapacityMapView(m_area);
    m_ladder = new LadderView(m_area);
    m_tables = new QTabWidget(m_area);
    m_tables->setDocumentMode(true);
    const auto addTable = [this](const QString& name, LanguageText title) {
        auto* table = new DataTableView(m_tables);
        table->setObjectName(name);
        inLanguage(table, [table, title] { table->view()->setAccessibleName(title.say()); });
        addTab(m_tables, table, std::move(title));
        connect(table, &DataTableView::exportRequested, this, &PlanPage::saveTable);
    };
    addTable(QStringLiteral("strategies"), [] { return tr("Strategies"); });
    addTable(QStringLiteral("capacity_map"), [] { return tr("Capacity map"); });
    addTable(QStringLiteral("ladder"), [] { return tr("Ladder"); });
    QDockWidget* map = m_area->addDock(
        QStringLiteral("plan_map"), [] { return tr("Capacity map"); }, m_map);
    QDockWidget* ladder = m_area->addDock(
        QStringLiteral("plan_ladder"), [] { return tr("Ladder"); }, m_ladder);
    QDockWidget* tables = m_area->addDock(
        QStringLiteral("plan_tables"), [] { return tr("Tables of the plan"); }, m_tables);
    // Side by side first: a dock that is a tab already can't be split.
    m_area->splitDockWidget(map, ladder, Qt::Horizontal);
    m_area->tabifyDockWidget(ladder, tables);
    ladder->raise();
    static_cast<QVBoxLayout*>(layout())->addWidget(m_area, 1);
}

void PlanPage::connectParts()
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPause);
    m_signTime.setSingleShot(true);
    m_signTime.setInterval(kBusySign);
    connect(&m_pause, &QTimer::timeout, this, &PlanPage::plan);
    connect(&m_signTime, &QTimer::timeout, this, &PlanPage::showBusy);
    connect(m_inputs, &PlanInputs::edited, this, &PlanPage::onEdited);
    connect(m_inputs, &PlanInputs::confirmed, this, &PlanPage::planIfChanged);
    connect(m_stop, &QToolButton::clicked, this, &PlanPage::cancel);
    connect(m_save, &QPushButton::clicked, this, &PlanPage::saveRequested);

    connect(&m_worker, &PlanWorker::planned, this, &PlanPage::onPlanned);
    connect(&m_worker, &PlanWorker::planFailed, this, [this](const QString& sentence) {
        m_asked.clear();
        say(MessageBar::Kind::Error, sentence, true);
        if (m_base.id.empty())
            m_strategies->setPlaceholder([] { return tr("No plan yet: what went wrong stands above."); });
        updateStatus();
    });
    connect(&m_worker, &PlanWorker::mapped, this,
            [this](const std::shared_ptr<const PlannedMap>& map) { onMapped(*map); });
    connect(&m_worker, &PlanWorker::mapFailed, this, [this](const QString& sentence) {
        m_map->clear();
        m_map->setPlaceholder(sentence);
        updateStatus();
    });
    connect(&m_worker, &PlanWorker::measured, this,
            [this](const std::shared_ptr<const MeasuredMatches>& matches) { onMeasured(*matches); });

    connect(m_strategies, &StrategyTableView::currentChanged, this, &PlanPage::selectStrategy);
    connect(m_strategies, &StrategyTableView::runRequested, this, [this](int index) {
        if (const PlannedStrategy* chosen = strategy(index))
            emit runRequested(chosen->experiment);
    });
    connect(m_strategies, &StrategyTableView::editRequested, this, [this](int index) {
        if (const PlannedStrategy* chosen = strategy(index))
            emit editRequested(chosen->experiment);
    });
    connect(m_strategies, &StrategyTableView::activated, this, &PlanPage::offerStrategy);
    connect(m_strategies, &StrategyTableView::exportRequested, this,
            [this] { emit figureRequested(QStringLiteral("strategy_table")); });
    connect(m_strategies, &StrategyTableView::tableExportRequested, this, [this] {
        m_tables->setCurrentWidget(table(QStringLiteral("strategies")));
        saveTable();
    });
    connect(m_map, &CapacityMapView::cellActivated, this, &PlanPage::offerCell);
    connect(m_map, &PlotView::exportRequested, this, [this] { emit figureRequested(QStringLiteral("capacity_map")); });
    connect(m_map, &PlotView::showDataRequested, this, [this] { showTable(QStringLiteral("capacity_map")); });
    connect(m_ladder, &LadderView::stepActivated, this, &PlanPage::offerStep);
    connect(m_ladder, &PlotView::exportRequested, this,
            [this] { emit figureRequested(QStringLiteral("strategy_table")); });
    connect(m_ladder, &PlotView::showDataRequested, this, [this] { showTable(QStringLiteral("ladder")); });
}

void PlanPage::showTable(const QString& name)
{
    auto* dock = m_area->findChild<QDockWidget*>(QStringLiteral("plan_tables"));
    dock->show();
    dock->raise();
    m_tables->setCurrentWidget(table(name));
    table(name)->view()->setFocus();
}

void PlanPage::saveTable()
{
    const auto* view = static_cast<const DataTableView*>(m_tables->currentWidget());
    const bool strategies = view->objectName() == QLatin1String("strategies");
    const QString proposal = QDir(settings::exportFolder()).filePath(view->objectName() + QStringLiteral(".csv"));
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the table"), proposal, strategies ? tr("Tables (*.csv);;LaTeX (*.tex)") : tr("Tables (*.csv)"));
    if (path.isEmpty())
        return;
    const bool latex = strategies && path.endsWith(QLatin1String(".tex"), Qt::CaseInsensitive);
    const std::string text = latex ? strategiesLatex(m_plan) : toCsv(view->model()->table());
    const QString fault = saveFile(path, text);
    if (fault.isEmpty()) {
        settings::setExportFolder(QFileInfo(path).absolutePath());
        say(MessageBar::Kind::Info, [path] { return tr("Saved to %1").arg(path); });
    } else {
        say(MessageBar::Kind::Error, [path, fault] { return tr("%1 can't be written: %2").arg(path, fault); });
    }
}

QList<QDockWidget*> PlanPage::docks() const
{
    return m_area->docks();
}

void PlanPage::applyDefaultSizes()
{
    // The docks' layout must have its size first.
    QTimer::singleShot(0, this, [this] {
        auto* map = m_area->findChild<QDockWidget*>(QStringLiteral("plan_map"));
        auto* ladder = m_area->findChild<QDockWidget*>(QStringLiteral("plan_ladder"));
        m_area->resizeDocks({map}, {m_area->height() * 52 / 100}, Qt::Vertical);
        m_area->resizeDocks({map, ladder}, {m_area->width() * 52 / 100, m_area->width() * 48 / 100}, Qt::Horizontal);
    });
}

QByteArray PlanPage::saveLayout() const
{
    return m_area->saveState();
}

bool PlanPage::restoreLayout(const QByteArray& state)
{
    m_sized = m_area->restoreState(state);
    return m_sized;
}

void PlanPage::restoreDefaultLayout()
{
    m_area->restoreState(m_defaultLayout);
    applyDefaultSizes();
}

} // namespace peakscope
