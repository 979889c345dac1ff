// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What lets several processes, on one machine or on many that share a folder, run one sweep: which of them has which
// point, and what is known of points that are over. Files only, in the folder's ".sweep": no server, no locks. One
// thread, beside a thread of its own that gives signs of life.
#pragma once

#include "core/base/result.h"
#include "core/results/sweeps/sweep_document.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace peakscope {

// "0007" of the point with index 6, as files of points are numbered.
std::string pointNumber(std::size_t point);

// How a finished point is kept until sweep.json has it: a file of its own, written whole.
struct FinishedPoint {
    SweepPoint point;
    std::string launch; // of the process that ran it
    std::string text;   // of the file: another one means that the point was run again
};

// A process that took a point.
struct PointHolder {
    std::string host;
    std::string machine; // a process number means something only within it: one boot and one space of processes
    std::string started; // of the process, as the system counts it: numbers are given out again
    std::int64_t process = 0;
    bool released = false; // it has the point no longer
    int kills = 0;         // of workers that ran this point, by this holder and those before

    std::string text() const; // "process 4711 on node-3"
};

// A point some of whose rounds are through, for whoever goes on with it.
struct BegunPoint {
    SweepPoint point; // as after these rounds
    std::int64_t rounds = 0;
};

class SweepFolder
{
public:
    // `sweep`: tells this sweep from another that ran in the folder. `launch`: what the processes have in common that
    // were started together. A holder on another machine that gave no sign of life for `lostAfter` is lost, as this
    // process's own clock sees it.
    SweepFolder(std::filesystem::path folder, std::string sweep, std::string launch,
                std::chrono::milliseconds lostAfter);
    ~SweepFolder();

    const std::string& launch() const { return m_launch; }
    Status open();
    // Forgets what earlier runs left. Refused where a process is at work there.
    Status clear();
    // The same, as far as nobody is at work; after a sweep whose sweep.json says all.
    void tidy();

    // Points with a file, by index; of this sweep or not.
    std::vector<std::size_t> finishedPoints() const;
    // Nothing where there is no file, or one of another sweep.
    std::optional<FinishedPoint> finished(std::size_t point) const;
    Status finish(std::size_t point, const SweepPoint& outcome) const;
    // Likewise; there is none of a finished point.
    std::optional<BegunPoint> begun(std::size_t point) const;
    Status keepBegun(std::size_t point, const BegunPoint& begun) const;

    // True: the point is this process's until it releases it. False: another has it, or had it until just now. A
    // point has a row of claims, each made where none was yet; the last one counts, and it is followed by another
    // where its holder has released the point or is lost.
    Result<bool> claim(std::size_t point);
    // Whether no other process has taken this one for lost.
    bool isMine(std::size_t point) const;
    int kills(std::size_t point) const; // of the workers of earlier holders
    void release(std::size_t point, bool killed = false);
    // Who has it, for messages.
    std::optional<PointHolder> holder(std::size_t point) const;

private:
    struct Seen; // a holder's last sign of life
    struct PointFile;
    class Beats;

    std::filesystem::path file(const std::string& name) const { return m_folder / name; }
    std::string claimName(std::size_t point, int generation) const;
    int lastGeneration(std::size_t point) const;
    bool isLost(std::size_t point, int generation, const PointHolder& holder);
    std::optional<PointFile> readPoint(std::size_t point, const char* ending) const;
    std::optional<PointHolder> worker() const;

    std::filesystem::path m_folder;
    std::string m_sweep, m_launch;
    std::chrono::milliseconds m_lostAfter;
    PointHolder m_self;
    std::map<std::size_t, int> m_mine;                // point -> generation of the claim
    mutable std::map<std::size_t, int> m_generations; // the highest seen
    std::map<std::size_t, Seen> m_seen;
    std::unique_ptr<Beats> m_beats;
};

} // namespace peakscope
