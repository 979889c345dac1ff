// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/form/sweep_dialog.h"

#include "app/parts/dialog_foot.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/experiment/schema.h"
#include "core/experiment/sweep_plan.h"
#include "widgets/text/language_texts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace peakscope {

namespace {

// Keys that sweeps are usually about, before all others.
constexpr const char* kUsualKeys[] = {"data.seq",
                                      "data.batch",
                                      "data.max_physical_batch",
                                      "training.clipping",
                                      "training.lora.rank",
                                      "training.checkpointing",
                                      "training.optimizer",
                                      "training.attention",
                                      "training.loss_head",
                                      "training.amp",
                                      "dtype",
                                      "budget_bytes"};
struct Proposal {
    const char* key;
    const char* values;
};
constexpr Proposal kProposals[] = {{"data.seq", "64, 128, 256"}, {"data.batch", "1, 2, 4"}, {"", ""}};

// At the commas that are in no list, object or quoted text; words may hold such signs behind their first letter.
QStringList partsOf(const QString& text)
{
    QStringList parts{QString()};
    int depth = 0;
    bool json = false, quoted = false, escaped = false;
    for (const QChar letter : text) {
        if (parts.back().trimmed().isEmpty())
            json = letter == u'[' || letter == u'{' || letter == u'"';
        if (letter == u',' && depth == 0 && !quoted) {
            parts << QString();
            continue;
        }
        if (quoted) {
            quoted = escaped || letter != u'"';
            escaped = !escaped && letter == u'\\';
        } else if (json) {
            quoted = letter == u'"';
            depth += letter == u'[' || letter == u'{' ? 1 : letter == u']' || letter == u'}' ? -1 : 0;
        }
        parts.back() += letter;
    }
    return parts;
}

} // namespace

nlohmann::json sweepValuesFromText(const QString& text)
{
    nlohmann::json values = nlohmann::json::array();
    for (const QString& part : partsOf(text)) {
        const std::string word = part.trimmed().toStdString();
        if (word.empty())
            continue;
        nlohmann::json value = nlohmann::json::parse(word, nullptr, false);
        values.push_back(value.is_discarded() ? nlohmann::json(word) : std::move(value));
    }
    return values;
}

QString sweepValuesText(const std::vector<nlohmann::json>& values)
{
    QStringList parts;
    for (const nlohmann::json& value : values) {
        const QString bare = value.is_string() ? QString::fromStdString(value.get<std::string>()) : QString();
        const bool read = !bare.isEmpty() && sweepValuesFromText(bare) == nlohmann::json::array({value});
        parts << (read ? bare : QString::fromStdString(dumpJson(value)));
    }
    return parts.join(QStringLiteral(", "));
}

SweepDialog::SweepDialog(const nlohmann::json& base, const QString& summary, QWidget* parent)
    : QDialog(parent), m_base(base)
{
    auto* layout = new QVBoxLayout(this);
    auto* what = new QLabel(summary, this);
    what->setTextFormat(Qt::PlainText);
    what->setWordWrap(true);
    layout->addWidget(what);
    layout->addWidget(axesBox());
    layout->addWidget(optionsBox());
    const DialogFoot foot = addDialogFoot(this, layout);
    m_verdict = foot.verdict;
    m_run = foot.accept;
    setMinimumWidth(fontMetrics().averageCharWidth() * 72);
    inLanguage(this, [this] {
        setWindowTitle(tr("New sweep"));
        m_run->setText(tr("Run the sweep"));
        check();
    });
}

QWidget* SweepDialog::axesBox()
{
    auto* box = new QWidget(this);
    m_grid = new QGridLayout(box);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setColumnStretch(1, 1);
    m_grid->addWidget(makeLabel([] { return tr("Key"); }, box), 0, 0);
    m_grid->addWidget(makeLabel([] { return tr("Values, separated by commas"); }, box), 0, 1);
    for (const Proposal& proposal : kProposals)
        addAxis(QString::fromLatin1(proposal.key), QString::fromLatin1(proposal.values));
    return box;
}

void SweepDialog::addAxis(const QString& key, const QString& values)
{
    QWidget* box = m_grid->parentWidget();
    const int row = static_cast<int>(m_axes.size()) + 1;
    Axis axis{new QComboBox(box), new QLineEdit(values, box)};
    axis.key->setEditable(true);
    axis.key->addItem(QString());
    for (const char* usual : kUsualKeys)
        axis.key->addItem(QString::fromLatin1(usual));
    for (const ExperimentKey& known : experimentKeys()) {
        const QString path = QString::fromUtf8(known.path.data(), qsizetype(known.path.size()));
        if (axis.key->findText(path) < 0)
            axis.key->addItem(path);
    }
    axis.key->setCurrentText(key);
    axis.key->setMinimumWidth(fontMetrics().averageCharWidth() * 28);
    inLanguage(axis.key, [axis, row] {
        axis.key->setAccessibleName(tr("Key %1").arg(row));
        axis.values->setAccessibleName(tr("Values of key %1").arg(row));
    });
    m_grid->addWidget(axis.key, row, 0);
    m_grid->addWidget(axis.values, row, 1);
    if (!m_axes.empty())
        setTabOrder(m_axes.back().values, axis.key);
    setTabOrder(axis.key, axis.values);
    connect(axis.key, &QComboBox::currentTextChanged, this, &SweepDialog::check);
    connect(axis.values, &QLineEdit::textChanged, this, &SweepDialog::check);
    m_axes.push_back(axis);
}

QWidget* SweepDialog::optionsBox()
{
    auto* box = new QWidget(this);
    auto* form = new QFormLayout(box);
    form->setContentsMargins(0, 0, 0, 0);
    m_repeats = new QSpinBox(box);
    m_repeats->setRange(1, 1000);
    addRow(form, m_repeats, [] { return tr("Repeats of every point"); });
    m_timing = new QCheckBox(box);
    form->addRow(m_timing);
    m_predict = new QCheckBox(box);
    form->addRow(m_predict);
    addHands(form);
    connect(m_repeats, &QSpinBox::valueChanged, this, &SweepDialog::check);
    connect(m_timing, &QCheckBox::toggled, this, &SweepDialog::check);
    connect(m_predict, &QCheckBox::toggled, this, &SweepDialog::check);
    inLanguage(this, [this] {
        m_timing->setText(tr("Measure time in separate runs, without the memory ledger"));
        m_predict->setText(tr("Leave out points that are predicted to exceed the budget"));
        m_predict->setToolTip(tr("A smaller point exceeded it, and these points are predicted to exceed it, too."));
    });
    return box;
}

void SweepDialog::addHands(QFormLayout* form)
{
    m_workers = new QSpinBox(form->parentWidget());
    m_workers->setRange(1, 64);
    addRow(form, m_workers, [] { return tr("Points at once"); });
    m_hosts = new QLineEdit(form->parentWidget());
    addRow(form, m_hosts, [] { return tr("Machines, through ssh"); });
    connect(m_workers, &QSpinBox::valueChanged, this, &SweepDialog::check);
    connect(m_hosts, &QLineEdit::textChanged, this, &SweepDialog::check);
    inLanguage(this, [this] {
        m_hosts->setPlaceholderText(tr("such as %1").arg(QStringLiteral("gpu1, gpu2")));
        m_workers->setToolTip(
            tr("Number of points that run in parallel on this machine, which makes each of them slower."));
        m_hosts->setToolTip(tr("Each machine runs one point at a time. ssh must reach them without a password, and "
                               "find peakscope-cli there. Empty: this machine."));
    });
}

void SweepDialog::fill(const SweepPlan& plan)
{
    for (std::size_t row = 0; row < std::max(plan.axes.size(), m_axes.size()); ++row) {
        if (row == m_axes.size())
            addAxis({}, {});
        const SweepAxis axis = row < plan.axes.size() ? plan.axes[row] : SweepAxis();
        m_axes[row].key->setCurrentText(QString::fromStdString(axis.key));
        m_axes[row].values->setText(sweepValuesText(axis.values));
    }
    m_repeats->setValue(static_cast<int>(plan.repeats));
    m_timing->setChecked(plan.timing);
    m_predict->setChecked(plan.predictOverBudget);
}

SweepMachines SweepDialog::machines() const
{
    SweepMachines machines{m_workers->value(), {}};
    for (const QString& host : m_hosts->text().split(u',')) {
        if (!host.trimmed().isEmpty())
            machines.hosts << host.trimmed();
    }
    return machines;
}

bool SweepDialog::hasLauncher() const
{
    return !lenient::array(m_base, "launcher").empty();
}

nlohmann::ordered_json SweepDialog::document() const
{
    nlohmann::ordered_json grid = nlohmann::ordered_json::object(); // keys in the dialog's order
    for (const Axis& axis : m_axes) {
        const QString key = axis.key->currentText().trimmed();
        if (!key.isEmpty())
            grid[key.toStdString()] = sweepValuesFromText(axis.values->text());
    }
    return {{"base", m_base},
            {"grid", std::move(grid)},
            {"repeats", m_repeats->value()},
            {"timing", m_timing->isChecked()},
            {"over_budget", m_predict->isChecked() ? "predict" : "measure"}};
}

QString SweepDialog::verdict() const
{
    return m_verdict->text();
}

void SweepDialog::check()
{
    if (!m_run)
        return; // still being built
    if (!m_axes.back().key->currentText().trimmed().isEmpty())
        addAxis({}, {});
    std::vector<std::string> order;
    for (const Axis& axis : m_axes) {
        if (const QString key = axis.key->currentText().trimmed(); !key.isEmpty())
            order.push_back(key.toStdString());
    }
    const auto plan = sweepPlanFromJson(nlohmann::json(document()), order);
    const SweepMachines shared = machines();
    m_workers->setEnabled(shared.hosts.isEmpty());
    const bool twoWays = !shared.hosts.isEmpty() && hasLauncher();
    m_valid = plan.ok() && !twoWays;
    if (!plan) {
        m_verdict->setText(QString::fromStdString(plan.error().text()));
    } else if (twoWays) {
        m_verdict->setText(tr("The set-up already has a launcher for its machine; leave one of the two out."));
    } else {
        QString why; // of the first
        qsizetype impossible = 0;
        for (const PlannedPoint& point : plan->points) {
            if (!point.experiment && ++impossible == 1)
                why = QString::fromStdString(point.impossible);
        }
        QString text = tr("Points: %1. Each runs in a separate process.").arg(plan->points.size());
        if (impossible > 0)
            text += u' ' + tr("Not run: %1, whose values are incompatible (%2).").arg(impossible).arg(why);
        if (m_timing->isChecked() && shared.hosts.isEmpty() && shared.workers > 1)
            text += u' ' + tr("Times of points that run in parallel differ from those on an idle machine.");
        const bool unknown = std::any_of(plan->points.begin(), plan->points.end(), [](const PlannedPoint& point) {
            return point.experiment && point.experiment->device == "auto";
        });
        if (m_predict->isChecked() && !shared.hosts.isEmpty() && unknown)
            text += u' ' + tr("No point is left out: the devices of the other machines are not known here.");
        m_verdict->setText(text);
    }
    m_run->setEnabled(m_valid);
}

} // namespace peakscope
