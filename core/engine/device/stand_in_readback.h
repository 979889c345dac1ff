// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// On a stand-in of a card kernels do nothing. What the engine reads back from it and goes on by is answered here, by what
// the host knows: the tokens and labels that it sent. Elsewhere all of this does nothing. docs/dry-runs.md lists the
// answers. One thread.
#pragma once

#include <c10/core/Device.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>

namespace at {
class Tensor;
}

namespace peakscope {

// Whether this process was started on a stand-in of a card.
bool onStandIn();

// Whole numbers sent to the device (anywhere). On a stand-in the last two tensors' contents are known.
at::Tensor sentTo(c10::Device device, const at::Tensor& onHost);
// What stands in a view of them, on the host; undefined where that is not known, and off a stand-in.
at::Tensor sentContents(const at::Tensor& view);
// `view` on the host: its contents where they were sent, else what the device says.
at::Tensor onHost(const at::Tensor& view);

// The next whole number that this thread reads from the device.
void answerNextRead(std::int64_t value);

// What the stand-in counted, as it reports it: {"refused": […], …}; null off one.
nlohmann::json standInReport();

} // namespace peakscope
