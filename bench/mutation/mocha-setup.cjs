/**
 * Lets mocha run the unit tests of the engine, which are written for jest: Stryker's mocha runner keeps the modules
 * loaded from one mutant to the next, so that a mutant costs milliseconds instead of a start of jest.
 */
const { addHook } = require('./typescript-hook.cjs');
const { bind } = require('jest-each');
const { ModuleMocker } = require('jest-mock');

addHook();
globalThis.expect = require('expect').expect;
globalThis.jest = new ModuleMocker(globalThis);

/** Tests of great numbers: a third of the time of all, for mutants that others kill as well. */
const SLOW = /20,000 noop|a year of retries|more iterations are asked for than may be pending/;

for (const name of ['describe', 'it', 'test']) withEach(name);

/** Mocha sets its globals anew before every file it loads; `test` is jest's other name for `it`. */
function withEach(name) {
  let current;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get: () => (name === 'test' ? globalThis.it : current),
    set(define) {
      const quick = (title, ...rest) => (SLOW.test(title) ? define(title) : define(title, ...rest));
      current = Object.assign(quick, { each: (...table) => bind(define)(...table) });
    },
  });
}
