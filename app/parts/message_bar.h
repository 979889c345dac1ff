// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One message at the place where the work was started, with what to do next as buttons: the program's replacement for
// message boxes. In a layout, or over the lower edge of an area, where nothing moves when it comes and goes. GUI
// thread.
#pragma once

#include "widgets/text/language_texts.h"

#include <QFrame>
#include <QString>

#include <functional>
#include <utility>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace peakscope {

class MessageBar : public QFrame
{
    Q_OBJECT

public:
    enum class Kind { Info, Warning, Error };
    using Action = std::pair<LanguageText, std::function<void()>>;

    explicit MessageBar(QWidget* parent = nullptr);

    // Lies over the lower edge of `area`, above the bars that are shown there already, from now on. Its message ends
    // when `area` is hidden, as the page of another workspace comes to the front.
    void layOver(QWidget* area);
    // While `foot`, at the lower edge of that area, is shown, it is left free.
    void layAbove(QWidget* foot);
    // Replaces what stands there; its number, by which whoever says it knows it again. `detail`: what the text is
    // about, to be read as it is; whole, however long.
    int showMessage(Kind kind, LanguageText text, const std::vector<Action>& actions = {}, const QString& detail = {});
    // That message stands there; 0 is none.
    bool shows(int message) const { return message != 0 && message == m_message && !isHidden(); }
    // Of the message that stands there now: it outlasts the page in front, as a question that waits for its answer or
    // how far something is.
    void outlastPage(bool outlasts = true) { m_outlastsPage = outlasts; }
    bool outlastsPage() const { return m_outlastsPage && !isHidden(); }
    // Of the message that stands there now: it tells of what is over, and goes once it can be read, whatever it offers.
    void endInTime();
    // The page in front is another one.
    void leavePage();
    QString text() const;
    QString detail() const;
    Kind kind() const { return m_kind; }

signals:
    void closedByUser(int message); // by the cross or by Esc; dismissed() follows
    void dismissed();

public slots:
    void dismiss();

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void place();
    QList<MessageBar*> shownBeside() const; // over areas of the same window
    void closeByUser();
    void recolor();
    void showDetail(const QString& detail);
    void say();

    Kind m_kind = Kind::Info;
    LanguageText m_saying;
    std::vector<std::pair<QPushButton*, LanguageText>> m_labels;
    int m_message = 0;         // the number of the last one
    QWidget* m_area = nullptr; // it lies over; null: it stands in a layout
    QWidget* m_foot = nullptr; // of the area; null: none
    bool m_outlastsPage = false;
    quint64 m_shownAt = 0; // a later one lies above an earlier one
    QLabel* m_icon = nullptr;
    QLabel* m_text = nullptr;
    QPlainTextEdit* m_detail = nullptr;
    QHBoxLayout* m_buttons = nullptr;
    QToolButton* m_close = nullptr;
};

} // namespace peakscope
