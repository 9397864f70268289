import type { ReactNode } from 'react';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import dialog from '../../../ui/controls/dialog.module.css';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { isolate } from '../model/display-name.ts';
import { useContacts, usePerson } from '../model/hooks.ts';
import { questions as en } from '../question-dialog.en.ts';
import { questions as zh } from '../question-dialog.zh.ts';
import { useNameInText } from './name-in-text.tsx';

/** What is asked before it is done. */
export type ConfirmedQuestion = 'block' | 'unblock' | 'remove';

interface QuestionDialogProps {
  userId: string;
  question: ConfirmedQuestion;
  onClose: () => void;
  onDone?: (() => void) | undefined;
}

interface Question {
  title: string;
  confirm: string;
  says: ReactNode;
  act: () => Promise<void>;
  done: string;
}

/** The open dialog of `PersonDialog`. */
export function QuestionDialog({ userId, question, onClose, onDone }: QuestionDialogProps) {
  const { people } = useTexts();
  const texts = { en, zh }[useLanguage().language];
  const { blocks, friends } = useContacts();
  const toast = useToast();
  const name = isolate(useNameInText(usePerson(userId)));
  const questions: Record<ConfirmedQuestion, Question> = {
    block: {
      title: texts.blockAsk(name),
      confirm: people.block,
      says: (
        <ul className={dialog.effects}>
          {texts.blockSays.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      ),
      act: () => blocks.block(userId),
      done: texts.blockedDone(name),
    },
    unblock: {
      title: texts.unblockAsk(name),
      confirm: people.unblock,
      says: texts.unblockSays,
      act: () => blocks.unblock(userId),
      done: texts.unblockedDone(name),
    },
    remove: {
      title: texts.removeAsk(name),
      confirm: people.remove,
      says: texts.removeSays,
      act: () => friends.act('remove', userId),
      done: texts.removed(name),
    },
  };
  const { title, confirm, says, act, done } = questions[question];
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={title}
      confirm={confirm}
      isDangerous={question !== 'unblock'}
      onConfirm={async () => {
        await act();
        onDone?.();
        toast.say(done);
      }}
    >
      {says}
    </ConfirmDialog>
  );
}
