/**
 * Recorded traces of engine version 1: every batch, event and command of runs that use everything a plan can say. A
 * difference is a change of behaviour: of a running execution (then it needs a new engine version) or of what events
 * tell. `UPDATE_TRACES=1 npx jest src/engine/machine/traces` records anew; read the difference before it is committed.
 */
import { SCENARIOS } from '../../../test/support/scenarios';
import { expectTrace, trace } from '../../../test/support/trace';

it.each(Object.keys(SCENARIOS))('%s', (name) => {
  expectTrace(name.replaceAll(/\W+/g, '-'), trace(SCENARIOS[name]!));
});
