import { Type } from 'typebox';
import { languageTag, text } from '../../http/validation.ts';

export const ForgotPasswordBody = Type.Object({
  account: text({ minLength: 1, maxLength: 254, description: 'A username, or a verified address' }),
  lang: Type.Optional(languageTag('Language of the mail')),
});

export const EndByLinkBody = Type.Object({
  token: text({ minLength: 1, description: 'What follows # in the link of the mail about a new sign-in' }),
});
