// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/component_palette.h"

#include <QCoreApplication>

#include <array>
#include <cmath>

namespace peakscope {

namespace {

struct ComponentStyle {
    QRgb color;
    Hatch hatch;
    const char* title;
    const char* definition;
};

struct PhaseStyle {
    QRgb lightTint, darkTint, lightStrip, darkStrip;
    const char* title;
};

struct KindStyle {
    QRgb color;
    const char* title;
};

struct PaletteText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::PaletteText)

public:
    // Okabe-Ito and Tol, indexed by Component. Neighbours in the stack never share a hatch.
    static constexpr std::array<ComponentStyle, kComponentCount> kComponentStyles{{
        {0xff0072b2, Hatch::None, QT_TR_NOOP("Parameters"),
         QT_TR_NOOP("The model's weights, identified by their storage.")},
        {0xffe69f00, Hatch::Rising, QT_TR_NOOP("Gradients"),
         QT_TR_NOOP("The .grad tensors of the parameters and what accumulates into them.")},
        {0xffd55e00, Hatch::Falling, QT_TR_NOOP("Optimiser states"),
         QT_TR_NOOP("What the optimiser keeps between steps, such as Adam's two moments.")},
        {0xff009e73, Hatch::Dots, QT_TR_NOOP("Activations"),
         QT_TR_NOOP("What the graph keeps beyond the operator that made it, recomputed tensors included.")},
        {0xff44aa99, Hatch::Horizontal, QT_TR_NOOP("Activation gradients"),
         QT_TR_NOOP("Tensors that flow backward through the graph, the gradient of the logits among them.")},
        {0xffbbbbbb, Hatch::Rising, QT_TR_NOOP("Workspace"),
         QT_TR_NOOP("Memory allocated and freed within one operator or module call.")},
        {0xff999933, Hatch::Vertical, QT_TR_NOOP("Inputs"), QT_TR_NOOP("The batch: token ids, labels and masks.")},
        {0xffcc79a7, Hatch::Crossed, QT_TR_NOOP("Activation hooks"),
         QT_TR_NOOP("Activations kept only because per-sample gradients or their norms need them.")},
        {0xfff0e442, Hatch::Dots, QT_TR_NOOP("Norm samples"),
         QT_TR_NOOP("Per-sample gradient norms and the factors that clip by them.")},
        {0xff56b4e9, Hatch::Falling, QT_TR_NOOP("Temporary matrices"),
         QT_TR_NOOP("Gram blocks of activations and output gradients that give norms without gradients.")},
        {0xff882255, Hatch::Rising, QT_TR_NOOP("Per-sample gradients"),
         QT_TR_NOOP("Gradients of single rows of the batch, before they are clipped and summed.")},
        {0xff332288, Hatch::Grid, QT_TR_NOOP("Hessian"),
         QT_TR_NOOP("Second derivatives: their graph, tangents, probes, Krylov basis, blocks and factors.")},
        {0xffaa4499, Hatch::Vertical, QT_TR_NOOP("Communication"),
         QT_TR_NOOP("Buffers of collective operations between devices.")},
        {0xffdddddd, Hatch::Dots, QT_TR_NOOP("Rounding"),
         QT_TR_NOOP("What the allocator adds to a request to reach its block size.")},
        {0xff666666, Hatch::None, QT_TR_NOOP("Other"),
         QT_TR_NOOP("Bytes that belong to none of the other components.")},
    }};

    // Indexed by Phase. Tints sit behind data and stay faint; strips carry black (light) or near-white (dark) text.
    static constexpr std::array<PhaseStyle, kPhaseCount> kPhaseStyles{{
        {0xfff4f4f4, 0xff2a2a2a, 0xffdcdcdc, 0xff4a4a4a, QT_TR_NOOP("Load")},
        {0xfff6f4ee, 0xff2c2a24, 0xffe4dcc6, 0xff57503a, QT_TR_NOOP("Data")},
        {0xfff3f1f6, 0xff2a282e, 0xffd9d2e4, 0xff4c4558, QT_TR_NOOP("Wrap")},
        {0xfff6f2f4, 0xff2d282a, 0xffe6d2dc, 0xff5a444e, QT_TR_NOOP("Optimiser set-up")},
        {0xfff0f5fa, 0xff232a31, 0xffc3daf0, 0xff2f4f6b, QT_TR_NOOP("Forward")},
        {0xfffaf3ea, 0xff302a22, 0xfff5d3a3, 0xff6b4a22, QT_TR_NOOP("Backward")},
        {0xfffbf9e6, 0xff2f2e20, 0xfff0e69a, 0xff5f5820, QT_TR_NOOP("Norms")},
        {0xfff0f7f3, 0xff232d28, 0xffb8dfcb, 0xff28573f, QT_TR_NOOP("Optimiser step")},
        {0xfff2effa, 0xff27242f, 0xffcfc5ec, 0xff463b6b, QT_TR_NOOP("Curvature")},
        {0xfff9eff3, 0xff2f2428, 0xfff0c4d4, 0xff6b344a, QT_TR_NOOP("Evaluate")},
    }};

    // Indexed by ModuleKind.
    static constexpr std::array<KindStyle, kModuleKindCount> kKindStyles{{
        {0xff4477aa, QT_TR_NOOP("Attention")},
        {0xffee6677, QT_TR_NOOP("MLP")},
        {0xff228833, QT_TR_NOOP("Embedding")},
        {0xffccbb44, QT_TR_NOOP("Norm")},
        {0xffaa3377, QT_TR_NOOP("LoRA")},
        {0xff66ccee, QT_TR_NOOP("Head")},
    }};
};

// A row that was forgotten has no title.
static_assert(PaletteText::kComponentStyles.back().title && PaletteText::kPhaseStyles.back().title &&
              PaletteText::kKindStyles.back().title);

const ComponentStyle& styleOf(Component component)
{
    return PaletteText::kComponentStyles[static_cast<std::size_t>(component)];
}

const PhaseStyle& styleOf(Phase phase)
{
    return PaletteText::kPhaseStyles[static_cast<std::size_t>(phase)];
}

const KindStyle& styleOf(ModuleKind kind)
{
    return PaletteText::kKindStyles[static_cast<std::size_t>(kind)];
}

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
    return QColor::fromRgb(styleOf(component).color);
}

Hatch componentHatch(Component component)
{
    return styleOf(component).hatch;
}

QColor componentHatchColor(Component component)
{
    const QRgb rgb = styleOf(component).color;
    const QColor color = QColor::fromRgb(rgb);
    return QColor::fromRgb((luminance(rgb) > 0.2 ? color.darker(150) : color.lighter(190)).rgb());
}

QString componentTitle(Component component)
{
    return PaletteText::tr(styleOf(component).title);
}

QString componentDefinition(Component component)
{
    return PaletteText::tr(styleOf(component).definition);
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
    return PaletteText::tr(styleOf(phase).title);
}

QColor phaseTint(Phase phase, bool dark)
{
    const PhaseStyle& style = styleOf(phase);
    return QColor::fromRgb(dark ? style.darkTint : style.lightTint);
}

QColor phaseStripColor(Phase phase, bool dark)
{
    const PhaseStyle& style = styleOf(phase);
    return QColor::fromRgb(dark ? style.darkStrip : style.lightStrip);
}

QString moduleKindTitle(ModuleKind kind)
{
    return PaletteText::tr(styleOf(kind).title);
}

QColor moduleKindColor(ModuleKind kind)
{
    return QColor::fromRgb(styleOf(kind).color);
}

} // namespace peakscope
