// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_page.h"

#include "app/analyse/analyse_body.h"
#include "app/analyse/analyse_head.h"
#include "app/analyse/analyse_tables.h"
#include "app/analyse/colour_choice.h"
#include "app/analyse/embedding_fields.h"
#include "app/analyse/partition_fields.h"
#include "app/analyse/unit_words.h"
#include "app/parts/empty_page.h"
#include "app/parts/icons.h"
#include "app/parts/message_bar.h"
#include "app/parts/save_file.h"
#include "core/analysis/response/response_summary.h"
#include "core/base/json/json_reader.h"
#include "widgets/analysis/analysis_report.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/look/pieces.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/language_texts.h"

#include <QPushButton>
#include <QStackedWidget>

#include <algorithm>
#include <cmath>
#include <utility>

namespace peakscope {

AnalysePage::AnalysePage(QWidget* parent) : WorkspacePage(parent), m_worker(this), m_tableTime(this)
{
    makeBox<QVBoxLayout>(this, {}, 0);
    buildTop();
    buildBody();
    connectParts();
    connectViews();
    clear();
}

AnalysePage::~AnalysePage()
{
    m_worker.disconnect(this); // it goes after this
}

void AnalysePage::buildTop()
{
    m_head = new AnalyseHead(this);
    layout()->addWidget(m_head);
    m_colour = new ColourChoice(this);
    QLabel* colour = makeLabel([] { return tr("Colour:"); }, this);
    colour->setBuddy(m_colour);
    m_partition = new PartitionFields(this);
    m_partition->putFirst(colour, m_colour);
    layout()->addWidget(m_partition);
    m_embedding = new EmbeddingFields(this);
    layout()->addWidget(m_embedding);
    m_unitFields = {m_partition, m_embedding};
    m_messages = new MessageBar(this);
    m_messages->layOver(this);
}

QWidget* AnalysePage::emptyPage()
{
    auto* open = new QPushButton(glyphIcon(Glyph::Open), {});
    inLanguage(open, [open] { open->setText(tr("Open results…")); });
    open->setObjectName(QStringLiteral("analyseOpen"));
    connect(open, &QPushButton::clicked, this, &AnalysePage::openRequested);
    return makeEmptyPage([] { return tr("Which parameters carry function, which carry privacy risk?"); },
                         [] {
                             return tr("Open a result of kind prm, or a file of the older scripts. It shows the units "
                                       "in an embedding, their classes, and the effect of noise in them.");
                         },
                         open, this);
}

void AnalysePage::buildBody()
{
    m_stack = new QStackedWidget(this);
    m_body = new AnalyseBody(m_stack);
    m_scatter = m_body->scatter();
    m_plane = m_body->plane();
    m_responses = m_body->responses();
    m_effects = m_body->effects();
    m_distances = m_body->distances();
    m_report = m_body->report();
    m_tables = m_body->tables();
    m_stack->addWidget(emptyPage());
    m_stack->addWidget(m_body);
    static_cast<QVBoxLayout*>(layout())->addWidget(m_stack, 1);
    inLanguage(this, [this] {
        fillColours();
        showBadges();
        updateStatus();
    });
}

void AnalysePage::connectParts()
{
    m_tableTime.setSingleShot(true);
    m_tableTime.setInterval(150);
    connect(&m_tableTime, &QTimer::timeout, this, &AnalysePage::fillUnits);
    connect(&m_worker, &AnalyseWorker::embedded, this, &AnalysePage::onEmbedded);
    connect(&m_worker, &AnalyseWorker::clustered, this,
            [this](const std::shared_ptr<const ClusterAnswer>& answer) { onClustered(*answer); });
    connect(&m_worker, &AnalyseWorker::progressed, this, [this](double share) { m_head->setProgress(share); });
    connect(&m_worker, &AnalyseWorker::framed, this, [this](const std::vector<UnitPlace>& places) {
        m_scatter->setPoints(places, unitNames(*m_data), true);
        showColours();
    });
    connect(&m_worker, &AnalyseWorker::failed, this, [this](const QString& sentence) {
        showBusy(false);
        if (!m_data)
            clear();
        m_messages->showMessage(MessageBar::Kind::Error, sentence);
    });
    connect(m_head, &AnalyseHead::stopRequested, this, &AnalysePage::cancel);
    connect(m_head, &AnalyseHead::actionRequested, this, &AnalysePage::actionRequested);
    connect(m_partition, &PartitionFields::linesEdited, this, &AnalysePage::setThresholds);
    connect(m_partition, &PartitionFields::ruleChosen, this, &AnalysePage::applyPartition);
    connect(m_partition, &PartitionFields::resetRequested, this, &AnalysePage::resetThresholds);
    connect(m_colour, &QComboBox::currentIndexChanged, this, &AnalysePage::showColours);
    connect(m_embedding, &EmbeddingFields::computeRequested, this, &AnalysePage::recompute);
    connect(m_embedding, &EmbeddingFields::clustersRequested, this, [this] {
        if (m_data && !m_places.empty())
            m_worker.cluster(m_places, m_embedding->eps(), m_embedding->minSamples());
    });
}

void AnalysePage::connectViews()
{
    connect(m_plane, &PartitionPlaneView::thresholdsMoved, this, &AnalysePage::setThresholds);
    for (UnitScatterView* view : {m_scatter, static_cast<UnitScatterView*>(m_plane)}) {
        connect(view, &UnitScatterView::selectionMade, this, &AnalysePage::selectUnits);
        view->setDetails([this](int unit) {
            return m_data ? unitDetails({*m_data, m_labels, m_clusters}, unit) : QString();
        });
    }
    connect(m_responses, &ResponseView::groupClicked, this, [this](UnitGroup group) {
        QList<int> units;
        for (std::size_t i = 0; i < m_labels.size(); ++i) {
            if (m_labels[i] == group)
                units << static_cast<int>(i);
        }
        selectUnits(units);
        m_responses->setEmphasis(group);
    });
    connect(m_distances, &KDistanceView::radiusChosen, m_embedding, &EmbeddingFields::chooseEps);
    connectPlot(m_scatter, "umap_visualization", m_tables, "units");
    connectPlot(m_plane, "prm_phase_diagram", m_tables, "units");
    connectPlot(m_responses, "noise_response_curves", m_tables, "responses");
    connectPlot(m_effects, "statistical_summary", m_tables, "effects");
    connectPlot(m_distances, "parameter_clustering", m_tables, "clusters");
    connect(m_tables, &TableTabs::exportRequested, this, &AnalysePage::saveTable);
    connect(m_tables, &AnalyseTables::unitsSelected, this, &AnalysePage::takeSelection);
}

void AnalysePage::fitToContents()
{
    const bool units = holdsUnits();
    m_body->showUnits(units);
    for (QWidget* line : m_unitFields)
        line->setVisible(units);
    m_tables->hideEmpty(m_liveId != 0);
}

void AnalysePage::restoreDefaultLayout()
{
    m_body->restoreDefaultSizes();
}

QByteArray AnalysePage::saveLayout() const
{
    return m_body->saveSizes();
}

bool AnalysePage::restoreLayout(const QByteArray& state)
{
    return m_body->restoreSizes(state);
}

void AnalysePage::saveTable(const QString& name)
{
    peakscope::saveTable(this, m_messages, name, false,
                         [this, &name](const QString&) { return toCsv(table(name)->model()->table()); });
}

bool AnalysePage::saveTableTo(const QString& name, const QString& path)
{
    return peakscope::saveTableTo(m_messages, path, toCsv(table(name)->model()->table()));
}

DataTableView* AnalysePage::table(const QString& name) const
{
    return m_tables->table(name);
}

QString AnalysePage::statusText() const
{
    return m_head->status();
}

QString AnalysePage::badges() const
{
    return m_head->badges();
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
    m_head->setTitle({});
    for (QWidget* line : m_unitFields)
        line->hide();
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
    m_head->setTitle(resultTitle(*document.result), true);
    m_stack->setCurrentIndex(1);
    takeData({document.result->analysis, &*sections});
}

void AnalysePage::showDry(int id, const QString& title)
{
    if (id != 0 && m_liveId == id)
        return;
    clear();
    m_liveId = id;
    m_head->setTitle(title);
    m_messages->showMessage(MessageBar::Kind::Info, [] {
        return tr("A dry run measures memory only: no response to noise and no feature was computed.");
    });
}

void AnalysePage::showLive(int id, const QString& title, const std::shared_ptr<const AnalysisData>& data)
{
    if (m_liveId != id) {
        clear();
        m_liveId = id;
        m_head->setTitle(title);
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
    if (!sameUnits)
        return takeData(data);
    m_data = data;
    m_responses->updateData(m_data);
    m_effects->updateData(m_data);
    m_report->setData(m_data);
    m_tables->showAnswers(*m_data);
    updateStatus();
}

void AnalysePage::takeData(const std::shared_ptr<const AnalysisData>& data)
{
    m_data = data;
    m_tables->startAnew();
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
    std::vector<QString> names = unitNames(*m_data);
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

void AnalysePage::recompute()
{
    if (!m_data || m_data->features.empty())
        return;
    m_messages->dismiss();
    m_head->setProgress(0);
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
        m_scatter->setPoints(m_places, unitNames(*m_data), true);
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
    m_scatter->setPoints(m_places, unitNames(*m_data), true);
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
    m_colour->offer(m_data.get(), !m_clusters.empty());
    showColours();
}

void AnalysePage::showColours()
{
    if (!m_data)
        return;
    UnitColours classes = coloursByClass(m_data->unitCount(), m_labels);
    m_plane->setStyles(classes.styleOf, classes.styles, classes.legend);
    UnitColours colours = m_colour->colours(*m_data, m_labels, m_clusters);
    m_scatter->setStyles(std::move(colours.styleOf), std::move(colours.styles), std::move(colours.legend));
}

void AnalysePage::fillTables()
{
    fillUnits();
    AnalysisData shown = *m_data;
    shown.clusters = m_clusters;
    shown.labels = m_labels;
    m_tables->showClusters(shown);
    m_tables->showAnswers(*m_data);
    fitToContents();
}

void AnalysePage::fillUnits()
{
    if (!m_data)
        return;
    AnalysisData shown = *m_data;
    shown.places = m_places;
    shown.clusters = m_clusters;
    m_tables->showUnits(shown, m_labels);
    selectUnits(m_selection);
}

void AnalysePage::selectUnits(const QList<int>& units)
{
    m_tables->selectUnits(units);
    takeSelection(units);
}

void AnalysePage::takeSelection(const QList<int>& units)
{
    m_selection = units;
    m_scatter->setSelection(units);
    m_plane->setSelection(units);
    m_responses->setEmphasis(commonGroup(m_labels, units)); // a selection of one class makes its curve stand out
    inspectSelection();
    updateStatus();
}

// Of the units as they are by then; clear() forgets those that are inspected.
void AnalysePage::inspectSelection()
{
    if (m_selection.isEmpty())
        return;
    inspect([this] {
        return m_data ? inspectUnits({*m_data, m_labels, m_clusters}, m_selection) : InspectorContent();
    });
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
    m_head->setBadges(words, words.contains(tr("synthetic")));
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
        if (m_data->hasCounts || !m_labels.empty())
            parts << countsText(m_counts);
        if (!holdsUnits())
            parts << tr("this file lists no units: there is nothing to embed");
        if (m_whatIf)
            parts << tr("what-if: the stored classes stay");
        if (!m_selection.isEmpty())
            parts << tr("%1 selected").arg(m_selection.size());
    }
    m_head->setStatus(parts.join(QStringLiteral("  ·  ")), m_data);
}

void AnalysePage::showBusy(bool busy)
{
    m_head->setBusy(busy);
    m_embedding->setComputable(!busy && m_data && !m_data->features.empty());
}

} // namespace peakscope
