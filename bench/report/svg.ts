/**
 * Line charts as SVG, by hand: axes, grid, lines with their names at their ends.
 *
 * They stand on whatever is behind them: every colour is of a middle lightness, at least 3 to 1 against white and against
 * the black of dark pages. Lines differ in dashes too. The output is the same for the same input.
 */

/** A line. `x` and `y` are values of the axes; points come in the order of `x`. */
export interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** How values lie along an axis. */
export interface Axis {
  readonly label: string
  /** Position of a value, 0 to 1. */
  readonly place: (value: number) => number
  readonly ticks: readonly { readonly value: number; readonly text: string }[]
}

export interface Chart {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  readonly series: readonly Series[]
}

const WIDTH = 860
const HEIGHT = 420
const LEFT = 78
const TOP = 46
const BOTTOM = 56

export const INK = '#7b818a'
const GRID = '#8b919a'
export const COLOURS = [
  '#2f7fd1',
  '#d9730d',
  '#2b9a57',
  '#9a63d9',
  '#d84c50',
  '#1b95a8',
  '#a8841c',
  '#c5509f',
  '#6f7fd8',
  '#6b9a2b',
]
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '5 2', '12 4', '3 2', '1 3']

/** Width of a letter of a name, at most, on average. */
const LETTER = 8
/** Least distance of two names at the ends of lines. */
const LINE_HEIGHT = 15

export function chart({ title, x, y, series }: Chart): string {
  const right = WIDTH - 40 - LETTER * Math.max(...series.map(({ name }) => name.length))
  const bottom = HEIGHT - BOTTOM
  const across = (value: number): number => LEFT + clamp(x.place(value)) * (right - LEFT)
  const down = (value: number): number => bottom - clamp(y.place(value)) * (bottom - TOP)
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12" fill="${INK}">`,
    `<title>${escaped(title)}</title>`,
    `<text x="${LEFT}" y="22" font-size="15" font-weight="600">${escaped(title)}</text>`,
  ]
  for (const { value, text } of y.ticks) {
    const at = short(down(value))
    parts.push(
      `<path d="M${LEFT} ${at}H${right}" stroke="${GRID}" stroke-opacity="0.35"/>`,
      `<text x="${LEFT - 8}" y="${short(down(value) + 4)}" text-anchor="end">${escaped(text)}</text>`,
    )
  }
  for (const { value, text } of x.ticks) {
    const at = short(across(value))
    parts.push(
      `<path d="M${at} ${TOP}V${bottom}" stroke="${GRID}" stroke-opacity="0.35"/>`,
      `<text x="${at}" y="${bottom + 18}" text-anchor="middle">${escaped(text)}</text>`,
    )
  }
  parts.push(
    `<path d="M${LEFT} ${TOP}V${bottom}H${right}" fill="none" stroke="${INK}"/>`,
    `<text x="${(LEFT + right) / 2}" y="${HEIGHT - 12}" text-anchor="middle">${escaped(x.label)}</text>`,
    `<text transform="translate(16 ${(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y.label)}</text>`,
  )
  const drawn = series
    .map(({ name, points }, index) => ({
      name,
      colour: COLOURS[index % COLOURS.length]!,
      dash: DASHES[(index + Math.floor(index / COLOURS.length)) % DASHES.length]!,
      path: thin(points.map((point) => [across(point[0]), down(point[1])])),
    }))
    .filter(({ path }) => path.length > 0)
  for (const { colour, dash, path } of drawn.toReversed()) {
    const d = path.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${short(px)} ${short(py)}`).join('')
    const dashes = dash === '' ? '' : ` stroke-dasharray="${dash}"`
    parts.push(
      `<path d="${d}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${dashes}/>`,
    )
  }
  const ends = spread(
    drawn.map(({ path }) => path.at(-1)![1]),
    TOP,
    bottom,
  )
  drawn.forEach(({ name, colour, dash, path }, index) => {
    const [px, py] = path.at(-1)!
    const at = ends[index]!
    const from = right + 8
    parts.push(
      `<path d="M${short(px)} ${short(py)}L${from} ${short(at)}" stroke="${colour}" stroke-opacity="0.45" fill="none"/>`,
      `<path d="M${from} ${short(at)}h16" stroke="${colour}" stroke-width="2"${dash === '' ? '' : ` stroke-dasharray="${dash}"`}/>`,
      `<text x="${from + 21}" y="${short(at + 4)}" fill="${colour}" font-weight="600">${escaped(name)}</text>`,
    )
  })
  parts.push('</svg>')
  return `${parts.join('\n')}\n`
}

/** From `from` to `to`, both among the ticks where they are powers of ten. */
export function logAxis(label: string, from: number, to: number, write: (value: number) => string): Axis {
  const low = Math.log10(from)
  const span = Math.log10(to) - low
  const ticks = []
  for (let power = Math.ceil(low - 1e-9); power <= Math.log10(to) + 1e-9; power++) {
    ticks.push({ value: 10 ** power, text: write(10 ** power) })
  }
  return { label, ticks, place: (value) => (Math.log10(Math.max(value, from)) - low) / span }
}

/** From 0 to the next round number above `to`, or to `to` itself where that is all there is. */
export function linearAxis(
  label: string,
  to: number,
  write: (value: number) => string,
  end: 'round' | 'exact' = 'round',
): Axis {
  const rough = Math.max(to, 1e-9) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((each) => each >= rough)!
  const count = Math.max(1, end === 'exact' ? Math.floor(to / step) : Math.ceil(to / step - 1e-9))
  const ticks = Array.from({ length: count + 1 }, (_, i) => ({ value: i * step, text: write(i * step) }))
  const most = end === 'exact' ? Math.max(to, step * count) : step * count
  return { label, ticks, place: (value) => value / most }
}

/** Parts of a whole, 0 to 1, the last ones far apart: 90 %, 99 % and 99.9 % lie at equal distances. */
export function percentileAxis(label: string, samples: number): Axis {
  const nines = Math.max(1, Math.log10(Math.max(10, samples * 2)))
  const named: [number, string][] = [
    [0, '0'],
    [0.5, '50'],
    [0.9, '90'],
    [0.99, '99'],
    [0.999, '99.9'],
    [0.9999, '99.99'],
    [0.99999, '99.999'],
    [0.999999, '99.9999'],
  ]
  const place = (part: number): number => -Math.log10(Math.max(1 - part, 1e-12)) / nines
  return {
    label,
    place,
    ticks: named
      .filter(([value]) => place(value) <= 1)
      .map(([value, text]) => ({ value, text: `${text} %` })),
  }
}

/** Leaves out points that would not be seen. */
function thin(points: readonly (readonly [number, number])[]): [number, number][] {
  const kept: [number, number][] = []
  points.forEach(([x, y], index) => {
    const last = kept.at(-1)
    const seen = last === undefined || Math.abs(last[0] - x) >= 1 || Math.abs(last[1] - y) >= 1
    if (seen || index === points.length - 1) kept.push([x, y])
  })
  return kept
}

/** Moves positions apart until no two are nearer than a line, in their order and between the bounds. */
function spread(wanted: readonly number[], top: number, bottom: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a]! - wanted[b]! || a - b)
  const placed = [...wanted]
  let least = top
  for (const index of order) {
    placed[index] = Math.max(placed[index]!, least)
    least = placed[index]! + LINE_HEIGHT
  }
  let most = bottom
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index]!, most)
    most = placed[index]! - LINE_HEIGHT
  }
  return placed
}

function clamp(part: number): number {
  return Math.min(1, Math.max(0, part))
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10)
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
