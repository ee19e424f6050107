/** Rehearsals of the playbook in the editor: written here, kept in this browser, run without any tool. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type RehearsedDraft } from '../compiling/protocol';
import { type Compiler } from '../compiling/use';
import { Sign } from '../parts/status';
import { Diagnostics } from './diagnostics';
import { EditorHost } from './editor-host';
import { useMirror } from './mirror';

const TYPING_MS = 250;

interface Props {
  /** Of the playbook. */
  readonly text: string;
  readonly rehearsals: string;
  readonly onWrite: (rehearsals: string) => void;
  readonly compiler: Compiler;
  /** Shows the run of a rehearsal. */
  readonly onShow?: (name: string) => void;
}

export function Rehearsals({ text, rehearsals, onWrite, compiler, onShow }: Props): JSX.Element {
  const [diagnostics, setDiagnostics] = useState<RehearsedDraft['diagnostics']>([]);
  const [outcome, setOutcome] = useState<RehearsedDraft>();
  const [problem, setProblem] = useState<string>();
  const { mirror, ...shown } = useMirror({
    ...{ of: 'rehearsals', compiler, text: rehearsals, label: 'Rehearsals' },
    onChange: onWrite,
  });
  useEffect(() => {
    const check = async (): Promise<void> => {
      const checked = await compiler.check(text, rehearsals);
      setDiagnostics(checked);
      mirror.current?.mark(checked, rehearsals);
    };
    const timer = setTimeout(() => void check().catch(() => undefined), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, rehearsals, shown.shown]);
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
      <div class="editor-main">
        <EditorHost {...shown} />
      </div>
      {diagnostics.length > 0 && (
        <Diagnostics
          of={diagnostics}
          onGo={(line, column) => mirror.current?.goTo(line, column)}
          onFix={(fix) => mirror.current?.fix(fix)}
        />
      )}
      <button type="button" class="primary" onClick={() => void run()}>
        Run them
      </button>
      <div role="status" class="rehearsed">
        {problem && <p class="failure">{problem}</p>}
        {outcome?.results.map((one) => (
          <div key={one.name} data-rehearsal={one.name} data-ok={one.ok}>
            <p>
              <Sign look={one.ok ? 'done' : 'failed'} /> {one.name}{' '}
              {onShow && (
                <button type="button" class="link" onClick={() => onShow(one.name)}>
                  See the run
                </button>
              )}
            </p>
            {!one.ok && <pre class="diff">{one.difference}</pre>}
          </div>
        ))}
      </div>
    </div>
  );
}
