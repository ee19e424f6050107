/**
 * One meaning, two vocabularies: an abstract playbook is written with `case`, `retry` and `sink`, and with pipelines,
 * `policy.rules` and `next.arcs`; both come to the same, whatever the order of completions.
 */
import fc from 'fast-check';
import { type AbstractPlaybook, abstractPlaybooks } from '../../../test/support/differential/abstract';
import { caseText } from '../../../test/support/differential/case-text';
import { CONSTRUCTS } from '../../../test/support/differential/constructs';
import { currentText } from '../../../test/support/differential/current-text';
import { essenceOf, rowsOf, storesOf, worldOf } from '../../../test/support/differential/world';
import { cases } from '../../../test/support/properties';
import { planOf } from '../../../test/support/simulator';
import { drive, type Driven } from '../../../test/support/strict-driver';
import { type JsonObject, type Plan, type TaskCall } from '../../language/plan';

const orders = fc.array(fc.nat({ max: 50 }), { maxLength: 60 });

function run(
  drawn: AbstractPlaybook,
  plan: Plan,
  order: readonly number[],
): { driven: Driven; calls: TaskCall[]; came: JsonObject } {
  const answer = worldOf(drawn);
  const calls: TaskCall[] = [];
  const driven = drive(plan, { answer: (call) => (calls.push(call), answer(call)), order });
  expect(driven.broken).toEqual([]);
  return { driven, calls, came: { ...essenceOf(driven, drawn), rows: rowsOf(calls, drawn) } };
}

it('a playbook comes to the same in both vocabularies, in any order of completions', () => {
  const parameters = cases(1200);
  const counts = new Map(Object.keys(CONSTRUCTS).map((name) => [name, 0]));
  fc.assert(
    fc.property(abstractPlaybooks, orders, (drawn, order) => {
      const [one, other] = [planOf(caseText(drawn)), planOf(currentText(drawn))];
      const { driven, calls, came } = run(drawn, one, []);
      for (const [plan, given] of [
        [other, []],
        [one, order],
        [other, order],
      ] as const) {
        expect(run(drawn, plan, given).came).toEqual(came);
      }
      const ran = { drawn, driven, stored: storesOf(calls, drawn) };
      for (const [name, happened] of Object.entries(CONSTRUCTS)) {
        if (happened(ran)) counts.set(name, counts.get(name)! + 1);
      }
    }),
    parameters,
  );
  // What hardly ever happens is not compared: a hundred of two thousand at least.
  const rare = [...counts].filter(([, count]) => count < parameters.numRuns / 20);
  expect(rare).toEqual([]);
});
