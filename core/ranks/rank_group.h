// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that a launcher started to run one experiment together. A thread of its own passes the events of all
// ranks on to rank 0, which alone writes them out; it stops all ranks together, notices a rank that is gone, and sees
// to it that there is one end event and that nobody hangs. Used by the worker.
#pragma once

#include "core/base/result.h"
#include "core/protocol/event.h"
#include "core/ranks/communicator.h"
#include "core/ranks/launch_environment.h"
#include "core/ranks/mpi/mpi_module.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace peakscope {

class RankGroupParts;

class RankGroup
{
public:
    // Joins the others; waits until all have come. `events`: the descriptor that rank 0 writes to. `stop` is to make
    // the run of this process end soon; any thread calls it, more than once. `store`: what to join with instead of
    // MPI where the launcher is torchrun.
    static Result<std::unique_ptr<RankGroup>> join(const LaunchEnvironment& launch, int events,
                                                   std::function<void()> stop, const RankTransport* store = nullptr);
    ~RankGroup();

    Communicator& communicator();
    void setChunkBytes(std::int64_t bytes); // of collectives; small ones let tests pass many at little cost
    int rank() const;
    int size() const;
    const std::vector<std::string>& hosts() const; // by rank

    // Rank 0's text, on every rank. Throws RankFailure.
    std::string share(const std::string& text);
    // Any thread. Phases are noted for the sentence about a rank that dies in one.
    void send(const Event& event);
    // This rank was asked to stop the run, on all ranks; any thread.
    void requestStop();
    // The run here is to end with this, found by another thread than the run's.
    void failWith(const EndEvent& end);

    // The run of this rank is over. Waits for the others; rank 0 writes the one end event. Ends the process with the
    // exit status that goes with it, and without static destructors: threads may still wait for input.
    [[noreturn]] void end(const EndEvent& own);

private:
    RankGroup();
    std::unique_ptr<RankGroupParts> m_parts;
};

} // namespace peakscope
