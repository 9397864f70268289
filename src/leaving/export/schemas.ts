import { type Static, Type } from 'typebox';
import { text } from '../../http/validation.ts';

export const ExportTicket = Type.Object({
  ticket: Type.String({ description: 'For one download' }),
  expires: Type.Integer({ description: 'Epoch milliseconds' }),
});
export type ExportTicket = Static<typeof ExportTicket>;

export const ExportQuery = Type.Object({
  ticket: text({ minLength: 1, maxLength: 100, description: 'That of `POST /api/account/export`' }),
});
