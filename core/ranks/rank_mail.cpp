// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/rank_mail.h"

#include <set>
#include <utility>

namespace peakscope {

void RankMail::send(int to, MailKind kind, std::string text)
{
    Outgoing one{std::make_unique<std::string>(std::move(text)), nullptr};
    one.request = m_module.startSend(one.text->data(), static_cast<int>(one.text->size()), to, static_cast<int>(kind));
    m_outgoing.push_back(std::move(one));
}

void RankMail::receive(const std::function<void(int, MailKind, const std::string&)>& take)
{
    TransportMessage message;
    while (m_module.takeMessage(&message)) {
        Incoming one{message.from, static_cast<MailKind>(message.tag),
                     std::make_unique<std::string>(static_cast<std::size_t>(message.bytes), '\0'), nullptr, false};
        one.request = m_module.startReceive(&message, one.text->data());
        m_incoming.push_back(std::move(one));
    }
    std::set<int> waiting; // a rank that died in the middle of a message holds up nobody else's
    for (auto one = m_incoming.begin(); one != m_incoming.end();) {
        if (one->request) {
            const TransportTest state = m_module.test(one->request);
            if (state != TransportTest::Waiting)
                one->request = nullptr;
            one->lost = state == TransportTest::Failed;
        }
        if (one->request || waiting.count(one->from) > 0) {
            waiting.insert(one->from);
            ++one;
            continue;
        }
        if (!one->lost)
            take(one->from, one->kind, *one->text);
        one = m_incoming.erase(one);
    }
}

std::size_t RankMail::underWay()
{
    for (auto one = m_outgoing.begin(); one != m_outgoing.end();) {
        if (m_module.test(one->request) == TransportTest::Waiting)
            ++one;
        else
            one = m_outgoing.erase(one);
    }
    return m_outgoing.size();
}

} // namespace peakscope
