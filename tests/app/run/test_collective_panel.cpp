// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What ranks send, in the window: there for results that tell it, of the chosen rank, with table and figure; and
// pictures for people to look at.
#include "app/parts/table_tabs.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/run/run_page.h"
#include "app/run/run_plots.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/collective_samples.h"
#include "tests/widgets/timeline/rank_samples.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/collective_view.h"

#include <QAction>
#include <QDockWidget>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

class TestCollectivePanel : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void cleanup() { installTranslation(QStringLiteral("en")); }

    void onlyWithCollectives();
    void ofTheChosenRank();
    void figureAndTable();
    void pictures_data();
    void pictures();

private:
    static QDockWidget* dock(const MainWindow& window)
    {
        return part<RunPage>(window)->findChild<QDockWidget*>(QStringLiteral("collectives"));
    }
    // Opens a result of two ranks, or of one process.
    void open(MainWindow& window, const char* id, bool ranks)
    {
        RunResult run = ranks ? test::rankedRun(2) : testing::smallResult();
        run.id = id;
        const RunResult sending = test::sendingRun();
        for (std::size_t i = 0; i < run.ranks.size(); ++i)
            run.ranks[i].communication = sending.ranks[i].communication;
        const QString path = m_home.filePath(QString::fromLatin1(id) + QStringLiteral(".json"));
        QVERIFY(saveRunResult(run, path.toStdString()).ok());
        window.openFiles({path});
        QTRY_VERIFY(shownResult(window) && shownResult(window)->id == id);
    }

    QTemporaryDir m_home;
};

void TestCollectivePanel::onlyWithCollectives()
{
    const auto window = newWindow();
    open(*window, "alone", false);
    auto* tables = part<RunPlots>(window)->tables();
    const auto tabShown = [tables] {
        return tables->isTabVisible(tables->indexOf(tables->table(QStringLiteral("collectives"))));
    };
    QVERIFY(dock(*window)->isHidden() && !dock(*window)->toggleViewAction()->isVisible() && !tabShown());
    open(*window, "ranked", true);
    QTRY_VERIFY(!dock(*window)->isHidden());
    QVERIFY(dock(*window)->toggleViewAction()->isVisible() && tabShown());
    open(*window, "alone", false);
    QTRY_VERIFY(dock(*window)->isHidden());
    QVERIFY(!tabShown());
}

void TestCollectivePanel::ofTheChosenRank()
{
    const auto window = newWindow();
    open(*window, "ranked", true);
    auto* plots = part<RunPlots>(window);
    QVERIFY(plots->collectives()->summary().startsWith(QStringLiteral("Rank 0 sends 100 MiB")));
    plots->tables()->bringToFront(QStringLiteral("ranks"));
    plots->tables()->table(QStringLiteral("ranks"))->view()->selectRow(1);
    QTRY_VERIFY(plots->collectives()->summary().startsWith(QStringLiteral("Rank 1 sends 85.0 MiB")));
}

void TestCollectivePanel::figureAndTable()
{
    const auto window = newWindow();
    open(*window, "ranked", true);
    auto* plots = part<RunPlots>(window);
    QSignalSpy asked(plots, &RunPlots::figureRequested);
    emit plots->collectives()->exportRequested();
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("collectives"));
    emit plots->collectives()->showDataRequested();
    DataTableView* rows = plots->tables()->table(QStringLiteral("collectives"));
    QTRY_VERIFY(rows->isVisible());
    QCOMPARE(rows->model()->rowCount(), 12);
    rows->view()->selectRow(3); // all is in the row
}

void TestCollectivePanel::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QString>("language");
    QTest::newRow("light-en") << false << QStringLiteral("en");
    QTest::newRow("dark-zh") << true << QStringLiteral("zh");
}

void TestCollectivePanel::pictures()
{
    QFETCH(const bool, dark);
    QFETCH(const QString, language);
    applyTheme(dark ? Theme::Dark : Theme::Light);
    QVERIFY(installTranslation(language));
    const auto window = newWindow();
    window->resize(1280, 720);
    open(*window, "ranked", true);
    QTRY_VERIFY(!dock(*window)->isHidden());
    QTest::qWait(300);
    dock(*window)->raise();
    emit part<RunPlots>(window)->collectives()->showDataRequested();
    QTest::qWait(200);
    test::saveScreenshot(*window, QStringLiteral("window_collectives_") + QString::fromLatin1(QTest::currentDataTag()));
    applyTheme(Theme::Light);
}

PEAKSCOPE_TEST(TestCollectivePanel)
#include "test_collective_panel.moc"
