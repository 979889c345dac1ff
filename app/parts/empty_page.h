// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in a workspace before anything is there. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

class QPushButton;
class QWidget;

namespace peakscope {

// A title, a sentence on what will be seen and how to come to it, and the button that does it; a column no wider than
// one reads well.
QWidget* makeEmptyPage(LanguageText title, LanguageText sentence, QPushButton* action, QWidget* parent);

} // namespace peakscope
