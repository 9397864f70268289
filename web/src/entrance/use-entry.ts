import { type FormEvent, useRef, useState } from 'react';
import { DoormanError } from '../../../client/src/errors.ts';
import { fieldOf } from './fields.ts';

type Field = 'username' | 'password' | 'nickname';

/** What is wrong, where: sentences beside fields, and whatever belongs to none of them. */
export interface EntryErrors {
  fields: Partial<Record<Field, string>>;
  /** What was caught, for `ErrorText`. */
  other?: unknown;
}

interface Entry {
  errors: EntryErrors;
  isPending: boolean;
  /** Takes back what was said about a field, because it is being changed. */
  forget(field: Field): void;
  /** Says what is wrong with a field that was left; nothing while it is still empty. */
  judge(field: Field, sentence: string | undefined): void;
  submit(event: FormEvent<HTMLFormElement>): void;
}

interface Asked {
  /** What is wrong before anything is sent, as sentences. */
  check: () => Partial<Record<Field, string>>;
  enter: () => Promise<void>;
  sentence: (error: unknown) => string;
}

/** The coming and going of a form at the entrance; the focus goes to the first field that is wrong. */
export function useEntry({ check, enter, sentence }: Asked): Entry {
  const [errors, setErrors] = useState<EntryErrors>({ fields: {} });
  const [isPending, setPending] = useState(false);
  const underWay = useRef(false);

  const refuse = (form: HTMLFormElement, found: EntryErrors) => {
    setErrors(found);
    const first = (['username', 'password', 'nickname'] as const).find((field) => found.fields[field]);
    const input = first && form.elements.namedItem(first);
    if (input instanceof HTMLInputElement) input.focus();
  };

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (underWay.current) return;
    const form = event.currentTarget;
    const found = check();
    if (Object.values(found).some((each) => each !== undefined)) {
      refuse(form, { fields: found });
      return;
    }
    underWay.current = true;
    setPending(true);
    setErrors({ fields: {} });
    try {
      await enter();
    } catch (error) {
      const field = error instanceof DoormanError ? fieldOf(error.error) : undefined;
      refuse(form, field ? { fields: { [field]: sentence(error) } } : { fields: {}, other: error });
    } finally {
      underWay.current = false;
      setPending(false);
    }
  };

  return {
    errors,
    isPending,
    forget: (field) =>
      setErrors(({ fields, other }) => ({ fields: { ...fields, [field]: undefined }, other })),
    judge: (field, text) =>
      setErrors(({ fields, other }) => ({ fields: { ...fields, [field]: text }, other })),
    submit: (event) => void submit(event),
  };
}
