/** Rehearses, simulates and explores the texts of the page. */
import { compile, type Diagnostic, formatDiagnostics } from '../../src/language/dsl';
import { CodedError } from '../../src/language/errors';
import { type Plan } from '../../src/language/plan';
import { checkDeep, type DeepChecked, runsShowing } from '../../src/offline/proof/deep';
import { readRehearsals, type Rehearsal, rehearsalOfRun, rehearse } from '../../src/offline/rehearsal';
import {
  readSimulation,
  runSeed,
  runSeeds,
  Setting,
  simulationResult,
  STANDARD_FAULTS,
} from '../../src/offline/simulation';
import { type PlaygroundTexts, type ProverAnswers, type SimulatedRun } from './protocol';
import { planWithoutLeases, RunRecorder } from './simulated';

/** The name of the playbook in rehearsals. */
const PLAYBOOK = './playbook.yaml';
const MOST_RUNS = 1_000;

let explored: { readonly text: string; readonly plan: Plan; readonly checked: DeepChecked } | undefined;

export const proverAnswers: ProverAnswers = {
  rehearsal({ playbook, rehearsals }, name) {
    const plan = planFrom(playbook);
    const rehearsal = rehearsalsFrom(plan, rehearsals).find((one) => one.name === name);
    if (!rehearsal) throw new CodedError('NO_REHEARSAL', `There is no rehearsal "${name}".`);
    return runOf(rehearsal, plan);
  },
  simulate(texts, first, count) {
    const seeds = { first, count: Math.min(count, MOST_RUNS) };
    const setting = settingFrom(texts);
    return simulationResult(setting, runSeeds(setting, seeds), seeds, PLAYBOOK);
  },
  seed(texts, seed) {
    const setting = settingFrom(texts);
    const recorder = new RunRecorder();
    const { run } = runSeed(setting, seed, recorder.observer);
    return recorder.itemsOf(setting.plan, run.state.executionId);
  },
  deep(playbook) {
    const { plan, checked } = exploredFrom(playbook);
    const findings = checked.findings.map((one) => ({
      code: one.code,
      severity: one.severity,
      message: one.message,
      at: one.at,
      trace: one.trace,
      shownBy: runsShowing(plan, one).map(({ name }) => name),
    }));
    return { ...checked, findings };
  },
  witness(playbook, name) {
    const { plan, checked } = exploredFrom(playbook);
    const run = checked.findings.flatMap((one) => runsShowing(plan, one)).find((one) => one.name === name);
    if (!run) throw new CodedError('NO_WITNESS', 'No single run shows this.');
    const text = rehearsalOfRun({ playbook: PLAYBOOK, ...run });
    return runOf(rehearsalsFrom(plan, text)[0]!, plan);
  },
};

function runOf(rehearsal: Rehearsal, plan: Plan): SimulatedRun {
  const recorder = new RunRecorder();
  const { run } = rehearse(rehearsal, plan, recorder.observer);
  return recorder.itemsOf(plan, run.state.executionId);
}

/** @throws CodedError with the errors */
function planFrom(text: string): Plan {
  const { plan, diagnostics } = compile(text);
  if (!plan) throw wrong(text, diagnostics);
  return planWithoutLeases(plan);
}

function rehearsalsFrom(plan: Plan, text: string): readonly Rehearsal[] {
  const { rehearsed, diagnostics } = readRehearsals(text, {
    file: 'rehearsals',
    load: (file) => ({ file, plan }),
  });
  if (!rehearsed) throw wrong(text, diagnostics);
  return rehearsed.rehearsals;
}

function settingFrom({ playbook, rehearsals, faults }: PlaygroundTexts): Setting {
  const plan = planFrom(playbook);
  const text = faults.trim() === '' ? STANDARD_FAULTS : faults;
  const { simulation, diagnostics } = readSimulation(text, { file: 'faults', plan });
  if (!simulation) throw wrong(text, diagnostics);
  const isUsed = simulation.usesRehearsals && rehearsals.trim() !== '';
  return new Setting(plan, simulation, isUsed ? rehearsalsFrom(plan, rehearsals) : []);
}

function exploredFrom(text: string): NonNullable<typeof explored> {
  if (explored?.text === text) return explored;
  const plan = planFrom(text);
  explored = { text, plan, checked: checkDeep(plan) };
  return explored;
}

function wrong(text: string, diagnostics: readonly Diagnostic[]): CodedError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return new CodedError('NOT_COMPILED', formatDiagnostics(errors.slice(0, 5), text));
}
