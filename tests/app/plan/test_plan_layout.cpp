// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Plan page in a window of a laptop: no row of the table is cut, and the map says whose it is.
#include "app/parts/fonts.h"
#include "app/parts/settings.h"
#include "app/plan/plan_page.h"
#include "app/window/main_window.h"
#include "tests/app/plan/fake_plan_search.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/plan/capacity_map_view.h"
#include "widgets/plan/strategy_table_view.h"

#include <QLabel>
#include <QTableView>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

class TestPlanLayout : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        isolate(m_home);
        provideFonts(); // the program's own: what has room is a matter of its type
    }
    void noRowIsCut_data();
    void noRowIsCut();
    void theMapGrowsWithItsWindow();

private:
    QTemporaryDir m_home;
};

void TestPlanLayout::noRowIsCut_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("language");
    for (const QSize size : {QSize(1280, 720), QSize(1280, 800)}) {
        for (const char* language : {"en", "zh"})
            QTest::addRow("%d x %d, %s", size.width(), size.height(), language)
                << size << QString::fromLatin1(language);
    }
}

void TestPlanLayout::noRowIsCut()
{
    QFETCH(const QSize, size);
    QFETCH(const QString, language);
    settings::setFoldsSidePanels(true); // as it is at this size
    auto window = newWindow();
    window->setSessionKept(false);
    window->resize(size);
    settings::setFoldsSidePanels(false);
    chooseLanguage(*window, language);
    window->showWorkspace(QStringLiteral("plan"));
    const auto* page = part<PlanPage>(window);
    QTRY_VERIFY_WITH_TIMEOUT(page->strategies()->isVisible() && !page->busy() && page->result(), kSearchPatience);
    QTest::qWait(50); // docks settle
    const auto* table = page->strategies()->findChild<QTableView*>();
    const int height = table->viewport()->height();
    int whole = 0;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
        const int top = table->rowViewportPosition(row), bottom = top + table->rowHeight(row);
        QVERIFY2(bottom <= height || top >= height,
                 qPrintable(QStringLiteral("row %1: %2 to %3 of %4").arg(row + 1).arg(top).arg(bottom).arg(height)));
        whole += bottom <= height;
    }
    QVERIFY2(whole >= 3, qPrintable(QString::number(whole)));
    const auto* map = window->findChild<CapacityMapView*>();
    const auto* title = map->findChild<QWidget*>(QStringLiteral("panelTitle"))->findChild<QLabel*>();
    QCOMPARE(title->text(), map->title());
    QVERIFY2(title->fontMetrics().horizontalAdvance(title->text()) <= title->width(), qPrintable(title->text()));
    test::saveScreenshot(*window, QStringLiteral("plan_%1_%2").arg(size.height()).arg(language));
    chooseLanguage(*window, QStringLiteral("en"));
}

// One that began in a small window has the share of a large one that it has in one that was large from the beginning.
void TestPlanLayout::theMapGrowsWithItsWindow()
{
    FakePlanSearch search;
    const auto heightIn = [&search](const QList<QSize>& sizes) {
        PlanPage page(search.functions());
        for (const QSize size : sizes) {
            page.resize(size);
            page.show();
            if (!QTest::qWaitFor([&page] { return !page.busy() && page.result(); }))
                return -1;
            QTest::qWait(100); // docks settle
        }
        return page.map()->height();
    };
    const QSize small(1200, 620), large(1800, 980);
    const int small1 = heightIn({small}), large1 = heightIn({large});
    QVERIFY2(large1 > small1 && small1 > 0, qPrintable(QStringLiteral("%1 and %2").arg(large1).arg(small1)));
    QCOMPARE(heightIn({small, large}), large1);
    QCOMPARE(heightIn({large, small}), small1);
}

PEAKSCOPE_TEST(TestPlanLayout)
#include "test_plan_layout.moc"
