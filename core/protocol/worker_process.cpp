// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/worker_process.h"

#include "core/base/secrets/secrets.h"
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
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace peakscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{2};
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

struct Pipe {
    int read = -1;
    int write = -1;
    bool open()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return false;
        read = ends[0];
        write = ends[1];
        return true;
    }
};

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
    const bool own = self.filename() == "peakscope-cli" || self.filename() == "peakscope-engine";
    return workerWords(experiment.launcher, !error && own ? self.string() : "peakscope-cli", experiment.ranks);
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
        closeEnd(m_stdin.write);
        closeEnd(m_stdout.read);
        closeEnd(m_stderr.read);
        closeEnd(signalPipe[0]); // a sweep runs thousands of workers
        closeEnd(signalPipe[1]);
    }

    Result<WorkerEnd> run()
    {
        if (!m_stdin.open() || !m_stdout.open() || !m_stderr.open() || ::pipe2(signalPipe, O_CLOEXEC | O_NONBLOCK) != 0)
            return failed("worker", std::string("cannot make a pipe: ") + std::strerror(errno));
        catchCancel();
        m_pid = ::fork();
        if (m_pid < 0)
            return failed("worker", std::string("cannot start a process: ") + std::strerror(errno));
        if (m_pid == 0)
            become();
        closeEnd(m_stdin.read);
        closeEnd(m_stdout.write);
        closeEnd(m_stderr.write);
        ::fcntl(m_stdin.write, F_SETFL, O_NONBLOCK);
        while (m_stdout.read >= 0 || m_stderr.read >= 0)
            wait();
        return reap();
    }

private:
    [[noreturn]] void become()
    {
        ::dup2(m_stdin.read, 0);
        ::dup2(m_stdout.write, 1);
        ::dup2(m_stderr.write, 2);
        // A Ctrl+C in the terminal reaches the whole group: the worker is to hear of it from us only.
        ::signal(SIGINT, SIG_IGN);
        ::signal(SIGPIPE, SIG_DFL);
        std::vector<char*> words;
        for (std::string& word : m_words)
            words.push_back(word.data());
        words.push_back(nullptr);
        for (const auto& [name, value] : workerVariables(m_words))
            ::setenv(name.c_str(), value.c_str(), 1);
        ::execvp(words[0], words.data());
        const std::string package = errno == ENOENT ? packageOf(m_words[0]) : "";
        const std::string text = m_words[0] + ": " + std::strerror(errno) + package + "\n";
        [[maybe_unused]] const ssize_t written = ::write(m_stderr.write, text.data(), text.size());
        ::_exit(127);
    }

    void wait()
    {
        std::array<pollfd, 4> fds = {{{m_stdout.read, POLLIN, 0},
                                      {m_stderr.read, POLLIN, 0},
                                      {signalPipe[0], POLLIN, 0},
                                      {m_input.empty() ? -1 : m_stdin.write, POLLOUT, 0}}};
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
            readLines(m_stdout.read, m_outputRest, true);
        if (fds[1].revents)
            readLines(m_stderr.read, m_errorRest, false);
        if (fds[2].revents)
            cancel();
        if (fds[3].revents)
            feed();
    }

    void feed()
    {
        const ssize_t count = ::write(m_stdin.write, m_input.data(), m_input.size());
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
            closeEnd(m_stdout.read);
            closeEnd(m_stderr.read);
        } else if (over > kPatience) {
            ::kill(m_pid, SIGKILL);
        } else if (over > Clock::duration::zero()) {
            ::kill(m_pid, SIGTERM);
        }
    }

    void readLines(int& descriptor, std::string& rest, bool output)
    {
        std::array<char, 1 << 16> bytes;
        const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        if (count <= 0) {
            if (!rest.empty())
                take(rest, output);
            rest.clear();
            closeEnd(descriptor);
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
        int status = 0;
        while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
        }
        m_end.started = !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
        if (WIFEXITED(status))
            m_end.exitCode = WEXITSTATUS(status);
        if (WIFSIGNALED(status))
            m_end.signal = WTERMSIG(status);
        m_end.death = m_lastWords.death();
        m_end.lastErrorLine = withoutSecretsOf(m_words, m_lastWords.line());
        return m_end;
    }

    std::vector<std::string> m_words;
    std::string m_input;
    const OnWorkerEvent& m_onEvent;
    EventReader m_reader;
    Pipe m_stdin, m_stdout, m_stderr;
    pid_t m_pid = -1;
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
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
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
    return !launcher.empty() && (!started || uncancelled.kind == WorkerFate::Kind::NoConnection);
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
