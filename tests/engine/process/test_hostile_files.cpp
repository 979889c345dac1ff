// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-cli where a file that it is given is a pipe or a device, and where the disk is full: no command waits, and
// what could not be written is told.
#include "tests/engine/process/said.h"
#include "tests/test_room.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

using Json = nlohmann::json;
using peakscope::test::endOf;
using peakscope::test::Said;
using peakscope::test::say;

namespace {

// `most`: bytes that a file may have, which stands for a full disk.
Said sayWithin(rlim_t most, const QStringList& arguments)
{
    QProcess process;
    process.setStandardInputFile(QProcess::nullDevice());
    process.setChildProcessModifier([most] {
        rlimit limit = {};
        if (::getrlimit(RLIMIT_FSIZE, &limit) == 0) {
            limit.rlim_cur = most;
            ::setrlimit(RLIMIT_FSIZE, &limit);
        }
    });
    process.start(peakscope::test::kCli, arguments);
    return endOf(process);
}

} // namespace

class TestHostileFiles : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        QCOMPARE(::mkfifo(path("pipe.json").toLocal8Bit(), 0600), 0);
        QVERIFY(QFile::link("/dev/zero", path("zero.json")));
        for (const char* kind : {"pipe", "zero"}) {
            const QString model = QString::fromLatin1(kind) + QStringLiteral("-model");
            QVERIFY(QDir(m_folder.path()).mkdir(model));
            QVERIFY(QFile::link(path(QString::fromLatin1(kind) + QStringLiteral(".json")),
                                path(model + QStringLiteral("/config.json"))));
        }
        const Json model = {{"family", "gpt2"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}};
        writeJson("memory.json",
                  {{"kind", "memory"}, {"model", model}, {"data", {{"batch", 1}, {"seq", 16}}}, {"device", "cpu"}});
        writeJson("synthetic.json", {{"kind", "prm"}, {"model", model}, {"prm", {{"synthetic", true}}}});
        writeJson("sweep.json",
                  {{"base", Json::parse(read("memory.json").toStdString())}, {"grid", {{"seed", {1, 2}}}}});
    }

    void noCommandWaits_data()
    {
        QTest::addColumn<QStringList>("words"); // @ stands for "pipe" or "zero"
        QTest::newRow("inspect") << QStringList{"inspect", "@.json"};
        QTest::newRow("inspect a model") << QStringList{"inspect", "@-model"};
        QTest::newRow("convert") << QStringList{"convert", "@.json", "--to", "csv", "--out", "x.csv"};
        QTest::newRow("embed") << QStringList{"embed", "@.json", "--out", "x.csv"};
        QTest::newRow("replay") << QStringList{"replay", "@.json"};
        QTest::newRow("estimate") << QStringList{"estimate", "--model", "@-model", "--device", "a100-40gb"};
        QTest::newRow("run") << QStringList{"run", "@.json", "--out", "x.json"};
        QTest::newRow("run a text") << QStringList{
            "run", "memory.json", "--set", "data.source=text", "data.path=@.json", "--out", "x.json"};
        QTest::newRow("run a model") << QStringList{"run",   "memory.json", "--set", "model={\"dir\":\"@-model\"}",
                                                    "--out", "x.json"};
        QTest::newRow("sweep") << QStringList{"sweep", "@.json", "--out", "x-sweep"};
        QTest::newRow("sweep with workers") << QStringList{"sweep", "@.json", "--workers", "2", "--out", "x-sweep"};
        QTest::newRow("compare methods") << QStringList{"compare-methods", "@.json", "--out", "x-methods"};
    }

    void noCommandWaits()
    {
        QFETCH(QStringList, words);
        QDir::setCurrent(m_folder.path());
        for (const char* kind : {"pipe", "zero"}) {
            QStringList own = words;
            const Said said = say(own.replaceInStrings(QStringLiteral("@"), QString::fromLatin1(kind)));
            QVERIFY2(said.status == 2, qPrintable(said.error));
            QCOMPARE(said.error.count(u'\n'), 1);
            QVERIFY2(said.error.contains(QString::fromLatin1(kind)), qPrintable(said.error));
        }
        QVERIFY(!QFile::exists(path("x.json")) && !QFile::exists(path("x.csv")));
    }

    void eventsThatCannotBeWrittenAreTold_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("result");
        QTest::newRow("synthetic") << QStringList{"run", path("synthetic.json"), "--out", path("told.json")}
                                   << path("told.json");
        QTest::newRow("run") << QStringList{"run", path("memory.json"), "--out", path("told.json")}
                             << path("told.json");
        QTest::newRow("sweep") << QStringList{"sweep", path("sweep.json"), "--out", path("told")}
                               << path("told/sweep.json");
    }

    void eventsThatCannotBeWrittenAreTold()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, result);
        QFile::remove(result);
        const Said said = say(words + QStringList{"--events", "/dev/full"});
        QVERIFY2(said.status == 1, qPrintable(said.error));
        QVERIFY2(said.error.contains(QStringLiteral("/dev/full: cannot write: No space left on device")) &&
                     said.error.count(u'\n') == 1,
                 qPrintable(said.error));
        QCOMPARE(Json::parse(read(result).toStdString(), nullptr, false).value("status", ""), std::string("complete"));
    }

    // The disk has room for the result, but not for the events, which say more.
    void eventsEndWithAWholeLine()
    {
        const QString out = path("part.json"), events = path("part.jsonl");
        const QStringList words{"run", path("synthetic.json"), "--out", out, "--events", events};
        QCOMPARE(say(words).status, 0);
        const QByteArray all = read(events);
        const auto most = static_cast<rlim_t>(QFile(out).size() + 4096);
        QVERIFY(static_cast<rlim_t>(all.size()) > most);
        const Said said = sayWithin(most, words);
        QVERIFY2(said.status == 1, qPrintable(said.error));
        QVERIFY2(said.error.contains(events + QStringLiteral(": cannot write: File too large")),
                 qPrintable(said.error));
        QCOMPARE(said.error.count(u'\n'), 1);
        const QByteArray part = read(events);
        QVERIFY(part.size() < all.size() && (part.isEmpty() || part.endsWith('\n')));
        QCOMPARE(Json::parse(read(out).toStdString(), nullptr, false).value("status", ""), std::string("complete"));
    }

    void resultsThatCannotBeWrittenAreTold_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("file");
        const QString result = path("source.json"), table = path("table.csv");
        QTest::newRow("run") << QStringList{"run", path("memory.json"), "--out", path("old.json")} << "old.json";
        QTest::newRow("synthetic") << QStringList{"run", path("synthetic.json"), "--out", path("old.json")}
                                   << "old.json";
        QTest::newRow("sweep") << QStringList{"sweep", path("sweep.json"), "--out", path("old")} << "old/";
        QTest::newRow("embed") << QStringList{"embed", table, "--out", path("old.csv")} << "old.csv";
        for (const char* format : {"peakscope", "csv", "latex", "summary", "chrome-trace"}) {
            const QString file = QStringLiteral("old.") + QString::fromLatin1(format);
            QTest::addRow("convert to %s", format)
                << QStringList{"convert", result, "--to", format, "--out", path(file)} << file;
        }
    }

    void resultsThatCannotBeWrittenAreTold()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, file);
        constexpr rlim_t kMost = 64; // bytes
        QCOMPARE(say({"run", path("memory.json"), "--out", path("source.json")}).status, 0);
        QByteArray table = "a,b\n";
        for (int i = 0; i < 60; ++i)
            table += QByteArray::number(i % 7) + ',' + QByteArray::number(i * i % 31) + '\n';
        QVERIFY(write("table.csv", table));
        const bool isFolder = file.endsWith(u'/');
        QVERIFY(isFolder || write(file, "what stood there before"));
        const Said said = sayWithin(kMost, words);
        QVERIFY2(said.status == 1, qPrintable(said.error));
        QVERIFY2(said.error.contains(path(file)) && said.error.contains(QStringLiteral("File too large")) &&
                     said.error.count(u'\n') == 1,
                 qPrintable(said.error));
        QVERIFY(isFolder || read(file) == "what stood there before");
        QVERIFY(QDir(m_folder.path()).entryList({".*.tmp"}, QDir::Files | QDir::Hidden).isEmpty());
    }

    void whatAKilledRunLeftGoes_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("file");
        const QString out = path("again.json");
        QTest::newRow("synthetic") << QStringList{"run", path("synthetic.json"), "--out", out} << "again.json";
        QTest::newRow("gone on with") << QStringList{"run", path("synthetic.json"), "--out", out, "--resume"}
                                      << "again.json";
        QTest::newRow("run") << QStringList{"run", path("memory.json"), "--out", out} << "again.json";
        QTest::newRow("sweep") << QStringList{"sweep", path("sweep.json"), "--out", path("again")}
                               << "again/point-0002.json";
        QTest::newRow("sweep gone on with")
            << QStringList{"sweep", path("sweep.json"), "--out", path("again"), "--resume"} << "again/sweep.json";
    }

    void whatAKilledRunLeftGoes()
    {
        QFETCH(QStringList, words);
        QFETCH(QString, file);
        QProcess ended;
        ended.start(QStringLiteral("true"), QStringList());
        QVERIFY(ended.waitForStarted());
        const qint64 dead = ended.processId();
        QVERIFY(ended.waitForFinished());
        const QFileInfo target(path(file));
        QVERIFY(QDir().mkpath(target.absolutePath()));
        const auto temporary = [&](const QString& name, qint64 process) {
            return target.absolutePath() + QStringLiteral("/.%1.%2-1.tmp").arg(name).arg(process);
        };
        const QString left = temporary(target.fileName(), dead);
        const QStringList stay{temporary(QStringLiteral("other.txt"), dead),
                               temporary(target.fileName(), QCoreApplication::applicationPid())};
        for (const QString& name : stay + QStringList{left}) {
            QFile half(name);
            QVERIFY(half.open(QIODevice::WriteOnly) && half.write("half") == 4);
        }
        const Said said = say(words);
        QVERIFY2(said.status == 0, qPrintable(said.error));
        QVERIFY(!QFile::exists(left));
        for (const QString& name : stay)
            QVERIFY2(QFile::remove(name), qPrintable(name));
    }

private:
    QString path(const QString& name) const { return QDir(m_folder.path()).absoluteFilePath(name); }
    QByteArray read(const QString& name) const
    {
        QFile file(path(name)); // a whole path stays as it is
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    bool write(const QString& name, const QByteArray& text) const
    {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    }
    void writeJson(const QString& name, const Json& json) const
    {
        QVERIFY(write(name, QByteArray::fromStdString(json.dump())));
    }

    QTemporaryDir m_folder;
};

PEAKSCOPE_GUILESS_TEST(TestHostileFiles)
#include "test_hostile_files.moc"
