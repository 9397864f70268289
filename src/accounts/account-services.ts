import type { Clock, PeriodicJob } from '../clock.ts';
import type { Config } from '../config/config.ts';
import type { Db } from '../db/db.ts';
import type { Events } from '../events/hints.ts';
import type { ApiLimits } from '../http/api-limits.ts';
import type { Limits } from '../limits/limits.ts';
import { removeOldMails } from '../mail/mail-jobs.ts';
import type { MailServices } from '../mail/mail-services.ts';
import { restoreDueUsers } from './account-status.ts';
import { removeExpiredCodes } from './address/addresses.ts';
import { openCodeMailLimit } from './address/verification.ts';
import { endRevokedKeys } from './api-keys/api-keys.ts';
import { openKeyLookup } from './api-keys/key-lookup.ts';
import { openAuthentication } from './authentication.ts';
import { loadCommonPasswords } from './common-passwords.ts';
import { removeIdleProofs } from './device-proofs.ts';
import { removeExpiredTickets } from './leaving/tickets.ts';
import { openFailedSignIns } from './log/failed-sign-ins.ts';
import { cleanLog } from './log/log-retention.ts';
import { openLoginLimit } from './login-attempts.ts';
import { removeExpiredLinks } from './password-links.ts';
import { openPasswords } from './passwords.ts';
import { removeOldInvites } from './registration/invites.ts';
import { openMac } from './secrets.ts';
import { endIdleSessions } from './sessions.ts';
import { OLD_PASSWORDS } from './step-up/password-attempts.ts';
import { openTokens } from './tokens.ts';

const SESSION_USE_MS = 60_000;
const FAILED_SIGN_INS_MS = 60_000;
const RESTORE_MS = 1_000;
const CLEAN_UP_MS = 60 * 60 * 1000;

/** The long-lived parts of accounts. */
export type AccountServices = Awaited<ReturnType<typeof openAccounts>>;

/**
 * Makes the key for tokens if the database has none. Tokens of a session open nothing from the moment in which
 * `sessions-ended` names it.
 *
 * @param apiLimits count what the limit of logins refuses, and log what commands of the operator do to accounts
 * @param mail null: no mail is sent
 */
export async function openAccounts(
  db: Db,
  { bcryptCost, passwordList, rateLimits, tokenTtlSeconds }: Config,
  { now }: Clock,
  events: Events,
  { securityLog }: Pick<ApiLimits, 'securityLog'>,
  limits: Limits,
  mail: MailServices | null,
) {
  const tokens = await openTokens(db, tokenTtlSeconds, now);
  const mac = await openMac(db);
  const authentication = openAuthentication(db, tokens, now, () => events.isCurrent);
  const apiKeys = openKeyLookup(db, now, () => events.isCurrent);
  events.subscribe((event) => {
    if (event.type === 'sessions-ended') authentication.invalidate(event.sessionIds);
    if (event.type === 'external-change') {
      authentication.invalidateAll();
      apiKeys.invalidateAll();
    }
    if (event.type === 'operator-act' && event.act !== 'account_erased')
      securityLog.write(event.act, event.userId, undefined, event.count);
  });
  return {
    passwords: openPasswords({ cost: bcryptCost }),
    /** The new passwords that are refused. */
    commonPasswords: passwordList === 'refuse' ? await loadCommonPasswords() : new Set<string>(),
    tokens,
    authentication,
    apiKeys,
    /** Counts failed sign-ins for the logs of the accounts. */
    failedSignIns: openFailedSignIns(db, now),
    /** Limits guesses of their password by a signed-in user: when they change it, or confirm a session by it. */
    passwordAttempts: limits.openFailures('old-password', OLD_PASSWORDS),
    /** Limits logins to one account; null where the operator turned the limit of logins off. */
    limitLogins: rateLimits.auth && openLoginLimit(db, limits, now, mac),
    mac,
    /** Limits the mails by which users verify an address. */
    limitCodeMails: openCodeMailLimit(limits, mac),
    /** Null without `SMTP_URL`: no mail is sent. */
    mail,
  };
}

/** Writes down which sessions and API keys were used, and ends sessions, device proofs, password links, codes and tickets that were not used for too long. */
export function accountJobs(
  db: Db,
  { now }: Clock,
  events: Events,
  {
    authentication,
    apiKeys,
    failedSignIns,
  }: Pick<AccountServices, 'authentication' | 'apiKeys' | 'failedSignIns'>,
  { securityLog }: Pick<ApiLimits, 'securityLog'>,
): PeriodicJob[] {
  return [
    {
      name: 'write session use',
      everyMs: SESSION_USE_MS,
      run: async () => {
        await authentication.flushUse();
        await apiKeys.flushUse();
      },
      runsAtStop: true,
    },
    {
      name: 'write failed sign-ins',
      everyMs: FAILED_SIGN_INS_MS,
      run: () => failedSignIns.flush(),
      runsAtStop: true,
    },
    { name: 'restore accounts', everyMs: RESTORE_MS, run: () => restoreDueUsers({ db, events }, now()) },
    {
      name: 'end idle sessions',
      everyMs: CLEAN_UP_MS,
      run: async () => {
        await endIdleSessions({ db, events }, now(), (userId) => securityLog.write('session_ended', userId));
        await removeIdleProofs(db, now());
        await removeExpiredLinks(db, now());
        await removeExpiredCodes(db, now());
        await removeExpiredTickets(db, now());
      },
    },
    { name: 'end revoked keys', everyMs: CLEAN_UP_MS, run: () => endRevokedKeys(db, now()) },
    { name: 'clean account logs', everyMs: CLEAN_UP_MS, run: () => cleanLog(db, now()) },
    { name: 'remove old mails', everyMs: CLEAN_UP_MS, run: () => removeOldMails(db, now()) },
    { name: 'remove old invites', everyMs: CLEAN_UP_MS, run: () => removeOldInvites(db, now()) },
  ];
}
