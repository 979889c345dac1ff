// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the desktop program share: a home of their own, the fake worker, a result on disk.
#pragma once

#include "app/jobs/command_consent.h"
#include "app/parts/settings.h"
#include "core/experiment/experiment.h"
#include "core/results/run_result.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QString>
#include <QTemporaryDir>
#include <QTest>

namespace peakscope::testing {

// Milliseconds after which a test takes a search for hung, which it is not: no test is about how long one takes. The
// sanitizers make it several times as long.
#ifdef __SANITIZE_ADDRESS__
constexpr int kSearchPatience = 180'000;
#else
constexpr int kSearchPatience = 30'000;
#endif

// Settings and results go into a folder that nobody else uses.
inline void isolate(const QTemporaryDir& home)
{
    qputenv("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")).toLocal8Bit());
    qputenv("XDG_DATA_HOME", home.filePath(QStringLiteral("data")).toLocal8Bit());
    qputenv("PEAKSCOPE_PLAN_PROOFS", "off"); // a test says which processes it starts
    QCoreApplication::setApplicationName(QStringLiteral("peakscope"));
    settings::setFoldsSidePanels(false); // the screen of the tests is small
}

inline void useFakeWorker(const char* mode)
{
    qputenv("PEAKSCOPE_CLI", QByteArray(PEAKSCOPE_BINARY_DIR) + "/peakscope_fake_worker");
    qputenv("PEAKSCOPE_FAKE_MODE", mode);
}

inline nlohmann::json smallExperiment()
{
    return {{"kind", "memory"},
            {"model", {{"family", "opt"}, {"hidden", 32}, {"layers", 1}, {"heads", 2}, {"vocab", 256}}},
            {"data", {{"batch", 1}, {"seq", 8}}},
            {"training", {{"optimizer", "adam"}}}};
}

inline RunResult smallResult()
{
    RunResult result;
    result.id = "small";
    result.created = "2026-01-02T03:04:05Z";
    result.status = RunStatus::Complete;
    result.config = smallExperiment();
    result.loss = 2.5;
    MemorySection& memory = result.memory.emplace();
    const auto at = [](Component component) { return static_cast<std::size_t>(component); };
    memory.timeline.timeSeconds = {0, 0.1, 0.2, 0.3, 0.4};
    memory.timeline.deltaBytes = {1 << 20, 1 << 20, 4 << 20, -(4 << 20), 2 << 20};
    memory.timeline.component = {Component::Parameters, Component::Gradients, Component::Activations,
                                 Component::Activations, Component::OptimizerStates};
    memory.peakBytes = 6 << 20;
    memory.peakTimeSeconds = 0.2;
    memory.peakComponents[at(Component::Parameters)] = 1 << 20;
    memory.peakComponents[at(Component::Gradients)] = 1 << 20;
    memory.peakComponents[at(Component::Activations)] = 4 << 20;
    memory.maxComponents = memory.peakComponents;
    memory.maxComponents[at(Component::OptimizerStates)] = 2 << 20;
    memory.phases = {{Phase::Load, -1, 0}, {Phase::Forward, 0, 0.15}, {Phase::OptimizerStep, 0, 0.35}};
    memory.snapshots = {{"loaded", Phase::Load, -1, 0.1, 2 << 20, 2 << 20},
                        {"forward", Phase::Forward, 0, 0.25, 6 << 20, 6 << 20}};
    memory.modules = {{"layers.0.self_attn", ModuleKind::Attention, 1 << 19, 1 << 19, 3 << 20, 4 << 20, 0.01, 0.02},
                      {"layers.0.fc1", ModuleKind::Mlp, 1 << 19, 1 << 19, 1 << 20, 2 << 20, 0.01, 0.02}};
    memory.operators = {{"aten::mm", Phase::Forward, 4, 4 << 20, 4 << 20, 0.003},
                        {"aten::mm", Phase::Backward, 8, 2 << 20, 1 << 20, 0.006}};
    return result;
}

// As if the user had written here every command that it names.
inline Origin typedHere(const nlohmann::json& experiment)
{
    return withTyped({}, commandsOf(experiment));
}

// To be handed to what starts it.
inline Agreed<nlohmann::json> agreed(const nlohmann::json& experiment)
{
    return *CommandConsent().decide(experiment, typedHere(experiment));
}

// The same for a launcher that is only asked for its devices.
inline Agreed<QStringList> agreedLauncher(const QStringList& words)
{
    return *CommandConsent().decide(words, {{}, {}, {words}});
}

// Clicks the button of that title once it is shown; whether there is one.
inline bool press(const QWidget& place, const QString& title)
{
    QPushButton* found = nullptr;
    const bool shown = QTest::qWaitFor([&] {
        for (QPushButton* button : place.findChildren<QPushButton*>())
            found = button->text() == title && button->isVisible() ? button : found;
        return found != nullptr;
    });
    if (shown)
        QTest::mouseClick(found, Qt::LeftButton);
    return shown;
}

// The small result under an id of its own, as a file in `home`; its path.
inline QString writeSmallResult(const QTemporaryDir& home, const QString& name, const char* id)
{
    RunResult result = smallResult();
    result.id = id;
    QString path = home.filePath(name);
    if (!saveRunResult(result, path.toStdString()))
        qWarning("can't write %s", qPrintable(path));
    return path;
}

} // namespace peakscope::testing
