import { CURRENT_ENGINE_VERSION } from '../engine/versions';
import { ENGINE_VERSION } from './compile/plan';

test('plans are pinned to the behaviour of the engine of this build', () => {
  expect(ENGINE_VERSION).toBe(CURRENT_ENGINE_VERSION);
});
