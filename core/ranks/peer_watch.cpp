// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/peer_watch.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace peakscope {
namespace {

int openProcess(std::int64_t process)
{
#ifdef SYS_pidfd_open
    return static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
#else
    errno = ENOSYS;
    return -1;
#endif
}

} // namespace

PeerIdentity ownIdentity()
{
    PeerIdentity own;
    ::gethostname(own.host, sizeof(own.host) - 1);
    own.process = ::getpid();
    struct stat status = {};
    if (::stat("/proc/self/ns/pid", &status) == 0)
        own.processSpace = status.st_ino;
    if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
        if (!std::fgets(own.boot, sizeof(own.boot), file))
            own.boot[0] = '\0';
        std::fclose(file);
    }
    return own;
}

PeerWatch::~PeerWatch()
{
    for (const Watched& one : m_watched) {
        if (one.descriptor >= 0)
            ::close(one.descriptor);
    }
}

void PeerWatch::watch(const std::vector<PeerIdentity>& peers, int own)
{
    const PeerIdentity& self = peers[static_cast<std::size_t>(own)];
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const bool here = self.boot[0] != '\0' && std::strncmp(peers[i].boot, self.boot, sizeof(self.boot)) == 0 &&
                          self.processSpace != 0 && peers[i].processSpace == self.processSpace;
        if (static_cast<int>(i) == own || !here)
            continue;
        const int descriptor = openProcess(peers[i].process);
        if (descriptor >= 0 || errno == ESRCH)
            m_watched.push_back({static_cast<int>(i), descriptor});
    }
}

std::vector<int> PeerWatch::gone()
{
    std::vector<int> ranks;
    std::vector<Watched> left;
    std::vector<pollfd> polled;
    for (const Watched& one : m_watched)
        polled.push_back({one.descriptor, POLLIN, 0}); // a negative descriptor is skipped
    const bool told = !polled.empty() && ::poll(polled.data(), polled.size(), 0) > 0;
    for (std::size_t i = 0; i < m_watched.size(); ++i) {
        const Watched& one = m_watched[i];
        if (one.descriptor >= 0 && !(told && polled[i].revents != 0)) {
            left.push_back(one);
            continue;
        }
        if (one.descriptor >= 0)
            ::close(one.descriptor);
        ranks.push_back(one.rank);
    }
    m_watched = left;
    return ranks;
}

} // namespace peakscope
