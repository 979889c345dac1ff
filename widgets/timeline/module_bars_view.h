// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters, gradients and activations of a model's modules as stacked bars, summed by kind, by layer or one by one:
// the twin of the modules table. GUI thread.
#pragma once

#include "core/results/run_result.h"
#include "widgets/plot/bars_view.h"

#include <vector>

class QActionGroup;

namespace peakscope {

class ModuleBarsView : public BarsView
{
    Q_OBJECT
public:
    enum class Grouping { Kind, Layer, Module };

    explicit ModuleBarsView(QWidget* parent = nullptr);

    // `hookIncreases`: what is called gradients and activations are increases between hooks, backward and forward.
    void setModules(std::vector<ModuleUsage> modules, bool hookIncreases = false);
    void clear();
    Grouping grouping() const { return m_grouping; }
    QString summary() const override;

public slots:
    void setGrouping(ModuleBarsView::Grouping grouping);

protected:
    void rebuild() override;

private:
    Grouping m_grouping = Grouping::Kind;
    std::vector<ModuleUsage> m_modules;
    bool m_hookIncreases = false;
    QActionGroup* m_groupings = nullptr;
};

// "model.decoder.layers.3.self_attn" -> "layers.3", the part of a module's name up to its layer number; the whole name
// where it has none.
QString moduleLayer(const QString& name);

} // namespace peakscope
