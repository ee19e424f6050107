/** Diagnostics in threads of their own: what a large playbook takes to compile, its writer does not wait for. */
import path from 'node:path';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { type Diagnostic } from '../../language/dsl';
import { Recheck } from '../../language/dsl/recheck';
import { LanguageService } from '../../service';
import { extensions } from '../extensions';
import { catalogOf } from './workspace';

export interface CheckedText {
  readonly uri: string;
  readonly text: string;
  /** Paths of the playbooks that can be called. */
  readonly playbooks: readonly string[];
  /** The playbook of a rehearsal file. */
  readonly rehearsed?: { readonly uri: string; readonly text: string } | undefined;
}

type Problems = readonly Diagnostic[] | undefined;

/** From so many characters on, edits are answered by one thread while another checks the whole text. */
const LARGE = 40_000;

/** Checks texts one after the other; of several of one document only the last. */
export class Checker {
  private back = new CheckThread();
  /** It checked the last text as a whole, and waits for edits of it. */
  private front = new CheckThread();

  /** What is wrong with the edited steps; undefined for small texts, and if other things were edited. */
  async edited(request: CheckedText): Promise<Problems> {
    return request.text.length < LARGE ? undefined : await this.front.ask(request, 'edited');
  }

  /** @returns undefined if another text of the document came before this one was checked */
  async all(request: CheckedText): Promise<Problems> {
    const { back } = this;
    const problems = await back.ask(request, 'all');
    if (request.text.length >= LARGE && back === this.back) [this.back, this.front] = [this.front, back];
    return problems;
  }

  async end(): Promise<void> {
    await Promise.all([this.back.end(), this.front.end()]);
  }
}

type Question = CheckedText & { readonly what: 'all' | 'edited' };

class CheckThread {
  private worker?: Worker;
  private settle?: (problems: Problems) => void;
  private readonly waiting = new Map<string, { question: Question; resolve: (problems: Problems) => void }>();

  async ask(request: CheckedText, what: Question['what']): Promise<Problems> {
    return await new Promise((resolve) => {
      const key = `${what} ${request.uri}`;
      this.waiting.get(key)?.resolve(undefined);
      this.waiting.set(key, { question: { ...request, what }, resolve });
      this.next();
    });
  }

  async end(): Promise<void> {
    await this.worker?.terminate();
  }

  private next(): void {
    const [first] = this.waiting;
    if (this.settle !== undefined || first === undefined) return;
    const [key, { question, resolve }] = first;
    this.waiting.delete(key);
    this.settle = (problems) => {
      this.settle = undefined;
      resolve(problems);
      this.next();
    };
    this.worker ??= this.started();
    this.worker.postMessage(question);
  }

  private started(): Worker {
    const worker = new Worker(path.join(__dirname, 'checker.js'));
    worker.on('message', (problems: Problems) => this.settle?.(problems));
    worker.on('error', () => {
      this.worker = undefined;
      this.settle?.(undefined);
    });
    worker.unref();
    return worker;
  }
}

/** Of the playbook that was checked last. */
let last: { readonly uri: string; readonly recheck: Recheck } | undefined;

function answer({ uri, text, playbooks, rehearsed, what }: Question): Problems {
  if (what === 'edited') return last?.uri === uri ? last.recheck.edited(text) : undefined;
  const { kinds } = extensions();
  if (/^(playbook|rehearsals):/m.test(text)) {
    const service = new LanguageService({ kinds, read: () => rehearsed });
    service.openDocument(uri, text);
    return service.diagnosticsOf(uri);
  }
  const catalog = catalogOf(new Map(playbooks.map((each) => [each, true])));
  last = { uri, recheck: new Recheck({ kinds, catalog, fixes: true }) };
  return last.recheck.all(text);
}

if (!isMainThread)
  parentPort?.on('message', (question: Question) => parentPort?.postMessage(answer(question)));
