// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/command_palette.h"

#include "widgets/look/pieces.h"
#include "widgets/plot/plot_view.h"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QSet>
#include <QTimer>
#include <QTreeWidget>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kNotAsItIs = 1000; // of a score: only the letters are there

const QString kStep = QStringLiteral(" › ");

QString keysOf(const QAction& action)
{
    QStringList keys;
    for (const QKeySequence& sequence : action.shortcuts())
        keys << sequence.toString(QKeySequence::NativeText);
    return keys.join(QStringLiteral(", "));
}

void collect(const QList<QAction*>& actions, const QString& path, bool all, QSet<const QAction*>& seen,
             std::vector<PaletteEntry>& entries)
{
    for (QAction* action : actions) {
        if (action->isSeparator() || !action->isVisible() || seen.contains(action))
            continue;
        seen.insert(action);
        const QString text = path + plainActionText(action->text());
        if (action->menu())
            collect(action->menu()->actions(), text + kStep, all, seen, entries);
        else if (!action->text().isEmpty() && (all || action->isEnabled()))
            entries.push_back({text, keysOf(*action), action});
    }
}

// Letters of `word` in their order within `text`; how far they are spread, -1 where one is missing.
int spreadOf(const QString& text, const QString& word)
{
    qsizetype at = -1;
    qsizetype first = -1;
    for (const QChar letter : word) {
        at = text.indexOf(letter, at + 1);
        if (at < 0)
            return -1;
        first = first < 0 ? at : first;
    }
    return static_cast<int>(at - first + 1 - word.size());
}

} // namespace

QString withoutKeyMarks(QString text)
{
    static const QRegularExpression marks(QStringLiteral("\\(&.\\)|&"));
    return text.remove(marks);
}

QString plainActionText(const QString& text)
{
    return withoutKeyMarks(text).remove(u'…').trimmed();
}

int paletteScore(const QString& text, const QString& wanted)
{
    const QString where = text.toLower();
    int score = 0;
    for (const QString& word : wanted.toLower().split(u' ', Qt::SkipEmptyParts)) {
        const qsizetype at = where.indexOf(word);
        if (at >= 0) {
            score += at == 0 || !where[at - 1].isLetter() ? 0 : 10; // the beginning of a word is meant first
            continue;
        }
        const int spread = spreadOf(where, word);
        if (spread < 0)
            return -1;
        score += kNotAsItIs + spread;
    }
    return score;
}

int paletteScore(const PaletteEntry& entry, const QString& wanted)
{
    const int named = paletteScore(entry.text, wanted);
    if (entry.words.isEmpty() || (named >= 0 && named < kNotAsItIs))
        return named;
    constexpr int kByOtherWords = 100;
    const int known = paletteScore(entry.text + u' ' + entry.words, wanted);
    return known >= 0 && known < kNotAsItIs ? kByOtherWords + known : named;
}

std::vector<PaletteEntry> paletteEntries(const QList<QMenu*>& menus, const QWidget& window, bool all)
{
    std::vector<PaletteEntry> entries;
    QSet<const QAction*> seen;
    for (const QMenu* menu : menus)
        collect(menu->actions(), plainActionText(menu->title()) + kStep, all, seen, entries);
    for (const PlotView* view : window.findChildren<PlotView*>()) {
        if (view->isVisible())
            collect(view->actions(), view->title() + kStep, all, seen, entries);
    }
    return entries;
}

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent), m_entries(std::move(entries))
{
    setWindowTitle(tr("Commands"));
    resize(fontMetrics().averageCharWidth() * 84, fontMetrics().height() * 24);
    auto* layout = makeBox<QVBoxLayout>(this, {8, 8, 8, 8});
    m_field = new QLineEdit(this);
    m_field->setPlaceholderText(tr("What do you want to do?"));
    m_field->setAccessibleName(tr("A part of a command's name"));
    m_field->installEventFilter(this);
    setFocusProxy(m_field);
    m_field->setFocus(); // whoever opens this types at once
    m_list = new QTreeWidget(this);
    m_list->setColumnCount(2);
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAccessibleName(tr("Commands"));
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    layout->addWidget(m_field);
    layout->addWidget(m_list, 1);
    m_none = new QLabel(tr("Nothing has that name: no command, panel, result, setting or page of help."), this);
    m_none->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(m_none);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_list, &QTreeWidget::itemActivated, this, &CommandPalette::run);
    connect(m_list, &QTreeWidget::itemClicked, this, &CommandPalette::run);
    fill();
}

// Arrows walk through the list while one goes on typing.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown) {
            constexpr int kPage = 10;
            const int by = key == Qt::Key_Up ? -1 : key == Qt::Key_Down ? 1 : key == Qt::Key_PageUp ? -kPage : kPage;
            const int row = m_list->indexOfTopLevelItem(m_list->currentItem()) + by;
            if (const int count = m_list->topLevelItemCount(); count > 0)
                m_list->setCurrentItem(m_list->topLevelItem(std::clamp(row, 0, count - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void CommandPalette::fill()
{
    std::vector<std::pair<int, std::size_t>> fitting;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (const int score = paletteScore(m_entries[i], m_field->text()); score >= 0)
            fitting.emplace_back(score, i);
    }
    std::stable_sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    m_list->clear();
    QList<QTreeWidgetItem*> items;
    for (const auto& [score, index] : fitting) {
        auto* item = new QTreeWidgetItem({m_entries[index].text, m_entries[index].keys});
        item->setData(0, Qt::UserRole, static_cast<int>(index));
        items << item;
    }
    m_list->addTopLevelItems(items);
    m_list->setCurrentItem(m_list->topLevelItem(0));
    m_none->setVisible(items.isEmpty());
}

void CommandPalette::run()
{
    const QTreeWidgetItem* item = m_list->currentItem();
    if (!item || !isVisible())
        return;
    const PaletteEntry entry = m_entries[static_cast<std::size_t>(item->data(0, Qt::UserRole).toInt())];
    accept();
    // Once this window is gone: what is done may look at what is in front.
    if (QAction* action = entry.action)
        QTimer::singleShot(0, action, [action] {
            if (action->isEnabled())
                action->trigger();
        });
    else if (entry.owner)
        QTimer::singleShot(0, entry.owner, entry.run);
}

} // namespace peakscope
