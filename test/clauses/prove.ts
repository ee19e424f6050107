/** Proves a cell. A proof that lies elsewhere must be there. */
import fs from 'node:fs';
import path from 'node:path';
import { registry } from '../../activities/registry';
import { compile, type Diagnostic } from '../../src/language/dsl';
import { type Json, type JsonObject, type Outcome } from '../../src/language/plan';
import { type Cell, type Fields } from '../faults/cell';
import { type Stage } from '../faults/stage';
import { run } from '../support/tool-call';
import { type Proof, type Step } from './clause';

const ROOT = path.resolve(__dirname, '../..');

export async function prove(kind: string, proof: Proof, cells: readonly Cell[], stage: Stage): Promise<void> {
  if ('never' in proof) expect(proof.never.length).toBeGreaterThan(10);
  else if ('fault' in proof) expect(cells.map(([fault]) => fault)).toContain(proof.fault);
  else if ('shown' in proof)
    expect(fs.readFileSync(path.join(ROOT, proof.in), 'utf8')).toContain(proof.shown);
  else if ('refused' in proof) {
    expect(diagnosed(kind, proof.refused)).toContainEqual(
      expect.objectContaining({ code: proof.code, severity: 'error' }),
    );
  } else if ('fails' in proof) {
    const { error } = await task(kind, proof.fails, stage);
    expect(error).toMatchObject(proof.as);
  } else {
    const steps = Array.isArray(proof.gives) ? (proof.gives as Step[]) : [[kind, proof.gives] as Step];
    let result: Json = null;
    for (const [each, fields] of steps) {
      const outcome = await task(each, fields, stage);
      expect(outcome.error).toBeNull();
      // As it travels.
      result = JSON.parse(JSON.stringify(outcome.result)) as Json;
    }
    expect(result).toMatchObject(proof.result as object);
  }
}

function task(kind: string, fields: JsonObject | Fields, stage: Stage): Promise<Outcome> {
  const config = typeof fields === 'function' ? fields(stage) : fields;
  return run(registry.get(kind)!, config, {}, stage.context());
}

/** What the compiler says of a playbook whose only tool has these fields, each on a line of its own from line 7 on. */
export function diagnosed(kind: string, fields: JsonObject): Diagnostic[] {
  const text = [
    'apiVersion: noetl.io/v2',
    'kind: Playbook',
    'metadata: { name: x, path: x }',
    'workbook: [{ name: greet, tool: { kind: noop } }]',
    'workflow:',
    `- { step: start, tool: { kind: ${kind}`,
    ...Object.entries(fields).map(([key, value]) => `    , ${key}: ${JSON.stringify(value)}`),
    '    } }',
  ].join('\n');
  return compile(text).diagnostics;
}
