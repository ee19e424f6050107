/**
 * Rules by which the product is known to differ today. Random playbooks in which one of them decides something are not compared,
 * and the small playbook of each (`small/`) has to differ: whoever mends a rule removes its name here.
 */
import { type HitName } from './hits';

export const PENDING: ReadonlySet<HitName> = new Set<HitName>([
  'rounds',
  'innermostFork',
  'namedTwice',
  'wholeRules',
  'firstChoice',
  'inclusiveMoves',
  'retryBehindExhausted',
  'endLoopAnyMove',
  'cancelledIterations',
  'pagesPerIteration',
  'resultOfStep',
  'responseAfterPages',
  'responseAfterResult',
  'exhaustedActs',
  'workbookLayers',
  'nullError',
  'taskOverCtx',
  'stepTaskName',
  'loopOverUndefined',
  'conditionText',
  'timeLimitError',
  'failedSuccess',
  'argsAtBoundary',
  'previousOfRetry',
]);
