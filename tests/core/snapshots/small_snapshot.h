// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA memory snapshots made by hand, for tests.
#pragma once

#include "core/snapshots/snapshot_recording.h"
#include "tests/core/snapshots/pickled.h"

#include <cstdint>
#include <memory>

namespace peakscope::test {

inline constexpr std::uint64_t kBase = 0x7f0000000000;
inline constexpr std::int64_t kMiB = 1 << 20;

inline nlohmann::json entry(const char* action, std::uint64_t address, std::int64_t size, int time,
                            const nlohmann::json& frames = nullptr)
{
    nlohmann::json json = {{"action", action}, {"addr", address}, {"size", size}, {"stream", 0}, {"time_us", time}};
    if (!frames.is_null())
        json["frames"] = frames;
    return json;
}

inline nlohmann::json frame(const char* file, int line, const char* name)
{
    return {{"filename", file}, {"line", line}, {"name", name}};
}

inline std::shared_ptr<const SnapshotRecording> recordingOf(const nlohmann::json& json)
{
    const QByteArray bytes = pickled(json);
    auto snapshot = readSnapshotPickle({bytes.data(), static_cast<std::size_t>(bytes.size())}, "small.pickle");
    auto shared = std::make_shared<const CudaSnapshot>(std::move(snapshot).value());
    auto replay = replaySnapshot(*shared, 0).value();
    return std::make_shared<const SnapshotRecording>(SnapshotRecording{std::move(shared), std::move(replay)});
}

// Two steps of a program with one parameter of 1 MiB, a state of the same size and stacks as stacks="python" leaves
// them: none in backward. Of each step: inputs (2 MiB), a module's output (4 MiB) that is freed in backward, what flows
// backward (3 MiB), the gradient (1 MiB), the optimiser's own workspace (1 MiB). 28 events, a microsecond each.
class SmallTraining
{
public:
    explicit SmallTraining(int steps = 2)
    {
        add("segment_alloc", 0, 20);
        add("alloc", 0, 1, Json::array({convert(), main(50)})); // the parameter
        for (int step = 0; step < steps; ++step)
            this->step(step == 0);
    }

    nlohmann::json json() const
    {
        return {{"segments", nlohmann::json::array()},
                {"device_traces", nlohmann::json::array({m_events})},
                {"external_annotations", m_marks}};
    }

    // As a function returns, or an exception leaves it: what the training held is let go of before the snapshot is
    // taken.
    SmallTraining& letGo()
    {
        free(0, 1, Json::array({main(60)}));
        free(1, 1, Json::array({main(60)}));
        return *this;
    }
    // What cuBLAS works in, taken by autograd's thread, which has no stack.
    SmallTraining& withWorkspace()
    {
        m_events.push_back(entry("segment_alloc", kBase + (1ULL << 32), 32 * kMiB, 0));
        m_events.push_back(entry("alloc", kBase + (1ULL << 32), 32 * kMiB, m_time++, Json::array()));
        return *this;
    }

    std::shared_ptr<const SnapshotRecording> recording() const { return recordingOf(json()); }

private:
    using Json = nlohmann::json;

    static Json main(int line) { return frame("/home/a/train.py", line, "<module>"); }
    static Json convert()
    {
        return frame("/opt/lib/python3.11/site-packages/torch/nn/modules/module.py", 933, "convert");
    }
    static Json call() { return frame("/opt/site-packages/torch/nn/modules/module.py", 1798, "_call_impl"); }
    static Json adam() { return frame("/opt/site-packages/torch/optim/adam.py", 239, "step"); }

    // Sizes and places in MiB.
    void add(const char* action, int place, int size, const Json& frames = nullptr)
    {
        m_events.push_back(entry(action, kBase + static_cast<std::uint64_t>(place * kMiB), size * kMiB, m_time++,
                                 frames.is_null() ? Json::array() : frames));
    }
    void free(int place, int size, const Json& frames = nullptr)
    {
        add("free_requested", place, size, frames);
        add("free_completed", place, size, frames);
    }
    void mark(const char* stage)
    {
        m_marks.push_back({{"stage", stage}, {"name", "Optimizer.step#Adam.step"}, {"device", 0}, {"time_us", m_time}});
        ++m_time;
    }

    void step(bool first)
    {
        const Json forward = {call(), frame("/home/a/net.py", 7, "forward"), main(54)};
        add("alloc", 2, 2, Json::array({main(53)})); // inputs
        add("alloc", 4, 4, forward);
        add("alloc", 8, 3);
        free(4, 4);
        add("alloc", 12, 1); // the gradient
        free(8, 3);
        mark("START");
        if (first)
            add("alloc", 1, 1, Json::array({adam(), main(57)})); // the state
        add("alloc", 14, 1, Json::array({adam(), main(57)}));
        free(14, 1, Json::array({adam(), main(57)}));
        mark("END");
        free(12, 1, Json::array({frame("/opt/site-packages/torch/optim/optimizer.py", 900, "zero_grad"), main(52)}));
        free(2, 2, Json::array({main(58)}));
    }

    Json m_events = Json::array(), m_marks = Json::array();
    int m_time = 1;
};

} // namespace peakscope::test
