// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/result_writers.h"

#include "app/jobs/sweep_files.h"
#include "app/library/documents.h"
#include "app/library/library_index.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"

#include <algorithm>
#include <csignal>

namespace peakscope {

namespace {

constexpr int kLookMilliseconds = 1000;

QString titleOf(const QString& file)
{
    const QString title = isSweepFile(file) ? QString() : readLibraryEntry(file).title;
    return title.isEmpty() ? nameOf(file) : title;
}

} // namespace

ResultWriters::ResultWriters(Shell& shell, Documents& documents, ShownDocument& front, QObject* parent)
    : QObject(parent), m_shell(shell), m_documents(documents), m_front(front)
{
    m_look.setInterval(kLookMilliseconds);
    connect(&m_look, &QTimer::timeout, this, &ResultWriters::look);
    connect(&documents, &Documents::opened, this, &ResultWriters::look);
    connect(&front, &ShownDocument::changed, this, &ResultWriters::look);
}

void ResultWriters::look()
{
    QStringList files = m_documents.paths() << m_front.path() << m_writers.keys();
    files.removeDuplicates();
    files.removeAll(QString());
    files.isEmpty() ? m_look.stop() : m_look.start();
    for (const QString& file : std::as_const(files)) {
        const auto writer = writerOf(file);
        const bool was = m_writers.contains(file);
        const bool own = m_isOwn && m_isOwn(file);
        if (writer && !own)
            m_writers[file] = *writer;
        else
            m_writers.remove(file);
        if (own || was == writer.has_value())
            continue;
        emit changed(file, writer.has_value());
        if (!writer) {
            m_documents.forget(file);
            m_front.path() == file ? m_shell.openFiles({file}) : m_documents.load(file);
        }
    }
}

void ResultWriters::findLeft()
{
    const QDir library(settings::libraryFolder());
    QStringList left;
    for (const QString& folder : library.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString file = sweepFileIn(library.absoluteFilePath(folder));
        if (QFileInfo::exists(file) && writerOf(file))
            left << file;
    }
    // A run's lock is the hidden file .NAME.json.lock beside its result.
    for (const QString& lock : library.entryList({QStringLiteral(".*.json.lock")}, QDir::Files | QDir::Hidden)) {
        const QString file = library.absoluteFilePath(lock.mid(1).chopped(5));
        if (QFileInfo::exists(file) && writerOf(file) && !(m_isOwn && m_isOwn(file)))
            left << file;
    }
    for (const QString& file : std::as_const(left))
        m_documents.load(file);
    if (left.isEmpty() || !m_shell.messages()->text().isEmpty())
        return;
    m_shell.messages()->showMessage(
        MessageBar::Kind::Info,
        [name = titleOf(left.last())] { return tr("%1 is under way since before this window was opened.").arg(name); },
        {{[] { return tr("Show"); }, [this, file = left.last()] { m_shell.openFiles({file}); }}});
    m_shell.messages()->outlastPage();
}

bool ResultWriters::isAnyHere() const
{
    return std::ranges::any_of(m_writers, [](const OutputHolder& writer) { return writer.process.has_value(); });
}

void ResultWriters::stop(const QString& file)
{
    const OutputHolder writer = m_writers.value(file);
    const bool asked = writer.process && ::kill(*writer.process, SIGTERM) == 0;
    m_shell.messages()->showMessage(MessageBar::Kind::Info, [asked, who = QString::fromStdString(writer.text)] {
        return asked ? tr("It was asked to stop (%1); what it has measured is kept.").arg(who)
                     : tr("It is run by %1 and can be stopped there only.").arg(who);
    });
}

} // namespace peakscope
