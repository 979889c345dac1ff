// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the doctor is asked about: a snapshot, whose remedies are settings of the allocator, or a run of our own, whose
// remedies are experiments. Nothing where there is nothing to ask. GUI thread.
#pragma once

#include "app/panels/doctor.h"

#include <QString>

#include <memory>
#include <optional>

namespace peakscope {

struct RunResult;
struct SnapshotRecording;

// "At the peak of 3.20 GiB: Activations 2.00 GiB · …": the largest three. Of a run of our own or a recorded program.
QString peakSentence(const RunResult& result);

std::optional<DoctorCase> doctorCase(const std::shared_ptr<const SnapshotRecording>& recording);
std::optional<DoctorCase> doctorCase(const std::shared_ptr<const RunResult>& result);

} // namespace peakscope
