/** FormInputs of a form, by their kinds: of a playbook, and of what an execution asks. */
import { type JSX, type TargetedEvent } from 'preact';
import { parseJson } from '../../src/language/plan/json-text';
import { JsonField, jsonProblem } from './json-field';

export interface ShownInput {
  readonly name: string;
  /** Default: its name. */
  readonly label?: string;
  readonly kind: string;
  readonly default?: unknown;
  readonly description: string | null;
  readonly options: readonly unknown[] | null;
  readonly secret?: boolean;
}

/** As typed; undefined leaves the default. */
export type GivenInputs = Readonly<Record<string, string | boolean | undefined>>;

interface Props {
  readonly fields: readonly ShownInput[];
  readonly given: GivenInputs;
  readonly onGive: (given: GivenInputs) => void;
}

export function FormInputs({ fields, given, onGive }: Props): JSX.Element {
  return (
    <>
      {fields.map((field) => (
        <Input
          key={field.name}
          field={field}
          given={given[field.name]}
          onGive={(value) => onGive({ ...given, [field.name]: value })}
        />
      ))}
    </>
  );
}

/** As they would have been typed. */
export function givenInputs(values: Readonly<Record<string, unknown>>): GivenInputs {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'boolean' ? value : textOf(value)]),
  );
}

export function haveProblems(fields: readonly ShownInput[], given: GivenInputs): boolean {
  return fields.some((field) => problemOf(field, given[field.name]) !== undefined);
}

function Input({
  field,
  given,
  onGive,
}: {
  field: ShownInput;
  given: string | boolean | undefined;
  onGive: (value: string | boolean) => void;
}): JSX.Element {
  const { name, label = name, kind, description, options, secret } = field;
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
          {label}
        </label>
        {help}
      </div>
    );
  if (options)
    return (
      <label>
        {label}
        <select name={name} value={String(shown)} onChange={(event) => onGive(event.currentTarget.value)}>
          {field.default === null && <option value="" />}
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
        <JsonField label={`${label} (JSON)`} value={String(shown)} onInput={onGive} rows={4} />
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
      {label}
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

function problemOf({ kind }: ShownInput, given: string | boolean | undefined): string | undefined {
  if (typeof given !== 'string' || given === '') return undefined;
  if (kind === 'integer' && !/^-?\d+$/.test(given.trim())) return 'A whole number';
  if (kind === 'number' && Number.isNaN(Number(given))) return 'A number';
  return kind === 'object' || kind === 'array' ? jsonProblem(given) : undefined;
}

/** What differs from the defaults, in their types. */
export function differentInputs(fields: readonly ShownInput[], given: GivenInputs): Record<string, unknown> {
  const different: Record<string, unknown> = {};
  for (const field of fields) {
    const value = given[field.name];
    if (value !== undefined && value !== textOf(field.default)) different[field.name] = typed(field, value);
  }
  return different;
}

export function allInputs(fields: readonly ShownInput[], given: GivenInputs): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      const value = given[field.name];
      return [field.name, value === undefined ? field.default : typed(field, value)];
    }),
  );
}

function typed({ kind, options }: ShownInput, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value;
  if (options) return options.find((option) => textOf(option) === value) ?? value;
  if (kind === 'string' || kind === 'null' || value === '') return value;
  return parseJson(value);
}
