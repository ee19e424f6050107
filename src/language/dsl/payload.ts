/** A payload that is written in YAML. */
import { type JsonObject } from '../plan';
import { type Diagnostic, Findings } from './diagnostics/diagnostic';
import { LineIndex } from './yaml/lines';
import { dataOf } from './yaml/node';
import { parseYaml } from './yaml/parse';

/** The inputs of an execution; without `data` when a diagnostic is an error. */
export function parsePayload(text: string, file: string): { data?: JsonObject; diagnostics: Diagnostic[] } {
  const findings = new Findings(new LineIndex(text), { file });
  const root = parseYaml(text, findings, { name: 'payload', startsWith: 'the name of an input' });
  const data = root && (dataOf(root) as JsonObject);
  return { ...(data && !findings.hasErrors && { data }), diagnostics: findings.list() };
}
