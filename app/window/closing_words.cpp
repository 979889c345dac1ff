// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/closing_words.h"

#include "app/window/main_window.h"

#include <QStringList>

namespace peakscope {

QString closingWords(const UnderWay& going)
{
    QStringList sentences;
    if (!going.run.isEmpty())
        sentences << MainWindow::tr("“%1” is under way: closing stops it, and what it measured so far is kept.")
                         .arg(going.run);
    if (going.sweep)
        sentences << MainWindow::tr("A sweep is under way: closing stops it, and its finished points are kept.");
    if (going.methods)
        sentences << MainWindow::tr(
            "A comparison of methods is under way: closing stops it, and its finished runs are kept.");
    if (going.programs)
        sentences << MainWindow::tr("A program runs dry: closing stops it; what has ended is kept.");
    if (going.waiting > 0)
        sentences << MainWindow::tr("%n more wait in the queue.", "runs", going.waiting);
    return sentences.join(u' ');
}

} // namespace peakscope
