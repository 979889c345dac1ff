// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window had in front comes back: files, workspace, ranges, comparison, set-up; what vanished is told.
#include "app/compare/compare_page.h"
#include "app/form/run_panel.h"
#include "app/library/library_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/plot_views.h"
#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "app/run/run_page.h"
#include "app/shell/command_line.h"
#include "app/shell/shown_document.h"
#include "tests/app/session/session_test_support.h"
#include "tests/test_room.h"
#include "widgets/compare/compare_timeline_view.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTimer>

#include <limits>

using namespace peakscope;
using namespace peakscope::testing;

class TestSession : public testing::SessionTest
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void bytesComeBackAsTheyWere();
    void viewsComeBackAsTheyWere();
    void panelsKeepTheirHeightBehindTheForm();
    void sessionsOfVersion1AreRead();
    void damagedBytesGiveAnEmptySession_data();
    void damagedBytesGiveAnEmptySession();
    void aPartOfAFileKnowsItsFile();
    void theResultInFrontComesBack();
    void theComparisonComesBack();
    void thePlanComesBack();
    void vanishedFilesAreTold();
    void aFileThatBrokeIsTold();
    void pathsThatAreNoFilesAreLeftOut();
    void theBaseIsKnownByItsPath();
    void filesAreCountedOnce();
    void aPlanInFrontKeepsNewerFields();
    void whoOpensSomethingElseSeesThat();
    void aWindowThatIsEndedWasKeptBefore();
    void withoutASessionNothingIsKept();
};

void TestSession::initTestCase()
{
    prepareHome();
}

void TestSession::init()
{
    clearHome();
}

void TestSession::bytesComeBackAsTheyWere()
{
    Session session;
    session.files = {QStringLiteral("/a/b.json"), QStringLiteral("/a/结果.json")};
    session.shown = QStringLiteral("/a/b.json#2");
    session.page = QStringLiteral("compare");
    session.workspaces["run"] = {{"form", testing::smallExperiment()}};
    session.workspaces["plan"] = {{"fields", {{"model", "gpt2"}}}};
    session.filter = QStringLiteral("tag:x");
    session.sort = 2;
    session.group = 3;
    const Session again = sessionFromBytes(toBytes(session));
    QCOMPARE(again.files, session.files);
    QCOMPARE(again.shown, session.shown);
    QCOMPARE(again.page, session.page);
    QVERIFY(again.workspaces == session.workspaces);
    QCOMPARE(again.filter, session.filter);
    QCOMPARE(again.sort, 2);
    QCOMPARE(again.group, 3);
}

void TestSession::viewsComeBackAsTheyWere()
{
    const SessionView view{0.25, 0.5, std::pair(0.3, 0.4), {QStringLiteral("gradients")}};
    QVERIFY(viewFromJson(toJson(view)) == view);
    QVERIFY(viewFromJson(toJson(SessionView{0, 1, {}, {}})) == (SessionView{0, 1, {}, {}}));
    for (const char* bad : {"null", "[1, 2]", R"({"visible": [2, 1]})", R"({"visible": [1]})", R"({"visible": "all"})"})
        QVERIFY2(!viewFromJson(nlohmann::json::parse(bad)), bad);
}

// Whatever stood in their place as the window was closed.
void TestSession::panelsKeepTheirHeightBehindTheForm()
{
    const QString path = write(QStringLiteral("a.json"), "a");
    const auto heightOfBars = [](const MainWindow& window) {
        for (const QDockWidget* dock : part<RunPage>(window)->docks()) {
            if (dock->objectName() == QLatin1String("components"))
                return dock->height();
        }
        return 0;
    };
    int before = 0;
    {
        const auto window = this->window(false);
        window->openFiles({path});
        QTRY_VERIFY(shownResult(*window));
        QTRY_VERIFY(heightOfBars(*window) > part<RunPage>(window)->height() * 3 / 10);
        trigger(*window, QStringLiteral("newRun"));
        window->close();
        before = heightOfBars(*window);
    }
    const auto window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QCOMPARE(front(*window), QStringLiteral("run"));
    window->openFiles({path});
    QTRY_VERIFY(shownResult(*window));
    QTRY_VERIFY2(std::abs(heightOfBars(*window) - before) <= 2,
                 qPrintable(QStringLiteral("%1, %2 before").arg(heightOfBars(*window)).arg(before)));
}

// As written before each workspace kept its own.
void TestSession::sessionsOfVersion1AreRead()
{
    const Session session = sessionFromBytes(R"({"version": 1, "files": ["/a.json", "/b.json"], "shown": "/a.json",
        "page": "compare", "compared": ["/a.json", "/b.json"], "base": "/b.json", "rule": "quantile", "alignment": 2,
        "views": {"timeline": {"visible": [0.25, 0.5], "selected": [0.3, 0.4], "hidden": ["gradients"]},
                  "compare": {"visible": [1, 2]}},
        "form": {"seed": 7}, "form_origin": {}, "plan": {"model": "gpt2"}, "filter": "tag:x", "sort": 2, "group": 3,
        "thresholds": [0.6, 0.4, 0.2, 0.8]})");
    QCOMPARE(session.files.size(), 2);
    QCOMPARE(session.page, QStringLiteral("compare"));
    QCOMPARE(session.filter, QStringLiteral("tag:x"));
    QCOMPARE(session.group, 3);
    const nlohmann::json& run = session.of("run");
    QCOMPARE(run.at("form").at("seed"), 7);
    QCOMPARE(viewFromJson(run.at("views").at("timeline"))->selection->second, 0.4);
    QCOMPARE(session.of("plan").at("fields").at("model"), "gpt2");
    const nlohmann::json& compare = session.of("compare");
    QCOMPARE(compare.at("files").size(), 2u);
    QCOMPARE(compare.at("base"), "/b.json");
    QCOMPARE(compare.at("alignment"), 2);
    QCOMPARE(viewFromJson(compare.at("views").at("timelines"))->upper, 2.0);
    const nlohmann::json& views = session.of("analyse").at("views");
    QCOMPARE(views.at("thresholds").size(), 4u);
    QCOMPARE(views.at("rule"), "quantile");
}

void TestSession::damagedBytesGiveAnEmptySession_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("\x89PNG");
    QTest::newRow("a list") << QByteArray("[1, 2]");
    QTest::newRow("a later version") << QByteArray(R"({"version": 3, "files": ["a"]})");
    QTest::newRow("wrong types of workspaces")
        << QByteArray(R"({"version": 2, "workspaces": {"run": 7, "compare": {"files": 3}, "analyse": {"views": []}}})");
    QTest::newRow("no workspaces") << QByteArray(R"({"version": 2, "workspaces": [1, 2]})");
    QTest::newRow("wrong types") << QByteArray(
        R"({"version": 1, "files": 3, "page": [], "base": 3, "rule": [], "views": {"timeline": {"visible": [2, 1]}},
            "thresholds": [1, "a", 2, 3], "form": 7, "compared": {"a": 1}})");
}

void TestSession::damagedBytesGiveAnEmptySession()
{
    QFETCH(QByteArray, bytes);
    const Session session = sessionFromBytes(bytes);
    QVERIFY(session.empty());
    settings::setSession(bytes);
    const auto window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QCOMPARE(front(*window), QStringLiteral("start"));
    QVERIFY(window->messages()->text().isEmpty());
}

void TestSession::aPartOfAFileKnowsItsFile()
{
    QCOMPARE(fileOfDocument(QStringLiteral("/a/b.json#3")), QStringLiteral("/a/b.json"));
    QCOMPARE(fileOfDocument(QStringLiteral("/a/b.json")), QStringLiteral("/a/b.json"));
    QCOMPARE(fileOfDocument(QStringLiteral("/a/b#c.json")), QStringLiteral("/a/b#c.json"));
    const QString odd = write(QStringLiteral("odd.json#2"), "odd");
    QCOMPARE(fileOfDocument(odd), odd); // such a file is there
}

void TestSession::theResultInFrontComesBack()
{
    const QString first = write(QStringLiteral("first.json"), "first");
    const QString second = write(QStringLiteral("second.json"), "second");
    {
        const auto window = this->window(false);
        window->openFiles({first});
        QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "first");
        window->openFiles({second});
        QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "second");
        MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
        timeline->setVisibleRange(0.1, 0.3);
        timeline->setSelectedRange(0.15, 0.25);
        timeline->setComponentVisible(Component::Gradients, false);
        part<LibraryPanel>(window)->sortBox()->setCurrentIndex(1);
        window->findChild<QDockWidget*>(QStringLiteral("inspector"))->hide();
        auto* batch = static_cast<QLineEdit*>(part<RunPage>(window)->panel()->form()->field("data.batch"));
        batch->setText(QStringLiteral("7"));
        window->close();
    }
    const auto window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QCOMPARE(shownResult(*window)->id, std::string("second"));
    QCOMPARE(front(*window), QStringLiteral("run"));
    QCOMPARE(part<LibraryPanel>(window)->currentFile(), second);
    QVERIFY(part<LibraryPanel>(window)->model()->holdsPath(first, LibrarySection::Recent)); // open, too
    const MemoryTimelineView* timeline = part<RunPage>(window)->resultTimeline();
    QCOMPARE(timeline->visibleLower(), 0.1);
    QCOMPARE(timeline->visibleUpper(), 0.3);
    QVERIFY(timeline->selectedRange() && timeline->selectedRange()->first == 0.15);
    QVERIFY(!timeline->isComponentVisible(Component::Gradients));
    QVERIFY(timeline->isComponentVisible(Component::Activations));
    QCOMPARE(part<LibraryPanel>(window)->sortBox()->currentIndex(), 1);
    QVERIFY(!window->findChild<QDockWidget*>(QStringLiteral("inspector"))->isVisible());
    QCOMPARE(part<RunPage>(window)->panel()->form()->document()["data"]["batch"].get<int>(), 7);
    QVERIFY(window->messages()->text().isEmpty());
    QVERIFY(part<RunQueue>(window)->ids().empty());
    // Nothing of it was done by the user.
    for (const QAction* action : window->findChildren<QAction*>())
        QVERIFY(action->shortcut() != QKeySequence(QKeySequence::Undo) || !action->isEnabled());
}

void TestSession::theComparisonComesBack()
{
    const QString a = write(QStringLiteral("a.json"), "a");
    const QString b = write(QStringLiteral("b.json"), "b");
    {
        const auto window = this->window(false);
        window->compareFiles({a, b});
        QTRY_VERIFY(part<ComparePage>(window)->answer());
        part<ComparePage>(window)->setBase(1);
        part<ComparePage>(window)->setAlignment(TimelineAlignment::Start);
        QTRY_VERIFY(!part<ComparePage>(window)->busy() && part<ComparePage>(window)->answer());
        part<ComparePage>(window)->timelines()->setVisibleRange(0.05, 0.2);
        window->close();
    }
    const auto window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QCOMPARE(front(*window), QStringLiteral("compare"));
    QCOMPARE(part<ComparePage>(window)->runs().size(), std::size_t(2));
    QCOMPARE(part<ComparePage>(window)->runs().front().path, a);
    QCOMPARE(part<ComparePage>(window)->base(), std::size_t(1));
    QCOMPARE(int(part<ComparePage>(window)->alignment()), int(TimelineAlignment::Start));
    QCOMPARE(part<ComparePage>(window)->timelines()->visibleLower(), 0.05);
    QCOMPARE(part<ComparePage>(window)->timelines()->visibleUpper(), 0.2);
}

void TestSession::thePlanComesBack()
{
    {
        const auto window = this->window(false);
        QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
        part<PlanPage>(window)->inputs()->modelField()->setEditText(QStringLiteral("gpt2"));
        part<PlanPage>(window)->inputs()->batchField()->setText(QStringLiteral("3"));
        window->close();
    }
    const auto window = this->window(true);
    QTRY_COMPARE(front(*window), QStringLiteral("plan"));
    QCOMPARE(part<PlanPage>(window)->inputs()->modelField()->currentText(), QStringLiteral("gpt2"));
    QCOMPARE(part<PlanPage>(window)->inputs()->batchField()->text(), QStringLiteral("3"));
}

void TestSession::vanishedFilesAreTold()
{
    const QString kept = write(QStringLiteral("kept.json"), "kept");
    const QString gone = write(QStringLiteral("gone.json"), "gone");
    {
        const auto window = this->window(false);
        window->openFiles({gone, kept});
        QTRY_VERIFY(shownResult(*window) && shownResult(*window)->id == "kept");
        window->close();
    }
    QVERIFY(QFile::remove(gone));
    const auto window = this->window(true);
    QTRY_VERIFY(shownResult(*window));
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("gone.json")));
    QVERIFY(!window->messages()->text().contains(QStringLiteral("kept.json")));
    QVERIFY(!window->messages()->text().contains(u'\n'));
}

void TestSession::aFileThatBrokeIsTold()
{
    const QString path = write(QStringLiteral("broken.json"), "broken");
    {
        const auto window = this->window(false);
        window->openFiles({path});
        QTRY_VERIFY(shownResult(*window));
        window->close();
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("{\"format\":");
    file.close();
    const auto window = this->window(true);
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("broken.json")));
    QVERIFY(!shownResult(*window));
    QVERIFY(!reading(*window));
}

void TestSession::pathsThatAreNoFilesAreLeftOut()
{
    const QString kept = write(QStringLiteral("kept.json"), "kept");
    Session session;
    session.page = QStringLiteral("run");
    session.shown = kept;
    session.files = {kept, m_home.path(), QStringLiteral("kept.json"), m_home.filePath(QStringLiteral("gone.json"))};
    settings::setSession(toBytes(session));
    {
        const auto window = this->window(true);
        QTRY_COMPARE(m_settled, 1);
        QCOMPARE(shownResult(*window)->id, std::string("kept"));
        QVERIFY(window->messages()->text().contains(QStringLiteral("gone.json")));
        window->close();
    }
    QCOMPARE(sessionFromBytes(settings::session()).files, QStringList{kept}); // written again at the end
}

void TestSession::theBaseIsKnownByItsPath()
{
    const QString a = write(QStringLiteral("a.json"), "a");
    const QString b = write(QStringLiteral("b.json"), "b");
    const QString c = write(QStringLiteral("c.json"), "c");
    {
        const auto window = this->window(false);
        window->compareFiles({a, b, c});
        QTRY_COMPARE(part<ComparePage>(window)->runs().size(), std::size_t(3));
        part<ComparePage>(window)->setBase(1);
        window->close();
    }
    QVERIFY(QFile::remove(a));
    const auto window = this->window(true);
    QTRY_COMPARE(part<ComparePage>(window)->runs().size(), std::size_t(2));
    QTRY_COMPARE(part<ComparePage>(window)->runs()[part<ComparePage>(window)->base()].path, b);
}

void TestSession::filesAreCountedOnce()
{
    QStringList paths;
    for (int i = 0; i < 24; ++i)
        paths << write(QStringLiteral("many%1.json").arg(i, 2, 10, QLatin1Char('0')), "many");
    const auto window = this->window(false);
    window->compareFiles(paths);
    QTRY_COMPARE(part<ComparePage>(window)->runs().size(), ComparePage::kMostRuns);
    window->openFiles({paths.first()});
    QTRY_VERIFY(shownResult(*window));
    QCOMPARE(part<SessionKeeper>(window)->present().files.size(), paths.size());
}

// What was last written into the fields of a plan is newer than the file it came from.
void TestSession::aPlanInFrontKeepsNewerFields()
{
    const QString path = m_home.filePath(QStringLiteral("plan.json"));
    {
        const auto window = this->window(false);
        QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
        part<PlanPage>(window)->inputs()->modelField()->setEditText(QStringLiteral("gpt2"));
        part<PlanPage>(window)->inputs()->deviceField()->setEditText(QStringLiteral("a100-40gb"));
        part<PlanPage>(window)->plan();
        QTRY_VERIFY_WITH_TIMEOUT(part<PlanPage>(window)->result() && !part<PlanPage>(window)->busy(), 30000);
        QVERIFY(part<FigureExport>(window)->saveCopyTo(path));
        window->openFiles({path});
        QTRY_VERIFY(!reading(*window) && part<SessionKeeper>(window)->present().shown == path);
        part<PlanPage>(window)->inputs()->modelField()->setEditText(QStringLiteral("opt-125m"));
        window->close();
    }
    const auto window = this->window(true);
    QTRY_COMPARE(m_settled, 1);
    QCOMPARE(part<PlanPage>(window)->inputs()->modelField()->currentText(), QStringLiteral("opt-125m"));
    const auto model = [&window] {
        const auto result = part<PlanPage>(window)->result();
        return result ? result->other["plan"]["model"].get<std::string>() : std::string();
    };
    QTRY_COMPARE_WITH_TIMEOUT(model(), std::string("opt-125m"), 30000);
}

void TestSession::whoOpensSomethingElseSeesThat()
{
    const QString last = write(QStringLiteral("last.json"), "last");
    const QString wanted = write(QStringLiteral("wanted.json"), "wanted");
    {
        const auto window = this->window(false);
        window->openFiles({last});
        QTRY_VERIFY(shownResult(*window));
        window->close();
    }
    const auto window = this->window(true);
    window->openFiles({wanted});
    QTRY_VERIFY(shownResult(*window) && !reading(*window));
    QCoreApplication::processEvents(); // what followed the last file
    QCOMPARE(shownResult(*window)->id, std::string("wanted"));
}

// By a signal: nothing of it is closed.
void TestSession::aWindowThatIsEndedWasKeptBefore()
{
    const QString path = write(QStringLiteral("kept.json"), "kept");
    const auto window = this->window(false);
    window->openFiles({path});
    QTRY_VERIFY(shownResult(*window));
    window->findChild<QTimer*>(QStringLiteral("often"))->start(1);
    QTRY_COMPARE(sessionFromBytes(settings::session()).shown, path);
}

void TestSession::withoutASessionNothingIsKept()
{
    QVERIFY(parseCommandLine({}).session);
    QVERIFY(!parseCommandLine({QStringLiteral("--no-session")}).session);
    const auto window = this->window(false);
    window->setSessionKept(false);
    window->openFiles({write(QStringLiteral("private.json"), "private")});
    QTRY_VERIFY(shownResult(*window));
    part<RunStarter>(window)->start(testing::smallExperiment());
    QVERIFY(settings::unfinishedRuns().isEmpty());
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
    window->findChild<QTimer*>(QStringLiteral("often"))->start(1);
    QTest::qWait(50);
    window->close();
    QVERIFY(settings::session().isEmpty());
}

PEAKSCOPE_TEST(TestSession)
#include "test_session.moc"
