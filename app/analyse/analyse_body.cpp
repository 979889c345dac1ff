// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/analyse_body.h"

#include "app/analyse/analyse_tables.h"
#include "widgets/analysis/analysis_report.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/text/language_texts.h"

#include <QDataStream>
#include <QTabWidget>

namespace peakscope {

AnalyseBody::AnalyseBody(QWidget* parent) : QSplitter(Qt::Vertical, parent)
{
    m_upper = new QSplitter(Qt::Horizontal, this);
    m_middle = new QSplitter(Qt::Horizontal, this);
    m_scatter = new UnitScatterView([] { return tr("Embedding (UMAP)"); }, m_upper);
    m_scatter->explain(
        [] {
            return tr("A point is a row of a weight matrix. Near points have like features; the colour is the class or "
                      "what is chosen.");
        },
        "embedding");
    m_scatter->setAxisTitles(QStringLiteral("UMAP 1"), QStringLiteral("UMAP 2"));
    m_plane = new PartitionPlaneView(m_upper);
    m_responses = new ResponseView(m_middle);
    m_lower = new QTabWidget(m_middle);
    m_lower->setDocumentMode(true);
    m_effects = new EffectMapView(m_lower);
    m_distances = new KDistanceView(m_lower);
    m_report = new HypothesisReport(m_lower);
    m_lower->addTab(m_effects, {});
    m_lower->addTab(m_report, {});
    m_lower->addTab(m_distances, {});
    m_tables = new AnalyseTables(this);
    for (QSplitter* splitter : {static_cast<QSplitter*>(this), m_upper, m_middle})
        splitter->setChildrenCollapsible(false);
    restoreDefaultSizes();
    inLanguage(this, [this] {
        m_lower->setTabText(m_lower->indexOf(m_effects), tr("Statistics"));
        m_lower->setTabText(m_lower->indexOf(m_report), tr("Hypotheses"));
        m_lower->setTabText(m_lower->indexOf(m_distances), tr("Radius of clusters"));
    });
}

void AnalyseBody::showUnits(bool units)
{
    m_upper->setVisible(units);
    m_lower->setTabVisible(m_lower->indexOf(m_distances), units);
}

QByteArray AnalyseBody::saveSizes() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << saveState() << m_upper->saveState() << m_middle->saveState();
    return state;
}

bool AnalyseBody::restoreSizes(const QByteArray& state)
{
    QDataStream stream(state);
    QByteArray rows, upper, middle;
    stream >> rows >> upper >> middle;
    return stream.status() == QDataStream::Ok && restoreState(rows) && m_upper->restoreState(upper) &&
           m_middle->restoreState(middle);
}

void AnalyseBody::restoreDefaultSizes()
{
    m_upper->setSizes({500, 500});
    m_middle->setSizes({500, 500});
    setSizes({375, 375, 200});
}

} // namespace peakscope
