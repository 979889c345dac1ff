// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/figure_language.h"

#include "app/parts/translations.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLocale>

namespace peakscope {

namespace {

// The application tells all widgets; they go on in the window's language.
class Deaf : public QObject
{
public:
    Deaf() { QCoreApplication::instance()->installEventFilter(this); }

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        return watched == QCoreApplication::instance() && event->type() == QEvent::LanguageChange;
    }
};

void installUnheard(const QString& language)
{
    const Deaf deaf;
    installTranslation(language);
}

} // namespace

FigureLanguage::FigureLanguage(const QString& language) : m_window(installedLanguage())
{
    const bool chinese = QLocale().language() == QLocale::Chinese;
    m_other = !language.isEmpty() && (language == QLatin1String("zh")) != chinese;
    if (m_other)
        installUnheard(language);
}

FigureLanguage::~FigureLanguage()
{
    if (m_other)
        installUnheard(m_window);
}

} // namespace peakscope
