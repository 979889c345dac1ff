// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Device and budget of the next run in the window's tool bar: twins of the form's fields, what is chosen here stands
// there and the other way round. GUI thread.
#pragma once

#include <QObject>

class QToolBar;

namespace peakscope {

class ExperimentForm;

class NextRunFields : public QObject
{
    Q_OBJECT

public:
    NextRunFields(QToolBar* bar, ExperimentForm* form);
};

} // namespace peakscope
