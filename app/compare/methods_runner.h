// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of ways of clipping, run by `peakscope-cli compare-methods` beside the window: asked for, started, told
// of while it goes on, shown when it is over. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"
#include "app/jobs/job_queue.h"
#include "app/jobs/result_loader.h"

#include <nlohmann/json.hpp>

#include <QObject>
#include <QSet>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace peakscope {

class CommandQuestion;
class Documents;
class RunStarter;
class Shell;
class ShownDocument;
class Workspace;
struct LeftWork;
struct RunResult;

class MethodsRunner : public QObject
{
    Q_OBJECT

public:
    MethodsRunner(Shell& shell, JobQueue& jobs, Documents& documents, ShownDocument& front, RunStarter& starter,
                  CommandQuestion& question, QObject* parent);

    // Asks what to compare on the present set-up; of one that goes on it shows what has ended.
    void setUp();
    // Runs it into a folder. Asks about commands first.
    void start(const nlohmann::json& experiment, const QStringList& methods, int rounds, const QString& folder,
               const Origin& origin = {});
    // Those in the library that an earlier window left and that can be gone on with; one that goes on by itself is told
    // of.
    std::vector<LeftWork> findLeft();
    void stop() { m_jobs.stop(m_job); }
    bool running() const { return m_jobs.isUnderWay(m_job); } // or waits

signals:
    void begun();
    void finished(int exitStatus); // nothing of it runs any more; as the command line's

private:
    // What the user looks at: a result does not take its place unasked.
    struct FrontState {
        const Workspace* workspace = nullptr;
        int run = 0;
        QString path, wanted;
        std::vector<std::shared_ptr<const RunResult>> own; // of a workspace that shows something of its own

        bool operator==(const FrontState&) const = default;
    };
    FrontState frontState() const;
    bool mayShow() const;
    void tellGoesOn(const QString& name, std::optional<pid_t> process);
    void goOn(const QString& folder);
    void hear(const Event& event);
    void tell();
    // What has ended is compared while the rest is under way, unless the user looks at something else by now.
    void showEnded(const RunDocument& document);
    void showRuns();
    void tellEnd(const JobEnd& end);

    Shell& m_shell;
    JobQueue& m_jobs;
    Documents& m_documents;
    ShownDocument& m_front;
    RunStarter& m_starter;
    CommandQuestion& m_question;
    int m_job = 0; // the last one
    QString m_folder;
    QStringList m_methods;
    int m_rounds = 0;
    FrontState m_before;           // at its start
    int m_message = 0;             // that tells how far it is
    QStringList m_said;            // by it, its parts
    bool m_closed = false;         // by the user
    ResultLoader m_loader;         // of what the library does not list: these files go when the comparison is over
    std::set<std::string> m_ready; // files of the runs that ended, in the folder
    QSet<QString> m_read;          // those of methods, by their paths
    std::vector<RunDocument> m_ended;
    QStringList m_next; // folders of those that are gone on with after this one
};

} // namespace peakscope
