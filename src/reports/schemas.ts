import { type Static, Type } from 'typebox';
import type { TextFragment } from '../db/fragments.ts';
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

/** Reports with the names of both users, for `select`. */
export const REPORT_ROWS: TextFragment = {
  text: `reports.id, reports.at, reason, reported_id, reported.username as reported, reporter_id, reporter.username as reporter,
      reports.text, messages, decided_at, act, note
    from reports join users as reported on reported.id = reported_id left join users as reporter on reporter.id = reporter_id`,
};

/** A message as it was when its conversation was reported. */
export interface ReportedMessage {
  readonly n: number;
  /** Id of the sender. */
  readonly from: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly body: string;
}
