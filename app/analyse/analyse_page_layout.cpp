// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// AnalysePage: what stands where, and how it is connected.
#include "app/analyse/analyse_page.h"

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
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QItemSelectionModel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>

#include <limits>

namespace peakscope {

namespace {

QLabel* labelFor(LanguageText text, QWidget* field, QWidget* parent)
{
    QLabel* label = makeLabel(std::move(text), parent);
    label->setBuddy(field);
    return label;
}

QDoubleSpinBox* shareField(LanguageText name, LanguageText tip, QWidget* parent)
{
    auto* field = new QDoubleSpinBox(parent);
    field->setRange(0, 1);
    field->setDecimals(2);
    field->setSingleStep(0.01);
    inLanguage(field, [field, name = std::move(name), tip = std::move(tip)] {
        field->setAccessibleName(name.say());
        field->setToolTip(tip.say());
    });
    field->setKeyboardTracking(false);
    return field;
}

} // namespace

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
    auto* line = new QWidget(this);
    auto* row = makeBox<QHBoxLayout>(line, {8, 2, 8, 2}, 4);
    m_colour = new QComboBox(line);
    m_colour->setObjectName(QStringLiteral("colourBy"));
    m_rule = new QComboBox(line);
    m_rule->addItems({QString(), QString()});
    const auto func = [] { return tr("Wfunc: alignment at least this and sparsity below the other"); };
    const auto sens = [] { return tr("Wsens: alignment at most this and sparsity at least the other"); };
    m_fields = {shareField([] { return tr("Least alignment of Wfunc"); }, func, line),
                shareField([] { return tr("Sparsity of Wfunc below"); }, func, line),
                shareField([] { return tr("Most alignment of Wsens"); }, sens, line),
                shareField([] { return tr("Least sparsity of Wsens"); }, sens, line)};
    m_reset = new QToolButton(line);
    m_reset->setAutoRaise(true);
    row->addWidget(labelFor([] { return tr("Colour:"); }, m_colour, line));
    row->addWidget(m_colour);
    row->addSpacing(8);
    row->addWidget(labelFor([] { return tr("Rule:"); }, m_rule, line));
    row->addWidget(m_rule);
    row->addWidget(makeLabel([] { return tr("Wfunc ≥"); }, line));
    row->addWidget(m_fields[0]);
    row->addWidget(new QLabel(QStringLiteral("<"), line));
    row->addWidget(m_fields[1]);
    row->addWidget(makeLabel([] { return tr("Wsens ≤"); }, line));
    row->addWidget(m_fields[2]);
    row->addWidget(new QLabel(QStringLiteral("≥"), line));
    row->addWidget(m_fields[3]);
    row->addWidget(m_reset);
    row->addStretch(1);
    layout()->addWidget(line);
    auto* second = new QWidget(this);
    buildEmbeddingRow(second);
    layout()->addWidget(second);
    m_unitFields = {line, second};
    m_messages = new MessageBar(this);
    layout()->addWidget(m_messages);
    inLanguage(this, [this] {
        m_colour->setAccessibleName(tr("Colour of the units"));
        m_rule->setItemText(0, tr("Thresholds"));
        m_rule->setItemText(1, tr("Quantiles"));
        m_rule->setAccessibleName(tr("Rule of the classes"));
        m_rule->setToolTip(
            tr("Thresholds: alignment ≥ and sparsity < make Wfunc, alignment ≤ and sparsity ≥ make Wsens, "
               "the rest is Wboth. Quantiles: by rank of alignment less rank of sparsity, a third each."));
        m_reset->setText(tr("As stored"));
        m_reset->setToolTip(tr("Puts the lines back where the result has them"));
    });
}

void AnalysePage::buildEmbeddingRow(QWidget* line)
{
    auto* row = makeBox<QHBoxLayout>(line, {8, 0, 8, 4}, 4);
    m_neighbors = new QSpinBox(line);
    m_neighbors->setRange(2, 200);
    m_neighbors->setValue(15);
    m_minDist = new QDoubleSpinBox(line);
    m_minDist->setRange(0, 1);
    m_minDist->setSingleStep(0.05);
    m_minDist->setValue(0.1);
    m_seed = new QSpinBox(line);
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_seed->setValue(42);
    m_seed->setMaximumWidth(64);
    m_recompute = new QPushButton(line);
    m_eps = new QDoubleSpinBox(line);
    m_eps->setRange(0, 1e6);
    m_eps->setDecimals(3);
    m_eps->setMaximumWidth(66);
    m_eps->setSingleStep(0.05);
    m_eps->setKeyboardTracking(false);
    m_minSamples = new QSpinBox(line);
    m_minSamples->setRange(1, 1000);
    m_minSamples->setValue(5);
    for (const auto& [text, field] : {std::pair<QString, QWidget*>{QStringLiteral("n_neighbors"), m_neighbors},
                                      {QStringLiteral("min_dist"), m_minDist},
                                      {QStringLiteral("seed"), m_seed}}) {
        row->addWidget(labelFor(text, field, line));
        row->addWidget(field);
        field->setAccessibleName(text);
    }
    row->addWidget(m_recompute);
    for (const auto& [text, field] : {std::pair<QString, QWidget*>{QStringLiteral("DBSCAN eps"), m_eps},
                                      {QStringLiteral("min_samples"), m_minSamples}}) {
        row->addWidget(labelFor(text, field, line));
        row->addWidget(field);
        field->setAccessibleName(text);
    }
    row->addStretch(1);
    inLanguage(this, [this] {
        m_recompute->setText(tr("Compute UMAP"));
        m_recompute->setToolTip(tr("Computes the embedding again from the features, in the background"));
        m_neighbors->setToolTip(
            tr("Neighbours of each unit, itself included: larger shows more of the whole, less detail"));
        m_minDist->setToolTip(tr("Least distance of units in the embedding: larger makes looser clusters"));
        m_seed->setToolTip(tr("The same seed gives the same embedding, bit for bit"));
        m_eps->setSpecialValueText(tr("auto"));
        m_eps->setToolTip(
            tr("DBSCAN's radius; the k-distances help to choose it. auto: twice the distance that 95 % of the "
               "units stay within"));
        m_minSamples->setToolTip(tr("Units within the radius, itself included, that make a core of a cluster"));
    });
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
    connect(m_recompute, &QPushButton::clicked, this, &AnalysePage::recompute);
    connect(m_stop, &QToolButton::clicked, this, &AnalysePage::cancel);
    connect(m_reset, &QToolButton::clicked, this, &AnalysePage::resetThresholds);
    connect(m_rule, &QComboBox::currentIndexChanged, this, [this] {
        if (!m_settling)
            applyPartition();
    });
    connect(m_colour, &QComboBox::currentIndexChanged, this, &AnalysePage::showColours);
    for (QDoubleSpinBox* field : m_fields) {
        connect(field, &QDoubleSpinBox::valueChanged, this, &AnalysePage::takeLines);
    }
    const auto clusterAgain = [this] {
        if (!m_settling && m_data && !m_places.empty())
            m_worker.cluster(m_places, m_eps->value(), m_minSamples->value());
    };
    connect(m_eps, &QDoubleSpinBox::valueChanged, this, clusterAgain);
    connect(m_minSamples, &QSpinBox::valueChanged, this, clusterAgain);
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
    connect(m_distances, &KDistanceView::radiusChosen, this, [this](double eps) { m_eps->setValue(eps); });
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
