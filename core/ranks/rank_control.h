// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The thread beside a rank's run: passes events on, watches the other ranks, and brings the run to its end. Rank 0's
// collects. Used by RankGroup only.
#pragma once

#include "core/ranks/end_merge.h"
#include "core/ranks/line_writer.h"
#include "core/ranks/peer_watch.h"
#include "core/ranks/rank_mail.h"

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>

namespace peakscope {

// What an environment variable sets, where it is a time.
double secondsOf(const char* variable, double otherwise);

class RankControl
{
public:
    using Clock = std::chrono::steady_clock;

    struct Place {
        int rank = 0;
        std::vector<PeerIdentity> peers; // by rank
    };
    RankControl(const RankTransport& module, Place place, int events, std::function<void()> stop);
    ~RankControl(); // where the run never came to its end

    int rank() const { return m_place.rank; }
    int size() const { return static_cast<int>(m_place.peers.size()); }
    const std::vector<std::string>& hosts() const { return m_hosts; }
    int shownRank(int of) const { return size() > 1 ? of : -1; } // in events

    // Throws RankFailure where waiting for other ranks has become useless. Any thread.
    void check() const;

    void send(const Event& event);
    void requestStop();
    void failWith(const EndEvent& end);
    // This rank has ended. Returns, with the exit status, once all have and MPI is to be left in order; where they have
    // not, the control thread ends the process.
    int waitForAll(const EndEvent& own);

private:
    enum class State { Running, Stopped, Failed };
    struct Peer {
        Clock::time_point lastHeard;
        std::optional<Clock::time_point> gone;
        std::optional<Phase> phase;
        std::int64_t step = -1;
        bool lost = false;  // it is gone, and that has been dealt with
        bool ended = false; // it told its end
    };

    void run();
    void turn();
    void sendWaiting();
    void tell(int to, MailKind kind, const nlohmann::json& document);
    void tellAll(MailKind kind, const nlohmann::json& document);
    void take(int from, MailKind kind, const std::string& text);
    void takeLines(const std::string& text);
    void takeBeat(Peer& peer, const nlohmann::json& document);
    void takeEnd(int from, const nlohmann::json& document);
    void takeStop(int from, const nlohmann::json& document);
    void noteEnd(int from, const EndEvent& end, bool consequence);
    void writeRankEnd(int of, RunStatus status, const std::string& message);
    void watchPeers(Clock::time_point now);
    void lose(int rank, const std::string& did);
    bool someVanished() const;
    void watchRequest();
    void watchSignals(Clock::time_point now);
    void beat(Clock::time_point now);
    void watchSilence(Clock::time_point now);
    void breakOff(State state, const std::string& sentence);
    void hurry(Clock::time_point deadline);
    bool allEnded() const;
    bool inOrder() const; // all processes are there and have ended their runs
    void conclude();
    [[noreturn]] void leaveNow(int status);

    const RankTransport& m_module;
    Place m_place;
    std::vector<std::string> m_hosts;
    std::function<void()> m_stop;
    std::unique_ptr<LineWriter> m_writer; // rank 0

    // Under m_mutex.
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_wake;
    std::deque<std::string> m_lines; // events on their way to rank 0
    State m_state = State::Running;
    std::string m_sentence; // why it is no longer running
    bool m_stopAsked = false;
    std::optional<RankEnd> m_own;      // how this rank ended
    std::optional<EndEvent> m_failure; // by failWith
    std::optional<int> m_status;       // all have ended: leave in order
    std::optional<Phase> m_phase;      // where the run here is
    std::int64_t m_step = -1;
    bool m_moved = false; // since the last beat

    // Of the control thread.
    RankMail m_mail;
    PeerWatch m_watch;
    std::vector<Peer> m_peers;
    RankEnds m_ends; // rank 0
    int m_endOrder = 0;
    bool m_ownTold = false;
    bool m_leaveTold = false;
    bool m_announced = false;                      // rank 0: the others know that it is over
    std::optional<Clock::time_point> m_terminated; // SIGTERM came
    std::optional<Clock::time_point> m_brokenSince;
    std::optional<Clock::time_point> m_deadline;
    Clock::time_point m_lastBeat;
    Clock::duration m_timeout;
    Clock::duration m_killInterval; // between a launcher's SIGTERM and its SIGKILL
    std::atomic<bool> m_quit{false};
    std::thread m_thread;
};

} // namespace peakscope
