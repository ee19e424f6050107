import { type Located, type Report } from '../diagnostics/diagnostic';
import { formIn, isMapping, type Json, type JsonObject } from '../../plan';
import { type Document, type TaskDoc } from '../document/document';
import { toolKind } from '../kinds';
import { checkInputsShape, FORM_FIELD } from '../schema/inputs';
import { asMap, asText, dataOf, type MapEntry, isNull, type YamlNode, presentValue } from '../yaml/node';
import { tasksOf } from './parts';

/** Settings that a task's tool will lack at run time. */
export function checkTools(document: Document, report: Report): void {
  for (const task of document.steps.flatMap(tasksOf)) {
    checkCredentials(task, document, report);
    checkWait(task, report);
    checkForm(task, report);
  }
}

/** A task without the credential that its kind needs to reach its server; also for either side of a transfer. */
function checkCredentials({ kind, fields, at }: TaskDoc, { extensions }: Document, report: Report): void {
  const check = (of: string, entries: readonly MapEntry[], where: Located): void => {
    if (toolKind(of, extensions)?.needsCredential !== true || entries.some(namesCredential)) return;
    report.add(
      'NT2054',
      where,
      `\`${of}\` needs a credential, but none is set`,
      'write `auth: NAME`: a stored credential, or an entry of `keychain`',
    );
  };
  check(kind, fields, at);
  for (const side of toolKind(kind, extensions)?.sides ?? []) {
    const sideField = fields.find(({ key }) => key === side);
    const inner = asMap(sideField?.value);
    const of = asText(presentValue(inner, 'kind'));
    if (sideField !== undefined && inner !== undefined && of !== undefined)
      check(of, inner.entries, sideField.at);
  }
}

/** As the tools treat it: null, an empty string and an empty mapping name no credential. */
function namesCredential({ key, value }: MapEntry): boolean {
  return (key === 'auth' || key === 'credential') && !isNull(value) && !isEmpty(value);
}

function isEmpty(value: YamlNode): boolean {
  return value.kind === 'scalar' ? value.value === '' : value.kind === 'map' && value.entries.length === 0;
}

/** An event may never come. */
function checkWait({ kind, fields }: TaskDoc, report: Report): void {
  const has = (key: string): MapEntry | undefined =>
    fields.find((each) => each.key === key && !isNull(each.value));
  const event = kind === 'wait' ? has('event') : undefined;
  if (event === undefined || has('timeout') !== undefined) return;
  report.add(
    'NT2056',
    event.at,
    'this waits without a limit: the event may never come',
    'write `timeout: SECONDS`, after which the task fails with `WAIT_TIMEOUT`',
  );
}

/** What the form of a wait says without templates: the rest is known when the wait begins. */
function checkForm({ kind, fields }: TaskDoc, report: Report): void {
  const form = kind === 'wait' ? fields.find(({ key }) => key === 'form') : undefined;
  const map = asMap(form?.value);
  if (form === undefined || map === undefined) return;
  if (!fields.some(({ key }) => key === 'event'))
    report.add(
      'NT2051',
      form.at,
      'a form needs `event`',
      'name the event that its answer is: `event: approved`',
    );
  const inputs = asMap(presentValue(map, 'fields'));
  if (inputs) checkInputsShape(inputs, report, FORM_FIELD);
  const literal = Object.entries(dataOf(map) as JsonObject).map(([key, value]) => [
    key,
    withoutTemplates(value),
  ]);
  const read = formIn(Object.fromEntries(literal) as JsonObject);
  if (typeof read === 'string')
    report.add('NT2004', form.at, `the form: ${read}`, 'docs/waiting.md has an example');
}

function withoutTemplates(value: Json): Json {
  if (!isMapping(value)) return value;
  const parts = Object.entries(value).filter(([, part]) => !JSON.stringify(part).includes('{{'));
  // Types of fields are checked by their shape.
  const entries = parts.map(([key, part]) => [key, isMapping(part) ? { ...part, type: [] } : part]);
  return Object.fromEntries(entries) as JsonObject;
}
