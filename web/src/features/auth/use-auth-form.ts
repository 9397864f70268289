import { entrySentence } from '../../i18n/error-sentence.ts';
import { useLanguage } from '../../i18n/texts.tsx';
import { fieldOf } from '../../ui/controls/form-fields.ts';
import { useForm } from '../../ui/controls/use-form.ts';

type Field = 'username' | 'password' | 'invite' | 'nickname';

const FIELDS: readonly Field[] = ['username', 'password', 'invite', 'nickname'];

interface AuthForm {
  /** The sentence beside each field that the page finds wrong; with one of them, nothing is sent. */
  check: () => Partial<Record<Field, string | undefined>>;
  send: () => Promise<void>;
}

/** The state of a sign-in or sign-up form: errors beside its fields, and whether it is being sent. */
export function useAuthForm({ check, send }: AuthForm) {
  const { language } = useLanguage();
  const sentence = (error: unknown) => entrySentence(error, language);
  return { ...useForm({ fields: FIELDS, check, send, fieldOf: fieldOfForm, sentence }), sentence };
}

function fieldOfForm(word: string): Field | undefined {
  return word === 'invite_required' ? 'invite' : fieldOf(word);
}
