// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/wrapped_header.h"

#include <QTableView>

#include <algorithm>

namespace peakscope {

namespace {

constexpr int kAir = 2; // beside the widest of a column

// In two lines, broken where the wider one is narrowest; one word stays.
QString inTwoLines(const QString& text, const QFontMetrics& metrics)
{
    QString best = text;
    int width = metrics.horizontalAdvance(text);
    for (qsizetype at = text.indexOf(u' '); at > 0; at = text.indexOf(u' ', at + 1)) {
        QString broken = text;
        broken[at] = u'\n';
        if (const int wider = metrics.size(0, broken).width(); wider < width) {
            width = wider;
            best = broken;
        }
    }
    return best;
}

} // namespace

WrappedHeader::WrappedHeader(QTableView* view) : QHeaderView(Qt::Horizontal, view), m_view(view)
{
    setSectionsClickable(true);
    connect(this, &QHeaderView::sectionResized, this, [this] { m_byHand = m_byHand || !m_fitting; });
}

void WrappedHeader::fitColumns(int most)
{
    m_most = most;
    m_byHand = false;
    m_fitting = true;
    setWrapped(false);
    m_plain = widthOfContents();
    if (m_plain > m_view->viewport()->width()) {
        setWrapped(true);
        widthOfContents();
    }
    m_fitting = false;
    m_name = sectionSize(0);
    fitName();
}

// A long name gives way before numbers leave the view, though not below two fifths of it.
void WrappedHeader::fitName()
{
    if (!m_wrapped || m_byHand || m_fitting || count() == 0)
        return;
    const int room = m_view->viewport()->width();
    m_fitting = true;
    resizeSection(0, std::clamp(room - (length() - sectionSize(0)), std::min(m_name, room * 2 / 5), m_name));
    m_fitting = false;
}

void WrappedHeader::followTitles()
{
    if (!m_byHand && m_most > 0)
        fitColumns(m_most);
    for (int section = 0; m_byHand && section < count(); ++section)
        resizeSection(section, std::max(sectionSize(section), sectionSizeHint(section)));
}

int WrappedHeader::widthOfContents()
{
    m_view->resizeColumnsToContents();
    for (int section = 0; section < count(); ++section)
        resizeSection(section, std::min(sectionSize(section) + kAir, m_most));
    return length();
}

void WrappedHeader::setWrapped(bool wrapped)
{
    if (wrapped == m_wrapped)
        return;
    m_wrapped = wrapped;
    headerDataChanged(Qt::Horizontal, 0, std::max(count() - 1, 0)); // forgets the height it had
    emit geometriesChanged();
}

QSize WrappedHeader::sectionSizeFromContents(int section) const
{
    const QSize size = QHeaderView::sectionSizeFromContents(section);
    const QString text = model()->headerData(section, Qt::Horizontal).toString();
    if (!m_wrapped)
        return size;
    const QFontMetrics metrics = fontMetrics();
    return size + metrics.size(0, inTwoLines(text, metrics)) - metrics.size(0, text);
}

void WrappedHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const
{
    QHeaderView::initStyleOptionForIndex(option, section);
    if (m_wrapped)
        option->text = inTwoLines(option->text, fontMetrics());
}

// A view that became wide enough has its titles in one line again.
void WrappedHeader::resizeEvent(QResizeEvent* event)
{
    QHeaderView::resizeEvent(event);
    const auto isDue = [this] {
        return m_most > 0 && !m_byHand && !m_fitting && (m_plain > m_view->viewport()->width()) != m_wrapped;
    };
    if (!isDue()) {
        fitName();
        return;
    }
    // Later: the view is laying itself out.
    QMetaObject::invokeMethod(
        this,
        [this, isDue] {
            if (isDue())
                fitColumns(m_most);
        },
        Qt::QueuedConnection);
}

} // namespace peakscope
