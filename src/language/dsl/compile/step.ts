import { compact, type StepPlan } from '../../plan';
import { type TemplatePlace } from '../check/place';
import { type StepDoc } from '../document/document';
import { readAdmit } from '../document/rules';
import { asMap, asText, presentValue } from '../yaml/node';
import { compileRouter } from './arcs';
import { bindsOf } from './binds';
import { type Compilation } from './compilation';
import { collectsOf } from './collects';
import { compileLoop } from './loop';
import { compileAdmit, compileStepRules } from './rules';
import { compileInputs, failureModeOf, stepKnob } from './effective';
import { readsOf } from './reads';
import { compileTask } from './task';
import { compileWrites } from './writes';

export function compileStep(step: StepDoc, compilation: Compilation): StepPlan {
  const { values, report, stepNames } = compilation;
  const place: TemplatePlace = { kind: 'loop', step };
  const admit = asMap(stepKnob(step, 'admit'));
  const lifecycle = asMap(stepKnob(step, 'lifecycle'));
  const timeout = presentValue(lifecycle, 'timeout_s');
  const deadline = presentValue(lifecycle, 'deadline_s');
  const failureMode = failureModeOf(asMap(presentValue(step.spec, 'policy'))) ?? failureModeOf(step.spec);
  const loop = step.loop === undefined ? undefined : compileLoop(step.loop, { kind: 'loop', step }, values);
  const router = compileRouter(step, stepNames, values);
  const rules = compileStepRules(step, values);
  const inputs = compileInputs(step.inputs, { kind: 'task', step }, values);
  const bare: StepPlan = {
    name: step.name,
    at: values.at(step.at),
    ...compact({ desc: step.desc }),
    ...(admit && { admit: compileAdmit(readAdmit(admit, report), step, values) }),
    ...(asText(stepKnob(step, 'join')) === 'each' && { joinEach: true }),
    ...compact({ failureMode }),
    ...values.given({ timeout, deadline }, place),
    ...inputs,
    ...bindsOf(step, inputs.input),
    ...compact({ loop }),
    tasks: step.tasks.map((task) => compileTask(task, step, compilation)),
    pipeline: step.pipeline,
    set: compileWrites(step.writes, { kind: 'done', step }, values),
    ...compact({ rules }),
    ...(step.asides.length > 0 && {
      sinks: step.asides.map((task) => compileTask(task, step, compilation)),
    }),
    ...compact({ router }),
  };
  const plan = { ...bare, ...collectsOf(bare) };
  // A local or distributed loop passes on a snapshot containing only what its iterations read.
  return loop === undefined || loop.exec === 'inline'
    ? plan
    : { ...plan, loop: { ...loop, reads: readsOf(plan) } };
}
