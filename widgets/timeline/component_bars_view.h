// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Components as horizontal bars: what was alive at the peak, and each component's own maximum. GUI thread.
#pragma once

#include "core/results/component_reading.h"
#include "widgets/plot/bars_view.h"
#include "widgets/plot/legend_strip.h"

#include <vector>

class QActionGroup;

namespace peakscope {

class ComponentBarsView : public BarsView
{
    Q_OBJECT
public:
    enum class Mode { AtPeak, OwnMaximum, Both };

    explicit ComponentBarsView(QWidget* parent = nullptr);

    // Bytes of each component at the peak (they sum to it) and the most each ever had. `readings` where another program
    // did not read the first at the peak: they are hatched, named for what they are and no share of anything.
    void setData(const ComponentBytes& atPeak, const ComponentBytes& maxima, const ComponentReadings& readings = {});
    void clear();
    Mode mode() const { return m_mode; }
    QString summary() const override;

public slots:
    void setMode(ComponentBarsView::Mode mode);

protected:
    void rebuild() override;

private:
    // How those were read that are not cumulated, and their sum.
    ComponentReading commonReading() const;
    QString peakModeText() const;
    bool knowsMaxima() const;
    std::int64_t commonBytes() const;
    QString tooltipOf(std::size_t component) const;
    std::vector<LegendStrip::Entry> legendEntries(bool showPeak, bool showMaximum) const;
    Mode m_mode = Mode::Both;
    ComponentBytes m_atPeak{};
    ComponentBytes m_maxima{};
    ComponentReadings m_readings{};
    bool m_hasData = false;
    QActionGroup* m_modes = nullptr;
};

} // namespace peakscope
