// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a perturbation experiment within the experiment form.
#include "app/run/curvature_fields.h"
#include "app/run/experiment_form.h"
#include "core/experiment/experiment.h"

#include <QComboBox>
#include <QGridLayout>

namespace peakscope {

void ExperimentForm::addTruth(QGridLayout* grid, const std::string& key,
                              const std::vector<std::pair<LanguageText, bool>>& values)
{
    auto* truth = static_cast<QComboBox*>(addField(grid, key).editor);
    for (const auto& [text, value] : values)
        addItem(truth, value ? QStringLiteral("true") : QStringLiteral("false"), text);
    connect(truth, &QComboBox::currentIndexChanged, this, &ExperimentForm::onEdited);
}

void ExperimentForm::addAttacks(QGridLayout* grid)
{
    Field& field = addField(grid, "prm.attacks");
    auto* checks = static_cast<WordChecks*>(field.editor);
    constexpr const char* kAttacks[][3] = {
        {"loss", QT_TR_NOOP("Loss"), QT_TR_NOOP("Mean log-likelihood of its tokens.")},
        {"reference", QT_TR_NOOP("Reference"), QT_TR_NOOP("That less the base model's.")},
        {"zlib", QT_TR_NOOP("zlib"), QT_TR_NOOP("That by the bytes of its text as zlib packs it.")},
        {"min_k", QT_TR_NOOP("Min-K %"), QT_TR_NOOP("Mean of the lowest 20 % of its tokens' log-probabilities.")},
        {"min_k_pp", QT_TR_NOOP("Min-K %++"),
         QT_TR_NOOP("The same, of log-probabilities standardised over the vocabulary.")},
    };
    for (const auto& [word, title, tip] : kAttacks)
        checks->add([title = title] { return tr(title); }, [tip = tip] { return tr(tip); }, QString::fromLatin1(word));
    connect(checks, &WordChecks::changed, this, &ExperimentForm::onEdited);
    setValue(field, nullptr);
}

void ExperimentForm::buildPerturbation(QVBoxLayout* column)
{
    QGridLayout* grid = addSection(column, [] { return tr("Noise and attacks"); });
    addLine(grid, "prm.sigmas");
    addTruth(grid, "prm.relative", {{[] { return tr("relative"); }, true}, {[] { return tr("absolute"); }, false}});
    addLine(grid, "prm.repeats");
    addAttacks(grid);
    for (const char* key : {"prm.base_epochs", "prm.finetune_epochs", "prm.members", "prm.attacked", "prm.evaluation"})
        addLine(grid, key);
    addChoice(grid, "prm.samples");
    addChoice(grid, "prm.unit");
    addTruth(grid, "prm.small_noise",
             {{[] { return tr("checked"); }, true}, {[] { return tr("not checked"); }, false}});
    addTruth(grid, "prm.synthetic", {{[] { return tr("measured"); }, false}, {[] { return tr("synthetic"); }, true}});
}

void ExperimentForm::updatePerturbationFields()
{
    const bool perturbation = kind() == ExperimentKind::Prm;
    m_perturbationBox->setVisible(perturbation);
    // It trains by epochs, in the model's own type.
    for (const char* key : {"training.warmup_steps", "training.steps", "training.amp"})
        showField(key, !perturbation);
}

} // namespace peakscope
