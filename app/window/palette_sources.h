// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the palette finds beside the actions of menus and plots: panels of the page in front, results of the library,
// settings of a run and pages of help; and by which other words people look for all of these. GUI thread.
#pragma once

#include "app/parts/command_palette.h"

#include <QCoreApplication>

class QMainWindow;

namespace peakscope {

class HelpDrawer;

class PaletteSources
{
    Q_DECLARE_TR_FUNCTIONS(peakscope::PaletteSources)

public:
    // With the actions of `menus` first.
    static std::vector<PaletteEntry> entries(const QList<QMenu*>& menus, QMainWindow* window, HelpDrawer* help);

private:
    static void addPanels(std::vector<PaletteEntry>& entries, const QMainWindow* window);
    static void addResults(std::vector<PaletteEntry>& entries, const QMainWindow* window);
    static void addSettings(std::vector<PaletteEntry>& entries, const QMainWindow* window);
    static void addHelp(std::vector<PaletteEntry>& entries, HelpDrawer* help);
};

} // namespace peakscope
