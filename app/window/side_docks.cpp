// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/side_docks.h"

#include "app/library/library_delegate.h"
#include "app/library/library_panel.h"
#include "app/parts/icons.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/settings.h"
#include "widgets/look/pieces.h"
#include "widgets/text/language_texts.h"

#include <QDockWidget>
#include <QEvent>
#include <QHeaderView>
#include <QMainWindow>
#include <QToolBar>
#include <QTreeView>

namespace peakscope {

namespace {

constexpr int kNarrow = 1400; // pixels of a window; below it a page has no room beside both panels
constexpr int kStrip = 40;
constexpr int kLeastLetters = 19; // in a panel's width; below it names and values break apart

} // namespace

SideDocks::SideDocks(QMainWindow* window) : QObject(window), m_window(window)
{
    m_library = new QDockWidget(window);
    m_library->setObjectName(QStringLiteral("library"));
    auto* both = new QWidget(m_library);
    m_panel = new LibraryPanel(both);
    m_strip = makeStrip();
    auto* row = makeBox<QHBoxLayout>(both, {}, 0);
    row->addWidget(m_strip);
    row->addWidget(m_panel, 1);
    m_library->setWidget(both);
    window->addDockWidget(Qt::LeftDockWidgetArea, m_library);
    m_inspector = new QDockWidget(window);
    m_inspector->setObjectName(QStringLiteral("inspector"));
    m_inspectorPanel = new InspectorPanel(m_inspector);
    m_inspector->setWidget(m_inspectorPanel);
    window->addDockWidget(Qt::RightDockWidgetArea, m_inspector);
    m_edge = new QToolBar(window);
    m_edge->setObjectName(QStringLiteral("inspectorEdge"));
    m_edge->setMovable(false);
    QAction* open = m_inspector->toggleViewAction();
    open->setIcon(glyphIcon(Glyph::Info));
    m_edge->addAction(open);
    m_edge->toggleViewAction()->setVisible(false);
    window->addToolBar(Qt::RightToolBarArea, m_edge);
    m_edge->hide();
    m_foldAction = new QAction(this);
    m_foldAction->setObjectName(QStringLiteral("foldSides"));
    m_foldAction->setCheckable(true);
    m_foldAction->setChecked(settings::foldsSidePanels());
    connect(m_foldAction, &QAction::toggled, this, [this](bool fold) {
        settings::setFoldsSidePanels(fold);
        fit();
    });
    inLanguage(window, [this] {
        m_library->setWindowTitle(tr("Library"));
        m_inspector->setWindowTitle(tr("Inspector"));
        m_edge->setWindowTitle(tr("Edge of the inspector"));
        m_foldAction->setText(tr("&Fold side panels in a narrow window"));
        for (const QDockWidget* dock : {m_library, m_inspector}) // Qt says it once
            dock->findChild<QWidget*>(QStringLiteral("qt_dockwidget_closebutton"))->setAccessibleName(tr("Close"));
    });
    const int unit = window->fontMetrics().averageCharWidth();
    for (QDockWidget* dock : {m_library, m_inspector})
        dock->setMinimumWidth(unit * kLeastLetters);
    window->resizeDocks({m_library, m_inspector}, {unit * 34, unit * 36}, Qt::Horizontal);
    window->installEventFilter(this);
}

QWidget* SideDocks::makeStrip()
{
    auto* strip = new QWidget;
    auto* column = makeBox<QVBoxLayout>(strip, {2, 4, 2, 4}, 4);
    auto* open = new QToolButton(strip);
    open->setObjectName(QStringLiteral("openLibrary"));
    open->setAutoRaise(true);
    open->setIcon(glyphIcon(Glyph::ChevronRight));
    connect(open, &QToolButton::clicked, this, &SideDocks::openLibrary);
    // The panel's own lines; a click means the same, and what the panel marks is marked here.
    auto* states = new QTreeView(strip);
    states->setObjectName(QStringLiteral("libraryStrip"));
    states->setHeaderHidden(true);
    states->setRootIsDecorated(false);
    states->setIndentation(0);
    states->setFrameShape(QFrame::NoFrame);
    states->setItemDelegate(new LibraryDelegate(states));
    states->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    states->setModel(m_panel->model());
    states->header()->setStretchLastSection(false); // to no less than Qt's usual column
    states->header()->setMinimumSectionSize(0);
    states->header()->resizeSection(0, kStrip - 4);
    QTreeView* lines = m_panel->view();
    const auto follow = [states, lines] {
        states->expandAll();
        states->selectionModel()->select(lines->selectionModel()->selection(), QItemSelectionModel::ClearAndSelect);
    };
    // A view of its own choice: two that share one would clear it for both when the lines are set anew.
    connect(m_panel->model(), &QAbstractItemModel::modelReset, states, follow, Qt::QueuedConnection);
    connect(lines->selectionModel(), &QItemSelectionModel::selectionChanged, states, follow, Qt::QueuedConnection);
    connect(states, &QTreeView::clicked, lines, [lines](const QModelIndex& index) {
        lines->setCurrentIndex(index);
        emit lines->clicked(index);
    });
    follow();
    column->addWidget(open);
    column->addWidget(states, 1);
    strip->hide();
    inLanguage(strip, [open, states] {
        open->setToolTip(tr("Open the library"));
        open->setAccessibleName(open->toolTip());
        states->setAccessibleName(tr("States of the library's results"));
    });
    return strip;
}

void SideDocks::fit()
{
    const bool narrow = m_window->width() < kNarrow && settings::foldsSidePanels();
    if (narrow && !m_folded)
        fold();
    else if (!narrow && m_folded)
        unfold();
}

void SideDocks::fold()
{
    m_folded = true;
    m_inspectorShown = !m_inspector->isHidden();
    m_libraryWidth = m_library->width();
    m_panel->hide();
    m_strip->show();
    m_library->setTitleBarWidget(new QWidget(m_library));
    m_library->setFixedWidth(kStrip);
    m_inspector->hide();
    m_edge->show();
}

void SideDocks::unfold()
{
    if (!m_folded)
        return;
    m_folded = false;
    openLibrary();
    m_inspector->setVisible(m_inspectorShown);
    m_edge->hide();
}

void SideDocks::openLibrary()
{
    if (m_strip->isHidden())
        return; // it is open
    m_strip->hide();
    m_panel->show();
    delete m_library->titleBarWidget();
    m_library->setTitleBarWidget(nullptr);
    m_library->setMaximumWidth(QWIDGETSIZE_MAX);
    m_library->setMinimumWidth(m_inspector->minimumWidth());
    m_window->resizeDocks({m_library}, {m_libraryWidth}, Qt::Horizontal);
}

bool SideDocks::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_window && (event->type() == QEvent::Resize || event->type() == QEvent::Show))
        fit();
    return QObject::eventFilter(watched, event);
}

} // namespace peakscope
