// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/fit_command.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/output_path.h"
#include "core/base/secrets/secrets.h"
#include "core/base/terminal.h"
#include "core/base/units.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/cli/programs/engine_choice.h"
#include "core/dry/dry_ranks.h"
#include "core/dry/fit_result.h"
#include "core/protocol/event_output.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace peakscope {

namespace {

Result<FitRequest> requestOf(const FitArguments& arguments)
{
    FitRequest request;
    for (const std::string& name : arguments.devices) {
        const auto card = dryDevice(name);
        if (!card)
            return card.error();
        request.cards.push_back(*card);
    }
    for (const std::string& text : arguments.vary) {
        const auto axis = fitAxis(text);
        if (!axis)
            return axis.error();
        request.axes.push_back(*axis);
    }
    request.variables = {arguments.variables.begin(), arguments.variables.end()};
    request.target = arguments.target;
    request.steps = arguments.program.steps;
    request.draws = arguments.draws;
    request.command = commandOf(arguments.program);
    request.throughEval = arguments.program.throughEval;
    request.ghost = arguments.program.ghost;
    if (arguments.program.world > 0) {
        const auto ranks = dryRanks(arguments.program.ranks, arguments.program.world);
        if (!ranks)
            return ranks.error();
        request.place = DryRank{arguments.program.world, 0, arguments.program.perNode};
        request.ranks = *ranks;
    }
    if (const Status checked = checkFit(request); !checked)
        return checked.error();
    return request;
}

std::string rowsOf(const FitPoint& point)
{
    if (point.draws.size() > 1)
        return fmt::format("{} draws", point.draws.size());
    const std::int64_t draw = point.draws.empty() ? 0 : point.draws.front().number;
    return draw == FitDraw::kLongest ? "longest" : draw == 0 ? "first" : fmt::format("draw {}", draw + 1);
}

// What is said while it searches: on standard error, and as events.
class FitCourse
{
public:
    explicit FitCourse(const FitRequest& request) : m_request(request) {}

    // With the first event.
    Status open(const FitArguments& arguments)
    {
        if (const Status opened = m_events.open(arguments.events); !opened)
            return opened;
        nlohmann::json config = {
            {"kind", "fit"},
            {"devices", arguments.devices},
            {"vary", arguments.vary},
            {"program", {{"command", commandWithoutSecrets(m_request.command)}, {"steps", m_request.steps}}}};
        if (m_request.place)
            config["program"]["world"] = m_request.place->world;
        m_events.send(StartEvent{newRunId(), isoTimeUtc(), std::move(config), {}});
        return Done{};
    }

    // The searches as far as they came.
    const std::vector<FitCase>& searched() const { return m_searched; }

    void tellPoint(const FitCase& one, const FitPoint& point)
    {
        const auto known = std::ranges::find_if(m_searched, [&one](const FitCase& each) {
            return each.card.name() == one.card.name() && each.fixed == one.fixed;
        });
        (known == m_searched.end() ? m_searched.emplace_back() : *known) = one;
        const FitDraw& ran = point.draws.back();
        const std::string rows = ran.number == FitDraw::kLongest ? ", longest rows"
                                 : ran.number > 0 ? fmt::format(", draw {} of {}", ran.number + 1, m_request.draws)
                                                  : "";
        const std::string rank = m_request.place ? fmt::format(", rank {}", point.rank) : "";
        const std::string text = fmt::format(
            "{}{}{}, dry on {}: {}", fitSetting(fitValues(m_request, one, point.value)), rows, rank, one.card.card.name,
            !ran.ended.empty() ? ran.ended
            : ran.fits         ? formatBytes(ran.reservedBytes) + " reserved"
                               : "out of memory in " + formatBytes(roomOf(m_request, one)));
        printError("peakscope: {}\n", text);
        nlohmann::json values = {{"device", one.card.card.id},
                                 {"values", fitValues(m_request, one, point.value)},
                                 {"draw", ran.number},
                                 {"fits", ran.fits && ran.ended.empty()},
                                 {"allocated_bytes", ran.allocatedBytes},
                                 {"reserved_bytes", ran.reservedBytes}};
        if (m_request.place)
            values["rank"] = point.rank;
        if (!ran.ended.empty())
            values["message"] = ran.ended;
        m_events.send(PointEvent{std::move(values)});
        m_events.send(progress(text, ++m_runs));
    }

    void tellWait(const FitCase& one, std::int64_t value, const std::string& line)
    {
        const std::string text =
            fmt::format("{}, dry on {}: {}", fitSetting(fitValues(m_request, one, value)), one.card.card.name, line);
        printError("peakscope: {}\n", text);
        m_events.send(progress(text, m_runs));
    }

    int fail(Error error)
    {
        if (error.code == ErrorCode::Failed) {
            if (const std::string missing = whoseTorchIsMissing(m_request.command, "peakscope-cli fit … --");
                !missing.empty())
                error.message += "; " + missing;
        }
        EndEvent end{error.code == ErrorCode::Interrupted ? RunStatus::Interrupted : RunStatus::Failed, error.text()};
        end.badInput = error.code == ErrorCode::BadInput;
        m_events.send(end);
        return report(error);
    }
    int end(const std::string& file, std::vector<std::string> notes)
    {
        EndEvent end{RunStatus::Complete, "", std::move(notes)};
        end.file = file;
        m_events.send(end);
        const Status told = m_events.close();
        return told ? 0 : report(told.error());
    }
    bool isOnStandardOutput() const { return m_events.isOnStandardOutput(); }

private:
    // How many runs a search takes is not known before.
    static ProgressEvent progress(const std::string& text, std::int64_t runs) { return {0, std::nullopt, text, runs}; }

    const FitRequest& m_request;
    EventOutput m_events;
    std::int64_t m_runs = 0;
    std::vector<FitCase> m_searched;
};

// Dry runs take minutes: those that ended are kept where the search does not end.
Status saveUnfinished(const FitRequest& request, std::vector<FitCase> cases, const Error& why, const std::string& out)
{
    for (FitCase& one : cases) {
        for (const FitPoint& point : one.points) { // by rising value
            if (point.fits())
                one.largest = point.value;
        }
    }
    RunResult result = fitResult(request, cases);
    result.status = why.code == ErrorCode::Interrupted ? RunStatus::Interrupted : RunStatus::Failed;
    result.message = why.text();
    result.notes.push_back("the search did not end: more may fit than the largest that ran");
    return saveRunResult(result, out);
}

// Of a run that ended for lack of memory the bytes are those before.
std::string reservedText(const FitPoint& point)
{
    return (point.draws.back().fits ? "" : "> ") + formatBytes(point.reservedBytes);
}

void printCase(const FitRequest& request, const FitCase& one)
{
    const std::string& what = request.axes.front().name;
    print("{}{}, {} and {} of the context{}\n\n", one.card.card.name,
          one.fixed.empty() ? "" : ", " + fitSetting(one.fixed),
          formatBytes(one.card.bytes - one.card.card.contextBytes), formatBytes(one.card.card.contextBytes),
          request.target < 1 ? fmt::format("; {:g} of what is beyond it may be taken", request.target) : "");
    const bool draws = std::ranges::any_of(one.points, [](const FitPoint& point) { return point.draws.size() > 1; });
    print("{:>12}  {:>10}  {:>10}  {}{}verdict\n", what, "allocated", "reserved", request.place ? "  rank  " : "",
          draws ? "rows      " : "");
    for (const FitPoint& point : one.points)
        print("{:>12}  {:>10}  {:>10}  {}{}{}\n", point.value, formatBytes(point.allocatedBytes),
              reservedText(point), request.place ? fmt::format("{:>6}  ", point.rank) : "",
              draws ? fmt::format("{:<10}", rowsOf(point)) : "", name(point.verdict));
    if (const auto line = caseLine(one))
        print("\nallocated: {} and {} for each of {}\n", formatBytes(std::llround(line->bytesAtZero)),
              formatBytes(std::llround(line->bytesEach)), what);
    for (const std::string& remark : fitRemarks(request, one))
        print("  {}\n", remark);
    if (one.largest && atEndOfRange(request, one))
        print("\nat least {} {} fits (the end of the range; go on with --vary {})\n    {}\n\n", what, *one.largest,
              furtherRange(request, one), largestCommand(request, one));
    else if (one.largest)
        print("\nthe largest {} that fits: {}\n    {}\n\n", what, *one.largest, largestCommand(request, one));
    else
        print("\nnot even {} {} fits\n\n", what, one.points.front().value);
}

} // namespace

CLI::App* addFitCommand(CLI::App& app, FitArguments& arguments)
{
    CLI::App* command = app.add_subcommand(
        "fit", "Find the largest batch (or another number) with which your own Python program fits a GPU");
    command
        ->add_option("--device", arguments.devices,
                     "dry:CARD[,dry:CARD…] or dry:CARD:BYTES (peakscope-cli devices --catalogue)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->required();
    command
        ->add_option("--vary", arguments.vary,
                     "NAME=FIRST..LAST or NAME=A,B,C: values for {NAME} in the arguments. Searches the first for each "
                     "combination of the others")
        ->allow_extra_args(false)
        ->required();
    command->add_option("--env", arguments.variables, "NAME: also set the environment variable NAME")
        ->allow_extra_args(false);
    command->add_option("--target", arguments.target,
                        "The share of the card's memory, less its context, that may be reserved (0.95)");
    command->add_option("--draws", arguments.draws, "If rows differ in length: the number of draws that must fit (5)");
    addProgramOptions(*command, arguments.program, "python train.py --batch {batch}");
    command->add_option("--out", arguments.out, "The result file, a sweep");
    command->add_option("--events", arguments.events, "Write events to a file, or - for standard output");
    command->add_flag("--json", arguments.json, "Print JSON");
    return command;
}

int fitCommand(const FitArguments& arguments)
{
    const auto request = requestOf(arguments);
    if (!request)
        return report(request.error());
    if (const int refused = askPython(request->cards.front(), arguments.program.python))
        return refused;
    const std::string out = outputPath(arguments.out);
    if (const Status apart = streamsApart(arguments.events, out, arguments.json); !apart)
        return report(apart.error());
    if (!out.empty()) {
        if (const Status folder = makeFolderOfFile(out); !folder)
            return report(folder.error());
    }
    if (isStandardOutput(out))
        sayOnStandardError();
    FitCourse course(*request);
    if (const Status opened = course.open(arguments); !opened)
        return report(opened.error());
    const auto cases = fitProgram(
        *request, [&course](const FitCase& one, const FitPoint& point) { course.tellPoint(one, point); },
        [&course](const FitCase& one, std::int64_t value, const std::string& line) {
            course.tellWait(one, value, line);
        });
    if (!cases) {
        if (!out.empty() && !course.searched().empty()) {
            if (const Status saved = saveUnfinished(*request, course.searched(), cases.error(), out); !saved)
                return course.fail(saved.error());
            printError("peakscope: what ran until then is in {}\n", out);
        }
        return course.fail(cases.error());
    }
    if (!out.empty()) {
        if (const Status saved = saveRunResult(fitResult(*request, *cases), out); !saved)
            return course.fail(saved.error());
    }
    const std::vector<std::string> notes = fitNotes(*request, *cases);
    if (arguments.json) {
        standardOutput().json(dumpJson(toJson(*request, *cases)));
    } else if (!course.isOnStandardOutput()) {
        for (const FitCase& one : *cases)
            printCase(*request, one);
        for (const std::string& note : notes)
            print("note: {}\n", note);
    }
    return course.end(out, notes);
}

} // namespace peakscope
