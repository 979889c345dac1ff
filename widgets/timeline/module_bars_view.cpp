// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/module_bars_view.h"

#include "widgets/look/component_palette.h"
#include "widgets/plot/legend_strip.h"
#include "widgets/text/bytes_text.h"

#include <QActionGroup>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <map>

namespace peakscope {

namespace {

QString kindTitle(std::optional<ModuleKind> kind)
{
    return kind ? moduleKindTitle(*kind) : ModuleBarsView::tr("Other");
}

struct Group {
    QString name; // of the row
    QString label;
    int modules = 0;
    std::int64_t parameters = 0, gradients = 0, activations = 0;

    std::int64_t total() const { return parameters + gradients + activations; }
};

Group keyOf(const ModuleUsage& module, ModuleBarsView::Grouping grouping)
{
    Group group;
    const QString name = QString::fromStdString(module.name);
    switch (grouping) {
    case ModuleBarsView::Grouping::Kind:
        group.name = module.kind ? QString::fromStdString(std::string(peakscope::name(*module.kind))) : QString();
        group.label = kindTitle(module.kind);
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
    }
    if (grouping == ModuleBarsView::Grouping::Kind)
        std::stable_sort(groups.begin(), groups.end(),
                         [](const Group& a, const Group& b) { return a.total() > b.total(); });
    return groups;
}

QString forwardText()
{
    return ModuleBarsView::tr("Forward: increase between hooks");
}

QString backwardText()
{
    return ModuleBarsView::tr("Backward: increase between hooks");
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

void ModuleBarsView::setModules(std::vector<ModuleUsage> modules, bool hookIncreases)
{
    m_hookIncreases = hookIncreases;
    setTitle([hookIncreases] { return hookIncreases ? tr("Hook increases") : tr("Modules"); });
    m_modules = std::move(modules);
    setPlaceholder([none = m_modules.empty()] { return none ? tr("This result holds no modules.") : QString(); });
    rebuild();
}

void ModuleBarsView::clear()
{
    m_modules.clear();
    m_hookIncreases = false;
    setTitle([] { return tr("Modules"); });
    setPlaceholder([] { return tr("The model's modules appear here when the run has measured them."); });
    rebuild();
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
    std::vector<BarRow> rows;
    for (const Group& group : grouped(m_modules, m_grouping)) {
        BarRow row;
        row.name = group.name;
        row.label = group.label;
        row.tooltip = tooltipText(group, m_hookIncreases);
        Bar bar;
        const auto add = [&bar](std::int64_t bytes, Component component, const QString& name) {
            bar.segments.push_back({static_cast<double>(bytes), componentColor(component), Qt::NoPen, name});
        };
        if (m_hookIncreases) { // in the order in which they come about
            add(group.activations, Component::Activations, forwardText());
            add(group.gradients, Component::Gradients, backwardText());
        } else {
            add(group.parameters, Component::Parameters, tr("parameters"));
            add(group.gradients, Component::Gradients, tr("gradients"));
            add(group.activations, Component::Activations, tr("activations"));
        }
        bar.valueText = bytesText(group.total());
        row.bars.push_back(std::move(bar));
        rows.push_back(std::move(row));
    }
    std::vector<LegendStrip::Entry> entries;
    if (m_hookIncreases)
        entries = {{forwardText(), componentColor(Component::Activations), Qt::NoPen},
                   {backwardText(), componentColor(Component::Gradients), Qt::NoPen}};
    else
        for (Component component : {Component::Parameters, Component::Gradients, Component::Activations})
            entries.push_back({componentTitle(component), componentColor(component), Qt::NoPen});
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
    return tr("Modules: %1. The most memory belongs to %2: parameters %3, gradients %4, activations %5.")
        .arg(QLocale().toString(static_cast<qlonglong>(m_modules.size())), kinds.front().label,
             bytesText(kinds.front().parameters), bytesText(kinds.front().gradients),
             bytesText(kinds.front().activations));
}

} // namespace peakscope
