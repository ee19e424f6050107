import { CURRENT_ENGINE_VERSION } from '../../plan';
import { playbookOf, planOf } from '../../../test/support/simulator';
import { Machine } from '../machine';
import { ENGINE_VERSIONS, knowsEngineVersion } from './versions';

const plan = planOf(playbookOf('- step: start\n  tool: {kind: noop}'));

test('new plans are pinned to the last version this engine knows', () => {
  expect(plan.engineVersion).toBe(CURRENT_ENGINE_VERSION);
  expect(ENGINE_VERSIONS.at(-1)!.version).toBe(CURRENT_ENGINE_VERSION);
  expect(knowsEngineVersion(CURRENT_ENGINE_VERSION + 1)).toBe(false);
});

test('a plan of a newer engine or another shape is refused in words', () => {
  expect(() => Machine.create({ ...plan, engineVersion: 99 }, '1')).toThrow(
    /does not support engine version 99/,
  );
  expect(() => Machine.create({ ...plan, planVersion: 99 }, '1')).toThrow(/supports plan version 1, got 99/);
});
