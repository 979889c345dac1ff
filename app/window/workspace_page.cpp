// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workspace_page.h"

#include "widgets/text/language_texts.h"

namespace peakscope {

WorkspacePage::WorkspacePage(QWidget* parent) : QWidget(parent)
{
    inLanguage(this, [this] {
        if (m_inspected)
            emit inspected(m_inspected());
    });
}

void WorkspacePage::inspect(std::function<InspectorContent()> say)
{
    m_inspected = std::move(say);
    emit inspected(m_inspected());
}

} // namespace peakscope
