import { type Plan, type TaskPlan } from '../../language/plan';
import { kindsOf, mentions, poolsOf } from './plan-needs';

function planWith(...tasks: { kind: string; pool?: string }[]): Plan {
  const steps = tasks.map(({ kind, pool }) => ({ tasks: [{ kind, spec: { pool } } as unknown as TaskPlan] }));
  return { steps, keychain: [] } as unknown as Plan;
}

test('kinds and pools are those of the tasks, each once', () => {
  const plan = planWith(
    { kind: 'http' },
    { kind: 'python', pool: 'gpu' },
    { kind: 'http' },
    { kind: 'http', pool: 'gpu' },
    { kind: 'http', pool: 'default' },
  );
  expect(kindsOf(plan)).toEqual(['http', 'python']);
  const keychain = [{ name: 'api' }] as unknown as Plan['keychain'];
  expect(kindsOf({ ...plan, keychain })).toEqual(['secrets', 'http', 'python']);
  expect([...poolsOf(plan)]).toEqual([['gpu', ['python', 'http']]]);
});

test('a credential is mentioned by its whole name, wherever', () => {
  expect(mentions({ config: { map: [['auth', { const: 'pg_local' }]] } }, 'pg_local')).toBe(true);
  expect(mentions({ note: 'see pg_local' }, 'pg_local')).toBe(false);
});
