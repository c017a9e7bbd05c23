/** Texts for tokenizers: the same sentence in many languages, pieces of this repository's files, and random characters. */
import { readFileSync } from 'node:fs'
import type { Random } from './random.ts'

/** The first sentence of the Universal Declaration of Human Rights, and neighbours. */
const SENTENCES = [
  'All human beings are born free and equal in dignity and rights.',
  'Alle Menschen sind frei und gleich an Würde und Rechten geboren.',
  'Tous les êtres humains naissent libres et égaux en dignité et en droits.',
  'Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.',
  'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.',
  'Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.',
  'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.',
  'Все люди рождаются свободными и равными в своём достоинстве и правах.',
  'Բոլոր մարդիկ ծնվում են ազատ ու հավասար։',
  'ყველა ადამიანი იბადება თავისუფალი და თანასწორი.',
  'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.',
  'يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق.',
  'تمام انسان‌ها آزاد به دنیا می‌آیند.',
  'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
  'সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।',
  'மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்.',
  'మనుషులందరూ స్వేచ్ఛగా పుడతారు.',
  'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ',
  'မြန်မာဘာသာ စကား',
  'ភាសាខ្មែរ',
  'བོད་སྐད།',
  'ሁሉም ሰዎች ነጻና እኩል ሆነው ይወለዳሉ።',
  '人人生而自由，在尊严和权利上一律平等。',
  '人人生而自由，在尊嚴和權利上一律平等。',
  'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。',
  '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
  '👩🏽‍🚀👨‍👩‍👧‍👦 🇨🇭 ❤️‍🔥 1️⃣',
  '∀x∈ℝ: ⌈x⌉ = −⌊−x⌋ ≤ ∞; 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙²',
  '{"name": "Zürich", "tags": ["a", "b\\n"], "n": -1.5e+10, "deep": {"x": null}}',
  '<p class="a">x &amp; y</p>\n\n\t<td>  </td>\r\n',
]

/** Ranges of code points of scripts, symbols, spaces, controls and what is not assigned. Surrogates are not among them. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0x20, 0x7e],
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xa1, 0x17f],
  [0x2b0, 0x36f],
  [0x370, 0x52f],
  [0x530, 0x5ff],
  [0x600, 0x6ff],
  [0x900, 0xdff],
  [0xe00, 0x109f],
  [0x10a0, 0x11ff],
  [0x1200, 0x139f],
  [0x1e00, 0x1fff],
  [0x2000, 0x206f],
  [0x2070, 0x2bff],
  [0x3000, 0x30ff],
  [0x4e00, 0x9fff],
  [0xa000, 0xabff],
  [0xac00, 0xd7a3],
  [0xe000, 0xf8ff],
  [0xfb00, 0xffff],
  [0x10000, 0x1ffff],
  [0x1f000, 0x1fbff],
  [0x20000, 0x2a6df],
  [0xe0000, 0x10ffff],
]

const SPACES = [
  ' ',
  '  ',
  '    ',
  '\n',
  '\n\n',
  '\t',
  '\r\n',
  '\u00a0',
  '\u3000',
  '\u2581',
  '\u2581\u2581',
  ' \u2581',
]

let files: string[] | null = null

/** Without what might be the text of a control token. */
function repositoryTexts(): string[] {
  files ??= ['README.md', 'docs/architecture.md', 'src/bits.ts', 'package.json'].map((name) =>
    readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').replaceAll('<', '‹'),
  )
  return files
}

/** Whole code points of a text, from anywhere. */
function piece(random: Random, text: string, most: number): string {
  const points = [...text]
  const from = random.below(points.length)
  return points.slice(from, from + 1 + random.below(most)).join('')
}

function character(random: Random): string {
  const [low, high] = random.pick(RANGES)
  return String.fromCodePoint(low + random.below(high - low + 1))
}

/** A text of 1 to some 100 characters: real, random, or put together from both. */
export function randomText(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(4) }, () => {
    const kind = random.below(5)
    if (kind === 0) return piece(random, random.pick(SENTENCES), 60)
    if (kind === 1) return slice(random, random.pick(repositoryTexts()), 80)
    if (kind === 2) return Array.from({ length: 1 + random.below(12) }, () => character(random)).join('')
    if (kind === 3) return random.pick(SPACES)
    return piece(random, random.pick(SENTENCES), 4)
  })
  return parts.join(random.chance(0.5) ? '' : ' ')
}

/** Of long texts in the Basic Multilingual Plane, without taking them apart. */
function slice(random: Random, text: string, most: number): string {
  const from = random.below(text.length)
  return text
    .slice(from, from + 1 + random.below(most))
    .toWellFormed()
    .replaceAll('\ufffd', '')
}
