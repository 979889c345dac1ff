// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/unread_files.h"

#include "app/library/documents.h"
#include "app/parts/message_bar.h"
#include "app/shell/shell.h"
#include "app/shell/workspace.h"
#include "core/base/shell_line.h"

#include <QFileInfo>
#include <QStringList>
#include <QTimer>

#include <algorithm>

namespace peakscope {

namespace {

constexpr std::size_t kMostSaid = 3; // files said by name: the bar lies over the page

} // namespace

UnreadFiles::UnreadFiles(Shell& shell, Documents& documents, QObject* parent)
    : QObject(parent), m_shell(shell), m_documents(documents)
{
    connect(&documents, &Documents::failed, this, [this](const QString& path, const QString& sentence) {
        m_sentences.emplace_back(sentence);
        m_program = QFileInfo(path).isFile() && path.endsWith(QLatin1String(".py")) ? path : QString();
        tell();
        QTimer::singleShot(0, this, &UnreadFiles::endIfAllRead); // the others may not have been begun yet
    });
    connect(&documents, &Documents::finished, this, [this] {
        tellAgain();
        endIfAllRead();
    });
    connect(shell.messages(), &MessageBar::closedByUser, this, [this](int message) {
        if (message == m_message)
            m_sentences.clear();
    });
}

void UnreadFiles::tell()
{
    std::vector<MessageBar::Action> actions;
    if (!m_program.isEmpty())
        actions.emplace_back([] { return tr("Dry-run this program…"); }, [this, file = m_program] { dryRun(file); });
    actions.emplace_back([] { return tr("Open another…"); }, [this] { m_shell.openFiles(m_shell.chooseFiles()); });
    m_message = m_shell.messages()->showMessage(
        MessageBar::Kind::Error,
        [sentences = m_sentences] {
            QStringList lines;
            for (std::size_t i = 0; i < std::min(sentences.size(), kMostSaid); ++i)
                lines << sentences[i].say();
            if (sentences.size() > kMostSaid)
                lines << tr("And %n more that can't be read.", nullptr, static_cast<int>(sentences.size() - kMostSaid));
            return lines.join(u'\n');
        },
        actions);
}

void UnreadFiles::dryRun(const QString& program)
{
    m_shell.prepare();
    for (Workspace* workspace : m_shell.workspaces()) {
        if (workspace->objectName() != QLatin1String("run"))
            continue;
        m_shell.bringToFront(workspace);
        workspace->begin({{"command", "python " + shellWord(program.toStdString())}});
    }
}

// A question that waits for its answer stays.
void UnreadFiles::tellAgain()
{
    const MessageBar* messages = m_shell.messages();
    if (!m_sentences.empty() && !messages->shows(m_message) && !messages->outlastsPage())
        tell();
}

void UnreadFiles::endIfAllRead()
{
    if (m_documents.reading().isEmpty())
        m_sentences.clear();
}

} // namespace peakscope
