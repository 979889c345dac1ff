// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_page.h"

#include "app/analyse/analyse_colours.h"
#include "app/analyse/embedding_fields.h"
#include "app/analyse/partition_fields.h"
#include "app/window/message_bar.h"
#include "app/window/table_tabs.h"
#include "core/analysis/response/response_summary.h"
#include "core/base/json_reader.h"
#include "widgets/analysis/analysis_report.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "core/results/analysis_tables.h"
#include "widgets/look/pieces.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/plain_text.h"

#include <QComboBox>
#include <QItemSelectionModel>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>

#include <algorithm>
#include <cmath>
#include <utility>

namespace peakscope {

namespace {

constexpr int kByClass = 0, kByCluster = 1, kByKind = 2, kByLayer = 3, kByFeature = 4;
} // namespace

AnalysePage::AnalysePage(QWidget* parent) : WorkspacePage(parent), m_worker(this), m_tableTime(this)
{
    makeBox<QVBoxLayout>(this, {}, 0);
    buildTop();
    buildBody();
    connectParts();
    connectViews();
    connectTables();
    clear();
}

AnalysePage::~AnalysePage()
{
    // Children go after this; none of them may come back here.
    m_worker.disconnect(this);
    table(QStringLiteral("units"))->view()->selectionModel()->disconnect(this);
}

DataTableView* AnalysePage::table(const QString& name) const
{
    return m_tables->table(name);
}

QString AnalysePage::statusText() const
{
    return m_status->text();
}

QString AnalysePage::badges() const
{
    return m_badges->text();
}

void AnalysePage::clear()
{
    inspectNothing();
    m_worker.cancel();
    m_result.reset();
    m_data.reset();
    m_places.clear();
    m_clusters.clear();
    m_labels.clear();
    m_counts = {};
    m_selection.clear();
    m_recomputed = m_whatIf = false;
    m_liveId = 0;
    m_title->clear();
    m_messages->dismiss();
    m_stack->setCurrentIndex(0);
    showBusy(false);
    showBadges();
    updateStatus();
}

void AnalysePage::showDocument(const RunDocument& document)
{
    clear();
    const Result<AnalysisData>& sections = *document.result->analysis;
    if (!sections) {
        m_messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(sections.error().text()));
        return;
    }
    m_result = document.result;
    m_title->setText(resultTitle(*document.result));
    m_stack->setCurrentIndex(1);
    takeData({document.result->analysis, &*sections});
}

void AnalysePage::showDry(int id, const QString& title)
{
    if (id != 0 && m_liveId == id)
        return;
    clear();
    m_liveId = id;
    m_title->setText(title);
    m_messages->showMessage(MessageBar::Kind::Info, [] {
        return tr("A dry run holds memory only: no answer to noise and no feature was computed.");
    });
}

void AnalysePage::showLive(int id, const QString& title, const std::shared_ptr<const AnalysisData>& data)
{
    if (m_liveId != id) {
        clear();
        m_liveId = id;
        m_title->setText(title);
        m_stack->setCurrentIndex(1);
        takeData(data ? data : std::make_shared<const AnalysisData>());
    } else if (data && data != m_data) {
        refresh(data);
    }
}

// Points come many times a second: only what they change is drawn anew.
void AnalysePage::refresh(const std::shared_ptr<const AnalysisData>& data)
{
    const bool sameUnits = data->unitCount() == m_data->unitCount() && data->places.size() == m_data->places.size() &&
                           data->labels == m_data->labels && data->featureNames == m_data->featureNames;
    if (!sameUnits) {
        takeData(data);
        return;
    }
    m_data = data;
    m_responses->updateData(m_data);
    m_effects->updateData(m_data);
    m_report->setData(m_data);
    fillAnswers();
    updateStatus();
}

void AnalysePage::takeData(const std::shared_ptr<const AnalysisData>& data)
{
    m_data = data;
    m_places = data->places;
    m_clusters = data->clusters;
    m_silhouette = data->silhouette;
    m_trustworthiness = data->trustworthiness;
    m_labels = data->labels;
    m_counts = data->counts;
    m_embedding->setParameters(m_data->embeddingParameters);
    m_partition->setPartition(m_data->thresholds, m_data->rule);
    showData();
    emit documentShown();
}

void AnalysePage::showData()
{
    m_partition->setUsable(m_data->hasPlane());
    m_embedding->setComputable(m_data->unitCount() > 0 && !m_data->features.empty());
    showUnits();
    m_responses->setData(m_data);
    m_effects->setData(m_data);
    m_report->setData(m_data);
    m_distances->setDistances({}, m_embedding->minSamples());
    fillColours();
    fillTables();
    showBadges();
    updateStatus();
    // The plot of distances comes from the places; the stored clusters stay.
    if (!m_places.empty())
        m_worker.cluster(m_places, m_embedding->eps(), m_embedding->minSamples());
}

bool AnalysePage::holdsUnits() const
{
    return m_liveId != 0 || (m_data && m_data->unitCount() > 0);
}

void AnalysePage::showUnits()
{
    std::vector<QString> names = unitNames();
    if (!m_places.empty())
        m_scatter->setPoints(m_places, names);
    else if (!m_data->features.empty())
        m_scatter->clear([] { return tr("No embedding is stored. “Compute UMAP” makes one from the features."); });
    else
        m_scatter->clear([live = m_liveId != 0] {
            return live ? tr("The units are placed once the model is fine-tuned and their features are known.")
                        : tr("This file holds no features and no embedding of units.");
        });
    if (m_data->hasPlane()) {
        std::vector<UnitPlace> places;
        for (std::size_t i = 0; i < m_data->unitCount(); ++i)
            places.push_back({m_data->alignment[i], m_data->sparsity[i]});
        m_plane->setPoints(std::move(places), std::move(names));
        m_plane->setThresholds(m_data->thresholds, m_data->rule == PartitionRule::Absolute);
    } else {
        m_plane->clear([live = m_liveId != 0] {
            return live ? tr("Alignment and sparsity come with the units' features.")
                        : tr("This file holds no alignment and sparsity of units.");
        });
    }
}

std::vector<QString> AnalysePage::unitNames() const
{
    std::vector<QString> names;
    for (const AnalysisUnit& unit : m_data->units)
        names.push_back(QString::fromStdString(unit.name));
    return names;
}

void AnalysePage::recompute()
{
    if (!m_data || m_data->features.empty())
        return;
    m_messages->dismiss();
    m_progress->setValue(0);
    showBusy(true);
    m_worker.embed(m_data, m_embedding->options(), 0, m_embedding->minSamples());
    updateStatus();
}

void AnalysePage::cancel()
{
    m_worker.cancel();
    showBusy(false);
    if (!m_data)
        return;
    // What grew until then is not a finished embedding: the one before stands again.
    if (m_places.empty()) {
        m_scatter->clear([] { return tr("Stopped. “Compute UMAP” starts again."); });
    } else {
        m_scatter->setPoints(m_places, unitNames(), true);
        showColours();
    }
    updateStatus();
}

void AnalysePage::onEmbedded(const std::shared_ptr<const EmbeddingAnswer>& answer)
{
    showBusy(false);
    m_recomputed = true;
    m_places = answer->places;
    m_trustworthiness = answer->trustworthiness;
    m_scatter->setPoints(m_places, unitNames(), true);
    onClustered(answer->clusters);
    m_scatter->resetZoom();
    m_scatter->setSelection(m_selection);
    if (!answer->notes.empty()) {
        QStringList notes;
        for (const std::string& note : answer->notes)
            notes << QString::fromStdString(note);
        m_messages->showMessage(MessageBar::Kind::Info, notes.join(QStringLiteral("; ")));
    }
}

void AnalysePage::onClustered(const ClusterAnswer& answer)
{
    m_embedding->showEps(answer.eps);
    m_distances->setRadius(answer.eps);
    m_distances->setDistances(answer.kDistances, answer.minSamples);
    const double storedEps = lenient::number(m_data->embeddingParameters, "eps");
    const bool asStored = !m_recomputed && !m_data->clusters.empty() && std::abs(storedEps - answer.eps) < 5e-4;
    m_clusters = asStored ? m_data->clusters : answer.clusters;
    m_silhouette = asStored && m_data->silhouette ? m_data->silhouette : answer.silhouette;
    fillColours();
    fillTables();
    showBadges();
    updateStatus();
}

void AnalysePage::setThresholds(const ClassThresholds& thresholds)
{
    setPartition(thresholds, PartitionRule::Absolute); // moving a line means the lines
}

const ClassThresholds& AnalysePage::lines() const
{
    return m_partition->lines();
}

PartitionRule AnalysePage::rule() const
{
    return m_partition->rule();
}

void AnalysePage::setPartition(const ClassThresholds& lines, PartitionRule rule)
{
    if (!m_data || !m_data->hasPlane())
        return;
    if (const Status status = checkThresholds(lines); !status) {
        m_messages->showMessage(MessageBar::Kind::Warning, QString::fromStdString(status.error().text()));
        return;
    }
    m_partition->setPartition(lines, rule);
    applyPartition();
}

void AnalysePage::resetThresholds()
{
    if (m_data)
        setPartition(ClassThresholds(m_data->thresholds), m_data->rule);
}

void AnalysePage::applyPartition()
{
    if (!m_data || !m_data->hasPlane())
        return;
    const PartitionRule rule = this->rule();
    const ClassThresholds& shown = lines();
    const ClassThresholds& t = m_data->thresholds;
    const auto near = [](double a, double b) { return std::abs(a - b) < 5e-3; };
    const bool asStored = rule == m_data->rule && near(shown.funcAlignment, t.funcAlignment) &&
                          near(shown.funcSparsity, t.funcSparsity) && near(shown.sensAlignment, t.sensAlignment) &&
                          near(shown.sensSparsity, t.sensSparsity);
    m_plane->setThresholds(shown, rule == PartitionRule::Absolute);
    emit partitionChanged();
    m_whatIf = !(asStored && !m_data->labels.empty());
    if (m_whatIf) {
        const Result<UnitPartition> partition = partitionOf(*m_data, shown, rule);
        if (!partition) {
            m_messages->showMessage(MessageBar::Kind::Warning, QString::fromStdString(partition.error().text()));
            return;
        }
        m_labels.clear();
        for (const UnitClass label : partition->labels)
            m_labels.push_back(groupOf(label));
        m_counts = partition->counts;
    } else {
        m_labels = m_data->labels;
        m_counts = m_data->counts;
    }
    showColours();
    showBadges();
    updateStatus();
    m_tableTime.start();
}

void AnalysePage::fillColours()
{
    const QSignalBlocker blocker(m_colour);
    const QString before = m_colour->currentText();
    const int by = m_colour->currentData().toInt();
    m_colour->clear();
    m_colour->addItem(tr("Class"), kByClass);
    if (!m_clusters.empty())
        m_colour->addItem(tr("Cluster"), kByCluster);
    if (m_data && std::any_of(m_data->units.begin(), m_data->units.end(),
                              [](const AnalysisUnit& unit) { return !unit.kind.empty(); }))
        m_colour->addItem(tr("Module kind"), kByKind);
    if (m_data && std::any_of(m_data->units.begin(), m_data->units.end(),
                              [](const AnalysisUnit& unit) { return layerOfUnit(unit).has_value(); }))
        m_colour->addItem(tr("Layer"), kByLayer);
    for (std::size_t i = 0; m_data && i < m_data->featureNames.size(); ++i)
        m_colour->addItem(QString::fromStdString(m_data->featureNames[i]), kByFeature + static_cast<int>(i));
    // A feature is known by its name, which need not stand where it stood.
    m_colour->setCurrentIndex(std::max(0, by < kByFeature ? m_colour->findData(by) : m_colour->findText(before)));
    showColours();
}

void AnalysePage::showColours()
{
    if (!m_data)
        return;
    UnitColours classes = coloursByClass(m_data->unitCount(), m_labels);
    m_plane->setStyles(classes.styleOf, classes.styles, classes.legend);
    UnitColours colours;
    switch (const int by = m_colour->currentData().toInt()) {
    case kByClass:
        colours = std::move(classes);
        break;
    case kByCluster:
        colours = coloursByCluster(m_clusters);
        break;
    case kByKind:
        colours = coloursByKind(*m_data);
        break;
    case kByLayer:
        colours = coloursByValue(layersOf(*m_data));
        break;
    default:
        colours = coloursByValue(featureOf(*m_data, static_cast<std::size_t>(by - kByFeature)));
    }
    m_scatter->setStyles(std::move(colours.styleOf), std::move(colours.styles), std::move(colours.legend));
}

void AnalysePage::fillTables()
{
    fillUnits();
    AnalysisData shown = *m_data;
    shown.clusters = m_clusters;
    shown.labels = m_labels;
    table(QStringLiteral("clusters"))->setTable(clustersTable(shown));
    fillAnswers();
    fitToContents();
}

void AnalysePage::fillAnswers()
{
    table(QStringLiteral("responses"))->setTable(responsesTable(*m_data));
    table(QStringLiteral("effects"))->setTable(effectsTable(*m_data));
    table(QStringLiteral("hypotheses"))->setTable(hypothesesTable(*m_data));
}

void AnalysePage::fillUnits()
{
    if (!m_data)
        return;
    AnalysisData shown = *m_data;
    shown.places = m_places;
    shown.clusters = m_clusters;
    m_settling = true;
    table(QStringLiteral("units"))->setTable(unitsTable(shown, m_labels));
    m_settling = false;
    selectUnits(m_selection);
}

void AnalysePage::selectUnits(const QList<int>& units)
{
    m_selection = units;
    m_scatter->setSelection(units);
    m_plane->setSelection(units);
    m_settling = true;
    DataTableView* view = table(QStringLiteral("units"));
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(view->view()->model());
    QItemSelection rows;
    constexpr qsizetype kMostRows = 2000; // more are not looked at one by one
    QModelIndex first;
    for (qsizetype i = 0; i < units.size() && i < kMostRows; ++i) {
        const QModelIndex source = view->model()->index(units[i], 0);
        const QModelIndex index = proxy ? proxy->mapFromSource(source) : source;
        if (!index.isValid())
            continue;
        rows.select(index, index.siblingAtColumn(view->model()->columnCount() - 1));
        if (!first.isValid() || index.row() < first.row())
            first = index;
    }
    view->view()->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (first.isValid())
        view->view()->scrollTo(first);
    m_settling = false;
    // A selection of one class makes its curve stand out.
    UnitGroup common = UnitGroup::None;
    for (qsizetype i = 0; i < units.size(); ++i) {
        const auto unit = static_cast<std::size_t>(units[i]);
        const UnitGroup group = unit < m_labels.size() ? m_labels[unit] : UnitGroup::None;
        common = i == 0 || group == common ? group : UnitGroup::None;
        if (common == UnitGroup::None)
            break;
    }
    m_responses->setEmphasis(common);
    if (units.size() == 1)
        inspectUnit(units.front());
    updateStatus();
}

QString AnalysePage::unitDetails(int unit) const
{
    const auto i = static_cast<std::size_t>(unit);
    if (!m_data || i >= m_data->unitCount())
        return {};
    QStringList parts;
    if (i < m_labels.size() && m_labels[i] != UnitGroup::None)
        parts << groupTitle(m_labels[i]);
    if (i < m_clusters.size())
        parts << clusterTitle(m_clusters[i]);
    if (m_data->hasPlane())
        parts << tr("alignment %1, sparsity %2")
                     .arg(compactNumber(m_data->alignment[i]), compactNumber(m_data->sparsity[i]));
    if (!m_data->units[i].kind.empty())
        parts << QString::fromStdString(m_data->units[i].kind);
    return parts.join(QStringLiteral(" · "));
}

void AnalysePage::inspectUnit(int unit)
{
    const auto i = static_cast<std::size_t>(unit);
    if (!m_data || i >= m_data->unitCount())
        return;
    inspect([this, unit] { return unitContent(unit); });
}

// Of the units as they are by then; clear() forgets the one that is inspected.
InspectorContent AnalysePage::unitContent(int unit) const
{
    const auto i = static_cast<std::size_t>(unit);
    if (!m_data || i >= m_data->unitCount())
        return {};
    InspectorContent content{QString::fromStdString(m_data->units[i].name),
                             tr("A parameter unit: one point of the embedding. %1").arg(unitDetails(unit)),
                             {}};
    InspectorContent::Section features{tr("Features"), {}};
    for (std::size_t k = 0; k < m_data->featureNames.size(); ++k) {
        const std::string& name = m_data->featureNames[k];
        QString explanation;
        if (name == "alignment")
            explanation =
                tr("‖P ḡ‖ / ‖ḡ‖: how much of the unit's mean gradient on one half of the calibration text lies "
                   "in the leading directions of its per-sample gradients on the other half");
        else if (name == "sparsity")
            explanation = tr("share of the activations it produces that are below a hundredth of their RMS");
        features.add(QString::fromStdString(name),
                     compactNumber(m_data->features[i * m_data->featureNames.size() + k], 5), explanation);
    }
    if (!m_data->units[i].parameter.empty())
        content.sections.push_back(
            {tr("Parameter"), {{tr("Tensor"), QString::fromStdString(m_data->units[i].parameter), {}}}});
    content.sections.push_back(std::move(features));
    return content;
}

void AnalysePage::showBadges()
{
    QStringList words;
    if ((m_result && m_result->synthetic) || (m_data && m_data->synthetic))
        words << tr("synthetic");
    if (m_liveId)
        words << tr("live");
    if (m_result && m_result->other.contains("source"))
        words << tr("imported");
    m_badges->setText(words.isEmpty() ? QString() : QStringLiteral(" %1 ").arg(words.join(QStringLiteral(" · "))));
    m_badges->setVisible(!words.isEmpty());
    m_badges->setStyleSheet(words.contains(tr("synthetic"))
                                ? QStringLiteral("background:#fff0e6;color:#a83200;border:1px solid #a83200;"
                                                 "border-radius:3px;padding:1px 4px;font-weight:bold")
                                : QStringLiteral("border:1px solid palette(mid);border-radius:3px;padding:1px 4px"));
    words.removeAll(tr("imported")); // said once, above: the views' own titles need the room
    const QString base = words.join(QStringLiteral(" · "));
    const auto with = [&base](const QString& word) {
        return word.isEmpty() ? base : base.isEmpty() ? word : base + QStringLiteral(" · ") + word;
    };
    m_scatter->setBadge(with(m_recomputed ? tr("recomputed") : QString()));
    m_plane->setBadge(with(m_whatIf ? tr("what-if") : QString()));
    m_responses->setBadge(base);
    m_effects->setBadge(base);
    m_distances->setBadge(base);
}

void AnalysePage::updateStatus()
{
    QStringList parts;
    if (m_data) {
        if (m_worker.embedding())
            parts << tr("Computing the embedding…");
        // What is written nowhere else comes first: a narrow window cuts off the end.
        if (m_silhouette)
            parts << tr("silhouette %1").arg(compactNumber(*m_silhouette));
        if (m_trustworthiness)
            parts << tr("trustworthiness %1").arg(compactNumber(*m_trustworthiness));
        if (m_data->unitCount() > 0)
            parts << tr("%1 units").arg(m_data->unitCount());
        if (m_liveId)
            parts << tr("answers so far: %1").arg(m_data->rows.size());
        if (m_data->hasCounts || !m_labels.empty()) {
            QStringList classes;
            for (const UnitClass unitClass : kUnitClasses)
                classes << QStringLiteral("%1 %2")
                               .arg(groupTitle(groupOf(unitClass)))
                               .arg(m_counts[static_cast<std::size_t>(unitClass)]);
            parts << classes.join(QStringLiteral(", "));
        }
        if (!holdsUnits())
            parts << tr("this file lists no units: there is nothing to embed");
        if (m_whatIf)
            parts << tr("what-if: the stored classes stay");
        if (!m_selection.isEmpty())
            parts << tr("%1 selected").arg(m_selection.size());
    }
    m_status->setText(parts.join(QStringLiteral("  ·  ")));
    m_status->setToolTip(plainToolTip(m_status->text()));
}

void AnalysePage::showBusy(bool busy)
{
    m_progress->setVisible(busy);
    m_stop->setVisible(busy);
    m_embedding->setComputable(!busy && m_data && !m_data->features.empty());
}

} // namespace peakscope
