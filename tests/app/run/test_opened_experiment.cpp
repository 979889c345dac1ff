// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment that is opened stands in the form and is what F5 runs, whenever it is opened: right after the window
// shows, before that, while a session comes back, beside other files, before another language.
#include "app/form/experiment_json.h"
#include "app/form/run_panel.h"
#include "app/parts/message_bar.h"
#include "app/parts/session.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "app/plan/plan_page.h"
#include "app/run/run_header.h"
#include "app/run/run_page.h"
#include "app/session/unfinished_runs.h"
#include "app/shell/inspector_content.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QLineEdit>
#include <QPointer>
#include <QTest>
#include <QToolButton>

#include <array>

using namespace peakscope;
using namespace peakscope::testing;

class TestOpenedExperiment : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void f5RunsWhatWasOpened_data();
    void f5RunsWhatWasOpened();
    void aFormThatIsNotRightIsNotPromised();
    void whatIsRestoredStandsThereOtherwise();
    void theStripIsOfWhatIsShown();
    void anImportedPeakIsAsTheFileSays();
    void keysHaveLines();
    void theJsonCanBeChanged();

private:
    // Told from the demo and from one another by its seed.
    QString write(const char* name, int seed) const
    {
        nlohmann::json experiment = testing::smallExperiment();
        experiment["seed"] = seed;
        QFile file(m_home.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(experiment.dump())) < 0)
            qWarning("can't write the experiment");
        return file.fileName();
    }
    static std::int64_t seedOf(const nlohmann::json& experiment) { return experiment.value("seed", std::int64_t{42}); }

    QTemporaryDir m_home;
};

void TestOpenedExperiment::initTestCase()
{
    testing::isolate(m_home);
    applyTheme(Theme::Light);
}

void TestOpenedExperiment::init()
{
    QDir(m_home.filePath(QStringLiteral("config"))).removeRecursively();
    QDir(m_home.filePath(QStringLiteral("data"))).removeRecursively();
    settings::setLibraryFolder(m_home.filePath(QStringLiteral("library")));
    testing::useFakeWorker("complete");
}

void TestOpenedExperiment::f5RunsWhatWasOpened_data()
{
    QTest::addColumn<QString>("profile"); // fresh, used, session, session with files, unfinished
    QTest::addColumn<QString>("when");    // of opening: hidden, shown, exposed
    QTest::addColumn<QString>("files");
    QTest::addColumn<bool>("language");
    // Each two of them meet, and each meets both languages.
    const std::array profiles{"fresh", "used", "session", "session with files", "unfinished"};
    const std::array whens{"hidden", "shown", "exposed"};
    const std::array files{"one", "two", "result first"};
    for (std::size_t i = 0; i < profiles.size() * whens.size(); ++i) {
        const char* profile = profiles[i / whens.size()];
        const char* when = whens[i % whens.size()];
        const char* opened = files[(i / whens.size() + i) % files.size()];
        const bool language = i % 2 == 1;
        QTest::addRow("%s, %s, %s%s", profile, when, opened, language ? ", another language" : "")
            << QString(profile) << QString(when) << QString(opened) << language;
    }
}

void TestOpenedExperiment::f5RunsWhatWasOpened()
{
    QFETCH(QString, profile);
    QFETCH(QString, when);
    QFETCH(QString, files);
    QFETCH(bool, language);
    nlohmann::json other = testing::smallExperiment();
    other["seed"] = 7;
    if (profile == QLatin1String("used"))
        settings::setLastExperiment(QByteArray::fromStdString(other.dump()));
    if (profile.startsWith(QLatin1String("session"))) {
        Session session;
        session.page = profile.endsWith(QLatin1String("files")) ? QStringLiteral("run") : QStringLiteral("plan");
        session.workspaces["run"] = {{"form", other}};
        if (profile.endsWith(QLatin1String("files")))
            session.files << testing::writeSmallResult(m_home, QStringLiteral("last.json"), "last");
        session.shown = session.files.value(0);
        settings::setSession(toBytes(session));
    }
    if (profile == QLatin1String("unfinished")) {
        QStringList parts = newWindowKey().split(u'.');
        parts[1] = QStringLiteral("1"); // of a process that is not there
        keepUnfinished(parts.join(u'.'), {{QStringLiteral("theirs"), other}}, false);
    }
    MainWindow window;
    window.setSessionKept(profile != QLatin1String("fresh"));
    if (profile.startsWith(QLatin1String("session")) || profile == QLatin1String("unfinished"))
        window.restoreSession();
    QStringList paths{write("wanted.json", 11)};
    if (files == QLatin1String("two"))
        paths.prepend(write("before.json", 12));
    if (files == QLatin1String("result first"))
        paths.prepend(testing::writeSmallResult(m_home, QStringLiteral("result.json"), "result"));
    if (when == QLatin1String("hidden"))
        window.openFiles(paths);
    window.show();
    if (when == QLatin1String("shown"))
        window.openFiles(paths); // as the program does with its arguments
    if (language)
        chooseLanguage(window, QStringLiteral("zh"));
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    if (when == QLatin1String("exposed"))
        window.openFiles(paths);
    QTRY_VERIFY(!reading(window));
    for (int i = 0; i < 5; ++i)
        QCoreApplication::processEvents(); // whatever waits for its turn
    if (language) {
        chooseLanguage(window, QStringLiteral("en"));
        for (int i = 0; i < 5; ++i)
            QCoreApplication::processEvents();
    }
    QVERIFY2(window.messages()->text().contains(QStringLiteral("wanted.json")), qPrintable(window.messages()->text()));
    QCOMPARE(front(window), QStringLiteral("run"));
    QCOMPARE(seedOf(part<RunPage>(window)->panel()->form()->document()), 11);
    QTest::keyClick(&window, Qt::Key_F5);
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QCOMPARE(seedOf(part<RunQueue>(window)->info(1)->experiment), 11);
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
}

void TestOpenedExperiment::aFormThatIsNotRightIsNotPromised()
{
    nlohmann::json experiment = testing::smallExperiment();
    experiment["data"]["batch"] = -3;
    QFile file(m_home.filePath(QStringLiteral("wrong.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(experiment.dump()));
    file.close();
    MainWindow window;
    window.show();
    window.openFiles({file.fileName()});
    QVERIFY2(!window.messages()->text().contains(QStringLiteral("F5")) &&
                 window.messages()->text().contains(QStringLiteral("needs correcting")),
             qPrintable(window.messages()->text()));
    QTest::keyClick(&window, Qt::Key_F5);
    QVERIFY(part<RunQueue>(window)->ids().empty());
    // What the form has no place for is not left out without a word.
    experiment = testing::smallExperiment();
    experiment["training"] = "adam";
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(experiment.dump()));
    file.close();
    window.openFiles({file.fileName()});
    QVERIFY2(!window.messages()->text().contains(QStringLiteral("F5")) &&
                 window.messages()->text().contains(QStringLiteral("training: an object is needed")),
             qPrintable(window.messages()->text()));
}

void TestOpenedExperiment::whatIsRestoredStandsThereOtherwise()
{
    {
        MainWindow window;
        window.show();
        QTRY_VERIFY(part<RunPage>(window)->panel()->form()->isValid());
        QVERIFY(part<RunPage>(window)->panel()->form()->document()["kind"] == demoExperiment()["kind"]);
    }
    nlohmann::json last = testing::smallExperiment();
    last["seed"] = 7;
    settings::setLastExperiment(QByteArray::fromStdString(last.dump()));
    MainWindow window;
    window.show();
    QTRY_COMPARE(seedOf(part<RunPage>(window)->panel()->form()->document()), 7);
}

// The closed set-up's line and button are of what stands below it; what was typed is one click away.
void TestOpenedExperiment::theStripIsOfWhatIsShown()
{
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    RunPanel* panel = part<RunPage>(window)->panel();
    auto* batch = qobject_cast<QLineEdit*>(panel->form()->field("data.batch"));
    QVERIFY(batch);
    trigger(window, QStringLiteral("newRun"));
    batch->setFocus();
    batch->selectAll();
    QTest::keyClicks(batch, QStringLiteral("77"));
    const auto summary = [panel] { return panel->findChild<QLabel*>(QStringLiteral("experimentSummary"))->text(); };
    const auto toggle = [panel] {
        QTest::mouseClick(panel->findChild<QToolButton*>(QStringLiteral("setUpToggle")), Qt::LeftButton);
    };
    const auto batchIn = [panel] { return panel->form()->document()["data"]["batch"].get<int>(); };
    QTRY_VERIFY2(summary().contains(QStringLiteral("batch 77 ×")), qPrintable(summary()));
    window.openFiles({testing::writeSmallResult(m_home, QStringLiteral("shown.json"), "shown")});
    QTRY_VERIFY2(summary().contains(QStringLiteral("batch 1 × 8")), qPrintable(summary()));
    QCOMPARE(batchIn(), 77);
    toggle();
    QCOMPARE(batchIn(), 1);
    QVERIFY(panel->isExpanded());
    QVERIFY(testing::press(*panel->messages(), QStringLiteral("Back to what was typed")));
    QCOMPARE(batchIn(), 77);
    toggle(); // closed: the line is the result's again; opened once more, what stands there stays
    QVERIFY2(summary().contains(QStringLiteral("batch 1 × 8")), qPrintable(summary()));
    toggle();
    QCOMPARE(batchIn(), 77);
    toggle();
    // Its button starts what it says.
    QTest::mouseClick(panel->runButton(), Qt::LeftButton);
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QCOMPARE(part<RunQueue>(window)->info(1)->experiment["data"]["batch"].get<int>(), 1);
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
    const auto* again = part<RunPage>(window)->header()->findChild<QToolButton*>(QStringLiteral("againButton"));
    QVERIFY(again->isEnabled() && again->toolTip().contains(QStringLiteral("F5")));
    // Another program's run has nothing to start.
    QFile trace(m_home.filePath(QStringLiteral("trace.json")));
    QVERIFY(trace.open(QIODevice::WriteOnly));
    trace.write(R"({"traceEvents":[{"ph":"i","name":"[memory]","ts":1,"pid":1,"tid":1,"s":"t","args":{"Addr":1,)"
                R"("Bytes":512,"Total Allocated":512,"Total Reserved":1024,"Device Type":1,"Device Id":0}}]})");
    trace.close();
    window.openFiles({trace.fileName()});
    QTRY_VERIFY2(summary().contains(QStringLiteral("another program")), qPrintable(summary()));
    QVERIFY(!panel->runButton()->isEnabled());
    QVERIFY(!again->isEnabled());
    QVERIFY2(again->toolTip().contains(QStringLiteral("no experiment")), qPrintable(again->toolTip()));
    trigger(window, QStringLiteral("newRun"));
    QVERIFY2(summary().contains(QStringLiteral("batch 1 × 8")), qPrintable(summary()));
    QVERIFY(panel->runButton()->isEnabled());
    // Nor has a recorded program, which is not started without being asked for.
    RunResult dry = testing::smallResult();
    dry.id = "dry";
    dry.config = {{"kind", "memory"}, {"device", "dry:h100-80gb"}, {"program", {{"command", {"python", "train.py"}}}}};
    dry.other["dry"] = true;
    const QString file = m_home.filePath(QStringLiteral("dry.json"));
    QVERIFY(saveRunResult(dry, file.toStdString()));
    window.openFiles({file});
    QTRY_VERIFY(!again->isEnabled()); // the form, which stands open, can still be run
}

// A peak without allocations was counted by nobody here; with them it was, and they are told.
void TestOpenedExperiment::anImportedPeakIsAsTheFileSays()
{
    RunResult result;
    result.memory.emplace();
    result.memory->peakBytes = 512;
    const auto textOf = [&result] {
        QString text;
        for (const InspectorContent::Section& section : inspectRun(result, {}).sections) {
            for (const auto& row : section.rows)
                text += row.label + u' ' + row.value + u' ' + row.explanation + u'\n';
        }
        return text;
    };
    QVERIFY2(textOf().contains(QStringLiteral("counted at every")) && textOf().contains(QStringLiteral("Events 0")),
             qPrintable(textOf()));
    result.other["source"] = {{"format", "detailed-memory"}, {"file", "all.json"}};
    QVERIFY2(textOf().contains(QStringLiteral("As recorded in the file")) &&
                 !textOf().contains(QStringLiteral("Events")),
             qPrintable(textOf()));
    result.memory->timeline.timeSeconds = {0};
    result.memory->timeline.component = {Component::Parameters};
    result.memory->timeline.deltaBytes = {512};
    QVERIFY2(textOf().contains(QStringLiteral("counted at every")) && textOf().contains(QStringLiteral("Events 1")),
             qPrintable(textOf()));
}

void TestOpenedExperiment::keysHaveLines()
{
    const std::string text =
        "{\n \"a\": {\"seed\": 1,\n  \"b\": \"seed\\\": {\"},\n \"l\": [{\"x\": 1}],\n \"seed\": 2}";
    QCOMPARE(lineOfJsonKey(text, "a"), 2);
    QCOMPARE(lineOfJsonKey(text, "a.seed"), 2);
    QCOMPARE(lineOfJsonKey(text, "a.b"), 3);
    QCOMPARE(lineOfJsonKey(text, "seed"), 5); // not that in a, nor the text in a.b
    QCOMPARE(lineOfJsonKey(text, "a.c"), 0);
    QCOMPARE(lineOfJsonKey("", "a"), 0);
}

// What is typed there stands in the form once it is applied; a mistake is told at its line and changes nothing.
void TestOpenedExperiment::theJsonCanBeChanged()
{
    RunPanel panel;
    panel.resize(900, 700);
    panel.show();
    panel.setDocument(testing::smallExperiment());
    for (QToolButton* button : panel.findChildren<QToolButton*>()) {
        if (button->text() == QLatin1String("JSON"))
            QTest::mouseClick(button, Qt::LeftButton);
    }
    ExperimentJson* json = panel.json();
    QVERIFY(json->isVisible() && !json->applyButton()->isEnabled());
    const QString before = json->field()->toPlainText();
    QCOMPARE(nlohmann::json::parse(before.toStdString()), panel.form()->document());
    const auto type = [&](const QString& text) {
        json->field()->setFocus();
        json->field()->selectAll();
        json->field()->insertPlainText(text); // as pasted
        QTest::mouseClick(json->applyButton(), Qt::LeftButton);
    };
    const nlohmann::json kept = panel.form()->document();
    type(QStringLiteral("{\"kind\": \"memory\", \"model\": {\"family\": \"opt\"},\n\"data\": {\n\"bach\": 2}}"));
    QVERIFY2(json->verdict().startsWith(QStringLiteral("Line 3: ")) && json->verdict().contains(QStringLiteral("bach")),
             qPrintable(json->verdict()));
    QCOMPARE(json->field()->textCursor().blockNumber(), 2);
    type(QStringLiteral("{\"model\": {},\n\"seed\": 1 2}"));
    QVERIFY2(json->verdict().contains(QStringLiteral("line 2")), qPrintable(json->verdict()));
    QCOMPARE(panel.form()->document(), kept);
    nlohmann::json other = testing::smallExperiment();
    other["seed"] = 99;
    other["training"]["clipping"] = "ghost";
    type(QString::fromStdString(other.dump()));
    QVERIFY2(json->verdict().isEmpty(), qPrintable(json->verdict()));
    QCOMPARE(panel.form()->document()["seed"], nlohmann::json(99));
    QCOMPARE(panel.form()->document()["training"]["clipping"], nlohmann::json("ghost"));
    QVERIFY(!json->applyButton()->isEnabled());
    QTRY_COMPARE(nlohmann::json::parse(json->field()->toPlainText().toStdString()), panel.form()->document());
}

PEAKSCOPE_TEST(TestOpenedExperiment)
#include "test_opened_experiment.moc"
