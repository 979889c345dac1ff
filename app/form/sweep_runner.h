// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps: set up, asked about, started one after another, told of, stopped and gone on with. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"
#include "app/jobs/job_queue.h"
#include "core/results/sweeps/sweep_document.h"

#include <nlohmann/json.hpp>

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace peakscope {

class CommandQuestion;
class Documents;
class ResultWriters;
class RunStarter;
class Shell;
class ShownDocument;
class SweepDialog;
class SweepPanel;

class SweepRunner : public QObject
{
    Q_OBJECT

public:
    SweepRunner(Shell& shell, JobQueue& jobs, Documents& documents, ShownDocument& front, RunStarter& starter,
                ResultWriters& writers, CommandQuestion& question, QObject* parent);

    // Where the sweep in front is drawn.
    void setPanel(SweepPanel* panel);

    // Asks what to vary of the present set-up.
    void setUp();
    // The same with a file, where that is a sweep to be run; false leaves it to others.
    bool openFile(const QString& path);
    // Runs a sweep (a SWEEP.json) into a folder, going on where an earlier run of it ended. Asks about commands first.
    void start(const nlohmann::ordered_json& document, const QString& folder, const SweepMachines& machines = {},
               const Origin& origin = {});
    bool running() const { return !m_own.empty(); } // or waits, of this window's
    bool runs(const QString& file) const { return m_own.contains(file); } // likewise
    QString file() const;                           // of the last start; empty: there was none
    QStringList files() const;                      // of this window's that wait or run
    QStringList waiting() const;                    // of those, the ones that wait for their turn
    // The document in front is a sweep of this window's under way, or any result that another process writes.
    bool showsRunning() const;
    void stopShown();
    // Goes on with the sweep in front, where that is a file of one; whether it was.
    bool resumeShown();
    // The same with that file.
    void resume(const QString& file);

signals:
    void changed(); // running() or showsRunning()

private:
    void ask(SweepDialog* dialog, const std::function<Origin()>& origin);
    void tell();
    void tellHowFar();
    void tellWait(const QString& folder, int job);
    void tellEnd(const QString& file, const JobEnd& end);
    void hear(int job, const Event& event);
    void onFinished(int job, const JobEnd& end);
    bool resume(const QString& file, const Result<SweepDocument>& sweep);
    static std::shared_ptr<const RunResult> place(const SweepStart& sweep, const QString& file);
    static QString newFolder();

    // One of this window's that waits or runs.
    struct Own {
        int job = 0;
        Agreed<SweepStart> sweep;
        bool placed = false; // its file was made for it to wait in: what is still there later was not run
    };

    Shell& m_shell;
    JobQueue& m_jobs;
    Documents& m_documents;
    ShownDocument& m_front;
    RunStarter& m_starter;
    ResultWriters& m_writers;
    CommandQuestion& m_question;
    std::map<QString, Own> m_own;              // by their files
    std::map<QString, JobEnd> m_ended;         // of those that are over, likewise
    std::optional<Agreed<SweepStart>> m_sweep; // the last one that was started
    SweepPanel* m_panel = nullptr;
};

} // namespace peakscope
