import { Suspense } from 'react';
import { lazyView } from '../../../ui/page/lazy-view.tsx';

const QuestionDialog = lazyView(() => import('./question-dialog.tsx'), 'QuestionDialog');

export type PersonQuestion = 'block' | 'unblock' | 'remove';

interface PersonDialogProps {
  userId: string;
  /** Absent: the dialog is closed. */
  question: PersonQuestion | undefined;
  onClose: () => void;
}

/** Asks before a user is blocked or unblocked, or a friendship ends, and says what that does. Its file is loaded when it opens. */
export function PersonDialog({ question, ...rest }: PersonDialogProps) {
  return <Suspense fallback={null}>{question && <QuestionDialog question={question} {...rest} />}</Suspense>;
}
