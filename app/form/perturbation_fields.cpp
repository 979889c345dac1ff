// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/perturbation_fields.h"

#include "app/form/check_box_grid.h"
#include "app/form/form_fields.h"
#include "core/experiment/experiment.h"
#include "widgets/text/language_texts.h"

#include <QGridLayout>

namespace peakscope {

void PerturbationFields::addAttacks(QGridLayout* grid)
{
    CheckBoxGrid* checks = m_fields.addChecks(grid, "prm.attacks");
    constexpr const char* kAttacks[][3] = {
        {"loss", QT_TR_NOOP("Loss"), QT_TR_NOOP("Mean log-likelihood of its tokens.")},
        {"reference", QT_TR_NOOP("Reference"), QT_TR_NOOP("Mean log-likelihood less that of the base model.")},
        {"zlib", QT_TR_NOOP("zlib"),
         QT_TR_NOOP("Mean log-likelihood divided by the zlib-compressed size of the text.")},
        {"min_k", QT_TR_NOOP("Min-K %"), QT_TR_NOOP("Mean of the lowest 20 % of its tokens' log-probabilities.")},
        {"min_k_pp", QT_TR_NOOP("Min-K %++"),
         QT_TR_NOOP("The same, with log-probabilities standardised over the vocabulary.")},
    };
    for (const auto& [word, title, tip] : kAttacks)
        checks->add([title = title] { return tr(title); }, [tip = tip] { return tr(tip); }, QString::fromLatin1(word));
    m_fields["prm.attacks"].setValue(nullptr);
}

void PerturbationFields::build(QVBoxLayout* column)
{
    QGridLayout* grid = m_fields.addSection(column, [] { return tr("Noise and attacks"); });
    m_fields.addLine(grid, "prm.sigmas");
    m_fields.addTruth(grid, "prm.relative",
                      {{[] { return tr("relative"); }, true}, {[] { return tr("absolute"); }, false}});
    m_fields.addLine(grid, "prm.repeats");
    addAttacks(grid);
    for (const char* key : {"prm.base_epochs", "prm.finetune_epochs", "prm.members", "prm.attacked", "prm.evaluation"})
        m_fields.addLine(grid, key);
    m_fields.addChoice(grid, "prm.samples");
    m_fields.addChoice(grid, "prm.unit");
    m_fields.addTruth(grid, "prm.small_noise",
                      {{[] { return tr("checked"); }, true}, {[] { return tr("not checked"); }, false}});
    m_fields.addTruth(grid, "prm.synthetic",
                      {{[] { return tr("measured"); }, false}, {[] { return tr("synthetic"); }, true}});
}

void PerturbationFields::update()
{
    const bool perturbation = m_fields.kind() == ExperimentKind::Prm;
    // It trains by epochs, in the model's own type.
    for (const char* key : {"training.warmup_steps", "training.steps", "training.amp"})
        m_fields[key].setVisible(!perturbation);
}

} // namespace peakscope
