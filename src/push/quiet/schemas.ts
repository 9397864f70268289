import { type Static, Type } from 'typebox';
import { type Quiet, QuietWindow } from '../../events/log-events.ts';
import { text } from '../../http/validation.ts';

/** The end of the year 9999: days after it can still be computed. */
const MAX_UNTIL = 253_402_300_799_999;

export const QuietBody = Type.Object(
  {
    until: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_UNTIL,
        description: 'Quiet from now until then, once, epoch milliseconds; 0 ends it; left out: as it is',
      }),
    ),
    timeZone: text({ minLength: 1, maxLength: 64, description: 'IANA name of a time zone' }),
    windows: Type.Array(QuietWindow, { maxItems: 14 }),
  },
  {
    examples: [
      {
        timeZone: 'Europe/Berlin',
        windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '22:00', to: '07:00' }],
      },
    ],
  },
);
export type QuietBody = Static<typeof QuietBody>;

/** A row of `quiet`; all null where a user without one is joined with it. */
export interface QuietRow {
  readonly until: number | null;
  readonly time_zone: string | null;
  /** JSON of the windows. */
  readonly windows: string | null;
}

export function toQuiet({ until, time_zone, windows }: QuietRow): Quiet {
  return { until: until ?? 0, time_zone: time_zone ?? 'UTC', windows: windows ? JSON.parse(windows) : [] };
}
