/**
 * The longest files first where jest knows no durations yet (an empty clone, CI): by size, as jest orders them then,
 * a file of minutes would begin when the others are nearly done, and be waited for alone.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

/** Files of more than a minute, then the levels. */
const ORDER = [
  'test/integration/secrets-canary.',
  'test/e2e/playbooks.',
  'test/integration/console.',
  'test/e2e/tools.',
  'test/integration/cli.',
  'test/integration/storage.',
  'test/e2e/',
  'test/integration/',
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
