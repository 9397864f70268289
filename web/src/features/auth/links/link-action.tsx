import { DoormanError } from 'doorman-client';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import styles from '../auth-page.module.css';
import { FormEnd } from '../form-end.tsx';
import { useAuthForm } from '../use-auth-form.ts';
import { LinkFrame } from './link-frame.tsx';
import { LinkResult } from './link-result.tsx';

interface LinkActionProps {
  token: string;
  title: string;
  /** What the button does. */
  says: string;
  label: string;
  pending: string;
  /** Does it. @returns the sentence that says what has happened */
  act: (token: string) => Promise<string>;
  /** What the service refuses a link with that will never work, and the sentences for it. */
  refusals: Readonly<Record<string, string>>;
  /** What to do after it. */
  next?: ReactNode;
}

/** What a link of a mail opens. Only the button does something: programs that check mails open their links. */
export function LinkAction({ token, title, says, label, pending, act, refusals, next }: LinkActionProps) {
  const texts = useTexts().links;
  const [done, setDone] = useState<string>();
  const [refused, setRefused] = useState<string>();
  const form = useAuthForm({
    values: {},
    onChange: () => {},
    check: () => ({}),
    send: async () => {
      try {
        setDone(await act(token));
      } catch (refusal) {
        const says = refusal instanceof DoormanError ? refusals[refusal.error] : undefined;
        if (says === undefined) throw refusal;
        setRefused(says);
      }
    },
  });
  const result = () => {
    if (token === '') return <LinkResult state="missing" says={texts.missing} />;
    if (refused !== undefined) return <LinkResult state="invalid" says={refused} />;
    return (
      done !== undefined && (
        <LinkResult state="done" says={done}>
          {next}
        </LinkResult>
      )
    );
  };
  const shown = result();
  return (
    <LinkFrame title={title} isOver={shown !== false && (refused !== undefined || next === undefined)}>
      {shown || (
        <form className={styles.form} {...form.attributes}>
          <p className={styles.says}>{says}</p>
          <FormEnd form={form} label={label} pending={pending} or={undefined} />
        </form>
      )}
    </LinkFrame>
  );
}
