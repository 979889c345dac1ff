// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Results of noise in weights side by side, in the Compare workspace: their answers on one axis, their classes, a
// table. GUI thread.
#pragma once

#include "app/jobs/result_loader.h"
#include "widgets/text/language_texts.h"

#include <QStringList>
#include <QWidget>

#include <vector>

namespace peakscope {

class CompareClassesView;
class CompareResponsesView;
class DataTableView;

// Those that say what noise did, where there are two of them; else none.
std::vector<RunDocument> comparableResponses(const std::vector<RunDocument>& runs);

// Names the others of such runs.
LanguageText withoutResponses(const std::vector<RunDocument>& runs);

class CompareResponses : public QWidget
{
    Q_OBJECT
public:
    explicit CompareResponses(QWidget* parent = nullptr);

    // Runs of comparableResponses(), and what each is called.
    void setRuns(const std::vector<RunDocument>& runs, const QStringList& labels);

    CompareResponsesView* answers() const { return m_answers; }
    CompareClassesView* classes() const { return m_classes; }
    DataTableView* table() const { return m_table; }

signals:
    void figureRequested(const QString& figure);
    void tableExportRequested();
    void runActivated(std::size_t run); // its row was double-clicked

private:
    CompareResponsesView* m_answers = nullptr;
    CompareClassesView* m_classes = nullptr;
    DataTableView* m_table = nullptr;
};

} // namespace peakscope
