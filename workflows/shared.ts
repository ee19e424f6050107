/**
 * Modules evaluated once and shared by all executions of a worker thread, because they keep no state of an execution.
 * (`src/storage/payloads` does, namely encryption and the budget of a workflow task, so it is evaluated for each.)
 */
import '../src/engine/machine';
import '../src/language/plan';

/*
 * The SDK formats the stack of every promise for the query `__stack_trace`, which is the same for every run: frames of
 * this interpreter. It asks the global object for `Error`; our modules have the language's own (`BUILT_IN` of
 * src/temporal/worker/bundle.ts), of which two frames show where one of our errors was thrown.
 */
Error.stackTraceLimit = 2;
Object.assign(globalThis, { Error: class Stackless {} });
