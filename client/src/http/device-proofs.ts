import type { DoormanStorage } from '../storage/storage.ts';

// Proofs that the service gave this device at earlier logins. They let its users sign in while an attacker guesses their
// passwords (docs/client.md, "Device proofs"). A proof is a random text without a name, so those that stay after signing out
// do not show who signed in here. Each call that reads proofs sends all of them, and the service picks the one
// of the account.

const KEY = 'device-proofs';
/** The service reads no more. */
const MAX_PROOFS = 20;

/** The header `Device-Proof` of a call. `none` asks the service for a first proof. */
export async function proofHeader(storage: DoormanStorage): Promise<string> {
  return (await readProofs(storage)).join(', ') || 'none';
}

/** Stores the proof of an answer as the last one. Beyond 20, the first is removed. */
export async function saveProof(storage: DoormanStorage, proof: string): Promise<void> {
  const proofs = await readProofs(storage);
  if (!isProof(proof) || proof === proofs.at(-1)) return;
  const others = proofs.filter((one) => one !== proof);
  await storage.set(KEY, [...others, proof].slice(-MAX_PROOFS));
}

export async function clearAllButProofs(storage: DoormanStorage): Promise<void> {
  const proofs = await readProofs(storage);
  await storage.clear();
  if (proofs.length > 0) await storage.set(KEY, proofs);
}

async function readProofs(storage: DoormanStorage): Promise<string[]> {
  const stored = await storage.get(KEY);
  return Array.isArray(stored) ? stored.filter(isProof) : [];
}

function isProof(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value);
}
