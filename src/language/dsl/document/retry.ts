import { compact } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { checkSchemaShape } from '../schema/check';
import { RETRY, RETRY_POLICY, RETRY_THEN } from '../schema/case';
import {
  asMap,
  entry,
  type MapEntry,
  type MapNode,
  type YamlNode,
  presentValue,
  type ScalarNode,
} from '../yaml/node';
import { type ActionContext, readActions } from './actions';
import { type RetryDoc } from './document';
import { countOf, type Overridden, readKnobs } from './overrides';
import { readClause, reportOrder } from './rules';

/** Keys of a policy that are not overrides. */
const OWN: ReadonlySet<string> = new Set([
  ...[
    'retry_when',
    'stop_when',
    'collect',
    'sink',
    'set',
    'set_ctx',
    'set_iter',
    'log',
    'desc',
    'name',
    'then',
    'when',
  ],
]);

/** `retry` of a step or tool: a mapping, or a list of policies. */
export function readRetry(
  retry: MapEntry,
  tools: Overridden,
  context: ActionContext,
  report: Report,
): RetryDoc[] {
  const { value: written, at } = retry;
  if (written.kind === 'list') {
    const policies = written.items.flatMap((item) =>
      item.kind === 'map' ? readPolicy(item, tools, context, report) : [],
    );
    reportOrder(policies, report);
    return policies;
  }
  if (written.kind === 'scalar') {
    const knobs = countOf(written, '`retry`', report);
    return knobs === undefined ? [] : [{ at, ...knobs, actions: [] }];
  }
  const value = checkSchemaShape(written, RETRY, report);
  const stopWhen = conditionOf(value, 'stop_when');
  const retryWhen = conditionOf(value, 'retry_when');
  return [
    {
      at,
      ...compact({ retryWhen, stopWhen }),
      ...readKnobs(value, tools, OWN, report),
      actions: readActions(value, context, report),
    },
  ];
}

function readPolicy(item: MapNode, tools: Overridden, context: ActionContext, report: Report): RetryDoc[] {
  const clause = readClause(checkSchemaShape(item, RETRY_POLICY, report), report, '{max_attempts: 3}');
  if (clause === undefined) return [];
  const written = asMap(clause.then);
  const then = written && checkSchemaShape(written, RETRY_THEN, report);
  const knobs =
    then === undefined
      ? clause.then?.kind === 'scalar'
        ? countOf(clause.then, '`then` of a policy', report)
        : undefined
      : readKnobs(then, tools, OWN, report);
  return [
    {
      at: clause.at,
      ...compact({ when: clause.when }),
      ...knobs,
      actions: then === undefined ? [] : readActions(then, context, report),
    },
  ];
}

function conditionOf(map: MapNode, key: string): ScalarNode | undefined {
  const node: YamlNode | undefined = entry(map, key) === undefined ? undefined : presentValue(map, key);
  return node?.kind === 'scalar' ? node : undefined;
}
