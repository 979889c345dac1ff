// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/library_panel.h"

#include "app/jobs/sweep_files.h"
#include "app/library/file_words.h"
#include "app/library/library_delegate.h"
#include "app/parts/icons.h"
#include "app/parts/session.h"
#include "core/base/units.h"
#include "widgets/look/pieces.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QDateTime>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QMenu>
#include <QItemSelection>
#include <QTreeView>

#include <algorithm>
#include <limits>
#include <utility>

namespace peakscope {

namespace {

qint64 lastWritten(const QString& path)
{
    return QFileInfo(path).lastModified().toMSecsSinceEpoch();
}

// "peak 370 MiB · 14:03 · complete · memory_result.json": what is told first is what tells most, for the panel may be
// narrow. A name of digits tells nothing.
QString detailOf(std::int64_t peakBytes, qint64 time, const QString& status, const QString& path)
{
    QStringList parts;
    if (peakBytes > 0)
        parts << LibraryPanel::tr("peak %1").arg(bytesText(peakBytes));
    parts << whenText(time) << status;
    if (!path.isEmpty() && !isNamedByProgram(path))
        parts << QFileInfo(shownPath(path)).fileName();
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

QString detailOf(const RunInfo& info)
{
    if (info.state == RunState::Running && info.remainingSeconds)
        return LibraryPanel::tr("running · %1 left").arg(QString::fromStdString(formatSeconds(*info.remainingSeconds)));
    const RunResult* result = info.outcome.result.get();
    const QString& file = info.outcome.path;
    // Why there is no result stands nowhere else.
    const QString status =
        isFinished(info.state) && !result && !info.outcome.message.isEmpty()
            ? LibraryPanel::tr("%1: %2", "how a run ended, why").arg(stateTitle(info), info.outcome.message)
            : stateTitle(info);
    return detailOf(result && result->memory ? result->memory->peakBytes : 0,
                    isFinished(info.state) && !file.isEmpty() ? lastWritten(file) : 0, status, {});
}

QString fileDetail(const QString& path)
{
    const QFileInfo file(path);
    if (!file.exists())
        return LibraryPanel::tr("not there any more");
    return whenText(lastWritten(path)) + QStringLiteral(" · ") + bytesText(file.size());
}

// Of an open file.
void sayState(LibraryLine& line, RunState state, const QString& status)
{
    line.state = static_cast<int>(state);
    line.status = status;
    line.detail = detailOf(line.peakBytes, line.time, line.status, line.path);
}

void sayItems(QComboBox* choice, const QStringList& texts)
{
    for (int i = 0; i < texts.size(); ++i)
        i < choice->count() ? choice->setItemText(i, texts[i]) : choice->addItem(texts[i]);
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

QString stateTitle(const RunInfo& info)
{
    return info.state == RunState::Interrupted && !info.begun ? LibraryPanel::tr("not run") : stateTitle(info.state);
}

QString stateTitle(const RunResult& result, RunState state)
{
    return result.recording && state == RunState::Failed ? LibraryPanel::tr("out of memory") : stateTitle(state);
}

LibraryPanel::LibraryPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this, {4, 4, 4, 4}, 4);
    m_model = new LibraryModel(this);
    buildControls();
    m_view = new QTreeView(this);
    m_view->setHeaderHidden(true);
    m_view->setRootIsDecorated(false);
    m_view->setIndentation(0);
    m_view->setItemDelegate(new LibraryDelegate(m_view));
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setModel(m_model);
    layout->addWidget(m_view, 1);
    m_empty = new QLabel(m_view->viewport());
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_empty->setContentsMargins(8, 8, 8, 8);
    auto* cover = makeBox<QVBoxLayout>(m_view->viewport());
    cover->addWidget(m_empty);
    buildNotes();

    connect(m_model, &QAbstractItemModel::modelAboutToBeReset, this, &LibraryPanel::keepSelection);
    connect(m_model, &QAbstractItemModel::modelReset, this, &LibraryPanel::restoreSelection);
    // One line that is selected is shown; several are gathered for a comparison.
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        showNotes();
        const QModelIndexList selected = m_view->selectionModel()->selectedIndexes();
        if (selected.size() == 1)
            open(selected.front());
    });
    connect(m_view, &QTreeView::activated, this, &LibraryPanel::open);
    connect(m_view, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const LibraryLine* line = m_model->line(index);
        if (line && line->run < 0)
            emit jobSelected(-line->run); // also where it was selected before: its dialog may be closed
        else if (line && line->run == 0)
            emit fileClicked(QString(line->path));
    });
    connect(m_view, &QTreeView::customContextMenuRequested, this, &LibraryPanel::onContextMenu);
    restoreSelection();
    inLanguage(this, [this] {
        m_view->setAccessibleName(tr("Library of runs and results"));
        sayEmpty();
    });
}

void LibraryPanel::buildControls()
{
    m_filter = new QLineEdit(this);
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(glyphIcon(Glyph::Search), QLineEdit::LeadingPosition);
    connect(m_filter, &QLineEdit::textChanged, m_model, &LibraryModel::setFilter);
    m_sort = new QComboBox(this);
    m_group = new QComboBox(this);
    connect(m_sort, &QComboBox::currentIndexChanged, m_model,
            [this](int index) { m_model->setSort(static_cast<LibraryModel::Sort>(index)); });
    connect(m_group, &QComboBox::currentIndexChanged, m_model,
            [this](int index) { m_model->setGroup(static_cast<LibraryModel::Group>(index)); });
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    for (QComboBox* box : {m_sort, m_group}) {
        box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // a narrow panel stays one
        row->addWidget(box, 1);
    }
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->addWidget(m_filter);
    column->addLayout(row);
    inLanguage(this, [this] {
        m_filter->setPlaceholderText(tr("Filter runs"));
        m_filter->setToolTip(
            tr("All words must occur in name, model, method, status, tags or note; tag:NAME looks in tags"));
        m_filter->setAccessibleName(tr("Filter of the library"));
        sayItems(m_sort, {tr("Newest"), tr("By name"), tr("Highest peak"), tr("Fastest step"), tr("By status")});
        sayItems(m_group, {tr("In sections"), tr("Per model"), tr("Per method"), tr("Per status"), tr("Per tag"),
                           tr("Not grouped")});
        m_sort->setToolTip(tr("Order of the runs"));
        m_sort->setAccessibleName(m_sort->toolTip());
        m_group->setToolTip(tr("How the runs are grouped"));
        m_group->setAccessibleName(m_group->toolTip());
    });
}

void LibraryPanel::buildNotes()
{
    m_notes = new QWidget(this);
    auto* form = new QFormLayout(m_notes);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(4);
    m_tags = new QLineEdit(m_notes);
    m_note = new QLineEdit(m_notes);
    addRow(form, m_tags, [] { return tr("Tags"); });
    addRow(form, m_note, [] { return tr("Note"); });
    layout()->addWidget(m_notes);
    m_notes->hide();
    connect(m_tags, &QLineEdit::editingFinished, this, &LibraryPanel::saveNotes);
    connect(m_note, &QLineEdit::editingFinished, this, &LibraryPanel::saveNotes);
    inLanguage(this, [this] {
        m_tags->setPlaceholderText(tr("several with commas"));
        m_tags->setToolTip(tr("Stored beside the results in the library folder, not inside them"));
        m_note->setToolTip(m_tags->toolTip());
        m_tags->setAccessibleName(tr("Tags of the selected result"));
        m_note->setPlaceholderText(tr("for yourself"));
        m_note->setAccessibleName(tr("Note on the selected result"));
    });
}

void LibraryPanel::showRun(const RunInfo& info)
{
    const bool running = info.state == RunState::Running || info.state == RunState::Stopping;
    LibraryLine line;
    line.run = info.id;
    line.path = isFinished(info.state) ? info.outcome.path : info.path;
    if (const LibraryLine* known = m_model->known(line.path); known && known->run == 0)
        m_model->removePath(line.path); // it goes on with that one
    line.section = LibrarySection::Runs;
    line.title = info.title;
    line.detail = detailOf(info);
    line.tip = info.outcome.message.isEmpty() ? info.title : info.outcome.message;
    line.state = static_cast<int>(info.state);
    line.fraction = running ? info.fraction : -1.0;
    line.status = stateTitle(info);
    // What is over stands among the files by its own; before that, and without one, above all of them.
    line.time = isFinished(info.state) && !line.path.isEmpty()
                    ? lastWritten(line.path)
                    : std::numeric_limits<qint64>::max() - 1'000'000 + info.id;
    if (info.outcome.result) {
        const LibraryEntry entry = libraryEntry(info.title, *info.outcome.result);
        line.model = entry.model;
        line.method = entry.method;
        line.peakBytes = entry.peakBytes;
        line.stepSeconds = entry.stepSeconds;
    }
    m_model->put(std::move(line));
}

void LibraryPanel::removeRun(int id)
{
    m_model->removeRun(id);
}

void LibraryPanel::showDocument(const RunDocument& document)
{
    const RunResult& result = *document.result;
    const LibraryLine* known = m_model->known(document.path);
    if (known && known->section == LibrarySection::Runs)
        return; // the run's own line has it
    LibraryLine line;
    if (known) {
        line.tags = known->tags;
        line.note = known->note;
    }
    if (known && known->section != LibrarySection::Open)
        m_model->removePath(document.path); // it moves up from where it stood
    const LibraryEntry entry = libraryEntry(resultTitle(result), result);
    line.path = document.path;
    line.section = LibrarySection::Open;
    line.title = entry.title;
    line.tip = document.path;
    line.model = entry.model;
    line.method = entry.method;
    line.peakBytes = entry.peakBytes;
    line.stepSeconds = entry.stepSeconds;
    line.time = lastWritten(fileOfDocument(document.path));
    const RunState state = m_waiting.contains(document.path) ? RunState::Queued : runState(result, document.path);
    sayState(line, state, stateTitle(result, state));
    m_model->put(std::move(line));
}

void LibraryPanel::removeFile(const QString& path)
{
    m_model->removePath(path);
}

void LibraryPanel::setWaiting(const QStringList& files)
{
    m_waiting = files;
    for (const QString& file : files)
        setState(file, RunState::Queued);
}

void LibraryPanel::setState(const QString& path, RunState state, double fraction)
{
    const LibraryLine* known = m_model->known(path);
    if (!known || known->section != LibrarySection::Open)
        return;
    LibraryLine line = *known;
    sayState(line, state, stateTitle(state));
    line.fraction = fraction;
    m_model->put(std::move(line));
}

LibraryLine LibraryPanel::lineOf(const QString& path, const LibraryIndex& library) const
{
    LibraryLine line;
    line.path = path;
    line.tip = path;
    const QFileInfo file(path);
    if (const std::optional<LibraryEntry> entry = library.find(path); entry && entry->readable) {
        const QDateTime when =
            entry->modified > 0 ? QDateTime::fromMSecsSinceEpoch(entry->modified) : file.lastModified();
        line.title = entry->title;
        line.state = static_cast<int>(runState(entry->status));
        line.status = stateTitle(runState(entry->status));
        line.model = entry->model;
        line.method = entry->method;
        line.peakBytes = entry->peakBytes;
        line.stepSeconds = entry->stepSeconds;
        line.time = when.toMSecsSinceEpoch();
        line.detail =
            detailOf(line.peakBytes, line.time, line.status, line.title == file.fileName() ? QString() : path);
    } else {
        line.title = untoldTitle(path);
        line.detail = fileDetail(path);
        line.time = file.lastModified().toMSecsSinceEpoch();
    }
    const LibraryNote note = library.noteOf(path);
    line.tags = note.tags;
    line.note = note.note;
    return line;
}

void LibraryPanel::setFiles(const LibraryIndex& library, const QStringList& recent)
{
    const QString current = currentFile();
    m_selecting = true;
    m_model->setFolder(library.folder());
    const auto fill = [&](LibrarySection section, const QStringList& files) {
        std::vector<LibraryLine> lines;
        for (const QString& path : files) {
            if (!m_model->holdsPath(path, section))
                lines.push_back(lineOf(path, library));
        }
        m_model->replace(section, std::move(lines));
    };
    m_model->replace(LibrarySection::Recent, {}); // what is saved stands there only once
    fill(LibrarySection::Saved, library.files(-1));
    fill(LibrarySection::Recent, recent);
    m_selecting = false;
    if (!current.isEmpty() && currentFile() != current)
        selectFile(current);
}

void LibraryPanel::keepSelection()
{
    m_keptSelection.clear();
    const auto keep = [this](const QModelIndex& index) {
        if (const LibraryLine* line = m_model->line(index))
            m_keptSelection.emplace_back(line->run, line->path);
    };
    keep(m_view->currentIndex());
    if (m_keptSelection.empty())
        m_keptSelection.emplace_back(0, QString());
    for (const QModelIndex& index : m_view->selectionModel()->selectedIndexes())
        keep(index);
}

void LibraryPanel::sayEmpty()
{
    m_empty->setText(
        m_model->total() == 0
            ? tr("Opened runs and results are listed here. Drop a result file anywhere on the window to open it.")
            : tr("No run matches the filter."));
}

void LibraryPanel::restoreSelection()
{
    m_empty->setVisible(m_model->shown() == 0);
    sayEmpty();
    m_view->expandAll();
    m_selecting = true;
    for (std::size_t i = 0; i < m_keptSelection.size(); ++i) {
        const auto& [run, path] = m_keptSelection[i];
        const QModelIndex index = run != 0 ? m_model->findRun(run) : m_model->findPath(path);
        if (!index.isValid())
            continue;
        m_view->selectionModel()->select(index, QItemSelectionModel::Select);
        if (i == 0)
            m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    }
    m_selecting = false;
    showNotes();
}

void LibraryPanel::selectIndex(const QModelIndex& index)
{
    m_selecting = true;
    m_view->setCurrentIndex(index);
    m_selecting = false;
}

void LibraryPanel::selectRun(int id)
{
    selectIndex(m_model->findRun(id));
}

void LibraryPanel::selectFile(const QString& path)
{
    selectIndex(m_model->findPath(path));
}

void LibraryPanel::selectFiles(const QStringList& paths)
{
    QItemSelection lines;
    for (const QString& path : paths) {
        if (const QModelIndex line = m_model->findPath(path); line.isValid())
            lines.select(line, line);
    }
    if (lines.indexes().size() < 2) { // a line alone would be opened
        selectIndex({});
        return;
    }
    QItemSelectionModel* selection = m_view->selectionModel();
    selection->select(lines, QItemSelectionModel::ClearAndSelect);
    selection->setCurrentIndex(lines.indexes().front(), QItemSelectionModel::NoUpdate);
}

int LibraryPanel::currentRun() const
{
    return m_view->currentIndex().data(LibraryDelegate::IdRole).toInt();
}

QString LibraryPanel::currentFile() const
{
    return m_view->currentIndex().data(LibraryDelegate::PathRole).toString();
}

QStringList LibraryPanel::selectedPaths() const
{
    QModelIndexList selected = m_view->selectionModel()->selectedIndexes();
    std::sort(selected.begin(), selected.end(), [](const QModelIndex& a, const QModelIndex& b) {
        return std::pair(a.parent().row(), a.row()) < std::pair(b.parent().row(), b.row());
    });
    QStringList paths;
    for (const QModelIndex& index : std::as_const(selected)) {
        const QString path = index.data(LibraryDelegate::PathRole).toString();
        if (!path.isEmpty())
            paths << path;
    }
    paths.removeDuplicates();
    return paths;
}

void LibraryPanel::open(const QModelIndex& index)
{
    const LibraryLine* line = m_model->line(index);
    if (m_selecting || !line)
        return;
    if (const int run = line->run; run > 0)
        emit runSelected(run);
    else if (run == 0)
        emit fileSelected(QString(line->path)); // the line may go while it is shown
}

// One saved result is selected: its tags and its note can be written.
void LibraryPanel::showNotes()
{
    const QStringList paths = selectedPaths();
    const QString path = paths.size() == 1 ? paths.front() : QString();
    const LibraryLine* line = m_model->known(path);
    m_notes->setVisible(line);
    if (path == m_notesPath && (m_tags->hasFocus() || m_note->hasFocus()))
        return; // being written
    m_notesPath = line ? path : QString();
    m_tags->setText(line ? line->tags.join(QStringLiteral(", ")) : QString());
    m_note->setText(line ? line->note : QString());
}

void LibraryPanel::saveNotes()
{
    const LibraryLine* line = m_model->known(m_notesPath);
    if (!line)
        return;
    LibraryNote note;
    note.note = m_note->text().trimmed();
    for (const QString& tag : m_tags->text().split(u',')) {
        if (!tag.trimmed().isEmpty())
            note.tags << tag.trimmed();
    }
    note.tags.removeDuplicates();
    note.tags.sort(Qt::CaseInsensitive);
    if (note.tags == line->tags && note.note == line->note)
        return;
    LibraryLine changed = *line;
    changed.tags = note.tags;
    changed.note = note.note;
    m_model->put(std::move(changed));
    emit noteEdited(m_notesPath, note);
}

void LibraryPanel::onContextMenu(const QPoint& position)
{
    const QModelIndex index = m_view->indexAt(position);
    const LibraryLine* line = m_model->line(index);
    if (!line)
        return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const qsizetype selected = selectedPaths().size();
    QAction* compare = menu->addAction(glyphIcon(Glyph::Compare), tr("Compare the selected runs"), this,
                                       &LibraryPanel::compareRequested);
    compare->setEnabled(selected >= 2);
    if (!line->path.isEmpty())
        menu->addAction(tr("Tags and note…"), this, [this] { m_tags->setFocus(Qt::ShortcutFocusReason); })
            ->setEnabled(selected == 1);
    if (const int id = line->run; id != 0) {
        menu->addSeparator();
        if (id < 0)
            menu->addAction(glyphIcon(Glyph::Stop), tr("Stop"), this, [this, id] { emit jobStopRequested(-id); });
        else if (isFinished(static_cast<RunState>(line->state)))
            menu->addAction(tr("Remove from the list"), this, [this, id] { emit removeRequested(id); });
        else
            menu->addAction(glyphIcon(Glyph::Stop), tr("Stop"), this, [this, id] { emit cancelRequested(id); });
    }
    menu->popup(m_view->viewport()->mapToGlobal(position));
}

} // namespace peakscope
