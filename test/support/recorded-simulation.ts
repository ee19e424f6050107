import { type Plan } from '../../src/language/plan';
import {
  type Simulated,
  type SimulateOptions,
  simulatePlan,
  START,
  type World,
} from '../../src/offline/drive';
import { type Recording } from '../../src/offline/proof';
import { CallRecorder } from '../../src/offline/proof/recording/recorder';

/** Simulates a run and records it, as if its history were read. */
export function recordSimulation(
  plan: Plan,
  world: World,
  options: SimulateOptions = {},
): { readonly run: Simulated; readonly recording: Recording } {
  const recorder = new CallRecorder();
  const observer = {
    applying: recorder.applying.bind(recorder),
    applied: recorder.applied.bind(recorder),
  };
  const { executionId = '123456789012345678', startAt = START } = options;
  const run = simulatePlan(plan, world, { ...options, executionId, startAt, observer });
  return { run, recording: recorder.recording({ plan, executionId })! };
}
