// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Plan while a device is being typed: no error before it is chosen, and no plan under the name of another device.
#include "app/parts/message_bar.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "tests/app/plan/fake_plan_search.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/ladder_view.h"
#include "widgets/plan/strategy_table_view.h"
#include "widgets/tables/usage_tables.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

class TestPlanTyping : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }
    void aDeviceThatIsBeingTypedWaits();

private:
    QTemporaryDir m_home;
};

void TestPlanTyping::aDeviceThatIsBeingTypedWaits()
{
    FakePlanSearch search;
    const auto asked = [&search] {
        const std::scoped_lock lock(search.mutex);
        return search.asked;
    };
    const auto workspace = std::make_unique<PlanPage>(search.functions());
    const auto settled = [&] { return QTest::qWaitFor([&] { return !workspace->busy(); }, 10000); };
    workspace->resize(1280, 720);
    workspace->show();
    QVERIFY(QTest::qWaitForWindowExposed(workspace.get()));
    QVERIFY(settled());
    const std::size_t before = asked().size();
    QComboBox* device = workspace->inputs()->deviceField();
    const QString shown = device->currentText();
    workspace->activateWindow();
    device->lineEdit()->setFocus();
    device->lineEdit()->selectAll();
    QTest::keyClicks(device->lineEdit(), QStringLiteral("a100"));
    QTRY_VERIFY(!workspace->busy()); // the pause after the last key is over
    QVERIFY2(workspace->messages()->text().isEmpty(), qPrintable(workspace->messages()->text()));
    QCOMPARE(asked().size(), before);
    QVERIFY(!workspace->strategies()->showsTable()); // it is of the device before
    QVERIFY(!workspace->ladder()->showsPlot() && !workspace->map()->showsPlot());
    const auto* save = workspace->findChild<QPushButton*>(QStringLiteral("savePlan"));
    QVERIFY(!save->isEnabled()); // there is none in sight
    test::saveScreenshot(*workspace, QStringLiteral("plan_while_a_device_is_typed"));
    const QAbstractItemView* offers = device->completer()->popup();
    QVERIFY(offers->isVisible());
    // Each with its memory.
    const QModelIndex first = offers->model()->index(0, 0);
    const QString offer = first.data().toString() + u' ' + first.data(Qt::ToolTipRole).toString();
    QVERIFY2(offer.contains(QStringLiteral("39.4 GiB usable")), qPrintable(offer));
    const int needed = offers->fontMetrics().horizontalAdvance(offer);
    QVERIFY2(offers->sizeHintForIndex(first).width() >= needed && offers->width() >= needed,
             qPrintable(QString::number(offers->width())));
    test::saveScreenshot(*device->completer()->popup(), QStringLiteral("plan_devices_offered"));
    // Enter takes the first that the list shows.
    QTest::keyClick(device->lineEdit(), Qt::Key_Return);
    QVERIFY2(device->currentText().startsWith(QStringLiteral("a100-")), qPrintable(device->currentText()));
    QVERIFY(settled());
    QVERIFY(workspace->strategies()->showsTable() && workspace->ladder()->showsPlot());
    QVERIFY(save->isEnabled());
    QCOMPARE(asked().back().device.id, device->currentText().toStdString());
    // The plan in front comes back with its name.
    const QString now = device->currentText();
    device->setEditText(QStringLiteral("toaster"));
    QVERIFY(!workspace->strategies()->showsTable() && !save->isEnabled());
    const auto rows = [&](const char* table) {
        return workspace->table(QString::fromLatin1(table))->model()->rowCount();
    };
    QVERIFY(rows("strategies") == 0 && rows("ladder") == 0);
    device->setEditText(now);
    QVERIFY(workspace->strategies()->showsTable() && workspace->ladder()->showsPlot());
    QVERIFY(rows("strategies") > 0 && rows("ladder") > 0 && save->isEnabled());
    QVERIFY(shown != now);
}

PEAKSCOPE_TEST(TestPlanTyping)
#include "test_plan_typing.moc"
