// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a worker of another version says, whose components stand in another order and count one that is not known here.
#pragma once

#include "core/results/component.h"

#include <vector>

namespace peakscope::testing {

inline constexpr const char* kOtherVersionLines =
    R"({"event":"start","id":"other","config":{"kind":"memory"},"components":["quantum_foam","activations","parameters"]}
{"event":"memory","time_seconds":[0.1,0.2,0.3],"delta_bytes":[100,2000,30],"component":[0,1,2]}
{"event":"end","status":"complete"}
)";

// Of the three bytes of its memory event, as this program has them.
inline std::vector<Component> otherVersionComponents()
{
    return {Component::Other, Component::Activations, Component::Parameters};
}

// Its peak is that of the last event.
inline ComponentBytes otherVersionPeak()
{
    ComponentBytes bytes{};
    bytes[static_cast<std::size_t>(Component::Other)] = 100;
    bytes[static_cast<std::size_t>(Component::Activations)] = 2000;
    bytes[static_cast<std::size_t>(Component::Parameters)] = 30;
    return bytes;
}

} // namespace peakscope::testing
