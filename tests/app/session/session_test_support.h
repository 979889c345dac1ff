// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of sessions share: a home that is empty before each test, and windows that restore what the last one
// left.
#pragma once

#include "app/parts/theme_controller.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"

#include <QDir>
#include <QTest>

#include <memory>

namespace peakscope::testing {

class SessionTest : public QObject
{
protected:
    void prepareHome()
    {
        isolate(m_home);
        applyTheme(Theme::Light);
    }
    void clearHome()
    {
        QDir(m_home.filePath(QStringLiteral("config"))).removeRecursively();
        QDir(m_home.filePath(QStringLiteral("data"))).removeRecursively();
        useFakeWorker("complete");
    }
    std::unique_ptr<MainWindow> window(bool restore)
    {
        auto made = std::make_unique<MainWindow>();
        m_settled = 0;
        connect(part<SessionKeeper>(made), &SessionKeeper::settled, this, [this] { ++m_settled; });
        if (restore)
            made->restoreSession();
        made->show();
        if (!QTest::qWaitForWindowExposed(made.get()))
            qWarning("the window does not show");
        return made;
    }
    QString write(const QString& name, const char* id) { return writeSmallResult(m_home, name, id); }

    int m_settled = 0; // how often the last window said so
    QTemporaryDir m_home;
};

} // namespace peakscope::testing
