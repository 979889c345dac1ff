// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The views of an analysis and where they stand: the embedding beside the plane of the classes, answers to noise and
// statistics under them, then the tables. Where both rows of charts would be too low to read they are tabs of one
// place. GUI thread.
#pragma once

#include <QSplitter>
#include <QTimer>

class QTabWidget;

namespace peakscope {

class AnalyseTables;
class EffectMapView;
class HypothesisReport;
class KDistanceView;
class PartitionPlaneView;
class ResponseView;
class UnitScatterView;

class AnalyseBody : public QSplitter
{
    Q_OBJECT

public:
    explicit AnalyseBody(QWidget* parent);

    UnitScatterView* scatter() const { return m_scatter; }
    PartitionPlaneView* plane() const { return m_plane; }
    ResponseView* responses() const { return m_responses; }
    EffectMapView* effects() const { return m_effects; }
    KDistanceView* distances() const { return m_distances; }
    HypothesisReport* report() const { return m_report; }
    AnalyseTables* tables() const { return m_tables; }

    // Files of older scripts hold answers to noise alone: what has nothing to show gives its room to them.
    void showUnits(bool units);

    QByteArray saveSizes() const;
    bool restoreSizes(const QByteArray& state);
    void restoreDefaultSizes();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitRows();
    void fold();
    void unfold();
    void nameRows();

    bool m_units = true;
    QTimer m_later;               // the splitter must have its size first
    QByteArray m_unfolded;        // the rows' sizes, while they are tabs
    QTabWidget* m_rows = nullptr; // of the upper and the middle row, where both would be too low
    QSplitter* m_upper = nullptr;
    QSplitter* m_middle = nullptr;
    UnitScatterView* m_scatter = nullptr;
    PartitionPlaneView* m_plane = nullptr;
    ResponseView* m_responses = nullptr;
    EffectMapView* m_effects = nullptr;
    KDistanceView* m_distances = nullptr;
    HypothesisReport* m_report = nullptr;
    QTabWidget* m_lower = nullptr; // effects, hypotheses, k-distances
    AnalyseTables* m_tables = nullptr;
};

} // namespace peakscope
