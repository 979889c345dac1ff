// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/table_model.h"

#include "core/base/units.h"
#include "core/results/plans/plan_document.h"
#include "widgets/analysis/analysis_style.h"
#include "widgets/curvature/curvature_scales.h"
#include "widgets/curvature/hessian_memory_style.h"
#include "widgets/look/component_palette.h"
#include "widgets/plan/strategy_style.h"
#include "widgets/sweep/sweep_style.h"
#include "widgets/tables/table_columns.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/holder_words.h"
#include "widgets/text/number_text.h"
#include "widgets/text/plain_text.h"
#include "widgets/text/reading_text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace peakscope {

namespace {

// Quantities that comparisons list, under their names in files.
constexpr std::pair<const char*, const char*> kQuantityWords[] = {
    {"peak", QT_TRANSLATE_NOOP("peakscope::TableModel", "Peak")},
    {"peak_requested", QT_TRANSLATE_NOOP("peakscope::TableModel", "Peak, as requested")},
    {"peak_reserved", QT_TRANSLATE_NOOP("peakscope::TableModel", "Peak, reserved")},
    {"peak_resident", QT_TRANSLATE_NOOP("peakscope::TableModel", "Peak, resident process")},
    {"predicted_peak", QT_TRANSLATE_NOOP("peakscope::TableModel", "Predicted peak")},
    {"planned_at_most", QT_TRANSLATE_NOOP("peakscope::TableModel", "Planned for at most")},
    {"step", QT_TRANSLATE_NOOP("peakscope::TableModel", "Step")},
    {"token", QT_TRANSLATE_NOOP("peakscope::TableModel", "Step, per token")},
    {"modules_forward", QT_TRANSLATE_NOOP("peakscope::TableModel", "Forward, sum of the modules")},
    {"modules_backward", QT_TRANSLATE_NOOP("peakscope::TableModel", "Backward, sum of the modules")}};

// Where the values of a plan's table come from.
constexpr const char* kSourceWords[] = {QT_TRANSLATE_NOOP("peakscope::TableModel", "predicted"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel", "measured"),
                                        QT_TRANSLATE_NOOP("peakscope::TableModel", "impossible")};
// Of what a snapshot's doctor offers, beside the verdicts on plans.
constexpr const char* kRemedyWords[] = {
    QT_TRANSLATE_NOOP("peakscope::TableModel", "grows with every step"),
    QT_TRANSLATE_NOOP("peakscope::TableModel", "may grow"),
    QT_TRANSLATE_NOOP("peakscope::TableModel", "fits this request; the next steps fail again"),
    QT_TRANSLATE_NOOP("peakscope::TableModel", "look here"),
    QT_TRANSLATE_NOOP("peakscope::TableModel", "less reserved"),
    QT_TRANSLATE_NOOP("peakscope::TableModel", "less at the peak")};

// Of a sweep's points.
constexpr std::pair<const char*, const char*> kStatusWords[] = {
    {"complete", QT_TRANSLATE_NOOP("peakscope::TableModel", "complete")},
    {"failed", QT_TRANSLATE_NOOP("peakscope::TableModel", "failed")},
    {"over_budget", QT_TRANSLATE_NOOP("peakscope::TableModel", "over budget")},
    {"waiting", QT_TRANSLATE_NOOP("peakscope::TableModel", "waiting")},
    {"interrupted", QT_TRANSLATE_NOOP("peakscope::TableModel", "interrupted")},
    {"left_out", QT_TRANSLATE_NOOP("peakscope::TableModel", "left out")}};

const ColumnText* columnText(const TableColumn& column)
{
    const auto found = std::find_if(std::begin(ColumnTexts::kAll), std::end(ColumnTexts::kAll),
                                    [&column](const ColumnText& text) { return column.name == text.name; });
    return found == std::end(ColumnTexts::kAll) ? nullptr : found;
}

// The columns of comparisons: "A", "B-A", "B/A".
bool isDifference(const TableColumn& column)
{
    return column.name.size() >= 3 && column.name.find('-') != std::string::npos;
}

bool isRatio(const TableColumn& column)
{
    return column.unit == "ratio";
}

QString comparedTip(const TableColumn& column)
{
    const QString name = QString::fromStdString(column.name);
    if (isDifference(column))
        return TableModel::tr("%1 less %2", "difference").arg(name.section(u'-', 0, 0), name.section(u'-', 1, 1));
    if (isRatio(column))
        return TableModel::tr("%1 as a multiple of %2").arg(name.section(u'/', 0, 0), name.section(u'/', 1, 1));
    return {};
}

// "alive_bytes@5.9 s": what was alive at an instant.
std::optional<QString> instantOf(const TableColumn& column)
{
    constexpr std::string_view kAlive = "alive_bytes@";
    return column.name.starts_with(kAlive) ? std::optional(QString::fromStdString(column.name.substr(kAlive.size())))
                                           : std::nullopt;
}

QString columnTitle(const TableColumn& column)
{
    if (const auto when = instantOf(column))
        return TableModel::tr("At %1", "an instant").arg(*when);
    if (const ColumnText* text = columnText(column))
        return TableModel::tr(text->title);
    if (isDifference(column))
        return QString::fromStdString(column.name).replace(u'-', QChar(0x2212));
    // "optimizer_states_bytes": what a component takes
    constexpr std::string_view kBytes = "_bytes";
    if (column.name.ends_with(kBytes)) {
        if (const auto component = componentFromName(column.name.substr(0, column.name.size() - kBytes.size())))
            return componentTitle(*component);
    }
    if (column.name.find('.') != std::string::npos) // a key of a sweep, called here as in its other views
        return sweepKeyTitle(column.name);
    QString title = QString::fromStdString(column.name);
    if (column.unit == "bytes" && column.name.ends_with(kBytes))
        title.chop(kBytes.size()); // each cell says its unit
    title.replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!title.isEmpty())
        title[0] = title[0].toUpper();
    return title;
}

bool isShare(const TableColumn& column)
{
    return column.name.starts_with("share");
}

bool isNumber(const TableCell& cell)
{
    return !std::holds_alternative<std::string>(cell);
}

double numberOf(const TableCell& cell)
{
    if (const auto* integer = std::get_if<std::int64_t>(&cell))
        return static_cast<double>(*integer);
    const auto* real = std::get_if<double>(&cell);
    return real ? *real : std::nan("");
}

// "Wfunc: cannot_be_told, Wsens: supported": what was found of each class.
QString conclusionsText(const std::string& text)
{
    QStringList parts = QString::fromStdString(text).split(QStringLiteral(", "));
    for (QString& part : parts) {
        if (const qsizetype colon = part.lastIndexOf(QStringLiteral(": ")); colon >= 0)
            part = part.left(colon + 2) + verdictTitle(part.mid(colon + 2).toStdString());
    }
    return parts.join(QStringLiteral(", "));
}

// "activations, gradients", as a row that holds several has it; empty: these are no components.
std::vector<Component> componentsOf(const std::string& text)
{
    std::vector<Component> several;
    for (const QString& word : QString::fromStdString(text).split(QStringLiteral(", "))) {
        const auto component = componentFromName(word.toStdString());
        if (!component)
            return {};
        several.push_back(*component);
    }
    return several;
}

// Words of files ("optimizer_step") in the user's language.
QString textOf(const std::string& text, const TableColumn& column)
{
    if (column.name == "component") {
        if (const auto several = componentsOf(text); !several.empty()) {
            QStringList titles;
            for (const Component component : several)
                titles << componentTitle(component);
            return titles.join(QStringLiteral(", "));
        }
        constexpr std::string_view kCumulated = "_cumulated"; // a row of comparisons
        if (text.ends_with(kCumulated)) {
            if (const auto component = componentFromName(text.substr(0, text.size() - kCumulated.size())))
                return TableModel::tr("%1, %2", "component, how it was read")
                    .arg(componentTitle(*component), readingText(ComponentReading::Cumulated));
        }
    } else if (column.name == "phase") {
        if (const auto phase = phaseFromName(text))
            return phaseTitle(*phase);
        return holderText(text);
    } else if (column.name == "kind") {
        if (const auto kind = moduleKindFromName(text))
            return moduleKindTitle(*kind);
        if (text == "other")
            return curvatureKindTitle(kModuleKindCount);
    } else if (column.name == "block_method") {
        return text == "exact" ? TableModel::tr("exact") : TableModel::tr("estimated");
    } else if (column.name == "times" && !text.empty()) {
        return TableModel::tr("machine too busy to compare");
    } else if (column.name == "diagonal") {
        return diagonalTitle(text);
    } else if (column.name == "estimate") {
        return estimateTitle(text);
    } else if (column.name == "data") {
        return text == "synthetic" ? TableModel::tr("synthetic") : QString::fromStdString(text);
    } else if (column.name == "hessian_strategy") {
        if (const auto kind = fromName<HessianStrategyKind>(text))
            return hessianStrategyTitle(*kind);
    } else if (column.name == "what" || column.name == "line" || column.name == "freed_line") {
        if (const auto component = column.name == "what" ? componentFromName(text) : std::nullopt)
            return componentTitle(*component);
        return holderText(text);
    } else if (column.name == "change") {
        return planChangeText(text);
    } else if (column.name == "how") {
        return remedyText(text);
    } else if (column.name == "tier") {
        if (const auto tier = fromName<Tier>(text))
            return tierTitle(*tier);
    } else if (column.name == "verdict") {
        if (const auto verdict = verdictFromName(text))
            return verdictTitle(*verdict);
        for (const char* word : kRemedyWords) {
            if (text == word)
                return TableModel::tr(word);
        }
        return verdictTitle(text);
    } else if (column.name == "conclusions") {
        return conclusionsText(text);
    } else if (column.name == "quantity") {
        for (const auto& [word, title] : kQuantityWords) {
            if (text == word)
                return TableModel::tr(title);
        }
    } else if (column.name == "status") {
        for (const auto& [word, title] : kStatusWords) {
            if (text == word)
                return TableModel::tr(title);
        }
    } else if (column.name == "cell") {
        if (text == kDryCell)
            return sweepStateTitle(SweepCellState::Measured, true);
        if (text == kDryOverCell)
            return sweepStateTitle(SweepCellState::OverBudget, true);
        if (const auto state = fromName<SweepCellState>(text))
            return sweepStateTitle(*state);
    } else if (column.name == "source") {
        for (const char* word : kSourceWords) {
            if (text == word)
                return TableModel::tr(word);
        }
    }
    return QString::fromStdString(text);
}

QString displayText(const TableCell& cell, const TableColumn& column)
{
    if (const auto* text = std::get_if<std::string>(&cell))
        return textOf(*text, column);
    const double number = numberOf(cell);
    if (!std::isfinite(number))
        return QStringLiteral("–");
    const QString sign = number < 0                           ? QString(QChar(0x2212))
                         : isDifference(column) && number > 0 ? QStringLiteral("+")
                                                              : QString();
    if (column.unit == "bytes")
        return sign + largeBytesText(std::abs(number));
    if (column.unit == "seconds")
        return sign + QString::fromStdString(formatSeconds(std::abs(number)));
    if (isRatio(column))
        return QStringLiteral("×") + QLocale().toString(number, 'f', number < 9.995 ? 3 : 1);
    if (isShare(column))
        return TableModel::tr("%1 %").arg(QLocale().toString(100 * number, 'f', 1));
    if (const auto* integer = std::get_if<std::int64_t>(&cell))
        return QLocale().toString(static_cast<qlonglong>(*integer));
    return compactNumber(number, 5);
}

QString exactText(const TableCell& cell, const TableColumn& column)
{
    if (const auto* text = std::get_if<std::string>(&cell))
        return textOf(*text, column);
    const double number = numberOf(cell);
    if (!std::isfinite(number))
        return TableModel::tr("not measured");
    if (column.unit == "bytes")
        return TableModel::tr("%1 bytes").arg(QLocale().toString(number, 'f', 0));
    if (column.unit == "seconds")
        return TableModel::tr("%1 s").arg(QLocale().toString(number, 'f', 9));
    return QLocale().toString(number, 'g', 12);
}

QPixmap swatch(const QColor& color, int side)
{
    QPixmap pixmap(side, side);
    pixmap.fill(color);
    return pixmap;
}

} // namespace

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TableModel::setTable(Table table)
{
    // A short row would be a programmer's error elsewhere; it must not become an out-of-range read here.
    for (auto& row : table.rows)
        row.resize(table.columns.size());
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

void TableModel::retranslate()
{
    if (columnCount() == 0)
        return;
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::DisplayRole, Qt::ToolTipRole});
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto& cell = m_table.rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    const TableColumn& column = m_table.columns[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return displayText(cell, column);
    case Qt::ToolTipRole:
        return plainToolTip(exactText(cell, column));
    case Qt::TextAlignmentRole:
        return static_cast<int>((isNumber(cell) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::DecorationRole:
        if (const auto* text = std::get_if<std::string>(&cell); text && column.name == "component") {
            if (const auto several = componentsOf(*text); !several.empty())
                return swatch(componentColor(several.front()), QFontMetrics(QApplication::font()).ascent());
        }
        return {};
    case SortRole:
        if (const auto* text = std::get_if<std::string>(&cell))
            return QString::fromStdString(*text);
        if (const auto* integer = std::get_if<std::int64_t>(&cell))
            return static_cast<qlonglong>(*integer);
        return std::isfinite(numberOf(cell)) ? QVariant(numberOf(cell)) : QVariant();
    default:
        return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const TableColumn& column = m_table.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return columnTitle(column);
    if (role == Qt::ToolTipRole) {
        const ColumnText* text = columnText(column);
        if (const auto when = instantOf(column))
            return tr("Bytes alive at %1; they sum to the curve there").arg(*when);
        if (text)
            return text->tip ? tr(text->tip) : QVariant();
        const QString tip = comparedTip(column);
        return tip.isEmpty() ? QVariant() : tip;
    }
    if (role == Qt::TextAlignmentRole) {
        const bool number = !m_table.rows.empty() && isNumber(m_table.rows.front()[static_cast<std::size_t>(section)]);
        return static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    return {};
}

} // namespace peakscope
