import { Suspense } from 'react';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import type { ConfirmedQuestion } from './question-dialog.tsx';

const QuestionDialog = lazyView(() => import('./question-dialog.tsx'), 'QuestionDialog');
const ReportDialog = lazyView(() => import('../report/report-dialog.tsx'), 'ReportDialog');

export type PersonQuestion = ConfirmedQuestion | 'report';

interface PersonDialogProps {
  userId: string;
  /** Absent: the dialog is closed. */
  question: PersonQuestion | undefined;
  onClose: () => void;
  /** Of all but a report, called before the toast, as a toast goes with its view. */
  onDone?: () => void;
}

/**
 * Asks before a user is blocked, unblocked or reported, or a friendship ends, and says what that does. Its files are loaded when they
 * are needed.
 */
export function PersonDialog({ userId, question, onClose, onDone }: PersonDialogProps) {
  return (
    <Suspense fallback={null}>
      {question === 'report' ? (
        <ReportDialog peer={userId} onClose={onClose} />
      ) : (
        question && <QuestionDialog {...{ userId, question, onClose, onDone }} />
      )}
    </Suspense>
  );
}
