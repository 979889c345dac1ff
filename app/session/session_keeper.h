// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers between starts: its layout, and what was in front at the last end. GUI thread.
#pragma once

#include "app/parts/session.h"

#include <QObject>
#include <QSet>
#include <QStringList>

#include <memory>

class QMainWindow;

namespace peakscope {

class Documents;
class LibraryPanel;
class RunQueue;
class Shell;
class ShownDocument;
class ViewHistory;

class SessionKeeper : public QObject
{
    Q_OBJECT

public:
    SessionKeeper(Shell& shell, RunQueue& queue, Documents& documents, ShownDocument& front, LibraryPanel* library,
                  ViewHistory& history, QMainWindow* window);

    // Whether the end of this window is remembered for the next start.
    void setKept(bool kept) { m_kept = kept; }
    // The last session comes back after the first show: call before that.
    void expect();
    // Once, after the first show: every workspace gets what it kept, if anything comes back. Fields are there at once;
    // files are read in the background, then what was in front is there again.
    void begin();
    Session present() const;
    // For the next start.
    void save() const;

    void restoreLayouts();
    void restoreDefaultLayouts();

signals:
    void restored(const QStringList& vanished); // what was in front is there again, but for these files
    void settled();                             // ranges and lines, too

private:
    void onRead(const QString& file);
    void finish();
    void settle();

    Shell& m_shell;
    RunQueue& m_queue;
    Documents& m_documents;
    ShownDocument& m_front;
    LibraryPanel* m_library;
    ViewHistory& m_history;
    QMainWindow* m_window;
    QByteArray m_defaultState;
    std::unique_ptr<Session> m_restoring; // until its files are read
    std::unique_ptr<Session> m_settling;  // until nothing is busy any more
    QSet<QString> m_pending;
    QStringList m_vanished;
    bool m_kept = true;
};

} // namespace peakscope
