// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a name says of its value: whether it is a secret, whether it is a variable that explains a result. For
// secrets.h, which takes them out of documents, texts and commands. Any thread.
#pragma once

#include <string_view>

namespace peakscope {

// Stands where a secret was.
inline constexpr std::string_view kRemovedSecret = "[removed]";

// "token", "HF_TOKEN_2", "apiKey", "X-Auth-Token"; not "tokenizer", "max_tokens", "pad_token", "token_file".
bool isSecretName(std::string_view name);

// Also what is one on a command line only; documents have innocent ones ("forward_pass", "sort_key").
bool isCommandSecretName(std::string_view name);

// Also what is one in the query of an address only: "key", "sig", "X-Amz-Signature".
bool isQuerySecretName(std::string_view name);

// Letters of any case, digits and '_', no digit first.
bool isIdentifier(std::string_view name);

// The same in capitals, as variables of an environment are written.
bool isVariableName(std::string_view name);

// On the list of variables that explain a result and say nothing else: versions, threads, allocators, schedulers.
bool isHarmlessVariable(std::string_view name);

// Gives nothing away behind whatever name: "", yes, off, null, $NAME, up to four digits.
bool isHarmlessValue(std::string_view value);

// A key of a document under which an environment stands: "env", "environ", "environment_variables", "runtime_env".
bool isEnvironmentKey(std::string_view key);

} // namespace peakscope
