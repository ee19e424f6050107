/** Diagnostics of a text while it is written: after an edit, at once of the steps that it changes. */
import { checked, type CompileOptions, type ReadPlaybook } from './compile';
import { type Diagnostic, Findings, inOrder } from './diagnostics/diagnostic';
import { type StepDoc } from './document/document';
import { readDocument } from './document/read';
import { desugar, mergeWays } from './sugar';
import { LineIndex } from './yaml/lines';
import { asList, child, entry, itemsOf, type MapNode, type YamlNode } from './yaml/node';
import { parseYaml } from './yaml/parse';

/** More steps are not checked at once. */
const MOST_EDITED = 20;
/** With anchors, a step may mean what stands elsewhere. */
const ANCHOR = /(?:^|[\s[{,])&[\w-]/m;
const KEY = 'workflow:\n';

/** A text that was checked as a whole, and what was read of it. */
interface Whole {
  readonly text: string;
  readonly lines: LineIndex;
  readonly read: ReadPlaybook & { readonly roots: Set<string> };
  readonly diagnostics: readonly Diagnostic[];
  readonly items: StepLines;
}

/** Where the lines of the steps begin, and where what follows them does. */
interface StepLines {
  readonly starts: readonly number[];
  readonly end: number;
  /** What each begins with: its indentation and its dash. */
  readonly dash: string;
}

/** Changed steps: their lines in the text that was checked, and what is there now. */
interface Edited {
  /** The first of them, by index, and how many they were. */
  readonly first: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
  readonly now: string;
}

export class Recheck {
  private whole?: Whole;

  constructor(private readonly options: CompileOptions = {}) {}

  /** Checks all of a text, as `compile` does. */
  all(text: string): readonly Diagnostic[] {
    const { options } = this;
    const lines = new LineIndex(text);
    const findings = new Findings(lines, options);
    this.whole = undefined;
    const written = parseYaml(text, findings);
    if (written === undefined) return findings.list();
    const flat = desugar(written, findings);
    const document = readDocument(flat.root, findings, options.kinds);
    const read = { ...mergeWays(document, flat, findings), written, roots: new Set<string>() };
    const { diagnostics } = checked(read, lines, findings, options);
    const items = stepLines(text, written);
    if (items && isWhole(text, diagnostics)) this.whole = { text, lines, read, diagnostics, items };
    return diagnostics;
  }

  /**
   * Checks the steps that differ from the text that was last checked as a whole. Of these the answer is that of `all`; of
   * others, what was found then.
   *
   * @returns undefined if more differs than a few steps
   */
  edited(text: string): readonly Diagnostic[] | undefined {
    const { whole } = this;
    if (whole === undefined || whole.text === text) return whole?.diagnostics;
    const edited = editedIn(whole, text);
    return edited && checkEdited(whole, edited, this.options);
  }
}

/** Of several steps with one name only one is read; of very many findings not all are told. */
function isWhole(text: string, diagnostics: readonly Diagnostic[]): boolean {
  return (
    !diagnostics.some(({ code }) => code === 'NT3001' || code === 'NT3024') &&
    diagnostics.length < 400 &&
    !ANCHOR.test(text)
  );
}

function stepLines(text: string, root: MapNode): StepLines | undefined {
  const workflow = entry(root, 'workflow');
  const starts = itemsOf(workflow?.value).map(
    ({ start }) => text.lastIndexOf('\n', text.lastIndexOf('-', start - 1)) + 1,
  );
  const dash = /^ *- /.exec(text.slice(starts[0]))?.[0];
  if (workflow === undefined || dash === undefined) return undefined;
  if (!starts.every((start) => text.startsWith(dash, start))) return undefined;
  const behind = root.entries.map(({ at }) => at.start).filter((start) => start > workflow.at.start);
  const end = behind.length === 0 ? text.length : text.lastIndexOf('\n', Math.min(...behind)) + 1;
  return { starts, end, dash };
}

function editedIn(
  { text: before, items: { starts, end: last, dash } }: Whole,
  text: string,
): Edited | undefined {
  const least = Math.min(before.length, text.length);
  const grown = text.length - before.length;
  const same = alike(least, (at, size) => before.slice(at, at + size) === text.slice(at, at + size));
  const until =
    before.length -
    alike(least - same, (at, size) => sliceBefore(before, at, size) === sliceBefore(text, at, size));
  const first = starts.findLastIndex((start) => start < same);
  const behind = starts.findIndex((start) => start > until);
  const [start, end] = [starts[first], behind === -1 ? last : starts[behind]!];
  if (start === undefined || until > last) return undefined;
  const now = text.slice(start, end + grown);
  const count = (behind === -1 ? starts.length : behind) - first;
  return isInside(now, dash) && count <= MOST_EDITED && !ANCHOR.test(now)
    ? { first, count, start, end, now }
    : undefined;
}

/** Whether all lines belong to items of a list whose dashes stand there. */
function isInside(text: string, dash: string): boolean {
  const column = dash.indexOf('-');
  const isItem = (line: string): boolean => {
    const indent = line.search(/\S/);
    return (
      indent === -1 || indent > column || line[indent] === '#' || (indent === column && line[indent] === '-')
    );
  };
  return text.startsWith(dash) && text.split('\n').every(isItem);
}

/** How many characters are the same, up to a limit: long pieces are compared first. */
function alike(limit: number, isSame: (at: number, size: number) => boolean): number {
  let at = 0;
  for (const size of [8192, 128, 1]) while (at + size <= limit && isSame(at, size)) at += size;
  return at;
}

const sliceBefore = (text: string, at: number, size: number): string =>
  text.slice(text.length - at - size, text.length - at);

/** Notes only what is found behind a place. */
class FindingsBehind extends Findings {
  constructor(
    private readonly from: number,
    ...given: ConstructorParameters<typeof Findings>
  ) {
    super(...given);
  }

  override add(...given: Parameters<Findings['add']>): void {
    if (given[1].start >= this.from) super.add(...given);
  }

  override older(): void {
    // Only diagnostics are asked for.
  }
}

function checkEdited(
  whole: Whole,
  edited: Edited,
  options: CompileOptions,
): readonly Diagnostic[] | undefined {
  const { read, text } = whole;
  // The steps are read behind the text that was checked: so no place means two things.
  const behind = text.length + 1 + KEY.length;
  const lines = new LineIndex(`${text}\n${KEY}${edited.now}`, whole.lines);
  const findings = new FindingsBehind(behind, lines, options);
  const root = parseYaml(`${KEY.trim()} ${'#'.repeat(behind - KEY.length - 1)}\n${edited.now}`, findings);
  const items = root?.entries.length === 1 ? asList(child(root, 'workflow'))?.items : undefined;
  if (items?.every(({ kind }) => kind === 'map') !== true) return undefined;
  const isOther = ({ start }: { readonly start: number }): boolean =>
    start < edited.start || start >= edited.end;
  const flat = desugar(withSteps(read.written, items, lines), findings);
  const { steps } = read.document;
  const others = {
    before: steps.filter(({ node }) => node.start < edited.start),
    after: steps.filter(({ node }) => node.start >= edited.end),
  };
  const merged = mergeWays(readDocument(flat.root, findings, options.kinds, others), flat, findings);
  const names = new Set(merged.document.steps.map(({ name }) => name));
  const all = [...itemsOf(child(read.written, 'workflow')).filter(isOther), ...items];
  const kept = whole.diagnostics.filter((one) =>
    isOther({ start: whole.lines.offset(one.line, one.column) }),
  );
  const { diagnostics } = checked(
    {
      ...merged,
      written: withSteps(read.written, all, lines),
      roots: new Set(read.roots),
      only: withTargets(merged.document.steps, behind),
      // An arc to a step that is gone, or has another name now, is an error of another step.
      hasErrors:
        kept.some(({ severity }) => severity === 'error') ||
        targetsOf(merged.document.steps).some((each) => !names.has(each)),
    },
    lines,
    findings,
    options,
  );
  const place = placing(whole, edited, { lines, behind, count: items.length });
  return inOrder([...kept, ...diagnostics].map(place));
}

/** The edited steps, and those that their arcs lead to: what these read decides which arguments are of use. */
function withTargets(steps: readonly StepDoc[], behind: number): StepDoc[] {
  const own = steps.filter(({ node }) => node.start >= behind);
  const targets = new Set(targetsOf(own));
  return steps.filter((step) => own.includes(step) || targets.has(step.name));
}

const targetsOf = (steps: readonly StepDoc[]): string[] =>
  steps.flatMap(({ router }) => (router?.arcs ?? []).map(({ target }) => target));

function withSteps(root: MapNode, items: readonly YamlNode[], { text }: LineIndex): MapNode {
  return {
    ...root,
    entries: root.entries.map((each) =>
      each.key === 'workflow'
        ? { ...each, value: { ...each.value, kind: 'list' as const, items, end: text.length } }
        : each,
    ),
  };
}

/** Moves a diagnostic to where it stands now. */
function placing(
  { lines: whole }: Whole,
  { first, count: before, start, end, now }: Edited,
  { lines, behind, count }: { readonly lines: LineIndex; readonly behind: number; readonly count: number },
): (one: Diagnostic) => Diagnostic {
  const [from, to] = [whole.position(start)[0], whole.position(end)[0]];
  const [own] = lines.position(behind);
  const added = lines.position(lines.text.length)[0] - own - (to - from);
  const lineAt = (line: number): number =>
    line >= own ? line - own + from : line >= to ? line + added : line;
  const at = (offset: number): number =>
    offset >= behind ? offset - behind + start : offset >= end ? offset + now.length - (end - start) : offset;
  const isGone = (offset: number): boolean => offset > start && offset < end;
  return ({ fix, ...one }) => {
    const more = one.line >= own ? first : one.line >= to ? count - before : 0;
    const path = one.path.replace(/(?<=^workflow\[)\d+/, (index) => String(Number(index) + more));
    const edits = fix?.edits.map((edit) => ({ ...edit, start: at(edit.start), end: at(edit.end) }));
    const isKept = fix && edits && !fix.edits.some((edit) => isGone(edit.start) || isGone(edit.end));
    return {
      ...one,
      path,
      line: lineAt(one.line),
      endLine: lineAt(one.endLine),
      ...(isKept && { fix: { ...fix, edits } }),
    };
  };
}
