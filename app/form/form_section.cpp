// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/form_section.h"

#include "app/parts/elided_label.h"
#include "app/parts/icons.h"
#include "widgets/look/pieces.h"
#include "widgets/text/plain_text.h"

#include <QGridLayout>

namespace peakscope {

FormSection::FormSection(const char* name, LanguageText title, QWidget* parent) : QWidget(parent)
{
    setObjectName(QString::fromLatin1(name));
    auto* column = makeBox<QVBoxLayout>(this, {0, 0, 0, 4}, 4);
    auto* row = makeBox<QHBoxLayout>(nullptr, {}, 8);
    column->addLayout(row);
    m_toggle = new QToolButton(this);
    m_toggle->setAutoRaise(true);
    m_toggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_toggle->setIcon(glyphIcon(Glyph::ChevronRight));
    makeBold(m_toggle);
    m_summary = makeYielding(new ElidedLabel(this), "differing");
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_cost = new ElidedLabel(this);
    row->addWidget(m_toggle);
    row->addWidget(m_summary, 1);
    row->addWidget(m_cost);
    m_body = new QWidget(this);
    m_grid = new QGridLayout(m_body);
    m_grid->setContentsMargins({});
    m_grid->setHorizontalSpacing(8);
    m_grid->setVerticalSpacing(4);
    m_grid->setColumnStretch(1, 1);
    m_body->hide();
    column->addWidget(m_body);
    connect(m_toggle, &QToolButton::clicked, this, [this] { setOpen(!isOpen()); });
    inLanguage(this, [this, title = std::move(title)] {
        m_toggle->setText(title.say());
        m_cost->setToolTip(tr("What this adds to the predicted peak of Peakscope's own step, against the defaults; "
                              "ε is that of all steps"));
    });
}

void FormSection::setOpen(bool open)
{
    m_toggle->setIcon(glyphIcon(open ? Glyph::ChevronDown : Glyph::ChevronRight));
    m_summary->setVisible(!open); // the fields say it
    m_body->setVisible(open);
}

void FormSection::setSummary(const QString& differing)
{
    m_summary->setText(differing);
    m_summary->setToolTip(plainToolTip(differing));
}

void FormSection::setCost(const QString& cost)
{
    m_cost->setText(cost);
}

} // namespace peakscope
