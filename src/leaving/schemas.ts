import { Type } from 'typebox';
import { text } from '../http/validation.ts';

export const DeletionAsked = Type.Object({
  until: Type.Integer({ description: 'Epoch milliseconds: until then the deletion can be undone' }),
});

export const KeepBody = Type.Object({
  ticket: text({ minLength: 1, description: '`ticket` of the 403 `account_leaving` of a login' }),
});
