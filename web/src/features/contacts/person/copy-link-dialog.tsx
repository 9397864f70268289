import { useId } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { TextInput } from '../../../ui/controls/fields.tsx';

interface CopyLinkDialogProps {
  link: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Shows a link to copy by hand, for browsers that do not let a page copy. */
export function CopyLinkDialog({ link, isOpen, onClose }: CopyLinkDialogProps) {
  const { people: texts, shell } = useTexts();
  const saysId = useId();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.copyAsk} testId="copy-link-dialog">
      <p id={saysId}>{texts.copySays}</p>
      <TextInput
        aria-label={texts.copyAsk}
        aria-describedby={saysId}
        value={link}
        readOnly
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button variant="default" onClick={onClose}>
        {shell.close}
      </Button>
    </Dialog>
  );
}
