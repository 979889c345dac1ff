// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/worker_process.h"

#include "core/base/child_process.h"
#include "core/base/secrets/secrets.h"
#include "core/base/dry_name.h"
#include "core/protocol/launcher.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <unistd.h>
#include <vector>

namespace peakscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{2};
constexpr int kPipeBytes = 1 << 20;
// A launcher that waits for a machine which is cut off would wait for ever; mpirun takes some eight seconds to end
// ranks of which one has died.
constexpr std::chrono::seconds kLaunchersPatience{15};
// One that has told a rank's death has ended the others (mpirun) or gives them six seconds for their last words (srun).
// mpirun 4.1 sometimes never leaves after it: it waits for a lock that nobody holds any more.
constexpr std::chrono::seconds kPatienceAfterDeath{8};

// Written to by the signal handler; read by the loop below.
int signalPipe[2] = {-1, -1};
volatile std::sig_atomic_t cancelSeen = 0;

void onSignal(int)
{
    cancelSeen = 1;
    const char byte = 1;
    [[maybe_unused]] const ssize_t written = ::write(signalPipe[1], &byte, 1);
}

void closeEnd(int& descriptor)
{
    if (descriptor >= 0)
        ::close(descriptor);
    descriptor = -1;
}

std::vector<std::string> workerCommand(const Experiment& experiment)
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const bool own = self.filename() == "peakscope-cli" || self.filename().string().starts_with("peakscope-engine");
    // The ranks of a dry run are started by its worker, one after another.
    return workerWords(experiment.launcher, !error && own ? self.string() : "peakscope-cli",
                       isDryDevice(experiment.device) ? 0 : experiment.ranks);
}

class Worker
{
public:
    Worker(const Experiment& experiment, const OnWorkerEvent& onEvent)
        : m_words(workerCommand(experiment)), m_input(experiment.document.dump() + "\n"), m_onEvent(onEvent)
    {
        if (m_words.size() > 2) // the program and "worker" come last
            m_end.launcher = commandWithoutSecrets(m_words).front();
        m_lastWords = LastWords(m_end.launcher);
    }

    ~Worker()
    {
        closeEnd(signalPipe[0]); // a sweep runs thousands of workers
        closeEnd(signalPipe[1]);
    }

    Result<WorkerEnd> run()
    {
        if (::pipe2(signalPipe, O_CLOEXEC | O_NONBLOCK) != 0)
            return failed("worker", std::string("cannot make a pipe: ") + std::strerror(errno));
        catchCancel();
        auto variables = ownEnvironment();
        for (const auto& [name, value] : workerVariables(m_words))
            variables[name] = value;
        auto process = ChildProcess::start({.words = m_words,
                                            .environment = environmentList(variables),
                                            .input = ChildStream::Pipe,
                                            .output = ChildStream::Pipe,
                                            .errors = ChildStream::Pipe,
                                            .ignoresTerminal = true});
        if (!process) {
            const std::string text = process.error().text();
            m_end.exitCode = 127;
            m_end.lastErrorLine =
                withoutSecretsOf(m_words, text + (text.ends_with(std::strerror(ENOENT)) ? packageOf(m_words[0]) : ""));
            return m_end;
        }
        m_process = std::move(*process);
        ::fcntl(m_process.input(), F_SETFL, O_NONBLOCK);
        ::fcntl(m_process.output(), F_SETPIPE_SZ, kPipeBytes); // the worker is not to wait for this side
        while (m_process.output() >= 0 || m_process.errors() >= 0)
            wait();
        return reap();
    }

private:
    void wait()
    {
        std::array<pollfd, 4> fds = {{{m_process.output(), POLLIN, 0},
                                      {m_process.errors(), POLLIN, 0},
                                      {signalPipe[0], POLLIN, 0},
                                      {m_input.empty() ? -1 : m_process.input(), POLLOUT, 0}}};
        const int ready = ::poll(fds.data(), fds.size(), 200);
        if (m_cancelled)
            pressOn(m_cancelTime + kPatience);
        else if (m_deathTime && ready == 0) // what the others had said is read first
            pressOn(*m_deathTime + kPatienceAfterDeath);
        else if (m_endTime)
            pressOn(*m_endTime + kLaunchersPatience);
        if (ready <= 0)
            return;
        if (fds[0].revents)
            readLines(m_outputRest, true);
        if (fds[1].revents)
            readLines(m_errorRest, false);
        if (fds[2].revents)
            cancel();
        if (fds[3].revents)
            feed();
    }

    void feed()
    {
        const ssize_t count = ::write(m_process.input(), m_input.data(), m_input.size());
        if (count > 0)
            m_input.erase(0, static_cast<std::size_t>(count));
        else if (count < 0 && errno != EAGAIN && errno != EINTR)
            m_input.clear(); // the worker is gone; its exit tells why
    }

    void cancel()
    {
        char bytes[16];
        while (::read(signalPipe[0], bytes, sizeof(bytes)) > 0) {
        }
        if (m_cancelled)
            return;
        m_cancelled = m_end.cancelled = true;
        m_cancelTime = Clock::now();
        m_input += "{\"cancel\":true}\n";
    }

    // Asked to leave first, then made to. What it had started may hold its output open longer than it lives.
    void pressOn(Clock::time_point until)
    {
        const auto over = Clock::now() - until;
        if (over > 2 * kPatience) {
            m_process.closeOutput();
            m_process.closeErrors();
        } else if (over > kPatience) {
            m_process.signal(SIGKILL);
        } else if (over > Clock::duration::zero()) {
            m_process.signal(SIGTERM);
        }
    }

    void readLines(std::string& rest, bool output)
    {
        std::array<char, 1 << 16> bytes;
        const ssize_t count = ::read(output ? m_process.output() : m_process.errors(), bytes.data(), bytes.size());
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        if (count <= 0) {
            if (!rest.empty())
                take(rest, output);
            rest.clear();
            output ? m_process.closeOutput() : m_process.closeErrors();
            return;
        }
        std::string_view text(bytes.data(), static_cast<std::size_t>(count));
        for (std::size_t feed = text.find('\n'); feed != std::string_view::npos; feed = text.find('\n')) {
            rest.append(text.substr(0, feed));
            take(rest, output);
            rest.clear();
            text.remove_prefix(feed + 1);
        }
        rest.append(text);
    }

    void take(const std::string& line, bool output)
    {
        if (!output) {
            m_lastWords.take(line);
            if (!m_deathTime && m_lastWords.death())
                m_deathTime = Clock::now();
            return;
        }
        const auto event = m_reader.read(line);
        if (!event)
            return;
        m_onEvent(*event, line);
        if (!m_endTime && std::holds_alternative<EndEvent>(*event))
            m_endTime = Clock::now();
    }

    WorkerEnd reap()
    {
        const ChildEnd end = m_process.wait();
        m_end.started = true;
        m_end.exitCode = end.exitCode;
        m_end.signal = end.signal;
        m_end.death = m_lastWords.death();
        m_end.lastErrorLine = withoutSecretsOf(m_words, m_lastWords.line());
        return m_end;
    }

    std::vector<std::string> m_words;
    std::string m_input;
    const OnWorkerEvent& m_onEvent;
    EventReader m_reader;
    ChildProcess m_process;
    bool m_cancelled = false;
    Clock::time_point m_cancelTime;
    std::optional<Clock::time_point> m_endTime;   // of the worker's last word
    std::optional<Clock::time_point> m_deathTime; // when the launcher told of a rank's
    std::string m_outputRest, m_errorRest;
    LastWords m_lastWords;
    WorkerEnd m_end;
};

} // namespace

void catchCancel()
{
    struct sigaction action = {};
    action.sa_handler = onSignal;
    for (const int number : endingSignals())
        ::sigaction(number, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
}

bool cancelRequested()
{
    return cancelSeen != 0;
}

WorkerFate WorkerEnd::fate() const
{
    return fateOf({.exitCode = exitCode, .signal = signal, .cancelled = cancelled, .began = started}, launcher);
}

EndFate WorkerEnd::endFate() const
{
    return {fate(), launcher, "peakscope-cli", lastErrorLine};
}

bool WorkerEnd::launcherFailed() const
{
    const WorkerFate uncancelled = fateOf({.exitCode = exitCode, .signal = signal, .began = started}, launcher);
    return !launcher.empty() && (!started || uncancelled.kind == WorkerFate::Kind::NoConnection ||
                                 uncancelled.kind == WorkerFate::Kind::NoProgram);
}

std::string WorkerEnd::sentence() const
{
    if (death && !cancelled)
        return deathSentence(*death, {});
    return endFate().sentence();
}

Result<WorkerEnd> runWorker(const Experiment& experiment, const OnWorkerEvent& onEvent)
{
    if (Status complete = checkLauncher(experiment.launcher); !complete)
        return complete.error();
    return Worker(experiment, onEvent).run();
}

} // namespace peakscope
