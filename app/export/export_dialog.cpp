// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/export_dialog.h"

#include "app/export/figure_file.h"
#include "app/export/figure_language.h"
#include "app/parts/fonts.h"
#include "app/parts/icons.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "widgets/text/language_texts.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStandardItemModel>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace peakscope {

namespace {

enum class FigureRange { Steps, All, Seen };

} // namespace

ExportDialog::ExportDialog(QWidget* parent) : QDialog(parent), m_timer(this)
{
    resize(760, 520);
    auto* layout = new QVBoxLayout(this);
    m_messages = new MessageBar(this);
    m_figure = new QComboBox(this);
    m_preset = new QComboBox(this);
    for (const FigurePreset& each : figurePresets())
        m_preset->addItem(QString::fromStdString(each.name));
    m_format = new QComboBox(this);
    m_format->addItems({QStringLiteral("pdf"), QStringLiteral("svg"), QStringLiteral("png")});
    m_language = new QComboBox(this);
    m_language->setObjectName(QStringLiteral("figureLanguage"));
    addItem(m_language, QString(), [] { return tr("that of the window"); });
    m_language->addItem(QStringLiteral("English"), QStringLiteral("en")); // each in its own
    if (canWriteChinese())
        m_language->addItem(QStringLiteral("中文"), QStringLiteral("zh"));
    m_caption = new QCheckBox(this);
    m_caption->setObjectName(QStringLiteral("captionFile"));
    m_preview = new QLabel(this);
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setMinimumSize(320, 200);
    m_preview->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    m_preview->setFrameShape(QFrame::StyledPanel);
    m_size = new QLabel(this);

    m_panels = new QToolButton(this);
    m_panels->setObjectName(QStringLiteral("panels"));
    m_panels->setPopupMode(QToolButton::InstantPopup);
    m_panels->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_panels->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_panels->setMenu(new QMenu(m_panels));
    m_range = new QComboBox(this);
    m_range->setObjectName(QStringLiteral("figureRange"));
    const auto addRange = [this](FigureRange range, LanguageText text) {
        addItem(m_range, static_cast<int>(range), std::move(text));
    };
    addRange(FigureRange::Steps, [] { return tr("the steps"); });
    addRange(FigureRange::All, [] { return tr("all"); });
    addRange(FigureRange::Seen, [] { return tr("as in the plot"); });
    m_maxHeight = new QDoubleSpinBox(this);
    m_maxHeight->setObjectName(QStringLiteral("maxHeight"));
    m_maxHeight->setRange(0, 2000);
    m_maxHeight->setDecimals(0);
    m_maxHeight->setSingleStep(10);

    auto* choices = new QHBoxLayout;
    auto* more = new QHBoxLayout;
    addField(choices, m_figure, 2, [] { return tr("Figure"); });
    addField(choices, m_preset, 1, [] { return tr("Size"); });
    addField(choices, m_format, 0, [] { return tr("Format"); });
    addField(more, m_panels, 1, [] { return tr("Panels"); });
    addField(more, m_range, 0, [] { return tr("Time"); });
    addField(more, m_maxHeight, 0, [] { return tr("Greatest height"); });
    addField(more, m_language, 0, [] { return tr("Language"); });
    more->addWidget(m_caption);
    auto* buttons = new QHBoxLayout;
    m_save = new QPushButton(glyphIcon(Glyph::Save), {}, this);
    m_save->setDefault(true);
    auto* image = new QPushButton(glyphIcon(Glyph::Copy), {}, this);
    auto* data = new QPushButton(glyphIcon(Glyph::Copy), {}, this);
    auto* board = new QPushButton(this);
    board->setObjectName(QStringLiteral("toBoard"));
    auto* close = new QPushButton(this);
    buttons->addWidget(m_size, 1);
    for (QPushButton* button : {data, image, board, m_save, close})
        buttons->addWidget(button);
    layout->addLayout(choices);
    layout->addLayout(more);
    layout->addWidget(m_preview, 1);
    m_messages->layOver(m_preview);
    layout->addLayout(buttons);

    m_timer.setSingleShot(true);
    m_timer.setInterval(50);
    connect(&m_timer, &QTimer::timeout, this, &ExportDialog::updatePreview);
    connect(m_figure, &QComboBox::currentIndexChanged, this, &ExportDialog::fillPanels);
    connect(m_figure, &QComboBox::currentIndexChanged, &m_timer, qOverload<>(&QTimer::start));
    connect(m_figure, &QComboBox::currentIndexChanged, this, &ExportDialog::showRange);
    connect(m_range, &QComboBox::currentIndexChanged, &m_timer, qOverload<>(&QTimer::start));
    connect(m_maxHeight, &QDoubleSpinBox::valueChanged, &m_timer, qOverload<>(&QTimer::start));
    connect(m_preset, &QComboBox::currentIndexChanged, &m_timer, qOverload<>(&QTimer::start));
    connect(m_language, &QComboBox::currentIndexChanged, &m_timer, qOverload<>(&QTimer::start));
    connect(m_caption, &QCheckBox::toggled, &m_timer, qOverload<>(&QTimer::start));
    connect(m_save, &QPushButton::clicked, this, &ExportDialog::chooseAndSave);
    connect(image, &QPushButton::clicked, this, &ExportDialog::copyImage);
    connect(data, &QPushButton::clicked, this, &ExportDialog::copyData);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connect(board, &QPushButton::clicked, this, [this] {
        if (m_figure->count() > 0)
            emit boardRequested(figure(), m_results);
    });
    inLanguage(this, [this, image, data, board, close] {
        m_maxHeight->setSuffix(tr(" mm"));
        m_caption->setText(tr("Caption in a file"));
        m_caption->setToolTip(tr("The text at the head of the figure goes into a file beside it, in both languages"));
        m_range->setToolTip(tr("Which part of a timeline is drawn"));
        sayFigures();
        m_save->setText(tr("Save…"));
        image->setText(tr("Copy picture"));
        data->setText(tr("Copy data"));
        data->setToolTip(tr("The numbers behind the figure, as CSV"));
        board->setText(tr("To the board"));
        board->setToolTip(tr("Add it to a page with other figures"));
        close->setText(tr("Close"));
        setWindowTitle(tr("Export a figure"));
        m_preview->setAccessibleName(tr("Preview of the figure"));
        m_panels->setToolTip(tr("Which of the figure's panels are drawn; each keeps its letter"));
        m_maxHeight->setSpecialValueText(tr("that of the page"));
        m_maxHeight->setToolTip(tr("Largest page height; further panels go to more pages of a PDF"));
    });
}

std::string ExportDialog::figure() const
{
    return m_figure->currentData().toString().toStdString();
}

FigurePreset ExportDialog::preset() const
{
    const FigurePreset& chosen = figurePresets().at(static_cast<std::size_t>(std::max(0, m_preset->currentIndex())));
    FigurePreset preset = withGreatestHeight(chosen, m_maxHeight->value());
    preset.panels = chosenPanels();
    preset.captionApart = m_caption->isChecked();
    const auto range = static_cast<FigureRange>(m_range->currentData().toInt());
    if (m_range->isEnabled() && range == FigureRange::All)
        preset.range = {0, std::numeric_limits<double>::infinity()};
    else if (m_range->isEnabled() && range == FigureRange::Seen)
        preset.range = m_seen;
    return preset;
}

QString ExportDialog::language() const
{
    return m_language->currentData().toString();
}

std::vector<std::size_t> ExportDialog::chosenPanels() const
{
    std::vector<std::size_t> panels;
    const QList<QAction*> actions = m_panels->menu()->actions();
    for (qsizetype i = 0; i < actions.size(); ++i) {
        if (actions[i]->isChecked())
            panels.push_back(static_cast<std::size_t>(i));
    }
    return panels.size() == static_cast<std::size_t>(actions.size()) ? std::vector<std::size_t>() : panels;
}

void ExportDialog::fillPanels()
{
    QMenu* menu = m_panels->menu();
    menu->clear();
    for (const FigurePanel& panel : figurePanels(figure(), m_results)) {
        QAction* action = menu->addAction(QStringLiteral("(%1) %2").arg(panel.letter, panel.title));
        action->setCheckable(true);
        action->setChecked(true);
        connect(action, &QAction::toggled, this, [this, action](bool checked) {
            if (!checked && chosenPanels().empty()) // a figure without a panel is none
                action->setChecked(true);
            showPanels();
            m_timer.start();
        });
    }
    showPanels();
}

// The titles of the figures, and the letters and titles of the panels of the one chosen.
void ExportDialog::sayFigures()
{
    for (int i = 0; i < m_figure->count(); ++i)
        m_figure->setItemText(i, figureTitle(m_figure->itemData(i).toString().toStdString()));
    const QList<QAction*> actions = m_panels->menu()->actions();
    const auto panels = m_figure->count() > 0 ? figurePanels(figure(), m_results) : std::vector<FigurePanel>();
    for (qsizetype i = 0; i < std::min(actions.size(), static_cast<qsizetype>(panels.size())); ++i) {
        const FigurePanel& panel = panels[static_cast<std::size_t>(i)];
        actions[i]->setText(QStringLiteral("(%1) %2").arg(panel.letter, panel.title));
    }
    showPanels();
    if (isVisible())
        m_timer.start(); // the figure is drawn in the new language
}

void ExportDialog::showPanels()
{
    QStringList letters;
    for (const QAction* action : m_panels->menu()->actions()) {
        if (action->isChecked())
            letters << action->text().section(u' ', 0, 0);
    }
    const bool all = letters.size() == m_panels->menu()->actions().size();
    m_panels->setEnabled(!letters.isEmpty());
    m_panels->setText(letters.isEmpty() ? tr("one only")
                      : all             ? tr("all: %1").arg(letters.join(u' '))
                                        : letters.join(u' '));
}

void ExportDialog::setResults(const RunResults& results)
{
    const QString current = m_figure->currentData().toString();
    m_results = results;
    m_figure->clear();
    for (const std::string& each : availableFigures(results))
        m_figure->addItem(figureTitle(each), QString::fromStdString(each));
    setFigure(current);
    m_save->setEnabled(m_figure->count() > 0);
    fillPanels();
    m_timer.start();
}

void ExportDialog::setFigure(const QString& figure)
{
    const int index = m_figure->findData(figure);
    if (index >= 0)
        m_figure->setCurrentIndex(index);
}

void ExportDialog::setSeen(std::optional<std::pair<double, double>> seen)
{
    m_seen = seen;
    const int place = m_range->findData(static_cast<int>(FigureRange::Seen));
    static_cast<QStandardItemModel*>(m_range->model())->item(place)->setEnabled(m_seen.has_value());
    const auto chosen = m_seen ? FigureRange::Seen : FigureRange::Steps;
    m_range->setCurrentIndex(m_range->findData(static_cast<int>(chosen)));
    showRange();
    m_timer.start();
}

void ExportDialog::showRange()
{
    m_range->setEnabled(figure() == "memory_timeline" || figure() == "memory_ranks");
}

void ExportDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    m_timer.start();
}

void ExportDialog::resizeEvent(QResizeEvent* event)
{
    QDialog::resizeEvent(event);
    m_timer.start();
}

void ExportDialog::updatePreview()
{
    if (m_figure->count() == 0) {
        m_preview->setText(tr("This result holds nothing that a figure could show."));
        return;
    }
    const FigureLanguage spoken(language());
    const QSizeF millimetres = figureSizeMm(figure(), m_results, preset());
    const double ratio = devicePixelRatioF();
    const QSizeF room = QSizeF(m_preview->contentsRect().size()) * ratio;
    constexpr double kMillimetresPerInch = 25.4;
    const double dpi =
        std::min(room.width() / millimetres.width(), room.height() / millimetres.height()) * kMillimetresPerInch;
    QImage image = renderFigureImage(figure(), m_results, preset(), FigureTheme::Light, std::max(20, int(dpi)));
    image.setDevicePixelRatio(ratio);
    m_preview->setPixmap(QPixmap::fromImage(image));
    sayPages(millimetres);
}

void ExportDialog::sayPages(const QSizeF& millimetres)
{
    QString size = tr("%1 × %2 mm").arg(qRound(millimetres.width())).arg(qRound(millimetres.height()));
    if (const std::size_t pages = figurePageCount(figure(), m_results, preset()); pages > 1)
        size += tr(", %1 pages as PDF").arg(pages);
    m_size->setText(size);
}

void ExportDialog::chooseAndSave()
{
    const QString format = m_format->currentText();
    const QString proposal = QDir(settings::exportFolder()).filePath(QString::fromStdString(figure()) + u'.' + format);
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save the figure"), proposal, tr("Figures (*.%1)").arg(format));
    if (!path.isEmpty())
        save(path);
}

bool ExportDialog::save(const QString& path)
{
    const std::string suffix = QFileInfo(path).suffix().toLower().toStdString();
    const FigureFormat format =
        figureFormatFromName(suffix).value_or(*figureFormatFromName(m_format->currentText().toStdString()));
    // A page's own height is always made to do; one that was asked for may be too little.
    Status written = m_maxHeight->value() > 0 ? checkHeight(figure(), m_results, preset()) : Status(Done{});
    if (written && m_caption->isChecked())
        written = saveCaptionFile(path, figure(), m_results, preset());
    if (written) {
        const FigureLanguage spoken(language());
        written = saveFigureFile(path, figure(), m_results, preset(), format);
    }
    if (!written) {
        m_messages->showMessage(MessageBar::Kind::Error, QString::fromStdString(written.error().text()),
                                {{[] { return tr("Save elsewhere…"); }, [this] { chooseAndSave(); }}});
        return false;
    }
    const QString folder = QFileInfo(path).absolutePath();
    settings::setExportFolder(folder);
    m_messages->showMessage(
        MessageBar::Kind::Info, [path] { return tr("Saved to %1").arg(path); },
        {{[] { return tr("Open the folder"); }, [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); }}});
    m_messages->endInTime();
    return true;
}

void ExportDialog::copyImage()
{
    const FigureLanguage spoken(language());
    QApplication::clipboard()->setImage(renderFigureImage(figure(), m_results, preset()));
}

void ExportDialog::copyData()
{
    QApplication::clipboard()->setText(QString::fromUtf8(figureCsv(figure(), m_results)));
}

} // namespace peakscope
