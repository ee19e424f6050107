/** The compiler as a service over open documents: for editors, in Node and in the browser. */
import { compile, type Diagnostic, type KnownPlaybooks, type ToolKinds } from '../language/dsl';
import { compact } from '../language/plan';
import { playbookFacts, type PlaybookFacts } from './names/facts';
import { type KnownResults } from './names/fields';
import { expressionProposals } from './completion/expressions';
import { keyProposals } from './completion/keys';
import { type KnownNames, type CompletionProposal, scopeAt, type Writing } from './completion/proposals';
import { countUsage, WritingUsage } from './completion/usage';
import { valueProposals } from './completion/values';
import { type SignatureHelp, signatureHelp } from './hover/help';
import { type HoverText, hoverOf } from './hover/hover';
import { type KnownRuns, type Lens, lensesOf } from './actions/lenses';
import { rehearsalProblems } from './actions/rehearse';
import { changesAt, type OfferedChange } from './actions/actions';
import { type Occurrence } from './navigate/occurrences';
import { definitionsOf, type NamedText, referencesOf, renamed, type Renaming } from './navigate/rename';
import { formattedText } from './structure/format';
import { type DocumentPart, foldsOf, partsOfDocument, selectionsAround } from './structure/structure';
import { type ColouredToken, colouredTokens } from './structure/tokens';
import { type CursorPlace, cursorPlace } from './place/cursor';
import { keysAlong, pathAt } from './place/path';
import { type OutlineNode, type TextRange, valueAt } from './text/node';
import { OutlineCache, type PlacedOutline } from './text/cache';

/** What a service knows besides its documents; everything may be missing. */
export interface Surroundings extends KnownNames {
  readonly kinds?: ToolKinds;
  readonly catalog?: KnownPlaybooks;
  /** Results of rehearsals or of a former run of the playbook in this document. */
  resultsFor?(uri: string): KnownResults | undefined;
  runsFor?(uri: string): KnownRuns | undefined;
  /** The file that a document names, relative to itself: the playbook of a rehearsal. */
  read?(uri: string, name: string): { readonly uri: string; readonly text: string } | undefined;
}

export interface Completions {
  /** What a proposal replaces: offsets in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /** The likeliest first. */
  readonly proposals: readonly CompletionProposal[];
}

/** A document, and what has been read from its present text. */
export class OpenText {
  private structure?: PlacedOutline;
  private names?: PlaybookFacts;

  constructor(
    readonly text: string,
    readonly version: number,
    private readonly outlines: OutlineCache,
  ) {}

  get root(): OutlineNode {
    this.structure ??= this.outlines.outline(this.text);
    this.structure.place();
    return this.structure.root;
  }

  get facts(): PlaybookFacts {
    const { root } = this;
    return (this.names ??= playbookFacts(this.text, root));
  }

  /** The cursor's place, read with a word there. */
  cursor(offset: number, kinds: ToolKinds): CursorPlace | undefined {
    return cursorPlace(this.text, offset, { kinds, outline: (text) => this.outlines.outline(text).root });
  }
}

/**
 * Open documents and the questions of an editor about them. An answer is about the text of the last
 * `openDocument` or `changeDocument`; offsets count UTF-16 units.
 */
export class LanguageService {
  private readonly documents = new Map<string, OpenText>();
  private readonly outlines = new OutlineCache();

  constructor(private surroundings: Surroundings = {}) {}

  /** Replaces what is known besides the documents. */
  knows(surroundings: Surroundings): void {
    this.surroundings = surroundings;
  }

  openDocument(uri: string, text: string, version = 0): void {
    this.documents.set(uri, new OpenText(text, version, this.outlines));
  }

  changeDocument(uri: string, text: string, version = 0): void {
    this.openDocument(uri, text, version);
  }

  closeDocument(uri: string): void {
    this.documents.delete(uri);
  }

  /** Every problem of the document, with its fix where there is one right answer. */
  diagnosticsOf(uri: string): readonly Diagnostic[] {
    const { kinds, catalog, read } = this.surroundings;
    return this.about(uri, [], ({ text }) =>
      this.isRehearsal(uri)
        ? rehearsalProblems(uri, text, (name) => read?.(uri, name), kinds)
        : compile(text, { fixes: true, ...compact({ kinds, catalog }) }).diagnostics,
    );
  }

  /** Whether the document is a rehearsal file. */
  isRehearsal(uri: string): boolean {
    return this.about(uri, false, ({ root }) =>
      root.entries.some(({ key }) => key === 'rehearsals' || key === 'playbook'),
    );
  }

  /** What can be written at the offset. */
  completionsAt(uri: string, offset: number): Completions {
    const place = this.documents.get(uri)?.cursor(offset, this.kinds);
    if (place === undefined) return { from: offset, to: offset, proposals: [] };
    const writing = this.writing(uri, place);
    const all =
      place.kind === 'key'
        ? [...keyProposals(writing), ...itemValues(writing)]
        : place.kind === 'value'
          ? valueProposals(writing)
          : expressionProposals(writing);
    return { from: place.from, to: place.to, proposals: matching(all, place.typed) };
  }

  /** What the word at the offset is: documentation, type, the last value seen. */
  hoverAt(uri: string, offset: number): HoverText | undefined {
    const results = this.surroundings.resultsFor?.(uri);
    return this.about(uri, undefined, ({ facts }) =>
      hoverOf({ facts, kinds: this.kinds, ...compact({ results }) }, offset),
    );
  }

  /** The signature of the filter, test or function whose arguments are written at the offset. */
  signatureAt(uri: string, offset: number): SignatureHelp | undefined {
    const place = this.documents.get(uri)?.cursor(offset, this.kinds);
    return place?.before === undefined ? undefined : signatureHelp(place.before + place.typed);
  }

  /** Where the name at the offset is defined. */
  definitionsAt(uri: string, offset: number): readonly Occurrence[] {
    return this.about(uri, [], ({ facts }) => definitionsOf(facts, offset));
  }

  /** Every place that names the same, in expressions too. */
  referencesAt(uri: string, offset: number): readonly Occurrence[] {
    return this.about(uri, [], ({ facts }) => referencesOf(facts, offset));
  }

  /** Gives what is named at the offset another name, in its rehearsals too, if the plan is then the same but for the name. */
  renameAt(uri: string, offset: number, name: string, rehearsals: readonly NamedText[] = []): Renaming {
    return this.about<Renaming>(uri, { problem: 'the document is not open' }, ({ facts }) =>
      renamed(facts, { offset, name, rehearsals }, this.kinds),
    );
  }

  symbolsOf(uri: string): readonly DocumentPart[] {
    return this.about(uri, [], ({ facts }) => partsOfDocument(facts));
  }

  foldsOf(uri: string): readonly TextRange[] {
    return this.about(uri, [], ({ text, root }) => foldsOf(text, root));
  }

  /** Ranges around the offset, the smallest first. */
  selectionsAt(uri: string, offset: number): readonly TextRange[] {
    return this.about(uri, [], ({ text, root }) =>
      selectionsAround(pathAt(root, offset, { text, kinds: this.kinds })),
    );
  }

  tokensOf(uri: string): readonly ColouredToken[] {
    return this.about(uri, [], ({ facts }) => colouredTokens(facts));
  }

  /** The text, formatted. */
  formatted(uri: string): string {
    return this.about(uri, '', ({ text }) => formattedText(text));
  }

  lensesOf(uri: string): readonly Lens[] {
    return this.about(uri, [], ({ facts }) => lensesOf(facts, this.surroundings.runsFor?.(uri) ?? {}));
  }

  /** Changes that are offered at the offset besides the fixes of diagnostics. */
  changesAt(uri: string, offset: number): readonly OfferedChange[] {
    return this.about(uri, [], ({ facts }) => changesAt(facts, offset));
  }

  private about<T>(uri: string, unknown: T, answer: (document: OpenText) => T): T {
    const document = this.documents.get(uri);
    return document === undefined ? unknown : answer(document);
  }

  private get kinds(): ToolKinds {
    return this.surroundings.kinds ?? NO_KINDS;
  }

  private writing(uri: string, place: CursorPlace): Writing {
    const facts = playbookFacts(place.text, place.root);
    const { scope, step, task } = scopeAt(facts, place.path, this.surroundings.resultsFor?.(uri));
    return {
      ...{ place, facts, scope, text: place.text, kinds: this.kinds, names: this.surroundings },
      ...compact({ step, task }),
      keys: keysAlong(place.path.parts),
      nearby: usageNear(place),
    };
  }
}

const NO_KINDS: ToolKinds = new Map();
/** Steps on both sides of the cursor whose style counts. */
const NEARBY = 20;

function usageNear({ root, text, from }: CursorPlace): WritingUsage {
  const usage = new WritingUsage();
  const steps = valueAt(root, 'workflow');
  const at = steps?.items.findLastIndex(({ start }) => start <= from) ?? -1;
  const near = steps?.items.filter((_, index) => Math.abs(index - Math.max(at, 0)) <= NEARBY) ?? [];
  for (const item of near) countUsage(text, item, usage, ['workflow']);
  for (const { key, value } of root.entries) if (key !== 'workflow') countUsage(text, value, usage, [key]);
  return usage;
}

/** Where a key can stand, an item of a list of names can as well: `next: [sta`. */
function itemValues(writing: Writing): CompletionProposal[] {
  const { path } = writing.place;
  const container = path.parts.at(-1);
  const isAlone = container?.node.entries.length === 1 && typeof path.parts.at(-2)?.at === 'number';
  if (!isAlone || writing.place.isWhole) return [];
  return valueProposals({ ...writing, keys: writing.keys.slice(0, -1) }).filter(
    ({ kind }) => kind === 'Event',
  );
}

/** Those that begin with what is typed, then those that contain it. */
function matching(proposals: readonly CompletionProposal[], typed: string): CompletionProposal[] {
  const word = typed.toLowerCase();
  if (word === '') return [...proposals];
  const of = (label: string): string => label.toLowerCase().replace(/^["{ ]+/, '');
  return proposals
    .filter(({ label }) => of(label).includes(word))
    .toSorted((a, b) => Number(of(b.label).startsWith(word)) - Number(of(a.label).startsWith(word)));
}
