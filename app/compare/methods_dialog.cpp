// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/methods_dialog.h"

#include "app/parts/dialog_foot.h"
#include "core/experiment/experiment.h"
#include "widgets/text/language_texts.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace peakscope {

namespace {

// What the seeds' comparisons are of; the rest is there to be ticked.
constexpr Clipping kUsual[] = {Clipping::None, Clipping::Ghost, Clipping::Flash};
constexpr int kUsualRounds = 5; // as compare-methods takes

QString methodText(Clipping clipping)
{
    switch (clipping) {
    case Clipping::None:
        return MethodsDialog::tr("vanilla: no clipping, no noise");
    case Clipping::PerSample:
        return MethodsDialog::tr("per_sample: holds each row's gradient");
    case Clipping::Microbatch:
        return MethodsDialog::tr("microbatch: one row after another");
    case Clipping::Ghost:
        return MethodsDialog::tr("ghost: norms from Gram matrices of T × T, a second pass for the sum");
    case Clipping::Flash:
        return MethodsDialog::tr("flash: norms summed tile by tile, a second pass for the sum");
    case Clipping::GhostBk:
        return MethodsDialog::tr("ghost_bk: as ghost in one pass, keeps what the sum takes");
    case Clipping::FlashBk:
        return MethodsDialog::tr("flash_bk: as flash in one pass, keeps what the sum takes");
    case Clipping::Auto:
        return MethodsDialog::tr("auto: the fastest of them within the budget");
    }
    return {};
}

} // namespace

MethodsDialog::MethodsDialog(const QString& summary, QWidget* parent) : QDialog(parent)
{
    auto* layout = new QVBoxLayout(this);
    auto* what = new QLabel(summary, this);
    what->setTextFormat(Qt::PlainText);
    what->setWordWrap(true);
    layout->addWidget(what);
    for (std::size_t i = 0; i < kEnumWords<Clipping>.size(); ++i) {
        const auto clipping = static_cast<Clipping>(i);
        const QString word = QString::fromUtf8(name(clipping).data(), qsizetype(name(clipping).size()));
        auto* box = new QCheckBox(this);
        box->setObjectName(clipping == Clipping::None ? QStringLiteral("vanilla") : word);
        box->setChecked(std::find(std::begin(kUsual), std::end(kUsual), clipping) != std::end(kUsual));
        connect(box, &QCheckBox::toggled, this, &MethodsDialog::check);
        inLanguage(box, [box, clipping] { box->setText(methodText(clipping)); });
        layout->addWidget(box);
        m_boxes.push_back(box);
    }
    auto* form = new QFormLayout;
    m_rounds = new QSpinBox(this);
    m_rounds->setRange(1, 1000);
    m_rounds->setValue(kUsualRounds);
    addRow(form, m_rounds, [] { return tr("Rounds; each method runs once per round"); });
    layout->addLayout(form);
    connect(m_rounds, &QSpinBox::valueChanged, this, &MethodsDialog::check);
    const DialogFoot foot = addDialogFoot(this, layout);
    m_verdict = foot.verdict;
    m_run = foot.accept;
    setMinimumWidth(fontMetrics().averageCharWidth() * 64);
    inLanguage(this, [this] {
        setWindowTitle(tr("Compare methods"));
        m_run->setText(tr("Compare"));
        check();
    });
}

QStringList MethodsDialog::methods() const
{
    QStringList methods;
    for (const QCheckBox* box : m_boxes) {
        if (box->isChecked())
            methods << box->objectName();
    }
    return methods;
}

int MethodsDialog::rounds() const
{
    return m_rounds->value();
}

QCheckBox* MethodsDialog::methodBox(const QString& method) const
{
    const auto found =
        std::find_if(m_boxes.begin(), m_boxes.end(), [&](const QCheckBox* box) { return box->objectName() == method; });
    return found == m_boxes.end() ? nullptr : *found;
}

void MethodsDialog::check()
{
    if (!m_run)
        return; // still being built
    const auto count = methods().size();
    m_run->setEnabled(count > 0);
    m_verdict->setText(count == 0 ? tr("Nothing to compare: choose a method.")
                                  : tr("Processes: %1, in sequence: one per method for its memory, then one per method "
                                       "and round for its time, untraced.")
                                        .arg(count * (1 + rounds())));
}

} // namespace peakscope
