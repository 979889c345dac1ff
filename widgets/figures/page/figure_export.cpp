// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures as files: PDF, SVG, PNG, each with its origin in its metadata.
#include "widgets/figures/page/figure.h"
#include "widgets/figures/page/figure_kind.h"
#include "widgets/figures/page/figure_page.h"
#include "widgets/figures/page/figure_panels.h"
#include "widgets/figures/page/figure_text.h"

#include <QBuffer>
#include <QImageWriter>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>
#include <functional>

namespace peakscope {

namespace {

constexpr double kPointsPerInch = 72;
constexpr double kMetresPerInch = 0.0254;
constexpr int kPdfDotsPerInch = 1440;
// SVG sizes are given to Qt in whole dots: hundredths of a point.
constexpr int kSvgDotsPerInch = 7200;

struct Provenance {
    QString program = QStringLiteral("Peakscope ") + QStringLiteral(PEAKSCOPE_VERSION);
    QString title;
    QStringList runs; // id and what must be known about the run
    QString text() const
    {
        return FigureText::tr("Made by %1 from the runs %2").arg(program, runs.join(QStringLiteral(", ")));
    }
};

void addRuns(Provenance& provenance, const RunResults& results)
{
    for (const auto& result : results) {
        QString run = QString::fromStdString(result->id);
        if (const QStringList badges = runBadges(*result); !badges.isEmpty())
            run += QStringLiteral(" (") + badges.join(QStringLiteral("; ")) + QLatin1Char(')');
        provenance.runs << run;
    }
}

// What is written to a file: one figure, or a board of them.
struct OutputPage {
    std::string name;
    std::vector<QSizeF> sizes; // of its pages, points
    // One page; `bound`: the others are in the same file.
    std::function<std::vector<FigureCanvas::PlacedText>(QPainter*, FigureTheme, std::size_t page, bool bound)> draw;
    Provenance provenance;
};

OutputPage pageOf(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    OutputPage page;
    page.name = figure;
    const FigurePages pages(figure, results, preset, FigureTheme::Light);
    for (std::size_t i = 0; i < pages.count(); ++i)
        page.sizes.push_back(pages.size(i));
    page.draw = [=, &results, &preset](QPainter* painter, FigureTheme theme, std::size_t index, bool bound) {
        return FigurePages(figure, results, preset, theme).draw(painter, index, bound);
    };
    page.provenance.title = figureTitle(figure);
    addRuns(page.provenance, results);
    return page;
}

OutputPage pageOf(const FigureBoard& board, const FigurePreset& preset)
{
    OutputPage page;
    page.name = "board";
    page.sizes = {boardSizePt(board, preset)};
    page.draw = [&board, &preset](QPainter* painter, FigureTheme theme, std::size_t, bool) {
        return drawBoardPage(painter, board, preset, theme);
    };
    QStringList titles;
    for (std::size_t i = 0; i < board.panels.size(); ++i)
        titles << QStringLiteral("(%1) %2").arg(panelLetter(i), panelCaption(board, i));
    page.provenance.title = titles.join(QStringLiteral("; "));
    addRuns(page.provenance, runsOf(board));
    return page;
}

// Escaped for XML, which knows no control characters: names come from files that anyone may have written.
QString xmlText(QString text)
{
    for (QChar& c : text) {
        if (c.unicode() < 0x20 || c.unicode() == 0xfffe || c.unicode() == 0xffff || c.isSurrogate())
            c = QLatin1Char(' ');
    }
    return text.toHtmlEscaped();
}

// XMP, the standard place for a PDF's subject and keywords (ISO 16684-1).
QByteArray xmpOf(const Provenance& provenance)
{
    const QString text =
        QStringLiteral("<?xpacket begin='\uFEFF' id='W5M0MpCehiHzreSzNTczkc9d'?>\n"
                       "<x:xmpmeta xmlns:x='adobe:ns:meta/'>"
                       "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
                       "<rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/' "
                       "xmlns:pdf='http://ns.adobe.com/pdf/1.3/' xmlns:xmp='http://ns.adobe.com/xap/1.0/'>"
                       "<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>%1</rdf:li></rdf:Alt></dc:title>"
                       "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>%2</rdf:li></rdf:Alt>"
                       "</dc:description>"
                       "<pdf:Keywords>%3</pdf:Keywords><xmp:CreatorTool>%4</xmp:CreatorTool>"
                       "</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end='w'?>")
            .arg(xmlText(provenance.title), xmlText(provenance.text()),
                 xmlText(provenance.runs.join(QStringLiteral(", "))), xmlText(provenance.program));
    return text.toUtf8();
}

// Qt rounds the page to whole points; a column of 7.16 inches is 515.52 points wide. The number has the same length,
// so the file's offsets stay right.
void setPdfPageWidth(QByteArray& pdf, double widthPt)
{
    const QByteArray box("/MediaBox [0 0 ");
    const QByteArray exact = QByteArray::number(widthPt, 'f', 6);
    for (qsizetype start = pdf.indexOf(box); start >= 0; start = pdf.indexOf(box, start + 1)) {
        const qsizetype number = start + box.size();
        if (pdf.indexOf(' ', number) - number == exact.size())
            pdf.replace(number, exact.size(), exact);
    }
}

Result<QByteArray> pdfOf(const OutputPage& page)
{
    const auto pageSize = [&page](std::size_t index) {
        return QPageSize(page.sizes.at(index), QPageSize::Point, QString(), QPageSize::ExactMatch);
    };
    const Provenance& provenance = page.provenance;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kPdfDotsPerInch);
        writer.setPageSize(pageSize(0));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(provenance.title);
        writer.setCreator(provenance.program);
        writer.setDocumentXmpMetadata(xmpOf(provenance));
        QPainter painter;
        if (!painter.begin(&writer))
            return failed(page.name, "Qt could not begin a PDF page");
        painter.scale(kPdfDotsPerInch / kPointsPerInch, kPdfDotsPerInch / kPointsPerInch);
        for (std::size_t i = 0; i < page.sizes.size(); ++i) {
            if (i > 0 && !(writer.setPageSize(pageSize(i)) && writer.newPage()))
                return failed(page.name, "Qt could not begin a PDF page");
            page.draw(&painter, FigureTheme::Light, i, true);
        }
        painter.end();
    }
    setPdfPageWidth(bytes, page.sizes.front().width());
    return bytes;
}

// Qt writes title and description without escaping them, so they are put in afterwards. The words of the figure stand
// in the description because its letters are outlines: searching and screen readers find them there.
void insertSvgMetadata(QByteArray& svg, const Provenance& provenance,
                       const std::vector<FigureCanvas::PlacedText>& texts)
{
    QStringList words;
    for (const FigureCanvas::PlacedText& placed : texts)
        words << placed.text;
    const QString metadata =
        QStringLiteral("\n<title>%1</title>\n<desc>%2. %3</desc>")
            .arg(xmlText(provenance.title), xmlText(provenance.text()), xmlText(words.join(QStringLiteral("; "))));
    const qsizetype tag = svg.indexOf("<svg");
    const qsizetype end = tag < 0 ? -1 : svg.indexOf('>', tag);
    if (end >= 0)
        svg.insert(end + 1, metadata.toUtf8());
}

// What Qt's generator writes by itself ("Generated with Qt").
void removeElement(QByteArray& svg, const QByteArray& tag)
{
    const QByteArray closing = "</" + tag + ">";
    const qsizetype start = svg.indexOf("<" + tag + ">");
    const qsizetype end = start < 0 ? -1 : svg.indexOf(closing, start);
    if (end >= 0)
        svg.remove(start, end + closing.size() - start);
}

Result<QByteArray> svgOf(const OutputPage& page)
{
    const QSizeF size = page.sizes.front();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    std::vector<FigureCanvas::PlacedText> texts;
    {
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setResolution(kSvgDotsPerInch);
        generator.setSize((size * (kSvgDotsPerInch / kPointsPerInch)).toSize());
        generator.setViewBox(QRectF(QPointF(0, 0), size));
        QPainter painter;
        if (!painter.begin(&generator))
            return failed(page.name, "Qt could not begin an SVG drawing");
        texts = page.draw(&painter, FigureTheme::Light, 0, false);
        painter.end();
    }
    removeElement(bytes, "title");
    removeElement(bytes, "desc");
    insertSvgMetadata(bytes, page.provenance, texts);
    return bytes;
}

QImage imageOf(const OutputPage& page, FigureTheme theme, int resolution)
{
    const double scale = resolution / kPointsPerInch;
    QImage image(qRound(page.sizes.front().width() * scale), qRound(page.sizes.front().height() * scale),
                 QImage::Format_RGB32);
    if (image.isNull())
        return {};
    image.setDotsPerMeterX(qRound(resolution / kMetresPerInch));
    image.setDotsPerMeterY(qRound(resolution / kMetresPerInch));
    image.fill(figureColors(theme).background);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    page.draw(&painter, theme, 0, false);
    return image;
}

Result<QByteArray> pngOf(const OutputPage& page, int resolution)
{
    QImage image = imageOf(page, FigureTheme::Light, resolution);
    image.setText(QStringLiteral("Title"), page.provenance.title);
    image.setText(QStringLiteral("Description"), page.provenance.text());
    image.setText(QStringLiteral("Software"), page.provenance.program);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    if (!writer.write(image))
        return failed(page.name, "the PNG could not be made: " + writer.errorString().toStdString());
    return bytes;
}

Result<QByteArray> bytesOf(const OutputPage& page, int resolution, FigureFormat format)
{
    switch (format) {
    case FigureFormat::Pdf:
        return pdfOf(page);
    case FigureFormat::Svg:
        return svgOf(page);
    case FigureFormat::Png:
        return pngOf(page, resolution);
    }
    return badInput(page.name, "unknown format; pdf, svg and png are known");
}

Status writePage(QIODevice& device, const OutputPage& page, int resolution, FigureFormat format)
{
    if (!device.isWritable())
        return failed(page.name, "the output is not open for writing");
    const Result<QByteArray> bytes = bytesOf(page, resolution, format);
    if (!bytes)
        return bytes.error();
    if (device.write(*bytes) != bytes->size())
        return failed(page.name, "the output could not be written: " + device.errorString().toStdString());
    return Done{};
}

} // namespace

QImage renderFigureImage(std::string_view figure, const RunResults& results, const FigurePreset& preset,
                         FigureTheme theme, int dpi)
{
    if (!checkFigure(figure, results))
        return {};
    return imageOf(pageOf(figure, results, preset), theme, dpi > 0 ? dpi : preset.dpi);
}

QImage renderBoardImage(const FigureBoard& board, const FigurePreset& preset, FigureTheme theme, int dpi)
{
    if (!checkBoard(board))
        return {};
    return imageOf(pageOf(board, preset), theme, dpi > 0 ? dpi : preset.dpi);
}

Status writeFigure(QIODevice& device, std::string_view figure, const RunResults& results, const FigurePreset& preset,
                   FigureFormat format)
{
    if (const Status status = checkFigure(figure, results); !status)
        return status;
    return writePage(device, pageOf(figure, results, preset), preset.dpi, format);
}

QString figureCaption(std::string_view figure, const RunResults& results, FigurePreset preset)
{
    if (!checkFigure(figure, results))
        return {};
    preset.captionApart = true;
    const auto sentence = [](const QString& words) {
        return FigureText::tr("%1.", "the end of a sentence").arg(words);
    };
    QStringList sentences{sentence(figureTitle(figure))};
    QStringList panels;
    const std::vector<FigurePanel> all = figurePanels(figure, results);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool chosen =
            preset.panels.empty() || std::find(preset.panels.begin(), preset.panels.end(), i) != preset.panels.end();
        if (chosen)
            panels << QStringLiteral("(%1) %2").arg(all[i].letter, all[i].title);
    }
    for (const QStringList& words : {panels, FigurePages(figure, results, preset, FigureTheme::Light).caption()}) {
        if (!words.isEmpty())
            sentences << sentence(words.join(FigureText::tr("; ", "between parts of a caption")));
    }
    const RunResults drawn = drawnResults(figure, results);
    if (drawn.size() == 1) {
        if (const QStringList parts = runSetting(*drawn.front()) + runBadges(*drawn.front()); !parts.isEmpty())
            sentences.insert(1, sentence(parts.join(FigureText::tr("; ", "between parts of a caption"))));
        return sentences.join(u' ');
    }
    const std::vector<QString> labels = runLabels(drawn);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        if (const QStringList badges = runBadges(*drawn[i]); !badges.isEmpty())
            sentences << sentence(QStringLiteral("%1: %2").arg(labels[i], badges.join(u' ')));
    }
    return sentences.join(u' ');
}

Status writeBoard(QIODevice& device, const FigureBoard& board, const FigurePreset& preset, FigureFormat format)
{
    if (const Status status = checkBoard(board); !status)
        return status;
    return writePage(device, pageOf(board, preset), preset.dpi, format);
}

} // namespace peakscope
