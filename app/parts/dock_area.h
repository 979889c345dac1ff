// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a workspace that the user arranges: one view in the middle and docks around it. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QMainWindow>

namespace peakscope {

class DockArea : public QMainWindow
{
    Q_OBJECT

public:
    explicit DockArea(QWidget* parent);

    // Below the middle; `name` is what a saved layout calls it.
    QDockWidget* addDock(const QString& name, QWidget* content, LanguageText title);
    QList<QDockWidget*> docks() const;
};

} // namespace peakscope
