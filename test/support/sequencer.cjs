/**
 * The longest files first where jest knows no durations yet (an empty clone, CI): by size, as jest orders them then,
 * a file of a minute would begin when the others are nearly done, and be waited for alone.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

/** Files of more than twenty seconds, longest first; then the levels. */
const ORDER = [
  'test/integration/console.',
  'test/e2e/playbooks.',
  'test/integration/triggers.',
  'test/integration/secrets-canary.',
  'test/integration/notifications.',
  'test/e2e/conformance.',
  'test/integration/projection.',
  'test/integration/long-runs.',
  'test/integration/console-run.',
  'test/integration/cli.',
  'test/integration/storage.',
  'test/e2e/tools.',
  'test/e2e/crash.',
  'test/integration/children.',
  'test/integration/cli-history.',
  'test/integration/driver.',
  'test/integration/catalog-resources.',
  'activities/time-limits.',
  'test/integration/bounds.',
  'test/integration/commands.',
  'test/integration/cursor.',
  'activities/kinds/duckdb/process/process.',
  'test/integration/chunks.',
  'test/integration/stored-pages.',
  'test/integration/logs.',
  'src/offline/replay/trial.',
  'test/integration/differential.',
  'test/integration/limits.',
  'activities/framework/sandbox/hostile-environment.',
  'activities/faults.',
  'test/e2e/',
  'test/integration/',
  'activities/',
];

module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.sort((a, b) => rankOf(a.path) - rankOf(b.path));
  }
};

function rankOf(file) {
  const rank = ORDER.findIndex((part) => file.replaceAll('\\', '/').includes(part));
  return rank === -1 ? ORDER.length : rank;
}
