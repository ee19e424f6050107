/** Starts a playbook: by a form of its inputs, or with JSON. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type ShownInput } from '../parts/inputs';
import { LabelsField, labelsOf } from '../parts/labels-field';
import { useWorkload } from '../parts/workload';
import { askApi } from '../server/api';
import { type InputForm } from '../../src/server/facade/documents';
import { type RunLabels } from '../../src/language/plan/labels';
import { type Compiler } from '../compiling/use';
import { useDocument } from '../server/use';
import { go, runAddress } from '../shell/address';
import { Dialog } from '../shell/dialog';

interface Props {
  readonly path: string;
  readonly version: number;
  readonly onClose: () => void;
}

export function StartDialog({ path, version, onClose }: Props): JSX.Element {
  const { value: schema, error } = useDocument<InputForm>(
    `/api/catalog/${path}/ui_schema?version=${String(version)}`,
  );
  const start: InputsProps['onStart'] = async (workload, labels) => {
    const { execution_id: id } = await askApi<{ execution_id: string }>('/api/execute', {
      body: { path, version, workload, labels },
      headers: { 'idempotency-key': crypto.randomUUID() },
    });
    go(runAddress(id));
  };
  const fields = error ? [] : schema?.fields;
  return <InputsDialog title={`Start ${path}`} fields={fields} onStart={start} onClose={onClose} />;
}

/** Starts the text as it is, registered or not. */
export function RunText({
  text,
  compiler,
  disabled,
}: {
  readonly text: string;
  readonly compiler: Compiler;
  readonly disabled: boolean;
}): JSX.Element {
  const [fields, setFields] = useState<readonly ShownInput[]>();
  const start: InputsProps['onStart'] = async (workload, labels) => {
    const body = { content: text, workload, labels };
    const { execution_id: id } = await askApi<{ execution_id: string }>('/api/execute/draft', { body });
    go(runAddress(id));
  };
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => void compiler.inputs(text).then(setFields)}>
        Run this text
      </button>
      {fields && (
        <InputsDialog
          title="Run this text"
          fields={fields}
          onStart={start}
          onClose={() => setFields(undefined)}
        />
      )}
    </>
  );
}

interface InputsProps {
  readonly title: string;
  /** Undefined while they are loaded; without any, JSON is asked for. */
  readonly fields: readonly ShownInput[] | undefined;
  readonly onStart: (workload: object, labels: RunLabels) => Promise<void>;
  readonly onClose: () => void;
}

function InputsDialog({ title, fields, onStart, onClose }: InputsProps): JSX.Element {
  const inputs = useWorkload(fields);
  const [labels, setLabels] = useState('');
  return (
    <Dialog
      title={title}
      verb="Start"
      wide={inputs.isJson}
      disabled={inputs.isWrong}
      onDo={() => onStart(inputs.value(), labelsOf(labels))}
      onClose={onClose}
    >
      {inputs.part}
      <LabelsField value={labels} onInput={setLabels} />
    </Dialog>
  );
}
