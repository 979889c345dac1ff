// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace peakscope {

namespace {

constexpr std::array<std::string_view, 12> kSecretNames{"token",      "api_key",    "apikey",        "secret",
                                                        "password",   "passwd",     "auth",          "auth_key",
                                                        "access_key", "credential", "authorization", "credentials"};
constexpr std::array<std::string_view, 6> kEndings{"_token",    "_api_key",    "_secret",
                                                   "_password", "_access_key", "_secret_key"};
// Tokens of a vocabulary, not of an account.
constexpr std::array<std::string_view, 9> kWords{"pad", "bos", "eos", "unk", "mask", "sep", "cls", "per", "image"};
constexpr std::array<std::string_view, 7> kPrefixes{"hf_", "ghp_", "gho_", "github_pat_", "sk-", "xoxb-", "glpat-"};
constexpr std::size_t kShortestSecret = 16; // of the letters behind a prefix
constexpr std::string_view kRemoved = "[removed]";

std::string asSecretName(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(c == '-' ? '_' : std::tolower(c)); });
    return out;
}

bool isSecretName(std::string_view key)
{
    const std::string name = asSecretName(key);
    if (std::find(kSecretNames.begin(), kSecretNames.end(), name) != kSecretNames.end())
        return true;
    for (const std::string_view ending : kEndings) {
        if (name.size() <= ending.size() || !name.ends_with(ending))
            continue;
        const std::string_view front(name.data(), name.size() - ending.size());
        return std::none_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return front.ends_with(word); });
    }
    return false;
}

bool isPart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
}

// The secret that begins at `at`: its length, or 0.
std::size_t secretLength(std::string_view text, std::size_t at)
{
    if (at > 0 && isPart(text[at - 1]))
        return 0;
    for (const std::string_view prefix : kPrefixes) {
        if (text.substr(at, prefix.size()) != prefix)
            continue;
        std::size_t end = at + prefix.size();
        while (end < text.size() && isPart(text[end]))
            ++end;
        return end - at - prefix.size() >= kShortestSecret ? end - at : 0;
    }
    return 0;
}

// Nothing to hide: null, false, an empty text, numbers.
bool isEmpty(const nlohmann::json& value)
{
    return value.is_null() || value.is_boolean() || value.is_number() || (value.is_string() && value == "");
}

void dropFrom(nlohmann::json& value, const std::string& path, std::vector<std::string>& dropped)
{
    if (value.is_string()) {
        std::string& text = value.get_ref<std::string&>();
        std::string clean = withoutSecrets(text);
        if (clean != text) {
            dropped.push_back(path);
            text = std::move(clean);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (!value[i].is_number())
                dropFrom(value[i], path + "[" + std::to_string(i) + "]", dropped);
        }
    } else if (value.is_object()) {
        for (auto member = value.begin(); member != value.end();) {
            const std::string own = withoutSecrets(path.empty() ? member.key() : path + "." + member.key());
            // A number or a switch of that name is no secret (max_token, token: 512).
            if (isSecretName(member.key()) && !member->is_number() && !member->is_boolean()) {
                if (!isEmpty(*member))
                    dropped.push_back(own);
                member = value.erase(member);
            } else {
                dropFrom(*member, own, dropped);
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

std::string withoutSecrets(std::string text)
{
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const std::size_t length = secretLength(text, at)) {
            text.replace(at, length, kRemoved);
            at += kRemoved.size() - 1;
        }
    }
    return text;
}

} // namespace peakscope
