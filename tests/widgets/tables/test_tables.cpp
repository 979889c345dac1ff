// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// DataTableView and TableModel: what is shown, sorted by raw value, filtered, copied; current rows by name.
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"

#include "core/base/units.h"
#include "widgets/look/component_palette.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/tables/wrapped_header.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTextDocument>

#include <cmath>

using namespace peakscope;

namespace {

Table sampleTable()
{
    Table table;
    table.title = "modules";
    table.columns = {
        {"name", ""}, {"kind", ""}, {"peak_bytes", "bytes"}, {"forward_seconds", "seconds"}, {"count", ""}};
    table.rows = {
        {std::string("layers.0.mlp"), std::string("mlp"), std::int64_t{2} << 30, 0.0125, std::int64_t{3}},
        {std::string("layers.0.attn"), std::string("attention"), std::int64_t{900} << 20, 2.5, std::int64_t{12}},
        {std::string("lm_head"), std::string("head"), std::int64_t{100}, std::nan(""), std::int64_t{1}}};
    return table;
}

Table modulesOf(const test::TrainingData& data)
{
    RunResult result;
    result.memory.emplace();
    result.memory->modules = data.modules;
    return modulesTable(result);
}

QString cell(const DataTableView& view, int row, int column, int role = Qt::DisplayRole)
{
    return view.view()->model()->index(row, column).data(role).toString();
}

QStringList columnTexts(const DataTableView& view, int column)
{
    QStringList texts;
    for (int row = 0; row < view.view()->model()->rowCount(); ++row)
        texts << cell(view, row, column);
    return texts;
}

void clickHeader(const DataTableView& view, int column)
{
    QHeaderView* header = view.view()->horizontalHeader();
    const QPoint at(header->sectionViewportPosition(column) + 10, header->height() / 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, at);
}

} // namespace

class TestTables : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    void namesThatLookLikeHtmlStayNames()
    {
        const QString name = QStringLiteral("<b>layer</b> <img src=\"/tmp/x.png\"> & <a href=\"x\">y</a>");
        Table table = sampleTable();
        table.rows[0][0] = name.toStdString();
        DataTableView view;
        view.setTable(table);
        QTextDocument shown; // as a tool tip shows it
        const QString tip = cell(view, 0, 0, Qt::ToolTipRole);
        Qt::mightBeRichText(tip) ? shown.setHtml(tip) : shown.setPlainText(tip);
        QCOMPARE(shown.toPlainText(), name);
    }

    // Titles in two lines where they would push columns beyond the edge, in one where there is room.
    void titlesWrapInANarrowView()
    {
        RunResult result;
        const MemoryTimeline timeline(test::trainingRun().events);
        result.memory.emplace();
        result.memory->maxComponents = timeline.maxComponents();
        DataTableView view;
        test::showAt(view, 1200, 320);
        view.setTable(memoryComponentsTable(result));
        auto* header = static_cast<WrappedHeader*>(view.view()->horizontalHeader());
        QTRY_VERIFY(!header->isWrapped());
        const int wide = header->length(), low = header->height();
        view.resize(wide - 20, 320);
        QTRY_VERIFY(header->isWrapped());
        QTRY_VERIFY(header->height() > low && header->length() < wide);
        const QFontMetrics metrics(header->font());
        for (int i = 0; i < header->count(); ++i) {
            for (const QString& word : view.model()->headerData(i, Qt::Horizontal).toString().split(u' '))
                QVERIFY2(header->sectionSize(i) > metrics.horizontalAdvance(word), qPrintable(word));
        }
        view.resize(1200, 320);
        QTRY_VERIFY(!header->isWrapped());
        QTRY_COMPARE(header->height(), low);
        QCOMPARE(header->length(), wide);
        // A width that somebody chose stays.
        header->resizeSection(0, 300);
        view.resize(wide - 20, 320);
        QCoreApplication::processEvents();
        QCOMPARE(header->sectionSize(0), 300);
        QVERIFY(!header->isWrapped());
    }

    void aLongNameGivesWayToNumbers()
    {
        DataTableView view;
        test::showAt(view, 320, 320);
        view.setTable({"live",
                       {{"module", ""}, {"alive_bytes", "bytes"}, {"share_of_alive", ""}},
                       {{std::string(60, 'm'), std::int64_t{5} << 20, 0.5}}});
        const QHeaderView* header = view.view()->horizontalHeader();
        const auto fits = [&] { return header->length() <= view.view()->viewport()->width(); };
        QTRY_VERIFY2(fits(), qPrintable(QString::number(header->length())));
        const int narrow = header->sectionSize(0);
        view.resize(360, 320);
        QTRY_VERIFY(header->sectionSize(0) > narrow);
        QVERIFY(fits());
    }

    void modelKeepsItsContract()
    {
        TableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setTable(sampleTable());
        model.setTable({});
        model.setTable(modulesOf(test::trainingRun()));
        QVERIFY(model.rowCount() > 0);
    }

    void shortRowsAreFilledUp()
    {
        Table table = sampleTable();
        table.rows[0].resize(1);
        TableModel model;
        model.setTable(table);
        QCOMPARE(model.index(0, 4).data().toString(), QString());
    }

    void numbersHaveUnitsAndExactTips()
    {
        DataTableView view;
        test::showAt(view, 700, 300);
        view.setTable(sampleTable());
        QCOMPARE(cell(view, 0, 2), QString::fromStdString(formatBytes(std::int64_t{2} << 30)));
        QVERIFY(cell(view, 0, 2, Qt::ToolTipRole).contains(QLocale().toString(qlonglong{2} << 30)));
        QCOMPARE(cell(view, 0, 3), QString::fromStdString(formatSeconds(0.0125)));
        QCOMPARE(cell(view, 2, 3), QStringLiteral("–"));
        QCOMPARE(cell(view, 1, 1), moduleKindTitle(ModuleKind::Attention));
        const auto alignment = [&view](int column) {
            return Qt::Alignment(view.view()->model()->index(0, column).data(Qt::TextAlignmentRole).toInt());
        };
        QVERIFY(alignment(2) & Qt::AlignRight);
        QVERIFY(alignment(0) & Qt::AlignLeft);
    }

    void headersAreTitles()
    {
        DataTableView view;
        view.setTable(sampleTable());
        QCOMPARE(view.model()->headerData(2, Qt::Horizontal).toString(), QStringLiteral("Peak"));
        // A title names no unit that its cells do not have.
        DataTableView points;
        points.setTable(
            {"points", {{"median_step_seconds", "seconds"}, {"total_seconds", "seconds"}}, {{0.0228, 22.8}}});
        QCOMPARE(points.model()->headerData(0, Qt::Horizontal).toString(), QStringLiteral("Median step time"));
        QCOMPARE(points.model()->headerData(1, Qt::Horizontal).toString(), QStringLiteral("Whole run"));
        QCOMPARE(points.model()->index(0, 0).data().toString(), QStringLiteral("22.8 ms"));
        Table table;
        table.columns = {{"some_new_value", ""}};
        view.setTable(table);
        QCOMPARE(view.model()->headerData(0, Qt::Horizontal).toString(), QStringLiteral("Some new value"));
    }

    void sortsByRawValue()
    {
        DataTableView view;
        test::showAt(view, 900, 300);
        view.setTable(sampleTable());
        clickHeader(view, 2); // "100 B" < "900 MiB" < "2.00 GiB", which text would not give
        QCOMPARE(columnTexts(view, 0), QStringList({"lm_head", "layers.0.attn", "layers.0.mlp"}));
        clickHeader(view, 2);
        QCOMPARE(columnTexts(view, 0), QStringList({"layers.0.mlp", "layers.0.attn", "lm_head"}));
        clickHeader(view, 4); // 1 < 3 < 12
        QCOMPARE(columnTexts(view, 0), QStringList({"lm_head", "layers.0.mlp", "layers.0.attn"}));
    }

    void filterFindsShownText()
    {
        DataTableView view;
        test::showAt(view, 700, 300);
        view.setTable(sampleTable());
        QTest::keyClicks(view.filterField(), QStringLiteral("LAYERS"));
        QCOMPARE(view.view()->model()->rowCount(), 2);
        view.setFilter(QStringLiteral("attention"));
        QCOMPARE(columnTexts(view, 0), QStringList({"layers.0.attn"}));
        view.setFilter(QStringLiteral("a.*b(")); // not a pattern
        QCOMPARE(view.view()->model()->rowCount(), 0);
        QVERIFY(!view.view()->isVisible()); // words stand in for the empty table
        view.setFilter({});
        QVERIFY(view.view()->isVisible());
    }

    void copiesRawValues()
    {
        DataTableView view;
        test::showAt(view, 700, 300);
        view.setTable(sampleTable());
        clickHeader(view, 2);
        QStringList lines = view.selectionTsv().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines[0], QStringLiteral("name\tkind\tpeak_bytes\tforward_seconds\tcount"));
        QVERIFY(lines[1].startsWith(QStringLiteral("lm_head\thead\t100\t")));
        view.view()->selectRow(2);
        view.view()->setFocus();
        QTest::keyClick(view.view(), Qt::Key_C, Qt::ControlModifier);
        lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2);
        QVERIFY(lines[1].startsWith(QStringLiteral("layers.0.mlp\tmlp\t2147483648\t")));
    }

    void activationByMouseAndKey()
    {
        DataTableView view;
        test::showAt(view, 700, 300);
        view.setTable(sampleTable());
        QSignalSpy activated(&view, &DataTableView::rowActivated), current(&view, &DataTableView::currentRowChanged);
        const QPoint at = view.view()->visualRect(view.view()->model()->index(1, 0)).center();
        QTest::mouseClick(view.view()->viewport(), Qt::LeftButton, Qt::NoModifier, at);
        QCOMPARE(current.count(), 1);
        QCOMPARE(current[0][0].toString(), QStringLiteral("layers.0.attn"));
        QTest::mouseDClick(view.view()->viewport(), Qt::LeftButton, Qt::NoModifier, at);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].toString(), QStringLiteral("layers.0.attn"));
        QTest::keyClick(view.view(), Qt::Key_Down);
        QTest::keyClick(view.view(), Qt::Key_Return);
        QCOMPARE(activated.last()[0].toString(), QStringLiteral("lm_head"));
    }

    void currentRowFromElsewhereIsSilentAndKept()
    {
        DataTableView view;
        test::showAt(view, 700, 300);
        view.setTable(sampleTable());
        QSignalSpy current(&view, &DataTableView::currentRowChanged);
        view.setCurrentName(QStringLiteral("lm_head"));
        QCOMPARE(view.currentName(), QStringLiteral("lm_head"));
        Table fresh = sampleTable();
        std::reverse(fresh.rows.begin(), fresh.rows.end());
        clickHeader(view, 2);
        view.setTable(fresh); // a live update with the same columns
        QCOMPARE(view.currentName(), QStringLiteral("lm_head"));
        QCOMPARE(columnTexts(view, 0).first(), QStringLiteral("lm_head")); // still sorted
        QCOMPARE(current.count(), 0);
    }

    void rowsOfOneNameAreToldApart()
    {
        Table table = sampleTable();
        table.columns[1].name = "phase";
        table.rows = {table.rows[0], table.rows[0], table.rows[0]};
        for (int i = 0; i < 3; ++i)
            table.rows[static_cast<std::size_t>(i)][1] = std::string(i == 0 ? "forward" : i == 1 ? "backward" : "data");
        DataTableView view;
        test::showAt(view, 700, 300);
        view.setTable(table);
        view.view()->setCurrentIndex(view.view()->model()->index(1, 0));
        table.rows[1][4] = std::int64_t{99}; // numbers move on while live
        view.setTable(table);
        QCOMPARE(view.view()->currentIndex().row(), 1);
    }

    void thousandsOfRows()
    {
        DataTableView view;
        test::showAt(view, 700, 300);
        Table table = sampleTable();
        const auto row = table.rows[0];
        for (int i = 0; i < 20000; ++i) {
            table.rows.push_back(row);
            table.rows.back()[0] = std::string("m.") + std::to_string(i);
        }
        view.setTable(table);
        view.setFilter(QStringLiteral("m.1999"));
        QCOMPARE(view.view()->model()->rowCount(), 11); // m.1999 and m.19990 to m.19999
    }

    void pictures_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    void pictures()
    {
        QFETCH(bool, dark);
        test::applyPalette(dark);
        const QString tag = QString::fromLatin1(QTest::currentDataTag());
        DataTableView view;
        test::showAt(view, 860, 320);
        test::saveScreenshot(view, QStringLiteral("table-empty-") + tag);
        view.setTable(modulesOf(test::trainingRun()));
        view.setCurrentName(QStringLiteral("model.decoder.layers.1.mlp"));
        test::saveScreenshot(view, QStringLiteral("table-modules-") + tag);
        RunResult result;
        const MemoryTimeline timeline(test::trainingRun().events);
        result.memory.emplace();
        result.memory->peakBytes = timeline.peakBytes();
        result.memory->peakComponents = timeline.peakComponents();
        result.memory->maxComponents = timeline.maxComponents();
        view.setTable(memoryComponentsTable(result));
        test::saveScreenshot(view, QStringLiteral("table-components-") + tag);
        QVERIFY(view.view()->model()->rowCount() == static_cast<int>(kComponentCount));
    }
};

PEAKSCOPE_TEST(TestTables)
#include "test_tables.moc"
