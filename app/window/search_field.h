// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The toolbar's field: finds names in the tables of what is in front, and nothing else. Runs are found by the library's
// own filter, to which Ctrl+F goes where there are no such tables. GUI thread.
#pragma once

#include <QLineEdit>

namespace peakscope {

class Workspace;

class SearchField : public QLineEdit
{
    Q_OBJECT

public:
    SearchField(QLineEdit& library, QWidget* parent);

    // Null: the start page.
    void setInFront(Workspace* workspace);
    void begin(); // Ctrl+F

private:
    QLineEdit& m_library;
    Workspace* m_inFront = nullptr;
};

} // namespace peakscope
