import { useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { Section } from '../../../ui/list/section.tsx';
import { useConfirmation } from '../confirm/confirmation.tsx';
import { DeleteForm } from './delete-form.tsx';

interface DeleteAccountProps {
  /** How long the user can take the deletion back; 0: not at all. */
  graceSeconds: number;
}

export function DeleteAccount({ graceSeconds }: DeleteAccountProps) {
  const texts = useTexts().settings.leaving;
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={texts.delete} says={texts.deleteSays}>
      <div>
        <Button variant="default" onClick={() => setOpen(true)} data-testid="delete-account">
          {texts.delete}
        </Button>
      </div>
      {isOpen && <DeleteDialog graceSeconds={graceSeconds} onClose={() => setOpen(false)} />}
    </Section>
  );
}

/** With the question for the password, which does not come any more once the user has cancelled. */
function DeleteDialog({ graceSeconds, onClose }: DeleteAccountProps & { onClose: () => void }) {
  const texts = useTexts().settings.leaving;
  const { confirmed, dialog } = useConfirmation();
  return (
    <>
      <Dialog isOpen onClose={onClose} title={texts.deleteAsk} testId="delete-dialog">
        <DeleteForm graceSeconds={graceSeconds} confirmed={confirmed} onCancel={onClose} />
      </Dialog>
      {dialog}
    </>
  );
}
