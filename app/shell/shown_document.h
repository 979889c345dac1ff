// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows: a run, a document or nothing, and what is to be shown once it is read. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"
#include "widgets/text/language_texts.h"

#include <nlohmann/json.hpp>

#include <QObject>

#include <functional>
#include <memory>
#include <optional>

namespace peakscope {

class Documents;
class RunQueue;
class Shell;
class ViewHistory;
class Workspace;
struct RunDocument;
struct RunInfo;
struct RunResult;

class ShownDocument : public QObject
{
    Q_OBJECT

public:
    ShownDocument(Shell& shell, RunQueue& queue, Documents& documents, ViewHistory& history, QObject* parent);

    int run() const { return m_run; }              // 0: a document or nothing
    const RunInfo* runInfo() const;                // null likewise
    const QString& path() const { return m_path; } // of the document; empty: a run or nothing
    // Of the run or the document; a plan leaves that of the one before. Null where there is none.
    std::shared_ptr<const RunResult> result() const { return m_result; }
    const QString& resultPath() const { return m_resultPath; }
    nlohmann::json experiment() const; // null where nothing is shown
    Origin origin() const;             // of that
    // Something was brought to the front, or is to be; what an earlier session showed does not take its place.
    bool touched() const { return m_touched || !m_wanted.empty(); }
    void touch() { m_touched = true; }

    void showRun(int id);
    // One that is open; with a word, where it is the only one shown of a folder, on what that has besides.
    void showDocument(const QString& path, const std::optional<LanguageText>& leftOut = {});
    void clear();
    // What is wanted is read, and `by` shows how far; nothing else is in front until then.
    void showReading(Workspace* by);

    // To be shown when it is read, in place of those wanted before, of which the last comes where it can't be read;
    // empty: nothing any more.
    QString wanted() const { return m_wanted.value(m_wanted.size() - 1); }
    void want(const QString& path);
    bool wants(const QString& path) const; // or the folder that it is in

signals:
    void changed();

private:
    void bringToFront(const std::function<int(Workspace&)>& claim);
    void leave();
    void dropWanted(const QString& unread);

    Shell& m_shell;
    RunQueue& m_queue;
    Documents& m_documents;
    ViewHistory& m_history;
    int m_run = 0;
    QString m_path, m_resultPath;
    QStringList m_wanted; // the last one is wanted most
    std::shared_ptr<const RunResult> m_result;
    bool m_touched = false;
};

} // namespace peakscope
