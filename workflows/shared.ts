/**
 * All modules, evaluated once and shared by the executions of a worker thread: none keeps state of an execution, except
 * on the global object, of which the SDK gives each execution its own properties (`src/storage/payloads`).
 */
import '../src/storage/payloads/converter';
import '../src/storage/payloads/failure-converter';
import './index';
import './tracing/interceptor';
import './watch';

/*
 * The SDK formats the stack of every promise for the query `__stack_trace`, which is the same for every run: frames of
 * this interpreter. It asks the global object for `Error`; our modules have the language's own (`BUILT_IN` of
 * src/temporal/worker/bundle.ts), of which two frames show where one of our errors was thrown.
 */
Error.stackTraceLimit = 2;
class Stackless {}
Object.assign(globalThis, { Error: Stackless });

/*
 * It asks for that, and for the execution of a promise, by compiling these texts with the constructor of its constructor:
 * twice when a promise is made and once when it settles.
 */
const READ: Readonly<Record<string, () => unknown>> = {
  'return globalThis.__TEMPORAL_ACTIVATOR__': () => Reflect.get(globalThis, '__TEMPORAL_ACTIVATOR__'),
  'return globalThis.Error': () => Stackless,
};
const compile = Promise.constructor as (code: string) => unknown;
Object.defineProperty(Promise, 'constructor', { value: (code: string) => READ[code] ?? compile(code) });
