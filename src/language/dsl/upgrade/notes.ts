import { compact } from '../../plan';
import { type Compiled } from '../compile';
import { type Diagnostic } from '../diagnostics/diagnostic';

/** A construct that no fix rewrites, and how to change it by hand. */
export interface UpgradeNote {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
  /** Why no fix rewrites it. */
  readonly why?: string;
}

/** Spellings of earlier generations, and why the remaining ones are ambiguous. */
const REASONS: Readonly<Record<string, string>> = {
  NT2006: 'it is not specified which of the two counts',
  NT2010: 'no version of the language has this name',
  NT2012:
    'a variable that steps write as well, or a value that is computed: the playbook does not define its first value',
  NT2013:
    'the condition reads what only an earlier step or no step has, or the step has an admission policy already',
  NT2014: 'it holds more than rules with a condition and actions, or the tool has rules or `retry` already',
  NT2015: 'no condition is evaluated here',
  NT2016: 'a `tool` stands beside it, or it is no list',
  NT2017: 'a kind stands at the tool already, or no kind of this name takes the fields of the step',
  NT2018:
    'several targets of one condition that is not plainly true or false, targets behind an `else`, a `case` beside it, or a condition that reads what arcs do not have',
  NT2024: 'it is not specified which event of the step each rule handles',
  NT2031: 'the action controls a pipeline, and there is none here',
  NT2032: 'a task ends its pipeline before an arc is followed: with `break`, or with `fail`',
  NT5013: 'a module of this name may be installed, which is sufficient',
  NT3009: 'a template reads the name where it can mean the reserved one as well, or it is compared as a text',
};

/** The older spellings remaining in a playbook, in text order. */
export function notesOf({ diagnostics, older = [] }: Compiled): UpgradeNote[] {
  const left = older.flatMap(({ line, column, written, hint }): UpgradeNote[] => {
    const message = `\`${written}\` is not rewritten mechanically`;
    return hint === undefined ? [] : [{ line, column, message, hint }];
  });
  const places = new Set(left.map(({ line, column }) => `${line}:${column}`));
  const others = diagnostics.filter((each) => isLeft(each) && !places.has(`${each.line}:${each.column}`));
  return [...left, ...others.map(noteOf)].sort((a, b) => a.line - b.line || a.column - b.column);
}

function isLeft({ code }: Diagnostic): boolean {
  return code.startsWith('NT5') || Object.hasOwn(REASONS, code);
}

function noteOf({ code, line, column, message, hint }: Diagnostic): UpgradeNote {
  const why = REASONS[code];
  return {
    line,
    column,
    message,
    ...compact({ hint, why }),
  };
}
