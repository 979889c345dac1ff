// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a command and what it said.
#include "core/base/secrets/secret_names.h"
#include "core/base/secrets/secret_text.h"
#include "core/base/secrets/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace peakscope {

namespace {

using Words = std::vector<std::string>;

constexpr int kDeepestShell = 4; // sh -c "sh -c '…'"
constexpr std::string_view kPartingLetters = " \t\r\n;|&";

template <std::size_t N>
bool isAmong(std::string_view text, const std::array<std::string_view, N>& list)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

void removeFrom(std::string& word, std::size_t at)
{
    word.replace(at, std::string::npos, kRemovedSecret);
}

std::string_view programOf(std::string_view word)
{
    return word.substr(word.rfind('/') + 1);
}

// What the words before say of a word.
struct Place {
    std::size_t variable = std::string::npos; // where a NAME= of whatever letters is a variable's
    bool shell = false;                       // a line for a shell
};

// Options that have NAME=value behind them.
constexpr std::array<std::string_view, 12> kVariableOptions{
    "-e",   "--env",    "-x",      "--setenv",    "-genv",           "--genv",
    "-env", "--export", "-setenv", "--build-arg", "--container-env", "-E"};
// … and NAME value.
constexpr std::array<std::string_view, 6> kPairOptions{"--setenv", "-setenv", "setenv", "-genv", "--genv", "-env"};

std::vector<Place> placesOf(const Words& words)
{
    constexpr std::array<std::string_view, 4> kSetters{"env", "export", "declare", "setx"};
    constexpr std::array<std::string_view, 6> kTakesWord{"-u", "--unset", "-C", "--chdir", "-a", "--argv0"};
    std::vector<Place> places(words.size());
    bool setter = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i], before = i > 0 ? std::string_view(words[i - 1]) : "";
        const bool value = isAmong(before, kTakesWord);
        if (setter || isAmong(before, kVariableOptions))
            places[i].variable = 0;
        const std::size_t sign = word.find('=');
        if (sign != std::string_view::npos && isAmong(word.substr(0, sign), kVariableOptions))
            places[i].variable = sign + 1;
        places[i].shell = before == "eval" || (before.size() > 1 && before.size() < 5 && before.front() == '-' &&
                                               (before.back() == 'c' || before.back() == 'S'));
        setter = isAmong(programOf(word), kSetters) ||
                 (setter && (word.starts_with('-') || value || sign != std::string_view::npos));
    }
    return places;
}

// The variable that a NAME= sets: "HF_TOKEN", "-eHF_TOKEN".
std::string_view variableOfName(const NamedValue& found, const Place& place)
{
    std::string_view name = found.name;
    if (name.size() > 2 && name[0] == '-' && name[1] != '-' && isVariableName(name.substr(2)))
        return name.substr(2);
    if (isVariableName(name) || (found.nameBegin == place.variable && isIdentifier(name)))
        return name;
    return {};
}

// Whether the value gives nothing away, with all that may belong to it. A comma, a semicolon and the like end one only
// where something of its own follows.
bool isHarmlessAt(std::string_view word, const NamedValue& found, bool whole)
{
    const std::string_view value = word.substr(found.begin, found.end - found.begin);
    if (!isHarmlessValue(value))
        return false;
    const std::string_view rest = word.substr(std::min(found.end, word.size()));
    if (found.quoted || rest.empty() || value.starts_with('$') || value == kRemovedSecret)
        return true;
    if (value.empty() && !whole)
        return true;
    if (std::isspace(static_cast<unsigned char>(rest.front())))
        return !whole || rest.find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (rest.front() != ',')
        return !whole;
    const std::string_view next = rest.substr(std::min(rest.find_first_not_of(" ,"), rest.size()));
    std::size_t end = 0;
    while (end < next.size() && (std::isalnum(static_cast<unsigned char>(next[end])) || next[end] == '_'))
        ++end;
    const std::string_view name = next.substr(0, end);
    const bool named = end > 0 && end < next.size() && (next[end] == '=' || next[end] == ':');
    return next.empty() || next.front() == '"' || next.front() == '\'' || named || name == "ALL" || name == "NONE" ||
           isHarmlessVariable(name);
}

// "HF_TOKEN=…", "--env=HF_TOKEN=…", "X-Api-Key: …", "{\"token\": …".
void hideNamedValue(std::string& word, const Place& place)
{
    for (std::size_t at = word.find_first_of("=:"); at != std::string::npos; at = word.find_first_of("=:", at + 1)) {
        const NamedValue found = namedValueAt(word, at);
        const bool path = word[at] == ':' && found.nameBegin > 0 && word[found.nameBegin - 1] == '/';
        const std::string_view variable = word[at] == '=' ? variableOfName(found, place) : std::string_view();
        const bool secret = variable.empty() ? isCommandSecretName(found.name) && !path : !isHarmlessVariable(variable);
        const bool whole = !place.shell && found.nameBegin == 0;
        if (secret && !isHarmlessAt(word, found, whole))
            return removeFrom(word, found.begin);
    }
    constexpr std::string_view kBearer = "Bearer ";
    const std::size_t bearer = word.find(kBearer);
    if (bearer != std::string::npos && !isHarmlessValue(std::string_view(word).substr(bearer + kBearer.size())))
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
        if (!isHarmlessValue(std::string_view(word).substr(colon + 1, at - colon - 1)))
            word.replace(colon + 1, at - colon - 1, kRemovedSecret);
        return;
    }
}

// A whole document in a word: an environment may stand in it.
void hideDocument(std::string& word)
{
    constexpr std::size_t kLongest = std::size_t{1} << 16;
    constexpr std::ptrdiff_t kMostBrackets = 200;
    const std::size_t at = word.find_first_of("{[");
    if (at == std::string::npos || word.size() > kLongest ||
        std::count_if(word.begin(), word.end(), [](char c) { return c == '{' || c == '['; }) > kMostBrackets)
        return;
    nlohmann::json document =
        nlohmann::json::parse(word.begin() + static_cast<std::ptrdiff_t>(at), word.end(), nullptr, false);
    if (!document.is_discarded() && !dropSecrets(document).empty())
        removeFrom(word, at);
}

// "user:password" behind -u; a container's "1000:1000" has none.
void hideUser(std::string& word, std::size_t from)
{
    const std::size_t colon = word.find(':', from);
    if (colon != std::string::npos && !isHarmlessValue(std::string_view(word).substr(colon + 1)))
        removeFrom(word, colon + 1);
}

bool namesNone(std::string_view option)
{
    const std::string_view name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
    return name.starts_with("no-") || name.starts_with("no_") || name.starts_with("disable-");
}

// What the word before says of this one.
void hideArgument(const std::string& before, std::string& word)
{
    constexpr std::array<std::string_view, 4> kUsers{"-u", "--user", "--proxy-user", "-U"};
    if (before.starts_with('-') && before.find('=') == std::string::npos && isCommandSecretName(before)) {
        if (!word.starts_with("--") && !namesNone(before) && !isHarmlessValue(word))
            word = kRemovedSecret;
    } else if (isAmong(before, kUsers)) {
        hideUser(word, 0);
    }
    const std::size_t sign = word.find('=');
    if (sign != std::string::npos && isAmong(std::string_view(word).substr(0, sign), kUsers))
        hideUser(word, sign);
}

// "--setenv NAME value".
void hidePair(const std::string& option, const std::string& name, std::string& word)
{
    if (isAmong(option, kPairOptions) && isIdentifier(name) && !isHarmlessVariable(name) && !isHarmlessValue(word))
        word = kRemovedSecret;
}

// "sshpass -p PASSWORD ssh host", "sshpass -pPASSWORD …"; its -f, -d and -P have harmless words behind them.
void hidePassOfSshpass(Words& words, std::size_t program)
{
    for (std::size_t i = program + 1; i < words.size() && words[i].starts_with('-'); ++i) {
        const std::string& option = words[i];
        if (option == "-p" && i + 1 < words.size())
            words[++i] = kRemovedSecret;
        else if (option.starts_with("-p"))
            removeFrom(words[i], 2);
        else if (option == "-f" || option == "-d" || option == "-P")
            ++i;
    }
}

struct Piece {
    std::size_t at = 0;
    std::string text;
};

// The words of a shell's line, without the quotes around them.
std::vector<Piece> piecesOf(const std::string& line)
{
    std::vector<Piece> pieces;
    std::size_t at = line.find_first_not_of(kPartingLetters);
    while (at < line.size()) {
        std::size_t end = at;
        char quote = 0;
        for (; end < line.size() && (quote != 0 || kPartingLetters.find(line[end]) == std::string_view::npos); ++end) {
            if (line[end] == '\\')
                ++end;
            else if (quote == 0 && (line[end] == '"' || line[end] == '\''))
                quote = line[end];
            else if (line[end] == quote)
                quote = 0;
        }
        end = std::min(end, line.size());
        const bool quoted = line[at] == '"' || line[at] == '\'';
        const bool closed = quoted && end - at > 1 && line[end - 1] == line[at];
        const std::size_t begin = quoted ? at + 1 : at;
        pieces.push_back({begin, line.substr(begin, end - begin - (closed ? 1 : 0))});
        at = line.find_first_not_of(kPartingLetters, end);
    }
    return pieces;
}

Words cleanWords(Words words, int depth);

// A line of a shell: from its first secret on.
void hideInLine(std::string& line, int depth)
{
    if (depth >= kDeepestShell || line.find_first_of(" \t\n;|&") == std::string::npos)
        return;
    const std::vector<Piece> pieces = piecesOf(line);
    Words words;
    for (const Piece& piece : pieces)
        words.push_back(piece.text);
    const Words clean = cleanWords(words, depth + 1);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (clean[i] == words[i])
            continue;
        const auto own = std::mismatch(words[i].begin(), words[i].end(), clean[i].begin(), clean[i].end()).first;
        return removeFrom(line, pieces[i].at + static_cast<std::size_t>(own - words[i].begin()));
    }
}

Words cleanWords(Words words, int depth)
{
    const Words given = words;
    const std::vector<Place> places = placesOf(given);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = withoutSecrets(std::move(words[i]));
        hideNamedValue(words[i], places[i]);
        hidePassword(words[i]);
        if (words[i] == given[i])
            hideDocument(words[i]);
        if (words[i] == given[i])
            hideInLine(words[i], depth);
        if (i > 0)
            hideArgument(given[i - 1], words[i]);
        if (i > 1)
            hidePair(given[i - 2], given[i - 1], words[i]);
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (programOf(given[i]) == "sshpass")
            hidePassOfSshpass(words, i);
    }
    return words;
}

// The parts of a word that were replaced, found by what was left between them.
Words removedParts(const std::string& word, const std::string& clean)
{
    Words parts;
    std::size_t in = 0, at = 0;
    for (std::size_t mark = clean.find(kRemovedSecret); mark != std::string::npos;
         mark = clean.find(kRemovedSecret, at)) {
        in += mark - at;
        at = mark + kRemovedSecret.size();
        const std::size_t next = clean.find(kRemovedSecret, at);
        const std::string between = clean.substr(at, next == std::string::npos ? next : next - at);
        const std::size_t end = between.empty() ? word.size() : word.find(between, in);
        if (in > word.size() || end == std::string::npos)
            break;
        parts.push_back(word.substr(in, end - in));
        in = end;
    }
    return parts;
}

// Letters and digits as nobody writes a word: behind "Basic ", in a list of keys.
bool looksRandom(std::string_view text)
{
    constexpr std::size_t kShortest = 8, kLong = 16; // of capitals, small letters and digits; of any two of them
    bool capital = false, small = false, digit = false, sign = false;
    for (const char letter : text) {
        const auto c = static_cast<unsigned char>(letter);
        capital = capital || std::isupper(c);
        small = small || std::islower(c);
        digit = digit || std::isdigit(c);
        sign = sign || !std::isalnum(c);
    }
    return digit && !sign &&
           ((capital && small && text.size() >= kShortest) || ((capital || small) && text.size() >= kLong));
}

// The whole, what comes first, and what else in it is a secret by its look.
void addPart(const std::string& part, Words& secrets)
{
    constexpr std::string_view kBetween = " \t\r\n;|&,\"'\\=:[]{}()";
    secrets.push_back(part);
    secrets.push_back(part.substr(0, part.find_first_of(" \t\r\n;|&,\"'\\")));
    for (std::size_t at = 0; at < part.size();) {
        const std::size_t end = std::min(part.find_first_of(kBetween, at), part.size());
        if (looksRandom(std::string_view(part).substr(at, end - at)))
            secrets.push_back(part.substr(at, end - at));
        at = end + 1;
    }
}

// The secrets of the words, also one by one where more than they were replaced.
void collectSecrets(const Words& words, int depth, Words& secrets)
{
    const Words clean = cleanWords(words, depth);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (clean[i] == words[i])
            continue;
        for (const std::string& part : removedParts(words[i], clean[i]))
            addPart(part, secrets);
        Words pieces;
        std::string commas = words[i];
        std::replace(commas.begin(), commas.end(), ',', ' ');
        for (const std::string& line : {words[i], commas}) {
            for (Piece& piece : piecesOf(line))
                pieces.push_back(std::move(piece.text));
        }
        if (depth < kDeepestShell && pieces.size() > 2)
            collectSecrets(pieces, depth + 1, secrets);
    }
}

} // namespace

std::vector<std::string> commandWithoutSecrets(std::vector<std::string> words)
{
    return cleanWords(std::move(words), 0);
}

std::string withoutSecretsOf(const std::vector<std::string>& words, std::string text)
{
    constexpr std::size_t kShortest = 4; // less would be found in every text
    Words secrets;
    collectSecrets(words, 0, secrets);
    std::sort(secrets.begin(), secrets.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (const std::string& secret : secrets) {
        if (secret.size() < kShortest || isHarmlessValue(secret))
            continue;
        for (std::size_t at = text.find(secret); at != std::string::npos;
             at = text.find(secret, at + kRemovedSecret.size()))
            text.replace(at, secret.size(), kRemovedSecret);
    }
    return withoutSecrets(std::move(text));
}

const std::string* wordWithoutSecret(const std::vector<std::string>& words)
{
    const auto found = std::find_if(words.begin(), words.end(), [](const std::string& word) {
        return word.find(kRemovedSecret) != std::string::npos;
    });
    return found == words.end() ? nullptr : &*found;
}

} // namespace peakscope
