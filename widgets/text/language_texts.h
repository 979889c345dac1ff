// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that follow the language: what is built once says itself anew when the language changes, and nothing is built
// again. GUI thread.
#pragma once

#include <functional>

class QWidget;

namespace peakscope {

// Calls `say` now, and again each time that `widget` hears of another language; no longer than `widget` lives, which
// everything that `say` refers to must outlive.
void inLanguage(QWidget* widget, std::function<void()> say);

} // namespace peakscope
