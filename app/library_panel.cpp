// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library_panel.h"

#include "app/icons.h"
#include "app/library_delegate.h"
#include "core/base/units.h"

#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace peakscope {

namespace {

QString bytesText(std::int64_t bytes)
{
    return QString::fromStdString(formatBytes(bytes));
}

QString detailOf(const RunInfo& info)
{
    if (info.state == RunState::Running && info.remainingSeconds)
        return LibraryPanel::tr("running · %1 left").arg(QString::fromStdString(formatSeconds(*info.remainingSeconds)));
    const RunResult* result = info.outcome.result.get();
    if (result && result->memory)
        return LibraryPanel::tr("%1 · peak %2").arg(stateTitle(info.state), bytesText(result->memory->peakBytes));
    return stateTitle(info.state);
}

QString fileDetail(const QString& path)
{
    const QFileInfo file(path);
    if (!file.exists())
        return LibraryPanel::tr("not there any more");
    return QLocale().toString(file.lastModified(), QLocale::ShortFormat) + QStringLiteral(" · ") +
           bytesText(file.size());
}

QStandardItem* newLine(int id, const QString& path)
{
    auto* item = new QStandardItem;
    item->setEditable(false);
    item->setData(id, LibraryDelegate::IdRole);
    item->setData(path, LibraryDelegate::PathRole);
    item->setData(-1, LibraryDelegate::StateRole);
    item->setData(-1.0, LibraryDelegate::FractionRole);
    return item;
}

void fillLine(QStandardItem* item, const QString& title, const QString& detail)
{
    item->setText(title);
    item->setData(detail, LibraryDelegate::DetailRole);
    item->setData(title + u' ' + detail, LibraryDelegate::SearchRole);
    item->setData(title + QStringLiteral(", ") + detail, Qt::AccessibleTextRole);
}

} // namespace

QString stateTitle(RunState state)
{
    switch (state) {
    case RunState::Queued:
        return LibraryPanel::tr("queued");
    case RunState::Running:
        return LibraryPanel::tr("running");
    case RunState::Stopping:
        return LibraryPanel::tr("stopping");
    case RunState::Complete:
        return LibraryPanel::tr("complete");
    case RunState::OverBudget:
        return LibraryPanel::tr("over budget");
    case RunState::Failed:
        return LibraryPanel::tr("failed");
    case RunState::Interrupted:
        return LibraryPanel::tr("interrupted");
    }
    return {};
}

LibraryPanel::LibraryPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->setSpacing(4);
    m_filter = new QLineEdit(this);
    m_filter->setPlaceholderText(tr("Filter runs"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(tr("Filter of the library"));
    m_filter->addAction(glyphIcon(Glyph::Search), QLineEdit::LeadingPosition);
    m_view = new QTreeView(this);
    m_view->setHeaderHidden(true);
    m_view->setRootIsDecorated(false);
    m_view->setIndentation(0);
    m_view->setItemDelegate(new LibraryDelegate(m_view));
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setAccessibleName(tr("Library of runs and results"));
    layout->addWidget(m_filter);
    layout->addWidget(m_view, 1);
    m_empty = new QLabel(tr("Runs and results you open stand here. Drop a result file anywhere on the window to open "
                            "it."),
                         m_view->viewport());
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_empty->setContentsMargins(8, 8, 8, 8);
    auto* cover = new QVBoxLayout(m_view->viewport());
    cover->setContentsMargins(0, 0, 0, 0);
    cover->addWidget(m_empty);

    m_model = new QStandardItemModel(this);
    const QString titles[] = {tr("Runs"), tr("Open"), tr("Saved"), tr("Recent files")};
    for (int section = 0; section < SectionCount; ++section) {
        m_sections[section] = new QStandardItem(titles[section]);
        m_sections[section]->setFlags(Qt::ItemIsEnabled);
        m_model->appendRow(m_sections[section]);
    }
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setRecursiveFilteringEnabled(true);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setFilterRole(LibraryDelegate::SearchRole);
    m_view->setModel(m_proxy);

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_proxy->setFilterFixedString(text);
        updateSections();
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &LibraryPanel::onCurrentChanged);
    connect(m_view, &QTreeView::activated, this, &LibraryPanel::onCurrentChanged);
    connect(m_view, &QTreeView::customContextMenuRequested, this, &LibraryPanel::onContextMenu);
    updateSections();
}

QStandardItem* LibraryPanel::findRun(int id) const
{
    for (int row = 0; row < m_sections[Runs]->rowCount(); ++row) {
        QStandardItem* item = m_sections[Runs]->child(row);
        if (item->data(LibraryDelegate::IdRole).toInt() == id)
            return item;
    }
    return nullptr;
}

QStandardItem* LibraryPanel::findFile(const QString& path) const
{
    for (QStandardItem* section : m_sections) {
        for (int row = 0; row < section->rowCount(); ++row) {
            QStandardItem* item = section->child(row);
            if (item->data(LibraryDelegate::PathRole).toString() == path)
                return item;
        }
    }
    return nullptr;
}

void LibraryPanel::showRun(const RunInfo& info)
{
    QStandardItem* item = findRun(info.id);
    const bool added = !item;
    if (added) {
        item = newLine(info.id, {});
        m_sections[Runs]->insertRow(0, item);
    }
    const bool running = info.state == RunState::Running || info.state == RunState::Stopping;
    fillLine(item, info.title, detailOf(info));
    item->setData(static_cast<int>(info.state), LibraryDelegate::StateRole);
    item->setData(running ? info.fraction : -1.0, LibraryDelegate::FractionRole);
    item->setToolTip(info.outcome.message.isEmpty() ? info.title : info.outcome.message);
    if (!info.outcome.path.isEmpty())
        item->setData(info.outcome.path, LibraryDelegate::PathRole);
    if (added)
        updateSections();
}

void LibraryPanel::removeRun(int id)
{
    if (QStandardItem* item = findRun(id))
        m_sections[Runs]->removeRow(item->row());
    updateSections();
}

void LibraryPanel::showDocument(const RunDocument& document)
{
    QStandardItem* item = findFile(document.path);
    if (item && item->parent() != m_sections[Opened] && item->parent() != m_sections[Runs]) {
        item->parent()->removeRow(item->row());
        item = nullptr;
    }
    if (!item) {
        item = newLine(0, document.path);
        m_sections[Opened]->insertRow(0, item);
    }
    const RunResult& result = *document.result;
    QString detail = stateTitle(runState(result.status));
    if (result.memory)
        detail = tr("%1 · peak %2").arg(detail, bytesText(result.memory->peakBytes));
    fillLine(item, resultTitle(result), detail);
    item->setData(static_cast<int>(runState(result.status)), LibraryDelegate::StateRole);
    item->setToolTip(document.path);
    updateSections();
}

void LibraryPanel::setFiles(const LibraryIndex& library, const QStringList& recent)
{
    const QString current = currentFile();
    m_selecting = true;
    constexpr int kSavedShown = 200;
    fillFiles(Saved, library.files(kSavedShown), library);
    fillFiles(Recent, recent, library);
    m_selecting = false;
    updateSections();
    if (!current.isEmpty() && currentFile() != current)
        selectFile(current);
}

void LibraryPanel::fillFiles(Section section, const QStringList& files, const LibraryIndex& library)
{
    QStandardItem* parent = m_sections[section];
    parent->removeRows(0, parent->rowCount());
    for (const QString& path : files) {
        if (findFile(path))
            continue;
        QStandardItem* item = newLine(0, path);
        if (const std::optional<LibraryEntry> entry = library.find(path)) {
            const QString when = QLocale().toString(QFileInfo(path).lastModified(), QLocale::ShortFormat);
            fillLine(item, entry->title, bytesText(entry->peakBytes) + QStringLiteral(" · ") + when);
            item->setData(static_cast<int>(runState(entry->status)), LibraryDelegate::StateRole);
        } else {
            fillLine(item, QFileInfo(path).fileName(), fileDetail(path));
        }
        item->setToolTip(path);
        parent->appendRow(item);
    }
}

void LibraryPanel::updateSections()
{
    bool empty = true;
    for (const QStandardItem* section : m_sections)
        empty = empty && section->rowCount() == 0;
    m_empty->setVisible(empty);
    for (QStandardItem* section : m_sections) {
        const QModelIndex index = m_proxy->mapFromSource(section->index());
        m_view->setRowHidden(index.row(), {}, section->rowCount() == 0);
        m_view->setExpanded(index, true);
    }
}

void LibraryPanel::selectItem(QStandardItem* item)
{
    m_selecting = true;
    m_view->setCurrentIndex(item ? m_proxy->mapFromSource(item->index()) : QModelIndex());
    m_selecting = false;
}

void LibraryPanel::selectRun(int id)
{
    selectItem(findRun(id));
}

void LibraryPanel::selectFile(const QString& path)
{
    selectItem(findFile(path));
}

int LibraryPanel::currentRun() const
{
    return m_view->currentIndex().data(LibraryDelegate::IdRole).toInt();
}

QString LibraryPanel::currentFile() const
{
    return m_view->currentIndex().data(LibraryDelegate::PathRole).toString();
}

void LibraryPanel::onCurrentChanged(const QModelIndex& current)
{
    if (m_selecting || !current.parent().isValid())
        return;
    const int id = current.data(LibraryDelegate::IdRole).toInt();
    if (id > 0)
        emit runSelected(id);
    else
        emit fileSelected(current.data(LibraryDelegate::PathRole).toString());
}

void LibraryPanel::onContextMenu(const QPoint& position)
{
    const QModelIndex index = m_view->indexAt(position);
    const int id = index.data(LibraryDelegate::IdRole).toInt();
    if (!index.parent().isValid() || id <= 0)
        return;
    const auto state = static_cast<RunState>(index.data(LibraryDelegate::StateRole).toInt());
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (isFinished(state))
        menu->addAction(tr("Remove from the list"), this, [this, id] { emit removeRequested(id); });
    else
        menu->addAction(glyphIcon(Glyph::Stop), tr("Stop"), this, [this, id] { emit cancelRequested(id); });
    menu->popup(m_view->viewport()->mapToGlobal(position));
}

} // namespace peakscope
