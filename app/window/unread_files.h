// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Says of files that were to be opened that they can't be read. Of files opened together the message stays when the
// others bring their pages to the front; then it ends as any other does, when the user goes to another page. A
// program in Python can be run dry from there. GUI thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QObject>
#include <QString>

#include <vector>

namespace peakscope {

class Documents;
class Shell;

class UnreadFiles : public QObject
{
    Q_OBJECT

public:
    // Made after whoever brings to the front what is read: it says again what went with the page before.
    UnreadFiles(Shell& shell, Documents& documents, QObject* parent);

private:
    void tell();
    void tellAgain();
    void endIfAllRead();
    void dryRun(const QString& program);

    Shell& m_shell;
    Documents& m_documents;
    std::vector<LanguageText> m_sentences; // of the files that are being opened together, one each
    QString m_program;                     // the last of them, where it is a program in Python
    int m_message = 0;
};

} // namespace peakscope
