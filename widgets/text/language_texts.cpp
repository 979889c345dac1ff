// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/language_texts.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QTabWidget>

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

QLabel* makeLabel(LanguageText text, QWidget* parent)
{
    auto* label = new QLabel(parent);
    inLanguage(label, [label, text = std::move(text)] { label->setText(text.say()); });
    return label;
}

void addRow(QFormLayout* form, QWidget* field, LanguageText title)
{
    QLabel* label = makeLabel(std::move(title), form->parentWidget());
    label->setBuddy(field);
    form->addRow(label, field);
}

void addField(QBoxLayout* row, QWidget* field, int stretch, LanguageText title)
{
    QLabel* label = makeLabel(title, field->parentWidget());
    label->setBuddy(field);
    inLanguage(field, [field, title = std::move(title)] { field->setAccessibleName(title.say()); });
    row->addWidget(label);
    row->addWidget(field, stretch);
}

void addTab(QTabWidget* tabs, QWidget* page, LanguageText title)
{
    tabs->addTab(page, {});
    inLanguage(tabs, [tabs, page, title = std::move(title)] { tabs->setTabText(tabs->indexOf(page), title.say()); });
}

void addItem(QComboBox* choice, const QVariant& data, LanguageText text)
{
    choice->addItem({}, data);
    inLanguage(choice, [choice, data, text = std::move(text)] {
        const QSignalBlocker blocker(choice); // what is chosen stays
        if (const int index = choice->findData(data); index >= 0)
            choice->setItemText(index, text.say());
    });
}

} // namespace peakscope
