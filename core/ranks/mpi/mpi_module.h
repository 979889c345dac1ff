// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The door of the MPI module, a shared library of its own that rank_module.cpp opens at run time: plain functions, so
// that neither side sees the other's libraries. Every call may come from any thread; calls never wait for other ranks,
// join() and leave() excepted. Where torchrun is the launcher its store stands in for MPI, by the same functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peakscope {

inline constexpr int kMpiModuleVersion = 1;

struct TransportRequest; // something under way; gone once test() has told its end

struct TransportMessage {
    int from = 0;
    int tag = 0;
    int bytes = 0;
    void* handle = nullptr; // for startReceive
};

enum class TransportNumber : int { Float32, Float64, Int64 };
enum class TransportTest : int { Waiting, Over, Failed };

// Counts are of numbers for sums, of bytes else. Memory handed to a request must stay until its end.
struct RankTransport {
    int version;
    // Joins the group that the launcher's environment describes. Where it cannot, `problem` says why in one line.
    bool (*join)(int* rank, int* size, int* localSize, char* problem, std::size_t problemBytes);
    TransportRequest* (*startAllReduce)(const void* in, void* out, int count, TransportNumber number);
    TransportRequest* (*startReduceScatter)(const void* in, void* out, int count,
                                            TransportNumber number);           // out: one block
    TransportRequest* (*startAllGather)(const void* in, void* out, int bytes); // in: one block
    TransportRequest* (*startBroadcast)(void* data, int bytes, int root);
    // Messages between two ranks stay in order; collectives do not meet them.
    TransportRequest* (*startSend)(const void* data, int bytes, int to, int tag);
    bool (*takeMessage)(TransportMessage* message); // false: none is there
    TransportRequest* (*startReceive)(TransportMessage* message, void* data);
    TransportTest (*test)(TransportRequest* request);
    void (*leave)(); // every rank calls it
};

} // namespace peakscope

extern "C" const peakscope::RankTransport* peakscopeMpiModule();
