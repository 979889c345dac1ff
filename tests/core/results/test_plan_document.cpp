// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Plans as documents: read, written, refused with the place that is wrong, saved as results, made into tables.
#include "core/base/file.h"
#include "core/import/read_any.h"
#include "core/results/plans/plan_document.h"
#include "tests/core/planning/plan_samples.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace peakscope;

class TestPlanDocument : public QObject
{
    Q_OBJECT

private slots:
    void aPlanIsRead()
    {
        const Result<PlanDocument> plan = planFromJson(testing::samplePlanJson());
        QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
        QCOMPARE(plan->model, std::string("opt-6.7b"));
        QCOMPARE(plan->parameters, std::int64_t{6658473984});
        QCOMPARE(plan->device.capacityBytes(), std::int64_t{(79 * 1024 - 500)} << 20);
        QCOMPARE(plan->strategies.size(), std::size_t{10});
        const PlannedStrategy& strategy = plan->strategies[3];
        QCOMPARE(strategy.verdict, Verdict::Fits);
        QCOMPARE(strategy.components[static_cast<std::size_t>(Component::OptimizerStates)], std::int64_t{25400} << 20);
        std::int64_t sum = 0;
        for (const std::int64_t bytes : strategy.components)
            sum += bytes;
        QCOMPARE(sum, strategy.peakBytes);
        QVERIFY(strategy.experiment.is_object());
        QVERIFY(!plan->strategies[6].verified);
        QCOMPARE(plan->ladder[3].savedBytes, std::int64_t{55000} << 20);
        QVERIFY(!plan->map);
    }

    void leastOfAPlan()
    {
        const auto plan = planFromJson({{"strategies", nlohmann::json::array()}, {"device", "t4"}});
        QVERIFY(plan.ok());
        QVERIFY(plan->strategies.empty());
        QCOMPARE(plan->device.id, std::string("t4"));
        const auto bare = planFromJson({{"strategies", {{{"verdict", "fits"}, {"peak_bytes", 5}}}}});
        QVERIFY(bare.ok());
        QCOMPARE(bare->strategies[0].reservedBytes, std::int64_t{5});
        QVERIFY(bare->strategies[0].experiment.is_null());
    }

    void mapsGoThroughJson()
    {
        nlohmann::json document = testing::samplePlanJson();
        const PlannedMap map = testing::sampleMap();
        document["capacity_map"] = toJson(map);
        const auto plan = planFromJson(document);
        QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
        QVERIFY(plan->map.has_value());
        QCOMPARE(plan->map->sequences, map.sequences);
        QCOMPARE(plan->map->peakBytes, map.peakBytes);
        QCOMPARE(plan->map->reservedBytes, map.reservedBytes);
        QCOMPARE(plan->map->frontier, map.frontier);
        QCOMPARE(plan->map->measured.size(), map.measured.size());
        QCOMPARE(plan->map->measured[1].verdict, Verdict::Tight);
        for (std::size_t cell = 0; cell < map.verdicts.size(); ++cell) {
            if (map.possible(cell))
                QCOMPARE(plan->map->verdicts[cell], map.verdicts[cell]);
        }
        // Without a frontier it follows from the cells.
        document["capacity_map"].erase("frontier");
        QCOMPARE(planFromJson(document)->map->frontier, map.frontier);
        // Cells may also stand row by row in one array.
        document["capacity_map"]["peak_bytes"] = map.peakBytes;
        QCOMPARE(planFromJson(document)->map->peakBytes, map.peakBytes);
    }

    void wrongPlansAreRefusedByPlace_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("words");
        QTest::newRow("verdict") << "/strategies/2/verdict"
                                 << "\"maybe\""
                                 << "strategies[2].verdict";
        QTest::newRow("tier") << "/strategies/1/tier"
                              << "\"roughly\""
                              << "strategies[1].tier";
        QTest::newRow("tier of a step") << "/ladder/0/tier"
                                        << "7"
                                        << "ladder[0].tier";
        QTest::newRow("peak as text") << "/strategies/0/peak_bytes"
                                      << "\"big\""
                                      << "strategies[0].peak_bytes";
        QTest::newRow("negative peak") << "/strategies/0/peak_bytes"
                                       << "-1"
                                       << "below 0";
        QTest::newRow("strategies no array") << "/strategies"
                                             << "{}"
                                             << "strategies";
        QTest::newRow("ladder without change") << "/ladder/1"
                                               << "{\"peak_bytes\": 1}"
                                               << "ladder[1]";
        QTest::newRow("reasons no words") << "/strategies/0/reasons"
                                          << "[1]"
                                          << "strategies[0].reasons";
        QTest::newRow("axis falls") << "/capacity_map/batches"
                                    << "[4,2,1]"
                                    << "capacity_map.batches";
        QTest::newRow("axis from zero") << "/capacity_map/sequences"
                                        << "[0,2]"
                                        << "capacity_map.sequences";
        QTest::newRow("too few cells") << "/capacity_map/peak_bytes"
                                       << "[1,2]"
                                       << "48";
        QTest::newRow("negative cell") << "/capacity_map/reserved_bytes/0/0"
                                       << "-5"
                                       << "capacity_map.reserved_bytes";
        QTest::newRow("map verdict") << "/capacity_map/verdicts/0/0"
                                     << "\"no\""
                                     << "capacity_map.verdicts";
        QTest::newRow("short frontier") << "/capacity_map/frontier"
                                        << "[1]"
                                        << "capacity_map.frontier";
        QTest::newRow("measured nowhere") << "/capacity_map/measured/0/batch"
                                          << "0"
                                          << "capacity_map.measured[0]";
    }

    void wrongPlansAreRefusedByPlace()
    {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, words);
        nlohmann::json document = testing::samplePlanJson();
        document["capacity_map"] = toJson(testing::sampleMap());
        QVERIFY(planFromJson(document).ok());
        document[nlohmann::json::json_pointer(pointer.toStdString())] = nlohmann::json::parse(value.toStdString());
        const auto plan = planFromJson(document);
        QVERIFY(!plan.ok());
        QVERIFY2(QString::fromStdString(plan.error().text()).contains(words), plan.error().text().c_str());
    }

    void filesOfBothKindsOpen()
    {
        const QTemporaryDir folder;
        const auto path = [&](const char* name) { return folder.filePath(QLatin1String(name)).toStdString(); };
        const auto open = [&](const char* name) {
            const auto results = readAny(path(name));
            return results ? Result<RunResult>(results->front()) : Result<RunResult>(results.error());
        };
        nlohmann::json plan = testing::samplePlanJson();
        plan["capacity_map"] = toJson(testing::sampleMap());
        QVERIFY(writeFileAtomically(path("bare.json"), plan.dump()).ok());
        const Result<RunResult> bare = open("bare.json");
        QVERIFY2(bare.ok(), bare ? "" : bare.error().text().c_str());
        QVERIFY(isPlan(*bare));
        QCOMPARE(planOf(*bare)->strategies.size(), std::size_t{10});
        QCOMPARE(bare->config["model"]["id"].get<std::string>(), std::string("opt-6.7b"));
        QCOMPARE(bare->config["device"].get<std::string>(), std::string("a800-80gb"));

        QVERIFY(saveRunResult(*bare, path("saved.json")).ok());
        const Result<RunResult> saved = open("saved.json");
        QVERIFY2(saved.ok(), saved ? "" : saved.error().text().c_str());
        QCOMPARE(saved->id, bare->id);
        QCOMPARE(planOf(*saved)->map->frontier, testing::sampleMap().frontier);

        plan["strategies"][1]["verdict"] = 7;
        QVERIFY(writeFileAtomically(path("broken.json"), plan.dump()).ok());
        const Result<RunResult> broken = open("broken.json");
        QVERIFY(!broken.ok());
        QVERIFY(broken.error().text().find("strategies[1].verdict") != std::string::npos);
        QVERIFY(broken.error().text().find("broken.json") != std::string::npos);
        RunResult hollow = planResult(testing::samplePlanJson());
        hollow.other.erase("plan");
        QVERIFY(isPlan(hollow));
        QVERIFY(!holdsPlan(hollow));
        QVERIFY(holdsPlan(*saved));
        QVERIFY(writeFileAtomically(path("other.json"), "{\"a\": 1}").ok());
        QVERIFY(!open("other.json").ok());
    }

    void verdictBounds()
    {
        QCOMPARE(verdictFor(60, 0, 100), Verdict::Comfortable);
        QCOMPARE(verdictFor(55, 5, 100), Verdict::Comfortable);
        QCOMPARE(verdictFor(61, 0, 100), Verdict::Fits);
        QCOMPARE(verdictFor(85, 0, 100), Verdict::Fits);
        QCOMPARE(verdictFor(86, 0, 100), Verdict::Tight);
        QCOMPARE(verdictFor(99, 1, 100), Verdict::Tight);
        QCOMPARE(verdictFor(100, 1, 100), Verdict::DoesNotFit);
        for (std::size_t i = 0; i < kVerdictCount; ++i)
            QCOMPARE(*verdictFromName(name(static_cast<Verdict>(i))), static_cast<Verdict>(i));
        QVERIFY(!verdictFromName("maybe"));
    }

    void cellsBecomeExperiments()
    {
        const nlohmann::json base = {{"kind", "memory"}, {"data", {{"batch", 4}, {"seq", 128}}}};
        nlohmann::json cell = experimentForCell(base, 512, 16);
        QCOMPARE(cell["data"]["seq"].get<int>(), 512);
        QCOMPARE(cell["data"]["batch"].get<int>(), 16);
        QCOMPARE(cell["data"]["max_physical_batch"].get<int>(), 16);
        nlohmann::json accumulating = base;
        accumulating["data"]["max_physical_batch"] = 2;
        QCOMPARE(experimentForCell(accumulating, 512, 16)["data"]["max_physical_batch"].get<int>(), 2);
        QCOMPARE(experimentForCell(accumulating, 512, 1)["data"]["max_physical_batch"].get<int>(), 1);
        QCOMPARE(experimentForCell(nlohmann::json(), 8, 2)["data"]["batch"].get<int>(), 2);
    }

    void tablesHoldEveryNumber()
    {
        const PlanDocument plan = testing::samplePlan();
        const Table strategies = strategiesTable(plan);
        QCOMPARE(strategies.rows.size(), std::size_t{10});
        for (const auto& row : strategies.rows)
            QCOMPARE(row.size(), strategies.columns.size());
        QCOMPARE(std::get<std::int64_t>(strategies.rows[4][4]), plan.strategies[4].peakBytes);
        QVERIFY(std::isnan(std::get<double>(strategies.rows[9][7]))); // an unknown time is no zero
        QCOMPARE(ladderTable(plan).rows.size(), std::size_t{6});
        const Table map = capacityTable(*plan.map);
        QCOMPARE(map.rows.size(), std::size_t{48 + 3});
        const auto source = [&map](std::size_t row) { return std::get<std::string>(map.rows[row][2]); };
        QCOMPARE(source(0), std::string("predicted"));
        QCOMPARE(source(47), std::string("impossible"));
        QCOMPARE(source(50), std::string("measured"));
    }

    void tiersAreReadAndHeaded()
    {
        const auto plan = planFromJson(testing::tieredPlanJson());
        QVERIFY2(plan.ok(), plan ? "" : plan.error().text().c_str());
        QCOMPARE(plan->strategies[2].tier, std::optional(Tier::Precision));
        QCOMPARE(plan->ladder[3].tier, std::optional(Tier::Method));
        using Headings = std::vector<std::optional<PlanPart>>;
        const Headings expected{PlanPart::Exact,      {}, PlanPart::Precision,
                                PlanPart::Method,     {}, PlanPart::MoreDevices,
                                PlanPart::DoesNotFit, {}};
        QVERIFY(partHeadings(*plan) == expected);
        // In the tables, and between the lines of LaTeX.
        const Table table = strategiesTable(*plan);
        const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                         [](const TableColumn& one) { return one.name == "tier"; });
        QVERIFY(column != table.columns.end());
        const auto at = static_cast<std::size_t>(column - table.columns.begin());
        QCOMPARE(std::get<std::string>(table.rows[2][at]), std::string("precision"));
        QVERIFY(toCsv(ladderTable(*plan)).find("method") != std::string::npos);
        const std::string text = strategiesLatex(*plan);
        const std::size_t exact = text.find("\\emph{Exact: ");
        QVERIFY(exact != std::string::npos && exact < text.find("\\emph{Precision: "));
        // A plan of before, or one in another order, has no headings.
        QVERIFY(partHeadings(testing::samplePlan()) == Headings(10));
        PlanDocument mixed = *plan;
        std::swap(mixed.strategies[0], mixed.strategies[3]);
        QVERIFY(partHeadings(mixed) == Headings(8));
    }

    void latexIsEscaped()
    {
        PlanDocument plan = testing::samplePlan();
        plan.strategies[0].title = "50% of a_b & c #1 ~ 4 × 512 {x}\\y";
        const std::string text = strategiesLatex(plan);
        QVERIFY(text.find("50\\% of a\\_b \\& c \\#1 \\textasciitilde{} 4 $\\times$ 512 \\{x\\}\\textbackslash{}y") !=
                std::string::npos);
        QVERIFY(text.find("needs sharding (4)") != std::string::npos);
        QVERIFY(text.find("$^*$") != std::string::npos);
        QVERIFY(text.find("Peak (GiB)") != std::string::npos);
        QVERIFY(text.find("$-$32.07") != std::string::npos);
    }
};

PEAKSCOPE_GUILESS_TEST(TestPlanDocument)
#include "test_plan_document.moc"
