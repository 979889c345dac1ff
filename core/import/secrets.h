// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Access tokens and passwords that scripts write into their result files: found and taken out before a document is
// looked at. Used by the readers; any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Removes members that hold a secret (token, api_key, password, …) and replaces text that is one (hf_…, ghp_…, sk-…).
// Returns the paths of what was removed and was not empty.
std::vector<std::string> dropSecrets(nlohmann::json& document);

// The same for one line of text, such as a message that quotes a file.
std::string withoutSecrets(std::string text);

} // namespace peakscope
