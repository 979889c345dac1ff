// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/launcher_dialog.h"

#include "app/jobs/job_words.h"
#include "app/parts/message_bar.h"
#include "app/parts/settings.h"
#include "widgets/text/language_texts.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace peakscope {

namespace {

QString optionsTitle(LauncherKind kind)
{
    return kind == LauncherKind::Custom ? LauncherDialog::tr("Command before it") : LauncherDialog::tr("Further words");
}

} // namespace

LauncherDialog::LauncherDialog(QWidget* parent)
    : QDialog(parent), m_presets(launchersFromBytes(settings::launchers())), m_check(this)
{
    resize(fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 24);
    auto* layout = new QVBoxLayout(this);
    m_messages = new MessageBar(this);
    auto* columns = new QHBoxLayout;
    auto* left = new QVBoxLayout;
    m_list = new QListWidget(this);
    m_list->setMaximumWidth(fontMetrics().averageCharWidth() * 32);
    left->addWidget(m_list, 1);
    auto* buttons = new QHBoxLayout;
    m_add = new QPushButton(this);
    m_remove = new QPushButton(this);
    for (QPushButton* button : {m_add, m_remove}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    left->addLayout(buttons);
    columns->addLayout(left);
    m_fields = new QWidget(this);
    buildFields(m_fields);
    columns->addWidget(m_fields, 1);
    m_messages->layOver(m_fields);
    layout->addLayout(columns, 1);
    auto* close = new QPushButton(this);
    close->setAutoDefault(false);
    layout->addWidget(close, 0, Qt::AlignRight);

    for (const LauncherPreset& preset : m_presets)
        m_list->addItem(preset.name);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connectParts();
    m_list->setCurrentRow(m_presets.empty() ? -1 : 0);
    showCurrent();
    inLanguage(this, [this, close] {
        showState();
        m_add->setText(tr("Add"));
        m_remove->setText(tr("Remove"));
        close->setText(tr("Close"));
        setWindowTitle(tr("Machines for runs"));
        m_list->setAccessibleName(tr("Machines"));
    });
}

void LauncherDialog::connectParts()
{
    connect(m_list, &QListWidget::currentRowChanged, this, &LauncherDialog::showCurrent);
    connect(m_add, &QPushButton::clicked, this, &LauncherDialog::add);
    connect(m_remove, &QPushButton::clicked, this, &LauncherDialog::removeCurrent);
    connect(m_test, &QPushButton::clicked, this, &LauncherDialog::test);
    connect(&m_check, &LauncherCheck::answered, this, [this](const DeviceList& devices) {
        QStringList names;
        for (const auto& [id, title] : devices)
            names << (title.isEmpty() ? id : QStringLiteral("%1 (%2)").arg(id, title));
        m_messages->showMessage(MessageBar::Kind::Info,
                                [names = names.join(QStringLiteral(", "))] { return tr("It answers: %1").arg(names); });
        showState();
    });
    connect(&m_check, &LauncherCheck::failed, this, [this](const QString& sentence) {
        m_messages->showMessage(MessageBar::Kind::Error, sentence);
        showState();
    });
}

void LauncherDialog::buildFields(QWidget* box)
{
    auto* form = new QFormLayout(box);
    form->setContentsMargins(8, 0, 0, 0);
    const auto addLine = [this, form](LanguageText title, LanguageText tip) {
        auto* line = new QLineEdit(this);
        addRow(form, line, title);
        inLanguage(line, [line, title = std::move(title), tip = std::move(tip)] {
            line->setAccessibleName(title.say());
            line->setToolTip(tip.say());
        });
        connect(line, &QLineEdit::textEdited, this, &LauncherDialog::takeFields);
        return line;
    };
    m_name = addLine([] { return tr("Name"); }, [] { return tr("What the choice of machines shows"); });
    m_kind = new QComboBox(this);
    for (const LauncherKind kind : {LauncherKind::Ssh, LauncherKind::Slurm, LauncherKind::Custom})
        addItem(m_kind, static_cast<int>(kind), [kind] { return launcherKindTitle(kind); });
    addRow(form, m_kind, [] { return tr("Kind"); });
    connect(m_kind, &QComboBox::activated, this, &LauncherDialog::takeFields);
    m_host = addLine([] { return tr("Host"); },
                     [] {
                         return tr("USER@HOST or a name of ssh's configuration; a key must open it without a password. "
                                   "Of Slurm: the login node, empty where this machine is one.");
                     });
    m_hostLabel = qobject_cast<QLabel*>(form->labelForField(m_host));
    m_options = addLine([this] { return optionsTitle(static_cast<LauncherKind>(m_kind->currentData().toInt())); },
                        [] { return tr("Options of ssh or srun, or the whole command before the worker's"); });
    m_optionsLabel = qobject_cast<QLabel*>(form->labelForField(m_options));
    m_program = addLine([] { return tr("peakscope-cli there"); },
                        [] { return tr("Its path on that machine; empty where it is on the path there"); });
    m_program->setPlaceholderText(QStringLiteral("peakscope-cli"));
    m_command = new QPlainTextEdit(this);
    m_command->setObjectName(QStringLiteral("words"));
    m_command->setReadOnly(true);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setTabChangesFocus(true);
    addRow(form, m_command, [] { return tr("Command"); });
    m_test = new QPushButton(this);
    m_test->setAutoDefault(false);
    form->addRow(QString(), m_test);
    inLanguage(this, [this] {
        m_test->setToolTip(tr("Lists the devices that the program there reports"));
        m_kind->setAccessibleName(tr("Kind"));
        m_command->setAccessibleName(tr("Command"));
    });
}

int LauncherDialog::current() const
{
    const int row = m_list->currentRow();
    return row < static_cast<int>(m_presets.size()) ? row : -1;
}

void LauncherDialog::showCurrent()
{
    m_check.cancel();
    m_messages->dismiss();
    m_filling = true;
    const LauncherPreset preset = current() < 0 ? LauncherPreset() : m_presets[static_cast<std::size_t>(current())];
    m_name->setText(preset.name);
    m_kind->setCurrentIndex(std::max(0, m_kind->findData(static_cast<int>(preset.kind))));
    m_host->setText(preset.host);
    m_options->setText(preset.options);
    m_program->setText(preset.program);
    m_filling = false;
    showState();
}

// What can be done with the fields as they stand, and the command that they make.
void LauncherDialog::showState()
{
    const bool any = current() >= 0;
    m_fields->setEnabled(any);
    m_remove->setEnabled(any);
    const LauncherPreset preset = any ? m_presets[static_cast<std::size_t>(current())] : LauncherPreset();
    const QString problem = any ? launcherProblem(preset) : tr("Add a machine: a server over ssh, or a cluster.");
    m_test->setEnabled(any && problem.isEmpty() && !m_check.busy());
    m_test->setText(m_check.busy() ? tr("Testing…") : tr("Test"));
    const bool hosted = preset.kind == LauncherKind::Ssh || preset.kind == LauncherKind::Slurm;
    m_host->setVisible(hosted);
    m_hostLabel->setVisible(hosted);
    m_optionsLabel->setText(optionsTitle(preset.kind));
    m_command->setPlainText(problem.isEmpty() ? commandLine(workerCommand(launcherWords(preset))) : problem);
}

void LauncherDialog::takeFields()
{
    if (m_filling || current() < 0)
        return;
    LauncherPreset& preset = m_presets[static_cast<std::size_t>(current())];
    preset.name = m_name->text();
    preset.kind = static_cast<LauncherKind>(m_kind->currentData().toInt());
    preset.host = m_host->text();
    preset.options = m_options->text();
    preset.program = m_program->text();
    m_list->currentItem()->setText(preset.name);
    m_check.cancel();
    m_messages->dismiss();
    settings::setLaunchers(launchersToBytes(m_presets));
    showState();
    emit presetsChanged();
}

void LauncherDialog::add()
{
    LauncherPreset preset;
    const auto taken = [this](const QString& name) {
        return std::any_of(m_presets.begin(), m_presets.end(),
                           [&name](const LauncherPreset& each) { return each.name == name; });
    };
    for (int number = static_cast<int>(m_presets.size()) + 1; preset.name.isEmpty() || taken(preset.name); ++number)
        preset.name = tr("Machine %1").arg(number);
    m_presets.push_back(preset);
    m_list->addItem(preset.name);
    m_list->setCurrentRow(m_list->count() - 1);
    settings::setLaunchers(launchersToBytes(m_presets));
    m_name->setFocus();
    m_name->selectAll();
    emit presetsChanged();
}

void LauncherDialog::removeCurrent()
{
    const int row = current();
    if (row < 0)
        return;
    m_presets.erase(m_presets.begin() + row);
    {
        const QSignalBlocker quiet(m_list);
        delete m_list->takeItem(row);
    }
    settings::setLaunchers(launchersToBytes(m_presets));
    showCurrent();
    emit presetsChanged();
}

void LauncherDialog::test()
{
    if (current() < 0)
        return;
    m_messages->dismiss();
    const QStringList words = launcherWords(m_presets[static_cast<std::size_t>(current())]);
    if (const auto own = CommandConsent().decide(words, {{}, {}, {words}})) // as it stands in these fields
        m_check.start(*own);
    showState();
}

} // namespace peakscope
