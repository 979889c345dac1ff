// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Figures as files: PDF, SVG, PNG, each with its origin in its metadata.
#include "widgets/figures/figure.h"
#include "widgets/figures/figure_page.h"
#include "widgets/figures/figure_text.h"

#include <QBuffer>
#include <QImageWriter>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <cmath>

namespace peakscope {

namespace {

constexpr double kPointsPerInch = 72;
constexpr double kMetresPerInch = 0.0254;
constexpr int kPdfDotsPerInch = 1440;
// SVG sizes are given to Qt in whole dots: hundredths of a point.
constexpr int kSvgDotsPerInch = 7200;

struct Provenance {
    QString program;
    QString title;
    QStringList runs; // id and what must be known about the run
    QString text() const
    {
        return FigureText::tr("Made by %1 from the runs %2").arg(program, runs.join(QStringLiteral(", ")));
    }
};

Provenance provenanceOf(std::string_view figure, const RunResults& results)
{
    Provenance provenance;
    provenance.program = QStringLiteral("Peakscope ") + QStringLiteral(PEAKSCOPE_VERSION);
    provenance.title = figureTitle(figure);
    for (const auto& result : results) {
        QString run = QString::fromStdString(result->id);
        if (const QStringList badges = runBadges(*result); !badges.isEmpty())
            run += QStringLiteral(" (") + badges.join(QStringLiteral("; ")) + QLatin1Char(')');
        provenance.runs << run;
    }
    return provenance;
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
    const qsizetype start = pdf.indexOf("/MediaBox [0 0 ");
    if (start < 0)
        return;
    const qsizetype number = start + static_cast<qsizetype>(qstrlen("/MediaBox [0 0 "));
    const qsizetype end = pdf.indexOf(' ', number);
    const QByteArray exact = QByteArray::number(widthPt, 'f', 6);
    if (end - number == exact.size())
        pdf.replace(number, exact.size(), exact);
}

Result<QByteArray> pdfOf(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    const QSizeF size = figureSizePt(figure, results, preset);
    const Provenance provenance = provenanceOf(figure, results);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kPdfDotsPerInch);
        writer.setPageSize(QPageSize(size, QPageSize::Point, QString(), QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF());
        writer.setTitle(provenance.title);
        writer.setCreator(provenance.program);
        writer.setDocumentXmpMetadata(xmpOf(provenance));
        QPainter painter;
        if (!painter.begin(&writer))
            return failed(std::string(figure), "Qt could not begin a PDF page");
        painter.scale(kPdfDotsPerInch / kPointsPerInch, kPdfDotsPerInch / kPointsPerInch);
        drawFigurePage(&painter, figure, results, preset, FigureTheme::Light);
        painter.end();
    }
    setPdfPageWidth(bytes, size.width());
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

Result<QByteArray> svgOf(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    const QSizeF size = figureSizePt(figure, results, preset);
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
            return failed(std::string(figure), "Qt could not begin an SVG drawing");
        texts = drawFigurePage(&painter, figure, results, preset, FigureTheme::Light);
        painter.end();
    }
    removeElement(bytes, "title");
    removeElement(bytes, "desc");
    insertSvgMetadata(bytes, provenanceOf(figure, results), texts);
    return bytes;
}

Result<QByteArray> pngOf(std::string_view figure, const RunResults& results, const FigurePreset& preset)
{
    QImage image = renderFigureImage(figure, results, preset);
    const Provenance provenance = provenanceOf(figure, results);
    image.setText(QStringLiteral("Title"), provenance.title);
    image.setText(QStringLiteral("Description"), provenance.text());
    image.setText(QStringLiteral("Software"), provenance.program);
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QImageWriter writer(&buffer, "png");
    if (!writer.write(image))
        return failed(std::string(figure), "the PNG could not be made: " + writer.errorString().toStdString());
    return bytes;
}

Result<QByteArray> bytesOf(std::string_view figure, const RunResults& results, const FigurePreset& preset,
                           FigureFormat format)
{
    switch (format) {
    case FigureFormat::Pdf:
        return pdfOf(figure, results, preset);
    case FigureFormat::Svg:
        return svgOf(figure, results, preset);
    case FigureFormat::Png:
        return pngOf(figure, results, preset);
    }
    return badInput(std::string(figure), "unknown format; pdf, svg and png are known");
}

} // namespace

QImage renderFigureImage(std::string_view figure, const RunResults& results, const FigurePreset& preset,
                         FigureTheme theme, int dpi)
{
    if (!checkFigure(figure, results))
        return {};
    const int resolution = dpi > 0 ? dpi : preset.dpi;
    const double scale = resolution / kPointsPerInch;
    const QSizeF size = figureSizePt(figure, results, preset);
    QImage image(qRound(size.width() * scale), qRound(size.height() * scale), QImage::Format_RGB32);
    if (image.isNull())
        return {};
    image.setDotsPerMeterX(qRound(resolution / kMetresPerInch));
    image.setDotsPerMeterY(qRound(resolution / kMetresPerInch));
    image.fill(figureColors(theme).background);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(scale, scale);
    drawFigurePage(&painter, figure, results, preset, theme);
    return image;
}

Status writeFigure(QIODevice& device, std::string_view figure, const RunResults& results, const FigurePreset& preset,
                   FigureFormat format)
{
    if (const Status status = checkFigure(figure, results); !status)
        return status;
    if (!device.isWritable())
        return failed(std::string(figure), "the output is not open for writing");
    const Result<QByteArray> bytes = bytesOf(figure, results, preset, format);
    if (!bytes)
        return bytes.error();
    if (device.write(*bytes) != bytes->size())
        return failed(std::string(figure), "the output could not be written: " + device.errorString().toStdString());
    return Done{};
}

} // namespace peakscope
