/** `/api/playbook-tests/suites/…`: stores the tests of a playbook for the official GUI, which runs them itself. */
import { z } from 'zod';
import { type TestSuite, TestSuites } from '../../store';
import { okAnswer, route, FacadeError, boundedText, component, mapping } from './declare';

const id = boundedText(500).min(1);
const which = z.object({ path: id.describe('The id of the suite; it can contain slashes') });

const suite = component('TestSuite', {
  suite_id: z.string(),
  file_path: z.string(),
  playbook_path: z.string(),
  tests: z.array(z.unknown()),
  metadata: mapping,
  updated_at: z.iso.datetime(),
});

export const testSuites = [
  route('GET /api/playbook-tests/suites/{path+}', {
    params: which,
    scope: 'read',
    summary: 'The tests of a playbook',
    answers: okAnswer('The suite', suite),
    errors: [404],
    async handle({ params: { path } }, { database }) {
      const suite = await new TestSuites(database).find(path);
      if (!suite) throw missing(path);
      return documentOf(suite);
    },
  }),
  route('PUT /api/playbook-tests/suites/{path+}', {
    params: which,
    scope: 'run',
    summary: 'Store the tests of a playbook; a suite with the same id is replaced',
    body: z.object({
      playbook_path: id,
      tests: z.array(z.unknown()).max(10_000).default([]),
      metadata: mapping.default({}),
    }),
    answers: okAnswer('Stored', suite),
    handle: async ({ params: { path }, body }, { database }) =>
      documentOf(await new TestSuites(database).put({ suite_id: path, ...body })),
  }),
  route('DELETE /api/playbook-tests/suites/{path+}', {
    params: which,
    scope: 'run',
    summary: 'Delete the tests of a playbook',
    answers: okAnswer(
      'Deleted',
      z.object({ status: z.literal('deleted'), suite_id: z.string(), file_path: z.string() }),
    ),
    errors: [404],
    async handle({ params: { path } }, { database }) {
      if (!(await new TestSuites(database).remove(path))) throw missing(path);
      return { status: 'deleted', suite_id: path, file_path: fileOf(path) };
    },
  }),
];

/** The official server keeps files; here the file name identifies a row. */
function fileOf(id: string): string {
  return `suites/${id}.json`;
}

function documentOf(suite: TestSuite): object {
  return { ...suite, file_path: fileOf(suite.suite_id) };
}

function missing(id: string): FacadeError {
  return new FacadeError(404, 'TEST_SUITE_NOT_FOUND', `there is no test suite ${JSON.stringify(id)}`);
}
