// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The figure board as people use it: figures added, ordered, named and removed by mouse and keys, written to a file;
// and the same from the command line.
#include "app/export/board_dialog.h"
#include "app/export/export_dialog.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "app/parts/theme_controller.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

using namespace peakscope;
using namespace peakscope::testing;

class TestBoard : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void figuresAreAddedFromTheWindow();
    void keysOrderAndRemove();
    void aDragOrders();
    void captionsAreEdited();
    void columnsAndSizes();
    void itIsSaved();
    void theExportWindowSendsFigures();
    void itSurvivesAnotherLanguage();
    void theCommandLineDraws_data();
    void theCommandLineDraws();

private:
    std::unique_ptr<MainWindow> window()
    {
        auto made = std::make_unique<MainWindow>();
        made->show();
        if (!QTest::qWaitForWindowActive(made.get()))
            qWarning("the window does not show");
        made->openFiles({write("one")});
        if (!QTest::qWaitFor([&] { return shownResult(*made) != nullptr; }))
            qWarning("nothing opened");
        return made;
    }
    // With three figures of the result in front.
    BoardDialog* filled(MainWindow& window)
    {
        QTest::keyClick(&window, Qt::Key_B, Qt::ControlModifier);
        auto* dialog = window.findChild<BoardDialog*>();
        for (const char* figure : {"memory_timeline", "operation_level_breakdown", "detailed_memory_analysis"})
            dialog->addPanel(figure, {shownResult(window)});
        return dialog;
    }
    QString write(const char* id)
    {
        RunResult result = testing::smallResult();
        result.id = id;
        const QString path = m_home.filePath(QLatin1String(id) + QStringLiteral(".json"));
        if (!saveRunResult(result, path.toStdString()))
            qWarning("can't write %s", qPrintable(path));
        return path;
    }
    static std::vector<std::string> figures(const BoardDialog& dialog)
    {
        std::vector<std::string> names;
        for (const BoardPanel& panel : dialog.board().panels)
            names.push_back(panel.figure);
        return names;
    }

    QTemporaryDir m_home;
};

using Names = std::vector<std::string>;

void TestBoard::initTestCase()
{
    testing::isolate(m_home);
    applyTheme(Theme::Light);
}

void TestBoard::init()
{
    QDir(m_home.filePath(QStringLiteral("config"))).removeRecursively();
    testing::useFakeWorker("complete");
}

void TestBoard::figuresAreAddedFromTheWindow()
{
    const auto window = this->window();
    QTest::keyClick(window.get(), Qt::Key_B, Qt::ControlModifier);
    auto* dialog = window->findChild<BoardDialog*>();
    QVERIFY(dialog && dialog->isVisible() && !dialog->isModal());
    QVERIFY(!dialog->removeButton()->isEnabled());
    QMenu* menu = dialog->addButton()->menu();
    menu->popup(dialog->mapToGlobal(QPoint(10, 10)));
    QTRY_VERIFY(menu->isVisible());
    QAction* first = menu->actions().value(0);
    QVERIFY(first);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(first).center());
    QCOMPARE(dialog->board().panels.size(), std::size_t(1));
    QCOMPARE(dialog->list()->count(), 1);
    QCOMPARE(dialog->list()->item(0)->text(), first->text());
    for (std::size_t i = 1; i < FigureBoard::kMostPanels + 1; ++i)
        dialog->addPanel("memory_timeline", {shownResult(*window)});
    QCOMPARE(dialog->board().panels.size(), FigureBoard::kMostPanels);
    QVERIFY(dialog->messages()->text().contains(QStringLiteral("12")));
}

void TestBoard::keysOrderAndRemove()
{
    const auto window = this->window();
    BoardDialog* dialog = filled(*window);
    QListWidget* list = dialog->list();
    dialog->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    list->setFocus();
    QTRY_VERIFY(list->hasFocus());
    list->setCurrentRow(2);
    QTest::keyClick(list, Qt::Key_Up, Qt::ControlModifier);
    QTRY_COMPARE(figures(*dialog), (Names{"memory_timeline", "detailed_memory_analysis", "operation_level_breakdown"}));
    QCOMPARE(list->currentRow(), 1);
    QTest::mouseClick(dialog->upButton(), Qt::LeftButton);
    QCOMPARE(list->currentRow(), 0);
    QVERIFY(!dialog->upButton()->isEnabled());
    QTest::mouseClick(dialog->downButton(), Qt::LeftButton);
    QCOMPARE(figures(*dialog), (Names{"memory_timeline", "detailed_memory_analysis", "operation_level_breakdown"}));
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(figures(*dialog), (Names{"memory_timeline", "operation_level_breakdown"}));
    QTest::mouseClick(dialog->removeButton(), Qt::LeftButton);
    QTest::mouseClick(dialog->removeButton(), Qt::LeftButton);
    QVERIFY(figures(*dialog).empty());
    QVERIFY(!dialog->removeButton()->isEnabled());
}

void TestBoard::aDragOrders()
{
    const auto window = this->window();
    BoardDialog* dialog = filled(*window);
    QCOMPARE(int(dialog->list()->dragDropMode()), int(QAbstractItemView::InternalMove));
    // What the view does when a dragged line is dropped at the top, and at the end.
    QVERIFY(dialog->list()->model()->moveRow({}, 2, {}, 0));
    QCOMPARE(figures(*dialog), (Names{"detailed_memory_analysis", "memory_timeline", "operation_level_breakdown"}));
    QVERIFY(dialog->list()->model()->moveRow({}, 0, {}, 3));
    QCOMPARE(figures(*dialog), (Names{"memory_timeline", "operation_level_breakdown", "detailed_memory_analysis"}));
}

void TestBoard::captionsAreEdited()
{
    const auto window = this->window();
    BoardDialog* dialog = filled(*window);
    QListWidget* list = dialog->list();
    list->setFocus();
    list->setCurrentRow(1);
    const QString own = list->item(1)->text();
    const auto edit = [list](const QString& text) {
        QTest::keyClick(list, Qt::Key_F2);
        auto* field = list->findChild<QLineEdit*>();
        if (!field)
            return;
        field->selectAll();
        text.isEmpty() ? QTest::keyClick(field, Qt::Key_Delete) : QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    };
    edit(QStringLiteral("What operators take"));
    QTRY_COMPARE(dialog->board().panels[1].caption, QStringLiteral("What operators take"));
    // It goes with its figure, and an empty one is the figure's own again.
    QTest::mouseClick(dialog->upButton(), Qt::LeftButton);
    QCOMPARE(dialog->board().panels[0].caption, QStringLiteral("What operators take"));
    list->setFocus();
    edit({});
    QTRY_VERIFY(dialog->board().panels[0].caption.isEmpty());
    QCOMPARE(list->item(0)->text(), own);
}

void TestBoard::columnsAndSizes()
{
    const auto window = this->window();
    BoardDialog* dialog = filled(*window);
    const auto size = [dialog] {
        for (const QLabel* label : dialog->findChildren<QLabel*>()) {
            if (label->text().contains(QStringLiteral(" mm")))
                return label->text();
        }
        return QString();
    };
    QTRY_VERIFY2(size().startsWith(QStringLiteral("171 ×")), qPrintable(size())); // 6.75 inches
    QVERIFY(size().contains(QStringLiteral("columns: 2")));
    dialog->columnsField()->setFocus();
    dialog->columnsField()->selectAll();
    QTest::keyClicks(dialog->columnsField(), QStringLiteral("1"));
    QTRY_VERIFY(size().contains(QStringLiteral("columns: 1")));
    dialog->columnsField()->setValue(4);
    QTRY_VERIFY(size().contains(QStringLiteral("need a wider page")));
    dialog->presetField()->setCurrentText(QStringLiteral("icml-column"));
    QTRY_VERIFY(size().startsWith(QStringLiteral("83 ×")));
}

void TestBoard::itIsSaved()
{
    const auto window = this->window();
    BoardDialog* dialog = filled(*window);
    for (const char* suffix : {"pdf", "svg", "png"}) {
        const QString file = m_home.filePath(QStringLiteral("board.") + QLatin1String(suffix));
        QVERIFY(dialog->save(file));
        QVERIFY(QFileInfo(file).size() > 3000);
        QVERIFY(dialog->messages()->text().contains(file));
    }
    QVERIFY(QImage(m_home.filePath(QStringLiteral("board.png"))).width() > 1000);
    QVERIFY(!dialog->save(QStringLiteral("/proc/nowhere/board.pdf")));
    QVERIFY(dialog->messages()->text().contains(QStringLiteral("/proc/nowhere")));
}

void TestBoard::theExportWindowSendsFigures()
{
    const auto window = this->window();
    part<FigureExport>(window)->showFigure(QStringLiteral("memory_timeline"));
    auto* button = window->findChild<QPushButton*>(QStringLiteral("toBoard"));
    QVERIFY(button);
    QTest::mouseClick(button, Qt::LeftButton);
    auto* dialog = window->findChild<BoardDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(figures(*dialog), Names{"memory_timeline"});
    QCOMPARE(dialog->board().panels[0].results.front(), shownResult(*window));
}

void TestBoard::itSurvivesAnotherLanguage()
{
    const auto window = this->window();
    BoardDialog* dialog = filled(*window);
    dialog->columnsField()->setValue(1);
    dialog->presetField()->setCurrentText(QStringLiteral("slide"));
    dialog->formatField()->setCurrentText(QStringLiteral("png"));
    chooseLanguage(*window, QStringLiteral("zh"));
    QVERIFY(dialog->isVisible());
    QCOMPARE(dialog->board().panels.size(), std::size_t(3));
    QCOMPARE(dialog->board().columns, 1);
    QCOMPARE(dialog->presetField()->currentText(), QStringLiteral("slide"));
    QCOMPARE(dialog->formatField()->currentText(), QStringLiteral("png"));
    QTRY_COMPARE(dialog->windowTitle(), QStringLiteral("图板"));
    chooseLanguage(*window, QStringLiteral("en"));
    QTRY_COMPARE(window->findChild<BoardDialog*>()->windowTitle(), QStringLiteral("Figure board"));
}

void TestBoard::theCommandLineDraws_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* name, const QStringList& words, int status, const QString& said) {
        QTest::newRow(name) << words << status << said;
    };
    row("all runs in each", {"--figure", "board:memory_timeline,memory_breakdown_comparison"}, 0, "out.pdf");
    row("runs by number", {"--figure", "board:memory_timeline@1,memory_timeline@2,memory_breakdown_comparison@1+2"}, 0,
        "out.pdf");
    row("columns and size", {"--figure", "board:memory_timeline", "--columns", "1", "--preset", "ieee-page"}, 0,
        "out.pdf");
    row("in Chinese", {"--figure", "board:memory_timeline", "--language", "zh"}, 0, "out.pdf");
    row("an unknown figure", {"--figure", "board:memory_timeline,rocket"}, 2, "rocket");
    row("a run that is not there", {"--figure", "board:memory_timeline@3"}, 2, "1 to 2");
    row("no number", {"--figure", "board:memory_timeline@x"}, 2, "1 to 2");
    row("nothing on it", {"--figure", "board:"}, 2, "unknown figure");
    row("a figure that they do not hold", {"--figure", "board:hessian_spectrum"}, 2, "panel 1");
    row("columns without a board", {"--figure", "memory_timeline", "--columns", "2"}, 2, "board");
    row("columns that are none", {"--figure", "board:memory_timeline", "--columns", "many"}, 2, "--columns");
}

void TestBoard::theCommandLineDraws()
{
    QFETCH(QStringList, words);
    QFETCH(int, status);
    QFETCH(QString, said);
    const QString out = m_home.filePath(QStringLiteral("out.pdf"));
    QFile::remove(out);
    QProcess process;
    process.start(QStringLiteral(PEAKSCOPE_BINARY_DIR "/peakscope"),
                  QStringList{QStringLiteral("export"), write("a"), write("b"), QStringLiteral("--out"), out} + words);
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), status);
    const QString text = QString::fromUtf8(status ? process.readAllStandardError() : process.readAllStandardOutput());
    QVERIFY2(text.contains(said), qPrintable(text));
    QCOMPARE(text.count(u'\n'), 1);
    QCOMPARE(QFileInfo::exists(out), status == 0);
}

PEAKSCOPE_TEST(TestBoard)
#include "test_board.moc"
