// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is alive at one instant of a snapshot as tiles: a treemap of lines within components, a flame graph of stacks,
// or a map of the allocator's segments. A read-out names the tile under the pointer. GUI thread.
#pragma once

#include "widgets/plot/plot_view.h"
#include "widgets/snapshot/tile_layout.h"

#include <memory>
#include <optional>

class QLabel;

namespace peakscope {

class LegendStrip;

enum class TilesShape { Treemap, FlameGraph, SegmentMap };

class TilesView : public PlotView
{
    Q_OBJECT
public:
    explicit TilesView(TilesShape shape, QWidget* parent = nullptr);
    ~TilesView() override;

    // After the event of that number; null: nothing. `chosen`: see setChosen().
    void setInstant(std::shared_ptr<const SnapshotRecording> recording, std::int64_t event,
                    std::vector<bool> chosen = {});
    // The blocks that are pointed out, a flag a block of the replay; all others are pale. Empty: none, nothing is pale.
    void setChosen(std::vector<bool> blocks);
    // The tiles as they are drawn, for tests.
    const std::vector<Tile>& tiles() const;
    QString readout() const;

    QString summary() const override;
    QString visibleDataTsv() const override;

signals:
    // Of a tile that was clicked: its line or frame, and the number of its block in a segment map.
    void lineActivated(const QString& line);
    void blockActivated(std::size_t block);
    void nothingActivated(); // a hole, or what lies between the tiles

protected:
    void applyTheme(const ChartTheme& theme) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Scene;
    void activate(const Tile& tile);
    void showReadout(const Tile* tile);
    void updateLegend();
    void gather();
    QString tileText(const Tile& tile) const;

    std::unique_ptr<Scene> m_scene;
    QLabel* m_readout = nullptr;
    LegendStrip* m_legend = nullptr;
};

} // namespace peakscope
