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

#include <utility>

namespace peakscope {

constexpr int kReadableRow = 250; // a plot of 140 pixels with its title, axis and legend
constexpr int kTables = 130;

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
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &AnalyseBody::fitRows);
    inLanguage(this, [this] {
        nameRows();
        m_lower->setTabText(m_lower->indexOf(m_effects), tr("Statistics"));
        m_lower->setTabText(m_lower->indexOf(m_report), tr("Hypotheses"));
        m_lower->setTabText(m_lower->indexOf(m_distances), tr("Radius of clusters"));
    });
}

void AnalyseBody::showUnits(bool units)
{
    m_units = units;
    fitRows();
    m_upper->setVisible(units);
    m_lower->setTabVisible(m_lower->indexOf(m_distances), units);
}

void AnalyseBody::resizeEvent(QResizeEvent* event)
{
    QSplitter::resizeEvent(event);
    m_later.start(0);
}

void AnalyseBody::fitRows()
{
    const QWidget* charts = m_rows ? static_cast<QWidget*>(m_rows) : m_middle;
    if (m_tables->isHidden() || charts->isHidden())
        return; // one panel has the whole page
    const bool low = m_units && height() < 2 * kReadableRow + kTables;
    if (low && !m_rows)
        fold();
    else if (!low && m_rows)
        unfold();
}

void AnalyseBody::fold()
{
    m_unfolded = saveState();
    m_rows = new QTabWidget(this);
    m_rows->setDocumentMode(true);
    m_rows->addTab(m_upper, {});
    m_rows->addTab(m_middle, {});
    nameRows();
    insertWidget(0, m_rows);
    m_rows->show();
    setSizes({height() - kTables, kTables});
}

void AnalyseBody::unfold()
{
    for (QSplitter* row : {m_middle, m_upper}) {
        insertWidget(0, row);
        row->show();
    }
    delete std::exchange(m_rows, nullptr);
    restoreState(std::exchange(m_unfolded, {}));
}

void AnalyseBody::nameRows()
{
    if (!m_rows)
        return;
    m_rows->setTabText(0, tr("Embedding and classes"));
    m_rows->setTabText(1, tr("Answers to noise and statistics"));
}

QByteArray AnalyseBody::saveSizes() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << (m_rows ? m_unfolded : saveState()) << m_upper->saveState() << m_middle->saveState();
    return state;
}

bool AnalyseBody::restoreSizes(const QByteArray& state)
{
    QDataStream stream(state);
    QByteArray rows, upper, middle;
    stream >> rows >> upper >> middle;
    if (m_rows)
        m_unfolded = rows;
    return stream.status() == QDataStream::Ok && (m_rows || restoreState(rows)) && m_upper->restoreState(upper) &&
           m_middle->restoreState(middle);
}

void AnalyseBody::restoreDefaultSizes()
{
    m_upper->setSizes({500, 500});
    m_middle->setSizes({500, 500});
    if (m_rows)
        unfold();
    setSizes({375, 375, 200});
    m_later.start(0);
}

} // namespace peakscope
