/** CodeMirror, in a chunk of its own: YAML with the compiler's problems as one types, and the language service's help. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type Diagnostic, type Fix } from '../../src/language/dsl';
import { type TextChange } from '../../src/service';
import { fixTitle } from '../../src/service/actions/title';
import { type EditorHelp, helpFrom } from './help';

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--done)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--running)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--soft)' },
]);

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--card)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--soft)', border: '0' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '7px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-text)',
  },
  '.cm-completionInfo': { maxWidth: '360px', padding: '6px 10px' },
  '.cm-help': { padding: '2px 6px', maxWidth: '420px', maxHeight: '40vh', overflow: 'auto' },
  '.cm-help p': { margin: '5px 0', overflowWrap: 'anywhere' },
  '.cm-help code': { fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxWidth: 'min(460px, 92vw)' },
  '.deprecated .cm-completionLabel': { textDecoration: 'line-through' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-diagnostic': { padding: '6px 10px', maxWidth: '520px', whiteSpace: 'pre-wrap' },
});

export interface CodeEditor {
  readonly view: EditorView;
  /** @param text what was compiled */
  mark(diagnostics: readonly Diagnostic[], text: string): void;
  /** Makes a fix, unless something was typed since it was found: the next compilation offers it again. */
  fix(fix: Fix): void;
  goTo(line: number, column: number): void;
  /** Puts another text in; it can be undone. */
  replace(text: string): void;
  /** Makes changes of the present text. */
  change(changes: readonly TextChange[]): void;
}

export interface EditorOptions {
  readonly text: string;
  readonly label: string;
  readonly help: EditorHelp;
  readonly onChange: (text: string) => void;
  /** F2, with the offset of the cursor. */
  readonly onRename?: (offset: number) => void;
}

/**
 * In a shadow root: there its styles are sheets that scripts adopt, which the page's content security policy allows, where
 * it forbids style elements.
 */
export function createEditor(host: HTMLElement, options: EditorOptions): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        yaml(),
        syntaxHighlighting(COLOURS),
        lintGutter(),
        helpFrom(options.help),
        keymap.of([
          { key: 'F2', run: ({ state }) => renames(state, options) },
          ...defaultKeymap,
          ...historyKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        LOOK,
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  let compiled = '';
  const fix = ({ edits }: Fix): void => {
    const changes = edits.map(({ start, end, text }) => ({ from: start, to: end, insert: text }));
    if (view.state.doc.toString() === compiled.replaceAll(/\r\n?/g, '\n')) view.dispatch({ changes });
    view.focus();
  };
  return {
    view,
    fix,
    mark(diagnostics, text) {
      compiled = text;
      const marks = diagnostics.map((one) => markOf(one, view.state.doc, fix));
      view.dispatch(setDiagnostics(view.state, marks));
    },
    goTo(line, column) {
      const anchor = placeOf(view.state.doc, line, column);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    change(changes) {
      view.dispatch({
        changes: changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text })),
      });
      view.focus();
    },
  };
}

function placeOf(text: Text, line: number, column: number): number {
  const textLine = text.line(Math.max(1, Math.min(line, text.lines)));
  return Math.min(textLine.to, textLine.from + Math.max(0, column - 1));
}

function markOf(one: Diagnostic, text: Text, apply: (fix: Fix) => void): Mark {
  const from = placeOf(text, one.line, one.column);
  const to = Math.max(from, placeOf(text, one.endLine, one.endColumn));
  const { fix } = one;
  const hint = one.hint === undefined ? '' : `\n${one.hint}`;
  return {
    ...{ from, to, severity: one.severity, source: one.code, message: `${one.message}${hint}` },
    ...(fix && { actions: [{ name: fixTitle(fix), apply: () => apply(fix) }] }),
  };
}

function renames(state: EditorState, { onRename }: EditorOptions): boolean {
  onRename?.(state.selection.main.head);
  return onRename !== undefined;
}
