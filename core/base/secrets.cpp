// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <iterator>

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

// ---- commands

bool endsWithAny(std::string_view name, std::initializer_list<std::string_view> endings)
{
    return std::any_of(endings.begin(), endings.end(), [name](std::string_view end) { return name.ends_with(end); });
}

// On a command line a name that ends so has a secret behind it; documents have innocent ones ("forward_pass").
bool isCommandSecretName(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
    const std::string name = asSecretName(text);
    return isSecretName(name) || name == "pass" || name == "pw" ||
           endsWithAny(name, {"token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "secretkey",
                              "privatekey", "credential", "credentials", "sshpass", "_key", "_pass", "_pwd", "_pat",
                              "_auth"});
}

// "no", "$HF_TOKEN", "16": words behind such a name that give nothing away.
bool isHarmlessValue(std::string_view value)
{
    const std::string_view first = value.substr(0, value.find_first_of(" \t\n,;&|\"'"));
    if (first.empty())
        return value.find_first_not_of(" \t\n") == std::string_view::npos;
    constexpr std::array<std::string_view, 7> kSwitches{"yes", "no", "true", "false", "on", "off", kRemoved};
    if (std::find(kSwitches.begin(), kSwitches.end(), first) != kSwitches.end())
        return true;
    if (first.size() <= 4 && std::all_of(first.begin(), first.end(), [](unsigned char c) { return std::isdigit(c); }))
        return true;
    const bool braces = first.starts_with("${") && first.ends_with('}');
    const std::string_view name = braces ? first.substr(2, first.size() - 3) : first.substr(1);
    return first.front() == '$' && !name.empty() && std::all_of(name.begin(), name.end(), isPart);
}

void removeFrom(std::string& word, std::size_t at)
{
    word.replace(at, std::string::npos, kRemoved);
}

// "HF_TOKEN=…", "--env=HF_TOKEN=…", "Authorization: Bearer …".
void hideNamedValue(std::string& word)
{
    for (std::size_t at = word.find_first_of("=:"); at != std::string::npos; at = word.find_first_of("=:", at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && isPart(word[begin - 1]))
            --begin;
        if (!isCommandSecretName(std::string_view(word).substr(begin, at - begin)))
            continue;
        const std::size_t value = std::min(word.find_first_not_of(" '\"", at + 1), word.size());
        if (!isHarmlessValue(std::string_view(word).substr(value)))
            return removeFrom(word, value);
    }
    constexpr std::string_view kBearer = "Bearer ";
    if (const std::size_t bearer = word.find(kBearer); bearer != std::string::npos)
        removeFrom(word, bearer + kBearer.size());
}

// "user:password@host", with or without "ssh://". A port before a comma or a slash is none ("a@b:22,c@d").
void hidePassword(std::string& word)
{
    const std::size_t at = word.rfind('@');
    if (at == std::string::npos || at == 0 || word.compare(at, 8, "@sha256:") == 0)
        return;
    const std::size_t blank = word.find_last_of(" \t\n", at);
    const std::size_t scheme = word.find("://", blank == std::string::npos ? 0 : blank);
    const std::size_t user = scheme < at ? scheme + 3 : blank == std::string::npos ? 0 : blank + 1;
    for (std::size_t colon = word.find(':', user); colon < at; colon = word.find(':', colon + 1)) {
        const std::size_t digits = std::min(word.find_first_not_of("0123456789", colon + 1), word.size());
        if (digits > colon + 1 && (word[digits] == ',' || word[digits] == '/'))
            continue;
        word.replace(colon + 1, at - colon - 1, kRemoved);
        return;
    }
}

// What the word before says of this one.
void hideArgument(const std::string& before, std::string& word)
{
    if (before.starts_with('-') && before.find('=') == std::string::npos && isCommandSecretName(before)) {
        if (!word.starts_with("--") && !isHarmlessValue(word))
            word = kRemoved;
    } else if (before == "-u" || before == "--user") {
        const std::size_t colon = word.find(':');
        if (colon != std::string::npos && !isHarmlessValue(std::string_view(word).substr(colon + 1)))
            removeFrom(word, colon + 1);
    }
}

// "sshpass -p PASSWORD ssh host", "sshpass -pPASSWORD …"; its -f, -d and -P have harmless words behind them.
void hidePassOfSshpass(std::vector<std::string>& words, std::size_t program)
{
    for (std::size_t i = program + 1; i < words.size() && words[i].starts_with('-'); ++i) {
        const std::string& option = words[i];
        if (option == "-p" && i + 1 < words.size())
            words[++i] = kRemoved;
        else if (option.starts_with("-p"))
            removeFrom(words[i], 2);
        else if (option == "-f" || option == "-d" || option == "-P")
            ++i;
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

std::vector<std::string> commandWithoutSecrets(std::vector<std::string> words)
{
    const std::vector<std::string> given = words;
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = withoutSecrets(std::move(words[i]));
        hideNamedValue(words[i]);
        hidePassword(words[i]);
        if (i > 0)
            hideArgument(given[i - 1], words[i]);
        if (i > 1 && given[i - 2] == "--setenv" && isCommandSecretName(given[i - 1]))
            words[i] = kRemoved;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i].substr(given[i].rfind('/') + 1) == "sshpass")
            hidePassOfSshpass(words, i);
    }
    return words;
}

std::string withoutSecretsOf(const std::vector<std::string>& words, std::string text)
{
    const std::vector<std::string> clean = commandWithoutSecrets(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto [own, other] = std::mismatch(words[i].begin(), words[i].end(), clean[i].begin(), clean[i].end());
        if (own == words[i].end())
            continue;
        const auto tail = std::mismatch(words[i].rbegin(), std::make_reverse_iterator(own), clean[i].rbegin(),
                                        std::make_reverse_iterator(other));
        const std::string secret(own, tail.first.base());
        constexpr std::size_t kShortest = 4; // less would be found in every text
        for (std::size_t at = text.find(secret); secret.size() >= kShortest && at != std::string::npos;
             at = text.find(secret, at + kRemoved.size()))
            text.replace(at, secret.size(), kRemoved);
    }
    return withoutSecrets(std::move(text));
}

const std::string* wordWithoutSecret(const std::vector<std::string>& words)
{
    const auto found = std::find_if(words.begin(), words.end(),
                                    [](const std::string& word) { return word.find(kRemoved) != std::string::npos; });
    return found == words.end() ? nullptr : &*found;
}

void hideLauncherSecrets(nlohmann::json& experiment)
{
    const auto launcher = experiment.is_object() ? experiment.find("launcher") : experiment.end();
    if (!experiment.is_object() || launcher == experiment.end() || !launcher->is_array())
        return;
    const bool texts =
        std::all_of(launcher->begin(), launcher->end(), [](const auto& word) { return word.is_string(); });
    if (texts)
        *launcher = commandWithoutSecrets(launcher->get<std::vector<std::string>>());
}

} // namespace peakscope
