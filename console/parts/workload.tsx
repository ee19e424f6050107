/** The inputs of what is started: by a form of those that are declared, or with JSON. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Loading } from './empty';
import {
  allInputs,
  differentInputs,
  FormInputs,
  type GivenInputs,
  givenInputs,
  haveProblems,
  type ShownInput,
} from './inputs';
import { JsonField, jsonOf, jsonProblem } from './json-field';

export interface WorkloadInput {
  readonly part: JSX.Element;
  /** Something cannot be read. */
  readonly isWrong: boolean;
  readonly isJson: boolean;
  /** What differs from the defaults. */
  readonly value: () => Record<string, unknown>;
}

/**
 * @param loaded undefined while they are loaded; without any, JSON is asked for
 * @param before what was given before
 */
export function useWorkload(
  loaded: readonly ShownInput[] | undefined,
  before: Readonly<Record<string, unknown>> = {},
): WorkloadInput {
  const [typed, setTyped] = useState<GivenInputs>({});
  const [json, setJson] = useState<string>();
  const fields = loaded ?? [];
  const names = new Set(fields.map(({ name }) => name));
  // What the form has no field for would be lost.
  const fits = Object.keys(before).every((name) => names.has(name));
  const hasForm = fields.length > 0 && fits;
  const isJson = json !== undefined || (loaded !== undefined && !hasForm);
  const text = json ?? JSON.stringify(before, null, 2);
  const given = { ...givenInputs(before), ...typed };
  return {
    isJson,
    isWrong: !loaded || (isJson ? jsonProblem(text, true) !== undefined : haveProblems(fields, given)),
    value: () => (isJson ? jsonOf(text) : differentInputs(fields, given)),
    part: (
      <>
        {!loaded && <Loading />}
        {loaded && !isJson && <FormInputs fields={fields} given={given} onGive={setTyped} />}
        {isJson && (
          <JsonField
            label="Workload: what is laid over the playbook's own"
            value={text}
            onInput={setJson}
            rows={10}
            mapping
          />
        )}
        {hasForm && (
          <button
            type="button"
            class="quiet"
            onClick={() => setJson(isJson ? undefined : JSON.stringify(allInputs(fields, given), null, 2))}
          >
            {isJson ? 'As a form' : 'As JSON'}
          </button>
        )}
      </>
    ),
  };
}
