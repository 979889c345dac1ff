// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Documents; commands are in secrets_command.cpp, running text is in secret_text.cpp.
#include "core/base/secrets/secrets.h"

#include "core/base/secrets/secret_names.h"
#include "core/base/secrets/secret_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace peakscope {

namespace {

using Paths = std::vector<std::string>;

bool isEmptyText(const nlohmann::json& value)
{
    return value.is_null() || (value.is_string() && value == "");
}

// A number or a switch is no secret, nor is a table of them (max_token, token: 512).
bool holdsText(const nlohmann::json& value)
{
    if (value.is_structured())
        return std::any_of(value.begin(), value.end(), holdsText);
    return value.is_string() && value != "";
}

bool isTextList(const nlohmann::json& value)
{
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(), [](const auto& word) { return word.is_string(); });
}

bool isCommandKey(std::string_view key)
{
    constexpr std::array<std::string_view, 9> kKeys{"command", "cmd",      "cmdline",  "command_line", "argv",
                                                    "args",    "launcher", "sys_argv", "entrypoint"};
    return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

std::string asShellText(const std::string& text)
{
    return commandWithoutSecrets({"sh", "-c", text}).back();
}

// "HF_TOKEN=…" and "\"token\": \"…\"" in a text; "token: …" may be prose.
std::string withoutNamedSecrets(std::string text)
{
    for (std::size_t at = text.find_first_of("=:"); at != std::string::npos; at = text.find_first_of("=:", at + 1)) {
        const NamedValue found = namedValueAt(text, at);
        const bool close = text[at] == '=' && found.nameBegin + found.name.size() == at;
        const std::string_view value = std::string_view(text).substr(found.begin, found.end - found.begin);
        const bool number = std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c); });
        if ((close || found.quotedName) && isSecretName(found.name) && !number && !isHarmlessValue(value))
            text.replace(found.begin, value.size(), kRemovedSecret);
    }
    return withoutSecrets(std::move(text));
}

void replaceText(nlohmann::json& value, std::string clean, const std::string& path, Paths& dropped)
{
    if (value == clean)
        return;
    dropped.push_back(withoutSecrets(path));
    value = std::move(clean);
}

// A variable of an environment by its name; what isn't known to be harmless goes.
bool isDroppedVariable(std::string_view name)
{
    return isIdentifier(name) && !isHarmlessVariable(name) && (isVariableName(name) || isCommandSecretName(name));
}

// "NAME=value", or {"name": …, "value": …}.
std::string variableOf(const nlohmann::json& entry)
{
    if (entry.is_string()) {
        const std::string& text = entry.get_ref<const std::string&>();
        return text.find('=') == std::string::npos ? "" : text.substr(0, text.find('='));
    }
    if (!entry.is_object() || !entry.contains("value"))
        return "";
    for (const char* key : {"name", "key"}) {
        const auto name = entry.find(key);
        if (name != entry.end() && name->is_string())
            return name->get<std::string>();
    }
    return "";
}

void dropFrom(nlohmann::json& value, const std::string& path, Paths& dropped);

void dropVariables(nlohmann::json& environment, const std::string& path, Paths& dropped)
{
    if (environment.is_string())
        return replaceText(environment, asShellText(environment.get<std::string>()), path, dropped);
    if (environment.is_array()) {
        for (std::size_t i = environment.size(); i-- > 0;) {
            if (!isDroppedVariable(variableOf(environment[i])))
                continue;
            dropped.push_back(withoutSecrets(path) + "[" + std::to_string(i) + "]");
            environment.erase(i);
        }
    } else if (environment.is_object()) {
        for (auto member = environment.begin(); member != environment.end();) {
            if (!isDroppedVariable(member.key())) {
                ++member;
                continue;
            }
            if (!isEmptyText(*member))
                dropped.push_back(withoutSecrets(path + "." + member.key()));
            member = environment.erase(member);
        }
    }
}

void dropMember(const std::string& key, nlohmann::json& value, const std::string& path, Paths& dropped)
{
    if (isEnvironmentKey(key)) {
        dropVariables(value, path, dropped);
    } else if (isCommandKey(key) && value.is_string()) {
        replaceText(value, asShellText(value.get<std::string>()), path, dropped);
    } else if (isCommandKey(key) && isTextList(value)) {
        const std::vector<std::string> clean = commandWithoutSecrets(value.get<std::vector<std::string>>());
        for (std::size_t i = 0; i < clean.size(); ++i)
            replaceText(value[i], clean[i], path + "[" + std::to_string(i) + "]", dropped);
    }
    dropFrom(value, path, dropped);
}

void dropFrom(nlohmann::json& value, const std::string& path, Paths& dropped)
{
    if (value.is_string()) {
        replaceText(value, withoutNamedSecrets(value.get<std::string>()), path, dropped);
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (!value[i].is_number())
                dropFrom(value[i], path + "[" + std::to_string(i) + "]", dropped);
        }
    } else if (value.is_object()) {
        const bool namesSecret = isSecretName(variableOf(value));
        for (auto member = value.begin(); member != value.end();) {
            const std::string own = path.empty() ? member.key() : path + "." + member.key();
            const bool secret = isSecretName(member.key()) || (namesSecret && member.key() == "value");
            if (secret && (holdsText(*member) || isEmptyText(*member))) {
                if (!isEmptyText(*member))
                    dropped.push_back(withoutSecrets(own));
                member = value.erase(member);
            } else {
                dropMember(member.key(), *member, own, dropped);
                ++member;
            }
        }
    }
}

} // namespace

std::vector<std::string> dropSecrets(nlohmann::json& document)
{
    std::vector<std::string> dropped;
    dropFrom(document, "", dropped);
    return dropped;
}

void hideLauncherSecrets(nlohmann::json& experiment)
{
    const auto launcher = experiment.is_object() ? experiment.find("launcher") : experiment.end();
    if (!experiment.is_object() || launcher == experiment.end() || !isTextList(*launcher))
        return;
    *launcher = commandWithoutSecrets(launcher->get<std::vector<std::string>>());
}

} // namespace peakscope
