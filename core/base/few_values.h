// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// At most N values, held in place: for what is made and dropped so often that allocating a vector each would count.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>

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

    // Throws std::out_of_range for one more than N.
    void push_back(T value) { m_values.at(m_size++) = std::move(value); }
    T& operator[](std::size_t index) { return m_values[index]; }
    const T& operator[](std::size_t index) const { return m_values[index]; }
    std::size_t size() const { return m_size; }
    T* begin() { return m_values.data(); }
    T* end() { return m_values.data() + m_size; }
    const T* begin() const { return m_values.data(); }
    const T* end() const { return m_values.data() + m_size; }

private:
    std::array<T, N> m_values;
    std::size_t m_size = 0;
};

} // namespace peakscope
