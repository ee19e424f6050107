/**
 * Compiles a module once per process of jest instead of once per suite, which takes a quarter of the unit tests' time:
 * jest compiles all modules of a suite in the suite's own context (`vm.compileFunction`), and what comes of that fits
 * no other one. A `vm.Script` does: run in a further context, it brings every function that V8 has compiled so far.
 * What a module evaluates to, its state and its globals remain those of the suite.
 *
 * A module also finds what the language itself defines in a scope around it, not only in the global object: that of
 * a `vm` context answers from C++, 200 ns for each `Object` or `Math`, sixty times as long as in Node.
 */
const vm = require('node:vm');

/** By file name; a file may have another text later (watch mode, parts that are mocked). */
const scripts = new Map();
const { compileFunction } = vm;

/** Of the language, and never replaced: no `Date`, nor other things that fake timers or tests stand in for. */
const BUILT_IN =
  'Object, Function, Array, JSON, Number, BigInt, String, Boolean, Symbol, Math, RegExp, Map, Set, WeakMap, WeakSet, ' +
  'Promise, Proxy, Reflect, Error, TypeError, RangeError, SyntaxError, ArrayBuffer, DataView, Uint8Array, Uint32Array, ' +
  'Buffer, process, isNaN, parseInt, parseFloat, encodeURIComponent, decodeURIComponent';

vm.compileFunction = (source, parameters, options = {}) => {
  const { filename, parsingContext } = options;
  if (!filename || !parsingContext) return compileFunction(source, parameters, options);
  const head = `(({ ${BUILT_IN} }) => function (${parameters.join(', ')}) {`;
  let compiled = scripts.get(filename);
  if (compiled?.source !== source || compiled.head !== head) {
    // Without `importModuleDynamically`, which only node --experimental-vm-modules can serve.
    const text = `${head}${source.replace(/^#!.*/, '')}\n})(globalThis)`;
    compiled = { source, head, script: new vm.Script(text, { filename, columnOffset: -head.length }) };
    scripts.set(filename, compiled);
  }
  return compiled.script.runInContext(parsingContext);
};
