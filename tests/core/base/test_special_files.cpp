// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What stands under a file's name and is none (pipes, devices), files that grow by lines on a full disk, and what
// killed writers leave.
#include "core/base/file.h"
#include "core/base/input_file.h"
#include "core/base/line_file.h"
#include "core/experiment/experiment.h"
#include "core/files/mapped_file.h"
#include "core/import/read_any.h"
#include "core/results/run_result.h"
#include "core/results/sweeps/sweep_document.h"
#include "core/results/sweeps/sweep_folder.h"
#include "core/text/text_source.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace peakscope;

namespace {

namespace fs = std::filesystem;

// The number of a process that has ended.
pid_t deadProcess()
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
}

using Reader = std::function<Status(const fs::path&)>;

template <typename T>
Status statusOf(const Result<T>& result)
{
    return result ? Status(Done{}) : Status(result.error());
}

} // namespace

Q_DECLARE_METATYPE(Reader)

class TestSpecialFiles : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void nothingIsWaitedFor_data()
    {
        QTest::addColumn<Reader>("read");
        const auto row = [](const char* name, Reader read) { QTest::newRow(name) << std::move(read); };
        row("a text file", [](const fs::path& path) { return statusOf(readTextFile(path)); });
        row("a mapped file", [](const fs::path& path) { return statusOf(MappedFile::open(path)); });
        row("a result of any format", [](const fs::path& path) { return statusOf(readAny(path)); });
        row("a result", [](const fs::path& path) { return statusOf(loadRunResult(path)); });
        row("a sweep", [](const fs::path& path) { return statusOf(loadSweep(path)); });
        row("an experiment", [](const fs::path& path) { return statusOf(loadExperiment(path.string())); });
        row("a text", [](const fs::path& path) { return statusOf(readTextFiles(path)); });
        row("rows of tokens", [](const fs::path& path) { return statusOf(tokenRowsFromJson(path)); });
    }

    void nothingIsWaitedFor()
    {
        QFETCH(Reader, read);
        QCOMPARE(::mkfifo(path("pipe.json").c_str(), 0600), 0);
        fs::create_symlink("/dev/zero", path("endless.json"));
        for (const char* name : {"pipe.json", "endless.json"}) {
            const Status status = read(path(name));
            QVERIFY(!status);
            QCOMPARE(exitStatus(status.error().code), 2);
            QVERIFY2(status.error().text().find(name) != std::string::npos, status.error().text().c_str());
        }
    }

    void wordsSayWhatItIs()
    {
        QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
        QVERIFY(readTextFile(path("pipe")).error().message.find("is a pipe") == 0);
        QVERIFY(readTextFile("/dev/null").error().message.find("is a device") == 0);
        QVERIFY(!isRegularFile(path("pipe")) && !isRegularFile("/dev/zero") && !isRegularFile(path("none")));
        QVERIFY(readTextFile("/proc/self/stat").value().size() > 10); // a file of the kernel says no size
    }

    void aPipeThatIsNamedIsRead()
    {
        QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
        const std::string sent(300'000, 'x'); // more than a pipe holds
        std::thread writer([&] { std::ofstream(path("pipe")) << sent.substr(0, 5) << std::flush << sent.substr(5); });
        const auto text = readInput(path("pipe"));
        writer.join();
        QVERIFY2(text.ok(), text ? "" : text.error().text().c_str());
        QCOMPARE(*text, sent);
        const auto nobody = readInput(path("pipe"));
        QVERIFY(!nobody && nobody.error().message.find("nobody writes") != std::string::npos);
        QVERIFY(!readInput("/dev/zero", 1 << 20).ok());
        QVERIFY(writeFileAtomically(path("file"), "text").ok());
        QCOMPARE(readInput(path("file")).value(), std::string("text"));
    }

    void aPipeInASweepsFolderHoldsNobodyUp()
    {
        SweepFolder folder(path("sweep"), "sweep", "launch", std::chrono::milliseconds(1));
        QVERIFY(folder.open().ok());
        QCOMPARE(::mkfifo(path("sweep/.sweep/0001.claim-1").c_str(), 0600), 0);
        QVERIFY(folder.claim(0).ok());
        QVERIFY(!folder.finished(0));
    }

    void linesOnAFullDisk()
    {
        LineFile full;
        QVERIFY(full.open("/dev/full").ok());
        full.add("an event");
        full.add("another");
        const Status told = full.close();
        QVERIFY(!told && told.error().text().find("/dev/full: cannot write: No space left") == 0);
        QVERIFY(full.close().ok()); // told once

        const LimitedFileSize limited(1000);
        LineFile file;
        QVERIFY(file.open(path("lines")).ok());
        for (int i = 0; i < 50; ++i)
            file.add("forty-nine letters of an event that was sent out.");
        QVERIFY(!file.close());
        QCOMPARE(fs::file_size(path("lines")), std::uintmax_t(1000)); // twenty whole lines
        QVERIFY(file.open(path("lines")).ok());
        file.add(std::string(900, 'x'));
        file.add(std::string(900, 'y'));
        QVERIFY(!file.close());
        QCOMPARE(readTextFile(path("lines")).value(), std::string(900, 'x') + "\n"); // no half of the second
    }

    void writersDoNotWaitForReaders()
    {
        QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
        const Status status = writeFileAtomically(path("pipe"), "text");
        QVERIFY(!status && status.error().message.find("nobody reads this pipe") != std::string::npos);
        QVERIFY(!LineFile().open(path("pipe")).ok());
        QVERIFY(!LineFile().open(m_folder->path().toStdString()).ok());
    }

    void whatKilledWritersLeftGoes()
    {
        const std::string dead = std::to_string(deadProcess());
        const std::string own = std::to_string(::getpid());
        const QStringList stay{
            QString::fromStdString(".other.json." + dead + "-1.tmp"),                    // of another file
            QString::fromStdString(".o.json." + std::to_string(::getppid()) + "-1.tmp"), // of a live process
            QString::fromStdString(".o.json." + own + "-7.tmp"), // being written: it is locked below
            QString::fromStdString(".o.json." + dead + ".tmp"),
            QString::fromStdString(".o.json.x" + dead + "-1.tmp"),
            QString::fromStdString("o.json." + dead + "-1.tmp"),
            QStringLiteral("o.json"),
        };
        for (const QString& name : stay)
            QVERIFY(write(name.toStdString()));
        QVERIFY(write(".o.json." + dead + "-1.tmp") && write(".o.json." + dead + "-12.tmp"));
        QVERIFY(write(".o.json." + own + "-3.tmp")); // of a killed process that had this one's number
        QCOMPARE(::mkfifo(path(".o.json." + dead + "-2.tmp").c_str(), 0600), 0);
        const int writer = ::open(path(".o.json." + own + "-7.tmp").c_str(), O_WRONLY);
        QCOMPARE(::flock(writer, LOCK_EX | LOCK_NB), 0);
        removeAbandoned(path("o.json"));
        ::close(writer);
        QStringList left = QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden);
        left.sort();
        QStringList expected = stay;
        expected.sort();
        QCOMPARE(left, expected);
    }

    void aWriterLocksItsTemporaryFile()
    {
        bool locked = false;
        const Status written = writeFileAtomically(path("o.json"), [&](FileSink& sink) {
            for (const auto& entry : fs::directory_iterator(m_folder->path().toStdString())) {
                const int other = ::open(entry.path().c_str(), O_RDONLY);
                locked = ::flock(other, LOCK_EX | LOCK_NB) != 0;
                ::close(other);
            }
            removeAbandoned(path("o.json"));
            return sink.write("text");
        });
        QVERIFY(written.ok());
        QVERIFY(locked);
        QCOMPARE(readTextFile(path("o.json")).value(), std::string("text"));
    }

private:
    // Stands for a full disk: a write fails in the middle.
    class LimitedFileSize
    {
    public:
        explicit LimitedFileSize(rlim_t bytes) : m_handler(::signal(SIGXFSZ, SIG_IGN))
        {
            ::getrlimit(RLIMIT_FSIZE, &m_old);
            rlimit small = m_old;
            small.rlim_cur = bytes;
            ::setrlimit(RLIMIT_FSIZE, &small);
        }
        ~LimitedFileSize()
        {
            ::setrlimit(RLIMIT_FSIZE, &m_old);
            ::signal(SIGXFSZ, m_handler);
        }

    private:
        rlimit m_old = {};
        void (*m_handler)(int);
    };

    std::string path(const std::string& name) const { return m_folder->path().toStdString() + "/" + name; }
    bool write(const std::string& name) const { return static_cast<bool>(std::ofstream(path(name)) << "half"); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

PEAKSCOPE_GUILESS_TEST(TestSpecialFiles)
#include "test_special_files.moc"
