// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What pages, views and dialogs are put together of again and again. GUI thread.
#pragma once

#include <QAction>
#include <QBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVariant>

namespace peakscope {

// A row or a column of `parent`; spacing of -1 is the style's.
template <typename Box>
Box* makeBox(QWidget* parent, const QMargins& margins = {}, int spacing = -1)
{
    auto* box = new Box(parent);
    box->setContentsMargins(margins);
    box->setSpacing(spacing);
    return box;
}

inline void makeBold(QWidget* widget)
{
    QFont bold = widget->font();
    bold.setBold(true);
    widget->setFont(bold);
}

// A page's answer.
inline void makeLarge(QWidget* widget)
{
    QFont large = widget->font();
    large.setPointSizeF(large.pointSizeF() * 1.25);
    large.setBold(true);
    widget->setFont(large);
}

// The page of the handbook, by its name in docs/, that explains a widget and all within that have none of their own.
inline void setHelpTopic(QWidget* widget, const char* page)
{
    widget->setProperty("helpTopic", QString::fromLatin1(page));
}

inline QString helpTopic(const QWidget* widget)
{
    for (; widget; widget = widget->parentWidget()) {
        if (const QString page = widget->property("helpTopic").toString(); !page.isEmpty())
            return page;
    }
    return {};
}

// Words that give way where a row is narrow.
inline QLabel* makeYielding(QLabel* label, const char* name)
{
    label->setObjectName(QString::fromLatin1(name));
    label->setTextFormat(Qt::PlainText);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return label;
}

// Of the bar above a view.
inline QToolButton* makeBarButton(QAction* action)
{
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

// What stands in place of a view: a sentence, and a bar that moves while something goes on.
inline QWidget* makePlaceholderPage(QLabel*& label, QProgressBar*& busy)
{
    auto* page = new QWidget;
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    label = new QLabel(page);
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setForegroundRole(QPalette::PlaceholderText);
    busy = new QProgressBar(page);
    busy->setRange(0, 0);
    busy->setTextVisible(false);
    busy->setFixedSize(160, 6);
    auto* layout = makeBox<QVBoxLayout>(page, {24, 16, 24, 16});
    layout->addStretch();
    layout->addWidget(label);
    layout->addSpacing(8);
    layout->addWidget(busy, 0, Qt::AlignHCenter);
    layout->addStretch();
    return page;
}

} // namespace peakscope
