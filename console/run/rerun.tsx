/** A new run: of what ran, of the registered version, or of a revised text, which is checked before it starts. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Moment } from '../../src/history/moment';
import { type Diagnostic } from '../../src/language/dsl';
import { type ExecutionDocument, type WhatIfDocument } from '../../src/server/facade/documents';
import { useCompiler } from '../compiling/use';
import { CheckBox } from '../parts/check-box';
import { Code } from '../parts/code';
import { JsonField, jsonOf, jsonProblem } from '../parts/json-field';
import { Diagnostics } from '../playbooks/diagnostics';
import { EditorHost } from '../playbooks/editor-host';
import { useMirror } from '../playbooks/mirror';
import { Differences } from '../playbooks/versions';
import { askApi } from '../server/api';
import { useDocument, useLoaded } from '../server/use';
import { runAddress } from '../shell/address';
import { Dialog } from '../shell/dialog';
import { say } from '../shell/toast';

interface RerunProps {
  readonly id: string;
  /** The step to start at; undefined: from the beginning. */
  readonly step?: string;
  /** How the run stood there. */
  readonly moment: Moment;
  /** The playbook's text, for a revision; empty if unknown. */
  readonly source: string;
  readonly onClose: () => void;
}

type Which = 'recorded' | 'registered' | 'revised';

interface Revision {
  /** The choice among them. */
  readonly part: JSX.Element;
  /** As the API takes it. */
  readonly body: object;
  readonly hasErrors: boolean;
  /** The run that is repeated has failed. */
  readonly hasFailed: boolean;
}

/** What the catalog has of the playbook now; undefined until it is known, and if it has nothing. */
function useRegistered(path: string | undefined): { version: number; content: string } | undefined {
  const { value } = useLoaded(
    async (signal) =>
      path === undefined || path === ''
        ? undefined
        : await askApi<{ version: number; content: string }>('/api/catalog/resource', {
            body: { path, version: 'latest' },
            signal,
          }),
    [path],
  );
  return value;
}

function useRevision(id: string, source: string): Revision {
  const { value: run } = useDocument<ExecutionDocument>(`/api/executions/${id}/summary`);
  const registered = useRegistered(run?.path);
  const [which, setWhich] = useState<Which>('recorded');
  const [revised, setRevised] = useState(source);
  const [errors, setErrors] = useState(0);
  const ran = run && run.version !== null ? `: version ${run.version}` : '';
  const bodies = {
    recorded: {},
    registered: { version: registered?.version },
    revised: { playbook: revised },
  };
  const other = { recorded: undefined, registered: registered?.content, revised }[which];
  const part = (
    <>
      <label>
        Playbook
        <select
          name="playbook"
          value={which}
          onChange={(event) => setWhich(event.currentTarget.value as Which)}
        >
          <option value="recorded">as it ran{ran}</option>
          {registered && <option value="registered">registered now: version {registered.version}</option>}
          {source !== '' && <option value="revised">a revised text</option>}
        </select>
      </label>
      {which === 'revised' && <RevisedText text={source} onText={setRevised} onErrors={setErrors} />}
      {other !== undefined && source !== '' && <Differences before={source} after={other} />}
    </>
  );
  const hasErrors = which === 'revised' && errors > 0;
  return { part, body: bodies[which], hasErrors, hasFailed: run?.status === 'FAILED' };
}

const ABOUT = {
  start: 'A new run from the start, with the inputs that were recorded. Change what is to be different.',
  step: 'A new run that begins at this step, with the state that this run had there: what ran before is not done again.',
};

export function Rerun({ id, step, moment, source, onClose }: RerunProps): JSX.Element {
  const isWhole = step === undefined;
  const before = isWhole ? moment.workload : moment.variables;
  const [text, setText] = useState(() => JSON.stringify(before, null, 2));
  const revision = useRevision(id, source);
  const [fromFailure, setFromFailure] = useState(false);
  const changes = (): object => changed(before, jsonOf(text));
  const rerun = async (): Promise<void> => {
    const given = isWhole
      ? { workload: changes(), from_failure: fromFailure }
      : { from_step: step, variables: changes() };
    const { execution_id: newId } = await askApi<{ execution_id: string }>(`/api/executions/${id}/rerun`, {
      body: { ...given, ...revision.body },
    });
    say('A new run began.', runAddress(newId));
  };
  const isWrong = jsonProblem(text, true) !== undefined || revision.hasErrors;
  return (
    <Dialog
      title={isWhole ? 'Run again' : `Run again from ${step}`}
      verb="Run"
      wide
      disabled={isWrong}
      onDo={rerun}
      onClose={onClose}
    >
      <p>{ABOUT[isWhole && !fromFailure ? 'start' : 'step']}</p>
      {isWhole && revision.hasFailed && (
        <CheckBox label="Begin at the step that failed" checked={fromFailure} onCheck={setFromFailure} />
      )}
      {revision.part}
      <JsonField label={isWhole ? 'Workload' : 'Variables'} value={text} onInput={setText} mapping />
      <WhatIf
        id={id}
        disabled={isWrong}
        body={() => ({ ...revision.body, ...(isWhole && { workload: changes() }) })}
      />
    </Dialog>
  );
}

interface RevisedProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onErrors: (count: number) => void;
}

const TYPING_MS = 250;

function RevisedText({ text: first, onText, onErrors }: RevisedProps): JSX.Element {
  const compiler = useCompiler();
  const [text, setText] = useState(first);
  const [diagnostics, setDiagnostics] = useState<readonly Diagnostic[]>();
  const { mirror, ...host } = useMirror({
    ...{ of: 'playbook', text: first, label: 'The revised playbook', compiler },
    onChange: (written) => (setText(written), onText(written)),
  });
  useEffect(() => {
    const timer = setTimeout(() => {
      void compiler.compile(text).then(({ diagnostics: problems }) => {
        setDiagnostics(problems);
        onErrors(problems.filter(({ severity }) => severity === 'error').length);
        mirror.current?.mark(problems, text);
      });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, host.shown]);
  return (
    <div class="revised">
      <EditorHost {...host} />
      <Diagnostics
        of={diagnostics}
        onGo={(line, column) => mirror.current?.goTo(line, column)}
        onFix={(fix) => mirror.current?.fix(fix)}
      />
    </div>
  );
}

interface WhatIfProps {
  readonly id: string;
  readonly disabled: boolean;
  readonly body: () => object;
}

/** Decides the recorded run anew, before anything starts. */
function WhatIf({ id, disabled, body }: WhatIfProps): JSX.Element {
  const [request, setRequest] = useState<object>();
  const { value, error } = useLoaded(
    async (signal) =>
      request && (await askApi<WhatIfDocument>(`/api/executions/${id}/what-if`, { body: request, signal })),
    [request],
  );
  const [first] = value?.differences ?? [];
  return (
    <div class="what-if">
      <button type="button" disabled={disabled} onClick={() => setRequest(body())}>
        What would have happened?
      </button>
      <div role="status">
        {error && <p class="failure">{error.message}</p>}
        {value && (
          <p data-verdict={value.verdict}>
            {first
              ? `First different: ${first.cause}: ${first.what}. `
              : value.unanswered.length === 0
                ? 'It would have decided the same. '
                : ''}
            {value.unanswered.length > 0 &&
              `The recording cannot answer ${value.unanswered[0]!.call}${value.unanswered.length > 1 ? ` and ${String(value.unanswered.length - 1)} more` : ''}, new or changed. `}
            {value.status === 'waiting' ? 'How it ends cannot be known.' : `It ends: ${value.status}.`}
            {value.error && (
              <>
                {' '}
                <Code of={value.error.code} />: {value.error.message}
              </>
            )}
          </p>
        )}
      </div>
    </div>
  );
}

/** Fields that differ from the recorded ones. */
function changed(
  before: Readonly<Record<string, unknown>>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
}
