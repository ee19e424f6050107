/** Starts a playbook: by a form of its inputs, or with JSON. */
import { type JSX, type TargetedEvent } from 'preact';
import { useState } from 'preact/hooks';
import { parseJson } from '../../src/language/plan/json-text';
import { JsonField, jsonOf, jsonProblem } from '../parts/json-field';
import { Loading } from '../parts/empty';
import { askApi } from '../server/api';
import { type InputForm } from '../../src/server/facade/documents';
import { useDocument } from '../server/use';
import { go, runAddress } from '../shell/address';
import { Dialog } from '../shell/dialog';

type Field = InputForm['fields'][number];

interface Props {
  readonly path: string;
  readonly version: number;
  readonly onClose: () => void;
}

/** As typed; undefined leaves the playbook's own value. */
type Given = Readonly<Record<string, string | boolean | undefined>>;

export function StartDialog({ path, version, onClose }: Props): JSX.Element {
  const { value: schema, error } = useDocument<InputForm>(
    `/api/catalog/${path}/ui_schema?version=${String(version)}`,
  );
  const [given, setGiven] = useState<Given>({});
  const [json, setJson] = useState<string>();
  const fields = schema?.fields ?? [];
  const asJson = json !== undefined || error !== undefined || (schema !== undefined && fields.length === 0);
  const text = json ?? '{}';
  const wrong = asJson
    ? jsonProblem(text, true) !== undefined
    : fields.some((field) => problemOf(field, given[field.name]) !== undefined);
  const start = async (): Promise<void> => {
    const workload = asJson ? jsonOf(text) : workloadOf(fields, given);
    const { execution_id: id } = await askApi<{ execution_id: string }>('/api/execute', {
      body: { path, version, workload },
      headers: { 'idempotency-key': crypto.randomUUID() },
    });
    go(runAddress(id));
  };
  return (
    <Dialog
      title={`Start ${path}`}
      verb="Start"
      wide={asJson}
      disabled={wrong}
      onDo={start}
      onClose={onClose}
    >
      {!schema && !error && <Loading />}
      {!asJson &&
        fields.map((field) => (
          <Input
            key={field.name}
            field={field}
            given={given[field.name]}
            onGive={(value) => setGiven({ ...given, [field.name]: value })}
          />
        ))}
      {asJson && (
        <JsonField
          label="Workload: what is laid over the playbook's own"
          value={text}
          onInput={setJson}
          rows={12}
          mapping
        />
      )}
      {fields.length > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() => setJson(asJson ? undefined : JSON.stringify(exampleOf(fields, given), null, 2))}
        >
          {asJson ? 'As a form' : 'As JSON'}
        </button>
      )}
    </Dialog>
  );
}

function Input({
  field,
  given,
  onGive,
}: {
  field: Field;
  given: string | boolean | undefined;
  onGive: (value: string | boolean) => void;
}): JSX.Element {
  const { name, kind, description, options, secret } = field;
  const shown = given ?? textOf(field.default);
  const problem = problemOf(field, given);
  const help = description && <small>{description}</small>;
  if (kind === 'boolean')
    return (
      <div>
        <label class="check">
          <input
            type="checkbox"
            name={name}
            checked={given === undefined ? field.default === true : given === true}
            onChange={(event) => onGive(event.currentTarget.checked)}
          />
          {name}
        </label>
        {help}
      </div>
    );
  if (options)
    return (
      <label>
        {name}
        <select name={name} value={String(shown)} onChange={(event) => onGive(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={textOf(option)} value={textOf(option)}>
              {textOf(option)}
            </option>
          ))}
        </select>
        {help}
      </label>
    );
  if (kind === 'object' || kind === 'array')
    return (
      <div>
        <JsonField label={`${name} (JSON)`} value={String(shown)} onInput={onGive} rows={4} />
        {help}
      </div>
    );
  const common = {
    name,
    value: String(shown),
    'aria-invalid': problem !== undefined,
    onInput: (event: TargetedEvent<HTMLInputElement>) => onGive(event.currentTarget.value),
  };
  return (
    <label>
      {name}
      {secret ? <input {...common} type="password" autocomplete="off" /> : <input {...common} type="text" />}
      {help}
      {problem && <small class="field-problem">{problem}</small>}
    </label>
  );
}

function textOf(value: unknown): string {
  return value === null || value === undefined
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
}

function problemOf({ kind }: Field, given: string | boolean | undefined): string | undefined {
  if (typeof given !== 'string' || given === '') return undefined;
  if (kind === 'integer' && !/^-?\d+$/.test(given.trim())) return 'A whole number';
  if (kind === 'number' && Number.isNaN(Number(given))) return 'A number';
  return kind === 'object' || kind === 'array' ? jsonProblem(given) : undefined;
}

/** What differs from the playbook's own values, in their types. */
function workloadOf(fields: InputForm['fields'], given: Given): Record<string, unknown> {
  const workload: Record<string, unknown> = {};
  for (const field of fields) {
    const value = given[field.name];
    if (value !== undefined && value !== textOf(field.default)) workload[field.name] = typed(field, value);
  }
  return workload;
}

function exampleOf(fields: InputForm['fields'], given: Given): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const value = given[field.name];
      return [field.name, value === undefined ? field.default : typed(field, value)];
    }),
  );
}

function typed({ kind, options }: Field, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value;
  if (options) return options.find((option) => textOf(option) === value) ?? value;
  if (kind === 'string' || kind === 'null' || value === '') return value;
  return parseJson(value);
}
