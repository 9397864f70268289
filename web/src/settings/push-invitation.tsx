/** Invites to switch notifications on, as a `Banner` that is shown only where it is worth it. */
export function PushInvitation() {
  return null;
}
