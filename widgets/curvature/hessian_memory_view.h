// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a hessian_memory_analysis.json says that a Hessian takes: a bar a model and strategy, all sums on a logarithmic
// axis, or their parts on a linear one. GUI thread.
#pragma once

#include "core/results/plans/hessian_analysis.h"
#include "widgets/plot/bars_view.h"

#include <QSharedPointer>

class QActionGroup;
class QCPAxisTicker;

namespace peakscope {

class HessianMemoryView : public BarsView
{
    Q_OBJECT
public:
    enum class Mode { Sums, Parts };

    explicit HessianMemoryView(QWidget* parent = nullptr);

    void setAnalysis(HessianAnalysis analysis);
    void setMode(Mode mode);
    QString summary() const override;
    QString visibleDataTsv() const override;

protected:
    void rebuild() override;

private:
    HessianAnalysis m_analysis;
    Mode m_mode = Mode::Sums;
    QActionGroup* m_modes = nullptr;
    QSharedPointer<QCPAxisTicker> m_byteTicker; // of the linear axis
};

} // namespace peakscope
