// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/snapshots/snapshot_steps.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace peakscope {

namespace {

constexpr std::string_view kOptimizerStep = "Optimizer.step#";
constexpr std::string_view kProfilerStep = "ProfilerStep#";

class StepFinder
{
public:
    StepFinder(const CudaSnapshot& snapshot, const DeviceHistory& history, SnapshotReplay& replay)
        : m_snapshot(snapshot), m_history(history), m_replay(replay)
    {}

    void find();

private:
    std::string_view text(std::uint32_t number) const { return m_snapshot.texts[number]; }
    std::int64_t eventAfter(std::int64_t time) const;
    std::vector<std::int64_t> eventsAfter(const std::vector<std::int64_t>& times) const;
    bool byMarks(std::string_view word, StepSource source);
    bool byUserEvents();
    bool byMetadata();
    bool byZeroGrad();
    void findSpans();

    const CudaSnapshot& m_snapshot;
    const DeviceHistory& m_history;
    SnapshotReplay& m_replay;
};

// The number of the first event after a time.
std::int64_t StepFinder::eventAfter(std::int64_t time) const
{
    const auto& events = m_history.events;
    return std::upper_bound(events.begin(), events.end(), time,
                            [](std::int64_t at, const AllocatorEvent& event) { return at < event.timeMicros; }) -
           events.begin();
}

// Of times that rise.
std::vector<std::int64_t> StepFinder::eventsAfter(const std::vector<std::int64_t>& times) const
{
    std::vector<std::int64_t> numbers;
    std::int64_t event = 0;
    for (const std::int64_t time : times) {
        while (event < m_replay.events && m_history.events[static_cast<std::size_t>(event)].timeMicros <= time)
            ++event;
        numbers.push_back(event);
    }
    return numbers;
}

bool StepFinder::byMarks(std::string_view word, StepSource source)
{
    std::vector<std::int64_t> starts, ends;
    for (const SnapshotMark& mark : m_snapshot.marks) {
        if (text(mark.name).starts_with(word))
            (mark.end ? ends : starts).push_back(mark.timeMicros);
    }
    if (ends.empty() || !m_history.timed)
        return false;
    if (source == StepSource::Optimizer)
        m_replay.stepStarts = eventsAfter(starts);
    m_replay.stepEnds = eventsAfter(ends);
    m_replay.stepSource = source;
    return true;
}

// Events of 2.4's user_defined kind, each of which begins a step.
bool StepFinder::byUserEvents()
{
    bool begun = false;
    for (std::int64_t i = 0; i < m_replay.events; ++i) {
        const AllocatorEvent& event = m_history.events[static_cast<std::size_t>(i)];
        if (event.action != SnapshotAction::UserDefined || !userEventName(m_snapshot, event).starts_with(kProfilerStep))
            continue;
        if (begun)
            m_replay.stepEnds.push_back(i);
        begun = true;
    }
    m_replay.stepSource = m_replay.stepEnds.empty() ? StepSource::None : StepSource::Profiler;
    return !m_replay.stepEnds.empty();
}

// "step 3", "step_3", "step#3" of user_metadata; nothing: it names no step.
std::optional<std::int64_t> stepOfText(std::string_view text)
{
    if (!text.starts_with("step"))
        return std::nullopt;
    text.remove_prefix(4);
    if (!text.empty() && std::string_view(" _#:-").find(text.front()) != std::string_view::npos)
        text.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool StepFinder::byMetadata()
{
    std::optional<std::int64_t> now;
    std::vector<std::int64_t> ends;
    std::uint32_t last = kNoText;
    for (std::int64_t i = 0; i < m_replay.events; ++i) {
        const std::uint32_t words = m_history.events[static_cast<std::size_t>(i)].metadata;
        if (words == last || words == kNoText)
            continue;
        last = words;
        const auto step = stepOfText(text(words));
        if (step && now && *step < *now)
            return false; // these do not count steps
        if (step && now && *step > *now)
            ends.push_back(i);
        now = step ? step : now;
    }
    if (ends.empty())
        return false;
    m_replay.stepEnds = std::move(ends);
    m_replay.stepSource = StepSource::Metadata;
    return true;
}

// Where zero_grad lets go of the gradients. That is certain only where it lets go of the same ones each time.
bool StepFinder::byZeroGrad()
{
    struct Run {
        std::int64_t first = 0, blocks = 0, bytes = 0;

        bool isAs(const Run& other) const { return blocks == other.blocks && bytes == other.bytes; }
    };
    std::vector<char> known(m_snapshot.stackStarts.size(), -1); // of a stack: whether zero_grad is in it
    const auto ofZeroGrad = [&](std::uint32_t stack) {
        if (known[stack] < 0) {
            const auto frames = m_snapshot.stack(stack);
            known[stack] = std::any_of(frames.begin(), frames.end(), [&](std::uint32_t frame) {
                return text(m_snapshot.frames[frame].function) == "zero_grad";
            });
        }
        return known[stack] > 0;
    };
    std::vector<Run> runs;
    bool within = false;
    for (std::int64_t i = 0; i < m_replay.events; ++i) {
        const AllocatorEvent& event = m_history.events[static_cast<std::size_t>(i)];
        within = within && event.action != SnapshotAction::Alloc;
        if ((event.action != SnapshotAction::FreeRequested && event.action != SnapshotAction::Free) ||
            !ofZeroGrad(event.stack))
            continue;
        if (!within)
            runs.push_back({i, 0, 0});
        within = true;
        ++runs.back().blocks;
        runs.back().bytes += event.bytes;
    }
    if (runs.size() < 2 ||
        !std::all_of(runs.begin(), runs.end(), [&](const Run& run) { return run.isAs(runs.front()); }))
        return false;
    for (const Run& run : runs)
        m_replay.stepEnds.push_back(run.first);
    m_replay.stepSource = StepSource::ZeroGrad;
    return true;
}

// The program's own annotations; PyTorch's of optimisers and profilers are steps.
void StepFinder::findSpans()
{
    std::vector<SnapshotSpan> open, closed;
    for (const SnapshotMark& mark : m_snapshot.marks) {
        const std::string_view name = text(mark.name);
        if (name.starts_with("Optimizer.") || name.starts_with(kProfilerStep))
            continue;
        if (!mark.end) {
            open.push_back({mark.name, eventAfter(mark.timeMicros), m_replay.events});
            continue;
        }
        const auto last =
            std::find_if(open.rbegin(), open.rend(), [&](const SnapshotSpan& span) { return span.name == mark.name; });
        if (last == open.rend())
            continue; // it began before the record
        last->end = eventAfter(mark.timeMicros);
        closed.push_back(*last);
        open.erase(std::next(last).base());
    }
    closed.insert(closed.end(), open.begin(), open.end());
    std::erase_if(closed, [](const SnapshotSpan& span) { return span.end <= span.first; });
    std::stable_sort(closed.begin(), closed.end(), [](const SnapshotSpan& a, const SnapshotSpan& b) {
        return a.first != b.first ? a.first < b.first : a.end > b.end; // what encloses comes first
    });
    m_replay.spans = std::move(closed);
}

void StepFinder::find()
{
    const bool marked = byMarks(kOptimizerStep, StepSource::Optimizer) || byMarks(kProfilerStep, StepSource::Profiler);
    if (!marked && !byUserEvents() && !byMetadata())
        byZeroGrad();
    if (marked)
        m_replay.stepsBeforeFirstEvent = std::count(m_replay.stepEnds.begin(), m_replay.stepEnds.end(), 0);
    if (m_history.timed)
        findSpans();
}

// By whole words: "## forward ##" and "forward_pass" are, "feedforward" is not.
std::optional<Phase> phaseOfName(std::string_view name)
{
    constexpr std::pair<std::string_view, Phase> kWords[] = {
        {"forward", Phase::Forward},         {"backward", Phase::Backward},   {"optimizer", Phase::OptimizerStep},
        {"optimiser", Phase::OptimizerStep}, {"data", Phase::Data},           {"dataloader", Phase::Data},
        {"eval", Phase::Evaluate},           {"evaluation", Phase::Evaluate}, {"validation", Phase::Evaluate}};
    std::string word;
    for (std::size_t i = 0; i <= name.size(); ++i) {
        const auto c = static_cast<unsigned char>(i < name.size() ? name[i] : ' ');
        if (std::isalnum(c)) {
            word += static_cast<char>(std::tolower(c));
            continue;
        }
        for (const auto& [known, phase] : kWords) {
            if (word == known)
                return phase;
        }
        word.clear();
    }
    return std::nullopt;
}

} // namespace

std::string_view userEventName(const CudaSnapshot& snapshot, const AllocatorEvent& event)
{
    if (event.metadata != kNoText)
        return snapshot.texts[event.metadata];
    const auto frames = snapshot.stack(event.stack);
    return frames.empty() ? std::string_view() : snapshot.texts[snapshot.frames[frames.front()].function];
}

void findSteps(const CudaSnapshot& snapshot, const DeviceHistory& history, SnapshotReplay& replay)
{
    StepFinder(snapshot, history, replay).find();
}

void annotatePhases(const CudaSnapshot& snapshot, SnapshotReplay& replay)
{
    std::vector<SnapshotPhase>& phases = replay.phases;
    for (const SnapshotSpan& span : replay.spans) {
        const auto phase = phaseOfName(snapshot.texts[span.name]);
        if (!phase)
            continue;
        const auto after = [&](std::int64_t event) {
            return std::upper_bound(phases.begin(), phases.end(), event,
                                    [](std::int64_t at, const SnapshotPhase& each) { return at < each.event; });
        };
        const auto next = after(span.end);
        std::vector<SnapshotPhase> put{{span.first, *phase, replay.stepOf(span.first)}};
        if (next != phases.begin() && span.end < replay.events)
            put.push_back({span.end, std::prev(next)->phase, std::prev(next)->step});
        const auto first = std::lower_bound(phases.begin(), phases.end(), span.first,
                                            [](const SnapshotPhase& each, std::int64_t at) { return each.event < at; });
        const auto place = phases.erase(first, next);
        phases.insert(place, put.begin(), put.end());
    }
}

} // namespace peakscope
