// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where a strategy that was planned for another device can be run: the devices here, and the user's other machines.
// GUI thread.
#pragma once

#include "app/jobs/device_probe.h"
#include "app/parts/launcher_presets.h"
#include "core/results/plans/plan_document.h"
#include "widgets/text/language_texts.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

namespace peakscope {

struct RunPlace {
    LanguageText title;   // "Here, on the processor"
    QString device;       // an experiment's "device"
    QStringList launcher; // empty: this machine
};

// Whether a plan's device is one of this machine, so that its strategies say themselves where they run.
bool isOfThisMachine(const PlannedDevice& device);
// This machine's GPUs first, then the machines, then its processor, which is what a plan for a GPU means least.
std::vector<RunPlace> runPlaces(const std::vector<MachineDevice>& devices, const std::vector<LauncherPreset>& machines);

// The plan's card acted out here; nothing where it can't be, and for an experiment on several ranks.
std::optional<RunPlace> dryPlace(const PlannedDevice& device, const nlohmann::json& experiment);

// The experiment with the memory that the plan counted on as its budget, where it has none of its own.
nlohmann::json withPlannedBudget(nlohmann::json experiment, const PlannedDevice& device);
nlohmann::json placedAt(nlohmann::json experiment, const RunPlace& place);

} // namespace peakscope
