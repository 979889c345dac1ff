// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Components as horizontal bars: what was alive at the peak, and each component's own maximum; or the stages that
// another program measured. GUI thread.
#pragma once

#include "core/results/component_reading.h"
#include "core/results/sweeps/snapshot_course.h"
#include "widgets/plot/bars_view.h"
#include "widgets/plot/legend_strip.h"

#include <vector>

class QActionGroup;

namespace peakscope {

class ComponentBarsView : public BarsView
{
    Q_OBJECT
public:
    enum class Mode { AtPeak, OwnMaximum, Both, Stages };

    explicit ComponentBarsView(QWidget* parent = nullptr);

    // Bytes of each component at the peak (they sum to it) and the most each ever had. `readings` where another program
    // did not read the first at the peak: they are hatched, named for what they are and no share of anything.
    void setData(const ComponentBytes& atPeak, const ComponentBytes& maxima, const ComponentReadings& readings = {},
                 const std::vector<RecordedStage>& stages = {});
    // In place of the peak: what was alive at another instant, and how that is called ("5.900 s"). Empty: the peak
    // again.
    void setInstant(const QString& when, const ComponentBytes& alive = {});
    void clear();
    Mode mode() const; // what is drawn of what was chosen
    QString summary() const override;

public slots:
    void setMode(ComponentBarsView::Mode mode);

signals:
    void stagesShown(bool stages); // in place of components

protected:
    void rebuild() override;

private:
    // How those were read that are not cumulated, and their sum.
    ComponentReading commonReading() const;
    QString peakModeText() const;
    bool knowsMaxima() const;
    bool knowsComponents() const;
    void offerModes();
    void showStages();
    std::int64_t commonBytes() const;
    QString tooltipOf(std::size_t component) const;
    std::vector<LegendStrip::Entry> legendEntries(bool showPeak, bool showMaximum) const;
    Mode m_mode = Mode::Both;
    const ComponentBytes& shownBytes() const { return m_when.isEmpty() ? m_atPeak : m_then; }
    void sayTitle();

    ComponentBytes m_atPeak{};
    ComponentBytes m_then{};
    QString m_when; // whose bytes those are; empty: the peak is shown
    ComponentBytes m_maxima{};
    ComponentReadings m_readings{};
    std::vector<RecordedStage> m_stages;
    bool m_hasData = false;
    QActionGroup* m_modes = nullptr;
};

} // namespace peakscope
