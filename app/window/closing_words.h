// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says before it closes over what is under way. GUI thread.
#pragma once

#include <QString>

namespace peakscope {

struct UnderWay {
    QString run = {}; // its title; empty: none
    int waiting = 0;  // more in the queue
    bool sweep = false, methods = false, programs = false;

    bool any() const { return !run.isEmpty() || sweep || methods || programs; }
};

QString closingWords(const UnderWay& going);

} // namespace peakscope
