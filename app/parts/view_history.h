// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and redo of what the user changed in views: what is visible, what is selected, which components are drawn, where
// thresholds stand. Results are never changed, so there is nothing else to undo. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QUndoStack>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace peakscope {

class PlotView;
struct PlotArea;

class ViewHistory : public QObject
{
    Q_OBJECT

public:
    // Moves closer than this, in ms, are one step.
    static constexpr int kGesture = 400;
    static constexpr int kSteps = 200;

    explicit ViewHistory(QObject* parent = nullptr);
    ~ViewHistory() override;

    void watch(PlotView* view);
    // A change made elsewhere that can be taken back; it has happened already. Ignored while a step is taken back.
    void note(LanguageText text, std::function<void()> undo, std::function<void()> redo);
    // A change of the view that follows one made elsewhere: no step of its own, and what later steps begin from.
    void follow(PlotView* view, const std::function<void()>& change);
    // What was in front is not any more: its steps mean nothing for what comes.
    void clear();

    bool canUndo() const;
    bool moving() const { return m_gesture.isActive(); } // a gesture may go on
    bool canRedo() const;
    // "zoom in Memory timeline"; empty where there is nothing.
    QString undoText() const;
    QString redoText() const;

public slots:
    void undo();
    void redo();

signals:
    void changed();
    void aboutToUndo(); // what goes on elsewhere can still become a step

private:
    void beginMove(PlotView* view);
    void commitMove();
    void selectionChanged(PlotView* view);
    void showSelection(PlotView* view, const std::optional<std::pair<double, double>>& selection);

    QUndoStack m_stack;
    QTimer m_gesture;
    QPointer<PlotView> m_pending; // being moved
    std::unique_ptr<PlotArea> m_before;
    QHash<PlotView*, std::optional<std::pair<double, double>>> m_selections; // as last seen
    bool m_applying = false;
};

} // namespace peakscope
