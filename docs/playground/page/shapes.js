// Triangles of the few shapes that are drawn, as positions and normals, and vector arithmetic.

export function cube() {
  const [positions, normals] = [[], []];
  for (const axis of [0, 1, 2]) {
    for (const side of [-1, 1]) {
      const at = (u, v) => {
        const p = [0, 0, 0];
        p[axis] = side;
        p[(axis + 1) % 3] = u * side;
        p[(axis + 2) % 3] = v;
        return p;
      };
      const normal = [0, 0, 0];
      normal[axis] = side;
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) {
        positions.push(...at(u, v));
        normals.push(...normal);
      }
    }
  }
  return { positions, normals };
}

// A surface of revolution about z: radius and height along a profile, each with its normal.
function revolved(profile, parts) {
  const [positions, normals] = [[], []];
  const at = ([radius, height, out, up], k) => {
    const angle = 2 * Math.PI * k / parts;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [[radius * c, radius * s, height], [out * c, out * s, up]];
  };
  for (let i = 0; i + 1 < profile.length; i++) {
    for (let k = 0; k < parts; k++) {
      const [a, b, c, d] = [at(profile[i], k), at(profile[i], k + 1), at(profile[i + 1], k + 1), at(profile[i + 1], k)];
      // Where the radius is zero, one of the two triangles is degenerate.
      const corners = [...(profile[i][0] ? [a, b, c] : []), ...(profile[i + 1][0] ? [a, c, d] : [])];
      for (const [position, normal] of corners) {
        positions.push(...position);
        normals.push(...normal);
      }
    }
  }
  return { positions, normals };
}

export function sphere() {
  const profile = Array.from({ length: 13 }, (_, i) => {
    const angle = Math.PI * (i / 12 - 0.5);
    return [i % 12 ? Math.cos(angle) : 0, Math.sin(angle), Math.cos(angle), Math.sin(angle)];
  });
  return revolved(profile, 24);
}

// The straight part of a capsule.
export const tube = () => revolved([[1, -1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]], 24);

// Flat shapes that always face the camera: along y, from 0 to 1.
const flat = (corners) => ({ positions: corners.flatMap(([x, y]) => [x, y, 0]), normals: corners.flatMap(() => [0, 0, 1]) });
export const shaft = () => flat([[-1, 0], [1, 0], [1, 1], [-1, 0], [1, 1], [-1, 1]]);
export const tip = () => flat([[-1, 0], [1, 0], [0, 1]]);
export const funnel = () => revolved([[0, 0, 1, -1], [1, 1, 1, -1]], 32);
export const quad = () => ({ positions: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0], normals: Array(6).fill([0, 0, 1]).flat() });

// The largest half extent of a shape that has an end.
export const reach = ({ box, sphere, capsule }) =>
  box ? Math.max(...box.half_extents) : sphere ? sphere.radius : capsule.half_height + capsule.radius;

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const by = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => by(a, 1 / (Math.hypot(...a) || 1));

// Columns of the rotation of a quaternion x, y, z, w.
export function axes([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  ];
}

// Axes whose third one has the given direction.
export function along(direction) {
  const third = unit(direction);
  const other = Math.abs(third[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
  const first = unit(cross(other, third));
  return [first, cross(third, first), third];
}

// A matrix from axes, a size along each and a position, column by column.
export function placed([a, b, c], [sa, sb, sc], position) {
  return [...by(a, sa), 0, ...by(b, sb), 0, ...by(c, sc), 0, ...position, 1];
}

export function times(a, b) {
  return Array.from({ length: 16 }, (_, i) => {
    const [column, row] = [i >> 2, i & 3];
    return a[row] * b[4 * column] + a[row + 4] * b[4 * column + 1] + a[row + 8] * b[4 * column + 2] + a[row + 12] * b[4 * column + 3];
  });
}
