// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The titles of a table's columns: in two lines where they make the table wider than its view, so that fewer columns
// stand beyond its edge. Used by DataTableView. GUI thread.
#pragma once

#include <QHeaderView>

class QTableView;

namespace peakscope {

class WrappedHeader : public QHeaderView
{
public:
    explicit WrappedHeader(QTableView* view);

    // Widths from what the columns hold, none above `most`.
    void fitColumns(int most);
    // After titles changed: the same once more; widths that the user gave stay where they are enough.
    void followTitles();
    bool isWrapped() const { return m_wrapped; }
    bool byHand() const { return m_byHand; }

protected:
    QSize sectionSizeFromContents(int section) const override;
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setWrapped(bool wrapped);
    int widthOfContents();
    void fitName();

    QTableView* m_view;
    int m_most = 0;  // 0: never fitted
    int m_name = 0;  // width of the first column, as its contents would have it
    int m_plain = 0; // width of all columns with their titles in one line
    bool m_wrapped = false;
    bool m_fitting = false;
    bool m_byHand = false; // somebody gave a column another width, which stays
};

} // namespace peakscope
