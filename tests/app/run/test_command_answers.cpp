// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of the question about a file's command: for what the answer is remembered, who is not asked, and what
// the question shows.
#include "app/form/sweep_dialog.h"
#include "app/plan/plan_page.h"
#include "tests/app/run/consent_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QComboBox>
#include <QPointer>
#include <QSignalSpy>

using namespace peakscope;
using namespace peakscope::testing;
using nlohmann::json;

class TestCommandAnswers : public testing::ConsentTest
{
    Q_OBJECT
private slots:
    void initTestCase() { prepareHome(); }
    void init() { clearHome(); }
    void theAnswerIsForThatFile_data();
    void theAnswerIsForThatFile();
    void theAnswerOutlivesTheWindow();
    void whatIsTypedIsNotAskedAbout();
    void whatIsAddedToTheFilesCommandIs_data();
    void whatIsAddedToTheFilesCommandIs();
    void theUsersMachinesAreNot();
    void theSweepDialogsOwnCommandIsNot();
    void aStoppedSweepGoesOnAsItWasAgreedTo();
    void severalLeftRunsAreOneQuestion();
    void aQuestionPutAsideIsOfferedAgain();
    void theQuestionSurvivesAnotherLanguage();
    void theCommandIsShownWhole();
    void whatNobodyCanReadIsNotStarted();
    void aQuestionEndsWithWhatItWasAbout();
};

void TestCommandAnswers::theAnswerIsForThatFile_data()
{
    QTest::addColumn<bool>("asks");
    QTest::newRow("the same file") << false;
    QTest::newRow("the same by a link") << false;
    QTest::newRow("a copy") << true;
    QTest::newRow("another file with that command") << true;
    QTest::newRow("the file, another command") << true;
    QTest::newRow("the file, something else changed") << true;
}

void TestCommandAnswers::theAnswerIsForThatFile()
{
    QFETCH(bool, asks);
    const QString how = QString::fromLatin1(QTest::currentDataTag());
    const auto window = this->window();
    open(*window, write("theirs.json", theirs()));
    QTest::keyClick(window.get(), Qt::Key_F5);
    QVERIFY(question(*window));
    press(*question(*window), QStringLiteral("Run anyway"));
    QTRY_VERIFY(marked() && quiet(*window));
    json changed = theirs();
    if (how.contains(QLatin1String("another command")))
        changed["launcher"][3] = "y";
    if (how.contains(QLatin1String("something")))
        changed["data"]["batch"] = 2;
    QString file = write(how == QLatin1String("a copy") ? "copy.json" : "theirs.json", changed);
    QFile::remove(path("link.json"));
    if (how.contains(QLatin1String("link"))) {
        QVERIFY(QFile::link(file, path("link.json")));
        file = path("link.json");
    }
    if (how.contains(QLatin1String("another file")))
        file = writeResult("result.json");
    open(*window, file);
    QTest::keyClick(window.get(), Qt::Key_F5);
    QCOMPARE(question(*window) != nullptr, asks);
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(asks ? 1 : 2));
}

void TestCommandAnswers::theAnswerOutlivesTheWindow()
{
    const QString file = write("theirs.json", theirs());
    {
        const auto window = this->window(true);
        open(*window, file);
        QTest::keyClick(window.get(), Qt::Key_F5);
        press(*question(*window), QStringLiteral("Run anyway"));
        QTRY_VERIFY(marked() && quiet(*window));
        open(*window, file);
        window->close();
    }
    const auto window = this->window(true); // the form is brought back, and where it came from with it
    QTRY_VERIFY(!part<RunPage>(window)->panel()->form()->launcher().isEmpty());
    QTest::mouseClick(part<RunPage>(window)->panel()->runButton(), Qt::LeftButton);
    QVERIFY(!question(*window));
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
}

void TestCommandAnswers::whatIsTypedIsNotAskedAbout()
{
    QFile script(path("mine.sh"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\nexec \"$@\"\n");
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    script.close();
    const auto window = this->window();
    part<RunStarter>(window)->edit(testing::smallExperiment());
    typeLauncher(*window, script.fileName());
    QTest::mouseClick(part<RunPage>(window)->panel()->runButton(), Qt::LeftButton);
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QTRY_COMPARE(int(part<RunQueue>(window)->info(1)->state), int(RunState::Complete));
    chooseLanguage(*window, QStringLiteral("zh"));
    chooseLanguage(*window, QStringLiteral("en"));
    QTest::keyClick(window.get(), Qt::Key_F5);
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(2));
    QTRY_VERIFY(quiet(*window));
    // In place of a file's.
    open(*window, write("theirs.json", theirs()));
    typeLauncher(*window, script.fileName());
    QTest::keyClick(window.get(), Qt::Key_F5);
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(3));
    QTRY_VERIFY(quiet(*window));
    QVERIFY(!marked());
    // A file that names the same is another matter.
    json same = testing::smallExperiment();
    same["launcher"] = {script.fileName().toStdString()};
    open(*window, write("same.json", same));
    QTest::keyClick(window.get(), Qt::Key_F5);
    QTRY_VERIFY(question(*window)); // another language's window may still be on its way to be shown
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(3));
}

void TestCommandAnswers::whatIsAddedToTheFilesCommandIs_data()
{
    QTest::addColumn<QList<int>>("keys");
    QTest::newRow("a blank") << QList<int>{Qt::Key_End, Qt::Key_Space};
    QTest::newRow("a letter that is taken back") << QList<int>{Qt::Key_End, Qt::Key_Y, Qt::Key_Backspace};
    QTest::newRow("a word") << QList<int>{Qt::Key_End, Qt::Key_Space, Qt::Key_Y};
}

void TestCommandAnswers::whatIsAddedToTheFilesCommandIs()
{
    QFETCH(QList<int>, keys);
    const auto window = this->window();
    open(*window, write("theirs.json", theirs()));
    QWidget* field = part<RunPage>(window)->panel()->form()->field("launcher");
    field->setFocus();
    for (const int key : keys)
        QTest::keyClick(field, static_cast<Qt::Key>(key));
    QTest::keyClick(window.get(), Qt::Key_F5);
    QVERIFY(question(*window));
    QVERIFY(part<RunQueue>(window)->ids().empty());
    QVERIFY(!marked());
}

void TestCommandAnswers::theUsersMachinesAreNot()
{
    const json words = evil();
    QStringList options;
    for (const json& word : words)
        options << QString::fromStdString(word.get<std::string>());
    settings::setLaunchers(
        launchersToBytes({{QStringLiteral("mine"), LauncherKind::Custom, {}, commandLine(options), {}}}));
    const auto window = this->window();
    open(*window, write("theirs.json", theirs()));
    QTest::keyClick(window.get(), Qt::Key_F5);
    QVERIFY(!question(*window));
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
}

void TestCommandAnswers::theSweepDialogsOwnCommandIsNot()
{
    const auto window = this->window();
    part<RunStarter>(window)->edit(testing::smallExperiment());
    trigger(*window, QStringLiteral("newSweep"));
    auto* dialog = window->findChild<SweepDialog*>();
    dialog->valuesField(1)->clear();
    dialog->keyField(1)->setCurrentText(QString());
    QTest::keyClicks(dialog->hostsField(), QStringLiteral("gpu1"));
    QVERIFY2(dialog->isValid(), qPrintable(dialog->verdict()));
    QTest::mouseClick(dialog->runButton(), Qt::LeftButton);
    QVERIFY(!question(*window));
    QVERIFY(part<SweepRunner>(window)->running());
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QVERIFY(settings::agreedCommands().isEmpty());
}

void TestCommandAnswers::aStoppedSweepGoesOnAsItWasAgreedTo()
{
    testing::useFakeWorker("slow");
    const auto window = this->window();
    QSignalSpy finished(part<JobQueue>(window), &JobQueue::finished);
    const QString file =
        writeSweep(testing::smallExperiment(), {{"launcher", json::array({evil()})}, {"seed", {1, 2, 3}}});
    open(*window, file);
    QTest::keyClick(window.get(), Qt::Key_F5);
    press(*question(*window), QStringLiteral("Run anyway"));
    QTRY_COMPARE_WITH_TIMEOUT(loadSweep(file.toStdString())->finished(), std::size_t(2), 30'000);
    QTRY_VERIFY(!reading(*window));
    QTest::keyClick(window.get(), Qt::Key_Period, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QTRY_VERIFY(!reading(*window));
    testing::useFakeWorker("complete");
    QTest::keyClick(window.get(), Qt::Key_F5); // more of its points are measured, its commands are the same
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30'000);
    QTRY_VERIFY(!reading(*window));
    // The file is another's by now.
    json other = evil();
    other[3] = "y";
    writeSweep(testing::smallExperiment(), {{"launcher", json::array({other})}, {"seed", {1, 2, 3}}});
    window->close();
    const auto next = this->window();
    open(*next, file);
    QTest::keyClick(next.get(), Qt::Key_F5);
    QVERIFY(question(*next));
}

void TestCommandAnswers::severalLeftRunsAreOneQuestion()
{
    json second = theirs();
    second["launcher"][3] = "y";
    leaveRun("the first one", theirs());
    leaveRun("the second one", second);
    leaveRun("my own", testing::smallExperiment());
    const auto window = this->window(true);
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("the first one")));
    press(*window->messages(), QStringLiteral("Run them again"));
    MessageBar* bar = question(*window);
    QVERIFY(bar);
    for (const char* words : {"the first one", "the second one", "\" x", "\" y"})
        QVERIFY2(bar->detail().contains(QLatin1String(words)), qPrintable(bar->detail()));
    QVERIFY(!bar->detail().contains(QStringLiteral("my own")));
    QVERIFY(part<RunQueue>(window)->ids().empty());
    QVERIFY(!settings::unfinishedRuns().isEmpty()); // not answered for yet
    press(*bar, QStringLiteral("Run anyway"));
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(3));
    QTRY_VERIFY(quiet(*window));
    QTRY_VERIFY(settings::unfinishedRuns().isEmpty());
}

void TestCommandAnswers::aQuestionPutAsideIsOfferedAgain()
{
    leaveRun("theirs", theirs());
    const auto window = this->window(true);
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("theirs")));
    press(*window->messages(), QStringLiteral("Run it again"));
    QVERIFY(question(*window));
    window->messages()->setFocus();
    QTest::keyClick(window->messages(), Qt::Key_Escape);
    QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("theirs")));
    QVERIFY(!question(*window) && part<RunQueue>(window)->ids().empty());
    QVERIFY(!settings::unfinishedRuns().isEmpty());
}

void TestCommandAnswers::theQuestionSurvivesAnotherLanguage()
{
    const auto window = this->window();
    open(*window, write("theirs.json", theirs()));
    QTest::keyClick(window.get(), Qt::Key_F5);
    MessageBar* bar = question(*window);
    const QString shown = bar->detail();
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(bar->findChildren<QPushButton*>().front()->text() == QStringLiteral("仍然运行"));
    QCOMPARE(bar->detail(), shown);
    press(*bar, QStringLiteral("仍然运行"));
    QTRY_VERIFY(marked() && quiet(*window));
    chooseLanguage(*window, QStringLiteral("en"));
    QTRY_VERIFY(!question(*window));
}

void TestCommandAnswers::theCommandIsShownWhole()
{
    json experiment = testing::smallExperiment();
    const std::string lengthy(5000, 'a');
    experiment["launcher"] = {"sh", "-c", "true\n\x1b[8m; evil \xe2\x80\xae gnitset", lengthy};
    const auto window = this->window();
    window->resize(1000, 700);
    open(*window, write("a\xe2\x80\xae.json", experiment));
    QTest::keyClick(window.get(), Qt::Key_F5);
    MessageBar* bar = question(*window);
    QVERIFY(bar);
    QVERIFY2(bar->detail().contains(QStringLiteral(R"(sh -c "true\n\u{1b}[8m; evil \u{202e} gnitset" )") +
                                    QString::fromStdString(lengthy)),
             qPrintable(bar->detail().left(300)));
    QVERIFY2(bar->text().contains(QStringLiteral("a\\u{202e}.json")), qPrintable(bar->text()));
    QVERIFY(window->width() <= 1000 && window->height() <= 700); // and leaves the window as it is
    for (QPushButton* button : bar->findChildren<QPushButton*>())
        QVERIFY(window->rect().contains(QRect(button->mapTo(window.get(), QPoint()), button->size())));
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()) && window->grab().save(folder.filePath("command_question.png")));
}

void TestCommandAnswers::whatNobodyCanReadIsNotStarted()
{
    RunResult result = testing::smallResult();
    result.config["launcher"] = {"sh", std::string(30'000, 'a')};
    QVERIFY(saveRunResult(result, path("theirs.json").toStdString()).ok());
    const auto window = this->window();
    open(*window, path("theirs.json"));
    QTest::keyClick(window.get(), Qt::Key_F5);
    MessageBar* bar = part<RunPage>(window)->panel()->messages();
    QVERIFY2(bar->text().contains(QStringLiteral("too long")), qPrintable(bar->text()));
    QCOMPARE(bar->findChildren<QPushButton*>().size(), 1);
    press(*bar, QStringLiteral("Run here"));
    QCOMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
    QVERIFY(!part<RunQueue>(window)->info(1)->experiment.contains("launcher"));
}

void TestCommandAnswers::aQuestionEndsWithWhatItWasAbout()
{
    const auto window = this->window();
    open(*window, writeResult("theirs.json"));
    QTest::keyClick(window.get(), Qt::Key_F5);
    MessageBar* bar = question(*window);
    QVERIFY(bar);
    json other = theirs();
    other["launcher"][2] = "exec \"$@\"";
    part<RunStarter>(window)->edit(other);
    QVERIFY(!question(*window)); // it was about something else
    QVERIFY(part<RunQueue>(window)->ids().empty());
}

PEAKSCOPE_TEST(TestCommandAnswers)
#include "test_command_answers.moc"
