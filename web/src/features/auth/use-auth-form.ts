import { entrySentence } from '../../i18n/error-sentence.ts';
import { useLanguage } from '../../i18n/texts.tsx';
import { fieldOf } from '../../ui/controls/form-fields.ts';
import { useForm } from '../../ui/controls/use-form.ts';

type Field = 'username' | 'password' | 'nickname';

const FIELDS: readonly Field[] = ['username', 'password', 'nickname'];

interface Asked {
  /** What is wrong before anything is sent, as sentences. */
  check: () => Partial<Record<Field, string | undefined>>;
  enter: () => Promise<void>;
}

/** The coming and going of a form at the entrance. */
export function useEntry({ check, enter }: Asked) {
  const { language } = useLanguage();
  const sentence = (error: unknown) => entrySentence(error, language);
  return { ...useForm({ fields: FIELDS, check, send: enter, fieldOf, sentence }), sentence };
}
