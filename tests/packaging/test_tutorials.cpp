// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tutorial of a sweep is as its page shows it, by tests/packaging/tutorials.py. The others take longer, and most of
// them need a Python with PyTorch; CONTRIBUTING.md has the command that runs them.
#include "tests/test_room.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QtTest>

using namespace Qt::StringLiterals;

class TestTutorials : public QObject
{
    Q_OBJECT
private slots:
    void theSweepIsAsItsPageShows();
};

void TestTutorials::theSweepIsAsItsPageShows()
{
    const QString python = QStandardPaths::findExecutable(u"python3"_s);
    if (python.isEmpty())
        QSKIP("there is no python3");
    const QString programs = QStringLiteral(PEAKSCOPE_BINARY_DIR "/");
    for (const auto& program : {u"peakscope"_s, u"peakscope-cli"_s, u"peakscope-engine"_s})
        if (!QFile::exists(programs + program))
            QSKIP(qPrintable(u"this build has no "_s + program));
    QProcess script;
    script.setProcessChannelMode(QProcess::MergedChannels);
    script.start(python, {QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/packaging/tutorials.py"), u"--programs"_s,
                          programs, u"sweep"_s});
    QVERIFY(script.waitForFinished(120000));
    QVERIFY2(script.exitCode() == 0, script.readAll());
}

PEAKSCOPE_GUILESS_TEST(TestTutorials)
#include "test_tutorials.moc"
