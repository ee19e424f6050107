/** What the traced plans and what happens to them have in common. */
import { type Input } from '../../../src/engine/machine';
import { type Json, type Plan } from '../../../src/language/plan';
import { handPlan, type StepSketch } from '../plans';
import { httpError } from '../simulator';

export const plan = (steps: readonly StepSketch[], more: Partial<Plan> = {}): Plan =>
  handPlan(steps, { digest: 'd1', metadata: { name: 'Traced', path: 'test/traced', version: '3' }, ...more });

export const external = (name: string, payload: Record<string, Json>, id?: string): Input => ({
  type: 'externalEvent',
  name,
  payload,
  ...(id ? { id } : {}),
});

export const failing = httpError(503);
