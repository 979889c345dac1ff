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
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>

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
    inLanguage(this, [this] { sayTexts(); });
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
        connect(view, &TilesView::lineActivated, this, &MemorySnapshotPanel::showLine);
        connect(view, &TilesView::blockActivated, this, [this](std::size_t block) {
            const HeldBlock& held = m_recording->replay.blocks[block];
            showLine(QString::fromStdString(blockLine(*m_recording->snapshot, held)));
        });
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
}

void MemorySnapshotPanel::ask(std::int64_t event)
{
    m_event = event;
    m_course->setEvent(event);
    showList();
    showShape();
    sayTexts();
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
        static_cast<TilesView*>(m_shapes->currentWidget())->setInstant(m_recording, m_event);
}

void MemorySnapshotPanel::showLine(const QString& line)
{
    if (m_by->currentData().toInt() != static_cast<int>(HolderKey::Line))
        gatherBy(HolderKey::Line);
    m_alive->setCurrentName(line);
}

void MemorySnapshotPanel::sayTexts()
{
    m_sentence->setText(m_recording ? snapshotSentence(*m_recording) : QString());
    m_instant->setText(m_recording ? instantText(*m_recording, m_event) : QString());
    m_instant->setToolTip(m_instant->text());
}

void MemorySnapshotPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!std::exchange(m_sized, true))
        applySizes();
}

void MemorySnapshotPanel::applySizes()
{
    m_doctor->fitInto(height());
}

} // namespace peakscope
