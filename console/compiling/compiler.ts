/** The worker that compiles and rehearses the editor's text, with the compiler and engine used everywhere. */
import { compile, KINDS, playbookSchema } from '../../src/language/dsl';
import { graphOf } from '../../src/language/dsl/graph/graph';
import { diffText, readRehearsals, runRehearsal } from '../../src/offline/rehearsal';
import {
  type CompileAsk,
  type CompiledDraft,
  type CompileTold,
  type RehearsedDraft,
  type CompletionWords,
} from './protocol';

addEventListener('message', ({ data }: MessageEvent<CompileAsk>) => {
  const { id } = data;
  const tell = (message: CompileTold): void => postMessage(message);
  try {
    if (data.type === 'compile') tell({ type: 'compiled', id, ...compiled(data.text) });
    else if (data.type === 'words') tell({ type: 'words', id, ...words() });
    else tell({ type: 'rehearsed', id, ...rehearsed(data.text, data.rehearsals) });
  } catch (error) {
    tell({ type: 'failed', id, message: (error as Error).message });
  }
});

function compiled(text: string): CompiledDraft {
  // As the editor counts: it ends every line with one character.
  const { plan, diagnostics } = compile(text.replaceAll(/\r\n?/g, '\n'), { fixes: true });
  return { diagnostics, ...(plan && { graph: graphOf(plan), path: plan.metadata.path }) };
}

/** Whichever playbook the rehearsals name, the editor's is used. */
function rehearsed(text: string, rehearsals: string): RehearsedDraft {
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
    const difference = diffText(result, { rehearsal: 'rehearsals', playbook: 'playbook' });
    return { name: result.name, ok: result.ok, difference };
  });
  return { diagnostics, results };
}

/** The keys of the playbook's schema, and the kinds of tools. */
function words(): CompletionWords {
  const keys = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties, doNotSuggest } = value as {
      properties?: Record<string, Schema>;
      doNotSuggest?: boolean;
    };
    if (doNotSuggest) return;
    for (const [name, schema] of Object.entries(properties ?? {}))
      if (!schema.doNotSuggest && !keys.has(name)) keys.set(name, schema.description ?? '');
    for (const member of Object.values(value)) visit(member);
  };
  visit(playbookSchema());
  return {
    keys: [...keys],
    kinds: Object.entries(KINDS).map(([name, { doc }]) => [name, doc] as const),
  };
}

interface Schema {
  readonly description?: string;
  readonly doNotSuggest?: boolean;
}
