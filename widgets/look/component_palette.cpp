// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/component_palette.h"

#include <QCoreApplication>

#include <array>
#include <cmath>

namespace peakscope {

namespace {

struct PaletteText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::PaletteText)
};

struct ComponentStyle {
    QRgb color;
    Hatch hatch;
};

// Okabe-Ito and Tol, indexed by Component. Neighbours in the stack never share a hatch.
constexpr std::array<ComponentStyle, kComponentCount> kComponentStyles{{
    {0xff0072b2, Hatch::None},       // parameters
    {0xffe69f00, Hatch::Rising},     // gradients
    {0xffd55e00, Hatch::Falling},    // optimizer_states
    {0xff009e73, Hatch::Dots},       // activations
    {0xff44aa99, Hatch::Horizontal}, // activation_gradients
    {0xffbbbbbb, Hatch::Rising},     // workspace
    {0xff999933, Hatch::Vertical},   // inputs
    {0xffcc79a7, Hatch::Crossed},    // activation_hooks
    {0xfff0e442, Hatch::Dots},       // norm_samples
    {0xff56b4e9, Hatch::Falling},    // temp_matrices
    {0xff882255, Hatch::Rising},     // per_sample_gradients
    {0xff332288, Hatch::Grid},       // hessian
    {0xffaa4499, Hatch::Vertical},   // communication
    {0xffdddddd, Hatch::Dots},       // rounding
    {0xff666666, Hatch::None},       // other
}};

struct PhaseStyle {
    QRgb lightTint, darkTint, lightStrip, darkStrip;
};

// Indexed by Phase. Tints sit behind data and stay faint; strips carry black (light) or near-white (dark) text.
constexpr std::array<PhaseStyle, kPhaseCount> kPhaseStyles{{
    {0xfff4f4f4, 0xff2a2a2a, 0xffdcdcdc, 0xff4a4a4a}, // load
    {0xfff6f4ee, 0xff2c2a24, 0xffe4dcc6, 0xff57503a}, // data
    {0xfff3f1f6, 0xff2a282e, 0xffd9d2e4, 0xff4c4558}, // wrap
    {0xfff6f2f4, 0xff2d282a, 0xffe6d2dc, 0xff5a444e}, // optimizer_setup
    {0xfff0f5fa, 0xff232a31, 0xffc3daf0, 0xff2f4f6b}, // forward
    {0xfffaf3ea, 0xff302a22, 0xfff5d3a3, 0xff6b4a22}, // backward
    {0xfffbf9e6, 0xff2f2e20, 0xfff0e69a, 0xff5f5820}, // norms
    {0xfff0f7f3, 0xff232d28, 0xffb8dfcb, 0xff28573f}, // optimizer_step
    {0xfff2effa, 0xff27242f, 0xffcfc5ec, 0xff463b6b}, // curvature
    {0xfff9eff3, 0xff2f2428, 0xfff0c4d4, 0xff6b344a}, // evaluate
}};

// Indexed by ModuleKind.
constexpr std::array<QRgb, kModuleKindCount> kModuleKindColors{0xff4477aa, 0xffee6677, 0xff228833,
                                                               0xffccbb44, 0xffaa3377, 0xff66ccee};

double luminance(QRgb rgb)
{
    const auto linear = [](int channel) {
        const double value = channel / 255.0;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(qRed(rgb)) + 0.7152 * linear(qGreen(rgb)) + 0.0722 * linear(qBlue(rgb));
}

} // namespace

QColor componentColor(Component component)
{
    return QColor::fromRgb(kComponentStyles[static_cast<std::size_t>(component)].color);
}

Hatch componentHatch(Component component)
{
    return kComponentStyles[static_cast<std::size_t>(component)].hatch;
}

QColor componentHatchColor(Component component)
{
    const QRgb rgb = kComponentStyles[static_cast<std::size_t>(component)].color;
    const QColor color = QColor::fromRgb(rgb);
    return QColor::fromRgb((luminance(rgb) > 0.2 ? color.darker(150) : color.lighter(190)).rgb());
}

QString componentTitle(Component component)
{
    switch (component) {
    case Component::Parameters:
        return PaletteText::tr("Parameters");
    case Component::Gradients:
        return PaletteText::tr("Gradients");
    case Component::OptimizerStates:
        return PaletteText::tr("Optimizer states");
    case Component::Activations:
        return PaletteText::tr("Activations");
    case Component::ActivationGradients:
        return PaletteText::tr("Activation gradients");
    case Component::Workspace:
        return PaletteText::tr("Workspace");
    case Component::Inputs:
        return PaletteText::tr("Inputs");
    case Component::ActivationHooks:
        return PaletteText::tr("Activation hooks");
    case Component::NormSamples:
        return PaletteText::tr("Norm samples");
    case Component::TempMatrices:
        return PaletteText::tr("Temporary matrices");
    case Component::PerSampleGradients:
        return PaletteText::tr("Per-sample gradients");
    case Component::Hessian:
        return PaletteText::tr("Hessian");
    case Component::Communication:
        return PaletteText::tr("Communication");
    case Component::Rounding:
        return PaletteText::tr("Rounding");
    case Component::Other:
        return PaletteText::tr("Other");
    }
    return {};
}

QString componentDefinition(Component component)
{
    switch (component) {
    case Component::Parameters:
        return PaletteText::tr("The model's weights, known by the identity of their storage.");
    case Component::Gradients:
        return PaletteText::tr("The .grad tensors of the parameters and what accumulates into them.");
    case Component::OptimizerStates:
        return PaletteText::tr("What the optimizer keeps between steps, such as Adam's two moments.");
    case Component::Activations:
        return PaletteText::tr("What the graph keeps beyond the operator that made it, recomputed tensors included.");
    case Component::ActivationGradients:
        return PaletteText::tr("Tensors that flow backward through the graph, the gradient of the logits among them.");
    case Component::Workspace:
        return PaletteText::tr("Memory born and freed within one operator or module call.");
    case Component::Inputs:
        return PaletteText::tr("The batch: token ids, labels and masks.");
    case Component::ActivationHooks:
        return PaletteText::tr("Activations kept only because per-sample gradients or their norms need them.");
    case Component::NormSamples:
        return PaletteText::tr("Per-sample gradient norms and the factors that clip by them.");
    case Component::TempMatrices:
        return PaletteText::tr("Gram blocks of activations and output gradients that give norms without gradients.");
    case Component::PerSampleGradients:
        return PaletteText::tr("Gradients of single rows of the batch, before they are clipped and summed.");
    case Component::Hessian:
        return PaletteText::tr("Second derivatives: their graph, tangents, probes, Krylov basis, blocks and factors.");
    case Component::Communication:
        return PaletteText::tr("Buffers of collective operations between devices.");
    case Component::Rounding:
        return PaletteText::tr("What the allocator adds to a request to reach its block size.");
    case Component::Other:
        return PaletteText::tr("Bytes that belong to none of the other components.");
    }
    return {};
}

const std::vector<Component>& componentStackOrder()
{
    static const std::vector<Component> kOrder{Component::Parameters,
                                               Component::OptimizerStates,
                                               Component::Gradients,
                                               Component::Inputs,
                                               Component::Activations,
                                               Component::ActivationHooks,
                                               Component::PerSampleGradients,
                                               Component::NormSamples,
                                               Component::TempMatrices,
                                               Component::Hessian,
                                               Component::ActivationGradients,
                                               Component::Communication,
                                               Component::Workspace,
                                               Component::Rounding,
                                               Component::Other};
    return kOrder;
}

QString phaseTitle(Phase phase)
{
    switch (phase) {
    case Phase::Load:
        return PaletteText::tr("Load");
    case Phase::Data:
        return PaletteText::tr("Data");
    case Phase::Wrap:
        return PaletteText::tr("Wrap");
    case Phase::OptimizerSetup:
        return PaletteText::tr("Optimizer set-up");
    case Phase::Forward:
        return PaletteText::tr("Forward");
    case Phase::Backward:
        return PaletteText::tr("Backward");
    case Phase::Norms:
        return PaletteText::tr("Norms");
    case Phase::OptimizerStep:
        return PaletteText::tr("Optimizer step");
    case Phase::Curvature:
        return PaletteText::tr("Curvature");
    case Phase::Evaluate:
        return PaletteText::tr("Evaluate");
    }
    return {};
}

QColor phaseTint(Phase phase, bool dark)
{
    const PhaseStyle& style = kPhaseStyles[static_cast<std::size_t>(phase)];
    return QColor::fromRgb(dark ? style.darkTint : style.lightTint);
}

QColor phaseStripColor(Phase phase, bool dark)
{
    const PhaseStyle& style = kPhaseStyles[static_cast<std::size_t>(phase)];
    return QColor::fromRgb(dark ? style.darkStrip : style.lightStrip);
}

QString moduleKindTitle(ModuleKind kind)
{
    switch (kind) {
    case ModuleKind::Attention:
        return PaletteText::tr("Attention");
    case ModuleKind::Mlp:
        return PaletteText::tr("MLP");
    case ModuleKind::Embedding:
        return PaletteText::tr("Embedding");
    case ModuleKind::Norm:
        return PaletteText::tr("Norm");
    case ModuleKind::Lora:
        return PaletteText::tr("LoRA");
    case ModuleKind::Head:
        return PaletteText::tr("Head");
    }
    return {};
}

QColor moduleKindColor(ModuleKind kind)
{
    return QColor::fromRgb(kModuleKindColors[static_cast<std::size_t>(kind)]);
}

} // namespace peakscope
