/** Whether the statements of a task may run in one transaction. */
import { type Statement } from '../../framework/sql/split';

/** The statement without leading comments and whitespace. */
function leading(text: string): string {
  return text.replace(/^(\s+|--[^\n]*\n?|\/\*[\s\S]*?\*\/)+/, '');
}

/** Statements by which the author manages transactions. */
function managesTransactions(statement: Statement): boolean {
  return /^(begin|start\s+transaction|commit|end|rollback(?!\s+(work\s+|transaction\s+)?to\b)|abort|prepare\s+transaction)\b/i.test(
    leading(statement.text),
  );
}

/** Statements that Postgres rejects inside a transaction (or, for call and do, that may commit themselves). */
export function forbidsTransaction(statement: Statement): boolean {
  const text = leading(statement.text);
  return (
    managesTransactions(statement) ||
    /^(vacuum|call|alter\s+system|(create|drop)\s+(database|tablespace|subscription)|alter\s+database\s+\S+\s+set\s+tablespace)\b/i.test(
      text,
    ) ||
    /^(create\s+(unique\s+)?index|drop\s+index|reindex\b[\s\S]*?|refresh\s+materialized\s+view|alter\s+table\b[\s\S]*\bdetach\s+partition\b[\s\S]*)\s+concurrently\b/i.test(
      text,
    ) ||
    /^reindex\s+(\([^)]*\)\s*)?(database|system)\b/i.test(text) ||
    /^cluster\s*$/i.test(text)
  );
}
