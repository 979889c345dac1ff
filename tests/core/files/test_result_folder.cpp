// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in a folder and is not read is said. (Tables in it: test_convert, and the command line's tests.)
#include "core/import/read_any.h"
#include "core/import/result_folder.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace peakscope;

class TestResultFolder : public QObject
{
    Q_OBJECT

private slots:
    // Folders by their names, of many by the first five; what holds no results, or is hidden, is none of them.
    void foldersInIt()
    {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        const auto add = [&](const std::string& name) {
            RunResult run;
            run.id = "one";
            return QDir(folder.path()).mkpath(QString::fromStdString(name)) &&
                   saveRunResult(run, path + "/" + name + "/result.json");
        };
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("empty")));
        QVERIFY(add("b") && add("a") && add(".hidden"));
        const auto none = readAny(path);
        QVERIFY(!none);
        QVERIFY2(none.error().message.ends_with("; folders in it hold some: a, b"), none.error().message.c_str());
        QVERIFY(add("."));
        QVERIFY(readAny(path));
        QCOMPARE(leftOutOf(path), std::vector<std::string>{path + ": left out, folders of results in it: a, b"});
        QVERIFY(add("c") && add("d") && add("e") && add("f"));
        QCOMPARE(leftOutOf(path),
                 std::vector<std::string>{path + ": left out, folders of results in it: a, b, c, d, e, … (6)"});
    }
};

PEAKSCOPE_APPLESS_TEST(TestResultFolder)
#include "test_result_folder.moc"
