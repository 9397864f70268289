import { DoormanError } from 'doorman-client';
import { type FormEvent, useRef, useState } from 'react';
import { afterPress } from './press-feedback.ts';

/** What is wrong, where: sentences beside fields, and whatever belongs to none of them. */
export interface FormErrors<Field extends string> {
  fields: Partial<Record<Field, string | undefined>>;
  /** What was caught, for `ErrorText`. */
  other?: unknown;
}

interface Form<Field extends string> {
  errors: FormErrors<Field>;
  isPending: boolean;
  /** Takes back what was said about a field, because it is being changed. */
  forget(field: Field): void;
  /** Says what is wrong with a field that was left. */
  judge(field: Field, sentence: string | undefined): void;
  submit(event: FormEvent<HTMLFormElement>): void;
}

interface Asked<Field extends string> {
  /** The `name` of each, in the order in which they stand. */
  fields: readonly Field[];
  /** What is wrong before anything is sent, as sentences. */
  check: () => Partial<Record<Field, string | undefined>>;
  send: () => Promise<void>;
  /** Beside which field a refusal of the service belongs, by its word. */
  fieldOf: (word: string) => Field | undefined;
  sentence: (error: unknown) => string;
}

/** The coming and going of a form; the focus goes to the first field that is wrong. */
export function useForm<Field extends string>(asked: Asked<Field>): Form<Field> {
  const { fields: order, check, send, fieldOf, sentence } = asked;
  const [errors, setErrors] = useState<FormErrors<Field>>({ fields: {} });
  const [isPending, setPending] = useState(false);
  const underWay = useRef(false);

  const refuse = (form: HTMLFormElement, found: FormErrors<Field>) => {
    setErrors(found);
    const first = order.find((field) => found.fields[field] !== undefined);
    const input = first && form.elements.namedItem(first);
    if (input instanceof HTMLElement) input.focus();
  };

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (underWay.current) return;
    const form = event.currentTarget;
    const found = check();
    if (order.some((field) => found[field] !== undefined)) {
      refuse(form, { fields: found });
      return;
    }
    underWay.current = true;
    setPending(true);
    setErrors({ fields: {} });
    try {
      await send();
    } catch (error) {
      const field = error instanceof DoormanError ? fieldOf(error.error) : undefined;
      if (field === undefined) refuse(form, { fields: {}, other: error });
      else refuse(form, { fields: { [field]: sentence(error) } as FormErrors<Field>['fields'] }); // by a key of its own
    } finally {
      underWay.current = false;
      setPending(false);
    }
  };

  const say = (field: Field, text: string | undefined) =>
    setErrors(({ fields, other }) => ({ fields: { ...fields, [field]: text }, other }));
  return {
    errors,
    isPending,
    forget: (field) => say(field, undefined),
    judge: (field, text) => afterPress(() => say(field, text)),
    submit: (event) => void submit(event),
  };
}
