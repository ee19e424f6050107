/** A rehearsal that begins with a message: its payload is what the subscription makes of it. */
import { CodedError } from '../../../language/errors';
import {
  compileTrigger,
  dataOf,
  type Findings,
  type MapNode,
  presentValue,
  type YamlNode,
} from '../../../language/dsl/format';
import { type JsonObject, type TriggerPlan } from '../../../language/plan';
import { messageStart } from '../../../language/plan/triggers/mapping';
import { nodeText } from './reader';

/** Of another file. @returns undefined if it cannot be read */
export type SubscriptionText = (name: string) => string | undefined;

/** The subscription that the file names; undefined, with a diagnostic, if there is none. */
export function readSubscription(
  root: MapNode,
  textOf: SubscriptionText | undefined,
  findings: Findings,
): TriggerPlan | undefined {
  const node = presentValue(root, 'subscription');
  if (!node) return undefined;
  const name = nodeText(node);
  const text = textOf?.(name);
  const { trigger, diagnostics } = text === undefined ? { diagnostics: [] } : compileTrigger(text);
  if (trigger) return trigger;
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  const why = first ? `has errors: ${name}:${first.line}: ${first.message}` : `cannot be read: ${name}`;
  findings.add('NT7010', node, `the subscription ${why}`, 'its path is relative to the rehearsal file');
  return undefined;
}

/** What the message starts the playbook with. */
export function messagePayload(
  node: YamlNode,
  trigger: TriggerPlan | undefined,
  findings: Pick<Findings, 'add'>,
): JsonObject {
  const refuse = (why: string, hint?: string): JsonObject => {
    findings.add('NT7010', node, why, hint);
    return {};
  };
  if (!trigger)
    return refuse(
      'a `message` needs a subscription',
      'name its file at the root: `subscription: ./FILE.yaml`',
    );
  const given = dataOf(node) as JsonObject;
  const { id = 'rehearsed', body = '', headers = {}, attributes = {}, metadata = {} } = given;
  const lower = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  try {
    const message = {
      ...{ id: String(id), data: body, headers: Object.fromEntries(lower) as Record<string, string> },
      ...{ attributes: attributes as JsonObject, metadata: metadata as JsonObject },
    };
    const start = messageStart(trigger, message, { now: () => 0, random: () => 0 });
    return start ? start.payload : refuse('the subscription leaves this message out (`dispatch.where`)');
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return refuse(`the subscription cannot map this message: ${error.message}`);
  }
}
