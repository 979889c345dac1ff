// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/range_dialog.h"

#include "app/parts/dialog_foot.h"
#include "core/base/shell_line.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"

#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QLocale>
#include <QRadioButton>
#include <QSpinBox>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace peakscope {

namespace {

QString bytesOf(std::uint64_t bytes)
{
    return bytesText(static_cast<std::int64_t>(bytes));
}

QString countText(std::uint64_t count)
{
    return QLocale().toString(static_cast<qulonglong>(count));
}

int asInt(std::uint64_t count)
{
    return static_cast<int>(std::min<std::uint64_t>(count, std::numeric_limits<int>::max()));
}

// Down to two digits: what fits is an estimate.
std::uint64_t roundedDown(std::uint64_t count)
{
    std::uint64_t unit = 1;
    while (count / unit >= 100)
        unit *= 10;
    return count / unit * unit;
}

} // namespace

template <typename Field>
Field* RangeDialog::addField(const char* name, double most, double value)
{
    auto* field = new Field(this);
    field->setObjectName(QString::fromLatin1(name));
    if constexpr (std::is_same_v<Field, QDoubleSpinBox>)
        field->setDecimals(3);
    using Value = decltype(field->value());
    field->setRange(0, static_cast<Value>(most));
    field->setValue(static_cast<Value>(value));
    field->setGroupSeparatorShown(true);
    connect(field, &Field::valueChanged, this, &RangeDialog::check);
    return field;
}

QRadioButton* RangeDialog::addWay(QVBoxLayout* layout, const char* name, std::initializer_list<QWidget*> fields)
{
    auto* way = new QRadioButton(this);
    way->setObjectName(QString::fromLatin1(name));
    auto* row = new QHBoxLayout;
    row->addWidget(way);
    for (QWidget* field : fields)
        row->addWidget(field);
    row->addStretch();
    layout->addLayout(row);
    connect(way, &QRadioButton::toggled, this, &RangeDialog::check);
    return way;
}

RangeDialog::RangeDialog(const QString& path, const LargeSnapshot& file, QWidget* parent)
    : QDialog(parent), m_path(path), m_file(file)
{
    setObjectName(QStringLiteral("rangeDialog"));
    auto* layout = new QVBoxLayout(this);
    m_what = new QLabel(this);
    m_what->setTextFormat(Qt::PlainText);
    m_what->setWordWrap(true);
    layout->addWidget(m_what);
    const int fits = asInt(roundedDown(std::min(file.fittingEvents, file.events)));
    constexpr int kMost = std::numeric_limits<int>::max();
    constexpr double kMostSeconds = 1e9;
    m_last = addField<QSpinBox>("lastEvents", kMost, fits);
    m_first = addField<QSpinBox>("firstEvent", kMost, 0);
    m_end = addField<QSpinBox>("endEvent", kMost, fits);
    m_from = addField<QDoubleSpinBox>("fromSecond", kMostSeconds, 0);
    m_until = addField<QDoubleSpinBox>("untilSecond", kMostSeconds, 1);
    for (QLabel*& to : m_to)
        to = new QLabel(this);
    m_ways[0] = addWay(layout, "byLast", {m_last});
    m_ways[1] = addWay(layout, "byEvents", {m_first, m_to[0], m_end});
    m_ways[2] = addWay(layout, "bySeconds", {m_from, m_to[1], m_until});
    const DialogFoot foot = addDialogFoot(this, layout);
    m_verdict = foot.verdict;
    m_verdict->setObjectName(QStringLiteral("rangeVerdict"));
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_open = foot.accept;
    setMinimumWidth(fontMetrics().averageCharWidth() * 72);
    m_ways[0]->setChecked(true);
    inLanguage(this, [this] { sayTexts(); });
}

void RangeDialog::sayTexts()
{
    setWindowTitle(tr("Open a part"));
    m_open->setText(tr("Open"));
    m_what->setText(what());
    m_ways[0]->setText(tr("The last events:"));
    m_ways[1]->setText(tr("Events from"));
    m_ways[2]->setText(tr("Seconds from"));
    for (QLabel* to : m_to)
        to->setText(tr("to before"));
    check();
}

QString RangeDialog::what() const
{
    return tr("%1 holds about %2 events in %3. All of it may take %4 of memory, and %5 are free: a part of it can be "
              "opened.")
        .arg(QFileInfo(m_path).fileName(), countText(roundedDown(m_file.events)), bytesOf(m_file.bytes),
             bytesOf(m_file.neededBytes), bytesOf(m_file.freeBytes));
}

QString RangeDialog::verdict() const
{
    return m_verdict->text();
}

RangeDialog::Way RangeDialog::way() const
{
    return m_ways[1]->isChecked() ? Way::Events : m_ways[2]->isChecked() ? Way::Seconds : Way::Last;
}

SnapshotRange RangeDialog::range() const
{
    switch (way()) {
    case Way::Events:
        return {false, m_first->value(), m_end->value()};
    case Way::Seconds:
        return {true, std::llround(m_from->value() * 1e6), std::llround(m_until->value() * 1e6)};
    case Way::Last:
        break;
    }
    SnapshotRange last;
    last.begin = -m_last->value();
    return last;
}

QString RangeDialog::fault() const
{
    if (m_file.fittingEvents == 0)
        return tr("Not even a small part fits: close other programs first.");
    const SnapshotRange asked = range();
    if (asked.begin >= asked.end || (way() == Way::Last && asked.begin == 0))
        return tr("This part is empty.");
    const std::uint64_t events = way() == Way::Last     ? static_cast<std::uint64_t>(m_last->value())
                                 : way() == Way::Events ? static_cast<std::uint64_t>(asked.end - asked.begin)
                                                        : 0;
    if (events > m_file.fittingEvents)
        return tr("At most %1 events fit.").arg(countText(m_file.fittingEvents));
    return {};
}

// As the command line has it, which has no words for the last ones.
QString RangeDialog::command() const
{
    const SnapshotRange asked = range();
    const std::string range = std::to_string(asked.begin) + ':' + std::to_string(asked.end);
    return QString::fromStdString(
        shellLine({"peakscope-cli", "inspect", m_path.toStdString(), asked.timed ? "--time" : "--range", range}));
}

void RangeDialog::check()
{
    if (!m_open)
        return; // still being built
    m_last->setEnabled(way() == Way::Last);
    for (QWidget* field : {m_first, m_end})
        field->setEnabled(way() == Way::Events);
    for (QWidget* field : {m_from, m_until})
        field->setEnabled(way() == Way::Seconds);
    const QString wrong = fault();
    m_open->setEnabled(wrong.isEmpty());
    if (!wrong.isEmpty() || way() == Way::Last)
        m_verdict->setText(wrong);
    else
        m_verdict->setText(tr("The same on the command line: %1").arg(command()));
}

} // namespace peakscope
