// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The largest value of a program's argument that fits cards that aren't here, by running the program dry with one value
// after another, each time from its start, two at a time. Used by `fit`; from one thread (dry_runs.h).
#pragma once

#include "core/dry/dry_program.h"
#include "core/dry/fit_search.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace peakscope {

// What varies. The first of a request is searched, each combination of the others is a case of its own.
struct FitAxis {
    std::string name;
    std::int64_t first = 0, last = 0;     // of a range
    std::vector<nlohmann::json> values{}; // of a list: whole numbers or words; empty: a range
};
// "batch=1..64", "batch=8,16,24", "optimizer=adam,sgd". BadInput says what would be right.
Result<FitAxis> fitAxis(const std::string& text);

struct FitRequest {
    std::vector<DryDevice> cards;
    std::vector<FitAxis> axes;
    std::set<std::string> variables;  // names of axes that are variables of the program's environment, too
    double target = 0.95;             // the share of a card beyond its context that a run may take
    std::int64_t steps = 3;           // of an optimiser; then a run is ended
    std::int64_t draws = 5;           // of the program's rows that the largest has to fit, where their lengths differ
    std::vector<std::string> command; // the program and its arguments with {NAME} in them
    std::string ghost;                // as DryProgram's
    std::optional<DryRank> place{};   // one rank of many; which: `ranks`, rising, each of which has to fit
    std::vector<std::int64_t> ranks{};
    bool throughEval = false; // as DryProgram's
};
Status checkFit(const FitRequest& request);
// Whether {draw} stands in the arguments and varies by nothing else: the number of the draw, 0 for the program's own.
bool drawIsPlaced(const FitRequest& request);

// One search.
struct FitCase {
    DryDevice card;                                  // as it was asked for
    nlohmann::json fixed = nlohmann::json::object(); // the values of the other axes
    std::vector<FitPoint> points;                    // by rising value
    std::optional<std::int64_t> largest;             // nothing: not even the first fits
    std::int64_t rows = 0;                           // which all values ran with, as FitDraw's number
};

// What a run may reserve of a card: the target's share of what its context leaves.
std::int64_t roomOf(const FitRequest& request, const FitCase& one);
// The largest value of its axis fits: it is the end of the range, not of the card.
bool atEndOfRange(const FitRequest& request, const FitCase& one);
// What to search next then, as `--vary` takes it: "batch=64..512".
std::string furtherRange(const FitRequest& request, const FitCase& one);

// All values of a point, by name.
nlohmann::json fitValues(const FitRequest& request, const FitCase& one, std::int64_t value);
// Of them or of some, in words: "batch 4, optimizer adam".
std::string fitSetting(const nlohmann::json& values);
// With them: the program and its arguments, and the variables of its environment.
std::vector<std::string> fitCommand(const FitRequest& request, const nlohmann::json& values, std::int64_t draw = 0);
std::map<std::string, std::string> fitVariables(const FitRequest& request, const nlohmann::json& values);

// BadInput: it can't begin. Failed: a program ended otherwise than for lack of memory; the message has its last words.
// Interrupted: by a signal. `tell` is called after each run, `waits` with what one says that waits for another rank,
// which may be for ever.
using FitObserver = std::function<void(const FitCase&, const FitPoint&)>; // the last of its draws is what ran
using FitListener = std::function<void(const FitCase&, std::int64_t value, const std::string& line)>;
Result<std::vector<FitCase>> fitProgram(const FitRequest& request, const FitObserver& tell,
                                        const FitListener& waits = {});

} // namespace peakscope
