// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog of programs that run dry, as its tests drive it.
#pragma once

#include "app/form/program_dialog.h"
#include "app/form/program_table.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "tests/app/window/window_parts.h"

#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTableWidget>

namespace peakscope::testing {

inline void tick(ProgramDialog* dialog, const QStringList& cards)
{
    for (int i = 0; i < dialog->cardList()->count(); ++i) {
        QListWidgetItem* item = dialog->cardList()->item(i);
        item->setCheckState(cards.contains(item->data(Qt::UserRole).toString()) ? Qt::Checked : Qt::Unchecked);
    }
}

// Set up for a card that isn't here.
inline ProgramDialog* openProgramDialog(MainWindow& window, const QString& folder)
{
    window.setSessionKept(false);
    window.show();
    trigger(window, QStringLiteral("program"));
    auto* dialog = window.findChild<ProgramDialog*>();
    dialog->folderField()->setText(folder);
    dialog->commandField()->setText(QStringLiteral("sh train.py --name 'two words'"));
    dialog->hereBox()->setChecked(false);
    if (settings::dryCards().isEmpty())
        tick(dialog, {QStringLiteral("a800-80gb")});
    return dialog;
}

inline QString cell(ProgramDialog* dialog, int row, int column)
{
    return dialog->table()->item(row, column)->text();
}

inline bool over(ProgramDialog* dialog)
{
    return !dialog->stopButton()->isEnabled();
}

inline void press(MessageBar* bar, const QString& text)
{
    for (QPushButton* button : bar->findChildren<QPushButton*>()) {
        if (button->text() == text) {
            button->click();
            return;
        }
    }
    QFAIL(qPrintable(text));
}

} // namespace peakscope::testing
