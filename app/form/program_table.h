// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What became of a program on each card, and at each number of GPUs: a row each, with a bar as long as the card. Part
// of ProgramDialog; GUI thread.
#pragma once

#include "app/jobs/program_runs.h"

#include <QTableWidget>

namespace peakscope {

class ProgramTable : public QTableWidget
{
    Q_OBJECT

public:
    enum Column { Card, Gpus, State, Course, Allocated, Reserved, Outside, Margin, OfTheCard, ColumnCount };

    explicit ProgramTable(QWidget* parent);

    // How many GPUs and NCCL's margin have a column where a program ran on several, courses once there is one.
    void showRows(const std::vector<ProgramRow>& rows);

private:
    void showRow(int row, const ProgramRow& one);
};

// "64 GPUs are the first that fit NVIDIA A800 SXM 80GB", of rows of that card at several numbers of GPUs, and whether
// NCCL's margin would change that; empty for rows of one number, and until all have come to their end.
QString firstThatFits(const std::vector<ProgramRow>& rows, const CatalogueDevice& card);

} // namespace peakscope
