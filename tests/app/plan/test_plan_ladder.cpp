// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The plan of a real search on the page: its ladder takes nothing away from what the table says fits.
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/plan/ladder_view.h"
#include "widgets/plan/strategy_model.h"
#include "widgets/plan/strategy_table_view.h"

#include <QComboBox>
#include <QTest>

#include <algorithm>

using namespace peakscope;
using namespace peakscope::testing;

class TestPlanLadder : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }
    void itAgreesWithTheTable();

private:
    QTemporaryDir m_home;
};

void TestPlanLadder::itAgreesWithTheTable()
{
    PlanPage page;
    page.resize(1280, 720);
    page.inputs()->modelField()->setEditText(QStringLiteral("llama-3.1-8b"));
    page.inputs()->deviceField()->setEditText(QStringLiteral("rtx-4090"));
    page.show();
    page.plan();
    QTRY_VERIFY_WITH_TIMEOUT(!page.busy() && page.strategies()->showsTable(), kSearchPatience);
    const PlanDocument& plan = page.strategies()->model()->plan();
    QCOMPARE(plan.model, std::string("llama-3.1-8b"));
    QVERIFY(plan.strategies.front().verdict <= Verdict::Tight);
    const std::vector<PlannedStep>& steps = page.ladder()->steps();
    const auto at = [&steps](auto is) { return std::find_if(steps.begin(), steps.end(), is); };
    const auto fits = at([](const PlannedStep& step) { return step.verdict <= Verdict::Tight; });
    const auto cut = at([](const PlannedStep& step) { return step.change.starts_with("sequence "); });
    const auto sharding = at([](const PlannedStep& step) { return step.change.find("sharding") != std::string::npos; });
    QVERIFY(fits != steps.end() && fits < cut);
    QVERIFY(sharding != steps.end() && sharding->verdict == Verdict::NeedsSharding);
    test::saveScreenshot(page, QStringLiteral("ladder_beside_its_table"));
}

PEAKSCOPE_TEST(TestPlanLadder)
#include "test_plan_ladder.moc"
