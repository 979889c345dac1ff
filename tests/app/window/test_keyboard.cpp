// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window without a mouse: the start page's tab order, the key that starts a run, one place for a search, and names
// of all controls for those who hear them.
#include "app/form/program_dialog.h"
#include "app/library/library_panel.h"
#include "app/parts/message_bar.h"
#include "app/window/start_page.h"
#include "core/base/file.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QScrollBar>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

// What a screen reader would have nothing to say of. Parts that Qt makes have their owner's name.
QStringList nameless(const QWidget& place)
{
    QStringList found;
    for (const QWidget* widget : place.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus ||
            widget->objectName().startsWith(QLatin1String("qt_")))
            continue;
        const bool control = qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
                             qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
                             qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const PlotView*>(widget);
        const QWidget* owner = widget->parentWidget();
        if (!control || qobject_cast<const QComboBox*>(owner) || qobject_cast<const QAbstractSpinBox*>(owner))
            continue;
        const QAccessibleInterface* heard = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
        if (!heard || heard->text(QAccessible::Name).isEmpty())
            found << QStringLiteral("%1 '%2' in %3 '%4'")
                         .arg(QString::fromLatin1(widget->metaObject()->className()), widget->objectName(),
                              QString::fromLatin1(owner->metaObject()->className()), owner->objectName());
    }
    return found;
}

} // namespace

class TestKeyboard : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void init() { testing::useFakeWorker("complete"); }

    void tabGoesFromDoorToDoor()
    {
        settings::addRecentFile(writeSmallResult(m_home, QStringLiteral("lately.json"), "lately"));
        const auto window = newWindow();
        window->openFiles({writeSmallResult(m_home, QStringLiteral("shown.json"), "shown")});
        QTRY_VERIFY(shownResult(*window));
        QTest::keyClick(window.get(), Qt::Key_Home, Qt::AltModifier);
        const auto* page = part<StartPage>(*window);
        QTRY_VERIFY(page->timeline());
        QStringList walked;
        QWidget* last = nullptr;
        for (int i = 0; i < 30; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            QWidget* at = QApplication::focusWidget();
            if (!at || !page->isAncestorOf(at) || at == last)
                break;
            last = at;
            walked << at->objectName();
        }
        walked.removeAll(QString()); // fields and files, which have no object names
        const QStringList doors{"demoResult",  "demoRun",     "openDoor",   "planDoor",
                                "programDoor", "profileDoor", "runDoor",    "out_of_memory",
                                "plan_result", "fit_result",  "demo_result"};
        QCOMPARE(walked, doors);
        QVERIFY2(last && qobject_cast<QAbstractButton*>(last)->text().contains(QStringLiteral("lately.json")),
                 qPrintable(last->objectName()));
    }

    void aKeyStartsARun()
    {
        const auto window = newWindow();
        waitForForm(*window);
        QTest::keyClick(window.get(), Qt::Key_N, Qt::ControlModifier);
        RunPanel* panel = part<RunPage>(window)->panel();
        panel->setDocument(smallExperiment());
        QTRY_VERIFY(panel->runButton()->isEnabled());
        QVERIFY2(panel->runButton()->toolTip().contains(QStringLiteral("Ctrl+Return")),
                 qPrintable(panel->runButton()->toolTip()));
        QVERIFY(part<RunQueue>(window)->ids().empty());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(part<RunQueue>(window)->ids().size(), std::size_t(1));
        QTRY_VERIFY(!part<RunQueue>(window)->busy());
    }

    // Ctrl+F goes to the field that finds, and what is typed there stands nowhere else.
    void aSearchStandsInOnePlace()
    {
        const auto window = newWindow();
        auto* search = window->findChild<QLineEdit*>(QStringLiteral("search"));
        QLineEdit* filter = part<LibraryPanel>(window)->filterField();
        const auto find = [&] {
            QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
            QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("fc1"));
        };
        QVERIFY(!search->isEnabled()); // the start page has no tables
        find();
        QCOMPARE(filter->text(), QStringLiteral("fc1"));
        QCOMPARE(search->text(), QString());
        filter->clear();
        window->openFiles({writeSmallResult(m_home, QStringLiteral("search.json"), "search")});
        QTRY_VERIFY(shownResult(*window));
        QTRY_VERIFY(search->isEnabled());
        find();
        QCOMPARE(search->text(), QStringLiteral("fc1"));
        QCOMPARE(filter->text(), QString());
        QTest::keyClick(window.get(), Qt::Key_4, Qt::ControlModifier);
        QVERIFY(!search->isEnabled());
        QCOMPARE(filter->text(), QString());
    }

    // A program that was taken for a result is one step from being run dry.
    void aProgramIsOfferedItsDryRun()
    {
        const QString program = m_home.filePath(QStringLiteral("my train.py"));
        QVERIFY(writeFileAtomically(program.toStdString(), "import torch\n").ok());
        const auto window = newWindow();
        window->openFiles({program});
        QTRY_VERIFY(window->messages()->text().contains(QStringLiteral("not a result, a trace or a snapshot")));
        QVERIFY(press(*window, QStringLiteral("Dry-run this program…")));
        const auto* dialog = part<ProgramDialog>(window);
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(dialog->commandField()->text(), QStringLiteral("python '%1'").arg(program));
    }

    void everyControlHasAName()
    {
        const auto window = newWindow();
        waitForForm(*window);
        QStringList missing;
        const auto look = [&](const QString& where, const QWidget& place) {
            QCoreApplication::processEvents();
            for (const QString& each : nameless(place))
                missing << where + QStringLiteral(": ") + each;
        };
        look(QStringLiteral("start"), *window);
        for (const int key : {Qt::Key_1, Qt::Key_2, Qt::Key_3, Qt::Key_4}) {
            QTest::keyClick(window.get(), static_cast<Qt::Key>(key), Qt::ControlModifier);
            look(front(*window) + QStringLiteral(", empty"), *window);
        }
        for (const Sample sample : {Sample::Training, Sample::Noise, Sample::OutOfMemory, Sample::Plan, Sample::Fit}) {
            window->openFiles({sampleFile(sample)});
            QTRY_VERIFY(!reading(*window) && !window->busy());
            look(sampleFile(sample).section(u'/', -1), *window);
        }
        for (const char* action :
             {"newSweep", "compareMethods", "program", "machines", "export", "board", "commands"}) {
            trigger(*window, QString::fromLatin1(action));
            for (QDialog* dialog : window->findChildren<QDialog*>()) {
                if (!dialog->isVisible())
                    continue;
                look(QString::fromLatin1(action), *dialog);
                dialog->close();
            }
        }
        missing.removeDuplicates();
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u'\n')));
    }

private:
    QTemporaryDir m_home;
};

PEAKSCOPE_TEST(TestKeyboard)
#include "test_keyboard.moc"
