// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's legend and read-out in one: components in stack order with their bytes at the cursor, the total, and
// what changed since the reference. Part of MemoryTimelineView; GUI thread.
#pragma once

#include "core/results/component_reading.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace peakscope {

class TimelineLegend : public QWidget
{
    Q_OBJECT
public:
    struct Readout {
        QString time;  // "2.413 s" or "At the peak"
        QString place; // "Step 2 · Backward"; may be empty
        ComponentBytes bytes{};
        std::optional<ComponentBytes> reference; // bytes at the reference cursor
        QString referenceText;                   // "Δ from 1.2 s"
        std::int64_t reservedBytes = 0;          // 0: not known
        std::optional<std::int64_t> chosenBytes; // of the part that is pointed out
    };

    explicit TimelineLegend(QWidget* parent = nullptr);

    // Components listed, the top of the stack first.
    void setComponents(const std::vector<Component>& components);
    // Phases of the run with the colours of the strip, under the components.
    void setPhases(const std::vector<Phase>& phases);
    // Whether components that are not decided yet are hatched: their swatches, and a row that says so.
    void setDoubt(ComponentDoubt doubt);
    ComponentDoubt doubt() const { return m_doubt; }
    void setComponentVisible(Component component, bool visible);
    void setReadout(const Readout& readout);
    // Wide enough for every name and the columns shown.
    int preferredWidth() const;
    // What a row shows: for tests and for copying.
    QString valueText(Component component) const;
    QString totalText() const;
    QString chosenText() const; // of the part that is pointed out; empty: none is
    QString placeText() const;

signals:
    void preferredWidthChanged();
    void componentToggled(peakscope::Component component, bool visible);

protected:
    void changeEvent(QEvent* event) override;

private:
    QTreeWidgetItem* itemOf(Component component) const;
    void fill(QTreeWidgetItem* item, std::int64_t bytes, std::optional<std::int64_t> reference);
    void setInk(QTreeWidgetItem* item);
    void resizeColumns();
    void fillTree();
    void sayNames();

    QLabel* m_time = nullptr;
    QLabel* m_place = nullptr;
    QTreeWidget* m_tree = nullptr;
    QTreeWidgetItem* m_total = nullptr;
    QTreeWidgetItem* m_reserved = nullptr;
    QTreeWidgetItem* m_chosen = nullptr;
    std::vector<Component> m_components;
    std::vector<Phase> m_phases;
    ComponentDoubt m_doubt = ComponentDoubt::None;
    int m_deltaWidth = 0;
};

} // namespace peakscope
