// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Result<T>: a value or one Error. No exception crosses a module of Peakscope; this is what crosses instead.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace peakscope {

// Each code is an exit status of the command line programs (see exitStatus).
enum class ErrorCode {
    Failed,      // an experiment or an operation failed: 1
    BadInput,    // unusable arguments or input: 2
    OverBudget,  // an allocation would have passed the budget: 3
    Interrupted, // cancelled, or its process was ended: 4
};

struct Error {
    ErrorCode code = ErrorCode::Failed;
    std::string message; // one sentence: what is wrong and what would be right
    std::string context; // where: file, JSON path, stage; may be empty

    // "context: message" on one line.
    std::string text() const { return context.empty() ? message : context + ": " + message; }
};

inline Error badInput(std::string context, std::string message)
{
    return {ErrorCode::BadInput, std::move(message), std::move(context)};
}

inline Error failed(std::string context, std::string message)
{
    return {ErrorCode::Failed, std::move(message), std::move(context)};
}

constexpr int exitStatus(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Failed:
        return 1;
    case ErrorCode::BadInput:
        return 2;
    case ErrorCode::OverBudget:
        return 3;
    case ErrorCode::Interrupted:
        return 4;
    }
    return 1;
}

template <typename T>
class [[nodiscard]] Result
{
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    // Asking a failed Result for its value is a programmer's error (std::bad_variant_access).
    T& value() & { return std::get<0>(m_state); }
    const T& value() const& { return std::get<0>(m_state); }
    T&& value() && { return std::get<0>(std::move(m_state)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

// A Result without a value.
struct Done {
};
using Status = Result<Done>;

} // namespace peakscope
