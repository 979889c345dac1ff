// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What of several runs is compared where they have both: their answers to noise, or their memory. GUI thread.
#pragma once

#include "app/jobs/result_loader.h"

#include <QTabBar>

#include <vector>

namespace peakscope {

class CompareSubject : public QTabBar
{
    Q_OBJECT
public:
    explicit CompareSubject(QWidget* parent);

    // For these runs: hidden where there is no choice. The answers come first where all runs have them, or none has
    // memory. Says nothing by itself.
    void offer(const std::vector<RunDocument>& runs);
    bool responses() const { return currentIndex() == 0; }

signals:
    void chosen(bool responses);
};

} // namespace peakscope
