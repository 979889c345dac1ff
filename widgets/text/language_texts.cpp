// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/language_texts.h"

#include <QEvent>
#include <QWidget>

namespace peakscope {

namespace {

class LanguageListener : public QObject
{
public:
    LanguageListener(QWidget* widget, std::function<void()> say) : QObject(widget), m_say(std::move(say))
    {
        widget->installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::LanguageChange && watched == parent())
            m_say();
        return false;
    }

private:
    std::function<void()> m_say;
};

} // namespace

void inLanguage(QWidget* widget, std::function<void()> say)
{
    say();
    new LanguageListener(widget, std::move(say));
}

} // namespace peakscope
