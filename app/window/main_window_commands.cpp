// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's commands by name and by key, and undo of what was changed in its views.
#include "app/analyse/analyse_workspace.h"
#include "app/window/command_palette.h"
#include "app/window/inspector_content.h"
#include "app/window/main_window.h"
#include "widgets/plot/plot_view.h"

#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTimer>

#include <tuple>
#include <utility>

namespace peakscope {

namespace {

QList<QMenu*> topMenus(const QMenuBar& bar)
{
    QList<QMenu*> menus;
    for (const QAction* action : bar.actions()) {
        if (action->menu())
            menus << action->menu();
    }
    return menus;
}

} // namespace

void MainWindow::buildEditMenu(QMenu* menu)
{
    m_undo = menu->addAction(tr("&Undo"), this, [this] {
        noteThresholds();
        m_history.undo();
    });
    m_undo->setShortcut(QKeySequence::Undo);
    m_redo = menu->addAction(tr("&Redo"), &m_history, &ViewHistory::redo);
    m_redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Y), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)});
    menu->addSeparator();
    if (auto* find = findChild<QAction*>(QStringLiteral("find"), Qt::FindDirectChildrenOnly))
        menu->addAction(find);
    QAction* palette = menu->addAction(tr("&Commands…"), this, &MainWindow::showPalette);
    palette->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_K), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)});
    showHistory();
}

void MainWindow::showHistory()
{
    const auto say = [](QAction* action, const QString& name, const QString& what, bool possible) {
        action->setText(what.isEmpty() || !possible ? name : QStringLiteral("%1: %2").arg(name, what));
        action->setEnabled(possible);
    };
    say(m_undo, tr("&Undo"), m_history.undoText(), m_history.canUndo());
    say(m_redo, tr("&Redo"), m_history.redoText(), m_history.canRedo());
}

void MainWindow::connectHistory()
{
    connect(&m_history, &ViewHistory::changed, this, &MainWindow::showHistory);
    for (PlotView* view : findChildren<PlotView*>())
        m_history.watch(view);
    // Thresholds are dragged as lines or set in fields; steps of one gesture are one.
    connect(m_analyse, &AnalyseWorkspace::documentShown, this, &MainWindow::followThresholds);
    connect(m_analyse, &AnalyseWorkspace::partitionChanged, &m_thresholdPause, qOverload<>(&QTimer::start));
    m_thresholdPause.disconnect(this);
    m_thresholdPause.setSingleShot(true);
    m_thresholdPause.setInterval(ViewHistory::kGesture);
    connect(&m_thresholdPause, &QTimer::timeout, this, &MainWindow::noteThresholds);
    m_history.clear();
    followThresholds();
}

// What thresholds are compared with: those of the result in front, once it is read.
void MainWindow::followThresholds()
{
    const auto result = m_analyse->result();
    if ((result && !m_analyse->hasDocument()) || result == m_thresholdsOf)
        return;
    m_thresholdsOf = result;
    m_thresholds = m_analyse->lines();
    m_rule = m_analyse->rule();
}

void MainWindow::noteThresholds()
{
    m_thresholdPause.stop();
    const auto after = std::pair(m_analyse->lines(), m_analyse->rule());
    const auto before = std::pair(m_thresholds, m_rule);
    const auto same = [](const ClassThresholds& a, const ClassThresholds& b) {
        return a.funcAlignment == b.funcAlignment && a.funcSparsity == b.funcSparsity &&
               a.sensAlignment == b.sensAlignment && a.sensSparsity == b.sensSparsity;
    };
    if (!m_thresholdsOf || m_thresholdsOf != m_analyse->result() || !m_analyse->hasDocument() ||
        (same(before.first, after.first) && before.second == after.second))
        return;
    std::tie(m_thresholds, m_rule) = after;
    const auto show = [this](const std::pair<ClassThresholds, PartitionRule>& partition) {
        m_analyse->setPartition(partition.first, partition.second);
        // As they stand now, or the next look would take this for a change of the user's.
        m_thresholds = m_analyse->lines();
        m_rule = m_analyse->rule();
    };
    m_history.note(
        tr("thresholds"), [show, before] { show(before); }, [show, after] { show(after); });
}

void MainWindow::showPalette()
{
    auto* palette = new CommandPalette(paletteEntries(topMenus(*menuBar()), *this), this);
    palette->setAttribute(Qt::WA_DeleteOnClose);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, height() / 8)));
    palette->open();
}

// Read from the actions themselves, so that none is forgotten; what plots do by mouse has no action.
void MainWindow::showShortcuts()
{
    const auto row = [](const QString& keys, const QString& what) { return InspectorContent::Row{keys, what, {}}; };
    InspectorContent content;
    content.title = tr("Keys and mouse");
    InspectorContent::Section window{tr("Window"), {}};
    for (const PaletteEntry& entry : paletteEntries(topMenus(*menuBar()), QWidget(), true)) {
        if (!entry.keys.isEmpty())
            window.rows.push_back(row(entry.keys, entry.text.section(QStringLiteral(" › "), -1)));
    }
    content.sections.push_back(window);
    content.sections.push_back(
        {tr("Plots"),
         {row(tr("Wheel, + and −"), tr("zoom")), row(tr("Drag, arrows"), tr("pan")),
          row(tr("Shift+drag"), tr("zoom into a box")), row(tr("Ctrl+drag"), tr("select a range")),
          row(tr("Alt+click"), tr("reference cursor")), row(tr("Backspace"), tr("back")),
          row(tr("Home"), tr("everything")), row(QStringLiteral("Ctrl+C"), tr("copy the picture")),
          row(QStringLiteral("Ctrl+Shift+C"), tr("copy the data")),
          row(tr("Ctrl+arrows"), tr("walk over rows and cells")),
          row(QStringLiteral("Enter"), tr("offer the row or cell as a run"))}});
    m_inspector->showContent(content);
    if (auto* dock = qobject_cast<QDockWidget*>(m_inspector->parentWidget()))
        dock->show();
}

} // namespace peakscope
