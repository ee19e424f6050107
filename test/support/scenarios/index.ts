/** Runs that together use everything a plan can say, by the name under which their traces are recorded. */
import { type Scenario } from '../trace';
import { CASE } from './case';
import { FAILURES } from './failures';
import { FLOW } from './flow';
import { LOOPS } from './loops';
import { OUTSIDE } from './outside';
import { RETRY } from './retry';

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...FLOW,
  ...LOOPS,
  ...CASE,
  ...RETRY,
  ...OUTSIDE,
  ...FAILURES,
};
