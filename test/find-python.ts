import { spawnSync } from 'node:child_process';

/** A Python with PyJWT and Ed25519, as Debian's python3-jwt and python3-cryptography install it; `undefined` if there is none. */
export function findPython(): string | undefined {
  return ['/usr/bin/python3', 'python3'].find((program) => {
    const { status } = spawnSync(program, ['-c', 'import jwt, cryptography'], { stdio: 'ignore' });
    return status === 0;
  });
}
