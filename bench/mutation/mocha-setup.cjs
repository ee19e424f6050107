/**
 * Runs the engine's jest unit tests in mocha: Stryker's mocha runner keeps modules loaded between mutants, so that
 * a mutant costs milliseconds instead of a start of jest.
 */
const { addHook } = require('./typescript-hook.cjs');
const { bind } = require('jest-each');
const { ModuleMocker } = require('jest-mock');

addHook();
globalThis.expect = require('expect').expect;
globalThis.jest = new ModuleMocker(globalThis);

/** Tests with large numbers, a third of the total time, for mutants that other tests kill as well; and one with an inline snapshot, of jest alone. */
const LEFT_OUT =
  /20,000 noop|a year of retries|more iterations are asked for than may be pending|so does every constant of engine/;

for (const name of ['describe', 'it', 'test']) withEach(name);

/** Mocha resets its globals before every file; `test` is jest's alias of `it`. */
function withEach(name) {
  let current;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get: () => (name === 'test' ? globalThis.it : current),
    set(define) {
      const quick = (title, ...rest) => (LEFT_OUT.test(title) ? define(title) : define(title, ...rest));
      current = Object.assign(quick, { each: (...table) => bind(define)(...table) });
    },
  });
}
