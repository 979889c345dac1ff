// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who runs the points of a sweep. Plain data.
#pragma once

#include <QStringList>

namespace peakscope {

// So many points at once on this machine, or machines that ssh reaches, one at a time for each naming.
struct SweepMachines {
    int workers = 1;
    QStringList hosts; // where there are some, they alone
};

} // namespace peakscope
