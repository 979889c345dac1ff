// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/next_run_fields.h"

#include "app/form/experiment_form.h"
#include "app/parts/device_choice.h"
#include "widgets/text/language_texts.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolBar>

namespace peakscope {

NextRunFields::NextRunFields(QToolBar* bar, ExperimentForm* form) : QObject(bar)
{
    const auto add = [bar](QWidget* field, int width, QString (*title)(), QString (*tip)()) {
        auto* label = new QLabel(bar);
        label->setBuddy(field);
        field->setFixedWidth(width);
        bar->addWidget(label);
        bar->addWidget(field);
        inLanguage(field, [=] {
            label->setText(QStringLiteral(" ") + title() + QStringLiteral(" "));
            field->setAccessibleName(title());
            field->setToolTip(tip());
        });
    };
    auto* formDevice = static_cast<QComboBox*>(form->field("device"));
    auto* formBudget = static_cast<QLineEdit*>(form->field("budget_bytes"));
    auto* device = new QComboBox(bar);
    device->setObjectName(QStringLiteral("nextDevice"));
    device->setModel(formDevice->model());
    device->setCurrentIndex(formDevice->currentIndex());
    device->setMaxVisibleItems(formDevice->maxVisibleItems());
    connect(device->model(), &QAbstractItemModel::rowsInserted, device, [device] {
        QAbstractItemView* list = device->view(); // cards have long names
        list->setMinimumWidth(list->sizeHintForColumn(0) + 2 * list->fontMetrics().height());
    });
    add(
        device, bar->fontMetrics().averageCharWidth() * 26, [] { return tr("Device"); },
        [] { return tr("Where the next run happens"); });
    auto* budget = new QLineEdit(formBudget->text(), bar);
    budget->setObjectName(QStringLiteral("nextBudget"));
    // As many digits as a terabyte of bytes has: a plan's budget need not be a whole number of MiB.
    const int digits = bar->fontMetrics().horizontalAdvance(QString(13, u'0'));
    add(
        budget, digits + 2 * bar->fontMetrics().averageCharWidth(), [] { return tr("Budget"); },
        [] { return tr("The next run ends when an allocation would pass this: 2 GiB, 512 MiB"); });
    inLanguage(budget, [budget] { budget->setPlaceholderText(tr("none")); });
    connect(device, &QComboBox::activated, formDevice, &QComboBox::setCurrentIndex);
    connect(formDevice, &QComboBox::currentIndexChanged, device, &QComboBox::setCurrentIndex);
    // A list that is filled anew begins at its first entry.
    const auto* choice = formDevice->findChild<DeviceChoice*>(QString(), Qt::FindDirectChildrenOnly);
    connect(choice, &DeviceChoice::filled, device,
            [device, formDevice] { device->setCurrentIndex(formDevice->currentIndex()); });
    connect(budget, &QLineEdit::textEdited, formBudget, &QLineEdit::setText);
    connect(formBudget, &QLineEdit::textChanged, this, [budget](const QString& text) {
        if (budget->text() == text)
            return;
        budget->setText(text);
        budget->setCursorPosition(0); // of one that is longer than the field the first digits say most
    });
}

} // namespace peakscope
