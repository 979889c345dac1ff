// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A word or two in a frame, beside a title: the state of a run, a verdict. GUI thread.
#pragma once

#include "widgets/look/theme.h"

#include <QLabel>
#include <QPainter>

namespace peakscope {

enum class Tone { Neutral, Good, Warning, Bad };

inline QColor toneColor(Tone tone, const ChartTheme& theme)
{
    switch (tone) {
    case Tone::Good:
        return theme.dark ? QColor(0x2c, 0xc1, 0x93) : QColor(0x00, 0x6b, 0x4e);
    case Tone::Warning:
        return theme.dark ? QColor(0xf0, 0xa8, 0x4c) : QColor(0x8a, 0x4b, 0x00);
    case Tone::Bad:
        return theme.dark ? QColor(0xff, 0x8a, 0x75) : QColor(0xa8, 0x20, 0x0c);
    case Tone::Neutral:
        break;
    }
    return theme.mutedText;
}

// Drawn by itself, as a style sheet would keep the colours of another theme.
class Badge : public QLabel
{
public:
    explicit Badge(const QString& text = {}, Tone tone = Tone::Neutral) : QLabel(text), m_tone(tone)
    {
        setTextFormat(Qt::PlainText);
        setContentsMargins(5, 1, 5, 1);
    }

    void setTone(Tone tone)
    {
        m_tone = tone;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(toneColor(m_tone, chartTheme(palette())), 1));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.drawText(contentsRect(), Qt::AlignCenter, text());
    }

private:
    Tone m_tone;
};

} // namespace peakscope
