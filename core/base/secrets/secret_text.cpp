// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Secrets that running text shows by their own shape: tokens with a known beginning, private keys, addresses, headers.
#include "core/base/secrets/secret_text.h"

#include "core/base/secrets/secret_names.h"
#include "core/base/secrets/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace peakscope {

namespace {

struct TokenShape {
    std::string_view prefix;
    std::size_t shortest = 16; // of the letters behind the prefix
    enum Kind : std::uint8_t {
        Sure,     // no word begins so
        Wordlike, // "sk-learn-contrib-scripts", "npm_config_cache_folder": there has to be a long piece in it
        Capitals, // of capitals and digits
    } kind = Sure;
};

constexpr std::array<TokenShape, 48> kShapes{{
    {"hf_", 16, TokenShape::Wordlike},
    {"api_org_"},
    {"ghp_"},
    {"gho_"},
    {"ghu_"},
    {"ghs_"},
    {"ghr_"},
    {"github_pat_"},
    {"glpat-"},
    {"glptt-"},
    {"gldt-"},
    {"glrt-"},
    {"sk-proj-"},
    {"sk-ant-"},
    {"sk-or-v1-"},
    {"sk-svcacct-"},
    {"sk-", 16, TokenShape::Wordlike},
    {"sk_live_"},
    {"sk_test_"},
    {"rk_live_"},
    {"rk_test_"},
    {"whsec_"},
    {"xoxa-", 10},
    {"xoxb-", 10},
    {"xoxp-", 10},
    {"xoxr-", 10},
    {"xoxs-", 10},
    {"xapp-", 10},
    {"AKIA", 16, TokenShape::Capitals},
    {"ASIA", 16, TokenShape::Capitals},
    {"AIza", 35},
    {"ya29.", 16},
    {"npm_", 16, TokenShape::Wordlike},
    {"pypi-", 16, TokenShape::Wordlike},
    {"dckr_pat_"},
    {"nvapi-"},
    {"gsk_", 16, TokenShape::Wordlike},
    {"r8_", 16, TokenShape::Wordlike},
    {"SG.", 16, TokenShape::Wordlike},
    {"shpat_"},
    {"lin_api_"},
    {"ntn_", 16, TokenShape::Wordlike},
    {"dop_v1_"},
    {"hvs.", 16},
    {"tskey-", 12},
    {"xai-", 16, TokenShape::Wordlike},
    {"pplx-", 16, TokenShape::Wordlike},
    {"lsv2_"},
}};
constexpr std::string_view kWandb = "wandb_v1_";

bool isTokenLetter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
}

bool isCapitalOrDigit(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::size_t endOfToken(std::string_view text, std::size_t at, bool dots)
{
    while (at < text.size() && (isTokenLetter(text[at]) ||
                                (dots && text[at] == '.' && at + 1 < text.size() && isTokenLetter(text[at + 1]))))
        ++at;
    return at;
}

// Words end before it; so does what is written \n or %20.
bool beginsWord(std::string_view text, std::size_t at, bool sure)
{
    if (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1])))
        return at == 0 || sure || !isTokenLetter(text[at - 1]);
    return (at > 1 && text[at - 2] == '\\') || (at > 2 && text[at - 3] == '%');
}

bool hasLongPiece(std::string_view text)
{
    constexpr std::size_t kLong = 10;
    std::size_t piece = 0;
    for (const char c : text) {
        piece = std::isalnum(static_cast<unsigned char>(c)) ? piece + 1 : 0;
        if (piece >= kLong)
            return true;
    }
    return false;
}

// "eyJ….eyJ….…": a JSON web token.
std::size_t webTokenLength(std::string_view text, std::size_t at)
{
    constexpr std::size_t kShortestPart = 8;
    if (text.substr(at, 3) != "eyJ")
        return 0;
    const std::size_t first = endOfToken(text, at, false);
    if (first - at < kShortestPart || first >= text.size() || text[first] != '.')
        return 0;
    const std::size_t second = endOfToken(text, first + 1, false);
    return second - first > kShortestPart ? endOfToken(text, second, true) - at : 0;
}

// A key's text between "-----BEGIN … PRIVATE KEY…-----" and its end.
std::size_t privateKeyLength(std::string_view text, std::size_t at)
{
    constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
    if (text.substr(at, kBegin.size()) != kBegin)
        return 0;
    const std::size_t head = text.find(kDashes, at + kBegin.size());
    if (text.substr(at, head - at).find("PRIVATE KEY") == std::string_view::npos)
        return 0;
    const std::size_t end = head == std::string_view::npos ? head : text.find(kEnd, head);
    const std::size_t tail = end == std::string_view::npos ? end : text.find(kDashes, end + kEnd.size());
    return tail == std::string_view::npos ? text.size() - at : tail + kDashes.size() - at;
}

// The secret that begins at `at`: its length, or 0.
std::size_t tokenLength(std::string_view text, std::size_t at)
{
    if (const std::size_t key = text[at] == '-' ? privateKeyLength(text, at) : 0)
        return key;
    if (!beginsWord(text, at, true)) // so are most letters of a result with a million names
        return 0;
    if (beginsWord(text, at, false)) {
        if (const std::size_t web = webTokenLength(text, at))
            return web;
    }
    const auto lengthOf = [&](const TokenShape& shape) -> std::size_t {
        if (text.substr(at, shape.prefix.size()) != shape.prefix ||
            !beginsWord(text, at, shape.kind == TokenShape::Sure))
            return 0;
        const std::size_t begin = at + shape.prefix.size();
        const std::size_t end = endOfToken(text, begin, shape.prefix.ends_with('.'));
        const std::string_view rest = text.substr(begin, end - begin);
        const bool is = rest.size() >= shape.shortest && (shape.kind != TokenShape::Wordlike || hasLongPiece(rest)) &&
                        (shape.kind != TokenShape::Capitals || std::all_of(rest.begin(), rest.end(), isCapitalOrDigit));
        return is ? end - at : 0;
    };
    for (const TokenShape& shape : kShapes) {
        if (const std::size_t length = lengthOf(shape))
            return length;
    }
    return lengthOf({kWandb});
}

void hideTokens(std::string& text)
{
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const std::size_t length = tokenLength(text, at)) {
            text.replace(at, length, kRemovedSecret);
            at += kRemovedSecret.size() - 1;
        }
    }
}

// "?key=…", "&X-Amz-Signature=…", "#access_token=…".
void hideQueries(std::string& text)
{
    for (std::size_t at = text.find_first_of("?&#"); at != std::string::npos; at = text.find_first_of("?&#", at + 1)) {
        const std::size_t begin = text.compare(at, 5, "&amp;") == 0 ? at + 5 : at + 1;
        std::size_t end = begin;
        while (end < text.size() && (isTokenLetter(text[end]) || text[end] == '.'))
            ++end;
        if (end == begin || end >= text.size() || text[end] != '=' ||
            !isQuerySecretName(std::string_view(text).substr(begin, end - begin)))
            continue;
        const std::size_t value = end + 1;
        const std::size_t length = std::min(text.find_first_of("&# \t\r\n\"'<>\\", value), text.size()) - value;
        if (!isHarmlessValue(std::string_view(text).substr(value, length)))
            text.replace(value, length, kRemovedSecret);
    }
}

// "https://user:password@host", "https://0123456789abcdef@host".
void hideAddresses(std::string& text)
{
    constexpr std::string_view kScheme = "://";
    for (std::size_t at = text.find(kScheme); at != std::string::npos; at = text.find(kScheme, at + 1)) {
        const std::size_t user = at + kScheme.size();
        const std::size_t end = std::min(text.find_first_of(" \t\r\n\"'<>\\,", user), text.size());
        const std::size_t path = std::min(text.find('/', user), end);
        std::size_t host = text.rfind('@', path);
        // A password may hold a slash; a port before one is none.
        const std::size_t colon = text.find(':', user);
        const std::size_t digits = std::min(text.find_first_not_of("0123456789", colon + 1), end);
        if ((host == std::string::npos || host < user) && colon < path && digits < path)
            host = text.rfind('@', end);
        if (host == std::string::npos || host < user || host >= end)
            continue;
        constexpr std::size_t kShortestUser = 16; // that is a token
        const std::size_t password = std::min(colon, host) + 1;
        if (colon < host && !isHarmlessValue(std::string_view(text).substr(password, host - password)))
            text.replace(colon + 1, host - colon - 1, kRemovedSecret);
        else if (colon > host && host - user >= kShortestUser && at >= 4 &&
                 (text.compare(at - 4, 4, "http") == 0 || text[at - 1] == 's'))
            text.replace(user, host - user, kRemovedSecret);
    }
}

bool startsLike(std::string_view text, std::size_t at, std::string_view lower)
{
    const std::string_view part = text.substr(at, lower.size());
    return std::equal(part.begin(), part.end(), lower.begin(), lower.end(),
                      [](unsigned char a, char b) { return std::tolower(a) == b; });
}

// "Bearer …", "Authorization: …", "Cookie: …".
void hideHeaders(std::string& text)
{
    constexpr std::array<std::string_view, 4> kHeads{"authorization: ", "cookie: ", "bearer ", "authorization:basic "};
    constexpr std::size_t kShortestValue = 6; // "bearer of", "Cookie: yes"
    constexpr std::size_t kLongestWord = 12;  // of letters alone, "bearer transport"
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])))
            continue;
        for (const std::string_view head : kHeads) {
            if (!startsLike(text, at, head))
                continue;
            const bool one = head == "bearer ";
            const std::size_t value = at + head.size();
            const std::size_t end =
                std::min(text.find_first_of(one ? " \t\r\n\"'\\,;" : "\r\n\"'", value), text.size());
            const std::string_view found = std::string_view(text).substr(value, end - value);
            const bool word =
                one && found.size() < kLongestWord &&
                std::all_of(found.begin(), found.end(), [](unsigned char c) { return std::islower(c) || c == ':'; });
            if (found.size() >= kShortestValue && !word && !isHarmlessValue(found) &&
                found.find(kRemovedSecret) == std::string_view::npos && found.find(" $") == std::string_view::npos)
                text.replace(value, found.size(), kRemovedSecret);
        }
    }
}

bool isQuote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

std::size_t backslashesBefore(std::string_view text, std::size_t at)
{
    std::size_t count = 0;
    while (count < at && text[at - count - 1] == '\\')
        ++count;
    return count;
}

} // namespace

NamedValue namedValueAt(std::string_view text, std::size_t sign)
{
    NamedValue found;
    std::size_t end = sign;
    while (end > 0 && (text[end - 1] == ' ' || (text[sign] == '=' && (text[end - 1] == ':' || text[end - 1] == '+'))))
        --end;
    const std::size_t unquoted = end;
    while (end > 0 && (isQuote(text[end - 1]) || text[end - 1] == '\\'))
        --end;
    found.quotedName = end < unquoted;
    found.nameBegin = end;
    while (found.nameBegin > 0 && (isTokenLetter(text[found.nameBegin - 1]) || text[found.nameBegin - 1] == '.'))
        --found.nameBegin;
    found.name = text.substr(found.nameBegin, end - found.nameBegin);
    std::size_t at = sign + 1;
    while (at < text.size() && text[sign] == '=' && (text[at] == '=' || text[at] == '>')) // "==", "=>"
        ++at;
    at = std::min(text.find_first_not_of(" \t\\=", at), text.size());
    found.quoted = at < text.size() && isQuote(text[at]);
    if (!found.quoted) {
        found.begin = at;
        if (text.substr(at, kRemovedSecret.size()) == kRemovedSecret)
            at += kRemovedSecret.size();
        found.end = std::min(text.find_first_of(" \t\r\n,;&|\"'`)}]", at), text.size());
        return found;
    }
    const std::size_t escapes = backslashesBefore(text, at);
    found.begin = at + 1;
    found.end = text.find(text[at], found.begin);
    while (found.end != std::string_view::npos && backslashesBefore(text, found.end) > escapes)
        found.end = text.find(text[at], found.end + 1);
    found.end = found.end == std::string_view::npos
                    ? text.size()
                    : std::max(found.begin, found.end - backslashesBefore(text, found.end));
    return found;
}

std::string withoutSecrets(std::string text)
{
    hideTokens(text);
    hideQueries(text);
    hideAddresses(text);
    hideHeaders(text);
    return text;
}

} // namespace peakscope
