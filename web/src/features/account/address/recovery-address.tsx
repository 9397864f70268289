import type { Account } from 'doorman-client';
import { useEffect, useRef, useState } from 'react';
import styles from '../../../ui/list/settings.module.css';
import { AddressForm } from './address-form.tsx';
import { AddressRow } from './address-row.tsx';
import { CodeForm } from './code-form.tsx';

interface RecoveryAddressProps {
  account: Pick<Account, 'email' | 'pending_email'>;
  /** The account has changed. */
  onChanged: () => void;
}

/** The address to which a user who forgot their password gets mail: to add, to confirm, to change, to remove. */
export function RecoveryAddress({ account, onChanged }: RecoveryAddressProps) {
  const { email, pending_email: pending } = account;
  /** The user wants another address. Once it is `sent`, the form stays until another account is loaded. */
  const [edit, setEdit] = useState<{ sent?: RecoveryAddressProps['account'] }>();
  const isEditing = edit !== undefined && (edit.sent ?? account) === account;
  const shown = isEditing ? 'form' : pending !== '' ? 'code' : email !== '' ? 'row' : 'form';
  const own = useFocusOfNext(shown);
  const onEdit = () => setEdit({});
  const onSent = () => {
    setEdit((before) => before && { sent: account });
    onChanged();
  };
  return (
    <div ref={own} className={styles.stack} tabIndex={-1} data-testid="recovery" data-shows={shown}>
      {shown === 'row' && <AddressRow email={email} onChange={onEdit} onRemoved={onChanged} />}
      {shown === 'code' && (
        <CodeForm key={pending} email={pending} kept={email} onVerified={onChanged} onOther={onEdit} />
      )}
      {shown === 'form' && (
        <AddressForm onSent={onSent} onCancel={isEditing ? () => setEdit(undefined) : undefined} />
      )}
    </div>
  );
}

/** When something else is shown in place of what had the focus, the first field gets it, or the place itself. */
function useFocusOfNext(shown: string) {
  const own = useRef<HTMLDivElement>(null);
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    before.current = shown;
    const { activeElement, body } = document;
    if (activeElement !== body && activeElement !== own.current) return;
    const next = own.current?.querySelector<HTMLElement>('input') ?? own.current;
    next?.focus({ preventScroll: true });
  }, [shown]);
  return own;
}
