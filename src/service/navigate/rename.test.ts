import { compile } from '../../language/dsl';
import { cases } from '../../../test/support/properties';
import { isBroken, realPlaybooks, testWithRealPlaybooks } from '../../../test/support/real-playbooks';
import { LanguageService } from '..';
import { playbookFacts } from '../names/facts';
import { textOutline } from '../text/outline';
import { type Declared, sameName, occurrencesIn } from './occurrences';
import { applied, canonical } from './rename';

const PLAYBOOKS = (['examples', 'current', 'v10', 'early'] as const).flatMap(realPlaybooks);
/** So many names of playbooks are renamed; with `PROPERTY_RUNS=5`, 500. */
const CASES = cases(100).numRuns;

interface Case {
  readonly name: string;
  readonly text: string;
  readonly of: Declared;
  readonly offset: number;
}

function casesOf({ name, text }: { name: string; text: string }): Case[] {
  const all = occurrencesIn(playbookFacts(text, textOutline(text)));
  return all.flatMap(({ of, start }, index) =>
    // The first place of each name, and every seventh of the others.
    index % 7 === 0 || all.findIndex((each) => sameName(each.of, of)) === index
      ? [{ name, text, of, offset: start }]
      : [],
  );
}

/** What a text means, with one word for the names. */
function meaningOf(text: string, names: readonly string[]): string {
  const { plan, diagnostics } = compile(text);
  return canonical([plan, diagnostics.map(({ code }) => code)], names);
}

testWithRealPlaybooks();

test('renamings leave the plan as it is, but for the name', () => {
  const all = PLAYBOOKS.filter(({ name }) => !isBroken(name)).flatMap(casesOf);
  const step = Math.max(1, Math.floor(all.length / CASES));
  const drawn = all.filter((_, index) => index % step === 0).slice(0, CASES);
  const refused: string[] = [];
  for (const { name, text, of, offset } of drawn) {
    const service = new LanguageService();
    service.openDocument('a', text);
    const to = `${of.name.replaceAll(/\W/g, '_')}_2nd`;
    const renaming = service.renameAt('a', offset, to);
    if ('problem' in renaming) refused.push(`${name} ${of.kind} ${of.step ?? ''}: ${renaming.problem}`);
    else {
      const changed = applied(text, renaming.edits);
      expect([name, of, meaningOf(changed, [of.name, to])]).toEqual([
        name,
        of,
        meaningOf(text, [of.name, to]),
      ]);
    }
  }
  expect(drawn).toHaveLength(CASES);
  expect(
    refused.filter(
      (each) =>
        !/reads (the input )?`\w+`|a name of the runtime|is also read where only a run can tell/.test(each),
    ),
  ).toEqual([]);
  expect(refused.length).toBeLessThan(CASES / 3);
});
