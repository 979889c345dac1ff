// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the tables of seeds 000 and 002 say, number by number. Used by seed_tables.cpp only.
#pragma once

#include <array>
#include <cstdint>

namespace peakscope {

// Seed 000, "memory of different models": decimal units as written there.
struct Seed000Row {
    const char* id;
    double parameters;
    double diagonalBytes;
    double fullBytes;
    const char* strategy; // what it recommends
    // The configuration it recommends for the model: one row, sampled parameters, length.
    std::int64_t sampled;
    std::int64_t length;
};
inline constexpr std::array<Seed000Row, 4> kSeed000Rows{{
    {"opt-125m", 125e6, 500e6, 62e12, "diagonal", 1000, 16},
    {"opt-350m", 350e6, 1.4e9, 490e12, "diagonal", 500, 8},
    {"opt-1.3b", 1.3e9, 5.2e9, 6.8e15, "approximation", 100, 4},
    {"opt-2.7b", 2.7e9, 10.8e9, 29e15, "approximation", 100, 4},
}};

// Seed 000's sample output for OPT-125M.
struct Seed000Output {
    double parameters = 500e6;
    double gradients = 500e6;
    double diagonal = 500e6;
    double full = 62.5e12;
    double activations = 16e6;
    double intermediate = 1000e6;
    double diagonalStrategy = 2.0e9;
    double blockDiagonalStrategy = 5.5e9;
    double fullStrategy = 62.5e12;
    double approximateStrategy = 1.5e9;
};

// The machine of seed 000: 8 GB of memory without a GPU (seed 002 compares with it).
inline constexpr std::int64_t kSeed000Memory = std::int64_t{8} << 30;

// Seed 002, models on an A800 of 80 GB: batch 4, length 128, 10,000 sampled parameters.
struct Seed002Row {
    const char* id;
    double parameters;
    double modelBytes;
    double diagonalBytes;
    double totalBytes;
    const char* verdict; // in this program's words
};
inline constexpr std::array<Seed002Row, 7> kSeed002Rows{{
    {"opt-125m", 125e6, 0.5e9, 0.25e9, 2e9, "fits"},
    {"opt-350m", 350e6, 1.4e9, 0.7e9, 4e9, "fits"},
    {"opt-1.3b", 1.3e9, 5.2e9, 2.6e9, 12e9, "fits"},
    {"opt-2.7b", 2.7e9, 10.8e9, 5.4e9, 20e9, "fits"},
    {"opt-6.7b", 6.7e9, 26.8e9, 13.4e9, 45e9, "fits"},
    {"opt-13b", 13e9, 52e9, 26e9, 80e9, "tight"},
    {"opt-30b", 30e9, 120e9, 60e9, 180e9, "needs_sharding"},
}};
inline constexpr std::int64_t kSeed002Batch = 4;
inline constexpr std::int64_t kSeed002Length = 128;
inline constexpr std::int64_t kSeed002Sampled = 10000;

// Seed 002's break-down of OPT-6.7B.
struct Seed002Breakdown {
    double parameters = 26.8e9;
    double diagonal = 13.4e9;
    double activations = 2.0e9;
    double gradients = 13.4e9;
    double intermediate = 5.0e9;
    double total = 60.6e9;
    double share = 0.758; // of the device
};

// Seed 002's device.
struct Seed002Device {
    double total = 80e9;
    double overhead = 8e9;
    double usable = 72e9;
    double bandwidth = 2039e9;
    double float16 = 312e12;
    double float32 = 156e12;
};

} // namespace peakscope
