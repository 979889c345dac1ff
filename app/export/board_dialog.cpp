// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/board_dialog.h"

#include "app/export/figure_file.h"
#include "app/parts/icons.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "widgets/look/pieces.h"
#include "widgets/text/language_texts.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>

namespace peakscope {

BoardDialog::BoardDialog(QWidget* parent) : QDialog(parent), m_timer(this)
{
    resize(920, 560);
    auto* layout = new QVBoxLayout(this);
    m_messages = new MessageBar(this);
    auto* middle = new QHBoxLayout;
    layout->addLayout(buildChoices());
    layout->addLayout(middle, 1);
    auto* left = new QWidget(this);
    buildList(left);
    m_preview = new QLabel(this);
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setWordWrap(true);
    m_preview->setMinimumSize(320, 240);
    m_preview->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    m_preview->setFrameShape(QFrame::StyledPanel);
    middle->addWidget(left);
    middle->addWidget(m_preview, 1);
    m_messages->layOver(m_preview);
    layout->addLayout(buildButtons());
    connectParts();
    inLanguage(this, [this] {
        setWindowTitle(tr("Figure board"));
        m_preview->setAccessibleName(tr("Preview of the page"));
        sayPanels();
    });
}

QHBoxLayout* BoardDialog::buildChoices()
{
    auto* choices = new QHBoxLayout;
    m_columns = new QSpinBox(this);
    m_columns->setRange(0, 6);
    m_preset = new QComboBox(this);
    for (const FigurePreset& each : figurePresets())
        m_preset->addItem(QString::fromStdString(each.name));
    m_preset->setCurrentText(QStringLiteral("icml-page"));
    m_format = new QComboBox(this);
    m_format->addItems({QStringLiteral("pdf"), QStringLiteral("svg"), QStringLiteral("png")});
    addField(choices, m_columns, 0, [] { return tr("Columns"); });
    addField(choices, m_preset, 1, [] { return tr("Size"); });
    addField(choices, m_format, 0, [] { return tr("Format"); });
    inLanguage(this, [this] {
        m_columns->setSpecialValueText(tr("as many as fit"));
        m_columns->setToolTip(tr("Limited by the space that the figures' labels need"));
    });
    return choices;
}

QHBoxLayout* BoardDialog::buildButtons()
{
    auto* buttons = new QHBoxLayout;
    m_size = new QLabel(this);
    m_copy = new QPushButton(glyphIcon(Glyph::Copy), {}, this);
    m_save = new QPushButton(glyphIcon(Glyph::Save), {}, this);
    auto* close = new QPushButton(this);
    buttons->addWidget(m_size, 1);
    for (QPushButton* button : {m_copy, m_save, close}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    inLanguage(this, [this, close] {
        m_copy->setText(tr("Copy picture"));
        m_save->setText(tr("Save…"));
        close->setText(tr("Close"));
    });
    return buttons;
}

void BoardDialog::buildList(QWidget* parent)
{
    auto* layout = makeBox<QVBoxLayout>(parent);
    parent->setFixedWidth(fontMetrics().averageCharWidth() * 46);
    m_list = new QListWidget(parent);
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setDefaultDropAction(Qt::MoveAction);
    m_list->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    layout->addWidget(m_list, 1);
    auto* row = new QHBoxLayout;
    m_add = new QToolButton(parent);
    m_add->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_add->setPopupMode(QToolButton::InstantPopup);
    m_menu = new QMenu(m_add);
    m_add->setMenu(m_menu);
    m_remove = new QPushButton(parent);
    m_up = new QPushButton(parent);
    m_down = new QPushButton(parent);
    row->addWidget(m_add);
    for (QPushButton* button : {m_remove, m_up, m_down}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    layout->addLayout(row);
    const auto addKey = [this](const QKeySequence& keys, auto act) {
        auto* action = new QAction(m_list);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, act);
        m_list->addAction(action);
    };
    addKey(Qt::CTRL | Qt::Key_Up, [this] { move(-1); });
    addKey(Qt::CTRL | Qt::Key_Down, [this] { move(1); });
    addKey(QKeySequence::Delete, [this] { removeCurrent(); });
    inLanguage(this, [this] {
        m_remove->setText(tr("Remove"));
        m_up->setText(tr("Up"));
        m_down->setText(tr("Down"));
        m_list->setAccessibleName(tr("Figures of the page"));
        m_list->setToolTip(tr("Drag to order, or Ctrl+Up and Ctrl+Down; F2 or a double click changes a caption"));
        m_add->setText(tr("Add"));
        m_add->setToolTip(tr("Add a figure of what is in front in the window"));
    });
}

void BoardDialog::connectParts()
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(50);
    connect(&m_timer, &QTimer::timeout, this, &BoardDialog::updatePreview);
    connect(m_menu, &QMenu::aboutToShow, this, &BoardDialog::fillMenu);
    connect(m_remove, &QPushButton::clicked, this, &BoardDialog::removeCurrent);
    connect(m_up, &QPushButton::clicked, this, [this] { move(-1); });
    connect(m_down, &QPushButton::clicked, this, [this] { move(1); });
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, &BoardDialog::takeOrder);
    connect(m_list, &QListWidget::itemChanged, this, &BoardDialog::takeCaption);
    connect(m_list, &QListWidget::currentRowChanged, this, &BoardDialog::changed);
    connect(m_columns, &QSpinBox::valueChanged, this, [this](int columns) {
        m_board.columns = columns;
        changed();
    });
    connect(m_preset, &QComboBox::currentIndexChanged, this, &BoardDialog::changed);
    connect(m_save, &QPushButton::clicked, this, &BoardDialog::chooseAndSave);
    connect(m_copy, &QPushButton::clicked, this, &BoardDialog::copyImage);
}

FigurePreset BoardDialog::preset() const
{
    return figurePresets().at(static_cast<std::size_t>(std::max(0, m_preset->currentIndex())));
}

void BoardDialog::setResults(const RunResults& results)
{
    m_results = results;
    m_add->setEnabled(!availableFigures(results).empty());
}

void BoardDialog::addPanel(const std::string& figure, const RunResults& results)
{
    if (m_board.panels.size() >= FigureBoard::kMostPanels) {
        m_messages->showMessage(MessageBar::Kind::Warning,
                                [] { return tr("One page holds at most %1 figures.").arg(FigureBoard::kMostPanels); });
        return;
    }
    m_board.panels.push_back({figure, results, {}});
    fillList(static_cast<int>(m_board.panels.size()) - 1);
}

// Captions that are the figures' own; the page is drawn in the new language.
void BoardDialog::sayPanels()
{
    m_filling = true;
    for (int row = 0; row < m_list->count(); ++row) {
        const auto panel = static_cast<std::size_t>(m_list->item(row)->data(Qt::UserRole).toInt());
        m_list->item(row)->setText(panelCaption(m_board, panel));
        m_list->item(row)->setToolTip(figureTitle(m_board.panels[panel].figure));
    }
    m_filling = false;
    changed();
}

// Each line carries the number of its panel, so that a drag can be read from the list.
void BoardDialog::fillList(int current)
{
    m_filling = true;
    m_list->clear();
    for (std::size_t i = 0; i < m_board.panels.size(); ++i) {
        auto* item = new QListWidgetItem(panelCaption(m_board, i), m_list);
        item->setData(Qt::UserRole, static_cast<int>(i));
        item->setToolTip(figureTitle(m_board.panels[i].figure));
        item->setFlags((item->flags() | Qt::ItemIsEditable) & ~Qt::ItemIsDropEnabled);
    }
    m_list->setCurrentRow(current);
    m_filling = false;
    changed();
}

void BoardDialog::takeOrder()
{
    std::vector<BoardPanel> ordered;
    for (int row = 0; row < m_list->count(); ++row) {
        const auto panel = static_cast<std::size_t>(m_list->item(row)->data(Qt::UserRole).toInt());
        if (panel < m_board.panels.size())
            ordered.push_back(m_board.panels[panel]);
    }
    if (ordered.size() != m_board.panels.size())
        return; // in the middle of a move
    m_board.panels = std::move(ordered);
    m_filling = true;
    for (int row = 0; row < m_list->count(); ++row)
        m_list->item(row)->setData(Qt::UserRole, row);
    m_filling = false;
    changed();
}

void BoardDialog::takeCaption(QListWidgetItem* item)
{
    const auto panel = static_cast<std::size_t>(item->data(Qt::UserRole).toInt());
    if (m_filling || panel >= m_board.panels.size())
        return;
    m_board.panels[panel].caption = item->text().trimmed();
    if (m_board.panels[panel].caption.isEmpty()) { // the figure's own again
        m_filling = true;
        item->setText(panelCaption(m_board, panel));
        m_filling = false;
    }
    changed();
}

void BoardDialog::move(int by)
{
    const int row = m_list->currentRow();
    const int target = row + by;
    if (row < 0 || target < 0 || target >= m_list->count())
        return;
    std::swap(m_board.panels[static_cast<std::size_t>(row)], m_board.panels[static_cast<std::size_t>(target)]);
    fillList(target);
}

void BoardDialog::removeCurrent()
{
    const int row = m_list->currentRow();
    if (row < 0)
        return;
    m_board.panels.erase(m_board.panels.begin() + row);
    fillList(std::min(row, static_cast<int>(m_board.panels.size()) - 1));
}

void BoardDialog::fillMenu()
{
    m_menu->clear();
    for (const std::string& figure : availableFigures(m_results))
        m_menu->addAction(figureTitle(figure), this, [this, figure] { addPanel(figure, m_results); });
}

void BoardDialog::changed()
{
    if (m_filling)
        return;
    const int row = m_list->currentRow();
    m_remove->setEnabled(row >= 0);
    m_up->setEnabled(row > 0);
    m_down->setEnabled(row >= 0 && row + 1 < m_list->count());
    m_save->setEnabled(!m_board.panels.empty());
    m_copy->setEnabled(!m_board.panels.empty());
    if (isVisible())
        m_timer.start();
}

void BoardDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    m_timer.start();
}

void BoardDialog::resizeEvent(QResizeEvent* event)
{
    QDialog::resizeEvent(event);
    m_timer.start();
}

void BoardDialog::updatePreview()
{
    if (m_board.panels.empty()) {
        m_preview->setText(tr("Add figures of the results in front; “To the board” in the export window does the "
                              "same."));
        m_size->clear();
        return;
    }
    if (const Status status = checkBoard(m_board); !status) {
        m_preview->setText(QString::fromStdString(status.error().text()));
        return;
    }
    const QSizeF millimetres = boardSizeMm(m_board, preset());
    const double ratio = devicePixelRatioF();
    const QSizeF room = QSizeF(m_preview->contentsRect().size()) * ratio;
    constexpr double kMillimetresPerInch = 25.4;
    const double dpi =
        std::min(room.width() / millimetres.width(), room.height() / millimetres.height()) * kMillimetresPerInch;
    QImage image = renderBoardImage(m_board, preset(), FigureTheme::Light, std::max(20, static_cast<int>(dpi)));
    image.setDevicePixelRatio(ratio);
    m_preview->setPixmap(QPixmap::fromImage(image));
    const int columns = boardColumns(m_board, preset());
    QString size =
        tr("%1 × %2 mm, columns: %3").arg(qRound(millimetres.width())).arg(qRound(millimetres.height())).arg(columns);
    if (m_board.columns > columns && static_cast<int>(m_board.panels.size()) > columns)
        size += QStringLiteral(" · ") + tr("more columns need a wider page");
    m_size->setText(size);
}

void BoardDialog::chooseAndSave()
{
    const QString format = m_format->currentText();
    const QString proposal = QDir(settings::exportFolder()).filePath(QStringLiteral("board.") + format);
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the page"), proposal, tr("Figures (*.%1)").arg(format));
    if (!path.isEmpty())
        save(path);
}

bool BoardDialog::save(const QString& path)
{
    const std::string suffix = QFileInfo(path).suffix().toLower().toStdString();
    const FigureFormat format =
        figureFormatFromName(suffix).value_or(*figureFormatFromName(m_format->currentText().toStdString()));
    const Status written = saveBoardFile(path, m_board, preset(), format);
    if (!written) {
        m_messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(written.error().text()),
                                {{[] { return tr("Save elsewhere…"); }, [this] { chooseAndSave(); }}});
        return false;
    }
    settings::setExportFolder(QFileInfo(path).absolutePath());
    m_messages->showMessage(MessageBar::Kind::Info, [path] { return tr("Saved to %1").arg(path); });
    return true;
}

void BoardDialog::copyImage()
{
    QApplication::clipboard()->setImage(renderBoardImage(m_board, preset()));
}

} // namespace peakscope
