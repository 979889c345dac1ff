// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A label of several facts that gives way by whole ones, the last first, so that no number is cut: "peak 512 MiB  ·
// step 41 ms" becomes "peak 512 MiB …". Its owner gives the tooltip. GUI thread.
#pragma once

#include <QLabel>
#include <QPainter>
#include <QRegularExpression>

namespace peakscope {

class PartsLabel : public QLabel
{
public:
    // `ofFirst`: how a first part without room gives way; ElideNone: by an ellipsis in its place.
    explicit PartsLabel(Qt::TextElideMode ofFirst, QWidget* parent = nullptr) : QLabel(parent), m_ofFirst(ofFirst) {}

    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }
    // What of the text has room in `width`; parts end at dots between facts and at commas.
    QString shownIn(int width) const
    {
        static const QRegularExpression end(QStringLiteral("\\s+·\\s|,\\s|，"));
        QString shown = text();
        while (fontMetrics().horizontalAdvance(shown) > width) {
            const qsizetype at = text().lastIndexOf(end, shown.size() - (shown == text() ? 1 : 3));
            if (at <= 0)
                return m_ofFirst == Qt::ElideNone ? QStringLiteral("…")
                                                  : fontMetrics().elidedText(shown, m_ofFirst, width);
            shown = text().left(at) + QStringLiteral(" …");
        }
        return shown;
    }
    // The room that the text takes up to its first dot.
    int firstFactWidth() const
    {
        const QString first = text().section(QStringLiteral(" · "), 0, 0).trimmed();
        return fontMetrics().horizontalAdvance(first.size() < text().size() ? first + QStringLiteral(" …") : first);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        const QRect area = contentsRect();
        painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, shownIn(area.width()));
    }

private:
    Qt::TextElideMode m_ofFirst;
};

} // namespace peakscope
