// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/command_question.h"

#include "app/parts/message_bar.h"
#include "core/protocol/command_text.h"

#include <QFileInfo>

namespace peakscope {

namespace {

QString visibleName(const QString& text)
{
    return QString::fromStdString(visibleText(text.toStdString()));
}

} // namespace

void CommandQuestion::ask(MessageBar* bar, const std::vector<Asked>& asked, const std::function<void()>& anyway,
                          const std::function<void()>& here)
{
    QStringList lines;
    for (const Asked& each : asked) {
        if (asked.size() > 1)
            lines << visibleName(each.title);
        lines << CommandConsent::shown(each.commands);
    }
    const QString detail = lines.join(u'\n');
    const QString file = asked.front().origin.file;
    const bool readable = detail.size() <= CommandConsent::kMostCharacters;
    const auto question = [several = asked.size() > 1, file, readable, size = detail.size()] {
        const QString who = several || file.isEmpty() ? tr("This set-up") : visibleName(QFileInfo(file).fileName());
        return readable ? tr("%1 names a command that is neither one of yours nor one of your machines. It would be "
                             "started with your rights: read it first.")
                              .arg(who)
                        : tr("%1 names a command that is too long to be read (%2 characters); it is not started.")
                              .arg(who, QString::number(size));
    };
    std::vector<MessageBar::Action> actions;
    if (readable) {
        actions.emplace_back([] { return tr("Run anyway"); },
                             [this, bar, asked, anyway] {
                                 for (const Asked& each : asked)
                                     m_consent.agree(each.commands, each.origin);
                                 bar->dismiss();
                                 anyway();
                             });
    }
    actions.emplace_back([] { return tr("Run here"); },
                         [bar, here] {
                             bar->dismiss();
                             here();
                         });
    m_message = bar->showMessage(MessageBar::Kind::Warning, question, actions, readable ? detail : QString());
    m_bar = bar;
    connect(bar, &MessageBar::dismissed, this, &CommandQuestion::over,
            Qt::ConnectionType(Qt::QueuedConnection | Qt::UniqueConnection));
}

bool CommandQuestion::stands() const
{
    return m_bar && m_bar->shows(m_message);
}

} // namespace peakscope
