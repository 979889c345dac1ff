// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// By what the units of the Analyse workspace are coloured. GUI thread.
#pragma once

#include "app/analyse/analyse_colours.h"

#include <QComboBox>

namespace peakscope {

class ColourChoice : public QComboBox
{
    Q_OBJECT

public:
    explicit ColourChoice(QWidget* parent);

    // What can be chosen of these units (null: none are shown); the choice stays where it is there. Says nothing of it.
    void offer(const AnalysisData* data, bool clusters);
    // Of the units by it, with classes and clusters as they are shown.
    UnitColours colours(const AnalysisData& data, const std::vector<UnitGroup>& labels,
                        const std::vector<int>& clusters) const;
};

} // namespace peakscope
