/**
 * Migrations expand first and contract later: while releases are exchanged, processes of the former one read and write
 * a schema that the next one has migrated. A migration that takes away what a former release uses says so in its first line,
 * and is part of a release only when no supported release uses it any more:
 *
 *     -- contracts: not used since 0.3.0
 */

const DECLARED = /^-- contracts: (.+)$/m;

/** Whether a former release must not use the schema any more, as the migration itself says. */
export function isContracting(sql: string): boolean {
  return DECLARED.test(sql);
}
