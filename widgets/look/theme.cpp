// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/theme.h"

#include <cmath>

namespace peakscope {

namespace {

double linearChannel(double value)
{
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double relativeLuminance(const QColor& color)
{
    return 0.2126 * linearChannel(color.redF()) + 0.7152 * linearChannel(color.greenF()) +
           0.0722 * linearChannel(color.blueF());
}

struct PaletteColors {
    QRgb window, base, alternate, text, placeholder, disabled, button, tip, tipText, highlight, highlighted, link,
        light, mid, dark;
};

QPalette paletteFrom(const PaletteColors& c)
{
    QPalette palette;
    const auto set = [&palette](QPalette::ColorRole role, QRgb rgb) { palette.setColor(role, QColor(rgb)); };
    set(QPalette::Window, c.window);
    set(QPalette::WindowText, c.text);
    set(QPalette::Base, c.base);
    set(QPalette::AlternateBase, c.alternate);
    set(QPalette::Text, c.text);
    set(QPalette::PlaceholderText, c.placeholder);
    set(QPalette::Button, c.button);
    set(QPalette::ButtonText, c.text);
    set(QPalette::BrightText, c.highlighted);
    set(QPalette::ToolTipBase, c.tip);
    set(QPalette::ToolTipText, c.tipText);
    set(QPalette::Highlight, c.highlight);
    set(QPalette::HighlightedText, c.highlighted);
    set(QPalette::Link, c.link);
    set(QPalette::LinkVisited, c.link);
    set(QPalette::Light, c.light);
    set(QPalette::Midlight, c.light);
    set(QPalette::Mid, c.mid);
    set(QPalette::Dark, c.dark);
    set(QPalette::Shadow, c.dark);
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, QColor(c.disabled));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(c.mid));
    return palette;
}

} // namespace

double contrastRatio(const QColor& a, const QColor& b)
{
    const double la = relativeLuminance(a), lb = relativeLuminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor mixed(const QColor& under, const QColor& over, double share)
{
    const auto channel = [share](double u, double o) { return static_cast<float>(u + (o - u) * share); };
    return QColor::fromRgbF(channel(under.redF(), over.redF()), channel(under.greenF(), over.greenF()),
                            channel(under.blueF(), over.blueF()));
}

ChartTheme chartTheme(const QPalette& palette)
{
    ChartTheme theme;
    theme.background = palette.color(QPalette::Active, QPalette::Base);
    theme.text = palette.color(QPalette::Active, QPalette::Text);
    theme.dark = relativeLuminance(theme.background) < relativeLuminance(theme.text);
    theme.mutedText = mixed(theme.background, theme.text, 0.72);
    // A palette of the desktop may have little contrast to begin with; then muted text must not fall below the rule.
    if (contrastRatio(theme.mutedText, theme.background) < 4.5)
        theme.mutedText = theme.text;
    theme.grid = mixed(theme.background, theme.text, theme.dark ? 0.16 : 0.11);
    theme.axis = mixed(theme.background, theme.text, 0.55);
    theme.accent = theme.dark ? QColor(0x6CB8FF) : QColor(0x0B57B0);
    theme.warning = theme.dark ? QColor(0xFF7A70) : QColor(0xB3261E);
    theme.selection = theme.accent;
    theme.selection.setAlphaF(theme.dark ? 0.22F : 0.14F);
    theme.cursor = theme.text;
    return theme;
}

QColor edgeColor(const QColor& fill, const ChartTheme& theme)
{
    return contrastRatio(fill, theme.background) < 2 ? mixed(fill, theme.text, 0.5) : QColor();
}

QPalette lightPalette()
{
    return paletteFrom({.window = 0xFFF3F4F6,
                        .base = 0xFFFFFFFF,
                        .alternate = 0xFFF7F8FA,
                        .text = 0xFF1B1F24,
                        .placeholder = 0xFF636A74,
                        .disabled = 0xFF8A9099,
                        .button = 0xFFEDEEF1,
                        .tip = 0xFFFFFFFF,
                        .tipText = 0xFF1B1F24,
                        .highlight = 0xFF0B57B0,
                        .highlighted = 0xFFFFFFFF,
                        .link = 0xFF0B57B0,
                        .light = 0xFFFFFFFF,
                        .mid = 0xFFBFC4CB,
                        .dark = 0xFF9AA1AA});
}

QPalette darkPalette()
{
    return paletteFrom({.window = 0xFF23262B,
                        .base = 0xFF1A1D21,
                        .alternate = 0xFF202429,
                        .text = 0xFFE6E9ED,
                        .placeholder = 0xFF9CA4AE,
                        .disabled = 0xFF757C86,
                        .button = 0xFF2D3137,
                        .tip = 0xFF2D3137,
                        .tipText = 0xFFE6E9ED,
                        .highlight = 0xFF2F6FB8,
                        .highlighted = 0xFFFFFFFF,
                        .link = 0xFF6CB8FF,
                        .light = 0xFF3A3F47,
                        .mid = 0xFF474D56,
                        .dark = 0xFF121417});
}

} // namespace peakscope
