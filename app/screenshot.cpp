// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshot.h"

#include "app/main_window.h"
#include "app/message_bar.h"
#include "app/theme_controller.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QPixmap>
#include <QTextStream>

namespace peakscope {

namespace {

void settle(int milliseconds)
{
    const QDeadlineTimer deadline(milliseconds);
    while (!deadline.hasExpired())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
}

} // namespace

int takeScreenshot(const CommandLine& line)
{
    applyTheme(line.theme == QLatin1String("dark") ? Theme::Dark : Theme::Light);
    MainWindow window;
    window.restoreDefaultLayout();
    window.resize(line.size);
    window.show();
    settle(100);
    window.openFiles(line.files);
    while (window.isLoading())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    settle(400); // coalesced redraws
    if (!line.files.isEmpty() && !window.shownResult()) {
        QTextStream(stderr) << "peakscope: " << window.messages()->text() << Qt::endl;
        return 2;
    }
    if (!window.grab().save(line.out)) {
        QTextStream(stderr) << "peakscope: " << line.out << ": can't be written" << Qt::endl;
        return 1;
    }
    return 0;
}

} // namespace peakscope
