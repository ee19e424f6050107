/** Checks the keychain and its uses: every reference is declared, and appears only where it stays secret. */
import { type PlaceKind, ROOTS, valueNames } from '../../plan';
import { type TemplateReference } from '../../template';
import { type Located, type Report } from '../diagnostics/diagnostic';
import { didYouMean, oneOfText } from '../diagnostics/suggest';
import { type Document, type StepDoc } from '../document/document';
import { toolKind } from '../kinds';
import { scalar } from '../sugar/nodes';
import { asText, entriesOf, type MapEntry, type MapNode, presentValue, scalarsIn } from '../yaml/node';
import { type CheckFinding } from './finding';
import { ENTRY_KIND_NAMES, entryKindDoc, isCredentialKind } from './keychain-kinds';
import { tasksOf } from './parts';
import { type TemplatePlace } from './place';

type EntryDoc = Document['keychain'][number];

/** Names of places where secrets are not allowed. */
const WHERE: Readonly<Record<PlaceKind, string>> = {
  start: 'a default of the workload, which history records',
  keychain: 'the keychain',
  admit: 'the rules and limits of a step',
  loop: 'a loop, whose items history records',
  task: 'a setting that the workflow reads',
  outcome: 'the rules of a task',
  done: 'a write: history records variables',
  arc: 'an arc: history records what a token carries',
  enter: 'a rule of `case`',
  guard: 'a condition',
  action: 'an action of `case`',
  route: 'an arc: history records what a token carries',
  retry: 'a setting of `retry`',
  sink: 'a setting of a sink',
  retrySink: 'a setting of a sink',
  wait: 'a wait',
};

const KEEP_IT =
  'read it in a field or an `input` of the task that needs it: its worker inserts the value when the task runs';

/** Collects all references to the keychain. */
export class KeychainCheck {
  private readonly entries: Map<string, EntryDoc>;
  /** By entry: the required fields. */
  private readonly uses = new Map<string, Set<string>>();
  /** Entries that a reader cannot do without. */
  private readonly required = new Set<string>();

  constructor(private readonly document: Document) {
    this.entries = new Map(document.keychain.map((entry) => [entry.name, entry]));
    for (const step of document.steps)
      for (const name of namesInAuth(step, document)) this.note(name, { isRequired: true });
  }

  /** All entries: those of the playbook, and those that `token()` declares, even while they are read. */
  get declared(): Iterable<EntryDoc> {
    return this.entries.values();
  }

  /**
   * The entry that `token(name)` reads: the declared one, or one of the stored credential, whose name shows in messages. A
   * path may lead to the name of either, so entries count as read, and those that name another credential are translated.
   *
   * @param isText the name itself, else a path to it
   * @returns undefined for a path into what has no value before the first step
   */
  declareToken(name: string, isText: boolean, at: Located): string | undefined {
    if (isText && this.entries.has(name)) return name;
    const [root = ''] = name.split('.');
    if (!isText && (isOfSteps(root, this.document) || (ROOTS.has(root) && root !== 'workload')))
      return undefined;
    const entry = `token(${isText ? JSON.stringify(name) : name})`;
    const own = this.document.keychain.flatMap((each): [string, string][] => {
      if (!isText) this.note(each.name, { isRequired: false });
      const credential = credentialNamed(each, true);
      return credential === undefined || credential === each.name ? [] : [[each.name, credential]];
    });
    const lookup =
      own.length === 0 ? name : `${JSON.stringify(Object.fromEntries(own))}.get(${name}, ${name})`;
    const value = scalar(at, isText ? name : `{{ ${lookup} }}`);
    const issued = isText
      ? []
      : this.document.keychain.filter(issuesToken).map((each) => JSON.stringify(each.name));
    const choice = issued.map((one) => `(keychain[${one}].token | default('')) if ${name} == ${one} else `);
    const token = { key: 'token', at, value: scalar(at, `{{ ${choice.join('')}'' }}`) };
    const auth = { key: 'auth', at, value };
    const node: MapNode = { ...at, kind: 'map', entries: issued.length > 0 ? [token, auth] : [auth] };
    if (!this.entries.has(entry)) this.entries.set(entry, { name: entry, kind: 'bearer', node });
    return entry;
  }

  /** A reference with the root `keychain`. */
  find({ path, dynamic, guarded }: TemplateReference, place: TemplatePlace): CheckFinding | undefined {
    const [name, field] = path;
    if (typeof name !== 'string' || (dynamic && path.length === 0)) return unnamed();
    const entry = this.entries.get(name);
    if (entry === undefined) return this.undeclared(name);
    this.note(name, { field: guarded || dynamic ? undefined : field, isRequired: !guarded });
    const shown = ['keychain', ...path].join('.');
    if (place.carries !== true) return misplaced(shown, place.part ?? WHERE[place.kind]);
    if (place.spliced !== undefined)
      return {
        code: 'NT3107',
        message: `\`${shown}\` becomes part of the executed text`,
        hint: place.spliced,
      };
    const fields = entryKindDoc(entry.kind)?.fields?.(entry.node);
    if (typeof field !== 'string' || guarded || fields === undefined || fields.includes(field))
      return undefined;
    return {
      code: 'NT3103',
      message: `the keychain entry \`${name}\` (${entry.kind}) has no field \`${field}\``,
      hint: didYouMean(field, fields) ?? `it has ${oneOfText(fields)}`,
    };
  }

  /** Parts converted to text: an entry as a whole is its single value. */
  findInText([name, ...fields]: TemplateReference['path']): CheckFinding | undefined {
    const entry = typeof name === 'string' && fields.length === 0 ? this.entries.get(name) : undefined;
    if (entry === undefined) return undefined;
    const doc = entryKindDoc(entry.kind);
    const values = doc?.isToken ? undefined : doc?.fields?.(entry.node);
    const names = values && valueNames(values);
    if (names === undefined || names.length === 1) return undefined;
    const message = `this is text, and the keychain entry \`${entry.name}\` (${entry.kind}) has ${names.length === 0 ? 'no value' : 'several values'}`;
    const hint =
      names.length === 0
        ? undefined
        : `write ${oneOfText(names.map((each) => `keychain.${entry.name}.${each}`))}`;
    return { code: 'NT3110', message, hint };
  }

  /** The entry read by `auth: NAME`; undefined if it is not an entry, or is the credential of the same name. */
  asAuth(name: string): EntryDoc | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    this.note(name, { isRequired: true });
    return credentialNamed(entry) === name ? undefined : entry;
  }

  /** Fields checked at the start of a run. */
  fieldsOf(name: string): readonly string[] {
    return [...(this.uses.get(name) ?? [])].sort();
  }

  /** Whether all that read the entry have something in its place, like `| default('')`. */
  isOptional(name: string): boolean {
    return this.uses.has(name) && !this.required.has(name);
  }

  /** Diagnostics of the entries themselves; after all templates have been visited. */
  finish(report: Report): void {
    for (const entry of this.document.keychain) {
      checkKind(entry, report);
      if (this.uses.has(entry.name)) continue;
      const message = `nothing reads the keychain entry \`${entry.name}\`; it is still resolved at the start of every run`;
      report.add('NT3105', presentValue(entry.node, 'name')!, message, 'remove it, or name it in `auth`');
    }
    this.checkCycles(report);
  }

  private note(name: string, { field, isRequired }: { field?: string | number; isRequired: boolean }): void {
    if (isRequired) this.required.add(name);
    const fields = this.uses.get(name) ?? new Set<string>();
    if (typeof field === 'string') fields.add(field);
    this.uses.set(name, fields);
  }

  private undeclared(name: string): CheckFinding {
    const declared = [...this.entries.keys()];
    const hint =
      didYouMean(name, declared) ??
      (declared.length > 0
        ? `the entries are ${oneOfText(declared)}`
        : `declare it: \`keychain: [{name: ${name}, kind: …}]\` at the root`);
    return { code: 'NT3018', message: `the keychain does not declare \`${name}\``, hint };
  }

  /** Entries that depend on each other never resolve. */
  private checkCycles(report: Report): void {
    const reads = new Map(this.document.keychain.map((entry) => [entry.name, readBy(entry.node)]));
    for (const { name, node } of this.document.keychain) {
      const way = wayBack(name, reads);
      if (way !== undefined)
        report.add(
          'NT3106',
          presentValue(node, 'name')!,
          `the keychain entry \`${name}\` needs itself: ${way.join(' → ')}`,
        );
    }
  }
}

/** Whether the name is that of a step, or of what a loop is at. */
function isOfSteps(name: string, { steps, workload }: Document): boolean {
  if (workload?.entries.some(({ key }) => key === name)) return false;
  const loops = steps.flatMap((step) => [step, ...tasksOf(step)].map(({ loop }) => loop?.iterator));
  return steps.some((step) => step.name === name) || loops.includes(name);
}

function unnamed(): CheckFinding {
  return {
    code: 'NT3102',
    message: 'which keychain entry this reads is known only at run time',
    hint: 'write `keychain.<name>.<field>`: the compiler must know which values are secret',
  };
}

function misplaced(shown: string, where: string): CheckFinding {
  return { code: 'NT3101', message: `\`${shown}\` is not allowed in ${where}`, hint: KEEP_IT };
}

/** For a code block, which would contain the value as text. */
export function inCode(shown: string): CheckFinding {
  const hint = 'pass the value as `input: {token: "{{ … }}"}`, and use it as a variable';
  return { code: 'NT3101', message: `\`${shown}\` cannot become part of code`, hint };
}

/** Whether the playbook itself says how the entry comes to a token. */
function issuesToken(entry: EntryDoc): boolean {
  const { kind, node } = entry;
  if (credentialNamed(entry, true) !== entry.name || isCredentialKind(kind) || kind === 'credential_ref')
    return false;
  return entryKindDoc(kind)?.fields?.(node)?.includes('token') ?? true;
}

/** The stored credential of an entry; undefined for other kinds. @param isAny of every kind that may name one */
function credentialNamed({ name, kind, node }: EntryDoc, isAny = false): string | undefined {
  if (!isAny && !isCredentialKind(kind) && kind !== 'credential_ref') return undefined;
  return (
    ['credential', 'credential_ref', 'ref', 'key', 'auth']
      .map((key) => asText(presentValue(node, key)))
      .find(Boolean) ?? name
  );
}

function checkKind({ name, kind, node }: EntryDoc, report: Report): void {
  const at = presentValue(node, 'kind') ?? presentValue(node, 'type');
  const doc = entryKindDoc(kind);
  if (doc === undefined) {
    if (at === undefined || isCredentialKind(kind)) return;
    const message = `\`${kind}\` is not a kind of keychain entry: \`${name}\` is read as a stored credential of that name`;
    const hint = didYouMean(kind, ENTRY_KIND_NAMES) ?? `the kinds are ${oneOfText(ENTRY_KIND_NAMES)}`;
    report.add('NT3104', at, message, hint);
    return;
  }
  const { needs } = doc;
  if (needs === undefined || needs.some((key) => presentValue(node, key) !== undefined)) return;
  report.add('NT2005', at ?? node, `the keychain entry \`${name}\` (${kind}) needs ${oneOfText(needs)}`);
}

/** Entries named in `auth` by a step's tasks or by parts of them (`source: {auth: …}`). */
function namesInAuth(step: StepDoc, { extensions }: Document): string[] {
  const named = ({ key, value }: MapEntry): string[] =>
    /^(auth|credentials?)$/.test(key)
      ? scalarsIn(value).flatMap((one) => asText(one) ?? [])
      : entriesOf(value).flatMap(named);
  return tasksOf(step).flatMap((task) =>
    toolKind(task.kind, extensions) === undefined ? [] : task.fields.flatMap(named),
  );
}

/** Entries referenced by the fields of an entry, as far as known. */
function readBy(node: MapNode): string[] {
  return scalarsIn(node).flatMap((part) =>
    [...(asText(part) ?? '').matchAll(/\bkeychain(?:\.(\w+)|\[\s*['"]([^'"]+)['"])/g)].map(
      ([, dotted, quoted]) => (dotted ?? quoted)!,
    ),
  );
}

/** A cycle of entries. */
function wayBack(start: string, reads: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const seen = new Set<string>();
  const follow = (name: string, way: readonly string[]): string[] | undefined => {
    for (const next of reads.get(name) ?? []) {
      if (next === start) return [...way, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const cycle = follow(next, [...way, next]);
      if (cycle) return cycle;
    }
    return undefined;
  };
  return follow(start, [start]);
}
