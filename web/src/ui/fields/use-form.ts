import { DoormanError } from 'doorman-client';
import { type FormEvent, useState } from 'react';
import { afterPress } from '../controls/press-feedback.ts';
import { useSubmit } from '../controls/use-submit.ts';

type Values = Record<string, string>;
type Errors<V> = Partial<Record<keyof V, string | undefined>>;

interface Options<V extends Values> {
  /** What the fields hold, by the `name` of each, in the order on the screen. */
  values: V;
  onChange: (changed: Partial<V>) => void;
  /** The errors that are found before sending, as sentences. */
  check: () => Errors<V>;
  send: () => Promise<void>;
  /** The field that an error word of the service belongs to. */
  fieldOf: (word: string) => string | undefined;
  sentence: (error: unknown) => string;
}

/** What the fields of a form hold while it is shown. */
export function useValues<V extends Values>(start: V): Pick<Options<V>, 'values' | 'onChange'> {
  const [values, setValues] = useState(start);
  return { values, onChange: (changed) => setValues((before) => ({ ...before, ...changed })) };
}

/**
 * Fields, errors and submission of a form. A field that is left with a wrong value shows its error; after an error of the
 * form the first wrong field gets the focus.
 */
export function useForm<V extends Values>({ values, onChange, check, send, fieldOf, sentence }: Options<V>) {
  const [errors, setErrors] = useState<Errors<V>>({});
  const { isPending, error, submit, clearError } = useSubmit();

  const refuse = (form: HTMLFormElement, found: Errors<V>) => {
    setErrors(found);
    const first = Object.keys(values).find((name) => found[name] !== undefined);
    const input = first && form.elements.namedItem(first);
    if (input instanceof HTMLElement) input.focus();
  };
  const change = (changed: Partial<V>) => {
    onChange(changed);
    const cleared = Object.keys(changed).map((name) => [name, undefined]);
    setErrors((before) => ({ ...before, ...Object.fromEntries(cleared) }));
  };

  const clearErrors = () => {
    clearError();
    setErrors({});
  };

  return {
    isPending,
    /** An error that belongs to no field, for `ErrorText`. */
    error,
    /** Changes fields, whose errors disappear. */
    change,
    clearErrors,
    /** Of the `form` element. */
    attributes: {
      noValidate: true,
      'aria-busy': isPending,
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        if (isPending) return;
        const form = event.currentTarget;
        const found = check();
        clearErrors();
        if (Object.values(found).some((text) => text !== undefined)) return refuse(form, found);
        void submit(async () => {
          try {
            await send();
          } catch (caught) {
            const field = caught instanceof DoormanError ? fieldOf(caught.error) : undefined;
            if (field === undefined || !(field in values)) throw caught;
            refuse(form, { [field]: sentence(caught) } as Errors<V>); // a key of `values`
          }
        });
      },
    },
    /** Of a text field. */
    field: <F extends keyof V & string>(name: F) => ({
      name,
      value: values[name],
      error: errors[name],
      onChange: (typed: string) => change({ [name]: typed } as Partial<V>), // a key of `values`
      onBlur: () => {
        const found = values[name] === '' ? undefined : check()[name];
        // Not while a button is pressed, which an error would move.
        if (found !== undefined) afterPress(() => setErrors((before) => ({ ...before, [name]: found })));
      },
    }),
  };
}
