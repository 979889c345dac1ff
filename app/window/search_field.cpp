// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/search_field.h"

#include "app/parts/icons.h"
#include "app/shell/workspace.h"
#include "widgets/text/language_texts.h"

namespace peakscope {

SearchField::SearchField(QLineEdit& library, QWidget* parent) : QLineEdit(parent), m_library(library)
{
    setObjectName(QStringLiteral("search"));
    setClearButtonEnabled(true);
    setFixedWidth(fontMetrics().averageCharWidth() * 26);
    addAction(glyphIcon(Glyph::Search), QLineEdit::LeadingPosition);
    setEnabled(false);
    connect(this, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (m_inFront && m_inFront->searches())
            m_inFront->search(text);
    });
    inLanguage(this, [this] {
        setPlaceholderText(tr("Search these tables"));
        setAccessibleName(tr("Search the tables of what is shown"));
        setToolTip(tr("Names in the tables of what is shown (Ctrl+F). The library has a filter of its own."));
    });
}

void SearchField::setInFront(Workspace* workspace)
{
    m_inFront = workspace;
    setEnabled(workspace && workspace->searches());
}

void SearchField::begin()
{
    QLineEdit* field = isEnabled() ? this : &m_library;
    field->setFocus(Qt::ShortcutFocusReason);
    field->selectAll();
}

} // namespace peakscope
