/** Rehearsals of the playbook in the editor: written here, kept in this browser, run without any tool. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type RehearsedDraft } from '../compiling/protocol';
import { type Compiler } from '../compiling/use';
import { Sign } from '../parts/status';

const START = `playbook: ./playbook.yaml
rehearsals:
- name: it completes
  expect:
    status: completed
`;

export function Rehearsals({
  path,
  text,
  compiler,
}: {
  path: string;
  text: string;
  compiler: Compiler;
}): JSX.Element {
  const key = `noetl.rehearsals.${path}`;
  const [rehearsals, setRehearsals] = useState(() => localStorage.getItem(key) ?? START);
  const [outcome, setOutcome] = useState<RehearsedDraft>();
  const [problem, setProblem] = useState<string>();
  const run = async (): Promise<void> => {
    setProblem(undefined);
    try {
      setOutcome(await compiler.rehearse(text, rehearsals));
    } catch (error) {
      setOutcome(undefined);
      setProblem((error as Error).message);
    }
  };
  return (
    <div class="rehearsals">
      <label>
        Rehearsals
        <textarea
          rows={12}
          spellcheck={false}
          value={rehearsals}
          onInput={(event) => {
            setRehearsals(event.currentTarget.value);
            localStorage.setItem(key, event.currentTarget.value);
          }}
        />
      </label>
      <button type="button" class="primary" onClick={() => void run()}>
        Run them
      </button>
      <div role="status" class="rehearsed">
        {problem && <p class="failure">{problem}</p>}
        {outcome?.diagnostics.map((one, index) => (
          <p key={index} class="failure">
            line {one.line}: {one.message}
            {one.hint && ` ${one.hint}`}
          </p>
        ))}
        {outcome?.results.map((one) => (
          <div key={one.name} data-rehearsal={one.name} data-ok={one.ok}>
            <p>
              <Sign look={one.ok ? 'done' : 'failed'} /> {one.name}
            </p>
            {!one.ok && <pre class="diff">{one.difference}</pre>}
          </div>
        ))}
      </div>
    </div>
  );
}
