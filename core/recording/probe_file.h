// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The two files that the probe (packaging/python/peakscope/probe.cpp) writes in each process of a recorded program:
// events of 56 bytes, and the names that they refer to by number. Read while the program writes them. One thread.
#pragma once

#include "core/base/result.h"
#include "core/results/component.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace peakscope {

enum class ProbeKind : std::uint8_t {
    Allocate = 1,
    Free,
    NodeBegin, // of a backward node; bytes: 1 where it accumulates a gradient; address: then of whose gradient
    NodeEnd,   // address: of the gradient that was handed to it
    RootBegin, // a module is called from outside any module
    BackwardBegin,
    BackwardEnd,
    Phase,   // the phase and the step that begin
    Purpose, // address: inside a block; bytes: the number of its purpose
    StepEnd,
    // Of the allocator of a card.
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory, // bytes that could not be had; address: bytes that the card had left
    Leave,       // the program is over, and Python is taken down
};

// What it looks at, as its Python takes it: operators; the program's lines, or whole stacks, or in place of both
// autograd's sequence numbers, and one more, of the graph that is made or gone back through.
inline constexpr int kProbeOperators = 1, kProbeLines = 2, kProbeStacks = 4, kProbeSequences = 8;

inline constexpr std::uint8_t kProbeInNode = 1;
inline constexpr std::uint8_t kProbeGradMode = 2;
inline constexpr std::uint8_t kProbeGradModeOfNode = 4;   // autograd was asked for a graph of the gradients
inline constexpr std::uint8_t kProbeModuleInBackward = 8; // a forward pass that is repeated
inline constexpr std::uint8_t kProbeCommunication = 16;
inline constexpr std::uint8_t kProbeAdopted = 32; // allocated before the probe was there
inline constexpr std::uint8_t kProbeNoGraph = 64; // within an operator of which autograd made no node
inline constexpr std::uint8_t kProbeMapped = 128; // a module's, in memory that PyTorch did not allocate

struct ProbeEvent {
    std::int64_t nanoseconds = 0;
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    std::uint32_t outer = 0; // instance of the outermost operator at work in its thread; 0: none
    std::uint32_t node = 0;  // instance of the backward node at work; 0: none
    std::uint32_t module = 0, place = 0;
    std::int32_t step = -1;
    std::uint16_t operation = 0, thread = 0;
    ProbeKind kind = ProbeKind::Allocate;
    std::uint8_t phase = 0, flags = 0;
    std::int8_t device = -1; // -1: the CPU
    std::uint32_t ready = 0;
};
static_assert(sizeof(ProbeEvent) == 56);

// By number, from 0 on; an empty one has not been named.
struct ProbeNames {
    struct Module {
        std::string path, kind; // kind: its class
    };
    struct Place {
        std::uint32_t outer = 0; // the place that called it; 0: none, or not recorded
        bool passed = false;     // no code of the program's
        std::int64_t line = 0;
        std::string function, file;
    };
    std::vector<std::string> operators, phases, purposes;
    std::vector<Module> modules;
    std::vector<Place> places;
    std::map<std::string, std::string> said; // of the process: "torch", "python", …
    std::vector<std::string> warnings;
    std::vector<std::pair<std::int64_t, std::string>> batches; // their shapes, from that step on: "8x128"

    void add(std::string_view line);
};

class ProbeFile
{
public:
    // `path` without ".events". BadInput: they are no such files.
    static Result<ProbeFile> open(const std::filesystem::path& path);
    ProbeFile(ProbeFile&& other) noexcept { *this = std::move(other); }
    ProbeFile& operator=(ProbeFile&& other) noexcept;
    ~ProbeFile();

    // The next events that are complete, in their order, and their names; false: there are none so far. `ended`: the
    // program is over, so that one which is not complete is passed over. What was read takes no room on the disk any
    // more.
    bool read(std::vector<ProbeEvent>& events, bool ended);
    const ProbeNames& names() const { return m_names; }
    std::int64_t process() const { return m_process; }
    bool full() const { return m_full; } // the disk was, and the recording ended there

private:
    ProbeFile() = default;
    void readNames();
    void giveBack();

    int m_events = -1, m_nameFile = -1;
    std::uint64_t m_read = 0;  // events
    std::uint64_t m_given = 0; // bytes of the file that were given back
    std::string m_pending;     // the beginning of a line
    ProbeNames m_names;
    std::int64_t m_process = 0;
    bool m_full = false;
};

// The recordings of a folder that can be read, by process.
std::vector<std::filesystem::path> probeFiles(const std::filesystem::path& folder);

} // namespace peakscope
