// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_names.h"

#include "core/base/json/json_access.h"
#include "core/base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace peakscope {

namespace {

// What is behind a name says how the weights were made, not what they are.
constexpr std::array<std::string_view, 6> kTuned{"instruct", "chat", "it", "base", "hf", "deduped"};
constexpr std::array<std::string_view, 18> kQuantised{"gptq", "awq",  "gguf", "ggml", "exl2",  "bnb",
                                                      "4bit", "8bit", "int4", "int8", "fp8",   "nf4",
                                                      "hqq",  "q4",   "q5",   "q8",   "w4a16", "w8a8"};

std::vector<std::string> partsOf(const std::string& text, std::string_view separators)
{
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (separators.find(c) == std::string_view::npos)
            parts.back() += c;
        else
            parts.emplace_back();
    }
    return parts;
}

// "v0.1", "v1.0".
bool isVersion(const std::string& part)
{
    return part.size() > 1 && part[0] == 'v' && part.find_first_not_of("0123456789.", 1) == std::string::npos;
}

bool isTuned(const std::string& part)
{
    return std::find(kTuned.begin(), kTuned.end(), part) != kTuned.end();
}

// "owner/name" and no path.
bool isHubName(const std::string& name)
{
    const std::size_t slash = name.find('/');
    const auto fit = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '/'; };
    return slash != std::string::npos && slash > 0 && slash == name.rfind('/') && slash + 1 < name.size() &&
           name[0] != '.' && std::all_of(name.begin(), name.end(), fit);
}

std::string quantisedWord(const std::string& name)
{
    const std::vector<std::string> parts = partsOf(lowerCase(name), "-_./");
    const auto found = std::find_first_of(parts.begin(), parts.end(), kQuantised.begin(), kQuantised.end());
    return found == parts.end() ? std::string() : *found;
}

std::string dropParts(const std::string& name, bool (*isDropped)(const std::string&))
{
    std::vector<std::string> parts = partsOf(name, "-");
    std::erase_if(parts, isDropped);
    return fmt::format("{}", fmt::join(parts, "-"));
}

// The entry whose architecture a variant of this name has.
std::optional<CatalogueModel> entryOfVariant(const std::string& name)
{
    const std::string bare = lowerCase(name.substr(name.find('/') + 1));
    const std::string untuned = dropParts(bare, &isTuned);
    for (const std::string& candidate : {bare, untuned}) {
        if (auto model = findModel(candidate))
            return *model;
    }
    // Where the catalogue tells versions apart, another one is another architecture.
    auto model = findModel(dropParts(untuned, &isVersion));
    const std::vector<std::string> parts = model ? partsOf(model->id, "-") : std::vector<std::string>();
    if (!model || std::any_of(parts.begin(), parts.end(), &isVersion))
        return std::nullopt;
    return *model;
}

// Of a name without owner: the entry's.
std::string hubOf(const std::string& name, const CatalogueModel& model)
{
    if (model.hub.empty() || isHubName(name))
        return model.hub.empty() ? std::string() : name;
    return model.hub.substr(0, model.hub.find('/') + 1) + name;
}

} // namespace

Result<NamedModel> resolveModelName(const std::string& name)
{
    const auto exact = findModel(name);
    const bool hasOwner = isHubName(name);
    if (exact)
        return NamedModel{*exact, {}, hasOwner && !exact->hub.empty() ? name : exact->hub, {}};
    const auto cached = hasOwner ? findInHuggingFaceCache(name) : Result<std::filesystem::path>(exact.error());
    if (cached)
        return NamedModel{std::nullopt, *cached, name, {}};
    if (const std::string word = quantisedWord(name); !word.empty())
        return badInput("", fmt::format("{} names quantised weights ({}), which are not trained; give the model that "
                                        "they were made of",
                                        shortText(nlohmann::json(name)), word));
    const bool isPath = !hasOwner && name.find('/') != std::string::npos;
    if (const auto model = isPath ? std::nullopt : entryOfVariant(name))
        return NamedModel{*model, {}, hubOf(name, *model), name + ": the architecture of " + model->id};
    if (hasOwner)
        return badInput("", exact.error().message + "; " + cached.error().message);
    return exact.error();
}

std::string architectureNote(const std::string& id, const std::string& folder)
{
    const auto named = id.empty() || !folder.empty() ? Result<NamedModel>(NamedModel()) : resolveModelName(id);
    return named ? named->note : std::string();
}

} // namespace peakscope
