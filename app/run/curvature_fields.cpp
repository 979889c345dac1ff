// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a curvature experiment within the experiment form.
#include "app/run/curvature_fields.h"

#include "app/run/experiment_form.h"
#include "core/experiment/curvature_quantity.h"
#include "core/experiment/experiment.h"
#include "widgets/text/language_texts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace peakscope {

namespace {

QString wordOf(CurvatureQuantity quantity)
{
    return QString::fromStdString(std::string(name(quantity)));
}

} // namespace

WordChecks::WordChecks(QWidget* parent) : QWidget(parent)
{
    m_layout = new QGridLayout(this);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(8);
    m_layout->setVerticalSpacing(2);
}

void WordChecks::add(LanguageText title, LanguageText tip, const QString& word)
{
    auto* box = new QCheckBox(this);
    box->setObjectName(word);
    inLanguage(box, [box, word, title = std::move(title), tip = std::move(tip)] {
        box->setText(title.say());
        box->setToolTip(
            QStringLiteral("<p>%1</p><p><code>%2</code></p>").arg(tip.say().toHtmlEscaped(), word.toHtmlEscaped()));
        box->setAccessibleDescription(tip.say());
    });
    const int number = static_cast<int>(m_boxes.size());
    m_layout->addWidget(box, number / 2, number % 2);
    m_boxes.emplace_back(word, box);
    connect(box, &QCheckBox::toggled, this, &WordChecks::changed);
}

QStringList WordChecks::words() const
{
    QStringList words;
    for (const auto& [word, box] : m_boxes) {
        if (box->isChecked())
            words << word;
    }
    return words + m_others;
}

void WordChecks::setWords(const QStringList& words)
{
    m_others = words;
    for (const auto& [word, box] : m_boxes) {
        const QSignalBlocker blocker(box);
        box->setChecked(words.contains(word));
        m_others.removeAll(word);
    }
    emit changed();
}

QCheckBox* WordChecks::box(const QString& word) const
{
    const auto found =
        std::find_if(m_boxes.begin(), m_boxes.end(), [&](const auto& each) { return each.first == word; });
    return found == m_boxes.end() ? nullptr : found->second;
}

void ExperimentForm::addQuantities(QGridLayout* grid)
{
    Field& field = addField(grid, "curvature.quantities");
    auto* checks = static_cast<WordChecks*>(field.editor);
    using enum CurvatureQuantity;
    constexpr struct {
        CurvatureQuantity quantity;
        const char* title;
        const char* tip;
    } kQuantities[] = {
        {Trace, QT_TR_NOOP("Trace"),
         QT_TR_NOOP("Sum of the diagonal with its 95 % interval, in all and of every tensor.")},
        {Eigenvalues, QT_TR_NOOP("Top eigenvalues"),
         QT_TR_NOOP("The largest by magnitude, with residuals, by Lanczos.")},
        {Density, QT_TR_NOOP("Spectrum"), QT_TR_NOOP("The density of all eigenvalues, by Lanczos quadrature.")},
        {Diagonal, QT_TR_NOOP("Diagonal"), QT_TR_NOOP("Exact entries of the diagonal of the chosen parameters.")},
        {BlockDiagonal, QT_TR_NOOP("Blocks"),
         QT_TR_NOOP("Every block's trace, top eigenvalue and norm, and the mass outside them.")},
        {Features, QT_TR_NOOP("Features"),
         QT_TR_NOOP("A table of numbers for every parameter unit, for embedding and clustering.")},
        {GgnDiagonal, QT_TR_NOOP("GGN diagonal"), QT_TR_NOOP("Entries of the Gauss-Newton matrix's diagonal.")},
        {FisherDiagonal, QT_TR_NOOP("Fisher diagonal"),
         QT_TR_NOOP("Entries of the empirical Fisher matrix's diagonal.")},
        {Kfac, QT_TR_NOOP("KFAC factors"), QT_TR_NOOP("Kronecker factors of every linear layer.")},
        {Lbfgs, QT_TR_NOOP("L-BFGS"), QT_TR_NOOP("An approximation from gradient pairs, held against exact products.")},
        {Full, QT_TR_NOOP("Full matrix"), QT_TR_NOOP("The whole matrix and all its eigenvalues; small models only.")},
    };
    for (const auto& [quantity, title, tip] : kQuantities)
        checks->add([title = title] { return tr(title); }, [tip = tip] { return tr(tip); }, wordOf(quantity));
    connect(checks, &WordChecks::changed, this, &ExperimentForm::onEdited);
}

void ExperimentForm::buildCurvature(QVBoxLayout* column)
{
    QGridLayout* grid = addSection(column, [] { return tr("Curvature"); });
    addQuantities(grid);
    addChoice(grid, "curvature.method");
    addLine(grid, "curvature.step");
    addChoice(grid, "curvature.parameters.select");
    addLine(grid, "curvature.parameters.count");
    addLine(grid, "curvature.parameters.names", QStringLiteral("*.fc1.weight"));
    addLine(grid, "curvature.parameters.entries", QStringLiteral("NAME:INDEX …"));
    for (const char* key :
         {"curvature.probes", "curvature.interval_width", "curvature.top_k", "curvature.density_steps"})
        addLine(grid, key);
    addChoice(grid, "curvature.unit");
    m_resume = new QCheckBox(this);
    m_resume->setObjectName(QStringLiteral("resume"));
    m_resume->setChecked(true);
    column->addWidget(m_resume);
    setValue(m_fields["curvature.quantities"], nullptr);
    inLanguage(this, [this] {
        m_resume->setText(tr("Go on after an interruption"));
        m_resume->setToolTip(
            tr("Takes up what an interrupted run of the same experiment had finished on this machine; its "
               "numbers are the same as without the interruption. Off: starts anew."));
    });
}

bool ExperimentForm::resumeWanted() const
{
    return m_resume->isChecked();
}

ExperimentKind ExperimentForm::kind() const
{
    const QString word = static_cast<QComboBox*>(find("kind")->editor)->currentData().toString();
    return valueOf(word.toStdString(), ExperimentKind::Memory);
}

void ExperimentForm::onKindChosen()
{
    if (m_filling)
        return;
    switch (kind()) {
    case ExperimentKind::Memory:
        m_base.erase("prm");
        m_base.erase("curvature");
        break;
    case ExperimentKind::Prm:
        m_base.erase("curvature");
        // It fine-tunes in a way of its own: what it does not read would be refused.
        for (const auto& [key, field] : m_fields) {
            constexpr std::string_view kTraining = "training.";
            const std::string rest = key.starts_with(kTraining) && !isRead(key) ? key.substr(kTraining.size()) : "";
            if (!rest.empty() && m_base.contains("training"))
                m_base["training"].erase(rest.substr(0, rest.find('.')));
        }
        break;
    case ExperimentKind::Curvature:
        m_base.erase("prm");
        // What a training run was given (autocast, adapters) has no place in a curvature run.
        m_base.erase("training");
        if (!m_base.contains("curvature"))
            fillUsualCurvature();
        break;
    }
    onEdited();
}

void ExperimentForm::fillUsualCurvature()
{
    m_filling = true;
    setValue(*find("curvature.quantities"), nullptr);
    setValue(*find("curvature.parameters.select"), nullptr);
    m_filling = false;
}

void ExperimentForm::updateCurvatureFields()
{
    const bool curvature = kind() == ExperimentKind::Curvature;
    m_trainingBox->setVisible(!curvature);
    m_curvatureBox->setVisible(curvature);
    const QStringList quantities = static_cast<WordChecks*>(find("curvature.quantities")->editor)->words();
    const auto word = [this](const char* key) {
        return static_cast<QComboBox*>(find(key)->editor)->currentData().toString();
    };
    using enum CurvatureQuantity;
    const auto asks = [&quantities](CurvatureQuantity quantity) { return quantities.contains(wordOf(quantity)); };
    const bool entries = asks(Diagonal) || asks(GgnDiagonal) || asks(FisherDiagonal);
    const QString select = word("curvature.parameters.select");
    showField("curvature.step", word("curvature.method") == QLatin1String("finite_difference"));
    // Tensors by name restrict every quantity, not the diagonal alone.
    showField("curvature.parameters.count", entries && select == QLatin1String("sample"));
    showField("curvature.parameters.names", select == QLatin1String("names"));
    showField("curvature.parameters.entries", select == QLatin1String("entries"));
    showField("curvature.interval_width", asks(Trace));
    showField("curvature.top_k", asks(Eigenvalues));
    showField("curvature.density_steps", asks(Density));
}

} // namespace peakscope
