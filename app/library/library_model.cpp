// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/library/library_model.h"

#include "app/library/documents.h"
#include "app/library/library_delegate.h"
#include "widgets/text/plain_text.h"

#include <QCollator>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <tuple>

namespace peakscope {

namespace {

constexpr quintptr kGroup = ~quintptr{0}; // internal id of groups; that of lines is their group's row

// In the order of the groups.
enum class Place { Own, Import, Sample };

QString placeTitle(Place place)
{
    switch (place) {
    case Place::Own:
        return LibraryModel::tr("Own runs");
    case Place::Import:
        return LibraryModel::tr("Imports");
    case Place::Sample:
        return LibraryModel::tr("Samples");
    }
    return {};
}

bool isIn(const QString& path, const QString& folder)
{
    return !folder.isEmpty() && path.startsWith(folder + u'/');
}

// By path alone, so that a line stands where it stood before a restart.
Place placeOf(const LibraryLine& line, const QString& folder)
{
    static const QString samples = QFileInfo(sampleFile(Sample::Training)).absolutePath();
    if (line.run != 0 || isIn(line.path, folder))
        return Place::Own;
    return isIn(line.path, samples) ? Place::Sample : Place::Import;
}

bool sameLine(const LibraryLine& a, const LibraryLine& b)
{
    return a.run != 0 || b.run != 0 ? a.run == b.run : a.path == b.path;
}

} // namespace

void LibraryModel::put(LibraryLine line)
{
    line.search = (line.title + u' ' + line.detail + u' ' + line.model + u' ' + line.method + u' ' + line.status +
                   u' ' + line.tags.join(u' ') + u' ' + line.note)
                      .toLower();
    const auto found = std::find_if(m_lines.begin(), m_lines.end(),
                                    [&line](const LibraryLine& other) { return sameLine(line, other); });
    if (found == m_lines.end()) {
        change([&] { m_lines.insert(m_lines.begin(), std::move(line)); });
        return;
    }
    // Progress changes what a line says, not where it stands.
    const bool stays = groupsOf(*found) == groupsOf(line) && !before(*found, line) && !before(line, *found) &&
                       matches(*found) == matches(line);
    if (!stays) {
        change([&] { *found = std::move(line); });
        return;
    }
    *found = std::move(line);
    const QModelIndex place = found->run != 0 ? findRun(found->run) : findPath(found->path);
    if (place.isValid())
        emit dataChanged(place, place);
}

void LibraryModel::removeRun(int run)
{
    change([&] { std::erase_if(m_lines, [run](const LibraryLine& line) { return line.run == run; }); });
}

void LibraryModel::removePath(const QString& path)
{
    change([&] {
        std::erase_if(m_lines, [&path](const LibraryLine& line) { return line.run == 0 && line.path == path; });
    });
}

void LibraryModel::replace(LibrarySection section, std::vector<LibraryLine> lines)
{
    change([&] {
        std::erase_if(m_lines, [section](const LibraryLine& line) { return line.section == section; });
        for (LibraryLine& line : lines) {
            line.section = section;
            line.search = (line.title + u' ' + line.detail + u' ' + line.model + u' ' + line.method + u' ' +
                           line.status + u' ' + line.tags.join(u' ') + u' ' + line.note)
                              .toLower();
            m_lines.push_back(std::move(line));
        }
    });
}

void LibraryModel::setFolder(const QString& folder)
{
    const QString whole = QFileInfo(folder).absoluteFilePath();
    if (m_folder == whole)
        return;
    m_folder = whole;
    change([] {});
}

void LibraryModel::setFilter(const QString& text)
{
    static const QRegularExpression spaces(QStringLiteral("\\s+"));
    m_words.clear();
    m_tagWords.clear();
    for (const QString& word : text.toLower().split(spaces, Qt::SkipEmptyParts)) {
        if (word.startsWith(QLatin1String("tag:")))
            m_tagWords << word.mid(4);
        else
            m_words << word;
    }
    change([] {});
}

void LibraryModel::setSort(Sort sort)
{
    m_sort = sort;
    change([] {});
}

void LibraryModel::setGroup(Group group)
{
    m_group = group;
    change([] {});
}

bool LibraryModel::matches(const LibraryLine& line) const
{
    const bool words = std::all_of(m_words.begin(), m_words.end(),
                                   [&line](const QString& word) { return line.search.contains(word); });
    return words && std::all_of(m_tagWords.begin(), m_tagWords.end(), [&line](const QString& word) {
               return std::any_of(line.tags.begin(), line.tags.end(),
                                  [&word](const QString& tag) { return tag.startsWith(word, Qt::CaseInsensitive); });
           });
}

// What is not known comes last, whatever the order.
bool LibraryModel::before(const LibraryLine& a, const LibraryLine& b) const
{
    switch (m_sort) {
    case Sort::Newest:
        return a.time > b.time;
    case Sort::Name:
        return a.title.localeAwareCompare(b.title) < 0;
    case Sort::Peak:
        return a.peakBytes > b.peakBytes;
    case Sort::StepTime:
        return std::pair(!(a.stepSeconds > 0), a.stepSeconds) < std::pair(!(b.stepSeconds > 0), b.stepSeconds);
    case Sort::Status:
        return a.status < b.status;
    }
    return false;
}

QStringList LibraryModel::groupsOf(const LibraryLine& line) const
{
    const auto orUnknown = [](const QString& text) { return text.isEmpty() ? tr("not known") : text; };
    switch (m_group) {
    case Group::Place:
        return {QString::number(static_cast<int>(placeOf(line, m_folder)))};
    case Group::Model:
        return {orUnknown(line.model)};
    case Group::Method:
        return {orUnknown(line.method)};
    case Group::Status:
        return {orUnknown(line.status)};
    case Group::Tag:
        return line.tags.isEmpty() ? QStringList{tr("no tag")} : line.tags; // under each of its tags
    case Group::None:
        return {tr("All")};
    }
    return {};
}

// Whoever keeps a selection through it looks at the lines while they are still those that the places mean.
void LibraryModel::change(const std::function<void()>& lines)
{
    beginResetModel();
    lines();
    std::map<QString, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        if (!matches(m_lines[i]))
            continue;
        for (const QString& group : groupsOf(m_lines[i]))
            groups[group].push_back(i);
    }
    m_shelves.clear();
    for (auto& [key, lines] : groups) {
        // The queue and the recent files keep their own order unless another one was asked for.
        std::stable_sort(lines.begin(), lines.end(),
                         [this](std::size_t a, std::size_t b) { return before(m_lines[a], m_lines[b]); });
        const QString title = m_group == Group::Place ? placeTitle(static_cast<Place>(key.toInt())) : key;
        m_shelves.push_back({title, std::move(lines)});
    }
    endResetModel();
}

int LibraryModel::shown() const
{
    std::size_t sum = 0;
    for (const Shelf& shelf : m_shelves)
        sum += shelf.lines.size();
    return static_cast<int>(sum);
}

template <typename Fits>
QModelIndex LibraryModel::find(Fits fits) const
{
    for (std::size_t shelf = 0; shelf < m_shelves.size(); ++shelf) {
        const auto& lines = m_shelves[shelf].lines;
        for (std::size_t row = 0; row < lines.size(); ++row) {
            if (fits(m_lines[lines[row]]))
                return createIndex(static_cast<int>(row), 0, static_cast<quintptr>(shelf));
        }
    }
    return {};
}

QModelIndex LibraryModel::findRun(int run) const
{
    return run == 0 ? QModelIndex() : find([run](const LibraryLine& line) { return line.run == run; });
}

QModelIndex LibraryModel::findPath(const QString& path) const
{
    return path.isEmpty() ? QModelIndex() : find([&path](const LibraryLine& line) { return line.path == path; });
}

const LibraryLine* LibraryModel::known(const QString& path) const
{
    const LibraryLine* found = nullptr;
    for (const LibraryLine& line : m_lines) {
        if (!path.isEmpty() && line.path == path && (!found || line.section == LibrarySection::Runs))
            found = &line;
    }
    return found;
}

bool LibraryModel::holdsPath(const QString& path, LibrarySection except) const
{
    return std::any_of(m_lines.begin(), m_lines.end(),
                       [&](const LibraryLine& line) { return line.section != except && line.path == path; });
}

const LibraryLine* LibraryModel::line(const QModelIndex& index) const
{
    if (!index.isValid() || index.internalId() == kGroup || index.internalId() >= m_shelves.size())
        return nullptr;
    const auto& lines = m_shelves[index.internalId()].lines;
    const auto row = static_cast<std::size_t>(index.row());
    return row < lines.size() ? &m_lines[lines[row]] : nullptr;
}

QModelIndex LibraryModel::index(int row, int column, const QModelIndex& parent) const
{
    if (column != 0 || row < 0 || row >= rowCount(parent))
        return {};
    return createIndex(row, 0, parent.isValid() ? static_cast<quintptr>(parent.row()) : kGroup);
}

QModelIndex LibraryModel::parent(const QModelIndex& index) const
{
    if (!index.isValid() || index.internalId() == kGroup)
        return {};
    return createIndex(static_cast<int>(index.internalId()), 0, kGroup);
}

int LibraryModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_shelves.size());
    if (parent.internalId() != kGroup || parent.row() >= static_cast<int>(m_shelves.size()))
        return 0;
    return static_cast<int>(m_shelves[static_cast<std::size_t>(parent.row())].lines.size());
}

QVariant LibraryModel::data(const QModelIndex& index, int role) const
{
    const LibraryLine* line = this->line(index);
    if (!line) {
        if (!index.isValid() || role != Qt::DisplayRole || index.row() >= static_cast<int>(m_shelves.size()))
            return {};
        const Shelf& shelf = m_shelves[static_cast<std::size_t>(index.row())];
        return tr("%1 (%2)", "group (number of runs)")
            .arg(shelf.title, QLocale().toString(qlonglong(shelf.lines.size())));
    }
    switch (role) {
    case Qt::DisplayRole:
        return line->title;
    case Qt::ToolTipRole:
        return plainToolTip(line->note.isEmpty() ? line->tip : line->tip + u'\n' + line->note);
    case Qt::AccessibleTextRole:
        return QString(line->title + QStringLiteral(", ") + line->detail);
    case LibraryDelegate::IdRole:
        return line->run;
    case LibraryDelegate::PathRole:
        return line->path;
    case LibraryDelegate::DetailRole: {
        QStringList parts{line->detail};
        for (const QString& tag : line->tags)
            parts << u'#' + tag;
        return parts.join(QStringLiteral(" "));
    }
    case LibraryDelegate::StateRole:
        return line->state;
    case LibraryDelegate::FractionRole:
        return line->fraction;
    default:
        return {};
    }
}

Qt::ItemFlags LibraryModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    return line(index) ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren : Qt::ItemIsEnabled;
}

} // namespace peakscope
