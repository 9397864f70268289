import type { DoormanStorage } from '../storage/storage.ts';

// What the service gave this device at earlier logins, so that its users get in while someone guesses their passwords
// (docs/client.md, "Device proofs"). They are random texts without names: what stays after signing out does not say who
// signed in here. All of them go along, and the service takes the one of the account.

const KEY = 'device-proofs';
/** As many as the service reads. */
const MAX_PROOFS = 20;

/** The header `Device-Proof` of a call; without any proof it asks for a first one. */
export async function proofHeader(storage: DoormanStorage): Promise<string> {
  return (await findProofs(storage)).join(', ') || 'none';
}

/** Keeps what the service answered; the one used last stands last, and beyond 20 the first goes. */
export async function keepProof(storage: DoormanStorage, proof: string): Promise<void> {
  const proofs = await findProofs(storage);
  if (!isProof(proof) || proof === proofs.at(-1)) return;
  const others = proofs.filter((one) => one !== proof);
  await storage.set(KEY, [...others, proof].slice(-MAX_PROOFS));
}

export async function clearAllButProofs(storage: DoormanStorage): Promise<void> {
  const proofs = await findProofs(storage);
  await storage.clear();
  if (proofs.length > 0) await storage.set(KEY, proofs);
}

async function findProofs(storage: DoormanStorage): Promise<string[]> {
  const kept = await storage.get(KEY);
  return Array.isArray(kept) ? kept.filter(isProof) : [];
}

function isProof(kept: unknown): kept is string {
  return typeof kept === 'string' && /^[\w-]{43}$/.test(kept);
}
