// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Components as horizontal bars: what was alive at the peak, and each component's own maximum. GUI thread.
#pragma once

#include "core/results/component.h"
#include "widgets/bars_view.h"

class QActionGroup;

namespace peakscope {

class ComponentBarsView : public BarsView
{
    Q_OBJECT
public:
    enum class Mode { AtPeak, OwnMaximum, Both };

    explicit ComponentBarsView(QWidget* parent = nullptr);

    // Bytes of each component at the peak (they sum to it) and the most each ever had.
    void setData(const ComponentBytes& atPeak, const ComponentBytes& maxima);
    void clear();
    Mode mode() const { return m_mode; }
    QString summary() const override;

public slots:
    void setMode(ComponentBarsView::Mode mode);

protected:
    void rebuild() override;

private:
    Mode m_mode = Mode::Both;
    ComponentBytes m_atPeak{};
    ComponentBytes m_maxima{};
    bool m_hasData = false;
    QActionGroup* m_modes = nullptr;
};

} // namespace peakscope
