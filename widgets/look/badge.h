// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A word or two in a frame, beside a title: the state of a run, a verdict. GUI thread.
#pragma once

#include "widgets/look/theme.h"

#include <QEvent>
#include <QGuiApplication>
#include <QLabel>

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

class Badge : public QLabel
{
public:
    explicit Badge(const QString& text = {}, Tone tone = Tone::Neutral) : QLabel(text), m_tone(tone)
    {
        setTextFormat(Qt::PlainText);
        colour();
    }

    void setTone(Tone tone)
    {
        m_tone = tone;
        colour();
    }

protected:
    void changeEvent(QEvent* event) override
    {
        QLabel::changeEvent(event);
        if (event->type() == QEvent::PaletteChange)
            colour();
    }

private:
    void colour()
    {
        const QString style =
            QStringLiteral("QLabel { border: 1px solid %1; border-radius: 3px; padding: 0 4px; color: %1; }")
                .arg(toneColor(m_tone, chartTheme(QGuiApplication::palette())).name());
        if (style != styleSheet()) // which changes the palette, too
            setStyleSheet(style);
    }

    Tone m_tone;
};

} // namespace peakscope
