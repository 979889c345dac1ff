// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// memory_timeline of runs without a timeline, and detailed_memory_analysis of increases between hooks: what is said
// about them, that no text lies on another, and the numbers behind them.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_output.h"
#include "tests/widgets/figures/figure_samples.h"
#include "tests/widgets/figures/figure_text_check.h"

#include "core/analysis/comparison/phase_peaks.h"
#include "core/import/read_any.h"
#include "core/results/component_reading.h"
#include "core/results/sweeps/snapshot_course.h"

#include "widgets/figures/memory/timeline_panel.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace peakscope;
using peakscope::test::textsOfFigure;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Six snapshots two seconds apart; the peak lies between two of them, and only the maxima know it.
RunResult pastRun(bool timed, bool maxima = true)
{
    RunResult run = sampleRun();
    MemorySection& memory = *run.memory;
    memory.timeline = {};
    memory.phases.clear();
    memory.snapshots.clear();
    const std::int64_t allocated[] = {100, 100, 400, 200, 100, 410};
    const std::int64_t highest[] = {100, 100, 400, 700, 700, 700};
    for (std::size_t i = 0; i < 6; ++i) {
        Snapshot snapshot;
        snapshot.name = std::to_string(i) + "_iter0_after_something, long";
        snapshot.timeSeconds = timed ? 50 + 2.0 * static_cast<double>(i) : 0;
        snapshot.allocatedBytes = allocated[i] * kMiB;
        snapshot.reservedBytes = 750 * kMiB;
        if (maxima)
            snapshot.maxAllocatedBytes = highest[i] * kMiB;
        memory.snapshots.push_back(snapshot);
    }
    memory.peakBytes = 700 * kMiB;
    return run;
}

} // namespace

class TestSnapshotFigure : public QObject
{
    Q_OBJECT

private slots:
    void saysWhatItIs();
    void inferredComponentsAreSaidToBe();
    void textsHaveRoom_data();
    void textsHaveRoom();
    void titlesOfPointsAreWhole();
    void marksStandWhereTheBytesAre();
    void linesRunToTheEnd();
    void csvOfSnapshots();
    void hookIncreasesAreNamed();
    void storedSamples();
    void tilesSayTheirBytes();
    void howAProgramEndedIsNoFlawOfItsFigures();
};

// Beside their line where that fits, else below it.
void TestSnapshotFigure::tilesSayTheirBytes()
{
    auto read = readAny(PEAKSCOPE_SOURCE_DIR "/resources/samples/out_of_memory.pickle.gz");
    QVERIFY(read && read->size() == 1);
    const QStringList words = textsOfFigure("memory_treemap", {shared(std::move(read->front()))}, "icml-column");
    QVERIFY2(words.contains(QStringLiteral("7.02 GiB")) && words.contains(QStringLiteral("train.py:16 forward")),
             qPrintable(words.join(u'|')));
    QVERIFY(!words.filter(QStringLiteral("10.0 GiB")).isEmpty());
}

// That it ran out of memory is its subject.
void TestSnapshotFigure::howAProgramEndedIsNoFlawOfItsFigures()
{
    auto read = readAny(PEAKSCOPE_SOURCE_DIR "/resources/samples/out_of_memory.pickle.gz");
    QVERIFY(read && read->size() == 1 && read->front().status == RunStatus::Failed);
    const RunResults results{shared(std::move(read->front()))};
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    for (const std::string& figure : availableFigures(results)) {
        const QStringList words = textsOfFigure(figure, results, "icml-column");
        QVERIFY2(words.filter(QStringLiteral("failed")).isEmpty(), figure.c_str());
        QVERIFY(renderFigureImage(figure, results, *figurePreset("icml-column"), FigureTheme::Light, 200)
                    .save(folder.filePath(QString::fromStdString("figure_out_of_memory_" + figure + ".png"))));
    }
}

void TestSnapshotFigure::saysWhatItIs()
{
    const QStringList timed = textsOfFigure("memory_timeline", {shared(pastRun(true))});
    for (const char* text :
         {"Allocated at a snapshot", "Reserved at a snapshot", "Highest allocated until then, as recorded",
          "Not measured between snapshots", "Time since the first snapshot (s)", "10"})
        QVERIFY2(timed.contains(QLatin1String(text)), text);
    const QStringList ordered = textsOfFigure("memory_timeline", {shared(pastRun(false, false))});
    QVERIFY(ordered.contains(QStringLiteral("Snapshot, in order")));
    QVERIFY(ordered.contains(QStringLiteral("6")));
    QVERIFY(!ordered.contains(QStringLiteral("Highest allocated until then, as recorded")));
    const QStringList mixed =
        textsOfFigure("memory_timeline", {shared(sampleRun()), shared(pastRun(true)), shared(pastRun(false))});
    QVERIFY(mixed.contains(QStringLiteral("Time (s)")));
    QVERIFY(mixed.contains(QStringLiteral("in order: no times were recorded")));
    QVERIFY(mixed.contains(QStringLiteral("Parameters")));
}

// Of an allocator's snapshot; a run's own ledger says what its bytes are for.
void TestSnapshotFigure::inferredComponentsAreSaidToBe()
{
    const auto read = readAny(std::filesystem::path(PEAKSCOPE_SOURCE_DIR "/tests/core/data/h100/gpt2-adamw.pickle.gz"));
    QVERIFY(read.ok());
    QVERIFY(read->front().recording);
    const QString inferred = QStringLiteral("components inferred");
    QVERIFY(textsOfFigure("memory_timeline", {shared(read->front())}).contains(inferred));
    QVERIFY(!textsOfFigure("memory_timeline", {shared(sampleRun())}).contains(inferred));
    // There a hatch says that, and nothing else.
    QVERIFY(stackFill(Component::Parameters, true).hatch == stackFill(Component::Gradients, true).hatch);
    QVERIFY(stackFill(Component::Parameters, true).hatch != Hatch::None);
    QVERIFY(stackFill(Component::Other, true).hatch == Hatch::None);
}

void TestSnapshotFigure::textsHaveRoom_data()
{
    QTest::addColumn<QString>("preset");
    QTest::addColumn<int>("runs");
    for (const FigurePreset& preset : figurePresets()) {
        for (const int runs : {1, 2, 4}) {
            const QByteArray row = QByteArray::fromStdString(preset.name) + " " + QByteArray::number(runs);
            QTest::newRow(row.constData()) << QString::fromStdString(preset.name) << runs;
        }
    }
}

void TestSnapshotFigure::textsHaveRoom()
{
    QFETCH(QString, preset);
    QFETCH(int, runs);
    RunResults results;
    for (int i = 0; i < runs; ++i)
        results.push_back(i == 1 ? shared(sampleRun()) : shared(pastRun(i != 2)));
    const QString fault = faultOfTexts("memory_timeline", results, *figurePreset(preset.toStdString()));
    QVERIFY2(fault.isEmpty(), qPrintable(fault));
}

// Of a sweep's points each title has every key: nothing else tells the panels apart.
void TestSnapshotFigure::titlesOfPointsAreWhole()
{
    const QString sample =
        QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/sweep/memory_profile_results.json");
    QFile file(sample);
    QVERIFY(file.open(QIODevice::ReadOnly));
    nlohmann::json document = nlohmann::json::parse(file.readAll().toStdString());
    for (std::size_t i = 0; i < 8; ++i) {
        document.push_back(document[i]);
        document.back()["max_physical_batch_size"] = 2;
    }
    const auto read = readAnyBytes(document.dump(), "sweep.json", FileFormat::MemorySweep);
    QVERIFY(read.ok());
    const RunResults sweep{shared(read->front())};
    for (const char* preset : {"screen", "icml-page"}) {
        QStringList texts;
        for (const auto& placed :
             drawFigurePage(nullptr, "memory_timeline", sweep, *figurePreset(preset), FigureTheme::Light))
            texts << placed.text;
        const QString all = texts.join(u' ');
        const auto points = static_cast<qsizetype>(snapshotPoints(*sweep.front()).size());
        QVERIFY(points > 8);
        QCOMPARE(all.count(QStringLiteral("max_physical_batch ")), points);
        QVERIFY2(!all.contains(QChar(0x2026)), qPrintable(all));
        QCOMPARE(faultOfTexts("memory_timeline", sweep, *figurePreset(preset)), QString());
    }
}

// The picture changes where the bytes of one snapshot do, and hollow marks are no discs.
void TestSnapshotFigure::marksStandWhereTheBytesAre()
{
    const FigurePreset preset = *figurePreset("screen");
    const auto picture = [&preset](const RunResult& run) {
        return renderFigureImage("memory_timeline", {shared(run)}, preset, FigureTheme::Light, 72);
    };
    RunResult run = pastRun(true);
    const QImage before = picture(run);
    QCOMPARE(picture(run), before);
    run.memory->snapshots[3].allocatedBytes += 100 * kMiB;
    const QImage after = picture(run);
    QCOMPARE(after.size(), before.size());
    QRect changed;
    for (int y = 0; y < before.height(); ++y) {
        for (int x = 0; x < before.width(); ++x) {
            if (before.pixel(x, y) != after.pixel(x, y))
                changed |= QRect(x, y, 1, 1);
        }
    }
    // Between the third and the fifth of six equal distances, so in the middle of the page.
    QVERIFY(!changed.isEmpty());
    QVERIFY(changed.left() > before.width() * 2 / 5 && changed.right() < before.width() * 9 / 10);
    QVERIFY(changed.width() < before.width() / 2);
}

// What was reached last holds until the run ends, on the part of the axis that is shown as well.
void TestSnapshotFigure::linesRunToTheEnd()
{
    FigurePreset preset = *figurePreset("icml-column");
    const auto pictureWith = [&preset](std::vector<double> seconds) {
        RunResult run = sampleRun();
        const std::vector<std::int64_t> bytes(seconds.size(), run.memory->peakBytes / 2);
        if (!seconds.empty())
            run.memory->marks.push_back({"reserved", 0, 0, std::move(seconds), bytes});
        return renderFigureImage("memory_timeline", {shared(std::move(run))}, preset, FigureTheme::Light, 200);
    };
    const double end = endSeconds(*sampleRun().memory);
    QVERIFY(pictureWith({0}) == pictureWith({0, end}));
    QVERIFY(pictureWith({0}) != pictureWith({}));
    preset.range = {0, end / 2};
    QVERIFY(pictureWith({0}) == pictureWith({0, end / 2}));
}

void TestSnapshotFigure::csvOfSnapshots()
{
    const QByteArray csv = figureCsv("memory_timeline", {shared(pastRun(true))});
    const QList<QByteArray> lines = csv.split('\n');
    QCOMPARE(lines.size(), 8);
    QCOMPARE(
        lines[0],
        QByteArray("time_seconds,component,delta_bytes,total_bytes,snapshot,reserved_bytes,max_allocated_bytes\r"));
    QCOMPARE(lines[4].split(',').front().toDouble(), 6.0);
    QVERIFY(lines[4].endsWith(",,,209715200,\"3_iter0_after_something, long\",786432000,734003200\r"));
    const QByteArray ordered = figureCsv("memory_timeline", {shared(pastRun(false, false))});
    QVERIFY(ordered.split('\n')[1].startsWith(",,,104857600,"));
    QVERIFY(ordered.split('\n')[1].endsWith(",786432000,\r"));
    const QByteArray mixed = figureCsv("memory_timeline", {shared(sampleRun()), shared(pastRun(true))});
    const RunResult own = sampleRun();
    QCOMPARE(mixed.count('\n'), static_cast<qsizetype>(own.memory->timeline.size()) + 1 + 6);
    QVERIFY(mixed.startsWith("run,time_seconds,component,"));
    // Seven columns and the run's; names with commas are quoted.
    QCOMPARE(mixed.split('\n')[1].count(','), 7);
}

void TestSnapshotFigure::hookIncreasesAreNamed()
{
    RunResult run = sampleRun();
    MemorySection& memory = *run.memory;
    memory.timeline = {};
    memory.phases.clear();
    memory.peakComponents = memory.maxComponents = {};
    memory.modules.clear();
    ModuleUsage module;
    module.name = "attention";
    module.kind = ModuleKind::Attention;
    module.activationBytes = 300 * kMiB;
    module.gradientBytes = 100 * kMiB;
    memory.modules.push_back(module);
    QVERIFY(textsOfFigure("detailed_memory_analysis", {shared(run)}).contains(QStringLiteral("By kind of module")));
    setHookIncreases(run);
    run.other["memory"]["stages"] = {{"forward_pass", 500 * kMiB}};
    run.other["memory"]["gradient_estimate_bytes"] = 50 * kMiB;
    const QStringList texts = textsOfFigure("detailed_memory_analysis", {shared(run)});
    for (const char* text : {"Forward: increase between hooks", "Backward: increase between hooks", "300 MiB",
                             "100 MiB", "forward pass", "Sum of the increases between hooks (MiB)"})
        QVERIFY2(texts.contains(QLatin1String(text)), text);
    for (const QString& text : texts)
        QVERIFY2(!text.contains(QLatin1String("maxima")), qPrintable(text));
    const QByteArray csv = figureCsv("detailed_memory_analysis", {shared(run)});
    QVERIFY(csv.contains("hook_increases,attention,backward,104857600"));
    QVERIFY(csv.contains("stages,forward_pass,,524288000"));
    QVERIFY(csv.contains("estimates,gradient_estimate,,52428800"));
    // Two runs of different size on one scale: the same ticks twice.
    RunResult half = run;
    half.memory->modules[0].activationBytes = 30 * kMiB;
    half.memory->modules[0].gradientBytes = 10 * kMiB;
    half.other["memory"]["stages"] = {{"forward_pass", 60 * kMiB}};
    const QStringList both = textsOfFigure("detailed_memory_analysis", {shared(run), shared(half)});
    QCOMPARE(both.count(QStringLiteral("500")), 4);
}

void TestSnapshotFigure::storedSamples()
{
    const QString folder = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/dpsgd/run_20241110_123456/");
    const QString detailed =
        QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/core/data/formats/detailed/detailed_memory_results.json");
    RunResults runs;
    for (const char* name : {"ghost_result.json", "flash_clip_result.json"}) {
        const auto read = readAny((folder + QLatin1String(name)).toStdString());
        QVERIFY(read.ok());
        for (const RunResult& run : *read)
            runs.push_back(shared(run));
    }
    for (const char* preset : {"screen", "icml-column"})
        QCOMPARE(faultOfTexts("memory_timeline", runs, *figurePreset(preset)), QString());
    QVERIFY(textsOfFigure("memory_timeline", runs).contains(QStringLiteral("after_backward")));
    const auto read = readAny(detailed.toStdString());
    QVERIFY(read.ok());
    RunResults several;
    for (const RunResult& run : *read)
        several.push_back(shared(run));
    QCOMPARE(faultOfTexts("detailed_memory_analysis", several, *figurePreset("screen")), QString());
    QVERIFY(checkFigure("memory_timeline", several).ok());
}

PEAKSCOPE_TEST(TestSnapshotFigure)
#include "test_snapshot_figure.moc"
