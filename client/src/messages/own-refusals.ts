import { DoormanError } from '../errors.ts';

/** The kit's own refusals of messages and their changes (docs/client.md, Errors). */
export function cidUsed(): DoormanError {
  return new DoormanError(400, 'cid_used', 'Another message has this cid');
}

export function signedOut(): DoormanError {
  return new DoormanError(401, 'signed_out', 'No user is signed in');
}

export function discarded(): DoormanError {
  return new DoormanError(0, 'discarded', 'The message was discarded');
}

export function messageNotFound(): DoormanError {
  return new DoormanError(404, 'message_not_found', 'No message has this cid');
}

/** The service uses the same word. */
export function pictureUnknown(): DoormanError {
  return new DoormanError(400, 'picture_unknown', 'The picture is not on this device any more');
}
