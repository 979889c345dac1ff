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
#include "app/shell/workspace.h"

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
        if (writer && !own && was && file == m_front.path())
            lookAgain(file);
        if (own || was == writer.has_value())
            continue;
        m_written[file] = QFileInfo(file).lastModified();
        emit changed(file, writer.has_value());
        if (!writer) {
            m_documents.forget(file);
            m_front.path() == file ? m_shell.openFiles({file}) : m_documents.load(file);
        }
    }
}

// What is on the page is read anew when its writer has written, unless a message there waits to be read; a sweep's page
// follows by itself.
void ResultWriters::lookAgain(const QString& file)
{
    const QDateTime written = QFileInfo(file).lastModified();
    const bool shown = m_shell.inFront() && m_shell.inFront()->showsFront() && m_shell.messages()->text().isEmpty();
    if (!shown || isSweepFile(file) || m_written.value(file) == written || !m_documents.reading().isEmpty())
        return;
    m_written[file] = written;
    m_documents.forget(file);
    m_shell.openFiles({file});
}

void ResultWriters::findLeft()
{
    const QString library = QFileInfo(settings::libraryFolder()).absoluteFilePath();
    QStringList left;
    for (const QFileInfo& file : libraryFiles(library)) {
        if (isSweepFile(file.filePath()))
            left << file.filePath();
    }
    for (const auto& output : lockedOutputs(library.toStdString()))
        left << QString::fromStdString(output.string());
    left.removeIf([this](const QString& file) {
        return !QFileInfo::exists(file) || !writerOf(file) || (m_isOwn && m_isOwn(file));
    });
    for (const QString& file : std::as_const(left))
        m_documents.load(file);
    if (left.isEmpty() || !m_shell.messages()->text().isEmpty())
        return;
    m_shell.messages()->showMessage(
        MessageBar::Kind::Info,
        [name = titleOf(left.last())] {
            return tr("%1 has been running since before this window was opened.").arg(name);
        },
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
        return asked ? tr("A stop was requested (%1); the measurements so far are kept.").arg(who)
                     : tr("It belongs to %1 and can be stopped only there.").arg(who);
    });
}

} // namespace peakscope
