// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan offers, in sentences that follow the language. GUI thread.
#pragma once

#include "core/results/plans/plan_document.h"
#include "widgets/text/language_texts.h"

#include <QStringList>

class QLabel;
class QWidget;

namespace peakscope {

// 1,024 as the language writes it.
QString countText(std::int64_t value);
// "LoRA, checkpointing: predicted peak 12 GiB, fits."
LanguageText strategySentence(const PlannedStrategy& strategy);
// Of a cell of the map, or why the model cannot have it.
LanguageText cellSentence(const PlannedMap& map, std::size_t cell);
LanguageText stepSentence(const PlannedStep& step);
// "opt-6.7b: 6,658,473,984 parameters", the device's memory, how much was searched.
QStringList planFacts(const PlanDocument& plan);
// Where nothing of the plan fits: what would.
LanguageText nothingFitsText(const PlanDocument& plan);
// Whose step a plan is of, for the foot of the page.
QLabel* makeLoopNote(QWidget* parent);
// What is planned first: a model of the seeds' tables on the card they were made for.
PlanDocument firstPlan();

} // namespace peakscope
