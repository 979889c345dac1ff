// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// `fit`: the search and its line against closed forms, what it refuses, and whole searches with programs whose peaks
// are known, on a package that takes PyTorch's place; with a real one ($PEAKSCOPE_DRY_PYTHON) that too.
#include "core/dry/fit_result.h"
#include "core/results/sweeps/sweep_document.h"
#include "tests/core/dry/fake_torch.h"
#include "tests/test_room.h"

#include <QTest>

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <functional>

using namespace peakscope;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

using Values = std::vector<std::int64_t>;

struct Searched {
    std::optional<std::int64_t> largest;
    Values tried;
};

Searched searched(FitSearch search, std::size_t most, const std::function<bool(std::int64_t)>& fits)
{
    Searched found;
    for (Values values = search.next(most); !values.empty(); values = search.next(most)) {
        for (const std::int64_t value : values) {
            found.tried.push_back(value);
            search.tell(value, fits(value));
        }
    }
    found.largest = search.largest();
    return found;
}

// What a run may take of a card.
std::int64_t roomOf(const DryDevice& device)
{
    return static_cast<std::int64_t>(0.95 * static_cast<double>(device.bytes - device.card.contextBytes));
}

FitPoint pointOf(std::int64_t value, std::int64_t allocated, Verdict verdict = Verdict::Fits)
{
    return {value, allocated, allocated, verdict, 3, 0};
}

FitRequest requestFor(std::vector<std::string> vary, std::vector<std::string> command,
                      std::vector<std::string> cards = {"dry:h100-80gb"})
{
    FitRequest request;
    for (const std::string& card : cards)
        request.cards.push_back(dryDevice(card).value());
    for (const std::string& text : vary)
        request.axes.push_back(fitAxis(text).value());
    request.command = std::move(command);
    return request;
}

// 3 GiB and `each` for a value; the card as the stand-in is told of it.
const char kBatchProgram[] = R"(
import os, sys, torch
value, each = int(sys.argv[1]), int(sys.argv[2])
card = dict(word.split("=", 1) for word in os.environ["PEAKSCOPE_DRY"].split(";"))
torch.cuda.start()
peak = (3 << 30) + value * each
if peak > int(card["bytes"]) - int(card["context_bytes"]):
    torch._observers[0](0, 1, 2, 3)
    raise torch.OutOfMemoryError("CUDA out of memory")
torch.peaks.update(allocated=peak, reserved=peak)
for i in range(9):
    torch._stepped[0](None, None, None)
)";

} // namespace

class TestFitProgram : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (FakeTorch::python().isEmpty())
            QSKIP("no python3 here");
    }

    // What fits to the end of the range says nothing of the card: in words "at least", and where to go on.
    void theEndOfTheRangeIsNotTheCards()
    {
        FitRequest request = requestFor({"batch=1..64"}, {"train", "{batch}"});
        FitCase one;
        one.card = request.cards.front();
        one.points = {pointOf(32, 16 * kGiB), pointOf(64, 31 * kGiB)};
        one.largest = 64;
        QVERIFY(atEndOfRange(request, one));
        const auto card = [&] { return toJson(request, {one})["cards"][0]; };
        QVERIFY(card()["at_end_of_range"].get<bool>());
        QCOMPARE(card()["further"].get<std::string>(), std::string("batch=64..512"));
        const auto remarks = fitRemarks(request, one);
        QVERIFY(std::ranges::any_of(remarks, [](const std::string& remark) {
            return remark.starts_with("batch 64 is the end of the range") && remark.ends_with("--vary batch=64..512");
        }));
        one.largest = 63;
        QVERIFY(!atEndOfRange(request, one) && !card()["at_end_of_range"].get<bool>() && !card().contains("further"));
        one.largest.reset(); // nothing fits
        QVERIFY(!atEndOfRange(request, one));
        request = requestFor({"batch=24,8,16"}, {"train", "{batch}"}); // a list as it was given
        one.largest = 16;
        QVERIFY(!atEndOfRange(request, one));
        one.largest = 24;
        QVERIFY(atEndOfRange(request, one));
    }

    void theLargestThatFits_data()
    {
        QTest::addColumn<int>("last");
        QTest::addColumn<int>("most");
        for (const int last : {1, 2, 3, 7, 64, 100}) {
            for (const int most : {1, 2})
                QTest::addRow("to %d, %d at once", last, most) << last << most;
        }
    }
    void theLargestThatFits()
    {
        QFETCH(int, last);
        QFETCH(int, most);
        for (int limit = 0; limit <= last; ++limit) {
            const auto found =
                searched(FitSearch(1, last), most, [limit](std::int64_t value) { return value <= limit; });
            QCOMPARE(found.largest.value_or(0), limit);
            QCOMPARE(std::set<std::int64_t>(found.tried.begin(), found.tried.end()).size(), found.tried.size());
        }
    }

    void whatIsTried()
    {
        const auto upTo = [](std::int64_t limit) { return [limit](std::int64_t value) { return value <= limit; }; };
        QCOMPARE(searched(FitSearch(1, 1000), 1, upTo(21)).tried, (Values{1, 2, 4, 8, 16, 32, 24, 20, 22, 21}));
        QCOMPARE(searched(FitSearch(1, 64), 2, upTo(21)).tried, (Values{1, 2, 4, 8, 16, 32, 21, 26, 22, 24}));
        QCOMPARE(searched(FitSearch(1, 20), 2, upTo(99)).tried, (Values{1, 2, 4, 8, 16, 20}));
        QCOMPARE(searched(FitSearch(5, 9), 1, upTo(4)).tried, (Values{5}));
        const auto list = searched(FitSearch(Values{3, 5, 6, 40, 64, 96, 97}), 1, upTo(41));
        QCOMPARE(list.tried, (Values{40, 96, 64}));
        QCOMPARE(list.largest, std::optional<std::int64_t>(40));
        QVERIFY(!searched(FitSearch(Values{3, 5, 6}), 2, upTo(2)).largest);
        QCOMPARE(searched(FitSearch(Values{3, 5, 6}), 2, upTo(6)).largest, std::optional<std::int64_t>(6));
        // A million values take twenty steps up and twenty back.
        QVERIFY(searched(FitSearch(1, 1000000), 1, upTo(777777)).tried.size() <= 41);
    }

    void whatDoesNotRiseIsNotTaken()
    {
        const auto found = searched(FitSearch(1, 64), 2, [](std::int64_t value) { return value < 4 || value == 8; });
        QCOMPARE(found.tried, (Values{1, 2, 4, 8, 3}));
        QCOMPARE(found.largest, std::optional<std::int64_t>(3));
        FitCase one{dryDevice("dry:h100-80gb").value(), {}, {}, 6};
        one.points = {pointOf(1, kGiB), pointOf(7, kGiB, Verdict::DoesNotFit), pointOf(8, kGiB)};
        const auto remarks = fitRemarks(requestFor({"batch=1..64"}, {"{batch}"}), one);
        QVERIFY(!remarks.empty() && remarks.back().find("batch 8 fits though 7 does not") != std::string::npos);
    }

    void theLine()
    {
        QVERIFY(!fitLine({pointOf(1, 10), pointOf(2, 99, Verdict::DoesNotFit)}));
        // Least squares of (1, 100), (2, 310), (4, 700), (8, 1500), by hand: 199.391... each, -95.217...
        const std::vector<FitPoint> points{pointOf(1, 100), pointOf(2, 310), pointOf(4, 700), pointOf(8, 1500),
                                           pointOf(16, 1, Verdict::DoesNotFit)};
        const auto line = fitLine(points);
        QVERIFY(line);
        QVERIFY(std::abs(line->bytesEach - 4586.0 / 23) < 1e-9);
        QVERIFY(std::abs(line->bytesAtZero - (652.5 - 3.75 * 4586.0 / 23)) < 1e-9);
        const auto off = offLine(points, *line);
        QCOMPARE(off.size(), std::size_t{2}); // by -4.0 % and 2.1 % of what the line says
        QCOMPARE(off[0].value, std::int64_t{1});
        QCOMPARE(off[1].value, std::int64_t{2});
    }

    void whatIsRefused_data()
    {
        QTest::addColumn<QString>("axis");
        QTest::addColumn<QString>("says");
        QTest::newRow("no name") << "1..64"
                                 << "has no NAME=";
        QTest::newRow("falls") << "batch=64..1"
                               << "rising";
        QTest::newRow("zero") << "batch=0..4"
                              << "from 1";
        QTest::newRow("words") << "batch=a..b"
                               << "whole numbers";
        QTest::newRow("too large") << "batch=1..9999999999999999"
                                   << "whole numbers";
        QTest::newRow("empty") << "batch=1,,3"
                               << "empty value";
        QTest::newRow("nothing") << "batch="
                                 << "empty value";
        QTest::newRow("twice") << "batch=1,3,1"
                               << "twice";
    }
    void whatIsRefused()
    {
        QFETCH(QString, axis);
        QFETCH(QString, says);
        const auto read = fitAxis(axis.toStdString());
        QVERIFY(!read);
        QCOMPARE(exitStatus(read.error().code), 2);
        QVERIFY2(QString::fromStdString(read.error().text()).contains(says), read.error().text().c_str());
    }

    void requestsThatAreRefused()
    {
        const auto refused = [](const FitRequest& request, const char* says) {
            const Status checked = checkFit(request);
            return !checked && checked.error().text().find(says) != std::string::npos;
        };
        const std::vector<std::string> command{"python", "--batch={batch}"};
        QVERIFY(checkFit(requestFor({"batch=1..64"}, command)));
        QVERIFY(refused(requestFor({"rows=1..64"}, command), "{rows} is missing in the program's arguments"));
        QVERIFY(refused(requestFor({"batch=1..64", "batch=1,2"}, command), "batch appears twice"));
        QVERIFY(refused(requestFor({"batch=adam,sgd"}, command), "whole numbers"));
        QVERIFY(refused(requestFor({"batch=1..64", "b=1..1000000000"}, {"{batch} {b}"}), "more than 100 searches"));
        QVERIFY(refused(requestFor({"batch=1..4"}, command, {"dry:h100-80gb", "dry:h100-80gb"}), "twice"));
        FitRequest request = requestFor({"batch=1..64"}, command);
        request.variables = {"BATCH"};
        QVERIFY(refused(request, "--vary BATCH=1..64"));
        request.variables.clear();
        for (const double target : {0.0, -1.0, 1.01, std::nan("")}) {
            request.target = target;
            QVERIFY(refused(request, "at most 1"));
        }
    }

    void twoCardsAndTwoOptimisers()
    {
        FitRequest request =
            requestWithProgram({"batch=1..100", "each=1073741824,2147483648"}, {"dry:h100-80gb", "dry:a100-40gb"});
        std::size_t told = 0;
        const auto cases = fitted(request, [&told](const FitCase&, const FitPoint&) { ++told; });
        QVERIFY2(cases, cases ? "" : cases.error().text().c_str());
        QCOMPARE(cases->size(), std::size_t{4});
        std::size_t points = 0;
        for (const FitCase& one : *cases) {
            const std::int64_t each = one.fixed["each"].get<std::int64_t>();
            QCOMPARE(one.largest.value_or(0), (roomOf(one.card) - 3 * kGiB) / each);
            const auto line = fitLine(one.points);
            QVERIFY(line && std::abs(line->bytesAtZero - 3.0 * kGiB) < 1000);
            QVERIFY(std::abs(line->bytesEach - static_cast<double>(each)) < 1000);
            QVERIFY(fitRemarks(request, one).empty());
            for (const FitPoint& point : one.points) {
                QCOMPARE(point.fits(), point.value <= *one.largest);
                QVERIFY(!point.fits() || point.steps == 3);
            }
            points += one.points.size();
        }
        QCOMPARE(told, points);
        const nlohmann::json json = toJson(request, *cases);
        QCOMPARE(json["cards"][0]["device"].get<std::string>(), std::string("dry:h100-80gb"));
        QCOMPARE(json["cards"][0]["largest"]["batch"].get<std::int64_t>(), *cases->front().largest);
        QVERIFY(json["cards"][0]["command"].get<std::string>().ends_with(" " + std::to_string(*cases->front().largest) +
                                                                         " 1073741824"));
        QCOMPARE(json["cards"][0]["line"]["bytes_each"].get<std::int64_t>(), kGiB);
        // The result is a sweep that is read back.
        const auto read = runResultFromJson(toJson(fitResult(request, *cases)));
        QVERIFY(read);
        QCOMPARE(read->kind, ResultKind::Sweep);
        QCOMPARE(read->other["dry"].get<bool>(), true);
        const auto sweep = sweepOf(*read);
        QVERIFY2(sweep, sweep ? "" : sweep.error().text().c_str());
        QCOMPARE(sweep->points.size(), points);
        QCOMPARE(sweep->keys, (std::vector<std::string>{"batch", "each", "device"}));
        QCOMPARE(sweep->base["devices"].size(), std::size_t{2});
        QCOMPARE(sweepHeatMaps(*sweep, "batch", "each", "peak_bytes").size(), std::size_t{2}); // one for each card
    }

    // Rank 5 takes a GiB more than the others and rank 0 none more; 2 needs what 6, which is not asked for, sends.
    void allRanksHaveToFit()
    {
        QVERIFY(m_torch.write(QStringLiteral("ranks.py"), R"(
import os, sys, torch
from peakscope import world as ranks
rank = int(os.environ["RANK"])
assert os.environ["WORLD_SIZE"] == "8" and os.environ["LOCAL_WORLD_SIZE"] == "4"
class C10d:
    def get_rank(self, group=None): return rank
    def get_world_size(self, group=None): return 8
groups = ranks.Groups.__new__(ranks.Groups)
groups.c10d, groups.sendings = C10d(), {}
groups.objects()
if rank in (2, 6):
    objects = [sys.argv[1]] if rank == 6 else [None]
    groups.c10d.broadcast_object_list(objects, src=6)
    assert objects == [sys.argv[1]], objects
sys.argv[1:] = [str(int(sys.argv[1]) + (rank == 5)), str(1 << 30)]
)" + QByteArray(kBatchProgram)));
        const std::int64_t alone = (roomOf(dryDevice("dry:h100-80gb").value()) - 3 * kGiB) / kGiB;
        FitRequest request = requestFor({fmt::format("batch={},{},{}", alone - 1, alone, alone + 1)},
                                        {python(), path("ranks.py"), "{batch}"});
        request.place = DryRank{8, 0, 4};
        for (const auto& [asked, largest, decides] :
             std::vector<std::tuple<std::vector<std::int64_t>, std::int64_t, std::int64_t>>{
                 {{0, 2}, alone, 0}, {{0, 2, 5, 7}, alone - 1, 5}}) {
            request.ranks = asked;
            const auto cases = fitted(request);
            QVERIFY2(cases, cases ? "" : cases.error().text().c_str());
            QCOMPARE(cases->front().largest.value_or(0), largest);
            for (const FitPoint& point : cases->front().points)
                QCOMPARE(point.rank, point.fits() || point.value == alone ? decides : 0);
            const nlohmann::json json = toJson(request, *cases);
            QCOMPARE(json["world"].get<int>(), 8);
            QCOMPARE(json["cards"][0]["points"][0]["rank"].get<std::int64_t>(), decides);
            QVERIFY(sweepOf(fitResult(request, *cases)));
        }
        QVERIFY(m_torch.write(QStringLiteral("fails.py"), "import os\nos._exit(int(os.environ['RANK']))\n"));
        request = requestFor({"batch=1,2"}, {python(), path("fails.py"), "{batch}"});
        request.place = DryRank{8, 0, 8};
        request.ranks = {7};
        const auto failed = fitted(request);
        QVERIFY(!failed && failed.error().text().find(", rank 7 of 8 on ") != std::string::npos);
    }

    void aVariableOfTheEnvironment()
    {
        QVERIFY(m_torch.write(QStringLiteral("variable.py"),
                              "import os, sys\nsys.argv[1:] = [os.environ['BATCH'], str(1 << 30)]\n" +
                                  QByteArray(kBatchProgram)));
        FitRequest request = requestFor({"BATCH=70,8,16"}, {python(), path("variable.py")});
        request.variables = {"BATCH"};
        const auto cases = fitted(request);
        QVERIFY2(cases, cases ? "" : cases.error().text().c_str());
        QCOMPARE(cases->front().largest, std::optional<std::int64_t>(70));
        QVERIFY(largestCommand(request, cases->front()).starts_with("BATCH=70 "));
        QVERIFY(!qEnvironmentVariableIsSet("BATCH"));
    }

    void nothingFits()
    {
        const FitRequest request = requestWithProgram({"batch=100..200"}, {"dry:h100-80gb"});
        const auto cases = fitted(request);
        QVERIFY2(cases, cases ? "" : cases.error().text().c_str());
        QVERIFY(!cases->front().largest && !cases->front().points.front().fits());
        const nlohmann::json json = toJson(request, *cases);
        QVERIFY(json["cards"][0]["largest"].is_null() && json["cards"][0]["command"].is_null());
        QCOMPARE(json["cards"][0]["points"][0]["verdict"].get<std::string>(), std::string("does_not_fit"));
        QVERIFY(sweepOf(fitResult(request, *cases)));
    }

    void aCaughtOutOfMemoryDoesNotFit()
    {
        QVERIFY(m_torch.write(QStringLiteral("caught.py"),
                              "import sys, torch\ntorch.cuda.start()\n"
                              "if int(sys.argv[1]) > 5: torch._observers[0](0, 1, 2, 3)\n"
                              // That of 6 was refused although the device had room for it.
                              "end = dict(action='oom', size=1 << 21, device_free=(1 << 30) * (sys.argv[1] == '6'),\n"
                              "           stream=0, time_us=3, frames=[])\n"
                              "if int(sys.argv[1]) > 5:\n"
                              "    made = torch.cuda.memory._snapshot()\n"
                              "    made['device_traces'][0].append(end)\n"
                              "    torch.cuda.memory._snapshot = lambda: made\n"));
        const FitRequest request = requestFor({"batch=1..9"}, {python(), path("caught.py"), "{batch}"});
        const auto cases = fitted(request);
        QVERIFY2(cases, cases ? "" : cases.error().text().c_str());
        QCOMPARE(cases->front().largest, std::optional<std::int64_t>(5));
        QVERIFY(fitNotes(request, *cases)[1].find("without a step") != std::string::npos);
        const auto remarks = fitRemarks(request, cases->front());
        const auto limited = [](const std::string& remark) { return remark.find("own limit") != std::string::npos; };
        QCOMPARE(std::ranges::count_if(remarks, limited), 1);
        QVERIFY(std::ranges::find_if(remarks, limited)->starts_with("batch 6 does not fit the program's own limit"));
        const auto sweep = sweepOf(fitResult(request, *cases));
        QVERIFY(sweep);
        for (const SweepPoint& point : sweep->points)
            QCOMPARE(point.other.contains("own_limit"), point.values["batch"] == 6);
    }

    void aProgramThatFails_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QString>("says");
        QTest::newRow("an exception") << QByteArray("import torch\ntorch.cuda.start()\nprint('said')\n"
                                                    "raise ValueError('not divisible')\n")
                                      << "the program ended with status 1: ValueError: not divisible";
        QTest::newRow("killed") << QByteArray("import os\nos.kill(os.getpid(), 9)\n") << "status 137";
        QTest::newRow("no card used") << QByteArray("import torch\n") << "took no memory of a CUDA device";
    }
    void aProgramThatFails()
    {
        QFETCH(QByteArray, program);
        QFETCH(QString, says);
        QVERIFY(m_torch.write(QStringLiteral("fails.py"), program));
        const auto cases = fitted(requestFor({"batch=1,2"}, {python(), path("fails.py"), "{batch}"}));
        QVERIFY(!cases);
        QCOMPARE(exitStatus(cases.error().code), 1);
        const QString text = QString::fromStdString(cases.error().text());
        QVERIFY2(text.contains(says), qPrintable(text));
        QVERIFY2(text.startsWith(QStringLiteral("fit: batch ")), qPrintable(text));
        QVERIFY(!text.contains(u'\n'));
    }

    void aProgramThatIsNotThere()
    {
        const auto cases = fitted(requestFor({"batch=1,2"}, {"/nowhere/python", "{batch}"}));
        QVERIFY(!cases);
        QCOMPARE(exitStatus(cases.error().code), 2);
        QVERIFY(cases.error().text().find("/nowhere/python can't be started") != std::string::npos);
    }

    // With batch 2 a rank waits until it was heard, at one line; what else it prints is not passed on.
    void aRankThatWaitsIsHeard()
    {
        QVERIFY(m_torch.write(QStringLiteral("rank_waits.py"), R"(
import os, sys, time, torch
sys.stderr.write("said\n")
sys.stderr.flush()
torch.cuda.start()
waits, last = sys.argv[1] == "2", time.monotonic() + 60
while waits and not os.path.exists(sys.argv[2]) and time.monotonic() < last: time.sleep(0.01)
sys.argv[2] = "1"
)" + QByteArray(kBatchProgram)));
        const QString heard = m_torch.filePath(QStringLiteral("heard"));
        FitRequest request =
            requestFor({"batch=1,2"}, {python(), path("rank_waits.py"), "{batch}", heard.toStdString()});
        request.place = DryRank{8, 0, 8};
        request.ranks = {7};
        std::vector<std::string> lines;
        const FitListener hears = [&](const FitCase&, std::int64_t value, const std::string& line) {
            lines.push_back(std::to_string(value) + ": " + line);
            QFile file(heard);
            QVERIFY(file.open(QIODevice::WriteOnly));
        };
        qputenv("PEAKSCOPE_WAIT_SECONDS", "1");
        const auto cases = fitted(
            request, [](const FitCase&, const FitPoint&) {}, hears);
        qunsetenv("PEAKSCOPE_WAIT_SECONDS");
        QVERIFY2(cases, cases ? "" : cases.error().text().c_str());
        QVERIFY(QFile::exists(heard));
        QCOMPARE(lines.size(), std::size_t{1});
        QVERIFY2(lines.front().starts_with("2: rank 7 of 8 has waited for 1 s: while waits and not "
                                           "os.path.exists(sys.argv[2]) and time.monotonic() < last: time.sleep(0.01) "
                                           "at rank_waits.py:7; no other rank runs"),
                 lines.front().c_str());
    }

    // One of two programs asks this process to end, once both have a child of their own.
    void anInterruptLeavesNoProcess()
    {
        QVERIFY(m_torch.write(QStringLiteral("waits.py"), R"(
import os, pathlib, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "600"])
folder = pathlib.Path(sys.argv[2])
(folder / f"{sys.argv[1]}.new").write_text(f"{os.getpid()} {child.pid}")
(folder / f"{sys.argv[1]}.new").rename(folder / f"{sys.argv[1]}.pids")
while not all((folder / f"{i}.pids").exists() for i in (1, 2)):
    time.sleep(0.01)
if sys.argv[1] == "1":
    os.kill(os.getppid(), signal.SIGTERM)
time.sleep(600)
)"));
        const auto cases =
            fitted(requestFor({"batch=1..9"}, {python(), path("waits.py"), "{batch}", path("").c_str()}));
        QVERIFY(!cases);
        QCOMPARE(exitStatus(cases.error().code), 4);
        for (const char* name : {"1.pids", "2.pids"}) {
            QFile file(m_torch.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QList<QByteArray> pids = file.readAll().split(' ');
            QCOMPARE(pids.size(), 2);
            // The program itself is gone; its child may be a zombie until whoever inherited it has looked.
            QVERIFY(::kill(pids[0].toInt(), 0) != 0 && errno == ESRCH);
            QTRY_VERIFY(isGone(pids[1]));
        }
    }

    void aRealProgram()
    {
        const QByteArray python = qgetenv("PEAKSCOPE_DRY_PYTHON");
        if (python.isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
        // What is asked for at once is the peak: n GiB, to the byte.
        QVERIFY(m_torch.write(
            QStringLiteral("real.py"),
            "import sys, torch\ntorch.empty(int(sys.argv[1]) << 30, dtype=torch.uint8, device='cuda')\n"));
        // A small card: each start of a real PyTorch takes seconds.
        const FitRequest request =
            requestFor({"n=1..100"}, {python.toStdString(), path("real.py"), "{n}"}, {"dry:rtx-4060"});
        const auto cases = fitProgram(request, [](const FitCase&, const FitPoint&) {});
        QVERIFY2(cases, cases ? "" : cases.error().text().c_str());
        QCOMPARE(cases->front().largest.value_or(0), roomOf(request.cards.front()) / kGiB);
        for (const FitPoint& point : cases->front().points)
            QVERIFY(!point.fits() || point.allocatedBytes == point.value * kGiB);
    }

private:
    static std::string python() { return FakeTorch::python().toStdString(); }
    std::string path(const char* name) const { return m_torch.filePath(QLatin1String(name)).toStdString(); }

    static bool isGone(const QByteArray& pid)
    {
        QFile file(QStringLiteral("/proc/%1/stat").arg(QString::fromLatin1(pid)));
        return !file.open(QIODevice::ReadOnly) || file.readAll().contains(") Z ");
    }

    FitRequest requestWithProgram(std::vector<std::string> vary, std::vector<std::string> cards) const
    {
        m_torch.write(QStringLiteral("program.py"), kBatchProgram);
        return requestFor(vary, {python(), path("program.py"), "{batch}", vary.size() > 1 ? "{each}" : "1073741824"},
                          std::move(cards));
    }

    Result<std::vector<FitCase>> fitted(
        const FitRequest& request, const FitObserver& tell = [](const FitCase&, const FitPoint&) {},
        const FitListener& waits = {}) const
    {
        qputenv("PYTHONPATH", m_torch.site());
        auto cases = fitProgram(request, tell, waits);
        qunsetenv("PYTHONPATH");
        return cases;
    }

    FakeTorch m_torch;
};

PEAKSCOPE_TEST(TestFitProgram)
#include "test_fit_program.moc"
