/** `verify --junit`: a test case for each cause, and one for all executions that are the same. */
import { type VerdictGroup, VERDICT_WORDS, type Verification } from '../../offline/proof';
import { element, xmlText } from '../../offline/rehearsal';
import { placeText, valueText } from './finding-text';

export function verificationJunit(verification: Verification): string {
  const { counts, groups } = verification;
  const [failures, skipped] = [
    groups.filter(({ kind }) => kind !== 'unanswerable'),
    groups.filter(({ kind }) => kind === 'unanswerable'),
  ];
  const same = `${counts.same + counts.timing} executions are the same`;
  const cases = [
    element('testcase', { name: same, classname: verification.new }, []),
    ...failures.map((group) => caseOf(verification.new, group, 'failure')),
    ...skipped.map((group) => caseOf(verification.new, group, 'skipped')),
  ];
  const attributes = {
    name: `verify ${verification.old} ${verification.new}`,
    tests: cases.length,
    failures: failures.length,
    errors: 0,
    skipped: skipped.length,
  };
  const suite = element('testsuite', attributes, cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', attributes, [suite])}\n`;
}

function caseOf(classname: string, { kind, cause, count, example }: VerdictGroup, as: string): string {
  const { finding, name } = example;
  const { recorded, now, recorded_at: recordedAt, now_at: nowAt } = finding;
  const text = [
    `${count} executions, e.g. ${name}: ${finding.what}`,
    `recorded ${valueText(recorded)}${placeText(recordedAt, () => undefined)}`,
    `now ${valueText(now)}${placeText(nowAt, () => undefined)}`,
  ].join('\n');
  const title = `${VERDICT_WORDS[kind]}: ${cause}`;
  return element('testcase', { name: title, classname }, [
    element(as, { message: title, ...(as === 'failure' && { type: kind }) }, [xmlText(text)]),
  ]);
}
