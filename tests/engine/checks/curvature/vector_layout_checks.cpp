// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors cut over ranks against the same vectors whole: what they are filled with, their sums, and a state written by
// some ranks and read by others.
#include "core/engine/curvature/vectors/progress_log.h"
#include "core/engine/curvature/vectors/vector_layout.h"
#include "core/engine/curvature/vectors/vector_math.h"
#include "tests/engine/checks/ranks/sharding_checks.h"
#include "tests/engine/checks/ranks/thread_ranks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <filesystem>
#include <unistd.h>

namespace peakscope {
namespace {

constexpr std::int64_t kSize = 1000;
constexpr double kLayoutBound = 1e-12;

at::Tensor zeroVector(std::int64_t numbers)
{
    return at::zeros({numbers}, at::TensorOptions(at::kDouble));
}

// Two rows whose members do not stand in the order of the whole vector, with a gap in the first.
VectorLayout layoutOver(Communicator& ranks)
{
    const auto row = [&](std::size_t unit, std::int64_t elements, std::vector<VectorLayout::Member> members) {
        const std::int64_t share = (elements + ranks.size() - 1) / ranks.size();
        return VectorLayout::Row{unit, share, share * ranks.size(), 0, std::move(members)};
    };
    return VectorLayout(ranks,
                        {row(0, 707, {{300, 0, 333}, {633, 340, 367}}), row(1, 300, {{131, 0, 169}, {0, 169, 131}})});
}

struct CutNumbers {
    double dot = 0;
    std::vector<double> parts, values;
    std::int64_t bad = 0, none = 0;
};

CutNumbers numbersOn(const VectorLayout& layout, std::int64_t numbers)
{
    const at::Tensor a = zeroVector(numbers), b = zeroVector(numbers);
    layout.fillNormal(a, 7, DrawPurpose::TraceProbe, 3);
    layout.fillSigns(b, 7, DrawPurpose::TraceProbe, 4);
    CutNumbers found;
    found.dot = layout.dot(a, b);
    found.parts = layout.dots(a, b, {{0, 131}, {131, 502}, {633, 367}});
    found.values = layout.valuesAt(a, 300, {0, 5, 332, 333, 699});
    found.none = layout.firstNonFinite(a);
    const at::Tensor whole = zeroVector(kSize);
    whole[640] = NAN;
    layout.distribute(b, [&](std::int64_t position, const at::Tensor& values) {
        values.copy_(whole.narrow(0, position, values.numel()));
    });
    found.bad = layout.firstNonFinite(b);
    return found;
}

double apart(const CutNumbers& one, const CutNumbers& other)
{
    double worst = std::abs(one.dot - other.dot);
    for (std::size_t i = 0; i < one.parts.size(); ++i)
        worst = std::max(worst, std::abs(one.parts[i] - other.parts[i]));
    for (std::size_t i = 0; i < one.values.size(); ++i)
        worst = std::max(worst, one.values[i] == other.values[i] ? 0.0 : static_cast<double>(INFINITY));
    return one.bad == other.bad && one.none == other.none ? worst : INFINITY;
}

void write(const std::string& path, Communicator* ranks, const VectorLayout& layout, std::int64_t numbers)
{
    auto log = ProgressLog::open(path, "vectors", ranks);
    if (!log)
        return;
    const at::Tensor a = zeroVector(numbers), b = zeroVector(numbers);
    layout.fillNormal(a, 1, DrawPurpose::LanczosStart, 0);
    layout.fillNormal(b, 1, DrawPurpose::LanczosStart, 1);
    log->note("something", 1);
    log->noteVectors("state", {{"size", 2}}, {a, b}, layout);
}

bool reads(const std::string& path, Communicator* ranks, const VectorLayout& layout, std::int64_t numbers)
{
    auto log = ProgressLog::open(path, "vectors", ranks);
    const at::Tensor a = zeroVector(numbers), b = zeroVector(numbers), right = zeroVector(numbers);
    nlohmann::json state;
    if (!log || !log->recallVectors("state", state, {a, b}, layout) || state.value("size", 0) != 2)
        return false;
    layout.fillNormal(right, 1, DrawPurpose::LanczosStart, 0);
    const bool first = a.equal(right);
    layout.fillNormal(right, 1, DrawPurpose::LanczosStart, 1);
    return first && b.equal(right);
}

} // namespace

void vectorLayoutChecks(const std::function<void(const CheckResult&)>& onResult)
{
    const VectorLayout whole;
    const CutNumbers right = numbersOn(whole, kSize);
    const std::string path =
        (std::filesystem::temp_directory_path() / ("peakscope-vectors-" + std::to_string(::getpid()))).string();
    bool kept = right.bad == 640 && right.none == -1;
    double worst = 0;
    for (const int count : {1, 2, 3, 4}) {
        ThreadRanks(count).run([&](Communicator& ranks) {
            const VectorLayout layout = layoutOver(ranks);
            worst = std::max(worst, apart(numbersOn(layout, layout.held()), right));
            write(path, &ranks, layout, layout.held());
        });
        kept = kept && reads(path, nullptr, whole, kSize);
        ThreadRanks(5 - count).run([&](Communicator& ranks) {
            const VectorLayout layout = layoutOver(ranks);
            const bool own = reads(path, &ranks, layout, layout.held());
            kept = kept && own;
        });
        std::filesystem::remove(path);
        std::filesystem::remove(path + ".state");
    }
    char text[80];
    std::snprintf(text, sizeof text, "sums off by %.2g of whole vectors", worst);
    onResult({"sharding: vectors cut over ranks", worst <= kLayoutBound * kSize, text});
    onResult({"sharding: vectors written by some ranks, read by others", kept, "1 to 4 ranks, whole and cut"});
}

} // namespace peakscope
