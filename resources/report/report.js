// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";

// Bytes in the unit that keeps three digits.
function bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) { value /= 1024; ++unit; }
    return (unit === 0 || value >= 100 ? value.toFixed(0) : value.toPrecision(3)) + " " + units[unit];
}

// A step of an axis with at most `most` ticks: 1, 2 or 5 times a power of `base`'s own steps.
function niceStep(range, most) {
    const rough = range / most, power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map(n => n * power).find(step => step >= rough);
}

class Timeline {
    constructor(box) {
        this.data = JSON.parse(box.querySelector("script").textContent);
        this.canvas = box.querySelector("canvas");
        this.values = [...box.querySelectorAll(".legend b")];
        this.when = box.querySelector(".when");
        this.all = [this.data.time[0], this.data.end];
        this.range = this.data.first ? [...this.data.first] : [...this.all];
        this.pointer = null;
        const { canvas } = this;
        canvas.addEventListener("wheel", event => { event.preventDefault(); this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event)); },
            { passive: false });
        canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); this.grip = this.timeAt(event); });
        canvas.addEventListener("pointerup", () => { this.grip = null; });
        canvas.addEventListener("pointermove", event => {
            if (this.grip != null) this.shift(this.grip - this.timeAt(event));
            this.pointer = this.timeAt(event);
            this.draw();
        });
        canvas.addEventListener("pointerleave", () => { this.pointer = null; this.draw(); });
        canvas.addEventListener("dblclick", () => this.reset());
        canvas.addEventListener("keydown", event => {
            const middle = (this.range[0] + this.range[1]) / 2, tenth = (this.range[1] - this.range[0]) / 10;
            const done = { "+": () => this.zoom(0.8, middle), "-": () => this.zoom(1.25, middle), ArrowLeft: () => this.shift(-tenth),
                ArrowRight: () => this.shift(tenth), Home: () => this.reset() }[event.key];
            if (done) { event.preventDefault(); done(); this.draw(); }
        });
        new ResizeObserver(() => this.draw()).observe(canvas);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }

    plot() {
        const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
        return { left: 72, right: width - 8, top: 8, bottom: height - 26, width, height };
    }
    timeAt(event) {
        const { left, right } = this.plot();
        return this.range[0] + (event.offsetX - left) / (right - left) * (this.range[1] - this.range[0]);
    }
    zoom(factor, at) {
        const least = Math.max((this.all[1] - this.all[0]) * 1e-6, 1e-9);
        const span = Math.min(Math.max((this.range[1] - this.range[0]) * factor, least), this.all[1] - this.all[0]);
        const share = (at - this.range[0]) / (this.range[1] - this.range[0]);
        this.range = [at - share * span, at + (1 - share) * span];
        this.shift(0);
    }
    shift(by) {
        const span = this.range[1] - this.range[0];
        const begin = Math.min(Math.max(this.range[0] + by, this.all[0]), this.all[1] - span);
        this.range = [begin, begin + span];
        this.draw();
    }
    reset() { this.range = [...this.all]; this.draw(); }

    // The last sample at or before a time.
    indexAt(time) {
        let low = 0, high = this.data.time.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.data.time[middle] <= time) low = middle; else high = middle - 1;
        }
        return low;
    }

    draw() {
        const { canvas, data } = this, ratio = devicePixelRatio || 1, { left, right, top, bottom, width, height } = this.plot();
        if (width === 0) return;
        canvas.width = width * ratio; canvas.height = height * ratio;
        const paint = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
        const colour = name => style.getPropertyValue(name).trim();
        paint.scale(ratio, ratio);
        paint.font = "12px system-ui, sans-serif";
        const columns = Math.max(1, Math.floor((right - left) * ratio));
        const [from, to] = this.range;
        // The highest total of each column of pixels, so that no peak is lost.
        const shown = [];
        let next = this.indexAt(from), most = 0;
        for (let column = 0; column < columns; ++column) {
            const end = from + (column + 1) / columns * (to - from);
            let best = next;
            while (next + 1 < data.time.length && data.time[next + 1] < end) {
                ++next;
                if (data.total[next] > data.total[best]) best = next;
            }
            shown.push(best);
            most = Math.max(most, data.total[best]);
        }
        const unit = 1024 ** Math.max(0, Math.floor(Math.log(Math.max(most, 1)) / Math.log(1024)));
        const step = niceStep(Math.max(most, 1) * 1.08 / unit, 8) * unit, ceiling = Math.max(most, 1) * 1.08;
        const y = value => bottom - value / ceiling * (bottom - top);
        paint.strokeStyle = colour("--line"); paint.fillStyle = colour("--soft"); paint.textAlign = "right"; paint.textBaseline = "middle";
        for (let value = 0; value <= ceiling; value += step) {
            paint.beginPath(); paint.moveTo(left, y(value)); paint.lineTo(right, y(value)); paint.stroke();
            paint.fillText(bytes(value), left - 8, y(value));
        }
        const base = new Float64Array(columns);
        data.components.forEach((component, layer) => {
            paint.fillStyle = component.colour;
            for (let column = 0; column < columns; ++column) {
                const value = component.bytes[shown[column]];
                if (value <= 0) continue;
                const upper = y(base[column] + value), lower = y(base[column]);
                paint.fillRect(left + column / ratio, upper, 1 / ratio + 0.02, lower - upper);
                base[column] += value;
            }
        });
        paint.textAlign = "center"; paint.textBaseline = "top"; paint.fillStyle = colour("--soft");
        const ticks = niceStep(to - from, 8), digits = Math.max(0, -Math.floor(Math.log10(ticks)));
        for (let tick = Math.ceil(from / ticks) * ticks; tick <= to; tick += ticks)
            paint.fillText(tick.toFixed(Math.min(digits, 9)) + " s", left + (tick - from) / (to - from) * (right - left), bottom + 8);
        const at = this.pointer == null ? data.peak : this.indexAt(this.pointer);
        const place = left + ((this.pointer ?? data.time[data.peak]) - from) / (to - from) * (right - left);
        if (place >= left && place <= right) {
            paint.strokeStyle = colour("--text");
            paint.beginPath(); paint.moveTo(place, top); paint.lineTo(place, bottom); paint.stroke();
        }
        this.when.textContent = (this.pointer == null ? data.words.peak : data.words.at) + " " + data.time[at].toPrecision(6) + " s: " + bytes(data.total[at]);
        data.components.forEach((component, index) => { this.values[index].textContent = bytes(component.bytes[at]); });
    }
}

// A click on a header sorts by that column, again the other way round.
function sortable(table) {
    const head = [...table.tHead.rows[0].cells];
    head.forEach((cell, column) => {
        const sort = () => {
            const down = cell.getAttribute("aria-sort") !== "descending" && cell.classList.contains("n") || cell.getAttribute("aria-sort") === "ascending";
            const rows = [...table.tBodies[0].rows], key = row => row.cells[column].dataset.v ?? row.cells[column].textContent;
            const numeric = cell.classList.contains("n");
            rows.sort((a, b) => {
                const left = key(a), right = key(b);
                const order = numeric ? (left === "" ? -Infinity : +left) - (right === "" ? -Infinity : +right) || 0 : left.localeCompare(right);
                return down ? -order : order;
            });
            table.tBodies[0].append(...rows);
            head.forEach(each => each.removeAttribute("aria-sort"));
            cell.setAttribute("aria-sort", down ? "descending" : "ascending");
        };
        cell.tabIndex = 0;
        cell.addEventListener("click", sort);
        cell.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
    });
}

const timelines = [...document.querySelectorAll(".timeline")].map(box => new Timeline(box));
document.querySelectorAll("table").forEach(sortable);
document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.classList.contains("dark") || !root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches;
    root.className = dark ? "light" : "dark";
    timelines.forEach(timeline => timeline.draw());
});
