// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The loads of a mixture's experts in the window: there for results that hold them, with their table and figure; and
// pictures for people to look at.
#include "app/parts/table_tabs.h"
#include "app/parts/theme_controller.h"
#include "app/parts/translations.h"
#include "app/run/run_page.h"
#include "app/run/run_plots.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/expert_samples.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/timeline/expert_load_view.h"

#include <QAction>
#include <QDockWidget>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

class TestExpertPanel : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void cleanup() { installTranslation(QStringLiteral("en")); }

    void onlyWithExperts();
    void whatIsClosedStaysClosed();
    void figureAndTable();
    void pictures_data();
    void pictures();

private:
    static QDockWidget* dock(const MainWindow& window)
    {
        return part<RunPage>(window)->findChild<QDockWidget*>(QStringLiteral("experts"));
    }
    // Opens a result that holds the section, or none where that is empty.
    void open(MainWindow& window, const char* id, const ExpertSection& section)
    {
        RunResult run = testing::smallResult();
        run.id = id;
        if (!section.empty())
            run.other["experts"] = toJson(section);
        const QString path = m_home.filePath(QString::fromLatin1(id) + QStringLiteral(".json"));
        QVERIFY(saveRunResult(run, path.toStdString()).ok());
        window.openFiles({path});
        QTRY_VERIFY(shownResult(window) && shownResult(window)->id == id);
    }

    QTemporaryDir m_home;
};

void TestExpertPanel::onlyWithExperts()
{
    const auto window = newWindow();
    open(*window, "dense", {});
    auto* tables = part<RunPlots>(window)->tables();
    const auto tabShown = [tables] {
        return tables->isTabVisible(tables->indexOf(tables->table(QStringLiteral("experts"))));
    };
    QVERIFY(dock(*window)->isHidden() && !dock(*window)->toggleViewAction()->isVisible() && !tabShown());
    open(*window, "mixture", test::fewExperts());
    QTRY_VERIFY(!dock(*window)->isHidden());
    QVERIFY(dock(*window)->toggleViewAction()->isVisible() && tabShown());
    // In front, as before, is what the memory is made of.
    QTRY_VERIFY(
        !part<RunPage>(window)->findChild<QDockWidget*>(QStringLiteral("components"))->visibleRegion().isEmpty());
    open(*window, "dense", {});
    QTRY_VERIFY(dock(*window)->isHidden());
    QVERIFY(!dock(*window)->toggleViewAction()->isVisible() && !tabShown());
}

void TestExpertPanel::whatIsClosedStaysClosed()
{
    const auto window = newWindow();
    open(*window, "mixture", test::fewExperts());
    QTRY_VERIFY(!dock(*window)->isHidden());
    dock(*window)->toggleViewAction()->trigger();
    QVERIFY(dock(*window)->isHidden());
    open(*window, "dense", {});
    open(*window, "mixture", test::manyExperts());
    QTest::qWait(50);
    QVERIFY(dock(*window)->isHidden());
    part<RunPage>(window)->restoreDefaultLayout();
    QTRY_VERIFY(!dock(*window)->isHidden());
}

void TestExpertPanel::figureAndTable()
{
    const auto window = newWindow();
    open(*window, "mixture", test::fewExperts());
    auto* plots = part<RunPlots>(window);
    QSignalSpy asked(plots, &RunPlots::figureRequested);
    emit plots->experts()->exportRequested();
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("expert_loads"));
    asked.clear();
    emit plots->experts()->showDataRequested();
    DataTableView* rows = plots->tables()->table(QStringLiteral("experts"));
    QTRY_VERIFY(rows->isVisible());
    QCOMPARE(rows->model()->rowCount(), 32);
    rows->view()->selectRow(3); // all is in the row
}

void TestExpertPanel::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QString>("language");
    QTest::newRow("light-en") << false << QStringLiteral("en");
    QTest::newRow("dark-zh") << true << QStringLiteral("zh");
}

void TestExpertPanel::pictures()
{
    QFETCH(const bool, dark);
    QFETCH(const QString, language);
    applyTheme(dark ? Theme::Dark : Theme::Light);
    QVERIFY(installTranslation(language));
    const auto window = newWindow();
    window->resize(1600, 1000);
    open(*window, "mixture", test::fewExperts());
    QTRY_VERIFY(!dock(*window)->isHidden());
    QTest::qWait(300);
    dock(*window)->raise();
    emit part<RunPlots>(window)->experts()->showDataRequested();
    QTest::qWait(200);
    test::saveScreenshot(*window, QStringLiteral("window_experts_") + QString::fromLatin1(QTest::currentDataTag()));
    applyTheme(Theme::Light);
}

PEAKSCOPE_TEST(TestExpertPanel)
#include "test_expert_panel.moc"
