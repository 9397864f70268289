import { useForm } from '../shell/use-form.ts';
import { fieldOf } from './fields.ts';

type Field = 'username' | 'password' | 'nickname';

const FIELDS: readonly Field[] = ['username', 'password', 'nickname'];

interface Asked {
  /** What is wrong before anything is sent, as sentences. */
  check: () => Partial<Record<Field, string | undefined>>;
  enter: () => Promise<void>;
  sentence: (error: unknown) => string;
}

/** The coming and going of a form at the entrance. */
export function useEntry({ check, enter, sentence }: Asked) {
  return useForm({ fields: FIELDS, check, send: enter, fieldOf, sentence });
}
