#!/usr/bin/env node
/** The command line. Commands load heavy modules only when run, so that `validate` does not wait for Temporal. */
import './compile-cache';
import { EXIT } from './errors';
import { execute } from './execute';
import { hostWatch } from '../language/template/values/watch';

hostWatch.use(() => performance.now());

// `noetl-temporal … | head` closes our output early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.success : EXIT.failed),
);
void execute(process.argv.slice(2)).then((code) => process.exit(code));
