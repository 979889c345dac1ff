// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The predicted peak of one step as a bar of its components, against what there is to hold it; one line of words under
// it. Its height is the same whatever it shows. GUI thread.
#pragma once

#include "core/results/component.h"

#include <QBrush>
#include <QString>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace peakscope {

struct ChartTheme;

struct PredictedPeak {
    enum class Limit { None, Budget, Card, Free };

    ComponentBytes components{}; // sum to bytes
    std::int64_t bytes = 0;
    std::int64_t reservedBytes = 0; // what the allocator holds then; limits are limits of it
    bool exact = true;
    Limit limit = Limit::None;
    std::int64_t limitBytes = 0;
    bool fitted = false; // the run takes the sizes that suit the limit; without one what its device has free
    bool least = false;  // of the smallest sizes, where not even these fit

    std::int64_t overBytes() const
    {
        return limit == Limit::None || fitted || reservedBytes < limitBytes ? 0 : reservedBytes - limitBytes;
    }
};

class PeakBar : public QWidget
{
    Q_OBJECT

public:
    explicit PeakBar(QWidget* parent = nullptr);

    // Nothing: there is no prediction.
    void setPeak(const std::optional<PredictedPeak>& peak);
    // Pale until the next setPeak(): what it shows is of something else by now.
    void setPending();
    bool isPending() const { return m_pending; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void say();
    QString limitWords() const;
    double scaleBytes() const;
    void paintBar(QPainter& painter, const QRect& bar, const ChartTheme& theme);
    void paintLegend(QPainter& painter, const QRect& line, const ChartTheme& theme) const;

    std::optional<PredictedPeak> m_peak;
    std::vector<std::pair<QString, QBrush>> m_unnamed; // what the bar has no room to name, left to right
    bool m_pending = false;
};

} // namespace peakscope
