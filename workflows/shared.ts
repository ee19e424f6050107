/**
 * Modules evaluated once and shared by all executions of a worker thread, because they keep no state of an execution.
 * (`src/storage/payloads` does, namely encryption and the budget of a workflow task, so it is evaluated for each.)
 */
import '../src/engine/machine';
import '../src/language/plan';

/*
 * The SDK formats the stack of every promise for the query `__stack_trace`, which is the same for every run: frames of
 * this interpreter. That took half of a fan-out's time. Two frames still show where one of our errors was thrown.
 */
Error.stackTraceLimit = 2;
