// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_subject.h"

#include "app/compare/compare_responses.h"
#include "widgets/text/language_texts.h"

#include <QSignalBlocker>

#include <algorithm>

namespace peakscope {

CompareSubject::CompareSubject(QWidget* parent) : QTabBar(parent)
{
    setObjectName(QStringLiteral("comparedSubject"));
    setExpanding(false);
    setDrawBase(false);
    for (int i = 0; i < 2; ++i)
        addTab({});
    hide();
    connect(this, &QTabBar::currentChanged, this, [this] { emit chosen(responses()); });
    inLanguage(this, [this] {
        setTabText(0, tr("Answers to noise"));
        setTabText(1, tr("Memory"));
        setAccessibleName(tr("What is compared"));
    });
}

void CompareSubject::offer(const std::vector<RunDocument>& runs)
{
    const std::size_t responses = comparableResponses(runs).size();
    const bool memory = std::any_of(
        runs.begin(), runs.end(), [](const RunDocument& run) { return run.result->memory || run.result->prediction; });
    const QSignalBlocker block(this);
    setVisible(responses > 0 && memory);
    setCurrentIndex(responses > 0 && (!memory || responses == runs.size()) ? 0 : 1);
}

} // namespace peakscope
