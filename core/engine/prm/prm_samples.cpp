// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/prm/prm_samples.h"

#include "core/engine/device/stand_in_readback.h"
#include "core/engine/ledger/ledger_hooks.h"
#include "core/text/random_bits.h"
#include "core/text/text_source.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>

namespace peakscope {
namespace {

constexpr std::int64_t kBuiltinMembers = 512;
constexpr std::int64_t kMostAttacked = 1000;
constexpr std::int64_t kMostEvaluation = 256;
constexpr std::int64_t kLeastBase = 3; // alignment needs three gradients
constexpr std::int64_t kLeastSamples = 9;
constexpr std::uint64_t kSplitSeed = 0x70726d73706c6974ULL;

// Samples of a corpus, each once, in the corpus' order.
class SampleCollector
{
public:
    using TextOf = std::function<std::string(std::span<const std::int32_t>)>;

    SampleCollector(std::int64_t mostTokens, std::int64_t vocab) : m_mostTokens(mostTokens), m_vocab(vocab) {}

    // Cut to what the model takes, and so is its text, by `textOf` what is left. Ids that pass the vocabulary are
    // folded into it where `folds`.
    Status add(std::vector<std::int32_t> tokens, std::string text, bool folds, const TextOf& textOf)
    {
        if (static_cast<std::int64_t>(tokens.size()) > m_mostTokens) {
            tokens.resize(static_cast<std::size_t>(m_mostTokens));
            text = textOf(tokens);
            ++m_cut;
        }
        if (tokens.size() < 2)
            return Done{};
        for (std::int32_t& id : tokens) {
            if (id < m_vocab)
                continue;
            if (!folds)
                return badInput("data", "token id " + std::to_string(id) + " is not below the model's vocabulary of " +
                                            std::to_string(m_vocab));
            id = static_cast<std::int32_t>(id % m_vocab);
            m_folded = true;
        }
        if (m_seen.insert(tokens).second)
            m_samples.push_back({std::move(tokens), std::move(text)});
        else
            ++m_repeated;
        return Done{};
    }

    std::int64_t size() const { return static_cast<std::int64_t>(m_samples.size()); }
    std::vector<TextSample> take() { return std::move(m_samples); }

    std::vector<std::string> notes() const
    {
        std::vector<std::string> notes;
        if (m_repeated > 0)
            notes.push_back("data: " + std::to_string(m_repeated) + " repeated samples were left out");
        if (m_cut > 0)
            notes.push_back("data: " + std::to_string(m_cut) +
                            " samples were cut to data.seq + 1 = " + std::to_string(m_mostTokens) + " tokens");
        if (m_folded)
            notes.emplace_back("data: token ids pass the model's vocabulary and were folded into it");
        return notes;
    }

private:
    std::int64_t m_mostTokens, m_vocab;
    std::int64_t m_cut = 0, m_repeated = 0;
    bool m_folded = false;
    std::set<std::vector<std::int32_t>> m_seen;
    std::vector<TextSample> m_samples;
};

// A line break before and after: the first character is predicted too, and so is the end.
std::vector<std::int32_t> lineTokens(const Tokenizer& tokenizer, const std::string& line)
{
    return tokenizer.encode("\n" + line + "\n");
}

// Of the beginning of such tokens: the line's.
SampleCollector::TextOf lineBeginning(const Tokenizer& tokenizer)
{
    return [&tokenizer](std::span<const std::int32_t> tokens) {
        std::string text = tokenizer.decode(tokens);
        return text.starts_with('\n') ? text.substr(1) : text;
    };
}

Status collectRecords(const Tokenizer& tokenizer, std::uint64_t seed, std::int64_t wanted, SampleCollector& samples)
{
    // Records cut to a short data.seq may repeat, so more are asked for until enough differ.
    std::int64_t first = 0;
    const std::int64_t most = 8 * wanted;
    while (samples.size() < wanted && first < most) {
        const std::int64_t count = wanted - samples.size();
        for (std::string& record : builtinRecords(seed, count, first)) {
            std::vector<std::int32_t> tokens = lineTokens(tokenizer, record);
            if (Status added = samples.add(std::move(tokens), std::move(record), true, lineBeginning(tokenizer));
                !added)
                return added;
        }
        first += count;
    }
    return Done{};
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
            line.pop_back();
        if (!line.empty())
            lines.push_back(std::move(line));
        begin = end + 1;
    }
    return lines;
}

Status collectText(const Tokenizer& tokenizer, const Experiment& experiment, SampleKind kind, SampleCollector& samples,
                   PrmSamples& out)
{
    auto data = readTextFiles(experiment.data.path);
    if (!data)
        return data.error();
    out.notes.insert(out.notes.end(), data->notes.begin(), data->notes.end());
    std::vector<std::string> lines = linesOf(data->text);
    std::vector<std::vector<std::int32_t>> tokens;
    bool fits = true;
    for (const std::string& line : lines) {
        tokens.push_back(lineTokens(tokenizer, line));
        fits = fits && static_cast<std::int64_t>(tokens.back().size()) <= experiment.data.seq + 1;
        if (!fits && kind == SampleKind::Auto)
            break;
    }
    const bool byLine = kind == SampleKind::Lines || (kind == SampleKind::Auto && fits);
    out.description = experiment.data.path + ": " + (byLine ? "a line a sample" : "rows of data.seq + 1 tokens");
    if (byLine) {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (Status added = samples.add(std::move(tokens[i]), std::move(lines[i]), false, lineBeginning(tokenizer));
                !added)
                return added;
        }
        return Done{};
    }
    const std::vector<std::int32_t> stream = tokenizer.encode(data->text);
    const auto rows = packRows(stream, experiment.data.seq + 1);
    if (!rows)
        return badInput(experiment.data.path, rows.error().message);
    for (std::size_t i = 0; i < rows->rows(); ++i) {
        const auto row = rows->row(i);
        if (Status added =
                samples.add({row.begin(), row.end()}, tokenizer.decode(row), false, lineBeginning(tokenizer));
            !added)
            return added;
    }
    return Done{};
}

std::string digitsOf(std::span<const std::int32_t> ids)
{
    std::string digits;
    for (const std::int32_t id : ids)
        digits += std::to_string(id) + ' ';
    return digits;
}

// Without a tokeniser there is no text: zlib packs the ids' digits.
Status collectTokens(const Experiment& experiment, SampleCollector& samples, PrmSamples& out)
{
    const auto rows = tokenRowsFromJson(experiment.data.path);
    if (!rows)
        return rows.error();
    for (std::size_t i = 0; i < rows->rows(); ++i) {
        const auto row = rows->row(i);
        if (Status added = samples.add({row.begin(), row.end()}, digitsOf(row), false, digitsOf); !added)
            return added;
    }
    out.description = experiment.data.path + ": rows of tokens (zlib packs the ids' digits)";
    return Done{};
}

struct PartSizes {
    std::int64_t members, others, evaluation, base;
};

// Half for the members unless told or too much for the others, and of the rest half for the others, a quarter for each
// of the other two.
Result<PartSizes> partSizes(std::int64_t all, const PrmOptions& options)
{
    constexpr std::int64_t kLeastRest = kLeastSamples - 2;
    if (all < kLeastSamples)
        return badInput("data", std::to_string(all) + (all == 1 ? " different sample is" : " different samples are") +
                                    " too few; members, others, perplexity and base model need " +
                                    std::to_string(kLeastSamples) + " at least");
    PartSizes sizes{};
    sizes.members = options.members > 0 ? options.members : std::min(all / 2, all - kLeastRest);
    const std::int64_t rest = all - sizes.members;
    if (rest < kLeastRest)
        return badInput("prm.members", std::to_string(sizes.members) + " of " + std::to_string(all) +
                                           " different samples leave too few for others, perplexity and base model, "
                                           "which need " +
                                           std::to_string(kLeastRest) + "; at most " +
                                           std::to_string(all - kLeastRest) + " is right");
    const std::int64_t attacked = std::min(
        {options.attacked > 0 ? options.attacked : kMostAttacked, sizes.members, rest / 2, rest - 2 - kLeastBase});
    sizes.others = std::max<std::int64_t>(2, attacked);
    sizes.evaluation = std::clamp<std::int64_t>(options.evaluation > 0 ? options.evaluation : kMostEvaluation, 1,
                                                std::max<std::int64_t>(1, (rest - sizes.others) / 2));
    sizes.base = std::min(rest - sizes.others - sizes.evaluation, std::max(sizes.members, kLeastBase));
    return sizes;
}

void split(std::vector<TextSample> all, const PartSizes& sizes, std::uint64_t seed, PrmSamples& out)
{
    std::uint64_t position = 0;
    const auto draw = [&](std::int64_t count) {
        std::vector<TextSample> part;
        for (std::int64_t i = 0; i < count; ++i)
            part.push_back(std::move(all[shuffledIndex(position++, all.size(), seed ^ kSplitSeed)]));
        return part;
    };
    out.members = draw(sizes.members);
    out.others = draw(sizes.others);
    out.evaluation = draw(sizes.evaluation);
    out.base = draw(sizes.base);
    out.attacked = std::min(sizes.others, sizes.members);
}

} // namespace

std::vector<TextSample> PrmSamples::judged() const
{
    std::vector<TextSample> all(members.begin(), members.begin() + attacked);
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

std::vector<int> PrmSamples::judgedLabels() const
{
    std::vector<int> labels(static_cast<std::size_t>(attacked), 1);
    labels.resize(labels.size() + others.size(), 0);
    return labels;
}

Result<PrmSamples> prmSamples(const Experiment& experiment, const PrmOptions& options)
{
    PrmSamples out;
    const DataOptions& data = experiment.data;
    SampleCollector samples(data.seq + 1, experiment.model.config.vocab);
    Status collected = Done{};
    if (data.source == DataSource::Tokens) {
        collected = collectTokens(experiment, samples, out);
    } else {
        const auto tokenizer = chooseTokenizer(data.tokenizer, experiment.model.dir);
        if (!tokenizer)
            return tokenizer.error();
        if (data.source == DataSource::Text) {
            collected = collectText(**tokenizer, experiment, options.samples, samples, out);
        } else {
            const std::int64_t members = options.members > 0 ? options.members : kBuiltinMembers;
            collected = collectRecords(**tokenizer, experiment.seed, 4 * std::max<std::int64_t>(members, 4), samples);
            out.description = "builtin: a record a sample (" + (*tokenizer)->name() + ")";
        }
    }
    if (!collected)
        return collected.error();
    const auto sizes = partSizes(samples.size(), [&] {
        PrmOptions chosen = options;
        if (data.source == DataSource::Builtin && chosen.members == 0)
            chosen.members = std::min(kBuiltinMembers, samples.size() / 2);
        return chosen;
    }());
    if (!sizes)
        return sizes.error();
    const std::vector<std::string> notes = samples.notes();
    out.notes.insert(out.notes.end(), notes.begin(), notes.end());
    split(samples.take(), *sizes, experiment.seed, out);
    out.description += "; " + std::to_string(out.members.size()) + " members, " + std::to_string(out.others.size()) +
                       " others, " + std::to_string(out.evaluation.size()) + " for perplexity, " +
                       std::to_string(out.base.size()) + " for the base model and the features";
    return out;
}

Batch sampleBatch(const std::vector<TextSample>& samples, const std::vector<std::size_t>& order, std::size_t begin,
                  std::size_t count, c10::Device device)
{
    std::size_t width = 1;
    for (std::size_t i = 0; i < count; ++i)
        width = std::max(width, samples[order[begin + i]].tokens.size() - 1);
    const auto options = at::TensorOptions().dtype(at::kLong);
    const auto rows = static_cast<std::int64_t>(count), columns = static_cast<std::int64_t>(width);
    Batch batch{at::empty({rows, columns}, options), at::empty({rows, columns}, options), 0};
    auto* input = batch.inputs.data_ptr<std::int64_t>();
    auto* label = batch.labels.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<std::int32_t>& tokens = samples[order[begin + i]].tokens;
        for (std::size_t t = 0; t < width; ++t) {
            const bool has = t + 1 < tokens.size();
            *input++ = has ? tokens[t] : 0;
            *label++ = has ? tokens[t + 1] : kIgnoredLabel;
            batch.countedLabels += has ? 1 : 0;
            batch.padded = batch.padded || !has;
        }
    }
    if (!device.is_cpu()) {
        batch.inputs = sentTo(device, batch.inputs);
        batch.labels = sentTo(device, batch.labels);
    }
    tagStorage(batch.inputs, Component::Inputs);
    tagStorage(batch.labels, Component::Inputs);
    return batch;
}

} // namespace peakscope
