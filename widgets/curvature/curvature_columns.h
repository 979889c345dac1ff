// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Titles and definitions of a table's columns, and those that the curvature tables have. Private to the widgets.
#pragma once

#include <QtGlobal>

namespace peakscope {

struct ColumnText {
    const char* name; // of the column in a core Table
    const char* title;
    const char* tip;
};

inline constexpr ColumnText kCurvatureColumnTexts[] = {
    {"block", QT_TRANSLATE_NOOP("peakscope::TableModel", "Block"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "A tensor, head or layer: the Hessian restricted to it")},
    {"layer", QT_TRANSLATE_NOOP("peakscope::TableModel", "Layer"), nullptr},
    {"size", QT_TRANSLATE_NOOP("peakscope::TableModel", "Size"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Parameters of the block")},
    {"trace", QT_TRANSLATE_NOOP("peakscope::TableModel", "Trace"), nullptr},
    {"trace_low", QT_TRANSLATE_NOOP("peakscope::TableModel", "from"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Lower end of the trace's 95 % interval")},
    {"trace_high", QT_TRANSLATE_NOOP("peakscope::TableModel", "to"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Upper end of the trace's 95 % interval")},
    {"top_eigenvalue", QT_TRANSLATE_NOOP("peakscope::TableModel", "Top eigenvalue"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Of largest magnitude")},
    {"smallest_eigenvalue", QT_TRANSLATE_NOOP("peakscope::TableModel", "Smallest eigenvalue"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "By value: how far the curvature goes below zero, where it does")},
    {"smallest_residual", QT_TRANSLATE_NOOP("peakscope::TableModel", "± smallest"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Residual of the smallest: an eigenvalue lies within this of it")},
    {"largest_eigenvalue", QT_TRANSLATE_NOOP("peakscope::TableModel", "Largest eigenvalue"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "By value: the steepest direction within the block")},
    {"largest_residual", QT_TRANSLATE_NOOP("peakscope::TableModel", "± largest"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Residual of the largest: an eigenvalue lies within this of it")},
    {"row_tensor", QT_TRANSLATE_NOOP("peakscope::TableModel", "Rows of"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "The tensor whose parameters are the block's rows")},
    {"column_tensor", QT_TRANSLATE_NOOP("peakscope::TableModel", "Columns of"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "The tensor whose parameters are the block's columns; the same block "
                                                "the other way round is not listed again")},
    {"block_rows", QT_TRANSLATE_NOOP("peakscope::TableModel", "Rows"), nullptr},
    {"block_columns", QT_TRANSLATE_NOOP("peakscope::TableModel", "Columns"), nullptr},
    {"rms_entry", QT_TRANSLATE_NOOP("peakscope::TableModel", "RMS entry"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Root mean square of the block's entries")},
    {"eigenvalue", QT_TRANSLATE_NOOP("peakscope::TableModel", "Eigenvalue"), nullptr},
    {"residual", QT_TRANSLATE_NOOP("peakscope::TableModel", "Residual"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "|Hv − λv|: an eigenvalue lies within this of the value")},
    {"relative_residual", QT_TRANSLATE_NOOP("peakscope::TableModel", "Relative residual"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "The residual over the largest eigenvalue's magnitude")},
    {"frobenius", QT_TRANSLATE_NOOP("peakscope::TableModel", "Frobenius norm"), nullptr},
    {"share_of_squares", QT_TRANSLATE_NOOP("peakscope::TableModel", "Share of ‖H‖²"),
     QT_TRANSLATE_NOOP("peakscope::TableModel",
                       "Its squares over those of the whole matrix; what all blocks lack to 100 % is off-block mass")},
    {"block_method", QT_TRANSLATE_NOOP("peakscope::TableModel", "Computed"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Exact: from the block's whole matrix; estimated: from random probes")},
    {"diagonal", QT_TRANSLATE_NOOP("peakscope::TableModel", "Diagonal"), nullptr},
    {"parameter", QT_TRANSLATE_NOOP("peakscope::TableModel", "Parameter"), nullptr},
    {"index", QT_TRANSLATE_NOOP("peakscope::TableModel", "Index"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Flattened position in the tensor as stored")},
    {"value", QT_TRANSLATE_NOOP("peakscope::TableModel", "Value"), nullptr},
    {"estimate", QT_TRANSLATE_NOOP("peakscope::TableModel", "Estimate"), nullptr},
    {"samples", QT_TRANSLATE_NOOP("peakscope::TableModel", "Samples"),
     QT_TRANSLATE_NOOP("peakscope::TableModel", "Probes, entries or products until then")},
    {"mean", QT_TRANSLATE_NOOP("peakscope::TableModel", "Mean"), nullptr},
    {"standard_error", QT_TRANSLATE_NOOP("peakscope::TableModel", "Standard error"), nullptr},
    {"low", QT_TRANSLATE_NOOP("peakscope::TableModel", "95 % from"), nullptr},
    {"high", QT_TRANSLATE_NOOP("peakscope::TableModel", "95 % to"), nullptr},
};

} // namespace peakscope
