// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/sweep_runner.h"

#include "app/form/experiment_form.h"
#include "app/form/result_writers.h"
#include "app/form/run_starter.h"
#include "app/form/sweep_dialog.h"
#include "app/jobs/command_question.h"
#include "app/jobs/sweep_files.h"
#include "app/library/documents.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/remaining_text.h"
#include "app/parts/settings.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/sweep_plan.h"
#include "widgets/sweep/sweep_heat_map_view.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <functional>
#include <utility>

namespace peakscope {

namespace {

// A sweep that was begun says how far it came.
bool wasTakenOut(const JobEnd& end)
{
    return end.exitStatus == 4 && end.lastLines.isEmpty();
}

} // namespace

SweepRunner::SweepRunner(Shell& shell, JobQueue& jobs, Documents& documents, ShownDocument& front, RunStarter& starter,
                         ResultWriters& writers, CommandQuestion& question, QObject* parent)
    : QObject(parent), m_shell(shell), m_jobs(jobs), m_documents(documents), m_front(front), m_starter(starter),
      m_writers(writers), m_question(question)
{
    connect(&m_jobs, &JobQueue::heard, this, &SweepRunner::hear);
    connect(&m_jobs, &JobQueue::changed, this, &SweepRunner::changed);
    connect(&m_jobs, &JobQueue::finished, this, &SweepRunner::onFinished);
    connect(&documents, &Documents::opened, this, [this](const RunDocument& document) {
        if (!isSweepFile(document.path))
            return;
        if (m_front.path() == document.path && (m_ended.contains(document.path) || showsRunning()))
            tell();
    });
    connect(&m_writers, &ResultWriters::changed, this, &SweepRunner::changed);
}

void SweepRunner::setPanel(SweepPanel* panel)
{
    m_panel = panel;
    // What was read before is no longer what the file says.
    connect(panel, &SweepPanel::sweepChanged, this, [this] {
        m_documents.forget(m_front.path());
        tell();
    });
}

void SweepRunner::setUp()
{
    const ExperimentForm* form = m_starter.form();
    auto* dialog = new SweepDialog(form->document(), experimentSummary(form->document()), m_shell.frame());
    ask(dialog, [dialog, form] {
        nlohmann::ordered_json typed = dialog->document();
        typed.erase("base");
        return withTyped(form->origin(), commandsOf(SweepStart{typed, {}, dialog->machines()}));
    });
}

// `origin`: where what the dialog says came from, once it is agreed to.
void SweepRunner::ask(SweepDialog* dialog, const std::function<Origin()>& origin)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog, origin] { start(dialog->document(), newFolder(), dialog->machines(), origin()); });
    dialog->open();
}

bool SweepRunner::openFile(const QString& path)
{
    constexpr std::int64_t kLargest = 1 << 20; // bytes
    if (!path.endsWith(QLatin1String(".json")))
        return false;
    const Result<std::string> text = readTextFile(path.toStdString(), kLargest);
    const Result<nlohmann::json> document = parseJson(text ? *text : std::string());
    if (!document || !lenient::member(*document, "grid").is_object() || document->contains("points"))
        return false;
    const auto plan = loadSweepPlan(path.toStdString());
    if (!plan) {
        m_shell.messages()->showMessage(MessageBar::Kind::Error, QString::fromStdString(plan.error().text()));
        return true;
    }
    m_shell.prepare();
    m_documents.remember(path);
    auto* dialog = new SweepDialog(plan->base, experimentSummary(plan->base), m_shell.frame());
    dialog->fill(*plan);
    // Its rows are the file's: of commands the user wrote here only the machines.
    ask(dialog, [dialog, origin = originIn(path, *document)] {
        return withTyped(origin, commandsOf(SweepStart{nlohmann::ordered_json::object(), {}, dialog->machines()}));
    });
    return true;
}

void SweepRunner::start(const nlohmann::ordered_json& document, const QString& folder, const SweepMachines& machines,
                        const Origin& from)
{
    const QString out = QFileInfo(folder).absoluteFilePath();
    if (m_own.contains(sweepFileIn(out)))
        return;
    const SweepStart sweep{document, folder, machines};
    const Origin origin = identified(from, nlohmann::json(document));
    const auto agreed = m_question.decide(sweep, origin);
    if (!agreed) {
        const bool begun = QFileInfo::exists(sweepFileIn(folder)); // of those commands
        m_question.ask(
            m_shell.messagesInFront(), {{QFileInfo(folder).fileName(), commandsOf(sweep), origin}},
            [this, sweep, origin] { start(sweep.document, sweep.folder, sweep.machines, origin); },
            [this, sweep, origin, begun] {
                start(sweepWithoutCommands(sweep.document), begun ? newFolder() : sweep.folder,
                      {sweep.machines.workers, {}}, origin);
            });
        return;
    }
    QStringList words{QStringLiteral("sweep"), QStringLiteral("-"), QStringLiteral("--out"), out,
                      QStringLiteral("--resume")}; // what is there is taken over
    if (!machines.hosts.isEmpty())
        words << QStringLiteral("--hosts") << machines.hosts.join(u',');
    else if (machines.workers > 1)
        words << QStringLiteral("--workers") << QString::number(machines.workers);
    const bool waits = m_jobs.isOccupied(JobKind::Sweep);
    const int job = m_jobs.add(JobKind::Sweep, {words, *agreed});
    m_sweep = agreed;
    const auto placed = waits ? place(sweep, file()) : nullptr;
    m_own.emplace(file(), Own{job, *agreed, placed != nullptr});
    if (placed)
        m_documents.put({file(), placed, {}, {}}); // it has its line while it waits
    m_ended.erase(file());
    m_shell.messages()->dismiss();
    if (waits)
        tellWait(out, job);
    emit changed();
}

// A sweep that waits is in the library from now on, whatever becomes of this window. Null where it is there already.
std::shared_ptr<const RunResult> SweepRunner::place(const SweepStart& sweep, const QString& file)
{
    const auto grid = sweep.document.value("grid", nlohmann::ordered_json::object());
    std::vector<std::string> order;
    for (const auto& axis : grid.items())
        order.push_back(axis.key());
    const auto plan = sweepPlanFromJson(nlohmann::json(sweep.document), order);
    if (!plan || QFileInfo::exists(file) || !QDir().mkpath(QFileInfo(file).path()))
        return nullptr;
    const SweepDocument document = emptySweep(*plan);
    if (!saveSweep(document, file.toStdString()))
        return nullptr;
    return std::make_shared<const RunResult>(sweepResult(document));
}

void SweepRunner::tellWait(const QString& folder, int job)
{
    m_shell.messages()->showMessage(
        MessageBar::Kind::Info,
        [name = QFileInfo(folder).fileName()] { return tr("%1 starts after the runs before it.").arg(name); },
        {{[] { return tr("Do not run it"); }, [this, job] { m_jobs.stop(job); }}});
}

QStringList SweepRunner::files() const
{
    QStringList files;
    for (const auto& [file, own] : m_own)
        files << file;
    return files;
}

QStringList SweepRunner::waiting() const
{
    QStringList files;
    for (const auto& [file, own] : m_own) {
        if (m_jobs.waits(own.job))
            files << file;
    }
    return files;
}

QString SweepRunner::file() const
{
    return m_sweep ? sweepFileIn(QFileInfo((*m_sweep)->folder).absoluteFilePath()) : QString();
}

// Its file is there, no point of it finished by this run yet; a point has ended.
void SweepRunner::hear(int job, const Event& event)
{
    const auto own = std::ranges::find(m_own, job, [](const auto& each) { return each.second.job; });
    if (own == m_own.end())
        return;
    if (std::holds_alternative<StageEvent>(event)) {
        m_documents.forget(own->first); // of an earlier run
        m_shell.openFiles({own->first});
    } else if (std::holds_alternative<ProgressEvent>(event) && m_front.path() == own->first) {
        tell();
    }
}

// How far the one in front is, beside what the page says of it; how it ended.
void SweepRunner::tell()
{
    if (showsRunning()) {
        if (!m_shell.asksToClose())
            tellHowFar();
        return;
    }
    if (const auto ended = m_ended.find(m_front.path()); ended != m_ended.end())
        tellEnd(ended->first, ended->second);
}

void SweepRunner::tellEnd(const QString& file, const JobEnd& end)
{
    MessageBar* messages = m_shell.messages();
    if (wasTakenOut(end))
        messages->showMessage(MessageBar::Kind::Info, [name = nameOf(file)] {
            return tr("%1 was removed from the queue before it started.").arg(name);
        });
    else if (end.exitStatus == 4)
        messages->showMessage(MessageBar::Kind::Info, [] {
            return tr("The sweep was stopped; “Run again” continues with the remaining points.");
        });
    else if (end.exitStatus == 0)
        messages->showMessage(MessageBar::Kind::Info, [] { return tr("The sweep is complete."); });
    else if (end.exitStatus == 2 || !QFileInfo::exists(file))
        messages->showMessage(MessageBar::Kind::Error, end.message);
    else
        messages->showMessage(MessageBar::Kind::Warning, [message = end.message] {
            return message.isEmpty() ? tr("Not every point of the sweep could be measured.") : message;
        });
}

// Of another process's nothing is known but what its file says.
void SweepRunner::tellHowFar()
{
    const auto own = m_own.find(m_front.path());
    if (own != m_own.end() && m_jobs.waits(own->second.job))
        return tellWait(QFileInfo(own->first).path(), own->second.job);
    const auto progress = own == m_own.end() ? std::nullopt : m_jobs.progress(own->second.job);
    const auto left = progress ? progress->remainingSeconds : std::nullopt;
    m_shell.messages()->showMessage(MessageBar::Kind::Info, [left] {
        const QString text = tr("Sweep under way.");
        return left && *left > 0 ? text + u' ' + tr("About %1 left.").arg(remainingText(*left)) : text;
    });
    m_shell.messages()->outlastPage();
}

void SweepRunner::onFinished(int job, const JobEnd& end)
{
    const auto own = std::ranges::find(m_own, job, [](const auto& each) { return each.second.job; });
    if (own == m_own.end())
        return;
    const QString file = own->first;
    const bool takenOut = own->second.placed && wasTakenOut(end);
    m_own.erase(own);
    if (takenOut && !m_shell.closing() && !m_shell.asksToClose() && m_front.path() != file) { // nothing of it was run
        QFile::remove(file);
        QDir().rmdir(QFileInfo(file).path());
        m_documents.drop(file);
    }
    JobEnd& told = m_ended[file] = end;
    // Why the last machine was given up stands in the line before.
    if (const QStringList& lines = end.lastLines;
        lines.size() > 1 && end.message.contains(QLatin1String("no host is left")))
        told.message = QStringLiteral("%1 (%2)").arg(
            end.message, QString(lines[lines.size() - 2]).remove(QLatin1String("peakscope-cli: ")));
    m_documents.forget(file);
    if (!m_shell.closing()) {
        // Read again, which the figures are made from; where it is in front, told once it stands there.
        const bool readable = QFileInfo::exists(file);
        if (m_front.path() == file && readable) {
            m_shell.openFiles({file});
        } else {
            if (readable)
                m_documents.load(file);
            tellEnd(file, told);
        }
    }
    emit changed();
}

bool SweepRunner::showsRunning() const
{
    const QString shown = m_front.run() == 0 ? m_front.path() : QString();
    return !shown.isEmpty() && (m_own.contains(shown) || m_writers.isWritten(shown));
}

void SweepRunner::stopShown()
{
    if (!showsRunning())
        return;
    if (const auto own = m_own.find(m_front.path()); own != m_own.end()) {
        m_jobs.stop(own->second.job);
        return;
    }
    m_writers.stop(m_front.path());
}

bool SweepRunner::resumeShown()
{
    const std::shared_ptr<const RunResult> result = m_front.run() == 0 ? m_front.result() : nullptr;
    const QString shown = m_front.path();
    if (!result || result->kind != ResultKind::Sweep || !isSweepFile(shown))
        return false;
    if (showsRunning()) {
        tell();
        return true;
    }
    return resume(shown, sweepOf(*result));
}

void SweepRunner::resume(const QString& file)
{
    resume(file, loadSweep(file.toStdString()));
}

bool SweepRunner::resume(const QString& file, const Result<SweepDocument>& sweep)
{
    // Of another program there is nothing to run.
    if (!sweep || sweep->base.empty() || !sweep->grid.is_array())
        return false;
    nlohmann::ordered_json grid = nlohmann::ordered_json::object(); // axes in their order
    for (const auto& axis : sweep->grid) {
        if (axis.is_object() && axis.contains("key") && axis["key"].is_string() && axis.contains("values"))
            grid[axis["key"].get<std::string>()] = axis["values"];
    }
    const nlohmann::ordered_json document = {{"base", sweep->base},
                                             {"grid", grid},
                                             {"repeats", sweep->repeats},
                                             {"timing", sweep->timing},
                                             {"over_budget", sweep->overBudget}};
    SweepStart again{document, QFileInfo(file).absolutePath(), {}};
    Origin origin = originIn(file, nlohmann::json(document));
    if (m_sweep && QFileInfo(file) == QFileInfo(this->file())) { // by the same machines as before
        again.machines = (*m_sweep)->machines;
        if (m_question.decide(again, m_sweep->origin())) // and by nothing else than then
            origin = m_sweep->origin();
    }
    start(again.document, again.folder, again.machines, origin);
    return true;
}

QString SweepRunner::newFolder()
{
    const QString name =
        QStringLiteral("sweep-") + QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    return QDir(settings::libraryFolder()).filePath(name);
}

} // namespace peakscope
