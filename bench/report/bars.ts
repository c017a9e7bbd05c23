/** Bars of parts, one below the other, as SVG: the same ink and colours as the lines of svg.ts. */
import { COLOURS, escaped, INK } from './svg.ts'

export interface Bars {
  readonly title: string
  /** Names of the parts, in the order in which they lie. */
  readonly parts: readonly string[]
  readonly rows: readonly { readonly name: string; readonly values: readonly number[] }[]
}

const WIDTH = 860
const LEFT = 270
const RIGHT = 20
const TOP = 84
const ROW = 34
const BAR = 22
/** Narrowest part that its number fits in. */
const LEAST = 20

export function bars({ title, parts, rows }: Bars): string {
  const height = TOP + ROW * rows.length + 8
  const most = Math.max(1, ...rows.map(({ values }) => sum(values)))
  const scale = (WIDTH - LEFT - RIGHT) / most
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="12" fill="${INK}">`,
    `<title>${escaped(title)}</title>`,
    `<text x="20" y="22" font-size="15" font-weight="600">${escaped(title)}</text>`,
  ]
  let across = 20
  parts.forEach((name, index) => {
    svg.push(
      `<rect x="${across}" y="40" width="14" height="14" rx="2" fill="${colour(index)}"/>`,
      `<text x="${across + 20}" y="52">${escaped(name)}</text>`,
    )
    across += 44 + 7 * name.length
  })
  rows.forEach(({ name, values }, row) => {
    const y = TOP + row * ROW
    svg.push(`<text x="${LEFT - 10}" y="${y + 15}" text-anchor="end">${escaped(name)}</text>`)
    let x = LEFT
    values.forEach((value, index) => {
      const width = Math.round(value * scale * 10) / 10
      if (value === 0) return
      svg.push(
        `<rect x="${x.toFixed(1)}" y="${y}" width="${width}" height="${BAR}" fill="${colour(index)}"><title>${escaped(`${name}: ${value} ${parts[index]}`)}</title></rect>`,
      )
      if (width >= LEAST)
        svg.push(
          `<text x="${(x + width / 2).toFixed(1)}" y="${y + 15}" text-anchor="middle" fill="#ffffff" font-weight="600">${value}</text>`,
        )
      x += width
    })
  })
  svg.push('</svg>')
  return `${svg.join('\n')}\n`
}

/** What is right in green, what is only valid in blue, what was rejected in red, what was cut in orange, what is none in grey. */
function colour(index: number): string {
  const order = [2, 0, 4, 1]
  const place = order[index]
  return place === undefined ? INK : COLOURS[place]!
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
