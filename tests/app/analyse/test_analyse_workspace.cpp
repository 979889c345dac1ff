// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Analyse workspace by mouse and keys: threshold lines are dragged and counts follow, one selection in all views,
// the embedding is computed and stopped in the background, files without units say what they lack.
#include "app/analyse/analyse_page.h"
#include "app/parts/inspector_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/translations.h"
#include "core/analysis/response/finished_result.h"
#include "core/analysis/response/response_summary.h"
#include "core/import/read_any.h"
#include "tests/app/analyse/analyse_page_test.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/tables/usage_tables.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QItemSelectionModel>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace peakscope;
using namespace peakscope::testing;
using peakscope::testing::analysisRun;
using peakscope::testing::AnalysisSample;

class TestAnalyseWorkspace : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void emptyStateLeadsOn();
    void aResultFillsAllViews();
    void draggedLinesMoveUnitsBetweenClasses();
    void escapePutsALineBack();
    void fieldsAndRuleDoTheSame();
    void classesByRankHaveNoLines();
    void coloursFollowTheChoice();
    void theEmbeddingIsComputedInTheBackground();
    void aComputationStopsAtOnce();
    void nothingIsCutInASmallWindow();
    void theRadiusIsDragged();
    void answersAndEffectsAreReadOut();
    void olderFilesSayWhatTheyLack_data();
    void olderFilesSayWhatTheyLack();
    void brokenSectionsAreOneLine();
    void tablesAreSavedAsCsv();
    void theWindowShowsPrmResultsHere();
    void wordsFollowTheLanguage();
    void pictures_data();
    void pictures();

private:
    QTemporaryDir m_home;
};

void TestAnalyseWorkspace::initTestCase()
{
    testing::isolate(m_home);
}

void TestAnalyseWorkspace::emptyStateLeadsOn()
{
    AnalysePage workspace;
    workspace.show();
    QSignalSpy open(&workspace, &AnalysePage::openRequested);
    auto* button = workspace.findChild<QPushButton*>(QStringLiteral("analyseOpen"));
    QVERIFY(button && button->isVisible());
    for (const QAbstractSpinBox* field : workspace.findChildren<QAbstractSpinBox*>())
        QVERIFY2(!field->isVisible(), qPrintable(field->accessibleName())); // there are no units that it could act on
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(open.size(), 1);
}

void TestAnalyseWorkspace::aResultFillsAllViews()
{
    const auto workspace = analysisPage();
    QVERIFY(workspace->scatter()->showsPlot());
    QCOMPARE(workspace->scatter()->pointCount(), 120U);
    QVERIFY(workspace->plane()->showsPlot());
    QVERIFY(workspace->responses()->showsPlot());
    QCOMPARE(workspace->responses()->choice()->count(), 5); // ΔPPL, two attacks against σ and against ΔPPL
    QCOMPARE(workspace->effects()->cellCount(), 45U);
    QCOMPARE(workspace->counts(), (std::array<std::int64_t, 3>{30, 18, 72}));
    QCOMPARE(workspace->table(QStringLiteral("units"))->model()->rowCount(), 120);
    QVERIFY(workspace->badges().isEmpty());
    QTRY_VERIFY(workspace->distances()->showsPlot());
    for (const PlotView* view : workspace->findChildren<PlotView*>())
        QVERIFY(!view->summary().isEmpty());
}

void TestAnalyseWorkspace::draggedLinesMoveUnitsBetweenClasses()
{
    const auto workspace = analysisPage();
    PartitionPlaneView* plane = workspace->plane();
    QSignalSpy steps(plane, &PartitionPlaneView::thresholdsMoved);
    const QPointF from = plotPixel(plane, 0.7, 0.02), to = plotPixel(plane, 0.85, 0.02);
    QVERIFY(plane->lineAt(from) == PartitionPlaneView::Line::FuncAlignment);
    dragOver(plane->plot(), {from, (from + to) / 2, to});
    QVERIFY(steps.size() >= 2);
    QVERIFY(std::abs(plane->thresholds().funcAlignment - 0.85) < 0.011);
    const auto& data = *workspace->result()->analysis;
    const auto expected = partitionOf(*data, plane->thresholds(), PartitionRule::Absolute);
    QCOMPARE(workspace->counts(), expected->counts);
    QVERIFY(workspace->counts()[0] < 30);
    QCOMPARE(workspace->counts()[0] + workspace->counts()[1] + workspace->counts()[2], 120);
    QVERIFY(workspace->statusText().contains(QStringLiteral("what-if")));
    // The colours and the legend follow, the stored result does not.
    QVERIFY(plane->legend()[0].text.contains(QString::number(workspace->counts()[0])));
    QVERIFY(workspace->scatter()->legend()[0].text.contains(QString::number(workspace->counts()[0])));
    QCOMPARE(workspace->result()->other["partition"]["counts"]["Wfunc"].get<int>(), 30);
    QTRY_COMPARE(std::get<std::string>(workspace->table(QStringLiteral("units"))->model()->table().rows[0][3]),
                 std::string(name(expected->labels[0])));
    for (QToolButton* button : workspace->findChildren<QToolButton*>()) {
        if (button->text() == QLatin1String("As stored"))
            QTest::mouseClick(button, Qt::LeftButton);
    }
    QCOMPARE(workspace->counts(), (std::array<std::int64_t, 3>{30, 18, 72}));
    QVERIFY(!workspace->statusText().contains(QStringLiteral("what-if")));
}

void TestAnalyseWorkspace::escapePutsALineBack()
{
    const auto workspace = analysisPage();
    PartitionPlaneView* plane = workspace->plane();
    const QPointF from = plotPixel(plane, 0.95, 0.9), to = plotPixel(plane, 0.95, 0.6);
    QTest::mousePress(plane->plot(), Qt::LeftButton, {}, from.toPoint());
    moveOver(plane->plot(), to, Qt::LeftButton);
    QVERIFY(std::abs(plane->thresholds().sensSparsity - 0.6) < 0.011);
    QTest::keyClick(plane->plot(), Qt::Key_Escape);
    QCOMPARE(plane->thresholds().sensSparsity, 0.9);
    QCOMPARE(workspace->counts(), (std::array<std::int64_t, 3>{30, 18, 72}));
    QTest::mouseRelease(plane->plot(), Qt::LeftButton, {}, to.toPoint());
    QCOMPARE(plane->thresholds().sensSparsity, 0.9);
}

void TestAnalyseWorkspace::fieldsAndRuleDoTheSame()
{
    const auto workspace = analysisPage();
    QDoubleSpinBox* field = nullptr;
    for (QDoubleSpinBox* each : workspace->findChildren<QDoubleSpinBox*>()) {
        if (each->accessibleName() == QLatin1String("Least alignment of Wfunc"))
            field = each;
    }
    QVERIFY(field);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("0.95"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(workspace->plane()->thresholds().funcAlignment, 0.95);
    QVERIFY(workspace->counts()[0] < 30);
    for (QComboBox* box : workspace->findChildren<QComboBox*>()) {
        if (box->accessibleName() == QLatin1String("Rule of the classes"))
            QTest::keyClick(box, Qt::Key_Down);
    }
    QCOMPARE(workspace->counts()[0], 40);
    QCOMPARE(workspace->counts()[1], 40);
}

// The thresholds stand in their fields, but the classes are not theirs.
void TestAnalyseWorkspace::classesByRankHaveNoLines()
{
    auto read = readAny(PEAKSCOPE_SOURCE_DIR "/resources/samples/demo_result.json");
    QVERIFY(read && read->size() == 1);
    const auto workspace = analysisPage(std::move(read->front()));
    const PartitionPlaneView* plane = workspace->plane();
    QVERIFY2(plane->title().contains(QStringLiteral("by rank")), qPrintable(plane->title()));
    QVERIFY(!plane->lineAt(plotPixel(plane, plane->thresholds().funcAlignment, 0.02)));
    workspace->resize(1280, 720);
    test::saveScreenshot(*workspace, QStringLiteral("classes_by_rank"));
}

void TestAnalyseWorkspace::coloursFollowTheChoice()
{
    const auto workspace = analysisPage();
    auto* colour = workspace->findChild<QComboBox*>(QStringLiteral("colourBy"));
    QStringList names;
    for (int i = 0; i < colour->count(); ++i)
        names << colour->itemText(i);
    QVERIFY(names.mid(0, 4) == QStringList({"Class", "Cluster", "Module kind", "Layer"}));
    QVERIFY(names.contains(QStringLiteral("sparsity")));
    QImage last;
    for (int i = 0; i < colour->count(); ++i) {
        colour->setCurrentIndex(i);
        QVERIFY(!workspace->scatter()->legend().empty());
        const QImage now = workspace->scatter()->toImage(1);
        QVERIFY(now != last);
        last = now;
    }
}

void TestAnalyseWorkspace::theEmbeddingIsComputedInTheBackground()
{
    AnalysisSample sample;
    sample.embedding = false;
    const auto workspace = analysisPage(analysisRun(sample));
    QVERIFY(!workspace->scatter()->showsPlot());
    QSignalSpy frames(workspace->worker(), &AnalyseWorker::framed);
    QSignalSpy done(workspace->worker(), &AnalyseWorker::embedded);
    UnitPlace place; // of one unit, as embedded last
    connect(workspace->worker(), &AnalyseWorker::embedded, this,
            [&place](const std::shared_ptr<const EmbeddingAnswer>& answer) { place = answer->places.at(7); });
    for (QPushButton* button : workspace->findChildren<QPushButton*>()) {
        if (button->text() == QLatin1String("Compute UMAP"))
            QTest::mouseClick(button, Qt::LeftButton);
    }
    QVERIFY(workspace->worker()->embedding());
    QVERIFY(workspace->findChild<QProgressBar*>()->isVisible());
    QVERIFY(done.wait(20000));
    QVERIFY(frames.size() > 5);
    QVERIFY(workspace->scatter()->showsPlot());
    QCOMPARE(workspace->scatter()->pointCount(), 120U);
    QVERIFY(workspace->statusText().contains(QStringLiteral("silhouette")));
    QVERIFY(workspace->statusText().contains(QStringLiteral("trustworthiness")));
    // It stands before what a narrow window cuts off.
    QVERIFY2(workspace->statusText().startsWith(QStringLiteral("silhouette")), qPrintable(workspace->statusText()));
    QVERIFY(workspace->distances()->showsPlot());
    QVERIFY(!workspace->findChild<QProgressBar*>()->isVisible());
    QVERIFY(!workspace->result()->other.contains("embedding"));
    // The same seed again: the same places.
    const UnitPlace before = place;
    place = {};
    workspace->recompute();
    QVERIFY(done.wait(20000));
    QCOMPARE(place.x, before.x);
    QCOMPARE(place.y, before.y);
    disconnect(workspace->worker(), nullptr, this, nullptr);
}

void TestAnalyseWorkspace::aComputationStopsAtOnce()
{
    AnalysisSample sample;
    sample.units = 20000;
    sample.sigmas = {0.1};
    const auto workspace = analysisPage(analysisRun(sample));
    QSignalSpy stopped(workspace->worker(), &AnalyseWorker::stopped);
    QSignalSpy done(workspace->worker(), &AnalyseWorker::embedded);
    QSignalSpy sign(workspace->worker(), &AnalyseWorker::progressed);
    workspace->recompute();
    QVERIFY(sign.wait(30000));
    QToolButton* stop = nullptr;
    for (QToolButton* button : workspace->findChildren<QToolButton*>()) {
        if (button->text() == QLatin1String("Stop"))
            stop = button;
    }
    QVERIFY(stop && stop->isVisible());
    QElapsedTimer clock;
    clock.start();
    QTest::mouseClick(stop, Qt::LeftButton);
    QVERIFY(!workspace->worker()->embedding());
    QVERIFY(!stop->isVisible());
    QVERIFY(stopped.size() == 1 || stopped.wait(5000));
    qInfo("the thread was free %lld ms after the click", static_cast<long long>(clock.elapsed()));
    QVERIFY(done.isEmpty());
    // The stored embedding stands again.
    QCOMPARE(workspace->scatter()->pointCount(), 20000U);
}

// As wide as it is in a window of 1280 pixels between library and inspector.
void TestAnalyseWorkspace::nothingIsCutInASmallWindow()
{
    const auto workspace = analysisPage();
    workspace->resize(769, 560);
    QTest::qWait(1); // laid out
    int buttons = 0;
    for (const QPushButton* button : workspace->findChildren<QPushButton*>()) {
        if (!button->isVisible())
            continue;
        ++buttons;
        QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
    }
    QVERIFY(buttons > 0);
    const auto* status = workspace->findChild<QLabel*>(QStringLiteral("analyseStatus"));
    QVERIFY2(status->text().startsWith(QStringLiteral("silhouette")), qPrintable(status->text()));
    const QString number = status->text().section(QStringLiteral("  ·"), 0, 0);
    QVERIFY2(status->width() > status->fontMetrics().horizontalAdvance(number + QStringLiteral("  ·…")),
             qPrintable(QString::number(status->width())));
}

void TestAnalyseWorkspace::theRadiusIsDragged()
{
    const auto workspace = analysisPage();
    KDistanceView* view = workspace->distances();
    QTRY_VERIFY(view->showsPlot());
    auto* tabs = qobject_cast<QTabWidget*>(view->parentWidget()->parentWidget());
    QVERIFY(tabs);
    tabs->setCurrentWidget(view);
    QTest::qWait(1);
    view->plot()->replot();
    QSignalSpy again(workspace->worker(), &AnalyseWorker::clustered);
    const double before = view->radius();
    const QPointF from = view->linePixel(), to = plotPixel(view, 30, before * 0.3);
    dragOver(view->plot(), {from, (from + to) / 2, to});
    QVERIFY(std::abs(view->radius() - before * 0.3) < before * 0.05);
    QVERIFY(again.wait(5000));
    // A radius this small leaves more of the units as noise.
    const auto& rows = workspace->table(QStringLiteral("clusters"))->model()->table().rows;
    QVERIFY(!rows.empty());
    QCOMPARE(std::get<std::string>(rows.front()[0]), std::string("noise"));
    QVERIFY(std::get<std::int64_t>(rows.front()[1]) > 3);
}

void TestAnalyseWorkspace::answersAndEffectsAreReadOut()
{
    const auto workspace = analysisPage();
    ResponseView* view = workspace->responses();
    const QImage first = view->toImage(1);
    view->choice()->setCurrentIndex(3);
    QVERIFY(view->toImage(1) != first);
    view->choice()->setCurrentIndex(0);
    const QString plain = view->readout();
    QVERIFY2(plain.startsWith(QStringLiteral("Bands: 95 % intervals.")), qPrintable(plain));
    // The last mark of the first curve: somewhere near the top right end.
    bool found = false;
    const QRect area = view->plot()->axisRect()->rect();
    for (int y = area.top(); y < area.bottom() && !found; y += 3) {
        for (int x = area.right() - 60; x < area.right() && !found; x += 3) {
            moveOver(view->plot(), QPointF(x, y), Qt::NoButton);
            found = view->readout() != plain;
        }
    }
    QVERIFY(found);
    QVERIFY2(view->readout().contains(QStringLiteral("σ 0.3")), qPrintable(view->readout()));
    EffectMapView* effects = workspace->effects();
    moveOver(effects->plot(), effects->cellCentre(0, 2), Qt::NoButton);
    QVERIFY2(effects->readout().contains(QStringLiteral("Wfunc, σ 0.003, Δlog perplexity")),
             qPrintable(effects->readout()));
    QVERIFY(effects->readout().contains(QStringLiteral("Hedges")));
    // However low it is, the classes' names have room above the cells, and the read-out stands at the bottom.
    for (const int height : {720, 1000}) {
        workspace->resize(workspace->width(), height);
        const auto above = [effects] {
            const double pitch = effects->cellCentre(0, 0).y() - effects->cellCentre(0, 1).y();
            return effects->cellCentre(0, 2).y() - pitch / 2 - effects->plot()->axisRect()->top();
        };
        QTRY_VERIFY2(above() >= effects->fontMetrics().height(), qPrintable(QString::number(above())));
        const auto* readout = effects->findChild<QLabel*>(QStringLiteral("readout"));
        QVERIFY(readout);
        QVERIFY(readout->text() == effects->readout() || readout->toolTip().contains(u"Hedges")); // a low view cuts it
        QTRY_COMPARE(readout->mapTo(effects, QPoint(0, readout->height())).y(), effects->height());
    }
}

void TestAnalyseWorkspace::olderFilesSayWhatTheyLack_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("badge");
    QTest::newRow("ultra safe") << "ultra_safe_results.json"
                                << "synthetic";
    QTest::newRow("pilot") << "pilot_results.json"
                           << "imported";
    QTest::newRow("table") << "pilot_results.csv"
                           << "imported";
}

void TestAnalyseWorkspace::olderFilesSayWhatTheyLack()
{
    QFETCH(QString, file);
    QFETCH(QString, badge);
    const QString path = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/prm/") + file;
    auto read = readAny(path.toStdString());
    QVERIFY(read.ok());
    const auto workspace = analysisPage(read->front());
    QVERIFY2(workspace->badges().contains(badge), qPrintable(workspace->badges()));
    // They list no units: what would show some leaves its room to the rest, and one line says so.
    QVERIFY(!workspace->scatter()->isVisible() && !workspace->plane()->isVisible());
    QVERIFY(!workspace->table(QStringLiteral("units"))->isVisible());
    QVERIFY2(workspace->statusText().contains(QStringLiteral("lists no units")), qPrintable(workspace->statusText()));
    QVERIFY(workspace->responses()->showsPlot());
    QVERIFY(workspace->effects()->cellCount() > 0);
    workspace->recompute(); // nothing to compute from
    QVERIFY(!workspace->worker()->embedding());
}

void TestAnalyseWorkspace::brokenSectionsAreOneLine()
{
    RunResult run = analysisRun();
    run.other["embedding"]["clusters"] = {1, 2};
    AnalysePage workspace;
    workspace.show();
    workspace.showDocument(analysisDocument(std::move(run)));
    QTRY_VERIFY(workspace.messages()->text().contains(QStringLiteral("embedding.clusters")));
    QVERIFY(!workspace.hasDocument());
}

void TestAnalyseWorkspace::tablesAreSavedAsCsv()
{
    const auto workspace = analysisPage();
    const QString path = m_home.filePath(QStringLiteral("units.csv"));
    QVERIFY(workspace->saveTableTo(QStringLiteral("units"), path));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count("\r\n"), 121);
    QVERIFY(!workspace->saveTableTo(QStringLiteral("units"), m_home.filePath(QStringLiteral("no/such/folder.csv"))));
    QVERIFY(workspace->messages()->text().contains(QStringLiteral("can't be written")));
}

void TestAnalyseWorkspace::theWindowShowsPrmResultsHere()
{
    const QString path = m_home.filePath(QStringLiteral("prm.json"));
    QVERIFY(saveRunResult(analysisRun(), path.toStdString()).ok());
    MainWindow window;
    window.show();
    window.openFiles({path});
    QTRY_COMPARE(front(window), QStringLiteral("analyse"));
    QTRY_VERIFY(part<AnalysePage>(window)->hasDocument());
    QVERIFY(shownResult(window));
    // Another result without these sections empties it.
    const QString other = m_home.filePath(QStringLiteral("memory.json"));
    QVERIFY(saveRunResult(testing::smallResult(), other.toStdString()).ok());
    window.openFiles({other});
    QTRY_COMPARE(front(window), QStringLiteral("run"));
    QVERIFY(!part<AnalysePage>(window)->hasDocument());
}

// Titles and words of the tables, and room for the longer words of the rule.
void TestAnalyseWorkspace::wordsFollowTheLanguage()
{
    if (!installTranslation(QStringLiteral("zh")))
        QSKIP("no font for Chinese here");
    const auto workspace = analysisPage();
    auto* rule = workspace->findChild<QComboBox*>(QStringLiteral("rule"));
    QVERIFY(rule);
    TableModel model;
    model.setTable({"words",
                    {{"conclusions", ""},
                     {"verdict", ""},
                     {"parameters", ""},
                     {"weight_norm", ""},
                     {"gradient_norm", ""},
                     {"hessian_mean_diagonal", ""},
                     {"alignment_hessian", ""}},
                    {{std::string("Wfunc: cannot_be_told, Wsens: not_supported, Wboth: supported"),
                      std::string("contradicted"), 1.0, 1.0, 1.0, 1.0, 1.0}}});
    const auto header = [&model](int column) { return model.headerData(column, Qt::Horizontal).toString(); };
    const QString chinese = model.index(0, 0).data().toString();
    QStringList headers;
    for (int i = 2; i < 7; ++i)
        headers << header(i);
    QTRY_VERIFY(rule->itemText(0) != QStringLiteral("Thresholds"));
    const int narrow = rule->sizeHint().width();
    installTranslation(QStringLiteral("en"));
    QCOMPARE(headers, QStringList({QStringLiteral("参数"), QStringLiteral("权重范数"), QStringLiteral("梯度范数"),
                                   QStringLiteral("Hessian 对角线均值"), QStringLiteral("对齐度（Hessian）")}));
    QCOMPARE(header(5), QStringLiteral("Hessian mean diagonal"));
    QCOMPARE(chinese, QStringLiteral("Wfunc: 无法判定, Wsens: 未得到支持, Wboth: 得到支持"));
    QCOMPARE(model.index(0, 0).data().toString(),
             QStringLiteral("Wfunc: undetermined, Wsens: not supported, Wboth: supported"));
    QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("contradicted"));
    QTRY_COMPARE(rule->itemText(0), QStringLiteral("Thresholds"));
    QTRY_VERIFY(rule->width() >= rule->sizeHint().width());
    QVERIFY(rule->sizeHint().width() > narrow);
}

void TestAnalyseWorkspace::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<bool>("chinese");
    QTest::addColumn<bool>("older");
    QTest::newRow("light") << false << false << false;
    QTest::newRow("older file") << false << false << true;
    QTest::newRow("dark chinese") << true << true << false; // the last one: the language stays
}

void TestAnalyseWorkspace::pictures()
{
    QFETCH(bool, dark);
    QFETCH(bool, chinese);
    QFETCH(bool, older);
    const QPalette before = QApplication::palette();
    QApplication::setPalette(dark ? darkPalette() : lightPalette());
    if (chinese)
        QVERIFY(installTranslation(QStringLiteral("zh")));
    RunResult run = analysisRun();
    if (older) {
        run = analysisRun({.controls = false, .embedding = false});
        run.other.erase("features");
        run.other.erase("partition");
        run.synthetic = true;
    }
    const auto workspace = analysisPage(std::move(run));
    if (!older) {
        ClassThresholds moved;
        moved.funcAlignment = 0.8;
        workspace->setThresholds(moved);
        workspace->selectUnits({3, 4, 5, 11});
    }
    QTRY_VERIFY(older || workspace->distances()->showsPlot());
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    const QString name =
        QStringLiteral("analyse_%1.png").arg(QString::fromLatin1(QTest::currentDataTag()).replace(u' ', u'_'));
    for (PlotView* view : workspace->findChildren<PlotView*>())
        view->plot()->replot();
    if (older)
        QVERIFY(workspace->effects()->readout().contains(QStringLiteral("mean change")));
    const QImage image = workspace->grab().toImage();
    QVERIFY(image.save(folder.filePath(name)));
    QVERIFY(image.width() >= 1300);
    QApplication::setPalette(before);
}

PEAKSCOPE_TEST(TestAnalyseWorkspace)
#include "test_analyse_workspace.moc"
