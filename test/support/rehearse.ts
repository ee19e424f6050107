/** Rehearsals of a playbook, both written in a test. */
import { formatDiagnostics } from '../../src/language/dsl';
import {
  diffText,
  readRehearsals,
  type RehearsalResult,
  runRehearsal,
  type RehearsedPlaybook,
} from '../../src/offline/rehearsal';
import { planOf } from './simulator';

/** Runs the rehearsals of the text; the playbook it names is the one given. */
export function rehearse(playbook: string, text: string): RehearsalResult[] {
  const plan = planOf(playbook);
  const load = (file: string): RehearsedPlaybook => ({ file, plan });
  const { rehearsed, diagnostics } = readRehearsals(text, { file: 'a.rehearsal.yaml', load });
  if (!rehearsed) throw new Error(formatDiagnostics(diagnostics, text));
  return rehearsed.rehearsals.map((rehearsal) => runRehearsal(rehearsal, rehearsed));
}

/** What did not come true in a file of one rehearsal; empty when it passed. */
export function diffOf(playbook: string, text: string): string {
  const [result] = rehearse(playbook, `playbook: ./a.yaml\n${text}`);
  return diffText(result!, { rehearsal: 'a.rehearsal.yaml', playbook: 'a.yaml' });
}
