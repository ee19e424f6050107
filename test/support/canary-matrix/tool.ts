/** Of tools with a secret in them, for each ending that a task may have (test/kinds, `canary`). What a tool is told it tells, in
 * its result, its error or its output: a leak if nobody minds. */

/** Stands beside secrets wherever they are used: what does not find it would not find a leak. Fit for a name of a step. */
export const PLANTED = 'planted_where_a_leak_would_be';

export const ENDINGS = ['success', 'failure', 'timeout', 'crash', 'retry'] as const;
export type Ending = (typeof ENDINGS)[number];

export type Tool = Readonly<Record<string, unknown>>;
/** Undefined where the kind cannot end so; `cannot` says why. */
type Make = (ending: Ending, at: string) => Tool | undefined;

/** How a kind carries a secret as its data, and places that only this kind has. */
export interface CanaryKind {
  /** A tool with the secret, an expression in braces, where the kind's data goes. Absent: the kind takes no data. */
  readonly carry?: (secret: string, ending: Ending, at: string) => Tool | undefined;
  /** Places of this kind alone. */
  readonly own: Readonly<Record<string, Make>>;
  /** Endings that it has not, and places: why. */
  readonly cannot?: Readonly<Partial<Record<Ending | 'data' | 'local loop' | 'sink', string>>>;
}

/** Where the secret is from, unless the place is about that. */
export const SECRET = '{{ keychain.app.secret }}';
/** For headers, which take ASCII only. */
export const HEADER = '{{ keychain.app.secret | urlencode }}';

/** Seconds: longer than any of these takes, and short for what never ends. */
export const LIMIT_S = 3;
/** Seconds after which what should end hangs, also on a machine with much else to do. */
const HUNG_S = 120;
export const limit = (ending: Ending): Tool => ({ timeout: ending === 'timeout' ? LIMIT_S : HUNG_S });

const SHELL: Readonly<Record<Ending, string>> = {
  success:
    '( set -x; : "$T" ) 2>&1; bash -c \'printf "%q" "$T"\'; printf %s "$T" | base64; printf %s "$T" | od -An -tx1',
  failure: 'echo "$T"; echo "$T" >&2; exit 3',
  timeout: 'echo "$T"; sleep 120',
  crash: 'echo "$T"; while [ ! -e "$GO" ]; do sleep 0.1; done',
  retry: 'echo "$T" >&2; exit 3',
};
export const inShell = (kind: 'shell' | 'script', ending: Ending, more: Tool, before = ''): Tool => ({
  kind,
  [kind === 'shell' ? 'cmds' : 'code']: `: ${PLANTED}; ${before}${SHELL[ending]}`,
  ...limit(ending),
  ...more,
});
export const envOf = (secret: string): Tool => ({ T: secret, GO: '{{ workload.go }}' });

/** A server behind a gate: open, shut for good, or shut until the worker was lost. */
export const gate = (name: string, ending: Ending): string =>
  `${name}_${ending === 'timeout' || ending === 'crash' ? ending : 'open'}`;
export const from = (ending: Ending, at: string): string => `{{ workload.url }}/${ending}/${at}`;
