// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The export dialog draws the part of a timeline that its plot shows, the steps, or all of it.
#include "app/export/export_dialog.h"
#include "tests/app/window/app_test_support.h"
#include "tests/app/window/window_parts.h"
#include "tests/test_room.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QComboBox>
#include <QFile>
#include <QTest>

using namespace peakscope;
using namespace peakscope::testing;

namespace {

// Ten seconds of loading, then two steps of a tenth of a second each.
RunResult loadsLong()
{
    RunResult run = smallResult();
    MemorySection memory;
    const auto add = [&data = memory.timeline](double time, std::int64_t bytes, Component component) {
        data.timeSeconds.push_back(time);
        data.deltaBytes.push_back(bytes);
        data.component.push_back(component);
    };
    add(0.1, 4 << 20, Component::Parameters);
    memory.phases = {{Phase::Load, -1, 0}};
    for (const int step : {0, 1}) {
        memory.phases.push_back({Phase::Forward, step, 10 + step / 10.0});
        add(10.02 + step / 10.0, 1 << 20, Component::Activations);
        add(10.1 + step / 10.0, -(1 << 20), Component::Activations);
    }
    const MemoryTimeline timeline(memory.timeline);
    memory.peakBytes = memory.peakReservedBytes = memory.peakRequestedBytes = timeline.peakBytes();
    memory.peakTimeSeconds = timeline.peakSeconds();
    memory.peakComponents = timeline.peakComponents();
    memory.maxComponents = timeline.maxComponents();
    run.memory = std::move(memory);
    return run;
}

} // namespace

class TestFigureRange : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { isolate(m_home); }
    void whatIsSeenIsDrawn();

private:
    QTemporaryDir m_home;
};

void TestFigureRange::whatIsSeenIsDrawn()
{
    const QString path = m_home.filePath(QStringLiteral("long.json"));
    QVERIFY(saveRunResult(loadsLong(), path.toStdString()).ok());
    const auto window = newWindow();
    window->openFiles({path});
    QTRY_VERIFY(shownResult(*window));
    MemoryTimelineView* plot = nullptr;
    QTRY_VERIFY(std::ranges::any_of(window->findChildren<MemoryTimelineView*>(), [&plot](MemoryTimelineView* view) {
        plot = view;
        return view->isVisible() && view->timeline() != nullptr;
    }));
    const auto words = [&](const char* choice) {
        part<FigureExport>(*window)->showFigure(QStringLiteral("memory_timeline"));
        auto* dialog = part<ExportDialog>(window);
        auto* range = dialog->findChild<QComboBox*>(QStringLiteral("figureRange"));
        if (choice)
            range->setCurrentText(QString::fromLatin1(choice));
        else if (range->currentText() != QLatin1String("as in the plot"))
            return range->currentText();
        QFile file(m_home.filePath(QStringLiteral("figure.svg")));
        return dialog->save(file.fileName()) && file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll())
                                                                               : QStringLiteral("not saved");
    };
    const QString left = QStringLiteral("All 2 steps");
    QVERIFY2(words(nullptr).contains(left), qPrintable(words(nullptr).left(4000)));
    QVERIFY(!words("all").contains(left));
    plot->setVisibleRange(2, 4);
    QVERIFY2(words(nullptr).contains(QStringLiteral("2.00 s to 4.00 s of 10.2 s")),
             qPrintable(words(nullptr).left(4000)));
    QVERIFY(words("the steps").contains(left));
    test::saveScreenshot(*part<ExportDialog>(window), QStringLiteral("export_range"));
}

PEAKSCOPE_TEST(TestFigureRange)
#include "test_figure_range.moc"
