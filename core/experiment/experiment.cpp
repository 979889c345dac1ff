// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment.h"

#include "core/base/json/json_access.h"
#include "core/base/json/json_keys.h"
#include "core/base/json/json_reader.h"
#include "core/base/secrets/secrets.h"
#include "core/base/words.h"
#include "core/experiment/experiment_model.h"
#include "core/experiment/keys_together.h"
#include "core/experiment/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace peakscope {

namespace {

constexpr std::int64_t kLastEntry = std::int64_t{1} << 50;

nlohmann::json::json_pointer placeOf(std::string_view path)
{
    std::string place = "/" + std::string(path);
    std::replace(place.begin(), place.end(), '.', '/');
    return nlohmann::json::json_pointer(place);
}

class ExperimentReader
{
public:
    ExperimentReader(const nlohmann::json& document, Problems& problems)
        : m_problems(problems), m_reader(document, "", problems)
    {}

    Experiment read()
    {
        readKind();
        readModel();
        readRows(m_reader, "", experimentKeys().begin());
        m_reader.refuseUnknownKeys();
        if (m_modelKnown)
            checkTogether(m_experiment, m_problems);
        m_experiment.document = {{"model", std::move(m_modelBlock)}};
        m_experiment.document = experimentDocument(m_experiment);
        return std::move(m_experiment);
    }

private:
    using Row = std::span<const ExperimentKey>::iterator;

    void readKind()
    {
        const ExperimentKey& key = *findExperimentKey("kind");
        if (m_reader.find("kind") == nullptr)
            m_reader.refuse("kind", fmt::format("is missing (one of {})", joinWords(wordsOf(key))));
        else
            readKey(m_reader, "kind", key);
    }

    void readModel()
    {
        const nlohmann::json* block = m_reader.find("model");
        const bool stored = block != nullptr && block->is_object() && (block->contains("id") || block->contains("dir"));
        m_experiment.pretrained = stored;
        readKey(m_reader, "weights", *findExperimentKey("weights"));
        if (block == nullptr) {
            m_reader.refuse("model", "is missing (an object with an id, a dir or a family)");
            return;
        }
        if (m_experiment.pretrained && !stored) {
            m_reader.refuse("weights", "pretrained needs a model with an id or a dir");
        }
        const bool loads = m_experiment.pretrained && stored && !isSynthetic();
        ResolvedModel resolved = resolveModel(*block, loads, m_problems);
        m_experiment.model = std::move(resolved.choice);
        m_modelBlock = std::move(resolved.block);
        m_modelKnown = resolved.known;
    }

    // Its numbers are made up: no weights are looked for. Asked before the rows are read.
    bool isSynthetic()
    {
        const nlohmann::json* prm = m_reader.find("prm");
        return m_experiment.kind == ExperimentKind::Prm && prm != nullptr &&
               jsonAs<bool>(lenient::member(*prm, "synthetic")).value_or(false);
    }

    // The rows from `row` on that stand below `prefix` ("training."); gives back the first that does not.
    Row readRows(ObjectReader& reader, const std::string& prefix, Row row)
    {
        while (row != experimentKeys().end() && row->path.starts_with(prefix)) {
            const std::string name(row->path.substr(prefix.size()));
            const std::size_t dot = name.find('.');
            if (dot != std::string::npos) {
                row = readBlock(reader, prefix, name.substr(0, dot), row);
                continue;
            }
            if (name != "kind" && name != "weights")
                readKey(reader, name, *row);
            ++row;
        }
        return row;
    }

    Row readBlock(ObjectReader& parent, const std::string& prefix, const std::string& name, Row row)
    {
        const std::string path = prefix + name;
        if (!isWanted(path)) {
            const auto isOther = [&](const ExperimentKey& key) { return !key.path.starts_with(path + "."); };
            return std::find_if(row, experimentKeys().end(), isOther);
        }
        ObjectReader reader(parent.child(name), path, m_problems);
        row = readRows(reader, path + ".", row);
        reader.refuseUnknownKeys();
        if (path == "data")
            checkData(reader);
        if (path == "curvature.parameters")
            checkSelection(reader);
        return row;
    }

    // An experiment keeps the blocks of other kinds where it has them, so that one document can be run as several.
    bool isWanted(const std::string& block)
    {
        if (block == "model")
            return false;
        if (block != "curvature" && block != "prm")
            return true;
        if (m_reader.find(block) == nullptr && name(m_experiment.kind) != block)
            return false;
        if (block == "prm")
            m_experiment.prm.emplace();
        else
            m_experiment.curvature.emplace();
        return true;
    }

    // What a key holds before it is read is its default.
    void readKey(ObjectReader& reader, const std::string& name, const ExperimentKey& key)
    {
        if (key.more.follow)
            key.more.follow(m_experiment);
        const double least = key.more.range.least, most = key.more.range.most;
        const Overloaded read{
            [&](bool* value) { *value = reader.boolean(name, *value); },
            [&](std::int64_t* value) {
                *value =
                    reader.integer(name, *value, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
            },
            [&](std::uint64_t* value) { *value = reader.unsignedInteger(name, *value); },
            [&](double* value) { *value = reader.number(name, *value, least, most); },
            [&](std::string* value) { *value = reader.text(name, *value); },
            [&](std::vector<std::string>* value) { *value = reader.texts(name, *value); },
            [&](std::vector<double>* value) { *value = reader.numbers(name, *value, least, most); },
            [&](std::vector<MarkOptions>* marks) { readMarks(reader, name, *marks); },
            [&](std::vector<EntryChoice>* entries) { readEntries(reader, name, *entries); },
            [&](const WordSlot& slot) {
                const std::string chosen = reader.word(name, (*slot.words)[slot.get()], *slot.words);
                slot.set(static_cast<std::size_t>(std::find(slot.words->begin(), slot.words->end(), chosen) -
                                                  slot.words->begin()));
            },
            [&](const WordsSlot& slot) { readWords(reader, name, slot); },
            [](const ShapeSlot&) {},
        };
        std::visit(read, key.slot(m_experiment));
        if (!key.more.check)
            return;
        if (std::string fault = key.more.check(m_experiment); !fault.empty())
            reader.refuse(name, std::move(fault));
    }

    // A list of words, each of them known.
    void readWords(ObjectReader& reader, const std::string& name, const WordsSlot& slot)
    {
        std::vector<std::string> chosen = reader.texts(name, slot.get());
        if (chosen.empty())
            reader.refuse(name, "an empty list leaves nothing to compute");
        std::erase_if(chosen, [&](const std::string& word) {
            const bool known = std::find(slot.words->begin(), slot.words->end(), word) != slot.words->end();
            if (!known)
                reader.refuse(
                    name, fmt::format("{} is not one of {}", shortText(nlohmann::json(word)), joinWords(*slot.words)));
            return !known;
        });
        slot.set(chosen);
    }

    // Calls f(ObjectReader&) for every element of a list of objects.
    template <typename F>
    void forEach(ObjectReader& reader, const std::string& name, F f)
    {
        const nlohmann::json* list = reader.find(name);
        if (list != nullptr && !list->is_array())
            reader.refuse(name, fmt::format("a list is needed, {} was given", shortText(*list)));
        for (std::size_t i = 0; list != nullptr && list->is_array() && i < list->size(); ++i) {
            ObjectReader element((*list)[i], reader.pathOf(fmt::format("{}.{}", name, i)), m_problems);
            f(element);
            element.refuseUnknownKeys();
        }
    }

    void readMarks(ObjectReader& reader, const std::string& name, std::vector<MarkOptions>& marks)
    {
        forEach(reader, name, [&](ObjectReader& element) {
            const MarkOptions mark{element.text("name", ""), element.text("module", ""), element.text("operator", "")};
            if (mark.name.empty())
                element.refuse("name", "is missing (the band's name)");
            if (mark.module.empty() && mark.operation.empty())
                element.refuse("module", "is missing (a pattern of module names, or give operator)");
            marks.push_back(mark);
        });
    }

    void readEntries(ObjectReader& reader, const std::string& name, std::vector<EntryChoice>& entries)
    {
        forEach(reader, name, [&](ObjectReader& element) {
            const std::string parameter = element.text("parameter", "");
            if (parameter.empty())
                element.refuse("parameter", "is missing (a parameter's name)");
            entries.push_back({parameter, element.integer("index", 0, 0, kLastEntry)});
        });
    }

    void checkSelection(ObjectReader& reader)
    {
        const CurvatureOptions& options = *m_experiment.curvature;
        if (options.select == EntrySelection::Names && options.names.empty())
            reader.refuse("names", "is missing (select is names)");
        if (options.select != EntrySelection::Names && !options.names.empty())
            reader.refuse("names", fmt::format("is for select names, which is {}", name(options.select)));
        if (options.select == EntrySelection::Entries && options.entries.empty())
            reader.refuse("entries", "is missing (select is entries)");
        if (options.select != EntrySelection::Entries && !options.entries.empty())
            reader.refuse("entries", fmt::format("is for select entries, which is {}", name(options.select)));
    }

    void checkData(ObjectReader& reader)
    {
        DataOptions& data = m_experiment.data;
        if (data.source != DataSource::Builtin && data.path.empty()) {
            reader.refuse("path", fmt::format("is missing (the {} to read)",
                                              data.source == DataSource::Text ? "text file or folder" : "token file"));
        } else if (data.source != DataSource::Builtin) {
            requireExisting(reader, "path", data.path);
        } else if (!data.path.empty()) {
            reader.refuse("path", "is for data.source text or tokens, which is builtin; give data.source text, or "
                                  "tokens for a JSON file of token ids");
        }
        if (data.tokenizer.empty()) {
            reader.refuse("tokenizer", "empty, give auto, bytes or a folder");
        } else if (data.tokenizer != "auto" && data.tokenizer != "bytes") {
            requireExisting(reader, "tokenizer", data.tokenizer);
        }
    }

    // Behind a launcher the files are those of another machine.
    void requireExisting(ObjectReader& reader, const std::string& key, const std::string& path)
    {
        std::error_code error;
        if (m_experiment.launcher.empty() && !std::filesystem::exists(path, error)) {
            reader.refuse(key, fmt::format("{} does not exist", shortText(nlohmann::json(path))));
        }
    }

    Problems& m_problems;
    ObjectReader m_reader;
    Experiment m_experiment;
    nlohmann::json m_modelBlock = nlohmann::json::object();
    bool m_modelKnown = false;
};

// The whole of it, with nothing thrown at the caller.
Experiment readExperiment(const nlohmann::json& document, Problems& problems)
{
    try {
        if (!document.is_object()) {
            problems.emplace_back("", "an experiment is a JSON object, " + shortText(document) + " was given");
            return {};
        }
        return ExperimentReader(document, problems).read();
    } catch (const std::exception& e) {
        problems.emplace_back("", fmt::format("not a readable experiment ({})", e.what()));
        return {};
    }
}

// A path that reads on ("is missing …") belongs to the sentence, any other one is where the sentence applies.
Error errorOf(const std::pair<std::string, std::string>& problem)
{
    if (problem.second.starts_with("is ")) {
        return badInput("", problemText(problem));
    }
    return badInput(problem.first, problem.second);
}

void writeKey(nlohmann::json& document, const ExperimentKey& key, const Experiment& e)
{
    nlohmann::json value = keyValue(key, e);
    const nlohmann::json::json_pointer place = placeOf(key.path);
    if (!key.more.rare || value != keyValue(key, defaultExperiment()))
        document[place] = std::move(value);
    else if (document.contains(place))
        document.at(place.parent_pointer()).erase(place.back());
}

} // namespace

std::optional<ExperimentKind> experimentKind(const nlohmann::json& document)
{
    const std::vector<std::string>& words = wordsOf(ExperimentKind::Memory);
    const auto found = std::find(words.begin(), words.end(), lenient::text(document, "kind"));
    return found == words.end() ? std::nullopt : std::optional(static_cast<ExperimentKind>(found - words.begin()));
}

const CurvatureOptions& curvatureOptions(const Experiment& experiment)
{
    return experiment.curvature ? *experiment.curvature : *defaultExperiment().curvature;
}

nlohmann::json experimentDocument(const Experiment& e)
{
    nlohmann::json document{{"model", e.document.at("model")}};
    for (const ExperimentKey& key : experimentKeys()) {
        const bool absent =
            (key.path.starts_with("curvature.") && !e.curvature) || (key.path.starts_with("prm.") && !e.prm);
        if (!key.isOfModel() && !absent)
            writeKey(document, key, e);
    }
    // Results of before there were these keep their text.
    if (e.training.normPrecision == NormPrecision::Full && e.training.normSafety == 0) {
        document["training"].erase("norm_precision");
        document["training"].erase("norm_safety");
    }
    hideLauncherSecrets(document);
    return document;
}

void writeKeys(nlohmann::json& document, const Experiment& experiment, std::initializer_list<std::string_view> paths)
{
    for (const std::string_view path : paths)
        writeKey(document, *findExperimentKey(path), experiment);
}

Result<Experiment> experimentFromJson(const nlohmann::json& document)
{
    Problems problems;
    Experiment experiment = readExperiment(document, problems);
    if (!problems.empty()) {
        return errorOf(problems.front());
    }
    return experiment;
}

Result<Experiment> loadExperiment(const std::string& path, const std::vector<std::string>& assignments)
{
    auto document = readJsonInput(path);
    if (!document) {
        return document.error();
    }
    for (const std::string& assignment : assignments) {
        if (const Status applied = applyAssignment(*document, assignment); !applied) {
            return applied.error();
        }
    }
    auto experiment = experimentFromJson(*document);
    if (!experiment) {
        return badInput(path == "-" ? "standard input" : path, experiment.error().text());
    }
    return experiment;
}

Status applyAssignment(nlohmann::json& document, const std::string& assignment)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
        return badInput(assignment, "not of the form KEY=VALUE (training.lr=0)");
    }
    const std::string path = assignment.substr(0, equals);
    const std::string text = assignment.substr(equals + 1);
    auto parsed = parseJson(text);
    if (const std::string key = repeatedKey(text); parsed && !key.empty()) {
        return badInput(path, fmt::format("{} appears twice in the value; keep one of them", key));
    }
    nlohmann::json value = parsed ? std::move(*parsed) : nlohmann::json(text);
    nlohmann::json* place = &document;
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        const std::string key = path.substr(start, dot - start);
        if (key.empty()) {
            return badInput(path, "a part of the key is empty");
        }
        if (place->is_null()) {
            *place = nlohmann::json::object();
        }
        if (place->is_array()) {
            const bool digits = key.size() < 7 && key.find_first_not_of("0123456789") == std::string::npos;
            if (!digits || std::stoul(key) >= place->size()) {
                return badInput(path, fmt::format("{} is not a place in a list of {}", key, place->size()));
            }
            place = &(*place)[std::stoul(key)];
        } else if (place->is_object()) {
            place = &(*place)[key];
        } else {
            return badInput(path, fmt::format("{} has no keys below it", path.substr(0, start - 1)));
        }
        start = dot + 1;
    }
    *place = std::move(value);
    return Done{};
}

std::vector<std::pair<std::string, std::string>> experimentProblems(const nlohmann::json& document)
{
    Problems problems;
    readExperiment(document, problems);
    return problems;
}

std::optional<nlohmann::json> experimentLike(const nlohmann::json& config)
{
    const nlohmann::json model = config.is_object() ? config.value("model", nlohmann::json()) : nlohmann::json();
    if (!model.is_object())
        return std::nullopt;
    nlohmann::json document = {{"kind", "memory"}, {"model", model}};
    if (!model.contains("dir"))
        document["weights"] = "random";
    if (!experimentFromJson(document))
        return std::nullopt;
    const auto keepUsable = [&document](const std::string& key, const nlohmann::json& value) {
        nlohmann::json with = document;
        if (applyAssignment(with, key + "=" + dumpJson(value)) && experimentFromJson(with))
            document = std::move(with);
    };
    for (const char* block : {"data", "training"}) {
        const nlohmann::json members = config.value(block, nlohmann::json());
        if (!members.is_object())
            continue;
        for (const auto& [key, value] : members.items())
            keepUsable(std::string(block) + "." + key, value);
    }
    if (config.contains("dtype"))
        keepUsable("dtype", config["dtype"]);
    return document;
}

nlohmann::json demoExperiment()
{
    return {{"kind", "memory"},
            {"model",
             {{"family", "opt"},
              {"hidden", 384},
              {"layers", 6},
              {"heads", 6},
              {"ffn", 1536},
              {"vocab", 256},
              {"max_positions", 256},
              {"tied", true}}},
            {"weights", "random"},
            {"seed", 42},
            {"device", "auto"},
            {"dtype", "float32"},
            {"data", {{"source", "builtin"}, {"tokenizer", "bytes"}, {"batch", 8}, {"seq", 256}}},
            {"training", {{"optimizer", "adam"}, {"lr", 1e-3}, {"warmup_steps", 1}, {"steps", 3}}}};
}

bool updatesTogether(const TrainingOptions& training, bool cuda)
{
    if (training.implementation != Implementation::Auto)
        return training.implementation == Implementation::Foreach;
    if (updatesWide(*training.optimizer, updatePrecision(training)))
        return false;
    return cuda && training.optimizer->foreachByDefault;
}

} // namespace peakscope
