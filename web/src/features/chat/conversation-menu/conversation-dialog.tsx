import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import dialog from '../../../ui/controls/dialog.module.css';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { ErrorText } from '../../../ui/controls/error-text.tsx';
import { useSubmit } from '../../../ui/controls/use-submit.ts';
import { isolate } from '../../contacts/model/display-name.ts';
import { usePerson } from '../../contacts/model/hooks.ts';
import { useNameInText } from '../../contacts/person/name-in-text.tsx';
import styles from './conversation-dialog.module.css';
import { type useConversationMenu, useMenuTexts } from './use-conversation-menu.tsx';

const HOUR_MS = 3_600_000;
/** How long a conversation can be muted. */
const TIMES = { hour: HOUR_MS, hours: 8 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
/** The greatest time of JavaScript. */
const ALWAYS = 8.64e15;

interface ConversationDialogProps extends Pick<ReturnType<typeof useConversationMenu>, 'act' | 'question'> {
  peer: string;
  onClose: () => void;
}

/** The open dialog of a conversation: for how long it is muted, or whether it is deleted. */
export function ConversationDialog({ peer, question, act, onClose }: ConversationDialogProps) {
  const texts = useMenuTexts();
  const { shell } = useTexts();
  const name = isolate(useNameInText(usePerson(peer)));
  const { isPending, error, submit } = useSubmit();
  if (question === undefined) return null;
  if (question === 'delete')
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        title={texts.deleteAsk(name)}
        confirm={texts.deleteIt}
        isDangerous
        onConfirm={act.delete}
      >
        {texts.deleteSays(name)}
      </ConfirmDialog>
    );
  const mute = (until: number) =>
    submit(async () => {
      await act.mute(until);
      onClose();
    });
  const choices = Object.entries(texts.muteFor) as [keyof typeof texts.muteFor, string][];
  return (
    <Dialog isOpen onClose={onClose} title={texts.muteAsk(name)} testId="mute-dialog">
      <p className={dialog.text}>{texts.muteSays}</p>
      <ErrorText error={error} />
      <div className={styles.choices}>
        {choices.map(([time, label]) => (
          <Button
            key={time}
            variant="default"
            disabled={isPending}
            onClick={() => void mute(time === 'always' ? ALWAYS : Date.now() + TIMES[time])}
            data-testid={`mute-${time}`}
          >
            {label}
          </Button>
        ))}
        <Button variant="subtle" onClick={onClose} data-testid="mute-cancel">
          {shell.cancel}
        </Button>
      </div>
    </Dialog>
  );
}
