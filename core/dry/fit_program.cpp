// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/dry/fit_program.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/secrets/secrets.h"
#include "core/base/text.h"
#include "core/dry/dry_ranks.h"
#include "core/dry/dry_runs.h"
#include "core/dry/dry_start.h"
#include "core/recording/recording_folder.h"
#include "core/snapshots/snapshot_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace peakscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kAtOnce = 2;

std::string wordOf(const Json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

FitSearch searchOf(const FitAxis& axis)
{
    if (axis.values.empty())
        return {axis.first, axis.last};
    std::vector<std::int64_t> values;
    for (const Json& value : axis.values)
        values.push_back(value.get<std::int64_t>());
    std::sort(values.begin(), values.end());
    return FitSearch(std::move(values));
}

std::vector<FitCase> casesOf(const FitRequest& request)
{
    std::vector<FitCase> cases;
    for (const DryDevice& card : request.cards)
        cases.push_back({card, Json::object(), {}, {}});
    for (std::size_t i = 1; i < request.axes.size(); ++i) {
        const FitAxis& axis = request.axes[i];
        std::vector<Json> values = axis.values;
        for (std::int64_t value = axis.first; axis.values.empty() && value <= axis.last; ++value)
            values.emplace_back(value);
        std::vector<FitCase> more;
        for (const FitCase& one : cases) {
            for (const Json& value : values) {
                more.push_back(one);
                more.back().fixed[axis.name] = value;
            }
        }
        cases = std::move(more);
    }
    return cases;
}

DryProgram programOf(const FitRequest& request, const FitCase& one, const Json& values, std::int64_t draw)
{
    const bool longest = draw == FitDraw::kLongest;
    DryProgram program{one.card, fitCommand(request, values, longest ? 0 : draw), request.steps, request.ghost};
    program.device.bytes = one.card.card.contextBytes + roomOf(request, one);
    program.variables = fitVariables(request, values);
    program.place = request.place;
    program.throughEval = request.throughEval;
    if (longest)
        program.draw = "longest";
    return program;
}

FitPoint& pointOfValue(FitCase& one, std::int64_t value)
{
    return *std::ranges::find(one.points, value, &FitPoint::value);
}

Status makeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::create_directory(folder, error);
    return error ? badInput("fit", fmt::format("{} can't be made: {}", folder.string(), error.message()))
                 : Status(Done{});
}

std::string lastLine(const fs::path& file)
{
    const auto text = readTextFile(file);
    const std::string_view all = trimmed(text ? std::string_view(*text) : std::string_view());
    return std::string(all.substr(all.rfind('\n') + 1));
}

bool metOwnLimit(const RunResult& result)
{
    const Json snapshot = result.other.value("snapshot", Json::object());
    const Json ends = snapshot.value("oom", Json::array());
    return std::ranges::any_of(
        ends, [](const Json& end) { return end.value("cause", "") == name(OutOfMemoryCause::Limited); });
}

// The searches of a request and the programs that run for them.
class Fitting
{
public:
    Fitting(const FitRequest& request, const FitObserver& tell, const FitListener& waits)
        : m_request(request), m_tell(tell), m_waits(waits), m_cases(casesOf(request)),
          m_searches(m_cases.size(), searchOf(request.axes.front())),
          m_runs([this](std::size_t number, const std::string& line) { waitsSaid(number, line); })
    {}

    Result<std::vector<FitCase>> run()
    {
        if (const Status& made = m_folder.made(); !made)
            return made.error();
        for (;;) {
            if (const Status started = startMore(); !started)
                return started.error();
            if (m_started.empty())
                return finished();
            const auto ended = m_runs.wait();
            if (!ended)
                return ended.error();
            if (const Status taken = take(*ended); !taken)
                return taken.error();
        }
    }

private:
    struct Wanted {
        std::int64_t value = 0;
        std::int64_t draw = 0; // 0: the program's own rows; else as FitDraw's number
    };
    struct Started {
        std::size_t search = 0;
        Wanted run;
        DryProgram program;
        std::size_t rank = 0;            // which of the request's
        std::optional<FitPoint> point{}; // of the ranks before it
        fs::path objects{};              // what ranks send one another
        WantedRanks wanted{0};           // of the rank
    };

    void waitsSaid(std::size_t number, const std::string& line) const
    {
        const Started& started = m_started.at(number);
        if (m_waits)
            m_waits(m_cases[started.search], started.run.value, line);
    }

    bool runs(std::size_t search) const
    {
        return std::any_of(m_started.begin(), m_started.end(),
                           [search](const auto& started) { return started.second.search == search; });
    }

    // What to run next, where nothing of the search runs: the values that it asks for; once it is over, the largest
    // with other rows, which may show that it does not fit.
    std::vector<Wanted> wanted(std::size_t search, std::size_t most)
    {
        std::vector<Wanted> list;
        for (const std::int64_t value : m_searches[search].next(most))
            list.push_back({value, m_cases[search].rows});
        const auto largest = m_searches[search].largest();
        if (!list.empty() || !largest || m_request.place || m_request.draws < 2)
            return list;
        const FitPoint& point = pointOfValue(m_cases[search], *largest);
        const bool loads = point.batches > 0 && stepsDiffer(m_cases[search].points, *largest);
        for (std::int64_t draw = loads ? FitDraw::kLongest : 0; draw < m_request.draws && list.size() < most; ++draw) {
            if ((loads || drawIsPlaced(m_request)) && !point.ranWith(draw))
                list.push_back({*largest, draw});
        }
        return list;
    }

    // One for each search; two where it is the only one left.
    Status startMore()
    {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < m_searches.size(); ++i) {
            if (runs(i) || !wanted(i, 1).empty())
                open.push_back(i);
        }
        for (const std::size_t i : open) {
            if (runs(i) || m_started.size() >= kAtOnce)
                continue;
            const std::size_t most = open.size() == 1 ? kAtOnce : 1;
            for (const Wanted& run : wanted(i, most)) {
                if (const Status started = start(i, run); !started)
                    return started;
            }
        }
        return Done{};
    }

    Status start(std::size_t search, const Wanted& run)
    {
        const FitCase& one = m_cases[search];
        Started started{search, run, programOf(m_request, one, fitValues(m_request, one, run.value), run.draw)};
        if (run.draw > 0 && !drawIsPlaced(m_request))
            started.program.draw = fmt::format("skip={}", run.draw * one.points.front().batches);
        if (started.program.place) {
            started.objects = m_folder.path() / fmt::format("objects-{}", m_number);
            started.program.variables["PEAKSCOPE_OBJECTS"] = started.objects.string();
            started.program.place->rank = m_request.ranks.front();
            started.wanted = WantedRanks(m_request.ranks.front());
            if (const Status made = makeFolder(started.objects); !made)
                return made;
        }
        return start(std::move(started));
    }

    Status start(Started started)
    {
        const std::size_t number = m_number++;
        const fs::path folder = folderOf(number);
        if (const Status made = makeFolder(folder); !made)
            return made;
        m_started[number] = std::move(started);
        return m_runs.start(number, m_started[number].program, folder);
    }

    Status take(const DryRuns::Ended& ended)
    {
        const auto found = m_started.find(ended.number);
        Started started = std::move(found->second);
        m_started.erase(found);
        std::error_code ignored;
        if (started.program.place) {
            const auto rank = started.wanted.next(started.objects);
            if (const Status stuck = started.wanted.stuck(); !stuck)
                return stuck.error();
            if (rank) {
                fs::remove_all(folderOf(ended.number), ignored);
                started.program.place->rank = *rank;
                return start(std::move(started));
            }
        }
        auto point = pointOf(started, ended);
        fs::remove_all(folderOf(ended.number), ignored); // histories are large
        if (!point && point.error().code == ErrorCode::Failed && started.run.draw != m_cases[started.search].rows)
            point = FitPoint{.value = started.run.value,
                             .draws = {{.number = started.run.draw, .fits = false, .ended = point.error().message}}};
        if (!point)
            return point.error();
        if (started.point && point->fits() && started.point->reservedBytes >= point->reservedBytes)
            point = *started.point;
        if (point->fits() && started.rank + 1 < m_request.ranks.size()) {
            started.point = *point;
            started.program.place->rank = m_request.ranks[++started.rank];
            started.wanted = WantedRanks(started.program.place->rank);
            return start(std::move(started));
        }
        add(started, *point);
        return Done{};
    }

    // One more run of a value. Where the largest so far does not fit these rows, smaller values are tried with them.
    void add(const Started& started, FitPoint ran)
    {
        const auto& [value, draw] = started.run;
        FitCase& one = m_cases[started.search];
        FitSearch& search = m_searches[started.search];
        if (draw == one.rows) {
            search.tell(value, ran.fits());
        } else if (!ran.fits() && search.largest() == value) {
            one.rows = draw;
            search = searchOf(m_request.axes.front());
            search.tell(value, false);
        }
        const auto place = std::ranges::lower_bound(one.points, value, {}, &FitPoint::value);
        if (place == one.points.end() || place->value != value)
            m_tell(one, *one.points.insert(place, std::move(ran)));
        else
            m_tell(one, place->add(std::move(ran)));
    }

    Result<FitPoint> pointOf(const Started& started, const DryRuns::Ended& ended) const
    {
        const auto recorded = recordedProgram(started.program, ended.end, folderOf(ended.number));
        const FitCase& one = m_cases[started.search];
        const bool outOfMemory = recorded && recorded->result.config["program"]["out_of_memory"].get<bool>();
        if (!recorded || (recorded->result.status != RunStatus::Complete && !outOfMemory)) {
            const std::string said = lastLine(folderOf(ended.number) / kProgramErrors);
            if (ended.end.status() == exitStatus(ErrorCode::BadInput) && said.starts_with(kOurs))
                return badInput("fit", said.substr(kOurs.size())); // no value would do
            std::string text = !recorded && ended.end.status() == 0
                                   ? recorded.error().message
                                   : fmt::format("the program ended with status {}", ended.end.status());
            if (!said.empty())
                text += ": " + withoutSecretsOf(started.program.command, said);
            const auto& place = started.program.place;
            return failed("fit", fmt::format("{}{} on {}: {}", fitSetting(fitValues(m_request, one, started.run.value)),
                                             place ? fmt::format(", rank {} of {}", place->rank, place->world) : "",
                                             one.card.card.name, text));
        }
        const Json& allocator = recorded->result.other["allocator"];
        const Json& program = recorded->result.config["program"];
        FitPoint point;
        point.value = started.run.value;
        point.allocatedBytes = allocator["peak_allocated_bytes"].get<std::int64_t>();
        point.reservedBytes = allocator["peak_reserved_bytes"].get<std::int64_t>();
        point.verdict = outOfMemory ? Verdict::DoesNotFit
                                    : verdictFor(point.reservedBytes, one.card.card.contextBytes, one.card.bytes);
        point.limited = outOfMemory && metOwnLimit(recorded->result);
        point.steps = program["steps"].get<std::int64_t>();
        point.unknownAnswers = program["unknown_answers"].get<std::int64_t>();
        point.stepsDiffer = program["steps_differ"].get<bool>();
        point.batches = program["batches"].get<std::int64_t>();
        point.draws = {{started.run.draw, program["longest_row"].get<std::int64_t>(), point.allocatedBytes,
                        point.reservedBytes, !outOfMemory}};
        if (started.program.place) {
            point.rank = started.program.place->rank;
            point.communicatorBytes = program["outside"].value("communicator_bytes", std::int64_t{0});
        }
        return point;
    }

    std::vector<FitCase> finished()
    {
        for (std::size_t i = 0; i < m_cases.size(); ++i)
            m_cases[i].largest = m_searches[i].largest();
        return std::move(m_cases);
    }

    fs::path folderOf(std::size_t number) const { return m_folder.path() / std::to_string(number); }

    const FitRequest& m_request;
    const FitObserver& m_tell;
    const FitListener& m_waits;
    std::vector<FitCase> m_cases;
    std::vector<FitSearch> m_searches;
    RecordingFolder m_folder;
    DryRuns m_runs; // ends before the folder goes
    std::map<std::size_t, Started> m_started;
    std::size_t m_number = 0;
};

} // namespace

bool atEndOfRange(const FitRequest& request, const FitCase& one)
{
    const FitAxis& axis = request.axes.front();
    std::int64_t last = axis.last;
    for (std::size_t i = 0; i < axis.values.size(); ++i)
        last = i == 0 ? axis.values[i].get<std::int64_t>() : std::max(last, axis.values[i].get<std::int64_t>());
    return one.largest == last;
}

std::string furtherRange(const FitRequest& request, const FitCase& one)
{
    constexpr std::int64_t kFurther = 8; // times as far
    const std::int64_t from = one.largest.value_or(1);
    return fmt::format("{}={}..{}", request.axes.front().name, from, std::min(from * kFurther, std::int64_t{1} << 40));
}

Json fitValues(const FitRequest& request, const FitCase& one, std::int64_t value)
{
    Json values = one.fixed;
    values[request.axes.front().name] = value;
    return values;
}

std::string fitSetting(const Json& values)
{
    std::string text;
    for (const auto& [name, value] : values.items())
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, wordOf(value));
    return text;
}

std::vector<std::string> fitCommand(const FitRequest& request, const Json& settings, std::int64_t draw)
{
    std::vector<std::string> command = request.command;
    Json values = settings;
    if (drawIsPlaced(request))
        values["draw"] = draw;
    for (std::string& word : command) {
        for (const auto& [name, value] : values.items()) {
            const std::string place = "{" + name + "}", text = wordOf(value);
            for (std::size_t at = word.find(place); at != std::string::npos; at = word.find(place, at + text.size()))
                word.replace(at, place.size(), text);
        }
    }
    return command;
}

std::map<std::string, std::string> fitVariables(const FitRequest& request, const Json& values)
{
    std::map<std::string, std::string> variables;
    for (const std::string& name : request.variables)
        variables[name] = wordOf(values[name]);
    return variables;
}

Result<std::vector<FitCase>> fitProgram(const FitRequest& request, const FitObserver& tell, const FitListener& waits)
{
    if (const Status checked = checkFit(request); !checked)
        return checked.error();
    return Fitting(request, tell, waits).run();
}

std::int64_t roomOf(const FitRequest& request, const FitCase& one)
{
    const auto usable = static_cast<double>(one.card.bytes - one.card.card.contextBytes);
    return static_cast<std::int64_t>(std::floor(request.target * usable));
}

} // namespace peakscope
