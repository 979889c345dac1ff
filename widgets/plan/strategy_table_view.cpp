// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plan/strategy_table_view.h"

#include "widgets/look/component_palette.h"
#include "widgets/look/pieces.h"
#include "widgets/look/svg_icon.h"
#include "widgets/plan/strategy_delegate.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/note_words.h"
#include "widgets/text/plain_text.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QTableView>
#include <QTextBrowser>

#include <algorithm>

namespace peakscope {

StrategyTableView::StrategyTableView(QWidget* parent) : QWidget(parent)
{
    m_model = new StrategyModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(StrategyModel::SortRole);
    m_proxy->setSortLocaleAware(true);
    buildTitleRow();
    buildTable();
    buildDetails();
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_body);
    m_stack->addWidget(makePlaceholderPage(m_placeholder, m_busy));
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    layout->addWidget(m_titleRow);
    layout->addWidget(m_stack, 1);
    setFocusProxy(m_view);
    setPlaceholder([] { return tr("Choose a model and a device to list the possible strategies here, best first."); });
    inLanguage(this, [this] { retranslate(); });
}

void StrategyTableView::buildTitleRow()
{
    m_titleRow = new QWidget;
    m_titleRow->setObjectName(QStringLiteral("panelTitle"));
    m_titleLayout = makeBox<QHBoxLayout>(m_titleRow, {8, 2, 4, 2}, 2);
    m_title = new QLabel;
    makeBold(m_title);
    m_titleLayout->addWidget(m_title);
    m_badge = new QLabel;
    m_badge->setContentsMargins(4, 0, 4, 0);
    m_titleLayout->addSpacing(4);
    m_titleLayout->addWidget(m_badge, 0, Qt::AlignVCenter);
    m_titleLayout->addStretch(1);
    m_menu = new QMenu(this);
    const auto add = [this](LanguageText text, LanguageText tip, const QKeySequence& keys, PlotIcon icon, auto slot) {
        auto* action = new QAction(this);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, slot);
        addAction(action);
        m_menu->addAction(action);
        m_icons.emplace_back(action, static_cast<int>(icon));
        QToolButton* button = makeBarButton(action);
        inLanguage(button, [=] {
            action->setText(text.say());
            const QString shown = keys.toString(QKeySequence::NativeText);
            action->setToolTip(shown.isEmpty() ? tip.say() : QStringLiteral("%1 (%2)").arg(tip.say(), shown));
            button->setAccessibleName(text.say());
        });
        m_titleLayout->addWidget(button);
        return button;
    };
    add([] { return tr("Copy table"); }, [] { return tr("Copy the table as text"); }, QKeySequence::Copy,
        PlotIcon::CopyData, &StrategyTableView::copyTsv);
    add([] { return tr("Copy command"); }, [] { return tr("Copy a shell command that runs this strategy"); }, {},
        PlotIcon::CopyData, &StrategyTableView::copyCommand)
        ->hide(); // in the menu alone: the bar is full
    for (QToolButton* button : {add([] { return tr("CSV"); }, [] { return tr("Copy the table as CSV, exact bytes"); },
                                    {}, PlotIcon::CopyData, &StrategyTableView::copyCsv),
                                add([] { return tr("LaTeX"); }, [] { return tr("Copy the table as LaTeX (booktabs)"); },
                                    {}, PlotIcon::CopyData, &StrategyTableView::copyLatex)})
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    add([] { return tr("Copy image"); }, [] { return tr("Copy as an image"); },
        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), PlotIcon::Copy, &StrategyTableView::copyImage);
    add([] { return tr("Export…"); }, [] { return tr("Export as a figure (PDF, SVG, PNG)"); }, {}, PlotIcon::Export,
        &StrategyTableView::exportRequested);
    m_detailsAction = new QAction(this);
    m_detailsAction->setCheckable(true);
    m_detailsAction->setChecked(true);
    connect(m_detailsAction, &QAction::triggered, this, [this] {
        m_detailsChosen = true;
        fitDetails();
    });
    add([] { return tr("Save table…"); }, [] { return tr("Save the table as CSV or LaTeX"); }, {}, PlotIcon::Table,
        &StrategyTableView::tableExportRequested);
    m_menu->addAction(m_detailsAction);
    m_titleLayout->addWidget(makeBarButton(m_detailsAction));
}

void StrategyTableView::buildTable()
{
    m_view = new QTableView;
    m_view->setHorizontalHeader(new StrategyHeader(m_model, m_view));
    m_view->setModel(m_proxy);
    m_view->setItemDelegate(new StrategyDelegate(m_model, m_view));
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setShowGrid(false);
    m_view->setWordWrap(true); // names that end in dots look alike
    m_view->setTabKeyNavigation(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->verticalHeader()->hide();
    const int row = fontMetrics().height() + 12;
    m_view->verticalHeader()->setDefaultSectionSize(row);
    constexpr int kLeastRows = 3;                         // what a plan is read for, whatever lies below
    m_view->setMinimumHeight(2 * row + kLeastRows * row); // the header has two lines
    m_view->horizontalHeader()->setSortIndicator(StrategyModel::Rank, Qt::AscendingOrder);
    m_view->horizontalHeader()->setMinimumSectionSize(fontMetrics().averageCharWidth() * 3);
    m_view->setSortingEnabled(true);
    m_view->installEventFilter(this);
    m_view->viewport()->installEventFilter(this);
    // After the model was sorted, which the same signal asks for.
    connect(m_view->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &StrategyTableView::fitRows,
            Qt::QueuedConnection);
    connect(m_view, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { emit activated(sourceRow(index.row())); });
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        showDetails();
        if (!m_setting)
            emit currentChanged(current());
    });
    m_legend = new LegendStrip;
}

void StrategyTableView::buildDetails()
{
    m_details = new QTextBrowser;
    m_details->setFrameShape(QFrame::NoFrame);
    m_details->setOpenLinks(false);
    m_details->setTabChangesFocus(true);
    m_details->document()->setIndentWidth(14);
    auto* pane = new QWidget;
    pane->setBackgroundRole(QPalette::Base);
    pane->setAutoFillBackground(true);
    auto* layout = makeBox<QVBoxLayout>(pane, {8, 4, 8, 8}, 4);
    layout->addWidget(m_details, 1);
    m_tableSide = new QWidget;
    m_tableSide->setBackgroundRole(QPalette::Base);
    m_tableSide->setAutoFillBackground(true);
    m_tableSide->installEventFilter(this);
    auto* column = makeBox<QVBoxLayout>(m_tableSide, {}, 0);
    column->addWidget(m_view, 1);
    column->addWidget(m_legend);
    column->addStretch(0);
    m_body = new QSplitter(Qt::Horizontal);
    m_body->setChildrenCollapsible(false);
    m_body->addWidget(m_tableSide);
    m_body->addWidget(pane);
    m_body->setStretchFactor(0, 1);
    const int unit = fontMetrics().averageCharWidth();
    pane->setMinimumWidth(unit * 30);
    m_body->setSizes({unit * 120, unit * 46});
    connect(m_body, &QSplitter::splitterMoved, this, &StrategyTableView::fitColumns);
}

void StrategyTableView::setPlan(PlanDocument plan, int current)
{
    const bool empty = plan.strategies.empty();
    const int place = current > 0 ? m_view->verticalScrollBar()->value() : 0;
    m_setting = true;
    m_model->setPlan(std::move(plan));
    m_setting = false;
    m_proofFailure.clear();
    showBadge();
    setPlaceholder([empty] { return empty ? tr("No strategy was found for this model and device.") : QString(); });
    updateLegend();
    fitColumns();
    setCurrent(empty ? -1 : current);
    if (current > 0)
        m_view->verticalScrollBar()->setValue(place);
    m_view->setAccessibleDescription(summary());
    showDetails();
}

void StrategyTableView::retranslate()
{
    m_title->setText(tr("Strategies"));
    showBadge();
    m_detailsAction->setText(tr("Details"));
    m_detailsAction->setToolTip(tr("Show why the chosen strategy ranks where it does"));
    m_view->setAccessibleName(tr("Strategies"));
    m_view->setAccessibleDescription(summary());
    m_details->setAccessibleName(tr("Why this strategy, and its numbers"));
    m_placeholder->setText(m_placeholderText.say());
    m_model->retranslate();
    updateLegend();
    fitColumns();
    const int place = m_details->verticalScrollBar()->value();
    showDetails();
    m_details->verticalScrollBar()->setValue(place);
}

void StrategyTableView::setProofFailure(const QString& sentence)
{
    m_proofFailure = sentence;
    showBadge();
}

// Whose numbers these are.
void StrategyTableView::showBadge()
{
    const std::vector<PlannedStrategy>& all = m_model->plan().strategies;
    const auto proved =
        std::count_if(all.begin(), all.end(), [](const PlannedStrategy& each) { return each.proved.has_value(); });
    if (proved == 0) {
        m_badge->setText(tr("predicted"));
        QString tip = tr("Computed from the model's operators before anything runs");
        if (!m_proofFailure.isEmpty())
            tip += u'\n' + tr("No dry runs here: %1").arg(m_proofFailure);
        m_badge->setToolTip(plainToolTip(tip));
        return;
    }
    m_badge->setText(tr("%1 of %2 run dry").arg(proved).arg(all.size()));
    m_badge->setToolTip(tr("Rows with a tick ran on a stand-in of the card, with PyTorch's own allocator: their bytes "
                           "are exact. The others are predicted."));
}

// What a shell takes; the experiment holds no line that ends it.
void StrategyTableView::copyCommand()
{
    if (current() < 0)
        return;
    const nlohmann::json& experiment = m_model->plan().strategies[static_cast<std::size_t>(current())].experiment;
    QApplication::clipboard()->setText(
        QStringLiteral("peakscope-cli run - --out run.json <<'END'\n%1\nEND\n")
            .arg(QString::fromStdString(experiment.dump(2, ' ', false, nlohmann::json::error_handler_t::replace))));
}

void StrategyTableView::setMeasured(std::vector<std::int64_t> peakBytes)
{
    m_model->setMeasured(std::move(peakBytes));
    updateLegend();
    showDetails();
}

void StrategyTableView::setPlaceholder(LanguageText text)
{
    m_placeholderText = std::move(text);
    m_placeholder->setText(m_placeholderText.say());
    const bool shown = m_placeholder->text().isEmpty();
    m_busy->hide();
    m_stack->setCurrentIndex(shown ? 0 : 1);
    m_badge->setVisible(shown);
    for (QAction* action : m_menu->actions())
        action->setEnabled(shown);
    showDetails();
}

void StrategyTableView::setLoading(LanguageText text)
{
    setPlaceholder(std::move(text));
    m_busy->setVisible(!showsTable());
}

bool StrategyTableView::showsTable() const
{
    return m_stack->currentIndex() == 0;
}

int StrategyTableView::sourceRow(int proxyRow) const
{
    return m_proxy->mapToSource(m_proxy->index(proxyRow, 0)).row();
}

int StrategyTableView::current() const
{
    const QModelIndex index = m_view->currentIndex();
    return index.isValid() ? m_proxy->mapToSource(index).row() : -1;
}

void StrategyTableView::setCurrent(int index)
{
    m_setting = true;
    m_view->setCurrentIndex(index < 0 ? QModelIndex() : m_proxy->mapFromSource(m_model->index(index, 0)));
    m_setting = false;
}

void StrategyTableView::showDetails()
{
    const int index = current();
    const bool any = showsTable() && index >= 0 && index < m_model->rowCount();
    m_details->setHtml(any ? strategyHtml(*m_model, index) : QString());
}

QString StrategyTableView::detailText() const
{
    return m_details->toPlainText();
}

QString StrategyTableView::summary() const
{
    const PlanDocument& plan = m_model->plan();
    if (plan.strategies.empty())
        return tr("No strategies.");
    const PlannedStrategy& best = plan.strategies.front();
    const auto fitting = std::count_if(plan.strategies.begin(), plan.strategies.end(),
                                       [](const PlannedStrategy& each) { return each.verdict <= Verdict::Tight; });
    return tr("%1 strategies, %2 of which fit one device with %3 usable. The best: %4, %5, predicted peak %6.")
        .arg(QString::number(plan.strategies.size()), QString::number(fitting), bytesText(plan.device.usableBytes),
             strategyTitleText(best.title), verdictText(best.verdict, best.devicesNeeded), bytesText(best.peakBytes));
}

void StrategyTableView::updateLegend()
{
    const ChartTheme theme = chartTheme(palette());
    const PlanDocument& plan = m_model->plan();
    std::vector<LegendStrip::Entry> entries;
    if (plan.device.contextBytes > 0)
        entries.push_back({tr("Context"), theme.grid, QPen(theme.axis, 1)});
    bool measured = false;
    bool reserved = false;
    for (const Component component : strategyComponents(plan, plan.strategies.size())) {
        const QColor color = componentColor(component);
        const QColor edge = edgeColor(color, theme);
        entries.push_back(
            {componentTitle(component), predictedBrush(color, theme), QPen(edge.isValid() ? edge : color, 1)});
    }
    for (int i = 0; i < m_model->rowCount(); ++i) {
        const PlannedStrategy& strategy = plan.strategies[static_cast<std::size_t>(i)];
        measured = measured || m_model->measuredBytes(i) > 0;
        reserved = reserved || strategy.reservedBytes > strategy.peakBytes;
    }
    if (reserved)
        entries.push_back({reservedTitle(), Qt::NoBrush, QPen(theme.axis, 1)});
    if (measured)
        entries.push_back({tr("Measured peak"), theme.text, Qt::NoPen});
    if (plan.device.usableBytes > 0)
        entries.push_back({tr("Usable: %1").arg(bytesText(plan.device.usableBytes)), theme.warning, Qt::NoPen});
    m_legend->setEntries(std::move(entries));
}

// The bars are what the table is for: they get room before columns that repeat them in numbers.
void StrategyTableView::fitColumns()
{
    QHeaderView* header = m_view->horizontalHeader();
    const int unit = fontMetrics().averageCharWidth();
    const bool sharded = std::any_of(m_model->plan().strategies.begin(), m_model->plan().strategies.end(),
                                     [](const PlannedStrategy& strategy) { return strategy.devicesNeeded != 1; });
    for (const int column : {StrategyModel::Reserved, StrategyModel::Devices, StrategyModel::Step})
        m_view->setColumnHidden(column, column == StrategyModel::Devices && !sharded);
    m_view->resizeColumnsToContents();
    const int title = std::clamp(m_view->columnWidth(StrategyModel::Title) + 8, unit * 20, unit * 54);
    const auto others = [&] {
        int width = 0;
        for (int column = 0; column < StrategyModel::ColumnCount; ++column) {
            if (column != StrategyModel::Title && column != StrategyModel::Memory && !m_view->isColumnHidden(column))
                width += m_view->columnWidth(column);
        }
        return width;
    };
    const int room = m_view->viewport()->width();
    const int leastBars = unit * 28;
    for (const int column : {StrategyModel::Devices, StrategyModel::Reserved, StrategyModel::Step}) {
        if (others() + unit * 34 + leastBars > room)
            m_view->setColumnHidden(column, true);
    }
    const int rest = room - others();
    const int titleWidth = std::min(title, std::max(unit * 24, rest - std::max(leastBars, rest * 38 / 100)));
    m_view->setColumnWidth(StrategyModel::Title, titleWidth);
    m_view->setColumnWidth(StrategyModel::Memory, std::max(leastBars, rest - titleWidth));
    header->setStretchLastSection(false);
    fitRows();
}

// As many lines as a name takes, and room for the heading of a part.
void StrategyTableView::fitRows()
{
    const QAbstractItemModel* rows = m_view->model();
    const QFontMetrics metrics = m_view->fontMetrics();
    const int margin = 2 * (m_view->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, m_view) + 1);
    const QRect room(0, 0, m_view->columnWidth(StrategyModel::Title) - margin, 1 << 14);
    for (int row = 0; row < rows->rowCount(); ++row) {
        const QModelIndex index = rows->index(row, StrategyModel::Title);
        const QRect text = metrics.boundingRect(room, Qt::TextWordWrap, index.data().toString());
        const int lines = std::clamp(text.height(), metrics.height(), 4 * metrics.lineSpacing());
        m_view->setRowHeight(row, lines + 12 + headingHeight(index, metrics));
    }
    fitHeight();
}

// Of the rows that one sees first none is cut: the table ends with the last that has room.
void StrategyTableView::fitHeight()
{
    const int room = m_tableSide->height() - m_legend->height();
    int height = m_view->horizontalHeader()->height() + 2 * m_view->frameWidth();
    const int head = height;
    const int rows = m_view->model()->rowCount();
    int row = 0;
    while (row < rows && height + m_view->rowHeight(row) <= room)
        height += m_view->rowHeight(row++);
    m_view->setMaximumHeight(row < rows && height > head ? height : QWIDGETSIZE_MAX);
}

// In a narrow view the table has all of it, unless the user wants the details.
void StrategyTableView::fitDetails()
{
    if (!m_detailsChosen)
        m_detailsAction->setChecked(width() >= fontMetrics().averageCharWidth() * 165);
    m_body->widget(1)->setVisible(m_detailsAction->isChecked());
    fitColumns();
}

void StrategyTableView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitDetails();
}

void StrategyTableView::copyTsv() const
{
    QApplication::clipboard()->setText(QString::fromStdString(toTsv(strategiesTable(m_model->plan()))));
}

void StrategyTableView::copyCsv() const
{
    QApplication::clipboard()->setText(QString::fromStdString(toCsv(strategiesTable(m_model->plan()))));
}

void StrategyTableView::copyLatex() const
{
    QApplication::clipboard()->setText(QString::fromStdString(strategiesLatex(m_model->plan())));
}

QImage StrategyTableView::toImage(double scale)
{
    QImage image((QSizeF(size()) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(palette().color(QPalette::Base));
    render(&image);
    return image;
}

void StrategyTableView::copyImage()
{
    QApplication::clipboard()->setImage(toImage());
}

bool StrategyTableView::event(QEvent* event)
{
    if (event->type() == QEvent::Polish)
        retheme();
    return QWidget::event(event);
}

void StrategyTableView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        retheme();
}

void StrategyTableView::retheme()
{
    const ChartTheme theme = chartTheme(palette());
    const QColor enabled = palette().color(QPalette::Active, QPalette::ButtonText);
    const QColor disabled = palette().color(QPalette::Disabled, QPalette::ButtonText);
    for (const auto& [action, icon] : m_icons)
        action->setIcon(plotIcon(static_cast<PlotIcon>(icon), enabled, disabled));
    m_badge->setStyleSheet(
        QStringLiteral("QLabel { color: %1; border: 1px dashed %1; border-radius: 3px; }").arg(theme.mutedText.name()));
    updateLegend();
}

bool StrategyTableView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && current() >= 0) {
            emit activated(current());
            return true;
        }
    }
    if (watched == m_tableSide && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest))
        fitHeight();
    // Rows that came or went bring the scroll bar, which takes its width from the columns.
    if (watched == m_view->viewport() && event->type() == QEvent::Resize) {
        const auto* resize = static_cast<QResizeEvent*>(event);
        if (resize->size().width() != resize->oldSize().width())
            fitColumns();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace peakscope
