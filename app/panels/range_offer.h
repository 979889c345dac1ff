// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Offers a part of a snapshot that is larger than the memory, where the user opened it; else, and where no part is
// wanted, it is refused as any file that cannot be read. GUI thread.
#pragma once

#include <QObject>

namespace peakscope {

class Documents;
class Shell;
class ShownDocument;
struct LargeSnapshot;
struct RunDocument;

class RangeOffer : public QObject
{
    Q_OBJECT

public:
    RangeOffer(Shell& shell, Documents& documents, ShownDocument& front, QObject* parent);

    // Nobody is there to answer.
    void setAsks(bool asks) { m_asks = asks; }
    // Opened again, it is asked about again.
    static bool isPart(const RunDocument& document);

private:
    void offer(const QString& path, const LargeSnapshot& file, const QString& sentence);

    Shell& m_shell;
    Documents& m_documents;
    ShownDocument& m_front;
    bool m_asks = true;
};

} // namespace peakscope
