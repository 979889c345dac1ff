// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a curvature run has finished, in a file that only grows: one JSON line a piece of work, so that a run that was
// killed at any moment goes on from there. Numbers are written so that they read back bit by bit. Long vectors stand in
// a second file. One thread.
#pragma once

#include "core/base/result.h"
#include "core/engine/curvature/vectors/vector_layout.h"
#include "core/ranks/communicator.h"

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace peakscope {

class ProgressLog
{
public:
    ProgressLog() = default; // remembers nothing
    // Takes up what `path` holds where it was written by the same experiment (`fingerprint`), starts anew otherwise.
    // A last line that was cut off is dropped.
    // Over several ranks the first one's file counts: the others are told what it holds and write nothing.
    static Result<ProgressLog> open(const std::string& path, const std::string& fingerprint,
                                    Communicator* ranks = nullptr);

    bool active() const { return !m_path.empty(); }
    bool resumed() const { return m_resumed; }

    const nlohmann::json* recall(const std::string& key) const;
    // A piece with a number that is not finite is done again by who resumes.
    void note(const std::string& key, const nlohmann::json& value);

    // A state with vectors: the newest whole one counts. Writing one is allowed a tenth of the time: `due()` says when
    // the next may be, at least some seconds after the last.
    bool due(const VectorLayout& layout) const;
    // Vectors are written whole, however they are held: another number of ranks can take them up.
    void noteVectors(const std::string& key, const nlohmann::json& state, const std::vector<at::Tensor>& vectors,
                     const VectorLayout& layout = {});
    // The state's numbers, and the first vectors put into `vectors` (of the dtype they have).
    bool recallVectors(const std::string& key, nlohmann::json& state, const std::vector<at::Tensor>& vectors,
                       const VectorLayout& layout = {}) const;

    // Nothing of it is of use any more: the file goes, and those of its vectors.
    void remove();

private:
    static Result<ProgressLog> openFile(const std::string& path, const std::string& fingerprint);
    bool writeVectors(const std::string& path, const std::string& head, const std::vector<at::Tensor>& vectors,
                      const VectorLayout& layout) const;
    std::string vectorFile(const std::string& key) const { return m_path + "." + key; }

    std::string m_path;              // empty: nothing is written
    Communicator* m_ranks = nullptr; // nothing for one rank
    bool m_resumed = false;
    std::map<std::string, nlohmann::json> m_known;
    std::vector<std::string> m_vectorKeys;
    std::chrono::steady_clock::time_point m_lastWrite = std::chrono::steady_clock::now();
    double m_writeSeconds = 0;
};

} // namespace peakscope
