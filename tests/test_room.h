// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One program holds the test classes of a room: each test file ends with one of the macros below, as it would with
// Qt's QTEST_MAIN, and `tests_core_files test_tokenizer` runs the class of test_tokenizer.cpp.
#pragma once

#include <QTest>

#include <memory>

namespace peakscope {

enum class TestApplication { None, Core, Window };

class RoomTest
{
public:
    using Maker = std::unique_ptr<QObject> (*)();
    RoomTest(const char* file, TestApplication application, Maker maker);
};

} // namespace peakscope

#define PEAKSCOPE_ROOM_TEST(Class, application)                                                                        \
    static const peakscope::RoomTest roomTest##Class(                                                                  \
        __FILE__, peakscope::TestApplication::application,                                                             \
        []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });

// With a QApplication (where the room has no widgets, a QCoreApplication), with a QCoreApplication, and with neither.
#define PEAKSCOPE_TEST(Class) PEAKSCOPE_ROOM_TEST(Class, Window)
#define PEAKSCOPE_GUILESS_TEST(Class) PEAKSCOPE_ROOM_TEST(Class, Core)
#define PEAKSCOPE_APPLESS_TEST(Class) PEAKSCOPE_ROOM_TEST(Class, None)
