// Steps through the trace in the page. Texts of the model are set as text, never as markup.
const trace = JSON.parse(document.getElementById('trace').textContent)
const { steps, within, vocabulary } = trace
const last = steps.length - 1
const byId = (id) => document.getElementById(id)
const slider = byId('step')
let at = 0

/** Characters that do not show, as they would be escaped. */
function visible(text) {
  return text
    .replaceAll('\n', '⏎')
    .replaceAll('\t', '⇥')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, (each) => `\\u{${each.codePointAt(0).toString(16)}}`)
}

function element(name, text = '', className = '') {
  const made = document.createElement(name)
  if (text !== '') made.textContent = text
  if (className !== '') made.className = className
  return made
}

function percent(share) {
  const value = 100 * share
  return `${value >= 10 ? value.toFixed(1) : value >= 0.01 || value === 0 ? value.toFixed(2) : '< 0.01'} %`
}

function plural(count, noun) {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

function candidates(table, header, rows) {
  const head = element('tr')
  for (const text of header) {
    const cell = element('th', text)
    cell.scope = 'col'
    head.append(cell)
  }
  const body = rows.map(({ text, share, allowed, chosen }) => {
    const row = element('tr', '', `${allowed ? '' : 'refused'} ${chosen ? 'chosen' : ''}`.trim())
    const token = element('td')
    // Spaces are half of what tells tokens apart.
    token.append(element(allowed ? 'span' : 'del', visible(text).replaceAll(' ', '␣')))
    const part = element('td', percent(share), 'number share')
    part.style.setProperty('--part', `${(100 * share).toFixed(1)}%`)
    row.append(token, part, element('td', chosen ? 'chosen' : allowed ? '' : 'refused'))
    return row
  })
  table.replaceChildren(table.caption, head, ...body)
}

function showText({ text, completion, cost }) {
  const cursor = element('span', '▌', 'cursor')
  cursor.setAttribute('aria-hidden', 'true')
  byId('text').replaceChildren(text, ...(cost === 0 ? [] : [cursor, element('span', completion, 'end')]))
  byId('summary').textContent =
    cost === 0
      ? `After ${plural(at, 'token')} the call is whole.`
      : `Cut after ${plural(at, 'token')}: no call. The shortest end, in green, costs ${plural(cost, 'token')}; maxTokens ${at + cost} would have done.`
}

function showStack({ frames, cost }) {
  const rows = frames.map(({ kind, pointer, text, needs }) => {
    const row = element('li')
    const scalar = ['key', 'string', 'number', 'literal'].includes(kind)
    row.append(element('strong', kind), pointer === '' ? ' ' : ' at ')
    if (pointer !== '') row.append(element('code', visible(pointer)), ' ')
    if (needs.length > 0) row.append(element('span', `needs ${needs.map(visible).join(' · ')}`, 'needs'))
    else row.append(element('span', 'needs nothing more', 'none'))
    if (scalar && text !== '') row.append(', has ', element('code', visible(text)))
    return row
  })
  const empty = element(
    'li',
    cost === 0 ? 'Nothing is open.' : 'Nothing yet: the text has not begun.',
    'none',
  )
  byId('stack').replaceChildren(...(rows.length > 0 ? rows : [empty]))
}

function showChoice(next) {
  byId('choice').hidden = next === null
  if (next === null) return
  const { allowed, mass, before, after } = next
  byId('mass').textContent =
    `The mask leaves ${plural(allowed, 'token')} of ${vocabulary.toLocaleString('en')}, and ${percent(mass)} of what the model would have said.`
  candidates(byId('before'), ['Token', 'Share', 'Mask'], before)
  candidates(byId('after'), ['Token', 'Share of what is left', ''], after)
}

const WIDTH = 720
const HEIGHT = 190
const LEFT = 34
const TOP = 14
const BOTTOM = 24
const most = Math.max(...steps.map(({ cost }) => cost), 1)
const across = (count) => LEFT + (count * (WIDTH - LEFT - 10)) / Math.max(1, last)
const down = (value) => HEIGHT - BOTTOM - (value * (HEIGHT - TOP - BOTTOM)) / most

function shape(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  if (text !== undefined) made.textContent = text
  return made
}

function drawCurve() {
  const line = (of) => steps.map((step, count) => `${across(count)} ${down(of(step))}`).join('L')
  const bottom = HEIGHT - BOTTOM
  const labels = [0, most].map((value) =>
    shape('text', { x: LEFT - 6, y: down(value) + 4, 'text-anchor': 'end' }, String(value)),
  )
  const ends = [0, last].map((count) =>
    shape(
      'text',
      { x: across(count), y: HEIGHT - 6, 'text-anchor': count === 0 ? 'start' : 'end' },
      String(count),
    ),
  )
  const needed = line(({ cost }) => cost)
  byId('curve').append(
    shape('path', { class: 'needed', d: `M${LEFT} ${bottom}L${needed}L${across(last)} ${bottom}Z` }),
    shape('path', { class: 'depth', d: `M${line(({ frames }) => frames.length)}`, 'stroke-width': 2 }),
    shape('path', { class: 'axis', d: `M${LEFT} ${bottom}H${WIDTH - 10}` }),
    shape('path', { class: 'here', id: 'here' }),
    ...labels,
    ...ends,
  )
  const deepest = Math.max(...steps.map(({ frames }) => frames.length))
  byId('curve-text').textContent =
    `Filled: tokens that the shortest end costs, ${most} at most. Dashed: frames that are open, ${deepest} at most. Across: tokens written.`
  byId('curve').addEventListener('click', ({ clientX }) => {
    const { left, width } = byId('curve').getBoundingClientRect()
    const x = ((clientX - left) * WIDTH) / width
    show(Math.round(((x - LEFT) * last) / (WIDTH - LEFT - 10)))
  })
}

function showBudgets() {
  byId('within').hidden = within.length === 0
  const head = element('tr')
  for (const text of ['maxTokens', 'Taken', 'Arguments']) {
    const cell = element('th', text)
    cell.scope = 'col'
    head.append(cell)
  }
  const rows = within.map(({ budget, tokens, argumentsText }) => {
    const row = element('tr')
    row.append(
      element('td', String(budget)),
      element('td', String(tokens), 'number'),
      element('td', argumentsText === null ? 'cut' : visible(argumentsText), 'call'),
    )
    return row
  })
  byId('budgets').replaceChildren(head, ...rows)
}

function show(count) {
  at = Math.min(last, Math.max(0, count))
  const step = steps[at]
  slider.value = String(at)
  byId('count').textContent = String(at)
  // A button that is disabled would lose the focus.
  for (const id of ['first', 'back']) byId(id).setAttribute('aria-disabled', String(at === 0))
  for (const id of ['on', 'last']) byId(id).setAttribute('aria-disabled', String(at === last))
  byId('here').setAttribute('d', `M${across(at)} ${TOP}V${HEIGHT - BOTTOM}`)
  showText(step)
  showStack(step)
  showChoice(step.next)
}

const moves = { ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: () => last }

byId('first').addEventListener('click', () => show(0))
byId('back').addEventListener('click', () => show(at - 1))
byId('on').addEventListener('click', () => show(at + 1))
byId('last').addEventListener('click', () => show(last))
slider.addEventListener('input', () => show(Number(slider.value)))
document.addEventListener('keydown', (event) => {
  const move = moves[event.key]
  if (move === undefined || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  show(move())
})

drawCurve()
showBudgets()
show(0)
