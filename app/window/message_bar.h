// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One message at the place where the work was started, with what to do next as buttons: the program's replacement for
// message boxes. GUI thread.
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

    // Replaces what stands there; its number, by which whoever says it knows it again. `detail`: what the text is
    // about, to be read as it is; whole, however long.
    int showMessage(Kind kind, LanguageText text, const std::vector<Action>& actions = {}, const QString& detail = {});
    // That message stands there; 0 is none.
    bool shows(int message) const { return message != 0 && message == m_message && !isHidden(); }
    QString text() const;
    QString detail() const;
    Kind kind() const { return m_kind; }

signals:
    void closedByUser(int message); // by the cross or by Esc; dismissed() follows
    void dismissed();

public slots:
    void dismiss();

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void closeByUser();
    void recolor();
    void showDetail(const QString& detail);
    void say();

    Kind m_kind = Kind::Info;
    LanguageText m_saying;
    std::vector<std::pair<QPushButton*, LanguageText>> m_labels;
    int m_message = 0; // the number of the last one
    QLabel* m_icon = nullptr;
    QLabel* m_text = nullptr;
    QPlainTextEdit* m_detail = nullptr;
    QHBoxLayout* m_buttons = nullptr;
    QToolButton* m_close = nullptr;
};

} // namespace peakscope
