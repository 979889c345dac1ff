// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// One message at the place where the work was started, with what to do next as buttons: the program's replacement for
// message boxes. GUI thread.
#pragma once

#include <QFrame>
#include <QString>

#include <functional>
#include <utility>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace peakscope {

class MessageBar : public QFrame
{
    Q_OBJECT

public:
    enum class Kind { Info, Warning, Error };
    using Action = std::pair<QString, std::function<void()>>;

    explicit MessageBar(QWidget* parent = nullptr);

    // Replaces what stands there. `detail`: what the text is about, to be read as it is; whole, however long.
    void showMessage(Kind kind, const QString& text, const std::vector<Action>& actions = {},
                     const QString& detail = {});
    QString text() const;
    QString detail() const;
    Kind kind() const { return m_kind; }
    // What stands there, to be shown again in another bar; an empty text where nothing does.
    struct Content {
        Kind kind = Kind::Info;
        QString text;
        std::vector<Action> actions;
        QString detail = {};
    };
    Content content() const { return {m_kind, text(), m_actions, detail()}; }
    void show(const Content& content);
    using QFrame::show;

signals:
    void closedByUser(const QString& text); // by the cross or by Esc; dismissed() follows
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

    Kind m_kind = Kind::Info;
    std::vector<Action> m_actions;
    QLabel* m_icon = nullptr;
    QLabel* m_text = nullptr;
    QPlainTextEdit* m_detail = nullptr;
    QHBoxLayout* m_buttons = nullptr;
    QToolButton* m_close = nullptr;
};

} // namespace peakscope
