// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that came with a file: every way by which something can be started in the window asks first, shows them
// whole and starts nothing until then.
#include "app/form/sweep_dialog.h"
#include "app/jobs/command_consent.h"
#include "app/jobs/launcher_check.h"
#include "app/library/library_panel.h"
#include "app/parts/session.h"
#include "app/plan/plan_page.h"
#include "tests/app/run/consent_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/plan/strategy_table_view.h"

#include <QComboBox>
#include <QDirIterator>
#include <QDropEvent>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPointer>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <QTreeView>

#include <type_traits>

using namespace peakscope;
using namespace peakscope::testing;
using nlohmann::json;

// Only the decision makes what can be started.
static_assert(!std::is_constructible_v<Agreed<json>, json, Origin>);
static_assert(!std::is_constructible_v<Agreed<SweepStart>, SweepStart, Origin>);
static_assert(!std::is_constructible_v<Agreed<QStringList>, QStringList, Origin>);
static_assert(!std::is_default_constructible_v<Agreed<json>>);
static_assert(!std::is_invocable_v<decltype(&RunQueue::enqueue), RunQueue*, json, QString, bool>);
static_assert(!std::is_constructible_v<Job, QStringList, SweepStart>);
static_assert(!std::is_constructible_v<Job, QStringList, nlohmann::json>);
static_assert(!std::is_invocable_v<decltype(&LauncherCheck::start), LauncherCheck*, QStringList>);

class TestCommandConsent : public testing::ConsentTest
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void onlyKnownPlacesStartProcesses();
    void everyWayAsksFirst_data();
    void everyWayAsksFirst();
    void everyWayCanDoWithout_data() { everyWayAsksFirst_data(); }
    void everyWayCanDoWithout();

private:
    // By the way that a row names; whatever starts has started when all is quiet.
    std::unique_ptr<MainWindow> startBy(const QString& way);
};

void TestCommandConsent::initTestCase()
{
    prepareHome();
}

void TestCommandConsent::init()
{
    clearHome();
}

// Who starts a process takes what was decided; a new place that does belongs into this list and into the ways below.
void TestCommandConsent::onlyKnownPlacesStartProcesses()
{
    static const QRegularExpression starts(
        QStringLiteral(R"(QProcess\b(?!::(splitCommand|ProcessError|ExitStatus|nullDevice|\w+Exit\b))|)"
                       R"(\bposix_spawn|\bfork\s*\(|\bexec[lv]p?e?\s*\(|\bpopen\s*\(|(?<![:\w])(std::)?system\s*\()"));
    QStringList found;
    for (const char* folder : {"app", "widgets"}) {
        QDirIterator files(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/") + QLatin1String(folder), {"*.cpp"}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            QString text = QString::fromUtf8(file.readAll());
            text.remove(QRegularExpression(QStringLiteral("#include[^\n]*|//[^\n]*")));
            if (starts.match(text).hasMatch())
                found << QFileInfo(file).fileName();
        }
    }
    found.sort();
    QCOMPARE(found, QStringList({"job_process.cpp"}));
}

void TestCommandConsent::everyWayAsksFirst_data()
{
    QTest::addColumn<bool>("sweep");
    for (const char* way :
         {"an experiment, F5", "an experiment, its button", "an experiment, dropped", "an experiment, another language",
          "a result, F5", "a result of the library, F5", "a result among several, F5", "a session, F5",
          "the last experiment, F5", "an interrupted run", "an interrupted run, edited", "a plan, its button",
          "a plan, by Return", "a plan, in the set-up"})
        QTest::newRow(way) << false;
    for (const char* way : {"a sweep's base, F5", "a sweep's grid, F5", "a word of a sweep's base, F5",
                            "a sweep of an opened experiment"})
        QTest::newRow(way) << true;
}

std::unique_ptr<MainWindow> TestCommandConsent::startBy(const QString& way)
{
    const bool restored = way.startsWith(QLatin1String("a session")) || way.startsWith(QLatin1String("an interrupted"));
    if (way.startsWith(QLatin1String("a session"))) {
        Session session;
        session.page = QStringLiteral("run");
        session.workspaces["run"] = {{"form", theirs()}};
        settings::setSession(toBytes(session));
    } else if (way.startsWith(QLatin1String("the last"))) {
        settings::setLastExperiment(QByteArray::fromStdString(theirs().dump()));
    } else if (restored) {
        leaveRun("theirs", theirs());
    }
    auto made = window(restored);
    const auto again = [&made] { QTest::keyClick(made.get(), Qt::Key_F5); };
    RunPanel* panel = part<RunPage>(made)->panel();
    if (way.startsWith(QLatin1String("an experiment, dropped"))) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(write("theirs.json", theirs()))});
        QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(made.get(), &enter);
        QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(made.get(), &drop);
        again();
    } else if (way.startsWith(QLatin1String("an experiment"))) {
        open(*made, write("theirs.json", theirs()));
        if (way.endsWith(QLatin1String("button"))) {
            QTest::mouseClick(panel->runButton(), Qt::LeftButton);
        } else {
            for (const char* language : {"zh", "en"}) {
                if (!way.endsWith(QLatin1String("language")))
                    break;
                chooseLanguage(*made, QString::fromLatin1(language));
            }
            again();
        }
    } else if (way.startsWith(QLatin1String("a result of the library"))) {
        QDir().mkpath(path("library"));
        writeResult("library/shared.json");
        made = window();
        [&] { QTRY_VERIFY(part<LibraryPanel>(made)->view()->model()->rowCount() > 0); }();
        open(*made, path("library/shared.json"));
        again();
    } else if (way.startsWith(QLatin1String("a result among"))) {
        const QString mine = testing::writeSmallResult(m_home, QStringLiteral("mine.json"), "mine");
        open(*made, mine);
        open(*made, writeResult("theirs.json"));
        again();
    } else if (way.startsWith(QLatin1String("a result"))) {
        open(*made, writeResult("theirs.json"));
        again();
    } else if (way.startsWith(QLatin1String("an interrupted"))) {
        [&] { QTRY_VERIFY(made->messages()->text().contains(QStringLiteral("theirs"))); }();
        const bool edited = way.endsWith(QLatin1String("edited"));
        press(*made->messages(), edited ? QStringLiteral("Edit it") : QStringLiteral("Run it again"));
        if (edited)
            again();
    } else if (way.startsWith(QLatin1String("a plan"))) {
        open(*made, writePlan());
        StrategyTableView* table = part<PlanPage>(made)->strategies();
        [&] { QTRY_VERIFY(table->showsTable()); }();
        if (way.endsWith(QLatin1String("button"))) {
            QTest::mouseClick(part<PlanPage>(made)->runButton(), Qt::LeftButton);
        } else {
            QTest::keyClick(table->view(), Qt::Key_Down);
            QTest::keyClick(table->view(), Qt::Key_Return);
            const bool setUp = way.endsWith(QLatin1String("set-up"));
            press(*part<PlanPage>(made)->messages(),
                  setUp ? QStringLiteral("Open in set-up") : QStringLiteral("Run this"));
            if (setUp)
                again();
        }
    } else if (way.startsWith(QLatin1String("a sweep of"))) {
        open(*made, write("theirs.json", theirs()));
        trigger(*made, QStringLiteral("newSweep"));
        auto* dialog = made->findChild<SweepDialog*>();
        dialog->valuesField(1)->clear();
        dialog->keyField(1)->setCurrentText(QString());
        QTest::mouseClick(dialog->runButton(), Qt::LeftButton);
    } else if (way.startsWith(QLatin1String("a sweep's base"))) {
        open(*made, writeSweep(theirs(), {{"seed", {1, 2}}}));
        again();
    } else if (way.startsWith(QLatin1String("a sweep's grid"))) {
        open(*made, writeSweep(testing::smallExperiment(), {{"launcher", json::array({evil()})}, {"seed", {1, 2}}}));
        again();
    } else if (way.startsWith(QLatin1String("a word"))) {
        json base = testing::smallExperiment();
        base["launcher"] = {"sh", "-c", "true", "x"};
        open(*made, writeSweep(base, {{"launcher.2", json::array({evil()[2]})}}));
        again();
    } else { // what stands in the form
        [&] { QTRY_VERIFY(!part<RunPage>(made)->panel()->form()->launcher().isEmpty()); }();
        again();
    }
    return made;
}

void TestCommandConsent::everyWayAsksFirst()
{
    QFETCH(bool, sweep);
    const auto window = startBy(QString::fromLatin1(QTest::currentDataTag()));
    QVERIFY(part<RunQueue>(window)->ids().empty() && !part<SweepRunner>(window)->running());
    MessageBar* bar = nullptr;
    QTRY_VERIFY2((bar = question(*window)), "nothing was asked");
    const QString wanted = CommandConsent::shown({{"x", evil().get<std::vector<std::string>>()}}).mid(3);
    QVERIFY2(bar->detail().contains(wanted), qPrintable(bar->detail()));
    QVERIFY(bar->findChild<QPlainTextEdit*>()->isVisible());
    QVERIFY(!marked());
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    press(*bar, QStringLiteral("Run anyway"));
    if (sweep)
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    else
        QTRY_VERIFY_WITH_TIMEOUT(marked() && quiet(*window), 30'000);
    QVERIFY(!question(*window));
    QTRY_VERIFY(!reading(*window));
    QTest::keyClick(window.get(), Qt::Key_F5); // asked about once
    QVERIFY(!question(*window));
    if (qstrcmp(QTest::currentDataTag(), "a sweep of an opened experiment") == 0)
        return; // what F5 runs there is the experiment
    if (sweep)
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30'000);
    else
        QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(2));
}

void TestCommandConsent::everyWayCanDoWithout()
{
    QFETCH(bool, sweep);
    const auto window = startBy(QString::fromLatin1(QTest::currentDataTag()));
    MessageBar* bar = nullptr;
    QTRY_VERIFY2((bar = question(*window)), "nothing was asked");
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    press(*bar, QStringLiteral("Run here"));
    if (sweep) {
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    } else {
        QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
        QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
        QVERIFY(!part<RunQueue>(window)->info(1)->experiment.contains("launcher"));
    }
    QVERIFY(!marked());
    QVERIFY(settings::agreedCommands().isEmpty());
}

PEAKSCOPE_TEST(TestCommandConsent)
#include "test_command_consent.moc"
