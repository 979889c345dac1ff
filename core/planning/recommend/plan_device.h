// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The device that a plan is made for: of the catalogue, of this machine, or a capacity that a user types. Any thread.
#pragma once

#include "core/base/local_device.h"
#include "core/base/result.h"
#include "core/model/catalogue.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/results/plans/plan_document.h"

#include <cstdint>
#include <string>

namespace peakscope {

struct PlanDevice : PlannedDevice {
    // Peak rates for the roofline; 0: unknown.
    double bandwidthBytesPerSecond = 0;
    double float64Flops = 0;
    double float32Flops = 0;
    double bfloat16Flops = 0;
    double float16Flops = 0;
};

PlanDevice planDevice(const CatalogueDevice& device);
// "bytes:80GiB" (any size that parseBytes reads), a catalogue id, or either way of a dry card's name ("dry:CARD",
// "dry:CARD:BYTES"); what is none of these is an error that lists near ids.
// Devices of this machine ("cpu", "cuda:0") are known to the callers that can see them.
Result<PlanDevice> planDeviceFromText(const std::string& text);
// A CPU or CUDA device of this machine, with rates of the catalogue where its name is found there.
PlanDevice planDeviceOfMachine(const LocalDevice& local);

// An estimate as this device's allocator meets it: with its capacity, where it has a caching allocator.
EstimateOptions estimateOptionsOn(const PlanDevice& device);

} // namespace peakscope
