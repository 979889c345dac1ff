// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Runs as stacked bars: what each peak is made of, what each run needs beyond the base run by component, or each
// component run by run. Predicted and after-the-step values look different from those measured at the peak. GUI thread.
#pragma once

#include "core/results/component_reading.h"
#include "widgets/plot/bars_view.h"
#include "widgets/plot/legend_strip.h"

#include <array>
#include <optional>

class QActionGroup;

namespace peakscope {

struct CompareBarsRun {
    QString title;                         // without its letter
    QString badge;                         // may be empty
    std::optional<std::int64_t> peakBytes; // measured
    std::int64_t predictedBytes = 0;       // 0: none
    bool predictionIsBound = false;        // planned for at most
    // What its source knows of each component; nothing is not zero.
    std::array<std::optional<std::int64_t>, kComponentCount> components;
    ComponentReadings readings{}; // what each of them is
    bool atPeak() const;          // whether all of them sum to the peak
};

class CompareBarsView : public BarsView
{
    Q_OBJECT
public:
    enum class Mode { Stacked, Overhead, ByComponent };

    explicit CompareBarsView(QWidget* parent = nullptr);

    void setRuns(std::vector<CompareBarsRun> runs, std::size_t base);
    Mode mode() const { return m_mode; }
    QString summary() const override;

public slots:
    void setMode(CompareBarsView::Mode mode);

protected:
    void rebuild() override;

private:
    BarSegment segmentOf(Component component, double bytes, ComponentReading reading) const;
    std::vector<BarRow> stackedRows() const;
    std::vector<BarRow> overheadRows() const;
    std::vector<BarRow> componentRows() const;
    std::vector<LegendStrip::Entry> orderEntries() const;
    QString tooltipOf(std::size_t run) const;
    std::vector<Component> componentsPresent() const;
    QString label(std::size_t run) const;

    Mode m_mode = Mode::Stacked;
    std::vector<CompareBarsRun> m_runs;
    std::size_t m_base = 0;
    QActionGroup* m_modes = nullptr;
};

} // namespace peakscope
