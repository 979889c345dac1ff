// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planning/inputs/data_rows.h"

#include "core/planning/inputs/privacy_accountant.h"
#include "core/planning/inputs/shard_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <unordered_map>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

// Mean count of different bytes in a row of the built-in records, by its length; counted over 400 rows each.
struct DistinctCount {
    double tokens;
    double distinct;
};
constexpr DistinctCount kBuiltinCounts[] = {{1, 1},      {16, 11.7},   {32, 18.5},   {64, 27.8},  {96, 33.8},
                                            {128, 38.2}, {200, 44.1},  {256, 47.2},  {400, 52.3}, {511, 54.6},
                                            {768, 58.1}, {1024, 60.3}, {2048, 64.2}, {4096, 66.4}};

// A file of tokens as far as memory depends on it, a bit a token.
struct TokenFile {
    std::string fault; // why it cannot be read; then there is nothing else
    std::int64_t longest = 0, shortest = 0;
    std::vector<std::int64_t> rowStart = {0};
    std::vector<bool> isNew;                // the row's first token of its kind
    std::vector<std::int64_t> firstPadding; // place in the row of the token that pads shorter ones, or its length

    std::int64_t rows() const { return static_cast<std::int64_t>(rowStart.size()) - 1; }
    std::int64_t distinct(std::int64_t row, std::int64_t width) const
    {
        const auto index = static_cast<std::size_t>(row);
        const std::int64_t used = std::min(rowStart[index + 1] - rowStart[index] - 1, width);
        const auto begin = isNew.begin() + rowStart[index];
        const std::int64_t padding = used < width && firstPadding[index] >= used ? 1 : 0;
        return std::count(begin, begin + used, true) + padding;
    }
};

TokenFile summaryOf(const TokenRows& rows)
{
    constexpr std::int32_t kPadding = 0; // BatchSource::batch
    TokenFile file;
    file.longest = rows.longestRow();
    file.shortest = file.longest;
    file.rowStart = rows.rowStart;
    file.isNew.resize(rows.ids.size());
    std::unordered_map<std::int32_t, std::size_t> lastRow; // in which a token stood
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const auto row = rows.row(i);
        file.shortest = std::min(file.shortest, static_cast<std::int64_t>(row.size()));
        file.firstPadding.push_back(std::find(row.begin(), row.end(), kPadding) - row.begin());
        for (std::size_t t = 0; t < row.size(); ++t) {
            std::size_t& last = lastRow[row[t]];
            file.isNew[static_cast<std::size_t>(rows.rowStart[i]) + t] = last != i + 1;
            last = i + 1;
        }
    }
    return file;
}

TokenFile unreadable(const Error& error)
{
    TokenFile file;
    file.fault = error.message;
    return file;
}

// Planners ask many times for one file; several may at once, of which one reads it.
class TokenFiles
{
public:
    std::shared_ptr<const TokenFile> find(const std::string& path)
    {
        std::error_code error;
        Known now{path, 0, {}, nullptr};
        if (!fs::is_regular_file(path, error)) // what a pipe gives can be read once, and that is the run's
            return nullptr;
        now.bytes = fs::file_size(path, error);
        now.time = fs::last_write_time(path, error);
        if (error)
            return nullptr;
        const std::lock_guard lock(m_mutex);
        const auto known = std::find_if(m_known.begin(), m_known.end(), [&now](const Known& each) {
            return each.path == now.path && each.bytes == now.bytes && each.time == now.time;
        });
        if (known != m_known.end())
            return known->file;
        const auto rows = tokenRowsFromJson(path);
        now.file = std::make_shared<const TokenFile>(rows ? summaryOf(*rows) : unreadable(rows.error()));
        if (m_known.size() >= kRemembered)
            m_known.erase(m_known.begin());
        m_known.push_back(now);
        return now.file;
    }

private:
    static constexpr std::size_t kRemembered = 4;
    struct Known {
        std::string path;
        std::uintmax_t bytes = 0;
        fs::file_time_type time;
        std::shared_ptr<const TokenFile> file;
    };
    std::mutex m_mutex;
    std::vector<Known> m_known;
};

std::shared_ptr<const TokenFile> lookAt(const std::string& path)
{
    static TokenFiles files;
    return files.find(path);
}

// Nothing where the experiment has no such file or it cannot be read.
std::shared_ptr<const TokenFile> tokenFile(const Experiment& experiment)
{
    if (experiment.data.source != DataSource::Tokens)
        return nullptr;
    auto file = lookAt(experiment.data.path);
    return file && file->fault.empty() ? file : nullptr;
}

bool readsBuiltinBytes(const Experiment& experiment)
{
    const DataOptions& data = experiment.data;
    const bool bytes = data.tokenizer == "bytes" || (data.tokenizer == "auto" && experiment.model.dir.empty());
    return data.source == DataSource::Builtin && bytes;
}

std::int64_t meanBuiltinTokens(std::int64_t positions, std::int64_t most)
{
    const auto tokens = static_cast<double>(positions);
    const DistinctCount* below = std::begin(kBuiltinCounts);
    for (const DistinctCount& count : kBuiltinCounts) {
        if (tokens <= count.tokens) {
            const double share =
                count.tokens > below->tokens ? (tokens - below->tokens) / (count.tokens - below->tokens) : 0;
            const double expected = below->distinct + share * (count.distinct - below->distinct);
            return std::clamp<std::int64_t>(std::llround(expected), 1, most);
        }
        below = &count;
    }
    return std::min(most, static_cast<std::int64_t>(std::llround(below->distinct)));
}

// Different tokens of each row, in the order in which a run's steps take them.
std::vector<std::int64_t> distinctOfRows(const TokenFile& file, std::int64_t width)
{
    std::vector<std::int64_t> distinct;
    for (std::int64_t row = 0; row < file.rows(); ++row)
        distinct.push_back(file.distinct(row, width));
    return distinct;
}

std::int64_t stepsOf(const Experiment& experiment)
{
    return experiment.training.warmupSteps + experiment.training.steps;
}

// The built-in text is made anew to look at it: only of a run so short that this takes no time.
bool readsCountedBytes(const Experiment& experiment)
{
    constexpr double kMostTokens = 1 << 22;
    const double tokens = static_cast<double>(stepsOf(experiment)) * static_cast<double>(experiment.data.batch) *
                          static_cast<double>(experiment.data.seq);
    return readsBuiltinBytes(experiment) && experiment.kind != ExperimentKind::Prm && tokens <= kMostTokens;
}

std::vector<std::int64_t> distinctOfBytes(const Experiment& experiment)
{
    const auto source = openBatches(experiment);
    std::vector<std::int64_t> distinct;
    for (std::int64_t step = 0; source && step < stepsOf(experiment); ++step) {
        const TokenBatch batch = source->batch(step);
        for (auto row = batch.inputs.begin(); row != batch.inputs.end(); row += batch.width)
            distinct.push_back(static_cast<std::int64_t>(std::set<std::int32_t>(row, row + batch.width).size()));
    }
    return distinct;
}

// No step of `b` needs more in any row than `a`, and what the states take is there in `a` too.
bool covers(const StepRows& a, const StepRows& b)
{
    return (!a.first || b.first) && std::equal(a.distinct.begin(), a.distinct.end(), b.distinct.begin(),
                                               b.distinct.end(), std::greater_equal<>());
}

void addStep(std::vector<StepRows>& steps, StepRows step)
{
    if (std::any_of(steps.begin(), steps.end(), [&](const StepRows& known) { return covers(known, step); }))
        return;
    std::erase_if(steps, [&](const StepRows& known) { return covers(step, known); });
    steps.push_back(std::move(step));
}

// A step that took rows twice would weigh them twice, and what is told of its loss, its curvature and its privacy would
// be of other data. The built-in text has rows without end.
Status checkRows(const Experiment& experiment, std::int64_t rows)
{
    const bool drawn = experiment.training.privacy.poisson;
    const std::int64_t wanted = drawn ? expectedRows(experiment) : experiment.data.batch;
    if (experiment.kind == ExperimentKind::Prm || wanted <= rows)
        return Done{};
    const bool expected = drawn && experiment.training.privacy.expectedBatch > 0;
    return badInput(expected ? "training.privacy.expected_batch" : "data.batch",
                    fmt::format("{} rows a step are more than the {} of {}, each of which is used once a step; at most "
                                "{} is right",
                                wanted, rows, experiment.data.path, rows));
}

} // namespace

Result<BatchSource> openBatches(const Experiment& experiment)
{
    const DataOptions& data = experiment.data;
    const BatchOptions options{data.batch, data.seq, experiment.model.config.vocab, experiment.seed};
    const auto checked = [&](Result<BatchSource> source) -> Result<BatchSource> {
        const Status enough = source ? checkRows(experiment, source->rows()) : Done{};
        return enough ? std::move(source) : enough.error();
    };
    if (data.source == DataSource::Tokens)
        return checked(BatchSource::fromTokens(data.path, options));
    auto tokenizer = chooseTokenizer(data.tokenizer, experiment.model.dir);
    if (!tokenizer)
        return tokenizer.error();
    return data.source == DataSource::Text ? checked(BatchSource::fromText(data.path, **tokenizer, options))
                                           : BatchSource::fromBuiltin(**tokenizer, options);
}

std::int64_t rowPositions(const Experiment& experiment)
{
    const std::int64_t seq = experiment.data.seq;
    if (experiment.data.source != DataSource::Tokens)
        return seq;
    const std::int64_t most =
        experiment.kind == ExperimentKind::Prm ? seq + 1 : seq; // its samples have seq + 1 tokens at the most
    const auto file = tokenFile(experiment);
    return std::max<std::int64_t>(1, tokenRowWidth(most, file ? file->longest : most));
}

bool padsRows(const Experiment& experiment)
{
    if (experiment.data.source != DataSource::Tokens)
        return experiment.prm.has_value();
    const auto file = tokenFile(experiment);
    return file && file->shortest <= rowPositions(experiment);
}

std::string rowDoubt(const Experiment& experiment)
{
    if (experiment.data.source != DataSource::Tokens || tokenFile(experiment))
        return {};
    const auto file = lookAt(experiment.data.path);
    return fmt::format("data.path {}{}; predicted as if its longest row had data.seq = {} tokens or more.",
                       experiment.data.path, file ? ": " + file->fault : " cannot be read on this machine",
                       experiment.data.seq);
}

bool knowsDistinctTokens(const Experiment& experiment, bool countRows)
{
    return (countRows ? readsCountedBytes(experiment) : readsBuiltinBytes(experiment)) ||
           tokenFile(experiment) != nullptr;
}

std::int64_t distinctTokens(const Experiment& experiment)
{
    const std::int64_t positions = rowPositions(experiment);
    const std::int64_t most = std::min(positions, experiment.model.config.vocab);
    if (readsBuiltinBytes(experiment))
        return meanBuiltinTokens(positions, most);
    const auto file = tokenFile(experiment);
    if (!file)
        return most;
    thread_local struct {
        std::shared_ptr<const TokenFile> file;
        std::int64_t positions = 0, distinct = 0;
    } last; // searches ask for the same many times
    if (last.file != file || last.positions != positions) {
        last = {file, positions, 1};
        for (std::int64_t row = 0; row < file->rows(); ++row)
            last.distinct = std::max(last.distinct, file->distinct(row, positions));
    }
    return last.distinct;
}

std::vector<StepRows> heaviestSteps(const Experiment& experiment, std::int64_t ranks, std::int64_t rank, bool countRows)
{
    if (experiment.training.privacy.poisson)
        return {};
    std::vector<std::int64_t> distinct;
    if (const auto file = tokenFile(experiment))
        distinct = distinctOfRows(*file, rowPositions(experiment));
    else if (countRows && readsCountedBytes(experiment))
        distinct = distinctOfBytes(experiment);
    if (distinct.empty())
        return {};
    const std::int64_t batch = experiment.data.batch;
    const auto count = static_cast<std::int64_t>(distinct.size());
    const std::int64_t period = count / std::gcd(count, batch);
    const std::int64_t steps = std::min(stepsOf(experiment), period + 1); // then all come again
    std::vector<StepRows> heaviest;
    for (std::int64_t step = 0; step < steps; ++step) {
        for (std::int64_t each = rank < 0 ? 0 : rank; each < (rank < 0 ? ranks : rank + 1); ++each) {
            const RowShare own = rowShare(batch, each, ranks);
            if (rank < 0 && own.count < (batch + ranks - 1) / ranks)
                continue;
            StepRows rows;
            rows.first = step == 0;
            for (std::int64_t r = 0; r < own.count; ++r)
                rows.distinct.push_back(distinct[static_cast<std::size_t>((step * batch + own.first + r) % count)]);
            addStep(heaviest, std::move(rows));
        }
    }
    return heaviest;
}

} // namespace peakscope
