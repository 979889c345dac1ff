// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that this one starts: their streams, their ends, and what they leave running.
#include "core/base/child_process.h"
#include "core/base/file.h"
#include "tests/test_room.h"

#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <csignal>

using namespace peakscope;

namespace {

std::vector<std::string> shell(const std::string& script)
{
    return {"sh", "-c", script};
}

} // namespace

class TestChildProcess : public QObject
{
    Q_OBJECT

private slots:
    void ends_data();
    void ends();
    void streams();
    void aPipeIsRead();
    void whatCannotBeStarted();
    void nothingIsLeftOfAGroup();
    void anObjectThatGoesTakesItAlong();
};

void TestChildProcess::ends_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<int>("signal");
    QTest::newRow("well") << QByteArray("exit 0") << 0 << 0;
    QTest::newRow("badly") << QByteArray("exit 3") << 3 << 0;
    QTest::newRow("killed") << QByteArray("kill -KILL $$") << -1 << SIGKILL;
}

void TestChildProcess::ends()
{
    QFETCH(const QByteArray, script);
    auto child = ChildProcess::start({.words = shell(script.toStdString())});
    QVERIFY(child);
    std::optional<ChildEnd> end;
    const auto isOver = [&] { return end || (end = child->end()); };
    QTRY_VERIFY(isOver());
    QTEST(end->exitCode, "exitCode");
    QTEST(end->signal, "signal");
    QVERIFY(!child->running() && !child->end());
}

void TestChildProcess::streams()
{
    const QTemporaryDir folder;
    const std::string out = folder.filePath(QStringLiteral("out")).toStdString(),
                      errors = folder.filePath(QStringLiteral("errors")).toStdString();
    auto child = ChildProcess::start({.words = shell("cat; echo said; echo wrong >&2; echo $MARK"),
                                      .environment = {"PATH=/usr/bin:/bin", "MARK=its own"},
                                      .input = ChildStream::Nowhere,
                                      .output = ChildStream::File,
                                      .errors = ChildStream::File,
                                      .outputFile = out,
                                      .errorsFile = errors});
    QVERIFY(child);
    QCOMPARE(child->wait().exitCode, 0);
    QCOMPARE(*readTextFile(out), std::string("said\nits own\n"));
    QCOMPARE(*readTextFile(errors), std::string("wrong\n"));
}

void TestChildProcess::aPipeIsRead()
{
    auto child = ChildProcess::start({.words = shell("echo said; echo wrong >&2; head -c 100000 /dev/zero"),
                                      .output = ChildStream::Pipe,
                                      .joinsErrors = true});
    QVERIFY(child);
    const std::string text = child->readOutput();
    QCOMPARE(text.size(), std::size_t{100'011});
    QVERIFY(text.starts_with("said\nwrong\n"));
    QCOMPARE(child->wait().exitCode, 0);
}

void TestChildProcess::whatCannotBeStarted()
{
    const auto child = ChildProcess::start({.words = {"/nowhere/at all", "x"}, .output = ChildStream::Pipe});
    QVERIFY(!child);
    QCOMPARE(child.error().code, ErrorCode::BadInput);
    QCOMPARE(child.error().text(), std::string("/nowhere/at all can't be started: No such file or directory"));
    const auto file =
        ChildProcess::start({.words = {"true"}, .output = ChildStream::File, .outputFile = "/nowhere/at all"});
    QVERIFY(!file);
}

// Its own children end with it, those that take no request to end as well.
void TestChildProcess::nothingIsLeftOfAGroup()
{
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("id")).toStdString();
    auto child = ChildProcess::start(
        {.words = shell("(trap '' TERM; exec sleep 60) & echo $! > '" + file + "'; exit 0"), .ownGroup = true});
    QVERIFY(child);
    QCOMPARE(child->wait().exitCode, 0);
    const pid_t grandchild = std::stoi(*readTextFile(file));
    QTRY_VERIFY(::kill(grandchild, 0) != 0 && errno == ESRCH);
}

void TestChildProcess::anObjectThatGoesTakesItAlong()
{
    pid_t id = 0;
    {
        auto child = ChildProcess::start({.words = shell("exec sleep 60")});
        QVERIFY(child && child->running());
        id = child->id();
        ChildProcess moved = std::move(*child);
        QCOMPARE(moved.id(), id);
        QVERIFY(::kill(id, 0) == 0);
    }
    QVERIFY(::kill(id, 0) != 0 && errno == ESRCH);
}

PEAKSCOPE_GUILESS_TEST(TestChildProcess)
#include "test_child_process.moc"
