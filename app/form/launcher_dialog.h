// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The machines that runs can happen on: added, changed, removed, and tried. What is changed is kept at once. Stays open
// beside the window. GUI thread.
#pragma once

#include "app/jobs/launcher_check.h"
#include "app/parts/launcher_presets.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace peakscope {

class MessageBar;

class LauncherDialog : public QDialog
{
    Q_OBJECT

public:
    explicit LauncherDialog(QWidget* parent = nullptr);

    const std::vector<LauncherPreset>& presets() const { return m_presets; }

    QListWidget* list() const { return m_list; }
    QLineEdit* nameField() const { return m_name; }
    QComboBox* kindField() const { return m_kind; }
    QLineEdit* optionsField() const { return m_options; }
    QPushButton* testButton() const { return m_test; }
    QPushButton* addButton() const { return m_add; }
    QPushButton* removeButton() const { return m_remove; }
    MessageBar* messages() const { return m_messages; }

signals:
    void presetsChanged();

private:
    void buildFields(QWidget* box);
    void connectParts();
    void showCurrent();
    void takeFields();
    void showState();
    void add();
    void removeCurrent();
    void test();
    int current() const;

    std::vector<LauncherPreset> m_presets;
    LauncherCheck m_check;
    bool m_filling = false;
    QListWidget* m_list = nullptr;
    QWidget* m_fields = nullptr;
    QLineEdit* m_name = nullptr;
    QComboBox* m_kind = nullptr;
    QLabel* m_hostLabel = nullptr;
    QLineEdit* m_host = nullptr;
    QLabel* m_optionsLabel = nullptr;
    QLineEdit* m_options = nullptr;
    QLineEdit* m_program = nullptr;
    QPlainTextEdit* m_command = nullptr;
    QPushButton* m_add = nullptr;
    QPushButton* m_remove = nullptr;
    QPushButton* m_test = nullptr;
    MessageBar* m_messages = nullptr;
};

} // namespace peakscope
