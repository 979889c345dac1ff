// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Access tokens and passwords: those that scripts write into their result files are found and taken out before a
// document is looked at, those in a launcher's words before they are written anywhere. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

// Removes members that hold a secret (token, api_key, password, …), of environments all variables but those that are
// known to be harmless (secret_names.h), and replaces text that is or names one. Returns the paths of what was removed
// and was not empty.
std::vector<std::string> dropSecrets(nlohmann::json& document);

// One text, such as a message that quotes a file, without what is a secret by its own shape: hf_…, ghp_…, sk-…, private
// keys, passwords and keys in addresses, "Authorization: …".
std::string withoutSecrets(std::string text);

// The words of a command with its secrets replaced: the value of each variable that is not known to be harmless, of
// options, headers, JSON and addresses by their names (--token …, Authorization: …, ?key=…), passwords (user:…@host,
// sshpass -p …), and what is one by itself. A secret may reach to the end of its word: rather too much is replaced than
// too little.
std::vector<std::string> commandWithoutSecrets(std::vector<std::string> words);

// Other text, such as what the command said, without the secrets of its words.
std::string withoutSecretsOf(const std::vector<std::string>& words, std::string text);

// The first word that has lost its secret in one of these ways; nullptr where the command can be run.
const std::string* wordWithoutSecret(const std::vector<std::string>& words);

// Replaces the secrets of an experiment's "launcher".
void hideLauncherSecrets(nlohmann::json& experiment);

} // namespace peakscope
