// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/rank_words.h"

#include <charconv>
#include <csignal>
#include <utility>

namespace peakscope {
namespace {

// The number that follows `before`, from `from` on.
std::optional<int> numberAfter(std::string_view text, std::string_view before, std::size_t& from)
{
    const std::size_t at = text.find(before, from);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::string_view rest = text.substr(at + before.size());
    int value = 0;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (parsed.ec != std::errc{} || value < 0)
        return std::nullopt;
    from = static_cast<std::size_t>(parsed.ptr - text.data());
    return value;
}

} // namespace

std::string rankSentence(int rank, const std::string& did, const RankPosition& seen)
{
    std::string text = "rank " + std::to_string(rank);
    if (!seen.host.empty())
        text += " (host " + seen.host + ")";
    text += " " + did;
    if (!seen.phase)
        return text + " before the run began";
    text += " in phase " + std::string(name(*seen.phase));
    return seen.step >= 0 ? text + " of step " + std::to_string(seen.step) : text;
}

std::optional<RankDeath> rankDeathOf(std::string_view line)
{
    std::size_t from = 0;
    if (const auto rank = numberAfter(line, "process rank ", from)) {
        const auto signal = numberAfter(line, "exited on signal ", from);
        return signal ? std::optional(RankDeath{*rank, *signal}) : std::nullopt;
    }
    from = 0;
    // torchrun's agent, about processes of its own machine
    if (const auto signal = numberAfter(line, "failed (exitcode: -", from)) {
        const auto rank = numberAfter(line, "local_rank: ", from);
        return rank ? std::optional(RankDeath{*rank, *signal}) : std::nullopt;
    }
    from = 0;
    if (!line.starts_with("srun: error:"))
        return std::nullopt;
    const auto task = numberAfter(line, ": task ", from);
    if (!task)
        return std::nullopt;
    static constexpr std::pair<std::string_view, int> kDeaths[] = {
        {"Killed", SIGKILL}, {"Segmentation fault", SIGSEGV}, {"Aborted", SIGABRT}, {"Bus error", SIGBUS}};
    for (const auto& [word, signal] : kDeaths) {
        if (line.substr(from).find(word) != std::string_view::npos)
            return RankDeath{*task, signal};
    }
    return std::nullopt;
}

std::optional<int> namedRank(std::string_view line)
{
    std::size_t from = line.find("Process name: [[");
    return from == std::string_view::npos ? std::nullopt : numberAfter(line, "],", from);
}

std::optional<int> signalOfExitCode(std::string_view line)
{
    constexpr int kSignalled = 128;
    std::size_t from = line.find("Exit code:");
    if (from == std::string_view::npos)
        return std::nullopt;
    from = line.find_last_of(' ');
    const auto code = numberAfter(line, " ", from);
    return code && *code > kSignalled ? std::optional(*code - kSignalled) : std::nullopt;
}

std::string deathSentence(const RankDeath& death, const RankPosition& seen)
{
    return rankSentence(death.rank, death.signal > 0 ? "died (signal " + std::to_string(death.signal) + ")" : "died",
                        seen);
}

} // namespace peakscope
