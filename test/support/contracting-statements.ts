/** What of a migration former releases cannot live with (src/server/store/contracting.ts). */

/** What former releases may stumble over. */
const CONTRACTING: readonly RegExp[] = [
  /\bDROP\s+(TABLE|COLUMN|VIEW|MATERIALIZED\s+VIEW|TYPE|SCHEMA|FUNCTION|SEQUENCE|DEFAULT)\b/i,
  /\bRENAME\b/i,
  /\bALTER\s+(COLUMN\s+)?"?\w+"?\s+(SET\s+DATA\s+)?TYPE\b/i,
  /\bSET\s+NOT\s+NULL\b/i,
  /\bTRUNCATE\b/i,
  /\bDELETE\s+FROM\b/i,
];
/** They write rows without the new column. */
const NEW_COLUMN = /\bADD\s+COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?("?\w+"?\s[^;]*?)(?=,\s*ADD\b|;|$)/gi;

/** Why former releases could not use the schema any more after this migration: its statements, shortened. */
export function contractingStatements(sql: string): string[] {
  return withoutComments(sql)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => CONTRACTING.some((one) => one.test(statement)) || demands(statement))
    .map((statement) => statement.replace(/\s+/g, ' ').slice(0, 120));
}

/** A column that must have a value and has no default, or a rule for rows that are there and not a wider one. */
function demands(statement: string): boolean {
  const columns = [...statement.matchAll(NEW_COLUMN)].map(([, column]) => column!);
  if (columns.some((column) => /\bNOT\s+NULL\b/i.test(column) && !/\b(DEFAULT|GENERATED)\b/i.test(column)))
    return true;
  return (
    /^ALTER\s+TABLE\b.*\bADD\s+(CONSTRAINT\b.*?\b)?(UNIQUE|FOREIGN\s+KEY|PRIMARY\s+KEY)\b/is.test(
      statement,
    ) && !/\bADD\s+COLUMN\b/i.test(statement)
  );
}

function withoutComments(sql: string): string {
  return sql.replace(/--.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '');
}
