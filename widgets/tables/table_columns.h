// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Titles and definitions of the columns of tables of runs, plans, comparisons and curvature. Private to the widgets.
#pragma once

#include <QCoreApplication>

namespace peakscope {

struct ColumnText {
    const char* name; // of the column in a core Table
    const char* title;
    const char* tip;
};

struct ColumnTexts {
    Q_DECLARE_TR_FUNCTIONS(peakscope::TableModel)

public:
    static constexpr ColumnText kAll[] = {
        {"component", QT_TR_NOOP("Component"), QT_TR_NOOP("What the bytes are for")},
        {"bytes_at_peak", QT_TR_NOOP("At the peak"),
         QT_TR_NOOP("Bytes alive when the total was highest; they sum to the peak")},
        {"bytes_after_step", QT_TR_NOOP("After the step"),
         QT_TR_NOOP("Read after the step, not at the peak: they do not sum to it")},
        {"bytes_cumulated", QT_TR_NOOP("Cumulated"),
         QT_TR_NOOP("Added up over the iterations: never alive together, so no part of the peak")},
        {"bytes_listed", QT_TR_NOOP("As listed"), QT_TR_NOOP("As the file lists them: they do not sum to the peak")},
        {"max_bytes", QT_TR_NOOP("Own maximum"), QT_TR_NOOP("The most this component ever had, whenever that was")},
        {"share_of_peak", QT_TR_NOOP("Share of the peak"), QT_TR_NOOP("Bytes at the peak as a part of the peak")},
        {"name", QT_TR_NOOP("Name"), nullptr},
        {"phase", QT_TR_NOOP("Phase"), QT_TR_NOOP("The phase of the run it belongs to")},
        {"step", QT_TR_NOOP("Step"), QT_TR_NOOP("The training step; warm-up steps count")},
        {"kind", QT_TR_NOOP("Kind"), nullptr},
        {"count", QT_TR_NOOP("Calls"), nullptr},
        {"time_seconds", QT_TR_NOOP("Time"), QT_TR_NOOP("Since the start of the run")},
        {"allocated_bytes", QT_TR_NOOP("Allocated"), QT_TR_NOOP("Bytes handed out by the allocator")},
        {"reserved_bytes", QT_TR_NOOP("Reserved"), QT_TR_NOOP("Bytes the allocator had taken from the device")},
        {"parameter_bytes", QT_TR_NOOP("Parameters"), nullptr},
        {"gradient_bytes", QT_TR_NOOP("Gradients"), nullptr},
        {"activation_bytes", QT_TR_NOOP("Activations"),
         QT_TR_NOOP("Largest sum of activations alive at one time that it made")},
        {"peak_bytes", QT_TR_NOOP("Peak"), QT_TR_NOOP("Largest sum of its bytes alive at one time")},
        {"forward_seconds", QT_TR_NOOP("Forward"), QT_TR_NOOP("Time of the forward pass in the last measured step")},
        {"backward_seconds", QT_TR_NOOP("Backward"), QT_TR_NOOP("Time of the backward pass in the last measured step")},
        {"seconds", QT_TR_NOOP("Time"), QT_TR_NOOP("Own time; what it calls is not counted")},
        {"rank", QT_TR_NOOP("Rank"), nullptr},
        {"verdict", QT_TR_NOOP("Verdict"), nullptr},
        {"strategy", QT_TR_NOOP("Strategy"), nullptr},
        {"model", QT_TR_NOOP("Model"), nullptr},
        {"run", QT_TR_NOOP("Run"), nullptr},
        {"data", QT_TR_NOOP("Data"), nullptr},
        {"units", QT_TR_NOOP("Units"), nullptr},
        {"silhouette", QT_TR_NOOP("Silhouette"), QT_TR_NOOP("How well the clusters are apart, from -1 to 1")},
        {"unclassified", QT_TR_NOOP("Not classified"), nullptr},
        {"conclusions", QT_TR_NOOP("Conclusions"), QT_TR_NOOP("What was found of what is expected of each class")},
        {"hessian_strategy", QT_TR_NOOP("Strategy"), nullptr},
        {"sum_bytes", QT_TR_NOOP("Sum"),
         QT_TR_NOOP("As the file says: a sum of the parts, as if all were alive at one time")},
        {"intermediate_bytes", QT_TR_NOOP("Intermediate results"), nullptr},
        {"devices_needed", QT_TR_NOOP("Devices"), nullptr},
        {"predicted_peak_bytes", QT_TR_NOOP("Predicted peak"), nullptr},
        {"predicted_reserved_bytes", QT_TR_NOOP("Predicted reserved"), nullptr},
        {"margin_bytes", QT_TR_NOOP("Margin"), QT_TR_NOOP("Usable less reserved less context")},
        {"step_seconds", QT_TR_NOOP("Step time"), nullptr},
        {"verified", QT_TR_NOOP("Verified"), QT_TR_NOOP("Whether this kind of step was checked against measurements")},
        {"reasons", QT_TR_NOOP("Reasons"), nullptr},
        {"change", QT_TR_NOOP("Change"), nullptr},
        {"saved_bytes", QT_TR_NOOP("Saved"), QT_TR_NOOP("Against the step before")},
        {"sequence", QT_TR_NOOP("Sequence"), nullptr},
        {"batch", QT_TR_NOOP("Batch"), nullptr},
        {"source", QT_TR_NOOP("Source"), QT_TR_NOOP("Predicted, measured, or impossible for the model")},
        {"device", QT_TR_NOOP("Device"), nullptr},
        {"quantity", QT_TR_NOOP("Quantity"), nullptr},
        {"setting", QT_TR_NOOP("Setting"), nullptr},
        {"block", QT_TR_NOOP("Block"), QT_TR_NOOP("A tensor, head or layer: the Hessian restricted to it")},
        {"layer", QT_TR_NOOP("Layer"), nullptr},
        {"size", QT_TR_NOOP("Size"), QT_TR_NOOP("Parameters of the block")},
        {"trace", QT_TR_NOOP("Trace"), nullptr},
        {"trace_low", QT_TR_NOOP("from"), QT_TR_NOOP("Lower end of the trace's 95 % interval")},
        {"trace_high", QT_TR_NOOP("to"), QT_TR_NOOP("Upper end of the trace's 95 % interval")},
        {"top_eigenvalue", QT_TR_NOOP("Top eigenvalue"), QT_TR_NOOP("Of largest magnitude")},
        {"smallest_eigenvalue", QT_TR_NOOP("Smallest eigenvalue"),
         QT_TR_NOOP("By value: how far the curvature goes below zero, where it does")},
        {"smallest_residual", QT_TR_NOOP("± smallest"),
         QT_TR_NOOP("Residual of the smallest: an eigenvalue lies within this of it")},
        {"largest_eigenvalue", QT_TR_NOOP("Largest eigenvalue"),
         QT_TR_NOOP("By value: the steepest direction within the block")},
        {"largest_residual", QT_TR_NOOP("± largest"),
         QT_TR_NOOP("Residual of the largest: an eigenvalue lies within this of it")},
        {"row_tensor", QT_TR_NOOP("Rows of"), QT_TR_NOOP("The tensor whose parameters are the block's rows")},
        {"column_tensor", QT_TR_NOOP("Columns of"),
         QT_TR_NOOP("The tensor whose parameters are the block's columns; the same block "
                    "the other way round is not listed again")},
        {"block_rows", QT_TR_NOOP("Rows"), nullptr},
        {"block_columns", QT_TR_NOOP("Columns"), nullptr},
        {"rms_entry", QT_TR_NOOP("RMS entry"), QT_TR_NOOP("Root mean square of the block's entries")},
        {"eigenvalue", QT_TR_NOOP("Eigenvalue"), nullptr},
        {"residual", QT_TR_NOOP("Residual"), QT_TR_NOOP("|Hv − λv|: an eigenvalue lies within this of the value")},
        {"relative_residual", QT_TR_NOOP("Relative residual"),
         QT_TR_NOOP("The residual over the largest eigenvalue's magnitude")},
        {"frobenius", QT_TR_NOOP("Frobenius norm"), nullptr},
        {"share_of_squares", QT_TR_NOOP("Share of ‖H‖²"),
         QT_TR_NOOP("Its squares over those of the whole matrix; what all blocks lack to 100 % is off-block mass")},
        {"block_method", QT_TR_NOOP("Computed"),
         QT_TR_NOOP("Exact: from the block's whole matrix; estimated: from random probes")},
        {"diagonal", QT_TR_NOOP("Diagonal"), nullptr},
        {"parameter", QT_TR_NOOP("Parameter"), nullptr},
        {"index", QT_TR_NOOP("Index"), QT_TR_NOOP("Flattened position in the tensor as stored")},
        {"value", QT_TR_NOOP("Value"), nullptr},
        {"estimate", QT_TR_NOOP("Estimate"), nullptr},
        {"samples", QT_TR_NOOP("Samples"), QT_TR_NOOP("Probes, entries or products until then")},
        {"mean", QT_TR_NOOP("Mean"), nullptr},
        {"standard_error", QT_TR_NOOP("Standard error"), nullptr},
        {"low", QT_TR_NOOP("95 % from"), nullptr},
        {"high", QT_TR_NOOP("95 % to"), nullptr},
    };
};

} // namespace peakscope
