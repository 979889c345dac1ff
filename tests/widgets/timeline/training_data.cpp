// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/timeline/training_data.h"

#include "widgets/look/theme.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QApplication>
#include <QDir>
#include <QPixmap>
#include <QTest>
#include <QWidget>

#include <random>
#include <utility>

namespace peakscope::test {

namespace {

constexpr std::int64_t kMiB = 1024 * 1024;

// Writes events while a clock runs.
class Recorder
{
public:
    explicit Recorder(TrainingData& data) : m_data(data) {}

    void phase(Phase phase, std::int64_t step) { m_data.phases.push_back({phase, step, m_time}); }

    void event(Component component, std::int64_t bytes)
    {
        m_time += 1e-5 + 2e-4 * m_unit(m_random);
        m_data.events.timeSeconds.push_back(m_time);
        m_data.events.deltaBytes.push_back(bytes);
        m_data.events.component.push_back(component);
    }

    // The same bytes turn out to be for something else.
    void reclassify(Component from, Component to, std::int64_t bytes)
    {
        for (const auto& [component, delta] : {std::pair{from, -bytes}, std::pair{to, bytes}}) {
            m_data.events.timeSeconds.push_back(m_time);
            m_data.events.deltaBytes.push_back(delta);
            m_data.events.component.push_back(component);
        }
    }

    void pause(double seconds) { m_time += seconds; }

private:
    TrainingData& m_data;
    double m_time = 0.05;
    std::mt19937 m_random{7};
    std::uniform_real_distribution<double> m_unit{0, 1};
};

void recordStep(Recorder& recorder, int step, int layers, int operators)
{
    recorder.phase(Phase::Data, step);
    recorder.event(Component::Inputs, kMiB / 2);
    recorder.phase(Phase::Forward, step);
    for (int layer = 0; layer < layers; ++layer) {
        for (int i = 0; i < operators; ++i) {
            recorder.event(Component::Workspace, 3 * kMiB);
            recorder.reclassify(Component::Workspace, Component::Activations, kMiB);
            recorder.event(Component::Workspace, -2 * kMiB);
        }
    }
    recorder.phase(Phase::Backward, step);
    for (int layer = layers - 1; layer >= 0; --layer) {
        recorder.event(Component::ActivationGradients, 6 * kMiB);
        for (int i = 0; i < operators; ++i) {
            recorder.event(Component::Workspace, 4 * kMiB);
            recorder.event(Component::Workspace, -4 * kMiB);
            recorder.event(Component::Activations, -kMiB);
        }
        recorder.event(Component::Gradients, 8 * kMiB);
        recorder.event(Component::ActivationGradients, -6 * kMiB);
    }
    recorder.phase(Phase::OptimizerStep, step);
    for (int layer = 0; layer < layers; ++layer) {
        if (step == 0)
            recorder.event(Component::OptimizerStates, 16 * kMiB);
        recorder.event(Component::Workspace, 8 * kMiB);
        recorder.event(Component::Workspace, -8 * kMiB);
    }
    for (int layer = 0; layer < layers; ++layer)
        recorder.event(Component::Gradients, -8 * kMiB);
    recorder.event(Component::Inputs, -kMiB / 2);
    recorder.pause(0.004);
}

void addModules(TrainingData& data, int layers, int operators)
{
    const auto add = [&data](const std::string& name, ModuleKind kind, std::int64_t parameters,
                             std::int64_t activations) {
        ModuleUsage module;
        module.name = name;
        module.kind = kind;
        module.parameterBytes = parameters;
        module.gradientBytes = parameters;
        module.activationBytes = activations;
        module.peakBytes = 2 * parameters + activations;
        module.forwardSeconds = 0.002;
        module.backwardSeconds = 0.0041;
        data.modules.push_back(module);
    };
    add("model.decoder.embed_tokens", ModuleKind::Embedding, 38 * kMiB, kMiB);
    for (int layer = 0; layer < layers; ++layer) {
        const std::string prefix = "model.decoder.layers." + std::to_string(layer);
        add(prefix + ".self_attn", ModuleKind::Attention, 9 * kMiB, operators * kMiB / 2);
        add(prefix + ".mlp", ModuleKind::Mlp, 18 * kMiB, operators * kMiB * 2 / 3);
        add(prefix + ".final_layer_norm", ModuleKind::Norm, 6144, 2 * kMiB);
    }
    add("lm_head", ModuleKind::Head, 0, 24 * kMiB);
}

} // namespace

TrainingData trainingRun(int layers, int steps, int operators)
{
    TrainingData data;
    Recorder recorder(data);
    recorder.phase(Phase::Load, -1);
    for (int layer = 0; layer < layers; ++layer)
        recorder.event(Component::Parameters, 8 * kMiB);
    recorder.pause(0.01);
    recorder.phase(Phase::OptimizerSetup, -1);
    recorder.event(Component::Other, kMiB / 4);
    for (int step = 0; step < steps; ++step)
        recordStep(recorder, step, layers, operators);
    addModules(data, layers, operators);
    return data;
}

void appendBatch(MemoryTimelineView& view, const TimelineData& data, std::size_t begin, std::size_t end)
{
    view.appendLive(std::span(data.timeSeconds).subspan(begin, end - begin),
                    std::span(data.deltaBytes).subspan(begin, end - begin),
                    std::span(data.component).subspan(begin, end - begin));
}

void showAt(QWidget& widget, int width, int height)
{
    widget.resize(width, height);
    widget.show();
    widget.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&widget));
    QApplication::processEvents();
}

void applyPalette(bool dark)
{
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication::setPalette(dark ? darkPalette() : lightPalette());
}

void saveScreenshot(QWidget& widget, const QString& name)
{
    QApplication::processEvents();
    const QDir folder(QStringLiteral(PEAKSCOPE_BINARY_DIR "/../screenshots"));
    QVERIFY(QDir().mkpath(folder.path()));
    const QString scale =
        widget.devicePixelRatioF() == 1 ? QString() : QStringLiteral("@%1x").arg(widget.devicePixelRatioF());
    QVERIFY(widget.grab().save(folder.filePath(name + scale + QStringLiteral(".png"))));
}

} // namespace peakscope::test
