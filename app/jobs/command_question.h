// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Asks about commands that are none of the user's, before anything of them begins (CommandConsent). GUI thread.
#pragma once

#include "app/jobs/command_consent.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <vector>

namespace peakscope {

class MessageBar;

class CommandQuestion : public QObject
{
    Q_OBJECT

public:
    struct Asked {
        QString title;
        std::vector<NamedCommand> commands;
        Origin origin;
    };

    template <typename What>
    std::optional<Agreed<What>> decide(const What& what, const Origin& origin) const
    {
        return m_consent.decide(what, origin);
    }
    // What is started is what the answer is about, whatever stands in the window by then. `anyway` runs once the
    // commands are agreed to; `here` is to do without them.
    void ask(MessageBar* bar, const std::vector<Asked>& asked, const std::function<void()>& anyway,
             const std::function<void()>& here);
    // It waits for its answer: another one asked now would take its place.
    bool stands() const;

signals:
    void over(); // answered or closed, and what that led to has been done

private:
    CommandConsent m_consent;
    QPointer<MessageBar> m_bar; // of the last one
    int m_message = 0;
};

} // namespace peakscope
