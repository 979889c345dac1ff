// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which process has which point of a sweep: claims of the living, of the dead and of those on other machines; what is
// kept of finished points; the script for Slurm's arrays.
#include "core/base/file.h"
#include "core/planning/commands/slurm_array.h"
#include "core/ranks/launch_environment.h"
#include "core/results/sweeps/sweep_folder.h"
#include "tests/test_room.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

using namespace peakscope;
using Json = nlohmann::json;
using namespace std::chrono_literals;

namespace {

SweepPoint measuredPoint()
{
    SweepPoint point;
    point.values = {{"data.seq", 16}};
    point.status = "complete";
    point.measured = true;
    point.peakBytes = 123456;
    point.medianStepSeconds = 0.1 + 0.2;
    point.stepSeconds = {0.1, 1.0 / 3};
    point.file = "point-0001.json";
    return point;
}

} // namespace

class TestSweepFolder : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void onePointOneHolder();
    void manyAtOnce();
    void theDeadAreFollowed();
    void otherMachinesAreWaitedFor();
    void lostAndBack();
    void finishedPointsAreKept();
    void startingOver();
    void unwritable();
    void ranges_data();
    void ranges();
    void scripts();
    void largeScripts();
    void launchVariables();
    void devicesOfWorkers();

private:
    std::filesystem::path path() const { return m_folder->path().toStdString(); }
    std::filesystem::path file(const std::string& name) const { return path() / ".sweep" / name; }
    std::unique_ptr<SweepFolder> folder(std::chrono::milliseconds lostAfter = 1h, const std::string& launch = "a");
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestSweepFolder::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

std::unique_ptr<SweepFolder> TestSweepFolder::folder(std::chrono::milliseconds lostAfter, const std::string& launch)
{
    auto made = std::make_unique<SweepFolder>(path(), "mark", launch, lostAfter);
    return made->open() ? std::move(made) : nullptr;
}

void TestSweepFolder::onePointOneHolder()
{
    const auto one = folder(), other = folder();
    // What a process leaves that is killed before its claim is whole keeps nobody waiting.
    std::ofstream(file(pointNumber(3) + ".claim-1.999999-1"));
    QVERIFY(*one->claim(3));
    QCOMPARE(std::distance(std::filesystem::directory_iterator(path() / ".sweep"), {}), 2);
    QVERIFY(!*other->claim(3));
    QVERIFY(!*one->claim(3)); // it has it already
    QVERIFY(one->isMine(3) && !other->isMine(3));
    QCOMPARE(other->holder(3)->process, std::int64_t{::getpid()});
    QVERIFY(*other->claim(4));
    one->release(3);
    QVERIFY(!one->isMine(3));
    QVERIFY(*other->claim(3));
    QVERIFY(!*one->claim(3));
    // Kills are counted from holder to holder.
    QCOMPARE(other->kills(3), 0);
    other->release(3, true);
    QVERIFY(*one->claim(3));
    QCOMPARE(one->kills(3), 1);
}

void TestSweepFolder::manyAtOnce()
{
    constexpr int kThreads = 8, kPoints = 40;
    std::vector<std::atomic<int>> holders(kPoints);
    std::atomic<int> errors = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
            const auto own = folder();
            for (std::size_t i = 0; i < kPoints; ++i) {
                const auto mine = own->claim(i);
                errors += !mine;
                holders[i] += mine && *mine;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    QCOMPARE(errors.load(), 0);
    for (int i = 0; i < kPoints; ++i)
        QCOMPARE(holders[static_cast<std::size_t>(i)].load(), 1);
}

// A process of this machine that is gone is known to be gone at once, whether it was killed or is a zombie still.
void TestSweepFolder::theDeadAreFollowed()
{
    const auto own = folder(); // makes the folder
    const pid_t child = ::fork();
    if (child == 0) {
        SweepFolder theirs(path(), "mark", "b", 1h);
        ::_exit(theirs.open() && *theirs.claim(0) ? 0 : 1); // without a release
    }
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
    QCOMPARE(own->holder(0)->process, std::int64_t{child});
    QVERIFY(*own->claim(0));
    // The number alone does not make a process the same one.
    Json claim = Json::parse(*readTextFile(file("0001.claim-2")));
    QCOMPARE(claim["process"].get<std::int64_t>(), std::int64_t{::getpid()});
    claim["started"] = "1";
    QVERIFY(writeFileAtomically(file("0002.claim-1"), claim.dump()));
    QVERIFY(*own->claim(1));
}

void TestSweepFolder::otherMachinesAreWaitedFor()
{
    const auto own = folder(400ms);
    const Json far = {{"host", "node-7"}, {"machine", "another"}, {"process", 1}, {"started", "1"}};
    QVERIFY(writeFileAtomically(file("0001.claim-1"), far.dump()));
    QCOMPARE(own->holder(0)->text(), std::string("process 1 on node-7"));
    QVERIFY(!*own->claim(0));
    // As long as it gives signs of life it keeps the point.
    for (int i = 0; i < 8; ++i) {
        std::this_thread::sleep_for(100ms);
        QCOMPARE(::utimensat(AT_FDCWD, file("0001.claim-1").c_str(), nullptr, 0), 0);
        QVERIFY(!*own->claim(0));
    }
    std::this_thread::sleep_for(500ms);
    QVERIFY(*own->claim(0));
    // One that has nothing written down yet is waited for too.
    QVERIFY(writeFileAtomically(file("0002.claim-1"), std::string_view()));
    QVERIFY(!*own->claim(1));
    std::this_thread::sleep_for(500ms);
    QVERIFY(*own->claim(1));
}

// A machine that was taken for lost and comes back finds its point in other hands; one that lives touches its claim.
void TestSweepFolder::lostAndBack()
{
    const auto own = folder(600ms);
    QVERIFY(*own->claim(0));
    const auto first = std::filesystem::last_write_time(file("0001.claim-1"));
    QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::last_write_time(file("0001.claim-1")) > first, 5000);
    QVERIFY(writeFileAtomically(file("0001.claim-2"), "{}"));
    QVERIFY(!own->isMine(0));
    own->release(0);
    QVERIFY(!Json::parse(*readTextFile(file("0001.claim-2"))).contains("released"));
}

void TestSweepFolder::finishedPointsAreKept()
{
    const auto own = folder(), other = folder(1h, "b");
    QVERIFY(!other->finished(0) && other->finishedPoints().empty());
    QVERIFY(own->finish(0, measuredPoint()));
    const auto kept = other->finished(0);
    QVERIFY(kept && kept->launch == "a");
    QCOMPARE(QString::fromStdString(sweepPointJson(kept->point).dump()),
             QString::fromStdString(sweepPointJson(measuredPoint()).dump()));
    QVERIFY(other->finishedPoints() == std::vector<std::size_t>{0});
    // Run again it is told apart, though it may say the same.
    QVERIFY(own->finish(0, measuredPoint()));
    QVERIFY(other->finished(0)->text != kept->text);
    SweepFolder another(path(), "of another sweep", "a", 1h);
    QVERIFY(!another.finished(0));
    QVERIFY(writeFileAtomically(file("0002.json"), "{\"sweep\": \"mark\", \"point\": 7}"));
    QVERIFY(writeFileAtomically(file("0003.json"), "half a fi"));
    QVERIFY(!own->finished(1) && !own->finished(2));
}

void TestSweepFolder::startingOver()
{
    const auto own = folder(), other = folder();
    QVERIFY(own->finish(0, measuredPoint()));
    QVERIFY(*own->claim(1));
    QVERIFY(own->clear()); // its own claims are nobody else's
    QVERIFY(!std::filesystem::exists(path() / ".sweep"));
    QVERIFY(own->open());
    const pid_t child = ::fork();
    if (child == 0) {
        SweepFolder theirs(path(), "mark", "b", 1h);
        if (theirs.open() && *theirs.claim(0))
            ::pause();
        ::_exit(1);
    }
    QTRY_VERIFY(std::filesystem::exists(file("0001.claim-1")));
    QTRY_VERIFY(own->holder(0)->process == child);
    const Status refused = own->clear();
    QVERIFY(!refused && refused.error().code == ErrorCode::BadInput);
    QVERIFY2(refused.error().text().find("process " + std::to_string(child)) != std::string::npos,
             refused.error().text().c_str());
    own->tidy(); // nor is it tidied away
    QVERIFY(std::filesystem::exists(file("0001.claim-1")));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    QVERIFY(own->clear());
    // A far process is at work as long as its last sign is not old.
    QVERIFY(own->open());
    QVERIFY(writeFileAtomically(file("0001.claim-1"), R"({"host": "node-7", "machine": "another", "process": 5})"));
    QVERIFY(!own->clear());
    const timespec old[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    QCOMPARE(::utimensat(AT_FDCWD, file("0001.claim-1").c_str(), old, 0), 0);
    QVERIFY(own->clear());
}

void TestSweepFolder::unwritable()
{
    QVERIFY(writeFileAtomically(path() / "file", "x"));
    SweepFolder own(path() / "file", "mark", "a", 1h);
    const Status opened = own.open();
    QVERIFY(!opened && opened.error().text().find("cannot write there") != std::string::npos);
}

void TestSweepFolder::ranges_data()
{
    QTest::addColumn<QList<int>>("numbers");
    QTest::addColumn<QString>("text");
    QTest::newRow("one") << QList<int>{7} << "7";
    QTest::newRow("a row") << QList<int>{1, 2, 3, 4} << "1-4";
    QTest::newRow("gaps") << QList<int>{1, 2, 4, 6, 7, 8} << "1-2,4,6-8";
}

void TestSweepFolder::ranges()
{
    QFETCH(QList<int>, numbers);
    QTEST(QString::fromStdString(numberRanges(std::vector<std::size_t>(numbers.begin(), numbers.end()))), "text");
}

// What a shell makes of a script's last lines for a task.
static QStringList pointsOf(const SlurmArray& array, int task)
{
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (task > 0)
        environment.insert(QStringLiteral("SLURM_ARRAY_TASK_ID"), QString::number(task));
    shell.setProcessEnvironment(environment);
    shell.start(QStringLiteral("/bin/bash"), {QStringLiteral("-c"), QString::fromStdString(slurmArrayScript(array))});
    shell.waitForFinished();
    return QString::fromUtf8(shell.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts);
}

void TestSweepFolder::scripts()
{
    SlurmArray array;
    array.command = {"/usr/bin/printf", "%s\\n", "a b", "it's", "$HOME", ""};
    array.folder = "/data/out";
    array.points = {1, 2, 3, 5};
    array.count = 6;
    const std::string text = slurmArrayScript(array);
    QVERIFY(text.starts_with("#!/bin/bash\n#SBATCH "));
    QVERIFY(text.find("#SBATCH --array=1-3,5\n") != std::string::npos);
    QVERIFY(text.find("#SBATCH --output=/data/out/task-%a.txt\n") != std::string::npos);
    QCOMPARE(pointsOf(array, 5), (QStringList{"a b", "it's", "$HOME", "--point", "5"}));
    QVERIFY(pointsOf(array, 0).isEmpty()); // not sent in: nothing runs
    array.command = {"pwd"};
    array.start = "/usr/share";
    QVERIFY(slurmArrayScript(array).find("cd -- /usr/share || exit 2\n") != std::string::npos);
    array.atOnce = 4;
    array.folder = "/my data/out";
    const std::string other = slurmArrayScript(array);
    QVERIFY(other.find("#SBATCH --array=1-3,5%4\n") != std::string::npos);
    QVERIFY(other.find("--output") == std::string::npos);
}

// Of a sweep with more points than Slurm numbers tasks, every point is some task's, and only one's.
void TestSweepFolder::largeScripts()
{
    SlurmArray array;
    array.command = {"echo"};
    array.folder = "/out";
    array.count = 2500;
    for (std::size_t point = 1; point <= array.count; ++point)
        array.points.push_back(point);
    QVERIFY(slurmArrayScript(array).find("#SBATCH --array=1-834\n") != std::string::npos); // three points each
    QCOMPARE(pointsOf(array, 1), QStringList{"--point 1-3"});
    QCOMPARE(pointsOf(array, 2), QStringList{"--point 4-6"});
    QCOMPARE(pointsOf(array, 834), QStringList{"--point 2500-2500"});
    array.points = {7, 2500};
    QVERIFY(slurmArrayScript(array).find("#SBATCH --array=3,834\n") != std::string::npos);
}

void TestSweepFolder::launchVariables()
{
    for (const char* gone :
         {"PMIX_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_MCA_ess_base_jobid", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS",
          "PMI_RANK", "OMPI_MCA_orte_hnp_uri", "WORLD_SIZE", "LOCAL_RANK", "MASTER_PORT", "TORCHELASTIC_RUN_ID"})
        QVERIFY2(isLaunchVariable(gone, false), gone);
    for (const char* kept : {"PATH", "OMPI_MCA_btl", "CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID", "SLURM_JOB_NODELIST"})
        QVERIFY2(!isLaunchVariable(kept, false), kept);
    QVERIFY(isLaunchVariable("SLURM_JOB_NODELIST", true) && !isLaunchVariable("PATH", true));
    std::map<std::string, std::string> set;
    const auto get = [&](const char* name) { return set.count(name) ? set[name].c_str() : nullptr; };
    QCOMPARE(launchName(get), std::string());
    set = {{"SLURM_JOB_ID", "7"}}; // a batch script
    QCOMPARE(launchName(get), std::string());
    set = {{"SLURM_JOB_ID", "7"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_ID", "0"}};
    const std::string step = launchName(get);
    set["SLURM_PROCID"] = "0";
    QVERIFY(!step.empty() && launchName(get) == step);
    set["SLURM_STEP_ID"] = "1";
    QVERIFY(launchName(get) != step);
    set = {{"SLURM_JOB_ID", "8"}, {"SLURM_ARRAY_JOB_ID", "7"}};
    const std::string array = launchName(get);
    set["SLURM_JOB_ID"] = "9";
    QVERIFY(!array.empty() && launchName(get) == array);
    set["SLURM_RESTART_COUNT"] = "1"; // sent to the queue again: failures are to be looked at
    QVERIFY(launchName(get) != array);
    set = {{"RANK", "1"}, {"WORLD_SIZE", "2"}};
    QCOMPARE(launchName(get), std::string());
    set.insert({{"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}});
    const std::string agents = launchName(get);
    set["RANK"] = "0";
    QVERIFY(!agents.empty() && launchName(get) == agents);
    set["TORCHELASTIC_RESTART_COUNT"] = "1";
    QVERIFY(launchName(get) != agents);
}

void TestSweepFolder::devicesOfWorkers()
{
    QCOMPARE(deviceOfWorker(nullptr, 0, 3), std::string());
    QCOMPARE(deviceOfWorker(nullptr, 1, 3), std::string()); // one for all: as it is
    QCOMPARE(deviceOfWorker(nullptr, 4, 2), std::string("2"));
    QCOMPARE(deviceOfWorker(nullptr, 4, 5), std::string("1"));
    QCOMPARE(deviceOfWorker("6", 8, 1), std::string()); // the batch system's choice
    QCOMPARE(deviceOfWorker("", 8, 1), std::string());
    QCOMPARE(deviceOfWorker("3,GPU-8f,5", 8, 1), std::string("GPU-8f"));
    std::map<std::string, std::string> set;
    const auto get = [&](const char* name) { return set.count(name) ? set[name].c_str() : nullptr; };
    QCOMPARE(localPlace(get), std::size_t{0});
    set = {{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}, {"OMPI_COMM_WORLD_RANK", "6"}};
    QCOMPARE(localPlace(get), std::size_t{2});
    set = {{"SLURM_LOCALID", "3"}}; // of a batch script: it is not a task among others
    QCOMPARE(localPlace(get), std::size_t{0});
    set = {{"SLURM_LOCALID", "3"}, {"SLURM_PROCID", "7"}, {"SLURM_STEP_NUM_TASKS", "8"}};
    QCOMPARE(localPlace(get), std::size_t{3});
    set = {{"LOCAL_RANK", "1"}, {"RANK", "5"}, {"WORLD_SIZE", "8"}};
    QCOMPARE(localPlace(get), std::size_t{0}); // anybody's
    set.insert({{"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}});
    QCOMPARE(localPlace(get), std::size_t{1});
}

PEAKSCOPE_GUILESS_TEST(TestSweepFolder)
#include "test_sweep_folder.moc"
