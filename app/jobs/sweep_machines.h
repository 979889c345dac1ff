// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who runs the points of a sweep. Plain data.
#pragma once

#include <QStringList>

namespace peakscope {

// How many points run at once on this machine. Where `hosts` are given points run only there, one at a time for each
// entry; a host that is listed twice runs two.
struct SweepMachines {
    int workers = 1;
    QStringList hosts; // where there are some, they alone
};

} // namespace peakscope
