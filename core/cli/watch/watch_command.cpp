// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/watch/watch_command.h"

#include "core/base/followed_lines.h"
#include "core/base/terminal.h"
#include "core/cli/watch/watch_view.h"
#include "core/protocol/event.h"
#include "core/protocol/watched_run.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>

namespace peakscope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{100}; // between two pictures
constexpr int kInterruptedStatus = 128 + SIGINT;

volatile std::sig_atomic_t interrupted = 0;

int complainOf(const Error& error)
{
    standardError().line("peakscope-cli: " + error.text());
    return exitStatus(error.code);
}

void noteInterrupt(int)
{
    interrupted = 1;
}

class Watch
{
public:
    Watch(std::string file, FollowedLines lines)
        : m_file(std::move(file)), m_lines(std::move(lines)), m_draws(drawsInPlace())
    {}

    int execute()
    {
        while (!m_run.end()) {
            const auto news = m_lines.read(kPause, [this](std::string_view line) { return take(line); });
            if (interrupted) {
                draw();
                return kInterruptedStatus;
            }
            if (!news) {
                draw();
                return complainOf(news.error());
            }
            if (*news == FollowedLines::News::Anew)
                begin();
            if (*news == FollowedLines::News::End)
                return m_lines.rest().empty() || take(m_lines.rest()) ? unended() : ended();
            if (m_changed && Clock::now() - m_drawn >= kPause)
                draw();
        }
        return ended();
    }

private:
    static bool drawsInPlace()
    {
        const char* kind = std::getenv("TERM");
        return standardOutput().isTerminal() && !(kind && std::string_view(kind) == "dumb");
    }

    void begin()
    {
        m_run = {};
        m_reader = {};
        m_log = {};
        m_line = 0;
    }

    // False after the last event.
    bool take(std::string_view line)
    {
        ++m_line;
        const auto event = m_reader.read(line);
        if (!event) {
            complain(event.error());
            return true;
        }
        m_run.take(*event);
        m_changed = true;
        if (!m_draws) {
            for (const std::string& each : m_log.news(m_run))
                standardOutput().line(each);
            (void)standardOutput().flush();
        }
        return !m_run.end();
    }

    void complain(const Error& error)
    {
        if (m_draws)
            standardOutput().clearFrame();
        standardError().line("peakscope-cli: " + (m_file == "-" ? "standard input" : m_file) + ": line " +
                             std::to_string(m_line) + " is left out: " + error.text());
        m_changed = true;
    }

    void draw()
    {
        if (m_draws)
            standardOutput().showFrame(watchFrame(m_run, standardOutput().size().columns));
        m_drawn = Clock::now();
        m_changed = false;
    }

    int ended()
    {
        draw();
        return m_run.end()->badInput ? 2 : exitStatus(m_run.end()->status);
    }

    int unended()
    {
        draw();
        standardError().line("peakscope-cli: " + (m_file == "-" ? "standard input" : m_file) +
                             ": the run ended without an end event");
        return 1;
    }

    std::string m_file;
    FollowedLines m_lines;
    bool m_draws;
    EventReader m_reader;
    WatchedRun m_run;
    WatchLog m_log;
    std::int64_t m_line = 0;
    bool m_changed = false;
    Clock::time_point m_drawn{};
};

} // namespace

CLI::App* addWatchCommand(CLI::App& app, WatchArguments& arguments)
{
    CLI::App* watch = app.add_subcommand("watch", "Show a run in the terminal while it goes on, from its --events");
    watch->add_option("FILE", arguments.file, "A file of events, which is followed to its end, or - for standard input")
        ->required();
    return watch;
}

int watchCommand(const WatchArguments& arguments)
{
    auto lines = FollowedLines::open(arguments.file);
    if (!lines)
        return complainOf(lines.error());
    struct sigaction action = {};
    action.sa_handler = noteInterrupt; // without SA_RESTART: a wait ends
    ::sigaction(SIGINT, &action, nullptr);
    return Watch(arguments.file, std::move(*lines)).execute();
}

} // namespace peakscope
