/** `verify --junit`: a suite for each playbook, a test case for each cause, and one for all executions that are the same. */
import { type VerdictGroup, VERDICT_WORDS, type Verification } from '../../offline/proof';
import { element, xmlText } from '../../offline/rehearsal';
import { placeText, valueText } from './finding-text';

export function verificationJunit(verifications: readonly Verification[]): string {
  const suites = verifications.map(suiteOf);
  const sum = (what: 'tests' | 'failures' | 'skipped'): number =>
    suites.reduce((total, { counts }) => total + counts[what], 0);
  const name = verifications.map(nameOf).join(', ');
  const attributes = {
    name,
    tests: sum('tests'),
    failures: sum('failures'),
    errors: 0,
    skipped: sum('skipped'),
  };
  const elements = suites.map(({ suite }) => suite);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', attributes, elements)}\n`;
}

function nameOf(verification: Verification): string {
  return `verify ${verification.old} ${verification.new}`;
}

interface Suite {
  readonly suite: string;
  readonly counts: Readonly<Record<'tests' | 'failures' | 'skipped', number>>;
}

function suiteOf(verification: Verification): Suite {
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
  const numbers = { tests: cases.length, failures: failures.length, skipped: skipped.length };
  const attributes = { name: nameOf(verification), ...numbers, errors: 0 };
  return { suite: element('testsuite', attributes, cases), counts: numbers };
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
