import { type ReactNode, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { CopyLinkDialog } from './copy-link-dialog.tsx';

/**
 * Copies a link, and says so. Where the browser does not let the page copy, the dialog shows the link.
 *
 * @param title what the link leads to, above it in the dialog
 */
export function useCopyLink(link: string, title: string): { copy: () => Promise<void>; dialog: ReactNode } {
  const texts = useTexts().people;
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      toast.say(texts.copied);
    } catch {
      // The clipboard is forbidden, or missing outside of https and localhost.
      setAsking(true);
    }
  };
  const dialog = (
    <CopyLinkDialog link={link} title={title} isOpen={isAsking} onClose={() => setAsking(false)} />
  );
  return { copy, dialog };
}
