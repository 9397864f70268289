import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

// Tuples, because a snapshot has one for each user of a node.
const UserRow = Type.Tuple(
  [Type.String(), Type.Integer({ minimum: 1 }), Type.Integer({ minimum: 0 }), Type.Boolean(), Type.Number()],
  {
    description:
      'Id, connections, active ones, whether one is attentive, when the oldest was opened (epoch ms)',
  },
);
export type UserRow = Static<typeof UserRow>;

const LeaveRow = Type.Tuple([Type.String(), Type.Number(), Type.Boolean()], {
  description: 'Id, when the last connection ended (epoch ms), whether by `bye`',
});

/** Users of a node whose connections have changed: what they are now. */
const Delta = Type.Object({ users: Type.Array(UserRow), left: Type.Array(LeaveRow) });
export type Delta = Static<typeof Delta>;
export const deltaShape = Compile(Delta);

const SnapshotPiece = Type.Object({
  snapshot: Type.Integer({ description: 'The number of the snapshot, of those of this node' }),
  piece: Type.Integer({ description: '0, 1, 2' }),
  isLast: Type.Boolean(),
  users: Type.Array(UserRow),
});
export type SnapshotPiece = Static<typeof SnapshotPiece>;
export const snapshotShape = Compile(SnapshotPiece);
