/** From names given by the user to what a simulation needs. */
import fs from 'node:fs';
import { formatDiagnostics } from '../../language/dsl';
import { type Plan } from '../../language/plan';
import { type Rehearsal } from '../../offline/rehearsal';
import { readSimulation, Setting, STANDARD_FAULTS } from '../../offline/simulation';
import { UsageError } from '../errors';
import { extensions } from '../extensions';
import { loadPlaybook, readText } from './playbook';
import { readRehearsalFile } from './rehearsal';

export interface SimulatedPlaybook {
  /** A file, or the path of a playbook below this folder. */
  readonly playbook: string;
  /** The faults file; by default typical faults, and no invariants. */
  readonly faults?: string;
}

/**
 * @param write receives warnings about the playbook
 * @throws UsageError for a file that does not exist or has errors
 */
export function readSetting({ playbook, faults }: SimulatedPlaybook, write: (text: string) => void): Setting {
  const { plan } = loadPlaybook(playbook, { write });
  const text = faults === undefined ? STANDARD_FAULTS : readText(faults);
  const { kinds } = extensions();
  const { simulation, diagnostics } = readSimulation(text, {
    file: faults ?? 'standard faults',
    plan,
    kinds,
  });
  if (!simulation) throw new UsageError(formatDiagnostics(diagnostics, text));
  const rehearsals = simulation.usesRehearsals ? rehearsalsBeside(plan) : [];
  return new Setting(plan, simulation, rehearsals, kinds);
}

function rehearsalsBeside({ source, metadata }: Plan): readonly Rehearsal[] {
  const file = source.file?.replace(/\.ya?ml$/i, '') + '.rehearsal.yaml';
  if (!fs.existsSync(file)) return [];
  const { rehearsed, diagnostics, text } = readRehearsalFile(file);
  if (!rehearsed) throw new UsageError(formatDiagnostics(diagnostics, text));
  return rehearsed.playbook.plan.metadata.path === metadata.path ? rehearsed.rehearsals : [];
}
