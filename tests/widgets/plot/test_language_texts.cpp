// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that say themselves anew in another language.
#include "tests/test_room.h"
#include "widgets/text/language_texts.h"

#include <QLabel>
#include <QTest>
#include <QTranslator>
#include <QVBoxLayout>

using namespace peakscope;

namespace {

class Shouting : public QTranslator
{
public:
    QString translate(const char*, const char* text, const char*, int) const override
    {
        return QString::fromUtf8(text).toUpper();
    }
    bool isEmpty() const override { return false; }
};

} // namespace

class TestLanguageTexts : public QObject
{
    Q_OBJECT

private slots:
    void textsFollow();
    void nothingIsSaidOfWhatIsGone();
};

void TestLanguageTexts::textsFollow()
{
    QWidget window;
    auto* label = new QLabel(&window);
    int said = 0;
    inLanguage(label, [label, &said] {
        label->setText(QCoreApplication::translate("Test", "batch"));
        ++said;
    });
    QCOMPARE(label->text(), QStringLiteral("batch"));
    window.show();
    Shouting shouting;
    QCoreApplication::installTranslator(&shouting);
    QTRY_COMPARE(label->text(), QStringLiteral("BATCH"));
    QCOMPARE(said, 2);
    QCoreApplication::removeTranslator(&shouting);
    QTRY_COMPARE(label->text(), QStringLiteral("batch"));
    label->setEnabled(false); // other changes are none of the language
    QCOMPARE(said, 3);
}

void TestLanguageTexts::nothingIsSaidOfWhatIsGone()
{
    QWidget window;
    window.show();
    int said = 0;
    auto* label = new QLabel(&window);
    inLanguage(label, [&said] { ++said; });
    delete label;
    Shouting shouting;
    QCoreApplication::installTranslator(&shouting);
    QCoreApplication::processEvents();
    QCOMPARE(said, 1);
    QCoreApplication::removeTranslator(&shouting);
}

PEAKSCOPE_TEST(TestLanguageTexts)
#include "test_language_texts.moc"
