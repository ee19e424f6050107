/** The worker that compiles and rehearses what is in the editor: the compiler and the engine of every other room. */
import { compile } from '../../src/dsl/compile';
import { graphOf } from '../../src/dsl/graph/graph';
import { diffText, readRehearsals, runRehearsal } from '../../src/rehearsal';
import { type CompileAsk, type Compiled, type CompileTold, type Rehearsed } from './protocol';

addEventListener('message', ({ data }: MessageEvent<CompileAsk>) => {
  const { id } = data;
  const tell = (told: CompileTold): void => postMessage(told);
  try {
    if (data.type === 'compile') tell({ type: 'compiled', id, ...compiled(data.text) });
    else tell({ type: 'rehearsed', id, ...rehearsed(data.text, data.rehearsals) });
  } catch (error) {
    tell({ type: 'failed', id, message: (error as Error).message });
  }
});

function compiled(text: string): Compiled {
  const { plan, diagnostics } = compile(text);
  return { diagnostics, ...(plan && { graph: graphOf(plan), path: plan.metadata.path }) };
}

/** Whatever playbook the rehearsals name is the one in the editor. */
function rehearsed(text: string, rehearsals: string): Rehearsed {
  const { plan } = compile(text);
  const { diagnostics, rehearsed: file } = readRehearsals(rehearsals, {
    file: 'rehearsals',
    load: (path) =>
      plan
        ? { file: path, plan }
        : { file: path, problem: 'has errors', hint: 'Mend what the editor marks.' },
  });
  const results = (file?.rehearsals ?? []).map((rehearsal) => {
    const result = runRehearsal(rehearsal, file!);
    const difference = diffText(result, { rehearsal: 'rehearsals', playbook: 'playbook' } as never);
    return { name: rehearsal.name, ok: result.problems.length === 0, difference };
  });
  return { diagnostics, results };
}
