// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/commands/model_from_count.h"

#include "core/base/json/json_access.h"
#include "core/experiment/experiment.h"
#include "core/model/model_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr double kLeastParameters = 20'000;
constexpr double kMostParameters = 1e13;
constexpr double kCountTolerance = 0.02;

// Vocabularies that published models of about this size have; below, byte tokens and little more.
std::int64_t typicalVocabulary(double parameters)
{
    constexpr std::array<std::pair<double, std::int64_t>, 4> kSteps{{{5e7, 32000}, {1e7, 8192}, {1e6, 2048}, {0, 256}}};
    for (const auto& [least, vocabulary] : kSteps) {
        if (parameters >= least) {
            return vocabulary;
        }
    }
    return 256;
}

// Width over depth grows with size: 64 at 125 M (768 / 12), 128 at 7 B (4096 / 32), about 100 to 130 beyond.
double typicalAspect(double parameters)
{
    return std::clamp(64 + 37 * (std::log10(parameters) - 8.1), 16.0, 128.0);
}

ModelConfig llamaLike(std::int64_t hidden, std::int64_t layers, double parameters)
{
    ModelConfig c = familyDefaults("llama");
    c.hidden = c.embedDim = hidden;
    c.layers = layers;
    const std::int64_t headWidth = hidden % 128 == 0 && hidden >= 2048 ? 128 : hidden % 64 == 0 ? 64 : 8;
    c.headDim = headWidth;
    c.heads = c.kvHeads = hidden / headWidth;
    c.ffn = (8 * hidden + 191) / 192 * 64;
    c.vocab = typicalVocabulary(parameters);
    c.maxPositions = 4096;
    c.tied = parameters < 1e9;
    return c;
}

// Sums of one layer and of what stands outside, so that no list is built for each of thousands of candidates.
std::int64_t countOf(const ModelConfig& c)
{
    const std::int64_t layer = 4 * c.hidden * c.hidden + 3 * c.hidden * c.ffn + 2 * c.hidden;
    return c.layers * layer + (c.tied ? 1 : 2) * c.vocab * c.hidden + c.hidden;
}

std::string withSeparators(std::int64_t value)
{
    const std::string digits = std::to_string(value);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) {
            text += ',';
        }
        text += digits[i];
    }
    return text;
}

double unitOfCount(std::string_view unit)
{
    if (unit.empty()) {
        return 1;
    }
    if (unit.size() == 1) {
        switch (unit.front()) {
        case 'k':
        case 'K':
            return 1e3;
        case 'm':
        case 'M':
            return 1e6;
        case 'b':
        case 'B':
            return 1e9;
        case 't':
        case 'T':
            return 1e12;
        default:
            break;
        }
    }
    return 0;
}

Result<nlohmann::json> blockFromCount(const std::string& text, const std::string& digits, std::string* note)
{
    const auto count = parameterCountFromText(digits);
    if (!count) {
        return badInput(text, count.error().message);
    }
    const auto config = modelFromParameterCount(*count);
    if (!config) {
        return badInput(text, config.error().message);
    }
    if (note != nullptr) {
        *note = fmt::format("{} names no shape: a typical one is assumed, {}", text, shapeSentence(*config));
    }
    return toJson(*config);
}

Result<nlohmann::json> blockFromPath(const std::string& text)
{
    std::error_code error;
    const fs::path path = text;
    if (fs::is_directory(path, error)) {
        const auto config = loadModelConfig(path / "config.json");
        if (!config) {
            return badInput("model", config.error().text());
        }
        return nlohmann::json{{"dir", text}};
    }
    const auto config = loadModelConfig(path);
    if (!config) {
        return badInput("model", config.error().text());
    }
    if (path.filename() == "config.json") {
        return nlohmann::json{{"dir", path.has_parent_path() ? path.parent_path().string() : "."}};
    }
    return toJson(*config);
}

} // namespace

Result<double> parameterCountFromText(const std::string& text)
{
    const auto wrong = [&text](const std::string& why) {
        return badInput("", fmt::format("{} {}", shortText(nlohmann::json(text)), why));
    };
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '_' && c != ','; });
    double value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const std::string_view unit(parsed.ptr, static_cast<std::size_t>(digits.data() + digits.size() - parsed.ptr));
    if (parsed.ec != std::errc{} || !std::isfinite(value) || unitOfCount(unit) == 0) {
        return wrong("is not a number of parameters; write for example params:6.7e9 or params:350M");
    }
    return value * unitOfCount(unit);
}

Result<ModelConfig> modelFromParameterCount(double parameters)
{
    if (!(parameters >= kLeastParameters)) {
        return badInput("", fmt::format("{:g} parameters are too few for a transformer; {:g} or more are needed",
                                        parameters, kLeastParameters));
    }
    if (parameters > kMostParameters) {
        return badInput("", fmt::format("{:g} parameters are more than any model has; {:g} or fewer are expected",
                                        parameters, kMostParameters));
    }
    const double aspect = typicalAspect(parameters);
    const std::int64_t step = parameters >= 1e9 ? 128 : parameters >= 1e7 ? 64 : 8;
    double leastCost = std::numeric_limits<double>::max();
    std::optional<ModelConfig> best;
    for (std::int64_t layers = 1; layers <= 512; ++layers) {
        // Near the width at which 12 L h^2 makes the count, widths on both sides.
        const double width = std::sqrt(parameters / (12 * static_cast<double>(layers)));
        const auto middle = static_cast<std::int64_t>(width / static_cast<double>(step));
        for (std::int64_t k = std::max<std::int64_t>(1, middle / 3); k <= middle + 2; ++k) {
            const ModelConfig candidate = llamaLike(k * step, layers, parameters);
            const double miss = std::abs(static_cast<double>(countOf(candidate)) / parameters - 1);
            if (miss > kCountTolerance) {
                continue;
            }
            const double shape = static_cast<double>(candidate.hidden) / static_cast<double>(layers) / aspect;
            const double uneven = layers % 4 == 0 || layers < 4 ? 0 : 0.02; // published depths are mostly of fours
            const double cost = std::abs(std::log(shape)) + 20 * miss + uneven;
            if (cost < leastCost) {
                leastCost = cost;
                best = candidate;
            }
        }
    }
    if (!best) {
        return badInput("", fmt::format("no usual shape has about {:g} parameters", parameters));
    }
    return *best;
}

std::string shapeSentence(const ModelConfig& c)
{
    return fmt::format("{}-like, {} layers x {}, {} heads, feed-forward {}, vocabulary {}: {} parameters",
                       name(c.family), c.layers, c.hidden, c.heads, c.ffn, c.vocab, withSeparators(parameterCount(c)));
}

Result<nlohmann::json> modelBlockFromText(const std::string& text, std::string* note)
{
    constexpr std::string_view kPrefix = "params:";
    if (text.starts_with(kPrefix)) {
        return blockFromCount(text, text.substr(kPrefix.size()), note);
    }
    if (text.empty()) {
        return badInput("model", "is empty (a catalogue id, a folder with a config.json, or params:6.7e9)");
    }
    const auto named = resolveModelName(text);
    if (named && named->model && named->note.empty()) {
        return nlohmann::json{{"id", named->model->id}};
    }
    std::error_code error;
    if (fs::exists(text, error)) {
        return blockFromPath(text);
    }
    if (!named) {
        return badInput("model", named.error().message + "; nor is it a folder with a config.json or params:6.7e9");
    }
    if (!named->model) {
        return blockFromPath(named->folder.string());
    }
    if (note != nullptr) {
        *note = named->note;
    }
    return nlohmann::json{{"id", text}};
}

std::string chooseUsableData(nlohmann::json& document)
{
    const auto problems = experimentProblems(document);
    const bool small = std::any_of(problems.begin(), problems.end(), [](const auto& problem) {
        return problem.first == "model.vocab" && problem.second.find("byte tokens") != std::string::npos;
    });
    if (!small || !document.is_object() || !document.contains("model")) {
        return {};
    }
    nlohmann::json& data = document["data"];
    if (!data.is_null() && (!data.is_object() || data.contains("source") || data.contains("tokenizer"))) {
        return {}; // the user's own choice
    }
    std::error_code error;
    const fs::path tokens = fs::path(document["model"].value("dir", ".")) / "tokens.json";
    const bool there = fs::exists(tokens, error);
    data["source"] = "tokens";
    data["path"] = there ? tokens.string() : ".";
    return there ? fmt::format("the vocabulary is smaller than the 256 of byte tokens: data are {}", tokens.string())
                 : "the vocabulary is smaller than the 256 of byte tokens: to run it, give data.path a file of token "
                   "ids; memory is the same";
}

} // namespace peakscope
