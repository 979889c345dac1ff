// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Gives a chart's axis the ticks that a function names for what is visible. Private to the widgets; GUI thread.
#pragma once

#include "widgets/plot/value_scale.h"

class QCPAxis;

namespace peakscope {

// The function is asked for about as many marks as stand apart; those that would touch are left out, zero last.
void setMarks(QCPAxis* axis, MarkFunction marks);

} // namespace peakscope
