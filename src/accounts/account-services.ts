import type { Clock, PeriodicJob } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { ApiLimits } from '../http/api-limits.ts';
import type { LimitSource } from '../http/limit-source.ts';
import { Authentication } from './authentication.ts';
import { loadCommonPasswords } from './common-passwords.ts';
import { removeIdleProofs } from './device-proofs.ts';
import { LoginAttempts } from './login-attempts.ts';
import { OpenSockets } from './open-sockets.ts';
import { PasswordAttempts } from './password-attempts.ts';
import { removeExpiredLinks } from './password-links.ts';
import { openPasswords, type Passwords } from './passwords.ts';
import { type Admission, openAdmission } from './registration/admission.ts';
import { removeOldInvites } from './registration/invites.ts';
import { endIdleSessions } from './sessions.ts';
import { openTokens, type Tokens } from './tokens.ts';

const SESSION_USE_MS = 60_000;
const CLEAN_UP_MS = 60 * 60 * 1000;

/** The long-lived parts of accounts. */
export interface AccountServices {
  readonly admission: Admission;
  readonly passwords: Passwords;
  /** The new passwords that are refused; null: none. */
  readonly commonPasswords: ReadonlySet<string> | null;
  readonly tokens: Tokens;
  readonly authentication: Authentication;
  readonly openSockets: OpenSockets;
  /** Limits guesses of the old password when a user changes it. */
  readonly passwordAttempts: PasswordAttempts;
  /** Limits logins to one account; null where the operator turned the limit of logins off. */
  readonly loginAttempts: LoginAttempts | null;
}

/**
 * Makes the key for tokens if the database has none. Tokens of a session open nothing from the moment in which
 * `sessions-ended` names it.
 *
 * @param apiLimits count what the limit of logins refuses, and log what commands of the operator do to accounts
 */
export async function openAccounts(
  db: Db,
  {
    bcryptCost,
    passwordList,
    rateLimits,
    registration,
    tokenTtlSeconds,
  }: Pick<Config, 'bcryptCost' | 'passwordList' | 'rateLimits' | 'registration' | 'tokenTtlSeconds'>,
  { monotonicMs, now }: Clock,
  events: Events,
  { refusals, securityLog }: Pick<ApiLimits, 'refusals' | 'securityLog'>,
  limits: LimitSource,
): Promise<AccountServices> {
  const tokens = await openTokens(db, tokenTtlSeconds, now);
  const authentication = new Authentication(db, tokens, now, () => events.isCurrent);
  events.subscribe((event) => {
    if (event.type === 'sessions-ended') authentication.invalidate(event.sessionIds);
    if (event.type === 'external-change') authentication.invalidateAll();
    if (event.type === 'operator-act') securityLog.write(event.act, event.userId, undefined, event.count);
  });
  const passwords = openPasswords({ cost: bcryptCost });
  return {
    admission: await openAdmission(db, registration, passwords.queue),
    passwords,
    commonPasswords: passwordList === 'refuse' ? await loadCommonPasswords() : null,
    tokens,
    authentication,
    openSockets: new OpenSockets(),
    passwordAttempts: new PasswordAttempts(
      limits.openFailureLimit('old-password', { limit: 10, windowMs: 15 * 60_000, maxKeys: 100_000 }),
      monotonicMs,
    ),
    loginAttempts: rateLimits.auth && new LoginAttempts(limits, refusals, monotonicMs),
  };
}

/** Writes down which sessions were used and from where, and ends sessions, device proofs and password links that were not used for too long. */
export function accountJobs(
  db: Db,
  { now }: Clock,
  events: Events,
  { authentication }: Pick<AccountServices, 'authentication'>,
  { securityLog }: Pick<ApiLimits, 'securityLog'>,
): PeriodicJob[] {
  return [
    {
      name: 'write session use',
      everyMs: SESSION_USE_MS,
      run: () => authentication.flushUse(),
      runsAtStop: true,
    },
    {
      name: 'end idle sessions',
      everyMs: CLEAN_UP_MS,
      run: async () => {
        await endIdleSessions({ db, events }, now(), (userId) => securityLog.write('session_ended', userId));
        await removeIdleProofs(db, now());
        await removeExpiredLinks(db, now());
      },
    },
    { name: 'remove old invites', everyMs: CLEAN_UP_MS, run: () => removeOldInvites(db, now()) },
  ];
}
