// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Library and inspector give way in a narrow window: a strip of states and a drawer, and back as they were.
#include "app/library/library_delegate.h"
#include "app/library/library_panel.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/settings.h"
#include "app/window/start_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>

using namespace peakscope;
using namespace peakscope::testing;

class TestSideDocks : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        isolate(m_home);
        settings::setFoldsSidePanels(true);
        m_file = writeSmallResult(m_home, QStringLiteral("small.json"), "small");
        m_other = writeSmallResult(m_home, QStringLiteral("other.json"), "other");
    }
    void cleanupTestCase() { settings::setFoldsSidePanels(false); }

    void theyGiveWayAndComeBack()
    {
        {
            MainWindow window;
            show(window, 1280);
            const auto* panel = window.findChild<LibraryPanel*>();
            const auto* inspector = window.findChild<InspectorPanel*>();
            auto* strip = window.findChild<QTreeView*>(QStringLiteral("libraryStrip"));
            QVERIFY(strip->isVisible() && !panel->isVisible() && !inspector->isVisible());
            // What is seen first fits without scrolling sideways.
            const auto* start = window.findChild<StartPage*>();
            for (const QScrollArea* area : start->findChildren<QScrollArea*>())
                QVERIFY(area->horizontalScrollBar()->maximum() == 0 &&
                        area->widget()->width() <= area->viewport()->width());

            // What is searched is there.
            window.findChild<QAction*>(QStringLiteral("find"))->trigger();
            QVERIFY(panel->filterField()->isVisible() && panel->filterField()->hasFocus());
            show(window, 1500);
            show(window, 1280);
            QVERIFY(strip->isVisible() && !panel->isVisible());

            // A click on a state shows its result.
            window.openFiles({m_file});
            QTRY_VERIFY(shownResult(window));
            window.openFiles({m_other});
            QTRY_COMPARE(shownResult(window)->id, std::string("other"));
            const QModelIndex section = strip->model()->index(0, 0);
            QCOMPARE(strip->model()->rowCount(section), 2);
            for (const int row : {0, 1, 0}) {
                const QModelIndex line = strip->model()->index(row, 0, section);
                QTRY_VERIFY(strip->visualRect(line).height() > 10);
                const QRect place = strip->visualRect(line);
                QVERIFY(strip->viewport()->rect().contains(place.center()));
                const QString file = line.data(LibraryDelegate::PathRole).toString();
                QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, place.center());
                QTRY_COMPARE(QString::fromStdString(shownResult(window)->id), QFileInfo(file).baseName());
                // From the start page, too, where its line stays marked.
                window.findChild<QAction*>(QStringLiteral("startPage"))->trigger();
                QTRY_VERIFY(strip->visualRect(line).height() > 10);
                QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, strip->visualRect(line).center());
                QTRY_COMPARE(front(window), QStringLiteral("run"));
            }

            // Both can be opened all the same.
            QTest::mouseClick(window.findChild<QToolButton*>(QStringLiteral("openLibrary")), Qt::LeftButton);
            QVERIFY(panel->isVisible() && !strip->isVisible());
            auto* edge = window.findChild<QToolBar*>(QStringLiteral("inspectorEdge"));
            QVERIFY(edge->isVisible());
            QTest::mouseClick(edge->widgetForAction(edge->actions().front()), Qt::LeftButton);
            QVERIFY(inspector->isVisible());

            show(window, 1500);
            QVERIFY(panel->isVisible() && inspector->isVisible() && !edge->isVisible());
            QVERIFY(panel->width() > 150);
            show(window, 1280);
            QVERIFY(!panel->isVisible() && !inspector->isVisible());
            window.close();
        }
        // A narrow window is no wish of its own: the next wide one has both.
        MainWindow window;
        show(window, 1500);
        QVERIFY(window.findChild<LibraryPanel*>()->isVisible());
        QVERIFY(window.findChild<InspectorPanel*>()->isVisible());
        // Nobody is forced.
        window.findChild<QAction*>(QStringLiteral("foldSides"))->setChecked(false);
        show(window, 1280);
        QVERIFY(window.findChild<LibraryPanel*>()->isVisible());
        settings::setFoldsSidePanels(true);
    }

private:
    static void show(MainWindow& window, int width)
    {
        window.resize(width, 720);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTest::qWait(1);
    }

    QTemporaryDir m_home;
    QString m_file, m_other;
};

PEAKSCOPE_TEST(TestSideDocks)
#include "test_side_docks.moc"
