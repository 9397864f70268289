import { type Static, Type } from 'typebox';
import type { TextFragment } from '../db/fragments.ts';
import type { Picture } from '../events/log-events.ts';
import { oneOf, text } from '../http/validation.ts';

export const REPORT_REASONS = ['spam', 'abuse', 'impersonation', 'other'] as const;

export const ReportBody = Type.Object({
  userId: text({ minLength: 1, maxLength: 100 }),
  reason: oneOf('ReportReason', REPORT_REASONS),
  text: Type.Optional(text({ maxLength: 1000 })),
  messages: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      maxItems: 20,
      description: 'Numbers of messages in the conversation with that user; unknown ones are left out',
    }),
  ),
  block: Type.Optional(Type.Boolean({ description: 'Whether to block the user too' })),
});
export type ReportBody = Static<typeof ReportBody>;

export const FiledReport = Type.Object({ id: Type.String() });
export type FiledReport = Static<typeof FiledReport>;

/** For `select`, together with {@link REPORTS_WITH_NAMES}. */
export const REPORT_FIELDS: TextFragment = {
  text: `reports.id, reports.at, reason, reported_id, reported.username as reported, reporter_id, reporter.username as reporter,
      decided_at, act`,
};

export const REPORTS_WITH_NAMES: TextFragment = {
  text: 'from reports join users as reported on reported.id = reported_id left join users as reporter on reporter.id = reporter_id',
};

/** How many copies a report has, without loading them. In a body a quote is escaped, so what begins a copy is in none. */
export const COPIES: TextFragment = {
  text: `(length(messages) - length(replace(messages, '{"n":', ''))) / 5 as copies`,
};

/** A message as it was when its conversation was reported. */
export interface ReportedMessage {
  readonly n: number;
  /** Who wrote it, without an id: a deletion need not look into the copies. */
  readonly by: 'reporter' | 'reported';
  /** Epoch milliseconds. */
  readonly at: number;
  readonly body: string;
  /** Its bytes are kept until the report is decided (`removePictures`). */
  readonly picture?: Picture;
  /** When its sender took it back, with its text; epoch milliseconds. */
  readonly unsentAt?: number;
}
