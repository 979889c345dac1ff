// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/doctor.h"

#include "app/panels/remedy_cards.h"
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

namespace {

constexpr int kLeastList = 44; // pixels: a remedy

} // namespace

Doctor::Doctor(QWidget* parent) : QWidget(parent), m_thread(this, QStringLiteral("doctor"))
{
    makeBox<QVBoxLayout>(this, {}, 0);
    buildHead();
    m_remedies = new DataTableView(this);
    m_remedies->setObjectName(QStringLiteral("remedies"));
    m_remedies->view()->horizontalHeader()->setStretchLastSection(true);
    m_cards = new RemedyCards(this);
    static_cast<QVBoxLayout*>(layout())->addWidget(m_cards, 1);
    static_cast<QVBoxLayout*>(layout())->addWidget(m_remedies, 1);
    connect(m_button, &QToolButton::toggled, this, [this](bool open) {
        if (open)
            ask();
        sayState();
        emit toggled(open);
    });
    connect(m_asTable, &QToolButton::toggled, this, &Doctor::sayState);
    for (QWidget* list : std::initializer_list<QWidget*>{m_remedies, m_cards})
        list->setMinimumHeight(kLeastList);
    connect(m_cards, &RemedyCards::runRequested, this, &Doctor::choose);
    connect(m_remedies, &DataTableView::rowActivated, this, [this] {
        if (const int row = m_remedies->sourceRow(m_remedies->view()->currentIndex()); row >= 0)
            choose(static_cast<std::size_t>(row));
    });
    inLanguage(this, [this] {
        m_button->setText(tr("Doctor"));
        m_button->setToolTip(tr("Who holds the memory, what grows, and what would help"));
        m_asTable->setText(tr("Table"));
        m_asTable->setToolTip(tr("Show the remedies as a table that can be sorted and saved"));
        m_cards->show(*m_remedies->model(), m_experiments.size());
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
    m_asTable = new QToolButton(this);
    m_asTable->setCheckable(true);
    m_asTable->setAutoRaise(true);
    row->addWidget(m_button);
    row->addWidget(m_sentence, 1);
    row->addWidget(m_asTable);
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
    m_cards->show(*m_remedies->model(), m_experiments.size());
    sayState();
}

void Doctor::choose(std::size_t row)
{
    if (row >= m_experiments.size())
        return;
    const nlohmann::json experiment = m_experiments[row]; // whoever takes it may show another case
    emit experimentChosen(experiment);
}

void Doctor::sayState()
{
    m_sentence->setText(m_case ? m_case->sentence.say() : QString());
    m_sentence->setToolTip(plainToolTip(m_sentence->text()));
    const bool any = m_remedies->model()->rowCount() > 0; // else the table says why there are none
    const bool cards = any && !m_asTable->isChecked();
    m_asTable->setVisible(isOpen() && any);
    m_cards->setVisible(isOpen() && cards);
    m_remedies->setVisible(isOpen() && !cards);
}

int Doctor::leastHeight() const
{
    return isOpen() ? minimumSizeHint().height() : std::max(sizeHint().height(), minimumSizeHint().height());
}

void Doctor::fitInto(const QWidget& page)
{
    const int least = leastHeight();
    setFixedHeight(least);
    if (!isOpen())
        return;
    QLayout& rows = *page.layout();
    rows.activate();
    // Words that are wrapped, such as a message above the plots, have more lines than a least size knows of.
    const int needed = std::max(rows.totalMinimumSize().height(), rows.totalMinimumHeightForWidth(page.width()));
    setFixedHeight(std::clamp(3 * page.height() / 10, least, least + std::max(0, page.height() - needed)));
}

} // namespace peakscope
