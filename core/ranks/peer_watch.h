// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Watches processes of this machine: the kernel tells at once when one is gone, however it went. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace peakscope {

// Who a process is, for another one to decide whether it can watch it. Plain memory: ranks exchange it.
struct PeerIdentity {
    char host[128] = "";
    std::int64_t process = 0;
    std::uint64_t processSpace = 0; // the same number means another thing in another container
    char boot[40] = "";             // of this start of the machine
};

PeerIdentity ownIdentity();

class PeerWatch
{
public:
    PeerWatch() = default;
    ~PeerWatch();
    PeerWatch(const PeerWatch&) = delete;
    PeerWatch& operator=(const PeerWatch&) = delete;

    // Begins to watch those that can be watched from here; `peers` in rank order, `own` is not watched.
    void watch(const std::vector<PeerIdentity>& peers, int own);
    // Ranks that are gone and have not been told of before.
    std::vector<int> gone();

private:
    struct Watched {
        int rank = 0;
        int descriptor = -1; // -1: gone before it could be watched
    };
    std::vector<Watched> m_watched;
};

} // namespace peakscope
