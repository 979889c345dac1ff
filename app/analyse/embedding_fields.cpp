// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/analyse/embedding_fields.h"

#include "core/base/json/json_reader.h"
#include "widgets/look/pieces.h"
#include "widgets/text/language_texts.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace peakscope {

EmbeddingFields::EmbeddingFields(QWidget* parent) : QWidget(parent)
{
    buildRow();
    inLanguage(this, [this] { sayTexts(); });
    connect(m_compute, &QPushButton::clicked, this, &EmbeddingFields::computeRequested);
    const auto ask = [this] {
        if (!m_filling)
            emit clustersRequested();
    };
    connect(m_eps, &QDoubleSpinBox::valueChanged, this, ask);
    connect(m_minSamples, &QSpinBox::valueChanged, this, ask);
}

void EmbeddingFields::buildRow()
{
    auto* row = makeBox<QHBoxLayout>(this, {8, 0, 8, 4}, 4);
    m_neighbors = new QSpinBox(this);
    m_neighbors->setRange(2, 200);
    m_neighbors->setValue(15);
    m_minDist = new QDoubleSpinBox(this);
    m_minDist->setRange(0, 1);
    m_minDist->setSingleStep(0.05);
    m_minDist->setValue(0.1);
    m_seed = new QSpinBox(this);
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_seed->setValue(42);
    m_seed->setMaximumWidth(64);
    m_compute = new QPushButton(this);
    m_eps = new QDoubleSpinBox(this);
    m_eps->setRange(0, 1e6);
    m_eps->setDecimals(3);
    m_eps->setMaximumWidth(66);
    m_eps->setSingleStep(0.05);
    m_eps->setKeyboardTracking(false);
    m_minSamples = new QSpinBox(this);
    m_minSamples->setRange(1, 1000);
    m_minSamples->setValue(5);
    const auto add = [this, row](const QString& name, QWidget* field) {
        auto* label = new QLabel(name, this);
        label->setBuddy(field);
        row->addWidget(label);
        row->addWidget(field);
        field->setAccessibleName(name);
    };
    add(QStringLiteral("n_neighbors"), m_neighbors);
    add(QStringLiteral("min_dist"), m_minDist);
    add(QStringLiteral("seed"), m_seed);
    row->addWidget(m_compute);
    add(QStringLiteral("DBSCAN eps"), m_eps);
    add(QStringLiteral("min_samples"), m_minSamples);
    row->addStretch(1);
}

void EmbeddingFields::sayTexts()
{
    m_compute->setText(tr("Compute UMAP"));
    m_compute->setToolTip(tr("Computes the embedding again from the features, in the background"));
    m_neighbors->setToolTip(
        tr("Neighbours of each unit, itself included: larger shows more of the whole, less detail"));
    m_minDist->setToolTip(tr("Least distance of units in the embedding: larger makes looser clusters"));
    m_seed->setToolTip(tr("The same seed gives the same embedding, bit for bit"));
    m_eps->setSpecialValueText(tr("auto"));
    m_eps->setToolTip(
        tr("DBSCAN's radius; the k-distances help to choose it. auto: twice the distance that 95 % of the "
           "units stay within"));
    m_minSamples->setToolTip(tr("Units within the radius, itself included, that make a core of a cluster"));
}

UmapOptions EmbeddingFields::options() const
{
    UmapOptions options;
    options.neighbors = m_neighbors->value();
    options.minDist = m_minDist->value();
    options.seed = static_cast<std::uint64_t>(m_seed->value());
    return options;
}

double EmbeddingFields::eps() const
{
    return m_eps->value();
}

int EmbeddingFields::minSamples() const
{
    return m_minSamples->value();
}

void EmbeddingFields::setParameters(const nlohmann::json& parameters)
{
    const auto parameter = [&parameters](const char* key, double otherwise) {
        return jsonAs<double>(lenient::member(parameters, key)).value_or(otherwise);
    };
    m_filling = true;
    m_neighbors->setValue(static_cast<int>(parameter("neighbors", 15)));
    m_minDist->setValue(parameter("min_dist", 0.1));
    m_seed->setValue(static_cast<int>(std::clamp(parameter("seed", 42), 0.0, 2147483647.0)));
    m_eps->setValue(parameter("eps", 0));
    m_minSamples->setValue(static_cast<int>(parameter("min_samples", 5)));
    m_filling = false;
}

void EmbeddingFields::showEps(double eps)
{
    m_filling = true;
    m_eps->setValue(eps);
    m_filling = false;
}

void EmbeddingFields::chooseEps(double eps)
{
    m_eps->setValue(eps);
}

void EmbeddingFields::setComputable(bool computable)
{
    m_compute->setEnabled(computable);
}

} // namespace peakscope
