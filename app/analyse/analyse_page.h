// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Analyse workspace: the embedding beside the plane of the classes, answers to noise and effects under them, then
// the tables. One selection of units and classes for all; thresholds, neighbours and radius can be changed, the result
// itself stays as it is. GUI thread; everything long is computed by the AnalyseWorker.
#pragma once

#include "app/analyse/analyse_worker.h"
#include "app/jobs/result_loader.h"
#include "app/parts/workspace_page.h"

#include <QTimer>

#include <array>
#include <memory>

class QStackedWidget;

namespace peakscope {

class AnalyseBody;
class AnalyseHead;
class AnalyseTables;
class ColourChoice;
class DataTableView;
class EffectMapView;
class EmbeddingFields;
class HypothesisReport;
class KDistanceView;
class MessageBar;
class PartitionFields;
class PartitionPlaneView;
class ResponseView;
class UnitScatterView;

class AnalysePage : public WorkspacePage
{
    Q_OBJECT

public:
    explicit AnalysePage(QWidget* parent = nullptr);
    ~AnalysePage() override;

    void showDocument(const RunDocument& document);
    // What a running experiment has told so far (null: nothing yet). While its units stay the same, selection, zoom and
    // moved lines stay too.
    void showLive(int id, const QString& title, const std::shared_ptr<const AnalysisData>& data);
    int liveId() const { return m_liveId; } // 0: nothing that runs is shown
    // Back to the empty state.
    void clear();
    // A perturbation on a stand-in of a card, `id` while it goes on: nothing is analysed.
    void showDry(int id, const QString& title);
    bool hasDocument() const { return m_data != nullptr; }
    bool holdsUnits() const; // or will, where it goes on
    const std::shared_ptr<const RunResult>& result() const { return m_result; }

    UnitScatterView* scatter() const { return m_scatter; }
    PartitionPlaneView* plane() const { return m_plane; }
    ResponseView* responses() const { return m_responses; }
    EffectMapView* effects() const { return m_effects; }
    KDistanceView* distances() const { return m_distances; }
    HypothesisReport* report() const { return m_report; }
    MessageBar* messages() const { return m_messages; }
    DataTableView* table(const QString& name) const; // "units", "clusters", "responses", "effects", "hypotheses"
    AnalyseWorker* worker() { return &m_worker; }
    // Wfunc, Wsens, Wboth as the lines stand now.
    std::array<std::int64_t, 3> counts() const { return m_counts; }
    QList<int> selection() const { return m_selection; }
    // The lines in force, exactly; the fields show them rounded.
    const ClassThresholds& lines() const;
    PartitionRule rule() const;
    void setPartition(const ClassThresholds& lines, PartitionRule rule);
    QString statusText() const;
    QString badges() const;
    // Writes a table as CSV; says how that went.
    bool saveTableTo(const QString& name, const QString& path);

    QByteArray saveLayout() const override;
    bool restoreLayout(const QByteArray& state) override;
    void restoreDefaultLayout() override;

public slots:
    void recompute();
    void cancel();
    void selectUnits(const QList<int>& units);
    void setThresholds(const peakscope::ClassThresholds& thresholds); // and the rule that goes by them
    void resetThresholds();

signals:
    void openRequested();
    void partitionChanged(); // lines or rule
    void documentShown();    // its sections are read

private:
    void buildTop();
    void buildBody();
    QWidget* emptyPage();
    void connectParts();
    void connectViews();

    void takeData(const std::shared_ptr<const AnalysisData>& data);
    void onEmbedded(const std::shared_ptr<const EmbeddingAnswer>& answer);
    void onClustered(const ClusterAnswer& answer);
    void showData();
    void showUnits();
    void fitToContents();
    void refresh(const std::shared_ptr<const AnalysisData>& data);
    void applyPartition();
    void fillColours();
    void showColours();
    void fillTables();
    void fillUnits();
    void showBadges();
    void updateStatus();
    void showBusy(bool busy);
    void takeSelection(const QList<int>& units); // of every view but the table
    void inspectSelection();
    void saveTable(const QString& name);

    AnalyseWorker m_worker;
    QTimer m_tableTime; // after the last step of a dragged line
    std::shared_ptr<const RunResult> m_result;
    std::shared_ptr<const AnalysisData> m_data; // as stored; null: nothing is shown
    std::vector<UnitPlace> m_places;            // as shown: stored or recomputed
    std::vector<int> m_clusters;
    std::optional<double> m_silhouette, m_trustworthiness;
    std::vector<UnitGroup> m_labels; // as the lines stand now
    std::array<std::int64_t, 3> m_counts{};
    QList<int> m_selection;
    bool m_recomputed = false, m_whatIf = false;
    int m_liveId = 0;

    AnalyseHead* m_head = nullptr;
    MessageBar* m_messages = nullptr;
    ColourChoice* m_colour = nullptr;
    PartitionFields* m_partition = nullptr;
    EmbeddingFields* m_embedding = nullptr;
    std::array<QWidget*, 2> m_unitFields{}; // the rows of fields that only units answer to
    QStackedWidget* m_stack = nullptr;      // nothing to show; the body
    AnalyseBody* m_body = nullptr;          // and its views
    UnitScatterView* m_scatter = nullptr;
    PartitionPlaneView* m_plane = nullptr;
    ResponseView* m_responses = nullptr;
    EffectMapView* m_effects = nullptr;
    KDistanceView* m_distances = nullptr;
    HypothesisReport* m_report = nullptr;
    AnalyseTables* m_tables = nullptr;
};

} // namespace peakscope
