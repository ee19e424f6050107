/**
 * What all executions of a worker's thread share, evaluated once and before any of them: modules that keep nothing of an
 * execution. (`src/payloads` does: what is encrypted, and how much of a workflow task is spent. It is evaluated for each.)
 */
import '../src/engine';
import '../src/plan';

/*
 * The SDK formats the stack of every promise for the query `__stack_trace`, which says the same of every run: frames of
 * this interpreter. It was half of a fan-out's time. Two frames still say where an error of ours was thrown.
 */
Error.stackTraceLimit = 2;
