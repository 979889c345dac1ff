// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `fit` of programs whose rows differ in length: what the largest has to fit, against closed forms, on a package that
// takes PyTorch's place and, with a real one ($PEAKSCOPE_DRY_PYTHON), on its own data loader.
#include "core/dry/fit_result.h"
#include "tests/core/dry/fake_torch.h"
#include "tests/test_room.h"

#include <QTest>

using namespace peakscope;

namespace {

constexpr std::int64_t kEach = std::int64_t{128} << 20; // bytes of a token

// A loader as PyTorch's, as far as is asked of it, and a step for each batch, whose rows all take the room of its
// longest.
const char kLoader[] = R"(
import os, sys, types
loading = types.ModuleType("torch.utils.data.dataloader")
sys.modules["torch.utils.data.dataloader"] = loading
class BatchSampler:
    def __init__(self, rows, size): self.rows, self.size = rows, size
    def __len__(self): return len(self.rows) // self.size
    def __iter__(self): return (list(range(i * self.size, (i + 1) * self.size)) for i in range(len(self)))
class OfItsOwn(BatchSampler): pass
class DataLoader:
    def __init__(self, rows, sampler): self.dataset, self.batch_sampler = rows, sampler
    @property
    def _index_sampler(self): return self.batch_sampler
    def __iter__(self): return (max(len(self.dataset[i]["input_ids"]) for i in batch) for batch in self._index_sampler)
loading.DataLoader, loading.BatchSampler = DataLoader, BatchSampler
import torch
torch.cuda.start()
card = dict(word.split("=", 1) for word in os.environ["PEAKSCOPE_DRY"].split(";"))
def run(size, lengths):
    total = 0
    for length in lengths:
        peak = size * length * (128 << 20)
        if peak > int(card["bytes"]) - int(card["context_bytes"]):
            torch._observers[0](0, 1, 2, 3)
            raise torch.OutOfMemoryError("CUDA out of memory")
        total += peak
        peak = max(peak, torch.peaks["allocated"])
        torch.peaks.update(allocated=peak, reserved=peak, requested=total)
        torch._stepped[0](None, None, None)
size = int(sys.argv[1])
)";

// Batches whose rows have 5, 6, 7, 8, 5, … tokens; of three at a time, five times, the most are 7, 8, 8, 8, 7. The last
// row, which none of them has, is of 30.
const char kRows[] = R"(
rows = [{"input_ids": [0] * (5 + i // size % 4)} for i in range(size * 16)]
rows[-1]["input_ids"] = [0] * 30
)";

} // namespace

class TestFitDraws : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (FakeTorch::python().isEmpty())
            QSKIP("no python3 here");
    }

    // The longest rows decide, and the line is theirs.
    void theLongestRowsHaveToFit()
    {
        const FitRequest request = requestFor({60, 30, 8, 7}, "run(size, DataLoader(rows, BatchSampler(rows, size)))");
        const FitCase one = fitted(request);
        QCOMPARE(one.largest, std::optional(largestOf(30)));
        QCOMPARE(one.rows, FitDraw::kLongest);
        const auto line = caseLine(one);
        QVERIFY(line && std::abs(line->bytesEach - 30.0 * kEach) < 1 && std::abs(line->bytesAtZero) < 1000);
        const FitPoint& point = pointOf(one);
        QCOMPARE(point.draws.size(), std::size_t{6}); // five, and the longest
        for (const FitDraw& draw : point.draws) {
            const std::int64_t tokens =
                std::map<std::int64_t, std::int64_t>{{FitDraw::kLongest, 30}, {0, 7}, {1, 8}, {2, 8}, {3, 8}, {4, 7}}
                    .at(draw.number);
            QVERIFY(draw.fits);
            QCOMPARE(draw.reservedBytes, point.value * tokens * kEach);
            QCOMPARE(draw.longestRow, tokens == 30 ? 30 : 0);
        }
        QCOMPARE(point.reservedBytes, point.value * 30 * kEach);
        const std::string remarks = toJson(request, {one})["cards"][0]["remarks"].dump();
        QVERIFY2(remarks.find("with the longest rows (30) every other batch reserves") != std::string::npos,
                 remarks.c_str());
        QVERIFY2(remarks.find("in 5 draws of its rows reserves") != std::string::npos, remarks.c_str());
    }

    // Batches by a rule of the program's own may not have so many long rows in one.
    void otherDrawsHaveToFit()
    {
        FitRequest request = requestFor({8, 7}, "run(size, DataLoader(rows, OfItsOwn(rows, size)))");
        QCOMPARE(fitted(request).largest, std::optional(largestOf(8)));
        request.draws = 1;
        const FitCase first = fitted(request);
        QCOMPARE(first.largest, std::optional(largestOf(7)));
        QVERIFY(std::ranges::all_of(first.points, [](const FitPoint& point) { return point.draws.size() == 1; }));
        QVERIFY(!toJson(request, {first})["cards"][0]["points"][0].contains("draws"));
    }

    void aSeedHasToFit()
    {
        FitRequest request = requestFor({9, 6}, "run(size, [5, 5, max(6, 5 + int(sys.argv[2]))])");
        request.command.emplace_back("{draw}");
        const FitCase one = fitted(request);
        QCOMPARE(one.largest, std::optional(largestOf(9)));
        QVERIFY(largestCommand(request, one).ends_with(" 0"));
    }

    void whatCannotBeDrawnIsSaid()
    {
        const FitRequest request = requestFor({7}, "run(size, [5, 6, 7])");
        const FitCase one = fitted(request);
        QCOMPARE(one.largest, std::optional(largestOf(7)));
        QVERIFY(fitRemarks(request, one).back().find("{draw} in the arguments") != std::string::npos);
        const FitRequest alike = requestFor({7}, "run(size, [5, 7, 7])"); // the first step is not compared
        const std::vector<std::string> remarks = fitRemarks(alike, fitted(alike));
        QVERIFY2(remarks.empty(), remarks.empty() ? "" : remarks.front().c_str());
    }

    // What comes of it is said, and decides nothing.
    void aProgramThatItsLongestRowsEnd()
    {
        const FitRequest request = requestFor({30}, R"(
def checked(lengths):
    for length in lengths:
        if length == 30: raise ValueError("30 tokens, at most 8")
        yield length
run(size, checked(DataLoader(rows, BatchSampler(rows, size)))))");
        const FitCase one = fitted(request);
        QCOMPARE(one.largest, std::optional(largestOf(30) + 1));
        const std::string remarks = toJson(request, {one})["cards"][0]["remarks"].dump();
        QVERIFY2(remarks.find("ValueError: 30 tokens, at most 8") != std::string::npos, remarks.c_str());
    }

    // No row is known to be the longest; the program does not end by a row that it would not ask for itself.
    void rowsThatCannotBeHadOneByOne()
    {
        const FitRequest request = requestFor({8, 7}, R"(
class InOrder(list):
    def __getitem__(self, index):
        if index == len(self) - 1: raise ValueError("not yet")
        return super().__getitem__(index)
run(size, DataLoader(InOrder(rows), BatchSampler(rows, size)))
)");
        const FitCase one = fitted(request);
        QCOMPARE(one.largest, std::optional(largestOf(8)));
        const std::string remarks = toJson(request, {one})["cards"][0]["remarks"].dump();
        QVERIFY2(remarks.find("longest rows") == std::string::npos, remarks.c_str());
    }

    void aRealLoader()
    {
        const QByteArray python = qgetenv("PEAKSCOPE_DRY_PYTHON");
        if (python.isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
        FitRequest request = requestFor({30}, R"(
from torch.utils.data import DataLoader
parameter = torch.nn.Parameter(torch.zeros(1, device="cuda"))
optimizer = torch.optim.SGD([parameter])
pad = lambda batch: torch.tensor([max(len(row["input_ids"]) for row in batch)])
for longest in DataLoader(rows, batch_size=size, collate_fn=pad):
    held = torch.empty(size * longest.item() * (128 << 20), dtype=torch.uint8, device="cuda")
    del held; torch.cuda.empty_cache()
    parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
)",
                                        "import sys, torch\nsize = int(sys.argv[1])\n");
        request.command.front() = python.toStdString();
        request.axes.front().values = {largestOf(30)}; // each start of a real PyTorch takes seconds
        request.draws = 2;
        const FitCase one = fitted(request, {});
        QCOMPARE(one.largest, std::optional(largestOf(30)));
        std::map<std::int64_t, std::int64_t> tokens;
        for (const FitDraw& draw : pointOf(one).draws)
            tokens[draw.number] = draw.reservedBytes / (largestOf(30) * kEach);
        QCOMPARE(tokens, (std::map<std::int64_t, std::int64_t>{{FitDraw::kLongest, 30}, {0, 7}, {1, 8}}));
    }

private:
    std::string path(const char* name) const { return m_torch.filePath(QLatin1String(name)).toStdString(); }

    static DryDevice card() { return dryDevice("dry:h100-80gb").value(); }
    // By bytes of rows of so many tokens.
    static std::int64_t largestOf(std::int64_t tokens)
    {
        const double usable = static_cast<double>(card().bytes - card().card.contextBytes);
        return static_cast<std::int64_t>(0.95 * usable) / (tokens * kEach);
    }
    static const FitPoint& pointOf(const FitCase& one)
    {
        return *std::ranges::find(one.points, one.largest.value_or(0), &FitPoint::value);
    }

    // The largest of each of these numbers of tokens and what is one more, to choose from.
    FitRequest requestFor(const std::vector<std::int64_t>& tokens, const QByteArray& program,
                          const QByteArray& begins = kLoader) const
    {
        m_torch.write(QStringLiteral("program.py"), begins + kRows + program + "\n");
        FitAxis axis{.name = "size"};
        for (const std::int64_t each : tokens) {
            axis.values.emplace_back(largestOf(each));
            axis.values.emplace_back(largestOf(each) + 1);
        }
        FitRequest request;
        request.cards = {card()};
        request.axes = {axis};
        request.command = {FakeTorch::python().toStdString(), path("program.py"), "{size}"};
        return request;
    }

    FitCase fitted(const FitRequest& request) const { return fitted(request, m_torch.site()); }
    static FitCase fitted(const FitRequest& request, const QByteArray& packages)
    {
        qputenv("PYTHONPATH", packages);
        auto cases = fitProgram(request, [](const FitCase&, const FitPoint&) {});
        qunsetenv("PYTHONPATH");
        if (!cases)
            qFatal("%s", cases.error().text().c_str());
        return cases->front();
    }

    FakeTorch m_torch;
};

PEAKSCOPE_TEST(TestFitDraws)
#include "test_fit_draws.moc"
