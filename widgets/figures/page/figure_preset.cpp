// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_preset.h"

#include <algorithm>

namespace peakscope {

namespace {

constexpr double kMmPerInch = 25.4;
constexpr double kTextHeightInch = 9; // of a page of these venues

FigurePreset paper(const char* name, double widthInch, double heightInch)
{
    FigurePreset preset;
    preset.name = name;
    preset.widthMm = widthInch * kMmPerInch;
    preset.heightMm = heightInch * kMmPerInch;
    preset.maxHeightMm = kTextHeightInch * kMmPerInch;
    return preset;
}

FigurePreset screenPreset()
{
    FigurePreset preset = paper("screen", 10.0, 6.25);
    preset.maxHeightMm = 0; // a screen scrolls
    preset.fontPt = 10;
    preset.smallFontPt = 9;
    preset.lineWidthPt = 0.75;
    preset.dpi = 144;
    preset.titled = true;
    return preset;
}

FigurePreset slidePreset()
{
    FigurePreset preset = paper("slide", 40.0 / 3.0, 7.5);
    preset.fontPt = 16;
    preset.smallFontPt = 14;
    preset.lineWidthPt = 1;
    preset.dpi = 144;
    preset.titled = true;
    preset.fixedHeight = true;
    preset.maxHeightMm = preset.heightMm;
    return preset;
}

} // namespace

const std::vector<FigurePreset>& figurePresets()
{
    // Column and text widths are those of the venues' style files.
    static const std::vector<FigurePreset> kPresets{
        screenPreset(),
        paper("icml-column", 3.25, 2.75),
        paper("icml-page", 6.75, 3.25),
        paper("neurips-text", 5.5, 3.25),
        paper("ieee-column", 3.5, 2.75),
        paper("ieee-page", 7.16, 3.25),
        slidePreset(),
    };
    return kPresets;
}

FigurePreset withGreatestHeight(FigurePreset preset, double maxHeightMm)
{
    if (maxHeightMm <= 0)
        return preset;
    preset.maxHeightMm = maxHeightMm;
    if (preset.fixedHeight)
        preset.heightMm = std::min(preset.heightMm, maxHeightMm);
    return preset;
}

std::optional<FigurePreset> figurePreset(std::string_view name)
{
    for (const FigurePreset& preset : figurePresets()) {
        if (preset.name == name)
            return preset;
    }
    return std::nullopt;
}

} // namespace peakscope
