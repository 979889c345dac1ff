// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of the library, grouped, sorted and filtered; two levels: groups and lines. Thousands of lines are filtered
// within a key stroke: the model does it itself and resets once. GUI thread.
#pragma once

#include <QAbstractItemModel>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <vector>

namespace peakscope {

// Who has put a line there.
enum class LibrarySection { Runs, Open, Saved, Recent };

struct LibraryLine {
    int run = 0;  // of the queue; 0: a file; below 0: a job that is no run, by its number
    QString path; // empty: nothing of it is saved
    LibrarySection section = LibrarySection::Saved;
    QString title;
    QString detail; // the second line
    QString tip;
    int state = -1;       // of RunState; -1: not known
    double fraction = -1; // below 0: no progress bar
    QString model, method, status;
    std::int64_t peakBytes = 0;
    double stepSeconds = 0;
    qint64 time = 0; // milliseconds since 1970; the newest first
    QStringList tags;
    QString note;

    QString search; // made by the model: everything above in lower case
};

class LibraryModel : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum class Sort { Newest, Name, Peak, StepTime, Status };
    enum class Group { Place, Model, Method, Status, Tag, None };

    using QAbstractItemModel::QAbstractItemModel;

    // Adds a line, or replaces the one of the same run or path.
    void put(LibraryLine line);
    void removeRun(int run);
    void removePath(const QString& path); // of any section but the runs
    // All lines of a section at once, as they come.
    void replace(LibrarySection section, std::vector<LibraryLine> lines);

    // Where own runs are saved: they, what comes with the program, and what comes from elsewhere stand apart.
    void setFolder(const QString& folder);
    // Words that all must occur; "tag:NAME" looks in tags only.
    void setFilter(const QString& text);
    void setSort(Sort sort);
    void setGroup(Group group);

    int total() const { return static_cast<int>(m_lines.size()); }
    int shown() const; // after the filter
    // Where a line is shown; invalid where the filter hides it.
    QModelIndex findRun(int run) const;
    QModelIndex findPath(const QString& path) const;
    const LibraryLine* line(const QModelIndex& index) const; // null for a group
    // Of all lines, shown or not: that of the run which saved the file, else the file's own; null where there is none.
    const LibraryLine* known(const QString& path) const;
    bool holdsPath(const QString& path, LibrarySection except) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex&) const override { return 1; }
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Shelf {
        QString title;
        std::vector<std::size_t> lines; // indexes of m_lines
    };

    bool matches(const LibraryLine& line) const;
    bool before(const LibraryLine& a, const LibraryLine& b) const;
    QStringList groupsOf(const LibraryLine& line) const;
    void change(const std::function<void()>& lines);
    template <typename Fits>
    QModelIndex find(Fits fits) const;

    std::vector<LibraryLine> m_lines;
    std::vector<Shelf> m_shelves; // shown
    QString m_folder;
    QStringList m_words, m_tagWords;
    Sort m_sort = Sort::Newest;
    Group m_group = Group::Place;
};

} // namespace peakscope
