// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA memory snapshots of many events: what the commands and the window take, processor seconds and memory of whole
// processes, beside the bars and beside the usual tools on the same file; the first curve in the window, of how much of
// the file it is, and the whole; eight ranks; and a click among 150,000 live blocks. The files are made here: training
// steps of 1,100 events over 64 stacks, written as PyTorch's pickler writes them. bench_snapshots [--python PYTHON]
// [EVENTS…] (211515 1056555); PYTHON has torch, and facebookresearch/mosaic or not.
#include "core/snapshots/holder_shapes.h"
#include "core/snapshots/segment_map.h"
#include "core/snapshots/snapshot_holders.h"

#include <fmt/format.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

using namespace peakscope;
namespace fs = std::filesystem;

namespace {

// A pickle of protocol 2 with a memory, so that keys and stacks are written once.
class Pickler
{
public:
    explicit Pickler(std::FILE* file) : m_file(file) { put("\x80\x02"); }

    void op(char code) { std::fputc(code, m_file); }
    void text(const std::string& value)
    {
        op('X');
        number(value.size(), 4);
        put(value);
    }
    void integer(std::uint64_t value)
    {
        put("\x8a\x08");
        number(value, 8);
    }
    std::uint32_t remember()
    {
        op('r');
        number(m_next, 4);
        return m_next++;
    }
    void recall(std::uint32_t place)
    {
        op('j');
        number(place, 4);
    }

private:
    void put(std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), m_file); }
    void number(std::uint64_t value, int bytes)
    {
        for (int i = 0; i < bytes; ++i)
            op(static_cast<char>(value >> (8 * i)));
    }

    std::FILE* m_file;
    std::uint32_t m_next = 0;
};

class SnapshotWriter
{
public:
    explicit SnapshotWriter(std::FILE* file) : m_pickler(file) {}

    // `kept`: blocks that stay alive from the start.
    void write(std::int64_t events, std::int64_t kept)
    {
        m_pickler.op('}');
        m_pickler.op('(');
        m_pickler.text("segments");
        m_pickler.op(']');
        m_pickler.text("device_traces");
        m_pickler.op(']');
        m_pickler.op('(');
        m_pickler.op(']');
        m_pickler.op('(');
        const std::uint64_t reserved = std::uint64_t{1} << 42;
        event("segment_alloc", kBase, reserved, 0);
        for (std::int64_t i = 0; i < kept && m_count < events; ++i)
            event("alloc", next(), kSize, static_cast<std::size_t>(i) % kStacks);
        while (m_count + 3 * kLive < events)
            step();
        while (m_count < events)
            event("alloc", next(), kSize, 0);
        m_pickler.op('e');
        m_pickler.op('e');
        m_pickler.text("external_annotations");
        m_pickler.op(']');
        m_pickler.op('(');
        for (const std::int64_t end : m_stepEnds)
            mark(end);
        m_pickler.op('e');
        m_pickler.op('u');
        m_pickler.op('.');
    }

private:
    static constexpr std::uint64_t kBase = 0x7f0000000000, kSize = 4096;
    static constexpr std::size_t kStacks = 64;
    static constexpr std::int64_t kLive = 366; // blocks of a step

    std::uint64_t next() { return kBase + kSize * static_cast<std::uint64_t>(m_blocks++); }

    void key(std::size_t which)
    {
        static constexpr const char* kKeys[] = {"action", "addr", "size", "stream", "time_us", "frames"};
        word(kKeys[which]);
    }
    void word(const char* text)
    {
        for (const auto& [known, place] : m_words) {
            if (known == text)
                return m_pickler.recall(place);
        }
        m_pickler.text(text);
        m_words.emplace_back(text, m_pickler.remember());
    }

    void event(const char* action, std::uint64_t address, std::uint64_t size, std::size_t stack)
    {
        m_pickler.op('}');
        m_pickler.op('(');
        key(0);
        word(action);
        const std::uint64_t values[] = {address, size, 0, static_cast<std::uint64_t>(m_count)};
        for (std::size_t i = 0; i < 4; ++i) {
            key(i + 1);
            m_pickler.integer(values[i]);
        }
        key(5);
        frames(stack);
        m_pickler.op('u');
        // Python appends to lists by the thousand.
        if (++m_count % 1000 == 0) {
            m_pickler.op('e');
            m_pickler.op('(');
        }
    }

    void frames(std::size_t stack)
    {
        m_stackPlaces.resize(kStacks, -1);
        if (m_stackPlaces[stack] >= 0)
            return m_pickler.recall(static_cast<std::uint32_t>(m_stackPlaces[stack]));
        m_pickler.op(']');
        m_stackPlaces[stack] = m_pickler.remember();
        m_pickler.op('(');
        for (int depth = 0; depth < 20; ++depth) {
            m_pickler.op('}');
            m_pickler.op('(');
            m_pickler.text("filename");
            m_pickler.text(depth % 3 == 2 ? "/home/a/net.py" : "/opt/site-packages/torch/nn/modules/module.py");
            m_pickler.text("line");
            m_pickler.integer(10 * stack + static_cast<std::size_t>(depth));
            m_pickler.text("name");
            m_pickler.text(depth == 19 ? "<module>" : "_call_impl");
            m_pickler.op('u');
        }
        m_pickler.op('e');
    }

    void step()
    {
        std::vector<std::uint64_t> live;
        for (std::int64_t i = 0; i < kLive; ++i) {
            live.push_back(next());
            event("alloc", live.back(), kSize, static_cast<std::size_t>(i) % kStacks);
        }
        for (std::size_t i = 0; i < live.size(); ++i) {
            event("free_requested", live[i], kSize, i % kStacks);
            event("free_completed", live[i], kSize, i % kStacks);
        }
        m_stepEnds.push_back(m_count - 1);
    }

    void mark(std::int64_t time)
    {
        m_pickler.op('}');
        m_pickler.op('(');
        m_pickler.text("stage");
        m_pickler.text("END");
        m_pickler.text("name");
        m_pickler.text("Optimizer.step#Adam.step");
        m_pickler.text("device");
        m_pickler.integer(0);
        m_pickler.text("time_us");
        m_pickler.integer(static_cast<std::uint64_t>(time));
        m_pickler.op('u');
    }

    Pickler m_pickler;
    std::int64_t m_count = 0, m_blocks = 0;
    std::vector<std::pair<std::string, std::uint32_t>> m_words;
    std::vector<std::int64_t> m_stackPlaces, m_stepEnds;
};

bool makeSnapshot(const fs::path& path, std::int64_t events, std::int64_t kept = 200)
{
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file)
        return false;
    SnapshotWriter(file).write(events, kept);
    return std::fclose(file) == 0;
}

struct Cost {
    double seconds = 0; // of a processor, user and system
    double megabytes = 0;
    bool ran = false;
};

Cost costOf(const std::vector<std::string>& words, const std::string& output = "/dev/null")
{
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (!std::freopen(output.c_str(), "w", stdout) || !std::freopen("/dev/null", "w", stderr))
            _exit(127);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        return {};
    const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + time.tv_usec / 1e6; };
    return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024,
            WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

// A table of processes on one file; the first row is what the others are compared with.
class CostTable
{
public:
    explicit CostTable(const std::string& title)
    {
        fmt::print("{}\n  {:<14} {:>9} {:>8} {:>7} {:>7}   {}\n", title, "", "processor", "memory", "times", "times",
                   "bar");
    }

    // The cheapest of three: what else the machine does only adds.
    void row(const char* what, const std::vector<std::string>& words, const char* bar)
    {
        Cost best;
        for (int i = 0; i < 3; ++i) {
            const Cost cost = costOf(words);
            if (!cost.ran)
                break;
            if (!best.ran || cost.seconds < best.seconds)
                best = cost;
        }
        if (!best.ran) {
            fmt::print("  {:<14} did not run\n", what);
            return;
        }
        if (!m_first.ran)
            m_first = best;
        fmt::print("  {:<14} {:>7.2f} s {:>5.0f} MB {:>7.2f} {:>7.2f}   {}\n", what, best.seconds, best.megabytes,
                   best.seconds / m_first.seconds, best.megabytes / m_first.megabytes, bar);
        std::fflush(stdout);
    }

private:
    Cost m_first;
};

// The usual tools, as their own command lines run them; without what importing torch takes, which reading needs not.
void othersOn(CostTable& table, const std::string& python, const fs::path& folder, const std::string& file)
{
    if (python.empty()) {
        fmt::print("  no --python PYTHON: pickle.load, torch.cuda._memory_viz and mosaic are not compared\n");
        return;
    }
    const std::string load = "import gc, pickle, sys; gc.disable(); pickle.load(open(sys.argv[1], 'rb'))";
    const std::string visualize = "import importlib.util, runpy, sys\n"
                                  "torch = importlib.util.find_spec('torch').submodule_search_locations[0]\n"
                                  "runpy.run_path(torch + '/cuda/_memory_viz.py', run_name='__main__')";
    table.row("pickle.load", {python, "-c", load, file}, "-");
    table.row("trace_plot", {python, "-c", visualize, "trace_plot", file, "-o", folder / "trace.html"}, "-");
    if (costOf({python, "-c", "import mosaic.cmd.get_memory_usage_peak"}).ran)
        table.row("mosaic peak", {python, "-m", "mosaic.cmd.get_memory_usage_peak", "--snapshot", file}, "-");
    else
        fmt::print("  {:<14} is not installed; PyPI's package of that name is another program: "
                   "pip install git+https://github.com/facebookresearch/mosaic\n",
                   "mosaic peak");
}

// From the start of a process to its first painted curve, and to the whole, also where nothing is shown before; each
// the least of five, in turn.
void reportFirstCurve(const std::string& program, const fs::path& folder, const std::string& file, const char* bar)
{
    struct Moment {
        double clock = 1e9, processor = 1e9, share = 0;
    } first, whole, alone;
    const auto better = [](Moment& best, const Moment& now) {
        best.clock = std::min(best.clock, now.clock);
        if (now.processor < best.processor) {
            best.processor = now.processor;
            best.share = now.share;
        }
    };
    for (int i = 0; i < 10; ++i) {
        const bool only = i % 2 == 1;
        const fs::path output = folder / "seconds";
        std::vector<std::string> words{program, file,
                                       std::to_string(std::chrono::steady_clock::now().time_since_epoch().count())};
        if (only)
            words.emplace_back("whole");
        const Cost cost = costOf(words, output);
        Moment one, end;
        std::FILE* answer = cost.ran ? std::fopen(output.c_str(), "r") : nullptr;
        if (answer && std::fscanf(answer, "%lf %lf %lf %lf %lf", &one.clock, &one.processor, &one.share, &end.clock,
                                  &end.processor) == 5) {
            end.share = 1;
            if (!only)
                better(first, one);
            better(only ? alone : whole, end);
        }
        if (answer)
            std::fclose(answer);
    }
    if (first.share == 0) {
        fmt::print("  {:<14} did not run\n", "first curve");
        return;
    }
    for (const auto& [what, moment, its] :
         {std::tuple("first curve", first, bar), std::tuple("whole curve", whole, "-"),
          std::tuple("the whole only", alone, "-")})
        fmt::print("  {:<14} {:>7.2f} s, {:.2f} s by the clock, of {:.0f} % of the file   {}\n", what, moment.processor,
                   moment.clock, 100 * moment.share, its);
}

void reportRanks(const std::string& cli, const fs::path& folder)
{
    const fs::path ranks = folder / "ranks";
    fs::create_directories(ranks);
    for (int rank = 0; rank < 8; ++rank) {
        if (!makeSnapshot(ranks / fmt::format("rank{}.pickle", rank), 211'515, 200 + 10 * rank))
            return;
    }
    CostTable("eight ranks of 211515 events").row("inspect FOLDER", {cli, "inspect", ranks, "--json"}, "2.0 s 800 MB");
}

// What a click computes, in this process: list, treemap, flame graph and segment map.
void reportClick(const fs::path& path)
{
    std::FILE* file = std::fopen(path.c_str(), "rb");
    std::string bytes(fs::file_size(path), '\0');
    if (!file || std::fread(bytes.data(), 1, bytes.size(), file) != bytes.size())
        return;
    std::fclose(file);
    const auto snapshot = readSnapshotPickle(bytes, "bench");
    const auto replay = snapshot ? replaySnapshot(*snapshot, 0) : Result<SnapshotReplay>(snapshot.error());
    if (!replay)
        return;
    const std::int64_t event = replay->peak(SnapshotMeasure::Requested).event;
    std::int64_t alive = 0;
    for (const HeldBlock& block : replay->blocks)
        alive += block.aliveAfter(event);
    fmt::print("a click among {} live blocks\n", alive);
    const auto time = [](const char* what, auto compute, const char* bar) {
        double best = 1e9;
        for (int i = 0; i < 3; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            compute();
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        }
        fmt::print("  {:<10} {:>7.1f} ms   {}\n", what, best * 1e3, bar);
    };
    time(
        "list", [&] { return snapshotHolders(*snapshot, *replay, event, HolderKey::Line).size(); }, "bar 50");
    time(
        "treemap", [&] { return componentShares(*snapshot, *replay, event).size(); }, "");
    time(
        "flames", [&] { return frameTree(*snapshot, *replay, event).blocks; }, "");
    time(
        "segments", [&] { return segmentMap(*snapshot, *replay, event).segments.size(); }, "");
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::int64_t> sizes;
    std::string python;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--python" && i + 1 < argc)
            python = argv[++i];
        else
            sizes.push_back(std::atoll(argv[i]));
    }
    if (sizes.empty())
        sizes = {211'515, 1'056'555};
    const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
    const std::string cli = programs / "peakscope-cli", window = programs / "peakscope";
    const std::string curve = programs / "bench_first_curve";
    const fs::path folder = fs::temp_directory_path() / fmt::format("bench_snapshots-{}", getpid());
    fs::create_directories(folder);
    const std::string a = folder / "a.pickle", b = folder / "b.pickle";
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    for (const std::int64_t events : sizes) {
        if (!makeSnapshot(a, events) || !makeSnapshot(b, events, 300))
            break;
        CostTable table(fmt::format("{} events, {:.0f} MB", events, static_cast<double>(fs::file_size(a)) / 1e6));
        const bool large = events > 5'000'000, small = events < 500'000;
        table.row("inspect", {cli, "inspect", a, "--json"}, large ? "12 s 4500 MB" : small ? "-" : "1.0 s 500 MB");
        table.row("live", {cli, "live", a, "--by", "stack"}, "-");
        table.row("advise", {cli, "advise", a}, large || small ? "-" : "1.5 s 600 MB");
        table.row("diff", {cli, "diff", a, b}, small ? "0.6 s" : "-");
        if (fs::exists(window) && !large)
            table.row("window",
                      {window, "--screenshot", folder / "w.png", "--size", "1280x720", "--theme", "light", "--language",
                       "en", "--page", "run", a},
                      small ? "-" : "2.0 s 750 MB");
        if (!large)
            othersOn(table, python, folder, a);
        if (fs::exists(curve) && !large)
            reportFirstCurve(curve, folder, a, small ? "" : "bar 1.0 s");
    }
    reportRanks(cli, folder);
    if (makeSnapshot(a, 160'000, 150'000))
        reportClick(a);
    fs::remove_all(folder);
    return 0;
}
