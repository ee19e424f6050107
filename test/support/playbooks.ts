/** Sub-playbooks for tests: texts by their `metadata.path`. */
import { compile, formatDiagnostics } from '../../src/language/dsl';
import { PlaybookRefused, type PlaybookResolver } from '../../src/temporal/worker';

export function playbooksOf(texts: Readonly<Record<string, string>>): PlaybookResolver {
  return {
    resolve({ path }) {
      const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
      if (text === undefined) {
        return Promise.reject(new PlaybookRefused('PLAYBOOK_NOT_FOUND', `no playbook has the path ${path}`));
      }
      const { plan, diagnostics } = compile(text, { file: `${path}.yaml` });
      if (plan) return Promise.resolve(plan);
      const said = formatDiagnostics(diagnostics, text);
      return Promise.reject(new PlaybookRefused('PLAYBOOK_INVALID', said, { diagnostics: [said] }));
    },
  };
}
