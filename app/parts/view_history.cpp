// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/view_history.h"

#include "widgets/look/component_palette.h"
#include "widgets/plot/plot_interaction.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QScopedValueRollback>
#include <QUndoCommand>

namespace peakscope {

namespace {

// A step that has happened when it is pushed.
class ViewStep : public QUndoCommand
{
public:
    ViewStep(LanguageText text, std::function<void()> undo, std::function<void()> redo)
        : m_text(std::move(text)), m_undo(std::move(undo)), m_redo(std::move(redo))
    {}

    QString say() const { return m_text.say(); }
    void undo() override { m_undo(); }
    void redo() override
    {
        if (!std::exchange(m_first, false))
            m_redo();
    }

private:
    LanguageText m_text;
    std::function<void()> m_undo, m_redo;
    bool m_first = true;
};

QString textOf(const QUndoStack& stack, int step)
{
    const auto* found = static_cast<const ViewStep*>(stack.command(step));
    return found ? found->say() : QString();
}

} // namespace

ViewHistory::ViewHistory(QObject* parent) : QObject(parent), m_stack(this), m_gesture(this)
{
    m_stack.setUndoLimit(kSteps);
    m_gesture.setSingleShot(true);
    m_gesture.setInterval(kGesture);
    connect(&m_gesture, &QTimer::timeout, this, [this] {
        if (m_pending && m_pending->isDragged())
            m_gesture.start(); // held still, not let go
        else
            commitMove();
    });
    connect(&m_stack, &QUndoStack::indexChanged, this, &ViewHistory::changed);
}

ViewHistory::~ViewHistory() = default;

bool ViewHistory::canUndo() const
{
    return m_pending || m_stack.canUndo();
}

bool ViewHistory::canRedo() const
{
    return !m_pending && m_stack.canRedo();
}

void ViewHistory::watch(PlotView* view)
{
    m_selections.insert(view, view->selectedRange());
    connect(view, &PlotView::aboutToMove, this, [this, view] { beginMove(view); });
    connect(view, &PlotView::dragFinished, this, [this, view] {
        if (m_pending == view)
            commitMove();
    });
    connect(view, &PlotView::rangeSelected, this, [this, view] { selectionChanged(view); });
    connect(view, &PlotView::selectionCleared, this, [this, view] { selectionChanged(view); });
    connect(view, &QObject::destroyed, this, [this, view] { m_selections.remove(view); });
    if (auto* timeline = qobject_cast<MemoryTimelineView*>(view)) {
        connect(timeline, &MemoryTimelineView::componentToggled, this,
                [this, timeline](Component component, bool visible) {
                    const QPointer<MemoryTimelineView> there = timeline;
                    const auto show = [there, component](bool shown) {
                        if (there)
                            there->setComponentVisible(component, shown);
                    };
                    note([=] { return (visible ? tr("show %1") : tr("hide %1")).arg(componentTitle(component)); },
                         [show, visible] { show(!visible); }, [show, visible] { show(visible); });
                });
    }
}

void ViewHistory::note(LanguageText text, std::function<void()> undo, std::function<void()> redo)
{
    if (m_applying)
        return;
    commitMove();
    m_stack.push(new ViewStep(std::move(text), std::move(undo), std::move(redo)));
}

void ViewHistory::follow(PlotView* view, const std::function<void()>& change)
{
    const QScopedValueRollback applying(m_applying, true);
    change();
    if (m_selections.contains(view))
        m_selections[view] = view->selectedRange();
}

void ViewHistory::clear()
{
    if (m_applying)
        return;
    m_gesture.stop();
    m_pending = nullptr;
    m_stack.clear();
    for (auto each = m_selections.begin(); each != m_selections.end(); ++each)
        each.value() = each.key()->selectedRange();
    emit changed();
}

void ViewHistory::beginMove(PlotView* view)
{
    if (m_applying)
        return;
    if (m_pending != view) {
        commitMove();
        m_pending = view;
        m_before = std::make_unique<PlotArea>(view->visibleArea());
        emit changed();
    }
    m_gesture.start();
}

void ViewHistory::commitMove()
{
    m_gesture.stop();
    const QPointer<PlotView> view = std::exchange(m_pending, nullptr);
    if (!view)
        return;
    const PlotArea before = *m_before;
    const PlotArea after = view->visibleArea();
    if (before == after) {
        emit changed();
        return;
    }
    const auto show = [view](const PlotArea& area) {
        if (view)
            view->showArea(area);
    };
    m_stack.push(new ViewStep([view] { return view ? tr("view of %1").arg(view->title()) : QString(); },
                              [show, before] { show(before); }, [show, after] { show(after); }));
}

void ViewHistory::selectionChanged(PlotView* view)
{
    const auto before = std::exchange(m_selections[view], view->selectedRange());
    const auto after = view->selectedRange();
    if (m_applying || before == after)
        return;
    const QPointer<PlotView> there = view;
    const auto show = [this, there](const std::optional<std::pair<double, double>>& selection) {
        if (there)
            showSelection(there, selection);
    };
    note([there] { return there ? tr("selection in %1").arg(there->title()) : QString(); },
         [show, before] { show(before); }, [show, after] { show(after); });
}

void ViewHistory::showSelection(PlotView* view, const std::optional<std::pair<double, double>>& selection)
{
    if (!selection) {
        view->clearSelection();
        return;
    }
    view->setSelectedRange(selection->first, selection->second);
    emit view->rangeSelected(selection->first, selection->second); // others follow as they did
}

QString ViewHistory::redoText() const
{
    return textOf(m_stack, m_stack.index());
}

QString ViewHistory::undoText() const
{
    return m_pending ? tr("view of %1").arg(m_pending->title()) : textOf(m_stack, m_stack.index() - 1);
}

void ViewHistory::undo()
{
    emit aboutToUndo();
    commitMove();
    const QScopedValueRollback applying(m_applying, true);
    m_stack.undo();
}

void ViewHistory::redo()
{
    commitMove();
    const QScopedValueRollback applying(m_applying, true);
    m_stack.redo();
}

} // namespace peakscope
