/** The examples of the site, beside the page. */
import { useEffect, useState } from 'preact/hooks';
import { type Graph } from '../../src/language/dsl/graph';

export interface PlaygroundExample {
  readonly name: string;
  readonly playbook: string;
  /** Empty where it has none. */
  readonly rehearsals: string;
}

export interface PlaygroundExamples {
  /** The graph of the first example, which is there before the compiler is. */
  readonly graph: Graph;
  readonly groups: readonly { readonly name: string; readonly examples: readonly PlaygroundExample[] }[];
}

/** @returns undefined while they are loaded; null where they could not be */
export function useExamples(): PlaygroundExamples | null | undefined {
  const [examples, setExamples] = useState<PlaygroundExamples | null>();
  useEffect(() => {
    fetch('examples.json')
      .then(async (answer) => (await answer.json()) as PlaygroundExamples)
      .then(setExamples, () => setExamples(null));
  }, []);
  return examples;
}
