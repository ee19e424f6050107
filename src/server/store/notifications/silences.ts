/** Paths of playbooks about which nobody is notified until a time. */
import { type NotificationCause } from '../../../language/plan';
import { fitsAny } from '../patterns';

export interface Silence {
  /** A path; `*` stands for any characters. */
  readonly path: string;
  readonly until: Date;
  /** Null: all. */
  readonly causes: readonly NotificationCause[] | null;
  readonly reason: string | null;
  /** Name of the token. */
  readonly created_by: string;
}

/** Of the tables; with parameters `$1`, `$2`, … */
type Rows = <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;

const SHOWN = 'path, until, causes, reason, created_by';

/** The longest first. */
export async function silencesInForce(rows: Rows): Promise<Silence[]> {
  return await rows<Silence>(
    `SELECT ${SHOWN} FROM noetl.silence WHERE until > now() ORDER BY until DESC`,
    [],
  );
}

/** In place of another of the same path; forgets those that are over. */
export async function putSilence(
  rows: Rows,
  { path, until, causes, reason, created_by }: Silence,
): Promise<void> {
  await rows('DELETE FROM noetl.silence WHERE until <= now()', []);
  await rows(
    `INSERT INTO noetl.silence (${SHOWN}) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (path) DO UPDATE SET until = excluded.until, causes = excluded.causes, reason = excluded.reason,
       created_by = excluded.created_by, created_at = now()`,
    [path, until, causes, reason, created_by],
  );
}

/** @returns whether it was in force */
export async function endSilence(rows: Rows, path: string): Promise<boolean> {
  const ended = await rows('DELETE FROM noetl.silence WHERE path = $1 AND until > now() RETURNING 1', [path]);
  return ended.length > 0;
}

/** The one that holds a notification back. */
export function silenceOf(
  silences: readonly Silence[],
  { path, cause }: { readonly path: string; readonly cause: string },
): Silence | undefined {
  return silences.find(
    (one) => fitsAny([one.path], path) && (one.causes?.some((each) => each === cause) ?? true),
  );
}
