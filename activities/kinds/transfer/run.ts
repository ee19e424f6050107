/**
 * Tool kind `transfer`: rows from one store to another, chunk by chunk, in bounded memory. Append and replace are one
 * transaction of the target: all rows or none, and an execution whose worker was lost begins again. An upsert commits
 * each chunk, and goes on where the last heartbeat says that chunks were committed.
 */
import {
  compact,
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type TaskCall,
} from '../../../src/language/plan';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, mappingField, numberField, textField } from '../../framework/tool/fields';
import { invalidInput, succeeded, ToolError } from '../../framework/tool/outcome';
import { type OpenTable } from '../../framework/sql/table/writer';
import { type Tool, type ToolContext } from '../../framework/tool/tool';
import { type Side, sideOf } from './side';
import { type SourceRows, withSource } from './source';
import { withTarget } from './target';

const DEFAULT_CHUNK_ROWS = 1000;
/** Approximate characters of JSON: a chunk of large rows is cut before it has its number of rows. */
const MAX_CHUNK_SIZE = 8 * 1024 * 1024;

export const transfer: Tool = {
  kind: 'transfer',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, context, deadline)),
};

interface Progress {
  /** Rows of the source that are committed in the target. */
  committed: number;
  rows: number;
  chunks: number;
}

async function execute(
  call: TaskCall,
  // An end waits for its connection when the other one has begun: such a wait is not free.
  { waitFor: _waitFor, ...around }: ToolContext,
  deadline: Deadline,
): Promise<Outcome> {
  // An end that is a tool of its own (http) has a time limit of its own, and stops at the transfer's all the same.
  const context: ToolContext = { ...around, signal: deadline.signal };
  const source = sideOf(call, 'source');
  const target = targetOf(call);
  const chunk = Math.floor(numberField(call, ['chunk_size'], DEFAULT_CHUNK_ROWS));
  if (chunk < 1) throw invalidInput('transfer: chunk_size must be 1 or more', 'INVALID_CHUNK_SIZE');
  const mapping = columnMapping(call);
  const isUpsert = target.call.config['mode'] === 'upsert';
  const skip = isUpsert ? committedBefore(context) : 0;
  const progress: Progress = { committed: skip, rows: 0, chunks: 0 };
  try {
    const table = await withSource(source, chunk, context, deadline, (rows) =>
      withTarget(target, context, deadline, async (open) => {
        const mappedRows = mapped(skipped(rows, skip), mapping);
        await pump(mappedRows, open, { chunk, commitsEach: isUpsert }, progress, context);
        return open;
      }),
    );
    return succeeded(resultOf(table, source, target, progress, skip));
  } catch (error) {
    throw withProgress(deadline.reason() ?? error, progress);
  }
}

/** `mode`, `key` and `mapping` stand at the target, or beside it. */
function targetOf(call: TaskCall): Side {
  const side = sideOf(call, 'target');
  const mode = (textField(side.call, 'mode') ?? textField(call, 'mode') ?? 'append').trim().toLowerCase();
  const key = field(side.call.config, 'key') ?? field(call.config, 'key');
  const { mapping: _mapping, ...config } = side.call.config;
  return { ...side, call: { ...side.call, config: { ...config, mode, ...compact({ key }) } } };
}

/** `{column: field}`; a field may be a path with dots. */
function columnMapping(call: TaskCall): readonly (readonly [string, readonly string[]])[] | undefined {
  const target = mappingField(call, 'target');
  const mapping = field(target ?? {}, 'mapping') ?? field(call.config, 'mapping');
  if (mapping === undefined) return undefined;
  const entries = isMapping(mapping) ? Object.entries(mapping) : [];
  if (entries.length === 0 || entries.some(([, path]) => typeof path !== 'string' || path === '')) {
    throw invalidInput(
      'transfer: mapping must be a mapping of column to field, `{id: user.id}`',
      'INVALID_MAPPING',
    );
  }
  return entries.map(([column, path]) => [column, (path as string).split('.')]);
}

function committedBefore({ lastHeartbeat }: ToolContext): number {
  const committed = isMapping(lastHeartbeat) ? lastHeartbeat['committed'] : undefined;
  return typeof committed === 'number' ? committed : 0;
}

async function* skipped(rows: SourceRows, count: number): AsyncGenerator<JsonObject> {
  let at = 0;
  for await (const row of rows) if (++at > count) yield row;
}

async function* mapped(
  rows: SourceRows,
  mapping: ReturnType<typeof columnMapping>,
): AsyncGenerator<JsonObject> {
  if (!mapping) yield* rows;
  else
    for await (const row of rows)
      yield Object.fromEntries(mapping.map(([column, path]) => [column, at(row, path)]));
}

function at(row: Json, path: readonly string[]): Json {
  let value: Json | undefined = row;
  for (const name of path) {
    value = isMapping(value) && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
  }
  return value ?? null;
}

async function pump(
  rows: SourceRows,
  table: OpenTable,
  { chunk, commitsEach }: { readonly chunk: number; readonly commitsEach: boolean },
  progress: Progress,
  { heartbeat }: ToolContext,
): Promise<void> {
  let waiting: JsonObject[] = [];
  let size = 0;
  const write = async (): Promise<void> => {
    await table.write(waiting);
    if (commitsEach) {
      await table.commit();
      progress.committed += waiting.length;
    }
    progress.rows += waiting.length;
    progress.chunks += 1;
    heartbeat({ rows: progress.rows, chunks: progress.chunks, committed: progress.committed });
    waiting = [];
    size = 0;
  };
  for await (const row of rows) {
    waiting.push(row);
    size += JSON.stringify(row).length;
    if (waiting.length >= chunk || size >= MAX_CHUNK_SIZE) await write();
  }
  if (waiting.length > 0) await write();
  await table.commit();
  if (!commitsEach) progress.committed = progress.rows;
}

function resultOf(
  table: OpenTable,
  source: Side,
  target: Side,
  { rows, chunks }: Progress,
  resumed: number,
): JsonObject {
  return {
    rows_transferred: rows,
    chunks_processed: chunks,
    source: source.end,
    target: target.end,
    target_table: table.name,
    mode: target.call.config['mode'] ?? null,
    ...compact({ deleted: table.deleted }),
    ...(resumed > 0 && { resumed_after: resumed }),
  };
}

/** How far it came: `rows_committed` are in the target, whatever happened after. */
function withProgress(error: unknown, { committed, rows }: Progress): unknown {
  if (!(error instanceof ToolError)) return error;
  const { error: failure, result: _result, ...parts } = error.outcome;
  return new ToolError({ ...failure!, rows_read: rows, rows_committed: committed }, parts);
}
