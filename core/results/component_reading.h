// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the bytes under memory.peak_components are. The ledger reads them at the peak, where they sum to it; other
// programs wrote them down after the step, or added them up over iterations, and such parts are shown apart from the
// peak. Stored under "memory" as "components_measured" ("after_step"; absent: at the peak) and "components_cumulated"
// (a list of components); "components_guessed" (true) of a run that never came to classify them, "components_inferred"
// (true) where the recording does not name them. Pure functions.
#pragma once

#include "core/results/run_result.h"

#include <algorithm>
#include <array>

namespace peakscope {

enum class ComponentReading {
    AtPeak,    // alive together at the peak, which they sum to
    AfterStep, // alive together when the step was over
    Cumulated, // added up over the iterations: never alive together, may exceed the peak
    Apart,     // said to be of the peak, but what is said does not sum to it
};
inline constexpr std::size_t kComponentReadingCount = 4;
template <>
inline constexpr std::array<std::string_view, kComponentReadingCount> kEnumWords<ComponentReading>{
    "at_peak", "after_step", "cumulated", "apart"};

// Of a run without components: AtPeak.
ComponentReading componentReading(const RunResult& result, Component component);
// Whether all components were alive at the peak and sum to it, so that they may be stacked to it.
bool componentsAreAtPeak(const RunResult& result);
// How the components that are not cumulated were read.
ComponentReading commonReading(const RunResult& result);
std::vector<Component> cumulatedComponents(const RunResult& result);
// The sum of those that are not cumulated: what was alive together.
std::int64_t commonBytes(const RunResult& result);

using ComponentReadings = std::array<ComponentReading, kComponentCount>;
ComponentReadings componentReadings(const RunResult& result);

// The column of tables that such bytes stand in: "bytes_at_peak", "bytes_after_step", "bytes_cumulated",
// "bytes_listed".
std::string_view readingColumn(ComponentReading reading);

// What an allocation counts as when it is made, until the run's end says what it outlived. The other components are
// told by whoever allocates.
inline constexpr std::array kFirstGuesses{Component::Activations, Component::ActivationGradients, Component::Workspace,
                                          Component::Hessian};
inline bool isFirstGuess(Component component)
{
    return std::find(kFirstGuesses.begin(), kFirstGuesses.end(), component) != kFirstGuesses.end();
}
// How far the components can be believed.
enum class ComponentDoubt {
    None,
    FirstGuesses, // nothing more is known of those that an allocation counts as when it is made
    Inferred,     // all were inferred from stacks and lifetimes
};
ComponentDoubt componentDoubt(const RunResult& result);
bool isDoubtful(ComponentDoubt doubt, Component component);
// Say so, the first with a note.
void setGuessed(RunResult& result);
void setInferred(RunResult& result);
void setRecorded(RunResult& result); // no more
// Whether the modules' bytes are increases between hooks, forward as activations and backward as gradients, rather than
// what belongs to a module.
bool modulesAreHookIncreases(const RunResult& result);

// Says so in a result that another program wrote.
void setHookIncreases(RunResult& result);
void setReadAfterStep(RunResult& result);
void setCumulated(RunResult& result, Component component);

} // namespace peakscope
