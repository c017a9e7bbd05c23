/**
 * Grammars in GBNF and patterns that are hard on a compiler: of ten megabytes, of very many rules, nested very deeply,
 * ambiguous or recursive beyond reason, damaged. Each compiles, or is refused with a reason; the bench measures them.
 */

type Cases<T> = readonly (readonly [name: string, text: () => T])[]

function times(count: number, make: (index: number) => string, between = '\n'): string {
  return Array.from({ length: count }, (_, index) => make(index)).join(between)
}

/** Integers that look random, the same each time. */
function* scattered(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    yield state >>> 8
  }
}

/** Grammars in GBNF. `share`: of their sizes, for tests; 1 is what the bench measures. */
export function adversarialGrammars(share = 1): Cases<string | Uint8Array> {
  const some = (count: number): number => Math.ceil(count * share)
  const many = some(100_000)
  return [
    // Ten megabytes.
    ['700,000 literals to choose from', () => `root ::= ${times(some(700_000), (i) => `"lit${i}"`, ' | ')}`],
    ['700,000 literals in a row', () => `root ::= ${times(some(700_000), (i) => `"lit${i}"`, ' ')}`],
    ['a literal of 10 MB', () => `root ::= "${'a'.repeat(some(10_000_000))}"`],
    ['a comment of 10 MB', () => `# ${'a'.repeat(some(10_000_000))}\nroot ::= "a"`],
    ['10 MB of comments of a character', () => `root ::= "a"\n${'#\n'.repeat(some(5_000_000))}`],
    ['10 MB of line ends', () => `root ::= "a"${'\n'.repeat(some(10_000_000))} | "b"`],
    [
      'a class of a million ranges',
      () => {
        const numbers = scattered(1)
        const range = (): string => {
          const low = 0x100 + (numbers.next().value % 0xc000)
          return `\\u${low.toString(16).padStart(4, '0')}-\\u${(low + 3).toString(16).padStart(4, '0')}`
        }
        return `root ::= [${times(some(770_000), range, '')}]`
      },
    ],
    [
      'a class of every other character',
      () =>
        `root ::= [${times(some(550_000), (i) => `\\U${(i * 2 + (i * 2 >= 0xd800 ? 0x800 : 0)).toString(16).padStart(8, '0')}`, '')}]+`,
    ],
    ['a million groups', () => `root ::= ${times(some(1_000_000), () => '("a" )', ' ')}`],
    [
      'a million classes to choose from',
      () => `root ::= ${times(some(1_000_000), (i) => `[a-${'bcdefghij'[i % 9]}]`, '|')}`,
    ],
    [
      'five million references to one rule',
      () => `root ::= ${times(some(5_000_000), () => 'a', ' ')}\na ::= "x" | "(" a ")"`,
    ],
    ['600,000 options that call', () => `root ::= ${times(some(600_000), (i) => `"o${i}" root`, '|')} | "x"`],
    [
      '600,000 options that call first',
      () => `root ::= ${times(some(600_000), (i) => `root "o${i}"`, '|')} | "x"`,
    ],
    [
      '300,000 rules, unused',
      () => `root ::= "a"\n${times(some(300_000), (i) => `rule-number-${i} ::= "a" | "b"`)}`,
    ],
    [
      '300,000 rules that are not there',
      () => `root ::= ${times(some(500_000), (i) => `rule-number-${i}`, ' ')}`,
    ],
    ['10 MB that is no grammar', () => '('.repeat(some(10_000_000))],
    ['10 MB of a group of options', () => `root ::= (${times(some(2_500_000), () => '"a"', '|')})*`],
    ['10 MB of a token without an end', () => `root ::= <${'a'.repeat(some(10_000_000))}`],
    ['10 MB of a token with a long text', () => `root ::= <${'a'.repeat(some(10_000_000))}>`],

    // Very many rules.
    [
      'a chain of 100,000 rules',
      () => `root ::= r0\n${times(many, (i) => `r${i} ::= "a" ${i < many - 1 ? `r${i + 1}` : '"z"'}`)}`,
    ],
    [
      'the same, the last first',
      () => `r0 ::= "b"\n${times(many, (i) => `r${i + 1} ::= "a" r${i}`)}\nroot ::= r${many}`,
    ],
    [
      'a chain of 100,000 rules that comes back',
      () => `root ::= r0\n${times(many, (i) => `r${i} ::= "a" r${i + 1} "c"`)}\nr${many} ::= "b" | "x" r0`,
    ],
    [
      '100,000 names of one rule',
      () => `root ::= r0\n${times(many, (i) => `r${i} ::= ${i < many - 1 ? `r${i + 1}` : '"z"'}`)}`,
    ],
    [
      '100,000 names of one rule that nests',
      () =>
        `root ::= r0\n${times(many, (i) => `r${i} ::= ${i < many - 1 ? `r${i + 1}` : '"z" | "(" root ")"'}`)}`,
    ],
    [
      'a chain of 100,000 rules, each with one more option',
      () =>
        `root ::= r0\n${times(many, (i) => `r${i} ::= ${i < many - 1 ? `r${i + 1}` : '"z"'} | "${i}(" root ")"`)}`,
    ],
    [
      'a chain of 100,000 rules that may each be nothing',
      () =>
        `root ::= r0\n${times(many, (i) => `r${i} ::= ("${i}(" root ")")? ${i < many - 1 ? `r${i + 1}` : '"z"'}`)}`,
    ],
    [
      '100,000 rules in a row',
      () => `root ::= ${times(many, (i) => `r${i}`, ' ')}\n${times(many, (i) => `r${i} ::= "${i}" | "x"`)}`,
    ],
    [
      '100,000 rules in a row that nest',
      () =>
        `root ::= ${times(many, (i) => `r${i}`, ' ')}\n${times(many, (i) => `r${i} ::= "${i}" | "(" root ")"`)}`,
    ],
    [
      '100,000 rules in a row that may be nothing',
      () =>
        `root ::= ${times(many, (i) => `r${i}`, ' ')}\n${times(many, (i) => `r${i} ::= "${i}(" root ")" | ""`)}`,
    ],
    [
      '100,000 rules to choose from',
      () => `root ::= ${times(many, (i) => `r${i}`, ' | ')}\n${times(many, (i) => `r${i} ::= "${i}" root?`)}`,
    ],
    [
      '100,000 rules to choose from that begin alike',
      () =>
        `root ::= ${times(many, (i) => `r${i}`, ' | ')}\n${times(many, (i) => `r${i} ::= "a common beginning ${i}" root?`)}`,
    ],
    [
      '100,000 rules to choose from that begin with one',
      () =>
        `root ::= ${times(many, (i) => `r${i}`, ' | ')}\n${times(many, (i) => `r${i} ::= item "${i}"`)}\nitem ::= "x" | "(" item ")"`,
    ],
    [
      '100,000 rules to choose from, each a class and a call',
      () =>
        `root ::= ${times(many, (i) => `r${i}`, ' | ')}\n${times(many, (i) => `r${i} ::= [a-z]{${1 + (i % 100)}} "${i}" root?`)}`,
    ],
    [
      '3,000 rules that begin with all others',
      () =>
        `root ::= r0\n${times(3_000, (i) => `r${i} ::= r${(i + 1) % 3_000} "x" | r${(i * 7 + 3) % 3_000} "y" | "z${i}"`)}`,
    ],
    [
      'a circle of 100,000 rules that begin with each other',
      () => `root ::= r0\n${times(many, (i) => `r${i} ::= r${(i + 1) % many} "x" | "z${i}"`)}`,
    ],
    [
      'a circle of 100,000 rules that are each other',
      () => `root ::= r0\n${times(many, (i) => `r${i} ::= r${(i + 1) % many} | "z${i}"`)}`,
    ],
    [
      '100,000 rules that are left-recursive by themselves',
      () =>
        `root ::= r0\n${times(many, (i) => `r${i} ::= r${i} "x" | ${i < many - 1 ? `"(" r${i + 1} ")"` : '"z"'}`)}`,
    ],
    [
      'operators of 1,000 ranks',
      () =>
        `root ::= e0\n${times(1_000, (i) => `e${i} ::= e${i} "o${i}" e${i + 1} | e${i + 1}`)}\ne1000 ::= "x" | "(" e0 ")"`,
    ],
    [
      'operators of 100,000 ranks',
      () =>
        `root ::= e0\n${times(many, (i) => `e${i} ::= e${i} "o${i}" e${i + 1} | e${i + 1}`)}\ne${many} ::= "x" | "(" e0 ")"`,
    ],
    [
      'operators of 10,000 ranks, right',
      () =>
        `root ::= e0\n${times(10_000, (i) => `e${i} ::= e${i + 1} ("o${i}" e${i})?`)}\ne10000 ::= "x" | "(" e0 ")"`,
    ],
    [
      '100,000 rules that can never end',
      () => `root ::= "a" | r0\n${times(many, (i) => `r${i} ::= "x" r${(i + 1) % many}`)}`,
    ],
    [
      'rules that double sixty times',
      () => `root ::= r0\n${times(60, (i) => `r${i} ::= r${i + 1} r${i + 1}`)}\nr60 ::= "z" | "(" root ")"`,
    ],
    [
      'rules that double sixty times and may be nothing',
      () =>
        `root ::= r0\n${times(60, (i) => `r${i} ::= r${i + 1} r${i + 1}`)}\nr60 ::= "z" | "(" root ")" | ""`,
    ],
    [
      'two choices sixty times',
      () =>
        `root ::= r0\n${times(60, (i) => `r${i} ::= r${i + 1} "a" | r${i + 1} "b" | "(" root ")" r${i + 1}`)}\nr60 ::= "z"`,
    ],

    // Nesting.
    ['groups nested 100,000 deep', () => `root ::= ${'('.repeat(many)}"a"${')'.repeat(many)}`],
    ['options nested 100,000 deep', () => `root ::= ${'("a" '.repeat(many)}${')?'.repeat(many)}`],
    [
      'options of what nests, 100,000 deep',
      () => `root ::= ${'(x '.repeat(many)}${')?'.repeat(many)}\nx ::= "x" | "(" root ")"`,
    ],
    ['choices nested 100,000 deep', () => `root ::= ${'("a" root | '.repeat(many)}"b"${')'.repeat(many)}`],
    [
      'groups nested 100,000 deep to the left',
      () => `root ::= ${'('.repeat(many)}"a"${' "b" root?)'.repeat(many)}`,
    ],
    ['stars nested 100,000 deep', () => `root ::= ${'('.repeat(many)}"a"${')*'.repeat(many)}`],
    [
      'stars of what nests, 100,000 deep',
      () => `root ::= ${'('.repeat(many)}x${' "b")*'.repeat(many)}\nx ::= "x" | "(" root ")"`,
    ],
    [
      'groups nested a million deep',
      () => `root ::= ${'('.repeat(some(1_000_000))}"a"${')'.repeat(some(1_000_000))}`,
    ],
    ['a million stars on one thing', () => `root ::= ("a" root?)${'*'.repeat(some(1_000_000))}`],
    ['100,000 counts on one thing', () => `root ::= ("a" root?)${'{2}'.repeat(many)}`],
    ['100,000 counts that may be nothing', () => `root ::= "a"${'?{3}'.repeat(many)}`],
    ['stars of stars of stars', () => 'root ::= (((("a"*)*)*)*)*'],
    ['stars of stars of what nests', () => 'root ::= ((((a*)*)*)*)*\na ::= "a" | "(" a ")"'],

    // Counts.
    ['a million', () => 'root ::= "a"{1000000}'],
    ['a million of what nests', () => 'root ::= a{1000000}\na ::= "a" | "(" a ")"'],
    ['a million of a million', () => 'root ::= ("a"{1000000}){1000000}'],
    ['up to a million of up to a million', () => 'root ::= ("a"{0,1000000} "b"){0,1000000}'],
    [
      'up to a million of up to a million that nest',
      () => 'root ::= ((a{0,1000000} "b"){0,1000000} "c"){0,1000000}\na ::= "a" | "(" a ")"',
    ],
    [
      'counts up to a thousand, five within each other',
      () => 'root ::= ((((("a"{0,1000} "b"?){0,1000} "c"?){0,1000} "d"?){0,1000}) "e"?){0,1000}',
    ],
    ['a million of what may be nothing', () => 'root ::= (a?){1000000} "b"\na ::= "a" | "(" a ")"'],
    ['a count of 10,000,000,000,000,000', () => 'root ::= "a"{0,10000000000000000}'],
    ['a count of ten million digits', () => `root ::= "a"{${'9'.repeat(some(10_000_000))}}`],
    ['2^20 states', () => 'root ::= [ab]* "a" [ab]{20} "."'],
    ['2^20 states of what nests', () => 'root ::= x* "a" x{20} "."\nx ::= "a" | "b" | "(" x ")"'],

    // Ambiguity and the empty text.
    ['a text of itself twice', () => 'root ::= root root | "a" | ""'],
    ['a text of itself ten times', () => `root ::= ${times(10, () => 'root', ' ')} | "a" | ""`],
    [
      '200 rules, each two of the next or nothing, in a circle',
      () =>
        `root ::= r0\n${times(200, (i) => `r${i} ::= r${(i + 1) % 200} r${(i + 2) % 200} | "x${i}" | ""`)}`,
    ],
    [
      '300 rules that may be nothing and call each other',
      () =>
        `root ::= r0\n${times(300, (i) => `r${i} ::= ${times(6, (j) => `r${(i * 7 + j * 13) % 300}`, ' | ')} | "" | "${'abc'[i % 3]}" r${(i + 1) % 300} "${'xyz'[i % 3]}"`)}`,
    ],
    [
      '40 rules that may be nothing in a row, in a circle',
      () =>
        `root ::= r0\n${times(40, (i) => `r${i} ::= r${(i + 1) % 40}? r${(i + 3) % 40}? "${'abcd'[i % 4]}"?`)}`,
    ],
    [
      '5,000 options that may be nothing',
      () => `root ::= ${times(5_000, () => 'a?', ' ')}\na ::= "x" | "(" a ")"`,
    ],
    [
      '5,000 parts that may be nothing before recursion',
      () => `root ::= ${times(5_000, () => 'e', ' ')} root "x" | "y"\ne ::= "e"?`,
    ],
    [
      '5,000 nests that may be nothing before recursion',
      () => `root ::= ${times(5_000, () => 'e', ' ')} root "x" | "y"\ne ::= ("(" e ")")?`,
    ],
    ['every split of a run', () => 'root ::= a a a a a a a a\na ::= "x" | a a | ""'],
    ['runs within runs', () => 'root ::= (("a"+)+ | ("a" | "aa")*)* (("x"+ "x"+)+ "y")'],
    [
      'runs within runs of what nests',
      () => 'root ::= ((a+)+ | (a | a a)*)* ((b+ b+)+ "y")\na ::= "a" | "(" a ")"\nb ::= "b" | "(" b ")"',
    ],

    // Damage.
    [
      'bytes that are no UTF-8 at the end of 10 MB',
      () => Uint8Array.from({ length: 10_000_000 }, (_, i) => (i < 9_999_990 ? 0x23 : 0xff)),
    ],
    ['a cut character', () => Uint8Array.of(...new TextEncoder().encode('root ::= "é"')).subarray(0, 11)],
    ['a lone surrogate', () => 'root ::= "\ud800"'],
    ['a lone surrogate in a class', () => 'root ::= [a-\udc00]'],
    ['half of an escaped pair', () => 'root ::= "\\ud83d"'],
    ['a token of a huge id', () => 'root ::= <[9999999999]>'],
    ['a token with an id of many digits', () => `root ::= <[${'9'.repeat(some(100_000))}]>`],
    ['100,000 tokens that are not there', () => `root ::= ${times(many, (i) => `<t${i}>`, ' | ')}`],
    ['20,000 negated tokens', () => `root ::= ${times(20_000, (i) => `!<[${i}]>`, ' | ')}`],
    ['100,000 tokens in a row', () => `root ::= ${times(many, (i) => `<[${i % 1_000}]>`, ' ')}`],
    ['100,000 tokens to choose from', () => `root ::= ${times(many, (i) => `<[${i}]>`, ' | ')}`],
    ['100,000 rules with the same name', () => times(many, () => 'root ::= "a"')],
    ['no rule', () => ''],
    ['no root', () => times(many, (i) => `r${i} ::= "a"`)],
    ['a rule of itself', () => 'root ::= root'],
  ]
}

/** Regular expressions, in the same way. */
export function adversarialPatterns(share = 1): Cases<string> {
  const some = (count: number): number => Math.ceil(count * share)
  const many = some(100_000)
  return [
    ['groups nested 100,000 deep', () => `${'('.repeat(many)}a${')'.repeat(many)}`],
    ['options nested 100,000 deep', () => `${'(?:a'.repeat(many)}${')?'.repeat(many)}`],
    ['stars nested 100,000 deep', () => `${'(?:a'.repeat(many)}${')*'.repeat(many)}`],
    ['choices nested 100,000 deep', () => `${'(?:a|'.repeat(many)}b${')'.repeat(many)}`],
    ['lookaheads nested 100,000 deep', () => `${'(?=a'.repeat(many)}${')'.repeat(many)}a`],
    ['a group that is not closed, 100,000 times', () => '('.repeat(many)],
    ['a text of 1 MB', () => 'abcdefghij'.repeat(some(100_000))],
    ['a text of 90 KB', () => 'abcdefghij'.repeat(9_000)],
    ['200,000 words', () => times(some(200_000), (i) => `w${i}`, '|')],
    [
      '100,000 classes in a row, each may be nothing',
      () => times(many, (i) => `[${'abcdefgh'[i % 8]}-z]?`, ''),
    ],
    [
      '3,000 classes in a row, each may be nothing',
      () => times(3_000, (i) => `[${'abcdefgh'[i % 8]}-z]?`, ''),
    ],
    ['100,000 classes to choose from', () => times(many, (i) => `[${'abcdefgh'[i % 8]}-z]${i % 100}`, '|')],
    [
      'a class of 1 MB',
      () => `[${times(some(100_000), (i) => `\\u{${(0x100 + i * 7).toString(16)}}`, '')}]+`,
    ],
    ['a million', () => 'a{1000000}'],
    ['up to a million', () => 'a{0,1000000}'],
    ['up to a million of any word', () => '(?:[a-z]+ ){0,1000000}'],
    ['up to a million of up to a million', () => '(?:a{0,1000000}b){0,1000000}'],
    [
      'counts up to a thousand, five within each other',
      () => '(?:(?:(?:(?:(?:a{0,1000}b?){0,1000}c?){0,1000}d?){0,1000})e?){0,1000}',
    ],
    ['a count of a million digits', () => `a{${'9'.repeat(some(1_000_000))}}`],
    ['2^20 states', () => '[ab]*a[ab]{20}c'],
    ['2^1000 states', () => '[^]*a[^]{1000}c'],
    ['2^100,000 states', () => '[ab]*a[ab]{99000}c'],
    ['stars of stars of stars', () => '(?:(?:(?:a*)*)*)*'],
    ['many ways to read a run', () => '(?:a+)+(?:a|aa)*(?:a*)*b'],
    ['20 lookaheads', () => `${times(20, (i) => `(?=[^]*${'abcdefghijklmnopqrst'[i]})`, '')}[a-z]{0,400}`],
    [
      '20 lookaheads that shut each other out',
      () =>
        `${times(20, (i) => `(?=[^]{${i}}${'abcdefghijklmnopqrst'[i]}[^]*)(?![^]{${i + 1}}x)`, '')}[a-z]*z[^]{30}`,
    ],
    ['100,000 word boundaries', () => '\\b'.repeat(many)],
    ['10,000 word boundaries between words', () => 'a\\b '.repeat(10_000)],
    ['100,000 negative lookaheads', () => `${times(many, (i) => `(?!${i}x)`, '')}[^]*`],
    ['1,000 negative lookaheads', () => `${times(1_000, (i) => `(?!${i}x)`, '')}[^]*`],
    ['lone surrogates', () => '\ud800|\udfff'],
    ['100,000 anchors', () => '^'.repeat(many)],
    [
      'properties to choose from',
      () => times(2_000, (i) => ['\\p{L}', '\\P{N}', '\\p{Script=Greek}', '\\w', '\\S'][i % 5]! + i, '|'),
    ],
  ]
}
