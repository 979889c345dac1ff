// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/remedy_cards.h"

#include "widgets/look/badge.h"
#include "widgets/look/pieces.h"
#include "widgets/tables/table_model.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

// Of a column by its name, in the language of the moment; empty: the table has none, or nothing stands there.
QString cellText(const TableModel& model, int row, std::string_view column)
{
    const auto& columns = model.table().columns;
    const auto found = std::ranges::find(columns, column, &TableColumn::name);
    if (found == columns.end())
        return {};
    const auto at = static_cast<std::size_t>(found - columns.begin());
    const TableCell& cell = model.table().rows[static_cast<std::size_t>(row)][at];
    const double* number = std::get_if<double>(&cell);
    return number && !std::isfinite(*number) ? QString() : model.index(row, static_cast<int>(at)).data().toString();
}

Tone toneOf(const std::string& verdict)
{
    if (verdict.starts_with("fits this request")) // and no further
        return Tone::Warning;
    return verdict.starts_with("fits") || verdict == "comfortable"           ? Tone::Good
           : verdict == "does_not_fit"                                       ? Tone::Bad
           : verdict.find("grow") != std::string::npos || verdict == "tight" ? Tone::Warning
                                                                             : Tone::Neutral;
}

// What it saves, and what is needed then.
QString numbersOf(const TableModel& remedies, int row)
{
    QStringList numbers;
    if (const QString saves = cellText(remedies, row, "saves_bytes"); !saves.isEmpty())
        numbers << RemedyCards::tr("saves %1").arg(saves);
    if (const QString peak = cellText(remedies, row, "predicted_peak_bytes"); !peak.isEmpty())
        numbers << RemedyCards::tr("predicted peak %1").arg(peak);
    if (const QString reserved = cellText(remedies, row, "reserved_bytes"); !reserved.isEmpty())
        numbers << RemedyCards::tr("%1 reserved then").arg(reserved);
    if (const QString tier = cellText(remedies, row, "tier"); !tier.isEmpty())
        numbers << tier;
    return numbers.join(QStringLiteral("  ·  "));
}

} // namespace

RemedyCards::RemedyCards(QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setObjectName(QStringLiteral("remedyCards"));
}

void RemedyCards::show(const TableModel& remedies, std::size_t runs)
{
    auto* list = new QWidget;
    auto* layout = makeBox<QVBoxLayout>(list, {8, 4, 8, 8}, 6);
    for (int row = 0; row < remedies.rowCount(); ++row)
        layout->addWidget(card(remedies, row, static_cast<std::size_t>(row) < runs));
    layout->addStretch();
    setWidget(list);
    setAccessibleName(tr("What would help"));
}

QWidget* RemedyCards::card(const TableModel& remedies, int row, bool runs)
{
    auto* frame = new QFrame;
    frame->setFrameShape(QFrame::StyledPanel);
    auto* layout = makeBox<QVBoxLayout>(frame, {8, 4, 8, 4}, 2);
    auto* head = makeBox<QHBoxLayout>(nullptr, {}, 8);
    const auto& verdict = std::get<std::string>(remedies.table().rows[static_cast<std::size_t>(row)].front());
    auto* badge = new Badge(cellText(remedies, row, "verdict"), toneOf(verdict));
    auto* change = new QLabel(cellText(remedies, row, "change"));
    change->setTextFormat(Qt::PlainText);
    change->setWordWrap(true);
    change->setTextInteractionFlags(Qt::TextSelectableByMouse);
    makeBold(change);
    head->addWidget(badge, 0, Qt::AlignTop);
    head->addWidget(change, 1);

    auto* facts = new QLabel(numbersOf(remedies, row));
    facts->setTextFormat(Qt::PlainText);
    head->addWidget(facts, 0, Qt::AlignTop);

    const QString how = cellText(remedies, row, "how");
    const auto addButton = [head](const QString& text, const char* name) {
        auto* button = new QToolButton;
        button->setObjectName(QString::fromLatin1(name));
        button->setText(text);
        head->addWidget(button, 0, Qt::AlignTop);
        return button;
    };
    if (!how.isEmpty()) {
        QToolButton* copy = addButton(tr("Copy"), "copyRemedy");
        connect(copy, &QToolButton::clicked, this, [how] { QGuiApplication::clipboard()->setText(how); });
    }
    if (runs) {
        QToolButton* run = addButton(tr("New run like this"), "takeRemedy");
        run->setToolTip(tr("Fills the form with the experiment and this change"));
        connect(run, &QToolButton::clicked, this, [this, row] { emit runRequested(static_cast<std::size_t>(row)); });
    }
    layout->addLayout(head);
    if (!how.isEmpty()) {
        auto* text = new QLabel(how);
        text->setTextFormat(Qt::PlainText);
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(text);
    }
    frame->setAccessibleName(change->text());
    return frame;
}

} // namespace peakscope
