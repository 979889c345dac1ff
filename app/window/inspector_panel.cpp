// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/inspector_panel.h"

#include "widgets/look/pieces.h"
#include "widgets/look/theme.h"
#include "widgets/text/language_texts.h"

#include <QEvent>
#include <QTextBrowser>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kLabelGap = 8;     // pixels between labels and values
constexpr int kShortLabel = 16;  // letters
constexpr int kLongestWord = 18; // letters; longer ones may break

// Room for short labels and for every word of the others: a column that takes its share of a narrow panel would break
// them anywhere.
int labelWidth(const InspectorContent::Section& section, const QFontMetrics& metrics)
{
    const int letter = metrics.averageCharWidth();
    int width = 0;
    for (const InspectorContent::Row& row : section.rows) {
        if (row.value.isEmpty())
            continue; // takes the whole line
        width = std::max(width, std::min(metrics.horizontalAdvance(row.label), kShortLabel * letter));
        for (const QString& word : row.label.split(u' '))
            width = std::max(width, std::min(metrics.horizontalAdvance(word), kLongestWord * letter));
    }
    return width + kLabelGap + 1;
}

QString rowHtml(const InspectorContent::Row& row, int labelWidth, const QString& muted)
{
    const QString label = row.label.toHtmlEscaped();
    QString html = row.value.isEmpty()
                       ? QStringLiteral("<tr><td colspan='2' style='padding:2px 0'>%1</td></tr>").arg(label)
                       : QStringLiteral("<tr><td width='%1' style='padding:2px %2px 2px 0'>%3</td>"
                                        "<td align='right' style='padding:2px 0'><b>%4</b></td></tr>")
                             .arg(labelWidth)
                             .arg(kLabelGap)
                             .arg(label, row.value.toHtmlEscaped());
    if (!row.explanation.isEmpty())
        html += QStringLiteral("<tr><td colspan='2' style='padding:0 0 4px 0; color:%1'><small>%2</small></td></tr>")
                    .arg(muted, row.explanation.toHtmlEscaped());
    return html;
}

} // namespace

InspectorPanel::InspectorPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this);
    m_text = new QTextBrowser(this);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenLinks(false);
    layout->addWidget(m_text);
    clear();
    inLanguage(this, [this] {
        m_text->setAccessibleName(tr("Inspector: values of what is selected"));
        if (m_say)
            show(m_say);
    });
}

void InspectorPanel::clear()
{
    show([] {
        return InspectorContent{tr("Nothing selected"),
                                tr("Choose a run, a component, a module or a range of time to see its "
                                   "values, what they mean and how they were measured."),
                                {}};
    });
}

void InspectorPanel::show(const Say& say)
{
    showContent(say());
    m_say = say;
}

void InspectorPanel::showContent(const InspectorContent& content)
{
    m_say = nullptr;
    m_content = content;
    render();
}

QString InspectorPanel::plainText() const
{
    return m_text->toPlainText();
}

void InspectorPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_text)
        render();
}

void InspectorPanel::render()
{
    const QString muted = chartTheme(palette()).mutedText.name();
    QString html = QStringLiteral("<p><b>%1</b></p>").arg(m_content.title.toHtmlEscaped());
    if (!m_content.definition.isEmpty())
        html += QStringLiteral("<p style='color:%1'>%2</p>").arg(muted, m_content.definition.toHtmlEscaped());
    for (const InspectorContent::Section& section : m_content.sections) {
        if (section.rows.empty())
            continue;
        html += QStringLiteral("<p style='margin-top:8px; margin-bottom:2px; color:%1'>%2</p><table width='100%'>")
                    .arg(muted, section.title.toHtmlEscaped());
        const int width = labelWidth(section, m_text->fontMetrics());
        for (const InspectorContent::Row& row : section.rows)
            html += rowHtml(row, width, muted);
        html += QStringLiteral("</table>");
    }
    m_text->setHtml(html);
}

} // namespace peakscope
