// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/key_help.h"

#include "core/base/words.h"
#include "core/experiment/schema.h"

#include <fmt/format.h>

#include <algorithm>

namespace peakscope {

namespace {

// "an integer, 1 to 4096, in rows"
std::string valuesText(const ExperimentKey& key)
{
    std::string text = typeText(key);
    for (const auto& [before, part] :
         {std::pair<const char*, std::string>(", ", rangeText(key)), {", in ", key.more.unit}})
        text += part.empty() ? "" : before + part;
    return text;
}

std::string orNone(const std::string& text)
{
    return text.empty() ? "none" : text;
}

std::string blockOf(const ExperimentKey& key)
{
    const std::size_t dot = key.path.find('.');
    return std::string(dot == std::string_view::npos ? "" : key.path.substr(0, dot));
}

// A line a key of those whose path begins so.
std::string linesOf(const std::string& prefix)
{
    std::string text;
    for (const ExperimentKey& key : experimentKeys()) {
        if (key.path.starts_with(prefix))
            text += fmt::format("  {:<38} {}\n", key.path, key.title);
    }
    return text;
}

// The words of a table's cell stay in it.
std::string cell(const std::string& text)
{
    std::string kept;
    for (const char letter : text) {
        if (letter == '|')
            kept += '\\';
        kept += letter;
    }
    return kept;
}

nlohmann::json ofType(const char* type)
{
    return {{"type", type}};
}

nlohmann::json listOf(nlohmann::json items)
{
    return {{"type", "array"}, {"items", std::move(items)}};
}

nlohmann::json closedObject(nlohmann::json properties, nlohmann::json required)
{
    nlohmann::json schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty())
        schema["required"] = std::move(required);
    return schema;
}

nlohmann::json numberSchema(const ExperimentKey& key, const char* type)
{
    nlohmann::json schema = ofType(type);
    const auto limit = [&](const char* name, double value) {
        if (value == static_cast<double>(static_cast<std::int64_t>(value)))
            schema[name] = static_cast<std::int64_t>(value);
        else
            schema[name] = value;
    };
    limit("minimum", key.more.range.least);
    if (key.more.range.most != kMostNumber)
        limit("maximum", key.more.range.most);
    return schema;
}

nlohmann::json valueSchema(const ExperimentKey& key)
{
    switch (typeOf(key)) {
    case KeyType::Truth:
        return ofType("boolean");
    case KeyType::Integer:
        return numberSchema(key, "integer");
    case KeyType::Number:
        return numberSchema(key, "number");
    case KeyType::Text:
        return ofType("string");
    case KeyType::Texts:
        return listOf(ofType("string"));
    case KeyType::Numbers:
        return listOf(numberSchema(key, "number"));
    case KeyType::Word:
        return {{"enum", wordsOf(key)}};
    case KeyType::Words:
        return listOf({{"enum", wordsOf(key)}});
    case KeyType::Marks:
        return listOf(closedObject(
            {{"name", ofType("string")}, {"module", ofType("string")}, {"operator", ofType("string")}}, {"name"}));
    case KeyType::Entries:
        return listOf(closedObject({{"parameter", ofType("string")}, {"index", ofType("integer")}}, {"parameter"}));
    }
    return {};
}

nlohmann::json keySchema(const ExperimentKey& key)
{
    nlohmann::json schema = valueSchema(key);
    schema["title"] = key.title;
    schema["description"] = key.words;
    const bool ownDefault = *key.more.fallback == '\0' && !key.more.follow && !key.isOfModel();
    if (const nlohmann::json value = ownDefault ? keyValue(key, defaultExperiment()) : nullptr;
        value.is_boolean() || value.is_number() || (value.is_string() && value != ""))
        schema["default"] = value;
    return schema;
}

} // namespace

nlohmann::json experimentSchema()
{
    nlohmann::json schema = closedObject(nlohmann::json::object(), {"kind", "model"});
    for (const ExperimentKey& key : experimentKeys()) {
        nlohmann::json* block = &schema;
        std::string rest(key.path);
        for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
            nlohmann::json& inner = (*block)["properties"][rest.substr(0, dot)];
            if (inner.is_null())
                inner = closedObject(nlohmann::json::object(), nlohmann::json());
            block = &inner;
            rest.erase(0, dot + 1);
        }
        (*block)["properties"][rest] = keySchema(key);
    }
    schema["properties"]["kind"].erase("default"); // it has to be there
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    schema["title"] = "An experiment of Peakscope";
    return schema;
}

Result<std::string> keyHelp(const std::string& path)
{
    if (const ExperimentKey* key = findExperimentKey(path))
        return fmt::format("{}: {}\n{}\n\n  value    {}\n  default  {}\n  read by  {}\n", key->path, key->title,
                           key->words, valuesText(*key), orNone(defaultText(*key)), kindsText(*key));
    if (std::string block = linesOf(path + "."); !block.empty())
        return block;
    std::vector<std::string> known;
    for (const ExperimentKey& key : experimentKeys())
        known.emplace_back(key.path);
    const std::string near = nearestWord(path, known);
    return badInput(path, near.empty() ? "no key of an experiment; `peakscope-cli help` lists them"
                                       : fmt::format("no key of an experiment; did you mean {}?", near));
}

std::string keyList()
{
    return linesOf("");
}

std::string keyPage()
{
    std::string page = R"(# The keys of an experiment

An experiment is a JSON object. A key of a block is a member of the block's object; `--set KEY=VALUE` and the grid of a sweep use its dotted path.
Only `kind` and `model` are required. `peakscope-cli help KEY` explains one key. `peakscope-cli help --markdown` prints this page.
The [JSON Schema](schema/experiment.json) has the same keys for editors and other programs; `peakscope-cli help --json-schema experiment` prints it.
)";
    std::vector<std::string> blocks{""}; // keys outside of all first
    for (const ExperimentKey& key : experimentKeys()) {
        const std::string block = blockOf(key);
        if (std::find(blocks.begin(), blocks.end(), block) == blocks.end())
            blocks.push_back(block);
    }
    for (const std::string& block : blocks) {
        page += fmt::format("\n## {}\n\n| key | value | default | read by | |\n| --- | --- | --- | --- | --- |\n",
                            block.empty() ? "Of the experiment" : "`" + block + "`");
        for (const ExperimentKey& key : experimentKeys()) {
            if (blockOf(key) == block)
                page += fmt::format("| `{}` | {} | {} | {} | **{}.** {} |\n", key.path, cell(valuesText(key)),
                                    cell(orNone(defaultText(key))), kindsText(key), key.title, cell(key.words));
        }
    }
    return page;
}

} // namespace peakscope
