// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/store/store_transport.h"

#include "core/ranks/launch_environment.h"
#include "core/ranks/rank_control.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>
#include <vector>

namespace peakscope {

// A collective under way, or a message that has not been taken.
struct TransportRequest {
    enum class Kind { Over, Message, AllReduce, ReduceScatter, AllGather, Broadcast };
    Kind kind = Kind::Over;
    std::int64_t sequence = 0;
    const std::byte* in = nullptr;
    std::byte* out = nullptr;
    std::size_t count = 0; // of numbers, or bytes
    TransportNumber number = TransportNumber::Int64;
    int root = 0;
    std::string letter = {}; // the key of a message
    bool failed = false;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point nextLook = begun;
};

namespace {

using StoreClock = std::chrono::steady_clock;
using StoreBytes = std::vector<std::uint8_t>;
using StorePointer = c10::intrusive_ptr<c10d::Store>;

constexpr auto kLongestPause = std::chrono::milliseconds(1); // every look is one that the store has to answer
constexpr auto kLeavingTime = std::chrono::milliseconds(4500);
constexpr std::int64_t kKept = 4; // collectives whose keys are there: who begins one has seen the last but one end

std::string variableOr(const char* name, const char* otherwise)
{
    const char* value = std::getenv(name);
    return value ? value : otherwise;
}

std::string hostName()
{
    char name[256] = "";
    ::gethostname(name, sizeof(name) - 1);
    return name;
}

StoreBytes bytesAt(const void* data, std::size_t bytes)
{
    StoreBytes copy(bytes);
    if (bytes > 0)
        std::memcpy(copy.data(), data, bytes);
    return copy;
}

bool answers(const addrinfo& address, StoreClock::time_point deadline)
{
    const int connection = ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return false;
    bool open = ::connect(connection, address.ai_addr, address.ai_addrlen) == 0;
    if (!open && errno == EINPROGRESS) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - StoreClock::now()).count();
        pollfd ready{connection, POLLOUT, 0};
        int error = 0;
        socklen_t bytes = sizeof(error);
        open = ::poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 5000))) == 1 &&
               ::getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0;
    }
    ::close(connection);
    return open;
}

// The store's own client gives up late, and tells of every try with a stack.
bool reached(const std::string& host, const std::string& port, StoreClock::time_point deadline)
{
    do {
        addrinfo wanted = {};
        wanted.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        bool open = false;
        if (::getaddrinfo(host.c_str(), port.c_str(), &wanted, &found) == 0) {
            for (const addrinfo* one = found; one && !open; one = one->ai_next)
                open = answers(*one, deadline);
            ::freeaddrinfo(found);
        }
        if (open)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    } while (StoreClock::now() < deadline);
    return false;
}

std::size_t bytesOfNumber(TransportNumber number)
{
    return number == TransportNumber::Float32 ? 4 : 8;
}

template <typename Number>
void addNumbers(std::byte* sums, const void* terms, std::size_t count)
{
    auto* to = reinterpret_cast<Number*>(sums);
    const auto* from = static_cast<const Number*>(terms);
    for (std::size_t i = 0; i < count; ++i)
        to[i] += from[i];
}

void addTo(std::byte* sums, const void* terms, std::size_t count, TransportNumber number)
{
    switch (number) {
    case TransportNumber::Float32:
        return addNumbers<float>(sums, terms, count);
    case TransportNumber::Float64:
        return addNumbers<double>(sums, terms, count);
    case TransportNumber::Int64:
        return addNumbers<std::int64_t>(sums, terms, count);
    }
}

// One process's part in the store. A connection each for collectives, which are large, and for messages.
class StoreRanks
{
public:
    bool join(std::string& problem)
    {
        const LaunchEnvironment launch = launchEnvironment([](const char* name) { return std::getenv(name); });
        rank = launch.rank;
        size = launch.size;
        m_hosts = rank == 0 && variableOr("TORCHELASTIC_USE_AGENT_STORE", "") != "True";
        m_seconds = secondsOf("PEAKSCOPE_JOIN_TIMEOUT", 300);
        const auto deadline =
            StoreClock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(m_seconds * 1000));
        const std::string host = variableOr("MASTER_ADDR", ""), port = variableOr("MASTER_PORT", "");
        const std::string place = host + ":" + port;
        try {
            if (!m_hosts && !reached(host, port, deadline))
                throw std::runtime_error(place);
            connect(host, std::atoi(port.c_str()));
        } catch (const std::exception&) {
            problem = m_hosts
                          ? "the store of the ranks cannot be opened at " + place + ", of MASTER_ADDR and MASTER_PORT"
                          : "the store of the ranks at " + place + " could not be reached within " + seconds() +
                                "; see MASTER_ADDR and MASTER_PORT";
            return false;
        }
        try {
            return meet(deadline, problem);
        } catch (const std::exception&) {
            problem = "the store of the ranks at " + place + " is gone";
        }
        return false;
    }

    TransportRequest* begin(TransportRequest wanted)
    {
        auto* request = new TransportRequest(wanted);
        request->sequence = m_sequence++;
        guarded(*request, [&] { publish(*request); });
        return request;
    }

    TransportTest test(TransportRequest* request)
    {
        bool over = request->kind == TransportRequest::Kind::Over;
        if (!over && !request->failed) {
            const bool message = request->kind == TransportRequest::Kind::Message;
            guarded(*request, [&] { over = message ? taken(*request) : finish(*request); });
        }
        if (!request->failed && !over)
            return TransportTest::Waiting;
        const TransportTest end = request->failed ? TransportTest::Failed : TransportTest::Over;
        delete request;
        return end;
    }

    // The message first and the bell after it: a sender that dies between the two holds up nobody. It is over when it
    // has been taken, for who hosts the store may leave once its last words are over.
    TransportRequest* send(const void* data, std::size_t bytes, int to, int tag)
    {
        auto* request = new TransportRequest;
        request->kind = TransportRequest::Kind::Message;
        const std::lock_guard lock(m_mailMutex);
        guarded(*request, [&] {
            StoreBytes letter(sizeof(tag) + bytes);
            std::memcpy(letter.data(), &tag, sizeof(tag));
            if (bytes > 0)
                std::memcpy(letter.data() + sizeof(tag), data, bytes);
            request->letter = letterKey(to, rank, m_sent[static_cast<std::size_t>(to)]++);
            m_mail->set(request->letter, letter);
            m_mail->add(bellKey(to), 1);
        });
        return request;
    }

    bool take(TransportMessage& message)
    {
        const std::lock_guard lock(m_mailMutex);
        if (m_lost)
            return false;
        try {
            if (m_rung == m_taken)
                m_rung = m_mail->add(bellKey(rank), 0);
            for (int from = 0; from < size && m_taken < m_rung; ++from) {
                const std::string key = letterKey(rank, from, m_received[static_cast<std::size_t>(from)]);
                if (from == rank || !m_mail->check({key}))
                    continue;
                auto letter = std::make_unique<StoreBytes>(m_mail->get(key));
                m_mail->deleteKey(key);
                ++m_received[static_cast<std::size_t>(from)];
                ++m_taken;
                message.from = from;
                std::memcpy(&message.tag, letter->data(), sizeof(message.tag));
                message.bytes = static_cast<int>(letter->size() - sizeof(message.tag));
                message.handle = letter.release();
                return true;
            }
        } catch (const std::exception&) { // who waits for a collective hears of it
            m_lost = true;
        }
        return false;
    }

    // The store goes with the process that hosts it.
    void leave()
    {
        const std::lock_guard lock(m_mailMutex);
        try {
            const auto until = StoreClock::now() + kLeavingTime;
            m_mail->add("left", 1);
            while (m_hosts && m_mail->add("left", 0) < size && StoreClock::now() < until)
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
        } catch (const std::exception&) {
        }
    }

    int rank = 0, size = 1, localSize = 1;

private:
    std::string seconds() const { return std::to_string(static_cast<long>(m_seconds)) + " s"; }

    void connect(const std::string& host, int port)
    {
        c10d::TCPStoreOptions options;
        options.port = static_cast<std::uint16_t>(port);
        options.isServer = m_hosts;
        options.waitWorkers = false;
        options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(m_seconds * 1000));
        const auto store = c10::make_intrusive<c10d::TCPStore>(host, options);
        // The agent's store stays over restarts, and over several commands of one process that it started.
        const std::string launch = "peakscope/" + variableOr("TORCHELASTIC_RUN_ID", "") + "/" +
                                   variableOr("TORCHELASTIC_RESTART_COUNT", "0") + "/";
        const auto group = store->add(launch + "joined/" + std::to_string(rank), 1);
        const std::string prefix = launch + std::to_string(group);
        m_numbers = c10::make_intrusive<c10d::PrefixStore>(prefix, store);
        options.isServer = false; // a connection of its own: a thread that waits for numbers holds up no message
        m_mail = c10::make_intrusive<c10d::PrefixStore>(prefix, c10::make_intrusive<c10d::TCPStore>(host, options));
    }

    bool meet(StoreClock::time_point deadline, std::string& problem)
    {
        const std::string own = hostName();
        m_numbers->set("here/" + std::to_string(rank), bytesAt(own.data(), own.size()));
        localSize = 0;
        for (int other = 0; other < size; ++other) {
            const std::string key = "here/" + std::to_string(other);
            while (!m_numbers->check({key})) {
                if (StoreClock::now() > deadline) {
                    problem = "rank " + std::to_string(other) + " did not join within " + seconds() +
                              "; see that peakscope-cli starts on each of the machines";
                    return false;
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            const StoreBytes host = m_numbers->get(key);
            localSize += std::string(host.begin(), host.end()) == own ? 1 : 0;
        }
        m_sent.resize(static_cast<std::size_t>(size));
        m_received.resize(static_cast<std::size_t>(size));
        return true;
    }

    // A store that is gone is asked no more: each answer takes as long as the name of its machine is looked for.
    template <typename Call>
    void guarded(TransportRequest& request, Call call)
    {
        request.failed = m_lost;
        try {
            if (!m_lost)
                call();
        } catch (const std::length_error&) {
            request.failed = true;
        } catch (const std::exception&) {
            request.failed = m_lost = true;
        }
    }

    static std::string numbersKey(std::int64_t sequence, int from, int to)
    {
        const std::string key = "c/" + std::to_string(sequence) + "/" + std::to_string(from);
        return to < 0 ? key : key + "/" + std::to_string(to);
    }
    static std::string letterKey(int to, int from, std::int64_t number)
    {
        return "m/" + std::to_string(to) + "/" + std::to_string(from) + "/" + std::to_string(number);
    }
    static std::string bellKey(int to) { return "m/" + std::to_string(to); }

    void publish(TransportRequest& request)
    {
        const std::lock_guard lock(m_numbersMutex);
        std::vector<std::string> set;
        const auto put = [&](int to, const std::byte* data, std::size_t bytes) {
            set.push_back(numbersKey(request.sequence, rank, to));
            m_numbers->set(set.back(), bytesAt(data, bytes));
        };
        switch (request.kind) {
        case TransportRequest::Kind::Over:
        case TransportRequest::Kind::Message:
            break;
        case TransportRequest::Kind::AllReduce:
            put(-1, request.in, request.count * bytesOfNumber(request.number));
            break;
        case TransportRequest::Kind::ReduceScatter: {
            const std::size_t block = request.count * bytesOfNumber(request.number);
            for (int to = 0; to < size; ++to) {
                if (to != rank)
                    put(to, request.in + static_cast<std::size_t>(to) * block, block);
            }
            break;
        }
        case TransportRequest::Kind::AllGather:
            put(-1, request.in, request.count);
            break;
        case TransportRequest::Kind::Broadcast: // all say that they are there, so that no root runs ahead
            put(-1, request.out, rank == request.root ? request.count : 0);
            break;
        }
        m_published.push_back(std::move(set));
        if (request.sequence < kKept)
            return;
        for (const std::string& key : m_published.front())
            m_numbers->deleteKey(key);
        m_published.erase(m_published.begin());
    }

    bool taken(const TransportRequest& request)
    {
        const std::lock_guard lock(m_mailMutex);
        return !m_mail->check({request.letter});
    }

    // Whether all have published theirs; if so, the outcome is there.
    bool finish(TransportRequest& request)
    {
        const auto now = StoreClock::now();
        if (now < request.nextLook)
            return false;
        const std::lock_guard lock(m_numbersMutex);
        const int to = request.kind == TransportRequest::Kind::ReduceScatter ? rank : -1;
        std::vector<std::string> keys;
        for (int from = 0; from < size; ++from) {
            if (from != rank)
                keys.push_back(numbersKey(request.sequence, from, to));
        }
        if (!keys.empty() && !m_numbers->check(keys)) {
            request.nextLook = now + std::min<StoreClock::duration>((now - request.begun) / 4, kLongestPause);
            return false;
        }
        combine(request, to);
        return true;
    }

    // In the order of ranks, so that a sum is bit for bit the same on all of them.
    void combine(TransportRequest& request, int to)
    {
        const bool sums = request.kind == TransportRequest::Kind::AllReduce || to >= 0;
        const std::size_t bytes = request.count * (sums ? bytesOfNumber(request.number) : 1);
        const std::byte* own = request.in + (to >= 0 ? static_cast<std::size_t>(rank) * bytes : 0);
        if (request.kind == TransportRequest::Kind::Broadcast) {
            if (rank != request.root)
                copyWhole(request.out, m_numbers->get(numbersKey(request.sequence, request.root, -1)), bytes);
            return;
        }
        for (int from = 0; from < size; ++from) {
            const StoreBytes theirs =
                from == rank ? bytesAt(own, bytes) : m_numbers->get(numbersKey(request.sequence, from, to));
            if (!sums)
                copyWhole(request.out + static_cast<std::size_t>(from) * bytes, theirs, bytes);
            else if (from == 0 || theirs.size() != bytes)
                copyWhole(request.out, theirs, bytes);
            else
                addTo(request.out, theirs.data(), request.count, request.number);
        }
    }

    static void copyWhole(std::byte* out, const StoreBytes& from, std::size_t bytes)
    {
        if (from.size() != bytes)
            throw std::length_error("another collective's");
        if (bytes > 0)
            std::memcpy(out, from.data(), bytes);
    }

    bool m_hosts = false; // the store is this process's own
    std::atomic<bool> m_lost{false};
    double m_seconds = 0;
    StorePointer m_numbers, m_mail;
    std::mutex m_numbersMutex, m_mailMutex;
    std::int64_t m_sequence = 0;
    std::vector<std::vector<std::string>> m_published; // keys of the last collectives
    std::vector<std::int64_t> m_sent, m_received;      // by rank
    std::int64_t m_rung = 0, m_taken = 0;
};

StoreRanks& storeRanks()
{
    static auto* const ranks = new StoreRanks; // used until the process is gone
    return *ranks;
}

bool joinStore(int* rank, int* size, int* localSize, char* problem, std::size_t problemBytes)
{
    std::string sentence;
    const bool joined = storeRanks().join(sentence);
    std::snprintf(problem, problemBytes, "%s", sentence.c_str());
    *rank = storeRanks().rank;
    *size = storeRanks().size;
    *localSize = storeRanks().localSize;
    return joined;
}

TransportRequest collectiveOf(TransportRequest::Kind kind, const void* in, void* out, int count)
{
    TransportRequest request;
    request.kind = kind;
    request.in = static_cast<const std::byte*>(in);
    request.out = static_cast<std::byte*>(out);
    request.count = static_cast<std::size_t>(count);
    return request;
}

TransportRequest* startStoreAllReduce(const void* in, void* out, int count, TransportNumber number)
{
    TransportRequest request = collectiveOf(TransportRequest::Kind::AllReduce, in, out, count);
    request.number = number;
    return storeRanks().begin(request);
}

TransportRequest* startStoreReduceScatter(const void* in, void* out, int count, TransportNumber number)
{
    TransportRequest request = collectiveOf(TransportRequest::Kind::ReduceScatter, in, out, count);
    request.number = number;
    return storeRanks().begin(request);
}

TransportRequest* startStoreAllGather(const void* in, void* out, int bytes)
{
    return storeRanks().begin(collectiveOf(TransportRequest::Kind::AllGather, in, out, bytes));
}

TransportRequest* startStoreBroadcast(void* data, int bytes, int root)
{
    TransportRequest request = collectiveOf(TransportRequest::Kind::Broadcast, nullptr, data, bytes);
    request.root = root;
    return storeRanks().begin(request);
}

TransportRequest* startStoreSend(const void* data, int bytes, int to, int tag)
{
    return storeRanks().send(data, static_cast<std::size_t>(bytes), to, tag);
}

bool takeStoreMessage(TransportMessage* message)
{
    return storeRanks().take(*message);
}

TransportRequest* startStoreReceive(TransportMessage* message, void* data)
{
    const std::unique_ptr<StoreBytes> letter(static_cast<StoreBytes*>(message->handle));
    message->handle = nullptr;
    if (message->bytes > 0)
        std::memcpy(data, letter->data() + sizeof(message->tag), static_cast<std::size_t>(message->bytes));
    return new TransportRequest;
}

TransportTest testStore(TransportRequest* request)
{
    return storeRanks().test(request);
}

void leaveStore()
{
    storeRanks().leave();
}

} // namespace

const RankTransport& storeTransport()
{
    static constexpr RankTransport module{
        kMpiModuleVersion,   joinStore,           startStoreAllReduce, startStoreReduceScatter,
        startStoreAllGather, startStoreBroadcast, startStoreSend,      takeStoreMessage,
        startStoreReceive,   testStore,           leaveStore,
    };
    return module;
}

} // namespace peakscope
