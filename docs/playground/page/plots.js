// Lines over time on a plain canvas. It keeps a fixed number of the latest points and is drawn again when there are new
// ones.

export class Plot {
  constructor(canvas, lines, { logarithmic = false } = {}) {
    Object.assign(this, { canvas, lines, logarithmic, points: [] });
  }

  clear() {
    this.points = [];
  }

  add(time, values) {
    this.points.push([time, ...values]);
    if (this.points.length > 900) this.points.shift();
  }

  draw(style) {
    const { canvas } = this;
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const [low, high] = this.range();
    const frame = { left: 46, top: 6, right: width - 6, bottom: height - 16 };
    this.axes(pen, frame, [low, high], style);
    if (this.points.length < 2) return;
    const [first, last] = [this.points[0][0], this.points.at(-1)[0]];
    const x = (time) => frame.left + (frame.right - frame.left) * (time - first) / Math.max(last - first, 1e-9);
    const y = (value) => frame.bottom - (frame.bottom - frame.top) * (this.scaled(value) - low) / Math.max(high - low, 1e-12);
    this.lines.forEach((name, i) => {
      pen.strokeStyle = style(`--${name}`);
      pen.lineWidth = 1.5;
      pen.beginPath();
      this.points.forEach((point, k) => (k ? pen.lineTo : pen.moveTo).call(pen, x(point[0]), y(point[i + 1])));
      pen.stroke();
    });
  }

  scaled(value) {
    return this.logarithmic ? Math.log10(Math.max(value, 1e-9)) : value;
  }

  range() {
    const all = this.points.flatMap((point) => point.slice(1).map((value) => this.scaled(value)));
    if (this.logarithmic) return [-9, Math.max(0, ...all)];
    const [low, high] = [Math.min(0, ...all), Math.max(1e-3, ...all)];
    return [low, high + 0.05 * (high - low)];
  }

  axes(pen, { left, right, top, bottom }, [low, high], style) {
    pen.strokeStyle = style("--line");
    pen.fillStyle = style("--faint");
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    for (const part of [0, 0.5, 1]) {
      const y = bottom - (bottom - top) * part;
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(right, y);
      pen.stroke();
      const value = low + (high - low) * part;
      pen.fillText(this.logarithmic ? `1e${Math.round(value)}` : shortNumber(value), left - 4, y + 4);
    }
    if (this.points.length > 1) {
      pen.fillText(`${this.points.at(-1)[0].toFixed(1)} s`, right, bottom + 13);
      pen.textAlign = "left";
      pen.fillText(`${this.points[0][0].toFixed(1)} s`, left, bottom + 13);
    }
  }
}

export function shortNumber(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 100 && size < 1e5) return value.toFixed(0);
  return size >= 1e5 || size < 1e-2 ? value.toExponential(1) : value.toPrecision(3);
}
