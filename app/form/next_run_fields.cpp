// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/next_run_fields.h"

#include "app/form/experiment_form.h"
#include "widgets/text/language_texts.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolBar>

namespace peakscope {

NextRunFields::NextRunFields(QToolBar* bar, ExperimentForm* form) : QObject(bar)
{
    const auto add = [bar](QWidget* field, int characters, QString (*title)(), QString (*tip)()) {
        auto* label = new QLabel(bar);
        label->setBuddy(field);
        field->setFixedWidth(bar->fontMetrics().averageCharWidth() * characters);
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
        device, 26, [] { return tr("Device"); }, [] { return tr("Where the next run happens"); });
    auto* budget = new QLineEdit(formBudget->text(), bar);
    budget->setObjectName(QStringLiteral("nextBudget"));
    add(
        budget, 14, [] { return tr("Budget"); },
        [] { return tr("The next run ends when an allocation would pass this: 2 GiB, 512 MiB"); });
    inLanguage(budget, [budget] { budget->setPlaceholderText(tr("none")); });
    connect(device, &QComboBox::activated, formDevice, &QComboBox::setCurrentIndex);
    connect(formDevice, &QComboBox::currentIndexChanged, device, &QComboBox::setCurrentIndex);
    connect(budget, &QLineEdit::textEdited, formBudget, &QLineEdit::setText);
    connect(formBudget, &QLineEdit::textChanged, this, [budget](const QString& text) {
        if (budget->text() != text)
            budget->setText(text);
    });
}

} // namespace peakscope
