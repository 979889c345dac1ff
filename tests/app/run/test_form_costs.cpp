// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the set-up says of the memory before the run: the predicted peak and its bar, what a part adds, and the budget.
#include "app/form/experiment_form.h"
#include "app/form/form_section.h"
#include "app/form/run_panel.h"
#include "core/experiment/experiment.h"
#include "core/model/catalogue.h"
#include "core/planning/estimate/estimate_memory.h"
#include "core/planning/inputs/data_rows.h"
#include "core/planning/inputs/memory_estimate.h"
#include "tests/app/run/form_test_support.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/look/component_palette.h"
#include "widgets/plan/peak_bar.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/number_text.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

#include <algorithm>

using namespace peakscope;

class TestFormCosts : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void partsSayWhatTheyAdd();
    void aPredictionThatPassesTheBudgetSaysSo();
    void theBarFollowsEveryEdit();
    void aFitSaysItsSizes();
    void aFitThatCannotBeSaysSo();

private:
    QTemporaryDir m_home;
};

void TestFormCosts::partsSayWhatTheyAdd()
{
    RunPanel panel;
    panel.resize(1200, 800);
    panel.show();
    ExperimentForm& form = *panel.form();
    const auto cost = [&form](const char* name) {
        return form.findChild<FormSection*>(QString::fromLatin1(name))->cost();
    };
    nlohmann::json document = testing::smallExperiment();
    document["training"]["lora"] = {{"rank", 2}};
    const auto peakOf = [](const nlohmann::json& json) { return estimateMemory(*experimentFromJson(json))->peakBytes; };
    const std::int64_t adding = peakOf(document) - peakOf(testing::smallExperiment());
    QVERIFY(adding < 0); // adapters train little
    form.setDocument(document);
    QTRY_COMPARE(cost("adapterSection"), bytesText(adding));
    const auto* summary = panel.findChild<QLabel*>(QStringLiteral("experimentSummary"));
    // First: a line that has no room ends early.
    QTRY_VERIFY2(summary->text().startsWith(QStringLiteral("predicted peak ") + bytesText(peakOf(document))),
                 qPrintable(summary->text()));
    QVERIFY(cost("privacySection").isEmpty());
    // Epsilon of the steps that stand there, by the data's rows.
    testing::choice(form, "training.clipping")
        ->setCurrentIndex(testing::choice(form, "training.clipping")->findData(QStringLiteral("flash")));
    testing::line(form, "training.noise_multiplier")->setText(QStringLiteral("2"));
    const auto experiment = experimentFromJson(form.document());
    QVERIFY(experiment.ok());
    const auto rows = openBatches(*experiment)->rows();
    const double rate = static_cast<double>(experiment->data.batch) / static_cast<double>(rows);
    const std::int64_t steps = experiment->training.warmupSteps + experiment->training.steps;
    const double epsilon = privacyCost({2, rate, steps, 1e-5})->epsilon;
    QTRY_VERIFY2(cost("privacySection").startsWith(QStringLiteral("ε %1").arg(compactNumber(epsilon, 3))),
                 qPrintable(cost("privacySection")));
}

// Before the run, where the prediction is exact; one click makes it fit.
void TestFormCosts::aPredictionThatPassesTheBudgetSaysSo()
{
    nlohmann::json wanted = testing::smallExperiment();
    wanted["data"] = {{"batch", 64}, {"seq", 8}};
    RunPanel panel;
    panel.resize(1280, 720);
    panel.setDocument(wanted);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const auto* summary = panel.findChild<QLabel*>(QStringLiteral("experimentSummary"));
    auto* fit = panel.findChild<QToolButton*>(QStringLiteral("fitToBudget"));
    QTRY_VERIFY2(summary->text().startsWith(QStringLiteral("predicted peak")), qPrintable(summary->text()));
    QVERIFY(!fit->isVisible() && !summary->text().contains(QStringLiteral("budget")));
    const QColor usual = summary->palette().color(QPalette::WindowText);
    testing::line(*panel.form(), "budget_bytes")->setText(QStringLiteral("1 MiB"));
    QTRY_VERIFY2(summary->text().contains(QStringLiteral("exceeds the budget by")), qPrintable(summary->text()));
    QVERIFY(summary->palette().color(QPalette::WindowText) != usual);
    QVERIFY(panel.runButton()->isEnabled()); // it is said, not forbidden
    test::saveScreenshot(panel, QStringLiteral("prediction_over_the_budget"));
    QTest::mouseClick(fit, Qt::LeftButton);
    QVERIFY(panel.form()->document().value("fit", false));
    QTRY_VERIFY2(!summary->text().contains(QStringLiteral("exceeds the budget")), qPrintable(summary->text()));
    QVERIFY(!fit->isVisible());
    // What is only estimated is no reason to warn.
    wanted["kind"] = "curvature";
    wanted["curvature"] = {{"quantities", {"trace"}}, {"method", "double_backward"}};
    wanted["budget_bytes"] = 1 << 20;
    panel.setDocument(wanted);
    QTRY_VERIFY2(summary->text().startsWith(QStringLiteral("predicted peak")), qPrintable(summary->text()));
    QVERIFY(!summary->text().contains(QStringLiteral("exceeds the budget")));
}

// Above the fields: what the peak is made of, and what it is held against.
void TestFormCosts::theBarFollowsEveryEdit()
{
    RunPanel panel;
    panel.resize(900, 600);
    panel.setDocument(testing::smallExperiment());
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    auto* bar = panel.findChild<PeakBar*>();
    QVERIFY(bar && bar->isVisible());
    const auto says = [bar](const QString& words) { return bar->accessibleDescription().contains(words); };
    const auto saysAll = [&] {
        const auto estimate = estimateMemory(*experimentFromJson(panel.form()->document()));
        return std::all_of(componentStackOrder().begin(), componentStackOrder().end(), [&](Component component) {
            const std::int64_t bytes = estimate->components[static_cast<std::size_t>(component)];
            return says(componentTitle(component) + u' ' + bytesText(bytes)) == (bytes > 0);
        });
    };
    QTRY_VERIFY2(saysAll(), qPrintable(bar->accessibleDescription()));
    QVERIFY(!bar->isPending());
    const QString before = bar->accessibleDescription();
    testing::line(*panel.form(), "data.batch")->setText(QStringLiteral("64"));
    QVERIFY(bar->isPending()); // what it shows is of the smaller batch
    QTRY_VERIFY(!bar->isPending());
    QVERIFY(bar->accessibleDescription() != before);
    QVERIFY2(saysAll(), qPrintable(bar->accessibleDescription()));
    // A budget is a limit, a card that is acted out another.
    testing::line(*panel.form(), "budget_bytes")->setText(QStringLiteral("1 MiB"));
    QTRY_VERIFY2(says(QStringLiteral("over the budget")), qPrintable(bar->accessibleDescription()));
    testing::line(*panel.form(), "budget_bytes")->setText({});
    QTRY_VERIFY2(!says(QStringLiteral("budget")), qPrintable(bar->accessibleDescription()));
    nlohmann::json document = panel.form()->document();
    document["device"] = "dry:l4";
    panel.setDocument(document);
    const auto card = findDevice("l4");
    const QString left = QStringLiteral("of the card's %1 left").arg(bytesText(card->usableBytes - card->contextBytes));
    QTRY_VERIFY2(says(left), qPrintable(bar->accessibleDescription()));
    // What can't be predicted has no bar.
    testing::line(*panel.form(), "data.batch")->setText(QStringLiteral("-3"));
    QTRY_COMPARE(bar->accessibleDescription(), QStringLiteral("no prediction"));
    QVERIFY(!bar->isPending());
    panel.setExpanded(false);
    QVERIFY(!bar->isVisible());
}

// Without a budget it takes what is free: by far more rows than stand in the form.
void TestFormCosts::aFitSaysItsSizes()
{
    nlohmann::json wanted = testing::smallExperiment();
    wanted["data"] = {{"batch", 4}, {"seq", 8}};
    wanted["device"] = "cpu";
    wanted["fit"] = true;
    RunPanel panel;
    panel.resize(1280, 720);
    panel.setDocument(wanted);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const auto* summary = panel.findChild<QLabel*>(QStringLiteral("experimentSummary"));
    const auto* bar = panel.findChild<PeakBar*>();
    QTRY_VERIFY2(bar->accessibleDescription().contains(QStringLiteral("a tenth of the free memory stays free")),
                 qPrintable(bar->accessibleDescription()));
    QVERIFY2(!summary->text().contains(QStringLiteral("batch 4 ")), qPrintable(summary->text()));
    // With a budget the same, for that.
    testing::line(*panel.form(), "budget_bytes")->setText(QStringLiteral("3 MiB"));
    QTRY_VERIFY2(bar->accessibleDescription().contains(QStringLiteral("fitted to the budget of 3.00 MiB")),
                 qPrintable(bar->accessibleDescription()));
    QVERIFY2(!summary->text().contains(QStringLiteral("batch 4 ")), qPrintable(summary->text()));
    QVERIFY(!summary->text().contains(QStringLiteral("exceeds")));
}

void TestFormCosts::aFitThatCannotBeSaysSo()
{
    nlohmann::json wanted = testing::smallExperiment();
    wanted["data"] = {{"batch", 4}, {"seq", 8}};
    wanted["device"] = "cpu";
    wanted["fit"] = true;
    wanted["budget_bytes"] = 1 << 10;
    RunPanel panel;
    panel.resize(1280, 720);
    panel.setDocument(wanted);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const auto* summary = panel.findChild<QLabel*>(QStringLiteral("experimentSummary"));
    QTRY_VERIFY2(summary->text().startsWith(QStringLiteral("not even the smallest run fits")),
                 qPrintable(summary->text()));
    QVERIFY(panel.findChild<PeakBar*>()->accessibleDescription().contains(
        QStringLiteral("not even the smallest run fits the budget of 1.00 KiB")));
    QVERIFY(!panel.findChild<QToolButton*>(QStringLiteral("fitToBudget"))->isVisible());
}

PEAKSCOPE_TEST(TestFormCosts)
#include "test_form_costs.moc"
