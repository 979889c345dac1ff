// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment.h"

#include "core/base/json_keys.h"
#include "core/base/secrets.h"

#include "core/planning/adapter_specs.h"
#include "core/experiment/experiment_blocks.h"
#include "core/experiment/experiment_model.h"
#include "core/experiment/experiment_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace peakscope {

namespace {

// TF32 rounds a factor's mantissa to 10 bits: products that do not cancel are at most 2^-9 off. Five times that.
constexpr double kTf32Safety = 0.01;
constexpr std::int64_t kMostRows = 1 << 24;
constexpr std::int64_t kMostTokens = 1 << 30;
constexpr std::int64_t kMostSteps = 1'000'000'000;
constexpr std::int64_t kMostBudgetBytes = std::int64_t{1} << 60;
constexpr std::int64_t kByteVocabulary = 256;

const std::vector<std::string> kExperimentKinds{"memory", "curvature", "prm"};

template <typename E>
E readWord(ObjectReader& reader, const std::string& key, E fallback)
{
    std::vector<std::string> words;
    for (const auto& [text, value] : wordsOf(fallback)) {
        words.push_back(text);
    }
    const std::string chosen = reader.word(key, std::string(name(fallback)), words);
    for (const auto& [text, value] : wordsOf(fallback)) {
        if (text == chosen) {
            return value;
        }
    }
    return fallback;
}

// "cuda" is cuda:0; anything but auto, cpu and cuda:N is a problem.
std::string readDevice(ObjectReader& reader)
{
    const std::string text = reader.text("device", "auto");
    if (text == "auto" || text == "cpu") {
        return text;
    }
    if (text == "cuda") {
        return "cuda:0";
    }
    const std::string digits = text.starts_with("cuda:") ? text.substr(5) : "";
    const bool number = !digits.empty() && digits.size() <= 3 &&
                        std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
    if (!number) {
        reader.refuse("device", fmt::format("{} is none of auto, cpu and cuda:0 (or another number)",
                                            shortText(nlohmann::json(text))));
        return "auto";
    }
    return text;
}

bool holdsTokenizer(const std::filesystem::path& folder)
{
    for (const char* file : {"tokenizer.json", "vocab.json", "tokenizer.model", "spiece.model"}) {
        std::error_code error;
        if (std::filesystem::exists(folder / file, error)) {
            return true;
        }
    }
    return false;
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
        m_experiment.seed = m_reader.unsignedInteger("seed", m_experiment.seed);
        m_experiment.device = readDevice(m_reader);
        m_experiment.threads = m_reader.integer("threads", 0, 0, 4096);
        m_experiment.ranks = m_reader.integer("ranks", 0, 0, 4096);
        m_experiment.dtype = readWord(m_reader, "dtype", m_experiment.dtype);
        m_experiment.launcher = m_reader.texts("launcher", {});
        readData();
        readTraining();
        readMarks();
        m_experiment.budgetBytes = m_reader.integer("budget_bytes", 0, 0, kMostBudgetBytes);
        m_experiment.fit = m_reader.boolean("fit", false);
        m_experiment.traced = m_reader.boolean("traced", true);
        if (!m_experiment.traced && m_experiment.kind != "memory") {
            m_reader.refuse("traced", "false is for kind memory: its training steps are what is timed");
        }
        readCudaAllocator();
        readOtherKinds();
        m_reader.refuseUnknownKeys();
        checkTogether();
        writeDocument();
        return m_experiment;
    }

private:
    void readKind()
    {
        if (m_reader.find("kind") == nullptr) {
            m_reader.refuse("kind", "is missing (one of memory, curvature and prm)");
            return;
        }
        m_experiment.kind = m_reader.word("kind", "memory", kExperimentKinds);
    }

    void readModel()
    {
        static const std::vector<std::string> kWeights{"pretrained", "random"};
        const nlohmann::json* block = m_reader.find("model");
        const bool stored = block != nullptr && block->is_object() && (block->contains("id") || block->contains("dir"));
        m_experiment.pretrained = m_reader.word("weights", stored ? "pretrained" : "random", kWeights) == "pretrained";
        if (block == nullptr) {
            m_reader.refuse("model", "is missing (an object with an id, a dir or a family)");
            return;
        }
        if (m_experiment.pretrained && !stored) {
            m_reader.refuse("weights", "pretrained needs a model with an id or a dir");
        }
        ResolvedModel resolved = resolveModel(*block, m_experiment.pretrained && stored, m_problems);
        m_experiment.model = std::move(resolved.choice);
        m_modelBlock = std::move(resolved.block);
        m_modelKnown = resolved.known;
    }

    void readData()
    {
        ObjectReader reader(m_reader.child("data"), "data", m_problems);
        DataOptions& data = m_experiment.data;
        data.source = readWord(reader, "source", data.source);
        data.path = reader.text("path", "");
        data.tokenizer = reader.text("tokenizer", data.tokenizer);
        data.batch = reader.integer("batch", data.batch, 1, kMostRows);
        data.seq = reader.integer("seq", data.seq, 1, kMostTokens);
        m_physicalBatch = reader.integer("max_physical_batch", data.batch, 1, kMostRows);
        data.maxPhysicalBatch = std::min(m_physicalBatch, data.batch);
        reader.refuseUnknownKeys();
        if (data.source != DataSource::Builtin && data.path.empty()) {
            reader.refuse("path", fmt::format("is missing (the {} to read)",
                                              data.source == DataSource::Text ? "text file or folder" : "token file"));
        } else if (data.source != DataSource::Builtin) {
            requireExisting(reader, "path", data.path);
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

    void readTraining()
    {
        ObjectReader reader(m_reader.child("training"), "training", m_problems);
        TrainingOptions& t = m_experiment.training;
        t.optimizer = readWord(reader, "optimizer", t.optimizer);
        t.lr = reader.number("lr", t.lr, 0, kMostNumber);
        t.warmupSteps = reader.integer("warmup_steps", t.warmupSteps, 0, kMostSteps);
        t.steps = reader.integer("steps", t.steps, 1, kMostSteps);
        t.checkpointing = reader.boolean("checkpointing", t.checkpointing);
        t.amp = readWord(reader, "amp", t.amp);
        t.attention = readWord(reader, "attention", t.attention);
        t.lossHead = readWord(reader, "loss_head", t.lossHead);
        t.clipping = readWord(reader, "clipping", t.clipping);
        t.maxGradNorm = reader.number("max_grad_norm", t.maxGradNorm, 0, kMostNumber);
        if (t.maxGradNorm == 0) {
            reader.refuse("max_grad_norm", "0 is not above 0");
        }
        t.noiseMultiplier = reader.number("noise_multiplier", t.noiseMultiplier, 0, kMostNumber);
        t.normPrecision = readWord(reader, "norm_precision", t.normPrecision);
        t.normSafety = reader.number("norm_safety", t.normPrecision == NormPrecision::Tf32 ? kTf32Safety : 0, 0, 1);
        t.sharding = readWord(reader, "sharding", t.sharding);
        readPrivacy(reader);
        readLora(reader);
        reader.refuseUnknownKeys();
    }

    void readPrivacy(ObjectReader& training)
    {
        ObjectReader reader(training.child("privacy"), "training.privacy", m_problems);
        PrivacyOptions& p = m_experiment.training.privacy;
        p.delta = reader.number("delta", p.delta, 0, 1);
        if (p.delta <= 0 || p.delta >= 1) {
            reader.refuse("delta", fmt::format("{} is not between 0 and 1", p.delta));
        }
        p.poisson = reader.boolean("poisson", p.poisson);
        p.expectedBatch = reader.integer("expected_batch", p.expectedBatch, 0, kMostRows);
        reader.refuseUnknownKeys();
    }

    void readLora(ObjectReader& training)
    {
        ObjectReader reader(training.child("lora"), "training.lora", m_problems);
        LoraOptions& l = m_experiment.training.lora;
        l.rank = reader.integer("rank", l.rank, 0, 1 << 16);
        l.alpha = reader.number("alpha", l.alpha, 0, kMostNumber);
        l.targets = reader.texts("targets", l.targets);
        if (l.rank > 0 && l.targets.empty()) {
            reader.refuse("targets", "an empty list leaves nothing to train");
        }
        reader.refuseUnknownKeys();
    }

    void readMarks()
    {
        const nlohmann::json* marks = m_reader.find("marks");
        if (marks == nullptr) {
            return;
        }
        if (!marks->is_array()) {
            m_reader.refuse("marks", fmt::format("a list is needed, {} was given", shortText(*marks)));
            return;
        }
        for (std::size_t i = 0; i < marks->size(); ++i) {
            ObjectReader reader((*marks)[i], fmt::format("marks.{}", i), m_problems);
            MarkOptions mark;
            mark.name = reader.text("name", "");
            mark.module = reader.text("module", "");
            mark.operation = reader.text("operator", "");
            if (mark.name.empty()) {
                reader.refuse("name", "is missing (the band's name)");
            }
            if (mark.module.empty() && mark.operation.empty()) {
                reader.refuse("module", "is missing (a pattern of module names, or give operator)");
            }
            reader.refuseUnknownKeys();
            m_experiment.marks.push_back(std::move(mark));
        }
    }

    void readCudaAllocator()
    {
        ObjectReader reader(m_reader.child("cuda_allocator"), "cuda_allocator", m_problems);
        m_experiment.cudaAllocator.maxSplitSizeMb = reader.integer("max_split_size_mb", 0, 0, 1 << 24);
        m_experiment.cudaAllocator.expandableSegments = reader.boolean("expandable_segments", false);
        reader.refuseUnknownKeys();
    }

    // A memory experiment keeps these blocks where it has them, so that one document can be run as several kinds.
    void readOtherKinds()
    {
        const nlohmann::json* curvature = m_reader.find("curvature");
        if (curvature != nullptr || m_experiment.kind == "curvature") {
            m_curvatureBlock = readCurvatureBlock(m_reader.child("curvature"), m_problems);
        }
        const nlohmann::json* prm = m_reader.find("prm");
        if (prm != nullptr || m_experiment.kind == "prm") {
            m_prmBlock = readPrmBlock(m_reader.child("prm"), m_problems);
        }
    }

    void checkTogether()
    {
        if (!m_modelKnown) {
            return;
        }
        const ModelConfig& c = m_experiment.model.config;
        if (c.learnedPositions() && m_experiment.data.seq > c.maxPositions) {
            m_problems.emplace_back(
                "data.seq", fmt::format("{} is above model.max_positions {}", m_experiment.data.seq, c.maxPositions));
        }
        if (c.slidingWindow > 0 && m_experiment.data.seq > c.slidingWindow) {
            m_problems.emplace_back("data.seq", fmt::format("{} is above model.sliding_window {}, and attention within "
                                                            "a window is not supported",
                                                            m_experiment.data.seq, c.slidingWindow));
        }
        const TrainingOptions& training = m_experiment.training;
        const bool clips = training.clipping != Clipping::None;
        if (!clips && training.noiseMultiplier > 0) {
            m_problems.emplace_back("training.noise_multiplier",
                                    fmt::format("{} needs clipped gradients (training.clipping is none; auto clips)",
                                                training.noiseMultiplier));
        }
        if (training.normPrecision == NormPrecision::Tf32 && (!clips || m_experiment.dtype != Dtype::Float32)) {
            m_problems.emplace_back(
                "training.norm_precision",
                clips ? fmt::format("tf32 rounds float32 products, dtype is {}", name(m_experiment.dtype))
                      : "tf32 is for norms of clipped rows (training.clipping is none)");
        }
        if (!clips && training.normSafety > 0) {
            m_problems.emplace_back(
                "training.norm_safety",
                fmt::format("{} is for clipped rows (training.clipping is none)", training.normSafety));
        }
        if (clips && !std::isfinite(training.noiseMultiplier * training.maxGradNorm)) {
            m_problems.emplace_back("training.noise_multiplier",
                                    fmt::format("{} times max_grad_norm {} is beyond any number",
                                                training.noiseMultiplier, training.maxGradNorm));
        }
        if (clips && m_physicalBatch > m_experiment.data.batch) {
            m_problems.emplace_back("data.max_physical_batch",
                                    fmt::format("{} is above data.batch {}", m_physicalBatch, m_experiment.data.batch));
        }
        if (!m_experiment.training.lora.targets.empty()) {
            if (const auto plan = adapterPlan(c, m_experiment.training.lora); !plan) {
                m_problems.emplace_back(plan.error().context, plan.error().message);
            }
        }
        const bool bytes = m_experiment.data.tokenizer == "bytes" ||
                           (m_experiment.data.tokenizer == "auto" &&
                            (m_experiment.model.dir.empty() || !holdsTokenizer(m_experiment.model.dir)));
        if (m_experiment.data.source != DataSource::Tokens && bytes && c.vocab < kByteVocabulary) {
            m_problems.emplace_back("model.vocab", fmt::format("{} is below the 256 that byte tokens of {} data need",
                                                               c.vocab, name(m_experiment.data.source)));
        }
    }

    nlohmann::json trainingDocument() const
    {
        const TrainingOptions& t = m_experiment.training;
        nlohmann::json block = {
            {"optimizer", name(t.optimizer)},
            {"lr", t.lr},
            {"warmup_steps", t.warmupSteps},
            {"steps", t.steps},
            {"checkpointing", t.checkpointing},
            {"amp", name(t.amp)},
            {"attention", name(t.attention)},
            {"loss_head", name(t.lossHead)},
            {"clipping", name(t.clipping)},
            {"max_grad_norm", t.maxGradNorm},
            {"noise_multiplier", t.noiseMultiplier},
            {"privacy",
             {{"delta", t.privacy.delta}, {"poisson", t.privacy.poisson}, {"expected_batch", t.privacy.expectedBatch}}},
            {"lora", {{"rank", t.lora.rank}, {"alpha", t.lora.alpha}, {"targets", t.lora.targets}}},
            {"sharding", name(t.sharding)}};
        if (t.normPrecision != NormPrecision::Full || t.normSafety > 0) {
            block["norm_precision"] = name(t.normPrecision);
            block["norm_safety"] = t.normSafety;
        }
        return block;
    }

    void writeDocument()
    {
        nlohmann::json marks = nlohmann::json::array();
        for (const MarkOptions& mark : m_experiment.marks) {
            marks.push_back({{"name", mark.name}, {"module", mark.module}, {"operator", mark.operation}});
        }
        const DataOptions& data = m_experiment.data;
        m_experiment.document = {{"kind", m_experiment.kind},
                                 {"model", m_modelBlock},
                                 {"weights", m_experiment.pretrained ? "pretrained" : "random"},
                                 {"seed", m_experiment.seed},
                                 {"device", m_experiment.device},
                                 {"threads", m_experiment.threads},
                                 {"dtype", name(m_experiment.dtype)},
                                 {"data",
                                  {{"source", name(data.source)},
                                   {"path", data.path},
                                   {"tokenizer", data.tokenizer},
                                   {"batch", data.batch},
                                   {"seq", data.seq},
                                   {"max_physical_batch", data.maxPhysicalBatch}}},
                                 {"training", trainingDocument()},
                                 {"marks", marks},
                                 {"budget_bytes", m_experiment.budgetBytes},
                                 {"fit", m_experiment.fit},
                                 {"launcher", commandWithoutSecrets(m_experiment.launcher)},
                                 {"cuda_allocator",
                                  {{"max_split_size_mb", m_experiment.cudaAllocator.maxSplitSizeMb},
                                   {"expandable_segments", m_experiment.cudaAllocator.expandableSegments}}}};
        if (!m_experiment.traced) {
            m_experiment.document["traced"] = false;
        }
        if (m_experiment.ranks > 0) {
            m_experiment.document["ranks"] = m_experiment.ranks;
        }
        if (!m_curvatureBlock.is_null()) {
            m_experiment.document["curvature"] = m_curvatureBlock;
        }
        if (!m_prmBlock.is_null()) {
            m_experiment.document["prm"] = m_prmBlock;
        }
    }

    Problems& m_problems;
    ObjectReader m_reader;
    Experiment m_experiment;
    nlohmann::json m_modelBlock = nlohmann::json::object();
    nlohmann::json m_curvatureBlock;
    nlohmann::json m_prmBlock;
    bool m_modelKnown = false;
    std::int64_t m_physicalBatch = 0; // as written
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

} // namespace

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
        return badInput(path, fmt::format("{} stands in the value twice; keep one of them", key));
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

} // namespace peakscope
