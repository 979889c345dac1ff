// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// How the embedding and its clusters are computed, in a row of fields. Part of the Analyse workspace; GUI thread.
#pragma once

#include "core/analysis/embedding/umap.h"

#include <nlohmann/json_fwd.hpp>

#include <QWidget>

class QDoubleSpinBox;
class QPushButton;
class QSpinBox;

namespace peakscope {

class EmbeddingFields : public QWidget
{
    Q_OBJECT

public:
    explicit EmbeddingFields(QWidget* parent);

    UmapOptions options() const;
    double eps() const; // DBSCAN's radius; 0: found by itself
    int minSamples() const;
    // Those of a stored embedding, the usual ones where it names none.
    void setParameters(const nlohmann::json& parameters);
    // The radius that was found.
    void showEps(double eps);
    // Another one: asks for clusters.
    void chooseEps(double eps);
    void setComputable(bool computable);

signals:
    void computeRequested();
    void clustersRequested();

private:
    void buildRow();
    void sayTexts();

    QSpinBox* m_neighbors = nullptr;
    QDoubleSpinBox* m_minDist = nullptr;
    QSpinBox* m_seed = nullptr;
    QPushButton* m_compute = nullptr;
    QDoubleSpinBox* m_eps = nullptr;
    QSpinBox* m_minSamples = nullptr;
    bool m_filling = false;
};

} // namespace peakscope
