// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One selection of units in all views of an analysis: by click, rectangle and lasso, in the table and in the inspector.
#include "app/parts/inspector_panel.h"
#include "tests/app/analyse/analyse_page_test.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/tables/usage_tables.h"

#include <QItemSelectionModel>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

using namespace peakscope;
using namespace peakscope::testing;

class TestAnalyseSelection : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }
    void oneSelectionInAllViews();
    void rectangleAndLassoSelect();

private:
    QTemporaryDir m_home;
};

void TestAnalyseSelection::oneSelectionInAllViews()
{
    const auto workspace = analysisPage();
    UnitScatterView* scatter = workspace->scatter();
    QTest::mouseClick(scatter->plot(), Qt::LeftButton, {}, scatter->pixelOf(5).toPoint());
    QCOMPARE(workspace->selection().size(), 1);
    const int unit = workspace->selection().front();
    QVERIFY((scatter->pixelOf(unit) - scatter->pixelOf(5)).manhattanLength() < 3);
    QCOMPARE(workspace->plane()->selection(), workspace->selection());
    auto* units = workspace->table(QStringLiteral("units"));
    QCOMPARE(units->view()->selectionModel()->selectedRows().size(), 1);
    QVERIFY(units->selectionTsv().contains(QStringLiteral(".unit.%1").arg(unit)));
    // The other way round, by keys in the table.
    QSignalSpy inspected(workspace.get(), &AnalysePage::inspected);
    units->view()->setFocus();
    units->view()->selectRow(9);
    QCOMPARE(scatter->selection().size(), 1);
    QCOMPARE(workspace->plane()->selection(), scatter->selection());
    QVERIFY(inspected.size() >= 1);
    QTest::keyClick(scatter->plot(), Qt::Key_Escape);
    QVERIFY(workspace->selection().isEmpty());
    QVERIFY(workspace->plane()->selection().isEmpty());
}

void TestAnalyseSelection::rectangleAndLassoSelect()
{
    const auto workspace = analysisPage();
    QSignalSpy inspected(workspace.get(), &AnalysePage::inspected);
    UnitScatterView* plane = workspace->plane();
    dragOver(plane->plot(), {plotPixel(plane, 0.69, 0.51), plotPixel(plane, 1.01, -0.01)}, Qt::ControlModifier);
    QCOMPARE(workspace->selection().size(), 30); // the units of Wfunc
    QCOMPARE(workspace->scatter()->selection().size(), 30);
    // The inspector says what they are, and the table can show them alone, by which none is lost.
    const InspectorContent content = inspected.last()[0].value<InspectorContent>();
    QCOMPARE(content.title, QStringLiteral("30 units selected"));
    QCOMPARE(content.sections[0].rows[0].label, QStringLiteral("Wfunc"));
    QCOMPARE(content.sections[0].rows[0].value, QStringLiteral("30 (100 %)"));
    DataTableView* units = workspace->table(QStringLiteral("units"));
    const int all = units->view()->model()->rowCount();
    const auto buttons = units->findChildren<QToolButton*>();
    const auto only = std::ranges::find_if(
        buttons, [](const QToolButton* button) { return button->text() == QStringLiteral("Selected only"); });
    QVERIFY(only != buttons.end());
    QTest::mouseClick(*only, Qt::LeftButton);
    QCOMPARE(units->view()->model()->rowCount(), 30);
    units->view()->selectRow(2);
    QCOMPARE(workspace->selection().size(), 1);
    QCOMPARE(units->view()->model()->rowCount(), 30);
    QTest::mouseClick(*only, Qt::LeftButton);
    QCOMPARE(units->view()->model()->rowCount(), all);
    dragOver(plane->plot(),
             {plotPixel(plane, 0.0, 1.02), plotPixel(plane, 0.32, 1.02), plotPixel(plane, 0.32, 0.88),
              plotPixel(plane, -0.01, 0.88)},
             Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(workspace->selection().size(), 18); // those of Wsens
    // A plain drag pans instead.
    const double before = plane->visibleLower();
    plane->zoomIn();
    dragOver(plane->plot(), {plotPixel(plane, 0.55, 0.2), plotPixel(plane, 0.5, 0.2)});
    QVERIFY(plane->visibleLower() != before);
    QCOMPARE(workspace->selection().size(), 18);
}

PEAKSCOPE_TEST(TestAnalyseSelection)
#include "test_analyse_selection.moc"
