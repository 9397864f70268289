import { MailIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useStores } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { ConfirmDialog } from '../../../ui/controls/confirm-dialog.tsx';
import { useToast } from '../../../ui/controls/toasts.tsx';
import styles from '../../../ui/list/settings.module.css';
import { useConfirmation } from '../confirm/confirmation.tsx';

interface AddressRowProps {
  email: string;
  onChange: () => void;
  onRemoved: () => void;
}

/** The confirmed address. */
export function AddressRow({ email, onChange, onRemoved }: AddressRowProps) {
  const texts = useTexts().settings;
  const { api } = useStores().doorman;
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const { confirmed, dialog } = useConfirmation();
  const remove = async () => {
    if (!(await confirmed(api.removeEmail))) return;
    toast.say(texts.addressRemoved);
    onRemoved();
  };
  return (
    <div className={styles.rows}>
      <div className={styles.row}>
        <MailIcon className={styles.device} />
        <div className={styles.rowText}>
          <div className={styles.rowTitle}>
            <bdi data-testid="recovery-email">{email}</bdi>
            <span className={styles.mark}>{texts.confirmed}</span>
          </div>
        </div>
        <div className={styles.buttons}>
          <Button size="xs" variant="default" onClick={onChange} data-testid="change-email">
            {texts.changeAddress}
          </Button>
          <Button size="xs" variant="default" onClick={() => setAsking(true)} data-testid="remove-email">
            {texts.removeAddress}
          </Button>
        </div>
        <ConfirmDialog
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          title={texts.removeAddressAsk}
          confirm={texts.removeAddress}
          isDangerous
          onConfirm={remove}
        >
          {texts.removeAddressSays(email)}
        </ConfirmDialog>
        {dialog}
      </div>
    </div>
  );
}
