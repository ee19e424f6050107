/** What makes an execution another one without any decision of the engine: inputs that are refused, a result that is not there. */
import { handleOf, type JsonObject, type Plan, refusedInputs, wrongInputs } from '../../../language/plan';
import { type Recording } from '../recording';
import { type VerifyFinding } from './cause';

type Begun = Pick<Recording, 'plan' | 'first' | 'call'>;

/** @param old the version whose refusals are none of the new one */
export function refusalBy(
  { first, call, ...begun }: Begun,
  now: Plan,
  old = begun.plan,
): VerifyFinding | undefined {
  const finding = (cause: string, what: string): VerifyFinding => ({
    kind: 'decision',
    cause,
    what,
    path: '',
  });
  const step = call?.returnStep;
  const has = ({ steps }: Plan): boolean => steps.some(({ name }) => name === step);
  if (step !== undefined && has(old) && !has(now))
    return finding(
      `its caller wants the result of step ${step}, which the new version does not have`,
      'result',
    );
  if (first.type !== 'started') return undefined;
  const wrongIn = ({ inputs }: Plan): readonly string[] =>
    (call ? wrongInputs : refusedInputs)(inputs, plainIn(first.payload)).map(
      ({ at, message }) => `${at} ${message}`,
    );
  const before = new Set(wrongIn(old));
  const wrong = wrongIn(now).find((one) => !before.has(one));
  return wrong === undefined ? undefined : finding(`the inputs are refused: ${wrong}`, 'inputs');
}

/** Of a secret, history has no value to check. */
function plainIn(payload: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(payload).filter(([, value]) => !handleOf(value)));
}
