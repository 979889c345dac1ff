// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/sweep_panel.h"

#include "app/jobs/sweep_files.h"
#include "app/parts/launcher_presets.h"
#include "app/shell/next_actions.h"
#include "core/base/json/json_access.h"
#include "core/model/dry_device.h"
#include "widgets/look/pieces.h"
#include "widgets/plan/answer_label.h"
#include "widgets/sweep/fit_view.h"
#include "widgets/sweep/sweep_heat_map_view.h"
#include "widgets/sweep/sweep_style.h"
#include "widgets/sweep/sweep_trend_view.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/capacity_text.h"
#include "widgets/text/json_words.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QThreadPool>

#include <algorithm>
#include <cmath>
#include <memory>

namespace peakscope {

namespace {

constexpr int kLookMilliseconds = 700;
constexpr int kLeastChart = 220; // pixels

// Of a program to set up.
QString cardOf(const nlohmann::json& wanted)
{
    const QString id = jsonText(wanted, "device");
    const auto card = dryDevice("dry:" + id.toStdString());
    return card ? QString::fromStdString(card->card.name) : id;
}

} // namespace

std::vector<FitCurve> fitCurves(const FitSection& fit)
{
    std::vector<FitCurve> curves;
    for (const FitSection::Search& search : fit.searches) {
        const auto card = dryDevice("dry:" + search.device);
        QString name = QString::fromStdString(card ? card->card.name : search.device);
        if (search.fixed.is_object())
            name += QStringLiteral(", ") + sweepSettingText(search.fixed);
        const auto room = static_cast<double>(card ? card->card.capacityBytes() : 0);
        LanguageText why;
        if (card)
            why = [card = card->card, target = fit.target] {
                return capacityText(card.totalBytes, card.usableBytes, card.contextBytes, target);
            };
        curves.push_back({name, std::llround(room * fit.target), search, card ? card->card.usableBytes : 0,
                          card ? card->card.contextBytes : 0, fit.target, std::move(why)});
    }
    return curves;
}

SweepPanel::SweepPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this);
    auto* rows = new QSplitter(Qt::Vertical, this);
    auto* charts = new QSplitter(Qt::Horizontal, rows);
    for (QSplitter* splitter : {rows, charts})
        splitter->setChildrenCollapsible(false);
    m_table = new DataTableView(rows);
    m_table->setObjectName(QStringLiteral("points"));
    m_tabs = new QTabWidget(charts);
    m_tabs->setDocumentMode(true);
    m_fitPage = makeFit();
    m_heatMap = new SweepHeatMapView(m_tabs);
    m_tabs->addTab(m_fitPage, {});
    m_tabs->addTab(m_heatMap, {});
    m_trends = new SweepTrendView(charts);
    charts->setMinimumHeight(kLeastChart);
    charts->setSizes({1000, 1000});
    rows->setStretchFactor(0, 2);
    rows->setStretchFactor(1, 1);
    layout->addWidget(rows);
    const std::pair<PlotView*, QString> figures[] = {{m_heatMap, QStringLiteral("memory_heatmap")},
                                                     {m_trends, QStringLiteral("memory_trends")}};
    for (const auto& [view, figure] : figures) {
        connect(view, &PlotView::exportRequested, this, [this, name = figure] { emit figureRequested(name); });
        connect(view, &PlotView::showDataRequested, m_table, qOverload<>(&QWidget::setFocus));
    }
    connect(m_table, &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(QStringLiteral("points")); });
    connect(m_heatMap, &SweepHeatMapView::pointActivated, this, &SweepPanel::pointActivated);
    connect(m_table, &DataTableView::rowActivated, this,
            [this] { emit pointActivated(m_table->sourceRow(m_table->view()->currentIndex())); });
    connect(this, &SweepPanel::pointActivated, this, [this](int point) {
        const auto& points = m_heatMap->sweep().points;
        const auto index = static_cast<std::size_t>(point);
        if (index < points.size() && !points[index].file.empty() && !m_path.isEmpty())
            emit pointOpened(QFileInfo(m_path).dir().filePath(QString::fromStdString(points[index].file)));
    });
    m_timer.setInterval(kLookMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &SweepPanel::look);
    inLanguage(this, [this] {
        m_tabs->setTabText(m_tabs->indexOf(m_fitPage), tr("What fits"));
        m_tabs->setTabText(m_tabs->indexOf(m_heatMap), tr("Heat map"));
    });
}

QWidget* SweepPanel::makeFit()
{
    auto* page = new QWidget(m_tabs);
    auto* layout = makeBox<QVBoxLayout>(page, {}, 4);
    m_answer = new AnswerLabel(page);
    m_next = new NextActions(page);
    m_further = m_next->add(
        "fitSearchOn", [] { return tr("Search on"); },
        [this] { return tr("Sets up a search for %1 on %2").arg(jsonText(m_searchOn, "vary"), cardOf(m_searchOn)); });
    m_use = m_next->add(
        "useLargest", [this] { return m_useTitle.say(); },
        [this] { return tr("Sets up a dry run on %1: %2").arg(cardOf(m_largest), jsonText(m_largest, "command")); });
    m_copy = m_next->add(
        "copyFitCommand", [] { return tr("Copy the command"); }, [this] { return jsonText(m_largest, "command"); });
    layout->addLayout(m_next->rowWith(m_answer));
    m_fit = new FitView(page);
    layout->addWidget(m_fit, 1);
    connect(m_further, &QPushButton::clicked, this, [this] { emit programRequested(m_searchOn); });
    connect(m_use, &QPushButton::clicked, this, [this] { emit programRequested(m_largest); });
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(jsonText(m_largest, "command")); });
    connect(m_fit, &PlotView::exportRequested, this, [this] { emit figureRequested(QStringLiteral("memory_trends")); });
    connect(m_fit, &PlotView::showDataRequested, m_table, qOverload<>(&QWidget::setFocus));
    return page;
}

QString SweepPanel::answer() const
{
    return m_answer->text();
}

void SweepPanel::showFit(const RunResult& result)
{
    const std::optional<FitSection> fit = fitSectionOf(result);
    std::vector<FitCurve> curves = fit ? fitCurves(*fit) : std::vector<FitCurve>();
    // Of several cards the first that has an answer.
    const auto found =
        std::ranges::find_if(curves, [](const FitCurve& curve) { return !curve.search.command.empty(); });
    const auto ended =
        std::ranges::find_if(curves, [](const FitCurve& curve) { return !curve.search.further.empty(); });
    const QString command =
        commandLine(jsonTexts(lenient::member(lenient::object(result.config, "program"), "command")));
    m_searchOn = m_largest = nullptr;
    if (ended != curves.end() && !command.isEmpty())
        m_searchOn = {
            {"command", command.toStdString()}, {"device", ended->search.device}, {"vary", ended->search.further}};
    if (found != curves.end())
        m_largest = {{"command", found->search.command}, {"device", found->search.device}};
    const QString varied = QString::fromStdString(fit ? fit->varied : std::string());
    m_answer->setAnswer([varied, curves] { return fitAnswer(varied, curves); }, [curves] { return fitRooms(curves); });
    m_useTitle = [varied, largest = found == curves.end() ? std::nullopt : found->search.largest] {
        return largest ? tr("Use %1 %2", "batch, its value").arg(varied, QLocale().toString(qlonglong(*largest)))
                       : QString();
    };
    m_next->say();
    m_further->setVisible(m_searchOn.is_object());
    for (QPushButton* button : {m_use, m_copy})
        button->setVisible(m_largest.is_object());
    m_fit->setFit(varied, std::move(curves));
    // Its curves say what trends would.
    m_tabs->setTabVisible(m_tabs->indexOf(m_fitPage), fit.has_value());
    m_trends->setVisible(!fit);
    m_tabs->tabBar()->setVisible(fit.has_value());
}

void SweepPanel::showSweep(const RunResult& result, const QString& path)
{
    showFit(result);
    auto sweep = sweepOf(result);
    m_path = path;
    m_seen = {}; // it may have been written since the result was read
    const bool live = sweep && !sweep->complete();
    fill(sweep ? std::move(*sweep) : SweepDocument(), true);
    if (live && isSweepFile(path))
        m_timer.start();
    else
        m_timer.stop();
}

void SweepPanel::leave()
{
    m_timer.stop();
}

void SweepPanel::fill(SweepDocument sweep, bool fresh)
{
    m_table->setTable(sweepPointsTable(sweep));
    m_trends->setSweep(sweep);
    m_heatMap->setSweep(std::move(sweep));
    if (fresh)
        m_tabs->setCurrentIndex(m_tabs->isTabVisible(0) ? 0 : 1);
}

// Reads the file where it was written since; never two readings at once.
void SweepPanel::look()
{
    const QDateTime written = QFileInfo(m_path).lastModified();
    if (m_reading || !written.isValid() || written == m_seen)
        return;
    m_seen = written;
    m_reading = true;
    const QString path = m_path;
    const QPointer<SweepPanel> self(this);
    QThreadPool::globalInstance()->start([self, path] {
        auto sweep = loadSweep(path.toStdString());
        auto read = std::make_shared<Result<SweepDocument>>(std::move(sweep));
        QMetaObject::invokeMethod(
            qApp,
            [self, path, read] {
                if (!self)
                    return;
                self->m_reading = false;
                if (*read)
                    self->take(std::move(**read), path);
            },
            Qt::QueuedConnection);
    });
}

void SweepPanel::take(SweepDocument sweep, const QString& path)
{
    if (path != m_path)
        return;
    if (sweep.complete())
        m_timer.stop();
    fill(std::move(sweep), false);
    emit sweepChanged();
}

} // namespace peakscope
