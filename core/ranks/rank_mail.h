// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Messages between ranks beside the collectives: sent and received without ever waiting. One thread.
#pragma once

#include "core/ranks/rank_module.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace peakscope {

enum class MailKind : int {
    Lines = 1, // event lines, one after the other
    Beat,      // alive; where the run is
    End,       // how a rank ended
    Gone,      // a rank was seen to be gone
    Stop,      // end the run
    Leave,     // all have ended
};

class RankMail
{
public:
    explicit RankMail(const RankTransport& module) : m_module(module) {}

    void send(int to, MailKind kind, std::string text);
    // Hands over what has come, in order for each sender.
    void receive(const std::function<void(int from, MailKind kind, const std::string& text)>& take);
    // How much is still on its way out.
    std::size_t underWay();

private:
    struct Outgoing {
        std::unique_ptr<std::string> text; // stays where it is until it has been sent
        TransportRequest* request = nullptr;
    };
    struct Incoming {
        int from = 0;
        MailKind kind = MailKind::Beat;
        std::unique_ptr<std::string> text;
        TransportRequest* request = nullptr; // null: it is whole
        bool lost = false;
    };

    const RankTransport& m_module;
    std::deque<Outgoing> m_outgoing;
    std::deque<Incoming> m_incoming;
};

} // namespace peakscope
