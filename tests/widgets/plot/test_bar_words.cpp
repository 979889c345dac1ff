// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/timeline/component_bars_view.h"
#include "widgets/timeline/module_bars_view.h"

#include <QLabel>
#include <QTest>

#include <utility>

using namespace peakscope;

class TestBarWords : public QObject
{
    Q_OBJECT

private slots:
    // The line under the title is about the bars that are there.
    void saysWhatItsBarsAre()
    {
        const auto said = [](const QWidget& view) {
            return view.findChild<QLabel*>(QStringLiteral("explanation"))->text();
        };
        ComponentBytes bytes{};
        bytes[static_cast<std::size_t>(Component::Gradients)] = 15 << 20;
        ComponentBarsView components;
        components.setData(bytes, bytes);
        QVERIFY2(said(components).contains(QStringLiteral("at that instant")), qPrintable(said(components)));
        const std::pair<ComponentReading, const char*> others[] = {{ComponentReading::AfterStep, "after the step"},
                                                                   {ComponentReading::Cumulated, "the iterations"},
                                                                   {ComponentReading::Apart, "As the file lists"}};
        for (const auto& [reading, words] : others) {
            ComponentReadings readings;
            readings.fill(reading);
            components.setData(bytes, {}, readings);
            QVERIFY2(said(components).contains(QLatin1String(words)), qPrintable(said(components)));
            QVERIFY2(!said(components).contains(QStringLiteral("instant")), qPrintable(said(components)));
        }
        components.setData({}, {}, {}, {{"forward", 1 << 20}});
        QVERIFY2(said(components).contains(QStringLiteral("stage")), qPrintable(said(components)));
        ModuleBarsView modules;
        auto measured = test::trainingRun().modules;
        modules.setModules(measured, {}, true);
        QVERIFY2(said(modules).contains(QStringLiteral("hooks")), qPrintable(said(modules)));
        modules.setModules(measured);
        QVERIFY2(said(modules).contains(QStringLiteral("own maxima")), qPrintable(said(modules)));
        measured.front().atPeak = bytes;
        modules.setModules(measured, bytes);
        QVERIFY2(said(modules).contains(QStringLiteral("at the peak")), qPrintable(said(modules)));
    }
};

PEAKSCOPE_TEST(TestBarWords)
#include "test_bar_words.moc"
