// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Another language while something is asked, said or arranged: the Plan workspace's message, the dialog of a sweep,
// docks.
#include "app/form/sweep_dialog.h"
#include "app/parts/message_bar.h"
#include "app/parts/translations.h"
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_page.h"
#include "app/run/run_page.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "widgets/plan/strategy_table_view.h"

#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

bool inChinese(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
}

std::unique_ptr<MainWindow> shownWindow()
{
    auto window = std::make_unique<MainWindow>();
    window->setSessionKept(false);
    window->resize(1280, 800);
    window->show();
    if (!QTest::qWaitForWindowExposed(window.get()))
        qWarning("the window does not show");
    return window;
}

} // namespace

class TestLanguageDialogs : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }
    void cleanup() { installTranslation(QStringLiteral("en")); }
    void whatThePlanSaysStays();
    void aSweepDialogFollows();
    void docksStayWhereTheyWere();

private:
    QTemporaryDir m_home;
};

// What stands on the Plan workspace is said again in the new language, with buttons that work; what it was told of a
// file stays as it was said.
void TestLanguageDialogs::whatThePlanSaysStays()
{
    const auto window = shownWindow();
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    part<PlanPage>(window)->inputs()->modelField()->setEditText(QStringLiteral("gpt2"));
    part<PlanPage>(window)->inputs()->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    part<PlanPage>(window)->plan();
    QTRY_VERIFY_WITH_TIMEOUT(part<PlanPage>(window)->result() && !part<PlanPage>(window)->busy(),
                             peakscope::testing::kSearchPatience);
    emit part<PlanPage>(window)->strategies()->activated(0);
    const QString said = part<PlanPage>(window)->messages()->text();
    QVERIFY(!said.isEmpty() && !inChinese(said));
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(inChinese(part<PlanPage>(window)->messages()->text()));
    const auto buttons = part<PlanPage>(window)->messages()->findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    QSignalSpy edited(part<PlanPage>(window), &PlanPage::editRequested);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    QCOMPARE(edited.count(), 1);

    part<PlanPage>(window)->inputs()->modelField()->setEditText(QStringLiteral("nothing-like-it"));
    part<PlanPage>(window)->plan();
    QTRY_VERIFY(part<PlanPage>(window)->messages()->text().contains(QStringLiteral("nothing-like-it")));
    chooseLanguage(*window, QStringLiteral("en"));
    QTRY_COMPARE(window->menuBar()->actions().first()->text().contains(QStringLiteral("File")), true);
    QTRY_VERIFY(part<PlanPage>(window)->messages()->text().contains(QStringLiteral("nothing-like-it")));
}

void TestLanguageDialogs::aSweepDialogFollows()
{
    const auto window = shownWindow();
    trigger(*window, QStringLiteral("newSweep"));
    auto* dialog = window->findChild<SweepDialog*>();
    QVERIFY(dialog);
    dialog->keyField(0)->setCurrentText(QStringLiteral("training.lr"));
    dialog->valuesField(0)->setText(QStringLiteral("0.1, 0.2, 0.3"));
    const auto before = dialog->document();
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(window->findChild<SweepDialog*>() && inChinese(window->findChild<SweepDialog*>()->windowTitle()));
    QVERIFY(window->findChild<SweepDialog*>()->isVisible());
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    QVERIFY(window->findChild<SweepDialog*>()->grab().save(folder.filePath("sweep_dialog_chinese.png")));
    QVERIFY(window->findChild<SweepDialog*>()->document() == before);
}

// What the user arranged by hand: the window's docks, those of a page, and the sizes between.
void TestLanguageDialogs::docksStayWhereTheyWere()
{
    const auto window = shownWindow();
    window->openFiles({testing::writeSmallResult(m_home, QStringLiteral("a.json"), "a")});
    QTRY_VERIFY(shownResult(*window));
    const auto docks = window->findChildren<QDockWidget*>();
    const auto named = [&docks](const char* name) {
        return *std::find_if(docks.begin(), docks.end(),
                             [name](const QDockWidget* dock) { return dock->objectName() == QLatin1String(name); });
    };
    window->addDockWidget(Qt::LeftDockWidgetArea, named("inspector"));
    window->resizeDocks({named("library")}, {310}, Qt::Horizontal);
    named("modules")->close();
    const auto places = [&docks] {
        QList<QRect> all;
        for (const QDockWidget* dock : docks) {
            if (dock->isVisible())
                all << dock->geometry();
        }
        return all;
    };
    QList<QRect> before;
    const auto settled = [&] {
        const QList<QRect> now = places();
        return std::exchange(before, now) == now;
    };
    QTRY_VERIFY(settled()); // a dock closes little by little
    const QByteArray state = window->saveState();
    const QByteArray page = part<RunPage>(window)->saveLayout();
    const QString library = named("library")->windowTitle();
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(inChinese(named("library")->windowTitle()));
    chooseLanguage(*window, QStringLiteral("en"));
    QTRY_COMPARE(named("library")->windowTitle(), library);
    QTRY_COMPARE(places(), before);
    QTRY_COMPARE(window->saveState(), state);
    QCOMPARE(part<RunPage>(window)->saveLayout(), page);
}

PEAKSCOPE_TEST(TestLanguageDialogs)
#include "test_language_dialogs.moc"
