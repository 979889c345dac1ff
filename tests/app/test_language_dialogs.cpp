// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Another language while something is asked or said: the Plan workspace's message and the dialog of a sweep.
#include "app/message_bar.h"
#include "app/plan_inputs.h"
#include "app/plan_workspace.h"
#include "app/sweep_dialog.h"
#include "app/translations.h"
#include "tests/app/app_test_support.h"
#include "tests/app/window_parts.h"
#include "widgets/strategy_table_view.h"

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

private:
    QTemporaryDir m_home;
};

// What stands on the Plan workspace is said again in the new language, with buttons that work; what it was told of a
// file stays as it was said.
void TestLanguageDialogs::whatThePlanSaysStays()
{
    const auto window = shownWindow();
    QTest::keyClick(window.get(), Qt::Key_1, Qt::ControlModifier);
    part<PlanWorkspace>(window)->inputs()->modelField()->setEditText(QStringLiteral("gpt2"));
    part<PlanWorkspace>(window)->inputs()->deviceField()->setEditText(QStringLiteral("a100-40gb"));
    part<PlanWorkspace>(window)->plan();
    QTRY_VERIFY_WITH_TIMEOUT(part<PlanWorkspace>(window)->result() && !part<PlanWorkspace>(window)->busy(),
                             peakscope::testing::kSearchPatience);
    emit part<PlanWorkspace>(window)->strategies()->activated(0);
    const QString said = part<PlanWorkspace>(window)->messages()->text();
    QVERIFY(!said.isEmpty() && !inChinese(said));
    chooseLanguage(*window, QStringLiteral("zh"));
    QTRY_VERIFY(inChinese(part<PlanWorkspace>(window)->messages()->text()));
    const auto buttons = part<PlanWorkspace>(window)->messages()->findChildren<QPushButton*>();
    QCOMPARE(buttons.size(), 2);
    QSignalSpy edited(part<PlanWorkspace>(window), &PlanWorkspace::editRequested);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    QCOMPARE(edited.count(), 1);

    part<PlanWorkspace>(window)->inputs()->modelField()->setEditText(QStringLiteral("nothing-like-it"));
    part<PlanWorkspace>(window)->plan();
    QTRY_VERIFY(part<PlanWorkspace>(window)->messages()->text().contains(QStringLiteral("nothing-like-it")));
    chooseLanguage(*window, QStringLiteral("en"));
    QTRY_COMPARE(window->menuBar()->actions().first()->text().contains(QStringLiteral("File")), true);
    QTRY_VERIFY(part<PlanWorkspace>(window)->messages()->text().contains(QStringLiteral("nothing-like-it")));
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

QTEST_MAIN(TestLanguageDialogs)
#include "test_language_dialogs.moc"
