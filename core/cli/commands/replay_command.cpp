// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/input_file.h"
#include "core/base/json/json_access.h"
#include "core/base/latex_text.h"
#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "core/planning/published_tables/seed_dpsgd.h"
#include "core/planning/published_tables/seed_tables.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace peakscope {
namespace {

// Columns of a terminal that characters of UTF-8 take; the tables hold none that takes two.
std::size_t columnsOf(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width)
{
    const std::size_t columns = columnsOf(text);
    return columns < width ? text + std::string(width - columns, ' ') : text;
}

void printText(const SeedTable& table)
{
    std::size_t widths[4] = {5, 8, 5, 8};
    for (const SeedCell& cell : table.cells) {
        widths[0] = std::max(widths[0], columnsOf(cell.model));
        widths[1] = std::max(widths[1], columnsOf(cell.quantity));
        widths[2] = std::max(widths[2], columnsOf(cell.tableText));
        widths[3] = std::max(widths[3], columnsOf(cell.computedText));
    }
    const auto line = [&widths](const std::string& model, const std::string& quantity, const std::string& given,
                                const std::string& computed, const std::string& mark, const std::string& why) {
        std::string text = padded(model, widths[0]) + "  " + padded(quantity, widths[1]) + "  " +
                           padded(given, widths[2]) + "  " + padded(computed, widths[3]) + "  " + padded(mark, 6) +
                           "  " + why;
        text.erase(text.find_last_not_of(' ') + 1);
        standardOutput().line(text);
    };
    standardOutput().line(table.title);
    line("model", "quantity", "table", "computed", "agrees", "why");
    for (const SeedCell& cell : table.cells)
        line(cell.model, cell.quantity, cell.tableText, cell.computedText, cell.agrees ? "yes" : "no", cell.reason);
    for (const std::string& note : table.notes)
        standardOutput().line("note: " + note);
    standardOutput().line("");
}

void printLatex(const SeedTable& table)
{
    print("\\begin{{table}}\n\\caption{{{}}}\n\\begin{{tabular}}{{llrrp{{0.4\\linewidth}}}}\n\\hline\n"
          "model & quantity & table & computed & why \\\\\n\\hline\n",
          latexText(table.title));
    for (const SeedCell& cell : table.cells)
        print("{} & {} & {} & {} & {} \\\\\n", latexText(cell.model), latexText(cell.quantity),
              latexText(cell.tableText), latexText(cell.computedText), latexText(cell.reason));
    standardOutput().text("\\hline\n\\end{tabular}\n\\end{table}\n\n");
}

Result<std::vector<SeedTable>> replaySeeds()
{
    auto tables = replaySeedTables();
    auto more = replayDpsgdTables();
    if (!tables || !more)
        return tables ? more : tables;
    std::move(more->begin(), more->end(), std::back_inserter(*tables));
    return tables;
}

Result<std::vector<SeedTable>> replayFile(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return badInput(path, "no such file; give seeds, dpsgd, or a hessian_memory_analysis.json");
    const auto text = readInput(path);
    if (!text)
        return text.error();
    JsonParseOptions options;
    options.nonFiniteAsNull = true;
    const auto document = parseJson(*text, path, options);
    if (!document)
        return document.error();
    if (!looksLikeHessianAnalysis(*document))
        return badInput(path, "not a Hessian memory analysis (a list of models with memory_breakdown and strategies)");
    const auto analysis = hessianAnalysisFromJson(*document, path);
    if (!analysis)
        return analysis.error();
    return replayHessianAnalysis(*analysis, std::filesystem::path(path).filename().string());
}

} // namespace

int replayCommand(const ReplayArguments& arguments)
{
    const std::string& what = arguments.what;
    const std::string format = arguments.json ? "json" : arguments.format;
    const auto tables = what == "seeds" ? replaySeeds() : what == "dpsgd" ? replayDpsgdTables() : replayFile(what);
    if (!tables)
        return report(badInput("", tables.error().text()));
    if (format == "json") {
        standardOutput().json(dumpJson(toJson(*tables)));
    } else if (format == "csv") {
        standardOutput().text(toCsv(toTable(*tables)));
    } else {
        for (const SeedTable& table : *tables)
            format == "latex" ? printLatex(table) : printText(table);
    }
    return 0;
}

} // namespace peakscope
