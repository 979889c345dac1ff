// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_room.h"

#include <QProcess>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <vector>
#ifdef QT_WIDGETS_LIB
#include <QApplication>
using WindowApplication = QApplication;
#else
#include <QCoreApplication>
using WindowApplication = QCoreApplication;
#endif

namespace peakscope {
namespace {

struct Entry {
    TestApplication application;
    RoomTest::Maker maker;
};

// Filled before main() runs.
std::map<std::string, Entry, std::less<>>& entries()
{
    static std::map<std::string, Entry, std::less<>> all;
    return all;
}

std::string stem(std::string_view file)
{
    file.remove_prefix(file.rfind('/') + 1); // npos + 1 is 0
    return std::string(file.substr(0, file.find('.')));
}

std::unique_ptr<QCoreApplication> application(TestApplication kind, int& argc, char** argv)
{
    if (kind == TestApplication::None)
        return {};
    std::unique_ptr<QCoreApplication> made;
    if (kind == TestApplication::Core)
        made = std::make_unique<QCoreApplication>(argc, argv);
    else
        made = std::make_unique<WindowApplication>(argc, argv);
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi, true);
    return made;
}

QStringList namesOf(const QString& program, const QString& test)
{
    QProcess list;
    list.start(program, {test, QStringLiteral("-datatags")});
    if (!list.waitForFinished() || list.exitCode() != 0)
        return {};
    QStringList names;
    for (const QString& line : QString::fromUtf8(list.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts)) {
        const QString tag = line.section(u' ', 2); // behind the class and the function
        names.append(line.section(u' ', 1, 1) + (tag.isEmpty() ? QString() : u':' + tag));
    }
    return names;
}

// The functions and rows of a class, dealt to so many processes: for one that mostly waits for what it has started.
int runAtOnce(const QString& program, const QString& test, int count)
{
    std::vector<QStringList> hands(static_cast<std::size_t>(count));
    std::size_t next = 0;
    for (const QString& name : namesOf(program, test))
        hands[next++ % hands.size()].append(name);
    if (next < hands.size()) {
        std::fprintf(stderr, "%s has %zu functions and rows for %d processes\n", qPrintable(test), next, count);
        return 2;
    }
    std::vector<std::unique_ptr<QProcess>> processes;
    for (const QStringList& hand : hands) {
        auto& process = processes.emplace_back(std::make_unique<QProcess>());
        process->setProcessChannelMode(QProcess::MergedChannels);
        // Past its limit ctest kills this process alone.
        process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
        process->start(program, QStringList{test} + hand);
    }
    int failures = 0;
    for (const auto& process : processes) {
        process->waitForFinished(-1); // ctest has the limit
        const bool passed = process->exitStatus() == QProcess::NormalExit && process->exitCode() == 0;
        failures += !passed;
        std::fputs(process->readAllStandardOutput().constData(), stdout);
        if (!passed)
            std::printf("FAIL!  : a process of %s ended with %d\n", qPrintable(test), process->exitCode());
    }
    return failures;
}

} // namespace

RoomTest::RoomTest(const char* file, TestApplication application, Maker maker)
{
    if (!entries().emplace(stem(file), Entry{application, maker}).second)
        qFatal("two test classes in files of one name: %s", file);
}

} // namespace peakscope

int main(int argc, char** argv)
{
    using namespace peakscope;
    if (argc < 2) {
        for (const auto& [name, entry] : entries())
            std::printf("%s\n", name.c_str());
        return 0;
    }
    const auto found = entries().find(std::string_view(argv[1]));
    if (found == entries().end()) {
        std::fprintf(stderr, "%s has no test class %s; without arguments it lists those that it has\n", argv[0],
                     argv[1]);
        return 2;
    }
    if (argc == 4 && std::string_view(argv[2]) == "--at-once" && std::atoi(argv[3]) > 0) {
        const QCoreApplication app(argc, argv);
        return runAtOnce(QCoreApplication::applicationFilePath(), QString::fromUtf8(argv[1]), std::atoi(argv[3]));
    }
    // The class takes the program's place in the arguments, so that the application has its name.
    const auto app = application(found->second.application, --argc, ++argv);
    const auto test = found->second.maker();
    return QTest::qExec(test.get(), argc, argv);
}
