// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a perturbation experiment within the experiment form.
#include "app/curvature_fields.h"
#include "app/experiment_form.h"

#include <QComboBox>
#include <QGridLayout>

namespace peakscope {

void ExperimentForm::addTruth(QGridLayout* grid, const std::string& key, const QString& title, const QString& tip,
                              const std::vector<std::pair<QString, bool>>& values)
{
    auto* truth = static_cast<QComboBox*>(addField(grid, Field::Kind::Truth, key, title, tip).editor);
    for (const auto& [text, value] : values)
        truth->addItem(text, value ? QStringLiteral("true") : QStringLiteral("false"));
    connect(truth, &QComboBox::currentIndexChanged, this, &ExperimentForm::onEdited);
}

void ExperimentForm::addAttacks(QGridLayout* grid)
{
    Field& field = addField(grid, Field::Kind::Checks, "prm.attacks", tr("Attacks"),
                            tr("Membership inference by these scores of a sample."));
    auto* checks = static_cast<WordChecks*>(field.editor);
    checks->add(QStringLiteral("loss"), tr("Loss"), tr("Mean log-likelihood of its tokens."));
    checks->add(QStringLiteral("reference"), tr("Reference"), tr("That less the base model's."));
    checks->add(QStringLiteral("zlib"), tr("zlib"), tr("That by the bytes of its text as zlib packs it."));
    checks->add(QStringLiteral("min_k"), tr("Min-K %"),
                tr("Mean of the lowest 20 % of its tokens' log-probabilities."));
    checks->add(QStringLiteral("min_k_pp"), tr("Min-K %++"),
                tr("The same, of log-probabilities standardised over the vocabulary."));
    connect(checks, &WordChecks::changed, this, &ExperimentForm::onEdited);
    setValue(field, nullptr);
}

void ExperimentForm::buildPerturbation(QVBoxLayout* column)
{
    using Kind = Field::Kind;
    QGridLayout* grid = addSection(column, tr("Noise and attacks"));
    addLine(grid, Kind::Numbers, "prm.sigmas", tr("Noise σ"),
            tr("Scales of the noise with spaces between; 0 is the model as it is."),
            QStringLiteral("0 0.003 0.01 0.03 0.1 0.3"));
    addTruth(grid, "prm.relative", tr("σ is"), tr("Relative noise is a share of the root mean square of the weights."),
             {{tr("relative"), true}, {tr("absolute"), false}});
    addLine(grid, Kind::Number, "prm.repeats", tr("Noise seeds"),
            tr("Drawings of noise at every scale; tests need 2 or more."), QStringLiteral("3"));
    addAttacks(grid);
    addLine(grid, Kind::Number, "prm.base_epochs", tr("Base epochs"),
            tr("Of the base text, which random weights learn first."), QStringLiteral("1"));
    addLine(grid, Kind::Number, "prm.finetune_epochs", tr("Fine-tuning epochs"),
            tr("Of the members, which the model may memorise."), QStringLiteral("3"));
    addLine(grid, Kind::Number, "prm.members", tr("Members"),
            tr("Samples that are fine-tuned on; 0: half of what there is, 512 of built-in records."),
            QStringLiteral("0"));
    addLine(grid, Kind::Number, "prm.attacked", tr("Attacked"),
            tr("Members that attacks judge, and as many others; 0: all, 1000 at most."), QStringLiteral("0"));
    addLine(grid, Kind::Number, "prm.evaluation", tr("Evaluation"), tr("Samples of the perplexity; 0: 256 at most."),
            QStringLiteral("0"));
    addChoice(grid, "prm.samples", tr("Samples"),
              tr("Lines of a text, or rows of tokens; auto takes lines where all fit into a row."),
              {QStringLiteral("auto"), QStringLiteral("lines"), QStringLiteral("rows")});
    addChoice(grid, "prm.unit", tr("Unit"), tr("What is sorted into Wfunc, Wsens and Wboth."),
              {QStringLiteral("row"), QStringLiteral("tensor"), QStringLiteral("head"), QStringLiteral("block")});
    addTruth(grid, "prm.small_noise", tr("Small noise"),
             tr("Holds the change of the loss under small noise against the Hessian's trace."),
             {{tr("checked"), true}, {tr("not checked"), false}});
    addTruth(grid, "prm.synthetic", tr("Values"),
             tr("Synthetic ones are drawn from a formula to show the pictures; nothing is measured."),
             {{tr("measured"), false}, {tr("synthetic"), true}});
}

bool ExperimentForm::isPerturbation() const
{
    return static_cast<QComboBox*>(find("kind")->editor)->currentData().toString() == QLatin1String("prm");
}

void ExperimentForm::updatePerturbationFields()
{
    const bool perturbation = isPerturbation();
    m_perturbationBox->setVisible(perturbation);
    // It trains by epochs, in the model's own type.
    for (const char* key : {"training.warmup_steps", "training.steps", "training.amp"})
        showField(key, !perturbation);
}

} // namespace peakscope
