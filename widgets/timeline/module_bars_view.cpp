// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/module_bars_view.h"

#include "core/results/module_kind.h"
#include "widgets/look/component_palette.h"
#include "widgets/look/theme.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/text/bytes_text.h"

#include <QActionGroup>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace peakscope {

namespace {

QString kindTitle(std::optional<ModuleKind> kind)
{
    return kind ? moduleKindTitle(*kind) : ModuleBarsView::tr("Other");
}

struct Group {
    QString name; // of the row
    QString label;
    int modules = 0;                                             // 0: what is no module's
    std::int64_t parameters = 0, gradients = 0, activations = 0; // each module's own maxima
    std::int64_t maximum = 0;                                    // of all its bytes
    ComponentBytes atPeak{};

    std::int64_t maxima() const { return parameters + gradients + activations; }
    std::int64_t peak() const { return std::accumulate(atPeak.begin(), atPeak.end(), std::int64_t{0}); }
};

Group keyOf(const ModuleUsage& module, ModuleBarsView::Grouping grouping)
{
    Group group;
    const QString name = QString::fromStdString(module.name);
    switch (grouping) {
    case ModuleBarsView::Grouping::Kind:
        if (const auto kind = kindOf(module))
            group.name = QString::fromStdString(std::string(peakscope::name(*kind)));
        group.label = kindTitle(kindOf(module));
        break;
    case ModuleBarsView::Grouping::Layer:
        group.name = moduleLayer(name);
        group.label = group.name;
        break;
    case ModuleBarsView::Grouping::Module:
        group.name = name;
        group.label = name;
        break;
    }
    return group;
}

// Groups in order of their first module; kinds largest first, since kinds have no order of their own.
std::vector<Group> grouped(const std::vector<ModuleUsage>& modules, ModuleBarsView::Grouping grouping)
{
    std::vector<Group> groups;
    std::map<QString, std::size_t> places;
    for (const ModuleUsage& module : modules) {
        const Group key = keyOf(module, grouping);
        const auto [place, isNew] = places.emplace(key.name, groups.size());
        if (isNew)
            groups.push_back(key);
        Group& group = groups[place->second];
        ++group.modules;
        group.parameters += module.parameterBytes;
        group.gradients += module.gradientBytes;
        group.activations += module.activationBytes;
        group.maximum += module.peakBytes;
        for (std::size_t i = 0; i < kComponentCount; ++i)
            group.atPeak[i] += module.atPeak ? (*module.atPeak)[i] : 0;
    }
    if (grouping == ModuleBarsView::Grouping::Kind)
        std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
            return std::pair(a.peak(), a.maxima()) > std::pair(b.peak(), b.maxima());
        });
    return groups;
}

// What of the peak is no module's: inputs, the loss, what flows between modules.
Group outside(const std::vector<Group>& groups, const ComponentBytes& atPeak)
{
    Group rest;
    rest.label = ModuleBarsView::tr("Outside modules");
    rest.atPeak = atPeak;
    for (const Group& group : groups) {
        for (std::size_t i = 0; i < kComponentCount; ++i)
            rest.atPeak[i] -= group.atPeak[i];
    }
    return rest;
}

QString forwardText()
{
    return ModuleBarsView::tr("Forward: increase between hooks");
}

QString backwardText()
{
    return ModuleBarsView::tr("Backward: increase between hooks");
}

QString peakTooltip(const Group& group)
{
    QStringList lines{QStringLiteral("<b>%1</b>").arg(group.label.toHtmlEscaped())};
    if (group.modules > 0)
        lines << ModuleBarsView::tr("Modules: %1").arg(QLocale().toString(group.modules));
    lines << ModuleBarsView::tr("At the peak: %1").arg(bytesText(group.peak()));
    const auto& order = componentStackOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        if (const std::int64_t bytes = group.atPeak[static_cast<std::size_t>(*it)]; bytes != 0)
            lines << QStringLiteral("%1: %2").arg(componentTitle(*it).toHtmlEscaped(), bytesText(bytes));
    }
    if (group.maximum > 0)
        lines << (group.modules == 1 ? ModuleBarsView::tr("Own maximum: %1")
                                     : ModuleBarsView::tr("Own maxima, summed: %1"))
                     .arg(bytesText(group.maximum));
    return lines.join(QStringLiteral("<br>"));
}

QString tooltipText(const Group& group, bool hookIncreases)
{
    if (hookIncreases)
        return ModuleBarsView::tr("<b>%1</b><br>Modules: %2<br>%3: %4<br>%5: %6")
            .arg(group.label.toHtmlEscaped(), QLocale().toString(group.modules), forwardText(),
                 bytesText(group.activations), backwardText(), bytesText(group.gradients));
    return ModuleBarsView::tr("<b>%1</b><br>Modules: %2<br>Parameters: %3<br>Gradients: %4<br>"
                              "Activations: %5 (each module's largest)")
        .arg(group.label.toHtmlEscaped(), QLocale().toString(group.modules), bytesText(group.parameters),
             bytesText(group.gradients), bytesText(group.activations));
}

} // namespace

QString moduleLayer(const QString& name)
{
    // The first number that is a part of its own: "…layers.3.self_attn", "transformer.h.11.mlp".
    static const QRegularExpression pattern(QStringLiteral("(?:^|\\.)([^.]+\\.\\d+)(?:\\.|$)"));
    const auto match = pattern.match(name);
    return match.hasMatch() ? match.captured(1) : name;
}

ModuleBarsView::ModuleBarsView(QWidget* parent)
    : BarsView([] { return tr("Modules"); }, [] { return tr("Memory"); }, parent)
{
    m_groupings = addViewChoices({{static_cast<int>(Grouping::Kind), [] { return tr("By kind"); }},
                                  {static_cast<int>(Grouping::Layer), [] { return tr("By layer"); }},
                                  {static_cast<int>(Grouping::Module), [] { return tr("One by one"); }}},
                                 static_cast<int>(m_grouping),
                                 [this](int grouping) { setGrouping(static_cast<Grouping>(grouping)); });
    clear();
}

void ModuleBarsView::setModules(std::vector<ModuleUsage> modules, const ComponentBytes& atPeak, bool hookIncreases)
{
    m_hookIncreases = hookIncreases;
    m_modules = std::move(modules);
    m_atPeak = atPeak;
    sayTitle();
    setPlaceholder([none = m_modules.empty()] { return none ? tr("This result holds no modules.") : QString(); });
    rebuild();
}

void ModuleBarsView::clear()
{
    m_modules.clear();
    m_hookIncreases = false;
    sayTitle();
    setPlaceholder([] { return tr("The model's modules appear here when the run has measured them."); });
    rebuild();
}

bool ModuleBarsView::knowsPeak() const
{
    return std::any_of(m_modules.begin(), m_modules.end(), [](const ModuleUsage& module) { return module.atPeak; });
}

void ModuleBarsView::sayTitle()
{
    explain(
        [hooks = m_hookIncreases, peak = knowsPeak() || m_modules.empty()] {
            return hooks  ? tr("A bar is what memory grew by between a module's hooks, forward and backward. It is no "
                                "part of the peak.")
                   : peak ? tr("A bar is what a module holds at the peak, by component. A pale bar is its own maximum, "
                               "at any time.")
                          : tr("A bar adds up a module's own maxima, which are of different instants.");
        },
        "components");
    setTitle([hooks = m_hookIncreases, peak = knowsPeak(), none = m_modules.empty()] {
        return hooks  ? tr("Hook increases")
               : none ? tr("Modules")
               : peak ? tr("Modules at the peak")
                      : tr("Modules: own maxima, not at one instant");
    });
}

void ModuleBarsView::setGrouping(Grouping grouping)
{
    m_grouping = grouping;
    for (QAction* action : m_groupings->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(grouping));
    rebuild();
}

void ModuleBarsView::rebuild()
{
    std::vector<Group> groups = grouped(m_modules, m_grouping);
    const bool peak = knowsPeak() && !m_hookIncreases;
    if (peak) {
        if (Group rest = outside(groups, m_atPeak); rest.peak() > 0)
            groups.push_back(std::move(rest));
    }
    ComponentBytes shown{};
    std::vector<BarRow> rows;
    for (const Group& group : groups) {
        BarRow row;
        row.name = group.name;
        row.label = group.label;
        row.tooltip = peak ? peakTooltip(group) : tooltipText(group, m_hookIncreases);
        Bar bar;
        const auto add = [&](std::int64_t bytes, Component component, const QString& name) {
            const QColor color = componentColor(component);
            bar.segments.push_back({static_cast<double>(bytes), color, Qt::NoPen, name});
            shown[static_cast<std::size_t>(component)] += bytes;
        };
        if (m_hookIncreases) { // in the order in which they come about
            add(group.activations, Component::Activations, forwardText());
            add(group.gradients, Component::Gradients, backwardText());
        } else if (peak) {
            for (const Component component : componentStackOrder()) {
                if (const std::int64_t bytes = group.atPeak[static_cast<std::size_t>(component)]; bytes > 0)
                    add(bytes, component, componentTitle(component));
            }
        } else {
            add(group.parameters, Component::Parameters, tr("parameters"));
            add(group.gradients, Component::Gradients, tr("gradients"));
            add(group.activations, Component::Activations, tr("activations"));
        }
        bar.valueText = bytesText(peak ? group.peak() : group.maxima());
        row.bars.push_back(std::move(bar));
        if (peak && group.maximum > 0) {
            const QColor ink = theme().mutedText;
            row.bars.push_back({{{static_cast<double>(group.maximum), mixed(theme().background, ink, 0.35),
                                  QPen(ink, 1), tr("own maximum")}},
                                bytesText(group.maximum)});
        }
        rows.push_back(std::move(row));
    }
    std::vector<LegendStrip::Entry> entries;
    if (m_hookIncreases) {
        entries = {{forwardText(), componentColor(Component::Activations), Qt::NoPen},
                   {backwardText(), componentColor(Component::Gradients), Qt::NoPen}};
    } else {
        for (const Component component : componentStackOrder()) {
            if (shown[static_cast<std::size_t>(component)] > 0)
                entries.push_back({componentTitle(component), componentColor(component), Qt::NoPen});
        }
    }
    if (peak)
        entries.push_back({m_grouping == Grouping::Module ? tr("Own maximum") : tr("Own maxima, summed"),
                           mixed(theme().background, theme().mutedText, 0.35), QPen(theme().mutedText, 1)});
    legend()->setEntries(rows.empty() ? std::vector<LegendStrip::Entry>{} : std::move(entries));
    setRows(std::move(rows));
}

QString ModuleBarsView::summary() const
{
    const auto kinds = grouped(m_modules, Grouping::Kind);
    if (kinds.empty())
        return tr("No modules.");
    if (m_hookIncreases)
        return tr("Modules: %1. The largest increases between hooks are those of %2: forward %3, backward %4.")
            .arg(QLocale().toString(static_cast<qlonglong>(m_modules.size())), kinds.front().label,
                 bytesText(kinds.front().activations), bytesText(kinds.front().gradients));
    if (knowsPeak())
        return tr("Modules: %1. At the peak %2 hold the most: %3 of %4.")
            .arg(QLocale().toString(static_cast<qlonglong>(m_modules.size())), kinds.front().label,
                 bytesText(kinds.front().peak()),
                 bytesText(std::accumulate(m_atPeak.begin(), m_atPeak.end(), std::int64_t{0})));
    return tr("Modules: %1. The most memory belongs to %2: parameters %3, gradients %4, activations %5.")
        .arg(QLocale().toString(static_cast<qlonglong>(m_modules.size())), kinds.front().label,
             bytesText(kinds.front().parameters), bytesText(kinds.front().gradients),
             bytesText(kinds.front().activations));
}

} // namespace peakscope
