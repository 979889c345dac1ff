// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// AnalysePage: what stands where, and how it is connected.
#include "app/analyse/analyse_page.h"

#include "app/analyse/embedding_fields.h"
#include "app/analyse/partition_fields.h"
#include "app/window/elided_label.h"
#include "app/export/save_file.h"
#include "app/session/settings.h"
#include "app/window/empty_page.h"
#include "app/window/icons.h"
#include "app/window/message_bar.h"
#include "app/window/table_tabs.h"
#include "widgets/analysis/analysis_report.h"
#include "widgets/analysis/analysis_response_view.h"
#include "widgets/analysis/analysis_scatter_view.h"
#include "widgets/look/pieces.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QItemSelectionModel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>

namespace peakscope {

void AnalysePage::buildTitleRow()
{
    auto* line = new QWidget(this);
    auto* row = makeBox<QHBoxLayout>(line, {8, 4, 8, 0}, 8);
    m_title = new QLabel(line);
    m_title->setTextFormat(Qt::PlainText);
    makeBold(m_title);
    m_badges = new QLabel(line);
    m_badges->setObjectName(QStringLiteral("analyseBadges"));
    m_badges->setTextFormat(Qt::PlainText);
    m_status = makeYielding(new ElidedLabel(line), "analyseStatus");
    m_stop = new QToolButton(line);
    m_stop->setIcon(glyphIcon(Glyph::Stop));
    m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_stop->setAutoRaise(true);
    m_progress = new QProgressBar(line);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(110, 8);
    m_progress->hide(); // only the status gives way when they come
    m_stop->hide();
    row->addWidget(m_title);
    row->addWidget(m_badges);
    row->addWidget(m_status, 1);
    row->addWidget(m_progress);
    row->addWidget(m_stop);
    line->setMinimumHeight(m_stop->sizeHint().height() + 6);
    layout()->addWidget(line);
    inLanguage(this, [this] {
        m_stop->setText(tr("Stop"));
        m_progress->setAccessibleName(tr("Progress of the embedding"));
    });
}

void AnalysePage::buildTop()
{
    buildTitleRow();
    m_colour = new QComboBox(this);
    m_colour->setObjectName(QStringLiteral("colourBy"));
    QLabel* colour = makeLabel([] { return tr("Colour:"); }, this);
    colour->setBuddy(m_colour);
    m_partition = new PartitionFields(this);
    m_partition->putFirst(colour, m_colour);
    layout()->addWidget(m_partition);
    m_embedding = new EmbeddingFields(this);
    layout()->addWidget(m_embedding);
    m_unitFields = {m_partition, m_embedding};
    m_messages = new MessageBar(this);
    layout()->addWidget(m_messages);
    inLanguage(this, [this] { m_colour->setAccessibleName(tr("Colour of the units")); });
}

QWidget* AnalysePage::emptyPage()
{
    auto* open = new QPushButton(glyphIcon(Glyph::Open), {});
    inLanguage(open, [open] { open->setText(tr("Open results…")); });
    open->setObjectName(QStringLiteral("analyseOpen"));
    connect(open, &QPushButton::clicked, this, &AnalysePage::openRequested);
    return makeEmptyPage([] { return tr("Which parameters carry function, which carry privacy risk?"); },
                         [] {
                             return tr("Open the result of an experiment of kind prm, or a file of the older scripts, "
                                       "to see its units in an embedding, their classes, and what noise in them did.");
                         },
                         open, this);
}

void AnalysePage::buildBody()
{
    m_stack = new QStackedWidget(this);
    m_rows = new QSplitter(Qt::Vertical, m_stack);
    m_upper = new QSplitter(Qt::Horizontal, m_rows);
    m_middle = new QSplitter(Qt::Horizontal, m_rows);
    m_scatter = new UnitScatterView([] { return tr("Embedding (UMAP)"); }, m_upper);
    m_scatter->setAxisTitles(QStringLiteral("UMAP 1"), QStringLiteral("UMAP 2"));
    m_plane = new PartitionPlaneView(m_upper);
    m_responses = new ResponseView(m_middle);
    m_lower = new QTabWidget(m_middle);
    m_lower->setDocumentMode(true);
    m_effects = new EffectMapView(m_lower);
    m_distances = new KDistanceView(m_lower);
    m_report = new HypothesisReport(m_lower);
    m_lower->addTab(m_effects, {});
    m_lower->addTab(m_report, {});
    m_lower->addTab(m_distances, {});
    m_tables = new TableTabs(m_rows);
    connect(m_tables, &TableTabs::exportRequested, this, &AnalysePage::saveTable);
    const auto add = [this](LanguageText title, LanguageText placeholder, const char* name) {
        m_tables->add(QString::fromLatin1(name), std::move(title))->setPlaceholder(std::move(placeholder));
    };
    add([] { return tr("Units and features"); }, [] { return tr("This result holds no units."); }, "units");
    add([] { return tr("Clusters"); }, [] { return tr("No clusters yet."); }, "clusters");
    add([] { return tr("Answers to noise"); }, [] { return tr("No answers to noise yet."); }, "responses");
    add([] { return tr("Effects"); }, [] { return tr("No effects yet."); }, "effects");
    add([] { return tr("Hypotheses"); }, [] { return tr("No hypotheses yet."); }, "hypotheses");
    for (QSplitter* splitter : {m_rows, m_upper, m_middle})
        splitter->setChildrenCollapsible(false);
    m_stack->addWidget(emptyPage());
    m_stack->addWidget(m_rows);
    static_cast<QVBoxLayout*>(layout())->addWidget(m_stack, 1);
    restoreDefaultLayout();
    inLanguage(this, [this] {
        fillColours();
        showBadges();
        updateStatus();
        m_lower->setTabText(m_lower->indexOf(m_effects), tr("Statistics"));
        m_lower->setTabText(m_lower->indexOf(m_report), tr("Hypotheses"));
        m_lower->setTabText(m_lower->indexOf(m_distances), tr("Radius of clusters"));
    });
}

// Files of older scripts hold answers to noise alone: what has nothing to show gives its room to them.
void AnalysePage::fitToContents()
{
    const bool units = holdsUnits();
    m_upper->setVisible(units);
    for (QWidget* line : m_unitFields)
        line->setVisible(units);
    m_lower->setTabVisible(m_lower->indexOf(m_distances), units);
    for (int i = 0; i < m_tables->count(); ++i) {
        const auto* table = qobject_cast<DataTableView*>(m_tables->widget(i));
        m_tables->setTabVisible(i, m_liveId != 0 || table->model()->rowCount() > 0);
    }
}

void AnalysePage::restoreDefaultLayout()
{
    m_upper->setSizes({500, 500});
    m_middle->setSizes({500, 500});
    m_rows->setSizes({375, 375, 200});
}

QByteArray AnalysePage::saveLayout() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << m_rows->saveState() << m_upper->saveState() << m_middle->saveState();
    return state;
}

bool AnalysePage::restoreLayout(const QByteArray& state)
{
    QDataStream stream(state);
    QByteArray rows, upper, middle;
    stream >> rows >> upper >> middle;
    return stream.status() == QDataStream::Ok && m_rows->restoreState(rows) && m_upper->restoreState(upper) &&
           m_middle->restoreState(middle);
}

void AnalysePage::connectParts()
{
    m_tableTime.setSingleShot(true);
    m_tableTime.setInterval(150);
    connect(&m_tableTime, &QTimer::timeout, this, &AnalysePage::fillUnits);
    connect(&m_worker, &AnalyseWorker::embedded, this, &AnalysePage::onEmbedded);
    connect(&m_worker, &AnalyseWorker::clustered, this,
            [this](const std::shared_ptr<const ClusterAnswer>& answer) { onClustered(*answer); });
    connect(&m_worker, &AnalyseWorker::progressed, this,
            [this](double share) { m_progress->setValue(static_cast<int>(share * 1000)); });
    connect(&m_worker, &AnalyseWorker::framed, this, [this](const std::vector<UnitPlace>& places) {
        m_scatter->setPoints(places, unitNames(), true);
        showColours();
    });
    connect(&m_worker, &AnalyseWorker::failed, this, [this](const QString& sentence) {
        showBusy(false);
        if (!m_data)
            clear();
        m_messages->showMessage(MessageBar::Kind::Error, sentence);
    });
    connect(m_stop, &QToolButton::clicked, this, &AnalysePage::cancel);
    connect(m_partition, &PartitionFields::linesEdited, this, &AnalysePage::setThresholds);
    connect(m_partition, &PartitionFields::ruleChosen, this, &AnalysePage::applyPartition);
    connect(m_partition, &PartitionFields::resetRequested, this, &AnalysePage::resetThresholds);
    connect(m_colour, &QComboBox::currentIndexChanged, this, &AnalysePage::showColours);
    connect(m_embedding, &EmbeddingFields::computeRequested, this, &AnalysePage::recompute);
    connect(m_embedding, &EmbeddingFields::clustersRequested, this, [this] {
        if (m_data && !m_places.empty())
            m_worker.cluster(m_places, m_embedding->eps(), m_embedding->minSamples());
    });
}

void AnalysePage::connectViews()
{
    connect(m_plane, &PartitionPlaneView::thresholdsMoved, this, &AnalysePage::setThresholds);
    for (UnitScatterView* view : {m_scatter, static_cast<UnitScatterView*>(m_plane)}) {
        connect(view, &UnitScatterView::selectionMade, this, &AnalysePage::selectUnits);
        view->setDetails([this](int unit) { return unitDetails(unit); });
    }
    connect(m_responses, &ResponseView::groupClicked, this, [this](UnitGroup group) {
        QList<int> units;
        for (std::size_t i = 0; i < m_labels.size(); ++i) {
            if (m_labels[i] == group)
                units << static_cast<int>(i);
        }
        selectUnits(units);
        m_responses->setEmphasis(group);
    });
    connect(m_distances, &KDistanceView::radiusChosen, m_embedding, &EmbeddingFields::chooseEps);
    connectPlot(m_scatter, "umap_visualization", m_tables, "units");
    connectPlot(m_plane, "prm_phase_diagram", m_tables, "units");
    connectPlot(m_responses, "noise_response_curves", m_tables, "responses");
    connectPlot(m_effects, "statistical_summary", m_tables, "effects");
    connectPlot(m_distances, "parameter_clustering", m_tables, "clusters");
}

// Rows of the units' table stand for the units in their order.
void AnalysePage::connectTables()
{
    DataTableView* units = table(QStringLiteral("units"));
    connect(units->view()->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this, units] {
        if (m_settling)
            return;
        const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(units->view()->model());
        QList<int> rows;
        for (const QModelIndex& index : units->view()->selectionModel()->selectedRows())
            rows << (proxy ? proxy->mapToSource(index).row() : index.row());
        m_selection = rows;
        m_scatter->setSelection(rows);
        m_plane->setSelection(rows);
        if (rows.size() == 1)
            inspectUnit(rows.front());
    });
}

void AnalysePage::saveTable()
{
    const QString name = m_tables->currentWidget()->objectName();
    const QString proposal = QDir(settings::exportFolder()).filePath(name + QStringLiteral(".csv"));
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the table"), proposal, tr("Tables (*.csv)"));
    if (!path.isEmpty())
        saveTableTo(name, path);
}

bool AnalysePage::saveTableTo(const QString& name, const QString& path)
{
    const QString fault = saveFile(path, toCsv(table(name)->model()->table()));
    if (!fault.isEmpty()) {
        m_messages->showMessage(MessageBar::Kind::Error, [path, fault] {
            return tr("%1 cannot be written: %2. Choose another folder.").arg(path, fault);
        });
        return false;
    }
    m_messages->showMessage(MessageBar::Kind::Info, [path] { return tr("Saved %1.").arg(path); });
    return true;
}

} // namespace peakscope
