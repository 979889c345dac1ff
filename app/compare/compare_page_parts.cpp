// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare workspace's parts: how they are built, connected and laid out; what they do stands in
// compare_page.cpp.
#include "app/compare/compare_page.h"

#include "app/compare/compare_words.h"

#include "app/export/save_file.h"
#include "app/session/settings.h"
#include "app/window/dock_area.h"
#include "app/window/empty_page.h"
#include "app/window/icons.h"
#include "app/window/inspector_content.h"
#include "app/window/message_bar.h"
#include "widgets/compare/compare_bars_view.h"
#include "widgets/compare/compare_scatter_view.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace peakscope {

namespace {

constexpr int kSign = 100; // ms: what takes longer shows that it goes on

} // namespace

ComparePage::ComparePage(QWidget* parent) : WorkspacePage(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_stack = new QStackedWidget(this);
    layout->addWidget(m_stack);
    auto* open = new QPushButton(glyphIcon(Glyph::Open), {});
    inLanguage(open, [open] { open->setText(tr("Open results to compare…")); });
    open->setObjectName(QStringLiteral("compareOpen"));
    connect(open, &QPushButton::clicked, this, &ComparePage::openRequested);
    m_stack->addWidget(
        makeEmptyPage([] { return tr("Compare runs"); },
                      [] {
                          return tr("Choose two or more runs in the library (Ctrl+click, Shift+click) and press "
                                    "Compare, or open a folder of results: timelines on one axis, peaks side by side, "
                                    "and tables of differences and ratios.");
                      },
                      open, this));
    auto* page = new QWidget(m_stack);
    auto* rows = new QVBoxLayout(page);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    m_stack->addWidget(page);
    buildTop();
    buildArea();
    connectViews();
    m_defaultLayout = m_area->saveState();
    m_sign.setSingleShot(true);
    m_sign.setInterval(kSign);
    connect(&m_sign, &QTimer::timeout, this,
            [this] { m_timelines->setLoading([] { return tr("Comparing the runs…"); }); });
    connect(&m_worker, &CompareWorker::answered, this, &ComparePage::showAnswer);
    inLanguage(this, [this] {
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
    auto* scroll = new QScrollArea(page);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_columnRow = new QWidget(scroll);
    m_columns = new QHBoxLayout(m_columnRow);
    m_columns->setContentsMargins(8, 6, 8, 2);
    m_columns->setSpacing(8);
    scroll->setWidget(m_columnRow);
    // Three lines of text, and the room of a scroll bar only where one is needed.
    scroll->setFixedHeight(fontMetrics().height() * 3 + 26);
    auto* line = new QWidget(page);
    auto* controls = new QHBoxLayout(line);
    controls->setContentsMargins(8, 2, 8, 4);
    controls->setSpacing(8);
    const auto addLabelled = [&](LanguageText title, QComboBox* box) {
        QLabel* label = makeLabel(title, line);
        label->setBuddy(box);
        inLanguage(box, [box, title = std::move(title)] { box->setAccessibleName(title.say()); });
        controls->addWidget(label);
        controls->addWidget(box);
    };
    m_baseBox = new QComboBox(line);
    m_baseBox->setObjectName(QStringLiteral("compareBase"));
    addLabelled([] { return tr("Against"); }, m_baseBox);
    m_alignmentBox = new QComboBox(line);
    m_alignmentBox->setObjectName(QStringLiteral("compareAlignment"));
    addItem(
        m_alignmentBox, [] { return tr("Phases (stretched)"); }, static_cast<int>(TimelineAlignment::Phase));
    addItem(
        m_alignmentBox, [] { return tr("First measured step"); }, static_cast<int>(TimelineAlignment::Step));
    addItem(
        m_alignmentBox, [] { return tr("Start of the run"); }, static_cast<int>(TimelineAlignment::Start));
    addLabelled([] { return tr("Align"); }, m_alignmentBox);
    m_growth = new QLabel(line);
    m_growth->setTextFormat(Qt::PlainText);
    m_growth->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_growth->setObjectName(QStringLiteral("compareGrowth"));
    controls->addWidget(m_growth, 1);
    connect(m_baseBox, &QComboBox::activated, this, [this](int index) { setBase(static_cast<std::size_t>(index)); });
    connect(m_alignmentBox, &QComboBox::activated, this, &ComparePage::compute);
    m_caveats = new QLabel(page);
    m_caveats->setObjectName(QStringLiteral("compareCaveats"));
    m_caveats->setTextFormat(Qt::RichText);
    m_caveats->setWordWrap(true);
    m_caveats->setContentsMargins(8, 2, 8, 4);
    m_caveats->setTextInteractionFlags(Qt::LinksAccessibleByKeyboard | Qt::LinksAccessibleByMouse);
    connect(m_caveats, &QLabel::linkActivated, this, [this] { showTable(QStringLiteral("notes")); });
    m_messages = new MessageBar(page);
    auto* rows = static_cast<QVBoxLayout*>(page->layout());
    for (QWidget* widget : std::initializer_list<QWidget*>{scroll, line, m_caveats, m_messages})
        rows->addWidget(widget);
    inLanguage(this, [this] {
        m_baseBox->setToolTip(tr("Differences and ratios are taken against this run"));
        m_alignmentBox->setToolTip(
            tr("What stands under what on the time axis. Phases: durations are stretched to those "
               "of the run compared against; else every run keeps its own."));
    });
}

DataTableView* ComparePage::addTable(const QString& name, LanguageText title)
{
    auto* table = new DataTableView(m_tables);
    table->setObjectName(name);
    inLanguage(table, [table, title] { table->view()->setAccessibleName(title.say()); });
    table->setPlaceholder([] { return tr("None of these runs holds any."); });
    addTab(m_tables, table, std::move(title));
    connect(table, &DataTableView::currentRowChanged, this,
            [this, name](const QString& row) { inspectRow(name, row); });
    connect(table, &DataTableView::exportRequested, this, [this, name] { saveTable(name); });
    return table;
}

void ComparePage::buildArea()
{
    m_area = new DockArea(this);
    m_timelines = new CompareTimelineView(m_area);
    m_timelines->setObjectName(QStringLiteral("compareTimelines"));
    m_area->setCentralWidget(m_timelines);
    m_bars = new CompareBarsView(m_area);
    m_scatter = new CompareScatterView(m_area);
    m_tables = new QTabWidget(m_area);
    m_tables->setDocumentMode(true);
    m_tables->setUsesScrollButtons(true);
    for (std::size_t i = 0; i < kComparisonGroupCount; ++i) {
        const auto group = static_cast<ComparisonGroup>(i);
        addTable(QString::fromStdString(std::string(name(group))), [group] { return comparisonGroupTitle(group); });
    }
    addTable(QStringLiteral("settings"), [] { return tr("Settings"); })->setPlaceholder([] {
        return tr("The runs were told the same.");
    });
    addTable(QStringLiteral("growth"), [] { return tr("Growth"); })->setPlaceholder([] {
        return tr("Three runs or more that differ only in sequence, batch, rank or size show how the peak "
                  "grows.");
    });
    addTable(QStringLiteral("notes"), [] { return tr("Not comparable"); })->setPlaceholder([] {
        return tr("Nothing stands against comparing these runs.");
    });
    QDockWidget* bars = m_area->addDock(
        QStringLiteral("compare_bars"), [] { return tr("Peaks"); }, m_bars);
    QDockWidget* tables = m_area->addDock(
        QStringLiteral("compare_tables"), [] { return tr("Differences"); }, m_tables);
    QDockWidget* scatter = m_area->addDock(
        QStringLiteral("compare_scatter"), [] { return tr("Memory against time"); }, m_scatter);
    // Side by side first: a dock that is a tab already can't be split.
    m_area->splitDockWidget(bars, tables, Qt::Horizontal);
    m_area->tabifyDockWidget(bars, scatter);
    bars->raise();
    static_cast<QVBoxLayout*>(m_stack->widget(1)->layout())->addWidget(m_area, 1);
}

void ComparePage::connectViews()
{
    const auto figure = [this](PlotView* view, const char* name) {
        connect(view, &PlotView::exportRequested, this,
                [this, name] { emit figureRequested(QString::fromLatin1(name)); });
    };
    figure(m_timelines, "memory_timeline");
    figure(m_bars, "memory_breakdown_comparison");
    figure(m_scatter, "performance_tradeoff");
    connect(m_timelines, &PlotView::showDataRequested, this, [this] { showTable(QStringLiteral("phases")); });
    connect(m_bars, &PlotView::showDataRequested, this, [this] { showTable(QStringLiteral("components")); });
    connect(m_scatter, &PlotView::showDataRequested, this, [this] { showTable(QStringLiteral("totals")); });
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
    return m_tables->findChild<DataTableView*>(name);
}

void ComparePage::showTable(const QString& name)
{
    auto* dock = m_area->findChild<QDockWidget*>(QStringLiteral("compare_tables"));
    dock->show();
    dock->raise();
    m_tables->setCurrentWidget(table(name));
    table(name)->view()->setFocus();
}

void ComparePage::saveTable(const QString& name)
{
    const QString proposal =
        QDir(settings::exportFolder()).filePath(QStringLiteral("comparison_") + name + QStringLiteral(".csv"));
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the table"), proposal, tr("Tables (*.csv)"));
    if (path.isEmpty())
        return;
    const std::string text = toCsv(table(name)->model()->table());
    const QString fault = saveFile(path, text);
    if (fault.isEmpty()) {
        settings::setExportFolder(QFileInfo(path).absolutePath());
        m_messages->showMessage(MessageBar::Kind::Info, [path] { return tr("Saved to %1").arg(path); });
    } else {
        m_messages->showMessage(MessageBar::Kind::Error,
                                [path, fault] { return tr("%1 can't be written: %2").arg(path, fault); });
    }
}

QList<QDockWidget*> ComparePage::docks() const
{
    return m_area->docks();
}

void ComparePage::applyDefaultSizes()
{
    // The docks' layout must have its size first.
    QTimer::singleShot(0, this, [this] {
        auto* bars = m_area->findChild<QDockWidget*>(QStringLiteral("compare_bars"));
        auto* tables = m_area->findChild<QDockWidget*>(QStringLiteral("compare_tables"));
        m_area->resizeDocks({bars}, {m_area->height() * 44 / 100}, Qt::Vertical);
        m_area->resizeDocks({bars, tables}, {m_area->width() * 48 / 100, m_area->width() * 52 / 100}, Qt::Horizontal);
    });
}

QByteArray ComparePage::saveLayout() const
{
    return m_area->saveState();
}

bool ComparePage::restoreLayout(const QByteArray& state)
{
    m_sized = m_area->restoreState(state);
    return m_sized;
}

void ComparePage::restoreDefaultLayout()
{
    m_area->restoreState(m_defaultLayout);
    m_sized = !m_runs.empty();
    if (m_sized)
        applyDefaultSizes();
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
    if (event->type() == QEvent::PaletteChange && m_stack && !m_runs.empty()) {
        showColumns();
        showCaveats();
    }
}

} // namespace peakscope
