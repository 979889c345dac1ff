// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/doctor.h"

#include "app/parts/elided_label.h"
#include "widgets/look/pieces.h"
#include "widgets/tables/usage_tables.h"
#include "widgets/text/plain_text.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace peakscope {

Doctor::Doctor(QWidget* parent) : QWidget(parent), m_thread(this, QStringLiteral("doctor"))
{
    makeBox<QVBoxLayout>(this, {}, 0);
    buildHead();
    m_remedies = new DataTableView(this);
    m_remedies->setObjectName(QStringLiteral("remedies"));
    m_remedies->view()->horizontalHeader()->setStretchLastSection(true);
    m_remedies->hide();
    static_cast<QVBoxLayout*>(layout())->addWidget(m_remedies, 1);
    connect(m_button, &QToolButton::toggled, this, [this](bool open) {
        m_remedies->setVisible(open);
        if (open)
            ask();
        sayState();
        emit toggled(open);
    });
    connect(m_take, &QToolButton::clicked, this, &Doctor::choose);
    connect(m_remedies, &DataTableView::rowActivated, this, &Doctor::choose);
    inLanguage(this, [this] {
        m_button->setText(tr("Doctor"));
        m_button->setToolTip(tr("Who holds the memory, what grows, and what would help"));
        m_take->setText(tr("New run like this"));
        m_take->setToolTip(tr("Fills the form with the experiment, changed by the chosen remedy"));
        sayState();
    });
}

Doctor::~Doctor()
{
    m_stop.request_stop();
}

void Doctor::buildHead()
{
    auto* row = makeBox<QHBoxLayout>(nullptr, {8, 2, 8, 2}, 8);
    m_button = new QToolButton(this);
    m_button->setObjectName(QStringLiteral("doctor"));
    m_button->setCheckable(true);
    m_button->setAutoRaise(true);
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_sentence = makeYielding(new ElidedLabel(this), "doctorSentence");
    m_take = new QToolButton(this);
    m_take->setObjectName(QStringLiteral("takeRemedy"));
    m_take->hide();
    row->addWidget(m_button);
    row->addWidget(m_sentence, 1);
    row->addWidget(m_take);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

bool Doctor::isOpen() const
{
    return m_button->isChecked();
}

QString Doctor::sentence() const
{
    return m_sentence->text();
}

void Doctor::setCase(std::optional<DoctorCase> shown)
{
    m_stop.request_stop();
    m_case = std::move(shown);
    m_asked = m_busy = false;
    m_experiments.clear();
    m_remedies->clear();
    m_button->setChecked(m_case && m_case->opens);
    if (isOpen())
        ask();
    sayState();
}

void Doctor::ask()
{
    if (m_asked || !m_case)
        return;
    m_asked = m_busy = true;
    m_remedies->setPlaceholder(m_case->working);
    m_stop = {};
    m_thread.post([this, ask = m_case->ask, stop = m_stop.get_token()] {
        if (stop.stop_requested())
            return;
        const DoctorAnswer answer = ask(stop);
        m_thread.answer(stop, [this, answer] { showAnswer(answer); });
    });
}

void Doctor::showAnswer(const DoctorAnswer& answer)
{
    m_busy = false;
    m_experiments = answer.experiments;
    m_remedies->setPlaceholder(answer.fault.empty() ? m_case->nothing
                                                    : LanguageText(QString::fromStdString(answer.fault)));
    m_remedies->setTable(answer.remedies);
    if (!answer.remedies.rows.empty() && !m_experiments.empty())
        m_remedies->view()->selectRow(0);
    sayState();
}

std::optional<std::size_t> Doctor::chosenRow() const
{
    const int row = m_remedies->sourceRow(m_remedies->view()->currentIndex());
    return row < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(row));
}

void Doctor::choose()
{
    if (const auto row = chosenRow(); row && *row < m_experiments.size()) {
        const nlohmann::json experiment = m_experiments[*row]; // whoever takes it may show another case
        emit experimentChosen(experiment);
    }
}

void Doctor::sayState()
{
    m_sentence->setText(m_case ? m_case->sentence.say() : QString());
    m_sentence->setToolTip(plainToolTip(m_sentence->text()));
    m_take->setVisible(isOpen() && !m_experiments.empty());
}

void Doctor::fitInto(int height)
{
    setFixedHeight(std::max(isOpen() ? height / 4 : sizeHint().height(), minimumSizeHint().height()));
}

} // namespace peakscope
