// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_view.h"

#include "widgets/look/badge.h"
#include "widgets/look/pieces.h"
#include "widgets/look/svg_icon.h"
#include "widgets/plot/axis_titles.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/text/plain_text.h"

#include <qcustomplot.h>

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace peakscope {

namespace {

constexpr double kZoomStep = 0.8;
constexpr int kExplainedHeight = 300; // px; a lower view, or one with its legend below, needs all of it for its plot
constexpr int kLeastBeside = 30;      // characters: fewer of an explanation beside the title say nothing

// Gives way to the buttons beside it and says so with an ellipsis.
class ElidedLabel : public QLabel
{
public:
    ElidedLabel()
    {
        setTextFormat(Qt::PlainText);
        setMinimumWidth(1);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        const QRect room = contentsRect();
        painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(text(), Qt::ElideRight, room.width()));
    }
};

} // namespace

PlotView::PlotView(LanguageText title, QWidget* parent) : QWidget(parent), m_title(std::move(title))
{
    m_plot = new QCustomPlot;
    m_plot->setFocusPolicy(Qt::StrongFocus);
    m_plot->setMinimumSize(120, 90); // of which two lines are the axis and its title
    m_plot->setNoAntialiasingOnDrag(true);
    // Margins would be of labels as they were drawn last, in another font or turned another way, and stay so.
    m_plot->setPlottingHint(QCP::phCacheLabels, false);
    m_plot->setMouseTracking(true);
    m_interaction = new PlotInteraction(m_plot, this);
    keepTitlesInside(m_plot);
    setFocusProxy(m_plot);

    m_body = new QSplitter(Qt::Horizontal);
    m_body->setChildrenCollapsible(false);
    m_body->addWidget(m_plot);
    m_body->setStretchFactor(0, 1);
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_body);
    m_stack->addWidget(makePlaceholderPage(m_placeholder, m_busy));

    buildTitleRow();
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    layout->addWidget(m_titleRow);
    layout->addWidget(m_explanation);
    layout->addWidget(m_stack, 1);
    buildActions();
    setBadge({});
    // Gives every layer its paint buffer; the overlay may be redrawn on its own before the plot is first shown. Small:
    // the window builds dozens of plots, of which most are never looked at.
    const QRect usual = m_plot->viewport();
    m_plot->setViewport(QRect(QPoint(), m_plot->minimumSize()));
    m_plot->replot();
    m_plot->setViewport(usual);
    m_plot->plotLayout()->update(QCPLayoutElement::upLayout);

    connect(m_interaction, &PlotInteraction::viewChanged, this,
            [this] { emit visibleRangeChanged(visibleLower(), visibleUpper()); });
    connect(m_interaction, &PlotInteraction::movedByUser, this, [this] {
        emit aboutToMove();
        viewMovedByUser();
    });
    connect(m_interaction, &PlotInteraction::dragFinished, this, &PlotView::dragFinished);
    connect(m_interaction, &PlotInteraction::historyChanged, this,
            [this] { m_back->setEnabled(m_interaction->canGoBack()); });
    connect(m_interaction, &PlotInteraction::rangeSelected, this, &PlotView::rangeSelected);
    connect(m_interaction, &PlotInteraction::selectionCleared, this, &PlotView::selectionCleared);
}

PlotView::~PlotView()
{
    // The plot (a child, destroyed later) must not paint what a subclass held, nor ask it about events.
    m_plot->removeEventFilter(this);
    m_plot->clearPlottables();
}

void PlotView::buildTitleRow()
{
    m_titleRow = new QWidget;
    m_titleRow->setObjectName(QStringLiteral("panelTitle"));
    // Smaller than its contents may be: foldTitleRow makes room.
    m_titleRow->setMinimumWidth(1);
    m_titleLabel = new ElidedLabel;
    makeBold(m_titleLabel);
    m_badge = new Badge;
    m_badge->setObjectName(QStringLiteral("plotBadge"));
    m_explanation = new ElidedLabel;
    m_explanation->setObjectName(QStringLiteral("explanation"));
    m_explanation->setForegroundRole(QPalette::PlaceholderText);
    m_explanation->setContentsMargins(8, 0, 8, 2);
    m_explanation->hide();
    m_titleLayout = makeBox<QHBoxLayout>(m_titleRow, {8, 2, 4, 2}, 2);
    m_titleLayout->addWidget(m_titleLabel, 1);
    m_titleLayout->addWidget(m_badge);
}

QAction* PlotView::addStandardAction(LanguageText text, LanguageText tip, const QKeySequence& shortcut)
{
    auto* action = new QAction(this);
    action->setShortcut(shortcut);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    inLanguage(this, [=] {
        action->setText(text.say());
        const QString keys = shortcut.toString(QKeySequence::NativeText);
        action->setToolTip(keys.isEmpty() ? tip.say() : tr("%1 (%2)", "tool tip (shortcut)").arg(tip.say(), keys));
    });
    addAction(action);
    m_menu->addAction(action);
    m_standardButtons.push_back(addButton(action, -1));
    return action;
}

QToolButton* PlotView::addButton(QAction* action, int position)
{
    QToolButton* button = makeBarButton(action);
    inLanguage(button, [=] { button->setAccessibleName(action->text()); });
    const int side = fontMetrics().height();
    button->setIconSize(QSize(side, side));
    m_titleLayout->insertWidget(position, button);
    return button;
}

void PlotView::buildActions()
{
    m_menu = new QMenu(this);
    m_back =
        addStandardAction([] { return tr("Back"); }, [] { return tr("Back to the view before"); }, Qt::Key_Backspace);
    m_back->setEnabled(false);
    m_reset = addStandardAction([] { return tr("Show all"); }, [] { return tr("Show all"); }, Qt::Key_Home);
    m_menu->addSeparator();
    m_copyImage =
        addStandardAction([] { return tr("Copy image"); }, [] { return tr("Copy as an image"); }, QKeySequence::Copy);
    m_copyData =
        addStandardAction([] { return tr("Copy visible data"); }, [] { return tr("Copy the visible data as a table"); },
                          QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
    m_export = addStandardAction([] { return tr("Export…"); }, [] { return tr("Export as a figure (PDF, SVG, PNG)"); });
    m_showData =
        addStandardAction([] { return tr("Show data"); }, [] { return tr("Show the table behind this plot"); });
    m_more = new QToolButton;
    m_more->setText(QStringLiteral("⋯"));
    inLanguage(m_more, [this] {
        m_more->setToolTip(tr("More"));
        m_more->setAccessibleName(tr("More"));
    });
    m_more->setAutoRaise(true);
    m_more->setFocusPolicy(Qt::TabFocus);
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(m_menu);
    m_more->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
    m_more->hide();
    m_titleLayout->addWidget(m_more);
    connect(m_back, &QAction::triggered, this, &PlotView::zoomBack);
    connect(m_reset, &QAction::triggered, this, &PlotView::resetZoom);
    connect(m_copyImage, &QAction::triggered, this, &PlotView::copyImage);
    connect(m_copyData, &QAction::triggered, this, &PlotView::copyVisibleData);
    m_export->setObjectName(QStringLiteral("exportFigure"));
    m_showData->setObjectName(QStringLiteral("showData"));
    connect(m_export, &QAction::triggered, this, &PlotView::exportRequested);
    connect(m_showData, &QAction::triggered, this, &PlotView::showDataRequested);
}

QAction* PlotView::addViewAction(LanguageText text, LanguageText tip, const QKeySequence& shortcut)
{
    auto* action = new QAction(this);
    action->setShortcut(shortcut);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    inLanguage(this, [=] {
        action->setText(text.say());
        action->setToolTip(tip.say());
    });
    addAction(action);
    QAction* first = m_menu->actions().constFirst();
    m_menu->insertAction(first, action);
    // View actions stand before the standard ones, right of the badge.
    addButton(action, m_titleLayout->indexOf(m_badge) + 1);
    return action;
}

QActionGroup* PlotView::addViewChoices(const std::vector<ViewChoice>& choices, int chosen,
                                       std::function<void(int)> choose)
{
    auto* group = new QActionGroup(this);
    for (const ViewChoice& choice : choices) {
        auto* action = new QAction(group);
        inLanguage(this, [=] {
            action->setText(choice.text.say());
            action->setToolTip(choice.tip.say()); // none: the text
        });
        action->setCheckable(true);
        action->setChecked(choice.value == chosen);
        action->setData(choice.value);
    }
    connect(group, &QActionGroup::triggered, this,
            [choose = std::move(choose)](const QAction* action) { choose(action->data().toInt()); });
    auto* row = new QWidget;
    auto* layout = makeBox<QHBoxLayout>(row, {0, 0, 8, 0}, 0);
    QAction* first = m_menu->actions().constFirst();
    for (QAction* action : group->actions()) {
        QToolButton* button = makeBarButton(action); // flat but for the chosen one, which shows in light and dark alike
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        layout->addWidget(button);
        // Of itself a button only turns grey.
        connect(action, &QAction::changed, button, [action, button] { button->setVisible(action->isVisible()); });
        m_menu->insertAction(first, action);
    }
    m_menu->insertSeparator(first);
    addViewWidget(row);
    return group;
}

void PlotView::addViewWidget(QWidget* widget)
{
    m_titleLayout->insertWidget(m_titleLayout->indexOf(m_badge) + 1, widget);
}

void PlotView::putUnder(std::initializer_list<QWidget*> widgets)
{
    const int shown = m_stack->currentIndex();
    auto* page = new QWidget;
    auto* column = makeBox<QVBoxLayout>(page, {}, 0); // a splitter would keep the room of what a text needed at first
    m_stack->removeWidget(m_body);
    column->addWidget(m_body, 1);
    for (QWidget* widget : widgets)
        column->addWidget(widget);
    m_body->show();
    m_stack->insertWidget(0, page);
    m_stack->setCurrentIndex(shown);
}

QString PlotView::title() const
{
    return m_title.say(); // the label follows the language later than those who ask
}

void PlotView::setTitle(LanguageText title)
{
    m_title = std::move(title);
    sayTexts();
    updateSummary();
}

void PlotView::setBadge(LanguageText text, bool warns)
{
    m_badgeText = std::move(text);
    m_badge->setTone(warns ? Tone::Warning : Tone::Neutral);
    m_badge->setVisible(!m_badgeText.say().isEmpty());
    sayTexts();
}

void PlotView::explain(LanguageText line, const char* topic)
{
    m_explanationText = std::move(line);
    setHelpTopic(this, topic);
    sayTexts();
}

// A view that is too low for one more line has it in the title row, which costs no height.
void PlotView::placeExplanation(int roomBeside)
{
    const bool any = !m_explanation->text().isEmpty();
    const bool under = height() >= kExplainedHeight;
    const bool beside = any && !under && roomBeside >= kLeastBeside * fontMetrics().averageCharWidth();
    if (beside && m_titleLayout->indexOf(m_explanation) < 0) {
        m_titleLayout->insertWidget(1, m_explanation, 1);
        m_explanation->setContentsMargins(8, 0, 8, 0);
    } else if (under && layout()->indexOf(m_explanation) < 0) {
        static_cast<QVBoxLayout*>(layout())->insertWidget(1, m_explanation);
        m_explanation->setContentsMargins(8, 0, 8, 2);
    }
    m_titleLayout->setStretchFactor(m_titleLabel, beside ? 0 : 1);
    m_titleLabel->setSizePolicy(beside ? QSizePolicy::Fixed : QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_explanation->setVisible(any && (under || beside));
}

void PlotView::setPlaceholder(LanguageText text)
{
    m_placeholderText = std::move(text);
    sayTexts();
    m_busy->hide();
    const bool shown = m_placeholder->text().isEmpty();
    m_stack->setCurrentIndex(shown ? 0 : 1);
    for (QAction* action : {m_copyImage, m_copyData, m_export, m_showData, m_reset})
        action->setEnabled(shown);
    updateSummary();
}

void PlotView::setLoading(LanguageText text)
{
    setPlaceholder(std::move(text));
    m_busy->setVisible(!showsPlot());
}

void PlotView::sayTexts()
{
    m_titleLabel->setText(m_title.say());
    m_badge->setText(m_badgeText.say());
    m_placeholder->setText(m_placeholderText.say());
    m_explanation->setText(m_explanationText.say());
    for (QLabel* label : {m_titleLabel, m_explanation})
        label->setToolTip(plainToolTip(m_explanation->text()));
    foldTitleRow();
}

bool PlotView::showsPlot() const
{
    return m_stack->currentIndex() == 0;
}

double PlotView::visibleLower() const
{
    return m_plot->xAxis->range().lower;
}

double PlotView::visibleUpper() const
{
    return m_plot->xAxis->range().upper;
}

void PlotView::setVisibleRange(double lower, double upper)
{
    PlotArea area = m_interaction->view();
    if (!(lower < upper) || (area.x0 == lower && area.x1 == upper))
        return;
    area.x0 = lower;
    area.x1 = upper;
    m_interaction->setView(area, true);
}

std::optional<std::pair<double, double>> PlotView::selectedRange() const
{
    return m_interaction->selection();
}

void PlotView::setSelectedRange(double lower, double upper)
{
    m_interaction->select(lower, upper);
}

PlotArea PlotView::visibleArea() const
{
    return m_interaction->view();
}

void PlotView::showArea(const PlotArea& area)
{
    m_interaction->setView(area, false);
}

bool PlotView::isDragged() const
{
    return m_interaction->isDragging();
}

bool PlotView::canGoBack() const
{
    return m_interaction->canGoBack();
}

QSize PlotView::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 90, fontMetrics().height() * 18};
}

QSize PlotView::minimumSizeHint() const
{
    return {fontMetrics().averageCharWidth() * 28, std::max(leastHeight(), layout()->minimumSize().height())};
}

void PlotView::zoomIn()
{
    m_interaction->zoom(kZoomStep);
}

void PlotView::zoomBack()
{
    m_interaction->back();
}

void PlotView::resetZoom()
{
    m_interaction->reset();
}

void PlotView::clearSelection()
{
    m_interaction->clearSelection();
}

QImage PlotView::toImage(double scale) const
{
    ensurePolished();
    const int titleHeight = m_titleRow->height();
    const QSize size(m_stack->width(), m_stack->height() + titleHeight);
    QImage image((QSizeF(size) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(m_theme.background);
    QPainter painter(&image);
    painter.setFont(m_titleLabel->font());
    painter.setPen(m_theme.text);
    const QString head = m_badge->text().isEmpty() ? title() : title() + QStringLiteral(" · ") + m_badge->text();
    painter.drawText(QRect(8, 0, size.width() - 16, titleHeight), Qt::AlignVCenter | Qt::AlignLeft, head);
    m_stack->render(&painter, QPoint(0, titleHeight));
    if (showsPlot()) {
        // The widget's own buffer has the screen's resolution; drawing anew has the picture's.
        const QPixmap sharp = m_plot->toPixmap(m_plot->width(), m_plot->height(), scale);
        painter.drawPixmap(m_plot->mapTo(m_stack, QPoint(0, titleHeight)), sharp);
    }
    return image;
}

void PlotView::copyImage() const
{
    QApplication::clipboard()->setImage(toImage());
}

void PlotView::copyVisibleData() const
{
    QApplication::clipboard()->setText(visibleDataTsv());
}

void PlotView::contentChanged()
{
    updateSummary();
    if (m_plot->testAttribute(Qt::WA_WState_Created)) // else its first show draws all
        m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::updateSummary()
{
    // The summary is the subclass's; there is none yet while the base is being built.
    if (!m_theme.background.isValid())
        return;
    const QString text = showsPlot() ? summary() : m_placeholder->text();
    setAccessibleName(title());
    setAccessibleDescription(text);
    m_plot->setAccessibleName(title());
    m_plot->setAccessibleDescription(text);
}

void PlotView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    const QEvent::Type type = event->type();
    if (type == QEvent::LanguageChange) {
        QLocale numbers; // the plot keeps the one that it was made with
        numbers.setNumberOptions(QLocale::OmitGroupSeparator);
        m_plot->setLocale(numbers);
        sayTexts();
    }
    const bool redraws = type == QEvent::PaletteChange || type == QEvent::FontChange || type == QEvent::LanguageChange;
    if (redraws && m_theme.background.isValid())
        retheme();
}

bool PlotView::event(QEvent* event)
{
    // Not in the constructor: theming calls the subclass. Sent before the first show or grab.
    if (event->type() == QEvent::Polish && !m_theme.background.isValid())
        retheme();
    // What it was given before it had a window of its own was not drawn then.
    if (event->type() == QEvent::Show)
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    return QWidget::event(event);
}

void PlotView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    foldTitleRow();
}

void PlotView::foldTitleRow()
{
    int needed = m_titleLabel->fontMetrics().horizontalAdvance(title());
    for (int i = 0; i < m_titleLayout->count(); ++i) {
        const QWidget* widget = m_titleLayout->itemAt(i)->widget();
        const bool isStandard =
            std::find(m_standardButtons.begin(), m_standardButtons.end(), widget) != m_standardButtons.end();
        if (widget != m_titleLabel && widget != m_explanation && widget != m_more &&
            (isStandard || !widget->isHidden()))
            needed += widget->sizeHint().width() + m_titleLayout->spacing();
    }
    const QMargins margins = m_titleLayout->contentsMargins();
    needed += margins.left() + margins.right();
    const bool fold = needed > width();
    for (QToolButton* button : m_standardButtons)
        button->setVisible(!fold);
    m_more->setVisible(fold);
    placeExplanation(width() - needed);
}

void PlotView::contextMenuEvent(QContextMenuEvent* event)
{
    m_menu->popup(event->globalPos());
}

void PlotView::retheme()
{
    m_theme = chartTheme(palette());
    const QColor enabled = palette().color(QPalette::Active, QPalette::ButtonText);
    const QColor disabled = palette().color(QPalette::Disabled, QPalette::ButtonText);
    const std::pair<QAction*, PlotIcon> icons[] = {{m_back, PlotIcon::Back},      {m_reset, PlotIcon::All},
                                                   {m_copyImage, PlotIcon::Copy}, {m_copyData, PlotIcon::CopyData},
                                                   {m_export, PlotIcon::Export},  {m_showData, PlotIcon::Table}};
    for (const auto& [action, icon] : icons)
        action->setIcon(plotIcon(icon, enabled, disabled));

    m_plot->setBackground(m_theme.background);
    for (QCPAxisRect* rect : m_plot->axisRects()) {
        rect->setBackground(Qt::NoBrush);
        for (QCPAxis* axis : rect->axes()) {
            axis->setBasePen(QPen(m_theme.axis, 1));
            axis->setTickPen(QPen(m_theme.axis, 1));
            axis->setSubTickPen(QPen(m_theme.axis, 1));
            axis->setLabelColor(m_theme.text);
            axis->setTickLabelColor(m_theme.text);
            axis->setLabelFont(font());
            axis->setTickLabelFont(font());
            axis->grid()->setPen(QPen(m_theme.grid, 1));
            axis->grid()->setZeroLinePen(QPen(m_theme.grid, 1));
            axis->grid()->setSubGridVisible(false);
        }
    }
    m_interaction->applyTheme(m_theme);
    applyTheme(m_theme);
    contentChanged();
}

} // namespace peakscope
