// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/rank_control.h"

#include "core/base/json/json_access.h"
#include "core/protocol/rank_words.h"
#include "core/ranks/communicator.h"
#include "core/results/run_result.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace peakscope {
namespace {

using std::chrono::milliseconds;

constexpr auto kTurn = milliseconds(5);
constexpr auto kBeat = milliseconds(250);
constexpr auto kLastWords = milliseconds(40); // what a rank that is gone had sent may still be on its way
constexpr auto kGrace = milliseconds(300);    // between SIGTERM and the word of a rank that is gone
constexpr std::size_t kMailBytes = 1 << 20;
constexpr std::size_t kMostUnderWay = 16;

volatile std::sig_atomic_t terminateSeen = 0;

void onTerminate(int)
{
    terminateSeen = 1;
}

RankControl::Clock::duration durationOf(double seconds)
{
    return std::chrono::duration_cast<RankControl::Clock::duration>(std::chrono::duration<double>(seconds));
}

} // namespace

double secondsOf(const char* variable, double otherwise)
{
    const char* text = std::getenv(variable);
    const double value = text ? std::atof(text) : 0;
    return value > 0 && value < 1e6 ? value : otherwise;
}

RankControl::RankControl(const RankTransport& module, Place place, int events, std::function<void()> stop)
    : m_module(module), m_place(std::move(place)), m_stop(std::move(stop)), m_mail(module),
      m_timeout(durationOf(secondsOf("PEAKSCOPE_RANK_TIMEOUT", 30))),
      m_killInterval(durationOf(
          secondsOf("OMPI_MCA_odls_base_sigkill_timeout", std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr ? 1 : 30)))
{
    for (const PeerIdentity& peer : m_place.peers)
        m_hosts.emplace_back(peer.host, ::strnlen(peer.host, sizeof(peer.host)));
    const auto now = Clock::now();
    m_lastBeat = now;
    m_peers.resize(m_place.peers.size());
    for (Peer& peer : m_peers)
        peer.lastHeard = now;
    m_ends.ranks.resize(m_place.peers.size());
    if (rank() == 0)
        m_writer = std::make_unique<LineWriter>(events, [this] { requestStop(); });
    m_watch.watch(m_place.peers, rank());
    struct sigaction action = {};
    action.sa_handler = onTerminate;
    ::sigaction(SIGTERM, &action, nullptr);
    m_thread = std::thread([this] { run(); });
}

RankControl::~RankControl()
{
    m_quit = true;
    if (m_thread.joinable())
        m_thread.join();
}

void RankControl::check() const
{
    const std::lock_guard lock(m_mutex);
    if (m_state != State::Running)
        throw RankFailure(m_sentence, m_state == State::Stopped);
}

void RankControl::send(const Event& event)
{
    Event placed = event;
    placed.rank = shownRank(rank());
    std::string line = toLine(placed);
    {
        const std::lock_guard lock(m_mutex);
        if (const auto* phase = std::get_if<PhaseEvent>(&event)) {
            m_phase = phase->phase;
            m_step = phase->step;
            m_moved = true;
        }
        if (rank() != 0)
            m_lines.push_back(std::move(line));
    }
    if (rank() == 0)
        m_writer->write(std::move(line));
}

void RankControl::requestStop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopAsked = true;
    }
    m_wake.notify_all();
}

void RankControl::failWith(const EndEvent& end)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_state != State::Running || m_own)
            return;
        m_failure = end;
        m_state = State::Failed;
        m_sentence = end.message;
    }
    m_stop();
}

int RankControl::waitForAll(const EndEvent& own)
{
    std::unique_lock lock(m_mutex);
    m_own = m_failure ? RankEnd{*m_failure, false, 0} : RankEnd{own, m_state != State::Running, 0};
    m_wake.notify_all();
    m_wake.wait(lock, [this] { return m_status.has_value(); });
    lock.unlock();
    m_thread.join();
    return *m_status;
}

void RankControl::run()
{
    while (!m_quit) {
        turn();
        std::unique_lock lock(m_mutex);
        if (m_status)
            break;
        m_wake.wait_for(lock, kTurn);
    }
    m_wake.notify_all();
}

void RankControl::turn()
{
    const auto now = Clock::now();
    m_mail.receive([this](int from, MailKind kind, const std::string& text) { take(from, kind, text); });
    watchPeers(now);
    if (!someVanished()) { // else it is soon clear that this is why
        watchRequest();
        watchSignals(now);
    }
    watchSilence(now);
    beat(now);
    sendWaiting();
    if (rank() == 0 && !m_leaveTold && (allEnded() || (m_deadline && now > *m_deadline)))
        conclude();
    else if (rank() != 0 && m_deadline && now > *m_deadline)
        leaveNow(1);
}

// ---- what this rank tells

void RankControl::tell(int to, MailKind kind, const nlohmann::json& document)
{
    m_mail.send(to, kind, dumpJson(document));
}

void RankControl::tellAll(MailKind kind, const nlohmann::json& document)
{
    for (int to = 0; to < size(); ++to) {
        if (to != rank() && !m_peers[static_cast<std::size_t>(to)].gone)
            tell(to, kind, document);
    }
}

void RankControl::sendWaiting()
{
    std::size_t underWay = m_mail.underWay();
    for (; underWay < kMostUnderWay; ++underWay) {
        std::string text;
        {
            const std::lock_guard lock(m_mutex);
            while (!m_lines.empty() && text.size() < kMailBytes) {
                text += m_lines.front();
                text += '\n';
                m_lines.pop_front();
            }
        }
        if (text.empty())
            break;
        m_mail.send(0, MailKind::Lines, std::move(text));
    }
    std::optional<RankEnd> own;
    {
        const std::lock_guard lock(m_mutex);
        if (m_own && !m_ownTold && m_lines.empty())
            own = m_own;
    }
    if (!own)
        return;
    m_ownTold = true;
    if (rank() == 0)
        noteEnd(0, own->end, own->consequence);
    else
        tell(0, MailKind::End, {{"line", toLine(own->end)}, {"consequence", own->consequence}});
}

void RankControl::beat(Clock::time_point now)
{
    nlohmann::json place = nlohmann::json::object();
    {
        const std::lock_guard lock(m_mutex);
        if (m_ownTold && rank() != 0)
            return; // it has ended, which is no silence
        if (now - m_lastBeat < kBeat && !(m_moved && rank() != 0))
            return;
        m_moved = false;
        if (m_phase)
            place = {{"phase", name(*m_phase)}, {"step", m_step}};
    }
    m_lastBeat = now;
    if (m_mail.underWay() > 4 * kMostUnderWay * m_peers.size())
        return;
    if (rank() != 0)
        tell(0, MailKind::Beat, place);
    else if (!m_leaveTold)
        tellAll(MailKind::Beat, place);
}

// ---- what others tell

void RankControl::take(int from, MailKind kind, const std::string& text)
{
    Peer& peer = m_peers[static_cast<std::size_t>(from)];
    peer.lastHeard = Clock::now();
    if (kind == MailKind::Lines) {
        takeLines(text);
        return;
    }
    const auto document = nlohmann::json::parse(text, nullptr, false);
    if (!document.is_object())
        return;
    switch (kind) {
    case MailKind::Lines:
        break;
    case MailKind::Beat:
        takeBeat(peer, document);
        break;
    case MailKind::End:
        takeEnd(from, document);
        break;
    case MailKind::Gone:
        if (const int gone = document.value("rank", -1); gone > 0 && gone < size())
            lose(gone, "died");
        break;
    case MailKind::Stop:
        takeStop(from, document);
        break;
    case MailKind::Leave:
        if (!document.value("in_order", false))
            leaveNow(1);
        const std::lock_guard lock(m_mutex);
        m_status = 0;
        break;
    }
}

void RankControl::takeLines(const std::string& text)
{
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t feed = std::min(text.find('\n', from), text.size());
        m_writer->write(text.substr(from, feed - from));
        from = feed + 1;
    }
}

void RankControl::takeBeat(Peer& peer, const nlohmann::json& document)
{
    if (const auto phase = phaseFromName(document.value("phase", ""))) {
        peer.phase = phase;
        peer.step = document.value("step", std::int64_t{-1});
    }
}

void RankControl::takeEnd(int from, const nlohmann::json& document)
{
    const auto event = EventReader().read(document.value("line", ""));
    const EndEvent* end = event ? std::get_if<EndEvent>(&*event) : nullptr;
    noteEnd(from, end ? *end : EndEvent{RunStatus::Failed, "its end could not be read", {}, false},
            document.value("consequence", false));
}

void RankControl::takeStop(int from, const nlohmann::json& document)
{
    const std::string failure = document.value("failure", "");
    if (from != 0)
        requestStop(); // that rank was told to stop by its own launcher
    else
        breakOff(failure.empty() ? State::Stopped : State::Failed, failure.empty() ? "stopped on request" : failure);
}

void RankControl::noteEnd(int from, const EndEvent& end, bool consequence)
{
    m_peers[static_cast<std::size_t>(from)].ended = true;
    m_ends.ranks[static_cast<std::size_t>(from)] = RankEnd{end, consequence, m_endOrder++};
    if (end.status != RunStatus::Complete)
        writeRankEnd(from, consequence ? RunStatus::Interrupted : end.status, end.message);
    if (end.status != RunStatus::Complete && !consequence)
        breakOff(State::Failed, "rank " + std::to_string(from) + ": " + end.message);
}

// The run's end event is about all; what each rank came to stands beside it.
void RankControl::writeRankEnd(int of, RunStatus status, const std::string& message)
{
    if (size() == 1)
        return;
    Event event(StageEvent{"rank_end", {{"rank_end", {{"status", name(status)}, {"message", message}}}}});
    event.rank = of;
    m_writer->write(toLine(event));
}

// ---- what happens to them

void RankControl::watchPeers(Clock::time_point now)
{
    for (const int rank : m_watch.gone())
        m_peers[static_cast<std::size_t>(rank)].gone = now;
    for (int other = 0; other < size(); ++other) {
        Peer& peer = m_peers[static_cast<std::size_t>(other)];
        if (!peer.gone || peer.lost || now - *peer.gone < kLastWords)
            continue;
        lose(other, "died");
        if (rank() != 0 && other != 0)
            tell(0, MailKind::Gone, {{"rank", other}});
    }
}

void RankControl::lose(int other, const std::string& did)
{
    Peer& peer = m_peers[static_cast<std::size_t>(other)];
    if (peer.lost)
        return;
    peer.lost = true;
    if (!peer.gone)
        peer.gone = Clock::now();
    const std::string sentence =
        rankSentence(other, did, {m_hosts[static_cast<std::size_t>(other)], peer.phase, peer.step});
    bool running = false;
    {
        const std::lock_guard lock(m_mutex);
        running = m_state == State::Running;
    }
    if (rank() == 0 && !peer.ended)
        writeRankEnd(other, RunStatus::Failed, sentence);
    if (running && !(rank() == 0 && peer.ended)) {
        m_ends.failure = sentence;
        breakOff(State::Failed, sentence);
    }
    // A launcher that sees it too will soon end the others; what they have is to be out by then.
    const auto soon = std::min<Clock::duration>(milliseconds(6000), m_killInterval - milliseconds(2000));
    hurry(Clock::now() + std::max<Clock::duration>(soon, milliseconds(600)));
    if (other == 0)
        hurry(Clock::now() + milliseconds(500)); // nobody is left to tell
}

bool RankControl::someVanished() const
{
    return std::any_of(m_peers.begin(), m_peers.end(), [](const Peer& peer) { return peer.gone && !peer.lost; });
}

void RankControl::watchRequest()
{
    bool asked = false;
    {
        const std::lock_guard lock(m_mutex);
        asked = m_stopAsked && m_state == State::Running;
    }
    if (!asked)
        return;
    if (rank() != 0)
        tell(0, MailKind::Stop, nlohmann::json::object());
    breakOff(State::Stopped, "stopped on request");
}

void RankControl::watchSignals(Clock::time_point now)
{
    if (terminateSeen == 0)
        return;
    if (!m_terminated) {
        m_terminated = now;
        hurry(now + std::max<Clock::duration>(m_killInterval - milliseconds(400), milliseconds(500)));
    }
    const auto waited = now - *m_terminated;
    bool running = false;
    {
        const std::lock_guard lock(m_mutex);
        running = m_state == State::Running;
    }
    // The launcher says this to all when one of them has died: first hear whether that is so.
    if (!running || waited < kGrace)
        return;
    if (rank() != 0)
        tell(0, MailKind::Stop, nlohmann::json::object());
    breakOff(State::Stopped, "stopped by a signal (SIGTERM)");
}

void RankControl::watchSilence(Clock::time_point now)
{
    for (int other = 0; other < size(); ++other) {
        Peer& peer = m_peers[static_cast<std::size_t>(other)];
        if (other == rank() || (rank() != 0 && other != 0) || peer.lost || peer.ended)
            continue;
        if (now - peer.lastHeard > m_timeout)
            lose(other, "has been silent for " +
                            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(m_timeout).count()) + " s");
    }
}

void RankControl::breakOff(State state, const std::string& sentence)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_state == State::Running) {
            m_state = state;
            m_sentence = sentence;
        }
    }
    hurry(Clock::now() + m_timeout);
    if (rank() == 0 && !m_announced) {
        m_announced = true;
        if (state == State::Stopped)
            m_ends.stopAsked = true;
        tellAll(MailKind::Stop, {{"failure", state == State::Failed ? sentence : ""}});
    }
    m_stop();
}

void RankControl::hurry(Clock::time_point deadline)
{
    m_deadline = m_deadline ? std::min(*m_deadline, deadline) : deadline;
}

// ---- the end

bool RankControl::allEnded() const
{
    return std::all_of(m_peers.begin(), m_peers.end(), [](const Peer& peer) { return peer.ended || peer.lost; });
}

bool RankControl::inOrder() const
{
    return std::all_of(m_peers.begin(), m_peers.end(), [](const Peer& peer) { return peer.ended && !peer.gone; });
}

void RankControl::conclude()
{
    const EndEvent end = mergedEnd(m_ends);
    const int status = end.badInput ? 2 : exitStatus(end.status);
    Event last(end);
    last.rank = shownRank(rank());
    m_writer->write(toLine(last));
    const bool orderly = inOrder();
    // A reader may take its time, for which the others wait, but not while a launcher is about to end this process.
    while (!m_writer->flush(milliseconds(100)) && !(m_deadline && Clock::now() > *m_deadline + milliseconds(300)))
        beat(Clock::now());
    m_leaveTold = true;
    tellAll(MailKind::Leave, {{"in_order", orderly}});
    const auto until = Clock::now() + (orderly ? milliseconds(3000) : milliseconds(300));
    bool sent = false;
    while (!sent && Clock::now() < until) {
        sent = m_mail.underWay() == 0;
        std::this_thread::sleep_for(milliseconds(sent ? 0 : 1));
    }
    if (!orderly || !sent)
        leaveNow(status);
    const std::lock_guard lock(m_mutex);
    m_status = status;
}

void RankControl::leaveNow(int status)
{
    std::_Exit(status);
}

} // namespace peakscope
