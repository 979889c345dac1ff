// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An instant of a run's timeline is chosen with a click: legend, component bars and the table of components are of it
// and say so, and go back to the peak with a button.
#include "app/panels/run_instant_panel.h"
#include "app/parts/table_tabs.h"
#include "app/run/run_plots.h"
#include "app/run/run_timelines.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/memory_timeline_view.h"
#include "widgets/timeline/timeline_legend.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QTest>
#include <QToolButton>

using namespace peakscope;
using namespace peakscope::testing;

class TestRunInstant : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        isolate(m_home);
        settings::setFoldsSidePanels(true); // as it is at this size
    }
    void whatIsChosenIsShown();

private:
    QTemporaryDir m_home;
};

void TestRunInstant::whatIsChosenIsShown()
{
    const auto window = newWindow();
    window->resize(1280, 720);
    const QString path = writeSmallResult(m_home, QStringLiteral("run.json"), "run");
    window->openFiles({path});
    const RunPage* page = part<RunPage>(window);
    QTRY_VERIFY(page->document().result);
    QCoreApplication::processEvents();
    MemoryTimelineView* view = page->resultTimeline();
    const auto* legend = view->findChild<TimelineLegend*>();
    const DataTableView* table = page->table(QStringLiteral("components"));
    const auto header = [table](int column) {
        return table->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    };
    auto* toPeak = page->findChild<QToolButton*>(QStringLiteral("toPeak"));
    QCOMPARE(legend->totalText(), QStringLiteral("6.00 MiB"));
    QCOMPARE(page->componentBars()->title(), QStringLiteral("Components"));
    QCOMPARE(header(1), QStringLiteral("At the peak"));
    QVERIFY(toPeak->isHidden());

    const auto place = [view](double seconds) {
        const QCPAxisRect* rect = view->plot()->xAxis->axisRect();
        return QPoint(qRound(view->plot()->xAxis->coordToPixel(seconds)), rect->center().y());
    };
    QTest::mouseClick(view->plot(), Qt::LeftButton, {}, place(0.155));
    view->clearCursor(); // the pointer has left
    const double chosen = page->instant()->chosen().value_or(0);
    QVERIFY2(std::abs(chosen - 0.15) < 0.01, qPrintable(QString::number(chosen)));
    QCOMPARE(legend->totalText(), QStringLiteral("2.00 MiB"));
    QVERIFY2(page->componentBars()->title().startsWith(QStringLiteral("Components at ")),
             qPrintable(page->componentBars()->title()));
    double bars = 0;
    for (const BarRow& row : page->componentBars()->rows())
        bars += row.bars[0].total();
    QCOMPARE(bars, 2.0 * (1 << 20));
    QVERIFY2(header(1).startsWith(QStringLiteral("At 15")), qPrintable(header(1))); // "At 150 ms"
    QCOMPARE(header(2), QStringLiteral("At the peak"));
    double sum = 0;
    for (int row = 0; row < table->model()->rowCount(); ++row)
        sum += table->model()->index(row, 1).data(TableModel::SortRole).toDouble();
    QCOMPARE(sum, 2.0 * (1 << 20));
    // Of modules no instant is known but the peak, and the table's columns are not of that one.
    const DataTableView* modules = page->table(QStringLiteral("modules"));
    const auto* note = modules->findChild<QLabel*>(QStringLiteral("tableNote"));
    QVERIFY(note && note->isVisibleTo(modules));
    QCOMPARE(note->text(),
             QStringLiteral("Each module's own maximum over the whole run, not at the peak or a chosen instant."));
    QVERIFY(!table->findChild<QLabel*>(QStringLiteral("tableNote"))->isVisibleTo(table)); // its headers say it
    test::saveScreenshot(*window, QStringLiteral("a_chosen_instant_everywhere"));
    // Another language says the same.
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(page->componentBars()->title().contains(u'时'));
    chooseLanguage(*window, QStringLiteral("en"));
    QTRY_VERIFY(page->componentBars()->title().startsWith(QStringLiteral("Components at ")));
    QCOMPARE(legend->totalText(), QStringLiteral("2.00 MiB"));

    QVERIFY(!toPeak->isHidden());
    toPeak->click();
    QCOMPARE(legend->totalText(), QStringLiteral("6.00 MiB"));
    QCOMPARE(page->componentBars()->title(), QStringLiteral("Components"));
    QCOMPARE(header(1), QStringLiteral("At the peak"));
}

PEAKSCOPE_TEST(TestRunInstant)
#include "test_run_instant.moc"
