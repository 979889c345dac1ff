// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/snapshot_doctor.h"

#include "core/snapshots/snapshot_advice.h"
#include "core/snapshots/snapshot_instant.h"
#include "widgets/look/pieces.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QToolButton>

namespace peakscope {

SnapshotDoctor::SnapshotDoctor(QWidget* parent) : QWidget(parent), m_thread(this, QStringLiteral("snapshot doctor"))
{
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    auto* row = makeBox<QHBoxLayout>(nullptr, {8, 2, 8, 2}, 8);
    m_button = new QToolButton(this);
    m_button->setObjectName(QStringLiteral("doctor"));
    m_button->setCheckable(true);
    m_button->setAutoRaise(true);
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_sentence = makeYielding(new QLabel(this), "doctorSentence");
    row->addWidget(m_button);
    row->addWidget(m_sentence, 1);
    layout->addLayout(row);
    m_remedies = new DataTableView(this);
    m_remedies->setObjectName(QStringLiteral("remedies"));
    m_remedies->view()->horizontalHeader()->setStretchLastSection(true);
    m_remedies->hide();
    layout->addWidget(m_remedies, 1);
    connect(m_button, &QToolButton::toggled, this, [this](bool open) {
        m_remedies->setVisible(open);
        if (open)
            ask();
        sayState();
        emit toggled(open);
    });
    inLanguage(this, [this] {
        m_button->setText(tr("Doctor"));
        m_button->setToolTip(tr("Who holds the memory, what grows, and what would help"));
        sayState();
    });
}

SnapshotDoctor::~SnapshotDoctor()
{
    m_stop.request_stop();
}

bool SnapshotDoctor::isOpen() const
{
    return m_button->isChecked();
}

void SnapshotDoctor::setRecording(const std::shared_ptr<const SnapshotRecording>& recording)
{
    m_stop.request_stop();
    m_recording = recording;
    m_asked = m_busy = false;
    m_remedies->clear();
    m_button->setChecked(recording && !recording->replay.outOfMemory.empty());
    if (isOpen())
        ask();
    sayState();
}

void SnapshotDoctor::ask()
{
    if (m_asked || !m_recording)
        return;
    m_asked = m_busy = true;
    m_remedies->setPlaceholder([] { return tr("The requests are replayed under other settings of the allocator…"); });
    m_stop = {};
    m_thread.post([this, recording = m_recording, stop = m_stop.get_token()] {
        if (stop.stop_requested())
            return;
        const Table table = remediesTable(adviseOn(*recording->snapshot, recording->replay));
        m_thread.answer(stop, [this, table] {
            m_busy = false;
            m_remedies->setPlaceholder(
                [] { return tr("No setting of the allocator would help, and nothing grows from step to step."); });
            m_remedies->setTable(table);
            sayState();
        });
    });
}

void SnapshotDoctor::sayState()
{
    if (!m_recording) {
        m_sentence->clear();
        return;
    }
    const SnapshotReplay& replay = m_recording->replay;
    const std::int64_t event = firstSight(replay);
    const std::vector<SnapshotHolder> holders = snapshotHolders(*m_recording->snapshot, replay, event, HolderKey::Line);
    if (holders.empty()) {
        m_sentence->clear();
        return;
    }
    const SnapshotHolder& first = holders.front();
    const QString holder = tr("%1 holds %2 in %n blocks", "line, bytes", static_cast<int>(first.blocks))
                               .arg(QString::fromStdString(first.what), bytesText(first.requestedBytes));
    m_sentence->setText(replay.outOfMemory.empty() && replay.hasPeak() ? tr("At the peak %1").arg(holder)
                        : replay.outOfMemory.empty()                   ? holder
                                                                       : tr("At the end %1").arg(holder));
}

} // namespace peakscope
