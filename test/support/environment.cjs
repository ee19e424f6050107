/**
 * Node, with skips that are known only when a test runs: a test, or a hook before it, that throws a Missing
 * (present.ts) was not run, and counts as skipped. Where CI is set it stays a failure, unless the thing is an extra.
 */
const { TestEnvironment } = require('jest-environment-node');
const { clearAway } = require('./left-behind.cjs');
require('./shared-scripts.cjs');

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    // Jest sets 100 for the errors of Node itself and maps each frame to its source: with servers that are not there yet,
    // and bytes that do not unpack, those errors took more time than what the tests do. The tests' own errors have ten.
    Error.stackTraceLimit = 10;
  }

  async teardown() {
    await super.teardown();
    clearAway();
  }

  handleTestEvent(event, state) {
    if (process.env.NOETL_TEST_FAIL_FAST) this.skipAfterFailure(event);
    if (event.name !== 'run_finish') return;
    for (const test of testsOf(state.rootDescribeBlock)) {
      const causes = test.errors.map((error) => (Array.isArray(error) ? error[0] : error)?.missing);
      if (causes.length === 0 || !causes.every(Boolean)) continue;
      if (process.env.CI && !causes.every(({ extra }) => extra)) continue;
      test.errors = [];
      test.status = 'skip';
      test.name += ` (skipped: ${causes[0].reason})`;
    }
  }

  /** One failure is enough for `scripts/break-promises.mjs`: in a broken build each other test may wait for its limit. */
  skipAfterFailure(event) {
    if (event.name === 'test_fn_failure') this.failed = true;
    if (event.name === 'test_start' && this.failed) event.test.mode = 'skip';
  }
};

function testsOf(block) {
  return block.children.flatMap((child) => (child.type === 'test' ? [child] : testsOf(child)));
}
