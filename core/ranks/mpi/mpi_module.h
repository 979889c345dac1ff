// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The door of the MPI module, a shared library of its own that rank_module.cpp opens at run time: plain functions, so
// that neither side sees the other's libraries. Every call may come from any thread; calls never wait for other ranks,
// join() and leave() excepted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peakscope {

inline constexpr int kMpiModuleVersion = 1;

struct MpiRequest; // something under way; gone once test() has told its end

struct MpiMessage {
    int from = 0;
    int tag = 0;
    int bytes = 0;
    void* handle = nullptr; // for startReceive
};

enum class MpiNumber : int { Float32, Float64, Int64 };
enum class MpiTest : int { Waiting, Over, Failed };

// Counts are of numbers for sums, of bytes else. Memory handed to a request must stay until its end.
struct MpiModule {
    int version;
    // Joins the group that the launcher's environment describes. Where it cannot, `problem` says why in one line.
    bool (*join)(int* rank, int* size, int* localSize, char* problem, std::size_t problemBytes);
    MpiRequest* (*startAllReduce)(const void* in, void* out, int count, MpiNumber number);
    MpiRequest* (*startReduceScatter)(const void* in, void* out, int count, MpiNumber number); // out: one block
    MpiRequest* (*startAllGather)(const void* in, void* out, int bytes);                       // in: one block
    MpiRequest* (*startBroadcast)(void* data, int bytes, int root);
    // Messages between two ranks stay in order; collectives do not meet them.
    MpiRequest* (*startSend)(const void* data, int bytes, int to, int tag);
    bool (*takeMessage)(MpiMessage* message); // false: none is there
    MpiRequest* (*startReceive)(MpiMessage* message, void* data);
    MpiTest (*test)(MpiRequest* request);
    void (*leave)(); // every rank calls it
};

} // namespace peakscope

extern "C" const peakscope::MpiModule* peakscopeMpiModule();
