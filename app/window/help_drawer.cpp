// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/help_drawer.h"

#include "widgets/look/pieces.h"
#include "widgets/plot/plot_view.h"
#include "widgets/text/language_texts.h"

#include <QDesktopServices>
#include <QDirIterator>
#include <QImage>
#include <QLocale>
#include <QMainWindow>
#include <QResource>
#include <QTextBrowser>
#include <QTextDocument>
#include <QUrl>

static void initHelp()
{
    Q_INIT_RESOURCE(peakscope_help);
}

namespace peakscope {

namespace {

const QString kFirstPage = QStringLiteral("index");

const QString kFolder = QStringLiteral(":/help/");
const QString kEnglish = QStringLiteral(".md"), kChinese = QStringLiteral(".zh.md");

// In the window's language where the page has been translated.
QString fileOf(const QString& page)
{
    const QString chinese = kFolder + page + kChinese;
    const bool translated = QLocale().language() == QLocale::Chinese && QResource(chinese).isValid();
    return translated ? chinese : kFolder + page + kEnglish;
}

QString pageOf(const QString& file)
{
    return file.mid(kFolder.size()).chopped(file.endsWith(kChinese) ? kChinese.size() : kEnglish.size());
}

// Its pictures stay on the site, and what is no page of it opens outside, where the user asks for that.
class HelpText : public QTextBrowser
{
public:
    // In the language that the window has now.
    void readAgain()
    {
        if (!source().isEmpty())
            setSource(source(), QTextDocument::MarkdownResource);
    }

protected:
    QVariant loadResource(int type, const QUrl& name) override
    {
        if (type == QTextDocument::ImageResource)
            return QImage(1, 1, QImage::Format_Mono);
        return QTextBrowser::loadResource(type, name);
    }

    void doSetSource(const QUrl& name, QTextDocument::ResourceType type) override
    {
        if (name.scheme() == QLatin1String("http") || name.scheme() == QLatin1String("https"))
            QDesktopServices::openUrl(name);
        else if (const QString file = u':' + name.path(); file.endsWith(kEnglish) && QResource(file).isValid())
            QTextBrowser::doSetSource(translated(name, file), type);
    }

private:
    static QUrl translated(QUrl name, const QString& file)
    {
        name.setPath(fileOf(pageOf(file)).mid(1));
        return name;
    }
};

} // namespace

HelpDrawer::HelpDrawer(QMainWindow* window) : QDockWidget(window)
{
    initHelp();
    setObjectName(QStringLiteral("help"));
    auto* page = new QWidget(this);
    auto* text = new HelpText;
    m_text = text;
    m_text->setFrameShape(QFrame::NoFrame);
    auto* contents = new QAction(page);
    auto* back = new QAction(page);
    back->setEnabled(false);
    connect(contents, &QAction::triggered, this, [this] { open(kFirstPage); });
    connect(back, &QAction::triggered, m_text, &QTextBrowser::backward);
    connect(m_text, &QTextBrowser::backwardAvailable, back, &QAction::setEnabled);
    auto* column = makeBox<QVBoxLayout>(page, {}, 0);
    auto* row = makeBox<QHBoxLayout>(nullptr, {4, 2, 4, 2}, 2);
    for (QAction* action : {back, contents})
        row->addWidget(makeBarButton(action));
    row->addStretch();
    column->addLayout(row);
    column->addWidget(m_text, 1);
    setWidget(page);
    setMinimumWidth(fontMetrics().averageCharWidth() * 40);
    inLanguage(this, [this, text, back, contents] {
        setWindowTitle(tr("Help"));
        m_text->setAccessibleName(tr("Help"));
        back->setText(tr("Back"));
        contents->setText(tr("Contents"));
        text->readAgain();
    });
    window->addDockWidget(Qt::RightDockWidgetArea, this);
    if (auto* inspector = window->findChild<QDockWidget*>(QStringLiteral("inspector")))
        window->tabifyDockWidget(inspector, this); // a page needs the whole height
    hide();
    // Also where a session brings it back.
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool seen) {
        if (seen && m_text->source().isEmpty())
            read(kFirstPage);
    });
}

void HelpDrawer::read(const QString& page)
{
    m_text->setSource(QUrl(QStringLiteral("qrc") + fileOf(QResource(fileOf(page)).isValid() ? page : kFirstPage)),
                      QTextDocument::MarkdownResource);
}

void HelpDrawer::open(const QString& page)
{
    read(page);
    show();
    raise();
}

void HelpDrawer::openForPanel()
{
    open(pageForPanel());
}

QString HelpDrawer::pageForPanel() const
{
    const QWidget* panel = window()->focusWidget(); // also one on a page that went to the back
    if (const QString page = helpTopic(panel); !page.isEmpty() && panel->isVisible())
        return page;
    QString page = kFirstPage;
    qsizetype largest = 0;
    for (const PlotView* view : window()->findChildren<PlotView*>()) {
        const QRect seen = view->visibleRegion().boundingRect();
        const qsizetype area = qsizetype(seen.width()) * seen.height();
        if (const QString topic = helpTopic(view); area > largest && !topic.isEmpty()) {
            largest = area;
            page = topic;
        }
    }
    return page;
}

QList<HelpPage> HelpDrawer::pages()
{
    QList<HelpPage> pages;
    QDirIterator files(kFolder, {u'*' + kEnglish}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        if (file.endsWith(kChinese))
            continue;
        const QString page = pageOf(file);
        const QByteArray text = QResource(fileOf(page)).uncompressedData();
        const QString title = QString::fromUtf8(text.left(text.indexOf('\n'))).remove(u'#').trimmed();
        pages.push_back({page, title});
    }
    return pages;
}

} // namespace peakscope
