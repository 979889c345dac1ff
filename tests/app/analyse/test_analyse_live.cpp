// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A perturbation experiment followed while it measures: stages and points of a worker's events in the Analyse
// workspace, what of the user's doing stays when more of them come, and what stands there at the end.
#include "app/analyse/analyse_page.h"
#include "app/library/library_panel.h"
#include "app/parts/translations.h"
#include "core/analysis/response/finished_result.h"
#include "core/analysis/response/response_document.h"
#include "core/results/analysis_tables.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "widgets/analysis/analysis_live.h"
#include "widgets/analysis/analysis_report.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/look/theme.h"
#include "widgets/tables/usage_tables.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QTabWidget>
#include <QTest>

#include <fstream>
#include <set>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

nlohmann::json prmExperimentSample()
{
    nlohmann::json experiment = testing::smallExperiment();
    experiment["kind"] = "prm";
    experiment.erase("training");
    return experiment;
}

// What a worker says of the sample run, with the section sent in the middle and at the end.
std::vector<Event> eventsOf(const RunResult& run)
{
    std::vector<Event> events;
    StartEvent start;
    start.id = "live-prm";
    start.created = "2026-01-02T03:04:05Z";
    start.config = prmExperimentSample();
    events.push_back(start);
    events.push_back(ProgressEvent{0.1, 5.0, "fine-tuning: step 1 of 9"});
    const nlohmann::json baseline = {{"baseline", run.other["prm"]["baseline"]}};
    events.push_back(StageEvent{"prm", {{"prm", baseline}}});
    for (const char* key : {"features", "embedding", "partition"})
        events.push_back(StageEvent{key, {{key, run.other[key]}}});
    nlohmann::json known = baseline;
    known["results"] = nlohmann::json::array();
    const nlohmann::json& rows = run.other["prm"]["results"];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        events.push_back(PointEvent{rows[i]});
        known["results"].push_back(rows[i]);
        if (i == rows.size() / 2)
            events.push_back(StageEvent{"prm", {{"prm", known}}});
    }
    events.push_back(ProgressEvent{1, 0.0, "done"});
    events.push_back(StageEvent{"prm", {{"prm", known}}});
    events.push_back(EndEvent{});
    return events;
}

// Noise in Wfunc raises perplexity by three where it raises that of its random group by one; the AUC's seeds scatter.
AnalysisData judgedData()
{
    std::vector<NoiseResponse> responses;
    for (int repeat = 0; repeat < 6; ++repeat) {
        const double wobble = repeat % 2 ? 0.05 : -0.05;
        for (const bool control : {false, true}) {
            NoiseResponse response;
            response.sigma = 0.1;
            response.unitClass = UnitClass::Func;
            response.control = control;
            response.repeat = repeat;
            response.deltaLogPerplexity = control ? 1 : 3 + wobble;
            response.deltaPerplexity = 10 * response.deltaLogPerplexity;
            response.attacks.push_back({"loss", 0.7, 0.6, 0.8, control ? -0.1 : -0.1 + 3 * wobble, 0.002});
            responses.push_back(response);
        }
    }
    RunResult run;
    run.other["prm"] = responseSection(responses);
    return *analysisOf(run.other, run.synthetic);
}

} // namespace

class TestAnalyseLive : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        testing::isolate(m_home);
        testing::useFakeWorker("replay");
        qputenv("PEAKSCOPE_FAKE_EVENTS", m_home.filePath(QStringLiteral("events.jsonl")).toLocal8Bit());
    }

    void pointsAddUpToTheResult();
    void pointsOfOtherThingsAreLeft();
    void aBrokenStageLeavesWhatWasThere();
    void theWindowFollowsARun();
    void moreAnswersLeaveTheUsersViewAlone();
    void theReportSaysWhatTheNumbersSay();
    void theReportOfOtherFilesSaysSo();
    void pictures_data();
    void pictures();

private:
    QTemporaryDir m_home;
};

void TestAnalyseLive::pointsAddUpToTheResult()
{
    const RunResult run = testing::analysisRun({.units = 60});
    AnalysisFollower follower;
    QVERIFY(!follower.news(true));
    std::size_t answers = 0;
    std::shared_ptr<const AnalysisData> last;
    for (const Event& event : eventsOf(run)) {
        follower.add(event);
        if (const auto data = follower.news(true)) {
            QVERIFY(data->rows.size() >= answers); // no point is lost when the section comes again
            answers = data->rows.size();
            last = data;
        }
    }
    QVERIFY(last);
    const Result<AnalysisData> stored = analysisOf(run.other, run.synthetic);
    QVERIFY(stored.ok());
    QCOMPARE(last->rows.size(), stored->rows.size());
    QCOMPARE(last->points.size(), stored->points.size());
    for (std::size_t i = 0; i < stored->points.size(); ++i)
        QCOMPARE(last->points[i].auc.mean, stored->points[i].auc.mean);
    QCOMPARE(last->unitCount(), std::size_t(60));
    QVERIFY(last->labels == stored->labels);
    QVERIFY(!follower.news(true)); // nothing new since
}

void TestAnalyseLive::pointsOfOtherThingsAreLeft()
{
    AnalysisFollower follower;
    follower.add(PointEvent{{{"values", {{"data.seq", 128}}}, {"peak_bytes", 7}}});
    follower.add(PointEvent{nlohmann::json::array()});
    follower.add(StageEvent{"memory", {{"memory", nlohmann::json::object()}}});
    QVERIFY(!follower.news(true));
    // The same drawing twice, as a worker that goes on after a kill repeats it, counts once.
    const RunResult run = testing::analysisRun({.units = 20});
    for (int i = 0; i < 2; ++i)
        follower.add(PointEvent{run.other["prm"]["results"][0]});
    QCOMPARE(follower.news(true)->rows.size(), std::size_t(1));
}

void TestAnalyseLive::aBrokenStageLeavesWhatWasThere()
{
    const RunResult run = testing::analysisRun({.units = 20});
    AnalysisFollower follower;
    follower.add(StageEvent{"features", {{"features", run.other["features"]}}});
    follower.add(StageEvent{"partition", {{"partition", {{"labels", {"Wfunc", "nonsense"}}}}}});
    const auto data = follower.news(true);
    QVERIFY(data);
    QCOMPARE(data->unitCount(), std::size_t(20));
    QVERIFY(data->labels.empty());
}

void TestAnalyseLive::theWindowFollowsARun()
{
    const RunResult run = testing::analysisRun({.units = 60});
    std::ofstream file(m_home.filePath(QStringLiteral("events.jsonl")).toStdString());
    for (const Event& event : eventsOf(run))
        file << toLine(event) << '\n';
    file.close();
    MainWindow window;
    window.resize(1300, 900);
    window.show();
    const int id = part<RunStarter>(window)->start(prmExperimentSample());
    AnalysePage* analyse = part<AnalysePage>(window);
    QTRY_COMPARE(analyse->liveId(), id);
    window.showWorkspace(QStringLiteral("analyse"));
    // The units come as their stages finish, the answers one after another.
    QTRY_COMPARE(analyse->scatter()->pointCount(), std::size_t(60));
    std::set<int> seen;
    DataTableView* answers = analyse->table(QStringLiteral("responses"));
    QTRY_VERIFY_WITH_TIMEOUT((seen.insert(answers->model()->rowCount()), seen.size() >= 3), 20000);
    QVERIFY(analyse->liveId() == id && !analyse->result());
    QVERIFY2(analyse->badges().contains(QStringLiteral("live")), qPrintable(analyse->badges()));
    QVERIFY2(analyse->statusText().contains(QStringLiteral("answers so far")), qPrintable(analyse->statusText()));
    QVERIFY(analyse->responses()->showsPlot());
    // Another run in front takes it away, and back.
    trigger(window, QStringLiteral("newRun"));
    window.openFiles({m_home.filePath(QStringLiteral("none.json"))});
    // At the end the result itself stands there.
    QTRY_VERIFY_WITH_TIMEOUT(isFinished(part<RunQueue>(window)->info(id)->state), 30000);
    emit part<LibraryPanel>(window)->runSelected(id);
    QTRY_VERIFY(analyse->result());
    QTRY_VERIFY(analyse->hasDocument());
    QCOMPARE(analyse->liveId(), 0);
    QVERIFY(!analyse->badges().contains(QStringLiteral("live")));
    QCOMPARE(answers->model()->rowCount(), static_cast<int>(analysisOf(run.other, run.synthetic)->points.size()));
    // Lines moved in a result of this window's own are taken back as in any other.
    QTRY_VERIFY(!inGesture(window));
    const double stored = analyse->lines().funcAlignment;
    ClassThresholds moved = analyse->lines();
    moved.funcAlignment = 0.8;
    analyse->setThresholds(moved);
    QTRY_VERIFY(!inGesture(window));
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    analyse->scatter()->plot()->setFocus();
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(analyse->lines().funcAlignment, stored);
}

void TestAnalyseLive::moreAnswersLeaveTheUsersViewAlone()
{
    const RunResult run = testing::analysisRun({.units = 60});
    const std::vector<Event> events = eventsOf(run);
    AnalysisFollower follower;
    AnalysePage workspace;
    workspace.resize(1300, 900);
    workspace.show();
    workspace.showLive(3, QStringLiteral("a run"), nullptr);
    QVERIFY(!workspace.scatter()->showsPlot());
    std::size_t next = 0;
    for (; next < events.size() / 2; ++next)
        follower.add(events[next]);
    workspace.showLive(3, QStringLiteral("a run"), follower.news(true));
    QVERIFY(workspace.scatter()->showsPlot());
    workspace.selectUnits({2, 5});
    ClassThresholds moved;
    moved.funcAlignment = 0.8;
    workspace.setThresholds(moved);
    const auto counts = workspace.counts();
    ResponseView* responses = workspace.responses();
    responses->choice()->setCurrentIndex(1);
    responses->plot()->setFocus();
    QTest::keyClick(responses->plot(), Qt::Key_Plus);
    const QCPRange zoomed = responses->plot()->xAxis->range();
    for (; next < events.size(); ++next)
        follower.add(events[next]);
    workspace.showLive(3, QStringLiteral("a run"), follower.news(true));
    QCOMPARE(workspace.selection(), QList<int>({2, 5}));
    QCOMPARE(workspace.counts(), counts);
    QCOMPARE(responses->choice()->currentIndex(), 1);
    QCOMPARE(responses->plot()->xAxis->range(), zoomed);
    QVERIFY(workspace.table(QStringLiteral("responses"))->model()->rowCount() > 0);
}

void TestAnalyseLive::theReportSaysWhatTheNumbersSay()
{
    const auto data = std::make_shared<const AnalysisData>(judgedData());
    QCOMPARE(data->hypotheses.size(), std::size_t(2));
    QCOMPARE(data->conclusions.size(), std::size_t(1)); // of the class that was measured
    QCOMPARE(hypothesesTable(*data).rows.size(), std::size_t(2));
    HypothesisReport report;
    report.setData(data);
    const QString text = report.toPlainText();
    for (const char* part : {"supported", "undetermined", "Wfunc carries function", "stronger at σ 0.1",
                             "σ 0.1: 3 against 1, difference 2", "noise seeds: 6"})
        QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
    // In the dark other colours, the same words.
    const QString light = report.toHtml();
    report.setPalette(darkPalette());
    QTRY_VERIFY(report.toHtml() != light);
    QCOMPARE(report.toPlainText(), text);
}

void TestAnalyseLive::theReportOfOtherFilesSaysSo()
{
    HypothesisReport report;
    QVERIFY(report.toPlainText().contains(QStringLiteral("No hypotheses yet")));
    AnalysisData synthetic = judgedData();
    synthetic.synthetic = true;
    report.setData(std::make_shared<const AnalysisData>(synthetic));
    QVERIFY2(report.toPlainText().startsWith(QStringLiteral("Synthetic")), qPrintable(report.toPlainText()));
    QVERIFY(!report.toPlainText().contains(QStringLiteral("supported")));
}

void TestAnalyseLive::pictures_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<bool>("chinese");
    QTest::newRow("light") << false << false;
    QTest::newRow("dark chinese") << true << true; // the last one: the language stays
}

// Half of a run, with the report in front, for people to look at.
void TestAnalyseLive::pictures()
{
    QFETCH(bool, dark);
    QFETCH(bool, chinese);
    const QPalette before = QApplication::palette();
    QApplication::setPalette(dark ? darkPalette() : lightPalette());
    if (chinese)
        QVERIFY(installTranslation(QStringLiteral("zh")));
    RunResult run = testing::analysisRun({.attacks = 5});
    const std::vector<Event> events = eventsOf(run);
    AnalysisFollower follower;
    for (std::size_t i = 0; i < events.size() / 2; ++i)
        follower.add(events[i]);
    AnalysisData data = *follower.news(true);
    const AnalysisData judged = judgedData();
    data.hypotheses = judged.hypotheses;
    data.conclusions = judged.conclusions;
    AnalysePage workspace;
    workspace.resize(1400, 900);
    workspace.show();
    workspace.showLive(1, QStringLiteral("opt 2×64"), std::make_shared<const AnalysisData>(data));
    auto* tabs = workspace.report()->parentWidget()->parentWidget();
    QVERIFY(qobject_cast<QTabWidget*>(tabs));
    for (QWidget* page : {static_cast<QWidget*>(workspace.report()), static_cast<QWidget*>(workspace.effects())}) {
        static_cast<QTabWidget*>(tabs)->setCurrentWidget(page);
        for (PlotView* view : workspace.findChildren<PlotView*>())
            view->plot()->replot();
        const QString name =
            QStringLiteral("analyse_live_%1_%2.png")
                .arg(QString::fromLatin1(QTest::currentDataTag()).replace(u' ', u'_'),
                     page == workspace.report() ? QStringLiteral("report") : QStringLiteral("effects"));
        const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
        QVERIFY(QDir().mkpath(folder.path()));
        QVERIFY(workspace.grab().save(folder.filePath(name)));
    }
    QApplication::setPalette(before);
}

PEAKSCOPE_TEST(TestAnalyseLive)
#include "test_analyse_live.moc"
