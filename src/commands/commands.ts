import type { Command } from './run.ts';

/**
 * The operator's commands (docs/commands.md). All but `restore`, `restored` and `copy` may run beside a server, which notices what they write
 * within a second.
 */
export const commands: Record<string, Command> = {
  import: {
    usage: 'import FILE.jsonl [--dry-run]',
    help: 'store users, friendships, blocks and messages, one a line; - reads standard input',
    words: 1,
    options: { 'dry-run': { type: 'boolean' } },
    load: async () => (await import('./import.ts')).importFile,
  },
  export: {
    usage: 'export',
    help: 'write all users to standard output, as import reads them',
    load: async () => (await import('./export.ts')).exportUsers,
  },
  keys: {
    usage: 'keys rotate jwt|vapid [--revoke]',
    help: 'make a new key for tokens, or for push subscriptions; --revoke: earlier tokens end',
    words: 2,
    options: { revoke: { type: 'boolean' } },
    load: async () => (await import('./keys.ts')).keys,
  },
  user: {
    usage: 'user show|suspend|restore|delete|password|link|export NAME-OR-ID',
    help: 'show a user, suspend, restore or delete their account, make a new password or a link to set one, write all data of a user as lines of JSON; suspend: --reason TEXT, --until TIME; --id, --name: what the word is; delete --ids FILE: all whose ids are in a file',
    words: 2,
    options: {
      reason: { type: 'string' },
      until: { type: 'string' },
      id: { type: 'boolean' },
      ids: { type: 'string' },
      name: { type: 'boolean' },
    },
    load: async () => (await import('./user.ts')).user,
  },
  reports: {
    usage: 'reports [--open]',
    help: 'list what users reported, a line each; --open: only what is not decided on',
    options: { open: { type: 'boolean' } },
    load: async () => (await import('./reports.ts')).reports,
  },
  report: {
    usage: 'report ID [--act dismiss|suspend --note TEXT]',
    help: 'show a report, or decide on it; the note of suspend is the reason that the user reads; --until TIME ends the suspension; --pictures FOLDER writes the pictures of its messages',
    words: 1,
    options: {
      act: { type: 'string' },
      note: { type: 'string' },
      until: { type: 'string' },
      pictures: { type: 'string' },
    },
    load: async () => (await import('./reports.ts')).report,
  },
  invite: {
    usage: 'invite [--uses N] [--days N] | list | revoke ID',
    help: 'make an invite for new users (1 use, 7 days), list or revoke invites',
    words: 2,
    options: { uses: { type: 'string' }, days: { type: 'string' } },
    load: async () => (await import('./invite.ts')).invite,
  },
  'api-key': {
    usage: 'api-key add NAME [--may RIGHTS] | list | revoke NAME',
    help: "make an API key for a product's backend, list or revoke keys; --may: what it may do, else everything",
    words: 2,
    options: { may: { type: 'string' } },
    load: async () => (await import('./api-key.ts')).apiKey,
  },
  mail: {
    usage: 'mail test ADDRESS',
    help: 'send a mail to an address, to see whether SMTP_URL works',
    words: 2,
    load: async () => (await import('./mail.ts')).mail,
  },
  backup: {
    usage: 'backup FILE',
    help: 'copy the embedded database to a new file, also beside a server',
    words: 1,
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    usage: 'restore FILE',
    help: 'make the database of an empty folder from a backup',
    words: 1,
    load: async () => (await import('./restore.ts')).restore,
  },
  restored: {
    usage: 'restored',
    help: 'after a backup was restored by another tool: make every device start from a new snapshot',
    load: async () => (await import('./restored.ts')).restored,
  },
  copy: {
    usage: 'copy',
    help: 'copy the embedded database into an empty PostgreSQL database',
    load: async () => (await import('./copy.ts')).copy,
  },
  check: {
    usage: 'check',
    help: 'check the settings, the database and the keys',
    load: async () => (await import('./check.ts')).check,
  },
  health: {
    usage: 'health [--url URL]',
    help: 'ask whether the server answers',
    options: { url: { type: 'string' } },
    load: async () => (await import('./health.ts')).health,
  },
};
