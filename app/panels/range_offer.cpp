// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/range_offer.h"

#include "app/library/documents.h"
#include "app/panels/range_dialog.h"
#include "app/shell/shell.h"
#include "app/shell/shown_document.h"
#include "core/snapshots/snapshot_recording.h"

namespace peakscope {

RangeOffer::RangeOffer(Shell& shell, Documents& documents, ShownDocument& front, QObject* parent)
    : QObject(parent), m_shell(shell), m_documents(documents), m_front(front)
{
    connect(&documents, &Documents::tooLarge, this, &RangeOffer::offer);
}

bool RangeOffer::isPart(const RunDocument& document)
{
    const auto& recording = document.result->recording;
    return recording && recording->snapshot->start(recording->replay.device);
}

void RangeOffer::offer(const QString& path, const LargeSnapshot& file, const QString& sentence)
{
    if (!m_asks || !m_front.wants(path)) {
        m_documents.refuse(path, sentence);
        return;
    }
    auto* dialog = new RangeDialog(path, file, m_shell.frame());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, path] {
        m_front.want(path);
        m_documents.load(path, dialog->range());
    });
    connect(dialog, &QDialog::rejected, this, [this, path, sentence] { m_documents.refuse(path, sentence); });
    dialog->open();
}

} // namespace peakscope
