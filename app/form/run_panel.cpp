// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/run_panel.h"

#include "app/form/experiment_json.h"
#include "app/form/form_field.h"
#include "app/parts/icons.h"
#include "app/parts/message_bar.h"
#include "app/parts/parts_label.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/experiment.h"
#include "widgets/look/pieces.h"
#include "widgets/text/bytes_text.h"
#include "widgets/text/language_texts.h"
#include "widgets/text/plain_text.h"

#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QStyle>

namespace peakscope {

RunPanel::RunPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this, {}, 0);
    buildHeader();
    layout->addWidget(m_header);
    m_messages = new MessageBar(this);
    layout->addWidget(m_messages);
    m_peak = new PeakBar(this);
    layout->addWidget(m_peak);

    m_form = new ExperimentForm(this);
    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidget(m_form);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    layout->addWidget(m_scroll, 1);

    m_json = new ExperimentJson(this);
    connect(m_json, &ExperimentJson::applied, this, [this](const nlohmann::json& experiment) {
        m_form->setDocument(experiment, m_form->origin());
        m_edited = true;
    });
    m_json->hide();
    layout->addWidget(m_json, 1);

    connect(m_form, &ExperimentForm::validated, this, &RunPanel::refresh);
    connect(m_form, &ExperimentForm::predicted, this, [this](const auto& peak, const nlohmann::json& fitted) {
        m_predicted = peak;
        m_fitted = fitted;
        m_peak->setPeak(peak);
        refresh();
    });
    connect(m_form, &ExperimentForm::predicting, m_peak, &PeakBar::setPending);
    connect(m_form, &ExperimentForm::documentChanged, m_messages, &MessageBar::dismiss);
    connect(m_form, &ExperimentForm::documentChanged, this, [this] { m_edited = true; });
    setTabOrder(m_toggle, m_form);
}

void RunPanel::buildHeader()
{
    m_header = new QWidget(this);
    auto* row = makeBox<QHBoxLayout>(m_header, {8, 4, 8, 4}, 8);
    m_toggle = new QToolButton(m_header);
    m_toggle->setAutoRaise(true);
    m_toggle->setObjectName(QStringLiteral("setUpToggle"));
    m_toggle->setIcon(glyphIcon(Glyph::ChevronDown));
    m_toggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    makeBold(m_toggle);
    connect(m_toggle, &QToolButton::clicked, this, [this] { setExpanded(!m_expanded); });
    m_summary = makeYielding(new PartsLabel(Qt::ElideRight, m_header), "experimentSummary");
    m_fit = new QToolButton(m_header);
    m_fit->setObjectName(QStringLiteral("fitToBudget"));
    m_fit->hide();
    connect(m_fit, &QToolButton::clicked, this, [this] {
        nlohmann::json document = m_form->document();
        document["fit"] = true;
        m_form->setDocument(document, m_form->origin());
        m_edited = true;
    });
    m_demo = new QToolButton(m_header);
    m_demo->setAutoRaise(true);
    connect(m_demo, &QToolButton::clicked, this, [this] { setDocument(demoExperiment()); });
    m_jsonButton = new QToolButton(m_header);
    m_jsonButton->setAutoRaise(true);
    m_jsonButton->setCheckable(true);
    m_jsonButton->setText(QStringLiteral("JSON"));
    connect(m_jsonButton, &QToolButton::toggled, this, &RunPanel::showJson);
    m_run = new QPushButton(glyphIcon(Glyph::NewRun), {}, m_header);
    m_run->setObjectName(QStringLiteral("runButton"));
    m_run->setEnabled(false);
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (!m_expanded && !m_shown.is_null())
            emit runShownRequested();
        else
            requestRun();
    });
    for (const int key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* shortcut = new QShortcut(Qt::CTRL | static_cast<Qt::Key>(key), this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, [this] {
            if (!m_expanded)
                return;
            m_run->setFocus(Qt::ShortcutFocusReason); // what is being typed counts
            requestRun();
        });
    }
    row->addWidget(m_toggle);
    row->addWidget(m_summary, 1);
    row->addWidget(m_fit);
    row->addWidget(m_demo);
    row->addWidget(m_jsonButton);
    row->addWidget(m_run);
    inLanguage(this, [this] {
        setBusy(m_busy);
        m_toggle->setText(tr("Set-up"));
        m_toggle->setToolTip(tr("Show or hide the set-up"));
        if (m_form)
            refresh();
        m_fit->setText(tr("Fit the batch"));
        m_fit->setToolTip(tr("Takes the largest batch that the budget allows"));
        m_demo->setText(tr("Demo"));
        m_demo->setToolTip(tr("Fills the form with the demo: a small model on built-in data"));
        m_jsonButton->setToolTip(tr("Show the experiment as JSON, to be changed there"));
    });
}

int RunPanel::formHeight() const
{
    return m_header->sizeHint().height() + m_peak->height() + m_form->sizeHint().height();
}

void RunPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_form->fit(width() - style()->pixelMetric(QStyle::PM_ScrollBarExtent));
}

void RunPanel::setExpanded(bool expanded)
{
    m_toggle->setIcon(glyphIcon(expanded ? Glyph::ChevronDown : Glyph::ChevronRight));
    m_peak->setVisible(expanded);
    m_scroll->setVisible(expanded);
    m_json->setVisible(expanded && m_jsonButton->isChecked());
    m_demo->setVisible(expanded);
    m_jsonButton->setVisible(expanded);
    // Closed, the header is all there is to its height.
    setSizePolicy(QSizePolicy::Preferred, expanded ? QSizePolicy::Preferred : QSizePolicy::Maximum);
    if (expanded == m_expanded)
        return;
    m_expanded = expanded;
    if (expanded)
        openShown();
    refresh();
    emit expandedChanged(expanded);
}

void RunPanel::requestRun()
{
    m_form->loadCatalogue();
    m_form->validate();
    if (!m_form->isValid()) {
        setExpanded(true);
        return;
    }
    m_messages->dismiss();
    emit runRequested(m_form->document());
}

void RunPanel::setDocument(const nlohmann::json& experiment, const Origin& origin)
{
    m_form->setDocument(experiment, origin);
    m_json->setDocument(m_form->document());
    m_json->discard();
    m_edited = false;
    m_shownOpened = true;
}

void RunPanel::setShown(const nlohmann::json& experiment, const Origin& origin, LanguageText instead)
{
    m_shownInstead = std::move(instead);
    if (experiment == m_shown) {
        refresh();
        return;
    }
    m_shown = experiment;
    m_shownOrigin = origin;
    m_shownOpened = false;
    refresh();
}

void RunPanel::openShown()
{
    if (m_shown.empty() || std::exchange(m_shownOpened, true) || m_form->holds(m_shown))
        return;
    const nlohmann::json typed = m_form->document();
    const Origin origin = m_form->origin();
    const bool edited = m_edited;
    setDocument(m_shown, m_shownOrigin);
    if (edited)
        m_messages->showMessage(MessageBar::Kind::Info, [] { return tr("This is the set-up of the results below."); },
                                {{[] { return tr("Back to what was typed"); },
                                  [this, typed, origin] {
                                      setDocument(typed, origin);
                                      m_edited = true;
                                  }}});
}

void RunPanel::setBusy(bool busy)
{
    m_busy = busy;
    m_run->setText(busy ? tr("Add to queue") : tr("Run"));
    m_run->setToolTip(busy ? tr("Starts after the runs before it (Ctrl+Return in the form)")
                           : tr("Starts the run (Ctrl+Return in the form)"));
}

void RunPanel::refresh()
{
    const bool closedOver = !m_expanded && !m_shown.is_null();
    // What is only estimated is no reason to warn.
    const bool tooMuch = !closedOver && m_form->isValid() && m_predicted && m_predicted->exact &&
                         m_predicted->limit == PredictedPeak::Limit::Budget && m_predicted->overBytes() > 0;
    const bool least = !closedOver && m_form->isValid() && m_predicted && m_predicted->least;
    m_fit->setVisible(tooMuch && !least &&
                      lenient::integer(lenient::object(m_form->document(), "data"), "batch", 1) > 1);
    QPalette colors;
    if (tooMuch || least)
        colors.setColor(QPalette::WindowText, problemColor(palette()));
    m_summary->setPalette(colors);
    m_run->setEnabled(closedOver ? !m_shown.empty() : m_form->isValid());
    m_run->setVisible(!closedOver || !m_shown.empty()); // of no experiment there is nothing to start
    const QString instead = m_shownInstead.say();
    if (closedOver)
        m_summary->setText(!instead.isEmpty() ? instead
                           : !m_shown.empty() ? experimentSummary(m_shown)
                                              : tr("another program's: no experiment that could be run again"));
    else
        sayPrediction(tooMuch);
    m_summary->setToolTip(plainToolTip(m_summary->text()));
    if (m_jsonButton->isChecked())
        m_json->setDocument(m_form->document());
}

void RunPanel::sayPrediction(bool tooMuch)
{
    if (!m_form->isValid()) {
        m_summary->setText(tr("some fields need correcting"));
        return;
    }
    QStringList parts{experimentSummary(m_predicted && !m_fitted.is_null() ? m_fitted : m_form->document())};
    if (m_predicted) {
        const QString peak = bytesText(m_predicted->bytes);
        parts.prepend(
            m_predicted->least ? tr("not even the smallest run fits: it is predicted to take %1").arg(peak)
            : tooMuch ? tr("predicted peak %1 exceeds the budget by %2").arg(peak, bytesText(m_predicted->overBytes()))
                      : tr("predicted peak %1").arg(peak));
    }
    m_summary->setText(parts.join(QStringLiteral(" · ")));
}

void RunPanel::showJson(bool shown)
{
    m_json->setVisible(shown && m_expanded);
    refresh();
}

} // namespace peakscope
