/** A playbook being written: problems as one types, its graph beside it, rehearsals, running and registering it. */
import { type RegisteredDocument } from '../../src/server/facade/documents';
import { type JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useCompiler } from '../compiling/use';
import { Chips } from '../parts/chips';
import { ProblemNote } from '../parts/empty';
import { askApi, type ServerError } from '../server/api';
import { go, playbookAddress } from '../shell/address';
import { useMay } from '../shell/session';
import { say } from '../shell/toast';
import { DraftGraph, useCompiled } from './compiled';
import {
  type PlaybookDraft,
  followDraft,
  forgetDraft,
  useDraft,
  useLeaveGuard,
  useRehearsals,
} from './draft';
import { Diagnostics } from './diagnostics';
import { EditorHost } from './editor-host';
import { useKnownNames } from './known-names';
import { type MirrorOptions, type ShownMirror, useMirror } from './mirror';
import { Rehearsals } from './rehearsals';
import { RenameDialog } from './rename';
import { RunText } from './start';

const BESIDE = [
  ['graph', 'Graph'],
  ['rehearsals', 'Rehearsals'],
] as const;
type View = (typeof BESIDE)[number][0];

interface Props {
  /** Of the catalog; undefined for a new playbook. */
  readonly path?: string;
  readonly text: string;
}

/** The editor of a draft, which shows what another tab writes of it. */
function useDraftMirror(
  path: string | undefined,
  draft: PlaybookDraft,
  more: Pick<MirrorOptions, 'compiler' | 'onRename'>,
): ShownMirror {
  /** What another tab has kept is not kept again: that would undo what is typed there meanwhile. */
  const isFollowing = useRef(false);
  const shown = useMirror({
    ...{ of: 'playbook', text: draft.text, ...more },
    label: path === undefined ? 'A new playbook' : `Playbook ${path}`,
    onChange: (written) => (isFollowing.current ? draft.follow : draft.write)(written),
  });
  useEffect(
    () =>
      followDraft(path ?? 'new', (written) => {
        isFollowing.current = true;
        shown.mirror.current?.replace(written);
        isFollowing.current = false;
      }),
    [],
  );
  return shown;
}

/** What is written is kept when one leaves the page, and is there when one comes back. */
export function PlaybookEditor({ path, text: first }: Props): JSX.Element {
  const compiler = useCompiler();
  const draft = useDraft(path ?? 'new', first);
  const { text } = draft;
  useKnownNames(compiler);
  const isLost = !draft.isKept && text !== first;
  useLeaveGuard(isLost);
  const [rehearsals, setRehearsals] = useRehearsals(path ?? 'new');
  /** Each has written rehearsals that their editor has to show. */
  const [renamings, setRenamings] = useState(0);
  /** Where something is to be renamed. */
  const [renamed, setRenamed] = useState<number>();
  const editor = useDraftMirror(path, draft, { compiler, onRename: setRenamed });
  const { mirror, ...shown } = editor;
  const { diagnostics, graph } = useCompiled(text, rehearsals, compiler, editor);
  const [beside, setBeside] = useState<View>('graph');
  const mayRun = useMay('run');
  const errors = diagnostics?.filter(({ severity }) => severity === 'error').length ?? 0;
  return (
    <div class="editor">
      <div class="editor-main">
        <EditorHost {...shown} />
      </div>
      <div class="editor-beside">
        <DraftNote draft={draft} isLost={isLost} onDiscard={() => mirror.current?.replace(first)} />
        <div class="filters">
          <Chips
            label="Beside the text"
            of={BESIDE}
            isChosen={(one) => one === beside}
            onChoose={setBeside}
          />
          {mayRun && <RunText text={text} compiler={compiler} disabled={errors > 0} />}
          {mayRun && (
            <Register
              text={text}
              errors={errors}
              unchanged={path !== undefined && text === first}
              onDone={() => forgetDraft(path ?? 'new')}
            />
          )}
        </div>
        {beside === 'graph' ? (
          <DraftGraph graph={graph} isStale={errors > 0} mirror={mirror.current} />
        ) : (
          <Rehearsals
            key={renamings}
            text={text}
            rehearsals={rehearsals}
            onWrite={setRehearsals}
            compiler={compiler}
          />
        )}
        <Diagnostics
          of={diagnostics}
          onGo={(line, column) => mirror.current?.goTo(line, column)}
          onFix={(fix) => mirror.current?.fix(fix)}
        />
      </div>
      {renamed !== undefined && (
        <RenameDialog
          place={{ of: 'playbook', text, offset: renamed }}
          compiler={compiler}
          rehearsals={rehearsals}
          onRenamed={({ edits, rehearsals: written }) => {
            mirror.current?.change(edits);
            setRehearsals(written);
            setRenamings(renamings + 1);
          }}
          onClose={() => setRenamed(undefined)}
        />
      )}
    </div>
  );
}

function DraftNote({
  draft,
  isLost,
  onDiscard,
}: {
  draft: PlaybookDraft;
  isLost: boolean;
  onDiscard: () => void;
}): JSX.Element | null {
  if (isLost)
    return (
      <p class="problem" role="alert">
        This browser does not keep what you write: register it before you leave.
      </p>
    );
  if (!draft.isRestored) return null;
  return (
    <p class="hint draft" role="status">
      You wrote this before and did not register it.
      {draft.isOlder && ' It was written over another version.'}{' '}
      <button
        type="button"
        class="link"
        onClick={() => {
          draft.discard();
          onDiscard();
        }}
      >
        Discard it
      </button>
    </p>
  );
}

function Register({
  text,
  errors,
  unchanged,
  onDone,
}: {
  text: string;
  errors: number;
  unchanged: boolean;
  onDone: () => void;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ServerError>();
  const register = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { path, version, created } = await askApi<RegisteredDocument>('/api/catalog/register', {
        body: { resource_type: 'Playbook', content: text },
      });
      onDone();
      say(
        created
          ? `${path} is registered as version ${String(version)}.`
          : `This is version ${String(version)} already.`,
      );
      go(playbookAddress(path));
    } catch (problem) {
      setError(problem as ServerError);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        type="button"
        class="primary push"
        disabled={busy || errors > 0 || unchanged}
        onClick={() => void register()}
      >
        Register
      </button>
      {error && <ProblemNote error={error} />}
    </>
  );
}
