// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the window can do and show by typing a part of its name or another word for it, with its keys beside. GUI
// thread.
#pragma once

#include <QDialog>
#include <QKeySequence>
#include <QList>
#include <QPointer>
#include <QString>

#include <functional>
#include <vector>

class QAction;
class QLabel;
class QLineEdit;
class QMenu;
class QTreeWidget;
class QWidget;

namespace peakscope {

struct PaletteEntry {
    QString text; // "View › Theme › Dark", without marks of keys
    QString keys = {}; // its shortcuts, as the system writes them
    QPointer<QAction> action = {};
    QString words = {}; // that people look for it by, beside its text
    // In place of an action; while its owner lives.
    QPointer<QObject> owner = {};
    std::function<void()> run = {};
};

// What can be done now: everything in the menus and in the bars of the plots to be seen, in their order, once.
// `all`: what can't be done just now as well.
std::vector<PaletteEntry> paletteEntries(const QList<QMenu*>& menus, const QWidget& window, bool all = false);
// Without the key marks, "&New…" and "新建(&N)…" alike.
QString withoutKeyMarks(QString text);
// "&New run…" or "新建(&N)" as words.
QString plainActionText(const QString& text);
// Whether all words occur in the text, each as it is or letter by letter in their order; lower is better, -1: not.
int paletteScore(const QString& text, const QString& wanted);
// By its text, or by its other words where they hold all that is wanted as it is.
int paletteScore(const PaletteEntry& entry, const QString& wanted);

class CommandPalette : public QDialog
{
    Q_OBJECT

public:
    explicit CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent = nullptr);

    QLineEdit* field() const { return m_field; }
    QTreeWidget* list() const { return m_list; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    void run();

    std::vector<PaletteEntry> m_entries;
    QLineEdit* m_field = nullptr;
    QTreeWidget* m_list = nullptr;
    QLabel* m_none = nullptr;
};

} // namespace peakscope
