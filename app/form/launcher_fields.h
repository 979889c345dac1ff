// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Where an experiment runs, in its form: the machine that is chosen, the launcher's words, which follow one another,
// how many processes share a step, and whose words they are. GUI thread.
#pragma once

#include "app/jobs/command_consent.h"

#include <QObject>

class QComboBox;
class QGridLayout;
class QWidget;

namespace peakscope {

class FormFields;

class LauncherFields : public QObject
{
    Q_OBJECT

public:
    LauncherFields(FormFields& fields, QWidget* page) : QObject(page), m_fields(fields), m_page(page) {}

    void addMachine(QGridLayout* grid);
    // The launcher, how many processes, and the usual ways to start them.
    void addCommand(QGridLayout* grid);

    // Ways to run elsewhere: (name, the launcher's words).
    void setLaunchers(const std::vector<std::pair<QString, QStringList>>& launchers);
    QComboBox* machine() const { return m_machine; }
    // The words as they stand in the field.
    QStringList words() const;

    // What stands there came from there.
    void begin(const Origin& origin);
    // That, with the launcher that was typed since.
    Origin origin() const;

signals:
    // Another machine was chosen, or the words were changed and left.
    void chosen(const QStringList& words);
    void manageRequested();

private:
    void showMachine();
    void noteTyped();

    FormFields& m_fields;
    QWidget* m_page;
    QComboBox* m_machine = nullptr; // this machine, the presets, then "as written" where the words are no preset's
    Origin m_origin;
    QStringList m_given, m_typed; // as they came with the document; as they were last typed
    bool m_own = true;            // nothing is left in the field of what came with the document
    bool m_selected = false;      // all of it: what is typed next takes its place
};

} // namespace peakscope
