// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Translations straight from a .ts file, so that building needs no translation tools (Debian's bring a whole compiler
// along). GUI thread loads; translate() may be called from any thread afterwards.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QTranslator>

class QIODevice;

namespace peakscope {

class TsTranslator : public QTranslator
{
    Q_OBJECT

public:
    using QTranslator::QTranslator;

    // Reads a file as lupdate writes it; messages without a finished translation are left out. False where it is not
    // such a file.
    bool loadTs(QIODevice& device);

    QString translate(const char* context, const char* source, const char* disambiguation = nullptr,
                      int n = -1) const override;
    bool isEmpty() const override { return m_messages.isEmpty(); }

private:
    QHash<QByteArray, QString> m_messages; // by context, source and comment
};

} // namespace peakscope
