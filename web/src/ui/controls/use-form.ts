import { DoormanError } from 'doorman-client';
import { type FormEvent, useRef, useState } from 'react';
import { afterPress } from './press-feedback.ts';

/** The errors of a form: a sentence beside each wrong field, and an error that belongs to no field. */
interface FormErrors<Field extends string> {
  fields: Partial<Record<Field, string | undefined>>;
  /** The caught error, for `ErrorText`. */
  other?: unknown;
}

interface Form<Field extends string> {
  errors: FormErrors<Field>;
  isPending: boolean;
  /** For a field that is being changed. */
  clearError(field: Field): void;
  /** For a field that has lost the focus; the error shows once no button is pressed. */
  setError(field: Field, sentence: string | undefined): void;
  submit(event: FormEvent<HTMLFormElement>): void;
}

interface Options<Field extends string> {
  /** The `name` of each, in the order on the screen. */
  fields: readonly Field[];
  /** The errors that are found before sending, as sentences. */
  check: () => Partial<Record<Field, string | undefined>>;
  send: () => Promise<void>;
  /** The field that an error word of the service belongs to. */
  fieldOf: (word: string) => Field | undefined;
  sentence: (error: unknown) => string;
}

/** State and submission of a form. After an error the first wrong field gets the focus. */
export function useForm<Field extends string>(options: Options<Field>): Form<Field> {
  const { fields: order, check, send, fieldOf, sentence } = options;
  const [errors, setErrors] = useState<FormErrors<Field>>({ fields: {} });
  const [isPending, setPending] = useState(false);
  const isSending = useRef(false);

  const refuse = (form: HTMLFormElement, found: FormErrors<Field>) => {
    setErrors(found);
    const first = order.find((field) => found.fields[field] !== undefined);
    const input = first && form.elements.namedItem(first);
    if (input instanceof HTMLElement) input.focus();
  };

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending.current) return;
    const form = event.currentTarget;
    const found = check();
    if (order.some((field) => found[field] !== undefined)) {
      refuse(form, { fields: found });
      return;
    }
    isSending.current = true;
    setPending(true);
    setErrors({ fields: {} });
    try {
      await send();
    } catch (error) {
      const field = error instanceof DoormanError ? fieldOf(error.error) : undefined;
      if (field === undefined) refuse(form, { fields: {}, other: error });
      else refuse(form, { fields: { [field]: sentence(error) } as FormErrors<Field>['fields'] }); // by a key of its own
    } finally {
      isSending.current = false;
      setPending(false);
    }
  };

  const say = (field: Field, text: string | undefined) =>
    setErrors(({ fields, other }) => ({ fields: { ...fields, [field]: text }, other }));
  return {
    errors,
    isPending,
    clearError: (field) => say(field, undefined),
    setError: (field, text) => afterPress(() => say(field, text)),
    submit: (event) => void submit(event),
  };
}
