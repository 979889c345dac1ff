// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What stands at the foot of a dialog that starts something: what is to be said of what is set up, Cancel, and the
// button that accepts. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QBoxLayout>
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>

namespace peakscope {

struct DialogFoot {
    QLabel* verdict = nullptr;
    QPushButton* accept = nullptr; // its words are the dialog's
};

inline DialogFoot addDialogFoot(QDialog* dialog, QBoxLayout* layout)
{
    auto* verdict = new QLabel(dialog);
    verdict->setTextFormat(Qt::PlainText);
    verdict->setWordWrap(true);
    verdict->setMinimumHeight(2 * dialog->fontMetrics().lineSpacing()); // so that a reason moves nothing
    verdict->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    layout->addWidget(verdict);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, dialog);
    QPushButton* cancel = buttons->button(QDialogButtonBox::Cancel);
    inLanguage(cancel, [cancel] { cancel->setText(QCoreApplication::translate("peakscope::DialogFoot", "Cancel")); });
    QPushButton* accept = buttons->addButton(QString(), QDialogButtonBox::AcceptRole);
    accept->setDefault(true);
    QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    layout->addWidget(buttons);
    return {verdict, accept};
}

} // namespace peakscope
