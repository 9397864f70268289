import { type Static, Type } from 'typebox';
import { languageTag, type Refusal, text } from '../../http/validation.ts';

export const EMAIL_INVALID: Refusal = ['email_invalid', '邮箱地址不正确'];
/** The one refusal of a code or link, whatever is wrong with it. */
export const CODE_INVALID: Refusal = ['code_invalid', '验证码不正确或已过期'];

export const ConfirmBody = Type.Object({ password: text() });
export const Confirmed = Type.Object({
  until: Type.Integer({
    description: 'Epoch milliseconds: how long this session may change how the user signs in',
  }),
});

export const Account = Type.Object({
  email: Type.String({ description: 'The verified address, which gets mail; empty if there is none' }),
  pending_email: Type.String({ description: 'The address that waits for its code; empty if there is none' }),
  confirmed_until: Type.Integer({
    description:
      'Epoch milliseconds: until when the password counts as given in this session; 0 if it does not',
  }),
});
export type Account = Static<typeof Account>;

export const SetEmailBody = Type.Object({
  email: text({ refusal: EMAIL_INVALID, description: 'Where the code goes' }),
  lang: Type.Optional(languageTag('Language of the mails to this address')),
});

const code = text({ refusal: CODE_INVALID, description: 'The 8 digits of the mail; needs a session' });
const token = text({
  refusal: CODE_INVALID,
  description: 'What follows # in the link of the mail; needs no session',
});
/** One of the two, which the rule checks. */
export const VerifyEmailBody = Type.Object(
  { code: Type.Optional(code), token: Type.Optional(token) },
  { described: Type.Union([Type.Object({ code }), Type.Object({ token })]) },
);
export const VerifiedEmail = Type.Object({ email: Type.String() });
