// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/run_instant_panel.h"

#include "app/parts/elided_label.h"
#include "core/base/units.h"
#include "core/import/read_any.h"
#include "widgets/look/component_palette.h"
#include "widgets/look/pieces.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/bytes_text.h"

#include <QComboBox>
#include <QLocale>
#include <QToolButton>

#include <algorithm>
#include <numeric>

namespace peakscope {

RunInstantPanel::RunInstantPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    auto* row = makeBox<QHBoxLayout>(nullptr, {8, 2, 8, 2}, 8);
    m_sentence = new ElidedLabel(this);
    m_sentence->setObjectName(QStringLiteral("runInstant"));
    m_sentence->setTextFormat(Qt::PlainText);
    m_by = new QComboBox(this);
    m_by->setObjectName(QStringLiteral("gatherRunBy"));
    m_toPeak = new QToolButton(this);
    m_toPeak->setObjectName(QStringLiteral("toPeak"));
    m_toPeak->setAutoRaise(true);
    connect(m_toPeak, &QToolButton::clicked, this, &RunInstantPanel::toPeak);
    row->addWidget(m_sentence, 1);
    row->addWidget(m_toPeak);
    addField(row, m_by, 0, [] { return tr("by"); });
    layout->addLayout(row);
    m_table = new DataTableView(this);
    m_table->setObjectName(QStringLiteral("live"));
    m_table->setPlaceholder([] { return tr("Nothing is alive at this instant."); });
    layout->addWidget(m_table, 1);
    connect(m_by, &QComboBox::activated, this, &RunInstantPanel::showKey);
    inLanguage(this, [this] {
        m_toPeak->setText(tr("Back to the peak"));
        m_toPeak->setToolTip(tr("Legend, bars and tables show the peak again"));
        fillKeys();
        sayTexts();
    });
}

void RunInstantPanel::setResult(const std::shared_ptr<const RunResult>& result)
{
    const bool ours = result && !importedFormat(*result) && result->memory && result->memory->timeline.size() > 0;
    m_result = ours ? result : nullptr;
    m_instant = ours ? runPeak(*result->memory) : RunInstant();
    fillKeys();
    m_table->clear();
    showKey();
    emit instantChanged();
}

// What the events carry; what was chosen stays where it is among them.
void RunInstantPanel::fillKeys()
{
    const auto text = [](RunHolderKey key) {
        switch (key) {
        case RunHolderKey::Component:
            return tr("Component");
        case RunHolderKey::Phase:
            return tr("Phase");
        case RunHolderKey::Module:
            return tr("Module");
        case RunHolderKey::Operator:
            return tr("Operator");
        case RunHolderKey::Stack:
            return tr("Stack");
        case RunHolderKey::Line:
            break;
        }
        return tr("Line");
    };
    const QVariant before = m_by->currentData();
    m_by->clear();
    const std::vector<RunHolderKey> keys = runHolderKeys(m_result ? *m_result->memory : MemorySection());
    for (const RunHolderKey key : keys)
        m_by->addItem(text(key), static_cast<int>(key));
    m_by->setCurrentIndex(std::max(0, m_by->findData(before)));
    const bool owners = std::find(keys.begin(), keys.end(), RunHolderKey::Module) != keys.end();
    m_by->setToolTip(owners ? QString()
                            : tr("The events carry no module or operator; the other tables have their peaks."));
}

void RunInstantPanel::ask(double seconds)
{
    if (!m_result)
        return;
    m_instant = runInstantAt(*m_result->memory, seconds);
    showList();
    sayTexts();
    emit instantChanged();
}

std::optional<double> RunInstantPanel::chosen() const
{
    const bool other = m_result && m_instant.events != runPeak(*m_result->memory).events;
    return other ? std::optional(m_instant.seconds) : std::nullopt;
}

void RunInstantPanel::toPeak()
{
    if (!m_result)
        return;
    m_instant = runPeak(*m_result->memory);
    showList();
    sayTexts();
    emit instantChanged();
}

void RunInstantPanel::gatherBy(RunHolderKey key)
{
    m_by->setCurrentIndex(m_by->findData(static_cast<int>(key)));
    showKey();
}

void RunInstantPanel::showKey()
{
    showList();
    sayTexts();
    emit keyChanged();
}

RunHolderKey RunInstantPanel::key() const
{
    return static_cast<RunHolderKey>(m_by->currentData().toInt());
}

bool RunInstantPanel::showsFlows() const
{
    return key() == RunHolderKey::Phase;
}

QString RunInstantPanel::sentence() const
{
    return m_sentence->text();
}

void RunInstantPanel::showList()
{
    if (!m_result)
        return;
    m_table->setTable(runHoldersTable(runHolders(*m_result->memory, m_instant, key()), key()));
}

void RunInstantPanel::sayTexts()
{
    m_toPeak->setVisible(chosen().has_value());
    if (!m_result) {
        m_sentence->setText({});
        return;
    }
    const std::vector<std::int64_t>& deltas = m_result->memory->timeline.deltaBytes;
    const std::int64_t alive = std::accumulate(
        deltas.begin(), deltas.begin() + static_cast<std::ptrdiff_t>(m_instant.events), std::int64_t{0});
    QString text = (showsFlows() ? tr("Added less freed by each phase: %1 at %2", "bytes, time")
                                 : tr("%1 alive at %2", "bytes, time"))
                       .arg(bytesText(alive), QString::fromStdString(formatSeconds(m_instant.seconds)));
    if (m_instant.mark && m_instant.mark->step >= 0)
        text = tr("%1, %2 of step %3", "what is alive when, phase, number")
                   .arg(text, phaseTitle(m_instant.mark->phase),
                        QLocale().toString(static_cast<qlonglong>(m_instant.mark->step)));
    else if (m_instant.mark)
        text = tr("%1, %2", "what is alive when, phase").arg(text, phaseTitle(m_instant.mark->phase));
    m_sentence->setText(text);
    m_sentence->setToolTip(text);
}

} // namespace peakscope
