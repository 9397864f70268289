import type { MessageView } from '../src/features/chat/model/views.ts';

/** A message of the peer, unless the fields say otherwise. */
export function messageView(fields: Partial<MessageView> & { n: number }): MessageView {
  return {
    key: `n-${fields.n}`,
    from: 'bob',
    isOwn: false,
    cid: '',
    body: '',
    at: fields.n,
    state: 'theirs',
    error: undefined,
    replyTo: undefined,
    quoted: undefined,
    picture: undefined,
    isEdited: false,
    isUnsent: false,
    reactions: undefined,
    changes: undefined,
    source: undefined,
    ...fields,
  };
}
