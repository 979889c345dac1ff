// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/palette_sources.h"

#include "app/form/experiment_form.h"
#include "app/form/form_section.h"
#include "app/library/library_panel.h"
#include "app/window/help_drawer.h"
#include "widgets/plot/plot_view.h"

#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QSet>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTreeView>

namespace peakscope {

namespace {

// Words of the field and of other programs, in both languages. By the name of an action or of a page of help.
QString otherWords(const QString& name)
{
    static const QHash<QString, QString> words{
        {"program", "dry run gpu vram fit oom out of memory torchrun command python script 显存 试运行 脚本"},
        {"open", "load import snapshot pickle trace csv oom out of memory 快照 导入"},
        {"export", "figure pdf svg png paper picture image save plot 论文 插图 导出"},
        {"board", "figures page panels subfigures paper 论文 拼图"},
        {"compare", "diff difference side by side versus 对比 比较"},
        {"newRun", "train profile model vram memory budget start 训练 显存"},
        {"newSweep", "grid batch sequence scan search scaling 扫描 网格"},
        {"compareMethods", "dp-sgd ghost clipping vanilla flash privacy 隐私 裁剪"},
        {"machines", "ssh server remote cluster gpu host 服务器 远程"},
        {"wholePanel", "maximise maximize fullscreen full screen 最大化 全屏"},
        {"restoreLayout", "reset docks panels windows 重置 布局"},
        {"keys", "shortcuts keyboard mouse hotkeys 快捷键"},
        {"help", "docs documentation manual handbook explain f1 文档 手册"},
        {"demo", "example sample tour 示例"},
        {"demoResult", "example sample tour 示例"},
        {"libraryFolder", "results directory storage path 目录 路径"},
        {"workspace:plan", "will it fit vram oom capacity which gpu batch 显存 放得下"},
        {"workspace:analyse", "umap classes noise clusters statistics 聚类 噪声"},
        {"workspace:run", "memory timeline vram profile 显存 时间线"},
        {"snapshots", "oom out of memory vram fragmentation leak pickle cuda segment 显存 碎片 快照"},
        {"dry-runs", "fit batch gpu vram oom without a gpu 试运行 显存"},
        {"planning", "will it fit vram oom capacity lora qlora offload 显存 规划"},
        {"components", "activations gradients optimizer optimiser states workspace budget 激活 梯度 优化器"},
        {"curvature", "hessian trace eigenvalues spectrum lanczos sharpness 曲率 特征值"},
        {"perturbation", "noise classes wfunc wsens wboth hedges memorisation membership attack 噪声 成员推断"},
        {"embedding", "umap neighbours neighbors dimension 降维"},
        {"figures", "export paper pdf caption preset font 论文 字体"},
        {"start", "install window language theme dark light font 安装 语言 主题"},
        {"sharding", "zero fsdp ddp ranks distributed multi gpu 分布式"},
        {"servers", "ssh slurm remote cluster 服务器"},
        {"record", "pytorch own program hook trainer 记录"},
        {"experiment", "settings options keys json config 设置 配置"},
        {"estimates", "formulas prediction accuracy 公式 预测"},
        {"tutorials/out-of-memory", "oom vram crash fix 显存 溢出"},
        {"tutorials/will-it-fit", "vram oom batch gpu 显存"},
        {"tutorials/dp-sgd", "privacy clipping 隐私"},
    };
    return words.value(name);
}

// Of those that the page in front has room for: a panel that waits in a tab is one, what stands for another kind of
// result is none.
bool canBeShown(const PlotView* view)
{
    if (!view->showsPlot())
        return false;
    const QWidget* child = view;
    for (const QWidget* at = view->parentWidget(); at; child = std::exchange(at, at->parentWidget())) {
        const auto* pages = qobject_cast<const QStackedWidget*>(at);
        if (pages && !qobject_cast<const QTabWidget*>(at->parentWidget()) && pages->currentWidget() != child)
            return false;
    }
    return true;
}

void showPanel(QWidget* panel)
{
    for (QWidget* at = panel; at; at = at->parentWidget()) {
        if (auto* dock = qobject_cast<QDockWidget*>(at)) {
            dock->show();
            dock->raise();
        }
        if (auto* tabs = qobject_cast<QTabWidget*>(at)) {
            for (int i = 0; i < tabs->count(); ++i) {
                if (tabs->widget(i)->isAncestorOf(panel) || tabs->widget(i) == panel)
                    tabs->setCurrentIndex(i);
            }
        }
    }
    panel->setFocus();
}

void showSetting(QWidget* field)
{
    for (QWidget* at = field; at; at = at->parentWidget()) {
        if (auto* section = qobject_cast<FormSection*>(at))
            section->setOpen(true);
    }
    field->setFocus(Qt::ShortcutFocusReason);
}

} // namespace

std::vector<PaletteEntry> PaletteSources::entries(const QList<QMenu*>& menus, QMainWindow* window, HelpDrawer* help)
{
    std::vector<PaletteEntry> entries = paletteEntries(menus, *window);
    for (PaletteEntry& entry : entries)
        entry.words = otherWords(entry.action->objectName());
    addPanels(entries, window);
    addResults(entries, window);
    addSettings(entries, window);
    addHelp(entries, help);
    QSet<QString> seen; // two of one name are told apart nowhere
    std::erase_if(entries, [&seen](const PaletteEntry& entry) {
        const bool twice = !entry.action && seen.contains(entry.text);
        seen.insert(entry.text);
        return twice;
    });
    return entries;
}

void PaletteSources::addPanels(std::vector<PaletteEntry>& entries, const QMainWindow* window)
{
    for (PlotView* view : window->findChildren<PlotView*>()) {
        if (canBeShown(view))
            entries.push_back(
                {.text = tr("Panel › %1").arg(view->title()), .owner = view, .run = [view] { showPanel(view); }});
    }
}

void PaletteSources::addResults(std::vector<PaletteEntry>& entries, const QMainWindow* window)
{
    auto* library = window->findChild<LibraryPanel*>();
    const LibraryModel* model = library->model();
    for (int group = 0; group < model->rowCount(); ++group) {
        for (int row = 0; row < model->rowCount(model->index(group, 0)); ++row) {
            const LibraryLine* line = model->line(model->index(row, 0, model->index(group, 0)));
            if (line && !line->path.isEmpty())
                entries.push_back({.text = tr("Result › %1").arg(line->title),
                                   .words = line->search,
                                   .owner = library,
                                   .run = [library, path = line->path] { emit library->fileSelected(path); }});
        }
    }
}

void PaletteSources::addSettings(std::vector<PaletteEntry>& entries, const QMainWindow* window)
{
    const QPointer<QAction> newRun = window->findChild<QAction*>(QStringLiteral("newRun"), Qt::FindDirectChildrenOnly);
    auto* form = window->findChild<ExperimentForm*>();
    if (!form || !newRun)
        return;
    for (const QLabel* label : form->findChildren<QLabel*>()) {
        QWidget* field = label->buddy();
        if (field && !label->isHidden() && !label->text().isEmpty())
            entries.push_back(
                {.text = tr("Setting of a run › %1").arg(withoutKeyMarks(label->text())), .owner = field, .run = [=] {
                     newRun->trigger();
                     showSetting(field);
                 }});
    }
}

void PaletteSources::addHelp(std::vector<PaletteEntry>& entries, HelpDrawer* help)
{
    for (const HelpPage& page : HelpDrawer::pages())
        entries.push_back({.text = tr("Help › %1").arg(page.title),
                           .words = otherWords(page.name),
                           .owner = help,
                           .run = [help, name = page.name] { help->open(name); }});
}

} // namespace peakscope
