// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an experiment's keys may not say together. Called once each is read by itself, with a model that is known.
#pragma once

#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"

namespace peakscope {

// Adds a problem, at its key, for each.
void checkTogether(const Experiment& experiment, Problems& problems);

} // namespace peakscope
