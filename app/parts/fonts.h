// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether what is drawn can be read here: a machine without fonts gets the one that the program carries. GUI thread.
#pragma once

namespace peakscope {

// Before anything is drawn: DejaVu Sans from the program where the machine lacks it, and as the window's own font where
// there is no other. False where the machine has no font and this build carries none: all text would be boxes.
bool provideFonts();

// Whether a font with Chinese characters is installed.
bool canWriteChinese();
inline constexpr const char* kNoChineseFont =
    "no font with Chinese characters is installed here (fonts-noto-cjk and fonts-wqy-microhei have them), so the words "
    "are English";

} // namespace peakscope
