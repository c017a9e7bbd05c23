/**
 * Import direction: each folder of src/ is a stage, and imports from itself and the stages before it, never from a
 * later one. `src/core.ts` is the entry of the part that runs without Node and without ONNX, `src/index.ts` the whole
 * library's; only the command line stands above them. A folder that is not listed here is an error: give it its place.
 */
const stages = [
  'effort',
  'errors',
  'bits',
  'byte-stream',
  'checksum',
  'json',
  'regex',
  'grammar',
  'gbnf',
  'schema',
  'automaton',
  'print',
  'vocab',
  'mask',
  'decode',
  'tools',
  'cli',
]
const core = stages.slice(0, stages.indexOf('mask') + 1)

/** Matches the files of these stages, as a folder or as one file. */
const inStages = (names) => `^src/(${names.join('|')})(/|[.]ts$)`
const entries = '^src/(core|index)[.]ts$'
const coreFiles = [inStages(core), '^src/core[.]ts$']

const direction = stages.map((stage, index) => ({
  name: `after-${stage}`,
  comment: `${stage} imports itself and the stages before it: ${stages.slice(0, index + 1).join(', ')}`,
  severity: 'error',
  from: { path: inStages([stage]) },
  to: {
    path: '^src/',
    pathNot: [inStages(stages.slice(0, index + 1)), ...(stage === 'cli' ? [entries] : [])],
  },
}))

export default {
  forbidden: [
    ...direction,
    {
      name: 'core-entry',
      comment: 'src/core.ts offers the stages up to mask',
      severity: 'error',
      from: { path: '^src/core[.]ts$' },
      to: { path: '^src/', pathNot: inStages(core) },
    },
    {
      name: 'index-entry',
      comment: 'src/index.ts offers the library, not the command line',
      severity: 'error',
      from: { path: '^src/index[.]ts$' },
      to: { path: '^src/', pathNot: [inStages(stages.slice(0, -1)), '^src/core[.]ts$'] },
    },
    {
      name: 'lint-last',
      comment: 'lint imports the rest of tools, which does without it',
      severity: 'error',
      from: { path: '^src/tools/', pathNot: '^src/tools/lint/' },
      to: { path: '^src/tools/lint/' },
    },
    {
      name: 'unknown-stage',
      comment: 'a file of src/ outside every stage: add its folder to the list of stages',
      severity: 'error',
      from: { path: '^src/', pathNot: [inStages(stages), entries] },
      to: {},
    },
    {
      name: 'core-without-node',
      comment: 'the core runs where there is no Node',
      severity: 'error',
      from: { path: coreFiles },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-packages',
      comment: 'the core needs one package, the parser of pattern syntax',
      severity: 'error',
      from: { path: coreFiles },
      to: { path: 'node_modules/', pathNot: 'node_modules/@eslint-community/regexpp/' },
    },
    {
      name: 'no-cycles',
      comment: 'files that need each other are one file, or miss a third',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolved',
      comment: 'an import that finds nothing',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared',
      comment: 'src/ imports what package.json promises its users',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
}
