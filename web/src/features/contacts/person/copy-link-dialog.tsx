import { useId } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog } from '../../../ui/controls/dialog.tsx';
import { TextInput } from '../../../ui/fields/fields.tsx';

interface CopyLinkDialogProps {
  link: string;
  /** What the link leads to. */
  title: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Shows a link to copy by hand, for browsers that do not let a page copy. */
export function CopyLinkDialog({ link, title, isOpen, onClose }: CopyLinkDialogProps) {
  const { people: texts, shell } = useTexts();
  const saysId = useId();
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} testId="copy-link-dialog">
      <p id={saysId}>{texts.copySays}</p>
      <TextInput
        aria-label={title}
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
