// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The doctor's remedies one below the other, each whole: its verdict, the change, what it saves, what to type, and the
// buttons that copy it or make it a new run. GUI thread.
#pragma once

#include <QScrollArea>

namespace peakscope {

class TableModel;

class RemedyCards : public QScrollArea
{
    Q_OBJECT
public:
    explicit RemedyCards(QWidget* parent = nullptr);

    // A card a row of the model, in its words; `runs`: as many of the first have an experiment.
    void show(const TableModel& remedies, std::size_t runs);
    using QScrollArea::show;

signals:
    void runRequested(std::size_t row);

private:
    QWidget* card(const TableModel& remedies, int row, bool runs);
};

} // namespace peakscope
