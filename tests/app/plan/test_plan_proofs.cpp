// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Dry runs of a plan's strategies: which are asked for and what becomes of the table when they are answered.
#include "app/plan/plan_page.h"
#include "tests/app/plan/fake_plan_search.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_table_view.h"

#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace peakscope;
using namespace peakscope::testing;

class TestPlanProofs : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }

    void dryRunsCorrectTheTable()
    {
        FakePlanSearch search;
        auto workspace = std::make_unique<PlanPage>(search.functions());
        std::vector<std::vector<nlohmann::json>> wanted;
        connect(workspace.get(), &PlanPage::proofsWanted, this,
                [&wanted](const std::vector<nlohmann::json>& experiments) { wanted.push_back(experiments); });
        workspace->resize(1100, 760);
        workspace->show();
        QVERIFY(QTest::qWaitForWindowExposed(workspace.get()));
        QTRY_VERIFY(!workspace->busy());
        const auto strategies = [&] { return workspace->strategies()->model()->plan().strategies; };
        QCOMPARE(strategies().size(), std::size_t(3));
        QVERIFY(!wanted.empty());
        QCOMPARE(wanted.back().size(), std::size_t(3));
        QCOMPARE(wanted.back().front(), strategies().front().experiment);
        const std::string first = strategies().front().title;
        const std::string answer = workspace->strategies()->model()->plan().answer;

        workspace->takeProof(nlohmann::json::object(), {"dry:x", 1, 1, true}); // of no strategy
        QVERIFY(
            std::ranges::none_of(strategies(), [](const PlannedStrategy& each) { return each.proved.has_value(); }));
        // What was predicted to be comfortable does not fit: it goes down, and stays the one that was chosen.
        workspace->takeProof(wanted.back().front(), {"dry:a800-80gb", 7 << 20, 15 << 20, false});
        QCOMPARE(strategies().front().title, std::string("second"));
        const int now = workspace->strategies()->current();
        QCOMPARE(strategies()[static_cast<std::size_t>(now)].title, first);
        QCOMPARE(strategies()[static_cast<std::size_t>(now)].verdict, Verdict::DoesNotFit);
        QVERIFY(workspace->strategies()->model()->plan().answer != answer);
        const auto text = [&](int row, int column) {
            return workspace->strategies()->model()->index(row, column).data().toString();
        };
        // What it had when it ran out is no number to tick: what it needs is predicted, and more than there is.
        QVERIFY2(!text(now, StrategyModel::Reserved).startsWith(u'✓'), qPrintable(text(now, StrategyModel::Reserved)));
        QVERIFY(strategies()[static_cast<std::size_t>(now)].marginBytes <= 0);
        workspace->takeProof(wanted.back()[1], {"dry:a800-80gb", 7 << 20, 15 << 20, true});
        QVERIFY2(text(0, StrategyModel::Reserved).startsWith(u'✓'), qPrintable(text(0, StrategyModel::Reserved)));
        QVERIFY(!text(1, StrategyModel::Reserved).startsWith(u'✓'));
        QVERIFY(workspace->map()->showsPlot());
        const std::vector<std::string> reasons = strategies()[static_cast<std::size_t>(now)].reasons;
        QVERIFY2(reasons.front().starts_with("Does not fit: the dry run ran out of memory with 15.0 MiB"),
                 reasons.front().c_str());
        // A file of it keeps the proof.
        const auto saved = planOf(*workspace->result());
        QVERIFY(saved.ok());
        QCOMPARE(saved->strategies[static_cast<std::size_t>(now)].proved,
                 strategies()[static_cast<std::size_t>(now)].proved);

        workspace->hide();
        QVERIFY(wanted.back().empty());
        workspace->show();
        QCOMPARE(wanted.back().size(), std::size_t(1)); // two are proved
    }

    // Both want every processor, and a proved row is what the table is looked at for.
    void theMapWaitsForTheFirstDryRun()
    {
        FakePlanSearch search;
        PlanPage page(search.functions());
        std::vector<nlohmann::json> wanted;
        connect(&page, &PlanPage::proofsWanted, this, [&](const std::vector<nlohmann::json>& experiments) {
            wanted = experiments;
            if (!wanted.empty())
                page.awaitProof();
        });
        page.resize(1100, 760);
        page.show();
        const auto waits = [&page, &wanted] {
            return !wanted.empty() && page.busy() && !QTest::qWaitFor([&page] { return !page.busy(); }, 300);
        };
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QTRY_VERIFY(!wanted.empty());
        QVERIFY(waits());
        QVERIFY(!page.map()->showsPlot());
        page.takeProof(wanted.front(), {"dry:a800-80gb", 7 << 20, 15 << 20, true});
        QTRY_VERIFY(!page.busy());
        QVERIFY(page.map()->showsPlot());

        // Nor does it wait where none can be run, or for a row that is chosen by hand.
        page.plan();
        QTRY_VERIFY(waits());
        page.takeProofFailure(QStringLiteral("no stand-in"));
        QTRY_VERIFY(!page.busy());
        page.plan();
        QTRY_VERIFY(waits());
        emit page.strategies()->currentChanged(1);
        QTRY_VERIFY(!page.busy());
    }

    // As one that was just made; what the file has beside that is kept.
    void openedPlansAreProvedToo()
    {
        FakePlanSearch search;
        PlanPage first(search.functions());
        first.plan();
        QTRY_VERIFY(!first.busy() && first.result());
        auto file = std::make_shared<RunResult>(*first.result());
        file->other["plan"]["strategies"][0]["loop"] = "of another version";
        file->other["plan"]["device"]["total_bytes"] = std::int64_t{24} << 30;
        file->other["plan"]["device"]["usable_bytes"] = std::int64_t{23} << 30;
        file->other["plan"]["device"]["context_bytes"] = std::int64_t{1} << 30;

        PlanPage page(search.functions());
        std::vector<std::vector<nlohmann::json>> wanted;
        connect(&page, &PlanPage::proofsWanted, this,
                [&wanted](const std::vector<nlohmann::json>& experiments) { wanted.push_back(experiments); });
        page.showDocument({QStringLiteral("plan.json"), file, nullptr});
        page.resize(1100, 760);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QTRY_VERIFY(!page.busy());
        QVERIFY(!wanted.empty());
        QCOMPARE(wanted.back().size(), std::size_t(3));
        const auto strategies = [&] { return page.strategies()->model()->plan().strategies; };
        const std::string title = strategies().front().title;
        page.takeProof(wanted.back().front(), {"dry:a800-80gb", 7 << 20, 15 << 20, false});
        QCOMPARE(strategies().front().title, std::string("second"));
        QCOMPARE(strategies()[1].title, title);
        QCOMPARE(strategies()[1].verdict, Verdict::DoesNotFit);
        QVERIFY(strategies()[1].proved);
        const auto saved = planOf(*page.result());
        QVERIFY(saved.ok());
        QCOMPARE(saved->strategies, strategies());
        const nlohmann::json& row = page.result()->other.at("plan").at("strategies").at(1);
        QCOMPARE(row.at("loop"), nlohmann::json("of another version"));
        QVERIFY(!row.contains("about"));

        // Its page says how the card's bytes follow from one another.
        const QString why = page.findChild<QLabel*>(QStringLiteral("planStatus"))->toolTip();
        QVERIFY2(why.contains(QStringLiteral("The card has 24.0 GiB, of which 23.0 GiB are usable. The CUDA context "
                                             "takes 1.00 GiB and leaves 22.0 GiB.")),
                 qPrintable(why));
    }

    // There is nothing to run where a row has no experiment.
    void rowsWithoutExperimentsAreNotProved()
    {
        FakePlanSearch search;
        PlanPage first(search.functions());
        first.plan();
        QTRY_VERIFY(!first.busy() && first.result());
        auto file = std::make_shared<RunResult>(*first.result());
        file->other["plan"]["strategies"][1].erase("experiment");
        PlanPage page(search.functions());
        std::vector<nlohmann::json> wanted;
        connect(&page, &PlanPage::proofsWanted, this,
                [&wanted](const std::vector<nlohmann::json>& experiments) { wanted = experiments; });
        page.showDocument({QStringLiteral("plan.json"), file, nullptr});
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QTRY_VERIFY(!page.busy());
        QVERIFY(wanted.empty());
    }

private:
    QTemporaryDir m_home;
};

PEAKSCOPE_TEST(TestPlanProofs)
#include "test_plan_proofs.moc"
