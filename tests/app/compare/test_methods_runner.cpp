// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of methods that goes on while the user does something else: told of, stopped, and offered at its end.
#include "app/compare/compare_page.h"
#include "app/compare/methods_runner.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "core/base/output_lock.h"
#include "core/results/sweeps/compared_method.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace peakscope;
using namespace peakscope::testing;

class TestMethodsRunner : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }
    void init();
    void isStoppedWhateverIsOpened();
    void staysClosedByTheUser();
    void takesThePlaceOfNothing();
    void isOfferedBesideAnother();
    void isGoneOnWithByAnotherWindow();
    void allThatAreLeftAreOffered();
    void isToldOfWhileAnotherProcessRunsIt();

private:
    QString write(const QString& name)
    {
        RunResult result = smallResult();
        result.id = name.toStdString();
        const QString path = m_home.filePath(QStringLiteral("runs/") + name);
        QDir().mkpath(QFileInfo(path).absolutePath());
        if (!saveRunResult(result, path.toStdString()))
            qWarning("can't write %s", qPrintable(path));
        return path;
    }
    QString folder() const { return m_home.filePath(QStringLiteral("methods")); }
    void start(const MainWindow& window) const
    {
        part<MethodsRunner>(window)->start(smallExperiment(), {QStringLiteral("vanilla"), QStringLiteral("ghost")}, 2,
                                           folder());
    }
    void goOn() const
    {
        QFile file(folder() + QStringLiteral("/go"));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    static bool comparing(const MainWindow& window) // all that it does before it waits is told
    {
        return window.messages()->text().contains(
            QStringLiteral("3 of 6 processes are done. Now: ghost, round 1 of 2."));
    }
    static QPushButton* button(const MainWindow& window, const char* text)
    {
        for (QPushButton* each : window.messages()->findChildren<QPushButton*>()) {
            if (each->isVisible() && each->text() == QLatin1String(text))
                return each;
        }
        return nullptr;
    }
    static QStringList shown(const MainWindow& window)
    {
        QStringList ids;
        for (const RunDocument& run : part<ComparePage>(window)->runs())
            ids << QString::fromStdString(run.result->id);
        return ids;
    }

    QTemporaryDir m_home;
};

void TestMethodsRunner::init()
{
    for (const char* each : {"config", "data", "runs", "methods"})
        QDir(m_home.filePath(QString::fromLatin1(each))).removeRecursively();
    useFakeWorker("slow");
}

void TestMethodsRunner::isStoppedWhateverIsOpened()
{
    const auto window = newWindow();
    const auto* stop = window->findChild<QAction*>(QStringLiteral("stop"));
    QVERIFY(!stop->isEnabled());
    start(*window);
    QVERIFY(stop->isEnabled());
    QTRY_VERIFY2(comparing(*window), qPrintable(window->messages()->text()));
    const QString path = write(QStringLiteral("a.json"));
    window->openFiles({path});
    QTRY_COMPARE(part<ShownDocument>(window)->path(), path);
    QTRY_VERIFY2(comparing(*window) && button(*window, "Stop"), qPrintable(window->messages()->text()));
    QVERIFY(stop->isEnabled());
    QSignalSpy over(part<MethodsRunner>(window), &MethodsRunner::finished);
    trigger(*window, QStringLiteral("stop"));
    QTRY_COMPARE(over.count(), 1);
    QCOMPARE(over[0][0].toInt(), 4);
    QCOMPARE(window->messages()->text(), QStringLiteral("The comparison was stopped."));
    QVERIFY(!stop->isEnabled());
}

void TestMethodsRunner::staysClosedByTheUser()
{
    const auto window = newWindow();
    start(*window);
    QTRY_VERIFY(comparing(*window));
    QSignalSpy closed(window->messages(), &MessageBar::closedByUser);
    window->messages()->findChild<QToolButton*>()->click();
    QCOMPARE(closed.count(), 1);
    const QString path = write(QStringLiteral("a.json"));
    window->openFiles({path});
    QTRY_COMPARE(part<ShownDocument>(window)->path(), path);
    QTest::qWait(1200); // it looks twice a second
    QCOMPARE(window->messages()->text(), QString());
    trigger(*window, QStringLiteral("compareMethods")); // asked for again
    QTRY_VERIFY(comparing(*window));
}

// Nothing else was opened since it began: its result is shown.
void TestMethodsRunner::takesThePlaceOfNothing()
{
    const auto window = newWindow();
    start(*window);
    QTRY_VERIFY(comparing(*window));
    // What has ended stands side by side while times are still measured.
    QTRY_COMPARE(part<ComparePage>(window)->runs().size(), std::size_t{2});
    QCOMPARE(front(*window), QStringLiteral("compare"));
    QVERIFY(part<ComparePage>(window)->runs()[0].path.endsWith(QStringLiteral("vanilla-memory.json")));
    QCOMPARE(part<ComparePage>(window)->runs()[0].result->other["comparison"]["methods"],
             nlohmann::json({"vanilla", "ghost"})); // what they are called by
    QVERIFY(comparing(*window));
    goOn();
    QTRY_VERIFY(part<ComparePage>(window)->runs()[0].path.endsWith(QStringLiteral("vanilla_result.json")));
    QCOMPARE(shown(*window), (QStringList{"fake-vanilla", "fake-ghost"}));
    QCOMPARE(front(*window), QStringLiteral("compare"));
    QVERIFY(window->messages()->text().startsWith(QStringLiteral("The comparison is complete")));
    QVERIFY(!button(*window, "Show"));
    QTRY_VERIFY_WITH_TIMEOUT(window->messages()->text().isEmpty(), 15000); // it was read
}

void TestMethodsRunner::isOfferedBesideAnother()
{
    const auto window = newWindow();
    window->compareFiles({write(QStringLiteral("a.json")), write(QStringLiteral("b.json"))});
    QTRY_COMPARE(shown(*window).size(), 2);
    start(*window);
    QTRY_VERIFY(comparing(*window));
    window->compareFiles({write(QStringLiteral("a.json")), write(QStringLiteral("c.json"))});
    const QStringList looked{"a.json", "c.json"};
    QTRY_COMPARE(shown(*window), looked);
    QSignalSpy over(part<MethodsRunner>(window), &MethodsRunner::finished);
    goOn();
    QTRY_COMPARE(over.count(), 1);
    QTRY_VERIFY2(button(*window, "Show"), qPrintable(window->messages()->text()));
    QVERIFY(window->messages()->text().startsWith(QStringLiteral("The comparison is complete")));
    QCOMPARE(shown(*window), looked);
    QTest::mouseClick(button(*window, "Show"), Qt::LeftButton);
    QTRY_COMPARE(shown(*window), (QStringList{"fake-vanilla", "fake-ghost"}));
    QVERIFY(window->messages()->isHidden());
}

// A window that was killed, or closed while it waited, left it in the library.
void TestMethodsRunner::isGoneOnWithByAnotherWindow()
{
    const QString left = QDir(settings::libraryFolder()).filePath(QStringLiteral("methods-left"));
    QVERIFY(QDir().mkpath(left + QStringLiteral("/.runs")));
    QVERIFY(writeComparisonHead({{"vanilla", "ghost"}, 2, "session", smallExperiment()}, left.toStdString()));
    const auto window = newWindow();
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("The comparison methods-left was interrupted")),
                 qPrintable(window->messages()->text()));
    QTest::mouseClick(button(*window, "Go on"), Qt::LeftButton);
    QTRY_VERIFY2(comparing(*window), qPrintable(window->messages()->text()));
    QCOMPARE(readComparisonHead(left.toStdString())->session, std::string("session")); // it goes on, not anew
    QSignalSpy over(part<MethodsRunner>(window), &MethodsRunner::finished);
    trigger(*window, QStringLiteral("stop"));
    QTRY_COMPARE(over.count(), 1);
    const auto next = newWindow();
    QTRY_VERIFY(button(*next, "Discard it"));
    QTest::mouseClick(button(*next, "Discard it"), Qt::LeftButton);
    QVERIFY(!QFile::exists(left + QStringLiteral("/.runs")));
}

// As soon as no other message stands there, and whatever is opened meanwhile.
void TestMethodsRunner::allThatAreLeftAreOffered()
{
    for (const char* name : {"methods-one", "methods-two"}) {
        const QString left = QDir(settings::libraryFolder()).filePath(QLatin1String(name));
        QVERIFY(QDir().mkpath(left + QStringLiteral("/.runs")));
        QVERIFY(writeComparisonHead({{"vanilla", "ghost"}, 2, "session", smallExperiment()}, left.toStdString()));
    }
    const auto window = newWindow();
    const auto offered = [&window] {
        const QString text = window->messages()->text();
        return text.contains(QStringLiteral("methods-one")) && text.contains(QStringLiteral("methods-two"));
    };
    QTRY_VERIFY2(offered(), qPrintable(window->messages()->text()));
    const QString path = write(QStringLiteral("a.json"));
    window->openFiles({path});
    QTRY_COMPARE(part<ShownDocument>(window)->path(), path);
    QTRY_VERIFY2(offered(), qPrintable(window->messages()->text()));
    window->messages()->showMessage(MessageBar::Kind::Info, QStringLiteral("another"));
    window->messages()->dismiss();
    QTRY_VERIFY2(offered(), qPrintable(window->messages()->text()));
    QTest::mouseClick(button(*window, "Go on"), Qt::LeftButton);
    QTRY_VERIFY2(comparing(*window), qPrintable(window->messages()->text()));
    auto* runner = part<MethodsRunner>(window);
    QSignalSpy begun(runner, &MethodsRunner::begun);
    trigger(*window, QStringLiteral("stop"));
    QTRY_COMPARE(begun.count(), 1); // the second one
    QTRY_VERIFY2(comparing(*window), qPrintable(window->messages()->text()));
    QSignalSpy over(runner, &MethodsRunner::finished);
    trigger(*window, QStringLiteral("stop"));
    QTRY_COMPARE(over.count(), 1);
    const auto next = newWindow();
    QTRY_VERIFY(button(*next, "Discard them"));
    QTest::mouseClick(button(*next, "Discard them"), Qt::LeftButton);
    QVERIFY(!QFile::exists(QDir(settings::libraryFolder()).filePath(QStringLiteral("methods-one/.runs"))));
    QVERIFY(next->messages()->text().isEmpty());
}

void TestMethodsRunner::isToldOfWhileAnotherProcessRunsIt()
{
    const QString left = QDir(settings::libraryFolder()).filePath(QStringLiteral("methods-alive"));
    QVERIFY(QDir().mkpath(left + QStringLiteral("/.runs")));
    QVERIFY(writeComparisonHead({{"vanilla", "ghost"}, 2, "session", smallExperiment()}, left.toStdString()));
    const auto lock = OutputLock::take(left.toStdString());
    QVERIFY(lock);
    const auto window = newWindow();
    QTRY_VERIFY2(window->messages()->text().contains(QStringLiteral("methods-alive has been running")),
                 qPrintable(window->messages()->text()));
    QVERIFY(!button(*window, "Go on"));
}

PEAKSCOPE_TEST(TestMethodsRunner)
#include "test_methods_runner.moc"
