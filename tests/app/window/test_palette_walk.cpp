// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every command of the palette, with each kind of result in front and with nothing open, while a filter hides all lines
// of the library: the window stands afterwards, and the library shows again what it did.
#include "app/library/library_panel.h"
#include "app/parts/command_palette.h"
#include "app/parts/message_bar.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/analysis/analysis_samples.h"
#include "tests/widgets/curvature/curvature_samples.h"
#include "tests/widgets/timeline/rank_samples.h"
#include "tests/widgets/timeline/training_data.h"

#include <QApplication>
#include <QDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QTimer>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

// What closes the window; the walk ends with it.
bool endsTheWindow(const QAction& action)
{
    return action.objectName() == QLatin1String("quit");
}

} // namespace

class TestPaletteWalk : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void everyCommand_data();
    void everyCommand();
    void aFilterHidesLinesAndLosesNone();

private:
    QString write(const QString& name, const RunResult& result) const
    {
        const QString path = m_home.filePath(name);
        if (!saveRunResult(result, path.toStdString()))
            qWarning("can't write %s", qPrintable(path));
        return path;
    }

    QTemporaryDir m_home;
};

void TestPaletteWalk::initTestCase()
{
    isolate(m_home);
    useFakeWorker("complete");
}

void TestPaletteWalk::init()
{
    for (const char* folder : {"config", "data"})
        QDir(m_home.filePath(QString::fromLatin1(folder))).removeRecursively();
    settings::setFoldsSidePanels(false); // fields of the library are asked for
}

void TestPaletteWalk::everyCommand_data()
{
    const QString samples = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/");
    QTest::addColumn<QStringList>("files");
    QTest::newRow("nothing open") << QStringList();
    QTest::newRow("a run") << QStringList{write(QStringLiteral("run.json"), smallResult())};
    QTest::newRow("ranks") << QStringList{write(QStringLiteral("ranks.json"), test::rankedRun(3))};
    QTest::newRow("curvature") << QStringList{write(QStringLiteral("curvature.json"), test::curvatureResult())};
    QTest::newRow("noise") << QStringList{write(QStringLiteral("noise.json"), testing::analysisRun())};
    QTest::newRow("a snapshot") << QStringList{samples + QStringLiteral("cuda_snapshot.pickle")};
    QTest::newRow("a sweep") << QStringList{samples + QStringLiteral("formats/sweep/memory_profile_results.json")};
    QTest::newRow("a trace") << QStringList{samples + QStringLiteral("formats/torch/trace_list.json")};
    QTest::newRow("a script's stages") << QStringList{samples +
                                                      QStringLiteral("formats/detailed/detailed_memory_results.json")};
    RunResult other = smallResult();
    other.id = "other";
    QTest::newRow("two runs compared") << QStringList{write(QStringLiteral("a.json"), smallResult()),
                                                      write(QStringLiteral("b.json"), other)};
}

void TestPaletteWalk::everyCommand()
{
    QFETCH(QStringList, files);
    const auto window = newWindow();
    waitForForm(*window);
    part<LibraryPanel>(window)->filterField()->setText(QStringLiteral("no line holds this"));
    QString workspace;
    QString path;
    const auto bring = [&] {
        for (QDialog* dialog : window->findChildren<QDialog*>())
            dialog->close();
        if (!workspace.isEmpty() && front(*window) == workspace && part<ShownDocument>(window)->path() == path)
            return; // it is still there
        if (files.size() > 1)
            window->compareFiles(files);
        else
            window->openFiles(files);
        QVERIFY(QTest::qWaitFor([&] { return !reading(*window); }));
        QCoreApplication::processEvents();
        workspace = front(*window);
        path = part<ShownDocument>(window)->path();
    };
    // A command may ask for a file in a loop of its own.
    QTimer answers;
    connect(&answers, &QTimer::timeout, this, [] {
        if (auto* asking = qobject_cast<QDialog*>(QApplication::activeModalWidget()))
            asking->reject();
    });
    answers.start(1);
    bring();
    QList<QMenu*> menus;
    for (const QAction* action : window->menuBar()->actions())
        menus << action->menu();
    std::vector<std::pair<QString, QPointer<QAction>>> commands;
    for (const PaletteEntry& entry : paletteEntries(menus, *window, true))
        commands.emplace_back(entry.text, entry.action);
    QVERIFY(commands.size() > 40);
    for (const auto& [text, action] : commands) {
        if (!action || endsTheWindow(*action))
            continue; // lists that change as one walks: recent files
        action->trigger();
        QCoreApplication::processEvents();
        QVERIFY2(window->isVisible(), qPrintable(text));
        bring();
    }
    answers.stop();
    part<LibraryPanel>(window)->filterField()->clear();
    for (const QString& file : std::as_const(files))
        QVERIFY2(part<LibraryPanel>(window)->model()->known(QFileInfo(file).absoluteFilePath()) ||
                     part<LibraryPanel>(window)->model()->total() > 0,
                 qPrintable(file));
}

// The line that a filter hides has its tags, follows how its sweep stands, and does not move to another section.
void TestPaletteWalk::aFilterHidesLinesAndLosesNone()
{
    const QString path = write(QStringLiteral("hidden.json"), testing::analysisRun());
    const auto window = newWindow();
    window->resize(1280, 720);
    window->openFiles({path});
    QTRY_VERIFY(part<ShownDocument>(window)->result());
    LibraryPanel* panel = part<LibraryPanel>(window);
    panel->selectFile(path);
    QTRY_VERIFY(panel->tagsField()->isVisible());
    QTest::keyClicks(panel->tagsField(), QStringLiteral("kept"));
    QTest::keyClick(panel->tagsField(), Qt::Key_Return);
    panel->filterField()->setText(QStringLiteral("zzz"));
    QCOMPARE(panel->model()->shown(), 0);
    panel->showDocument(*part<Documents>(window)->find(path));
    panel->setState(path, RunState::Running);
    chooseLanguage(*window, QStringLiteral("zh"));
    QTest::qWait(150); // plots are drawn anew a moment later
    test::saveScreenshot(*window, QStringLiteral("library_filtered_in_chinese"));
    chooseLanguage(*window, QStringLiteral("en"));
    panel->setState(path, RunState::Running);
    panel->filterField()->clear();
    const LibraryLine* line = panel->model()->line(panel->model()->findPath(path));
    QVERIFY(line);
    QCOMPARE(line->section, LibrarySection::Open);
    QCOMPARE(line->tags, QStringList("kept"));
    QCOMPARE(line->state, static_cast<int>(RunState::Running));
}

PEAKSCOPE_TEST(TestPaletteWalk)
#include "test_palette_walk.moc"
