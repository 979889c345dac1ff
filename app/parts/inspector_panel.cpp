// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parts/inspector_panel.h"

#include "widgets/look/pieces.h"
#include "widgets/look/theme.h"
#include "widgets/text/language_texts.h"

#include <QEvent>
#include <QMimeData>
#include <QResizeEvent>
#include <QStyle>
#include <QTextBlock>
#include <QTextBoundaryFinder>
#include <QTextBrowser>
#include <QTextDocument>

#include <algorithm>
#include <limits>

namespace peakscope {

namespace {

constexpr int kLabelGap = 8;     // pixels between labels and values
constexpr int kShortLabel = 16;  // letters
constexpr int kLongestWord = 18; // letters; longer ones have what values leave
constexpr int kCells = 6;        // pixels of a line that go between the cells of a table
constexpr double kSmall = 0.85;  // of the font's size, and a little more: <small>

// Lines break between words only. What is wider than its line is elided in the middle, with a tooltip that holds it
// whole; of a path that may be one folder's name, for lines break behind each slash.
QString wordsHtml(const QString& text, double width, const QFontMetricsF& metrics)
{
    // Lines would break where the middle was, too.
    static const QString joined = QChar(0x2060) + QStringLiteral("…") + QChar(0x2060);
    QString html;
    QTextBoundaryFinder breaks(QTextBoundaryFinder::Line, text);
    for (qsizetype from = 0, to = breaks.toNextBoundary(); to > from; from = to, to = breaks.toNextBoundary()) {
        const QString word = text.mid(from, to - from);
        const QString bare = word.trimmed();
        if (metrics.horizontalAdvance(bare) <= width) {
            html += word.toHtmlEscaped();
            continue;
        }
        QString elided = metrics.elidedText(bare, Qt::ElideMiddle, width);
        html += QStringLiteral("<span title=\"%1\">%2</span>%3")
                    .arg(bare.toHtmlEscaped(), elided.replace(QStringLiteral("…"), joined).toHtmlEscaped(),
                         word.endsWith(u' ') ? QStringLiteral(" ") : QString());
    }
    return html;
}

// Room for short labels and for every word of the others, of a line of `whole` pixels.
int labelWidth(const InspectorContent::Section& section, double whole, const QFontMetrics& metrics,
               const QFontMetricsF& ofValues)
{
    const int letter = metrics.averageCharWidth();
    double values = 0;
    for (const InspectorContent::Row& row : section.rows)
        values = std::max(values, ofValues.horizontalAdvance(row.value));
    const int longest = std::max(kLongestWord * letter, static_cast<int>(whole - values) - kLabelGap - 1);
    int width = 0;
    for (const InspectorContent::Row& row : section.rows) {
        if (row.value.isEmpty())
            continue; // takes the whole line
        width = std::max(width, std::min(metrics.horizontalAdvance(row.label), kShortLabel * letter));
        for (const QString& word : row.label.split(u' '))
            width = std::max(width, std::min(metrics.horizontalAdvance(word), longest));
    }
    // Where both have no room, labels take no more than half.
    const bool bothFit = width + values + kLabelGap + 1 <= whole;
    return (bothFit ? width : std::min(width, static_cast<int>(whole / 2) - kLabelGap)) + kLabelGap + 1;
}

QFont resized(QFont font, double factor, bool bold)
{
    font.setPointSizeF(font.pointSizeF() * factor);
    font.setBold(bold);
    return font;
}

QString rowHtml(const InspectorContent::Row& row, int labelWidth, double width, const QFont& font, const QString& muted)
{
    const QString label =
        wordsHtml(row.label, row.value.isEmpty() ? width : labelWidth - kLabelGap, QFontMetricsF(font));
    const QString value = wordsHtml(row.value, width - labelWidth, QFontMetricsF(resized(font, 1, true)));
    QString html = row.value.isEmpty()
                       ? QStringLiteral("<tr><td colspan='2' style='padding:2px 0'>%1</td></tr>").arg(label)
                       : QStringLiteral("<tr><td width='%1' style='padding:2px %2px 2px 0'>%3</td>"
                                        "<td align='right' style='padding:2px 0'><b>%4</b></td></tr>")
                             .arg(labelWidth)
                             .arg(kLabelGap)
                             .arg(label, value);
    if (!row.explanation.isEmpty())
        html += QStringLiteral("<tr><td colspan='2' style='padding:0 0 4px 0; color:%1'><small>%2</small></td></tr>")
                    .arg(muted, wordsHtml(row.explanation, width, QFontMetricsF(resized(font, kSmall, false))));
    return html;
}

// What is copied is read elsewhere: it holds whole the words that have no room here.
class WholeWordsBrowser : public QTextBrowser
{
public:
    using QTextBrowser::QTextBrowser;

protected:
    QMimeData* createMimeDataFromSelection() const override
    {
        const QTextCursor cursor = textCursor();
        const int begin = cursor.selectionStart(), end = cursor.selectionEnd();
        QStringList lines;
        for (QTextBlock block = document()->findBlock(begin); block.isValid() && block.position() < end;
             block = block.next()) {
            QString line;
            for (auto part = block.begin(); !part.atEnd(); ++part) {
                const QTextFragment words = part.fragment();
                const int from = std::max(words.position(), begin);
                const int to = std::min(words.position() + words.length(), end);
                const QString whole = words.charFormat().toolTip();
                if (from < to)
                    line += whole.isEmpty() ? words.text().mid(from - words.position(), to - from) : whole;
            }
            lines << line;
        }
        auto* data = new QMimeData;
        data->setText(lines.join(u'\n'));
        return data;
    }
};

} // namespace

InspectorPanel::InspectorPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = makeBox<QVBoxLayout>(this);
    m_text = new WholeWordsBrowser(this);
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

void InspectorPanel::show(InspectorWords say)
{
    showContent(say());
    m_say = std::move(say);
}

void InspectorPanel::showContent(const InspectorContent& content)
{
    m_say = nullptr;
    m_content = content;
    render();
}

QString InspectorPanel::plainText() const
{
    QTextDocument whole;
    whole.setHtml(html(std::numeric_limits<int>::max()));
    return whole.toPlainText();
}

void InspectorPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    render();
}

void InspectorPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_text)
        render();
}

QString InspectorPanel::html(double width) const
{
    const QString muted = chartTheme(palette()).mutedText.name();
    const QFont font = m_text->font();
    const QFontMetricsF plain(font), bold(resized(font, 1, true));
    QString html = QStringLiteral("<p><b>%1</b></p>").arg(wordsHtml(m_content.title, width, bold));
    if (!m_content.definition.isEmpty())
        html += QStringLiteral("<p style='color:%1'>%2</p>").arg(muted, wordsHtml(m_content.definition, width, plain));
    for (const InspectorContent::Section& section : m_content.sections) {
        if (section.rows.empty())
            continue;
        html += QStringLiteral("<p style='margin-top:8px; margin-bottom:2px; color:%1'>%2</p><table width='100%'>")
                    .arg(muted, wordsHtml(section.title, width, plain));
        const int labels = labelWidth(section, width - kCells, m_text->fontMetrics(), bold);
        for (const InspectorContent::Row& row : section.rows)
            html += rowHtml(row, labels, width - kCells, font, muted);
        html += QStringLiteral("</table>");
    }
    return html;
}

void InspectorPanel::render()
{
    QTextDocument trial;
    trial.setDefaultFont(m_text->font());
    const double margins = 2 * trial.documentMargin();
    const int bar = m_text->style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, m_text);
    QString html;
    for (const int wide : {width(), width() - bar}) { // where it is too high for the panel, the scroll bar takes some
        html = this->html(std::max(wide - margins, 1.0));
        trial.setHtml(html);
        trial.setTextWidth(wide);
        if (trial.size().height() <= height())
            break;
    }
    if (html == m_html)
        return;
    m_html = html;
    m_text->setHtml(html);
}

} // namespace peakscope
