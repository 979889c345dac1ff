// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Colour, hatch and title of every component: the same in every chart, table and figure.
#pragma once

#include "core/results/component.h"

#include <QColor>
#include <QString>

#include <vector>

namespace peakscope {

// Drawn over the colour in print, so that components differ in grey as well.
enum class Hatch { None, Rising, Falling, Crossed, Horizontal, Vertical, Grid, Dots };

QColor componentColor(Component component);
Hatch componentHatch(Component component);
// The colour of hatch lines over componentColor: darker on light fills, lighter on dark ones.
QColor componentHatchColor(Component component);
// "Optimiser states", translated.
QString componentTitle(Component component);
// One sentence that defines it, translated; for tooltips and the inspector.
QString componentDefinition(Component component);
// Bottom to top in stacks: what lives longest is lowest.
const std::vector<Component>& componentStackOrder();

QString phaseTitle(Phase phase);
// A faint background tint for phase bands, on a light or dark base.
QColor phaseTint(Phase phase, bool dark);
// A stronger tint for a strip that carries the phase's name; text of the theme reads on it at 4.5:1 or better.
QColor phaseStripColor(Phase phase, bool dark);

// "Attention", "MLP", translated, and its colour (apart from those of the components it stands beside).
QString moduleKindTitle(ModuleKind kind);
QColor moduleKindColor(ModuleKind kind);

} // namespace peakscope
