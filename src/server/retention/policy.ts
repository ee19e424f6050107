/** How long executions are kept: a number of days or hours, and others for playbooks by path. */
import { EnvironmentError } from '../../language/errors';

/** The rules in order; the first whose pattern matches a path applies. */
export interface RetentionPolicy {
  readonly rules: readonly RetentionRule[];
}

export interface RetentionRule {
  /** A path; `*` stands for any characters. */
  readonly pattern: string;
  /** Since the end of an execution; undefined: for ever. */
  readonly hours?: number;
}

/**
 * Parses `NOETL_RETENTION`: `90d` or `6h`, or with exceptions by path `etl/hourly/*=7d, audits/*=keep, 90d`. Without a time
 * for the rest, the rest is kept.
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
  const match = /^(?:([^=]+)=)?(?:(\d{1,5})([dh])|keep)$/.exec(text);
  const [, path, count, unit] = match ?? [];
  if (!match || Number(count ?? 1) < 1) throw invalid(text, `'${text}'`);
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  return { pattern: path?.trim() ?? '*', ...(count !== undefined && { hours }) };
}

function invalid(text: string, problem: string): EnvironmentError {
  return new EnvironmentError('RETENTION_INVALID', `the retention '${text}' cannot be read: ${problem}`, [
    'Write days or hours (6h), and exceptions by path of the playbook: NOETL_RETENTION="90d, etl/hourly/*=7d, audits/*=keep".',
  ]);
}

/** The shortest time of all rules, in hours; undefined if everything is kept. */
export function shortestHours({ rules }: RetentionPolicy): number | undefined {
  const hours = rules.flatMap((one) => one.hours ?? []);
  return hours.length > 0 ? Math.min(...hours) : undefined;
}
