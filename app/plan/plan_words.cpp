// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan/plan_words.h"

#include "core/base/units.h"
#include "widgets/look/pieces.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/note_words.h"

#include <QCoreApplication>
#include <QLabel>
#include <QLocale>

namespace peakscope {

namespace {

struct PlanWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::PlanWords)
};

} // namespace

QString countText(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

LanguageText strategySentence(const PlannedStrategy& strategy)
{
    return [title = strategy.title, peak = strategy.peakBytes, verdict = strategy.verdict,
            devices = strategy.devicesNeeded] {
        return PlanWords::tr("%1: predicted peak %2, %3.")
            .arg(strategyTitleText(title), bytesText(peak), verdictText(verdict, devices).toLower());
    };
}

LanguageText cellSentence(const PlannedMap& map, std::size_t cell)
{
    const std::int64_t sequence = map.sequences[cell / map.batches.size()];
    const std::int64_t batch = map.batches[cell % map.batches.size()];
    if (!map.possible(cell))
        return [sequence] {
            return PlanWords::tr("Sequence %1 is beyond the model's positions.").arg(countText(sequence));
        };
    return
        [=, strategy = QString::fromStdString(map.strategy), peak = map.peakBytes[cell], verdict = map.verdicts[cell]] {
            return PlanWords::tr("Batch %1 × sequence %2 of “%3”: predicted peak %4, %5.")
                .arg(countText(batch), countText(sequence), strategy, bytesText(peak), verdictTitle(verdict).toLower());
        };
}

LanguageText stepSentence(const PlannedStep& step)
{
    return [change = QString::fromStdString(step.change), peak = step.peakBytes] {
        return PlanWords::tr("%1: predicted peak %2.").arg(change, bytesText(peak));
    };
}

PlanDocument firstPlan()
{
    PlanDocument plan;
    plan.model = "opt-6.7b";
    plan.device.id = "a800-80gb";
    plan.goal = "train";
    return plan;
}

QStringList planFacts(const PlanDocument& plan)
{
    QStringList parts; // what one should not miss first: the line may be too long
    if (plan.otherLoops() == PlanDocument::OtherLoops::DoNotFit)
        parts << PlanWords::tr("a loop of Transformers does not fit: 7 to 31 % more");
    else if (plan.otherLoops() == PlanDocument::OtherLoops::MayNotFit)
        parts << PlanWords::tr("a loop of Transformers may not fit: 7 to 31 % more");
    parts << PlanWords::tr("%1: %2 parameters").arg(QString::fromStdString(plan.model), countText(plan.parameters));
    if (plan.device.usableBytes > 0)
        parts << PlanWords::tr("%1: %2 usable")
                     .arg(QString::fromStdString(plan.device.name), bytesText(plan.device.usableBytes));
    if (plan.searched > 0)
        parts << PlanWords::tr("%1 configurations in %2")
                     .arg(countText(plan.searched), QString::fromStdString(formatSeconds(plan.seconds)));
    return parts;
}

LanguageText nothingFitsText(const PlanDocument& plan)
{
    return [changes = plan.wouldFit] {
        QString text = PlanWords::tr("Nothing fits as it is. What would:");
        for (const std::string& sentence : changes)
            text += QStringLiteral("\n• ") + wouldFitText(sentence);
        return text;
    };
}

// The numbers are estimated_loop.h's.
QLabel* makeLoopNote(QWidget* parent)
{
    QLabel* loop = makeLabel(
        [] {
            return PlanWords::tr(
                "Predicted for Peakscope's own training step; loops of Hugging Face Transformers and of "
                "plain PyTorch were measured 7 to 31 % above such a prediction.");
        },
        parent);
    loop->setObjectName(QStringLiteral("loopNote"));
    loop->setWordWrap(true);
    loop->setForegroundRole(QPalette::PlaceholderText);
    loop->setContentsMargins(8, 2, 8, 4);
    return loop;
}

} // namespace peakscope
