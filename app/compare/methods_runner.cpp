// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/methods_runner.h"

#include "app/compare/compare_page.h"
#include "app/compare/methods_dialog.h"
#include "app/form/experiment_form.h"
#include "app/form/run_starter.h"
#include "app/jobs/command_question.h"
#include "app/jobs/result_loader.h"
#include "app/library/documents.h"
#include "app/parts/message_bar.h"
#include "app/parts/remaining_text.h"
#include "app/parts/settings.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "app/shell/workspace.h"
#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/output_lock.h"
#include "core/base/secrets/secrets.h"
#include "core/model/dry_device.h"
#include "core/results/sweeps/compared_method.h"

#include <QDateTime>
#include <QDir>

#include <csignal>

namespace peakscope {

namespace {

std::vector<std::string> names(const QStringList& methods)
{
    std::vector<std::string> names;
    for (const QString& method : methods)
        names.push_back(method.toStdString());
    return names;
}

} // namespace

MethodsRunner::MethodsRunner(Shell& shell, JobQueue& jobs, Documents& documents, ShownDocument& front,
                             RunStarter& starter, CommandQuestion& question, QObject* parent)
    : QObject(parent), m_shell(shell), m_jobs(jobs), m_documents(documents), m_front(front), m_starter(starter),
      m_question(question)
{
    connect(&m_jobs, &JobQueue::heard, this, [this](int job, const Event& event) {
        if (job == m_job)
            hear(event);
    });
    connect(&m_jobs, &JobQueue::changed, this, &MethodsRunner::tell);
    connect(&m_loader, &ResultLoader::loaded, this, &MethodsRunner::showEnded);
    connect(&m_jobs, &JobQueue::finished, this, [this](int job, const JobEnd& end) {
        if (job != m_job)
            return;
        tellEnd(end);
        emit finished(end.exitStatus);
        if (!m_next.isEmpty() && !m_shell.closing())
            goOn(m_next.takeFirst());
    });
    connect(shell.messages(), &MessageBar::closedByUser, this,
            [this](int message) { m_closed = m_closed || (m_message != 0 && message == m_message); });
    // Whatever is opened takes messages away, this one too. Not at once: something else may be about to be said.
    connect(shell.messages(), &MessageBar::dismissed, this, &MethodsRunner::tell, Qt::QueuedConnection);
}

void MethodsRunner::setUp()
{
    if (running()) {
        m_closed = false;
        tell();
        showRuns();
        return;
    }
    const ExperimentForm* form = m_starter.form();
    auto* dialog = new MethodsDialog(experimentSummary(form->document()), m_shell.frame());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, form] {
        const QString name =
            QStringLiteral("methods-") + QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
        start(form->document(), dialog->methods(), dialog->rounds(), QDir(settings::libraryFolder()).filePath(name),
              form->origin());
    });
    dialog->open();
}

void MethodsRunner::start(const nlohmann::json& experiment, const QStringList& methods, int rounds,
                          const QString& folder, const Origin& from)
{
    if (running())
        return;
    const Origin origin = identified(from, experiment);
    const auto agreed = m_question.decide(experiment, origin);
    if (!agreed) {
        m_question.ask(
            m_shell.messagesInFront(), {{experimentTitle(experiment), commandsOf(experiment), origin}},
            [=, this] { start(experiment, methods, rounds, folder, origin); },
            [=, this] { start(withoutCommands(experiment), methods, rounds, folder, origin); });
        return;
    }
    m_folder = folder;
    m_methods = methods;
    m_rounds = isDryDevice(lenient::text(**agreed, "device")) ? 0 : rounds; // nothing is timed there
    m_before = frontState();
    m_message = 0;
    m_closed = false;
    m_ready.clear();
    m_read.clear();
    m_ended.clear();
    m_shell.messages()->dismiss();
    // From now on it can be gone on with, whatever becomes of this window.
    nlohmann::json kept = **agreed;
    hideLauncherSecrets(kept);
    if (QDir().mkpath(QDir(folder).filePath(QString::fromUtf8(kComparedRuns))) &&
        !readComparisonHead(folder.toStdString()))
        (void)writeComparisonHead({names(methods), rounds, newRunId(), kept}, folder.toStdString());
    m_job = m_jobs.add(JobKind::Comparison,
                       {{QStringLiteral("compare-methods"), QStringLiteral("-"), QStringLiteral("--out"), folder,
                         QStringLiteral("--methods"), methods.join(u','), QStringLiteral("--rounds"),
                         QString::number(rounds), QStringLiteral("--no-figures"), QStringLiteral("--resume")},
                        *agreed});
    tell();
    emit begun();
}

std::vector<LeftWork> MethodsRunner::findLeft()
{
    std::vector<LeftWork> left;
    const QDir library(settings::libraryFolder());
    for (const QString& name : library.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time)) {
        const QString folder = library.absoluteFilePath(name);
        if (!readComparisonHead(folder.toStdString()))
            continue;
        if (const auto holder = outputHolder(folder.toStdString())) {
            tellGoesOn(name, holder->process);
            continue;
        }
        left.push_back({name, [this, folder] { goOn(folder); },
                        [folder] {
                            QDir(QDir(folder).filePath(QString::fromUtf8(kComparedRuns))).removeRecursively();
                            QDir().rmdir(folder); // where nothing else is in it
                        }});
    }
    return left;
}

void MethodsRunner::tellGoesOn(const QString& name, std::optional<pid_t> process)
{
    MessageBar* messages = m_shell.messages();
    if (!messages->text().isEmpty())
        return;
    std::vector<MessageBar::Action> actions;
    if (process)
        actions.emplace_back([] { return tr("Stop"); },
                             [messages, process = *process] {
                                 ::kill(process, SIGTERM);
                                 messages->dismiss();
                             });
    messages->showMessage(
        MessageBar::Kind::Info,
        [name] { return tr("The comparison %1 has been running since before this window was opened.").arg(name); },
        actions);
    messages->outlastPage();
}

// One at a time.
void MethodsRunner::goOn(const QString& folder)
{
    if (running()) {
        m_next << folder;
        return;
    }
    const auto head = readComparisonHead(folder.toStdString());
    if (!head)
        return;
    QStringList methods;
    for (const std::string& method : head->methods)
        methods << QString::fromStdString(method);
    start(head->experiment, methods, static_cast<int>(head->rounds), folder);
}

MethodsRunner::FrontState MethodsRunner::frontState() const
{
    FrontState frontState{m_shell.inFront(), m_front.run(), m_front.path(), m_front.wanted(), {}};
    if (frontState.workspace && !frontState.workspace->showsFront())
        frontState.own = frontState.workspace->results(nullptr);
    return frontState;
}

// Where nothing else was brought to the front since it began, or an empty page for comparisons was.
bool MethodsRunner::mayShow() const
{
    const FrontState now = frontState();
    const auto* page = now.workspace ? qobject_cast<ComparePage*>(now.workspace->page()) : nullptr;
    return now == m_before || (page && page->runs().empty() && now.wanted.isEmpty());
}

// A run that ended: the file of a method's memory holds all that can be compared so far.
void MethodsRunner::hear(const Event& event)
{
    const auto* point = std::get_if<PointEvent>(&event);
    const std::string name = point ? lenient::text(point->values, "file") : std::string();
    if (!name.empty())
        m_ready.insert(name);
    if (!name.empty() && !point->values.contains("round")) {
        const QString file = QDir(m_folder).absoluteFilePath(QString::fromStdString(name));
        m_read.insert(file);
        m_loader.load(file);
    }
    tell();
}

// How far it is, by the runs that ended.
void MethodsRunner::tell()
{
    const MessageBar* messages = m_shell.messages();
    if (!running() || m_closed || m_shell.asksToClose() || (!messages->isHidden() && !messages->shows(m_message)))
        return;
    const ComparisonCourse course =
        comparisonCourse(names(m_methods), static_cast<std::size_t>(m_rounds), [this](const std::string& file) {
            return m_ready.contains(std::string(kComparedRuns) + '/' + file);
        });
    const auto progress = m_jobs.progress(m_job);
    const auto left = progress ? progress->remainingSeconds : std::nullopt;
    const bool waits = m_jobs.waits(m_job);
    const QStringList said{QString::number(course.done), QString::fromStdString(course.method),
                           left ? remainingText(*left) : QString(), QString::number(waits)};
    if (messages->shows(m_message) && said == m_said)
        return; // a button made anew would lose a click that is under way
    m_said = said;
    m_message = m_shell.messages()->showMessage(
        MessageBar::Kind::Info,
        [course, rounds = m_rounds, left, waits] {
            if (waits)
                return tr("The comparison starts after the runs before it.");
            QString text = tr("Comparing methods: %1 of %2 processes are done.").arg(course.done).arg(course.all);
            const QString method = QString::fromStdString(course.method);
            if (course.round > 0)
                text += u' ' + tr("Now: %1, round %2 of %3.").arg(method).arg(course.round).arg(rounds);
            else if (!method.isEmpty())
                text += u' ' + tr("Now: memory of %1.").arg(method);
            if (left)
                text += u' ' + tr("About %1 left.").arg(remainingText(*left));
            return text;
        },
        {{[] { return tr("Stop"); }, [this] { stop(); }}});
    m_shell.messages()->outlastPage();
}

void MethodsRunner::showEnded(const RunDocument& document)
{
    if (!running() || !m_read.contains(document.path))
        return;
    // Called by their methods, as they will be when all is over; they end in the order of the methods.
    auto named = std::make_shared<RunResult>(*document.result);
    for (const QString& method : std::as_const(m_methods))
        named->other["comparison"]["methods"].push_back(method.toStdString());
    m_ended.push_back(document);
    m_ended.back().result = std::move(named);
    if (!m_shell.asksToClose() && mayShow())
        showRuns();
}

// Those that have ended.
void MethodsRunner::showRuns()
{
    if (m_ended.empty())
        return;
    for (Workspace* workspace : m_shell.workspaces()) {
        if (auto* page = qobject_cast<ComparePage*>(workspace->page())) {
            page->setRuns(m_ended);
            m_shell.bringToFront(workspace);
        }
    }
    m_before = frontState();
}

void MethodsRunner::tellEnd(const JobEnd& end)
{
    const bool untouched = mayShow();
    m_before = {};
    m_documents.watch(); // the results lie in a folder of the library's, whose changes nobody follows
    if (m_shell.closing())
        return;
    QStringList files;
    for (const QString& method : std::as_const(m_methods)) {
        if (const QString file = QDir(m_folder).filePath(method + QStringLiteral("_result.json")); QFile::exists(file))
            files << file;
    }
    MessageBar* messages = m_shell.messages();
    std::vector<MessageBar::Action> show;
    if (!files.isEmpty() && untouched)
        m_documents.openTogether(files);
    else if (!files.isEmpty())
        show.emplace_back([] { return tr("Show"); },
                          [this, messages, files] {
                              messages->dismiss();
                              m_documents.openTogether(files);
                          });
    if (end.exitStatus == 0)
        messages->showMessage(
            MessageBar::Kind::Info,
            [folder = m_folder] {
                return tr("The comparison is complete; its results and tables are in %1.").arg(folder);
            },
            show);
    else if (end.exitStatus == 4)
        messages->showMessage(MessageBar::Kind::Info, [] { return tr("The comparison was stopped."); });
    else
        messages->showMessage(MessageBar::Kind::Error, end.message, show);
    const bool well = end.exitStatus == 0 || end.exitStatus == 4;
    messages->outlastPage(!well || show.empty()); // its results come to the front once they are read
    if (well)
        messages->endInTime();
}

} // namespace peakscope
