// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/curvature_page.h"

#include "app/parts/dock_area.h"
#include "app/parts/table_tabs.h"
#include "core/base/units.h"
#include "widgets/curvature/curvature_convergence_view.h"
#include "widgets/curvature/curvature_histogram_view.h"
#include "widgets/curvature/curvature_layers_view.h"
#include "widgets/curvature/curvature_matrix_view.h"
#include "widgets/curvature/curvature_scales.h"
#include "widgets/curvature/curvature_spectrum_view.h"
#include "widgets/curvature/curvature_tables.h"
#include "widgets/tables/usage_tables.h"

#include <QAction>
#include <QDockWidget>
#include <QLocale>
#include <QSortFilterProxyModel>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace peakscope {

namespace {

constexpr std::initializer_list<int> kLeft{0, 4}, kRight{1, 2, 3}; // docks that are tabs of one place
constexpr int kUsualTables = 5; // awaited of a run that goes on; the others stand there once it has them
constexpr int kEntriesTable = 3;
constexpr std::int64_t kListedRows = 100'000; // of the diagonal's table; the figure's CSV has more

} // namespace

CurvaturePage::CurvaturePage(DockArea* area, TableTabs* tables, QObject* parent)
    : QObject(parent), m_area(area), m_tabs(tables)
{
    m_convergence = new CurvatureConvergenceView(area);
    m_spectrum = new CurvatureSpectrumView(area);
    m_histogram = new CurvatureHistogramView(area);
    m_layers = new CurvatureLayersView(area);
    m_matrix = new CurvatureMatrixView(area);
    m_docks << area->addDock(QStringLiteral("curvature_convergence"), m_convergence, [] { return tr("Convergence"); })
            << area->addDock(QStringLiteral("curvature_spectrum"), m_spectrum, [] { return tr("Spectrum"); })
            << area->addDock(QStringLiteral("curvature_diagonal"), m_histogram, [] { return tr("Diagonal"); })
            << area->addDock(QStringLiteral("curvature_layers"), m_layers, [] { return tr("Layers"); })
            << area->addDock(QStringLiteral("curvature_matrix"), m_matrix, [] { return tr("Matrix"); });
    for (QDockWidget* dock : m_docks) {
        area->addDockWidget(Qt::TopDockWidgetArea, dock);
        connect(dock->toggleViewAction(), &QAction::triggered, this, [this, dock](bool shown) {
            if (shown)
                m_closed.remove(dock);
            else
                m_closed.insert(dock);
        });
    }
    // Side by side first: a dock that is a tab already can't be split.
    area->splitDockWidget(m_docks[0], m_docks[1], Qt::Horizontal);
    area->tabifyDockWidget(m_docks[1], m_docks[2]);
    area->tabifyDockWidget(m_docks[2], m_docks[3]);
    m_docks[1]->raise();
    // On the other side, so that it can stand beside the spectrum.
    area->tabifyDockWidget(m_docks[0], m_docks[4]);
    m_docks[0]->raise();
    m_tables << tables->add(QStringLiteral("eigenvalues"), [] { return tr("Eigenvalues"); })
             << tables->add(QStringLiteral("blocks"), [] { return tr("Blocks"); })
             << tables->add(QStringLiteral("tensor_blocks"), [] { return tr("Pairs of tensors"); })
             << tables->add(QStringLiteral("diagonal"), [] { return tr("Diagonal entries"); })
             << tables->add(QStringLiteral("estimates"), [] { return tr("Estimates"); })
             << tables->add(QStringLiteral("kfac"), [] { return tr("K-FAC factors"); })
             << tables->add(QStringLiteral("lbfgs"), [] { return tr("L-BFGS"); });
    // Before the others: with a curvature run in front they are what is looked for.
    for (int i = 0; i < m_tables.size(); ++i)
        tables->tabBar()->moveTab(tables->indexOf(m_tables[i]), i);
    connectViews();
    connect(area, &DockArea::arranged, this, [this] {
        applyShown();
        if (m_shown)
            raiseFirst();
    });
    setShown(false);
}

void CurvaturePage::connectViews()
{
    const auto link = [this](PlotView* view, const char* figure, const char* table) {
        connect(view, &PlotView::exportRequested, this,
                [this, figure] { emit figureRequested(QString::fromLatin1(figure)); });
        connect(view, &PlotView::showDataRequested, this,
                [this, table] { emit tableRequested(QString::fromLatin1(table)); });
    };
    link(m_convergence, "hessian_spectrum", "estimates");
    link(m_spectrum, "hessian_spectrum", "eigenvalues");
    link(m_histogram, "hessian_histogram", "diagonal");
    link(m_layers, "hessian_histogram", "blocks");
    link(m_matrix, "hessian_spectrum", "tensor_blocks");
}

void CurvaturePage::setShown(bool shown)
{
    if (shown == m_shown)
        return;
    m_shown = shown;
    applyShown();
    if (!shown) {
        m_tabs->setCurrentIndex(static_cast<int>(m_tables.size()));
        return;
    }
    raiseFirst();
    m_tabs->setCurrentWidget(m_tables[0]);
}

void CurvaturePage::applyShown()
{
    if (m_area->isWhole())
        return; // until all are back
    for (QDockWidget* dock : m_docks) {
        dock->setVisible(m_shown && !m_closed.contains(dock) && !m_empty.contains(dock));
        dock->toggleViewAction()->setVisible(m_shown && !m_empty.contains(dock));
    }
    for (DataTableView* table : m_tables)
        m_tabs->setTabVisible(m_tabs->indexOf(table), m_shown && !m_empty.contains(table));
}

void CurvaturePage::layoutRestored()
{
    applyShown();
}

void CurvaturePage::restoreDefaultLayout()
{
    m_closed.clear();
    layoutRestored();
    if (m_shown)
        raiseFirst();
}

QDockWidget* CurvaturePage::firstOf(std::initializer_list<int> tabs) const
{
    const auto front = std::ranges::find_if(tabs, [this](int dock) { return !m_docks[dock]->isHidden(); });
    return front == tabs.end() ? nullptr : m_docks[*front];
}

void CurvaturePage::raiseFirst()
{
    for (QDockWidget* dock : {firstOf(kLeft), firstOf(kRight)}) {
        if (dock)
            dock->raise();
    }
}

void CurvaturePage::applyDefaultSizes()
{
    QDockWidget* left = firstOf(kLeft);
    QDockWidget* right = firstOf(kRight);
    if (QDockWidget* any = left ? left : right)
        m_area->resizeDocks({any}, {m_area->height() * 36 / 100}, Qt::Vertical);
    if (left && right)
        m_area->resizeDocks({left, right}, {m_area->width() / 2, m_area->width() / 2}, Qt::Horizontal);
}

void CurvaturePage::fillViews(const CurvatureData& data)
{
    m_spectrum->setData(data);
    m_histogram->setData(data);
    m_layers->setData(data);
    m_matrix->setData(data);
}

void CurvaturePage::fillTables(const CurvatureData& data, bool live)
{
    for (DataTableView* table : m_tables)
        table->setPlaceholder([live] { return live ? tr("Comes with the run.") : tr("This result holds none."); });
    m_tables[0]->setTable(eigenvaluesTable(data));
    m_blocks = data.blocks;
    m_tables[1]->setTable(curvatureBlocksTable(data));
    m_tables[2]->setTable(curvatureMatrixTable(data.matrix.get()));
    std::int64_t entries = 0;
    for (const CurvatureDiagonal& diagonal : data.diagonals)
        entries += static_cast<std::int64_t>(diagonal.value.size());
    if (entries > kListedRows) {
        m_tables[kEntriesTable]->setPlaceholder([entries] {
            return tr("%1 entries are more than a table shows; export the histogram with its data, or convert the "
                      "result.")
                .arg(QLocale().toString(static_cast<qlonglong>(entries)));
        });
        m_tables[kEntriesTable]->clear();
    } else {
        m_tables[kEntriesTable]->setTable(curvatureEntriesTable(data));
    }
    m_tables[4]->setTable(curvatureCourseTable(data));
    m_tables[5]->setTable(curvatureFactorsTable(data));
    m_tables[6]->setTable(curvatureLbfgsTable(data));
    m_empty.clear();
    for (int i = 0; i < m_tables.size(); ++i) {
        const bool told = (live && i < kUsualTables) || (i == kEntriesTable && entries > 0);
        if (!told && m_tables[i]->model()->rowCount() == 0)
            m_empty.insert(m_tables[i]);
    }
    const bool spectrum = data.density || !data.eigenvalues.empty();
    const bool entriesOrBlocks = !data.diagonals.empty() || !data.blocks.empty();
    const std::array holds{!data.course.empty(), spectrum, !data.diagonals.empty(), entriesOrBlocks,
                           data.matrix != nullptr};
    for (int i = 0; i < m_docks.size() && !live; ++i) {
        if (!holds[static_cast<std::size_t>(i)])
            m_empty.insert(m_docks[i]);
    }
    applyShown();
}

void CurvaturePage::showData(const CurvatureData& data)
{
    m_convergence->clear();
    m_convergence->setData(data);
    fillViews(data);
    fillTables(data, false);
    if (!m_shown)
        return;
    raiseFirst();
    const auto filled =
        std::ranges::find_if(m_tables, [this](DataTableView* table) { return !m_empty.contains(table); });
    if (filled == m_tables.end())
        m_tabs->setCurrentIndex(static_cast<int>(m_tables.size()));
    else if (m_tabs->currentWidget() == m_tables[0] || m_empty.contains(m_tabs->currentWidget()))
        m_tabs->setCurrentWidget(*filled);
}

void CurvaturePage::beginLive()
{
    m_live = {};
    m_newCourse = m_newSection = true;
}

void CurvaturePage::takeLive(const CurvatureNews& news)
{
    for (const auto& [name, moment] : news.moments)
        m_live.course.add(name, moment);
    m_newCourse |= !news.moments.empty();
    if (!news.section)
        return;
    CurvatureCourse course = std::move(m_live.course);
    m_live = *news.section;
    m_live.course = std::move(course);
    m_newCourse = m_newSection = true;
}

void CurvaturePage::refreshLive()
{
    if (std::exchange(m_newCourse, false) && !m_live.empty())
        m_convergence->setData(m_live);
    if (!std::exchange(m_newSection, false) || m_live.empty())
        return;
    // What has not come yet says so rather than that it was not asked for.
    m_live.density || !m_live.eigenvalues.empty() ? m_spectrum->setData(m_live) : m_spectrum->clear();
    m_live.diagonals.empty() ? m_histogram->clear() : m_histogram->setData(m_live);
    m_live.diagonals.empty() && m_live.blocks.empty() ? m_layers->clear() : m_layers->setData(m_live);
    m_live.matrix ? m_matrix->setData(m_live) : m_matrix->clear();
    fillTables(m_live, true);
}

void CurvaturePage::showLive()
{
    m_convergence->clear();
    m_spectrum->clear();
    m_histogram->clear();
    m_layers->clear();
    m_matrix->clear();
    fillTables(m_live, true);
    m_newCourse = m_newSection = true;
    refreshLive();
}

QString CurvaturePage::liveFacts(std::int64_t liveBytes, std::int64_t budget) const
{
    QStringList parts;
    double rate = m_live.course.productsPerSecond();
    if (!(rate > 0) && m_live.productSeconds > 0)
        rate = 1 / m_live.productSeconds;
    if (rate > 0)
        parts << tr("%1 products/s").arg(compactNumber(rate));
    if (budget > 0) {
        const double share = 100 * static_cast<double>(liveBytes) / static_cast<double>(budget);
        parts << tr("%1 % of the budget of %2")
                     .arg(QLocale().toString(share, 'f', share < 10 ? 1 : 0),
                          QString::fromStdString(formatBytes(budget)));
    }
    return parts.join(QStringLiteral("  ·  "));
}

// Of a block that was computed whole, the largest magnitudes first.
InspectorContent::Section CurvaturePage::eigenvaluesOf(const QString& block) const
{
    constexpr std::size_t kListed = 20;
    InspectorContent::Section section;
    const auto found = std::find_if(m_blocks.begin(), m_blocks.end(), [&](const CurvatureBlock& one) {
        return block == QString::fromStdString(one.name);
    });
    if (found == m_blocks.end() || found->eigenvalues.empty())
        return section;
    std::vector<double> values = found->eigenvalues;
    std::stable_sort(values.begin(), values.end(), [](double a, double b) { return std::abs(a) > std::abs(b); });
    const auto number = [](std::size_t count) { return QLocale().toString(static_cast<qlonglong>(count)); };
    section.title = values.size() > kListed ? tr("%1 of its %2 eigenvalues").arg(number(kListed), number(values.size()))
                                            : tr("Its %1 eigenvalues").arg(number(values.size()));
    for (std::size_t i = 0; i < std::min(values.size(), kListed); ++i)
        section.add(number(i + 1), realText(values[i], 6));
    const auto below = std::count_if(values.begin(), values.end(), [](double value) { return value < 0; });
    section.add(tr("Below zero"), number(static_cast<std::size_t>(below)));
    return section;
}

bool CurvaturePage::inspect(const QString& table, InspectorContent& content) const
{
    for (const DataTableView* view : m_tables) {
        if (view->objectName() != table)
            continue;
        const QModelIndex current = view->view()->currentIndex();
        if (!current.isValid())
            return false;
        const QAbstractItemModel* model = current.model();
        InspectorContent::Section section;
        for (int column = 0; column < model->columnCount(); ++column) {
            const QModelIndex cell = model->index(current.row(), column);
            section.add(model->headerData(column, Qt::Horizontal).toString(), cell.data().toString(),
                        model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        }
        const int named = table == QLatin1String("diagonal") ? 1 : 0;
        content.title = table == QLatin1String("eigenvalues")
                            ? tr("Eigenvalue %1").arg(model->index(current.row(), 0).data().toString())
                            : model->index(current.row(), named).data().toString();
        content.definition =
            table == QLatin1String("eigenvalues")
                ? tr("An eigenpair of the Hessian found by Lanczos iteration. An eigenvalue lies within the residual "
                     "|Hv − λv| of the value given.")
            : table == QLatin1String("blocks")
                ? tr("The Hessian restricted to these parameters, directions outside them being zero. How much the "
                     "blocks leave out is measured over all of them.")
            : table == QLatin1String("tensor_blocks")
                ? tr("The part of the whole Hessian whose rows are of one tensor and whose columns are of another. Its "
                     "share counts both halves: the matrix is symmetric.")
            : table == QLatin1String("diagonal") ? tr("A second derivative of the loss along one parameter.")
            : table == QLatin1String("kfac") ? tr("Two Kronecker factors in place of a layer's block of the empirical "
                                                  "Fisher matrix; the exact trace shows their error.")
            : table == QLatin1String("lbfgs")
                ? tr("An approximation from differences of gradients, compared with exact products with random "
                     "vectors. The Hessian itself would have an error of 0 and a cosine of 1.")
                : tr("The estimate after each number of probes, entries or products, with its 95 % interval.");
        content.sections = {section};
        if (table == QLatin1String("blocks")) {
            if (InspectorContent::Section all = eigenvaluesOf(content.title); !all.rows.empty())
                content.sections.push_back(std::move(all));
        } else if (table == QLatin1String("tensor_blocks")) {
            content.title += QStringLiteral(" × ") + model->index(current.row(), 1).data().toString();
        }
        return true;
    }
    return false;
}

} // namespace peakscope
