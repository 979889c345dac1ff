// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// AnalyseWorkspace: what it shows, taken out and put into another one.
#include "app/analyse/analyse_workspace.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSpinBox>
#include <QStackedWidget>

#include <algorithm>

namespace peakscope {

std::array<PlotView*, 5> AnalyseWorkspace::zoomed() const
{
    return {m_scatter, m_plane, m_responses, m_effects, m_distances};
}

AnalysePicture AnalyseWorkspace::picture() const
{
    AnalysePicture picture;
    if (!m_data)
        return picture;
    picture.liveId = m_liveId;
    picture.title = m_title->text();
    picture.result = m_result;
    picture.data = m_data;
    picture.places = m_places;
    picture.clusters = m_clusters;
    picture.silhouette = m_silhouette;
    picture.trustworthiness = m_trustworthiness;
    picture.recomputed = m_recomputed;
    picture.embedding = m_worker.embedding();
    picture.neighbors = m_neighbors->value();
    picture.seed = m_seed->value();
    picture.minSamples = m_minSamples->value();
    picture.minDist = m_minDist->value();
    picture.eps = m_eps->value();
    picture.lines = m_lines;
    picture.rule = rule();
    picture.whatIf = m_whatIf;
    picture.colour = m_colour->currentData().toInt();
    picture.curve = m_responses->choice()->currentIndex();
    picture.selection = m_selection;
    const auto views = zoomed();
    std::transform(views.begin(), views.end(), picture.areas.begin(),
                   [](const PlotView* view) { return view->visibleArea(); });
    if (m_wantedDistances)
        picture.areas.back() = *m_wantedDistances;
    return picture;
}

void AnalyseWorkspace::takePicture(const AnalysePicture& picture)
{
    if (!picture.data)
        return;
    clear();
    m_liveId = picture.liveId;
    m_result = picture.result;
    m_title->setText(m_result ? resultTitle(*m_result) : picture.title);
    m_stack->setCurrentIndex(1);
    m_data = picture.data;
    m_labels = m_data->labels;
    m_counts = m_data->counts;
    m_places = picture.places;
    m_clusters = picture.clusters;
    m_silhouette = picture.silhouette;
    m_trustworthiness = picture.trustworthiness;
    m_recomputed = picture.recomputed;
    fillFields();
    m_settling = true;
    m_neighbors->setValue(picture.neighbors);
    m_minDist->setValue(picture.minDist);
    m_seed->setValue(picture.seed);
    m_eps->setValue(picture.eps);
    m_minSamples->setValue(picture.minSamples);
    m_settling = false;
    showData();
    if (picture.whatIf)
        setPartition(picture.lines, picture.rule);
    m_colour->setCurrentIndex(std::max(0, m_colour->findData(picture.colour)));
    m_responses->choice()->setCurrentIndex(picture.curve);
    const auto views = zoomed();
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (views[i]->showsPlot())
            views[i]->showArea(picture.areas[i]);
    }
    if (!m_places.empty())
        m_wantedDistances = picture.areas.back();
    selectUnits(picture.selection);
    emit documentShown();
    if (picture.embedding)
        recompute(); // what was under way
}

} // namespace peakscope
