// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Device and budget in the tool bar are those of the form, whatever is offered meanwhile, and can be read.
#include "app/form/experiment_form.h"
#include "app/form/next_run_fields.h"
#include "core/experiment/experiment.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"

#include <QComboBox>
#include <QLineEdit>
#include <QStyle>
#include <QStyleOptionFrame>
#include <QTest>
#include <QToolBar>

using namespace peakscope;

class TestNextRunFields : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void theToolBarSaysTheSame();

private:
    QTemporaryDir m_home;
};

void TestNextRunFields::theToolBarSaysTheSame()
{
    QToolBar bar;
    ExperimentForm form;
    new NextRunFields(&bar, &form);
    bar.show();
    QVERIFY(QTest::qWaitForWindowExposed(&bar));
    const auto* device = bar.findChild<QComboBox*>(QStringLiteral("nextDevice"));
    const auto* budget = bar.findChild<QLineEdit*>(QStringLiteral("nextBudget"));
    const auto* formDevice = static_cast<QComboBox*>(form.field("device"));
    form.loadCatalogue();
    nlohmann::json document = demoExperiment();
    document["device"] = "dry:rtx-4090";
    document["budget_bytes"] = 24974262272;
    form.setDocument(document);
    const auto same = [&] { return device->currentText() == formDevice->currentText(); };
    const QString dry = QStringLiteral("dry run on NVIDIA GeForce RTX 4090 24GB");
    QCOMPARE(device->currentText(), dry);
    // The devices of the machine are known later, and once more; what is offered changes, not what is chosen.
    form.setDevices({{QStringLiteral("cpu"), {}}, {QStringLiteral("cuda:0"), {}}, {QStringLiteral("cuda:1"), {}}});
    QCOMPARE(device->currentText(), dry);
    form.offerCards();
    QVERIFY(same());
    document["device"] = "cuda:1";
    form.setDocument(document);
    form.setDevices({{QStringLiteral("cpu"), {}}});
    QVERIFY2(same() && device->currentText() == QStringLiteral("cuda:1"), qPrintable(device->currentText()));
    // All digits of a plan's budget are in sight.
    QCOMPARE(budget->text(), QStringLiteral("23817.3125 MiB"));
    QStyleOptionFrame option;
    option.initFrom(budget);
    option.lineWidth = budget->style()->pixelMetric(QStyle::PM_DefaultFrameWidth, &option, budget);
    const QRect room = budget->style()->subElementRect(QStyle::SE_LineEditContents, &option, budget);
    QVERIFY(budget->fontMetrics().horizontalAdvance(budget->text()) + 6 <= room.width());
}

PEAKSCOPE_TEST(TestNextRunFields)
#include "test_next_run_fields.moc"
