/** Unhandled failures after an external side effect. */
import { declarationOf, everyTask, type TaskPlan } from '../../../language/plan';
import { type Explored } from './explore';
import { type DeepFinding, finding, stepNamed, waysInto } from './finding';

const READS_ONLY = /^\s*(select|with|show|explain|describe)\b/i;

/** Words in steps whose effect somebody pays for. */
const MONEY = /(charge|payment|payout|\bpay\b|refund|withdraw|invoice|debit|purchase)/i;

const UNDOES = /(refund|release|cancel|compensat|roll_?back|undo|revert)/i;

export function uncompensated({ original, nodes }: Explored): DeepFinding[] {
  const writing = new Set(
    original.steps.filter((step) => everyTask(step).some(changesSomething)).map(({ name }) => name),
  );
  const byStep = new Map<string, DeepFinding>();
  for (const node of nodes) {
    const { end, error, by, state } = node;
    if (end !== 'fail' || by?.way.type !== 'error' || error?.step === undefined) continue;
    const done = state.executed.filter((step) => writing.has(step) && step !== error.step);
    if (done.length === 0 || byStep.has(error.step)) continue;
    const message = `if step ${error.step} fails, the execution fails, and what ${[...new Set(done)].join(', ')} changed outside stays`;
    // What runs after a failure, or undoes something, compensates itself.
    const isFirst = waysInto(node).filter(({ type }) => type === 'error').length === 1;
    const isMoney = done.some((one) => MONEY.test(JSON.stringify(stepNamed(original, one))));
    const severity = isFirst && isMoney && !UNDOES.test(error.step) ? 'warning' : 'info';
    const { step } = error;
    byStep.set(step, finding(original, 'NOT_COMPENSATED', { message, step, node, severity }));
  }
  return [...byStep.values()];
}

/** A call that probably changes something: SQL other than a query, a request other than GET. */
function changesSomething({ kind, config }: TaskPlan): boolean {
  const field = (name: string): unknown => {
    if ('const' in config) return (config.const as Record<string, unknown> | null)?.[name];
    const value = 'map' in config ? config.map.find(([key]) => key === name)?.[1] : undefined;
    return (
      value && ('const' in value ? value.const : 'template' in value ? value.template.source : undefined)
    );
  };
  const declared = declarationOf(kind);
  if (declared?.respondsOverHttp) return !['GET', 'HEAD', undefined].includes(upper(field('method')));
  const sql = declared?.sql?.map(field).find((value) => value !== undefined);
  return (
    typeof sql === 'string' &&
    /\b(insert|update|delete|merge|create|drop|truncate)\b/i.test(sql) &&
    !READS_ONLY.test(sql)
  );
}

function upper(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toUpperCase() : undefined;
}
