// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the library's lines say, and that own runs, imports and samples stand apart, before and after a restart.
#include "app/library/library_delegate.h"
#include "app/library/library_panel.h"
#include "app/parts/settings.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"

#include <QTest>
#include <QTreeView>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

// "Own runs (1): opt 1×32 · …; Imports (1): …"
QStringList shelves(const MainWindow& window)
{
    const LibraryModel& model = *part<LibraryPanel>(window)->model();
    QStringList shelves;
    for (int group = 0; group < model.rowCount(); ++group) {
        const QModelIndex parent = model.index(group, 0);
        QStringList titles;
        for (int row = 0; row < model.rowCount(parent); ++row)
            titles << model.index(row, 0, parent).data().toString();
        shelves << parent.data().toString() + QStringLiteral(": ") + titles.join(QStringLiteral(", "));
    }
    return shelves;
}

} // namespace

class TestLibraryGroups : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { testing::isolate(m_home); }

    void groupsStayAfterARestart()
    {
        QVERIFY(QDir().mkpath(settings::libraryFolder()));
        const QString own = settings::libraryFolder() + QStringLiteral("/20261128T040948475-0001-156a15.json");
        QVERIFY(saveRunResult(smallResult(), own.toStdString()).ok());
        const QString import = writeSmallResult(m_home, QStringLiteral("20261128T041532881-0001-8d8f39.json"), "two");
        const QString sample = sampleFile(Sample::Noise);
        const QString title = QStringLiteral("opt 1×32 · 1×8 · adam");
        QStringList expected{QStringLiteral("Own runs (1): ") + title, QStringLiteral("Imports (1): ") + title,
                             QStringLiteral("Samples (1): opt 2×64 · 16×64 · noise in weights")};
        {
            const auto window = newWindow();
            window->openFiles({own, import, sample});
            QTRY_VERIFY(!reading(*window));
            QTRY_COMPARE(shelves(*window), expected);
            const LibraryPanel* library = part<LibraryPanel>(window);
            const QModelIndex line = library->model()->findPath(own);
            const QString detail = line.data(LibraryDelegate::DetailRole).toString();
            QVERIFY2(detail.startsWith(QStringLiteral("peak 6.00 MiB · ")), qPrintable(detail));
            QVERIFY2(detail.endsWith(QStringLiteral(" · complete")), qPrintable(detail));
            // The line is clicked: the window is called as the line is, not by digits.
            QTest::mouseClick(library->view()->viewport(), Qt::LeftButton, Qt::NoModifier,
                              library->view()->visualRect(line).center());
            QTRY_COMPARE(part<ShownDocument>(window)->path(), own);
            QCOMPARE(window->windowTitle(), title + QStringLiteral(" – Peakscope"));
            window->close();
        }
        const auto restored = std::make_unique<MainWindow>();
        restored->restoreSession();
        restored->show();
        QTRY_COMPARE(shelves(*restored), expected);
        // Nothing comes back, and files opened lately are still told by what they hold.
        const auto fresh = newWindow();
        expected.removeLast();
        QTRY_COMPARE(shelves(*fresh), expected);
    }

private:
    QTemporaryDir m_home;
};

PEAKSCOPE_TEST(TestLibraryGroups)
#include "test_library_groups.moc"
