// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/mark_ticker.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

class MarkTicker : public QCPAxisTicker
{
public:
    MarkTicker(const QCPAxis* axis, MarkFunction marks) : m_axis(axis), m_function(std::move(marks)) {}

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* labels) override
    {
        ticks.clear();
        if (subTicks)
            subTicks->clear();
        if (labels)
            labels->clear();
        for (const AxisMark& mark : apart(m_function(range.lower, range.upper, roomForMarks()), range)) {
            ticks << mark.place;
            if (labels)
                labels->append(mark.label);
        }
    }

private:
    bool across() const { return m_axis->orientation() == Qt::Horizontal; }
    double length() const { return across() ? m_axis->axisRect()->width() : m_axis->axisRect()->height(); }

    int roomForMarks() const
    {
        const QFontMetricsF metrics(m_axis->tickLabelFont());
        const double each = across() ? metrics.averageCharWidth() * 8 : metrics.height() * 1.5;
        return std::clamp(static_cast<int>(length() / std::max(each, 1.0)), 2, 10);
    }

    std::vector<AxisMark> apart(std::vector<AxisMark> marks, const QCPRange& range) const
    {
        const QFontMetricsF metrics(m_axis->tickLabelFont());
        struct Taken {
            double from, to;
        };
        std::vector<Taken> taken;
        std::vector<AxisMark> shown;
        const auto offer = [&](AxisMark& mark) {
            const double pixel = (mark.place - range.lower) / std::max(range.size(), 1e-300) * length();
            const bool lying = across() && m_axis->tickLabelRotation() == 0;
            const double half = (lying ? metrics.horizontalAdvance(mark.label) + 6 : metrics.height() * 0.9) / 2;
            const Taken own{pixel - half, pixel + half};
            if (!range.contains(mark.place) || std::any_of(taken.begin(), taken.end(), [&own](const Taken& other) {
                    return own.from < other.to && own.to > other.from;
                }))
                return;
            taken.push_back(own);
            shown.push_back(std::move(mark));
        };
        const auto zeros =
            std::stable_partition(marks.begin(), marks.end(), [](const AxisMark& mark) { return mark.place == 0; });
        std::for_each(marks.begin(), zeros, offer);
        std::for_each(zeros, marks.end(), offer);
        std::sort(shown.begin(), shown.end(), [](const AxisMark& a, const AxisMark& b) { return a.place < b.place; });
        return shown;
    }

    const QCPAxis* m_axis;
    MarkFunction m_function;
};

} // namespace

void setMarks(QCPAxis* axis, MarkFunction marks)
{
    axis->setTicker(QSharedPointer<MarkTicker>::create(axis, std::move(marks)));
}

} // namespace peakscope
