import { type Static, Type } from 'typebox';
import { ErrorAnswer } from '../http/envelope.ts';
import { flag, oneOf, type Refusal, text } from '../http/validation.ts';
import { OptionalFields } from '../users/profile-fields.ts';
import { OwnUser, Username } from '../users/schemas.ts';

/** The texts that interface 7 fixes. */
const PASSWORD_TOO_SHORT: Refusal = ['password_too_short', '密码长度不能少于6位'];
const PASSWORD_TOO_LONG: Refusal = ['password_too_long', '密码长度不能超过128位'];

export const NewPassword = text({
  minLength: 6,
  maxLength: 128,
  refusal: PASSWORD_TOO_SHORT,
  tooLong: PASSWORD_TOO_LONG,
});
const { nickname, email, avatar } = OptionalFields;
export const RegisterBody = Type.Object(
  {
    username: Username,
    password: NewPassword,
    nickname,
    email,
    avatar,
    invite: Type.Optional(
      text({ description: 'The code of an invite; needed with `REGISTRATION=invite` alone' }),
    ),
  },
  { examples: [{ username: 'alice', password: 'wonderland', nickname: 'Alice' }] },
);
export type RegisterBody = Static<typeof RegisterBody>;

export const LoginBody = Type.Object(
  { username: text(), password: text() },
  { examples: [{ username: 'alice', password: 'wonderland' }] },
);
export const ChangePasswordBody = Type.Object({ oldPassword: text(), newPassword: NewPassword });
export const PasswordLinkBody = Type.Object({
  token: text({
    minLength: 1,
    description: 'What follows # in the link of a mail, or in that of `doorman user link`',
  }),
  newPassword: NewPassword,
});
export const NoFields = Type.Object({}, { description: 'May be left out' });

const sessionId = text({ minLength: 1 });
/** One of the two, which the route checks. */
export const EndSessionBody = Type.Object(
  { id: Type.Optional(sessionId), others: Type.Optional(Type.Boolean()) },
  {
    described: Type.Union([
      Type.Object({ id: sessionId }),
      Type.Object({
        others: Type.Literal(true, {
          type: 'boolean',
          description: 'Ends all sessions but that of the token',
        }),
      }),
    ]),
  },
);

/** The options that clients need before anyone is signed in. */
export const ServiceOptions = Type.Object({
  registration: oneOf('Registration', ['open', 'invite', 'closed'], {
    description: 'Whether `register` creates accounts: always, with the code of an `invite`, or never',
  }),
  passwordList: oneOf('PasswordList', ['warn', 'refuse', 'off'], {
    description:
      'Whether a common password is something to warn of, is refused (`password_common`), or neither',
  }),
  mail: Type.Boolean({
    description: 'Whether the server sends mails; without, what needs one is refused (`mail_off`)',
  }),
  deletionGrace: Type.Integer({
    description: 'For how many seconds the deletion of an account can be undone; 0: it is erased at once',
  }),
  pictures: Type.Boolean({
    description: 'Whether messages may have pictures now; without, an upload is refused (`pictures_off`)',
  }),
});

export const Registered = Type.Object({
  ...Type.Pick(OwnUser, ['id', 'username', 'nickname', 'email']).properties,
  token: Type.String(),
});
export const LoggedIn = Type.Object({ ...OwnUser.properties, token: Type.String() });
/** The refusal of a login to a suspended account. */
export const AccountSuspended = Type.Object(
  {
    ...ErrorAnswer.properties,
    reason: Type.String({ description: 'What the operator gave as the reason; empty if nothing' }),
    until: Type.Integer({
      description: 'Epoch milliseconds: when the account is restored; 0: the operator gave no time',
    }),
  },
  { words: ['account_suspended'] },
);

/** A refused login: of a suspended account with `reason`, of one that its user asked to delete with `ticket`. */
export const LoginRefused = Type.Object(
  {
    ...ErrorAnswer.properties,
    ...Type.Partial(Type.Pick(AccountSuspended, ['reason'])).properties,
    until: Type.Integer({
      description:
        'Epoch milliseconds: when the account is restored, or deleted; 0: the operator gave no time',
    }),
    ticket: Type.Optional(
      Type.String({ description: 'Of `account_leaving`: `keepAccount` takes it once, within 5 minutes' }),
    ),
  },
  { words: ['account_suspended', 'account_leaving'] },
);

export const FreshToken = Type.Object({ token: Type.String() });

/** RFC 7517, 5; Ed25519 keys as RFC 8037 spells them. */
export const KeySet = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      crv: Type.String(),
      x: Type.String(),
      kid: Type.String(),
      alg: Type.String(),
      use: Type.String(),
    }),
  ),
});

export const SessionEntry = Type.Object({
  id: Type.String(),
  device: Type.String({ description: 'User-Agent of the client' }),
  create_time: Type.Integer({ description: 'Epoch milliseconds' }),
  last_used: Type.Integer({ description: 'Epoch milliseconds, exact to the hour' }),
  current: flag('1 for the session of this call'),
  active: flag('1 while a socket of the session is open'),
  address: Type.String({
    description:
      "The client's network address at the sign-in, the last token or the last use, as exact as last_used; empty if unknown",
  }),
});
export type SessionEntry = Static<typeof SessionEntry>;

/** A route that reads the header field `Device-Proof` of its requests: anything malformed counts as no proof. */
export const READS_PROOF = {
  parameters: [
    {
      name: 'Device-Proof',
      in: 'header',
      description:
        'Shows that this device signed in before, so that it has tries of its own at login: `none`, or the values that the device has, separated by commas. The answer has the value to keep in the same header (docs/decisions/006-rate-limits.md)',
      schema: { type: 'string' },
    },
  ],
};

/** A route whose answers also give a device its proof. */
export const GIVES_PROOF = {
  ...READS_PROOF,
  answerHeaders: {
    'Device-Proof': {
      description: 'The value to keep and to send with later logins. Only where the request has this header',
      schema: { type: 'string' },
    },
  },
};
