/** Renames a step, task, iterator or variable wherever the playbook names it. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type RenamedDraft, type TextPlace } from '../compiling/protocol';
import { type Compiler } from '../compiling/use';
import { TextField } from '../parts/text-field';
import { Dialog } from '../shell/dialog';

interface Props {
  readonly place: TextPlace;
  readonly rehearsals: string;
  readonly compiler: Compiler;
  readonly onRenamed: (draft: Exclude<RenamedDraft, { problem: string }>) => void;
  readonly onClose: () => void;
}

export function RenameDialog({ place, rehearsals, compiler, onRenamed, onClose }: Props): JSX.Element {
  const { text, offset } = place;
  const [before] = /\w*$/.exec(text.slice(0, offset))!;
  const [name, setName] = useState(before + /^\w*/.exec(text.slice(offset))![0]);
  const rename = async (): Promise<void> => {
    const renaming = await compiler.rename(place, name, rehearsals);
    if ('problem' in renaming) throw new Error(renaming.problem);
    onRenamed(renaming);
  };
  return (
    <Dialog title="Rename" verb="Rename" onDo={rename} onClose={onClose} disabled={name === ''}>
      <TextField label="Its name, wherever the playbook has it" value={name} onInput={setName} />
    </Dialog>
  );
}
