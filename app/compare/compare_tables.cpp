// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_tables.h"

#include "app/compare/compare_snapshots.h"
#include "app/compare/compare_words.h"
#include "core/results/plain_columns.h"
#include "widgets/tables/usage_tables.h"

namespace peakscope {

CompareTables::CompareTables(QWidget* parent) : TableTabs(parent)
{
    setUsesScrollButtons(true);
    for (std::size_t i = 0; i < kComparisonGroupCount; ++i) {
        const auto group = static_cast<ComparisonGroup>(i);
        add(QString::fromStdString(std::string(name(group))), [group] {
            return comparisonGroupTitle(group);
        })->setPlaceholder([] { return tr("None of these runs holds any."); });
    }
    add(QStringLiteral("changes"), [this] { return grownTitle(); })->setPlaceholder([] {
        return tr("Two CUDA memory snapshots show which line holds more.");
    });
    add(QStringLiteral("settings"), [] { return tr("Settings"); })->setPlaceholder([] {
        return tr("The runs have the same settings.");
    });
    add(QStringLiteral("growth"), [] { return tr("Growth"); })->setPlaceholder([] {
        return tr("Three runs or more that differ only in sequence, batch, rank or size show how the peak grows.");
    });
    add(QStringLiteral("notes"), [] { return tr("Not comparable"); })->setPlaceholder([] {
        return tr("No reservations about comparing these runs.");
    });
}

QString CompareTables::grownTitle() const
{
    return m_grownAt == "end" ? tr("A to B, at ends") : tr("A to B, at peaks");
}

void CompareTables::setComparison(const RunComparison& comparison, const std::vector<RunDocument>& runs)
{
    startAnew();
    for (std::size_t i = 0; i < kComparisonGroupCount; ++i) {
        const auto group = static_cast<ComparisonGroup>(i);
        table(QString::fromStdString(std::string(name(group))))->setTable(comparisonTable(comparison, group));
    }
    table(QStringLiteral("settings"))->setTable(settingsTable(comparison));
    const bool snapshots = sharedAxis(runs).has_value();
    const int changes = indexOf(table(QStringLiteral("changes")));
    table(QStringLiteral("changes"))->setTable(grownTable(runs));
    m_grownAt = grownAt(runs);
    setTabText(changes, grownTitle());
    setTabVisible(changes, snapshots);
    if (snapshots && currentIndex() == 0)
        setCurrentIndex(changes);
    Table growth{
        "growth", plainColumns({"quantity", "setting", "exponent", "standard_error", "low_95", "high_95", "runs"}), {}};
    for (const ScalingFit& fit : comparison.fits) {
        growth.rows.push_back({fit.quantity == "peak_bytes" ? std::string("peak") : std::string("step"), fit.setting,
                               fit.fit.exponent, fit.fit.standardError, fit.fit.low, fit.fit.high, fit.fit.points});
    }
    table(QStringLiteral("growth"))->setTable(std::move(growth));
    Table notes{"notes", {{"note", ""}}, {}};
    for (const QString& caveat : caveatTexts(comparison))
        notes.rows.push_back({caveat.toStdString()});
    table(QStringLiteral("notes"))->setTable(std::move(notes));
}

} // namespace peakscope
