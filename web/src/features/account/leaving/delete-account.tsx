import { useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { Section } from '../../../ui/list/section.tsx';
import { useConfirmation } from '../confirm/confirmation.tsx';
import { DeleteForm } from './delete-form.tsx';

/** @param props.graceSeconds how long the user can take the deletion back; 0: not at all */
export function DeleteAccount({ graceSeconds }: { graceSeconds: number }) {
  const texts = useTexts().settings.leaving;
  const [isOpen, setOpen] = useState(false);
  const { confirmed, dialog } = useConfirmation();
  return (
    <Section title={texts.delete} says={texts.deleteSays}>
      <div>
        <Button variant="default" onClick={() => setOpen(true)} data-testid="delete-account">
          {texts.delete}
        </Button>
      </div>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={texts.deleteAsk} testId="delete-dialog">
        <DeleteForm graceSeconds={graceSeconds} confirmed={confirmed} onCancel={() => setOpen(false)} />
      </Dialog>
      {dialog}
    </Section>
  );
}
