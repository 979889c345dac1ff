// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of tables and of figures' data that have no unit.
#pragma once

#include "core/results/tables.h"

#include <initializer_list>

namespace peakscope {

inline std::vector<TableColumn> plainColumns(std::initializer_list<const char*> names)
{
    std::vector<TableColumn> columns;
    for (const char* name : names)
        columns.push_back({name, ""});
    return columns;
}

} // namespace peakscope
