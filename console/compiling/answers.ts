/** Compiles, rehearses and helps with the editor's texts: compiler, engine and language service as everywhere. */
import { compile, readResource } from '../../src/language/dsl';
import { graphOf } from '../../src/language/dsl/graph/graph';
import {
  applied,
  type KnownNames,
  LanguageService,
  rehearsed,
  resultsOfRehearsal,
  type Surroundings,
} from '../../src/service';
import { type CompilerAnswers, type EditedText } from './protocol';

/** Of each document, what the service has read. */
const texts = new Map<string, string>();
let names: KnownNames = {};
const service = new LanguageService(surroundings());

function surroundings(): Surroundings {
  return {
    ...names,
    resultsFor: () => resultsOfRehearsal(texts.get('rehearsals') ?? ''),
    // Whichever playbook the rehearsals name, the editor's is used.
    read: () => ({ uri: 'playbook', text: texts.get('playbook') ?? '' }),
  };
}

export const compilerAnswers: CompilerAnswers = {
  compile(given) {
    // As the editor counts: it ends every line with one character.
    const text = given.replaceAll(/\r\n?/g, '\n');
    const { plan, diagnostics } = compile(text, { fixes: true });
    return { diagnostics, ...(plan && { graph: graphOf(plan), path: plan.metadata.path }) };
  },
  check(text, rehearsals) {
    open('playbook', text);
    open('rehearsals', rehearsals);
    return service.diagnosticsOf('rehearsals');
  },
  rehearse: (text, rehearsals) => rehearsed('rehearsals', rehearsals, () => ({ uri: 'playbook', text })),
  complete: ({ of, text, offset }) => service.completionsAt(open(of, text), offset),
  hover: ({ of, text, offset }) => service.hoverAt(open(of, text), offset),
  rename({ of, text, offset }, name, rehearsals) {
    const others = [{ uri: 'rehearsals', text: rehearsals }];
    const renaming = service.renameAt(open(of, text), offset, name, others);
    if ('problem' in renaming) return renaming;
    return { edits: renaming.edits, rehearsals: applied(rehearsals, renaming.others['rehearsals'] ?? []) };
  },
  inputs: (text) => readResource(text).resource?.fields() ?? [],
  know(given) {
    names = given;
    service.knows(surroundings());
  },
};

/** @returns the document's name */
function open(of: EditedText, text: string): string {
  if (texts.get(of) !== text) {
    service.changeDocument(of, text);
    texts.set(of, text);
  }
  return of;
}
