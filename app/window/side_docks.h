// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The panels at both sides of the page, library and inspector. A narrow window gives their room to the page: the
// library becomes a strip of states, the inspector a drawer that a button at the right edge opens. GUI thread.
#pragma once

#include <QObject>

class QAction;
class QDockWidget;
class QMainWindow;
class QToolBar;
class QWidget;

namespace peakscope {

class InspectorPanel;
class LibraryPanel;

class SideDocks : public QObject
{
    Q_OBJECT

public:
    explicit SideDocks(QMainWindow* window);

    LibraryPanel* library() const { return m_panel; }
    InspectorPanel* inspector() const { return m_inspectorPanel; }
    bool isFolded() const { return m_folded; }
    QAction* foldAction() const { return m_foldAction; } // whether they give way; kept

public slots:
    // As the user has them in a wide window, while their places are saved or restored.
    void unfold();
    void fit(); // to the window's width
    void openLibrary(); // whole, in a narrow window

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeStrip();
    void fold();

    QMainWindow* m_window;
    QDockWidget* m_library = nullptr;
    QDockWidget* m_inspector = nullptr;
    LibraryPanel* m_panel = nullptr;
    InspectorPanel* m_inspectorPanel = nullptr;
    QWidget* m_strip = nullptr; // the library's states, in place of its panel
    QToolBar* m_edge = nullptr; // opens the inspector
    QAction* m_foldAction = nullptr;
    bool m_folded = false;
    bool m_inspectorShown = true; // before it was folded
    int m_libraryWidth = 0;       // likewise
};

} // namespace peakscope
