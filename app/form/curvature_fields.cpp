// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/curvature_fields.h"

#include "app/form/check_box_grid.h"
#include "app/form/form_fields.h"
#include "core/experiment/curvature_quantity.h"
#include "core/experiment/experiment.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QGridLayout>
#include <QVBoxLayout>

namespace peakscope {

namespace {

QString wordOf(CurvatureQuantity quantity)
{
    return QString::fromStdString(std::string(name(quantity)));
}

} // namespace

void CurvatureFields::addQuantities(QGridLayout* grid)
{
    CheckBoxGrid* checks = m_fields.addChecks(grid, "curvature.quantities");
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
        {Lbfgs, QT_TR_NOOP("L-BFGS"),
         QT_TR_NOOP("An approximation from gradient pairs, compared with exact products.")},
        {Full, QT_TR_NOOP("Full matrix"), QT_TR_NOOP("The whole matrix and all its eigenvalues; small models only.")},
    };
    for (const auto& [quantity, title, tip] : kQuantities)
        checks->add([title = title] { return tr(title); }, [tip = tip] { return tr(tip); }, wordOf(quantity));
}

void CurvatureFields::build(QVBoxLayout* column)
{
    QGridLayout* grid = m_fields.addSection(column, [] { return tr("Curvature"); });
    addQuantities(grid);
    m_fields.addChoice(grid, "curvature.method");
    m_fields.addLine(grid, "curvature.step");
    m_fields.addChoice(grid, "curvature.parameters.select");
    m_fields.addLine(grid, "curvature.parameters.count");
    m_fields.addLine(grid, "curvature.parameters.names", QStringLiteral("*.fc1.weight"));
    m_fields.addLine(grid, "curvature.parameters.entries", QStringLiteral("NAME:INDEX …"));
    for (const char* key :
         {"curvature.probes", "curvature.interval_width", "curvature.top_k", "curvature.density_steps"})
        m_fields.addLine(grid, key);
    m_fields.addChoice(grid, "curvature.unit");
    m_resume = new QCheckBox(m_page);
    m_resume->setObjectName(QStringLiteral("resume"));
    m_resume->setChecked(true);
    column->addWidget(m_resume);
    m_fields["curvature.quantities"].setValue(nullptr);
    inLanguage(m_resume, [this] {
        m_resume->setText(tr("Go on after an interruption"));
        m_resume->setToolTip(tr("Resumes an interrupted run of the same experiment on this machine, with the same "
                                "numbers as an uninterrupted run. Off: starts anew."));
    });
}

void CurvatureFields::update()
{
    const QStringList quantities = m_fields["curvature.quantities"].checks()->words();
    const auto word = [this](const char* key) { return m_fields[key].choice()->currentData().toString(); };
    using enum CurvatureQuantity;
    const auto asks = [&quantities](CurvatureQuantity quantity) { return quantities.contains(wordOf(quantity)); };
    const bool entries = asks(Diagonal) || asks(GgnDiagonal) || asks(FisherDiagonal);
    const QString select = word("curvature.parameters.select");
    m_fields["curvature.step"].setVisible(word("curvature.method") == QLatin1String("finite_difference"));
    // Tensors by name restrict every quantity, not the diagonal alone.
    m_fields["curvature.parameters.count"].setVisible(entries && select == QLatin1String("sample"));
    m_fields["curvature.parameters.names"].setVisible(select == QLatin1String("names"));
    m_fields["curvature.parameters.entries"].setVisible(select == QLatin1String("entries"));
    m_fields["curvature.interval_width"].setVisible(asks(Trace));
    m_fields["curvature.top_k"].setVisible(asks(Eigenvalues));
    m_fields["curvature.density_steps"].setVisible(asks(Density));
}

void CurvatureFields::fillUsual()
{
    m_fields.setFilling(true);
    m_fields["curvature.quantities"].setValue(nullptr);
    m_fields["curvature.parameters.select"].setValue(nullptr);
    m_fields.setFilling(false);
}

} // namespace peakscope
