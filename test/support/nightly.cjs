/**
 * What is too slow for every commit, and what stands for it there. `npm run test:nightly` runs everything; with it, what is
 * sampled here and there (`sampled.ts`) is whole.
 */
const NIGHTLY = {
  'activities/time-limits.test.ts':
    'activities/framework/process, test/integration/cli-control.test.ts: a task that is over its time, one that is cancelled',
  'src/engine/machine/random-plans-reach.test.ts': 'src/engine/machine/random-plans.test.ts: the same plans',
  'src/server/triggers/sources/kafka/source.test.ts': 'src/server/triggers/sources/nats/source.test.ts',
  'src/server/triggers/sources/pubsub/source.test.ts': 'src/server/triggers/sources/nats/source.test.ts',
  'test/e2e/agents.test.ts':
    'activities/kinds/agent: each turn; test/e2e/crash.test.ts: a worker that is killed',
  'test/e2e/chaos.test.ts': 'test/e2e/crash.test.ts: one kill at a time',
  'test/e2e/large-results.test.ts': 'test/integration/storage.test.ts',
  'test/e2e/newcomer.test.ts':
    'test/e2e/release.test.ts: the same tarball with the packages of this checkout',
  'test/e2e/upgrade.test.ts': 'test/integration/histories.test.ts: histories of releases, replayed',
  'test/integration/action.test.ts':
    'test/integration/commands.test.ts: its commands; src/cli/output/annotations.test.ts: what they annotate',
  'test/integration/assistant-mends.test.ts': 'test/integration/assistant.test.ts: each tool',
  'test/integration/backup.test.ts': 'test/integration/projection.test.ts: an empty database is filled again',
  'test/integration/console-newcomer.test.ts':
    'test/integration/console-run.test.ts: a run is looked at, steered and repeated',
  'test/integration/composition.test.ts': 'test/integration/children.test.ts: calls, and what comes back',
  'test/integration/container.test.ts': 'activities/kinds/container: what engines may answer',
  'test/integration/dev-server.test.ts':
    'test/e2e/crash.test.ts: servers that are shared, killed, and started again',
  'test/integration/differential.test.ts':
    'test/integration/long-runs.test.ts, chunks.test.ts: states that are derived from histories; src/engine/machine: random plans',
  'test/integration/embedded-postgres.test.ts': 'each test with a database starts one',
  'test/integration/events-read-back.test.ts':
    'test/integration/facade-events.test.ts, facade-executions.test.ts: events over REST',
  'test/integration/facade-fuzz.test.ts': 'test/integration/facade-edge.test.ts',
  'test/integration/facade-hostile-fuzz.test.ts': 'test/integration/tokens.test.ts',
  'test/integration/hopeless.test.ts': 'src/offline/replay/trial.test.ts: the verdict',
  'test/integration/keychain.test.ts':
    'test/integration/secrets-canary.test.ts: secrets of a keychain in every place',
  'test/integration/long-run.test.ts':
    'test/integration/running-run.test.ts: pages of thousands of events from the tables',
  'test/integration/official-cli.test.ts':
    'test/integration/official-routes.test.ts, facade-clients.test.ts: what it asks, and is answered',
  'test/integration/playground-whole.test.ts':
    'test/integration/playground.test.ts, console/playground: a run is shown; each answer',
  'test/integration/python-requirements.test.ts':
    'activities/kinds/python/requirements.test.ts: nothing is installed',
  'test/integration/readiness.test.ts': 'test/integration/worker-health.test.ts, facade.test.ts: readiness',
  'test/integration/recipes.test.ts':
    'src/language/dsl/doc-examples.test.ts: its playbooks; test/integration/commands.test.ts: most of its commands',
  'test/integration/rest-executions-page.test.ts': 'test/integration/facade-executions.test.ts: its routes',
  'test/integration/rest-page.test.ts': 'test/integration/facade.test.ts, facade-execute.test.ts: its routes',
  'test/integration/run-beside-workers.test.ts': 'test/integration/commands.test.ts',
  'test/integration/site.test.ts':
    'src/language/dsl/doc-examples.test.ts, test/spec/citations.test.ts: what the pages say',
  'test/integration/slow-templates.test.ts': 'src/language/template: what a template may cost',
  'test/integration/temporal-cli.test.ts':
    'test/integration/started-by-temporal.test.ts, driver.test.ts: executions that others start',
  'test/integration/traces-secrets.test.ts':
    'test/integration/secrets-canary.test.ts: spans are searched as well',
  'test/integration/tutorial.test.ts': 'test/integration/commands.test.ts: most of its commands',
  'test/integration/without-optional.test.ts':
    'activities/framework/tool/optional-package.test.ts: a package that is missing',
  'test/integration/worker-fleet.test.ts': 'test/e2e/crash.test.ts',
};

const isNightly = Boolean(process.env.NOETL_TEST_NIGHTLY);

module.exports = {
  isNightly,
  /** Patterns of files that do not run. */
  ignored: isNightly ? [] : Object.keys(NIGHTLY).map((file) => `/${file.replaceAll('.', '\\.')}$`),
};
