// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_responses.h"

#include "core/base/json/json_reader.h"
#include "core/results/analysis_tables.h"
#include "widgets/compare/compare_responses_view.h"
#include "widgets/compare/compare_style.h"
#include "widgets/look/pieces.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/json_words.h"

#include <QFileInfo>
#include <QSplitter>
#include <QTableView>

#include <algorithm>

namespace peakscope {

namespace {

bool hasResponses(const RunDocument& run)
{
    const auto& analysis = run.result->analysis;
    return analysis && *analysis && (*analysis)->hasResponses();
}

} // namespace

std::vector<RunDocument> comparableResponses(const std::vector<RunDocument>& runs)
{
    std::vector<RunDocument> found;
    for (const RunDocument& run : runs) {
        if (hasResponses(run))
            found.push_back(run);
    }
    return found.size() < 2 ? std::vector<RunDocument>() : found;
}

LanguageText withoutResponses(const std::vector<RunDocument>& runs)
{
    QStringList left;
    for (const RunDocument& run : runs) {
        if (!hasResponses(run))
            left << QFileInfo(run.path).fileName();
    }
    return [files = left.join(QStringLiteral(", "))] {
        return CompareResponses::tr("Not compared, because they have no responses to noise: %1.").arg(files);
    };
}

CompareResponses::CompareResponses(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    auto* rows = new QSplitter(Qt::Vertical, this);
    auto* views = new QSplitter(Qt::Horizontal, rows);
    m_answers = new CompareResponsesView(views);
    m_classes = new CompareClassesView(views);
    m_table = new DataTableView(rows);
    m_table->setObjectName(QStringLiteral("analyses"));
    views->setStretchFactor(0, 3);
    views->setStretchFactor(1, 2);
    rows->setStretchFactor(0, 3);
    rows->setStretchFactor(1, 1);
    for (QSplitter* splitter : {rows, views})
        splitter->setChildrenCollapsible(false);
    layout->addWidget(rows);
    const auto connectView = [this](PlotView* view, const char* figure) {
        connect(view, &PlotView::exportRequested, this,
                [this, name = QString::fromLatin1(figure)] { emit figureRequested(name); });
        connect(view, &PlotView::showDataRequested, m_table, qOverload<>(&QWidget::setFocus));
    };
    connectView(m_answers, "noise_response_curves");
    connectView(m_classes, "prm_phase_diagram");
    connect(m_table, &DataTableView::exportRequested, this, &CompareResponses::tableExportRequested);
    connect(m_table->view(), &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        emit runActivated(static_cast<std::size_t>(m_table->sourceRow(index)));
    });
}

void CompareResponses::setRuns(const std::vector<RunDocument>& runs, const QStringList& labels)
{
    std::vector<ComparedResponses> compared;
    std::vector<ComparedAnalysis> rows;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::shared_ptr<const RunResult>& result = runs[i].result;
        const AnalysisData& data = **result->analysis;
        const bool synthetic = result->synthetic || data.synthetic;
        // What another program's script calls its experiment is longer than its file's name, and says less.
        const QString file = jsonText(lenient::member(result->other, "source"), "file");
        const QString label =
            file.isEmpty() ? labels.value(static_cast<qsizetype>(i)) : QFileInfo(file).completeBaseName();
        // The data live as long as the result that they are a part of.
        compared.push_back(
            {label, synthetic ? tr("synthetic") : QString(), std::shared_ptr<const AnalysisData>(result, &data)});
        rows.push_back({(compareLetter(i) + QLatin1Char(' ') + label).toStdString(), &data, synthetic});
    }
    m_table->setTable(comparedAnalysesTable(rows));
    m_answers->setRuns(compared);
    m_classes->setRuns(std::move(compared));
}

} // namespace peakscope
