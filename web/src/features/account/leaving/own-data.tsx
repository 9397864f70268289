import { exportUrl } from 'doorman-client';
import { useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { BusyButton } from '../../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../../ui/controls/error-text.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import { useSubmit } from '../../../ui/controls/use-submit.ts';
import { Section } from '../../../ui/list/section.tsx';
import styles from '../../../ui/list/settings.module.css';
import { useConfirmation } from '../confirm/confirmation.tsx';

/** Downloads what the service stores about the user. */
export function OwnData() {
  const texts = useTexts().settings.leaving;
  const { api } = useStores().doorman;
  const toast = useToast();
  const { isPending, error, submit } = useSubmit();
  const { confirmed, dialog } = useConfirmation();
  const download = async () => {
    const isAnswered = await confirmed(async () => follow(await api.exportTicket()));
    if (isAnswered) toast.say(texts.downloading);
  };
  return (
    <Section title={texts.data} says={texts.dataSays}>
      <div className={styles.failure}>
        <BusyButton
          variant="default"
          label={texts.download}
          pending={texts.preparing}
          isPending={isPending}
          onClick={() => void submit(download)}
          testId="download-data"
        />
        <ErrorText error={error} />
      </div>
      {dialog}
    </Section>
  );
}

/** The browser itself downloads, and shows how far it is; the page stays. */
function follow({ ticket }: { ticket: string }): void {
  const link = document.createElement('a');
  link.href = exportUrl(ticket, location.origin);
  link.download = '';
  link.click();
}
