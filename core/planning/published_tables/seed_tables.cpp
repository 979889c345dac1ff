// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/published_tables/seed_tables.h"

#include "core/planning/published_tables/seed_computation.h"
#include "core/planning/published_tables/seed_numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace peakscope {

namespace {

constexpr double kTableTolerance = 0.05; // the tables round to one or two digits
constexpr double kThousand = 1000;

// A cell with both numbers; `reason` says why where they differ.
SeedCell numberCell(std::string model, std::string quantity, double table, double computed, std::string unit = "bytes")
{
    SeedCell cell;
    cell.model = std::move(model);
    cell.quantity = std::move(quantity);
    cell.unit = std::move(unit);
    cell.tableValue = table;
    cell.computedValue = computed;
    cell.tableText = decimalText(table, cell.unit);
    cell.computedText = decimalText(computed, cell.unit);
    cell.agrees = std::abs(table - computed) <= kTableTolerance * std::abs(computed);
    return cell;
}

SeedCell because(SeedCell cell, std::string reason)
{
    if (!cell.agrees) {
        cell.reason = std::move(reason);
    }
    return cell;
}

SeedCell always(SeedCell cell, std::string reason)
{
    cell.reason = std::move(reason);
    return cell;
}

SeedCell wordCell(std::string model, std::string quantity, std::string table, std::string computed, bool agrees)
{
    SeedCell cell;
    cell.model = std::move(model);
    cell.quantity = std::move(quantity);
    cell.tableText = std::move(table);
    cell.computedText = std::move(computed);
    cell.agrees = agrees;
    return cell;
}

SeedCell parametersCell(const std::string& model, double table, double computed)
{
    return because(numberCell(model, "parameters", table, computed, "parameters"),
                   "the model's name rounds; this is the count of its published configuration");
}

// N² × 4 bytes: the tables divide once too often on the way to their unit.
SeedCell fullCell(const std::string& model, const char* quantity, double table, double parameters)
{
    const double full = parameters * parameters * 4;
    SeedCell cell = numberCell(model, quantity, table, full);
    const double ratio = full / table;
    if (ratio > kThousand / 2 && ratio < kThousand * 2) {
        std::string rest;
        if (std::abs(ratio / kThousand - 1) > kTableTolerance) {
            rest = fmt::format("; the rest is the rounded parameter count, squared");
        }
        return always(cell, fmt::format("N² × 4 bytes is {}: the table divided by 10³ once too often{}",
                                        decimalText(full, "bytes"), rest));
    }
    return because(cell, fmt::format("{} × {} × 4 bytes is {}", decimalText(parameters, ""),
                                     decimalText(parameters, ""), decimalText(full, "bytes")));
}

Result<SeedTable> seed000Models()
{
    SeedTable table;
    table.title = "Seed 000: a Hessian of each model";
    for (const Seed000Row& row : kSeed000Rows) {
        const auto model = seedModel(row.id);
        if (!model) {
            return model.error();
        }
        const auto count = static_cast<double>(model->parameters);
        table.cells.push_back(parametersCell(row.id, row.parameters, count));
        table.cells.push_back(because(numberCell(row.id, "diagonal_hessian", row.diagonalBytes, 4 * count),
                                      "the rounded parameter count; the diagonal is 4 bytes a parameter"));
        table.cells.push_back(fullCell(row.id, "full_hessian", row.fullBytes, count));
        const auto fit = seedEntries({row.id, 1, row.length, row.sampled, false, "auto"}, kSeed000Memory, 0);
        if (!fit) {
            return fit.error();
        }
        const bool exact = fit->devices == 1;
        const SeedCell cell = wordCell(row.id, "verdict", row.strategy, exact ? "diagonal" : "approximation",
                                       exact == (std::string(row.strategy) == "diagonal"));
        table.cells.push_back(always(
            cell, fmt::format("{} exact entries, 1 row of {}: peak {}, which {} the 8 GiB machine{}", row.sampled,
                              row.length, decimalText(fit->wholePeak, "bytes"), exact ? "fits" : "does not fit",
                              exact && !cell.agrees ? ": they need no vector as long as the parameters" : "")));
    }
    table.notes.emplace_back("\"Block diagonal = N × block_size × 4 bytes\" is one block's width for every parameter; "
                             "the sample output below takes 10 × the diagonal for it instead.");
    return table;
}

// Cells that the sample output and hessian_memory_analysis.json files have alike.
std::vector<SeedCell> breakdownCells(const std::string& model, const HessianAnalysisModel& given, double parameters)
{
    std::vector<SeedCell> cells;
    const auto add = [&](const std::optional<double>& value, const char* quantity, double computed, const char* why) {
        if (value) {
            cells.push_back(because(numberCell(model, quantity, *value, computed), why));
        }
    };
    add(given.parameters, "parameters_bytes", 4 * parameters, "float32 takes 4 bytes a parameter");
    add(given.gradients, "gradients", 4 * parameters, "float32 takes 4 bytes a parameter");
    add(given.diagonal, "hessian_diagonal", 4 * parameters, "float32 takes 4 bytes a parameter");
    if (given.full) {
        cells.push_back(fullCell(model, "hessian_full", *given.full, parameters));
    }
    return cells;
}

// What a table's strategies are made of, as far as it can be told.
struct StrategyReasons {
    std::string diagonal, block, full, approximate;
};

StrategyReasons strategyReasons(const HessianAnalysisModel& given, double parameters)
{
    const auto near = [](double a, double b) { return std::abs(a - b) <= kTableTolerance * std::abs(b); };
    const double diagonal = given.diagonal.value_or(0);
    const double others = given.parameters.value_or(0) + given.gradients.value_or(0) + given.activations.value_or(0) +
                          given.intermediate.value_or(0);
    StrategyReasons reasons;
    reasons.diagonal = near(given.diagonalStrategy.value_or(0), others + diagonal)
                           ? "a sum of all parts as if all were alive at one time"
                           : fmt::format("its own parts add up to {}", decimalText(others + diagonal, "bytes"));
    reasons.diagonal += "; exact entries need neither gradient nor a vector of N";
    const double block = given.blockDiagonalStrategy.value_or(0);
    const bool tenfold =
        diagonal > 0 && block >= 10 * diagonal && block <= (10 * diagonal + others) * (1 + kTableTolerance);
    reasons.block = fmt::format("{}; products within one tensor at a time, with 22 vectors of the largest, take this",
                                tenfold ? "counted as 10 × the diagonal, whatever the blocks are" : "a rule of thumb");
    const double full = parameters * parameters * 4;
    reasons.full = near(1000 * given.fullStrategy.value_or(0), full)
                       ? "N² × 4 bytes divided by 10³ once too often"
                       : fmt::format("N² × 4 bytes alone are {}", decimalText(full, "bytes"));
    const bool nothing = given.approximateStrategy.value_or(0) <= others * (1 + kTableTolerance);
    reasons.approximate = fmt::format("{}; L-BFGS with 10 pairs keeps 20 vectors of N",
                                      nothing ? "counts no memory for the approximation" : "a rule of thumb");
    return reasons;
}

std::vector<SeedCell> strategyCells(const std::string& model, const HessianAnalysisModel& given,
                                    const SeedBreakdown& computed, double parameters)
{
    std::vector<SeedCell> cells;
    const auto add = [&](const std::optional<double>& value, const char* quantity, double bytes, std::string why) {
        if (value) {
            cells.push_back(because(numberCell(model, quantity, *value, bytes), std::move(why)));
        }
    };
    const StrategyReasons reasons = strategyReasons(given, parameters);
    add(given.activations, "activations", computed.activations,
        fmt::format("the rule counts one tensor b·T·hidden; the graph of {} row of {} keeps those of every layer and "
                    "the logits",
                    computed.rows, computed.length));
    add(given.intermediate, "intermediate", computed.intermediate,
        "2 × the parameters is a rule of thumb; this is what lives beside weights and activations at the peak");
    add(given.diagonalStrategy, "diagonal_strategy", computed.diagonalStrategy, reasons.diagonal);
    add(given.blockDiagonalStrategy, "block_diagonal_strategy", computed.blockDiagonalStrategy, reasons.block);
    add(given.fullStrategy, "full_strategy", computed.fullStrategy, reasons.full);
    add(given.approximateStrategy, "approximate_strategy", computed.approximateStrategy, reasons.approximate);
    return cells;
}

Result<SeedTable> seed000Sample()
{
    const Seed000Output output;
    const Seed000Row& row = kSeed000Rows.front();
    const auto model = seedModel(row.id);
    const auto computed = seedBreakdown(row.id, 1, row.length, row.sampled);
    if (!model || !computed) {
        return model ? computed.error() : model.error();
    }
    HessianAnalysisModel given;
    given.parameters = output.parameters;
    given.gradients = output.gradients;
    given.diagonal = output.diagonal;
    given.full = output.full;
    given.activations = output.activations;
    given.intermediate = output.intermediate;
    given.diagonalStrategy = output.diagonalStrategy;
    given.blockDiagonalStrategy = output.blockDiagonalStrategy;
    given.fullStrategy = output.fullStrategy;
    given.approximateStrategy = output.approximateStrategy;
    SeedTable table;
    table.title = "Seed 000: sample output for OPT-125M";
    table.cells = breakdownCells(row.id, given, static_cast<double>(model->parameters));
    for (SeedCell& cell : strategyCells(row.id, given, *computed, static_cast<double>(model->parameters))) {
        table.cells.push_back(std::move(cell));
    }
    table.notes.push_back(fmt::format("Computed with the configuration that seed 000 recommends for it: 1 row of {}, "
                                      "{} sampled parameters, float32, on a CPU.",
                                      row.length, row.sampled));
    return table;
}

std::string shardText(const SeedFit& fit)
{
    return fit.devices == 0  ? "does_not_fit"
           : fit.devices > 1 ? fmt::format("needs_sharding ({} devices)", fit.devices)
                             : std::string(name(fit.verdict));
}

// The same in kind: runs, runs at its limit (or with the cheaper strategy only), needs several devices.
bool sameKind(const std::string& table, const SeedFit& entries, const SeedFit& products)
{
    if (table == "fits") {
        return entries.devices == 1 && entries.verdict != Verdict::Tight;
    }
    const bool limit = entries.verdict == Verdict::Tight || products.devices != 1;
    return table == "tight" ? entries.devices == 1 && limit : entries.devices > 1;
}

std::string verdictReason(const std::string& table, const SeedFit& entries, const SeedFit& products)
{
    std::string reason =
        fmt::format("exact entries: {}; products with the whole Hessian: {}", shardText(entries), shardText(products));
    if (table == "tight" && entries.devices == 1 && products.devices != 1) {
        reason += "; it is the cheaper strategy that leaves room";
    }
    return reason;
}

Status addSeed002Row(const Seed002Row& row, const CatalogueDevice& device, SeedTable& table)
{
    const auto model = seedModel(row.id);
    if (!model) {
        return model.error();
    }
    const std::int64_t room = device.usableBytes;
    const SeedQuestion entries{row.id, kSeed002Batch, kSeed002Length, kSeed002Sampled, true, "auto"};
    const auto fit = seedEntries(entries, room, device.contextBytes);
    SeedQuestion products = entries;
    products.method = "double_backward";
    const auto whole = seedEntries(products, room, device.contextBytes);
    if (!fit || !whole) {
        return fit ? whole.error() : fit.error();
    }
    const auto count = static_cast<double>(model->parameters);
    table.cells.push_back(parametersCell(row.id, row.parameters, count));
    table.cells.push_back(
        because(numberCell(row.id, "model_memory", row.modelBytes, 4 * count), "4 bytes a parameter, exact count"));
    table.cells.push_back(because(numberCell(row.id, "diagonal_hessian", row.diagonalBytes, 4 * count),
                                  fmt::format("2 bytes an entry where the weights take 4: second derivatives need "
                                              "float32; {} sampled entries are {}",
                                              kSeed002Sampled, decimalText(8.0 * kSeed002Sampled, "bytes"))));
    table.cells.push_back(because(
        numberCell(row.id, "total", row.totalBytes, fit->wholePeak),
        fmt::format("a sum of guesses; exact entries hold weights {}, and {} of values, adjoints and their "
                    "tangents, while products with the whole Hessian take {}",
                    decimalText(fit->parameters, "bytes"), decimalText(fit->activations + fit->hessian, "bytes"),
                    decimalText(whole->wholePeak, "bytes"))));
    const SeedCell verdict =
        wordCell(row.id, "verdict", row.verdict, shardText(*fit), sameKind(row.verdict, *fit, *whole));
    table.cells.push_back(always(verdict, verdictReason(row.verdict, *fit, *whole)));
    return Done{};
}

Result<SeedTable> seed002Models(const CatalogueDevice& device)
{
    SeedTable table;
    table.title = "Seed 002: models on an A800 of 80 GB";
    for (const Seed002Row& row : kSeed002Rows) {
        if (Status status = addSeed002Row(row, device, table); !status) {
            return status.error();
        }
    }
    table.notes.emplace_back(
        "The whole model resident in float32, the diagonal on 10,000 sampled parameters, batch 4, "
        "sequence 128. Totals are the engine's own plan (products: closed forms), not yet proved by "
        "measurement on that device.");
    table.notes.emplace_back("The model memory is labelled FP16 in the seed's break-down but counted at 4 bytes a "
                             "parameter (float32), and the diagonal at 2.");
    return table;
}

Result<SeedTable> seed002Breakdown(const CatalogueDevice& device)
{
    const Seed002Breakdown seed;
    const auto fit = seedEntries({"opt-6.7b", kSeed002Batch, kSeed002Length, kSeed002Sampled, true, "auto"},
                                 device.usableBytes, device.contextBytes);
    if (!fit) {
        return fit.error();
    }
    SeedTable table;
    table.title = "Seed 002: break-down of OPT-6.7B";
    const auto add = [&table](const char* quantity, double given, double computed, std::string why) {
        table.cells.push_back(because(numberCell("opt-6.7b", quantity, given, computed), std::move(why)));
    };
    table.cells.push_back(always(numberCell("opt-6.7b", "parameters_bytes", seed.parameters, fit->parameters),
                                 fmt::format("labelled FP16 but counted at 4 bytes: FP16 would be {}",
                                             decimalText(fit->parameters / 2, "bytes"))));
    add("hessian_diagonal", seed.diagonal, fit->sampledBytes, "2 bytes for every parameter, where 10,000 are sampled");
    add("activations", seed.activations, fit->activations, "the graph keeps every layer's and the logits");
    add("gradients", seed.gradients, fit->gradients, "entries by rows form no gradient of the weights");
    add("intermediate", seed.intermediate, fit->hessian - fit->sampledBytes,
        "tangents of the graph and second derivatives between positions of a row");
    add("total", seed.total, fit->wholePeak, "the seed's own table has 45 GB for the same model");
    SeedCell share = numberCell(
        "opt-6.7b", "share_of_device", seed.share,
        (fit->reserved + static_cast<double>(device.contextBytes)) / static_cast<double>(device.usableBytes), "share");
    table.cells.push_back(because(share, "its table gives 56 % for the same model; of 80 GB, not of what is usable"));
    return table;
}

SeedTable seed002Device(const CatalogueDevice& device)
{
    const Seed002Device seed;
    SeedTable table;
    table.title = "Seed 002: the A800";
    const auto add = [&table](const char* quantity, double given, double computed, const char* unit, const char* why) {
        table.cells.push_back(because(numberCell("a800-80gb", quantity, given, computed, unit), why));
    };
    const auto real = [](std::int64_t bytes) { return static_cast<double>(bytes); };
    add("total", seed.total, real(device.totalBytes), "bytes", "80 GiB are 85.9 GB");
    add("reserved_by_system", seed.overhead, real(device.reservedBytes + device.contextBytes), "bytes",
        "driver and error correction, and one process's CUDA context (typical)");
    add("usable", seed.usable, real(device.usableBytes - device.contextBytes), "bytes",
        "what CUDA reports, less one context");
    add("bandwidth", seed.bandwidth, device.bandwidthBytesPerSecond, "bytes_per_second", "");
    add("float16_rate", seed.float16, device.float16Flops, "flops", "");
    add("float32_rate", seed.float32, device.float32Flops, "flops",
        "156 TFLOP/s is TF32 on tensor cores; float32 is 19.5");
    return table;
}

} // namespace

Result<std::vector<SeedTable>> replaySeedTables()
{
    const auto device = findDevice("a800-80gb");
    if (!device) {
        return device.error();
    }
    std::vector<SeedTable> tables;
    for (auto table : {seed000Models(), seed000Sample(), seed002Models(*device), seed002Breakdown(*device)}) {
        if (!table) {
            return table.error();
        }
        tables.push_back(std::move(*table));
    }
    tables.push_back(seed002Device(*device));
    return tables;
}

Result<std::vector<SeedTable>> replayHessianAnalysis(const HessianAnalysis& analysis, const std::string& title)
{
    constexpr std::int64_t kLength = 128; // of the script
    constexpr std::int64_t kSampled = 1000;
    SeedTable table;
    table.title = title;
    table.notes = analysis.notes;
    table.notes.push_back(fmt::format("Computed for 1 row of {}, {} sampled parameters, float32, on a CPU. Totals of "
                                      "products are closed forms; those of exact entries are the engine's own plan.",
                                      kLength, kSampled));
    for (const HessianAnalysisModel& given : analysis.models) {
        const auto model = seedModel(given.model);
        const double parameters = static_cast<double>(model ? model->parameters : given.totalParameters);
        if (model) {
            table.cells.push_back(parametersCell(given.model, static_cast<double>(given.totalParameters), parameters));
        }
        for (SeedCell& cell : breakdownCells(given.model, given, parameters)) {
            table.cells.push_back(std::move(cell));
        }
        if (!model) {
            table.notes.push_back(
                fmt::format("{} is not in the catalogue: sums of its layers can't be computed", given.model));
        } else if (const auto computed = seedBreakdown(given.model, 1, kLength, kSampled)) {
            for (SeedCell& cell : strategyCells(given.model, given, *computed, parameters)) {
                table.cells.push_back(std::move(cell));
            }
        } else {
            return computed.error();
        }
        for (const std::string& note : given.notes) {
            table.notes.push_back(fmt::format("{}: {}", given.model, note));
        }
    }
    return std::vector<SeedTable>{std::move(table)};
}

nlohmann::json toJson(const std::vector<SeedTable>& tables)
{
    const auto number = [](const SeedCell& cell, double value, const std::string& text) {
        return cell.unit.empty() ? nlohmann::json(text) : nlohmann::json(value);
    };
    nlohmann::json list = nlohmann::json::array();
    for (const SeedTable& table : tables) {
        nlohmann::json cells = nlohmann::json::array();
        for (const SeedCell& cell : table.cells) {
            cells.push_back({{"model", cell.model},
                             {"quantity", cell.quantity},
                             {"unit", cell.unit},
                             {"table", number(cell, cell.tableValue, cell.tableText)},
                             {"computed", number(cell, cell.computedValue, cell.computedText)},
                             {"table_text", cell.tableText},
                             {"computed_text", cell.computedText},
                             {"agrees", cell.agrees},
                             {"reason", cell.reason}});
        }
        list.push_back({{"title", table.title}, {"cells", std::move(cells)}, {"notes", table.notes}});
    }
    return {{"tables", std::move(list)}};
}

Table toTable(const std::vector<SeedTable>& tables)
{
    Table result;
    result.title = "replay";
    for (const char* column : {"table", "model", "quantity", "in_table", "computed", "agrees", "reason"}) {
        result.columns.push_back({column, ""});
    }
    for (const SeedTable& table : tables) {
        for (const SeedCell& cell : table.cells) {
            result.rows.push_back({table.title, cell.model, cell.quantity, cell.tableText, cell.computedText,
                                   std::string(cell.agrees ? "yes" : "no"), cell.reason});
        }
    }
    return result;
}

} // namespace peakscope
