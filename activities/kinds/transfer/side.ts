/** The two ends of a transfer: which kind each is, its fields as a task of that kind, and whose an error is. */
import { declarationOf, isMapping, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { field, mappingField, jsonTypeName } from '../../framework/tool/fields';
import { invalidInput, ToolError } from '../../framework/tool/outcome';

export const SIDE_KINDS = ['http', 'postgres', 'duckdb', 'snowflake'] as const;
export type SideKind = (typeof SIDE_KINDS)[number];
export type SideName = 'source' | 'target';

export interface Side {
  readonly end: SideKind;
  /** The task that this side would be by itself. */
  readonly call: TaskCall;
}

/** @throws ToolError `INVALID_SOURCE`, `INVALID_TARGET` */
export function sideOf(call: TaskCall, name: SideName): Side {
  const fields = mappingField(call, name);
  if (!fields) throw wrongSide(name, `there is no \`${name}\``);
  const written = field(fields, 'kind', 'type', 'tool');
  if (written === undefined) throw wrongSide(name, `\`${name}\` has no kind (${SIDE_KINDS.join(', ')})`);
  const text = String(written).trim().toLowerCase();
  const kind = declarationOf(call.kind)?.sideKinds?.[text] ?? text;
  const end = SIDE_KINDS.find((one) => one === kind);
  if (!end) throw wrongSide(name, `the kind '${text}' of \`${name}\` is not one of ${SIDE_KINDS.join(', ')}`);
  const { kind: _kind, type: _type, tool: _tool, auth, ...config } = fields;
  return {
    end,
    call: {
      ...call,
      kind: end,
      input: {},
      config: { ...config, ...(auth !== undefined && { auth: authOf(auth as JsonObject) }) } as JsonObject,
    },
  };
}

/** `{source: credential, key: name}`, as early playbooks write it, is the name. */
function authOf(auth: JsonObject): JsonObject[string] {
  return isMapping(auth) && auth['source'] === 'credential' && typeof auth['key'] === 'string'
    ? auth['key']
    : auth;
}

export function wrongSide(name: SideName, why: string): ToolError {
  return invalidInput(`transfer: ${why}`, name === 'source' ? 'INVALID_SOURCE' : 'INVALID_TARGET');
}

/** The error with `side`, and the side in front of its message. */
export function ofSide(name: SideName, error: ToolError): ToolError {
  const { error: failure, result: _result, ...parts } = error.outcome;
  if (!failure || failure['side'] !== undefined || failure.kind === 'cancelled') return error;
  return new ToolError({ ...failure, side: name, message: `${name}: ${failure.message}` }, parts);
}

/** @throws ToolError for what is no row */
export function asRow(value: unknown, at: number): JsonObject {
  if (isMapping(value)) return value as JsonObject;
  throw invalidInput(
    `row ${at + 1} is ${jsonTypeName(value)}, not a mapping of column to value`,
    'INVALID_DATA',
  );
}
