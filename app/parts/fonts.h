// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the figures look the same on every machine: the program carries their fonts. GUI thread.
#pragma once

namespace peakscope {

// Before anything is drawn: Inter for the window, Source Sans 3 for figures. What they lack, such as Chinese, comes
// from the machine's fonts, and symbols from DejaVu Sans, which the program carries for machines without it. False
// where no font can be drawn with: all text would be boxes.
bool provideFonts();

// Whether a font with Chinese characters is installed.
bool canWriteChinese();
inline constexpr const char* kNoChineseFont =
    "no font with Chinese characters is installed here (fonts-noto-cjk and fonts-wqy-microhei have them), so the words "
    "are English";

} // namespace peakscope
