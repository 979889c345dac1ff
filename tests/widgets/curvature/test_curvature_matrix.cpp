// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The map of a whole Hessian: cells and tensors against the matrix they came from, by mouse and keys, its table, and
// files that hold less or nonsense; and pictures of it for people to look at.
#include "tests/test_room.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/plot/plot_mouse.h"
#include "tests/widgets/timeline/training_data.h"

#include "core/results/section_readers.h"
#include "widgets/curvature/curvature_matrix_view.h"
#include "widgets/curvature/curvature_tables.h"
#include "widgets/curvature/matrix_layout.h"
#include "widgets/tables/usage_tables.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace peakscope;
using peakscope::test::hover;
using peakscope::test::pixelAt;

namespace {

CurvatureData matrixData(std::int64_t cells = 95)
{
    nlohmann::json section;
    section["full"] = test::matrixSection(cells);
    return curvatureFromJson(section);
}

void wheelAt(PlotView& view, QPoint place, int notches)
{
    QWheelEvent event(place, view.plot()->mapToGlobal(place), QPoint(), QPoint(0, 120 * notches), Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view.plot(), &event);
}

QToolButton* buttonOf(const PlotView& view, const QString& text)
{
    for (QToolButton* button : view.findChildren<QToolButton*>()) {
        if (button->text() == text)
            return button;
    }
    return nullptr;
}

QColor seenAt(PlotView& view, double column, double row)
{
    QTest::qWait(40);
    const QImage image = view.plot()->grab().toImage();
    const QPoint place = pixelAt(view, column, row);
    return image.pixelColor(place * image.devicePixelRatio());
}

bool near(const QColor& a, const QColor& b)
{
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) < 10;
}

// Middle of the cell around an entry.
QPointF middleOf(const CurvatureMatrix& matrix, std::int64_t row, std::int64_t column)
{
    const std::size_t r = matrix.cellOf(row), c = matrix.cellOf(column);
    return {static_cast<double>(matrix.edge(c) + matrix.edge(c + 1)) / 2,
            static_cast<double>(matrix.edge(r) + matrix.edge(r + 1)) / 2};
}

} // namespace

class TestCurvatureMatrix : public QObject
{
    Q_OBJECT

private slots:
    void init() { test::applyPalette(false); }

    void theGridIsReadWhole()
    {
        const CurvatureData data = matrixData();
        QVERIFY(data.matrix);
        const CurvatureMatrix& matrix = *data.matrix;
        QCOMPARE(matrix.size, 380);
        QCOMPARE(matrix.cells, std::size_t{95});
        QVERIFY(matrix.cell == CurvatureMatrix::Cell::Extreme);
        QCOMPARE(matrix.most, 2.0);
        QCOMPARE(matrix.at(0, 0), 2.0);
        QCOMPARE(matrix.at(matrix.cellOf(10), matrix.cellOf(50)), test::matrixEntry(11, 48)); // its nearest corner
        QVERIFY(matrix.at(matrix.cellOf(10), matrix.cellOf(50)) < 0);
        QCOMPARE(matrix.tensors.size(), test::matrixParts().size());
        QCOMPARE(matrix.tensors.at(1).label, std::string("L0 q_proj.weight"));
        QCOMPARE(matrix.tensors.at(4).label, std::string("L1 q_proj.weight"));
        QCOMPARE(matrix.tensors.at(0).label, std::string("embed_tokens.weight"));
        QCOMPARE(matrix.layerRuns().size(), std::size_t{4});
        for (std::int64_t row = 0; row < matrix.size; ++row) {
            const std::size_t cell = matrix.cellOf(row);
            QVERIFY(matrix.edge(cell) <= row && row < matrix.edge(cell + 1));
            QVERIFY(matrix.tensorAt(row));
        }
        QVERIFY(!matrix.tensorAt(380) && !matrix.tensorAt(-1));
        double squares = 0;
        for (const double norm : matrix.norms)
            squares += norm * norm;
        QVERIFY(qAbs(std::sqrt(squares) - matrix.frobenius) < 1e-9 * matrix.frobenius);
    }

    void cellsNeedNotDivideTheRows_data()
    {
        QTest::addColumn<int>("cells");
        for (const int cells : {1, 7, 128, 200, 379, 380})
            QTest::addRow("%d", cells) << cells;
    }

    void cellsNeedNotDivideTheRows()
    {
        QFETCH(int, cells);
        const CurvatureData data = matrixData(cells);
        QVERIFY(data.matrix);
        QCOMPARE(data.matrix->cell == CurvatureMatrix::Cell::Entry, cells == 380);
        for (std::int64_t row = 0; row < 380; ++row) {
            const std::size_t cell = data.matrix->cellOf(row);
            QVERIFY(data.matrix->edge(cell) <= row && row < data.matrix->edge(cell + 1));
        }
        QCOMPARE(data.matrix->edge(static_cast<std::size_t>(cells)), 380);
    }

    void namesAreAsLongAsTellsThemApart()
    {
        nlohmann::json section = test::matrixSection(19);
        const char* names[] = {"transformer.wte.weight",        "transformer.h.0.attn.c_proj.weight",
                               "transformer.h.0.attn.c_attn.b", "transformer.h.0.mlp.c_proj.weight",
                               "transformer.h.1.mlp.c_proj.w",  "transformer.h.1.mlp.c_proj.b",
                               "transformer.ln_f.weight",       "odd"};
        for (std::size_t i = 0; i < std::size(names); ++i)
            section["heat_map"]["tensors"][i]["parameter"] = names[i];
        const auto matrix = curvatureMatrixFromJson(section);
        QVERIFY(matrix);
        QCOMPARE(matrix->tensors[0].label, std::string("wte.weight"));
        QCOMPARE(matrix->tensors[1].label, std::string("L0 attn.c_proj.weight"));
        QCOMPARE(matrix->tensors[2].label, std::string("L0 c_attn.b"));
        QCOMPARE(matrix->tensors[3].label, std::string("L0 mlp.c_proj.weight"));
        QCOMPARE(matrix->tensors[7].label, std::string("odd"));
    }

    void aListedMatrixIsShownEntryByEntry()
    {
        nlohmann::json full = {{"size", 6}, {"frobenius", 1}, {"matrix", nlohmann::json::array()}};
        for (int r = 0; r < 6; ++r) {
            full["matrix"].push_back(nlohmann::json::array());
            for (int c = 0; c < 6; ++c)
                full["matrix"].back().push_back(r == c ? -1.5 : 0.25);
        }
        full["heat_map"] = {{"tensors",
                             {{{"parameter", "a.weight"}, {"begin", 0}, {"count", 2}},
                              {{"parameter", "b.weight"}, {"begin", 2}, {"count", 4}}}}};
        const auto matrix = curvatureMatrixFromJson(full);
        QVERIFY(matrix && matrix->cells == 6 && matrix->cell == CurvatureMatrix::Cell::Entry);
        QVERIFY(qAbs(*matrix->norm(0, 1) - 0.25 * std::sqrt(8)) < 1e-12);
        QVERIFY(qAbs(*matrix->norm(0, 0) - std::sqrt(2 * 2.25 + 2 * 0.0625)) < 1e-12);
        CurvatureMatrixView view;
        test::showAt(view, 640, 360);
        CurvatureData data;
        data.matrix = matrix;
        view.setData(data);
        QTest::qWait(40);
        hover(view, pixelAt(view, 3.5, 1.5));
        QTRY_VERIFY(view.readout().contains(QStringLiteral("Entry 0.25")));
        QVERIFY(view.readout().contains(QStringLiteral("a.weight [1] × column b.weight [3]")));
    }

    void whatIsNotRightIsNoMatrix_data()
    {
        QTest::addColumn<QByteArray>("patch");
        QTest::newRow("no map") << QByteArray(R"({"heat_map": null})");
        QTest::newRow("no size") << QByteArray(R"({"size": null, "heat_map": {"size": null}})");
        QTest::newRow("a negative size") << QByteArray(R"({"size": -3, "heat_map": {"size": -3}})");
        QTest::newRow("more cells than rows") << QByteArray(R"({"size": 20, "heat_map": {"size": 20}})");
        QTest::newRow("another number of cells") << QByteArray(R"({"heat_map": {"cells": 94}})");
        QTest::newRow("cells that are no number") << QByteArray(R"({"heat_map": {"cells": "many"}})");
        QTest::newRow("rows that are no rows")
            << QByteArray(R"({"heat_map": {"values": [1, 2], "extremes": {"a": 1}}})");
        QTest::newRow("nulls") << QByteArray(R"({"heat_map": {"values": null, "extremes": null}})");
    }

    void whatIsNotRightIsNoMatrix()
    {
        QFETCH(QByteArray, patch);
        nlohmann::json section = test::matrixSection();
        section.merge_patch(nlohmann::json::parse(patch.toStdString()));
        QVERIFY(!curvatureMatrixFromJson(section));
        QVERIFY(!curvatureMatrixFromJson(nlohmann::json::array()));
    }

    void tensorsThatOverlapAreLeftOut()
    {
        nlohmann::json section = test::matrixSection();
        section["heat_map"]["tensors"][2]["begin"] = 3;
        const auto matrix = curvatureMatrixFromJson(section);
        QVERIFY(matrix && matrix->tensors.empty() && matrix->norms.empty());
        CurvatureMatrixView view;
        test::showAt(view, 640, 360);
        CurvatureData data;
        data.matrix = matrix;
        view.setData(data);
        QVERIFY(view.showsPlot() && !view.summary().isEmpty());
        QTest::qWait(40);
        hover(view, pixelAt(view, 30, 200));
        QTRY_VERIFY(view.readout().contains(QStringLiteral("200")));
        QVERIFY(curvatureMatrixTable(matrix.get()).rows.empty());
    }

    void filesWithoutSignsShowMagnitudes()
    {
        nlohmann::json section = test::matrixSection();
        section["heat_map"].erase("extremes");
        section["heat_map"].erase("norms");
        CurvatureData data;
        data.matrix = curvatureMatrixFromJson(section);
        QVERIFY(data.matrix && data.matrix->cell == CurvatureMatrix::Cell::RootMeanSquare);
        CurvatureMatrixView view;
        test::showAt(view, 640, 360);
        view.setData(data);
        QTest::qWait(40);
        hover(view, pixelAt(view, 200, 200));
        QTRY_VERIFY(view.readout().startsWith(QStringLiteral("Root mean square")));
        QVERIFY(!view.readout().contains(QStringLiteral("norm of the block")));
    }

    void coloursSayTheSignInBothThemes()
    {
        for (const bool dark : {false, true}) {
            test::applyPalette(dark);
            const CurvatureData data = matrixData();
            CurvatureMatrixView view;
            test::showAt(view, 700, 500);
            view.setData(data);
            for (const bool logarithmic : {true, false}) {
                view.setLogarithmic(logarithmic);
                const MatrixScale scale = matrixScale(*data.matrix, logarithmic);
                for (const auto& [row, column] : {std::pair{10, 14}, {50, 10}, {130, 132}, {300, 340}}) {
                    const QPointF place = middleOf(*data.matrix, row, column);
                    const double value = data.matrix->at(data.matrix->cellOf(row), data.matrix->cellOf(column));
                    const QColor right = divergingColor(scale.shareOf(value), dark);
                    QVERIFY2(near(seenAt(view, place.x(), place.y()), right), qPrintable(right.name()));
                }
            }
        }
    }

    void theScaleIsSymmetricAboutZero()
    {
        const CurvatureData data = matrixData();
        for (const bool logarithmic : {true, false}) {
            const MatrixScale scale = matrixScale(*data.matrix, logarithmic);
            QCOMPARE(scale.shareOf(0), 0.0);
            QCOMPARE(scale.shareOf(data.matrix->most), 1.0);
            for (const double value : {1e-9, 1e-3, 0.1, 1.0, 50.0})
                QCOMPARE(scale.shareOf(-value), -scale.shareOf(value));
            QVERIFY(scale.shareOf(data.matrix->least) > 0 || !logarithmic || data.matrix->least < 2e-5);
        }
        CurvatureMatrix zeros;
        zeros.size = 3;
        zeros.cells = 3;
        zeros.value.assign(9, 0.0);
        QCOMPARE(matrixScale(zeros, true).shareOf(0), 0.0);
        CurvatureData none;
        none.matrix = std::make_shared<const CurvatureMatrix>(zeros);
        CurvatureMatrixView view;
        test::showAt(view, 500, 300);
        view.setData(none);
        QTest::qWait(40);
        QVERIFY(view.showsPlot() && !view.grab().isNull());
    }

    void mouseAndKeysReadOut()
    {
        const CurvatureData data = matrixData();
        CurvatureMatrixView view;
        test::showAt(view, 700, 500);
        view.setData(data);
        QTest::qWait(40);
        QVERIFY(view.readout().startsWith(QStringLiteral("380 × 380 entries")));
        const QPointF place = middleOf(*data.matrix, 100, 95);
        hover(view, pixelAt(view, place.x(), place.y()));
        QTRY_VERIFY(view.readout().contains(
            QStringLiteral("row L0 q_proj.weight [100–103] × column L0 q_proj.weight [92–95]")));
        QVERIFY(view.readout().startsWith(QStringLiteral("Largest entry ")));
        QVERIFY(view.readout().contains(QStringLiteral("root mean square")));
        QVERIFY(
            view.readout().contains(QStringLiteral("norm of the block %1").arg(realText(*data.matrix->norm(1, 1), 3))));
        const QString before = view.readout();
        QTest::keyClick(view.plot(), Qt::Key_Right, Qt::ControlModifier);
        QTRY_VERIFY(view.readout().contains(QStringLiteral("[100–103] × column L0 q_proj.weight [96–99]")));
        QTest::keyClick(view.plot(), Qt::Key_Down, Qt::ControlModifier);
        QTRY_VERIFY(view.readout().contains(QStringLiteral("[104–107] × column L0 q_proj.weight [96–99]")));
        QTest::keyClick(view.plot(), Qt::Key_Up, Qt::ControlModifier);
        QTest::keyClick(view.plot(), Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(view.readout(), before);
        for (int i = 0; i < 200; ++i)
            QTest::keyClick(view.plot(), Qt::Key_Up, Qt::ControlModifier);
        QVERIFY(view.readout().contains(QStringLiteral("embed_tokens.weight [0–3]")));
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(view.plot(), &leave);
        QTRY_VERIFY(view.readout().startsWith(QStringLiteral("380 × 380 entries")));
    }

    void theWheelZoomsBothWaysAndDragsPan()
    {
        CurvatureMatrixView view;
        test::showAt(view, 700, 500);
        view.setData(matrixData());
        QTest::qWait(40);
        const QPoint middle = pixelAt(view, 190, 190);
        wheelAt(view, middle, 3);
        const auto rows = [&view] { return view.plot()->yAxis->range().size(); };
        QVERIFY(rows() < 300 && view.visibleUpper() - view.visibleLower() < 300);
        const double left = view.visibleLower(), top = view.plot()->yAxis->range().lower;
        QTest::mousePress(view.plot(), Qt::LeftButton, {}, middle);
        for (int i = 1; i <= 6; ++i) {
            QMouseEvent move(QEvent::MouseMove, middle + QPoint(5 * i, 4 * i),
                             view.plot()->mapToGlobal(middle + QPoint(5 * i, 4 * i)), Qt::NoButton, Qt::LeftButton,
                             Qt::NoModifier);
            QApplication::sendEvent(view.plot(), &move);
        }
        QTest::mouseRelease(view.plot(), Qt::LeftButton, {}, middle + QPoint(30, 24));
        QVERIFY(view.visibleLower() < left && view.plot()->yAxis->range().lower < top);
        QTest::keyClick(view.plot(), Qt::Key_Backspace);
        QCOMPARE(view.visibleLower(), left);
        QTest::keyClick(view.plot(), Qt::Key_Home);
        QCOMPARE(rows(), 380.0);
        view.copyVisibleData();
        QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 95 * 95 + 1);
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("row_from\t")));
    }

    void theScaleIsChosenByMouseAndStays()
    {
        CurvatureMatrixView view;
        test::showAt(view, 700, 500);
        view.setData(matrixData());
        QVERIFY(view.isLogarithmic());
        QToolButton* linear = buttonOf(view, QStringLiteral("Linear"));
        QVERIFY(linear);
        QTest::mouseClick(linear, Qt::LeftButton);
        QVERIFY(!view.isLogarithmic());
        view.setData(matrixData()); // the same run, as it goes on
        QVERIFY(!view.isLogarithmic() && linear->isChecked());
        QTest::mouseClick(buttonOf(view, QStringLiteral("Logarithmic")), Qt::LeftButton);
        QVERIFY(view.isLogarithmic());
    }

    void namesBesideTheAxesFit_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        for (const auto& [width, height] : {std::pair{320, 220}, {500, 300}, {900, 700}, {1400, 1000}})
            QTest::addRow("%d x %d", width, height) << width << height;
    }

    void namesBesideTheAxesFit()
    {
        QFETCH(int, width);
        QFETCH(int, height);
        CurvatureMatrixView view;
        test::showAt(view, width, height);
        view.setData(matrixData());
        QTest::qWait(60);
        const QFontMetrics metrics(view.font());
        for (QCPAxis* axis : {view.plot()->xAxis, view.plot()->yAxis}) {
            const bool across = axis == view.plot()->xAxis;
            const QVector<double> places = axis->tickVector();
            const QVector<QString> texts = axis->tickVectorLabels();
            double free = -1e9;
            for (qsizetype i = 0; i < places.size(); ++i) {
                const double half = (across ? metrics.horizontalAdvance(texts[i]) : metrics.height() - 1) / 2.0;
                const double at = axis->coordToPixel(places[i]);
                QVERIFY2(at - half >= free - 1, qPrintable(texts[i]));
                free = at + half;
                if (across)
                    QVERIFY(free <= view.plot()->axisRect()->right() + 2);
            }
            QVERIFY(height < 500 || !texts.isEmpty());
        }
        if (width >= 900)
            QVERIFY(view.plot()->yAxis->tickVectorLabels().contains(QStringLiteral("L0 q_proj.weight")));
    }

    void bordersOfLayersComeFirst()
    {
        const CurvatureData data = matrixData();
        std::vector<std::int64_t> layers, all;
        for (const MatrixBorder& border : matrixBorders(*data.matrix, 8)) {
            all.push_back(border.row);
            if (border.layer)
                layers.push_back(border.row);
        }
        QCOMPARE(layers, (std::vector<std::int64_t>{90, 225, 360}));
        QCOMPARE(all.size(), std::size_t{5}); // 5 rows of a bias are closer
        QCOMPARE(matrixBorders(*data.matrix, 1).size(), data.matrix->tensors.size() - 1);
        QCOMPARE(matrixBorders(*data.matrix, 1000).size(), std::size_t{1});
    }

    void theTableHoldsThePairsByWeight()
    {
        const CurvatureData data = matrixData();
        const Table table = curvatureMatrixTable(data.matrix.get());
        const std::size_t count = test::matrixParts().size();
        QCOMPARE(table.rows.size(), count * (count + 1) / 2);
        double shares = 0, last = 1;
        for (const auto& row : table.rows) {
            const double share = std::get<double>(row[6]);
            QVERIFY(share <= last + 1e-15);
            last = share;
            shares += share;
        }
        QVERIFY(qAbs(shares - 1) < 1e-9);
        QCOMPARE(std::get<std::string>(table.rows[0][0]), std::string(test::matrixParts()[0].name));
        DataTableView view;
        test::showAt(view, 700, 300);
        view.setTable(table);
        QCOMPARE(view.view()->model()->rowCount(), static_cast<int>(table.rows.size()));
        QCOMPARE(view.view()->model()->headerData(6, Qt::Horizontal).toString(), QStringLiteral("Share of ‖H‖²"));
        QVERIFY(curvatureMatrixTable(nullptr).rows.empty());
    }

    void exportAndTableAreAskedFor()
    {
        CurvatureMatrixView view;
        test::showAt(view, 900, 500);
        view.setData(matrixData());
        QSignalSpy exports(&view, &PlotView::exportRequested), tables(&view, &PlotView::showDataRequested);
        QTest::mouseClick(buttonOf(view, QStringLiteral("Export…")), Qt::LeftButton);
        QTest::mouseClick(buttonOf(view, QStringLiteral("Show data")), Qt::LeftButton);
        QCOMPARE(exports.count(), 1);
        QCOMPARE(tables.count(), 1);
    }

    void nothingThereIsSaid()
    {
        CurvatureMatrixView view;
        test::showAt(view, 500, 300);
        QVERIFY(!view.showsPlot());
        view.setData(matrixData());
        QVERIFY(view.showsPlot());
        view.setData(CurvatureData());
        QVERIFY(!view.showsPlot());
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("20,000")));
        view.setData(matrixData());
        view.clear();
        QVERIFY(!view.showsPlot());
    }

    void pictures()
    {
        for (const bool dark : {false, true}) {
            test::applyPalette(dark);
            CurvatureMatrixView view;
            test::showAt(view, 640, 420);
            view.setData(matrixData());
            QTest::qWait(60);
            hover(view, pixelAt(view, 200, 120));
            QTest::qWait(60);
            test::saveScreenshot(view, QStringLiteral("curvature_matrix_") + (dark ? "dark" : "light"));
            view.setLogarithmic(false);
            QTest::qWait(60);
            test::saveScreenshot(view, QStringLiteral("curvature_matrix_linear_") + (dark ? "dark" : "light"));
        }
        test::applyPalette(false);
    }
};

PEAKSCOPE_TEST(TestCurvatureMatrix)
#include "test_curvature_matrix.moc"
