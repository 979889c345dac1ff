// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/dry_ranks_worker.h"

#include "core/base/child_process.h"
#include "core/base/file.h"
#include "core/planning/inputs/equal_ranks.h"
#include "core/protocol/rank_words.h"
#include "core/ranks/end_merge.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace peakscope {
namespace {

constexpr const char* kRank = "PEAKSCOPE_DRY_RANK";

// One rank's worker, to its end. What it says on standard error is this process's.
class RankWorker
{
public:
    RankWorker(int rank, const std::function<void(const Event&)>& send) : m_rank(rank), m_send(send)
    {
        char host[256] = "";
        ::gethostname(host, sizeof(host) - 1);
        m_seen.host = host;
    }

    EndEvent run(const std::string& line, const std::function<bool()>& stopped)
    {
        auto variables = ownEnvironment();
        variables[kRank] = std::to_string(m_rank);
        auto process = ChildProcess::start({.words = {"/proc/self/exe", "worker"},
                                            .environment = environmentList(variables),
                                            .input = ChildStream::Pipe,
                                            .output = ChildStream::Pipe,
                                            .endsWithParent = true});
        if (!process)
            return {RunStatus::Failed, process.error().text(), {}, false};
        if (!FileSink(process->input()).write(line))
            process->closeInput(); // it is gone; its end says why
        while (read(process->output())) {
            if (stopped())
                process->closeInput(); // which stops it
        }
        const ChildEnd end = process->wait();
        if (m_end)
            return *m_end;
        m_died = rankSentence(m_rank,
                              end.signal ? fmt::format("died (signal {})", end.signal)
                                         : fmt::format("died (exit status {})", end.exitCode),
                              m_seen);
        return {RunStatus::Failed, m_died, {}, false};
    }

    // What is said of a process that ended without a word; empty: it has not.
    const std::string& died() const { return m_died; }

private:
    // False: the worker has closed its output.
    bool read(int output)
    {
        pollfd ready = {output, POLLIN, 0};
        if (::poll(&ready, 1, 100) <= 0)
            return true;
        std::array<char, 1 << 16> bytes;
        const ssize_t count = ::read(output, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            return true;
        if (count <= 0)
            return false;
        m_rest.append(bytes.data(), static_cast<std::size_t>(count));
        std::size_t begin = 0;
        for (std::size_t feed = m_rest.find('\n'); feed != std::string::npos; feed = m_rest.find('\n', begin)) {
            take(std::string_view(m_rest).substr(begin, feed - begin));
            begin = feed + 1;
        }
        m_rest.erase(0, begin);
        return true;
    }

    void take(std::string_view line)
    {
        auto event = m_reader.read(line);
        if (!event)
            return;
        if (const auto* end = std::get_if<EndEvent>(&*event)) {
            m_end = *end;
            return;
        }
        if (const auto* phase = std::get_if<PhaseEvent>(&*event)) {
            m_seen.phase = phase->phase;
            m_seen.step = phase->step;
        }
        event->rank = m_rank;
        m_send(*event);
    }

    int m_rank;
    const std::function<void(const Event&)>& m_send;
    EventReader m_reader;
    std::string m_rest;
    std::optional<EndEvent> m_end;
    RankPosition m_seen;
    std::string m_died;
};

void sendOf(int rank, StageEvent stage, const std::function<void(const Event&)>& send)
{
    Event event(std::move(stage));
    event.rank = rank;
    send(event);
}

} // namespace

std::optional<int> dryRank()
{
    const char* rank = std::getenv(kRank);
    return rank ? std::optional(std::atoi(rank)) : std::nullopt;
}

EndEvent runDryRanks(const Experiment& experiment, const std::function<void(const Event&)>& send,
                     const std::function<bool()>& stopped)
{
    const std::vector<std::int64_t> equal = equalRanks(experiment, experiment.ranks);
    const std::string line = experiment.document.dump() + "\n";
    RankEnds ends;
    ends.ranks.resize(equal.size());
    for (std::size_t rank = 0; rank < equal.size(); ++rank) {
        const auto first = static_cast<std::size_t>(equal[rank]);
        const int number = static_cast<int>(rank);
        if (first != rank) {
            ends.ranks[rank] = ends.ranks[first];
            sendOf(number, {"same_as", {{"same_as", equal[rank]}}}, send);
            continue;
        }
        RankWorker worker(number, send);
        const EndEvent end = worker.run(line, stopped);
        ends.ranks[rank] = RankEnd{end, false, number};
        if (end.status == RunStatus::Complete)
            continue;
        if (!stopped())
            ends.failure = worker.died();
        sendOf(number, {"rank_end", {{"rank_end", {{"status", name(end.status)}, {"message", end.message}}}}}, send);
        break;
    }
    ends.stopAsked = stopped();
    return mergedEnd(ends);
}

} // namespace peakscope
