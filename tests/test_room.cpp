// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_room.h"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>
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
    // The class takes the program's place in the arguments, so that the application has its name.
    const auto app = application(found->second.application, --argc, ++argv);
    const auto test = found->second.maker();
    return QTest::qExec(test.get(), argc, argv);
}
