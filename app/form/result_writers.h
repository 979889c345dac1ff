// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the results that are open a process writes that is none of this window's: one that a killed window left, or
// the command line's. Each is read again once it is over. GUI thread.
#pragma once

#include "core/base/output_lock.h"

#include <QDateTime>
#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <optional>

namespace peakscope {

class Documents;
class Shell;
class ShownDocument;

class ResultWriters : public QObject
{
    Q_OBJECT

public:
    ResultWriters(Shell& shell, Documents& documents, ShownDocument& front, QObject* parent = nullptr);

    // Those of this window tell of themselves.
    void setOwn(std::function<bool(const QString& file)> isOwn) { m_isOwn = std::move(isOwn); }
    // Loads those of the library that go on since before this window, and tells of them.
    void findLeft();
    // Some process of this machine writes one: what measures times waits for it.
    bool isAnyHere() const;
    // As seen last, at most a second ago.
    bool isWritten(const QString& file) const { return m_writers.contains(file); }
    // Asks the writer to stop, and says whether that can be done from here.
    void stop(const QString& file);

signals:
    void changed(const QString& file, bool isWritten);

private:
    void look();
    void lookAgain(const QString& file);

    Shell& m_shell;
    Documents& m_documents;
    ShownDocument& m_front;
    std::function<bool(const QString&)> m_isOwn;
    QHash<QString, OutputHolder> m_writers; // by the files of their results
    QHash<QString, QDateTime> m_written;    // when, as they were read last
    QTimer m_look;
};

} // namespace peakscope
