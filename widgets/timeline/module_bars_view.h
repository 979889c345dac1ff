// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a model's modules hold at the run's peak as stacked bars, by component, with what is no module's, so that they
// sum to the peak; each module's own maximum as a second, pale bar. Of results that know the maxima alone these are
// stacked, and said to be no one instant's. Summed by kind, by layer or one by one: the twin of the modules table. GUI
// thread.
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

    // `atPeak`: of the whole run, what the modules' bytes are a part of. `hookIncreases`: what is called gradients and
    // activations are increases between hooks, backward and forward.
    void setModules(std::vector<ModuleUsage> modules, const ComponentBytes& atPeak = {}, bool hookIncreases = false);
    void clear();
    Grouping grouping() const { return m_grouping; }
    QString summary() const override;

public slots:
    void setGrouping(ModuleBarsView::Grouping grouping);

protected:
    void rebuild() override;

private:
    bool knowsPeak() const;
    void sayTitle();

    Grouping m_grouping = Grouping::Kind;
    std::vector<ModuleUsage> m_modules;
    ComponentBytes m_atPeak{};
    bool m_hookIncreases = false;
    QActionGroup* m_groupings = nullptr;
};

// "model.decoder.layers.3.self_attn" -> "layers.3", the part of a module's name up to its layer number; the whole name
// where it has none.
QString moduleLayer(const QString& name);

} // namespace peakscope
