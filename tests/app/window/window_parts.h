// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a window as tests find them: by type, by object name, by what a user does.
#pragma once

#include "app/analyse/threshold_history.h"
#include "app/export/figure_export.h"
#include "app/form/run_panel.h"
#include "app/form/run_starter.h"
#include "app/form/sweep_runner.h"
#include "app/jobs/run_queue.h"
#include "app/library/documents.h"
#include "app/parts/view_history.h"
#include "app/run/run_page.h"
#include "app/session/session_keeper.h"
#include "app/shell/shown_document.h"
#include "app/shell/workspace.h"
#include "app/window/main_window.h"

#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QTest>

#include <memory>

namespace peakscope::testing {

template <typename Part>
Part* part(const MainWindow& window)
{
    return window.findChild<Part*>();
}

template <typename Part, typename Pointer>
Part* part(const Pointer& window)
{
    return part<Part>(*window);
}

// On the screen.
inline std::unique_ptr<MainWindow> newWindow()
{
    auto window = std::make_unique<MainWindow>();
    window->show();
    if (!QTest::qWaitForWindowExposed(window.get()))
        qWarning("the window does not show");
    QCoreApplication::processEvents();
    return window;
}

// The work after the first picture.
inline void waitForForm(const MainWindow& window)
{
    const auto* models = static_cast<QComboBox*>(part<RunPage>(window)->panel()->form()->field("model.id"));
    if (!QTest::qWaitFor([models] { return models->count() > 1; }))
        qWarning("the form is not filled");
}

// "start", or the id of the workspace in front.
inline QString front(const MainWindow& window)
{
    const Workspace* workspace = window.inFront();
    return workspace ? workspace->objectName() : QStringLiteral("start");
}

inline std::shared_ptr<const RunResult> shownResult(const MainWindow& window)
{
    const RunResults shown = window.inFront() ? window.inFront()->results(part<ShownDocument>(window)->result())
                                              : RunResults{part<ShownDocument>(window)->result()};
    return shown.size() == 1 ? shown.front() : part<ShownDocument>(window)->result();
}

inline bool inGesture(const MainWindow& window)
{
    return part<ViewHistory>(window)->moving() || part<ThresholdHistory>(window)->moving();
}

inline bool reading(const MainWindow& window)
{
    return !part<Documents>(window)->reading().isEmpty();
}

inline void trigger(const MainWindow& window, const QString& action)
{
    window.findChild<QAction*>(action)->trigger();
}

inline void chooseLanguage(const MainWindow& window, const QString& language)
{
    trigger(window, QStringLiteral("language:") + language);
}

} // namespace peakscope::testing
