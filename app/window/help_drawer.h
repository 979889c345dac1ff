// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The handbook beside the work: the pages of docs/, which the program carries, with nothing from the network. GUI
// thread.
#pragma once

#include <QDockWidget>
#include <QStringList>

class QMainWindow;
class QTextBrowser;

namespace peakscope {

// A page of docs/ by its name, "snapshots" or "tutorials/sweep".
struct HelpPage {
    QString name;
    QString title;
};

class HelpDrawer : public QDockWidget
{
    Q_OBJECT

public:
    // At the right of the window, hidden.
    explicit HelpDrawer(QMainWindow* window);

    void open(const QString& page);
    // Of the panel that has the keys, else of the largest plot in sight, else where the handbook begins.
    void openForPanel();
    QTextBrowser* text() const { return m_text; }

    static QList<HelpPage> pages();

private:
    void read(const QString& page);
    QString pageForPanel() const;

    QTextBrowser* m_text = nullptr;
};

} // namespace peakscope
