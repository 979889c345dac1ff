// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/analysis/analysis_report.h"

#include "widgets/analysis/analysis_style.h"
#include "widgets/look/theme.h"
#include "widgets/text/language_texts.h"

#include <QEvent>
#include <QScrollBar>

#include <algorithm>
#include <array>
#include <cmath>

namespace peakscope {

namespace {

struct VerdictLook {
    const char* verdict;
    const char* sign; // colour is not all that tells them apart
    QRgb light, dark;
};

constexpr std::array kLooks = {VerdictLook{"supported", "✓", 0xff1b6e3c, 0xff6fd08c},
                               VerdictLook{"contradicted", "✗", 0xffa83200, 0xffff9d76},
                               VerdictLook{"not_supported", "–", 0xff444444, 0xffc8c8c8},
                               VerdictLook{"cannot_be_told", "?", 0xff444444, 0xffc8c8c8}};

const HypothesisScale* clearestScale(const HypothesisRow& row)
{
    const HypothesisScale* clearest = nullptr;
    for (const HypothesisScale& scale : row.tests) {
        if (std::isfinite(scale.adjusted) && (!clearest || scale.adjusted < clearest->adjusted))
            clearest = &scale;
    }
    return clearest;
}

QString noisesWith(const HypothesisRow& row, const char* answer)
{
    QStringList noises;
    for (const HypothesisScale& scale : row.tests) {
        if (scale.answer == answer)
            noises << compactNumber(scale.sigma);
    }
    return noises.join(QStringLiteral(", "));
}

} // namespace

HypothesisReport::HypothesisReport(QWidget* parent) : QTextBrowser(parent)
{
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);
    inLanguage(this, [this] {
        setAccessibleName(tr("Hypotheses"));
        rewrite();
    });
}

void HypothesisReport::setData(std::shared_ptr<const AnalysisData> data)
{
    m_data = std::move(data);
    rewrite();
}

void HypothesisReport::changeEvent(QEvent* event)
{
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rewrite();
}

QString HypothesisReport::verdictHtml(const std::string& verdict) const
{
    const bool dark = chartTheme(palette()).dark;
    const auto look = std::find_if(kLooks.begin(), kLooks.end(),
                                   [&verdict](const VerdictLook& each) { return verdict == each.verdict; });
    if (look == kLooks.end())
        return verdictTitle(verdict).toHtmlEscaped();
    return QStringLiteral("<span style=\"color:%1\"><b>%2&nbsp;%3</b></span>")
        .arg(QColor(dark ? look->dark : look->light).name(), QString::fromUtf8(look->sign),
             verdictTitle(verdict).toHtmlEscaped().replace(u' ', QStringLiteral("&nbsp;")));
}

QString HypothesisReport::conclusionHtml(const ConclusionRow& row) const
{
    QString statement = QString::fromStdString(row.statement);
    if (row.group == "Wfunc")
        statement = tr("Wfunc carries function: noise in it raises perplexity more than in a random group of equal "
                       "size, and changes the attacks' AUC less");
    else if (row.group == "Wsens")
        statement = tr("Wsens carries what was memorised: noise in it changes the attacks' AUC more than in a random "
                       "group of equal size, and raises perplexity less");
    else if (row.group == "Wboth")
        statement = tr("Wboth carries both: noise in it raises perplexity and changes the attacks' AUC more than in a "
                       "random group of equal size");
    return QStringLiteral("<p>%1: %2<br>%3</p>")
        .arg(verdictHtml(row.verdict), statement.toHtmlEscaped(),
             tr("Perplexity: %1; AUC of the attacks: %2").arg(verdictHtml(row.perplexity), verdictHtml(row.attacks)));
}

QString HypothesisReport::findingHtml(const HypothesisRow& row) const
{
    QStringList answers;
    const auto add = [&](const char* answer, const QString& text) {
        if (const QString noises = noisesWith(row, answer); !noises.isEmpty())
            answers << text.arg(noises);
    };
    add("stronger", tr("stronger at σ %1"));
    add("weaker", tr("weaker at σ %1"));
    add("alike", tr("alike at σ %1"));
    add("open", tr("open at σ %1"));
    QString numbers = QString::fromStdString(row.tests.empty() ? row.evidence : std::string());
    if (const HypothesisScale* clearest = clearestScale(row)) {
        numbers = tr("σ %1: %2 against %3, difference %4 [%5, %6], p = %7, noise seeds: %8")
                      .arg(compactNumber(clearest->sigma), compactNumber(clearest->classChange),
                           compactNumber(clearest->controlChange), compactNumber(clearest->difference.mean),
                           compactNumber(clearest->difference.low), compactNumber(clearest->difference.high),
                           compactNumber(clearest->adjusted, 2))
                      .arg(clearest->repeats);
    } else if (!row.tests.empty()) {
        numbers = row.tests.front().repeats < 2
                      ? tr("one noise seed shows no spread to test against: prm.repeats of 2 or more is needed")
                      : tr("the noise seeds show no spread to test against");
    }
    return QStringLiteral("<tr><td>%1</td><td>%2</td><td>%3</td><td>%4</td><td>%5</td><td>%6</td></tr>")
        .arg(QString::fromStdString(row.group).toHtmlEscaped(), measureTitle(row.measure).toHtmlEscaped(),
             row.more ? tr("more") : tr("less"), verdictHtml(row.verdict),
             answers.join(QStringLiteral("; ")).toHtmlEscaped(), numbers.toHtmlEscaped());
}

void HypothesisReport::rewrite()
{
    const int place = verticalScrollBar()->value();
    QString html;
    if (m_data && m_data->synthetic) {
        html = QStringLiteral("<p><b>%1</b></p>")
                   .arg(tr("Synthetic: these responses were generated to match the hypotheses; they are no evidence.")
                            .toHtmlEscaped());
    } else if (!m_data || m_data->hypotheses.empty()) {
        html = QStringLiteral("<p>%1</p>")
                   .arg(tr("No hypotheses yet: they need responses to noise in a class and in a random group of equal "
                           "size.")
                            .toHtmlEscaped());
    } else {
        for (const ConclusionRow& row : m_data->conclusions)
            html += conclusionHtml(row);
        html += QStringLiteral("<table cellspacing=\"0\" cellpadding=\"3\"><tr>");
        for (const QString& title : {tr("Class"), tr("Measure"), tr("Expected"), tr("Verdict"),
                                     tr("Beside the control"), tr("Clearest difference")})
            html += QStringLiteral("<th align=\"left\">%1</th>").arg(title.toHtmlEscaped());
        html += QStringLiteral("</tr>");
        for (const HypothesisRow& row : m_data->hypotheses)
            html += findingHtml(row);
        html += QStringLiteral("</table><p>%1</p>")
                    .arg(tr("Stronger or weaker: significant at 5 % after Holm's correction. Alike: the 95 % interval "
                            "lies within a quarter of the control's own change or within 0.01. Intervals of AUC hold "
                            "the error of the finite samples too.")
                             .toHtmlEscaped());
    }
    setHtml(html);
    verticalScrollBar()->setValue(place); // a running measurement rewrites what is being read
}

} // namespace peakscope
