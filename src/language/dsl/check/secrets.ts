import { isSecretKey } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { type Document, type StepDoc } from '../document/document';
import { stepActions, tasksOf } from './parts';
import { asMap, type MapEntry, type YamlNode } from '../yaml/node';

const SECRET_HEADER = /^(authorization|proxy-authorization|x-api-key|api-key|cookie)$/i;

/** Words in place of a secret that are not secret. */
const PLACEHOLDER = /^(|none|null|changeme|todo|<.*>|\$\{.*\}|\*+|x+)$/i;

/** Literal secrets in the keychain, in `auth` and in headers. */
export function checkSecrets(document: Document, report: Report): void {
  for (const entry of document.keychain) {
    if (entry.kind === 'secret_manager') continue;
    for (const each of entry.node.entries)
      // Of a provider's secrets `map` holds the names; of a `static` entry, the values.
      if (each.key !== 'map' || entry.kind === 'static') checkEntry(each, report);
  }
  for (const step of document.steps) {
    for (const field of [...tasksOf(step).flatMap((task) => task.fields), ...overridesOf(step)]) {
      if (field.key === 'auth' || field.key === 'credential')
        for (const each of asMap(field.value)?.entries ?? []) checkEntry(each, report);
      if (field.key !== 'headers') continue;
      for (const each of asMap(field.value)?.entries ?? [])
        if (SECRET_HEADER.test(each.key)) tell(each, report);
    }
  }
}

/** Fields of the tool overridden for the next call by `call` and `retry`. */
function overridesOf(step: StepDoc): MapEntry[] {
  const policies = tasksOf(step).flatMap((task) => task.retry ?? []);
  const actions = stepActions(step).map((each) => ('overrides' in each ? each.overrides : undefined));
  return [...policies.map((each) => each.overrides), ...actions].flatMap((each) => each?.config ?? []);
}

/** A literal secret in a setting, at any depth. */
export function checkEntry(each: MapEntry, report: Report): void {
  if (each.value.kind === 'map') for (const inner of each.value.entries) checkEntry(inner, report);
  else if (isSecretKey(each.key)) tell(each, report);
}

function tell(each: MapEntry, report: Report): void {
  if (!isLiteral(each.value)) return;
  report.add(
    'NT2070',
    each.value,
    `\`${each.key}\` contains a secret in plain text`,
    'refer to a credential (`auth: my_credential`), or write `{{ keychain.name.field }}`',
  );
}

function isLiteral(node: YamlNode): boolean {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return false;
  return !node.value.includes('{{') && !PLACEHOLDER.test(node.value.trim());
}
