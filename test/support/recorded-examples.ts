/** Recordings of the example playbooks, made by their rehearsals. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../../src/language/dsl';
import { type Plan } from '../../src/language/plan';
import { type Recording } from '../../src/offline/proof';
import { recordSimulation } from './recorded-simulation';
import { type RehearsedPlaybook, MockedWorld, readRehearsals } from '../../src/offline/rehearsal';

const PLAYBOOKS = path.resolve('playbooks');

export interface RecordedExample {
  readonly name: string;
  readonly text: string;
  readonly plan: Plan;
  readonly recordings: readonly Recording[];
}

/** Every example of `playbooks` and `playbooks/tools` that has rehearsals. */
export function recordedExamples(folders: readonly string[] = ['.', 'tools']): RecordedExample[] {
  return folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(PLAYBOOKS, folder))
      .filter((name) => name.endsWith('.rehearsal.yaml'))
      .map((name) => recorded(path.join(PLAYBOOKS, folder), name)),
  );
}

function recorded(folder: string, name: string): RecordedExample {
  const file = path.join(folder, name.replace('.rehearsal.yaml', '.yaml'));
  const text = fs.readFileSync(file, 'utf8');
  const { plan } = compile(text, { file });
  const load = (): RehearsedPlaybook => ({ file, plan: plan! });
  const { rehearsed } = readRehearsals(fs.readFileSync(path.join(folder, name), 'utf8'), {
    file: name,
    load,
  });
  const recordings = rehearsed!.rehearsals.map((rehearsal) => {
    const { payload, startAt, messages } = rehearsal;
    return recordSimulation(plan!, new MockedWorld(rehearsal), { payload, startAt, messages }).recording;
  });
  return { name: path.basename(file), text, plan: plan!, recordings };
}
