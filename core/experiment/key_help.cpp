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

} // namespace

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
