// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/memory_snapshot_panel.h"

#include "app/panels/doctor.h"
#include "app/panels/doctor_cases.h"
#include "app/panels/snapshot_words.h"
#include "app/parts/elided_label.h"
#include "core/snapshots/snapshot_instant.h"
#include "widgets/look/pieces.h"
#include "widgets/snapshot/snapshot_course_view.h"
#include "widgets/snapshot/tiles_view.h"
#include "widgets/tables/usage_tables.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>

#include <algorithm>

namespace peakscope {

namespace {

// Beside the ways to gather them: each by itself.
constexpr int kBlocks = -1;
// As many as can be read; the file has them all.
constexpr std::size_t kMostBlocks = 2000;

constexpr const char* kFigures[] = {"memory_treemap", "memory_flame_graph", "segment_map"};

} // namespace

MemorySnapshotPanel::MemorySnapshotPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    m_sentence = new QLabel(this);
    m_sentence->setObjectName(QStringLiteral("snapshotSentence"));
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setWordWrap(true);
    m_sentence->setContentsMargins(8, 4, 8, 4);
    makeBold(m_sentence);
    layout->addWidget(m_sentence);
    m_rows = new QSplitter(Qt::Vertical, this);
    m_rows->setChildrenCollapsible(false);
    layout->addWidget(m_rows, 1);
    m_course = new SnapshotCourseView(m_rows);
    m_course->setObjectName(QStringLiteral("snapshotCourse"));
    auto* both = new QSplitter(Qt::Horizontal, m_rows);
    both->setChildrenCollapsible(false);
    buildList(both);
    buildShapes(both);
    both->setSizes({1000, 1000});
    m_doctor = new Doctor(this);
    layout->addWidget(m_doctor);
    m_rows->setStretchFactor(0, 5);
    m_rows->setStretchFactor(1, 4);
    connect(m_course, &SnapshotCourseView::eventChosen, this, &MemorySnapshotPanel::ask);
    connect(m_course, &PlotView::exportRequested, this,
            [this] { emit figureRequested(QStringLiteral("memory_timeline")); });
    connect(m_course, &PlotView::showDataRequested, m_alive, qOverload<>(&QWidget::setFocus));
    connect(m_doctor->remedies(), &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(m_doctor->remedies()->objectName()); });
    connect(m_doctor, &Doctor::toggled, this, &MemorySnapshotPanel::applySizes);
    inLanguage(this, [this] {
        sayTexts();
        applySizes();
    });
}

void MemorySnapshotPanel::buildList(QWidget* parent)
{
    m_list = new QWidget(parent);
    auto* layout = makeBox<QVBoxLayout>(m_list, {}, 0);
    auto* row = makeBox<QHBoxLayout>(nullptr, {8, 2, 8, 2}, 8);
    m_instant = new ElidedLabel(m_list);
    m_instant->setObjectName(QStringLiteral("snapshotInstant"));
    m_instant->setTextFormat(Qt::PlainText);
    m_by = new QComboBox(m_list);
    m_by->setObjectName(QStringLiteral("gatherBy"));
    for (std::size_t i = 0; i < kEnumWords<HolderKey>.size(); ++i) {
        const auto key = static_cast<HolderKey>(i);
        addItem(m_by, static_cast<int>(i), [key] { return holderKeyTitle(key); });
    }
    addItem(m_by, kBlocks, [] { return tr("Each block"); });
    row->addWidget(m_instant, 1);
    addField(row, m_by, 0, [] { return tr("by"); });
    layout->addLayout(row);
    m_alive = new DataTableView(m_list);
    m_alive->setObjectName(QStringLiteral("alive"));
    m_alive->setPlaceholder([] { return tr("Nothing is alive at this instant."); });
    layout->addWidget(m_alive, 1);
    connect(m_by, &QComboBox::activated, this, &MemorySnapshotPanel::showList);
    connect(m_by, &QComboBox::activated, this, [this] { choose(QString()); });
    connect(m_alive, &DataTableView::currentRowChanged, this, &MemorySnapshotPanel::rowChosen);
    connect(m_alive, &DataTableView::exportRequested, this,
            [this] { emit tableExportRequested(m_alive->objectName()); });
}

void MemorySnapshotPanel::buildShapes(QWidget* parent)
{
    m_shapes = new QTabWidget(parent);
    m_shapes->setDocumentMode(true);
    for (const TilesShape shape : {TilesShape::Treemap, TilesShape::FlameGraph, TilesShape::SegmentMap}) {
        auto* view = new TilesView(shape, m_shapes);
        addTab(m_shapes, view, [view] { return view->title(); });
        connect(view, &PlotView::exportRequested, this,
                [this, shape] { emit figureRequested(QString::fromLatin1(kFigures[static_cast<int>(shape)])); });
        connect(view, &PlotView::showDataRequested, m_alive, qOverload<>(&QWidget::setFocus));
        connect(view, &TilesView::lineActivated, this, &MemorySnapshotPanel::chooseLine);
        connect(view, &TilesView::blockActivated, this, &MemorySnapshotPanel::activateBlock);
        connect(view, &TilesView::nothingActivated, this, [this] { choose(QString()); });
    }
    connect(m_shapes, &QTabWidget::currentChanged, this, &MemorySnapshotPanel::showShape);
}

TilesView* MemorySnapshotPanel::tiles(TilesShape shape) const
{
    return static_cast<TilesView*>(m_shapes->widget(static_cast<int>(shape)));
}

QString MemorySnapshotPanel::sentence() const
{
    return m_sentence->text();
}

DataTableView* MemorySnapshotPanel::table(const QString& name) const
{
    for (DataTableView* table : {m_alive, m_doctor->remedies()}) {
        if (table->objectName() == name)
            return table;
    }
    return nullptr;
}

void MemorySnapshotPanel::setRecording(const std::shared_ptr<const SnapshotRecording>& recording)
{
    if (recording == m_recording)
        return;
    m_recording = recording;
    m_row.clear();
    m_block.reset();
    m_chosen.clear();
    m_course->setRecording(recording);
    m_course->setVisible(recording && recording->replay.hasPeak()); // else what is held has its room
    m_doctor->setCase(doctorCase(recording));
    if (!recording) {
        for (int i = 0; i < m_shapes->count(); ++i)
            tiles(static_cast<TilesShape>(i))->setInstant(nullptr, -1);
        m_alive->clear();
        return;
    }
    ask(firstSight(recording->replay));
    applySizes(); // its sentence may have other lines
}

void MemorySnapshotPanel::ask(std::int64_t event)
{
    m_event = event;
    m_course->setEvent(event);
    showList();
    showShape();
    sayTexts();
    if (!m_chosen.empty())
        showChosen(); // what is of an age is another's at another event, and the inspector speaks of this one
}

void MemorySnapshotPanel::gatherBy(HolderKey key)
{
    m_by->setCurrentIndex(m_by->findData(static_cast<int>(key)));
    showList();
}

void MemorySnapshotPanel::showList()
{
    if (!m_recording)
        return;
    const int by = m_by->currentData().toInt();
    m_alive->setTable(by == kBlocks
                          ? snapshotBlocksTable(*m_recording->snapshot, m_recording->replay, m_event, kMostBlocks)
                          : snapshotHoldersTable(snapshotHolders(*m_recording->snapshot, m_recording->replay, m_event,
                                                                 static_cast<HolderKey>(by))));
}

// Only the one in front: the others when they come there.
void MemorySnapshotPanel::showShape()
{
    if (m_recording)
        static_cast<TilesView*>(m_shapes->currentWidget())->setInstant(m_recording, m_event, m_chosen);
}

bool MemorySnapshotPanel::listsBlocks() const
{
    return m_by->currentData().toInt() == kBlocks;
}

void MemorySnapshotPanel::choose(const QString& row)
{
    if (!m_recording || (row == m_row && !m_block))
        return;
    m_row = row;
    m_block.reset();
    if (row.isEmpty())
        m_alive->setCurrentName({});
    showChosen();
}

void MemorySnapshotPanel::choose(std::size_t block)
{
    m_row.clear();
    m_block = block;
    showChosen();
}

void MemorySnapshotPanel::showChosen()
{
    m_chosen.clear();
    if (m_block) {
        m_chosen.resize(m_recording->replay.blocks.size());
        m_chosen[*m_block] = true;
    } else if (!m_row.isEmpty()) {
        m_chosen = blocksOfHolder(*m_recording, m_event, static_cast<HolderKey>(m_by->currentData().toInt()),
                                  m_row.toStdString());
    }
    m_course->setChosen(m_chosen);
    static_cast<TilesView*>(m_shapes->currentWidget())->setChosen(m_chosen);
    if (m_chosen.empty())
        emit inspected(nullptr);
    else
        emit inspected([recording = m_recording, event = m_event, chosen = m_chosen,
                        name = m_block ? QString::fromStdString(
                                             blockLine(*m_recording->snapshot, m_recording->replay.blocks[*m_block]))
                                       : m_row] { return inspectChosen(*recording, event, name, chosen); });
}

void MemorySnapshotPanel::rowChosen(const QString& row)
{
    if (listsBlocks())
        choose(
            blocksBySize(m_recording->replay, m_event,
                         kMostBlocks)[static_cast<std::size_t>(m_alive->sourceRow(m_alive->view()->currentIndex()))]);
    else
        choose(row);
}

// In the list as it is gathered: as its own row, or as one of its holder's.
void MemorySnapshotPanel::activateBlock(std::size_t block)
{
    if (listsBlocks()) {
        const std::vector<std::size_t> rows = blocksBySize(m_recording->replay, m_event, kMostBlocks);
        if (const auto row = std::ranges::find(rows, block); row != rows.end())
            m_alive->setCurrentSource(static_cast<int>(row - rows.begin()));
        choose(block);
        return;
    }
    const auto key = static_cast<HolderKey>(m_by->currentData().toInt());
    const QString holder = QString::fromStdString(holderOfBlock(*m_recording, m_event, key, block));
    m_alive->setCurrentName(holder);
    choose(holder);
}

void MemorySnapshotPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && !m_chosen.empty())
        choose(QString());
    else
        QWidget::keyPressEvent(event);
}

void MemorySnapshotPanel::chooseLine(const QString& line)
{
    if (m_by->currentData().toInt() != static_cast<int>(HolderKey::Line))
        gatherBy(HolderKey::Line);
    m_alive->setCurrentName(line);
    choose(m_alive->currentName() == line ? line : QString()); // a frame may be none of the lines
}

void MemorySnapshotPanel::sayTexts()
{
    m_sentence->setText(m_recording ? snapshotSentence(*m_recording) : QString());
    m_instant->setText(m_recording ? instantText(*m_recording, m_event) : QString());
    m_instant->setToolTip(m_instant->text());
}

void MemorySnapshotPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    applySizes();
}

void MemorySnapshotPanel::applySizes()
{
    m_doctor->fitInto(*this);
}

} // namespace peakscope
