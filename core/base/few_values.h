// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Usually at most N values, held in place: for what is made and dropped so often that allocating a vector each would
// count. More go into one.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace peakscope {

template <typename T, std::size_t N>
class FewValues
{
public:
    FewValues() = default;
    FewValues(std::initializer_list<T> values)
    {
        for (const T& value : values)
            push_back(value);
    }

    void push_back(T value)
    {
        if (m_size == N)
            m_many.assign(std::move_iterator(m_values.begin()), std::move_iterator(m_values.end()));
        if (m_size >= N)
            m_many.push_back(std::move(value));
        else
            m_values[m_size] = std::move(value);
        ++m_size;
    }
    T& operator[](std::size_t index) { return begin()[index]; }
    const T& operator[](std::size_t index) const { return begin()[index]; }
    std::size_t size() const { return m_size; }
    T* begin() { return m_size > N ? m_many.data() : m_values.data(); }
    T* end() { return begin() + m_size; }
    const T* begin() const { return m_size > N ? m_many.data() : m_values.data(); }
    const T* end() const { return begin() + m_size; }

private:
    std::array<T, N> m_values;
    std::vector<T> m_many; // all of them where they are more than N
    std::size_t m_size = 0;
};

} // namespace peakscope
