import { entrySentence } from '../../i18n/error-sentence.ts';
import { useLanguage } from '../../i18n/texts.tsx';
import { fieldOf } from '../../ui/fields/form-fields.ts';
import { useForm } from '../../ui/fields/use-form.ts';

type Options<V extends Record<string, string>> = Parameters<typeof useForm<V>>[0];

/** The state of a form to sign in or to sign up. */
export function useAuthForm<V extends Record<string, string>>(
  form: Omit<Options<V>, 'fieldOf' | 'sentence'>,
) {
  const { language } = useLanguage();
  const sentence = (error: unknown) => entrySentence(error, language);
  return { ...useForm<V>({ ...form, fieldOf, sentence }), sentence };
}
