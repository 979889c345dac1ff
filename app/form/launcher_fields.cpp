// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/launcher_fields.h"

#include "app/form/form_fields.h"
#include "app/parts/launcher_presets.h"
#include "widgets/look/pieces.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QToolButton>

#include <algorithm>

namespace peakscope {

namespace {

// Marks the entry of a launcher that is none of the presets.
const QString kOwnWords = QStringLiteral("own");
constexpr int kOwnRole = Qt::UserRole + 1;

} // namespace

void LauncherFields::addMachine(QGridLayout* grid)
{
    m_machine = new QComboBox(m_page);
    m_machine->setObjectName(QStringLiteral("machine"));
    auto* manage = new QToolButton(m_page);
    manage->setObjectName(QStringLiteral("manageLaunchers"));
    auto* holder = new QWidget(m_page);
    auto* row = makeBox<QHBoxLayout>(holder);
    row->addWidget(m_machine, 1);
    row->addWidget(manage);
    auto* label = new QLabel(m_page);
    label->setBuddy(m_machine);
    const int line = grid->rowCount();
    grid->addWidget(label, line, 0);
    grid->addWidget(holder, line, 1);
    connect(manage, &QToolButton::clicked, this, &LauncherFields::manageRequested);
    connect(m_machine, &QComboBox::activated, this, [this](int index) {
        const QStringList words = m_machine->itemData(index).toStringList();
        m_own = m_own || words != this->words();
        m_fields["launcher"].line()->setText(commandLine(words));
        showMachine();
        emit chosen(words);
    });
    setLaunchers({});
    inLanguage(m_machine, [this, label, manage] {
        label->setText(tr("Machine"));
        m_machine->setAccessibleName(tr("Machine"));
        m_machine->setToolTip(tr("Where the run happens: this machine, or another one reached through a launcher."));
        m_machine->setItemText(0, tr("This machine"));
        if (const int own = m_machine->findData(kOwnWords, kOwnRole); own >= 0)
            m_machine->setItemText(own, tr("set by the launcher"));
        manage->setText(tr("Manage…"));
        manage->setToolTip(tr("Add, change and test the machines that runs can happen on"));
    });
}

void LauncherFields::addCommand(QGridLayout* grid)
{
    m_fields.addLine(grid, "launcher");
    QLineEdit* ranks = m_fields.addLine(grid, "ranks");
    m_fields.addChoice(grid, "training.sharding");
    auto* presets = new QToolButton(m_fields["ranks"].holder);
    presets->setObjectName(QStringLiteral("ranksPresets"));
    presets->setPopupMode(QToolButton::InstantPopup);
    m_fields["ranks"].holder->layout()->addWidget(presets);
    auto* menu = new QMenu(presets);
    presets->setMenu(menu);
    const auto add = [this, menu, ranks](LanguageText title, const QString& pattern) {
        QAction* action = menu->addAction(QString());
        inLanguage(menu, [action, title = std::move(title)] { action->setText(title.say()); });
        connect(action, &QAction::triggered, this, [this, ranks, pattern] {
            constexpr int kFirst = 2;
            const int wanted = std::max(ranks->text().toInt(), kFirst);
            ranks->setText(QString::number(wanted));
            QLineEdit* launcher = m_fields["launcher"].line();
            launcher->setText(pattern.isEmpty() ? QString() : pattern.arg(wanted));
            m_own = true;
            noteTyped();
            showMachine();
        });
    };
    add([] { return tr("This machine"); }, {});
    add([] { return tr("Hosts of a file (mpirun)"); }, QStringLiteral("mpirun --hostfile hosts -n %1"));
    add([] { return tr("Slurm (srun)"); }, QStringLiteral("srun -n %1 --mpi=pmix"));
    inLanguage(presets, [presets] {
        presets->setText(tr("Start with"));
        presets->setToolTip(tr("Fills in ranks and launcher for a usual way to start several processes"));
    });
    QLineEdit* launcher = m_fields["launcher"].line();
    connect(launcher, &QLineEdit::selectionChanged, this, [this, launcher] {
        m_selected = !launcher->text().isEmpty() && launcher->selectedText() == launcher->text();
    });
    connect(launcher, &QLineEdit::textEdited, this, [this] {
        m_own = m_own || m_selected || words().isEmpty();
        noteTyped();
        showMachine();
    });
    connect(launcher, &QLineEdit::editingFinished, this, [this, launcher] {
        if (launcher->isModified())
            emit chosen(words());
        launcher->setModified(false);
    });
}

void LauncherFields::setLaunchers(const std::vector<std::pair<QString, QStringList>>& launchers)
{
    m_machine->clear();
    m_machine->addItem(tr("This machine"), QStringList());
    for (const auto& [name, words] : launchers) {
        m_machine->addItem(name, words);
        m_machine->setItemData(m_machine->count() - 1, plainToolTip(commandLine(words)), Qt::ToolTipRole);
    }
    showMachine();
}

QStringList LauncherFields::words() const
{
    const FormField* field = m_fields.find("launcher");
    return field ? QProcess::splitCommand(field->line()->text()) : QStringList();
}

void LauncherFields::begin(const Origin& origin)
{
    m_origin = origin;
    const QStringList words = this->words();
    m_own = words.isEmpty() || origin.typed.contains(words);
    m_given = m_own ? QStringList() : words;
    m_typed = m_own ? words : QStringList();
    m_selected = false;
    showMachine();
}

// A command that came with a file stays the file's while any of it stands there, whatever was added.
void LauncherFields::noteTyped()
{
    const QStringList words = this->words();
    m_typed = m_own && words != m_given ? words : QStringList();
}

Origin LauncherFields::origin() const
{
    Origin origin = m_origin;
    if (!m_typed.isEmpty() && m_typed == words() && !origin.typed.contains(m_typed))
        origin.typed << m_typed;
    return origin;
}

// The choice whose words stand in the field; words of no preset are a choice of their own while they stand there.
void LauncherFields::showMachine()
{
    const QStringList words = this->words();
    for (int own = m_machine->findData(kOwnWords, kOwnRole); own >= 0; own = m_machine->findData(kOwnWords, kOwnRole))
        m_machine->removeItem(own);
    int index = -1;
    for (int i = 0; i < m_machine->count(); ++i)
        index = index < 0 && m_machine->itemData(i).toStringList() == words ? i : index;
    if (index < 0) {
        m_machine->addItem(tr("set by the launcher"), words);
        index = m_machine->count() - 1;
        m_machine->setItemData(index, kOwnWords, kOwnRole);
    }
    m_machine->setCurrentIndex(index);
}

} // namespace peakscope
