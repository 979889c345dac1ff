// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Another language while something is asked or said: the Plan workspace's message and the dialog of a sweep.
#include "app/plan/plan_inputs.h"
#include "app/plan/plan_workspace.h"
#include "app/sweep/sweep_dialog.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/translations.h"
#include "tests/app/window/app_test_support.h"
#include "tests/test_room.h"
#include "widgets/plan/strategy_table_view.h"

#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace peakscope;

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

private:
    QTemporaryDir m_home;
};

// What stands on the Plan workspace is said again in the new language, with buttons that work; what it was told of a
// file stays as it was said.
void TestLanguageDialogs::whatThePlanSaysStays()
{
    const auto window = shownWindow();
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    window->planner()->inputs()->modelField()->setEditText(QStringLiteral("gpt2"));
    window->planner()->inputs()->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    window->planner()->plan();
    QTRY_VERIFY_WITH_TIMEOUT(window->planner()->result() && !window->planner()->busy(),
                             peakscope::testing::kSearchPatience);
    emit window->planner()->strategies()->activated(0);
    const QString said = window->planner()->messages()->text();
    QVERIFY(!said.isEmpty() && !inChinese(said));
    window->chooseLanguage(QStringLiteral("zh"));
    QTRY_VERIFY(inChinese(window->planner()->messages()->text()));
    const auto buttons = window->planner()->messages()->findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    QSignalSpy edited(window->planner(), &PlanWorkspace::editRequested);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    QCOMPARE(edited.count(), 1);

    window->planner()->inputs()->modelField()->setEditText(QStringLiteral("nothing-like-it"));
    window->planner()->plan();
    QTRY_VERIFY(window->planner()->messages()->text().contains(QStringLiteral("nothing-like-it")));
    window->chooseLanguage(QStringLiteral("en"));
    QTRY_COMPARE(window->menuBar()->actions().first()->text().contains(QStringLiteral("File")), true);
    QTRY_VERIFY(window->planner()->messages()->text().contains(QStringLiteral("nothing-like-it")));
}

void TestLanguageDialogs::aSweepDialogFollows()
{
    const auto window = shownWindow();
    window->newSweep();
    auto* dialog = window->findChild<SweepDialog*>();
    QVERIFY(dialog);
    dialog->keyField(0)->setCurrentText(QStringLiteral("training.lr"));
    dialog->valuesField(0)->setText(QStringLiteral("0.1, 0.2, 0.3"));
    const auto before = dialog->document();
    window->chooseLanguage(QStringLiteral("zh"));
    QTRY_VERIFY(window->findChild<SweepDialog*>() && inChinese(window->findChild<SweepDialog*>()->windowTitle()));
    QVERIFY(window->findChild<SweepDialog*>()->isVisible());
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    QVERIFY(window->findChild<SweepDialog*>()->grab().save(folder.filePath("sweep_dialog_chinese.png")));
    QVERIFY(window->findChild<SweepDialog*>()->document() == before);
}

PEAKSCOPE_TEST(TestLanguageDialogs)
#include "test_language_dialogs.moc"
