// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line under a plot that says what the pointer shows. Private to the widgets; GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QLabel>

namespace peakscope {

// Gives the label its look and the height of `lines` lines of a font at all times, so that the plot does not jump as
// the pointer moves.
inline void makeReadout(QLabel* label, int lines, const QFontMetrics& metrics, LanguageText accessibleName = {})
{
    label->setTextFormat(Qt::PlainText);
    label->setContentsMargins(8, 2, 8, 2);
    label->setBackgroundRole(QPalette::Base);
    label->setAutoFillBackground(true);
    label->setFixedHeight((lines > 1 ? lines * metrics.lineSpacing() : metrics.height()) + 6);
    if (!accessibleName.say().isEmpty()) // else it is named as it is filled
        inLanguage(label, [=] { label->setAccessibleName(accessibleName.say()); });
    if (lines > 1) {
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    } else {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }
}

} // namespace peakscope
