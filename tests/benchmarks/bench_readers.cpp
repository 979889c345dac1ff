// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How long a large Chrome trace takes to open and how much memory that needs: bench_readers [MEGABYTES [FOLDER]]
// (default 1000; target: under 10 s and under 1.5 times the file's size for 1 GB). The trace is made here, as kineto
// writes one: operators with their allocations and frees.
#include "core/base/units.h"
#include "core/import/read_any.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include <sys/resource.h>

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t peakResident()
{
    struct rusage usage = {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

std::int64_t writeTrace(const std::filesystem::path& path, std::int64_t wanted)
{
    static const char* const kNames[] = {"aten::mm", "aten::addmm", "aten::softmax", "aten::native_layer_norm"};
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file)
        return -1;
    std::mt19937_64 random(7);
    std::vector<std::pair<std::uint64_t, std::int64_t>> live;
    std::string text = "{\"schemaVersion\":1,\"deviceProperties\":[],\"traceEvents\":[\n";
    std::int64_t written = 0, total = 0, events = 0;
    for (double ts = 1e12; written + static_cast<std::int64_t>(text.size()) < wanted; ts += 3.25) {
        const bool free = live.size() > 200 && random() % 2 == 0;
        std::uint64_t address = 139637976727552 + events * 512;
        std::int64_t bytes = static_cast<std::int64_t>(512 * (1 + random() % 4096));
        if (free) {
            std::swap(live[random() % live.size()], live.back());
            address = live.back().first;
            bytes = -live.back().second;
            live.pop_back();
        } else {
            live.emplace_back(address, bytes);
        }
        total += bytes;
        if (events % 4 == 0)
            text += fmt::format("{{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"{}\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},"
                                "\"dur\":9.5,\"args\":{{\"External id\":{},\"Ev Idx\":{}}}}},\n",
                                kNames[random() % 4], 1 + events % 3, ts, events, events);
        text += fmt::format("{{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,"
                            "\"tid\":{},\"ts\":{:.3f},\"args\":{{\"Total Reserved\":0,\"Total Allocated\":{},"
                            "\"Bytes\":{},\"Device Id\":-1,\"Device Type\":0,\"Addr\":{},\"Ev Idx\":{}}}}},\n",
                            1 + events % 3, ts + 1, total, bytes, address, events);
        ++events;
        if (text.size() > (1U << 20)) {
            std::fwrite(text.data(), 1, text.size(), file);
            written += static_cast<std::int64_t>(text.size());
            text.clear();
        }
    }
    text += "{\"ph\":\"M\",\"name\":\"end\",\"pid\":1,\"tid\":1,\"ts\":0,\"args\":{}}\n]}\n";
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    std::printf("%lld memory events written\n", static_cast<long long>(events));
    return written + static_cast<std::int64_t>(text.size());
}

} // namespace

int main(int argc, char** argv)
{
    using namespace peakscope;
    const std::int64_t wanted = (argc > 1 ? std::atoll(argv[1]) : 1000) * 1'000'000;
    const std::filesystem::path folder = argc > 2 ? argv[2] : std::filesystem::temp_directory_path().c_str();
    const std::filesystem::path path = folder / "bench_readers_trace.json";
    const std::int64_t size = writeTrace(path, wanted);
    if (size < 0) {
        std::fprintf(stderr, "bench_readers: %s can't be written\n", path.c_str());
        return 1;
    }
    const std::int64_t before = peakResident();
    const auto start = Clock::now();
    const auto results = readAny(path);
    const double seconds = secondsSince(start);
    std::filesystem::remove(path);
    if (!results) {
        std::fprintf(stderr, "bench_readers: %s\n", results.error().text().c_str());
        return 1;
    }
    const MemorySection& memory = *results->front().memory;
    std::printf("%s read in %.2f s (%.0f MB/s); peak resident memory %s, %.2f times the file (%s before)\n",
                formatBytes(size).c_str(), seconds, static_cast<double>(size) / 1e6 / seconds,
                formatBytes(peakResident()).c_str(), static_cast<double>(peakResident()) / static_cast<double>(size),
                formatBytes(before).c_str());
    std::printf("peak %s, %zu timeline events kept%s, %zu operators\n", formatBytes(memory.peakBytes).c_str(),
                memory.timeline.size(), memory.timeline.merged ? " (merged)" : "", memory.operators.size());
    return 0;
}
