// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/figures/page/figure_page.h"

#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace peakscope {

namespace {

double marginPt(const FigureCanvas& canvas)
{
    return canvas.gap();
}

// The line above the body: a title where the preset has one, and the badges of a run that stands alone.
double headerPt(const FigureCanvas& canvas, const RunResults& results)
{
    if (canvas.preset().titled)
        return canvas.lineHeight(TextSize::Title) + canvas.gap() * 2;
    const bool badges = results.size() == 1 && !runBadges(*results.front()).isEmpty();
    return badges ? canvas.lineHeight() + canvas.gap() : 0;
}

void drawHeader(FigureCanvas& canvas, const QRectF& page, const FigureKind& kind, const RunResults& results)
{
    const double height = headerPt(canvas, results);
    if (height <= 0)
        return;
    QString text;
    if (canvas.preset().titled) {
        text = FigureText::tr(kind.title);
        if (results.size() == 1) {
            // Of a title that is too long the run's name is shortened, not what the figure is.
            const double room = page.width() - canvas.width(text + QStringLiteral(": "), {TextSize::Title, true});
            const QString run = canvas.elided(runLabels(results).front(), room, {TextSize::Title, true});
            text = FigureText::tr("%1: %2", "figure title: run").arg(text, run);
        }
    }
    const QStringList badges = results.size() == 1 ? runBadges(*results.front()) : QStringList();
    drawHeading(canvas, QRectF(page.left(), page.top(), page.width(), height - canvas.gap()), text, badges,
                TextSize::Title);
}

constexpr TextSize kNoteText = TextSize::Small;

std::vector<std::size_t> chosenOf(const FigurePreset& preset, std::size_t count)
{
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (!preset.panels.empty())
        std::erase_if(all, [&preset](std::size_t panel) {
            return std::find(preset.panels.begin(), preset.panels.end(), panel) == preset.panels.end();
        });
    return all;
}

// "c-e" or "c,e": what --panels takes.
QString panelWord(const std::vector<std::size_t>& panels)
{
    QString word = panelRange(panels);
    return word.remove(u'(').remove(u')').remove(u' ').replace(QChar(0x2013), u'-');
}

} // namespace

FigurePages::FigurePages(std::string_view figure, const RunResults& results, const FigurePreset& preset,
                         FigureTheme theme)
    : m_kind(kindOf(figure)), m_results(drawnResults(figure, results)), m_measure(nullptr, preset, theme),
      m_theme(theme), m_pages(1)
{
    if (!m_kind.blocks)
        return;
    m_blocks = m_kind.blocks(m_measure, m_results);
    const std::vector<std::size_t> chosen = chosenOf(preset, panelCount(m_blocks));
    const double most = preset.maxHeightMm * kPointsPerMm - around();
    if (preset.maxHeightMm <= 0) {
        m_pages = pagesOf(m_measure, m_blocks, chosen, bodyWidth(), 0);
        return;
    }
    m_pages = pagesOf(m_measure, m_blocks, chosen, bodyWidth(), std::max(most, 1.0));
    if (m_pages.size() > 1)
        m_pages = pagesOf(m_measure, m_blocks, chosen, bodyWidth(), std::max(most - noteHeight(), 1.0));
}

FigurePages::~FigurePages() = default;

double FigurePages::bodyWidth() const
{
    return m_measure.pageWidth() - 2 * marginPt(m_measure);
}

double FigurePages::around() const
{
    return headerPt(m_measure, m_results) + 2 * marginPt(m_measure);
}

double FigurePages::noteHeight() const
{
    return m_measure.lineHeight(kNoteText) + m_measure.gap();
}

QSizeF FigurePages::size(std::size_t page) const
{
    const FigurePreset& preset = m_measure.preset();
    const double most = preset.maxHeightMm > 0 ? std::floor(preset.maxHeightMm * kPointsPerMm + 1e-6) : 1e9;
    const double usual = std::min(std::ceil(preset.heightMm * kPointsPerMm - 1e-6), most);
    const QSizeF whole(preset.widthMm * kPointsPerMm, usual);
    if (preset.fixedHeight)
        return whole;
    double body = m_blocks.empty() ? m_kind.height(m_measure, m_results, bodyWidth())
                                   : pageHeight(m_measure, m_blocks, m_pages.at(page), bodyWidth());
    if (body <= 0)
        return whole;
    body += note(page, false).isEmpty() ? 0 : noteHeight();
    // What cannot be read on a page is higher than one, rather than drawn on top of itself.
    return {whole.width(), std::min(std::ceil(body + around()), std::max(most, std::ceil(leastHeight())))};
}

double FigurePages::leastHeight() const
{
    if (m_blocks.empty()) {
        constexpr double kSquat = 0.4; // of the usual height: words still have room
        const double body = m_kind.height(m_measure, m_results, bodyWidth());
        return body > 0 ? kSquat * body + around() : kSquat * m_measure.preset().heightMm * kPointsPerMm;
    }
    double most = 0;
    for (const PanelPage& page : m_pages)
        most = std::max(most, pageHeight(m_measure, m_blocks, page, bodyWidth(), true));
    return most + around() + (m_pages.size() > 1 ? noteHeight() : 0);
}

QString FigurePages::note(std::size_t page, bool bound) const
{
    if (m_pages.size() < 2 || (bound && page + 1 >= m_pages.size()))
        return {};
    std::vector<std::size_t> lacking;
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
        if (bound ? i > page : i != page)
            lacking.insert(lacking.end(), m_pages[i].panels.begin(), m_pages[i].panels.end());
    }
    if (bound)
        return FigureText::tr("%1: next page", "panels").arg(panelRange(lacking));
    if (m_measure.preset().onBoard)
        return FigureText::tr("Not shown: %1").arg(panelRange(lacking));
    return FigureText::tr("Not shown: %1 (--panels %2)").arg(panelRange(lacking), panelWord(lacking));
}

std::vector<FigureCanvas::PlacedText> FigurePages::draw(QPainter* painter, std::size_t page, bool bound) const
{
    return drawn(painter, page, bound).placedTexts();
}

QStringList FigurePages::caption() const
{
    QStringList words;
    for (std::size_t page = 0; page < count(); ++page)
        words << drawn(nullptr, page, true).caption();
    words.removeDuplicates();
    return words;
}

FigureCanvas FigurePages::drawn(QPainter* painter, std::size_t page, bool bound) const
{
    FigureCanvas canvas(painter, m_measure.preset(), m_theme);
    const QRectF sheet(QPointF(0, 0), size(page));
    canvas.rect(sheet, canvas.colors().background);
    const double margin = marginPt(canvas);
    const QRectF inside = sheet.adjusted(margin, margin, -margin, -margin);
    drawHeader(canvas, inside, m_kind, m_results);
    QRectF body = inside.adjusted(0, headerPt(canvas, m_results), 0, 0);
    if (m_blocks.empty()) {
        m_kind.draw(canvas, body, m_results);
        return canvas;
    }
    const bool noted = !note(page, false).isEmpty();
    if (const QString words = note(page, bound); !words.isEmpty()) {
        const TextStyle style{kNoteText, false, true};
        const double y = body.bottom() - canvas.lineHeight(kNoteText) / 2;
        canvas.text({body.left(), y}, canvas.elided(words, body.width(), style), Qt::AlignLeft, style);
    }
    drawPage(canvas, body.adjusted(0, 0, 0, noted ? -noteHeight() : 0), m_blocks, m_pages.at(page));
    return canvas;
}

std::vector<QString> FigurePages::panelTitles() const
{
    if (m_blocks.empty())
        return m_kind.panels ? m_kind.panels(m_results) : std::vector<QString>();
    return peakscope::panelTitles(m_blocks);
}

bool isChosen(const FigureCanvas& canvas, std::size_t panel)
{
    const auto& panels = canvas.preset().panels;
    return panels.empty() || std::find(panels.begin(), panels.end(), panel) != panels.end();
}

QSizeF figureSizePt(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    return FigurePages(figure, results, preset, FigureTheme::Light).size();
}

std::vector<FigureCanvas::PlacedText> drawFigurePage(QPainter* painter, std::string_view figure,
                                                     const RunResults& results, const FigurePreset& preset,
                                                     FigureTheme theme)
{
    return FigurePages(figure, results, preset, theme).draw(painter);
}

QSizeF figureSizeMm(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    if (!checkFigure(figure, results))
        return {preset.widthMm, preset.heightMm};
    return figureSizePt(figure, results, preset) / kPointsPerMm;
}

std::vector<FigurePanel> figurePanels(std::string_view figure, const RunResults& results)
{
    if (!checkFigure(figure, results))
        return {};
    const FigurePages pages(figure, results, figurePresets().front(), FigureTheme::Light);
    const std::vector<QString> titles = pages.panelTitles();
    std::vector<FigurePanel> panels;
    for (std::size_t i = 0; titles.size() > 1 && i < titles.size(); ++i)
        panels.push_back({panelLetter(i), titles[i]});
    return panels;
}

Result<std::vector<std::size_t>> choosePanels(std::string_view figure, const RunResults& results, const QString& words)
{
    const std::vector<FigurePanel> panels = figurePanels(figure, results);
    const std::string context(figure);
    if (panels.empty())
        return badInput(context, "it has one panel only, so none can be chosen");
    const auto placeOf = [&panels](const QString& letter) {
        const auto found = std::find_if(panels.begin(), panels.end(), [&letter](const FigurePanel& panel) {
            return panel.letter == letter.trimmed().toLower();
        });
        return static_cast<std::size_t>(found - panels.begin());
    };
    std::vector<std::size_t> chosen;
    for (const QString& word : words.split(u',')) {
        const std::size_t first = placeOf(word.section(u'-', 0, 0)), last = placeOf(word.section(u'-', -1));
        if (first >= panels.size() || last >= panels.size() || last < first || word.count(u'-') > 1) {
            QStringList known;
            for (const FigurePanel& panel : panels)
                known << panel.letter + u' ' + u'(' + panel.title + u')';
            return badInput(context, "no panel " + word.trimmed().toStdString() + "; there are " +
                                         known.join(QStringLiteral(", ")).toStdString());
        }
        for (std::size_t panel = first; panel <= last; ++panel)
            chosen.push_back(panel);
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

Status checkHeight(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    if (const Status possible = checkFigure(figure, results); !possible)
        return possible;
    const double least = FigurePages(figure, results, preset, FigureTheme::Light).leastHeight() / kPointsPerMm;
    if (preset.maxHeightMm <= 0 || preset.maxHeightMm >= least)
        return Done{};
    return badInput(std::string(figure), "a greatest height of " +
                                             QString::number(preset.maxHeightMm, 'f', 0).toStdString() +
                                             " mm is too little; it needs at least " +
                                             QString::number(std::ceil(least), 'f', 0).toStdString() + " mm");
}

std::size_t figurePageCount(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    return checkFigure(figure, results) ? FigurePages(figure, results, preset, FigureTheme::Light).count() : 0;
}

} // namespace peakscope
