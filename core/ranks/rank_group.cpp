// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/rank_group.h"

#include "core/ranks/rank_communicator.h"
#include "core/ranks/rank_control.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace peakscope {
namespace {

volatile std::sig_atomic_t leavingStatus = 0;

// MPI is left together; should one be gone by then, nobody waits for it.
void onAlarm(int)
{
    ::_exit(leavingStatus);
}

constexpr unsigned kLeavingSeconds = 5;

// The pipe behind mpirun's own standard output, where mpirun itself started this process and writes to one. Once a rank
// has died, mpirun sleeps before it ends the others and passes nothing on meanwhile; what they say then is to arrive.
// -1: there is none.
int launchersOutput()
{
    const std::string launcher = "/proc/" + std::to_string(::getppid());
    std::error_code error;
    const std::string program = std::filesystem::read_symlink(launcher + "/exe", error).filename().string();
    if (error || (program != "orterun" && program != "mpirun" && program != "mpiexec"))
        return -1;
    struct stat status = {};
    const std::string output = launcher + "/fd/1";
    if (::stat(output.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode))
        return -1;
    return ::open(output.c_str(), O_WRONLY | O_CLOEXEC);
}

// MPI waits for ever for a rank that never comes: its program is not on its machine, or has left before it joined. The
// store tells more about it when that time is over, and is given a second for that.
class JoinWatch
{
public:
    JoinWatch(int rank, int events, bool store)
        : m_thread([this, rank, events, grace = std::chrono::seconds(store ? 1 : 0)] {
              std::unique_lock lock(m_mutex);
              if (!m_joined.wait_for(lock, m_patience + grace, [this] { return m_over; }))
                  giveUp(rank, events);
          })
    {}
    ~JoinWatch()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_over = true;
        }
        m_joined.notify_all();
        m_thread.join();
    }

private:
    [[noreturn]] void giveUp(int rank, int events) const
    {
        const std::string sentence = "ranks: the other processes did not join this one within " +
                                     std::to_string(static_cast<long>(m_patience.count())) +
                                     " s; see that peakscope-cli starts on each of the machines";
        const std::string line = toLine(EndEvent{RunStatus::Failed, sentence, {}, false}) + "\n";
        if (rank == 0) [[maybe_unused]]
            const ssize_t written = ::write(events, line.data(), line.size());
        std::_Exit(1);
    }

    const std::chrono::duration<double> m_patience{secondsOf("PEAKSCOPE_JOIN_TIMEOUT", 300)};
    std::mutex m_mutex;
    std::condition_variable m_joined;
    bool m_over = false;
    std::thread m_thread;
};

} // namespace

// The order matters: the control thread is the first to go.
class RankGroupParts
{
public:
    const RankTransport* module = nullptr;
    std::unique_ptr<RankControl> control;
    std::unique_ptr<RankCommunicator> communicator;
};

RankGroup::RankGroup() : m_parts(std::make_unique<RankGroupParts>()) {}
RankGroup::~RankGroup() = default;

Result<std::unique_ptr<RankGroup>> RankGroup::join(const LaunchEnvironment& launch, int events,
                                                   std::function<void()> stop, const RankTransport* store)
{
    if (!launch.problem.empty())
        return badInput("ranks", launch.problem);
    const Result<const RankTransport*> module = launch.store && store ? store : mpiModule();
    if (!module)
        return module.error();
    RankCommunicator::Place place;
    const JoinWatch watch(launch.rank, events, launch.store);
    std::array<char, 512> problem = {};
    if (!(*module)->join(&place.rank, &place.size, &place.localSize, problem.data(), problem.size()))
        return failed("ranks", problem.data());
    if (launch.size > 0 && launch.size != place.size) {
        return badInput("ranks", "the launcher started " + std::to_string(launch.size) + " processes, but MPI joined " +
                                     std::to_string(place.size) +
                                     " of them: start them with Open MPI's mpirun or with srun --mpi=pmix");
    }
    std::unique_ptr<RankGroup> group(new RankGroup);
    RankGroupParts& parts = *group->m_parts;
    parts.module = *module;
    parts.communicator = std::make_unique<RankCommunicator>(**module, place, [&parts] {
        if (parts.control)
            parts.control->check();
    });
    const int direct = place.rank == 0 && place.size > 1 ? launchersOutput() : -1;
    std::vector<PeerIdentity> peers(static_cast<std::size_t>(place.size));
    const PeerIdentity own = ownIdentity();
    parts.communicator->allGather(&own, peers.data(), sizeof(PeerIdentity));
    parts.communicator->forgetTotals();
    parts.control = std::make_unique<RankControl>(**module, RankControl::Place{place.rank, std::move(peers)},
                                                  direct >= 0 ? direct : events, std::move(stop));
    return group;
}

Communicator& RankGroup::communicator()
{
    return *m_parts->communicator;
}

void RankGroup::setChunkBytes(std::int64_t bytes)
{
    m_parts->communicator->setChunkBytes(bytes);
}

int RankGroup::rank() const
{
    return m_parts->control->rank();
}

int RankGroup::size() const
{
    return m_parts->control->size();
}

const std::vector<std::string>& RankGroup::hosts() const
{
    return m_parts->control->hosts();
}

std::string RankGroup::share(const std::string& text)
{
    std::string shared = text;
    auto size = static_cast<std::int64_t>(text.size());
    communicator().broadcast(&size, sizeof(size), 0);
    shared.resize(static_cast<std::size_t>(size));
    communicator().broadcast(shared.data(), size, 0);
    m_parts->communicator->forgetTotals(); // those are the run's
    return shared;
}

void RankGroup::send(const Event& event)
{
    const auto* start = std::get_if<StartEvent>(&event);
    if (!start || size() == 1) {
        m_parts->control->send(event);
        return;
    }
    StartEvent placed = *start;
    placed.environment["rank"] = rank();
    placed.environment["ranks"] = size();
    placed.environment["hosts"] = hosts();
    m_parts->control->send(placed);
}

void RankGroup::requestStop()
{
    m_parts->control->requestStop();
}

void RankGroup::failWith(const EndEvent& end)
{
    m_parts->control->failWith(end);
}

void RankGroup::end(const EndEvent& own)
{
    leavingStatus = m_parts->control->waitForAll(own);
    struct sigaction action = {};
    action.sa_handler = onAlarm;
    ::sigaction(SIGALRM, &action, nullptr);
    ::alarm(kLeavingSeconds);
    m_parts->module->leave();
    std::_Exit(leavingStatus);
}

} // namespace peakscope
