// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start_page.h"

#include "app/library/file_words.h"
#include "app/panels/sweep_panel.h"
#include "app/parts/elided_label.h"
#include "app/parts/icons.h"
#include "app/window/start_door.h"
#include "app/window/start_pictures.h"
#include "core/experiment/experiment.h"
#include "core/model/catalogue.h"
#include "core/results/plans/plan_document.h"
#include "widgets/look/pieces.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/plain_text.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <QComboBox>
#include <QCompleter>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>

#include <utility>

namespace peakscope {

namespace {

constexpr int kPageWidth = 1040;

QComboBox* makeSearchField(QWidget* parent)
{
    auto* combo = new QComboBox(parent);
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    combo->setMinimumContentsLength(6);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    combo->completer()->setCompletionMode(QCompleter::PopupCompletion);
    combo->completer()->setFilterMode(Qt::MatchContains);
    return combo;
}

template <typename Entry>
void fill(QComboBox* combo, const Result<std::vector<Entry>>& catalogue, const char* shown)
{
    if (catalogue) {
        for (const Entry& entry : *catalogue)
            combo->addItem(QString::fromStdString(entry.id));
    }
    combo->setEditText(QString::fromLatin1(shown));
}

QPushButton* addButton(StartDoor* door, const char* name, Glyph glyph)
{
    auto* button = new QPushButton(glyphIcon(glyph), {}, door);
    button->setObjectName(QString::fromLatin1(name));
    door->row()->addWidget(button);
    return button;
}

} // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent), m_loader(this)
{
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus); // the keys go from door to door, and it follows
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    makeBox<QVBoxLayout>(this)->addWidget(scroll);
    auto* content = new QWidget(scroll);
    scroll->setWidget(content);
    auto* outer = makeBox<QHBoxLayout>(content, {20, 12, 20, 12});
    auto* page = new QWidget(content);
    page->setMaximumWidth(kPageWidth);
    outer->addStretch(1);
    outer->addWidget(page, 100);
    outer->addStretch(1);
    auto* layout = makeBox<QVBoxLayout>(page, {}, 10);

    auto* head = new QHBoxLayout;
    head->setSpacing(12);
    auto* heading = new QLabel(QStringLiteral("Peakscope"), page);
    makeLarge(heading);
    auto* claim = new QLabel(page);
    claim->setWordWrap(true);
    head->addWidget(heading);
    head->addWidget(claim, 1, Qt::AlignBottom);
    layout->addLayout(head);
    layout->addWidget(makeHero(), 1);

    auto* doors = new QGridLayout;
    doors->setSpacing(10);
    addDoors(doors);
    layout->addLayout(doors);
    layout->addWidget(makeSamples());

    m_recentTitle = new QLabel(page);
    makeBold(m_recentTitle);
    layout->addWidget(m_recentTitle);
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(0);
    layout->addLayout(m_recent);
    m_recentTitle->hide();

    connect(&m_loader, &ResultLoader::loaded, this, &StartPage::take);
    inLanguage(this, [this, claim] {
        claim->setText(tr("Where does the memory of a training step go? See every byte by component, phase, "
                          "module and operator, live."));
        m_recentTitle->setText(tr("Recent files"));
        say();
    });
}

QWidget* StartPage::makeHero()
{
    m_hero = new QWidget(this);
    auto* layout = makeBox<QVBoxLayout>(m_hero, {}, 4);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_sentence = new ElidedLabel(m_hero);
    makeBold(m_sentence);
    auto* look = new QPushButton(glyphIcon(Glyph::Run), {}, m_hero);
    auto* run = new QPushButton(glyphIcon(Glyph::NewRun), {}, m_hero);
    look->setObjectName(QStringLiteral("demoResult"));
    run->setObjectName(QStringLiteral("demoRun"));
    row->addWidget(m_sentence, 1);
    row->addWidget(look);
    row->addWidget(run);
    layout->addLayout(row);
    m_hero->hide(); // until its sample is read
    connect(look, &QAbstractButton::clicked, this, [this] { emit actionRequested("demoResult"); });
    connect(run, &QAbstractButton::clicked, this, [this] { emit actionRequested("demo"); });
    inLanguage(m_hero, [look, run] {
        look->setText(tr("Look at the demo's results"));
        look->setToolTip(tr("Two finished runs that come with the program: training steps, and noise in weights"));
        run->setText(tr("Run the demo now"));
        run->setToolTip(tr("A few training steps of a model on built-in data. Then noise is added to classes of "
                           "weights of a smaller one. Takes a minute or two."));
    });
    return m_hero;
}

void StartPage::addDoors(QGridLayout* doors)
{
    m_doors = {{Sample::OutOfMemory, addOpening(this)},
               {Sample::Plan, addPlanning(this)},
               {Sample::Fit, addProgram(this)},
               {Sample::Training, addRunning(this)}};
    int place = 0;
    for (const Sample sample : {Sample::OutOfMemory, Sample::Plan, Sample::Fit, Sample::Training}) {
        doors->addWidget(m_doors[sample], place / 2, place % 2);
        ++place;
    }
    doors->setColumnStretch(0, 1);
    doors->setColumnStretch(1, 1);
}

StartDoor* StartPage::addOpening(QWidget* parent)
{
    auto* door = new StartDoor([] { return tr("Out of memory?"); },
                               [] {
                                   return tr("Open a CUDA memory snapshot: who held the memory, what grows, and what "
                                             "to change.");
                               },
                               parent);
    QPushButton* open = addButton(door, "openDoor", Glyph::Open);
    auto* drop = new ElidedLabel(door);
    drop->setForegroundRole(QPalette::PlaceholderText);
    door->row()->addWidget(drop, 1);
    connect(open, &QAbstractButton::clicked, this, [this] { emit actionRequested("open"); });
    inLanguage(door, [open, drop] {
        open->setText(tr("Open a file…"));
        drop->setText(tr("or drop it on this window"));
    });
    return door;
}

StartDoor* StartPage::addPlanning(QWidget* parent)
{
    auto* door = new StartDoor([] { return tr("Will it fit?"); },
                               [] {
                                   return tr("How to train a model on a GPU, the best way first, proved by dry runs. "
                                             "The card need not be here.");
                               },
                               parent);
    m_model = makeSearchField(door);
    m_card = makeSearchField(door);
    fill(m_model, loadModelCatalogue(), "llama-3.1-8b");
    fill(m_card, loadDeviceCatalogue(), "rtx-4090");
    auto* on = new QLabel(door);
    door->row()->addWidget(m_model, 1);
    door->row()->addWidget(on);
    door->row()->addWidget(m_card, 1);
    QPushButton* plan = addButton(door, "planDoor", Glyph::Plan);
    const auto ask = [this] {
        emit workspaceRequested(QStringLiteral("plan"), {{"model", m_model->currentText().trimmed().toStdString()},
                                                         {"device", m_card->currentText().trimmed().toStdString()}});
    };
    connect(plan, &QAbstractButton::clicked, this, ask);
    for (QComboBox* field : {m_model, m_card})
        connect(field->lineEdit(), &QLineEdit::returnPressed, this, ask);
    inLanguage(door, [this, on, plan] {
        on->setText(tr("on", "a model on a GPU"));
        plan->setText(tr("Plan"));
        m_model->setAccessibleName(tr("Model"));
        m_card->setAccessibleName(tr("GPU"));
    });
    return door;
}

StartDoor* StartPage::addProgram(QWidget* parent)
{
    auto* door = new StartDoor([] { return tr("Your own program"); },
                               [] {
                                   return tr("Run it unchanged: live on this machine, or dry. A dry run finds the "
                                             "largest batch for a card without a GPU.");
                               },
                               parent);
    m_command = new QLineEdit(door);
    m_command->setPlaceholderText(QStringLiteral("python train.py --batch 8"));
    door->row()->addWidget(m_command, 1);
    QPushButton* next = addButton(door, "programDoor", Glyph::NewRun);
    const auto ask = [this] {
        emit workspaceRequested(QStringLiteral("run"), {{"command", m_command->text().trimmed().toStdString()}});
    };
    connect(next, &QAbstractButton::clicked, this, ask);
    connect(m_command, &QLineEdit::returnPressed, this, ask);
    inLanguage(door, [this, next] {
        next->setText(tr("Choose where…"));
        m_command->setAccessibleName(tr("Command of your program"));
    });
    return door;
}

StartDoor* StartPage::addRunning(QWidget* parent)
{
    auto* door = new StartDoor([] { return tr("A small model"); },
                               [] {
                                   return tr("Train a few real steps on this machine and watch their memory, live. Or "
                                             "set up a model, a sweep or its curvature.");
                               },
                               parent);
    m_family = new QComboBox(door);
    for (const char* family : {"llama", "gpt2", "qwen3", "gpt_neox", "opt"})
        m_family->addItem(QString::fromLatin1(family));
    door->row()->addWidget(m_family);
    door->row()->addStretch(1);
    auto* setUp = new QPushButton(door);
    setUp->setObjectName(QStringLiteral("profileDoor"));
    door->row()->addWidget(setUp);
    QPushButton* run = addButton(door, "runDoor", Glyph::NewRun);
    connect(setUp, &QAbstractButton::clicked, this, [this] { emit actionRequested("newRun"); });
    connect(run, &QAbstractButton::clicked, this, [this] {
        nlohmann::json experiment = demoExperiment();
        experiment["model"]["family"] = m_family->currentText().toStdString();
        emit runRequested(experiment);
    });
    inLanguage(door, [this, setUp, run] {
        setUp->setText(tr("Set up…"));
        run->setText(tr("Run"));
        run->setToolTip(tr("Six layers of width 384, 8 rows of 256 tokens"));
        m_family->setAccessibleName(tr("Architecture"));
    });
    return door;
}

QWidget* StartPage::makeSamples()
{
    auto* samples = new QWidget(this);
    auto* row = makeBox<QHBoxLayout>(samples, {}, 4);
    auto* title = new QLabel(samples);
    makeBold(title);
    row->addWidget(title);
    const std::vector<std::pair<Sample, LanguageText>> all{
        {Sample::OutOfMemory, [] { return tr("Out of memory, explained"); }},
        {Sample::Plan, [] { return tr("Plan for an RTX 4090"); }},
        {Sample::Fit, [] { return tr("A batch found without a GPU"); }},
        {Sample::Noise, [] { return tr("Noise in weights"); }}};
    for (const auto& [sample, words] : all) {
        const QString file = sampleFile(sample);
        auto* button = new QToolButton(samples);
        button->setAutoRaise(true);
        button->setObjectName(QFileInfo(file).baseName());
        m_lastSample = button;
        button->setVisible(QFileInfo::exists(file));
        connect(button, &QToolButton::clicked, this, [this, file] { emit fileRequested(file); });
        row->addWidget(button);
        inLanguage(button, [button, words = words] { button->setText(words.say()); });
    }
    row->addStretch(1);
    inLanguage(samples, [title] { title->setText(tr("Samples")); });
    return samples;
}

void StartPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    constexpr int kFirst = 100; // milliseconds: a file that is opened at once is not held up
    if (!m_read)
        QTimer::singleShot(kFirst, this, &StartPage::readSamples);
}

void StartPage::readSamples()
{
    if (!isVisible() || std::exchange(m_read, true))
        return;
    for (const auto& [sample, door] : m_doors) {
        if (const QString file = sampleFile(sample); QFileInfo::exists(file))
            m_loader.load(file);
    }
}

void StartPage::take(const RunDocument& document)
{
    for (const auto& [sample, door] : m_doors) {
        if (QFileInfo(sampleFile(sample)) != QFileInfo(document.path))
            continue;
        m_samples[sample] = document;
        if (sample == Sample::Fit) {
            if (const auto fit = fitSectionOf(*document.result))
                door->setPicture(
                    [curves = fitCurves(*fit)](QPainter& painter, const QRectF& area, const ChartTheme& theme) {
                        paintFit(painter, area, curves, theme);
                    });
        } else if (sample == Sample::Plan) {
            const auto plan = planOf(*document.result);
            door->setPicture(
                [plan = plan ? *plan : PlanDocument()](QPainter& painter, const QRectF& area, const ChartTheme& theme) {
                    paintSteps(painter, area, plan, theme);
                });
        } else {
            door->setPicture(
                [course = courseOf(document)](QPainter& painter, const QRectF& area, const ChartTheme& theme) {
                    paintCourse(painter, area, course, theme);
                });
        }
    }
    const auto training = m_samples.find(Sample::Training);
    if (training == m_samples.end() || m_timeline || !training->second.timeline)
        return;
    const RunResult& result = *training->second.result;
    m_timeline = new MemoryTimelineView(m_hero);
    m_timeline->setTimeline(training->second.timeline);
    m_timeline->setPhases(result.memory->phases);
    m_timeline->setPrediction(result.prediction ? result.prediction->peakBytes : 0);
    m_hero->layout()->addWidget(m_timeline);
    setTabOrder(m_hero->findChild<QWidget*>(QStringLiteral("demoRun")), m_timeline);
    m_hero->show();
    say();
}

void StartPage::say()
{
    const auto training = m_samples.find(Sample::Training);
    if (training == m_samples.end() || !training->second.result->memory || !training->second.result->prediction)
        return;
    const RunResult& result = *training->second.result;
    m_sentence->setText(tr("A training run: predicted %1, measured %2")
                            .arg(bytesText(result.prediction->peakBytes), bytesText(result.memory->peakBytes)));
}

void StartPage::setRecentFiles(const QStringList& files, const LibraryIndex& index)
{
    constexpr int kShown = 4;
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    QWidget* last = m_lastSample;
    for (const QString& path : files.mid(0, kShown)) {
        auto* button = new QToolButton(m_recentTitle->parentWidget());
        button->setAutoRaise(true);
        setTabOrder(std::exchange(last, button), button); // before what stands beside this page
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIcon(glyphIcon(Glyph::Run));
        QStringList words{untoldTitle(path)};
        if (const auto entry = index.find(path); entry && entry->readable) {
            words = {entry->title};
            if (entry->peakBytes > 0)
                words << bytesText(entry->peakBytes);
        }
        words << whenText(QFileInfo(path).lastModified().toMSecsSinceEpoch());
        button->setText(words.join(QStringLiteral(" · ")));
        button->setToolTip(plainToolTip(path));
        connect(button, &QToolButton::clicked, this, [this, path] { emit fileRequested(path); });
        m_recent->addWidget(button, 0, Qt::AlignLeft);
    }
    m_recentTitle->setVisible(!files.isEmpty());
}

} // namespace peakscope
