// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/empty_page.h"

#include "widgets/look/pieces.h"

#include <QPushButton>

namespace peakscope {

QWidget* makeEmptyPage(LanguageText title, LanguageText sentence, QPushButton* action, QWidget* parent)
{
    auto* page = new QWidget(parent);
    auto* outer = makeBox<QHBoxLayout>(page, {24, 24, 24, 24});
    auto* column = new QWidget(page);
    column->setMaximumWidth(column->fontMetrics().averageCharWidth() * 90);
    outer->addStretch(1);
    outer->addWidget(column, 100); // a sentence that wraps is given its height only where it fills its column
    outer->addStretch(1);
    auto* rows = new QVBoxLayout(column);
    QLabel* heading = makeLabel(std::move(title), column);
    makeLarge(heading);
    heading->setWordWrap(true);
    QLabel* text = makeLabel(std::move(sentence), column);
    text->setWordWrap(true);
    rows->addStretch(1);
    rows->addWidget(heading);
    rows->addWidget(text);
    rows->addSpacing(4);
    rows->addWidget(action, 0, Qt::AlignLeft);
    rows->addStretch(2);
    return page;
}

} // namespace peakscope
