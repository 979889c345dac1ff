// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a document that is read as a whole fits into the memory that is free: the system ends a program that takes
// more, and would take the user's other work with it. Any thread.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace peakscope {

// Bytes that can be taken without swapping, a container's limit counted in; nothing where the kernel does not say.
std::optional<std::uint64_t> freeMemory();

// An error where `size` bytes of text, `factor` times of which are held while they are read, need more than `free`
// (freeMemory() where it is left out). Files below 8 MiB are not asked about.
Status checkMemory(const std::string& name, std::uint64_t size, std::uint64_t factor);
Status checkMemory(const std::string& name, std::uint64_t size, std::uint64_t factor,
                   std::optional<std::uint64_t> free);

} // namespace peakscope
