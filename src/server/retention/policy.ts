/** How long executions are kept: a number of days, and others for playbooks by path. */
import { EnvironmentError } from '../../language/errors';

/** The rules in order; the first whose pattern matches a path applies. */
export interface RetentionPolicy {
  readonly rules: readonly RetentionRule[];
}

export interface RetentionRule {
  /** A path; `*` stands for any characters. */
  readonly pattern: string;
  /** Since the end of an execution; undefined: for ever. */
  readonly days?: number;
}

/**
 * Parses `NOETL_RETENTION`: `90d`, or with exceptions by path `etl/hourly/*=7d, audits/*=keep, 90d`. Without a time for
 * the rest, the rest is kept.
 *
 * @throws EnvironmentError `RETENTION_INVALID`
 */
export function parseRetention(text: string): RetentionPolicy {
  const written = text.split(',').map((one) => one.trim());
  const rules = written.filter((one) => one !== '').map(rule);
  // The time without a path is for the rest, wherever it stands.
  const last = ({ pattern }: RetentionRule): number => (pattern === '*' ? 1 : 0);
  const sorted = rules.sort((a, b) => last(a) - last(b));
  if (sorted.filter((one) => one.pattern === '*').length > 1) throw invalid(text, 'two times without a path');
  if (rules.length === 0) throw invalid(text, 'nothing');
  return { rules: sorted };
}

function rule(text: string): RetentionRule {
  const match = /^(?:([^=]+)=)?(?:(\d{1,5})d|keep)$/.exec(text);
  const [, path, days] = match ?? [];
  if (!match || Number(days ?? 1) < 1) throw invalid(text, `'${text}'`);
  return { pattern: path?.trim() ?? '*', ...(days !== undefined && { days: Number(days) }) };
}

function invalid(text: string, problem: string): EnvironmentError {
  return new EnvironmentError('RETENTION_INVALID', `the retention '${text}' cannot be read: ${problem}`, [
    'Write days, and exceptions by path of the playbook: NOETL_RETENTION="90d, etl/hourly/*=7d, audits/*=keep".',
  ]);
}

/** The shortest time of all rules, in days; undefined if everything is kept. */
export function shortestDays({ rules }: RetentionPolicy): number | undefined {
  const days = rules.flatMap((one) => one.days ?? []);
  return days.length > 0 ? Math.min(...days) : undefined;
}
