// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a snapshot that is larger than the memory: its last events, a range of them, or of seconds. It opens
// with one that fits. GUI thread.
#pragma once

#include "core/import/cuda_snapshot_file.h"

#include <QDialog>

class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QRadioButton;
class QSpinBox;
class QVBoxLayout;

namespace peakscope {

class RangeDialog : public QDialog
{
    Q_OBJECT

public:
    RangeDialog(const QString& path, const LargeSnapshot& file, QWidget* parent = nullptr);

    SnapshotRange range() const; // begins before it ends where the button is enabled
    QPushButton* openButton() const { return m_open; }
    QString what() const;    // the file and the memory there is
    QString verdict() const; // what is said under the fields

private:
    enum class Way { Last, Events, Seconds };
    template <typename Field>
    Field* addField(const char* name, double most, double value);
    QRadioButton* addWay(QVBoxLayout* layout, const char* name, std::initializer_list<QWidget*> fields);
    Way way() const;
    void check();
    void sayTexts();
    QString fault() const; // empty: it can be read
    QString command() const;

    const QString m_path;
    const LargeSnapshot m_file;
    QLabel* m_what = nullptr;
    QRadioButton* m_ways[3] = {};
    QLabel* m_to[2] = {}; // between the fields of events, and of seconds
    QSpinBox *m_last = nullptr, *m_first = nullptr, *m_end = nullptr;
    QDoubleSpinBox *m_from = nullptr, *m_until = nullptr;
    QLabel* m_verdict = nullptr;
    QPushButton* m_open = nullptr;
};

} // namespace peakscope
