/**
 * Resolution of a URI reference against a base (RFC 3986, section 5.2), for `$id` and `$ref`. Nothing is fetched, and
 * nothing normalised beyond dot segments: two URIs are the same when their texts are.
 */

interface Uri {
  readonly scheme: string | undefined
  readonly authority: string | undefined
  readonly path: string
  readonly query: string | undefined
  readonly fragment: string | undefined
}

/** The expression of RFC 3986, appendix B. */
const URI = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/

/** The absolute form of the reference, or as much of it as the base allows. */
export function resolveUri(reference: string, base: string): string {
  const to = parse(reference)
  if (to.scheme !== undefined || base === '') return print({ ...to, path: removeDots(to.path) })
  const from = parse(base)
  if (to.authority !== undefined) return print({ ...to, scheme: from.scheme, path: removeDots(to.path) })
  const { scheme, authority } = from
  if (to.path === '') {
    return print({ scheme, authority, path: from.path, query: to.query ?? from.query, fragment: to.fragment })
  }
  let path = to.path
  if (!path.startsWith('/')) {
    const folder = from.path.slice(0, from.path.lastIndexOf('/') + 1)
    path = `${authority !== undefined && from.path === '' ? '/' : folder}${path}`
  }
  return print({ scheme, authority, path: removeDots(path), query: to.query, fragment: to.fragment })
}

function parse(text: string): Uri {
  const match = URI.exec(text)
  return {
    scheme: match?.[1],
    authority: match?.[2],
    path: match?.[3] ?? '',
    query: match?.[4],
    fragment: match?.[5],
  }
}

function print({ scheme, authority, path, query, fragment }: Uri): string {
  const start = `${scheme === undefined ? '' : `${scheme}:`}${authority === undefined ? '' : `//${authority}`}`
  return `${start}${path}${query === undefined ? '' : `?${query}`}${fragment === undefined ? '' : `#${fragment}`}`
}

function removeDots(path: string): string {
  if (!path.includes('.')) return path
  const kept: string[] = []
  const segments = path.split('/')
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1
    if (segment === '..') {
      if (kept.length > 1 || (kept.length === 1 && kept[0] !== '')) kept.pop()
      if (last) kept.push('')
    } else if (segment === '.') {
      if (last) kept.push('')
    } else {
      kept.push(segment)
    }
  })
  return kept.join('/')
}

export function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#')
  return hash < 0 ? uri : uri.slice(0, hash)
}
